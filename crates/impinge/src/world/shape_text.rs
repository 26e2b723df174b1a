//! Writes shapes as lines of text, and reads them back.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::str::FromStr;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::cloud::{CloudShape, PointCloud};
use crate::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, SupportMap,
    Triangle,
};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::pair::{Compound, HeightField, MeshShape, Particles, Shape};
use crate::spheres::SolidBall;

/// Numbers given to shapes, so that each is written once.
#[derive(Debug, Default)]
pub(super) struct ShapeNumbers {
    next: u32,
    by_text: BTreeMap<String, u32>,
    /// By where the shared part lives, with the shape that keeps it there.
    by_place: BTreeMap<usize, (u32, Shape)>,
}

impl ShapeNumbers {
    /// The number of a shape; writes a line for it, and for its children, if it has none yet.
    pub(super) fn number(&mut self, shape: &Shape, out: &mut String) -> u32 {
        let place = place(shape);
        let known = place.and_then(|place| self.by_place.get(&place));
        if let Some((number, _)) = known {
            return *number;
        }
        // Children of compounds are no compounds, so this goes one level deep.
        let children: Vec<u32> = match shape {
            Shape::Compound(compound) => compound
                .children()
                .iter()
                .map(|child| self.number(&child.shape, out))
                .collect(),
            _ => Vec::new(),
        };
        let text = described(shape, &children);
        if let Some(&number) = self.by_text.get(&text) {
            return number;
        }
        let number = self.next;
        self.next += 1;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "shape {number} {text}");
        match place {
            Some(place) => {
                self.by_place.insert(place, (number, shape.clone()));
            }
            None => {
                self.by_text.insert(text, number);
            }
        }
        number
    }
}

/// Where the part of a shape lives that its clones share; none when it is small.
pub(super) fn place(shape: &Shape) -> Option<usize> {
    match shape {
        Shape::Polyhedron(shared) => Some(Arc::as_ptr(shared).addr()),
        Shape::HeightField(shared) => Some(Arc::as_ptr(shared).addr()),
        Shape::Particles(shared) => Some(Arc::as_ptr(shared).addr()),
        Shape::Mesh(shared) => Some(Arc::as_ptr(shared).addr()),
        Shape::Cloud(shared) => Some(Arc::as_ptr(shared).addr()),
        Shape::Compound(shared) => Some(Arc::as_ptr(shared).addr()),
        _ => None,
    }
}

fn described(shape: &Shape, children: &[u32]) -> String {
    let mut text = shape.kind().name().replace(' ', "-");
    match shape {
        Shape::Ball(ball) => number(&mut text, ball.radius()),
        Shape::Cuboid(cuboid) => point(&mut text, cuboid.half_extent()),
        Shape::Capsule(capsule) => {
            point(&mut text, capsule.vertex(0));
            point(&mut text, capsule.vertex(1));
            number(&mut text, capsule.radius());
        }
        Shape::Cylinder(cylinder) => upright(&mut text, cylinder),
        Shape::Cone(cone) => upright(&mut text, cone),
        Shape::Ellipsoid(ellipsoid) => point(&mut text, ellipsoid.bounds().max),
        Shape::Segment(segment) => {
            point(&mut text, segment.vertex(0));
            point(&mut text, segment.vertex(1));
        }
        Shape::Triangle(triangle) => {
            for corner in triangle.corners() {
                point(&mut text, corner);
            }
        }
        Shape::HalfSpace(space) => {
            let origin = Segment::new(DVec3::ZERO, DVec3::ZERO);
            let height = origin.map_or(0.0, |o| space.height_of(&o, &Pose::IDENTITY).height);
            point(&mut text, space.normal());
            point(&mut text, space.normal() * -height);
        }
        Shape::Polyhedron(polyhedron) => points(&mut text, polyhedron.vertices()),
        Shape::HeightField(field) => {
            let mesh = field.mesh().mesh();
            let [columns, rows] = field.size();
            let at = |k: u32| {
                mesh.positions()
                    .get(k as usize)
                    .copied()
                    .unwrap_or_default()
            };
            let _ = write!(text, " {columns} {rows}");
            number(&mut text, at(1).x);
            number(&mut text, at(columns).y);
            mesh.positions().iter().for_each(|p| number(&mut text, p.z));
        }
        Shape::Particles(particles) if !particles.is_even() => {
            "balls".clone_into(&mut text);
            let _ = write!(text, " {}", particles.points().len());
            for (center, radius) in particles.balls() {
                point(&mut text, center);
                number(&mut text, radius);
            }
        }
        Shape::Particles(particles) => {
            number(&mut text, particles.radius());
            points(&mut text, particles.points());
        }
        Shape::Mesh(mesh) => {
            points(&mut text, mesh.mesh().positions());
            let _ = write!(text, " {}", mesh.mesh().faces().len());
            for [v0, v1, v2] in mesh.mesh().faces() {
                let _ = write!(text, " {v0} {v1} {v2}");
            }
        }
        // Normals and a surface change no answer.
        Shape::Cloud(cloud) => points(&mut text, cloud.cloud().points()),
        Shape::Compound(compound) => {
            let _ = write!(text, " {}", children.len());
            for (child, own) in children.iter().zip(compound.children()) {
                let _ = write!(text, " {child}");
                pose(&mut text, &own.compound_from_child);
            }
        }
        Shape::Custom(custom) => {
            let name = custom
                .name()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join("-");
            let _ = write!(text, " {name}");
        }
    }
    text
}

fn upright(text: &mut String, shape: &impl SupportMap) {
    let half = shape.bounds().max;
    number(text, half.z);
    number(text, half.x);
}

/// The shortest digits that give the same number again.
pub(super) fn number(text: &mut String, x: f64) {
    let _ = write!(text, " {x}");
}

pub(super) fn point(text: &mut String, p: DVec3) {
    let _ = write!(text, " {} {} {}", p.x, p.y, p.z);
}

fn points(text: &mut String, all: &[DVec3]) {
    let _ = write!(text, " {}", all.len());
    all.iter().for_each(|&p| point(text, p));
}

/// Nine numbers of the rotation, column by column, and three of the translation.
pub(super) fn pose(text: &mut String, pose: &Pose) {
    for x in pose.rotation().to_cols_array() {
        number(text, x);
    }
    point(text, pose.translation());
}

/// A name as one word.
pub(super) fn word(name: &str) -> String {
    if name.is_empty() {
        return NO_NAME.to_owned();
    }
    let mut word = String::new();
    for c in name.chars() {
        match c {
            '\\' => word.push_str("\\\\"),
            c if c.is_whitespace() || c.is_control() => word.extend(c.escape_unicode()),
            c => word.push(c),
        }
    }
    word
}

/// How no name is written.
const NO_NAME: &str = "\\e";

/// The name that was written as one word; none when it is damaged.
fn unescaped(word: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = if word == NO_NAME { "" } else { word };
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('\\') {
            name.push('\\');
            rest = after;
        } else {
            let (hex, after) = rest.strip_prefix("u{")?.split_once('}')?;
            name.push(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?);
            rest = after;
        }
    }
    name.push_str(rest);
    Some(name)
}

/// The words of a line, taken one by one.
#[derive(Debug)]
pub(super) struct Words<'t> {
    words: std::str::SplitAsciiWhitespace<'t>,
}

/// More items than this are not read for one shape: a damaged count should not take all memory.
const MAX_ITEMS: usize = 1 << 28;

impl<'t> Words<'t> {
    pub(super) fn of(line: &'t str) -> Self {
        Self {
            words: line.split_ascii_whitespace(),
        }
    }

    pub(super) fn next(&mut self, what: &str) -> Result<&'t str, String> {
        let word = self.words.next();
        word.ok_or_else(|| format!("the line ends where {what} should be"))
    }

    pub(super) fn parse<T: FromStr>(&mut self, what: &str) -> Result<T, String> {
        let word = self.next(what)?;
        word.parse().map_err(|_| format!("'{word}' is not {what}"))
    }

    /// A name that was written with [`word`].
    pub(super) fn name(&mut self) -> Result<String, String> {
        let word = self.next("a name")?;
        unescaped(word).ok_or_else(|| format!("'{word}' is not a name"))
    }

    /// A count of items of which each has this many words: no more than the line can hold.
    fn count(&mut self, what: &str) -> Result<usize, String> {
        let count = self.parse(what)?;
        if count > MAX_ITEMS {
            return Err(format!("{count} is too many as {what}"));
        }
        Ok(count)
    }

    pub(super) fn real(&mut self) -> Result<f64, String> {
        self.parse("a number")
    }

    pub(super) fn point(&mut self) -> Result<DVec3, String> {
        Ok(DVec3::new(self.real()?, self.real()?, self.real()?))
    }

    fn points(&mut self) -> Result<Vec<DVec3>, String> {
        // Grows with what is really there, whatever the count says.
        (0..self.count("a count of points")?)
            .map(|_| self.point())
            .collect()
    }

    pub(super) fn pose(&mut self) -> Result<Pose, String> {
        let mut columns = [0.0; 9];
        for x in &mut columns {
            *x = self.real()?;
        }
        let translation = self.point()?;
        Pose::new(DMat3::from_cols_array(&columns), translation).map_err(|e| e.to_string())
    }

    pub(super) fn end(&mut self) -> Result<(), String> {
        match self.words.next() {
            Some(word) => Err(format!("'{word}' is one word too many")),
            None => Ok(()),
        }
    }
}

/// The shape that the rest of a line describes.
pub(super) fn read(words: &mut Words<'_>, known: &BTreeMap<u32, Shape>) -> Result<Shape, String> {
    fn say(error: impl std::fmt::Display) -> String {
        error.to_string()
    }
    let kind = words.next("a kind of shape")?;
    Ok(match kind {
        "ball" => Ball::new(words.real()?).map_err(say)?.into(),
        "box" => Cuboid::new(words.point()?).map_err(say)?.into(),
        "capsule" => Capsule::new(words.point()?, words.point()?, words.real()?)
            .map_err(say)?
            .into(),
        "cylinder" => Cylinder::new(words.real()?, words.real()?)
            .map_err(say)?
            .into(),
        "cone" => Cone::new(words.real()?, words.real()?).map_err(say)?.into(),
        "ellipsoid" => Ellipsoid::new(words.point()?).map_err(say)?.into(),
        "segment" => Segment::new(words.point()?, words.point()?)
            .map_err(say)?
            .into(),
        "triangle" => Triangle::new([words.point()?, words.point()?, words.point()?])
            .map_err(say)?
            .into(),
        "half-space" => HalfSpace::new(words.point()?, words.point()?)
            .map_err(say)?
            .into(),
        "polyhedron" => Polyhedron::new(&words.points()?).map_err(say)?.into(),
        "height-field" => {
            let (columns, rows) = (words.count("columns")?, words.count("rows")?);
            let spacing = [words.real()?, words.real()?];
            let points = columns
                .checked_mul(rows)
                .filter(|&points| points <= MAX_ITEMS);
            let points = points.ok_or_else(|| format!("{columns} by {rows} is too large"))?;
            let heights: Result<_, _> = (0..points).map(|_| words.real()).collect();
            HeightField::new(columns, rows, spacing, heights?)
                .map_err(say)?
                .into()
        }
        "balls" => {
            let count = words.count("a count of balls")?;
            let mut balls = Vec::new();
            // Grows with what is really there, whatever the count says.
            for _ in 0..count {
                let (center, radius) = (words.point()?, words.real()?);
                balls.push(SolidBall { center, radius });
            }
            Particles::of_balls(&balls).map_err(say)?.into()
        }
        "particles" => {
            let radius = words.real()?;
            Particles::new(words.points()?, radius).map_err(say)?.into()
        }
        "mesh" => {
            let positions = words.points()?;
            let count = words.count("a count of faces")?;
            let mut corner = || words.parse::<u32>("the number of a vertex");
            let faces: Result<Vec<_>, String> = (0..count)
                .map(|_| Ok([corner()?, corner()?, corner()?]))
                .collect();
            let mesh = TriMesh::new(positions, faces?).map_err(say)?;
            MeshShape::new(Arc::new(mesh)).into()
        }
        "cloud" => {
            let cloud = PointCloud::new(words.points()?, None).map_err(say)?;
            CloudShape::new(cloud.into()).into()
        }
        "compound" => {
            let count = words.count("a count of children")?;
            let mut child = || {
                let number: u32 = words.parse("the number of a shape")?;
                let shape = known.get(&number).cloned();
                let shape = shape.ok_or_else(|| format!("there is no shape {number} yet"))?;
                Ok((words.pose()?, shape))
            };
            let children: Result<Vec<_>, String> = (0..count).map(|_| child()).collect();
            Compound::new(children?).map_err(say)?.into()
        }
        "custom" => {
            let name = words.next("the name of a kind")?;
            return Err(format!(
                "a shape of the user's own kind '{name}' is not in the file"
            ));
        }
        other => return Err(format!("'{other}' is not a kind of shape")),
    })
}

#[cfg(test)]
mod tests {
    use super::{unescaped, word};

    #[test]
    fn every_name_is_one_word_and_comes_back() {
        for name in [
            "",
            "a",
            "left wheel",
            " \t\n",
            "\\",
            "\\e",
            "\\u{20}",
            "Öl\u{3000}",
        ] {
            let one = word(name);
            assert!(
                !one.is_empty() && one.split_whitespace().count() == 1,
                "{one}"
            );
            assert_eq!(unescaped(&one).as_deref(), Some(name), "{one}");
        }
        for damaged in ["\\", "\\u", "\\u{", "\\u{x}", "\\u{d800}", "a\\e"] {
            assert_eq!(unescaped(damaged), None, "{damaged}");
        }
    }
}
