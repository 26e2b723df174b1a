//! Continuous tests of linearly moving vertices against roots isolated by Sturm's chain, and against themselves.
#![expect(
    clippy::unwrap_used,
    reason = "generated coordinates are valid, and a test may stop at what is not"
)]

use impinge::DVec3;
use impinge::ccd::linear::{DEFAULT_WIDTH, FirstContact, LinearTests, MovingPoint, Stage};
use impinge::math::{MAX_COORDINATE, Rng};
use impinge_testkit::generate::linear_motion::{MotionKind, moving};
use impinge_testkit::oracle::{Moving, edge_edge_contact, vertex_face_contact};

const CASES: usize = 1200;

fn asked(tests: &mut LinearTests, points: &Moving, is_edges: bool) -> Option<FirstContact> {
    let [a, b, c, d]: [MovingPoint; 4] =
        std::array::from_fn(|i| MovingPoint::new(points[0][i], points[1][i]).unwrap());
    if is_edges {
        tests.edge_edge([a, b], [c, d])
    } else {
        tests.vertex_face(a, [b, c, d])
    }
}

fn agrees_with_the_oracle(kind: MotionKind, cases: usize) {
    let mut rng = Rng::new(0x11A + kind as u64);
    let mut tests = LinearTests::default();
    let mut fine = LinearTests::new(1e-12);
    let mut hits = 0;
    for case in 0..cases {
        let is_edges = case % 2 == 1;
        let points = moving(kind, is_edges, &mut rng);
        let truth = if is_edges {
            edge_edge_contact(&points)
        } else {
            vertex_face_contact(&points)
        };
        let ours = asked(&mut tests, &points, is_edges);
        assert_eq!(
            ours.is_some(),
            truth.is_some(),
            "{kind:?} {case}: {ours:?} {points:?}"
        );
        let finer = asked(&mut fine, &points, is_edges);
        assert_eq!(finer.is_some(), truth.is_some(), "{kind:?} {case} finely");
        if let (Some(ours), Some(finer), Some(truth)) = (ours, finer, truth) {
            hits += 1;
            for (found, width) in [(ours, DEFAULT_WIDTH), (finer, 1e-12)] {
                assert!(
                    found.upper - found.lower <= width,
                    "{kind:?} {case}: {found:?}"
                );
                assert!(0.0 <= found.lower && found.upper <= 1.0);
                assert!(
                    truth.is_within(found.lower, found.upper),
                    "{kind:?} {case}: {found:?} {truth:?} {points:?}"
                );
            }
        }
    }
    assert!(hits > 0, "{kind:?} has contacts");
    assert_eq!(tests.tally().total(), cases as u64);
}

#[test]
fn grids_are_decided_as_by_rational_roots() {
    agrees_with_the_oracle(MotionKind::Grid, CASES);
    agrees_with_the_oracle(MotionKind::SmallGrid, CASES);
}

#[test]
fn random_motion_is_decided_as_by_rational_roots() {
    agrees_with_the_oracle(MotionKind::Random, CASES);
}

#[test]
fn motion_in_a_plane_is_decided_as_by_rational_roots() {
    agrees_with_the_oracle(MotionKind::Planar, CASES);
}

#[test]
fn exact_contact_and_one_unit_beside_it_are_told_apart() {
    agrees_with_the_oracle(MotionKind::Contact, CASES);
    agrees_with_the_oracle(MotionKind::NearContact, CASES);
}

#[test]
fn numbers_of_very_different_size_are_decided_as_by_rational_roots() {
    agrees_with_the_oracle(MotionKind::Spread, CASES / 4);
}

#[test]
fn points_on_one_line_are_decided_as_by_rational_roots() {
    agrees_with_the_oracle(MotionKind::Collinear, CASES / 2);
}

#[test]
fn constructed_contacts_are_never_missed() {
    let mut rng = Rng::new(77);
    let mut tests = LinearTests::default();
    for case in 0..20_000 {
        let is_edges = case % 2 == 1;
        let points = moving(MotionKind::Contact, is_edges, &mut rng);
        assert!(
            asked(&mut tests, &points, is_edges).is_some(),
            "{case}: {points:?}"
        );
    }
    assert!(tests.tally().of(Stage::Exact) > 0);
}

#[test]
fn reversal_turning_and_relabelling_change_nothing() {
    let mut rng = Rng::new(5);
    let mut tests = LinearTests::default();
    for case in 0..20_000 {
        let kind = MotionKind::ALL[case / 2 % MotionKind::ALL.len()];
        let is_edges = case % 2 == 1;
        let points = moving(kind, is_edges, &mut rng);
        let order = if is_edges { [2, 3, 1, 0] } else { [0, 2, 3, 1] };
        let turned = |p: DVec3| -DVec3::new(p.y, p.z, p.x);
        let [start, end] = points.map(|four| order.map(|i: usize| turned(four[i])));
        let ours = asked(&mut tests, &points, is_edges);
        let turned = asked(&mut tests, &[start, end], is_edges);
        let backwards = asked(&mut tests, &[end, start], is_edges);
        assert_eq!(ours.is_some(), backwards.is_some(), "{kind:?} {points:?}");
        assert_eq!(ours.is_some(), turned.is_some(), "{kind:?} {points:?}");
        if let (Some(a), Some(b)) = (ours, turned) {
            assert!(
                a.lower <= b.upper && b.lower <= a.upper,
                "{kind:?} {a:?} {b:?}"
            );
        }
    }
}

#[test]
fn what_is_no_number_or_too_large_is_refused() {
    for bad in [
        f64::NAN,
        f64::INFINITY,
        -f64::INFINITY,
        2.0 * MAX_COORDINATE,
    ] {
        for axis in 0..3 {
            let mut p = [0.0; 3];
            p[axis] = bad;
            assert!(MovingPoint::new(p, [0.0; 3]).is_err());
            let error = MovingPoint::new([0.0; 3], p).unwrap_err().to_string();
            assert!(
                error.contains("end") && error.contains(["x", "y", "z"][axis]),
                "{error}"
            );
        }
    }
    assert!(MovingPoint::still([MAX_COORDINATE; 3]).is_ok());
}

#[test]
fn the_largest_and_smallest_numbers_are_decided() {
    let (large, small) = (MAX_COORDINATE, f64::from_bits(1));
    let mut tests = LinearTests::default();
    for size in [large, small, 1e-160] {
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * size;
        let face = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0)];
        let start = [at(0.0, 0.0, 1.0), face[0], face[1], face[2]];
        let end = [at(0.0, 0.0, -1.0), face[0], face[1], face[2]];
        let hit = asked(&mut tests, &[start, end], false).unwrap();
        assert!(hit.lower <= 0.5 && 0.5 <= hit.upper);
        let mut beside = [start, end];
        beside[0][0] += at(-1.0, 0.0, 0.0);
        beside[1][0] += at(-1.0, 0.0, 0.0);
        assert_eq!(asked(&mut tests, &beside, false), None);
    }
}

#[test]
fn a_root_at_which_everything_vanishes_is_decided() {
    // Both determinants have a double root at a third where every turn is zero.
    let mut tests = LinearTests::default();
    for seed in [18_162, 15_811] {
        let mut rng = Rng::new(seed);
        let mut place = || DVec3::from_array([0; 3].map(|_| rng.grid(-2, 2)));
        let points: Moving = [0; 2].map(|_| [0; 4].map(|_| place()));
        for is_edges in [false, true] {
            let truth = if is_edges {
                edge_edge_contact(&points)
            } else {
                vertex_face_contact(&points)
            };
            let ours = asked(&mut tests, &points, is_edges);
            assert_eq!(ours.is_some(), truth.is_some(), "{seed} {is_edges}");
            if let (Some(ours), Some(truth)) = (ours, truth) {
                assert!(
                    truth.is_within(ours.lower, ours.upper),
                    "{seed} {is_edges}: {ours:?}"
                );
            }
        }
    }
}
