//! Samples, coverings and priorities as published, beside our own.

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge_testkit::generate::clouds::{even_torus, random_sphere};

use super::{moved, random_turn, tree_of};

fn published() -> CloudTreeOptions {
    CloudTreeOptions {
        sampling: NodeSampling::RandomWeights,
        cover: CoverDraw::Stratified { around: 20 },
        ..CloudTreeOptions::default()
    }
}

#[test]
fn published_samples_and_coverings_keep_the_promises_of_a_tree() {
    for points in [random_sphere(3000, 21), even_torus(4000)] {
        let ours = tree_of(&points, &CloudTreeOptions::default());
        for options in [
            published(),
            CloudTreeOptions {
                sampling: NodeSampling::RandomWeights,
                ..CloudTreeOptions::default()
            },
            CloudTreeOptions {
                cover: CoverDraw::Stratified { around: 20 },
                ..CloudTreeOptions::default()
            },
        ] {
            let tree = tree_of(&points, &options);
            tree.validate().unwrap();
            assert_eq!(tree.nodes(), ours.nodes());
            for number in 0..tree.nodes() {
                let (node, own) = (tree.node(number).unwrap(), ours.node(number).unwrap());
                let mut ids: Vec<PointId> = node.samples().collect();
                // Copies are never taken, so a node may have fewer.
                assert!(!ids.is_empty() && ids.len() <= own.samples().len());
                ids.sort();
                ids.dedup();
                assert_eq!(ids.len(), node.samples().len());
            }
        }
    }
}

/// Places in the hulls of leaves, by a draw of the test's own, against the radius of every node above.
#[test]
fn published_coverings_hold_for_places_in_the_hulls_of_leaves() {
    let points = random_sphere(2000, 22);
    let tree = tree_of(&points, &published());
    let place = |id: PointId| tree.surface().graph().place(id).unwrap();
    let mut parents = vec![None; tree.nodes()];
    let mut rng = Rng::new(23);
    let (mut seen, mut covered) = (0, 0);
    for number in 0..tree.nodes() {
        let node = tree.node(number).unwrap();
        if let Some(children) = node.children() {
            children.into_iter().for_each(|c| parents[c] = Some(number));
            continue;
        }
        for _ in 0..40 {
            // Exponential weights: uniform over the simplex, unlike those of the build.
            let weights = node
                .samples()
                .map(|id| (-rng.unit().max(1e-12).ln(), place(id)));
            let (total, sum) =
                weights.fold((0.0, DVec3::ZERO), |(t, s), (w, p)| (t + w, s + p * w));
            let x = sum / total;
            let mut above = Some(number);
            while let Some(at) = above {
                let node = tree.node(at).unwrap();
                let nearest = node.samples().map(|id| place(id).distance(x));
                seen += 1;
                covered += u32::from(nearest.fold(9.0, f64::min) <= node.radius());
                above = parents[at];
            }
        }
    }
    assert!(
        f64::from(covered) > 0.99 * f64::from(seen),
        "{covered} of {seen}"
    );
}

#[test]
fn every_priority_gives_the_answers_of_the_closed_form() {
    let points = random_sphere(4000, 24);
    let h = {
        let tree = tree_of(&points, &CloudTreeOptions::default());
        let mut scratch = EvaluationScratch::default();
        let here = tree.surface().evaluate(points[0], &mut scratch);
        here.sample().unwrap().bandwidth
    };
    let effective = 1.0 - 0.5 * h * h;
    for (tree_options, priority) in [
        (CloudTreeOptions::default(), PairPriority::Signs),
        (published(), PairPriority::Planes),
        (published(), PairPriority::Signs),
    ] {
        let tree = tree_of(&points, &tree_options);
        let options = CloudCollisionOptions {
            priority,
            ..CloudCollisionOptions::default()
        };
        let mut query = CloudCollision::new(tree.clone(), tree, options);
        let accept = query.accept();
        let mut rng = Rng::new(25);
        let (mut missed, mut invented) = (0, 0);
        for _ in 0..10 {
            let (way, turn) = (rng.direction(), random_turn(&mut rng));
            for distance in [0.6, 1.2, 2.0 * effective - 0.1] {
                let answer = query.at(&(moved(way * distance) * turn), Limits::default());
                missed += u32::from(!answer.verdict.answer);
            }
            let apart = moved(way * (2.0 * effective + accept + 0.03)) * turn;
            invented += u32::from(query.at(&apart, Limits::default()).verdict.answer);
        }
        assert_eq!((missed, invented), (0, 0), "{priority:?}");
    }
}

/// Both orders find a meeting; they visit other pairs on the way.
#[test]
fn priorities_visit_pairs_in_their_own_order() {
    let tree = tree_of(&random_sphere(2000, 26), &published());
    let visited = |priority| {
        let options = CloudCollisionOptions {
            priority,
            ..CloudCollisionOptions::default()
        };
        let mut query = CloudCollision::new(tree.clone(), tree.clone(), options);
        let mut rng = Rng::new(27);
        let pairs = (0..10).map(|_| {
            let pose = moved(rng.direction() * 1.2) * random_turn(&mut rng);
            let answer = query.at(&pose, Limits::default());
            assert!(answer.verdict.answer);
            answer.node_pairs
        });
        pairs.collect::<Vec<u64>>()
    };
    assert_ne!(visited(PairPriority::Planes), visited(PairPriority::Signs));
}
