//! Splits one pair of meshes among several threads.
//!
//! **Question.** How can several threads answer one query of two large meshes?
//! **Idea.** The second mesh is split into pieces of about as many faces each, by halving along the
//! longest side of the box of centroids. Each piece has its own index, and threads take pieces. For
//! a yes-or-no query, a piece that intersects the other mesh stops those with larger numbers.
//! **Source.** Zachmann 1994, section 6.3, medium and fine grain; it splits by direction of the
//! test, which a symmetric test of faces does not have.
//! **Promise.** The serial answer: the same pairs, sorted by face; and the same first pair for any
//! number of threads.
//! **Cost.** The indexes of the pieces together are as large as one of the whole, and all pairs of
//! a mesh share them; each further piece costs one more descent of the first tree.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::mesh_shape::MeshShape;
use crate::bound::Aabb;
use crate::bvh::MeshIndex;
use crate::bvh::wide::{WideCache, WideTree};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{FaceId, FacePair, First, Limits, Outcome, Sink};

/// A mesh in pieces, each with its index.
#[derive(Debug)]
pub(super) struct MeshPieces {
    pieces: Vec<MeshPiece>,
}

#[derive(Debug)]
struct MeshPiece {
    tree: WideTree,
    /// The face of the whole mesh that each face of the piece is.
    faces: Vec<FaceId>,
}

impl MeshPiece {
    /// The pair in numbers of the whole mesh.
    fn renamed(&self, pair: FacePair) -> FacePair {
        FacePair {
            b: self.faces.get(pair.b.index()).copied().unwrap_or(pair.b),
            ..pair
        }
    }
}

impl MeshPieces {
    /// The mesh in at most this many pieces.
    pub(super) fn new(mesh: &TriMesh, count: usize) -> Self {
        let pieces = parts(mesh, count).into_iter().map(|faces| MeshPiece {
            tree: WideTree::new(Arc::new(submesh(mesh, &faces))),
            faces,
        });
        Self {
            pieces: pieces.collect(),
        }
    }
}

/// Two meshes, the second in pieces.
///
/// ```
/// use impinge::{Pose, generate, pair::SplitPair};
/// use std::{num::NonZeroUsize, sync::Arc};
/// let ball = Arc::new(generate::icosphere(1.0, 4)?);
/// let mut pair = SplitPair::new(&ball, &ball, NonZeroUsize::new(2).ok_or("two")?);
/// let pose = Pose::from_translation([1.5, 0.0, 0.0])?;
/// assert!(pair.intersects(&pose) && !pair.intersections(&pose).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SplitPair {
    a: Arc<WideTree>,
    b: Arc<MeshPieces>,
    searches: Vec<PieceSearch>,
}

/// What is kept for the search of a piece.
#[derive(Default)]
struct PieceSearch {
    cache: WideCache,
    first: Option<FacePair>,
    found: Vec<FacePair>,
}

impl SplitPair {
    /// The pair with the second mesh in at most this many pieces; two for two threads, more for a better balance.
    #[must_use]
    pub fn new(a: &Arc<TriMesh>, b: &Arc<TriMesh>, pieces: NonZeroUsize) -> Self {
        let a = Arc::new(WideTree::new(Arc::clone(a)));
        Self::of(a, Arc::new(MeshPieces::new(b, pieces.get())))
    }

    /// The pair with indexes that others share.
    pub(super) fn shared(a: &MeshShape, b: &MeshShape, pieces: usize) -> Self {
        Self::of(Arc::clone(a.wide()), b.pieces(pieces))
    }

    fn of(a: Arc<WideTree>, b: Arc<MeshPieces>) -> Self {
        let searches = b.pieces.iter().map(|_| PieceSearch::default());
        Self {
            a,
            searches: searches.collect(),
            b,
        }
    }

    /// Whether the surfaces share a point; touching counts.
    pub fn intersects(&mut self, a_from_b: &Pose) -> bool {
        self.first(a_from_b).is_some()
    }

    /// The first pair of faces that share a point, of the first piece that has one.
    pub(super) fn first(&mut self, a_from_b: &Pose) -> Option<FacePair> {
        // The smallest number of a piece that meets. One with a smaller number is never stopped, so the answer does not depend on threads.
        let met = AtomicUsize::new(usize::MAX);
        let a = &self.a;
        let search = |number: usize, piece: &MeshPiece, search: &mut PieceSearch| {
            // Nothing else is read because of it.
            let stop = || met.load(Ordering::Relaxed) < number;
            search.first = None;
            if stop() {
                return;
            }
            let limits = Limits {
                stop: Some(&stop),
                ..Limits::default()
            };
            let mut first = First::default();
            let cache = &mut search.cache;
            let _ = a.intersections(&piece.tree, a_from_b, limits, cache, &mut first);
            if let Some(pair) = first.0 {
                search.first = Some(piece.renamed(pair));
                met.fetch_min(number, Ordering::Relaxed);
            }
        };
        each_piece(&self.b.pieces, &mut self.searches, search);
        let first = self.searches.get(met.into_inner())?;
        first.first
    }

    /// All pairs of faces that share a point, sorted.
    pub fn intersections(&mut self, a_from_b: &Pose) -> Vec<FacePair> {
        let mut all = Vec::new();
        let _ = self.each(a_from_b, &mut all);
        all.sort_unstable();
        all
    }

    /// Shows all pairs of faces that share a point, piece by piece.
    pub(super) fn each(&mut self, a_from_b: &Pose, sink: &mut dyn Sink<FacePair>) -> Outcome {
        let a = &self.a;
        let search = |_: usize, piece: &MeshPiece, search: &mut PieceSearch| {
            let PieceSearch { cache, found, .. } = search;
            found.clear();
            let _ = a.intersections(&piece.tree, a_from_b, Limits::default(), cache, found);
            for pair in found {
                *pair = piece.renamed(*pair);
            }
        };
        each_piece(&self.b.pieces, &mut self.searches, search);
        for pair in self.searches.iter().flat_map(|search| &search.found) {
            if let ControlFlow::Break(()) = sink.accept(*pair) {
                return Outcome::StoppedBySink;
            }
        }
        Outcome::Complete
    }
}

impl fmt::Debug for SplitPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faces = self.b.pieces.iter().map(|piece| piece.faces.len());
        f.debug_struct("SplitPair")
            .field("faces_of_pieces", &faces.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

fn each_piece(
    pieces: &[MeshPiece],
    searches: &mut [PieceSearch],
    search: impl Fn(usize, &MeshPiece, &mut PieceSearch) + Sync + Send,
) {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let all = pieces.par_iter().zip(searches).enumerate();
        all.for_each(|(number, (piece, own))| search(number, piece, own));
    }
    #[cfg(not(feature = "parallel"))]
    for (number, (piece, own)) in pieces.iter().zip(searches).enumerate() {
        search(number, piece, own);
    }
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
