//! Every scene engine finds the pairs that comparing all faces exactly finds, in every frame.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod requests;
mod scenes;
mod settings;
mod temporal_coherence;

use impinge::DVec3;
use impinge::deform::{PairKind, Scene, SceneEngine, SceneRequest};
use impinge::geom::{SharedCorners, adjacent_triangles_intersect};
use impinge::math::Rng;
use impinge::query::Outcome;

// Whoever runs these tests says which engines: those of the library, or others.
use crate::every_engine;

/// All pairs by the exact test alone: no boxes, no shortcuts.
fn truth(scene: &Scene, request: &SceneRequest) -> Vec<(u32, u32)> {
    let corners = |f: usize| scene.faces()[f].map(|v| scene.positions()[v as usize]);
    let mut pairs = Vec::new();
    for a in 0..scene.faces().len() {
        for b in a + 1..scene.faces().len() {
            let is_within = scene.objects_of_faces()[a] == scene.objects_of_faces()[b];
            if !(if is_within {
                request.within
            } else {
                request.between
            }) {
                continue;
            }
            let shared = SharedCorners::by_index(scene.faces()[a], scene.faces()[b]);
            let meets = if shared.pairs().len() == 3 {
                request.duplicates
            } else {
                adjacent_triangles_intersect(&corners(a), &corners(b), &shared)
            };
            if meets {
                pairs.push((a as u32, b as u32));
            }
        }
    }
    pairs
}

fn found(engine: &mut dyn SceneEngine, scene: &Scene, request: &SceneRequest) -> Vec<(u32, u32)> {
    let answer = engine.pairs(scene, request);
    assert_eq!(answer.outcome, Outcome::Complete);
    assert!(answer.pairs.is_sorted_by(|p, q| p < q), "{}", engine.name());
    for pair in &answer.pairs {
        let same = scene.object_of(pair.a) == scene.object_of(pair.b);
        assert_eq!(pair.kind == PairKind::Within, same);
    }
    answer
        .pairs
        .iter()
        .map(|p| (p.a.raw(), p.b.raw()))
        .collect()
}

/// Triangles around random places; `grid` rounds corners to whole numbers.
fn soup(seed: u64, count: usize, room: f64, size: impl Fn(&mut Rng) -> f64, grid: bool) -> Scene {
    let mut rng = Rng::new(seed);
    let mut points = Vec::new();
    for _ in 0..count {
        let (center, size) = (rng.cube() * room, size(&mut rng));
        for _ in 0..3 {
            let p = center + rng.cube() * size;
            points.push(if grid { p.round() } else { p });
        }
    }
    let faces = (0..count as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
    let objects = (0..count as u32).map(|f| f % 3);
    Scene::from_parts(points, faces.collect(), objects.collect()).unwrap()
}

/// The faces of a sheet of `n × n` squares.
fn sheet_faces(n: u32) -> Vec<[u32; 3]> {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let mut faces = Vec::new();
    for i in 0..n {
        for j in 0..n {
            faces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            faces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    faces
}

fn sheet(n: u32, place: impl Fn(f64, f64) -> DVec3) -> Vec<DVec3> {
    let mut points = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            points.push(place(f64::from(i), f64::from(j)));
        }
    }
    points
}

/// A sheet that is flat at first, waves, and at last folds through itself; with a ball of a few faces under it.
fn waving(n: u32, frame: f64) -> Vec<DVec3> {
    let mut points = sheet(n, |x, y| {
        let fold = 1.0 - 0.16 * frame;
        let z = 0.5 * frame * (0.9 * x + 0.3 * frame).sin() * (0.4 * y).cos();
        DVec3::new(x * fold + frame * 0.4 * (2.0 * z).sin(), y, z)
    });
    let middle = f64::from(n) / 2.0;
    for corner in [DVec3::X, DVec3::Y, DVec3::NEG_ONE, DVec3::Z * 2.0] {
        points.push(corner + DVec3::new(middle, middle, -2.5 + 0.3 * frame));
    }
    points
}

fn cloth_scene(n: u32) -> Scene {
    let mut faces = sheet_faces(n);
    let first = (n + 1) * (n + 1);
    let sheet_count = faces.len();
    for [a, b, c] in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        faces.push([first + a, first + b, first + c]);
    }
    let mut objects = vec![0; sheet_count];
    objects.extend([1; 4]);
    Scene::from_parts(waving(n, 0.0), faces, objects).unwrap()
}

fn check(engines: &mut [Box<dyn SceneEngine>], scene: &Scene, what: &str) -> usize {
    let request = SceneRequest::default();
    let expected = truth(scene, &request);
    for engine in engines {
        let name = engine.name();
        assert_eq!(
            found(engine.as_mut(), scene, &request),
            expected,
            "{what}: {name}"
        );
        let any = engine.any(scene, &request);
        assert_eq!(any, !expected.is_empty(), "{what}: {name}");
    }
    expected.len()
}
