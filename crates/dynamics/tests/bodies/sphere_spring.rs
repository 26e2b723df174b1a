//! Sphere-spring bodies against closed formulas and conservation laws.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use impinge::math::Rng;
use impinge::{DVec3, TriMesh, mesh};
use impinge_dynamics::sphere_spring::{
    BONES, Hand, HandConfig, HandPose, Plate, Sphere, SphereSpring, SphereSpringConfig,
    SphereSpringError, Spring, Threads,
};

fn quiet() -> SphereSpringConfig {
    SphereSpringConfig {
        volume_stiffness: 0.0,
        transfer: 0.0,
        rest_exchange: 0.0,
        ..SphereSpringConfig::default()
    }
}

fn at(x: f64, mass: f64) -> Sphere {
    Sphere {
        mass,
        ..Sphere::new(DVec3::new(x, 0.0, 0.0), 0.1, 1000.0)
    }
}

/// A block of touching spheres, every two neighbours joined.
fn block(n: i32, config: SphereSpringConfig) -> SphereSpring {
    let radius = 0.01;
    let half = 2.0 * radius * FRAC_1_SQRT_2;
    let mut spheres: Vec<Sphere> = Vec::new();
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                if (x + y + z) % 2 == 0 {
                    let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * half;
                    spheres.push(Sphere::new(p, radius * (1.0 - 1e-9), 1000.0));
                }
            }
        }
    }
    let mut springs = Vec::new();
    for (i, a) in spheres.iter().enumerate() {
        for (j, b) in spheres.iter().enumerate().skip(i + 1) {
            let apart = a.position.distance(b.position);
            if apart < 2.2 * radius {
                springs.push(Spring {
                    ends: [i as u32, j as u32],
                    rest: apart,
                    stiffness: 50.0,
                    damping: 0.05,
                });
            }
        }
    }
    SphereSpring::new(spheres, springs, config).unwrap()
}

fn soft() -> SphereSpringConfig {
    SphereSpringConfig {
        volume_stiffness: 5e6,
        transfer: 0.02,
        rest_exchange: 0.02,
        ..SphereSpringConfig::default()
    }
}

#[test]
fn two_balls_swing_with_the_period_of_the_formula() {
    let (k, m, n) = (40.0_f64, 0.3, 0.7);
    let spring = Spring {
        ends: [0, 1],
        rest: 1.0,
        stiffness: k,
        damping: 0.0,
    };
    let mut body = SphereSpring::new(vec![at(0.0, m), at(1.1, n)], vec![spring], quiet()).unwrap();
    let dt = 1e-4;
    let stretch =
        |body: &SphereSpring| body.spheres()[1].position.x - body.spheres()[0].position.x - 1.0;
    let mut crossings = Vec::new();
    let mut last = stretch(&body);
    for step in 1..=60_000 {
        body.step(dt).unwrap();
        let now = stretch(&body);
        if last > 0.0 && now <= 0.0 {
            crossings.push(dt * (f64::from(step) - now / (now - last)));
        }
        last = now;
    }
    let swings = (crossings.len() - 1) as f64;
    let period = (crossings.last().unwrap() - crossings[0]) / swings;
    let expected = 2.0 * PI / (k * (1.0 / m + 1.0 / n)).sqrt();
    assert!(swings >= 5.0);
    assert!(
        (period / expected - 1.0).abs() < 1e-6,
        "{period} {expected}"
    );
}

#[test]
fn the_rest_exchange_decays_geometrically() {
    let k = 0.13;
    let config = SphereSpringConfig {
        rest_exchange: k,
        ..quiet()
    };
    let spring = limp_spring(1.0);
    let mut spheres = vec![at(0.0, 1.0), at(1.0, 1.0)];
    let moved = 0.3 * spheres[0].volume;
    spheres[0].volume += moved;
    spheres[1].volume -= moved;
    let mut body = SphereSpring::new(spheres, vec![spring], config).unwrap();
    let excess = |body: &SphereSpring| {
        let [a, b] = [0, 1].map(|i| body.spheres()[i].volume - body.spheres()[i].rest_volume);
        a - b
    };
    let start = excess(&body);
    for n in 1..=60 {
        body.step(1e-3).unwrap();
        let expected = start * (1.0 - k).powi(n);
        assert!((excess(&body) - expected).abs() < 1e-12 * start);
    }
}

#[test]
fn a_changed_rest_exchange_counts_from_the_next_step_on() {
    let mut spheres = vec![at(0.0, 1.0), at(1.0, 1.0)];
    let moved = 0.3 * spheres[0].volume;
    spheres[0].volume += moved;
    spheres[1].volume -= moved;
    let mut body = SphereSpring::new(spheres, vec![limp_spring(1.0)], quiet()).unwrap();
    let excess = |body: &SphereSpring| {
        let [a, b] = [0, 1].map(|i| body.spheres()[i].volume - body.spheres()[i].rest_volume);
        a - b
    };
    let mut expected = excess(&body);
    for k in [0.0, 0.25, 0.1, 0.0] {
        let config = SphereSpringConfig {
            rest_exchange: k,
            ..quiet()
        };
        body.set_config(config).unwrap();
        body.step(1e-3).unwrap();
        expected *= 1.0 - k;
        assert!((excess(&body) - expected).abs() < 1e-12 * moved, "{k}");
    }
}

#[test]
fn volume_and_momentum_are_kept_while_the_body_is_shaken() {
    let mut body = block(6, soft());
    let mut rng = Rng::new(3);
    let mut spheres = body.spheres().to_vec();
    for sphere in &mut spheres {
        sphere.velocity = rng.cube() * 0.5;
    }
    body = SphereSpring::new(spheres, body.springs().to_vec(), soft()).unwrap();
    let (volume, momentum) = (body.volume(), body.momentum());
    let turning = body.angular_momentum();
    let scale: f64 = body
        .spheres()
        .iter()
        .map(|s| s.mass * s.velocity.length())
        .sum();
    let mut overlapped = false;
    for _ in 0..3000 {
        body.step(1e-4).unwrap();
        overlapped |= body.overlap() > 0.0;
    }
    assert!(overlapped);
    assert!((body.volume() - volume).abs() < 1e-12 * volume);
    assert!((body.momentum() - momentum).length() < 1e-12 * scale);
    // Central forces; positions move along momenta.
    assert!((body.angular_momentum() - turning).length() < 1e-12 * scale);
    let moved = body.spheres().iter().any(|s| s.volume != s.rest_volume);
    assert!(moved);
}

#[test]
fn damping_takes_energy_and_never_gives_any() {
    let body = block(5, quiet());
    let mut rng = Rng::new(4);
    let mut spheres = body.spheres().to_vec();
    for sphere in &mut spheres {
        sphere.velocity = rng.cube() * 0.1;
    }
    let mut body = SphereSpring::new(spheres, body.springs().to_vec(), quiet()).unwrap();
    let start = body.energy();
    let mut last = start;
    for _ in 0..100 {
        for _ in 0..20 {
            body.step(5e-5).unwrap();
        }
        let now = body.energy();
        assert!(now < last * (1.0 + 1e-9), "{now} after {last}");
        last = now;
    }
    // What is left is the motion of the whole, which no spring can stop.
    assert!(last < 0.2 * start);
}

#[test]
fn the_rest_pose_is_a_fixed_point() {
    let mut body = block(5, soft());
    let start = body.spheres().to_vec();
    for _ in 0..500 {
        body.step(1e-4).unwrap();
    }
    for (now, then) in body.spheres().iter().zip(&start) {
        assert!(now.position.distance(then.position) < 1e-12);
        assert!((now.volume / then.volume - 1.0).abs() < 1e-12);
    }
}

/// Squeezes a block between two plates until it is at rest; returns it.
fn squeezed(config: SphereSpringConfig) -> SphereSpring {
    let mut body = block(6, config);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for sphere in body.spheres() {
        low = low.min(sphere.position.z - sphere.radius());
        high = high.max(sphere.position.z + sphere.radius());
    }
    let by = 0.03 * (high - low);
    let plate = |z: f64, normal: DVec3| Plate {
        point: DVec3::new(0.0, 0.0, z),
        normal,
        stiffness: 400.0,
    };
    let plates = vec![plate(low + by, DVec3::Z), plate(high - by, DVec3::NEG_Z)];
    body.set_plates(plates).unwrap();
    let damped = SphereSpringConfig {
        drag: 30.0,
        ..config
    };
    body.set_config(damped).unwrap();
    for _ in 0..4000 {
        body.step(1e-4).unwrap();
    }
    body
}

#[test]
fn a_squeezed_body_returns_when_released() {
    let mut body = squeezed(soft());
    let rest = block(6, soft());
    let lengths = |body: &SphereSpring| {
        let springs = body.springs().iter();
        springs
            .map(|spring| {
                let [a, b] = spring.ends.map(|end| body.spheres()[end as usize].position);
                a.distance(b) / spring.rest - 1.0
            })
            .fold(0.0_f64, |most, x| most.max(x.abs()))
    };
    let change = |body: &SphereSpring| {
        let spheres = body.spheres().iter();
        spheres
            .map(|s| (s.volume / s.rest_volume - 1.0).abs())
            .fold(0.0_f64, f64::max)
    };
    let (length, volume) = (lengths(&body), change(&body));
    assert!(length > 0.01 && volume > 1e-4, "{length} {volume}");
    assert!((body.volume() / rest.volume() - 1.0).abs() < 1e-12);
    body.set_plates(Vec::new()).unwrap();
    for _ in 0..10_000 {
        body.step(1e-4).unwrap();
    }
    assert!(lengths(&body) < 1e-3, "{}", lengths(&body));
    assert!(change(&body) < 1e-3, "{}", change(&body));
    assert!((body.volume() / rest.volume() - 1.0).abs() < 1e-12);
}

#[test]
fn overlap_falls_with_the_volume_stiffness() {
    let overlap = |stiffness: f64| {
        let config = SphereSpringConfig {
            volume_stiffness: stiffness,
            transfer: 0.0,
            rest_exchange: 0.0,
            ..soft()
        };
        squeezed(config).overlap()
    };
    let [none, some, much] = [0.0, 5e6, 2e7].map(overlap);
    assert!(none > some && some > much, "{none} {some} {much}");
}

#[test]
fn overlapping_spheres_push_each_other_away() {
    // The printed sign attracts them.
    let config = SphereSpringConfig {
        transfer: 0.0,
        ..soft()
    };
    let spring = limp_spring(0.15);
    let mut body =
        SphereSpring::new(vec![at(0.0, 1.0), at(0.15, 1.0)], vec![spring], config).unwrap();
    body.step(1e-4).unwrap();
    assert!(body.spheres()[0].velocity.x < 0.0 && body.spheres()[1].velocity.x > 0.0);
}

#[test]
fn volume_flows_with_the_force() {
    // Three spheres in a row; the left one is pushed to the right, so volume leaves it to the right.
    let config = SphereSpringConfig {
        volume_stiffness: 0.0,
        transfer: 0.1,
        rest_exchange: 0.0,
        ..SphereSpringConfig::default()
    };
    let join = |i, j| Spring {
        ends: [i, j],
        rest: 0.19,
        stiffness: 0.0,
        damping: 0.0,
    };
    let spheres = vec![at(0.0, 1.0), at(0.19, 1.0), at(0.38, 1.0)];
    let mut body = SphereSpring::new(spheres, vec![join(0, 1), join(1, 2)], config).unwrap();
    body.set_force(0, DVec3::X).unwrap();
    let lens = body.overlap() / 2.0;
    let before: Vec<f64> = body.spheres().iter().map(|s| s.volume).collect();
    body.step(1e-5).unwrap();
    let gained: Vec<f64> = body
        .spheres()
        .iter()
        .zip(before)
        .map(|(s, v)| s.volume - v)
        .collect();
    // Half of its one lens, times the transfer.
    assert!((gained[0] + 0.05 * lens).abs() < 1e-15 && (gained[1] - 0.05 * lens).abs() < 1e-15);
    assert_eq!(gained[2], 0.0);
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: Threads| {
        let config = HandConfig {
            sphere_radius: 2.5e-3,
            tissue: SphereSpringConfig {
                threads,
                ..HandConfig::default().tissue
            },
            ..HandConfig::default()
        };
        let mut hand = Hand::new(&config).unwrap();
        for frame in 1..=10 {
            let pose = HandPose::flat().toward(&HandPose::fist(), f64::from(frame) / 40.0);
            hand.move_to(&pose, 20, 1.0 / 120.0).unwrap();
        }
        let bits = hand.tissue().spheres().iter().flat_map(|s| {
            let [x, y, z] = s.position.to_array();
            [x, y, z, s.volume].map(f64::to_bits)
        });
        bits.collect::<Vec<u64>>()
    };
    assert_eq!(run(Threads::One), run(Threads::All));
}

/// Moves a coarse hand to a pose in a second and lets it settle; returns the largest overlap's share.
fn moved(hand: &mut Hand, to: &HandPose) -> f64 {
    let from = *hand.pose();
    let mut worst = 0.0_f64;
    for frame in 1..=60 {
        let pose = from.toward(to, f64::from(frame) / 60.0);
        hand.move_to(&pose, 50, 1.0 / 60.0).unwrap();
        worst = worst.max(hand.tissue().overlap() / hand.tissue().volume());
    }
    for _ in 0..20 {
        hand.move_to(to, 50, 1.0 / 60.0).unwrap();
    }
    worst
}

fn coarse_hand() -> HandConfig {
    HandConfig {
        sphere_radius: 3e-3,
        tissue: SphereSpringConfig {
            threads: Threads::One,
            ..HandConfig::default().tissue
        },
        ..HandConfig::default()
    }
}

/// A spring between the first two spheres that does nothing but join them.
fn limp_spring(rest: f64) -> Spring {
    Spring {
        ends: [0, 1],
        rest,
        stiffness: 0.0,
        damping: 0.0,
    }
}

#[test]
fn the_hand_closes_to_a_fist_and_opens_again() {
    let config = coarse_hand();
    let mut hand = Hand::new(&config).unwrap();
    assert_eq!(hand.bones().len(), BONES);
    let volume = hand.tissue().volume();
    let count = hand.tissue().spheres().len();
    assert!(count > 1000, "{count}");
    let start = hand.tissue().spheres().to_vec();
    let tip_of = |hand: &Hand| {
        let tip = hand.frames(hand.pose())[9];
        tip * DVec3::new(0.0, hand.bones()[9].length, 0.0)
    };
    let open = tip_of(&hand);
    let overlap = moved(&mut hand, &HandPose::fist());
    // The tip of the middle finger comes back over the palm, the tissue comes along.
    assert!(open.y > 0.15 && tip_of(&hand).y < 0.1 && tip_of(&hand).z < -0.01);
    let near = hand
        .tissue()
        .spheres()
        .iter()
        .zip(hand.owners())
        .filter(|(_, owner)| **owner == 9)
        .all(|(s, _)| s.position.distance(tip_of(&hand)) < 0.04);
    assert!(near);
    assert!(
        hand.anchor_error() < config.sphere_radius,
        "{}",
        hand.anchor_error()
    );
    assert!(overlap < 0.05, "{overlap}");
    assert!((hand.tissue().volume() / volume - 1.0).abs() < 1e-12);
    assert!(hand.tissue().spheres().iter().all(|s| s.volume > 0.0));
    moved(&mut hand, &HandPose::flat());
    let now = hand.tissue().spheres().iter();
    let mean = now
        .zip(&start)
        .map(|(now, then)| now.position.distance(then.position))
        .sum::<f64>()
        / start.len() as f64;
    assert!(mean < 0.2 * config.sphere_radius, "{mean}");
    assert!((hand.tissue().volume() / volume - 1.0).abs() < 1e-12);
}

#[test]
fn the_grip_of_two_fingers_leaves_the_others_flat() {
    let config = coarse_hand();
    let mut hand = Hand::new(&config).unwrap();
    let volume = hand.tissue().volume();
    let start = hand.tissue().spheres().to_vec();
    moved(&mut hand, &HandPose::grip());
    let tip = |bone: usize| {
        let frame = hand.frames(hand.pose())[bone];
        frame * DVec3::new(0.0, hand.bones()[bone].length, 0.0)
    };
    let flat = Hand::new(&config).unwrap();
    let flat_tip = |bone: usize| {
        let frame = flat.frames(&HandPose::flat())[bone];
        frame * DVec3::new(0.0, flat.bones()[bone].length, 0.0)
    };
    // The tips of thumb and index finger come near each other.
    assert!(tip(3).distance(tip(6)) < 0.5 * flat_tip(3).distance(flat_tip(6)));
    for ((now, then), owner) in hand
        .tissue()
        .spheres()
        .iter()
        .zip(&start)
        .zip(hand.owners())
    {
        if (8..16).contains(owner) {
            assert!(now.position.distance(then.position) < config.sphere_radius);
        }
    }
    assert!((hand.tissue().volume() / volume - 1.0).abs() < 1e-12);
}

#[test]
fn the_skin_is_closed_and_goes_with_the_tissue() {
    let config = coarse_hand();
    let mut hand = Hand::new(&config).unwrap();
    let rest = hand.skin().unwrap();
    assert!(rest.face_count() > 2000);
    let volume = mesh::mass(&rest).unwrap().volume;
    // The skin holds all spheres, and they are packed.
    let share = hand.tissue().volume() / volume;
    assert!((0.3..0.8).contains(&share), "{share}");
    let inside = mesh::point_in_mesh::InsideTest::new(&rest).unwrap();
    for sphere in hand.tissue().spheres() {
        assert_eq!(
            inside.locate(sphere.position),
            Ok(mesh::point_in_mesh::Location::Inside)
        );
    }
    moved(&mut hand, &HandPose::grip());
    let bent = hand.skin().unwrap();
    let change = mesh::mass(&bent).unwrap().volume / volume - 1.0;
    assert!(change.abs() < 0.15, "{change}");
    let farthest = |mesh: &TriMesh| mesh.positions().iter().map(|p| -p.z).fold(0.0, f64::max);
    assert!(farthest(&rest) < 0.03 && farthest(&bent) > 0.04);
}

#[test]
fn the_hand_of_ordinary_size_has_about_five_thousand_spheres() {
    let hand = Hand::new(&HandConfig::default()).unwrap();
    let count = hand.tissue().spheres().len();
    assert!((4000..6500).contains(&count), "{count}");
    assert!(hand.tissue().overlap() < 1e-12 * hand.tissue().volume());
}

#[test]
fn bad_input_is_refused() {
    let spring = |i, j| Spring {
        ends: [i, j],
        rest: 1.0,
        stiffness: 1.0,
        damping: 0.0,
    };
    let two = || vec![at(0.0, 1.0), at(1.0, 1.0)];
    assert_eq!(
        SphereSpring::new(two(), vec![spring(0, 1), spring(1, 0)], quiet()).err(),
        Some(SphereSpringError::Twice { ends: [0, 1] })
    );
    assert!(SphereSpring::new(two(), vec![spring(0, 2)], quiet()).is_err());
    let heavy = vec![at(0.0, f64::NAN)];
    assert!(SphereSpring::new(heavy, vec![], quiet()).is_err());
    let stiff = Spring {
        stiffness: 1e300,
        rest: 0.0,
        ..spring(0, 1)
    };
    let mut body = SphereSpring::new(two(), vec![stiff], quiet()).unwrap();
    let before = body.spheres().to_vec();
    assert!(body.step(-1.0).is_err() && body.step(f64::NAN).is_err());
    assert!(matches!(
        body.step(1e10),
        Err(SphereSpringError::Diverged { .. })
    ));
    assert_eq!(body.spheres(), before);
    let mut hand = Hand::new(&HandConfig {
        sphere_radius: 4e-3,
        ..HandConfig::default()
    })
    .unwrap();
    let mut pose = HandPose::flat();
    pose.flexion[3] = f64::NAN;
    assert!(hand.move_to(&pose, 5, 0.01).is_err());
    assert!(hand.move_to(&HandPose::flat(), 0, 0.01).is_err());
}
