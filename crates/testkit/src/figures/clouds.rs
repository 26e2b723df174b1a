//! Figures about point clouds and depth cameras.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::cloud::{
    BandwidthCalibration, CloudSurface, EvaluationScratch, GraphOptions, ImplicitSurface,
    PointCloud, ProximityGraph, SurfaceOptions,
};
use impinge::math::Rng;
use impinge::scan::depth_camera::{DepthCamera, DepthImage, DepthNoise};
use impinge::{DVec2, DVec3, Pose, generate};

use super::Drawn;
use super::canvas::{Canvas, Pen};
use super::outline::bounds;

/// Noisy points of a curve in the plane.
fn curve(count: usize, noise: f64, seed: u64) -> Vec<DVec2> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|_| {
            let t = rng.range(0.0, std::f64::consts::TAU);
            let radius = 1.0 + 0.28 * f64::cos(3.0 * t) + rng.range(-noise, noise);
            DVec2::from_angle(t) * radius
        })
        .collect()
}

fn cloud_of(points: &[DVec2]) -> Result<PointCloud, impinge::cloud::CloudError> {
    PointCloud::from_points(points.iter().map(|p| p.extend(0.0)))
}

/// The sphere-of-influence graph of a sampled curve, with the edges that were set apart.
pub(super) fn graph() -> Drawn {
    let points = curve(130, 0.02, 3);
    let graph = ProximityGraph::new(&cloud_of(&points)?, &GraphOptions::default())?;
    let around = bounds(points.iter().copied());
    let mut canvas = Canvas::new(640.0, 350.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 300.0], around[0], around[1]);
    for id in graph.ids() {
        let Some(from) = graph.place(id) else {
            continue;
        };
        for (others, pen) in [
            (graph.far_neighbours(id), Pen::Hit),
            (graph.neighbours(id), Pen::LineA),
        ] {
            for other in others {
                if let Some(to) = graph.place(*other).filter(|_| id < *other) {
                    canvas.line(&panel, [from.truncate(), to.truncate()], pen);
                }
            }
        }
    }
    for id in graph.ids().step_by(16) {
        if let Some(place) = graph.place(id) {
            canvas.circle(&panel, place.truncate(), graph.reach(id), Pen::Dash);
        }
    }
    for p in &points {
        canvas.speck(&panel, *p, Pen::Ink);
    }
    let (near, far) = graph.edge_count();
    let text = format!("{near} edges, {far} set apart as too long (red); some reaches dashed");
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

fn surface_of(points: Vec<DVec3>) -> Result<CloudSurface, Box<dyn std::error::Error>> {
    let graph = Arc::new(ProximityGraph::new(
        &PointCloud::from_points(points)?,
        &GraphOptions::default(),
    )?);
    let bandwidth = BandwidthCalibration::of(&graph, 1e-3).bandwidth();
    let options = SurfaceOptions {
        bandwidth,
        ..SurfaceOptions::default()
    };
    Ok(CloudSurface::new(graph, options)?)
}

/// A noisy sphere's points around a place.
fn ball_points(count: usize, center: DVec3, noise: f64, seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|_| {
            let direction = rng.direction();
            center + direction * (1.0 + rng.range(-noise, noise))
        })
        .collect()
}

/// The implicit function of a cloud in a section, and its zeros.
pub(super) fn least_squares() -> Drawn {
    let points = ball_points(1200, DVec3::ZERO, 0.03, 5);
    let surface = surface_of(points.clone())?;
    let mut scratch = EvaluationScratch::default();
    let mut canvas = Canvas::new(640.0, 350.0);
    let span = DVec2::splat(1.35);
    let panel = canvas.panel([15.0, 15.0], [610.0, 300.0], -span, span);
    let cells = 42;
    let size = 2.0 * span.x / f64::from(cells);
    let mut row: Vec<Option<f64>> = vec![None; cells as usize + 1];
    let mut zeros = Vec::new();
    for j in 0..=cells {
        let mut left: Option<f64> = None;
        for i in 0..=cells {
            let p = -span + DVec2::new(f64::from(i), f64::from(j)) * size;
            let value = surface.evaluate(p.extend(0.0), &mut scratch).value();
            if let Some(f) = value {
                let pen = if f > 0.0 {
                    Pen::Shade((f * 0.9).min(0.8))
                } else {
                    Pen::Grey
                };
                canvas.rect(&panel, p - size / 2.0, p + size / 2.0, pen);
                for (before, step) in [(left, DVec2::X), (row[i as usize], DVec2::Y)] {
                    if let Some(g) = before.filter(|g| (*g > 0.0) != (f > 0.0)) {
                        zeros.push(p - step * size * f / (f - g));
                    }
                }
            }
            left = value;
            row[i as usize] = value;
        }
    }
    for p in points.iter().filter(|p| p.z.abs() < 0.05) {
        canvas.speck(&panel, p.truncate(), Pen::B);
    }
    for p in zeros {
        canvas.speck(&panel, p, Pen::Hit);
    }
    canvas.caption(
        &panel,
        "f in a section: inside blue, outside grey, zeros red; points near the section orange",
    );
    Ok(canvas.finish())
}

/// f of the second surface along a path on the first: a bracket that interpolation narrows.
pub(super) fn interpolation_search() -> Drawn {
    let second = surface_of(ball_points(1500, DVec3::new(1.1, 0.0, 0.0), 0.0, 7))?;
    let mut scratch = EvaluationScratch::default();
    // A path on the first surface, a great circle about the origin.
    let place = |angle: f64| DVec2::from_angle(angle);
    let mut f = |angle: f64| -> Result<f64, &'static str> {
        let p = place(angle).extend(0.0);
        let value = second.evaluate(p, &mut scratch).value();
        value.ok_or("the second surface is undefined on the path")
    };
    let (mut low, mut high) = (0.25, 1.75);
    let mut probes = vec![(low, f(low)?), (high, f(high)?)];
    for _ in 0..4 {
        let (at_low, at_high) = (f(low)?, f(high)?);
        let middle = low + (high - low) * at_low / (at_low - at_high);
        let value = f(middle)?;
        probes.push((middle, value));
        if (value > 0.0) == (at_low > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut canvas = Canvas::new(800.0, 330.0);
    let panel = canvas.panel(
        [10.0, 15.0],
        [320.0, 280.0],
        DVec2::new(-1.05, -1.05),
        DVec2::new(2.15, 1.05),
    );
    canvas.circle(&panel, DVec2::ZERO, 1.0, Pen::LineA);
    canvas.circle(&panel, DVec2::new(1.1, 0.0), 1.0, Pen::LineB);
    let path: Vec<DVec2> = (0..=30)
        .map(|i| place(0.25 + 1.5 * f64::from(i) / 30.0))
        .collect();
    canvas.path(&panel, &path, Pen::Help);
    for (angle, _) in &probes {
        canvas.dot(&panel, place(*angle), Pen::Hit);
    }
    canvas.caption(&panel, "a path on the first surface");
    let points: Vec<DVec2> = (0..=60)
        .map(|i| 0.2 + 1.6 * f64::from(i) / 60.0)
        .map(|t| Ok(DVec2::new(t, f(t)?)))
        .collect::<Result<_, &'static str>>()?;
    let around = bounds(points.iter().copied());
    let room = DVec2::new(0.0, 0.06);
    let plot = canvas.plot(
        [390.0, 30.0],
        [390.0, 245.0],
        around[0] - room,
        around[1] + room,
    );
    canvas.axes(&plot, "length along the path", "f of the second surface");
    canvas.line(
        &plot,
        [DVec2::new(around[0].x, 0.0), DVec2::new(around[1].x, 0.0)],
        Pen::Thin,
    );
    canvas.path(&plot, &points, Pen::LineB);
    canvas.line(
        &plot,
        [probes[0], probes[1]].map(|(t, f)| DVec2::new(t, f)),
        Pen::Dash,
    );
    for (i, (t, value)) in probes.iter().enumerate() {
        canvas.dot(&plot, DVec2::new(*t, *value), Pen::Hit);
        if i < 4 {
            canvas.label(
                &plot,
                DVec2::new(*t, *value),
                &(i + 1).to_string(),
                Pen::Hit,
            );
        }
    }
    canvas.note(
        [585.0, 308.0],
        "the bracket 1, 2 is narrowed by interpolation",
        Pen::Ink,
    );
    Ok(canvas.finish())
}

/// Buckets of a k-d tree over the points, cut at medians.
pub(super) fn kd_tree() -> Drawn {
    let points = curve(260, 0.08, 4);
    let around = bounds(points.iter().copied());
    let mut canvas = Canvas::new(640.0, 350.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 300.0], around[0], around[1]);
    let mut stack = vec![points.clone()];
    let mut buckets = 0;
    while let Some(mut part) = stack.pop() {
        let [low, high] = bounds(part.iter().copied());
        if part.len() <= 12 {
            canvas.rect(&panel, low, high, Pen::Group(buckets));
            buckets += 1;
            continue;
        }
        let size = high - low;
        let axis = usize::from(size.y > size.x);
        part.sort_by(|p, q| p[axis].total_cmp(&q[axis]));
        let right = part.split_off(part.len() / 2);
        stack.push(part);
        stack.push(right);
    }
    for p in &points {
        canvas.speck(&panel, *p, Pen::Ink);
    }
    let x = DVec2::new(0.25, 0.1);
    let by = |p: &&DVec2, q: &&DVec2| p.distance(x).total_cmp(&q.distance(x));
    if let Some(nearest) = points.iter().min_by(by) {
        canvas.circle(&panel, x, x.distance(*nearest), Pen::Dash);
        canvas.line(&panel, [x, *nearest], Pen::Hit);
        canvas.dot(&panel, x, Pen::Hit);
    }
    let text = format!("{buckets} buckets of a dozen points at most; red: a nearest neighbour");
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

/// Coverings of a node and of its descendants by spheres about samples.
pub(super) fn hierarchy() -> Drawn {
    let points = curve(480, 0.0, 9);
    let around = bounds(points.iter().copied());
    let room = DVec2::splat(0.3);
    let mut canvas = Canvas::new(800.0, 300.0);
    let mut parts = vec![points.clone()];
    let mut panels = 0;
    for level in 0..4 {
        if level > 0 {
            let at = [10.0 + 265.0 * f64::from(panels), 10.0];
            let panel = canvas.panel(at, [250.0, 250.0], around[0] - room, around[1] + room);
            for (k, part) in parts.iter().enumerate() {
                // Samples farthest from each other, and the radius with which they cover the part.
                let mut samples = vec![part[0]];
                let gap = |samples: &[DVec2], p: &DVec2| {
                    samples
                        .iter()
                        .map(|s| s.distance(*p))
                        .fold(f64::INFINITY, f64::min)
                };
                while samples.len() < 11.min(part.len()) {
                    let by = |p: &&DVec2, q: &&DVec2| gap(&samples, p).total_cmp(&gap(&samples, q));
                    let Some(next) = part.iter().max_by(by) else {
                        break;
                    };
                    samples.push(*next);
                }
                let radius = part.iter().map(|p| gap(&samples, p)).fold(0.0, f64::max);
                for sample in &samples {
                    canvas.circle(&panel, *sample, radius.max(0.01), Pen::Group(k));
                }
            }
            for p in &points {
                canvas.speck(&panel, *p, Pen::Ink);
            }
            canvas.caption(&panel, &format!("level {level}: eleven samples a node"));
            panels += 1;
        }
        let split = |mut part: Vec<DVec2>| {
            let [low, high] = bounds(part.iter().copied());
            let axis = usize::from((high - low).y > (high - low).x);
            part.sort_by(|p, q| p[axis].total_cmp(&q[axis]));
            let right = part.split_off(part.len() / 2);
            [part, right]
        };
        parts = parts.into_iter().flat_map(split).collect();
    }
    Ok(canvas.finish())
}

/// What a depth camera sees of a scene from above, and the point nearest to a part of a robot.
pub(super) fn depth_camera() -> Drawn {
    let camera = DepthCamera::new(72, 3, 1.25, 8.0)?;
    let objects = [
        (
            generate::cuboid(DVec3::new(7.0, 2.0, 0.2), [1; 3])?,
            [0.0, 0.0, 4.2],
        ),
        (generate::icosphere(0.6, 8)?, [-0.7, 0.0, 2.9]),
        (
            generate::cuboid(DVec3::new(0.7, 2.0, 0.7), [1; 3])?,
            [1.0, 0.0, 2.6],
        ),
    ];
    let mut scene = Vec::new();
    for (mesh, place) in objects {
        scene.push((WideTree::new(mesh.into()), Pose::from_translation(place)?));
    }
    let listed: Vec<(&WideTree, Pose)> = scene.iter().map(|(tree, pose)| (tree, *pose)).collect();
    let noise = DepthNoise {
        deviation: 0.0,
        dropout: 0.0,
        seed: 0,
    };
    let (mut image, mut points) = (DepthImage::default(), Vec::new());
    camera.capture(&Pose::IDENTITY, &listed, &noise, 0, &mut image);
    camera.points(&image, &mut points);
    // The middle row: x to the side, z away from the camera.
    let seen: Vec<DVec2> = points[72..144]
        .iter()
        .filter(|p| p.is_finite())
        .map(|p| DVec2::new(p.x, p.z))
        .collect();
    let parts = [
        (DVec2::new(0.05, 1.1), 0.28),
        (DVec2::new(0.2, 1.55), 0.22),
        (DVec2::new(0.25, 1.95), 0.18),
    ];
    let mut canvas = Canvas::new(640.0, 350.0);
    let panel = canvas.panel(
        [15.0, 15.0],
        [610.0, 300.0],
        DVec2::new(-3.2, -0.1),
        DVec2::new(3.2, 4.4),
    );
    for p in seen.iter().step_by(3) {
        canvas.line(&panel, [DVec2::ZERO, *p], Pen::Thin);
    }
    for (center, radius) in parts {
        canvas.circle(&panel, center, radius, Pen::A);
    }
    for p in &seen {
        canvas.speck(&panel, *p, Pen::B);
    }
    let gap = |p: &DVec2, (center, radius): (DVec2, f64)| p.distance(center) - radius;
    for part in parts {
        let by = |p: &&DVec2, q: &&DVec2| gap(p, part).total_cmp(&gap(q, part));
        if let Some(nearest) = seen.iter().min_by(by) {
            let toward = (*nearest - part.0).normalize_or_zero();
            canvas.line(&panel, [part.0 + toward * part.1, *nearest], Pen::Hit);
        }
    }
    canvas.dot(&panel, DVec2::ZERO, Pen::Ink);
    canvas.label(&panel, DVec2::ZERO, "camera", Pen::Ink);
    canvas.caption(
        &panel,
        "points of a synthetic camera (orange) and the nearest to each sphere of an arm (red)",
    );
    Ok(canvas.finish())
}
