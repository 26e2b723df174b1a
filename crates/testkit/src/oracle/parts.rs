//! How do two placed parts lie to each other, all faces tried?

use impinge::{DVec3, Pose, TriMesh};

use super::integer::{Integer, Point, Scaled, cross, difference, dot, scaled};
use super::{Contact, Distance, Place, Triangle, contact, locate, triangle_distance};

/// How two parts are related, by the oracle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartRelation {
    /// Whether two faces share a point.
    pub meets: bool,
    /// Whether the interiors of two faces meet and neither face lies in the other's plane.
    pub passes_through: bool,
    /// Whether a connected piece of `a` has a point inside `b`; looked at only where surfaces do not meet.
    pub a_inside: bool,
    /// The same the other way round.
    pub b_inside: bool,
    /// The distance of the surfaces, where they do not meet, if it was requested and is within the requested limit.
    pub distance: Option<Distance>,
}

/// How `b`, placed, lies to `a`; distances are looked for up to `within`. Parts that are not closed contain nothing.
///
/// ```
/// use impinge::{DVec3, Pose};
/// use impinge_testkit::{generate::meshes::cuboid, oracle::part_relation};
/// let (small, large) = (cuboid(DVec3::ONE, DVec3::splat(2.0)), cuboid(DVec3::ZERO, DVec3::splat(3.0)));
/// let found = part_relation(&small, &large, &Pose::IDENTITY, Some(1.0));
/// assert!(!found.meets && found.a_inside && !found.b_inside);
/// ```
#[must_use]
pub fn part_relation(
    a: &TriMesh,
    b: &TriMesh,
    a_from_b: &Pose,
    within: Option<f64>,
) -> PartRelation {
    let placed: Vec<DVec3> = b
        .positions()
        .iter()
        .map(|&p| a_from_b.transform_point(p))
        .collect();
    let faces_a: Vec<Triangle> = a.triangles().collect();
    let faces_b: Vec<Triangle> = b
        .faces()
        .iter()
        .map(|face| face.map(|v| placed[v as usize]))
        .collect();
    let mut found = PartRelation::default();
    let (boxes_a, boxes_b) = (boxes(&faces_a), boxes(&faces_b));
    let reach = within.unwrap_or(0.0);
    for (p, in_p) in faces_a.iter().zip(&boxes_a) {
        for (q, in_q) in faces_b.iter().zip(&boxes_b) {
            let gap = gap(in_p, in_q);
            if gap > reach {
                continue;
            }
            if gap == 0.0 {
                match contact(p, q) {
                    Contact::Disjoint => {}
                    Contact::Touching => found.meets = true,
                    Contact::Crossing => {
                        found.meets = true;
                        found.passes_through |= !one_lies_in_the_plane_of_the_other(p, q);
                    }
                }
            }
            if within.is_some() && !found.meets {
                let d = triangle_distance(p, q);
                if d.lower <= reach && found.distance.is_none_or(|best| d.lower < best.lower) {
                    found.distance = Some(d);
                }
            }
        }
    }
    if found.meets {
        found.distance = None;
        return found;
    }
    let b_placed = TriMesh::new(placed, b.faces().to_vec()).unwrap_or_default();
    found.a_inside = has_piece_inside(a, &b_placed);
    found.b_inside = has_piece_inside(&b_placed, a);
    found
}

/// Points of a surface that are looked at for one inside another solid.
const LOOKED_AT: usize = 200;

/// Whether a point of the surface of one of two solids lies inside the other: then they overlap, though perhaps no two of their faces pass through one another. Corners
/// and middles of faces are looked at, some hundreds where there are many. `false` proves nothing; what is not closed contains nothing.
///
/// ```
/// use impinge::{DVec3, Pose};
/// use impinge_testkit::{generate::meshes::cuboid, oracle::surface_reaches_inside};
/// let cube = cuboid(DVec3::ZERO, DVec3::splat(2.0));
/// let along = Pose::from_translation([1.0, 0.0, 0.0])?;
/// assert!(surface_reaches_inside(&cube, &cube, &along));
/// let beside = Pose::from_translation([2.0, 0.0, 0.0])?;
/// assert!(!surface_reaches_inside(&cube, &cube, &beside));
/// # Ok::<(), impinge::math::PoseError>(())
/// ```
#[must_use]
pub fn surface_reaches_inside(a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> bool {
    let placed = b.positions().iter().map(|&p| a_from_b.transform_point(p));
    let b = TriMesh::new(placed.collect(), b.faces().to_vec()).unwrap_or_default();
    let reaches = |inner: &TriMesh, outer: &TriMesh| {
        let bounds = outer.bounds();
        let middles = inner.triangles().map(|[p, q, r]| (p + q + r) / 3.0);
        let corners = inner.positions().iter().copied();
        let near = corners.chain(middles).filter(|&p| bounds.contains(p));
        let near: Vec<DVec3> = near.collect();
        let stride = (near.len() / LOOKED_AT).max(1);
        let mut some = near.into_iter().step_by(stride);
        some.any(|p| locate(outer, p) == Some(Place::Inside))
    };
    is_closed(a) && is_closed(&b) && (reaches(&b, a) || reaches(a, &b))
}

fn boxes(faces: &[Triangle]) -> Vec<[DVec3; 2]> {
    faces
        .iter()
        .map(|[p, q, r]| [p.min(*q).min(*r), p.max(*q).max(*r)])
        .collect()
}

/// The largest gap of two boxes along an axis: no more than their distance.
fn gap(p: &[DVec3; 2], q: &[DVec3; 2]) -> f64 {
    (p[0] - q[1]).max(q[0] - p[1]).max_element().max(0.0)
}

fn one_lies_in_the_plane_of_the_other(p: &Triangle, q: &Triangle) -> bool {
    fn decide<I: Integer>(p: &[Point<I>; 3], q: &[Point<I>; 3]) -> bool {
        let lies = |p: &[Point<I>; 3], q: &[Point<I>; 3]| {
            let normal = cross(&difference(&p[1], &p[0]), &difference(&p[2], &p[0]));
            q.iter()
                .all(|v| dot(&normal, &difference(v, &p[0])).against_zero().is_eq())
        };
        lies(p, q) || lies(q, p)
    }
    match scaled(&[p[0], p[1], p[2], q[0], q[1], q[2]]) {
        Scaled::Narrow([a, b, c, d, e, f]) => decide(&[a, b, c], &[d, e, f]),
        Scaled::Wide([a, b, c, d, e, f]) => decide(&[a, b, c], &[d, e, f]),
    }
}

/// Whether a connected piece of the surface has a point inside the other, which must be closed.
fn has_piece_inside(inner: &TriMesh, outer: &TriMesh) -> bool {
    let bounds = outer.bounds();
    is_closed(outer)
        && pieces(inner)
            .into_iter()
            .filter(|&p| bounds.contains(p))
            .any(|p| locate(outer, p) == Some(Place::Inside))
}

fn is_closed(mesh: &TriMesh) -> bool {
    let mut edges: Vec<[u32; 2]> = mesh
        .faces()
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[p, q]| [p.min(q), p.max(q)])
        .collect();
    edges.sort_unstable();
    edges
        .chunk_by(|e, f| e == f)
        .all(|same| same.len() % 2 == 0)
}

/// A point of each connected piece: pieces grow face by face until nothing changes.
fn pieces(mesh: &TriMesh) -> Vec<DVec3> {
    let mut faces_of = vec![Vec::new(); mesh.vertex_count()];
    for (number, face) in mesh.faces().iter().enumerate() {
        for &v in face {
            faces_of[v as usize].push(number);
        }
    }
    let mut is_seen = vec![false; mesh.face_count()];
    let mut points = Vec::new();
    for start in 0..mesh.face_count() {
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        points.push(mesh.positions()[mesh.faces()[start][1] as usize]);
        let mut open = vec![start];
        while let Some(face) = open.pop() {
            for &v in &mesh.faces()[face] {
                for &next in &faces_of[v as usize] {
                    if !std::mem::replace(&mut is_seen[next], true) {
                        open.push(next);
                    }
                }
            }
        }
    }
    points
}
