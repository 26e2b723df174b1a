//! The Rust side of `bench/batch.py`: the same mesh and poses, from a folder of raw numbers, without Python.
//!
//! `cargo run --release -p impinge-py --example rust-side -- FOLDER` prints a line `NAME SECONDS` for each question and writes the
//! answers beside the input, so that they can be compared byte for byte.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::wide::batch::{BatchOptions, distance_all, intersects_all};
use impinge::bvh::wide::{RayOrSegment, WideTree};
use impinge::convex::Ball;
use impinge::pair::Shape;
use impinge::{DVec3, Pair, Pose, TriMesh};

/// Runs of which the fastest counts, after one that does not: other programs can only make a run slower.
const RUNS: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("no folder")?);
    let positions = floats(&folder, "vertices")?;
    let (positions, _) = positions.as_chunks::<3>();
    let bytes = std::fs::read(folder.join("faces"))?;
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers: Vec<u32> = numbers.iter().map(|&n| u32::from_le_bytes(n)).collect();
    let (faces, _) = numbers.as_chunks::<3>();
    let positions: Vec<DVec3> = positions.iter().copied().map(DVec3::from).collect();
    let mesh = Arc::new(TriMesh::new(positions, faces.to_vec())?);
    let rows = floats(&folder, "poses")?;
    let (rows, _) = rows.as_chunks::<16>();
    let poses = rows
        .iter()
        .map(Pose::from_row_major)
        .collect::<Result<Vec<_>, _>>()?;
    let tree = WideTree::new(Arc::clone(&mesh));
    let options = BatchOptions::default();

    let met = timed("boolean", || intersects_all(&tree, &tree, &poses, &options));
    let met: Vec<u8> = met.iter().map(|met| u8::from(met.pair.is_some())).collect();
    std::fs::write(folder.join("boolean.rust"), met)?;
    let gaps = timed("distance", || distance_all(&tree, &tree, &poses, &options));
    let gaps = gaps
        .iter()
        .map(|gap| gap.value.map_or(f64::INFINITY, |gap| gap.distance));
    std::fs::write(
        folder.join("distance.rust"),
        gaps.flat_map(f64::to_le_bytes).collect::<Vec<u8>>(),
    )?;

    let rays = floats(&folder, "rays")?;
    let (rays, _) = rays.as_chunks::<6>();
    let rays = rays
        .iter()
        .map(|&[x, y, z, u, v, w]| RayOrSegment::ray([x, y, z], [u, v, w]))
        .collect::<Result<Vec<_>, _>>()?;
    timed("rays", || tree.first_hits(&rays, None));

    let ball = Shape::from(Ball::new(1.0)?);
    let mut pair = Pair::new(&ball, &ball)?;
    let mut hits = 0_usize;
    timed("million calls of two balls", || {
        for pose in poses.iter().cycle().take(1_000_000) {
            hits += usize::from(pair.intersects(std::hint::black_box(pose)));
        }
    });
    Ok(())
}

fn timed<R>(name: &str, mut call: impl FnMut() -> R) -> R {
    let mut answer = call();
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let began = Instant::now();
        answer = call();
        times.push(began.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    println!("{name}\t{}", times[0]);
    answer
}

fn floats(folder: &Path, name: &str) -> std::io::Result<Vec<f64>> {
    let bytes = std::fs::read(folder.join(name))?;
    let (numbers, _) = bytes.as_chunks::<8>();
    Ok(numbers.iter().map(|&n| f64::from_le_bytes(n)).collect())
}
