//! What do contacts cost in a world of many bodies?
//!
//! Five hundred bodies of eight kinds in equal shares tumble through a room: each keeps its velocity and its spin, and turns back
//! at the walls. They pass through each other, so that about a fifth of them touch at any step. Four runs of the same scene
//! print milliseconds a step: with all kinds and without the meshes, for begin and end events alone and with the contacts of
//! every touching pair. One thread. A first argument changes the number of measured steps.

use std::error::Error;
use std::time::Instant;

use impinge::DMat3;
use impinge::broad::{DynamicAabbTree, DynamicAabbTreeConfig, ObjectId};
use impinge::convex::{Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Polyhedron};
use impinge::generate::torus;
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::prelude::*;
use impinge::world::{Body, Class, EventKind, EventMask, World, WorldConfig};

const BODIES: usize = 500;
const SEED: u64 = 500;
const STEPS: usize = 200;
/// Steps before the measurement, in which memory and caches grow.
const WARM_UP: usize = 50;
const DT: f64 = 1.0 / 60.0;
/// Half the side of the room, in metres; bodies are about one metre across.
const ROOM: f64 = 9.0;

/// A body that keeps its velocity and its spin.
struct Tumbling {
    id: ObjectId,
    at: DVec3,
    turn: DMat3,
    velocity: DVec3,
    axis: DVec3,
    rate: f64,
}

/// What a run found and took.
#[derive(Default)]
struct Run {
    milliseconds: Vec<f64>,
    touching_bodies: usize,
    touching_pairs: usize,
    points: usize,
    most_points: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let steps = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => STEPS,
    };
    for (name, has_meshes) in [("eight kinds", true), ("without meshes", false)] {
        let mut means = [0.0; 2];
        for (has_contacts, mean) in [false, true].into_iter().zip(&mut means) {
            let run = tumble(has_meshes, has_contacts, steps)?;
            let mut sorted = run.milliseconds.clone();
            sorted.sort_by(f64::total_cmp);
            let count = sorted.len().max(1) as f64;
            *mean = sorted.iter().sum::<f64>() / count;
            println!(
                "{name}, {}: {:.3} ms a step (median {:.3}, worst {:.3}); {:.1} % of bodies touch, {:.0} pairs, {:.0} points, \
                 at most {} a pair",
                if has_contacts {
                    "contacts"
                } else {
                    "events alone"
                },
                *mean,
                sorted.get(sorted.len() / 2).copied().unwrap_or(0.0),
                sorted.last().copied().unwrap_or(0.0),
                100.0 * run.touching_bodies as f64 / (count * BODIES as f64),
                run.touching_pairs as f64 / count,
                run.points as f64 / count,
                run.most_points,
            );
        }
        println!(
            "{name}: contacts take {:.2} times the events alone",
            means[1] / means[0]
        );
    }
    Ok(())
}

/// The kinds of bodies, each about one metre across.
fn kinds(rng: &mut Rng, has_meshes: bool) -> Result<Vec<Shape>, Box<dyn Error>> {
    let on_sphere: Vec<DVec3> = (0..32).map(|_| rng.direction() * 0.5).collect();
    let mut kinds = vec![
        Shape::from(Ball::new(0.5)?),
        Shape::from(Cuboid::new([0.4, 0.35, 0.3])?),
        Shape::from(Capsule::new([0.0, 0.0, -0.3], [0.0, 0.0, 0.3], 0.25)?),
        Shape::from(Cylinder::new(0.4, 0.35)?),
        Shape::from(Cone::new(0.45, 0.4)?),
        Shape::from(Ellipsoid::new([0.5, 0.4, 0.3])?),
        Shape::from(Polyhedron::new(&on_sphere)?),
    ];
    if has_meshes {
        // 32 times 16 quadrangles.
        kinds.push(Shape::from(Mesh::from(torus(0.4, 0.15, 32, 16)?)));
    }
    Ok(kinds)
}

fn tumble(has_meshes: bool, has_contacts: bool, steps: usize) -> Result<Run, Box<dyn Error>> {
    let mut rng = Rng::new(SEED);
    let kinds = kinds(&mut rng, has_meshes)?;
    let config = WorldConfig {
        serial: true,
        ..WorldConfig::default()
    };
    let broad = DynamicAabbTree::new(DynamicAabbTreeConfig { parallel: false });
    let mut world = World::new(broad, config);
    let mask = if has_contacts {
        EventMask::CONTACT | EventMask::CONTACTS
    } else {
        EventMask::CONTACT
    };
    world.interest_mut().set_classes(Class(0), Class(0), mask);
    let mut bodies = Vec::new();
    for k in 0..BODIES {
        let at = rng.cube() * ROOM;
        let id = world
            .insert(Body::new(kinds[k % kinds.len()].clone()).at(Pose::from_translation(at)?))?;
        bodies.push(Tumbling {
            id,
            at,
            turn: DMat3::from_axis_angle(rng.direction(), rng.range(0.0, 6.0)),
            velocity: rng.direction() * rng.range(0.5, 2.0),
            axis: rng.direction(),
            rate: rng.range(0.5, 3.0),
        });
    }
    let mut run = Run::default();
    let mut partners = std::collections::BTreeMap::new();
    for step in 0..WARM_UP + steps {
        for body in &mut bodies {
            body.at += body.velocity * DT;
            let is_out = body.at.abs().cmpgt(DVec3::splat(ROOM));
            let inward = -body.at.signum() * body.velocity.abs();
            body.velocity = DVec3::select(is_out, inward, body.velocity);
            body.turn = DMat3::from_axis_angle(body.axis, body.rate * DT) * body.turn;
            world.set_pose(body.id, Pose::nearest(body.turn, body.at)?)?;
        }
        let begin = Instant::now();
        world.step();
        let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
        let frame = world.frame();
        for event in &frame.events {
            match &event.what {
                EventKind::ContactBegin { .. } => {
                    for id in [event.pair.a, event.pair.b] {
                        *partners.entry(id).or_insert(0_usize) += 1;
                    }
                }
                EventKind::ContactEnd => {
                    for id in [event.pair.a, event.pair.b] {
                        if let Some(count) = partners.get_mut(&id) {
                            *count -= 1;
                        }
                    }
                }
                EventKind::Contacts(_) if step >= WARM_UP => {
                    let count = frame.points(event).len();
                    assert!(count > 0, "two bodies touch without a contact");
                    run.points += count;
                    run.most_points = run.most_points.max(count);
                }
                _ => {}
            }
        }
        if step >= WARM_UP {
            run.milliseconds.push(milliseconds);
            run.touching_bodies += partners.values().filter(|&&count| count > 0).count();
            run.touching_pairs += partners.values().sum::<usize>() / 2;
        }
    }
    Ok(run)
}
