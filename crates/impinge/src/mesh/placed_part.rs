//! A mesh with a name and a pose.

use std::sync::Arc;

use super::trimesh::TriMesh;
use crate::math::Pose;

/// A placed mesh with a name. Parts that hold the same mesh share its index.
///
/// ```
/// use impinge::{Pose, generate, mesh::PlacedPart};
/// use std::sync::Arc;
/// let cube = Arc::new(generate::cuboid([1.0, 1.0, 1.0].into(), [1; 3])?);
/// let part = PlacedPart { name: "cube".to_owned(), mesh: cube, world_from_part: Pose::IDENTITY };
/// assert_eq!(part.mesh.face_count(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedPart {
    /// The name used by rules and reports: taken from the file, or made from the part's position in it. Need not be unique.
    pub name: String,
    /// The mesh; instances of one mesh share it.
    pub mesh: Arc<TriMesh>,
    /// The pose of the part in the world.
    pub world_from_part: Pose,
}
