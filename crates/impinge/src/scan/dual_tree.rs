//! Dual-tree search: the point nearest to a sphere tree.
//!
//! A pair is a bounding sphere and a box of points. No pair below it is nearer than the box is to
//! the sphere, so pairs beyond the best found are pruned; otherwise the larger of the two is
//! opened, its nearest child first.

use glam::DVec3;

use super::point_tree::{LANES, NodePlace, PointBlock, PointTree};
use super::sphere_tree::{PlacedSphereTree, SphereKind, SphereView};

/// A ball and a point: nearer ones come first, then the first point, then the first ball.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct BallPoint {
    pub(super) gap: f64,
    pub(super) point: u32,
    pub(super) ball: u32,
}

/// The best so far and where its point is.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestBallPoint {
    pub(super) pair: BallPoint,
    pub(super) position: DVec3,
}

impl BestBallPoint {
    /// Nothing found, and nothing wanted whose gap exceeds this.
    pub(super) fn within(limit: f64) -> Self {
        Self {
            pair: BallPoint {
                gap: limit,
                point: u32::MAX,
                ball: u32::MAX,
            },
            position: DVec3::ZERO,
        }
    }

    pub(super) fn is_found(&self) -> bool {
        self.pair.point != u32::MAX
    }

    pub(super) fn offer(&mut self, pair: BallPoint, position: DVec3) {
        if pair < self.pair {
            *self = Self { pair, position };
        }
    }
}

/// A part of each tree that has to be examined yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingPair {
    bound: f64,
    part: u32,
    place: NodePlace,
}

/// Improves the best; stops early when a gap is not above `enough`. Gives the number of pairs compared.
pub(super) fn descend(
    points: &PointTree,
    balls: &PlacedSphereTree<'_>,
    enough: f64,
    best: &mut BestBallPoint,
    waiting: &mut Vec<PendingPair>,
) -> u64 {
    waiting.clear();
    let Some(root) = points.root().filter(|_| !balls.tree.is_empty()) else {
        return 0;
    };
    waiting.push(PendingPair {
        bound: f64::NEG_INFINITY,
        part: 0,
        place: root,
    });
    let mut tests = 0;
    while let Some(pair) = waiting.pop() {
        if pair.bound > best.pair.gap {
            continue;
        }
        if best.is_found() && best.pair.gap <= enough {
            break;
        }
        let part = balls.part(pair.part);
        let from = waiting.len();
        match part.kind {
            SphereKind::Ball(ball) if pair.place.level == 0 => {
                measure(points.block(pair.place.index), &part, ball, best);
                tests += LANES as u64;
            }
            SphereKind::Around { first, count } if opens_balls(points, &part, pair.place) => {
                let bounds = points.box_of(pair.place);
                for child in first..first + count {
                    let part = balls.part(child);
                    let bound = part.gap_at_least(distance(&bounds, part.center));
                    push(waiting, from, best, bound, child, pair.place);
                }
                tests += u64::from(count);
            }
            _ => {
                let sq = points.node(pair.place).distances_sq(part.center);
                for (lane, sq) in sq.into_iter().enumerate() {
                    let bound = part.gap_at_least(sq.sqrt());
                    push(
                        waiting,
                        from,
                        best,
                        bound,
                        pair.part,
                        pair.place.child(lane),
                    );
                }
                tests += LANES as u64;
            }
        }
    }
    tests
}

/// Whether the balls are what to open: they must be where the points cannot be, and should be where they are the larger.
fn opens_balls(points: &PointTree, part: &SphereView, place: NodePlace) -> bool {
    if place.level == 0 {
        return true;
    }
    let size = points.box_of(place).diagonal();
    4.0 * part.radius * part.radius > size.length_squared()
}

/// Rounds as [`Node::distances_sq`](super::point_tree::PointNode::distances_sq) does.
#[inline(always)]
fn distance(bounds: &crate::bound::Aabb, p: DVec3) -> f64 {
    let gap = (bounds.min - p).max(p - bounds.max).max(DVec3::ZERO);
    (gap.x * gap.x + gap.y * gap.y + gap.z * gap.z).sqrt()
}

/// Nearest last among those pushed together, since the last is taken first.
#[inline(always)]
fn push(
    waiting: &mut Vec<PendingPair>,
    from: usize,
    best: &BestBallPoint,
    bound: f64,
    part: u32,
    place: NodePlace,
) {
    if bound > best.pair.gap || bound == f64::INFINITY {
        return;
    }
    let item = PendingPair { bound, part, place };
    waiting.push(item);
    let mut at = waiting.len() - 1;
    while at > from && waiting[at - 1].bound < bound {
        waiting[at] = waiting[at - 1];
        at -= 1;
    }
    waiting[at] = item;
}

#[inline(always)]
fn measure(block: &PointBlock, part: &SphereView, ball: u32, best: &mut BestBallPoint) {
    let sq = block.distances_sq(part.center);
    for (lane, sq) in sq.into_iter().enumerate() {
        let gap = sq.sqrt() - part.radius;
        if gap <= best.pair.gap
            && let Some(position) = block.point(lane)
        {
            let point = block.id[lane];
            best.offer(BallPoint { gap, point, ball }, position);
        }
    }
}
