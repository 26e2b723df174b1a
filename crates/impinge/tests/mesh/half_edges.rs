//! Neighbourhoods are right on closed, open, non-manifold and senseless meshes.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeMap;

use impinge::math::Rng;
use impinge::mesh::components::{Components, split};
use impinge::mesh::{
    EdgeBend, EdgeKind, HalfEdges, bend, classify, dihedral_angle, face_normals, reflex_edges,
};
use impinge::query::{FaceId, HalfEdgeId, VertexId};
use impinge::{DVec3, TriMesh};
use impinge_testkit::damaged::damaged_meshes;

fn half_edge_ids(half_edges: &HalfEdges) -> impl Iterator<Item = HalfEdgeId> + use<> {
    (0..half_edges.half_edge_count() as u32).map(HalfEdgeId::new)
}

/// A ring of `width × height` cells, bent to a torus.
fn torus(width: u32, height: u32) -> TriMesh {
    let mut points = Vec::new();
    let mut faces = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (
                std::f64::consts::TAU * f64::from(x) / f64::from(width),
                std::f64::consts::TAU * f64::from(y) / f64::from(height),
            );
            let radius = 3.0 + v.cos();
            points.push(DVec3::new(radius * u.cos(), radius * u.sin(), v.sin()));
            let at = |dx, dy| (x + dx) % width + (y + dy) % height * width;
            faces.push([at(0, 0), at(1, 0), at(1, 1)]);
            faces.push([at(0, 0), at(1, 1), at(0, 1)]);
        }
    }
    TriMesh::new(points, faces).unwrap()
}

fn random_soup(rng: &mut Rng) -> TriMesh {
    let vertices = 1 + rng.below(9);
    let points: Vec<DVec3> = (0..vertices).map(|_| rng.cube()).collect();
    let faces = (0..rng.below(20))
        .map(|_| [0; 3].map(|_: u32| rng.below(vertices) as u32))
        .collect();
    TriMesh::new(points, faces).unwrap()
}

fn all_test_meshes() -> Vec<TriMesh> {
    let mut rng = Rng::new(11);
    let mut meshes: Vec<TriMesh> = damaged_meshes().into_iter().map(|d| d.mesh).collect();
    meshes.extend((0..300).map(|_| random_soup(&mut rng)));
    meshes.push(torus(5, 4));
    meshes
}

#[test]
fn counting_and_list_search_build_the_same_table() {
    for mesh in all_test_meshes() {
        assert_eq!(HalfEdges::new(&mesh), HalfEdges::by_list_search(&mesh));
    }
}

#[test]
fn a_vertex_with_thousands_of_edges_is_sorted_like_any_other() {
    let rim = 3000;
    let mut rng = Rng::new(5);
    let mut order: Vec<u32> = (1..=rim).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    let faces = (0..order.len()).map(|i| [0, order[i], order[(i + 1) % order.len()]]);
    let points = (0..=rim).map(|i| DVec3::splat(f64::from(i)));
    let mesh = TriMesh::from_points(points, faces).unwrap();
    let half_edges = HalfEdges::new(&mesh);
    assert_eq!(half_edges, HalfEdges::by_list_search(&mesh));
    assert_eq!(half_edges.fan(VertexId::new(0)).count(), rim as usize);
}

#[test]
fn every_edge_lists_exactly_the_faces_that_use_it_in_order_of_vertices() {
    for mesh in all_test_meshes() {
        let mut oracle: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for (f, &[a, b, c]) in mesh.faces().iter().enumerate() {
            if a != b && b != c && c != a {
                for (u, v) in [(a, b), (b, c), (c, a)] {
                    oracle
                        .entry([u.min(v), u.max(v)])
                        .or_default()
                        .push(f as u32);
                }
            }
        }
        let half_edges = HalfEdges::new(&mesh);
        let found: Vec<([u32; 2], Vec<u32>)> = half_edges
            .edges()
            .map(|e| {
                (
                    e.ends.map(VertexId::raw),
                    e.faces().map(FaceId::raw).collect(),
                )
            })
            .collect();
        assert_eq!(found, oracle.into_iter().collect::<Vec<_>>());
        for edge in half_edges.edges() {
            assert_eq!(
                half_edges.edge_between(edge.ends[1], edge.ends[0]),
                Some(edge)
            );
            let is_manifold = edge.kind == EdgeKind::Manifold;
            for &h in edge.half_edges {
                assert_eq!(half_edges.edge(h), Some(edge));
                assert_eq!(half_edges.twin(h).is_some(), is_manifold);
            }
        }
    }
}

#[test]
fn twins_are_mutual_and_run_back() {
    for mesh in all_test_meshes() {
        let half_edges = HalfEdges::new(&mesh);
        for h in half_edge_ids(&half_edges) {
            if let Some(twin) = half_edges.twin(h) {
                assert_eq!(half_edges.twin(twin), Some(h));
                assert_eq!(half_edges.origin(twin), half_edges.target(h));
                assert_eq!(half_edges.target(twin), half_edges.origin(h));
                assert_ne!(half_edges.face(twin), half_edges.face(h));
            }
            assert_eq!(half_edges.previous(half_edges.next(h)), h);
        }
    }
}

#[test]
fn walks_around_vertices_end_and_stay_at_their_vertex_on_any_mesh() {
    for mesh in all_test_meshes() {
        let half_edges = HalfEdges::new(&mesh);
        for h in half_edge_ids(&half_edges) {
            let fan: Vec<HalfEdgeId> = half_edges.fan_of(h).take(1000).collect();
            assert!(fan.len() <= half_edges.half_edge_count() && fan.contains(&h));
            let v = half_edges.origin(h);
            assert!(fan.iter().all(|&g| half_edges.origin(g) == v));
            // Both directions see the same fan.
            for pair in fan.windows(2) {
                assert_eq!(half_edges.clockwise(pair[1]), Some(pair[0]));
            }
        }
    }
}

#[test]
fn the_outgoing_half_edge_starts_an_open_fan_if_there_is_one() {
    for mesh in all_test_meshes() {
        let half_edges = HalfEdges::new(&mesh);
        for v in (0..mesh.vertex_count() as u32).map(VertexId::new) {
            let leaving: Vec<HalfEdgeId> = half_edge_ids(&half_edges)
                .filter(|&h| half_edges.origin(h) == v && half_edges.edge(h).is_some())
                .collect();
            let open = leaving.iter().find(|&&h| half_edges.twin(h).is_none());
            assert_eq!(half_edges.outgoing(v), open.or(leaving.first()).copied());
        }
    }
}

#[test]
fn on_closed_manifolds_vertex_walks_see_every_edge_and_face_walks_every_edge_twice() {
    let mesh = torus(7, 5);
    let half_edges = HalfEdges::new(&mesh);
    let mut degree = vec![0; mesh.vertex_count()];
    for edge in half_edges.edges() {
        for end in edge.ends {
            degree[end.index()] += 1;
        }
    }
    let mut walked = 0;
    for v in (0..mesh.vertex_count() as u32).map(VertexId::new) {
        let neighbours: Vec<VertexId> = half_edges.neighbours(v).collect();
        assert_eq!(neighbours.len(), degree[v.index()]);
        walked += neighbours.len();
    }
    assert_eq!(walked, 2 * half_edges.edge_count());
    let face_walks: usize = mesh
        .face_ids()
        .map(|face| half_edges.adjacent_faces(face).count())
        .sum();
    assert_eq!(face_walks, 2 * half_edges.edge_count());
}

#[test]
fn neighbours_on_a_border_include_the_last_one() {
    let strip = TriMesh::from_points(
        [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
        ],
        [[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    let half_edges = HalfEdges::new(&strip);
    let around: Vec<u32> = half_edges
        .neighbours(VertexId::new(0))
        .map(VertexId::raw)
        .collect();
    assert_eq!(around, [1, 2, 3]);
}

#[test]
fn euler_and_genus_of_a_torus_are_zero_and_one() {
    let class = classify(&torus(6, 9));
    assert_eq!(
        (class.euler, class.genus(), class.components),
        (0, Some(1), 1)
    );
    assert!(class.is_solid() && !class.convex);
}

#[test]
fn genus_is_counted_per_component_and_not_for_one_sided_surfaces() {
    let (mut points, mut faces) = torus(6, 6).into_parts();
    let shift = points.len() as u32;
    points.extend([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * 0.5));
    faces.extend([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|f| f.map(|v| v + shift)));
    let class = classify(&TriMesh::new(points, faces).unwrap());
    assert_eq!(class.genera, [Some(1), Some(0)]);
    for damaged in damaged_meshes() {
        if ["klein_bottle", "projective_plane", "moebius_strip"].contains(&damaged.name) {
            let class = classify(&damaged.mesh);
            assert_eq!((class.genus(), class.orientable), (None, false));
        }
    }
    let euler_of = |name| {
        let damaged = damaged_meshes()
            .into_iter()
            .find(|d| d.name == name)
            .unwrap();
        classify(&damaged.mesh).euler
    };
    assert_eq!(
        (
            euler_of("klein_bottle"),
            euler_of("projective_plane"),
            euler_of("moebius_strip")
        ),
        (0, 1, 0)
    );
}

#[test]
fn borders_contain_every_edge_with_one_face_exactly_once() {
    for mesh in all_test_meshes() {
        let half_edges = HalfEdges::new(&mesh);
        let mut on_borders: Vec<HalfEdgeId> = Vec::new();
        for border in half_edges.boundary_loops() {
            let (n, m) = (border.vertices.len(), border.half_edges.len());
            assert_eq!(n, m + usize::from(!border.is_closed));
            for (i, &h) in border.half_edges.iter().enumerate() {
                let ends = [border.vertices[i], border.vertices[(i + 1) % n]];
                let (a, b) = (half_edges.origin(h), half_edges.target(h));
                assert!(ends == [a, b] || ends == [b, a]);
            }
            on_borders.extend(&border.half_edges);
        }
        on_borders.sort_unstable();
        let single: Vec<HalfEdgeId> = half_edge_ids(&half_edges)
            .filter(|&h| half_edges.is_boundary(h))
            .collect();
        assert_eq!(on_borders, single);
    }
}

#[test]
fn components_are_the_classes_of_the_neighbour_relation() {
    for mesh in all_test_meshes() {
        let n = mesh.face_count();
        let by_vertex = Components::by_vertex(&mesh);
        // Oracle: spread labels until nothing changes.
        let mut label: Vec<usize> = (0..n).collect();
        loop {
            let before = label.clone();
            for i in 0..n {
                for j in 0..n {
                    if mesh.faces()[i].iter().any(|v| mesh.faces()[j].contains(v)) {
                        let smaller = label[i].min(label[j]);
                        label[i] = smaller;
                        label[j] = smaller;
                    }
                }
            }
            if label == before {
                break;
            }
        }
        for face in mesh.face_ids() {
            let component = by_vertex.of(face);
            assert_eq!(by_vertex.first(component).index(), label[face.index()]);
        }
        let half_edges = HalfEdges::new(&mesh);
        let (by_edge, by_surface) = (
            Components::by_edge(&half_edges),
            Components::by_surface(&half_edges),
        );
        assert!(by_vertex.count() <= by_edge.count() && by_edge.count() <= by_surface.count());
    }
}

#[test]
fn pieces_keep_every_triangle_where_it_was() {
    for mesh in all_test_meshes() {
        let components = Components::by_vertex(&mesh);
        let pieces = split(&mesh, &components);
        let total: usize = pieces.iter().map(|piece| piece.mesh.face_count()).sum();
        assert_eq!(
            (pieces.len(), total),
            (components.count(), mesh.face_count())
        );
        for piece in pieces {
            for face in piece.mesh.face_ids() {
                let old = piece.faces[face.index()];
                assert_eq!(piece.mesh.face(face).unwrap(), mesh.face(old).unwrap());
                for (new, &v) in piece.mesh.faces()[face.index()]
                    .iter()
                    .zip(&mesh.faces()[old.index()])
                {
                    assert_eq!(piece.vertices[*new as usize].raw(), v);
                }
            }
        }
    }
}

#[test]
fn dihedral_angles_are_those_of_known_bodies() {
    let regular = TriMesh::from_points(
        [
            [1.0, 1.0, 1.0],
            [1.0, -1.0, -1.0],
            [-1.0, 1.0, -1.0],
            [-1.0, -1.0, 1.0],
        ],
        [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    )
    .unwrap();
    let half_edges = HalfEdges::new(&regular);
    for h in half_edge_ids(&half_edges) {
        let angle = dihedral_angle(&regular, &half_edges, h).unwrap();
        assert!((angle - (1.0_f64 / 3.0).acos()).abs() < 1e-14);
        let twin = half_edges.twin(h).unwrap();
        assert!((dihedral_angle(&regular, &half_edges, twin).unwrap() - angle).abs() < 1e-14);
    }
    let reversed = TriMesh::from_points(
        regular.positions().iter().copied(),
        regular.faces().iter().map(|&[a, b, c]| [a, c, b]),
    )
    .unwrap();
    let half_edges = HalfEdges::new(&reversed);
    for h in half_edge_ids(&half_edges) {
        let angle = dihedral_angle(&reversed, &half_edges, h).unwrap();
        assert!((angle - (std::f64::consts::TAU - (1.0_f64 / 3.0).acos())).abs() < 1e-14);
    }
    assert_eq!(reflex_edges(&reversed, &half_edges).len(), 6);
}

#[test]
fn angles_agree_with_exact_bends_even_where_rounding_blurs_them() {
    let mut rng = Rng::new(21);
    let mut seen = BTreeMap::new();
    for _ in 0..3000 {
        // Two faces across an edge; the far corner is at most a few units in the last place off the plane.
        let (a, b, c) = (rng.cube(), rng.cube(), rng.cube());
        let mut d = a + (b - a) * rng.unit() + (a - c) * rng.range(0.1, 1.0);
        for _ in 0..rng.below(3) {
            d.x = d.x.next_up();
        }
        let mesh = TriMesh::from_points([a, b, c, d], [[0, 1, 2], [1, 0, 3]]).unwrap();
        let half_edges = HalfEdges::new(&mesh);
        let h = HalfEdgeId::new(0);
        let (Some(bend), Some(angle)) = (
            bend(&mesh, &half_edges, h),
            dihedral_angle(&mesh, &half_edges, h),
        ) else {
            continue;
        };
        let pi = std::f64::consts::PI;
        let agrees = match bend {
            EdgeBend::Convex => angle < pi,
            EdgeBend::Flat => angle == pi,
            EdgeBend::Reflex => angle > pi,
            EdgeBend::Folded => angle == 0.0,
        };
        assert!(agrees, "{bend:?} {angle}");
        *seen.entry(format!("{bend:?}")).or_insert(0) += 1;
    }
    assert!(seen.len() >= 2, "{seen:?}");
}

#[test]
fn folded_faces_are_told_from_flat_ones() {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [1.0, -1.0, 0.0],
    ];
    let folded = TriMesh::from_points(points, [[0, 1, 2], [1, 0, 3]]).unwrap();
    let flat = TriMesh::from_points(points, [[0, 1, 2], [1, 0, 4]]).unwrap();
    let h = HalfEdgeId::new(0);
    assert_eq!(
        bend(&folded, &HalfEdges::new(&folded), h),
        Some(EdgeBend::Folded)
    );
    assert_eq!(bend(&flat, &HalfEdges::new(&flat), h), Some(EdgeBend::Flat));
}

#[test]
fn normals_of_faces_are_unit_and_orthogonal_at_every_scale() {
    let mut rng = Rng::new(8);
    for exponent in [-300, -100, 0, 100] {
        let scale = 2.0_f64.powi(exponent);
        for _ in 0..100 {
            let points = [rng.cube(), rng.cube(), rng.cube()].map(|p| p * scale);
            let mesh = TriMesh::from_points(points, [[0, 1, 2]]).unwrap();
            let normal = face_normals(&mesh)[0].unwrap();
            assert!((normal.length() - 1.0).abs() < 1e-14);
            for side in [points[1] - points[0], points[2] - points[0]] {
                assert!((side / scale).dot(normal).abs() < 1e-12);
            }
        }
    }
}
