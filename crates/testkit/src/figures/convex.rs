//! Figures about convex shapes.

use impinge::DVec2;
use impinge::convex::{Ball, Capsule, Cone, Convex, Cuboid, Cylinder, Ellipsoid};
use impinge::pair::{QueryKind, pair_method};

use super::Drawn;
use super::canvas::{Canvas, Pen};
use super::outline::{bounds, convex_polygon, hull};

fn support(polygon: &[DVec2], direction: DVec2) -> DVec2 {
    let by = |p: &&DVec2, q: &&DVec2| p.dot(direction).total_cmp(&q.dot(direction));
    polygon.iter().max_by(by).copied().unwrap_or_default()
}

/// All differences of two polygons: the Minkowski difference.
fn differences(a: &[DVec2], b: &[DVec2]) -> Vec<DVec2> {
    let all: Vec<DVec2> = a
        .iter()
        .flat_map(|p| b.iter().map(move |q| *p - *q))
        .collect();
    hull(&all)
}

/// The point of a segment nearest to the origin.
fn nearest_on([p, q]: [DVec2; 2]) -> DVec2 {
    let d = q - p;
    let length = d.length_squared();
    if length == 0.0 {
        return p;
    }
    p + d * (-p.dot(d) / length).clamp(0.0, 1.0)
}

/// GJK towards the nearest point of the Minkowski difference: each simplex and its nearest point.
fn gjk(body: &[DVec2]) -> Vec<(Vec<DVec2>, DVec2)> {
    let mut simplex = vec![support(body, DVec2::new(-1.0, 0.4))];
    let mut v = simplex[0];
    let mut steps = vec![(simplex.clone(), v)];
    for _ in 0..20 {
        let w = support(body, -v);
        // The support plane bounds the distance from below.
        if v.dot(v) - v.dot(w) < 1e-9 {
            break;
        }
        simplex.push(w);
        let mut best = (f64::INFINITY, v, simplex.clone());
        for i in 0..simplex.len() {
            for k in i + 1..simplex.len() {
                let p = nearest_on([simplex[i], simplex[k]]);
                if p.length() < best.0 {
                    best = (p.length(), p, vec![simplex[i], simplex[k]]);
                }
            }
        }
        steps.push((simplex.clone(), best.1));
        (v, simplex) = (best.1, best.2);
    }
    steps
}

/// EPA from a polygon around the origin: each polygon, and the edge nearest to the origin.
fn epa(body: &[DVec2]) -> Vec<(Vec<DVec2>, DVec2)> {
    let mut polygon: Vec<DVec2> = [0.0, 1.6, 3.1, 4.7]
        .map(|angle| support(body, DVec2::from_angle(angle)))
        .to_vec();
    let mut steps = Vec::new();
    for _ in 0..12 {
        let edge = |i: usize| [polygon[i], polygon[(i + 1) % polygon.len()]];
        let by = |i: &usize, k: &usize| {
            let [i, k] = [*i, *k].map(|i| nearest_on(edge(i)).length());
            i.total_cmp(&k)
        };
        let Some(i) = (0..polygon.len()).min_by(by) else {
            break;
        };
        let v = nearest_on(edge(i));
        steps.push((polygon.clone(), v));
        let w = support(body, v);
        if w.dot(v) - v.dot(v) < 1e-9 {
            break;
        }
        polygon.insert(i + 1, w);
    }
    steps
}

/// GJK and EPA on the Minkowski differences of two polygons.
pub(super) fn gjk_epa() -> Drawn {
    let a = convex_polygon(9, 1.0, DVec2::ZERO, 3);
    let shape = convex_polygon(7, 0.8, DVec2::ZERO, 5);
    let at = |x: f64, y: f64| {
        shape
            .iter()
            .map(|p| *p + DVec2::new(x, y))
            .collect::<Vec<_>>()
    };
    let (apart, deep) = (at(2.2, 0.9), at(0.9, 0.5));
    let mut canvas = Canvas::new(900.0, 330.0);

    let around = bounds(a.iter().chain(&apart).copied());
    let panel = canvas.panel([10.0, 20.0], [270.0, 265.0], around[0], around[1]);
    canvas.polygon(&panel, &a, Pen::A);
    canvas.polygon(&panel, &apart, Pen::B);
    canvas.polygon(&panel, &deep, Pen::Dash);
    canvas.caption(&panel, "B apart (orange), overlapping (dashed)");

    let draw = |canvas: &mut Canvas, x: f64, b: &[DVec2], expand: bool| {
        let body = differences(&a, b);
        let around = bounds(body.iter().copied().chain([DVec2::ZERO]));
        let panel = canvas.panel([x, 20.0], [280.0, 265.0], around[0], around[1]);
        canvas.polygon(&panel, &body, Pen::Grey);
        let steps = if expand { epa(&body) } else { gjk(&body) };
        let last = steps.len().saturating_sub(1);
        for (i, (simplex, nearest)) in steps.iter().enumerate() {
            if simplex.len() > 1 {
                canvas.polygon(
                    &panel,
                    simplex,
                    if i == last { Pen::Help } else { Pen::Group(i) },
                );
            }
            canvas.dot(&panel, *nearest, Pen::LineA);
            if i == last {
                canvas.arrow(&panel, [DVec2::ZERO, *nearest], Pen::Hit);
            } else if !expand {
                canvas.label(&panel, *nearest, &format!("v{i}"), Pen::LineA);
            }
        }
        canvas.dot(&panel, DVec2::ZERO, Pen::Ink);
        canvas.label(&panel, DVec2::ZERO, "origin", Pen::Ink);
        let length = steps.last().map_or(0.0, |step| step.1.length());
        let title = if expand {
            format!("EPA: the polytope grows; depth {length:.3}")
        } else {
            format!("GJK: simplices; distance {length:.3}")
        };
        canvas.caption(&panel, &title);
    };
    draw(&mut canvas, 300.0, &apart, false);
    draw(&mut canvas, 605.0, &deep, true);
    Ok(canvas.finish())
}

/// Lines of the perceptron rule between two point sets.
pub(super) fn perceptron() -> Drawn {
    let a = convex_polygon(10, 0.9, DVec2::new(-1.1, -0.2), 2);
    let b = convex_polygon(9, 0.8, DVec2::new(0.85, 0.5), 8);
    let (mut normal, mut offset) = (DVec2::new(-0.35, 1.0), 0.3);
    let mut lines = vec![(normal, offset)];
    for _ in 0..200 {
        let mut changed = false;
        for (points, sign) in [(&a, -1.0), (&b, 1.0)] {
            for p in points {
                if (normal.dot(*p) - offset) * sign <= 0.0 {
                    normal += *p * sign * 0.25;
                    offset -= sign * 0.25;
                    changed = true;
                    lines.push((normal, offset));
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut canvas = Canvas::new(640.0, 330.0);
    let around = bounds(a.iter().chain(&b).copied());
    let room = DVec2::splat(0.15);
    let panel = canvas.panel(
        [15.0, 15.0],
        [610.0, 280.0],
        around[0] - room,
        around[1] + room,
    );
    canvas.polygon(&panel, &a, Pen::A);
    canvas.polygon(&panel, &b, Pen::B);
    let last = lines.len() - 1;
    for (i, (normal, offset)) in lines.iter().enumerate() {
        let length = normal.length();
        let (unit, middle) = (*normal / length, *normal * *offset / (length * length));
        let ends = [middle - unit.perp() * 1.5, middle + unit.perp() * 1.5];
        canvas.line(&panel, ends, if i == last { Pen::Hit } else { Pen::Dash });
        if i == 0 || i == last {
            let name = if i == 0 {
                "first line".to_owned()
            } else {
                format!("after {i} corrections")
            };
            canvas.label(
                &panel,
                ends[usize::from(i == 0)],
                &name,
                if i == last { Pen::Hit } else { Pen::Dash },
            );
        }
    }
    for p in a.iter().chain(&b) {
        canvas.dot(&panel, *p, Pen::Ink);
    }
    canvas.caption(
        &panel,
        "perceptron rule: each point on the wrong side turns the line a little",
    );
    Ok(canvas.finish())
}

/// The edges of one polygon clipped by the other.
pub(super) fn cyrus_beck() -> Drawn {
    let a = convex_polygon(7, 1.0, DVec2::ZERO, 4);
    let b = convex_polygon(6, 0.9, DVec2::new(1.05, 0.35), 6);
    let around = bounds(a.iter().chain(&b).copied());
    let mut canvas = Canvas::new(640.0, 330.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 280.0], around[0], around[1]);
    canvas.polygon(&panel, &a, Pen::A);
    for i in 0..b.len() {
        let (p, q) = (b[i], b[(i + 1) % b.len()]);
        canvas.line(&panel, [p, q], Pen::LineB);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for k in 0..a.len() {
            let (c, d) = (a[k], a[(k + 1) % a.len()]);
            let outward = -(d - c).perp();
            let (speed, gap) = (outward.dot(q - p), outward.dot(c - p));
            if speed > 0.0 {
                leave = leave.min(gap / speed);
            } else if speed < 0.0 {
                enter = enter.max(gap / speed);
            } else if gap < 0.0 {
                leave = -1.0;
            }
        }
        if enter < leave {
            let ends = [p.lerp(q, enter), p.lerp(q, leave)];
            canvas.line(&panel, ends, Pen::Hit);
            for end in ends {
                canvas.dot(&panel, end, Pen::Hit);
            }
        }
    }
    canvas.caption(&panel, "edges of B clipped by the half-planes of A: an interval that is left (red) shows a contact");
    Ok(canvas.finish())
}

/// Which method decides which pair, as the library dispatches.
pub(super) fn dispatch() -> Drawn {
    let kinds: [(&str, Convex); 6] = [
        ("ball", Ball::new(1.0)?.into()),
        ("box", Cuboid::new([1.0; 3])?.into()),
        (
            "capsule",
            Capsule::new([0.0; 3], [1.0, 0.0, 0.0], 0.5)?.into(),
        ),
        ("cylinder", Cylinder::new(1.0, 1.0)?.into()),
        ("cone", Cone::new(1.0, 1.0)?.into()),
        ("ellipsoid", Ellipsoid::new([1.0, 2.0, 3.0])?.into()),
    ];
    let mut canvas = Canvas::new(800.0, 330.0);
    let mut names: Vec<String> = Vec::new();
    let questions = [
        ("intersection", QueryKind::Intersection),
        ("distance", QueryKind::Distance),
        ("depth", QueryKind::Depth),
    ];
    for (k, (title, question)) in questions.into_iter().enumerate() {
        let at = [75.0 + 245.0 * k as f64, 40.0];
        let size = DVec2::splat(kinds.len() as f64);
        let panel = canvas.panel(at, [180.0, 180.0], DVec2::ZERO, size);
        for (i, (row, a)) in kinds.iter().enumerate() {
            let y = size.y - 1.0 - i as f64;
            canvas.note(
                [at[0] - 32.0, at[1] + 19.0 + 30.0 * i as f64],
                row,
                Pen::Dash,
            );
            for (j, (_, b)) in kinds.iter().enumerate() {
                let name = named(&format!("{:?}", pair_method(question, a, b)));
                let group = names
                    .iter()
                    .position(|known| *known == name)
                    .unwrap_or_else(|| {
                        names.push(name);
                        names.len() - 1
                    });
                let low = DVec2::new(j as f64, y);
                canvas.rect(&panel, low + 0.06, low + 0.94, Pen::Group(group));
            }
        }
        canvas.note([at[0] + 90.0, 25.0], title, Pen::Ink);
        canvas.caption(&panel, "columns in the same order");
    }
    let legend = canvas.plot(
        [75.0, 270.0],
        [700.0, 40.0],
        DVec2::ZERO,
        DVec2::new(4.0, 1.0),
    );
    for (k, name) in names.iter().enumerate() {
        let low = DVec2::new(k as f64, 0.3);
        canvas.rect(&legend, low, low + DVec2::new(0.1, 0.45), Pen::Group(k));
        canvas.label(&legend, low + DVec2::new(0.11, 0.0), name, Pen::Ink);
    }
    Ok(canvas.finish())
}

/// The usual name of a method.
fn named(method: &str) -> String {
    match method {
        "ClosedForm" => "closed form",
        "SeparatingAxes" | "Sat" => "SAT, fifteen axes",
        "Differences" | "Gjk" => "GJK",
        "KeptPlane" | "CachedPlane" => "cached plane, else GJK",
        "Expansion" | "Epa" => "EPA",
        other => other,
    }
    .to_owned()
}

/// From a query to the cheapest method.
pub(super) fn choice() -> Drawn {
    let mut canvas = Canvas::new(800.0, 250.0);
    let panel = canvas.plot(
        [0.0, 0.0],
        [800.0, 250.0],
        DVec2::ZERO,
        DVec2::new(800.0, 250.0),
    );
    let mut node = |x: f64, y: f64, text: &str, pen: Pen| {
        let half = DVec2::new(88.0, 17.0);
        let at = DVec2::new(x, 250.0 - y);
        canvas.rect(&panel, at - half, at + half, pen);
        canvas.note([x, y + 4.0], text, Pen::Ink);
    };
    node(110.0, 125.0, "two convex shapes", Pen::Grey);
    node(355.0, 45.0, "intersection", Pen::A);
    node(355.0, 155.0, "distance", Pen::A);
    node(355.0, 215.0, "depth", Pen::A);
    let ends = [
        (25.0, "two boxes: SAT"),
        (65.0, "large hulls: cached plane"),
        (110.0, "all others: GJK"),
        (155.0, "closed form, else GJK"),
        (215.0, "EPA"),
    ];
    for (y, text) in ends {
        node(650.0, y, text, Pen::B);
    }
    let mut link = |from: [f64; 2], to: [f64; 2]| {
        let ends = [from, to].map(|[x, y]| DVec2::new(x, 250.0 - y));
        canvas.arrow(&panel, ends, Pen::Ink);
    };
    for y in [45.0, 155.0, 215.0] {
        link([200.0, 125.0], [264.0, y]);
    }
    for y in [25.0, 65.0, 110.0] {
        link([445.0, 45.0], [559.0, y]);
    }
    link([445.0, 155.0], [559.0, 155.0]);
    link([445.0, 215.0], [559.0, 215.0]);
    Ok(canvas.finish())
}
