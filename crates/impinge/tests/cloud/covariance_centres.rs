//! What the covariance is taken about, and surfaces of samples without a graph, against closed forms.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge_testkit::generate::clouds::even_sphere;

fn graph_of(points: Vec<DVec3>) -> Arc<ProximityGraph> {
    let cloud = PointCloud::new(points, None).unwrap();
    Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap())
}

fn grid() -> Vec<DVec3> {
    (0..41 * 41)
        .map(|i| DVec3::new(f64::from(i % 41), f64::from(i / 41), 0.0))
        .collect()
}

#[test]
fn far_from_a_plane_only_the_mean_keeps_it() {
    let graph = graph_of(grid());
    let value = |centre: CovarianceCentre, height: f64| {
        let options = SurfaceOptions {
            centre,
            distance: WeightDistance::Euclidean,
            bandwidth: Bandwidth::Fixed(2.0),
            ..SurfaceOptions::default()
        };
        let surface = CloudSurface::new(graph.clone(), options).unwrap();
        let x = DVec3::new(20.0, 20.0, height);
        surface
            .evaluate(x, &mut EvaluationScratch::default())
            .value()
    };
    for height in [0.0, 0.25, 0.5, 1.0, 2.0, 3.0] {
        let mean = value(CovarianceCentre::Mean, height).unwrap();
        assert!((mean.abs() - height).abs() < 1e-11, "{height}: {mean}");
    }
    // Weights of this width spread by √2 along the plane. Nearer than that the place does as well; farther away the plane it sees is upright.
    for height in [0.0, 0.25, 0.5, 1.0] {
        let place = value(CovarianceCentre::Place, height).unwrap();
        assert!((place.abs() - height).abs() < 1e-9, "{height}: {place}");
    }
    for height in [2.0, 3.0] {
        let place = value(CovarianceCentre::Place, height);
        assert!(
            place.is_none_or(|place| place.abs() < 1e-6),
            "{height}: {place:?}"
        );
    }
}

#[test]
fn on_a_ball_both_centres_give_half_the_bandwidth_squared() {
    let n = 20_000;
    let graph = graph_of(even_sphere(n));
    let h = 3.0 * (4.0 * std::f64::consts::PI / n as f64).sqrt();
    let mut rng = Rng::new(41);
    let mut scratch = EvaluationScratch::default();
    for centre in [CovarianceCentre::Mean, CovarianceCentre::Place] {
        let options = SurfaceOptions {
            centre,
            distance: WeightDistance::Euclidean,
            bandwidth: Bandwidth::Fixed(h),
            negligible: 1e-8,
            ..SurfaceOptions::default()
        };
        let surface = CloudSurface::new(graph.clone(), options).unwrap();
        for _ in 0..100 {
            let value = surface.evaluate(rng.direction(), &mut scratch).value();
            let ratio = value.unwrap().abs() / (0.5 * h * h);
            assert!((ratio - 1.0).abs() < 3e-3, "{centre:?}: {ratio}");
        }
    }
}

#[test]
fn a_sample_without_a_graph_has_the_plane_and_the_ball() {
    let mut rng = Rng::new(42);
    let mut scratch = EvaluationScratch::default();
    let few: Vec<DVec3> = grid().into_iter().step_by(7).collect();
    let plane = SampleSurface::new(few, 3.0).unwrap();
    for _ in 0..50 {
        let height = rng.range(-2.0, 2.0);
        let x = DVec3::new(rng.range(5.0, 35.0), rng.range(5.0, 35.0), height);
        let value = plane.evaluate(x, &mut scratch).value().unwrap();
        assert!(
            (value.abs() - height.abs()).abs() < 1e-11,
            "{height}: {value}"
        );
    }
    // A tenth of a cloud: the bandwidth grows so that as many points count as in the whole.
    let whole = PointCloud::new(even_sphere(20_000), None).unwrap();
    let radius = SamplingRadius::of_graph(&graph_of(whole.points().to_vec()));
    let radius = radius.quantile(0.5).unwrap();
    let h = sample_bandwidth(8.0, radius, 20_000, 2_000, 1e-3);
    let sample = SampleSurface::new(even_sphere(2_000), h).unwrap();
    for _ in 0..100 {
        let x = rng.direction();
        let value = sample.evaluate(x, &mut scratch).value().unwrap();
        let ratio = value.abs() / (0.5 * h * h);
        assert!((ratio - 1.0).abs() < 0.02, "{h}: {ratio}");
        // What lies between the sample's points is no farther from its surface.
        let inside = sample.evaluate(x * (1.0 - 0.5 * h * h), &mut scratch);
        assert!(inside.value().unwrap().abs() < 0.05 * h * h);
    }
    assert!(SampleSurface::new(vec![DVec3::NAN], h).is_err());
    let empty = SampleSurface::new(Vec::new(), h).unwrap();
    assert!(empty.evaluate(DVec3::ZERO, &mut scratch).value().is_none());
}

#[test]
fn given_normals_say_which_side_is_which_and_nothing_else() {
    let points = even_sphere(2000);
    let graph = graph_of(points.clone());
    let options = SurfaceOptions::default();
    let own = CloudSurface::new(graph.clone(), options).unwrap();
    let mut rng = Rng::new(43);
    // Far from exact, as normals of scanners are.
    let outward: Vec<DVec3> = points
        .iter()
        .map(|&p| (p + rng.cube() * 0.4).normalize())
        .collect();
    let inward: Vec<DVec3> = outward.iter().map(|&n| -n).collect();
    let out = CloudSurface::with_normals(graph.clone(), options, outward.clone()).unwrap();
    let into = CloudSurface::with_normals(graph.clone(), options, inward).unwrap();
    let mut scratch = EvaluationScratch::default();
    for _ in 0..300 {
        let x = rng.direction() * rng.range(0.97, 1.03);
        let values = [&own, &out, &into].map(|surface| surface.evaluate(x, &mut scratch).value());
        let [own, out, into] = values.map(Option::unwrap);
        // Outside is negative where normals look out; the size is the surface's own.
        assert_eq!((own, out), (-into, -into));
    }
    for (normal, own) in out.normals().iter().zip(own.normals()) {
        assert_eq!(normal, own);
    }
    // What is no unit vector is refused by its number.
    for bad in [DVec3::ZERO, DVec3::NAN, DVec3::Z * 1.01, DVec3::INFINITY] {
        let mut normals = outward.clone();
        normals[7] = bad;
        let refused = CloudSurface::with_normals(graph.clone(), options, normals);
        assert!(
            matches!(refused, Err(CloudError::NotUnit { point: 7, .. })),
            "{bad}"
        );
    }
    let refused = CloudSurface::with_normals(graph, options, vec![DVec3::Z; 3]);
    assert!(matches!(
        refused,
        Err(CloudError::NormalCount { normals: 3, .. })
    ));
}
