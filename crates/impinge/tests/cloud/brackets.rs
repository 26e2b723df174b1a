//! Crossings of two surfaces against closed forms: balls, planes, tori; holes, edits, awkward clouds.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Count, First, Limits, Outcome};
use impinge::{DVec3, Pose};

fn surface_of(points: Vec<DVec3>) -> CloudSurface {
    let cloud = PointCloud::new(points, None).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap()
}

/// Evenly spread points on the unit sphere.
fn fibonacci(n: usize) -> Vec<DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..n)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
            let r = (1.0 - z * z).sqrt();
            let angle = golden * i as f64;
            DVec3::new(r * angle.cos(), r * angle.sin(), z)
        })
        .collect()
}

/// Random points of a square patch about the origin.
fn patch(n: usize, u: DVec3, v: DVec3, rng: &mut Rng) -> Vec<DVec3> {
    (0..n)
        .map(|_| u * rng.range(-1.0, 1.0) + v * rng.range(-1.0, 1.0))
        .collect()
}

fn torus(n: usize, thickness: f64, rng: &mut Rng) -> Vec<DVec3> {
    let mut points = Vec::new();
    while points.len() < n {
        let (a, b) = (rng.range(0.0, TAU), rng.range(0.0, TAU));
        let r = 1.0 + thickness * b.cos();
        if rng.range(0.0, 1.0 + thickness) <= r {
            points.push(DVec3::new(r * a.cos(), r * a.sin(), thickness * b.sin()));
        }
    }
    points
}

fn at(translation: impl Into<DVec3>) -> Pose {
    Pose::from_translation(translation).unwrap()
}

fn turned(axis: DVec3, angle: f64, translation: DVec3) -> Pose {
    Pose::from_axis_angle(axis, angle, translation).unwrap()
}

/// All crossings, with what the search says.
fn all(
    a: &CloudSurface,
    b: &CloudSurface,
    pose: &Pose,
    options: &BracketOptions,
) -> (Vec<Crossing>, CrossingSearch) {
    let mut found = Vec::new();
    let mut scratch = BracketScratch::default();
    let limits = Limits::default();
    let search = find_crossings(a, b, pose, None, options, limits, &mut scratch, &mut found);
    assert_eq!(search.verdict.answer, !found.is_empty());
    assert_eq!(search.outcome, Outcome::Complete);
    (found, search)
}

/// What the surface is smaller than its ball by.
fn shrinkage(surface: &CloudSurface) -> f64 {
    let here = surface.evaluate(DVec3::Z, &mut Scratch::default());
    let h = here.sample().unwrap().bandwidth;
    0.5 * h * h
}

#[test]
fn balls_cross_in_a_circle_without_gaps() {
    let ball = surface_of(fibonacci(6000));
    let radius = 1.0 - shrinkage(&ball);
    let mut rng = Rng::new(2);
    for distance in [0.3, 0.8, 1.2, 1.6, 1.9] {
        let way = rng.direction();
        let pose = turned(rng.direction(), rng.range(0.0, TAU), way * distance);
        let (found, search) = all(&ball, &ball, &pose, &BracketOptions::default());
        assert!(search.verdict.confidence > 0.5 && !search.verdict.certain);
        let (u, v) = way.any_orthonormal_pair();
        let mut angles = Vec::new();
        for crossing in &found {
            let p = crossing.point;
            assert!((p.length() - radius).abs() < 4e-3, "{distance}: {p}");
            assert!(
                (p.dot(way) - distance / 2.0).abs() < 6e-3,
                "{distance}: {p}"
            );
            assert!(crossing.radius > 0.0 && crossing.residual < 5e-3);
            angles.push(p.dot(v).atan2(p.dot(u)));
        }
        angles.sort_by(f64::total_cmp);
        let gaps = angles.windows(2).map(|w| w[1] - w[0]);
        let around = angles[0] + TAU - angles[angles.len() - 1];
        let widest = gaps.fold(around, f64::max);
        assert!(widest < 0.9, "{distance}: a gap of {widest}");
    }
}

#[test]
fn a_small_cap_is_found_though_no_candidate_is_in_it() {
    let ball = surface_of(fibonacci(20_000));
    let touching = 2.0 * (1.0 - shrinkage(&ball));
    let mut rng = Rng::new(3);
    let (mut found, mut invented) = (0, 0);
    let few = BracketOptions {
        candidates: 60,
        ..BracketOptions::default()
    };
    for seed in 0..40 {
        let options = BracketOptions { seed, ..few };
        let way = rng.direction();
        let near = all(&ball, &ball, &at(way * (touching - 0.01)), &options);
        let apart = all(&ball, &ball, &at(way * (touching + 0.01)), &options);
        found += u32::from(near.1.verdict.answer);
        invented += u32::from(apart.1.verdict.answer);
    }
    assert!(found >= 39, "{found} of 40");
    assert_eq!(invented, 0);
}

#[test]
fn planes_cross_in_a_line() {
    let mut rng = Rng::new(4);
    let floor = surface_of(patch(3000, DVec3::X, DVec3::Y, &mut rng));
    for angle in [0.3_f64, 0.8, TAU / 4.0] {
        let pose = turned(DVec3::X, angle, DVec3::new(0.1, 0.0, 0.0));
        for completion in [Completion::Influence, Completion::Annulus] {
            let options = BracketOptions {
                completion,
                candidates: 400,
                ..BracketOptions::default()
            };
            let (found, _) = all(&floor, &floor, &pose, &options);
            assert!(found.len() > 10, "{angle} {completion:?}: {}", found.len());
            let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
            for crossing in &found {
                let p = crossing.point;
                assert!(p.y.abs() < 5e-3 / angle && p.z.abs() < 5e-3, "{p}");
                ends = (ends.0.min(p.x), ends.1.max(p.x));
            }
            assert!(ends.0 < -0.6 && ends.1 > 0.7, "{ends:?}");
            // Where one of the patches has ended there is no crossing.
            assert!(ends.0 > -1.0 && ends.1 < 1.1, "{ends:?}");
        }
    }
}

#[test]
fn surfaces_that_do_not_meet_have_no_crossing() {
    let mut rng = Rng::new(5);
    let options = BracketOptions::default();
    let floor = surface_of(patch(2000, DVec3::X, DVec3::Y, &mut rng));
    for gap in [0.2, 0.5] {
        let pose = turned(DVec3::Z, 0.3, DVec3::Z * gap);
        assert!(all(&floor, &floor, &pose, &options).0.is_empty());
    }
    let large = surface_of(fibonacci(4000));
    let small = surface_of(fibonacci(2000).iter().map(|p| *p * 0.6).collect());
    let (none, search) = all(&small, &large, &at(DVec3::X * 0.2), &options);
    assert!(none.is_empty() && !search.verdict.certain && search.verdict.confidence > 0.9);
    assert!(
        all(&large, &small, &at(DVec3::X * 0.2), &options)
            .0
            .is_empty()
    );
    let (_, far) = all(&large, &large, &at(DVec3::X * 2.5), &options);
    assert!(far.verdict.certain && far.evaluations == 0);
}

#[test]
fn linked_rings_do_not_cross_and_pushed_ones_do() {
    let mut rng = Rng::new(6);
    let ring = surface_of(torus(6000, 0.25, &mut rng));
    let linked = |shift: f64| turned(DVec3::X, TAU / 4.0, DVec3::X * shift);
    let options = BracketOptions::default();
    assert!(all(&ring, &ring, &linked(1.0), &options).0.is_empty());
    let (found, _) = all(&ring, &ring, &linked(0.3), &options);
    assert!(found.len() > 5);
    let distance = |p: DVec3| {
        let middle = DVec3::new(p.x, p.y, 0.0).normalize_or_zero();
        ((p - middle).length() - 0.25).abs()
    };
    let back = linked(0.3).inverse();
    for crossing in found {
        let p = crossing.point;
        assert!(distance(p) < 0.02 && distance(back * p) < 0.02, "{p}");
    }
}

#[test]
fn every_mode_answers_alike() {
    let mut rng = Rng::new(7);
    let ball = surface_of(fibonacci(4000));
    let bumpy: Vec<DVec3> = (0..4000)
        .map(|_| rng.direction() * rng.range(0.995, 1.005))
        .collect();
    let noisy = surface_of(bumpy);
    let unoriented =
        CloudSurface::unoriented(noisy.graph().clone().into(), *noisy.options()).unwrap();
    let straight = SurfaceOptions {
        distance: Distance::Euclidean,
        ..SurfaceOptions::default()
    };
    let straight = CloudSurface::new(noisy.graph().clone().into(), straight).unwrap();
    let default = BracketOptions::default();
    for (other, name) in [
        (&noisy, "noisy"),
        (&unoriented, "unoriented"),
        (&straight, "straight"),
    ] {
        for walk in [Walk::Index, Walk::Distance] {
            for surfels in [
                Surfels::Count(30),
                Surfels::Count(60),
                Surfels::Radius(0.15),
            ] {
                for completion in [Completion::Influence, Completion::Annulus] {
                    for (a, b) in [(&ball, other), (other, &ball)] {
                        let options = BracketOptions {
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
    let ball = surface_of(fibonacci(20_000));
    let looked_at = |radius: f64| {
        let options = BracketOptions {
            surfels: Surfels::Radius(radius),
            ..BracketOptions::default()
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
fn a_refined_point_is_as_good_as_a_fine_grid() {
    let mut rng = Rng::new(8);
    let points = (0..3000).map(|_| rng.direction() * rng.range(0.997, 1.003));
    let ball = surface_of(points.collect());
    let pose = turned(DVec3::Y, 0.4, DVec3::new(0.9, 0.5, 0.2));
    let back = pose.inverse();
    let (found, _) = all(&ball, &ball, &pose, &BracketOptions::default());
    let mut scratch = Scratch::default();
    for crossing in found.iter().take(6) {
        let mut best = f64::INFINITY;
        let centre = crossing.point;
        let cells = 12;
        for number in 0..cells * cells * cells {
            let [x, y, z] = [
                number % cells,
                number / cells % cells,
                number / cells / cells,
            ]
            .map(|i| (f64::from(i) + 0.5) / f64::from(cells) * 2.0 - 1.0);
            let p = centre + DVec3::new(x, y, z) * crossing.radius;
            let f_a = ball.evaluate(p, &mut scratch).value().unwrap();
            let f_b = ball.evaluate(back * p, &mut scratch).value().unwrap();
            best = best.min(f_a.abs() + f_b.abs());
        }
        assert!(
            crossing.residual < best + 1e-3,
            "{} {best}",
            crossing.residual
        );
    }
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
            let options = BracketOptions {
                virtual_edges,
                seed,
                ..BracketOptions::default()
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
    let mut scratch = BracketScratch::default();
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

#[test]
fn the_same_seed_gives_the_same_bytes_and_limits_hold() {
    let ball = surface_of(fibonacci(3000));
    let pose = at([0.7, 0.5, 0.1]);
    let options = BracketOptions::default();
    let (first, again) = (
        all(&ball, &ball, &pose, &options),
        all(&ball, &ball, &pose, &options),
    );
    assert_eq!(first, again);
    let mut scratch = BracketScratch::default();
    let limits = Limits {
        max_tests: Some(10),
        ..Limits::default()
    };
    let mut count = Count::default();
    let few = find_crossings(
        &ball,
        &ball,
        &pose,
        None,
        &options,
        limits,
        &mut scratch,
        &mut count,
    );
    assert_eq!(few.outcome, Outcome::OutOfBudget);
    assert!(few.verdict.confidence < first.1.verdict.confidence || few.verdict.answer);
    let stop = Limits {
        stop: Some(&|| true),
        ..Limits::default()
    };
    let none = find_crossings(
        &ball,
        &ball,
        &pose,
        None,
        &options,
        stop,
        &mut scratch,
        &mut count,
    );
    assert_eq!(
        (none.outcome, none.verdict.answer),
        (Outcome::OutOfBudget, false)
    );
    let mut one = First::default();
    let limits = Limits::default();
    let search = find_crossings(
        &ball,
        &ball,
        &pose,
        None,
        &options,
        limits,
        &mut scratch,
        &mut one,
    );
    assert_eq!(search.outcome, Outcome::StoppedBySink);
    assert_eq!(one.0, first.0.first().copied());
    assert!(search.evaluations < first.1.evaluations);
}

#[test]
fn only_given_points_are_looked_at() {
    let ball = surface_of(fibonacci(3000));
    let pose = at([1.0, 0.0, 0.0]);
    let upper: Vec<PointId> = ball
        .graph()
        .ids()
        .filter(|&id| ball.graph().place(id).unwrap().z > 0.5)
        .chain([PointId::new(u32::MAX)])
        .collect();
    let mut scratch = BracketScratch::default();
    let mut lowest = f64::INFINITY;
    let mut sink = |crossing: Crossing| {
        lowest = lowest.min(crossing.point.z);
        ControlFlow::Continue(())
    };
    let options = BracketOptions::default();
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
    let other = surface_of(fibonacci(1500));
    let pose = at([1.1, 0.3, 0.2]);
    let options = BracketOptions::default();
    let (old, new) = (
        all(&moved, &other, &pose, &options).0,
        all(&fresh, &other, &pose, &options).0,
    );
    assert!(old.len() > 20 && old.len().abs_diff(new.len()) < 10);
    // Sides are handed on from where they were, so the searches may differ; the surfaces do not.
    let mut scratch = Scratch::default();
    let back = pose.inverse();
    for crossing in old {
        let p = crossing.point;
        let f_a = fresh.evaluate(p, &mut scratch).value().unwrap();
        let f_b = other.evaluate(back * p, &mut scratch).value().unwrap();
        assert!((f_a.abs() + f_b.abs() - crossing.residual).abs() < 1e-12);
    }
}

#[test]
fn the_nearest_approach_of_balls_planes_and_crossing_ones_is_known() {
    let mut scratch = BracketScratch::default();
    let options = BracketOptions::default();
    let limits = Limits::default();
    let mut rng = Rng::new(11);
    let ball = surface_of(fibonacci(5000));
    let shrunk = shrinkage(&ball);
    for _ in 0..6 {
        let gap = rng.range(0.05, 1.0);
        let way = rng.direction();
        let pose = turned(rng.direction(), 1.0, way * (2.0 + gap));
        let found = nearest_approach(&ball, &ball, &pose, &options, limits, &mut scratch);
        let nearest = found.separation.unwrap();
        let expected = gap + 2.0 * shrunk;
        assert!(
            (nearest.distance - expected).abs() < 0.01,
            "{gap}: {nearest:?}"
        );
        assert!(
            (nearest.point_a - way).length() < 0.15,
            "{way}: {nearest:?}"
        );
        assert!(((nearest.point_a - nearest.point_b).length() - nearest.distance).abs() < 1e-12);
    }
    let floor = surface_of(patch(2000, DVec3::X, DVec3::Y, &mut rng));
    let found = nearest_approach(
        &floor,
        &floor,
        &at([0.3, 0.2, 0.4]),
        &options,
        limits,
        &mut scratch,
    );
    assert!((found.separation.unwrap().distance - 0.4).abs() < 1e-3);
    let crossing = nearest_approach(&ball, &ball, &at(DVec3::X), &options, limits, &mut scratch);
    assert_eq!(crossing.separation.unwrap().distance, 0.0);
    assert!(crossing.verdict.answer);
    let near = Limits {
        max_distance: Some(0.1),
        ..limits
    };
    let far = nearest_approach(
        &ball,
        &ball,
        &at(DVec3::X * 4.0),
        &options,
        near,
        &mut scratch,
    );
    assert_eq!(far.separation, None);
}

#[test]
fn awkward_clouds_have_an_answer() {
    let mut rng = Rng::new(12);
    let mut clouds: Vec<Vec<DVec3>> = Vec::new();
    for n in 0..=10 {
        clouds.push((0..n).map(|_| rng.cube()).collect());
    }
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
    clouds.push(fibonacci(300));
    let surfaces: Vec<CloudSurface> = clouds.into_iter().map(surface_of).collect();
    let mut scratch = BracketScratch::default();
    for a in &surfaces {
        for b in &surfaces {
            for (walk, completion) in [
                (Walk::Index, Completion::Influence),
                (Walk::Distance, Completion::Annulus),
            ] {
                let options = BracketOptions {
                    walk,
                    completion,
                    ..BracketOptions::default()
                };
                for pose in [
                    Pose::IDENTITY,
                    turned(DVec3::ONE.normalize(), 0.3, DVec3::X * 0.2),
                ] {
                    let limits = Limits::default();
                    let mut found = Vec::new();
                    let search = find_crossings(
                        a,
                        b,
                        &pose,
                        None,
                        &options,
                        limits,
                        &mut scratch,
                        &mut found,
                    );
                    assert_eq!(search.verdict.answer, !found.is_empty());
                    assert!(
                        found
                            .iter()
                            .all(|c| c.point.is_finite() && c.residual.is_finite())
                    );
                    let near = nearest_approach(a, b, &pose, &options, limits, &mut scratch);
                    assert!(near.separation.is_none_or(|s| s.distance.is_finite()));
                }
            }
        }
    }
    for options in [
        BracketOptions {
            candidates: 0,
            ..BracketOptions::default()
        },
        BracketOptions {
            surfels: Surfels::Count(0),
            ..BracketOptions::default()
        },
        BracketOptions {
            surfels: Surfels::Radius(f64::NAN),
            tolerance: f64::NAN,
            ..BracketOptions::default()
        },
        BracketOptions {
            surfels: Surfels::Radius(1e-300),
            ..BracketOptions::default()
        },
    ] {
        let ball = &surfaces[surfaces.len() - 1];
        let _ = all(ball, ball, &at(DVec3::X), &options);
    }
}
