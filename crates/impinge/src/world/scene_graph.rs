//! Scene graph: poses relative to parent objects.
//!
//! **Question.** Where is each node of a tree of placements, and which box contains everything
//! below it?
//! **Idea.** A node stores its placement in its parent's frame. Derived data is computed when
//! requested; a change marks the poses below and the boxes above as stale, and stops at nodes that
//! already are. [`SceneGraph::update`] refreshes everything level by level: poses downward, boxes
//! upward, each level in parallel.
//! **Source.** Zachmann 1994, section 6.2, the order called jo-jo there; its other order, in which
//! several processes write the same ancestor, is a data race.
//! **Cost.** Only what a change makes stale is computed, once.
//! **Promise.** Lazy, serial and parallel refreshing give the same bytes.

use thiserror::Error;

use crate::bound::Aabb;
use crate::broad::ObjectId;
use crate::math::Pose;

/// Names a node of a [`SceneGraph`]: nodes are never removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SceneNodeId(u32);

/// A tree of placements with the boxes of what is placed.
///
/// ```
/// use impinge::{DVec3, Pose, bound::Aabb, world::{SceneGraph, SceneGraphWork}};
/// let mut graph = SceneGraph::default();
/// let arm = graph.root(Pose::from_translation([1.0, 0.0, 0.0])?)?;
/// let hand = graph.child(arm, Pose::from_translation([0.0, 2.0, 0.0])?)?;
/// graph.set_bounds(hand, Aabb { min: DVec3::ZERO, max: DVec3::ONE })?;
/// assert_eq!(graph.world_from_node(hand)?.translation(), DVec3::new(1.0, 2.0, 0.0));
/// graph.set_local(arm, Pose::IDENTITY)?;
/// assert_eq!(graph.bounds_below(arm)?.max, DVec3::new(1.0, 3.0, 1.0));
/// assert_eq!(graph.work(), SceneGraphWork { poses: 4, boxes: 2 });
/// // Only the hand moves: its pose is new, and so are both boxes.
/// graph.set_local(hand, Pose::IDENTITY)?;
/// graph.update();
/// assert_eq!(graph.work(), SceneGraphWork { poses: 5, boxes: 4 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct SceneGraph {
    nodes: Vec<GraphNode>,
    /// Nodes by their distance from a root, in the order they came.
    levels: Vec<Vec<u32>>,
    /// Nodes with an object whose pose was recomputed since it was last handed on.
    moved: Vec<u32>,
    /// Poses and boxes computed so far.
    work: SceneGraphWork,
}

/// What a scene graph computed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneGraphWork {
    /// Poses of nodes in the world.
    pub poses: u64,
    /// Boxes of subtrees.
    pub boxes: u64,
}

#[derive(Debug)]
struct GraphNode {
    parent: Option<u32>,
    depth: usize,
    children: Vec<u32>,
    parent_from_node: Pose,
    /// The box of what is placed here, in the node's frame.
    own: Aabb,
    object: Option<ObjectId>,
    world_from_node: Pose,
    below: Aabb,
    /// When stale, so is every pose below.
    is_pose_stale: bool,
    /// When stale, so is every box above.
    is_box_stale: bool,
    is_handed_on: bool,
}

/// Why a scene graph refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SceneGraphError {
    /// There is no such node.
    #[error("there is no node {node}")]
    Unknown {
        /// The number requested.
        node: u32,
    },
    /// There are no numbers left.
    #[error("{nodes} nodes are too many")]
    TooMany {
        /// How many there are.
        nodes: usize,
    },
}

/// From this many nodes of a level on, threads share it.
#[cfg(feature = "parallel")]
const MANY: usize = 256;

impl SceneGraph {
    /// A new node without a parent.
    ///
    /// # Errors
    /// When there are too many nodes.
    pub fn root(&mut self, world_from_node: Pose) -> Result<SceneNodeId, SceneGraphError> {
        self.add(None, 0, world_from_node)
    }

    /// A new node below another.
    ///
    /// # Errors
    /// When there is no such parent, or there are too many nodes.
    pub fn child(
        &mut self,
        parent: SceneNodeId,
        parent_from_node: Pose,
    ) -> Result<SceneNodeId, SceneGraphError> {
        let depth = self.node(parent)?.depth + 1;
        self.add(Some(parent.0), depth, parent_from_node)
    }

    fn add(
        &mut self,
        parent: Option<u32>,
        depth: usize,
        pose: Pose,
    ) -> Result<SceneNodeId, SceneGraphError> {
        let number = u32::try_from(self.nodes.len()).map_err(|_| SceneGraphError::TooMany {
            nodes: self.nodes.len(),
        })?;
        self.nodes.push(GraphNode {
            parent,
            depth,
            children: Vec::new(),
            parent_from_node: pose,
            own: Aabb::EMPTY,
            object: None,
            world_from_node: pose,
            below: Aabb::EMPTY,
            is_pose_stale: true,
            is_box_stale: false,
            is_handed_on: true,
        });
        if let Some(parent) = parent {
            self.nodes[parent as usize].children.push(number);
        }
        if self.levels.len() <= depth {
            self.levels.push(Vec::new());
        }
        self.levels[depth].push(number);
        self.spoil_boxes(number);
        Ok(SceneNodeId(number))
    }

    fn node(&self, id: SceneNodeId) -> Result<&GraphNode, SceneGraphError> {
        let unknown = SceneGraphError::Unknown { node: id.0 };
        self.nodes.get(id.0 as usize).ok_or(unknown)
    }

    /// Places a node again in its parent's frame.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn set_local(
        &mut self,
        id: SceneNodeId,
        parent_from_node: Pose,
    ) -> Result<(), SceneGraphError> {
        self.node(id)?;
        self.nodes[id.0 as usize].parent_from_node = parent_from_node;
        let mut open = vec![id.0];
        while let Some(n) = open.pop() {
            let node = &mut self.nodes[n as usize];
            if node.is_pose_stale {
                continue;
            }
            node.is_pose_stale = true;
            node.is_box_stale = true;
            open.extend(&node.children);
        }
        self.spoil_boxes(id.0);
        Ok(())
    }

    /// Sets the box of the content of a node, in its frame.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn set_bounds(&mut self, id: SceneNodeId, bounds: Aabb) -> Result<(), SceneGraphError> {
        self.node(id)?;
        self.nodes[id.0 as usize].own = bounds;
        self.spoil_boxes(id.0);
        Ok(())
    }

    /// Says which object of a world goes where the node goes; see [`World::follow`](super::World::follow).
    ///
    /// # Errors
    /// When there is no such node.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, SceneGraph, World}};
    /// let (mut world, mut graph) = (World::default(), SceneGraph::default());
    /// let ball = world.insert(Body::new(Shape::from(Ball::new(1.0)?)))?;
    /// let node = graph.root(Pose::IDENTITY)?;
    /// graph.set_object(node, Some(ball))?;
    /// assert_eq!(world.follow(&mut graph), 1);
    /// graph.set_object(node, None)?;
    /// graph.set_local(node, Pose::from_translation([1.0, 0.0, 0.0])?)?;
    /// assert_eq!(world.follow(&mut graph), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_object(
        &mut self,
        id: SceneNodeId,
        object: Option<ObjectId>,
    ) -> Result<(), SceneGraphError> {
        self.node(id)?;
        let node = &mut self.nodes[id.0 as usize];
        node.object = object;
        if node.is_handed_on && !node.is_pose_stale {
            node.is_handed_on = false;
            self.moved.push(id.0);
        }
        Ok(())
    }

    /// Marks a box and all above; stops where they are marked already.
    fn spoil_boxes(&mut self, from: u32) {
        let mut next = Some(from);
        let mut is_first = true;
        while let Some(n) = next {
            let node = &mut self.nodes[n as usize];
            if node.is_box_stale && !is_first {
                return;
            }
            is_first = false;
            node.is_box_stale = true;
            next = node.parent;
        }
    }

    /// The placement of a node in the world, computed if it is stale.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn world_from_node(&mut self, id: SceneNodeId) -> Result<Pose, SceneGraphError> {
        self.node(id)?;
        let mut path = Vec::new();
        let mut next = Some(id.0);
        while let Some(n) = next.filter(|&n| self.nodes[n as usize].is_pose_stale) {
            path.push(n);
            next = self.nodes[n as usize].parent;
        }
        for &n in path.iter().rev() {
            let pose = self.placed(n);
            self.set_pose(n, pose);
        }
        Ok(self.nodes[id.0 as usize].world_from_node)
    }

    /// The box around everything at and below a node, in the world, computed if it is stale; empty when nothing is
    /// there.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn bounds_below(&mut self, id: SceneNodeId) -> Result<Aabb, SceneGraphError> {
        self.world_from_node(id)?;
        // Parents come before their children here, so the way back meets children first.
        let (mut order, mut next) = (vec![id.0], 0);
        while let Some(&n) = order.get(next) {
            next += 1;
            let stale = |&c: &u32| self.nodes[c as usize].is_box_stale;
            order.extend(
                self.nodes[n as usize]
                    .children
                    .iter()
                    .copied()
                    .filter(stale),
            );
        }
        for &n in &order {
            if self.nodes[n as usize].is_pose_stale {
                let pose = self.placed(n);
                self.set_pose(n, pose);
            }
        }
        for &n in order.iter().rev() {
            if self.nodes[n as usize].is_box_stale {
                let below = self.enclosed(n);
                self.set_box(n, below);
            }
        }
        Ok(self.nodes[id.0 as usize].below)
    }

    /// Computes everything stale, level by level, each level in parallel when it is large.
    pub fn update(&mut self) {
        let levels = std::mem::take(&mut self.levels);
        for level in &levels {
            let poses = for_each(level, |n| {
                self.nodes[n as usize].is_pose_stale.then(|| self.placed(n))
            });
            for (&n, pose) in level.iter().zip(poses) {
                if let Some(pose) = pose {
                    self.set_pose(n, pose);
                }
            }
        }
        for level in levels.iter().rev() {
            let boxes = for_each(level, |n| {
                self.nodes[n as usize]
                    .is_box_stale
                    .then(|| self.enclosed(n))
            });
            for (&n, below) in level.iter().zip(boxes) {
                if let Some(below) = below {
                    self.set_box(n, below);
                }
            }
        }
        self.levels = levels;
    }

    fn placed(&self, n: u32) -> Pose {
        let node = &self.nodes[n as usize];
        match node.parent {
            Some(parent) => self.nodes[parent as usize].world_from_node * node.parent_from_node,
            None => node.parent_from_node,
        }
    }

    fn enclosed(&self, n: u32) -> Aabb {
        let node = &self.nodes[n as usize];
        let own = if node.own.is_empty() {
            Aabb::EMPTY
        } else {
            node.own.transformed(&node.world_from_node)
        };
        let boxes = node.children.iter();
        boxes.fold(own, |all, &c| all.union(&self.nodes[c as usize].below))
    }

    fn set_pose(&mut self, n: u32, pose: Pose) {
        self.work.poses += 1;
        let node = &mut self.nodes[n as usize];
        node.world_from_node = pose;
        node.is_pose_stale = false;
        if node.is_handed_on && node.object.is_some() {
            node.is_handed_on = false;
            self.moved.push(n);
        }
    }

    fn set_box(&mut self, n: u32, below: Aabb) {
        self.work.boxes += 1;
        let node = &mut self.nodes[n as usize];
        node.below = below;
        node.is_box_stale = false;
    }

    /// What was computed so far.
    #[must_use]
    pub fn work(&self) -> SceneGraphWork {
        self.work
    }

    /// Hands on the objects whose poses were recomputed, each once, by node.
    pub(super) fn take_moved(&mut self) -> Vec<(ObjectId, Pose)> {
        let mut moved = std::mem::take(&mut self.moved);
        moved.sort_unstable();
        let hand_on = |n: u32| {
            let node = &mut self.nodes[n as usize];
            node.is_handed_on = true;
            Some((node.object?, node.world_from_node))
        };
        moved.into_iter().filter_map(hand_on).collect()
    }
}

/// A value per node, in their order.
fn for_each<T: Send>(nodes: &[u32], value: impl Fn(u32) -> T + Sync) -> Vec<T> {
    #[cfg(feature = "parallel")]
    if nodes.len() >= MANY {
        use rayon::prelude::*;
        return nodes.par_iter().map(|&n| value(n)).collect();
    }
    nodes.iter().map(|&n| value(n)).collect()
}
