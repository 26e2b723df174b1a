//! The order in which probabilistic trees are searched: what shrinks fastest comes first.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::average_case::*;
use impinge::bound::Aabb;
use impinge::generate;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};

/// The boxes of the first tree in the order in which a search found that they overlap a box around everything.
fn found_in_order(
    tree: &Arc<AverageTree>,
    around: &Arc<AverageTree>,
    order: OpeningOrder,
) -> Vec<usize> {
    let options = AverageOptions {
        order,
        // Everything is likely and nothing is enough: all that overlaps is told.
        p_min: f64::MIN_POSITIVE,
        k_min: u32::MAX,
        at_end: UndecidedAnswer::No,
        leaves: LeafRule::Boxes,
        max_regions: usize::MAX,
        ..AverageOptions::default()
    };
    let mut query = AverageQuery::new(tree.clone(), around.clone(), options).unwrap();
    let found = query.at(&Pose::IDENTITY, Limits::default());
    assert_eq!(found.outcome, Outcome::Complete);
    // A parent that is no larger than its child is found before it.
    let mut is_found = vec![false; tree.len()];
    let mut place = |bounds: &Aabb| {
        let mut nodes = 0..tree.len();
        let node = nodes.find(|i| !is_found[*i] && tree.node_bounds(*i) == Some(*bounds));
        is_found[node.unwrap()] = true;
        node.unwrap()
    };
    query
        .regions()
        .iter()
        .map(|region| place(&region.a))
        .collect()
}

#[test]
fn what_shrinks_fastest_is_opened_first() {
    // Parts that shrink differently: rods, sheets and heaps of faces at random, so that boxes of nodes are not the same.
    let parts = [
        (0.05, DVec3::new(4.0, 0.3, 0.3)),
        (0.6, DVec3::new(2.0, 2.0, 0.1)),
        (0.2, DVec3::ONE),
        (1.5, DVec3::ONE),
    ];
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for (k, (size, stretch)) in (0_u32..).zip(parts) {
        let part = generate::soup(60, size, u64::from(k)).unwrap();
        let first = positions.len() as u32;
        let shift = DVec3::new(0.37, 9.1 * f64::from(k), 0.21 * f64::from(k));
        positions.extend(part.positions().iter().map(|p| *p * stretch + shift));
        faces.extend(part.faces().iter().map(|face| face.map(|v| v + first)));
    }
    let mesh = TriMesh::new(positions, faces).unwrap();
    // Down to single faces: none is cut.
    let config = AverageConfig {
        resolution: 0.0,
        ..AverageConfig::default()
    };
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &config));
    let keeping = AverageConfig {
        keep_factors: true,
        ..config
    };
    let kept = Arc::new(AverageTree::<Aabb>::new(&mesh, &keeping));
    // One face whose box holds everything, and which is one leaf.
    let corners = [
        [-90.0, -90.0, -90.0],
        [90.0, 90.0, -90.0],
        [-90.0, 90.0, 90.0],
    ];
    let around = TriMesh::from_points(corners, [[0, 1, 2]]).unwrap();
    let around = Arc::new(AverageTree::<Aabb>::new(&around, &AverageConfig::thesis()));
    assert_eq!(around.len(), 1);

    // Factors from the boxes alone: the mean of the edges' ratios over all that is below.
    let nodes = tree.measures();
    let mut below = vec![(0.0, 0.0); nodes.len()];
    for i in (1..nodes.len()).rev() {
        let parent = nodes[i].parent.unwrap();
        let ratio = (nodes[i].volume / nodes[parent].volume).cbrt();
        below[parent].0 += below[i].0 + ratio;
        below[parent].1 += below[i].1 + 1.0;
    }
    let factors: Vec<f64> = below.iter().map(|(sum, count)| sum / count).collect();
    let inner: Vec<f64> = factors.iter().copied().filter(|f| f.is_finite()).collect();
    let spread = inner
        .iter()
        .fold((1.0_f64, 0.0_f64), |s, f| (s.0.min(*f), s.1.max(*f)));
    assert!(spread.1 - spread.0 > 0.2, "{spread:?}");

    // A node that is found was a child of the one that was opened; ranks are 1/63 wide, and the factor of a single leaf is 1/2.
    let passed_over = |order: OpeningOrder, tree: &Arc<AverageTree>| {
        let found = found_in_order(tree, &around, order);
        assert_eq!((found.len(), found[0]), (nodes.len(), 0));
        let mut open = vec![0_usize];
        let (mut last, mut count) = (None, 0);
        for node in &found[1..] {
            let opened = nodes[*node].parent.unwrap();
            if last != Some(opened) {
                let smallest = open
                    .iter()
                    .map(|i| factors[*i])
                    .fold(f64::INFINITY, f64::min);
                count += u32::from(0.5 * factors[opened] > 0.5 * smallest + 1.0 / 62.0);
                let place = open.iter().position(|i| *i == opened);
                open.swap_remove(place.unwrap());
                last = Some(opened);
            }
            if factors[*node].is_finite() {
                open.push(*node);
            }
        }
        assert!(open.is_empty());
        count
    };
    assert_eq!(passed_over(OpeningOrder::Shrinking, &tree), 0);
    assert_eq!(passed_over(OpeningOrder::Shrinking, &kept), 0);
    for other in [
        OpeningOrder::DepthFirst,
        OpeningOrder::BreadthFirst,
        OpeningOrder::Probable,
    ] {
        assert!(passed_over(other, &tree) > 10, "{other:?}");
    }
}

#[test]
fn factors_that_are_kept_and_those_that_are_worked_out_are_the_same() {
    let mesh = generate::gear(11, 3, 0.4, 0.4).unwrap();
    let config = AverageConfig::default();
    let keeping = AverageConfig {
        keep_factors: true,
        ..config
    };
    let [without, with] =
        [config, keeping].map(|config| Arc::new(AverageTree::<Aabb>::new(&mesh, &config)));
    assert!(with.bytes_per_node() == without.bytes_per_node() + 4.0);
    let options = AverageOptions {
        order: OpeningOrder::Shrinking,
        ..AverageOptions::default()
    };
    let ask = |a: &Arc<AverageTree>, b: &Arc<AverageTree>, options: &AverageOptions| {
        AverageQuery::new(a.clone(), b.clone(), options.clone()).unwrap()
    };
    let mut queries = [
        ask(&without, &without, &options),
        ask(&with, &without, &options),
        ask(&with, &with, &options),
    ];
    let mut usual = ask(&without, &without, &AverageOptions::default());
    let mut differ = 0;
    for i in 0..40 {
        let shift = [0.05 * f64::from(i), 0.1, 0.05];
        let pose = Pose::from_axis_angle([1.0, 0.3, 0.2], 0.2 * f64::from(i), shift).unwrap();
        let limits = Limits {
            max_tests: Some(60),
            ..Limits::default()
        };
        let answers = queries.each_mut().map(|query| query.at(&pose, limits));
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        differ += u32::from(answers[0] != usual.at(&pose, limits));
    }
    assert!(differ > 10, "{differ}");
}
