//! Answers of probabilistic trees against the exact engine: mostly right, and always where they are certain.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::f64::consts::TAU;
use std::sync::Arc;

use impinge::average::*;
use impinge::bound::{Aabb, Kdop};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};

/// Wrong answers and queries of two copies of a mesh, one of them tumbling.
fn tumble<V: AverageVolume>(
    mesh: &TriMesh,
    config: &AverageConfig,
    options: &AverageOptions,
    steps: u32,
) -> [u32; 3] {
    let exact = WideTree::new(Arc::new(mesh.clone()));
    let tree = Arc::new(AverageTree::<V>::new(mesh, config));
    let mut query = AverageQuery::new(tree.clone(), tree, options.clone()).unwrap();
    let mut cache = WideCache::default();
    let size = mesh.bounds().diagonal().max_element();
    let [mut wrong, mut asked, mut certain] = [0; 3];
    for distance in 1..=10 {
        for step in 0..steps {
            let angle = TAU * f64::from(step) / f64::from(steps);
            let about_z = Pose::from_axis_angle(DVec3::Z, angle, [0.0; 3]).unwrap();
            let away = [0.11 * f64::from(distance) * size, 0.0, 0.0];
            let pose = Pose::from_axis_angle(DVec3::X, angle, away).unwrap() * about_z;
            let truth = exact.intersects(&exact, &pose, &mut cache);
            let verdict = query.at(&pose, Limits::default()).verdict;
            assert!((0.5..=1.0).contains(&verdict.confidence));
            if verdict.certain {
                assert!(!verdict.answer && !truth, "a certain answer is wrong");
                certain += 1;
            }
            wrong += u32::from(verdict.answer != truth);
            asked += 1;
        }
    }
    [wrong, asked, certain]
}

fn bodies() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("ball", generate::icosphere(1.0, 10).unwrap()),
        ("blob", generate::blob(12).unwrap()),
        ("gear", generate::gear(11, 3, 0.4, 0.4).unwrap()),
        ("car", generate::car_shell(40, 20).unwrap()),
        (
            "box",
            generate::cuboid(DVec3::new(1.0, 1.0, 1.0), [1, 1, 1]).unwrap(),
        ),
        (
            "cage",
            generate::merged(&generate::cage(10.0, 1.0, 1).unwrap()).unwrap(),
        ),
        ("pipes", generate::pipes(7, 3, 10, 8, 5).unwrap()),
    ]
}

#[test]
fn certain_answers_are_right_and_the_others_mostly() {
    let (config, options) = (AverageConfig::default(), AverageOptions::default());
    let (mut all_wrong, mut all_asked) = (0, 0);
    for (name, mesh) in bodies() {
        let [wrong, asked, certain] = tumble::<Aabb>(&mesh, &config, &options, 40);
        assert!(
            100 * wrong <= 6 * asked,
            "{name}: {wrong} of {asked} are wrong"
        );
        assert!(name == "pipes" || certain > 0, "{name}");
        all_wrong += wrong;
        all_asked += asked;
    }
    assert!(
        100 * all_wrong <= 3 * all_asked,
        "{all_wrong} of {all_asked}"
    );
}

#[test]
fn every_variant_is_right_more_often_than_not_and_when_it_is_certain() {
    let config = AverageConfig::default();
    let options = AverageOptions::default();
    let octants = AverageConfig {
        split: Split::Octants,
        keep_factors: true,
        ..config
    };
    let exact = AverageConfig {
        counting: Counting::Exact,
        resolution: 0.05,
        ..config
    };
    for (name, mesh) in bodies().into_iter().skip(2).step_by(2) {
        let few = |[wrong, asked, _]: [u32; 3]| assert!(10 * wrong <= asked, "{name}: {wrong}");
        few(tumble::<Kdop<14>>(&mesh, &exact, &options, 8));
        few(tumble::<Kdop<18>>(&mesh, &config, &options, 8));
        few(tumble::<Aabb>(&mesh, &octants, &options, 8));
        few(tumble::<Aabb>(&mesh, &exact, &options, 8));
        for order in [
            Order::DepthFirst,
            Order::BreadthFirst,
            Order::LargestVolume,
            Order::Random(7),
            Order::Shrinking,
        ] {
            let options = AverageOptions {
                order,
                ..options.clone()
            };
            few(tumble::<Aabb>(&mesh, &octants, &options, 8));
        }
        let tables = Arc::new(BinTables::new(64, 10));
        for estimate in [Estimate::Expected, Estimate::Tables(tables)] {
            let options = AverageOptions {
                estimate,
                shared: SharedVolume::Exact,
                correction: Correction::Descend,
                certainty: Certainty::Own(|pair| 1.0 - pair.edges[0].max(pair.edges[1]).min(1.0)),
                ..options.clone()
            };
            few(tumble::<Aabb>(&mesh, &exact, &options, 8));
        }
        // As published nothing is promised but that certain answers are right.
        let _ = tumble::<Aabb>(
            &mesh,
            &AverageConfig::thesis(),
            &AverageOptions::thesis(),
            2,
        );
    }
}

#[test]
fn tables_and_computing_give_the_same_answers() {
    let mesh = generate::blob(6).unwrap();
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &AverageConfig::thesis()));
    let with = |estimate| AverageOptions {
        estimate,
        ..AverageOptions::thesis()
    };
    let tables = Estimate::Tables(Arc::new(BinTables::new(128, 10)));
    let query = |options| AverageQuery::new(tree.clone(), tree.clone(), options).unwrap();
    let mut computed = query(with(Estimate::Capped { x_max: 10 }));
    let mut looked_up = query(with(tables));
    for i in 0..30 {
        let pose = Pose::from_axis_angle(
            [1.0, 0.3, 0.2],
            0.2 * f64::from(i),
            [0.1 * f64::from(i), 0.1, 0.0],
        )
        .unwrap();
        let limits = Limits::default();
        assert_eq!(computed.at(&pose, limits), looked_up.at(&pose, limits));
    }
}

#[test]
fn walls_along_the_axes_are_not_lost() {
    let room = generate::merged(&generate::cage(10.0, 0.5, 1).unwrap()).unwrap();
    let bar = generate::cuboid(DVec3::new(4.0, 0.6, 0.6), [1, 1, 1]).unwrap();
    let [room, bar] = [&room, &bar]
        .map(|mesh| Arc::new(AverageTree::<Aabb>::new(mesh, &AverageConfig::default())));
    for k_min in [1, 5, 10] {
        let options = AverageOptions {
            k_min,
            ..AverageOptions::default()
        };
        let mut query = AverageQuery::new(room.clone(), bar.clone(), options).unwrap();
        for y in -4..=4 {
            let at = |x: f64| {
                Pose::from_translation([x, 0.9 * f64::from(y), 0.37 * f64::from(y)]).unwrap()
            };
            assert!(
                query.at(&at(5.2), Limits::default()).verdict.answer,
                "through the wall at {y}"
            );
            let inside = query.at(&at(2.0), Limits::default()).verdict;
            assert!(
                !inside.answer && inside.certain,
                "inside of the room at {y}"
            );
        }
    }
}

#[test]
fn degenerate_meshes_are_answered() {
    let point = [0.25; 3];
    let meshes = [
        TriMesh::default(),
        TriMesh::from_points([point, point, point], [[0, 1, 2]]).unwrap(),
        TriMesh::from_points([[0.0; 3], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[0, 1, 2]]).unwrap(),
        TriMesh::from_points(
            [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            vec![[0, 1, 2]; 50],
        )
        .unwrap(),
        TriMesh::from_points([[0.0; 3], [1e44, 0.0, 0.0], [0.0, 1e44, 0.0]], [[0, 1, 2]]).unwrap(),
        TriMesh::from_points(
            [[0.0; 3], [1e-300, 0.0, 0.0], [0.0, 1e-300, 0.0]],
            [[0, 1, 2]],
        )
        .unwrap(),
    ];
    let configs = [
        AverageConfig::default(),
        AverageConfig::thesis(),
        AverageConfig {
            resolution: f64::NAN,
            leaf_faces: 0,
            kappa: f64::NAN,
            split: Split::Octants,
            keep_factors: true,
            ..AverageConfig::default()
        },
    ];
    for config in configs {
        let trees = meshes
            .each_ref()
            .map(|mesh| Arc::new(AverageTree::<Kdop<8>>::new(mesh, &config)));
        for a in &trees {
            for b in &trees {
                for options in [AverageOptions::default(), AverageOptions::thesis()] {
                    let mut query = AverageQuery::new(a.clone(), b.clone(), options).unwrap();
                    for shift in [0.0, 0.5, 3.0] {
                        let pose = Pose::from_translation([shift, 0.0, 0.0]).unwrap();
                        let found = query.at(&pose, Limits::default());
                        assert!(!found.verdict.certain || !found.verdict.answer);
                        if a.is_empty() || b.is_empty() {
                            assert!(found.verdict.certain);
                        }
                    }
                }
            }
        }
    }
    let tree = Arc::new(AverageTree::<Aabb>::new(
        &meshes[3],
        &AverageConfig::default(),
    ));
    for (p_min, k_min, ignore_below) in [
        (0.0, 1, 0.0),
        (1.1, 1, 0.0),
        (f64::NAN, 1, 0.0),
        (0.9, 0, 0.0),
        (0.9, 1, 0.95),
    ] {
        let options = AverageOptions {
            p_min,
            k_min,
            ignore_below,
            ..AverageOptions::default()
        };
        assert!(AverageQuery::new(tree.clone(), tree.clone(), options).is_err());
    }
}

#[test]
fn limits_end_a_search_and_smaller_demands_shorten_it() {
    let mesh = generate::blob(16).unwrap();
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &AverageConfig::default()));
    let query = |p_min: f64, k_min: u32| {
        let options = AverageOptions {
            p_min,
            k_min,
            max_regions: 3,
            ..AverageOptions::default()
        };
        AverageQuery::new(tree.clone(), tree.clone(), options).unwrap()
    };
    let pose = Pose::from_axis_angle([1.0, 2.0, 0.5], 0.8, [0.9, 0.3, 0.2]).unwrap();
    let mut last = u64::MAX;
    for (p_min, k_min) in [
        (0.99, 20),
        (0.99, 10),
        (0.99, 3),
        (0.99, 1),
        (0.9, 1),
        (0.5, 1),
    ] {
        let mut query = query(p_min, k_min);
        let found = query.at(&pose, Limits::default());
        assert!(found.work.volume_tests <= last);
        last = found.work.volume_tests;
        assert_eq!(found, query.at(&pose, Limits::default()), "the same twice");
        assert!(query.regions().len() <= 3);
        for region in query.regions() {
            let placed = region.b.transformed(&pose);
            assert!(region.a.overlaps(&placed) && region.probability >= p_min - 1e-6);
        }
    }
    for max_tests in [0, 1, 7, 40] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let found = query(0.99, 1000).at(&pose, limits);
        assert!(found.work.volume_tests <= max_tests);
        assert_eq!(found.outcome, Outcome::OutOfBudget);
        assert!(!found.verdict.certain);
    }
    let stopped = Limits {
        stop: Some(&|| true),
        ..Limits::default()
    };
    assert_eq!(
        query(0.99, 1000).at(&pose, stopped).outcome,
        Outcome::OutOfBudget
    );
}

#[test]
fn a_node_takes_at_most_36_bytes() {
    let tree = AverageTree::<Aabb>::new(
        &generate::icosphere(1.0, 20).unwrap(),
        &AverageConfig::default(),
    );
    assert!(tree.bytes_per_node() <= 36.0);
}
