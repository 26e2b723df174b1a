//! A Monte-Carlo test for closed solids.
//!
//! **Question.** Do two closed solids share a point?
//! **Idea.** A common point is searched: first among the vertices, in random order because vertices
//! that are close in the list are close in space, then among random points of the common box.
//! **Source.** Zachmann 1994, section 3.5, which gives a miss no number. Ours: two of them. How large the common part may be after
//! `k` misses is a bound that holds for every pair; how likely the solids are apart needs a distribution of pairs, so that it is an
//! argument, fitted once to models and judged on others.
//! **Cost.** An inside test per point. That a mesh is closed is checked once.
//! **Promise.** A point that is found lies in both solids: `true` is certain. `false` never is: no bound on the common volume is known, so
//! the chance of a hit has no lower limit.
//! **Limits.** If surfaces cross without a vertex of one solid in the other, only random points can
//! find it.

use glam::DVec3;

use impinge::bound::Aabb;
use impinge::math::{Pose, Rng, is_valid_point};
use impinge::mesh::point_in_mesh::{InsideError, InsideTest, Location};
use impinge::mesh::{MeshError, TriMesh};
use impinge::query::Verdict;

/// How pairs are distributed whose boxes overlap, before any point is tried: what the confidence of a miss rests on.
///
/// Some are apart. Of the others the common part takes a share of the common box that is distributed as a beta distribution. If vertices were
/// tried before, both are meant of the pairs for which they found nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarloPrior {
    /// The share of pairs that are apart.
    pub apart: f64,
    /// The first parameter of the beta distribution.
    pub alpha: f64,
    /// The second one.
    pub beta: f64,
}

impl MonteCarloPrior {
    /// Fitted to 900 pairs of a ball, a torus, a cone and a hyperboloid of one size, whose boxes overlap at random poses; no vertex was tried.
    pub const RANDOM_POINTS: Self = Self {
        apart: 0.43,
        alpha: 0.63,
        beta: 6.1,
    };
    /// The same of those in which no vertex of one lies in the other.
    pub const AFTER_VERTICES: Self = Self {
        apart: 0.925,
        alpha: 0.24,
        beta: 45.0,
    };

    /// How likely a pair is apart after so many random points have missed.
    ///
    /// ```
    /// use impinge_study::convex::MonteCarloPrior;
    /// // Half are apart, and any share is as likely: one miss leaves two thirds.
    /// let prior = MonteCarloPrior { apart: 0.5, alpha: 1.0, beta: 1.0 };
    /// assert!((prior.apart_after(0) - 0.5).abs() < 1e-12);
    /// assert!((prior.apart_after(1) - 2.0 / 3.0).abs() < 1e-12);
    /// assert!(prior.apart_after(1000) > 0.99);
    /// ```
    #[must_use]
    pub fn apart_after(&self, misses: u64) -> f64 {
        let Self { apart, alpha, beta } = *self;
        // How likely an overlapping pair is missed so often, the mean of (1 − f)ᵏ.
        let mut missed = 1.0;
        for i in 0..misses {
            let i = i as f64;
            missed *= (beta + i) / (alpha + beta + i);
            if missed < 1e-300 {
                break;
            }
        }
        apart / (apart + (1.0 - apart) * missed)
    }
}

/// How points are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarloConfig {
    /// Whether the vertices of both are tried first.
    pub vertices_first: bool,
    /// Random points after that.
    pub samples: u64,
    /// The seed of the order of vertices and of the points.
    pub seed: u64,
    /// What the confidence of a miss rests on; none takes the fitted one.
    pub prior: Option<MonteCarloPrior>,
}

impl Default for MonteCarloConfig {
    fn default() -> Self {
        Self {
            vertices_first: true,
            samples: 100,
            seed: 0,
            prior: None,
        }
    }
}

/// What a Monte-Carlo test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarlo {
    /// Certain when they meet, or when their boxes do not. Otherwise the confidence is the share of pairs that are apart among those in
    /// which as many points were tried in vain, by the [`MonteCarloPrior`]; it is never below one half.
    pub verdict: Verdict,
    /// A common point, in the frame of `a`.
    pub witness: Option<DVec3>,
    /// Points tried.
    pub tried: u64,
    /// Random points that were in vain.
    pub misses: u64,
    /// Whether the common point is a vertex.
    pub is_vertex: bool,
}

impl MonteCarlo {
    /// The largest share of the common box that the common part may have, with this confidence between 0 and 1.
    ///
    /// Whatever the solids are, at least this share of all searches of a larger common part hits it.
    ///
    /// ```
    /// use impinge::{Pose, generate};
    /// use impinge_study::convex::monte_carlo;
    /// let (small, ball) = (generate::icosphere(0.1, 1)?, generate::icosphere(1.0, 1)?);
    /// let corner = Pose::from_translation([0.8, 0.8, 0.8])?;
    /// let found = monte_carlo(&small, &ball, &corner, true, 100, 1)?;
    /// assert!(found.witness.is_none());
    /// assert!((found.share_bound(0.95) - 0.0295).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn share_bound(&self, confidence: f64) -> f64 {
        if self.witness.is_some() || self.misses == 0 {
            return if self.verdict.certain && !self.verdict.answer {
                0.0
            } else {
                1.0
            };
        }
        let missed = (1.0 - confidence).clamp(0.0, 1.0);
        1.0 - missed.powf(1.0 / self.misses as f64)
    }
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
/// For many poses keep a [`MonteCarloPair`].
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
    let config = MonteCarloConfig {
        vertices_first,
        samples,
        seed,
        prior: None,
    };
    let mut pair = MonteCarloPair::new(InsideTest::new(a)?, InsideTest::new(b)?);
    pair.search(a_from_b, &config)
}

/// Two closed meshes, checked once, for searches at many poses. After the first one it allocates nothing.
///
/// ```
/// use impinge::{Pose, generate, mesh::point_in_mesh::InsideTest};
/// use impinge_study::convex::{MonteCarloConfig, MonteCarloPair};
/// let ball = generate::icosphere(1.0, 1)?;
/// let inside = InsideTest::new(&ball)?;
/// let mut pair = MonteCarloPair::new(inside, inside);
/// for x in [0.5, 1.5, 2.5] {
///     let found = pair.search(&Pose::from_translation([x, 0.0, 0.0])?, &MonteCarloConfig::default())?;
///     assert_eq!(found.verdict.answer, x < 2.0);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MonteCarloPair<'m> {
    a: InsideTest<'m>,
    b: InsideTest<'m>,
    /// The vertices of `b` in the frame of `a`.
    placed: Vec<DVec3>,
    order: Vec<u32>,
}

impl<'m> MonteCarloPair<'m> {
    /// A pair of meshes that are known to be closed.
    #[must_use]
    pub fn new(a: InsideTest<'m>, b: InsideTest<'m>) -> Self {
        Self {
            a,
            b,
            placed: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Looks for a common point at this pose.
    ///
    /// # Errors
    /// [`MonteCarloError`] when the placed mesh leaves the range of coordinates.
    pub fn search(
        &mut self,
        a_from_b: &Pose,
        config: &MonteCarloConfig,
    ) -> Result<MonteCarlo, MonteCarloError> {
        let (a, b) = (self.a.mesh(), self.b.mesh());
        self.placed.clear();
        self.placed
            .extend(b.positions().iter().map(|&p| *a_from_b * p));
        if !self.placed.iter().all(|&p| is_valid_point(p)) {
            // For the error that names the vertex.
            b.placed(a_from_b)?;
        }
        let region = a
            .bounds()
            .intersection(&Aabb::enclosing(self.placed.iter().copied()));
        let mut found = MonteCarlo {
            verdict: Verdict::proven(false),
            witness: None,
            tried: 0,
            misses: 0,
            is_vertex: false,
        };
        if region.is_empty() {
            // Boxes apart: the one case in which "no" is a proof.
            return Ok(found);
        }
        let mut rng = Rng::new(config.seed);
        if config.vertices_first {
            for is_of_a in [true, false] {
                let count = if is_of_a { a } else { b }.vertex_count();
                self.order.clear();
                self.order.extend(0..count as u32);
                for i in (1..count).rev() {
                    self.order.swap(i, rng.below(i as u64 + 1) as usize);
                }
                for &i in &self.order {
                    let p = if is_of_a {
                        a.positions()[i as usize]
                    } else {
                        self.placed[i as usize]
                    };
                    if !region.contains(p) {
                        continue;
                    }
                    found.tried += 1;
                    let place = if is_of_a {
                        self.b.locate_moved(&self.placed, p)?
                    } else {
                        self.a.locate(p)?
                    };
                    if place != Location::Outside {
                        found.verdict = Verdict::proven(true);
                        found.witness = Some(p);
                        found.is_vertex = true;
                        return Ok(found);
                    }
                }
            }
        }
        for _ in 0..config.samples {
            let [x, y, z] = [0, 1, 2].map(|i| rng.range(region.min[i], region.max[i]));
            let p = DVec3::new(x, y, z);
            found.tried += 1;
            if self.a.locate(p)? != Location::Outside
                && self.b.locate_moved(&self.placed, p)? != Location::Outside
            {
                found.verdict = Verdict::proven(true);
                found.witness = Some(p);
                return Ok(found);
            }
            found.misses += 1;
        }
        let prior = config.prior.unwrap_or(if config.vertices_first {
            MonteCarloPrior::AFTER_VERTICES
        } else {
            MonteCarloPrior::RANDOM_POINTS
        });
        found.verdict = Verdict::likely(false, prior.apart_after(found.misses));
        Ok(found)
    }
}
