//! Options of the search for crossings.

/// The size of surfels, the patches of the first surface of which each candidate represents one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SurfelModel {
    /// This many cover what is common, whatever its size.
    Count(u32),
    /// Each has this radius; candidates are added until all are likely to be hit.
    Radius(f64),
}

/// How a candidate finds the other end of its bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BracketCompletion {
    /// Among the candidates within two surfel radii.
    #[default]
    Influence,
    /// Among random points at the rim of what the path map knows of the candidate's surroundings, at most two surfel radii away. Needs path lengths;
    /// a surface by straight distances has none, and [`BracketCompletion::Influence`] is used.
    Annulus,
}

/// How a root is narrowed down along the path between the ends of a bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootSearchRule {
    /// By the number of points on the path: for evenly spread points.
    #[default]
    Index,
    /// By the length of the path: for irregular or noisy ones.
    Distance,
}

/// How crossings are searched.
///
/// ```
/// use impinge::cloud::{InterpolationSearchOptions, SurfelModel};
/// let options = InterpolationSearchOptions::default();
/// assert_eq!(options.surfels, SurfelModel::Count(30));
/// assert_eq!(options.candidates, 200);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterpolationSearchOptions {
    /// How many points of the first cloud are examined; with [`SurfelModel::Radius`] at least.
    pub candidates: usize,
    /// The size of the patches that candidates represent.
    pub surfels: SurfelModel,
    /// How brackets are completed.
    pub completion: BracketCompletion,
    /// How roots are narrowed down.
    pub walk: RootSearchRule,
    /// The requested size of |f_a| + |f_b| at a crossing. Values below a fiftieth of the spacing of
    /// the points are raised to it, since the functions have jumps of that size.
    pub tolerance: f64,
    /// The seed of the draw.
    pub seed: u64,
    /// Whether paths may use edges that were set apart as too long, to cross small holes.
    pub virtual_edges: bool,
}

impl Default for InterpolationSearchOptions {
    fn default() -> Self {
        Self {
            candidates: 200,
            surfels: SurfelModel::Count(30),
            completion: BracketCompletion::Influence,
            walk: RootSearchRule::Index,
            tolerance: 0.0,
            seed: 1,
            virtual_edges: true,
        }
    }
}
