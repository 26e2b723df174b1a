//! The surface behind a cloud against closed forms: planes, balls, rims, near sheets, cavities.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::{DMat3, DVec3};
use impinge_testkit::generate::clouds::{even_sphere, ragged};

fn graph_of(points: Vec<DVec3>) -> ProximityGraph {
    ProximityGraph::new(
        &PointCloud::new(points, None).unwrap(),
        &GraphOptions::default(),
    )
    .unwrap()
}

fn surface_of(points: Vec<DVec3>, options: SurfaceOptions) -> CloudSurface {
    CloudSurface::new(graph_of(points).into(), options).unwrap()
}

const DISTANCES: [WeightDistance; 5] = [
    WeightDistance::Euclidean,
    WeightDistance::Geodesic,
    WeightDistance::Shortest,
    WeightDistance::Hops,
    WeightDistance::Averaged(0.3),
];

#[test]
fn a_plane_is_reproduced_by_every_kernel_distance_and_bandwidth() {
    let mut rng = Rng::new(1);
    // A plane in general position.
    let (u, v) = (
        DVec3::new(2.0, 1.0, 0.5).normalize(),
        DVec3::new(-1.0, 2.0, 0.0).normalize(),
    );
    let normal = u.cross(v);
    let origin = DVec3::new(3.0, -1.0, 2.0);
    let points: Vec<DVec3> = (0..900)
        .map(|_| origin + u * rng.unit() + v * rng.unit())
        .collect();
    let graph = std::sync::Arc::new(graph_of(points));
    let mut scratch = EvaluationScratch::default();
    for kernel in Kernel::ALL {
        for distance in DISTANCES {
            // The others end at the bandwidth, the Gaussian 2.6 times farther.
            let width = if kernel == Kernel::Gaussian {
                0.06
            } else {
                0.15
            };
            for bandwidth in [Bandwidth::Fixed(width), Bandwidth::Local { eta: 6.0 }] {
                for paths in [
                    PathLength::Polyline,
                    PathLength::Spline,
                    PathLength::Triangles,
                ] {
                    // How paths are measured does not depend on what is done with them.
                    let is_default =
                        kernel == Kernel::Gaussian && distance == WeightDistance::Geodesic;
                    if paths != PathLength::Polyline && !is_default {
                        continue;
                    }
                    let options = SurfaceOptions {
                        kernel,
                        distance,
                        bandwidth,
                        paths,
                        ..SurfaceOptions::default()
                    };
                    let surface = CloudSurface::new(graph.clone(), options).unwrap();
                    let mut defined = 0;
                    for _ in 0..60 {
                        let height = rng.range(-0.05, 0.05);
                        let x = origin
                            + u * rng.range(0.2, 0.8)
                            + v * rng.range(0.2, 0.8)
                            + normal * height;
                        if let Some(value) = surface.evaluate(x, &mut scratch).value() {
                            defined += 1;
                            assert!((value.abs() - height.abs()).abs() < 1e-11, "{options:?}");
                            // All normals look to one side.
                            let side = surface.normals()[0].dot(normal);
                            assert!(value * height * side <= 0.0, "{options:?}");
                        }
                    }
                    assert!(defined >= 55, "{defined} {options:?}");
                }
            }
        }
    }
}

#[test]
fn a_ball_comes_out_smaller_by_half_the_bandwidth_squared() {
    let n = 20_000;
    let points = even_sphere(n);
    let spacing = (4.0 * std::f64::consts::PI / n as f64).sqrt();
    let graph = std::sync::Arc::new(graph_of(points));
    let mut rng = Rng::new(2);
    let mut scratch = EvaluationScratch::default();
    for width in [1.5, 2.0, 3.0, 5.0, 8.0] {
        let h = width * spacing;
        let options = SurfaceOptions {
            distance: WeightDistance::Euclidean,
            bandwidth: Bandwidth::Fixed(h),
            negligible: 1e-8,
            ..SurfaceOptions::default()
        };
        let surface = CloudSurface::new(graph.clone(), options).unwrap();
        let wanted = 0.5 * h * h;
        for _ in 0..200 {
            let x = rng.direction();
            let value = surface.evaluate(x, &mut scratch).value().unwrap();
            assert!(
                (value.abs() / wanted - 1.0).abs() < 3e-3,
                "{width}: {value} {wanted}"
            );
            // The zero is inside, so a point of the ball is outside of the surface.
            assert!(value < 0.0);
        }
    }
}

#[test]
fn the_sign_tells_inside_from_outside_on_closed_surfaces() {
    let mut rng = Rng::new(3);
    let torus = |rng: &mut Rng| {
        let (a, b) = (
            rng.range(0.0, std::f64::consts::TAU),
            rng.range(0.0, std::f64::consts::TAU),
        );
        let r = 1.0 + 0.4 * b.cos();
        DVec3::new(r * a.cos(), r * a.sin(), 0.4 * b.sin())
    };
    let torus_points: Vec<DVec3> = (0..6000).map(|_| torus(&mut rng)).collect();
    let ball: Vec<DVec3> = (0..3000).map(|_| rng.direction()).collect();
    type Inside = fn(DVec3) -> f64;
    let from_torus: Inside = |x| {
        let r = (x.x * x.x + x.y * x.y).sqrt() - 1.0;
        0.4 - (r * r + x.z * x.z).sqrt()
    };
    let from_ball: Inside = |x| 1.0 - x.length();
    for (points, depth) in [(torus_points, from_torus), (ball, from_ball)] {
        let surface = surface_of(points.clone(), SurfaceOptions::default());
        let mut scratch = EvaluationScratch::default();
        for p in points.iter().step_by(7) {
            let x = *p + rng.direction() * 0.15;
            let truth = depth(x);
            let value = surface.evaluate(x, &mut scratch).value();
            if let Some(value) = value.filter(|_| truth.abs() > 0.06) {
                assert!(value * truth > 0.0, "{value} {truth}");
                assert!((value - truth).abs() < 0.06, "{value} {truth}");
            }
        }
    }
}

#[test]
fn no_surface_goes_on_beyond_a_rim() {
    let mut rng = Rng::new(4);
    let disc: Vec<DVec3> = (0..2500)
        .map(|_| {
            loop {
                let p = DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.0);
                if p.length() <= 1.0 {
                    break p;
                }
            }
        })
        .collect();
    let half_ball: Vec<DVec3> = (0..2500)
        .map(|_| {
            let d = rng.direction();
            DVec3::new(d.x, d.y, d.z.abs())
        })
        .collect();
    let directions: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.0628).collect();
    let at = |r: f64, z: f64, angle: f64| DVec3::new(r * angle.cos(), r * angle.sin(), z);
    for distance in [WeightDistance::Geodesic, WeightDistance::Euclidean] {
        let options = SurfaceOptions {
            distance,
            ..SurfaceOptions::default()
        };
        for (points, is_disc) in [(&disc, true), (&half_ball, false)] {
            let surface = surface_of(points.clone(), options);
            let mut scratch = EvaluationScratch::default();
            let (mut inner, mut kept) = (0, 0);
            for &angle in &directions {
                // How far the points reach beyond the rim: twice the local spacing at most.
                for beyond in [2.5, 4.0, 8.0, 20.0] {
                    let nearest = surface.graph().tree().nearest(at(1.0, 0.0, angle)).unwrap();
                    let step = beyond * surface.graph().spacing(nearest.point);
                    let x = if is_disc {
                        at(1.0 + step, 0.0, angle)
                    } else {
                        at(1.0, -step, angle)
                    };
                    if let Some(sample) = surface.evaluate(x, &mut scratch).sample() {
                        assert!(sample.is_beyond_border, "{distance:?} {beyond} {sample:?}");
                        assert!(sample.bordered(1e-3) != 0.0);
                    }
                }
                let x = if is_disc {
                    at(0.7, 0.0, angle)
                } else {
                    at(0.8, 0.6, angle)
                };
                inner += 1;
                let sample = surface.evaluate(x, &mut scratch);
                kept += usize::from(sample.sample().is_some_and(|s| !s.is_beyond_border));
            }
            assert!(kept * 100 >= inner * 97, "{distance:?}: {kept} of {inner}");
        }
    }
}

/// How many places between two things, away from both, show a zero of the function along the way.
fn artificial_zeros(
    surface: &CloudSurface,
    ways: &[(DVec3, DVec3)],
    is_artificial: &dyn Fn(DVec3) -> bool,
) -> usize {
    let mut scratch = EvaluationScratch::default();
    let mut found = 0;
    for &(from, to) in ways {
        let mut before: Option<SurfaceSample> = None;
        for i in 0..=64 {
            let x = from.lerp(to, f64::from(i) / 64.0);
            let here = surface.evaluate(x, &mut scratch).sample().copied();
            if let (Some(a), Some(b)) = (before, here) {
                // A zero is passed, not jumped over: both values are as small as the step.
                let step = (to - from).length() / 64.0;
                let passes = a.value.signum() != b.value.signum()
                    && a.value.abs() <= 2.0 * step
                    && b.value.abs() <= 2.0 * step;
                let is_on = !a.is_beyond_border && !b.is_beyond_border;
                if passes && is_on && is_artificial(x) {
                    found += 1;
                }
            }
            before = here;
        }
    }
    found
}

#[test]
fn between_near_sheets_and_in_cavities_only_the_straight_distance_shows_surface() {
    let mut rng = Rng::new(5);
    let n = 3200;
    let spacing = (2.0 / f64::from(n)).sqrt();
    let gap = 3.0 * spacing;
    let sheets: Vec<DVec3> = (0..n)
        .map(|i| DVec3::new(rng.unit(), rng.unit(), if i % 2 == 0 { 0.0 } else { gap }))
        .collect();
    let ways: Vec<(DVec3, DVec3)> = (0..100)
        .map(|_| {
            let (x, y) = (rng.range(0.2, 0.8), rng.range(0.2, 0.8));
            (DVec3::new(x, y, 0.0), DVec3::new(x, y, gap))
        })
        .collect();
    let is_between = |x: DVec3| x.z > 0.3 * gap && x.z < 0.7 * gap;
    // A narrow cavity: a ball whose radius is a few spacings.
    let cavity: Vec<DVec3> = (0..120).map(|_| rng.direction()).collect();
    let cavity_spacing = (4.0 * std::f64::consts::PI / 120.0_f64).sqrt();
    let cavity_ways: Vec<(DVec3, DVec3)> = (0..100)
        .map(|_| {
            let d = rng.direction();
            (d * 0.9, -d * 0.9)
        })
        .collect();
    let is_inside = |x: DVec3| x.length() < 0.5;
    let count = |points: &[DVec3],
                 distance,
                 h: f64,
                 ways: &[(DVec3, DVec3)],
                 test: &dyn Fn(DVec3) -> bool| {
        let options = SurfaceOptions {
            distance,
            bandwidth: Bandwidth::Fixed(h),
            ..SurfaceOptions::default()
        };
        artificial_zeros(&surface_of(points.to_vec(), options), ways, test)
    };
    let h = 2.0 * spacing;
    let straight = count(&sheets, WeightDistance::Euclidean, h, &ways, &is_between);
    let along = count(&sheets, WeightDistance::Geodesic, h, &ways, &is_between);
    assert!(straight > 20, "sheets: {straight} by straight distance");
    assert_eq!(along, 0, "sheets");
    let h = 2.0 * cavity_spacing;
    let straight = count(
        &cavity,
        WeightDistance::Euclidean,
        h,
        &cavity_ways,
        &is_inside,
    );
    let along = count(
        &cavity,
        WeightDistance::Geodesic,
        h,
        &cavity_ways,
        &is_inside,
    );
    assert!(straight > 10, "cavity: {straight} by straight distance");
    assert_eq!(along, 0, "cavity");
}

#[test]
fn values_move_and_scale_with_the_cloud() {
    let mut rng = Rng::new(6);
    let points: Vec<DVec3> = (0..800).map(|_| rng.direction()).collect();
    let turn = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let moved = |p: DVec3| turn * p * 8.0 + DVec3::new(3.0, -4.0, 5.0);
    let surface = surface_of(points.clone(), SurfaceOptions::default());
    let other = surface_of(
        points.iter().map(|&p| moved(p)).collect(),
        SurfaceOptions::default(),
    );
    let shuffled: Vec<DVec3> = points.iter().rev().copied().collect();
    let reversed = surface_of(shuffled, SurfaceOptions::default());
    let mut scratch = EvaluationScratch::default();
    let mut defined = 0;
    for _ in 0..200 {
        let x = rng.direction() * rng.range(0.9, 1.1);
        let here = surface.evaluate(x, &mut scratch);
        let there = other.evaluate(moved(x), &mut scratch);
        let back = reversed.evaluate(x, &mut scratch);
        assert_eq!(here.value().is_some(), there.value().is_some());
        let (Some(a), Some(b), Some(c)) = (here.value(), there.value(), back.value()) else {
            continue;
        };
        defined += 1;
        assert!((8.0 * a.abs() - b.abs()).abs() < 1e-6, "{a} {b}");
        assert!((a - c).abs() < 1e-9, "{a} {c}");
        let (a, b) = (
            here.sample().unwrap().bandwidth,
            there.sample().unwrap().bandwidth,
        );
        assert!((8.0 * a - b).abs() < 1e-9);
    }
    assert!(defined > 190, "{defined}");
}

#[test]
fn the_bandwidth_follows_the_density() {
    // Two lattices, one four times as fine, far apart.
    let sheet = |spacing: f64, at: f64| {
        (0..400).map(move |i| {
            DVec3::new(
                at + (i % 20) as f64 * spacing,
                (i / 20) as f64 * spacing,
                0.0,
            )
        })
    };
    let surface = surface_of(
        sheet(1.0, 0.0).chain(sheet(0.25, 100.0)).collect(),
        SurfaceOptions::default(),
    );
    let mut scratch = EvaluationScratch::default();
    let mut width = |x: DVec3| {
        surface
            .evaluate(x, &mut scratch)
            .sample()
            .unwrap()
            .bandwidth
    };
    let (coarse, fine) = (
        width(DVec3::new(9.5, 9.5, 0.0)),
        width(DVec3::new(102.375, 2.375, 0.0)),
    );
    assert!((coarse / fine - 4.0).abs() < 1e-9, "{coarse} {fine}");
}

#[test]
fn every_awkward_cloud_gives_values_or_reasons() {
    let mut rng = Rng::new(7);
    let mut clouds: Vec<Vec<DVec3>> = (0..=10)
        .map(|n| (0..n).map(|_| rng.cube()).collect())
        .collect();
    // Noisy, and ragged.
    clouds.push(
        (0..250)
            .map(|_| rng.direction() * rng.range(0.8, 1.2))
            .collect(),
    );
    clouds.push(ragged(400, 33));
    clouds.push(vec![DVec3::ONE; 50]);
    clouds.push((0..50).map(|i| DVec3::X * f64::from(i)).collect());
    clouds.push(
        (0..50)
            .map(|i| DVec3::new(f64::from(i % 7), f64::from(i / 7), 0.0))
            .collect(),
    );
    clouds.push(
        (0..50)
            .map(|_| DVec3::new(rng.grid(0, 2), rng.grid(0, 2), rng.grid(0, 2)))
            .collect(),
    );
    clouds.push((0..80).map(|_| rng.cube() * 1e44).collect());
    clouds.push((0..80).map(|_| rng.cube() * 1e-120).collect());
    let mut scratch = EvaluationScratch::default();
    for points in clouds {
        let scale = points
            .iter()
            .fold(1e-130_f64, |m, p| m.max(p.abs().max_element()));
        let graph = std::sync::Arc::new(graph_of(points.clone()));
        let calibration = BandwidthCalibration::of(&graph, 1e-3);
        assert!(calibration.eta >= 1.0 && calibration.eta <= 20.0);
        for distance in DISTANCES {
            let options = SurfaceOptions {
                distance,
                ..SurfaceOptions::default()
            };
            let surface = CloudSurface::new(graph.clone(), options).unwrap();
            let mut places = points.clone();
            places.extend((0..30).map(|_| rng.cube() * 1.5 * scale));
            places.extend([
                DVec3::ZERO,
                DVec3::NAN,
                DVec3::splat(1e300),
                DVec3::splat(-1e45),
            ]);
            for x in places {
                match surface.evaluate(x, &mut scratch) {
                    Evaluation::Value(sample) => {
                        assert!(sample.value.is_finite() && sample.bandwidth > 0.0);
                        assert!((sample.normal.length() - 1.0).abs() < 1e-9);
                    }
                    Evaluation::Undefined { reason } => assert!(
                        points.len() < 11 || reason != Undefined::Empty,
                        "{reason:?}"
                    ),
                }
            }
        }
    }
    let line = surface_of(
        (0..50).map(|i| DVec3::X * f64::from(i)).collect(),
        SurfaceOptions::default(),
    );
    let reason = Undefined::NoNormal;
    assert_eq!(
        line.evaluate(DVec3::X * 20.0, &mut scratch),
        Evaluation::Undefined { reason }
    );
    let lone = surface_of(vec![DVec3::ZERO], SurfaceOptions::default());
    let reason = Undefined::Isolated;
    assert_eq!(
        lone.evaluate(DVec3::X, &mut scratch),
        Evaluation::Undefined { reason }
    );
}

#[test]
fn a_one_sided_strip_is_evaluated_all_the_same() {
    let mut rng = Rng::new(8);
    let strip: Vec<DVec3> = (0..4000)
        .map(|_| {
            let (a, s) = (rng.range(0.0, std::f64::consts::TAU), rng.range(-0.3, 0.3));
            let r = 1.0 + s * (0.5 * a).cos();
            DVec3::new(r * a.cos(), r * a.sin(), s * (0.5 * a).sin())
        })
        .collect();
    let surface = surface_of(strip.clone(), SurfaceOptions::default());
    let mut scratch = EvaluationScratch::default();
    for p in strip.iter().step_by(11) {
        let value = surface.evaluate(*p, &mut scratch).value().unwrap();
        assert!(value.abs() < 0.02, "{value}");
    }
}

#[test]
fn edits_leave_the_surface_that_a_new_one_would_be() {
    let mut rng = Rng::new(10);
    let points: Vec<DVec3> = (0..1500).map(|_| rng.direction()).collect();
    let mut surface = surface_of(points, SurfaceOptions::default());
    for i in 0..150 {
        let id = PointId::new(i * 7);
        match i % 3 {
            0 => drop(surface.insert(rng.direction()).unwrap()),
            1 => drop(surface.relocate(id, rng.direction()).unwrap()),
            _ => drop(surface.remove(id).unwrap()),
        }
    }
    let ids = surface.graph().ids();
    let points = ids.map(|id| surface.graph().place(id).unwrap()).collect();
    let fresh = surface_of(points, SurfaceOptions::default());
    let mut scratch = EvaluationScratch::default();
    let mut undefined = 0;
    for _ in 0..500 {
        let x = rng.direction() * rng.range(0.9, 1.1);
        let (a, b) = (
            surface.evaluate(x, &mut scratch),
            fresh.evaluate(x, &mut scratch),
        );
        match (a.value(), b.value()) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-9, "{a} {b}"),
            (None, None) => undefined += 1,
            _ => panic!("{a:?} {b:?}"),
        }
    }
    assert!(undefined < 25, "{undefined}");
}

#[test]
fn a_preview_of_a_ball_is_a_ball_and_of_a_disc_ends_at_its_rim() {
    let mut rng = Rng::new(11);
    let ball = surface_of(
        (0..3000).map(|_| rng.direction()).collect(),
        SurfaceOptions::default(),
    );
    let mesh = ball.preview(0.08).unwrap();
    assert!(
        mesh.positions()
            .iter()
            .all(|p| (p.length() - 1.0).abs() < 0.05)
    );
    // Most of the ball is there, facing outwards.
    let mut area = 0.0;
    for face in mesh.faces() {
        let [p, q, r] = face.map(|v| mesh.positions()[v as usize]);
        let normal = 0.5 * (q - p).cross(r - p);
        area += normal.dot((p + q + r).normalize());
    }
    let whole = 4.0 * std::f64::consts::PI;
    assert!((area / whole - 1.0).abs() < 0.06, "{area}");
    let disc: Vec<DVec3> = even_sphere(3000)
        .into_iter()
        .map(|p| DVec3::new(p.x, p.y, 0.0))
        .collect();
    let mesh = surface_of(disc, SurfaceOptions::default())
        .preview(0.05)
        .unwrap();
    let used = mesh
        .faces()
        .iter()
        .flatten()
        .map(|&v| mesh.positions()[v as usize]);
    let widest = used.fold(0.0_f64, |m, p| m.max(p.length()));
    assert!(widest > 0.9 && widest < 1.15, "{widest}");
    assert!(ball.preview(0.0).is_err() && ball.preview(f64::NAN).is_err());
    assert!(ball.preview(1e-16).is_err());
}

#[test]
fn evaluations_are_counted() {
    let mut rng = Rng::new(13);
    let surface = surface_of(
        (0..200).map(|_| rng.direction()).collect(),
        SurfaceOptions::default(),
    );
    let sample = SampleSurface::new((0..20).map(|_| rng.direction()).collect(), 0.5).unwrap();
    let mut scratch = EvaluationScratch::default();
    for _ in 0..10 {
        let _ = surface.evaluate(rng.direction(), &mut scratch);
        let _ = sample.evaluate(rng.direction(), &mut scratch);
    }
    assert_eq!(scratch.evaluations, 20);
}
