//! Figures about solids: volume, depth, spheres, voxels.

use impinge::bvh::wide::WideTree;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, SolidBall, pack,
};
use impinge::voxmap::{Pointshell, Voxmap};
use impinge::wrap::{WrapOptions, wrap};
use impinge::{DVec2, DVec3, Mesh, Pose, TriMesh, generate};

use super::Drawn;
use super::canvas::{Canvas, Panel, Pen};
use super::outline::{Segment, bounds, is_inside, moved, section};

fn draw_all(canvas: &mut Canvas, panel: &Panel, outline: &[Segment], pen: Pen) {
    for segment in outline {
        canvas.line(panel, *segment, pen);
    }
}

fn box_of(segments: &[Segment]) -> [DVec2; 2] {
    bounds(segments.iter().flatten().copied())
}

/// Scan lines through what two outlines share.
fn hatch(canvas: &mut Canvas, panel: &Panel, a: &[Segment], b: &[Segment]) {
    let [low, high] = bounds(a.iter().chain(b).flatten().copied());
    let rows = 90;
    for i in 0..rows {
        let y = low.y + (high.y - low.y) * (f64::from(i) + 0.5) / f64::from(rows);
        let mut xs: Vec<f64> = a
            .iter()
            .chain(b)
            .filter(|[p, q]| (p.y < y) != (q.y < y))
            .map(|[p, q]| p.x + (q.x - p.x) * (y - p.y) / (q.y - p.y))
            .collect();
        xs.sort_by(f64::total_cmp);
        for pair in xs.windows(2) {
            let middle = DVec2::new((pair[0] + pair[1]) / 2.0, y);
            if is_inside(a, middle) && is_inside(b, middle) {
                let ends = [DVec2::new(pair[0], y), DVec2::new(pair[1], y)];
                canvas.line(panel, ends, Pen::Hit);
            }
        }
    }
}

/// Two solids, what they share, and the force that drives them apart.
pub(super) fn overlap() -> Drawn {
    let a = Mesh::from(generate::blob(14)?);
    let b = Mesh::from(generate::gear(11, 4, 0.6, 0.35)?);
    let a_from_b = Pose::from_translation([1.45, 0.45, 0.0])?;
    let shared = a.volume(&b, &a_from_b)?;
    let outline_a = section(a.tri_mesh(), 0.0);
    let outline_b = moved(&section(b.tri_mesh(), 0.01), DVec2::new(1.45, 0.45), 0.0);
    let around = bounds(outline_a.iter().chain(&outline_b).flatten().copied());
    let mut canvas = Canvas::new(640.0, 340.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 285.0], around[0], around[1]);
    hatch(&mut canvas, &panel, &outline_a, &outline_b);
    draw_all(&mut canvas, &panel, &outline_a, Pen::LineA);
    draw_all(&mut canvas, &panel, &outline_b, Pen::LineB);
    if let Some(center) = shared.value.centroid {
        let force = -shared
            .value
            .gradient
            .translation
            .truncate()
            .normalize_or_zero()
            * 0.6;
        canvas.arrow(
            &panel,
            [center.truncate(), center.truncate() + force],
            Pen::Ink,
        );
        canvas.dot(&panel, center.truncate(), Pen::Ink);
    }
    let text = format!(
        "shared volume {:.4}, {} crossing pairs of faces; centroid and force on B",
        shared.value.volume, shared.value.crossings
    );
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

/// The shortest translation that parts two solids.
pub(super) fn penetration() -> Drawn {
    let a = Mesh::from(generate::cuboid(DVec3::new(2.4, 1.6, 1.6), [2; 3])?);
    let b = Mesh::from(generate::icosphere(0.8, 10)?);
    let place = DVec2::new(1.35, 0.4);
    let a_from_b = Pose::from_translation(place.extend(0.0))?;
    let deep = a.penetration(&b, &a_from_b)?;
    let value = deep.value.ok_or("the solids do not overlap")?;
    let outline_a = section(a.tri_mesh(), 0.01);
    let outline_b = section(b.tri_mesh(), 0.01);
    let here = moved(&outline_b, place, 0.0);
    let out = moved(
        &outline_b,
        place + value.normal.truncate() * value.depth,
        0.0,
    );
    let around = bounds(outline_a.iter().chain(&here).chain(&out).flatten().copied());
    let mut canvas = Canvas::new(640.0, 330.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 280.0], around[0], around[1]);
    hatch(&mut canvas, &panel, &outline_a, &here);
    draw_all(&mut canvas, &panel, &outline_a, Pen::LineA);
    draw_all(&mut canvas, &panel, &here, Pen::LineB);
    draw_all(&mut canvas, &panel, &out, Pen::Dash);
    let ends = [value.point_b.truncate(), value.point_a.truncate()];
    canvas.arrow(&panel, ends, Pen::Ink);
    for end in ends {
        canvas.dot(&panel, end, Pen::Ink);
    }
    let text = format!(
        "minimum translation {:.4}, proven between {:.4} and {:.4}; dashed: after it",
        value.depth, deep.lower, deep.upper
    );
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

/// Points of a grid in a section of a knot, inside or outside.
pub(super) fn point_in_mesh() -> Drawn {
    let knot = Mesh::from(generate::torus_knot(2, 3, 0.55, 120, 16)?);
    let height = 0.03;
    let outline = section(knot.tri_mesh(), height);
    let around = box_of(&outline);
    let mut canvas = Canvas::new(640.0, 340.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 290.0], around[0], around[1]);
    let size = around[1] - around[0];
    for i in 0..=30 {
        for j in 0..=30 {
            let p = around[0] + size * DVec2::new(f64::from(i), f64::from(j)) / 30.0;
            let inside = knot.contains(p.extend(height))?;
            canvas.speck(&panel, p, if inside { Pen::B } else { Pen::Thin });
        }
    }
    draw_all(&mut canvas, &panel, &outline, Pen::LineA);
    canvas.caption(
        &panel,
        "a section of a knot: ray parity finds the points inside (orange)",
    );
    Ok(canvas.finish())
}

fn packed(count: usize) -> Result<(Vec<Segment>, Vec<SolidBall>), Box<dyn std::error::Error>> {
    let gear = generate::gear(11, 4, 0.7, 0.35)?;
    let outline = section(&gear, 0.01);
    let tree = WideTree::new(gear.into());
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    let packing = pack(&MeshSolid::new(&tree)?, &options)?;
    Ok((outline, packing.balls))
}

/// The circle in which the plane z = 0 cuts a sphere.
fn cut(ball: &SolidBall) -> Option<(DVec2, f64)> {
    let square = ball.radius * ball.radius - ball.center.z * ball.center.z;
    (square > 0.0).then(|| (ball.center.truncate(), square.sqrt()))
}

/// Sections of packings of growing size.
pub(super) fn packing() -> Drawn {
    let mut canvas = Canvas::new(800.0, 300.0);
    for (i, count) in [20, 200, 2000].into_iter().enumerate() {
        let (outline, balls) = packed(count)?;
        let around = box_of(&outline);
        let at = [10.0 + 265.0 * i as f64, 10.0];
        let panel = canvas.panel(at, [250.0, 250.0], around[0], around[1]);
        let largest = balls.first().map_or(1.0, |ball| ball.radius);
        for ball in &balls {
            if let Some((center, radius)) = cut(ball) {
                let shade = 0.25 + 0.6 * (ball.radius / largest);
                canvas.circle(&panel, center, radius, Pen::Shade(shade));
            }
        }
        draw_all(&mut canvas, &panel, &outline, Pen::LineA);
        canvas.caption(&panel, &format!("{count} spheres, section at the middle"));
    }
    Ok(canvas.finish())
}

/// Leaves of an inner sphere tree and the spheres around them, by level.
pub(super) fn inner_spheres() -> Drawn {
    let (outline, balls) = packed(400)?;
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())?;
    let mut nodes: Vec<(SolidBall, usize)> = Vec::new();
    tree.visit(|ball, leaves, _| nodes.push((ball, leaves.len())));
    // Nodes by size: those of the root first, leaves last.
    let levels = [(40, usize::MAX), (4, 40), (1, 2)];
    let around = box_of(&outline);
    let room = (around[1] - around[0]) * 0.12;
    let mut canvas = Canvas::new(800.0, 300.0);
    for (i, (least, most)) in levels.into_iter().enumerate() {
        let at = [10.0 + 265.0 * i as f64, 10.0];
        let panel = canvas.panel(at, [250.0, 250.0], around[0] - room, around[1] + room);
        let mut count = 0;
        for (ball, leaves) in &nodes {
            if *leaves >= least && *leaves < most {
                count += 1;
                if let Some((center, radius)) = cut(ball) {
                    canvas.circle(&panel, center, radius, Pen::Group(count));
                }
            }
        }
        draw_all(&mut canvas, &panel, &outline, Pen::Ink);
        let text = if i == 2 {
            format!("{count} leaves: the inner spheres")
        } else {
            let size = if i == 0 { "large" } else { "small" };
            format!("{count} {size} nodes around leaves")
        };
        canvas.caption(&panel, &text);
    }
    Ok(canvas.finish())
}

/// Voxel layers of one solid, and the pointshell of another.
pub(super) fn voxmap() -> Drawn {
    let solid = generate::blob(10)?;
    let map = Voxmap::new(&solid, 28)?;
    let ball = generate::icosphere(0.7, 8)?;
    let shell = Pointshell::new(&ball, 14)?;
    let place = DVec3::new(1.15, 0.5, 0.0);
    let counts = map.counts();
    let layer = counts[2] / 2;
    let half = DVec2::splat(map.side() / 2.0);
    let mut cells = Vec::new();
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            let voxel = [i, j, layer];
            if let Some(value) = map.layer(voxel) {
                cells.push((map.center(voxel).truncate(), value));
            }
        }
    }
    let points: Vec<DVec3> = shell.points().iter().map(|p| *p + place).collect();
    let flat = cells
        .iter()
        .map(|(p, _)| *p)
        .chain(points.iter().map(|p| p.truncate()));
    let around = bounds(flat);
    let mut canvas = Canvas::new(640.0, 350.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 300.0], around[0], around[1]);
    for (center, value) in &cells {
        let pen = match value {
            0 => Pen::Group(2),
            1.. => Pen::Shade(0.12 + 0.11 * f64::from(*value)),
            _ => Pen::Thin,
        };
        canvas.rect(&panel, *center - half, *center + half, pen);
    }
    let mut inside = 0;
    for p in &points {
        // Only the points near the section can be shown in it.
        if p.z.abs() < map.side() * 0.7 {
            let hit = map.layer_at(p.truncate().extend(map.center([0, 0, layer]).z)) >= 0;
            inside += usize::from(hit);
            canvas.dot(&panel, p.truncate(), if hit { Pen::Hit } else { Pen::B });
        }
    }
    let text = format!(
        "layers of voxels (green: the surface) and a pointshell; {inside} of its points here push"
    );
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

/// Cells of a box that hold surface of one mesh, of the other, of both.
pub(super) fn average_case() -> Drawn {
    let a = section(&generate::blob(14)?, 0.0);
    let b = moved(
        &section(&generate::gear(11, 3, 0.4, 0.35)?, 0.01),
        DVec2::new(1.1, 0.45),
        0.0,
    );
    let (around_a, around_b) = (box_of(&a), box_of(&b));
    let low = around_a[0].max(around_b[0]);
    let high = around_a[1].min(around_b[1]);
    let around = [around_a[0].min(around_b[0]), around_a[1].max(around_b[1])];
    let mut canvas = Canvas::new(640.0, 350.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 300.0], around[0], around[1]);
    let cells = 8;
    let size = (high - low) / f64::from(cells);
    // Length of outline in a cell, by samples.
    let length = |outline: &[Segment], corner: DVec2| -> f64 {
        let inside = |p: DVec2| p.cmpge(corner).all() && p.cmplt(corner + size).all();
        outline
            .iter()
            .map(|[p, q]| {
                let hits = (0..8).filter(|i| inside(p.lerp(*q, (f64::from(*i) + 0.5) / 8.0)));
                p.distance(*q) * hits.count() as f64 / 8.0
            })
            .sum()
    };
    let (mut only, mut both) = ([0, 0], 0);
    for i in 0..cells {
        for j in 0..cells {
            let corner = low + size * DVec2::new(f64::from(i), f64::from(j));
            let enough = size.min_element() * 0.5;
            let [in_a, in_b] = [&a, &b].map(|outline| length(outline, corner) >= enough);
            only[0] += u32::from(in_a);
            only[1] += u32::from(in_b);
            both += u32::from(in_a && in_b);
            let pen = match (in_a, in_b) {
                (true, true) => Pen::Group(3),
                (true, false) => Pen::Group(0),
                (false, true) => Pen::Group(1),
                (false, false) => Pen::Thin,
            };
            canvas.rect(&panel, corner, corner + size, pen);
        }
    }
    draw_all(&mut canvas, &panel, &a, Pen::LineA);
    draw_all(&mut canvas, &panel, &b, Pen::LineB);
    let text = format!(
        "of {} cells {} hold enough of A, {} of B; {both} of both (red)",
        cells * cells,
        only[0],
        only[1]
    );
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

/// A section of a gear with a gap and a stray face, wrapped, and wrapped with the gap closed.
pub(super) fn wrapping() -> Drawn {
    let gear = generate::gear(11, 4, 0.6, 0.3)?;
    let is_kept = |face: &&[u32; 3]| {
        let corners = face.map(|v| gear.positions()[v as usize]);
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        !(centre.x > 0.55 && centre.y.abs() < 0.3)
    };
    let mut faces: Vec<[u32; 3]> = gear.faces().iter().filter(is_kept).copied().collect();
    let mut points = gear.positions().to_vec();
    let first = points.len() as u32;
    points.extend([[-0.3, -0.5, -0.2], [0.4, 0.6, 0.0], [-0.5, 0.3, 0.3]].map(DVec3::from));
    faces.push([first, first + 1, first + 2]);
    let mesh = std::sync::Arc::new(TriMesh::new(points, faces)?);
    let tree = WideTree::new(std::sync::Arc::clone(&mesh));
    let height = 0.01;
    let outline = section(&mesh, height);
    let mut canvas = Canvas::new(640.0, 340.0);
    for (left, gap, text) in [
        (15.0, 0.0, "wrapped: the inside is reached through the gap"),
        (330.0, 1.2, "wrapped with the gap closed"),
    ] {
        let options = WrapOptions {
            gap,
            ..WrapOptions::new(0.12)
        };
        let wrapped = section(&wrap(&tree, &options)?.mesh, height);
        let around = box_of(&wrapped);
        let panel = canvas.panel([left, 15.0], [295.0, 285.0], around[0], around[1]);
        draw_all(&mut canvas, &panel, &wrapped, Pen::LineA);
        draw_all(&mut canvas, &panel, &outline, Pen::LineB);
        canvas.caption(&panel, text);
    }
    Ok(canvas.finish())
}
