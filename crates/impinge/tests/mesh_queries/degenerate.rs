//! Every engine is right about meshes that are as bad as they are allowed to be.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::engines::MeshEngine;
use impinge::geom::triangle_distance;
use impinge::math::Rng;
use impinge::query::{Count, FacePair, First, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle;

use crate::ENGINES;

fn mesh(points: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Arc<TriMesh> {
    Arc::new(TriMesh::new(points, faces).unwrap())
}

fn pairs(engine: MeshEngine, a: &Arc<TriMesh>, b: &Arc<TriMesh>, pose: &Pose) -> Vec<FacePair> {
    let mut found = Vec::new();
    let mut pair = engine.prepare(a.clone(), b.clone());
    let outcome = pair.intersections(pose, Limits::default(), &mut found);
    assert_eq!(outcome, Outcome::Complete, "{engine}");
    found.sort_unstable();
    found
}

/// Exact engines must report the oracle's pairs; those that tell distances, the smallest of all.
fn check(a: &Arc<TriMesh>, b: &Arc<TriMesh>, pose: &Pose) {
    let truth = oracle::face_pairs(a, b, pose);
    let placed = b.placed(pose).unwrap();
    let mut least = f64::INFINITY;
    for fa in a.face_ids() {
        for fb in b.face_ids() {
            let distance =
                triangle_distance(&a.face(fa).unwrap(), &placed.face(fb).unwrap()).distance;
            least = least.min(distance);
        }
    }
    for &engine in ENGINES.iter().filter(|e| e.is_exact()) {
        assert_eq!(pairs(engine, a, b, pose), truth, "{engine}");
        let mut pair = engine.prepare(a.clone(), b.clone());
        let mut first = First::default();
        let _ = pair.intersections(pose, Limits::default(), &mut first);
        assert_eq!(first.0.is_some(), !truth.is_empty(), "{engine}");
        if let Some(answer) = pair.distance(pose, Limits::default()) {
            let distance = answer.value.map_or(f64::INFINITY, |s| s.distance);
            // Of pairs of faces that are equally far, engines may measure different ones.
            let rounding = 4.0 * f64::EPSILON * least;
            let same = distance == least || (distance - least).abs() <= rounding;
            assert!(same, "{engine}: {distance} {least}");
        }
    }
}

#[test]
fn empty_meshes_and_single_faces() {
    let empty: Arc<TriMesh> = Arc::default();
    let unused = mesh(vec![DVec3::ONE], vec![]);
    let one = mesh(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
    let point = mesh(vec![DVec3::ZERO], vec![[0, 0, 0]]);
    let segment = mesh(vec![DVec3::ZERO, DVec3::X * 2.0], vec![[0, 1, 0]]);
    let all = [empty, unused, one, point, segment];
    let mut rng = Rng::new(1);
    let mut places = vec![Pose::IDENTITY];
    places.extend((0..6).map(|_| poses::exact(&mut rng, 1)));
    for a in &all {
        for b in &all {
            for pose in &places {
                check(a, b, pose);
            }
        }
    }
}

#[test]
fn a_mesh_and_an_identical_copy_have_all_pairs() {
    let mut rng = Rng::new(2);
    for i in 0..4 {
        let a = match i {
            0 => meshes::ball(2, 1.0),
            1 => meshes::cuboid(DVec3::ZERO, DVec3::ONE),
            2 => meshes::grid_soup(&mut rng, 60, (-2, 2)),
            _ => meshes::random_soup(&mut rng, 60, 0.5),
        };
        let (a, b) = (Arc::new(a.clone()), Arc::new(a));
        check(&a, &b, &Pose::IDENTITY);
        // The same object twice, where one index serves both.
        check(&a, &a, &Pose::IDENTITY);
        check(&a, &b, &poses::random(&mut rng, 1e-13));
    }
}

#[test]
fn coplanar_sheets_touch_where_they_touch() {
    let sheet = Arc::new(meshes::sheet(5, |_, _| 0.0));
    for shift in [
        [0.0, 0.0, 0.0],
        [0.5, 0.25, 0.0],
        [5.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
    ] {
        check(&sheet, &sheet, &Pose::from_translation(shift).unwrap());
    }
    // Three sheets on top of each other.
    let doubled = meshes::merged(&sheet, &sheet);
    let stack = Arc::new(meshes::merged(&sheet, &doubled));
    check(
        &stack,
        &sheet,
        &Pose::from_translation([0.5, 0.5, 0.0]).unwrap(),
    );
}

#[test]
fn slivers_and_faces_of_almost_no_extent() {
    let mut rng = Rng::new(3);
    for i in 0..12 {
        let thin = 10_f64.powi(-(i % 6) * 3);
        let sliver = |rng: &mut Rng| {
            let (p, along, across) = (rng.cube(), rng.direction(), rng.direction());
            [p, p + 2.0 * along, p + along + thin * across]
        };
        let a = Arc::new(meshes::soup((0..30).map(|_| sliver(&mut rng))));
        let b = Arc::new(meshes::soup((0..30).map(|_| sliver(&mut rng))));
        check(&a, &b, &poses::random(&mut rng, 0.5));
        check(&a, &a, &Pose::IDENTITY);
    }
}

#[test]
fn duplicate_faces_are_pairs_of_their_own() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let a = mesh(
        corners.clone(),
        vec![[0, 1, 2], [0, 1, 2], [2, 1, 0], [1, 2, 0]],
    );
    let b = mesh(corners, vec![[0, 1, 3], [0, 1, 3], [0, 3, 1]]);
    check(&a, &b, &Pose::IDENTITY);
    check(&a, &a, &Pose::from_translation([1.0, 0.0, 0.0]).unwrap());
}

/// Many faces in one place: all pairs meet, and no cut can divide them.
#[test]
fn a_thousand_identical_faces_make_indexes_of_ordinary_size() {
    let stacked = |faces| {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        mesh(points, vec![[0, 1, 2]; faces])
    };
    let (stack, few) = (stacked(1000), stacked(20));
    for &engine in ENGINES.iter().filter(|e| e.is_exact()) {
        let mut pair = engine.prepare(stack.clone(), few.clone());
        // Some kilobytes a face would be a tree gone wrong.
        let bytes = pair.bytes();
        assert!(bytes < 1020 * 2048, "{engine}: {bytes} bytes");
        let mut count = Count::default();
        let _ = pair.intersections(&Pose::IDENTITY, Limits::default(), &mut count);
        assert_eq!(count.0, 20_000, "{engine}");
        let mut first = First::default();
        let _ = pair.intersections(&Pose::IDENTITY, Limits::default(), &mut first);
        assert!(first.0.is_some(), "{engine}");
    }
    let mut pair = MeshEngine::WideTree.prepare(stack.clone(), stack);
    let mut count = Count::default();
    let _ = pair.intersections(&Pose::IDENTITY, Limits::default(), &mut count);
    assert_eq!(count.0, 1_000_000);
}

#[test]
fn small_random_and_grid_cases_have_the_oracles_pairs() {
    let mut rng = Rng::new(4);
    for i in 0..400 {
        let (n, m) = (rng.below(12) as usize, rng.below(12) as usize);
        let (a, b, pose) = if i % 2 == 0 {
            let range = grid::RANGES[(i / 2) % grid::RANGES.len()];
            let a = meshes::grid_soup(&mut rng, n, range);
            let b = meshes::grid_soup(&mut rng, m, range);
            (a, b, poses::exact(&mut rng, (i % 4) as i64))
        } else {
            let size = rng.range(0.1, 2.0);
            let a = meshes::random_soup(&mut rng, n, size);
            let b = meshes::random_soup(&mut rng, m, size);
            (a, b, poses::random(&mut rng, 1.0))
        };
        check(&Arc::new(a), &Arc::new(b), &pose);
    }
}
