//! Whether forces and torques of full questions are continuous along a path: they change with the step, and by no more than the
//! balls that overlap allow.

use std::f64::consts::PI;

use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{BallOverlap, SolidBall, SphereTree, TreeCache};
use impinge::{DVec3, Pose};

use super::scene::{Approach, Packed};
use super::{Args, all, held, model, open};
use crate::Bar;

const MODEL: &str = "bunny";
const BALLS: usize = 20_000;
/// Cells along the longest side in which gaps are measured.
const RESOLUTION: u32 = 32;
const STEPS: [usize; 3] = [400, 800, 1600];
/// A continuous force changes half as much in half a step; this much is let pass.
const MOST_RATIO: f64 = 0.7;
/// Every so many steps of the finest path a change is set beside its estimate, which looks at all pairs of balls.
const ESTIMATED: usize = 40;
/// Estimates are of one place, and what changes in a step is not quite that.
const ROOM: f64 = 1.5;
/// The turn along the path, in radians.
const TURN: f64 = 0.2;
/// The way along it, in diagonals.
const DEPTHS: [f64; 2] = [0.01, 0.06];
const WATCHED: [&str; 6] = [
    "gradient of the lens sum",
    "its torque",
    "gradient of the value, gaps counted",
    "its torque",
    "cones",
    "their torque",
];

/// What is watched, with torques about the origin of `a`'s frame.
fn watched(found: &BallOverlap) -> [DVec3; 6] {
    [
        found.gradient.translation,
        found.gradient.rotation,
        found.value_gradient.translation,
        found.value_gradient.rotation,
        found.cones.push.force,
        found.cones.push.torque,
    ]
}

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    if !args.wants_model(MODEL) {
        return Ok(open("forces: its model is not wanted"));
    }
    let Some(index) = model(MODEL, 0)? else {
        return Ok(open("forces: its model is not there"));
    };
    let packed = Packed::new(index, args.balls(BALLS), RESOLUTION)?;
    println!("## Largest change of force and torque in a step");
    println!("| steps | {} |", WATCHED.join(" | "));
    println!("|---|---|---|---|---|---|---|");
    let line = Approach::new(&packed, &mut Rng::new(3))?;
    let (tree, diagonal) = (&packed.spheres, packed.diagonal());
    let place = |t: f64| -> anyhow::Result<Pose> {
        let turn = Pose::from_axis_angle(DVec3::Y, TURN * t, DVec3::ZERO)?;
        let depth = DEPTHS[0] + (DEPTHS[1] - DEPTHS[0]) * t;
        Ok(line.at(line.touch - depth * diagonal)? * turn)
    };
    let mut cache = TreeCache::default();
    let mut changes: Vec<[f64; 6]> = Vec::new();
    let mut largest = [0.0_f64; 6];
    // The largest change in parts of its estimate, and how many were estimated.
    let (mut parts, mut estimated) = ([0.0_f64; 6], 0);
    for steps in STEPS {
        let mut most = [0.0_f64; 6];
        let mut before: Option<[DVec3; 6]> = None;
        for step in 0..=steps {
            let pose = place(step as f64 / steps as f64)?;
            let found = tree.overlap(tree, &pose, Limits::default(), &mut cache);
            let now = watched(&found);
            if let Some(before) = before {
                let change = |k: usize| (now[k] - before[k]).length();
                for k in 0..6 {
                    most[k] = most[k].max(change(k));
                    largest[k] = largest[k].max(now[k].length());
                }
                if steps == STEPS[2] && step % ESTIMATED == 0 && !args.is_over() {
                    let step = 1.0 / steps as f64;
                    let way = (DEPTHS[1] - DEPTHS[0]) * diagonal * step;
                    let most = estimate(tree, &pose, way, TURN * step);
                    for k in 0..6 {
                        parts[k] = parts[k].max(change(k) / most[k].max(f64::MIN_POSITIVE));
                    }
                    estimated += 1;
                }
            }
            before = Some(now);
        }
        let shown = most.map(|change| format!("{change:.2e}"));
        println!("| {steps} | {} |", shown.join(" | "));
        changes.push(most);
    }
    let shown = parts.map(|part| format!("{part:.3}"));
    println!("| in estimates | {} |", shown.join(" | "));
    let is_full = args.is_full(BALLS) && tree.balls().len() == BALLS;
    let has_forces = largest.iter().all(|&length| length > 0.0);
    let falls = changes.windows(2).all(|w| {
        w[1].iter()
            .zip(w[0])
            .all(|(fine, coarse)| *fine <= MOST_RATIO * coarse)
    });
    let falls = if has_forces {
        Bar::of(falls)
    } else {
        Bar::Open
    };
    let is_within = if has_forces && estimated > 0 {
        Bar::of(parts.iter().all(|&part| part <= ROOM))
    } else {
        Bar::Open
    };
    Ok(all(&[
        held(
            "changes of force and torque fall with the step, gaps counted and not: no jump",
            falls,
            is_full,
        ),
        held(
            &format!(
                "no change of force or torque above its Lipschitz estimate, at {estimated} places"
            ),
            is_within,
            is_full && estimated == STEPS[2] / ESTIMATED,
        ),
    ]))
}

/// Centre, radius and number.
type Numbered = (DVec3, f64, usize);

/// Balls by size, each class sorted along x: a ball is compared with few.
struct Classes(Vec<(f64, Vec<Numbered>)>);

impl Classes {
    fn new(balls: impl Iterator<Item = Numbered>) -> Self {
        let mut classes: std::collections::BTreeMap<i32, Vec<Numbered>> =
            std::collections::BTreeMap::new();
        for ball in balls.filter(|ball| ball.1 > 0.0) {
            let class = classes.entry(ball.1.log2().floor() as i32).or_default();
            class.push(ball);
        }
        Self(
            classes
                .into_iter()
                .map(|(exponent, mut class)| {
                    class.sort_by(|x, y| x.0.x.total_cmp(&y.0.x));
                    (2.0_f64.powi(exponent + 1), class)
                })
                .collect(),
        )
    }

    /// Shows all that come within a distance of a ball.
    fn near(&self, center: DVec3, reach: f64, mut show: impl FnMut(DVec3, f64, usize)) {
        for (radius, class) in &self.0 {
            let (low, high) = (center.x - reach - radius, center.x + reach + radius);
            let first = class.partition_point(|ball| ball.0.x < low);
            for &(other, radius, id) in class[first..].iter().take_while(|ball| ball.0.x <= high) {
                if other.distance(center) <= reach + radius {
                    show(other, radius, id);
                }
            }
        }
    }
}

/// How much each of [`WATCHED`] may change when `b` goes so far and turns by so much about its origin, to first order: a sum over pairs of balls.
///
/// The force of a lens is the disc of its rim times the direction of the centres; it acts along their line, so that its torque is that of the same
/// force at the centre of `a`'s ball, which does not move. A cone pushes with the volume at its centroid, which moves no faster than the ball.
fn estimate(tree: &SphereTree, pose: &Pose, way: f64, turn: f64) -> [f64; 6] {
    let radii = |is_larger: bool| {
        let balls = tree.balls().iter().enumerate();
        let radius = move |(i, ball): (usize, &SolidBall)| {
            let second = tree.secondary().get(i).copied().unwrap_or(ball.radius);
            (ball.center, if is_larger { second } else { ball.radius }, i)
        };
        balls.map(radius)
    };
    let mut most = [0.0; 6];
    for is_larger in [false, true] {
        let classes = Classes::new(radii(is_larger));
        for (own, s, _) in radii(is_larger) {
            let center = pose.transform_point(own);
            let moved = way + turn * own.length();
            classes.near(center, s + moved, |fixed, r, _| {
                let lens = Lens::new(r, s, fixed.distance(center), moved);
                let force = lens.force_slope * moved;
                let k = if is_larger { 2 } else { 0 };
                most[k] += force;
                most[k + 1] += force * fixed.length();
                if !is_larger {
                    // The direction of a push turns with the body and with the line of centres, of both balls at most, and twice as fast where it fades.
                    let turned = turn + moved / lens.apart.max(0.25 * r.min(s));
                    let push = lens.disc * moved + 4.0 * lens.volume * turned;
                    let arm = fixed.length() + r;
                    most[4] += push;
                    most[5] += push * arm + lens.volume * (moved + turned * r);
                }
            });
        }
    }
    most
}

/// What two balls share, and how fast that changes.
struct Lens {
    apart: f64,
    volume: f64,
    /// The area of the disc that the rim bounds: the change of the volume.
    disc: f64,
    /// The largest change of the disc times the direction.
    force_slope: f64,
}

impl Lens {
    /// Balls of two radii, so far apart, one of which moves by so much: slopes are the largest of those on the way.
    fn new(r: f64, s: f64, apart: f64, moved: f64) -> Self {
        let mut lens = Self::at(r, s, apart);
        for apart in [apart - moved, apart + moved] {
            let other = Self::at(r, s, apart);
            lens.volume = lens.volume.max(other.volume);
            lens.disc = lens.disc.max(other.disc);
            // Where one ball leaves the other as a whole, the rim appears with a slope.
            if other.force_slope > 0.0 || lens.force_slope > 0.0 {
                let rim = Self::at(r, s, apart.max((r - s).abs() * (1.0 + 1e-9)));
                lens.force_slope = lens.force_slope.max(rim.force_slope);
            }
        }
        lens
    }

    fn at(r: f64, s: f64, apart: f64) -> Self {
        let smaller = r.min(s);
        if apart <= (r - s).abs() {
            return Self {
                apart,
                volume: 4.0 / 3.0 * PI * smaller.powi(3),
                disc: 0.0,
                force_slope: 0.0,
            };
        }
        // Balls that are about to touch change as those that do.
        let d = apart.min(r + s).max(1e-9 * smaller);
        let x = (d * d + r * r - s * s) / (2.0 * d);
        let disc = PI * (r * r - x * x).max(0.0);
        let along = 2.0 * PI * (x * (d - x) / d).abs();
        let cap = |r: f64, h: f64| PI / 3.0 * h * h * (3.0 * r - h);
        Self {
            apart,
            volume: cap(r, r - x) + cap(s, s - (d - x)),
            disc,
            force_slope: along.max(disc / d),
        }
    }
}
