//! Eigenvectors of symmetric matrices rebuild the matrix.

use impinge::math::Rng;
use impinge::math::eigen::symmetric_eigen;
use impinge::{DMat3, DVec3};

fn check_eigen(m: &DMat3) {
    let eigen = symmetric_eigen(m);
    let size = m
        .to_cols_array()
        .iter()
        .fold(0.0_f64, |s, x| s.max(x.abs()));
    let v = eigen.vectors;
    assert!((v.transpose() * v).abs_diff_eq(DMat3::IDENTITY, 2e-15));
    assert!(v.determinant() > 0.0);
    let [x, y, z] = eigen.values;
    assert!(x >= y && y >= z);
    if size == 0.0 {
        assert_eq!(eigen.values, [0.0; 3]);
        return;
    }
    let scaled = DVec3::new(x / size, y / size, z / size);
    let rebuilt = v * DMat3::from_diagonal(scaled) * v.transpose();
    let wanted = DMat3::from_cols_array(&m.to_cols_array().map(|x| x / size));
    assert!(rebuilt.abs_diff_eq(wanted, 4e-15), "{m:?}");
}

#[test]
fn eigenvectors_rebuild_the_matrix_and_form_a_rotation() {
    let mut rng = Rng::new(15);
    for round in 0..50_000 {
        let mut entry = || {
            if round % 2 == 0 {
                rng.range(-1.0, 1.0)
            } else {
                rng.grid(-2, 2)
            }
        };
        let (xx, yy, zz, xy, yz, zx) = (entry(), entry(), entry(), entry(), entry(), entry());
        let tiny = if round % 5 == 0 { 1e-9 } else { 1.0 };
        let m = DMat3::from_cols(
            DVec3::new(xx, xy * tiny, zx * tiny),
            DVec3::new(xy * tiny, yy, yz),
            DVec3::new(zx * tiny, yz, zz),
        );
        for scale in [1.0, 1e100, 1e-100, 1e-300, 1e300] {
            check_eigen(&(m * scale));
        }
    }
}

#[test]
fn known_and_repeated_eigenvalues_come_out() {
    let m = DMat3::from_cols(
        DVec3::new(2.0, 1.0, 0.0),
        DVec3::new(1.0, 2.0, 0.0),
        DVec3::new(0.0, 0.0, 3.0),
    );
    let [x, y, z] = symmetric_eigen(&m).values;
    assert!((x - 3.0).abs() < 1e-15 && (y - 3.0).abs() < 1e-15 && (z - 1.0).abs() < 1e-15);
    let ones = DMat3::from_cols(DVec3::ONE, DVec3::ONE, DVec3::ONE);
    let eigen = symmetric_eigen(&ones);
    assert!((eigen.values[0] - 3.0).abs() < 1e-15 && eigen.values[2].abs() < 1e-15);
    assert!((eigen.vectors.x_axis.abs() - 1.0 / 3.0_f64.sqrt()).length() < 1e-15);
    for m in [
        DMat3::ZERO,
        DMat3::IDENTITY,
        -DMat3::IDENTITY,
        DMat3::IDENTITY * f64::MAX,
        DMat3::IDENTITY * 5e-324,
    ] {
        check_eigen(&m);
    }
    // A turned matrix with a tiny gap: the values stay accurate to rounding.
    let r = *impinge::Pose::from_axis_angle([1.0, 2.0, 3.0], 1.0, [0.0; 3])
        .unwrap()
        .rotation();
    let wanted = DVec3::new(1.0 + 1e-10, 1.0, 1e-6);
    let [x, y, z] = symmetric_eigen(&(r * DMat3::from_diagonal(wanted) * r.transpose())).values;
    assert!((DVec3::new(x, y, z) - wanted).length() < 1e-15);
    let nan = symmetric_eigen(&DMat3::from_diagonal(DVec3::new(
        f64::NAN,
        2.0,
        f64::INFINITY,
    )));
    assert_eq!(nan.values, [2.0, 0.0, 0.0]);
}
