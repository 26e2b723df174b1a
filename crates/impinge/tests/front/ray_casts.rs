//! Rays and segments against every kind of shape: sphere tracing, brute force, closed forms.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::convex::{Convex, Segment, SupportMap, SupportPoint, Triangle};
use impinge::geom::{closest_point_on_triangle, ray_triangle};
use impinge::math::Rng;
use impinge::pair::{CastError, CustomShape, RayHit};
use impinge::prelude::*;
use impinge_testkit::generate::meshes;

use crate::shapes::{angle, dust, hills, pair_of_solids, point, scan, shape_of, solids};

/// Steps of sphere tracing. Near-grazing rays are left out where it did not settle.
const STEPS: u32 = 4000;

/// Where a ray of unit direction first comes within 10⁻¹² of a shape that is 1-Lipschitz in its distance; none when it leaves the
/// ball of radius 8, an error when it does not settle.
pub(crate) fn trace(ray: &Ray, distance: &dyn Fn(DVec3) -> f64) -> Result<Option<f64>, ()> {
    let mut t = 0.0;
    for _ in 0..STEPS {
        let gap = distance(ray.at(t));
        if gap < 1e-12 {
            return Ok(Some(t));
        }
        t += gap;
        if t > 16.0 {
            return Ok(None);
        }
    }
    Err(())
}

/// A ray from outside towards the shapes around the origin.
pub(crate) fn aimed(rng: &mut Rng) -> Ray {
    let from = rng.direction() * rng.range(2.5, 6.0);
    let at = point(rng, 1.0);
    Ray::new(from, (at - from).normalize()).unwrap()
}

fn hit(shape: &Shape, ray: &Ray) -> Option<RayHit> {
    shape.cast_ray(ray).unwrap()
}

#[test]
fn rays_at_convex_shapes_end_where_sphere_tracing_does() {
    let mut rng = Rng::new(41);
    for solid in solids()
        .into_iter()
        .filter(|s| !["segment", "triangle"].contains(&s.name))
    {
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..150 {
            let ray = aimed(&mut rng);
            let found = hit(&solid.shape, &ray);
            let Ok(expected) = trace(&ray, &solid.distance) else {
                continue;
            };
            assert_eq!(
                found.is_some(),
                expected.is_some(),
                "{}: {ray:?}",
                solid.name
            );
            let (Some(found), Some(expected)) = (found, expected) else {
                misses += 1;
                continue;
            };
            hits += 1;
            // Sphere tracing stops short by the tolerance over the cosine.
            let cosine = -found.normal.dot(ray.direction());
            assert!(
                (found.t - expected).abs() <= 1e-9 / cosine.max(1e-6),
                "{}: {found:?} for {expected}",
                solid.name
            );
            assert!((found.normal.length() - 1.0).abs() < 1e-9 && cosine >= 0.0);
            assert!((found.point - ray.at(found.t)).length() < 1e-12);
            // The normal leads away from the shape.
            let outside = found.point + found.normal * 1e-4;
            let off = (solid.distance)(outside);
            assert!((off - 1e-4).abs() < 1e-7, "{}: {off}", solid.name);
        }
        assert!(hits > 25 && misses > 10, "{}: {hits} {misses}", solid.name);
    }
}

#[test]
fn a_ray_from_inside_a_solid_hits_at_once() {
    let mut rng = Rng::new(42);
    for solid in solids() {
        let mut inside = 0;
        for _ in 0..200 {
            let from = point(&mut rng, 0.6);
            let ray = Ray::new(from, rng.direction() * 3.0).unwrap();
            if (solid.distance)(from) > 0.0 {
                continue;
            }
            inside += 1;
            let found = hit(&solid.shape, &ray).unwrap();
            assert_eq!(found.t, 0.0, "{}", solid.name);
            assert!((found.normal + ray.direction() / 3.0).length() < 1e-9);
        }
        assert!(
            inside > 5 || ["segment", "triangle"].contains(&solid.name),
            "{}",
            solid.name
        );
    }
}

#[test]
fn t_counts_lengths_of_the_direction() {
    let mut rng = Rng::new(43);
    for solid in solids() {
        for _ in 0..20 {
            let ray = aimed(&mut rng);
            let long = Ray::new(ray.origin(), ray.direction() * 8.0).unwrap();
            let (short, long) = (hit(&solid.shape, &ray), hit(&solid.shape, &long));
            assert_eq!(short.is_some(), long.is_some());
            if let (Some(short), Some(long)) = (short, long) {
                assert!(
                    (short.t - 8.0 * long.t).abs() < 1e-12 * short.t,
                    "{}",
                    solid.name
                );
            }
        }
    }
}

#[test]
fn rays_along_axes_hit_where_formulas_say() {
    let down = |x: f64, y: f64| Ray::new([x, y, 10.0], [0.0, 0.0, -1.0]).unwrap();
    let at = |shape: &Shape, ray: &Ray| hit(shape, ray).map(|hit| hit.t);
    let cylinder = Shape::from(Cylinder::new(1.0, 0.5).unwrap());
    assert_eq!(at(&cylinder, &down(0.25, 0.0)), Some(9.0));
    assert_eq!(at(&cylinder, &down(0.5, 0.0)), Some(9.0));
    assert_eq!(at(&cylinder, &down(0.75, 0.0)), None);
    // The slope of a cone of radius 1 and height 2 falls by 2 per unit.
    let cone = Shape::from(Cone::new(1.0, 1.0).unwrap());
    for r in [0.0, 0.25, 0.5, 0.9] {
        let found = at(&cone, &down(r, 0.0)).unwrap();
        assert!((found - (9.0 + 2.0 * r)).abs() < 1e-12, "{found} at {r}");
    }
    let up = Ray::new([0.5, 0.0, -10.0], [0.0, 0.0, 1.0]).unwrap();
    assert_eq!(
        hit(&cone, &up).map(|hit| (hit.t, hit.normal)),
        Some((9.0, DVec3::NEG_Z))
    );
    let slanted = Ray::new([0.0, 0.0, 3.0], [0.5, 0.0, -1.0]).unwrap();
    assert!(at(&cone, &slanted).is_none(), "it runs beside the slope");
    let capsule = Shape::from(Capsule::new([0.0; 3], [0.0, 0.0, 4.0], 1.0).unwrap());
    assert_eq!(at(&capsule, &down(0.0, 0.0)), Some(5.0));
    let ellipsoid = Shape::from(Ellipsoid::new([1.0, 2.0, 3.0]).unwrap());
    assert_eq!(at(&ellipsoid, &down(0.0, 0.0)), Some(7.0));
    let ground = Shape::from(HalfSpace::new([0.0, 0.0, 2.0], [0.0; 3]).unwrap());
    assert_eq!(at(&ground, &down(5.0, 5.0)), Some(10.0));
    assert_eq!(
        at(
            &ground,
            &Ray::new([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).unwrap()
        ),
        None
    );
    assert_eq!(
        at(
            &ground,
            &Ray::new([0.0, 0.0, -1.0], [1.0, 0.0, 0.0]).unwrap()
        ),
        Some(0.0)
    );
    let triangle = Shape::from(Triangle::new([DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap());
    assert_eq!(at(&triangle, &down(0.25, 0.25)), Some(10.0));
    assert_eq!(at(&triangle, &down(0.75, 0.75)), None);
    let segment = Shape::from(Segment::new([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]).unwrap());
    assert_eq!(at(&segment, &down(0.5, 0.0)), Some(10.0));
    assert_eq!(at(&segment, &down(0.5, 1e-9)), None);
    assert_eq!(at(&segment, &down(1.5, 0.0)), None);
}

#[test]
fn rays_at_surfaces_hit_what_looking_at_every_face_does() {
    let mut rng = Rng::new(44);
    let field = hills();
    let faces: Vec<[DVec3; 3]> = (0..field.face_count())
        .map(|face| field.face(impinge::query::FaceId::new(face)).unwrap())
        .collect();
    let mesh = meshes::ball(3, 1.0);
    let corner = angle();
    for (shape, faces) in [
        (Shape::from(field), faces),
        (Shape::from(mesh.clone()), mesh.triangles().collect()),
        (shape_of(corner.clone()), corner.triangles().collect()),
    ] {
        let mut hits = 0;
        for _ in 0..300 {
            let ray = aimed(&mut rng);
            let every = faces.iter().filter_map(|face| ray_triangle(&ray, face));
            let expected = every.map(|hit| hit.t).reduce(f64::min);
            let found = hit(&shape, &ray);
            assert_eq!(found.map(|hit| hit.t), expected);
            if let Some(found) = found {
                hits += 1;
                let own = ray_triangle(&ray, &faces[found.face.index()]);
                assert_eq!(own.map(|hit| hit.t), expected, "the face that is named");
            }
        }
        assert!(hits > 50);
    }
}

#[test]
fn rays_at_particles_and_points_hit_the_first() {
    let mut rng = Rng::new(45);
    let particles = dust();
    let balls: Vec<(DVec3, f64)> = particles.balls().collect();
    let shape = Shape::from(particles);
    let mut hits = 0;
    for _ in 0..300 {
        let ray = aimed(&mut rng);
        let t_of = |&(center, radius): &(DVec3, f64)| {
            let along = (center - ray.origin()).dot(ray.direction());
            let off = ray.at(along).distance_squared(center);
            (off <= radius * radius).then(|| along - (radius * radius - off).sqrt())
        };
        let expected = balls.iter().filter_map(t_of).reduce(f64::min);
        let found = hit(&shape, &ray);
        assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            hits += 1;
            assert!((found.t - expected).abs() < 1e-6);
            let (center, radius) = balls[found.face.index()];
            assert!((found.point.distance(center) - radius).abs() < 1e-9);
        }
    }
    assert!(hits > 50);
    let cloud = Shape::from(scan());
    let mut seen = 0;
    for _ in 0..50 {
        let ray = aimed(&mut rng);
        assert!(hit(&cloud, &ray).is_none(), "points have no size");
        let Shape::Cloud(points) = &cloud else {
            continue;
        };
        let target = points.cloud().points()[rng.below(30) as usize];
        let ray = Ray::new(ray.origin(), target - ray.origin()).unwrap();
        seen += u32::from(hit(&cloud, &ray).is_some_and(|hit| (hit.t - 1.0).abs() < 1e-9));
    }
    assert!(seen == 50, "a ray through a point hits it: {seen}");
}

#[test]
fn rays_at_a_compound_hit_its_first_child() {
    let mut rng = Rng::new(46);
    let compound = pair_of_solids();
    let shape = Shape::from(compound.clone());
    let mut hits = [0, 0];
    for _ in 0..300 {
        let ray = aimed(&mut rng);
        let mut expected: Option<(f64, usize)> = None;
        for (number, child) in compound.children().iter().enumerate() {
            let inverse = child.compound_from_child.inverse();
            let direction = inverse.transform_vector(ray.direction());
            let own = Ray::new(inverse * ray.origin(), direction).unwrap();
            if let Some(found) = hit(&child.shape, &own)
                && expected.is_none_or(|best| found.t < best.0)
            {
                expected = Some((found.t, number));
            }
        }
        let found = hit(&shape, &ray);
        let child = found.map(|hit| compound.child_of(hit.face).unwrap().0);
        assert_eq!(found.map(|hit| hit.t).zip(child), expected);
        if let Some(found) = found {
            assert!((found.point - ray.at(found.t)).length() < 1e-12);
            hits[child.unwrap()] += 1;
        }
    }
    assert!(hits[0] > 10 && hits[1] > 10, "{hits:?}");
}

/// A ball of which only support points are known.
#[derive(Debug)]
struct Bubble(f64);

impl SupportMap for Bubble {
    fn support(&self, direction: DVec3, _: u32) -> SupportPoint {
        SupportPoint {
            point: direction.normalize_or(DVec3::X) * self.0,
            vertex: 0,
        }
    }
    fn bounds(&self) -> Aabb {
        Aabb {
            min: DVec3::splat(-self.0),
            max: DVec3::splat(self.0),
        }
    }
}

#[test]
fn a_convex_shape_of_the_users_own_is_hit_as_its_twin() {
    let mut rng = Rng::new(47);
    let own = Shape::from(Convex::Custom(Arc::new(Bubble(0.8))));
    let twin = Shape::from(Ball::new(0.8).unwrap());
    let mut hits = 0;
    for _ in 0..100 {
        let ray = aimed(&mut rng);
        let (found, expected) = (hit(&own, &ray), hit(&twin, &ray));
        let Some(expected) = expected else {
            assert!(found.is_none_or(|hit| hit.normal.dot(ray.direction()) > -1e-3));
            continue;
        };
        let cosine = -expected.normal.dot(ray.direction());
        let found = found.unwrap();
        hits += 1;
        assert!(
            (found.t - expected.t).abs() < 1e-8 / cosine.max(1e-3),
            "{found:?} {expected:?}"
        );
        assert!((found.normal - expected.normal).length() < 1e-4 / cosine.max(1e-3));
    }
    assert!(hits > 30);
    let inside = Ray::new([0.1, 0.0, 0.0], [0.0, 1.0, 0.0]).unwrap();
    assert_eq!(hit(&own, &inside).map(|hit| hit.t), Some(0.0));
}

/// Something of which nothing is known.
#[derive(Debug)]
struct Fog;

impl CustomShape for Fog {
    fn name(&self) -> &str {
        "fog"
    }
    fn bounds(&self) -> Option<Aabb> {
        None
    }
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[test]
fn a_shape_of_which_nothing_is_known_is_refused() {
    let fog = Shape::Custom(Arc::new(Fog));
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    assert_eq!(fog.cast_ray(&ray), Err(CastError::NotConvex));
    assert!(matches!(
        fog.contains([0.0; 3]),
        Err(CastError::Unsupported(_))
    ));
    assert!(matches!(
        fog.closest_point([0.0; 3]),
        Err(CastError::Unsupported(_))
    ));
    let ball = Shape::from(Ball::new(1.0).unwrap());
    assert!(matches!(
        ball.contains([f64::NAN; 3]),
        Err(CastError::Line(_))
    ));
    assert!(matches!(
        ball.cast_segment([f64::NAN; 3], [0.0; 3]),
        Err(CastError::Line(_))
    ));
    assert!(matches!(
        ball.cast_ball(-1.0, [5.0; 3], [0.0; 3]),
        Err(CastError::Ball(_))
    ));
}

#[test]
fn segments_end_where_they_end() {
    let mut rng = Rng::new(48);
    for solid in solids().into_iter().filter(|s| s.name != "segment") {
        for _ in 0..60 {
            let ray = aimed(&mut rng);
            let Some(found) = hit(&solid.shape, &ray) else {
                continue;
            };
            let cast = |t: f64| {
                let segment = solid.shape.cast_segment(ray.origin(), ray.at(t));
                segment.unwrap().map(|hit| hit.t)
            };
            assert_eq!(cast(found.t * 0.999), None, "{}", solid.name);
            let t = cast(found.t * 2.0).unwrap();
            assert!((t - 0.5).abs() < 1e-9, "{}", solid.name);
        }
        // A segment without length hits what contains it.
        if (solid.distance)(DVec3::splat(0.05)) == 0.0 {
            let point = [0.05; 3];
            let found = solid.shape.cast_segment(point, point).unwrap();
            assert_eq!(found.map(|hit| hit.t), Some(0.0), "{}", solid.name);
        }
        assert!(
            solid
                .shape
                .cast_segment([5.0; 3], [5.0; 3])
                .unwrap()
                .is_none()
        );
    }
}

#[test]
fn nearest_points_and_containment_agree_with_distances() {
    let mut rng = Rng::new(49);
    for solid in solids() {
        for _ in 0..60 {
            let p = point(&mut rng, 1.5);
            let expected = (solid.distance)(p);
            let found = solid.shape.closest_point(p).unwrap();
            let value = found.value.unwrap();
            assert!((value.distance - expected).abs() < 1e-7, "{}", solid.name);
            assert!((solid.distance)(value.point_a) < 1e-7);
            assert!((value.point_a.distance(p) - expected).abs() < 1e-7);
            if !(1e-9..=1e-7).contains(&expected) {
                let is_in = solid.shape.contains(p).unwrap();
                assert_eq!(is_in, expected == 0.0, "{}: {p}", solid.name);
            }
        }
    }
    // A mesh as a solid, and its surface.
    let mesh = angle();
    let (shape, own) = (shape_of(mesh.clone()), Mesh::from(mesh.clone()));
    for _ in 0..100 {
        let p = point(&mut rng, 1.5);
        assert_eq!(shape.contains(p).unwrap(), own.contains(p).unwrap());
        let every = mesh
            .triangles()
            .map(|face| closest_point_on_triangle(p, &face).point);
        let expected = every.map(|q| q.distance(p)).fold(f64::INFINITY, f64::min);
        let found = shape.closest_point(p).unwrap().value.unwrap();
        assert!((found.distance - expected).abs() < 1e-12);
    }
}
