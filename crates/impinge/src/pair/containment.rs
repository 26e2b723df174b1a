//! The contact of a shape inside a solid mesh, or around one, where their surfaces do not
//! intersect.
//!
//! **Question.** Which contact separates a shape from a solid that contains it?
//! **Idea.** The [minimum translation](super::depth) gives a normal, a depth, and the two points
//! that touch last. If no separating translation is found, a point of one shape and the nearest
//! point of the other's surface are used.
//! **Promise.** There is a contact exactly if the intersection test of solids says that one
//! contains the other. Its depth is the length of a translation that separates them, along the
//! normal; except in the last case, where it is the depth of the point.
//! **Cost.** That of a depth of solids: far more than one contact of surfaces.

use glam::DVec3;

use super::cloud_distance::PointProbe;
use super::composite::Composite;
use super::config::PairConfig;
use super::contacts::NamedTouch;
use super::depth::DepthQuery;
use super::manifold_clipping::{ManifoldPoint, feature_at};
use super::mesh_shape::MeshShape;
use super::min_translation::MinTranslation;
use super::point_containment::contained;
use super::shape::Shape;
use super::support_face::{SupportFace, support_face};
use super::unsupported::QueryKind;
use crate::convex::{ConvexPenetration, Feature, SupportMap};
use crate::math::Pose;
use crate::query::Limits;

/// Two shapes of which one may lie inside the other, a solid.
#[derive(Debug)]
pub(super) struct Containment {
    shapes: [Shape; 2],
    config: PairConfig,
    way_out: Option<MinTranslationSearch>,
    probe: PointProbe,
    facet: SupportFace,
}

/// What finds the way out; made when first needed.
#[derive(Debug)]
enum MinTranslationSearch {
    Depth(Box<DepthQuery>),
    /// For surfaces, which have no depth of their own.
    Exit(Box<MinTranslation>),
    None,
}

impl Containment {
    /// None unless meshes are solids and one that is closed is among the shapes.
    pub(super) fn new(shapes: [&Shape; 2], config: &PairConfig) -> Option<Self> {
        let is_solid = |shape: &Shape| matches!(shape, Shape::Mesh(mesh) if mesh.is_closed());
        let is_open = |shape: &Shape| matches!(shape, Shape::Mesh(mesh) if !mesh.is_closed());
        let has_solid = shapes.into_iter().any(is_solid) && !shapes.into_iter().any(is_open);
        (config.solid && has_solid).then(|| Self {
            shapes: shapes.map(Shape::clone),
            config: config.clone(),
            way_out: None,
            probe: PointProbe::default(),
            facet: SupportFace::default(),
        })
    }

    /// The contact of two shapes whose surfaces do not meet; none unless one lies inside the other.
    pub(super) fn touch(&mut self, parts: [&Composite; 2], a_from_b: &Pose) -> Option<NamedTouch> {
        let common = contained(parts[0], parts[1], a_from_b, &mut self.probe)?;
        let [a, b] = &self.shapes;
        let config = &self.config;
        let way_out = self.way_out.get_or_insert_with(|| {
            if let Ok(query) = DepthQuery::new(a, b, config) {
                return MinTranslationSearch::Depth(Box::new(query));
            }
            match MinTranslation::new(QueryKind::Contact, a, b, config) {
                Ok(exit) => MinTranslationSearch::Exit(Box::new(exit)),
                Err(_) => MinTranslationSearch::None,
            }
        });
        let found = match way_out {
            MinTranslationSearch::Depth(query) => query.at(a_from_b, Limits::default()).value,
            MinTranslationSearch::Exit(exit) => {
                exit.at(a_from_b, 0.0, &[], Limits::default()).value
            }
            MinTranslationSearch::None => None,
        };
        let way = found.or_else(|| self.nearest(parts, common, a_from_b))?;
        let [(part_a, feature_a), (part_b, feature_b)] = [
            self.place(parts[0], &Pose::IDENTITY, way.point_a, way.normal),
            self.place(parts[1], a_from_b, way.point_b, -way.normal),
        ];
        Some(NamedTouch {
            touch: ManifoldPoint {
                // Both points are on the way, so that the depth is their distance.
                point_a: way.point_a,
                point_b: way.point_a - way.normal * way.depth,
                normal: way.normal,
                depth: way.depth,
                features: [feature_a, feature_b],
            },
            parts: [part_a, part_b],
            place: 0,
        })
    }

    /// How deep a common point is in the solid that contains it.
    fn nearest(
        &mut self,
        parts: [&Composite; 2],
        common: DVec3,
        a_from_b: &Pose,
    ) -> Option<ConvexPenetration> {
        if let Composite::Mesh(mesh) = parts[0]
            && let Some(way) = self.out_of(mesh, common)
        {
            return Some(ConvexPenetration {
                depth: way.length(),
                normal: way.try_normalize().unwrap_or(DVec3::Z),
                point_a: common + way,
                point_b: common,
            });
        }
        let Composite::Mesh(mesh) = parts[1] else {
            return None;
        };
        let way = self.out_of(mesh, a_from_b.inverse() * common)?;
        let way = a_from_b.transform_vector(way);
        Some(ConvexPenetration {
            depth: way.length(),
            normal: -way.try_normalize().unwrap_or(DVec3::Z),
            point_a: common,
            point_b: common + way,
        })
    }

    /// The way from a point in a solid to the nearest point of its surface.
    fn out_of(&mut self, mesh: &MeshShape, p: DVec3) -> Option<DVec3> {
        let solid = mesh.solid();
        if !solid.contains(p, &mut self.probe.cache) {
            return None;
        }
        let tree = mesh.wide();
        let nearest = tree.closest_face(p, Limits::default(), &mut self.probe.cache);
        nearest.ok()?.value.map(|face| face.point - p)
    }

    /// The part of a placed shape, and its feature, nearest to a point of the frame it is placed in.
    fn place(
        &mut self,
        parts: &Composite,
        pose: &Pose,
        point: DVec3,
        direction: DVec3,
    ) -> (u32, Feature) {
        let own = pose.inverse() * point;
        let nearest = |points: &mut dyn Iterator<Item = (u32, DVec3)>| {
            let mut best = (0, f64::INFINITY);
            for (number, p) in points {
                let off = p.distance_squared(own);
                if off < best.1 {
                    best = (number, off);
                }
            }
            (best.0, Feature::Vertex(0))
        };
        match parts {
            Composite::One(part) => {
                support_face(part, pose, direction, &mut self.facet);
                let core = point - direction * part.radius();
                (0, feature_at(&self.facet, core))
            }
            Composite::Mesh(_) | Composite::Field(_) => {
                let tree = parts.surface().map(|mesh| mesh.wide());
                let found = tree.and_then(|tree| {
                    let face = tree.closest_face(own, Limits::default(), &mut self.probe.cache);
                    face.ok().and_then(|face| face.value)
                });
                (found.map_or(0, |face| face.face.raw()), Feature::Face(0))
            }
            Composite::Balls(balls) => nearest(&mut (0..).zip(balls.points().iter().copied())),
            Composite::Cloud(cloud) => {
                let count = cloud.cloud().len() as u32;
                nearest(&mut (0..count).map(|number| (number, cloud.point(number))))
            }
        }
    }
}
