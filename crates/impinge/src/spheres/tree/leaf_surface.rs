//! Surface data attached to each ball of a tree.

use glam::DVec3;

use crate::bvh::MeshIndex;
use crate::bvh::wide::{ClosestFace, SingleTreeCache};
use crate::mesh::face_normal;
use crate::query::{FaceId, Limits};
use crate::spheres::interior::MeshSolid;
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// Faces as near as the nearest, up to this factor, take part in the cone of normals.
const NEAR: f64 = 1.001;

/// Directions about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NormalCone {
    /// The middle direction, of unit length; zero when there is none.
    pub axis: DVec3,
    /// The largest angle from the axis, in radians; π when there is no axis.
    pub half_angle: f64,
}

impl NormalCone {
    const NONE: Self = Self {
        axis: DVec3::ZERO,
        half_angle: std::f64::consts::PI,
    };

    fn around(normals: &[DVec3]) -> Self {
        let sum = normals.iter().fold(DVec3::ZERO, |sum, n| sum + *n);
        let Some(axis) = sum.try_normalize() else {
            return Self::NONE;
        };
        let least = normals.iter().fold(1.0_f64, |m, n| m.min(n.dot(axis)));
        Self {
            axis,
            half_angle: libm::acos(least.clamp(-1.0, 1.0)),
        }
    }
}

/// The surface next to a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafSurface {
    /// The nearest face.
    pub face: FaceId,
    /// The outward normals of all faces about as near, or within the room of
    /// [`InnerSphereTree::with_surface_within`](super::InnerSphereTree::with_surface_within).
    pub cone: NormalCone,
}

/// The surface next to each ball: cones are of the faces no farther than the nearest and `room`.
pub(super) fn surfaces(solid: &MeshSolid<'_>, balls: &[SolidBall], room: f64) -> Vec<LeafSurface> {
    // Nothing else is a length.
    let room = if room > 0.0 && room.is_finite() {
        room
    } else {
        0.0
    };
    let mesh = solid.tree.mesh();
    map_indexed(balls.len(), 64, |probe: &mut SingleTreeCache, i| {
        let center = balls[i].center;
        let nearest = solid
            .tree
            .closest_face(center, Limits::default(), probe)
            .ok()
            .and_then(|near| near.value);
        let Some(nearest) = nearest else {
            return LeafSurface {
                face: FaceId::new(u32::MAX),
                cone: NormalCone::NONE,
            };
        };
        let mut faces: Vec<ClosestFace> = Vec::new();
        let reach = nearest.distance * NEAR + room;
        // The point was valid before.
        let _ = solid
            .tree
            .faces_within(center, reach, Limits::default(), probe, &mut faces);
        faces.sort_unstable_by_key(|near| near.face);
        let normals: Vec<DVec3> = faces
            .iter()
            .filter_map(|near| face_normal(mesh, near.face))
            .collect();
        LeafSurface {
            face: nearest.face,
            cone: NormalCone::around(&normals),
        }
    })
}
