//! Directional penetration depth: the separating translation along a given direction.
//!
//! **Question.** How far must `b` move along a direction until the solids are disjoint?
//! **Idea.** Faces are convex, so each pair touches during one interval of the translation. The end
//! of the last interval separates the solids; it is found by traversing both trees. That nothing
//! separates them earlier is shown by a point that starts in both solids and moves straight to the
//! last contact: it stays in both until it hits a surface. If it does not reach the end (`b` leaves
//! one part of `a` before the next), the intervals of the faces that touch are followed one after
//! the other.
//! **Cost.** About two distances for convex contacts.
//! **Promise.** At `upper` the solids are disjoint, by the exact test. Up to `lower` they overlap.
//! **Limits.** `lower` is computed in `f64` and shortened by its rounding. Following intervals is cut off after a fixed number.

use glam::DVec3;

use super::deepest_point::{DepthOptions, deepest};
use super::depth_scratch::with_scratch;
use super::directional_faces::{Heading, LastContact, last_contact};
use super::solid_queries::SolidPair;
use crate::bvh::wide::{DepthScratch, NodeBox, NodeView, WideCache};
use crate::bvh::{MeshIndex, Relation, Solid};
use crate::math::Pose;
use crate::math::sort::sort_few;
use crate::mesh::point_in_mesh::Location;
use crate::query::{Bounded, FaceId, FacePair, Limits, Outcome, PoseGradient, Work};

/// Intervals followed one after the other.
const MAX_FOLLOWED: u32 = 64;
/// Times the margin at the end is doubled until the exact test agrees that the solids are disjoint.
const MAX_DOUBLINGS: u32 = 40;
/// Tests spent on the deepest overlap as a point to start from: it need not be the deepest.
const MAX_START_TESTS: u64 = 1 << 12;
/// A pair of parts that could touch only this little longer is skipped.
const NEGLIGIBLE: f64 = 1e-14;

/// The last contact of two solids when `b` moves along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "directional penetration depth")]
pub struct DirectionalDepth {
    /// The distance that `b` moves: from there on, up to rounding, they no longer touch.
    pub distance: f64,
    /// The unit direction.
    pub direction: DVec3,
    /// The faces that touch last; none when they never touch along the way.
    pub faces: Option<FacePair>,
    /// Where they touch: the point of `a`.
    pub point: DVec3,
    /// The unit normal of that contact, from `a` to `b`.
    pub normal: DVec3,
}

impl DirectionalDepth {
    /// The derivative of the distance with respect to the pose of `b`, rotations taken about `center` (in the frame
    /// of `a`) before the move; none when nothing touches or the contact is grazing.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::depth::{Solid, separating_translation};
    /// use impinge::{DVec3, Pose, generate::cuboid, query::Limits};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
    /// let (cube, pose) = (Solid::closed(&tree)?, Pose::from_translation([1.5, 0.25, 0.5])?);
    /// let out = separating_translation(&cube, &cube, &pose, DVec3::X, Limits::default(), &mut WideCache::default());
    /// let gradient = out.value.and_then(|exit| exit.gradient(DVec3::ZERO)).ok_or("none")?;
    /// // Moving b along makes the way shorter by as much.
    /// assert!((gradient.translation + DVec3::X).length() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn gradient(&self, center: DVec3) -> Option<PoseGradient> {
        self.faces?;
        let along = self.normal.dot(self.direction);
        if along <= 1e-9 {
            return None;
        }
        let point_b = self.point - self.direction * self.distance;
        Some(PoseGradient::of_point(point_b, self.normal, center).scaled(-1.0 / along))
    }
}

/// The smallest distance that `b` must move along `direction` (of any length, in the frame of `a`) until the solids are disjoint;
/// 0 when they are, none when the direction is zero or not finite.
///
/// ```
/// use impinge::bvh::wide::{WideCache, WideTree};
/// use impinge::depth::{separating_translation, Solid};
/// use impinge::generate::cuboid;
/// use impinge::query::Limits;
/// use impinge::{DVec3, Pose};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
/// let cube = Solid::closed(&tree)?;
/// let aside = Pose::from_translation([1.5, 0.0, 0.0])?;
/// let mut cache = WideCache::default();
/// let out = separating_translation(&cube, &cube, &aside, DVec3::NEG_X, Limits::default(), &mut cache);
/// assert!(out.lower <= 3.5 && 3.5 <= out.upper && out.upper - out.lower < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn separating_translation(
    a: &Solid<'_>,
    b: &Solid<'_>,
    a_from_b: &Pose,
    direction: DVec3,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<DirectionalDepth>> {
    with_scratch(cache, |cache, scratch| {
        separating(
            SolidPair::new(a, b, a_from_b),
            direction,
            limits,
            cache,
            scratch,
        )
    })
}

/// The same with the memory at hand.
pub(super) fn separating(
    solids: SolidPair<'_>,
    direction: DVec3,
    limits: Limits<'_>,
    cache: &mut WideCache,
    scratch: &mut DepthScratch,
) -> Bounded<Option<DirectionalDepth>> {
    let SolidPair { a, b, a_from_b } = solids;
    let unknown = |outcome| Bounded::at_least(0.0, outcome);
    let largest = direction.abs().max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return unknown(Outcome::Complete);
    }
    let Some(direction) = (direction / largest).try_normalize() else {
        return unknown(Outcome::Complete);
    };
    let mut exit = DirectionalDepth {
        distance: 0.0,
        direction,
        faces: None,
        point: DVec3::ZERO,
        normal: direction,
    };
    let Some(relation) = a.bounded_relation(b, a_from_b, limits, cache) else {
        return unknown(Outcome::OutOfBudget);
    };
    if relation == Relation::Disjoint {
        return Bounded {
            value: Some(exit),
            lower: 0.0,
            upper: 0.0,
            outcome: Outcome::Complete,
        };
    }
    let off = 4.0 * solids.slack();
    match last_exit(solids, direction, limits, scratch) {
        Some(last) => exit = last,
        None => return unknown(Outcome::OutOfBudget),
    }
    let Some(mut upper) = free_beyond(solids, &exit, off, cache) else {
        return unknown(Outcome::Complete);
    };
    let mut lower = (covered(solids, &exit, off, limits, scratch) - off).clamp(0.0, upper);
    // What was shown in rounded numbers must not contradict the exact test.
    let at_lower = a_from_b.moved(direction * lower);
    if !at_lower.is_some_and(|moved| a.intersects(b, &moved, cache)) {
        lower = 0.0;
    }
    if upper - lower > 8.0 * off {
        let heading = Heading::new(direction);
        follow(solids, &heading, off, &mut lower, &mut upper, cache);
    }
    exit.distance = exit.distance.clamp(lower, upper);
    Bounded {
        value: Some(exit),
        lower,
        upper,
        outcome: if upper - lower <= 64.0 * off {
            Outcome::Complete
        } else {
            Outcome::OutOfBudget
        },
    }
}

/// A distance at or just beyond the exit at which the exact test says disjoint.
fn free_beyond(
    solids: SolidPair<'_>,
    exit: &DirectionalDepth,
    off: f64,
    cache: &mut WideCache,
) -> Option<f64> {
    let SolidPair { a, b, a_from_b } = solids;
    let mut margin = off;
    for _ in 0..MAX_DOUBLINGS {
        let distance = exit.distance + margin;
        let moved = a_from_b.moved(exit.direction * distance)?;
        if !a.intersects(b, &moved, cache) {
            return Some(distance);
        }
        margin *= 2.0;
    }
    None
}

/// How far `b` can move and certainly still overlaps `a`.
///
/// A point that starts in both solids and goes straight to the last contact, while `b` moves under it to the same place, stays in
/// both as long as its way in `a` and its way in `b` are free. In convex solids both ways are.
fn covered(
    solids: SolidPair<'_>,
    exit: &DirectionalDepth,
    off: f64,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
) -> f64 {
    let SolidPair { a, b, a_from_b } = solids;
    let b_from_a = a_from_b.inverse();
    let into_b = |p: DVec3| b_from_a.transform_point(p);
    // Where the last contact is on a, and where it was on b before the move.
    let (end_a, end_b) = (exit.point, exit.point - exit.direction * exit.distance);
    let mut most: f64 = 0.0;
    for which in 0..STARTS {
        let Some(start) = start(which, solids, exit, limits, scratch) else {
            continue;
        };
        let free_in_a = if start == end_a {
            1.0
        } else {
            free_way(a, start, end_a, off, scratch)
        };
        let free_in_b = if start == end_b {
            1.0
        } else {
            free_way(b, into_b(start), into_b(end_b), off, scratch)
        };
        most = most.max(free_in_a.min(free_in_b) * exit.distance);
        if most >= exit.distance {
            break;
        }
    }
    most
}

/// How many points [`start`] returns.
const STARTS: usize = 4;

/// A point that is likely to lie in both solids, in the frame of `a`: the ends of the last contact, the middle of where
/// the solids' boxes overlap, the middle of the deepest overlap.
fn start(
    which: usize,
    solids: SolidPair<'_>,
    exit: &DirectionalDepth,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
) -> Option<DVec3> {
    let SolidPair { a, b, a_from_b } = solids;
    match which {
        0 => Some(exit.point),
        1 => Some(exit.point - exit.direction * exit.distance),
        2 => {
            let (a, b) = (a.tree().whole()?, b.tree().whole()?.placed(a_from_b));
            let reach = |part: &NodeView| {
                let b = &part.bounds;
                DVec3::new(b.radius(DVec3::X), b.radius(DVec3::Y), b.radius(DVec3::Z))
            };
            let low = (a.bounds.center - reach(&a)).max(b.bounds.center - reach(&b));
            let high = (a.bounds.center + reach(&a)).min(b.bounds.center + reach(&b));
            Some(0.5 * (low + high))
        }
        _ => {
            let most = limits.max_tests.unwrap_or(MAX_START_TESTS);
            let limits = Limits {
                max_tests: Some(most.min(MAX_START_TESTS)),
                ..limits
            };
            let options = DepthOptions {
                absolute: 0.0,
                relative: 0.25,
            };
            let deep = deepest(solids, &options, limits, scratch).value?;
            Some(0.5 * (deep.point_a + deep.point_b))
        }
    }
}

/// Which part of the way from a point inside to another stays inside.
fn free_way(
    solid: &Solid<'_>,
    from: DVec3,
    to: DVec3,
    off: f64,
    scratch: &mut DepthScratch,
) -> f64 {
    if solid.location(from, &mut scratch.probe) != Location::Inside {
        return 0.0;
    }
    let way = to - from;
    let length = way.length();
    let Some(direction) = way.try_normalize() else {
        return 1.0;
    };
    match solid.first_hit(from, direction, 0.0, &mut scratch.ahead) {
        Some(hit) if hit < length - off => hit / length,
        _ => 1.0,
    }
}

/// Follows the intervals of touching faces from `lower` on; raises `lower`, or finds an earlier gap and lowers `upper`.
fn follow(
    solids: SolidPair<'_>,
    heading: &Heading,
    off: f64,
    lower: &mut f64,
    upper: &mut f64,
    cache: &mut WideCache,
) {
    let SolidPair { a, b, a_from_b } = solids;
    for _ in 0..MAX_FOLLOWED {
        let at = *lower + 2.0 * off;
        if at >= *upper {
            return;
        }
        let Some(moved) = a_from_b.moved(heading.direction * at) else {
            return;
        };
        let mut farthest: Option<f64> = None;
        let mut sink = |pair: FacePair| {
            let face_a = a.tree().mesh().triangle(pair.a);
            let face_b = b.tree().mesh().triangle(pair.b);
            let placed = face_b.map(|p| moved.transform_point(p));
            if let Some(last) = last_contact(&face_a, &placed, heading) {
                farthest = Some(farthest.map_or(last.distance, |f: f64| f.max(last.distance)));
            }
            std::ops::ControlFlow::Continue(())
        };
        let _ = a
            .tree()
            .intersections(b.tree(), &moved, Limits::default(), cache, &mut sink);
        match farthest {
            Some(more) => {
                let next = at + more - off;
                if next <= *lower {
                    return;
                }
                *lower = next.min(*upper);
            }
            None if a.intersects(b, &moved, cache) => return,
            None => {
                *upper = at;
                return;
            }
        }
    }
}

/// A search for the last contact along a heading.
struct LastContactSearch<'s, 't> {
    a: &'s Solid<'t>,
    b: &'s Solid<'t>,
    a_from_b: &'s Pose,
    heading: Heading,
    limits: Limits<'s>,
    off: f64,
    work: Work,
    best: Option<(LastContact, FacePair)>,
}

impl LastContactSearch<'_, '_> {
    /// Whether the search was finished.
    fn run(&mut self, stack: &mut Vec<(f64, NodeView, NodeView)>) -> bool {
        let (tree_a, tree_b) = (self.a.tree(), self.b.tree());
        let (Some(a), Some(b)) = (tree_a.whole(), tree_b.whole()) else {
            return true;
        };
        let b = b.placed(self.a_from_b);
        stack.clear();
        stack.push((f64::INFINITY, a, b));
        let mut visits = 0_u32;
        while let Some((at_most, a, b)) = stack.pop() {
            if self.leaves(at_most) {
                continue;
            }
            visits = visits.wrapping_add(1);
            let look = visits.is_multiple_of(64);
            if !self.limits.allows(self.work.tests()) || (look && self.limits.is_stopped()) {
                return false;
            }
            if a.is_leaf() && b.is_leaf() {
                self.faces(&a, &b);
                continue;
            }
            let size = |part: &NodeView| part.bounds.half.element_sum();
            let bottom = stack.len();
            let mut push = |search: &mut Self, a: NodeView, b: NodeView| {
                search.work.volume_tests += 1;
                let at_most = search.contact_at_most(&a.bounds, &b.bounds);
                if !search.leaves(at_most) {
                    stack.push((at_most, a, b));
                }
            };
            if b.is_leaf() || (!a.is_leaf() && size(&a) >= size(&b)) {
                for child in tree_a.parts(&a) {
                    push(self, child, b);
                }
            } else {
                for child in tree_b.parts(&b) {
                    push(self, a, child.placed(self.a_from_b));
                }
            }
            sort_few(&mut stack[bottom..], |x, y| x.0.total_cmp(&y.0));
        }
        true
    }

    /// Whether a pair that touches no later than this can be skipped.
    fn leaves(&self, at_most: f64) -> bool {
        match &self.best {
            None => at_most < -self.off,
            Some((best, _)) => at_most <= best.distance * (1.0 + NEGLIGIBLE),
        }
    }

    fn faces(&mut self, a: &NodeView, b: &NodeView) {
        let (tree_a, tree_b) = (self.a.tree(), self.b.tree());
        for &face_b in tree_b.faces_of(b) {
            let face_b = FaceId::new(face_b);
            let corners = tree_b.mesh().triangle(face_b);
            let placed = corners.map(|p| self.a_from_b.transform_point(p));
            for &face_a in tree_a.faces_of(a) {
                let face_a = FaceId::new(face_a);
                self.work.face_tests += 1;
                let corners = tree_a.mesh().triangle(face_a);
                let Some(last) = last_contact(&corners, &placed, &self.heading) else {
                    continue;
                };
                // Among equals the widest contact: its middle is the farthest from any border.
                let better = match &self.best {
                    None => last.distance >= -self.off,
                    Some((best, _)) => {
                        let more = last.distance - best.distance;
                        more > self.off || (more >= -self.off && last.spread > best.spread)
                    }
                };
                if better {
                    let pair = FacePair {
                        a: face_a,
                        b: face_b,
                    };
                    self.best = Some((last, pair));
                }
            }
        }
    }

    /// A distance beyond which the boxes touch no more.
    fn contact_at_most(&self, a: &NodeBox, b: &NodeBox) -> f64 {
        let between = a.center - b.center;
        let d = self.heading.direction;
        let farthest = d.dot(between) + a.radius(d) + b.radius(d) + self.off;
        let mut at_most = farthest;
        let aside = between - d * between.dot(d);
        for n in a.axes.iter().chain(&b.axes).chain([&aside]) {
            let along = n.dot(d);
            let n = if along < 0.0 { -*n } else { *n };
            let (along, length) = (along.abs(), n.length());
            // b + s·d is beyond a along n once s·(n·d) exceeds n·between and both radii.
            let radius = a.radius(n) + b.radius(n) + self.off * length;
            let away = n.dot(between);
            if along > 1e-9 * length {
                at_most = at_most.min((away + radius) / along);
            } else if away.abs() - radius > along * farthest.max(0.0) {
                return f64::NEG_INFINITY;
            }
        }
        at_most
    }
}

/// Where the solids last touch when `b` moves along a unit direction; none when they never do or a limit is met.
pub(super) fn last_exit(
    solids: SolidPair<'_>,
    direction: DVec3,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
) -> Option<DirectionalDepth> {
    let SolidPair { a, b, a_from_b } = solids;
    let mut search = LastContactSearch {
        a,
        b,
        a_from_b,
        heading: Heading::new(direction),
        limits,
        off: 4.0 * solids.slack(),
        work: Work::default(),
        best: None,
    };
    if !search.run(&mut scratch.pairs) {
        return None;
    }
    let (last, faces) = search.best?;
    Some(DirectionalDepth {
        distance: last.distance.max(0.0),
        direction,
        faces: Some(faces),
        point: last.point,
        normal: last.normal,
    })
}
