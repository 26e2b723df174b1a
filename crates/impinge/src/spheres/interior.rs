//! Solids that can be packed with spheres.

use glam::DVec3;

use crate::bound::Aabb;
use crate::bvh::Solid;
use crate::bvh::wide::{SingleTreeCache, WideTree};
use crate::mesh::components::Components;
use crate::mesh::point_in_mesh::{InsideError, InsideTest, Location};
use crate::mesh::{SolidError, outward_volume};
use crate::query::{FaceId, Limits};

/// Pieces of surface whose winding is counted before packing begins, each over all faces; for the others the parity decides.
const WOUND_PIECES: usize = 64;
/// How far behind a face its inside is looked for, as a part of the size.
const BEHIND: f64 = 1e-9;
/// The same as a part of the face.
const BEHIND_FACE: f64 = 1e-3;
/// Rounding of a measured distance from a face, in units of the size: sixteen by measurement of a face, and again as much for safety.
pub(super) const MEASURE_ERROR: f64 = 32.0 * f64::EPSILON;

/// Whether the box has a side of positive length.
pub(super) fn has_size(bounds: &Aabb) -> bool {
    !bounds.is_empty() && bounds.diagonal().max_element() > 0.0
}

/// A solid with a closest-point query: all that packing needs.
///
/// ```
/// use impinge::{DVec3, bound::Aabb, spheres::Interior};
/// struct UnitBall;
/// impl Interior for UnitBall {
///     fn bounds(&self) -> Aabb {
///         Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE }
///     }
///     fn volume(&self) -> f64 {
///         4.0 / 3.0 * std::f64::consts::PI
///     }
///     fn closest_point(&self, p: DVec3) -> DVec3 {
///         p.try_normalize().unwrap_or(DVec3::X)
///     }
///     fn contains(&self, p: DVec3) -> bool {
///         p.length() < 1.0
///     }
/// }
/// assert!(UnitBall.contains(DVec3::ZERO));
/// ```
pub trait Interior: Sync {
    /// A box around the solid.
    fn bounds(&self) -> Aabb;
    /// Its volume, for the ratio that is filled.
    fn volume(&self) -> f64;
    /// The point of the surface nearest to `p`.
    fn closest_point(&self, p: DVec3) -> DVec3;
    /// Whether `p` lies in the interior.
    fn contains(&self, p: DVec3) -> bool;
    /// By how much the distance to [`Interior::closest_point`] may exceed the true one: balls are made smaller by this.
    fn error(&self) -> f64 {
        0.0
    }
}

/// A closed mesh that faces outwards, ready to be filled.
///
/// Shells inside others are hollows when they face them. Every shell is looked behind; where shells do not cross, that finds each one that faces the
/// wrong way or lies in another without facing its hollow. A mesh whose shells cross is refused when one of its first 64 shells shows it; a
/// single shell that crosses itself is filled only where a ray leaves it an odd number of times.
///
/// Fins, two faces back to back, are walls: balls keep off them. One that hangs on a solid or lies in it changes nothing else; one that
/// floats outside by itself has no inside behind it and is refused.
///
/// ```
/// use impinge::{bvh::wide::WideTree, generate, spheres::MeshSolid};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
/// let solid = MeshSolid::new(&tree)?;
/// assert!(solid.volume() > 3.5 && solid.volume() < 4.19);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeshSolid<'t> {
    pub(super) tree: &'t WideTree,
    pub(super) inside: Solid<'t>,
    volume: f64,
    diagonal: f64,
}

impl<'t> MeshSolid<'t> {
    /// The solid that the tree's mesh bounds.
    ///
    /// # Errors
    /// [`SolidError`] when the mesh is open, inside out, without volume, or has shells that contradict each other.
    ///
    /// ```
    /// use impinge::{TriMesh, bvh::wide::WideTree, spheres::{MeshSolid, SolidError}};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// assert!(matches!(MeshSolid::new(&tree), Err(SolidError::NotClosed { .. })));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn new(tree: &'t WideTree) -> Result<Self, SolidError> {
        use crate::bvh::MeshIndex as _;
        let mesh = tree.mesh();
        let volume = outward_volume(mesh)?;
        let not_closed = |error| match error {
            InsideError::NotClosed { a, b, .. } => SolidError::NotClosed { a, b },
            _ => SolidError::NoVolume,
        };
        let solid = Self {
            tree,
            inside: Solid::closed(tree).map_err(not_closed)?,
            volume,
            diagonal: mesh.bounds().diagonal().length(),
        };
        solid.check_shells()?;
        Ok(solid)
    }

    /// The volume of the solid.
    ///
    /// ```
    /// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::MeshSolid};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::new(2.0, 3.0, 4.0), [1; 3])?));
    /// assert!((MeshSolid::new(&tree)?.volume() - 24.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The tree of the surface.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::MeshSolid};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 1)?));
    /// assert!(std::ptr::eq(MeshSolid::new(&tree)?.tree(), &tree));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tree(&self) -> &'t WideTree {
        self.tree
    }

    /// Looks behind one face of each shell, if there are several.
    ///
    /// From outside inwards, the winding of what shells enclose changes by one at each. The first that leaves 0 and 1 has 2 or 0 behind it,
    /// so that parity shows it.
    fn check_shells(&self) -> Result<(), SolidError> {
        use crate::bvh::MeshIndex as _;
        let mesh = self.tree.mesh();
        let pieces = Components::by_vertex(mesh);
        if pieces.count() < 2 {
            return Ok(());
        }
        let Ok(test) = InsideTest::new(mesh) else {
            return Ok(());
        };
        let mut cache = SingleTreeCache::default();
        for (piece, faces) in pieces.faces().iter().enumerate() {
            let area = |face: &FaceId| {
                let [a, b, c] = mesh.faces()[face.index()].map(|v| mesh.positions()[v as usize]);
                (b - a).cross(c - a)
            };
            let by_area = |x: &&FaceId, y: &&FaceId| {
                area(x)
                    .length_squared()
                    .total_cmp(&area(y).length_squared())
            };
            let Some(face) = faces.iter().max_by(by_area) else {
                continue;
            };
            let Some(normal) = area(face).try_normalize() else {
                continue;
            };
            let [a, b, c] = mesh.faces()[face.index()].map(|v| mesh.positions()[v as usize]);
            let side = area(face).length().sqrt();
            let step = (BEHIND * self.diagonal).min(BEHIND_FACE * side);
            let behind = (a + b + c) / 3.0 - normal * step;
            let is_odd = self.inside.locate_with(behind, &mut cache) == Ok(Location::Inside);
            if piece >= WOUND_PIECES && is_odd {
                continue;
            }
            if let Ok(Some(winding)) = test.winding(behind)
                && winding != 1
            {
                return Err(SolidError::Nested {
                    face: *face,
                    winding,
                });
            }
        }
        Ok(())
    }

    /// A distance that no face is nearer to `p` than, at most `within`; 0 when `p` is not inside.
    pub(super) fn clearance_at_least(
        &self,
        p: DVec3,
        within: f64,
        cache: &mut SingleTreeCache,
    ) -> f64 {
        if self.inside.locate_with(p, cache) != Ok(Location::Inside) {
            return 0.0;
        }
        let limits = Limits {
            max_distance: Some(within),
            ..Limits::default()
        };
        match self.tree.closest_face(p, limits, cache) {
            Ok(near) => {
                let measured = near.value.map_or(within, |face| face.distance.min(within));
                (measured - MEASURE_ERROR * self.diagonal).max(0.0)
            }
            Err(_) => 0.0,
        }
    }
}

impl Interior for MeshSolid<'_> {
    fn bounds(&self) -> Aabb {
        use crate::bvh::MeshIndex as _;
        self.tree.mesh().bounds()
    }

    fn volume(&self) -> f64 {
        self.volume
    }

    fn closest_point(&self, p: DVec3) -> DVec3 {
        let mut cache = SingleTreeCache::default();
        match self.tree.closest_face(p, Limits::default(), &mut cache) {
            Ok(near) => near.value.map_or(p, |face| face.point),
            Err(_) => p,
        }
    }

    fn contains(&self, p: DVec3) -> bool {
        self.inside.locate(p) == Ok(Location::Inside)
    }

    fn error(&self) -> f64 {
        MEASURE_ERROR * self.diagonal
    }
}
