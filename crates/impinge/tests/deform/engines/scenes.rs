//! All engines on scenes of many kinds.

use impinge::deform::{Scene, SceneRequest};
use impinge::math::Rng;
use impinge::{DVec3, TriMesh};

use super::{check, every_engine, found, sheet, sheet_faces, soup, truth};

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
