//! A node in 20 bytes.
//!
//! Twelve bytes for the box, whose ends are multiples of a 65 535th of the range of the tree's
//! frame, rounded outward; four for the children; four for the properties of the node: its number
//! of possible cells, its depth, the inverse of its edge length in 12 bits, and whether it has
//! gaps. A leaf stores its [`QuantizedSlab`] in place of the children.

use glam::Vec3;

/// The deepest level of a tree.
pub(super) const MAX_DEPTH: u32 = 60;
/// Nodes that can be linked.
pub(super) const MAX_NODES: usize = 1 << 29;

/// The most cells along each side of a node's grid.
pub(super) const MAX_SIDE: u32 = 16;

/// Coordinates in the frame of a tree are at most 1, and a little more by rounding outward.
pub(super) const RANGE: f32 = 1.0 + 1.0 / 64.0;
/// Half a step of a coordinate: centres and half sides are whole multiples of it.
pub(super) const HALF_STEP: f32 = RANGE / LAST_STEP;
const LAST_STEP: f32 = u16::MAX as f32;

const CELL_BITS: u32 = 13;
const DEPTH_BITS: u32 = 6;
const GAPS: u32 = 1 << 31;
/// Upper half of the `f32` below which no inverse edge is: 2⁻⁷.
const LEAST_INVERSE: u32 = 120 << 7;
const INVERSE_MASK: u32 = 0xfff;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct AverageNode {
    pub(super) low: [u16; 3],
    pub(super) high: [u16; 3],
    pub(super) link: u32,
    facts: u32,
}

impl AverageNode {
    /// A node with this box, not linked to anything.
    pub(super) fn around(center: Vec3, half: Vec3) -> Self {
        let place = |x: f32| (x + RANGE) / (2.0 * HALF_STEP);
        let (low, high) = ((center - half).map(place), (center + half).map(place));
        // A hundredth of a step is more than the rounding of these numbers.
        let low = (low - 0.01)
            .floor()
            .clamp(Vec3::ZERO, Vec3::splat(LAST_STEP - 1.0));
        let high = (high + 0.01)
            .ceil()
            .clamp(low + 1.0, Vec3::splat(LAST_STEP));
        Self {
            low: low.to_array().map(|x| x as u16),
            high: high.to_array().map(|x| x as u16),
            ..Self::default()
        }
    }

    /// A node with this box and link as they are stored.
    pub(super) fn linked(low: [u16; 3], high: [u16; 3], link: u32) -> Self {
        Self {
            low,
            high,
            link,
            facts: 0,
        }
    }

    /// The node with 2 to 8 children side by side.
    pub(super) fn with_children(mut self, first: u32, children: u32) -> Self {
        self.link = first | (children - 1) << 29;
        self
    }

    /// The node as a leaf.
    pub(super) fn with_slab(mut self, slab: QuantizedSlab) -> Self {
        self.link = slab.0;
        self
    }

    pub(super) fn with_facts(mut self, cells: u32, depth: u32, has_gaps: bool) -> Self {
        let half = self.half();
        let edge = libm::cbrtf(8.0 * half.x * half.y * half.z);
        let inverse = ((1.0 / edge).to_bits() >> 16).saturating_sub(LEAST_INVERSE);
        self.facts = cells.min((1 << CELL_BITS) - 1)
            | depth.min(MAX_DEPTH) << CELL_BITS
            | inverse.min(INVERSE_MASK) << (CELL_BITS + DEPTH_BITS)
            | if has_gaps { GAPS } else { 0 };
        self
    }

    /// All that is stored.
    pub(super) fn words(&self) -> [u64; 4] {
        let ends = |[x, y, z]: [u16; 3]| u64::from(x) | u64::from(y) << 16 | u64::from(z) << 32;
        [
            ends(self.low),
            ends(self.high),
            u64::from(self.link),
            u64::from(self.facts),
        ]
    }

    /// The middle of the box.
    #[inline(always)]
    pub(super) fn center(&self) -> Vec3 {
        let [x, y, z] = self.doubled_center();
        Vec3::new(x, y, z) * HALF_STEP - RANGE
    }

    /// Half the sides of the box.
    #[inline(always)]
    pub(super) fn half(&self) -> Vec3 {
        let [x, y, z] = self.sides();
        Vec3::new(x, y, z) * HALF_STEP
    }

    /// The sums of both ends along each axis, in steps.
    #[inline(always)]
    pub(super) fn doubled_center(&self) -> [f32; 3] {
        [0, 1, 2].map(|k| (i32::from(self.low[k]) + i32::from(self.high[k])) as f32)
    }

    /// The sides, in steps.
    #[inline(always)]
    pub(super) fn sides(&self) -> [f32; 3] {
        [0, 1, 2].map(|k| (i32::from(self.high[k]) - i32::from(self.low[k])) as f32)
    }

    #[inline(always)]
    pub(super) fn is_leaf(&self) -> bool {
        self.link >> 29 == 0
    }

    /// The first child and the number of children; meaningless for a leaf.
    #[inline(always)]
    pub(super) fn children(&self) -> (u32, u32) {
        (self.link & (MAX_NODES as u32 - 1), (self.link >> 29) + 1)
    }

    #[inline(always)]
    pub(super) fn patch(&self) -> QuantizedSlab {
        QuantizedSlab(self.link)
    }

    /// Possible collision cells.
    #[inline(always)]
    pub(super) fn cells(&self) -> u32 {
        self.facts & ((1 << CELL_BITS) - 1)
    }

    #[inline(always)]
    pub(super) fn depth(&self) -> u32 {
        self.facts >> CELL_BITS & ((1 << DEPTH_BITS) - 1)
    }

    /// One over the edge of the cube of the same volume, to 8 bits.
    #[inline(always)]
    pub(super) fn inverse_edge(&self) -> f32 {
        let bits = self.facts >> (CELL_BITS + DEPTH_BITS) & INVERSE_MASK;
        f32::from_bits((bits + LEAST_INVERSE) << 16)
    }

    /// Whether a part of its largest side is not covered.
    #[inline(always)]
    pub(super) fn has_gaps(&self) -> bool {
        self.facts & GAPS != 0
    }

    #[inline(always)]
    pub(super) fn largest_half(&self) -> f32 {
        self.half().max_element()
    }
}

/// The slab around a leaf's surface in 28 bits: a direction, and from where to where the surface reaches along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuantizedSlab(u32);

/// Steps of a direction's coordinates, and of a slab.
const STEPS: f32 = 127.0;

/// A slab in the frame of its box: between `low` and `high` along a vector of length about 1, from the box's centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeSlab {
    pub(super) normal: Vec3,
    pub(super) low: f32,
    pub(super) high: f32,
    /// How far the box reaches along the normal.
    pub(super) reach: f32,
}

impl QuantizedSlab {
    /// The slab around points, which are in the box.
    pub(super) fn around(
        points: impl Iterator<Item = Vec3>,
        normal: Vec3,
        center: Vec3,
        half: Vec3,
    ) -> Self {
        let (s, t) = folded(normal);
        let code = |x: f32| ((x + 1.0) * 0.5 * STEPS).round().clamp(0.0, STEPS) as u32;
        let direction = code(s) << 7 | code(t);
        let normal = unfolded(direction);
        let reach = normal.abs().dot(half);
        let (mut low, mut high) = (STEPS, 0.0_f32);
        for p in points {
            let at = (normal.dot(p - center) / reach + 1.0) * 0.5 * STEPS;
            low = low.min(at);
            high = high.max(at);
        }
        // Rounded outward, with room for the rounding of the sums.
        let low = (low - 0.02).floor().clamp(0.0, STEPS) as u32;
        let high = (high + 0.02).ceil().clamp(0.0, STEPS) as u32;
        Self(direction << 14 | low.min(high) << 7 | high)
    }

    pub(super) fn slab(self, half: Vec3) -> NodeSlab {
        let normal = unfolded(self.0 >> 14);
        let reach = normal.abs().dot(half);
        let place = |code: u32| ((code & 0x7f) as f32 / STEPS * 2.0 - 1.0) * reach;
        NodeSlab {
            normal,
            low: place(self.0 >> 7),
            high: place(self.0),
            reach,
        }
    }
}

/// A direction as a point of the square, by unfolding an octahedron.
fn folded(n: Vec3) -> (f32, f32) {
    let n = n / (n.x.abs() + n.y.abs() + n.z.abs()).max(f32::MIN_POSITIVE);
    if n.z >= 0.0 {
        (n.x, n.y)
    } else {
        let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
        ((1.0 - n.y.abs()) * sign(n.x), (1.0 - n.x.abs()) * sign(n.y))
    }
}

/// The direction of 14 bits, of length 1.
fn unfolded(code: u32) -> Vec3 {
    let decode = |bits: u32| (bits & 0x7f) as f32 / STEPS * 2.0 - 1.0;
    let (s, t) = (decode(code >> 7), decode(code));
    let z = 1.0 - s.abs() - t.abs();
    // Below the equator the corners of the square are folded in.
    let fold = (-z).max(0.0);
    let inward = |x: f32| if x >= 0.0 { x - fold } else { x + fold };
    Vec3::new(inward(s), inward(t), z).normalize_or(Vec3::Z)
}
