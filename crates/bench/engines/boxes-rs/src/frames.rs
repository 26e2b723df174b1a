//! `frames-rs ENGINE FRAMES`: finds the faces of a deforming scene that meet, frame by frame, with parry's tree against
//! itself and impinge's exact test of two faces. Prints a line for each frame: nanoseconds and pairs.
//!
//! The file holds `u64` vertices, faces and frames, three `u32` a face, and three `f32` a vertex for every frame.

use std::io::Write;
use std::time::Instant;

use impinge::DVec3;
use impinge::geom::{SharedCorners, meet_beyond_shared, triangles_intersect};
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

struct Frames {
    faces: Vec<[u32; 3]>,
    frames: Vec<Vec<[f32; 3]>>,
}

fn read(path: &str) -> std::io::Result<Frames> {
    let bytes = std::fs::read(path)?;
    let count = |k: usize| u64::from_le_bytes(bytes[8 * k..8 * k + 8].try_into().unwrap()) as usize;
    let (vertices, faces, frames) = (count(0), count(1), count(2));
    let word = |k: usize| -> [u8; 4] { bytes[24 + 4 * k..28 + 4 * k].try_into().unwrap() };
    let first = 3 * faces;
    Ok(Frames {
        faces: (0..faces)
            .map(|f| [0, 1, 2].map(|k| u32::from_le_bytes(word(3 * f + k))))
            .collect(),
        frames: (0..frames)
            .map(|frame| {
                let start = first + 3 * vertices * frame;
                (0..vertices)
                    .map(|v| [0, 1, 2].map(|k| f32::from_le_bytes(word(start + 3 * v + k))))
                    .collect()
            })
            .collect(),
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, engine, path] = arguments.as_slice() else {
        panic!("frames-rs ENGINE FRAMES");
    };
    let is_rebuilt = match engine.as_str() {
        "parry-refit" => false,
        "parry-rebuilt" => true,
        _ => panic!("no engine {engine}"),
    };
    let input = read(path).expect("the frames");
    let mut bvh = Bvh::default();
    let mut workspace = BvhWorkspace::default();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut out = std::io::stdout().lock();
    for (number, frame) in input.frames.iter().enumerate() {
        let start = Instant::now();
        let corner = |v: u32| Vector::from(frame[v as usize]);
        // Positions are f32, so that these boxes are exact.
        let aabb = |face: &[u32; 3]| {
            let [a, b, c] = face.map(corner);
            Aabb::new(a.min(b).min(c), a.max(b).max(c))
        };
        if is_rebuilt || number == 0 {
            let leaves = input.faces.iter().map(aabb).enumerate();
            bvh = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
        } else {
            for (k, face) in input.faces.iter().enumerate() {
                bvh.insert_or_update_partially(aabb(face), k as u32, 0.0);
            }
            bvh.refit(&mut workspace);
        }
        pairs.clear();
        let exact = |v: u32| DVec3::from_array(frame[v as usize].map(f64::from));
        bvh.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |i, j| {
            let (a, b) = (input.faces[i as usize], input.faces[j as usize]);
            let shared = SharedCorners::by_index(a, b);
            let (ta, tb) = (a.map(exact), b.map(exact));
            let meets = if shared.pairs().is_empty() {
                triangles_intersect(&ta, &tb)
            } else {
                meet_beyond_shared(&ta, &tb, &shared)
            };
            if meets {
                pairs.push((i.min(j), i.max(j)));
            }
        });
        let time = start.elapsed().as_nanos();
        writeln!(out, "{time} {}", pairs.len()).expect("a reader");
    }
}
