//! Solids filled with balls, as every family of inner spheres takes them.

use std::sync::Arc;

use impinge::TriMesh;
use impinge::bvh::MeshIndex as _;
use impinge::bvh::wide::WideTree;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid};
use impinge_study::spheres::{VoxelOptions, pack_voxels};

use super::scene::QualityScene;

/// Segments of round solids that are filled with balls.
const SEGMENTS: u32 = 64;
/// Cells of gaps along the longest side; between these, there are about as many as balls.
const LEAST_CELLS: u32 = 48;
const MOST_CELLS: u32 = 256;

/// The mesh of a solid before it is filled.
pub(super) fn index_of(scene: QualityScene, is_fixed: bool) -> anyhow::Result<WideTree> {
    let mesh: TriMesh = if is_fixed {
        scene.fixed(SEGMENTS)?
    } else {
        scene.moving(SEGMENTS)?
    };
    Ok(WideTree::new(Arc::new(mesh)))
}

/// A solid with balls in it.
pub(super) struct PackedSolid {
    /// Without and with gaps.
    pub(super) trees: [InnerSphereTree; 2],
    /// The side of a voxel of the grid on which balls were laid.
    pub(super) side: f64,
}

/// Trees, without and with gaps, of so many balls on a grid of about twenty times as many voxels; of fewer where the solid is full before.
pub(super) fn filled(solid: &MeshSolid<'_>, count: f64) -> anyhow::Result<PackedSolid> {
    let extent = solid.tree().mesh().bounds().diagonal().max_element();
    let part = solid.volume() / extent.powi(3);
    let options = VoxelOptions {
        // An odd number: a voxel in the middle, so that the largest ball of a round solid is at its centre.
        resolution: (20.0 * count / part).cbrt().ceil() as u32 | 1,
        count: Some(count.round() as usize),
        ..VoxelOptions::default()
    };
    let voxels = pack_voxels(solid, &options)?;
    // As published, a cone holds the normals of all faces next to the voxels of a ball. Those farther than the diagonal of a voxel change no
    // axis: a ball is as large as its place allows.
    let room = 3.0_f64.sqrt() * voxels.side;
    let bare = InnerSphereTree::new(&voxels.packing.balls, &InnerSphereTreeOptions::default())?
        .with_surface_within(solid, room);
    let cells = ((count / part).cbrt().ceil() as u32).clamp(LEAST_CELLS, MOST_CELLS);
    let with_gaps = bare.clone().with_gaps(solid, cells).without_cells();
    Ok(PackedSolid {
        trees: [bare, with_gaps],
        side: voxels.side,
    })
}
