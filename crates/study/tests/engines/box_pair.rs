//! The test between two boxes that follows their cuts agrees with exact separation at every step.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::bound::Aabb;
use impinge::math::Rng;
use impinge::{DMat3, DVec3, Pose};
use impinge_study::box_tree::{BoxFrames, ClippedPair, PairSide, PlaneCut};
use impinge_testkit::generate::poses;
use impinge_testkit::oracle::vectors::{cross, dot};

/// Fractional bits of a rotation's entries here: few enough for products to fit 128 bits, enough
/// for a pose to be accepted.
const BITS: i32 = 33;
/// Fractional bits of translations and box coordinates here.
const BOX_BITS: i32 = 4;

fn scaled(x: f64, bits: i32) -> i128 {
    let y = x * 2f64.powi(bits);
    assert_eq!(y, y.trunc(), "{x} has more than {bits} fractional bits");
    y as i128
}

/// Whether a box and a placed box are disjoint, in integers: the placed box is the parallelepiped
/// that the pose's own, rounded matrix makes of it.
fn exactly_disjoint(a: &Aabb, b: &Aabb, pose: &Pose) -> bool {
    let r = pose.rotation();
    let columns = [r.x_axis, r.y_axis, r.z_axis].map(|c| c.to_array().map(|x| scaled(x, BITS)));
    let corners_a = corners(a).map(|p| p.map(|x| scaled(x, BOX_BITS) << BITS));
    let t = pose.translation().to_array().map(|x| scaled(x, BOX_BITS));
    let corners_b = corners(b).map(|p| {
        let p = p.map(|x| scaled(x, BOX_BITS));
        [0, 1, 2].map(|k| (t[k] << BITS) + (0..3).map(|f| columns[f][k] * p[f]).sum::<i128>())
    });
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut directions = axes.to_vec();
    for i in 0..3 {
        directions.push(cross(columns[i], columns[(i + 1) % 3]));
        directions.extend(axes.iter().map(|&axis| cross(axis, columns[i])));
    }
    directions.into_iter().any(|d| {
        let span = |corners: &[[i128; 3]; 8]| {
            let along = corners.map(|p| dot(p, d));
            (
                along.into_iter().min().unwrap(),
                along.into_iter().max().unwrap(),
            )
        };
        let ((low_a, high_a), (low_b, high_b)) = (span(&corners_a), span(&corners_b));
        low_a > high_b || low_b > high_a
    })
}

fn corners(of: &Aabb) -> [[f64; 3]; 8] {
    std::array::from_fn(|i| {
        std::array::from_fn(|k| {
            if i >> k & 1 == 0 {
                of.min[k]
            } else {
                of.max[k]
            }
        })
    })
}

/// A pose whose entries have few bits.
fn coarse_pose(rng: &mut Rng, kind: u64) -> Pose {
    let (turn, reach) = match kind {
        0 => (*poses::random(rng, 0.0).rotation(), 2),
        1 => (*poses::exact(rng, 0).rotation(), 2),
        2 => {
            // Nearly along the axes: slopes around and below what counts as parallel.
            let angle = 2f64.powi(-(rng.below(50) as i32));
            (
                *Pose::from_axis_angle(rng.direction(), angle, [0.0; 3])
                    .unwrap()
                    .rotation(),
                1,
            )
        }
        _ => {
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][rng.below(3) as usize];
            let angle = rng.range(0.0, 6.3);
            (
                *Pose::from_axis_angle(axis, angle, [0.0; 3])
                    .unwrap()
                    .rotation(),
                1,
            )
        }
    };
    let round = |x: f64| (x * 2f64.powi(BITS)).round() * 2f64.powi(-BITS);
    let turn = DMat3::from_cols_array(&turn.to_cols_array().map(round));
    let t = DVec3::from_array(std::array::from_fn(|_| {
        rng.grid(-16 * reach, 16 * reach) / 16.0
    }));
    Pose::new(turn, t).unwrap()
}

fn coarse_box(rng: &mut Rng) -> Aabb {
    let p = DVec3::from_array(std::array::from_fn(|_| rng.grid(-48, 0) / 16.0));
    let size = DVec3::from_array(std::array::from_fn(|_| rng.grid(0, 96) / 16.0));
    Aabb {
        min: p,
        max: p + size,
    }
}

/// A cut on the grid, somewhere in the box.
fn random_cut(rng: &mut Rng, of: &Aabb) -> PlaneCut {
    let axis = rng.below(3) as usize;
    let (low, high) = ((of.min[axis] * 16.0) as i64, (of.max[axis] * 16.0) as i64);
    PlaneCut {
        axis,
        keeps_low: rng.below(2) == 0,
        at: rng.grid(low, high) / 16.0,
    }
}

#[test]
fn disjoint_is_never_said_of_boxes_that_meet_and_always_of_boxes_apart() {
    let mut rng = Rng::new(1);
    let (mut meeting, mut apart, mut unsure) = (0, 0, 0);
    for round in 0..6_000 {
        let pose = coarse_pose(&mut rng, round % 4);
        let (a, b) = (coarse_box(&mut rng), coarse_box(&mut rng));
        let frames = BoxFrames::new(&pose, &a, &b, 0.0);
        let mut pair = ClippedPair::<true>::new(&frames, &a, &b);
        let mut without_flags = ClippedPair::<false>::new(&frames, &a, &b);
        for _ in 0..8 {
            let [now_a, now_b] = pair.boxes();
            let truth = exactly_disjoint(&now_a, &now_b, &pose);
            assert_eq!(pair.is_disjoint(), without_flags.is_disjoint());
            assert_eq!(pair.intervals(), without_flags.intervals());
            match (truth, pair.is_disjoint()) {
                (false, said) => {
                    assert!(!said, "{now_a:?} and {now_b:?} meet under {pose:?}");
                    meeting += 1;
                }
                (true, true) => apart += 1,
                (true, false) => {
                    // The boxes are apart by less than the margins: grown by some, they meet.
                    let grown = 2f64.powi(-BOX_BITS);
                    let near = BoxFrames::new(&pose, &now_a, &now_b, grown);
                    assert!(frames.margin() < 1e-11);
                    assert!(!ClippedPair::<true>::new(&near, &now_a, &now_b).is_disjoint());
                    unsure += 1;
                }
            }
            let which = if rng.below(2) == 0 {
                PairSide::A
            } else {
                PairSide::B
            };
            let cut = random_cut(&mut rng, if which == PairSide::A { &now_a } else { &now_b });
            pair.cut(&frames, which, cut);
            without_flags.cut(&frames, which, cut);
        }
    }
    assert!(meeting > 5_000 && apart > 5_000, "{meeting} {apart}");
    // Touching boxes come out as not disjoint by truth; nearly touching ones are rare.
    assert!(unsure < 40, "{unsure} undecided");
}

#[test]
fn intervals_after_any_cuts_are_those_computed_anew() {
    let mut rng = Rng::new(2);
    for _ in 0..4_000 {
        let pose = poses::random(&mut rng, 1.5);
        let random_box = |rng: &mut Rng| {
            let (p, q) = (rng.cube(), rng.cube());
            Aabb {
                min: p.min(q),
                max: p.max(q),
            }
        };
        let (a, b) = (random_box(&mut rng), random_box(&mut rng));
        let frames = BoxFrames::new(&pose, &a, &b, 0.0);
        let mut pair = ClippedPair::<true>::new(&frames, &a, &b);
        for _ in 0..12 {
            let which = if rng.below(2) == 0 {
                PairSide::A
            } else {
                PairSide::B
            };
            let of = pair.boxes()[usize::from(which == PairSide::B)];
            let axis = rng.below(3) as usize;
            let at = rng.range(of.min[axis], of.max[axis]);
            let keeps_low = rng.below(2) == 0;
            pair.cut(
                &frames,
                which,
                PlaneCut {
                    axis,
                    keeps_low,
                    at,
                },
            );
            let [now_a, now_b] = pair.boxes();
            let anew = ClippedPair::<true>::new(&frames, &now_a, &now_b);
            assert_eq!(pair.intervals(), anew.intervals());
            assert_eq!(pair.live_edges(), anew.live_edges());
            assert_eq!(pair.is_disjoint(), anew.is_disjoint());
        }
    }
}

#[test]
fn stacked_nested_crossing_and_touching_boxes_are_told_apart() {
    let cuboid = |min: [f64; 3], max: [f64; 3]| Aabb {
        min: min.into(),
        max: max.into(),
    };
    let unit = cuboid([0.0; 3], [1.0; 3]);
    let disjoint = |a: &Aabb, b: &Aabb, pose: &Pose| {
        let frames = BoxFrames::new(pose, a, b, 0.0);
        ClippedPair::<true>::new(&frames, a, b).is_disjoint()
    };
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]).unwrap();
    let eighth = |t: [f64; 3]| Pose::from_axis_angle([0.0, 0.0, 1.0], 0.785, t).unwrap();
    assert!(!disjoint(&unit, &unit, &Pose::IDENTITY), "equal");
    assert!(!disjoint(&unit, &unit, &at(1.0, 0.0, 0.0)), "side on side");
    assert!(
        !disjoint(&unit, &unit, &at(1.0, 1.0, 1.0)),
        "corner on corner"
    );
    assert!(disjoint(&unit, &unit, &at(1.0 + 1e-9, 0.0, 0.0)), "a gap");
    let inner = cuboid([0.25; 3], [0.75; 3]);
    assert!(!disjoint(&unit, &inner, &Pose::IDENTITY), "nested");
    assert!(
        !disjoint(&inner, &unit, &Pose::IDENTITY),
        "nested the other way"
    );
    let bar_x = cuboid([-5.0, -0.1, -0.1], [5.0, 0.1, 0.1]);
    let bar_y = cuboid([-0.1, -5.0, -0.1], [0.1, 5.0, 0.1]);
    assert!(!disjoint(&bar_x, &bar_y, &Pose::IDENTITY), "crossing bars");
    assert!(
        disjoint(&bar_x, &bar_y, &at(0.0, 0.0, 0.21)),
        "bars passing"
    );
    // The same height and eighth of a turn: every edge of either lies in a plane of the other.
    let plate = cuboid([-1.0, -1.0, -0.1], [1.0, 1.0, 0.1]);
    assert!(
        !disjoint(&plate, &plate, &eighth([0.0; 3])),
        "one on top of itself, turned"
    );
    let flat = cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]);
    assert!(
        !disjoint(&flat, &flat, &eighth([0.0; 3])),
        "flat boxes in one plane"
    );
    let point = cuboid([0.5; 3], [0.5; 3]);
    assert!(!disjoint(&point, &point, &Pose::IDENTITY), "points");
    assert!(disjoint(&point, &point, &at(1e-9, 0.0, 0.0)), "two points");
}

#[test]
fn contents_that_stick_out_by_the_thickness_are_not_missed() {
    let mut rng = Rng::new(3);
    for round in 0..3_000 {
        let pose = coarse_pose(&mut rng, round % 4);
        let (a, b) = (coarse_box(&mut rng), coarse_box(&mut rng));
        let thick = 1.0 / 16.0;
        let (grown_a, grown_b) = (a.inflated(thick), b.inflated(thick));
        if !exactly_disjoint(&grown_a, &grown_b, &pose) {
            let frames = BoxFrames::new(&pose, &a, &b, 2.0 * thick);
            assert!(!ClippedPair::<true>::new(&frames, &a, &b).is_disjoint());
        }
    }
}
