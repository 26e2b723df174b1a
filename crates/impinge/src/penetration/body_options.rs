//! Preparing a solid for several methods at once.

use std::sync::Arc;

use thiserror::Error;

use super::penetration_body::PenetrationBody;
use super::solid_voxels::SolidVoxels;
use crate::bvh::MeshIndex as _;
use crate::bvh::wide::WideTree;
use crate::spheres::{
    InnerSphereTree, InnerSphereTreeError, InnerSphereTreeOptions, MeshSolid, PackError,
    PackOptions, SolidError, pack,
};
use crate::volume::{VolumeError, VolumeIndex};
use crate::voxmap::VoxmapError;

/// Which methods a solid is prepared for, and how finely.
///
/// ```
/// use impinge::penetration::BodyOptions;
/// let options = BodyOptions { balls: 2_000, ..BodyOptions::default() };
/// assert!(options.is_exact && options.voxels == 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyOptions {
    /// Whether to build the index of the boundary integral.
    pub is_exact: bool,
    /// Inner spheres; 0 for none. Gaps are measured in cells a few times as large as the smallest spheres.
    pub balls: usize,
    /// Voxels along the longest side; 0 for none.
    pub voxels: u32,
}

impl Default for BodyOptions {
    fn default() -> Self {
        Self {
            is_exact: true,
            balls: 10_000,
            voxels: 0,
        }
    }
}

/// Why a solid could not be prepared.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The boundary integral needs a closed surface.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// Spheres need a solid to lie in.
    #[error(transparent)]
    Solid(#[from] SolidError),
    /// The solid could not be filled with spheres.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The spheres make no tree.
    #[error(transparent)]
    Spheres(#[from] InnerSphereTreeError),
    /// The solid could not be divided into voxels.
    #[error(transparent)]
    Voxels(#[from] VoxmapError),
}

impl PenetrationBody {
    /// A closed mesh, prepared as the options say.
    ///
    /// # Errors
    /// [`BodyError`] when the mesh is no solid, or too thin for spheres or voxels.
    ///
    /// ```
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::cuboid;
    /// use impinge::penetration::{BodyOptions, PenetrationBody, PenetrationMethod};
    /// let tree = std::sync::Arc::new(WideTree::new(cuboid([1.0; 3].into(), [1; 3])?.into()));
    /// let options = BodyOptions { balls: 100, voxels: 20, ..BodyOptions::default() };
    /// let body = PenetrationBody::prepared(&tree, &options)?;
    /// assert!(body.has(PenetrationMethod::ByCost) && body.has(PenetrationMethod::Voxmap));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepared(tree: &Arc<WideTree>, options: &BodyOptions) -> Result<Self, BodyError> {
        let mut body = Self::default();
        if options.is_exact {
            body = body.with_index(VolumeIndex::from_tree(Arc::clone(tree))?);
        }
        if options.balls > 0 {
            let solid = MeshSolid::new(tree)?;
            let packing = PackOptions {
                count: Some(options.balls),
                ..PackOptions::default()
            };
            let balls = pack(&solid, &packing)?.balls;
            let cells = libm::cbrt(balls.len() as f64).clamp(8.0, 96.0) as u32;
            let spheres = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())?;
            body = body.with_spheres(spheres.with_surface(&solid).with_gaps(&solid, cells));
        }
        if options.voxels > 0 {
            body = body.with_voxels(SolidVoxels::new(tree.mesh(), options.voxels)?);
        }
        Ok(body)
    }
}
