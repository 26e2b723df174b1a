//! Figures about forces on a hand.

use impinge::DVec2;

use super::Drawn;
use super::canvas::{Canvas, Pen};

/// A device point that enters a groove, and the proxy that stays outside.
pub(super) fn god_object() -> Drawn {
    // Two walls, each a plane through the bottom of the groove: unit normals that point into the air.
    let normals = [DVec2::new(0.6, 0.8), DVec2::new(-0.8, 0.6)];
    let goal = |p: DVec2| {
        let mut best = p;
        for n in normals {
            best -= n * best.dot(n).min(0.0);
        }
        if normals.iter().any(|n| best.dot(*n) < -1e-9) {
            best = DVec2::ZERO;
        }
        best
    };
    let device: Vec<DVec2> = (0..=60)
        .map(|i| f64::from(i) / 60.0)
        .map(|t| DVec2::new(-1.3 + 2.3 * t, 1.0 - 4.2 * t * (1.0 - t)))
        .collect();
    let proxy: Vec<DVec2> = device.iter().map(|p| goal(*p)).collect();
    let mut canvas = Canvas::new(640.0, 320.0);
    let panel = canvas.panel(
        [15.0, 15.0],
        [610.0, 270.0],
        DVec2::new(-1.6, -0.6),
        DVec2::new(1.5, 1.2),
    );
    let left = DVec2::new(-1.6, 1.2);
    let right = DVec2::new(0.9, 1.2);
    let solid = [
        left,
        DVec2::ZERO,
        right,
        DVec2::new(1.5, 1.2),
        DVec2::new(1.5, -0.6),
        DVec2::new(-1.6, -0.6),
    ];
    canvas.polygon(&panel, &solid, Pen::Grey);
    canvas.path(&panel, &[left, DVec2::ZERO, right], Pen::Ink);
    for (p, q) in device.iter().zip(&proxy).step_by(5) {
        if p != q {
            canvas.line(&panel, [*p, *q], Pen::Hit);
        }
    }
    canvas.path(&panel, &device, Pen::Dash);
    canvas.path(&panel, &proxy, Pen::Help);
    for (p, q) in device.iter().zip(&proxy).step_by(5) {
        canvas.dot(&panel, *p, Pen::Dash);
        canvas.dot(&panel, *q, Pen::Help);
    }
    canvas.caption(&panel, "grey: the device enters the solid; green: the proxy stays outside; red: the spring between them");
    Ok(canvas.finish())
}

/// Force over depth of a wall that is rendered in steps: the loop is energy that comes from nowhere.
pub(super) fn passivity() -> Drawn {
    let (stiffness, period, speed, depth) = (1000.0, 0.02, 0.1, 0.03);
    let mut steps = Vec::new();
    let (mut held, ticks) = (0.0, (2.0 * depth / (speed * period)) as u32);
    for tick in 0..=ticks {
        let at = |t: f64| {
            let way = (speed * t).min(2.0 * depth);
            if way < depth { way } else { 2.0 * depth - way }
        };
        let now = at(f64::from(tick) * period);
        steps.push(DVec2::new(now, held));
        held = stiffness * now;
        steps.push(DVec2::new(now, held));
    }
    let gained: f64 = steps
        .windows(2)
        .map(|pair| -pair[0].y * (pair[1].x - pair[0].x))
        .sum();
    let mut canvas = Canvas::new(640.0, 330.0);
    let high = DVec2::new(depth * 1.08, stiffness * depth * 1.08);
    let plot = canvas.plot([45.0, 30.0], [570.0, 245.0], DVec2::ZERO, high);
    canvas.axes(&plot, "depth in the wall", "force");
    canvas.polygon(&plot, &steps, Pen::Group(3));
    canvas.line(
        &plot,
        [DVec2::ZERO, DVec2::new(depth, stiffness * depth)],
        Pen::Ink,
    );
    canvas.label(
        &plot,
        DVec2::new(depth * 0.3, stiffness * depth * 0.62),
        "way out",
        Pen::Hit,
    );
    canvas.label(
        &plot,
        DVec2::new(depth * 0.6, stiffness * depth * 0.4),
        "way in",
        Pen::Hit,
    );
    let formula = stiffness * period * speed * depth;
    let text = format!(
        "a held force gives away {:.0} mJ here; K·T·v·d = {:.0} mJ",
        gained * 1e3,
        formula * 1e3
    );
    canvas.note([330.0, 315.0], &text, Pen::Ink);
    Ok(canvas.finish())
}

/// A tool on a surface, the device below it, and the springs between them.
pub(super) fn virtual_coupling() -> Drawn {
    let half = DVec2::new(0.7, 0.35);
    let corners = |center: DVec2, angle: f64| {
        let turn = DVec2::from_angle(angle);
        let signs = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        signs.map(|(x, y)| center + turn.rotate(DVec2::new(x * half.x, y * half.y)))
    };
    let device = DVec2::new(0.35, -0.25);
    let held = corners(device, -0.35);
    // A stiff wall leaves the tool flat on it, beside the device.
    let tool = corners(DVec2::new(device.x, half.y), 0.0);
    let mut canvas = Canvas::new(640.0, 320.0);
    let panel = canvas.panel(
        [15.0, 15.0],
        [610.0, 270.0],
        DVec2::new(-2.0, -1.0),
        DVec2::new(2.4, 1.0),
    );
    let low = DVec2::new(-2.0, -1.0);
    canvas.rect(&panel, low, DVec2::new(2.4, 0.0), Pen::Grey);
    canvas.polygon(&panel, &tool, Pen::A);
    canvas.path(
        &panel,
        &[held[0], held[1], held[2], held[3], held[0]],
        Pen::Dash,
    );
    for (from, to) in tool.iter().zip(&held) {
        canvas.line(&panel, [*from, *to], Pen::Help);
    }
    for contact in [tool[0], tool[1]] {
        canvas.arrow(&panel, [contact, contact + DVec2::new(0.0, 0.45)], Pen::Hit);
    }
    canvas.caption(&panel, "blue: the tool on the surface; dashed: the device; green: the coupling; red: contact forces");
    Ok(canvas.finish())
}

/// Clay that a fingertip has pressed: its outline before and after, with the weights of the vicinity,
/// and what swells beside it.
pub(super) fn virtual_clay() -> Drawn {
    let (tip, depth, reach) = (0.3, 0.45, 0.9);
    let falloff = |t: f64| {
        let rest = f64::max(1.0 - t * t, 0.0);
        rest * rest
    };
    let outline: Vec<DVec2> = (-40..=40)
        .map(|i| {
            let x = f64::from(i) * 0.06;
            let ring = falloff(x.abs() / reach - 1.7);
            DVec2::new(x, 0.22 * ring - depth * falloff(x / reach))
        })
        .collect();
    let finger: Vec<DVec2> = (0..=24)
        .map(|i| {
            let angle = std::f64::consts::PI * (1.0 + f64::from(i) / 24.0);
            DVec2::new(0.0, tip - depth) + DVec2::from_angle(angle) * tip
        })
        .chain([DVec2::new(tip, 0.8), DVec2::new(-tip, 0.8)])
        .collect();
    let mut canvas = Canvas::new(640.0, 320.0);
    let (low, high) = (DVec2::new(-2.4, -1.1), DVec2::new(2.4, 0.9));
    let panel = canvas.panel([15.0, 15.0], [610.0, 270.0], low, high);
    let below = [DVec2::new(2.4, -1.1), DVec2::new(-2.4, -1.1)];
    let clay: Vec<DVec2> = outline.iter().copied().chain(below).collect();
    canvas.polygon(&panel, &clay, Pen::Grey);
    canvas.polygon(&panel, &finger, Pen::A);
    canvas.path(
        &panel,
        &[DVec2::new(-2.4, 0.0), DVec2::new(2.4, 0.0)],
        Pen::Dash,
    );
    for p in outline.iter().step_by(4).filter(|p| p.y.abs() > 0.06) {
        canvas.arrow(&panel, [DVec2::new(p.x, 0.0), *p], Pen::Hit);
    }
    canvas.caption(&panel, "dashed: the clay before; blue: the fingertip; red: vertices go down by their weight, and up in a ring that keeps the volume");
    Ok(canvas.finish())
}

/// Balls of two bodies: pairs that overlap, and pairs that may do so before the next search.
pub(super) fn pair_list() -> Drawn {
    let margin = 0.12;
    let row = |center: DVec2, radius: f64, count: u32, from: f64, to: f64| -> Vec<(DVec2, f64)> {
        let at = |k: u32| from + (to - from) * f64::from(k) / f64::from(count - 1);
        let ball = |k: u32| {
            let size = 0.10 + 0.05 * f64::from((7 * k) % 5) / 4.0;
            (center + DVec2::from_angle(at(k)) * (radius - size), size)
        };
        (0..count).map(ball).collect()
    };
    let a = row(DVec2::new(-1.02, 0.0), 1.0, 11, -1.2, 1.2);
    let b = row(DVec2::new(0.92, 0.12), 1.0, 11, 1.9, 4.3);
    let mut canvas = Canvas::new(640.0, 320.0);
    let panel = canvas.panel(
        [15.0, 15.0],
        [610.0, 270.0],
        DVec2::new(-1.5, -1.1),
        DVec2::new(1.5, 1.1),
    );
    for (balls, pen) in [(&a, Pen::A), (&b, Pen::B)] {
        for (center, radius) in balls {
            canvas.circle(&panel, *center, *radius, pen);
        }
    }
    let (mut listed, mut overlapping) = (0, 0);
    for (p, r) in &a {
        for (q, s) in &b {
            let gap = p.distance(*q) - r - s;
            if gap < margin {
                listed += 1;
                overlapping += u32::from(gap < 0.0);
                let pen = if gap < 0.0 { Pen::Hit } else { Pen::Help };
                canvas.line(&panel, [*p, *q], pen);
            }
        }
    }
    let text = format!(
        "{listed} of {} pairs are listed: gap below the margin (green); {overlapping} overlap and push (red)",
        a.len() * b.len()
    );
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}
