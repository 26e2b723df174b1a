//! Planes by the perceptron rule, the Monte-Carlo test and clipped edges against exact answers.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::Solid;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::convex::{Cuboid, Polyhedron, SupportMap, notches};
use impinge::generate::model;
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::InsideTest;
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::convex::{
    CyrusBeckConfig, InitialPlane, MonteCarloConfig, MonteCarloPair, PerceptronConfig,
    PerceptronStep, SortedPolyhedron, clipped_edge, clipped_edge_with, clipped_edges, monte_carlo,
    separating_plane,
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
            ..PerceptronConfig::default()
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
            ..PerceptronConfig::default()
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

/// Every way to switch the pre-checks.
fn pre_checks() -> impl Iterator<Item = CyrusBeckConfig> {
    (0..4).map(|k| CyrusBeckConfig {
        checks_edge_boxes: k & 1 == 1,
        collects_faces: k & 2 == 2,
    })
}

#[test]
fn all_clipped_edges_are_those_that_meet_the_other_solid_whatever_is_checked_before() {
    let mut rng = Rng::new(12);
    let (mut meeting, mut whole, mut boxes) = (0, 0, [0, 0]);
    for round in 0..150 {
        let mut make = |scale: f64| {
            let count = 4 + rng.below(6);
            let made = if round % 2 == 0 {
                points(&mut rng, count, DVec3::ZERO)
            } else {
                grid(&mut rng, count)
            };
            let made: Vec<DVec3> = made.into_iter().map(|p| p * scale).collect();
            Polyhedron::new(&made).unwrap()
        };
        // Now and then one is small enough to lie inside the other.
        let (a, b) = (make(1.0), make([1.0, 0.125][usize::from(round % 5 == 0)]));
        if a.dimension() < 3 || b.dimension() < 3 {
            continue;
        }
        let pose = Pose::from_translation(0.5 * grid(&mut rng, 1)[0]).unwrap();
        let placed: Vec<DVec3> = b.vertices().iter().map(|&v| pose * v).collect();
        let mut truth = Vec::new();
        for (is_of_a, shape, own, other) in [
            (true, &a, a.vertices(), &placed[..]),
            (false, &b, &placed[..], a.vertices()),
        ] {
            for (number, edge) in (0_u32..).zip(shape.edges()) {
                let ends = edge.vertices.map(|i| own[i as usize]);
                if oracle::hulls_meet(&ends, other) {
                    truth.push((is_of_a, Some(number)));
                }
            }
        }
        for config in pre_checks() {
            let (edges, work) = clipped_edges(&a, &b, &pose, &config);
            let found: Vec<_> = edges.iter().map(|e| (e.is_of_a, e.edge)).collect();
            assert_eq!(found, truth, "{config:?}");
            let (first, one) = clipped_edge_with(&a, &b, &pose, &config);
            assert_eq!(first, edges.first().copied());
            assert!(one.half_spaces <= work.half_spaces);
            // Solids whose boxes are apart are not looked at any closer.
            assert!(config.checks_edge_boxes || work.edge_boxes == 0);
            assert!(config.collects_faces || work.face_boxes == 0);
            boxes = [boxes[0] + work.edge_boxes, boxes[1] + work.face_boxes];
            for edge in &edges {
                // What is left of an edge begins and ends on the surface, or at an end of the edge.
                let (shape, own, other, normals) = if edge.is_of_a {
                    let turned = b.normals().iter().map(|&n| *pose.rotation() * n).collect();
                    (&a, a.vertices(), (&b, &placed[..]), turned)
                } else {
                    (&b, &placed[..], (&a, a.vertices()), a.normals().to_vec())
                };
                let [u, v] = shape.edges()[edge.edge.unwrap() as usize]
                    .vertices
                    .map(|i| own[i as usize]);
                for (at, limit) in edge.interval.into_iter().zip([0.0, 1.0]) {
                    let p = u.lerp(v, at);
                    let height = (0..other.0.face_count() as u32)
                        .map(|f| {
                            let corner = other.1[other.0.face(f)[0] as usize];
                            normals[f as usize].dot(p - corner)
                        })
                        .fold(f64::NEG_INFINITY, f64::max);
                    assert!(height < 1e-9, "{edge:?} {height}");
                    assert!(at == limit || height > -1e-9, "{edge:?} {height}");
                }
                whole += u32::from(edge.interval == [0.0, 1.0]);
            }
        }
        meeting += u32::from(!truth.is_empty());
    }
    assert!(
        (40..148).contains(&meeting) && whole > 50 && boxes.iter().all(|&count| count > 1000),
        "{meeting} {whole} {boxes:?}"
    );
}

/// The distance of two hulls, 0 where they meet.
fn gap(a: &[DVec3], b: &[DVec3]) -> f64 {
    if oracle::hulls_meet(a, b) {
        0.0
    } else {
        oracle::hull_distance(a, b)
    }
}

#[test]
fn a_gap_is_never_wider_than_the_updates_prove_and_close_hulls_end_a_search() {
    let mut rng = Rng::new(23);
    let (mut ended, mut updates) = (0, [0; 2]);
    for i in 0..600 {
        let centre = rng.direction() * rng.range(0.0, 3.0);
        let (a, b) = (
            points(&mut rng, 8, DVec3::ZERO),
            points(&mut rng, 8, centre),
        );
        let step = if i % 3 == 0 {
            PerceptronStep::Adaptive
        } else {
            PerceptronStep::Relaxed {
                eta: [0.25, 0.03][i % 2],
                factor: 1.0,
            }
        };
        let config = PerceptronConfig {
            initial: [InitialPlane::Axis, InitialPlane::Means, InitialPlane::Boxes][i % 3],
            step,
            max_updates: 3000,
            min_gap: 0.0,
        };
        let gap = gap(&a, &b);
        let whole = separating_plane(&a, &b, &config);
        assert!(gap <= whole.gap_bound, "{gap} {whole:?}");
        let early = PerceptronConfig {
            min_gap: 0.5,
            ..config
        };
        let early = separating_plane(&a, &b, &early);
        assert!(gap <= early.gap_bound && early.updates <= whole.updates);
        if early.gap_bound < 0.5 && early.plane.is_none() {
            assert!(gap < 0.5);
            ended += 1;
            updates[0] += early.updates;
            updates[1] += whole.updates;
        }
    }
    // Hulls that meet are given up long before the last update.
    assert!(
        ended > 50 && 3 * updates[0] < updates[1],
        "{ended} {updates:?}"
    );
}

#[test]
fn a_pulled_plane_gives_the_distance_of_a_point_within_its_bounds() {
    let mut rng = Rng::new(24);
    let (mut inside, mut looked, mut all) = (0, 0, 0);
    for round in 0..200 {
        let count = 4 + rng.below(20);
        let made = if round % 3 == 0 {
            grid(&mut rng, 12)
        } else {
            points(&mut rng, count, DVec3::ZERO)
        };
        let shape = Polyhedron::new(&made).unwrap();
        let sorted = SortedPolyhedron::new(&shape);
        let p = if round % 3 == 0 {
            2.0 * grid(&mut rng, 1)[0]
        } else {
            (1.5 * rng.cube() * 65536.0).round() / 65536.0
        };
        let truth = gap(&[p], shape.vertices());
        let pulled = sorted.pulled_plane(p);
        let [lower, upper] = pulled.distance;
        assert!(
            lower <= truth + 1e-9 && truth <= upper + 1e-9 && upper - lower < 1e-6,
            "{truth} {pulled:?}"
        );
        assert!((pulled.point.distance(p) - upper).abs() < 1e-12);
        inside += u32::from(upper == 0.0);
        if shape.vertices().len() > 12 {
            looked += pulled.visited;
            all += (u64::from(pulled.exchanges) + 2) * shape.vertices().len() as u64;
        }
    }
    assert!((8..170).contains(&inside), "{inside}");
    // The sorted lists spare some vertices.
    assert!(looked < all, "{looked} {all}");
}

#[test]
fn a_common_part_larger_than_its_bound_is_missed_as_seldom_as_said() {
    // A tetrahedron takes a sixth of its box, all of which lies in the cube.
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let tetrahedron = TriMesh::from_points(points, faces).unwrap();
    let cube = cube_mesh(2.0);
    let mut pair = MonteCarloPair::new(
        InsideTest::new(&tetrahedron).unwrap(),
        InsideTest::new(&cube).unwrap(),
    );
    // With ten points a bound below a sixth is given from this confidence down.
    let confidence = 0.83;
    let runs = 4000;
    let mut excluded = 0;
    for seed in 0..runs {
        let config = MonteCarloConfig {
            vertices_first: false,
            samples: 10,
            seed,
            prior: None,
        };
        let found = pair.search(&Pose::IDENTITY, &config).unwrap();
        assert_eq!(
            found.misses + u64::from(found.witness.is_some()),
            found.tried
        );
        excluded += u32::from(found.share_bound(confidence) < 1.0 / 6.0);
    }
    let share = f64::from(excluded) / runs as f64;
    assert!((0.13..1.0 - confidence + 0.02).contains(&share), "{share}");
}

#[test]
fn a_confidence_is_met_on_models_that_it_was_not_fitted_to() {
    let meshes: Vec<Arc<TriMesh>> = [("cylinder", 80), ("half-torus", 100), ("cube-array", 96)]
        .into_iter()
        .map(|(name, faces)| {
            let made = model(name).unwrap().make(Some(faces), 1).unwrap();
            let (points, faces) = made.into_parts();
            let bounds = Aabb::enclosing(points.iter().copied());
            let scale = 1.0 / bounds.diagonal().max_element();
            let points = points.into_iter().map(|p| (p - bounds.center()) * scale);
            Arc::new(TriMesh::new(points.collect(), faces).unwrap())
        })
        .collect();
    let trees: Vec<WideTree> = meshes.iter().cloned().map(WideTree::new).collect();
    let inside: Vec<InsideTest<'_>> = meshes
        .iter()
        .map(|mesh| InsideTest::new(mesh).unwrap())
        .collect();
    let (mut rng, mut cache) = (Rng::new(1995), WideCache::default());
    let methods = [(false, 5), (false, 40), (true, 0), (true, 40)];
    let mut sums = [(0.0, 0.0, 0.0); 4];
    for seed in 0..400 {
        let [i, j] = [0; 2].map(|_: usize| rng.below(3) as usize);
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), rng.cube()).unwrap();
        let [a, b] = [i, j].map(|k| Solid::closed(&trees[k]).unwrap());
        let is_apart = !a.intersects(&b, &pose, &mut cache);
        let mut pair = MonteCarloPair::new(inside[i], inside[j]);
        for ((vertices_first, samples), sum) in methods.into_iter().zip(&mut sums) {
            let config = MonteCarloConfig {
                vertices_first,
                samples,
                seed,
                prior: None,
            };
            let found = pair.search(&pose, &config).unwrap();
            assert!(!(found.verdict.answer && is_apart));
            if !found.verdict.certain {
                sum.0 += 1.0;
                sum.1 += f64::from(u8::from(is_apart));
                sum.2 += found.verdict.confidence;
            }
        }
    }
    for ((vertices_first, samples), (missed, apart, said)) in methods.into_iter().zip(sums) {
        assert!(missed > 40.0);
        let [measured, said] = [apart, said].map(|x| x / missed);
        assert!(
            (measured - said).abs() < 0.1,
            "{vertices_first} {samples}: {measured} of {missed} are apart, said {said}"
        );
    }
}
