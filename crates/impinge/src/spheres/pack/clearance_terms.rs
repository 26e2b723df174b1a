//! The walls and balls near a point, and how far each is, eight at a time.
//!
//! Nothing here is fused, so that vector and plain code give the same bits.
#![expect(
    clippy::needless_range_loop,
    reason = "lanes and axes are numbered; iterators with closures would lose the vector instructions"
)]

use glam::Vec3;

use super::pack_cell::{NONE, NOTHING_KNOWN, NearestWalls};
use super::surface_walls::Wall;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, Mask as _, dispatch};

/// A divisor that stands for zero.
const TINY: f32 = 1e-30;
/// A ball so far away that it never counts.
const NOWHERE: f32 = 1e9;

/// A ball in the frame of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball32 {
    pub(super) center: Vec3,
    pub(super) radius: f32,
}

impl Ball32 {
    /// The distance of a point from the ball, negative inside.
    #[inline(always)]
    pub(super) fn distance(&self, p: Vec3) -> f32 {
        (p - self.center).length() - self.radius
    }
}

/// Eight walls side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Walls8 {
    corner: [[f32; 8]; 3],
    ab: [[f32; 8]; 3],
    ac: [[f32; 8]; 3],
    /// Squares and product of the edges.
    aa: [f32; 8],
    bb: [f32; 8],
    cc: [f32; 8],
    /// Inverse squares of the edges and of the area.
    inverse_ab: [f32; 8],
    inverse_ac: [f32; 8],
    inverse_bc: [f32; 8],
    inverse_area: [f32; 8],
}

impl Walls8 {
    const EMPTY: Self = Self {
        corner: [[NOWHERE; 8]; 3],
        ab: [[0.0; 8]; 3],
        ac: [[0.0; 8]; 3],
        aa: [0.0; 8],
        bb: [0.0; 8],
        cc: [0.0; 8],
        inverse_ab: [0.0; 8],
        inverse_ac: [0.0; 8],
        inverse_bc: [0.0; 8],
        inverse_area: [0.0; 8],
    };

    fn set(&mut self, lane: usize, wall: &Wall) {
        let (ab, ac) = (wall.ab, wall.ac);
        for c in 0..3 {
            self.corner[c][lane] = wall.corner[c];
            self.ab[c][lane] = ab[c];
            self.ac[c][lane] = ac[c];
        }
        let (aa, bb, cc) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
        self.aa[lane] = aa;
        self.bb[lane] = bb;
        self.cc[lane] = cc;
        let inverse = |x: f32| if x > TINY { 1.0 / x } else { 0.0 };
        self.inverse_ab[lane] = inverse(aa);
        self.inverse_ac[lane] = inverse(cc);
        self.inverse_bc[lane] = inverse((ac - ab).length_squared());
        self.inverse_area[lane] = inverse(aa * cc - bb * bb);
    }
}

/// Eight balls side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Balls8 {
    center: [[f32; 8]; 3],
    radius: [f32; 8],
}

impl Balls8 {
    const EMPTY: Self = Self {
        center: [[NOWHERE; 8]; 3],
        radius: [0.0; 8],
    };
}

/// Distances of eight terms and the directions in which they grow.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Value8 {
    distance: [f32; 8],
    away: [[f32; 8]; 3],
}

impl Value8 {
    const EMPTY: Self = Self {
        distance: [NOWHERE; 8],
        away: [[0.0; 8]; 3],
    };
}

/// One of the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClearanceTerm {
    Wall(u32),
    Ball(u32),
}

/// What may be nearest to points of a small region.
#[derive(Debug, Default)]
pub(super) struct ClearanceTerms {
    walls: Vec<Walls8>,
    wall_ids: Vec<u32>,
    balls: Vec<Balls8>,
    ball_ids: Vec<u32>,
    values: Vec<Value8>,
}

impl ClearanceTerms {
    pub(super) fn clear(&mut self) {
        self.walls.clear();
        self.wall_ids.clear();
        self.balls.clear();
        self.ball_ids.clear();
    }

    pub(super) fn clear_walls(&mut self) {
        self.walls.clear();
        self.wall_ids.clear();
    }

    pub(super) fn clear_balls(&mut self) {
        self.balls.clear();
        self.ball_ids.clear();
    }

    pub(super) fn push_wall(&mut self, id: u32, wall: &Wall) {
        let lane = self.wall_ids.len() % 8;
        if lane == 0 {
            self.walls.push(Walls8::EMPTY);
        }
        if let Some(group) = self.walls.last_mut() {
            group.set(lane, wall);
        }
        self.wall_ids.push(id);
    }

    /// Puts a wall in the place of another.
    pub(super) fn replace_wall(&mut self, place: usize, id: u32, wall: &Wall) {
        if let (Some(group), Some(old)) =
            (self.walls.get_mut(place / 8), self.wall_ids.get_mut(place))
        {
            group.set(place % 8, wall);
            *old = id;
        }
    }

    pub(super) fn wall_count(&self) -> usize {
        self.wall_ids.len()
    }

    pub(super) fn has_wall(&self, id: u32) -> bool {
        self.wall_ids.contains(&id)
    }

    pub(super) fn push_ball(&mut self, id: u32, ball: &Ball32) {
        let lane = self.ball_ids.len() % 8;
        if lane == 0 {
            self.balls.push(Balls8::EMPTY);
        }
        if let Some(group) = self.balls.last_mut() {
            for c in 0..3 {
                group.center[c][lane] = ball.center[c];
            }
            group.radius[lane] = ball.radius;
        }
        self.ball_ids.push(id);
    }

    /// Measures every term at `p`; the smallest distance.
    pub(super) fn measure(&mut self, level: Level, p: Vec3) -> f32 {
        let groups = self.walls.len() + self.balls.len();
        self.values.resize(groups, Value8::EMPTY);
        dispatch(
            level,
            Measure {
                walls: &self.walls,
                balls: &self.balls,
                values: &mut self.values,
                p: p.to_array(),
            },
        )
    }

    /// The term that is nearest by the last measurement.
    pub(super) fn nearest(&self) -> Option<ClearanceTerm> {
        let mut best = (f32::MAX, None);
        for (group, values) in self.values.iter().enumerate() {
            for lane in 0..8 {
                let distance = values.distance[lane];
                if distance < best.0 && distance < NOWHERE * 0.5 {
                    best = (distance, Some(group * 8 + lane));
                }
            }
        }
        self.term(best.1?)
    }

    /// The wall that is nearest by the last measurement.
    pub(super) fn nearest_wall(&self) -> Option<u32> {
        let mut best = (NOWHERE * 0.5, None);
        for (place, &id) in self.wall_ids.iter().enumerate() {
            let distance = self.distance(place);
            if distance < best.0 {
                best = (distance, Some(id));
            }
        }
        best.1
    }

    /// The numbers of the walls, as pushed.
    pub(super) fn wall_ids(&self) -> &[u32] {
        &self.wall_ids
    }

    fn term(&self, place: usize) -> Option<ClearanceTerm> {
        let first_ball = 8 * self.walls.len();
        if place < first_ball {
            Some(ClearanceTerm::Wall(*self.wall_ids.get(place)?))
        } else {
            Some(ClearanceTerm::Ball(*self.ball_ids.get(place - first_ball)?))
        }
    }

    /// The nearest walls by the last measurement, nearest first.
    pub(super) fn nearest_walls(&self) -> NearestWalls {
        let mut nearest = [(NOWHERE * 0.5, NONE); NOTHING_KNOWN.len()];
        for (place, &id) in self.wall_ids.iter().enumerate() {
            let mut candidate = (self.distance(place), id);
            for kept in &mut nearest {
                if candidate.0 < kept.0 {
                    std::mem::swap(kept, &mut candidate);
                }
            }
        }
        nearest.map(|entry| entry.1)
    }

    /// The distance of the term at this place, by the last measurement.
    pub(super) fn distance(&self, place: usize) -> f32 {
        self.values
            .get(place / 8)
            .map_or(NOWHERE, |values| values.distance[place % 8])
    }

    /// The direction in which the distance of the term at this place grows.
    pub(super) fn away(&self, place: usize) -> Vec3 {
        let lane = place % 8;
        self.values.get(place / 8).map_or(Vec3::ZERO, |values| {
            Vec3::new(
                values.away[0][lane],
                values.away[1][lane],
                values.away[2][lane],
            )
        })
    }

    /// Of the terms nearer than `limit` by the last measurement, the place of the one whose linear approximation is lowest after a step, and
    /// how low.
    pub(super) fn lowest(&self, level: Level, limit: f32, offset: Vec3) -> Option<(usize, f32)> {
        let (least, group) = dispatch(
            level,
            Lowest {
                values: &self.values,
                limit,
                offset: offset.to_array(),
            },
        );
        let mut best = (NOWHERE, None);
        for lane in 0..8 {
            let place = group[lane] as usize * 8 + lane;
            if least[lane] < best.0 || (least[lane] == best.0 && Some(place) < best.1) {
                best = (least[lane], Some(place));
            }
        }
        Some((best.1?, best.0))
    }
}

struct Lowest<'a> {
    values: &'a [Value8],
    limit: f32,
    offset: [f32; 3],
}

impl Kernel for Lowest<'_> {
    type Output = ([f32; 8], [f32; 8]);

    #[inline(always)]
    fn run<T: Lanes>(self) -> Self::Output {
        let offset = [
            T::splat(self.offset[0]),
            T::splat(self.offset[1]),
            T::splat(self.offset[2]),
        ];
        let limit = T::splat(self.limit);
        let mut least = T::splat(NOWHERE);
        let mut group = T::splat(0.0);
        let mut number = 0.0;
        for values in self.values {
            let distance = T::load(&values.distance);
            let value = distance + dot(&load3::<T>(&values.away), &offset);
            let mask = distance.lt(limit) & value.lt(least);
            least = T::select(mask, value, least);
            group = T::select(mask, T::splat(number), group);
            number += 1.0;
        }
        (least.store(), group.store())
    }
}

struct Measure<'a> {
    walls: &'a [Walls8],
    balls: &'a [Balls8],
    values: &'a mut [Value8],
    p: [f32; 3],
}

#[inline(always)]
fn dot<T: Lanes>(a: &[T; 3], b: &[T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a − t·b`.
#[inline(always)]
fn less<T: Lanes>(a: &[T; 3], t: T, b: &[T; 3]) -> [T; 3] {
    [a[0] - t * b[0], a[1] - t * b[1], a[2] - t * b[2]]
}

#[inline(always)]
fn nearer<T: Lanes>(best: &mut (T, [T; 3]), away: [T; 3]) {
    let sq = dot(&away, &away);
    let mask = sq.lt(best.0);
    best.0 = T::select(mask, sq, best.0);
    for c in 0..3 {
        best.1[c] = T::select(mask, away[c], best.1[c]);
    }
}

#[inline(always)]
fn load3<T: Lanes>(rows: &[[f32; 8]; 3]) -> [T; 3] {
    [T::load(&rows[0]), T::load(&rows[1]), T::load(&rows[2])]
}

impl Kernel for Measure<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<T: Lanes>(self) -> f32 {
        let (zero, one) = (T::splat(0.0), T::splat(1.0));
        let p = [
            T::splat(self.p[0]),
            T::splat(self.p[1]),
            T::splat(self.p[2]),
        ];
        let mut least = T::splat(NOWHERE);
        let (of_walls, of_balls) = self.values.split_at_mut(self.walls.len());
        for (walls, out) in self.walls.iter().zip(of_walls) {
            let corner = load3::<T>(&walls.corner);
            let (ab, ac) = (load3::<T>(&walls.ab), load3::<T>(&walls.ac));
            let x = less(&p, one, &corner);
            let (d1, d2) = (dot(&ab, &x), dot(&ac, &x));
            let t = (d1 * T::load(&walls.inverse_ab)).max(zero).min(one);
            let first = less(&x, t, &ab);
            let mut best = (dot(&first, &first), first);
            let t = (d2 * T::load(&walls.inverse_ac)).max(zero).min(one);
            nearer(&mut best, less(&x, t, &ac));
            let bc = less(&ac, one, &ab);
            let y = less(&x, one, &ab);
            let t = (dot(&bc, &y) * T::load(&walls.inverse_bc))
                .max(zero)
                .min(one);
            nearer(&mut best, less(&y, t, &bc));
            let (aa, bb, cc) = (T::load(&walls.aa), T::load(&walls.bb), T::load(&walls.cc));
            let inverse = T::load(&walls.inverse_area);
            let v = (cc * d1 - bb * d2) * inverse;
            let w = (aa * d2 - bb * d1) * inverse;
            let over = zero.lt(v) & zero.lt(w) & (v + w).lt(one);
            if over.bits() != 0 {
                let foot = less(&less(&x, v, &ab), w, &ac);
                let sq = dot(&foot, &foot);
                let mask = over & sq.lt(best.0);
                best.0 = T::select(mask, sq, best.0);
                for c in 0..3 {
                    best.1[c] = T::select(mask, foot[c], best.1[c]);
                }
            }
            let distance = best.0.sqrt();
            let inverse = one / distance.max(T::splat(TINY));
            least = least.min(distance);
            out.distance = distance.store();
            for c in 0..3 {
                out.away[c] = (best.1[c] * inverse).store();
            }
        }
        for (balls, out) in self.balls.iter().zip(of_balls) {
            let center = load3::<T>(&balls.center);
            let x = less(&p, one, &center);
            let length = dot(&x, &x).sqrt();
            let distance = length - T::load(&balls.radius);
            let inverse = one / length.max(T::splat(TINY));
            least = least.min(distance);
            out.distance = distance.store();
            for c in 0..3 {
                out.away[c] = (x[c] * inverse).store();
            }
        }
        let lanes = least.store();
        let mut least = lanes[0];
        for lane in 1..8 {
            if lanes[lane] < least {
                least = lanes[lane];
            }
        }
        least
    }
}
