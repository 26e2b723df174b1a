//! Probabilistic trees: cells against brute-force cutting, probabilities against enumeration, answers against the exact engine.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::f64::consts::{SQRT_2, TAU};
use std::sync::Arc;

use impinge::average::*;
use impinge::bound::{Aabb, BoundingVolume, Kdop};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};

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

/// The cells of a k-DOP that hold enough, one by one: areas by brute-force cutting, parts in the volume by drawing points. `off` is added to each part.
fn cells_by_drawing(bounds: &Aabb, faces: &[[DVec3; 3]], kappa: f64, offs: [f64; 3]) -> [u32; 3] {
    let points: Vec<DVec3> = faces.iter().flatten().copied().collect();
    let volume = <Kdop<18> as BoundingVolume>::enclosing(&points);
    let cell = bounds.diagonal() / 8.0;
    let enough = kappa * largest_section(cell);
    let mut rng = Rng::new(18);
    let mut counts = [0; 3];
    for i in 0..512 {
        let at = DVec3::new((i % 8) as f64, (i / 8 % 8) as f64, (i / 64) as f64);
        let (min, max) = (bounds.min + cell * at, bounds.min + cell * (at + 1.0));
        let area: f64 = faces.iter().map(|face| area_within(face, min, max)).sum();
        if area <= 1e-12 * enough {
            continue;
        }
        const DRAWS: u32 = 1000;
        let inside = (0..DRAWS)
            .filter(|_| volume.contains(min + cell * (rng.cube() + 1.0) * 0.5))
            .count();
        let part = inside as f64 / f64::from(DRAWS);
        for (count, off) in counts.iter_mut().zip(offs) {
            // At least what one of the points of the library stands for.
            let part = (part + off).clamp(1.0 / 27.0, 1.0);
            *count += u32::from(area >= enough * part.powf(2.0 / 3.0));
        }
    }
    counts
}

#[test]
fn cells_of_k_dops_are_counted_as_drawing_points_counts_them() {
    let config = AverageConfig {
        resolution: 0.2,
        counting: Counting::Exact,
        kappa: 0.8,
        ..AverageConfig::default()
    };
    let (mut found, mut drawn, mut of_boxes) = (0, 0, 0);
    for (name, mesh) in some_meshes() {
        let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
        let mesh = mesh.placed(&turned).unwrap();
        let counter = CellCounter::new(&mesh, &config);
        let boxes = counter.count(Counting::Exact);
        let tree = AverageTree::<Kdop<18>>::new(&mesh, &config);
        assert_eq!(boxes.len(), tree.len());
        for node in (0..boxes.len()).step_by(1 + boxes.len() / 8) {
            let bounds = counter.bounds(node).unwrap();
            let cells = tree.cells(node).unwrap();
            // 27 points tell a part within a quarter.
            let [least, about, most] =
                cells_by_drawing(&bounds, &counter.faces(node), 0.8, [0.25, 0.0, -0.25]);
            assert!(
                (least..=most).contains(&cells) && boxes[node] <= cells,
                "{name} {node}: {least} {cells} {most}, {} of the box",
                boxes[node]
            );
            found += cells;
            drawn += about;
            of_boxes += boxes[node];
        }
    }
    // All together they agree, and boxes do not.
    assert!(20 * found.abs_diff(drawn) <= drawn, "{found} {drawn}");
    assert!(10 * drawn.abs_diff(of_boxes) > drawn, "{drawn} {of_boxes}");
}

#[test]
fn approximate_counting_knows_k_dops_too() {
    for counting in [Counting::Approximate, Counting::Smooth] {
        let config = AverageConfig {
            counting,
            resolution: 0.04,
            kappa: 0.8,
            ..AverageConfig::default()
        };
        let (mut of_boxes, mut of_dops) = (0, 0);
        for (name, mesh) in some_meshes() {
            let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
            let mesh = mesh.placed(&turned).unwrap();
            let boxes = AverageTree::<Aabb>::new(&mesh, &config);
            let dops = AverageTree::<Kdop<18>>::new(&mesh, &config);
            let same = CellCounter::new(&mesh, &config).count(counting);
            for (node, same) in same.into_iter().enumerate() {
                let [of_box, of_dop] = [boxes.cells(node), dops.cells(node)].map(Option::unwrap);
                assert_eq!(of_box, same, "{name} {node}");
                // A part of a cell needs less surface than the whole: no cell is lost.
                assert!(of_dop >= of_box, "{name} {node}: {of_dop} {of_box}");
                of_boxes += of_box;
                of_dops += of_dop;
            }
        }
        assert!(of_dops > of_boxes, "{counting:?}: {of_dops} {of_boxes}");
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

/// The boxes of the first tree in the order in which a search found that they overlap a box around everything.
fn found_in_order(tree: &Arc<AverageTree>, around: &Arc<AverageTree>, order: Order) -> Vec<usize> {
    let options = AverageOptions {
        order,
        // Everything is likely and nothing is enough: all that overlaps is told.
        p_min: f64::MIN_POSITIVE,
        k_min: u32::MAX,
        at_end: AtEnd::No,
        leaves: Leaves::Boxes,
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
    let passed_over = |order: Order, tree: &Arc<AverageTree>| {
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
    assert_eq!(passed_over(Order::Shrinking, &tree), 0);
    assert_eq!(passed_over(Order::Shrinking, &kept), 0);
    for other in [Order::DepthFirst, Order::BreadthFirst, Order::Probable] {
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
        order: Order::Shrinking,
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
