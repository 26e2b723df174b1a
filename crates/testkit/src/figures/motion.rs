//! Figures about things that move.

use impinge::ccd::linear::{MovingPoint, vertex_face};
use impinge::deform::{Auto, Scene, SceneEngine};
use impinge::math::Rng;
use impinge::{DVec2, DVec3, Mesh, Pose, TriMesh, generate, prelude::Motion};

use super::Drawn;
use super::canvas::{Canvas, Pen};
use super::outline::{bounds, moved, section};

/// Distance over time, the steps of conservative advancement, and the bracket.
pub(super) fn advancement() -> Drawn {
    let bar = Mesh::from(generate::cuboid(DVec3::new(2.4, 0.3, 0.5), [6, 1, 1])?);
    let start = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.0, [3.0, 1.6, 0.0])?;
    let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 2.4, [0.6, 0.0, 0.0])?;
    let motion = Motion::between(&start, &end);
    let distance = |t: f64| {
        bar.distance(&bar, &motion.at(t))
            .value
            .map_or(0.0, |gap| gap.distance)
    };
    let curve: Vec<DVec2> = (0..=120)
        .map(|i| f64::from(i) / 120.0)
        .map(|t| DVec2::new(t, distance(t)))
        .collect();
    let speed = motion.max_speed(1.25);
    let (mut t, mut steps) = (0.0, Vec::new());
    while steps.len() < 40 && distance(t) > 1e-3 && t < 1.0 {
        steps.push(DVec2::new(t, distance(t)));
        t += distance(t) / speed;
    }
    let hit = bar.impact(&bar, &motion);
    let time = hit
        .value
        .map(|hit| hit.time)
        .ok_or("the bars do not meet")?;
    let mut canvas = Canvas::new(760.0, 320.0);
    let outline = section(bar.tri_mesh(), 0.0);
    let poses: Vec<_> = (0..=4)
        .map(|i| motion.at(time * f64::from(i) / 4.0))
        .collect();
    let placed = |pose: &Pose| {
        let turned = pose.rotation().x_axis;
        moved(
            &outline,
            pose.translation().truncate(),
            f64::atan2(turned.y, turned.x),
        )
    };
    let all: Vec<_> = poses.iter().map(placed).collect();
    let around = bounds(all.iter().flatten().chain(&outline).flatten().copied());
    let panel = canvas.panel([10.0, 20.0], [300.0, 265.0], around[0], around[1]);
    for segment in &outline {
        canvas.line(&panel, *segment, Pen::LineA);
    }
    for (i, place) in all.iter().enumerate() {
        let last = i + 1 == all.len();
        for segment in place {
            canvas.line(&panel, *segment, if last { Pen::LineB } else { Pen::Dash });
        }
    }
    if let Some(hit) = hit.value {
        canvas.dot(&panel, hit.point.truncate(), Pen::Hit);
    }
    canvas.caption(&panel, "a bar turns and flies into another");
    let top = curve.iter().map(|p| p.y).fold(0.0, f64::max);
    let plot = canvas.plot(
        [370.0, 30.0],
        [370.0, 240.0],
        DVec2::ZERO,
        DVec2::new(1.0, top * 1.05),
    );
    canvas.axes(&plot, "time", "distance");
    canvas.path(&plot, &curve, Pen::LineA);
    for pair in steps.windows(2) {
        let [p, q] = [pair[0], pair[1]];
        canvas.path(&plot, &[p, DVec2::new(q.x, 0.0), q], Pen::Help);
    }
    for p in &steps {
        canvas.dot(&plot, *p, Pen::Help);
    }
    canvas.line(
        &plot,
        [DVec2::new(time, 0.0), DVec2::new(time, top * 0.3)],
        Pen::Hit,
    );
    canvas.label(
        &plot,
        DVec2::new(time, top * 0.3),
        &format!("impact {time:.4}"),
        Pen::Hit,
    );
    canvas.note(
        [555.0, 308.0],
        "each step is as long as the gap allows at the largest speed",
        Pen::Ink,
    );
    Ok(canvas.finish())
}

/// The coplanarity cubic of a moving vertex and a moving face.
pub(super) fn linear_ccd() -> Drawn {
    let starts = [
        [0.4, 0.3, 1.0],
        [0.0, 0.0, 0.0],
        [1.0, 0.1, 0.1],
        [0.1, 1.0, -0.1],
    ]
    .map(DVec3::from);
    let ends = [
        [0.2, 0.4, -0.9],
        [0.2, -0.1, 0.5],
        [0.9, 0.4, -0.6],
        [-0.3, 0.8, 0.7],
    ]
    .map(DVec3::from);
    let mut points = Vec::new();
    for (start, end) in starts.iter().zip(&ends) {
        points.push(MovingPoint::new(*start, *end)?);
    }
    let [v, a, b, c] = points[..] else {
        return Err("four points move".into());
    };
    let hit = vertex_face(v, [a, b, c]).ok_or("the vertex misses the face")?;
    let at = |t: f64| -> Vec<DVec3> {
        starts
            .iter()
            .zip(&ends)
            .map(|(p, q)| p.lerp(*q, t))
            .collect()
    };
    let f = |t: f64| {
        let p = at(t);
        (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0]))
    };
    // Bernstein coefficients of the cubic, from four of its values.
    let [f0, f1, f2, f3] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(f);
    let bernstein = [
        f0,
        (-5.0 * f0 + 18.0 * f1 - 9.0 * f2 + 2.0 * f3) / 6.0,
        (2.0 * f0 - 9.0 * f1 + 18.0 * f2 - 5.0 * f3) / 6.0,
        f3,
    ];
    let control: Vec<DVec2> = (0..4)
        .map(|i| DVec2::new(i as f64 / 3.0, bernstein[i]))
        .collect();
    let curve: Vec<DVec2> = (0..=100)
        .map(|i| f64::from(i) / 100.0)
        .map(|t| DVec2::new(t, f(t)))
        .collect();
    let [low, high] = bounds(control.iter().chain(&curve).copied());
    let room = DVec2::new(0.02, (high.y - low.y) * 0.08);
    let mut canvas = Canvas::new(640.0, 320.0);
    let plot = canvas.plot([45.0, 30.0], [570.0, 240.0], low - room, high + room);
    canvas.axes(&plot, "time", "volume of the four points");
    canvas.line(
        &plot,
        [DVec2::new(0.0, 0.0), DVec2::new(1.0, 0.0)],
        Pen::Thin,
    );
    canvas.path(&plot, &control, Pen::Dash);
    canvas.path(&plot, &curve, Pen::LineA);
    for p in &control {
        canvas.dot(&plot, *p, Pen::Dash);
    }
    let time = (hit.lower + hit.upper) / 2.0;
    canvas.dot(&plot, DVec2::new(time, f(time)), Pen::Hit);
    let text = format!("coplanar, and the vertex is in the face: t = {time:.5}");
    let top = DVec2::new(0.45, high.y);
    canvas.label(&plot, top, &text, Pen::Hit);
    let below = top - DVec2::new(0.0, room.y * 1.2);
    canvas.label(&plot, below, "dashed: Bernstein coefficients", Pen::Dash);
    canvas.note(
        [330.0, 306.0],
        "where all coefficients have one sign there is no root, and no contact",
        Pen::Ink,
    );
    Ok(canvas.finish())
}

/// Which of several moving vertices reaches farthest, and when that changes.
pub(super) fn kinetic() -> Drawn {
    let mut rng = Rng::new(5);
    let keys = 6;
    let rows: Vec<Vec<f64>> = (0..8)
        .map(|_| (0..keys).map(|_| rng.range(0.05, 0.95)).collect())
        .collect();
    let at = |row: &[f64], t: f64| {
        let x = t * (keys - 1) as f64;
        let i = (x as usize).min(keys - 2);
        row[i] + (row[i + 1] - row[i]) * (x - i as f64)
    };
    let mut canvas = Canvas::new(640.0, 320.0);
    let plot = canvas.plot([45.0, 30.0], [570.0, 240.0], DVec2::ZERO, DVec2::ONE);
    canvas.axes(&plot, "time", "coordinate");
    for i in 0..keys {
        let t = i as f64 / (keys - 1) as f64;
        canvas.line(&plot, [DVec2::new(t, 0.0), DVec2::new(t, 1.0)], Pen::Dash);
    }
    for row in &rows {
        let path: Vec<DVec2> = (0..keys)
            .map(|i| DVec2::new(i as f64 / (keys - 1) as f64, row[i]))
            .collect();
        canvas.path(&plot, &path, Pen::LineA);
    }
    let winner = |t: f64| {
        let by = |i: &usize, k: &usize| at(&rows[*i], t).total_cmp(&at(&rows[*k], t));
        (0..rows.len()).max_by(by).unwrap_or(0)
    };
    let (mut envelope, mut events) = (Vec::new(), 0);
    for i in 0..=1000 {
        let t = f64::from(i) / 1000.0;
        let now = winner(t);
        let place = DVec2::new(t, at(&rows[now], t));
        envelope.push(place);
        if i > 0 && now != winner(t - 0.001) {
            events += 1;
            canvas.dot(&plot, place, Pen::Hit);
        }
    }
    canvas.path(&plot, &envelope, Pen::Hit);
    let text =
        format!("red: the side of a box; it changes its vertex at {events} events, keys dashed");
    canvas.note([330.0, 306.0], &text, Pen::Ink);
    Ok(canvas.finish())
}

/// A cloth that folds, with the faces that meet.
pub(super) fn deforming() -> Drawn {
    let kind = generate::moving_scene("curtain").ok_or("there is no scene called curtain")?;
    let made = kind.make(Some(700), 1)?;
    let objects: Vec<TriMesh> = made.parts().iter().map(|part| part.mesh.clone()).collect();
    let mut scene = Scene::new(&objects)?;
    let mut engine = Auto::default();
    let mut canvas = Canvas::new(800.0, 300.0);
    let view = |p: DVec3| DVec2::new(p.x + 0.25 * p.z, p.y + 0.4 * p.z);
    for (i, time) in [0.0, 0.5, 1.0].into_iter().enumerate() {
        scene.advance(&made.positions(time))?;
        let answer = engine.pairs(&scene, &Default::default());
        let mut hit = vec![false; scene.faces().len()];
        for pair in &answer.pairs {
            hit[pair.a.index()] = true;
            hit[pair.b.index()] = true;
        }
        let around = bounds(scene.positions().iter().map(|p| view(*p)));
        let at = [10.0 + 265.0 * i as f64, 10.0];
        let panel = canvas.panel(at, [250.0, 255.0], around[0], around[1]);
        for pass in [false, true] {
            for (face, corners) in scene.faces().iter().enumerate() {
                if hit[face] == pass {
                    let corners = corners.map(|v| view(scene.positions()[v as usize]));
                    canvas.polygon(
                        &panel,
                        &corners,
                        if pass { Pen::FaceHit } else { Pen::Face },
                    );
                }
            }
        }
        canvas.caption(&panel, &format!("t = {time}: {} pairs", answer.pairs.len()));
    }
    Ok(canvas.finish())
}
