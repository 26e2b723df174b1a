//! Points are located exactly, wherever the ray happens to pass.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{
    InsideError, InsideTest, Location, locate_by_parity, winding_number,
};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::meshes::BOX;

type Point = [i64; 3];

/// The sign of the volume of four points, in integers.
fn orientation(a: Point, b: Point, c: Point, d: Point) -> i64 {
    let [u, v, w] = [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    let det = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
        + u[2] * (v[0] * w[1] - v[1] * w[0]);
    det.signum()
}

/// Where a point lies with respect to a tetrahedron of volume: −1 outside, 0 on it, 1 inside.
fn side_of_tetrahedron(corners: [Point; 4], p: Point) -> i64 {
    let [a, b, c, d] = corners;
    let whole = orientation(a, b, c, d);
    [
        orientation(p, b, c, d),
        orientation(a, p, c, d),
        orientation(a, b, p, d),
        orientation(a, b, c, p),
    ]
    .into_iter()
    .map(|part| part * whole)
    .min()
    .unwrap()
}

/// A few tetrahedra with corners on one small grid, as one mesh over shared vertices.
struct Cluster {
    tetrahedra: Vec<[Point; 4]>,
    mesh: TriMesh,
}

fn cluster(rng: &mut Rng, size: i64) -> Cluster {
    let n = size + 1;
    let points = (0..n * n * n).map(|i| [i % n, i / n % n, i / n / n]);
    let points: Vec<Point> = points.collect();
    let mut tetrahedra = Vec::new();
    let mut faces: Vec<[u32; 3]> = Vec::new();
    while tetrahedra.len() < 4 {
        let corners = [0; 4].map(|_| rng.below(points.len() as u64) as usize);
        let [a, b, c, d] = corners.map(|i| points[i]);
        if orientation(a, b, c, d) != 0 {
            tetrahedra.push([a, b, c, d]);
            let [a, b, c, d] = corners.map(|i| i as u32);
            faces.extend([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]);
        }
    }
    let positions = points
        .iter()
        .map(|p| DVec3::from_array(p.map(|x| x as f64)));
    Cluster {
        tetrahedra,
        mesh: TriMesh::from_points(positions, faces).unwrap(),
    }
}

#[test]
fn parity_and_winding_agree_with_integers_for_points_on_the_grid_of_the_vertices() {
    let mut rng = Rng::new(1);
    let mut seen = [0; 3];
    for _ in 0..400 {
        let Cluster { tetrahedra, mesh } = cluster(&mut rng, 4);
        let test = InsideTest::new(&mesh).unwrap();
        for i in 0..125 {
            let p: Point = [i % 5, i / 5 % 5, i / 25];
            let sides: Vec<i64> = tetrahedra
                .iter()
                .map(|&t| side_of_tetrahedron(t, p))
                .collect();
            let around = sides.iter().filter(|&&side| side > 0).count();
            let expected = if sides.contains(&0) {
                Location::OnBoundary
            } else if around % 2 == 1 {
                Location::Inside
            } else {
                Location::Outside
            };
            seen[expected as usize] += 1;
            let q = DVec3::from_array(p.map(|x| x as f64));
            assert_eq!(test.locate(q).unwrap(), expected, "{p:?} {tetrahedra:?}");
            let winding = (expected != Location::OnBoundary).then(|| {
                let signs = tetrahedra.iter().zip(&sides).filter(|(_, side)| **side > 0);
                signs
                    .map(|(t, _)| orientation(t[0], t[1], t[2], t[3]))
                    .sum::<i64>()
            });
            assert_eq!(test.winding(q).unwrap(), winding);
            if let Some(winding) = winding {
                assert!((winding_number(&mesh, q) - winding as f64).abs() < 1e-12);
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

#[test]
fn faces_that_name_a_vertex_twice_change_nothing_but_what_lies_on_them() {
    let mut rng = Rng::new(2);
    for _ in 0..50 {
        let Cluster { mesh, .. } = cluster(&mut rng, 3);
        let (points, mut faces) = mesh.clone().into_parts();
        let [a, b] = [0; 2].map(|_: u32| rng.below(64) as u32);
        faces.push([a, b, a]);
        let with = TriMesh::new(points, faces).unwrap();
        for _ in 0..50 {
            let p = DVec3::new(
                rng.range(0.0, 3.0),
                rng.range(0.0, 3.0),
                rng.range(0.0, 3.0),
            );
            assert_eq!(locate_by_parity(&with, p), locate_by_parity(&mesh, p));
        }
        let middle = (mesh.positions()[a as usize] + mesh.positions()[b as usize]) / 2.0;
        assert_eq!(locate_by_parity(&with, middle), Ok(Location::OnBoundary));
    }
}

#[test]
fn corners_and_rounded_points_of_turned_faces_are_located_consistently() {
    let mut rng = Rng::new(3);
    for _ in 0..100 {
        let Cluster { mesh, .. } = cluster(&mut rng, 4);
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), rng.cube()).unwrap();
        let mesh = mesh.placed(&pose).unwrap();
        let test = InsideTest::new(&mesh).unwrap();
        for &v in mesh.faces().iter().flatten() {
            assert_eq!(
                test.locate(mesh.positions()[v as usize]),
                Ok(Location::OnBoundary)
            );
        }
    }
}

#[test]
fn open_meshes_and_bad_points_are_refused() {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let open = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2]]).unwrap();
    let error = locate_by_parity(&open, DVec3::ONE).unwrap_err();
    assert!(matches!(error, InsideError::NotClosed { faces: 1, .. }));
    assert!(
        error
            .to_string()
            .contains("the edge between vertex 1 and vertex 2 has 1 faces")
    );
    let closed =
        TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let nan = DVec3::new(f64::NAN, 0.0, 0.0);
    assert_eq!(
        locate_by_parity(&closed, nan),
        Err(InsideError::InvalidPoint)
    );
    assert_eq!(
        locate_by_parity(&TriMesh::default(), DVec3::ZERO),
        Ok(Location::Outside)
    );
}

#[test]
fn winding_number_of_a_half_open_box_falls_from_one_to_zero() {
    let points: Vec<DVec3> = (0..8)
        .map(|v| DVec3::new(f64::from(v & 1), f64::from(v >> 1 & 1), f64::from(v >> 2)))
        .collect();
    let mut faces = BOX.to_vec();
    // The lid.
    faces.drain(2..4);
    let without_lid = TriMesh::new(points, faces).unwrap();
    let at = |z: f64| winding_number(&without_lid, DVec3::new(0.5, 0.5, z));
    // The missing lid is a sixth of the view from the middle.
    assert!((at(0.5) - 5.0 / 6.0).abs() < 1e-14);
    assert!(at(0.1) > at(0.5) && at(0.5) > at(0.9) && at(0.9) > at(1.5) && at(1.5) > at(9.0));
    assert!(at(9.0).abs() < 0.01);
}
