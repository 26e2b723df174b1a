//! Bounding volumes.

use std::fmt::Debug;

use impinge::DVec3;
use impinge::bound::{
    Aabb, Ball, BoundingVolume, Kdop, Lss, Obb, ObbRss, PaddedPose, RotationInvariantBox, Rss,
    Slabs,
};
use impinge::math::Rng;

use crate::odd::{odd, odd_point, odd_pose, valid_point};

/// Bounds of valid points are numbers, lower bounds never NaN; other points only must not panic.
fn ask<V: BoundingVolume + Debug>(seed: u64) {
    let mut rng = Rng::new(seed);
    for _ in 0..3000 {
        let strict = rng.below(2) == 0;
        let mut points = |n: u64| -> Vec<DVec3> {
            (0..n)
                .map(|_| {
                    if strict {
                        valid_point(&mut rng)
                    } else {
                        odd_point(&mut rng)
                    }
                })
                .collect()
        };
        let (p, q) = (points(5), points(3));
        let (a, b) = (V::enclosing(&p), V::enclosing(&q));
        let faces = V::around_faces(&[[p[0], p[1], p[2]]]);
        let nothing = (V::enclosing(&[]), V::around_faces(&[]));
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let relative = V::relative(&pose);
        for (x, y) in [(&a, &b), (&faces, &a), (&nothing.0, &b), (&a, &nothing.1)] {
            let (overlaps, gap) = (x.overlaps(y, &relative), x.distance_at_least(y, &relative));
            let both = x.union(y);
            let _ = (both.contains(p[0]), both.bounds(), both.center());
            let sizes = [both.size(), both.surface_area(), both.volume()];
            if strict {
                assert!(gap >= 0.0, "{} {x:?} {y:?} {pose:?}: {gap}", V::NAME);
                assert!(
                    sizes.iter().all(|&s| s >= 0.0),
                    "{} {both:?}: {sizes:?}",
                    V::NAME
                );
                assert!(both.center().is_finite(), "{} {both:?}", V::NAME);
                let _ = overlaps;
            }
        }
    }
}

#[test]
fn volumes_of_valid_points_have_numbers_and_none_panics() {
    ask::<Aabb>(1);
    ask::<Ball>(2);
    ask::<Lss>(3);
    ask::<Rss>(4);
    ask::<Obb>(5);
    ask::<ObbRss>(6);
}

#[test]
fn polytopes_of_valid_points_have_numbers_and_none_panics() {
    ask::<Kdop<6>>(7);
    ask::<Kdop<8>>(8);
    ask::<Kdop<14>>(9);
    ask::<Kdop<16>>(10);
    ask::<Kdop<18>>(11);
    ask::<Kdop<24>>(12);
    ask::<Kdop<26>>(13);
    assert!(Kdop::<26>::SLABS.len() == 13);
}

#[test]
fn boxes_answer_whatever_their_corners_are() {
    let mut rng = Rng::new(14);
    for _ in 0..50_000 {
        let mut any = || Aabb {
            min: odd_point(&mut rng),
            max: odd_point(&mut rng),
        };
        let (a, b) = (any(), any());
        let _ = (a.is_empty(), a.overlaps(&b), a.contains_box(&b));
        let _ = (a.center(), a.half_extent(), a.diagonal());
        let _ = (a.surface_area(), a.volume(), a.distance_sq_to(&b));
        let _ = (a.union(&b), a.intersection(&b));
        let p = odd_point(&mut rng);
        let _ = (a.contains(p), a.distance_sq(p), a.inflated(odd(&mut rng)));
        if let Some(pose) = odd_pose(&mut rng) {
            let _ = (a.transformed(&pose), PaddedPose::new(&pose));
        }
    }
}

#[test]
fn boxes_of_valid_points_measure_in_numbers() {
    let mut rng = Rng::new(15);
    for _ in 0..20_000 {
        let points: [DVec3; 4] = std::array::from_fn(|_| valid_point(&mut rng));
        let bounds = Aabb::enclosing(points);
        assert!(bounds.center().is_finite() && bounds.half_extent().is_finite());
        assert!(bounds.volume() >= 0.0 && bounds.surface_area() >= 0.0);
        let p = valid_point(&mut rng);
        assert!(bounds.distance_sq(p) >= 0.0);
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let placed = bounds.transformed(&pose);
        assert!(placed.min.is_finite() && placed.max.is_finite());
        let maximal = RotationInvariantBox::new(points, p);
        assert!(maximal.radius() >= 0.0);
        assert!(!maximal.placed(&pose).min.is_nan());
        let _ = RotationInvariantBox::new([], odd_point(&mut rng));
        let _ = RotationInvariantBox::new([odd_point(&mut rng)], odd_point(&mut rng)).placed(&pose);
    }
}
