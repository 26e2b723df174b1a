//! What comes back from a question about two clouds.

use glam::DVec3;

use crate::query::{Outcome, Verdict};

/// Whether the surfaces of two clouds meet, as far as samples tell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct CloudAnswer {
    /// Yes or no. The confidence is a probability, measured on models with known truth. Certain only when the clouds are so far apart that their surfaces cannot meet.
    pub verdict: Verdict,
    /// Where they meet, in a's frame; without a meeting, the place between them that came nearest to both.
    pub point: Option<DVec3>,
    /// The smallest distance between the surfaces that was seen: an estimate from above, infinite when nothing was looked at closely.
    pub distance: f64,
    /// Evaluations of the functions, those of both clouds together.
    pub evaluations: u64,
    /// Pairs of nodes that were compared.
    pub node_pairs: u64,
    /// Whether the search was finished.
    pub outcome: Outcome,
}
