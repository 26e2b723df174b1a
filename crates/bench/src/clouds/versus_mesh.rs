//! The same queries of meshes that were made from the clouds.

use std::sync::Arc;

use impinge::Pose;
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::cloud::CloudSurface;
use impinge::query::{First, Limits};

use super::timing::own_seconds;
use crate::sample_statistics::median;

/// Sides of squares that hold one point each, to a cube of the preview: a mesh with about as many faces as one over the points themselves.
const SIDE: f64 = 2.0;
/// The spacing of a graph in such sides.
const SPACING: f64 = 0.6;

/// A mesh of a cloud's surface, and how it answered.
pub(super) struct MeshedCloud {
    tree: WideTree,
    cache: WideCache,
    /// Answers of the last placements.
    answers: Vec<bool>,
    pub(super) seconds: f64,
    pub(super) wrong: u64,
}

impl MeshedCloud {
    /// The preview of a surface; none when it has no face.
    pub(super) fn of(surface: &CloudSurface) -> anyhow::Result<Option<Self>> {
        let graph = surface.graph();
        let spacings: Vec<f64> = graph.ids().map(|id| graph.spacing(id)).collect();
        let side = SIDE * median(spacings) / SPACING;
        let mesh = surface.preview(side)?;
        Ok((mesh.face_count() > 0).then(|| Self {
            tree: WideTree::new(Arc::new(mesh)),
            cache: WideCache::default(),
            answers: Vec::new(),
            seconds: 0.0,
            wrong: 0,
        }))
    }

    /// Asks whether the mesh and its copies meet.
    pub(super) fn ask(&mut self, poses: &[Pose]) {
        let Self {
            tree,
            cache,
            answers,
            seconds,
            ..
        } = self;
        answers.clear();
        *seconds += own_seconds(|| {
            for pose in poses {
                let mut first = First::default();
                let _ = tree.intersections(tree, pose, Limits::default(), cache, &mut first);
                answers.push(first.0.is_some());
            }
        });
    }

    /// Counts the answer about placement `k` if it is wrong.
    pub(super) fn judge(&mut self, k: usize, truth: bool) {
        self.wrong += u64::from(self.answers.get(k) != Some(&truth));
    }
}
