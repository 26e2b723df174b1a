//! Tools of six degrees of freedom: laws, couplings and the guard.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::Solid;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, SolidBall};
use impinge::volume::VolumeIndex;
use impinge::voxmap::{Pointshell, Voxmap};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::Wrench;
use impinge_dynamics::coupling::{
    CouplingStiffness, DynamicCoupling, MAX_NEWTON_STEPS, QuasiStaticCoupling,
};
use impinge_dynamics::guard::{MotionConstraint, ToolGuard, constrained_motion};
use impinge_dynamics::law::{
    BudgetedSphereLaw, ConeLaw, ContactLaw, ContactResponse, DepthLaw, ExactVolumeLaw,
    FrictionDesc, FrictionLaw, VoxmapLaw,
};

fn cuboid(sides: DVec3) -> Arc<TriMesh> {
    let mesh = generate::cuboid(sides, [1; 3]).unwrap();
    let center = mesh.bounds().center();
    Arc::new(
        mesh.placed(&Pose::from_translation(-center).unwrap())
            .unwrap(),
    )
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

/// A floor at height 0 under a box: force k·d at each of its four lower corners.
struct Corners {
    stiffness: f64,
    half: DVec3,
}

impl ContactLaw for Corners {
    fn at(&mut self, pose: &Pose, _: Limits<'_>) -> ContactResponse {
        let mut wrench = Wrench::ZERO;
        for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let corner = *pose * (self.half * DVec3::new(x, y, -1.0));
            let force = DVec3::Z * (-corner.z).max(0.0) * self.stiffness / 4.0;
            let arm = corner - pose.translation();
            wrench = wrench
                + Wrench {
                    force,
                    torque: arm.cross(force),
                };
        }
        ContactResponse {
            wrench,
            stiffness: self.stiffness,
            ..ContactResponse::NONE
        }
    }
}

#[test]
fn a_box_on_a_plane_renders_two_springs_in_a_row() {
    let half = DVec3::new(0.02, 0.03, 0.01);
    let (k, kc, kr) = (5000.0, 1000.0, 2.0);
    let mut law = Corners { stiffness: k, half };
    let stiffness = CouplingStiffness::new(kc, kr).unwrap();
    let mut tool = QuasiStaticCoupling::new(stiffness, at(0.0, 0.0, 0.02));
    for step in 0..200 {
        let height = 0.02 - f64::from(step) * 1e-4;
        let found = tool.update(&mut law, &at(0.0, 0.0, height), Limits::default());
        assert!(found.evaluations <= MAX_NEWTON_STEPS);
        let depth = (half.z - height).max(0.0);
        let wanted = k * kc / (k + kc) * depth;
        assert!(
            (found.wrench.force - DVec3::Z * wanted).length() < 1e-6,
            "{step}"
        );
        assert!(found.wrench.torque.length() < 1e-6);
    }
    // Turned about x while all corners press: rotational stiffness of the floor is k·y².
    let (kt, angle) = (k * half.y * half.y, 0.02);
    let turned = Pose::from_axis_angle([1.0, 0.0, 0.0], angle, [0.0, 0.0, 0.0]).unwrap();
    let mut found = None;
    for _ in 0..20 {
        found = Some(tool.update(&mut law, &turned, Limits::default()));
    }
    let torque = found.unwrap().wrench.torque.x;
    let wanted = -kt * kr / (kt + kr) * angle;
    assert!(
        (torque - wanted).abs() < 0.01 * wanted.abs(),
        "{torque} {wanted}"
    );
}

struct Nothing;

impl ContactLaw for Nothing {
    fn at(&mut self, _: &Pose, _: Limits<'_>) -> ContactResponse {
        ContactResponse::NONE
    }
}

#[test]
fn free_space_has_no_drag_and_the_dynamic_tool_comes_to_the_static_force() {
    let stiffness = CouplingStiffness::new(1000.0, 1.0).unwrap();
    let mut tool = DynamicCoupling::new(stiffness, 0.1, 1e-4, 1.0, Pose::IDENTITY).unwrap();
    let mut last = Wrench::ZERO;
    for tick in 1..2000 {
        let t = f64::from(tick) * 1e-3;
        let device = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.3 * t, [0.2 * t, 0.0, 0.0]).unwrap();
        last = tool
            .update(&mut Nothing, &device, 1e-3, Limits::default())
            .wrench;
    }
    assert!(last.force.length() < 1e-9 && last.torque.length() < 1e-9);
    let half = DVec3::splat(0.01);
    let mut law = Corners {
        stiffness: 5000.0,
        half,
    };
    let mut tool = DynamicCoupling::new(stiffness, 0.1, 1e-4, 1.0, at(0.0, 0.0, 0.02)).unwrap();
    for _ in 0..3000 {
        last = tool
            .update(&mut law, &at(0.0, 0.0, 0.004), 1e-3, Limits::default())
            .wrench;
    }
    let wanted = 5000.0 * 1000.0 / 6000.0 * 0.006;
    assert!((last.force.z - wanted).abs() < 1e-6 && last.force.x.abs() < 1e-9);
}

#[test]
fn every_law_pushes_a_cube_off_a_plate() {
    let (plate, cube) = (cuboid(DVec3::new(2.0, 2.0, 0.6)), cuboid(DVec3::splat(0.4)));
    let (plate_tree, cube_tree) = (WideTree::new(plate.clone()), WideTree::new(cube.clone()));
    let balls = |sides: DVec3, n: [i32; 3]| {
        let cell = sides / DVec3::new(f64::from(n[0]), f64::from(n[1]), f64::from(n[2]));
        let mut balls = Vec::new();
        for x in 0..n[0] {
            for y in 0..n[1] {
                for z in 0..n[2] {
                    let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) + 0.5;
                    balls.push(SolidBall {
                        center: p * cell - sides / 2.0,
                        radius: cell.min_element() / 2.0,
                    });
                }
            }
        }
        InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap()
    };
    let plate_balls = balls(DVec3::new(2.0, 2.0, 0.6), [20, 20, 6]);
    let plate_balls = Arc::new(plate_balls.with_surface(&MeshSolid::new(&plate_tree).unwrap()));
    let cube_balls = balls(DVec3::splat(0.4), [8, 8, 8]);
    let cube_balls = Arc::new(cube_balls.with_surface(&MeshSolid::new(&cube_tree).unwrap()));
    let index = |mesh: &Arc<TriMesh>| Arc::new(VolumeIndex::new(mesh.clone()).unwrap());
    // The plate stands somewhere, turned.
    let world_from_plate = Pose::from_axis_angle([1.0, 0.0, 0.0], 0.5, [0.3, -0.2, 0.1]).unwrap();
    let solids = (
        Solid::closed(&plate_tree).unwrap(),
        Solid::closed(&cube_tree).unwrap(),
    );
    let mut laws: Vec<Box<dyn ContactLaw>> = vec![
        Box::new(
            ExactVolumeLaw::new(index(&plate), world_from_plate, index(&cube), 100.0).unwrap(),
        ),
        Box::new(
            ConeLaw::new(
                plate_balls.clone(),
                world_from_plate,
                cube_balls.clone(),
                1e3,
            )
            .unwrap(),
        ),
        Box::new(
            VoxmapLaw::new(
                Arc::new(Voxmap::new(&plate, 40).unwrap()),
                world_from_plate,
                Arc::new(Pointshell::new(&cube, 20).unwrap()),
                1.0,
            )
            .unwrap(),
        ),
        Box::new(DepthLaw::new(solids.0, world_from_plate, solids.1, 100.0).unwrap()),
    ];
    let up = world_from_plate.transform_vector(DVec3::Z);
    for (number, law) in laws.iter_mut().enumerate() {
        let mut forces = Vec::new();
        for depth in [-0.05, 0.05, 0.1, 0.15] {
            let pose = world_from_plate * at(0.013, 0.021, 0.5 - depth);
            let found = law.at(&pose, Limits::default());
            let force = found.wrench.force;
            if depth < 0.0 {
                assert_eq!(force, DVec3::ZERO, "law {number} pushes without contact");
                continue;
            }
            assert!(force.dot(up) > 0.0, "law {number} at {depth}: {force}");
            assert!(
                force.cross(up).length() < 0.2 * force.length(),
                "law {number}: {force}"
            );
            forces.push(force.dot(up));
        }
        assert!(
            forces.windows(2).all(|w| w[1] >= 0.9 * w[0]),
            "law {number}: {forces:?}"
        );
    }
    // The lens gradient swings with the grids of balls; on average it pushes off.
    let mut budgeted =
        BudgetedSphereLaw::new(plate_balls, world_from_plate, cube_balls, 100.0, 5000).unwrap();
    let mut sum = 0.0;
    for k in 0..60 {
        let depth = 0.003 * f64::from(k);
        let pose = world_from_plate * at(0.013, 0.021, 0.5 - depth);
        sum += budgeted.at(&pose, Limits::default()).wrench.force.dot(up);
    }
    assert!(sum > 0.0, "{sum}");
    // The exact law knows the area: 0.16 m² at 100 N/m².
    let pose = world_from_plate * at(0.0, 0.0, 0.4);
    let force = laws[0].at(&pose, Limits::default()).wrench;
    assert!((force.force - up * 16.0).length() < 1e-9 && force.torque.length() < 1e-9);
}

#[test]
fn a_thin_sheet_is_let_through_by_laws_and_never_by_the_guard() {
    let (sheet, cube) = (cuboid(DVec3::new(4.0, 4.0, 0.1)), cuboid(DVec3::ONE));
    let index = |mesh: &Arc<TriMesh>| Arc::new(VolumeIndex::new(mesh.clone()).unwrap());
    let mut law = ExactVolumeLaw::new(index(&sheet), Pose::IDENTITY, index(&cube), 1.0).unwrap();
    let mut force = |z: f64| law.at(&at(0.0, 0.0, z), Limits::default()).wrench.force.z;
    // The three values of the specification: pushed back, nothing once pierced, pulled through.
    assert!((force(0.5) - 1.0).abs() < 1e-9);
    assert!(force(0.0).abs() < 1e-9);
    assert!((force(-0.5) + 1.0).abs() < 1e-9);

    let sheet = Arc::new(WideTree::new(cuboid(DVec3::new(0.4, 0.4, 1e-4))));
    let tool = Arc::new(WideTree::new(cuboid(DVec3::splat(0.02))));
    let stiffness = CouplingStiffness::new(500.0, 1.0).unwrap();
    let mut rng = Rng::new(51);
    let mut cache = WideCache::default();
    for speed in [0.01, 1.0, 100.0, 1e4] {
        let bodies = vec![(sheet.clone(), Pose::IDENTITY)];
        let mut guard =
            ToolGuard::new(tool.clone(), bodies, stiffness, at(0.0, 0.0, 0.05)).unwrap();
        let mut height: f64 = 0.05;
        for tick in 0..60 {
            height -= speed * 1e-3;
            let device = Pose::from_axis_angle(
                rng.cube(),
                0.02 * f64::from(tick),
                [1e-4 * f64::from(tick), 0.0, height.max(-50.0)],
            )
            .unwrap();
            let step = guard.update(&device);
            let pose = step.world_from_tool;
            assert!(pose.translation().z > 0.0, "passed at {speed} m/s");
            assert!(!sheet.intersects(&tool, &pose, &mut cache));
        }
    }
}

#[test]
fn the_guard_slides_on_a_floor_and_stops_in_a_corner() {
    let floor = Arc::new(WideTree::new(cuboid(DVec3::new(1.0, 1.0, 0.1))));
    let wall = floor.clone();
    let upright = Pose::from_axis_angle(
        [0.0, 1.0, 0.0],
        std::f64::consts::FRAC_PI_2,
        [0.2, 0.0, 0.0],
    );
    let bodies = vec![(floor, at(0.0, 0.0, -0.05)), (wall, upright.unwrap())];
    let tool = Arc::new(WideTree::new(cuboid(DVec3::splat(0.04))));
    let stiffness = CouplingStiffness::new(1000.0, 2.0).unwrap();
    let mut guard = ToolGuard::new(tool, bodies, stiffness, at(0.0, 0.0, 0.05)).unwrap();
    let mut last = None;
    for tick in 0..400 {
        let x = 0.3 * f64::from(tick) / 400.0;
        last = Some(guard.update(&at(x, 0.0, 0.01)));
        let z = guard.world_from_tool().translation().z;
        assert!(z > 0.02 - 1e-9);
    }
    let step = last.unwrap();
    let p = step.world_from_tool.translation();
    // The wall's face is at x = 0.15, the floor's at z = 0.
    assert!((p - DVec3::new(0.13, 0.0, 0.02)).length() < 5e-4, "{p}");
    let device = DVec3::new(0.3 * 399.0 / 400.0, 0.0, 0.01);
    let wanted = (p - device) * 1000.0;
    assert!((step.wrench.force - wanted).length() < 1e-6);
    assert!(step.wrench.torque.length() < 0.05);
}

#[test]
fn a_sheet_that_moves_carries_the_guarded_tool_and_is_never_passed() {
    let sheet = Arc::new(WideTree::new(cuboid(DVec3::new(0.6, 0.6, 1e-4))));
    let tool = Arc::new(WideTree::new(cuboid(DVec3::splat(0.02))));
    let stiffness = CouplingStiffness::new(500.0, 1.0).unwrap();
    let mut rng = Rng::new(53);
    let mut cache = WideCache::default();
    // Up to 1, 10 and 1000 m/s.
    for reach in [0.02_f64, 0.2, 20.0] {
        let bodies = vec![(sheet.clone(), Pose::IDENTITY)];
        let mut guard =
            ToolGuard::new(tool.clone(), bodies, stiffness, at(0.0, 0.0, 0.05)).unwrap();
        let mut carried = 0;
        for tick in 0..300 {
            let t = f64::from(tick) * 0.05;
            let tilt = Pose::from_axis_angle(
                [1.0, 0.3, 0.0],
                0.2 * (0.2 / reach).min(1.0) * (0.7 * t).sin(),
                [0.0, 0.0, reach * t.sin()],
            );
            let moved = tilt.unwrap();
            assert!(guard.set_pose(0, &moved));
            let device = rng.cube() * 0.05;
            let step = guard.update(&at(device.x, device.y, device.z - 0.03));
            assert_eq!(step.waiting, 0);
            let sheet_from_tool = moved.inverse() * step.world_from_tool;
            assert!(
                sheet_from_tool.translation().z > 0.0,
                "passed in tick {tick}"
            );
            assert!(!sheet.intersects(&tool, &sheet_from_tool, &mut cache));
            carried += u32::from(step.world_from_tool.translation().z > 0.02);
        }
        assert!(carried > 20, "{carried}");
        assert!(!guard.set_pose(1, &Pose::IDENTITY));
    }
}

#[test]
fn a_body_that_would_crush_the_guarded_tool_waits() {
    let sheet = Arc::new(WideTree::new(cuboid(DVec3::new(0.6, 0.6, 1e-3))));
    let tool = Arc::new(WideTree::new(cuboid(DVec3::splat(0.02))));
    let stiffness = CouplingStiffness::new(500.0, 1.0).unwrap();
    let bodies = vec![
        (sheet.clone(), at(0.0, 0.0, -0.03)),
        (sheet.clone(), at(0.0, 0.0, 0.03)),
    ];
    let mut guard = ToolGuard::new(tool.clone(), bodies, stiffness, Pose::IDENTITY).unwrap();
    let mut cache = WideCache::default();
    let mut waited = 0;
    for tick in 0..80 {
        let height = -0.03 + 1.1e-3 * f64::from(tick.min(79 - tick));
        guard.set_pose(0, &at(0.0, 0.0, height));
        let step = guard.update(&Pose::IDENTITY);
        waited += step.waiting;
        let upper = at(0.0, 0.0, 0.03).inverse() * step.world_from_tool;
        assert!(!sheet.intersects(&tool, &upper, &mut cache) && upper.translation().z < 0.0);
        if step.waiting == 0 {
            let lower = at(0.0, 0.0, height).inverse() * step.world_from_tool;
            assert!(!sheet.intersects(&tool, &lower, &mut cache) && lower.translation().z > 0.0);
        }
    }
    // There is room for the tool until the lower sheet is at 9 mm.
    assert!(waited > 0 && waited < 14, "{waited}");
}

#[test]
fn a_moved_solid_pushes_like_one_that_was_made_there() {
    let (solid, tool) = (cuboid(DVec3::ONE), cuboid(DVec3::splat(0.5)));
    let (solid_tree, tool_tree) = (WideTree::new(solid.clone()), WideTree::new(tool.clone()));
    let index = |mesh: &Arc<TriMesh>| Arc::new(VolumeIndex::new(mesh.clone()).unwrap());
    let ball = SolidBall {
        center: DVec3::ZERO,
        radius: 0.5,
    };
    let spheres = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default());
    let spheres = Arc::new(spheres.unwrap());
    let map = Arc::new(Voxmap::new(&solid, 20).unwrap());
    let shell = Arc::new(Pointshell::new(&tool, 10).unwrap());
    let friction = FrictionDesc {
        pressure: 1.0,
        coefficient: 0.3,
        slack: 1e-3,
    };
    let laws = |pose: Pose| -> Vec<Box<dyn ContactLaw + '_>> {
        let (a, b) = (spheres.clone(), spheres.clone());
        vec![
            Box::new(ExactVolumeLaw::new(index(&solid), pose, index(&tool), 1.0).unwrap()),
            Box::new(ConeLaw::new(a.clone(), pose, b.clone(), 1.0).unwrap()),
            Box::new(BudgetedSphereLaw::new(a.clone(), pose, b.clone(), 1.0, 1000).unwrap()),
            Box::new(FrictionLaw::new(a, pose, b, &friction).unwrap()),
            Box::new(VoxmapLaw::new(map.clone(), pose, shell.clone(), 1.0).unwrap()),
            Box::new(
                DepthLaw::new(
                    Solid::closed(&solid_tree).unwrap(),
                    pose,
                    Solid::closed(&tool_tree).unwrap(),
                    1.0,
                )
                .unwrap(),
            ),
        ]
    };
    let there = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.4, [3.0, -1.0, 2.0]).unwrap();
    let place = there * at(0.05, -0.03, 0.6);
    for (number, (mut moved, mut made)) in laws(Pose::IDENTITY)
        .into_iter()
        .zip(laws(there))
        .enumerate()
    {
        let away = moved.at(&place, Limits::default());
        assert_eq!(away.wrench, Wrench::ZERO, "law {number}");
        assert!(moved.set_pose(0, &there) && !moved.set_pose(1, &there));
        let (a, b) = (
            moved.at(&place, Limits::default()),
            made.at(&place, Limits::default()),
        );
        let apart = a.wrench - b.wrench;
        assert!(
            apart.force.length() + apart.torque.length() < 1e-9,
            "law {number}"
        );
        assert!(a.wrench.force.length() > 0.0, "law {number}");
    }
    assert!(!Nothing.set_pose(0, &there));
}

#[test]
fn constrained_motion_is_the_nearest_allowed_one() {
    let mut rng = Rng::new(52);
    for _ in 0..200 {
        let constraints: Vec<MotionConstraint> = (0..rng.below(6))
            .map(|_| MotionConstraint {
                normal: rng.cube().normalize(),
                arm: rng.cube(),
                gap: rng.range(0.0, 0.1),
            })
            .collect();
        let (v, w) = (rng.cube(), rng.cube());
        let (found_v, found_w) = constrained_motion(v, w, 1.0, &constraints);
        let slack = |v: DVec3, w: DVec3| {
            let slack = constraints
                .iter()
                .map(|c| c.normal.dot(v + w.cross(c.arm)) + c.gap);
            slack.fold(f64::INFINITY, f64::min)
        };
        assert!(slack(found_v, found_w) > -1e-3);
        // No allowed motion beside it is nearer.
        let distance = |a: DVec3, b: DVec3| (a - v).length_squared() + (b - w).length_squared();
        let best = distance(found_v, found_w);
        for _ in 0..200 {
            let (a, b) = (found_v + rng.cube() * 0.05, found_w + rng.cube() * 0.05);
            if slack(a, b) >= 0.0 {
                assert!(distance(a, b) > best - 5e-3);
            }
        }
    }
}

#[test]
fn a_tool_that_starts_in_contact_is_refused() {
    let cube = Arc::new(WideTree::new(cuboid(DVec3::ONE)));
    let stiffness = CouplingStiffness::new(1.0, 1.0).unwrap();
    let refused = ToolGuard::new(
        cube.clone(),
        vec![(cube.clone(), Pose::IDENTITY)],
        stiffness,
        at(0.5, 0.0, 0.0),
    );
    assert!(refused.is_err_and(|e| e.to_string().contains("body 0")));
    assert!(CouplingStiffness::new(f64::NAN, 1.0).is_err());
    assert!(cube.mesh().face_count() == 12);
}
