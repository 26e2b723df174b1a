//! Refits the bounding volumes after vertices have moved.
//!
//! **Question.** What becomes of a tree when its mesh deforms?
//! **Idea.** The shape stays; volumes are recomputed from the leaves up, since children come after their parents in the list.
//! **Cost.** Every node once; see [`RefitRule`](super::RefitRule) for what inner volumes are made of.
//! **Limits.** The answers stay exact. The tree gets slower as faces that were near drift apart: compare
//! [`Bvh::quality`] before and after, and rebuild.

use std::sync::Arc;

use thiserror::Error;

use super::build::{around_few, union_of_children};
use super::config::RefitRule;
use super::node::Bvh;
use crate::bound::BoundingVolume;
use crate::mesh::TriMesh;
use crate::query::{FaceId, Work};

/// Why a tree cannot take another mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RefitError {
    /// The mesh has other faces.
    #[error(
        "refitting needs the same faces: face {face} differs, of {before} before and {after} now"
    )]
    OtherFaces {
        /// The first face that is not the same.
        face: usize,
        /// How many faces the tree was built for.
        before: usize,
        /// How many the new mesh has.
        after: usize,
    },
}

impl<V: BoundingVolume> Bvh<V> {
    /// Fits every volume to the same faces at new places; returns the number of volumes computed in [`Work::updates`].
    ///
    /// # Errors
    /// [`RefitError`] when the mesh does not have the same faces; the tree is unchanged then.
    ///
    /// ```
    /// use impinge::bound::Aabb;
    /// use impinge::bvh::{MeshIndex, tree::Bvh};
    /// use impinge::{Pose, TriMesh};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let moved = face.placed(&Pose::from_translation([5.0, 0.0, 0.0])?)?;
    /// let mut tree = Bvh::<Aabb>::build(Arc::new(face), &Default::default());
    /// assert_eq!(tree.refit(Arc::new(moved))?.updates, 1);
    /// assert_eq!(tree.root().map(|b| b.min.x), Some(5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refit(&mut self, mesh: Arc<TriMesh>) -> Result<Work, RefitError> {
        let (before, after) = (self.mesh.faces(), mesh.faces());
        if before != after {
            let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
            return Err(RefitError::OtherFaces {
                face: same,
                before: before.len(),
                after: after.len(),
            });
        }
        self.mesh = mesh;
        let corners = |face: &FaceId| self.mesh.triangle(*face);
        let whole = self.config.refit == RefitRule::Faces && !V::UNION_IS_TIGHT;
        // Where the faces below a node begin and end in the order, for inner nodes too.
        let mut ranges = vec![(0_u32, 0_u32); if whole { self.nodes.len() } else { 0 }];
        for i in (0..self.nodes.len()).rev() {
            let range = self.nodes[i].range();
            let is_leaf = self.nodes[i].is_leaf();
            let below = if !whole {
                range
            } else if is_leaf {
                ranges[i] = (range.start as u32, range.end as u32);
                range
            } else {
                ranges[i] = (ranges[range.start].0, ranges[range.end - 1].1);
                ranges[i].0 as usize..ranges[i].1 as usize
            };
            self.nodes[i].volume = if is_leaf || whole {
                around_few(self.order[below].iter().map(corners))
            } else {
                union_of_children(&self.nodes, i)
            };
        }
        // Volumes now hold whole faces; a face may still be in several leaves.
        Ok(Work {
            updates: self.nodes.len() as u64,
            ..Work::default()
        })
    }
}
