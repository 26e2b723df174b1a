//! Lens volumes of many pairs of balls at a time.
//!
//! **Idea.** Pairs are collected in rows, and one branch-free loop evaluates a row; the compiler
//! vectorises it. Each position of a row has its own sums, which are added at the end. So the order
//! of sums does not depend on the instruction set, and neither does any bit, because nothing is
//! fused.
//!
//! Without cones all forces of two spheres lie along their line of centres, so that one cross
//! product serves all torques.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::DVec3;

use super::forces::{ConeForces, FULL_DISTANCE, FULL_PUSH, Wrench};
use super::inner_sphere_tree::InnerSphereTree;
use super::tree_pair::TreePair;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};
use crate::query::PoseGradient;

/// Pairs in a row.
pub(super) const ROW: usize = 32;

type LensLanes = [f64; ROW];

const NONE: LensLanes = [0.0; ROW];

/// A vector in each place.
#[derive(Clone, Debug)]
struct Vectors {
    x: LensLanes,
    y: LensLanes,
    z: LensLanes,
}

impl Vectors {
    const ZERO: Self = Self {
        x: NONE,
        y: NONE,
        z: NONE,
    };

    fn set(&mut self, i: usize, v: DVec3) {
        self.x[i] = v.x;
        self.y[i] = v.y;
        self.z[i] = v.z;
    }

    #[inline(always)]
    fn add(&mut self, i: usize, v: [f64; 3]) {
        self.x[i] += v[0];
        self.y[i] += v[1];
        self.z[i] += v[2];
    }

    fn total(&self) -> DVec3 {
        DVec3::new(total(&self.x), total(&self.y), total(&self.z))
    }
}

fn total(row: &LensLanes) -> f64 {
    row.iter().fold(0.0, |sum, x| sum + x)
}

/// A force and its torque in each place.
#[derive(Clone, Debug)]
struct Wrenches {
    force: Vectors,
    torque: Vectors,
}

impl Wrenches {
    const ZERO: Self = Self {
        force: Vectors::ZERO,
        torque: Vectors::ZERO,
    };

    /// Adds a multiple of a force and its torque.
    #[inline(always)]
    fn add(&mut self, i: usize, force: [f64; 3], torque: [f64; 3], factor: f64) {
        self.force.add(i, scaled(force, factor));
        self.torque.add(i, scaled(torque, factor));
    }

    fn total(&self) -> Wrench {
        Wrench {
            force: self.force.total(),
            torque: self.torque.total(),
        }
    }

    fn gradient(&self) -> PoseGradient {
        PoseGradient {
            translation: self.force.total(),
            rotation: self.torque.total(),
        }
    }
}

/// A row of pairs, and what all pairs so far share.
#[derive(Clone, Debug)]
pub(super) struct LensBatch {
    a: Vectors,
    a_radius: LensLanes,
    a_second: LensLanes,
    /// Zero where the ball has no axis.
    a_axis: Vectors,
    /// In the frame of `b`.
    b: Vectors,
    b_radius: LensLanes,
    b_second: LensLanes,
    b_axis: Vectors,
    volume: LensLanes,
    pairs: LensLanes,
    moment: Vectors,
    gradient: Wrenches,
    value: LensLanes,
    value_gradient: Wrenches,
    push: Wrenches,
    on_a: Wrenches,
    on_b: Wrenches,
}

impl Default for LensBatch {
    fn default() -> Self {
        Self {
            a: Vectors::ZERO,
            a_radius: NONE,
            a_second: NONE,
            a_axis: Vectors::ZERO,
            b: Vectors::ZERO,
            b_radius: NONE,
            b_second: NONE,
            b_axis: Vectors::ZERO,
            volume: NONE,
            pairs: NONE,
            moment: Vectors::ZERO,
            gradient: Wrenches::ZERO,
            value: NONE,
            value_gradient: Wrenches::ZERO,
            push: Wrenches::ZERO,
            on_a: Wrenches::ZERO,
            on_b: Wrenches::ZERO,
        }
    }
}

/// What pairs share, all together.
#[derive(Clone, Copy, Debug)]
pub(super) struct LensSum {
    pub(super) volume: f64,
    /// With secondary radii.
    pub(super) value: f64,
    pub(super) moment: DVec3,
    pub(super) gradient: PoseGradient,
    pub(super) value_gradient: PoseGradient,
    pub(super) cones: ConeForces,
    pub(super) pairs: usize,
}

impl LensBatch {
    /// Begins new sums.
    pub(super) fn clear(&mut self) {
        self.volume = NONE;
        self.pairs = NONE;
        self.moment = Vectors::ZERO;
        self.gradient = Wrenches::ZERO;
        self.value = NONE;
        self.value_gradient = Wrenches::ZERO;
        self.push = Wrenches::ZERO;
        self.on_a = Wrenches::ZERO;
        self.on_b = Wrenches::ZERO;
    }

    /// The sums over all places.
    pub(super) fn sum(&self, has_cones: bool) -> LensSum {
        let on_b = self.on_b.total();
        LensSum {
            volume: total(&self.volume),
            value: total(&self.value),
            moment: self.moment.total(),
            gradient: self.gradient.gradient(),
            value_gradient: self.value_gradient.gradient(),
            cones: ConeForces {
                push: self.push.total(),
                published_on_a: if has_cones {
                    self.on_a.total()
                } else {
                    on_b.reversed()
                },
                published_on_b: on_b,
            },
            pairs: total(&self.pairs) as usize,
        }
    }
}

impl TreePair<'_> {
    /// Whether a ball of either tree may have an axis.
    pub(super) fn has_cones(&self) -> bool {
        let has_surface = |tree: &InnerSphereTree| !tree.surfaces.is_empty();
        !self.counts_whole && (has_surface(self.a.tree) || has_surface(self.b.tree))
    }

    /// Whether balls of either tree have a second radius.
    pub(super) fn has_gaps(&self) -> bool {
        self.a.swollen.is_some() || self.b.swollen.is_some()
    }

    /// Adds what up to a row of pairs of leaves share.
    pub(super) fn add_row(&self, leaves: &[(u32, u32)], rows: &mut LensBatch) {
        let (has_cones, has_gaps) = (self.has_cones(), self.has_gaps());
        let (tree_a, tree_b) = (self.a.tree, self.b.tree);
        let second = |tree: &InnerSphereTree, leaf: usize, radius: f64| {
            tree.secondary.get(leaf).copied().unwrap_or(radius)
        };
        for (i, &(a, b)) in leaves.iter().enumerate().take(ROW) {
            let (a, b) = (a as usize, b as usize);
            let (ball_a, ball_b) = (&tree_a.balls[a], &tree_b.balls[b]);
            rows.a.set(i, ball_a.center);
            rows.a_radius[i] = ball_a.radius;
            rows.b.set(i, ball_b.center);
            rows.b_radius[i] = ball_b.radius;
            if has_gaps {
                rows.a_second[i] = second(tree_a, a, ball_a.radius);
                rows.b_second[i] = second(tree_b, b, ball_b.radius);
            }
            if has_cones {
                rows.a_axis.set(i, axis(tree_a, a));
                rows.b_axis.set(i, axis(tree_b, b));
            }
        }
        // Balls of negative radius share nothing with anything.
        let count = leaves.len().min(ROW);
        for radii in [
            &mut rows.a_radius,
            &mut rows.a_second,
            &mut rows.b_radius,
            &mut rows.b_second,
        ] {
            radii[count..].fill(-1.0);
        }
        let turn = self.a_from_b.rotation().transpose().to_cols_array_2d();
        let origin = self.a_from_b.translation().to_array();
        let level = self.level;
        match (has_cones, has_gaps) {
            (false, false) => dispatch(level, LensKernel::<false, false> { rows, turn, origin }),
            (false, true) => dispatch(level, LensKernel::<false, true> { rows, turn, origin }),
            (true, false) => dispatch(level, LensKernel::<true, false> { rows, turn, origin }),
            (true, true) => dispatch(level, LensKernel::<true, true> { rows, turn, origin }),
        }
    }
}

/// The middle of the normals next to a ball; zero when there are none, or none in common: normals on all sides have no way out.
#[inline]
fn axis(tree: &InnerSphereTree, leaf: usize) -> DVec3 {
    match tree.surfaces.get(leaf) {
        Some(surface) if surface.cone.half_angle < FRAC_PI_2 => surface.cone.axis,
        _ => DVec3::ZERO,
    }
}

/// Measures a row of pairs.
struct LensKernel<'r, const CONES: bool, const GAPS: bool> {
    rows: &'r mut LensBatch,
    /// The rows of the rotation from `b` to `a`.
    turn: [[f64; 3]; 3],
    origin: [f64; 3],
}

impl<const CONES: bool, const GAPS: bool> Kernel for LensKernel<'_, CONES, GAPS> {
    type Output = ();

    #[inline(always)]
    fn run<T: Lanes>(self) {
        let (rows, turn) = (self.rows, self.turn);
        for i in 0..ROW {
            let a = [rows.a.x[i], rows.a.y[i], rows.a.z[i]];
            let placed = turned(&turn, [rows.b.x[i], rows.b.y[i], rows.b.z[i]]);
            let b = [
                placed[0] + self.origin[0],
                placed[1] + self.origin[1],
                placed[2] + self.origin[2],
            ];
            let between = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            let distance = dot(between, between).sqrt();
            let half = 0.5 / distance;
            let (r_a, r_b) = (rows.a_radius[i], rows.b_radius[i]);
            let shared = cut(r_a, r_b, distance, half);
            let volume = shared.volume;
            // About the origin, a pull along the line of centres turns as if it acted at a centre.
            let torque = cross(a, between);
            let centroid = [
                a[0] + between[0] * shared.weight,
                a[1] + between[1] * shared.weight,
                a[2] + between[2] * shared.weight,
            ];
            rows.volume[i] += volume;
            rows.pairs[i] += if volume > 0.0 { 1.0 } else { 0.0 };
            rows.moment.add(i, scaled(centroid, volume));
            rows.gradient.add(i, between, torque, shared.slope);
            if GAPS {
                let shared = cut(rows.a_second[i], rows.b_second[i], distance, half);
                rows.value[i] += shared.volume;
                rows.value_gradient.add(i, between, torque, shared.slope);
            }

            // Without an axis, the line of centres; it fades where centres coincide.
            let least = FULL_DISTANCE * smaller(r_a, r_b);
            let far = larger(larger(distance, least), f64::MIN_POSITIVE);
            if !CONES {
                // The difference of the line and its opposite is twice the line.
                let full = larger(distance, 0.5 * FULL_PUSH * far);
                rows.push.add(i, between, torque, volume / full);
                rows.on_b.add(i, between, torque, volume / far);
                continue;
            }
            let line = scaled(between, 1.0 / far);
            let axis_a = [rows.a_axis.x[i], rows.a_axis.y[i], rows.a_axis.z[i]];
            let axis_b = [rows.b_axis.x[i], rows.b_axis.y[i], rows.b_axis.z[i]];
            let axis_b = turned(&turn, axis_b);
            let (has_a, has_b) = (dot(axis_a, axis_a) > 0.0, dot(axis_b, axis_b) > 0.0);
            let out_of_a = either(has_a, axis_a, line);
            let out_of_b = either(has_b, axis_b, scaled(line, -1.0));
            let apart = [
                out_of_a[0] - out_of_b[0],
                out_of_a[1] - out_of_b[1],
                out_of_a[2] - out_of_b[2],
            ];
            let push = volume / larger(dot(apart, apart).sqrt(), FULL_PUSH);
            rows.push.add(i, apart, cross(centroid, apart), push);
            let torque = cross(centroid, out_of_a);
            rows.on_b.add(i, out_of_a, torque, volume);
            let torque = cross(centroid, out_of_b);
            rows.on_a.add(i, out_of_b, torque, volume);
        }
    }
}

/// A lens by radii and distance.
struct LensCut {
    volume: f64,
    /// Where the centroid divides the line of centres.
    weight: f64,
    /// The gradient in units of the vector between the centres.
    slope: f64,
}

/// What `geom::lens` returns, without branches; `half` is 1/2 of the inverse of the distance.
#[inline(always)]
fn cut(r_a: f64, r_b: f64, distance: f64, half: f64) -> LensCut {
    let (large, small) = (larger(r_a, r_b), smaller(r_a, r_b));
    let depth = (large - distance) + small;
    let past_a = (distance - r_a) + r_b;
    let past_b = (distance - r_b) + r_a;
    let height_a = depth * (past_a * half);
    let height_b = depth * (past_b * half);
    let volume_a = PI / 3.0 * height_a * height_a * (3.0 * r_a - height_a);
    let volume_b = PI / 3.0 * height_b * height_b * (3.0 * r_b - height_b);
    let disc_sq = height_a * (past_b * ((r_a + r_b + distance) * half));
    let crosses = (past_a > 0.0) & (past_b > 0.0);
    let whole = 4.0 / 3.0 * PI * small * small * small;
    let volume = if crosses { volume_a + volume_b } else { whole };
    // Not for what is no ball or no number.
    let is_shared = (depth > 0.0) & (volume > 0.0);
    let volume = if is_shared { volume } else { 0.0 };
    let inner = if past_b > 0.0 { 1.0 } else { 0.0 };
    let weight = if crosses { volume_b / volume } else { inner };
    let slope = if crosses {
        -2.0 * PI * disc_sq * half
    } else {
        0.0
    };
    LensCut {
        volume,
        weight: if is_shared { weight } else { 0.0 },
        slope: if is_shared { slope } else { 0.0 },
    }
}

#[inline(always)]
fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

#[inline(always)]
fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[inline(always)]
fn dot(u: [f64; 3], v: [f64; 3]) -> f64 {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

#[inline(always)]
fn cross(u: [f64; 3], v: [f64; 3]) -> [f64; 3] {
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
}

#[inline(always)]
fn scaled(v: [f64; 3], factor: f64) -> [f64; 3] {
    [v[0] * factor, v[1] * factor, v[2] * factor]
}

#[inline(always)]
fn either(first: bool, u: [f64; 3], v: [f64; 3]) -> [f64; 3] {
    [
        if first { u[0] } else { v[0] },
        if first { u[1] } else { v[1] },
        if first { u[2] } else { v[2] },
    ]
}

#[inline(always)]
fn turned(turn: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    [dot(turn[0], v), dot(turn[1], v), dot(turn[2], v)]
}
