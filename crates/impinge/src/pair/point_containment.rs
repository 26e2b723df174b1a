//! Whether one shape lies inside a solid mesh whose surface it does not meet.

use glam::DVec3;

use super::cloud_distance::{PointProbe, point_in_solid};
use super::composite::Composite;
use super::mesh_shape::MeshShape;
use crate::bvh::wide::SingleTreeCache;
use crate::convex::SupportMap;
use crate::math::Pose;
use crate::mesh::point_in_mesh::Location;

/// A point of `other` inside the closed mesh, both in the mesh's frame; the surfaces are known not to meet.
fn point_inside(
    mesh: &MeshShape,
    other: &Composite,
    mesh_from_other: &Pose,
    cache: &mut SingleTreeCache,
) -> Option<DVec3> {
    let solid = mesh.solid();
    let mut is_inside = |p: &DVec3| {
        let place = solid.locate_with(*p, cache);
        place.is_ok_and(|place| place != Location::Outside)
    };
    let bounds = mesh.bounds();
    let near = |p: &DVec3| bounds.contains(*p);
    let placed = |p: DVec3| *mesh_from_other * p;
    match other {
        Composite::One(part) => Some(placed(part.center()))
            .filter(near)
            .filter(&mut is_inside),
        Composite::Field(field) => Some(placed(field.point(0)))
            .filter(near)
            .filter(&mut is_inside),
        Composite::Mesh(other) => {
            let samples = other.samples().iter().map(|&p| placed(p));
            samples.filter(near).find(&mut is_inside)
        }
        Composite::Balls(balls) => {
            let centers = balls.points().iter().map(|&p| placed(p));
            centers.filter(near).find(&mut is_inside)
        }
        // Asked in another way.
        Composite::Cloud(_) => None,
    }
}

/// A point of both shapes, in the frame of `a`, when one lies inside the other, a closed mesh. Their surfaces are known not to meet, except where one is a cloud.
pub(super) fn contained(
    a: &Composite,
    b: &Composite,
    a_from_b: &Pose,
    probe: &mut PointProbe,
) -> Option<DVec3> {
    if let (Composite::Mesh(mesh), Composite::Cloud(cloud)) = (a, b) {
        let solid = mesh.solid();
        return point_in_solid(cloud, &solid, a_from_b, None, probe);
    }
    if let (Composite::Cloud(cloud), Composite::Mesh(mesh)) = (a, b) {
        let solid = mesh.solid();
        return point_in_solid(cloud, &solid, &a_from_b.inverse(), Some(a_from_b), probe);
    }
    if let Composite::Mesh(mesh) = a
        && let Some(p) = point_inside(mesh, b, a_from_b, &mut probe.cache)
    {
        return Some(p);
    }
    if let Composite::Mesh(mesh) = b
        && let Some(p) = point_inside(mesh, a, &a_from_b.inverse(), &mut probe.cache)
    {
        return Some(*a_from_b * p);
    }
    None
}
