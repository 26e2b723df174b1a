//! Rigid bodies against closed formulas and conservation laws.

use impinge::convex::{Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron};
use impinge::math::Rng;
use impinge::pair::{Compound, Shape};
use impinge::{DMat3, DVec2, DVec3, Pose};
use impinge_dynamics::rigid::{
    BodyDesc, BodyId, MassProperties, RigidError, RigidWorld, Sleep, WorldConfig,
};

fn weightless() -> WorldConfig {
    WorldConfig {
        gravity: DVec3::ZERO,
        ..WorldConfig::default()
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

fn ball(radius: f64, mass: f64, pose: Pose) -> BodyDesc {
    let shape = Shape::from(Ball::new(radius).unwrap());
    let mass = MassProperties::of(&shape, 1.0).unwrap().with_mass(mass);
    BodyDesc {
        mass: Some(mass.unwrap()),
        ..BodyDesc::fixed(shape, pose)
    }
}

fn ground() -> BodyDesc {
    let up = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap();
    BodyDesc::fixed(up, Pose::IDENTITY)
}

fn center(world: &RigidWorld, id: BodyId) -> DVec3 {
    world.body(id).unwrap().center()
}

fn velocity(world: &RigidWorld, id: BodyId) -> DVec3 {
    world.body(id).unwrap().velocity()
}

#[test]
fn free_bodies_keep_momentum_angular_momentum_and_energy() {
    let mut world = RigidWorld::new(weightless()).unwrap();
    let mut rng = Rng::new(1);
    for i in 0..20 {
        let half = DVec3::new(0.1, 0.2, 0.35) * rng.range(0.5, 1.5);
        let pose = Pose::from_axis_angle(
            rng.direction(),
            rng.range(0.0, 3.0),
            rng.cube() + DVec3::new(10.0 * f64::from(i), 0.0, 0.0),
        );
        let solid = BodyDesc::solid(Cuboid::new(half).unwrap(), 500.0, pose.unwrap()).unwrap();
        let desc = BodyDesc {
            velocity: rng.cube() * 0.1,
            angular_velocity: rng.cube() * 5.0,
            ..solid
        };
        world.add(desc).unwrap();
    }
    let (p, l, e) = (world.momentum(), world.angular_momentum(), world.energy());
    let mut worst = 0.0_f64;
    for _ in 0..2000 {
        world.step(1.0 / 250.0).unwrap();
        worst = worst.max((world.energy() - e).abs() / e);
    }
    let sizes = world.bodies().map(|(_, b)| {
        let momentum = b.momentum().length();
        DVec2::new(momentum, b.spin().length() + b.center().length() * momentum)
    });
    let size: DVec2 = sizes.sum();
    assert!((world.momentum() - p).length() <= 1e-12 * size.x);
    assert!((world.angular_momentum() - l).length() <= 1e-12 * size.y);
    assert!(worst < 1e-4, "energy oscillates within {worst}");
    // It oscillates and does not drift: the last error is no larger than the rule's own.
    assert!((world.energy() - e).abs() / e < 1e-4);
}

#[test]
fn a_symmetric_top_precesses_at_the_rate_of_the_formula() {
    // A free symmetric top turns its axis about L at the rate |L|/I₁.
    let shape = Shape::from(Cylinder::new(0.5, 0.2).unwrap());
    let mass = MassProperties::of(&shape, 100.0).unwrap();
    let mut world = RigidWorld::new(weightless()).unwrap();
    let desc = BodyDesc {
        angular_velocity: DVec3::new(1.0, 0.0, 6.0),
        mass: Some(mass),
        ..BodyDesc::fixed(shape, Pose::IDENTITY)
    };
    let id = world.add(desc).unwrap();
    let spin = world.body(id).unwrap().spin();
    let rate = spin.length() / mass.inertia.x_axis.x;
    let axis_of = |world: &RigidWorld| {
        let axis = world.body(id).unwrap().pose().rotation().z_axis;
        let along = spin.normalize();
        (axis - along * axis.dot(along)).normalize()
    };
    let start = axis_of(&world);
    let steps = 1000;
    for _ in 0..steps {
        world.step(1e-3).unwrap();
    }
    let turned = Pose::from_axis_angle(spin, rate * 1e-3 * f64::from(steps), [0.0; 3]).unwrap();
    assert!((turned.transform_vector(start) - axis_of(&world)).length() < 1e-5);
}

#[test]
fn a_free_fall_is_the_parabola() {
    let mut world = RigidWorld::new(WorldConfig::default()).unwrap();
    let desc = ball(0.1, 1.0, at(0.0, 0.0, 50.0));
    let start = DVec3::new(3.0, -1.0, 4.0);
    let id = world.add(BodyDesc {
        velocity: start,
        ..desc
    });
    let id = id.unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    let t = 2.0;
    let expected = DVec3::new(0.0, 0.0, 50.0) + start * t - DVec3::Z * (0.5 * 9.81 * t * t);
    assert!((center(&world, id) - expected).length() < 1e-11);
}

#[test]
fn equal_masses_exchange_their_velocities() {
    for offset in [0.0, 0.013, 0.5] {
        let mut world = RigidWorld::new(weightless()).unwrap();
        let desc = BodyDesc {
            restitution: 1.0,
            velocity: DVec3::X * 2.0,
            ..ball(0.1, 0.7, at(-1.0 - offset, 0.0, 0.0))
        };
        let a = world.add(desc).unwrap();
        let b = world.add(ball(0.1, 0.7, at(0.0, 0.0, 0.0))).unwrap();
        for _ in 0..100 {
            world.step(1.0 / 100.0).unwrap();
        }
        assert!(velocity(&world, a).length() < 1e-12);
        assert!((velocity(&world, b) - DVec3::X * 2.0).length() < 1e-12);
    }
}

#[test]
fn unequal_masses_collide_by_the_formula_for_every_restitution() {
    for e in [0.0, 0.3, 0.8, 1.0] {
        let mut world = RigidWorld::new(weightless()).unwrap();
        let (m, n, u) = (2.0, 0.5, 3.0);
        let desc = BodyDesc {
            restitution: e,
            velocity: DVec3::X * u,
            ..ball(0.1, m, at(-0.5, 0.0, 0.0))
        };
        let a = world.add(desc).unwrap();
        let b = world.add(ball(0.1, n, Pose::IDENTITY)).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 120.0).unwrap();
        }
        let expected = [(m - e * n) * u / (m + n), (1.0 + e) * m * u / (m + n)];
        assert!((velocity(&world, a).x - expected[0]).abs() < 1e-9, "{e}");
        assert!((velocity(&world, b).x - expected[1]).abs() < 1e-9, "{e}");
    }
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    let bounce = |e: f64, dt: f64| {
        let mut world = RigidWorld::new(WorldConfig::default()).unwrap();
        world.add(ground()).unwrap();
        let desc = BodyDesc {
            restitution: e,
            ..ball(0.1, 1.0, at(0.0, 0.0, 1.1))
        };
        let id = world.add(desc).unwrap();
        let (mut top, mut bounced) = (0.0_f64, false);
        for _ in 0..(2.0 / dt) as usize {
            world.step(dt).unwrap();
            let up = velocity(&world, id).z;
            if bounced && up < 0.0 {
                break;
            }
            bounced |= up > 0.0;
            if bounced {
                top = top.max(center(&world, id).z - 0.1);
            }
        }
        top
    };
    for e in [0.3, 0.5, 0.8, 1.0] {
        let coarse = (bounce(e, 1.0 / 240.0) - e * e).abs();
        let fine = (bounce(e, 1.0 / 1920.0) - e * e).abs();
        assert!(coarse < 0.01, "{e}: {coarse}");
        assert!(fine < 0.0015, "{e}: {fine}");
    }
}

#[test]
fn collisions_keep_momentum_and_angular_momentum() {
    let mut world = RigidWorld::new(weightless()).unwrap();
    let mut rng = Rng::new(5);
    // A cloud of boxes and balls that all fly to the middle, with friction and restitution.
    for i in 0..24 {
        let out = rng.direction();
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), out * 1.2).unwrap();
        let shape: Shape = if i % 2 == 0 {
            Cuboid::new([0.1, 0.15, 0.2]).unwrap().into()
        } else {
            Ball::new(0.15).unwrap().into()
        };
        let desc = BodyDesc {
            velocity: out * -2.0 + rng.cube() * 0.3,
            angular_velocity: rng.cube() * 3.0,
            restitution: 0.4,
            friction: 0.6,
            ..BodyDesc::solid(shape, 300.0, pose).unwrap()
        };
        world.add(desc).unwrap();
    }
    let (p, l) = (world.momentum(), world.angular_momentum());
    let scale: f64 = world.bodies().map(|(_, b)| b.momentum().length()).sum();
    let mut touched = 0;
    for _ in 0..120 {
        world.step(1.0 / 120.0).unwrap();
        touched += world.contacts().count();
    }
    assert!(touched > 50);
    assert!((world.momentum() - p).length() < 1e-12 * scale);
    assert!((world.angular_momentum() - l).length() < 1e-12 * scale);
}

#[test]
fn a_block_slides_down_an_incline_as_friction_allows() {
    let (theta, g) = (0.5_f64, 9.81);
    for mu in [0.2_f64, 0.4, 0.7] {
        // Gravity is turned instead of the plane.
        let gravity = DVec3::new(g * theta.sin(), 0.0, -g * theta.cos());
        let config = WorldConfig {
            gravity,
            ..WorldConfig::default()
        };
        let mut world = RigidWorld::new(config).unwrap();
        let plane = BodyDesc {
            friction: mu,
            ..ground()
        };
        world.add(plane).unwrap();
        let shape = Cuboid::new([0.2, 0.2, 0.05]).unwrap();
        let block = BodyDesc {
            friction: mu,
            ..BodyDesc::solid(shape, 500.0, at(0.0, 0.0, 0.05)).unwrap()
        };
        let id = world.add(block).unwrap();
        for _ in 0..240 {
            world.step(1.0 / 240.0).unwrap();
        }
        let speed = velocity(&world, id).x;
        let expected = (g * (theta.sin() - mu * theta.cos())).max(0.0);
        assert!(
            (speed - expected).abs() < 0.02 * g,
            "{mu}: {speed} {expected}"
        );
    }
}

/// A pyramid of boxes in one plane, lowest row first.
fn pyramid(world: &mut RigidWorld, rows: u32) -> Vec<BodyId> {
    let half = 0.1;
    let mut boxes = Vec::new();
    for row in 0..rows {
        for column in 0..rows - row {
            let x = (f64::from(column) - 0.5 * f64::from(rows - row - 1)) * 2.1 * half;
            let pose = at(x, 0.0, half + 2.0 * half * f64::from(row));
            let shape = Cuboid::new([half; 3]).unwrap();
            let desc = BodyDesc::solid(shape, 500.0, pose).unwrap();
            boxes.push(world.add(desc).unwrap());
        }
    }
    boxes
}

#[test]
fn a_pyramid_rests_and_falls_when_hit() {
    let mut world = RigidWorld::new(WorldConfig::default()).unwrap();
    world.add(ground()).unwrap();
    let boxes = pyramid(&mut world, 6);
    let start: Vec<DVec3> = boxes.iter().map(|&id| center(&world, id)).collect();
    let mut deepest = 0.0_f64;
    for _ in 0..240 {
        world.step(1.0 / 60.0).unwrap();
        for contact in world.contacts() {
            deepest = deepest.max(-contact.separation);
        }
    }
    for (&id, start) in boxes.iter().zip(&start) {
        let moved = (center(&world, id) - *start).length();
        assert!(moved < 4e-3, "{id:?} moved by {moved}");
    }
    assert!(deepest < 2e-3, "{deepest}");
    let bullet = BodyDesc {
        velocity: DVec3::new(0.0, 15.0, 0.0),
        ..ball(0.15, 15.0, at(0.0, -2.0, 0.45))
    };
    world.add(bullet).unwrap();
    for _ in 0..150 {
        world.step(1.0 / 60.0).unwrap();
    }
    let top = *boxes.last().unwrap();
    assert!(center(&world, top).z < start.last().unwrap().z - 0.2);
    // Nothing went through the floor.
    for &id in &boxes {
        assert!(center(&world, id).z > 0.08);
    }
}

#[test]
fn a_sleeping_stack_wakes_when_hit_or_when_its_support_goes() {
    let config = WorldConfig {
        sleep: Some(Sleep::default()),
        ..WorldConfig::default()
    };
    let mut world = RigidWorld::new(config).unwrap();
    world.add(ground()).unwrap();
    let boxes = pyramid(&mut world, 2);
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    let all_asleep =
        |world: &RigidWorld| boxes.iter().all(|&id| world.body(id).unwrap().is_asleep());
    assert!(all_asleep(&world));
    let before = center(&world, boxes[2]);
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert_eq!(center(&world, boxes[2]), before);
    world.remove(boxes[0]).unwrap();
    for _ in 0..90 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!(center(&world, boxes[2]).z < before.z - 0.05);
}

#[test]
fn a_driven_floor_lifts_what_lies_on_it() {
    let mut world = RigidWorld::new(WorldConfig::default()).unwrap();
    let plate = BodyDesc {
        velocity: DVec3::Z * 0.2,
        ..BodyDesc::fixed(Cuboid::new([1.0, 1.0, 0.1]).unwrap(), at(0.0, 0.0, -0.1))
    };
    world.add(plate).unwrap();
    let id = world.add(ball(0.1, 1.0, at(0.0, 0.0, 0.1))).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 120.0).unwrap();
    }
    assert!((center(&world, id).z - 0.3).abs() < 2e-3);
}

#[test]
fn a_fast_ball_does_not_pass_a_thin_plate() {
    let mut world = RigidWorld::new(weightless()).unwrap();
    let plate = BodyDesc::fixed(Cuboid::new([1.0, 1.0, 0.0005]).unwrap(), Pose::IDENTITY);
    world.add(plate).unwrap();
    let bullet = BodyDesc {
        velocity: DVec3::Z * -200.0,
        ..ball(0.01, 0.01, at(0.1, 0.2, 3.3))
    };
    let id = world.add(bullet).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
        assert!(center(&world, id).z > 0.009);
    }
}

/// Mass, centre and inertia by adding up the cells of a grid.
fn sampled(shape: &Shape, half: f64, n: i32) -> MassProperties {
    let solid = shape.convex().unwrap();
    let point = Shape::from(Ball::new(1e-9).unwrap());
    let mut query = impinge::pair::IntersectionQuery::new(
        &Shape::from(solid),
        &point,
        &impinge::pair::PairConfig::default(),
    )
    .unwrap();
    let cell = 2.0 * half / f64::from(n);
    let mut rng = Rng::new(2);
    let mut inside = Vec::new();
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                let corner = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                // Somewhere in the cell: faces along the grid would be counted by half cells.
                let p = (corner + (rng.cube() + 1.0) * 0.5) * cell - half;
                let pose = Pose::from_translation(p).unwrap();
                if query.any(&pose) {
                    inside.push(p);
                }
            }
        }
    }
    let mass = cell * cell * cell;
    let total = mass * inside.len() as f64;
    let center = inside.iter().sum::<DVec3>() / inside.len() as f64;
    let mut inertia = DMat3::ZERO;
    for p in inside {
        let d = p - center;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        inertia += (DMat3::from_diagonal(DVec3::splat(d.dot(d))) - outer) * mass;
    }
    MassProperties {
        mass: total,
        center,
        inertia,
    }
}

#[test]
fn mass_properties_match_a_sum_over_cells() {
    let corners = [
        DVec3::new(0.3, 0.2, -0.7),
        DVec3::new(-0.6, 0.1, 0.0),
        DVec3::new(0.4, -0.7, 0.2),
        DVec3::new(0.2, 0.6, 0.5),
        DVec3::new(-0.2, -0.1, 0.8),
        DVec3::new(0.7, 0.3, 0.3),
    ];
    let shapes: [Shape; 6] = [
        Cylinder::new(0.6, 0.4).unwrap().into(),
        Cone::new(0.7, 0.6).unwrap().into(),
        Capsule::new([0.1, -0.3, 0.0], [0.3, 0.4, 0.2], 0.3)
            .unwrap()
            .into(),
        Ellipsoid::new([0.3, 0.5, 0.8]).unwrap().into(),
        Cuboid::new([0.3, 0.5, 0.8]).unwrap().into(),
        Polyhedron::new(&corners).unwrap().into(),
    ];
    for shape in shapes {
        let (found, sum) = (
            MassProperties::of(&shape, 1.0).unwrap(),
            sampled(&shape, 1.0, 50),
        );
        let kind = shape.kind();
        assert!(
            (found.mass / sum.mass - 1.0).abs() < 0.03,
            "{kind} {found:?} {sum:?}"
        );
        assert!(
            (found.center - sum.center).length() < 0.01,
            "{kind} {found:?} {sum:?}"
        );
        let off = (found.inertia - sum.inertia).to_cols_array();
        let size = found.inertia.x_axis.x + found.inertia.y_axis.y + found.inertia.z_axis.z;
        assert!(
            off.iter().all(|x| x.abs() < 0.03 * size),
            "{kind} {found:?} {sum:?}"
        );
    }
}

#[test]
fn a_compound_of_two_halves_weighs_what_the_whole_does() {
    let half: Shape = Cuboid::new([0.25, 0.3, 0.2]).unwrap().into();
    let parts = [
        (at(-0.25, 0.0, 0.0), half.clone()),
        (at(0.25, 0.0, 0.0), half),
    ];
    let both = Shape::from(Compound::new(parts).unwrap());
    let whole = Shape::from(Cuboid::new([0.5, 0.3, 0.2]).unwrap());
    let a = MassProperties::of(&both, 3.0).unwrap();
    let b = MassProperties::of(&whole, 3.0).unwrap();
    assert!((a.mass - b.mass).abs() < 1e-12);
    assert!(a.inertia.abs_diff_eq(b.inertia, 1e-12) && a.center.length() < 1e-15);
}

#[test]
fn two_runs_give_the_same_bytes() {
    let run = || {
        let mut world = RigidWorld::new(WorldConfig::default()).unwrap();
        world.add(ground()).unwrap();
        let boxes = pyramid(&mut world, 3);
        let bullet = BodyDesc {
            velocity: DVec3::new(0.0, 9.0, 0.0),
            ..ball(0.1, 5.0, at(0.03, -1.0, 0.3))
        };
        world.add(bullet).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
        }
        let bits = boxes.iter().flat_map(|&id| {
            let body = world.body(id).unwrap();
            body.pose().to_row_major().map(f64::to_bits)
        });
        bits.collect::<Vec<u64>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn bad_input_is_refused() {
    let mut world = RigidWorld::new(WorldConfig::default()).unwrap();
    let nan = BodyDesc {
        velocity: DVec3::NAN,
        ..ball(1.0, 1.0, Pose::IDENTITY)
    };
    assert!(matches!(world.add(nan), Err(RigidError::OutOfRange { .. })));
    let flat = MassProperties {
        mass: 1.0,
        center: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)),
    };
    let desc = BodyDesc {
        mass: Some(flat),
        ..ball(1.0, 1.0, Pose::IDENTITY)
    };
    assert_eq!(world.add(desc), Err(RigidError::Inertia));
    let plane = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap());
    assert!(matches!(
        MassProperties::of(&plane, 1.0),
        Err(RigidError::NoSolid { .. })
    ));
    assert!(world.step(0.0).is_err() && world.step(f64::INFINITY).is_err());
    let id = world.add(ball(1.0, 1.0, Pose::IDENTITY)).unwrap();
    assert!(world.apply(id, DVec3::INFINITY, DVec3::ZERO).is_err());
    world.remove(id).unwrap();
    assert_eq!(
        world.apply(id, DVec3::ZERO, DVec3::ZERO),
        Err(RigidError::NoBody { id })
    );
    // A step that would leave the range of coordinates is refused and changes nothing.
    let desc = BodyDesc {
        velocity: DVec3::X * 1e60,
        ..ball(1.0, 1.0, Pose::IDENTITY)
    };
    let id = world.add(desc).unwrap();
    assert_eq!(world.step(1.0), Err(RigidError::Diverged { id }));
    assert_eq!(center(&world, id), DVec3::ZERO);
}
