//! The tree over a cloud: what its nodes list, cover and cost.

use impinge::cloud::*;
use impinge::math::Rng;
use impinge_testkit::generate::clouds::{even_sphere, even_torus, jittered_square, random_sphere};

use super::{tree, tree_of};

#[test]
fn trees_keep_their_promises_and_are_small() {
    for (points, options) in [
        (random_sphere(5000, 1), CloudTreeOptions::default()),
        (
            even_sphere(3000),
            CloudTreeOptions {
                seed: 9,
                ..CloudTreeOptions::default()
            },
        ),
        (
            even_torus(20_000),
            CloudTreeOptions {
                samples: SampleSize::Growth(25.0),
                ..CloudTreeOptions::default()
            },
        ),
        (
            jittered_square(1),
            CloudTreeOptions {
                leaf: 3,
                samples: SampleSize::Constant(30),
                ..CloudTreeOptions::default()
            },
        ),
    ] {
        let tree = tree_of(&points, &options);
        tree.validate().unwrap();
        if options.leaf == 11 {
            let each = tree.bytes() as f64 / tree.nodes() as f64;
            assert!(each <= 150.0, "{each} bytes per node");
        }
    }
}

#[test]
fn borders_are_what_a_look_at_all_points_finds() {
    let points = random_sphere(1500, 8);
    let tree = tree(&points);
    let (mut leaves, mut listed) = (0, 0);
    for node in (0..tree.nodes()).map(|number| tree.node(number).unwrap()) {
        if node.children().is_some() {
            assert_eq!(node.border().len(), 0);
            continue;
        }
        let own: Vec<PointId> = node.samples().collect();
        let (bounds, width) = (node.bounds(), node.border_width());
        assert!(width > 0.0);
        let mut expected = Vec::new();
        for (&p, id) in points.iter().zip(0..) {
            let id = PointId::new(id);
            let low = (p - (bounds.min - width)).min_element();
            let high = ((bounds.max + width) - p).min_element();
            let inside = low.min(high);
            // What is on the edge may fall either way by rounding.
            if !own.contains(&id) && inside > 1e-9 {
                expected.push(id);
            }
        }
        let found: Vec<PointId> = node.border().collect();
        assert_eq!(found, expected);
        leaves += 1;
        listed += found.len();
    }
    assert!(leaves > 100 && listed > 5 * leaves);
}

#[test]
fn what_a_leaf_lists_gives_the_same_function() {
    let points = even_torus(4000);
    let tree = tree(&points);
    let mut rng = Rng::new(6);
    let (mut one, mut two) = (EvaluationScratch::default(), EvaluationScratch::default());
    for node in (0..tree.nodes())
        .step_by(3)
        .map(|number| tree.node(number).unwrap())
    {
        for _ in 0..6 {
            let bounds = node
                .bounds()
                .inflated(2.0 * tree.sampling_radius() * rng.unit());
            let share = (rng.cube() + 1.0) * 0.5;
            let x = bounds.min + bounds.diagonal() * share;
            let here = node.evaluate(x, &mut one);
            assert_eq!(here, tree.surface().evaluate(x, &mut two));
        }
    }
    assert_eq!(one.evaluations, two.evaluations);
}

#[test]
fn coverings_hold_for_dense_places_of_the_surface() {
    let points = random_sphere(2000, 13);
    let tree = tree(&points);
    // The leaf of every point, and the nodes above.
    let mut parents = vec![None; tree.nodes()];
    let mut leaf_of = vec![0; points.len()];
    for number in 0..tree.nodes() {
        let node = tree.node(number).unwrap();
        match node.children() {
            Some(children) => children
                .into_iter()
                .for_each(|child| parents[child] = Some(number)),
            None => node.samples().for_each(|id| leaf_of[id.index()] = number),
        }
    }
    let mut rng = Rng::new(14);
    let (mut seen, mut covered, mut boxed) = (0, 0, 0);
    for _ in 0..40_000 {
        let x = rng.direction();
        let nearest = tree.surface().graph().tree().nearest(x).unwrap();
        let mut number = Some(leaf_of[nearest.point.index()]);
        while let Some(at) = number {
            let node = tree.node(at).unwrap();
            let place = |id| tree.surface().graph().place(id).unwrap();
            let nearest = node
                .samples()
                .map(|id| place(id).distance(x))
                .fold(9.0, f64::min);
            seen += 1;
            covered += u32::from(nearest <= node.radius());
            // The chords of the cells are a little inside the sphere.
            boxed += u32::from(node.bounds().inflated(0.005).contains(x));
            number = parents[at];
        }
    }
    assert!(
        f64::from(covered) > 0.99 * f64::from(seen),
        "{covered} of {seen}"
    );
    assert!(
        f64::from(boxed) > 0.99 * f64::from(seen),
        "{boxed} of {seen}"
    );
}

#[test]
fn options_out_of_range_are_refused() {
    let surface = tree(&even_sphere(50)).surface().clone();
    let fine = CloudTreeOptions::default();
    for options in [
        CloudTreeOptions { leaf: 0, ..fine },
        CloudTreeOptions { leaf: 65, ..fine },
        CloudTreeOptions { covered: 0, ..fine },
        CloudTreeOptions {
            samples: SampleSize::Constant(0),
            ..fine
        },
        CloudTreeOptions {
            samples: SampleSize::Growth(f64::NAN),
            ..fine
        },
    ] {
        assert!(CloudTree::new(surface.clone(), &options).is_err());
    }
}
