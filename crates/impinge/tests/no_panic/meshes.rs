//! Triangle meshes, their topology, findings, repairs, mass and inside tests.

use std::sync::Arc;

use impinge::math::{MAX_COORDINATE, Rng};
use impinge::mesh::components::{Components, split};
use impinge::mesh::point_in_mesh::{InsideTest, locate_by_parity, winding_number};
use impinge::mesh::repair::{
    FillOptions, Nesting, OppositeFaces, RepairOptions, drop_degenerate, drop_duplicate_faces,
    drop_unreferenced, fill_holes, flip_flat, reorient, repair_all, split_pinched, weld,
};
use impinge::mesh::{
    EdgeKind, FindingOptions, HalfEdges, NormalWeight, area, bend, classify, dihedral_angle,
    face_normal, face_normals, findings, findings_with, first_finding, is_closed_manifold,
    is_convex, mass, reflex_edges, vertex_normals,
};
use impinge::query::{FaceId, FacePair, HalfEdgeId, VertexId};
use impinge::{DVec3, MeshError, TriMesh};

use crate::odd::{INDICES, ODD, odd, odd_mesh, odd_point, odd_pose, valid_point};

#[test]
fn meshes_are_refused_or_valid() {
    let mut rng = Rng::new(1);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let careful = rng.below(2) == 0;
        let point = |rng: &mut Rng| {
            if careful {
                valid_point(rng)
            } else {
                odd_point(rng)
            }
        };
        let positions: Vec<DVec3> = (0..rng.below(5)).map(|_| point(&mut rng)).collect();
        let faces: Vec<[u32; 3]> = (0..rng.below(4))
            .map(|_| {
                std::array::from_fn(|_| INDICES[rng.below(if careful { 3 } else { 9 }) as usize])
            })
            .collect();
        let Ok(mesh) = TriMesh::new(positions, faces) else {
            continue;
        };
        accepted += 1;
        let _ = (mesh.bounds(), mesh.is_empty(), mesh.clone().into_parts());
        if let Some(pose) = odd_pose(&mut rng) {
            let _ = mesh.placed(&pose);
        }
        assert_eq!(mesh.triangles().len(), mesh.face_count());
        for raw in INDICES {
            let known = mesh.face(FaceId::new(raw)).is_some();
            assert_eq!(known, (raw as usize) < mesh.face_count());
            let known = mesh.vertex(VertexId::new(raw)).is_some();
            assert_eq!(known, (raw as usize) < mesh.vertex_count());
        }
    }
    assert!(accepted > 1000, "only {accepted} meshes accepted");
}

#[test]
fn each_bad_coordinate_and_each_bad_index_is_named() {
    let good = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let far = 2.0 * MAX_COORDINATE;
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, far, -far] {
        for vertex in 0..3 {
            for axis in 0..3 {
                let mut positions = good.clone();
                positions[vertex][axis] = bad;
                match TriMesh::new(positions, vec![[0, 1, 2]]) {
                    Err(
                        MeshError::NotFinite { vertex: named, .. }
                        | MeshError::TooFar { vertex: named, .. },
                    ) => {
                        assert_eq!(named, vertex);
                    }
                    other => panic!("{bad} was answered by {other:?}"),
                }
            }
        }
    }
    for bad in [3, u32::MAX / 3, i32::MAX as u32, u32::MAX - 1, u32::MAX] {
        let error = TriMesh::new(good.clone(), vec![[0, 1, 2], [0, bad, 1]]).unwrap_err();
        let MeshError::IndexOutOfRange { face, index, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!((face, index), (1, u64::from(bad)));
    }
    assert!(TriMesh::new(Vec::new(), vec![[0, 0, 0]]).is_err());
    assert!(TriMesh::new(Vec::new(), Vec::new()).is_ok());
}

/// Every id-taking function with ids that the mesh has, may have, and cannot have.
fn ask_half_edges(half_edges: &HalfEdges, mesh: &TriMesh) {
    let fans = half_edges.fans();
    for raw in INDICES {
        let (h, v, f) = (HalfEdgeId::new(raw), VertexId::new(raw), FaceId::new(raw));
        let _ = (
            half_edges.of_face(f),
            half_edges.face(h),
            half_edges.around_face(h),
        );
        let _ = (half_edges.next(h), half_edges.previous(h));
        let _ = (
            half_edges.edge_between(v, VertexId::new(0)),
            half_edges.is_boundary(h),
        );
        let _ = (
            half_edges.fan_of(h).count(),
            half_edges.around_vertex(h).count(),
        );
        let _ = (half_edges.counter_clockwise(h), half_edges.clockwise(h));
        let _ = (
            bend(mesh, half_edges, h),
            dihedral_angle(mesh, half_edges, h),
        );
        if raw as usize >= half_edges.half_edge_count() {
            assert_eq!((half_edges.twin(h), half_edges.edge(h)), (None, None));
            assert_eq!(half_edges.around_vertex(h).count(), 0);
            assert_eq!(half_edges.origin(h), VertexId::new(u32::MAX));
            assert_eq!(half_edges.target(h), VertexId::new(u32::MAX));
            assert_eq!(fans.of(h), None);
        }
        if raw as usize >= half_edges.face_count() {
            assert!(!half_edges.is_in_surface(f));
            assert_eq!(half_edges.adjacent_faces(f).count(), 0);
        }
        if raw as usize >= half_edges.vertex_count() {
            assert_eq!(half_edges.outgoing(v), None);
            assert_eq!(
                (half_edges.fan(v).count(), half_edges.neighbours(v).count()),
                (0, 0)
            );
            assert_eq!(fans.at(v), 0);
        }
    }
    let _ = (
        half_edges.boundary_loops(),
        half_edges.euler_characteristic(),
    );
    let _ = (half_edges.count(EdgeKind::Boundary), fans.count());
    let _ = (
        half_edges.first_open_edge(),
        half_edges.first_unbalanced_edge(),
    );
}

#[test]
fn ids_of_another_mesh_find_nothing() {
    let mut rng = Rng::new(2);
    for _ in 0..3000 {
        let (mesh, other) = (odd_mesh(&mut rng, 12), odd_mesh(&mut rng, 12));
        let (own, foreign) = (HalfEdges::new(&mesh), HalfEdges::new(&other));
        ask_half_edges(&own, &mesh);
        ask_half_edges(&foreign, &mesh);
        let _ = (is_convex(&mesh, &foreign), reflex_edges(&mesh, &foreign));
        for components in [
            Components::by_vertex(&other),
            Components::by_edge(&foreign),
            Components::by_surface(&foreign),
        ] {
            for raw in INDICES {
                let of = components.of(FaceId::new(raw));
                assert_eq!(of == usize::MAX, raw as usize >= other.face_count());
                let component = raw as usize;
                let known = component < components.count();
                assert_eq!(components.size(component) > 0, known);
                assert_eq!(other.face(components.first(component)).is_some(), known);
            }
            for piece in split(&mesh, &components) {
                assert!(piece.faces.iter().all(|f| f.index() < mesh.face_count()));
            }
        }
        for raw in INDICES {
            let _ = face_normal(&mesh, FaceId::new(raw));
        }
    }
}

#[test]
fn every_mesh_is_measured_in_numbers() {
    let mut rng = Rng::new(3);
    for _ in 0..3000 {
        let mesh = odd_mesh(&mut rng, 12);
        assert!(area(&mesh) >= 0.0, "{mesh:?}");
        if let Ok(mass) = mass(&mesh) {
            assert!(
                !mass.volume.is_nan() && !mass.centroid.is_nan(),
                "{mesh:?} {mass:?}"
            );
            assert!(!mass.inertia.is_nan(), "{mesh:?} {mass:?}");
        }
        for weight in [NormalWeight::Area, NormalWeight::Angle] {
            let normals = vertex_normals(&mesh, weight);
            assert!(
                normals.into_iter().flatten().all(DVec3::is_finite),
                "{mesh:?}"
            );
        }
        assert!(
            face_normals(&mesh)
                .into_iter()
                .flatten()
                .all(DVec3::is_finite)
        );
        for p in [valid_point(&mut rng), odd_point(&mut rng)] {
            let _ = locate_by_parity(&mesh, p);
            if let Ok(test) = InsideTest::new(&mesh) {
                assert_eq!(test.locate(p).is_ok(), impinge::math::is_valid_point(p));
                assert_eq!(test.winding(p).is_ok(), impinge::math::is_valid_point(p));
            }
            let turns = winding_number(&mesh, p);
            assert!(!turns.is_nan(), "{mesh:?} {p}");
        }
        let half_edges = mesh.half_edges();
        assert_eq!(half_edges, HalfEdges::by_list_search(&mesh));
        let _ = (
            is_convex(&mesh, &half_edges),
            reflex_edges(&mesh, &half_edges),
        );
        let _ = (
            classify(&mesh),
            is_closed_manifold(&mesh),
            first_finding(&mesh),
        );
    }
}

#[test]
fn findings_take_any_threshold_and_any_pair_of_faces() {
    let mut rng = Rng::new(4);
    for _ in 0..2000 {
        let mesh = odd_mesh(&mut rng, 12);
        let _ = findings(&mesh);
        let foreign = |_: &TriMesh| {
            let id = |raw| FaceId::new(raw);
            let pair = |a, b| FacePair { a: id(a), b: id(b) };
            vec![
                pair(0, 1),
                pair(u32::MAX, 0),
                pair(u32::MAX / 3, u32::MAX - 1),
            ]
        };
        let found = findings_with(
            &mesh,
            &FindingOptions {
                listed_per_kind: [0, 1, usize::MAX][rng.below(3) as usize],
                sliver_ratio: odd(&mut rng),
                far_ratio: odd(&mut rng),
                nesting_budget: [0, 1, u64::MAX][rng.below(3) as usize],
                self_intersections: Some(&foreign),
            },
        );
        for finding in &found.listed {
            assert!(!finding.to_string().is_empty());
        }
        let _ = (found.counts(), found.worst());
    }
}

#[test]
fn repairs_take_any_mesh_and_any_tolerance() {
    let mut rng = Rng::new(5);
    for _ in 0..1500 {
        let mesh = odd_mesh(&mut rng, 12);
        for tolerance in ODD {
            let welded = weld(&mesh, tolerance);
            assert_eq!(
                welded.is_err(),
                !tolerance.is_finite() || tolerance < 0.0,
                "{tolerance}"
            );
        }
        let _ = (
            drop_degenerate(&mesh),
            drop_unreferenced(&mesh),
            flip_flat(&mesh),
        );
        let _ = split_pinched(&mesh);
        for opposite in [
            OppositeFaces::Keep,
            OppositeFaces::KeepOne,
            OppositeFaces::DropBoth,
        ] {
            let _ = drop_duplicate_faces(&mesh, opposite);
        }
        for nesting in [Nesting::AllOutward, Nesting::Alternating] {
            let _ = reorient(&mesh, nesting);
        }
        for max_edges in [0, 1, 3, usize::MAX] {
            let _ = fill_holes(&mesh, &FillOptions { max_edges });
        }
        let options = RepairOptions {
            weld: Some(odd(&mut rng)),
            fill: Some(FillOptions {
                max_edges: usize::MAX,
            }),
            ..RepairOptions::default()
        };
        let _ = repair_all(&mesh, &options);
    }
    let empty = Arc::new(TriMesh::default());
    assert!(repair_all(&empty, &RepairOptions::default()).is_ok());
}
