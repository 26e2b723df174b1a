//! The faces of a mesh as the builder sees them: in pieces, with their boxes and areas.
//!
//! The tree keeps no faces, so a large one may be cut at will: a wall of two triangles becomes as many leaves as a wall of many.

use glam::{DVec3, Vec3};

use crate::bound::Aabb;
use crate::math::outward_rounding;
use crate::mesh::TriMesh;

/// The frame in which the longest half side of a mesh's box is between 0.5 and 1: centred, scaled by a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UnitFrame {
    pub(super) center: DVec3,
    pub(super) scale: f64,
}

impl UnitFrame {
    pub(super) fn of(bounds: &Aabb) -> Self {
        Self {
            center: bounds.center(),
            // Meshes of almost no extent are points.
            scale: bounds.unit_scale().unwrap_or(1.0),
        }
    }

    pub(super) fn local(&self, p: DVec3) -> DVec3 {
        (p - self.center) * self.scale
    }
}

/// Pieces that are made at most: these, and eight for each face.
const SPARE_PIECES: usize = 1 << 18;

/// The faces, those with an edge longer than `longest` halved until they have none.
pub(super) fn cut(mesh: &TriMesh, longest: f64) -> Vec<[DVec3; 3]> {
    let mut pieces = Vec::with_capacity(mesh.face_count());
    let mut left = SPARE_PIECES.saturating_add(mesh.face_count().saturating_mul(8));
    let mut open = Vec::new();
    for face in mesh.triangles() {
        open.push(face);
        while let Some(piece) = open.pop() {
            let (edge, length) = longest_edge(&piece);
            if longest > 0.0 && length > longest && left > 0 {
                left -= 1;
                let [p, q, r] = [piece[edge], piece[(edge + 1) % 3], piece[(edge + 2) % 3]];
                let middle = p * 0.5 + q * 0.5;
                open.push([p, middle, r]);
                open.push([middle, q, r]);
            } else {
                pieces.push(piece);
            }
        }
    }
    pieces
}

fn longest_edge(face: &[DVec3; 3]) -> (usize, f64) {
    let mut best = (0, 0.0);
    for edge in 0..3 {
        let length = (face[(edge + 1) % 3] - face[edge]).length();
        if length > best.1 {
            best = (edge, length);
        }
    }
    best
}

/// A piece in the tree's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePiece {
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    pub(super) area: f32,
    pub(super) piece: u32,
}

impl FacePiece {
    /// Twice the middle.
    pub(super) fn key(&self) -> Vec3 {
        self.low + self.high
    }
}

/// All pieces in the frame, boxes rounded outward.
pub(super) fn items(pieces: &[[DVec3; 3]], frame: &UnitFrame) -> Vec<FacePiece> {
    let item = |(i, piece): (usize, &[DVec3; 3])| {
        let [p, q, r] = piece.map(|p| frame.local(p));
        let (low, high) = outward_rounding::outward(p.min(q).min(r), p.max(q).max(r));
        FacePiece {
            low: low.into(),
            high: high.into(),
            area: (0.5 * (q - p).cross(r - p).length()) as f32,
            piece: i as u32,
        }
    };
    pieces.iter().enumerate().map(item).collect()
}
