//! Rays and triangles.

use super::*;

/// A closed mesh as corner triples: the cube with its faces cut along varying diagonals.
fn cube() -> Vec<[DVec3; 3]> {
    let corner = |i: u32| DVec3::from([i & 1, i >> 1 & 1, i >> 2].map(f64::from)) * 2.0 - 1.0;
    BOX.iter().map(|face| face.map(corner)).collect()
}

fn icosahedron() -> Vec<[DVec3; 3]> {
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut points = Vec::new();
    for s in [-1.0, 1.0] {
        for t in [-g, g] {
            points.push(DVec3::new(0.0, s, t));
            points.push(DVec3::new(s, t, 0.0));
            points.push(DVec3::new(t, 0.0, s));
        }
    }
    let near = |a: DVec3, b: DVec3| ((a - b).length() - 2.0).abs() < 1e-9;
    let mut faces = Vec::new();
    for i in 0..12 {
        for j in 0..i {
            for k in 0..j {
                let (a, b, c) = (points[i], points[j], points[k]);
                if near(a, b) && near(b, c) && near(c, a) {
                    faces.push([a, b, c]);
                }
            }
        }
    }
    assert_eq!(faces.len(), 20);
    faces
}

fn hits(ray: &Ray, mesh: &[[DVec3; 3]]) -> Vec<RayHit> {
    mesh.iter().filter_map(|t| ray_triangle(ray, t)).collect()
}

#[test]
fn no_ray_from_inside_a_closed_mesh_slips_through_an_edge_or_corner() {
    let mut rng = Rng::new(9);
    for (mesh, turned) in [
        (cube(), false),
        (icosahedron(), false),
        (cube(), true),
        (icosahedron(), true),
    ] {
        let angle = impinge::Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
        let mesh: Vec<[DVec3; 3]> = mesh
            .iter()
            .map(|t| t.map(|p| if turned { angle * p } else { p }))
            .collect();
        let middle = if turned {
            angle * DVec3::ZERO
        } else {
            DVec3::ZERO
        };
        for round in 0..20_000 {
            let origin = match round % 3 {
                0 => middle,
                1 => middle + DVec3::new(rng.grid(-1, 1), rng.grid(-1, 1), rng.grid(-1, 1)) * 0.25,
                _ => middle + rng.cube() * 0.4,
            };
            let t = mesh[rng.below(mesh.len() as u64) as usize];
            let target = match rng.below(4) {
                0 => t[0],
                1 => t[0].lerp(t[1], 0.5),
                2 => t[1].lerp(t[2], rng.unit()),
                _ => middle + rng.direction() * 3.0,
            };
            let Ok(ray) = Ray::new(origin, target - origin) else {
                continue;
            };
            let found = hits(&ray, &mesh);
            assert!(!found.is_empty(), "{ray:?}");
            let first = found[0].t;
            assert!(
                found
                    .iter()
                    .all(|hit| (hit.t - first).abs() <= 1e-13 * (1.0 + first))
            );
        }
    }
}

#[test]
fn rays_on_the_grid_hit_exactly_the_closed_triangles_they_meet() {
    let mut rng = Rng::new(10);
    let (mut hit_count, mut border) = (0, 0);
    for round in 0..200_000_usize {
        let size = [2, 5, 200][round % 3];
        let (t, o, d) = (
            grid_triangle(&mut rng, size),
            grid_point(&mut rng, size),
            grid_point(&mut rng, size.min(3)),
        );
        if d == [0; 3] {
            continue;
        }
        let arms = t.map(|v| oracle::minus(v, o));
        let sides: [i128; 3] =
            std::array::from_fn(|i| oracle::det(arms[(i + 1) % 3], arms[(i + 2) % 3], d));
        let total: i128 = sides.iter().sum();
        let volume = oracle::det(arms[0], arms[1], arms[2]);
        let around = sides.iter().all(|&s| s >= 0) || sides.iter().all(|&s| s <= 0);
        let truth = total != 0 && around && volume * total >= 0;
        let ray = Ray::new(float(o), float(d)).unwrap();
        let found = ray_triangle(&ray, &t.map(float));
        assert_eq!(found.is_some(), truth, "{t:?} {o:?} {d:?}");
        if let Some(RayHit { t, barycentric }) = found {
            hit_count += 1;
            border += usize::from(sides.contains(&0));
            let exact_t = volume as f64 / total as f64;
            assert!(
                (t - exact_t).abs() <= 1e-12 * (1.0 + exact_t.abs()),
                "{t} {exact_t}"
            );
            for i in 0..3 {
                let exact_weight = sides[i] as f64 / total as f64;
                assert!((barycentric[i] - exact_weight).abs() < 1e-12);
                assert_eq!(barycentric[i] == 0.0, sides[i] == 0);
            }
        }
    }
    assert!(hit_count > 5_000 && border > 1_000, "{hit_count} {border}");
}

#[test]
fn tiny_and_huge_rays_hit_like_ordinary_ones() {
    for scale in [1e-300, 1e-120, 1e-30, 1e30, 1e44] {
        let t = [DVec3::ZERO, DVec3::X * scale, DVec3::Y * scale];
        for stretch in [1e-300, 1.0, 1e40] {
            let ray = Ray::new(
                DVec3::new(0.25, 0.25, -2.0) * scale,
                DVec3::new(0.0, 0.0, stretch),
            )
            .unwrap();
            let hit = ray_triangle(&ray, &t).unwrap();
            let expected = 2.0 * scale / stretch;
            assert!(!hit.t.is_nan());
            assert!(
                !expected.is_normal() || (hit.t / expected - 1.0).abs() < 1e-14,
                "{scale:e} {stretch:e} {hit:?}"
            );
            assert!((hit.barycentric[0] - 0.5).abs() < 1e-14);
        }
    }
    assert!(Ray::new([f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]).is_err());
    assert!(Ray::new([0.0; 3], [f64::INFINITY, 0.0, 0.0]).is_err());
}
