use std::error::Error;
use std::sync::Arc;

use impinge::cloud::{
    BandwidthCalibration, CloudSurface, EvaluationScratch, GraphOptions, ImplicitSurface,
    InterpolationSearchOptions, InterpolationSearchScratch, PointCloud, ProximityGraph,
    SurfaceCrossing, SurfaceOptions, WeightDistance, find_crossings,
};
use impinge::query::Limits;
use impinge::{DVec3, Pose};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let points = model("blob", 800)?.tri_mesh().positions().to_vec();
    let cloud = PointCloud::new(points, None)?;
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default())?);
    let bandwidth = BandwidthCalibration::of(&graph, 1e-3).bandwidth();
    let fitted = |distance| {
        let options = SurfaceOptions {
            bandwidth,
            distance,
            ..SurfaceOptions::default()
        };
        CloudSurface::new(Arc::clone(&graph), options)
    };
    let mut numbers = Numbers::default();
    let evaluate = |surface: &CloudSurface, numbers: &mut Numbers| {
        let mut scratch = EvaluationScratch::default();
        for i in 0..48 {
            let along = |k: i32, step: f64, first: f64| step * f64::from(k) + first;
            let place = DVec3::new(
                along(i % 4, 0.25, -0.375),
                along(i / 4 % 4, 0.25, -0.375),
                along(i / 16, 0.125, 0.75),
            );
            let value = surface.evaluate(place, &mut scratch).value();
            numbers.add(value.unwrap_or(f64::NAN));
        }
    };
    evaluate(&fitted(WeightDistance::Euclidean)?, &mut numbers);
    let surface = fitted(WeightDistance::Geodesic)?;
    evaluate(&surface, &mut numbers);
    let options = InterpolationSearchOptions {
        candidates: 100,
        ..InterpolationSearchOptions::default()
    };
    let at = Pose::from_translation([0.5, 0.25, 0.125])?;
    let mut scratch = InterpolationSearchScratch::default();
    let mut found: Vec<SurfaceCrossing> = Vec::new();
    let limits = Limits::default();
    let done = find_crossings(
        &surface,
        &surface,
        &at,
        None,
        &options,
        limits,
        &mut scratch,
        &mut found,
    );
    numbers.truth(done.verdict.answer);
    numbers
        .add(done.brackets as f64)
        .add(done.evaluations as f64);
    for crossing in &found {
        numbers.point(crossing.point);
    }
    Ok(numbers)
}
