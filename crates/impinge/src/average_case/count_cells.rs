//! How many possible collision cells each node has.
//!
//! **Idea.** Exactly: every face of a node is clipped to its cells. Approximately: descendants at
//! most as large as a cell represent cells, and a larger leaf counts as a sheet through the node.
//! **Source.** Klein 2005, 3.2.1 and Algorithm 3 with its nesting restored. Ours: the threshold κ;
//! and in a k-DOP a cell of which a fraction t is inside the volume needs t^(2/3) of the largest
//! section, in both ways of counting. The approximate way takes the fraction of the cell in which
//! the middle of a descendant lies; a larger leaf that fills its part counts for as many cells as
//! its area does.
//! **Cost.** m log m steps for m nodes, approximately; a cut per face, level and plane crossed,
//! exactly, on all threads.

use glam::DVec3;

use super::box_overlap::largest_section;
use super::build::{DraftNode, TreePlan};
use super::cell_grid::CellGrid;
use super::config::{AverageConfig, CellCounting};
use crate::bound::Aabb;

/// The possible collision cells of each node. `holds` says whether a point is in a node's volume; none for boxes.
pub(super) fn count(
    plan: &TreePlan,
    config: &AverageConfig,
    holds: Option<&(dyn Fn(usize, DVec3) -> bool + Sync)>,
) -> Vec<u32> {
    let kappa = threshold(config);
    let most = (plan.side * plan.side * plan.side) as f64;
    match config.counting {
        CellCounting::Approximate | CellCounting::Smooth => {
            let is_smooth = config.counting == CellCounting::Smooth;
            let sizes: Vec<NodeSize> = plan.nodes.iter().map(NodeSize::of).collect();
            let mut open = Vec::new();
            let counter = ApproximateCounter {
                plan,
                sizes: &sizes,
                kappa,
                is_smooth,
                holds,
            };
            let nodes = 0..plan.nodes.len();
            nodes
                .map(|at| counter.cells(at, &mut open))
                .map(|cells| cells.round().clamp(0.0, most) as u32)
                .collect()
        }
        CellCounting::Exact => {
            // Nodes are counted by themselves; the pieces are many, so that threads end together.
            let parts: Vec<&[DraftNode]> = plan.nodes.chunks(NODES_PER_PART).collect();
            let count = |(part, nodes): (usize, &&[DraftNode])| {
                let first = part * NODES_PER_PART;
                exactly(plan, kappa, first, nodes, holds)
            };
            #[cfg(feature = "parallel")]
            let cells: Vec<Vec<u32>> = {
                use rayon::prelude::*;
                parts.par_iter().enumerate().map(count).collect()
            };
            #[cfg(not(feature = "parallel"))]
            let cells: Vec<Vec<u32>> = parts.iter().enumerate().map(count).collect();
            cells.concat()
        }
    }
}

/// Nodes that are counted on one thread before it takes others: the first few are as large as all the rest.
const NODES_PER_PART: usize = 8;

/// The cells of some nodes, cut exactly.
fn exactly(
    plan: &TreePlan,
    kappa: f64,
    first: usize,
    nodes: &[DraftNode],
    holds: Option<&(dyn Fn(usize, DVec3) -> bool + Sync)>,
) -> Vec<u32> {
    let mut grid = CellGrid::with_side(&Aabb::EMPTY, plan.side);
    let mut cells = Vec::with_capacity(nodes.len());
    for (at, node) in (first..).zip(nodes) {
        fill(plan, node, &mut grid);
        cells.push(match holds {
            None => grid.count(kappa),
            Some(holds) => {
                let bounds = node.bounds(&plan.frame);
                shared_cells(&grid, (&bounds, plan.side), kappa, |p| holds(at, p))
            }
        });
    }
    cells
}

/// The threshold, brought into range.
fn threshold(config: &AverageConfig) -> f64 {
    if config.kappa > 0.0 {
        config.kappa
    } else {
        0.0
    }
}

/// The areas of a node's faces by cell.
fn fill(plan: &TreePlan, node: &DraftNode, grid: &mut CellGrid) {
    grid.reset(&node.bounds(&plan.frame));
    for face in plan.faces(node) {
        grid.add(face);
    }
}

/// How often each cell is a possible collision cell, over all nodes.
pub(super) fn histogram(plan: &TreePlan, config: &AverageConfig) -> Vec<u32> {
    let mut grid = CellGrid::with_side(&Aabb::EMPTY, plan.side);
    let mut counts = vec![0; grid.areas().len()];
    for node in &plan.nodes {
        fill(plan, node, &mut grid);
        let enough = grid.enough(threshold(config));
        for (count, &area) in counts.iter_mut().zip(grid.areas()) {
            *count += u32::from(area >= enough);
        }
    }
    counts
}

/// Points along each side of a cell by which its share of a volume is estimated.
const SAMPLES: usize = 3;

/// The cells that count when only a part of each is in the volume: a part of the volume t has a section of t^(2/3).
fn shared_cells(
    grid: &CellGrid,
    (bounds, side): (&Aabb, usize),
    kappa: f64,
    holds: impl Fn(DVec3) -> bool,
) -> u32 {
    let enough = grid.enough(kappa);
    let mut count = 0;
    for (cell, &area) in grid.areas().iter().enumerate() {
        // A cell that passes whole passes cut; one without area never does.
        if area >= enough {
            count += 1;
        }
        if area >= enough || area <= 0.0 {
            continue;
        }
        let at = [cell % side, cell / side % side, cell / (side * side)];
        let section = section_within(&cell_at((bounds, side), at), &holds);
        count += u32::from(area >= enough * section);
    }
    count
}

/// The cell of a box with these numbers along the axes.
fn cell_at((bounds, side): (&Aabb, usize), at: [usize; 3]) -> Aabb {
    let cell = bounds.diagonal() / side as f64;
    let min = bounds.min + cell * DVec3::from(at.map(|k| k as f64));
    Aabb {
        min,
        max: min + cell,
    }
}

/// The largest section of that part of a box that is in a volume, in that of the whole box: t^(2/3) for a part t, which some points tell.
fn section_within(bounds: &Aabb, holds: impl Fn(DVec3) -> bool) -> f64 {
    const ALL: usize = SAMPLES * SAMPLES * SAMPLES;
    let step = bounds.diagonal() / SAMPLES as f64;
    let is_inside = |sample: &usize| {
        let of = [
            sample % SAMPLES,
            sample / SAMPLES % SAMPLES,
            sample / (SAMPLES * SAMPLES),
        ];
        holds(bounds.min + step * DVec3::from(of.map(|k| k as f64 + 0.5)))
    };
    let inside = (0..ALL).filter(is_inside).count();
    // There is surface in it: some part is inside.
    let share = inside.max(1) as f64 / ALL as f64;
    libm::cbrt(share * share)
}

/// A node's size, worked out once.
#[derive(Clone, Copy, Debug)]
struct NodeSize {
    volume: f64,
    section: f64,
}

impl NodeSize {
    fn of(node: &DraftNode) -> Self {
        Self {
            volume: node.volume(),
            section: largest_section(2.0 * node.half().as_dvec3()),
        }
    }
}

/// Counts cells approximately (algorithm 3 of the thesis).
struct ApproximateCounter<'c> {
    plan: &'c TreePlan,
    sizes: &'c [NodeSize],
    kappa: f64,
    is_smooth: bool,
    holds: Option<&'c (dyn Fn(usize, DVec3) -> bool + Sync)>,
}

impl ApproximateCounter<'_> {
    /// The cells of one node.
    fn cells(&self, at: usize, open: &mut Vec<usize>) -> f64 {
        let (plan, whole) = (self.plan, &self.sizes[at]);
        let side = plan.side as f64;
        let cell_volume = whole.volume / (side * side * side);
        let cell_section = self.kappa * whole.section / (side * side);
        let mut cells = 0.0;
        open.clear();
        open.push(at);
        while let Some(below) = open.pop() {
            let (part, size) = (&plan.nodes[below], &self.sizes[below]);
            if size.volume <= cell_volume {
                let place = || self.cell_around(at, part);
                cells += self.share(at, part.area, cell_section, place);
            } else if part.is_leaf() {
                let times = size.volume / cell_volume;
                // A sheet through k·k·k cells is in k·k of them.
                cells +=
                    self.sheet(at, part, self.kappa * size.section) * libm::cbrt(times * times);
            } else {
                open.extend(part.child_range());
            }
        }
        cells
    }

    /// How full a place with this section is; of k-DOPs only what is in the volume of the node counts.
    fn share(&self, at: usize, area: f64, section: f64, place: impl Fn() -> Aabb) -> f64 {
        // What is full is full when cut, and where there is nothing, nothing is.
        if area >= section || area <= 0.0 {
            return f64::from(area > 0.0);
        }
        let section = match self.holds {
            Some(holds) => section * section_within(&place(), |p| holds(at, p)),
            None => section,
        };
        if self.is_smooth {
            (area / section).min(1.0)
        } else {
            f64::from(area >= section)
        }
    }

    /// How much of the section of a leaf larger than a cell is a sheet.
    fn sheet(&self, at: usize, leaf: &DraftNode, section: f64) -> f64 {
        if leaf.area <= 0.0 {
            return 0.0;
        }
        let bounds = || leaf.bounds(&self.plan.frame);
        if self.is_smooth || self.share(at, leaf.area, section, bounds) > 0.0 {
            // What fills only the part of its box that is in the volume is no larger for that.
            leaf.area / section.max(leaf.area)
        } else {
            0.0
        }
    }

    /// The cell of a node in which the middle of a descendant lies.
    fn cell_around(&self, at: usize, part: &DraftNode) -> Aabb {
        let bounds = self.plan.nodes[at].bounds(&self.plan.frame);
        let middle = part.bounds(&self.plan.frame).center();
        let side = self.plan.side;
        let place = (middle - bounds.min) / bounds.diagonal() * side as f64;
        // NaN for boxes of no extent becomes 0.
        cell_at(
            (&bounds, side),
            place.to_array().map(|k| (k as usize).min(side - 1)),
        )
    }
}
