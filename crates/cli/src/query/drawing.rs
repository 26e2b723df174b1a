//! The answers as a GLB model for any viewer.

use impinge::bvh::wide::WideTree;
use impinge::io::{Drawing, DrawingLines, DrawingSurface, drawing_bytes};
use impinge::penetration::overlap_boundary;
use impinge::{DVec3, Pose, TriMesh};

use super::line_tubes::Tubes;
use super::picture_content::PictureContent;
use crate::picture;
use crate::render::Colour;

/// Half the width of curves, as a share of the scene's size.
const CURVE_RADIUS: f64 = 0.0015;
/// The same of the ends of segments.
const END_RADIUS: f64 = 0.004;

/// The bytes of the file.
pub(crate) fn glb(exhibit: &PictureContent) -> anyhow::Result<Vec<u8>> {
    let mut drawing = Drawing::default();
    for (side, name, mesh, colour) in [
        (0, "a", exhibit.a.as_ref(), picture::IVORY),
        (1, "b", &exhibit.b, picture::BLUE),
    ] {
        let mut touching = vec![false; mesh.face_count()];
        for pair in &exhibit.pairs {
            let face = if side == 0 { pair.a } else { pair.b };
            touching[face.index()] = true;
        }
        let mut tested = vec![false; mesh.face_count()];
        if let Some(trees) = &exhibit.trees {
            for face in trees[side].tested_faces() {
                tested[face] = !touching[face];
            }
        }
        let plain: Vec<bool> = touching
            .iter()
            .zip(&tested)
            .map(|(t, u)| !t && !u)
            .collect();
        for (faces, what, colour) in [
            (&plain, "", colour),
            (&tested, " tested", picture::TESTED),
            (&touching, " touching", picture::AMBER),
        ] {
            drawing.surfaces.push(DrawingSurface {
                name: format!("{name}{what}"),
                mesh: some_faces(mesh, faces)?,
                colour: rgba(colour, 1.0),
            });
        }
        if let Some(trees) = &exhibit.trees {
            for (meeting, what, colour) in [
                (false, "leaves", picture::GREY),
                (true, "meeting leaves", picture::BOX),
            ] {
                drawing.lines.push(DrawingLines {
                    name: format!("{name} {what}"),
                    segments: trees[side].edges(meeting).collect(),
                    colour: rgba(colour, 1.0),
                });
            }
        }
    }
    if let Some(start) = &exhibit.start {
        drawing.surfaces.push(DrawingSurface {
            name: "b at the start".to_owned(),
            mesh: start.clone(),
            colour: rgba(picture::BLUE, 0.25),
        });
    }
    let size = exhibit.size();
    let mut curves = Tubes::default();
    if exhibit.curves.is_empty() {
        for pair in &exhibit.pairs {
            let (Some(of_a), Some(of_b)) = (exhibit.a.face(pair.a), exhibit.b.face(pair.b)) else {
                continue;
            };
            if let Some([p, q]) = picture::curve_piece(&of_a, &of_b) {
                curves.add(&[p, q], false, CURVE_RADIUS * size);
            }
        }
    }
    for (points, is_closed) in &exhibit.curves {
        curves.add(points, *is_closed, CURVE_RADIUS * size);
    }
    if let Some((point, _)) = exhibit.touch {
        curves.dot(point, END_RADIUS * size);
    }
    let mut segments = Tubes::default();
    for &[p, q] in &exhibit.segments {
        segments.add(&[p, q], false, CURVE_RADIUS * size);
        segments.dot(p, END_RADIUS * size);
        segments.dot(q, END_RADIUS * size);
    }
    for (name, tubes, colour) in [
        ("curves", curves, picture::RED),
        ("nearest points", segments, picture::GREEN),
    ] {
        drawing.surfaces.push(DrawingSurface {
            name: name.to_owned(),
            mesh: tubes.mesh()?,
            colour: rgba(colour, 1.0),
        });
    }
    Ok(drawing_bytes(&drawing)?)
}

/// The bytes of a file with the shape of what two solids share.
pub(crate) fn overlap(a: &WideTree, b: &WideTree, a_from_b: &Pose) -> anyhow::Result<Vec<u8>> {
    let shape = overlap_boundary(a, b, a_from_b)?;
    let surface = |name: &str, mesh, colour| DrawingSurface {
        name: name.to_owned(),
        mesh,
        colour: rgba(colour, 1.0),
    };
    let drawing = Drawing {
        surfaces: vec![
            surface("surface of a inside b", shape.of_a, picture::IVORY),
            surface("surface of b inside a", shape.of_b, picture::BLUE),
        ],
        lines: Vec::new(),
    };
    Ok(drawing_bytes(&drawing)?)
}

/// The colour as files hold it.
pub(crate) fn rgba(colour: Colour, opacity: f32) -> [f32; 4] {
    let [r, g, b] = colour.0.to_array().map(|x| x as f32);
    [r, g, b, opacity]
}

/// The mesh of some faces, with the vertices they use.
pub(crate) fn some_faces(mesh: &TriMesh, wanted: &[bool]) -> anyhow::Result<TriMesh> {
    let mut number = vec![u32::MAX; mesh.vertex_count()];
    let mut positions: Vec<DVec3> = Vec::new();
    let mut faces = Vec::new();
    for (face, _) in mesh
        .faces()
        .iter()
        .zip(wanted)
        .filter(|(_, wanted)| **wanted)
    {
        faces.push(face.map(|v| {
            let v = v as usize;
            if number[v] == u32::MAX {
                number[v] = positions.len() as u32;
                positions.push(mesh.positions()[v]);
            }
            number[v]
        }));
    }
    Ok(TriMesh::new(positions, faces)?)
}
