//! Signed distance of a point to a solid.
//!
//! A signed distance changes by no more than the point moves. So one value at the middle of a box
//! bounds it for all points of the box.

use glam::DVec3;

use super::sphere_tree::{PlacedSphereTree, stretch};
use crate::bound::Aabb;
use crate::bvh::Solid;
use crate::bvh::wide::{SingleTreeCache, WideTree};
use crate::convex::{Convex, GjkCache, HalfSpace, Segment, SupportMap, distance, penetration};
use crate::math::Pose;
use crate::mesh::point_in_mesh::Location;
use crate::query::{FaceId, Limits};

/// A depth in a round shape is known to this fraction of the shape's size.
const DEPTH_ERROR: f64 = 2e-6;
/// A distance from a convex shape is known to this fraction of itself.
const GAP_ERROR: f64 = 1e-8;
/// A distance from a face is known to this fraction of the largest coordinate.
const FACE_ERROR: f64 = 1e-14;

/// Where a solid is nearest to a point, in the frame of the points.
#[derive(Clone, Copy, Debug)]
pub(super) struct WitnessPoint {
    pub(super) position: DVec3,
    pub(super) face: Option<FaceId>,
    pub(super) ball: Option<u32>,
}

/// A placed solid that can be measured.
pub(super) trait SignedDistance {
    /// The distance of `p`, negative inside; infinite, if that is easier, when it exceeds `within`.
    fn at(&mut self, p: DVec3, within: f64) -> f64;

    /// A number that no [`SignedDistance::at`] in the box falls short of; anything above `within`, if that is easier, when that is known to be one.
    fn at_least(&mut self, bounds: &Aabb, within: f64) -> f64;

    /// Where the solid is nearest to `p`.
    fn witness(&mut self, p: DVec3) -> Option<WitnessPoint>;
}

/// The middle of a box and how far its corners are from it, a little more.
fn middle(bounds: &Aabb) -> (DVec3, f64) {
    let center = bounds.center();
    let half = (bounds.max - center).max(center - bounds.min);
    (center, half.length() * (1.0 + 1e-14))
}

/// Takes points into the frame of a solid.
#[derive(Clone, Copy, Debug)]
struct SolidFrames {
    world_from_link: Pose,
    link_from_world: Pose,
    stretch: f64,
}

impl SolidFrames {
    fn new(world_from_link: &Pose) -> Self {
        Self {
            world_from_link: *world_from_link,
            link_from_world: world_from_link.inverse(),
            stretch: stretch(world_from_link),
        }
    }

    fn local(&self, p: DVec3) -> DVec3 {
        self.link_from_world.transform_point(p)
    }

    /// What taking a point into the frame may round.
    fn rounding(&self, p: DVec3) -> f64 {
        let far = p.abs().max_element() + self.link_from_world.translation().abs().max_element();
        FACE_ERROR * far
    }
}

/// A mesh with an inside, or a surface without.
#[derive(Debug)]
pub(super) struct MeshSignedDistance<'g> {
    tree: &'g WideTree,
    solid: Option<&'g Solid<'g>>,
    bounds: Aabb,
    frames: SolidFrames,
    cache: &'g mut SingleTreeCache,
}

impl<'g> MeshSignedDistance<'g> {
    pub(super) fn new(
        tree: &'g WideTree,
        solid: Option<&'g Solid<'g>>,
        bounds: Aabb,
        pose: &Pose,
        cache: &'g mut SingleTreeCache,
    ) -> Self {
        Self {
            tree,
            solid,
            bounds,
            frames: SolidFrames::new(pose),
            cache,
        }
    }

    /// In the frame of the mesh.
    fn local_at(&mut self, p: DVec3, within: f64) -> f64 {
        let place = match self.solid {
            Some(solid) if self.bounds.contains(p) => solid.locate_with(p, self.cache),
            _ => Ok(Location::Outside),
        };
        let limits = |max_distance| Limits {
            max_distance,
            ..Limits::default()
        };
        match place {
            Ok(Location::OnBoundary) => 0.0,
            Ok(Location::Inside) => self.closest(p, limits(None)).map_or(0.0, |d| -d),
            _ if within < 0.0 => f64::INFINITY,
            _ => self
                .closest(p, limits(Some(within)))
                .unwrap_or(f64::INFINITY),
        }
    }

    fn closest(&mut self, p: DVec3, limits: Limits<'_>) -> Option<f64> {
        let found = self.tree.closest_face(p, limits, self.cache).ok()?;
        found.value.map(|face| face.distance)
    }
}

impl SignedDistance for MeshSignedDistance<'_> {
    fn at(&mut self, p: DVec3, within: f64) -> f64 {
        self.local_at(self.frames.local(p), within)
    }

    fn at_least(&mut self, bounds: &Aabb, within: f64) -> f64 {
        let (center, half) = middle(bounds);
        let local = self.frames.local(center);
        let size = self.bounds.min.abs().max(self.bounds.max.abs());
        let slack = half * self.frames.stretch
            + self.frames.rounding(center)
            + FACE_ERROR * (size.max_element() + half);
        self.local_at(local, within + slack) - slack
    }

    fn witness(&mut self, p: DVec3) -> Option<WitnessPoint> {
        let local = self.frames.local(p);
        let found = self
            .tree
            .closest_face(local, Limits::default(), self.cache)
            .ok()?
            .value?;
        Some(WitnessPoint {
            position: self.frames.world_from_link.transform_point(found.point),
            face: Some(found.face),
            ball: None,
        })
    }
}

/// A convex shape.
#[derive(Debug)]
pub(super) struct ConvexSignedDistance<'g> {
    shape: &'g Convex,
    bounds: Aabb,
    frames: SolidFrames,
}

impl<'g> ConvexSignedDistance<'g> {
    pub(super) fn new(shape: &'g Convex, pose: &Pose) -> Self {
        Self {
            shape,
            bounds: shape.bounds(),
            frames: SolidFrames::new(pose),
        }
    }

    /// The distance and the nearest point, in the frame of the shape. Each query begins afresh, so that the answer depends on the point alone.
    fn local(&self, p: DVec3) -> Option<(f64, DVec3)> {
        let point = Segment::new(p, p).ok()?;
        let mut cache = GjkCache::new();
        let found = distance(self.shape, &point, &Pose::IDENTITY, &mut cache).value;
        if found.distance > 0.0 {
            return Some((found.distance, found.point_a));
        }
        let deep = penetration(self.shape, &point, &Pose::IDENTITY, &mut GjkCache::new());
        Some(deep.map_or((0.0, p), |deep| {
            let deep = deep.value;
            (-deep.depth, p + deep.normal * deep.depth)
        }))
    }
}

impl SignedDistance for ConvexSignedDistance<'_> {
    fn at(&mut self, p: DVec3, _: f64) -> f64 {
        let local = self.frames.local(p);
        self.local(local).map_or(f64::INFINITY, |(d, _)| d)
    }

    fn at_least(&mut self, bounds: &Aabb, within: f64) -> f64 {
        let (center, half) = middle(bounds);
        let local = self.frames.local(center);
        let slack = half * self.frames.stretch + self.frames.rounding(center);
        // The box around the shape says enough about most; a middle in the box may lie in the shape, as deep as may be.
        let size = self.bounds.diagonal().max_element();
        let rough = self.bounds.distance_sq(local).sqrt() * (1.0 - GAP_ERROR);
        let coarse = rough - slack - DEPTH_ERROR * size;
        if rough > 0.0 && coarse > within {
            return coarse;
        }
        let Some((d, _)) = self.local(local) else {
            return f64::NEG_INFINITY;
        };
        d - slack - DEPTH_ERROR * size - GAP_ERROR * d.abs()
    }

    fn witness(&mut self, p: DVec3) -> Option<WitnessPoint> {
        let local = self.frames.local(p);
        let (_, nearest) = self.local(local)?;
        Some(WitnessPoint {
            position: self.frames.world_from_link.transform_point(nearest),
            face: None,
            ball: None,
        })
    }
}

/// A half-space.
#[derive(Debug)]
pub(super) struct HalfSpaceSignedDistance {
    normal: DVec3,
    offset: f64,
}

impl HalfSpaceSignedDistance {
    /// The half-space `normal · p ≤ offset` of the world.
    pub(super) fn new(half_space: &HalfSpace, pose: &Pose) -> Self {
        let normal = pose.transform_vector(half_space.normal());
        // The height of the origin is the offset with the other sign, exactly: a product with 0 is 0.
        let height = Segment::new(DVec3::ZERO, DVec3::ZERO).map_or(0.0, |origin| {
            half_space.height_of(&origin, &Pose::IDENTITY).height
        });
        Self {
            normal,
            offset: normal.dot(pose.translation()) - height,
        }
    }

    fn height(&self, p: DVec3) -> f64 {
        let n = self.normal;
        (n.x * p.x + n.y * p.y + n.z * p.z) - self.offset
    }
}

impl SignedDistance for HalfSpaceSignedDistance {
    fn at(&mut self, p: DVec3, _: f64) -> f64 {
        self.height(p)
    }

    fn at_least(&mut self, bounds: &Aabb, _: f64) -> f64 {
        // Each product and sum grows with what goes in, so the lowest corner is not above any point, rounding included.
        let lowest = DVec3::from_array(std::array::from_fn(|k| {
            if self.normal[k] > 0.0 {
                bounds.min[k]
            } else {
                bounds.max[k]
            }
        }));
        self.height(lowest)
    }

    fn witness(&mut self, p: DVec3) -> Option<WitnessPoint> {
        Some(WitnessPoint {
            position: p - self.normal * self.height(p),
            face: None,
            ball: None,
        })
    }
}

/// A tree of balls.
#[derive(Debug)]
pub(super) struct SphereTreeSignedDistance<'g> {
    placed: PlacedSphereTree<'g>,
    waiting: &'g mut Vec<(f64, u32)>,
}

impl<'g> SphereTreeSignedDistance<'g> {
    pub(super) fn new(placed: PlacedSphereTree<'g>, waiting: &'g mut Vec<(f64, u32)>) -> Self {
        Self { placed, waiting }
    }
}

impl SignedDistance for SphereTreeSignedDistance<'_> {
    fn at(&mut self, p: DVec3, within: f64) -> f64 {
        self.placed
            .nearest(p, within, self.waiting)
            .map_or(f64::INFINITY, |(gap, _)| gap)
    }

    fn at_least(&mut self, bounds: &Aabb, within: f64) -> f64 {
        let (center, half) = middle(bounds);
        let far = center.abs().max_element() + half;
        let slack = half + FACE_ERROR * far;
        let found = self.placed.nearest(center, within + slack, self.waiting);
        found.map_or(f64::INFINITY, |(gap, _)| {
            gap - slack - FACE_ERROR * gap.abs()
        })
    }

    fn witness(&mut self, p: DVec3) -> Option<WitnessPoint> {
        let (gap, ball) = self.placed.nearest(p, f64::INFINITY, self.waiting)?;
        Some(WitnessPoint {
            position: self.placed.surface_point(ball, p, gap),
            face: None,
            ball: Some(ball),
        })
    }
}
