//! What the parts of the box-tree gain, from which size on it pays, and what a second thread gains.

use std::hint::black_box;
use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::query::{Count, First, Limits};
use impinge::{Pose, TriMesh};
use impinge_study::box_tree::{BoxTest, BoxTreeCache, BoxTreeCounts, CutTree, CutTreeConfig};
use impinge_study::edge_polygon::{EdgePolygon, EdgePolygonCache, EdgePolygonConfig};

use super::cage::CageScene;
use super::{Args, POSES_PER_STEP, RatioRow, few, interleaved};
use crate::box_tree_ablation::hits;
use crate::models_1994::{COUNTS, MODELS_1994, bouncing, close_poses};
use crate::thread_cpu_time::cores;

/// Collecting at leaves and the flags of empty intervals, on the tree of 1994.
pub(super) fn tree_parts(args: &Args, rows: &mut Vec<RatioRow>) -> anyhow::Result<()> {
    for subject in &MODELS_1994 {
        let mesh = Arc::new((subject.make)(args.faces)?);
        let poses = close_poses(&mesh, 100)?;
        let published = CutTreeConfig::published();
        let configs = [
            published,
            CutTreeConfig {
                collect: false,
                ..published
            },
            CutTreeConfig {
                test: BoxTest::ClippingWithoutFlags,
                ..published
            },
        ];
        let trees = configs.map(|config| CutTree::build(mesh.clone(), &config));
        let mut cache = BoxTreeCache::default();
        let found = [0, 1, 2].map(|i: usize| hits(&trees[i], &mut cache, &poses));
        anyhow::ensure!(
            found.iter().all(|f| f.0 == found[0].0),
            "a part of the tree changes answers"
        );
        let mut caches = [0; 3].map(|_| BoxTreeCache::default());
        let mut runs: Vec<_> = trees
            .iter()
            .zip(&mut caches)
            .map(|(tree, cache)| {
                let poses = &poses;
                move |step: usize| {
                    black_box(hits(tree, cache, few(poses, step)));
                }
            })
            .collect();
        let mut turns: Vec<&mut dyn FnMut(usize)> = Vec::new();
        for run in &mut runs {
            turns.push(run);
        }
        let times = interleaved(
            args.rounds,
            poses.len().div_ceil(POSES_PER_STEP),
            &mut turns,
        );
        let counts: [BoxTreeCounts; 3] = found.map(|f| f.1);
        let scene = format!("{}, {} faces", subject.name, mesh.face_count());
        rows.push(RatioRow {
            experiment: "collect at leaves",
            scene: scene.clone(),
            published: Some(1.5),
            by_work: counts[1].candidates as f64 / counts[0].candidates.max(1) as f64,
            work: "pairs of elements in leaves",
            by_time: times[1] / times[0],
            why: format!(
                "{:.0} pairs of elements per pose instead of {:.0}, beside {:.0} box tests that collecting does not touch",
                counts[0].candidates as f64 / poses.len() as f64,
                counts[1].candidates as f64 / poses.len() as f64,
                counts[0].work.volume_tests as f64 / poses.len() as f64,
            ),
            is_open: false,
        });
        rows.push(RatioRow {
            experiment: "empty-interval flags",
            scene,
            published: Some(1.14),
            by_work: counts[2].work.updates as f64 / counts[0].work.updates.max(1) as f64,
            work: "interval updates",
            by_time: times[2] / times[0],
            why: format!(
                "{:.0} interval updates per pose instead of {:.0}; an update is a multiplication and two comparisons today, so skipping it saves less than it counts",
                counts[0].work.updates as f64 / poses.len() as f64,
                counts[2].work.updates as f64 / poses.len() as f64,
            ),
            is_open: false,
        });
    }
    Ok(())
}

/// Time without a tree over time with one, by model and size.
pub(super) fn break_even(args: &Args, rows: &mut Vec<RatioRow>) -> anyhow::Result<()> {
    for subject in &MODELS_1994 {
        let mut known = 0;
        for (i, &wanted) in COUNTS.iter().enumerate() {
            let mesh = Arc::new((subject.make)(wanted)?);
            // A flake has few sizes: the nearest to two of those wanted may be the same.
            if std::mem::replace(&mut known, mesh.face_count()) == mesh.face_count() {
                continue;
            }
            let poses = bouncing(&mesh, 20 * args.frames)?;
            let scene = CageScene {
                tests: poses.iter().map(|&pose| (0, 0, pose)).collect(),
                meshes: vec![mesh.clone()],
            };
            let flat = scene.indexes(&EdgePolygonConfig::default());
            let published = CutTree::build(mesh.clone(), &CutTreeConfig::published());
            let ours = CutTree::build(mesh.clone(), &CutTreeConfig::default());
            let mut caches = [0; 2].map(|_| BoxTreeCache::default());
            let [of_published, of_ours] = &mut caches;
            let mut of_flat = EdgePolygonCache::default();
            let asked = scene.ask(&flat, &mut of_flat);
            let (found, counts) = hits(&published, of_published, &poses);
            let (found_ours, _) = hits(&ours, of_ours, &poses);
            anyhow::ensure!(
                found == asked.hits && found_ours == asked.hits,
                "tree and no tree differ"
            );
            let times = interleaved(
                args.rounds,
                poses.len().div_ceil(POSES_PER_STEP),
                &mut [
                    &mut |step| {
                        let first = step * POSES_PER_STEP;
                        let tests = first..(first + POSES_PER_STEP).min(poses.len());
                        black_box(scene.ask_few(tests, &flat, &mut of_flat));
                    },
                    &mut |step| {
                        black_box(hits(&published, of_published, few(&poses, step)));
                    },
                    &mut |step| {
                        black_box(hits(&ours, of_ours, few(&poses, step)));
                    },
                ],
            );
            let n = poses.len() as f64;
            let tests = asked.counts.work().tests() as f64;
            // Pairs of elements in leaves are compared by their boxes too.
            let tree_tests = (counts.work.tests() + counts.candidates) as f64;
            rows.push(RatioRow {
                experiment: "box-tree, no tree",
                scene: format!("{}, {} faces", subject.name, mesh.face_count()),
                published: subject.published[i],
                by_work: tests / tree_tests.max(1.0),
                work: "all tests",
                by_time: times[0] / times[1],
                why: format!(
                    "per frame {:.1} µs and {:.0} tests without, {:.1} µs and {:.0} with the tree of 1994, of which {:.0} are between boxes of nodes and cost far more than a comparison along the axes; our tree is {:.2} times faster than none",
                    1e6 * times[0] / n,
                    tests / n,
                    1e6 * times[1] / n,
                    tree_tests / n,
                    counts.work.volume_tests as f64 / n,
                    times[0] / times[2],
                ),
                is_open: false,
            });
        }
    }
    Ok(())
}

/// Seconds of a question about two single faces, on one thread and on two: the difference is what
/// sharing costs.
fn least_question(args: &Args) -> anyhow::Result<[f64; 2]> {
    let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    let index = EdgePolygon::build(Arc::new(face), &EdgePolygonConfig::default());
    // In planes side by side: boxes overlap, nothing meets, and both directions are asked.
    let pose = Pose::from_axis_angle([1.0, 1.0, 0.0], 0.3, [0.0, 0.0, 0.05])?;
    let (mut one, mut two) = (EdgePolygonCache::default(), EdgePolygonCache::default());
    let times = interleaved(
        args.rounds.max(9),
        200,
        &mut [
            &mut |_| {
                let mut first = First::default();
                let _ = index.intersections(&index, &pose, Limits::default(), &mut one, &mut first);
                black_box(first.0);
            },
            &mut |_| {
                black_box(index.meets_by_two(&index, &pose, &mut two));
            },
        ],
    );
    Ok([times[0] / 200.0, times[1] / 200.0])
}

/// With a higher load before measuring, other programs take a part of the second processor.
const MOST_LOAD: f64 = 0.5;

/// Why this machine cannot decide what a second thread gains; empty where it can.
fn not_free(processors: usize, load: Option<f64>) -> String {
    match load {
        _ if processors < 2 => ". On one processor a second thread cannot gain".to_owned(),
        Some(load) if load > MOST_LOAD => {
            format!(". Open: the load was {load} before measuring, at most {MOST_LOAD} is asked")
        }
        _ => String::new(),
    }
}

/// Both directions of one query on two threads, beside the load of the machine before measuring.
pub(super) fn two_threads(
    args: &Args,
    load: Option<f64>,
    rows: &mut Vec<RatioRow>,
) -> anyhow::Result<()> {
    let processors = cores();
    let not_free = not_free(processors, load);
    let [alone, shared] = least_question(args)?.map(|seconds| 1e6 * seconds);
    for (faces, published) in [
        (42, Some(1.15)),
        (132, Some(1.73)),
        (442, Some(1.76)),
        (2000, None),
    ] {
        let mesh = Arc::new((MODELS_1994[1].make)(faces)?);
        let poses = close_poses(&mesh, 100)?;
        let scene = CageScene {
            tests: poses.iter().map(|&pose| (0, 0, pose)).collect(),
            meshes: vec![mesh.clone()],
        };
        let indexes = scene.indexes(&EdgePolygonConfig::default());
        let index = &indexes[0];
        let (mut one, mut two) = (EdgePolygonCache::default(), EdgePolygonCache::default());
        let asked = scene.ask(&indexes, &mut one);
        let by_two = |poses: &[Pose], cache: &mut EdgePolygonCache| {
            poses
                .iter()
                .filter(|pose| index.meets_by_two(index, pose, cache))
                .count()
        };
        anyhow::ensure!(
            by_two(&poses, &mut two) == asked.hits,
            "two threads answer otherwise"
        );
        // Whole questions, so that the work does not depend on who finds the first witness.
        let (mut both, mut longer) = (0, 0);
        for pose in &poses {
            let mut all = Count::default();
            let _ = index.intersections(index, pose, Limits::default(), &mut one, &mut all);
            let [forth, back] = one.direction_counts().map(|c| c.work().tests());
            both += forth + back;
            longer += forth.max(back);
        }
        let times = interleaved(
            args.rounds.max(9),
            poses.len(),
            &mut [
                &mut |step| {
                    black_box(scene.ask_few(step..step + 1, &indexes, &mut one));
                },
                &mut |step| {
                    black_box(by_two(&poses[step..step + 1], &mut two));
                },
            ],
        );
        let n = poses.len() as f64;
        rows.push(RatioRow {
            experiment: "two threads",
            scene: format!("2 tori of {} faces, touching", mesh.face_count()),
            published,
            by_work: both as f64 / longer.max(1) as f64,
            work: "both directions, the longer",
            by_time: times[0] / times[1],
            why: format!(
                "{:.1} µs per question on one thread, {:.1} µs on two, with {processors} processors; a question about two single faces takes {alone:.1} µs on one thread and {shared:.1} µs on two{not_free}",
                1e6 * times[0] / n,
                1e6 * times[1] / n,
            ),
            is_open: !not_free.is_empty(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::not_free;

    #[test]
    fn two_threads_are_judged_with_two_free_processors_alone() {
        assert_eq!(not_free(2, Some(0.5)), "");
        assert_eq!(not_free(2, None), "", "a system that does not say");
        assert!(not_free(2, Some(0.51)).contains("0.51"));
        assert!(not_free(1, Some(0.0)).contains("one processor"));
    }
}
