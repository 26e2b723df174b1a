//! Distance of two polyhedra by walking between features (Lin-Canny).
//!
//! **Question.** Which vertices, edges or faces are nearest, starting from those of the last query?
//! **Idea.** The nearest features of a convex pair are nearest among their neighbours. The walk
//! goes from feature to neighbouring feature as long as that is strictly nearer. At the end, the
//! plane perpendicular to the line between the nearest points must have all of `a` on one side and
//! all of `b` on the other; then the answer is proven. If not, the walk ended behind a solid or
//! inside one, and GJK answers.
//! **Source.** Lin and Canny 1991, doi:10.1109/ROBOT.1991.131723; Mirtich 1998,
//! doi:10.1145/285857.285860. Ours: distances instead of Voronoi planes decide the step, and
//! features are neighbours when they share a vertex.
//! **Cost.** The neighbours of a few features, which the polyhedron lists at each vertex, then one
//! pass over the vertices as a proof. A walk allocates nothing; the search that follows where it
//! fails may.
//! **Promise.** It ends: every step is strictly nearer, so no pair of features comes twice, and
//! there are at most a thousand steps. The answer has the bounds of
//! [`distance`](super::distance()).

use glam::DVec3;

use super::cache::GjkCache;
use super::gjk::distance;
use super::polyhedron::Polyhedron;
use super::support_map::{SupportMap, SupportPoint};
use crate::geom::triangle_distance;
use crate::math::Pose;
use crate::query::{Bounded, Outcome, Separation};

/// Steps of one walk.
const MAX_WALK: u32 = 1000;

/// How far the proof may miss, in units of the size or the distance.
const AGREEMENT: f64 = 1e-13;

/// A feature of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex, by number.
    Vertex(u32),
    /// An edge, by number.
    Edge(u32),
    /// A face, by number.
    Face(u32),
}

/// The start of a walk, and its counters.
#[derive(Clone, Debug, Default)]
#[doc(alias = "Lin-Canny")]
#[doc(alias = "V-Clip")]
#[doc(alias = "closest features")]
pub struct FeatureWalk {
    features: Option<[Feature; 2]>,
    steps: u64,
    searches: u64,
    gjk: GjkCache,
}

impl FeatureWalk {
    /// A walk with an arbitrary start.
    ///
    /// ```
    /// use impinge::convex::FeatureWalk;
    /// assert!(FeatureWalk::new().features().is_none());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The features that the last walk ended at.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, FeatureWalk, feature_walk}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut memory = FeatureWalk::new();
    /// let _ = feature_walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut memory);
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
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, FeatureWalk, feature_walk}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut memory = FeatureWalk::new();
    /// let _ = feature_walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut memory);
    /// assert!(memory.steps() < 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Walks that were answered by GJK.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, FeatureWalk, feature_walk}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut memory = FeatureWalk::new();
    /// let _ = feature_walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut memory);
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
/// use impinge::{DVec3, Pose, convex::{Polyhedron, FeatureWalk, feature_walk}};
/// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let found = feature_walk(&corner, &corner, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut FeatureWalk::new());
/// assert!((found.value.distance - 2.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "Lin-Canny")]
#[doc(alias = "V-Clip")]
#[doc(alias = "closest features")]
pub fn feature_walk(
    a: &Polyhedron,
    b: &Polyhedron,
    a_from_b: &Pose,
    state: &mut FeatureWalk,
) -> Bounded<Separation> {
    let sides = [
        PlacedPolyhedron {
            shape: a,
            placed: None,
        },
        PlacedPolyhedron {
            shape: b,
            placed: Some(a_from_b),
        },
    ];
    let first = state.features.unwrap_or([Feature::Vertex(0); 2]);
    // What was remembered may be of other polyhedra.
    let mut at = [0, 1].map(|side: usize| sides[side].existing(first[side]));
    let mut best = feature_distance(&sides, at);
    state.steps += 1;
    for _ in 0..MAX_WALK {
        let mut next: Option<FeatureStep> = None;
        for (number, side) in sides.iter().enumerate() {
            let mut look = |feature: Feature| {
                let mut pair = at;
                pair[number] = feature;
                state.steps += 1;
                let own = FeatureStep {
                    separation: feature_distance(&sides, pair),
                    side: number,
                    feature,
                };
                if own.separation.distance < best.distance
                    && next.as_ref().is_none_or(|next| own.is_before(next))
                {
                    next = Some(own);
                }
            };
            side.look_around(at[number], &mut look);
        }
        let Some(next) = next else { break };
        at[next.side] = next.feature;
        best = next.separation;
    }
    state.features = Some(at);
    certified_distance(&sides, &best).unwrap_or_else(|| {
        state.searches += 1;
        let found = distance(a, b, a_from_b, &mut state.gjk);
        // The next walk begins at the vertices that face each other.
        let normal = found.value.point_b - found.value.point_a;
        state.features = Some([
            Feature::Vertex(sides[0].farthest(normal).0.vertex),
            Feature::Vertex(sides[1].farthest(-normal).0.vertex),
        ]);
        found
    })
}

/// A step that could be taken.
struct FeatureStep {
    separation: Separation,
    side: usize,
    feature: Feature,
}

impl FeatureStep {
    /// The nearer, and of equals the first by number, so that the order of looking does not matter.
    fn is_before(&self, other: &Self) -> bool {
        let (own, others) = (self.separation.distance, other.separation.distance);
        own < others || own == others && (self.side, self.feature) < (other.side, other.feature)
    }
}

/// A polyhedron, and where it stands in the frame of `a`.
struct PlacedPolyhedron<'s> {
    shape: &'s Polyhedron,
    placed: Option<&'s Pose>,
}

impl PlacedPolyhedron<'_> {
    fn vertex(&self, number: u32) -> DVec3 {
        let own = self.shape.vertex(number);
        self.placed.map_or(own, |pose| *pose * own)
    }

    /// The feature, or the first vertex where there is no such feature.
    fn existing(&self, feature: Feature) -> Feature {
        let (number, count) = match feature {
            Feature::Vertex(v) => (v, self.shape.vertices().len()),
            Feature::Edge(e) => (e, self.shape.edges().len()),
            Feature::Face(f) => (f, self.shape.face_count()),
        };
        if (number as usize) < count {
            feature
        } else {
            Feature::Vertex(0)
        }
    }

    /// Looks at the features that share a vertex with a feature: all that a nearest point on it can move to.
    fn look_around(&self, feature: Feature, look: &mut impl FnMut(Feature)) {
        match feature {
            Feature::Vertex(v) => self.look_at_star(v, None, look),
            Feature::Edge(e) => {
                let Some(edge) = self.shape.edges().get(e as usize) else {
                    return;
                };
                let [u, v] = edge.vertices;
                look(Feature::Vertex(u));
                look(Feature::Vertex(v));
                self.look_at_star(u, None, look);
                self.look_at_star(v, Some(u), look);
            }
            Feature::Face(f) => {
                let corners = self.shape.face(f);
                let mut before = corners.last().copied();
                for &corner in corners {
                    look(Feature::Vertex(corner));
                    // What borders on the side from the corner before was seen from there.
                    self.look_at_star(corner, before, look);
                    before = Some(corner);
                }
            }
        }
    }

    /// Looks at the edges and faces at a vertex, without the edge to a vertex that was examined before and without the faces beside it.
    fn look_at_star(&self, vertex: u32, before: Option<u32>, look: &mut impl FnMut(Feature)) {
        let others = self.shape.neighbours(vertex).iter();
        let star = || others.clone().zip(self.shape.edges_at(vertex));
        let edge = |number: u32| self.shape.edges().get(number as usize);
        let seen = star()
            .find(|(other, _)| before == Some(**other))
            .and_then(|(_, &number)| edge(number)?.faces);
        for (&other, &number) in star() {
            if before != Some(other) {
                look(Feature::Edge(number));
            }
            // Every face at the vertex is on the left of one edge that leaves it.
            let left = edge(number).and_then(|edge| {
                let [left, right] = edge.faces?;
                Some(if edge.vertices[0] == vertex {
                    left
                } else {
                    right
                })
            });
            if let Some(face) = left
                && !seen.is_some_and(|seen| seen.contains(&face))
            {
                look(Feature::Face(face));
            }
        }
    }

    /// How many triangles a feature has; a vertex and an edge count as one that is flat.
    fn triangle_count(&self, feature: Feature) -> usize {
        match feature {
            Feature::Vertex(_) | Feature::Edge(_) => 1,
            Feature::Face(f) => self.shape.face(f).len().saturating_sub(2),
        }
    }

    fn triangle(&self, feature: Feature, number: usize) -> [DVec3; 3] {
        match feature {
            Feature::Vertex(v) => [self.vertex(v); 3],
            Feature::Edge(e) => {
                let ends = self.shape.edges().get(e as usize);
                let [p, q] = ends.map_or([0; 2], |edge| edge.vertices);
                let [p, q] = [self.vertex(p), self.vertex(q)];
                [p, q, q]
            }
            Feature::Face(f) => {
                let corners = self.shape.face(f);
                let at = |k: usize| self.vertex(corners.get(k).copied().unwrap_or(0));
                [at(0), at(number + 1), at(number + 2)]
            }
        }
    }

    /// The first of the farthest vertices in a direction, as placed, and the largest coordinate of any.
    fn farthest(&self, direction: DVec3) -> (SupportPoint, f64) {
        let bounds = self.shape.bounds();
        let Some(pose) = self.placed else {
            let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
            return (self.shape.support_certain(direction), largest);
        };
        let mut best = (
            f64::NEG_INFINITY,
            SupportPoint {
                point: self.vertex(0),
                vertex: 0,
            },
        );
        let mut largest = 0.0_f64;
        for (number, &own) in (0..).zip(self.shape.vertices()) {
            let point = *pose * own;
            let along = point.dot(direction);
            largest = largest.max(point.abs().max_element());
            if along > best.0 {
                best = (
                    along,
                    SupportPoint {
                        point,
                        vertex: number,
                    },
                );
            }
        }
        (best.1, largest)
    }
}

/// The distance of two features as closed sets.
fn feature_distance(sides: &[PlacedPolyhedron<'_>; 2], [f, g]: [Feature; 2]) -> Separation {
    let mut best = Separation {
        distance: f64::INFINITY,
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
    };
    for i in 0..sides[0].triangle_count(f) {
        let p = sides[0].triangle(f, i);
        for j in 0..sides[1].triangle_count(g) {
            let own = triangle_distance(&p, &sides[1].triangle(g, j));
            if own.distance < best.distance {
                best = own;
            }
        }
    }
    best
}

/// The distance with bounds, if the plane perpendicular to the line between the nearest points proves it.
fn certified_distance(
    sides: &[PlacedPolyhedron<'_>; 2],
    best: &Separation,
) -> Option<Bounded<Separation>> {
    let normal = (best.point_b - best.point_a).try_normalize()?;
    let (p, far_a) = sides[0].farthest(normal);
    let (q, far_b) = sides[1].farthest(-normal);
    let lower = normal.dot(q.point - p.point);
    let size = sides[0].shape.bounds().half_extent().max_element()
        + sides[1].shape.bounds().half_extent().max_element();
    let slack = 32.0 * f64::EPSILON * (far_a + far_b);
    let is_proven = lower > slack && best.distance - lower <= AGREEMENT * size.max(best.distance);
    is_proven.then_some(Bounded {
        value: *best,
        lower: lower - slack,
        upper: best.distance + slack,
        outcome: Outcome::Complete,
    })
}
