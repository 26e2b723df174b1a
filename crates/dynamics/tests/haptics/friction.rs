//! Friction of the proxy against closed forms.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::{DVec3, Pose, TriMesh};
use impinge_dynamics::friction::{Friction, FrictionState};
use impinge_dynamics::proxy::{BodyId, GodObject, ProxyScene};

const STIFFNESS: f64 = 500.0;
const TICK: f64 = 1e-3;

/// The plane y = 0, turned about z by an angle.
fn slope(angle: f64, friction: Friction) -> (ProxyScene, BodyId) {
    let points = [
        [-50.0, 0.0, -50.0],
        [50.0, 0.0, -50.0],
        [50.0, 0.0, 50.0],
        [-50.0, 0.0, 50.0],
    ];
    let mesh = TriMesh::from_points(points, [[0, 2, 1], [0, 3, 2]]).unwrap();
    let mut scene = ProxyScene::new();
    let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], angle, [0.0; 3]).unwrap();
    let tree = Arc::new(WideTree::new(Arc::new(mesh)));
    let body = scene.add(tree, pose).unwrap();
    scene.set_friction(body, friction).unwrap();
    (scene, body)
}

fn god_object(scene: &mut ProxyScene, start: [f64; 3]) -> GodObject {
    let god_object = GodObject::new(scene, STIFFNESS, start).unwrap();
    god_object.with_offset(1e-7).unwrap()
}

#[test]
fn it_sticks_exactly_within_the_cone() {
    let (mu, d) = (0.7, 0.01);
    for (share, sticks) in [(0.0, true), (0.5, true), (0.9999, true), (1.0001, false)] {
        let (mut scene, _) = slope(0.0, Friction::coulomb(mu, 0.4).unwrap());
        let mut god_object = god_object(&mut scene, [0.3, 0.1, 0.2]);
        let depth = d + god_object.offset();
        let down = god_object.update(&mut scene, DVec3::new(0.3, -d, 0.2), TICK);
        let s = share * mu * depth;
        let target = DVec3::new(0.3 + s * 0.6, -d, 0.2 + s * 0.8);
        let step = god_object.update(&mut scene, target, TICK);
        assert_eq!(step.friction == FrictionState::Stick, sticks, "{share}");
        assert_eq!(step.proxy == down.proxy, sticks, "{share}");
        if !sticks {
            // Without viscosity it slides to the border of the dynamic cone.
            let lag = step.proxy - target;
            let lag = DVec3::new(lag.x, 0.0, lag.z).length();
            assert!((lag - 0.4 * depth).abs() < 1e-12);
        }
    }
}

#[test]
fn coming_down_aslant_ends_on_the_surface() {
    let (mut scene, _) = slope(0.0, Friction::coulomb(0.9, 0.5).unwrap());
    let mut god_object = god_object(&mut scene, [0.0, 0.01, 0.0]);
    let step = god_object.update(&mut scene, DVec3::new(0.001, -0.01, 0.0), TICK);
    // It sticks where it comes down, and does not hang in the air.
    assert!((step.proxy.y - god_object.offset()).abs() < 1e-15);
    assert!(step.proxy.x.abs() < 1e-15);
}

#[test]
fn the_lag_decays_as_a_power() {
    let (mu, d, viscosity) = (0.3, 0.01, 2.0);
    let share = STIFFNESS * TICK / viscosity;
    let friction = Friction::viscous(0.0, mu, viscosity, STIFFNESS, TICK).unwrap();
    let (mut scene, _) = slope(0.0, friction);
    let mut god_object = god_object(&mut scene, [0.0, 0.1, 0.0]);
    god_object.update(&mut scene, DVec3::new(0.0, -d, 0.0), TICK);
    let depth = d + god_object.offset();
    let start = 0.02;
    for n in 1..60 {
        let step = god_object.update(&mut scene, DVec3::new(start, -d, 0.0), TICK);
        let lag = start - step.proxy.x;
        let expected = mu * depth + (start - mu * depth) * (1.0_f64 - share).powi(n);
        assert!(
            (lag - expected).abs() < 1e-12,
            "{lag} beside {expected} at {n}"
        );
    }
}

#[test]
fn the_lag_of_a_steady_motion_is_that_of_the_closed_form() {
    let (mu, d, viscosity, speed) = (0.3, 0.01, 2.0, 0.05);
    let friction = Friction::viscous(0.0, mu, viscosity, STIFFNESS, TICK).unwrap();
    let (mut scene, _) = slope(0.0, friction);
    let mut god_object = god_object(&mut scene, [0.0, 0.1, 0.0]);
    let depth = d + god_object.offset();
    let mut lag = 0.0;
    for n in 0..2000 {
        let x = speed * TICK * f64::from(n);
        let step = god_object.update(&mut scene, DVec3::new(x, -d, 0.0), TICK);
        // Before this tick's move, as the continuous formula has it.
        lag = x - step.proxy.x + speed * TICK;
    }
    let expected = mu * depth + viscosity * speed / STIFFNESS;
    assert!((lag - expected).abs() < 1e-9, "{lag} beside {expected}");
}

#[test]
fn sticking_again_needs_the_static_cone_to_break() {
    let (mut scene, _) = slope(0.0, Friction::coulomb(0.8, 0.2).unwrap());
    let mut god_object = god_object(&mut scene, [0.0, 0.1, 0.0]);
    let d = 0.01;
    let states: Vec<FrictionState> = [0.0, 0.007, 0.009, 0.009, 0.014]
        .map(|x| {
            let target = DVec3::new(x, -d, 0.0);
            god_object.update(&mut scene, target, TICK).friction
        })
        .to_vec();
    use FrictionState::{Slip, Stick};
    // It slips at 0.009 to a lag of 0.002, sticks there, and a lag of 0.007 does not free it.
    assert_eq!(states[..3], [Stick, Stick, Slip]);
    assert_eq!(states[4], Stick);
}

/// How far a mass on an incline gets in half a second, and when it starts to slide.
fn descent(angle: f64, mu: f64) -> f64 {
    let (mut scene, _) = slope(-angle, Friction::coulomb(mu, mu).unwrap());
    let (mass, gravity, step) = (0.2, 9.81, 1e-4);
    let normal = DVec3::new(angle.sin(), angle.cos(), 0.0);
    let down = DVec3::new(angle.cos(), -angle.sin(), 0.0);
    let mut proxy = GodObject::new(&mut scene, 20_000.0, normal * 1e-3).unwrap();
    proxy = proxy.with_offset(1e-7).unwrap();
    // The weight's normal part is borne from the start.
    let sink = mass * gravity * angle.cos() / 20_000.0;
    // So is the tangential part, as far as friction goes: the spring starts at the border of the cone.
    let mut position = down * (mu * sink) - normal * sink;
    let mut velocity = DVec3::ZERO;
    for _ in 0..5000 {
        let force = proxy.update(&mut scene, position, step).force;
        // Damped along the normal only, so that the spring there comes to rest.
        let bounce = normal * (velocity.dot(normal) * -40.0);
        velocity += ((force + bounce) / mass - DVec3::Y * gravity) * step;
        position += velocity * step;
    }
    position.dot(down) - mu * sink
}

#[test]
fn on_an_incline_it_slides_beyond_the_angle_of_friction() {
    let mu = 0.5_f64;
    let limit = mu.atan();
    assert!(descent(limit - 0.01, mu) < 1e-3);
    for angle in [limit + 0.05, limit + 0.3] {
        let expected = 9.81 * (angle.sin() - mu * angle.cos()) * 0.5 * 0.25;
        let travelled = descent(angle, mu);
        assert!(
            (travelled - expected).abs() < 0.01 * expected + 1e-3,
            "{travelled} beside {expected}"
        );
    }
}

#[test]
fn the_strictest_of_two_contacts_decides() {
    // A floor that is smooth and a wall that is rough: the proxy in the corner sticks.
    for (wall, sticks) in [
        (Friction::NONE, false),
        (Friction::coulomb(0.9, 0.9).unwrap(), true),
    ] {
        let (mut scene, _) = slope(0.0, Friction::NONE);
        let mesh = TriMesh::from_points(
            [[0.0, -9.0, -9.0], [0.0, -9.0, 9.0], [0.0, 20.0, 0.0]],
            [[0, 1, 2]],
        );
        let tree = Arc::new(WideTree::new(Arc::new(mesh.unwrap())));
        let body = scene.add(tree, Pose::IDENTITY).unwrap();
        scene.set_friction(body, wall).unwrap();
        let mut god_object = god_object(&mut scene, [-0.1, 0.1, 0.0]);
        let first = god_object.update(&mut scene, DVec3::new(0.01, -0.01, 0.0), TICK);
        assert_eq!(first.contacts().len(), 2);
        // Along the corner, less than either depth times the coefficient of the wall.
        let step = god_object.update(&mut scene, DVec3::new(0.02, -0.01, 0.001), TICK);
        assert_eq!(step.proxy == first.proxy, sticks);
    }
}

#[test]
fn a_moving_floor_carries_a_sticking_proxy_only() {
    for (friction, carried) in [
        (Friction::NONE, false),
        (Friction::coulomb(0.8, 0.8).unwrap(), true),
    ] {
        let (mut scene, body) = slope(0.0, friction);
        let mut god_object = god_object(&mut scene, [0.0, 0.1, 0.0]);
        let target = DVec3::new(0.0, -0.01, 0.0);
        god_object.update(&mut scene, target, TICK);
        let mut step = god_object.update(&mut scene, target, TICK);
        for n in 1..=5 {
            let pose = Pose::from_translation([0.001 * f64::from(n), 0.0, 0.0]).unwrap();
            scene.set_pose(body, pose).unwrap();
            step = god_object.update(&mut scene, target, TICK);
        }
        let expected = if carried { 0.005 } else { 0.0 };
        assert!((step.proxy.x - expected).abs() < 1e-12, "{}", step.proxy.x);
    }
}
