//! A picture of each clash.

use std::io;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::clash::{Clash, ClashKind, InnerPart};
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Pose, TriMesh};

use super::report::Report;
use crate::picture;
use crate::render::{self, Stroke, TOWARDS_VIEWER, Up};

/// Size of pictures in pixels.
const WIDTH: usize = 640;
/// Size of pictures in pixels.
const HEIGHT: usize = 400;
/// A part so many times as large as the other is shown only near it.
const MUCH_LARGER: f64 = 2.5;
/// Pairs of faces that are drawn.
const MOST_PAIRS: usize = 50_000;

/// The picture as a PNG file.
pub(super) fn png(report: &Report, clash: &Clash, up: Up) -> io::Result<Vec<u8>> {
    let [a, b] = report.parts_of(clash).map(Report::placed);
    let (box_a, box_b) = (a.bounds(), b.bounds());
    let (a, b) = (near(&a, &box_b, clash), near(&b, &box_a, clash));
    let viewer = up.back(TOWARDS_VIEWER);
    // What lies inside shows when the sides towards the viewer are taken away.
    let (a, b) = match (clash.kind, clash.inner) {
        (ClashKind::Contained, Some(InnerPart::A)) => (a, opened(&b, viewer)),
        (ClashKind::Contained, _) => (opened(&a, viewer), b),
        _ => (a, b),
    };
    let pairs = meeting_faces(&a, &b);
    let mut scene = picture::pair_scene(&a, &b, &pairs);
    scene.up = up;
    let mark = |ends, radius| Stroke {
        ends,
        colour: picture::GREEN,
        radius,
        behind: 0.7,
    };
    if clash.kind != ClashKind::Duplicate {
        let [p, q] = clash.points;
        scene.strokes.push(mark([p, q], 0.004));
        scene.strokes.push(mark([p, p], 0.009));
        scene.strokes.push(mark([q, q], 0.009));
    }
    let mut bytes = Vec::new();
    render::draw(&scene, WIDTH, HEIGHT).encode(&mut bytes)?;
    Ok(bytes)
}

/// The faces of a much larger part that are near the other.
fn near(mesh: &Arc<TriMesh>, other: &Aabb, clash: &Clash) -> Arc<TriMesh> {
    let size = |b: &Aabb| b.diagonal().length();
    let bounds = mesh.bounds();
    let radius = size(other);
    if size(&bounds) < MUCH_LARGER * radius || radius == 0.0 {
        return Arc::clone(mesh);
    }
    let focus = Aabb::enclosing([clash.points[0], clash.points[1], other.min, other.max]);
    let region = focus.inflated(0.4 * radius);
    some(mesh, |[p, q, r]| {
        region.overlaps(&Aabb::enclosing([p, q, r]))
    })
}

/// The mesh without the faces that look at the viewer.
fn opened(mesh: &Arc<TriMesh>, towards_viewer: DVec3) -> Arc<TriMesh> {
    some(mesh, |[p, q, r]| {
        (q - p).cross(r - p).dot(towards_viewer) <= 0.0
    })
}

/// The faces that are wanted; the whole mesh if there are none.
fn some(mesh: &Arc<TriMesh>, wanted: impl Fn([DVec3; 3]) -> bool) -> Arc<TriMesh> {
    let faces: Vec<[u32; 3]> = mesh
        .faces()
        .iter()
        .zip(mesh.triangles())
        .filter(|(_, corners)| wanted(*corners))
        .map(|(face, _)| *face)
        .collect();
    if faces.is_empty() {
        return Arc::clone(mesh);
    }
    // Vertices that no face uses would be counted into the picture's frame.
    let mut new_of = vec![u32::MAX; mesh.vertex_count()];
    let mut positions = Vec::new();
    let faces = faces
        .into_iter()
        .map(|face| {
            face.map(|v| {
                let slot = &mut new_of[v as usize];
                if *slot == u32::MAX {
                    *slot = positions.len() as u32;
                    positions.push(mesh.positions()[v as usize]);
                }
                *slot
            })
        })
        .collect();
    match TriMesh::new(positions, faces) {
        Ok(part) => Arc::new(part),
        Err(_) => Arc::clone(mesh),
    }
}

fn meeting_faces(a: &Arc<TriMesh>, b: &Arc<TriMesh>) -> Vec<FacePair> {
    let trees = [a, b].map(|mesh| WideTree::new(Arc::clone(mesh)));
    let mut pairs: Vec<FacePair> = Vec::new();
    let mut sink = |pair: FacePair| {
        pairs.push(pair);
        if pairs.len() < MOST_PAIRS {
            std::ops::ControlFlow::Continue(())
        } else {
            std::ops::ControlFlow::Break(())
        }
    };
    let mut cache = WideCache::default();
    let limits = Limits::default();
    let _ = trees[0].intersections(&trees[1], &Pose::IDENTITY, limits, &mut cache, &mut sink);
    pairs
}
