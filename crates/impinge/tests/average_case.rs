//! Probabilistic trees: cells against brute-force cutting, probabilities against enumeration, answers against the exact engine.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::f64::consts::{SQRT_2, TAU};
use std::sync::Arc;

use impinge::average::*;
use impinge::bound::{Aabb, Kdop};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DMat3, DVec3, Pose, TriMesh};

/// The area of a triangle within a closed box, by cutting to one half-space after the other.
fn area_within(face: &[DVec3; 3], min: DVec3, max: DVec3) -> f64 {
    let mut polygon = face.to_vec();
    for axis in 0..3 {
        for (sign, at) in [(1.0, max[axis]), (-1.0, -min[axis])] {
            let above = |p: &DVec3| sign * p[axis] - at;
            let mut cut = Vec::new();
            for i in 0..polygon.len() {
                let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
                let (s, t) = (above(&p), above(&q));
                if s <= 0.0 {
                    cut.push(p);
                }
                if (s < 0.0) != (t < 0.0) && s != t {
                    cut.push(p.lerp(q, (s / (s - t)).clamp(0.0, 1.0)));
                }
            }
            polygon = cut;
        }
    }
    let mut sum = DVec3::ZERO;
    for i in 1..polygon.len().max(1) - 1 {
        sum += (polygon[i] - polygon[0]).cross(polygon[i + 1] - polygon[0]);
    }
    0.5 * sum.length()
}

fn some_meshes() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("ball", generate::icosphere(1.0, 6).unwrap()),
        ("soup", generate::soup(60, 0.7, 3).unwrap()),
        ("gear", generate::gear(9, 2, 0.3, 0.4).unwrap()),
        (
            "box",
            generate::cuboid(DVec3::new(1.0, 2.0, 0.5), [2, 3, 1]).unwrap(),
        ),
        ("pipes", generate::pipes(6, 2, 8, 6, 5).unwrap()),
    ]
}

#[test]
fn cells_are_counted_as_brute_force_cutting_counts_them() {
    let config = AverageConfig {
        resolution: 0.2,
        counting: Counting::Exact,
        kappa: 0.6,
        ..AverageConfig::default()
    };
    for (name, mesh) in some_meshes() {
        // Turned, so that no face lies in a plane of the grid.
        let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
        let mesh = mesh.placed(&turned).unwrap();
        let counter = CellCounter::new(&mesh, &config);
        let counts = counter.count(Counting::Exact);
        for node in (0..counts.len()).step_by(1 + counts.len() / 5) {
            let bounds = counter.bounds(node).unwrap();
            let cell = bounds.diagonal() / 8.0;
            let faces = counter.faces(node);
            let mut grid = CellGrid::new(&bounds);
            faces.iter().for_each(|face| grid.add(face));
            let enough = 0.6 * largest_section(cell);
            let (mut least, mut most) = (0, 0);
            for (i, &area) in grid.areas().iter().enumerate() {
                let at = DVec3::new((i % 8) as f64, (i / 8 % 8) as f64, (i / 64) as f64);
                let (min, max) = (bounds.min + cell * at, bounds.min + cell * (at + 1.0));
                let truth: f64 = faces.iter().map(|face| area_within(face, min, max)).sum();
                let scale = enough.max(truth);
                assert!(
                    (area - truth).abs() <= 1e-9 * scale,
                    "{name} {node} {i}: {area} {truth}"
                );
                least += u32::from(truth >= enough * (1.0 + 1e-7));
                most += u32::from(truth >= enough * (1.0 - 1e-7));
            }
            assert!((least..=most).contains(&counts[node]), "{name} {node}");
            let area: f64 = faces
                .iter()
                .map(|[p, q, r]| 0.5 * (*q - *p).cross(*r - *p).length())
                .sum();
            assert!((grid.areas().iter().sum::<f64>() - area).abs() <= 1e-9 * area);
        }
    }
}

#[test]
fn size_and_order_of_the_axes_do_not_change_the_cells() {
    for (name, mesh) in some_meshes() {
        let config = AverageConfig {
            counting: Counting::Exact,
            ..AverageConfig::default()
        };
        let root = |mesh: &TriMesh| AverageTree::<Aabb>::new(mesh, &config).cells(0).unwrap();
        let changed = |change: &dyn Fn(DVec3) -> DVec3| {
            let positions = mesh.positions().iter().map(|&p| change(p)).collect();
            TriMesh::new(positions, mesh.faces().to_vec()).unwrap()
        };
        assert_eq!(root(&mesh), root(&changed(&|p| p * 64.0)), "{name}");
        let permuted = root(&changed(&|p| DVec3::new(p.y, p.z, p.x)));
        assert!(
            root(&mesh).abs_diff(permuted) <= 2,
            "{name}: cells at the threshold alone may differ"
        );
        let mut faces = mesh.faces().to_vec();
        faces.reverse();
        let reversed = TriMesh::new(mesh.positions().to_vec(), faces).unwrap();
        assert!(root(&mesh).abs_diff(root(&reversed)) <= 1, "{name}");
    }
}

#[test]
fn a_lower_threshold_sees_walls_along_the_axes() {
    let bounds = Aabb {
        min: DVec3::ZERO,
        max: DVec3::ONE,
    };
    let mut grid = CellGrid::new(&bounds);
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.3);
    grid.add(&[corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0)]);
    grid.add(&[corner(0.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)]);
    assert_eq!(grid.count(1.0), 0);
    assert_eq!(grid.count(1.0 / SQRT_2), 64);
    // The plane through two opposite edges of the box fills the cells it halves.
    let mut grid = CellGrid::new(&bounds);
    let corner = |x: f64, y: f64| DVec3::new(x, y, x);
    grid.add(&[corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0)]);
    grid.add(&[corner(0.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)]);
    assert_eq!(grid.count(1.0), 64);
}

/// How many of the ways to place two colours fill at least `x` bins twice.
fn enumerated(u: u32, v: u32, w: u32, x: u32) -> f64 {
    let sets = |count: u32| (0_u32..1 << u).filter(move |s| s.count_ones() == count);
    let (mut all, mut enough) = (0_u64, 0_u64);
    let red = (1 << w) - 1;
    // One colour may stand anywhere: all places are alike.
    for blue in sets(v) {
        all += 1;
        enough += u64::from((blue & red as u32).count_ones() >= x);
    }
    enough as f64 / all as f64
}

#[test]
fn filled_bins_are_as_likely_as_enumeration_says() {
    for u in 1..=9 {
        for v in 0..=u {
            for w in 0..=u {
                for x in 0..=4 {
                    let (p, truth) = (filled_bins(u, v, w, x), enumerated(u, v, w, x));
                    assert!((p - truth).abs() < 1e-12, "{u} {v} {w} {x}: {p} {truth}");
                    assert!((p - filled_bins(u, w, v, x)).abs() < 1e-14);
                }
            }
        }
    }
    for (u, v, w, x, p) in [
        (8, 3, 2, 1, 1.0 - 20.0 / 56.0),
        (100, 10, 10, 1, 0.669_524),
        (100, 10, 10, 2, 0.261_528),
    ] {
        assert!((filled_bins(u, v, w, x) - p).abs() < 1e-6);
    }
    // The same with so many bins that the first term is no number.
    let (few, many) = (
        filled_bins(600, 300, 300, 151),
        filled_bins(601, 300, 300, 151),
    );
    assert!((few - many).abs() < 0.1 && many > 0.3);
}

#[test]
fn more_balls_make_filled_bins_likelier_and_more_bins_make_them_rarer() {
    let mut rng = Rng::new(1);
    for _ in 0..2000 {
        let u = 2 + rng.below(500) as u32;
        let [v, w] = [(); 2].map(|()| rng.below(u64::from(u)) as u32);
        let x = 1 + rng.below(10) as u32;
        let p = filled_bins(u, v, w, x);
        assert!((0.0..=1.0).contains(&p));
        assert!(filled_bins(u, v + 1, w, x) >= p - 1e-11);
        assert!(filled_bins(u + 1, v, w, x) <= p + 1e-11);
        assert!(filled_bins(u, v, w, x + 1) <= p + 1e-11);
        if v + w > u {
            assert_eq!(filled_bins(u, v, w, 1), 1.0);
        }
    }
}

#[test]
fn estimates_have_the_known_values_and_keep_their_order() {
    for (s, a, b, lb, p) in [
        (300, 50, 50, 0.5, 0.922_60),
        (300, 50, 50, 0.1, 0.414_05),
        (512, 64, 64, 0.5, 0.913_20),
        (100, 50, 50, 0.25, 0.943_69),
    ] {
        assert!((capped_probability(s, a, b, lb, 10) - p).abs() < 2e-5);
    }
    assert!((capped_probability(100, 50, 50, 0.25, 30) - 0.993_11).abs() < 2e-5);
    let mut rng = Rng::new(2);
    for _ in 0..2000 {
        let u = 1 + rng.below(512) as u32;
        let [v, w] = [(); 2].map(|()| rng.below(u64::from(u) + 1) as u32);
        let lb = rng.unit();
        let all = expected_probability(u, v, w, lb);
        assert!(capped_probability(u, v, w, lb, 10) <= all + 1e-5);
        let mean = f64::from(v) * f64::from(w) / f64::from(u);
        assert!(least_probability(mean, lb) <= all + 1e-10);
    }
}

#[test]
fn the_expectation_is_what_drawing_at_random_gives() {
    let mut rng = Rng::new(3);
    for (u, v, w, lb) in [
        (40_u32, 9_u32, 12_u32, 0.3),
        (8, 3, 2, 0.8),
        (100, 30, 20, 0.1),
    ] {
        const DRAWS: u32 = 40_000;
        let mut hits = 0;
        for _ in 0..DRAWS {
            let mut places: Vec<u32> = (0..u).collect();
            for i in 0..v {
                let j = i + rng.below(u64::from(u - i)) as u32;
                places.swap(i as usize, j as usize);
            }
            let filled = places[..v as usize].iter().filter(|&&place| place < w);
            hits += u32::from(filled.fold(false, |hit, _| (rng.unit() < lb) | hit));
        }
        let drawn = f64::from(hits) / f64::from(DRAWS);
        assert!((drawn - expected_probability(u, v, w, lb)).abs() < 0.012);
    }
}

#[test]
fn tables_hold_what_is_computed() {
    let tables = BinTables::new(48, 10);
    for u in 1..=48 {
        for v in 0..=u {
            for w in 0..=u {
                for x in 1..=10 {
                    let computed = filled_bins(u, v, w, x);
                    let kept = if computed >= 1.0 - 0.9e-5 {
                        1.0
                    } else {
                        f64::from(computed as f32)
                    };
                    assert_eq!(tables.at(u, v, w, x), kept, "{u} {v} {w} {x}");
                }
                for lb in [0.05, 0.4, 1.0] {
                    let computed = capped_probability(u, v, w, lb, 10);
                    assert_eq!(tables.estimate(u, v, w, lb), computed);
                }
            }
        }
    }
}

#[test]
fn boxes_share_what_sampling_says_and_slabs_are_never_less() {
    let mut rng = Rng::new(4);
    for case in 0..60 {
        let side = |rng: &mut Rng| {
            DVec3::new(
                rng.range(0.2, 1.0),
                rng.range(0.2, 1.0),
                rng.range(0.2, 1.0),
            )
        };
        let (half_a, half_b) = (side(&mut rng), side(&mut rng));
        let center = rng.cube() * 0.9;
        let angle = if case % 3 == 0 {
            0.0
        } else {
            rng.range(0.0, TAU)
        };
        let axis = rng.direction();
        let turn = *Pose::from_axis_angle(axis, angle, [0.0; 3])
            .unwrap()
            .rotation();
        let pair = BoxPair {
            half_a,
            half_b,
            center,
            turn,
        };
        let mut inside = 0;
        const DRAWS: u32 = 20_000;
        for _ in 0..DRAWS {
            let p = rng.cube() * half_a;
            let q = turn.transpose() * (p - center);
            inside += u32::from(q.abs().cmple(half_b).all());
        }
        let volume = 8.0 * half_a.element_product();
        let drawn = volume * f64::from(inside) / f64::from(DRAWS);
        let exact = pair.exact();
        assert!((drawn - exact).abs() <= 0.02 * volume, "{drawn} {exact}");
        assert!(pair.slabs() >= exact * (1.0 - 1e-9));
        if angle == 0.0 {
            assert!((pair.slabs() - exact).abs() <= 1e-9 * volume);
        }
    }
    // Sides in common are counted once.
    let same = BoxPair {
        half_a: DVec3::ONE,
        half_b: DVec3::ONE,
        center: DVec3::new(1.0, 0.0, 0.0),
        turn: DMat3::IDENTITY,
    };
    assert!((same.exact() - 4.0).abs() < 1e-12);
}

#[test]
fn the_published_volume_ends_at_the_diagonal_and_is_no_bound() {
    let unit = BoxPair {
        half_a: DVec3::new(1.0, 0.5, 0.5),
        half_b: DVec3::new(1.0, 0.5, 0.5),
        center: DVec3::ZERO,
        turn: DMat3::IDENTITY,
    };
    assert_eq!(unit.thesis(), 2.0);
    let away = |center: DVec3| BoxPair { center, ..unit };
    let mut last = f64::INFINITY;
    for i in 0..40 {
        let volume = away(DVec3::X * 0.1 * f64::from(i)).thesis();
        assert!(volume <= last);
        last = volume;
    }
    assert_eq!(last, 0.0);
    let mut worst = 0.0_f64;
    for i in 0..8000_u32 {
        let place = DVec3::new(
            f64::from(i % 20),
            f64::from(i / 20 % 20),
            f64::from(i / 400),
        );
        let pair = away(place * DVec3::new(0.1, 0.05, 0.05));
        if pair.exact() > 0.02 {
            worst = worst.max(pair.exact() / pair.thesis().max(1e-9));
        }
    }
    assert!(worst > 1.5, "{worst}");
}

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

#[test]
fn pairs_by_level_and_visits_have_the_known_values() {
    let growth = |overlap: f64, factor: f64| Growth {
        factors: DVec3::splat(factor),
        overlap,
        is_two_sided: false,
    };
    for (overlap, factor, pairs) in [
        (0.4, 0.5, [1, 3, 10, 28, 91, 351, 1378, 5356]),
        (0.4, 0.63, [3, 5, 12, 27, 77, 238, 806, 2893]),
        (0.4, 0.8, [3, 10, 21, 50, 118, 292, 752, 2022]),
        (0.15, 0.5, [1, 1, 3, 6, 15, 55, 210, 780]),
        (0.15, 0.9, [3, 5, 7, 10, 21, 40, 63, 96]),
    ] {
        assert_eq!(
            growth(overlap, factor).pairs(8),
            pairs.map(f64::from),
            "{overlap} {factor}"
        );
    }
    for (overlap, factor, levels, visits) in [
        (0.4, 0.5, 2, 0.44),
        (0.4, 0.5, 4, 0.70),
        (0.4, 0.5, 14, 1.52),
        (0.4, 0.63, 4, 3.40),
        (0.4, 0.63, 8, 8.12),
        (0.4, 0.63, 12, 30.98),
        (0.4, 0.8, 4, 19.91),
        (0.4, 0.8, 8, 142.63),
        (0.4, 0.8, 12, 1655.15),
        (0.15, 0.5, 14, 0.50),
        (0.15, 0.9, 12, 223.01),
    ] {
        let found = growth(overlap, factor).visits(levels);
        assert!(
            (found - visits).abs() <= 0.0051,
            "{overlap} {factor} {levels}: {found}"
        );
    }
    // Deep enough, everything overlaps along x.
    assert_eq!(growth(2.0, 0.7).pairs(5), [4.0, 16.0, 64.0, 256.0, 1024.0]);
}

#[test]
fn the_two_sided_sum_is_the_mean_over_all_places() {
    let (factor, overlap, levels) = (DVec3::new(0.8, 0.7, 0.75), 0.6, 6);
    let mut rng = Rng::new(5);
    let mut sum = 0.0;
    // One place in each square of a fine grid: few places make most of the visits.
    const SQUARES: u32 = 250;
    const PLACES: u32 = SQUARES * SQUARES;
    for i in 0..PLACES {
        let mut within = |k: u32| (f64::from(k) + rng.unit()) / f64::from(SQUARES) * 2.0 - 1.0;
        let start = DVec3::new(1.0 - overlap, within(i % SQUARES), within(i / SQUARES));
        let mut open = vec![(start, DVec3::ONE, 0)];
        while let Some((apart, size, level)) = open.pop() {
            sum += if level > 0 { 1.0 } else { 0.0 };
            if level == levels {
                continue;
            }
            let (shift, child) = (size * (1.0 - factor), size * factor);
            for apart in [apart - shift, apart, apart, apart + shift] {
                if apart.abs().cmplt(child).all() {
                    open.push((apart, child, level + 1));
                }
            }
        }
    }
    let growth = Growth {
        factors: factor,
        overlap,
        is_two_sided: true,
    };
    let (mean, expected) = (sum / f64::from(PLACES), growth.visits(levels));
    assert!(
        (mean - expected).abs() < 0.05 * expected,
        "{mean} {expected}"
    );
}
