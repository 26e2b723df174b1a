//! Indexes of points against looking at every point, and what frames refuse.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use impinge::DVec3;
use impinge::math::Rng;
use impinge::query::{First, Outcome};
use impinge::scan::{
    PointGrid, PointHit, PointIndex, PointTree, ScanFrame, ScanFrameError, Thinner, drop_invalid,
    merge,
};
use impinge_testkit::generate::clouds::ragged;
use rayon::ThreadPoolBuilder;

/// Clouds of every shape that tends to break indexes.
pub(crate) fn clouds() -> Vec<(&'static str, Vec<DVec3>)> {
    let mut rng = Rng::new(1);
    let mut make = |n: usize, f: &mut dyn FnMut(&mut Rng) -> DVec3| -> Vec<DVec3> {
        (0..n).map(|_| f(&mut rng)).collect()
    };
    let mut all = vec![
        ("nothing", Vec::new()),
        ("one point", vec![DVec3::new(0.1, 0.2, 0.3)]),
        ("coincident", vec![DVec3::new(-3.0, 0.5, 1e-3); 1000]),
        ("random", make(5000, &mut |r| r.cube())),
        (
            "clustered",
            make(5000, &mut |r| {
                let middle = DVec3::new(r.grid(-2, 2), r.grid(-2, 2), r.grid(-2, 2));
                middle + r.cube() * 1e-3
            }),
        ),
        (
            "planar",
            make(3000, &mut |r| {
                DVec3::new(r.range(-1.0, 1.0), r.range(-1.0, 1.0), 0.25)
            }),
        ),
        (
            "collinear",
            make(2000, &mut |r| DVec3::new(r.unit(), 0.0, 0.0)),
        ),
        (
            "small grid",
            make(4000, &mut |r| {
                DVec3::new(r.grid(-5, 5), r.grid(-5, 5), r.grid(-5, 5))
            }),
        ),
        (
            "far away",
            make(4000, &mut |r| DVec3::splat(1e6) + r.cube()),
        ),
        ("tiny", make(3000, &mut |r| r.cube() * 1e-30)),
        ("huge", make(3000, &mut |r| r.cube() * 1e40)),
        ("ten", make(10, &mut |r| r.cube())),
        (
            "noisy",
            make(3000, &mut |r| r.direction() * r.range(0.8, 1.2)),
        ),
        ("ragged", ragged(3000, 2)),
    ];
    let mut outlier = make(20_000, &mut |r| r.cube());
    outlier.push(DVec3::new(1e6, -1e6, 1e5));
    all.push(("an outlier", outlier));
    all
}

fn sq(a: DVec3, b: DVec3) -> f64 {
    let d = a - b;
    d.x * d.x + d.y * d.y + d.z * d.z
}

pub(crate) fn places(points: &[DVec3], rng: &mut Rng) -> Vec<DVec3> {
    let frame = ScanFrame::new(points).unwrap();
    let bounds = frame.bounds();
    let (middle, size) = if points.is_empty() {
        (DVec3::ZERO, 1.0)
    } else {
        (bounds.center(), bounds.diagonal().max_element().max(1e-30))
    };
    let mut places: Vec<DVec3> = (0..30).map(|_| middle + rng.cube() * size).collect();
    places.extend((0..4).map(|_| middle + rng.cube() * size * 100.0));
    places.extend(points.iter().step_by(points.len() / 10 + 1).copied());
    places
}

fn indexes(points: &[DVec3]) -> (PointTree, Vec<PointGrid>) {
    let frame = ScanFrame::new(points).unwrap();
    let mut tree = PointTree::default();
    tree.rebuild(&frame);
    let size = if points.is_empty() {
        1.0
    } else {
        frame.bounds().diagonal().max_element().max(1e-30)
    };
    let grids = [0.01, 0.1, 3.0].map(|part| {
        let mut grid = PointGrid::default();
        grid.rebuild(&frame, part * size).unwrap();
        grid
    });
    (tree, grids.into())
}

#[test]
fn the_nearest_point_is_that_of_all_points() {
    let mut rng = Rng::new(2);
    for (name, points) in clouds() {
        let (tree, grids) = indexes(&points);
        assert_eq!(tree.len(), points.len(), "{name}");
        for p in places(&points, &mut rng) {
            let expected = (0..points.len() as u32)
                .min_by(|&i, &j| {
                    let [a, b] = [i, j].map(|i| sq(points[i as usize], p));
                    a.total_cmp(&b).then(i.cmp(&j))
                })
                .map(|i| PointHit {
                    point: i,
                    position: points[i as usize],
                    distance: sq(points[i as usize], p).sqrt(),
                });
            assert_eq!(tree.nearest(p), expected, "{name}: tree at {p}");
            for grid in &grids {
                assert_eq!(grid.nearest(p), expected, "{name}: grid at {p}");
            }
        }
    }
}

#[test]
fn points_within_are_those_of_all_points() {
    let mut rng = Rng::new(3);
    for (name, points) in clouds() {
        let (tree, grids) = indexes(&points);
        let size = if points.is_empty() {
            1.0
        } else {
            tree.bounds().diagonal().length()
        };
        for p in places(&points, &mut rng) {
            for radius in [0.0, 0.05 * size, 0.3 * size, f64::INFINITY, -1.0] {
                let expected: Vec<u32> = (0..points.len() as u32)
                    .filter(|&i| sq(points[i as usize], p).sqrt() <= radius)
                    .collect();
                let ask = |index: &dyn PointIndex| {
                    let mut found: Vec<PointHit> = Vec::new();
                    assert_eq!(index.within(p, radius, &mut found), Outcome::Complete);
                    let mut ids: Vec<u32> = found.iter().map(|hit| hit.point).collect();
                    ids.sort_unstable();
                    ids
                };
                assert_eq!(ask(&tree), expected, "{name}: tree at {p}, {radius}");
                for grid in &grids {
                    assert_eq!(ask(grid), expected, "{name}: grid at {p}, {radius}");
                }
            }
        }
    }
}

#[test]
fn a_sink_may_stop_and_bad_places_have_no_answer() {
    let points = [DVec3::X, DVec3::Y, DVec3::Z];
    let (tree, grids) = indexes(&points);
    let all: Vec<&dyn PointIndex> = vec![&tree, &grids[0], &grids[2]];
    for index in all {
        let mut first = First::default();
        assert_eq!(
            index.within(DVec3::ZERO, 2.0, &mut first),
            Outcome::StoppedBySink
        );
        assert!(first.0.is_some());
        for bad in [DVec3::NAN, DVec3::INFINITY, DVec3::splat(1e300)] {
            assert_eq!(index.nearest(bad), None);
            let mut count = |_: PointHit| -> ControlFlow<()> { panic!("nothing is near {bad}") };
            assert_eq!(index.within(bad, 1.0, &mut count), Outcome::Complete);
        }
        let mut count = |_: PointHit| -> ControlFlow<()> { panic!("no radius") };
        assert_eq!(
            index.within(DVec3::X, f64::NAN, &mut count),
            Outcome::Complete
        );
        assert_eq!((index.count(), index.around().max), (3, DVec3::ONE));
    }
}

#[test]
fn invalid_points_are_counted_and_dropped_only_on_request() {
    let mut points = vec![DVec3::X, DVec3::new(0.0, f64::NAN, 0.0), DVec3::Y];
    points.push(DVec3::new(f64::NEG_INFINITY, 0.0, 0.0));
    points.push(DVec3::splat(1e60));
    let error = ScanFrame::new(&points).unwrap_err();
    let ScanFrameError::Invalid {
        count,
        total,
        first,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((count, total, first), (3, 5, 1));
    assert!(error.to_string().starts_with("3 of 5 points"));
    assert_eq!(drop_invalid(&mut points), 3);
    assert_eq!(points, [DVec3::X, DVec3::Y]);
    assert!(ScanFrame::new(&points).is_ok());
    // Found wherever they are in a long list.
    let mut many = vec![DVec3::ONE; 200_000];
    for at in [0, 99_999, 131_072, 199_999] {
        many[at] = DVec3::NAN;
        assert!(
            matches!(ScanFrame::new(&many), Err(ScanFrameError::Invalid { count: 1, first, .. }) if first == at)
        );
        many[at] = DVec3::ONE;
    }
    let frame = ScanFrame::new(&many[..1]).unwrap();
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(PointGrid::default().rebuild(&frame, cell).is_err());
        assert!(PointTree::default().rebuild_thinned(&frame, cell).is_err());
        assert!(
            Thinner::default()
                .thin(&frame, cell, &mut Vec::new())
                .is_err()
        );
    }
}

#[test]
fn a_tree_that_was_used_before_answers_as_a_new_one() {
    let mut tree = PointTree::default();
    for (name, points) in clouds().into_iter().rev() {
        let frame = ScanFrame::new(&points).unwrap();
        tree.rebuild(&frame);
        let mut fresh = PointTree::default();
        fresh.rebuild(&frame);
        for p in places(&points, &mut Rng::new(4)) {
            assert_eq!(tree.nearest(p), fresh.nearest(p), "{name}");
        }
        assert_eq!(tree.bounds(), frame.bounds(), "{name}");
    }
}

#[test]
fn every_dropped_point_has_a_kept_one_within_the_error() {
    for (name, points) in clouds() {
        let frame = ScanFrame::new(&points).unwrap();
        let size = if points.is_empty() {
            1.0
        } else {
            frame.bounds().diagonal().max_element().max(1e-30)
        };
        for part in [1e-5, 0.003, 0.05, 0.7, 10.0] {
            let cell = part * size;
            let (mut thinner, mut few) = (Thinner::default(), Vec::new());
            let thinned = thinner.thin(&frame, cell, &mut few).unwrap();
            assert_eq!(thinned.kept, few.len(), "{name}");
            assert_eq!(thinned.kept + thinned.dropped, points.len(), "{name}");
            // The first of each cube, counted plainly.
            let mut first = BTreeMap::new();
            for (i, &p) in points.iter().enumerate() {
                // Whole numbers of any size; adding 0 makes one zero of two.
                let cube = (p * (1.0 / cell)).to_array();
                let cube = cube.map(|x| (x.round_ties_even() + 0.0).to_bits());
                first.entry(cube).or_insert(i);
            }
            let mut expected: Vec<usize> = first.values().copied().collect();
            expected.sort_unstable();
            let expected: Vec<DVec3> = expected.into_iter().map(|i| points[i]).collect();
            assert_eq!(few, expected, "{name}, {part}");
            let (tree, _) = indexes(&few);
            let mut longest = 0.0_f64;
            for &p in &points {
                longest = longest.max(tree.nearest(p).map_or(0.0, |hit| hit.distance));
            }
            assert!(
                longest <= thinned.error,
                "{name}: {longest} > {}",
                thinned.error
            );
            assert!(
                thinned.error <= 1.001 * 3.0_f64.sqrt() * cell,
                "{name}: {} in cubes of {cell}",
                thinned.error
            );
            // Distances from what is left are bracketed.
            let mut own = PointTree::default();
            assert_eq!(own.rebuild_thinned(&frame, cell).unwrap(), thinned);
            let (whole, _) = indexes(&points);
            for p in places(&points, &mut Rng::new(5)) {
                let Some(near) = own.nearest(p) else { continue };
                assert_eq!(near.distance, tree.nearest(p).unwrap().distance, "{name}");
                assert_eq!(points[near.point as usize], near.position);
                let (lower, upper) = thinned.bracket(near.distance);
                let truth = whole.nearest(p).unwrap().distance;
                assert!(
                    lower * (1.0 - 1e-14) <= truth && truth <= upper,
                    "{name}: {truth} not in [{lower}, {upper}]"
                );
            }
        }
    }
}

#[test]
fn merged_frames_hold_all_placed_points_in_order() {
    let mut rng = Rng::new(6);
    let lists: Vec<Vec<DVec3>> = [70_000, 0, 3, 40_000]
        .map(|n| (0..n).map(|_| rng.cube()).collect())
        .into();
    let poses: Vec<_> = lists
        .iter()
        .map(|_| {
            let angle = rng.range(-3.0, 3.0);
            impinge::Pose::from_axis_angle(rng.direction(), angle, rng.cube() * 5.0).unwrap()
        })
        .collect();
    let frames: Vec<_> = poses
        .iter()
        .zip(&lists)
        .map(|(&pose, list)| (pose, &list[..]))
        .collect();
    let mut all = vec![DVec3::NAN; 7];
    merge(&frames, &mut all);
    let expected: Vec<DVec3> = frames
        .iter()
        .flat_map(|(pose, list)| list.iter().map(|&p| *pose * p))
        .collect();
    assert!(all == expected);
}

#[test]
fn trees_and_grids_have_the_same_bytes_on_any_number_of_threads() {
    let mut rng = Rng::new(7);
    let mut points: Vec<DVec3> = (0..60_000).map(|_| rng.cube()).collect();
    points.extend((0..20_000).map(|_| rng.cube() * 1e-4));
    points.push(DVec3::splat(500.0));
    let build = || {
        let frame = ScanFrame::new(&points).unwrap();
        let (mut tree, mut grid) = (PointTree::default(), PointGrid::default());
        tree.rebuild(&frame);
        grid.rebuild(&frame, 0.08).unwrap();
        let mut thin = PointTree::default();
        let thinned = thin.rebuild_thinned(&frame, 0.02).unwrap();
        format!("{tree:?}{grid:?}{thin:?}{thinned:?}{:?}", frame.bounds())
    };
    let pool = |threads| {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let [one, two, eight] = [1, 2, 8].map(|n| pool(n).install(build));
    assert!(one == two && two == eight);
}
