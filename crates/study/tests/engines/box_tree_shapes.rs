//! The shapes of trees of cut boxes: what leaves hold, how memory grows, where cuts go.

use std::sync::Arc;

use crate::box_trees::{STRATEGIES, cut_config};
use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::box_tree::{
    BoxTreeCache, CutStrategy, CutTree, CutTreeConfig, RestrictedTree, RestrictedTreeConfig,
};
use impinge_testkit::generate::meshes;

#[test]
fn leaves_of_a_cut_tree_tile_the_box_and_hold_what_enters_them() {
    let mut rng = Rng::new(8);
    for _ in 0..60 {
        let size = rng.range(0.05, 0.8);
        let mesh = meshes::random_soup(&mut rng, 80, size);
        let config = cut_config(&mut rng);
        let tree = CutTree::build(Arc::new(mesh.clone()), &config);
        tree.validate().unwrap();
        let leaves = tree.leaves();
        let volume: f64 = leaves.iter().map(|leaf| leaf.bounds.volume()).sum();
        let whole = mesh.bounds().volume();
        assert!((volume - whole).abs() <= 1e-9 * whole, "the leaves tile");
        for (i, p) in leaves.iter().enumerate() {
            assert!(p.depth <= config.max_depth);
            for q in &leaves[..i] {
                assert!(p.bounds.intersection(&q.bounds).volume() <= 1e-9 * whole);
            }
            for face in mesh.face_ids() {
                let of = Aabb::enclosing(mesh.face(face).unwrap());
                let shrunk = p.bounds.inflated(-tree.thickness() - 1e-12);
                if !shrunk.is_empty() && shrunk.overlaps(&of) {
                    assert!(p.faces.contains(&(face.index() as u32)));
                }
            }
        }
        let entries: usize = leaves.iter().map(|leaf| leaf.faces.len()).sum();
        assert_eq!(entries, tree.shape().face_entries);
        let allowed = f64::from(config.max_duplication.max(1));
        assert!(tree.shape().duplication <= allowed, "{:?}", tree.shape());
    }
}

#[test]
fn memory_grows_linearly_with_the_faces_of_a_ball() {
    let shape = |levels: u32, config: &CutTreeConfig| {
        CutTree::build(Arc::new(meshes::ball(levels, 1.0)), config).shape()
    };
    for strategy in STRATEGIES {
        let config = CutTreeConfig {
            strategy,
            ..CutTreeConfig::default()
        };
        let (small, large) = (shape(3, &config), shape(6, &config));
        assert!(large.duplication <= 4.0, "{strategy:?}: {large:?}");
        assert!(
            large.bytes < 64 * 2 * small.bytes,
            "{strategy:?}: {small:?} {large:?}"
        );
    }
}

#[test]
fn thick_planes_keep_regular_meshes_from_being_duplicated() {
    // Columns of faces that end at common planes only up to rounding.
    let wobble = |i: u32| f64::from(i) * (1.0 + 1e-13 * f64::from(i % 3));
    let flat = meshes::sheet(32, |_, _| 0.0);
    let points = flat.positions().iter().map(|p| {
        let shift = 1e-13 * ((p.x + 2.0 * p.y) % 3.0);
        DVec3::new(p.x + shift, wobble(p.y as u32), p.z)
    });
    let mesh = Arc::new(TriMesh::new(points.collect(), flat.faces().to_vec()).unwrap());
    let duplication = |thickness: f64| {
        let config = CutTreeConfig {
            thickness,
            min_faces: 2,
            ..CutTreeConfig::default()
        };
        CutTree::build(mesh.clone(), &config).shape().duplication
    };
    assert_eq!(duplication(1e-9), 1.0);
    assert!(duplication(0.0) > 1.2);
}

#[test]
fn weighted_bisection_stalls_on_clusters_where_the_others_do_not() {
    let mut rng = Rng::new(9);
    // Two clusters on a line, 300 and 200 faces: a balanced plane is in the first, far from the middle.
    let cluster = |rng: &mut Rng, n: usize, at: f64| {
        meshes::soup((0..n).map(|_| {
            let p = DVec3::new(at + 0.01 * rng.unit(), 0.0, 0.0);
            [p, p + 1e-5 * DVec3::ONE, p + 1e-5 * DVec3::Y]
        }))
    };
    let mesh = meshes::merged(&cluster(&mut rng, 300, 0.0), &cluster(&mut rng, 200, 1.0));
    let mesh = Arc::new(mesh);
    let first_leaf_sizes = |strategy| {
        let config = CutTreeConfig {
            strategy,
            max_depth: 1,
            max_iterations: 40,
            ..CutTreeConfig::default()
        };
        let tree = CutTree::build(mesh.clone(), &config);
        let sizes: Vec<usize> = tree.leaves().iter().map(|leaf| leaf.faces.len()).collect();
        sizes.iter().max().unwrap() - sizes.iter().min().unwrap()
    };
    assert!(first_leaf_sizes(CutStrategy::Median) <= 4);
    assert!(first_leaf_sizes(CutStrategy::Bisect) <= 4);
    let stalled = first_leaf_sizes(CutStrategy::Weighted);
    assert!(stalled > 15, "{stalled}");
}

#[test]
fn empty_leaves_are_made_where_there_is_room() {
    let two = meshes::merged(&meshes::ball(3, 0.3), &{
        let ball = meshes::ball(3, 0.3);
        let far = Pose::from_translation([4.0, 3.0, 2.0]).unwrap();
        ball.placed(&far).unwrap()
    });
    let tree = |empty_leaves| {
        let config = CutTreeConfig {
            empty_leaves,
            ..CutTreeConfig::default()
        };
        CutTree::build(Arc::new(two.clone()), &config)
    };
    assert_eq!(tree(false).shape().empty_leaves, 0);
    assert!(tree(true).shape().empty_leaves > 2);
    tree(true).validate().unwrap();
}

#[test]
fn more_sides_make_tighter_and_larger_restricted_trees() {
    let ball = Arc::new(meshes::ball(4, 1.0));
    let mut cache = BoxTreeCache::default();
    let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [1.7, 0.1, 0.0]).unwrap();
    let mut measure = |max_sides| {
        let config = RestrictedTreeConfig {
            max_sides,
            min_gain: 0.0,
            ..RestrictedTreeConfig::default()
        };
        let tree = RestrictedTree::build(ball.clone(), &config);
        tree.validate().unwrap();
        let _ = tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut Vec::new());
        (tree.plane_count(), cache.counts().work.volume_tests)
    };
    let (one, six) = (measure(1), measure(6));
    assert!(one.0 < six.0 && one.1 > six.1, "{one:?} {six:?}");
}
