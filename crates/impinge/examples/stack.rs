//! Do the contacts of meshes hold up a stack?
//!
//! Ten boxes, ten bolts on each other, and ten boxes with bolts between them stand on a floor for ten seconds. All are meshes. The solver is the plainest that
//! there is: sequential impulses with warm starting by the ids of contacts, friction, and a bias that takes out depth.
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

const STEPS_PER_SECOND: u32 = 240;
const DT: f64 = 1.0 / STEPS_PER_SECOND as f64;
const SECONDS: u32 = 10;
const ITERATIONS: u32 = 40;
const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.5;
/// Contacts are asked for from this distance on, in metres.
const MARGIN: f64 = 1e-3;
/// Depth that is left alone, in metres, and the part of the rest that a step takes out.
const SLOP: f64 = 1e-5;
const BIAS: f64 = 0.1;
const DENSITY: f64 = 1000.0;

/// A rigid body; one of infinite mass stays where it is.
struct Solid {
    shape: Mesh,
    centre: DVec3,
    turn: DQuat,
    velocity: DVec3,
    spin: DVec3,
    inverse_mass: f64,
    /// In its own frame.
    inverse_inertia: DMat3,
}

impl Solid {
    /// The body of a mesh whose own origin is put at `at`, turned.
    fn new(mesh: &TriMesh, at: DVec3, turn: DQuat, is_fixed: bool) -> Result<Self, Box<dyn Error>> {
        let own = mass(mesh)?;
        let points = mesh.positions().iter().map(|&p| p - own.centroid);
        let weight = own.volume * DENSITY;
        Ok(Self {
            shape: Mesh::new(points, mesh.faces().iter().copied())?,
            centre: at + turn * own.centroid,
            turn,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            inverse_mass: if is_fixed { 0.0 } else { 1.0 / weight },
            inverse_inertia: if is_fixed {
                DMat3::ZERO
            } else {
                (own.inertia * DENSITY).inverse()
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
    normal: Row,
    tangents: [Row; 2],
}

fn main() -> Result<(), Box<dyn Error>> {
    let floor = cuboid(DVec3::new(2.0, 2.0, 0.1), [1; 3])?;
    let brick = cuboid(DVec3::splat(0.1), [2; 3])?;
    let thread = Thread {
        radius: 0.01,
        depth: 0.002,
        pitch: 0.005,
        clearance: 0.0004,
        segments: 24,
        rows: 6,
    };
    let bolt = screw(&thread, 6)?;
    let height = bolt.bounds().max.z;
    let upright = DQuat::IDENTITY;
    let on_its_head = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let mut scenes: Vec<(&str, Vec<(&TriMesh, f64, DQuat)>)> = Vec::new();
    let boxes = (0..10).map(|k| (&brick, 0.05 + 0.1 * f64::from(k), upright));
    scenes.push(("ten boxes", boxes.collect()));
    let bolts = (1..=10).map(|k| (&bolt, height * f64::from(k), on_its_head));
    scenes.push(("ten bolts", bolts.collect()));
    let both = (0..10).flat_map(|k| {
        let low = f64::from(k) * (0.1 + height);
        [
            (&brick, low + 0.05, upright),
            (&bolt, low + 0.1 + height, on_its_head),
        ]
    });
    scenes.push(("ten boxes and ten bolts in turn", both.collect()));
    for (name, stack) in scenes {
        let ground = Solid::new(&floor, DVec3::new(0.0, 0.0, -0.05), upright, true)?;
        let mut bodies = vec![ground];
        for (mesh, z, turn) in stack {
            bodies.push(Solid::new(mesh, DVec3::new(0.0, 0.0, z), turn, false)?);
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
    for _ in 0..SECONDS * STEPS_PER_SECOND {
        let poses: Vec<Pose> = bodies.iter().map(Solid::pose).collect::<Result<_, _>>()?;
        for body in bodies.iter_mut().filter(|b| b.inverse_mass > 0.0) {
            body.velocity.z -= GRAVITY * DT;
        }
        let mut touches = Vec::new();
        for (i, j, pair) in &mut pairs {
            let (world_from_a, world_from_b) = (poses[*i], poses[*j]);
            let manifold = pair.contacts(&(world_from_a.inverse() * world_from_b), MARGIN)?;
            touching += usize::from(!manifold.is_empty());
            points += manifold.len();
            most_points = most_points.max(manifold.len());
            for point in manifold.points() {
                let at = world_from_a * ((point.point_a + point.point_b) * 0.5);
                let normal = world_from_a.transform_vector(point.normal);
                touches.push(touch(bodies, (*i, *j, point.id), at, normal, point.depth));
            }
        }
        solve(bodies, &mut touches, &mut kept);
        for body in bodies.iter_mut() {
            body.centre += body.velocity * DT;
            let half = body.spin * (0.5 * DT);
            let change = DQuat::from_xyzw(half.x, half.y, half.z, 0.0) * body.turn;
            body.turn = (body.turn + change).normalize();
        }
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
        let softness = [i, j].iter().zip(arms).map(|(&k, arm)| {
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
    let target = if depth > SLOP {
        BIAS * (depth - SLOP) / DT
    } else {
        // A gap may close within the step, but not more.
        (depth - SLOP) / DT
    };
    Touch {
        bodies: [i, j],
        key,
        arms,
        target,
        normal: row(normal),
        tangents: [row(across), row(normal.cross(across))],
    }
}

/// What is kept of a contact until the next step: the impulse along the normal, and that across it.
type Kept = BTreeMap<(usize, usize, u64), (f64, DVec3)>;

fn solve(bodies: &mut [Solid], touches: &mut [Touch], kept: &mut Kept) {
    let inertias: Vec<DMat3> = bodies.iter().map(Solid::turned_inverse_inertia).collect();
    let push = |bodies: &mut [Solid], of: [usize; 2], arms: [DVec3; 2], impulse: DVec3| {
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            let body = &mut bodies[of[k]];
            body.velocity += impulse * (sign * body.inverse_mass);
            body.spin += inertias[of[k]] * arms[k].cross(impulse) * sign;
        }
    };
    for touch in touches.iter_mut() {
        if let Some((normal, across)) = kept.get(&touch.key) {
            touch.normal.impulse = *normal;
            for row in &mut touch.tangents {
                row.impulse = row.direction.dot(*across);
            }
            let sum = touch.normal.direction * *normal
                + touch.tangents[0].direction * touch.tangents[0].impulse
                + touch.tangents[1].direction * touch.tangents[1].impulse;
            push(bodies, touch.bodies, touch.arms, sum);
        }
    }
    for _ in 0..ITERATIONS {
        for touch in touches.iter_mut() {
            let (of, arms, target) = (touch.bodies, touch.arms, touch.target);
            let limit = FRICTION * touch.normal.impulse;
            let [t0, t1] = &mut touch.tangents;
            let rows = [
                (t0, 0.0, [-limit, limit]),
                (t1, 0.0, [-limit, limit]),
                (&mut touch.normal, target, [0.0, f64::INFINITY]),
            ];
            for (row, target, [least, most]) in rows {
                let parting =
                    bodies[of[1]].velocity_at(arms[1]) - bodies[of[0]].velocity_at(arms[0]);
                let wanted = (target - parting.dot(row.direction)) * row.effective_mass;
                let sum = (row.impulse + wanted).clamp(least, most);
                let change = sum - row.impulse;
                row.impulse = sum;
                push(bodies, of, arms, row.direction * change);
            }
        }
    }
    kept.clear();
    for touch in touches.iter() {
        let across = touch.tangents[0].direction * touch.tangents[0].impulse
            + touch.tangents[1].direction * touch.tangents[1].impulse;
        kept.insert(touch.key, (touch.normal.impulse, across));
    }
}
