//! The answers as a picture.

use impinge::DVec3;

use super::exhibit::Exhibit;
use crate::picture;
use crate::render::{Body, Colour, Scene, Stroke, TOWARDS_VIEWER, Up};

/// Half the width of the segment between nearest points, as a share of the picture's height.
const SEGMENT_RADIUS: f64 = 0.0032;
/// The same of its ends.
const END_RADIUS: f64 = 0.0075;
/// The same of the edges of boxes.
const BOX_RADIUS: f64 = 0.0011;
/// How much of points of interest shows through surfaces.
const MARKED: f64 = 0.45;
/// How high the viewer stands, for a unit of distance aside.
const VIEW_HEIGHT: f64 = 0.45;
/// The sine of the angle from upright below which a line is seen well from anywhere.
const UPRIGHT: f64 = 0.3;

/// The picture of what is to be seen.
pub(crate) fn scene(exhibit: &Exhibit, up: Up) -> Scene<'_> {
    let mut scene = picture::pair_scene(&exhibit.a, &exhibit.b, &exhibit.pairs);
    scene.up = up;
    if let Some(trees) = &exhibit.trees {
        for (body, leaves) in scene.bodies.iter_mut().zip(trees) {
            let touching = std::mem::take(&mut body.face_colours);
            body.paint(leaves.tested_faces(), picture::TESTED);
            for (slot, colour) in body.face_colours.iter_mut().zip(touching) {
                *slot = colour.or(*slot);
            }
        }
        let edges = trees.iter().flat_map(|leaves| leaves.edges(true));
        let boxes: Vec<Stroke> = edges
            .map(|ends| Stroke {
                ends,
                colour: picture::BOX,
                radius: BOX_RADIUS,
                behind: Stroke::FAINT,
            })
            .collect();
        // Curves stay on top.
        scene.strokes.splice(0..0, boxes);
    }
    if let Some(start) = &exhibit.start {
        scene.bodies.push(Body::new(start, picture::PALE));
    }
    for &[p, q] in &exhibit.segments {
        mark(&mut scene, [p, q], picture::GREEN, SEGMENT_RADIUS);
        mark(&mut scene, [p, p], picture::GREEN, END_RADIUS);
        mark(&mut scene, [q, q], picture::GREEN, END_RADIUS);
    }
    let mut across = exhibit.segments.first().map(|[p, q]| *q - *p);
    if let Some((point, normal)) = exhibit.touch {
        mark(&mut scene, [point, point], picture::RED, END_RADIUS);
        across = Some(normal);
    }
    scene.towards_viewer = across.map(|line| seen_across(up.turned(line)));
    scene
}

fn mark(scene: &mut Scene<'_>, ends: [DVec3; 2], colour: Colour, radius: f64) {
    scene.strokes.push(Stroke {
        ends,
        colour,
        radius,
        behind: MARKED,
    });
}

/// A place for the viewer from which the line runs across the picture, so that neither of two bodies stands before the
/// other; the usual place for lines that are nearly upright.
fn seen_across(line: DVec3) -> DVec3 {
    let aside = DVec3::Z.cross(line.normalize_or_zero());
    if aside.length() < UPRIGHT {
        return TOWARDS_VIEWER;
    }
    let aside = aside.normalize() * aside.dot(TOWARDS_VIEWER).signum();
    aside + DVec3::Z * VIEW_HEIGHT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_looks_across_and_from_above() {
        for line in [DVec3::X, DVec3::new(1.0, -1.0, 0.0), TOWARDS_VIEWER] {
            let viewer = seen_across(line);
            assert!(viewer.dot(TOWARDS_VIEWER) > 0.0 && viewer.z == VIEW_HEIGHT);
            assert!(viewer.truncate().dot(line.truncate()).abs() < 1e-12);
        }
        assert_eq!(seen_across(DVec3::Z), TOWARDS_VIEWER);
        assert_eq!(seen_across(DVec3::ZERO), TOWARDS_VIEWER);
    }
}
