//! A distance to be kept: no approach is missed, and what is reported is near.
#![expect(
    clippy::unwrap_used,
    reason = "generated coordinates are valid, and a test may stop at what is not"
)]

use impinge::DVec3;
use impinge::ccd::linear::{
    MinSeparationOptions, MinSeparationTime, MovingPoint, edge_edge_meet, edge_edge_min_separation,
    vertex_face_meet, vertex_face_min_separation,
};
use impinge::geom::{closest_point_on_triangle, segment_distance};
use impinge::math::Rng;

/// Times looked at in each step.
const SAMPLES: u32 = 200;
/// Rounding of a sampled distance of coordinates up to 1.
const ROUNDING: f64 = 1e-13;

fn distance(p: &[MovingPoint; 4], is_edges: bool, t: f64) -> f64 {
    let [a, b, c, d] = p.map(|v| v.start() * (1.0 - t) + v.end() * t);
    if is_edges {
        segment_distance(a, b, c, d).distance
    } else {
        (closest_point_on_triangle(a, &[b, c, d]).point - a).length()
    }
}

fn nearing(p: [MovingPoint; 4], is_edges: bool, kept: f64) -> Option<MinSeparationTime> {
    let [a, b, c, d] = p;
    let options = MinSeparationOptions::default();
    if is_edges {
        edge_edge_min_separation([a, b], [c, d], kept, &options)
    } else {
        vertex_face_min_separation(a, [b, c, d], kept, &options)
    }
}

fn random(rng: &mut Rng, is_grid: bool) -> [MovingPoint; 4] {
    std::array::from_fn(|_| {
        let mut place = || {
            if is_grid {
                DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2))
            } else {
                rng.cube()
            }
        };
        MovingPoint::new(place(), place()).unwrap()
    })
}

#[test]
fn no_approach_is_missed_and_none_is_far() {
    let mut rng = Rng::new(31);
    for case in 0..2000 {
        let is_edges = case % 2 == 1;
        let p = random(&mut rng, case % 4 > 1);
        let kept = [0.05, 0.2, 0.5, 1.0][case / 4 % 4];
        let found = nearing(p, is_edges, kept);
        let free_until = found.map_or(1.1, |near| near.lower);
        for sample in 0..=SAMPLES {
            let t = f64::from(sample) / f64::from(SAMPLES);
            if t < free_until {
                assert!(
                    distance(&p, is_edges, t) > kept - ROUNDING,
                    "{case} {t} {found:?}"
                );
            }
        }
        if let Some(near) = found {
            assert!(near.is_found && near.lower <= near.upper, "{case} {near:?}");
            let tolerance = MinSeparationOptions::default().tolerance;
            assert!(distance(&p, is_edges, near.upper) <= kept + tolerance + ROUNDING);
        }
    }
}

#[test]
fn what_meets_comes_near() {
    let mut rng = Rng::new(32);
    for case in 0..4000 {
        let is_edges = case % 2 == 1;
        let p = random(&mut rng, true);
        let [a, b, c, d] = p;
        let is_meeting = if is_edges {
            edge_edge_meet([a, b], [c, d])
        } else {
            vertex_face_meet(a, [b, c, d])
        };
        if is_meeting {
            assert!(nearing(p, is_edges, 0.0).is_some(), "{case} {p:?}");
        }
    }
}
