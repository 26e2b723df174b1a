//! Every kind of damage is found, in its place, and nothing else is.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use impinge::math::Rng;
use impinge::mesh::{
    FindingKind, FindingOptions, HalfEdges, Severity, classify, findings, findings_with,
    first_finding, is_closed_manifold, is_convex,
};
use impinge::query::{FaceId, FacePair};
use impinge::{DVec3, TriMesh};
use impinge_testkit::damaged::{Expected, damaged_meshes, to_obj};
use impinge_testkit::generate::meshes::BOX;

use crate::shapes::ball;

fn found(mesh: &TriMesh) -> Vec<Expected> {
    let options = FindingOptions {
        listed_per_kind: usize::MAX,
        ..FindingOptions::default()
    };
    let found = findings_with(mesh, &options);
    found
        .counts()
        .iter()
        .map(|&(kind, count)| Expected {
            kind: kind.name().to_owned(),
            count,
            places: found
                .listed
                .iter()
                .filter(|finding| finding.kind == kind)
                .map(|finding| finding.place.to_string())
                .collect(),
        })
        .collect()
}

#[test]
fn every_damaged_mesh_has_its_expected_findings_and_no_others() {
    let mut wrong = Vec::new();
    let meshes = damaged_meshes();
    assert!(meshes.len() >= 30, "only {} damaged meshes", meshes.len());
    for damaged in meshes {
        let found = found(&damaged.mesh);
        if found != damaged.expected {
            wrong.push(format!(
                "{}\n  expected {:?}\n  found    {:?}",
                damaged.name, damaged.expected, found
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_kind_that_needs_no_search_by_the_caller_occurs_in_the_corpus() {
    let meshes = damaged_meshes();
    for kind in FindingKind::ALL {
        let has_own_test = matches!(
            kind,
            FindingKind::SelfIntersection | FindingKind::NestingUnchecked
        );
        let occurs = meshes
            .iter()
            .any(|damaged| damaged.expected.iter().any(|e| e.kind == kind.name()));
        assert!(has_own_test || occurs, "{kind} does not occur");
    }
}

/// Set `UPDATE_GOLDEN=1` to write the files instead of comparing them.
#[test]
fn corpus_files_hold_the_damaged_meshes_and_their_findings() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/damaged");
    let meshes = damaged_meshes();
    let mut files: BTreeMap<String, String> = meshes
        .iter()
        .map(|damaged| (format!("{}.obj", damaged.name), to_obj(damaged)))
        .collect();
    files.insert(
        "expected.json".to_owned(),
        impinge_testkit::damaged::expected_json(&meshes),
    );
    let is_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for (name, text) in &files {
        let path = folder.join(name);
        if is_update {
            std::fs::write(&path, text).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(stored.replace("\r\n", "\n"), *text, "{name}");
    }
    let stray: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !files.contains_key(name))
        .collect();
    assert!(stray.is_empty(), "no generator makes {stray:?}");
}

#[test]
fn first_finding_is_the_gravest_and_the_ladder_agrees() {
    for damaged in damaged_meshes() {
        let all = findings(&damaged.mesh);
        let first = first_finding(&damaged.mesh);
        let worst = all.iter().map(|finding| finding.severity).max();
        assert_eq!(
            first.as_ref().map(|finding| finding.severity),
            worst,
            "{}",
            damaged.name
        );
        assert!(
            first.is_none_or(|first| all.contains(&first)),
            "{}",
            damaged.name
        );
        let topological = all.iter().any(|finding| {
            matches!(
                finding.kind,
                FindingKind::Empty
                    | FindingKind::NonManifoldEdge
                    | FindingKind::NonManifoldVertex
                    | FindingKind::InconsistentOrientation
                    | FindingKind::Hole
                    | FindingKind::RepeatedIndex
            )
        });
        assert_eq!(
            is_closed_manifold(&damaged.mesh),
            !topological,
            "{}",
            damaged.name
        );
        let class = classify(&damaged.mesh);
        let has_error = worst == Some(Severity::Error);
        assert!(!(class.is_solid() && has_error), "{}", damaged.name);
    }
}

#[test]
fn listing_is_cut_but_counts_are_exact() {
    let faces: Vec<[u32; 3]> = (0..250).map(|_| [0, 0, 1]).collect();
    let mesh = TriMesh::from_points([[0.0; 3], [1.0; 3]], faces).unwrap();
    let found = findings_with(&mesh, &FindingOptions::default());
    assert_eq!(found.count(FindingKind::RepeatedIndex), 250);
    let listed = |kind| found.listed.iter().filter(|f| f.kind == kind).count();
    assert_eq!(listed(FindingKind::RepeatedIndex), 100);
    assert!(
        found
            .to_string()
            .contains("warning: 150 more of kind repeated-index")
    );
    assert_eq!(
        findings(&mesh)
            .iter()
            .filter(|f| f.kind == FindingKind::RepeatedIndex)
            .count(),
        250
    );
}

#[test]
fn self_intersections_come_from_the_callers_search_sorted_and_once() {
    let mesh = TriMesh::from_points([[0.0; 3], [1.0; 3], [2.0; 3]], [[0, 1, 2]; 3]).unwrap();
    let pair = |a, b| FacePair {
        a: FaceId::new(a),
        b: FaceId::new(b),
    };
    let search = |_: &TriMesh| vec![pair(2, 1), pair(0, 1), pair(1, 2)];
    let options = FindingOptions {
        self_intersections: Some(&search),
        ..FindingOptions::default()
    };
    let found = findings_with(&mesh, &options);
    let places: Vec<String> = found
        .listed
        .iter()
        .filter(|f| f.kind == FindingKind::SelfIntersection)
        .map(|f| f.place.to_string())
        .collect();
    assert_eq!(places, ["faces 0, 1", "faces 1, 2"]);
}

#[test]
fn running_out_of_budget_for_nesting_is_said() {
    let nested = damaged_meshes()
        .into_iter()
        .find(|d| d.name == "cavity")
        .unwrap();
    let options = FindingOptions {
        nesting_budget: 3,
        ..FindingOptions::default()
    };
    let found = findings_with(&nested.mesh, &options);
    assert_eq!(found.count(FindingKind::NestingUnchecked), 1);
    assert_eq!(found.count(FindingKind::NestedShell), 0);
}

/// A tetrahedron or a convex hull's surface: an octahedron with corners on a jittered ellipsoid.
fn octahedron(rng: &mut Rng) -> TriMesh {
    let mut arm = |direction: DVec3| direction * rng.range(0.5, 2.0);
    let points = vec![
        arm(DVec3::X),
        arm(-DVec3::X),
        arm(DVec3::Y),
        arm(-DVec3::Y),
        arm(DVec3::Z),
        arm(-DVec3::Z),
    ];
    let faces = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    TriMesh::new(points, faces).unwrap()
}

#[test]
fn convex_bodies_are_convex_and_dented_ones_are_not() {
    let mut rng = Rng::new(3);
    for _ in 0..200 {
        let mesh = octahedron(&mut rng);
        assert!(classify(&mesh).convex);
        let (mut points, faces) = mesh.into_parts();
        // Pulling one tip through the middle makes a notch.
        points[4].z = -0.25;
        let dented = TriMesh::new(points, faces).unwrap();
        let class = classify(&dented);
        assert!(!class.convex && class.reflex_edges > 0);
    }
}

#[test]
fn a_pyramid_over_a_pentagram_has_no_notch_and_is_not_convex() {
    // Corners on a circle, visited in steps of two: the border winds around twice.
    let mut points: Vec<DVec3> = (0..5)
        .map(|i| {
            let angle = std::f64::consts::TAU * f64::from(2 * i) / 5.0;
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        })
        .collect();
    points.extend([DVec3::Z, -DVec3::Z]);
    let mut faces = Vec::new();
    for i in 0..5 {
        let j = (i + 1) % 5;
        faces.extend([[i, j, 5], [j, i, 6]]);
    }
    let mesh = TriMesh::new(points, faces).unwrap();
    let class = classify(&mesh);
    assert!(class.is_closed_manifold() && class.oriented && class.outward);
    assert_eq!((class.reflex_edges, class.genus()), (0, Some(0)));
    assert!(!class.convex);
}

#[test]
fn a_convex_body_too_thin_for_a_point_inside_is_still_convex() {
    // Two pyramids over a square, one unit in the last place high: no f64 point is strictly inside.
    let z = 1.0_f64;
    let points = vec![
        DVec3::new(0.0, 0.0, z),
        DVec3::new(1.0, 0.0, z),
        DVec3::new(1.0, 1.0, z),
        DVec3::new(0.0, 1.0, z),
        DVec3::new(0.5, 0.5, z.next_up()),
    ];
    let faces = vec![
        [0, 1, 4],
        [1, 2, 4],
        [2, 3, 4],
        [3, 0, 4],
        [0, 2, 1],
        [0, 3, 2],
    ];
    let mesh = TriMesh::new(points, faces).unwrap();
    assert!(is_convex(&mesh, &HalfEdges::new(&mesh)));
}

#[test]
fn coplanar_neighbours_do_not_spoil_convexity_and_any_order_of_faces_says_the_same() {
    let unit: Vec<DVec3> = (0..8)
        .map(|v| DVec3::new(f64::from(v & 1), f64::from(v >> 1 & 1), f64::from(v >> 2)))
        .collect();
    let mut faces = BOX.to_vec();
    let mut rng = Rng::new(9);
    for _ in 0..50 {
        let at = rng.below(12) as usize;
        faces.swap(0, at);
        faces[at].rotate_left(1);
        let mesh = TriMesh::new(unit.clone(), faces.clone()).unwrap();
        let class = classify(&mesh);
        assert!(class.convex && class.is_solid());
        assert_eq!((class.euler, class.components, class.edges), (2, 1, 18));
    }
}

#[test]
fn a_round_ball_is_a_solid_of_genus_zero() {
    let class = classify(&ball(12, 17));
    assert!(class.is_solid());
    assert_eq!((class.genus(), class.boundary_loops), (Some(0), 0));
}

#[test]
fn findings_do_not_depend_on_scale_by_powers_of_two() {
    for damaged in damaged_meshes() {
        for exponent in [-300, -40, 40, 90] {
            let factor = 2.0_f64.powi(exponent);
            let points = damaged.mesh.positions().iter().map(|&p| p * factor);
            let scaled =
                TriMesh::from_points(points, damaged.mesh.faces().iter().copied()).unwrap();
            let kinds = |mesh: &TriMesh| {
                found(mesh)
                    .into_iter()
                    // Volumes below the range of f64 cannot be told from zero.
                    .filter(|e| {
                        exponent > -100 || !matches!(e.kind.as_str(), "no-volume" | "inside-out")
                    })
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                kinds(&damaged.mesh),
                kinds(&scaled),
                "{} at 2^{exponent}",
                damaged.name
            );
        }
    }
}

#[test]
fn random_soup_on_a_small_grid_never_panics_and_is_deterministic() {
    let mut rng = Rng::new(77);
    for _ in 0..300 {
        let vertices = 1 + rng.below(8);
        let points: Vec<DVec3> = (0..vertices)
            .map(|_| DVec3::new(rng.grid(0, 2), rng.grid(0, 2), rng.grid(0, 2)))
            .collect();
        let faces: Vec<[u32; 3]> = (0..rng.below(14))
            .map(|_| [0; 3].map(|_: u32| rng.below(vertices) as u32))
            .collect();
        let mesh = TriMesh::new(points, faces).unwrap();
        assert_eq!(findings(&mesh), findings(&mesh));
        let class = classify(&mesh);
        assert!(!class.convex || class.is_solid());
        assert_eq!(
            class.boundary_loops,
            findings(&mesh)
                .iter()
                .filter(|f| f.kind == FindingKind::Hole)
                .count()
        );
    }
}
