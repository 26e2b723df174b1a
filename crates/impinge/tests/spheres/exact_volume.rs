//! The exact shared volume beside closed forms: its error in areas times diameters.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{Location, locate_by_parity};
use impinge::query::Limits;
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};
use impinge_testkit::generate::meshes;
use impinge_testkit::oracle::shared_by_tetrahedra;

/// What is promised, per area and diameter of the smaller solid.
const ERROR: f64 = 1e-14;

fn index(mesh: TriMesh) -> VolumeIndex {
    VolumeIndex::new(Arc::new(mesh)).unwrap()
}

/// Checks value and bracket; the error in areas times diameters.
fn judge(a: &VolumeIndex, b: &VolumeIndex, a_from_b: &Pose, truth: f64, case: &str) -> f64 {
    let found = a
        .overlap(b, a_from_b, Limits::default(), &mut OverlapCache::default())
        .unwrap();
    let size = |solid: &VolumeIndex| solid.area() * solid.diameter();
    let error = (found.value.volume - truth).abs() / size(a).min(size(b));
    assert!(
        error <= ERROR,
        "{case}: {} instead of {truth}, {error:e}",
        found.value.volume
    );
    assert!(found.lower <= truth && truth <= found.upper, "{case}");
    error
}

#[test]
fn boxes_share_the_product_of_their_sides_within_the_promised_error() {
    let mut rng = Rng::new(40);
    for case in 0..600 {
        let mut length = || match case % 3 {
            0 => rng.range(0.1, 3.0),
            1 => rng.grid(1, 8) / 4.0,
            _ => libm::exp(rng.range(-6.0, 6.0)),
        };
        let sizes = [0; 2].map(|_| DVec3::new(length(), length(), length()));
        let cut = [1 + case % 3, 1 + case % 2, 1];
        let [a, b] = sizes.map(|size| index(generate::cuboid(size, cut).unwrap()));
        let reach = 0.5 * (sizes[0] + sizes[1]);
        let offset = if case % 3 == 1 {
            DVec3::new(rng.grid(-6, 6), rng.grid(-6, 6), rng.grid(-6, 6)) / 8.0
        } else {
            rng.cube() * reach
        };
        let low = (-0.5 * sizes[0]).max(offset - 0.5 * sizes[1]);
        let high = (0.5 * sizes[0]).min(offset + 0.5 * sizes[1]);
        let shared = (high - low).max(DVec3::ZERO);
        let pose = Pose::from_translation(offset).unwrap();
        let truth = shared.x * shared.y * shared.z;
        judge(&a, &b, &pose, truth, &format!("case {case}"));
    }
}

#[test]
fn a_turned_square_column_shares_an_octagon_within_the_promised_error() {
    let cube = index(generate::cuboid(DVec3::ONE, [2; 3]).unwrap());
    for k in 0..90 {
        let angle = f64::from(k) * std::f64::consts::FRAC_PI_2 / 90.0;
        let pose = Pose::from_axis_angle(DVec3::Z, angle, DVec3::new(0.0, 0.0, 0.25)).unwrap();
        // Corners are cut off by triangles whose hypotenuse is 1 / (1 + sin + cos).
        let truth = 0.75 * 2.0 / (1.0 + libm::sin(angle) + libm::cos(angle));
        judge(&cube, &cube, &pose, truth, &format!("{angle}"));
    }
}

/// Which cells of side 1/8 a solid fills, in a grid of `n` per side from the corner of its box.
struct Cells {
    filled: Vec<bool>,
    corner: DVec3,
    counts: [usize; 3],
}

impl Cells {
    fn new(mesh: &TriMesh) -> Self {
        let bounds = mesh.bounds();
        let size = (bounds.max - bounds.min) * 8.0;
        assert_eq!(size, size.round(), "the solid has its corners in the grid");
        let counts = size.to_array().map(|x| x as usize);
        let mut cells = Self {
            filled: Vec::new(),
            corner: bounds.min,
            counts,
        };
        for k in 0..counts.iter().product() {
            let is_in = locate_by_parity(mesh, cells.center(k)).unwrap() == Location::Inside;
            cells.filled.push(is_in);
        }
        cells
    }

    fn center(&self, k: usize) -> DVec3 {
        let [_, ny, nz] = self.counts;
        let cell = [k / (ny * nz), k / nz % ny, k % nz].map(|i| i as f64 + 0.5);
        self.corner + DVec3::from(cell) / 8.0
    }

    fn holds(&self, p: DVec3) -> bool {
        let cell = ((p - self.corner) * 8.0).floor();
        let counts = DVec3::from(self.counts.map(|n| n as f64));
        if cell.min_element() < 0.0 || cell.cmpge(counts).any() {
            return false;
        }
        let [x, y, z] = cell.to_array().map(|i| i as usize);
        self.filled[(x * self.counts[1] + y) * self.counts[2] + z]
    }
}

#[test]
fn lattices_with_coplanar_faces_share_what_counting_says_within_the_promised_error() {
    let turns = [
        DMat3::IDENTITY,
        DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z),
        DMat3::from_cols(DVec3::NEG_X, DVec3::Z, DVec3::Y),
        DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y),
    ];
    let meshes = [
        generate::lattice([1, 1, 1], 0.25).unwrap(),
        generate::lattice([2, 1, 1], 0.5).unwrap(),
        generate::menger_sponge(1.125, 1).unwrap(),
    ];
    let solids = meshes.map(|mesh| (Cells::new(&mesh), index(mesh)));
    let mut rng = Rng::new(41);
    let mut shared = 0;
    for case in 0..120 {
        let (cells_a, a) = &solids[case % 3];
        let (cells_b, b) = &solids[case / 3 % 3];
        let step = DVec3::new(rng.grid(-6, 6), rng.grid(-6, 6), rng.grid(-6, 6)) / 8.0;
        let turn = turns[case % 4];
        let middle = |mesh: &TriMesh| mesh.bounds().center();
        let from = cells_b.corner;
        // Corners of cells go to corners of cells.
        let place = cells_a.corner + ((middle(a.mesh()) - cells_a.corner) * 8.0).floor() / 8.0;
        let pose = Pose::new(turn, place + step - turn * from).unwrap();
        let back = pose.inverse();
        let count = (0..cells_a.filled.len())
            .filter(|&k| cells_a.filled[k] && cells_b.holds(back * cells_a.center(k)))
            .count();
        shared += usize::from(count > 0);
        judge(a, b, &pose, count as f64 / 512.0, &format!("case {case}"));
    }
    assert!(shared > 80, "{shared}");
}

/// Unless it is almost flat.
fn tetrahedron(corners: &[DVec3; 4]) -> Option<TriMesh> {
    let [p, q, r, _] = *corners;
    let size = (q - p).length().max((r - p).length());
    meshes::tetrahedron_above(corners, 1e-4 * size * size * size)
}

#[test]
fn tetrahedra_share_what_rational_numbers_say_within_the_promised_error() {
    let mut rng = Rng::new(42);
    let (mut overlapping, mut worst) = (0, 0.0_f64);
    for case in 0..500 {
        let size = [1.0, 1e-3, 1e4][case % 3];
        // Corners, edges and faces in common too.
        let [a, b] = meshes::two_tetrahedra(&mut rng, case, size);
        let (Some(mesh_a), Some(mesh_b)) = (tetrahedron(&a), tetrahedron(&b)) else {
            continue;
        };
        let truth = shared_by_tetrahedra(&a, &b);
        let (a, b) = (index(mesh_a), index(mesh_b));
        let error = judge(&a, &b, &Pose::IDENTITY, truth, &format!("case {case}"));
        worst = worst.max(error);
        overlapping += u32::from(truth > 0.0);
    }
    assert!(overlapping > 150, "{overlapping}");
    assert!(worst > 0.0, "rounding leaves a trace somewhere");
}
