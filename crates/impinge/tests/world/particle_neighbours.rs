//! Particle neighbours against brute force and closed forms.

use std::collections::BTreeSet;

use impinge::DVec3;
use impinge::math::Rng;
use impinge::query::First;
use impinge::world::{NeighbourError, ParticleNeighbours};

fn brute(points: &[DVec3], radius: f64) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    for (j, q) in points.iter().enumerate() {
        for (i, p) in points[..j].iter().enumerate() {
            if (*p - *q).length_squared() <= radius * radius {
                pairs.insert((i as u32, j as u32));
            }
        }
    }
    pairs
}

fn check(search: &mut ParticleNeighbours, points: &[DVec3], radius: f64) {
    let mut found = Vec::new();
    let _ = search.pairs(points, radius, &mut found).unwrap();
    let set: BTreeSet<_> = found.iter().copied().collect();
    assert_eq!(set.len(), found.len(), "each pair once");
    assert_eq!(set, brute(points, radius));
}

#[test]
fn neighbours_equal_brute_force_in_clouds_clusters_and_lattices() {
    let mut rng = Rng::new(1);
    let mut search = ParticleNeighbours::default();
    for _ in 0..60 {
        let count = rng.below(200) as usize;
        let cloud: Vec<_> = (0..count).map(|_| rng.cube() * 5.0).collect();
        let radius = rng.range(0.01, 2.0);
        check(&mut search, &cloud, radius);
        let cluster: Vec<_> = cloud
            .iter()
            .map(|p| (*p * 4.0).floor() * 0.1 + DVec3::splat(1e3))
            .collect();
        check(&mut search, &cluster, 0.1);
        let lattice: Vec<_> = (0..count).map(|_| (rng.cube() * 3.0).round()).collect();
        // Distances that are exactly the radius, on both sides of the origin.
        check(&mut search, &lattice, 1.0);
        check(&mut search, &lattice, 1.0_f64.hypot(1.0));
    }
}

#[test]
fn points_a_radius_apart_are_found_whatever_rounding_does_to_their_cells() {
    let mut rng = Rng::new(2);
    let mut search = ParticleNeighbours::default();
    for _ in 0..3000 {
        let radius = rng.range(0.01, 1.0);
        let k = rng.grid(-1000, 1000);
        let p = DVec3::new(k * radius, 0.0, 0.0);
        let ulp = |x: f64, steps: i64| f64::from_bits((x.to_bits() as i64 + steps) as u64);
        let x = ulp(p.x, rng.grid(-2, 2) as i64);
        let points = [DVec3::new(x, 0.0, 0.0), DVec3::new(x + radius, 0.0, 0.0)];
        if points.iter().all(|p| p.is_finite()) {
            check(&mut search, &points, radius);
        }
    }
}

#[test]
fn an_inner_point_of_a_cubic_lattice_has_6_18_and_26_neighbours() {
    let mut points = Vec::new();
    for k in 0..125 {
        points.push(DVec3::new(
            f64::from(k % 5),
            f64::from(k / 5 % 5),
            f64::from(k / 25),
        ));
    }
    for (radius, neighbours) in [(1.01, 6), (1.42, 18), (1.74, 26)] {
        let mut found = Vec::new();
        let _ = ParticleNeighbours::default()
            .pairs(&points, radius, &mut found)
            .unwrap();
        let of_middle = found.iter().filter(|(i, j)| *i == 62 || *j == 62);
        assert_eq!(of_middle.count(), neighbours);
    }
}

#[test]
fn bad_input_is_refused_and_a_sink_may_stop() {
    let mut search = ParticleNeighbours::default();
    let mut sink = First::default();
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = search.pairs(&[DVec3::ZERO], radius, &mut sink);
        assert!(matches!(refused, Err(NeighbourError::Radius { .. })));
    }
    for (point, radius) in [
        (DVec3::NAN, 1.0),
        (DVec3::INFINITY, 1.0),
        (DVec3::splat(1e30), 1e-9),
    ] {
        assert!(
            search
                .pairs(&[DVec3::ZERO, point], radius, &mut sink)
                .is_err()
        );
    }
    let _ = search.pairs(&[DVec3::ZERO; 9], 1.0, &mut sink).unwrap();
    assert!(sink.0.is_some());
}
