//! The ends of the segment that two faces share, as combinatorial places that are the same for
//! neighbouring faces.

use std::collections::HashMap;

use glam::DVec3;

use super::intersection_curves::{CurvePoint, CurvePointOrigin};
use crate::geom::triangle_overlap;
use crate::math::{Pose, Sign, orient3d};
use crate::mesh::{TriMesh, contains_point, is_flat};
use crate::query::{FaceId, FacePair, VertexId};

/// A place, named so that all faces around it name it the same. Vertices are [`MergedVertex`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum VertexKey {
    EdgeOfA([MergedVertex; 2], FaceId),
    EdgeOfB([MergedVertex; 2], FaceId),
    Edges([MergedVertex; 2], [MergedVertex; 2]),
    Vertex(MergedVertex),
}

/// A position that vertices of either mesh have, counted in the order in which they are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct MergedVertex(u32);

/// What the intersection of two faces is.
#[derive(Clone, Copy, Debug)]
pub(super) enum SegmentEnds {
    /// Nothing, or a face without area is involved.
    None,
    Coplanar,
    Point(VertexKey),
    Segment([VertexKey; 2]),
}

/// The vertices of all intersecting faces, as spots.
#[derive(Debug)]
pub(super) struct IntersectionVertices<'m> {
    meshes: [&'m TriMesh; 2],
    a_from_b: &'m Pose,
    /// The spot of each vertex, by mesh; only ever looked up.
    of_vertex: [HashMap<u32, MergedVertex>; 2],
    positions: Vec<DVec3>,
    /// The first vertex of each mesh met at each spot.
    first: Vec<[Option<VertexId>; 2]>,
}

impl<'m> IntersectionVertices<'m> {
    pub(super) fn new(
        a: &'m TriMesh,
        b: &'m TriMesh,
        a_from_b: &'m Pose,
        pairs: &[FacePair],
    ) -> Self {
        let mut places = Self {
            meshes: [a, b],
            a_from_b,
            of_vertex: [HashMap::new(), HashMap::new()],
            positions: Vec::new(),
            first: Vec::new(),
        };
        let mut by_position: HashMap<[u64; 3], MergedVertex> = HashMap::new();
        for pair in pairs {
            for v in a.faces()[pair.a.index()] {
                places.register(0, v, &mut by_position);
            }
            for v in b.faces()[pair.b.index()] {
                places.register(1, v, &mut by_position);
            }
        }
        places
    }

    fn register(&mut self, mesh: usize, vertex: u32, spots: &mut HashMap<[u64; 3], MergedVertex>) {
        if self.of_vertex[mesh].contains_key(&vertex) {
            return;
        }
        let p = self.position(mesh, vertex);
        let next = MergedVertex(self.positions.len() as u32);
        // Adding zero turns −0 into 0.
        let bits = (p + DVec3::ZERO).to_array().map(f64::to_bits);
        let spot = *spots.entry(bits).or_insert(next);
        if spot == next {
            self.positions.push(p);
            self.first.push([None; 2]);
        }
        let first = &mut self.first[spot.0 as usize][mesh];
        *first = first.or(Some(VertexId::new(vertex)));
        self.of_vertex[mesh].insert(vertex, spot);
    }

    /// A vertex in the frame of the first mesh.
    fn position(&self, mesh: usize, vertex: u32) -> DVec3 {
        let p = self.meshes[mesh].positions()[vertex as usize];
        if mesh == 0 {
            p
        } else {
            self.a_from_b.transform_point(p)
        }
    }

    fn spots(&self, mesh: usize, face: FaceId) -> [MergedVertex; 3] {
        self.meshes[mesh].faces()[face.index()].map(|v| {
            let spot = self.of_vertex[mesh].get(&v);
            spot.copied().unwrap_or(MergedVertex(0))
        })
    }

    fn triangle(&self, mesh: usize, face: FaceId) -> [DVec3; 3] {
        self.meshes[mesh].faces()[face.index()].map(|v| self.position(mesh, v))
    }

    /// The coordinates of a place, computed from the place alone.
    pub(super) fn point(&self, key: VertexKey) -> CurvePoint {
        let at = |spot: MergedVertex| self.positions[spot.0 as usize];
        let segment = |[p, q]: [MergedVertex; 2]| [at(p), at(q), at(q)];
        let shared = |x: &[DVec3; 3], y: &[DVec3; 3]| {
            // There is a common point, since exact signs have found it.
            triangle_overlap(x, y)
                .corners()
                .first()
                .copied()
                .unwrap_or(x[0])
        };
        let (point, place) = match key {
            VertexKey::EdgeOfA(edge, face) => (
                shared(&segment(edge), &self.triangle(1, face)),
                CurvePointOrigin::EdgeOfA {
                    edge: self.edge(0, edge),
                    face,
                },
            ),
            VertexKey::EdgeOfB(edge, face) => (
                shared(&segment(edge), &self.triangle(0, face)),
                CurvePointOrigin::EdgeOfB {
                    edge: self.edge(1, edge),
                    face,
                },
            ),
            VertexKey::Edges(a, b) => (
                shared(&segment(a), &segment(b)),
                CurvePointOrigin::Edges {
                    a: self.edge(0, a),
                    b: self.edge(1, b),
                },
            ),
            VertexKey::Vertex(spot) => (
                at(spot),
                match self.first[spot.0 as usize] {
                    [Some(v), _] => CurvePointOrigin::VertexOfA(v),
                    [None, v] => CurvePointOrigin::VertexOfB(v.unwrap_or(VertexId::new(0))),
                },
            ),
        };
        CurvePoint { point, place }
    }

    /// The ends of an edge as vertices of its own mesh.
    fn edge(&self, mesh: usize, spots: [MergedVertex; 2]) -> [VertexId; 2] {
        let mut ends = spots.map(|spot| {
            let own = self.first[spot.0 as usize][mesh];
            own.unwrap_or(VertexId::new(0))
        });
        ends.sort_unstable();
        ends
    }
}

/// The ends of what two faces share, exactly.
///
/// Where both are proper and in different planes, each end of their common segment is an end of the segment in which one of them
/// meets the other's plane, and these lie at its vertices in that plane and on its edges across it.
pub(super) fn segment_ends(places: &IntersectionVertices<'_>, pair: FacePair) -> SegmentEnds {
    let (a, b) = (places.triangle(0, pair.a), places.triangle(1, pair.b));
    if is_flat(&a) || is_flat(&b) {
        return SegmentEnds::None;
    }
    let sides = |&[p, q, r]: &[DVec3; 3], points: &[DVec3; 3]| points.map(|s| orient3d(p, q, r, s));
    let (sides_a, sides_b) = (sides(&b, &a), sides(&a, &b));
    if sides_a == [Sign::Zero; 3] {
        return SegmentEnds::Coplanar;
    }
    let spots = [places.spots(0, pair.a), places.spots(1, pair.b)];
    let mut found = UpToTwoVertices::default();
    for (edges_of_a, own, other, own_sides) in [(true, &a, &b, sides_a), (false, &b, &a, sides_b)] {
        let (own_spots, other_spots) = if edges_of_a {
            (spots[0], spots[1])
        } else {
            (spots[1], spots[0])
        };
        for i in 0..3 {
            let j = (i + 1) % 3;
            if own_sides[i].is_zero() && contains_point(other, own[i]) {
                found.add(VertexKey::Vertex(own_spots[i]));
            }
            if own_sides[i].is_zero() || own_sides[i] != own_sides[j].reversed() {
                continue;
            }
            let passes = [0, 1, 2].map(|k| orient3d(own[i], own[j], other[k], other[(k + 1) % 3]));
            if passes.contains(&Sign::Positive) && passes.contains(&Sign::Negative) {
                continue;
            }
            let edge = sorted([own_spots[i], own_spots[j]]);
            let through = passes.map(Sign::is_zero);
            found.add(match through {
                // Two edges through the line meet in the vertex they share.
                [true, true, _] => VertexKey::Vertex(other_spots[1]),
                [_, true, true] => VertexKey::Vertex(other_spots[2]),
                [true, _, true] => VertexKey::Vertex(other_spots[0]),
                [false, false, false] if edges_of_a => VertexKey::EdgeOfA(edge, pair.b),
                [false, false, false] => VertexKey::EdgeOfB(edge, pair.a),
                _ => {
                    let k = through.iter().position(|&is| is).unwrap_or(0);
                    let crossed = sorted([other_spots[k], other_spots[(k + 1) % 3]]);
                    if edges_of_a {
                        VertexKey::Edges(edge, crossed)
                    } else {
                        VertexKey::Edges(crossed, edge)
                    }
                }
            });
        }
    }
    match found {
        UpToTwoVertices([Some(p), Some(q)]) => SegmentEnds::Segment([p, q]),
        UpToTwoVertices([Some(p), None]) => SegmentEnds::Point(p),
        UpToTwoVertices([None, _]) => SegmentEnds::None,
    }
}

fn sorted([p, q]: [MergedVertex; 2]) -> [MergedVertex; 2] {
    [p.min(q), p.max(q)]
}

/// Up to two different places.
#[derive(Clone, Copy, Debug, Default)]
struct UpToTwoVertices([Option<VertexKey>; 2]);

impl UpToTwoVertices {
    fn add(&mut self, key: VertexKey) {
        for slot in &mut self.0 {
            match slot {
                None => {
                    *slot = Some(key);
                    return;
                }
                Some(known) if *known == key => return,
                Some(_) => {}
            }
        }
    }
}
