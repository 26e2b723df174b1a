//! Chazelle's polyhedron: the shape that needs the most convex pieces for its size.

use glam::DVec3;

use super::error::{GenerateError, affordable, agree, at_least, positive};
use super::fit_face_count::nearest;
use super::surface_builder::SurfaceBuilder;
use crate::mesh::TriMesh;

fn chazelle_faces(notches: u64) -> u64 {
    24 * notches + 12
}

/// A box with wedge-shaped notches from below along x and from above along y, whose edges lie
/// on the saddles z = xy and z = xy + gap (heights divided by notches + 1): 24·notches + 12 faces.
///
/// B. Chazelle, "Convex partitions of polyhedra", 1984: between the saddles only quadratically
/// many convex pieces fit.
///
/// # Errors
/// Needs 1 notch and a gap between 0 and 1.
///
/// ```
/// assert_eq!(impinge::generate::chazelle(4, 0.5)?.face_count(), 108);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn chazelle(notches: u32, gap: f64) -> Result<TriMesh, GenerateError> {
    at_least("notches", notches, 1)?;
    positive("gap", gap)?;
    agree(gap < 1.0, "the saddles are too far apart for the box")?;
    let faces = chazelle_faces(notches.into());
    affordable(faces)?;
    let edge = f64::from(notches) + 1.0;
    let (floor, roof) = (-1.0, f64::from(notches) * edge + 2.0);
    // A notch widens in proportion to its depth: then its sides are planes. Four tenths leave
    // ridges between the notches, and are steep enough for notches not to meet.
    let opening = 0.4 / (roof - floor);
    let mut surface = SurfaceBuilder::with_capacity(faces);

    // Outlines of the notches at both ends: position along the box and height.
    let mut outline = |end: f64, lift: f64, level: f64, place: fn(f64, f64, f64) -> DVec3| {
        let mut ids = vec![surface.point(place(end, 0.0, level))];
        for i in 1..=notches {
            let i = f64::from(i);
            let apex = i * end + lift;
            let half = opening * (apex - level).abs();
            ids.push(surface.point(place(end, i - half, level)));
            ids.push(surface.point(place(end, i, apex)));
            ids.push(surface.point(place(end, i + half, level)));
        }
        ids.push(surface.point(place(end, edge, level)));
        ids
    };
    let below: fn(f64, f64, f64) -> DVec3 = |end, along, z| DVec3::new(end, along, z);
    let above: fn(f64, f64, f64) -> DVec3 = |end, along, z| DVec3::new(along, end, z);
    let low_near = outline(0.0, 0.0, floor, below);
    let low_far = outline(edge, 0.0, floor, below);
    let high_near = outline(0.0, gap, roof, above);
    let high_far = outline(edge, gap, roof, above);

    for (near, far) in [(&low_near, &low_far), (&high_near, &high_far)] {
        for (n, f) in near.windows(2).zip(far.windows(2)) {
            surface.quad(n[0], n[1], f[1], f[0]);
        }
    }
    let last = low_near.len() - 1;
    wall(&mut surface, &low_near, high_near[0], high_far[0], true);
    wall(
        &mut surface,
        &low_far,
        high_near[last],
        high_far[last],
        false,
    );
    wall(&mut surface, &high_near, low_near[0], low_far[0], true);
    wall(
        &mut surface,
        &high_far,
        low_near[last],
        low_far[last],
        false,
    );
    surface.map(|p| DVec3::new(p.x, p.y, p.z / edge));
    surface.finish()
}

/// The side between a notched outline and the straight edge from `left` to `right` opposite.
fn wall(surface: &mut SurfaceBuilder, outline: &[u32], left: u32, right: u32, flipped: bool) {
    let mut triangle = |a: u32, b: u32, c: u32| {
        if flipped {
            surface.triangle(a, c, b);
        } else {
            surface.triangle(a, b, c);
        }
    };
    let last = outline.len() - 1;
    let apexes: Vec<usize> = (2..last).step_by(3).collect();
    let (Some(&first_apex), Some(&last_apex)) = (apexes.first(), apexes.last()) else {
        return;
    };
    triangle(left, outline[0], outline[first_apex]);
    triangle(outline[0], outline[1], outline[first_apex]);
    for &apex in &apexes[..apexes.len() - 1] {
        let [a, b, c, d] = [apex, apex + 1, apex + 2, apex + 3].map(|i| outline[i]);
        triangle(a, b, c);
        triangle(a, c, d);
        triangle(left, a, d);
    }
    triangle(outline[last_apex], outline[last - 1], outline[last]);
    triangle(left, outline[last_apex], right);
    triangle(right, outline[last_apex], outline[last]);
}

pub(super) fn fit_chazelle(target: u64, _: u64) -> Result<TriMesh, GenerateError> {
    chazelle(nearest(target, 1, chazelle_faces), 0.5)
}
