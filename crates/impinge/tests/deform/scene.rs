//! A scene refuses what is wrong and keeps what it had.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::deform::{Auto, FrameError, Scene, SceneEngine, SceneError, SceneRequest};
use impinge::math::{MAX_COORDINATE, Rng};
use impinge::{DVec3, TriMesh};

fn two_sheets() -> Scene {
    let sheet = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]);
    let sheet = sheet.unwrap();
    Scene::new(&[sheet.clone(), sheet]).unwrap()
}

#[test]
fn bad_frames_are_refused_with_their_place_and_change_nothing() {
    let mut scene = two_sheets();
    let mut engine = Auto::default();
    let request = SceneRequest::default();
    let before = (
        scene.positions().to_vec(),
        engine.pairs(&scene, &request).pairs,
    );
    assert_eq!(before.1.len(), 1);
    let good = before.0.clone();
    for (value, axis) in [
        (f64::NAN, 0),
        (f64::INFINITY, 1),
        (-f64::INFINITY, 2),
        (2.0 * MAX_COORDINATE, 0),
    ] {
        let mut bad = good.clone();
        bad[4][axis] = value;
        let error = scene.advance(&bad).unwrap_err();
        let FrameError::Coordinate {
            vertex: 4,
            axis: named,
            value: found,
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(named, ['x', 'y', 'z'][axis]);
        assert!(found == value || (found.is_nan() && value.is_nan()));
        assert!(error.to_string().contains("vertex 4"), "{error}");
        assert_eq!(scene.positions(), before.0);
        assert_eq!(engine.pairs(&scene, &request).pairs, before.1);
    }
    for count in [0, 5, 7] {
        let bad = vec![DVec3::ZERO; count];
        let error = scene.advance(&bad).unwrap_err();
        assert_eq!(
            error,
            FrameError::VertexCount {
                expected: 6,
                found: count
            }
        );
        assert_eq!(scene.positions(), before.0);
    }
}

#[test]
fn bad_scenes_are_refused() {
    let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let labels = Scene::from_parts(points.clone(), vec![[0, 1, 2]], vec![]).unwrap_err();
    assert_eq!(
        labels,
        SceneError::LabelCount {
            faces: 1,
            labels: 0
        }
    );
    let nan = vec![DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0)];
    let error = Scene::from_parts(nan, vec![], vec![]).unwrap_err();
    assert!(matches!(
        error,
        SceneError::Coordinate {
            vertex: 1,
            axis: 'y',
            ..
        }
    ));
    let mut scene = two_sheets();
    assert!(
        scene
            .replace_faces(points, vec![[0, 1, 9]], vec![0])
            .is_err()
    );
    assert_eq!((scene.faces().len(), scene.revision()), (2, 0));
}

#[test]
fn teleporting_vertices_are_only_another_frame() {
    let mut scene = two_sheets();
    let mut engine = Auto::default();
    let request = SceneRequest::default();
    let mut rng = Rng::new(1);
    for _ in 0..20 {
        let scale = [1e-300, 1.0, 1e40][rng.below(3) as usize];
        let frame: Vec<DVec3> = (0..6).map(|_| rng.cube() * scale).collect();
        scene.advance(&frame).unwrap();
        let fresh = Auto::default().pairs(&scene, &request).pairs;
        assert_eq!(engine.pairs(&scene, &request).pairs, fresh);
    }
}

#[test]
fn a_welded_soup_has_no_touching_neighbours() {
    let mut points = Vec::new();
    for i in 0..5 {
        let x = f64::from(i);
        for p in [
            [x, 0.0],
            [x + 1.0, 0.0],
            [x, 1.0],
            [x + 1.0, 0.0],
            [x + 1.0, 1.0],
            [x, 1.0],
        ] {
            points.push(DVec3::new(p[0], p[1], -0.0));
        }
    }
    points[3].z = 0.0;
    let faces: Vec<[u32; 3]> = (0..10).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let soup = Scene::from_parts(points, faces, vec![0; 10]).unwrap();
    let request = SceneRequest::default();
    assert!(!Auto::default().pairs(&soup, &request).pairs.is_empty());
    let welded = soup.welded();
    assert_eq!(welded.scene.positions().len(), 12);
    assert!(
        Auto::default()
            .pairs(&welded.scene, &request)
            .pairs
            .is_empty()
    );
    for (old, new) in welded.new_of_old.iter().enumerate() {
        assert_eq!(welded.scene.positions()[new.index()], soup.positions()[old]);
    }
    for (new, old) in welded.old_of_new.iter().enumerate() {
        assert_eq!(welded.new_of_old[old.index()].index(), new);
    }
    assert_eq!(welded.frame(&[]), None);
}
