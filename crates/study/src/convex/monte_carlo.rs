//! A Monte-Carlo test for closed solids.
//!
//! **Question.** Do two closed solids share a point?
//! **Idea.** A common point is searched: first among the vertices, in random order because vertices
//! that are close in the list are close in space, then among random points of the common box.
//! **Source.** Zachmann 1994, section 3.5.
//! **Cost.** An inside test per point.
//! **Promise.** A point that is found lies in both solids: `true` is certain. `false` never is: no bound on the common volume is known, so
//! the chance of a hit has no lower limit.
//! **Limits.** If surfaces cross without a vertex of one solid in the other, only random points can
//! find it.

use glam::DVec3;

use impinge::math::{Pose, Rng};
use impinge::mesh::point_in_mesh::{InsideError, InsideTest, Location};
use impinge::mesh::{MeshError, TriMesh};
use impinge::query::Verdict;

/// What a Monte-Carlo test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarlo {
    /// Certain when they meet. Otherwise the confidence is `k/(k + 1)` after `k` random points of the common box: an estimate of
    /// how likely the next one misses too.
    pub verdict: Verdict,
    /// A common point, in the frame of `a`.
    pub witness: Option<DVec3>,
    /// Points tried.
    pub tried: u64,
    /// Whether the common point is a vertex.
    pub is_vertex: bool,
}

/// Why a Monte-Carlo test was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MonteCarloError {
    /// A mesh does not bound a solid.
    #[error("{0}")]
    NotSolid(#[from] InsideError),
    /// The placed mesh leaves the range of coordinates.
    #[error("{0}")]
    OutOfRange(#[from] MeshError),
}

/// Looks for a common point of two closed meshes: among their vertices if `vertices_first`, then among `samples` random ones.
///
/// # Errors
/// [`MonteCarloError`] when a mesh is not closed or leaves the range of coordinates when placed.
///
/// ```
/// use impinge::{Pose, TriMesh};
/// use impinge_study::convex::monte_carlo;
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let found = monte_carlo(&tetrahedron, &tetrahedron, &Pose::from_translation([0.1, 0.1, 0.1])?, true, 100, 1)?;
/// assert!(found.verdict.answer && found.verdict.certain && found.is_vertex);
/// let apart = monte_carlo(&tetrahedron, &tetrahedron, &Pose::from_translation([5.0, 0.0, 0.0])?, true, 100, 1)?;
/// assert!(!apart.verdict.answer);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "random sampling")]
pub fn monte_carlo(
    a: &TriMesh,
    b: &TriMesh,
    a_from_b: &Pose,
    vertices_first: bool,
    samples: u64,
    seed: u64,
) -> Result<MonteCarlo, MonteCarloError> {
    let placed = b.placed(a_from_b)?;
    let (in_a, in_b) = (InsideTest::new(a)?, InsideTest::new(&placed)?);
    let region = a.bounds().intersection(&placed.bounds());
    let mut found = MonteCarlo {
        verdict: Verdict::proven(false),
        witness: None,
        tried: 0,
        is_vertex: false,
    };
    if region.is_empty() {
        // Boxes apart: the one case in which "no" is a proof.
        return Ok(found);
    }
    let mut rng = Rng::new(seed);
    if vertices_first {
        for (mesh, other) in [(a, &in_b), (&placed, &in_a)] {
            let mut order: Vec<usize> = (0..mesh.vertex_count()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, rng.below(i as u64 + 1) as usize);
            }
            for i in order {
                let p = mesh.positions()[i];
                if !region.contains(p) {
                    continue;
                }
                found.tried += 1;
                if other.locate(p)? != Location::Outside {
                    found.verdict = Verdict::proven(true);
                    found.witness = Some(p);
                    found.is_vertex = true;
                    return Ok(found);
                }
            }
        }
    }
    for _ in 0..samples {
        let [x, y, z] = [0, 1, 2].map(|i| rng.range(region.min[i], region.max[i]));
        let p = DVec3::new(x, y, z);
        found.tried += 1;
        if in_a.locate(p)? != Location::Outside && in_b.locate(p)? != Location::Outside {
            found.verdict = Verdict::proven(true);
            found.witness = Some(p);
            return Ok(found);
        }
    }
    found.verdict = Verdict::likely(false, samples as f64 / (samples as f64 + 1.0));
    Ok(found)
}
