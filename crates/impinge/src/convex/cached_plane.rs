//! Cached separating plane of a moving pair.
//!
//! **Question.** Are two polyhedra still apart, now that they moved a little?
//! **Idea.** The last plane is kept, and the vertex of each polyhedron nearest to it. Hill climbing
//! starts at these vertices; on a convex solid, a vertex without a better neighbour is the best. If
//! both are on their sides, the plane still separates, at a cost that does not grow with the
//! solids. If not, the plane is corrected by these two vertices a few times, as by the perceptron
//! rule. If that fails, the nearest points give a new plane, or show that there is none.
//! **Source.** Zachmann 1994, sections 3.4 and 3.3 (plane pulling); there future work. The exact
//! finish is ours.
//! **Promise.** The answer is that of [`intersects`](super::intersects()). Hill climbing is not
//! used for a gap below a millionth of the size, or below the rounding error of a climb on these
//! solids (`hill_climbing.rs`).

use glam::DVec3;

use super::cache::{GjkCache, NEAR};
use super::gjk::{distance, intersects};
use super::pair_setup::PairSetup;
use super::polyhedron::Polyhedron;
use super::primitives::Segment;
use super::support_map::SupportMap;
use crate::math::Pose;

/// A plane: points `x` with `normal · x = offset`. It separates when `a` is below and `b` above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparatingPlane {
    /// The direction from `a` to `b`, of any length but zero.
    pub normal: DVec3,
    /// Where it lies along the normal.
    pub offset: f64,
}

/// Corrections of a plane before the search begins again.
const MAX_CORRECTIONS: u32 = 8;

/// Gap, in units of the size, below which walking alone does not decide.
const CLEAR: f64 = 1e-6;

/// The cached separating plane of a pair, in the frame of `a`.
#[derive(Clone, Debug, Default)]
#[doc(alias = "separating plane")]
#[doc(alias = "temporal coherence")]
pub struct CachedPlane {
    normal: Option<DVec3>,
    /// Where `b` stood at the last query.
    stood: Option<Pose>,
    hints: [u32; 2],
    gjk: GjkCache,
    products: u64,
    kept: u64,
    renewed: u64,
}

impl CachedPlane {
    /// A pair without a plane yet.
    ///
    /// ```
    /// use impinge::convex::CachedPlane;
    /// assert_eq!(CachedPlane::new().kept(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Products of a direction with a vertex, over all queries.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, CachedPlane}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut plane = CachedPlane::new();
    /// assert!(!plane.intersects(&corner, &corner, &Pose::from_translation([2.0, 0.0, 0.0])?));
    /// assert!(plane.products() < 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn products(&self) -> u64 {
        self.products
    }

    /// Queries answered by the cached plane, corrected or not.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, CachedPlane}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut plane = CachedPlane::new();
    /// assert!(!plane.intersects(&corner, &corner, &Pose::from_translation([2.0, 0.0, 0.0])?));
    /// assert_eq!(plane.kept(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Queries that needed a new search.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, CachedPlane}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut plane = CachedPlane::new();
    /// assert!(!plane.intersects(&corner, &corner, &Pose::from_translation([2.0, 0.0, 0.0])?));
    /// assert_eq!(plane.renewed(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn renewed(&self) -> u64 {
        self.renewed
    }

    /// The same answer as [`intersects`](Self::intersects); if spheres inside or around the polyhedra decide, no plane is tested.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, CachedPlane}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut plane = CachedPlane::new();
    /// assert!(!plane.meets(&corner, &corner, &Pose::from_translation([9.0, 0.0, 0.0])?));
    /// assert_eq!(plane.kept() + plane.renewed(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn meets(&mut self, a: &Polyhedron, b: &Polyhedron, a_from_b: &Pose) -> bool {
        let by_balls = PairSetup::new(a, b, a_from_b).by_balls();
        by_balls.unwrap_or_else(|| self.intersects(a, b, a_from_b))
    }

    /// Whether the placed polyhedra share a point; touching counts.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Polyhedron, CachedPlane}};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let mut plane = CachedPlane::new();
    /// for step in 0..10 {
    ///     let pose = Pose::from_translation([2.0, 0.1 * f64::from(step), 0.0])?;
    ///     assert!(!plane.intersects(&corner, &corner, &pose));
    /// }
    /// assert_eq!((plane.kept(), plane.renewed()), (9, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn intersects(&mut self, a: &Polyhedron, b: &Polyhedron, a_from_b: &Pose) -> bool {
        let is_near = self.stood.replace(*a_from_b).is_some_and(|stood| {
            let size =
                a.bounds().half_extent().max_element() + b.bounds().half_extent().max_element();
            let moved = (a_from_b.translation() - stood.translation()).abs();
            let turned = |k: usize| (a_from_b.rotation().col(k) - stood.rotation().col(k)).abs();
            moved.max_element() <= NEAR * size && turned(0).max(turned(1)).max_element() <= NEAR
        });
        if let Some(normal) = self.normal
            && is_near
            && self.still_separates(a, b, a_from_b, normal)
        {
            self.kept += 1;
            return false;
        }
        self.renewed += 1;
        let before = self.gjk.steps();
        let meets = intersects(a, b, a_from_b, &mut self.gjk);
        let per_step = (a.vertices().len() + b.vertices().len()) as u64;
        self.products += (self.gjk.steps() - before) * per_step;
        self.normal = if meets {
            None
        } else {
            self.gjk.direction().map(|v| -v)
        };
        meets
    }

    fn still_separates(
        &mut self,
        a: &Polyhedron,
        b: &Polyhedron,
        pose: &Pose,
        first: DVec3,
    ) -> bool {
        let Some(mut normal) = first.try_normalize() else {
            return false;
        };
        let size = a.bounds().half_extent().max_element() + b.bounds().half_extent().max_element();
        let far = |p: DVec3| p.abs().max_element();
        let coordinates = far(a.bounds().min).max(far(a.bounds().max))
            + far(b.bounds().min).max(far(b.bounds().max))
            + far(pose.translation());
        let clear = CLEAR * size
            + 64.0 * f64::EPSILON * coordinates
            + a.hill_climbing_error()
            + b.hill_climbing_error();
        for _ in 0..MAX_CORRECTIONS {
            let p = self.climb(a, normal, 0);
            let q = *pose * self.climb(b, pose.rotation().transpose() * -normal, 1);
            let gap = normal.dot(q - p);
            if gap > clear {
                self.normal = Some(normal);
                return true;
            }
            // Both extreme points are on the wrong side of each other: turn the plane by them.
            let Some(next) = (normal * (size.max(f64::MIN_POSITIVE)) + (q - p)).try_normalize()
            else {
                return false;
            };
            normal = next;
        }
        false
    }

    fn climb(&mut self, shape: &Polyhedron, direction: DVec3, side: usize) -> DVec3 {
        let vertices = shape.vertices();
        let mut vertex = self.hints[side];
        if vertex as usize >= vertices.len() {
            vertex = 0;
        }
        let mut along = vertices[vertex as usize].dot(direction);
        self.products += 1;
        // Every step is strictly better, so no vertex comes twice.
        for _ in 0..vertices.len() {
            let mut better = vertex;
            for &next in shape.neighbours(vertex) {
                self.products += 1;
                let own = vertices[next as usize].dot(direction);
                if own > along {
                    (along, better) = (own, next);
                }
            }
            if better == vertex {
                break;
            }
            vertex = better;
        }
        self.hints[side] = vertex;
        vertices[vertex as usize]
    }
}

/// The supporting plane of `a` moved as far as possible towards a point outside: through the
/// nearest point of `a`, perpendicular to the connecting line. None when the point lies in `a` or
/// is not valid.
///
/// ```
/// use impinge::{DVec3, convex::{Polyhedron, plane_from_witnesses}};
/// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let plane = plane_from_witnesses(&corner, DVec3::splat(1.0)).ok_or("inside")?;
/// assert!((plane.normal - DVec3::splat(1.0).normalize()).length() < 1e-12);
/// assert!(plane_from_witnesses(&corner, DVec3::splat(0.1)).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn plane_from_witnesses(a: &Polyhedron, point: DVec3) -> Option<SeparatingPlane> {
    let target = Segment::new(point, point).ok()?;
    let found = distance(a, &target, &Pose::IDENTITY, &mut GjkCache::new()).value;
    if found.distance <= 0.0 {
        return None;
    }
    let normal = (point - found.point_a).try_normalize()?;
    Some(SeparatingPlane {
        normal,
        offset: normal.dot(found.point_a),
    })
}
