//! An assembly of ten million triangles whose file repeats one mesh.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::Context;
use impinge::clash::{ClashOptions, ClashProgress, Part, find_clashes};
use impinge::generate::torus_knot;
use impinge::io::{Format, ReadOptions, read_assembly_bytes};
use impinge::math::Rng;
use impinge_testkit::file_seeds::glb;

use crate::Bar;

/// Triangles that have to fit.
const TRIANGLES: usize = 10_000_000;
/// What the run may take at most.
const BYTES: u64 = 4 << 30;
/// Between neighbours, in units in which a knot is about 6 across: some meet and some do not.
const SPACING: f64 = 5.2;

/// Whether everything fits, and what it took; open for fewer triangles than required, unless they do not fit.
pub(super) fn measure(instances: usize) -> anyhow::Result<(Bar, String)> {
    let bytes = file(instances)?;
    println!(
        "instanced: a GLB file of {:.1} MB",
        bytes.len() as f64 / 1e6
    );
    let start = Instant::now();
    let assembly = read_assembly_bytes(&bytes, Format::Glb, &ReadOptions::default())?;
    drop(bytes);
    let parts: Vec<Part> = assembly
        .parts
        .into_iter()
        .map(|part| Part {
            name: part.name,
            mesh: part.mesh,
            world_from_part: part.world_from_part,
        })
        .collect();
    let read_ms = start.elapsed().as_secs_f64() * 1e3;
    let faces: usize = parts.iter().map(|part| part.mesh.face_count()).sum();
    let start = Instant::now();
    let mut clashes = Vec::new();
    let mut told = ClashProgress::default();
    let mut keep = |now: &ClashProgress| {
        told = *now;
        ControlFlow::Continue(())
    };
    let options = ClashOptions::default();
    let _ = find_clashes(&parts, &|_, _| true, &options, &mut keep, &mut clashes)?;
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak_bytes()?;
    println!(
        "instanced: {} parts, {faces} faces read in {read_ms:.0} ms; {} pairs near, {} clashes in {seconds:.1} s; {} trees of {:.1} MB",
        parts.len(),
        told.pairs,
        clashes.len(),
        told.trees_made,
        told.most_index_bytes as f64 / 1e6,
    );
    let fits = Bar::of(peak <= BYTES);
    Ok((
        if faces < TRIANGLES {
            fits.and(Bar::Open)
        } else {
            fits
        },
        format!(
            "{faces} triangles in instanced parts: peak memory {:.0} MB, at most {} MB for {TRIANGLES}",
            peak as f64 / 1e6,
            BYTES / 1_000_000
        ),
    ))
}

/// A GLB file in which nodes in a grid, each turned, place one mesh.
fn file(instances: usize) -> anyhow::Result<Vec<u8>> {
    let mesh = torus_knot(2, 3, 0.4, 500, 10)?;
    let mut binary = Vec::new();
    for p in mesh.positions() {
        for x in p.to_array() {
            binary.extend_from_slice(&(x as f32).to_le_bytes());
        }
    }
    let points = binary.len();
    for v in mesh.faces().iter().flatten() {
        binary.extend_from_slice(&v.to_le_bytes());
    }
    let mut rng = Rng::new(7);
    let side = (instances as f64).cbrt().ceil() as usize;
    let size = mesh.bounds().diagonal().max_element() / 6.0 * SPACING;
    let nodes: Vec<String> = (0..instances)
        .map(|i| {
            let at = [i % side, i / side % side, i / side / side].map(|k| k as f64 * size);
            let (axis, w) = (rng.direction(), rng.range(-1.0, 1.0));
            format!(
                r#"{{"name":"knot {i}","mesh":0,"translation":[{},{},{}],"rotation":[{},{},{},{w}]}}"#,
                at[0], at[1], at[2], axis.x, axis.y, axis.z
            )
        })
        .collect();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{}}}],"bufferViews":[{{"buffer":0,"byteLength":{points}}},{{"buffer":0,"byteOffset":{points},"byteLength":{}}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},{{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],"nodes":[{}]}}"#,
        binary.len(),
        binary.len() - points,
        mesh.vertex_count(),
        3 * mesh.face_count(),
        nodes.join(",")
    );
    Ok(glb(json.as_bytes(), &binary))
}

/// The most memory that this process had, where the system reports it.
fn peak_bytes() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")
        .context("the system does not tell the peak of memory")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("the system does not tell the peak of memory")?;
    let kilobytes: u64 = line
        .trim()
        .trim_end_matches("kB")
        .trim()
        .parse()
        .context("VmHWM")?;
    Ok(kilobytes * 1024)
}
