//! Support face: the face, edge or vertex of a convex part in a direction.
//!
//! **Idea.** Contact points are found between the polygons at which two parts face each other.
//! Round parts have a point, or where they are straight, a segment; the cap of a cylinder is an
//! octagon of points on its rim.

use glam::DVec3;

use super::convex_piece::ConvexPiece;
use crate::convex::{Convex, Feature, Polyhedron, SupportMap};
use crate::math::Pose;

/// Cosine above which a direction counts as that of a face.
pub(super) const ALONG: f64 = 1.0 - 1e-7;

/// Sine below which a direction counts as across a line.
const ACROSS: f64 = 1e-6;

/// Points on the rim that represent a cap.
const RIM_POINTS: u32 = 8;

/// Where they are on the unit circle.
const RIM_DIRECTIONS: [[f64; 2]; RIM_POINTS as usize] = {
    const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        [1.0, 0.0],
        [HALF, HALF],
        [0.0, 1.0],
        [-HALF, HALF],
        [-1.0, 0.0],
        [-HALF, -HALF],
        [0.0, -1.0],
        [HALF, -HALF],
    ]
};

/// A flat convex piece of a core's border, its corners in order around `normal`; two corners for an edge, one for a vertex.
#[derive(Clone, Debug)]
pub(super) struct SupportFace {
    pub(super) corners: Vec<DVec3>,
    /// The features of the corners.
    pub(super) vertices: Vec<Feature>,
    /// The features of the sides; side `i` leads from corner `i` to the next.
    pub(super) sides: Vec<Feature>,
    pub(super) normal: DVec3,
    pub(super) feature: Feature,
}

impl Default for SupportFace {
    fn default() -> Self {
        Self {
            corners: Vec::new(),
            vertices: Vec::new(),
            sides: Vec::new(),
            normal: DVec3::ZERO,
            feature: Feature::Face(0),
        }
    }
}

impl SupportFace {
    fn fill(
        &mut self,
        corners: impl IntoIterator<Item = DVec3>,
        vertices: impl IntoIterator<Item = Feature>,
        sides: impl IntoIterator<Item = Feature>,
        normal: DVec3,
        feature: Feature,
    ) {
        self.corners.clear();
        self.corners.extend(corners);
        self.vertices.clear();
        self.vertices.extend(vertices);
        self.sides.clear();
        self.sides.extend(sides);
        (self.normal, self.feature) = (normal, feature);
    }

    fn point(&mut self, point: DVec3, feature: Feature, normal: DVec3) {
        self.fill([point], [feature], [feature], normal, feature);
    }

    fn segment(
        &mut self,
        ends: [DVec3; 2],
        feature: Feature,
        vertices: [Feature; 2],
        normal: DVec3,
    ) {
        self.fill(ends, vertices, [feature; 2], normal, feature);
    }

    fn place(&mut self, pose: &Pose) {
        for corner in &mut self.corners {
            *corner = *pose * *corner;
        }
        self.normal = pose.transform_vector(self.normal);
    }
}

/// Makes `out` the facet of a placed part's core that points most in `direction`, a unit vector in the frame that the pose leads to.
pub(super) fn support_face(
    part: &ConvexPiece,
    pose: &Pose,
    direction: DVec3,
    out: &mut SupportFace,
) {
    let own = pose.rotation().transpose() * direction;
    own_support_face(part, own, out);
    out.place(pose);
}

fn own_support_face(part: &ConvexPiece, n: DVec3, out: &mut SupportFace) {
    match part {
        ConvexPiece::Triangle(corners) => triangle(corners, n, out),
        ConvexPiece::Ball { center, .. } => out.point(*center, Feature::Face(0), n),
        ConvexPiece::Convex(shape) => match shape {
            Convex::Triangle(shape) => triangle(&shape.corners(), n, out),
            Convex::Cuboid(shape) => cuboid(shape.half_extent(), n, out),
            Convex::Polyhedron(shape) => polyhedron(shape, n, out),
            Convex::Segment(_) | Convex::Capsule(_) => {
                let ends = [shape.vertex(0), shape.vertex(1)];
                let vertices = [Feature::Vertex(0), Feature::Vertex(1)];
                let along = (ends[1] - ends[0]).normalize_or_zero();
                if along.dot(n).abs() <= ACROSS * 100.0 && along != DVec3::ZERO {
                    out.segment(ends, Feature::Edge(0), vertices, n)
                } else {
                    let best = shape.support_certain(n);
                    out.point(best.point, Feature::Vertex(best.vertex), n)
                }
            }
            Convex::Cylinder(_) => {
                let half = shape.bounds().half_extent();
                let (radius, height) = (half.x, half.z);
                if n.z.abs() >= ALONG {
                    return cap(radius, height * n.z.signum(), n.z > 0.0, out);
                }
                let side = DVec3::new(n.x, n.y, 0.0).normalize_or_zero() * radius;
                let ends = [side - DVec3::Z * height, side + DVec3::Z * height];
                let rims = [Feature::Edge(0), Feature::Edge(1)];
                if n.z.abs() <= ACROSS * 100.0 {
                    return out.segment(ends, Feature::Face(2), rims, n);
                }
                let top = usize::from(n.z > 0.0);
                out.point(ends[top], rims[top], n)
            }
            Convex::Cone(_) => {
                let half = shape.bounds().half_extent();
                let (radius, height) = (half.x, half.z);
                if n.z <= -ALONG {
                    return cap(radius, -height, false, out);
                }
                let apex = DVec3::Z * height;
                let side = DVec3::new(n.x, n.y, 0.0).normalize_or_zero() * radius;
                let rim = side - DVec3::Z * height;
                let along = (apex - rim).normalize_or_zero();
                if along.dot(n).abs() <= ACROSS * 100.0 {
                    let vertices = [Feature::Edge(0), Feature::Vertex(0)];
                    return out.segment([rim, apex], Feature::Face(1), vertices, n);
                }
                if along.dot(n) > 0.0 {
                    out.point(apex, Feature::Vertex(0), n)
                } else {
                    out.point(rim, Feature::Edge(0), n)
                }
            }
            round => out.point(round.support_certain(n).point, Feature::Face(0), n),
        },
    }
}

fn triangle(corners: &[DVec3; 3], n: DVec3, out: &mut SupportFace) {
    let [a, b, c] = *corners;
    let own = (b - a).cross(c - a).normalize_or_zero();
    let vertices = [Feature::Vertex(0), Feature::Vertex(1), Feature::Vertex(2)];
    let sides = [Feature::Edge(0), Feature::Edge(1), Feature::Edge(2)];
    if own.dot(n) >= 0.0 {
        out.fill([a, b, c], vertices, sides, own, Feature::Face(0));
    } else {
        let vertices = [vertices[0], vertices[2], vertices[1]];
        let sides = [sides[2], sides[1], sides[0]];
        out.fill([a, c, b], vertices, sides, -own, Feature::Face(0));
    }
}

/// Vertices are numbered as by the box's support: a bit per negative coordinate. Edges are numbered `4 · axis + place`, faces
/// `2 · axis`, one more for the negative side.
fn cuboid(half: DVec3, n: DVec3, out: &mut SupportFace) {
    let size = n.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let is_negative = n[axis] < 0.0;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    // Counter-clockwise from outside.
    let mut quad = [[false, false], [true, false], [true, true], [false, true]];
    if is_negative {
        quad.reverse();
    }
    let number = |signs: [bool; 2]| {
        let mut bits = 0_u32;
        bits |= u32::from(is_negative) << axis;
        bits |= u32::from(!signs[0]) << u;
        bits |= u32::from(!signs[1]) << v;
        bits
    };
    let numbers = quad.map(number);
    let corner = |bits: u32| {
        let side = |axis: usize| {
            if bits >> axis & 1 == 0 {
                half[axis]
            } else {
                -half[axis]
            }
        };
        DVec3::new(side(0), side(1), side(2))
    };
    let mut normal = DVec3::ZERO;
    normal[axis] = if is_negative { -1.0 } else { 1.0 };
    let edge = |p: u32, q: u32| {
        let along = (p ^ q).trailing_zeros();
        let rest = p & q & !(1 << along);
        let (low, high) = ((along + 1) % 3, (along + 2) % 3);
        Feature::Edge(4 * along + (rest >> low & 1) + 2 * (rest >> high & 1))
    };
    out.fill(
        numbers.map(corner),
        numbers.map(Feature::Vertex),
        (0..4).map(|i| edge(numbers[i], numbers[(i + 1) % 4])),
        normal,
        Feature::Face(2 * axis as u32 + u32::from(is_negative)),
    );
}

fn polyhedron(shape: &Polyhedron, n: DVec3, out: &mut SupportFace) {
    let at = |v: u32| shape.vertices()[v as usize];
    let mut best: Option<(u32, f64)> = None;
    for (face, normal) in shape.normals().iter().enumerate() {
        let along = normal.dot(n);
        if best.is_none_or(|(_, other)| along > other) {
            best = Some((face as u32, along));
        }
    }
    let Some((face, _)) = best else {
        return match shape.edges().first() {
            Some(edge) => {
                let [p, q] = edge.vertices;
                let vertices = [Feature::Vertex(p), Feature::Vertex(q)];
                out.segment([at(p), at(q)], Feature::Edge(0), vertices, n)
            }
            None => out.point(shape.vertex(0), Feature::Vertex(0), n),
        };
    };
    let corners = shape.face(face);
    let side = |i: usize| {
        let (p, q) = (corners[i], corners[(i + 1) % corners.len()]);
        let key = [p.min(q), p.max(q)];
        let sorted = |e: &crate::convex::Edge| {
            [
                e.vertices[0].min(e.vertices[1]),
                e.vertices[0].max(e.vertices[1]),
            ]
        };
        // A polygon's edges are in its own order, a solid's sorted.
        let mut around = shape.edges_at(p).iter().copied();
        let found = around.find(|&edge| sorted(&shape.edges()[edge as usize]) == key);
        Feature::Edge(found.unwrap_or(i as u32))
    };
    out.fill(
        corners.iter().map(|&v| at(v)),
        corners.iter().map(|&v| Feature::Vertex(v)),
        (0..corners.len()).map(side),
        shape.normals()[face as usize],
        Feature::Face(face),
    );
}

/// An octagon on the rim of a cap at height `z`, facing up or down.
fn cap(radius: f64, z: f64, is_up: bool, out: &mut SupportFace) {
    let numbers = (0..RIM_POINTS).map(|k| if is_up { k } else { RIM_POINTS - 1 - k });
    let corner = |k: u32| {
        let [cosine, sine] = RIM_DIRECTIONS[k as usize];
        DVec3::new(radius * cosine, radius * sine, z)
    };
    let rim = u32::from(is_up);
    out.fill(
        numbers.clone().map(corner),
        numbers.map(|k| Feature::Vertex(8 + rim * RIM_POINTS + k)),
        [Feature::Edge(rim); RIM_POINTS as usize],
        if is_up { DVec3::Z } else { DVec3::NEG_Z },
        Feature::Face(rim),
    );
}
