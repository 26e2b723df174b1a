//! Consistent orientation of normals.
//!
//! **Idea.** Orientation starts at the highest point of each connected component, whose normal is
//! turned upwards, and is propagated along the edges on which normals differ least (a minimum
//! spanning tree of 1 − |n·m|).
//! **Source.** Hoppe et al. 1992, as Klein uses it.
//! **Limits.** On one-sided surfaces neighbours agree everywhere but along a line.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use glam::DVec3;

use super::point_cloud::PointId;
use super::proximity_graph::ProximityGraph;
use crate::math::sort::sort_many;

/// A side to be handed on.
#[derive(PartialEq)]
struct PropagationStep {
    cost: f64,
    to: PointId,
    from: PointId,
}

impl Eq for PropagationStep {}

impl PartialOrd for PropagationStep {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PropagationStep {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cost = self.cost.total_cmp(&other.cost);
        by_cost
            .then(self.to.cmp(&other.to))
            .then(self.from.cmp(&other.from))
    }
}

/// The normals, each turned to agree with its neighbours; zero ones stay.
pub(super) fn oriented(graph: &ProximityGraph, mut normals: Vec<DVec3>) -> Vec<DVec3> {
    let mut starts: Vec<PointId> = graph.ids().collect();
    let height = |id: PointId| graph.points[id.index()].z;
    sort_many(&mut starts, |&a, &b| {
        height(b).total_cmp(&height(a)).then(a.cmp(&b))
    });
    let mut is_done = vec![false; normals.len()];
    let mut open = BinaryHeap::new();
    for start in starts {
        if is_done[start.index()] || normals[start.index()] == DVec3::ZERO {
            continue;
        }
        if normals[start.index()].z < 0.0 {
            normals[start.index()] = -normals[start.index()];
        }
        open.push(Reverse(PropagationStep {
            cost: 0.0,
            to: start,
            from: start,
        }));
        while let Some(Reverse(step)) = open.pop() {
            let at = step.to.index();
            if std::mem::replace(&mut is_done[at], true) {
                continue;
            }
            let side = normals[step.from.index()];
            if normals[at].dot(side) < 0.0 {
                normals[at] = -normals[at];
            }
            for &q in graph.neighbours(step.to) {
                let normal = normals[q.index()];
                if !is_done[q.index()] && normal != DVec3::ZERO {
                    open.push(Reverse(PropagationStep {
                        cost: 1.0 - normal.dot(normals[at]).abs(),
                        to: q,
                        from: step.to,
                    }));
                }
            }
        }
    }
    normals
}
