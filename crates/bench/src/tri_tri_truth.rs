//! The exact triangle–triangle test against integers that never round, millions of pairs.

use std::time::Instant;

use anyhow::Context;
use impinge::geom::{Contact, triangle_contact, triangles_intersect};
use impinge::math::Rng;
use impinge_testkit::generate::{grid, poses, triangles};
use impinge_testkit::oracle::{self, Triangle};

use crate::Bar;
use crate::parallel_cases::{in_blocks, tell};

/// Pairs between two looks at the common counter.
const BLOCK: u64 = 4096;

/// Disagreements printed in full.
const SHOWN: usize = 5;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Random pairs; as many grid pairs are drawn besides
    #[arg(long, default_value_t = 1_000_000)]
    pairs: u64,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
}

#[derive(Clone, Copy, Debug)]
enum Draw {
    Random,
    Grid,
}

/// What was counted and what was found wrong.
#[derive(Debug, Default)]
struct Tally {
    pairs: u64,
    /// Disjoint, touching, crossing, by the oracle.
    contacts: [u64; 3],
    /// Pairs with a triangle that is a segment or a point.
    degenerate: u64,
    /// Pairs that lie in one plane.
    coplanar: u64,
    /// Pairs that are degenerate, in one plane or touching.
    delicate: u64,
    decisions: u64,
    wrong: u64,
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        for (sum, n) in self.contacts.iter_mut().zip(other.contacts) {
            *sum += n;
        }
        self.degenerate += other.degenerate;
        self.coplanar += other.coplanar;
        self.delicate += other.delicate;
        self.decisions += other.decisions;
        self.wrong += other.wrong;
        self.shown.extend(other.shown);
        self.shown.truncate(SHOWN);
    }

    /// Compares the library with the oracle on one pair and returns the truth.
    fn judge(&mut self, a: &Triangle, b: &Triangle) -> oracle::Contact {
        let truth = oracle::contact(a, b);
        let found = match triangle_contact(a, b) {
            Contact::Disjoint => oracle::Contact::Disjoint,
            Contact::Touching => oracle::Contact::Touching,
            Contact::Crossing => oracle::Contact::Crossing,
        };
        let meets = triangles_intersect(a, b);
        self.decisions += 1;
        if found != truth || meets != (truth != oracle::Contact::Disjoint) {
            self.wrong += 1;
            if self.shown.len() < SHOWN {
                self.shown.push(format!(
                    "truth {truth:?}, contact {found:?}, intersect {meets}\n  a {}\n  b {}",
                    bits(a),
                    bits(b)
                ));
            }
        }
        truth
    }

    /// Judges the pair as drawn, under an exact turn, and that at two scales.
    fn judge_all(&mut self, draw: Draw, rng: &mut Rng) {
        let (a, b, pose) = match draw {
            Draw::Random => {
                let (a, b) = triangles::pair(rng);
                (a, b, poses::exact(rng, 0))
            }
            Draw::Grid => {
                let (a, b) = grid::pair(rng);
                (a, b, poses::exact(rng, 1000))
            }
        };
        let truth = self.judge(&a, &b);
        self.pairs += 1;
        self.contacts[truth as usize] += 1;
        if matches!(draw, Draw::Grid) {
            let degenerate = is_degenerate(&a) || is_degenerate(&b);
            let coplanar = is_coplanar(&a, &b);
            let touching = truth == oracle::Contact::Touching;
            self.degenerate += u64::from(degenerate);
            self.coplanar += u64::from(coplanar);
            self.delicate += u64::from(degenerate || coplanar || touching);
        }
        let place = |t: &Triangle| t.map(|p| pose.transform_point(p));
        let (placed_a, placed_b) = (place(&a), place(&b));
        self.judge(&placed_a, &placed_b);
        for power in [-40, 40] {
            let scale = |t: &Triangle| t.map(|p| p * 2f64.powi(power));
            self.judge(&scale(&placed_a), &scale(&placed_b));
        }
    }
}

/// The corners as the hexadecimal bits of their coordinates, for `f64::from_bits`.
fn bits(t: &Triangle) -> String {
    let corner = |p: &impinge::DVec3| {
        let [x, y, z] = p.to_array().map(|c| format!("{:#018x}", c.to_bits()));
        format!("[{x}, {y}, {z}] {p}")
    };
    t.iter().map(corner).collect::<Vec<_>>().join("; ")
}

/// Exact for small integers only.
fn is_degenerate(t: &Triangle) -> bool {
    (t[1] - t[0]).cross(t[2] - t[0]) == impinge::DVec3::ZERO
}

/// Exact for small integers only.
fn is_coplanar(a: &Triangle, b: &Triangle) -> bool {
    let points = [a[1], a[2], b[0], b[1], b[2]].map(|p| p - a[0]);
    points.iter().enumerate().all(|(i, u)| {
        points
            .iter()
            .enumerate()
            .skip(i + 1)
            .all(|(j, v)| points[j..].iter().all(|w| u.cross(*v).dot(*w) == 0.0))
    })
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let (mut wrong, mut pairs) = (0, 0);
    for draw in [Draw::Random, Draw::Grid] {
        let start = Instant::now();
        let tally = judge_draw(args, draw)?;
        let share = |n: u64| 100.0 * n as f64 / tally.pairs.max(1) as f64;
        println!(
            "{draw:?}: {} pairs, {} decisions (as drawn, turned, scaled) in {:.0} s",
            tally.pairs,
            tally.decisions,
            start.elapsed().as_secs_f64()
        );
        let [disjoint, touching, crossing] = tally.contacts.map(share);
        println!("  disjoint {disjoint:.1} %, touching {touching:.1} %, crossing {crossing:.1} %");
        if matches!(draw, Draw::Grid) {
            println!(
                "  with a degenerate triangle {:.1} %, in one plane {:.1} %, either or touching {:.1} %",
                share(tally.degenerate),
                share(tally.coplanar),
                share(tally.delicate)
            );
        }
        println!("  disagreements {}", tally.wrong);
        for case in &tally.shown {
            println!("  {case}");
        }
        wrong += tally.wrong;
        pairs += tally.pairs;
    }
    let bar = Bar::none_wrong(wrong, pairs);
    println!("bar: zero disagreements {}", bar.word());
    Ok(bar)
}

/// All pairs of one draw. Every block has a seed of its own, so the pairs do not depend on the
/// number of threads.
fn judge_draw(args: &Args, draw: Draw) -> anyhow::Result<Tally> {
    let blocks = args.pairs.div_ceil(BLOCK);
    let name = format!("{draw:?}: ");
    let all = in_blocks(blocks, args.threads, |tally: &mut Tally, block| {
        tell(&name, block, blocks);
        let mut rng = Rng::new(args.seed ^ ((draw as u64) << 62) ^ (block << 20));
        for _ in 0..BLOCK.min(args.pairs - block * BLOCK) {
            tally.judge_all(draw, &mut rng);
        }
    });
    let mut tally = Tally::default();
    for one in all {
        tally.add(one.context("a thread panicked: an oracle or the test is broken")?);
    }
    Ok(tally)
}
