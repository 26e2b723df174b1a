//! Penetration depth of two convex shapes by the expanding polytope algorithm (EPA).
//!
//! **Question.** What is the shortest translation of `b` that leaves the two without common interior points?
//! **Idea.** It is the shortest vector from the origin to the boundary of the Minkowski difference `{p − q}`. A convex polytope
//! inside the difference is expanded where its boundary is nearest to the origin. The nearest face bounds the depth from
//! below, because the polytope is inside the difference; the support plane in any direction bounds it from above. The
//! polytope is a hull with exact signs, so it stays convex and closed whatever the rounding.
//! Smooth shapes are [shrunk](super::shrunk) first, as far as their curvature allows. For contacts of curved shapes a few
//! expansions find the region, and [Newton's method](super::stationary_plane) the plane.
//! **Source.** Van den Bergen 2001, *Proximity queries and penetration depth computation on 3D game objects*; the exact
//! topology, the start from any simplex, and the bounds are ours.
//! **Cost.** A support point and a scan of the faces per step; polyhedra end at the right face, round shapes approach
//! it.
//! **Promise.** `lower ≤ depth ≤ upper` at every end, the [cap](MAX_EXPANSIONS) included, up to rounding that both bounds
//! include. No panic, no endless loop, for flat and degenerate shapes too.

use glam::DVec3;

use super::cache::GjkCache;
use super::gjk::{GjkStart, start};
use super::hull::HullBuilder;
use super::shrunk::Shrunk;
use super::simplex::{Simplex, SimplexVertex};
use super::stationary_plane::stationary_plane;
use super::support_map::{SupportMap, compiled_once};
use crate::geom::closest_point_on_triangle;
use crate::math::{Pose, orient3d};
use crate::query::{Bounded, Outcome};

/// Support points that may be added to the polytope.
pub const MAX_EXPANSIONS: u32 = 192;

/// The bounds agree when they differ by less than this fraction of the size of the shapes.
const AGREEMENT: f64 = 1e-13;

/// The gap below which an answer counts as complete.
const COMPLETE: f64 = 1e-6;

/// A face is as far out as its rounded normal can tell when the support plane is not farther than this beyond it.
const REACHED: f64 = 1e-11;

/// Support planes that differ by less than this count as one.
const SAME: f64 = 1e-13;

/// The part of the size below which a distance of two smooth cores does not tell their normal.
const BLURRED: f64 = 1e-6;

/// How far the support plane may be beyond a face whose points are still moved out to it.
const NEARBY: f64 = 1e-4;

/// The squared sine from which on the corners of a face tell its plane, and the distance from which on the origin is behind it for
/// certain.
const WELL_SHAPED_SQ: f64 = 1e-5;
const CLEARLY_BEHIND: f64 = 1e-6;

/// Support points that may be added for a contact of curved shapes.
const MAX_CONTACT_EXPANSIONS: u32 = 96;

/// The first expansion after which Newton's method is tried; then after twice as many each.
const NEWTON_FROM: u32 = 4;

/// The gap between the bounds, beside the depth and beside the size, at which a contact of curved shapes is found: where the support plane is
/// stationary, and where it is not.
const STATIONARY_GAP: [f64; 2] = [1e-2, 1e-7];
const CONTACT_GAP: [f64; 2] = [1e-6, 1e-9];

/// What a depth is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EpaGoal {
    /// Bounds that agree.
    Bounds,
    /// A normal and points: bounds of curved shapes may stay open.
    Contact,
}

/// The penetration depth of two shapes, the separating direction, and the points that touch last.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "EPA")]
#[doc(alias = "MTV")]
#[doc(alias = "penetration depth")]
pub struct ConvexPenetration {
    /// The length of the shortest translation that separates them.
    pub depth: f64,
    /// The unit direction in which `b` leaves, from `a` to `b`.
    pub normal: DVec3,
    /// A point of `a` deepest in `b`.
    pub point_a: DVec3,
    /// A point of `b` deepest in `a`, in the frame of `a`; `point_a - point_b` is the translation.
    pub point_b: DVec3,
}

/// The penetration depth of the placed shapes, or none when they are proven apart.
///
/// ```
/// use impinge::{DVec3, Pose, convex::{Cuboid, GjkCache, penetration}};
/// let cube = Cuboid::new([1.0, 1.0, 1.0])?;
/// let pose = Pose::from_translation([0.25, 0.0, 1.5])?;
/// let found = penetration(&cube, &cube, &pose, &mut GjkCache::new()).ok_or("apart")?;
/// assert!((found.value.depth - 0.5).abs() < 1e-13);
/// assert!((found.value.normal - DVec3::Z).length() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "EPA")]
#[doc(alias = "expanding polytope")]
#[doc(alias = "MTV")]
#[doc(alias = "penetration depth")]
#[doc(alias = "minimum translation")]
#[doc(alias = "Minkowski sum")]
pub fn penetration<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Option<Bounded<ConvexPenetration>> {
    found_for(EpaGoal::Bounds, a, b, a_from_b, cache)
}

/// As [`penetration`], for contacts: of curved shapes the normal and the depth are as good, the bounds are not.
pub(crate) fn contact_penetration<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Option<ConvexPenetration> {
    found_for(EpaGoal::Contact, a, b, a_from_b, cache).map(|found| found.value)
}

fn found_for<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    goal: EpaGoal,
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Option<Bounded<ConvexPenetration>> {
    if a.curvature_radius() + b.curvature_radius() > 0.0 {
        let (core_a, core_b) = (Shrunk::new(a), Shrunk::new(b));
        let start = start(&core_a, &core_b, a_from_b, cache);
        let size = a.extent().outer + b.extent().outer;
        // Where the smaller cores all but touch, the direction between them is rounding.
        if !matches!(&start, GjkStart::Shallow { cores, .. } if cores.v.length() <= BLURRED * size)
        {
            return finish(goal, start, &core_a, &core_b, a_from_b, cache);
        }
    }
    let start = start(a, b, a_from_b, cache);
    finish(goal, start, a, b, a_from_b, cache)
}

/// The penetration depth from where GJK ended.
fn finish<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    goal: EpaGoal,
    start: GjkStart,
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Option<Bounded<ConvexPenetration>> {
    compiled_once!(a, b);
    finished(goal, start, a, b, a_from_b, cache)
}

fn finished<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    goal: EpaGoal,
    start: GjkStart,
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Option<Bounded<ConvexPenetration>> {
    let radii = a.radius() + b.radius();
    match start {
        GjkStart::Apart => None,
        GjkStart::Shallow {
            cores,
            lower,
            upper,
        } => {
            let normal = -cores.v.try_normalize()?;
            let [core_a, core_b] = cores.points;
            Some(Bounded {
                value: ConvexPenetration {
                    depth: (radii - cores.v.length()).max(0.0),
                    normal,
                    point_a: core_a + normal * a.radius(),
                    point_b: core_b - normal * b.radius(),
                },
                lower: (radii - upper).max(0.0),
                upper: radii - lower,
                outcome: Outcome::Complete,
            })
        }
        GjkStart::Deep {
            simplex,
            scale,
            slack,
        } => {
            let place = EpaPlace {
                pose: a_from_b,
                scale,
                slack,
            };
            Some(Epa::new(a, b, place, &simplex, &mut cache.scratch.get().epa).run(goal))
        }
    }
}

/// The polytope's face nearest to the origin and the support plane beyond it.
#[derive(Clone, Copy, Debug)]
struct BestFace {
    normal: DVec3,
    height: f64,
    /// The distance of the face.
    foot: f64,
    /// The points of the face's foot, and those of the support plane.
    points: FootPoints,
    ends: [DVec3; 2],
}

/// The points of a foot, or the face to find them in: only the last best face needs them.
#[derive(Clone, Copy, Debug)]
enum FootPoints {
    Of([u32; 3]),
    At([DVec3; 2]),
}

impl BestFace {
    /// Points of the cores that are as far past one another along the normal as the support plane is high: the foot of the face, moved out where
    /// a round body lies a little beyond it; else the points of the support plane.
    fn cores(&self, points: [DVec3; 2], scale: f64) -> [DVec3; 2] {
        let [p, q] = points;
        let missing = self.height.max(0.0) - self.normal.dot(p - q) * scale;
        if missing.abs() <= REACHED {
            return points;
        }
        if missing.abs() > NEARBY {
            return self.ends;
        }
        let half = self.normal * (0.5 * missing / scale);
        [p + half, q - half]
    }
}

/// Memory of EPA, kept between queries so that they do not allocate.
#[derive(Debug, Default)]
pub(super) struct EpaScratch {
    pub(super) corners: Vec<SimplexVertex>,
    pub(super) polytope: HullBuilder,
    /// Every face ever made, and its rank in the order of growing: infinite for those that are gone or given up.
    pub(super) faces: Vec<PolytopeFace>,
    pub(super) ranks: Vec<f64>,
    given_up: Vec<u32>,
}

impl EpaScratch {
    fn forget_faces(&mut self) {
        self.faces.clear();
        self.ranks.clear();
        self.given_up.clear();
    }

    /// The face that is next to grow, the first of equals, and its rank.
    pub(super) fn next_to_grow(&self) -> Option<(usize, f64)> {
        let mut next = (usize::MAX, f64::INFINITY);
        for (face, &rank) in self.ranks.iter().enumerate() {
            if rank < next.1 {
                next = (face, rank);
            }
        }
        (next.0 != usize::MAX).then_some(next)
    }

    /// Leaves a face as it is: its normal is too bad to grow from.
    pub(super) fn give_up(&mut self, face: usize) {
        self.ranks[face] = f64::INFINITY;
        self.given_up.push(face as u32);
    }

    /// The least distance of faces that were given up and still bound the polytope.
    fn border_given_up(&self) -> f64 {
        let still_there = self.given_up.iter().map(|&face| face as usize);
        still_there
            .filter(|&face| self.polytope.face(face).is_some())
            .map(|face| self.faces[face].distance)
            .fold(f64::INFINITY, f64::min)
    }
}

/// Where `b` stands, the scale of differences, and what rounding may have moved them by, scaled.
pub(super) struct EpaPlace<'s> {
    pub(super) pose: &'s Pose,
    pub(super) scale: f64,
    pub(super) slack: f64,
}

/// A polytope of differences that grows.
pub(super) struct Epa<'s, A: ?Sized, B: ?Sized> {
    a: &'s A,
    b: &'s B,
    pose: &'s Pose,
    scale: f64,
    pub(super) slack: f64,
    pub(super) scratch: &'s mut EpaScratch,
}

/// A face and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolytopeFace {
    /// Distance of the face from the origin, negative when the origin lies before it.
    pub(super) distance: f64,
    pub(super) normal: DVec3,
}

impl PolytopeFace {
    /// In the place of a face that is gone.
    const GONE: Self = Self {
        distance: f64::INFINITY,
        normal: DVec3::ZERO,
    };
}

impl<'s, A: SupportMap + ?Sized, B: SupportMap + ?Sized> Epa<'s, A, B> {
    /// EPA from the differences of a simplex on.
    pub(super) fn new(
        a: &'s A,
        b: &'s B,
        place: EpaPlace<'s>,
        simplex: &Simplex,
        scratch: &'s mut EpaScratch,
    ) -> Self {
        scratch.corners.clear();
        scratch.corners.extend_from_slice(simplex.corners());
        Self {
            a,
            b,
            pose: place.pose,
            scale: place.scale,
            slack: place.slack,
            scratch,
        }
    }

    /// The difference farthest along a direction.
    pub(super) fn farthest(&self, direction: DVec3) -> SimplexVertex {
        let p = self.a.support_certain(direction);
        let q = self
            .b
            .support_certain(self.pose.rotation().transpose() * -direction);
        let point_b = *self.pose * q.point;
        SimplexVertex {
            y: (p.point - point_b) * self.scale,
            point_a: p.point,
            point_b,
            vertices: [p.vertex, q.vertex],
        }
    }

    pub(super) fn plane(&self, corners: [u32; 3]) -> PolytopeFace {
        let y = corners.map(|i| self.scratch.corners[i as usize].y);
        let cross = (y[1] - y[0]).cross(y[2] - y[0]);
        let sides = (y[1] - y[0]).length_squared() * (y[2] - y[0]).length_squared();
        let cross_sq = cross.length_squared();
        if cross_sq > WELL_SHAPED_SQ * sides {
            let normal = cross / cross_sq.sqrt();
            let distance = normal.dot(y[0]);
            // The nearest plane of all holds the foot of the origin in its face.
            if distance > CLEARLY_BEHIND {
                return PolytopeFace { distance, normal };
            }
        }
        let nearest = closest_point_on_triangle(DVec3::ZERO, &y);
        // The foot tells the direction of a sliver better than its sides do.
        let outward = if cross_sq > 1e-12 * sides {
            cross
        } else if nearest.point.dot(cross) < 0.0 {
            -nearest.point
        } else {
            nearest.point
        };
        let is_before = orient3d(y[0], y[1], y[2], DVec3::ZERO).is_negative();
        PolytopeFace {
            distance: if is_before {
                -nearest.distance
            } else {
                nearest.distance
            },
            normal: outward.try_normalize().unwrap_or(DVec3::X),
        }
    }

    /// The weights of the point of a face that is nearest to the origin.
    pub(super) fn foot(&self, corners: [u32; 3]) -> [f64; 3] {
        let y = corners.map(|i| self.scratch.corners[i as usize].y);
        closest_point_on_triangle(DVec3::ZERO, &y).barycentric
    }

    /// Begins with the tetrahedron that GJK ended with, if there is one, and else as [`begin`](Self::begin).
    fn begin_with_simplex(&mut self) -> bool {
        self.scratch.forget_faces();
        let is_tetrahedron = self.scratch.corners.len() == 4;
        (is_tetrahedron && self.is_solid()) || self.begin()
    }

    /// Makes the polytope to begin with; false when all differences lie in a plane.
    pub(super) fn begin(&mut self) -> bool {
        self.scratch.forget_faces();
        for axis in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            self.add_corner(axis);
        }
        for _ in 0..3 {
            if self.is_solid() {
                return true;
            }
            // Flat so far: look along the directions across.
            for direction in across(&self.scratch.corners) {
                self.add_corner(direction);
                self.add_corner(-direction);
            }
        }
        self.is_solid()
    }

    /// Makes the hull of the differences; false when it is flat.
    fn is_solid(&mut self) -> bool {
        let EpaScratch {
            corners, polytope, ..
        } = &mut *self.scratch;
        polytope.begin_with(corners.iter().map(|corner| corner.y))
    }

    /// Measures faces that are new, ranks them, and forgets those that the point added last replaced.
    pub(super) fn update_faces(&mut self, rank: impl Fn(&Self, &PolytopeFace, [u32; 3]) -> f64) {
        let EpaScratch {
            polytope, ranks, ..
        } = &mut *self.scratch;
        for &face in polytope.replaced() {
            if let Some(rank) = ranks.get_mut(face as usize) {
                *rank = f64::INFINITY;
            }
        }
        for face in self.scratch.faces.len()..self.scratch.polytope.face_count() {
            let (plane, own) = match self.scratch.polytope.face(face) {
                Some(corners) => {
                    let plane = self.plane(corners);
                    (plane, rank(self, &plane, corners))
                }
                None => (PolytopeFace::GONE, f64::INFINITY),
            };
            self.scratch.faces.push(plane);
            self.scratch.ranks.push(own);
        }
    }

    /// The points of `a` and `b` that the weights of a face describe.
    pub(super) fn points(&self, corners: [u32; 3], weights: [f64; 3]) -> [DVec3; 2] {
        let mut points = [DVec3::ZERO; 2];
        for (&i, weight) in corners.iter().zip(weights) {
            points[0] += self.scratch.corners[i as usize].point_a * weight;
            points[1] += self.scratch.corners[i as usize].point_b * weight;
        }
        points
    }

    fn run(mut self, goal: EpaGoal) -> Bounded<ConvexPenetration> {
        let is_solid = match goal {
            EpaGoal::Bounds => self.begin(),
            EpaGoal::Contact => self.begin_with_simplex(),
        };
        if !is_solid {
            return self.flat();
        }
        let is_curved = [self.a.vertex_count(), self.b.vertex_count()].contains(&None);
        let is_contact = goal == EpaGoal::Contact && is_curved;
        let most = if is_contact {
            MAX_CONTACT_EXPANSIONS
        } else {
            MAX_EXPANSIONS
        };
        let mut is_stationary = false;
        let mut best: Option<BestFace> = None;
        let mut lower: f64 = 0.0;
        for step in 1..=most {
            self.update_faces(|_, plane, _| plane.distance);
            let Some((face, nearest)) = self.scratch.next_to_grow() else {
                break;
            };
            let plane = self.scratch.faces[face];
            let corners = self.scratch.polytope.face(face).unwrap_or([0; 3]);
            lower = lower.max(nearest.min(self.scratch.border_given_up()));
            let corner = self.farthest(plane.normal);
            let height = plane.normal.dot(corner.y);
            // A face farther in may have had the same support plane; its foot is not the one that touches last.
            let is_better = |best: BestFace| {
                height < best.height || (height <= best.height + SAME && plane.distance > best.foot)
            };
            if best.is_none_or(is_better) {
                best = Some(BestFace {
                    normal: plane.normal,
                    height,
                    foot: plane.distance,
                    points: FootPoints::Of(corners),
                    ends: [corner.point_a, corner.point_b],
                });
                is_stationary = false;
            }
            let is_due = step.is_power_of_two() && step >= NEWTON_FROM && !is_stationary;
            if is_contact
                && is_due
                && let Some(found) = best.and_then(|best| self.stationary(best))
            {
                best = Some(found);
                is_stationary = true;
            }
            // No support plane beyond the other faces is nearer.
            let is_done = |best: BestFace| {
                let gap = best.height - plane.distance;
                let [of_depth, of_size] = if is_stationary {
                    STATIONARY_GAP
                } else {
                    CONTACT_GAP
                };
                gap <= AGREEMENT || (is_contact && gap <= of_depth * best.height + of_size)
            };
            if best.is_some_and(is_done) {
                break;
            }
            self.scratch.corners.push(corner);
            if !self.scratch.polytope.add(corner.y, face) {
                // Nothing lies beyond this face as far as its rounded normal can tell.
                if height - plane.distance <= REACHED {
                    break;
                }
                // A sliver, perhaps; its neighbours grow.
                self.scratch.give_up(face);
            }
        }
        match best {
            Some(best) => self.answer(best, lower),
            None => self.flat(),
        }
    }

    /// A stationary support plane near the best one, if it is not higher.
    fn stationary(&self, best: BestFace) -> Option<BestFace> {
        let found = stationary_plane(best.normal, &|direction| self.farthest(direction))?;
        let points = [found.corner.point_a, found.corner.point_b];
        (found.height <= best.height + SAME).then_some(BestFace {
            normal: found.normal,
            height: found.height,
            foot: found.height,
            points: FootPoints::At(points),
            ends: points,
        })
    }

    fn add_corner(&mut self, direction: DVec3) {
        let corner = self.farthest(direction);
        if self.scratch.corners.iter().all(|own| own.y != corner.y) {
            self.scratch.corners.push(corner);
        }
    }

    /// The answer for a Minkowski difference without inside: depth 0, up to rounding, across it.
    fn flat(&self) -> Bounded<ConvexPenetration> {
        let mut best: Option<BestFace> = None;
        for direction in across(&self.scratch.corners).flat_map(|d| [d, -d]) {
            let corner = self.farthest(direction);
            let height = direction.dot(corner.y);
            if best.is_none_or(|best| height < best.height) {
                best = Some(BestFace {
                    normal: direction,
                    height,
                    foot: 0.0,
                    points: FootPoints::At([corner.point_a, corner.point_b]),
                    ends: [corner.point_a, corner.point_b],
                });
            }
        }
        let fallback = BestFace {
            normal: DVec3::X,
            height: 0.0,
            foot: 0.0,
            points: FootPoints::At([self.a.center(); 2]),
            ends: [self.a.center(); 2],
        };
        self.answer(best.unwrap_or(fallback), 0.0)
    }

    fn answer(&self, best: BestFace, lower: f64) -> Bounded<ConvexPenetration> {
        let (radius_a, radius_b) = (self.a.radius(), self.b.radius());
        let radii = radius_a + radius_b;
        let rounding = (self.slack + 8.0 * f64::EPSILON) / self.scale + 8.0 * f64::EPSILON * radii;
        let upper = best.height.max(0.0) / self.scale + radii;
        let points = match best.points {
            FootPoints::Of(corners) => self.points(corners, self.foot(corners)),
            FootPoints::At(points) => points,
        };
        let [core_a, core_b] = best.cores(points, self.scale);
        Bounded {
            value: ConvexPenetration {
                depth: upper,
                normal: best.normal,
                point_a: core_a + best.normal * radius_a,
                point_b: core_b - best.normal * radius_b,
            },
            lower: (lower.max(0.0) / self.scale + radii - rounding).max(0.0),
            upper: upper + rounding,
            outcome: if best.height - lower <= COMPLETE {
                Outcome::Complete
            } else {
                Outcome::OutOfBudget
            },
        }
    }
}

/// Unit directions across the plane or line that holds the differences: one, two or three.
fn across(corners: &[SimplexVertex]) -> impl Iterator<Item = DVec3> + use<> {
    let origin = corners.first().map_or(DVec3::ZERO, |corner| corner.y);
    let longest = |measure: &dyn Fn(DVec3) -> DVec3| {
        corners
            .iter()
            .map(|corner| measure(corner.y - origin))
            .fold(DVec3::ZERO, |best: DVec3, v| {
                if v.length_squared() > best.length_squared() {
                    v
                } else {
                    best
                }
            })
    };
    let along = longest(&|d| d);
    let normal = longest(&|d| along.cross(d));
    let (directions, count) = match (normal.try_normalize(), along.try_normalize()) {
        (Some(normal), _) if normal.is_finite() => ([normal; 3], 1),
        (_, Some(along)) => {
            let side = along.any_orthonormal_vector();
            ([side, along.cross(side), along], 2)
        }
        _ => (DVec3::AXES, 3),
    };
    directions.into_iter().take(count)
}
