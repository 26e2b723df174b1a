//! Questions to a whole world are answered as by asking every object.

use std::collections::BTreeSet;

use impinge::math::Rng;
use impinge::prelude::*;

use crate::ray_casts::aimed;
use crate::shapes::{all, point, random_pose};

/// Objects of every kind around the origin, half-spaces left out, so that something is missed.
fn crowd(rng: &mut Rng, copies: usize) -> World {
    let mut world = World::default();
    for (name, shape) in all().iter().cycle().take(copies * 16) {
        if *name != "half-space" {
            world.add(shape, random_pose(rng, 12.0)).unwrap();
        }
    }
    world
}

fn far_ray(rng: &mut Rng) -> Ray {
    let from = rng.direction() * 30.0;
    Ray::new(from, point(rng, 12.0) - from).unwrap()
}

#[test]
fn rays_hit_the_first_of_all_objects() {
    let mut rng = Rng::new(71);
    let world = crowd(&mut rng, 4);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..200 {
        let ray = far_ray(&mut rng);
        let mut expected: Option<(f64, impinge::broad::ObjectId)> = None;
        for (id, body) in world.bodies() {
            let own = body.world_from_body.inverse();
            let direction = own.transform_vector(ray.direction());
            let own = Ray::new(own * ray.origin(), direction).unwrap();
            if let Some(hit) = body.shape.cast_ray(&own).unwrap()
                && expected.is_none_or(|best| (hit.t, id) < best)
            {
                expected = Some((hit.t, id));
            }
        }
        let found = world.cast_ray(&ray).unwrap();
        assert_eq!(found.map(|found| (found.hit.t, found.object)), expected);
        if let Some(found) = found {
            hits += 1;
            assert!(found.hit.point.distance(ray.at(found.hit.t)) < 1e-9);
            assert!(found.hit.normal.dot(ray.direction()) <= 1e-9);
            let end = ray.at(0.999 * found.hit.t);
            assert!(world.cast_segment(ray.origin(), end).unwrap().is_none());
            let beyond = world
                .cast_segment(ray.origin(), ray.at(2.0 * found.hit.t))
                .unwrap();
            assert_eq!(beyond.map(|hit| hit.object), Some(found.object));
        } else {
            misses += 1;
        }
    }
    assert!(hits > 30 && misses > 10, "{hits} {misses}");
}

#[test]
fn balls_hit_the_first_of_all_objects() {
    let mut rng = Rng::new(72);
    let world = crowd(&mut rng, 2);
    let mut hits = 0;
    for _ in 0..25 {
        let ray = far_ray(&mut rng);
        let (from, to) = (ray.origin(), ray.at(1.5));
        let mut expected = f64::INFINITY;
        for (_, body) in world.bodies() {
            let own = body.world_from_body.inverse();
            let found = body.shape.cast_ball(0.5, own * from, own * to).unwrap();
            expected = expected.min(found.value.map_or(f64::INFINITY, |hit| hit.t));
        }
        let found = world.cast_ball(0.5, from, to).unwrap();
        match found.value {
            Some(hit) => {
                assert!(
                    (hit.hit.t - expected).abs() < 1e-6,
                    "{found:?} for {expected}"
                );
                assert!(found.lower <= hit.hit.t && hit.hit.t <= found.upper);
                hits += 1;
            }
            None => assert_eq!(expected, f64::INFINITY),
        }
    }
    assert!(hits > 5);
}

#[test]
fn the_nearest_object_is_nearer_than_all_others() {
    let mut rng = Rng::new(73);
    let world = crowd(&mut rng, 3);
    for _ in 0..60 {
        let p = point(&mut rng, 15.0);
        let of_each = world.bodies().map(|(_, body)| {
            let own = body.world_from_body.inverse() * p;
            body.shape
                .closest_point(own)
                .unwrap()
                .value
                .unwrap()
                .distance
        });
        let expected = of_each.fold(f64::INFINITY, f64::min);
        let found = world.closest_point(p).unwrap().unwrap();
        assert_eq!(found.hit.distance, expected);
        assert!((found.hit.point_a.distance(p) - expected).abs() < 1e-7);
    }
    assert!(world.closest_point([f64::NAN; 3]).is_err());
    assert!(World::default().closest_point([0.0; 3]).unwrap().is_none());
}

#[test]
fn a_shape_overlaps_what_it_meets() {
    let mut rng = Rng::new(74);
    let mut world = crowd(&mut rng, 3);
    let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0, 0.0, -9.0]).unwrap();
    let ground = world.add(ground, Pose::IDENTITY).unwrap();
    let probe = Shape::from(Cuboid::new([3.0, 2.0, 1.0]).unwrap());
    let (mut met, mut on_ground) = (0, 0);
    for _ in 0..60 {
        let pose = random_pose(&mut rng, 12.0);
        let expected: BTreeSet<_> = world
            .bodies()
            .filter(|(_, body)| {
                let a_from_b = pose.inverse() * body.world_from_body;
                probe.intersects(&body.shape, &a_from_b).unwrap()
            })
            .map(|(id, _)| id)
            .collect();
        let found = world.overlapping(&probe, &pose).unwrap();
        assert!(found.is_sorted());
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), expected);
        met += found.len();
        on_ground += usize::from(found.contains(&ground));
    }
    assert!(met > 20 && on_ground > 3, "{met} {on_ground}");
}

#[test]
fn answers_follow_what_moves_without_a_step() {
    let mut world = World::default();
    let ball = Ball::new(1.0).unwrap();
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let id = world.add(ball, at(5.0)).unwrap();
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    let t = |world: &World| world.cast_ray(&ray).unwrap().map(|found| found.hit.t);
    assert_eq!(t(&world), Some(4.0));
    world.set_pose(id, at(9.0)).unwrap();
    assert_eq!(t(&world), Some(8.0));
    world.set_shape(id, Ball::new(2.0).unwrap().into()).unwrap();
    assert_eq!(t(&world), Some(7.0));
    let nearer = world.add(ball, at(3.0)).unwrap();
    assert_eq!(t(&world), Some(2.0));
    world.remove(nearer).unwrap();
    assert_eq!(t(&world), Some(7.0));
    world.step();
    assert_eq!(t(&world), Some(7.0));
    let mut rng = Rng::new(75);
    assert!(
        World::default()
            .cast_ray(&aimed(&mut rng))
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_world_in_ten_lines_tells_begin_contacts_and_end() {
    let mut world = World::watching(EventMask::CONTACT | EventMask::CONTACTS);
    let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap();
    world.add(ground, Pose::IDENTITY).unwrap();
    let cube = world
        .add(Cuboid::new([1.0; 3]).unwrap(), Pose::IDENTITY)
        .unwrap();
    let mut told: Vec<(u64, &str, usize)> = Vec::new();
    for height in [3.0, 0.75, 0.75, 3.0] {
        world
            .set_pose(cube, Pose::from_translation([0.0, 0.0, height]).unwrap())
            .unwrap();
        let frame = world.step();
        let events = frame.events.iter();
        told.extend(events.map(|e| (frame.number, e.what.name(), frame.points(e).len())));
    }
    let expected = [
        (2, "contact-begin", 0),
        (2, "contacts", 4),
        (3, "contacts", 4),
        (4, "contact-end", 0),
    ];
    assert_eq!(told, expected);
}
