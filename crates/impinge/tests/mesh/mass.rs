//! Mass properties agree with closed forms, near and far from the origin.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::f64::consts::PI;

use impinge::math::Rng;
use impinge::mesh::{MassError, NormalWeight, area, mass, vertex_normals};
use impinge::{DMat3, DVec3, Pose, TriMesh};
use impinge_testkit::generate::meshes::BOX;

use crate::shapes::ball;

fn cuboid(min: DVec3, size: DVec3) -> TriMesh {
    let points = (0..8).map(|v| {
        let corner = DVec3::new(f64::from(v & 1), f64::from(v >> 1 & 1), f64::from(v >> 2));
        min + size * corner
    });
    TriMesh::from_points(points, BOX).unwrap()
}

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs().max(a.abs()).max(f64::MIN_POSITIVE)
}

#[test]
fn a_box_has_the_mass_of_a_box_wherever_it_stands() {
    let size = DVec3::new(2.0, 3.0, 5.0);
    for shift in [0.0, 1.0, -7.5, 1e6, 1e9] {
        let min = DVec3::splat(shift);
        let m = mass(&cuboid(min, size)).unwrap();
        assert!(
            close(m.volume, 30.0, 1e-14) && close(m.area, 62.0, 1e-14),
            "{m:?}"
        );
        assert!(
            (m.centroid - (min + size / 2.0)).abs().max_element() <= 1e-14 * (1.0 + shift.abs())
        );
        let expected = DVec3::new(9.0 + 25.0, 4.0 + 25.0, 4.0 + 9.0) * (30.0 / 12.0);
        let error = m.inertia - DMat3::from_diagonal(expected);
        assert!(
            error.to_cols_array().iter().all(|x| x.abs() < 1e-11),
            "{shift}: {error:?}"
        );
    }
}

#[test]
fn a_corner_tetrahedron_has_its_closed_form_inertia() {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let mesh = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let m = mass(&mesh).unwrap();
    assert!(close(m.volume, 1.0 / 6.0, 1e-15));
    assert!(close(m.area, 1.5 + 3.0_f64.sqrt() / 2.0, 1e-15));
    assert!((m.centroid - DVec3::splat(0.25)).length() < 1e-15);
    for i in 0..3 {
        for j in 0..3 {
            let expected = if i == j { 1.0 / 80.0 } else { 1.0 / 480.0 };
            assert!((m.inertia.col(i)[j] - expected).abs() < 1e-16);
        }
    }
}

#[test]
fn balls_converge_to_the_sphere_with_the_square_of_their_resolution() {
    let mut errors = Vec::new();
    for n in [8, 16, 32, 64] {
        let m = mass(&ball(n, 2 * n)).unwrap();
        let volume = 4.0 / 3.0 * PI;
        errors.push([
            volume - m.volume,
            4.0 * PI - m.area,
            0.4 * volume - m.inertia.x_axis.x,
        ]);
        assert!(m.centroid.length() < 1e-14);
    }
    for pair in errors.windows(2) {
        for (coarse, fine) in pair[0].iter().zip(&pair[1]) {
            let ratio = coarse / fine;
            assert!((3.6..4.4).contains(&ratio), "{errors:?}");
        }
    }
}

#[test]
fn turning_a_body_turns_its_inertia() {
    let mut rng = Rng::new(4);
    for _ in 0..50 {
        let body = cuboid(rng.cube(), DVec3::new(1.0, 2.0, 4.0));
        let pose =
            Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), rng.cube() * 10.0).unwrap();
        let (a, b) = (
            mass(&body).unwrap(),
            mass(&body.placed(&pose).unwrap()).unwrap(),
        );
        let turned = *pose.rotation() * a.inertia * pose.rotation().transpose();
        assert!(
            (turned - b.inertia)
                .to_cols_array()
                .iter()
                .all(|x| x.abs() < 1e-11)
        );
        assert!((pose * a.centroid - b.centroid).length() < 1e-13);
        assert!(close(a.volume, b.volume, 1e-13) && close(a.area, b.area, 1e-13));
    }
}

#[test]
fn scaling_by_powers_of_two_scales_every_digit() {
    let body = cuboid(DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.3, 0.7, 0.9));
    let m = mass(&body).unwrap();
    for exponent in [-60, -3, 5, 100] {
        let s = 2.0_f64.powi(exponent);
        let points = body.positions().iter().map(|&p| p * s);
        let scaled = mass(&TriMesh::from_points(points, BOX).unwrap()).unwrap();
        assert_eq!(scaled.volume, m.volume * s * s * s);
        assert_eq!(scaled.area, m.area * s * s);
        assert_eq!(scaled.centroid, m.centroid * s);
        assert_eq!(scaled.inertia, m.inertia * (s * s * s * s * s));
    }
}

#[test]
fn inside_out_bodies_have_negative_volume_and_the_same_centroid() {
    let body = cuboid(DVec3::ONE, DVec3::new(1.0, 2.0, 3.0));
    let reversed = TriMesh::from_points(
        body.positions().iter().copied(),
        BOX.map(|[a, b, c]| [a, c, b]),
    )
    .unwrap();
    let (a, b) = (mass(&body).unwrap(), mass(&reversed).unwrap());
    assert_eq!(
        (b.volume, b.centroid, b.area),
        (-a.volume, a.centroid, a.area)
    );
}

#[test]
fn cavities_are_subtracted() {
    let (mut points, mut faces) = cuboid(DVec3::ZERO, DVec3::splat(4.0)).into_parts();
    points.extend(cuboid(DVec3::ONE, DVec3::splat(2.0)).positions());
    faces.extend(BOX.map(|[a, b, c]| [a + 8, c + 8, b + 8]));
    let m = mass(&TriMesh::new(points, faces).unwrap()).unwrap();
    assert!(close(m.volume, 64.0 - 8.0, 1e-14) && close(m.area, 96.0 + 24.0, 1e-14));
}

#[test]
fn what_has_no_mass_is_said() {
    assert_eq!(mass(&TriMesh::default()), Err(MassError::Empty));
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let open = TriMesh::from_points(points, [[0, 1, 2]]).unwrap();
    assert!(matches!(mass(&open), Err(MassError::NotClosed { .. })));
    let flat = TriMesh::from_points(points, [[0, 1, 2], [2, 1, 0]]).unwrap();
    assert!(matches!(mass(&flat), Err(MassError::NoVolume { .. })));
    assert_eq!(area(&flat), 1.0);
}

#[test]
fn vertex_normals_of_a_ball_point_outwards_and_angle_weights_ignore_the_cut() {
    let mesh = ball(24, 48);
    for weight in [NormalWeight::Area, NormalWeight::Angle] {
        for (normal, p) in vertex_normals(&mesh, weight)
            .into_iter()
            .zip(mesh.positions())
        {
            assert!(normal.unwrap().dot(*p) > 0.999);
        }
    }
    let cube = cuboid(DVec3::ZERO, DVec3::ONE);
    for (normal, &p) in vertex_normals(&cube, NormalWeight::Angle)
        .into_iter()
        .zip(cube.positions())
    {
        let diagonal = (p - DVec3::splat(0.5)).normalize();
        assert!((normal.unwrap() - diagonal).length() < 1e-14);
    }
}
