//! Internal edges: whether an edge or a corner of a surface can be touched along a normal, by its adjacent faces.
//!
//! **Question.** A body slides over a floor of many faces. Which of the contacts with single faces
//! are contacts with the floor?
//! **Idea.** A normal at an edge or a corner is a normal of the surface only if the surface
//! descends along it on all sides: no adjacent vertex lies higher along the normal. Inside a flat
//! region no edge passes this test, only faces do. Coincident vertices count as one, so that faces
//! need not share them.
//! **Promise.** Over a flat region every contact has the normal of the face. Dropping a nearest
//! point loses nothing: some adjacent face is nearer.

use std::collections::HashMap;

use glam::DVec3;

use super::composite::Composite;
use crate::mesh::TriMesh;

/// Slope below which a neighbour does not count as higher, and height below which corners count as level.
const LEVEL: f64 = 1e-6;

/// The vertices around each vertex.
#[derive(Clone, Debug)]
pub(super) struct VertexRings {
    first_at: Vec<u32>,
    starts: Vec<u32>,
    around: Vec<u32>,
}

impl VertexRings {
    pub(super) fn new(mesh: &TriMesh) -> Self {
        let mut seen: HashMap<[u64; 3], u32> = HashMap::new();
        let first_at: Vec<u32> = (0..)
            .zip(mesh.positions())
            .map(|(v, p)| {
                // Adding 0 makes the two zeros one.
                let key = (*p + DVec3::ZERO).to_array().map(f64::to_bits);
                *seen.entry(key).or_insert(v)
            })
            .collect();
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(6 * mesh.face_count());
        for face in mesh.faces() {
            let [a, b, c] = face.map(|v| first_at[v as usize]);
            pairs.extend([[a, b], [b, a], [b, c], [c, b], [c, a], [a, c]]);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0_u32; mesh.vertex_count() + 1];
        for &[from, _] in &pairs {
            starts[from as usize + 1] += 1;
        }
        for v in 0..mesh.vertex_count() {
            starts[v + 1] += starts[v];
        }
        Self {
            first_at,
            starts,
            around: pairs.into_iter().map(|[_, to]| to).collect(),
        }
    }

    /// The first vertex at the same place.
    pub(super) fn welded(&self, vertex: u32) -> u32 {
        self.first_at[vertex as usize]
    }

    fn around(&self, vertex: u32) -> &[u32] {
        let v = self.first_at[vertex as usize] as usize;
        &self.around[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}

/// What a normal, pointing away from the surface, is to a face of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EdgeNormalRegion {
    /// It is a normal of the surface there.
    Normal,
    /// It is not; the face's own normal on that side is this.
    Slanted(DVec3),
    /// The face has no normal and nothing better is known.
    Unknown,
}

/// What the normal, in the frame of the surface, is to a face.
///
/// `outward` is the side of the face that counts, when the surface has an inside: 1 for the side of the face's own
/// normal. Else the side is that of `toward`.
pub(super) fn standing(
    parts: &Composite,
    face: u32,
    normal: DVec3,
    toward: DVec3,
    outward: Option<f64>,
) -> EdgeNormalRegion {
    let Some((numbers, corners)) = numbered(parts, face) else {
        return EdgeNormalRegion::Normal;
    };
    let [a, b, c] = corners;
    let area = (b - a).cross(c - a);
    let along = corners.map(|p| normal.dot(p - a));
    let top = along[0].max(along[1]).max(along[2]);
    let size = (b - a).abs().max((c - a).abs()).max_element();
    let is_top = along.map(|h| top - h <= LEVEL * size);
    let own = area.try_normalize();
    let side = match (own, outward) {
        (Some(_), Some(outward)) => outward,
        (Some(own), None) if own.dot(toward) < 0.0 => -1.0,
        _ => 1.0,
    };
    let snapped = own.map_or(EdgeNormalRegion::Unknown, |own| {
        EdgeNormalRegion::Slanted(own * side)
    });
    if is_top == [true; 3] {
        return match own {
            Some(own) if own.dot(normal) * side < 0.0 => snapped,
            _ => EdgeNormalRegion::Normal,
        };
    }
    let higher = |v: u32, from: DVec3| {
        let to = point(parts, v) - from;
        normal.dot(to) > LEVEL * to.length()
    };
    let mut tops = (0..3).filter(|&i| is_top[i]);
    let is_refuted = match (tops.next(), tops.next()) {
        // At an edge only the faces beside it count, so the vertices next to both of its ends.
        (Some(i), Some(j)) => around(parts, numbers[i]).any(|v| {
            let is_next_to_both = around(parts, numbers[j]).any(|other| other == v);
            is_next_to_both && higher(v, corners[i])
        }),
        (Some(i), None) => around(parts, numbers[i]).any(|v| higher(v, corners[i])),
        _ => false,
    };
    if is_refuted {
        return snapped;
    }
    EdgeNormalRegion::Normal
}

/// The vertices of a face, those at the same place being one; none for shapes without faces.
pub(super) fn welded(parts: &Composite, face: u32) -> Option<[u32; 3]> {
    match parts {
        Composite::Mesh(mesh) => {
            let numbers = mesh.mesh().faces().get(face as usize)?;
            Some(numbers.map(|v| mesh.rings().welded(v)))
        }
        Composite::Field(field) => field.corners(face),
        _ => None,
    }
}

/// The unit normal of a face on the side that counts, as in [`standing`]; none for shapes without faces and for faces without area.
pub(super) fn outward_normal(
    parts: &Composite,
    face: u32,
    toward: DVec3,
    outward: Option<f64>,
) -> Option<DVec3> {
    let (_, [a, b, c]) = numbered(parts, face)?;
    let own = (b - a).cross(c - a).try_normalize()?;
    Some(match outward {
        Some(outward) => own * outward,
        None if own.dot(toward) < 0.0 => -own,
        None => own,
    })
}

/// The vertices of a face and where they are; none for shapes without faces.
pub(super) fn numbered(parts: &Composite, face: u32) -> Option<([u32; 3], [DVec3; 3])> {
    let numbers = match parts {
        Composite::Mesh(mesh) => *mesh.mesh().faces().get(face as usize)?,
        Composite::Field(field) => field.corners(face)?,
        _ => return None,
    };
    Some((numbers, numbers.map(|v| point(parts, v))))
}

/// Where a vertex is.
pub(super) fn point(parts: &Composite, v: u32) -> DVec3 {
    match parts {
        Composite::Mesh(mesh) => mesh.mesh().positions()[v as usize],
        Composite::Field(field) => field.point(v),
        _ => DVec3::ZERO,
    }
}

fn around(parts: &Composite, v: u32) -> impl Iterator<Item = u32> {
    let (ring, of_field) = match parts {
        Composite::Mesh(mesh) => (mesh.rings().around(v), None),
        Composite::Field(field) => (&[][..], Some(field.around(v))),
        _ => (&[][..], None),
    };
    ring.iter().copied().chain(of_field.into_iter().flatten())
}
