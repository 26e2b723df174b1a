//! Volumes with two boundaries: an outer one around a node's faces, and an empty one inside.
//!
//! **Idea.** The inner volume is the outer one, shrunk about a point until no face enters it. It
//! holds no possible cell, so the cells of a node are spread over less than its box, and a body
//! that lies in it meets nothing of the node.
//! **Source.** Klein 2005, 3.2.5, where the idea is described for boxes along the axes; nothing was
//! built. Overlap volume by inclusion and exclusion: V₀ − V₁ − V₂ + V₃. Ours: boxes along any axes
//! and k-DOPs; the size is bisected for each of eight centres.
//! **Promise.** No face of the node enters the inner volume. Volumes of k-DOPs are estimated from
//! points of a lattice.

use glam::{DMat3, DVec3};

use super::average_case_tree::AverageVolume;
use super::box_overlap::BoxPair;
use crate::bound::{Aabb, BoundingVolume, Kdop, Obb, Slabs};
use crate::math::Pose;

/// Most pairs of parallel sides.
const MAX_SLABS: usize = 13;
/// Inner volumes below this fraction of the outer one are not kept.
const LEAST_PART: f64 = 0.05;
/// The most that is believed of it.
const MOST_PART: f64 = 0.95;
/// How often the size of an inner volume is bisected.
const BISECTIONS: u32 = 24;
/// What is taken off, far more than rounding.
const SHRINK: f64 = 1.0 - 1e-6;
/// Points along each side of a box by which the volume of a k-DOP is estimated.
const LATTICE: i32 = 12;

/// The normals of parallel sides, each with half their distance.
#[derive(Clone, Copy, Debug)]
pub struct SlabList {
    slabs: [(DVec3, f64); MAX_SLABS],
    count: usize,
}

impl SlabList {
    fn of(slabs: impl Iterator<Item = (DVec3, f64)>) -> Self {
        let mut list = Self {
            slabs: [(DVec3::ZERO, 0.0); MAX_SLABS],
            count: 0,
        };
        for (slot, slab) in list.slabs.iter_mut().zip(slabs) {
            *slot = slab;
            list.count += 1;
        }
        list
    }

    fn all(&self) -> &[(DVec3, f64)] {
        &self.slabs[..self.count]
    }

    /// In how many times their size the sides about the origin hold a point.
    fn gauge(&self, p: DVec3) -> f64 {
        let of_slab =
            |&(normal, half): &(DVec3, f64)| normal.dot(p).abs() / half.max(f64::MIN_POSITIVE);
        self.all().iter().map(of_slab).fold(0.0, f64::max)
    }
}

/// Volumes between pairs of parallel planes, which may have an inner volume of the same shape.
///
/// ```
/// use impinge::average_case::SlabVolume;
/// use impinge::{DVec3, bound::{Aabb, BoundingVolume}};
/// let cube = Aabb::enclosing([DVec3::ZERO, DVec3::splat(2.0)]);
/// assert_eq!(cube.about_box(), (DVec3::splat(1.0), DVec3::splat(1.0), impinge::DMat3::IDENTITY));
/// ```
pub trait SlabVolume: BoundingVolume {
    /// Its pairs of sides.
    fn slabs(&self) -> SlabList;

    /// The box around it that has its axes: middle, half sides, axes as columns.
    fn about_box(&self) -> (DVec3, DVec3, DMat3);
}

impl SlabVolume for Aabb {
    fn slabs(&self) -> SlabList {
        let half = self.half_extent().to_array();
        SlabList::of(DVec3::AXES.into_iter().zip(half))
    }

    fn about_box(&self) -> (DVec3, DVec3, DMat3) {
        (Self::center(self), self.half_extent(), DMat3::IDENTITY)
    }
}

impl SlabVolume for Obb {
    fn slabs(&self) -> SlabList {
        SlabList::of(self.axes().into_iter().zip(self.half_extent().to_array()))
    }

    fn about_box(&self) -> (DVec3, DVec3, DMat3) {
        let [x, y, z] = self.axes();
        (
            Self::center(self),
            self.half_extent(),
            DMat3::from_cols(x, y, z),
        )
    }
}

impl<const K: usize> SlabVolume for Kdop<K>
where
    Self: Slabs,
{
    fn slabs(&self) -> SlabList {
        SlabList::of(self.sides())
    }

    fn about_box(&self) -> (DVec3, DVec3, DMat3) {
        let bounds = self.bounds();
        (bounds.center(), bounds.half_extent(), DMat3::IDENTITY)
    }
}

/// A node's volume with two boundaries, for an [`AverageTree`](super::AverageTree) of boxes along
/// the axes (2-AABB), along any axes (2-OBB), or k-DOPs (2-DOP).
///
/// ```
/// use impinge::average_case::{AverageQuery, AverageTree, TwoBoundary};
/// use impinge::{DVec3, Pose, bound::Aabb, generate::icosphere, query::Limits};
/// use std::sync::Arc;
/// let shell = icosphere(1.0, 16)?;
/// let faces: Vec<_> = shell.triangles().collect();
/// let volume = TwoBoundary::<Aabb>::around(&faces);
/// assert!(volume.is_empty_at(DVec3::ZERO) && !volume.is_empty_at(DVec3::X));
/// assert!(volume.outer().half_extent().min_element() > 0.9);
///
/// // What lies inside of the inner volume of a root is apart after one test.
/// let tree = |mesh| Arc::new(AverageTree::<TwoBoundary<Aabb>>::new(mesh, &Default::default()));
/// let small = icosphere(0.2, 4)?;
/// let mut query = AverageQuery::new(tree(&shell), tree(&small), Default::default())?;
/// let answer = query.at(&Pose::IDENTITY, Limits::default());
/// assert!(!answer.verdict.answer && answer.verdict.certain && answer.work.volume_tests == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "2-AABB")]
#[doc(alias = "2-DOP")]
#[doc(alias = "2-OBB")]
pub struct TwoBoundary<V> {
    outer: V,
    /// The middle of the inner volume, and its size in that of the outer one; 0 for none.
    center: DVec3,
    scale: f64,
    /// The volume of the outer one in that of its box.
    fill: f64,
}

impl<V: SlabVolume> TwoBoundary<V> {
    /// The volume around faces, with the largest inner one that some centres give.
    #[must_use]
    pub fn around(faces: &[[DVec3; 3]]) -> Self {
        let outer = V::around_faces(faces);
        let slabs = outer.slabs();
        let (middle, half, axes) = outer.about_box();
        let mut best = (0.0, middle);
        for center in centers(faces, middle, half, axes) {
            // The inner volume has to lie in the outer one.
            let inside = 1.0 - slabs.gauge(center - middle);
            let size = free_size(faces, center, &slabs, best.0, inside);
            if size > best.0 {
                best = (size, center);
            }
        }
        let (scale, center) = (best.0 * SHRINK, best.1);
        let is_kept = scale * scale * scale >= LEAST_PART;
        Self {
            outer,
            center,
            scale: if is_kept { scale } else { 0.0 },
            fill: fill(&slabs, half, axes),
        }
    }

    /// The outer volume.
    #[must_use]
    pub fn outer(&self) -> &V {
        &self.outer
    }

    /// The volume of the inner one in that of the outer one.
    #[must_use]
    pub fn empty_part(&self) -> f64 {
        self.scale * self.scale * self.scale
    }

    /// Whether a point is in the inner volume, which no face enters.
    #[must_use]
    pub fn is_empty_at(&self, p: DVec3) -> bool {
        self.scale > 0.0 && self.outer.slabs().gauge(p - self.center) < self.scale
    }

    /// What the spaces between both boundaries of two volumes share: V₀ − V₁ − V₂ + V₃. Exact for boxes; of k-DOPs, of boxes with
    /// their volume.
    ///
    /// ```
    /// use impinge::average_case::TwoBoundary;
    /// use impinge::{Pose, bound::Aabb, generate::icosphere};
    /// let faces: Vec<_> = icosphere(1.0, 8)?.triangles().collect();
    /// let volume = TwoBoundary::<Aabb>::around(&faces);
    /// let own = volume.overlap_volume(&volume, &Pose::IDENTITY);
    /// // The ball's box less its inner cube.
    /// assert!((own / (8.0 * (1.0 - volume.empty_part())) - 1.0).abs() < 0.05);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn overlap_volume(&self, other: &Self, self_from_other: &Pose) -> f64 {
        let [whole, in_self, in_other, in_both] = self.overlaps_of(other, self_from_other);
        (whole - in_self - in_other + in_both).max(0.0)
    }

    /// The four volumes of the sum.
    fn overlaps_of(&self, other: &Self, self_from_other: &Pose) -> [f64; 4] {
        let shared = |inner_a: bool, inner_b: bool| -> f64 {
            if inner_a && self.scale <= 0.0 || inner_b && other.scale <= 0.0 {
                return 0.0;
            }
            let (a, b) = (self.as_box(inner_a), other.as_box(inner_b));
            let back = a.axes.transpose();
            let apart = self_from_other.transform_point(b.middle) - a.middle;
            BoxPair {
                half_a: a.half,
                half_b: b.half,
                center: back * apart,
                turn: back * *self_from_other.rotation() * b.axes,
            }
            .exact()
        };
        [
            shared(false, false),
            shared(true, false),
            shared(false, true),
            shared(true, true),
        ]
    }

    /// The box with the volume of the inner or of the outer volume.
    fn as_box(&self, inner: bool) -> TurnedBox {
        let (middle, half, axes) = self.outer.about_box();
        let half = half * libm::cbrt(self.fill);
        if inner {
            TurnedBox {
                middle: self.center,
                half: half * self.scale,
                axes,
            }
        } else {
            TurnedBox { middle, half, axes }
        }
    }

    /// Whether the whole of another volume, placed, is in the inner one.
    fn swallows(&self, other: &Self, self_from_other: &Pose) -> bool {
        if self.scale <= 0.0 {
            return false;
        }
        let slabs = self.outer.slabs();
        let (middle, half, axes) = other.outer.about_box();
        let (from, reach) = (
            self_from_other.transform_point(middle),
            self.center.length(),
        );
        // What places may be off by, far from the origin.
        let rounding = 64.0
            * f64::EPSILON
            * (self_from_other.translation().length() + middle.length() + reach);
        let turn = *self_from_other.rotation() * axes;
        slabs.all().iter().all(|&(normal, width)| {
            let wide = (turn.transpose() * normal).abs().dot(half);
            let at = normal.dot(from - self.center).abs() + wide;
            at + rounding * normal.length() < width * self.scale * SHRINK
        })
    }
}

/// A box along axes of its own.
#[derive(Clone, Copy, Debug)]
struct TurnedBox {
    middle: DVec3,
    half: DVec3,
    axes: DMat3,
}

/// Where an inner volume is tried: about the middle, about the centre of gravity, and a third of the way to each side.
fn centers(faces: &[[DVec3; 3]], middle: DVec3, half: DVec3, axes: DMat3) -> [DVec3; 8] {
    let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
    for [p, q, r] in faces {
        let area = (*q - *p).cross(*r - *p).length();
        sum += area * (*p + *q + *r) / 3.0;
        weight += area;
    }
    let gravity = if weight > 0.0 { sum / weight } else { middle };
    let side = |k: usize| {
        middle + axes.col(k % 3) * half[k % 3] * if k < 3 { 1.0 / 3.0 } else { -1.0 / 3.0 }
    };
    [
        middle,
        gravity,
        side(0),
        side(1),
        side(2),
        side(3),
        side(4),
        side(5),
    ]
}

/// The largest size, at most `most`, at which no face enters the volume about a centre; 0 if it is below `least`.
fn free_size(faces: &[[DVec3; 3]], center: DVec3, slabs: &SlabList, least: f64, most: f64) -> f64 {
    let mut size = most;
    for face in faces {
        if size <= least {
            return 0.0;
        }
        let face = face.map(|p| p - center);
        if !enters(&face, slabs, size) {
            continue;
        }
        if enters(&face, slabs, least) {
            return 0.0;
        }
        let (mut free, mut entered) = (least, size);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (free + entered);
            if enters(&face, slabs, middle) {
                entered = middle;
            } else {
                free = middle;
            }
        }
        size = free;
    }
    size.max(0.0)
}

/// Whether a triangle has a point in the sides about the origin at this size; touching counts.
fn enters(face: &[DVec3; 3], slabs: &SlabList, size: f64) -> bool {
    // A triangle gains a corner with each plane.
    let mut corners = [DVec3::ZERO; 3 + 2 * MAX_SLABS];
    corners[..3].copy_from_slice(face);
    let mut count = 3;
    for &(normal, half) in slabs.all() {
        for sign in [1.0, -1.0] {
            let height = |p: DVec3| sign * normal.dot(p) - half * size;
            let polygon = corners;
            let mut kept = 0;
            for i in 0..count {
                let (p, q) = (polygon[i], polygon[(i + 1) % count]);
                let (at_p, at_q) = (height(p), height(q));
                if at_p <= 0.0 && kept < corners.len() {
                    corners[kept] = p;
                    kept += 1;
                }
                let crosses = (at_p < 0.0 && at_q > 0.0) || (at_p > 0.0 && at_q < 0.0);
                if crosses && kept < corners.len() {
                    corners[kept] = p + (q - p) * (at_p / (at_p - at_q));
                    kept += 1;
                }
            }
            if kept == 0 {
                return false;
            }
            count = kept;
        }
    }
    true
}

/// The part of the box that is between all sides, by points of a lattice; 1 for boxes.
fn fill(slabs: &SlabList, half: DVec3, axes: DMat3) -> f64 {
    if slabs.count <= 3 {
        return 1.0;
    }
    let mut inside = 0;
    let place = |k: i32| (f64::from(2 * k + 1) / f64::from(LATTICE)) - 1.0;
    for x in 0..LATTICE {
        for y in 0..LATTICE {
            for z in 0..LATTICE {
                let p = axes * (DVec3::new(place(x), place(y), place(z)) * half);
                inside += i32::from(slabs.gauge(p) <= 1.0);
            }
        }
    }
    f64::from(inside.max(1)) / f64::from(LATTICE * LATTICE * LATTICE)
}

impl<V: SlabVolume> AverageVolume for TwoBoundary<V> {
    type Kept = Self;
    type Digest = (Pose, Pose, V::Relative);

    fn digest(a_from_b: &Pose) -> Self::Digest {
        (*a_from_b, a_from_b.inverse(), V::relative(a_from_b))
    }

    fn kept(points: &[DVec3]) -> Self {
        Self::around(points.as_chunks::<3>().0)
    }

    fn holds(kept: &Self, p: DVec3) -> Option<bool> {
        Some(kept.outer.contains(p) && !kept.is_empty_at(p))
    }

    fn meets(a: &Self, b: &Self, (a_from_b, b_from_a, relative): &Self::Digest) -> bool {
        a.outer.overlaps(&b.outer, relative) && !a.swallows(b, a_from_b) && !b.swallows(a, b_from_a)
    }

    /// Cells are in less than the boxes: more of them are where the spaces between the boundaries overlap, and fewer where inner volumes do.
    fn crowding(a: &Self, b: &Self, (a_from_b, ..): &Self::Digest) -> f32 {
        if a.scale <= 0.0 && b.scale <= 0.0 {
            return 1.0;
        }
        let [whole, in_a, in_b, in_both] = a.overlaps_of(b, a_from_b);
        if whole.is_nan() || whole <= 0.0 {
            return 1.0;
        }
        let part = ((whole - in_a - in_b + in_both) / whole).clamp(0.0, 1.0);
        let full = |of: &Self| 1.0 - of.empty_part().min(MOST_PART);
        (part / (full(a) * full(b))) as f32
    }
}
