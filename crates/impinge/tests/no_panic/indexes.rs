//! Indexes of a mesh: every engine, every odd configuration, rays, nearest faces, winding numbers, solids.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::box_tree::{
    BoxFrames, BoxTree, BoxTreeConfig, ClippedPair, CutTree, CutTreeConfig, InnerConfig, PairSide,
    PlaneCut, RestrictedTree, RestrictedTreeConfig,
};
use impinge::bvh::engines::MeshEngine;
use impinge::bvh::tree::{Bvh, NodeMeasure, tree_quality};
use impinge::bvh::wide::{
    DistanceError, RayOrSegment, SelfIntersectOptions, SingleTreeCache, WideCache, WideTree,
    WindingIndex,
};
use impinge::bvh::{FaceSweep, MeshIndex, Solid, intersection_curves};
use impinge::math::{Rng, is_valid_point};
use impinge::query::{Count, FacePair};

use crate::odd::{
    INDICES, check_bracket, odd, odd_limits, odd_mesh, odd_point, odd_pose, valid_point,
};

#[test]
fn every_engine_answers_for_all_valid_meshes_and_poses() {
    let mut rng = Rng::new(1);
    for round in 0..40 {
        let (a, b) = (odd_mesh(&mut rng, 30), odd_mesh(&mut rng, 30));
        for engine in MeshEngine::ALL {
            let mut pair = engine.prepare(a.clone(), b.clone());
            for _ in 0..4 {
                let pose = odd_pose(&mut rng).unwrap_or_default();
                let _ = pair.intersections(&pose, odd_limits(&mut rng), &mut Count::default());
                if let Some(answer) = pair.distance(&pose, odd_limits(&mut rng)) {
                    assert!(answer.lower >= 0.0, "{} round {round}", engine.name());
                    check_bracket(&answer);
                    if let Some(found) = answer.value {
                        assert!(found.distance >= 0.0, "{} round {round}", engine.name());
                        assert!(!found.point_a.is_nan() && !found.point_b.is_nan());
                    }
                }
                let _ = (pair.work(), pair.bytes());
            }
        }
    }
    assert!(MeshEngine::from_name("").is_none());
}

#[test]
fn every_engine_finds_the_same_pairs_among_odd_numbers() {
    let mut rng = Rng::new(2);
    for _ in 0..60 {
        let (a, b) = (odd_mesh(&mut rng, 20), odd_mesh(&mut rng, 20));
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let found = MeshEngine::ALL.map(|engine| {
            let mut pairs = Vec::new();
            let mut pair = engine.prepare(a.clone(), b.clone());
            let _ = pair.intersections(&pose, Default::default(), &mut pairs);
            pairs.sort_unstable();
            (engine, pairs)
        });
        let exact = &found[0].1;
        let holds = |all: &[FacePair], some: &[FacePair]| some.iter().all(|p| all.contains(p));
        for (engine, pairs) in &found {
            let keeps_its_law = match engine {
                MeshEngine::EdgePolygonRelaxed => holds(exact, pairs),
                MeshEngine::EdgePolygonPreChecks | MeshEngine::ZBuffer => holds(pairs, exact),
                _ => engine.is_exact() && pairs == exact,
            };
            assert!(keeps_its_law, "{} {a:?} {b:?} {pose:?}", engine.name());
        }
    }
}

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
fn trees_of_cut_boxes_take_any_configuration() {
    let mut rng = Rng::new(6);
    for _ in 0..150 {
        let (a, b) = (odd_mesh(&mut rng, 30), odd_mesh(&mut rng, 30));
        let mut count = || INDICES[rng.below(INDICES.len() as u64) as usize];
        let (n, m, k, l) = (count(), count(), count(), count());
        let x: [f64; 5] = std::array::from_fn(|_| odd(&mut rng));
        let cut = CutTreeConfig {
            gamma: x[0],
            thickness: x[1],
            max_depth: n,
            min_faces: m,
            lambda: x[2],
            similar: x[3],
            max_iterations: k.min(1000),
            max_duplication: l,
            ..CutTreeConfig::default()
        };
        ask::<CutTree>(&a, &b, &cut, &mut rng);
        let inner = InnerConfig {
            min_faces: n,
            min_part: x[4],
            max_hollows: m.min(100),
            max_cores: k.min(100),
        };
        let boxes = BoxTreeConfig {
            max_leaf_faces: l,
            inner: Some(inner),
            ..BoxTreeConfig::default()
        };
        ask::<BoxTree>(&a, &b, &boxes, &mut rng);
        let restricted = RestrictedTreeConfig {
            max_leaf_faces: l,
            max_sides: n,
            min_gain: x[0],
            ..RestrictedTreeConfig::default()
        };
        ask::<RestrictedTree>(&a, &b, &restricted, &mut rng);
        ask::<FaceSweep>(&a, &b, &Default::default(), &mut rng);
    }
}

fn ask<I: MeshIndex>(
    a: &Arc<impinge::TriMesh>,
    b: &Arc<impinge::TriMesh>,
    config: &I::Config,
    rng: &mut Rng,
) {
    let (a, b) = (I::build(a.clone(), config), I::build(b.clone(), config));
    a.validate().unwrap();
    let pose = odd_pose(rng).unwrap_or_default();
    let mut cache = I::Cache::default();
    let _ = a.intersections(
        &b,
        &pose,
        odd_limits(rng),
        &mut cache,
        &mut Count::default(),
    );
    let _ = I::work(&cache);
}

#[test]
fn a_pair_of_boxes_takes_any_cut() {
    let mut rng = Rng::new(7);
    for _ in 0..5000 {
        let mut any = || Aabb::enclosing([valid_point(&mut rng), valid_point(&mut rng)]);
        let (a, b) = (any(), any());
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let frames = BoxFrames::new(&pose, &a, &b, odd(&mut rng));
        let mut pair = ClippedPair::<true>::new(&frames, &a, &b);
        for axis in [0, 1, 2, 3, usize::MAX] {
            let cut = PlaneCut {
                axis,
                keeps_low: rng.below(2) == 0,
                at: odd(&mut rng),
            };
            let _ = pair.cut(&frames, PairSide::B, cut);
        }
        let _ = (
            pair.is_disjoint(),
            pair.boxes(),
            pair.live_edges(),
            pair.intervals(),
        );
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
