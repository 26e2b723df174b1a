//! Two-mesh queries, as methods of the tree.

use glam::DVec3;

use super::distance::DistanceTraversal;
use super::distance_state::{DistanceGoal, DistanceResult};
use super::intersect::{WantedPairs, WideCache};
use super::relative_pose::RelativePose;
use super::tree::WideTree;
use super::{f64_fallback, validate};
use crate::bvh::{DistanceIndex, MeshIndex, Violation};
use crate::geom::{triangle_overlap, triangles_intersect};
use crate::math::Pose;
use crate::math::simd::Level;
use crate::math::simd::lanes::dispatch;
use crate::mesh::TriMesh;
use crate::query::{Bounded, FacePair, First, Limits, Outcome, Separation, Sink, Work};
use std::sync::Arc;

/// The boxes of a [`WideTree`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoxKind {
    /// Each oriented to fit its content: the fastest to query.
    #[default]
    Oriented,
    /// All along the coordinate axes: the fastest to build.
    AxisAligned,
}

/// How to build a [`WideTree`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WideConfig {
    /// What the nodes hold.
    pub boxes: BoxKind,
}

impl WideConfig {
    /// For trees that are queried only a few times: fastest to build, with the same answers.
    ///
    /// ```
    /// use impinge::bvh::{MeshIndex, wide::{WideConfig, WideTree}};
    /// use impinge::TriMesh;
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::build(Arc::new(face), &WideConfig::fast());
    /// assert!(tree.validate().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fast() -> Self {
        Self {
            boxes: BoxKind::AxisAligned,
        }
    }
}

/// The permitted error of a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DistanceError {
    /// The distance may be too large by this much.
    pub absolute: f64,
    /// The distance may be too large by this fraction of itself.
    pub relative: f64,
}

impl MeshIndex for WideTree {
    type Config = WideConfig;
    type Cache = WideCache;
    const NAME: &'static str = "wide";

    fn build(mesh: Arc<TriMesh>, config: &WideConfig) -> Self {
        Self::with_boxes(mesh, config.boxes)
    }

    fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    fn intersections(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut WideCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        let pairs = WantedPairs::Meeting;
        self.face_pairs(other, self_from_other, pairs, limits, cache, sink)
    }

    fn work(cache: &WideCache) -> Work {
        cache.work
    }

    fn validate(&self) -> Result<(), Violation> {
        validate::validate(self)
    }
}

impl DistanceIndex for WideTree {
    fn distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Bounded<Option<Separation>> {
        Self::distance(self, other, self_from_other, limits, cache)
    }

    fn within(
        &self,
        other: &Self,
        self_from_other: &Pose,
        distance: f64,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Bounded<Option<Separation>> {
        Self::within(self, other, self_from_other, distance, limits, cache)
    }
}

impl WideTree {
    /// Whether any two faces share a point.
    ///
    /// The cache stores two faces that met. A query at nearly the same pose begins with them; the
    /// answer is the same.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::{Pose, TriMesh};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let mut cache = WideCache::default();
    /// assert!(tree.intersects(&tree, &Pose::from_translation([1.0, 0.0, 0.0])?, &mut cache));
    /// assert!(!tree.intersects(&tree, &Pose::from_translation([0.0, 0.0, 1e-9])?, &mut cache));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn intersects(&self, other: &Self, self_from_other: &Pose, cache: &mut WideCache) -> bool {
        if let Some(pair) = cache.contact.take()
            && let Some([a, b]) = self.placed_faces(other, self_from_other, pair)
            && triangles_intersect(&a, &b)
        {
            cache.work = Work {
                face_tests: 1,
                ..Work::default()
            };
            cache.exact_tests = 1;
            cache.contact = Some(pair);
            return true;
        }
        let mut first = First::default();
        let limits = Limits::default();
        let _ = self.intersections(other, self_from_other, limits, cache, &mut first);
        cache.contact = first.0;
        first.0.is_some()
    }

    /// The corners of two faces as placed; none when there are no such faces.
    pub(super) fn placed_faces(
        &self,
        other: &Self,
        self_from_other: &Pose,
        pair: FacePair,
    ) -> Option<[[DVec3; 3]; 2]> {
        self.has_faces(other, pair).then(|| {
            let face_b = other.mesh.triangle(pair.b);
            let placed = face_b.map(|p| self_from_other.transform_point(p));
            [self.mesh.triangle(pair.a), placed]
        })
    }

    fn has_faces(&self, other: &Self, pair: FacePair) -> bool {
        pair.a.index() < self.mesh.face_count() && pair.b.index() < other.mesh.face_count()
    }

    /// The smallest distance between the two meshes, 0 when they intersect, with a point of each
    /// in this mesh's frame; nothing when a mesh is empty or nothing lies within
    /// [`Limits::max_distance`].
    ///
    /// The cache remembers where the last answer was. A query about nearly the same pose
    /// begins there and is several times faster; the answer is the same.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::query::Limits;
    /// use impinge::{Pose, TriMesh};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let above = Pose::from_translation([0.0, 0.0, 2.0])?;
    /// let answer = tree.distance(&tree, &above, Limits::default(), &mut WideCache::default());
    /// assert_eq!(answer.value.map(|s| s.distance), Some(2.0));
    /// assert!(answer.lower <= 2.0 && 2.0 <= answer.upper);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Bounded<Option<Separation>> {
        self.distance_within(
            other,
            self_from_other,
            DistanceError::default(),
            limits,
            cache,
        )
    }

    /// The distance up to a permitted error: the answer is too large by at most that.
    ///
    /// ```
    /// use impinge::bvh::wide::{DistanceError, WideCache};
    /// use impinge::{Pose, query::Limits};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// let apart = Pose::from_translation([9.0, 0.0, 0.0])?;
    /// let error = DistanceError { relative: 0.1, ..DistanceError::default() };
    /// let found = tree.distance_within(&tree, &apart, error, Limits::default(), &mut WideCache::default());
    /// assert!(found.lower > 7.0 && found.lower <= found.upper);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance_within(
        &self,
        other: &Self,
        self_from_other: &Pose,
        error: DistanceError,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Bounded<Option<Separation>> {
        let wanted = DistanceGoal {
            absolute_error: error.absolute.max(0.0),
            // As the other, 0 for NaN.
            relative_error: error.relative.max(0.0).clamp(0.0, 1.0),
            enough: 0.0,
        };
        let found = self.nearest(other, self_from_other, wanted, limits, cache);
        if wanted == DistanceGoal::default() {
            return found;
        }
        let permitted = |distance: f64| wanted.absolute_error + wanted.relative_error * distance;
        let is_kept = match found.value {
            Some(s) => {
                let rounding = 4.0 * self.rounding(other, self_from_other);
                found.upper - found.lower <= permitted(s.distance) + rounding
            }
            None => false,
        };
        if is_kept || found.outcome != Outcome::Complete {
            return found;
        }
        // The search believes a bound before it has seen the faces that have it. An error that is permitted may then
        // lead past those faces, and what is left may be too far or nothing: the exact search makes up for it.
        self.nearest(
            other,
            self_from_other,
            DistanceGoal::default(),
            limits,
            cache,
        )
    }

    fn nearest(
        &self,
        other: &Self,
        self_from_other: &Pose,
        wanted: DistanceGoal,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Bounded<Option<Separation>> {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            cache.work = Work::default();
            return nothing_within(f64::INFINITY);
        }
        let Some([forth, back]) = RelativePose::both(&self.frame, &other.frame, self_from_other)
        else {
            return f64_fallback::distance(self, other, self_from_other, limits, cache);
        };
        let guess = cache.witness.filter(|&pair| self.has_faces(other, pair));
        let mut spent = Work::default();
        if guess.is_none() {
            // Deep overlap is found at once; a search for the nearest pair would be slow to.
            let mut first = First::default();
            let outcome = self.intersections(other, self_from_other, limits, cache, &mut first);
            if let Some(pair) = first.0 {
                return self.touching(other, self_from_other, pair);
            }
            if outcome == Outcome::OutOfBudget {
                return Bounded::at_least(0.0, outcome);
            }
            spent = cache.work;
        }
        let level = cache.level.unwrap_or_else(Level::detect);
        let search = DistanceTraversal {
            a: self,
            b: other,
            a_from_b: self_from_other,
            forth: &forth,
            back: &back,
            limits,
            wanted,
            guess,
            spent,
            cache,
            level,
            records: false,
            direction: [0.0; 3],
        };
        let DistanceResult {
            nearest,
            lower,
            outcome,
        } = dispatch(level, search);
        let within = limits.within();
        match nearest.filter(|(s, _)| s.distance <= within) {
            Some((separation, pair)) => {
                cache.witness = (separation.distance > 0.0).then_some(pair);
                let error = self.rounding(other, self_from_other);
                Bounded {
                    value: Some(separation),
                    lower: (lower - error).max(0.0),
                    upper: separation.distance + error,
                    outcome,
                }
            }
            None if outcome == Outcome::Complete => nothing_within(within),
            None => Bounded::at_least(lower, outcome),
        }
    }

    /// The answer for meshes of which a pair of faces intersects.
    fn touching(
        &self,
        other: &Self,
        self_from_other: &Pose,
        pair: FacePair,
    ) -> Bounded<Option<Separation>> {
        let a = self.mesh.triangle(pair.a);
        let b = other.mesh.triangle(pair.b);
        let placed = b.map(|p| self_from_other.transform_point(p));
        let point = triangle_overlap(&a, &placed)
            .corners()
            .first()
            .copied()
            .unwrap_or(a[0]);
        Bounded::exactly(Some(Separation::touching(point)), 0.0)
    }

    /// What a distance in `f64` may be off by, for meshes of this size at this place.
    pub(super) fn rounding(&self, other: &Self, self_from_other: &Pose) -> f64 {
        let reach = |tree: &Self| {
            let unit = super::relative_pose::exp2(tree.frame.exponent);
            tree.frame.center.length() + 2.0 * unit * tree.frame.radius
        };
        // 32 units of rounding of the largest difference, what placing has rounded, and what the
        // faces chosen may be farther than the nearest: twice what their distances are off by.
        let largest = reach(self) + reach(other) + self_from_other.translation().length();
        128.0 * f64::EPSILON * largest
    }
}

fn nothing_within(distance: f64) -> Bounded<Option<Separation>> {
    Bounded::at_least(distance.max(0.0), Outcome::Complete)
}
