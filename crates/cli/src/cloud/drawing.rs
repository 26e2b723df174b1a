//! The answers as a picture and as a model.

use std::path::Path;

use anyhow::Context;
use impinge::cloud::{CloudShape, CloudSurface, PointId};
use impinge::io::{Drawing, DrawingLines, DrawingSurface, drawing_bytes};
use impinge::{DVec3, Pose, TriMesh};

use super::answers::Answers;
use super::cloud_or_mesh::CloudOrMesh;
use super::surface::Crossed;
use crate::query::{Tubes, rgba};
use crate::render::{Body, Colour, Scene, Stroke, Up};
use crate::{atomic_file, picture};

/// Half the width of a place on the curve, and of the segment between nearest points, as a share of the scene's size.
const CURVE_RADIUS: f64 = 0.004;
/// Half the width of marks in the picture, as a share of its height.
const MARK: f64 = 0.004;

/// What is to be seen, all in A's frame.
pub(crate) struct CloudPicture {
    bodies: Vec<(&'static str, TriMesh, Colour)>,
    graphs: Vec<(&'static str, Vec<[DVec3; 2]>, Colour)>,
    nearest: Option<[DVec3; 2]>,
    curve: Vec<DVec3>,
    size: f64,
}

impl CloudPicture {
    /// Writes the picture and the model that are wanted, and says which. The model always has the graphs.
    pub(crate) fn write<'p>(
        &self,
        png: Option<&'p Path>,
        glb: Option<&'p Path>,
        up: Up,
        with_graphs: bool,
    ) -> anyhow::Result<Vec<&'p Path>> {
        if let Some(path) = png {
            let mut scene = self.scene(up);
            if with_graphs {
                self.draw_graphs(&mut scene);
            }
            picture::save(&scene, path)?;
        }
        if let Some(path) = glb {
            atomic_file::write(path, &self.glb()?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(png.into_iter().chain(glb).collect())
    }

    pub(crate) fn new(
        subjects: [&CloudOrMesh; 2],
        surfaces: Option<[&CloudSurface; 2]>,
        a_from_b: &Pose,
        answers: &Answers,
        crossed: Option<&Crossed>,
    ) -> anyhow::Result<Self> {
        let [a, b] = subjects.map(CloudOrMesh::bounds);
        let size = a.union(&b.transformed(a_from_b)).diagonal().length();
        let mut exhibit = Self {
            bodies: Vec::new(),
            graphs: Vec::new(),
            nearest: match crossed {
                Some(crossed) => crossed.nearest,
                None => answers.nearest(),
            }
            .filter(|s| s.distance > 0.0)
            .map(|s| [s.point_a, s.point_b]),
            curve: crossed.map_or(Vec::new(), |c| c.places.iter().map(|p| p.point).collect()),
            size,
        };
        let names = ["a", "b"];
        let graphs = ["graph of a", "graph of b"];
        let colours = [picture::IVORY, picture::BLUE];
        let poses = [Pose::IDENTITY, *a_from_b];
        for side in 0..2 {
            let (subject, pose) = (subjects[side], &poses[side]);
            let surface = surfaces.map(|surfaces| surfaces[side]);
            let mesh = body(subject, surface, pose, size)
                .with_context(|| format!("cannot draw {}", names[side]))?;
            exhibit.bodies.push((names[side], mesh, colours[side]));
            if let Some(surface) = surface {
                let edges = edges(surface, pose);
                exhibit.graphs.push((graphs[side], edges, picture::GREY));
            }
        }
        Ok(exhibit)
    }

    /// A cloud alone: the surface behind it, or its points where there is none, and the edges of its graph.
    pub(crate) fn of_cloud(
        cloud: &CloudShape,
        surface: Option<&CloudSurface>,
    ) -> anyhow::Result<Self> {
        let size = cloud.bounds().diagonal().length();
        let mesh = cloud_body(cloud, surface, &Pose::IDENTITY, size)?;
        let graph = surface.map(|s| ("graph", edges(s, &Pose::IDENTITY), picture::GREY));
        Ok(Self {
            bodies: vec![("cloud", mesh, picture::IVORY)],
            graphs: graph.into_iter().collect(),
            nearest: None,
            curve: Vec::new(),
            size,
        })
    }

    /// The edges of graphs in pictures; they are many, so thin.
    pub(crate) fn draw_graphs(&self, scene: &mut Scene<'_>) {
        for (_, edges, _) in &self.graphs {
            let step = edges.len().div_ceil(60_000).max(1);
            scene
                .strokes
                .extend(edges.iter().step_by(step).map(|&ends| Stroke {
                    ends,
                    colour: picture::BLUE,
                    radius: 0.15 * MARK,
                    behind: 0.0,
                }));
        }
    }

    /// The picture of it.
    pub(crate) fn scene(&self, up: Up) -> Scene<'_> {
        let bodies = self.bodies.iter();
        let mark = |ends: [DVec3; 2], colour, radius| Stroke {
            ends,
            colour,
            radius,
            // So much shows through surfaces.
            behind: 0.45,
        };
        let mut strokes: Vec<Stroke> = Vec::new();
        strokes.extend(self.curve.iter().map(|&p| mark([p, p], picture::RED, MARK)));
        if let Some([p, q]) = self.nearest {
            strokes.push(mark([p, q], picture::GREEN, 0.8 * MARK));
            strokes.push(mark([p, p], picture::GREEN, 1.8 * MARK));
            strokes.push(mark([q, q], picture::GREEN, 1.8 * MARK));
        }
        Scene {
            bodies: bodies
                .filter(|(_, mesh, _)| !mesh.is_empty())
                .map(|(_, mesh, colour)| Body::new(mesh, *colour))
                .collect(),
            strokes,
            up,
            ..Scene::default()
        }
    }

    /// The bytes of a GLB model of it.
    pub(crate) fn glb(&self) -> anyhow::Result<Vec<u8>> {
        let mut marks = [Tubes::default(), Tubes::default()];
        for &p in &self.curve {
            marks[0].dot(p, CURVE_RADIUS * self.size);
        }
        if let Some([p, q]) = self.nearest {
            marks[1].add(&[p, q], false, 0.5 * CURVE_RADIUS * self.size);
            marks[1].dot(p, CURVE_RADIUS * self.size);
            marks[1].dot(q, CURVE_RADIUS * self.size);
        }
        let surface = |name: &str, mesh: TriMesh, colour: Colour| DrawingSurface {
            name: name.to_owned(),
            mesh,
            colour: rgba(colour, 1.0),
        };
        let mut drawing = Drawing::default();
        for (name, mesh, colour) in &self.bodies {
            drawing.surfaces.push(surface(name, mesh.clone(), *colour));
        }
        let names = [("curve", picture::RED), ("nearest points", picture::GREEN)];
        for (tubes, (name, colour)) in marks.into_iter().zip(names) {
            drawing.surfaces.push(surface(name, tubes.mesh()?, colour));
        }
        for (name, segments, colour) in &self.graphs {
            drawing.lines.push(DrawingLines {
                name: (*name).to_owned(),
                segments: segments.clone(),
                colour: rgba(*colour, 1.0),
            });
        }
        Ok(drawing_bytes(&drawing)?)
    }
}

/// The faces of a mesh, the surface behind a cloud, or its points as small dots.
fn body(
    subject: &CloudOrMesh,
    surface: Option<&CloudSurface>,
    pose: &Pose,
    size: f64,
) -> anyhow::Result<TriMesh> {
    match subject {
        CloudOrMesh::Mesh(loaded, _) => Ok(loaded.mesh.placed(pose)?),
        CloudOrMesh::Cloud(cloud) => cloud_body(cloud, surface, pose, size),
    }
}

/// The surface behind a cloud, or its points as small dots.
fn cloud_body(
    cloud: &CloudShape,
    surface: Option<&CloudSurface>,
    pose: &Pose,
    size: f64,
) -> anyhow::Result<TriMesh> {
    let own = cloud.bounds().diagonal().length();
    // A cloud without surface, or one too thin to draw, is shown by its points.
    if let Some(surface) = surface
        && let Ok(preview) = surface.preview((1.0 / 90.0 * own).max(f64::MIN_POSITIVE))
        && !preview.is_empty()
    {
        return Ok(preview.placed(pose)?);
    }
    let points = cloud.cloud().points();
    let mut dots = Tubes::default();
    let step = points.len().div_ceil(20_000).max(1);
    for &p in points.iter().step_by(step) {
        dots.dot(*pose * p, 0.0022 * size.max(f64::MIN_POSITIVE));
    }
    dots.mesh()
}

/// The edges of the graph of neighbours, placed.
fn edges(surface: &CloudSurface, pose: &Pose) -> Vec<[DVec3; 2]> {
    let graph = surface.graph();
    let mut edges = Vec::new();
    for id in graph.ids() {
        let Some(p) = graph.place(id) else { continue };
        let later = graph.neighbours(id).iter().filter(|&&q: &&PointId| q > id);
        for q in later.filter_map(|&q| graph.place(q)) {
            edges.push([*pose * p, *pose * q]);
        }
    }
    edges
}
