//! Splits one pair among several threads.
//!
//! **Question.** How do several threads answer about one pair of large meshes? **Idea.** The second mesh is cut into pieces of about
//! as many faces each, by halving along the longest side of the box of centroids; each piece has its own index, and threads take
//! pieces. For a yes or no, the first to find a contact stops the others. **Source.** Zachmann 1994, section 6.1,
//! medium and fine grain; it splits by direction of the test, which a symmetric test of faces does not have. **Promise.** Exactly the
//! serial answer: the same pairs, sorted by face. **Cost.** The indexes of the pieces together are as large as one of the whole; a
//! piece more costs a descent of the first tree more.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bound::Aabb;
use crate::bvh::MeshIndex;
use crate::bvh::wide::{WideCache, WideTree};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{FaceId, FacePair, First, Limits};

/// Two meshes, the second in pieces.
///
/// ```
/// use impinge::{Pose, generate, world::SplitPair};
/// use std::{num::NonZeroUsize, sync::Arc};
/// let ball = Arc::new(generate::icosphere(1.0, 4)?);
/// let mut pair = SplitPair::new(&ball, &ball, NonZeroUsize::new(2).ok_or("two")?);
/// let pose = Pose::from_translation([1.5, 0.0, 0.0])?;
/// assert!(pair.intersects(&pose) && !pair.intersections(&pose).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SplitPair {
    a: WideTree,
    pieces: Vec<MeshPiece>,
}

struct MeshPiece {
    tree: WideTree,
    /// The face of the whole mesh that each face of the piece is.
    faces: Vec<FaceId>,
    cache: WideCache,
    found: Vec<FacePair>,
}

impl SplitPair {
    /// The pair with the second mesh in at most this many pieces; two for two threads, more for a better balance.
    #[must_use]
    pub fn new(a: &Arc<TriMesh>, b: &Arc<TriMesh>, pieces: NonZeroUsize) -> Self {
        let pieces = parts(b, pieces.get()).into_iter().map(|faces| MeshPiece {
            tree: WideTree::new(Arc::new(submesh(b, &faces))),
            faces,
            cache: WideCache::default(),
            found: Vec::new(),
        });
        Self {
            a: WideTree::new(Arc::clone(a)),
            pieces: pieces.collect(),
        }
    }

    /// Whether the surfaces share a point; touching counts.
    pub fn intersects(&mut self, a_from_b: &Pose) -> bool {
        let over = AtomicBool::new(false);
        let a = &self.a;
        let search = |piece: &mut MeshPiece| {
            // Nothing else is read because of it.
            let stop = || over.load(Ordering::Relaxed);
            if stop() {
                return;
            }
            let limits = Limits {
                stop: Some(&stop),
                ..Limits::default()
            };
            let mut first = First::default();
            let _ = a.intersections(&piece.tree, a_from_b, limits, &mut piece.cache, &mut first);
            if first.0.is_some() {
                over.store(true, Ordering::Relaxed);
            }
        };
        for_each_mut(&mut self.pieces, search);
        over.into_inner()
    }

    /// All pairs of faces that share a point, sorted.
    pub fn intersections(&mut self, a_from_b: &Pose) -> Vec<FacePair> {
        let a = &self.a;
        let search = |piece: &mut MeshPiece| {
            let MeshPiece {
                tree,
                faces,
                cache,
                found,
            } = piece;
            found.clear();
            let _ = a.intersections(tree, a_from_b, Limits::default(), cache, found);
            for pair in found {
                if let Some(&whole) = faces.get(pair.b.index()) {
                    pair.b = whole;
                }
            }
        };
        for_each_mut(&mut self.pieces, search);
        let found = self.pieces.iter().flat_map(|piece| &piece.found);
        let mut all: Vec<FacePair> = found.copied().collect();
        all.sort_unstable();
        all
    }
}

impl fmt::Debug for SplitPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faces = self.pieces.iter().map(|piece| piece.faces.len());
        f.debug_struct("SplitPair")
            .field("faces_of_pieces", &faces.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

fn for_each_mut(pieces: &mut [MeshPiece], search: impl Fn(&mut MeshPiece) + Sync + Send) {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        pieces.par_iter_mut().for_each(search);
    }
    #[cfg(not(feature = "parallel"))]
    pieces.iter_mut().for_each(search);
}

/// The faces in at most this many lists, each sorted.
fn parts(mesh: &TriMesh, count: usize) -> Vec<Vec<FaceId>> {
    let centers: Vec<_> = mesh
        .triangles()
        .map(|[p, q, r]| (p + q + r) / 3.0)
        .collect();
    let all: Vec<u32> = (0..centers.len() as u32).collect();
    let mut lists = vec![all];
    // The largest is halved until there are enough, or none has two faces.
    while lists.len() < count {
        let Some(largest) = (0..lists.len()).max_by_key(|&i| (lists[i].len(), usize::MAX - i))
        else {
            break;
        };
        let mut low = std::mem::take(&mut lists[largest]);
        if low.len() < 2 {
            lists[largest] = low;
            break;
        }
        let sides = Aabb::enclosing(low.iter().map(|&f| centers[f as usize])).diagonal();
        let axis = (0..3)
            .max_by(|&i, &j| sides[i].total_cmp(&sides[j]))
            .unwrap_or(0);
        let along = |&f: &u32| centers[f as usize][axis];
        let half = low.len() / 2;
        low.select_nth_unstable_by(half, |x, y| along(x).total_cmp(&along(y)).then(x.cmp(y)));
        let high = low.split_off(half);
        lists[largest] = low;
        lists.push(high);
    }
    lists
        .into_iter()
        .map(|mut list| {
            list.sort_unstable();
            list.into_iter().map(FaceId::new).collect()
        })
        .collect()
}

/// The mesh of some faces, with the vertices that they have.
fn submesh(mesh: &TriMesh, faces: &[FaceId]) -> TriMesh {
    let mut number = vec![u32::MAX; mesh.positions().len()];
    let mut positions = Vec::new();
    let mut renumbered = |v: u32| {
        let own = &mut number[v as usize];
        if *own == u32::MAX {
            *own = positions.len() as u32;
            positions.push(mesh.positions()[v as usize]);
        }
        *own
    };
    let corners = faces.iter();
    let corners = corners
        .map(|face| mesh.faces()[face.index()].map(&mut renumbered))
        .collect();
    // Indices and coordinates are those of a valid mesh.
    TriMesh::new(positions, corners).unwrap_or_default()
}
