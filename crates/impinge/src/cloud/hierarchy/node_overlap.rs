//! Node test: can the surfaces of two nodes intersect, and how likely is it?
//!
//! Only spheres of one covering that overlap the box of the other node matter. The heights of their
//! centres over the other node's plane decide two questions. If all are on one side, and farther
//! than the surface around the centre and the plane can reach, the surfaces are disjoint: a surface
//! within `radius` of its sample and `thickness` of its own plane rises above the other plane by no
//! more than its component across it. If samples lie on both sides of the slab, an intersection is
//! likely, the more samples the likelier.

use glam::DVec3;

use super::node::CloudTree;
use super::relative_pose::{NodeExtent, RelativePose};

/// Lanes in which distances are compared.
const LANES: usize = 8;

/// Centres of balls as columns, filled up with places infinitely far away.
#[derive(Clone, Debug, Default)]
pub(super) struct CoverCentres {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    len: usize,
}

impl CoverCentres {
    fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.len = 0;
    }

    #[inline]
    fn push(&mut self, p: DVec3) {
        self.x.push(p.x as f32);
        self.y.push(p.y as f32);
        self.z.push(p.z as f32);
        self.len += 1;
    }

    fn fill_up(&mut self) {
        let full = self.x.len().next_multiple_of(LANES);
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            column.resize(full, f32::INFINITY);
        }
    }

    /// The smallest squared distance of any two, one of each; `self` must be filled up.
    fn nearest_sq(&self, other: &Self) -> f32 {
        let mut best = [f32::INFINITY; LANES];
        let columns = self
            .x
            .chunks_exact(LANES)
            .zip(self.y.chunks_exact(LANES))
            .zip(self.z.chunks_exact(LANES));
        for ((xs, ys), zs) in columns {
            let others = other.x.iter().zip(&other.y).zip(&other.z).take(other.len);
            for ((x, y), z) in others {
                // Written so that the lanes of a chunk become those of a register.
                for (((best, px), py), pz) in best.iter_mut().zip(xs).zip(ys).zip(zs) {
                    let (dx, dy, dz) = (px - x, py - y, pz - z);
                    let d = dx * dx + dy * dy + dz * dz;
                    *best = if d < *best { d } else { *best };
                }
            }
        }
        best.into_iter().fold(f32::INFINITY, f32::min)
    }
}

/// Memory for comparing nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeComparison {
    of_a: CoverCentres,
    of_b: CoverCentres,
    /// The last nodes and their samples, in a's frame, of a also in the turned one: of two comparisons in a row one node is mostly the same.
    last_a: Option<u32>,
    last_b: Option<u32>,
    placed_a: Vec<(DVec3, DVec3)>,
    placed_b: Vec<DVec3>,
}

/// What a comparison of two nodes found, in units of a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodeOverlap {
    /// The surfaces are not nearer than this.
    pub(super) gap: f64,
    /// The nearest samples are that far apart.
    pub(super) nearest: f64,
    /// Samples of one on the side of the other that has fewer.
    pub(super) crossing: u32,
    /// How far samples of one node lie beyond the other's plane on both of its sides, minus its thickness; 0 when they are on one
    /// side only.
    pub(super) straddle: f64,
}

impl NodeOverlap {
    /// The nearest samples are not farther apart than this.
    pub(super) fn farthest(&self) -> f64 {
        self.nearest + rounding(self.nearest)
    }
}

/// What rounding to 32 bits may add to a distance of samples, or take from it.
fn rounding(nearest: f64) -> f64 {
    1e-6 * (1.0 + nearest)
}

/// How the centres of one covering lie about the plane of another.
struct PlaneHeights {
    min: f64,
    max: f64,
    above: u32,
    below: u32,
    /// The smallest squared distance of a centre to the box.
    apart_sq: f64,
}

impl PlaneHeights {
    const NONE: Self = Self {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        above: 0,
        below: 0,
        apart_sq: f64::INFINITY,
    };

    /// Counts a centre, given in the frame of the other, and says whether it is within `reach` of the other's box.
    #[inline]
    fn count(&mut self, p: DVec3, reach: f64, other: &NodeExtent) -> bool {
        let out = ((p - other.centre).abs() - other.half).max(DVec3::ZERO);
        let apart_sq = out.length_squared();
        self.apart_sq = self.apart_sq.min(apart_sq);
        if apart_sq > reach * reach {
            return false;
        }
        let height = other.normal.dot(p) - other.offset;
        self.min = self.min.min(height);
        self.max = self.max.max(height);
        self.above += u32::from(height > other.thickness);
        self.below += u32::from(height < -other.thickness);
        true
    }

    /// How far the surface about the centres is from the slab; `rise` is what it may be nearer than they.
    fn gap(&self, rise: f64, other: &NodeExtent) -> f64 {
        self.min.max(-self.max) - rise - other.thickness
    }

    /// How far balls about the centres are from the other's box.
    fn apart(&self, radius: f64) -> f64 {
        self.apart_sq.sqrt() - radius
    }

    fn straddle(&self, other: &NodeExtent) -> f64 {
        (self.max.min(-self.min) - other.thickness).max(0.0)
    }
}

/// How far a surface within `radius` of its sample may be from it along the normal of another plane.
fn rise(own: &NodeExtent, cosine: f64) -> f64 {
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let flat = own.radius * sine + 2.0 * own.thickness * cosine.abs();
    // Without a plane this is not a number, or infinite.
    if flat < own.radius { flat } else { own.radius }
}

impl NodeComparison {
    /// Forgets the last nodes; their places are those of one placement.
    pub(super) fn forget(&mut self) {
        (self.last_a, self.last_b) = (None, None);
    }

    fn place_a(&mut self, tree: &CloudTree, number: u32, placement: &RelativePose) {
        if self.last_a == Some(number) {
            return;
        }
        self.last_a = Some(number);
        self.placed_a.clear();
        let ids = tree.samples(&tree.nodes[number as usize]).iter();
        self.placed_a.extend(ids.map(|&id| {
            let p = tree.to_units(tree.place(id));
            (p, placement.to_turned(p))
        }));
    }

    fn place_b(&mut self, tree: &CloudTree, number: u32, placement: &RelativePose) {
        if self.last_b == Some(number) {
            return;
        }
        self.last_b = Some(number);
        self.placed_b.clear();
        let ids = tree.samples(&tree.nodes[number as usize]).iter();
        self.placed_b
            .extend(ids.map(|&id| placement.to_a(placement.turned_place(tree, tree.place(id)))));
    }

    /// Compares two nodes: either how they meet, or a distance beyond `reach` that they surely have.
    pub(super) fn compare(
        &mut self,
        trees: (&CloudTree, &CloudTree),
        pair: (u32, u32),
        placement: &RelativePose,
        reach: f64,
    ) -> Result<NodeOverlap, f64> {
        let nodes = (
            &trees.0.nodes[pair.0 as usize],
            &trees.1.nodes[pair.1 as usize],
        );
        let (a, b) = (RelativePose::of_a(nodes.0), placement.of_b(nodes.1));
        let mut gap = placement.gap(&a, &b);
        if gap > reach {
            return Err(gap);
        }
        let cosine = placement.direction_to_a(b.normal).dot(a.normal);

        self.place_a(trees.0, pair.0, placement);
        let mut over_b = PlaneHeights::NONE;
        self.of_a.clear();
        for &(p, turned) in &self.placed_a {
            if over_b.count(turned, a.radius + reach, &b) {
                // Near the box of b, so that 32 bits are as precise as the boxes.
                self.of_a.push(p);
            }
        }
        if self.of_a.len == 0 {
            return Err(over_b.apart(a.radius).max(gap));
        }
        gap = gap
            .max(over_b.apart(a.radius))
            .max(over_b.gap(rise(&a, cosine), &b));
        if gap > reach {
            return Err(gap);
        }

        self.place_b(trees.1, pair.1, placement);
        let mut over_a = PlaneHeights::NONE;
        self.of_b.clear();
        for &p in &self.placed_b {
            if over_a.count(p, b.radius + reach, &a) {
                self.of_b.push(p);
            }
        }
        if self.of_b.len == 0 {
            return Err(over_a.apart(b.radius).max(gap));
        }
        gap = gap
            .max(over_a.apart(b.radius))
            .max(over_a.gap(rise(&b, cosine), &a));
        if gap > reach {
            return Err(gap);
        }

        self.of_b.fill_up();
        let nearest = f64::from(self.of_b.nearest_sq(&self.of_a)).sqrt();
        gap = gap.max(nearest - rounding(nearest) - a.radius - b.radius);
        if gap > reach {
            return Err(gap);
        }
        Ok(NodeOverlap {
            gap,
            nearest,
            crossing: over_a
                .above
                .min(over_a.below)
                .max(over_b.above.min(over_b.below)),
            straddle: over_a.straddle(&a).max(over_b.straddle(&b)),
        })
    }
}
