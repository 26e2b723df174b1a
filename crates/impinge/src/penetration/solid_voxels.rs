//! A solid in voxels, as the Voxmap-PointShell method takes it.

use crate::mesh::TriMesh;
use crate::voxmap::{Pointshell, Voxmap, VoxmapError};

/// A solid as a voxmap and as a pointshell: the first of two solids is the map, the second the shell.
///
/// ```
/// use impinge::{generate, penetration::SolidVoxels};
/// let ball = SolidVoxels::new(&generate::icosphere(1.0, 4)?, 30)?;
/// assert!(ball.map().layer_at([0.0; 3].into()) > 0 && !ball.shell().points().is_empty());
/// assert!(ball.bytes() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SolidVoxels {
    map: Voxmap,
    shell: Pointshell,
}

impl SolidVoxels {
    /// A closed mesh in so many voxels along the longest side of its box.
    ///
    /// # Errors
    /// [`VoxmapError`] when the mesh is no solid, or the grid too large.
    pub fn new(mesh: &TriMesh, resolution: u32) -> Result<Self, VoxmapError> {
        Ok(Self {
            map: Voxmap::new(mesh, resolution)?,
            shell: Pointshell::new(mesh, resolution)?,
        })
    }

    /// The voxels.
    #[must_use]
    pub fn map(&self) -> &Voxmap {
        &self.map
    }

    /// The points of the surface.
    #[must_use]
    pub fn shell(&self) -> &Pointshell {
        &self.shell
    }

    /// Bytes that both take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.map.bytes() + self.shell.bytes()
    }
}
