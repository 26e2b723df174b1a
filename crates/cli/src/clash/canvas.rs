//! A small renderer for clashes: parallel projection, translucent parts, an opaque overlap, outlines that show through.
//!
//! The renderer of other commands draws opaque surfaces with soft light; here what lies inside has to be seen, and there may be dozens
//! of pictures.

use std::collections::BTreeMap;
use std::io;

use impinge::bound::Aabb;
use impinge::{DVec3, TriMesh};

use crate::render::{Colour, TOWARDS_VIEWER, Up};

/// Samples along each side of a pixel.
const SAMPLES: usize = 2;
/// Share of the picture left free on each side.
const MARGIN: f64 = 0.07;
/// Edges between faces that bend less than this (as a cosine) are not outlined.
const SMOOTH: f64 = 0.94;
/// Edges beyond which no outline is drawn: it would be all there is.
const MOST_EDGES: usize = 60_000;
const BACKGROUND: Colour = Colour::hex(0xf4f5f7);

/// The map from the world to a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    right: DVec3,
    up: DVec3,
    towards: DVec3,
    centre: DVec3,
    scale: f64,
    width: usize,
    height: usize,
}

impl View {
    /// The view in which a box fills the picture.
    pub(super) fn framing(bounds: &Aabb, up: Up, [width, height]: [usize; 2]) -> Self {
        let towards = up.back(TOWARDS_VIEWER).normalize_or(DVec3::Z);
        let upward = up.back(DVec3::Z);
        let right = upward.cross(towards).normalize_or(DVec3::X);
        let upward = towards.cross(right);
        let half = bounds.max * 0.5 - bounds.min * 0.5;
        let reach = |axis: DVec3| half.dot(axis.abs()).max(f64::MIN_POSITIVE);
        let free = 1.0 - 2.0 * MARGIN;
        let scale = (free * 0.5 * width as f64 / reach(right))
            .min(free * 0.5 * height as f64 / reach(upward));
        Self {
            right,
            up: upward,
            towards,
            centre: bounds.max * 0.5 + bounds.min * 0.5,
            scale: if scale.is_finite() { scale } else { 1.0 },
            width,
            height,
        }
    }

    /// Where a point appears, in pixels, and how near it is.
    pub(super) fn project(&self, p: DVec3) -> DVec3 {
        let from = (p - self.centre) * self.scale;
        DVec3::new(
            0.5 * self.width as f64 + from.dot(self.right),
            0.5 * self.height as f64 - from.dot(self.up),
            from.dot(self.towards),
        )
    }
}

/// How a surface is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) colour: Colour,
    /// How much it hides of what is behind it.
    pub(super) cover: f64,
    /// Whether the faces towards the viewer are left out.
    pub(super) is_cut_open: bool,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    pub(super) colour: Colour,
    /// Half the width in pixels.
    pub(super) radius: f64,
    /// Lengths of a dash and of the gap after it, in pixels; none for a whole line.
    pub(super) dash: Option<f64>,
    /// How much of it shows where a surface is before it.
    pub(super) behind: f64,
}

/// A picture that is being made.
#[derive(Debug)]
pub(super) struct Canvas {
    view: View,
    width: usize,
    height: usize,
    colour: Vec<DVec3>,
    /// How near the nearest surface is.
    near: Vec<f32>,
}

impl Canvas {
    pub(super) fn new(view: View) -> Self {
        let (width, height) = (view.width * SAMPLES, view.height * SAMPLES);
        Self {
            view,
            width,
            height,
            colour: vec![BACKGROUND.0; width * height],
            near: vec![f32::NEG_INFINITY; width * height],
        }
    }

    fn project(&self, p: DVec3) -> DVec3 {
        self.view.project(p) * SAMPLES as f64
    }

    /// Draws a surface over what is there: of each sample its nearest face.
    pub(super) fn surface(&mut self, mesh: &TriMesh, look: Look) {
        let projected: Vec<DVec3> = mesh.positions().iter().map(|&p| self.project(p)).collect();
        let mut layer = vec![(f32::NEG_INFINITY, 0.0_f32); self.width * self.height];
        for (face, corners) in mesh.faces().iter().zip(mesh.triangles()) {
            let [a, b, c] = corners;
            let Some(normal) = (b - a).cross(c - a).try_normalize() else {
                continue;
            };
            let facing = normal.dot(self.view.towards);
            if look.is_cut_open && facing > 0.0 {
                continue;
            }
            let light = self.view.up * 0.45 + self.view.right * -0.3;
            let shade = 0.62 + 0.26 * facing.abs() + 0.22 * normal.dot(light) * facing.signum();
            let corners = face.map(|v| projected[v as usize]);
            fill(corners, self.width, self.height, |sample, z| {
                if z > layer[sample].0 {
                    layer[sample] = (z, shade as f32);
                }
            });
        }
        for ((colour, near), (z, shade)) in self.colour.iter_mut().zip(&mut self.near).zip(&layer) {
            if *z > f32::NEG_INFINITY {
                let own = look.colour.0 * f64::from(*shade).clamp(0.2, 1.15);
                *colour += (own - *colour) * look.cover;
                *near = near.max(*z);
            }
        }
    }

    /// Draws the outline of a mesh: borders and edges where it bends.
    pub(super) fn outline(&mut self, mesh: &TriMesh, pen: Pen) {
        let edges = sharp_edges(mesh);
        if edges.len() > MOST_EDGES {
            return;
        }
        for [p, q] in edges {
            self.line(p, q, pen);
        }
    }

    /// Draws a line, or a dot where both ends are one point.
    pub(super) fn line(&mut self, p: DVec3, q: DVec3, pen: Pen) {
        let (mut from, mut to) = (self.project(p), self.project(q));
        let [w, h] = [self.width as f64, self.height as f64];
        let reach = pen.radius * SAMPLES as f64;
        if !clip_to_picture(&mut from, &mut to, [w, h], reach) {
            return;
        }
        let across = (to - from).truncate();
        let length = across.length();
        // A line lies on its own surface: it is hidden only by what is clearly before it.
        let slack = 1.5 + 2.0 * reach;
        let low = from.min(to) - reach;
        let high = from.max(to) + reach;
        let range = |low: f64, high: f64, most: usize| {
            let first = low.floor().clamp(0.0, most as f64) as usize;
            first..(high.ceil().clamp(0.0, most as f64) as usize).max(first)
        };
        let along = across / length.max(f64::MIN_POSITIVE);
        for y in range(low.y, high.y + 1.0, self.height) {
            // Only the samples of this row near the line.
            let mut span = range(low.x, high.x + 1.0, self.width);
            if along.y.abs() > 1e-9 {
                let at = |y: f64| from.x + (y - from.y) * along.x / along.y;
                let (s, t) = (at(y as f64 - reach), at(y as f64 + 1.0 + reach));
                let spread = reach / along.y.abs() + 1.0;
                let near = range(s.min(t) - spread, s.max(t) + spread, self.width);
                span = span.start.max(near.start)..span.end.min(near.end);
            }
            for x in span {
                let sample = impinge::DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                let on = (sample - from.truncate()).dot(along).clamp(0.0, length);
                let nearest = from.truncate() + along * on;
                if (sample - nearest).length() > reach {
                    continue;
                }
                if let Some(dash) = pen.dash
                    && (on / (dash * SAMPLES as f64)).floor() as i64 % 2 != 0
                {
                    continue;
                }
                let z = from.z + (to.z - from.z) * (on / length.max(f64::MIN_POSITIVE));
                let index = y * self.width + x;
                let is_hidden = f64::from(self.near[index]) > z + slack;
                let cover = if is_hidden { pen.behind } else { 1.0 };
                let colour = &mut self.colour[index];
                *colour += (pen.colour.0 - *colour) * cover;
            }
        }
    }

    /// The picture as a PNG file.
    pub(super) fn png(&self) -> io::Result<Vec<u8>> {
        let (width, height) = (self.view.width, self.view.height);
        let mut rgb = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let mut sum = DVec3::ZERO;
                for row in 0..SAMPLES {
                    let start = (y * SAMPLES + row) * self.width + x * SAMPLES;
                    sum += self.colour[start..start + SAMPLES].iter().sum::<DVec3>();
                }
                rgb.extend(Colour(sum / (SAMPLES * SAMPLES) as f64).display());
            }
        }
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&rgb)?;
        writer.finish()?;
        Ok(bytes)
    }
}

/// Shortens a line to what may appear in the picture; false when nothing does.
fn clip_to_picture(from: &mut DVec3, to: &mut DVec3, size: [f64; 2], reach: f64) -> bool {
    let (start, way) = (*from, *to - *from);
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (axis, most) in size.iter().enumerate() {
        let (low, high) = (-reach, most + reach);
        if way[axis] == 0.0 {
            if start[axis] < low || start[axis] > high {
                return false;
            }
            continue;
        }
        let (s, t) = (
            (low - start[axis]) / way[axis],
            (high - start[axis]) / way[axis],
        );
        first = first.max(s.min(t));
        last = last.min(s.max(t));
    }
    if first > last || !(first.is_finite() && last.is_finite()) {
        return false;
    }
    (*from, *to) = (start + way * first, start + way * last);
    true
}

/// Calls `put` for every sample in a triangle, with how near it is there.
fn fill([a, b, c]: [DVec3; 3], width: usize, height: usize, mut put: impl FnMut(usize, f32)) {
    let doubled = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if doubled == 0.0 || !doubled.is_finite() {
        return;
    }
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let first_row = (low.y - 0.5).ceil().max(0.0);
    let last_row = (high.y - 0.5).floor().min(height as f64 - 1.0);
    if first_row > last_row {
        return;
    }
    let slope_x = ((b.z - a.z) * (c.y - a.y) - (c.z - a.z) * (b.y - a.y)) / doubled;
    let slope_y = ((c.z - a.z) * (b.x - a.x) - (b.z - a.z) * (c.x - a.x)) / doubled;
    for row in first_row as usize..=last_row as usize {
        let y = row as f64 + 0.5;
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        for (p, q) in [(a, b), (b, c), (c, a)] {
            if (p.y <= y) != (q.y <= y) {
                let x = p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x);
                left = left.min(x);
                right = right.max(x);
            }
        }
        let first = (left - 0.5).ceil().max(0.0);
        let last = (right - 0.5).floor().min(width as f64 - 1.0);
        if first > last {
            continue;
        }
        for column in first as usize..=last as usize {
            let x = column as f64 + 0.5;
            let z = a.z + slope_x * (x - a.x) + slope_y * (y - a.y);
            put(row * width + column, z as f32);
        }
    }
}

/// The ends of edges on a border, between faces that bend, or of more than two faces.
fn sharp_edges(mesh: &TriMesh) -> Vec<[DVec3; 2]> {
    let mut faces_at: BTreeMap<[u32; 2], Vec<DVec3>> = BTreeMap::new();
    for (face, [p, q, r]) in mesh.faces().iter().zip(mesh.triangles()) {
        let normal = (q - p).cross(r - p).normalize_or_zero();
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let key = [face[i].min(face[j]), face[i].max(face[j])];
            faces_at.entry(key).or_default().push(normal);
        }
    }
    faces_at
        .into_iter()
        .filter(|(_, normals)| match normals.as_slice() {
            [m, n] => m.dot(*n) < SMOOTH,
            _ => true,
        })
        .map(|(ends, _)| ends.map(|v| mesh.positions()[v as usize]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::cuboid;

    #[test]
    fn the_outline_of_a_box_is_its_twelve_edges() {
        let mesh = cuboid(DVec3::ONE, [1; 3]).unwrap();
        assert_eq!(sharp_edges(&mesh).len(), 12);
    }

    #[test]
    fn a_framed_box_appears_inside_the_picture() {
        let bounds = Aabb {
            min: DVec3::new(-3.0, 2.0, 5.0),
            max: DVec3::new(40.0, 2.5, 9.0),
        };
        for up in [Up::X, Up::Y, Up::Z] {
            let view = View::framing(&bounds, up, [640, 400]);
            for i in 0..8 {
                let pick = |axis: usize| [bounds.min, bounds.max][i >> axis & 1][axis];
                let seen = view.project(DVec3::new(pick(0), pick(1), pick(2)));
                assert!((0.0..640.0).contains(&seen.x) && (0.0..400.0).contains(&seen.y));
            }
        }
    }
}
