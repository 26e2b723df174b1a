//! The distance of two polyhedra by walking between features.
//!
//! **Question.** Which vertices, edges or faces are nearest, beginning at those that were?
//! **Idea.** The nearest features of a convex pair are nearest among their neighbours. Go from feature to neighbouring feature as
//! long as that is strictly nearer. Where no neighbour is nearer, the plane across the shortest way must have all of
//! `a` on one side and all of `b` on the other; if it has, the walk is done. If not, the walk ended behind a solid or
//! in one, and the search by differences answers.
//! **Source.** Lin and Canny 1991, doi:10.1109/ROBOT.1991.131723; Mirtich 1998, doi:10.1145/285857.285860. Ours: distances instead
//! of Voronoi planes decide the step, and features are neighbours when they share a vertex.
//! **Cost.** The neighbours of a few features, then one pass over the vertices as a proof.
//! **Promise.** It ends: every step is strictly nearer, so no pair of features comes twice, and there are at most
//! a thousand steps. The answer has the bounds of [`distance`](super::distance()).

use glam::DVec3;

use super::cache::GjkCache;
use super::gjk::distance;
use super::polyhedron::Polyhedron;
use super::primitive::best_of;
use super::support::Support;
use crate::geom::triangle_distance;
use crate::math::Pose;
use crate::query::{Bounded, Outcome, Separation};

/// Steps of one walk.
const MAX_WALK: u32 = 1000;

/// How far the proof may miss, in units of the size or the distance.
const AGREEMENT: f64 = 1e-13;

/// A part of a polyhedron's border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex, by number.
    Vertex(u32),
    /// An edge, by number.
    Edge(u32),
    /// A face, by number.
    Face(u32),
}

/// Where a walk begins, and what it counted.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    features: Option<[Feature; 2]>,
    steps: u64,
    searches: u64,
    gjk: GjkCache,
}

impl Walk {
    /// A walk that begins anywhere.
    ///
    /// ```
    /// use impinge::convex::Walk;
    /// assert!(Walk::new().features().is_none());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The features that the last walk ended at.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, Walk, walk}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut memory = Walk::new();
    /// let _ = walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut memory);
    /// assert!(memory.features().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn features(&self) -> Option<[Feature; 2]> {
        self.features
    }

    /// Pairs of features measured, over all walks.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, Walk, walk}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut memory = Walk::new();
    /// let _ = walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut memory);
    /// assert!(memory.steps() < 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Walks that were answered by the search by differences.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, Walk, walk}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut memory = Walk::new();
    /// let _ = walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut memory);
    /// assert!(memory.searches() < 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn searches(&self) -> u64 {
        self.searches
    }
}

/// The distance of two placed polyhedra, beginning at the features where the last walk ended.
///
/// ```
/// use impinge::{DVec3, Pose, convex::{Polyhedron, Walk, walk}};
/// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let found = walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut Walk::new());
/// assert!((found.value.distance - 2.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn walk(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
    state: &mut Walk,
) -> Bounded<Separation> {
    let placed: Vec<DVec3> = b.vertices().iter().map(|&v| *a_from_b * v).collect();
    let sides = [
        Side {
            shape: a,
            vertices: a.vertices(),
        },
        Side {
            shape: b,
            vertices: &placed,
        },
    ];
    let mut at = state
        .features
        .unwrap_or([Feature::Vertex(0), Feature::Vertex(0)]);
    let mut best = measure(&sides, at);
    state.steps += 1;
    for _ in 0..MAX_WALK {
        let mut next: Option<([Feature; 2], Separation)> = None;
        for side in 0..2 {
            for feature in sides[side].around(at[side]) {
                let mut pair = at;
                pair[side] = feature;
                state.steps += 1;
                let own = measure(&sides, pair);
                let nearest = next.map_or(best.distance, |(_, other)| other.distance);
                if own.distance < nearest {
                    next = Some((pair, own));
                }
            }
        }
        match next {
            Some((pair, own)) => (at, best) = (pair, own),
            None => break,
        }
    }
    state.features = Some(at);
    proven(&sides, &best).unwrap_or_else(|| {
        state.searches += 1;
        let found = distance(a, b, a_from_b, &mut state.gjk);
        // The next walk begins at the vertices that face each other.
        let normal = found.value.point_b - found.value.point_a;
        state.features = Some([
            Feature::Vertex(best_of(sides[0].vertices, normal).vertex),
            Feature::Vertex(best_of(sides[1].vertices, -normal).vertex),
        ]);
        found
    })
}

struct Side<'s> {
    shape: &'s Polyhedron,
    vertices: &'s [DVec3],
}

impl Side<'_> {
    /// The features that share a vertex with a feature: all that a nearest point on it can move to.
    fn around(&self, feature: Feature) -> Vec<Feature> {
        let own = self.vertices_of(feature);
        let mut around: Vec<Feature> = own.iter().map(|&v| Feature::Vertex(v)).collect();
        for (e, edge) in self.shape.edges().iter().enumerate() {
            if edge.vertices.iter().any(|v| own.contains(v)) {
                around.push(Feature::Edge(e as u32));
                around.extend(edge.faces.into_iter().flatten().map(Feature::Face));
            }
        }
        around.sort_unstable();
        around.dedup();
        around
    }

    fn vertices_of(&self, feature: Feature) -> Vec<u32> {
        match feature {
            Feature::Vertex(v) => vec![v],
            Feature::Edge(e) => match self.shape.edges().get(e as usize) {
                Some(edge) => edge.vertices.to_vec(),
                None => vec![0],
            },
            Feature::Face(f) => self.shape.face(f).to_vec(),
        }
    }

    fn triangles(&self, feature: Feature) -> Vec<[DVec3; 3]> {
        let at = |i: u32| self.vertices[(i as usize).min(self.vertices.len() - 1)];
        match feature {
            Feature::Vertex(v) => vec![[at(v); 3]],
            Feature::Edge(e) => match self.shape.edges().get(e as usize) {
                Some(edge) => {
                    let [p, q] = edge.vertices.map(at);
                    vec![[p, q, q]]
                }
                None => vec![[at(0); 3]],
            },
            Feature::Face(f) => match self.shape.face(f).split_first() {
                Some((&first, rest)) => rest
                    .windows(2)
                    .map(|w| [at(first), at(w[0]), at(w[1])])
                    .collect(),
                None => vec![[at(0); 3]],
            },
        }
    }
}

/// The distance of two features as closed sets.
fn measure(sides: &[Side<'_>; 2], [f, g]: [Feature; 2]) -> Separation {
    let mut best = Separation {
        distance: f64::INFINITY,
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
    };
    let others = sides[1].triangles(g);
    for p in sides[0].triangles(f) {
        for q in &others {
            let own = triangle_distance(&p, q);
            if own.distance < best.distance {
                best = own;
            }
        }
    }
    best
}

/// The answer with bounds, when the plane across the shortest way proves it.
fn proven(sides: &[Side<'_>; 2], best: &Separation) -> Option<Bounded<Separation>> {
    let normal = (best.point_b - best.point_a).try_normalize()?;
    let p = best_of(sides[0].vertices, normal).point;
    let q = best_of(sides[1].vertices, -normal).point;
    let lower = normal.dot(q - p);
    let size = sides[0].shape.bounds().half_extent().max_element()
        + sides[1].shape.bounds().half_extent().max_element();
    let far = |v: &[DVec3]| v.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let slack = 32.0 * f64::EPSILON * (far(sides[0].vertices) + far(sides[1].vertices));
    let is_proven = lower > slack && best.distance - lower <= AGREEMENT * size.max(best.distance);
    is_proven.then_some(Bounded {
        value: *best,
        lower: lower - slack,
        upper: best.distance + slack,
        outcome: Outcome::Complete,
    })
}
