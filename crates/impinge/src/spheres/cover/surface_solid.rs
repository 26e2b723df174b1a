//! Solids whose surface is a mesh: closed ones, and any others by their winding number.

use glam::DVec3;

use crate::bound::Aabb;
use crate::bvh::wide::{SingleTreeCache, WideTree};
use crate::bvh::{MeshIndex as _, Solid};
use crate::mesh::SolidError;
use crate::mesh::point_in_mesh::Location;
use crate::query::Limits;
use crate::spheres::interior::{Interior, MEASURE_ERROR, MeshSolid};
use crate::spheres::pack::map_indexed;

/// Cells along the longest side that measure the volume of an open mesh.
const VOLUME_CELLS: f64 = 48.0;

/// A solid whose surface is a mesh.
///
/// ```
/// use impinge::{bvh::wide::WideTree, generate, spheres::{MeshSolid, SurfaceSolid}};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 2)?));
/// assert!(MeshSolid::new(&tree)?.is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SurfaceSolid: Interior {
    /// The tree of the surface.
    fn surface_tree(&self) -> &WideTree;
    /// Whether the surface separates inside from outside.
    fn is_closed(&self) -> bool;
    /// [`Interior::contains`] with memory that is kept.
    fn contains_with(&self, p: DVec3, cache: &mut SingleTreeCache) -> bool;

    /// [`Interior::closest_point`] with memory that is kept.
    fn closest_with(&self, p: DVec3, cache: &mut SingleTreeCache) -> DVec3 {
        match self
            .surface_tree()
            .closest_face(p, Limits::default(), cache)
        {
            Ok(near) => near.value.map_or(p, |face| face.point),
            Err(_) => p,
        }
    }
}

impl SurfaceSolid for MeshSolid<'_> {
    fn surface_tree(&self) -> &WideTree {
        self.tree
    }

    fn is_closed(&self) -> bool {
        true
    }

    fn contains_with(&self, p: DVec3, cache: &mut SingleTreeCache) -> bool {
        self.inside.locate_with(p, cache) == Ok(Location::Inside)
    }
}

/// Any mesh, open or damaged: the inside is where the winding number exceeds one half.
///
/// ```
/// use impinge::{DVec3, TriMesh, bvh::wide::WideTree, spheres::{Interior, WindingSolid}};
/// use std::sync::Arc;
/// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let open = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
/// let tree = WideTree::new(Arc::new(open));
/// assert!(WindingSolid::new(&tree)?.contains(DVec3::splat(0.1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WindingSolid<'t> {
    tree: &'t WideTree,
    inside: Solid<'t>,
    volume: f64,
}

impl<'t> WindingSolid<'t> {
    /// The solid defined by the winding number of the tree's mesh; its volume is counted in cells.
    ///
    /// # Errors
    /// [`SolidError::Empty`].
    ///
    /// ```
    /// use impinge::{TriMesh, bvh::wide::WideTree, spheres::{SolidError, WindingSolid}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(TriMesh::new(vec![], vec![])?));
    /// assert!(matches!(WindingSolid::new(&tree), Err(SolidError::Empty)));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn new(tree: &'t WideTree) -> Result<Self, SolidError> {
        if tree.mesh().is_empty() {
            return Err(SolidError::Empty);
        }
        let mut solid = Self {
            tree,
            inside: Solid::by_winding(tree),
            volume: 0.0,
        };
        solid.volume = solid.counted_volume();
        Ok(solid)
    }

    fn counted_volume(&self) -> f64 {
        let bounds = self.bounds();
        let size = bounds.diagonal();
        let side = size.max_element() / VOLUME_CELLS;
        if side <= 0.0 || size.min_element() <= 0.0 {
            return 0.0;
        }
        let counts = (size / side).to_array().map(|n| n.ceil().max(1.0));
        let cell = size / DVec3::from_array(counts);
        let [nx, ny, nz] = counts.map(|n| n as usize);
        let found = map_indexed(nx * ny * nz, 512, |cache: &mut SingleTreeCache, i| {
            let at = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f64 + 0.5);
            self.contains_with(bounds.min + DVec3::from_array(at) * cell, cache)
        });
        let count = found.into_iter().filter(|&is_inside| is_inside).count();
        count as f64 * cell.x * cell.y * cell.z
    }
}

impl Interior for WindingSolid<'_> {
    fn bounds(&self) -> Aabb {
        self.tree.mesh().bounds()
    }

    fn volume(&self) -> f64 {
        self.volume
    }

    fn closest_point(&self, p: DVec3) -> DVec3 {
        self.closest_with(p, &mut SingleTreeCache::default())
    }

    fn contains(&self, p: DVec3) -> bool {
        self.inside.locate(p) == Ok(Location::Inside)
    }

    fn error(&self) -> f64 {
        MEASURE_ERROR * self.bounds().diagonal().length()
    }
}

impl SurfaceSolid for WindingSolid<'_> {
    fn surface_tree(&self) -> &WideTree {
        self.tree
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn contains_with(&self, p: DVec3, cache: &mut SingleTreeCache) -> bool {
        self.inside.locate_with(p, cache) == Ok(Location::Inside)
    }
}
