//! Answers for programs. Keys of queries that were not made are left out.

use impinge::Pose;
use impinge::query::{Bounded, Outcome, Separation};
use serde::Serialize;

use super::answers::{Answers, CloudQueries, point_number};
use super::cloud_or_mesh::CloudOrMesh;
use super::surface::Crossed;
use crate::bounds_record::{BoundPointsRecord, BoundsRecord, HitRecord, WayOutRecord};
use crate::model_source::ModelSource;
use crate::query::QueryKind;

/// The queries and the answers.
#[derive(Serialize)]
pub(crate) struct Record {
    #[serde(skip_serializing_if = "Option::is_none")]
    intersects: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<DistanceRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<ToleranceRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<DepthRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<ImpactRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<SurfaceRecord>,
    a: Operand,
    b: Operand,
    a_from_b: [f64; 16],
    pose_repaired: bool,
    /// Whether a closed mesh counts as what it encloses.
    solid: bool,
    milliseconds: Milliseconds,
}

/// One of the two.
#[derive(Serialize)]
struct Operand {
    source: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertices: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    faces: Option<usize>,
}

/// A smallest distance, and a point of each at that distance.
#[derive(Serialize)]
struct DistanceRecord {
    #[serde(flatten)]
    nearest: BoundPointsRecord,
    /// The number of the point, in the file without what was dropped, where it is one of a cloud.
    number_a: Option<u32>,
    number_b: Option<u32>,
    complete: bool,
}

#[derive(Serialize)]
struct ToleranceRecord {
    /// Null when the tests ran out first.
    within: Option<bool>,
    tolerance: f64,
}

#[derive(Serialize)]
struct DepthRecord {
    #[serde(flatten)]
    way_out: WayOutRecord,
    complete: bool,
}

#[derive(Serialize)]
struct ImpactRecord {
    #[serde(flatten)]
    hit: HitRecord,
    complete: bool,
}

/// Whether the surfaces behind the points cross.
#[derive(Serialize)]
struct SurfaceRecord {
    crosses: bool,
    certain: bool,
    confidence: f64,
    /// How near they come, an estimate, and where, in A's frame; null when nothing was found within the distance of interest.
    distance: Option<f64>,
    nearest: Option<[[f64; 3]; 2]>,
    /// Whether nothing nearer was left to look for.
    distance_complete: bool,
    /// Places where they were found to cross, in A's frame.
    curve: Vec<PlaceRecord>,
    brackets: u64,
    evaluations: u64,
    complete: bool,
}

#[derive(Serialize)]
struct PlaceRecord {
    point: [f64; 3],
    /// The curve passes through a ball of this radius.
    radius: f64,
    residual: f64,
}

#[derive(Serialize)]
pub(crate) struct Milliseconds {
    pub(crate) load: f64,
    pub(crate) search: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) surface: Option<f64>,
}

/// What a record is made of.
pub(crate) struct RecordInput<'t> {
    pub(crate) sources: [&'t ModelSource; 2],
    pub(crate) subjects: [&'t CloudOrMesh; 2],
    pub(crate) questions: &'t CloudQueries,
    pub(crate) answers: &'t Answers,
    pub(crate) crossed: Option<&'t Crossed>,
    pub(crate) a_from_b: Pose,
    pub(crate) pose_repaired: bool,
    pub(crate) milliseconds: Milliseconds,
}

impl Record {
    pub(crate) fn new(told: RecordInput<'_>) -> Self {
        let RecordInput {
            sources: [source_a, source_b],
            subjects: [a, b],
            questions,
            answers,
            crossed,
            a_from_b,
            ..
        } = told;
        let is_complete = |outcome: Outcome| outcome == Outcome::Complete;
        let numbers = |s: &Separation| {
            let own = a_from_b.inverse() * s.point_b;
            [
                point_number(a.cloud(), s.point_a),
                point_number(b.cloud(), own),
            ]
        };
        Self {
            intersects: answers.intersects,
            distance: answers
                .distance
                .as_ref()
                .map(|found| distance(found, numbers)),
            tolerance: answers.within.map(|within| ToleranceRecord {
                within,
                tolerance: questions.tolerance.unwrap_or(0.0),
            }),
            depth: answers.depth.as_ref().map(|found| DepthRecord {
                way_out: WayOutRecord {
                    overlaps: found.value.is_some(),
                    length: BoundsRecord::new(
                        found.value.map(|d| d.depth),
                        found.lower,
                        found.upper,
                    ),
                    direction: found.value.map(|d| d.normal.to_array()),
                },
                complete: is_complete(found.outcome),
            }),
            impact: answers.impact.as_ref().map(|found| ImpactRecord {
                hit: HitRecord::new(
                    answers.verdict(QueryKind::Impact),
                    BoundsRecord::new(found.value.map(|hit| hit.time), found.lower, found.upper),
                    found.value.map(|hit| [hit.point, hit.normal]),
                ),
                complete: is_complete(found.outcome),
            }),
            surface: crossed.map(|crossed| SurfaceRecord {
                crosses: crossed.search.verdict.answer,
                certain: crossed.search.verdict.certain,
                confidence: crossed.search.verdict.confidence,
                distance: crossed.nearest.map(|s| s.distance),
                nearest: crossed
                    .nearest
                    .map(|s| [s.point_a.to_array(), s.point_b.to_array()]),
                distance_complete: crossed.is_nearest_complete,
                curve: crossed
                    .places
                    .iter()
                    .map(|place| PlaceRecord {
                        point: place.point.to_array(),
                        radius: place.radius,
                        residual: place.residual,
                    })
                    .collect(),
                brackets: crossed.search.brackets,
                evaluations: crossed.search.evaluations,
                complete: is_complete(crossed.search.outcome),
            }),
            a: operand(source_a, a),
            b: operand(source_b, b),
            a_from_b: a_from_b.to_row_major(),
            pose_repaired: told.pose_repaired,
            solid: questions.solid,
            milliseconds: told.milliseconds,
        }
    }
}

fn operand(source: &ModelSource, subject: &CloudOrMesh) -> Operand {
    match subject {
        CloudOrMesh::Cloud(cloud) => Operand {
            source: source.to_string(),
            kind: "cloud",
            points: Some(cloud.cloud().len()),
            vertices: None,
            faces: None,
        },
        CloudOrMesh::Mesh(loaded, _) => Operand {
            source: source.to_string(),
            kind: "mesh",
            points: None,
            vertices: Some(loaded.mesh.vertex_count()),
            faces: Some(loaded.mesh.face_count()),
        },
    }
}

fn distance(
    found: &Bounded<Option<Separation>>,
    numbers: impl FnOnce(&Separation) -> [Option<u32>; 2],
) -> DistanceRecord {
    let [number_a, number_b] = found.value.as_ref().map_or([None; 2], numbers);
    let bounds = BoundsRecord::new(found.value.map(|s| s.distance), found.lower, found.upper);
    DistanceRecord {
        nearest: BoundPointsRecord::new(bounds, found.value.map(|s| [s.point_a, s.point_b])),
        number_a,
        number_b,
        complete: found.outcome == Outcome::Complete,
    }
}
