//! Query and result of a step.

use crate::ccd::linear::{DEFAULT_WIDTH, FirstContact, MinSeparationOptions};
use crate::deform::PairKind;
use crate::query::{FaceId, FacePair, VertexId};

/// A minimum separation, instead of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinSeparation {
    /// The distance: finite and not negative.
    pub distance: f64,
    /// How good the answers must be.
    pub options: MinSeparationOptions,
}

/// Options of a step query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// Impacts within one object.
    pub within: bool,
    /// Impacts between objects.
    pub between: bool,
    /// How wide the bracket of a time may be.
    pub width: f64,
    /// A minimum separation: impacts are then approaches to it, found inexactly, but none is
    /// missed.
    pub separation: Option<MinSeparation>,
    /// Whether pairs of faces may be excluded by separating directions. The answer is the same.
    pub cull: bool,
    /// Whether whole regions may be excluded by normal cones and simple borders; only together with
    /// `cull`. The answer is the same, except for its counters.
    pub cones: bool,
    /// Whether threads may be used, with feature `parallel`. The answer is the same.
    pub parallel: bool,
}

impl Default for StepOptions {
    fn default() -> Self {
        Self {
            within: true,
            between: true,
            width: DEFAULT_WIDTH,
            separation: None,
            cull: true,
            cones: true,
            parallel: true,
        }
    }
}

/// The two features that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactFeatures {
    /// A vertex and a face that does not have it.
    VertexFace {
        /// The vertex.
        vertex: VertexId,
        /// The face.
        face: FaceId,
    },
    /// Two edges without a common vertex; the ends of each ascend, and `a` is the smaller.
    EdgeEdge {
        /// The ends of one.
        a: [VertexId; 2],
        /// The ends of the other.
        b: [VertexId; 2],
    },
}

/// An impact during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepImpact {
    /// The two features.
    pub features: ContactFeatures,
    /// The faces that were tested: the owner of the vertex and the face, or the owners of the edges.
    pub faces: FacePair,
    /// Whether these belong to one object.
    pub kind: PairKind,
    /// The bracket of the first contact; for an approach, nothing is near before its lower end.
    pub when: FirstContact,
    /// Whether it certainly happens at the upper end of the bracket: always for contact; for an approach, up to the tolerance. False when the search for an
    /// approach ran out of [parts](MinSeparationOptions::max_parts): then the upper end is 1, and all that is known is that nothing is near before the lower one.
    pub is_found: bool,
}

/// What was done for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounters {
    /// Regions proven to have no self-intersection, by normal cones and simple borders.
    pub regions: u64,
    /// Faces in these.
    pub faces_in_regions: u64,
    /// Pairs of faces whose boxes over the step overlap, but for those within a region, which are ignored.
    pub face_pairs: u64,
    /// Of these, excluded by a separating direction or projection.
    pub culled: u64,
    /// Vertex–face queries.
    pub vertex_face: u64,
    /// Edge–edge queries.
    pub edge_edge: u64,
}

/// The impacts of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAnswer {
    /// All impacts, sorted by features, each once.
    pub impacts: Vec<StepImpact>,
    /// The bracket of the first impact; none when nothing touches.
    pub first: Option<FirstContact>,
    /// What was done.
    pub counters: StepCounters,
}
