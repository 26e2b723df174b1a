//! Polygons to triangles.

use super::*;

fn area(mesh: &TriMesh) -> f64 {
    mesh.triangles()
        .map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0)
        .sum()
}

fn signed_area(mesh: &TriMesh, normal: DVec3) -> f64 {
    mesh.triangles()
        .map(|[a, b, c]| (b - a).cross(c - a).dot(normal) / 2.0)
        .sum()
}

fn shoelace(points: &[[i64; 2]]) -> f64 {
    let k = points.len();
    let doubled: i64 = (0..k).map(|i| cross(points[i], points[(i + 1) % k])).sum();
    doubled as f64 / 2.0
}

/// How many directed edges come without their reverse.
fn unmatched_edges(mesh: &TriMesh) -> usize {
    let edges: std::collections::BTreeSet<(u32, u32)> = mesh
        .faces()
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .collect();
    edges
        .iter()
        .filter(|&&(a, b)| !edges.contains(&(b, a)))
        .count()
}

#[test]
fn simple_polygons_of_the_grid_are_cut_into_their_own_area() {
    let mut rng = Rng::new(13);
    let mut tried = 0;
    while tried < 3000 {
        let points = grid_star(&mut rng, 6);
        let k = points.len();
        if k < 3 || !is_simple(&[ring(&points)]) {
            continue;
        }
        tried += 1;
        // Stand the outline on a plane that is exact on the grid: z = x − 2y.
        let positions = points
            .iter()
            .map(|p| DVec3::new(p[0] as f64, p[1] as f64, (p[0] - 2 * p[1]) as f64))
            .collect();
        let mut order: Vec<u32> = (0..k as u32).collect();
        if tried % 2 == 0 {
            order.reverse();
        }
        let mesh = PolyMesh::from_outlines(positions, [order]).unwrap();
        let cut = triangulate(&mesh);
        assert_eq!(cut.findings, [], "{points:?}");
        assert_eq!(cut.mesh.face_count(), k - 2);
        assert_eq!(cut.polygon_of_face, vec![0; k - 2]);
        let expected = shoelace(&points).abs() * 6.0f64.sqrt();
        assert!((area(&cut.mesh) - expected).abs() < 1e-9, "{points:?}");
        let normal = FacePlane::new(&mesh.face(FaceId::new(0)).unwrap())
            .unwrap()
            .normal;
        assert!((signed_area(&cut.mesh, normal) - expected).abs() < 1e-9);
        assert_eq!(unmatched_edges(&cut.mesh), k);
    }
}

#[test]
fn holes_are_left_out_of_the_area() {
    let mut rng = Rng::new(14);
    for round in 0..400 {
        // Cells of a board hold a hole each, most of them; the rim has notches half the time.
        let cells = 1 + rng.below(5) as i64;
        let size = 10 * cells;
        let mut loops = vec![vec![[0, 0], [size, 0], [size, size], [0, size]]];
        if rng.below(2) == 0 {
            loops[0].insert(2, [size - 1, size / 2]);
            loops[0].insert(1, [size / 2, 1]);
        }
        let mut expected = shoelace(&loops[0]);
        for cell in 0..cells * cells {
            let mut hole = grid_star(&mut rng, 3);
            if hole.len() < 3 || !is_simple(&[ring(&hole)]) || rng.below(4) == 0 {
                continue;
            }
            let centre = [10 * (cell / cells) + 5, 10 * (cell % cells) + 5];
            for p in &mut hole {
                *p = [p[0] + centre[0], p[1] + centre[1]];
            }
            expected -= shoelace(&hole).abs();
            if rng.below(2) == 0 {
                hole.reverse();
            }
            loops.push(hole);
        }
        let holes = loops.len() - 1;
        let corners: usize = loops.iter().map(Vec::len).sum();
        let positions = flat(&loops.concat());
        let mut start = 0;
        let face: Vec<Vec<u32>> = loops
            .iter()
            .map(|l| {
                start += l.len() as u32;
                (start - l.len() as u32..start).collect()
            })
            .collect();
        let cut = triangulate(&PolyMesh::new(positions, [face]).unwrap());
        assert_eq!(cut.findings, [], "round {round}");
        assert_eq!(cut.mesh.face_count(), corners - 2 + 2 * holes);
        assert!((area(&cut.mesh) - expected).abs() < 1e-6, "round {round}");
        assert!((signed_area(&cut.mesh, DVec3::Z) - expected).abs() < 1e-6);
        assert_eq!(unmatched_edges(&cut.mesh), corners, "bridges are inside");
    }
}

#[test]
fn convex_polygons_become_fans_around_their_first_corner() {
    let mesh = quad_ball(12, 6);
    let cut = triangulate(&mesh);
    assert_eq!(cut.findings, []);
    let mut expected = Vec::new();
    for face in mesh.faces() {
        let outline = face.outline();
        for i in 1..outline.len() - 1 {
            expected.push([outline[0], outline[i], outline[i + 1]]);
        }
    }
    assert_eq!(cut.mesh.faces(), expected);
    assert_eq!(unmatched_edges(&cut.mesh), 0);
}

#[test]
fn a_dart_is_split_at_its_reflex_corner() {
    let positions = flat(&[[0, 0], [4, 4], [0, 8], [1, 4]]);
    let cut = triangulate(&PolyMesh::from_outlines(positions, [[0, 1, 2, 3]]).unwrap());
    assert!((area(&cut.mesh) - 12.0).abs() < 1e-12);
}

#[test]
fn garbage_is_cut_into_no_more_than_its_share_of_triangles() {
    let mut rng = Rng::new(15);
    for _ in 0..3000 {
        let vertices = 3 + rng.below(12);
        let reach = 1 + rng.below(3) as i64;
        let is_flat = rng.below(2) == 0;
        let positions: Vec<DVec3> = (0..vertices)
            .map(|_| {
                let z = if is_flat { 0.0 } else { rng.grid(0, reach) };
                DVec3::new(rng.grid(0, reach), rng.grid(0, reach), z)
            })
            .collect();
        let mut loops = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let k = 3 + rng.below(12);
            let corners: Vec<u32> = (0..k).map(|_| rng.below(vertices) as u32).collect();
            loops.push(corners);
        }
        let holes = loops.len() - 1;
        let corners: usize = loops.iter().map(Vec::len).sum();
        let mesh = PolyMesh::new(positions, [loops]).unwrap();
        let cut = triangulate(&mesh);
        let share = corners - 2 + 2 * holes;
        assert!(cut.mesh.face_count() <= share);
        assert!(cut.mesh.face_count() == share || !cut.findings.is_empty());
        assert_eq!(cut.polygon_of_face.len(), cut.mesh.face_count());
        let _ = findings(&mesh, 0.0);
    }
}

#[test]
fn crossed_bent_and_collinear_outlines_still_give_all_their_triangles() {
    let mut rng = Rng::new(16);
    for kind in 0..3 {
        for _ in 0..300 {
            let k = 4 + rng.below(20) as u32;
            let positions = (0..k)
                .map(|i| match kind {
                    0 => rng.cube(),
                    1 => DVec3::new(rng.grid(0, 3), rng.grid(0, 3), 0.0),
                    _ => DVec3::new(f64::from(i), 0.0, 0.0),
                })
                .collect();
            let mesh = PolyMesh::from_outlines(positions, [(0..k).collect::<Vec<_>>()]).unwrap();
            assert_eq!(triangulate(&mesh).mesh.face_count() as u32, k - 2);
        }
    }
}

#[test]
fn a_hole_outside_its_outline_is_ignored_and_reported() {
    let positions = flat(&[[0, 0], [4, 0], [4, 4], [0, 4], [10, 1], [11, 1], [11, 2]]);
    let mesh = PolyMesh::new(positions, [[vec![0, 1, 2, 3], vec![4, 5, 6]]]).unwrap();
    let cut = triangulate(&mesh);
    let ignored = PolyFindingKind::HoleIgnored { hole: 0 };
    assert_eq!(cut.findings[0].kind, ignored);
    assert!((area(&cut.mesh) - 16.0).abs() < 1e-12);
}

#[test]
fn a_hole_that_touches_its_outline_is_cut_out_all_the_same() {
    let positions = flat(&[[0, 0], [6, 0], [6, 6], [0, 6], [6, 3], [4, 4], [4, 2]]);
    let mesh = PolyMesh::new(positions, [[vec![0, 1, 2, 3], vec![4, 5, 6]]]).unwrap();
    let cut = triangulate(&mesh);
    assert!((signed_area(&cut.mesh, DVec3::Z) - 34.0).abs() < 1e-12);
    assert!((area(&cut.mesh) - 34.0).abs() < 1e-12);
}

#[test]
fn a_long_spiral_is_cut_exactly() {
    let mut points = Vec::new();
    for i in 0..1500 {
        let (sin, cos) = (f64::from(i) * 0.2).sin_cos();
        points.push(DVec3::new(cos, sin, 0.0) * (10.0 + f64::from(i) * 0.1));
    }
    for i in (0..1500).rev() {
        let (sin, cos) = (f64::from(i) * 0.2).sin_cos();
        points.push(DVec3::new(cos, sin, 0.0) * (11.0 + f64::from(i) * 0.1));
    }
    let k = points.len() as u32;
    let expected = area_vector(points.iter().copied()).length();
    let cut = triangulate(&PolyMesh::from_outlines(points, [(0..k).collect::<Vec<_>>()]).unwrap());
    assert_eq!(cut.findings, []);
    assert_eq!(cut.mesh.face_count() as u32, k - 2);
    assert!((area(&cut.mesh) - expected).abs() < 1e-6 * expected);
}

#[test]
fn an_empty_mesh_has_no_triangles() {
    let none: [[u32; 3]; 0] = [];
    let mesh = PolyMesh::from_outlines(Vec::new(), none).unwrap();
    let cut = triangulate(&mesh);
    assert!(cut.mesh.is_empty() && cut.polygon_of_face.is_empty() && mesh.bounds().is_empty());
    let place = PolySolid::new(&mesh).locate(DVec3::ZERO);
    assert_eq!(place, SolidLocation::Outside);
}
