//! What engines keep from frame to frame: they follow faces that move, change or are torn.

use impinge::deform::{RefitBvhEngine, RefitMode, RefitOptions, Scene, SceneEngine, SceneRequest};
use impinge::math::Rng;
use impinge::{DVec3, TriMesh};

use super::{check, cloth_scene, every_engine, sheet, sheet_faces, soup, waving};

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

/// All faces of a soup exchange their places: nothing of their order is left.
fn exchange_places(soup: &mut Scene) {
    let mut points = soup.positions().to_vec();
    let mut rng = Rng::new(4);
    for f in (1..soup.faces().len()).rev() {
        let g = rng.below(f as u64 + 1) as usize;
        for k in 0..3 {
            points.swap(3 * f + k, 3 * g + k);
        }
    }
    soup.advance(&points).unwrap();
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
    let mut engine = RefitBvhEngine::default();
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
    let mut engine = RefitBvhEngine::default();
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
        let mut scene = soup(3, 2000, 10.0, |_| 0.4, false);
        let options = RefitOptions {
            rebuild_at,
            ..RefitOptions::default()
        };
        let mut engine = RefitBvhEngine::new(options);
        let before = engine.pairs(&scene, &request);
        exchange_places(&mut scene);
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
            let mut engine = RefitBvhEngine::new(options);
            let request = SceneRequest::default();
            let before = engine.pairs(&scene, &request);
            assert_eq!(before.counters.rebuilt, 1);
            assert_eq!(engine.pairs(&scene, &request).counters.rebuilt, 0);
            exchange_places(&mut scene);
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
        let answer = RefitBvhEngine::new(options).pairs(&scene, &request);
        assert!(answer.pairs.is_empty());
        answer.counters.boxes
    });
    assert!(boxes[2] <= boxes[1] && 4 * boxes[1] < boxes[0], "{boxes:?}");
}
