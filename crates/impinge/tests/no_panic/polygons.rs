//! Polygon faces.

use impinge::glam::DVec2;
use impinge::math::{MAX_COORDINATE, Rng};
use impinge::poly::{
    FacePlane, PolyMesh, PolySolid, Polygon, PrecheckHits, Projection, Ring, Wedges, angle_sum,
    area_vector, contains, contains_counted, convex_contains, convex_locate, findings, is_convex,
    is_simple, is_strictly_convex, locate, triangulate,
};
use impinge::query::FaceId;
use impinge::{DVec3, TriMesh};

use crate::odd::{INDICES, ODD, odd, odd_point, odd_point2, valid_point};

fn odd_poly_mesh(rng: &mut Rng) -> PolyMesh {
    let n = 3 + rng.below(6);
    let positions: Vec<DVec3> = (0..n).map(|_| valid_point(rng)).collect();
    let mut outline =
        || -> Vec<u32> { (0..3 + rng.below(5)).map(|_| rng.below(n) as u32).collect() };
    let faces = [
        vec![outline()],
        vec![outline(), outline()],
        vec![outline(), outline(), outline()],
    ];
    PolyMesh::new(positions, faces).unwrap()
}

#[test]
fn polygon_meshes_are_refused_or_valid() {
    let good = vec![DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y];
    for bad in [f64::NAN, f64::INFINITY, 1e308, 2.0 * MAX_COORDINATE] {
        for axis in 0..3 {
            let mut positions = good.clone();
            positions[1][axis] = bad;
            assert!(PolyMesh::from_outlines(positions, [[0, 1, 2, 3]]).is_err());
        }
    }
    for bad in [4, u32::MAX / 3, u32::MAX - 1, u32::MAX] {
        assert!(PolyMesh::from_outlines(good.clone(), [[0, 1, bad]]).is_err());
        assert!(PolyMesh::new(good.clone(), [[vec![0, 1, 2], vec![1, 2, bad]]]).is_err());
    }
    let empty: [u32; 0] = [];
    assert!(PolyMesh::from_outlines(good.clone(), [empty]).is_err());
    assert!(PolyMesh::from_outlines(good.clone(), [[0, 1]]).is_err());
    let no_loops: [[[u32; 3]; 0]; 1] = [[]];
    assert!(PolyMesh::new(good, no_loops).is_err());
    let nothing: [[u32; 3]; 0] = [];
    assert!(PolyMesh::from_outlines(Vec::new(), nothing).is_ok());
}

#[test]
fn faces_answer_for_every_point() {
    let mut rng = Rng::new(1);
    for _ in 0..2000 {
        let mesh = odd_poly_mesh(&mut rng);
        let cut = triangulate(&mesh);
        assert!(TriMesh::new(cut.mesh.positions().to_vec(), cut.mesh.faces().to_vec()).is_ok());
        for finding in findings(&mesh, odd(&mut rng)) {
            assert!(!finding.to_string().is_empty());
        }
        let solid = PolySolid::new(&mesh);
        let (p, q) = (odd_point(&mut rng), odd_point(&mut rng));
        let (r, s) = (valid_point(&mut rng), valid_point(&mut rng));
        let _ = (solid.locate(p), solid.locate(r), mesh.bounds());
        for raw in INDICES {
            let face = mesh.face(FaceId::new(raw));
            assert_eq!(face.is_some(), raw < 3);
            let Some(face) = face else { continue };
            assert_eq!(face.points(&[raw, u32::MAX]).count(), 1);
            let Some(plane) = FacePlane::new(&face) else {
                continue;
            };
            assert!(
                plane.normal.is_finite() && plane.point.is_finite(),
                "{plane:?}"
            );
            assert!(plane.deviation >= 0.0 && !plane.signed_distance(r).is_nan());
            let Some(polygon) = Polygon::new(face) else {
                continue;
            };
            let mut hits = PrecheckHits::default();
            for p in [p, r] {
                let _ = (polygon.contains(p), polygon.locate(p));
                let _ = polygon.contains_counted(p, &mut hits);
            }
            for (u, v) in [(p, q), (r, s), (p, s)] {
                if let Some(hit) = polygon.edge_hit(u, v) {
                    assert!(
                        (0.0..=1.0).contains(&hit.t) && hit.point.is_finite(),
                        "{hit:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn outlines_of_any_numbers_are_answered() {
    let mut rng = Rng::new(2);
    for _ in 0..20_000 {
        let ring: Vec<DVec2> = (0..rng.below(8)).map(|_| odd_point2(&mut rng)).collect();
        let q = odd_point2(&mut rng);
        let rings = [ring.clone(), ring.clone()];
        let _ = (contains(&rings, q), locate(&rings, q));
        let _ = contains_counted(&rings, q, &mut PrecheckHits::default());
        assert!(!angle_sum(&ring, q).is_nan(), "{ring:?} {q}");
        let _ = (convex_contains(&ring, q), convex_locate(&ring, q));
        let _ = (
            is_convex(&ring),
            is_strictly_convex(&ring),
            is_simple(&rings),
        );
        for index in [0, 1, 7, usize::MAX] {
            let corner = ring.corner(index);
            assert!(
                ring.is_empty()
                    || ring
                        .iter()
                        .any(|p| p.to_array().map(f64::to_bits)
                            == corner.to_array().map(f64::to_bits))
            );
        }
        if let Some(wedges) = Wedges::new(ring) {
            let _ = wedges.locate(q);
        }
        let points: Vec<DVec3> = (0..rng.below(5)).map(|_| valid_point(&mut rng)).collect();
        assert!(!area_vector(points).is_nan());
        let _ = area_vector([
            odd_point(&mut rng),
            odd_point(&mut rng),
            odd_point(&mut rng),
        ]);
        let _ = Projection::along(odd_point(&mut rng)).project(odd_point(&mut rng));
    }
    let none: [Vec<DVec2>; 0] = [];
    assert!(is_simple(&none) && !contains(&none, DVec2::ZERO));
    for flat_within in ODD {
        let square = vec![DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y];
        let mesh = PolyMesh::from_outlines(square, [[0, 1, 2, 3]]).unwrap();
        let _ = findings(&mesh, flat_within);
    }
}
