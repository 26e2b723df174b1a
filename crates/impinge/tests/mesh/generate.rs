//! Claims about generated models, judged by counting edges and by integrals.

use std::collections::{BTreeMap, BTreeSet};

use impinge::bound::Aabb;
use impinge::generate::{self, GenerateError, MAX_FACES, MODELS, NamedPart, Thread, merged, model};
use impinge::geom::triangles_intersect;
use impinge::math::Rng;
use impinge::{DVec3, TriMesh};

/// Nothing when every directed edge comes once and its reverse once and every vertex has one fan.
fn first_defect(mesh: &TriMesh) -> Option<String> {
    let mut edges: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (face, &[a, b, c]) in mesh.faces().iter().enumerate() {
        for (from, to, apex) in [(a, b, c), (b, c, a), (c, a, b)] {
            if from == to {
                return Some(format!("face {face} repeats vertex {from}"));
            }
            if edges.insert((from, to), apex).is_some() {
                return Some(format!("edge {from} {to} comes twice"));
            }
        }
    }
    let mut fans = vec![0u32; mesh.vertex_count()];
    let mut first = vec![None; mesh.vertex_count()];
    for &(from, to) in edges.keys() {
        if !edges.contains_key(&(to, from)) {
            return Some(format!("edge {from} {to} has no reverse"));
        }
        fans[from as usize] += 1;
        first[from as usize].get_or_insert(to);
    }
    for vertex in 0..mesh.vertex_count() {
        let Some(start) = first[vertex] else {
            return Some(format!("vertex {vertex} is not used"));
        };
        // Walk around the vertex: face by face, each time to the apex.
        let (mut at, mut steps) = (start, 0);
        loop {
            at = edges[&(vertex as u32, at)];
            steps += 1;
            if at == start || steps > fans[vertex] {
                break;
            }
        }
        if steps != fans[vertex] {
            return Some(format!("vertex {vertex} joins several fans"));
        }
    }
    None
}

fn volume(mesh: &TriMesh) -> f64 {
    mesh.triangles()
        .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
        .sum()
}

fn has_duplicate_vertices(mesh: &TriMesh) -> bool {
    let places: BTreeSet<[u64; 3]> = mesh
        .positions()
        .iter()
        .map(|p| (*p + 0.0).to_array().map(f64::to_bits))
        .collect();
    places.len() < mesh.vertex_count()
}

fn count(parts: &[NamedPart]) -> usize {
    parts.iter().map(|p| p.mesh.face_count()).sum()
}

/// Models that come in few sizes.
const LADDERS: [&str; 3] = ["tetrahedron", "tetra-flake", "menger-sponge"];

#[test]
fn closed_models_are_oriented_manifolds_with_positive_volume_at_every_size() {
    for kind in MODELS.iter().filter(|m| m.closed) {
        for faces in [0, 50, 300, 2000, 20_000] {
            for part in kind.parts(Some(faces), 3).unwrap() {
                let place = format!("{} at {faces}, part {}", kind.name, part.name);
                assert_eq!(first_defect(&part.mesh), None, "{place}");
                assert!(volume(&part.mesh) > 0.0, "{place}");
                assert!(!has_duplicate_vertices(&part.mesh), "{place}");
            }
        }
    }
}

#[test]
fn open_models_are_said_to_be_open() {
    for kind in MODELS.iter().filter(|m| !m.closed) {
        let mesh = kind.make(Some(2000), 3).unwrap();
        assert!(first_defect(&mesh).is_some(), "{}", kind.name);
    }
}

#[test]
fn every_face_of_every_model_has_some_area() {
    for kind in MODELS {
        let mesh = kind.make(None, 5).unwrap();
        for f in mesh.face_ids() {
            let [a, b, c] = mesh.face(f).unwrap();
            let area = (b - a).cross(c - a).length();
            assert!(area > 0.0 && area.is_finite(), "{} {f}", kind.name);
        }
    }
}

#[test]
fn the_wanted_number_of_faces_is_approached() {
    for kind in MODELS {
        if LADDERS.contains(&kind.name) {
            continue;
        }
        for faces in [2000, 5000, 20_000, 100_000] {
            let made = kind.make(Some(faces), 1).unwrap().face_count();
            let miss = made.abs_diff(faces) as f64 / faces as f64;
            assert!(miss <= 0.1, "{}: {made} instead of {faces}", kind.name);
        }
    }
}

#[test]
fn fractals_take_their_nearest_size() {
    let made = |name: &str, faces: usize| {
        let kind = model(name).unwrap();
        kind.make(Some(faces), 0).unwrap().face_count()
    };
    assert_eq!(made("menger-sponge", 100), 144);
    assert_eq!(made("menger-sponge", 2000), 2112);
    assert_eq!(made("menger-sponge", 20_000), 36_096);
    assert_eq!(made("tetra-flake", 1450), 1456);
    assert_eq!(made("tetra-flake", 50), 52);
    assert_eq!(made("tetra-flake", 100_000), 118_096);
    assert_eq!(made("tetrahedron", 100_000), 4);
}

#[test]
fn equal_seeds_give_equal_bytes_and_other_seeds_other_ones_where_it_is_said() {
    for kind in MODELS {
        let mesh = kind.make(None, 1).unwrap();
        assert_eq!(mesh, kind.make(None, 1).unwrap(), "{}", kind.name);
        let other = kind.make(None, 2).unwrap();
        assert_eq!(mesh != other, kind.seeded, "{}", kind.name);
    }
}

#[test]
fn names_are_unique_kebab_case_and_described() {
    let mut names = BTreeSet::new();
    for kind in MODELS {
        assert!(names.insert(kind.name));
        assert!(
            kind.name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '-')
        );
        assert!(!kind.about.is_empty() && !kind.about.contains('\n'));
        let parts = kind.parts(None, 0).unwrap();
        let part_names: BTreeSet<&str> = parts.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(part_names.len(), parts.len(), "{}", kind.name);
        assert_eq!(merged(&parts).unwrap(), kind.make(None, 0).unwrap());
    }
}

#[test]
fn face_counts_follow_the_documented_formulas() {
    let mut rng = Rng::new(1);
    for _ in 0..25 {
        let [s, r, k] = [(); 3].map(|()| 3 + rng.below(12) as u32);
        let (s_, r_, k_) = (s as usize, r as usize, k as usize);
        let made = |mesh: Result<TriMesh, GenerateError>| mesh.unwrap().face_count();
        assert_eq!(made(generate::ball(2.0, s, r)), 2 * s_ * (r_ - 1));
        assert_eq!(made(generate::icosphere(1.0, s)), 20 * s_ * s_);
        assert_eq!(made(generate::blob(s)), 20 * s_ * s_);
        assert_eq!(made(generate::capsule(1.0, 1.0, s, r)), 4 * s_ * r_);
        let lids = 2 * (s_ - 2);
        assert_eq!(made(generate::cylinder(1.0, 1.0, s, r)), 2 * s_ * r_ + lids);
        let waisted = generate::hyperboloid(0.5, 1.0, 1.0, s, r);
        assert_eq!(made(waisted), 2 * s_ * r_ + lids);
        assert_eq!(made(generate::cone(1.0, 1.0, s, r)), 2 * s_ * r_ - 2);
        assert_eq!(made(generate::torus(2.0, 1.0, s, r)), 2 * s_ * r_);
        let half = generate::half_torus(2.0, 1.0, s, r);
        assert_eq!(made(half), 2 * s_ * r_ + 2 * (r_ - 2));
        assert_eq!(made(generate::torus_knot(3, 4, 0.1, s, r)), 2 * s_ * r_);
        let coil = generate::spring(1.0, 0.1, 0.5, k, s, r);
        assert_eq!(made(coil), 2 * k_ * s_ * r_ + 2 * (r_ - 2));
        let weave = generate::net(s, r, 0.1, 2, k);
        let ends = 2 * (k_ - 2) * (s_ + r_);
        assert_eq!(made(weave), 8 * k_ * s_ * r_ + ends);
        let brick = generate::cuboid(DVec3::new(1.0, 2.0, 3.0), [s, r, k]);
        assert_eq!(made(brick), 4 * (s_ * r_ + r_ * k_ + k_ * s_));
        assert_eq!(
            made(generate::cube_array([s, r, k], 1.0)),
            12 * s_ * r_ * k_
        );
        let nodes = (s_ + 1) * (r_ + 1) * (k_ + 1);
        let struts = s_ * (r_ + 1) * (k_ + 1) + (s_ + 1) * r_ * (k_ + 1) + (s_ + 1) * (r_ + 1) * k_;
        assert_eq!(
            made(generate::lattice([s, r, k], 0.2)),
            12 * nodes + 4 * struts
        );
        let walls = generate::cage(1.0, 0.1, s).unwrap();
        assert_eq!(count(&walls), 24 * (s_ * s_ + 2 * s_));
        let wheel = generate::gear(s + 5, r, 0.2, 0.3);
        assert_eq!(made(wheel), 16 * (s_ + 5) * (r_ + 1));
        let thread = Thread {
            segments: 6 * s,
            rows: r,
            ..Thread::default()
        };
        let threaded = 12 * s_ * (k_ * r_ + 3);
        assert_eq!(made(generate::screw(&thread, k)), threaded);
        assert_eq!(made(generate::nut(&thread, 1, k)), threaded);
        assert_eq!(made(generate::vase(s, r, 0.05)), 4 * s_ * (r_ + 1));
        assert_eq!(made(generate::mushroom(s, r)), 2 * s_ * (2 * r_ + 1));
        assert_eq!(made(generate::chazelle(s, 0.5)), 24 * s_ + 12);
        let laid = generate::pipes(20, s, r, k, 1);
        assert_eq!(made(laid), s_ * (2 * k_ * r_ + 2 * (k_ - 2)));
        assert_eq!(made(generate::soup(s, 0.1, 1)), s_);
        assert_eq!(made(generate::terrain(s, r, 1)), 2 * s_ * r_);
        assert_eq!(made(generate::cloth(s, r)), 2 * s_ * r_);
        assert_eq!(made(generate::car_shell(s, r)), 2 * s_ * r_);
        let netting = made(generate::netting(s, r, 0.3, 1));
        assert_eq!(netting, 2 * (3 * s_ * r_ - s_ - r_));
        assert_eq!(count(&generate::hand(s, r).unwrap()), 64 * s_ * r_);
        let castle = 8 * s_ * (r_ + 2) + 96 * r_ + 368 + 12 * r_ * r_ + 2 * s_ - 2;
        assert_eq!(count(&generate::castle(s, r).unwrap()), castle);
        let lock = 360 + 50 * s_ * r_ + 40 * s_ + 10 * r_;
        assert_eq!(count(&generate::lock(s, r).unwrap()), lock);
    }
}

#[test]
fn fractals_have_their_published_face_counts() {
    for (depth, faces) in [4, 16, 52, 160, 484, 1456].into_iter().enumerate() {
        let flake = generate::tetra_flake(1.0, depth as u32).unwrap();
        assert_eq!(flake.face_count(), faces);
    }
    for (depth, faces) in [12, 144, 2112, 36_096].into_iter().enumerate() {
        let sponge = generate::menger_sponge(1.0, depth as u32).unwrap();
        assert_eq!(sponge.face_count(), faces);
        let solid = (20.0f64 / 27.0).powi(depth as i32);
        assert!((volume(&sponge) - solid).abs() < 1e-9);
        assert_eq!(first_defect(&sponge), None);
    }
}

#[test]
fn simple_solids_have_the_volume_of_their_formula() {
    let near = |mesh: TriMesh, expected: f64| {
        let relative = (volume(&mesh) / expected - 1.0).abs();
        assert!(relative < 0.01, "{} {expected}", volume(&mesh));
    };
    let pi = std::f64::consts::PI;
    near(generate::ball(1.0, 64, 64).unwrap(), 4.0 / 3.0 * pi);
    near(generate::icosphere(1.0, 20).unwrap(), 4.0 / 3.0 * pi);
    near(generate::cylinder(1.0, 2.0, 64, 3).unwrap(), 2.0 * pi);
    near(generate::cone(1.0, 3.0, 64, 3).unwrap(), pi);
    near(generate::capsule(1.0, 1.0, 64, 32).unwrap(), 7.0 / 3.0 * pi);
    near(generate::torus(2.0, 0.5, 64, 64).unwrap(), pi * pi);
    near(
        generate::half_torus(2.0, 0.5, 64, 64).unwrap(),
        pi * pi / 2.0,
    );
    near(
        generate::hyperboloid(1.0, 2.0f64.sqrt(), 2.0, 64, 64).unwrap(),
        8.0 / 3.0 * pi,
    );
    let brick = generate::cuboid(DVec3::new(1.0, 2.0, 3.0), [2, 3, 4]).unwrap();
    near(brick, 6.0);
    near(
        generate::tetrahedron(1.0).unwrap(),
        1.0 / (6.0 * 2.0f64.sqrt()),
    );
    // A lattice of one cell with beam 0.2: 8 cubes of 0.2³ and 12 beams of 0.8 · 0.2².
    near(
        generate::lattice([1, 1, 1], 0.2).unwrap(),
        8.0 * 0.008 + 12.0 * 0.8 * 0.04,
    );
}

#[test]
fn screw_and_nut_keep_their_clearance_at_every_vertex_of_the_thread() {
    let thread = Thread {
        segments: 36,
        rows: 15,
        ..Thread::default()
    };
    let screw = generate::screw(&thread, 6).unwrap();
    let nut = generate::nut(&thread, 2, 2).unwrap();
    let radius = |p: DVec3| p.x.hypot(p.y);
    let key = |p: DVec3| {
        let step = std::f64::consts::TAU / f64::from(thread.segments);
        let segment = (p.y.atan2(p.x) / step).round() as i64;
        let segment = segment.rem_euclid(i64::from(thread.segments)) as u32;
        let row = (p.z / thread.pitch * f64::from(thread.rows)).round() as u32;
        (segment, row)
    };
    let inner = 1.5 * thread.radius;
    let mut on_screw = BTreeMap::new();
    for &p in screw.positions() {
        if radius(p) > 0.0 && radius(p) < inner {
            let (segment, row) = key(p);
            assert!((radius(p) - thread.radius_at(segment, row)).abs() < 1e-12);
            on_screw.insert((segment, row), radius(p));
        }
    }
    let mut matched = 0;
    for &p in nut.positions() {
        if radius(p) < inner {
            let gap = radius(p) - on_screw[&key(p)];
            assert!((gap - thread.clearance).abs() < 1e-12);
            matched += 1;
        }
    }
    assert_eq!(matched, 36 * (2 * 15 + 1));
}

/// Where a horizontal ray from the axis meets the mesh.
fn radial_hits(mesh: &TriMesh, origin: DVec3, direction: DVec3) -> Vec<f64> {
    mesh.triangles()
        .filter_map(|[a, b, c]| {
            let (e, g, w) = (b - a, c - a, origin - a);
            let det = e.cross(g).dot(-direction);
            let u = w.cross(g).dot(-direction) / det;
            let v = e.cross(w).dot(-direction) / det;
            let t = e.cross(g).dot(w) / det;
            (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
        })
        .collect()
}

#[test]
fn the_nut_is_around_the_screw_between_the_vertices_too() {
    let thread = Thread::default();
    let screw = generate::screw(&thread, 6).unwrap();
    let nut = generate::nut(&thread, 2, 2).unwrap();
    let mut rng = Rng::new(2);
    for _ in 0..300 {
        let z = thread.pitch * rng.range(2.0, 4.0);
        let angle = rng.range(0.0, std::f64::consts::TAU);
        let direction = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let origin = DVec3::new(0.0, 0.0, z);
        let outer = radial_hits(&screw, origin, direction);
        let inner = radial_hits(&nut, origin, direction);
        let outer = outer.into_iter().fold(0.0, f64::max);
        let inner = inner.into_iter().fold(f64::INFINITY, f64::min);
        assert!(inner - outer > 0.9 * thread.clearance, "{inner} {outer}");
    }
}

#[test]
fn the_blob_is_star_shaped_around_the_origin() {
    let blob = generate::blob(24).unwrap();
    for f in blob.face_ids() {
        let [a, b, c] = blob.face(f).unwrap();
        assert!(a.dot(b.cross(c)) > 0.0);
    }
    let bounds = blob.bounds();
    assert!(bounds.max.z > 1.5 && bounds.min.y < -1.3, "ears and snout");
}

#[test]
fn notches_of_the_chazelle_polyhedron_end_on_the_two_saddles() {
    let (n, gap) = (6, 0.5);
    let mesh = generate::chazelle(n, gap).unwrap();
    let edge = f64::from(n) + 1.0;
    let on = |lift: f64| {
        mesh.positions()
            .iter()
            .filter(|p| (p.z * edge - p.x * p.y - lift).abs() < 1e-9)
            .count()
    };
    assert_eq!((on(0.0), on(gap)), (2 * n as usize, 2 * n as usize));
    // A notch takes a wedge off the box; the box alone would have this volume.
    let full = edge * edge * (f64::from(n) * edge + 3.0) / edge;
    assert!(volume(&mesh) > 0.3 * full && volume(&mesh) < full);
}

#[test]
fn absurd_parameters_are_refused() {
    let huge = u32::MAX;
    let refused = [
        generate::ball(0.0, 8, 8),
        generate::ball(f64::NAN, 8, 8),
        generate::ball(1.0, 2, 8),
        generate::ball(1.0, huge, huge),
        generate::icosphere(1.0, huge),
        generate::icosphere(f64::INFINITY, 3),
        generate::capsule(1.0, -1.0, 8, 8),
        generate::cylinder(1.0, 1.0, huge, huge),
        generate::cone(1.0, 1.0, 3, 0),
        generate::torus(1.0, 2.0, 8, 8),
        generate::hyperboloid(2.0, 1.0, 1.0, 8, 8),
        generate::torus_knot(2, 4, 0.1, 8, 8),
        generate::torus_knot(0, 1, 0.1, 8, 8),
        generate::spring(1.0, 0.5, 0.1, 3, 8, 8),
        generate::spring(1.0, 0.1, 1.0, huge, huge, huge),
        generate::net(huge, huge, 0.1, huge, huge),
        generate::net(2, 2, 0.4, 2, 3),
        generate::cuboid(DVec3::ONE, [huge; 3]),
        generate::cuboid(DVec3::NEG_ONE, [1; 3]),
        generate::cube_array([huge; 3], 1.0),
        generate::lattice([huge; 3], 0.5),
        generate::lattice([1; 3], 1.0),
        generate::tetra_flake(1.0, huge),
        generate::menger_sponge(1.0, huge),
        generate::menger_sponge(1.0, 6),
        generate::gear(3, 1, 1.0, 0.1),
        generate::gear(12, 1, 1.0, 0.95),
        generate::gear(huge, huge, 1.0, 0.1),
        generate::vase(8, 8, 0.5),
        generate::vase(huge, huge, 0.1),
        generate::mushroom(2, 1),
        generate::chazelle(0, 0.5),
        generate::chazelle(huge, 0.5),
        generate::pipes(2, 100, 100, 8, 0),
        generate::pipes(huge, huge, huge, huge, 0),
        generate::soup(huge, 1.0, 0),
        generate::terrain(0, 1, 0),
        generate::cloth(huge, huge),
    ];
    for (i, result) in refused.into_iter().enumerate() {
        let error = result.expect_err(&format!("number {i} was made"));
        assert!(error.to_string().starts_with(|c: char| !c.is_uppercase()));
    }
    let thread = Thread {
        segments: 7,
        ..Thread::default()
    };
    assert!(generate::screw(&thread, 3).is_err());
    assert!(generate::nut(&Thread::default(), huge, huge).is_err());
    assert!(generate::hand(huge, huge).is_err());
    assert!(generate::castle(huge, huge).is_err());
    assert!(generate::lock(huge, huge).is_err());
    assert!(generate::cage(1.0, 1.0, huge).is_err());
}

#[test]
fn more_faces_than_the_limit_are_refused_by_every_model() {
    for kind in MODELS {
        for faces in [MAX_FACES as usize + 1, usize::MAX] {
            let refused = matches!(
                kind.make(Some(faces), 0),
                Err(GenerateError::TooManyFaces { .. })
            );
            assert!(refused, "{}", kind.name);
        }
    }
}

#[test]
fn pipes_of_one_network_stay_apart() {
    let mesh = generate::pipes(6, 5, 10, 6, 4).unwrap();
    // Vertices per pipe are equal in number; two pipes on the lattice keep 1 − 2·0.3 at their axes.
    let per_pipe = mesh.vertex_count() / 5;
    let axis_points = |pipe: usize| -> Vec<DVec3> {
        mesh.positions()[pipe * per_pipe..(pipe + 1) * per_pipe]
            .chunks(6)
            .map(|ring| ring.iter().sum::<DVec3>() / 6.0)
            .collect()
    };
    for a in 0..5 {
        for b in 0..a {
            for p in axis_points(a) {
                for q in axis_points(b) {
                    assert!(p.distance(q) > 0.99);
                }
            }
        }
    }
}

/// The first two faces that meet without sharing a vertex.
fn first_meeting(mesh: &TriMesh) -> Option<(usize, usize)> {
    let triangles: Vec<[DVec3; 3]> = mesh.triangles().collect();
    let boxes: Vec<Aabb> = triangles.iter().map(|&t| Aabb::enclosing(t)).collect();
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| boxes[i].min.x.total_cmp(&boxes[j].min.x));
    for (place, &i) in order.iter().enumerate() {
        for &j in &order[place + 1..] {
            if boxes[j].min.x > boxes[i].max.x {
                break;
            }
            let (f, g) = (mesh.faces()[i], mesh.faces()[j]);
            if boxes[i].overlaps(&boxes[j])
                && !f.iter().any(|v| g.contains(v))
                && triangles_intersect(&triangles[i], &triangles[j])
            {
                return Some((i, j));
            }
        }
    }
    None
}

#[test]
fn solids_and_assemblies_do_not_meet_themselves() {
    for kind in MODELS.iter().filter(|m| m.closed) {
        for faces in [300, 3000] {
            let mesh = kind.make(Some(faces), 2).unwrap();
            assert_eq!(first_meeting(&mesh), None, "{} at {faces}", kind.name);
        }
    }
}

#[test]
fn stand_ins_have_their_sizes_and_animals_do_not_touch() {
    let made = |name: &str| model(name).unwrap().make(None, 1).unwrap().face_count();
    assert_eq!((made("brain"), made("glove")), (30_420, 2000));
    assert!(made("scalpel").abs_diff(1000) < 50 && made("animals").abs_diff(5000) < 500);
    for seed in 0..5 {
        let animals = generate::animals(40, seed).unwrap();
        let boxes: Vec<_> = animals.iter().map(|part| part.mesh.bounds()).collect();
        for pair in boxes.windows(2) {
            assert!(pair[0].max.x < pair[1].min.x, "{pair:?}");
        }
    }
}
