//! Faces as the builders see them: boxes in `f32`, in a frame where the mesh has unit size.
//!
//! Nothing here decides an answer: the volumes are fitted to the vertices afterwards.

use glam::{DVec3, Vec3, Vec4};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::mesh::TriMesh;
use crate::query::FaceId;

/// The frame in which a mesh has unit size: centred, scaled by a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitFrame {
    center: DVec3,
    scale: f64,
}

impl UnitFrame {
    pub(super) fn of(mesh: &TriMesh) -> Self {
        let bounds = mesh.bounds();
        let size = bounds.half_extent().max_element();
        let (_, exponent) = libm::frexp(size);
        Self {
            center: bounds.center(),
            // Meshes of almost no extent are left in the middle of nowhere: any tree will do.
            scale: if size > 1e-290 {
                libm::scalbn(1.0, -exponent)
            } else {
                0.0
            },
        }
    }

    #[inline]
    pub(super) fn local(&self, p: DVec3) -> DVec3 {
        (p - self.center) * self.scale
    }

    /// Whether places in the frame can be distinguished.
    pub(super) fn has_extent(&self) -> bool {
        self.scale > 0.0
    }

    /// The inverse of [`UnitFrame::local`], rounded; the centre for meshes of almost no extent.
    pub(super) fn world(&self, p: DVec3) -> DVec3 {
        if self.has_extent() {
            self.center + p / self.scale
        } else {
            self.center
        }
    }

    /// The corners of a face in this frame.
    #[inline]
    pub(super) fn face(&self, mesh: &TriMesh, face: u32) -> [DVec3; 3] {
        mesh.triangle(FaceId::new(face)).map(|p| self.local(p))
    }
}

/// Added to a face's number, so that its bits are those of an ordinary float: arithmetic on denormal numbers is slow.
const FACE_BITS: u32 = 0x2000_0000;

/// A face's box and number in 32 bytes, for four lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildItem {
    /// The smallest coordinates; the last lane holds the face's number.
    pub(super) low: Vec4,
    /// The largest coordinates.
    pub(super) high: Vec4,
}

impl BuildItem {
    pub(super) fn new(face: u32, low: Vec3, high: Vec3) -> Self {
        Self {
            low: low.extend(f32::from_bits(face + FACE_BITS)),
            high: high.extend(0.0),
        }
    }

    pub(super) fn face(&self) -> u32 {
        self.low.w.to_bits() - FACE_BITS
    }

    /// Twice the middle, which orders as well as the middle.
    #[inline(always)]
    pub(super) fn key(&self) -> Vec4 {
        self.low + self.high
    }

    pub(super) fn extent(&self) -> LaneBox {
        LaneBox {
            low: self.low,
            high: self.high,
        }
    }
}

/// A box; the last lanes mean nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneBox {
    pub(super) low: Vec4,
    pub(super) high: Vec4,
}

impl LaneBox {
    pub(super) const EMPTY: Self = Self {
        low: Vec4::INFINITY,
        high: Vec4::NEG_INFINITY,
    };

    #[inline(always)]
    pub(super) fn grow(&mut self, low: Vec4, high: Vec4) {
        self.low = self.low.min(low);
        self.high = self.high.max(high);
    }

    #[inline(always)]
    pub(super) fn union(mut self, other: &Self) -> Self {
        self.grow(other.low, other.high);
        self
    }

    /// Half the surface area; 0 for an empty box.
    #[inline(always)]
    pub(super) fn area(&self) -> f32 {
        let d = (self.high - self.low).max(Vec4::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    pub(super) fn of(items: &[BuildItem]) -> Self {
        items.iter().fold(Self::EMPTY, |mut extent, item| {
            extent.grow(item.low, item.high);
            extent
        })
    }
}

/// All faces of the mesh.
pub(super) fn items(mesh: &TriMesh, frame: &UnitFrame) -> Vec<BuildItem> {
    let item = |face: u32| {
        let [p, q, r] = frame.face(mesh, face).map(|p| p.as_vec3());
        BuildItem::new(face, p.min(q).min(r), p.max(q).max(r))
    };
    let count = mesh.face_count() as u32;
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().map(item).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..count).map(item).collect();
}
