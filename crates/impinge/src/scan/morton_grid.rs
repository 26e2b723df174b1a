//! Morton codes of grid cells.

use glam::DVec3;

use crate::bound::Aabb;
use crate::math::MAX_COORDINATE;

/// Bits of a cell's number along one axis at most.
pub(super) const AXIS_BITS: u32 = 11;
/// Bits of a code at most.
pub(super) const CODE_BITS: u32 = 3 * AXIS_BITS;
/// Beyond 2^52 numbers have no fraction. Adding this to a number below 2^51 rounds it to a whole one, to the even one of two, and leaves that in the last bits.
const WHOLE: f64 = (3_u64 << 51) as f64;
/// Below this, numbers are rounded by adding [`WHOLE`].
const NEAR: f64 = (1_u64 << 50) as f64;
/// Cubes that are counted up to this are as long as they should, but for a part of [`UNEVEN`].
const COUNTED: f64 = (1_u64 << 31) as f64;
/// By which part two points of a cube may be farther apart along an axis than the cube is long: three roundings of 2^-53 of up to 2^31 cubes for each.
pub(super) const UNEVEN: f64 = 2e-6;

/// Cubes in Morton order. They are counted from the origin, where one has its middle, so that a point is in the same cube whatever else there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct MortonGrid {
    per_length: f64,
    /// The first cube along each axis, in the way of [`WHOLE`].
    first: [u64; 3],
    /// The first cube where numbers are too large for that.
    far: Option<DVec3>,
    /// Cubes are taken together by this power of two along each axis.
    shift: u32,
    /// Bits of what is left along an axis.
    bits: u32,
}

#[inline(always)]
fn whole(at: DVec3) -> [u64; 3] {
    (at + WHOLE).to_array().map(f64::to_bits)
}

impl MortonGrid {
    /// Cubes of this size that hold a box.
    pub(super) fn of_cubes(bounds: &Aabb, size: f64) -> Self {
        let per_length = 1.0 / size;
        let [low, high] = corners(bounds).map(|p| p * per_length);
        let first = whole(low);
        let (far, span) = if is_below(NEAR, low, high) {
            (None, span(low, high))
        } else {
            let [low, high] = [low, high].map(rounded);
            // Casts saturate and turn NaN into 0.
            (Some(low), (high - low).max_element() as u64)
        };
        let bits = u64::BITS - span.leading_zeros();
        let shift = bits.saturating_sub(AXIS_BITS);
        Self {
            per_length,
            first,
            far,
            shift,
            bits: bits - shift,
        }
    }

    /// The same with some cubes to spare all around; none where cubes are too many or too far away to be counted one by one.
    pub(super) fn with_room(bounds: &Aabb, size: f64) -> Option<Self> {
        let mut own = Self::of_cubes(bounds, size);
        let [low, high] = corners(bounds).map(|p| p * own.per_length);
        if own.shift > 0 || !is_below(0.5 * COUNTED, low, high) {
            return None;
        }
        let span = span(low, high);
        if own.bits < AXIS_BITS && span + span / 32 + 2 >= 1 << own.bits {
            own.bits += 1;
        }
        let spare = ((1 << own.bits) - 1 - span.min((1 << own.bits) - 1)) / 2;
        own.first = own.first.map(|first| first.wrapping_sub(spare));
        // No point in these cubes is out of range.
        let reach = (0.5 * COUNTED + 4096.0) * size;
        let is_inside = reach <= MAX_COORDINATE || {
            let reach = low.abs().max(high.abs()).max_element() + 4096.0;
            reach * size <= MAX_COORDINATE
        };
        is_inside.then_some(own)
    }

    /// Whether points with equal codes are in one cube.
    pub(super) fn is_fine(&self) -> bool {
        self.shift == 0
    }

    /// Bits of a code.
    pub(super) fn code_bits(&self) -> u32 {
        3 * self.bits
    }

    /// The cube of a point, counted from the first; beyond all others where it is not in the lattice.
    #[inline(always)]
    pub(super) fn cube(&self, p: DVec3) -> [u64; 3] {
        let at = p * self.per_length;
        if let Some(first) = self.far {
            return (rounded(at) - first).to_array().map(|x| x as u64);
        }
        let [x, y, z] = whole(at);
        [
            x.wrapping_sub(self.first[0]),
            y.wrapping_sub(self.first[1]),
            z.wrapping_sub(self.first[2]),
        ]
    }

    pub(super) fn code(&self, p: DVec3) -> u64 {
        morton(self.cube(p).map(|x| x >> self.shift))
    }

    /// The code of a point, where the first cube was found by adding [`WHOLE`], and all bits of its cube.
    #[inline(always)]
    pub(super) fn code_and_cube(&self, p: DVec3) -> (u64, u64) {
        let [x, y, z] = whole(p * self.per_length);
        let cube = [
            x.wrapping_sub(self.first[0]),
            y.wrapping_sub(self.first[1]),
            z.wrapping_sub(self.first[2]),
        ];
        (morton(cube), cube[0] | cube[1] | cube[2])
    }

    /// Whether all cubes are in the lattice, when these are all their bits.
    pub(super) fn holds(&self, cubes: u64) -> bool {
        cubes >> self.bits == 0
    }
}

/// The corners of a box; the origin twice for an empty one.
fn corners(bounds: &Aabb) -> [DVec3; 2] {
    if bounds.is_empty() {
        [DVec3::ZERO; 2]
    } else {
        [bounds.min, bounds.max]
    }
}

fn is_below(limit: f64, low: DVec3, high: DVec3) -> bool {
    low.abs().max(high.abs()).max_element() < limit
}

fn rounded(p: DVec3) -> DVec3 {
    DVec3::from_array(p.to_array().map(f64::round_ties_even))
}

/// How many cubes apart two corners are along the longest axis.
fn span(low: DVec3, high: DVec3) -> u64 {
    let (low, high) = (whole(low), whole(high));
    (0..3).fold(0, |most, k| most.max(high[k].wrapping_sub(low[k])))
}

/// A lattice over a box, when only the order matters and not where cells begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinestMortonGrid {
    min: DVec3,
    per_length: f64,
}

impl FinestMortonGrid {
    /// With this many bits along each axis.
    pub(super) fn around(bounds: &Aabb, bits: u32) -> Self {
        let cells = (1_u64 << bits.min(AXIS_BITS)) as f64;
        Self {
            min: bounds.min,
            per_length: (cells - 1.0) / extent(bounds),
        }
    }

    /// Whether the box has a size that cells can part.
    pub(super) fn has_cells(&self) -> bool {
        self.per_length.is_finite()
    }

    /// Without a size, all is NaN or infinite and has the code 0.
    #[inline(always)]
    pub(super) fn code(&self, p: DVec3) -> u64 {
        morton(whole((p - self.min) * self.per_length))
    }
}

/// The longest side of a box; 0 for an empty one.
pub(super) fn extent(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        0.0
    } else {
        bounds.diagonal().max_element()
    }
}

/// The bits of three numbers below 2^11 in turn; higher bits are ignored.
#[inline(always)]
fn morton(cell: [u64; 3]) -> u64 {
    const VALUES: usize = 1 << AXIS_BITS;
    static SPREAD: [u32; VALUES] = {
        let mut table = [0; VALUES];
        let mut x = 0;
        while x < VALUES {
            table[x] = spread(x as u64) as u32;
            x += 1;
        }
        table
    };
    let [x, y, z] = cell.map(|x| u64::from(SPREAD[x as usize % VALUES]));
    x << 2 | y << 1 | z
}

/// The bits of a number below 2^11, two places apart.
const fn spread(mut x: u64) -> u64 {
    x = (x | x << 16) & 0x001F_0000_FF00_00FF;
    x = (x | x << 8) & 0x100F_00F0_0F00_F00F;
    x = (x | x << 4) & 0x10C3_0C30_C30C_30C3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
