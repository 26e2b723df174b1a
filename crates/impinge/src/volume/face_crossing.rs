//! The segment in which a face of `a` and a face of `b` cross, with its ends in order.
//!
//! On the common line of the two planes, directed along the cross product of the normals, each face
//! covers an interval. Its ends are the points where edges of the face cross the other plane, and
//! the sides of the vertices decide which edges do. Four signs of edge against edge then order the
//! four points. No coordinates are compared.

use glam::DVec3;

use super::symbolic_perturbation::{FaceOwner, PerturbedSide, edges, side};
use crate::math::Sign;

/// A face in the frame of `a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceCorners {
    /// Numbers of the vertices in their mesh.
    pub(super) vertices: [u32; 3],
    pub(super) points: [DVec3; 3],
}

/// Where an edge of one face passes through the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentEnd {
    pub(super) point: DVec3,
    /// 0 to 2: the edge of `a`'s face from that corner; 3 to 5: of `b`'s.
    pub(super) edge: u8,
    /// By how much the other body's winding number grows along the edge.
    pub(super) jump: i8,
}

impl SegmentEnd {
    /// The edge, if it is one of this body's face.
    #[inline]
    pub(super) fn edge_of(&self, body: usize) -> Option<usize> {
        let edge = usize::from(self.edge);
        (edge / 3 == body).then_some(edge % 3)
    }
}

/// The two faces of a pair do not cross, or cross in a segment, or exact signs contradict each other, which only a bug makes.
#[derive(Clone, Copy, Debug)]
pub(super) enum FaceCrossing {
    None,
    Segment { start: SegmentEnd, end: SegmentEnd },
    Contradiction,
}

/// How the faces cross, ties broken.
pub(super) fn cross(a: &FaceCorners, b: &FaceCorners) -> FaceCrossing {
    let sides_a = a.points.map(|p| side(&b.points, FaceOwner::B, p));
    if is_one_sided(&sides_a) {
        return FaceCrossing::None;
    }
    let sides_b = b.points.map(|p| side(&a.points, FaceOwner::A, p));
    if is_one_sided(&sides_b) {
        return FaceCrossing::None;
    }
    let pair = FacesInPlace {
        a,
        b,
        sides_a,
        sides_b,
    };
    if sides_a[0].sign == Sign::Zero || sides_b[0].sign == Sign::Zero {
        pair.without_area()
    } else {
        pair.chords()
    }
}

fn is_one_sided(sides: &[PerturbedSide; 3]) -> bool {
    // A face without area gives zeros, and its neighbours' edges still count.
    sides[0].sign != Sign::Zero && sides[0].sign == sides[1].sign && sides[1].sign == sides[2].sign
}

struct FacesInPlace<'p> {
    a: &'p FaceCorners,
    b: &'p FaceCorners,
    /// Of the corners of `a` at the face of `b`.
    sides_a: [PerturbedSide; 3],
    sides_b: [PerturbedSide; 3],
}

impl FacesInPlace<'_> {
    /// Both faces have area and corners on both sides.
    fn chords(&self) -> FaceCrossing {
        let (down_a, up_a) = passing_edges(&self.sides_a);
        let (down_b, up_b) = passing_edges(&self.sides_b);
        // On a's face the line enters by the edge that leaves b's inside; on b's the other way round.
        let (start_a, end_a, start_b, end_b) = (down_a, up_a, up_b, down_b);
        let edges = |i: usize, j: usize| edges(edge(self.a, i), edge(self.b, j));
        if edges(start_a, end_b) != Sign::Negative || edges(end_a, start_b) != Sign::Positive {
            return FaceCrossing::None;
        }
        let start = if edges(start_a, start_b) == Sign::Positive {
            self.end_on_b(start_b)
        } else {
            self.end_on_a(start_a)
        };
        let end = if edges(end_a, end_b) == Sign::Positive {
            self.end_on_a(end_a)
        } else {
            self.end_on_b(end_b)
        };
        FaceCrossing::Segment { start, end }
    }

    /// One of the faces has no area: each edge of the other against it, and its edges against the other.
    fn without_area(&self) -> FaceCrossing {
        let (mut start, mut end, mut count) = (None, None, 0);
        for i in 0..3 {
            let passes = self.sides_a[i].unit() * self.sides_a[(i + 1) % 3].unit() < 0;
            if passes && self.agrees((0..3).map(|j| (i, j))) {
                let found = self.end_on_a(i);
                *if found.jump > 0 { &mut end } else { &mut start } = Some(found);
                count += 1;
            }
        }
        for j in 0..3 {
            let passes = self.sides_b[j].unit() * self.sides_b[(j + 1) % 3].unit() < 0;
            if passes && self.agrees((0..3).map(|i| (i, j))) {
                let found = self.end_on_b(j);
                *if found.jump > 0 { &mut start } else { &mut end } = Some(found);
                count += 1;
            }
        }
        match (start, end, count) {
            (None, None, 0) => FaceCrossing::None,
            (Some(start), Some(end), 2) => FaceCrossing::Segment { start, end },
            _ => FaceCrossing::Contradiction,
        }
    }

    fn agrees(&self, mut pairs: impl Iterator<Item = (usize, usize)>) -> bool {
        let sign = |(i, j)| edges(edge(self.a, i), edge(self.b, j));
        let first = pairs.next().map(sign);
        first != Some(Sign::Zero) && pairs.all(|pair| Some(sign(pair)) == first)
    }

    fn end_on_a(&self, i: usize) -> SegmentEnd {
        end(self.a, &self.sides_a, i, 0)
    }

    fn end_on_b(&self, j: usize) -> SegmentEnd {
        end(self.b, &self.sides_b, j, 3)
    }
}

/// The edge that goes from behind to the front, and the one that comes back.
fn passing_edges(sides: &[PerturbedSide; 3]) -> (usize, usize) {
    let (mut down, mut up) = (0, 0);
    for i in 0..3 {
        match sides[i].sign.cmp(&sides[(i + 1) % 3].sign) {
            std::cmp::Ordering::Greater => down = i,
            std::cmp::Ordering::Less => up = i,
            std::cmp::Ordering::Equal => {}
        }
    }
    (down, up)
}

fn edge(face: &FaceCorners, i: usize) -> [DVec3; 2] {
    [face.points[i], face.points[(i + 1) % 3]]
}

fn end(face: &FaceCorners, sides: &[PerturbedSide; 3], i: usize, first_edge: u8) -> SegmentEnd {
    let k = (i + 1) % 3;
    let ([p, q], [from, to]) = if face.vertices[i] < face.vertices[k] {
        ([i, k], [sides[i].value, sides[k].value])
    } else {
        ([k, i], [sides[k].value, sides[i].value])
    };
    SegmentEnd {
        point: between(face.points[p], from, face.points[q], to),
        edge: first_edge + i as u8,
        jump: if sides[k].sign > sides[i].sign { 1 } else { -1 },
    }
}

/// The point where a function with these values of opposite sign at `p` and `q` vanishes. From either face of an edge the
/// same bits come back, because the edge is always taken from its smaller vertex.
fn between(p: DVec3, at_p: f64, q: DVec3, at_q: f64) -> DVec3 {
    let difference = at_p - at_q;
    if difference == 0.0 {
        return (p + q) * 0.5;
    }
    let s = at_p / difference;
    if s <= 0.5 {
        p + (q - p) * s
    } else {
        q + (p - q) * (-at_q / difference)
    }
}
