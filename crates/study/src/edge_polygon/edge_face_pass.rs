//! One direction: edges of one body against faces of the other.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use super::config::{EdgePolygonAccuracy, EdgePolygonConfig};
use super::edges::EdgeUse;
use super::polygon_face::PolygonShape;
use super::prepared_mesh::EdgeFaceMesh;
use super::scratch::{PassScratch, TargetFace};
use impinge::bound::Aabb;
use impinge::query::{Limits, Outcome};

/// Tests between two checks of [`Limits::stop`]; a power of two.
const TESTS_PER_LOOK: u64 = 1024;

/// A body as placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedMesh<'p> {
    pub(super) body: &'p EdgeFaceMesh,
    pub(super) positions: &'p [DVec3],
    pub(super) boxes: &'p [Aabb],
    pub(super) shapes: &'p [PolygonShape],
    pub(super) bounds: Aabb,
}

/// Tests that may still be spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestBudget<'b> {
    left: u64,
    limits: Limits<'b>,
}

impl<'b> TestBudget<'b> {
    pub(super) fn new(limits: Limits<'b>) -> Self {
        Self {
            left: limits.max_tests.unwrap_or(u64::MAX),
            limits,
        }
    }

    /// Takes one test from the budget.
    #[inline]
    pub(super) fn spend(&mut self) -> ControlFlow<Outcome> {
        if self.left == 0 {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        if self.left.is_multiple_of(TESTS_PER_LOOK) && self.limits.is_stopped() {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        self.left -= 1;
        ControlFlow::Continue(())
    }
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassEnd {
    /// All edges were looked at.
    Through,
    /// No face of the one overlaps the box of the other: nothing meets, in either direction.
    NothingNear,
    /// The other pass said that it is over.
    CalledOff,
}

/// Fills in the faces that take part; `Break` when a limit is met.
fn collect(
    edges_of: &PlacedMesh<'_>,
    faces_of: &PlacedMesh<'_>,
    config: &EdgePolygonConfig,
    scratch: &mut PassScratch,
    budget: &mut TestBudget<'_>,
) -> ControlFlow<Outcome> {
    let PassScratch {
        targets,
        stamps,
        stamp,
        counts,
    } = scratch;
    targets.clear();
    let needs_slabs = config.pre_checks.plane_side || faces_of.body.has_polygons();
    let target = |face: u32| TargetFace {
        bounds: faces_of.boxes[face as usize],
        slab: if needs_slabs {
            faces_of.body.slab(faces_of.positions, face)
        } else {
            Default::default()
        },
        face,
    };
    let faces = faces_of.body.face_count() as u32;
    if let (EdgePolygonAccuracy::RelaxedCollect, Some(incidence)) =
        (config.accuracy, &faces_of.body.incidence)
    {
        stamps.resize(stamps.len().max(faces as usize), 0);
        *stamp = stamp.wrapping_add(1);
        if *stamp == 0 {
            stamps.fill(0);
            *stamp = 1;
        }
        for (incident, &point) in incidence.iter().zip(faces_of.positions) {
            if incident.is_empty() {
                continue;
            }
            budget.spend()?;
            counts.collect_tests += 1;
            if !edges_of.bounds.contains(point) {
                continue;
            }
            for &face in incident {
                if stamps[face as usize] != *stamp {
                    stamps[face as usize] = *stamp;
                    targets.push(target(face));
                }
            }
        }
    } else if config.pre_checks.face_collect {
        for face in 0..faces {
            budget.spend()?;
            counts.collect_tests += 1;
            if edges_of.bounds.overlaps(&faces_of.boxes[face as usize]) {
                targets.push(target(face));
            }
        }
    } else {
        targets.extend((0..faces).map(target));
    }
    counts.collected += targets.len() as u64;
    ControlFlow::Continue(())
}

/// Runs over the edges of one body and the faces of the other, and hands over each face of an edge with each face the edge meets.
///
/// `found` gets the edge's face first. When `over` becomes true, the pass ends.
pub(super) fn edge_face_pass(
    edges_of: &PlacedMesh<'_>,
    faces_of: &PlacedMesh<'_>,
    config: &EdgePolygonConfig,
    scratch: &mut PassScratch,
    budget: &mut TestBudget<'_>,
    over: Option<&AtomicBool>,
    found: &mut dyn FnMut(u32, u32) -> ControlFlow<Outcome>,
) -> ControlFlow<Outcome, PassEnd> {
    collect(edges_of, faces_of, config, scratch, budget)?;
    if scratch.targets.is_empty() {
        // Collected by vertices, nothing follows for the other direction: a face without a vertex
        // in the box may still cross it, and its edges may pierce faces that are wholly in the box.
        let is_by_vertices = config.accuracy == EdgePolygonAccuracy::RelaxedCollect
            && faces_of.body.incidence.is_some();
        return ControlFlow::Continue(if is_by_vertices {
            PassEnd::Through
        } else {
            PassEnd::NothingNear
        });
    }
    let PassScratch {
        targets, counts, ..
    } = scratch;
    let checks = &config.pre_checks;
    for (ends, uses) in edges_of.body.edges.iter() {
        if over.is_some_and(|over| over.load(Ordering::Relaxed)) {
            return ControlFlow::Continue(PassEnd::CalledOff);
        }
        if !uses
            .iter()
            .any(|side| counts_as_edge(side, edges_of.shapes))
        {
            continue;
        }
        let [p, q] = ends.map(|v| edges_of.positions[v as usize]);
        let bounds = Aabb {
            min: p.min(q),
            max: p.max(q),
        };
        if checks.edge_body {
            budget.spend()?;
            counts.edge_body_tests += 1;
            if !bounds.overlaps(&faces_of.bounds) {
                continue;
            }
        }
        for target in targets.iter() {
            if checks.edge_face {
                budget.spend()?;
                counts.edge_face_tests += 1;
                if !bounds.overlaps(&target.bounds) {
                    continue;
                }
            }
            if checks.plane_side {
                budget.spend()?;
                counts.plane_tests += 1;
                if target.slab.is_passed_by(p, q) {
                    continue;
                }
            }
            if config.accuracy != EdgePolygonAccuracy::PreChecksOnly {
                budget.spend()?;
                counts.exact_tests += 1;
                let is_met = faces_of.body.is_met(
                    [p, q],
                    target,
                    faces_of.positions,
                    faces_of.shapes,
                    config.coplanar,
                    counts,
                );
                if !is_met {
                    continue;
                }
            }
            counts.hits += 1;
            for side in uses {
                found(side.face, target.face)?;
            }
        }
    }
    ControlFlow::Continue(PassEnd::Through)
}

/// Whether a face needs this edge to be tested: inner edges of flat polygons do not.
#[inline]
fn counts_as_edge(side: &EdgeUse, shapes: &[PolygonShape]) -> bool {
    !side.is_inner || shapes.get(side.face as usize) != Some(&PolygonShape::Flat)
}
