//! Indexes of a mesh: rays, nearest faces, winding numbers, solids.

use impinge::bound::Aabb;
use impinge::bvh::tree::{Bvh, NodeMeasure, tree_quality};
use impinge::bvh::wide::{
    DistanceError, RayOrSegment, SelfIntersectOptions, SingleTreeCache, WideCache, WideTree,
    WindingIndex,
};
use impinge::bvh::{MeshIndex, Solid, intersection_curves};
use impinge::math::{Rng, is_valid_point};
use impinge::query::Count;

use crate::odd::{check_bracket, odd, odd_limits, odd_mesh, odd_point, odd_pose, valid_point};

#[test]
fn the_default_index_answers_every_question_in_numbers() {
    let mut rng = Rng::new(3);
    let (mut cache, mut probe) = (WideCache::default(), SingleTreeCache::default());
    for _ in 0..300 {
        let (a, b) = (odd_mesh(&mut rng, 40), odd_mesh(&mut rng, 40));
        let (a, b) = (WideTree::new(a), WideTree::new(b));
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let error = DistanceError {
            absolute: odd(&mut rng),
            relative: odd(&mut rng),
        };
        check_bracket(&a.distance_within(&b, &pose, error, odd_limits(&mut rng), &mut cache));
        check_bracket(&a.distance(&b, &pose, odd_limits(&mut rng), &mut cache));
        let _ = a.is_within(&b, &pose, odd(&mut rng), &mut cache);
        let _ = a.intersects(&b, &pose, &mut cache);
        let limits = odd_limits(&mut rng);
        let _ = a.self_intersections(
            &SelfIntersectOptions::default(),
            limits,
            &mut cache,
            &mut Count::default(),
        );
        let curves = intersection_curves(&a, &b, &pose, odd_limits(&mut rng), &mut cache);
        assert!(curves.curves.iter().all(|c| c.length() >= 0.0));
        a.validate().unwrap();
        for p in [valid_point(&mut rng), odd_point(&mut rng)] {
            let is_valid = is_valid_point(p);
            let closest = a.closest_face(p, odd_limits(&mut rng), &mut probe);
            assert_eq!(closest.is_ok(), is_valid);
            if let Ok(answer) = closest {
                check_bracket(&answer);
                assert!(
                    answer
                        .value
                        .is_none_or(|c| c.distance >= 0.0 && !c.point.is_nan())
                );
            }
            let mut found = Vec::new();
            for count in [0, 1, usize::MAX] {
                let near = a.nearest_faces(p, count, odd_limits(&mut rng), &mut probe, &mut found);
                assert_eq!(near.is_ok(), is_valid);
            }
            let (distance, limits) = (odd(&mut rng), odd_limits(&mut rng));
            let within = a.faces_within(p, distance, limits, &mut probe, &mut Count::default());
            assert_eq!(within.is_ok(), is_valid);
            let index = WindingIndex::new(&a);
            let turns = index.winding_number(p, odd(&mut rng), odd_limits(&mut rng), &mut probe);
            assert_eq!(turns.is_ok(), is_valid);
            if let Ok(turns) = turns {
                check_bracket(&turns);
                assert!(!turns.value.is_nan(), "{a:?} {p}");
            }
        }
    }
}

#[test]
fn lines_are_refused_or_followed() {
    let mut rng = Rng::new(4);
    let mut probe = SingleTreeCache::default();
    let mut accepted = 0;
    for _ in 0..1000 {
        let tree = WideTree::new(odd_mesh(&mut rng, 30));
        let (p, q) = (odd_point(&mut rng), odd_point(&mut rng));
        assert_eq!(
            RayOrSegment::segment(p, q).is_ok(),
            is_valid_point(p) && is_valid_point(q)
        );
        let (r, s) = (valid_point(&mut rng), valid_point(&mut rng));
        let lines = [
            RayOrSegment::ray(p, q),
            RayOrSegment::segment(p, q),
            RayOrSegment::ray(r, s),
            RayOrSegment::segment(r, s),
        ];
        for line in lines.into_iter().flatten() {
            accepted += 1;
            let first = tree.first_hit(&line, odd_limits(&mut rng), &mut probe);
            check_bracket(&first);
            let _ = (tree.is_hit(&line, &mut probe), line.at(odd(&mut rng)));
            let mut hits = Vec::new();
            let _ = tree.hits(&line, odd_limits(&mut rng), &mut probe, &mut hits);
            let all = tree.first_hits(&[line], Some(odd(&mut rng)));
            for hit in hits
                .into_iter()
                .chain(first.value)
                .chain(all.into_iter().flatten())
            {
                assert!(hit.t >= 0.0 && !hit.point.is_nan(), "{line:?} {hit:?}");
                assert!(
                    hit.barycentric.iter().all(|w| !w.is_nan()),
                    "{line:?} {hit:?}"
                );
            }
        }
        assert!(tree.first_hits(&[], None).is_empty());
    }
    assert!(accepted > 1000, "only {accepted} lines accepted");
}

#[test]
fn solids_answer_for_every_point() {
    let mut rng = Rng::new(5);
    let mut cache = WideCache::default();
    for _ in 0..500 {
        let trees = [(); 2].map(|()| WideTree::new(odd_mesh(&mut rng, 12)));
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let solids = [Solid::by_winding(&trees[0]), Solid::by_winding(&trees[1])];
        let _ = solids[0].relation(&solids[1], &pose, &mut cache);
        let _ = solids[0].intersects(&solids[1], &pose, &mut cache);
        if let Ok(closed) = Solid::closed(&trees[0]) {
            let _ = closed.relation(&solids[1], &pose, &mut cache);
        }
        let p = odd_point(&mut rng);
        assert_eq!(solids[0].locate(p).is_ok(), is_valid_point(p));
        assert_eq!(solids[0].locate_all(&[p, p]).is_ok(), is_valid_point(p));
        assert!(solids[0].locate_all(&[]).is_ok());
    }
}

#[test]
fn a_tree_is_refitted_to_no_other_faces() {
    let mut rng = Rng::new(8);
    for _ in 0..300 {
        let (a, b) = (odd_mesh(&mut rng, 10), odd_mesh(&mut rng, 10));
        let mut tree = Bvh::<Aabb>::build(a.clone(), &Default::default());
        let same = a.faces() == b.faces();
        assert_eq!(tree.refit(b).is_ok(), same);
        tree.validate().unwrap();
        let _ = (tree.quality(), tree.bytes(), tree.root());
    }
    let measure = |parent| NodeMeasure {
        area: f64::NAN,
        volume: f64::INFINITY,
        bounds: Aabb::EMPTY,
        parent,
        faces: Some(u32::MAX),
    };
    let _ = tree_quality(&[measure(None), measure(Some(usize::MAX)), measure(Some(0))]);
    assert_eq!(tree_quality(&[]).nodes, 0);
}
