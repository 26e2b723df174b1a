//! A node in 32 bytes.
//!
//! Six numbers for the box, four bytes for the children, four for the properties of the node: its
//! number of possible cells, its depth, and the inverse of its edge length in the upper half of an
//! `f32`, whose sign says whether it has gaps. A leaf stores its [`QuantizedSlab`] in place of the
//! children.

use glam::Vec3;

/// The deepest level of a tree.
pub(super) const MAX_DEPTH: u32 = 60;
/// Nodes that can be linked.
pub(super) const MAX_NODES: usize = 1 << 29;

/// The cells of a node's grid along each side, and in all.
pub(super) const SIDE: usize = 8;
/// All cells of a node.
pub(super) const CELLS: u32 = 512;

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct AverageNode {
    pub(super) center: [f32; 3],
    pub(super) half: [f32; 3],
    pub(super) link: u32,
    facts: u32,
}

impl AverageNode {
    /// An inner node with 2 to 8 children side by side.
    pub(super) fn inner(center: Vec3, half: Vec3, first: u32, children: u32) -> Self {
        Self {
            center: center.into(),
            half: half.into(),
            link: first | (children - 1) << 29,
            facts: 0,
        }
    }

    pub(super) fn leaf(center: Vec3, half: Vec3, patch: QuantizedSlab) -> Self {
        Self {
            center: center.into(),
            half: half.into(),
            link: patch.0,
            facts: 0,
        }
    }

    pub(super) fn with_facts(mut self, cells: u32, depth: u32, has_gaps: bool) -> Self {
        let edge = libm::cbrtf(8.0 * self.half[0] * self.half[1] * self.half[2]);
        let inverse = (1.0 / edge).to_bits() >> 16;
        self.facts = cells.min(CELLS)
            | depth.min(MAX_DEPTH) << 10
            | inverse << 16
            | u32::from(has_gaps) << 31;
        self
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
        self.facts & 0x3ff
    }

    #[inline(always)]
    pub(super) fn depth(&self) -> u32 {
        self.facts >> 10 & 0x3f
    }

    /// One over the edge of the cube of the same volume, to 8 bits.
    #[inline(always)]
    pub(super) fn inverse_edge(&self) -> f32 {
        f32::from_bits(self.facts & 0x7fff_0000)
    }

    /// Whether a part of its largest side is not covered.
    #[inline(always)]
    pub(super) fn has_gaps(&self) -> bool {
        self.facts >> 31 != 0
    }

    #[inline(always)]
    pub(super) fn largest_half(&self) -> f32 {
        self.half[0].max(self.half[1]).max(self.half[2])
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
    /// What a node stores in its place.
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

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
