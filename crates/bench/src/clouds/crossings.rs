//! Crossings as a caller requests them: between all points, without limits.

use impinge::Pose;
use impinge::cloud::{
    CloudSurface, CrossingResult, InterpolationSearchOptions, InterpolationSearchScratch,
    SurfaceCrossing, find_crossings,
};
use impinge::query::{Limits, Sink};

/// Reports the crossings of two surfaces.
pub(super) fn crossings(
    [a, b]: [&CloudSurface; 2],
    a_from_b: &Pose,
    options: &InterpolationSearchOptions,
    scratch: &mut InterpolationSearchScratch,
    sink: &mut dyn Sink<SurfaceCrossing>,
) -> CrossingResult {
    let limits = Limits::default();
    find_crossings(a, b, a_from_b, None, options, limits, scratch, sink)
}
