//! Depth of convex parts in closed form.
//!
//! **Question.** How deep is the deepest surface point of one convex part inside another?
//!
//! **Idea.** Inside a convex solid the depth of a point is its smallest distance from the planes of
//! the faces. On a triangle of the other surface, the points for which one given plane is the
//! nearest form a convex polygon, because the distances are linear; so the depth is largest at a
//! corner of one of those polygons. Each polygon is found by clipping the triangle. Triangles,
//! planes and polygons that cannot exceed the best depth so far are skipped, so that a plateau
//! costs no more than a peak.
//!
//! **Cost.** For two boxes some hundred clips; O(faces · planes²) at worst, which [`MAX_PLANES`]
//! bounds.
//! **Promise.** The value is exact up to rounding and to the deviation of a nearly convex part from
//! its hull; [`ConvexDepth::off`] bounds both.

use glam::DVec3;

use crate::bvh::SolidFacts;
use crate::convex::{Polyhedron, SatCache, polyhedra_depth};
use crate::math::Pose;
use crate::mesh::TriMesh;

/// Parts with more vertices are not looked at: branch and bound is as good there.
const MAX_VERTICES: usize = 160;
/// Parts with more planes are left to branch and bound.
const MAX_PLANES: usize = 96;
/// A vertex farther before the plane of a face than this share of the size makes a part not convex.
const NEARLY: f64 = 1e-6;
/// Planes that differ by less than this share of the size at every vertex are one.
const SAME_PLANE: f64 = 16.0 * f64::EPSILON;
/// Rounding of places, as a share of the largest coordinate on the way.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A plane with the solid behind it.
#[derive(Clone, Copy, Debug)]
struct FacePlane {
    normal: DVec3,
    height: f64,
}

impl FacePlane {
    /// How far a point is behind the plane.
    fn depth(&self, p: DVec3) -> f64 {
        self.height - self.normal.dot(p)
    }

    fn placed(&self, pose: &Pose) -> Self {
        let normal = pose.transform_vector(self.normal);
        Self {
            normal,
            height: self.height + normal.dot(pose.translation()),
        }
    }
}

/// The planes of a convex part, in its own frame.
#[derive(Debug)]
pub(super) struct ConvexPart {
    planes: Vec<FacePlane>,
    /// No point of the hull is farther than this from the part.
    lack: f64,
    /// The largest coordinate.
    reach: f64,
}

/// A depth of two convex parts, in the frame of `a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvexDepth {
    /// How deep; 0 or less when no surface point of one is inside the other.
    pub(super) depth: f64,
    /// What it may be off by.
    pub(super) off: f64,
    /// The deepest point and the nearest point of the other surface.
    pub(super) points: [DVec3; 2],
    /// Whether the deepest point is one of `a`.
    pub(super) is_point_of_a: bool,
}

impl ConvexPart {
    /// The planes of a closed mesh of one piece; none when it is not convex or has too many.
    pub(super) fn of(mesh: &TriMesh, facts: &SolidFacts) -> Option<Self> {
        if facts.samples.len() != 1 || mesh.vertex_count() > MAX_VERTICES {
            return None;
        }
        let points = mesh.positions();
        let bounds = mesh.bounds();
        let size = bounds.diagonal().length();
        let center = mesh
            .triangles()
            .map(|[p, q, r]| (p - bounds.min) + (q - bounds.min) + (r - bounds.min))
            .sum::<DVec3>()
            / (3 * mesh.face_count()).max(1) as f64
            + bounds.min;
        let mut planes: Vec<FacePlane> = Vec::new();
        let (mut beyond, mut nearest) = (0.0_f64, f64::INFINITY);
        for [p, q, r] in mesh.triangles() {
            let Some(normal) = (q - p).cross(r - p).try_normalize() else {
                continue;
            };
            let most = points
                .iter()
                .map(|&v| (v - p).dot(normal))
                .fold(0.0, f64::max);
            beyond = beyond.max(most);
            if beyond > NEARLY * size {
                return None;
            }
            nearest = nearest.min((p - center).dot(normal));
            let plane = FacePlane {
                normal,
                height: normal.dot(p) + most,
            };
            let is_known = |known: &FacePlane| {
                normal.dot(known.normal) > 0.5
                    && points
                        .iter()
                        .all(|&v| (plane.depth(v) - known.depth(v)).abs() <= SAME_PLANE * size)
            };
            if !planes.iter().any(is_known) {
                planes.push(plane);
            }
            if planes.len() > MAX_PLANES {
                return None;
            }
        }
        if planes.len() < 4 || nearest <= 0.0 {
            return None;
        }
        let radius = points
            .iter()
            .map(|&v| (v - center).length())
            .fold(0.0, f64::max);
        // Rounding of the heights themselves is no lack.
        let beyond = if beyond <= SAME_PLANE * size {
            0.0
        } else {
            beyond
        };
        Some(Self {
            planes,
            lack: beyond / (nearest + beyond) * radius + beyond,
            reach: bounds.min.abs().max(bounds.max.abs()).max_element(),
        })
    }

    /// The deepest surface point of one of two parts in the other.
    pub(super) fn deepest(
        parts: [&Self; 2],
        meshes: [&TriMesh; 2],
        a_from_b: &Pose,
    ) -> ConvexDepth {
        let [a, b] = parts;
        let planes_b: Vec<FacePlane> = b.planes.iter().map(|p| p.placed(a_from_b)).collect();
        let mut search = DeepestCorner::default();
        search.offer(meshes[0].triangles(), &planes_b);
        let (of_a, depth_of_a) = (search.best, search.depth);
        let placed = meshes[1].triangles();
        let placed = placed.map(|corners| corners.map(|p| a_from_b.transform_point(p)));
        search.offer(placed, &a.planes);
        let is_point_of_a = search.depth == depth_of_a;
        let points = if is_point_of_a { of_a } else { search.best };
        ConvexDepth {
            depth: search.depth,
            off: Self::off(parts, a_from_b),
            points,
            is_point_of_a,
        }
    }

    /// The smallest translation that makes two overlapping parts disjoint: its length and what that may be off by.
    pub(super) fn way_out(
        parts: [&Self; 2],
        meshes: [&TriMesh; 2],
        a_from_b: &Pose,
    ) -> Option<[f64; 2]> {
        let hull = |mesh: &TriMesh| Polyhedron::new(mesh.positions()).ok();
        let (a, b) = (hull(meshes[0])?, hull(meshes[1])?);
        let out = polyhedra_depth(&a, &b, a_from_b, &mut SatCache::new())?;
        Some([out.depth, Self::off(parts, a_from_b)])
    }

    fn off(parts: [&Self; 2], a_from_b: &Pose) -> f64 {
        let reach = parts[0].reach + parts[1].reach + a_from_b.translation().abs().max_element();
        parts[0].lack + parts[1].lack + (ROUNDING + 4.0 * a_from_b.deviation()) * reach
    }
}

/// The deepest point so far, with memory for clipping.
#[derive(Debug, Default)]
struct DeepestCorner {
    depth: f64,
    best: [DVec3; 2],
    polygon: Vec<DVec3>,
    clipped: Vec<DVec3>,
}

impl DeepestCorner {
    /// Searches triangles for a point deeper behind all planes.
    fn offer(&mut self, triangles: impl Iterator<Item = [DVec3; 3]>, planes: &[FacePlane]) {
        for corners in triangles {
            let most = |plane: &FacePlane| {
                let [p, q, r] = corners.map(|p| plane.depth(p));
                p.max(q).max(r)
            };
            if planes.iter().any(|plane| most(plane) <= self.depth) {
                continue;
            }
            for (own, nearest) in planes.iter().enumerate() {
                if most(nearest) > self.depth {
                    self.offer_cell(corners, own, *nearest, planes);
                }
            }
        }
    }

    /// Searches the part of a triangle where one plane is the nearest.
    fn offer_cell(
        &mut self,
        corners: [DVec3; 3],
        own: usize,
        nearest: FacePlane,
        planes: &[FacePlane],
    ) {
        self.polygon.clear();
        self.polygon.extend(corners);
        for (other, plane) in planes.iter().enumerate() {
            if other == own {
                continue;
            }
            self.clip(|p| plane.depth(p) - nearest.depth(p));
            let deepest = self.polygon.iter().map(|&p| nearest.depth(p));
            if deepest.fold(f64::NEG_INFINITY, f64::max) <= self.depth {
                return;
            }
        }
        for i in 0..self.polygon.len() {
            let p = self.polygon[i];
            let depth = nearest.depth(p);
            if depth > self.depth {
                self.depth = depth;
                self.best = [p, p + nearest.normal * depth];
            }
        }
    }

    /// Keeps what of the polygon has a value that is not negative.
    fn clip(&mut self, value: impl Fn(DVec3) -> f64) {
        self.clipped.clear();
        let Some(&last) = self.polygon.last() else {
            return;
        };
        let (mut from, mut at_from) = (last, value(last));
        for &to in &self.polygon {
            let at_to = value(to);
            if (at_from < 0.0) != (at_to < 0.0) && at_from != at_to {
                let t = (at_from / (at_from - at_to)).clamp(0.0, 1.0);
                self.clipped.push(from + (to - from) * t);
            }
            if at_to >= 0.0 {
                self.clipped.push(to);
            }
            (from, at_from) = (to, at_to);
        }
        std::mem::swap(&mut self.polygon, &mut self.clipped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::blocks;

    /// A box around the origin, of twelve faces.
    fn block(size: DVec3) -> TriMesh {
        blocks(&[(size * -0.5, size)])
    }

    fn octahedron() -> TriMesh {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let points = axes.iter().flat_map(|&axis| [axis, -axis]).collect();
        let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4]];
        let below = faces.map(|[p, q, _]| [q, p, 5]);
        TriMesh::new(points, [faces, below].concat()).unwrap()
    }

    fn convex(mesh: &TriMesh) -> Option<ConvexPart> {
        ConvexPart::of(mesh, &*SolidFacts::of(mesh)?)
    }

    #[test]
    fn boxes_have_six_planes_also_when_turned_and_a_notched_block_has_none() {
        let block = block(DVec3::new(3.0, 2.0, 0.25));
        let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::ZERO).unwrap();
        for mesh in [&block, &block.placed(&pose).unwrap()] {
            let part = convex(mesh).unwrap();
            assert!(part.planes.len() >= 6 && part.planes.len() <= 12);
            assert!(part.lack < 1e-13, "{}", part.lack);
        }
        assert_eq!(convex(&block).unwrap().planes.len(), 6);
        let mut points = block.positions().to_vec();
        points[0] *= 0.5;
        let dented = TriMesh::new(points, block.faces().to_vec()).unwrap();
        assert!(convex(&dented).is_none());
    }

    #[test]
    fn the_depth_is_that_of_the_deepest_of_many_sampled_points() {
        let ball = octahedron();
        let block = block(DVec3::new(3.0, 2.0, 0.5));
        let (p, q) = (convex(&ball).unwrap(), convex(&block).unwrap());
        for x in [0.0, 0.3, 0.9] {
            let turn =
                Pose::from_axis_angle(DVec3::new(1.0, x, 0.5), 1.0 + x, DVec3::ZERO).unwrap();
            let pose = Pose::from_translation([x, 0.2, 0.1]).unwrap() * turn;
            let found = ConvexPart::deepest([&p, &q], [&ball, &block], &pose);
            let planes_b: Vec<FacePlane> = q.planes.iter().map(|f| f.placed(&pose)).collect();
            let placed = block.placed(&pose).unwrap();
            let mut most = 0.0_f64;
            for (mesh, planes) in [(&ball, &planes_b), (&placed, &p.planes)] {
                for [a, b, c] in mesh.triangles() {
                    for i in 0..=60 {
                        for j in 0..=60 - i {
                            let (s, t) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                            let point = a + (b - a) * s + (c - a) * t;
                            let depth = planes.iter().map(|f| f.depth(point));
                            most = most.max(depth.fold(f64::INFINITY, f64::min));
                        }
                    }
                }
            }
            assert!(
                most > 0.0 && most <= found.depth + 1e-12,
                "{most} {found:?}"
            );
            assert!(found.depth <= most + 0.06, "{most} {found:?}");
            let between = (found.points[0] - found.points[1]).length();
            assert!((between - found.depth).abs() < 1e-12);
        }
    }
}
