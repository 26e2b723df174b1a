//! Shapes as sets of convex parts.

use std::sync::Arc;

use super::height_field::HeightField;
use super::mesh_shape::MeshShape;
use super::part::Part;
use super::particles::Particles;
use super::shape::Shape;
use super::tree::{Below, Hierarchy, LEAF_ITEMS, Node};
use crate::bound::Aabb;
use crate::cloud::CloudShape;
use crate::convex::Support;
use crate::math::Pose;
use crate::query::FaceId;

/// A bounded shape as a set of convex parts, with boxes around them.
#[derive(Clone, Debug)]
pub(super) enum Parts {
    One(Part),
    Mesh(Arc<MeshShape>),
    Field(Arc<HeightField>),
    Balls(Arc<Particles>),
    Cloud(Arc<CloudShape>),
}

impl Parts {
    /// The parts of a shape; none for half-spaces, compounds and kinds of the user's own.
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        if let Some(convex) = shape.convex() {
            return Some(Self::One(Part::Convex(convex)));
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
    pub(super) fn part(&self, number: u32) -> Part {
        match self {
            Self::One(part) => part.clone(),
            Self::Mesh(mesh) => Part::Triangle(mesh.mesh().triangle(FaceId::new(number))),
            Self::Field(field) => {
                let corners = field.corners(number).unwrap_or([0; 3]);
                Part::Triangle(corners.map(|v| field.point(v)))
            }
            Self::Balls(particles) => Part::Ball {
                center: particles.point(number),
                radius: particles.radius_of(number),
            },
            Self::Cloud(cloud) => Part::Ball {
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
        self.root().map_or(Aabb::EMPTY, |root| self.bounds(root))
    }
}

impl Hierarchy for Parts {
    fn root(&self) -> Option<Node> {
        match self {
            Self::One(_) => Some(Node::Part(0)),
            Self::Mesh(mesh) => mesh.faces().root(),
            Self::Field(field) => Some(field.top()),
            Self::Balls(particles) => particles.tree().root(),
            Self::Cloud(cloud) => cloud.tree().top().map(Node::Branch),
        }
    }

    fn bounds(&self, node: Node) -> Aabb {
        match (self, node) {
            (Self::Mesh(mesh), Node::Branch(branch)) => mesh.faces().branch_bounds(branch),
            (Self::Balls(particles), Node::Branch(branch)) => {
                particles.tree().branch_bounds(branch)
            }
            (Self::Cloud(cloud), Node::Branch(branch)) => cloud.tree().node_bounds(branch),
            (Self::Cloud(_), Node::Bucket { .. }) => {
                let points = self.below(node);
                let boxes = points.as_slice().iter().map(|&point| self.bounds(point));
                boxes.fold(Aabb::EMPTY, |sum, point| sum.union(&point))
            }
            (Self::Field(field), node) => field.node_bounds(node),
            (_, Node::Part(number)) => self.part(number).bounds(),
            _ => Aabb::EMPTY,
        }
    }

    fn placed(&self, node: Node, pose: &Pose) -> Aabb {
        match node {
            Node::Part(number) => self.part(number).placed_box(pose),
            node => self.bounds(node).transformed(pose),
        }
    }

    fn below(&self, node: Node) -> Below {
        match (self, node) {
            (Self::Mesh(mesh), Node::Branch(branch)) => mesh.faces().below(branch),
            (Self::Balls(particles), Node::Branch(branch)) => particles.tree().below(branch),
            (Self::Cloud(cloud), node) => below_in_cloud(cloud, node),
            (Self::Field(field), node) => field.below(node),
            _ => Below::none(),
        }
    }
}

/// The nodes below a node of a cloud's tree. A bucket that has more points than a node may have is shown as several.
fn below_in_cloud(cloud: &CloudShape, node: Node) -> Below {
    let mut below = Below::none();
    let tree = cloud.tree();
    let (bucket, skipped) = match node {
        Node::Branch(branch) => match tree.halves(branch) {
            Some([low, high]) => {
                below.push(Node::Branch(low));
                below.push(Node::Branch(high));
                return below;
            }
            None => (branch, 0),
        },
        Node::Bucket { bucket, quarter } => (bucket, usize::from(quarter) * LEAF_ITEMS),
        _ => return below,
    };
    let points = tree.points_of(bucket);
    if matches!(node, Node::Branch(_)) && points.len() > LEAF_ITEMS {
        for quarter in 0..points.len().div_ceil(LEAF_ITEMS) as u8 {
            below.push(Node::Bucket { bucket, quarter });
        }
        return below;
    }
    for (number, _) in points.skip(skipped).take(LEAF_ITEMS) {
        below.push(Node::Part(number));
    }
    below
}
