//! Separation lists against searches from scratch and brute-force continuous tests.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeMap;

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::ccd::linear::{FirstContact, LinearTests, MovingPoint};
use impinge::generate;
use impinge::kinetic::{
    ContactFeatures, Keyframes, Kinetic, KineticNode, Progress, SeparationList, SweptBoxes,
};
use impinge::math::Rng;

/// A scene: one object against itself, or two.
struct Scene {
    frames: Vec<Vec<DVec3>>,
    objects: Vec<Vec<[u32; 3]>>,
}

impl Scene {
    fn flight(&self) -> Keyframes {
        let times: Vec<f64> = (0..self.frames.len()).map(|k| k as f64).collect();
        Keyframes::new(&times, &self.frames).unwrap()
    }

    fn list(&self, flight: &Keyframes) -> SeparationList {
        match &self.objects[..] {
            [own] => SeparationList::with_itself(flight, own).unwrap(),
            [a, b] => SeparationList::between(flight, a, b).unwrap(),
            others => panic!("{} objects", others.len()),
        }
    }
}

fn shifted(faces: &[[u32; 3]], by: u32) -> Vec<[u32; 3]> {
    faces.iter().map(|f| f.map(|v| v + by)).collect()
}

/// Two soups that fly through each other.
fn soups(seed: u64, faces: u32, keys: usize, grid: Option<i64>) -> Scene {
    let mut rng = Rng::new(seed);
    let soup: Vec<[u32; 3]> = (0..faces).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let count = 6 * faces as usize;
    let frames = (0..keys)
        .map(|_| {
            let mut middle = DVec3::ZERO;
            (0..count)
                .map(|v| match grid {
                    Some(range) => DVec3::from_array([0; 3].map(|_| rng.grid(-range, range))),
                    None => {
                        if v % 3 == 0 {
                            middle = 2.0 * rng.cube();
                        }
                        middle + 0.5 * rng.cube()
                    }
                })
                .collect()
        })
        .collect();
    Scene {
        frames,
        objects: vec![soup.clone(), shifted(&soup, 3 * faces)],
    }
}

/// A closed surface that is crumpled, against itself.
fn crumpled(seed: u64, keys: usize, grid: Option<f64>) -> Scene {
    let mut rng = Rng::new(seed);
    let mesh = generate::icosphere(1.0, 2).unwrap();
    let mut place = |p: &DVec3| {
        let q = *p + 0.9 * rng.cube();
        grid.map_or(q, |cell| (q / cell).round() * cell)
    };
    let frames = (0..keys)
        .map(|_| mesh.positions().iter().map(&mut place).collect())
        .collect();
    Scene {
        frames,
        objects: vec![mesh.faces().to_vec()],
    }
}

fn boxes(
    list: &SeparationList,
    object: usize,
    faces: &[[u32; 3]],
    places: &[DVec3],
) -> BTreeMap<KineticNode, Aabb> {
    let mut order = vec![KineticNode::ROOT];
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        order.extend(list.children(object, node).into_iter().flatten());
        next += 1;
    }
    let mut boxes = BTreeMap::new();
    for node in order.into_iter().rev() {
        let bounds = match list.children(object, node) {
            Some([l, r]) => boxes_union(&boxes, l, r),
            None => {
                let face = list.face(object, node).unwrap();
                Aabb::enclosing(faces[face.index()].map(|v| places[v as usize]))
            }
        };
        boxes.insert(node, bounds);
    }
    boxes
}

fn boxes_union(boxes: &BTreeMap<KineticNode, Aabb>, l: KineticNode, r: KineticNode) -> Aabb {
    boxes[&l].union(&boxes[&r])
}

/// The pairs at which a search from the roots ends.
fn fresh_front(
    list: &SeparationList,
    scene: &Scene,
    places: &[DVec3],
) -> Vec<(KineticNode, KineticNode, bool)> {
    let last = scene.objects.len() - 1;
    let is_own = last == 0;
    let all: Vec<_> = (0..=last)
        .map(|k| boxes(list, k, &scene.objects[k], places))
        .collect();
    let mut found = Vec::new();
    let mut open = vec![(KineticNode::ROOT, KineticNode::ROOT)];
    while let Some((a, b)) = open.pop() {
        let below = (list.children(0, a), list.children(last, b));
        if is_own && a == b {
            if let Some([l, r]) = below.0 {
                open.extend([(l, l), (l, r), (r, r)]);
            }
            continue;
        }
        if !all[0][&a].overlaps(&all[last][&b]) {
            found.push((a, b, false));
            continue;
        }
        match below {
            (None, None) => found.push((a, b, true)),
            (Some(of_a), None) => open.extend(of_a.map(|c| (c, b))),
            (None, Some(of_b)) => open.extend(of_b.map(|d| (a, d))),
            (Some(of_a), Some(of_b)) => {
                open.extend(of_a.into_iter().flat_map(|c| of_b.map(|d| (c, d))));
            }
        }
    }
    found.sort_unstable();
    found
}

fn advance(list: &mut SeparationList, flight: &Keyframes, to: f64) -> u32 {
    let mut contacts = 0;
    while let Progress::Touched(_) = list.advance(flight, to).unwrap() {
        contacts += 1;
    }
    contacts
}

#[test]
fn the_list_is_the_front_of_a_fresh_search_at_random_times() {
    for seed in 0..6 {
        let scene = if seed % 2 == 0 {
            soups(seed, 40, 4, None)
        } else {
            crumpled(seed, 4, None)
        };
        let flight = scene.flight();
        let mut list = scene.list(&flight);
        let mut rng = Rng::new(seed);
        let mut places = Vec::new();
        let mut now: f64 = 0.0;
        while now < 3.0 {
            flight.positions(now, &mut places);
            let mut kept: Vec<_> = list.pairs().collect();
            kept.sort_unstable();
            assert_eq!(kept, fresh_front(&list, &scene, &places), "{seed} at {now}");
            assert_eq!(list.len(), kept.len());
            list.validate(&flight).unwrap();
            now += rng.range(0.0, 0.15);
            advance(&mut list, &flight, now.min(3.0));
        }
    }
}

#[test]
fn on_a_grid_the_list_is_the_front_at_keys() {
    for seed in 0..16 {
        let scene = if seed % 2 == 0 {
            soups(seed, 30, 5, Some(3))
        } else {
            crumpled(seed, 5, Some(0.5))
        };
        let flight = scene.flight();
        let mut list = scene.list(&flight);
        for (key, frame) in scene.frames.iter().enumerate() {
            // Ties between keys as well.
            for part in [0.25, 0.5, 0.75] {
                let to = (key as f64 - 1.0 + part).max(list.now());
                advance(&mut list, &flight, to);
                list.validate(&flight).unwrap();
            }
            advance(&mut list, &flight, key as f64);
            let mut kept: Vec<_> = list.pairs().collect();
            kept.sort_unstable();
            assert_eq!(
                kept,
                fresh_front(&list, &scene, frame),
                "{seed} at key {key}"
            );
        }
    }
}

/// Two features by their vertices, in an order of their own.
type Name = (Vec<u32>, Vec<u32>);

fn name(touch: &ContactFeatures, faces: [&[[u32; 3]]; 2]) -> Name {
    let sorted = |mut v: Vec<u32>| {
        v.sort_unstable();
        v
    };
    let (a, b) = match touch {
        ContactFeatures::VertexFace(v, f) => (vec![v.raw()], faces[1][f.index()].to_vec()),
        ContactFeatures::FaceVertex(f, v) => (vec![v.raw()], faces[0][f.index()].to_vec()),
        ContactFeatures::EdgeEdge(e, f) => {
            (e.map(|v| v.raw()).to_vec(), f.map(|v| v.raw()).to_vec())
        }
    };
    let (a, b) = (sorted(a), sorted(b));
    if a.len() == b.len() && b < a {
        (b, a)
    } else {
        (a, b)
    }
}

fn edges(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = faces
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[v, w]| [v.min(w), v.max(w)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Every contact of every segment: all vertices against all faces, all edges against all edges.
fn brute_force(scene: &Scene) -> BTreeMap<(usize, Name), FirstContact> {
    let mut found = BTreeMap::new();
    let mut tests = LinearTests::new(1e-9);
    let last = scene.objects.len() - 1;
    let sides: &[[usize; 2]] = if last == 0 {
        &[[0, 0]]
    } else {
        &[[0, 1], [1, 0]]
    };
    for (segment, pair) in scene.frames.windows(2).enumerate() {
        let point = |v: u32| MovingPoint::new(pair[0][v as usize], pair[1][v as usize]).unwrap();
        let mut note = |name: Name, met: Option<FirstContact>| {
            // What touches when a segment begins was noted when the one before ended.
            if let Some(met) = met.filter(|met| segment == 0 || met.upper > 0.0) {
                found.insert((segment, name), met);
            }
        };
        for &[i, j] in sides {
            let mut vertices: Vec<u32> = scene.objects[i].iter().flatten().copied().collect();
            vertices.sort_unstable();
            vertices.dedup();
            for v in vertices {
                for face in scene.objects[j].iter().filter(|f| !f.contains(&v)) {
                    let mut corners = face.to_vec();
                    corners.sort_unstable();
                    let met = tests.vertex_face(point(v), face.map(point));
                    note((vec![v], corners), met);
                }
            }
        }
        for e in edges(&scene.objects[0]) {
            for f in edges(&scene.objects[last]) {
                if e.iter().any(|v| f.contains(v)) || (last == 0 && f < e) {
                    continue;
                }
                let met = tests.edge_edge(e.map(point), f.map(point));
                let (e, f) = (e.min(f), e.max(f));
                note((e.to_vec(), f.to_vec()), met);
            }
        }
    }
    found
}

fn compare_contacts(scene: &Scene) -> usize {
    let expected = brute_force(scene);
    let flight = scene.flight();
    let mut list = scene.list(&flight);
    let last = scene.objects.len() - 1;
    let faces = [&scene.objects[0][..], &scene.objects[last][..]];
    let mut found = BTreeMap::new();
    let mut before = 0.0;
    while let Progress::Touched(contact) = list.advance(&flight, flight.end()).unwrap() {
        assert!(list.now() >= before && list.now() >= contact.lower);
        before = list.now();
        let segment = (contact.upper.ceil() as usize).max(1) - 1;
        // The end of one segment is the beginning of the next; the list says which one it was in.
        let known = [segment, segment + 1]
            .into_iter()
            .map(|s| (s, name(&contact.touch, faces)))
            .find(|key| expected.contains_key(key) && !found.contains_key(key));
        let key = known.unwrap_or_else(|| panic!("invented: {contact:?}"));
        let truth = &expected[&key];
        assert!((contact.lower - (key.0 as f64 + truth.lower)).abs() < 1e-8);
        found.insert(key, contact.lower);
    }
    let missed: Vec<_> = expected
        .keys()
        .filter(|k| !found.contains_key(*k))
        .collect();
    assert!(missed.is_empty(), "missed: {missed:?}");
    if let Some(first) = found.values().copied().reduce(f64::min) {
        let truth = expected.iter().map(|(k, c)| k.0 as f64 + c.lower);
        assert!((first - truth.reduce(f64::min).unwrap()).abs() < 1e-8);
    }
    found.len()
}

#[test]
fn contacts_of_random_motion_are_those_of_brute_force() {
    let mut total = 0;
    for seed in 0..8 {
        total += compare_contacts(&soups(seed, 12, 3, None));
        total += compare_contacts(&crumpled(seed, 3, None));
    }
    assert!(total > 1000);
}

#[test]
fn contacts_of_motion_on_a_grid_are_those_of_brute_force() {
    let mut total = 0;
    for seed in 0..6 {
        total += compare_contacts(&soups(seed, 10, 4, Some(2)));
        total += compare_contacts(&crumpled(seed, 3, Some(0.5)));
    }
    assert!(total > 300, "{total}");
}

#[test]
fn swept_boxes_find_the_same_contacts() {
    for seed in 0..4 {
        let scene = crumpled(seed, 2, None);
        let expected = brute_force(&scene);
        let flight = scene.flight();
        let mut swept = SweptBoxes::with_itself(&flight, &scene.objects[0]).unwrap();
        let faces = [&scene.objects[0][..]; 2];
        let mut found = Vec::new();
        let frames = [&scene.frames[0][..], &scene.frames[1][..]];
        swept
            .contacts([0.0, 1.0], frames, |c| {
                found.push((0, name(&c.touch, faces)))
            })
            .unwrap();
        found.sort_unstable();
        assert!(found.iter().eq(expected.keys()));
    }
}

#[test]
fn thousands_of_boxes_and_features_that_meet_at_one_instant_are_told_once_each() {
    // A sheet is turned inside out: halfway, all columns lie in one line.
    let sheet = generate::cloth(6, 10).unwrap();
    let mirrored: Vec<DVec3> = sheet
        .positions()
        .iter()
        .map(|p| DVec3::new(-p.x, p.y, p.z))
        .collect();
    let scene = Scene {
        frames: vec![sheet.positions().to_vec(), mirrored],
        objects: vec![sheet.faces().to_vec()],
    };
    let told = compare_contacts(&scene);
    assert!(told > 3000, "{told}");
    let flight = scene.flight();
    let mut list = scene.list(&flight);
    assert_eq!(advance(&mut list, &flight, 0.25), 0);
    let before = list.work();
    let contacts = advance(&mut list, &flight, 0.75);
    let after = list.work();
    assert_eq!(contacts as usize, told);
    assert_eq!(before.overlaps, 0);
    assert!(after.overlaps + after.fathers_apart > 50, "{after:?}");
    list.validate(&flight).unwrap();
    assert_eq!(advance(&mut list, &flight, 1.0), 0);
    list.validate(&flight).unwrap();
}

#[test]
fn moving_along_changes_no_list() {
    let mesh = generate::cloth(8, 8).unwrap();
    let frames = (0..5)
        .map(|k| {
            let way = DVec3::new(0.5, -0.25, 1.0) * k as f64;
            mesh.positions().iter().map(|&p| p + way).collect()
        })
        .collect();
    let scene = Scene {
        frames,
        objects: vec![mesh.faces().to_vec()],
    };
    let flight = scene.flight();
    let mut list = scene.list(&flight);
    assert_eq!(advance(&mut list, &flight, 4.0), 0);
    let work = list.work();
    assert_eq!((list.counts().events, work.box_tests), (0, 0));
}

#[test]
fn list_events_do_not_depend_on_the_number_of_frames() {
    let scene = crumpled(5, 4, None);
    let flight = scene.flight();
    let work = [1, 10, 100].map(|between| {
        let mut list = scene.list(&flight);
        for frame in 1..=3 * between {
            advance(&mut list, &flight, frame as f64 / between as f64);
        }
        (list.work(), list.counts())
    });
    assert_eq!(work[0], work[1]);
    assert_eq!(work[0], work[2]);
}
