//! A figure in a dress that walks: how it walks is drawn from a seed.

use std::f64::consts::{PI, TAU};

use impinge::math::Rng;
use impinge::{DVec3, TriMesh, generate};

use super::scenes::{Animation, Limb, ease, pitched};

/// Part of all faces that the dress has.
const DRESS: f64 = 0.4;
/// Where the dress begins and ends, and how wide it is there.
const WAIST: f64 = 1.08;
const HEM: f64 = 0.42;
const WIDTH: [f64; 2] = [0.17, 0.42];

/// How the figure walks.
struct Gait {
    /// Double steps a second.
    pace: f64,
    /// Metres of a double step.
    stride: f64,
    leg_swing: f64,
    arm_swing: f64,
    knee: f64,
    /// Turn of the hip about the vertical, in radians.
    hip: f64,
    /// Folds of the dress, where they begin, and how deep they are.
    folds: f64,
    fold_phase: f64,
    depth: f64,
}

impl Gait {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        Self {
            pace: rng.range(0.85, 1.05),
            stride: rng.range(1.2, 1.5),
            leg_swing: rng.range(0.38, 0.5),
            arm_swing: rng.range(0.3, 0.5),
            knee: rng.range(0.7, 0.9),
            hip: rng.range(0.08, 0.16),
            folds: 9.0 + rng.below(6) as f64,
            fold_phase: rng.range(0.0, TAU),
            depth: rng.range(0.035, 0.055),
        }
    }

    /// The phase of the walk at a time.
    fn turn(&self, time: f64) -> f64 {
        TAU * self.pace * time
    }

    /// What hip and all below and above do: on, up and down, and a turn of the hip that the shoulders answer.
    fn carried(&self, p: DVec3, time: f64) -> DVec3 {
        let turn = self.turn(time);
        let yaw = self.hip * turn.sin() * ((1.25 - p.z) / 0.3).clamp(-1.0, 1.0);
        let (sin, cos) = yaw.sin_cos();
        let turned = DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z);
        let sway = 0.025 * turn.sin();
        let lift = 0.025 * (2.0 * turn).cos();
        turned + DVec3::new(self.stride * self.pace * time, sway, lift)
    }
}

impl Limb {
    fn walk(&self, gait: &Gait, p: DVec3, time: f64) -> DVec3 {
        let turn = gait.turn(time) + self.phase;
        let mut p = p * self.half;
        let share = ease(0.5 - 2.0 * p.z / self.half.z);
        // The joint bends most while the limb swings forwards.
        p = pitched(p, self.bend * share * 0.5 * (1.0 + turn.cos()));
        p.z -= self.half.z;
        gait.carried(self.hung_at + pitched(p, self.swing * turn.sin()), time)
    }
}

/// A place on the dress: `u` around, `v` from the waist down.
fn on_dress(gait: &Gait, [u, v]: [f64; 2], time: f64) -> DVec3 {
    let angle = TAU * 0.999 * u;
    // The hem comes after the waist.
    let turn = gait.turn(time - 0.08 * v);
    let mut radius = WIDTH[0] + (WIDTH[1] - WIDTH[0]) * v * (0.7 + 0.3 * v);
    radius += gait.depth * v * (gait.folds * angle + gait.fold_phase + 0.6 * turn.sin()).sin();
    // The leg in front pushes the cloth, and so does the one behind.
    let swing = turn.sin() * gait.leg_swing / 0.45;
    radius += 0.06 * v * v * swing * (angle.cos() * angle.sin()).signum() * angle.cos().powi(2);
    radius += 0.012 * v * (3.0 * angle - 2.0 * turn).sin();
    let lift = 0.03 * v * swing * angle.cos();
    let p = DVec3::new(
        radius * angle.cos(),
        0.8 * radius * angle.sin(),
        WAIST - (WAIST - HEM) * v + lift,
    );
    gait.carried(p, time)
}

/// A figure in a dress that walks, thirty keys a second.
pub(super) fn catwalk(faces: usize, keys: usize, seed: u64) -> anyhow::Result<Animation> {
    let gait = Gait::new(seed);
    let body = faces as f64 * (1.0 - DRESS);
    let limb =
        |share: f64, half: [f64; 3], at: [f64; 3], motion: [f64; 3]| -> anyhow::Result<Limb> {
            let segments = ((body * share).sqrt().ceil() as u32 + 1).max(8);
            let [swing, phase, bend] = motion;
            Ok(Limb {
                mesh: generate::ball(1.0, segments, segments / 2 + 1)?,
                half: DVec3::from_array(half),
                hung_at: DVec3::from_array(at),
                swing,
                phase,
                bend,
            })
        };
    let arm = |side: f64, phase: f64| {
        let motion = [gait.arm_swing, phase, -0.5];
        limb(0.13, [0.045, 0.045, 0.31], [0.0, 0.25 * side, 1.45], motion)
    };
    let leg = |side: f64, phase: f64| {
        let motion = [gait.leg_swing, phase, gait.knee];
        limb(0.16, [0.07, 0.07, 0.46], [0.0, 0.09 * side, 0.92], motion)
    };
    let limbs = [
        limb(0.28, [0.1, 0.16, 0.29], [0.0, 0.0, 1.5], [0.03, 0.0, 0.05])?,
        limb(0.14, [0.09, 0.08, 0.12], [0.0, 0.0, 1.76], [0.03, 1.0, 0.0])?,
        arm(1.0, 0.0)?,
        arm(-1.0, PI)?,
        leg(1.0, PI)?,
        leg(-1.0, 0.0)?,
    ];
    let sides = ((faces as f64 * DRESS / 2.0).sqrt().ceil() as u32).max(8);
    let dress = generate::cloth(sides, sides)?;
    let mut parts: Vec<TriMesh> = limbs.iter().map(|l| l.mesh.clone()).collect();
    let worn: Vec<[f64; 2]> = (dress.positions().iter())
        .map(|p| [p.x + 0.5, p.y + 0.5])
        .collect();
    parts.push(dress);
    let frames = (0..keys)
        .map(|key| {
            let time = key as f64 / 30.0;
            let body = limbs.iter().flat_map(|l| {
                let gait = &gait;
                let places = l.mesh.positions().iter();
                places.map(move |&p| l.walk(gait, p, time))
            });
            let dress = worn.iter().map(|&at| on_dress(&gait, at, time));
            body.chain(dress).collect()
        })
        .collect();
    Ok(Animation::new("catwalk", &parts, frames))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_walks_on_and_seeds_walk_differently() {
        let [one, again, other] = [1, 1, 2].map(|seed| catwalk(3000, 5, seed).unwrap());
        assert!((2500..4000).contains(&one.faces.len()));
        assert!(one.frames == again.frames && one.frames != other.frames);
        let middle = |frame: &[DVec3]| frame.iter().sum::<DVec3>() / frame.len() as f64;
        let went = middle(&one.frames[4]).x - middle(&one.frames[0]).x;
        assert!(went > 0.1 && went < 0.4, "{went}");
        assert!(one.frames.iter().flatten().all(|p| p.is_finite()));
    }
}
