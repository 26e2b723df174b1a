//! A small scene that moves: balls and beans that fall into a tub and come to rest, told as events.
//!
//! The world says what meets and touches; a few lines of the crudest physics do the rest. Nothing is shown but text.

use impinge::broad::ObjectId;
use impinge::convex::{Ball, Capsule, Cuboid};
use impinge::pair::Shape;
use impinge::world::{Body, Class, EventKind, EventMask, ObjectFilter, PairFilter, World};
use impinge::{DVec3, Pose};

const BALL: Class = Class(0);
const TUB: Class = Class(1);
const STEPS: u32 = 400;
const DT: f64 = 0.01;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Something that falls, and how.
struct Falling {
    id: ObjectId,
    velocity: DVec3,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::default();
    // Contacts of everything with everything; of what falls also when it comes within a centimetre of the tub.
    world
        .interest_mut()
        .set_classes(BALL, BALL, EventMask::CONTACT | EventMask::CONTACTS);
    let near = EventMask::closer_than(0.01)?;
    world
        .interest_mut()
        .set_classes(BALL, TUB, EventMask::CONTACT | EventMask::CONTACTS | near);
    build_tub(&mut world)?;
    // A listener hears what the loop below could also read from the frame.
    world.listen(
        PairFilter(ObjectFilter::Class(BALL), ObjectFilter::Class(TUB)),
        EventMask::CONTACT_BEGIN,
        |event, reply| {
            let name = |id| reply.body(id).and_then(|body| body.name.clone());
            if let (Some(a), Some(b)) = (name(event.pair.a), name(event.pair.b)) {
                println!("step {:3}: {b} touches {a}", reply.step());
            }
        },
    );

    let round = Shape::from(Ball::new(0.2)?);
    let long = Shape::from(Capsule::new([-0.1, 0.0, 0.0], [0.1, 0.0, 0.0], 0.15)?);
    let mut balls = Vec::new();
    for k in 0..6_u8 {
        let shape = if k % 2 == 0 { &round } else { &long };
        let at = DVec3::new(0.1 * f64::from(k % 3) - 0.1, 0.05 * f64::from(k), 1.0);
        let at = at + DVec3::Z * (0.5 * f64::from(k));
        let body = Body::new(shape.clone())
            .at(Pose::from_translation(at)?)
            .in_class(BALL)
            .named(&format!("{} {k}", if k % 2 == 0 { "ball" } else { "bean" }));
        balls.push(Falling {
            id: world.insert(body)?,
            velocity: DVec3::ZERO,
        });
    }

    let (mut began, mut ended, mut closer, mut deepest) = (0, 0, 0, 0.0_f64);
    for _ in 0..STEPS {
        for ball in &mut balls {
            ball.velocity += GRAVITY * DT;
            shift(&mut world, ball.id, ball.velocity * DT)?;
        }
        // What has to be pushed where, by the contacts of this step.
        let mut pushes: Vec<(ObjectId, DVec3)> = Vec::new();
        world.step();
        let frame = world.frame();
        for event in &frame.events {
            match &event.what {
                EventKind::ContactBegin { .. } => began += 1,
                EventKind::ContactEnd => ended += 1,
                EventKind::Closer(found) => closer += u32::from(found.distance <= 0.01),
                EventKind::Contacts(_) => {
                    let points = frame.points(event);
                    let deep = points.iter().max_by(|p, q| p.depth.total_cmp(&q.depth));
                    if let (Some(contact), Some(a)) = (deep, world.body(event.pair.a)) {
                        deepest = deepest.max(contact.depth);
                        // Contacts are in the frame of a, and their normals lead from a to b.
                        let push = contact.depth * contact.normal;
                        let push = a.world_from_body.transform_vector(push);
                        pushes.push((event.pair.a, -push));
                        pushes.push((event.pair.b, push));
                    }
                }
                _ => {}
            }
        }
        for ball in &mut balls {
            for (_, push) in pushes.iter().filter(|(id, _)| *id == ball.id) {
                shift(&mut world, ball.id, 0.5 * *push)?;
                // Without bounce, and with a little friction.
                if let Some(away) = push.try_normalize() {
                    ball.velocity -= away * ball.velocity.dot(away).min(0.0);
                    ball.velocity *= 0.95;
                }
            }
        }
    }

    println!("{began} contacts began, {ended} ended; the deepest was {deepest:.4} deep");
    let mut resting = 0;
    for ball in &balls {
        let body = world.body(ball.id).ok_or("nothing was removed")?;
        let at = body.world_from_body.translation();
        resting += u32::from(ball.velocity.length() < 0.5);
        // Inside the tub, whose walls are one metre from the middle, and above its floor.
        assert!(at.abs().truncate().max_element() < 1.0, "{at}");
        assert!((0.1..2.0).contains(&at.z), "{at}");
    }
    assert!(began >= 6 && closer > 0, "each of them lands");
    assert!(deepest < 0.2, "nothing sinks in, not {deepest}");
    assert!(resting >= 4, "most come to rest, not {resting}");
    Ok(())
}

/// A floor and four walls, which never move.
fn build_tub(world: &mut World) -> Result<(), Box<dyn std::error::Error>> {
    let floor = Shape::from(Cuboid::new([1.5, 1.5, 0.25])?);
    let wall = Shape::from(Cuboid::new([0.25, 1.5, 1.0])?);
    let quarter = 0.5 * std::f64::consts::PI;
    let parts = [
        ("floor", &floor, 0.0, [0.0, 0.0, -0.25]),
        ("east", &wall, 0.0, [1.25, 0.0, 1.0]),
        ("west", &wall, 0.0, [-1.25, 0.0, 1.0]),
        ("north", &wall, quarter, [0.0, 1.25, 1.0]),
        ("south", &wall, quarter, [0.0, -1.25, 1.0]),
    ];
    for (name, shape, turn, at) in parts {
        let pose = Pose::from_axis_angle(DVec3::Z, turn, at)?;
        let body = Body::new(shape.clone()).at(pose).in_class(TUB).fixed();
        world.insert(body.named(name))?;
    }
    Ok(())
}

fn shift(world: &mut World, id: ObjectId, by: DVec3) -> Result<(), Box<dyn std::error::Error>> {
    let body = world.body(id).ok_or("nothing was removed")?;
    let moved = Pose::from_translation(by)? * body.world_from_body;
    Ok(world.set_pose(id, moved)?)
}
