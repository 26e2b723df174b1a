//! How many events there are, and how many values they write.

use impinge::kinetic::{
    IntervalTree, Keyframes, Kinetic, KineticAabbTree, KineticDopTree, RefitTree,
};
use impinge::math::Rng;
use impinge::{DVec3, generate};

use super::{faces, frames, ripple, structures, subtrees, times};

/// How often the foremost of some lines changes in (0, 1): integers, so every comparison is exact. The second number counts
/// changes of slope alone, whoever is foremost.
fn envelope_changes(lines: &[(i128, i128)]) -> u64 {
    let Some(&(mut p, mut v)) = lines.iter().max() else {
        return 0;
    };
    let mut changes = 0;
    loop {
        // The next crossing, as a fraction; of equal ones the steepest line.
        let mut next: Option<(i128, i128, i128, i128)> = None;
        for &(q, w) in lines.iter().filter(|&&(_, w)| w > v) {
            let (up, down) = (p - q, w - v);
            if up >= down {
                continue;
            }
            let is_better = next.is_none_or(|(u, d, _, best)| {
                let (here, there) = (up * d, u * down);
                here < there || (here == there && w > best)
            });
            if is_better {
                next = Some((up, down, q, w));
            }
        }
        let Some((_, _, q, w)) = next else {
            return changes;
        };
        changes += 1;
        (p, v) = (q, w);
    }
}

fn envelope_oracle(
    tree: &KineticAabbTree,
    faces: &[[u32; 3]],
    frames: &[Vec<DVec3>],
) -> (u64, u64) {
    let (mut changes, mut bound) = (0, 0);
    for (_, vertices) in subtrees(tree, faces) {
        for axis in 0..3 {
            for sign in [-1, 1] {
                for pair in frames.windows(2) {
                    let lines: Vec<(i128, i128)> = vertices
                        .iter()
                        .map(|&v| {
                            let [p, q] = [0, 1].map(|k| pair[k][v as usize][axis] as i128 * sign);
                            (p, q - p)
                        })
                        .collect();
                    changes += envelope_changes(&lines);
                    bound += vertices.len() as u64 - 1;
                }
            }
        }
    }
    (changes, bound)
}

#[test]
fn winners_change_exactly_as_often_as_the_envelope() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let faces = faces(&mut rng, 40, 60);
        let frames = frames(&mut rng, 40, 2 + seed as usize % 4, 1 << 30);
        let flight = Keyframes::new(&times(frames.len()), &frames).unwrap();
        let mut tree = KineticAabbTree::new(&flight, &faces).unwrap();
        tree.advance(&flight, flight.end()).unwrap();
        let (changes, bound) = envelope_oracle(&tree, &faces, &frames);
        assert_eq!(tree.counts().updates, changes, "seed {seed}");
        assert!(changes <= bound && tree.counts().events <= changes);
    }
}

#[test]
fn ties_on_a_grid_stay_between_the_envelope_and_the_hard_bound() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let faces = faces(&mut rng, 40, 60);
        let frames = frames(&mut rng, 40, 2 + seed as usize % 4, 1 + seed as i64 % 3);
        let flight = Keyframes::new(&times(frames.len()), &frames).unwrap();
        let mut tree = KineticAabbTree::new(&flight, &faces).unwrap();
        for frame in 1..=16 {
            tree.advance(&flight, flight.end() * frame as f64 / 16.0)
                .unwrap();
            tree.validate(&flight).unwrap();
        }
        let (changes, bound) = envelope_oracle(&tree, &faces, &frames);
        let updates = tree.counts().updates;
        assert!(
            changes <= updates && updates <= bound,
            "{changes} {updates} {bound}"
        );
    }
}

#[test]
fn translation_and_scaling_cause_no_event() {
    let mesh = generate::blob(6).unwrap();
    let rest = mesh.positions();
    let center = DVec3::new(0.1, -0.7, 0.3);
    let moves: [&dyn Fn(f64, DVec3) -> DVec3; 2] =
        [&|t, p| p + DVec3::new(1.3, -0.7, 0.1) * t * t, &|t, p| {
            center + (p - center) * (1.0 + 0.3 * t)
        }];
    for place in moves {
        let frames: Vec<Vec<DVec3>> = (0..8)
            .map(|k| rest.iter().map(|&p| place(k as f64, p)).collect())
            .collect();
        let flight = Keyframes::new(&times(8), &frames).unwrap();
        for mut tree in structures(&flight, mesh.faces(), 0.25) {
            // Sums of rounded coordinates are rounded again, which may change who is foremost: the DOP tree is asked where sums are exact. The interval
            // tree has an event whenever a vertex travels far enough. Both have tests of their own, below.
            if ["kinetic 18-DOP tree", "kinetic interval tree"].contains(&tree.name()) {
                continue;
            }
            tree.advance(&flight, 7.0).unwrap();
            assert_eq!(tree.counts().events, 0, "{}", tree.name());
            tree.validate(&flight).unwrap();
        }
    }
}

#[test]
fn where_sums_are_exact_translation_and_scaling_cause_no_event_in_dop_trees() {
    let mesh = generate::blob(6).unwrap();
    // Whole multiples of 1/256 and few of them: sums and differences of moved and scaled coordinates are exact.
    let rest: Vec<DVec3> = mesh
        .positions()
        .iter()
        .map(|p| (*p * 256.0).round() / 256.0)
        .collect();
    let moves: [&dyn Fn(f64, DVec3) -> DVec3; 2] = [
        &|t, p| p + DVec3::new(1.25, -0.75, 0.125) * t * t,
        &|t, p| p * (1.0 + 0.25 * t),
    ];
    for place in moves {
        let frames: Vec<Vec<DVec3>> = (0..8)
            .map(|k| rest.iter().map(|&p| place(k as f64, p)).collect())
            .collect();
        let flight = Keyframes::new(&times(8), &frames).unwrap();
        let mut tree = KineticDopTree::new(&flight, mesh.faces()).unwrap();
        tree.advance(&flight, 7.0).unwrap();
        assert_eq!(tree.counts().events, 0);
        tree.validate(&flight).unwrap();
    }
}

#[test]
fn interval_trees_have_events_in_translation_once_vertices_leave_their_boxes() {
    let mesh = generate::blob(4).unwrap();
    let radius = 0.25;
    for (travel, most) in [(0.9 * radius, Some(0)), (16.0 * radius, None)] {
        let moved: Vec<DVec3> = mesh
            .positions()
            .iter()
            .map(|&p| p + DVec3::X * travel)
            .collect();
        let flight = Keyframes::new(&times(2), &[mesh.positions(), &moved]).unwrap();
        let mut tree = IntervalTree::new(&flight, mesh.faces(), radius).unwrap();
        tree.advance(&flight, 1.0).unwrap();
        tree.validate(&flight).unwrap();
        let events = tree.counts().events;
        match most {
            Some(most) => assert_eq!(events, most),
            // One for every two radii, at least.
            None => assert!(events >= 8 * mesh.vertex_count() as u64 - 8, "{events}"),
        }
    }
}

#[test]
fn events_do_not_depend_on_the_number_of_frames() {
    let (sheet, frames) = ripple(12, 6);
    let flight = Keyframes::new(&times(6), &frames).unwrap();
    for which in 0..4 {
        let counts = [1, 10, 100].map(|between| {
            let mut tree = structures(&flight, sheet.faces(), 0.02).remove(which);
            for frame in 1..=5 * between {
                tree.advance(&flight, frame as f64 / between as f64)
                    .unwrap();
            }
            tree.counts()
        });
        assert_eq!(counts[0], counts[1]);
        assert_eq!(counts[0], counts[2]);
    }
}

#[test]
fn fewer_values_are_written_than_by_refitting() {
    let (sheet, frames) = ripple(24, 6);
    let flight = Keyframes::new(&times(6), &frames).unwrap();
    let mut refit = RefitTree::new(&flight, sheet.faces()).unwrap();
    let mut trees = structures(&flight, sheet.faces(), 0.02);
    let mut places = Vec::new();
    for frame in 1..=50 {
        let time = frame as f64 / 10.0;
        for tree in &mut trees {
            tree.advance(&flight, time).unwrap();
        }
        flight.positions(time, &mut places);
        refit.refit(&places).unwrap();
    }
    let [aabb, cut, dop, interval] = [0, 1, 2, 3].map(|k| trees[k].counts());
    assert!(20 * aabb.updates < refit.counts().updates);
    // As published: cut boxes change less, more directions and inflated vertices more.
    assert!(cut.updates < aabb.updates && cut.events < aabb.events);
    assert!(dop.events > aabb.events && interval.updates > aabb.updates);
}
