//! The tree as it is shown: leaves that hold their faces, and marks that miss no contact.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{LeafBox, WideCache, WideTree};
use impinge::generate::{blob, torus_knot};
use impinge::math::Rng;
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Pose};

/// How far a point is outside a box, as part of the box's size.
fn outside(leaf: &LeafBox, p: DVec3) -> f64 {
    let center = leaf.corners.iter().sum::<DVec3>() / 8.0;
    let size = (leaf.corners[7] - leaf.corners[0]).length();
    let mut most = 0.0_f64;
    for k in 0..3 {
        let side = (leaf.corners[1 << k] - leaf.corners[0]) * 0.5;
        let half = side.length();
        let along = (p - center).dot(side.normalize_or_zero()).abs();
        most = most.max(along - half);
    }
    most / size
}

#[test]
fn leaves_hold_every_face_once_within_their_boxes() {
    let mesh = Arc::new(torus_knot(2, 3, 0.4, 60, 8).unwrap());
    let leaves = WideTree::new(mesh.clone()).leaf_boxes();
    let mut seen = vec![0; mesh.face_count()];
    for leaf in &leaves {
        assert!(!leaf.faces.is_empty() && leaf.faces.len() <= 8);
        for &face in &leaf.faces {
            seen[face.index()] += 1;
            for p in mesh.face(face).unwrap() {
                assert!(outside(leaf, p) < 1e-6);
            }
        }
    }
    assert!(seen.iter().all(|&times| times == 1));
}

#[test]
fn faces_that_meet_are_in_leaves_that_meet() {
    let a = WideTree::new(Arc::new(torus_knot(2, 3, 0.4, 60, 8).unwrap()));
    let b = WideTree::new(Arc::new(blob(6).unwrap()));
    let leaves = [a.leaf_boxes(), b.leaf_boxes()];
    let leaf_of = |side: usize, face: usize| {
        let holds = |leaf: &LeafBox| leaf.faces.iter().any(|f| f.index() == face);
        leaves[side].iter().position(holds).unwrap()
    };
    let mut rng = Rng::new(5);
    let mut found = 0;
    for _ in 0..20 {
        let mut number = || rng.range(-1.0, 1.0);
        let axis = [number(), number(), number() + 2.0];
        let at = [2.0 * number(), 2.0 * number(), number()];
        let pose = Pose::from_axis_angle(axis, 3.0 * number(), at).unwrap();
        let mut pairs: Vec<FacePair> = Vec::new();
        let cache = &mut WideCache::default();
        let _ = a.intersections(&b, &pose, Limits::default(), cache, &mut pairs);
        let [meets_a, meets_b] = a.meeting_leaves(&b, &pose);
        for pair in &pairs {
            assert!(meets_a[leaf_of(0, pair.a.index())] && meets_b[leaf_of(1, pair.b.index())]);
        }
        found += pairs.len();
    }
    assert!(found > 100, "{found}");
    let far = Pose::from_translation([50.0, 0.0, 0.0]).unwrap();
    let meets = a.meeting_leaves(&b, &far);
    assert!(meets.iter().flatten().all(|&meets| !meets));
    let nothing = WideTree::new(Arc::default());
    assert!(nothing.leaf_boxes().is_empty());
    assert!(
        nothing.meeting_leaves(&a, &far)[1]
            .iter()
            .all(|&meets| !meets)
    );
}
