//! The builder that all models share: rings of vertices, bands between them, lids on them.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::error::GenerateError;
use crate::mesh::TriMesh;

/// Vertices and faces in the making.
#[derive(Default)]
pub(super) struct SurfaceBuilder {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
}

/// Vertices in a circle, counter-clockwise seen from the direction in which bands proceed.
#[derive(Clone, Copy)]
pub(super) struct Circle {
    start: u32,
    count: u32,
}

impl Circle {
    fn at(self, i: u32) -> u32 {
        self.start + if i == self.count { 0 } else { i }
    }
}

/// Which of the two diagonals splits the quads of a band.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Diagonal {
    Rising,
    Falling,
}

impl SurfaceBuilder {
    pub(super) fn with_capacity(faces: u64) -> Self {
        Self {
            positions: Vec::with_capacity(faces as usize / 2 + 2),
            faces: Vec::with_capacity(faces as usize),
        }
    }

    pub(super) fn point(&mut self, p: DVec3) -> u32 {
        self.positions.push(p);
        (self.positions.len() - 1) as u32
    }

    pub(super) fn triangle(&mut self, a: u32, b: u32, c: u32) {
        self.faces.push([a, b, c]);
    }

    /// The quad a b c d, split from a to c.
    pub(super) fn quad(&mut self, a: u32, b: u32, c: u32, d: u32) {
        self.triangle(a, b, c);
        self.triangle(a, c, d);
    }

    pub(super) fn circle(&mut self, count: u32, point: impl FnMut(u32) -> DVec3) -> Circle {
        let start = self.positions.len() as u32;
        self.positions.extend((0..count).map(point));
        Circle { start, count }
    }

    /// Quads from a circle to the next one.
    pub(super) fn band(&mut self, from: Circle, to: Circle) {
        self.band_split(from, to, Diagonal::Rising);
    }

    pub(super) fn band_split(&mut self, from: Circle, to: Circle, diagonal: Diagonal) {
        for i in 0..from.count {
            let (a, b, c, d) = (from.at(i), from.at(i + 1), to.at(i + 1), to.at(i));
            match diagonal {
                Diagonal::Rising => self.quad(a, b, c, d),
                Diagonal::Falling => self.quad(b, c, d, a),
            }
        }
    }

    /// Triangles from a point before the circle: the pole where bands start.
    pub(super) fn pole_before(&mut self, pole: u32, circle: Circle) {
        for i in 0..circle.count {
            self.triangle(circle.at(i + 1), circle.at(i), pole);
        }
    }

    /// Triangles to a point after the circle: the pole where bands end.
    pub(super) fn pole_after(&mut self, circle: Circle, pole: u32) {
        for i in 0..circle.count {
            self.triangle(circle.at(i), circle.at(i + 1), pole);
        }
    }

    /// A flat lid where bands start, without a vertex of its own.
    pub(super) fn lid_before(&mut self, circle: Circle) {
        for i in 1..circle.count - 1 {
            self.triangle(circle.at(0), circle.at(i + 1), circle.at(i));
        }
    }

    /// A flat lid where bands end.
    pub(super) fn lid_after(&mut self, circle: Circle) {
        for i in 1..circle.count - 1 {
            self.triangle(circle.at(0), circle.at(i), circle.at(i + 1));
        }
    }

    /// An open sheet of `columns` × `rows` quads; u and v run from 0 to 1, the front shows u × v.
    pub(super) fn sheet(
        &mut self,
        columns: u32,
        rows: u32,
        mut point: impl FnMut(f64, f64) -> DVec3,
    ) {
        let start = self.positions.len() as u32;
        for j in 0..=rows {
            for i in 0..=columns {
                let (u, v) = (
                    f64::from(i) / f64::from(columns),
                    f64::from(j) / f64::from(rows),
                );
                self.positions.push(point(u, v));
            }
        }
        let at = |i: u32, j: u32| start + j * (columns + 1) + i;
        for j in 0..rows {
            for i in 0..columns {
                self.quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            }
        }
    }

    pub(super) fn append_placed(&mut self, mesh: &TriMesh, place: impl Fn(DVec3) -> DVec3) {
        let start = self.positions.len() as u32;
        self.positions
            .extend(mesh.positions().iter().map(|&p| place(p)));
        self.faces
            .extend(mesh.faces().iter().map(|f| f.map(|v| v + start)));
    }

    pub(super) fn map(&mut self, place: impl Fn(DVec3) -> DVec3) {
        for p in &mut self.positions {
            *p = place(*p);
        }
    }

    pub(super) fn finish(self) -> Result<TriMesh, GenerateError> {
        Ok(TriMesh::new(self.positions, self.faces)?)
    }
}

/// The mesh with every vertex moved by `place`, which must keep orientation.
pub(super) fn placed(
    mesh: &TriMesh,
    place: impl Fn(DVec3) -> DVec3,
) -> Result<TriMesh, GenerateError> {
    let mut surface = SurfaceBuilder::default();
    surface.append_placed(mesh, place);
    surface.finish()
}

/// The unit vectors of a full turn in `count` steps, starting with x.
pub(super) fn turn(count: u32) -> Vec<DVec2> {
    (0..count)
        .map(|i| {
            let angle = TAU * f64::from(i) / f64::from(count);
            DVec2::new(libm::cos(angle), libm::sin(angle))
        })
        .collect()
}

/// How the ends of a profile or tube are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TubeEnds {
    /// The last circle is joined to the first.
    Joined,
    /// Both ends get a flat lid; ends on the axis are poles anyway.
    Lids,
}

/// Revolves a profile of (radius, height) points around z. It must run counter-clockwise with the
/// solid on its left, as seen with the radius to the right and height up.
pub(super) fn revolve(
    surface: &mut SurfaceBuilder,
    profile: &[DVec2],
    segments: u32,
    ends: TubeEnds,
) {
    let around = turn(segments);
    let row = |surface: &mut SurfaceBuilder, p: DVec2| {
        if p.x == 0.0 {
            ProfileRow::Pole(surface.point(DVec3::new(0.0, 0.0, p.y)))
        } else {
            ProfileRow::Circle(surface.circle(segments, |i| (around[i as usize] * p.x).extend(p.y)))
        }
    };
    stack(surface, profile.iter().copied(), row, ends);
}

/// A circle, or a single vertex where the circle has shrunk to one.
#[derive(Clone, Copy)]
pub(super) enum ProfileRow {
    Circle(Circle),
    Pole(u32),
}

/// Joins rows one after the other.
pub(super) fn stack<T>(
    surface: &mut SurfaceBuilder,
    rows: impl IntoIterator<Item = T>,
    mut make: impl FnMut(&mut SurfaceBuilder, T) -> ProfileRow,
    ends: TubeEnds,
) {
    let mut first = None;
    let mut previous = None;
    for row in rows {
        let row = make(surface, row);
        match previous {
            None => first = Some(row),
            Some(previous) => join(surface, previous, row),
        }
        previous = Some(row);
    }
    let (Some(first), Some(last)) = (first, previous) else {
        return;
    };
    match ends {
        TubeEnds::Joined => join(surface, last, first),
        TubeEnds::Lids => {
            if let ProfileRow::Circle(circle) = first {
                surface.lid_before(circle);
            }
            if let ProfileRow::Circle(circle) = last {
                surface.lid_after(circle);
            }
        }
    }
}

fn join(surface: &mut SurfaceBuilder, from: ProfileRow, to: ProfileRow) {
    match (from, to) {
        (ProfileRow::Circle(from), ProfileRow::Circle(to)) => surface.band(from, to),
        (ProfileRow::Pole(pole), ProfileRow::Circle(circle)) => surface.pole_before(pole, circle),
        (ProfileRow::Circle(circle), ProfileRow::Pole(pole)) => surface.pole_after(circle, pole),
        (ProfileRow::Pole(_), ProfileRow::Pole(_)) => {}
    }
}

/// A tube through centres with cross-section axes (n, b), n × b along the tube.
pub(super) fn tube(
    surface: &mut SurfaceBuilder,
    sections: impl IntoIterator<Item = (DVec3, DVec3, DVec3)>,
    radius: f64,
    sides: u32,
    ends: TubeEnds,
) {
    let around = turn(sides);
    let row = |surface: &mut SurfaceBuilder, (centre, n, b): (DVec3, DVec3, DVec3)| {
        ProfileRow::Circle(surface.circle(sides, |i| {
            let at = around[i as usize] * radius;
            centre + n * at.x + b * at.y
        }))
    };
    stack(surface, sections, row, ends);
}
