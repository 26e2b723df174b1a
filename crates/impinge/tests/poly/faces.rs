//! Faces, edges and solids in space.

use super::*;

#[test]
fn the_area_vector_is_the_half_cross_product_shifts_with_the_corners_and_reverses() {
    let mut rng = Rng::new(9);
    for _ in 0..300 {
        let corners: Vec<DVec3> = (0..3 + rng.below(6)).map(|_| rng.cube()).collect();
        let n = area_vector(corners.iter().copied());
        let mut shifted = corners.clone();
        shifted.rotate_left(corners.len() / 2);
        assert!((area_vector(shifted) - n).length() < 1e-14);
        assert!((area_vector(corners.iter().rev().copied()) + n).length() < 1e-14);
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        assert!((area_vector([a, b, c]) - (b - a).cross(c - a) / 2.0).length() < 1e-14);
    }
    let far = DVec3::splat(1e9);
    let unit = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y].map(|p| p + far);
    assert_eq!(area_vector(unit), DVec3::Z);
    assert_eq!(area_vector([]), DVec3::ZERO);
}

#[test]
fn planes_of_tiny_and_huge_faces_are_found() {
    for scale in [1e-300, 1e-160, 1.0, 1e44] {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y].map(|p| p * scale);
        let mesh = PolyMesh::from_outlines(corners.to_vec(), [[0, 1, 2, 3]]).unwrap();
        let plane = FacePlane::new(&mesh.face(FaceId::new(0)).unwrap()).unwrap();
        assert_eq!((plane.normal, plane.deviation), (DVec3::Z, 0.0));
    }
}

#[test]
fn the_projection_keeps_counter_clockwise_faces_so() {
    let mut rng = Rng::new(10);
    for _ in 0..500 {
        let corners = [rng.cube(), rng.cube(), rng.cube()];
        let projection = Projection::along(area_vector(corners));
        let [a, b, c] = corners.map(|p| projection.project(p));
        assert!((b - a).perp_dot(c - a) > 0.0);
    }
}

#[test]
fn bad_meshes_are_refused_by_name() {
    let four = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let nan = vec![DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0)];
    let none: [[u32; 3]; 0] = [];
    assert!(matches!(
        PolyMesh::from_outlines(nan, none),
        Err(PolyError::Mesh(MeshError::NotFinite { vertex: 1, .. }))
    ));
    let far = vec![DVec3::new(0.0, 0.0, 1e200)];
    assert!(matches!(
        PolyMesh::from_outlines(far, none),
        Err(PolyError::Mesh(MeshError::TooFar { vertex: 0, .. }))
    ));
    assert_eq!(
        PolyMesh::from_outlines(four.clone(), [[0, 1, 2], [0, 1, 4]]),
        Err(PolyError::Mesh(MeshError::IndexOutOfRange {
            face: 1,
            index: 4,
            vertices: 4
        }))
    );
    assert_eq!(
        PolyMesh::new(four.clone(), [vec![vec![0, 1, 2], vec![0, 3]]]),
        Err(PolyError::LoopTooShort {
            face: 0,
            loop_index: 1,
            corners: 2
        })
    );
    assert_eq!(
        PolyMesh::new(four.clone(), [Vec::<Vec<u32>>::new()]),
        Err(PolyError::NoLoop { face: 0 })
    );
    let error = PolyMesh::from_outlines(four, [[0u32; 0]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "loop 0 of face 0 has 0 corners, but needs at least 3"
    );
}

#[test]
fn findings_name_the_face_and_the_corner() {
    let mut positions = flat(&[[0, 0], [1, 0], [1, 1], [0, 1]]);
    positions.push(DVec3::new(-5.0, 0.5, 3.0));
    let faces: [&[u32]; 5] = [
        &[0, 1, 2, 3],
        &[0, 1, 2, 3, 4],
        &[0, 2, 1, 3],
        &[0, 1, 0],
        &[0, 1, 1, 2],
    ];
    let mesh = PolyMesh::from_outlines(positions, faces).unwrap();
    let found = findings(&mesh, 1e-9);
    let of = |face: u32| {
        found
            .iter()
            .filter(move |f| f.face == FaceId::new(face))
            .map(|f| f.kind)
    };
    assert_eq!(of(0).count(), 0);
    let plane = FacePlane::new(&mesh.face(FaceId::new(1)).unwrap()).unwrap();
    let height = |v: VertexId| plane.signed_distance(mesh.positions()[v.index()]).abs();
    assert!(of(1).any(|kind| match kind {
        PolyFindingKind::NotFlat { vertex, distance } =>
            distance > 0.1 && distance == height(vertex),
        _ => false,
    }));
    assert!(of(2).any(|kind| kind == PolyFindingKind::NoArea));
    assert!(of(3).any(|kind| kind == PolyFindingKind::NoArea));
    let vertex = VertexId::new(1);
    assert!(of(4).any(|kind| kind == PolyFindingKind::RepeatedVertex { vertex }));
    assert!(found[0].to_string().starts_with("face 1: "));
}

#[test]
fn edges_hit_triangles_where_the_solved_equations_say() {
    let mut rng = Rng::new(11);
    let mut hits = 0;
    for _ in 0..5000 {
        let corners = [rng.cube(), rng.cube(), rng.cube()];
        let (u, v) = (rng.cube(), rng.cube());
        let mesh = PolyMesh::from_outlines(corners.to_vec(), [[0, 1, 2]]).unwrap();
        let Some(polygon) = Polygon::new(mesh.face(FaceId::new(0)).unwrap()) else {
            continue;
        };
        // Solve u + t (v − u) = a + r (b − a) + s (c − a) by determinants.
        let [a, b, c] = corners;
        let (e, f, w, rhs) = (b - a, c - a, u - v, u - a);
        let det = e.cross(f).dot(w);
        let r = rhs.cross(f).dot(w) / det;
        let s = e.cross(rhs).dot(w) / det;
        let t = e.cross(f).dot(rhs) / det;
        let margin = [r, s, 1.0 - r - s, t, 1.0 - t]
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        if margin.abs() < 1e-9 || det.abs() < 1e-9 {
            continue;
        }
        let hit = polygon.edge_hit(u, v);
        assert_eq!(hit.is_some(), margin > 0.0);
        if let Some(hit) = hit {
            hits += 1;
            assert!((hit.t - t).abs() < 1e-6 && (0.0..=1.0).contains(&hit.t));
            assert!(polygon.plane().signed_distance(hit.point).abs() < 1e-12);
        }
    }
    assert!(hits > 100);
}

#[test]
fn edges_pass_through_holes_and_along_faces() {
    let positions = flat(&[
        [0, 0],
        [6, 0],
        [6, 6],
        [0, 6],
        [2, 2],
        [4, 2],
        [4, 4],
        [2, 4],
    ]);
    let mesh = PolyMesh::new(positions, [[vec![0, 1, 2, 3], vec![4, 5, 6, 7]]]).unwrap();
    let framed = Polygon::new(mesh.face(FaceId::new(0)).unwrap()).unwrap();
    let falls_on = |x: f64, y: f64| {
        let (u, v) = (DVec3::new(x, y, 1.0), DVec3::new(x, y, -1.0));
        framed.edge_hit(u, v).is_some()
    };
    assert!(falls_on(1.0, 1.0) && !falls_on(3.0, 3.0) && falls_on(2.0, 3.0));
    assert!(falls_on(6.0, 3.0), "the rim counts");
    let along = framed.edge_hit(DVec3::ZERO, DVec3::ONE.with_z(0.0));
    assert!(along.is_none());
    let start = framed.edge_hit(DVec3::new(1.0, 1.0, 0.0), DVec3::ONE);
    assert_eq!(start.map(|h| h.t), Some(0.0));
}

#[test]
fn points_of_a_ball_of_polygons_are_located_by_their_radius() {
    let mesh = quad_ball(40, 20);
    let solid = PolySolid::new(&mesh);
    let mut rng = Rng::new(12);
    for _ in 0..400 {
        let p = rng.cube() * 1.3;
        let r = p.length();
        if r < 0.98 {
            assert_eq!(solid.locate(p), SolidLocation::Inside, "{p}");
        } else if r > 1.0001 {
            assert_eq!(solid.locate(p), SolidLocation::Outside, "{p}");
        }
    }
    let centre = solid.locate(DVec3::ZERO);
    assert_eq!(centre, SolidLocation::Inside, "rays through corners");
    let corner = mesh.positions()[17];
    assert_eq!(solid.locate(corner), SolidLocation::OnBoundary);
}

/// An L-shaped prism: two six-cornered lids, six quads.
#[expect(clippy::unwrap_used, reason = "only tests call this")]
fn l_prism() -> PolyMesh {
    let foot = flat(&[[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]]);
    let mut positions = foot.clone();
    positions.extend(foot.iter().map(|p| p.with_z(3.0)));
    let mut faces: Vec<Vec<u32>> = vec![(0..6).rev().collect(), (6..12).collect()];
    for i in 0..6 {
        let j = (i + 1) % 6;
        faces.push(vec![i, j, j + 6, i + 6]);
    }
    PolyMesh::from_outlines(positions, faces).unwrap()
}

#[test]
fn every_lattice_point_of_a_prism_is_located_exactly_by_polygons_and_by_triangles() {
    let mesh = l_prism();
    let cut = triangulate(&mesh).mesh;
    let split =
        PolyMesh::from_outlines(cut.positions().to_vec(), cut.faces().iter().copied()).unwrap();
    let (solid, exact) = (PolySolid::new(&mesh), PolySolid::new(&split));
    for i in -2..=10 {
        for j in -2..=10 {
            for k in -2..=8 {
                let (x, y, z) = (f64::from(i) / 2.0, f64::from(j) / 2.0, f64::from(k) / 2.0);
                let p = DVec3::new(x, y, z);
                let positive = x > 0.0 && y > 0.0 && z > 0.0 && z < 3.0;
                let open = positive && ((x < 4.0 && y < 2.0) || (x < 2.0 && y < 4.0));
                let positive = x >= 0.0 && y >= 0.0 && (0.0..=3.0).contains(&z);
                let closed = positive && ((x <= 4.0 && y <= 2.0) || (x <= 2.0 && y <= 4.0));
                let expected = match (open, closed) {
                    (true, _) => SolidLocation::Inside,
                    (false, true) => SolidLocation::OnBoundary,
                    (false, false) => SolidLocation::Outside,
                };
                assert_eq!(solid.locate(p), expected, "{p}");
                assert_eq!(exact.locate(p), expected, "{p}");
            }
        }
    }
}
