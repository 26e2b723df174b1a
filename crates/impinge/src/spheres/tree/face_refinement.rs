//! Distances refined by the faces next to the nearest balls.
//!
//! **Idea.** For each sphere the nearest face is known. From the faces of the two nearest spheres a
//! walk goes to neighbouring faces as long as some pair of them is nearer; each step compares all
//! pairs of faces around the two.
//!
//! **Cost.** Walks are short: a few steps of some dozen faces each. Their work counts towards the
//! budget, and nothing is allocated once the cache has grown.
//!
//! **Promise.** The result is the distance of two faces, so an upper bound that is never above that
//! of the spheres. It is the distance of the surfaces whenever the walk ends at the nearest faces;
//! how often it does is measured, not promised.

use std::sync::Arc;

use glam::DVec3;

use super::distance::BallSeparation;
use super::inner_sphere_tree::InnerSphereTree;
use super::tree_pair::InnerSphereTreeCache;
use crate::bvh::MeshIndex as _;
use crate::geom::triangle_distance;
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{FaceId, FacePair, Limits, Outcome, Separation};
use crate::spheres::interior::MeshSolid;

/// A distance with its nearest faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefinedSeparation {
    /// The nearest points of two faces, at least as near as the spheres; none when spheres overlap,
    /// or when a tree has no surface.
    pub nearest: Option<(Separation, FacePair)>,
    /// The distance by spheres, with the lower bound.
    pub balls: BallSeparation,
    /// Whether the search over spheres and the walk over faces were finished; the bounds hold
    /// either way.
    pub outcome: Outcome,
}

impl RefinedSeparation {
    /// Upper bound on the distance of the solids.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions}};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let apart = Pose::from_translation([5.0, 0.0, 0.0])?;
    /// let found = tree.refined_distance(&tree, &apart, Limits::default(), &mut InnerSphereTreeCache::default());
    /// assert_eq!(found.map(|f| f.upper()), Some(3.0)); // no faces: the gap of the balls
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn upper(&self) -> f64 {
        let faces = self.nearest.map_or(f64::INFINITY, |(s, _)| s.distance);
        faces.min(self.balls.upper)
    }
}

/// The faces of a mesh, and which of them share a vertex.
#[derive(Clone, Debug)]
pub(super) struct FaceRings {
    mesh: Arc<TriMesh>,
    /// Where the faces of each vertex begin in `around`, and where the last end.
    first: Vec<u32>,
    around: Vec<u32>,
}

/// The faces around the two that a walk is at.
#[derive(Debug, Default)]
pub(super) struct FaceNeighbourhood {
    pub(super) a: Vec<PlacedFace>,
    pub(super) b: Vec<PlacedFace>,
}

/// A face with the box around it, in the frame of `a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedFace {
    pub(super) face: u32,
    pub(super) corners: [DVec3; 3],
    min: DVec3,
    max: DVec3,
}

impl PlacedFace {
    /// No two points of the boxes are nearer, squared.
    pub(super) fn gap_sq(&self, other: &Self) -> f64 {
        let gap = (other.min - self.max).max(self.min - other.max);
        gap.max(DVec3::ZERO).length_squared()
    }
}

/// Faces around one that a walk examines.
const MOST_AROUND: usize = 64;

impl FaceRings {
    pub(super) fn new(solid: &MeshSolid<'_>) -> Self {
        let mesh = Arc::clone(solid.tree.mesh());
        let mut first = vec![0_u32; mesh.vertex_count() + 1];
        for corner in mesh.faces().iter().flatten() {
            first[*corner as usize + 1] += 1;
        }
        for v in 1..first.len() {
            first[v] += first[v - 1];
        }
        let mut next = first.clone();
        let mut around = vec![0; 3 * mesh.face_count()];
        for (face, corners) in mesh.faces().iter().enumerate() {
            for &corner in corners {
                let place = &mut next[corner as usize];
                around[*place as usize] = face as u32;
                *place += 1;
            }
        }
        Self {
            mesh,
            first,
            around,
        }
    }

    pub(super) fn place(&self, face: u32, pose: Option<&Pose>) -> Option<PlacedFace> {
        let corners = self.mesh.face(FaceId::new(face))?;
        let corners = match pose {
            Some(pose) => corners.map(|p| pose.transform_point(p)),
            None => corners,
        };
        let [p, q, r] = corners;
        Some(PlacedFace {
            face,
            corners,
            min: p.min(q).min(r),
            max: p.max(q).max(r),
        })
    }

    /// Fills the list with a face and those that share a vertex with it, at most so many.
    pub(super) fn ring(
        &self,
        face: u32,
        pose: Option<&Pose>,
        most: usize,
        found: &mut Vec<PlacedFace>,
    ) {
        found.clear();
        found.extend(self.place(face, pose));
        let Some(corners) = self.mesh.faces().get(face as usize) else {
            return;
        };
        for &corner in corners {
            let corner = corner as usize;
            let range = self.first[corner] as usize..self.first[corner + 1] as usize;
            for &other in &self.around[range] {
                if found.len() < most && found.iter().all(|known| known.face != other) {
                    found.extend(self.place(other, pose));
                }
            }
        }
    }
}

impl InnerSphereTree {
    /// The distance of the spheres, refined by faces where both trees have a surface; nothing when
    /// a tree is empty.
    ///
    /// The answer does not depend on the cache.
    ///
    /// ```
    /// use impinge::{Pose, bvh::wide::WideTree, generate, query::Limits, spheres::*};
    /// use std::sync::Arc;
    /// let index = WideTree::new(Arc::new(generate::torus(1.0, 0.4, 12, 8)?));
    /// let solid = MeshSolid::new(&index)?;
    /// let packing = pack(&solid, &PackOptions { count: Some(30), ..Default::default() })?;
    /// let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?.with_surface(&solid);
    /// let apart = Pose::from_translation([5.0, 0.0, 0.0])?;
    /// let found = tree.refined_distance(&tree, &apart, Limits::default(), &mut InnerSphereTreeCache::default());
    /// let found = found.ok_or("empty")?;
    /// assert!(found.upper() <= found.balls.upper && found.nearest.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refined_distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> Option<RefinedSeparation> {
        let balls = self.distance(other, self_from_other, limits, cache)?;
        let mut refined = RefinedSeparation {
            nearest: None,
            balls,
            outcome: balls.outcome,
        };
        let (Some(a), Some(b)) = (&self.faces, &other.faces) else {
            return Some(refined);
        };
        let face = |tree: &Self, ball: usize| tree.surfaces.get(ball).map(|s| s.face.raw());
        if balls.upper > 0.0
            && let (Some(face_a), Some(face_b)) =
                (face(self, balls.balls.0), face(other, balls.balls.1))
        {
            let mut walk = FaceWalk {
                a,
                b,
                a_from_b: self_from_other,
                limits,
                tests: cache.tests,
            };
            let found = walk.from((face_a, face_b), &mut cache.rings);
            cache.tests = walk.tests;
            if let Some((nearest, outcome)) = found {
                refined.nearest = Some(nearest).filter(|found| found.0.distance <= balls.upper);
                if outcome != Outcome::Complete {
                    refined.outcome = outcome;
                }
            }
        }
        Some(refined)
    }
}

/// Two meshes, and what of a budget is spent.
pub(super) struct FaceWalk<'w> {
    pub(super) a: &'w FaceRings,
    pub(super) b: &'w FaceRings,
    pub(super) a_from_b: &'w Pose,
    pub(super) limits: Limits<'w>,
    pub(super) tests: u64,
}

/// Steps of a walk; each goes to nearer faces, so none is taken twice.
const MOST_STEPS: usize = 400;
/// What steps of a walk count as, in comparisons of two balls, by the time that they take: to place a face, and to measure two. Comparing two
/// boxes counts as one.
pub(super) const PLACE: u64 = 8;
pub(super) const MEASURE: u64 = 32;

impl FaceWalk<'_> {
    /// From a pair of faces to one that no pair of neighbours is nearer than, or to the nearest so far when the budget ends.
    pub(super) fn from(
        &mut self,
        start: (u32, u32),
        rings: &mut FaceNeighbourhood,
    ) -> Option<((Separation, FacePair), Outcome)> {
        let mut at = start;
        let pose = Some(self.a_from_b);
        let first = (self.a.place(start.0, None)?, self.b.place(start.1, pose)?);
        let mut best = triangle_distance(&first.0.corners, &first.1.corners);
        self.tests += 2 * PLACE + MEASURE;
        let mut outcome = Outcome::Complete;
        'walk: for _ in 0..MOST_STEPS {
            if self.is_over() {
                outcome = Outcome::OutOfBudget;
                break;
            }
            let from = at;
            self.a.ring(from.0, None, MOST_AROUND, &mut rings.a);
            self.b.ring(from.1, pose, MOST_AROUND, &mut rings.b);
            self.tests += PLACE * (rings.a.len() + rings.b.len()) as u64;
            for x in &rings.a {
                if self.is_over() {
                    outcome = Outcome::OutOfBudget;
                    break 'walk;
                }
                self.tests += rings.b.len() as u64;
                for y in &rings.b {
                    if (x.face, y.face) == from || x.gap_sq(y) >= best.distance * best.distance {
                        continue;
                    }
                    self.tests += MEASURE;
                    let found = triangle_distance(&x.corners, &y.corners);
                    if found.distance < best.distance {
                        best = found;
                        at = (x.face, y.face);
                    }
                }
            }
            if at == from {
                break;
            }
        }
        let faces = FacePair {
            a: FaceId::new(at.0),
            b: FaceId::new(at.1),
        };
        Some(((best, faces), outcome))
    }

    pub(super) fn is_over(&self) -> bool {
        !self.limits.allows(self.tests) || self.limits.is_stopped()
    }
}
