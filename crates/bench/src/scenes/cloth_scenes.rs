//! Scenes of one sheet of cloth.

use std::f64::consts::TAU;

use impinge::math::Rng;
use impinge::{DVec3, TriMesh, generate};

use super::Making;
use super::cloth_mesh::{ClothMesh, ROW};
use super::cloth_recording::ClothRecording;
use super::cloth_solver::ClothSettings;
use super::obstacle::Obstacle;
use super::sequence::Sequence;

/// How far particles keep apart, in edges of the coarse cloth.
const APART: f64 = 0.9;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Cloth of this edge: particles keep apart, or not, when intersections are wanted.
pub(super) fn settings(edge: f64, making: &Making) -> ClothSettings {
    ClothSettings {
        gravity: GRAVITY,
        steps: 16,
        rounds: 6,
        apart: if making.is_free { APART * edge } else { 0.0 },
        clear: if making.is_free {
            0.45 * edge
        } else {
            -0.3 * edge
        },
        stiffness: 0.02,
        friction: 0.3,
        loss: 1.0,
    }
}

fn still(_: usize, p: DVec3, _: f64) -> DVec3 {
    p
}

/// A level sheet around the z axis, disturbed by a thousandth so that folds have somewhere to begin.
fn level(
    columns: usize,
    rows: usize,
    edge: f64,
    height: f64,
    seed: u64,
) -> impl Fn(DVec3) -> DVec3 {
    move |p| {
        let x = (p.x - columns as f64 / 2.0) * edge;
        let y = (p.y - rows as f64 * ROW / 2.0) * edge;
        let mut rng = Rng::new(seed ^ p.x.to_bits() ^ p.y.to_bits().rotate_left(17));
        DVec3::new(x, y, height + edge * 0.05 * rng.range(-1.0, 1.0))
    }
}

fn turned(p: DVec3, angle: f64) -> DVec3 {
    let (sine, cosine) = angle.sin_cos();
    DVec3::new(p.x * cosine - p.y * sine, p.x * sine + p.y * cosine, p.z)
}

/// A tablecloth falls on a table: 16,000 faces and the table.
pub(super) fn tablecloth(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let (columns, rows) = making.cells(40, 50);
    let edge = 1.8 / columns as f64;
    let half = DVec3::new(0.5, 0.5, 0.03);
    let table = generate::cuboid(half * 2.0, [10, 10, 1])?;
    // The cuboid's own place does not matter: its box is what counts.
    let shift = -table.bounds().center();
    ClothRecording {
        sheet: ClothMesh::new(columns, rows, false),
        start: Box::new(level(columns, rows, edge, 0.03 + 1.2 * edge, making.seed)),
        levels: 1,
        settings: settings(edge, making),
        frames: making.frames(90),
        frame_seconds: making.seconds(1.0 / 60.0),
        is_held: Box::new(|_| false),
        hold: Box::new(still),
        obstacles: Box::new(move |_| {
            vec![Obstacle::Box {
                low: -half,
                high: half,
            }]
        }),
        solids: vec![table],
        place: Box::new(move |_, p, _| p + shift),
        is_free: making.is_free,
    }
    .record(told)
}

/// Cloth falls on a ball that turns: 92,000 faces and 760.
pub(super) fn cloth_on_ball(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    const SPIN: f64 = 2.5;
    let (columns, rows) = making.cells(100, 115);
    let edge = 2.0 / columns as f64;
    let radius = 0.5;
    ClothRecording {
        sheet: ClothMesh::new(columns, rows, false),
        start: Box::new(level(columns, rows, edge, radius + 1.5 * edge, making.seed)),
        levels: 1,
        settings: ClothSettings {
            friction: 0.5,
            ..settings(edge, making)
        },
        frames: making.frames(93),
        frame_seconds: making.seconds(1.0 / 45.0),
        is_held: Box::new(|_| false),
        hold: Box::new(still),
        obstacles: Box::new(move |_| {
            vec![Obstacle::Ball {
                middle: DVec3::ZERO,
                radius,
                spin: SPIN,
            }]
        }),
        solids: vec![generate::ball(radius, 20, 20)?],
        place: Box::new(|_, p, time| turned(p, SPIN * time)),
        is_free: making.is_free,
    }
    .record(told)
}

/// A ball that grows pushes cloth into a funnel: 14,400 faces, 2,000 and 1,700.
pub(super) fn funnel(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let (columns, rows) = making.cells(40, 45);
    let edge = 1.7 / columns as f64;
    let (rim, height, neck) = (1.45, 0.9, 0.42);
    let frames = making.frames(500);
    let seconds = making.seconds(frames as f64 / 100.0);
    let top = height * (1.2 - neck) / (rim - neck) + 1.5 * edge;
    // Down to the neck in the first two thirds, growing all the while.
    let ball = move |time: f64| {
        let t = (time / seconds).min(1.0);
        let fall = (1.5 * t).min(1.0);
        let radius = 0.12 + 0.1 * t;
        (
            DVec3::new(0.0, 0.0, top + 0.35 - (top + 0.25) * fall),
            radius,
        )
    };
    ClothRecording {
        sheet: ClothMesh::new(columns, rows, false),
        start: Box::new(level(columns, rows, edge, top, making.seed)),
        levels: 1,
        settings: ClothSettings {
            steps: 8,
            friction: 0.1,
            ..settings(edge, making)
        },
        frames,
        frame_seconds: making.seconds(0.01),
        is_held: Box::new(|_| false),
        hold: Box::new(still),
        obstacles: Box::new(move |time| {
            let (middle, radius) = ball(time);
            vec![
                Obstacle::Funnel { rim, height, neck },
                // The tube has a floor, which is no part of the scene: the cloth gathers above it.
                Obstacle::Box {
                    low: DVec3::new(-2.0, -2.0, -3.0),
                    high: DVec3::new(2.0, 2.0, -0.72),
                },
                Obstacle::Ball {
                    middle,
                    radius,
                    spin: 0.0,
                },
            ]
        }),
        solids: vec![
            funnel_mesh(rim, height, neck)?,
            generate::ball(1.0, 34, 26)?,
        ],
        place: Box::new(move |solid, p, time| {
            let (middle, radius) = ball(time);
            if solid == 0 { p } else { middle + p * radius }
        }),
        is_free: making.is_free,
    }
    .record(told)
}

/// A thin funnel of 2,000 faces: 40 around, 25 along. Its corners lie outside of the round funnel, so that its faces do too.
fn funnel_mesh(rim: f64, height: f64, neck: f64) -> anyhow::Result<TriMesh> {
    const AROUND: u32 = 40;
    const ALONG: u32 = 25;
    let outward = 1.0 / (TAU / (2.0 * f64::from(AROUND))).cos();
    let mut points = Vec::new();
    for row in 0..=ALONG {
        let (radius, z) = if row <= 15 {
            let s = 1.0 - f64::from(row) / 15.0;
            (neck + (rim - neck) * s, height * s)
        } else {
            (neck, -0.8 * f64::from(row - 15) / 10.0)
        };
        for k in 0..AROUND {
            let (sine, cosine) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            points.push(DVec3::new(
                radius * outward * cosine,
                radius * outward * sine,
                z,
            ));
        }
    }
    let mut faces = Vec::new();
    for row in 0..ALONG {
        for k in 0..AROUND {
            let at = |k: u32, row: u32| row * AROUND + k % AROUND;
            let (a, b, c, d) = (
                at(k, row),
                at(k + 1, row),
                at(k, row + 1),
                at(k + 1, row + 1),
            );
            faces.extend([[a, c, b], [b, c, d]]);
        }
    }
    Ok(TriMesh::new(points, faces)?)
}

/// A cloth hangs from a bar that turns and grows short: 32,000 faces.
pub(super) fn swirling_cloth(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let (columns, rows) = making.cells(50, 80);
    let edge = 1.0 / columns as f64;
    let frames = making.frames(120);
    let seconds = making.seconds(frames as f64 / 60.0);
    let sheet = ClothMesh::new(columns, rows, false);
    let top = sheet.points.len() - sheet.columns;
    let seed = making.seed;
    // Pleats pass through each other when the bar grows short beyond what they have room for.
    let (turns, shortened) = if making.is_free {
        (0.8, 0.35)
    } else {
        (2.0, 0.9)
    };
    ClothRecording {
        sheet,
        start: Box::new(move |p| {
            let flat = level(columns, rows, edge, 0.0, seed)(p);
            DVec3::new(flat.x, flat.z, flat.y)
        }),
        levels: 1,
        settings: settings(edge, making),
        frames,
        frame_seconds: making.seconds(1.0 / 60.0),
        is_held: Box::new(move |k| k >= top),
        hold: Box::new(move |_, rest, time| {
            let t = time / seconds;
            let short = DVec3::new(rest.x * (1.0 - shortened * t), rest.y, rest.z);
            // Slowly at first.
            turned(short, TAU * turns * t * t)
        }),
        obstacles: Box::new(|_| Vec::new()),
        solids: Vec::new(),
        place: Box::new(still),
        is_free: making.is_free,
    }
    .record(told)
}

/// A sheet is crumpled into a ball that grows small: 14,720 faces.
pub(super) fn crumpling_sheet(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let (columns, rows) = making.cells(40, 46);
    let edge = 1.0 / columns as f64;
    let frames = making.frames(120);
    let seconds = making.seconds(frames as f64 / 60.0);
    let least = if making.is_free { 0.42 } else { 0.25 };
    ClothRecording {
        sheet: ClothMesh::new(columns, rows, false),
        start: Box::new(level(columns, rows, edge, 0.0, making.seed)),
        levels: 1,
        settings: ClothSettings {
            gravity: DVec3::ZERO,
            loss: 4.0,
            stiffness: 0.01,
            ..settings(edge, making)
        },
        frames,
        frame_seconds: making.seconds(1.0 / 60.0),
        is_held: Box::new(|_| false),
        hold: Box::new(still),
        obstacles: Box::new(move |time| {
            vec![Obstacle::Outside {
                middle: DVec3::ZERO,
                radius: 0.78 + (least - 0.78) * (time / seconds).min(1.0),
            }]
        }),
        solids: Vec::new(),
        place: Box::new(still),
        is_free: making.is_free,
    }
    .record(told)
}
