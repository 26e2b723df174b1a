//! Distances of meshes that `f32` cannot hold together: none is too large, however far away the meshes are.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::geom::triangle_distance;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{meshes, poses};

/// The least distance of all pairs of faces as placed.
fn brute(a: &TriMesh, b: &TriMesh, pose: &Pose) -> f64 {
    let placed = b.placed(pose).unwrap();
    let mut least = f64::INFINITY;
    for face_a in a.triangles() {
        for face_b in placed.triangles() {
            least = least.min(triangle_distance(&face_a, &face_b).distance);
        }
    }
    least
}

/// A mesh moved to another place: its coordinates are rounded there.
fn moved(mesh: &TriMesh, by: DVec3) -> TriMesh {
    mesh.placed(&Pose::from_translation(by).unwrap()).unwrap()
}

#[test]
fn distances_at_huge_translations_are_those_of_all_faces() {
    let mut rng = Rng::new(91);
    for i in 0..120 {
        // Both far from the origin and near each other after placing, or one far away.
        let size = 10_f64.powi(6 + i % 10);
        let n = 8 + rng.below(24) as usize;
        let far = rng.direction() * size;
        let a = meshes::random_soup(&mut rng, n, 0.4);
        let b = meshes::random_soup(&mut rng, n, 0.4);
        let turn = poses::random(&mut rng, 0.0);
        let (a, b, pose) = match i % 3 {
            0 => (a, b, Pose::new(*turn.rotation(), far).unwrap()),
            1 => {
                let gap = rng.direction() * 3.0;
                let pose = Pose::from_translation(far + gap).unwrap();
                (moved(&a, far), b, pose)
            }
            _ => {
                let gap = rng.direction() * 3.0;
                let back = -(*turn.rotation() * far) + gap;
                (
                    a,
                    moved(&b, far),
                    Pose::new(*turn.rotation(), back).unwrap(),
                )
            }
        };
        let truth = brute(&a, &b, &pose);
        let [tree_a, tree_b] = [a, b].map(|mesh| WideTree::new(Arc::new(mesh)));
        let found = tree_a.distance(&tree_b, &pose, Limits::default(), &mut WideCache::default());
        assert_eq!(found.outcome, Outcome::Complete);
        assert_eq!(found.value.unwrap().distance, truth, "{i} {size:e}");
        assert!(found.lower <= truth && truth <= found.upper, "{found:?}");
        // A budget leaves bounds that hold the truth.
        for max_tests in [1, 20, 100] {
            let limits = Limits {
                max_tests: Some(max_tests),
                ..Limits::default()
            };
            let cut = tree_a.distance(&tree_b, &pose, limits, &mut WideCache::default());
            assert!(cut.lower <= truth && truth <= cut.upper, "{truth} {cut:?}");
        }
        // At exactly the distance there is an answer.
        let limits = Limits {
            max_distance: Some(truth),
            ..Limits::default()
        };
        let near = tree_a.distance(&tree_b, &pose, limits, &mut WideCache::default());
        assert_eq!(near.value.map(|s| s.distance), Some(truth), "{i} {size:e}");
    }
}
