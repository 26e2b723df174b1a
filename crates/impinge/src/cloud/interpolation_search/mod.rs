//! Interpolation search: where do the implicit surfaces of two clouds cross?
//!
//! **Question.** Do two surfaces cross, along which curve, and if not, how near do they come?
//! **Idea.** About two hundred random points of the first cloud, in the region that both share, hit each of thirty equal patches of its surface with 96 %. Two of them that are close and lie on different sides of the second
//! surface bracket a crossing. On the path between them along the first surface interpolation search looks at a handful of points, and from the last two neighbours a few steps on both functions lead to a point on
//! both surfaces.
//! **Source.** Klein, 5.3. Far from the second cloud the plane at its nearest point tells the side in place of an evaluation; where all candidates are on one side the approach is followed from the
//! best ones. Both are ours, and that the trees are asked first whether the clouds are apart.
//! **Cost.** A constant number of candidates, each one search in a tree; no hierarchy, so points may move. **Promise.** What is reported was evaluated: the residual is |f_a| + |f_b| there. **Limits.** *No* is likely, not proven, unless the boxes of
//! the clouds are farther apart than both surfaces may reach beyond their points: at every place the surface lies no farther from the hull of its points than the mean may lag behind.

mod answer;
mod candidates;
mod closest_approach;
mod crossing_refinement;
mod crossing_search;
mod options;
mod root_search;
mod scratch;
mod second_surface;
mod separation_test;
mod surface_march;
mod surface_path;
mod surfels;

pub use answer::{CrossingResult, SurfaceCrossing};
pub use closest_approach::{ClosestApproach, closest_approach};
pub use crossing_search::find_crossings;
pub use options::{BracketCompletion, InterpolationSearchOptions, RootSearchRule, SurfelModel};
pub use scratch::InterpolationSearchScratch;
pub use surface_path::surface_path;
pub use surfels::candidates_for;
