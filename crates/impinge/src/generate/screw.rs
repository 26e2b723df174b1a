//! A screw and the nut that fits it.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

use super::NamedPart;
use super::error::{GenerateError, affordable, agree, all_positive, at_least, times};
use super::fit_face_count::nearest_pair;
use super::surface_builder::{Circle, Diagonal, SurfaceBuilder, turn};
use crate::mesh::TriMesh;

/// The thread that a screw and a nut share.
///
/// The radius at angle φ and height z is `radius` − `depth`/2 · (1 − cos(2πz/`pitch` − φ)); a nut adds `clearance`.
/// Both are sampled at the same angles and heights and split along the same diagonals.
///
/// ```
/// use impinge::generate::{Thread, nut, screw};
/// let thread = Thread::default();
/// assert_eq!(screw(&thread, 8)?.face_count(), 2 * 24 * (8 * 12 + 3));
/// assert_eq!(nut(&thread, 2, 3)?.face_count(), 2 * 24 * (3 * 12 + 3));
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// The radius at the crest.
    pub radius: f64,
    /// How much lower the root is.
    pub depth: f64,
    /// The height of a turn.
    pub pitch: f64,
    /// By how much the nut is wider, at every angle and height.
    pub clearance: f64,
    /// Vertices around, a multiple of 6 for the sake of hexagonal heads.
    pub segments: u32,
    /// Rows of vertices per turn.
    pub rows: u32,
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            radius: 0.5,
            depth: 0.1,
            pitch: 0.25,
            clearance: 0.02,
            segments: 24,
            rows: 12,
        }
    }
}

impl Thread {
    fn check(&self) -> Result<(), GenerateError> {
        all_positive([
            ("radius", self.radius),
            ("depth", self.depth),
            ("pitch", self.pitch),
            ("clearance", self.clearance),
        ])?;
        agree(
            self.depth < self.radius,
            "the thread is deeper than the screw",
        )?;
        agree(
            self.clearance < self.radius / 2.0,
            "the clearance is wider than half the screw",
        )?;
        at_least("segments", self.segments, 6)?;
        agree(
            self.segments.is_multiple_of(6),
            "the segments of a screw are not a multiple of 6",
        )?;
        at_least("rows", self.rows, 3)
    }

    /// The screw's radius at a vertex of the thread.
    ///
    /// ```
    /// let thread = impinge::generate::Thread::default();
    /// assert_eq!(thread.radius_at(0, 0), thread.radius);
    /// ```
    #[must_use]
    pub fn radius_at(&self, segment: u32, row: u32) -> f64 {
        // Whole turns are dropped before rounding, so that every turn is the same.
        let turns = f64::from(row % self.rows.max(1)) / f64::from(self.rows.max(1))
            - f64::from(segment) / f64::from(self.segments.max(1));
        self.radius - self.depth / 2.0 * (1.0 - libm::cos(TAU * turns))
    }

    fn height_of(&self, row: u32) -> f64 {
        self.pitch * f64::from(row) / f64::from(self.rows)
    }

    fn thread_circle(
        &self,
        surface: &mut SurfaceBuilder,
        around: &[DVec2],
        row: u32,
        extra: f64,
    ) -> Circle {
        surface.circle(self.segments, |i| {
            let r = self.radius_at(i, row) + extra;
            (around[i as usize] * r).extend(self.height_of(row))
        })
    }

    /// A hexagon with as many vertices as the thread, corners among them.
    fn hexagon(&self, surface: &mut SurfaceBuilder, around: &[DVec2], z: f64) -> Circle {
        let apothem = 1.7 * self.radius;
        let side = self.segments / 6;
        surface.circle(self.segments, |i| {
            let angle = PI / 3.0 * (f64::from(i % side) / f64::from(side) - 0.5);
            (around[i as usize] * (apothem / libm::cos(angle))).extend(z)
        })
    }
}

fn screw_faces(segments: u64, rows: u64) -> u64 {
    times([2, segments, rows + 3])
}

/// A screw along z from 0 up, with a hexagonal head on top: 2·segments·(turns·rows + 3) faces.
///
/// # Errors
/// Needs 1 turn and a [`Thread`] whose lengths are positive and fit together.
///
/// ```
/// use impinge::generate::{Thread, screw};
/// assert!(screw(&Thread::default(), 2)?.is_closed_manifold());
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn screw(thread: &Thread, turns: u32) -> Result<TriMesh, GenerateError> {
    thread.check()?;
    at_least("turns", turns, 1)?;
    let total = u64::from(turns) * u64::from(thread.rows);
    let faces = screw_faces(thread.segments.into(), total);
    affordable(faces)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let around = turn(thread.segments);
    let tip = surface.point(DVec3::ZERO);
    let mut circle = thread.thread_circle(&mut surface, &around, 0, 0.0);
    surface.pole_before(tip, circle);
    let last = turns * thread.rows;
    for row in 1..=last {
        let next = thread.thread_circle(&mut surface, &around, row, 0.0);
        surface.band(circle, next);
        circle = next;
    }
    let low = thread.height_of(last);
    let high = low + 1.2 * thread.radius;
    for z in [low, high] {
        let next = thread.hexagon(&mut surface, &around, z);
        surface.band(circle, next);
        circle = next;
    }
    let top = surface.point(DVec3::new(0.0, 0.0, high));
    surface.pole_after(circle, top);
    surface.finish()
}

/// A hexagonal nut on the screw with the same thread, from turn `from` on, `turns` high:
/// 2·segments·(turns·rows + 3) faces.
///
/// # Errors
/// As [`screw`].
///
/// ```
/// use impinge::generate::{Thread, nut};
/// assert!(nut(&Thread::default(), 0, 2)?.is_closed_manifold());
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn nut(thread: &Thread, from: u32, turns: u32) -> Result<TriMesh, GenerateError> {
    thread.check()?;
    at_least("turns", turns, 1)?;
    affordable(from.into())?;
    let total = u64::from(turns) * u64::from(thread.rows);
    let faces = screw_faces(thread.segments.into(), total);
    affordable(faces)?;
    affordable(u64::from(from) * u64::from(thread.rows) + total)?;
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let around = turn(thread.segments);
    let (first, last) = (from * thread.rows, (from + turns) * thread.rows);
    let low = thread.hexagon(&mut surface, &around, thread.height_of(first));
    let high = thread.hexagon(&mut surface, &around, thread.height_of(last));
    surface.band(low, high);
    let mut circle = high;
    for row in (first..=last).rev() {
        let next = thread.thread_circle(&mut surface, &around, row, thread.clearance);
        // Going down, the other diagonal is the one the screw has.
        let diagonal = if row == last {
            Diagonal::Rising
        } else {
            Diagonal::Falling
        };
        surface.band_split(circle, next, diagonal);
        circle = next;
    }
    surface.band(circle, low);
    surface.finish()
}

const SCREW_TURNS: u32 = 8;
const NUT_TURNS: u32 = 3;

fn fitted(target: u64, rows: impl Fn(u64) -> u64) -> Thread {
    let count = |sixths: u64, per_turn: u64| times([12, sixths, rows(per_turn)]);
    let (sixths, rows) = nearest_pair(target, (1, 3), 1, count);
    Thread {
        segments: 6 * sixths,
        rows,
        ..Thread::default()
    }
}

pub(super) fn fit_screw(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let thread = fitted(target, |rows| u64::from(SCREW_TURNS) * rows + 3);
    screw(&thread, SCREW_TURNS)
}

pub(super) fn fit_nut(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let thread = fitted(target, |rows| u64::from(NUT_TURNS) * rows + 3);
    nut(&thread, 0, NUT_TURNS)
}

pub(super) fn fit_screw_and_nut(target: u64, _: u64) -> Result<Vec<NamedPart>, GenerateError> {
    let thread = fitted(target, |rows| u64::from(SCREW_TURNS + NUT_TURNS) * rows + 6);
    Ok(vec![
        NamedPart {
            name: "screw".into(),
            mesh: screw(&thread, SCREW_TURNS)?,
        },
        NamedPart {
            name: "nut".into(),
            mesh: nut(&thread, 2, NUT_TURNS)?,
        },
    ])
}
