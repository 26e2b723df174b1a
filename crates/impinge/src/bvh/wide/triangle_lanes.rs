//! SIMD triangle test: one face against the eight of a leaf; certain hit, certain miss, or undecided.

use super::layout::WideLeaf;
use super::relative_pose::{RelativePose, U};
use crate::math::simd::lanes::{LaneArithmetic, Lanes, Mask};

/// The corners of a leaf of the other tree, carried into this leaf's own frame.
pub(super) struct CarriedFaces {
    pub(super) corner: [[[f32; 8]; 3]; 3],
    /// From this leaf's origin to the other's.
    pub(super) offset: [f32; 3],
    /// `|a| + |b| + |offset|`: an upper bound on every length between the two leaves.
    pub(super) reach: f32,
    /// What a carried coordinate may be off by.
    pub(super) error: f32,
}

impl CarriedFaces {
    #[inline(always)]
    pub(super) fn new<T: Lanes>(
        this: &WideLeaf,
        other: &WideLeaf,
        relative: &RelativePose,
    ) -> Self {
        let offset = relative.point(other.origin) - this.origin;
        let offset = [offset.x as f32, offset.y as f32, offset.z as f32];
        let mut corner = [[[0.0; 8]; 3]; 3];
        let column = &relative.point_column;
        for v in 0..3 {
            let p = [
                T::load(&other.corner[v][0]),
                T::load(&other.corner[v][1]),
                T::load(&other.corner[v][2]),
            ];
            for i in 0..3 {
                let sum = T::splat(column[2][i]).mul_add(p[2], T::splat(offset[i]));
                let sum = T::splat(column[1][i]).mul_add(p[1], sum);
                corner[v][i] = T::splat(column[0][i]).mul_add(p[0], sum).store();
            }
        }
        let length = (offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]).sqrt();
        let reach = 0.5 * (this.diameter + other.diameter * relative.scale) + length;
        let reach = reach * (1.0 + 16.0 * U);
        // Corner rounded to f32 (1u), column (1u), products and sums (4u), offset (1u): below 8u
        // of the reach, and what double precision had lost before.
        let error = 8.0 * U * reach + 2.0 * relative.slack;
        Self {
            corner,
            offset,
            reach,
            error,
        }
    }

    /// The corners of face `j`.
    #[inline(always)]
    pub(super) fn face(&self, j: usize) -> [[f32; 3]; 3] {
        let mut p = [[0.0; 3]; 3];
        for v in 0..3 {
            for c in 0..3 {
                p[v][c] = self.corner[v][c][j];
            }
        }
        p
    }

    /// Carried faces that may meet something in this leaf: not outside its box, nor beyond its slab.
    #[inline(always)]
    pub(super) fn near<T: Lanes>(&self, this: &WideLeaf) -> u32 {
        let mut mask = T::splat(0.0).le(T::splat(0.0));
        for c in 0..3 {
            let (low, high) = self.range::<T>([
                T::load(&self.corner[0][c]),
                T::load(&self.corner[1][c]),
                T::load(&self.corner[2][c]),
            ]);
            let reach = this.half[c] + self.error;
            mask = mask & low.le(T::splat(reach)) & T::splat(-reach).le(high);
        }
        let (low, high) = self.range::<T>(self.along::<T>(this.normal));
        // A projection sums three products of an erring point with a vector of length one.
        let error = 2.0 * self.error + 4.0 * U * self.reach;
        mask =
            mask & low.le(T::splat(this.slab[1] + error)) & T::splat(this.slab[0] - error).le(high);
        mask.bits()
    }

    #[inline(always)]
    fn range<T: Lanes>(&self, x: [T; 3]) -> (T, T) {
        (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]))
    }

    /// The corners' projections on a vector.
    #[inline(always)]
    pub(super) fn along<T: Lanes>(&self, n: [f32; 3]) -> [T; 3] {
        let mut q = [T::splat(0.0); 3];
        for v in 0..3 {
            let z = T::splat(n[2]) * T::load(&self.corner[v][2]);
            let yz = T::splat(n[1]).mul_add(T::load(&self.corner[v][1]), z);
            q[v] = T::splat(n[0]).mul_add(T::load(&self.corner[v][0]), yz);
        }
        q
    }
}

#[inline(always)]
pub(super) fn dot<T: LaneArithmetic>(a: &[T; 3], b: &[T; 3]) -> T {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
pub(super) fn cross<T: LaneArithmetic>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    [
        a[1].mul_sub(b[2], a[2] * b[1]),
        a[2].mul_sub(b[0], a[0] * b[2]),
        a[0].mul_sub(b[1], a[1] * b[0]),
    ]
}

#[inline(always)]
pub(super) fn sub<T: LaneArithmetic>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Lanes that certainly meet the face, and lanes that only exact arithmetic can decide.
pub(super) struct TriangleVerdicts {
    pub(super) hit: u32,
    pub(super) unsure: u32,
}

/// Added to error bounds to cover underflow: far above its error, far below any determinant that matters.
const FLOOR: f32 = 1e-36;

const NONE: TriangleVerdicts = TriangleVerdicts { hit: 0, unsure: 0 };

/// What the rows of [`classify`] need of the carried faces, for all eight at once.
pub(super) struct Rows {
    /// Edges from the first corner, and their product.
    edge: [[[f32; 8]; 3]; 2],
    normal: [[f32; 8]; 3],
    /// Bounds on the rounding of sides of the carried face's plane, of passes, and of sides of the own faces' planes.
    plane: [f32; 8],
    middle: [f32; 8],
    own: [f32; 8],
    error: f32,
}

impl Rows {
    /// The bounds are derived at [`classify`].
    #[inline(always)]
    pub(super) fn new<T: Lanes>(leaf: &WideLeaf, carried: &CarriedFaces) -> Self {
        let (reach, error) = (carried.reach, carried.error);
        let corner = |v: usize| {
            [
                T::load(&carried.corner[v][0]),
                T::load(&carried.corner[v][1]),
                T::load(&carried.corner[v][2]),
            ]
        };
        let origin = corner(0);
        let (u, w) = (sub(&corner(1), &origin), sub(&corner(2), &origin));
        let n = cross(&u, &w);
        let e = 2.0 * (error + U * reach);
        let edge_error = 2.0 * e;
        // Lengths with their errors, so that second-order terms are covered.
        let r = reach + e;
        let own = leaf.diameter + edge_error;
        let l = dot(&u, &u).max(dot(&w, &w)).sqrt();
        let l = l.mul_add(T::splat(1.0001), T::splat(edge_error));
        // det(u, w, x): |u|, |w| ≤ ℓ and err by 2e, |x| ≤ R and errs by e.
        // 2·2e·ℓ·R + e·ℓ² + 16u·ℓ²·R
        let ll = l * l;
        let plane = l.mul_add(
            T::splat(2.0 * edge_error * r),
            ll.mul_add(T::splat(e + 16.0 * U * r), T::splat(FLOOR)),
        );
        // det(xᵢ, xⱼ, u): two lengths R that err by e, one ℓ that errs by 2e.
        // 2e·R·ℓ + 2e·R² + 16u·R²·ℓ
        let side = l.mul_add(
            T::splat(2.0 * e * r + 16.0 * U * r * r),
            T::splat(edge_error * r * r + FLOOR),
        );
        // The middle value is a sum of two such and a difference of two plane values.
        let middle = (side + plane) * T::splat(2.001);
        // det(own edges, x₀) and det(own edges, u), each side of a difference.
        let per_length = 2.0 * edge_error * own + 16.0 * U * own * own;
        let own_margin = (l + T::splat(r)).mul_add(
            T::splat(per_length),
            T::splat((e + edge_error) * own * own + FLOOR),
        );
        Self {
            edge: [
                [u[0].store(), u[1].store(), u[2].store()],
                [w[0].store(), w[1].store(), w[2].store()],
            ],
            normal: [n[0].store(), n[1].store(), n[2].store()],
            plane: plane.store(),
            middle: middle.store(),
            own: own_margin.store(),
            error,
        }
    }
}

/// Classifies the eight faces of a leaf against carried face `q`, number `k`.
///
/// With `x` a corner of the leaf's face relative to `q₀`, and `u`, `w` the edges of `q` from `q₀`,
/// the sign of `det(u, w, x)` gives the side of q's plane, and those of `det(xᵢ, xⱼ, ·)` how an
/// edge passes the edges of `q`. A face pair meets iff an edge of one meets the other; an edge
/// surely does when its ends are on strictly different sides and it passes all three edges in
/// the same sense, and surely does not when a side or a sense surely differs.
///
/// *Margins.* A vector between carried and own points errs by at most √3·(error + 1.5u·reach) < 2·(error + u·reach) =: e in
/// length. A determinant of vectors with lengths X, Y, Z that err by e each is off by at most
/// e·(XY + YZ + ZX)·(1 + tiny), plus 12u·XYZ for its own evaluation. Lengths are bounded by the
/// reach R for `x` and by the edges' own length ℓ for `u` and `w`.
#[inline(always)]
pub(super) fn classify<T: Lanes>(
    leaf: &WideLeaf,
    carried: &CarriedFaces,
    rows: &Rows,
    k: usize,
) -> TriangleVerdicts {
    let zero = T::splat(0.0);
    let mut x = [[zero; 3]; 3];
    for c in 0..3 {
        let q = T::splat(carried.corner[0][c][k]);
        for v in 0..3 {
            x[v][c] = T::load(&leaf.corner[v][c]) - q;
        }
    }
    let splat = |v: &[[f32; 8]; 3]| [T::splat(v[0][k]), T::splat(v[1][k]), T::splat(v[2][k])];
    let n = splat(&rows.normal);
    let sa = [dot(&n, &x[0]), dot(&n, &x[1]), dot(&n, &x[2])];
    let m = T::splat(rows.plane[k]);
    let least = sa[0].min(sa[1]).min(sa[2]);
    let greatest = sa[0].max(sa[1]).max(sa[2]);
    let mut near = least.le(m) & (zero - m).le(greatest);
    // Boxes tell lanes apart but hardly ever a whole row: they come second.
    if near.bits() & leaf.lanes() == 0 {
        return NONE;
    }
    let (u, w) = (splat(&rows.edge[0]), splat(&rows.edge[1]));
    let wide = T::splat(3.0 * rows.error);
    for c in 0..3 {
        let low = u[c].min(w[c]).min(zero) - wide;
        let high = u[c].max(w[c]).max(zero) + wide;
        let least = x[0][c].min(x[1][c]).min(x[2][c]);
        let greatest = x[0][c].max(x[1][c]).max(x[2][c]);
        near = near & least.le(high) & low.le(greatest);
    }
    let own_normal = cross(&sub(&x[1], &x[0]), &sub(&x[2], &x[0]));
    let d = dot(&own_normal, &x[0]);
    let sb = [zero - d, dot(&own_normal, &u) - d, dot(&own_normal, &w) - d];
    let mo = T::splat(rows.own[k]);
    let least = sb[0].min(sb[1]).min(sb[2]);
    let greatest = sb[0].max(sb[1]).max(sb[2]);
    near = near & least.le(mo) & (zero - mo).le(greatest);
    if near.bits() == 0 {
        return NONE;
    }
    let mut pass = [[zero; 3]; 3];
    for i in 0..3 {
        let j = (i + 1) % 3;
        let c = cross(&x[i], &x[j]);
        let (cu, cw) = (dot(&c, &u), dot(&c, &w));
        pass[i][0] = cu;
        pass[i][1] = cw - cu + (sa[j] - sa[i]);
        pass[i][2] = zero - cw;
    }
    let mm = T::splat(rows.middle[k]);
    let (mut hit, mut miss) = (zero.lt(zero), zero.le(zero));
    for i in 0..3 {
        let verdict = edge_verdict(pass[i], mm, [sa[i], sa[(i + 1) % 3]], m);
        hit = hit | verdict.0;
        miss = miss & verdict.1;
    }
    for j in 0..3 {
        let passes = [pass[0][j], pass[1][j], pass[2][j]];
        let verdict = edge_verdict(passes, mm, [sb[j], sb[(j + 1) % 3]], mo);
        hit = hit | verdict.0;
        miss = miss & verdict.1;
    }
    let hit = (hit & near).bits();
    TriangleVerdicts {
        hit,
        unsure: near.bits() & !hit & !miss.bits(),
    }
}

/// Whether an edge surely meets a face, and whether it surely does not.
#[inline(always)]
fn edge_verdict<T: Lanes>(
    pass: [T; 3],
    pass_margin: T,
    sides: [T; 2],
    side_margin: T,
) -> (T::Mask, T::Mask) {
    let zero = T::splat(0.0);
    let negative = zero - pass_margin;
    let least = pass[0].min(pass[1]).min(pass[2]);
    let greatest = pass[0].max(pass[1]).max(pass[2]);
    let same_sense = pass_margin.lt(least) | greatest.lt(negative);
    let mixed = pass_margin.lt(greatest) & least.lt(negative);
    let low = sides[0].min(sides[1]);
    let high = sides[0].max(sides[1]);
    let negative = zero - side_margin;
    let across = side_margin.lt(high) & low.lt(negative);
    let one_side = side_margin.lt(low) | high.lt(negative);
    (across & same_sense, one_side | mixed)
}
