//! A picture of the worst frame.

use std::path::Path;

use anyhow::Context;
use impinge::deform::ScenePair;
use impinge::io::{Drawing, DrawingLines, DrawingSurface, drawing_bytes};
use impinge::query::FaceId;
use impinge::{DVec3, TriMesh};

use crate::query::{rgba, some_faces};
use crate::render::{Body, Colour, Scene, Stroke, Up};
use crate::{atomic_file, picture};

/// Colours of objects, in turn.
const COLOURS: [Colour; 3] = [picture::IVORY, picture::BLUE, picture::PALE];
/// Colours of clusters, in turn: neighbours in the list differ most.
const CLUSTER_COLOURS: [Colour; 12] = [
    Colour::hex(0x4e79a7),
    Colour::hex(0xf28e2b),
    Colour::hex(0x59a14f),
    Colour::hex(0xe15759),
    Colour::hex(0x76b7b2),
    Colour::hex(0xedc948),
    Colour::hex(0xb07aa1),
    Colour::hex(0x9c755f),
    Colour::hex(0xa0cbe8),
    Colour::hex(0x8cd17d),
    Colour::hex(0xff9da7),
    Colour::hex(0x79706e),
];
/// Half the width of a curve in which faces meet, as a share of the picture's height.
const CURVE_RADIUS: f64 = 0.0028;
/// Pieces of curves that are drawn; more would not be distinguishable.
const MOST_PIECES: usize = 20_000;

/// A frame and what meets in it.
#[derive(Clone, Debug, Default)]
pub(super) struct DrawnFrame {
    pub(super) positions: Vec<DVec3>,
    pub(super) faces: Vec<[u32; 3]>,
    /// Or its cluster.
    pub(super) object_of_face: Vec<u32>,
    /// Whether colours tell clusters.
    pub(super) by_cluster: bool,
    pub(super) object_names: Vec<String>,
    pub(super) pairs: Vec<ScenePair>,
    /// Faces that meet on the way to the next frame.
    pub(super) on_the_way: Vec<FaceId>,
}

impl DrawnFrame {
    /// The pieces of curves in which faces meet.
    fn pieces(&self, mesh: &TriMesh) -> Vec<[DVec3; 2]> {
        self.pairs
            .iter()
            .take(MOST_PIECES)
            .filter_map(|pair| picture::curve_piece(&mesh.face(pair.a)?, &mesh.face(pair.b)?))
            .collect()
    }

    fn colours(&self) -> &'static [Colour] {
        if self.by_cluster {
            &CLUSTER_COLOURS
        } else {
            &COLOURS
        }
    }

    fn mesh(&self) -> anyhow::Result<TriMesh> {
        Ok(TriMesh::new(self.positions.clone(), self.faces.clone())?)
    }

    /// The faces that meet, now or on the way to the next frame.
    fn meeting(&self) -> impl Iterator<Item = usize> + '_ {
        let now = self.pairs.iter().flat_map(|p| [p.a, p.b]);
        now.chain(self.on_the_way.iter().copied())
            .map(|face| face.index())
    }

    pub(super) fn png(&self, up: Up, path: &Path) -> anyhow::Result<()> {
        let mesh = self.mesh()?;
        let mut body = Body::new(&mesh, COLOURS[0]);
        let colours = self.colours();
        for (kind, &colour) in colours.iter().enumerate() {
            let of_kind = self
                .object_of_face
                .iter()
                .enumerate()
                .filter(|(_, object)| **object as usize % colours.len() == kind);
            body.paint(of_kind.map(|(face, _)| face), colour);
        }
        body.paint(self.meeting(), picture::AMBER);
        let strokes = self.pieces(&mesh).into_iter().map(|ends| Stroke {
            ends,
            colour: picture::RED,
            radius: CURVE_RADIUS,
            behind: Stroke::FAINT,
        });
        let scene = Scene {
            strokes: strokes.collect(),
            bodies: vec![body],
            up,
            ..Scene::default()
        };
        picture::save(&scene, path)
    }

    pub(super) fn glb(&self, path: &Path) -> anyhow::Result<()> {
        let mesh = self.mesh()?;
        let object_of_face = &self.object_of_face;
        let mut is_meeting = vec![false; self.faces.len()];
        for face in self.meeting() {
            is_meeting[face] = true;
        }
        let objects = object_of_face.iter().max().map_or(0, |&m| m as usize + 1);
        let mut drawing = Drawing::default();
        let colours = self.colours();
        for object in 0..objects {
            let of_object: Vec<bool> = object_of_face
                .iter()
                .zip(&is_meeting)
                .map(|(of, meets)| *of as usize == object && !meets)
                .collect();
            let name = self
                .object_names
                .get(object)
                .filter(|name| !name.is_empty());
            drawing.surfaces.push(DrawingSurface {
                name: name.cloned().unwrap_or_else(|| format!("object {object}")),
                mesh: some_faces(&mesh, &of_object)?,
                colour: rgba(colours[object % colours.len()], 1.0),
            });
        }
        drawing.surfaces.push(DrawingSurface {
            name: "faces that meet".to_owned(),
            mesh: some_faces(&mesh, &is_meeting)?,
            colour: rgba(picture::AMBER, 1.0),
        });
        drawing.lines.push(DrawingLines {
            name: "where they meet".to_owned(),
            segments: self.pieces(&mesh),
            colour: rgba(picture::RED, 1.0),
        });
        atomic_file::write(path, &drawing_bytes(&drawing)?)
            .with_context(|| format!("cannot write {}", path.display()))
    }
}
