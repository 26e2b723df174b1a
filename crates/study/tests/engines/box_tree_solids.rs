//! What trees of cut boxes know of solids: hollows that are free, cores that lie inside, whether two solids meet.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::geom::triangle_meets_box;
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{Location, locate_by_parity};
use impinge::query::Limits;
use impinge::{Pose, TriMesh};
use impinge_study::box_tree::{
    BoxTree, BoxTreeCache, BoxTreeConfig, InnerConfig, SolidIntersection,
};
use impinge_testkit::generate::{meshes, poses};
use impinge_testkit::oracle;

#[test]
fn hollows_are_free_of_their_nodes_faces_and_cores_lie_inside() {
    let ball = meshes::ball(4, 1.0);
    let config = BoxTreeConfig {
        inner: Some(InnerConfig::default()),
        ..BoxTreeConfig::default()
    };
    let tree = BoxTree::build(Arc::new(ball.clone()), &config);
    tree.validate().unwrap();
    let inner = tree.inner_boxes();
    let (outer, root) = &inner[0];
    assert_eq!(*outer, ball.bounds());
    assert!(root.hollow.unwrap().volume() > 0.1 * outer.volume());
    for (outer, found) in &inner {
        if let Some(core) = found.core {
            assert!(outer.contains_box(&core));
            for face in ball.face_ids() {
                assert!(!triangle_meets_box(
                    &ball.face(face).unwrap(),
                    core.min,
                    core.max
                ));
            }
            let place = locate_by_parity(&ball, core.center()).unwrap();
            assert_eq!(place, Location::Inside);
        }
    }
    // A sheet is not closed: nothing is inside it.
    let sheet = BoxTree::build(Arc::new(meshes::sheet(8, |_, _| 0.0)), &config);
    assert!(
        sheet
            .inner_boxes()
            .iter()
            .all(|(_, inner)| inner.core.is_none())
    );
}

#[test]
fn a_body_in_a_hollow_is_left_out_early() {
    let ball = Arc::new(meshes::ball(4, 1.0));
    let small = Arc::new(meshes::ball(4, 0.2));
    let mut cache = BoxTreeCache::default();
    let mut work = |inner| {
        let config = BoxTreeConfig {
            inner,
            ..BoxTreeConfig::default()
        };
        let (a, b) = (
            BoxTree::build(ball.clone(), &config),
            BoxTree::build(small.clone(), &config),
        );
        let mut total = [0, 0];
        for (i, (a, b)) in [(&a, &b), (&b, &a)].into_iter().enumerate() {
            let mut pairs = Vec::new();
            let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 1.0, [0.05, 0.0, 0.0]).unwrap();
            let _ = a.intersections(b, &turned, Limits::default(), &mut cache, &mut pairs);
            assert!(pairs.is_empty());
            total[i] = cache.counts().work.tests();
        }
        total
    };
    let (with, without) = (work(Some(InnerConfig::default())), work(None));
    assert_eq!(with, [2, 2], "excluded at the root");
    assert!(without.iter().all(|&n| n > 100), "{without:?}");
}

/// Whether the solids meet: faces share a point, or a vertex of one is inside the other.
fn solids_meet_by_brute_force(a: &TriMesh, b: &TriMesh, pose: &Pose) -> bool {
    let placed = b.placed(pose).unwrap();
    let holds = |solid: &TriMesh, points: &TriMesh| {
        points
            .positions()
            .iter()
            .any(|&p| locate_by_parity(solid, p).unwrap() != Location::Outside)
    };
    !oracle::face_pairs(a, b, pose).is_empty() || holds(a, &placed) || holds(&placed, a)
}

#[test]
fn solids_meet_exactly_when_faces_do_or_one_holds_the_other() {
    let mut rng = Rng::new(12);
    let mut cache = BoxTreeCache::default();
    let config = BoxTreeConfig {
        inner: Some(InnerConfig {
            min_faces: 2,
            ..InnerConfig::default()
        }),
        ..BoxTreeConfig::default()
    };
    let mut seen = [0; 5];
    for i in 0..300 {
        let (a, b) = if i % 2 == 0 {
            (
                meshes::grid_solid(&mut rng, 3),
                meshes::grid_solid(&mut rng, 3),
            )
        } else {
            let (r, s) = (rng.range(0.2, 1.5), rng.range(0.2, 1.5));
            (meshes::ball(1, r), meshes::ball(1, s))
        };
        let pose = if i % 4 < 2 {
            poses::exact(&mut rng, 3)
        } else {
            poses::random(&mut rng, 1.5)
        };
        let truth = solids_meet_by_brute_force(&a, &b, &pose);
        let (tree_a, tree_b) = (
            BoxTree::build(Arc::new(a), &config),
            BoxTree::build(Arc::new(b), &config),
        );
        let meeting = tree_a.solids_meet(&tree_b, &pose, Limits::default(), &mut cache);
        assert_eq!(meeting != SolidIntersection::Apart, truth, "{meeting:?}");
        seen[match meeting {
            SolidIntersection::Apart => 0,
            SolidIntersection::CoresOverlap => 1,
            SolidIntersection::FacesMeet(_) => 2,
            SolidIntersection::AInsideB | SolidIntersection::BInsideA => 3,
            SolidIntersection::Unknown => 4,
        }] += 1;
    }
    assert!(
        seen[0] > 10 && seen[1] > 10 && seen[2] > 10 && seen[4] == 0,
        "{seen:?}"
    );
}

#[test]
fn overlapping_cores_settle_the_question_sooner_than_faces() {
    let ball = Arc::new(meshes::ball(5, 1.0));
    let mut cache = BoxTreeCache::default();
    let mut tests = |inner| {
        let config = BoxTreeConfig {
            inner,
            ..BoxTreeConfig::default()
        };
        let tree = BoxTree::build(ball.clone(), &config);
        let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.6, 0.1, 0.0]).unwrap();
        let meeting = tree.solids_meet(&tree, &pose, Limits::default(), &mut cache);
        assert_ne!(meeting, SolidIntersection::Apart);
        cache.counts().work.tests()
    };
    assert_eq!(
        tests(Some(InnerConfig::default())),
        3,
        "the roots, their boxes and their cores"
    );
    assert!(tests(None) > 10);
}
