//! Answers for programs. Keys of queries that were not made are left out.

use impinge::bvh::{Curve, Curves, Relation};
use impinge::penetration::PenetrationVolume;
use impinge::query::{Bounded, FaceId, FacePair, Outcome};
use impinge::spheres::{ConeForces, Wrench};
use impinge::{DVec3, Pose};
use serde::Serialize;

use super::answers::{
    Answers, Cost, DepthAnswer, DistanceAnswer, ImpactAnswer, ToleranceAnswer, is_bracketed,
};
use super::query_kind::QueryKind;
use super::query_runner::QueryRunner;
use crate::bounds_record::{BoundPointsRecord, BoundsRecord, HitRecord, WayOutRecord};
use crate::containment::PieceInside;

/// Contacts of an impact that are listed one by one.
const MAX_CONTACTS: usize = 1000;

/// The queries and the answers.
#[derive(Serialize)]
pub(crate) struct Record<'r> {
    /// The number of the placement in a list of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pose: Option<usize>,
    #[serde(flatten)]
    answers: AnswersRecord<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) a: Option<Operand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) b: Option<Operand>,
    a_from_b: [f64; 16],
    pub(crate) pose_repaired: bool,
    engine: &'static str,
    /// Whether its pairs are those of the exact test; otherwise it finds fewer or more.
    exact: bool,
    /// Of lengths, where it is known.
    pub(crate) unit: Option<&'static str>,
    work: WorkRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explain: Option<Explanation>,
    pub(crate) milliseconds: Milliseconds,
}

#[derive(Serialize)]
struct AnswersRecord<'r> {
    /// Null when the tests ran out before one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    intersects: Option<Option<bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    face_pairs: Option<usize>,
    /// Whether `face_pairs` counts all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    /// Surfaces that share no point: whether one body is inside the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    contained: Option<Option<PieceInside>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solid: Option<SolidRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curves: Option<CurvesRecord<'r>>,
    /// Null between surfaces that share a point, unless it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<DistanceRecord>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<ToleranceRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<DepthRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume: Option<VolumeRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    force: Option<ForceRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<ImpactRecord>,
}

/// One of the meshes.
#[derive(Serialize)]
pub(crate) struct Operand {
    pub(crate) source: String,
    pub(crate) vertices: usize,
    pub(crate) faces: usize,
    /// Faces that take part in a pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) intersecting_faces: Option<usize>,
}

#[derive(Serialize)]
struct SolidRecord {
    rule: &'static str,
    relation: &'static str,
}

#[derive(Serialize)]
struct CurvesRecord<'r> {
    count: usize,
    closed: usize,
    length: f64,
    /// Points of contact that lie on no curve.
    touches: Vec<[f64; 3]>,
    /// Pairs of faces that overlap in a common plane.
    coplanar_pairs: usize,
    complete: bool,
    polylines: Vec<PolylineRecord<'r>>,
}

#[derive(Serialize)]
struct PolylineRecord<'r> {
    closed: bool,
    length: f64,
    points: Vec<[f64; 3]>,
    #[serde(serialize_with = "pair_numbers")]
    face_pairs: &'r [FacePair],
}

/// A smallest distance, and a point of each mesh at that distance, in A's frame.
#[derive(Serialize)]
struct DistanceRecord {
    #[serde(flatten)]
    nearest: BoundPointsRecord,
    face_a: Option<u32>,
    face_b: Option<u32>,
    complete: bool,
}

#[derive(Serialize)]
struct ToleranceRecord {
    /// Null when the tests ran out first.
    within: Option<bool>,
    tolerance: f64,
    #[serde(flatten)]
    nearest: DistanceRecord,
}

/// The volume that the solids share.
#[derive(Serialize)]
struct VolumeRecord {
    /// Null when the tests ran out first, except for balls, which then tell what is to be expected.
    value: Option<f64>,
    lower: f64,
    upper: f64,
    method: &'static str,
    centroid: Option<[f64; 3]>,
    /// How the volume falls fastest when B moves, per unit of length.
    force_on_b: Option<[f64; 3]>,
    /// The same when B turns about the origin of A's frame, per radian.
    torque_on_b: Option<[f64; 3]>,
    complete: bool,
}

/// What drives the solids apart: the derivative of the volume that they share, per unit of pressure. Null when the tests ran out first; of
/// balls, as far as they were looked at.
#[derive(Serialize)]
struct ForceRecord {
    on_a: Option<[f64; 3]>,
    on_b: Option<[f64; 3]>,
    /// About the origin of A's frame.
    torque_on_a: Option<[f64; 3]>,
    torque_on_b: Option<[f64; 3]>,
    method: &'static str,
    /// By cones of normals, where balls were queried.
    #[serde(skip_serializing_if = "Option::is_none")]
    cones: Option<ConesRecord>,
    complete: bool,
}

/// Forces by cones of normals, per unit of stiffness.
#[derive(Serialize)]
struct ConesRecord {
    /// The symmetric rule, on B; what acts on A is the opposite.
    push_on_b: WrenchRecord,
    /// As published: along the axes of the other solid's cones.
    published_on_a: WrenchRecord,
    published_on_b: WrenchRecord,
}

/// A force, and its torque about the origin of A's frame.
#[derive(Serialize)]
struct WrenchRecord {
    force: [f64; 3],
    torque: [f64; 3],
}

/// The smallest translation of B that separates the solids.
#[derive(Serialize)]
struct DepthRecord {
    #[serde(flatten)]
    way_out: WayOutRecord,
    /// That way, all of it.
    translation: Option<[f64; 3]>,
    /// The faces that part last.
    face_a: Option<u32>,
    face_b: Option<u32>,
    /// Whether the bracket is as narrow as requested.
    complete: bool,
    /// The point of one surface that lies deepest inside the other solid.
    deepest: BoundPointsRecord,
}

#[derive(Serialize)]
struct ImpactRecord {
    #[serde(flatten)]
    hit: HitRecord,
    face_a: Option<u32>,
    face_b: Option<u32>,
    /// B's placement at that time.
    a_from_b: Option<[f64; 16]>,
    contact_count: usize,
    /// The first of them.
    contacts: Vec<ContactRecord>,
    steps: u32,
    complete: bool,
}

#[derive(Serialize)]
struct ContactRecord {
    face_a: u32,
    face_b: u32,
    point: [f64; 3],
}

#[derive(Serialize)]
pub(super) struct WorkRecord {
    volume_tests: u64,
    face_tests: u64,
    updates: u64,
}

/// Times.
#[derive(Serialize)]
pub(crate) struct Milliseconds {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) load: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<f64>,
    pub(crate) search: f64,
}

/// How the answers came about.
#[derive(Serialize)]
pub(crate) struct Explanation {
    engine: &'static str,
    reason: String,
    index_bytes: usize,
    index_milliseconds: f64,
    questions: Vec<CostRecord>,
}

#[derive(Serialize)]
struct CostRecord {
    question: &'static str,
    engine: &'static str,
    /// Null where no counters are kept.
    work: Option<WorkRecord>,
    milliseconds: f64,
}

impl<'r> Record<'r> {
    /// The answers about one placement.
    pub(crate) fn new(inquiry: &QueryRunner<'_>, answers: &'r Answers) -> Self {
        let settings = inquiry.settings();
        let asks = |question| settings.asks(question);
        let contact = answers.contact.as_ref();
        let pairs = contact.and_then(|contact| contact.pairs.as_ref());
        let distance = answers.distance.as_ref().map(DistanceRecord::new);
        Self {
            pose: None,
            answers: AnswersRecord {
                intersects: contact.map(|contact| contact.intersects),
                face_pairs: pairs.map(|pairs| pairs.count),
                complete: pairs.map(|pairs| pairs.outcome == Outcome::Complete),
                contained: contact.and_then(|contact| contact.contained),
                solid: settings
                    .solid
                    .zip(answers.relation)
                    .map(|(rule, relation)| SolidRecord {
                        rule: rule.name(),
                        relation: relation_name(relation),
                    }),
                curves: answers.curves.as_ref().map(CurvesRecord::new),
                distance: asks(QueryKind::Distance).then_some(distance),
                tolerance: answers.tolerance.as_ref().map(ToleranceRecord::new),
                depth: answers.depth.as_ref().map(DepthRecord::new),
                volume: answers.volume.as_ref().map(VolumeRecord::new),
                force: answers.force.as_ref().map(ForceRecord::new),
                impact: answers.impact.as_ref().map(ImpactRecord::new),
            },
            a: None,
            b: None,
            a_from_b: answers.a_from_b.to_row_major(),
            pose_repaired: false,
            engine: inquiry.indexes().choice.engine.name(),
            exact: inquiry.indexes().choice.engine.is_exact(),
            unit: None,
            work: WorkRecord::new(answers.work()),
            explain: None,
            milliseconds: Milliseconds {
                load: None,
                index: None,
                search: answers.milliseconds(),
            },
        }
    }
}

impl Explanation {
    /// How the answers came about.
    pub(crate) fn new(inquiry: &QueryRunner<'_>, answers: &Answers) -> Self {
        let indexes = inquiry.indexes();
        Self {
            engine: indexes.choice.engine.name(),
            reason: indexes.choice.reason.clone(),
            index_bytes: indexes.bytes(),
            index_milliseconds: indexes.milliseconds,
            questions: answers.costs.iter().map(CostRecord::new).collect(),
        }
    }
}

impl CostRecord {
    fn new(cost: &Cost) -> Self {
        Self {
            question: cost.question.name(),
            engine: cost.engine,
            work: cost.work.map(WorkRecord::new),
            milliseconds: cost.milliseconds,
        }
    }
}

impl WorkRecord {
    pub(super) fn new(work: impinge::query::Work) -> Self {
        Self {
            volume_tests: work.volume_tests,
            face_tests: work.face_tests,
            updates: work.updates,
        }
    }
}

impl<'r> CurvesRecord<'r> {
    fn new(met: &'r Curves) -> Self {
        Self {
            count: met.curves.len(),
            closed: met.curves.iter().filter(|curve| curve.is_closed).count(),
            length: met.curves.iter().map(Curve::length).sum(),
            touches: met
                .touches
                .iter()
                .map(|(at, _)| at.point.to_array())
                .collect(),
            coplanar_pairs: met.coplanar.len(),
            complete: met.outcome == Outcome::Complete,
            polylines: met
                .curves
                .iter()
                .map(|curve| PolylineRecord {
                    closed: curve.is_closed,
                    length: curve.length(),
                    points: curve.points.iter().map(|at| at.point.to_array()).collect(),
                    face_pairs: &curve.pairs,
                })
                .collect(),
        }
    }
}

impl DistanceRecord {
    fn new(answer: &DistanceAnswer) -> Self {
        let bounds = BoundsRecord::new(answer.distance, answer.lower, answer.upper);
        let face = |k: usize| answer.faces.map(|faces| faces[k].raw());
        Self {
            nearest: BoundPointsRecord::new(bounds, answer.points),
            face_a: face(0),
            face_b: face(1),
            complete: answer.outcome == Outcome::Complete,
        }
    }
}

impl ToleranceRecord {
    fn new(answer: &ToleranceAnswer) -> Self {
        Self {
            within: answer.within,
            tolerance: answer.tolerance,
            nearest: DistanceRecord::new(&answer.nearest),
        }
    }
}

impl VolumeRecord {
    fn new(answer: &Bounded<PenetrationVolume>) -> Self {
        let (found, complete) = (&answer.value, answer.outcome == Outcome::Complete);
        let force = found.force_on_b();
        Self {
            value: (complete || is_bracketed(found.method)).then_some(found.volume),
            lower: answer.lower,
            upper: answer.upper,
            method: found.method.name(),
            centroid: found.centroid.map(DVec3::into),
            force_on_b: force.map(|wrench| wrench.force.into()),
            torque_on_b: force.map(|wrench| wrench.torque.into()),
            complete,
        }
    }
}

impl ForceRecord {
    fn new(answer: &Bounded<PenetrationVolume>) -> Self {
        let on_b = answer.value.force_on_b();
        let on_a = on_b.map(|wrench| wrench.reversed());
        Self {
            on_a: on_a.map(|wrench| wrench.force.into()),
            on_b: on_b.map(|wrench| wrench.force.into()),
            torque_on_a: on_a.map(|wrench| wrench.torque.into()),
            torque_on_b: on_b.map(|wrench| wrench.torque.into()),
            method: answer.value.method.name(),
            cones: answer.value.cones.as_ref().map(ConesRecord::new),
            complete: answer.outcome == Outcome::Complete,
        }
    }
}

impl ConesRecord {
    fn new(cones: &ConeForces) -> Self {
        Self {
            push_on_b: WrenchRecord::new(&cones.push),
            published_on_a: WrenchRecord::new(&cones.published_on_a),
            published_on_b: WrenchRecord::new(&cones.published_on_b),
        }
    }
}

impl WrenchRecord {
    fn new(wrench: &Wrench) -> Self {
        Self {
            force: wrench.force.into(),
            torque: wrench.torque.into(),
        }
    }
}

impl DepthRecord {
    fn new(answer: &DepthAnswer) -> Self {
        let escape = &answer.escape;
        let deepest = &answer.deepest;
        let faces = escape.value.and_then(|escape| escape.faces);
        let known = escape.upper.is_finite().then_some(escape.upper);
        Self {
            way_out: WayOutRecord {
                overlaps: answer.overlaps,
                length: BoundsRecord::new(known, escape.lower, escape.upper),
                direction: escape
                    .value
                    .and_then(|escape| escape.translation.try_normalize())
                    .map(DVec3::into),
            },
            translation: escape.value.map(|escape| escape.translation.into()),
            face_a: faces.map(|pair| pair.a.raw()),
            face_b: faces.map(|pair| pair.b.raw()),
            complete: escape.outcome == Outcome::Complete,
            deepest: BoundPointsRecord::new(
                BoundsRecord::new(
                    deepest.value.map(|deep| deep.depth),
                    deepest.lower.max(0.0),
                    deepest.upper.max(0.0),
                ),
                deepest.value.map(|deep| [deep.point_a, deep.point_b]),
            ),
        }
    }
}

impl ImpactRecord {
    fn new(answer: &ImpactAnswer) -> Self {
        let hit = answer.found.value;
        let at_start = answer.starts_inside.then_some(0.0);
        let time = hit.map(|hit| hit.time).or(at_start);
        Self {
            hit: HitRecord::new(
                answer.hit(),
                BoundsRecord::new(time, answer.found.lower, answer.found.upper),
                hit.map(|hit| [hit.point, hit.normal]),
            ),
            face_a: hit.map(|hit| hit.faces.a.raw()),
            face_b: hit.map(|hit| hit.faces.b.raw()),
            a_from_b: answer.a_from_b.as_ref().map(Pose::to_row_major),
            contact_count: answer.contacts.len(),
            contacts: answer
                .contacts
                .iter()
                .take(MAX_CONTACTS)
                .map(|(pair, point)| ContactRecord {
                    face_a: pair.a.raw(),
                    face_b: pair.b.raw(),
                    point: point.to_array(),
                })
                .collect(),
            steps: answer.steps,
            complete: answer.found.outcome == Outcome::Complete,
        }
    }
}

/// The relation of two solids as records spell it.
fn relation_name(relation: Relation) -> &'static str {
    match relation {
        Relation::Disjoint => "disjoint",
        Relation::SurfacesMeet => "surfaces_meet",
        Relation::AInsideB => "a_inside_b",
        Relation::BInsideA => "b_inside_a",
        Relation::Overlapping => "overlapping",
    }
}

fn pair_numbers<S: serde::Serializer>(
    pairs: &&[FacePair],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pairs.iter().map(|pair| [pair.a, pair.b].map(FaceId::raw)))
}
