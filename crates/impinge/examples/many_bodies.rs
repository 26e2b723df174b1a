//! 500 shapes in a world: begin and end of contact, contact points, rays, and broad phases that are exchanged while it runs.

use impinge::broad::{BruteForce, DynamicAabbTree, SweepAndPrune, UniformGrid};
use impinge::math::Rng;
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = Rng::new(5);
    let points: Vec<DVec3> = (0..32).map(|_| rng.direction() * 0.5).collect();
    let kinds: [Shape; 6] = [
        Ball::new(0.5)?.into(),
        Cuboid::new([0.4, 0.5, 0.3])?.into(),
        Capsule::new([0.0, 0.0, -0.4], [0.0, 0.0, 0.4], 0.3)?.into(),
        Cylinder::new(0.5, 0.4)?.into(),
        Cone::new(0.5, 0.5)?.into(),
        Polyhedron::new(&points)?.into(),
    ];
    let mut world = World::watching(EventMask::CONTACT | EventMask::CONTACTS);
    let mut bodies = Vec::new();
    for k in 0..500 {
        let pose = Pose::from_translation(rng.cube() * 6.0)?;
        let id = world.add(kinds[k % kinds.len()].clone(), pose)?;
        bodies.push((id, pose, rng.cube() * 0.05, rng.direction()));
    }
    let (mut began, mut ended, mut points, mut deepest) = (0, 0, 0, 0.0_f64);
    for step in 0..100 {
        match step {
            25 => world.set_broad_phase(Box::new(SweepAndPrune::default()))?,
            50 => world.set_broad_phase(Box::new(UniformGrid::default()))?,
            75 => world.set_broad_phase(Box::new(BruteForce::default()))?,
            99 => world.set_broad_phase(Box::new(DynamicAabbTree::default()))?,
            _ => {}
        }
        for (id, pose, velocity, axis) in &mut bodies {
            let place = pose.translation() + *velocity;
            // Back into the room where it leaves it.
            *velocity = DVec3::select(place.abs().cmpgt(DVec3::splat(6.0)), -*velocity, *velocity);
            *pose = Pose::from_axis_angle(*axis, 0.02 * f64::from(step), place)?;
            world.set_pose(*id, *pose)?;
        }
        world.step();
        let frame = world.frame();
        for event in &frame.events {
            match event.what {
                EventKind::ContactBegin { .. } => began += 1,
                EventKind::ContactEnd => ended += 1,
                EventKind::Contacts(_) => {
                    points += frame.points(event).len();
                    let depths = frame.points(event).iter().map(|point| point.depth);
                    deepest = depths.fold(deepest, f64::max);
                }
                _ => {}
            }
        }
    }
    let mut seen = 0;
    for _ in 0..1000 {
        let ray = Ray::new(rng.direction() * 12.0, rng.direction())?;
        seen += u32::from(world.cast_ray(&ray)?.is_some());
    }
    println!(
        "{began} contacts began, {ended} ended; {points} points, the deepest {deepest:.3}; {seen} of 1000 rays hit"
    );
    assert!(began >= ended && ended > 0 && points > 0 && seen > 0);
    Ok(())
}
