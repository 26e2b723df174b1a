//! Bounding volumes contain their points, and what they rule out is ruled out for the placed, rounded vertices.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::bound::{Aabb, Ball, BoundingVolume, Kdop, Lss, Obb, Rss};
use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_testkit::for_every_volume;
use impinge_testkit::generate::poses;
use impinge_testkit::oracle::triangle_distance;

/// Scales and offsets at which rounding shows.
const PLACES: [(f64, f64); 7] = [
    (1.0, 0.0),
    (1e-6, 0.0),
    (1e6, 0.0),
    (1.0, 1e6),
    (1e-6, 1e6),
    (1e40, 1e44),
    (1e-200, 0.0),
];

/// A few points: spread, flat, in a line, or all the same.
fn cloud(rng: &mut Rng, scale: f64, offset: f64) -> Vec<DVec3> {
    let count = 1 + rng.below(12) as usize;
    let kind = rng.below(6);
    let (u, v, w) = (rng.direction(), rng.direction(), rng.cube() * offset);
    (0..count)
        .map(|_| {
            let p = match kind {
                0 => u * rng.range(-1.0, 1.0),
                1 => u * rng.range(-1.0, 1.0) + v * rng.range(-1.0, 1.0),
                2 => DVec3::ZERO,
                3 => DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2)),
                _ => rng.cube(),
            };
            p * scale + w
        })
        .collect()
}

/// A placement with rounding of all kinds: exact turns, random ones, and matrices at the edge of what a pose accepts.
fn placement(rng: &mut Rng, scale: f64, offset: f64) -> Pose {
    match rng.below(3) {
        0 => Pose::new(
            *poses::exact(rng, 1).rotation(),
            rng.cube() * (scale + offset),
        )
        .unwrap(),
        1 => Pose::new(
            *poses::random(rng, 1.0).rotation(),
            rng.cube() * (scale + offset),
        )
        .unwrap(),
        _ => {
            let mut rotation = *poses::random(rng, 1.0).rotation();
            rotation.x_axis *= 1.0 + rng.range(-4e-10, 4e-10);
            rotation.y_axis += rotation.z_axis * rng.range(-8e-10, 8e-10);
            Pose::new(rotation, rng.cube() * (scale + offset)).unwrap()
        }
    }
}

fn contains_points<V: BoundingVolume>() {
    let mut rng = Rng::new(1);
    for round in 0..400 {
        let (scale, offset) = PLACES[round % PLACES.len()];
        let (p, q) = (
            cloud(&mut rng, scale, offset),
            cloud(&mut rng, scale, offset),
        );
        let (a, b) = (V::enclosing(&p), V::enclosing(&q));
        assert!(p.iter().all(|&x| a.contains(x)), "{a:?} {p:?}");
        let both = a.union(&b);
        assert!(p.iter().chain(&q).all(|&x| both.contains(x)), "{both:?}");
        let faces: Vec<[DVec3; 3]> = p.iter().map(|&x| [x, q[0], p[0]]).collect();
        let around = V::around_faces(&faces);
        assert!(faces.as_flattened().iter().all(|&x| around.contains(x)));
        assert!(a.size() >= 0.0 && a.volume() >= 0.0 && a.surface_area() >= 0.0);
    }
}

#[test]
fn a_volume_and_a_union_contain_their_points() {
    for_every_volume!(contains_points);
}

/// Two clouds of which one placed point of the second is, bit for bit, a point of the first.
fn shares_a_point<V: BoundingVolume>() {
    let mut rng = Rng::new(2);
    for round in 0..3000 {
        let (scale, offset) = PLACES[round % PLACES.len()];
        let a_from_b = placement(&mut rng, scale, offset);
        let q = cloud(&mut rng, scale, offset);
        let mut p = cloud(&mut rng, scale, 0.0);
        let shared = a_from_b * q[rng.below(q.len() as u64) as usize];
        // The first cloud lies to one side of the shared point, so that the volumes barely touch.
        let side = rng.direction();
        for x in &mut p {
            let along = x.dot(side);
            *x += side * (along.abs() - along) + shared;
        }
        p.push(shared);
        let (a, b) = (V::enclosing(&p), V::enclosing(&q));
        let relative = V::relative(&a_from_b);
        assert!(
            a.overlaps(&b, &relative),
            "round {round}: {a:?} {b:?} {a_from_b:?}"
        );
        let bound = a.distance_at_least(&b, &relative);
        assert!(bound <= 0.0, "round {round}: at least {bound}");
        // Volumes made by union hold the promise too.
        let (left, right) = p.split_at(p.len() / 2);
        let merged = V::enclosing(left).union(&V::enclosing(right));
        assert!(left.is_empty() || merged.overlaps(&b, &relative));
        assert!(left.is_empty() || merged.distance_at_least(&b, &relative) <= 0.0);
    }
}

#[test]
fn volumes_that_share_a_placed_point_overlap_at_every_scale() {
    for_every_volume!(shares_a_point);
}

fn bounds_the_distance<V: BoundingVolume>() {
    let mut rng = Rng::new(3);
    let (mut sum_bound, mut sum_truth) = (0.0, 0.0);
    for round in 0..1500 {
        let (scale, offset) = PLACES[round % PLACES.len()];
        let a_from_b = placement(&mut rng, scale, offset);
        let q: [DVec3; 3] = std::array::from_fn(|_| rng.cube() * scale);
        let placed = q.map(|x| a_from_b * x);
        let reach = rng.range(0.0, 6.0);
        let away = rng.direction() * (reach * scale);
        let p: [DVec3; 3] = std::array::from_fn(|_| placed[0] + away + rng.cube() * scale);
        let (a, b) = (V::around_faces(&[p]), V::around_faces(&[q]));
        let relative = V::relative(&a_from_b);
        let truth = triangle_distance(&p, &placed);
        let bound = a.distance_at_least(&b, &relative);
        assert!(
            (0.0..=truth.upper).contains(&bound),
            "round {round}: {bound} > {truth:?}"
        );
        assert!(
            a.overlaps(&b, &relative) || truth.upper > 0.0,
            "round {round}"
        );
        if offset == 0.0 && scale > 1e-100 {
            sum_bound += bound / scale;
            sum_truth += truth.upper / scale;
        }
    }
    // The bounds are worth something: on average most of the distance.
    let part = sum_bound / sum_truth;
    assert!(part > 0.6, "{}: only {part} of the distance", V::NAME);
}

#[test]
fn the_distance_of_two_triangles_is_never_below_the_bound() {
    for_every_volume!(bounds_the_distance);
}

fn tells_apart<V: BoundingVolume>() {
    let mut rng = Rng::new(4);
    for _ in 0..300 {
        let points: Vec<DVec3> = (0..20).map(|_| rng.cube()).collect();
        let volume = V::enclosing(&points);
        let away = rng.direction() * 8.0;
        let rotation = *poses::random(&mut rng, 1.0).rotation();
        let a_from_b = Pose::new(rotation, away).unwrap();
        let relative = V::relative(&a_from_b);
        assert!(!volume.overlaps(&volume, &relative), "{a_from_b:?}");
        assert!(volume.distance_at_least(&volume, &relative) > 0.0);
    }
}

#[test]
fn volumes_far_apart_are_told_apart() {
    for_every_volume!(tells_apart);
}

#[test]
fn a_turned_box_is_recovered_by_its_oriented_box() {
    let mut rng = Rng::new(5);
    for _ in 0..200 {
        let pose = poses::random(&mut rng, 3.0);
        let half = DVec3::new(3.0, 2.0, 1.0);
        let corners: Vec<DVec3> = (0..8)
            .map(|i| {
                let side = |k: i32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
                pose * (half * DVec3::new(side(0), side(1), side(2)))
            })
            .collect();
        let found = Obb::enclosing(&corners);
        assert!(found.volume() < 48.0 * (1.0 + 1e-9), "{}", found.volume());
    }
}

#[test]
fn a_rod_is_a_thin_capsule_and_a_sheet_a_thin_rectangle() {
    let mut rng = Rng::new(6);
    for _ in 0..200 {
        let pose = poses::random(&mut rng, 3.0);
        let rod: Vec<DVec3> = (0..20)
            .map(|_| pose * DVec3::new(rng.range(-5.0, 5.0), 0.0, 0.0))
            .collect();
        assert!(Lss::enclosing(&rod).radius() < 1e-12);
        let sheet: Vec<DVec3> = (0..20)
            .map(|_| pose * DVec3::new(rng.range(-5.0, 5.0), rng.range(-2.0, 2.0), 0.0))
            .collect();
        let swept = Rss::enclosing(&sheet);
        assert!(swept.radius() < 1e-12, "{}", swept.radius());
        assert!(swept.surface_area() < 100.0);
    }
}

#[test]
fn the_ball_of_a_triangle_is_the_smallest() {
    let mut rng = Rng::new(7);
    for _ in 0..500 {
        let t: [DVec3; 3] = std::array::from_fn(|_| rng.cube());
        let found = Ball::enclosing(&t).radius();
        // No ball around three points is smaller than half the longest side; the smallest is at most 2/√3 of that.
        let longest = (0..3)
            .map(|i| (t[i] - t[(i + 1) % 3]).length())
            .fold(0.0, f64::max);
        assert!(found >= 0.5 * longest && found <= 0.57736 * longest + 1e-12);
    }
}

#[test]
fn six_dops_are_boxes_and_more_directions_fit_closer() {
    let mut rng = Rng::new(8);
    for _ in 0..500 {
        let (p, q) = (cloud(&mut rng, 1.0, 0.0), cloud(&mut rng, 1.0, 0.0));
        let a_from_b = placement(&mut rng, 2.0, 0.0);
        let dop = Kdop::<6>::enclosing(&p);
        assert_eq!(dop.bounds(), <Aabb as BoundingVolume>::enclosing(&p));
        // What a 6-DOP tells apart, an 18-DOP does, and what an 18-DOP does, a 26-DOP.
        fn apart<V: BoundingVolume>(p: &[DVec3], q: &[DVec3], a_from_b: &Pose) -> bool {
            !V::enclosing(p).overlaps(&V::enclosing(q), &V::relative(a_from_b))
        }
        let still = Pose::from_translation(a_from_b.translation()).unwrap();
        let six = apart::<Kdop<6>>(&p, &q, &still);
        let eighteen = apart::<Kdop<18>>(&p, &q, &still);
        let most = apart::<Kdop<26>>(&p, &q, &still);
        assert!(!six || eighteen, "{p:?} {q:?}");
        assert!(!eighteen || most, "{p:?} {q:?}");
    }
}

#[test]
fn a_placed_box_holds_the_placed_points_and_what_is_near_them() {
    let mut rng = Rng::new(9);
    for round in 0..7000 {
        let (scale, offset) = PLACES[round % PLACES.len()];
        let points = cloud(&mut rng, scale, offset);
        let (pose, by) = (placement(&mut rng, scale, offset), scale * rng.unit());
        let placed = Obb::enclosing(&points).placed(&pose, by);
        for &p in &points {
            assert!(placed.contains(pose * p), "{points:?} {pose:?}");
            let near = pose * p + rng.direction() * by;
            assert!(placed.contains(near), "{points:?} {pose:?} {by}");
        }
        let aabb = <Aabb as BoundingVolume>::enclosing(&points);
        let same = Obb::from(aabb);
        assert!(points.iter().all(|&p| same.contains(p)), "{points:?}");
        assert!(
            aabb.corners().iter().all(|&p| same.contains(p)),
            "{points:?}"
        );
    }
}
