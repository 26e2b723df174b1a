//! Cloth, nets and soft solids against closed formulas, conservation laws and the exact crossing test.

use std::f64::consts::PI;

use impinge::deform::{RefitBvhEngine, SceneEngine, SceneRequest};
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::soft::{
    ClothDesc, Constraint, MembraneDesc, SoftBody, SoftConfig, SoftError, SolidDesc, StuffedDesc,
};

fn weightless() -> SoftConfig {
    SoftConfig {
        gravity: DVec3::ZERO,
        drag: 0.0,
        parallel: false,
        ..SoftConfig::default()
    }
}

fn shaken(body: &mut SoftBody, seed: u64) {
    let mut rng = Rng::new(seed);
    let velocities: Vec<DVec3> = body
        .positions()
        .iter()
        .map(|_| rng.cube() * 0.5 + DVec3::new(0.3, -0.1, 0.2))
        .collect();
    body.set_velocities(&velocities).unwrap();
}

/// Pairs of faces that cross, obstacles among themselves left out.
fn crossings(body: &SoftBody) -> usize {
    let request = SceneRequest {
        duplicates: false,
        parallel: false,
        ..SceneRequest::default()
    };
    let answer = RefitBvhEngine::default().pairs(body.scene().unwrap(), &request);
    let own = body.faces().len();
    answer.pairs.iter().filter(|p| p.a.index() < own).count()
}

#[test]
fn momentum_is_kept() {
    let cloth = SoftBody::cloth(&ClothDesc::default(), weightless()).unwrap();
    let net = SoftBody::net(&ClothDesc::default(), weightless()).unwrap();
    let solid = SoftBody::solid(&SolidDesc::default(), weightless()).unwrap();
    for (mut body, seed) in [(cloth, 1), (net, 2), (solid, 3)] {
        shaken(&mut body, seed);
        let before = body.momentum();
        let mut held = 0;
        for _ in 0..30 {
            held += body.step(1.0 / 120.0).unwrap().held;
        }
        assert_eq!(held, 0);
        assert!((body.momentum() - before).length() < 1e-12 * before.length());
    }
}

#[test]
fn angular_momentum_drifts_less_with_shorter_steps() {
    let drift = |substeps: u32| {
        let config = SoftConfig {
            substeps,
            iterations: 20,
            ..weightless()
        };
        let mut net = SoftBody::net(&ClothDesc::default(), config).unwrap();
        let spin = DVec3::new(0.3, 0.2, 2.0);
        let turning: Vec<DVec3> = net.positions().iter().map(|p| spin.cross(*p)).collect();
        net.set_velocities(&turning).unwrap();
        let before = net.angular_momentum();
        for _ in 0..20 {
            net.step(1.0 / 60.0).unwrap();
        }
        (net.angular_momentum() - before).length() / before.length()
    };
    let (coarse, fine) = (drift(2), drift(16));
    assert!(fine < 0.25 * coarse && fine < 0.02, "{coarse} {fine}");
}

#[test]
fn a_weight_stretches_its_thread_by_weight_times_compliance() {
    let (mass, compliance) = (0.5, 4e-3);
    let thread = Constraint::Distance {
        ends: [0, 1],
        rest: 1.0,
        compliance,
    };
    let config = SoftConfig {
        drag: 5.0,
        ..SoftConfig::default()
    };
    let points = [DVec3::ZERO, DVec3::NEG_Z];
    let mut body = SoftBody::new(&points, &[1.0, mass], vec![thread], vec![], config).unwrap();
    body.pin(0).unwrap();
    for _ in 0..600 {
        body.step(1.0 / 60.0).unwrap();
    }
    let stretch = -body.positions()[1].z - 1.0;
    assert!(
        (stretch - mass * 9.81 * compliance).abs() < 1e-9,
        "{stretch}"
    );
}

#[test]
fn two_particles_swing_with_the_period_of_the_formula() {
    let (k, m, n) = (40.0_f64, 0.3, 0.7);
    let spring = Constraint::Distance {
        ends: [0, 1],
        rest: 1.0,
        compliance: 1.0 / k,
    };
    let config = SoftConfig {
        substeps: 1,
        iterations: 1,
        ..weightless()
    };
    let points = [DVec3::ZERO, DVec3::X * 1.1];
    let mut body = SoftBody::new(&points, &[m, n], vec![spring], vec![], config).unwrap();
    let dt = 2e-5;
    let mut crossings = Vec::new();
    let mut last = 0.1;
    for step in 1..=150_000 {
        body.step(dt).unwrap();
        let now = body.positions()[1].x - body.positions()[0].x - 1.0;
        if last > 0.0 && now <= 0.0 {
            crossings.push(dt * (f64::from(step) - now / (now - last)));
        }
        last = now;
    }
    let period = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
    let expected = 2.0 * PI / (k * (1.0 / m + 1.0 / n)).sqrt();
    assert!(crossings.len() > 3);
    assert!(
        (period / expected - 1.0).abs() < 1e-3,
        "{period} {expected}"
    );
}

#[test]
fn a_cloth_falls_on_a_mushroom_and_never_crosses_it() {
    let desc = ClothDesc {
        cells: [10, 10],
        size: [2.2, 2.2],
        height: 1.56,
        ..ClothDesc::default()
    };
    let config = SoftConfig {
        thickness: 0.02,
        drag: 1.5,
        parallel: false,
        ..SoftConfig::default()
    };
    let mut cloth = SoftBody::cloth(&desc, config).unwrap();
    cloth
        .add_obstacle(&generate::mushroom(16, 4).unwrap())
        .unwrap();
    let mut touched = 0;
    for frame in 0..50 {
        touched += cloth.step(1.0 / 60.0).unwrap().contacts;
        if frame % 10 == 0 {
            assert_eq!(crossings(&cloth), 0, "frame {frame}");
        }
    }
    assert!(touched > 100);
    assert_eq!(crossings(&cloth), 0);
    // The middle lies on the cap, the corners hang down.
    let middle = cloth.positions()[5 * 11 + 5];
    assert!((middle.z - 1.5).abs() < 0.06, "{middle}");
    assert!(cloth.positions()[0].z < 1.3);
    assert!(cloth.strain() < 0.25, "{}", cloth.strain());
}

#[test]
fn threads_change_no_bit() {
    let run = |parallel: bool| {
        let desc = ClothDesc {
            cells: [10, 10],
            height: 0.31,
            ..ClothDesc::default()
        };
        let config = SoftConfig {
            parallel,
            ..SoftConfig::default()
        };
        let mut cloth = SoftBody::cloth(&desc, config).unwrap();
        cloth
            .add_obstacle(&generate::ball(0.3, 16, 8).unwrap())
            .unwrap();
        for _ in 0..8 {
            cloth.step(1.0 / 60.0).unwrap();
        }
        cloth.positions().to_vec()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_soft_block_lands_on_a_plate_and_keeps_its_volume() {
    let desc = SolidDesc {
        center: DVec3::new(0.0, 0.0, 0.25),
        ..SolidDesc::default()
    };
    let config = SoftConfig {
        drag: 1.0,
        parallel: false,
        ..SoftConfig::default()
    };
    let mut block = SoftBody::solid(&desc, config).unwrap();
    let corners = [
        [-1.0, -1.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
    ];
    let plate = TriMesh::from_points(corners, [[0, 1, 2], [0, 2, 3]]).unwrap();
    block.add_obstacle(&plate).unwrap();
    for _ in 0..90 {
        block.step(1.0 / 60.0).unwrap();
        let [now, rest] = block.volumes();
        assert!((now / rest - 1.0).abs() < 0.02, "{}", now / rest);
    }
    assert_eq!(crossings(&block), 0);
    let lowest = block.positions().iter().map(|p| p.z).fold(1.0, f64::min);
    assert!(lowest > 0.0 && lowest < 0.01, "{lowest}");
    let fastest = block
        .velocities()
        .iter()
        .map(|v| v.length())
        .fold(0.0, f64::max);
    assert!(fastest < 0.1, "{fastest}");
}

#[test]
fn a_folded_cloth_does_not_cross_itself() {
    // Two halves thrown at each other.
    let desc = ClothDesc {
        cells: [12, 6],
        size: [0.6, 0.3],
        ..ClothDesc::default()
    };
    let mut cloth = SoftBody::cloth(&desc, weightless()).unwrap();
    let flung: Vec<DVec3> = cloth
        .positions()
        .iter()
        .map(|p| DVec3::new(-6.0 * p.x * p.x * p.x.signum(), 0.0, 8.0 * p.x.abs()))
        .collect();
    cloth.set_velocities(&flung).unwrap();
    for frame in 0..40 {
        cloth.step(1.0 / 120.0).unwrap();
        assert_eq!(crossings(&cloth), 0, "frame {frame}");
    }
}

#[test]
fn a_large_cloth_falls_on_a_ball_and_no_frame_has_a_crossing() {
    let desc = ClothDesc {
        cells: [50, 50],
        size: [1.3, 1.3],
        height: 0.6,
        ..ClothDesc::default()
    };
    let config = SoftConfig {
        thickness: 0.012,
        substeps: 2,
        ..SoftConfig::default()
    };
    let mut cloth = SoftBody::cloth(&desc, config).unwrap();
    let place = Pose::from_translation([0.0, 0.0, 0.1]).unwrap();
    let ball = generate::icosphere(0.4, 6).unwrap().placed(&place).unwrap();
    cloth.add_obstacle(&ball).unwrap();
    let mut touched = 0;
    for frame in 0..90 {
        touched += cloth.step(1.0 / 60.0).unwrap().contacts;
        assert_eq!(crossings(&cloth), 0, "frame {frame}");
    }
    assert!(touched > 10_000, "{touched}");
    // It lies on the ball, and its corners hang beside it.
    assert!(cloth.positions()[25 * 51 + 25].z > 0.5);
    assert!(cloth.positions()[0].z < 0.2);
}

#[test]
fn a_cloth_that_falls_on_its_edge_crumples_without_crossing() {
    let desc = ClothDesc {
        cells: [24, 24],
        size: [0.6, 0.6],
        ..ClothDesc::default()
    };
    let config = SoftConfig {
        gravity: DVec3::NEG_X * 9.81,
        parallel: false,
        ..SoftConfig::default()
    };
    let mut cloth = SoftBody::cloth(&desc, config).unwrap();
    let corners = [
        [-0.35, -1.0, -1.0],
        [-0.35, 1.0, -1.0],
        [-0.35, 1.0, 1.0],
        [-0.35, -1.0, 1.0],
    ];
    let wall = TriMesh::from_points(corners, [[0, 1, 2], [0, 2, 3]]).unwrap();
    cloth.add_obstacle(&wall).unwrap();
    shaken(&mut cloth, 4);
    for frame in 0..60 {
        cloth.step(1.0 / 60.0).unwrap();
        assert_eq!(crossings(&cloth), 0, "frame {frame}");
    }
    // It lies on the wall in folds.
    let farthest = cloth.positions().iter().map(|p| p.x).fold(-1.0, f64::max);
    assert!(farthest < 0.0, "{farthest}");
}

#[test]
fn a_pinned_net_hangs_and_two_runs_give_the_same_bytes() {
    let run = || {
        let desc = ClothDesc {
            cells: [10, 10],
            ..ClothDesc::default()
        };
        let mut net = SoftBody::net(&desc, SoftConfig::default()).unwrap();
        for corner in [0, 10, 110, 120] {
            net.pin(corner).unwrap();
        }
        for _ in 0..120 {
            net.step(1.0 / 60.0).unwrap();
        }
        net
    };
    let (net, again) = (run(), run());
    assert_eq!(net.positions(), again.positions());
    assert!(net.positions()[60].z < -0.05);
    assert!(net.strain() < 0.2, "{}", net.strain());
    for corner in [0, 10, 110, 120] {
        assert_eq!(net.positions()[corner].z, 0.0);
    }
}

#[test]
fn bad_input_is_refused() {
    let points = [DVec3::ZERO, DVec3::X];
    let thread = |ends| Constraint::Distance {
        ends,
        rest: 1.0,
        compliance: 0.0,
    };
    let config = SoftConfig::default();
    let make = |constraint| SoftBody::new(&points, &[1.0; 2], vec![constraint], vec![], config);
    assert!(matches!(
        make(thread([0, 2])),
        Err(SoftError::BadParticle { .. })
    ));
    assert!(matches!(
        make(thread([1, 1])),
        Err(SoftError::BadParticle { .. })
    ));
    assert!(SoftBody::new(&points, &[1.0], vec![], vec![], config).is_err());
    assert!(SoftBody::new(&points, &[1.0, 0.0], vec![], vec![], config).is_err());
    let none = ClothDesc {
        cells: [0, 4],
        ..ClothDesc::default()
    };
    assert!(SoftBody::cloth(&none, config).is_err());
    let mut cloth = SoftBody::cloth(&ClothDesc::default(), config).unwrap();
    assert!(cloth.step(0.0).is_err() && cloth.pin(10_000).is_err());
    let ball = generate::ball(0.3, 16, 8).unwrap();
    assert!(matches!(
        cloth.add_obstacle(&ball),
        Err(SoftError::Crossing { .. })
    ));
    // The refused obstacle left nothing behind.
    cloth.step(0.01).unwrap();
    assert_eq!(cloth.positions().len(), 441);
}

#[test]
fn stuffed_bodies_fall_into_a_net_and_nothing_crosses() {
    let config = SoftConfig {
        thickness: 6e-3,
        drag: 1.0,
        parallel: false,
        ..SoftConfig::default()
    };
    let blob = generate::model("blob").unwrap();
    let blob = blob.make(Some(120), 1).unwrap();
    let size = blob.bounds().half_extent().max_element();
    let desc = ClothDesc {
        cells: [12, 12],
        size: [0.8, 0.8],
        stretch: 1e-4,
        ..ClothDesc::default()
    };
    let mut net = SoftBody::cloth(&desc, config).unwrap();
    for i in 0..13 {
        for j in 0..13 {
            if i % 12 == 0 || j % 12 == 0 {
                net.pin(j * 13 + i).unwrap();
            }
        }
    }
    let mut bodies = vec![net];
    for k in 0..3 {
        let place = DVec3::new(0.12 * f64::from(k) - 0.12, 0.0, 0.12 + 0.02 * f64::from(k));
        let points = blob.positions().iter().map(|&p| p * (0.05 / size) + place);
        let mesh = TriMesh::new(points.collect(), blob.faces().to_vec()).unwrap();
        bodies.push(SoftBody::stuffed(&mesh, &StuffedDesc::default(), config).unwrap());
    }
    let [_, rest] = bodies[1].volumes();
    let mut all = SoftBody::joined(&bodies, config).unwrap();
    let mut touched = 0;
    for frame in 0..40 {
        touched += all.step(1.0 / 60.0).unwrap().contacts;
        assert_eq!(crossings(&all), 0, "frame {frame}");
    }
    assert!(touched > 100, "{touched}");
    // The net sags under the bodies, and they keep their volume.
    assert!(all.positions()[6 * 13 + 6].z < -0.01);
    let [now, all_rest] = all.volumes();
    assert!((all_rest - 3.0 * rest).abs() < 1e-9);
    assert!((now / all_rest - 1.0).abs() < 0.1, "{}", now / all_rest);
}

#[test]
fn joined_bodies_exchange_momentum() {
    let config = SoftConfig {
        friction: 0.0,
        ..weightless()
    };
    let ball = generate::icosphere(0.05, 4).unwrap();
    let mut bodies = Vec::new();
    for (x, v) in [(-0.08, 1.0), (0.08, -0.5)] {
        let pose = Pose::from_translation([x, 0.0, 0.0]).unwrap();
        let mesh = ball.placed(&pose).unwrap();
        let mut body = SoftBody::stuffed(&mesh, &StuffedDesc::default(), config).unwrap();
        let count = body.positions().len();
        body.set_velocities(&vec![DVec3::X * v; count]).unwrap();
        bodies.push(body);
    }
    let mut both = SoftBody::joined(&bodies, config).unwrap();
    let before = both.momentum();
    let (mut touched, mut held) = (0, 0);
    for _ in 0..30 {
        let report = both.step(1.0 / 120.0).unwrap();
        touched += report.contacts;
        held += report.held;
    }
    assert!(touched > 0);
    // Particles that the last resort holds lose theirs; here none is held.
    assert_eq!(held, 0);
    assert!((both.momentum() - before).length() < 1e-12);
    let left: f64 = both.velocities()[..ball.vertex_count()]
        .iter()
        .map(|v| v.x)
        .sum();
    assert!(left < 0.0, "the left ball bounces back: {left}");
}

/// A netting of 7 by 7 knots and 0.4 m.
fn netting(config: SoftConfig) -> SoftBody {
    let mesh = generate::netting(7, 7, 0.4, 5).unwrap();
    let points = mesh.positions().iter().map(|p| *p * (0.4 / 6.0));
    let mesh = TriMesh::new(points.collect(), mesh.faces().to_vec()).unwrap();
    SoftBody::membrane(&mesh, &MembraneDesc::default(), config).unwrap()
}

/// A stuffed body of 0.1 m.
fn stuffed(mesh: &TriMesh, place: DVec3, config: SoftConfig) -> SoftBody {
    let (middle, size) = (mesh.bounds().center(), mesh.bounds().half_extent());
    let points = mesh.positions().iter();
    let points = points.map(|&p| (p - middle) * (0.05 / size.max_element()) + place);
    let mesh = TriMesh::new(points.collect(), mesh.faces().to_vec()).unwrap();
    SoftBody::stuffed(&mesh, &StuffedDesc::default(), config).unwrap()
}

fn rabbit(seed: u64) -> TriMesh {
    let animals = generate::animals(18, seed).unwrap();
    let found = animals.into_iter().find(|animal| animal.name == "rabbit");
    found.unwrap().mesh
}

#[test]
fn bunnies_and_gloves_fall_into_a_netting_and_nothing_crosses() {
    let config = SoftConfig {
        drag: 1.0,
        parallel: false,
        ..SoftConfig::default()
    };
    let mut net = netting(config);
    let points = net.positions().to_vec();
    for (particle, p) in points.iter().enumerate() {
        if p.x.abs().max(p.y.abs()) > 0.17 {
            net.pin(particle).unwrap();
        }
    }
    let mut bodies = vec![net];
    for seed in 1..3 {
        let x = 0.14 * seed as f64 - 0.21;
        bodies.push(stuffed(&rabbit(seed), DVec3::new(x, -0.06, 0.07), config));
        let glove = generate::glove(3, seed).unwrap();
        bodies.push(stuffed(&glove, DVec3::new(x, 0.06, 0.07), config));
    }
    let mut all = SoftBody::joined(&bodies, config).unwrap();
    let mut touched = 0;
    for frame in 0..24 {
        touched += all.step(1.0 / 60.0).unwrap().contacts;
        assert_eq!(crossings(&all), 0, "frame {frame}");
    }
    assert!(touched > 100, "{touched}");
    let sag = all.positions()[..points.len()].iter();
    assert!(sag.map(|p| p.z).fold(0.0, f64::min) < -0.01);
}

#[test]
fn a_free_netting_takes_the_momentum_of_what_is_thrown_at_it() {
    let config = weightless();
    let net = netting(config);
    let own = net.positions().len();
    let mut glove = stuffed(&generate::glove(3, 1).unwrap(), DVec3::Z * 0.05, config);
    let flung = vec![DVec3::NEG_Z; glove.positions().len()];
    glove.set_velocities(&flung).unwrap();
    let mut all = SoftBody::joined(&[net, glove], config).unwrap();
    let before = all.momentum();
    let (mut touched, mut held) = (0, 0);
    for _ in 0..16 {
        let report = all.step(1.0 / 120.0).unwrap();
        touched += report.contacts;
        held += report.held;
    }
    assert!(touched > 0);
    assert_eq!(held, 0);
    assert!((all.momentum() - before).length() < 1e-12 * before.length());
    let taken: DVec3 = all.velocities()[..own].iter().sum();
    assert!(taken.z < 0.0, "{taken}");
}
