//! Smallest enclosing sphere of given spheres.
//!
//! **Idea.** At most four spheres touch the smallest enclosing one from inside. Begin with one,
//! find the sphere that extends farthest outside, replace the touching ones by the best choice
//! among them and the new one, and repeat: the radius grows each time.
//!
//! **Source.** The scheme of Gärtner, 1999, doi:10.1007/3-540-48481-7_29, with the equations of Fischer and Gärtner for balls, 2004,
//! doi:10.1142/S0218195904001500.
//!
//! **Promise.** The ball that comes back holds all the others, rounding included. It is the smallest up to a relative 10⁻⁹.

use glam::DVec3;

use super::solid_ball::SolidBall;

const MOST_ROUNDS: usize = 200;
/// Balls that stick out by less than this fraction of the radius are left to the final rounding.
const ENOUGH: f64 = 1e-12;

/// The smallest ball around the given ones; none when there are none.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, enclosing_ball}};
/// let ball = |x, radius| SolidBall { center: DVec3::X * x, radius };
/// let around = enclosing_ball(&[ball(0.0, 1.0), ball(5.0, 2.0), ball(1.0, 0.5)]).map(|b| b.radius);
/// assert!((around.unwrap_or(0.0) - 4.0).abs() < 1e-9);
/// ```
#[must_use]
#[doc(alias = "smallest enclosing sphere")]
pub fn enclosing_ball(balls: &[SolidBall]) -> Option<SolidBall> {
    if let [one] = balls {
        return Some(holding(one.center, balls));
    }
    let first = *balls.iter().max_by(|x, y| x.radius.total_cmp(&y.radius))?;
    let mut support: Vec<SolidBall> = vec![first];
    let mut best = first;
    for _ in 0..MOST_ROUNDS {
        let (far, excess) = farthest(&best, balls);
        if excess <= ENOUGH * best.radius.max(f64::MIN_POSITIVE) {
            break;
        }
        let Some((around, chosen)) = smallest_with(&support, far) else {
            break;
        };
        // Rounding may stall the growth; then the end is reached as well as it can be.
        if around.radius <= best.radius {
            break;
        }
        best = around;
        support = chosen;
    }
    Some(holding(best.center, balls))
}

/// The ball about `center` that just holds all balls, rounded outwards.
pub(super) fn holding(center: DVec3, balls: &[SolidBall]) -> SolidBall {
    let mut radius = 0.0_f64;
    for ball in balls {
        radius =
            radius.max((ball.center - center).length() * (1.0 + 4.0 * f64::EPSILON) + ball.radius);
    }
    SolidBall {
        center,
        radius: radius * (1.0 + 2.0 * f64::EPSILON),
    }
}

/// The ball that sticks out most, and by how much.
fn farthest(around: &SolidBall, balls: &[SolidBall]) -> (SolidBall, f64) {
    let mut best = (*around, f64::NEG_INFINITY);
    for ball in balls {
        let excess = (ball.center - around.center).length() + ball.radius - around.radius;
        if excess > best.1 {
            best = (*ball, excess);
        }
    }
    best
}

/// The smallest ball around `support` and `new`, and those that it touches, `new` among them.
fn smallest_with(support: &[SolidBall], new: SolidBall) -> Option<(SolidBall, Vec<SolidBall>)> {
    let mut best: Option<(SolidBall, Vec<SolidBall>)> = None;
    for subset in 0..1_u32 << support.len().min(4) {
        if subset.count_ones() > 3 {
            continue;
        }
        let mut chosen = vec![new];
        chosen.extend(
            support
                .iter()
                .enumerate()
                .filter(|(k, _)| subset >> k & 1 == 1)
                .map(|(_, ball)| *ball),
        );
        let Some(around) = touching(&chosen) else {
            continue;
        };
        let slack = 1e-10 * around.radius;
        let holds_all = support.iter().chain(&chosen).all(|ball| {
            (ball.center - around.center).length() + ball.radius <= around.radius + slack
        });
        if holds_all
            && best
                .as_ref()
                .is_none_or(|best| around.radius < best.0.radius)
        {
            best = Some((around, chosen));
        }
    }
    best
}

/// The smallest ball that all given ones, at most four, touch from inside, with its centre among theirs.
fn touching(balls: &[SolidBall]) -> Option<SolidBall> {
    let (first, rest) = balls.split_first()?;
    if rest.is_empty() {
        return Some(*first);
    }
    // With x the centre and R the radius: q·x = a + R·b for each other ball, and |x| = R − r₀.
    let n = rest.len();
    let mut rows = [[0.0_f64; 5]; 3];
    let q: Vec<DVec3> = rest.iter().map(|ball| ball.center - first.center).collect();
    for i in 0..n {
        for j in 0..n {
            rows[i][j] = q[i].dot(q[j]);
        }
        let r = rest[i].radius;
        rows[i][3] = 0.5 * (q[i].length_squared() + (first.radius - r) * (first.radius + r));
        rows[i][4] = r - first.radius;
    }
    let (a, b) = solve(&mut rows, n)?;
    let blend = |w: &[f64; 3]| (0..n).fold(DVec3::ZERO, |sum, k| sum + q[k] * w[k]);
    let (u, v) = (blend(&a), blend(&b));
    // |u + R·v|² = (R − r₀)².
    let (r0, vv, uv, uu) = (first.radius, v.dot(v), u.dot(v), u.dot(u));
    let (qa, qb, qc) = (vv - 1.0, uv + r0, uu - r0 * r0);
    let least = balls.iter().fold(0.0_f64, |m, ball| m.max(ball.radius));
    let roots = if qa.abs() < 1e-14 {
        [-qc / (2.0 * qb), f64::NAN]
    } else {
        let root = (qb * qb - qa * qc).max(0.0).sqrt();
        [(-qb + root) / qa, (-qb - root) / qa]
    };
    let radius = roots
        .into_iter()
        .filter(|r| r.is_finite() && *r >= least * (1.0 - 1e-12))
        .min_by(f64::total_cmp)?;
    Some(SolidBall {
        center: first.center + u + v * radius,
        radius,
    })
}

/// Solves the first `n` rows for both right sides; none when they are dependent.
fn solve(rows: &mut [[f64; 5]; 3], n: usize) -> Option<([f64; 3], [f64; 3])> {
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()))?;
        rows.swap(column, pivot);
        let scale = rows[column][column];
        let largest = rows[column][..n]
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        if scale.is_nan() || scale.abs() <= 1e-12 * largest {
            return None;
        }
        for row in 0..n {
            if row != column {
                let factor = rows[row][column] / scale;
                let pivot = rows[column];
                for (value, pivot) in rows[row].iter_mut().zip(pivot) {
                    *value -= factor * pivot;
                }
            }
        }
    }
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    for k in 0..n {
        a[k] = rows[k][3] / rows[k][k];
        b[k] = rows[k][4] / rows[k][k];
    }
    Some((a, b))
}
