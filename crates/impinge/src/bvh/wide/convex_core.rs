//! A convex shape for tree traversal: lower bounds on its distance from the boxes of a node and
//! from the faces of a leaf, in SIMD lanes.
//!
//! **Idea.** The shape is a core and a radius. The core is a point, a segment, a box, the hull of
//! some points, or, for other shapes, a box around it with a sphere around that. Cores are compared
//! with node boxes as OBBs, points by their exact distance. Faces are transformed into the frame of
//! the core, and each bound is the gap along some direction: a face normal, the direction from the
//! core's nearest point, an axis of the box. Any direction gives a valid bound, as long as both
//! sides are projected on the same rounded vector. axis of the box. Any direction gives a valid
//! bound, as long as both sides are projected on the same rounded vector.
//!
//! **Margins.** As in `relative_pose.rs` and `triangle_lanes.rs`: `16u` of every length that occurs
//! for nodes. In a leaf a carried coordinate is off by `8u` of the reach
//! `|face| + |offset| + |core|`, a projection on a vector of length one by `14u + 4u`, that of the
//! core by `5u`: [`LEAF_MARGIN`] covers them.

use glam::{DMat3, DVec3};

use super::convex_faces::{FacesOfCore, Foot, TINY};
use super::layout::{WideLeaf, WideNode};
use super::obb_lanes::{CarriedBox, distance_at_least};
use super::point_box_bound::point_boxes_at_least;
use super::relative_pose::{U, exp2, inflate_half};
use super::tree::TreeFrame;
use super::triangle_distance_lanes::NearestPoints;
use super::triangle_lanes::{cross, dot, sub};
use crate::math::simd::lanes::{Lanes, Mask};
use crate::math::{Pose, outward_rounding};

/// Points of a hull up to which lanes look at each.
pub(crate) const MAX_HULL_POINTS: usize = 64;

/// Part of the reach that bounds in a leaf are lowered by.
const LEAF_MARGIN: f32 = 32.0 * U;
/// Part of the lengths that bounds of node boxes are lowered by.
const NODE_MARGIN: f64 = 16.0 * U as f64;
/// Bounds are multiplied by this before they are believed.
const SHRINK: f32 = 1.0 - 64.0 * U;
/// Size of the shape, and its distance, in radii of the tree, up to which `f32` serves.
const LARGEST: f64 = 1024.0;
const FARTHEST: f64 = 64.0;

/// What the core is, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoreKind {
    /// A point at the origin.
    Point,
    /// A segment on the first axis.
    Segment,
    /// The box itself.
    Cuboid,
    /// The hull of points.
    Hull,
    /// Something in the box, and in the ball around the origin.
    Solid,
}

/// The core of a convex shape, in the shape's own units.
#[derive(Clone, Debug)]
pub(crate) struct ConvexCore {
    pub(crate) kind: CoreKind,
    /// The frame of the core in that of the shape.
    pub(crate) axes: DMat3,
    pub(crate) center: DVec3,
    /// Half extents of the box around the core.
    pub(crate) half: DVec3,
    /// What is swept over the core.
    pub(crate) radius: f64,
    /// Radii of balls around the centre: in the core, and around it.
    pub(crate) inner: f64,
    pub(crate) outer: f64,
    /// The points of a hull, in the frame of the core.
    pub(crate) points: Vec<DVec3>,
}

impl ConvexCore {
    /// Points of a hull in the units of a tree, for [`PlacedCore`].
    pub(crate) fn local_points(&self, exponent: i32) -> Vec<[f32; 3]> {
        let unit = exp2(-exponent);
        let local = |p: &DVec3| (*p * unit).to_array().map(|x| x as f32);
        self.points.iter().map(local).collect()
    }
}

/// A core placed in the frame of a tree.
#[derive(Clone, Debug)]
pub(super) struct PlacedCore<'c> {
    kind: CoreKind,
    points: &'c [[f32; 3]],
    /// In the frame of the tree.
    center: DVec3,
    /// `core_from_tree`, row by row.
    turn: DMat3,
    turn_rows: [[f32; 3]; 3],
    carried: CarriedBox,
    center_rounded: [f32; 3],
    half: [f32; 3],
    /// Half extents that the box has at least.
    half_inside: [f32; 3],
    /// Rounded up.
    radius: f32,
    outer: f32,
    /// Rounded down.
    inner: f32,
    inner_radius: f32,
    margin: f32,
    slack: f32,
    /// Local length of one unit of length.
    pub(super) unit: f64,
}

/// A direction from the core to a face, and how far the shape reaches along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Witness {
    /// In the frame of the tree, of length one at most.
    tree: [f32; 3],
    /// The same in the frame of the core.
    core: [f32; 3],
    /// Farthest point of the shape along it, from the centre of the core; rounded up.
    reach: f32,
}

impl<'c> PlacedCore<'c> {
    /// None when the shape is too large, or too far away, for `f32`.
    pub(super) fn new(
        frame: &TreeFrame,
        core: &ConvexCore,
        points: &'c [[f32; 3]],
        mesh_from_shape: &Pose,
    ) -> Option<Self> {
        let unit = exp2(-frame.exponent);
        let center = frame.local(mesh_from_shape.transform_point(core.center));
        let outer = (core.outer + core.radius) * unit;
        let size = frame.radius + outer;
        let distance = center.length();
        // Written so that what is not a number is refused.
        let is_in_range = distance <= FARTHEST * size
            && outer <= LARGEST * frame.radius
            && frame.radius >= f64::from(f32::MIN_POSITIVE);
        if !is_in_range {
            return None;
        }
        let largest = (frame.center.abs().max_element()
            + mesh_from_shape.translation().abs().max_element())
            * unit
            + frame.radius
            + 2.0 * (core.center.length() * unit + outer);
        let slack = 64.0 * f64::EPSILON * largest;
        let margin = outward_rounding::up(NODE_MARGIN * (size + distance) + slack);
        let tree_from_core = *mesh_from_shape.rotation() * core.axes;
        let turn = tree_from_core.transpose();
        let rounded = |v: DVec3| v.to_array().map(|x| x as f32);
        let axis = [
            tree_from_core.x_axis,
            tree_from_core.y_axis,
            tree_from_core.z_axis,
        ]
        .map(rounded);
        let half = inflate_half(core.half * unit);
        Some(Self {
            kind: core.kind,
            points,
            center,
            turn,
            turn_rows: axis,
            carried: CarriedBox::placed(rounded(center), half, axis, margin),
            center_rounded: rounded(center),
            half,
            half_inside: (core.half * unit).to_array().map(outward_rounding::down),
            radius: outward_rounding::up(core.radius * unit),
            outer: outward_rounding::up(core.outer * unit),
            inner: outward_rounding::down(core.inner * unit),
            inner_radius: outward_rounding::down(core.radius * unit),
            margin,
            slack: outward_rounding::up(slack),
            unit,
        })
    }

    /// A distance as the lanes compare it, rounding of what is measured in `f64` included.
    #[inline]
    pub(super) fn bound(&self, distance: f64) -> f32 {
        outward_rounding::up(distance * self.unit + f64::from(self.slack))
    }

    /// `towards` is a unit vector of the tree's mesh, `reach` how far the shape reaches along it from the centre of its core.
    pub(super) fn witness(&self, towards: DVec3, reach: f64) -> Witness {
        // Shortened, so that its length is at most one whatever rounding does.
        let short = towards * f64::from(1.0 - 8.0 * U);
        let tree = short.to_array().map(|x| x as f32);
        let core = (self.turn * short).to_array().map(|x| x as f32);
        // The rounded vectors differ from the given one by less than 12u.
        let room = 16.0 * U * (self.outer + self.radius);
        Witness {
            tree,
            core,
            reach: outward_rounding::up(reach * self.unit + f64::from(room)),
        }
    }

    /// Distances that the node's boxes are not nearer than, and those of their centres from the core's.
    #[inline(always)]
    pub(super) fn boxes_at_least<T: Lanes>(
        &self,
        node: &WideNode,
        witness: Option<&Witness>,
    ) -> (T, T) {
        let zero = T::splat(0.0);
        let mut t = [zero; 3];
        for c in 0..3 {
            t[c] = T::splat(self.center_rounded[c]) - T::load(&node.center[c]);
        }
        let between = dot(&t, &t);
        let mut least = if self.kind == CoreKind::Point {
            self.point_at_least(node, &t)
        } else {
            let by_box = distance_at_least::<T>(node, &self.carried);
            if matches!(self.kind, CoreKind::Hull | CoreKind::Solid) {
                by_box.max(self.point_at_least(node, &t) - T::splat(self.outer))
            } else {
                by_box
            }
        };
        least = least - T::splat(self.radius);
        if let Some(witness) = witness {
            let mut along = [zero; 3];
            let n = &witness.tree;
            for i in 0..3 {
                let dot = T::load(&node.axis[i][2]) * T::splat(n[2]);
                let dot = T::load(&node.axis[i][1]).mul_add(T::splat(n[1]), dot);
                let dot = T::load(&node.axis[i][0]).mul_add(T::splat(n[0]), dot);
                along[i] = dot.abs();
            }
            let mut gap = zero - T::splat(n[2]).mul_add(t[2], T::splat(witness.reach));
            gap = T::splat(n[1]).neg_mul_add(t[1], gap);
            gap = T::splat(n[0]).neg_mul_add(t[0], gap);
            for i in 0..3 {
                gap = along[i].neg_mul_add(T::load(&node.half[i]), gap);
            }
            least = least.max(gap - T::splat(2.0 * self.margin));
        }
        (least, between)
    }

    /// The distance of the node's boxes from the centre of the core.
    #[inline(always)]
    fn point_at_least<T: Lanes>(&self, node: &WideNode, t: &[T; 3]) -> T {
        point_boxes_at_least(node, t, self.margin)
    }

    /// The faces of a leaf in the frame of the core.
    #[inline(always)]
    pub(super) fn faces<T: Lanes>(&self, leaf: &WideLeaf) -> FacesOfCore<T> {
        let offset = leaf.origin - self.center;
        let offset = self.turn * offset;
        let length = offset.length() as f32;
        let offset = [offset.x as f32, offset.y as f32, offset.z as f32];
        let zero = T::splat(0.0);
        let mut x = [[zero; 3]; 3];
        for v in 0..3 {
            let p = [
                T::load(&leaf.corner[v][0]),
                T::load(&leaf.corner[v][1]),
                T::load(&leaf.corner[v][2]),
            ];
            for i in 0..3 {
                let row = &self.turn_rows[i];
                let sum = T::splat(row[2]).mul_add(p[2], T::splat(offset[i]));
                let sum = T::splat(row[1]).mul_add(p[1], sum);
                x[v][i] = T::splat(row[0]).mul_add(p[0], sum);
            }
        }
        let reach = leaf.diameter + length + self.outer + self.radius;
        FacesOfCore {
            x,
            spare: LEAF_MARGIN * reach + 4.0 * self.slack,
        }
    }

    /// Distances that the faces are not nearer than along a witness.
    #[inline(always)]
    pub(super) fn faces_beyond<T: Lanes>(&self, faces: &FacesOfCore<T>, witness: &Witness) -> T {
        let n = &witness.core;
        let n = [T::splat(n[0]), T::splat(n[1]), T::splat(n[2])];
        faces.least_along(&n) - T::splat(witness.reach + faces.spare)
    }

    /// Distances that the faces are not nearer than, and lanes whose faces certainly meet the shape.
    #[inline(always)]
    pub(super) fn faces_at_least<T: Lanes>(&self, faces: &FacesOfCore<T>, bound: T) -> (T, u32) {
        let spare = T::splat(faces.spare + self.radius);
        let zero = T::splat(0.0);
        match self.kind {
            CoreKind::Point => {
                let apart = faces.way_from_point(&[zero; 3]);
                let (least, length) = self.gap_along(faces, &apart);
                (least - spare, self.certain(faces, length))
            }
            CoreKind::Segment => {
                let apart = self.way_from_segment(faces);
                let (least, length) = self.gap_along(faces, &apart);
                (least - spare, self.certain(faces, length))
            }
            CoreKind::Cuboid => self.cuboid_at_least(faces, bound),
            CoreKind::Hull | CoreKind::Solid => {
                let mut least = self.gap_of_box(faces);
                if (least - spare).le(bound).bits() == 0 {
                    return (least - spare, 0);
                }
                let apart = faces.way_from_point(&[zero; 3]);
                let (by_center, length) = self.gap_along(faces, &apart);
                least = least.max(by_center);
                if self.kind == CoreKind::Hull && (least - spare).le(bound).bits() != 0 {
                    let (by_normal, _) = self.gap_along_normals(faces);
                    least = least.max(by_normal);
                }
                let inner = T::splat(self.inner + self.inner_radius - faces.spare);
                (least - spare, length.lt(inner).bits())
            }
        }
    }

    /// Lanes whose faces have a point nearer to the core than the radius: the way to it is that long.
    #[inline(always)]
    fn certain<T: Lanes>(&self, faces: &FacesOfCore<T>, length: T) -> u32 {
        length.lt(T::splat(self.inner_radius - faces.spare)).bits()
    }

    /// How far the faces are beyond the core along a direction of any length, and that length.
    #[inline(always)]
    fn gap_along<T: Lanes>(&self, faces: &FacesOfCore<T>, n: &[T; 3]) -> (T, T) {
        let length = dot(n, n).sqrt();
        let gap = faces.least_along(n) - self.support(n);
        let inverse = T::splat(SHRINK) / length.max(T::splat(TINY));
        (gap * inverse, length)
    }

    /// The same along the normals of the faces, on either side.
    #[inline(always)]
    fn gap_along_normals<T: Lanes>(&self, faces: &FacesOfCore<T>) -> (T, T) {
        let zero = T::splat(0.0);
        let x = &faces.x;
        let n = cross(&sub(&x[1], &x[0]), &sub(&x[2], &x[0]));
        let side = dot(&n, &x[0]).lt(zero);
        let mut up = n;
        for c in 0..3 {
            up[c] = T::select(side, zero - n[c], n[c]);
        }
        self.gap_along(faces, &up)
    }

    /// How far the core reaches along a direction.
    #[inline(always)]
    fn support<T: Lanes>(&self, n: &[T; 3]) -> T {
        let half = &self.half;
        match self.kind {
            CoreKind::Point => T::splat(0.0),
            CoreKind::Segment => n[0].abs() * T::splat(half[0]),
            CoreKind::Cuboid => self.box_support(n),
            CoreKind::Hull => {
                let mut most = T::splat(f32::MIN);
                for p in self.points {
                    let along = T::splat(p[2]) * n[2];
                    let along = T::splat(p[1]).mul_add(n[1], along);
                    most = T::splat(p[0]).mul_add(n[0], along).max(most);
                }
                most
            }
            CoreKind::Solid => {
                let ball = dot(n, n).sqrt() * T::splat(self.outer * (1.0 + 16.0 * U));
                self.box_support(n).min(ball)
            }
        }
    }

    #[inline(always)]
    fn box_support<T: Lanes>(&self, n: &[T; 3]) -> T {
        let half = &self.half;
        let sum = n[2].abs() * T::splat(half[2]);
        let sum = n[1].abs().mul_add(T::splat(half[1]), sum);
        n[0].abs().mul_add(T::splat(half[0]), sum)
    }

    /// How far the faces are from the box, by their own boxes.
    #[inline(always)]
    fn gap_of_box<T: Lanes>(&self, faces: &FacesOfCore<T>) -> T {
        let zero = T::splat(0.0);
        let mut sum = zero;
        for c in 0..3 {
            let gap = faces.beyond(c, self.half[c]).max(zero);
            sum = gap.mul_add(gap, sum);
        }
        sum.sqrt() * T::splat(SHRINK)
    }

    /// A box: by its axes, the faces' normals, the way between nearest points, and the products of edges.
    #[inline(always)]
    fn cuboid_at_least<T: Lanes>(&self, faces: &FacesOfCore<T>, bound: T) -> (T, u32) {
        let zero = T::splat(0.0);
        let spare = T::splat(faces.spare + self.radius);
        let mut least = self.gap_of_box(faces);
        if (least - spare).le(bound).bits() == 0 {
            return (least - spare, 0);
        }
        // A corner inside is enough.
        let mut inside = zero.lt(zero);
        for v in 0..3 {
            let mut within = zero.le(zero);
            for c in 0..3 {
                let room = T::splat(self.half_inside[c] - faces.spare);
                within = within & faces.x[v][c].abs().le(room);
            }
            inside = inside | within;
        }
        let (by_normal, _) = self.gap_along_normals(faces);
        least = least.max(by_normal);
        if (least - spare).le(bound).bits() == 0 {
            return (least - spare, 0);
        }
        // Nearest points by alternating projections; whatever they are, their difference is a direction.
        let mut q = faces.way_from_point(&[zero; 3]);
        let mut apart = q;
        for _ in 0..ALTERNATIONS {
            let mut p = q;
            for c in 0..3 {
                let half = T::splat(self.half[c]);
                p[c] = q[c].min(half).max(zero - half);
            }
            apart = faces.way_from_point(&p);
            for c in 0..3 {
                q[c] = p[c] + apart[c];
            }
        }
        let (by_points, _) = self.gap_along(faces, &apart);
        least = least.max(by_points);
        ((least - spare), inside.bits())
    }

    /// The way from the segment to the nearest point of each face.
    #[inline(always)]
    fn way_from_segment<T: Lanes>(&self, faces: &FacesOfCore<T>) -> [T; 3] {
        let (zero, one, tiny) = (T::splat(0.0), T::splat(1.0), T::splat(TINY));
        let half = T::splat(self.half[0]);
        let x = &faces.x;
        let edges = faces.edges();
        let mut nearest = NearestPoints::new();
        for i in 0..3 {
            let e = &edges[i];
            let r = &x[i];
            // The segment is s on the first axis, |s| ≤ half; the edge r + t·e.
            let ee = dot(e, e);
            let er = dot(e, r);
            let denominator = e[0].neg_mul_add(e[0], ee);
            let t = e[0].mul_sub(r[0], er) / denominator.max(tiny);
            let t = t.max(zero).min(one);
            let s = e[0].mul_add(t, r[0]).min(half).max(zero - half);
            let t = (s.mul_sub(e[0], er) / ee.max(tiny)).max(zero).min(one);
            let s = e[0].mul_add(t, r[0]).min(half).max(zero - half);
            nearest.offer([
                e[0].mul_add(t, r[0]) - s,
                e[1].mul_add(t, r[1]),
                e[2].mul_add(t, r[2]),
            ]);
        }
        let foot = Foot::new(faces);
        for end in [half, zero - half] {
            let (inside, apart) = foot.way_from(&[end, zero, zero], &x[0]);
            nearest.offer_where(inside, apart);
        }
        nearest.apart
    }
}

/// Projections between a box and a face, each of both once.
const ALTERNATIONS: usize = 3;
