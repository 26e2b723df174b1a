//! Round shapes a hair apart: the gap is known, however small, because the shapes are placed by it.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::convex::{
    Capsule, Cone, Convex, Cuboid, Cylinder, Ellipsoid, GjkCache, Polyhedron, SupportMap,
    conservative_advancement, distance, intersects, penetration,
};
use impinge::math::{Motion, Rng};
use impinge::query::Outcome;
use impinge::{DMat3, DVec3, Pose};

fn shapes() -> Vec<(&'static str, Convex)> {
    let corners = [
        [0.5, 0.1, -0.2],
        [-0.4, 0.6, 0.1],
        [-0.3, -0.5, 0.2],
        [0.1, 0.0, 0.7],
    ];
    vec![
        ("cylinder", Cylinder::new(0.7, 0.4).unwrap().into()),
        ("disk", Cylinder::new(0.05, 0.9).unwrap().into()),
        ("cone", Cone::new(0.5, 0.9).unwrap().into()),
        ("ellipsoid", Ellipsoid::new([1.0, 0.5, 0.3]).unwrap().into()),
        (
            "capsule",
            Capsule::new([0.0; 3], [0.3, 0.2, 0.5], 0.3).unwrap().into(),
        ),
        ("box", Cuboid::new([0.5, 0.3, 0.8]).unwrap().into()),
        (
            "tetrahedron",
            Polyhedron::new(&corners.map(DVec3::from)).unwrap().into(),
        ),
    ]
}

fn is_round(shape: &Convex) -> bool {
    shape.vertex_count().is_none()
}

/// Directions in which shapes are flat, straight, pointed and round.
fn direction(rng: &mut Rng) -> DVec3 {
    let axes = DVec3::AXES;
    match rng.below(4) {
        0 => axes[rng.below(3) as usize] * if rng.below(2) == 0 { 1.0 } else { -1.0 },
        1 => {
            let angle = rng.range(0.0, 6.2);
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        }
        _ => rng.direction(),
    }
}

/// A turn that may lay a flat side of `b` against one of `a`.
fn turn(rng: &mut Rng) -> Pose {
    let (axis, angle) = match rng.below(3) {
        0 => (DVec3::Z, rng.range(-3.0, 3.0)),
        1 => (
            DVec3::AXES[rng.below(3) as usize],
            std::f64::consts::FRAC_PI_2,
        ),
        _ => (rng.direction(), rng.range(-3.0, 3.0)),
    };
    Pose::from_axis_angle(axis, angle, DVec3::ZERO).unwrap()
}

/// The pose at which `b` is exactly `gap` from `a` along `n`: two points are that far apart, and two planes.
fn placed(a: &Convex, b: &Convex, n: DVec3, turned: &Pose, gap: f64) -> Pose {
    let p = a.support_certain(n).point + n * a.radius();
    let in_b = turned.rotation().transpose() * -n;
    let q = *turned * b.support_certain(in_b).point - n * b.radius();
    Pose::new(*turned.rotation(), p + n * gap - q).unwrap()
}

#[test]
fn a_gap_of_a_millionth_of_a_millionth_is_seen() {
    let mut rng = Rng::new(11);
    let shapes = shapes();
    let mut wrong = Vec::new();
    let mut worst: f64 = 0.0;
    for round in 0..4000 {
        let (name_a, a) = &shapes[rng.below(shapes.len() as u64) as usize];
        let (name_b, b) = &shapes[rng.below(shapes.len() as u64) as usize];
        if !is_round(a) && !is_round(b) {
            continue;
        }
        let (n, turned) = (direction(&mut rng).normalize(), turn(&mut rng));
        // The two are about three units long together.
        let gap = 3.0 * 10.0_f64.powi(-3 - round % 10);
        let pose = placed(a, b, n, &turned, gap);
        let meets = intersects(a, b, &pose, &mut GjkCache::new());
        let found = distance(a, b, &pose, &mut GjkCache::new());
        let rounding = 1e-14;
        if meets || found.lower > gap + rounding || found.upper < gap - rounding {
            wrong.push(format!("{name_a} {name_b} {gap:e} {meets} {found:?} {n:?}"));
        }
        worst = worst.max(found.upper - found.lower);
        if found.lower <= 0.0 {
            wrong.push(format!("{name_a} {name_b} {gap:e} {found:?} {n:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(worst < 1e-6, "{worst:e}");
}

/// What is asked of the distance of round shapes: this part of the distance, or of the size of the shapes where that is larger.
const RELATIVE: f64 = 1e-9;
/// Below this gap one pair in a thousand is off by more, an edge beside a rim as a rule; what is off then is known to be less than this part of the size.
const HAIR: f64 = 1e-6;
const KNOWN: f64 = 1e-7;
/// How long the shapes are.
const SIZE: f64 = 2.0;

#[test]
fn the_distance_is_the_gap_to_a_part_in_a_thousand_million() {
    let mut rng = Rng::new(15);
    let shapes = shapes();
    let mut wrong = Vec::new();
    let mut worst = [0.0_f64; 2];
    let mut count = 0;
    for round in 0..12_000 {
        let (name_a, a) = &shapes[rng.below(shapes.len() as u64) as usize];
        let (name_b, b) = &shapes[rng.below(shapes.len() as u64) as usize];
        if !is_round(a) && !is_round(b) {
            continue;
        }
        let (n, turned) = (direction(&mut rng).normalize(), turn(&mut rng));
        // From ten times the size of the shapes to a rounding of it.
        let gap = rng.range(1.0, 10.0) * 10.0_f64.powi(1 - round % 14);
        let pose = placed(a, b, n, &turned, gap);
        let relative = if gap < HAIR { KNOWN } else { RELATIVE };
        let allowed = relative * gap.max(SIZE);
        let found = distance(a, b, &pose, &mut GjkCache::new());
        let between = (found.value.point_b - found.value.point_a).length();
        let off = (found.value.distance - gap).abs();
        let apart = found.upper - found.lower;
        worst = [worst[0].max(off / allowed), worst[1].max(apart / allowed)];
        count += 1;
        if off > allowed || apart > allowed || (between - gap).abs() > allowed {
            wrong.push(format!(
                "{name_a} {name_b} {gap:e} off {off:e} bounds {apart:e} apart {n:?} {turned:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong, {worst:?} of what is allowed:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(count > 9000);
}

#[test]
fn a_smooth_overlap_of_a_millionth_of_a_millionth_is_seen() {
    let mut rng = Rng::new(12);
    let smooth: [Convex; 2] = [
        Ellipsoid::new([1.0, 0.5, 0.3]).unwrap().into(),
        Capsule::new([0.0; 3], [0.3, 0.2, 0.5], 0.3).unwrap().into(),
    ];
    for round in 0..1000 {
        let (a, b) = (&smooth[0], &smooth[rng.below(2) as usize]);
        let (n, turned) = (rng.direction(), turn(&mut rng));
        let depth = 10.0_f64.powi(-3 - round % 10);
        let pose = placed(a, b, n, &turned, -depth);
        assert!(
            intersects(a, b, &pose, &mut GjkCache::new()),
            "{depth:e} {n:?}"
        );
        let found = penetration(a, b, &pose, &mut GjkCache::new()).unwrap();
        assert!(
            found.lower <= depth + 1e-14 && depth <= found.upper + 1e-9,
            "{depth:e} {found:?}"
        );
    }
}

#[test]
fn the_time_of_nearness_is_certified_for_the_smallest_tolerances() {
    let mut rng = Rng::new(13);
    let shapes = shapes();
    let mut open = 0;
    for _ in 0..400 {
        let (name_a, a) = &shapes[rng.below(shapes.len() as u64) as usize];
        let (name_b, b) = &shapes[rng.below(shapes.len() as u64) as usize];
        let (n, turned) = (direction(&mut rng).normalize(), turn(&mut rng));
        let (from, to) = (
            placed(a, b, n, &turned, 0.5),
            placed(a, b, n, &turned, -0.05),
        );
        let still = Motion::still(&Pose::IDENTITY);
        let motion = Motion::between(&from, &to);
        let found = conservative_advancement(a, b, &still, &motion, 1e-11, &mut GjkCache::new());
        // They close in along n and meet when the gap of 0.5 is gone.
        let truth = 0.5 / 0.55;
        let value = found.value.unwrap();
        assert!(
            found.lower <= truth + 1e-12 && (value.time - truth).abs() < 1e-7,
            "{name_a} {name_b} {found:?}"
        );
        if found.outcome == Outcome::Complete {
            assert!(value.distance <= 1e-11);
        } else {
            open += 1;
        }
    }
    assert!(open < 8, "{open} of 400 are open");
}

#[test]
fn bounds_agree_where_edges_and_sides_are_parallel() {
    let mut rng = Rng::new(14);
    let shapes = shapes();
    // Along an edge or a side many points are equally far, and the one that is found may lie at its far end.
    let turns = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
        let sine = DMat3::from_cols(
            DVec3::X.cross(axis),
            DVec3::Y.cross(axis),
            DVec3::Z.cross(axis),
        );
        DMat3::IDENTITY - sine + sine * sine
    });
    for (name_a, a) in &shapes {
        for (name_b, b) in shapes.iter().filter(|(_, b)| is_round(a) || is_round(b)) {
            for _ in 0..300 {
                let mut turned = DMat3::IDENTITY;
                for _ in 0..3 {
                    turned *= turns[rng.below(3) as usize];
                }
                let at = DVec3::from_array([0; 3].map(|_| rng.grid(-8, 8) / 4.0));
                let pose = Pose::new(turned, at).unwrap();
                let found = distance(a, b, &pose, &mut GjkCache::new());
                assert_eq!(found.outcome, Outcome::Complete, "{name_a} {name_b}");
                assert!(
                    found.upper - found.lower <= 1e-9,
                    "{name_a} {name_b} {found:?} {pose:?}"
                );
                let back = distance(b, a, &pose.inverse(), &mut GjkCache::new());
                let off = (found.value.distance - back.value.distance).abs();
                assert!(off <= 1e-9, "{name_a} {name_b} {off:e} {pose:?}");
            }
        }
    }
}
