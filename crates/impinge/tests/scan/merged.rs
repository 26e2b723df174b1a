//! Frames of several cameras merged, thinned and indexed at once, against doing so one after the other.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::math::Rng;
use impinge::scan::{
    MergeError, PointIndex, PointTree, ScanFrame, ScanFrameError, Thin, Thinning, merge,
};
use impinge::{DVec3, Pose};
use rayon::ThreadPoolBuilder;

use crate::points::{clouds, places};

/// A cloud dealt out to cameras, each with its points in its own frame.
fn cameras(points: &[DVec3], count: usize, rng: &mut Rng) -> Vec<(Pose, Vec<DVec3>)> {
    let poses = (0..count)
        .map(|_| Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), rng.cube()).unwrap());
    let mut all: Vec<(Pose, Vec<DVec3>)> = poses.map(|pose| (pose, Vec::new())).collect();
    for (i, &p) in points.iter().enumerate() {
        let (pose, own) = &mut all[i * count / points.len()];
        own.push(pose.inverse() * p);
    }
    all
}

fn frames(cameras: &[(Pose, Vec<DVec3>)]) -> Vec<(Pose, &[DVec3])> {
    cameras.iter().map(|(p, list)| (*p, &list[..])).collect()
}

/// A wavy floor as a camera sees it, row by row, that moves with time.
fn floor(count: usize, time: f64, rng: &mut Rng) -> Vec<DVec3> {
    let side = (count as f64).sqrt().ceil() as usize;
    (0..count)
        .map(|i| {
            let (x, y) = ((i % side) as f64, (i / side) as f64);
            let height = 0.02 * (x * 0.05 + time).sin() + 1e-3 * rng.unit();
            DVec3::new(x / side as f64, y / side as f64, height + 0.1 * time)
        })
        .collect()
}

#[test]
fn merging_keeps_and_numbers_the_points_that_thinning_the_merged_list_keeps() {
    let mut rng = Rng::new(11);
    // One tree for all, so that what it guesses from the last frame is wrong each time a cloud begins.
    let mut used = PointTree::default();
    for (name, points) in clouds() {
        let shots = cameras(&points, 3, &mut rng);
        let (shots, mut list) = (frames(&shots), Vec::new());
        merge(&shots, &mut list);
        let frame = ScanFrame::new(&list).unwrap();
        let size = if list.is_empty() {
            1.0
        } else {
            frame.bounds().diagonal().max_element().max(1e-30)
        };
        let places = places(&list, &mut Rng::new(12));
        let mut expected = PointTree::default();
        for part in [1e-5, 0.003, 0.05, 0.7, 10.0] {
            let cell = part * size;
            let told = expected.rebuild_thinned(&frame, cell).unwrap();
            let own = used.rebuild_merged(&shots, Thin::Cubes(cell)).unwrap();
            assert_eq!((own.kept, own.dropped), (told.kept, told.dropped), "{name}");
            assert!(own.error >= told.error && own.cell == cell, "{name}");
            let diagonal = 3.0_f64.sqrt() * cell;
            assert!(own.error <= 1.001 * diagonal, "{name}: {}", own.error);
            for &p in &places {
                assert_eq!(used.nearest(p), expected.nearest(p), "{name}, {part}");
            }
        }
        expected.rebuild(&frame);
        let all = used.rebuild_merged(&shots, Thin::Nothing).unwrap();
        assert_eq!((all.kept, all.dropped, all.error), (list.len(), 0, 0.0));
        for &p in &places {
            assert_eq!(used.nearest(p), expected.nearest(p), "{name}");
        }
        assert_eq!((used.len(), used.bounds()), (list.len(), frame.bounds()));
    }
}

#[test]
fn never_do_more_points_stay_than_allowed_and_dropped_ones_are_near() {
    let mut rng = Rng::new(13);
    let mut used = PointTree::default();
    for (name, points) in clouds() {
        let shots = cameras(&points, 4, &mut rng);
        let (shots, mut list) = (frames(&shots), Vec::new());
        merge(&shots, &mut list);
        for most in [1, 2, 7, 60, 1000, 4999, 1 << 20] {
            for again in 0..3 {
                let thinned = used.rebuild_merged(&shots, Thin::AtMost(most)).unwrap();
                let what = format!("{name}, at most {most}, {again} times before");
                assert!(thinned.kept <= most, "{what}: {}", thinned.kept);
                assert_eq!(thinned.kept, used.len(), "{what}");
                assert_eq!(thinned.kept + thinned.dropped, list.len(), "{what}");
                assert!(thinned.kept > 0 || list.is_empty(), "{what}");
                for (i, &p) in list.iter().enumerate().step_by(7) {
                    let near = used.nearest(p).unwrap();
                    assert!(near.distance <= thinned.error, "{what}: point {i}");
                    assert_eq!(near.position, list[near.point as usize], "{what}");
                }
            }
        }
    }
}

#[test]
fn after_some_frames_nearly_as_many_points_stay_as_are_allowed() {
    let mut rng = Rng::new(14);
    for most in [4000, 20_000, 90_000] {
        let mut tree = PointTree::default();
        for frame in 0..12 {
            let shots = cameras(
                &floor(100_000, 0.03 * f64::from(frame), &mut rng),
                2,
                &mut rng,
            );
            let thinned = tree
                .rebuild_merged(&frames(&shots), Thin::AtMost(most))
                .unwrap();
            assert!(thinned.kept <= most);
            assert!(
                frame < 6 || thinned.kept * 5 >= most * 4,
                "at most {most}: {} in frame {frame}",
                thinned.kept
            );
        }
    }
}

#[test]
fn merged_trees_have_the_same_bytes_on_any_number_of_threads() {
    let run = || {
        let (mut rng, mut tree, mut told) = (Rng::new(15), PointTree::default(), String::new());
        for thin in [Thin::AtMost(100_000), Thin::Cubes(0.004), Thin::Nothing] {
            for frame in 0..3 {
                let shots = cameras(&floor(150_000, f64::from(frame), &mut rng), 4, &mut rng);
                let thinned = tree.rebuild_merged(&frames(&shots), thin).unwrap();
                told += &format!("{thinned:?}{:?}", tree.bounds());
            }
            told += &format!("{tree:?}");
        }
        told
    };
    let pool = |threads| {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let [one, two, eight] = [1, 2, 8].map(|n| pool(n).install(run));
    assert!(one == two && two == eight);
}

#[test]
fn what_cannot_be_merged_is_named_and_the_tree_stays_as_it_was() {
    let pose = Pose::from_translation([1.0, 0.0, 0.0]).unwrap();
    let (good, mut bad) = (vec![DVec3::X; 5], vec![DVec3::Y; 4]);
    bad[2] = DVec3::new(0.0, f64::NAN, 0.0);
    bad[3] = DVec3::splat(1e60);
    let mut tree = PointTree::default();
    tree.rebuild_merged(&[(pose, &good)], Thin::Nothing)
        .unwrap();
    let before = tree.nearest(DVec3::ZERO);
    for thin in [Thin::Nothing, Thin::Cubes(0.1), Thin::AtMost(2)] {
        let error = tree
            .rebuild_merged(&[(pose, &good), (pose, &bad)], thin)
            .unwrap_err();
        let MergeError::Frame(ScanFrameError::Invalid {
            count,
            total,
            first,
            ..
        }) = error
        else {
            panic!("{error}");
        };
        assert_eq!((count, total, first), (2, 9, 7));
        assert_eq!((tree.nearest(DVec3::ZERO), tree.len()), (before, 5));
    }
    let none = tree.rebuild_merged(&[(pose, &good)], Thin::AtMost(0));
    assert_eq!(none, Err(MergeError::NoneAllowed));
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let cubes = tree.rebuild_merged(&[(pose, &good)], Thin::Cubes(cell));
        assert!(matches!(cubes, Err(MergeError::Cell(_))));
    }
    assert_eq!(tree.nearest(DVec3::ZERO), before);
    let empty: Thinning = tree.rebuild_merged(&[], Thin::AtMost(1)).unwrap();
    assert_eq!((empty.kept, tree.len()), (0, 0));
    // More lists than can be told apart beside a long one.
    let long = vec![DVec3::Z; 1 << 17];
    let mut many: Vec<(Pose, &[DVec3])> = vec![(pose, &good[..1]); 1 << 15];
    many[3].1 = &long;
    assert_eq!(
        tree.rebuild_merged(&many, Thin::Nothing).unwrap().kept,
        (1 << 15) - 1 + (1 << 17)
    );
    assert_eq!(tree.nearest(DVec3::new(1.0, 0.0, 2.0)).unwrap().point, 3);
}
