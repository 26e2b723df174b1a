//! The answers as a picture.

use super::exhibit::Exhibit;
use crate::picture;
use crate::render::{Body, Scene, Stroke};

/// Half the width of the segment between nearest points, as a share of the picture's height.
const SEGMENT_RADIUS: f64 = 0.0032;
/// The same of its ends.
const END_RADIUS: f64 = 0.0075;
/// The same of the edges of boxes.
const BOX_RADIUS: f64 = 0.0011;

/// The picture of what is to be seen.
pub(crate) fn scene(exhibit: &Exhibit) -> Scene<'_> {
    let mut scene = picture::pair_scene(&exhibit.a, &exhibit.b, &exhibit.pairs);
    if let Some(trees) = &exhibit.trees {
        let touching = scene.bodies.iter().map(|body| body.face_colours.clone());
        let touching: Vec<_> = touching.collect();
        for ((body, leaves), touching) in scene.bodies.iter_mut().zip(trees).zip(touching) {
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
            })
            .collect();
        // Curves stay on top.
        scene.strokes.splice(0..0, boxes);
    }
    if let Some(start) = &exhibit.start {
        scene.bodies.push(Body::new(start, picture::PALE));
    }
    for &ends in &exhibit.segments {
        add_segment(&mut scene, ends);
    }
    scene
}

/// Adds a segment between two points of interest.
fn add_segment(scene: &mut Scene<'_>, ends: [impinge::DVec3; 2]) {
    let [p, q] = ends;
    for (ends, radius) in [
        (ends, SEGMENT_RADIUS),
        ([p, p], END_RADIUS),
        ([q, q], END_RADIUS),
    ] {
        scene.strokes.push(Stroke {
            ends,
            colour: picture::GREEN,
            radius,
        });
    }
}
