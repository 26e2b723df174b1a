//! Answers of the queries.

use impinge::bvh::{Curves, Relation};
use impinge::penetration::{PenetrationMethod, PenetrationVolume};
use impinge::query::{Bounded, FaceId, FacePair, Impact, Outcome, Penetration, Work};
use impinge::{DVec3, Pose};

use super::query_kind::QueryKind;
use crate::containment::PieceInside;

/// Everything found out about one placement.
#[derive(Debug)]
pub(crate) struct Answers {
    /// The placement.
    pub(crate) a_from_b: Pose,
    /// How the solids lie to each other, when they count as solids.
    pub(crate) relation: Option<Relation>,
    /// To `intersects` and `pairs`.
    pub(crate) contact: Option<Contact>,
    /// To `curves`.
    pub(crate) curves: Option<Curves>,
    /// To `distance`.
    pub(crate) distance: Option<DistanceAnswer>,
    /// To `tolerance`.
    pub(crate) tolerance: Option<ToleranceAnswer>,
    /// To `depth`.
    pub(crate) depth: Option<DepthAnswer>,
    /// To `volume`.
    pub(crate) volume: Option<Bounded<PenetrationVolume>>,
    /// To `force`.
    pub(crate) force: Option<Bounded<PenetrationVolume>>,
    /// To `impact`.
    pub(crate) impact: Option<ImpactAnswer>,
    /// What each question cost.
    pub(crate) costs: Vec<Cost>,
}

/// Whether the meshes meet, and in which faces.
#[derive(Debug)]
pub(crate) struct Contact {
    /// Whether they do; none when the tests ran out first.
    pub(crate) intersects: Option<bool>,
    /// Whether all pairs were looked for and counted.
    pub(crate) pairs: Option<Pairs>,
    /// Which mesh is inside the other, where surfaces share no point; none when that was not queried
    /// whether they meet.
    pub(crate) contained: Option<Option<PieceInside>>,
}

/// Pairs of faces that meet.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// The pairs, in order of `a`, then `b`; none when only counted.
    pub(crate) kept: Vec<FacePair>,
    /// How many there are.
    pub(crate) count: usize,
    /// Faces of each mesh that take part in a pair.
    pub(crate) faces_hit: [usize; 2],
    /// Whether all of them were looked for.
    pub(crate) outcome: Outcome,
}

/// A distance, and where it is.
#[derive(Debug)]
pub(crate) struct DistanceAnswer {
    /// The distance, if one was found.
    pub(crate) distance: Option<f64>,
    /// A point of A and one of B that have it, in A's frame; none for solids of which one holds the other.
    pub(crate) points: Option<[DVec3; 2]>,
    /// The faces on which the points lie.
    pub(crate) faces: Option<[FaceId; 2]>,
    /// The distance is not below this.
    pub(crate) lower: f64,
    /// And not above this.
    pub(crate) upper: f64,
    /// Whether the search was finished.
    pub(crate) outcome: Outcome,
}

impl DistanceAnswer {
    /// The answer for solids of which one has a part inside the other.
    pub(crate) fn of_overlapping_solids() -> Self {
        Self {
            distance: Some(0.0),
            points: None,
            faces: None,
            lower: 0.0,
            upper: 0.0,
            outcome: Outcome::Complete,
        }
    }
}

/// Whether the meshes are closer than a distance.
#[derive(Debug)]
pub(crate) struct ToleranceAnswer {
    /// Whether they are; none when the tests ran out first.
    pub(crate) within: Option<bool>,
    /// The distance of the query.
    pub(crate) tolerance: f64,
    /// Points that are closer, if any were found.
    pub(crate) nearest: DistanceAnswer,
}

/// How deep solids overlap.
#[derive(Debug)]
pub(crate) struct DepthAnswer {
    /// Whether they share a point at all.
    pub(crate) overlaps: bool,
    /// The smallest separating translation of B, and its last contact.
    pub(crate) escape: Bounded<Option<MinTranslationAnswer>>,
    /// The deepest point of one surface inside the other.
    pub(crate) deepest: Bounded<Option<Penetration>>,
}

/// A translation that separates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinTranslationAnswer {
    /// How to move B, in A's frame.
    pub(crate) translation: DVec3,
    /// Faces of the last contact, as the meshes number them.
    pub(crate) faces: Option<FacePair>,
}

/// A first contact.
#[derive(Debug)]
pub(crate) struct ImpactAnswer {
    /// The contact, its time bracketed.
    pub(crate) found: Bounded<Option<Impact>>,
    /// Whether the solids overlap from the beginning, their surfaces apart.
    pub(crate) starts_inside: bool,
    /// B's placement at that time.
    pub(crate) a_from_b: Option<Pose>,
    /// All pairs of faces that touch at that time, and a point of each, sorted.
    pub(crate) contacts: Vec<(FacePair, DVec3)>,
    /// Steps of the search.
    pub(crate) steps: u32,
}

/// What a question cost.
#[derive(Debug)]
pub(crate) struct Cost {
    /// The question.
    pub(crate) question: QueryKind,
    /// The engine that answered.
    pub(crate) engine: &'static str,
    /// Its counters; none where they are not kept.
    pub(crate) work: Option<Work>,
    /// The time.
    pub(crate) milliseconds: f64,
}

impl ImpactAnswer {
    /// The answer for solids of which one has a part inside the other from the beginning.
    pub(crate) fn at_the_start() -> Self {
        Self {
            found: Bounded {
                value: None,
                lower: 0.0,
                upper: 0.0,
                outcome: Outcome::Complete,
            },
            starts_inside: true,
            a_from_b: None,
            contacts: Vec::new(),
            steps: 0,
        }
    }

    /// Whether there is a contact; none when the search was cut off before that was known.
    pub(crate) fn hit(&self) -> Option<bool> {
        match self.found.value {
            Some(_) => Some(true),
            None if self.starts_inside => Some(true),
            None if self.found.lower >= 1.0 => Some(false),
            None => None,
        }
    }
}

impl Answers {
    /// No answers yet.
    pub(crate) fn new(a_from_b: Pose) -> Self {
        Self {
            a_from_b,
            relation: None,
            contact: None,
            curves: None,
            distance: None,
            tolerance: None,
            depth: None,
            volume: None,
            force: None,
            impact: None,
            costs: Vec::new(),
        }
    }

    /// Yes, no, or undecided.
    pub(crate) fn verdict(&self, question: QueryKind) -> Option<bool> {
        match question {
            QueryKind::Intersects | QueryKind::Pairs => self.contact.as_ref()?.intersects,
            QueryKind::Curves => {
                let met = self.curves.as_ref()?;
                let any =
                    !(met.curves.is_empty() && met.touches.is_empty() && met.coplanar.is_empty());
                (any || met.outcome == Outcome::Complete).then_some(any)
            }
            QueryKind::Distance => {
                let found = self.distance.as_ref()?;
                match found.distance {
                    Some(distance) => Some(distance == 0.0),
                    None => (found.outcome == Outcome::Complete).then_some(false),
                }
            }
            QueryKind::Tolerance => self.tolerance.as_ref()?.within,
            QueryKind::Depth => Some(self.depth.as_ref()?.overlaps),
            QueryKind::Volume | QueryKind::Force => {
                let found = self.volume.as_ref().or(self.force.as_ref())?;
                if is_bracketed(found.value.method) {
                    // Balls that overlap prove it; only an empty bracket proves the contrary.
                    return (found.lower > 0.0 || found.upper <= 0.0).then_some(found.lower > 0.0);
                }
                (found.outcome == Outcome::Complete).then_some(found.lower > 0.0)
            }
            QueryKind::Impact => self.impact.as_ref()?.hit(),
        }
    }

    /// The verdict of the exit code: of the first question that is answered by yes or no.
    pub(crate) fn exit_verdict(&self, asked: &[QueryKind]) -> Option<bool> {
        let first = asked.iter().find(|question| question.is_yes_or_no());
        self.verdict(*first.or(asked.first())?)
    }

    /// The pairs that were kept, if they were looked for.
    pub(crate) fn kept_pairs(&self) -> Option<&[FacePair]> {
        Some(&self.contact.as_ref()?.pairs.as_ref()?.kept)
    }

    /// All counters together.
    pub(crate) fn work(&self) -> Work {
        let mut sum = Work::default();
        for work in self.costs.iter().filter_map(|cost| cost.work) {
            sum += work;
        }
        sum
    }

    /// The time of all questions together.
    pub(crate) fn milliseconds(&self) -> f64 {
        self.costs.iter().map(|cost| cost.milliseconds).sum()
    }
}

/// Whether a method gives a bracket of which the value is an estimate, whatever the budget.
pub(crate) fn is_bracketed(method: PenetrationMethod) -> bool {
    matches!(
        method,
        PenetrationMethod::Spheres | PenetrationMethod::Voxmap
    )
}
