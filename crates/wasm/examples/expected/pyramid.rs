use std::error::Error;

use impinge::convex::{Ball, Cuboid};
use impinge::{DVec3, Pose};
use impinge_dynamics::rigid::{BodyDesc, RigidWorld, Sleep, WorldConfig};

use crate::Numbers;

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let config = WorldConfig {
        sleep: Some(Sleep::default()),
        ..WorldConfig::default()
    };
    let mut world = RigidWorld::new(config)?;
    let at = |x: f64, z: f64| Pose::from_translation([x, 0.0, z]);
    world.add(BodyDesc::fixed(
        Cuboid::new([4.0, 4.0, 0.5])?,
        at(0.0, -0.5)?,
    ))?;
    let brick = Cuboid::new([0.25, 0.25, 0.25])?;
    let mut bodies = Vec::new();
    for (x, z) in [(-0.275, 0.25), (0.275, 0.25), (0.0, 0.75)] {
        bodies.push(world.add(BodyDesc::solid(brick, 500.0, at(x, z)?)?)?);
    }
    let mut ball = BodyDesc::solid(Ball::new(0.25)?, 2000.0, at(-2.0, 0.75)?)?;
    ball.restitution = 0.25;
    bodies.push(world.add(ball)?);
    world.set_velocities(bodies[3], DVec3::new(8.0, 0.0, 0.0), DVec3::ZERO)?;
    let mut numbers = Numbers::default();
    for _ in 0..40 {
        world.step(1.0 / 60.0)?;
        numbers.count(world.contacts().count());
    }
    for &id in &bodies {
        numbers.matrix(world.body(id).ok_or("a body is gone")?.pose());
    }
    Ok(numbers)
}
