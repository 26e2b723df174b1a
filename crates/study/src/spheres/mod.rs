//! Sphere packings as first published: one prototype at a time, and greedily on a voxel grid.

mod protosphere;
mod voxel_packing;

pub use protosphere::{converge, pack_single};
pub use voxel_packing::{VoxelError, VoxelOptions, VoxelPacking, pack_voxels, pack_voxels_with};

use impinge::bound::Aabb;

/// Whether the box has a side of positive length.
fn has_size(bounds: &Aabb) -> bool {
    !bounds.is_empty() && bounds.diagonal().max_element() > 0.0
}

/// `work` for each number below `count`, in order; on several threads with the feature `parallel`.
fn map_voxels(count: usize, work: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let work = &work;
        (0..count)
            .into_par_iter()
            .with_min_len(256)
            .map(work)
            .collect()
    }
    #[cfg(not(feature = "parallel"))]
    (0..count).map(work).collect()
}
