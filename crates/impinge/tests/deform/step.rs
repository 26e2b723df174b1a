//! A step finds every impact of features that share no vertex, once, and the first of all.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeSet;

use impinge::ccd::linear::{FirstContact, LinearTests, MinSeparationOptions, MovingPoint};
use impinge::deform::step::{
    ContactFeatures, MinSeparation, StepAnswer, StepOptions, StepQuery, pseudo_continuous, step,
};
use impinge::deform::{Auto, BruteForce, FrameError, Scene, SceneEngine, SceneRequest};
use impinge::math::Rng;
use impinge::query::{FaceId, VertexId};
use impinge::{DVec3, TriMesh};

/// Every vertex against every face, every edge against every edge.
fn all_impacts(scene: &Scene, end: &[DVec3]) -> Vec<(ContactFeatures, FirstContact)> {
    let moving: Vec<MovingPoint> = scene
        .positions()
        .iter()
        .zip(end)
        .map(|(&p, &q)| MovingPoint::new(p, q).unwrap())
        .collect();
    let mut tests = LinearTests::default();
    let mut found = Vec::new();
    let used: BTreeSet<u32> = scene.faces().iter().flatten().copied().collect();
    for (f, face) in scene.faces().iter().enumerate() {
        let corners = face.map(|v| moving[v as usize]);
        for &v in used.iter().filter(|v| !face.contains(v)) {
            if let Some(when) = tests.vertex_face(moving[v as usize], corners) {
                let (vertex, face) = (VertexId::new(v), FaceId::new(f as u32));
                found.push((ContactFeatures::VertexFace { vertex, face }, when));
            }
        }
    }
    let mut edges = BTreeSet::new();
    for face in scene.faces() {
        for k in 0..3 {
            let (p, q) = (face[k], face[(k + 1) % 3]);
            if p != q {
                edges.insert([p.min(q), p.max(q)]);
            }
        }
    }
    for &a in &edges {
        for &b in edges.range(a..).skip(1) {
            if a.iter().any(|v| b.contains(v)) {
                continue;
            }
            let [one, two] = [a, b].map(|e| e.map(|v| moving[v as usize]));
            if let Some(when) = tests.edge_edge(one, two) {
                let [a, b] = [a, b].map(|e| e.map(VertexId::new));
                found.push((ContactFeatures::EdgeEdge { a, b }, when));
            }
        }
    }
    found.sort_by_key(|(features, _)| *features);
    found
}

fn check(scene: &Scene, end: &[DVec3]) -> usize {
    let expected = all_impacts(scene, end);
    for (cull, cones) in [(true, true), (true, false), (false, false)] {
        for parallel in [true, false] {
            let options = StepOptions {
                cull,
                cones,
                parallel,
                ..StepOptions::default()
            };
            let answer = step(scene, end, &options).unwrap();
            let found: Vec<_> = answer
                .impacts
                .iter()
                .map(|i| (i.features, i.when))
                .collect();
            assert_eq!(found, expected, "culled {cull}");
            let lower = expected.iter().map(|e| e.1.lower).reduce(f64::min);
            let upper = expected.iter().map(|e| e.1.upper).reduce(f64::min);
            assert_eq!(answer.first.map(|c| c.lower), lower);
            assert_eq!(answer.first.map(|c| c.upper), upper);
            assert!(cull || answer.counters.culled == 0);
            assert!(cones || answer.counters.regions == 0);
            assert!(answer.impacts.iter().all(|i| i.is_found));
        }
    }
    expected.len()
}

fn sheet(n: u32, place: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for i in 0..=n {
        for j in 0..=n {
            points.push(place(f64::from(i), f64::from(j)));
            if i < n && j < n {
                faces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                faces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    (points, faces)
}

#[test]
fn random_faces_with_common_vertices() {
    let mut rng = Rng::new(1);
    for round in 0..12 {
        let grid = round % 2 == 0;
        let mut point = || {
            if grid {
                DVec3::new(rng.grid(0, 4), rng.grid(0, 4), rng.grid(0, 4))
            } else {
                rng.cube() * 2.0
            }
        };
        let start: Vec<DVec3> = (0..24).map(|_| point()).collect();
        let end: Vec<DVec3> = (0..24).map(|_| point()).collect();
        let mut index = || rng.below(24) as u32;
        let faces: Vec<[u32; 3]> = (0..16).map(|_| [index(), index(), index()]).collect();
        let scene = Scene::from_parts(start, faces, vec![0; 16]).unwrap();
        assert!(check(&scene, &end) > 50);
    }
}

#[test]
fn a_cloth_that_folds_through_itself_in_one_step() {
    let n = 7;
    let (start, faces) = sheet(n, |x, y| DVec3::new(x, y, 0.1 * (1.3 * x).sin()));
    let (end, _) = sheet(n, |x, y| {
        let over = (x - 3.0).max(0.0);
        DVec3::new(x - 1.7 * over, y + 0.1 * x, 0.6 * over - 0.25 * over * over)
    });
    let objects = vec![0; faces.len()];
    let scene = Scene::from_parts(start.clone(), faces, objects).unwrap();
    assert!(check(&scene, &end) > 20);
    assert_eq!(check(&scene, &start), 0, "at rest nothing meets");
    // As one region it is not looked at; pair by pair, nearly all is settled before the exact test.
    let whole = step(&scene, &start, &StepOptions::default()).unwrap();
    assert_eq!((whole.counters.regions, whole.counters.face_pairs), (1, 0));
    let pairwise = StepOptions {
        cones: false,
        ..StepOptions::default()
    };
    let culled = step(&scene, &start, &pairwise).unwrap().counters;
    assert!(culled.culled * 10 > culled.face_pairs * 9, "{culled:?}");
}

#[test]
fn faces_that_meet_at_the_end_but_not_at_the_start_had_an_impact() {
    let mut rng = Rng::new(3);
    let request = SceneRequest::default();
    let mut hits = 0;
    for _ in 0..200 {
        let mut frame = || -> Vec<DVec3> {
            let mut points = Vec::new();
            for _ in 0..3 {
                let center = rng.cube();
                points.extend([(); 3].map(|()| center + rng.cube() * 0.5));
            }
            points
        };
        let (start, end) = (frame(), frame());
        let faces: Vec<[u32; 3]> = (0..3).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        let mut scene = Scene::from_parts(start, faces, vec![0; 3]).unwrap();
        if BruteForce::default().any(&scene, &request) {
            continue;
        }
        let answer = step(&scene, &end, &StepOptions::default()).unwrap();
        scene.advance(&end).unwrap();
        for pair in BruteForce::default().pairs(&scene, &request).pairs {
            let is_theirs = |a: FaceId, b: FaceId| (a.min(b), a.max(b)) == (pair.a, pair.b);
            assert!(
                answer
                    .impacts
                    .iter()
                    .any(|i| is_theirs(i.faces.a, i.faces.b))
            );
            hits += 1;
        }
    }
    assert!(hits > 5, "{hits}");
}

#[test]
fn a_thin_plate_is_jumped_over_by_looking_now_and_then_but_not_by_a_step() {
    let plate = TriMesh::from_points(
        [[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]],
        [[0, 1, 2]],
    );
    let ball = TriMesh::from_points(
        [[0.0, 0.0, 1.2], [0.1, 0.0, 1.2], [0.0, 0.1, 1.25]],
        [[0, 1, 2]],
    );
    let scene = Scene::new(&[plate.unwrap(), ball.unwrap()]).unwrap();
    let mut end = scene.positions().to_vec();
    for p in &mut end[3..] {
        p.z -= 2.4;
    }
    let mut engine = Auto::default();
    let mut look = |n| pseudo_continuous(&scene, &end, n, &mut engine, &SceneRequest::default());
    assert_eq!(look(1).unwrap(), None);
    assert_eq!(look(3).unwrap(), None);
    assert!(look(2).unwrap().is_some());
    let first = step(&scene, &end, &StepOptions::default())
        .unwrap()
        .first
        .unwrap();
    assert!(first.lower <= 0.5 && 0.5 <= first.upper && first.upper - first.lower <= 1e-6);
    // However fast.
    for p in &mut end[3..] {
        p.z -= 1e12;
    }
    assert!(
        step(&scene, &end, &StepOptions::default())
            .unwrap()
            .first
            .is_some()
    );
    assert!(step(&scene, &end[1..], &StepOptions::default()).is_err());
    end[0].x = f64::NAN;
    assert!(step(&scene, &end, &StepOptions::default()).is_err());
}

#[test]
fn free_fall_onto_a_plane_has_the_time_of_the_formula() {
    let (mut points, mut faces) = sheet(3, |x, y| DVec3::new(x, y, 0.0));
    let first = points.len() as u32;
    points.extend([[1.2, 1.3, 2.0], [1.6, 1.3, 2.5], [1.3, 1.7, 2.5]].map(DVec3::from_array));
    faces.push([first, first + 1, first + 2]);
    let mut objects = vec![0; faces.len()];
    objects[18] = 1;
    let scene = Scene::from_parts(points.clone(), faces, objects).unwrap();
    let mut end = points;
    for p in &mut end[16..] {
        p.z -= 5.0;
    }
    let answer = step(&scene, &end, &StepOptions::default()).unwrap();
    let first_impact = answer.first.unwrap();
    assert!(first_impact.lower <= 0.4 && 0.4 <= first_impact.upper);
    let within = StepOptions {
        between: false,
        ..StepOptions::default()
    };
    assert_eq!(step(&scene, &end, &within).unwrap().first, None);
}

#[test]
fn a_distance_is_kept_before_the_bracket() {
    let plate = TriMesh::from_points(
        [[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]],
        [[0, 1, 2]],
    );
    let tip = TriMesh::from_points(
        [[0.0, 0.0, 1.0], [0.2, 0.0, 1.2], [0.0, 0.2, 1.2]],
        [[0, 1, 2]],
    );
    let scene = Scene::new(&[plate.unwrap(), tip.unwrap()]).unwrap();
    let mut end = scene.positions().to_vec();
    for p in &mut end[3..] {
        p.z -= 0.9;
    }
    assert_eq!(
        step(&scene, &end, &StepOptions::default()).unwrap().first,
        None
    );
    for distance in [0.2, 0.5, 1.0] {
        let separation = MinSeparation {
            distance,
            options: MinSeparationOptions::default(),
        };
        let options = StepOptions {
            separation: Some(separation),
            ..StepOptions::default()
        };
        let first = step(&scene, &end, &options).unwrap().first.unwrap();
        let time = (1.0 - distance) / 0.9;
        assert!(
            first.lower <= time && (first.upper - time).abs() < 1e-4,
            "{first:?} {time}"
        );
    }
    // Too few parts to find when: nothing is lost, and the answer says that it was not found.
    let mut hasty = StepOptions {
        separation: Some(MinSeparation {
            distance: 0.2,
            options: MinSeparationOptions {
                max_parts: 1,
                ..MinSeparationOptions::default()
            },
        }),
        ..StepOptions::default()
    };
    let lost = step(&scene, &end, &hasty).unwrap();
    assert!(!lost.impacts.is_empty());
    for impact in &lost.impacts {
        assert!(!impact.is_found && impact.when.upper == 1.0);
        assert!(impact.when.lower <= 0.8 / 0.9);
    }
    hasty.separation = Some(MinSeparation {
        distance: 0.2,
        options: MinSeparationOptions::default(),
    });
    let found = step(&scene, &end, &hasty).unwrap();
    assert!(!found.impacts.is_empty() && found.impacts.iter().all(|i| i.is_found));
    let far = MinSeparation {
        distance: 0.05,
        options: MinSeparationOptions::default(),
    };
    let options = StepOptions {
        separation: Some(far),
        ..StepOptions::default()
    };
    assert_eq!(step(&scene, &end, &options).unwrap().first, None);
    // What is no distance is refused, and a distance of nothing is contact.
    for distance in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
        let separation = MinSeparation { distance, ..far };
        let options = StepOptions {
            separation: Some(separation),
            ..StepOptions::default()
        };
        let refused = step(&scene, &end, &options);
        assert!(
            matches!(refused, Err(FrameError::Separation { value }) if value.to_bits() == distance.to_bits())
        );
    }
    let touching = StepOptions {
        separation: Some(MinSeparation {
            distance: 0.0,
            ..far
        }),
        ..StepOptions::default()
    };
    assert_eq!(step(&scene, &end, &touching).unwrap().first, None);
}

#[test]
fn a_stepper_follows_its_scene() {
    let mut rng = Rng::new(9);
    let mut stepper = StepQuery::default();
    let (start, faces) = sheet(4, |x, y| DVec3::new(x, y, 0.0));
    let objects = vec![0; faces.len()];
    let mut scene = Scene::from_parts(start, faces, objects).unwrap();
    for round in 0..6 {
        let end: Vec<DVec3> = scene
            .positions()
            .iter()
            .map(|&p| p + rng.cube() * 0.7)
            .collect();
        let kept = stepper.step(&scene, &end, &StepOptions::default()).unwrap();
        let fresh = step(&scene, &end, &StepOptions::default()).unwrap();
        assert_eq!((kept.impacts, kept.first), (fresh.impacts, fresh.first));
        scene.advance(&end).unwrap();
        if round == 3 {
            let mut faces = scene.faces().to_vec();
            faces.truncate(20);
            let objects = vec![0; 20];
            scene
                .replace_faces(scene.positions().to_vec(), faces, objects)
                .unwrap();
        }
    }
}

#[test]
fn a_stepper_orders_torn_faces_anew() {
    let mut rng = Rng::new(12);
    let count = 1500_u32;
    let mut scattered = || -> Vec<DVec3> {
        let mut points = Vec::new();
        for _ in 0..count {
            let center = rng.cube() * 20.0;
            points.extend([(); 3].map(|()| center + rng.cube() * 0.2));
        }
        points
    };
    let (start, end) = (scattered(), scattered());
    let faces: Vec<[u32; 3]> = (0..count).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let mut scene = Scene::from_parts(start.clone(), faces, vec![0; count as usize]).unwrap();
    let mut stepper = StepQuery::default();
    let options = StepOptions::default();
    let nudged = |places: &[DVec3]| -> Vec<DVec3> {
        places
            .iter()
            .map(|&p| p + DVec3::new(0.05, 0.0, 0.02))
            .collect()
    };
    let near = nudged(&start);
    stepper.step(&scene, &near, &options).unwrap();
    assert_eq!(stepper.rebuilt(), 0);
    // Everything goes somewhere else; from there on the old order is of no use.
    scene.advance(&end).unwrap();
    let near = nudged(&end);
    let kept = stepper.step(&scene, &near, &options).unwrap();
    assert_eq!(stepper.rebuilt(), 1);
    assert_eq!(kept.impacts, step(&scene, &near, &options).unwrap().impacts);
    stepper.step(&scene, &near, &options).unwrap();
    assert_eq!(stepper.rebuilt(), 1);
}

/// The answers with and without regions, whose impacts must be equal, and how many pairs the regions saved.
fn with_regions(scene: &Scene, end: &[DVec3], what: &str) -> (StepAnswer, u64) {
    let ask = |cones: bool| {
        let options = StepOptions {
            cones,
            ..StepOptions::default()
        };
        step(scene, end, &options).unwrap()
    };
    let (with, without) = (ask(true), ask(false));
    assert_eq!(with.impacts, without.impacts, "{what}");
    assert_eq!(with.first, without.first, "{what}");
    assert!(with.counters.face_pairs <= without.counters.face_pairs);
    assert_eq!(without.counters.regions, 0);
    let saved = without.counters.face_pairs - with.counters.face_pairs;
    (with, saved)
}

fn one_object(points: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Scene {
    let objects = vec![0; faces.len()];
    Scene::from_parts(points, faces, objects).unwrap()
}

#[test]
fn regions_lose_no_impact_of_random_deformations() {
    let mut rng = Rng::new(31);
    let (mut regions, mut saved, mut impacts) = (0, 0, 0);
    for round in 0..60 {
        let n = 5 + round % 9;
        let wave = rng.range(0.0, 1.5);
        let (start, faces) = sheet(n, |x, y| {
            DVec3::new(x, y, wave * (0.7 * x).sin() * (0.9 * y).cos())
        });
        let shake = [0.0, 0.05, 0.3, 0.8, 2.0][round as usize % 5];
        let turn = rng.direction() * rng.range(0.0, 2.0);
        let end: Vec<DVec3> = start
            .iter()
            .map(|&p| p + turn.cross(p) * 0.3 + rng.cube() * shake)
            .collect();
        let scene = one_object(start, faces);
        let (answer, fewer) = with_regions(&scene, &end, &format!("round {round}"));
        regions += answer.counters.regions;
        saved += fewer;
        impacts += answer.impacts.len();
    }
    assert!(
        regions > 50 && saved > 1000 && impacts > 1000,
        "{regions} {saved} {impacts}"
    );
}

#[test]
fn most_pairs_of_a_smooth_sheet_are_never_looked_at() {
    let wave = |x: f64, y: f64, t: f64| {
        DVec3::new(x, y, 1.5 * (0.3 * x + t).sin() + 0.8 * (0.4 * y - t).cos())
    };
    let (start, faces) = sheet(48, |x, y| wave(x, y, 0.0));
    let (end, _) = sheet(48, |x, y| wave(x, y, 0.2) + DVec3::new(0.1, 0.0, 0.3));
    let scene = one_object(start, faces);
    let (answer, saved) = with_regions(&scene, &end, "waves");
    let left = answer.counters.face_pairs;
    assert!(
        saved > 4 * left,
        "{saved} saved, {left} left: {:?}",
        answer.counters
    );
    assert!(answer.counters.faces_in_regions > 2 * 48 * 48 / 2);
}

/// A strip along a spiral of so many turns, as wide as `width`, with a height that grows by `rise` for each turn.
fn spiral(turns: f64, pitch: f64, width: f64, rise: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let steps = (32.0 * turns) as u32;
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for i in 0..=steps {
        let turn = f64::from(i) / 32.0;
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        for j in 0..=2 {
            let radius = 2.0 + pitch * turn + width * f64::from(j) / 2.0;
            points.push(DVec3::new(radius * cos, radius * sin, rise * turn));
        }
    }
    for i in 0..steps {
        for j in 0..2 {
            let at = 3 * i + j;
            faces.push([at, at + 1, at + 4]);
            faces.push([at, at + 4, at + 3]);
        }
    }
    (points, faces)
}

#[test]
fn a_border_that_crosses_itself_within_a_narrow_cone_is_seen() {
    let (mut regions, mut fewer) = (0, 0);
    // Layers of a flat spiral that lie above each other, and pass through each other: every normal is nearly upright, all the time.
    for (pitch, width) in [(0.0, 1.0), (0.3, 1.0), (0.9, 1.0), (1.0, 1.0), (1.2, 1.0)] {
        let (start, faces) = spiral(2.5, pitch, width, 0.05);
        let (end, _) = spiral(2.5, pitch, width, -0.05);
        let scene = one_object(start.clone(), faces);
        let (answer, saved) = with_regions(&scene, &end, &format!("pitch {pitch}"));
        regions += answer.counters.regions;
        fewer += saved;
        let is_overlapping = pitch < width;
        // Turns that are as wide as they are apart touch or do not, as rounding has it.
        assert!(
            pitch == width || answer.impacts.is_empty() != is_overlapping,
            "pitch {pitch}"
        );
        // Flat, and at rest: the layers lie in each other.
        let flat: Vec<DVec3> = start.iter().map(|p| DVec3::new(p.x, p.y, 0.0)).collect();
        let scene = one_object(flat.clone(), scene.faces().to_vec());
        let (answer, _) = with_regions(&scene, &flat, "flat");
        assert!(!is_overlapping || !answer.impacts.is_empty());
    }
    // Where turns lie above each other, nodes hold faces of several; where they do not, nodes are patches.
    assert!(regions > 1 && fewer > 100, "{regions} {fewer}");
    // Only the way between is bad: open at both ends of the step, and all in one point in its middle.
    let (open, faces) = spiral(1.0, 1.2, 1.0, 0.0);
    let mirrored: Vec<DVec3> = open.iter().map(|p| DVec3::new(-p.x, -p.y, 0.0)).collect();
    let scene = one_object(open, faces);
    let (answer, _) = with_regions(&scene, &mirrored, "half a turn");
    assert!(!answer.impacts.is_empty() && answer.counters.regions == 0);
}

#[test]
fn borders_that_touch_and_fans_that_wind_twice_are_no_regions() {
    // Eight cells around a hole, cut open: both sides of the cut lie in the same place.
    let mut ring: Vec<DVec3> = Vec::new();
    let corners = [
        [0, 0],
        [1, 0],
        [2, 0],
        [3, 0],
        [3, 1],
        [3, 2],
        [3, 3],
        [2, 3],
        [1, 3],
        [0, 3],
        [0, 2],
        [0, 1],
    ];
    let inner = [
        [1, 1],
        [1, 1],
        [2, 1],
        [2, 1],
        [2, 1],
        [2, 2],
        [2, 2],
        [2, 2],
        [1, 2],
        [1, 2],
        [1, 2],
        [1, 1],
    ];
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for k in 0..=12 {
        let place = |[x, y]: [i32; 2]| DVec3::new(f64::from(x), f64::from(y), 0.0);
        ring.push(place(corners[k % 12]));
        // The inner line is drawn out a little, so that no face is flat.
        let pull = 0.01 * k as f64 * if k == 12 { 0.0 } else { 1.0 };
        ring.push(place(inner[k % 12]) + DVec3::new(0.3, 0.2, 0.0) * pull);
        if k < 12 {
            let at = 2 * k as u32;
            faces.push([at, at + 2, at + 1]);
            faces.push([at + 1, at + 2, at + 3]);
        }
    }
    let scene = one_object(ring.clone(), faces.clone());
    let (answer, _) = with_regions(&scene, &ring, "a slit");
    assert!(!answer.impacts.is_empty());
    // All in one node, too.
    for skip in [0, 4, 8] {
        let scene = one_object(ring.clone(), faces[skip..].to_vec());
        with_regions(&scene, &ring, "a part of the slit");
    }
    // A fan that winds twice around its vertex.
    let mut fan = vec![DVec3::ZERO];
    for k in 0..8 {
        let (sin, cos) = (std::f64::consts::TAU * 2.0 * f64::from(k) / 8.0).sin_cos();
        let radius = 1.0 + 0.1 * f64::from(k);
        fan.push(DVec3::new(radius * cos, radius * sin, 0.01 * f64::from(k)));
    }
    let faces: Vec<[u32; 3]> = (0..8).map(|k| [0, k + 1, (k + 1) % 8 + 1]).collect();
    let flipped: Vec<DVec3> = fan.iter().map(|p| DVec3::new(p.x, p.y, -p.z)).collect();
    let scene = one_object(fan, faces);
    let (answer, _) = with_regions(&scene, &flipped, "a fan");
    assert_eq!(answer.counters.regions, 0);
    assert!(!answer.impacts.is_empty());
}
