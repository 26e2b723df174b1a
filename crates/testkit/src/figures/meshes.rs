//! Figures about triangles, meshes and trees over their faces.

use std::cmp::Ordering;

use impinge::geom::{TriangleOverlap, triangle_overlap};
use impinge::math::orient2d;
use impinge::{DVec2, DVec3, Mesh, Pose, TriMesh, generate};

use super::Drawn;
use super::canvas::{Canvas, Panel, Pen};
use super::outline::{Segment, bounds, corners, is_inside, moved, oriented_box, overlap, section};

/// A parallel projection from above and the side.
fn project(p: DVec3) -> DVec2 {
    let right = DVec3::new(0.87, 0.5, 0.0);
    let up = DVec3::new(-0.27, 0.47, 0.84);
    DVec2::new(p.dot(right), p.dot(up))
}

fn gear() -> Result<Vec<Segment>, impinge::generate::GenerateError> {
    Ok(section(&generate::gear(11, 2, 0.4, 0.35)?, 0.01))
}

fn draw_all(canvas: &mut Canvas, panel: &Panel, outline: &[Segment], pen: Pen) {
    for segment in outline {
        canvas.line(panel, *segment, pen);
    }
}

fn box_of(segments: &[Segment]) -> [DVec2; 2] {
    bounds(segments.iter().flatten().copied())
}

/// The sign of a determinant by plain `f64` and exactly, for neighbouring floats.
pub(super) fn predicates() -> Drawn {
    const N: usize = 64;
    let mut canvas = Canvas::new(640.0, 330.0);
    let (b, c) = (DVec2::splat(12.0), DVec2::splat(24.0));
    let step = f64::EPSILON / 2.0;
    let plain = |p: DVec2| {
        let det = (p.x - c.x) * (b.y - c.y) - (p.y - c.y) * (b.x - c.x);
        det.partial_cmp(&0.0)
    };
    for (x, title, exact) in [(20.0, "plain f64", false), (330.0, "orient2d, exact", true)] {
        let size = DVec2::splat(N as f64);
        let panel = canvas.panel([x, 15.0], [285.0; 2], DVec2::ZERO, size);
        for j in 0..N {
            let pen = |i: usize| {
                let p = DVec2::splat(0.5) + DVec2::new(i as f64, j as f64) * step;
                let side = if exact {
                    (orient2d(p, b, c) as i8).partial_cmp(&0)
                } else {
                    plain(p)
                };
                match side {
                    Some(Ordering::Less) => Pen::FillA,
                    Some(Ordering::Greater) => Pen::FillB,
                    _ => Pen::HitFill,
                }
            };
            // Equal neighbours of a row are one rectangle.
            let mut begin = 0;
            for end in 1..=N {
                if end == N || pen(end) != pen(begin) {
                    let [low, high] = [(begin, j), (end, j + 1)];
                    let corner = |(x, y): (usize, usize)| DVec2::new(x as f64, y as f64);
                    canvas.rect(&panel, corner(low), corner(high), pen(begin));
                    begin = end;
                }
            }
        }
        canvas.caption(&panel, title);
    }
    Ok(canvas.finish())
}

/// Two triangles, the line of their planes and the segment they share.
pub(super) fn triangles() -> Drawn {
    let a = [[0.0, 0.0, 0.0], [4.0, 0.4, 0.0], [1.0, 3.6, 0.0]].map(DVec3::from);
    let b = [[0.8, 0.6, -0.9], [3.0, 1.2, 1.3], [1.4, 2.2, 1.0]].map(DVec3::from);
    let TriangleOverlap::Segment(shared) = triangle_overlap(&a, &b) else {
        return Err("the two triangles share no segment".into());
    };
    let [p, q] = shared.map(project);
    let mut canvas = Canvas::new(640.0, 300.0);
    let around = bounds(a.iter().chain(&b).map(|p| project(*p)));
    let panel = canvas.panel([20.0, 20.0], [600.0, 260.0], around[0], around[1]);
    canvas.polygon(&panel, &a.map(project), Pen::A);
    canvas.polygon(&panel, &b.map(project), Pen::B);
    let along = (q - p).normalize_or_zero();
    canvas.line(&panel, [p - along * 1.2, q + along * 1.2], Pen::Dash);
    canvas.line(&panel, [p, q], Pen::Hit);
    canvas.dot(&panel, p, Pen::Hit);
    canvas.dot(&panel, q, Pen::Hit);
    canvas.label(&panel, q + along * 1.2, "line of both planes", Pen::Dash);
    canvas.label(&panel, q, "common segment", Pen::Hit);
    Ok(canvas.finish())
}

/// Faces as a painter draws them: far ones first, shaded by their normals.
fn paint(canvas: &mut Canvas, panel: &Panel, faces: &mut [([DVec3; 3], Pen)]) {
    let toward = DVec3::new(0.42, -0.72, 0.55);
    let depth = |face: &[DVec3; 3]| (face[0] + face[1] + face[2]).dot(toward);
    faces.sort_by(|(p, _), (q, _)| depth(p).total_cmp(&depth(q)));
    for (face, pen) in faces {
        if (face[1] - face[0]).cross(face[2] - face[0]).dot(toward) > 0.0 {
            canvas.polygon(panel, &face.map(project), *pen);
        }
    }
}

/// Two meshes and the faces in which they meet.
pub(super) fn mesh_mesh() -> Drawn {
    let ring = Mesh::from(generate::torus(1.0, 0.36, 28, 12)?);
    let ball = Mesh::from(generate::icosphere(0.75, 4)?);
    let a_from_b = Pose::from_translation([0.95, -0.35, 0.15])?;
    let pairs = ring.intersections(&ball, &a_from_b);
    let placed = ball.tri_mesh().placed(&a_from_b)?;
    let mut canvas = Canvas::new(640.0, 320.0);
    let listed = |mesh: &TriMesh, plain: Pen, hits: &[usize]| -> Vec<([DVec3; 3], Pen)> {
        let pen = |i| {
            if hits.contains(&i) {
                Pen::Group(3)
            } else {
                plain
            }
        };
        mesh.triangles()
            .enumerate()
            .map(|(i, face)| (face, pen(i)))
            .collect()
    };
    let hits_a: Vec<usize> = pairs.iter().map(|pair| pair.a.index()).collect();
    let hits_b: Vec<usize> = pairs.iter().map(|pair| pair.b.index()).collect();
    let mut both = listed(ring.tri_mesh(), Pen::A, &hits_a);
    both.extend(listed(&placed, Pen::B, &hits_b));
    let around = bounds(both.iter().flat_map(|(face, _)| face.map(project)));
    let panel = canvas.panel([20.0, 15.0], [600.0, 275.0], around[0], around[1]);
    paint(&mut canvas, &panel, &mut both);
    canvas.caption(
        &panel,
        &format!("{} pairs of faces share a point (red)", pairs.len()),
    );
    Ok(canvas.finish())
}

/// Two groups of segments, split where the surface area heuristic costs least.
fn sah_split(segments: &[Segment]) -> Option<[Vec<Segment>; 2]> {
    let cost = |part: &[Segment]| {
        let [low, high] = box_of(part);
        ((high - low).x + (high - low).y) * part.len() as f64
    };
    let mut best: Option<(f64, [Vec<Segment>; 2])> = None;
    for axis in 0..2 {
        let mut sorted = segments.to_vec();
        sorted.sort_by(|p, q| (p[0] + p[1])[axis].total_cmp(&(q[0] + q[1])[axis]));
        for at in 1..sorted.len() {
            let (left, right) = sorted.split_at(at);
            let both = cost(left) + cost(right);
            if best.as_ref().is_none_or(|(least, _)| both < *least) {
                best = Some((both, [left.to_vec(), right.to_vec()]));
            }
        }
    }
    best.map(|(_, parts)| parts)
}

/// The parts of each level below the whole, as far as they can be split.
fn levels(segments: &[Segment], depth: usize) -> Vec<Vec<Vec<Segment>>> {
    let mut all = vec![vec![segments.to_vec()]];
    for level in 0..depth {
        let split = |part: &Vec<Segment>| match sah_split(part) {
            Some([left, right]) => vec![left, right],
            None => vec![part.clone()],
        };
        let next: Vec<Vec<Segment>> = all[level].iter().flat_map(split).collect();
        all.push(next);
    }
    all
}

/// Levels of a tree built by the surface area heuristic over a section of a gear.
pub(super) fn hierarchy() -> Drawn {
    let gear = gear()?;
    let around = box_of(&gear);
    let mut canvas = Canvas::new(800.0, 250.0);
    let levels = levels(&gear, 5);
    for (i, level) in [1, 2, 3, 5].into_iter().enumerate() {
        let at = [10.0 + 198.0 * i as f64, 10.0];
        let panel = canvas.panel(at, [185.0, 205.0], around[0], around[1]);
        for (k, part) in levels[level].iter().enumerate() {
            let [low, high] = box_of(part);
            canvas.rect(&panel, low, high, Pen::Group(k));
        }
        draw_all(&mut canvas, &panel, &gear, Pen::Ink);
        canvas.caption(
            &panel,
            &format!("level {level}: {} boxes", levels[level].len()),
        );
    }
    Ok(canvas.finish())
}

/// A node of the wide tree: eight oriented boxes, and one of them opened.
pub(super) fn wide_tree() -> Drawn {
    let gear = section(&generate::gear(11, 9, 0.4, 0.35)?, 0.01);
    let around = box_of(&gear).map(|corner| corner * 1.08);
    let levels = levels(&gear, 6);
    let mut canvas = Canvas::new(640.0, 330.0);
    let points = |part: &[Segment]| part.iter().flatten().copied().collect::<Vec<_>>();
    for (x, level, title) in [
        (15.0, 3, "root: eight oriented boxes"),
        (330.0, 6, "next level: eight boxes in each"),
    ] {
        let panel = canvas.panel([x, 15.0], [295.0, 280.0], around[0], around[1]);
        for (k, part) in levels[level].iter().enumerate() {
            let group = if level == 6 { k / 8 } else { k };
            canvas.polygon(&panel, &oriented_box(&points(part)), Pen::Group(group));
        }
        draw_all(&mut canvas, &panel, &gear, Pen::Ink);
        canvas.caption(&panel, title);
    }
    Ok(canvas.finish())
}

/// Boxes that are cut from their parent's, with two planes a node.
pub(super) fn box_tree() -> Drawn {
    let gear = gear()?;
    let around = box_of(&gear);
    let mut canvas = Canvas::new(640.0, 330.0);
    for (x, two, title) in [
        (15.0, false, "1994: one plane a node, children tile it"),
        (330.0, true, "BoxTree: two planes a node, tighter boxes"),
    ] {
        let panel = canvas.panel([x, 15.0], [295.0, 280.0], around[0], around[1]);
        let mut stack = vec![(around, gear.clone(), 0)];
        while let Some((whole, part, depth)) = stack.pop() {
            if depth == 5 || part.len() < 4 {
                canvas.rect(
                    &panel,
                    whole[0],
                    whole[1],
                    Pen::Group(stack.len() + part.len()),
                );
                continue;
            }
            let size = whole[1] - whole[0];
            let axis = usize::from(size.y > size.x);
            let mut sorted = part;
            sorted.sort_by(|p, q| (p[0] + p[1])[axis].total_cmp(&(q[0] + q[1])[axis]));
            let right = sorted.split_off(sorted.len() / 2);
            let (mut low, mut high) = (whole, whole);
            let (ends, begins) = (box_of(&sorted)[1][axis], box_of(&right)[0][axis]);
            let middle = (ends + begins) / 2.0;
            low[1][axis] = if two { ends } else { middle };
            high[0][axis] = if two { begins } else { middle };
            stack.push((low, sorted, depth + 1));
            stack.push((high, right, depth + 1));
        }
        draw_all(&mut canvas, &panel, &gear, Pen::Ink);
        canvas.caption(&panel, title);
    }
    Ok(canvas.finish())
}

/// Pre-checks of the edge-polygon test on two outlines.
pub(super) fn edge_polygon() -> Drawn {
    let a = gear()?;
    let b = moved(&a, DVec2::new(1.75, 0.5), 0.2);
    let common = {
        let (a, b) = (box_of(&a), box_of(&b));
        [a[0].max(b[0]), a[1].min(b[1])]
    };
    let mut canvas = Canvas::new(640.0, 330.0);
    let around = bounds(a.iter().chain(&b).flatten().copied());
    let panel = canvas.panel([15.0, 15.0], [610.0, 280.0], around[0], around[1]);
    canvas.polygon(&panel, &corners(common), Pen::HelpFill);
    let mut kept = [0, 0];
    for (which, outline) in [&a, &b].into_iter().enumerate() {
        for segment in outline {
            let collected = overlap(&box_of(&[*segment]), &common);
            kept[which] += usize::from(collected);
            let pen = [Pen::LineA, Pen::LineB][which];
            canvas.line(&panel, *segment, if collected { pen } else { Pen::Thin });
        }
    }
    let mut crossings = 0;
    for p in &a {
        for q in &b {
            let side = |s: &Segment, x: DVec2| orient2d(s[0], s[1], x) as i8;
            let apart = |s: &Segment, t: &Segment| side(s, t[0]) * side(s, t[1]) > 0;
            if !apart(p, q) && !apart(q, p) {
                crossings += 1;
                let (d, e) = (p[1] - p[0], q[1] - q[0]);
                let t = (q[0] - p[0]).perp_dot(e) / d.perp_dot(e);
                canvas.dot(&panel, p[0] + d * t, Pen::Hit);
            }
        }
    }
    let text = format!(
        "{} and {} of {} edges meet the common box; {crossings} crossings",
        kept[0],
        kept[1],
        a.len()
    );
    canvas.caption(&panel, &text);
    Ok(canvas.finish())
}

/// Depth intervals per pixel of two solids.
pub(super) fn z_buffer() -> Drawn {
    let a = section(&generate::blob(12)?, 0.0);
    let b = moved(
        &section(&generate::icosphere(0.8, 12)?, 0.0),
        DVec2::new(0.9, 0.55),
        0.0,
    );
    let around = bounds(a.iter().chain(&b).flatten().copied());
    let mut canvas = Canvas::new(640.0, 350.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 300.0], around[0], around[1]);
    let columns = 36;
    let width = (around[1].x - around[0].x) / columns as f64;
    let runs = |outline: &[Segment], x: f64| -> Vec<[f64; 2]> {
        let mut hits: Vec<f64> = outline
            .iter()
            .filter(|[p, q]| (p.x < x) != (q.x < x))
            .map(|[p, q]| p.y + (q.y - p.y) * (x - p.x) / (q.x - p.x))
            .collect();
        hits.sort_by(f64::total_cmp);
        hits.chunks_exact(2)
            .map(|pair| [pair[0], pair[1]])
            .collect()
    };
    for i in 0..columns {
        let low = around[0].x + width * i as f64;
        let x = low + width / 2.0;
        let (runs_a, runs_b) = (runs(&a, x), runs(&b, x));
        let cell = |y: [f64; 2]| {
            let inset = width * 0.08;
            [
                DVec2::new(low + inset, y[0]),
                DVec2::new(low + width - inset, y[1]),
            ]
        };
        for run in &runs_a {
            canvas.rect(&panel, cell(*run)[0], cell(*run)[1], Pen::A);
        }
        for run in &runs_b {
            canvas.rect(&panel, cell(*run)[0], cell(*run)[1], Pen::B);
        }
        for p in &runs_a {
            for q in &runs_b {
                let both = [p[0].max(q[0]), p[1].min(q[1])];
                if both[0] < both[1] {
                    canvas.rect(&panel, cell(both)[0], cell(both)[1], Pen::Group(3));
                }
            }
        }
    }
    draw_all(&mut canvas, &panel, &a, Pen::LineA);
    draw_all(&mut canvas, &panel, &b, Pen::LineB);
    canvas.caption(
        &panel,
        "depth intervals per pixel column; red where both solids are",
    );
    Ok(canvas.finish())
}

/// The half-edges of a fan of faces.
pub(super) fn half_edges() -> Drawn {
    let rim: Vec<DVec2> = (0..6)
        .map(|i| DVec2::from_angle(f64::from(i) * std::f64::consts::TAU / 6.0 + 0.2))
        .collect();
    let mut canvas = Canvas::new(640.0, 330.0);
    let span = DVec2::new(1.15, 1.05);
    let panel = canvas.panel([15.0, 10.0], [610.0, 285.0], -span, span);
    for face in 0..5 {
        let points = [DVec2::ZERO, rim[face], rim[face + 1]];
        canvas.polygon(&panel, &points, Pen::Grey);
    }
    for face in 0..5 {
        let points = [DVec2::ZERO, rim[face], rim[face + 1]];
        let middle = (points[0] + points[1] + points[2]) / 3.0;
        for corner in 0..3 {
            let inner = |p: DVec2| p + (middle - p) * 0.2;
            let ends = [inner(points[corner]), inner(points[(corner + 1) % 3])];
            // The pair of twins between the first two faces.
            let is_twin = (face, corner) == (0, 2) || (face, corner) == (1, 0);
            let pen = if is_twin { Pen::Hit } else { Pen::LineA };
            canvas.arrow(&panel, ends, pen);
            let at = ends[0].lerp(ends[1], 0.5).lerp(middle, 0.3);
            let number = (3 * face + corner).to_string();
            canvas.label(&panel, at - DVec2::new(0.06, 0.05), &number, pen);
        }
        canvas.label(
            &panel,
            middle - DVec2::new(0.05, 0.04),
            &format!("f{face}"),
            Pen::Ink,
        );
    }
    canvas.caption(
        &panel,
        "half-edge 3·face + corner; 2 and 3 are twins, the border has none",
    );
    Ok(canvas.finish())
}

/// Parity of crossings for points of a grid.
pub(super) fn point_in_polygon() -> Drawn {
    let gear = gear()?;
    let around = box_of(&gear);
    let mut canvas = Canvas::new(640.0, 330.0);
    let panel = canvas.panel([15.0, 15.0], [610.0, 280.0], around[0], around[1]);
    let size = around[1] - around[0];
    for i in 1..24 {
        for j in 1..24 {
            let p = around[0] + size * DVec2::new(f64::from(i), f64::from(j)) / 24.0;
            let pen = if is_inside(&gear, p) {
                Pen::A
            } else {
                Pen::Thin
            };
            canvas.speck(&panel, p, pen);
        }
    }
    draw_all(&mut canvas, &panel, &gear, Pen::Ink);
    for (x, y) in [(0.21, 0.36), (0.5, 0.53)] {
        let p = around[0] + size * DVec2::new(x, y);
        let far = DVec2::new(around[1].x + size.x * 0.12, p.y);
        canvas.arrow(&panel, [p, far], Pen::Help);
        let mut crossings = 0;
        for [a, b] in &gear {
            let x = a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y);
            if (a.y < p.y) != (b.y < p.y) && x > p.x {
                crossings += 1;
                canvas.dot(&panel, DVec2::new(x, p.y), Pen::Hit);
            }
        }
        let side = if crossings % 2 == 1 {
            "inside"
        } else {
            "outside"
        };
        canvas.label(&panel, far, &format!("{crossings}: {side}"), Pen::Help);
        canvas.dot(&panel, p, Pen::Help);
    }
    Ok(canvas.finish())
}

/// A determinant in `f32` with the bound beyond which its sign is proven.
pub(super) fn gpu_filter() -> Drawn {
    // A slanted face on a grid of 2^24 cells, and a corner that passes through its plane.
    let face: [[i64; 3]; 2] = [
        [9_437_185, 1_048_577, 2_500_001],
        [2_097_153, 8_388_609, -1_300_003],
    ];
    let [p, q] = face.map(|p| p.map(|x| x as f64));
    let place = 3_145_729.0;
    let area = p[0] * q[1] - p[1] * q[0];
    let [s, t] = [place * (q[1] - q[0]) / area, place * (p[0] - p[1]) / area];
    let plane = (s * p[2] + t * q[2]).round() as i64;
    let (mut exact, mut single, mut bound) = (Vec::new(), Vec::new(), 0.0_f64);
    for height in (-160..=160_i64).step_by(5) {
        let rows = [
            face[0],
            face[1],
            [place as i64, place as i64, plane + height],
        ];
        let truth = {
            let [r, s, t] = rows.map(|row| DVec3::from(row.map(|x| x as f64)));
            r.dot(s.cross(t))
        };
        let [r, s, t] = rows.map(|row| row.map(|x| x as f32));
        let cross = |i: usize, j: usize| s[i] * t[j] - s[j] * t[i];
        let value = r[0] * cross(1, 2) + r[1] * cross(2, 0) + r[2] * cross(0, 1);
        let most = |k: usize| {
            let sizes = rows.iter().map(|row| row[k].abs() as f64 + 2.0);
            sizes.fold(0.0, f64::max)
        };
        let (x, y, z) = (most(0), most(1), most(2));
        let error = 96.0 * f64::from(f32::EPSILON) * x * y * z;
        bound = bound.max(error + 6.75 * (y * z + z * x + x * y));
        exact.push(DVec2::new(height as f64, truth));
        single.push(DVec2::new(height as f64, f64::from(value)));
    }
    let mut canvas = Canvas::new(640.0, 320.0);
    let limit = exact.iter().map(|p| p.y.abs()).fold(bound, f64::max);
    let low = DVec2::new(-165.0, -limit * 1.05);
    let panel = canvas.plot([50.0, 30.0], [560.0, 235.0], low, -low);
    let [from, to] = [DVec2::new(low.x, -bound), DVec2::new(-low.x, bound)];
    canvas.rect(&panel, from, to, Pen::Grey);
    canvas.axes(
        &panel,
        "height of the corner above the plane, in cells",
        "determinant",
    );
    canvas.path(&panel, &exact, Pen::LineA);
    for p in single {
        let is_proven = p.y.abs() > bound;
        canvas.speck(&panel, p, if is_proven { Pen::Help } else { Pen::Hit });
    }
    let text = "within the bound: unsure, decided on the host";
    canvas.label(&panel, DVec2::new(low.x, bound * 0.4), text, Pen::Dash);
    canvas.note(
        [330.0, 308.0],
        "line: exact; dots: f32, green where the sign is proven",
        Pen::Ink,
    );
    Ok(canvas.finish())
}
