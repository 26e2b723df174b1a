//! Every way to build and to descend a tree gives the oracle's pairs; refitted trees answer as rebuilt ones.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::num::NonZeroU8;
use std::sync::Arc;

use impinge::bound::{Aabb, Ball, BoundingVolume, Kdop, Lss, Obb, ObbRss, Rss};
use impinge::bvh::tree::{
    Arity, Builder, Bvh, BvhCache, BvhConfig, BvhPreset, Descent, RefitError, RefitRule, SplitAxis,
    SplitPoint, Straddle, TopDown,
};
use impinge::bvh::{DistanceIndex, MeshIndex};
use impinge::math::Rng;
use impinge::query::{FacePair, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::conformance::mesh_index;
use impinge_testkit::corpus::fingerprint;
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::{golden, oracle};

fn builders() -> Vec<Builder> {
    let mut all = vec![
        Builder::BinnedSah,
        Builder::Median,
        Builder::LongestSide,
        Builder::bottom_up(),
        Builder::BottomUp {
            search: NonZeroU8::MIN,
        },
        Builder::Insertion,
        Builder::BestOf(vec![]),
        Builder::BestOf(vec![
            Builder::Median,
            Builder::BestOf(vec![Builder::Insertion, Builder::BinnedSah]),
        ]),
    ];
    for axis in SplitAxis::ALL {
        for point in SplitPoint::ALL {
            for straddle in Straddle::ALL {
                all.push(Builder::TopDown(TopDown {
                    axis,
                    point,
                    straddle,
                }));
            }
        }
    }
    all
}

/// Meshes that are hard to part: copies on one place, stacks, points, lines.
fn degenerate() -> Vec<TriMesh> {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let copies = meshes::soup([triangle; 33]);
    let stack = meshes::soup((0..20).map(|i| triangle.map(|p| p + DVec3::Z * f64::from(i % 3))));
    let points = meshes::soup((0..9).map(|i| [DVec3::splat(f64::from(i % 2)); 3]));
    let line = meshes::soup((0..17).map(|i| {
        let x = f64::from(i);
        [DVec3::X * x, DVec3::X * (x + 1.0), DVec3::X * (x + 0.5)]
    }));
    let one = meshes::soup([triangle]);
    let two = meshes::soup([triangle; 2]);
    let sizes = meshes::soup((0..40).map(|i| triangle.map(|p| p * 2f64.powi(i - 20))));
    let flat = meshes::sheet(5, |_, _| 0.0);
    // So small that products of coordinates vanish, or that even differences are denormal.
    let tiny = |scale: f64| {
        let mut rng = Rng::new(9);
        meshes::soup((0..12).map(|_| std::array::from_fn(|_| rng.cube() * scale)))
    };
    vec![
        copies,
        stack,
        points,
        line,
        one,
        two,
        sizes,
        flat,
        TriMesh::default(),
        tiny(1e-170),
        tiny(1e-301),
        tiny(1e-320),
    ]
}

#[test]
fn every_builder_arity_and_leaf_size_gives_the_oracles_pairs() {
    let mut rng = Rng::new(1);
    let mut warm = BvhCache::default();
    for builder in builders() {
        for (round, arity) in Arity::ALL.into_iter().enumerate() {
            let config = BvhConfig {
                arity,
                leaf_faces: [0, 3, 8][round],
                builder: builder.clone(),
                ..BvhConfig::default()
            };
            let range = grid::RANGES[round];
            let a = meshes::grid_soup(&mut rng, 37, range);
            let b = meshes::random_soup(&mut rng, 31, 0.8);
            let pose = poses::random(&mut rng, 0.3);
            let check = |e: Result<(), String>| e.unwrap_or_else(|e| panic!("{config:?}: {e}"));
            check(mesh_index::<Bvh<Aabb>>(&a, &b, &pose, &config, &mut warm));
            check(mesh_index::<Bvh<Obb>>(&b, &a, &pose, &config, &mut warm));
            let exact = poses::exact(&mut rng, 1);
            check(mesh_index::<Bvh<Kdop<18>>>(
                &a, &a, &exact, &config, &mut warm,
            ));
        }
    }
}

#[test]
fn every_builder_handles_coincident_flat_and_collapsed_faces() {
    let mut warm = BvhCache::default();
    let all = degenerate();
    for builder in builders() {
        for arity in [Arity::Two, Arity::Eight] {
            let config = BvhConfig {
                arity,
                builder: builder.clone(),
                ..BvhConfig::default()
            };
            for mesh in &all {
                let tree = Bvh::<Aabb>::build(Arc::new(mesh.clone()), &config);
                tree.validate()
                    .unwrap_or_else(|e| panic!("{builder:?}: {e}"));
                let quality = tree.quality();
                assert!(quality.depth <= 80, "{builder:?}: {quality:?}");
                assert!(quality.references >= mesh.face_count());
            }
            let (a, b) = (&all[0], &all[1]);
            mesh_index::<Bvh<Obb>>(a, b, &Pose::IDENTITY, &config, &mut warm).unwrap();
            mesh_index::<Bvh<Rss>>(b, &all[3], &Pose::IDENTITY, &config, &mut warm).unwrap();
        }
    }
}

#[test]
fn meshes_of_almost_no_extent_have_the_oracles_pairs() {
    let mut warm = BvhCache::default();
    let still = Pose::IDENTITY;
    for builder in [
        Builder::BinnedSah,
        Builder::LongestSide,
        Builder::TopDown(TopDown {
            straddle: Straddle::Both,
            ..TopDown::LONGEST_SIDE
        }),
        Builder::Insertion,
    ] {
        let config = BvhConfig {
            builder,
            ..BvhConfig::default()
        };
        for small in &degenerate()[9..] {
            mesh_index::<Bvh<Aabb>>(small, small, &still, &config, &mut warm).unwrap();
            mesh_index::<Bvh<Obb>>(small, small, &still, &config, &mut warm).unwrap();
            mesh_index::<Bvh<Rss>>(small, small, &still, &config, &mut warm).unwrap();
        }
    }
}

#[test]
fn coincident_faces_make_shallow_trees() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let copies = Arc::new(meshes::soup([triangle; 2000]));
    for builder in [
        Builder::BinnedSah,
        Builder::Median,
        Builder::LongestSide,
        Builder::bottom_up(),
        Builder::Insertion,
    ] {
        let config = BvhConfig {
            builder,
            ..BvhConfig::default()
        };
        let depth = Bvh::<Aabb>::build(copies.clone(), &config).quality().depth;
        assert!(depth <= 24, "{:?}: depth {depth}", config.builder);
    }
}

#[test]
fn every_descent_gives_the_oracles_pairs_and_the_same_distance() {
    let mut rng = Rng::new(3);
    let mut warm = BvhCache::default();
    for round in 0..12 {
        let a = meshes::grid_soup(&mut rng, 40, grid::RANGES[round % 4]);
        let b = meshes::random_soup(&mut rng, 30, 0.5);
        let pose = poses::random(&mut rng, 2.0);
        let mut distances = Vec::new();
        for descent in Descent::ALL {
            for arity in Arity::ALL {
                let config = BvhConfig {
                    arity,
                    leaf_faces: 2,
                    descent,
                    ..BvhConfig::default()
                };
                mesh_index::<Bvh<Obb>>(&a, &b, &pose, &config, &mut warm).unwrap();
                mesh_index::<Bvh<Ball>>(&b, &a, &pose, &config, &mut warm).unwrap();
                let tree = |m: &TriMesh| Bvh::<Rss>::build(Arc::new(m.clone()), &config);
                let found = tree(&a).distance(&tree(&b), &pose, Limits::default(), &mut warm);
                distances.push(found.value.unwrap().distance.to_bits());
            }
        }
        distances.dedup();
        assert_eq!(distances.len(), 1);
    }
}

fn pairs<V: BoundingVolume>(a: &Bvh<V>, b: &Bvh<V>, pose: &Pose) -> Vec<FacePair> {
    let mut pairs = Vec::new();
    let outcome = a.intersections(
        b,
        pose,
        Limits::default(),
        &mut BvhCache::default(),
        &mut pairs,
    );
    assert_eq!(outcome, Outcome::Complete);
    pairs.sort_unstable();
    pairs
}

fn refits<V: BoundingVolume>() {
    let mut rng = Rng::new(4);
    for round in 0..20 {
        let config = BvhConfig {
            arity: Arity::ALL[round % 3],
            leaf_faces: 1 + (round % 4) as u8,
            refit: [RefitRule::Children, RefitRule::Faces][round % 2],
            builder: if round % 5 == 0 {
                Builder::TopDown(TopDown {
                    straddle: Straddle::Both,
                    ..TopDown::LONGEST_SIDE
                })
            } else {
                Builder::BinnedSah
            },
            ..BvhConfig::default()
        };
        let still = meshes::random_soup(&mut rng, 50, 0.4);
        let moved = TriMesh::new(
            still
                .positions()
                .iter()
                .map(|&p| p * 1.5 + 0.4 * rng.cube())
                .collect(),
            still.faces().to_vec(),
        )
        .unwrap();
        let other = meshes::random_soup(&mut rng, 40, 0.5);
        let pose = poses::random(&mut rng, 0.3);
        let mut tree = Bvh::<V>::build(Arc::new(still), &config);
        let work = tree.refit(Arc::new(moved.clone())).unwrap();
        assert_eq!(work.updates as usize, tree.quality().nodes);
        tree.validate().unwrap();
        let rebuilt = Bvh::<V>::build(Arc::new(moved.clone()), &config);
        let other_tree = Bvh::<V>::build(Arc::new(other.clone()), &config);
        let truth = oracle::face_pairs(&moved, &other, &pose);
        assert_eq!(pairs(&tree, &other_tree, &pose), truth);
        assert_eq!(pairs(&rebuilt, &other_tree, &pose), truth);
        let cache = &mut BvhCache::default();
        let before = tree.distance(&other_tree, &pose, Limits::default(), cache);
        let after = rebuilt.distance(&other_tree, &pose, Limits::default(), cache);
        assert_eq!(
            before.value.map(|s| s.distance),
            after.value.map(|s| s.distance)
        );
    }
}

#[test]
fn a_refitted_tree_answers_as_a_new_one() {
    refits::<Aabb>();
    refits::<Obb>();
    refits::<Kdop<14>>();
    refits::<Ball>();
    refits::<Lss>();
    refits::<Rss>();
    refits::<ObbRss>();
}

#[test]
fn boxes_refitted_in_place_are_the_boxes_of_a_new_tree() {
    let ball = Arc::new(meshes::ball(3, 1.0));
    let mut tree = Bvh::<Aabb>::build(ball.clone(), &BvhConfig::default());
    let before = tree.quality();
    tree.refit(ball).unwrap();
    assert_eq!(tree.quality(), before);
}

#[test]
fn a_tree_refuses_a_mesh_with_other_faces() {
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let mut faces = cube.faces().to_vec();
    faces[5] = [0, 1, 2];
    let other = TriMesh::new(cube.positions().to_vec(), faces).unwrap();
    let mut tree = Bvh::<Aabb>::build(Arc::new(cube), &BvhConfig::default());
    let refused = tree.refit(Arc::new(other)).unwrap_err();
    assert!(matches!(refused, RefitError::OtherFaces { face: 5, .. }));
    tree.validate().unwrap();
}

#[test]
fn the_best_of_several_costs_no_more_than_each() {
    let ball = Arc::new(meshes::ball(4, 1.0));
    let several = vec![
        Builder::Median,
        Builder::LongestSide,
        Builder::bottom_up(),
        Builder::BinnedSah,
    ];
    let cost = |builder: Builder| {
        let config = BvhConfig {
            builder,
            ..BvhConfig::default()
        };
        Bvh::<Aabb>::build(ball.clone(), &config).quality().sah_cost
    };
    let best = cost(Builder::BestOf(several.clone()));
    for builder in several {
        assert!(best <= cost(builder.clone()) * (1.0 + 1e-5), "{builder:?}");
    }
}

#[test]
fn quality_counts_what_is_there() {
    let ball = Arc::new(meshes::ball(4, 1.0));
    for arity in Arity::ALL {
        let config = BvhConfig {
            arity,
            leaf_faces: 4,
            ..BvhPreset::Fast.into()
        };
        let quality = Bvh::<Aabb>::build(ball.clone(), &config).quality();
        assert_eq!(quality.references, ball.face_count());
        assert!(quality.leaf_fill > 1.5 && quality.leaf_fill <= 4.0);
        assert!(quality.sah_cost > 1.0 && quality.volume_ratio > 1.0);
        assert!((0.0..1.0).contains(&quality.overlap));
        assert!(quality.depth < 16);
    }
}

#[test]
fn parts_make_tighter_boxes_of_long_faces() {
    // Long slanted slivers: their boxes are mostly air.
    let mut rng = Rng::new(7);
    let slivers = meshes::soup((0..300).map(|_| {
        let p = rng.cube();
        let along = rng.direction();
        [p, p + along, p + along + 0.01 * rng.direction()]
    }));
    let slivers = Arc::new(slivers);
    let volume = |straddle| {
        let config = BvhConfig {
            builder: Builder::TopDown(TopDown {
                straddle,
                ..TopDown::LONGEST_SIDE
            }),
            ..BvhConfig::default()
        };
        let tree = Bvh::<Aabb>::build(slivers.clone(), &config);
        tree.validate().unwrap();
        (tree.quality().volume_ratio, tree.quality().references)
    };
    let (whole, all) = volume(Straddle::Midpoint);
    let (parted, more) = volume(Straddle::Both);
    assert!(parted < whole, "{parted} {whole}");
    assert!(more > all && more <= 2 * all, "{more} {all}");
}

/// One line: what an engine finds between two bumpy sheets, in which order, and with how much work.
fn line<V: BoundingVolume>() -> String {
    let sheet = |seed| {
        let mut rng = Rng::new(seed);
        Arc::new(meshes::sheet(24, |_, _| rng.range(0.0, 0.8)))
    };
    let config = BvhConfig::default();
    let (a, b) = (
        Bvh::<V>::build(sheet(1), &config),
        Bvh::<V>::build(sheet(2), &config),
    );
    let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.05, [0.3, 0.4, 0.5]).unwrap();
    let (mut cache, mut pairs) = (BvhCache::default(), Vec::new());
    let _ = a.intersections(&b, &pose, Limits::default(), &mut cache, &mut pairs);
    let met = Bvh::<V>::work(&cache);
    let away = Pose::from_translation([0.3, 0.4, 2.0]).unwrap();
    let distance = a.distance(&b, &away, Limits::default(), &mut cache);
    let far = Bvh::<V>::work(&cache);
    format!(
        "{}: {} pairs {}, {} + {} tests; distance {:016x}, {} + {} tests\n",
        V::NAME,
        pairs.len(),
        fingerprint(&pairs),
        met.volume_tests,
        met.face_tests,
        distance.value.unwrap().distance.to_bits(),
        far.volume_tests,
        far.face_tests
    )
}

#[test]
fn answers_order_and_work_are_the_pinned_ones() {
    let text = [
        line::<Aabb>(),
        line::<Obb>(),
        line::<Kdop<8>>(),
        line::<Kdop<18>>(),
        line::<Kdop<26>>(),
        line::<Ball>(),
        line::<Lss>(),
        line::<Rss>(),
        line::<ObbRss>(),
    ];
    golden::check("trees", &text.concat()).unwrap();
}

#[test]
fn work_and_order_are_the_same_every_time() {
    let a = meshes::ball(4, 1.0);
    let mut rng = Rng::new(8);
    let pose = poses::random(&mut rng, 0.9);
    let run = |descent| {
        let config = BvhConfig {
            descent,
            ..BvhConfig::default()
        };
        let tree = Bvh::<Obb>::build(Arc::new(a.clone()), &config);
        let (mut cache, mut pairs) = (BvhCache::default(), Vec::new());
        let _ = tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut pairs);
        let work = Bvh::<Obb>::work(&cache);
        let again = {
            let _ =
                tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut Vec::new());
            Bvh::<Obb>::work(&cache)
        };
        assert_eq!(work, again);
        (pairs, work)
    };
    for descent in Descent::ALL {
        assert_eq!(run(descent), run(descent));
    }
    // Opening the larger node takes fewer tests than opening one tree first.
    let tests = |descent| run(descent).1.tests();
    assert!(tests(Descent::Larger) < tests(Descent::FirstTree));
}
