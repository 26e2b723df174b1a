//! Modes and options of the search, paths, limits, edits, awkward clouds.

use std::cell::Cell;
use std::ops::ControlFlow;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Count, First, Limits, Outcome, Sink};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::clouds::{even_sphere, ragged};

use super::{all, at, patch, surface_of, turned};

#[test]
fn every_mode_answers_alike() {
    let mut rng = Rng::new(7);
    let ball = surface_of(even_sphere(4000));
    let bumpy: Vec<DVec3> = (0..4000)
        .map(|_| rng.direction() * rng.range(0.995, 1.005))
        .collect();
    let noisy = surface_of(bumpy);
    let unoriented =
        CloudSurface::unoriented(noisy.graph().clone().into(), *noisy.options()).unwrap();
    let straight = SurfaceOptions {
        distance: WeightDistance::Euclidean,
        ..SurfaceOptions::default()
    };
    let straight = CloudSurface::new(noisy.graph().clone().into(), straight).unwrap();
    let default = InterpolationSearchOptions::default();
    for (other, name) in [
        (&noisy, "noisy"),
        (&unoriented, "unoriented"),
        (&straight, "straight"),
    ] {
        for walk in [RootSearchRule::Index, RootSearchRule::Distance] {
            for surfels in [
                SurfelModel::Count(30),
                SurfelModel::Count(60),
                SurfelModel::Radius(0.15),
            ] {
                for completion in [BracketCompletion::Influence, BracketCompletion::Annulus] {
                    for (a, b) in [(&ball, other), (other, &ball)] {
                        let options = InterpolationSearchOptions {
                            walk,
                            surfels,
                            completion,
                            ..default
                        };
                        let (found, _) = all(a, b, &at([0.4, 0.9, -0.3]), &options);
                        assert!(!found.is_empty(), "{name} {options:?}");
                        for crossing in found {
                            let p = crossing.point;
                            assert!((p.length() - 1.0).abs() < 0.03, "{name}: {p}");
                        }
                        let (none, _) = all(a, b, &at([1.5, 1.5, 0.1]), &options);
                        assert!(none.is_empty(), "{name} {options:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn smaller_surfels_take_more_candidates() {
    let ball = surface_of(even_sphere(20_000));
    let looked_at = |radius: f64| {
        let options = InterpolationSearchOptions {
            surfels: SurfelModel::Radius(radius),
            ..InterpolationSearchOptions::default()
        };
        let (found, search) = all(&ball, &ball, &at(DVec3::X), &options);
        (found.len(), search.lookups + search.evaluations)
    };
    let (coarse, fine) = (looked_at(0.2), looked_at(0.08));
    assert!(
        fine.0 > coarse.0 && fine.1 > coarse.1,
        "{coarse:?} {fine:?}"
    );
}

#[test]
fn virtual_edges_lose_nothing_and_cross_holes() {
    // A plate with round holes, dense but for them.
    let mut rng = Rng::new(9);
    let mut points = Vec::new();
    while points.len() < 4000 {
        let p = DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.0);
        let cell = DVec3::new((p.x * 4.0).round(), (p.y * 4.0).round(), 0.0) / 4.0;
        if (p - cell).length() > 0.06 {
            points.push(p);
        }
    }
    let plate = surface_of(points);
    let wall = surface_of(patch(3000, DVec3::X, DVec3::Z, &mut rng));
    let recall = |virtual_edges: bool| {
        let mut total = 0;
        for seed in 0..5 {
            let options = InterpolationSearchOptions {
                virtual_edges,
                seed,
                ..InterpolationSearchOptions::default()
            };
            let pose = turned(DVec3::Z, 0.1 * seed as f64, DVec3::ZERO);
            total += all(&plate, &wall, &pose, &options).0.len();
        }
        total
    };
    let (with, without) = (recall(true), recall(false));
    assert!(with >= without && without > 20, "{with} {without}");
}

#[test]
fn a_path_leaves_a_dead_end_again() {
    // A sheet with a slit: straight on ends at the slit.
    let mut points = Vec::new();
    for i in 0..40 {
        for j in 0..40 {
            let is_slit = (18..=21).contains(&i) && j > 4;
            if !is_slit {
                points.push(DVec3::new(f64::from(i), f64::from(j), 0.0));
            }
        }
    }
    let find = |x: f64, y: f64| {
        let near = |p: &DVec3| *p == DVec3::new(x, y, 0.0);
        PointId::new(points.iter().position(near).unwrap() as u32)
    };
    let (from, to) = (find(12.0, 20.0), find(27.0, 20.0));
    let sheet = surface_of(points.clone());
    let mut path = Vec::new();
    let mut scratch = InterpolationSearchScratch::default();
    assert!(surface_path(
        &sheet,
        from,
        to,
        false,
        &mut scratch,
        &mut path
    ));
    assert_eq!((path[0], path[path.len() - 1]), (from, to));
    for pair in path.windows(2) {
        assert!(sheet.graph().neighbours(pair[0]).contains(&pair[1]));
    }
    let mut distinct = path.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), path.len());
    assert!(
        path.iter().any(|p| points[p.index()].y < 6.0),
        "around the slit"
    );
    let unknown = PointId::new(99_999);
    assert!(!surface_path(
        &sheet,
        from,
        unknown,
        true,
        &mut scratch,
        &mut path
    ));
}

/// Finds crossings of a surface with itself, placed elsewhere.
fn with_itself(
    surface: &CloudSurface,
    pose: Pose,
    options: InterpolationSearchOptions,
) -> impl FnMut(Limits<'_>, &mut dyn Sink<SurfaceCrossing>) -> CrossingResult {
    let mut scratch = InterpolationSearchScratch::default();
    let (a, b) = (surface, surface);
    move |limits, sink| find_crossings(a, b, &pose, None, &options, limits, &mut scratch, sink)
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_limits_hold() {
    let ball = surface_of(even_sphere(3000));
    let pose = at([0.7, 0.5, 0.1]);
    let options = InterpolationSearchOptions::default();
    let (first, again) = (
        all(&ball, &ball, &pose, &options),
        all(&ball, &ball, &pose, &options),
    );
    assert_eq!(first, again);
    let mut search = with_itself(&ball, pose, options);
    let limits = Limits {
        max_tests: Some(10),
        ..Limits::default()
    };
    let mut count = Count::default();
    let few = search(limits, &mut count);
    assert_eq!(few.outcome, Outcome::OutOfBudget);
    assert!(few.verdict.confidence < first.1.verdict.confidence || few.verdict.answer);
    let stop = Limits {
        stop: Some(&|| true),
        ..Limits::default()
    };
    let none = search(stop, &mut count);
    assert_eq!(
        (none.outcome, none.verdict.answer),
        (Outcome::OutOfBudget, false)
    );
    let mut one = First::default();
    let stopped = search(Limits::default(), &mut one);
    assert_eq!(stopped.outcome, Outcome::StoppedBySink);
    assert_eq!(one.0, first.0.first().copied());
    assert!(stopped.evaluations < first.1.evaluations);
}

#[test]
fn limits_hold_within_a_candidate_too() {
    let ball = surface_of(even_sphere(3000));
    for pose in [at([0.7, 0.5, 0.1]), at([0.0, 0.0, 1.99])] {
        for completion in [BracketCompletion::Influence, BracketCompletion::Annulus] {
            let options = InterpolationSearchOptions {
                completion,
                ..InterpolationSearchOptions::default()
            };
            let mut search = with_itself(&ball, pose, options);
            let mut search = |limits: Limits<'_>| search(limits, &mut Count::default());
            let whole = search(Limits::default());
            let all = whole.evaluations + whole.lookups;
            for max_tests in (0..all.saturating_sub(1)).step_by(7) {
                let found = search(Limits {
                    max_tests: Some(max_tests),
                    ..Limits::default()
                });
                let spent = found.evaluations + found.lookups;
                // Both functions are evaluated at a place, or none.
                assert!(spent <= max_tests + 1, "{spent} of {max_tests}");
                assert_eq!(found.outcome, Outcome::OutOfBudget, "{max_tests} of {all}");
            }
            // Asked before each look, however many brackets are searched.
            for last in [1, 3, 10, 30, 100] {
                let asked = Cell::new(0);
                let stop = || {
                    asked.set(asked.get() + 1);
                    asked.get() > last
                };
                let found = search(Limits {
                    stop: Some(&stop),
                    ..Limits::default()
                });
                let spent = found.evaluations + found.lookups;
                assert!(spent <= 2 * last, "{spent} after {last}");
                assert!(
                    asked.get() <= last + 1,
                    "once told to stop, it does not ask again"
                );
            }
        }
    }
}

#[test]
fn as_many_candidates_as_can_be_asked_for_are_all_points() {
    let ball = surface_of(even_sphere(300));
    let options = InterpolationSearchOptions {
        candidates: usize::MAX,
        ..InterpolationSearchOptions::default()
    };
    let (found, search) = all(&ball, &ball, &at([0.7, 0.5, 0.1]), &options);
    assert!(found.len() > 3 && search.verdict.answer);
}

#[test]
fn only_given_points_are_looked_at() {
    let ball = surface_of(even_sphere(3000));
    let pose = at([1.0, 0.0, 0.0]);
    let upper: Vec<PointId> = ball
        .graph()
        .ids()
        .filter(|&id| ball.graph().place(id).unwrap().z > 0.5)
        .chain([PointId::new(u32::MAX)])
        .collect();
    let mut scratch = InterpolationSearchScratch::default();
    let mut lowest = f64::INFINITY;
    let mut sink = |crossing: SurfaceCrossing| {
        lowest = lowest.min(crossing.point.z);
        ControlFlow::Continue(())
    };
    let options = InterpolationSearchOptions::default();
    let limits = Limits::default();
    let search = find_crossings(
        &ball,
        &ball,
        &pose,
        Some(&upper),
        &options,
        limits,
        &mut scratch,
        &mut sink,
    );
    assert!(search.verdict.answer && lowest > 0.4, "{lowest}");
}

#[test]
fn moved_points_are_searched_like_new_ones() {
    let mut rng = Rng::new(10);
    let mut points: Vec<DVec3> = (0..1500).map(|_| rng.direction()).collect();
    let mut moved = surface_of(points.clone());
    for _ in 0..60 {
        let number = rng.below(1500) as usize;
        let place = points[number] * rng.range(0.99, 1.01);
        moved.relocate(PointId::new(number as u32), place).unwrap();
        points[number] = place;
    }
    let fresh = surface_of(points);
    let other = surface_of(even_sphere(1500));
    let pose = at([1.1, 0.3, 0.2]);
    let options = InterpolationSearchOptions::default();
    let (old, new) = (
        all(&moved, &other, &pose, &options).0,
        all(&fresh, &other, &pose, &options).0,
    );
    assert!(old.len() > 20 && old.len().abs_diff(new.len()) < 10);
    // Sides are handed on from where they were, so the searches may differ; the surfaces do not.
    let mut scratch = EvaluationScratch::default();
    let back = pose.inverse();
    for crossing in old {
        let p = crossing.point;
        let f_a = fresh.evaluate(p, &mut scratch).value().unwrap();
        let f_b = other.evaluate(back * p, &mut scratch).value().unwrap();
        assert!((f_a.abs() + f_b.abs() - crossing.residual).abs() < 1e-12);
    }
}

#[test]
fn awkward_clouds_have_an_answer() {
    let mut rng = Rng::new(12);
    let mut clouds: Vec<Vec<DVec3>> = Vec::new();
    for n in 0..=10 {
        clouds.push((0..n).map(|_| rng.cube()).collect());
    }
    // Noisy, and ragged.
    clouds.push(
        (0..250)
            .map(|_| rng.direction() * rng.range(0.8, 1.2))
            .collect(),
    );
    clouds.push(ragged(400, 33));
    clouds.push(vec![DVec3::ONE; 20]);
    clouds.push((0..30).map(|i| DVec3::X * f64::from(i) / 15.0).collect());
    clouds.push(
        (0..64)
            .map(|i| DVec3::new(f64::from(i % 8), f64::from(i / 8), 0.0) / 4.0)
            .collect(),
    );
    clouds.push(
        (0..40)
            .map(|_| DVec3::new(rng.grid(0, 2), rng.grid(0, 2), rng.grid(0, 2)))
            .collect(),
    );
    clouds.push((0..100).map(|_| rng.cube() * 1e-100).collect());
    clouds.push((0..100).map(|_| rng.direction() * 1e30).collect());
    clouds.push(even_sphere(300));
    let surfaces: Vec<CloudSurface> = clouds.into_iter().map(surface_of).collect();
    let mut scratch = InterpolationSearchScratch::default();
    for a in &surfaces {
        for b in &surfaces {
            for (walk, completion) in [
                (RootSearchRule::Index, BracketCompletion::Influence),
                (RootSearchRule::Distance, BracketCompletion::Annulus),
            ] {
                let options = InterpolationSearchOptions {
                    walk,
                    completion,
                    ..InterpolationSearchOptions::default()
                };
                for pose in [
                    Pose::IDENTITY,
                    turned(DVec3::ONE.normalize(), 0.3, DVec3::X * 0.2),
                ] {
                    let limits = Limits::default();
                    let (found, _) = all(a, b, &pose, &options);
                    assert!(
                        found
                            .iter()
                            .all(|c| c.point.is_finite() && c.residual.is_finite())
                    );
                    let near = closest_approach(a, b, &pose, &options, limits, &mut scratch);
                    assert!(near.separation.is_none_or(|s| s.distance.is_finite()));
                }
            }
        }
    }
    for options in [
        InterpolationSearchOptions {
            candidates: 0,
            ..InterpolationSearchOptions::default()
        },
        InterpolationSearchOptions {
            surfels: SurfelModel::Count(0),
            ..InterpolationSearchOptions::default()
        },
        InterpolationSearchOptions {
            surfels: SurfelModel::Radius(f64::NAN),
            tolerance: f64::NAN,
            ..InterpolationSearchOptions::default()
        },
        InterpolationSearchOptions {
            surfels: SurfelModel::Radius(1e-300),
            ..InterpolationSearchOptions::default()
        },
    ] {
        let ball = &surfaces[surfaces.len() - 1];
        let _ = all(ball, ball, &at(DVec3::X), &options);
    }
}
