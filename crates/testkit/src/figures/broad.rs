//! Figures about many boxes, and about clusters.

use impinge::{DVec2, generate};

use super::Drawn;
use super::canvas::{Canvas, Panel, Pen};
use super::outline::{bounds, boxes, overlap, principal_axis};

const UNIT: [DVec2; 2] = [DVec2::ZERO, DVec2::ONE];

/// Boxes in the colour of whether they overlap another.
fn draw_boxes(canvas: &mut Canvas, panel: &Panel, all: &[[DVec2; 2]]) {
    for (i, [low, high]) in all.iter().enumerate() {
        let hits = |(k, other): (usize, &[DVec2; 2])| k != i && overlap(&all[i], other);
        let hit = all.iter().enumerate().any(hits);
        canvas.rect(panel, *low, *high, if hit { Pen::B } else { Pen::A });
    }
}

/// Intervals of boxes along an axis, and the pairs that a sweep reports.
pub(super) fn sweep_and_prune() -> Drawn {
    let all = boxes(12, 0.08, 0.2, 21);
    let mut canvas = Canvas::new(640.0, 390.0);
    let panel = canvas.plot([20.0, 10.0], [600.0, 190.0], UNIT[0], UNIT[1]);
    draw_boxes(&mut canvas, &panel, &all);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|i, k| all[*i][0].x.total_cmp(&all[*k][0].x));
    let rows = order.len() as f64;
    let axis = canvas.plot(
        [20.0, 215.0],
        [600.0, 140.0],
        DVec2::ZERO,
        DVec2::new(1.0, rows),
    );
    let mut pairs = [0, 0];
    for (row, i) in order.iter().enumerate() {
        let y = rows - 0.5 - row as f64;
        let [low, high] = all[*i];
        for x in [low.x, high.x] {
            canvas.line(&axis, [DVec2::new(x, 0.0), DVec2::new(x, rows)], Pen::Thin);
        }
        let mut hit = false;
        for k in &order {
            let along = all[*k][0].x <= high.x && low.x <= all[*k][1].x;
            if k != i && along {
                let both = overlap(&all[*i], &all[*k]);
                pairs[0] += 1;
                pairs[1] += usize::from(both);
                hit |= both;
            }
        }
        let ends = [DVec2::new(low.x, y), DVec2::new(high.x, y)];
        let pen = if hit { Pen::LineB } else { Pen::LineA };
        canvas.line(&axis, ends, pen);
        for end in ends {
            canvas.dot(&axis, end, pen);
        }
    }
    let text = format!(
        "sorted ends along x: {} pairs overlap there, {} of them along y too",
        pairs[0] / 2,
        pairs[1] / 2
    );
    canvas.caption(&axis, &text);
    Ok(canvas.finish())
}

/// A uniform grid and a grid of two cell sizes.
pub(super) fn grids() -> Drawn {
    let mut all = boxes(13, 0.04, 0.09, 7);
    all.extend(boxes(2, 0.28, 0.36, 3));
    let mut canvas = Canvas::new(640.0, 340.0);
    for (x, hierarchical, title) in [
        (15.0, false, "uniform: each box in every cell it covers"),
        (330.0, true, "hierarchical: cells as large as the box"),
    ] {
        let panel = canvas.panel([x, 10.0], [295.0, 295.0], UNIT[0], UNIT[1]);
        for [low, high] in &all {
            let size = (*high - *low).max_element();
            let cells = if hierarchical && size > 0.125 {
                2.0
            } else {
                8.0
            };
            let (first, last) = ((*low * cells).floor(), (*high * cells).floor());
            let mut y = first.y;
            while y <= last.y {
                let mut x = first.x;
                while x <= last.x {
                    let corner = DVec2::new(x, y) / cells;
                    let pen = if cells == 2.0 {
                        Pen::Group(2)
                    } else {
                        Pen::Group(0)
                    };
                    canvas.rect(&panel, corner, corner + DVec2::splat(1.0 / cells), pen);
                    x += 1.0;
                }
                y += 1.0;
            }
        }
        for i in 0..=8 {
            let t = f64::from(i) / 8.0;
            canvas.line(&panel, [DVec2::new(t, 0.0), DVec2::new(t, 1.0)], Pen::Thin);
            canvas.line(&panel, [DVec2::new(0.0, t), DVec2::new(1.0, t)], Pen::Thin);
        }
        draw_boxes(&mut canvas, &panel, &all);
        canvas.caption(&panel, title);
    }
    Ok(canvas.finish())
}

/// The largest octants inside boxes of voxels.
pub(super) fn octree() -> Drawn {
    const VOXELS: u32 = 64;
    let mut canvas = Canvas::new(640.0, 340.0);
    let size = DVec2::splat(f64::from(VOXELS));
    let panel = canvas.panel([15.0, 10.0], [610.0, 300.0], DVec2::ZERO, size);
    for i in 0..=8 {
        let t = f64::from(i * VOXELS / 8);
        canvas.line(
            &panel,
            [DVec2::new(t, 0.0), DVec2::new(t, size.y)],
            Pen::Thin,
        );
        canvas.line(
            &panel,
            [DVec2::new(0.0, t), DVec2::new(size.x, t)],
            Pen::Thin,
        );
    }
    let mut counts = Vec::new();
    for (k, [low, high]) in boxes(4, 0.3, 0.5, 12).into_iter().enumerate() {
        let [low, high] = [low, high].map(|p| (p * size).round());
        let mut stack = vec![(DVec2::ZERO, size.x)];
        let mut count = 0;
        while let Some((corner, side)) = stack.pop() {
            let end = corner + DVec2::splat(side);
            if end.cmple(low).any() || corner.cmpge(high).any() {
                continue;
            }
            if corner.cmpge(low).all() && end.cmple(high).all() {
                count += 1;
                canvas.rect(&panel, corner, end, Pen::Group(k));
                continue;
            }
            let half = side / 2.0;
            for (x, y) in [(0.0, 0.0), (half, 0.0), (0.0, half), (half, half)] {
                stack.push((corner + DVec2::new(x, y), half));
            }
        }
        counts.push(count.to_string());
    }
    let text = format!("four boxes of voxels hang on {} octants", counts.join(", "));
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

/// Fattened boxes in groups along a Morton curve.
pub(super) fn aabb_tree() -> Drawn {
    let all = boxes(40, 0.03, 0.07, 9);
    let code = |p: DVec2| {
        let bits = |x: f64| {
            let cell = (x * 1024.0) as u64;
            (0..10).fold(0, |sum, i| sum | ((cell >> i & 1) << (2 * i)))
        };
        bits(p.x) | bits(p.y) << 1
    };
    let middle = |b: &[DVec2; 2]| (b[0] + b[1]) / 2.0;
    let mut order = all;
    order.sort_by_key(|b| code(middle(b)));
    let margin = DVec2::splat(0.012);
    let mut canvas = Canvas::new(640.0, 340.0);
    for (x, title) in [
        (15.0, "order of the Morton curve"),
        (330.0, "nodes of eight fattened boxes"),
    ] {
        let panel = canvas.panel([x, 10.0], [295.0, 295.0], UNIT[0], UNIT[1]);
        if x < 100.0 {
            let curve: Vec<DVec2> = order.iter().map(middle).collect();
            canvas.path(&panel, &curve, Pen::Help);
        } else {
            for (k, group) in order.chunks(8).enumerate() {
                let fat = group.iter().flat_map(|b| [b[0] - margin, b[1] + margin]);
                let [low, high] = bounds(fat);
                canvas.rect(&panel, low, high, Pen::Group(k));
            }
            for [low, high] in &order {
                canvas.rect(&panel, *low - margin, *high + margin, Pen::Dash);
            }
        }
        draw_boxes(&mut canvas, &panel, &order);
        canvas.caption(&panel, title);
    }
    Ok(canvas.finish())
}

/// Face centres of a cloth in clusters, each with its principal axis.
pub(super) fn clustering() -> Drawn {
    let scene = generate::moving_scene("curtain")
        .ok_or("there is no scene called curtain")?
        .make(Some(900), 1)?;
    let positions = scene.positions(0.6);
    let mut offset = 0;
    let mut centers = Vec::new();
    for part in scene.parts() {
        for face in part.mesh.faces() {
            let [a, b, c] = face.map(|v| positions[offset + v as usize]);
            centers.push((a + b + c) / 3.0);
        }
        offset += part.mesh.vertex_count();
    }
    // Seen from the side on which the scene is widest.
    let flat: Vec<DVec2> = centers.iter().map(|p| DVec2::new(p.x, p.y)).collect();
    let around = bounds(flat.iter().copied());
    let mut means: Vec<DVec2> = (0..5).map(|k| flat[k * flat.len() / 5]).collect();
    let nearest = |means: &[DVec2], p: DVec2| {
        let by = |i: &usize, k: &usize| {
            let [i, k] = [*i, *k].map(|c| means[c].distance_squared(p));
            i.total_cmp(&k)
        };
        (0..means.len()).min_by(by).unwrap_or(0)
    };
    for _ in 0..40 {
        let mut sums = vec![(DVec2::ZERO, 0.0); means.len()];
        for p in &flat {
            let sum = &mut sums[nearest(&means, *p)];
            *sum = (sum.0 + *p, sum.1 + 1.0);
        }
        means = sums
            .iter()
            .map(|(sum, count)| *sum / f64::max(*count, 1.0))
            .collect();
    }
    let mut canvas = Canvas::new(640.0, 340.0);
    let panel = canvas.panel([25.0, 20.0], [590.0, 285.0], around[0], around[1]);
    for k in 0..means.len() {
        let own: Vec<DVec2> = flat
            .iter()
            .copied()
            .filter(|p| nearest(&means, *p) == k)
            .collect();
        for p in &own {
            canvas.speck(&panel, *p, Pen::Group(k));
        }
        let (mean, axis) = principal_axis(&own);
        let reach = own
            .iter()
            .map(|p| (*p - mean).dot(axis).abs())
            .fold(0.0, f64::max);
        canvas.arrow(&panel, [mean - axis * reach, mean + axis * reach], Pen::Ink);
    }
    canvas.caption(
        &panel,
        "face centres of a curtain and a ball in five clusters; each is swept along its principal axis",
    );
    Ok(canvas.finish())
}
