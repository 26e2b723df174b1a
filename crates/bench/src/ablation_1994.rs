//! The ratios published in 1994 beside ours: what each idea of that thesis gains today, by work and by time.
//!
//! Absolute times of that year mean nothing now, ratios do. Work is counted, so it is the same on every machine; times are
//! medians of runs in which all variants take turns. Where ours differ, the table says why, from the numbers of the same run.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::bvh::box_tree::{BoxTest, BoxTreeCache, BoxTreeCounts, CutTree, CutTreeConfig};
use impinge::bvh::edge_polygon::{
    Accuracy, EdgePolygon, EdgePolygonCache, EdgePolygonConfig, EdgePolygonCounts, PreChecks,
};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate::{cage, model};
use impinge::math::Rng;
use impinge::query::{Count, First, Limits};
use impinge::{DVec3, Pose, TriMesh};

use crate::Bar;
use crate::box_tree_ablation::{COUNTS, SUBJECTS, bouncing, close_poses, hits};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Frames of the objects in the cage, and of the two that bounce
    #[arg(long, default_value_t = 40)]
    frames: usize,
    /// Runs of which the median counts
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Faces of the models whose box-trees are taken apart
    #[arg(long, default_value_t = 2000)]
    faces: usize,
    /// Print rows as JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// One published ratio and ours.
#[derive(Debug, serde::Serialize)]
struct Row {
    experiment: &'static str,
    scene: String,
    published: Option<f64>,
    /// The ratio of counted work, and what was counted.
    by_work: f64,
    work: &'static str,
    by_time: f64,
    why: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut rows = Vec::new();
    pre_checks(args, &mut rows)?;
    relaxed_pot(args, &mut rows)?;
    tree_parts(args, &mut rows)?;
    break_even(args, &mut rows)?;
    two_threads(args, &mut rows)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        table(&rows);
    }
    // Every variant gave the same answers, or an error was returned; the ratios are for reading.
    Ok(Bar::Met)
}

fn table(rows: &[Row]) {
    println!("ratios above 1: the idea gains; published are those of 1994");
    if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
        let load = load.split_whitespace().next().unwrap_or_default();
        println!(
            "load of this machine while measuring: {load}; two threads need two free processors"
        );
    }
    println!(
        "{:<22} {:<30} {:>9} {:>8} {:>8}  counted as work",
        "idea", "scene", "published", "by work", "by time"
    );
    for row in rows {
        let published = row
            .published
            .map_or_else(|| "-".to_owned(), |x| x.to_string());
        println!(
            "{:<22} {:<30} {published:>9} {:>8.2} {:>8.2}  {}",
            row.experiment, row.scene, row.by_work, row.by_time, row.work
        );
        if !row.why.is_empty() {
            println!("    {}", row.why);
        }
    }
    println!("bar: all variants give the same answers: met");
}

/// Seconds of each variant over all steps: for each step the median of several runs, the variants taking turns.
///
/// A step should be short, so that a disturbance costs one run of it.
fn interleaved(rounds: usize, steps: usize, variants: &mut [&mut dyn FnMut(usize)]) -> Vec<f64> {
    let mut sums = vec![0.0; variants.len()];
    let mut times = vec![Vec::new(); variants.len()];
    for step in 0..steps {
        for _ in 0..rounds.max(1) {
            for (variant, times) in variants.iter_mut().zip(&mut times) {
                let start = Instant::now();
                variant(step);
                times.push(start.elapsed().as_secs_f64());
            }
        }
        for (times, sum) in times.iter_mut().zip(&mut sums) {
            times.sort_unstable_by(f64::total_cmp);
            *sum += times[times.len() / 2];
            times.clear();
        }
    }
    sums
}

/// Poses asked in one step: few, so that a step takes less time than a turn of the system's scheduler.
const POSES_PER_STEP: usize = 2;

/// The poses of a step.
fn few(poses: &[Pose], step: usize) -> &[Pose] {
    let first = (step * POSES_PER_STEP).min(poses.len());
    &poses[first..(first + POSES_PER_STEP).min(poses.len())]
}

/// Meshes and the pairs of them to be tested, all frames in a row.
struct Scene {
    meshes: Vec<Arc<TriMesh>>,
    tests: Vec<(usize, usize, Pose)>,
}

impl Scene {
    /// Whether the pairs meet, and the work, with first witnesses.
    fn ask(&self, indexes: &[EdgePolygon], cache: &mut EdgePolygonCache) -> Asked {
        self.ask_few(0..self.tests.len(), indexes, cache)
    }

    /// The same for some of the tests.
    fn ask_few(
        &self,
        tests: Range<usize>,
        indexes: &[EdgePolygon],
        cache: &mut EdgePolygonCache,
    ) -> Asked {
        let mut asked = Asked::default();
        for (a, b, pose) in &self.tests[tests] {
            let mut first = First::default();
            let _ =
                indexes[*a].intersections(&indexes[*b], pose, Limits::default(), cache, &mut first);
            asked.hits += usize::from(first.0.is_some());
            asked.counts += cache.counts();
        }
        asked
    }

    fn indexes(&self, config: &EdgePolygonConfig) -> Vec<EdgePolygon> {
        let meshes = self.meshes.iter();
        meshes
            .map(|mesh| EdgePolygon::build(mesh.clone(), config))
            .collect()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    hits: usize,
    counts: EdgePolygonCounts,
}

/// Ten objects of 120 to 1456 faces that bounce in a cage of six walls; all pairs are tested in each frame.
fn in_a_cage(frames: usize) -> anyhow::Result<Scene> {
    let kinds = [
        ("ball", 120),
        ("torus", 200),
        ("cone", 150),
        ("cylinder", 300),
        ("hyperboloid", 400),
        ("tetra-flake", 484),
        ("cube-array", 300),
        ("torus", 700),
        ("ball", 900),
        ("tetra-flake", 1456),
    ];
    let mut meshes = Vec::new();
    for (name, faces) in kinds {
        let kind = model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"))?;
        let (points, faces) = kind.make(Some(faces), 1)?.into_parts();
        let bounds = impinge::bound::Aabb::enclosing(points.iter().copied());
        // All of one size, around the origin.
        let scale = 1.0 / bounds.diagonal().max_element();
        let points = points.into_iter().map(|p| (p - bounds.center()) * scale);
        meshes.push(Arc::new(TriMesh::new(points.collect(), faces)?));
    }
    let movers = meshes.len();
    let edge = 3.0;
    meshes.extend(
        cage(edge, 0.5, 1)?
            .into_iter()
            .map(|wall| Arc::new(wall.mesh)),
    );
    let trees: Vec<WideTree> = meshes
        .iter()
        .map(|mesh| WideTree::build(mesh.clone(), &Default::default()))
        .collect();
    let mut rng = Rng::new(1994);
    let mut at: Vec<DVec3> = (0..movers)
        .map(|i| {
            let cell = DVec3::new((i % 3) as f64, (i / 3 % 2) as f64, (i / 6) as f64);
            (cell - DVec3::new(1.0, 0.5, 0.5)) * 0.98
        })
        .collect();
    let mut speed: Vec<DVec3> = (0..movers).map(|_| 0.05 * rng.direction()).collect();
    let axes: Vec<DVec3> = (0..movers).map(|_| rng.direction()).collect();
    let mut angle = vec![0.0; movers];
    let mut spin: Vec<f64> = (0..movers).map(|_| rng.range(-0.1, 0.1)).collect();
    let mut tests = Vec::new();
    let mut cache = WideCache::default();
    for _ in 0..frames {
        let mut poses = vec![Pose::IDENTITY; meshes.len()];
        for i in 0..movers {
            at[i] += speed[i];
            angle[i] += spin[i];
            poses[i] = Pose::from_axis_angle(axes[i], angle[i], at[i])?;
        }
        let mut struck = vec![false; movers];
        for a in 0..movers {
            for b in a + 1..meshes.len() {
                let pose = poses[a].inverse() * poses[b];
                tests.push((a, b, pose));
                let mut first = First::default();
                let limits = Limits::default();
                let _ = trees[a].intersections(&trees[b], &pose, limits, &mut cache, &mut first);
                if first.0.is_some() {
                    struck[a] = true;
                    if let Some(struck) = struck.get_mut(b) {
                        *struck = true;
                    }
                }
            }
        }
        for i in 0..movers {
            if struck[i] {
                (speed[i], spin[i]) = (-speed[i], -spin[i]);
            }
            // Who has slipped through a wall comes back.
            for k in 0..3 {
                if at[i][k].abs() > 0.5 * edge {
                    speed[i][k] = -speed[i][k].abs() * at[i][k].signum();
                }
            }
        }
    }
    Ok(Scene { meshes, tests })
}

fn exact(pre_checks: PreChecks) -> EdgePolygonConfig {
    EdgePolygonConfig {
        pre_checks,
        ..EdgePolygonConfig::default()
    }
}

/// Table 3.1 of the source: the checks switched on one after the other.
fn pre_checks(args: &Args, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let scene = in_a_cage(args.frames)?;
    let body = PreChecks {
        edge_body: true,
        ..PreChecks::NONE
    };
    let face = PreChecks {
        edge_face: true,
        ..body
    };
    let collect = PreChecks {
        face_collect: true,
        ..face
    };
    let relaxed = EdgePolygonConfig {
        accuracy: Accuracy::RelaxedCollect,
        ..exact(collect)
    };
    let planes = PreChecks {
        plane_side: true,
        ..collect
    };
    let configs = [
        exact(body),
        exact(face),
        exact(collect),
        relaxed,
        exact(planes),
        exact(PreChecks::ALL),
    ];
    let indexes = configs.map(|config| scene.indexes(&config));
    let mut cache = EdgePolygonCache::default();
    let asked = [0, 1, 2, 3, 4, 5].map(|i: usize| scene.ask(&indexes[i], &mut cache));
    for (i, asked_now) in asked.iter().enumerate() {
        let same = asked_now.hits == asked[0].hits;
        anyhow::ensure!(same || i == 3, "variant {i} answers otherwise");
    }
    let mut caches = [0; 6].map(|_| EdgePolygonCache::default());
    let mut runs: Vec<_> = indexes
        .iter()
        .zip(&mut caches)
        .map(|(indexes, cache)| {
            |step: usize| {
                black_box(scene.ask_few(step..step + 1, indexes, cache));
            }
        })
        .collect();
    // Far apart, only placing and measuring is left.
    let far = Pose::from_translation([1e6, 0.0, 0.0])?;
    let (bare, mut bare_cache) = (&indexes[5], EdgePolygonCache::default());
    let mut place_only = |step: usize| {
        let (a, b, _) = scene.tests[step];
        let mut first = First::default();
        let limits = Limits::default();
        let _ = bare[a].intersections(&bare[b], &far, limits, &mut bare_cache, &mut first);
        black_box(first);
    };
    let mut turns: Vec<&mut dyn FnMut(usize)> = Vec::new();
    for run in &mut runs {
        turns.push(run);
    }
    turns.push(&mut place_only);
    let times = interleaved(args.rounds, scene.tests.len(), &mut turns);
    let floor = times[6];

    // Without any check a frame takes too long for all of them.
    let few = Scene {
        meshes: scene.meshes.clone(),
        tests: scene.tests[..scene.tests.len().min(105)].to_vec(),
    };
    let none = few.indexes(&exact(PreChecks::NONE));
    let (mut cache_none, mut cache_body) = (cache.clone(), cache);
    let (all_none, all_body) = (
        few.ask(&none, &mut cache_none).counts,
        few.ask(&indexes[0], &mut cache_body).counts,
    );
    let few_times = interleaved(
        3,
        few.tests.len(),
        &mut [
            &mut |step| {
                black_box(few.ask_few(step..step + 1, &none, &mut cache_none));
            },
            &mut |step| {
                black_box(few.ask_few(step..step + 1, &indexes[0], &mut cache_body));
            },
        ],
    );
    let scene_name = format!("cage, {} pairs", scene.tests.len());
    let decisions = |i: usize| asked[i].counts.exact_tests as f64;
    let boxes = |i: usize| asked[i].counts.edge_face_tests as f64;
    let micros = |seconds: f64| 1e6 * seconds / scene.tests.len() as f64;
    rows.push(Row {
        experiment: "edge against body",
        scene: "cage, one frame".to_owned(),
        published: None,
        by_work: all_none.exact_tests as f64 / all_body.exact_tests.max(1) as f64,
        work: "edge–face decisions",
        by_time: few_times[0] / few_times[1],
        why: "published only as \"many seconds\" without it".to_owned(),
    });
    rows.push(Row {
        experiment: "edge against face box",
        scene: scene_name.clone(),
        published: Some(11.3),
        by_work: decisions(0) / decisions(1),
        work: "edge–face decisions",
        by_time: times[0] / times[1],
        why: format!(
            "placing and measuring b takes {:.1} of {:.1} and {:.1} µs per pair; without it the ratio is {:.1}. The source places each body once per frame, and has no filter in front of its decision: ours costs {:.0} ns in the first variant. {} of {} pairs meet",
            micros(floor),
            micros(times[0]),
            micros(times[1]),
            (times[0] - floor) / (times[1] - floor),
            1e9 * (times[0] - floor) / decisions(0),
            asked[0].hits,
            scene.tests.len(),
        ),
    });
    rows.push(Row {
        experiment: "face collect",
        scene: scene_name.clone(),
        published: Some(0.92),
        by_work: boxes(1) / boxes(2).max(1.0),
        work: "edge–face box comparisons",
        by_time: times[1] / times[2],
        why: format!(
            "one pass over the faces ({:.0} per pair) leaves {:.0}, so {:.0} % of the comparisons of edges with face boxes are spared; the source found it to depend on the machine",
            asked[2].counts.collect_tests as f64 / scene.tests.len() as f64,
            asked[2].counts.collected as f64 / scene.tests.len() as f64,
            100.0 * (1.0 - boxes(2) / boxes(1)),
        ),
    });
    rows.push(Row {
        experiment: "relaxed collect",
        scene: scene_name.clone(),
        published: Some(0.94),
        by_work: boxes(1) / boxes(3).max(1.0),
        work: "edge–face box comparisons",
        by_time: times[1] / times[3],
        why: format!(
            "over edge against face box; finds {} of {} meeting pairs, because walls and large faces have no vertex in the other's box",
            asked[3].hits, asked[0].hits
        ),
    });
    rows.push(Row {
        experiment: "plane side",
        scene: scene_name.clone(),
        published: None,
        by_work: decisions(2) / decisions(4).max(1.0),
        work: "edge–face decisions",
        by_time: times[2] / times[4],
        why: "the lazy edge–polygon test of the source as a check of its own, planes computed once per face".to_owned(),
    });
    rows.push(Row {
        experiment: "all pre-checks",
        scene: scene_name,
        published: Some(10.3),
        by_work: decisions(0) / decisions(5).max(1.0),
        work: "edge–face decisions",
        by_time: times[0] / times[5],
        why: format!(
            "over edge against body alone, with the boxes of the bodies, which the source compares in its broad phase; {:.1} µs per pair are left, {:.1} of them for placing and measuring",
            micros(times[5]),
            micros(floor)
        ),
    });
    Ok(())
}

/// A pot of about ten thousand faces and the sixteen parts of a hand around its rim.
fn relaxed_pot(args: &Args, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let made = |name: &str| model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"));
    let pot = Arc::new(made("vase")?.make(Some(9944), 0)?);
    let hand = made("hand")?.parts(Some(1600), 0)?;
    let hand_size = impinge::generate::merged(&hand)?
        .bounds()
        .diagonal()
        .max_element();
    let (bounds, mut rng) = (pot.bounds(), Rng::new(16));
    let size = bounds.diagonal().max_element();
    let mut meshes = vec![pot];
    for part in &hand {
        let (points, faces) = part.mesh.clone().into_parts();
        let scaled = points.into_iter().map(|p| p * (0.5 * size / hand_size));
        meshes.push(Arc::new(TriMesh::new(scaled.collect(), faces)?));
    }
    let mut tests = Vec::new();
    for _ in 0..args.frames.div_ceil(4) {
        let direction = rng.direction();
        let at = bounds.center() + 0.5 * direction * bounds.diagonal();
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), at)?;
        tests.extend((1..meshes.len()).map(|part| (0, part, pose)));
    }
    let scene = Scene { meshes, tests };
    let strict = scene.indexes(&EdgePolygonConfig::default());
    let relaxed = scene.indexes(&EdgePolygonConfig::relaxed());
    let (mut one, mut two) = (EdgePolygonCache::default(), EdgePolygonCache::default());
    let (of_strict, of_relaxed) = (scene.ask(&strict, &mut one), scene.ask(&relaxed, &mut two));
    anyhow::ensure!(of_relaxed.hits <= of_strict.hits, "relaxed finds more");
    let times = interleaved(
        args.rounds,
        scene.tests.len(),
        &mut [
            &mut |step| {
                black_box(scene.ask_few(step..step + 1, &strict, &mut one));
            },
            &mut |step| {
                black_box(scene.ask_few(step..step + 1, &relaxed, &mut two));
            },
        ],
    );
    let tests = |asked: &Asked| asked.counts.work().tests() as f64;
    rows.push(Row {
        experiment: "relaxed collect",
        scene: format!("pot of {} faces, 16 parts", scene.meshes[0].face_count()),
        published: Some(1.7),
        by_work: tests(&of_strict) / tests(&of_relaxed),
        work: "all tests",
        by_time: times[0] / times[1],
        why: format!(
            "collecting takes {} comparisons by faces and {} by vertices of {} and {} in all; placing the pot's vertices is in both. The published figure is of frames with drawing; {} of {} meeting pairs found",
            of_strict.counts.collect_tests,
            of_relaxed.counts.collect_tests,
            tests(&of_strict),
            tests(&of_relaxed),
            of_relaxed.hits,
            of_strict.hits
        ),
    });
    Ok(())
}

/// Collecting at leaves and the flags of empty intervals, on the tree of 1994.
fn tree_parts(args: &Args, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    for subject in &SUBJECTS {
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
        rows.push(Row {
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
        });
        rows.push(Row {
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
        });
    }
    Ok(())
}

/// Time without a tree over time with one, by model and size.
fn break_even(args: &Args, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    for subject in &SUBJECTS {
        for (i, &wanted) in COUNTS.iter().enumerate() {
            let mesh = Arc::new((subject.make)(wanted)?);
            let poses = bouncing(&mesh, 20 * args.frames)?;
            let scene = Scene {
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
            rows.push(Row {
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
            });
        }
    }
    Ok(())
}

/// Both directions of one question on two threads.
fn two_threads(args: &Args, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    for (faces, published) in [
        (42, Some(1.15)),
        (132, Some(1.73)),
        (442, Some(1.76)),
        (2000, None),
    ] {
        let mesh = Arc::new((SUBJECTS[1].make)(faces)?);
        let poses = close_poses(&mesh, 100)?;
        let scene = Scene {
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
        rows.push(Row {
            experiment: "two threads",
            scene: format!("2 tori of {} faces, touching", mesh.face_count()),
            published,
            by_work: both as f64 / longer.max(1) as f64,
            work: "both directions, the longer",
            by_time: times[0] / times[1],
            why: format!(
                "{:.1} µs per question on one thread, {:.1} µs on two of {} processors: what is not shared is placing and measuring b, and waking the other thread, which costs microseconds",
                1e6 * times[0] / n,
                1e6 * times[1] / n,
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            ),
        });
    }
    Ok(())
}
