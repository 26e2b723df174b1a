//! A mannequin in a long dress walks: a procedural body and a garment.

use std::f64::consts::TAU;

use impinge::{DVec3, TriMesh, generate};

use super::Making;
use super::cloth_mesh::{ClothMesh, ROW};
use super::cloth_recording::ClothRecording;
use super::cloth_scenes::settings;
use super::cloth_solver::ClothSettings;
use super::obstacle::Obstacle;
use super::sequence::Sequence;

/// Steps in a second.
const CADENCE: f64 = 0.9;
const HIP: f64 = 0.71;
const KNEE: f64 = 0.365;
const SHOULDER: f64 = 1.36;

/// A limb: its ends at a time, and how thick it is.
struct Limb {
    radius: f64,
    ends: fn(f64) -> [DVec3; 2],
}

/// How far a leg swings, in radians, and how far its knee is bent.
fn stride(time: f64, side: f64) -> (f64, f64) {
    let phase = TAU * CADENCE * time;
    // It begins to walk from standing.
    let ease = (time / 0.4).min(1.0);
    let swing = ease * 0.24 * side * phase.sin();
    let bend = ease * 0.25 * (1.0 - (phase + side * TAU / 8.0).cos());
    (swing, bend)
}

/// A point of a limb that hangs from `joint`, so far below it, swung by an angle.
fn hung(joint: DVec3, below: f64, angle: f64) -> DVec3 {
    joint + DVec3::new(0.0, angle.sin(), -angle.cos()) * below
}

fn leg(time: f64, side: f64, is_shin: bool) -> [DVec3; 2] {
    let (swing, bend) = stride(time, side);
    let hip = DVec3::new(0.095 * side, 0.0, HIP);
    if !is_shin {
        return [hung(hip, 0.0, swing), hung(hip, 0.26, swing)];
    }
    let knee = hung(hip, HIP - KNEE, swing);
    [0.07, 0.27].map(|below| hung(knee, below, swing - bend))
}

fn arm(time: f64, side: f64, is_lower: bool) -> [DVec3; 2] {
    let swing = -0.5 * stride(time, side).0;
    let shoulder = DVec3::new(0.30 * side, 0.0, SHOULDER);
    let spread = |p: DVec3| p + DVec3::new(side * 0.25 * (SHOULDER - p.z), 0.0, 0.0);
    let range = if is_lower { [0.36, 0.55] } else { [0.0, 0.24] };
    range.map(|below| spread(hung(shoulder, below, swing)))
}

const LIMBS: [Limb; 10] = [
    Limb {
        radius: 0.145,
        ends: |_| [DVec3::new(0.0, 0.0, 0.96), DVec3::new(0.0, 0.0, 1.3)],
    },
    Limb {
        radius: 0.1,
        ends: |_| [DVec3::new(0.0, 0.0, 1.58), DVec3::new(0.0, 0.0, 1.66)],
    },
    Limb {
        radius: 0.07,
        ends: |time| leg(time, -1.0, false),
    },
    Limb {
        radius: 0.07,
        ends: |time| leg(time, 1.0, false),
    },
    Limb {
        radius: 0.052,
        ends: |time| leg(time, -1.0, true),
    },
    Limb {
        radius: 0.052,
        ends: |time| leg(time, 1.0, true),
    },
    Limb {
        radius: 0.045,
        ends: |time| arm(time, -1.0, false),
    },
    Limb {
        radius: 0.045,
        ends: |time| arm(time, 1.0, false),
    },
    Limb {
        radius: 0.038,
        ends: |time| arm(time, -1.0, true),
    },
    Limb {
        radius: 0.038,
        ends: |time| arm(time, 1.0, true),
    },
];

/// A mannequin of ten limbs in a dress: 103,936 faces and 9,600.
pub(super) fn dressed_avatar(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let (columns, rows) = making.cells(56, 58);
    // The dress hangs from the chest, a little wider than the body.
    let radius = 0.205;
    let edge = TAU * radius / columns as f64;
    let sheet = ClothMesh::new(columns, rows, true);
    let top = sheet.points.len() - sheet.columns;
    let chest = 1.3;
    let hem = chest - rows as f64 * ROW * edge;
    let clear = if making.is_free {
        0.35 * edge
    } else {
        -0.5 * edge
    };
    let solids: Vec<TriMesh> = LIMBS
        .iter()
        .map(|limb| {
            let [a, b] = (limb.ends)(0.0);
            Ok(generate::capsule(limb.radius, a.distance(b), 24, 10)?)
        })
        .collect::<anyhow::Result<_>>()?;
    ClothRecording {
        sheet,
        start: Box::new(move |p| {
            let (sine, cosine) = (TAU * p.x / columns as f64).sin_cos();
            DVec3::new(radius * cosine, radius * sine, hem + p.y * edge)
        }),
        levels: 2,
        settings: ClothSettings {
            clear,
            ..settings(edge, making)
        },
        frames: making.frames(90),
        frame_seconds: making.seconds(1.0 / 60.0),
        is_held: Box::new(move |k| k >= top),
        hold: Box::new(|_, rest, _| rest),
        obstacles: Box::new(|time| {
            LIMBS
                .iter()
                .map(|limb| Obstacle::Capsule {
                    ends: (limb.ends)(time),
                    radius: limb.radius,
                })
                .collect()
        }),
        solids,
        place: Box::new(|solid, p, time| {
            let [a, b] = (LIMBS[solid].ends)(time);
            let up = (a - b).try_normalize().unwrap_or(DVec3::Z);
            let side = up.any_orthonormal_vector();
            // The same side in every frame.
            let side = (DVec3::X - up * up.x).try_normalize().unwrap_or(side);
            (a + b) * 0.5 + side * p.x + up.cross(side) * p.y + up * p.z
        }),
        is_free: making.is_free,
    }
    .record(told)
}
