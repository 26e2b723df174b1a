//! The probabilistic tree over a mesh, compared with a cloud of the same model: the same
//! placements, the same truth.

use std::hint::black_box;
use std::sync::Arc;

use impinge::Pose;
use impinge::average_case::{AverageConfig, AverageOptions, AverageQuery, AverageTree};
use impinge::bound::{Aabb, BoundingVolume};
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideCache;
use impinge::cloud::CloudCollisionOptions;
use impinge::query::Limits;

use super::cloud_collision::{BuiltTree, DISTANCES, JUDGED_FROM};
use super::timing::{at_full_size, claim, own_seconds, repeated_seconds};
use super::tumble::{Truth, Tumbler, placements};
use crate::Bar;
use crate::result_sheet::{Cell, ResultSheet, Table};

/// Published: the tree over the mesh answers about so many times as fast, and errs more often.
const FASTER: f64 = 3.0;

/// Asks both about all models that have a mesh, so many placements for each distance.
pub(super) fn versus_average_tree(
    models: &[Tumbler],
    built: &[BuiltTree],
    steps: usize,
    is_full: bool,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    println!("\nprobabilistic tree over the mesh beside the cloud of the same model");
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    for (model, one) in models.iter().zip(built) {
        let Truth::Mesh(exact) = &model.truth else {
            continue;
        };
        let mesh = exact.mesh();
        let poses = overlapping(&mesh.bounds(), steps)?;
        let tree = Arc::new(AverageTree::<Aabb>::new(mesh, &AverageConfig::default()));
        let mut query = AverageQuery::new(tree.clone(), tree, AverageOptions::default())?;
        let mut question = one.question(CloudCollisionOptions::default());
        let mut by_tree = Vec::with_capacity(poses.len());
        let mut by_cloud = Vec::with_capacity(poses.len());
        for pose in &poses {
            by_tree.push(query.at(pose, Limits::default()).verdict.answer);
        }
        let tree_seconds = repeated_seconds(|| {
            for pose in &poses {
                black_box(query.at(pose, Limits::default()).verdict.answer);
            }
        });
        let cloud_seconds = own_seconds(|| {
            for pose in &poses {
                by_cloud.push(question.at(pose, Limits::default()).verdict.answer);
            }
        });
        let mut cache = WideCache::default();
        let truths: Vec<bool> = poses.iter().map(|p| model.meets(p, &mut cache)).collect();
        let each = poses.len().max(1) as f64;
        let wrong = |answers: &[bool]| {
            let differ = answers.iter().zip(&truths).filter(|(a, t)| a != t);
            100.0 * differ.count() as f64 / each
        };
        let (of_tree, of_cloud) = (wrong(&by_tree), wrong(&by_cloud));
        let [tree_us, cloud_us] = [tree_seconds, cloud_seconds].map(|s| s / each * 1e6);
        let ratio = cloud_us / tree_us;
        println!(
            "{:<11} {:>7} faces, tree {tree_us:>7.3} µs, {of_tree:.2} % wrong; {:>7} points, cloud {cloud_us:>7.2} µs, {of_cloud:.2} % wrong; {ratio:.1} times as fast",
            model.name,
            mesh.face_count(),
            model.points.len(),
        );
        rows.push(vec![
            Cell::Text(model.name.to_owned()),
            Cell::Number(mesh.face_count() as f64),
            Cell::Number(model.points.len() as f64),
            Cell::Number(each),
            Cell::Number(tree_us),
            Cell::Number(cloud_us),
            Cell::Number(ratio),
            Cell::Number(of_tree),
            Cell::Number(of_cloud),
        ]);
        ratios.push(ratio);
    }
    sheet.tables.push(Table {
        title: "Probabilistic tree beside clouds of the same models".to_owned(),
        columns: [
            "model",
            "faces",
            "points",
            "placements",
            "tree in µs",
            "cloud in µs",
            "times as fast",
            "tree wrong in %",
            "cloud wrong in %",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows,
    });
    let mean = (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64);
    claim(
        sheet,
        at_full_size(is_full, Bar::at_least(mean, FASTER)),
        &format!(
            "the probabilistic tree is {FASTER} times as fast as the clouds, mean over models"
        ),
        &mean.map_or("no model".to_owned(), |mean| format!("{mean:.1} times")),
    );
    sheet.notes.push(
        "The probabilistic tree is asked about the mesh that a cloud's points were taken from, at placements whose boxes overlap. It tells no points of the intersection.".to_owned(),
    );
    Ok(())
}

/// Judged placements in which the boxes overlap: others cost nobody anything.
fn overlapping(bounds: &Aabb, steps: usize) -> anyhow::Result<Vec<Pose>> {
    let mut poses = Vec::new();
    for distance in DISTANCES.into_iter().filter(|d| *d >= JUDGED_FROM) {
        let all = placements(distance, steps)?.into_iter();
        poses.extend(all.filter(|p| BoundingVolume::overlaps(bounds, bounds, &Aabb::relative(p))));
    }
    Ok(poses)
}
