//! Gaps of a packing in a grid, and which gaps two solids may share.
//!
//! **Idea.** A solid is divided into the cells of a grid. The part of the solid's volume in a cell
//! that no sphere fills is the gap of the cell. Two solids share gaps only in cells that overlap a
//! cell of the other. Whether one does is looked up: each grid stores for each of its cells the
//! distance of the nearest cell that the solid reaches. Of a cell, no more is shared than the other
//! solid has in the cells that it meets; this bounds the gaps of a cell, and the whole overlap.
//!
//! Gaps of a cell are also distributed to the spheres in it, in proportion to their area there:
//! this gives each sphere a secondary radius.
//!
//! **Promise.** The gap of a cell is not below the true value except for rounding, for which 10⁻⁹
//! of a cell is added. Secondary radii are a model, not a bound.

use glam::{DMat3, DVec3};

use super::inner_sphere_tree::{InnerSphereTree, InnerSphereTreeOptions};
use super::split::SphereSplit;
use super::topology::{LEAF, NO_CHILD, WIDTH};
use super::tree_pair::{InnerSphereTreeCache, TreePair};
use super::volume_grid::{VolumeGrid, ball_volumes, solid_volumes};
use crate::math::Pose;
use crate::math::outward_rounding;
use crate::query::Limits;
use crate::spheres::interior::{Interior as _, MeshSolid, has_size};
use crate::spheres::solid_ball::SolidBall;

/// What rounding may do to the volume in a cell, in cells.
const ROUNDING: f64 = 1e-9;
/// What looking up the eight children of a node counts as, in comparisons of two balls, by the time that it takes.
const LOOK_UP: u64 = 128;
/// Distances in cells beyond this are not distinguished.
const FAR: u8 = 250;

/// Cells of a solid with the volume of their gaps.
#[derive(Clone, Debug)]
pub(super) struct GapCells {
    /// Over the balls around the cells that the solid reaches.
    tree: InnerSphereTree,
    grid: VolumeGrid,
    /// For each cell of the grid, how many cells the nearest one is away that the solid reaches, along the axis along which it is farthest.
    near: Vec<u8>,
    /// Half the side of a cell.
    half: f64,
    /// In the order of the tree's leaves.
    voids: Vec<f64>,
    /// The volume of the solid in each cell of the grid, not below the true one.
    solid: Vec<f32>,
}

/// What cells within reach of another solid may share with it, at most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReachableVolume {
    /// Of their gaps.
    pub(super) gaps: f64,
    /// Of their gaps and spheres together.
    pub(super) all: f64,
}

/// Distances in cells from the occupied ones.
fn distances(grid: &VolumeGrid, occupied: &[usize]) -> Vec<u8> {
    let mut near = vec![FAR; grid.len()];
    for &cell in occupied {
        near[cell] = 0;
    }
    let mut front: Vec<usize> = occupied.to_vec();
    let mut next = Vec::new();
    let [nx, ny, nz] = grid.counts;
    for distance in 1..FAR {
        for &cell in &front {
            let (x, y, z) = (cell / (ny * nz), cell / nz % ny, cell % nz);
            for i in x.saturating_sub(1)..(x + 2).min(nx) {
                for j in y.saturating_sub(1)..(y + 2).min(ny) {
                    for k in z.saturating_sub(1)..(z + 2).min(nz) {
                        let other = grid.index(i, j, k);
                        if near[other] == FAR {
                            near[other] = distance;
                            next.push(other);
                        }
                    }
                }
            }
        }
        std::mem::swap(&mut front, &mut next);
        next.clear();
        if front.is_empty() {
            break;
        }
    }
    near
}

impl InnerSphereTree {
    /// The tree with its gaps measured on a grid of `resolution` cells along the longest side of the solid: [`BallOverlap::upper`](super::BallOverlap)
    /// then counts only gaps within reach of both solids, and [`BallOverlap::value`](super::BallOverlap) counts gaps by secondary
    /// radii. A cell should be a few times as large as the smallest balls; 48 suits a hundred thousand.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate, query::Limits, spheres::*};
    /// use std::sync::Arc;
    /// let index = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
    /// let solid = MeshSolid::new(&index)?;
    /// let packing = pack(&solid, &PackOptions { count: Some(500), ..Default::default() })?;
    /// let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?.with_gaps(&solid, 16);
    /// let pose = Pose::from_translation([0.7, 0.1, 0.0])?;
    /// let shared = tree.overlap(&tree, &pose, Limits::default(), &mut InnerSphereTreeCache::default());
    /// assert!(shared.lower < 0.27 && 0.27 < shared.upper);
    /// assert!((shared.value - 0.27).abs() < (shared.lower - 0.27).abs());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_gaps(mut self, solid: &MeshSolid<'_>, resolution: u32) -> Self {
        self.solid_volume = Some(solid.volume());
        let bounds = solid.bounds();
        if self.balls.is_empty() || !has_size(&bounds) {
            return self;
        }
        let Some(grid) = VolumeGrid::new(bounds.min, bounds.max, resolution) else {
            return self;
        };
        let whole = solid_volumes(solid, &grid);
        let parts = ball_volumes(&self.balls, &grid);
        let mut filled = vec![0.0; grid.len()];
        let mut areas = vec![0.0; grid.len()];
        // The area of a ball with that volume; exact where the ball lies in the cell as a whole.
        let area = |volume: f64| libm::cbrt(volume * volume);
        for &(cell, volume) in parts.iter().flatten() {
            filled[cell as usize] += volume;
            areas[cell as usize] += area(volume);
        }
        let cell_volume = grid.side * grid.side * grid.side;
        let void_of = |cell: usize| (whole[cell] - filled[cell]).max(0.0);
        let mut shares: Vec<f64> = parts
            .iter()
            .map(|parts| {
                parts.iter().fold(0.0, |sum, &(cell, volume)| {
                    let cell = cell as usize;
                    sum + void_of(cell) * (area(volume) / areas[cell])
                })
            })
            .collect();
        let shared: f64 = shares.iter().sum();
        let all = (solid.volume() - self.filled()).max(0.0);
        if shared > 0.0 {
            shares.iter_mut().for_each(|share| *share *= all / shared);
        }
        let radii = self.balls.iter().zip(&shares).map(|(ball, share)| {
            let volume = ball.volume() + share;
            libm::cbrt(volume * (3.0 / (4.0 * std::f64::consts::PI)))
        });
        let radii = radii.collect();
        self.set_secondary(radii);

        let half = 0.5 * grid.side;
        let occupied: Vec<usize> = (0..grid.len())
            .filter(|&cell| whole[cell] > 1e-3 * ROUNDING * cell_volume)
            .collect();
        let around: Vec<SolidBall> = occupied
            .iter()
            .map(|&cell| SolidBall {
                center: grid.center(cell),
                radius: half * 3.0_f64.sqrt() * (1.0 + 1e-12),
            })
            .collect();
        let options = InnerSphereTreeOptions {
            split: SphereSplit::Median,
            width: WIDTH,
        };
        let tree = Self::of(&around, &options);
        let voids = tree
            .order()
            .iter()
            .map(|&i| void_of(occupied[i as usize]) + ROUNDING * cell_volume)
            .collect();
        let solid = whole.iter().map(|&volume| {
            let volume = volume + ROUNDING * cell_volume;
            outward_rounding::up(volume)
        });
        self.gaps = Some(Box::new(GapCells {
            near: distances(&grid, &occupied),
            solid: solid.collect(),
            tree,
            grid,
            half,
            voids,
        }));
        self
    }
}

impl InnerSphereTree {
    /// The tree without the cells of its gaps, but with their secondary radii: [`BallOverlap::upper`](super::BallOverlap) counts all gaps then, and a query does not
    /// look for those within reach.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate, query::Limits, spheres::*};
    /// use std::sync::Arc;
    /// let index = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
    /// let solid = MeshSolid::new(&index)?;
    /// let packing = pack(&solid, &PackOptions { count: Some(100), ..Default::default() })?;
    /// let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?.with_gaps(&solid, 8);
    /// let pose = Pose::from_translation([0.8, 0.1, 0.0])?;
    /// let ask = |tree: &InnerSphereTree| tree.overlap(tree, &pose, Limits::default(), &mut InnerSphereTreeCache::default());
    /// let (tight, quick) = (ask(&tree), ask(&tree.clone().without_cells()));
    /// assert!(tight.upper < quick.upper && tight.lower == quick.lower);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without_cells(mut self) -> Self {
        self.gaps = None;
        self
    }
}

impl GapCells {
    /// Tests that looking up all cells takes.
    pub(super) fn look_ups(&self) -> u64 {
        LOOK_UP * self.tree.nodes.len() as u64
    }

    /// The cell of a ball's centre, brought into the grid; none when the ball surely lies away from the solid.
    fn cell_near(&self, center: DVec3, radius: f64) -> Option<usize> {
        let cell = self.grid.cell_of(center);
        let near = self.near[cell];
        // From a place beyond the grid everything is at least as far as from the cell it was brought to.
        let is_away = near > 1 && f64::from(near - 1) * self.grid.side > radius;
        (!is_away).then_some(cell)
    }

    /// The volume of this solid in the cells that a cube about a point of this frame, turned, meets: up to `most`, beyond
    /// which it does not matter.
    fn met(&self, center: DVec3, radius: f64, boxes: &CellPair, most: f64) -> f64 {
        if self.cell_near(center, radius).is_none() {
            return 0.0;
        }
        let reach = radius + self.half;
        let range = |axis: usize| {
            let c = center[axis];
            self.grid.range(axis, c - reach, c + reach)
        };
        let mut sum = 0.0;
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    let other = self.grid.index(x, y, z);
                    if self.near[other] == 0 && !boxes.are_apart(center - self.grid.center(other)) {
                        sum += f64::from(self.solid[other]);
                        if sum >= most {
                            return most;
                        }
                    }
                }
            }
        }
        sum
    }

    /// What those cells that may meet the other solid may share with it; none when the budget ends first.
    fn in_reach_of(
        &self,
        other: &Self,
        other_from_self: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> Option<ReachableVolume> {
        let boxes = CellPair::new(other_from_self.rotation(), other.half, self.half);
        let radius = self.half * 3.0_f64.sqrt() * (1.0 + 1e-9);
        let mut sum = ReachableVolume::default();
        let frame = self.tree.frame.as_ref()?;
        cache.nodes.clear();
        cache.nodes.push(0);
        while let Some(id) = cache.nodes.pop() {
            if !limits.allows(cache.tests) || limits.is_stopped() {
                return None;
            }
            cache.tests += LOOK_UP;
            let node = self.tree.nodes.get(id as usize)?;
            for lane in 0..WIDTH {
                let child = node.child[lane];
                if child == NO_CHILD {
                    continue;
                }
                if child & LEAF != 0 {
                    let leaf = (child & !LEAF) as usize;
                    let place = self.tree.balls[leaf].center;
                    let own = f64::from(self.solid[self.grid.cell_of(place)]);
                    let place = other_from_self.transform_point(place);
                    // Of a cell, no more is shared than the other solid has in the cells that it meets.
                    let met = other.met(place, radius, &boxes, own);
                    sum.gaps += self.voids[leaf].min(met);
                    sum.all += met;
                    continue;
                }
                let center = frame.leave(glam::Vec3::new(
                    node.center[0][lane],
                    node.center[1][lane],
                    node.center[2][lane],
                ));
                let around = f64::from(node.radius[lane]) * frame.scale * (1.0 + 1e-9);
                let center = other_from_self.transform_point(center);
                if other.cell_near(center, around).is_some() {
                    cache.nodes.push(child);
                }
            }
        }
        Some(sum)
    }
}

impl TreePair<'_> {
    /// What the solids may share at most, given what their spheres do: with the gaps of both packings in cells that
    /// both solids may reach, and no more than either solid has there. None when gaps were not measured or the budget ends first.
    pub(super) fn most_in_reach(
        &self,
        spheres: f64,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> Option<f64> {
        let (a, b) = (self.a.tree.gaps.as_deref()?, self.b.tree.gaps.as_deref()?);
        let b_from_a = self.a_from_b.inverse();
        let of_a = a.in_reach_of(b, &b_from_a, limits, cache)?;
        let of_b = b.in_reach_of(a, self.a_from_b, limits, cache)?;
        let with_gaps = spheres * (1.0 + 1e-9) + of_a.gaps + of_b.gaps;
        Some(with_gaps.min(of_a.all).min(of_b.all))
    }
}

/// Cubes of two sizes, the second turned against the first.
struct CellPair {
    turn: DMat3,
    /// Along each axis of the first cube, how near centres must be; the same along those of the second.
    reach: [DVec3; 2],
}

impl CellPair {
    fn new(turn: &DMat3, half: f64, turned_half: f64) -> Self {
        let size = |m: DMat3| m.x_axis.abs() + m.y_axis.abs() + m.z_axis.abs();
        let room = 1.0 + 1e-9;
        Self {
            turn: turn.transpose(),
            reach: [
                (half + turned_half * size(*turn)) * room,
                (turned_half + half * size(turn.transpose())) * room,
            ],
        }
    }

    /// Whether an axis of one of the cubes shows that they share no point.
    fn are_apart(&self, between: DVec3) -> bool {
        let turned = self.turn * between;
        between.abs().cmpgt(self.reach[0]).any() || turned.abs().cmpgt(self.reach[1]).any()
    }
}
