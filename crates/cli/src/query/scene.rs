//! The answers as a picture.

use impinge::DVec3;

use super::picture_content::PictureContent;
use super::viewpoint;
use crate::picture;
use crate::render::{Body, Colour, Scene, Stroke, Up};

/// Half the width of the segment between nearest points, as a share of the picture's height.
const SEGMENT_RADIUS: f64 = 0.0032;
/// The same of its ends.
const END_RADIUS: f64 = 0.0075;
/// The same of the edges of boxes.
const BOX_RADIUS: f64 = 0.0011;
/// How much of points of interest shows through surfaces.
const MARKED: f64 = 0.45;
/// The picture of what is to be seen.
pub(crate) fn scene(exhibit: &PictureContent, up: Up) -> Scene<'_> {
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
    if let Some((point, _)) = exhibit.touch {
        mark(&mut scene, [point, point], picture::RED, END_RADIUS);
    }
    scene.towards_viewer = viewpoint::best(exhibit, up);
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
