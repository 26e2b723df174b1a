//! The penetration depth of deeply overlapping convex solids lies in its bracket, and the bracket is narrow.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::depth::{DepthOptions, MinTranslation, Solid, penetration_depth};
use impinge::generate::{cuboid, icosphere, torus};
use impinge::geom::closest_point_on_triangle;
use impinge::math::Rng;
use impinge::query::{Bounded, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::poses;

fn tree(mesh: TriMesh) -> WideTree {
    WideTree::new(Arc::new(mesh))
}

fn depth(a: &Solid<'_>, b: &Solid<'_>, pose: &Pose) -> Bounded<Option<MinTranslation>> {
    let (options, limits) = (DepthOptions::default(), Limits::default());
    let found = penetration_depth(a, b, pose, &options, limits, &mut WideCache::default());
    assert!(found.lower <= found.upper, "{found:?}");
    // The escape is one: the exact test says so.
    let escape = found.value.unwrap().translation;
    assert!((escape.length() - found.upper).abs() <= 1e-9 * found.upper);
    let free = Pose::new(*pose.rotation(), pose.translation() + escape).unwrap();
    assert!(!a.intersects(b, &free, &mut WideCache::default()));
    found
}

/// The radius of the largest ball about the origin inside a polyhedral ball.
fn inner_radius(mesh: &TriMesh) -> f64 {
    mesh.face_ids().fold(f64::INFINITY, |least, face| {
        let corners = mesh.face(face).unwrap();
        least.min(closest_point_on_triangle(DVec3::ZERO, &corners).distance)
    })
}

#[test]
fn deep_balls_of_every_fineness_have_the_depth_of_their_polyhedra() {
    let mut rng = Rng::new(61);
    // 20·f² faces: 5 k, 20 k, 80 k.
    for (frequency, offsets) in [
        (16, &[0.0, 0.1, 0.4, 0.9, 1.3][..]),
        (32, &[0.4, 0.9]),
        (63, &[0.4]),
    ] {
        let mesh = icosphere(1.0, frequency).unwrap();
        let inner = inner_radius(&mesh);
        let tree = tree(mesh);
        let ball = Solid::closed(&tree).unwrap();
        for &offset in offsets {
            let turn = poses::random(&mut rng, 0.0);
            let pose = Pose::new(*turn.rotation(), rng.direction() * offset).unwrap();
            let found = depth(&ball, &ball, &pose);
            // The difference body lies between two balls about the offset.
            let (least, most) = (2.0 * inner - offset, 2.0 - offset);
            assert!(most - least < 0.01 * most);
            assert!(found.lower <= most && found.upper >= least, "{found:?}");
            assert!(found.upper - found.lower < 0.002 * most, "{found:?}");
            assert_eq!(found.outcome, Outcome::Complete);
        }
    }
}

/// The penetration depth of two boxes, by all fifteen axes.
fn box_depth(half_a: DVec3, half_b: DVec3, pose: &Pose) -> f64 {
    let own = [DVec3::X, DVec3::Y, DVec3::Z];
    let turned = own.map(|axis| pose.transform_vector(axis));
    let reach = |half: DVec3, axes: &[DVec3; 3], n: DVec3| {
        (0..3).map(|k| half[k] * axes[k].dot(n).abs()).sum::<f64>()
    };
    let crossed = (0..9).map(|k| own[k / 3].cross(turned[k % 3]));
    own.into_iter()
        .chain(turned)
        .chain(crossed)
        .filter_map(DVec3::try_normalize)
        .map(|n| {
            reach(half_a, &own, n) + reach(half_b, &turned, n) - pose.translation().dot(n).abs()
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn deep_turned_boxes_of_every_fineness_have_their_closed_form_depth() {
    let mut rng = Rng::new(62);
    let (size_a, size_b) = (DVec3::splat(2.0), DVec3::new(2.2, 1.6, 1.2));
    // 12·n² faces: 5 k, 20 k, 80 k.
    for (divisions, rounds) in [(20, 20), (41, 8), (82, 3)] {
        let (tree_a, tree_b) = (
            tree(cuboid(size_a, [divisions; 3]).unwrap()),
            tree(cuboid(size_b, [divisions; 3]).unwrap()),
        );
        let (a, b) = (
            Solid::closed(&tree_a).unwrap(),
            Solid::closed(&tree_b).unwrap(),
        );
        for round in 0..rounds {
            let offset = rng.direction() * 0.3 * f64::from(round % 5);
            // Every fourth is not turned: faces are parallel and many vertices equally far.
            let pose = if round % 4 == 3 {
                Pose::from_translation(offset).unwrap()
            } else {
                let turn = poses::random(&mut rng, 0.0);
                Pose::new(*turn.rotation(), offset).unwrap()
            };
            let truth = box_depth(0.5 * size_a, 0.5 * size_b, &pose);
            let found = depth(&a, &b, &pose);
            assert!(
                found.lower <= truth && truth <= found.upper,
                "{truth} {found:?}"
            );
            assert!(
                found.upper - found.lower < 0.0015 * truth,
                "{truth} {found:?}"
            );
        }
    }
}

#[test]
fn boxes_whose_coordinates_were_rounded_are_nearly_convex_and_have_narrow_brackets() {
    let mut rng = Rng::new(63);
    let size = DVec3::new(2.0, 1.4, 1.7);
    for divisions in [1, 6, 20] {
        for as_f32 in [false, true] {
            // A turned box, its coordinates rounded: neighbouring faces bend inwards by rounding.
            let turn = poses::random(&mut rng, 0.0);
            let placed = cuboid(size, [divisions; 3]).unwrap().placed(&turn).unwrap();
            let (mut positions, faces) = placed.into_parts();
            if as_f32 {
                for p in &mut positions {
                    *p = p.as_vec3().as_dvec3();
                }
            }
            let tree = tree(TriMesh::new(positions, faces).unwrap());
            let solid = Solid::closed(&tree).unwrap();
            let offset = rng.direction() * 0.5;
            let pose = Pose::from_translation(offset).unwrap();
            let own = Pose::from_translation(turn.inverse().transform_vector(offset)).unwrap();
            let truth = box_depth(0.5 * size, 0.5 * size, &own);
            let found = depth(&solid, &solid, &pose);
            let rounding = if as_f32 { 1e-6 } else { 0.0 };
            assert!(
                found.lower <= truth + rounding && truth <= found.upper + rounding,
                "{truth} {found:?}"
            );
            assert!(
                found.upper - found.lower < 0.002 * truth,
                "{truth} {found:?}"
            );
        }
    }
}

#[test]
fn a_dented_ball_is_not_taken_for_a_convex_one() {
    let mut rng = Rng::new(64);
    let (mut positions, faces) = icosphere(1.0, 4).unwrap().into_parts();
    for p in positions.iter_mut().step_by(7) {
        *p *= 0.5;
    }
    let (tree_a, tree_b) = (
        tree(TriMesh::new(positions, faces).unwrap()),
        tree(torus(1.0, 0.3, 12, 6).unwrap()),
    );
    let (a, b) = (
        Solid::closed(&tree_a).unwrap(),
        Solid::closed(&tree_b).unwrap(),
    );
    for _ in 0..10 {
        let pose = poses::random(&mut rng, 0.5);
        for other in [&a, &b] {
            let found = depth(&a, other, &pose);
            // Every separating translation found by hand is at least as long.
            let mut cache = WideCache::default();
            for _ in 0..50 {
                let shift = rng.direction() * found.lower * 0.999;
                let moved = Pose::new(*pose.rotation(), pose.translation() + shift).unwrap();
                assert!(a.intersects(other, &moved, &mut cache), "{found:?} {shift}");
            }
        }
    }
}
