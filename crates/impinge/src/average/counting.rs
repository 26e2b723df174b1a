//! How many possible collision cells each node has.
//!
//! **Idea.** Exactly: every face of a node is cut to its cells. Approximately: descendants at most as large as a cell stand for cells, and a
//! leaf that is larger counts as a sheet through it.
//! **Source.** Klein 2005, 3.2.1 and Algorithm 3 with its nesting restored. Ours: cells of k-DOPs have a share of the largest section, and the threshold κ.
//! **Cost.** m log m steps for m nodes, approximately; a cut per face, level and plane crossed, exactly.

use glam::DVec3;

use super::build::{Draft, Plan};
use super::cells::CellGrid;
use super::config::{AverageConfig, Counting};
use super::node::{CELLS, SIDE};
use super::overlap::largest_section;
use crate::bound::Aabb;

/// The possible collision cells of each node. `holds` says whether a point is in a node's volume; none for boxes.
pub(super) fn count(
    plan: &Plan,
    config: &AverageConfig,
    holds: Option<&dyn Fn(usize, DVec3) -> bool>,
) -> Vec<u32> {
    let kappa = threshold(config);
    match config.counting {
        Counting::Approximate | Counting::Smooth => {
            let is_smooth = config.counting == Counting::Smooth;
            let sizes: Vec<Size> = plan.nodes.iter().map(Size::of).collect();
            let mut open = Vec::new();
            let nodes = 0..plan.nodes.len();
            nodes
                .map(|at| approximate(plan, &sizes, at, kappa, is_smooth, &mut open))
                .map(|cells| cells.round().clamp(0.0, f64::from(CELLS)) as u32)
                .collect()
        }
        Counting::Exact => {
            let mut grid = CellGrid::new(&Aabb::EMPTY);
            let mut cells = Vec::with_capacity(plan.nodes.len());
            for (at, node) in plan.nodes.iter().enumerate() {
                fill(plan, node, &mut grid);
                cells.push(match holds {
                    None => grid.count(kappa),
                    Some(holds) => {
                        let bounds = node.bounds(&plan.frame);
                        shared_cells(&grid, &bounds, kappa, |p| holds(at, p))
                    }
                });
            }
            cells
        }
    }
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
fn fill(plan: &Plan, node: &Draft, grid: &mut CellGrid) {
    grid.reset(&node.bounds(&plan.frame));
    for face in plan.faces(node) {
        grid.add(face);
    }
}

/// How often each cell is a possible collision cell, over all nodes.
pub(super) fn histogram(plan: &Plan, config: &AverageConfig) -> Vec<u32> {
    let mut counts = vec![0; CELLS as usize];
    let mut grid = CellGrid::new(&Aabb::EMPTY);
    for node in &plan.nodes {
        fill(plan, node, &mut grid);
        let enough = grid.enough(threshold(config));
        for (count, &area) in counts.iter_mut().zip(grid.areas()) {
            *count += u32::from(area >= enough);
        }
    }
    counts
}

/// Points along each side of a cell by which its share of a volume is told.
const SAMPLES: usize = 3;

/// The cells that count when only a part of each is in the volume: a part of the volume t has a section of t^(2/3).
fn shared_cells(grid: &CellGrid, bounds: &Aabb, kappa: f64, holds: impl Fn(DVec3) -> bool) -> u32 {
    let enough = grid.enough(kappa);
    let sides = bounds.diagonal();
    let step = 1.0 / (SIDE * SAMPLES) as f64;
    let mut count = 0;
    for (cell, &area) in grid.areas().iter().enumerate() {
        // A cell that passes whole passes cut; one without area never does.
        if area >= enough {
            count += 1;
        }
        if area >= enough || area <= 0.0 {
            continue;
        }
        let at = [cell % SIDE, cell / SIDE % SIDE, cell / (SIDE * SIDE)];
        let mut inside = 0;
        for sample in 0..SAMPLES * SAMPLES * SAMPLES {
            let of = [
                sample % SAMPLES,
                sample / SAMPLES % SAMPLES,
                sample / (SAMPLES * SAMPLES),
            ];
            let place = |k: usize| ((at[k] * SAMPLES + of[k]) as f64 + 0.5) * step;
            let p = bounds.min + sides * DVec3::new(place(0), place(1), place(2));
            inside += usize::from(holds(p));
        }
        let share = inside.max(1) as f64 / (SAMPLES * SAMPLES * SAMPLES) as f64;
        let section = libm::cbrt(share * share);
        count += u32::from(area >= enough * section);
    }
    count
}

/// A node's size, worked out once.
#[derive(Clone, Copy, Debug)]
struct Size {
    volume: f64,
    section: f64,
}

impl Size {
    fn of(node: &Draft) -> Self {
        Self {
            volume: node.volume(),
            section: largest_section(2.0 * node.half().as_dvec3()),
        }
    }
}

/// Algorithm 3 for one node.
fn approximate(
    plan: &Plan,
    sizes: &[Size],
    at: usize,
    kappa: f64,
    is_smooth: bool,
    open: &mut Vec<usize>,
) -> f64 {
    let whole = &sizes[at];
    let cell_volume = whole.volume / f64::from(CELLS);
    let cell_section = kappa * whole.section / (SIDE * SIDE) as f64;
    let share = |area: f64, section: f64| {
        if is_smooth && section > 0.0 {
            (area / section).min(1.0)
        } else {
            f64::from(area >= section && area > 0.0)
        }
    };
    let mut cells = 0.0;
    open.clear();
    open.push(at);
    while let Some(below) = open.pop() {
        let (part, size) = (&plan.nodes[below], &sizes[below]);
        if size.volume <= cell_volume {
            cells += share(part.area, cell_section);
        } else if part.is_leaf() {
            let times = size.volume / cell_volume;
            // A sheet through k·k·k cells is in k·k of them.
            cells += share(part.area, kappa * size.section) * libm::cbrt(times * times);
        } else {
            open.extend(part.child_range());
        }
    }
    cells
}
