//! What a tree of cut boxes gains over the flat algorithm of its time, and what each of its parts gains.
//!
//! Published in 1994 for two equal objects that bounce in a cage, as time of the flat algorithm over time of the tree:
//! break-even at 300 (ball), 60 (torus) and 300 (tetra-flake) faces; empty-interval flags 1.14 times
//! faster in the worst case; collecting faces at leaves 1.5 times.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use impinge::Pose;
use impinge::bvh::MeshIndex;
use impinge::query::{First, Limits};
use impinge_study::box_tree::{
    BoxTest, BoxTree, BoxTreeCache, BoxTreeConfig, BoxTreeCounts, CutStrategy, CutTree,
    CutTreeConfig, InnerConfig, LeafRule, RestrictedTree, RestrictedTreeConfig, TreeShape,
};
use impinge_study::edge_polygon::{EdgePolygon, EdgePolygonCache, EdgePolygonConfig};

use crate::Bar;
use crate::models_1994::{COUNTS, MODELS_1994, bouncing, close_poses};

/// Faces per object at which the tree must have overtaken the flat algorithm, for each model.
const MAX_BREAK_EVEN: usize = 60;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Frames of the bouncing objects
    #[arg(long, default_value_t = 1000)]
    frames: usize,
    /// Faces per object for the ablation
    #[arg(long, default_value_t = 2000)]
    faces: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut met = break_even(args)?;
    println!();
    met &= ablation(args)?;
    Ok(if met { Bar::Met } else { Bar::Missed })
}

/// The ratio of the flat algorithm's time to the tree's, by model and size.
fn break_even(args: &Args) -> anyhow::Result<bool> {
    println!(
        "two equal objects bouncing in a cage, {} frames, first witness; time of the flat algorithm over time of the tree",
        args.frames
    );
    println!(
        "{:>12} {:>6} {:>5} {:>10} {:>10} {:>10} {:>10} {:>6} {:>6} {:>6} {:>9}",
        "model",
        "faces",
        "hits",
        "flat",
        "1994",
        "cut",
        "restricted",
        "1994 ×",
        "cut ×",
        "restr ×",
        "published"
    );
    let mut met = true;
    for subject in &MODELS_1994 {
        let mut overtaken = None;
        let mut last = 0.0;
        for (i, &wanted) in COUNTS.iter().enumerate() {
            let mesh = Arc::new((subject.make)(wanted)?);
            let poses = bouncing(&mesh, args.frames)?;
            let flat = EdgePolygon::build(mesh.clone(), &EdgePolygonConfig::default());
            let mut cache = EdgePolygonCache::default();
            let (flat_seconds, flat_hits, _) = measure(&poses, 50, |few| {
                let meets = |pose: &Pose, cache: &mut EdgePolygonCache| {
                    let mut first = First::default();
                    let _ = flat.intersections(&flat, pose, Limits::default(), cache, &mut first);
                    first.0.is_some()
                };
                let met = few.iter().filter(|pose| meets(pose, &mut cache));
                (met.count(), BoxTreeCounts::default())
            });
            let published = CutTree::build(mesh.clone(), &CutTreeConfig::published());
            let cut = CutTree::build(mesh.clone(), &CutTreeConfig::default());
            let restricted = RestrictedTree::build(mesh.clone(), &RestrictedTreeConfig::default());
            let mut cache = BoxTreeCache::default();
            let results = [
                measure(&poses, 50, |few| hits(&published, &mut cache, few)),
                measure(&poses, 50, |few| hits(&cut, &mut cache, few)),
                measure(&poses, 50, |few| hits(&restricted, &mut cache, few)),
            ];
            for (_, hits, _) in &results {
                anyhow::ensure!(
                    *hits == flat_hits,
                    "{hits} frames with a witness, flat {flat_hits}"
                );
            }
            let frame = |seconds: f64| format!("{:.2} µs", seconds * 1e6 / poses.len() as f64);
            let ratios = results.map(|(seconds, _, _)| flat_seconds / seconds);
            println!(
                "{:>12} {:>6} {:>5} {:>10} {:>10} {:>10} {:>10} {:>6.2} {:>6.2} {:>6.2} {:>9}",
                subject.name,
                mesh.face_count(),
                flat_hits,
                frame(flat_seconds),
                frame(results[0].0),
                frame(results[1].0),
                frame(results[2].0),
                ratios[0],
                ratios[1],
                ratios[2],
                subject.published[i].map_or_else(|| "-".to_owned(), |x| x.to_string())
            );
            last = ratios.into_iter().fold(0.0, f64::max);
            if last > 1.0 && overtaken.is_none() {
                overtaken = Some(wanted);
            }
        }
        met &= bar(
            overtaken.is_some_and(|n| n <= MAX_BREAK_EVEN),
            &format!(
                "{}: the tree is faster from {} faces on, at most {MAX_BREAK_EVEN}",
                subject.name,
                overtaken.map_or_else(|| "no number of".to_owned(), |n| n.to_string())
            ),
        );
        met &= bar(
            last >= subject.at_thousand,
            &format!(
                "{}: {last:.1} times faster at 1000 faces, at least {}",
                subject.name, subject.at_thousand
            ),
        );
    }
    Ok(met)
}

/// Each part of the trees switched off and on.
fn ablation(args: &Args) -> anyhow::Result<bool> {
    let mut met = true;
    for subject in &MODELS_1994 {
        let mesh = Arc::new((subject.make)(args.faces)?);
        // Only frames in which the boxes meet tell the variants apart.
        let poses = close_poses(&mesh, 100)?;
        println!(
            "{} of {} faces, {} poses near contact, first witness; per pose",
            subject.name,
            mesh.face_count(),
            poses.len()
        );
        println!(
            "{:<34} {:>9} {:>7} {:>8} {:>7} {:>7} {:>6} {:>7}",
            "variant", "time", "boxes", "updates", "exact", "leaves", "dup", "bytes/f"
        );
        let mut cache = BoxTreeCache::default();
        let base = CutTreeConfig::default();
        let clipping = CutTreeConfig {
            test: BoxTest::Clipping,
            ..base
        };
        let published = CutTreeConfig::published();
        let (mut times, mut updates) = (Vec::new(), Vec::new());
        for (name, config) in [
            ("cut tree", base),
            ("  clipped edges instead", clipping),
            (
                "  clipped edges without flags",
                CutTreeConfig {
                    test: BoxTest::ClippingWithoutFlags,
                    ..base
                },
            ),
            (
                "  boxes along the axes instead",
                CutTreeConfig {
                    test: BoxTest::Aligned,
                    ..base
                },
            ),
            (
                "  without collecting at leaves",
                CutTreeConfig {
                    collect: false,
                    ..base
                },
            ),
            (
                "  edges against faces",
                CutTreeConfig {
                    leaf: LeafRule::Edges,
                    ..base
                },
            ),
            (
                "  no empty leaves",
                CutTreeConfig {
                    empty_leaves: false,
                    ..base
                },
            ),
            (
                "  least penalty, however elongated",
                CutTreeConfig {
                    similar: 0.0,
                    ..base
                },
            ),
            (
                "  weighted bisection",
                CutTreeConfig {
                    strategy: CutStrategy::Weighted,
                    ..base
                },
            ),
            (
                "  plain bisection",
                CutTreeConfig {
                    strategy: CutStrategy::Bisect,
                    ..base
                },
            ),
            (
                "  middle of the longest edge",
                CutTreeConfig {
                    strategy: CutStrategy::Middle,
                    ..base
                },
            ),
            (
                "  thin planes",
                CutTreeConfig {
                    thickness: 0.0,
                    ..base
                },
            ),
            ("1994 tree", published),
            (
                "  without flags",
                CutTreeConfig {
                    test: BoxTest::ClippingWithoutFlags,
                    ..published
                },
            ),
            (
                "  without collecting at leaves",
                CutTreeConfig {
                    collect: false,
                    ..published
                },
            ),
            (
                "  separating directions instead",
                CutTreeConfig {
                    test: BoxTest::Separating,
                    ..published
                },
            ),
        ] {
            let tree = CutTree::build(mesh.clone(), &config);
            let (seconds, counts) = row(name, &tree, &tree.shape(), &poses, &mut cache);
            times.push(seconds);
            updates.push(counts.work.updates);
        }
        let base = BoxTreeConfig::default();
        for (name, config) in [
            ("box tree, two planes", base),
            (
                "  clipped edges instead",
                BoxTreeConfig {
                    test: BoxTest::Clipping,
                    ..base
                },
            ),
            (
                "  boxes along the axes instead",
                BoxTreeConfig {
                    test: BoxTest::Aligned,
                    ..base
                },
            ),
            (
                "  inner boxes",
                BoxTreeConfig {
                    inner: Some(InnerConfig::default()),
                    ..base
                },
            ),
        ] {
            let tree = BoxTree::build(mesh.clone(), &config);
            row(name, &tree, &tree.shape(), &poses, &mut cache);
        }
        let base = RestrictedTreeConfig::default();
        for (name, config) in [
            (
                "restricted tree, one side",
                RestrictedTreeConfig {
                    max_sides: 1,
                    ..base
                },
            ),
            ("restricted tree, three sides", base),
            (
                "restricted tree, six sides",
                RestrictedTreeConfig {
                    max_sides: 6,
                    min_gain: 0.0,
                    ..base
                },
            ),
        ] {
            let tree = RestrictedTree::build(mesh.clone(), &config);
            row(name, &tree, &tree.shape(), &poses, &mut cache);
        }
        println!(
            "flags {:.2}× on the 1994 tree, {:.2}× on ours (published 1.14×); collecting {:.2}× and {:.2}× (published 1.5×)",
            times[13] / times[12],
            times[2] / times[1],
            times[14] / times[12],
            times[4] / times[0]
        );
        met &= bar(
            2 * updates[12] <= updates[13],
            &format!("{}: flags save half of the interval updates", subject.name),
        );
        println!();
    }
    Ok(met)
}

/// Measures a tree, prints its row, and returns its time and work.
fn row<I: MeshIndex<Cache = BoxTreeCache>>(
    name: &str,
    tree: &I,
    shape: &TreeShape,
    poses: &[Pose],
    cache: &mut BoxTreeCache,
) -> (f64, BoxTreeCounts) {
    let (seconds, _, counts) = measure(poses, 1, |few| hits(tree, cache, few));
    let n = poses.len() as f64;
    println!(
        "{name:<34} {:>6.2} µs {:>7.1} {:>8.0} {:>7.1} {:>7.1} {:>6.2} {:>7.0}",
        seconds * 1e6 / n,
        counts.work.volume_tests as f64 / n,
        counts.work.updates as f64 / n,
        counts.work.face_tests as f64 / n,
        counts.leaf_pairs as f64 / n,
        shape.duplication,
        shape.bytes as f64 / tree.mesh().face_count() as f64
    );
    (seconds, counts)
}

/// In how many poses an index finds a witness, and its work.
pub(crate) fn hits<I: MeshIndex<Cache = BoxTreeCache>>(
    index: &I,
    cache: &mut BoxTreeCache,
    poses: &[Pose],
) -> (usize, BoxTreeCounts) {
    let mut total = BoxTreeCounts::default();
    let mut found = 0;
    for pose in poses {
        let mut first = First::default();
        let _ = index.intersections(index, pose, Limits::default(), cache, &mut first);
        found += usize::from(first.0.is_some());
        let counts = cache.counts();
        total.work += counts.work;
        total.leaf_pairs += counts.leaf_pairs;
        total.candidates += counts.candidates;
    }
    (found, total)
}

/// The least time of several runs over each few poses, summed, and the sums of what the runs returned:
/// hits and work. A disturbance costs one run of a few poses, not all.
fn measure(
    poses: &[Pose],
    poses_per_run: usize,
    mut run: impl FnMut(&[Pose]) -> (usize, BoxTreeCounts),
) -> (f64, usize, BoxTreeCounts) {
    let (mut seconds, mut hits, mut counts) = (0.0, 0, BoxTreeCounts::default());
    for few in poses.chunks(poses_per_run) {
        let mut least = f64::INFINITY;
        let mut answer = (0, BoxTreeCounts::default());
        for _ in 0..5 {
            let start = Instant::now();
            answer = black_box(run(black_box(few)));
            least = least.min(start.elapsed().as_secs_f64());
        }
        seconds += least;
        hits += answer.0;
        counts.work += answer.1.work;
        counts.leaf_pairs += answer.1.leaf_pairs;
    }
    (seconds, hits, counts)
}

fn bar(is_met: bool, what: &str) -> bool {
    println!("bar: {what}: {}", if is_met { "met" } else { "missed" });
    is_met
}
