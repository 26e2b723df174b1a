//! How deep two convex shapes are in one another.
//!
//! **Question.** What is the shortest translation of `b` that leaves the two without common interior points?
//! **Idea.** It is the shortest vector from the origin to the border of the difference body `{p − q}`. A convex polytope
//! inside that body grows towards it where its border is nearest to the origin. The nearest face bounds the depth from
//! below, because the polytope is inside the body; the support plane in any direction bounds it from above. The
//! polytope is a hull with exact signs, so it stays convex and closed whatever the rounding.
//! **Source.** Van den Bergen 2001, *Proximity queries and penetration depth computation on 3D game objects*; the exact
//! topology, the start from any simplex, and the bounds are ours.
//! **Cost.** A support point and a scan of the faces per step; polyhedra end at the right face, round shapes approach
//! it.
//! **Promise.** `lower ≤ depth ≤ upper` at every end, the [cap](MAX_EXPANSIONS) included, up to rounding that both bounds
//! include. No panic, no endless loop, for flat and degenerate shapes too.

use glam::DVec3;

use super::cache::GjkCache;
use super::gjk::{GjkStart, start};
use super::hull::{HullBuilder, growing};
use super::simplex::SimplexVertex;
use super::support_map::SupportMap;
use crate::geom::closest_point_on_triangle;
use crate::math::{Pose, orient3d};
use crate::query::{Bounded, Outcome};

/// Support points that may be added to the polytope.
pub const MAX_EXPANSIONS: u32 = 192;

/// The bounds agree when they differ by less than this part of the size of the shapes.
const AGREEMENT: f64 = 1e-13;

/// The gap below which an answer counts as complete.
const COMPLETE: f64 = 1e-6;

/// A face is as far out as its rounded normal can tell when the support plane is not farther than this beyond it.
const REACHED: f64 = 1e-11;

/// Support planes that differ by less than this count as one.
const SAME: f64 = 1e-13;

/// How far the support plane may be beyond a face whose points are still moved out to it.
const NEARBY: f64 = 1e-4;

/// How deep two shapes are in one another, the way out, and the points that touch last.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "EPA")]
#[doc(alias = "MTV")]
#[doc(alias = "penetration depth")]
pub struct ConvexPenetration {
    /// The length of the shortest translation that parts them.
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
pub fn penetration<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    cache: &mut GjkCache,
) -> Option<Bounded<ConvexPenetration>> {
    let radii = a.radius() + b.radius();
    match start(a, b, a_from_b, cache) {
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
            let growth = Epa {
                a,
                b,
                pose: a_from_b,
                scale,
                slack,
                corners: simplex.corners().to_vec(),
            };
            Some(growth.run())
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
    points: [DVec3; 2],
    ends: [DVec3; 2],
}

impl BestFace {
    /// Points of the cores that are as far past one another along the normal as the support plane is high: the foot of the face, moved out where
    /// a round body lies a little beyond it; else the points of the support plane.
    fn cores(&self, scale: f64) -> [DVec3; 2] {
        let [p, q] = self.points;
        let missing = self.height.max(0.0) - self.normal.dot(p - q) * scale;
        if missing.abs() <= REACHED {
            return self.points;
        }
        if missing.abs() > NEARBY {
            return self.ends;
        }
        let half = self.normal * (0.5 * missing / scale);
        [p + half, q - half]
    }
}

/// A polytope of differences that grows.
pub(super) struct Epa<'s, A: ?Sized, B: ?Sized> {
    pub(super) a: &'s A,
    pub(super) b: &'s B,
    pub(super) pose: &'s Pose,
    pub(super) scale: f64,
    pub(super) slack: f64,
    pub(super) corners: Vec<SimplexVertex>,
}

/// A face and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolytopeFace {
    /// Distance of the face from the origin, negative when the origin lies before it.
    pub(super) distance: f64,
    pub(super) normal: DVec3,
    pub(super) weights: [f64; 3],
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Epa<'_, A, B> {
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
        let y = corners.map(|i| self.corners[i as usize].y);
        let nearest = closest_point_on_triangle(DVec3::ZERO, &y);
        let cross = (y[1] - y[0]).cross(y[2] - y[0]);
        let sides = (y[1] - y[0]).length_squared() * (y[2] - y[0]).length_squared();
        // The foot tells the direction of a sliver better than its sides do.
        let outward = if cross.length_squared() > 1e-12 * sides {
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
            weights: nearest.barycentric,
        }
    }

    /// The polytope to begin with; none when all differences lie in a plane.
    pub(super) fn begin(&mut self) -> Option<HullBuilder> {
        for axis in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            self.add_corner(axis);
        }
        let mut polytope = growing(&self.differences());
        for _ in 0..3 {
            if polytope.is_some() {
                break;
            }
            // Flat so far: look along the directions across.
            for direction in across(&self.differences()) {
                self.add_corner(direction);
                self.add_corner(-direction);
            }
            polytope = growing(&self.differences());
        }
        polytope
    }

    fn differences(&self) -> Vec<DVec3> {
        self.corners.iter().map(|corner| corner.y).collect()
    }

    /// The points of `a` and `b` that the weights of a face describe.
    pub(super) fn points(&self, corners: [u32; 3], weights: [f64; 3]) -> [DVec3; 2] {
        let mut points = [DVec3::ZERO; 2];
        for (&i, weight) in corners.iter().zip(weights) {
            points[0] += self.corners[i as usize].point_a * weight;
            points[1] += self.corners[i as usize].point_b * weight;
        }
        points
    }

    fn run(mut self) -> Bounded<ConvexPenetration> {
        let Some(mut polytope) = self.begin() else {
            return self.flat(&self.differences());
        };
        let mut planes: Vec<PolytopeFace> = Vec::new();
        // Faces with a normal too bad to grow from, as slivers have; their neighbours grow.
        let mut is_left: Vec<bool> = Vec::new();
        let mut best: Option<BestFace> = None;
        let mut lower: f64 = 0.0;
        for _ in 0..MAX_EXPANSIONS {
            for face in planes.len()..polytope.face_count() {
                let corners = polytope.face(face).unwrap_or([0; 3]);
                planes.push(self.plane(corners));
                is_left.push(false);
            }
            let mut nearest: Option<(usize, [u32; 3])> = None;
            let mut border = f64::INFINITY;
            for (face, plane) in planes.iter().enumerate() {
                let Some(corners) = polytope.face(face) else {
                    continue;
                };
                border = border.min(plane.distance);
                if !is_left[face]
                    && nearest.is_none_or(|(other, _)| plane.distance < planes[other].distance)
                {
                    nearest = Some((face, corners));
                }
            }
            let Some((face, corners)) = nearest else {
                break;
            };
            let plane = planes[face];
            lower = lower.max(border);
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
                    points: self.points(corners, plane.weights),
                    ends: [corner.point_a, corner.point_b],
                });
            }
            // No support plane beyond the other faces is nearer.
            if best.is_some_and(|best| best.height - plane.distance <= AGREEMENT) {
                break;
            }
            self.corners.push(corner);
            if !polytope.add(corner.y, face) {
                // Nothing lies beyond this face as far as its rounded normal can tell.
                if height - plane.distance <= REACHED {
                    break;
                }
                is_left[face] = true;
            }
        }
        match best {
            Some(best) => self.answer(best, lower),
            None => self.flat(&self.differences()),
        }
    }

    fn add_corner(&mut self, direction: DVec3) {
        let corner = self.farthest(direction);
        if self.corners.iter().all(|own| own.y != corner.y) {
            self.corners.push(corner);
        }
    }

    /// The answer for a difference body without inside: depth 0, up to rounding, across it.
    fn flat(&self, ys: &[DVec3]) -> Bounded<ConvexPenetration> {
        let mut best: Option<BestFace> = None;
        for direction in across(ys).into_iter().flat_map(|d| [d, -d]) {
            let corner = self.farthest(direction);
            let height = direction.dot(corner.y);
            if best.is_none_or(|best| height < best.height) {
                best = Some(BestFace {
                    normal: direction,
                    height,
                    foot: 0.0,
                    points: [corner.point_a, corner.point_b],
                    ends: [corner.point_a, corner.point_b],
                });
            }
        }
        let fallback = BestFace {
            normal: DVec3::X,
            height: 0.0,
            foot: 0.0,
            points: [self.a.center(); 2],
            ends: [self.a.center(); 2],
        };
        self.answer(best.unwrap_or(fallback), 0.0)
    }

    fn answer(&self, best: BestFace, lower: f64) -> Bounded<ConvexPenetration> {
        let (radius_a, radius_b) = (self.a.radius(), self.b.radius());
        let radii = radius_a + radius_b;
        let rounding = (self.slack + 8.0 * f64::EPSILON) / self.scale + 8.0 * f64::EPSILON * radii;
        let upper = best.height.max(0.0) / self.scale + radii;
        let [core_a, core_b] = best.cores(self.scale);
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

/// Unit directions across the plane or line that holds the points: one or three.
fn across(points: &[DVec3]) -> Vec<DVec3> {
    let Some(&origin) = points.first() else {
        return DVec3::AXES.to_vec();
    };
    let longest = |measure: &dyn Fn(DVec3) -> DVec3| {
        points
            .iter()
            .map(|&p| measure(p - origin))
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
    match (normal.try_normalize(), along.try_normalize()) {
        (Some(normal), _) if normal.is_finite() => vec![normal],
        (_, Some(along)) => {
            let side = along.any_orthonormal_vector();
            vec![side, along.cross(side)]
        }
        _ => DVec3::AXES.to_vec(),
    }
}
