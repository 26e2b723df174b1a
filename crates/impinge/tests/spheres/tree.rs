//! Trees of balls: enclosing balls, neural gas, containment, files, queries.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::geom::lens_volume;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeError, InnerSphereTreeOptions, Interior,
    MeshSolid, NeuralGasOptions, PackOptions, SolidBall, SphereGraph, SphereSplit, enclosing_ball,
    pack, secondary_radii, segment_sums,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose, TriMesh, generate};

use crate::packed::pose;

fn random_balls(rng: &mut Rng, count: usize, on_grid: bool) -> Vec<SolidBall> {
    (0..count)
        .map(|_| {
            if on_grid {
                SolidBall {
                    center: DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2)),
                    radius: rng.grid(1, 3),
                }
            } else {
                SolidBall {
                    center: rng.cube(),
                    radius: rng.range(0.0, 0.5),
                }
            }
        })
        .collect()
}

/// The radius of the best ball about places that a random descent finds: never below the smallest.
fn searched_radius(balls: &[SolidBall], rng: &mut Rng) -> f64 {
    let radius_at = |p: DVec3| {
        balls
            .iter()
            .map(|b| (b.center - p).length() + b.radius)
            .fold(0.0, f64::max)
    };
    let mut p = balls[0].center;
    let mut best = radius_at(p);
    let mut step = 2.0;
    while step > 1e-7 {
        let mut improved = false;
        for _ in 0..30 {
            let next = p + rng.direction() * step;
            let radius = radius_at(next);
            if radius < best {
                (p, best, improved) = (next, radius, true);
            }
        }
        if !improved {
            step *= 0.7;
        }
    }
    best
}

#[test]
fn enclosing_balls_hold_all_and_no_search_finds_a_smaller_one() {
    let mut rng = Rng::new(11);
    for case in 0..200 {
        let count = 1 + rng.below(12) as usize;
        let balls = random_balls(&mut rng, count, case % 2 == 0);
        let around = enclosing_ball(&balls).unwrap();
        for ball in &balls {
            let reach = (ball.center - around.center).length() + ball.radius;
            assert!(reach <= around.radius, "case {case}");
        }
        let searched = searched_radius(&balls, &mut rng);
        assert!(
            around.radius <= searched * (1.0 + 1e-6),
            "case {case}: {} instead of {searched}",
            around.radius
        );
    }
    assert!(enclosing_ball(&[]).is_none());
}

#[test]
fn enclosing_balls_of_many_and_of_equal_balls_are_found() {
    let mut rng = Rng::new(5);
    // Balls inside the unit ball that touch it from inside at many places.
    let mut balls: Vec<SolidBall> = (0..5000)
        .map(|_| {
            let radius = rng.range(0.01, 0.2);
            let center = rng.direction() * (1.0 - radius);
            SolidBall { center, radius }
        })
        .collect();
    let around = enclosing_ball(&balls).unwrap();
    assert!(around.center.length() < 1e-2 && (around.radius - 1.0).abs() < 1e-3);
    balls.truncate(1);
    balls.resize(100, balls[0]);
    let around = enclosing_ball(&balls).unwrap();
    assert!((around.radius - balls[0].radius).abs() < 1e-12);
}

#[test]
fn segment_sums_are_those_of_the_published_example() {
    let values = [
        1.3, 5.2, 8.1, 4.2, 3.0, 9.5, 3.6, 1.0, 1.7, 3.4, 2.3, 2.8, 4.8, 3.6, 2.4, 1.3,
    ];
    let sums = segment_sums(&values, &[0, 4, 7, 11, 16]);
    for (sum, expected) in sums.iter().zip([18.8, 16.1, 8.4, 14.9]) {
        assert!((sum - expected).abs() < 1e-12);
    }
}

fn packed(mesh: TriMesh, count: usize) -> (WideTree, Vec<SolidBall>) {
    let tree = WideTree::new(Arc::new(mesh));
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    let balls = pack(&MeshSolid::new(&tree).unwrap(), &options)
        .unwrap()
        .balls;
    (tree, balls)
}

fn rules() -> [SphereSplit; 5] {
    [
        SphereSplit::NeuralGas(NeuralGasOptions::default()),
        SphereSplit::NeuralGasSequential(NeuralGasOptions::default()),
        SphereSplit::Largest,
        SphereSplit::Extreme,
        SphereSplit::Median,
    ]
}

#[test]
fn every_ball_lies_in_every_node_above_it_and_occurs_once() {
    let (_, balls) = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 700);
    for split in rules() {
        for width in [2, 4, 8] {
            let tree =
                InnerSphereTree::new(&balls, &InnerSphereTreeOptions { split, width }).unwrap();
            let mut order = tree.order().to_vec();
            order.sort_unstable();
            assert!(order.iter().enumerate().all(|(i, &o)| i as u32 == o));
            let mut leaves = 0;
            tree.visit(|around, range, density| {
                assert!(density <= 1.0 + 1e-5 && density > 0.0);
                leaves += usize::from(range.len() == 1);
                for ball in &tree.balls()[range] {
                    let reach = (ball.center - around.center).length() + ball.radius;
                    assert!(reach <= around.radius, "{split:?} {width}");
                }
            });
            assert_eq!(leaves, balls.len(), "{split:?} {width}");
        }
    }
}

#[test]
fn sequential_and_parallel_neural_gas_build_the_same_tree() {
    let (_, balls) = packed(generate::blob(8).unwrap(), 3000);
    let saved = |split, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let tree = pool.unwrap().install(|| {
            InnerSphereTree::new(&balls, &InnerSphereTreeOptions { split, width: 4 }).unwrap()
        });
        let mut bytes = Vec::new();
        tree.save(&mut bytes).unwrap();
        bytes
    };
    let sequential = saved(
        SphereSplit::NeuralGasSequential(NeuralGasOptions::default()),
        1,
    );
    for threads in [1, 2, 5] {
        let parallel = saved(SphereSplit::NeuralGas(NeuralGasOptions::default()), threads);
        assert_eq!(parallel, sequential);
    }
}

#[test]
fn separate_heaps_come_apart_at_the_first_level() {
    let mut rng = Rng::new(3);
    let mut balls = Vec::new();
    for heap in [
        DVec3::ZERO,
        DVec3::X * 50.0,
        DVec3::Y * 50.0,
        DVec3::Z * 50.0,
    ] {
        for _ in 0..40 {
            balls.push(SolidBall {
                center: heap + rng.cube(),
                radius: rng.range(0.01, 0.1),
            });
        }
    }
    let split = SphereSplit::NeuralGas(NeuralGasOptions::default());
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions { split, width: 4 }).unwrap();
    let mut heaps = 0;
    tree.visit(|around, range, _| heaps += usize::from(range.len() == 40 && around.radius < 3.0));
    assert_eq!(heaps, 4);
}

#[test]
fn equal_centres_and_single_balls_make_trees() {
    let ball = SolidBall {
        center: DVec3::ONE,
        radius: 0.5,
    };
    for count in [0, 1, 2, 9, 100] {
        let tree =
            InnerSphereTree::new(&vec![ball; count], &InnerSphereTreeOptions::default()).unwrap();
        assert_eq!(tree.balls().len(), count);
        assert_eq!(tree.root().is_some(), count > 0);
    }
}

#[test]
fn a_saved_tree_comes_back_and_a_damaged_one_is_refused() {
    let (index, balls) = packed(generate::tetrahedron(1.0).unwrap(), 60);
    let solid = MeshSolid::new(&index).unwrap();
    let radii = secondary_radii(&solid, &balls, 24);
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid)
        .with_secondary(&radii)
        .unwrap();
    let mut bytes = Vec::new();
    tree.save(&mut bytes).unwrap();
    let back = InnerSphereTree::load(&bytes).unwrap();
    assert_eq!(back.balls(), tree.balls());
    assert_eq!(back.surfaces(), tree.surfaces());
    assert_eq!(back.secondary(), tree.secondary());
    assert_eq!(back.order(), tree.order());
    let mut again = Vec::new();
    back.save(&mut again).unwrap();
    assert_eq!(again, bytes);
    assert_eq!(
        InnerSphereTree::load(b"nonsense").unwrap_err(),
        impinge::bvh::wide::LoadError::NotATree
    );
    for cut in [9, 31, 40, bytes.len() - 1] {
        assert!(InnerSphereTree::load(&bytes[..cut]).is_err());
    }
    let mut rng = Rng::new(1);
    for _ in 0..500 {
        let mut damaged = bytes.clone();
        let at = rng.below(bytes.len() as u64) as usize;
        damaged[at] ^= 1 << rng.below(8);
        assert!(InnerSphereTree::load(&damaged).is_err(), "bit in byte {at}");
    }
}

#[test]
fn cones_hold_the_normals_of_the_nearest_faces() {
    let (index, balls) = packed(generate::cuboid(DVec3::ONE, [1; 3]).unwrap(), 200);
    let solid = MeshSolid::new(&index).unwrap();
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid);
    for (ball, leaf) in tree.balls().iter().zip(tree.surfaces()) {
        let nearest = solid.closest_point(ball.center);
        let way = (nearest - ball.center).normalize();
        if leaf.cone.axis == DVec3::ZERO {
            // Faces on all sides are as near: the ball in the middle.
            assert!(ball.radius > 0.49);
            continue;
        }
        assert!(way.angle_between(leaf.cone.axis) <= leaf.cone.half_angle + 1e-3);
        assert!(index.mesh().face(leaf.face).is_some());
    }
}

#[test]
fn queries_agree_with_all_pairs() {
    let (_, a) = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 150);
    let (_, b) = packed(generate::blob(6).unwrap(), 120);
    let mut rng = Rng::new(9);
    for split in rules() {
        let options = InnerSphereTreeOptions { split, width: 8 };
        let (tree_a, tree_b) = (
            InnerSphereTree::new(&a, &options).unwrap(),
            InnerSphereTree::new(&b, &options).unwrap(),
        );
        let mut cache = InnerSphereTreeCache::default();
        for case in 0..20 {
            let a_from_b = pose(&mut rng, f64::from(case) * 0.2);
            let (mut gap, mut volume) = (f64::INFINITY, 0.0);
            for x in &a {
                for y in &b {
                    let distance = (x.center - a_from_b.transform_point(y.center)).length();
                    gap = gap.min(distance - x.radius - y.radius);
                    volume += lens_volume(x.radius, y.radius, distance);
                }
            }
            let found = tree_a.distance(&tree_b, &a_from_b, Limits::default(), &mut cache);
            assert!((found.unwrap().upper - gap.max(0.0)).abs() < 1e-9);
            let shared = tree_a.overlap(&tree_b, &a_from_b, Limits::default(), &mut cache);
            assert!(
                (shared.expected - volume).abs() <= 1e-12 * volume.max(1e-6),
                "{} {volume}",
                shared.expected
            );
            assert!(shared.lower <= volume);
            // Newton's third law, and swapping sides.
            let b_from_a = a_from_b.inverse();
            let swapped = tree_b.overlap(&tree_a, &b_from_a, Limits::default(), &mut cache);
            let back = a_from_b.transform_vector(swapped.gradient.translation);
            let gradient = shared.gradient.translation;
            assert!((back + gradient).length() <= 1e-9 * (1.0 + back.length()));
            for budget in [0, 64, 1000] {
                let limits = Limits {
                    max_tests: Some(budget),
                    ..Limits::default()
                };
                let part = tree_a.overlap(&tree_b, &a_from_b, limits, &mut cache);
                assert!(part.lower <= volume * (1.0 + 1e-9));
                if part.outcome == Outcome::Complete {
                    assert!((part.expected - volume).abs() <= 1e-9 * volume);
                }
            }
        }
    }
}

#[test]
fn brackets_hold_the_truth_of_the_meshes() {
    let (index_a, a) = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 400);
    let (index_b, b) = packed(generate::blob(6).unwrap(), 300);
    let (solid_a, solid_b) = (
        MeshSolid::new(&index_a).unwrap(),
        MeshSolid::new(&index_b).unwrap(),
    );
    let tree_a = InnerSphereTree::new(&a, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid_a);
    let tree_b = InnerSphereTree::new(&b, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid_b);
    let exact_a = VolumeIndex::new(Arc::clone(index_a.mesh())).unwrap();
    let exact_b = VolumeIndex::new(Arc::clone(index_b.mesh())).unwrap();
    let mut rng = Rng::new(2);
    let mut cache = InnerSphereTreeCache::default();
    for case in 0..60 {
        let a_from_b = pose(&mut rng, f64::from(case) * 0.07);
        let truth = index_a.distance(
            &index_b,
            &a_from_b,
            Limits::default(),
            &mut WideCache::default(),
        );
        let truth = truth.value.map_or(0.0, |s| s.distance);
        let found = tree_a
            .distance(&tree_b, &a_from_b, Limits::default(), &mut cache)
            .unwrap();
        assert!(found.upper >= truth - 1e-9, "case {case}");
        assert!(
            found.lower <= truth + 1e-9,
            "case {case}: {} {truth}",
            found.lower
        );
        let exact = exact_a
            .overlap(
                &exact_b,
                &a_from_b,
                Limits::default(),
                &mut OverlapCache::default(),
            )
            .unwrap();
        for budget in [None, Some(200)] {
            let limits = Limits {
                max_tests: budget,
                ..Limits::default()
            };
            let shared = tree_a.overlap(&tree_b, &a_from_b, limits, &mut cache);
            assert!(shared.lower <= exact.upper, "case {case}");
            assert!(shared.upper >= exact.lower, "case {case} {budget:?}");
        }
    }
}

#[test]
fn the_graph_of_a_packing_has_the_edges_of_all_pairs() {
    let (_, balls) = packed(generate::cuboid(DVec3::ONE, [1; 3]).unwrap(), 300);
    let graph = SphereGraph::new(&balls, 1e-4);
    let mut edges = 0;
    for (i, a) in balls.iter().enumerate() {
        for (j, b) in balls.iter().enumerate() {
            let touches = i != j && a.gap(b) <= 1e-4;
            assert_eq!(graph.neighbours(i).contains(&(j as u32)), touches);
            edges += usize::from(touches);
        }
    }
    assert_eq!(graph.edge_count(), edges / 2);
    // The first ball touches the eight in the corners.
    assert!((1..9).all(|k| graph.neighbours(0).contains(&k)));
}

#[test]
fn a_saved_tree_keeps_the_volume_of_its_solid_with_and_without_a_surface() {
    let (index, balls) = packed(generate::cuboid(DVec3::ONE, [1; 3]).unwrap(), 120);
    let solid = MeshSolid::new(&index).unwrap();
    let bare = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap();
    let trees = [
        bare.clone(),
        bare.clone().with_gaps(&solid, 12),
        bare.clone().with_surface(&solid),
        bare.with_surface(&solid).with_gaps(&solid, 12),
    ];
    for (i, tree) in trees.into_iter().enumerate() {
        let mut bytes = Vec::new();
        tree.save(&mut bytes).unwrap();
        let back = InnerSphereTree::load(&bytes).unwrap();
        let mut again = Vec::new();
        back.save(&mut again).unwrap();
        assert_eq!(again, bytes, "{i}");
        let pose = Pose::from_translation([0.8, 0.1, 0.0]).unwrap();
        let ask = |tree: &InnerSphereTree| {
            tree.overlap(
                tree,
                &pose,
                Limits::default(),
                &mut InnerSphereTreeCache::default(),
            )
        };
        // Cells are not saved: without them all gaps count.
        assert_eq!(ask(&back), ask(&tree.clone().without_cells()), "{i}");
        assert_eq!(ask(&back).upper.is_finite(), i > 0);
        let far = Pose::from_translation([3.0, 0.1, 0.0]).unwrap();
        let gap = |tree: &InnerSphereTree| {
            tree.distance(
                tree,
                &far,
                Limits::default(),
                &mut InnerSphereTreeCache::default(),
            )
        };
        assert_eq!(gap(&back), gap(&tree), "{i}");
        assert_eq!(gap(&back).unwrap().lower > 0.0, i > 1);
        // Another version is refused by its number.
        bytes[8] = 1;
        assert!(matches!(
            InnerSphereTree::load(&bytes),
            Err(impinge::bvh::wide::LoadError::OtherVersion { found: 1, known: 2 })
        ));
    }
}

#[test]
fn balls_and_radii_that_cannot_be_are_refused_by_their_place() {
    let ball = |x: f64, radius| SolidBall {
        center: DVec3::new(x, 0.0, 0.0),
        radius,
    };
    let options = InnerSphereTreeOptions::default();
    for bad in [
        ball(f64::NAN, 1.0),
        ball(f64::INFINITY, 1.0),
        ball(1e300, 1.0),
        ball(0.0, f64::NAN),
        ball(0.0, f64::INFINITY),
        ball(0.0, -1.0),
        ball(0.0, 1e300),
    ] {
        let refused = InnerSphereTree::new(&[ball(0.0, 1.0), bad], &options).unwrap_err();
        assert!(
            matches!(refused, InnerSphereTreeError::BadBall { index: 1, .. }),
            "{refused}"
        );
        assert!(refused.to_string().starts_with("ball 1 "), "{refused}");
    }
    let tree = InnerSphereTree::new(&[ball(0.0, 1.0), ball(5.0, 0.0)], &options).unwrap();
    for bad in [f64::NAN, f64::INFINITY, -0.5, 1e300] {
        let refused = tree.clone().with_secondary(&[1.0, bad]).unwrap_err();
        assert!(
            matches!(refused, InnerSphereTreeError::BadRadius { index: 1, .. }),
            "{refused}"
        );
    }
    assert_eq!(
        tree.clone().with_secondary(&[1.0]).unwrap_err(),
        InnerSphereTreeError::WrongCount { balls: 2, found: 1 }
    );
    assert!(tree.with_secondary(&[1.0, 0.0]).is_ok());
}
