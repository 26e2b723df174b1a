//! Every exact engine against the brute-force oracle, on random and grid cases.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use impinge::bvh::engines::MeshEngine;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{Pose, TriMesh};
use impinge_study::engines::{MESH_ENGINES, mesh_engine};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle;

use crate::Bar;
use crate::parallel_cases::{in_blocks, tell};

/// Cases between two looks at the common counter.
const BLOCK: u64 = 256;
/// Disagreements printed in full.
const SHOWN: usize = 5;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Cases in all, half of them on a grid
    #[arg(long, default_value_t = 100_000)]
    cases: u64,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Most faces of a small mesh
    #[arg(long, default_value_t = 16)]
    faces: u64,
    /// One case in so many has meshes of 50 to 400 faces, so that trees are deep; 0 for none
    #[arg(long, default_value_t = 20)]
    large_every: u64,
    /// Engines by name; all exact ones when none is named
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
}

#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    large: u64,
    pairs: u64,
    decisions: u64,
    wrong: u64,
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.large += other.large;
        self.pairs += other.pairs;
        self.decisions += other.decisions;
        self.wrong += other.wrong;
        self.shown.extend(other.shown);
        self.shown.truncate(SHOWN);
    }

    fn judge(&mut self, engines: &[MeshEngine], a: &Arc<TriMesh>, b: &Arc<TriMesh>, pose: &Pose) {
        let truth = oracle::face_pairs(a, b, pose);
        self.cases += 1;
        self.pairs += truth.len() as u64;
        for &engine in engines {
            let mut found = Vec::new();
            let mut pair = engine.prepare(a.clone(), b.clone());
            let outcome = pair.intersections(pose, Limits::default(), &mut found);
            found.sort_unstable();
            self.decisions += 1;
            if outcome == Outcome::Complete && found == truth {
                continue;
            }
            self.wrong += 1;
            if self.shown.len() < SHOWN {
                let (found, truth) = (found.len(), truth.len());
                self.shown.push(format!(
                    "{engine}: {found} pairs, oracle {truth}\n  a {a:?}\n  b {b:?}\n  {pose:?}"
                ));
            }
        }
    }
}

/// Meshes of 50 to 400 faces: small triangles scattered, small triangles on a grid, stacks of coplanar
/// sheets, and a closed surface against any of them.
fn draw_large(kind: u64, rng: &mut Rng) -> (Arc<TriMesh>, Arc<TriMesh>, Pose) {
    let count = |rng: &mut Rng| 50 + rng.below(351) as usize;
    let (n, m) = (count(rng), count(rng));
    let (a, b, pose) = match kind % 4 {
        0 => {
            let size = rng.range(0.1, 0.5);
            let a = meshes::random_soup(rng, n, size);
            let b = meshes::random_soup(rng, m, size);
            (a, b, poses::random(rng, 1.0))
        }
        1 => {
            let a = scattered_on_grid(rng, n);
            let b = scattered_on_grid(rng, m);
            (a, b, poses::exact(rng, 3))
        }
        2 => {
            let a = stack(rng, n);
            let b = stack(rng, m);
            (a, b, poses::exact(rng, 2))
        }
        _ => {
            let ball = meshes::ball(2, 1.0);
            let b = meshes::random_soup(rng, m, 0.3);
            (ball, b, poses::random(rng, 0.7))
        }
    };
    (Arc::new(a), Arc::new(b), pose)
}

/// Triangles within a few steps of centres spread over a larger grid.
fn scattered_on_grid(rng: &mut Rng, faces: usize) -> TriMesh {
    meshes::soup((0..faces).map(|_| {
        let centre = grid::point(rng, (-8, 8));
        std::array::from_fn(|_| centre + grid::point(rng, (-2, 2)))
    }))
}

/// Level sheets of unit squares, some of them on the same height.
fn stack(rng: &mut Rng, faces: usize) -> TriMesh {
    let cells = 3 + rng.below(5) as u32;
    let sheets = (faces / (2 * cells * cells) as usize).max(1);
    let mut stack: Option<TriMesh> = None;
    for _ in 0..sheets {
        let height = rng.grid(0, 2);
        let sheet = meshes::sheet(cells, |_, _| height);
        stack = Some(match stack {
            Some(below) => meshes::merged(&below, &sheet),
            None => sheet,
        });
    }
    stack.unwrap_or_default()
}

/// Even cases are random, odd ones on a grid.
fn draw(case: u64, most: u64, rng: &mut Rng) -> (Arc<TriMesh>, Arc<TriMesh>, Pose) {
    let (n, m) = (rng.below(most + 1) as usize, rng.below(most + 1) as usize);
    let (a, b, pose) = if case.is_multiple_of(2) {
        let size = rng.range(0.05, 2.0);
        let a = meshes::random_soup(rng, n, size);
        let b = meshes::random_soup(rng, m, size);
        (a, b, poses::random(rng, 1.0))
    } else {
        let range = grid::RANGES[(case / 2) as usize % grid::RANGES.len()];
        let a = meshes::grid_soup(rng, n, range);
        let b = meshes::grid_soup(rng, m, range);
        (a, b, poses::exact(rng, (case % 7) as i64 / 2))
    };
    (Arc::new(a), Arc::new(b), pose)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut engines = Vec::new();
    for name in &args.engines {
        engines.push(mesh_engine(name).with_context(|| format!("no engine is called {name}"))?);
    }
    if engines.is_empty() {
        engines.extend(MESH_ENGINES.iter().copied().filter(|e| e.is_exact()));
    }
    let start = Instant::now();
    let blocks = args.cases.div_ceil(BLOCK);
    // Every block has a seed of its own, so that cases do not depend on the number of threads.
    let all = in_blocks(blocks, args.threads, |tally: &mut Tally, block| {
        tell("", block, blocks);
        let mut rng = Rng::new(args.seed ^ (block << 20));
        for case in block * BLOCK..((block + 1) * BLOCK).min(args.cases) {
            let is_large = args.large_every > 0 && case.is_multiple_of(args.large_every);
            let (a, b, pose) = if is_large {
                draw_large(case / args.large_every, &mut rng)
            } else {
                draw(case, args.faces, &mut rng)
            };
            tally.large += u64::from(is_large);
            tally.judge(&engines, &a, &b, &pose);
        }
    });
    let mut tally = Tally::default();
    for one in all {
        tally.add(one.context("a thread panicked: an engine or the oracle is broken")?);
    }
    println!(
        "{} cases ({} of 50 to 400 faces), {} pairs of faces, {} engines, {} answers in {:.0} s",
        tally.cases,
        tally.large,
        tally.pairs,
        engines.len(),
        tally.decisions,
        start.elapsed().as_secs_f64()
    );
    println!("  wrong answers {}", tally.wrong);
    for case in &tally.shown {
        println!("  {case}");
    }
    let bar = Bar::none_wrong(tally.wrong, tally.decisions);
    println!("bar: no wrong answer of any exact engine {}", bar.word());
    Ok(bar)
}
