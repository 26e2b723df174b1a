//! One scene on two physics engines: a pile of boxes is hit by a ball. `cargo run --release -p impinge-dynamics --features rapier --example two_engines`

use impinge::Pose;
use impinge::convex::{Ball, Cuboid, HalfSpace};
use impinge::pair::Shape;
use impinge_dynamics::Wrench;
use impinge_dynamics::adapter::{AdapterBody, PhysicsAdapter, RapierWorld};
use impinge_dynamics::rigid::{RigidWorld, WorldConfig};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Heights of five stacked boxes at rest, and after a ball has hit them.
fn play(engine: &mut impl PhysicsAdapter) -> Fallible<[Vec<f64>; 2]> {
    let body = |shape: Shape, at: [f64; 3], density| -> Fallible<AdapterBody> {
        let world_from_body = Pose::from_translation(at)?;
        Ok(AdapterBody {
            shape,
            world_from_body,
            density,
            friction: 0.6,
        })
    };
    let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?;
    engine.add(body(ground.into(), [0.0; 3], None)?)?;
    let mut boxes = Vec::new();
    for level in 0..5 {
        let shape = Cuboid::new([0.1, 0.1, 0.05])?;
        let at = [0.0, 0.0, 0.05 + 0.1 * f64::from(level)];
        boxes.push(engine.add(body(shape.into(), at, Some(500.0))?)?);
    }
    let heights =
        |engine: &dyn Fn(usize) -> Option<f64>| -> Vec<f64> { (0..5).filter_map(engine).collect() };
    for _ in 0..200 {
        engine.step(1.0 / 200.0)?;
    }
    let rest = heights(&|k| Some(engine.pose(boxes[k])?.translation().z));
    let ball = engine.add(body(
        Ball::new(0.08)?.into(),
        [-0.6, 0.0, 0.42],
        Some(2000.0),
    )?)?;
    for step in 0..400 {
        // Thrown in a tenth of a second, then it flies.
        if step < 20 {
            engine.push(ball, Wrench::from_force([300.0, 0.0, 45.0].into()))?;
        }
        engine.step(1.0 / 200.0)?;
    }
    let after = heights(&|k| Some(engine.pose(boxes[k])?.translation().z));
    Ok([rest, after])
}

fn main() -> Fallible<()> {
    let own = play(&mut RigidWorld::new(WorldConfig::default())?)?;
    let rapier = play(&mut RapierWorld::new([0.0, 0.0, -9.81])?)?;
    for (name, [rest, after]) in [("own engine", &own), ("rapier", &rapier)] {
        println!("{name}: at rest {rest:.3?} m, after the hit {after:.3?} m");
    }
    // Both stand at first, rapier's contacts give way by some millimetres, and both lose the top of the pile.
    for [rest, after] in [&own, &rapier] {
        for (level, height) in rest.iter().enumerate() {
            assert!((height - (0.05 + 0.1 * level as f64)).abs() < 1e-2);
        }
        assert!(after[4] < 0.4);
    }
    Ok(())
}
