//! The number of children per node that pays, and the value of nine of the fifteen box axes.
//!
//! **Question.** Sources disagree whether trees of two, four or eight children are the fastest, and whether six of the fifteen separating
//! directions suffice between boxes of AABB trees. **Idea.** The same builder and leaves, only the number of children differs; tests are
//! counted and times are medians in turns. **Limits.** One box after the other is tested, without vector instructions: the default tree
//! tests eight at once and is another program.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use impinge::bound::{Aabb, BoundingVolume, Obb};
use impinge::bvh::MeshIndex;
use impinge::bvh::tree::{Arity, Bvh, BvhConfig};
use impinge::convex::{Cuboid, SatCache, cuboids_intersect};
use impinge::generate::model;
use impinge::math::Rng;
use impinge::query::{Count, Limits};
use impinge::{DVec3, Pose};

use crate::models_1994::close_poses;
use crate::sample_statistics::median;
use crate::{Bar, Bars};

/// Two, four and eight children per node, and six of fifteen directions between boxes
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Faces of each model
    #[arg(long, default_value_t = 20_000)]
    faces: usize,
    /// Placements of each model at which surfaces nearly or hardly meet
    #[arg(long, default_value_t = 40)]
    poses: usize,
    /// Runs of which the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Pairs of boxes
    #[arg(long, default_value_t = 1_000_000)]
    boxes: usize,
}

const MODELS: [&str; 4] = ["blob", "torus-knot", "gear", "castle"];

/// Tests between boxes, pairs of faces decided and found, and microseconds a question, of one tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ArityRow {
    box_tests: f64,
    face_tests: f64,
    found: u64,
    micros: f64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    anyhow::ensure!(
        args.poses > 0 && args.boxes > 0,
        "--poses and --boxes must be at least 1"
    );
    let mut bars = Bars::default();
    println!("all pairs of faces that meet, one after the other, leaves of the default size");
    let (mut fastest, mut cases, mut is_same) = ([0_usize; 3], 0, true);
    for name in MODELS {
        for (volume, rows) in [
            ("aabb", rows::<Aabb>(args, name)?),
            ("obb", rows::<Obb>(args, name)?),
        ] {
            for (arity, row) in Arity::ALL.iter().zip(&rows) {
                println!(
                    "tree of {} children, {volume}, {name}: {:.0} box tests, {:.0} face tests, {:.1} µs a question",
                    arity.children(),
                    row.box_tests,
                    row.face_tests,
                    row.micros
                );
            }
            is_same &= rows.iter().all(|row| row.found == rows[0].found);
            let best = (0..3).min_by(|&i, &j| rows[i].micros.total_cmp(&rows[j].micros));
            fastest[best.unwrap_or_default()] += 1;
            cases += 1;
        }
    }
    println!(
        "arity: of {cases} cases two children are the fastest in {}, four in {}, eight in {}",
        fastest[0], fastest[1], fastest[2]
    );
    bars.say(
        Bar::of(is_same),
        format_args!("trees of two, four and eight children find the same pairs of faces"),
    );
    let six = six_directions(args)?;
    println!(
        "six directions: {:.2} % of {} pairs of boxes that fifteen separate are left; a test takes {:.1} ns, of all fifteen {:.1} ns",
        100.0 * six.left,
        args.boxes,
        six.nanos[0],
        six.nanos[1]
    );
    bars.say(
        Bar::of(six.lost == 0),
        format_args!(
            "six directions separate no boxes that fifteen do not ({} of {})",
            six.lost, args.boxes
        ),
    );
    Ok(bars.end())
}

/// A row for each arity.
fn rows<V: BoundingVolume>(args: &Args, name: &str) -> anyhow::Result<[ArityRow; 3]> {
    let kind = model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"))?;
    let mesh = Arc::new(kind.make(Some(args.faces), 1)?);
    let poses = close_poses(&mesh, args.poses)?;
    let trees = Arity::ALL.map(|arity| {
        let config = BvhConfig {
            arity,
            ..BvhConfig::default()
        };
        Bvh::<V>::build(mesh.clone(), &config)
    });
    let mut rows = [ArityRow::default(); 3];
    let mut times = [const { Vec::new() }; 3];
    let count = poses.len() as f64;
    for round in 0..args.rounds.max(1) {
        for ((tree, row), times) in trees.iter().zip(&mut rows).zip(&mut times) {
            let mut cache = <Bvh<V> as MeshIndex>::Cache::default();
            let start = Instant::now();
            for pose in &poses {
                let mut found = Count::default();
                let _ = tree.intersections(tree, pose, Limits::default(), &mut cache, &mut found);
                if round == 0 {
                    let work = Bvh::<V>::work(&cache);
                    row.box_tests += work.volume_tests as f64 / count;
                    row.face_tests += work.face_tests as f64 / count;
                    row.found += found.0;
                }
            }
            times.push(1e6 * start.elapsed().as_secs_f64() / count);
        }
    }
    for (row, times) in rows.iter_mut().zip(&mut times) {
        row.micros = median(times);
    }
    Ok(rows)
}

/// Six directions beside all fifteen.
#[derive(Clone, Copy, Debug)]
struct SixDirections {
    /// The share of the pairs that fifteen separate and six do not.
    left: f64,
    /// Pairs that six separate and fifteen do not: there are none.
    lost: usize,
    /// Of a test by six and by fifteen.
    nanos: [f64; 2],
}

/// Boxes of random sides, up to ten times as long as wide, at random places about as far apart as they are long.
fn six_directions(args: &Args) -> anyhow::Result<SixDirections> {
    let mut rng = Rng::new(2009);
    let mut pairs = Vec::new();
    for _ in 0..args.boxes {
        let mut half = || DVec3::from_array([0; 3].map(|_| rng.range(0.1, 1.0)));
        let (a, b) = (half(), half());
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), 2.0 * rng.cube())?;
        pairs.push((a, b, pose));
    }
    let boxed = |half: DVec3| Aabb {
        min: -half,
        max: half,
    };
    let start = Instant::now();
    let six: Vec<bool> = pairs
        .iter()
        .map(|(a, b, pose)| {
            let relative = Aabb::relative(black_box(pose));
            BoundingVolume::overlaps(&boxed(*a), &boxed(*b), &relative)
        })
        .collect();
    let by_six = start.elapsed().as_secs_f64();
    let mut fifteen = Vec::new();
    let start = Instant::now();
    for (a, b, pose) in &pairs {
        let (a, b) = (Cuboid::new(*a)?, Cuboid::new(*b)?);
        fifteen.push(cuboids_intersect(
            &a,
            &b,
            black_box(pose),
            &mut SatCache::new(),
        ));
    }
    let by_fifteen = start.elapsed().as_secs_f64();
    let apart = fifteen.iter().filter(|meet| !**meet).count();
    let both = || six.iter().zip(&fifteen);
    let left = both().filter(|(six, all)| **six && !**all).count();
    Ok(SixDirections {
        left: left as f64 / apart.max(1) as f64,
        lost: both().filter(|(six, all)| !**six && **all).count(),
        nanos: [by_six, by_fifteen].map(|time| 1e9 * time / pairs.len() as f64),
    })
}

#[cfg(test)]
mod tests {
    use super::{Aabb, Args, rows, six_directions};

    const FEW: Args = Args {
        faces: 500,
        poses: 4,
        rounds: 1,
        boxes: 20_000,
    };

    #[test]
    fn wider_trees_find_the_same_with_other_work() {
        let rows = rows::<Aabb>(&FEW, "torus-knot").unwrap();
        assert!(rows[0].found > 0);
        assert!(rows.iter().all(|row| row.found == rows[0].found));
        assert!(rows[0].box_tests != rows[2].box_tests && rows[0].micros > 0.0);
    }

    #[test]
    fn six_directions_leave_a_few_pairs_and_lose_none() {
        let six = six_directions(&FEW).unwrap();
        assert_eq!(six.lost, 0);
        assert!(six.left > 0.0 && six.left < 0.2, "{six:?}");
    }
}
