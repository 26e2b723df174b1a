//! The assembly as a GLB model with its clashing parts coloured.

use impinge::TriMesh;
use impinge::clash::ClashKind;
use impinge::io::{Drawing, DrawingLines, DrawingSurface, drawing_bytes};

use super::report::Report;

/// Faces beyond which parts without a clash are left out.
const MOST_FACES: usize = 4_000_000;
const GREY: [f32; 4] = [0.55, 0.57, 0.60, 0.18];
const MARK: [f32; 4] = [0.9, 0.02, 0.02, 1.0];

/// The colour of parts whose worst clash is of this kind, in linear light.
fn colour(kind: ClashKind) -> [f32; 4] {
    match kind {
        ClashKind::Duplicate => [0.40, 0.05, 0.55, 1.0],
        ClashKind::Crossing => [0.75, 0.04, 0.03, 1.0],
        ClashKind::Contained => [0.80, 0.16, 0.02, 1.0],
        ClashKind::Touching => [0.75, 0.50, 0.03, 1.0],
        ClashKind::Clearance => [0.06, 0.25, 0.65, 1.0],
    }
}

/// The bytes of the file, and whether parts without a clash were left out.
pub(super) fn glb(report: &Report) -> anyhow::Result<(Vec<u8>, bool)> {
    let parts = report.gathered.parts();
    let mut gravest: Vec<Option<ClashKind>> = vec![None; parts.len()];
    for clash in &report.clashes {
        for part in [clash.a, clash.b] {
            let kind = &mut gravest[part as usize];
            *kind = Some(kind.map_or(clash.kind, |old| old.min(clash.kind)));
        }
    }
    let leaves_out = report.gathered.faces() > MOST_FACES;
    let mut drawing = Drawing::default();
    for (part, kind) in parts.iter().zip(&gravest) {
        if leaves_out && kind.is_none() {
            continue;
        }
        drawing.surfaces.push(DrawingSurface {
            name: part.name.clone(),
            mesh: TriMesh::clone(&Report::placed(part)),
            colour: kind.map_or(GREY, colour),
        });
    }
    let marks: Vec<_> = report.clashes.iter().map(|clash| clash.points).collect();
    drawing.lines.push(DrawingLines {
        name: "clashes".to_owned(),
        segments: marks,
        colour: MARK,
    });
    Ok((drawing_bytes(&drawing)?, leaves_out))
}
