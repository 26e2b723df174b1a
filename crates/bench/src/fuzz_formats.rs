//! Damaged files of every format, and whole large ones: no panic, no hang, no memory blow-up, no dawdling.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use impinge::io::{Format, Model, ReadOptions, WriteOptions, read_bytes, write_bytes};
use impinge::math::Rng;
use impinge::{DVec3, TriMesh};
use impinge_testkit::file_seeds::{FileSeed, file_seeds, three_mf};

use crate::counting_alloc::peak_of;
use crate::{Bar, Bars};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Damaged files per format
    #[arg(long, default_value_t = 200_000)]
    files: u64,
    /// The first seed; file number n uses this plus n
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Triangles of the large file that is read in every format; 0 skips that
    #[arg(long, default_value_t = 1_000_000)]
    faces: usize,
}

/// No file of a few kilobytes may take longer.
const SLOWEST: Duration = Duration::from_secs(1);
/// Memory held at once: this many times the file …
const MEMORY_FACTOR: u64 = 64;
/// … and this on top, for tables of fixed size (inflate windows, hash maps).
const MEMORY_BASE: u64 = 256 << 10;
/// Reading a million triangles, binary and text.
const BINARY_TIME: Duration = Duration::from_secs(1);
const TEXT_TIME: Duration = Duration::from_secs(3);

#[derive(Default)]
struct Tally {
    files: u64,
    read: u64,
    refused: u64,
    panics: Vec<u64>,
    slowest: (Duration, u64),
    most_memory: (u64, u64),
    over_memory: u64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    println!(
        "{:<7} {:>8} {:>8} {:>8} {:>7} {:>12} {:>12}",
        "format", "files", "read", "refused", "panics", "slowest", "peak memory"
    );
    let mut bars = Bars::default();
    let mut safe = Bars::default();
    // Panics are counted and shown by seed; their messages would drown the table.
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let seeds = file_seeds();
    for format in Format::ALL {
        let seeds: Vec<&FileSeed> = seeds.iter().filter(|s| s.format == format).collect();
        let tally = damage(&seeds, format, args);
        println!(
            "{:<7} {:>8} {:>8} {:>8} {:>7} {:>9.3} ms {:>8} KiB",
            format.to_string(),
            tally.files,
            tally.read,
            tally.refused,
            tally.panics.len(),
            tally.slowest.0.as_secs_f64() * 1e3,
            tally.most_memory.0 / 1024
        );
        if let Some(first) = tally.panics.first() {
            println!("        first panic: seed {first}");
        }
        if tally.over_memory > 0 || tally.slowest.0 > SLOWEST {
            println!(
                "        {} over the memory bar; slowest is seed {}, largest seed {}",
                tally.over_memory, tally.slowest.1, tally.most_memory.1
            );
        }
        let is_safe =
            tally.panics.is_empty() && tally.over_memory == 0 && tally.slowest.0 <= SLOWEST;
        safe.count(Bar::none_wrong(u64::from(!is_safe), tally.files));
    }
    std::panic::set_hook(quiet);
    bars.say(
        safe.end(),
        format_args!(
            "no panic, at most {} s a file, at most {MEMORY_FACTOR} x its size + {} KiB of memory",
            SLOWEST.as_secs(),
            MEMORY_BASE / 1024
        ),
    );
    bars.say(
        Bar::of(read_dense()),
        format_args!("the densest files within {MEMORY_FACTOR} x their size"),
    );
    if args.faces > 0 {
        let fast = read_large(args.faces)?;
        bars.say(
            Bar::of(fast),
            format_args!(
                "a million triangles read in {} s (binary), {} s (text), within {MEMORY_FACTOR} x the file",
                BINARY_TIME.as_secs(),
                TEXT_TIME.as_secs()
            ),
        );
    }
    Ok(bars.end())
}

fn damage(seeds: &[&FileSeed], format: Format, args: &Args) -> Tally {
    let mut tally = Tally::default();
    for number in 0..args.files {
        let seed = args.seed.wrapping_add(number);
        let mut rng = Rng::new(seed);
        let file = seeds[(number % seeds.len() as u64) as usize].damaged(&mut rng);
        let size = file.len() as u64;
        let options = ReadOptions {
            // What the file spells out is free; repetition and inflation get as much again as a
            // reader's tables need.
            max_expanded_bytes: size * 8,
            ..ReadOptions::default()
        };
        let start = Instant::now();
        let (outcome, peak) = peak_of(|| {
            catch_unwind(AssertUnwindSafe(|| {
                read_bytes(&file, format, &options).is_ok()
            }))
        });
        let time = start.elapsed();
        tally.files += 1;
        match outcome {
            Ok(true) => tally.read += 1,
            Ok(false) => tally.refused += 1,
            Err(_) => tally.panics.push(seed),
        }
        if time > tally.slowest.0 {
            tally.slowest = (time, seed);
        }
        if peak > tally.most_memory.0 {
            tally.most_memory = (peak, seed);
        }
        if peak > size * MEMORY_FACTOR + MEMORY_BASE {
            tally.over_memory += 1;
        }
    }
    tally
}

/// Files that make a reader hold as much as possible for every byte they have.
fn dense_files() -> Vec<(&'static str, Format, Vec<u8>)> {
    const COUNT: usize = 200_000;
    let mut groups = String::from("v 0 0 0\n");
    let mut objects = String::new();
    for i in 0..COUNT {
        groups += &format!("g {i:x}\nf 1 1 1\n");
        objects += &format!("<object id='{i}'/>");
    }
    let gltf = |inner: String| {
        let asset = r#"{"asset":{"version":"2.0"},"#;
        format!("{asset}{inner}}}").into_bytes()
    };
    let empties = vec!["{}"; COUNT].join(",");
    let quads = format!("v 0 0 0\n{}", "f 1 1 1 1\n".repeat(COUNT));
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {COUNT}\nproperty char x\nproperty char y\nproperty char z\nelement face {COUNT}\nproperty list uchar uchar vertex_index\nend_header\n"
    )
    .into_bytes();
    bytes.resize(bytes.len() + 3 * COUNT, 1);
    bytes.extend([3, 0, 1, 2].repeat(COUNT));
    vec![
        ("a group per face", Format::Obj, groups.into_bytes()),
        ("quads without area", Format::Obj, quads.into_bytes()),
        ("bytes as coordinates", Format::Ply, bytes),
        (
            "empty nodes",
            Format::Gltf,
            gltf(format!("\"nodes\":[{empties}]")),
        ),
        (
            "empty scenes",
            Format::Gltf,
            gltf(format!("\"scenes\":[{empties}]")),
        ),
        (
            "empty objects",
            Format::ThreeMf,
            three_mf(format!("<model>{objects}</model>").as_bytes()),
        ),
    ]
}

fn read_dense() -> bool {
    println!(
        "\n{:<28} {:>8} {:>10} {:>14}",
        "densest files", "MB", "read", "peak / size"
    );
    let mut met = true;
    for (name, format, bytes) in dense_files() {
        let start = Instant::now();
        let (_, peak) = peak_of(|| read_bytes(&bytes, format, &ReadOptions::default()).is_ok());
        let time = start.elapsed();
        let factor = peak as f64 / bytes.len() as f64;
        println!(
            "{:<28} {:>8.1} {:>7.0} ms {:>14.1}",
            format!("{format} {name}"),
            bytes.len() as f64 / 1e6,
            time.as_secs_f64() * 1e3,
            factor
        );
        met &= factor <= MEMORY_FACTOR as f64;
    }
    met
}

/// A wavy square sheet of about so many faces.
fn sheet(faces: usize) -> anyhow::Result<TriMesh> {
    let side = ((faces / 2) as f64).sqrt().ceil() as u32;
    let mut rng = Rng::new(1);
    let mut positions = Vec::new();
    for y in 0..=side {
        for x in 0..=side {
            let z = rng.range(-1.0, 1.0);
            // Coordinates that singles can hold, with the digits of real ones.
            let p = DVec3::new(f64::from(x) * 0.37, f64::from(y) * 0.37, z);
            positions.push(DVec3::from_array(p.to_array().map(|c| f64::from(c as f32))));
        }
    }
    let mut corners = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let v = y * (side + 1) + x;
            corners.push([v, v + 1, v + side + 2]);
            corners.push([v, v + side + 2, v + side + 1]);
        }
    }
    Ok(TriMesh::new(positions, corners)?)
}

fn read_large(faces: usize) -> anyhow::Result<bool> {
    let mesh = sheet(faces)?;
    let count = mesh.face_count();
    let model = Model::from(mesh);
    println!(
        "\n{:<16} {:>10} {:>10} {:>10} {:>14}",
        format!("{count} faces"),
        "MB",
        "written",
        "read",
        "peak / size"
    );
    let mut met = true;
    for (format, ascii) in [
        (Format::Stl, false),
        (Format::Ply, false),
        (Format::Glb, false),
        (Format::Obj, true),
        (Format::Stl, true),
        (Format::Ply, true),
        (Format::Off, true),
    ] {
        let options = WriteOptions {
            ascii,
            ..WriteOptions::default()
        };
        let start = Instant::now();
        let bytes = write_bytes(&model, format, &options)?;
        let written = start.elapsed();
        let start = Instant::now();
        let (again, peak) = peak_of(|| read_bytes(&bytes, format, &ReadOptions::default()));
        let read = start.elapsed();
        let factor = peak as f64 / bytes.len() as f64;
        anyhow::ensure!(again?.face_count() == count, "{format} lost faces");
        println!(
            "{:<16} {:>10.1} {:>7.0} ms {:>7.0} ms {:>14.1}",
            format!("{format} {}", if ascii { "text" } else { "binary" }),
            bytes.len() as f64 / 1e6,
            written.as_secs_f64() * 1e3,
            read.as_secs_f64() * 1e3,
            factor
        );
        // The bar is for a million faces; other sizes are held to the same pace.
        let pace = count.max(10_000) as f64 / 1e6;
        let limit = if ascii { TEXT_TIME } else { BINARY_TIME };
        met &= read.as_secs_f64() <= limit.as_secs_f64() * pace && factor <= MEMORY_FACTOR as f64;
    }
    Ok(met)
}
