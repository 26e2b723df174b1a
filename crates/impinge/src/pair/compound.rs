//! Compound shapes: children with fixed relative poses.

use thiserror::Error;

use super::item_bvh::{BoxedParts, ItemBvh};
use super::shape::Shape;
use crate::bound::Aabb;
use crate::math::Pose;
use crate::query::FaceId;

/// Children that one compound may have, those of nested compounds counted.
pub const MAX_CHILDREN: usize = 1 << 24;

/// Why a compound was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CompoundError {
    /// More children than can be numbered.
    #[error("{count} children are more than the {MAX_CHILDREN} a compound may have")]
    TooMany {
        /// How many there would be.
        count: usize,
    },
    /// More faces than can be numbered.
    #[error("the children up to {child} have more faces than can be numbered")]
    TooManyFaces {
        /// The child that has one too many.
        child: usize,
    },
}

/// A child of a compound.
#[derive(Clone, Debug)]
pub struct Child {
    /// The pose of the child in the frame of the compound.
    pub compound_from_child: Pose,
    /// The shape; never a compound.
    pub shape: Shape,
}

/// Shapes that move together: the union of its children.
///
/// Compounds among the children are replaced by their own children, so that there is one list, in order. Faces are numbered through all
/// children; a shape without faces counts as one.
#[derive(Clone, Debug)]
#[doc(alias = "compound shape")]
pub struct Compound {
    children: Vec<Child>,
    /// The first face of each child.
    starts: Vec<u32>,
    boxes: Vec<Option<Aabb>>,
    tree: ItemBvh,
    /// Which children the items of the tree are.
    bounded: Vec<u32>,
    unbounded: Vec<u32>,
}

impl Compound {
    /// The compound of placed shapes; none is a compound too.
    ///
    /// # Errors
    /// [`CompoundError`] for more children or faces than can be numbered.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::{Compound, Shape}};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let pair = Compound::new([(Pose::IDENTITY, ball.clone()), (Pose::from_translation([3.0, 0.0, 0.0])?, ball)])?;
    /// assert_eq!(pair.children().len(), 2);
    /// let nested = Compound::new([(Pose::IDENTITY, Shape::from(pair.clone())), (Pose::IDENTITY, Shape::from(pair))])?;
    /// assert_eq!(nested.children().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(children: impl IntoIterator<Item = (Pose, Shape)>) -> Result<Self, CompoundError> {
        let mut flat: Vec<Child> = Vec::new();
        for (pose, shape) in children {
            match shape {
                Shape::Compound(inner) => flat.extend(inner.children.iter().map(|child| Child {
                    compound_from_child: pose * child.compound_from_child,
                    shape: child.shape.clone(),
                })),
                shape => flat.push(Child {
                    compound_from_child: pose,
                    shape,
                }),
            }
            if flat.len() > MAX_CHILDREN {
                return Err(CompoundError::TooMany { count: flat.len() });
            }
        }
        let mut starts = Vec::with_capacity(flat.len());
        let mut next = 0_u32;
        for (index, child) in flat.iter().enumerate() {
            starts.push(next);
            next = next
                .checked_add(faces_of(&child.shape).max(1))
                .ok_or(CompoundError::TooManyFaces { child: index })?;
        }
        let boxes: Vec<Option<Aabb>> = flat
            .iter()
            .map(|child| child.shape.bounds(&child.compound_from_child))
            .collect();
        let numbers = 0..flat.len() as u32;
        let (bounded, unbounded): (Vec<u32>, Vec<u32>) =
            numbers.partition(|&i| boxes[i as usize].is_some());
        let known: Vec<Aabb> = boxes.iter().copied().flatten().collect();
        Ok(Self {
            tree: ItemBvh::new(&known),
            children: flat,
            starts,
            boxes,
            bounded,
            unbounded,
        })
    }

    /// The children, none of them a compound.
    #[must_use]
    pub fn children(&self) -> &[Child] {
        &self.children
    }

    /// The child that a face of the compound belongs to, and the face's number there; none when there is no such face.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::{Compound, Shape}, query::FaceId};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let two = Compound::new([(Pose::IDENTITY, ball.clone()), (Pose::IDENTITY, ball)])?;
    /// assert_eq!(two.child_of(FaceId::new(1)), Some((1, FaceId::new(0))));
    /// assert_eq!(two.child_of(FaceId::new(2)), None);
    /// assert!(two.bounds().is_some_and(|bounds| bounds.max.x >= 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn child_of(&self, face: FaceId) -> Option<(usize, FaceId)> {
        let child = self
            .starts
            .partition_point(|&start| start <= face.raw())
            .checked_sub(1)?;
        let own = face.raw() - self.starts[child];
        let count = faces_of(&self.children[child].shape).max(1);
        (own < count).then_some((child, FaceId::new(own)))
    }

    /// The face's number in the compound.
    pub(super) fn face_of(&self, child: u32, face: FaceId) -> FaceId {
        let start = self.starts.get(child as usize).copied().unwrap_or(0);
        FaceId::new(start.saturating_add(face.raw()))
    }

    /// The box around all children; none when one of them has no bounds.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        self.unbounded.is_empty().then(|| self.tree.whole())
    }

    /// The box around a child; none when it has no bounds.
    pub(super) fn child_bounds(&self, child: u32) -> Option<Aabb> {
        self.boxes.get(child as usize).copied().flatten()
    }

    pub(super) fn bounded(&self, item: u32) -> u32 {
        self.bounded.get(item as usize).copied().unwrap_or(0)
    }

    pub(super) fn unbounded(&self) -> &[u32] {
        &self.unbounded
    }

    pub(super) fn bounded_children(&self) -> &[u32] {
        &self.bounded
    }
}

/// Parts are the bounded children, by their place among them.
impl BoxedParts for Compound {
    fn tree(&self) -> &ItemBvh {
        &self.tree
    }
    fn part_bounds(&self, part: u32) -> Aabb {
        self.boxes[self.bounded(part) as usize].unwrap_or(Aabb::EMPTY)
    }
}

/// How many faces a shape names in its answers.
fn faces_of(shape: &Shape) -> u32 {
    match shape {
        Shape::Mesh(mesh) => mesh.mesh().face_count() as u32,
        Shape::HeightField(field) => field.face_count(),
        Shape::Particles(particles) => particles.points().len() as u32,
        Shape::Cloud(cloud) => cloud.cloud().len() as u32,
        _ => 1,
    }
}
