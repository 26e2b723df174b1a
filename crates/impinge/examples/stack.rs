//! Do the contacts of meshes hold up a stack?
//!
//! Ten boxes on each other, and ten bolts side by side, five on their heads and five on their threads, stand on a floor for ten seconds. All are meshes. The solver is
//! the plainest that there is: sequential impulses with warm starting by the ids of contacts, friction, and moves that take out depth.
//! Nothing sleeps and nothing is damped.
//!
//! Sequential impulses: Catto 2005, "Iterative Dynamics with Temporal Coherence".

use std::collections::BTreeMap;
use std::error::Error;

use impinge::generate::{Thread, cuboid, screw};
use impinge::glam::DQuat;
use impinge::mesh::mass;
use impinge::prelude::*;
use impinge::{DMat3, TriMesh};

/// How the stack is built and simulated: in metres, kilograms and seconds.
struct Settings {
    density: f64,
    gravity: f64,
    friction: f64,
    seconds: u32,
    steps_per_second: u32,
    /// Rounds over all contacts for the velocities, and for the moves that take out depth.
    rounds: u32,
    correcting_rounds: u32,
    /// Contacts are asked for from this distance on.
    margin: f64,
    /// Depth that is left alone, and the part of the rest that a step takes out.
    slop: f64,
    bias: f64,
}

const SETTINGS: Settings = Settings {
    density: 1000.0,
    gravity: 9.81,
    friction: 0.5,
    seconds: 10,
    steps_per_second: 480,
    rounds: 50,
    correcting_rounds: 10,
    margin: 1e-3,
    slop: 1e-5,
    bias: 0.1,
};

/// The length of a step.
const DT: f64 = 1.0 / SETTINGS.steps_per_second as f64;

/// A rigid body; one of infinite mass stays where it is.
struct Solid {
    shape: Mesh,
    centre: DVec3,
    turn: DQuat,
    velocity: DVec3,
    spin: DVec3,
    /// Velocity and spin that last for a step and take out depth, without a part in momentum.
    correction: [DVec3; 2],
    inverse_mass: f64,
    /// In its own frame.
    inverse_inertia: DMat3,
}

impl Solid {
    /// The body of a mesh whose own origin is put at `at`, turned.
    fn new(mesh: &TriMesh, at: DVec3, turn: DQuat, is_fixed: bool) -> Result<Self, Box<dyn Error>> {
        let own = mass(mesh)?;
        let points = mesh.positions().iter().map(|&p| p - own.centroid);
        let weight = own.volume * SETTINGS.density;
        Ok(Self {
            shape: Mesh::new(points, mesh.faces().iter().copied())?,
            centre: at + turn * own.centroid,
            turn,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            correction: [DVec3::ZERO; 2],
            inverse_mass: if is_fixed { 0.0 } else { 1.0 / weight },
            inverse_inertia: if is_fixed {
                DMat3::ZERO
            } else {
                (own.inertia * SETTINGS.density).inverse()
            },
        })
    }

    fn pose(&self) -> Result<Pose, Box<dyn Error>> {
        Ok(Pose::nearest(DMat3::from_quat(self.turn), self.centre)?)
    }

    fn turned_inverse_inertia(&self) -> DMat3 {
        let turn = DMat3::from_quat(self.turn);
        turn * self.inverse_inertia * turn.transpose()
    }

    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }
}

/// A direction along which two bodies push each other, and the impulse so far.
struct Row {
    direction: DVec3,
    effective_mass: f64,
    impulse: f64,
}

/// A contact point as the solver sees it, in the world.
struct Touch {
    bodies: [usize; 2],
    key: (usize, usize, u64),
    arms: [DVec3; 2],
    /// The velocity along the normal that is aimed at.
    target: f64,
    /// And by which depth is taken out.
    correction: f64,
    normal: Row,
    tangents: [Row; 2],
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let floor = cuboid(DVec3::new(2.0, 2.0, 0.1), [1; 3])?;
    let brick = cuboid(DVec3::splat(0.1), [2; 3])?;
    let thread = Thread {
        radius: 0.01,
        depth: 0.002,
        pitch: 0.005,
        clearance: 0.0004,
        segments: 12,
        rows: 4,
    };
    let bolt = screw(&thread, 6)?;
    let height = bolt.bounds().max.z;
    let upright = DQuat::IDENTITY;
    let on_its_head = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let boxes = (0..10).map(|k| {
        let at = DVec3::new(0.0, 0.0, 0.05 + 0.1 * f64::from(k));
        (&brick, at, upright)
    });
    let bolts = (0..10).map(|k| {
        let x = 0.05 * f64::from(k) - 0.225;
        if k % 2 == 0 {
            (&bolt, DVec3::new(x, 0.0, height), on_its_head)
        } else {
            (&bolt, DVec3::new(x, 0.0, 0.0), upright)
        }
    });
    let scenes: [(&str, Vec<_>); 2] = [
        ("ten boxes", boxes.collect()),
        ("ten bolts", bolts.collect()),
    ];
    for (name, stack) in scenes {
        let ground = Solid::new(&floor, DVec3::new(0.0, 0.0, -0.05), upright, true)?;
        let mut bodies = vec![ground];
        for (mesh, at, turn) in stack {
            bodies.push(Solid::new(mesh, at, turn, false)?);
        }
        let rest = simulate(&mut bodies)?;
        println!(
            "{name}: moved {:.4} mm, tilted {:.4} degrees, {:.1} points per touching pair, at most {}",
            rest.drift * 1e3,
            rest.tilt.to_degrees(),
            rest.mean_points,
            rest.most_points
        );
        assert!(rest.drift <= 1e-3, "{name} moved");
        assert!(rest.tilt <= 1.0_f64.to_radians(), "{name} tilted");
    }
    Ok(())
}

/// How far the bodies have come from where they began.
struct Rest {
    drift: f64,
    tilt: f64,
    mean_points: f64,
    most_points: usize,
}

fn simulate(bodies: &mut [Solid]) -> Result<Rest, Box<dyn Error>> {
    let begin: Vec<(DVec3, DQuat)> = bodies.iter().map(|b| (b.centre, b.turn)).collect();
    let mut pairs = Vec::new();
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            pairs.push((i, j, Pair::new(&bodies[i].shape, &bodies[j].shape)?));
        }
    }
    let mut kept = BTreeMap::new();
    let (mut touching, mut points, mut most_points) = (0, 0, 0);
    for _ in 0..SETTINGS.seconds * SETTINGS.steps_per_second {
        let poses: Vec<Pose> = bodies.iter().map(Solid::pose).collect::<Result<_, _>>()?;
        for body in bodies.iter_mut().filter(|b| b.inverse_mass > 0.0) {
            body.velocity.z -= SETTINGS.gravity * DT;
        }
        let mut touches = Vec::new();
        for (i, j, pair) in &mut pairs {
            let (world_from_a, world_from_b) = (poses[*i], poses[*j]);
            let manifold =
                pair.contacts(&(world_from_a.inverse() * world_from_b), SETTINGS.margin)?;
            touching += usize::from(!manifold.is_empty());
            points += manifold.len();
            most_points = most_points.max(manifold.len());
            for point in manifold.points() {
                let at = world_from_a * ((point.point_a + point.point_b) * 0.5);
                let normal = world_from_a.transform_vector(point.normal);
                touches.push(touch(bodies, (*i, *j, point.id), at, normal, point.depth));
            }
        }
        warm_start(bodies, &mut touches, &kept);
        solve(bodies, &mut touches);
        correct(bodies, &touches);
        for body in bodies.iter_mut() {
            body.centre += (body.velocity + body.correction[0]) * DT;
            let half = (body.spin + body.correction[1]) * (0.5 * DT);
            let change = DQuat::from_xyzw(half.x, half.y, half.z, 0.0) * body.turn;
            body.turn = (body.turn + change).normalize();
        }
        kept.clear();
        kept.extend(touches.iter().map(|touch| (touch.key, touch.impulses())));
    }
    let moved = begin.iter().zip(bodies.iter());
    let drift = moved.clone().map(|((from, _), b)| b.centre.distance(*from));
    let tilt = moved.map(|((_, from), b)| b.turn.angle_between(*from));
    Ok(Rest {
        drift: drift.fold(0.0, f64::max),
        tilt: tilt.fold(0.0, f64::max),
        mean_points: points as f64 / touching.max(1) as f64,
        most_points,
    })
}

fn touch(
    bodies: &[Solid],
    key: (usize, usize, u64),
    at: DVec3,
    normal: DVec3,
    depth: f64,
) -> Touch {
    let (i, j, _) = key;
    let arms = [at - bodies[i].centre, at - bodies[j].centre];
    let row = |direction: DVec3| {
        let softness = [i, j].into_iter().zip(arms).map(|(k, arm)| {
            let lever = arm.cross(direction);
            let body = &bodies[k];
            body.inverse_mass + lever.dot(body.turned_inverse_inertia() * lever)
        });
        Row {
            direction,
            effective_mass: 1.0 / softness.sum::<f64>(),
            impulse: 0.0,
        }
    };
    let across = normal.any_orthonormal_vector();
    Touch {
        bodies: [i, j],
        key,
        arms,
        // A gap may close within the step, but not more.
        target: depth.min(0.0) / DT,
        correction: SETTINGS.bias * (depth - SETTINGS.slop).max(0.0) / DT,
        normal: row(normal),
        tangents: [row(across), row(normal.cross(across))],
    }
}

/// What is kept of a contact until the next step: the impulse along the normal, and that across it.
type Kept = BTreeMap<(usize, usize, u64), (f64, DVec3)>;

impl Touch {
    fn impulses(&self) -> (f64, DVec3) {
        let [t0, t1] = &self.tangents;
        let across = t0.direction * t0.impulse + t1.direction * t1.impulse;
        (self.normal.impulse, across)
    }

    fn push(&self, bodies: &mut [Solid], impulse: DVec3) {
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            let body = &mut bodies[self.bodies[k]];
            body.velocity += impulse * (sign * body.inverse_mass);
            body.spin += body.turned_inverse_inertia() * self.arms[k].cross(impulse) * sign;
        }
    }
}

/// Begins with the impulses that contacts of the same ids had in the last step.
fn warm_start(bodies: &mut [Solid], touches: &mut [Touch], kept: &Kept) {
    for touch in touches.iter_mut() {
        if let Some((normal, across)) = kept.get(&touch.key) {
            touch.normal.impulse = *normal;
            for row in &mut touch.tangents {
                row.impulse = row.direction.dot(*across);
            }
            let (normal, across) = touch.impulses();
            touch.push(bodies, touch.normal.direction * normal + across);
        }
    }
}

fn solve(bodies: &mut [Solid], touches: &mut [Touch]) {
    for iteration in 0..SETTINGS.rounds {
        for number in 0..touches.len() {
            // Forth and back, so that no end of the list is favoured.
            let number = if iteration % 2 == 0 {
                number
            } else {
                touches.len() - 1 - number
            };
            let touch = &mut touches[number];
            for row in 0..3 {
                let limit = SETTINGS.friction * touch.normal.impulse;
                let (own, target, range) = match row {
                    0 => (&touch.normal, touch.target, [0.0, f64::INFINITY]),
                    k => (&touch.tangents[k - 1], 0.0, [-limit, limit]),
                };
                let [a, b] = touch.bodies;
                let parting =
                    bodies[b].velocity_at(touch.arms[1]) - bodies[a].velocity_at(touch.arms[0]);
                let wanted = (target - parting.dot(own.direction)) * own.effective_mass;
                let sum = (own.impulse + wanted).clamp(range[0], range[1]);
                let change = own.direction * (sum - own.impulse);
                match row {
                    0 => touch.normal.impulse = sum,
                    k => touch.tangents[k - 1].impulse = sum,
                }
                touch.push(bodies, change);
            }
        }
    }
}

/// Finds the corrections: moves that take out a part of the depth, along normals alone.
fn correct(bodies: &mut [Solid], touches: &[Touch]) {
    for body in bodies.iter_mut() {
        body.correction = [DVec3::ZERO; 2];
    }
    let mut impulses = vec![0.0_f64; touches.len()];
    for _ in 0..SETTINGS.correcting_rounds {
        for (touch, impulse) in touches.iter().zip(&mut impulses) {
            let normal = touch.normal.direction;
            let speed = |k: usize| {
                let [velocity, spin] = bodies[touch.bodies[k]].correction;
                (velocity + spin.cross(touch.arms[k])).dot(normal)
            };
            let wanted = (touch.correction - speed(1) + speed(0)) * touch.normal.effective_mass;
            let sum = (*impulse + wanted).max(0.0);
            let change = normal * (sum - *impulse);
            *impulse = sum;
            for (k, sign) in [(0, -1.0), (1, 1.0)] {
                let body = &mut bodies[touch.bodies[k]];
                let turn = body.turned_inverse_inertia() * touch.arms[k].cross(change);
                body.correction[0] += change * (sign * body.inverse_mass);
                body.correction[1] += turn * sign;
            }
        }
    }
}
