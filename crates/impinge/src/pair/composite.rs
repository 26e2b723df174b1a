//! Composite shapes: sets of convex parts.

use std::sync::Arc;

use super::convex_piece::ConvexPiece;
use super::height_field::HeightField;
use super::item_bvh::{ChildNodes, ItemHierarchy, ItemNode, LEAF_ITEMS};
use super::mesh_shape::MeshShape;
use super::particles::Particles;
use super::shape::Shape;
use crate::bound::Aabb;
use crate::bvh::wide::{NodeView, WIDTH};
use crate::cloud::CloudShape;
use crate::convex::SupportMap;
use crate::math::Pose;
use crate::query::FaceId;

/// A bounded shape as a set of convex parts, with boxes around them.
#[derive(Clone, Debug)]
pub(super) enum Composite {
    One(ConvexPiece),
    Mesh(Arc<MeshShape>),
    Field(Arc<HeightField>),
    Balls(Arc<Particles>),
    Cloud(Arc<CloudShape>),
}

impl Composite {
    /// The parts of a shape; none for half-spaces, compounds and user-defined kinds.
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        if let Some(convex) = shape.convex() {
            return Some(Self::One(ConvexPiece::Convex(convex)));
        }
        Some(match shape {
            Shape::Mesh(mesh) => Self::Mesh(mesh.clone()),
            Shape::HeightField(field) => Self::Field(field.clone()),
            Shape::Particles(particles) => Self::Balls(particles.clone()),
            Shape::Cloud(cloud) => Self::Cloud(cloud.clone()),
            _ => return None,
        })
    }

    /// The part with this number.
    pub(super) fn part(&self, number: u32) -> ConvexPiece {
        match self {
            Self::One(part) => part.clone(),
            Self::Mesh(mesh) => ConvexPiece::Triangle(mesh.mesh().triangle(FaceId::new(number))),
            Self::Field(field) => {
                let corners = field.corners(number).unwrap_or([0; 3]);
                ConvexPiece::Triangle(corners.map(|v| field.point(v)))
            }
            Self::Balls(particles) => ConvexPiece::Ball {
                center: particles.point(number),
                radius: particles.radius_of(number),
            },
            Self::Cloud(cloud) => ConvexPiece::Ball {
                center: cloud.point(number),
                radius: 0.0,
            },
        }
    }

    /// The mesh of a surface, made for a height field; none for other shapes.
    pub(super) fn surface(&self) -> Option<&Arc<MeshShape>> {
        match self {
            Self::Mesh(mesh) => Some(mesh),
            Self::Field(field) => Some(field.mesh()),
            _ => None,
        }
    }

    pub(super) fn whole(&self) -> Aabb {
        match self {
            Self::Mesh(mesh) => mesh.bounds(),
            _ => self.root().map_or(Aabb::EMPTY, |root| self.bounds(root)),
        }
    }
}

impl ItemHierarchy for Composite {
    fn root(&self) -> Option<ItemNode> {
        match self {
            Self::One(_) => Some(ItemNode::Part(0)),
            Self::Mesh(mesh) => mesh
                .wide()
                .whole()
                .map(|whole| ItemNode::Branch(whole.number())),
            Self::Field(field) => Some(field.top()),
            Self::Balls(particles) => particles.tree().root(),
            Self::Cloud(cloud) => cloud.tree().top().map(ItemNode::Branch),
        }
    }

    fn bounds(&self, node: ItemNode) -> Aabb {
        match (self, node) {
            (Self::Mesh(mesh), ItemNode::Branch(number)) => {
                let node = mesh.wide().numbered(number);
                node.map_or(Aabb::EMPTY, |node| node.bounds.aabb())
            }
            (Self::Balls(particles), ItemNode::Branch(branch)) => {
                particles.tree().branch_bounds(branch)
            }
            (Self::Cloud(cloud), ItemNode::Branch(branch)) => cloud.tree().node_bounds(branch),
            (Self::Cloud(_), ItemNode::Bucket { .. }) => {
                let points = self.below(node);
                let boxes = points.as_slice().iter().map(|&point| self.bounds(point));
                boxes.fold(Aabb::EMPTY, |sum, point| sum.union(&point))
            }
            (Self::Field(field), node) => field.node_bounds(node),
            (_, ItemNode::Part(number)) => self.part(number).bounds(),
            _ => Aabb::EMPTY,
        }
    }

    fn placed(&self, node: ItemNode, pose: &Pose) -> Aabb {
        match node {
            ItemNode::Part(number) => self.part(number).placed_box(pose),
            node => self.bounds(node).transformed(pose),
        }
    }

    fn below_near(&self, node: ItemNode, with: &Aabb) -> ChildNodes {
        match (self, node) {
            (Self::Balls(particles), ItemNode::Branch(branch)) => {
                particles.tree().below_near(branch, with)
            }
            (Self::Mesh(mesh), ItemNode::Branch(number)) => {
                let near = |node: &NodeView| mesh.wide().parts_near(node, with);
                below_in_mesh(mesh, number, near)
            }
            _ => self.below(node),
        }
    }

    fn below(&self, node: ItemNode) -> ChildNodes {
        match (self, node) {
            (Self::Mesh(mesh), ItemNode::Branch(number)) => {
                below_in_mesh(mesh, number, |_| u32::MAX)
            }
            (Self::Balls(particles), ItemNode::Branch(branch)) => particles.tree().below(branch),
            (Self::Cloud(cloud), node) => below_in_cloud(cloud, node),
            (Self::Field(field), node) => field.below(node),
            _ => ChildNodes::none(),
        }
    }
}

/// The nodes below a node of a mesh's tree in the lanes that `near` names, or its faces.
fn below_in_mesh(mesh: &MeshShape, number: u32, near: impl Fn(&NodeView) -> u32) -> ChildNodes {
    let mut below = ChildNodes::none();
    let tree = mesh.wide();
    if let Some(node) = tree.numbered(number) {
        let lanes = near(&node);
        for lane in (0..WIDTH).filter(|lane| lanes >> lane & 1 != 0) {
            if let Some(part) = tree.part(&node, lane) {
                below.push(ItemNode::Branch(part.number()));
            }
        }
        for &face in tree.faces_of(&node) {
            below.push(ItemNode::Part(face));
        }
    }
    below
}

/// The nodes below a node of a cloud's tree. A bucket that has more points than a node may have is shown as several.
fn below_in_cloud(cloud: &CloudShape, node: ItemNode) -> ChildNodes {
    let mut below = ChildNodes::none();
    let tree = cloud.tree();
    let (bucket, skipped) = match node {
        ItemNode::Branch(branch) => match tree.halves(branch) {
            Some([low, high]) => {
                below.push(ItemNode::Branch(low));
                below.push(ItemNode::Branch(high));
                return below;
            }
            None => (branch, 0),
        },
        ItemNode::Bucket { bucket, quarter } => (bucket, usize::from(quarter) * LEAF_ITEMS),
        _ => return below,
    };
    let points = tree.points_of(bucket);
    if matches!(node, ItemNode::Branch(_)) && points.len() > LEAF_ITEMS {
        for quarter in 0..points.len().div_ceil(LEAF_ITEMS) as u8 {
            below.push(ItemNode::Bucket { bucket, quarter });
        }
        return below;
    }
    for (number, _) in points.skip(skipped).take(LEAF_ITEMS) {
        below.push(ItemNode::Part(number));
    }
    below
}
