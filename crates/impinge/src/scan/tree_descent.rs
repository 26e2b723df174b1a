//! Traversal of a point tree, nearest first.

use std::ops::ControlFlow;

use glam::DVec3;

use super::point_index::{PointHit, PointIndex};
use super::point_tree::{LANES, PointBlock, PointNode, PointTree};
use crate::bound::Aabb;
use crate::math::is_valid_point;
use crate::query::{Outcome, Sink};

/// Places that can wait at once: seven of each level and eight of the lowest.
const MAX_WAITING: usize = 88;

/// Tests boxes and points.
pub(super) trait PointVisitor {
    /// Boxes whose bound exceeds this are of no interest any more.
    fn limit(&self) -> f64;
    /// A number per child that nothing below it falls short of.
    fn bounds(&mut self, node: &PointNode) -> [f64; LANES];
    /// Takes the points of a block.
    fn visit(&mut self, block: &PointBlock, index: u32) -> ControlFlow<()>;
}

impl PointTree {
    /// Shows every block that may be of interest.
    pub(super) fn descend(&self, visitor: &mut impl PointVisitor) -> ControlFlow<()> {
        let Some(root) = self.root() else {
            return ControlFlow::Continue(());
        };
        let mut waiting = [(0.0, root); MAX_WAITING];
        let mut count = 1;
        waiting[0].0 = f64::NEG_INFINITY;
        while count > 0 {
            count -= 1;
            let (bound, place) = waiting[count];
            if bound > visitor.limit() {
                continue;
            }
            if place.level == 0 {
                visitor.visit(self.block(place.index), place.index)?;
                continue;
            }
            let bounds = visitor.bounds(self.node(place));
            let limit = visitor.limit();
            let from = count;
            for (lane, &bound) in bounds.iter().enumerate() {
                // Absent children are infinitely far away.
                if bound > limit || bound == f64::INFINITY {
                    continue;
                }
                // Nearest last, since the last is taken first.
                let mut at = count;
                while at > from && waiting[at - 1].0 < bound {
                    waiting[at] = waiting[at - 1];
                    at -= 1;
                }
                waiting[at] = (bound, place.child(lane));
                count += 1;
            }
        }
        ControlFlow::Continue(())
    }
}

struct NearestDescent {
    p: DVec3,
    best_sq: f64,
    found: Option<(u32, DVec3)>,
}

impl PointVisitor for NearestDescent {
    fn limit(&self) -> f64 {
        self.best_sq
    }
    #[inline(always)]
    fn bounds(&mut self, node: &PointNode) -> [f64; LANES] {
        node.distances_sq(self.p)
    }
    #[inline(always)]
    fn visit(&mut self, block: &PointBlock, _: u32) -> ControlFlow<()> {
        let sq = block.distances_sq(self.p);
        for (lane, &sq) in sq.iter().enumerate() {
            let id = block.id[lane];
            let is_first = self.found.is_none_or(|(other, _)| id < other);
            let is_better = sq < self.best_sq || (sq == self.best_sq && is_first);
            if is_better && let Some(position) = block.point(lane) {
                self.best_sq = sq;
                self.found = Some((id, position));
            }
        }
        ControlFlow::Continue(())
    }
}

struct WithinDescent<'s> {
    center: DVec3,
    radius: f64,
    sink: &'s mut dyn Sink<PointHit>,
}

impl PointVisitor for WithinDescent<'_> {
    fn limit(&self) -> f64 {
        self.radius
    }
    #[inline(always)]
    fn bounds(&mut self, node: &PointNode) -> [f64; LANES] {
        node.distances_sq(self.center).map(f64::sqrt)
    }
    fn visit(&mut self, block: &PointBlock, _: u32) -> ControlFlow<()> {
        let sq = block.distances_sq(self.center);
        for (lane, sq) in sq.into_iter().enumerate() {
            let distance = sq.sqrt();
            if distance <= self.radius
                && let Some(position) = block.point(lane)
            {
                self.sink.accept(PointHit {
                    point: block.id[lane],
                    position,
                    distance,
                })?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl PointIndex for PointTree {
    fn count(&self) -> usize {
        self.len()
    }

    fn around(&self) -> Aabb {
        self.bounds()
    }

    fn nearest(&self, p: DVec3) -> Option<PointHit> {
        if !is_valid_point(p) {
            return None;
        }
        let mut nearest = NearestDescent {
            p,
            best_sq: f64::INFINITY,
            found: None,
        };
        let _ = self.descend(&mut nearest);
        let (point, position) = nearest.found?;
        Some(PointHit {
            point,
            position,
            distance: nearest.best_sq.sqrt(),
        })
    }

    fn within(&self, center: DVec3, radius: f64, sink: &mut dyn Sink<PointHit>) -> Outcome {
        if !is_valid_point(center) || radius.is_nan() {
            return Outcome::Complete;
        }
        let mut within = WithinDescent {
            center,
            radius,
            sink,
        };
        match self.descend(&mut within) {
            ControlFlow::Continue(()) => Outcome::Complete,
            ControlFlow::Break(()) => Outcome::StoppedBySink,
        }
    }
}
