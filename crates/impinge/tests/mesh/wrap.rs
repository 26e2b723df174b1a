//! A wrap is closed, manifold, outward, free of self-intersections, contains its input and stays
//! near it, whatever the input is.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::generate::{
    cuboid, gear, icosphere, menger_sponge, soup, terrain, torus, torus_knot, vase,
};
use impinge::math::Rng;
use impinge::mesh::{classify, mass};
use impinge::wrap::{WrapError, WrapOptions, Wrapped, wrap};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::damaged::damaged_meshes;
use impinge_testkit::wraps;

fn wrapped(mesh: &TriMesh, options: &WrapOptions) -> Result<Wrapped, WrapError> {
    wrap(&WideTree::new(Arc::new(mesh.clone())), options)
}

fn diagonal(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    (bounds.max - bounds.min).length()
}

/// The wrap, after all its promises were checked.
fn checked(name: &str, mesh: &TriMesh, offset: f64) -> Wrapped {
    let found = wrapped(mesh, &WrapOptions::new(offset)).unwrap();
    assert!(found.farthest <= offset && found.nearest > 0.0, "{name}");
    let facts = wraps::check(
        &Arc::new(mesh.clone()),
        &Arc::new(found.mesh.clone()),
        Some(found.farthest),
    );
    assert!(facts.is_ok(), "{name}, offset {offset}: {facts:?}");
    found
}

/// The offset that an error names as fitting.
fn fitting(error: &WrapError) -> Option<f64> {
    match *error {
        WrapError::TooFine { fits, .. } | WrapError::Unresolved { fits, .. } => Some(fits),
        _ => None,
    }
}

fn with_faces(mesh: &TriMesh, faces: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::new(mesh.positions().to_vec(), faces).unwrap()
}

#[test]
fn damaged_meshes_are_wrapped() {
    for damaged in damaged_meshes() {
        let size = diagonal(&damaged.mesh);
        if damaged.mesh.is_empty() {
            let error = wrapped(&damaged.mesh, &WrapOptions::new(1.0)).unwrap_err();
            assert_eq!(error, WrapError::Empty);
            continue;
        }
        for share in [0.05, 0.3, 1.0] {
            match wrapped(&damaged.mesh, &WrapOptions::new(share * size)) {
                // One of them is damaged by being too far from the origin for such a detail.
                Err(WrapError::Unresolved { fits, .. }) => {
                    checked(damaged.name, &damaged.mesh, fits);
                }
                _ => {
                    checked(damaged.name, &damaged.mesh, share * size);
                }
            }
        }
    }
}

#[test]
fn random_soups_are_wrapped() {
    let mut rng = Rng::new(7);
    for seed in 0..8 {
        let mesh = soup(30, 0.8, seed).unwrap();
        let share = [0.04, 0.06, 0.1, 0.5][seed as usize % 4];
        checked("soup", &mesh, share * diagonal(&mesh));
    }
    // On a small grid many faces are coplanar, equal, flat or points.
    for case in 0..8 {
        let points: Vec<DVec3> = (0..24)
            .map(|_| DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2)))
            .collect();
        let corner = |rng: &mut Rng| rng.below(24) as u32;
        let faces = (0..10)
            .map(|_| [corner(&mut rng), corner(&mut rng), corner(&mut rng)])
            .collect();
        let mesh = TriMesh::new(points, faces).unwrap();
        checked("grid", &mesh, [0.2, 0.3, 0.5, 1.0][case % 4]);
    }
}

#[test]
fn single_triangles_segments_and_points_are_wrapped() {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.2, 0.1],
        [0.3, 1.0, -0.4],
        [0.5, 0.1, 0.05],
    ];
    for face in [[0, 1, 2], [0, 1, 3], [0, 0, 1], [0, 0, 0], [2, 1, 2]] {
        let mesh = TriMesh::from_points(points, [face]).unwrap();
        for offset in [0.03, 0.07, 0.3, 20.0] {
            let found = checked("one face", &mesh, offset);
            assert_eq!(classify(&found.mesh).components, 1);
            assert_eq!(classify(&found.mesh).genus(), Some(0));
        }
    }
}

#[test]
fn holes_flips_doubles_and_crossings_do_not_matter() {
    let mut rng = Rng::new(3);
    let models = [
        ("torus", torus(1.0, 0.4, 24, 12).unwrap()),
        ("gear", gear(9, 3, 0.5, 0.3).unwrap()),
        ("vase", vase(16, 12, 0.05).unwrap()),
        ("knot", torus_knot(2, 3, 0.5, 60, 8).unwrap()),
        ("sponge", menger_sponge(1.0, 2).unwrap()),
        ("sheet", terrain(12, 12, 5).unwrap()),
    ];
    for (name, mesh) in &models {
        let offset = 0.035 * diagonal(mesh);
        checked(name, mesh, offset);
        let mut faces = Vec::new();
        for &[a, b, c] in mesh.faces() {
            match rng.below(10) {
                0..3 => {}
                3..6 => faces.push([a, c, b]),
                _ => faces.push([a, b, c]),
            }
        }
        let holed = with_faces(mesh, faces.clone());
        let of_holed = checked(name, &holed, offset);
        // Doubled faces in another order: the same solid, bit for bit.
        let doubled = faces.iter().rev().chain(&faces).copied().collect();
        let again = wrapped(&with_faces(mesh, doubled), &WrapOptions::new(offset)).unwrap();
        assert_eq!(again, of_holed, "{name}");
        // Two copies through each other.
        let mut points = mesh.positions().to_vec();
        let turn = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7, DVec3::ZERO);
        points.extend(mesh.placed(&turn.unwrap()).unwrap().positions());
        let shift = mesh.vertex_count() as u32;
        let mut both = mesh.faces().to_vec();
        both.extend(mesh.faces().iter().map(|face| face.map(|v| v + shift)));
        checked(name, &TriMesh::new(points, both).unwrap(), offset);
    }
}

#[test]
fn a_closed_surface_is_filled_and_an_open_one_is_a_thin_solid() {
    let cube = cuboid(DVec3::splat(1.0), [4; 3]).unwrap();
    let whole = checked("cube", &cube, 0.05);
    let volume = mass(&whole.mesh).unwrap().volume;
    assert!((1.0..1.1_f64.powi(3)).contains(&volume), "{volume}");
    assert_eq!(classify(&whole.mesh).components, 1);
    // A ball inside the cube adds nothing.
    let inner = icosphere(0.2, 6).unwrap();
    let mut points = cube.positions().to_vec();
    points.extend(inner.positions());
    let shift = cube.vertex_count() as u32;
    let mut faces = cube.faces().to_vec();
    faces.extend(inner.faces().iter().map(|face| face.map(|v| v + shift)));
    let nested = TriMesh::new(points, faces).unwrap();
    assert_eq!(checked("nested", &nested, 0.05), whole);

    // Without a lid the inside is reached; with the gap closed it is not.
    let top = |face: &&[u32; 3]| !face.iter().all(|&v| cube.positions()[v as usize].z == 0.5);
    let open = with_faces(&cube, cube.faces().iter().filter(top).copied().collect());
    let shell = checked("open", &open, 0.08);
    assert!(mass(&shell.mesh).unwrap().volume < 0.7);
    let options = WrapOptions {
        gap: 1.5,
        ..WrapOptions::new(0.08)
    };
    let lidded = wrapped(&open, &options).unwrap();
    let facts = wraps::check(&Arc::new(open), &Arc::new(lidded.mesh.clone()), None);
    assert!(facts.is_ok(), "{facts:?}");
    let volume = mass(&lidded.mesh).unwrap().volume;
    assert!((0.9..1.6).contains(&volume), "{volume}");
}

#[test]
fn gaps_are_closed_by_width() {
    // A box with a square hole of side 0.25 in its lid.
    let cube = cuboid(DVec3::splat(1.0), [8; 3]).unwrap();
    let is_kept = |face: &&[u32; 3]| {
        let corners = face.map(|v| cube.positions()[v as usize]);
        let is_in_hole = |p: &DVec3| p.z == 0.5 && p.x.abs() <= 0.13 && p.y.abs() <= 0.13;
        !corners.iter().all(is_in_hole)
    };
    let holed = with_faces(
        &cube,
        cube.faces().iter().filter(is_kept).copied().collect(),
    );
    assert_eq!(holed.face_count(), cube.face_count() - 8);
    let volume = |offset: f64, gap: f64| {
        let options = WrapOptions {
            gap,
            ..WrapOptions::new(offset)
        };
        let found = wrapped(&holed, &options).unwrap();
        let offset = (gap <= 0.0).then_some(found.farthest);
        let facts = wraps::check(
            &Arc::new(holed.clone()),
            &Arc::new(found.mesh.clone()),
            offset,
        );
        assert!(facts.is_ok(), "{facts:?}");
        mass(&found.mesh).unwrap().volume
    };
    assert!(volume(0.04, 0.0) < 0.5);
    assert!(volume(0.04, 0.1) < 0.6);
    assert!(volume(0.04, 0.36) > 1.0);
    assert!(volume(0.04, 0.5) > 1.0);
    // An offset more than twice as wide as the hole closes it by itself.
    assert!(volume(0.9, 0.0) > 1.0);
}

#[test]
fn scaling_by_a_power_of_two_scales_the_wrap() {
    let mesh = torus(1.0, 0.4, 16, 8).unwrap();
    let one = wrapped(&mesh, &WrapOptions::new(0.06)).unwrap();
    for scale in [2.0_f64.powi(-60), 0.25, 2.0_f64.powi(40)] {
        let points = mesh.positions().iter().map(|&p| p * scale).collect();
        let scaled = TriMesh::new(points, mesh.faces().to_vec()).unwrap();
        let other = wrapped(&scaled, &WrapOptions::new(0.06 * scale)).unwrap();
        assert_eq!(other.mesh.faces(), one.mesh.faces());
        let back: Vec<DVec3> = other.mesh.positions().iter().map(|&p| p / scale).collect();
        assert_eq!(back, one.mesh.positions());
    }
}

#[test]
fn a_wrap_far_from_the_origin_keeps_its_promises() {
    let ball = icosphere(1.0, 5).unwrap();
    let pose = Pose::from_translation([1e6, -3e6, 2e6]).unwrap();
    let far = ball.placed(&pose).unwrap();
    checked("far", &far, 0.1);
    let error = wrapped(&far, &WrapOptions::new(1e-4)).unwrap_err();
    assert!(matches!(error, WrapError::Unresolved { .. }), "{error}");
    let fits = fitting(&error).unwrap();
    assert!(fits > 1e-4 && wrapped(&far, &WrapOptions::new(fits.max(0.1))).is_ok());
}

#[test]
fn coordinates_survive_single_precision() {
    let mesh = torus_knot(2, 3, 0.5, 60, 8).unwrap();
    let found = wrapped(&mesh, &WrapOptions::new(0.01 * diagonal(&mesh))).unwrap();
    for p in found.mesh.positions() {
        assert_eq!(p.as_vec3().as_dvec3(), *p);
    }
}

#[test]
fn bad_options_are_refused_and_a_fitting_offset_is_named() {
    let mesh = torus(1.0, 0.4, 16, 8).unwrap();
    for offset in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = wrapped(&mesh, &WrapOptions::new(offset)).unwrap_err();
        assert!(matches!(error, WrapError::BadOffset { .. }), "{error}");
    }
    let options = WrapOptions {
        gap: -1.0,
        ..WrapOptions::new(0.1)
    };
    let error = wrapped(&mesh, &options).unwrap_err();
    assert_eq!(error, WrapError::BadGap { value: -1.0 });
    let error = wrapped(&mesh, &WrapOptions::new(1e200)).unwrap_err();
    assert!(matches!(error, WrapError::TooFar { .. }), "{error}");

    let limited = |offset| WrapOptions {
        max_cells: 3000,
        ..WrapOptions::new(offset)
    };
    for offset in [1e-6, 0.001, 0.03] {
        let error = wrapped(&mesh, &limited(offset)).unwrap_err();
        assert!(matches!(error, WrapError::TooFine { .. }), "{error}");
        let fits = fitting(&error).unwrap();
        assert!(fits > offset && fits < 1.0, "{error}");
        assert!(wrapped(&mesh, &limited(fits)).is_ok(), "{error}");
        assert!(error.to_string().contains("fits"), "{error}");
    }
}
