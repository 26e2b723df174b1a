//! Time of impact of two moving inner sphere trees.
//!
//! **Idea.** Conservative advancement: the gap is known, and the speed of all points is bounded. So
//! nothing touches before the gap is closed at that speed, and time advances by that much.
//!
//! **Promise.** Spheres are inside their solids, so solids touch no later than spheres do, and
//! perhaps earlier. Three times are returned: until when the solids are certainly apart, until when
//! the spheres are, and a time at which two spheres certainly touch.

use super::distance::NearestBalls;
use super::inner_sphere_tree::InnerSphereTree;
use super::tree_pair::{InnerSphereTreeCache, TreePair};
use crate::math::{Motion, Pose};
use crate::query::{Limits, Outcome};

/// Steps of one query.
const MOST_STEPS: usize = 2000;
/// Gaps below this fraction of the sizes count as closing: then a time is looked for at which balls touch.
const CLOSE: f64 = 1e-9;
/// How often a look ahead doubles.
const MOST_LOOKS: i32 = 24;

/// The time of impact of two moving packed solids, as a fraction of the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallImpact {
    /// The solids share no point before this time; 0 without [`InnerSphereTree::with_surface`] on both sides, and where one of them might begin in a
    /// gap of the other's packing.
    pub solids_apart_until: f64,
    /// No two balls touch before this time.
    pub balls_apart_until: f64,
    /// A time at which two spheres touch or overlap, and which: the solids touch then, or before.
    pub contact: Option<(f64, (usize, usize))>,
    /// Whether the motion was followed to its end or to a contact; if not, the bounds are valid but
    /// not tight.
    pub outcome: Outcome,
}

impl InnerSphereTree {
    /// The first contact of spheres of two moving trees, and the resulting bounds for the solids;
    /// nothing when a tree is empty.
    ///
    /// The motions are those of the two bodies in the world.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, math::Motion, query::Limits, spheres::*};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let still = Motion::still(&Pose::IDENTITY);
    /// let from = Pose::from_translation([10.0, 0.0, 0.0])?;
    /// let moving = Motion::between(&from, &Pose::IDENTITY);
    /// let found = tree.impact(&tree, &still, &moving, Limits::default(), &mut InnerSphereTreeCache::default());
    /// let time = found.and_then(|f| f.contact).map_or(1.0, |c| c.0);
    /// assert!((time - 0.8).abs() < 1e-8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impact(
        &self,
        other: &Self,
        motion: &Motion,
        other_motion: &Motion,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> Option<BallImpact> {
        let speed = self.top_speed(motion)? + other.top_speed(other_motion)?;
        let size = self.root?.radius + other.root?.radius;
        let mut spent = 0;
        let mut gap_at = |t: f64| {
            let a_from_b: Pose = motion.at(t).inverse() * other_motion.at(t);
            let limits = Limits {
                max_tests: limits.max_tests.map(|most| most.saturating_sub(spent)),
                ..limits
            };
            let scene = TreePair::new(self, other, &a_from_b, cache.level);
            cache.stack.clear();
            cache.tests = 0;
            cache.stack.extend(scene.root());
            let nearest = scene.nearest(limits, cache, |gap| gap <= 0.0);
            spent += cache.tests;
            nearest
        };
        // What rounding of poses may do to a gap.
        let room = 1e-13 * (size + self.span() + other.span() + speed);
        let mut found = BallImpact {
            solids_apart_until: 0.0,
            balls_apart_until: 0.0,
            contact: None,
            outcome: Outcome::OutOfBudget,
        };
        let contact = |t: f64, nearest: &NearestBalls| {
            let (a, b) = nearest.balls;
            Some((t, (a as usize, b as usize)))
        };
        // Solids first: their gap is smaller, so that the balls' time follows from where it ends.
        let reach = self
            .reach
            .zip(other.reach)
            .map(|(a, b)| a.surface + b.surface);
        let mut t = 0.0;
        let mut solids = reach.is_some();
        for _ in 0..MOST_STEPS {
            let nearest = gap_at(t);
            if nearest.gap <= 0.0 {
                found.contact = contact(t, &nearest);
                found.outcome = Outcome::Complete;
                break;
            }
            if nearest.outcome != Outcome::Complete {
                break;
            }
            // Solids that are apart at first stay so until their surfaces meet.
            if t == 0.0 {
                solids = solids && self.is_none_inside(other, &nearest);
            }
            let step = |gap: f64| {
                if speed > 0.0 {
                    (gap - room).max(0.0) / speed
                } else {
                    f64::INFINITY
                }
            };
            found.balls_apart_until = found
                .balls_apart_until
                .max((t + step(nearest.gap)).min(1.0));
            let mut ahead = step(nearest.gap);
            if let Some(reach) = reach.filter(|_| solids) {
                let own = step(nearest.gap - reach);
                found.solids_apart_until = found.solids_apart_until.max((t + own).min(1.0));
                if own > 1e-3 * ahead {
                    ahead = own;
                } else {
                    // Surfaces may touch from here on.
                    solids = false;
                }
            }
            if t >= 1.0 {
                found.outcome = Outcome::Complete;
                break;
            }
            if nearest.gap <= CLOSE * size + room {
                // Balls come no nearer than rounding by advancing: look for a time just behind at which they touch.
                let first = step(nearest.gap).max(1e-15);
                let looks = (0..MOST_LOOKS).map(|k| (t + first * libm::scalbn(1.0, k)).min(1.0));
                let hit = looks.map(|u| (u, gap_at(u))).find(|(_, n)| n.gap <= 0.0);
                if let Some((u, nearest)) = hit {
                    found.contact = contact(u, &nearest);
                    found.outcome = Outcome::Complete;
                    break;
                }
                // Grazing: nothing touches at the times looked at, but that is no proof.
                ahead = ahead.max(room / speed.max(f64::MIN_POSITIVE));
            }
            if t + ahead <= t {
                break;
            }
            t = (t + ahead).min(1.0);
        }
        Some(found)
    }

    /// No point of the balls is faster, in units of length per motion.
    fn top_speed(&self, motion: &Motion) -> Option<f64> {
        let root = self.root?;
        let radius = (root.center - motion.center()).length() + root.radius;
        Some(motion.max_speed(radius))
    }
}
