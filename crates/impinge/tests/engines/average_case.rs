//! Answers of probabilistic trees against the exact engine: mostly right, and always where they are certain.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::cell::Cell;
use std::f64::consts::TAU;
use std::sync::Arc;

use impinge::average_case::*;
use impinge::bound::{Aabb, Kdop};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate;
use impinge::math::Rng;
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
    // Wrong and certain answers of 400 each; a few more or less are no change for the worse.
    let known = [
        [0, 40],
        [22, 130],
        [11, 45],
        [0, 168],
        [0, 12],
        [0, 12],
        [10, 253],
    ];
    for ((name, mesh), [most_wrong, least_certain]) in bodies().into_iter().zip(known) {
        let [wrong, asked, certain] = tumble::<Aabb>(&mesh, &config, &options, 40);
        assert_eq!(asked, 400);
        assert!(wrong <= most_wrong + 2, "{name}: {wrong} are wrong");
        assert!(
            certain + 3 >= least_certain,
            "{name}: {certain} are certain"
        );
    }
}

#[test]
fn every_variant_errs_as_rarely_as_known_and_never_when_it_is_certain() {
    let config = AverageConfig::default();
    let options = AverageOptions::default();
    let octants = AverageConfig {
        split: Arity::Octants,
        keep_factors: true,
        ..config
    };
    let exact = AverageConfig {
        counting: CellCounting::Exact,
        resolution: 0.05,
        ..config
    };
    // Most wrong answers of any variant, of 80, and fewest certain ones.
    let known = [[3, 9], [0, 4], [4, 47]];
    let some = bodies().into_iter().skip(2).step_by(2);
    let mut published = Vec::new();
    for ((name, mesh), [most_wrong, least_certain]) in some.zip(known) {
        let few = |[wrong, asked, certain]: [u32; 3]| {
            assert_eq!(asked, 80);
            assert!(wrong <= most_wrong + 1, "{name}: {wrong} are wrong");
            assert!(
                certain + 1 >= least_certain,
                "{name}: {certain} are certain"
            );
        };
        few(tumble::<Kdop<14>>(&mesh, &exact, &options, 8));
        few(tumble::<Kdop<18>>(&mesh, &config, &options, 8));
        few(tumble::<Aabb>(&mesh, &octants, &options, 8));
        few(tumble::<Aabb>(&mesh, &exact, &options, 8));
        for order in [
            OpeningOrder::DepthFirst,
            OpeningOrder::BreadthFirst,
            OpeningOrder::LargestVolume,
            OpeningOrder::Random(7),
            OpeningOrder::Shrinking,
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
                correction: CellCorrection::Descend,
                certainty: Certainty::Own(|pair| 1.0 - pair.edges[0].max(pair.edges[1]).min(1.0)),
                ..options.clone()
            };
            few(tumble::<Aabb>(&mesh, &exact, &options, 8));
        }
        published.push(tumble::<Aabb>(
            &mesh,
            &AverageConfig::thesis(),
            &AverageOptions::thesis(),
            2,
        ));
    }
    // As published it answers no nearly always: wrong, asked and certain.
    assert_eq!(published, [[16, 20, 3], [18, 20, 2], [14, 20, 1]]);
}

/// The published search queues a pair only if it is at all likely; 0 as a threshold queues it
/// anyway.
#[test]
fn pairs_without_a_chance_are_pruned_as_published() {
    let mesh = generate::pipes(7, 3, 10, 8, 5).unwrap();
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &AverageConfig::thesis()));
    let query = |ignore_below| {
        let options = AverageOptions {
            ignore_below,
            ..AverageOptions::thesis()
        };
        AverageQuery::new(tree.clone(), tree.clone(), options).unwrap()
    };
    let published = AverageOptions::thesis().ignore_below;
    assert!(published > 0.0);
    let mut pruning = query(published);
    let mut smallest = query(f64::from_bits(1));
    let mut keeping = query(0.0);
    let size = mesh.bounds().diagonal().max_element();
    let (mut pruned_tests, mut kept_tests) = (0, 0);
    for i in 0..20 {
        let away = [(0.3 + 0.03 * f64::from(i)) * size, 0.0, 0.0];
        let pose = Pose::from_axis_angle([1.0, 0.3, 0.2], 0.3 * f64::from(i), away).unwrap();
        let pruned = pruning.at(&pose, Limits::default());
        let kept = keeping.at(&pose, Limits::default());
        assert_eq!(pruned, smallest.at(&pose, Limits::default()));
        assert!(pruned.work.volume_tests <= kept.work.volume_tests);
        // Roots have no certainty, and are opened all the same.
        assert!(pruned.work.volume_tests > 1 || kept.work.volume_tests == 1);
        pruned_tests += pruned.work.volume_tests;
        kept_tests += kept.work.volume_tests;
    }
    assert!(
        pruned_tests < kept_tests,
        "{pruned_tests} of {kept_tests} pairs"
    );
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
            split: Arity::Octants,
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
        (0.9, 1, f64::NAN),
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
fn options_that_make_no_sense_are_refused_by_name() {
    let mesh = generate::icosphere(1.0, 6).unwrap();
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &AverageConfig::default()));
    let ask = |options| AverageQuery::new(tree.clone(), tree.clone(), options);
    for refinement in [f64::NAN, f64::INFINITY, -1.0, 1e7, 1e300] {
        let options = AverageOptions {
            refinement,
            ..AverageOptions::default()
        };
        let refused = ask(options).unwrap_err();
        assert!(matches!(refused, AverageError::Refinement { .. }));
        assert!(refused.to_string().contains(&refinement.to_string()));
    }
    for certainty in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
        let options = AverageOptions {
            certainty: Certainty::Fixed(certainty),
            ..AverageOptions::default()
        };
        let refused = ask(options).unwrap_err();
        assert!(matches!(refused, AverageError::Certainty { .. }));
    }
    // The ends are accepted, and whatever a function of one's own gives: no number is as good as 0.
    let pose = Pose::from_axis_angle([1.0, 2.0, 0.5], 0.8, [0.9, 0.3, 0.2]).unwrap();
    let certainties = [
        Certainty::Fixed(0.0),
        Certainty::Fixed(1.0),
        Certainty::Own(|_| f64::NAN),
        Certainty::Own(|_| 0.0),
        Certainty::Own(|_| f64::INFINITY),
        Certainty::Own(|_| -7.0),
    ];
    let mut found = Vec::new();
    for certainty in certainties {
        for refinement in [0.0, 2.8, 1e6] {
            for (at_end, estimate) in [
                (UndecidedAnswer::Likelier, Estimate::Floor),
                (UndecidedAnswer::No, Estimate::Expected),
                (UndecidedAnswer::Likelier, Estimate::Expected),
            ] {
                for max_tests in [None, Some(1), Some(20)] {
                    let options = AverageOptions {
                        certainty,
                        refinement,
                        at_end,
                        estimate: estimate.clone(),
                        ..AverageOptions::default()
                    };
                    let limits = Limits {
                        max_tests,
                        ..Limits::default()
                    };
                    let answer = ask(options).unwrap().at(&pose, limits);
                    assert!((0.5..=1.0).contains(&answer.verdict.confidence));
                    assert!((0.0..=1.0).contains(&answer.best) && !answer.meetings.is_nan());
                    found.push(answer);
                }
            }
        }
    }
    let of = |certainty: usize| &found[27 * certainty..27 * (certainty + 1)];
    assert_eq!(of(2), of(3), "no number is 0");
    assert_eq!((of(5), of(4)), (of(0), of(1)), "brought into 0 to 1");
}

/// The mesh moved so that its coordinates are rounded there.
fn moved(mesh: &TriMesh, by: DVec3) -> TriMesh {
    let positions = mesh.positions().iter().map(|p| *p + by).collect();
    TriMesh::new(positions, mesh.faces().to_vec()).unwrap()
}

#[test]
fn a_proven_no_is_one_far_from_the_origin_too() {
    let bodies = [
        generate::cuboid(DVec3::new(1.0, 0.8, 0.7), [1, 1, 1]).unwrap(),
        generate::icosphere(0.6, 4).unwrap(),
    ];
    let mut rng = Rng::new(31);
    for (far, is_told) in [
        (1e6, true),
        (1e9, true),
        (1e11, true),
        (1e12, true),
        (1e14, false),
    ] {
        let [mut certain, mut met, mut coins] = [0; 3];
        for k in 0..10 {
            // Each mesh far away in its own frame, and the pose brings both together again.
            let (at_a, at_b) = (rng.direction() * far, rng.direction() * far);
            let meshes = [moved(&bodies[k % 2], at_a), moved(&bodies[1], at_b)];
            let exact = meshes
                .each_ref()
                .map(|mesh| WideTree::new(Arc::new(mesh.clone())));
            let [a, b] = meshes
                .each_ref()
                .map(|mesh| Arc::new(AverageTree::<Aabb>::new(mesh, &AverageConfig::default())));
            let mut query = AverageQuery::new(a, b, AverageOptions::default()).unwrap();
            for _ in 0..40 {
                let angle = TAU * rng.unit();
                let turn = Pose::from_axis_angle(rng.direction(), angle, [0.0; 3]).unwrap();
                // About where they touch.
                let apart = rng.direction() * (1.0 + 0.4 * rng.unit());
                let away = at_a + apart - turn.transform_point(at_b);
                let pose = Pose::from_translation(away).unwrap() * turn;
                let truth = exact[0].intersects(&exact[1], &pose, &mut WideCache::default());
                let verdict = query.at(&pose, Limits::default()).verdict;
                assert!(!verdict.certain || !truth, "{far}: proven and wrong");
                certain += u32::from(verdict.certain);
                coins += u32::from(verdict.confidence == 0.5);
                met += u32::from(truth);
            }
        }
        assert!(met > 20, "{far}: {met} meet");
        if is_told {
            assert!(certain > 20 && coins < 40, "{far}: {certain} {coins}");
        } else {
            assert!(coins > 200, "{far}: {coins}");
        }
    }
}

#[test]
fn a_search_that_is_cut_short_is_not_sure_of_a_no() {
    let blob = generate::blob(16).unwrap();
    let ball = generate::icosphere(1.0, 16).unwrap();
    for mesh in [blob, ball] {
        let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &AverageConfig::default()));
        let mut query = AverageQuery::new(tree.clone(), tree, AverageOptions::default()).unwrap();
        for k in 0..20 {
            let angle = 0.3 * f64::from(k);
            let away = [0.05 * f64::from(k), 0.3, 0.2];
            let pose = Pose::from_axis_angle([1.0, 2.0, 0.5], angle, away).unwrap();
            let stopped = Limits {
                stop: Some(&|| true),
                ..Limits::default()
            };
            let found = query.at(&pose, stopped);
            assert_eq!(found.outcome, Outcome::OutOfBudget);
            assert_eq!(found.verdict.confidence, 0.5, "only the roots were seen");
            assert!(found.verdict.answer, "a coin's answer is on the safe side");
            for max_tests in [1, 2, 4, 8, 16, 32, 64] {
                let limits = Limits {
                    max_tests: Some(max_tests),
                    ..Limits::default()
                };
                let found = query.at(&pose, limits);
                let verdict = found.verdict;
                assert!(!verdict.certain, "the bodies meet");
                if max_tests == 1 {
                    assert_eq!(verdict.confidence, 0.5);
                }
                if found.outcome == Outcome::OutOfBudget && !verdict.answer {
                    assert!(verdict.confidence <= 0.65, "{max_tests}: {verdict:?}");
                }
            }
        }
    }
}

#[test]
fn nodes_below_larger_ones_are_tests_and_limits_hold_for_them() {
    let mesh = generate::blob(24).unwrap();
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &AverageConfig::fine()));
    let pose = Pose::from_axis_angle([1.0, 2.0, 0.5], 0.4, [0.1, 0.05, 0.02]).unwrap();
    let looks = Cell::new(0_u64);
    let look = || {
        looks.set(looks.get() + 1);
        false
    };
    let ask = |correction, limits: Limits<'_>| {
        let options = AverageOptions {
            correction,
            // Every pair that overlaps is looked into, whatever it is thought to be.
            k_min: u32::MAX,
            p_min: 1.0,
            at_end: UndecidedAnswer::No,
            leaves: LeafRule::Boxes,
            ..AverageOptions::default()
        };
        looks.set(0);
        let found = AverageQuery::new(tree.clone(), tree.clone(), options)
            .unwrap()
            .at(&pose, limits);
        (found, looks.get())
    };
    let all = Limits {
        stop: Some(&look),
        ..Limits::default()
    };
    let (pairs, looks_at_pairs) = ask(CellCorrection::Sheet, all);
    let (both, looks_at_both) = ask(CellCorrection::Descend, all);
    assert_eq!(
        (pairs.outcome, both.outcome),
        (Outcome::Complete, Outcome::Complete)
    );
    let walked = both.work.volume_tests - pairs.work.volume_tests;
    assert!(walked > 20_000, "{walked} nodes below larger ones");
    assert_eq!(looks_at_both - looks_at_pairs, walked / 4096);
    for max_tests in [
        2,
        3,
        50,
        pairs.work.volume_tests,
        both.work.volume_tests - 1,
    ] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let (found, _) = ask(CellCorrection::Descend, limits);
        assert_eq!(found.outcome, Outcome::OutOfBudget);
        assert_eq!(found.work.volume_tests, max_tests);
    }
    let enough = Limits {
        max_tests: Some(both.work.volume_tests),
        ..Limits::default()
    };
    assert_eq!(ask(CellCorrection::Descend, enough).0, both);
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
fn other_numbers_of_cells_answer_as_well_and_are_not_mixed() {
    let mesh = generate::pipes(7, 3, 10, 8, 5).unwrap();
    let with = |cells_per_side| AverageConfig {
        cells_per_side,
        ..AverageConfig::default()
    };
    for cells in [4, 16] {
        // As many parts along an edge as with eight cells.
        let options = AverageOptions {
            refinement: 2.8 * 8.0 / f64::from(cells),
            ..AverageOptions::default()
        };
        let [wrong, asked, _] = tumble::<Aabb>(&mesh, &with(cells), &options, 40);
        assert!(asked == 400 && wrong <= 24, "{cells}: {wrong}");
    }
    let [few, many] = [4, 16].map(|cells| Arc::new(AverageTree::<Aabb>::new(&mesh, &with(cells))));
    assert_eq!(
        AverageQuery::new(few.clone(), many, AverageOptions::default()).err(),
        Some(AverageError::Cells { a: 4, b: 16 })
    );
    // Beyond what there is.
    let [none, most] = [0, 99].map(|cells| AverageTree::<Aabb>::new(&mesh, &with(cells)));
    assert_eq!((none.cells_per_side(), most.cells_per_side()), (1, 16));
}

/// Two balls apart, shifted against two more: contacts are where balls meet.
#[test]
fn contacts_at_different_places_are_told_apart() {
    let ball = generate::icosphere(1.0, 16).unwrap();
    let at = |x: f64| {
        let pose = Pose::from_translation([x, 0.0, 0.0]).unwrap();
        ball.placed(&pose).unwrap()
    };
    let (left, right) = (at(-3.0), at(3.0));
    let mut positions = left.positions().to_vec();
    let first = positions.len() as u32;
    positions.extend(right.positions());
    let mut faces = left.faces().to_vec();
    faces.extend(right.faces().iter().map(|f| f.map(|v| v + first)));
    let pair = TriMesh::new(positions, faces).unwrap();
    let tree = Arc::new(AverageTree::<Aabb>::new(&pair, &AverageConfig::default()));
    let options = AverageOptions {
        k_min: 100_000,
        max_regions: 400,
        ..AverageOptions::default()
    };
    let mut query = AverageQuery::new(tree.clone(), tree, options).unwrap();
    let mut contacts = |shift: [f64; 3]| {
        let answer = query.at(&Pose::from_translation(shift).unwrap(), Limits::default());
        assert!(answer.verdict.answer);
        let contacts = distinct_contacts(query.regions());
        assert!(contacts.len() < query.regions().len());
        contacts
    };
    // Side by side, each meets its copy; shifted along, only one meets a ball.
    let is_left = |contact: &ContactRegion| contact.a.max.x < 0.0;
    let is_right = |contact: &ContactRegion| contact.a.min.x > 0.0;
    let both = contacts([0.0, 1.2, 0.3]);
    assert!(both.iter().any(is_left) && both.iter().any(is_right));
    assert!(
        both.iter()
            .all(|contact| is_left(contact) || is_right(contact))
    );
    assert!(contacts([5.0, 0.3, 0.2]).iter().all(is_right));
}

#[test]
fn a_node_has_20_bytes_and_what_its_volume_and_factors_need() {
    let mesh = generate::icosphere(1.0, 20).unwrap();
    let config = AverageConfig::default();
    let keeping = AverageConfig {
        keep_factors: true,
        ..config
    };
    let boxes = |config| AverageTree::<Aabb>::new(&mesh, config).bytes_per_node();
    assert_eq!([boxes(&config), boxes(&keeping)], [20.0, 24.0]);
    let kdops = AverageTree::<Kdop<18>>::new(&mesh, &config).bytes_per_node();
    assert_eq!(kdops, (20 + size_of::<Kdop<18>>()) as f64);
}
