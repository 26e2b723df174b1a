//! Spheres beside open and thin meshes, against boxes and caps of balls.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::f64::consts::PI;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTreeCache, PackOptions, SheetError, SheetOverlap, SheetSide, SheetSpheres,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose, TriMesh, generate};

use crate::packed::{one_ball, packed};

fn beside(mesh: TriMesh, thickness: f64, count: usize) -> Result<SheetSpheres, SheetError> {
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    SheetSpheres::new(&WideTree::new(Arc::new(mesh)), thickness, &options)
}

/// A square of side 4 in the plane z = `height`, its front upwards unless it is turned.
fn square(height: f64, is_turned: bool) -> TriMesh {
    let corners = [
        [-2.0, -2.0, height],
        [2.0, -2.0, height],
        [2.0, 2.0, height],
        [-2.0, 2.0, height],
    ];
    let faces = if is_turned {
        [[0, 2, 1], [0, 3, 2]]
    } else {
        [[0, 1, 2], [0, 2, 3]]
    };
    TriMesh::from_points(corners, faces).unwrap()
}

/// A cube of side 2 without its top, faces outwards.
fn open_box() -> TriMesh {
    let cube = generate::cuboid(DVec3::splat(2.0), [2; 3]).unwrap();
    let is_top = |face: &[u32; 3]| face.iter().all(|&v| cube.positions()[v as usize].z > 0.99);
    let faces = cube
        .faces()
        .iter()
        .filter(|face| !is_top(face))
        .copied()
        .collect();
    TriMesh::new(cube.positions().to_vec(), faces).unwrap()
}

fn ask(
    sheet: &SheetSpheres,
    solid: &impinge::spheres::InnerSphereTree,
    to: [f64; 3],
) -> SheetOverlap {
    let pose = Pose::from_translation(to).unwrap();
    sheet.overlap(
        solid,
        &pose,
        Limits::default(),
        &mut InnerSphereTreeCache::default(),
    )
}

fn cap(radius: f64, height: f64) -> f64 {
    PI / 3.0 * height * height * (3.0 * radius - height)
}

#[test]
fn a_plate_through_a_ball_shares_a_cap_with_either_side() {
    let sheet = beside(square(0.0, false), 1.0, 1500).unwrap();
    let ball = one_ball(0.5);
    for z in [-0.4, -0.2, 0.0, 0.15, 0.3, 0.45] {
        let found = ask(&sheet, &ball, [0.2, -0.1, z]);
        let truths = [cap(0.5, 0.5 + z), cap(0.5, 0.5 - z)];
        for (own, truth) in [found.front, found.back].into_iter().zip(truths) {
            assert!(own.lower <= truth, "{z}: {} above {truth}", own.lower);
            // Of a cap that is shallow beside the spheres, less is filled.
            let least = if truth > 0.05 { 0.4 } else { 0.1 };
            assert!(own.lower >= least * truth, "{z}: {} of {truth}", own.lower);
            assert_eq!((own.value, own.upper), (own.expected, f64::INFINITY));
        }
        if z != 0.0 {
            let less = if z > 0.0 {
                SheetSide::Back
            } else {
                SheetSide::Front
            };
            assert_eq!(found.shallower(), less, "{z}");
            // Out of the side with less of it: the volume there falls along z.
            let own = found.side(less);
            assert!(own.gradient.translation.z * z < 0.0, "{z}");
        }
    }
}

#[test]
fn bounds_hold_the_volume_shared_with_the_boxes_beside_a_plate() {
    let sheet = beside(square(0.0, false), 1.0, 1200).unwrap();
    let mesh = generate::blob(5).unwrap();
    let scale = 0.6 / (mesh.bounds().max - mesh.bounds().min).max_element();
    let small = TriMesh::new(
        mesh.positions().iter().map(|p| *p * scale).collect(),
        mesh.faces().to_vec(),
    )
    .unwrap();
    let exact = VolumeIndex::new(Arc::new(small.clone())).unwrap();
    let solid = packed(small, 800).tree;
    let slab = generate::cuboid(DVec3::new(4.0, 4.0, 1.0), [1; 3]).unwrap();
    let slab = VolumeIndex::new(Arc::new(slab)).unwrap();
    let mut rng = Rng::new(30);
    let mut cut = 0;
    for case in 0..60 {
        let to = DVec3::new(
            rng.range(-2.0, 2.0),
            rng.range(-2.0, 2.0),
            rng.range(-0.7, 0.7),
        );
        let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), to).unwrap();
        let mut cache = InnerSphereTreeCache::default();
        let found = sheet.overlap(&solid, &turn, Limits::default(), &mut cache);
        for (side, z) in [(SheetSide::Front, 0.5), (SheetSide::Back, -0.5)] {
            let place = Pose::from_translation([0.0, 0.0, -z]).unwrap() * turn;
            let truth = slab
                .overlap(
                    &exact,
                    &place,
                    Limits::default(),
                    &mut OverlapCache::default(),
                )
                .unwrap();
            let own = found.side(side);
            assert!(own.lower <= truth.upper, "case {case}: {own:?}");
            assert!(
                truth.lower <= own.upper * (1.0 + 1e-9),
                "case {case}: {own:?}"
            );
            assert!(own.lower <= own.value && own.value <= own.upper);
            cut += usize::from(own.upper < 0.9 * exact.volume());
        }
    }
    assert!(cut > 30, "{cut}");
}

#[test]
fn a_solid_beyond_the_plate_is_still_on_the_wrong_side() {
    let sheet = beside(square(0.0, false), 1.0, 1500).unwrap();
    let ball = one_ball(0.2);
    // In one step from above to below: no time at which surfaces cross is seen.
    let before = ask(&sheet, &ball, [0.0, 0.0, 0.4]);
    let after = ask(&sheet, &ball, [0.0, 0.0, -0.4]);
    assert!(before.back.lower == 0.0 && before.front.lower > 0.0);
    assert!(after.side(SheetSide::Front.other()).lower > 0.4 * cap(0.2, 0.4));
    // Away from the sheet nothing is shared.
    let away = ask(&sheet, &ball, [0.0, 0.0, 1.3]);
    assert_eq!((away.front.lower, away.back.lower), (0.0, 0.0));
}

#[test]
fn spheres_beside_an_open_box_stay_on_their_side() {
    let sheet = beside(open_box(), 0.4, 600).unwrap();
    for side in [SheetSide::Front, SheetSide::Back] {
        let balls = sheet.side(side).balls();
        assert!(balls.len() > 300, "{side:?}: {}", balls.len());
        for ball in balls {
            let (p, r) = (ball.center, ball.radius);
            let inner = 1.0 - p.x.abs().max(p.y.abs()).max(-p.z);
            let clearance = match side {
                SheetSide::Back => inner,
                SheetSide::Front => {
                    let outer = DVec3::new(p.x.abs(), p.y.abs(), -p.z) - 1.0;
                    outer.max(DVec3::ZERO).length()
                }
            };
            assert!(clearance >= r * (1.0 - 1e-9), "{side:?} {ball:?}");
            assert!(clearance + r <= 0.4 * (1.0 + 1e-9), "{side:?} {ball:?}");
            // Not over the border.
            assert!(p.z + r <= 1.0, "{side:?} {ball:?}");
        }
    }
    // A ball in the box leans on a wall, then sinks into it.
    let ball = one_ball(0.3);
    let inside = ask(&sheet, &ball, [0.65, 0.0, 0.0]);
    assert!(inside.front.lower == 0.0 && inside.back.lower > 0.0);
    for depth in [0.1, 0.2, 0.3] {
        let found = ask(&sheet, &ball, [0.7 + depth, 0.0, 0.0]);
        let truth = cap(0.3, depth);
        assert!(found.front.lower <= truth, "{depth}");
        assert!(
            found.front.lower >= 0.3 * truth,
            "{depth}: {} {truth}",
            found.front.lower
        );
        assert!(found.front.gradient.translation.x > 0.0, "{depth}");
    }
}

#[test]
fn a_thin_closed_plate_has_its_space_outside() {
    let plate = generate::cuboid(DVec3::new(2.0, 2.0, 0.02), [4, 4, 1]).unwrap();
    // Nothing smaller: a search inside the plate would take long.
    let options = PackOptions {
        count: Some(300),
        min_radius: Some(0.03),
        ..PackOptions::default()
    };
    let sheet = SheetSpheres::new(&WideTree::new(Arc::new(plate)), 0.3, &options).unwrap();
    let outside = sheet.side(SheetSide::Front).balls();
    assert!(outside.len() > 20, "{}", outside.len());
    assert!(outside.iter().any(|b| b.center.z > 0.0) && outside.iter().any(|b| b.center.z < 0.0));
    assert!(sheet.side(SheetSide::Back).balls().is_empty());
    assert_eq!(sheet.thickness(), 0.3);
}

#[test]
fn what_has_no_two_sides_is_refused_with_its_place() {
    let fin = TriMesh::from_points(
        [
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, -1.0, 0.0],
        ],
        [[0, 1, 2], [1, 0, 3], [1, 0, 4]],
    )
    .unwrap();
    assert!(matches!(
        beside(fin, 0.5, 10),
        Err(SheetError::NotTwoSided { .. })
    ));
    let flipped = TriMesh::from_points(
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
        [[0, 1, 2], [1, 2, 3]],
    )
    .unwrap();
    assert!(matches!(
        beside(flipped, 0.5, 10),
        Err(SheetError::NotTwoSided { .. })
    ));
    for thickness in [0.0, f64::NAN, f64::INFINITY] {
        let refused = beside(square(0.0, false), thickness, 10);
        assert!(matches!(refused, Err(SheetError::BadThickness { .. })));
    }
}

fn layers(is_turned: bool) -> TriMesh {
    let (low, high) = (square(0.0, false), square(0.5, is_turned));
    let positions = low
        .positions()
        .iter()
        .chain(high.positions())
        .copied()
        .collect();
    let upper = high.faces().iter().map(|face| face.map(|v| v + 4));
    let faces = low.faces().iter().copied().chain(upper).collect();
    TriMesh::new(positions, faces).unwrap()
}

#[test]
fn layers_that_show_each_other_different_sides_are_refused() {
    assert!(matches!(
        beside(layers(false), 1.0, 200),
        Err(SheetError::SidesMeet { .. })
    ));
    // Far enough for their thickness.
    assert!(beside(layers(false), 0.2, 200).is_ok());
    // Fronts face each other.
    let facing = beside(layers(true), 1.0, 400).unwrap();
    let between = |ball: &impinge::spheres::SolidBall| (0.0..0.5).contains(&ball.center.z);
    assert!(facing.side(SheetSide::Front).balls().iter().all(between));
    assert!(!facing.side(SheetSide::Back).balls().iter().any(between));
}
