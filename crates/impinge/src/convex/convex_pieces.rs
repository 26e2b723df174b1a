//! Objects made of convex pieces.
//!
//! **Question.** Do two unions of convex pieces intersect, and does the decomposition pay?
//! **Idea.** They intersect if some pair of pieces does. With `c` pieces each and a test that is
//! linear in a piece this costs `c²` small tests; an object with `N` notches (reflex edges) needs
//! at least about `N/2 + 1` pieces, in the worst case `N²`.
//! **Source.** Zachmann 1994, section 3.8: the pieces pay when the convex test on a piece is `N`
//! times cheaper than the general test.
//! **Promise.** Exact for the pieces. The caller must ensure that they cover the object.

use std::sync::Arc;

use super::cache::GjkCache;
use super::gjk::intersects;
use super::polyhedron::Polyhedron;
use super::support_map::SupportMap;
use crate::math::{Pose, orient3d};
use crate::mesh::{HalfEdges, TriMesh};
use crate::query::HalfEdgeId;

/// A union of convex pieces.
#[derive(Clone, Debug, Default)]
#[doc(alias = "convex decomposition")]
pub struct ConvexPieces {
    pieces: Vec<Arc<Polyhedron>>,
}

impl ConvexPieces {
    /// The union of these pieces.
    ///
    /// ```
    /// use impinge::convex::ConvexPieces;
    /// assert!(ConvexPieces::new(Vec::new()).pieces().is_empty());
    /// ```
    #[must_use]
    pub fn new(pieces: Vec<Arc<Polyhedron>>) -> Self {
        Self { pieces }
    }

    /// The pieces.
    ///
    /// ```
    /// use impinge::{DVec3, convex::{ConvexPieces, Polyhedron}};
    /// use std::sync::Arc;
    /// let point = Arc::new(Polyhedron::new(&[DVec3::ZERO])?);
    /// assert_eq!(ConvexPieces::new(vec![point]).pieces().len(), 1);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn pieces(&self) -> &[Arc<Polyhedron>] {
        &self.pieces
    }

    /// The first pair of pieces that meets, in order of `a` and then `b`; touching counts.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use impinge::{DVec3, Pose, convex::{ConvexPieces, Polyhedron}};
    /// let corner = Arc::new(Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?);
    /// let one = ConvexPieces::new(vec![corner]);
    /// assert_eq!(one.first_meeting(&one, &Pose::IDENTITY), Some((0, 0)));
    /// assert_eq!(one.first_meeting(&one, &Pose::from_translation([2.0, 0.0, 0.0])?), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn first_meeting(&self, other: &Self, self_from_other: &Pose) -> Option<(usize, usize)> {
        let boxes: Vec<_> = other
            .pieces
            .iter()
            .map(|piece| piece.bounds().transformed(self_from_other))
            .collect();
        for (i, a) in self.pieces.iter().enumerate() {
            for (j, b) in other.pieces.iter().enumerate() {
                if a.bounds().overlaps(&boxes[j])
                    && intersects(
                        a.as_ref(),
                        b.as_ref(),
                        self_from_other,
                        &mut GjkCache::new(),
                    )
                {
                    return Some((i, j));
                }
            }
        }
        None
    }
}

/// The cost of convex pieces compared with a general test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceCost {
    /// Pieces of `a` and of `b`.
    pub pieces: [f64; 2],
    /// Cost of one convex test on a pair of pieces.
    pub convex: f64,
    /// Cost of the general test on the whole objects, in the same unit.
    pub general: f64,
}

impl PieceCost {
    /// The cost by pieces: every pair once.
    ///
    /// ```
    /// use impinge::convex::PieceCost;
    /// assert_eq!(PieceCost { pieces: [4.0, 5.0], convex: 2.0, general: 1.0 }.by_pieces(), 40.0);
    /// ```
    #[must_use]
    pub fn by_pieces(&self) -> f64 {
        self.pieces[0] * self.pieces[1] * self.convex
    }

    /// Whether the pieces are cheaper.
    ///
    /// ```
    /// use impinge::convex::PieceCost;
    /// assert!(PieceCost { pieces: [4.0, 4.0], convex: 1.0, general: 20.0 }.pays());
    /// assert!(!PieceCost { pieces: [5.0, 5.0], convex: 1.0, general: 20.0 }.pays());
    /// ```
    #[must_use]
    pub fn pays(&self) -> bool {
        self.by_pieces() < self.general
    }
}

/// The number of notches (reflex edges) of a mesh: edges with an interior angle above 180°, decided exactly.
///
/// ```
/// use impinge::{TriMesh, convex::notches};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert_eq!(notches(&tetrahedron), 0);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn notches(mesh: &TriMesh) -> usize {
    let half_edges = HalfEdges::new(mesh);
    (0..half_edges.half_edge_count() as u32)
        .map(HalfEdgeId::new)
        .filter(|&h| {
            half_edges.twin(h).is_some_and(|twin| {
                let face = |h: HalfEdgeId| mesh.faces()[h.index() / 3];
                let apex = face(twin)[(twin.index() % 3 + 2) % 3];
                let [a, b, c] = face(h).map(|v| mesh.positions()[v as usize]);
                h < twin && orient3d(a, b, c, mesh.positions()[apex as usize]).is_negative()
            })
        })
        .count()
}
