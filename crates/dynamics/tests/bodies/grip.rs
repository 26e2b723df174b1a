//! Two fingers lift a box.

use impinge::convex::{Cuboid, HalfSpace};
use impinge::{DVec3, Pose};
use impinge_dynamics::adapter::{AdapterBody, GripConfig, PhysicsAdapter, TwoFingerGrip};
use impinge_dynamics::rigid::{RigidWorld, WorldConfig};

/// Closes two fingers on a box of 0.2 kg, lifts it by 0.1 m and holds it for a second; how high it is then, on any engine.
fn lifted(engine: &mut impl PhysicsAdapter, force: f64) -> f64 {
    let half = 0.02;
    let volume = 8.0 * half * half * half;
    let floor = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap();
    engine
        .add(AdapterBody {
            shape: floor.into(),
            world_from_body: Pose::IDENTITY,
            density: None,
            friction: 0.5,
        })
        .unwrap();
    let thing = engine
        .add(AdapterBody {
            shape: Cuboid::new([half; 3]).unwrap().into(),
            world_from_body: Pose::from_translation([0.0, 0.0, half]).unwrap(),
            density: Some(0.2 / volume),
            friction: 0.36,
        })
        .unwrap();
    let config = GripConfig {
        max_force: force,
        ..GripConfig::default()
    };
    let finger = Cuboid::new([0.005, 0.01, 0.01]).unwrap();
    let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let places = [at(-0.05, half), at(0.05, half)];
    let mut grip = TwoFingerGrip::new(engine, finger.into(), places, config).unwrap();
    let dt = 1e-3;
    for tick in 0..3000 {
        let t = f64::from(tick) * dt;
        // Close within half a second to inside the box, then lift for a second, then hold.
        let x = 0.05 - 0.045 * (t / 0.5).min(1.0);
        let z = half + 0.1 * ((t - 0.8) / 1.0).clamp(0.0, 1.0);
        grip.drive(engine, [at(-x, z), at(x, z)]).unwrap();
        engine.step(dt).unwrap();
    }
    assert!(grip.forces().iter().all(|f| f.length() <= force + 1e-9));
    engine.pose(thing).unwrap().translation().z - half
}

fn world() -> RigidWorld {
    RigidWorld::new(WorldConfig::default()).unwrap()
}

#[test]
fn fingers_lift_a_box_while_friction_suffices() {
    // Friction of the pair is √(1 · 0.36) = 0.6: two fingers carry 2 · 0.6 · N against 1.96 N.
    let held = lifted(&mut world(), 8.0);
    assert!((held - 0.1).abs() < 0.01, "{held}");
    // A spring of one newton cannot carry it: it stays behind.
    let slipped = lifted(&mut world(), 1.0);
    assert!(slipped < 0.02, "{slipped}");
}
