//! Which pairs of kinds support which query, determined by building each query.

use std::fmt::Write as _;
use std::sync::Arc;

use glam::DVec3;

use super::compound::Compound;
use super::config::PairConfig;
use super::contacts::ContactQuery;
use super::custom::CustomShape;
use super::depth::DepthQuery;
use super::distance::DistanceQuery;
use super::height_field::HeightField;
use super::impact::ImpactQuery;
use super::intersection::IntersectionQuery;
use super::mesh_shape::MeshShape;
use super::particles::Particles;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported};
use crate::bound::Aabb;
use crate::cloud::{CloudShape, PointCloud};
use crate::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, Triangle,
};
use crate::math::Pose;
use crate::mesh::TriMesh;

/// Two kinds of shapes and which queries they support.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportRow {
    /// The first kind; open and closed meshes are separate kinds.
    pub a: &'static str,
    /// The second kind, not before the first.
    pub b: &'static str,
    /// The result of `new` for each query kind, in the order of [`QueryKind::ALL`].
    pub answers: [Result<(), Unsupported>; 5],
}

/// Which queries `new` accepts for every unordered pair of kinds, with the default configuration and no registered pairs.
///
/// ```
/// use impinge::pair::{QueryKind, support_matrix};
/// let rows = support_matrix();
/// let row = rows.iter().find(|row| (row.a, row.b) == ("ball", "height field")).ok_or("no such row")?;
/// assert_eq!(row.answers.map(|a| a.is_ok()), [true, true, false, true, true]);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn support_matrix() -> Vec<SupportRow> {
    let shapes = examples();
    let mut rows = Vec::new();
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let config = PairConfig::default();
            rows.push(SupportRow {
                a: name_a,
                b: name_b,
                answers: QueryKind::ALL.map(|question| accepts(question, a, b, &config)),
            });
        }
    }
    rows
}

/// What making a query says.
fn accepts(
    question: QueryKind,
    a: &Shape,
    b: &Shape,
    config: &PairConfig,
) -> Result<(), Unsupported> {
    match question {
        QueryKind::Intersection => IntersectionQuery::new(a, b, config).map(drop),
        QueryKind::Distance => DistanceQuery::new(a, b, config).map(drop),
        QueryKind::Depth => DepthQuery::new(a, b, config).map(drop),
        QueryKind::Contact => ContactQuery::new(a, b, config).map(drop),
        QueryKind::Impact => ImpactQuery::new(a, b, config).map(drop),
    }
}

/// The matrix as a table: a letter per query that is answered, a point for one that is not, and below it the reasons.
///
/// ```
/// assert!(impinge::pair::support_table().contains("| **ball** | IDPCT |"));
/// ```
#[must_use]
pub fn support_table() -> String {
    let rows = support_matrix();
    let names: Vec<&str> = examples().iter().map(|(name, _)| *name).collect();
    let mut table = String::from("| |");
    for name in &names {
        let _ = write!(table, " {name} |");
    }
    table.push_str("\n|---|");
    table.push_str(&"---|".repeat(names.len()));
    table.push('\n');
    for (i, name) in names.iter().enumerate() {
        let _ = write!(table, "| **{name}** |");
        table.push_str(&" |".repeat(i));
        for row in rows.iter().filter(|row| row.a == *name) {
            let letter = |(letter, answer): (char, &Result<(), Unsupported>)| {
                if answer.is_ok() { letter } else { '·' }
            };
            let cell: String = "IDPCT".chars().zip(&row.answers).map(letter).collect();
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    let mut reasons: Vec<String> = Vec::new();
    for row in &rows {
        for refused in row.answers.iter().filter_map(|answer| answer.err()) {
            let line = format!("- {}: {}", refused.question, refused.reason);
            if !reasons.contains(&line) {
                reasons.push(line);
            }
        }
    }
    reasons.sort_unstable();
    let _ = write!(table, "\nRefusals:\n\n{}\n", reasons.join("\n"));
    table
}

/// A shape of every kind.
fn examples() -> Vec<(&'static str, Shape)> {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let outside = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = |faces: Vec<[u32; 3]>| {
        let mesh = TriMesh::new(corners.to_vec(), faces).ok()?;
        Some(Shape::from(MeshShape::new(Arc::new(mesh))))
    };
    let ball = || Some(Shape::from(Ball::new(1.0).ok()?));
    let three = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let all: [(&'static str, Option<Shape>); 17] = [
        ("ball", ball()),
        ("box", Cuboid::new(DVec3::ONE).ok().map(Shape::from)),
        (
            "capsule",
            Capsule::new(DVec3::ZERO, DVec3::Z, 1.0)
                .ok()
                .map(Shape::from),
        ),
        ("cylinder", Cylinder::new(1.0, 1.0).ok().map(Shape::from)),
        ("cone", Cone::new(1.0, 1.0).ok().map(Shape::from)),
        (
            "ellipsoid",
            Ellipsoid::new(DVec3::ONE).ok().map(Shape::from),
        ),
        (
            "segment",
            Segment::new(DVec3::ZERO, DVec3::Z).ok().map(Shape::from),
        ),
        ("triangle", Triangle::new(three).ok().map(Shape::from)),
        (
            "half-space",
            HalfSpace::new(DVec3::Z, DVec3::ZERO).ok().map(Shape::from),
        ),
        (
            "polyhedron",
            Polyhedron::new(&corners).ok().map(Shape::from),
        ),
        (
            "height field",
            HeightField::new(2, 2, [1.0; 2], vec![0.0; 4])
                .ok()
                .map(Shape::from),
        ),
        (
            "particles",
            Particles::new(vec![DVec3::ZERO], 1.0).ok().map(Shape::from),
        ),
        ("mesh, closed", mesh(outside.clone())),
        ("mesh, open", mesh(outside[1..].to_vec())),
        (
            "cloud",
            PointCloud::from_points(three)
                .ok()
                .map(|cloud| Shape::from(CloudShape::new(cloud.into()))),
        ),
        (
            "compound",
            ball()
                .and_then(|ball| Compound::new([(Pose::IDENTITY, ball)]).ok())
                .map(Shape::from),
        ),
        ("custom", Some(Shape::Custom(Arc::new(Nothing)))),
    ];
    all.into_iter()
        .filter_map(|(name, shape)| Some((name, shape?)))
        .collect()
}

/// A custom shape for which nothing is registered.
#[derive(Debug)]
struct Nothing;

impl CustomShape for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }
    fn bounds(&self) -> Option<Aabb> {
        Some(Aabb::EMPTY)
    }
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
