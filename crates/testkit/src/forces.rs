//! Forces of overlapping balls that may not jump, and by how much they may change.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use impinge::spheres::{BallOverlap, InnerSphereTree};
use impinge::{DVec3, Pose};

use crate::oracle::Ball;

/// The names of what [`watched`] gives.
pub const WATCHED: [&str; 6] = [
    "gradient of the lens sum",
    "its torque",
    "gradient of the value, gaps counted",
    "its torque",
    "cones",
    "their torque",
];

/// Forces and torques about the origin of `a`: of the lens sum, of the value with gaps, which is what a penetration query hands out, and by cones.
#[must_use]
pub fn watched(found: &BallOverlap) -> [DVec3; 6] {
    [
        found.gradient.translation,
        found.gradient.rotation,
        found.value_gradient.translation,
        found.value_gradient.rotation,
        found.cones.push.force,
        found.cones.push.torque,
    ]
}

/// How much each of [`WATCHED`] may change when `b` goes so far and turns by so much about its origin, to first order: a sum over pairs of balls.
///
/// The force of a lens is the disc of its rim times the direction of the centres; it acts along their line, so that its torque is that of the same
/// force at the centre of `a`'s ball, which does not move. A cone pushes with the volume at its centroid, which moves no faster than the ball.
///
/// ```
/// use impinge::spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions};
/// use impinge::{DVec3, Pose};
/// use impinge_testkit::forces::largest_change;
/// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
/// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
/// let [near, far] = [1.0, 3.0].map(|x| Pose::from_translation([x, 0.0, 0.0]));
/// let force = largest_change(&tree, &tree, &near?, 1e-6, 0.0)[0];
/// // A disc of radius √¾ that turns with the line of centres.
/// assert!((force / (0.75e-6 * std::f64::consts::PI) - 1.0).abs() < 1e-5);
/// assert_eq!(largest_change(&tree, &tree, &far?, 1e-6, 0.0), [0.0; 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn largest_change(
    a: &InnerSphereTree,
    b: &InnerSphereTree,
    a_from_b: &Pose,
    way: f64,
    turn: f64,
) -> [f64; 6] {
    let mut most = [0.0; 6];
    for is_larger in [false, true] {
        let classes = Classes::new(radii(a, is_larger));
        for (own, s) in radii(b, is_larger) {
            let center = a_from_b.transform_point(own);
            let moved = way + turn * own.length();
            classes.near(center, s + moved, |fixed, r| {
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

/// The balls with their radii, or with the larger ones that count gaps.
fn radii(tree: &InnerSphereTree, is_larger: bool) -> impl Iterator<Item = Ball> {
    let balls = tree.balls().iter().enumerate();
    balls.map(move |(i, ball)| {
        let second = tree.secondary().get(i).copied().unwrap_or(ball.radius);
        (ball.center, if is_larger { second } else { ball.radius })
    })
}

/// Balls by size, each class sorted along x: a ball is compared with few.
struct Classes(Vec<(f64, Vec<Ball>)>);

impl Classes {
    fn new(balls: impl Iterator<Item = Ball>) -> Self {
        let mut classes: BTreeMap<i32, Vec<Ball>> = BTreeMap::new();
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
    fn near(&self, center: DVec3, reach: f64, mut show: impl FnMut(DVec3, f64)) {
        for (radius, class) in &self.0 {
            let (low, high) = (center.x - reach - radius, center.x + reach + radius);
            let first = class.partition_point(|ball| ball.0.x < low);
            for &(other, radius) in class[first..].iter().take_while(|ball| ball.0.x <= high) {
                if other.distance(center) <= reach + radius {
                    show(other, radius);
                }
            }
        }
    }
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
