//! One robot link against the points of a frame.

use std::ops::ControlFlow;

use glam::DVec3;
use thiserror::Error;

use super::dual_tree::{BallPoint, BestBallPoint, PendingPair, descend};
use super::nearest_point::{self, NearestSoFar};
use super::point_index::{PointHit, PointIndex};
use super::point_tree::PointTree;
use super::signed_distance::{
    ConvexSignedDistance, HalfSpaceSignedDistance, MeshSignedDistance, SignedDistance,
    SphereTreeSignedDistance,
};
use super::sphere_tree::{PackedSphereTree, PlacedSphereTree};
use crate::bound::Aabb;
use crate::bvh::wide::{SingleTreeCache, WideTree};
use crate::bvh::{MeshIndex, Solid};
use crate::convex::{Convex, HalfSpace};
use crate::math::Pose;
use crate::query::FaceId;
use crate::spheres::InnerSphereTree;

/// Why links could not be built or queried.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A ball is not valid.
    #[error("ball {ball} of the tree is not finite, out of range, or has a negative radius")]
    BadBall {
        /// Its number.
        ball: usize,
    },
    /// Not one pose per link.
    #[error("{poses} poses were given for {links} links")]
    PoseCount {
        /// How many were given.
        poses: usize,
        /// How many are needed.
        links: usize,
    },
    /// There is no such link.
    #[error("there is no link {link}, only {links}")]
    NoLink {
        /// Its number.
        link: usize,
        /// How many there are.
        links: usize,
    },
    /// A distance that is NaN.
    #[error("the distance is not a number")]
    BadDistance,
}

/// The point of a frame that is nearest to a link, or deepest in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// The link's number.
    pub link: usize,
    /// The number of the point in the frame.
    pub point: u32,
    /// The position of the point.
    pub position: DVec3,
    /// Its distance from the link; 0 on the surface and negative inside, where it is the deepest
    /// point. For a sphere tree the depth is that in a single sphere. Surfaces without inside are
    /// never negative.
    pub distance: f64,
    /// The nearest point of the link's surface, rounded.
    pub witness: DVec3,
    /// The nearest ball, numbered as in [`InnerSphereTree::balls`], for trees of balls.
    pub ball: Option<u32>,
    /// The nearest face, for meshes.
    pub face: Option<FaceId>,
}

impl NearestPoint {
    pub(super) fn of_balls(
        link: usize,
        placed: &PlacedSphereTree<'_>,
        best: &BestBallPoint,
    ) -> Self {
        let BallPoint { gap, point, ball } = best.pair;
        Self {
            link,
            point,
            position: best.position,
            distance: gap,
            witness: placed.surface_point(ball, best.position, gap),
            ball: Some(ball),
            face: None,
        }
    }
}

#[derive(Clone, Debug)]
enum LinkKind<'t> {
    Balls(PackedSphereTree),
    Mesh(&'t WideTree, Option<&'t Solid<'t>>, Aabb),
    Convex(Convex),
    HalfSpace(HalfSpace),
}

/// A part of a robot, or any other solid, in its own frame.
#[derive(Clone, Debug)]
pub struct Link<'t>(LinkKind<'t>);

impl<'t> Link<'t> {
    /// The spheres of a tree. The space between the spheres and the true surface is ignored:
    /// subtract it from the requested distance.
    ///
    /// # Errors
    /// [`LinkError::BadBall`] naming the first ball that is not valid.
    ///
    /// ```
    /// use impinge::{DVec3, scan::Link, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions}};
    /// let ball = |radius| [SolidBall { center: DVec3::ZERO, radius }];
    /// assert!(Link::spheres(&InnerSphereTree::new(&ball(1.0), &InnerSphereTreeOptions::default())?).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spheres(tree: &InnerSphereTree) -> Result<Self, LinkError> {
        let balls = PackedSphereTree::new(tree).map_err(|ball| LinkError::BadBall { ball })?;
        Ok(Self(LinkKind::Balls(balls)))
    }

    /// A mesh with an inside.
    ///
    /// ```
    /// use impinge::{bvh::{Solid, wide::WideTree}, generate::icosphere, scan::Link};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(icosphere(1.0, 4)?));
    /// let solid = Solid::closed(&tree)?;
    /// assert!(format!("{:?}", Link::solid(&solid)).contains("Mesh"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn solid(solid: &'t Solid<'t>) -> Self {
        let tree = solid.tree();
        Self(LinkKind::Mesh(tree, Some(solid), tree.mesh().bounds()))
    }

    /// The faces of a mesh, without an inside.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate::icosphere, scan::Link};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(icosphere(1.0, 4)?));
    /// assert!(format!("{:?}", Link::surface(&tree)).contains("Mesh"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn surface(tree: &'t WideTree) -> Self {
        Self(LinkKind::Mesh(tree, None, tree.mesh().bounds()))
    }

    /// A convex shape.
    ///
    /// ```
    /// use impinge::{convex::Ball, scan::Link};
    /// assert!(format!("{:?}", Link::convex(Ball::new(1.0)?)).contains("Ball"));
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn convex(shape: impl Into<Convex>) -> Self {
        Self(LinkKind::Convex(shape.into()))
    }

    /// A half-space, such as the floor.
    ///
    /// ```
    /// use impinge::{convex::HalfSpace, scan::Link};
    /// let floor = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?;
    /// assert!(format!("{:?}", Link::half_space(floor)).contains("HalfSpace"));
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn half_space(half_space: HalfSpace) -> Self {
        Self(LinkKind::HalfSpace(half_space))
    }

    pub(super) fn balls(&self) -> Option<&PackedSphereTree> {
        match &self.0 {
            LinkKind::Balls(balls) => Some(balls),
            _ => None,
        }
    }

    /// The nearest point at most `within` away, or the deepest; any one that is not farther than `enough`, if there is one.
    pub(super) fn search(
        &self,
        ask: LinkRequest<'_>,
        seed: Option<(u32, DVec3)>,
        memory: &mut LinkMemory,
    ) -> Option<NearestPoint> {
        let LinkRequest {
            number, tree, pose, ..
        } = ask;
        match &self.0 {
            LinkKind::Balls(balls) => {
                let placed = PlacedSphereTree::new(balls, pose);
                let mut best = BestBallPoint::within(ask.within);
                for (point, position) in seeds(tree, pose, seed, memory) {
                    let limit = best.pair.gap;
                    if let Some((gap, ball)) = placed.nearest(position, limit, &mut memory.parts) {
                        best.offer(BallPoint { gap, point, ball }, position);
                    }
                }
                memory.tests = descend(tree, &placed, ask.enough, &mut best, &mut memory.pairs);
                memory.local = best.is_found().then(|| balls.ball(best.pair.ball).center);
                best.is_found()
                    .then(|| NearestPoint::of_balls(number, &placed, &best))
            }
            LinkKind::Mesh(mesh, solid, bounds) => {
                let seeds = seeds(tree, pose, seed, memory);
                let mut gauge =
                    MeshSignedDistance::new(mesh, *solid, *bounds, pose, &mut memory.probe);
                let found = by_gauge(ask, seeds, &mut gauge)?;
                memory.local = Some(pose.inverse().transform_point(found.witness));
                Some(found)
            }
            LinkKind::Convex(shape) => {
                let seeds = seeds(tree, pose, seed, memory);
                let found = by_gauge(ask, seeds, &mut ConvexSignedDistance::new(shape, pose))?;
                memory.local = Some(pose.inverse().transform_point(found.witness));
                Some(found)
            }
            LinkKind::HalfSpace(half_space) => by_gauge(
                ask,
                [].into_iter(),
                &mut HalfSpaceSignedDistance::new(half_space, pose),
            ),
        }
    }

    pub(super) fn points_within(
        &self,
        tree: &PointTree,
        pose: &Pose,
        distance: f64,
        memory: &mut LinkMemory,
        show: &mut dyn FnMut(PointHit, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match &self.0 {
            LinkKind::Balls(balls) => {
                let mut gauge = SphereTreeSignedDistance::new(
                    PlacedSphereTree::new(balls, pose),
                    &mut memory.parts,
                );
                nearest_point::within(tree, &mut gauge, distance, show)
            }
            LinkKind::Mesh(mesh, solid, bounds) => {
                let mut gauge =
                    MeshSignedDistance::new(mesh, *solid, *bounds, pose, &mut memory.probe);
                nearest_point::within(tree, &mut gauge, distance, show)
            }
            LinkKind::Convex(shape) => nearest_point::within(
                tree,
                &mut ConvexSignedDistance::new(shape, pose),
                distance,
                show,
            ),
            LinkKind::HalfSpace(half_space) => {
                let mut gauge = HalfSpaceSignedDistance::new(half_space, pose);
                nearest_point::within(tree, &mut gauge, distance, show)
            }
        }
    }
}

/// A query of a link.
#[derive(Clone, Copy)]
pub(super) struct LinkRequest<'a> {
    pub(super) number: usize,
    pub(super) tree: &'a PointTree,
    pub(super) pose: &'a Pose,
    pub(super) within: f64,
    pub(super) enough: f64,
}

/// Points to begin with: that of the link before, and the one nearest to where this link was nearest last time.
fn seeds(
    tree: &PointTree,
    pose: &Pose,
    seed: Option<(u32, DVec3)>,
    memory: &LinkMemory,
) -> impl Iterator<Item = (u32, DVec3)> + use<> {
    let again = memory
        .local
        .and_then(|local| tree.nearest(pose.transform_point(local)))
        .map(|hit| (hit.point, hit.position));
    again.into_iter().chain(seed)
}

fn by_gauge(
    ask: LinkRequest<'_>,
    seeds: impl Iterator<Item = (u32, DVec3)>,
    gauge: &mut impl SignedDistance,
) -> Option<NearestPoint> {
    let mut best = NearestSoFar::within(ask.within);
    for (point, position) in seeds {
        let distance = gauge.at(position, best.distance);
        best.offer(distance, point, position);
    }
    nearest_point::nearest(ask.tree, gauge, ask.enough, &mut best);
    if !best.is_found() {
        return None;
    }
    let witness = gauge.witness(best.position)?;
    Some(NearestPoint {
        link: ask.number,
        point: best.point,
        position: best.position,
        distance: best.distance,
        witness: witness.position,
        ball: witness.ball,
        face: witness.face,
    })
}

/// What is remembered about one link.
#[derive(Debug, Default)]
pub(super) struct LinkMemory {
    /// Where it was nearest, in its own frame.
    pub(super) local: Option<DVec3>,
    parts: Vec<(f64, u32)>,
    pairs: Vec<PendingPair>,
    probe: SingleTreeCache,
    /// Pairs that its last search compared.
    pub(super) tests: u64,
}
