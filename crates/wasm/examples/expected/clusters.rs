use std::error::Error;

use impinge::bound::Aabb;
use impinge::deform::clustering::{ClusterCount, ClusterMetric, nearest};
use impinge::deform::{Clustering, ClusteringOptions, Scene, SceneEngine, SceneRequest};
use impinge::generate::moving_scene;
use impinge::{DVec3, TriMesh};

use crate::Numbers;

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let moving = moving_scene("vase").ok_or("there is no such scene")?;
    let moving = moving.make(Some(800), 0)?;
    let faces = moving.parts()[0].mesh.faces().to_vec();
    let mut scene = Scene::new(&[TriMesh::new(moving.positions(0.0), faces)?])?;
    let options = ClusteringOptions {
        clusters: ClusterCount::Fixed(5),
        ..ClusteringOptions::default()
    };
    let mut engine = Clustering::new(options);
    let mut numbers = Numbers::default();
    for time in [0.5, 0.75, 1.0] {
        scene.advance(&moving.positions(time))?;
        let answer = engine.pairs(&scene, &SceneRequest::default());
        for pair in &answer.pairs {
            numbers.add(pair.a.raw().into()).add(pair.b.raw().into());
        }
        let work = answer.counters;
        let faces = work.faces as f64;
        numbers
            .add(faces * (faces - 1.0) / 2.0)
            .add(work.entries as f64)
            .add(work.rounds as f64)
            .add(work.axis_pairs as f64)
            .add(work.second_axis_pairs as f64)
            .add(work.candidates as f64)
            .add(work.exact_tests as f64);
        let middle = Aabb::enclosing(scene.positions().iter().copied()).center();
        for center in engine.centers() {
            numbers.point(*center + middle);
        }
        for axis in engine.sweep_axes() {
            numbers.point(axis.unwrap_or(DVec3::ZERO));
        }
        for face in scene.faces() {
            let [a, b, c] = face.map(|v| scene.positions()[v as usize] - middle);
            let center = (a + b + c) / 3.0;
            numbers.count(nearest(center, engine.centers(), ClusterMetric::L2));
        }
    }
    Ok(numbers)
}
