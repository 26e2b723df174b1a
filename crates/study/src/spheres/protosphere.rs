//! The published packer with one prototype, for comparison and for solids of which little is known.

use std::ops::ControlFlow;

use glam::DVec3;

use super::has_size;
use impinge::math::Rng;
use impinge::spheres::Cooling;
use impinge::spheres::Interior;
use impinge::spheres::Packing;
use impinge::spheres::SolidBall;
use impinge::spheres::{PackEnd, PackError, PackOptions, PackProgress, PackWork};

/// Random points tried before the solid counts as full.
const MOST_STARTS: usize = 10_000;

/// The place to which the published rule moves a prototype from `start`, with the largest empty
/// sphere around it: away from the nearest point of the surface or of the spheres, by steps that
/// cool down; the best place counts. None when `start` is not free.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{Cooling, MeshSolid}};
/// use impinge_study::spheres::converge;
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
/// let start = DVec3::new(0.1, 0.05, -0.2);
/// let ball = converge(&MeshSolid::new(&tree)?, &[], start, &Cooling::default());
/// assert!(ball.is_some_and(|ball| ball.radius > 0.29));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn converge(
    solid: &(impl Interior + ?Sized),
    balls: &[SolidBall],
    start: DVec3,
    cooling: &Cooling,
) -> Option<SolidBall> {
    if !solid.contains(start) {
        return None;
    }
    let mut p = start;
    let mut best: Option<(f64, DVec3)> = None;
    let mut before = None;
    for t in 0..=cooling.steps {
        let (distance, away) = nearest(solid, balls, p);
        if distance.is_nan() || distance <= 0.0 {
            break;
        }
        if best.is_none_or(|best| distance > best.0) {
            best = Some((distance, p));
        }
        let ratio = before.map(|before: f64| distance / before);
        p += away * (distance * cooling.factor(t, ratio));
        before = Some(distance);
    }
    let (_, center) = best?;
    let mut radius = (solid.closest_point(center) - center).length() * (1.0 - 8.0 * f64::EPSILON)
        - solid.error();
    for ball in balls {
        radius = radius.min(ball.distance_at_least(center));
    }
    (radius > 0.0 && solid.contains(center)).then_some(SolidBall { center, radius })
}

/// The distance from the nearest point of the surface or a ball, and the direction away from it.
fn nearest(solid: &(impl Interior + ?Sized), balls: &[SolidBall], p: DVec3) -> (f64, DVec3) {
    let from_wall = p - solid.closest_point(p);
    let mut best = (from_wall.length(), from_wall);
    for ball in balls {
        let offset = p - ball.center;
        let distance = offset.length() - ball.radius;
        if distance < best.0 {
            best = (distance, offset);
        }
    }
    (best.0, best.1.normalize_or_zero())
}

/// The packing by one prototype: repeatedly from a random free point to the nearest local maximum
/// of the clearance, with a sphere there.
///
/// Each sphere is tested against all before it, so this is for thousands, not for hundreds of
/// thousands. Spheres are sorted by radius; they are not the largest possible.
/// [`PackOptions::ascent`] is not used.
///
/// # Errors
/// As [`pack`](impinge::spheres::pack).
///
/// ```
/// use impinge::{bvh::wide::WideTree, generate, spheres::{Cooling, MeshSolid, PackOptions}};
/// use impinge_study::spheres::pack_single;
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::tetrahedron(1.0)?));
/// let solid = MeshSolid::new(&tree)?;
/// let options = PackOptions { count: Some(10), ..Default::default() };
/// let packing = pack_single(&solid, &options, &Cooling::default(), &mut |_| std::ops::ControlFlow::Continue(()))?;
/// assert!(packing.balls.len() == 10 && packing.check(&solid).is_feasible());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "Protosphere")]
#[doc(alias = "sphere packing")]
pub fn pack_single(
    solid: &(impl Interior + ?Sized),
    options: &PackOptions,
    cooling: &Cooling,
    progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
) -> Result<Packing, PackError> {
    options.check()?;
    let bounds = solid.bounds();
    if !has_size(&bounds) {
        return Err(PackError::NoSize);
    }
    let mut rng = Rng::new(options.seed);
    let mut balls: Vec<SolidBall> = Vec::new();
    let mut work = PackWork::default();
    let (mut filled, mut failures) = (0.0, 0);
    let mut least = f64::INFINITY;
    let end = loop {
        let fill = filled / solid.volume();
        if options.count.is_some_and(|count| balls.len() >= count) {
            break PackEnd::Count;
        }
        if options.fill.is_some_and(|wanted| fill >= wanted) {
            break PackEnd::Fill;
        }
        if failures >= MOST_STARTS {
            break if options.min_radius.is_some() {
                PackEnd::MinRadius
            } else {
                PackEnd::Full
            };
        }
        let start = DVec3::new(
            rng.range(bounds.min.x, bounds.max.x),
            rng.range(bounds.min.y, bounds.max.y),
            rng.range(bounds.min.z, bounds.max.z),
        );
        work.ascents += 1;
        let ball = converge(solid, &balls, start, cooling)
            .filter(|ball| options.min_radius.is_none_or(|least| ball.radius >= least));
        let Some(ball) = ball else {
            failures += 1;
            continue;
        };
        failures = 0;
        work.unordered += usize::from(ball.radius > least * 1.001);
        work.late += usize::from(ball.radius > least * 1.04);
        least = least.min(ball.radius);
        filled += ball.volume();
        balls.push(ball);
        let now = PackProgress {
            count: balls.len(),
            fill: filled / solid.volume(),
            radius: ball.radius,
        };
        if progress(&now).is_break() {
            break PackEnd::Cancelled;
        }
    };
    if balls.is_empty() && options.count != Some(0) {
        return Err(PackError::NoInterior {
            thinner_than: 2.0 * options.min_radius.unwrap_or(0.0),
        });
    }
    balls.sort_by(|x, y| y.radius.total_cmp(&x.radius));
    Ok(Packing {
        balls,
        solid_volume: solid.volume(),
        end,
        work,
    })
}
