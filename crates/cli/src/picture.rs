//! Scenes for the renderer.

use std::path::Path;

use anyhow::Context;
use impinge::geom::{TriangleOverlap, triangle_overlap};
use impinge::mesh::{Finding, FindingPlace, Severity};
use impinge::query::FacePair;
use impinge::{DVec3, TriMesh};

use crate::finding_location::{faces_of, vertices_of};
use crate::progress;
use crate::render::{self, Body, Colour, Image, Scene, Stroke};

/// Size of pictures in pixels.
pub(crate) const WIDTH: usize = 1200;
/// Size of pictures in pixels.
pub(crate) const HEIGHT: usize = 750;

/// The second mesh.
pub(crate) const BLUE: Colour = Colour::hex(0x4674c2);
/// The first mesh.
pub(crate) const IVORY: Colour = Colour::hex(0xd6cdbd);
/// Faces that meet.
pub(crate) const AMBER: Colour = Colour::hex(0xf7a331);
/// Curves in which they meet.
pub(crate) const RED: Colour = Colour::hex(0xc42a1c);
/// Nearest and deepest points.
pub(crate) const GREEN: Colour = Colour::hex(0x17804a);
/// Faces that were tested and do not meet.
pub(crate) const TESTED: Colour = Colour::hex(0xe6d3a1);
/// Boxes that meet.
pub(crate) const BOX: Colour = Colour::hex(0x7a2f6e);
/// Boxes that do not.
pub(crate) const GREY: Colour = Colour::hex(0x9aa0a8);
/// The second mesh where it began to move.
pub(crate) const PALE: Colour = Colour::hex(0xb9c6dd);
const PORCELAIN: Colour = Colour::hex(0xc3cad6);
/// Half the width of lines along findings, as a share of the picture's height.
const FINDING_RADIUS: f64 = 0.0032;
/// Half the width of an intersection curve, as a share of the picture's height.
const CURVE_RADIUS: f64 = 0.0028;

/// Both meshes in one frame, their intersecting faces, and the curve in which they meet.
pub(crate) fn pair_scene<'a>(a: &'a TriMesh, b: &'a TriMesh, pairs: &[FacePair]) -> Scene<'a> {
    let mut body_a = Body::new(a, IVORY);
    let mut body_b = Body::new(b, BLUE);
    body_a.paint(pairs.iter().map(|pair| pair.a.index()), AMBER);
    body_b.paint(pairs.iter().map(|pair| pair.b.index()), AMBER);
    let strokes = pairs
        .iter()
        .filter_map(|pair| curve_piece(&a.face(pair.a)?, &b.face(pair.b)?))
        .map(|ends| Stroke {
            ends,
            colour: RED,
            radius: CURVE_RADIUS,
            behind: Stroke::FAINT,
        })
        .collect();
    Scene {
        bodies: vec![body_a, body_b],
        strokes,
        ..Scene::default()
    }
}

/// A mesh with its findings: errors red, warnings amber.
pub(crate) fn finding_scene<'a>(mesh: &'a TriMesh, findings: &[Finding]) -> Scene<'a> {
    let mut body = Body::new(mesh, PORCELAIN);
    let mut strokes = Vec::new();
    // The gravest last, so that it stays visible.
    for severity in [Severity::Warning, Severity::Error] {
        let colour = if severity == Severity::Error {
            RED
        } else {
            AMBER
        };
        for finding in findings.iter().filter(|f| f.severity == severity) {
            let place = &finding.place;
            match place {
                // Bad edges are drawn as lines; their faces need not be bad.
                FindingPlace::Edge { .. } | FindingPlace::Piece { .. } => {}
                _ => body.paint(faces_of(place).iter().map(|face| face.index()), colour),
            }
            let points: Vec<DVec3> = vertices_of(place)
                .iter()
                .filter_map(|vertex| mesh.positions().get(vertex.index()).copied())
                .collect();
            let mut stroke = |ends| {
                strokes.push(Stroke {
                    ends,
                    colour,
                    radius: FINDING_RADIUS,
                    behind: Stroke::FAINT,
                });
            };
            match place {
                FindingPlace::Border { is_closed, .. } => {
                    points.windows(2).for_each(|w| stroke([w[0], w[1]]));
                    if let (true, Some(&last), Some(&first)) =
                        (*is_closed, points.last(), points.first())
                    {
                        stroke([last, first]);
                    }
                }
                FindingPlace::Edge { .. } => points.windows(2).for_each(|w| stroke([w[0], w[1]])),
                _ => points.iter().for_each(|&p| stroke([p, p])),
            }
        }
    }
    Scene {
        bodies: vec![body],
        strokes,
        ..Scene::default()
    }
}

/// The picture of a scene in the usual size.
pub(crate) fn drawn(scene: &Scene<'_>) -> Image {
    render::draw(scene, WIDTH, HEIGHT)
}

/// Writes the picture of a scene.
pub(crate) fn save(scene: &Scene<'_>, path: &Path) -> anyhow::Result<()> {
    progress::during("drawing", || drawn(scene))
        .save(path)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The ends of what two faces share, when that is a point or a segment; areas are shown by colour.
pub(crate) fn curve_piece(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<[DVec3; 2]> {
    match triangle_overlap(a, b) {
        TriangleOverlap::Point(p) => Some([p, p]),
        TriangleOverlap::Segment(ends) => Some(ends),
        _ => None,
    }
}
