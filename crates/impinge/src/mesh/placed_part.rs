//! A mesh with a name and a place.

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
    /// The name in a file, or one made from its place there: what rules and reports call it. Need not be unique.
    pub name: String,
    /// The mesh; parts that repeat it hold the same one.
    pub mesh: Arc<TriMesh>,
    /// Where it stands.
    pub world_from_part: Pose,
}
