//! The trees of cut boxes: exact answers in every configuration.
#![expect(clippy::panic, reason = "a test says what it expects by panicking")]

use std::sync::Arc;

use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::math::{MAX_COORDINATE, Rng};
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::box_tree::{
    BoxTest, BoxTree, BoxTreeCache, BoxTreeConfig, CutStrategy, CutTree, CutTreeConfig,
    InnerConfig, LeafPair, LeafRule, RestrictedTree, RestrictedTreeConfig,
};
use impinge_testkit::conformance::{mesh_index, pairs_of};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::{corpus, oracle};

pub(crate) const STRATEGIES: [CutStrategy; 4] = [
    CutStrategy::Weighted,
    CutStrategy::Bisect,
    CutStrategy::Median,
    CutStrategy::Middle,
];
const TESTS: [BoxTest; 4] = [
    BoxTest::Clipping,
    BoxTest::ClippingWithoutFlags,
    BoxTest::Separating,
    BoxTest::Aligned,
];

/// A configuration drawn from all that are worth telling apart.
pub(crate) fn cut_config(rng: &mut Rng) -> CutTreeConfig {
    CutTreeConfig {
        strategy: STRATEGIES[rng.below(4) as usize],
        gamma: [0.0, 1.0, 2.0][rng.below(3) as usize],
        thickness: [0.0, 1e-9, 1e-3, 1.0][rng.below(4) as usize],
        max_depth: [0, 3, 10, 32][rng.below(4) as usize],
        min_faces: [1, 2, 8][rng.below(3) as usize],
        lambda: [0.5, 0.7, 0.9, 1.0][rng.below(4) as usize],
        similar: [0.0, 0.5, f64::NAN][rng.below(3) as usize],
        max_iterations: 10,
        empty_leaves: rng.below(2) == 0,
        max_duplication: [1, 4, 20][rng.below(3) as usize],
        test: TESTS[rng.below(4) as usize],
        leaf: [LeafRule::Faces, LeafRule::Edges][rng.below(2) as usize],
        collect: rng.below(2) == 0,
    }
}

fn box_config(rng: &mut Rng) -> BoxTreeConfig {
    BoxTreeConfig {
        max_leaf_faces: [0, 1, 4][rng.below(3) as usize],
        test: TESTS[rng.below(4) as usize],
        collect: rng.below(2) == 0,
        inner: (rng.below(2) == 0).then(|| InnerConfig {
            min_faces: 1 + rng.below(8) as u32,
            min_part: 0.01,
            ..InnerConfig::default()
        }),
    }
}

fn restricted_config(rng: &mut Rng) -> RestrictedTreeConfig {
    RestrictedTreeConfig {
        max_leaf_faces: [0, 1, 4][rng.below(3) as usize],
        max_sides: rng.below(7) as u32,
        min_gain: [0.0, 0.1, f64::NAN][rng.below(3) as usize],
        test: TESTS[rng.below(4) as usize],
        collect: rng.below(2) == 0,
    }
}

/// Asks each tree, in its default and in a drawn configuration.
fn conforms(a: &TriMesh, b: &TriMesh, pose: &Pose, rng: &mut Rng, warm: &mut BoxTreeCache) {
    for config in [CutTreeConfig::default(), cut_config(rng)] {
        mesh_index::<CutTree>(a, b, pose, &config, warm)
            .unwrap_or_else(|e| panic!("{e} with {config:?}"));
    }
    for config in [BoxTreeConfig::default(), box_config(rng)] {
        mesh_index::<BoxTree>(a, b, pose, &config, warm)
            .unwrap_or_else(|e| panic!("{e} with {config:?}"));
    }
    for config in [RestrictedTreeConfig::default(), restricted_config(rng)] {
        mesh_index::<RestrictedTree>(a, b, pose, &config, warm)
            .unwrap_or_else(|e| panic!("{e} with {config:?}"));
    }
}

#[test]
fn grid_soups_and_solids_under_exact_poses_have_the_oracles_pairs() {
    let mut rng = Rng::new(1);
    let mut warm = BoxTreeCache::default();
    for i in 0..100 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let (n, m) = (rng.below(40) as usize, rng.below(40) as usize);
        let a = meshes::grid_soup(&mut rng, n, range);
        let b = meshes::grid_soup(&mut rng, m, range);
        let pose = poses::exact(&mut rng, (i % 4) as i64);
        conforms(&a, &b, &pose, &mut rng, &mut warm);
        let (a, b) = (
            meshes::grid_solid(&mut rng, 3),
            meshes::grid_solid(&mut rng, 3),
        );
        let pose = poses::exact(&mut rng, 3);
        conforms(&a, &b, &pose, &mut rng, &mut warm);
    }
}

#[test]
fn random_soups_of_all_sizes_have_the_oracles_pairs() {
    let mut rng = Rng::new(2);
    let mut warm = BoxTreeCache::default();
    for _ in 0..40 {
        let size = rng.range(0.02, 1.0);
        let small = meshes::random_soup(&mut rng, 60, size);
        let large = meshes::random_soup(&mut rng, 4, 2.0);
        let a = meshes::merged(&small, &large);
        let b = meshes::random_soup(&mut rng, 50, size);
        let pose = poses::random(&mut rng, 0.5);
        conforms(&a, &b, &pose, &mut rng, &mut warm);
    }
}

#[test]
fn closed_surfaces_have_the_oracles_pairs() {
    let mut rng = Rng::new(3);
    let mut warm = BoxTreeCache::default();
    let ball = meshes::ball(2, 1.0);
    let small = meshes::ball(2, 0.4);
    for _ in 0..15 {
        let pose = poses::random(&mut rng, 1.2);
        conforms(&ball, &ball, &pose, &mut rng, &mut warm);
        conforms(&ball, &small, &pose, &mut rng, &mut warm);
        conforms(&small, &ball, &pose, &mut rng, &mut warm);
    }
}

#[test]
fn empty_single_flat_equal_and_distant_meshes_have_the_oracles_pairs() {
    let mut rng = Rng::new(4);
    let mut warm = BoxTreeCache::default();
    let many = [
        TriMesh::default(),
        TriMesh::from_points([[0.0; 3]; 4], []).unwrap(),
        meshes::cuboid(DVec3::ZERO, DVec3::ONE),
        meshes::sheet(4, |_, _| 0.0),
        TriMesh::from_points([[1.0; 3]], [[0, 0, 0]; 30]).unwrap(),
        TriMesh::from_points([[1.0; 3], [1.0, 2.0, 1.0]], [[0, 1, 0]; 20]).unwrap(),
    ];
    let far = Pose::from_translation([1e40, -1e40, 1e44]).unwrap();
    for a in &many {
        for b in &many {
            conforms(a, b, &Pose::IDENTITY, &mut rng, &mut warm);
            conforms(a, b, &far, &mut rng, &mut warm);
        }
    }
}

#[test]
fn meshes_as_large_and_as_small_as_numbers_allow_have_the_oracles_pairs() {
    let mut rng = Rng::new(5);
    let mut warm = BoxTreeCache::default();
    for size in [2f64.powi(147), 1e30, 1e-30, 1e-290, 1e-305] {
        for _ in 0..8 {
            let scaled = |mesh: &TriMesh| {
                let points = mesh.positions().iter().map(|&p| p * size);
                TriMesh::new(points.collect(), mesh.faces().to_vec()).unwrap()
            };
            let a = scaled(&meshes::grid_soup(&mut rng, 30, (0, 3)));
            let b = scaled(&meshes::random_soup(&mut rng, 30, 0.5));
            let turn = *poses::random(&mut rng, 0.0).rotation();
            let pose = Pose::new(turn, rng.cube() * 0.5 * size).unwrap();
            conforms(&a, &b, &pose, &mut rng, &mut warm);
        }
    }
}

#[test]
fn odd_coordinates_have_the_pairs_of_all_faces_tested_one_by_one() {
    const ODD: [f64; 12] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        MAX_COORDINATE,
        -MAX_COORDINATE,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        -1e-300,
        1e300 / 1e270,
        f64::EPSILON,
        0.1,
    ];
    let mut rng = Rng::new(13);
    let mut cache = BoxTreeCache::default();
    for _ in 0..400 {
        let mesh = |rng: &mut Rng| {
            let odd = |rng: &mut Rng| ODD[rng.below(12) as usize];
            let positions = (0..9).map(|_| DVec3::new(odd(rng), odd(rng), odd(rng)));
            let positions = positions.collect();
            let faces = (0..rng.below(20))
                .map(|_| std::array::from_fn(|_| rng.below(9) as u32))
                .collect();
            Arc::new(TriMesh::new(positions, faces).unwrap())
        };
        let (a, b) = (mesh(&mut rng), mesh(&mut rng));
        let pose = if rng.below(2) == 0 {
            poses::exact(&mut rng, 1)
        } else {
            poses::random(&mut rng, 1.0)
        };
        let default = Default::default();
        let truth = pairs_of::<FaceSweep>(&a, &b, &pose, &default, &mut Default::default());
        let truth = truth.unwrap();
        let config = cut_config(&mut rng);
        let cut = pairs_of::<CutTree>(&a, &b, &pose, &config, &mut cache);
        assert_eq!(cut.unwrap(), truth, "{config:?}");
        let config = box_config(&mut rng);
        let found = pairs_of::<BoxTree>(&a, &b, &pose, &config, &mut cache);
        assert_eq!(found.unwrap(), truth, "{config:?}");
        let config = restricted_config(&mut rng);
        let found = pairs_of::<RestrictedTree>(&a, &b, &pose, &config, &mut cache);
        assert_eq!(found.unwrap(), truth, "{config:?}");
    }
}

#[test]
fn every_scenario_of_the_corpus_has_its_pairs() {
    let mut rng = Rng::new(6);
    let mut warm = BoxTreeCache::default();
    for scenario in corpus::scenarios().unwrap() {
        let (a, b, a_from_b) = scenario.build().unwrap();
        conforms(&a, &b, &a_from_b, &mut rng, &mut warm);
    }
}

#[test]
fn trees_of_different_configurations_can_be_asked_together() {
    let mut rng = Rng::new(7);
    let mut cache = BoxTreeCache::default();
    for _ in 0..40 {
        let a = meshes::grid_soup(&mut rng, 40, (0, 3));
        let b = meshes::grid_soup(&mut rng, 40, (0, 3));
        let pose = poses::exact(&mut rng, 1);
        let truth = oracle::face_pairs(&a, &b, &pose);
        let tree_a = CutTree::build(Arc::new(a), &cut_config(&mut rng));
        let tree_b = CutTree::build(Arc::new(b), &cut_config(&mut rng));
        let mut pairs = Vec::new();
        let outcome =
            tree_a.intersections(&tree_b, &pose, Limits::default(), &mut cache, &mut pairs);
        assert_eq!(outcome, Outcome::Complete);
        pairs.sort_unstable();
        assert_eq!(pairs, truth);
    }
}

#[test]
fn leaf_pairs_hold_every_pair_of_faces() {
    let mut rng = Rng::new(10);
    let mut cache = BoxTreeCache::default();
    for _ in 0..20 {
        let ball = meshes::ball(2, 1.0);
        let pose = poses::random(&mut rng, 1.0);
        let tree = CutTree::build(Arc::new(ball.clone()), &cut_config(&mut rng));
        let mut pairs: Vec<LeafPair> = Vec::new();
        let outcome = tree.leaf_pairs(&tree, &pose, Limits::default(), &mut cache, &mut pairs);
        assert_eq!(outcome, Outcome::Complete);
        let leaves = tree.leaves();
        let faces = |id: u32| leaves.iter().find(|leaf| leaf.id == id).unwrap().faces;
        for pair in oracle::face_pairs(&ball, &ball, &pose) {
            let (a, b) = (pair.a.index() as u32, pair.b.index() as u32);
            assert!(
                pairs
                    .iter()
                    .any(|p| faces(p.a).contains(&a) && faces(p.b).contains(&b))
            );
        }
    }
}

#[test]
fn tests_between_boxes_differ_in_work_only_as_expected() {
    let mut rng = Rng::new(11);
    let ball = Arc::new(meshes::ball(4, 1.0));
    let pose = poses::random(&mut rng, 1.0);
    let work = |test| {
        let config = CutTreeConfig {
            test,
            ..CutTreeConfig::default()
        };
        let tree = CutTree::build(ball.clone(), &config);
        let mut cache = BoxTreeCache::default();
        let _ = tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut Vec::new());
        cache.counts().work
    };
    let [flags, no_flags, separating, aligned] = TESTS.map(work);
    assert_eq!(flags.volume_tests, no_flags.volume_tests);
    assert!(flags.updates < no_flags.updates);
    assert_eq!(flags.volume_tests, separating.volume_tests);
    assert_eq!(separating.updates, 0);
    assert!(aligned.volume_tests > separating.volume_tests);
}
