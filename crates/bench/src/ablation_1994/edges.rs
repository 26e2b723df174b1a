//! What the pre-checks of edges against faces, and collecting, gain without a tree.

use std::hint::black_box;
use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::generate::model;
use impinge::math::Rng;
use impinge::query::{First, Limits};
use impinge::{Pose, TriMesh};
use impinge_study::edge_polygon::{
    EdgePolygonAccuracy, EdgePolygonCache, EdgePolygonConfig, PreChecks,
};

use super::cage::{CagePair, CageScene, exact, in_a_cage};
use super::{Args, RatioRow, interleaved};

/// What is counted.
const DECISIONS: &str = "edge–face decisions";
const BOXES: &str = "edge–face box comparisons";

/// Table 3.1 of the source: the checks switched on one after the other.
pub(super) fn pre_checks(args: &Args, rows: &mut Vec<RatioRow>) -> anyhow::Result<()> {
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
        accuracy: EdgePolygonAccuracy::RelaxedCollect,
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
    let few = CageScene {
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
    rows.push(RatioRow {
        experiment: "edge against body",
        scene: "cage, one frame".to_owned(),
        published: None,
        by_work: all_none.exact_tests as f64 / all_body.exact_tests.max(1) as f64,
        work: DECISIONS,
        by_time: few_times[0] / few_times[1],
        why: "published only as \"many seconds\" without it".to_owned(),
        is_open: false,
    });
    let row = |experiment, published, work, [before, after]: [usize; 2], why| {
        let amount = |i| {
            if work == BOXES {
                boxes(i)
            } else {
                decisions(i)
            }
        };
        RatioRow {
            experiment,
            scene: scene_name.clone(),
            published,
            by_work: amount(before) / amount(after).max(1.0),
            work,
            by_time: times[before] / times[after],
            why,
            is_open: false,
        }
    };
    let why = format!(
        "placing and measuring b takes {:.1} of {:.1} and {:.1} µs per pair; without it the ratio is {:.1}. The source places each body once per frame, and has no filter in front of its decision: ours costs {:.0} ns in the first variant. {} of {} pairs meet",
        micros(floor),
        micros(times[0]),
        micros(times[1]),
        (times[0] - floor) / (times[1] - floor),
        1e9 * (times[0] - floor) / decisions(0),
        asked[0].hits,
        scene.tests.len(),
    );
    rows.push(row(
        "edge against face box",
        Some(11.3),
        DECISIONS,
        [0, 1],
        why,
    ));
    let why = format!(
        "one pass over the faces ({:.0} per pair) leaves {:.0}, so {:.0} % of the comparisons of edges with face boxes are spared; the source found it to depend on the machine",
        asked[2].counts.collect_tests as f64 / scene.tests.len() as f64,
        asked[2].counts.collected as f64 / scene.tests.len() as f64,
        100.0 * (1.0 - boxes(2) / boxes(1)),
    );
    rows.push(row("face collect", Some(0.92), BOXES, [1, 2], why));
    let why = format!(
        "over edge against face box; finds {} of {} meeting pairs, because walls and large faces have no vertex in the other's box",
        asked[3].hits, asked[0].hits
    );
    rows.push(row("relaxed collect", Some(0.94), BOXES, [1, 3], why));
    let why = "the lazy edge–polygon test of the source as a check of its own, planes computed once per face".to_owned();
    rows.push(row("plane side", None, DECISIONS, [2, 4], why));
    let why = format!(
        "over edge against body alone, with the boxes of the bodies, which the source compares in its broad phase; {:.1} µs per pair are left, {:.1} of them for placing and measuring",
        micros(times[5]),
        micros(floor)
    );
    rows.push(row("all pre-checks", Some(10.3), DECISIONS, [0, 5], why));
    Ok(())
}

/// A pot of about ten thousand faces and the sixteen parts of a hand around its rim.
pub(super) fn relaxed_pot(args: &Args, rows: &mut Vec<RatioRow>) -> anyhow::Result<()> {
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
    let scene = CageScene { meshes, tests };
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
    let tests = |asked: &CagePair| asked.counts.work().tests() as f64;
    rows.push(RatioRow {
        experiment: "relaxed collect",
        scene: format!("pot of {} faces, 16 parts", scene.meshes[0].face_count()),
        published: None,
        by_work: tests(&of_strict) / tests(&of_relaxed),
        work: "all tests",
        by_time: times[0] / times[1],
        why: format!(
            "collecting takes {} comparisons by faces and {} by vertices of {} and {} in all; placing the pot's vertices is in both. The published 1.7 is of frames in which the pot is edited and drawn; {} of {} meeting pairs found",
            of_strict.counts.collect_tests,
            of_relaxed.counts.collect_tests,
            tests(&of_strict),
            tests(&of_relaxed),
            of_relaxed.hits,
            of_strict.hits
        ),
        is_open: false,
    });
    Ok(())
}
