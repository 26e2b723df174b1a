//! The boundary of the overlap of two solids, for display.
//!
//! **Idea.** A face that does not intersect the other solid's faces lies inside it or outside as a
//! whole. Other faces are cut along the planes of the faces that cross them, and each piece is
//! classified by its midpoint.
//!
//! **Limits.** Pieces are not joined: neighbours share points only up to rounding. For volumes, use
//! [`VolumeIndex::overlap`](crate::volume::VolumeIndex::overlap).

use glam::DVec3;
use thiserror::Error;

use crate::bound::Aabb;
use crate::bvh::wide::{SingleTreeCache, WideCache, WideTree};
use crate::bvh::{MeshIndex, Solid};
use crate::geom::triangles_intersect;
use crate::math::Pose;
use crate::mesh::point_in_mesh::{InsideError, Location};
use crate::mesh::{MeshError, TriMesh};
use crate::query::{FacePair, Limits};

/// Pieces of one face: beyond this it is not cut further.
const MOST_PIECES: usize = 4096;
/// How far beside a face its sides are examined, in units of both sizes.
const BESIDE: f64 = 1e-9;

/// Why the boundary could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BoundaryError {
    /// A surface does not enclose anything.
    #[error("{body} is no solid: {error}")]
    NotClosed {
        /// `a` or `b`.
        body: char,
        /// What is wrong with it.
        error: InsideError,
    },
    /// The pieces are no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// The boundary of what two solids share, in the frame of `a`.
#[derive(Clone, Debug)]
pub struct OverlapBoundary {
    /// The part of the surface of `a` inside `b`.
    pub of_a: TriMesh,
    /// The part of the surface of `b` inside `a`.
    pub of_b: TriMesh,
}

/// The boundary of what two closed meshes share: pieces of both surfaces, each face once.
///
/// # Errors
/// [`BoundaryError::NotClosed`] when a mesh is no solid.
///
/// ```
/// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate, penetration::overlap_boundary};
/// use std::sync::Arc;
/// let cube = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
/// let pose = Pose::from_translation([0.5, 0.25, 0.125])?;
/// let shared = overlap_boundary(&cube, &cube, &pose)?;
/// let area = impinge::mesh::area(&shared.of_a) + impinge::mesh::area(&shared.of_b);
/// let expected = 2.0 * (0.5 * 0.75 + 0.75 * 0.875 + 0.875 * 0.5);
/// assert!((area - expected).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "CSG")]
#[doc(alias = "boolean")]
#[doc(alias = "intersection")]
pub fn overlap_boundary(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
) -> Result<OverlapBoundary, BoundaryError> {
    let solid =
        |body, tree| Solid::closed(tree).map_err(|error| BoundaryError::NotClosed { body, error });
    let (solid_a, solid_b) = (solid('a', a)?, solid('b', b)?);
    let mut pairs: Vec<FacePair> = Vec::new();
    let _ = a.intersections(
        b,
        a_from_b,
        Limits::default(),
        &mut WideCache::default(),
        &mut pairs,
    );
    let place = |p: DVec3| a_from_b.transform_point(p);
    let faces_a: Vec<[DVec3; 3]> = a.mesh().triangles().collect();
    let faces_b: Vec<[DVec3; 3]> = b.mesh().triangles().map(|t| t.map(place)).collect();
    let size = a.mesh().bounds().diagonal().length() + b.mesh().bounds().diagonal().length();
    let beside = BESIDE * size;
    let b_from_a = a_from_b.inverse();
    let mut cache = SingleTreeCache::default();
    let mut is_in =
        |solid: &Solid<'_>, p: DVec3| solid.locate_with(p, &mut cache) == Ok(Location::Inside);
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    let keys = pairs.iter().map(|pair| (pair.a.index(), pair.b.index()));
    let of_a = pieces(
        &faces_a,
        &faces_b,
        keys.collect(),
        // A common face belongs to `a`, when both solids lie on the same side of it.
        |p, normal| is_in(&solid_b, b_from_a.transform_point(p - normal * beside)),
    )?;
    pairs.sort_unstable_by_key(|pair| (pair.b, pair.a));
    let keys = pairs.iter().map(|pair| (pair.b.index(), pair.a.index()));
    let of_b = pieces(&faces_b, &faces_a, keys.collect(), |p, normal| {
        is_in(&solid_a, p - normal * beside) && is_in(&solid_a, p + normal * beside)
    })?;
    Ok(OverlapBoundary { of_a, of_b })
}

/// The pieces of faces that are inside; `keys` are pairs of faces that meet, sorted.
fn pieces(
    faces: &[[DVec3; 3]],
    others: &[[DVec3; 3]],
    keys: Vec<(usize, usize)>,
    mut is_inside: impl FnMut(DVec3, DVec3) -> bool,
) -> Result<TriMesh, MeshError> {
    let bounds = Aabb::enclosing(others.iter().flatten().copied());
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let mut at = 0;
    for (face, corners) in faces.iter().enumerate() {
        let first = at;
        while keys.get(at).is_some_and(|key| key.0 == face) {
            at += 1;
        }
        let [p, q, r] = *corners;
        let Some(normal) = (q - p).cross(r - p).try_normalize() else {
            continue;
        };
        if !Aabb::enclosing(*corners).overlaps(&bounds) {
            continue;
        }
        let mut polygons = vec![corners.to_vec()];
        for &(_, other) in &keys[first..at] {
            cut_all(&mut polygons, &others[other]);
        }
        for polygon in polygons {
            let middle = polygon.iter().sum::<DVec3>() / polygon.len() as f64;
            if !is_inside(middle, normal) {
                continue;
            }
            let base = positions.len() as u32;
            let count = polygon.len() as u32;
            positions.extend(polygon);
            triangles.extend((2..count).map(|k| [base, base + k - 1, base + k]));
        }
    }
    TriMesh::new(positions, triangles)
}

/// Cuts those polygons that the face passes through along its plane.
fn cut_all(polygons: &mut Vec<Vec<DVec3>>, face: &[DVec3; 3]) {
    let normal = (face[1] - face[0]).cross(face[2] - face[0]);
    if polygons.len() > MOST_PIECES || normal == DVec3::ZERO {
        return;
    }
    let height = |p: DVec3| normal.dot(p - face[0]);
    let mut cut = Vec::with_capacity(polygons.len() + 1);
    for polygon in polygons.drain(..) {
        let heights: Vec<f64> = polygon.iter().map(|&p| height(p)).collect();
        let crosses = heights.iter().any(|&h| h > 0.0) && heights.iter().any(|&h| h < 0.0);
        let is_met = || {
            (2..polygon.len())
                .any(|k| triangles_intersect(&[polygon[0], polygon[k - 1], polygon[k]], face))
        };
        if !crosses || !is_met() {
            cut.push(polygon);
            continue;
        }
        let mut halves = [Vec::new(), Vec::new()];
        for (i, (&p, &hp)) in polygon.iter().zip(&heights).enumerate() {
            let k = (i + 1) % polygon.len();
            let (q, hq) = (polygon[k], heights[k]);
            if hp <= 0.0 {
                halves[0].push(p);
            }
            if hp >= 0.0 {
                halves[1].push(p);
            }
            if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
                let point = p + (q - p) * (hp / (hp - hq));
                halves[0].push(point);
                halves[1].push(point);
            }
        }
        cut.extend(halves.into_iter().filter(|half| half.len() >= 3));
    }
    *polygons = cut;
}
