//! Cells of probabilistic trees: areas against brute-force cutting, parts of k-DOPs against drawing points.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::f64::consts::SQRT_2;

use impinge::average_case::*;
use impinge::bound::{Aabb, BoundingVolume, Kdop};
use impinge::generate;
use impinge::math::Rng;
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
        counting: CellCounting::Exact,
        kappa: 0.6,
        ..AverageConfig::default()
    };
    for (name, mesh) in some_meshes() {
        // Turned, so that no face lies in a plane of the grid.
        let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
        let mesh = mesh.placed(&turned).unwrap();
        let counter = CellCounter::new(&mesh, &config);
        let counts = counter.count(CellCounting::Exact);
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
fn grids_of_other_sizes_are_counted_as_brute_force_cutting_counts_them() {
    let ball = generate::blob(6).unwrap();
    let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
    let ball = ball.placed(&turned).unwrap();
    for side in [3, 5, 16] {
        let config = AverageConfig {
            resolution: 0.3,
            counting: CellCounting::Exact,
            kappa: 0.6,
            cells_per_side: side,
            ..AverageConfig::default()
        };
        let counter = CellCounter::new(&ball, &config);
        let counts = counter.count(CellCounting::Exact);
        for node in (0..counts.len()).step_by(1 + counts.len() / 3) {
            let (bounds, faces) = (counter.bounds(node).unwrap(), counter.faces(node));
            let cell = bounds.diagonal() / f64::from(side);
            let enough = 0.6 * largest_section(cell);
            let (mut least, mut most) = (0, 0);
            for i in 0..side * side * side {
                let at = [i % side, i / side % side, i / (side * side)].map(f64::from);
                let min = bounds.min + cell * DVec3::from(at);
                let area: f64 = faces
                    .iter()
                    .map(|face| area_within(face, min, min + cell))
                    .sum();
                least += u32::from(area >= enough * (1.0 + 1e-7));
                most += u32::from(area >= enough * (1.0 - 1e-7));
            }
            assert!((least..=most).contains(&counts[node]), "{side} {node}");
        }
        // The tree has the same numbers, and its histogram as many cells.
        let tree = AverageTree::<Aabb>::new(&ball, &config);
        assert_eq!(tree.cells_per_side(), side);
        assert_eq!(tree.cells(0), counts.first().copied());
        assert_eq!(
            cell_histogram(&ball, &config).len(),
            (side * side * side) as usize
        );
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
        counting: CellCounting::Exact,
        kappa: 0.8,
        ..AverageConfig::default()
    };
    let (mut found, mut drawn, mut of_boxes) = (0, 0, 0);
    for (name, mesh) in some_meshes() {
        let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
        let mesh = mesh.placed(&turned).unwrap();
        let counter = CellCounter::new(&mesh, &config);
        let boxes = counter.count(CellCounting::Exact);
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
    for counting in [CellCounting::Approximate, CellCounting::Smooth] {
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
            counting: CellCounting::Exact,
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
