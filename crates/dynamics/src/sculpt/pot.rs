//! Initial shapes of the clay.

use std::f64::consts::TAU;

use impinge::generate::{icosphere, model, torus};
use impinge::glam::DVec2;
use impinge::{DVec3, TriMesh};

use super::SculptError;

/// Fewest and most polygons of a pot.
const POLYGONS: std::ops::RangeInclusive<usize> = 10..=10_000;

/// Below this many faces an icosphere is too coarse and a ball with poles is taken.
const ICOSAHEDRON: usize = 20;

/// A shape to begin with, about two units wide around the origin.
///
/// ```
/// use impinge_dynamics::sculpt::Pot;
/// for pot in Pot::ALL {
///     let mesh = pot.mesh(1000)?;
///     assert!(mesh.is_closed_manifold());
///     assert_eq!(Pot::named(pot.name()), Some(pot));
/// }
/// assert!(Pot::Ball.mesh(9).is_err());
/// # Ok::<(), impinge_dynamics::sculpt::SculptError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pot {
    /// A ball of nearly equal triangles.
    Ball,
    /// A ring.
    Torus,
    /// A cylinder whose lids have rings of their own.
    Cylinder,
    /// A tetrahedron with smaller ones on its faces, and so on, closed.
    TetraFlake,
    /// A waisted solid of revolution.
    Hyperboloid,
}

impl Pot {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Ball,
        Self::Torus,
        Self::Cylinder,
        Self::TetraFlake,
        Self::Hyperboloid,
    ];

    /// Its name, in kebab case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Torus => "torus",
            Self::Cylinder => "cylinder",
            Self::TetraFlake => "tetra-flake",
            Self::Hyperboloid => "hyperboloid",
        }
    }

    /// The pot of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pot| pot.name() == name)
    }

    /// Whether it is convex, apart from rounding.
    #[must_use]
    pub fn is_convex(self) -> bool {
        matches!(self, Self::Ball | Self::Cylinder)
    }

    /// A closed mesh of about this many triangles. The tetra-flake comes in few sizes.
    ///
    /// # Errors
    /// [`SculptError::Polygons`] outside of 10 to 10 000.
    pub fn mesh(self, polygons: usize) -> Result<TriMesh, SculptError> {
        if !POLYGONS.contains(&polygons) {
            return Err(SculptError::Polygons { polygons });
        }
        match self {
            Self::Ball if polygons < ICOSAHEDRON => {
                let ball = model("ball").ok_or(SculptError::NotSolid)?;
                Ok(ball.make(Some(polygons), 0)?)
            }
            Self::Ball => Ok(icosphere(1.0, root(polygons as f64 / 20.0))?),
            Self::Torus => {
                let (major, minor) = (0.7, 0.3);
                let sides = root(polygons as f64 / 2.0 * minor / major).max(3);
                let segments = (polygons as u32 / (2 * sides)).max(3);
                Ok(torus(major, minor, segments, sides)?)
            }
            Self::Cylinder => turned(
                &[[0.0, -0.9], [0.8, -0.9], [0.8, 0.9], [0.0, 0.9]],
                polygons,
            ),
            Self::Hyperboloid => {
                let side = (0..=16).map(|i| {
                    let z = f64::from(i) / 8.0 - 1.0;
                    [0.45 * (1.0 + 3.0 * z * z).sqrt(), z]
                });
                let mut profile = vec![[0.0, -1.0]];
                profile.extend(side);
                profile.push([0.0, 1.0]);
                turned(&profile, polygons)
            }
            Self::TetraFlake => {
                let mut best = tetra_flake(0)?;
                for depth in 1..=6 {
                    let next = tetra_flake(depth)?;
                    let miss = |mesh: &TriMesh| mesh.face_count().abs_diff(polygons);
                    if miss(&next) < miss(&best) {
                        best = next;
                    }
                }
                Ok(best)
            }
        }
    }
}

/// The nearest whole number to a root, at least 1.
fn root(square: f64) -> u32 {
    (square.sqrt() + 0.5).floor().max(1.0) as u32
}

/// A solid of revolution about z, from a profile of (radius, height) that begins and ends on the
/// axis, in triangles of about equal sides.
fn turned(profile: &[[f64; 2]], polygons: usize) -> Result<TriMesh, SculptError> {
    let points: Vec<DVec2> = profile.iter().map(|&p| DVec2::from_array(p)).collect();
    let lengths: Vec<f64> = points.windows(2).map(|w| w[0].distance(w[1])).collect();
    let length: f64 = lengths.iter().sum();
    let widest = points.iter().fold(0.0_f64, |most, p| most.max(p.x));
    // As many segments as make squares of the bands at the widest place.
    let half = polygons as f64 / 2.0;
    let segments = root(half * TAU * widest / length).max(3);
    let circles = (half / f64::from(segments)).max(2.0);
    // Samples evenly along the profile; corners are kept when they are few.
    let has_few_corners = points.len() <= 4;
    let mut samples = Vec::new();
    if has_few_corners {
        for (ends, part) in points.windows(2).zip(&lengths) {
            let steps = (circles * part / length + 0.5).floor().max(1.0) as u32;
            samples
                .extend((0..steps).map(|i| ends[0].lerp(ends[1], f64::from(i) / f64::from(steps))));
        }
    } else {
        let steps = circles.floor() as u32 + 1;
        samples.extend(
            (0..steps).map(|i| along(&points, &lengths, length * f64::from(i) / f64::from(steps))),
        );
    }
    let mut positions: Vec<DVec3> = Vec::new();
    let circles: Vec<DVec2> = samples.into_iter().skip(1).collect();
    for circle in &circles {
        positions.extend((0..segments).map(|i| {
            let angle = TAU * f64::from(i) / f64::from(segments);
            DVec3::new(
                circle.x * libm::cos(angle),
                circle.x * libm::sin(angle),
                circle.y,
            )
        }));
    }
    let ends = [points.first(), points.last()].map(|p| p.copied().unwrap_or_default());
    let poles = positions.len() as u32;
    positions.extend(ends.map(|p| DVec3::new(0.0, 0.0, p.y)));
    let at = |circle: u32, i: u32| circle * segments + i % segments;
    let mut faces = Vec::new();
    let last = circles.len() as u32 - 1;
    for i in 0..segments {
        faces.push([poles, at(0, i + 1), at(0, i)]);
        for circle in 0..last {
            let [a, b] = [at(circle, i), at(circle, i + 1)];
            let [c, d] = [at(circle + 1, i + 1), at(circle + 1, i)];
            faces.push([a, b, c]);
            faces.push([a, c, d]);
        }
        faces.push([poles + 1, at(last, i), at(last, i + 1)]);
    }
    Ok(TriMesh::new(positions, faces)?)
}

/// The point of a polyline at a distance from its start.
fn along(points: &[DVec2], lengths: &[f64], distance: f64) -> DVec2 {
    let mut rest = distance;
    for (ends, &length) in points.windows(2).zip(lengths) {
        if rest <= length {
            return ends[0].lerp(ends[1], rest / length);
        }
        rest -= length;
    }
    points.last().copied().unwrap_or_default()
}

/// A tetrahedron with a half-size one on each face, and so on: a closed surface, unlike
/// [`impinge::generate::tetra_flake`], whose faces keep what stands on them.
fn tetra_flake(depth: u32) -> Result<TriMesh, SculptError> {
    let mut positions = [
        [1.0, 1.0, 1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
    ]
    .map(|p| DVec3::from_array(p) * 0.7)
    .to_vec();
    let mut faces: Vec<[u32; 3]> = Vec::new();
    let mut caps: Vec<[u32; 3]> = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    for _ in 0..depth {
        let mut next = Vec::with_capacity(3 * caps.len());
        for cap in caps {
            let [a, b, c] = cap.map(|v| positions[v as usize]);
            let centre = (a + b + c) / 3.0;
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let height = (b - a).length() * 0.5 * (2.0_f64 / 3.0).sqrt();
            let first = positions.len() as u32;
            positions.extend([a, b, c].map(|p| centre + (p - centre) * 0.5));
            positions.push(centre + normal * height);
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                let (inner_i, inner_j) = (first + i as u32, first + j as u32);
                faces.push([cap[i], cap[j], inner_j]);
                faces.push([cap[i], inner_j, inner_i]);
                next.push([inner_i, inner_j, first + 3]);
            }
        }
        caps = next;
    }
    faces.extend(caps);
    Ok(TriMesh::new(positions, faces)?)
}
