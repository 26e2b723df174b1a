//! The inner sphere tree (IST).

use glam::DVec3;
use thiserror::Error;

use super::coverage::CoverageRadius;
use super::face_refinement::FaceRings;
use super::gap_cells::GapCells;
use super::inflated_radii::{InflatedRadii, sums_before};
use super::leaf_surface::{LeafSurface, surfaces};
use super::shared_volume::NodeMoments;
use super::split::SphereSplit;
use super::topology::{LEAF, NO_CHILD, TreeTopology, WIDTH};
use crate::bound::Aabb;
use crate::math::{MAX_COORDINATE, is_valid_point, outward_rounding};
use crate::spheres::enclosing_ball::enclosing_ball;
use crate::spheres::interior::MeshSolid;
use crate::spheres::pack::{UnitFrame, map_indexed};
use crate::spheres::solid_ball::SolidBall;

/// How a tree is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerSphereTreeOptions {
    /// How spheres are divided among children.
    pub split: SphereSplit,
    /// Children of a node: 2 to 8.
    pub width: usize,
}

impl Default for InnerSphereTreeOptions {
    fn default() -> Self {
        Self {
            split: SphereSplit::default(),
            width: WIDTH,
        }
    }
}

/// Why there is no tree.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum InnerSphereTreeError {
    /// A ball that cannot be.
    #[error(
        "ball {index} has centre {} and radius {}: both must be finite and at most {MAX_COORDINATE:e}, and the radius not negative",
        .ball.center, .ball.radius
    )]
    BadBall {
        /// Counted from 0, as given.
        index: usize,
        /// The ball.
        ball: SolidBall,
    },
    /// Not one second radius for each ball.
    #[error("{found} second radii were given for {balls} balls")]
    WrongCount {
        /// How many balls the tree has.
        balls: usize,
        /// How many radii were given.
        found: usize,
    },
    /// A second radius that cannot be.
    #[error(
        "second radius {index} is {radius}: it must be finite, at most {MAX_COORDINATE:e} and not negative"
    )]
    BadRadius {
        /// Counted from 0, as given.
        index: usize,
        /// The radius.
        radius: f64,
    },
}

/// Whether a radius may enter; false if it is not a number.
pub(super) fn is_valid_radius(radius: f64) -> bool {
    (0.0..=MAX_COORDINATE).contains(&radius)
}

/// Whether a ball may enter.
pub(super) fn is_valid_ball(ball: &SolidBall) -> bool {
    is_valid_point(ball.center) && is_valid_radius(ball.radius)
}

/// Eight balls side by side, each around the leaves of one child, in the frame of the tree.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct SphereNode {
    pub(super) center: [[f32; WIDTH]; 3],
    /// Negative where there is no child.
    pub(super) radius: [f32; WIDTH],
    pub(super) child: [u32; WIDTH],
    /// Which children there are, bit by bit, and the same with eight bits each.
    pub(super) lanes: u8,
    pub(super) rows: u64,
}

const _: () = assert!(size_of::<SphereNode>() == 192);

impl SphereNode {
    const EMPTY: Self = Self {
        center: [[0.0; WIDTH]; 3],
        radius: [f32::NEG_INFINITY; WIDTH],
        child: [NO_CHILD; WIDTH],
        lanes: 0,
        rows: 0,
    };

    /// A node with these children, of which nothing else is known.
    fn with_children(child: [u32; WIDTH]) -> Self {
        let mut node = Self {
            child,
            ..Self::EMPTY
        };
        for (lane, &code) in child.iter().enumerate() {
            if code != NO_CHILD {
                node.lanes |= 1 << lane;
                node.rows |= 0xFF << (WIDTH * lane);
            }
        }
        node
    }

    /// A node with these children, and the balls around them.
    fn around(child: [u32; WIDTH], balls: &[Option<([f32; 3], f32)>]) -> Self {
        let mut node = Self::with_children(child);
        for (lane, ball) in balls.iter().enumerate().take(WIDTH) {
            if let Some((center, radius)) = *ball {
                for (lanes, x) in node.center.iter_mut().zip(center) {
                    lanes[lane] = x;
                }
                node.radius[lane] = radius;
            }
        }
        node
    }
}

/// A tree over the spheres of a packing.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions}};
/// let balls: Vec<SolidBall> = (0..20)
///     .map(|x| SolidBall { center: DVec3::X * 2.0 * f64::from(x), radius: 1.0 })
///     .collect();
/// let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())?;
/// assert_eq!(tree.balls().len(), 20);
/// assert!((tree.root().map_or(0.0, |root| root.radius) - 20.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "inner sphere tree")]
#[doc(alias = "IST")]
#[doc(alias = "sphere tree")]
pub struct InnerSphereTree {
    pub(super) plan: TreeTopology,
    /// The leaves, in the order of the plan.
    pub(super) balls: Vec<SolidBall>,
    pub(super) nodes: Vec<SphereNode>,
    /// The ball around each node, as its parent has it.
    pub(super) around: Vec<SolidBall>,
    pub(super) root: Option<SolidBall>,
    pub(super) frame: Option<UnitFrame>,
    /// Per leaf; empty without a surface.
    pub(super) surfaces: Vec<LeafSurface>,
    /// Per leaf; empty unless given.
    pub(super) secondary: Vec<f64>,
    /// What a search with secondary radii needs.
    pub(super) swollen: Option<InflatedRadii>,
    /// Where gaps are; none unless measured.
    pub(super) gaps: Option<Box<GapCells>>,
    /// Faces to refine distances with; none unless given.
    pub(super) faces: Option<FaceRings>,
    /// Of the leaves below each node, for nodes that count as a whole.
    pub(super) whole: Vec<NodeMoments>,
    /// Volumes of the leaves before each, and of all.
    pub(super) before: Vec<f64>,
    /// How far the solid reaches beyond the balls; none without a surface.
    pub(super) reach: Option<CoverageRadius>,
    pub(super) solid_volume: Option<f64>,
}

impl InnerSphereTree {
    /// The tree of these balls.
    ///
    /// # Errors
    /// [`InnerSphereTreeError::BadBall`] naming the first ball that is not finite, too large or too far away, or whose radius is negative.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeError, InnerSphereTreeOptions}};
    /// let options = InnerSphereTreeOptions::default();
    /// assert!(InnerSphereTree::new(&[], &options)?.root().is_none());
    /// let ball = SolidBall { center: DVec3::ZERO, radius: f64::NAN };
    /// assert!(matches!(InnerSphereTree::new(&[ball], &options), Err(InnerSphereTreeError::BadBall { index: 0, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        balls: &[SolidBall],
        options: &InnerSphereTreeOptions,
    ) -> Result<Self, InnerSphereTreeError> {
        if let Some(index) = balls.iter().position(|ball| !is_valid_ball(ball)) {
            let ball = balls[index];
            return Err(InnerSphereTreeError::BadBall { index, ball });
        }
        Ok(Self::of(balls, options))
    }

    /// The tree of spheres that the caller distributes, level by level: `share_out` gets the order
    /// of the spheres so far and the ranges of it that are to be divided, and returns for each
    /// sphere of each range, one after the other, the part from 0 to `width` that it belongs to.
    /// Larger numbers are taken modulo `width`, missing ones as 0.
    ///
    /// # Errors
    /// [`InnerSphereTreeError::BadBall`], before anything is shared out, and the errors of sharing out.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{InnerSphereTree, InnerSphereTreeError, SolidBall}};
    /// let balls: Vec<SolidBall> = (0..20).map(|i| SolidBall { center: DVec3::X * f64::from(i), radius: 0.4 }).collect();
    /// let by_place = |order: &[u32], ranges: &[std::ops::Range<usize>]| {
    ///     let parts = ranges.iter().flat_map(|r| order[r.clone()].iter().map(|&ball| (ball % 4) as u8));
    ///     Ok::<_, InnerSphereTreeError>(parts.collect())
    /// };
    /// let tree = InnerSphereTree::shared_out(&balls, 4, by_place)?;
    /// let mut first = tree.order()[..5].to_vec();
    /// first.sort_unstable();
    /// assert_eq!(first, [0, 4, 8, 12, 16]);
    /// # Ok::<(), InnerSphereTreeError>(())
    /// ```
    pub fn shared_out<E: From<InnerSphereTreeError>>(
        balls: &[SolidBall],
        width: usize,
        mut share_out: impl FnMut(&[u32], &[std::ops::Range<usize>]) -> Result<Vec<u8>, E>,
    ) -> Result<Self, E> {
        if let Some(index) = balls.iter().position(|ball| !is_valid_ball(ball)) {
            let ball = balls[index];
            return Err(InnerSphereTreeError::BadBall { index, ball }.into());
        }
        let plan = TreeTopology::divided(balls, width, false, |order, segments| {
            let ranges: Vec<_> = segments.iter().map(|s| s.first..s.last).collect();
            let count = ranges.iter().map(std::ops::Range::len).sum();
            let mut parts = share_out(order, &ranges)?;
            parts.resize(count, 0);
            let width = width.clamp(2, WIDTH) as u8;
            parts.iter_mut().for_each(|part| *part %= width);
            Ok::<_, E>(parts)
        })?;
        Ok(Self::fitted(balls, plan, false))
    }

    /// The tree of balls that are known to be valid.
    pub(super) fn of(balls: &[SolidBall], options: &InnerSphereTreeOptions) -> Self {
        let plan = TreeTopology::new(balls, &options.split, options.width);
        Self::fitted(balls, plan, options.split.is_sequential())
    }

    /// Measures everything that a plan leaves open.
    pub(super) fn fitted(given: &[SolidBall], plan: TreeTopology, is_sequential: bool) -> Self {
        let balls: Vec<SolidBall> = plan.order.iter().map(|&i| given[i as usize]).collect();
        let root = enclosing_ball(&balls);
        let frame = root.and_then(|root| {
            UnitFrame::around(&Aabb {
                min: root.center - root.radius,
                max: root.center + root.radius,
            })
        });
        let nodes = match &frame {
            None => vec![SphereNode::EMPTY; plan.children.len()],
            Some(frame) => {
                // The first nodes are around most balls: their children are fitted side by side too.
                let fit = |(): &mut (), k: usize| fit(&balls, &plan, frame, k);
                let count = WIDTH * plan.children.len();
                let lanes: Vec<Option<([f32; 3], f32)>> = if is_sequential {
                    (0..count).map(|k| fit(&mut (), k)).collect()
                } else {
                    map_indexed(count, 1, fit)
                };
                let nodes = plan.children.iter().zip(lanes.chunks(WIDTH));
                nodes
                    .map(|(&child, lanes)| SphereNode::around(child, lanes))
                    .collect()
            }
        };
        let around = surrounding(&nodes, root, frame.as_ref());
        let whole = NodeMoments::of_all(&plan.ranges, &balls);
        Self {
            plan,
            around,
            whole,
            before: sums_before(balls.iter().map(SolidBall::volume)),
            balls,
            nodes,
            root,
            frame,
            surfaces: Vec::new(),
            secondary: Vec::new(),
            swollen: None,
            gaps: None,
            faces: None,
            reach: None,
            solid_volume: None,
        }
    }

    /// The volume of all balls.
    pub(super) fn filled(&self) -> f64 {
        self.before.last().copied().unwrap_or(0.0)
    }

    /// Takes secondary radii, in the order of the leaves.
    pub(super) fn set_secondary(&mut self, radii: Vec<f64>) {
        self.swollen = InflatedRadii::new(self, &radii);
        self.secondary = radii;
    }

    /// The tree with the nearest face and a cone of normals attached to each ball, and with bounds that only the surface allows. The mesh
    /// is kept, so that distances can be refined ([`InnerSphereTree::refined_distance`]).
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::*};
    /// use std::sync::Arc;
    /// let index = WideTree::new(Arc::new(generate::tetrahedron(1.0)?));
    /// let solid = MeshSolid::new(&index)?;
    /// let packing = pack(&solid, &PackOptions { count: Some(30), ..Default::default() })?;
    /// let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?.with_surface(&solid);
    /// assert_eq!(tree.surfaces().len(), 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_surface(self, solid: &MeshSolid<'_>) -> Self {
        self.with_surface_within(solid, 0.0)
    }

    /// The same, with cones of all faces that are no farther from the centre of a sphere than the
    /// nearest face plus `room`.
    ///
    /// A `room` that is not positive counts as 0. Without it, a sphere between two walls, which
    /// should push neither way, may lie nearer to one of them by chance on a voxel grid, and would
    /// push that way with all its volume: pass the diagonal of a voxel for such a packing.
    ///
    /// ```
    /// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::*};
    /// use std::sync::Arc;
    /// let index = WideTree::new(Arc::new(generate::cuboid(DVec3::new(6.0, 1.0, 6.0), [1; 3])?));
    /// let solid = MeshSolid::new(&index)?;
    /// let ball = SolidBall { center: DVec3::Y * 0.1, radius: 0.4 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let cone = |tree: InnerSphereTree| tree.surfaces()[0].cone;
    /// assert_eq!(cone(tree.clone().with_surface(&solid)).axis, DVec3::Y);
    /// assert!(cone(tree.with_surface_within(&solid, 0.3)).half_angle > 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_surface_within(mut self, solid: &MeshSolid<'_>, room: f64) -> Self {
        self.surfaces = surfaces(solid, &self.balls, room);
        self.faces = Some(FaceRings::new(solid));
        self.reach = CoverageRadius::new(solid, &self.balls);
        self.solid_volume = Some(solid.volume());
        self
    }

    /// The tree with a second radius for each sphere, in the order in which the spheres were given.
    ///
    /// # Errors
    /// [`InnerSphereTreeError::WrongCount`] and [`InnerSphereTreeError::BadRadius`].
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions}};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// assert!(tree.clone().with_secondary(&[1.1, 1.2]).is_err());
    /// assert!(tree.clone().with_secondary(&[f64::INFINITY]).is_err());
    /// assert_eq!(tree.with_secondary(&[1.1])?.secondary(), [1.1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_secondary(mut self, radii: &[f64]) -> Result<Self, InnerSphereTreeError> {
        if radii.len() != self.balls.len() {
            return Err(InnerSphereTreeError::WrongCount {
                balls: self.balls.len(),
                found: radii.len(),
            });
        }
        if let Some(index) = radii.iter().position(|&radius| !is_valid_radius(radius)) {
            let radius = radii[index];
            return Err(InnerSphereTreeError::BadRadius { index, radius });
        }
        let radii = self.plan.order.iter().map(|&i| radii[i as usize]).collect();
        self.set_secondary(radii);
        Ok(self)
    }

    /// The balls, in the order of the tree.
    ///
    /// ```
    /// use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions};
    /// assert!(InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?.balls().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn balls(&self) -> &[SolidBall] {
        &self.balls
    }

    /// For each of [`InnerSphereTree::balls`], its number in the list it was built from.
    ///
    /// ```
    /// use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions};
    /// assert!(InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?.order().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.plan.order
    }

    /// The bounding sphere of the whole tree; none when there are no spheres.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions}};
    /// let ball = SolidBall { center: DVec3::ONE, radius: 1.0 };
    /// let root = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?.root().map(|b| b.center);
    /// assert_eq!(root, Some(DVec3::ONE));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn root(&self) -> Option<SolidBall> {
        self.root
    }

    /// The surface next to each ball; empty without [`InnerSphereTree::with_surface`].
    ///
    /// ```
    /// use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions};
    /// assert!(InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?.surfaces().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn surfaces(&self) -> &[LeafSurface] {
        &self.surfaces
    }

    /// The second radius of each ball; empty without [`InnerSphereTree::with_secondary`].
    ///
    /// ```
    /// use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions};
    /// assert!(InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?.secondary().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn secondary(&self) -> &[f64] {
        &self.secondary
    }

    /// Calls the function with every bounding sphere, its leaves, and the fraction of it that they
    /// fill.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions}};
    /// let ball = SolidBall { center: DVec3::ONE, radius: 1.0 };
    /// let mut densities = Vec::new();
    /// InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?.visit(|_, _, density| densities.push(density));
    /// assert!((densities[0] - 1.0).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn visit(&self, mut show: impl FnMut(SolidBall, std::ops::Range<usize>, f64)) {
        let Some(frame) = &self.frame else {
            return;
        };
        for node in &self.nodes {
            for lane in 0..WIDTH {
                let child = node.child[lane];
                if child == NO_CHILD {
                    continue;
                }
                let range = if child & LEAF == 0 {
                    let (first, last) = self.plan.ranges[child as usize];
                    first as usize..last as usize
                } else {
                    let leaf = (child & !LEAF) as usize;
                    leaf..leaf + 1
                };
                let center = glam::Vec3::new(
                    node.center[0][lane],
                    node.center[1][lane],
                    node.center[2][lane],
                );
                let ball = SolidBall {
                    center: frame.leave(center),
                    radius: f64::from(node.radius[lane]) * frame.scale,
                };
                let leaves = &self.balls[range.clone()];
                let volume: f64 = leaves.iter().map(SolidBall::volume).sum();
                show(ball, range, volume / ball.volume());
            }
        }
    }

    /// Bytes that the tree takes.
    ///
    /// ```
    /// use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions};
    /// assert_eq!(InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?.bytes(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.around.as_slice())
            + size_of_val(self.whole.as_slice())
            + size_of_val(self.balls.as_slice())
            + size_of_val(self.surfaces.as_slice())
            + size_of_val(self.secondary.as_slice())
    }

    /// How many nodes there are.
    ///
    /// ```
    /// use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions};
    /// assert_eq!(InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?.node_count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
}

/// The ball around each node: that of the root, and for the others what their parents hold.
fn surrounding(
    nodes: &[SphereNode],
    root: Option<SolidBall>,
    frame: Option<&UnitFrame>,
) -> Vec<SolidBall> {
    let (Some(root), Some(frame)) = (root, frame) else {
        return Vec::new();
    };
    let mut around = vec![root; nodes.len()];
    for node in nodes {
        for lane in 0..WIDTH {
            let child = node.child[lane];
            // The number of no child has the bit of a leaf.
            if child & LEAF == 0 {
                let center = glam::Vec3::new(
                    node.center[0][lane],
                    node.center[1][lane],
                    node.center[2][lane],
                );
                around[child as usize] = SolidBall {
                    center: frame.leave(center),
                    radius: f64::from(node.radius[lane]) * frame.scale,
                };
            }
        }
    }
    around
}

/// The ball around a child, numbered by node and lane.
fn fit(
    balls: &[SolidBall],
    plan: &TreeTopology,
    frame: &UnitFrame,
    place: usize,
) -> Option<([f32; 3], f32)> {
    let child = plan.children[place / WIDTH][place % WIDTH];
    if child == NO_CHILD {
        return None;
    }
    let leaves = if child & LEAF == 0 {
        let (first, last) = plan.ranges[child as usize];
        &balls[first as usize..last as usize]
    } else {
        std::slice::from_ref(&balls[(child & !LEAF) as usize])
    };
    let around = enclosing_ball(leaves)?;
    let center = frame.enter(around.center);
    // The centre was rounded; what it moved by is added.
    let moved: DVec3 = frame.leave(center) - around.center;
    let radius = (around.radius + moved.length()) / frame.scale * (1.0 + 1e-15);
    Some((center.to_array(), outward_rounding::up(radius)))
}
