//! Interpolation search: where do the implicit surfaces of two clouds cross?
//!
//! Random points of one cloud on both sides of the other bracket crossings, and interpolation
//! search finds them along paths of the surface. Klein 2005, section 5.3. What is reported was
//! evaluated; a *no* is likely, not proven, unless the boxes are far apart.
//! `docs/algorithms/interpolation-search.md`.

mod answer;
mod candidates;
mod closest_approach;
mod crossing_refinement;
mod crossing_search;
mod intersection_curve;
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
pub use intersection_curve::{
    CurveOptions, IntersectionCurve, IntersectionCurves, intersection_curves,
};
pub use options::{BracketCompletion, InterpolationSearchOptions, RootSearchRule, SurfelModel};
pub use scratch::InterpolationSearchScratch;
pub use surface_path::surface_path;
pub use surfels::candidates_for;
