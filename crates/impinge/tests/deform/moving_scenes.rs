//! Scenes that move by formula do what they are for: they are the same every time, and things meet in them.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{SelfIntersectOptions, WideCache, WideTree};
use impinge::generate::{MOVING_SCENES, MovingScene};
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, TriMesh};

fn meeting(scene: &MovingScene, positions: Vec<DVec3>) -> usize {
    let (mut faces, mut vertices) = (Vec::new(), 0);
    for part in scene.parts() {
        faces.extend(part.mesh.faces().iter().map(|f| f.map(|v| v + vertices)));
        vertices += part.mesh.vertex_count() as u32;
    }
    let tree = WideTree::new(Arc::new(TriMesh::new(positions, faces).unwrap()));
    let mut pairs: Vec<FacePair> = Vec::new();
    let mut cache = WideCache::default();
    let _ = tree.self_intersections(
        &SelfIntersectOptions::default(),
        Limits::default(),
        &mut cache,
        &mut pairs,
    );
    pairs.len()
}

#[test]
fn every_scene_ends_in_contact() {
    for kind in MOVING_SCENES {
        let scene = kind.make(Some(1200), 7).unwrap();
        let faces: usize = scene
            .parts()
            .iter()
            .map(|part| part.mesh.face_count())
            .sum();
        assert!((300..3000).contains(&faces), "{}: {faces} faces", kind.name);
        let met: Vec<usize> = [0.0, 0.5, 0.9]
            .into_iter()
            .map(|time| meeting(&scene, scene.positions(time)))
            .collect();
        assert!(met[2] > 0, "{}: {met:?}", kind.name);
        // Soups meet from the beginning; solids and sheets begin free.
        let is_soup = ["huge-and-tiny", "all-overlapping"].contains(&kind.name);
        assert_eq!(met[0] > 0, is_soup, "{}: {met:?}", kind.name);
    }
}

#[test]
fn scenes_are_the_same_every_time() {
    for kind in MOVING_SCENES {
        let [one, two, other] =
            [3, 3, 4].map(|seed| kind.make(Some(500), seed).unwrap().positions(0.3));
        assert_eq!(one, two, "{}", kind.name);
        let is_random =
            ["expanding-balls", "huge-and-tiny", "all-overlapping"].contains(&kind.name);
        assert_eq!(one != other, is_random, "{}", kind.name);
        assert!(one.iter().all(|p| p.is_finite()), "{}", kind.name);
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = MOVING_SCENES.iter().map(|kind| kind.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), MOVING_SCENES.len());
}
