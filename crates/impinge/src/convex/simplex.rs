//! GJK simplex: up to four differences `a_i − b_j` and the point of their hull nearest to the origin.
//!
//! **Idea.** Every candidate (a corner, a foot on an edge or face) is a convex combination of corners, and the nearest
//! wins. A rounded normal of a sliver can make a candidate worse, but none can lie outside the simplex.

use glam::DVec3;

/// A difference of a point of `a` and a point of `b`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SimplexVertex {
    /// The difference times the scale of the search.
    pub(super) y: DVec3,
    pub(super) point_a: DVec3,
    pub(super) point_b: DVec3,
    pub(super) vertices: [u32; 2],
}

/// Corners that carry a point, with its weights.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    corners: [SimplexVertex; 4],
    weights: [f64; 4],
    count: usize,
}

/// Where the origin stands to a simplex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OriginRegion {
    /// At the tip of this vector from the nearest point, reversed: the nearest point itself.
    Outside(DVec3),
    /// Inside a tetrahedron, as far as rounded signs tell.
    Inside,
}

/// Below this squared ratio of a triangle's area to its sides, its normal is not trusted alone.
const SLIVER_SQ: f64 = 1e-10;

/// Relative error of the determinant of three rounded differences, generously.
const DETERMINANT_ERROR: f64 = 32.0 * f64::EPSILON;

impl Simplex {
    #[inline(always)]
    pub(super) fn corners(&self) -> &[SimplexVertex] {
        &self.corners[..self.count]
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds a corner; a fifth is ignored.
    #[inline(always)]
    pub(super) fn push(&mut self, corner: SimplexVertex) {
        if self.count < 4 {
            self.corners[self.count] = corner;
            self.weights[self.count] = 0.0;
            self.count += 1;
        }
    }

    #[inline(always)]
    pub(super) fn holds(&self, corner: &SimplexVertex) -> bool {
        self.corners().iter().any(|own| own.y == corner.y)
    }

    /// The points of `a` and `b` that the weights describe.
    #[inline(always)]
    pub(super) fn points(&self) -> [DVec3; 2] {
        let mut points = [DVec3::ZERO; 2];
        for (corner, &weight) in self.corners().iter().zip(&self.weights) {
            points[0] += corner.point_a * weight;
            points[1] += corner.point_b * weight;
        }
        points
    }

    /// Where the origin stands to the simplex with one corner more, if there is room for it. A corner that was requested lies nearer to
    /// the origin than the plane of the others, so it carries the nearest point: what it is no part of is skipped.
    #[inline(always)]
    pub(super) fn weighed_with(&self, more: &SimplexVertex) -> WeighedOrigin {
        let mut y = [DVec3::ZERO; 4];
        for (slot, corner) in y.iter_mut().zip(self.corners()) {
            *slot = corner.y;
        }
        let mut best = BestCombination::NONE;
        match self.count {
            0 => {
                y[0] = more.y;
                best.offer_at(y[0], [1.0, 0.0, 0.0, 0.0]);
            }
            1 => {
                y[1] = more.y;
                best.offer_segment(&y, [1, 0]);
            }
            2 => {
                y[2] = more.y;
                best.offer_triangle_at(&y, [2, 0, 1]);
            }
            3 => {
                y[3] = more.y;
                if best.offer_tetrahedron_at(&y)
                    && let Some(weights) = best.offer_tetrahedron(&y)
                {
                    return WeighedOrigin {
                        y,
                        weights,
                        origin: OriginRegion::Inside,
                    };
                }
            }
            _ => return self.weighed(),
        }
        WeighedOrigin {
            y,
            weights: best.weights,
            origin: OriginRegion::Outside(best.v),
        }
    }

    /// The same with every part of the simplex.
    pub(super) fn weighed_wholly_with(&self, more: &SimplexVertex) -> WeighedOrigin {
        let mut whole = *self;
        whole.push(*more);
        whole.weighed()
    }

    /// Where the origin stands to the simplex.
    pub(super) fn weighed(&self) -> WeighedOrigin {
        let mut y = [DVec3::ZERO; 4];
        for (slot, corner) in y.iter_mut().zip(self.corners()) {
            *slot = corner.y;
        }
        let mut best = BestCombination::NONE;
        match self.count {
            1 => best.offer_at(y[0], [1.0, 0.0, 0.0, 0.0]),
            2 => best.offer_segment(&y, [0, 1]),
            3 => best.offer_triangle(&y, [0, 1, 2]),
            4 => {
                if let Some(weights) = best.offer_tetrahedron(&y) {
                    return WeighedOrigin {
                        y,
                        weights,
                        origin: OriginRegion::Inside,
                    };
                }
            }
            _ => best.v = DVec3::ZERO,
        }
        WeighedOrigin {
            y,
            weights: best.weights,
            origin: OriginRegion::Outside(best.v),
        }
    }

    /// Takes the corner that was weighed too and keeps those that carry the nearest point.
    #[inline(always)]
    pub(super) fn accept(&mut self, more: Option<SimplexVertex>, weighed: &WeighedOrigin) {
        if let Some(corner) = more {
            self.push(corner);
        }
        let mut kept = 0;
        for i in 0..self.count {
            if weighed.weights[i] > 0.0 {
                if kept < i {
                    self.corners[kept] = self.corners[i];
                }
                self.weights[kept] = weighed.weights[i];
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Whether the origin lies inside the tetrahedron of the unrounded differences, for certain.
    pub(super) fn surely_holds_origin(&self) -> bool {
        self.count == 4 && surely_hold_origin(&self.corners.map(|corner| corner.y))
    }
}

/// Where the origin stands to some corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeighedOrigin {
    y: [DVec3; 4],
    weights: [f64; 4],
    pub(super) origin: OriginRegion,
}

impl WeighedOrigin {
    /// Whether the origin, said to be inside, is so for certain.
    pub(super) fn is_sure(&self) -> bool {
        surely_hold_origin(&self.y)
    }
}

/// Whether the origin lies inside the tetrahedron of these differences, whatever their rounding.
#[inline(always)]
pub(super) fn surely_hold_origin(&[a, b, c, d]: &[DVec3; 4]) -> bool {
    let [first, rest @ ..] = [
        certain_sign(b, c, d),
        -certain_sign(a, c, d),
        certain_sign(a, b, d),
        -certain_sign(a, b, c),
    ];
    first != 0 && rest.iter().all(|&sign| sign == first)
}

/// The sign of a determinant of differences, each coordinate off by a rounding; 0 when that may change it.
#[inline(always)]
fn certain_sign(a: DVec3, b: DVec3, c: DVec3) -> i8 {
    let value = a.dot(b.cross(c));
    let (p, q, r) = (a.abs(), b.abs(), c.abs());
    let permanent = p.x * (q.y * r.z + q.z * r.y)
        + p.y * (q.z * r.x + q.x * r.z)
        + p.z * (q.x * r.y + q.y * r.x);
    let error = DETERMINANT_ERROR * permanent + f64::MIN_POSITIVE;
    if value > error {
        1
    } else if value < -error {
        -1
    } else {
        0
    }
}

/// The best combination so far.
struct BestCombination {
    v: DVec3,
    length_sq: f64,
    weights: [f64; 4],
}

impl BestCombination {
    const NONE: Self = Self {
        v: DVec3::ZERO,
        length_sq: f64::INFINITY,
        weights: [0.0; 4],
    };

    #[inline(always)]
    fn offer_at(&mut self, v: DVec3, weights: [f64; 4]) {
        let length_sq = v.length_squared();
        if length_sq < self.length_sq {
            *self = Self {
                v,
                length_sq,
                weights,
            };
        }
    }

    #[inline(always)]
    fn offer_segment(&mut self, y: &[DVec3; 4], [i, j]: [usize; 2]) {
        let d = y[j] - y[i];
        let (along, length_sq) = (-y[i].dot(d), d.length_squared());
        let mut weights = [0.0; 4];
        if !(along > 0.0 && length_sq > 0.0) {
            weights[i] = 1.0;
            self.offer_at(y[i], weights);
        } else if along >= length_sq {
            weights[j] = 1.0;
            self.offer_at(y[j], weights);
        } else {
            let t = along / length_sq;
            weights[i] = 1.0 - t;
            weights[j] = t;
            self.offer_at(y[i] + d * t, weights);
        }
    }

    /// Offers the parts of a triangle that corner `i` belongs to.
    #[inline(always)]
    fn offer_triangle_at(&mut self, y: &[DVec3; 4], [i, j, k]: [usize; 3]) {
        let (a, ab, ac) = (y[i], y[j] - y[i], y[k] - y[i]);
        let normal = ab.cross(ac);
        let normal_sq = normal.length_squared();
        // Weights of the foot of the origin; small triangles far away lose less than with products of their corners.
        let (of_b, of_c) = (normal.dot(ac.cross(a)), normal.dot(a.cross(ab)));
        let of_a = normal_sq - of_b - of_c;
        let is_inside = of_a > 0.0 && of_b > 0.0 && of_c > 0.0;
        if is_inside {
            let share = 1.0 / normal_sq;
            let (of_b, of_c) = (of_b * share, of_c * share);
            let mut weights = [0.0; 4];
            weights[i] = of_a * share;
            weights[j] = of_b;
            weights[k] = of_c;
            self.offer_at(a + ab * of_b + ac * of_c, weights);
        }
        let is_sliver = normal_sq
            <= SLIVER_SQ * ab.length_squared() * ac.length_squared().max(f64::MIN_POSITIVE);
        if is_sliver || !is_inside {
            // Beyond the edge opposite to `a` alone it lies by rounding only.
            let is_either = is_sliver || (of_b > 0.0 && of_c > 0.0);
            if is_either || of_c <= 0.0 {
                self.offer_segment(y, [i, j]);
            }
            if is_either || of_b <= 0.0 {
                self.offer_segment(y, [i, k]);
            }
        }
    }

    /// Offers the faces of the last corner that see the origin; true when none does.
    #[inline(always)]
    fn offer_tetrahedron_at(&mut self, y: &[DVec3; 4]) -> bool {
        let top = y[3];
        let [a, b, c] = [y[0] - top, y[1] - top, y[2] - top];
        let normals = [a.cross(b), b.cross(c), c.cross(a)];
        let volume = normals[0].dot(c);
        let mut is_inside = true;
        for (normal, [j, k]) in normals.into_iter().zip([[0, 1], [1, 2], [2, 0]]) {
            // Also for a flat tetrahedron, whose sides tell nothing.
            if -normal.dot(top) * volume <= 0.0 {
                is_inside = false;
                self.offer_triangle_at(y, [3, j, k]);
            }
        }
        is_inside
    }

    fn offer_triangle(&mut self, y: &[DVec3; 4], [i, j, k]: [usize; 3]) {
        let (a, ab, ac) = (y[i], y[j] - y[i], y[k] - y[i]);
        let normal = ab.cross(ac);
        let normal_sq = normal.length_squared();
        let (of_b, of_c) = (normal.dot(ac.cross(a)), normal.dot(a.cross(ab)));
        let raw = [normal_sq - of_b - of_c, of_b, of_c];
        let is_inside = raw.iter().all(|&w| w > 0.0);
        if is_inside {
            let mut weights = [0.0; 4];
            for (slot, w) in [i, j, k].into_iter().zip(raw) {
                weights[slot] = w / normal_sq;
            }
            self.offer_at(a + ab * weights[j] + ac * weights[k], weights);
        }
        let is_sliver = normal_sq
            <= SLIVER_SQ * ab.length_squared() * ac.length_squared().max(f64::MIN_POSITIVE);
        if is_sliver || !is_inside {
            // The foot lies beyond the edges opposite to negative weights.
            let edges = [[j, k], [k, i], [i, j]];
            for (w, edge) in raw.into_iter().zip(edges) {
                if is_sliver || w <= 0.0 {
                    self.offer_segment(y, edge);
                }
            }
        }
    }

    /// Weights when the origin is inside; otherwise the faces that see it are offered.
    fn offer_tetrahedron(&mut self, y: &[DVec3; 4]) -> Option<[f64; 4]> {
        const FACES: [([usize; 3], usize); 4] = [
            ([0, 1, 2], 3),
            ([0, 1, 3], 2),
            ([0, 2, 3], 1),
            ([1, 2, 3], 0),
        ];
        let mut weights = [0.0; 4];
        let mut is_inside = true;
        for ([i, j, k], apex) in FACES {
            let normal = (y[j] - y[i]).cross(y[k] - y[i]);
            let (origin_side, apex_side) = (-normal.dot(y[i]), normal.dot(y[apex] - y[i]));
            let is_behind = origin_side * apex_side > 0.0;
            if is_behind {
                weights[apex] = origin_side / apex_side;
            } else {
                // Also for a flat tetrahedron, whose sides tell nothing.
                is_inside = false;
                self.offer_triangle(y, [i, j, k]);
            }
        }
        if !is_inside {
            return None;
        }
        let sum = weights[0] + weights[1] + weights[2] + weights[3];
        Some(weights.map(|w| w / sum))
    }
}
