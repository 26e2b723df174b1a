//! What must not change the pairs of two meshes, for every engine.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::bound::{Aabb, Ball, Kdop, Obb, Rss};
use impinge::bvh::tree::Bvh;
use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::math::Rng;
use impinge::query::FacePair;
use impinge::{Pose, TriMesh};
use impinge_testkit::conformance::pairs_of;
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::laws;

type Engine = fn(&TriMesh, &TriMesh, &Pose) -> Vec<FacePair>;

fn pairs<I: MeshIndex>(a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Vec<FacePair> {
    pairs_of::<I>(a, b, a_from_b, &Default::default(), &mut Default::default()).unwrap()
}

const ENGINES: [Engine; 6] = [
    pairs::<FaceSweep>,
    pairs::<Bvh<Aabb>>,
    pairs::<Bvh<Obb>>,
    pairs::<Bvh<Kdop<18>>>,
    pairs::<Bvh<Ball>>,
    pairs::<Bvh<Rss>>,
];

/// Asks the same of every engine for meshes on the grid of even integers, exactly placed.
fn for_all(mut law: impl FnMut(Engine, &TriMesh, &TriMesh, &Pose, &mut Rng)) {
    let mut rng = Rng::new(1);
    for i in 0..120 {
        let even = |m: TriMesh| {
            TriMesh::new(
                m.positions().iter().map(|&p| 2.0 * p).collect(),
                m.faces().to_vec(),
            )
            .unwrap()
        };
        let range = grid::RANGES[i % grid::RANGES.len()];
        let a = even(meshes::grid_soup(&mut rng, 30, range));
        let b = if i % 2 == 0 {
            even(meshes::grid_soup(&mut rng, 30, range))
        } else {
            even(meshes::grid_solid(&mut rng, 3))
        };
        let a_from_b = poses::exact(&mut rng, 2);
        for engine in ENGINES {
            law(engine, &a, &b, &a_from_b, &mut rng);
        }
    }
}

#[test]
fn exchanging_the_meshes_exchanges_the_pairs() {
    for_all(|engine, a, b, pose, _| laws::swap(&engine, a, b, pose).unwrap());
}

#[test]
fn the_same_exact_pose_on_both_changes_nothing() {
    for_all(|engine, a, b, pose, rng| {
        let world_from_a = poses::exact(rng, 1 << 30);
        laws::same_pose_on_both(&engine, a, b, pose, &world_from_a).unwrap();
    });
}

#[test]
fn scaling_by_powers_of_two_changes_nothing() {
    for_all(|engine, a, b, pose, _| {
        for power in [-1000, -40, 40, 140] {
            laws::scale(&engine, a, b, pose, power).unwrap();
        }
    });
}

#[test]
fn reordering_faces_corners_and_vertices_reorders_the_pairs() {
    for_all(|engine, a, b, pose, rng| laws::permute(&engine, a, b, pose, rng).unwrap());
}

#[test]
fn halves_of_a_face_meet_what_the_face_meets() {
    for_all(|engine, a, b, pose, _| laws::split(&engine, a, b, pose).unwrap());
}
