//! Intersection of two solids.
//!
//! Two solids intersect if their surfaces do or if one lies in the other. The traversal is that for
//! faces, with one more way to end: two overlapping cores prove an intersection long before the
//! first pair of faces is reached.

use std::ops::ControlFlow;

use super::BoxTree;
use super::box_tree::LeafVisitor;
use super::clipped_pair::{ClippedPair, PairTest};
use super::counts::BoxTreeCounts;
use super::leaf_test::LeafPairTest;
use super::relative_frames::BoxFrames;
use super::scratch::BoxTreeCache;
use super::traverse::{PairVisitor, PendingPair, look};
use crate::own_faces::OwnFaces;
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::mesh::components::Components;
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use impinge::query::{FacePair, First, Limits, Outcome};

/// How two solids intersect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidIntersection {
    /// They share no point.
    Apart,
    /// Boxes inside both solids overlap.
    CoresOverlap,
    /// Two faces share a point.
    FacesMeet(FacePair),
    /// Part of the first lies inside the second.
    AInsideB,
    /// Part of the second lies inside the first.
    BInsideA,
    /// A limit was met first, or a placed vertex is further away than a mesh may reach.
    Unknown,
}

impl BoxTree {
    /// Whether the solids that two meshes bound share a point, and why.
    ///
    /// A mesh with an edge of an odd number of faces bounds no solid; it counts as its surface.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::box_tree::{BoxTree, SolidIntersection};
    /// use impinge::{Pose, TriMesh, query::Limits};
    /// use std::sync::Arc;
    /// let tetrahedron = |size: f64| TriMesh::from_points(
    ///     [[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]],
    ///     [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    /// );
    /// let large = BoxTree::build(Arc::new(tetrahedron(10.0)?), &Default::default());
    /// let small = BoxTree::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// let inside = Pose::from_translation([1.0, 1.0, 1.0])?;
    /// let meeting = large.solids_meet(&small, &inside, Limits::default(), &mut Default::default());
    /// assert_eq!(meeting, SolidIntersection::BInsideA);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn solids_meet(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut BoxTreeCache,
    ) -> SolidIntersection {
        cache.begin(other.mesh.vertex_count());
        if let ControlFlow::Break(outcome) = look(
            &self.bounds,
            &other.bounds,
            self_from_other,
            &limits,
            &mut cache.counts,
        ) {
            // Solids lie in the boxes of their surfaces, so nothing is inside anything either.
            return match outcome {
                Outcome::OutOfBudget => SolidIntersection::Unknown,
                _ => SolidIntersection::Apart,
            };
        }
        let frames = self.frames(other, self_from_other);
        let mut first = First::default();
        let region = self.config.collect.then_some(self.bounds);
        let meshes = [self.mesh.as_ref(), &other.mesh];
        let (decider, counts, stacks) =
            LeafPairTest::new(meshes, self_from_other, &limits, region, cache, &mut first);
        let mut visitor = SolidVisitor {
            // One margin for the box test, one for the rounding of placed vertices.
            certain: frames.with_margin(-2.0 * frames.margin()),
            cores_overlap: false,
            faces: LeafVisitor {
                a: self,
                b: other,
                frames: &frames,
                decider,
            },
        };
        let outcome = self.descend(other, &frames, &limits, &mut visitor, counts, stacks);
        if visitor.cores_overlap {
            return SolidIntersection::CoresOverlap;
        }
        if let Some(pair) = first.0 {
            return SolidIntersection::FacesMeet(pair);
        }
        if outcome != Outcome::Complete {
            return SolidIntersection::Unknown;
        }
        containment(self, other, self_from_other)
    }
}

/// Whether a piece of one surface lies inside the other solid; no faces meet, so one point of each
/// piece decides for all of it.
fn containment(a: &BoxTree, b: &BoxTree, a_from_b: &Pose) -> SolidIntersection {
    let Ok(placed) = b.mesh.placed(a_from_b) else {
        return SolidIntersection::Unknown;
    };
    if has_point_inside(&a.mesh, &placed) {
        SolidIntersection::AInsideB
    } else if has_point_inside(&placed, &a.mesh) {
        SolidIntersection::BInsideA
    } else {
        SolidIntersection::Apart
    }
}

fn has_point_inside(surface: &TriMesh, solid: &TriMesh) -> bool {
    let bounds = solid.bounds();
    let Ok(solid) = InsideTest::new(solid) else {
        return false;
    };
    let pieces = Components::by_vertex(surface);
    (0..pieces.count()).any(|piece| {
        let [p, _, _] = surface.triangle(pieces.first(piece));
        bounds.contains(p) && matches!(solid.locate(p), Ok(Location::Inside))
    })
}

/// Looks for two faces that meet or two cores that overlap.
struct SolidVisitor<'v> {
    faces: LeafVisitor<'v, 'v>,
    /// Frames whose planes stand inward, so that what is not disjoint overlaps for certain.
    certain: BoxFrames,
    cores_overlap: bool,
}

impl PairVisitor for SolidVisitor<'_> {
    fn excludes<T: PairTest>(
        &mut self,
        nodes: &PendingPair<T>,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome, bool> {
        let core_a = self.faces.a.inner.core(nodes.a);
        let core_b = self.faces.b.inner.core(nodes.b);
        if let (Some(core_a), Some(core_b)) = (core_a, core_b) {
            if !self.faces.decider.limits.allows(counts.work.tests()) {
                return ControlFlow::Break(Outcome::OutOfBudget);
            }
            counts.work.volume_tests += 1;
            if !ClippedPair::<true>::new(&self.certain, &core_a, &core_b).is_disjoint() {
                self.cores_overlap = true;
                return ControlFlow::Break(Outcome::StoppedBySink);
            }
        }
        self.faces.excludes(nodes, counts)
    }

    fn leaves(&mut self, a: u32, b: u32, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome> {
        self.faces.leaves(a, b, counts)
    }
}
