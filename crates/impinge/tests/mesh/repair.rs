//! Each repair makes its findings disappear, keeps the rest, and says what became of everything.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::math::Rng;
use impinge::mesh::repair::{
    FillOptions, Nesting, OppositeFaces, RepairCounts, RepairOptions, Repaired, WeldError,
    drop_degenerate, drop_duplicate_faces, drop_unreferenced, fill_holes, flip_flat, reorient,
    repair_all, split_pinched, weld,
};
use impinge::mesh::{FindingKind, HalfEdges, area, classify, findings, is_closed_manifold, mass};
use impinge::{DVec3, TriMesh};
use impinge_testkit::damaged::damaged_meshes;

fn named(name: &str) -> TriMesh {
    damaged_meshes()
        .into_iter()
        .find(|d| d.name == name)
        .unwrap()
        .mesh
}

fn count(mesh: &TriMesh, kind: FindingKind) -> usize {
    findings(mesh).iter().filter(|f| f.kind == kind).count()
}

/// Every kept face has its old corners, up to direction, renamed by the vertex map.
fn assert_maps_hold(old: &TriMesh, repaired: &Repaired) {
    assert_eq!(repaired.face_map.len(), old.face_count());
    assert_eq!(repaired.vertex_map.len(), old.vertex_count());
    for face in old.face_ids() {
        let Some(new) = repaired.face_map[face.index()] else {
            continue;
        };
        let mut renamed =
            old.faces()[face.index()].map(|v| repaired.vertex_map[v as usize].unwrap().raw());
        let mut found = repaired.mesh.faces()[new.index()];
        renamed.sort_unstable();
        found.sort_unstable();
        assert_eq!(renamed, found);
    }
}

#[test]
fn repairing_everything_removes_every_finding_that_has_a_repair() {
    for damaged in damaged_meshes() {
        let repaired = repair_all(&damaged.mesh, &RepairOptions::default()).unwrap();
        let class = classify(&repaired.mesh);
        for finding in findings(&repaired.mesh) {
            let may_stay = match finding.kind {
                FindingKind::NonManifoldEdge
                | FindingKind::NonManifoldVertex
                | FindingKind::NotOrientable
                | FindingKind::Empty
                | FindingKind::NoVolume
                | FindingKind::FarFromOrigin
                | FindingKind::Sliver
                | FindingKind::SeveralComponents
                | FindingKind::NestedShell => true,
                FindingKind::InconsistentOrientation => !class.orientable,
                // Lone triangles, tangled borders and borders at edges of three faces.
                FindingKind::Hole => repaired.changes.left_alone > 0,
                _ => false,
            };
            assert!(may_stay, "{}: {finding}", damaged.name);
        }
        // Nothing is left to do.
        let again = repair_all(&repaired.mesh, &RepairOptions::default()).unwrap();
        assert_eq!(again.mesh, repaired.mesh, "{}", damaged.name);
    }
}

#[test]
fn these_damaged_meshes_become_solids() {
    for name in [
        "flipped_face",
        "flipped_side",
        "inside_out",
        "missing_face",
        "missing_lid",
        "two_holes",
        "open_tube",
        "hole_around_a_vertex",
        "t_junction",
        "open_seam",
        "soup",
        "duplicate_face",
        "duplicate_face_reversed",
        "negative_zero",
        "unreferenced_vertices",
        "repeated_index",
        "collinear_face",
        "second_body_inside_out",
        "collapsed_face",
        "doubled_body",
    ] {
        let repaired = repair_all(&named(name), &RepairOptions::default()).unwrap();
        assert!(
            classify(&repaired.mesh).is_solid(),
            "{name}: {:?}",
            findings(&repaired.mesh)
        );
    }
}

#[test]
fn maps_lead_every_face_and_vertex_to_its_successor() {
    let mut rng = Rng::new(6);
    let mut meshes: Vec<TriMesh> = damaged_meshes().into_iter().map(|d| d.mesh).collect();
    for _ in 0..200 {
        let points: Vec<DVec3> = (0..8)
            .map(|_| DVec3::new(rng.grid(0, 1), rng.grid(0, 1), rng.grid(0, 1)))
            .collect();
        let faces = (0..rng.below(16))
            .map(|_| [0; 3].map(|_: u32| rng.below(8) as u32))
            .collect();
        meshes.push(TriMesh::new(points, faces).unwrap());
    }
    let options = RepairOptions {
        flip_flat: false,
        ..RepairOptions::default()
    };
    for mesh in &meshes {
        for repaired in [
            weld(mesh, 0.0).unwrap(),
            weld(mesh, 1.0).unwrap(),
            drop_degenerate(mesh),
            drop_duplicate_faces(mesh, OppositeFaces::Keep),
            drop_duplicate_faces(mesh, OppositeFaces::DropBoth),
            drop_unreferenced_of_used(mesh),
            reorient(mesh, Nesting::Alternating),
            fill_holes(mesh, &FillOptions::default()),
            repair_all(mesh, &options).unwrap(),
        ] {
            assert_maps_hold(mesh, &repaired);
        }
    }
}

fn drop_unreferenced_of_used(mesh: &TriMesh) -> Repaired {
    let repaired = drop_unreferenced(mesh);
    assert_eq!(count(&repaired.mesh, FindingKind::UnreferencedVertex), 0);
    repaired
}

#[test]
fn welding_joins_exactly_the_chains_of_near_vertices() {
    let mut rng = Rng::new(12);
    for round in 0..200 {
        let n = 1 + rng.below(40) as usize;
        let points: Vec<DVec3> = (0..n)
            .map(|_| match round % 3 {
                0 => DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2)),
                1 => rng.cube() * 3.0,
                _ => DVec3::new(
                    rng.grid(0, 3) * 1e15,
                    rng.grid(0, 40) * 0.25,
                    1e-20 * rng.unit(),
                ),
            })
            .collect();
        let mesh = TriMesh::from_points(points.iter().copied(), [[0, 0, 0]]).unwrap();
        for tolerance in [0.0, 1e-30, 0.25, 0.7, 1.0, 2.5] {
            // Oracle: spread the smallest number along near pairs until nothing changes.
            let mut label: Vec<usize> = (0..n).collect();
            loop {
                let before = label.clone();
                for i in 0..n {
                    for j in 0..n {
                        if points[i].distance(points[j]) <= tolerance {
                            let smaller = label[i].min(label[j]);
                            label[i] = smaller;
                            label[j] = smaller;
                        }
                    }
                }
                if before == label {
                    break;
                }
            }
            let welded = weld(&mesh, tolerance).unwrap();
            for i in 0..n {
                let new = welded.vertex_map[i].unwrap();
                assert_eq!(
                    welded.mesh.vertex(new).unwrap(),
                    points[label[i]],
                    "{tolerance} {points:?}"
                );
                assert_eq!(Some(new), welded.vertex_map[label[i]]);
            }
        }
    }
}

#[test]
fn bad_tolerances_are_refused() {
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            weld(&named("soup"), value),
            Err(WeldError::BadTolerance { .. })
        ));
    }
}

#[test]
fn reorienting_turns_the_minority_and_then_outwards() {
    let mut rng = Rng::new(31);
    let whole = named("two_bodies");
    for _ in 0..200 {
        let faces: Vec<[u32; 3]> = whole
            .faces()
            .iter()
            .map(|&[a, b, c]| {
                if rng.below(2) == 0 {
                    [a, b, c]
                } else {
                    [b, a, c]
                }
            })
            .collect();
        let muddled = TriMesh::new(whole.positions().to_vec(), faces).unwrap();
        let repaired = reorient(&muddled, Nesting::AllOutward);
        let class = classify(&repaired.mesh);
        assert!(class.is_solid());
        assert_eq!(
            mass(&repaired.mesh).unwrap().volume,
            mass(&whole).unwrap().volume
        );
    }
    // In an open surface the majority counts.
    let tube = named("open_tube");
    let mut faces = tube.faces().to_vec();
    faces[3].swap(0, 1);
    let repaired = reorient(
        &TriMesh::new(tube.positions().to_vec(), faces).unwrap(),
        Nesting::AllOutward,
    );
    assert_eq!(repaired.changes.faces_turned, 1);
}

#[test]
fn cavities_face_their_hollow_if_asked_to() {
    for name in ["body_in_a_body", "cavity", "cavity_inside_out"] {
        let volume = |nesting| mass(&reorient(&named(name), nesting).mesh).unwrap().volume;
        assert_eq!(volume(Nesting::Alternating), 512.0 - 64.0);
        assert_eq!(volume(Nesting::AllOutward), 512.0 + 64.0);
    }
    let kernel = reorient(&named("kernel_inside_out"), Nesting::Alternating);
    assert_eq!(mass(&kernel.mesh).unwrap().volume, 512.0 - 64.0 + 8.0);
}

#[test]
fn one_sided_surfaces_are_left_alone() {
    for name in ["moebius_strip", "klein_bottle", "projective_plane"] {
        let mesh = named(name);
        let repaired = reorient(&mesh, Nesting::AllOutward);
        assert_eq!((&repaired.mesh, repaired.changes.left_alone), (&mesh, 1));
    }
}

#[test]
fn flat_faces_are_flipped_away_without_moving_the_surface() {
    let mesh = named("collinear_face");
    let repaired = flip_flat(&mesh);
    assert_eq!(count(&repaired.mesh, FindingKind::ZeroArea), 0);
    assert!(is_closed_manifold(&repaired.mesh));
    assert_eq!(mass(&repaired.mesh).unwrap().volume, 1.0);
    assert_eq!(area(&repaired.mesh), 6.0);
}

/// A closed fan of `n` sides over an open, wavy rim.
fn cone(n: u32, wave: f64) -> TriMesh {
    let mut points = vec![DVec3::new(0.0, 0.0, 5.0)];
    points.extend((0..n).map(|i| {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let radius = 2.0 + wave * f64::from(i % 3);
        DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
    }));
    let faces = (0..n).map(|i| [0, 1 + i, 1 + (i + 1) % n]).collect();
    TriMesh::new(points, faces).unwrap()
}

#[test]
fn holes_of_every_size_are_filled_flat_and_outward() {
    for n in [3, 4, 5, 17, 63, 64, 65, 200] {
        for wave in [0.0, 0.5] {
            let open = cone(n, wave);
            let options = FillOptions { max_edges: 1000 };
            let repaired = fill_holes(&open, &options);
            let class = classify(&repaired.mesh);
            assert!(class.is_solid(), "{n} {wave}");
            assert!(class.convex || wave > 0.0, "{n} {wave}");
            assert_eq!(
                repaired.changes,
                RepairCounts {
                    faces_added: n as usize - 2,
                    holes_filled: 1,
                    ..RepairCounts::default()
                }
            );
            // The rim is plane, so the fill has the area of the polygon.
            let rim = &open.positions()[1..];
            let polygon: f64 = (0..rim.len())
                .map(|i| rim[i].perp_dot_xy(rim[(i + 1) % rim.len()]) / 2.0)
                .sum();
            assert!((area(&repaired.mesh) - area(&open) - polygon).abs() < 1e-12);
        }
    }
}

trait PerpDotXy {
    fn perp_dot_xy(self, other: Self) -> f64;
}

impl PerpDotXy for DVec3 {
    fn perp_dot_xy(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }
}

#[test]
fn a_hole_whose_diagonals_all_exist_gets_a_vertex_in_its_middle() {
    // A tetrahedron's six edges used up: the square hole 0-1-2-3 has both diagonals outside already.
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.5, 0.5, -1.0],
        [0.5, 0.5, 1.0],
    ];
    // Faces below span 0-2, faces above span 1-3; the rim 0-1-2-3 stays open between them.
    let mesh = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3], [1, 5, 3]]).unwrap();
    let repaired = fill_holes(&mesh, &FillOptions::default());
    assert_eq!(repaired.changes.vertices_added, 1);
    let half_edges = HalfEdges::new(&repaired.mesh);
    assert!(half_edges.edges().all(|edge| edge.half_edges.len() <= 2));
}

#[test]
fn large_holes_stay_open_if_asked_to() {
    let repaired = fill_holes(&cone(20, 0.0), &FillOptions { max_edges: 19 });
    assert_eq!(
        (repaired.changes.left_alone, repaired.changes.holes_filled),
        (1, 0)
    );
    assert!(repaired.changes.is_none());
}

#[test]
fn pinched_vertices_are_parted_and_welded_again() {
    for name in [
        "bow_tie",
        "bodies_at_a_vertex",
        "pinched_tube",
        "holes_at_a_vertex",
    ] {
        let mesh = named(name);
        let parted = split_pinched(&mesh);
        assert_eq!(
            count(&parted.mesh, FindingKind::NonManifoldVertex),
            0,
            "{name}"
        );
        assert_eq!(parted.changes.vertices_added, 1);
        assert_eq!(weld(&parted.mesh, 0.0).unwrap().mesh, mesh);
    }
}

#[test]
fn filling_never_makes_edges_of_three_faces() {
    let mut rng = Rng::new(41);
    for _ in 0..400 {
        let points: Vec<DVec3> = (0..9).map(|_| rng.cube()).collect();
        let faces = (0..rng.below(12))
            .map(|_| [0; 3].map(|_: u32| rng.below(9) as u32))
            .collect();
        let mesh = TriMesh::new(points, faces).unwrap();
        let crowded = |mesh: &TriMesh| count(mesh, FindingKind::NonManifoldEdge);
        let filled = fill_holes(&mesh, &FillOptions::default());
        assert_eq!(crowded(&filled.mesh), crowded(&mesh));
    }
}
