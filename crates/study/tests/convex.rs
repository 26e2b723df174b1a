//! Planes by the perceptron rule, the Monte-Carlo test and clipped edges against exact answers.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::convex::{Cuboid, Polyhedron, SupportMap, notches};
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::convex::{
    InitialPlane, PerceptronConfig, PerceptronStep, clipped_edge, monte_carlo, separating_plane,
};
use impinge_testkit::oracle;

fn points(rng: &mut Rng, count: u64, centre: DVec3) -> Vec<DVec3> {
    (0..count)
        .map(|_| ((rng.cube() + centre) * 65536.0).round() / 65536.0)
        .collect()
}

fn grid(rng: &mut Rng, count: u64) -> Vec<DVec3> {
    (0..count)
        .map(|_| DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2)))
        .collect()
}

#[test]
fn a_plane_that_is_found_separates_and_updates_stay_below_their_bound() {
    let mut rng = Rng::new(21);
    let mut found = 0;
    for i in 0..3000 {
        let (a, b) = if i % 2 == 0 {
            let centre = rng.direction() * rng.range(0.0, 4.0);
            (
                points(&mut rng, 8, DVec3::ZERO),
                points(&mut rng, 8, centre),
            )
        } else {
            let shift = DVec3::new(rng.grid(0, 4), 0.0, 0.0);
            let other = grid(&mut rng, 6).iter().map(|&p| p + shift).collect();
            (grid(&mut rng, 6), other)
        };
        let initial = [InitialPlane::Axis, InitialPlane::Means, InitialPlane::Boxes][i % 3];
        let step = match i % 4 {
            0 => PerceptronStep::Adaptive,
            1 => PerceptronStep::Relaxed {
                eta: 0.25,
                factor: 0.97,
            },
            _ => PerceptronStep::Relaxed {
                eta: 0.03,
                factor: 1.0,
            },
        };
        let config = PerceptronConfig {
            initial,
            step,
            max_updates: 300,
        };
        let search = separating_plane(&a, &b, &config);
        assert!(search.updates <= 300);
        let verdict = search.verdict();
        assert_eq!(verdict.certain, search.plane.is_some());
        assert_eq!(verdict.answer, search.plane.is_none());
        if let Some(plane) = search.plane {
            found += 1;
            assert!(!oracle::hulls_meet(&a, &b));
            assert!(a.iter().all(|p| p.dot(plane.normal) < plane.offset));
            assert!(b.iter().all(|q| q.dot(plane.normal) > plane.offset));
            // Given that plane, one pass proves it again.
            let again = PerceptronConfig {
                initial: InitialPlane::Given(plane),
                ..config
            };
            let again = separating_plane(&a, &b, &again);
            assert!(again.plane.is_some() && again.passes == 1 && again.updates == 0);
        }
    }
    assert!(found > 800, "{found}");
}

#[test]
fn updates_from_a_small_start_stay_below_the_published_bound() {
    let mut rng = Rng::new(22);
    for _ in 0..300 {
        let centre = rng.direction() * 3.0;
        let (a, b) = (
            points(&mut rng, 8, DVec3::ZERO),
            points(&mut rng, 8, centre),
        );
        // A large step makes the first plane count for nothing: the start is then practically zero.
        let config = PerceptronConfig {
            initial: InitialPlane::Axis,
            step: PerceptronStep::Relaxed {
                eta: 1e6,
                factor: 1.0,
            },
            max_updates: 100_000,
        };
        let search = separating_plane(&a, &b, &config);
        if let Some(bound) = search.update_bound {
            // The bound of the plane that was found is not below that of the best plane.
            assert!(f64::from(search.updates) <= bound + 1.0, "{search:?}");
        }
    }
}

fn cube_mesh(half: f64) -> TriMesh {
    let shape = Cuboid::new([half; 3]).unwrap();
    let corners: Vec<DVec3> = (0..8).map(|i| shape.vertex(i)).collect();
    let hull = Polyhedron::new(&corners).unwrap();
    let mut faces = Vec::new();
    for f in 0..hull.face_count() as u32 {
        let face = hull.face(f);
        for w in face[1..].windows(2) {
            faces.push([face[0], w[0], w[1]]);
        }
    }
    TriMesh::new(hull.vertices().to_vec(), faces).unwrap()
}

#[test]
fn a_monte_carlo_hit_is_a_common_point_and_hits_come_at_the_ratio_of_volumes() {
    let cube = cube_mesh(1.0);
    assert_eq!(notches(&cube), 0);
    let turned =
        |angle: f64, at: [f64; 3]| Pose::from_axis_angle([0.0, 0.0, 1.0], angle, at).unwrap();
    let far = monte_carlo(&cube, &cube, &turned(0.3, [9.0, 0.0, 0.0]), true, 10, 1).unwrap();
    assert!(!far.verdict.answer && far.verdict.certain);
    // Boxes overlap, cubes do not: an edge before a corner.
    let pose = turned(std::f64::consts::FRAC_PI_4, [1.85, 1.85, 0.0]);
    let near = monte_carlo(&cube, &cube, &pose, true, 500, 1).unwrap();
    assert!(!near.verdict.answer && !near.verdict.certain && near.verdict.confidence < 1.0);
    // A cube turned by 45° about z over a cube, both around the origin: the common part of their common box is an octagon.
    let pose = turned(std::f64::consts::FRAC_PI_4, [0.0; 3]);
    let mut hits = 0;
    for seed in 0..2000 {
        let found = monte_carlo(&cube, &cube, &pose, false, 1, seed).unwrap();
        hits += u32::from(found.verdict.answer);
        if let Some(p) = found.witness {
            assert!(found.verdict.certain && p.abs().max_element() <= 1.0);
            assert!((p.x.abs() + p.y.abs()) <= 2.0_f64.sqrt() + 1e-9);
        }
    }
    let octagon = 8.0 * (2.0_f64.sqrt() - 1.0) / 4.0;
    assert!(
        (f64::from(hits) / 2000.0 - octagon).abs() < 0.03,
        "{hits} {octagon}"
    );
    let open = TriMesh::new(cube.positions().to_vec(), cube.faces()[1..].to_vec()).unwrap();
    assert!(monte_carlo(&open, &cube, &Pose::IDENTITY, true, 1, 1).is_err());
}

#[test]
fn an_edge_is_clipped_to_something_exactly_when_hulls_meet() {
    let mut rng = Rng::new(11);
    let mut meeting = 0;
    for round in 0..2200 {
        let (m, n) = (1 + rng.below(8), 1 + rng.below(8));
        let [p, q, shift] = [m, n, 1].map(|count| {
            if round % 3 == 0 {
                points(&mut rng, count, DVec3::ZERO)
            } else {
                grid(&mut rng, count)
            }
        });
        let (a, b) = (Polyhedron::new(&p).unwrap(), Polyhedron::new(&q).unwrap());
        let pose = Pose::from_translation(shift[0]).unwrap();
        let placed: Vec<DVec3> = b.vertices().iter().map(|&v| pose * v).collect();
        let truth = oracle::hulls_meet(a.vertices(), &placed);
        let found = clipped_edge(&a, &b, &pose).0;
        assert_eq!(found.is_some(), truth, "{found:?} {p:?} {placed:?}");
        meeting += u32::from(truth);
    }
    assert!((500..2000).contains(&meeting), "{meeting}");
}
