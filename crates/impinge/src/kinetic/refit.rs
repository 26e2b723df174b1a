//! The same tree, refitted with SIMD instructions: the baseline of kinetic trees.
//!
//! **Question.** How can all boxes be recomputed as fast as possible, and none too small?
//! **Idea.** A box is one row of eight `f32`: its lower coordinates negated, then its upper ones.
//! The union of two boxes is their lane-wise maximum: one instruction. A vertex is a row as well,
//! rounded outwards, so that a leaf takes two such instructions and an inner node one. Siblings are
//! adjacent in memory.
//! **Cost.** 32 bytes for each node, a third less than in double precision, and six conversions for
//! each vertex.
//! **Promise.** Every box is that of [`ScalarRefitTree`](super::ScalarRefitTree), each side rounded
//! outwards to `f32`: rounding is monotone, so that the maximum of rounded numbers is the rounded
//! maximum. It never loses a point, and is too large by less than a unit in the last place of `f32`
//! on each side. The same bits with any instruction set.
//! **Limits.** A side beyond the range of `f32` (2^128) becomes the largest valid coordinate.

use glam::DVec3;

use super::kinetic_node::nodes_of_topology;
use super::kinetic_structure::KineticCounts;
use super::topology::{RefitOrder, TreeTopology};
use super::tree_traversal::{Volume, VolumeTree, meets_as_refitted};
use super::{Keyframes, KineticError, KineticNode};
use crate::bound::Aabb;
use crate::math::MAX_COORDINATE;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};

/// The least coordinates of a box negated, 0, its greatest coordinates, 0.
type BoxRow = [f32; 8];

/// A tree of boxes over faces whose boxes are all recomputed, from the leaves to the root, whenever vertices moved; with vector instructions.
///
/// Each box holds the exact one, and is what that becomes when its sides are rounded outwards to `f32`.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, KineticNode, RefitTree};
/// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let flight = Keyframes::linear(&start, &[DVec3::Z; 3], 0.0, 1.0)?;
/// let mut tree = RefitTree::new(&flight, &[[0, 1, 2]])?;
/// let moved = start.map(|p| p + DVec3::Z);
/// tree.refit(&moved)?;
/// assert_eq!(tree.bounds(KineticNode::ROOT).unwrap().min.z, 1.0);
/// assert_eq!((tree.children(KineticNode::ROOT), tree.counts().updates), (None, 6));
/// assert_eq!(tree.face(KineticNode::ROOT).map(|f| f.raw()), Some(0));
/// assert!(tree.refit(&moved[..2]).is_err());
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RefitTree {
    topology: TreeTopology,
    boxes: Vec<BoxRow>,
    /// The vertices, as boxes.
    rows: Vec<BoxRow>,
    order: RefitOrder,
    counts: KineticCounts,
}

impl RefitTree {
    /// The tree over faces as they are at the start of a plan; the same tree as
    /// [`KineticAabbTree`](super::KineticAabbTree) has.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let topology = TreeTopology::new(flight, faces, u8::MAX)?;
        let mut made = Self {
            boxes: vec![[f32::NEG_INFINITY; 8]; topology.node_count()],
            rows: vec![[0.0; 8]; flight.vertex_count()],
            order: topology.refit_order(),
            topology,
            counts: KineticCounts::default(),
        };
        made.refit(&flight.start_positions())?;
        made.counts = KineticCounts::default();
        Ok(made)
    }

    /// Computes all boxes again from the places of all vertices. A place that is no number makes the boxes around it as large as can be.
    ///
    /// # Errors
    /// The number of vertices is another than that of the plan.
    pub fn refit(&mut self, places: &[DVec3]) -> Result<(), KineticError> {
        self.refit_with(places, Level::detect())
    }

    fn refit_with(&mut self, places: &[DVec3], level: Level) -> Result<(), KineticError> {
        if places.len() != self.rows.len() {
            return Err(KineticError::VertexCount {
                key: 0,
                found: places.len(),
                expected: self.rows.len(),
            });
        }
        let kernel = RefitPass {
            places,
            rows: &mut self.rows,
            order: &self.order,
            boxes: &mut self.boxes,
        };
        dispatch(level, kernel);
        self.counts.updates += 6 * self.order.node_count() as u64;
        Ok(())
    }

    /// The box of a node; none when there is no such node.
    #[must_use]
    pub fn bounds(&self, node: KineticNode) -> Option<Aabb> {
        if !self.topology.has(node.0) {
            return None;
        }
        let row = &self.boxes[node.0 as usize];
        // No coordinate is beyond the largest, so that an infinite side may be cut there.
        let side = |k: usize| f64::from(row[k]).clamp(-MAX_COORDINATE, MAX_COORDINATE);
        Some(Aabb {
            min: -DVec3::new(side(0), side(1), side(2)),
            max: DVec3::new(side(4), side(5), side(6)),
        })
    }

    nodes_of_topology!();
    meets_as_refitted!();

    /// Values written since it was built: six for each box.
    #[must_use]
    pub fn counts(&self) -> KineticCounts {
        self.counts
    }
}

impl Volume for BoxRow {
    #[inline]
    fn meets(&self, other: &Self) -> bool {
        (0..3).all(|k| -self[k] <= other[4 + k] && -other[k] <= self[4 + k])
    }
}

impl VolumeTree for RefitTree {
    type Volume = BoxRow;

    fn nodes(&self) -> &TreeTopology {
        &self.topology
    }

    fn root(&self) -> BoxRow {
        self.boxes[0]
    }

    #[inline]
    fn child(&self, _: u32, child: u32, _: &BoxRow) -> BoxRow {
        self.boxes[child as usize]
    }
}

/// One refit.
struct RefitPass<'t> {
    places: &'t [DVec3],
    rows: &'t mut [BoxRow],
    order: &'t RefitOrder,
    boxes: &'t mut [BoxRow],
}

impl Kernel for RefitPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Lanes>(self) {
        for (row, p) in self.rows.iter_mut().zip(self.places) {
            *row = [
                up(-p.x),
                up(-p.y),
                up(-p.z),
                0.0,
                up(p.x),
                up(p.y),
                up(p.z),
                0.0,
            ];
        }
        for &(node, [a, b, c]) in &self.order.leaves {
            let a = T::load(&self.rows[a as usize]);
            let b = T::load(&self.rows[b as usize]);
            let c = T::load(&self.rows[c as usize]);
            self.boxes[node as usize] = a.max(b).max(c).store();
        }
        for &(node, child) in &self.order.inner {
            let low = T::load(&self.boxes[child as usize]);
            let high = T::load(&self.boxes[child as usize + 1]);
            self.boxes[node as usize] = low.max(high).store();
        }
    }
}

/// The smallest `f32` that is not below `x`, infinite for NaN: as [`round::up`](crate::math::outward_rounding::up), without branches, which half of all numbers
/// would take.
#[inline(always)]
fn up(x: f64) -> f32 {
    let nearest = x as f32;
    let bits = nearest.to_bits();
    // What was rounded down has a next number: it is no infinity above, and no zero below.
    let is_below = u32::from(f64::from(nearest) < x);
    let is_negative = bits >> 31;
    let next = bits
        .wrapping_add(is_below)
        .wrapping_sub(2 * (is_below & is_negative));
    if x.is_nan() {
        f32::INFINITY
    } else {
        f32::from_bits(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Rng, outward_rounding};

    #[test]
    fn rounding_without_branches_is_rounding() {
        let mut rng = Rng::new(5);
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.1,
            -0.1,
            1e-300,
            -1e-300,
            1e-45,
            -1e-45,
            1e300,
            -1e300,
            f64::from(f32::MAX),
            -f64::from(f32::MAX),
            f64::from(f32::MIN_POSITIVE),
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        for x in special {
            assert_eq!(up(x), outward_rounding::up(x), "{x}");
        }
        for _ in 0..100_000 {
            let x = f64::from_bits(rng.next_u64());
            assert_eq!(up(x).to_bits(), outward_rounding::up(x).to_bits(), "{x}");
            let y = rng.range(-4.0, 4.0);
            assert_eq!(up(y).to_bits(), outward_rounding::up(y).to_bits(), "{y}");
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        let mut rng = Rng::new(6);
        let start: Vec<DVec3> = (0..90).map(|_| rng.cube()).collect();
        let faces: Vec<[u32; 3]> = (0..101)
            .map(|_| [0; 3].map(|_| rng.below(90) as u32))
            .collect();
        let still = vec![DVec3::ZERO; 90];
        let flight = Keyframes::linear(&start, &still, 0.0, 1.0).unwrap();
        let mut trees: Vec<RefitTree> = Level::available()
            .map(|_| RefitTree::new(&flight, &faces).unwrap())
            .collect();
        let moved: Vec<DVec3> = start.iter().map(|&p| p + rng.cube()).collect();
        for (tree, level) in trees.iter_mut().zip(Level::available()) {
            tree.refit_with(&moved, level).unwrap();
        }
        let bits = |tree: &RefitTree| -> Vec<[u32; 8]> {
            tree.boxes.iter().map(|row| row.map(f32::to_bits)).collect()
        };
        assert!(trees.iter().all(|tree| bits(tree) == bits(&trees[0])));
    }
}
