//! Nearest point of a frame to a solid, and all points near it.

use std::ops::ControlFlow;

use glam::DVec3;

use super::point_index::PointHit;
use super::point_tree::{LANES, PointBlock, PointNode, PointTree};
use super::signed_distance::SignedDistance;
use super::tree_descent::PointVisitor;

/// The nearest point so far: nearer ones come first, then the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestSoFar {
    pub(super) distance: f64,
    pub(super) point: u32,
    pub(super) position: DVec3,
}

impl NearestSoFar {
    pub(super) fn within(limit: f64) -> Self {
        Self {
            distance: limit,
            point: u32::MAX,
            position: DVec3::ZERO,
        }
    }

    pub(super) fn is_found(&self) -> bool {
        self.point != u32::MAX
    }

    pub(super) fn offer(&mut self, distance: f64, point: u32, position: DVec3) {
        if (distance, point) < (self.distance, self.point) {
            *self = Self {
                distance,
                point,
                position,
            };
        }
    }
}

/// Improves the nearest point; stops early when one is not farther than `enough`.
pub(super) fn nearest(
    tree: &PointTree,
    gauge: &mut impl SignedDistance,
    enough: f64,
    best: &mut NearestSoFar,
) {
    let _ = tree.descend(&mut NearestVisitor {
        gauge,
        enough,
        best,
    });
}

struct NearestVisitor<'s, G> {
    gauge: &'s mut G,
    enough: f64,
    best: &'s mut NearestSoFar,
}

impl<G: SignedDistance> PointVisitor for NearestVisitor<'_, G> {
    fn limit(&self) -> f64 {
        self.best.distance
    }

    fn bounds(&mut self, node: &PointNode) -> [f64; LANES] {
        bounds(self.gauge, node, self.best.distance)
    }

    fn visit(&mut self, block: &PointBlock, _: u32) -> ControlFlow<()> {
        for lane in 0..LANES {
            if let Some(position) = block.point(lane) {
                let distance = self.gauge.at(position, self.best.distance);
                self.best.offer(distance, block.id[lane], position);
            }
        }
        if self.best.is_found() && self.best.distance <= self.enough {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn bounds(gauge: &mut impl SignedDistance, node: &PointNode, within: f64) -> [f64; LANES] {
    std::array::from_fn(|lane| {
        let child = node.child(lane);
        if child.is_empty() {
            f64::INFINITY
        } else {
            gauge.at_least(&child, within)
        }
    })
}

/// Shows every point at most `distance` away, and its slot: eight times its block, and its lane.
pub(super) fn within(
    tree: &PointTree,
    gauge: &mut impl SignedDistance,
    distance: f64,
    show: &mut dyn FnMut(PointHit, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    tree.descend(&mut WithinVisitor {
        gauge,
        distance,
        show,
    })
}

struct WithinVisitor<'s, G> {
    gauge: &'s mut G,
    distance: f64,
    show: &'s mut dyn FnMut(PointHit, u32) -> ControlFlow<()>,
}

impl<G: SignedDistance> PointVisitor for WithinVisitor<'_, G> {
    fn limit(&self) -> f64 {
        self.distance
    }

    fn bounds(&mut self, node: &PointNode) -> [f64; LANES] {
        bounds(self.gauge, node, self.distance)
    }

    fn visit(&mut self, block: &PointBlock, index: u32) -> ControlFlow<()> {
        for lane in 0..LANES {
            let Some(position) = block.point(lane) else {
                continue;
            };
            let distance = self.gauge.at(position, self.distance);
            if distance <= self.distance {
                let hit = PointHit {
                    point: block.id[lane],
                    position,
                    distance,
                };
                (self.show)(hit, index * LANES as u32 + lane as u32)?;
            }
        }
        ControlFlow::Continue(())
    }
}
