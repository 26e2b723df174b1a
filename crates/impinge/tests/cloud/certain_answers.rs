//! A certain *no* is about surfaces: they reach beyond the boxes of their points.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Limits, Verdict};
use impinge::{DVec3, Pose};

fn surface(points: Vec<DVec3>, options: SurfaceOptions) -> Arc<CloudSurface> {
    let cloud = PointCloud::new(points, None).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    Arc::new(CloudSurface::new(graph.into(), options).unwrap())
}

/// A square of points with unit spacing, a little bent and shaken.
fn sheet(bend: f64, rng: &mut Rng) -> Vec<DVec3> {
    let place = |i: i32, j: i32| DVec3::new(f64::from(i), f64::from(j), bend * f64::from(i * i));
    let places = (-6..=6).flat_map(|i| (-6..=6).map(move |j| place(i, j)));
    places.map(|p| p + rng.cube() * 0.15).collect()
}

/// What both ways to ask say.
fn verdicts(a: &Arc<CloudSurface>, b: &Arc<CloudSurface>, pose: &Pose) -> [Verdict; 2] {
    let (options, limits) = (InterpolationSearchOptions::default(), Limits::default());
    let mut found: Vec<SurfaceCrossing> = Vec::new();
    let mut scratch = InterpolationSearchScratch::default();
    let search = find_crossings(a, b, pose, None, &options, limits, &mut scratch, &mut found);
    let tree = |s: &Arc<CloudSurface>| {
        Arc::new(CloudTree::new(s.clone(), &CloudTreeOptions::default()).unwrap())
    };
    let mut question = CloudCollision::new(tree(a), tree(b), CloudCollisionOptions::default());
    [search.verdict, question.at(pose, limits).verdict]
}

/// The function at a place, where that is not beyond the border.
fn value(surface: &CloudSurface, x: DVec3) -> Option<f64> {
    let here = surface.evaluate(x, &mut EvaluationScratch::default());
    here.sample()
        .filter(|s| !s.is_beyond_border)
        .map(|s| s.value)
}

fn bounds(surface: &CloudSurface) -> Aabb {
    let graph = surface.graph();
    Aabb::enclosing(graph.ids().filter_map(|id| graph.place(id)))
}

#[test]
fn surfaces_that_cross_beyond_the_boxes_of_their_points_are_not_proven_apart() {
    let mut rng = Rng::new(1);
    let flat = surface(sheet(0.0, &mut rng), SurfaceOptions::default());
    // Upright, its points half a spacing beyond the rim of the first.
    let rim = bounds(&flat).max.x;
    let upright =
        Pose::from_axis_angle(DVec3::Y, std::f64::consts::FRAC_PI_2, DVec3::ZERO).unwrap();
    let places = flat.graph().ids().filter_map(|id| flat.graph().place(id));
    let low = Aabb::enclosing(places.map(|p| upright * p)).min.x;
    let shift = Pose::from_translation([rim - low + 0.2, 0.0, 0.0]).unwrap();
    let pose = shift * upright;
    assert!(!bounds(&flat).overlaps(&bounds(&flat).transformed(&pose)));
    // Places on both surfaces: along a line in the first one the second changes its side.
    let back = pose.inverse();
    let crossing = (-40..=40).any(|k| {
        let y = f64::from(k) * 0.1;
        let along = |t: f64| DVec3::new(rim + t, y, 0.0);
        let on_a = |t: f64| {
            let x = along(t);
            // Down onto the first surface.
            let f = value(&flat, x)?;
            let n = flat.evaluate(x, &mut EvaluationScratch::default());
            let x = x + n.sample()?.normal * f;
            value(&flat, x)
                .filter(|f| f.abs() < 1e-3)
                .and(value(&flat, back * x))
        };
        let values: Vec<f64> = (0..20).filter_map(|t| on_a(f64::from(t) * 0.05)).collect();
        values
            .windows(2)
            .any(|w| w[0] * w[1] <= 0.0 && (w[0] - w[1]).abs() < 0.2)
    });
    assert!(crossing, "the scene shows nothing");
    for verdict in verdicts(&flat, &flat, &pose) {
        assert!(!verdict.certain, "{verdict:?}");
    }
}

#[test]
fn a_certain_no_has_no_place_on_both_surfaces() {
    let mut rng = Rng::new(2);
    let wide = SurfaceOptions {
        bandwidth: Bandwidth::Fixed(3.0),
        distance: WeightDistance::Euclidean,
        ..SurfaceOptions::default()
    };
    let lax = SurfaceOptions {
        border: 6.0,
        ..SurfaceOptions::default()
    };
    let (mut certain, mut near) = (0, 0);
    for options in [SurfaceOptions::default(), wide, lax] {
        let a = surface(sheet(0.02, &mut rng), options);
        let b = surface(sheet(-0.03, &mut rng), options);
        let reach = a.overhang() + b.overhang();
        for _ in 0..60 {
            let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.3), DVec3::ZERO);
            let way = rng.direction();
            let pose = Pose::from_translation(way * rng.range(8.0, 16.0 + reach)).unwrap();
            let pose = pose * turn.unwrap();
            let back = pose.inverse();
            let verdicts = verdicts(&a, &b, &pose);
            if !verdicts.iter().any(|v| v.certain) {
                continue;
            }
            certain += 1;
            // Anything within reach of both boxes.
            let own = bounds(&a).inflated(2.0 * reach);
            let other = bounds(&b).inflated(2.0 * reach).transformed(&pose);
            let common = own.intersection(&other);
            if common.is_empty() {
                continue;
            }
            near += 1;
            for _ in 0..400 {
                let x = common.min + (rng.cube() * 0.5 + DVec3::splat(0.5)) * common.diagonal();
                let both = value(&a, x).is_some() && value(&b, back * x).is_some();
                assert!(!both, "{x} is not beyond the border of either surface");
            }
        }
    }
    assert!(certain > 40 && near > 40, "{certain} {near}");
}

#[test]
fn far_clouds_are_proven_apart_and_edits_keep_the_proof() {
    let mut rng = Rng::new(3);
    let a = surface(sheet(0.0, &mut rng), SurfaceOptions::default());
    let apart = bounds(&a).diagonal().x + 2.0 * a.overhang() + 1.0;
    let pose = Pose::from_translation([apart, 0.0, 0.0]).unwrap();
    for verdict in verdicts(&a, &a, &pose) {
        assert!(verdict.certain && !verdict.answer);
    }
    let mut thinned = CloudSurface::clone(&a);
    for raw in (0..169).step_by(3) {
        thinned.remove(PointId::new(raw)).unwrap();
    }
    let graph = thinned.graph();
    let widest = graph.ids().map(|id| graph.spacing(id)).fold(0.0, f64::max);
    assert!(thinned.overhang() >= thinned.options().border * widest);
    assert!(thinned.overhang() > a.overhang());
    // Nothing is everywhere apart from everything.
    let none = surface(Vec::new(), SurfaceOptions::default());
    for verdict in verdicts(&a, &none, &Pose::IDENTITY) {
        assert!(verdict.certain && !verdict.answer);
    }
}
