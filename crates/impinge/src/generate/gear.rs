//! A spur gear.

use std::f64::consts::PI;

use glam::DVec2;

use super::error::{GenerateError, affordable, agree, all_at_least, all_positive, times};
use super::fit_face_count::nearest_pair;
use super::surface_builder::{ProfileRow, SurfaceBuilder, TubeEnds, stack};
use crate::mesh::TriMesh;

/// The usual pressure angle, 20°.
const PRESSURE: f64 = PI / 9.0;

pub(super) fn gear_faces(teeth: u64, steps: u64) -> u64 {
    times([16, teeth, steps + 1])
}

/// A spur gear around z with involute flanks and a bore, pitch radius 1:
/// 16·teeth·(steps + 1) faces, `steps` per flank.
///
/// # Errors
/// Needs 8 teeth, 1 step, a positive width, and a bore inside the roots of the teeth.
///
/// ```
/// assert_eq!(impinge::generate::gear(12, 4, 0.3, 0.4)?.face_count(), 960);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn gear(teeth: u32, steps: u32, width: f64, bore: f64) -> Result<TriMesh, GenerateError> {
    all_at_least([("teeth", teeth, 8), ("steps", steps, 1)])?;
    all_positive([("width", width), ("bore", bore)])?;
    let faces = gear_faces(teeth.into(), steps.into());
    affordable(faces)?;
    let flank = flank(teeth, steps);
    let root = flank.first().map_or(0.0, |p| p.x);
    let half_pitch = PI / f64::from(teeth);
    // The chords between teeth and along the bore stay apart.
    agree(
        bore < root * libm::cos(half_pitch),
        "the bore of the gear cuts into its teeth",
    )?;

    // Radius and angle of every outline point, counter-clockwise.
    let mut outline: Vec<DVec2> = Vec::new();
    for tooth in 0..teeth {
        let middle = 2.0 * half_pitch * f64::from(tooth);
        outline.extend(flank.iter().map(|p| DVec2::new(p.x, middle - p.y)));
        outline.extend(flank.iter().rev().map(|p| DVec2::new(p.x, middle + p.y)));
    }
    let directions: Vec<DVec2> = outline
        .iter()
        .map(|p| DVec2::new(libm::cos(p.y), libm::sin(p.y)))
        .collect();
    let mut surface = SurfaceBuilder::with_capacity(faces);
    let half = width / 2.0;
    let rows = [(true, -half), (true, half), (false, half), (false, -half)];
    let count = outline.len() as u32;
    let row = |surface: &mut SurfaceBuilder, (outer, z): (bool, f64)| {
        ProfileRow::Circle(surface.circle(count, |i| {
            let i = i as usize;
            let r = if outer { outline[i].x } else { bore };
            (directions[i] * r).extend(z)
        }))
    };
    stack(&mut surface, rows, row, TubeEnds::Joined);
    surface.finish()
}

/// Radius and half-thickness angle of a tooth from root to tip.
fn flank(teeth: u32, steps: u32) -> Vec<DVec2> {
    let module = 2.0 / f64::from(teeth);
    let (root, base, tip) = (1.0 - 1.25 * module, libm::cos(PRESSURE), 1.0 + module);
    let involute = |angle: f64| libm::tan(angle) - angle;
    let half_pitch = PI / f64::from(teeth);
    let thickness = |r: f64| {
        let angle = libm::acos((base / r).min(1.0));
        half_pitch / 2.0 + involute(PRESSURE) - involute(angle)
    };
    let start = root.max(base);
    // Below the base circle there is no involute: the foot widens to the root.
    let foot = if root < base {
        let edge = thickness(base);
        DVec2::new(root, edge + 0.25 * (half_pitch - edge))
    } else {
        DVec2::new(root, thickness(root))
    };
    let above = u32::from(root >= base);
    let mut points = vec![foot];
    for i in 0..steps {
        let last = steps - 1 + above;
        let s = if last == 0 {
            1.0
        } else {
            f64::from(i + above) / f64::from(last)
        };
        let r = start + (tip - start) * s;
        points.push(DVec2::new(r, thickness(r)));
    }
    points
}

pub(super) fn fit_gear(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    let (teeth, steps) = nearest_pair(target, (8, 1), 4, gear_faces);
    gear(teeth, steps, 0.3, 0.4)
}
