//! Swept balls against meshes: closed form, brute force and the impact query agree.

use std::sync::Arc;

use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
use impinge::geom::{closest_point_on_triangle, swept_ball_triangle};
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::query::Limits;
use impinge::{DVec3, TriMesh, generate};

fn meshes() -> Vec<TriMesh> {
    vec![
        generate::icosphere(1.0, 6).unwrap(),
        generate::cuboid(DVec3::new(1.0, 2.0, 0.5), [2, 3, 1]).unwrap(),
        generate::tetrahedron(1.0).unwrap(),
    ]
}

/// The smallest distance of a point from a mesh, face by face.
fn distance(mesh: &TriMesh, p: DVec3) -> f64 {
    mesh.triangles()
        .map(|t| closest_point_on_triangle(p, &t).distance)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn a_ball_stops_where_its_radius_is_used_up() {
    let mut rng = Rng::new(11);
    for mesh in meshes() {
        let tree = WideTree::new(Arc::new(mesh.clone()));
        let mut cache = SingleTreeCache::default();
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..1500 {
            let radius = rng.range(0.01, 0.6);
            let (from, to) = (rng.cube() * 3.0, rng.cube() * 3.0);
            let found = tree
                .first_ball_hit(radius, from, to, Limits::default(), &mut cache)
                .unwrap();
            // Every face, without the tree.
            let every = mesh
                .triangles()
                .filter_map(|t| swept_ball_triangle(from, to, radius, &t));
            let first = every.map(|hit| hit.t).fold(f64::INFINITY, f64::min);
            assert_eq!(found.value.map_or(f64::INFINITY, |hit| hit.t), first);
            // And what a swept ball means, at sampled times.
            let free_until = first.min(1.0);
            for k in 0..20 {
                let t = free_until * f64::from(k) / 20.0;
                assert!(distance(&mesh, from + (to - from) * t) >= radius - 1e-9 || first == 0.0);
            }
            match found.value {
                Some(hit) if hit.t > 0.0 => {
                    hits += 1;
                    let gap = distance(&mesh, hit.center) - radius;
                    assert!(gap.abs() < 1e-9, "{gap}");
                    assert!(((hit.center - hit.point).length() - radius).abs() < 1e-9);
                    assert!((hit.normal * radius - (hit.center - hit.point)).length() < 1e-9);
                }
                Some(hit) => assert!(distance(&mesh, from) <= radius && hit.center == from),
                None => misses += 1,
            }
        }
        assert!(hits > 100 && misses > 50, "{hits} {misses}");
    }
}

#[test]
fn the_time_lies_in_the_bracket_of_the_impact_query() {
    let mut rng = Rng::new(12);
    for mesh in meshes() {
        let (tree, shape) = (WideTree::new(Arc::new(mesh.clone())), Shape::from(mesh));
        let mut cache = SingleTreeCache::default();
        let mut hits = 0;
        for _ in 0..150 {
            let radius = rng.range(0.05, 0.4);
            let (from, to) = (rng.cube() * 1.6, rng.cube() * 1.6);
            let closed = tree
                .first_ball_hit(radius, from, to, Limits::default(), &mut cache)
                .unwrap();
            let bracket = shape.cast_ball(radius, from, to).unwrap();
            match closed.value {
                Some(hit) => {
                    hits += 1;
                    assert!(bracket.lower <= hit.t + 1e-9, "{} {}", bracket.lower, hit.t);
                    assert!(hit.t <= bracket.upper + 1e-9, "{} {}", bracket.upper, hit.t);
                }
                None => assert!(bracket.value.is_none_or(|hit| hit.t > 1.0 - 1e-6)),
            }
        }
        assert!(hits > 8, "{hits}");
    }
}

#[test]
fn a_ball_without_radius_is_a_segment() {
    let mut rng = Rng::new(13);
    for mesh in meshes() {
        let tree = WideTree::new(Arc::new(mesh));
        let mut cache = SingleTreeCache::default();
        for _ in 0..500 {
            let (from, to) = (rng.cube() * 3.0, rng.cube() * 3.0);
            let ball = tree.first_ball_hit(0.0, from, to, Limits::default(), &mut cache);
            let line = RayOrSegment::segment(from, to).unwrap();
            let segment = tree.first_hit(&line, Limits::default(), &mut cache);
            let ball = ball.unwrap().value.map(|hit| (hit.t, hit.face, hit.point));
            assert_eq!(ball, segment.value.map(|hit| (hit.t, hit.face, hit.point)));
        }
    }
}

#[test]
fn bad_balls_are_refused() {
    let tree = WideTree::new(Arc::new(generate::tetrahedron(1.0).unwrap()));
    let mut cache = SingleTreeCache::default();
    let mut cast = |radius, to| {
        tree.first_ball_hit(radius, DVec3::ZERO, to, Limits::default(), &mut cache)
            .is_err()
    };
    assert!(cast(-1.0, DVec3::X) && cast(f64::NAN, DVec3::X) && cast(f64::INFINITY, DVec3::X));
    assert!(cast(1.0, DVec3::splat(f64::NAN)));
    assert!(!cast(1.0, DVec3::ZERO));
}
