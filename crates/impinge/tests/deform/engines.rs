//! Every scene engine finds the pairs that comparing all faces exactly finds, in every frame.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::deform::clustering::{
    Assignment, ClusterCount, Metric, Partition, Start, Stop, SweepAxis,
};
use impinge::deform::{
    Auto, BruteForce, Choice, Clustering, ClusteringOptions, HashedGrid, PairKind, Refit,
    RefitMode, RefitOptions, Scene, SceneEngine, SceneRequest, scene_engines,
};
use impinge::geom::{SharedCorners, meet_beyond_shared};
use impinge::math::Rng;
use impinge::query::Outcome;
use impinge::{DVec3, TriMesh};

/// All pairs by the exact test alone: no boxes, no shortcuts.
fn truth(scene: &Scene, request: &SceneRequest) -> Vec<(u32, u32)> {
    let corners = |f: usize| scene.faces()[f].map(|v| scene.positions()[v as usize]);
    let mut pairs = Vec::new();
    for a in 0..scene.faces().len() {
        for b in a + 1..scene.faces().len() {
            let is_within = scene.objects_of_faces()[a] == scene.objects_of_faces()[b];
            if !(if is_within {
                request.within
            } else {
                request.between
            }) {
                continue;
            }
            let shared = SharedCorners::by_index(scene.faces()[a], scene.faces()[b]);
            let meets = if shared.pairs().len() == 3 {
                request.duplicates
            } else {
                meet_beyond_shared(&corners(a), &corners(b), &shared)
            };
            if meets {
                pairs.push((a as u32, b as u32));
            }
        }
    }
    pairs
}

fn found(engine: &mut dyn SceneEngine, scene: &Scene, request: &SceneRequest) -> Vec<(u32, u32)> {
    let answer = engine.pairs(scene, request);
    assert_eq!(answer.outcome, Outcome::Complete);
    assert!(answer.pairs.is_sorted_by(|p, q| p < q), "{}", engine.name());
    for pair in &answer.pairs {
        let same = scene.object_of(pair.a) == scene.object_of(pair.b);
        assert_eq!(pair.kind == PairKind::Within, same);
    }
    answer
        .pairs
        .iter()
        .map(|p| (p.a.raw(), p.b.raw()))
        .collect()
}

/// Triangles around random places; `grid` rounds corners to whole numbers.
fn soup(seed: u64, count: usize, room: f64, size: impl Fn(&mut Rng) -> f64, grid: bool) -> Scene {
    let mut rng = Rng::new(seed);
    let mut points = Vec::new();
    for _ in 0..count {
        let (center, size) = (rng.cube() * room, size(&mut rng));
        for _ in 0..3 {
            let p = center + rng.cube() * size;
            points.push(if grid { p.round() } else { p });
        }
    }
    let faces = (0..count as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
    let objects = (0..count as u32).map(|f| f % 3);
    Scene::from_parts(points, faces.collect(), objects.collect()).unwrap()
}

/// The faces of a sheet of `n × n` squares.
fn sheet_faces(n: u32) -> Vec<[u32; 3]> {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let mut faces = Vec::new();
    for i in 0..n {
        for j in 0..n {
            faces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            faces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    faces
}

fn sheet(n: u32, place: impl Fn(f64, f64) -> DVec3) -> Vec<DVec3> {
    let mut points = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            points.push(place(f64::from(i), f64::from(j)));
        }
    }
    points
}

/// A sheet that is flat at first, waves, and at last folds through itself; with a ball of a few faces under it.
fn waving(n: u32, frame: f64) -> Vec<DVec3> {
    let mut points = sheet(n, |x, y| {
        let fold = 1.0 - 0.16 * frame;
        let z = 0.5 * frame * (0.9 * x + 0.3 * frame).sin() * (0.4 * y).cos();
        DVec3::new(x * fold + frame * 0.4 * (2.0 * z).sin(), y, z)
    });
    let middle = f64::from(n) / 2.0;
    for corner in [DVec3::X, DVec3::Y, DVec3::NEG_ONE, DVec3::Z * 2.0] {
        points.push(corner + DVec3::new(middle, middle, -2.5 + 0.3 * frame));
    }
    points
}

fn cloth_scene(n: u32) -> Scene {
    let mut faces = sheet_faces(n);
    let first = (n + 1) * (n + 1);
    let sheet_count = faces.len();
    for [a, b, c] in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        faces.push([first + a, first + b, first + c]);
    }
    let mut objects = vec![0; sheet_count];
    objects.extend([1; 4]);
    Scene::from_parts(waving(n, 0.0), faces, objects).unwrap()
}

fn every_engine() -> Vec<Box<dyn SceneEngine>> {
    scene_engines().iter().map(|kind| (kind.make)()).collect()
}

fn check(engines: &mut [Box<dyn SceneEngine>], scene: &Scene, what: &str) -> usize {
    let request = SceneRequest::default();
    let expected = truth(scene, &request);
    for engine in engines {
        let name = engine.name();
        assert_eq!(
            found(engine.as_mut(), scene, &request),
            expected,
            "{what}: {name}"
        );
        let any = engine.any(scene, &request);
        assert_eq!(any, !expected.is_empty(), "{what}: {name}");
    }
    expected.len()
}

#[test]
fn random_soups_of_equal_faces() {
    for seed in 0..3 {
        let scene = soup(seed, 300, 1.0, |_| 0.3, false);
        assert!(check(&mut every_engine(), &scene, "equal") > 50);
    }
}

#[test]
fn small_whole_numbers_where_faces_touch_and_are_flat() {
    for seed in 0..6 {
        let scene = soup(seed, 120, 4.0, |_| 1.6, true);
        assert!(check(&mut every_engine(), &scene, "grid") > 100);
        let welded = scene.welded().scene;
        check(&mut every_engine(), &welded, "welded grid");
    }
}

#[test]
fn faces_of_a_hundred_sizes() {
    for seed in 0..3 {
        let size = |rng: &mut Rng| if rng.below(6) == 0 { 1.5 } else { 0.015 };
        let scene = soup(seed, 400, 1.0, size, false);
        assert!(check(&mut every_engine(), &scene, "sizes") > 100);
    }
}

#[test]
fn clusters_far_from_each_other_and_from_the_origin() {
    let mut rng = Rng::new(5);
    let mut points = Vec::new();
    for _ in 0..6 {
        let place = DVec3::splat(1e6) + rng.cube() * 1e3;
        for _ in 0..50 {
            let center = place + rng.cube() * 0.5;
            points.extend([(); 3].map(|()| center + rng.cube() * 0.1));
        }
    }
    let count = points.len() as u32 / 3;
    let faces = (0..count).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
    let objects = (0..count).map(|f| f / 50);
    let scene = Scene::from_parts(points, faces.collect(), objects.collect()).unwrap();
    assert!(check(&mut every_engine(), &scene, "clusters") > 10);
}

#[test]
fn all_faces_overlap() {
    let mut rng = Rng::new(6);
    let mut points = Vec::new();
    for _ in 0..70 {
        let (u, v) = (rng.direction(), rng.direction());
        points.extend([u + v * 0.1, v - u * 0.5, -u - v]);
    }
    let faces = (0..70).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
    let scene = Scene::from_parts(points, faces.collect(), vec![0; 70]).unwrap();
    assert!(check(&mut every_engine(), &scene, "overlapping") > 1000);
}

#[test]
fn nothing_and_one_face() {
    let empty = Scene::new(&[]).unwrap();
    check(&mut every_engine(), &empty, "empty");
    let one = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]);
    let scene = Scene::new(&[one.unwrap()]).unwrap();
    check(&mut every_engine(), &scene, "one");
}

#[test]
fn huge_and_tiny_coordinates() {
    for scale in [1e44, 1e-310] {
        let whole = soup(3, 40, 3.0, |_| 1.6, true);
        let points = whole.positions().iter().map(|&p| p * scale).collect();
        let objects = whole.objects_of_faces().to_vec();
        let scene = Scene::from_parts(points, whole.faces().to_vec(), objects).unwrap();
        assert!(check(&mut every_engine(), &scene, "scaled") > 10);
    }
}

#[test]
fn a_waving_cloth_frame_after_frame() {
    let n = 11;
    let mut scene = cloth_scene(n);
    let mut engines = every_engine();
    let mut last = 0;
    for frame in 0..6 {
        scene.advance(&waving(n, f64::from(frame))).unwrap();
        last = check(&mut engines, &scene, &format!("frame {frame}"));
        if frame == 0 {
            assert_eq!(last, 0, "a flat sheet does not meet itself");
        }
    }
    assert!(last > 20);
}

#[test]
fn a_sheet_folded_flat_onto_itself() {
    let n = 8;
    let fold = |x: f64| if x <= 4.0 { x } else { 8.0 - x };
    let points = sheet(n, |x, y| DVec3::new(fold(x), y, 0.0));
    let faces = sheet_faces(n);
    let objects = vec![0; faces.len()];
    let scene = Scene::from_parts(points, faces, objects).unwrap();
    assert!(check(&mut every_engine(), &scene, "folded") > 100);
}

#[test]
fn fans_around_a_vertex_on_whole_numbers() {
    let mut rng = Rng::new(11);
    let mut hits = 0;
    for _ in 0..12 {
        let (mut points, mut faces) = (Vec::new(), Vec::new());
        for _ in 0..14 {
            let (first, spokes) = (points.len() as u32, 3 + rng.below(5) as u32);
            let flat = rng.below(2) == 0;
            points.push(DVec3::new(0.0, 0.0, rng.grid(-1, 1)));
            for k in 0..spokes {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(spokes);
                let jitter = DVec3::new(rng.grid(-1, 1), rng.grid(-1, 1), rng.grid(-1, 1));
                let around = DVec3::new(3.0 * angle.cos(), 3.0 * angle.sin(), 0.0).round();
                let place = around + jitter * if flat { 2.0 } else { 3.0 };
                points.push(if flat {
                    place.with_z(points[first as usize].z)
                } else {
                    place
                });
                faces.push([first, first + 1 + k, first + 1 + (k + 1) % spokes]);
            }
        }
        // Every fan is an object, so that only its own pairs are asked for.
        let mut objects = Vec::new();
        for face in &faces {
            objects.push(face[0]);
        }
        let scene = Scene::from_parts(points, faces, objects).unwrap();
        let request = SceneRequest {
            between: false,
            ..SceneRequest::default()
        };
        let expected = truth(&scene, &request);
        for mut engine in every_engine() {
            let pairs = found(engine.as_mut(), &scene, &request);
            assert_eq!(pairs, expected, "{}", engine.name());
        }
        hits += expected.len();
    }
    assert!(hits > 20, "{hits}");
}

#[test]
fn kinds_and_duplicates_on_request() {
    let scene = soup(8, 150, 4.0, |_| 1.6, true).welded().scene;
    let mut faces = scene.faces().to_vec();
    let mut objects = scene.objects_of_faces().to_vec();
    for f in 0..20 {
        faces.push([faces[f][1], faces[f][2], faces[f][0]]);
        objects.push(1);
    }
    let scene = Scene::from_parts(scene.positions().to_vec(), faces, objects).unwrap();
    for bits in 0..8 {
        let request = SceneRequest {
            within: bits & 1 == 1,
            between: bits & 2 == 2,
            duplicates: bits & 4 == 4,
            ..SceneRequest::default()
        };
        let expected = truth(&scene, &request);
        for mut engine in every_engine() {
            let pairs = found(engine.as_mut(), &scene, &request);
            assert_eq!(pairs, expected, "{} {bits}", engine.name());
        }
    }
}

#[test]
fn the_same_pairs_and_counters_for_any_number_of_threads() {
    let n = 11;
    let mut scene = cloth_scene(n);
    let run = |scene: &Scene, engines: &mut [Box<dyn SceneEngine>]| {
        let request = SceneRequest {
            details: true,
            ..SceneRequest::default()
        };
        engines
            .iter_mut()
            .map(|engine| engine.pairs(scene, &request))
            .collect::<Vec<_>>()
    };
    let mut per_count: Vec<_> = [1, 2, 8]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            (pool.build().unwrap(), every_engine())
        })
        .into();
    for frame in [0.0, 3.0, 5.0] {
        scene.advance(&waving(n, frame)).unwrap();
        let answers: Vec<_> = per_count
            .iter_mut()
            .map(|(pool, engines)| pool.install(|| run(&scene, engines)))
            .collect();
        assert_eq!(answers[0], answers[1]);
        assert_eq!(answers[0], answers[2]);
    }
}

#[test]
fn engines_follow_when_the_faces_change() {
    let n = 6;
    let mut scene = cloth_scene(n);
    let mut engines = every_engine();
    scene.advance(&waving(n, 4.0)).unwrap();
    check(&mut engines, &scene, "before");
    // Every face breaks off and keeps its corners.
    let mut points = Vec::new();
    for face in scene.faces() {
        points.extend(face.map(|v| scene.positions()[v as usize]));
    }
    let faces: Vec<[u32; 3]> = (0..scene.faces().len() as u32)
        .map(|f| [3 * f, 3 * f + 1, 3 * f + 2])
        .collect();
    let objects: Vec<u32> = (0..faces.len() as u32).collect();
    scene.replace_faces(points, faces, objects).unwrap();
    assert_eq!(scene.revision(), 1);
    assert!(check(&mut engines, &scene, "after") > 200);
    // The same number of faces, other corners.
    let mut faces = scene.faces().to_vec();
    faces.rotate_left(5);
    let (points, objects) = (
        scene.positions().to_vec(),
        scene.objects_of_faces().to_vec(),
    );
    scene.replace_faces(points, faces, objects).unwrap();
    check(&mut engines, &scene, "rotated");
    // And another scene altogether.
    check(&mut engines, &soup(1, 200, 1.0, |_| 0.2, false), "another");
}

#[test]
fn the_tree_orders_torn_parts_anew() {
    let n = 40;
    let mut scene = Scene::from_parts(
        sheet(n, |x, y| DVec3::new(x, y, 0.0)),
        sheet_faces(n),
        vec![0; 2 * 40 * 40],
    )
    .unwrap();
    let mut engine = Refit::default();
    let request = SceneRequest::default();
    let first = engine.pairs(&scene, &request).counters;
    assert_eq!(first.rebuilt, 1);
    // One corner of the sheet is torn to shreds.
    let mut rng = Rng::new(2);
    let mut points = scene.positions().to_vec();
    for p in points.iter_mut().filter(|p| p.x < 8.0 && p.y < 8.0) {
        *p = DVec3::new(
            rng.range(0.0, 8.0),
            rng.range(0.0, 8.0),
            rng.range(0.0, 8.0),
        );
    }
    scene.advance(&points).unwrap();
    let torn = engine.pairs(&scene, &request).counters;
    assert!(torn.rebuilt < 7, "a part only: {}", torn.rebuilt);
    let still = engine.pairs(&scene, &request).counters;
    assert_eq!(still.rebuilt, 0);
    // The faces in one corner exchange their places; 32 parts are looked at now and then.
    let mut scene = soup(5, 16_000, 10.0, |_| 0.1, false);
    let mut engine = Refit::default();
    assert_eq!(engine.pairs(&scene, &request).counters.rebuilt, 1);
    let mut points = scene.positions().to_vec();
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let corner: Vec<usize> = (0..16_000)
        .filter(|f| points[3 * f].cmplt(mean).all())
        .collect();
    for (i, &f) in corner.iter().enumerate().skip(1) {
        let g = corner[rng.below(i as u64 + 1) as usize];
        for k in 0..3 {
            points.swap(3 * f + k, 3 * g + k);
        }
    }
    scene.advance(&points).unwrap();
    let mut rebuilt = || -> u64 {
        let frames = (0..4).map(|_| engine.pairs(&scene, &request).counters.rebuilt);
        frames.sum()
    };
    let torn = rebuilt();
    assert!((1..32).contains(&torn), "some parts: {torn}");
    assert_eq!(rebuilt(), 0);
    let mut lists = Vec::new();
    for rebuild_at in [1.6, f64::INFINITY] {
        // All faces exchange their places: nothing of the order is left.
        let mut scene = soup(3, 2000, 10.0, |_| 0.4, false);
        let options = RefitOptions {
            rebuild_at,
            ..RefitOptions::default()
        };
        let mut engine = Refit::new(options);
        let before = engine.pairs(&scene, &request);
        let mut points = scene.positions().to_vec();
        let mut rng = Rng::new(4);
        for f in (1..2000).rev() {
            let g = rng.below(f as u64 + 1) as usize;
            for k in 0..3 {
                points.swap(3 * f + k, 3 * g + k);
            }
        }
        scene.advance(&points).unwrap();
        let after = engine.pairs(&scene, &request);
        assert_eq!(before.pairs.len(), after.pairs.len());
        assert_eq!(after.counters.rebuilt > 1, rebuild_at.is_finite());
        lists.push(after.pairs);
    }
    assert_eq!(lists[0], lists[1]);
}

#[test]
fn lazy_trees_order_torn_faces_anew() {
    for mode in [RefitMode::TopDown, RefitMode::Hybrid] {
        for rebuild_at in [1.6, f64::INFINITY] {
            let mut scene = soup(3, 3000, 10.0, |_| 0.3, false);
            let options = RefitOptions { mode, rebuild_at };
            let mut engine = Refit::new(options);
            let request = SceneRequest::default();
            let before = engine.pairs(&scene, &request);
            assert_eq!(before.counters.rebuilt, 1);
            assert_eq!(engine.pairs(&scene, &request).counters.rebuilt, 0);
            // All faces exchange their places: nothing of the order is left.
            let mut points = scene.positions().to_vec();
            let mut rng = Rng::new(4);
            for f in (1..3000).rev() {
                let g = rng.below(f as u64 + 1) as usize;
                for k in 0..3 {
                    points.swap(3 * f + k, 3 * g + k);
                }
            }
            scene.advance(&points).unwrap();
            let torn = engine.pairs(&scene, &request);
            assert!(torn.counters.box_tests > 2 * before.counters.box_tests);
            let mended = engine.pairs(&scene, &request);
            assert_eq!(mended.counters.rebuilt, u64::from(rebuild_at.is_finite()));
            let is_better = 2 * mended.counters.box_tests < torn.counters.box_tests;
            assert_eq!(is_better, rebuild_at.is_finite(), "{mode:?}");
            assert_eq!(
                (torn.pairs, before.pairs.len()),
                (mended.pairs.clone(), mended.pairs.len())
            );
            assert_eq!(engine.pairs(&scene, &request).counters.rebuilt, 0);
        }
    }
}

#[test]
fn lazy_trees_compute_fewer_boxes_when_objects_are_apart() {
    let n = 20;
    let near = sheet(n, |x, y| DVec3::new(x, y, 0.0));
    let far = sheet(n, |x, y| DVec3::new(x, y, 50.0));
    let meshes = [near, far].map(|points| TriMesh::new(points, sheet_faces(n)).unwrap());
    let scene = Scene::new(&meshes).unwrap();
    let request = SceneRequest {
        within: false,
        ..SceneRequest::default()
    };
    let boxes = [RefitMode::BottomUp, RefitMode::Hybrid, RefitMode::TopDown].map(|mode| {
        let options = RefitOptions {
            mode,
            ..RefitOptions::default()
        };
        let answer = Refit::new(options).pairs(&scene, &request);
        assert!(answer.pairs.is_empty());
        answer.counters.boxes
    });
    assert!(boxes[2] <= boxes[1] && 4 * boxes[1] < boxes[0], "{boxes:?}");
}

#[test]
fn any_setting_of_the_clusters_gives_the_same_pairs() {
    let base = ClusteringOptions::default();
    let mut settings = Vec::new();
    for count in [1, 2, 4, 8, 16, 64] {
        let clusters = ClusterCount::Fixed(count);
        settings.push(ClusteringOptions { clusters, ..base });
        for metric in [Metric::L1, Metric::Linf] {
            settings.push(ClusteringOptions {
                clusters,
                metric,
                ..base
            });
        }
    }
    let four = ClusteringOptions {
        clusters: ClusterCount::Fixed(4),
        ..base
    };
    settings.extend([
        ClusteringOptions {
            partition: Partition::Hard,
            ..four
        },
        ClusteringOptions {
            fuzzifier: 1.4,
            ..four
        },
        ClusteringOptions {
            start: Start::Random { seed: 3 },
            ..four
        },
        ClusteringOptions {
            start: Start::NeuralGas,
            ..four
        },
        ClusteringOptions {
            stop: Stop::Centers(1e-4),
            ..four
        },
        ClusteringOptions {
            axis: SweepAxis::Fixed(1),
            ..four
        },
        ClusteringOptions {
            axis: SweepAxis::Curve { segments: 5 },
            ..four
        },
        ClusteringOptions {
            third_axis: false,
            ..four
        },
        ClusteringOptions {
            subdivide_above: 1.5,
            ..four
        },
        ClusteringOptions {
            subdivide_above: 1.5,
            axis: SweepAxis::Curve { segments: 3 },
            ..base
        },
        ClusteringOptions {
            clusters: ClusterCount::Adaptive { most: 32 },
            ..base
        },
    ]);
    let request = SceneRequest::default();
    let mut engines: Vec<_> = settings.iter().map(|&s| Clustering::new(s)).collect();
    let n = 11;
    let mut cloth = cloth_scene(n);
    for frame in [0.0, 3.0, 5.0] {
        cloth.advance(&waving(n, frame)).unwrap();
        let expected = truth(&cloth, &request);
        for (engine, setting) in engines.iter_mut().zip(&settings) {
            assert_eq!(found(engine, &cloth, &request), expected, "{setting:?}");
        }
    }
    for seed in [2, 3] {
        let size = |rng: &mut Rng| if rng.below(6) == 0 { 1.5 } else { 0.015 };
        let scene = soup(seed, 400, 1.0, size, false);
        let expected = truth(&scene, &request);
        for (engine, setting) in engines.iter_mut().zip(&settings) {
            assert_eq!(found(engine, &scene, &request), expected, "{setting:?}");
        }
        let grid = soup(seed, 100, 4.0, |_| 1.6, true);
        let expected = truth(&grid, &request);
        for (engine, setting) in engines.iter_mut().zip(&settings) {
            assert_eq!(found(engine, &grid, &request), expected, "{setting:?}");
        }
    }
}

#[test]
fn cells_of_any_size_give_the_same_pairs() {
    let scene = soup(4, 300, 1.0, |rng| rng.range(0.01, 0.5), false);
    let request = SceneRequest::default();
    let expected = truth(&scene, &request);
    for factor in [0.05, 0.3, 1.0, 4.0, 100.0, f64::NAN] {
        assert_eq!(
            found(&mut HashedGrid::new(factor), &scene, &request),
            expected
        );
    }
}

#[test]
fn details_say_where_and_how_deep() {
    let sheet = TriMesh::from_points(
        [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 8.0, 0.0]],
        [[0, 1, 2]],
    );
    let spike = TriMesh::from_points(
        [[0.0, 0.0, -0.25], [-1.0, 0.0, 3.0], [1.0, 0.0, 3.0]],
        [[0, 1, 2]],
    );
    let scene = Scene::new(&[sheet.unwrap(), spike.unwrap()]).unwrap();
    let request = SceneRequest {
        details: true,
        ..SceneRequest::default()
    };
    let answer = Auto::default().pairs(&scene, &request);
    let detail = answer.details[0];
    assert!((detail.depth - 0.25).abs() < 1e-12);
    assert!(
        (detail.normal - DVec3::Z).length() < 1e-12,
        "{}",
        detail.normal
    );
    let [p, q] = detail.segment;
    assert!((p.distance(q) - 2.0 * 0.25 / 3.25).abs() < 1e-12 && p.z == 0.0 && q.z == 0.0);
    let limited = SceneRequest {
        max_pairs: Some(0),
        ..SceneRequest::default()
    };
    let answer = Auto::default().pairs(&scene, &limited);
    assert_eq!(
        (answer.pairs.len(), answer.outcome),
        (0, Outcome::OutOfBudget)
    );
}

#[test]
fn auto_says_why() {
    let scene = soup(1, 500, 1.0, |_| 0.1, false);
    let mut auto = Auto::default();
    let _ = auto.pairs(&scene, &SceneRequest::default());
    assert_eq!(auto.choice(), Choice::Refit);
    assert!(
        auto.reason().to_string().contains("boxes per face"),
        "{}",
        auto.reason()
    );
    let engine: &dyn SceneEngine = &auto;
    assert_eq!(engine.reason(), Some(auto.reason().to_string()));
    assert_eq!(BruteForce::default().reason(), None);
    let few = soup(1, 5, 1.0, |_| 0.1, false);
    let _ = auto.pairs(&few, &SceneRequest::default());
    assert_eq!(auto.choice(), Choice::BruteForce);
}

#[test]
fn rules_that_miss_pairs_say_so() {
    for assignment in [
        Assignment::Threshold,
        Assignment::RadiusThreshold,
        Assignment::Nearest,
    ] {
        let options = ClusteringOptions {
            assignment,
            ..ClusteringOptions::default()
        };
        assert!(!Clustering::new(options).is_complete());
    }
}
