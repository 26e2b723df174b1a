//! Kinetic trees against boxes and envelopes computed from scratch.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::generate;
use impinge::kinetic::{
    AutoTree, Flight, IntervalTree, Kinetic, KineticAabbTree, KineticBoxTree, KineticDopTree, Node,
    RefitTree, ScalarRefitTree, Upkeep,
};
use impinge::math::{Rng, round};
use impinge::query::VertexId;

/// Faces over shared vertices.
fn faces(rng: &mut Rng, vertices: u32, count: usize) -> Vec<[u32; 3]> {
    (0..count)
        .map(|_| [0; 3].map(|_| rng.below(vertices.into()) as u32))
        .collect()
}

/// Integer places within a range: exact, and with many ties when the range is small.
fn frames(rng: &mut Rng, vertices: usize, keys: usize, range: i64) -> Vec<Vec<DVec3>> {
    let point = |rng: &mut Rng| DVec3::from_array([0; 3].map(|_| rng.grid(-range, range)));
    (0..keys)
        .map(|_| (0..vertices).map(|_| point(rng)).collect())
        .collect()
}

fn times(keys: usize) -> Vec<f64> {
    (0..keys).map(|k| k as f64).collect()
}

/// All nodes with the vertices below them.
fn subtrees(tree: &KineticAabbTree, faces: &[[u32; 3]]) -> Vec<(Node, Vec<u32>)> {
    let mut found = Vec::new();
    let mut open = vec![Node::ROOT];
    while let Some(node) = open.pop() {
        let mut below = Vec::new();
        let mut inner = vec![node];
        while let Some(n) = inner.pop() {
            match tree.children(n) {
                Some(children) => inner.extend(children),
                None => below.extend(faces[tree.face(n).unwrap().index()]),
            }
        }
        below.sort_unstable();
        below.dedup();
        open.extend(tree.children(node).into_iter().flatten());
        found.push((node, below));
    }
    found
}

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
        let flight = Flight::keyframes(&times(frames.len()), &frames).unwrap();
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
        let flight = Flight::keyframes(&times(frames.len()), &frames).unwrap();
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
fn boxes_at_keys_equal_brute_force_bit_for_bit() {
    let mut rng = Rng::new(7);
    let faces = faces(&mut rng, 200, 400);
    let frames: Vec<Vec<DVec3>> = (0..6)
        .map(|_| (0..200).map(|_| rng.cube()).collect())
        .collect();
    let flight = Flight::keyframes(&[0.0, 0.3, 1.7, 1.8, 5.0, 9.0], &frames).unwrap();
    let mut tree = KineticAabbTree::new(&flight, &faces).unwrap();
    for (key, frame) in frames.iter().enumerate() {
        tree.advance(&flight, flight.key_times()[key]).unwrap();
        for (node, vertices) in subtrees(&tree, &faces) {
            let expected = Aabb::enclosing(vertices.iter().map(|&v| frame[v as usize]));
            assert_eq!(tree.bounds(&flight, node), Some(expected));
        }
    }
}

/// All structures on a plan.
fn structures(flight: &Flight, faces: &[[u32; 3]], radius: f64) -> Vec<Box<dyn Kinetic>> {
    vec![
        Box::new(KineticAabbTree::new(flight, faces).unwrap()),
        Box::new(KineticBoxTree::new(flight, faces).unwrap()),
        Box::new(KineticDopTree::new(flight, faces).unwrap()),
        Box::new(IntervalTree::new(flight, faces, radius).unwrap()),
    ]
}

#[test]
fn every_tree_equals_a_rebuild_at_random_times() {
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let faces = faces(&mut rng, 120, 150);
        let range = if seed % 2 == 0 { 3 } else { 1 << 20 };
        let frames = frames(&mut rng, 120, 5, range);
        let flight = Flight::keyframes(&times(5), &frames).unwrap();
        for mut tree in structures(&flight, &faces, range as f64 / 8.0) {
            let mut now = 0.0;
            for _ in 0..40 {
                tree.validate(&flight).unwrap();
                now += rng.range(0.0, 0.2);
                tree.advance(&flight, f64::min(now, 4.0)).unwrap();
            }
        }
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
        let flight = Flight::keyframes(&times(8), &frames).unwrap();
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
        let flight = Flight::keyframes(&times(8), &frames).unwrap();
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
        let flight = Flight::keyframes(&times(2), &[mesh.positions(), &moved]).unwrap();
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

/// A sheet that ripples.
fn ripple(columns: u32, keys: usize) -> (impinge::TriMesh, Vec<Vec<DVec3>>) {
    let sheet = generate::cloth(columns, columns).unwrap();
    let frames = (0..keys)
        .map(|k| {
            let phase = 0.4 * k as f64;
            let lift = |p: &DVec3| {
                let wave = libm::sin(9.0 * p.x + phase) * libm::cos(7.0 * p.y - 0.7 * phase);
                DVec3::new(p.x + 0.02 * wave, p.y - 0.03 * wave, 0.2 * wave)
            };
            sheet.positions().iter().map(lift).collect()
        })
        .collect();
    (sheet, frames)
}

#[test]
fn events_do_not_depend_on_the_number_of_frames() {
    let (sheet, frames) = ripple(12, 6);
    let flight = Flight::keyframes(&times(6), &frames).unwrap();
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
    let flight = Flight::keyframes(&times(6), &frames).unwrap();
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

#[test]
fn the_refitted_tree_has_the_boxes_of_the_kinetic_one() {
    let (sheet, frames) = ripple(9, 4);
    let flight = Flight::keyframes(&times(4), &frames).unwrap();
    let mut kinetic = KineticAabbTree::new(&flight, sheet.faces()).unwrap();
    let mut refit = ScalarRefitTree::new(&flight, sheet.faces()).unwrap();
    for (key, frame) in frames.iter().enumerate() {
        kinetic.advance(&flight, key as f64).unwrap();
        refit.refit(frame).unwrap();
        for (node, _) in subtrees(&kinetic, sheet.faces()) {
            assert_eq!(kinetic.bounds(&flight, node), refit.bounds(node));
        }
    }
}

/// A box with its sides rounded outwards to `f32`.
fn rounded(b: Aabb) -> Aabb {
    let (min, max) = round::outward(b.min, b.max);
    Aabb {
        min: DVec3::from_array(min.map(f64::from)),
        max: DVec3::from_array(max.map(f64::from)),
    }
}

#[test]
fn the_vector_refit_is_the_scalar_one_rounded_outwards() {
    let mut rng = Rng::new(91);
    for count in [0, 1, 2, 3, 7, 8, 9, 31, 100, 257] {
        let faces = faces(&mut rng, 120, count);
        for range in [2, 1 << 40] {
            let frames = frames(&mut rng, 120, 2, range);
            let flight = Flight::keyframes(&times(2), &frames).unwrap();
            let mut vector = RefitTree::new(&flight, &faces).unwrap();
            let mut scalar = ScalarRefitTree::new(&flight, &faces).unwrap();
            for scale in [1.0, 0.1, 1e-9, 1e20] {
                let shift = rng.cube();
                let places: Vec<DVec3> = frames[1].iter().map(|&p| p * scale + shift).collect();
                vector.refit(&places).unwrap();
                scalar.refit(&places).unwrap();
                let mut open = vec![Node::ROOT];
                while let Some(node) = open.pop() {
                    let (x, y) = (vector.bounds(node), scalar.bounds(node));
                    assert_eq!(x, y.map(rounded), "{count} faces, {range}, {scale}");
                    assert_eq!(vector.children(node), scalar.children(node));
                    assert_eq!(vector.face(node), scalar.face(node));
                    open.extend(vector.children(node).into_iter().flatten());
                }
            }
            assert_eq!(vector.counts(), scalar.counts());
        }
    }
}

#[test]
fn boxes_beyond_the_range_of_vectors_and_of_no_numbers_still_hold_everything() {
    let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let flight = Flight::linear(&start, &[DVec3::Z; 3], 0.0, 1.0).unwrap();
    let mut tree = RefitTree::new(&flight, &[[0, 1, 2]]).unwrap();
    let far = 2.0_f64.powi(140);
    let places = [DVec3::splat(far), DVec3::splat(-far), DVec3::ZERO];
    tree.refit(&places).unwrap();
    let bounds = tree.bounds(Node::ROOT).unwrap();
    assert!(places.iter().all(|&p| bounds.contains(p)) && bounds.max.is_finite());
    tree.refit(&[DVec3::NAN, DVec3::ONE, DVec3::ZERO]).unwrap();
    let bounds = tree.bounds(Node::ROOT).unwrap();
    assert!(places.iter().all(|&p| bounds.contains(p)));
}

#[test]
fn cut_boxes_hold_their_faces() {
    let (sheet, frames) = ripple(9, 4);
    let flight = Flight::keyframes(&times(4), &frames).unwrap();
    let aabb = KineticAabbTree::new(&flight, sheet.faces()).unwrap();
    let mut tree = KineticBoxTree::new(&flight, sheet.faces()).unwrap();
    let mut places = Vec::new();
    for frame in 0..=30 {
        let time = frame as f64 / 10.0;
        tree.advance(&flight, time).unwrap();
        flight.positions(time, &mut places);
        let all = Aabb::enclosing(places.iter().copied());
        let root = tree.bounds(&flight, Node::ROOT).unwrap();
        assert!(root.inflated(1e-12).contains_box(&all));
        let mut open = vec![Node::ROOT];
        while let Some(node) = open.pop() {
            let bounds = tree.bounds(&flight, node).unwrap();
            assert!(root.contains_box(&bounds));
            open.extend(tree.children(node).into_iter().flatten());
        }
    }
    assert_eq!(aabb.node_count(), 2 * sheet.face_count() - 1);
}

#[test]
fn a_sampled_motion_stays_within_its_widened_boxes() {
    let mesh = generate::icosphere(1.0, 3).unwrap();
    // A turn about z: acceleration is radius times rate squared.
    let rate = 2.0;
    let turned = |v: usize, t: f64| {
        let (p, (sin, cos)) = (mesh.positions()[v], libm::sincos(rate * t));
        DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z)
    };
    let times: Vec<f64> = (0..=20).map(|k| 0.1 * k as f64).collect();
    let flight = Flight::sampled(&times, mesh.vertex_count(), rate * rate, turned).unwrap();
    let mut tree = KineticAabbTree::new(&flight, mesh.faces()).unwrap();
    for frame in 0..=100 {
        let time = 0.02 * frame as f64;
        tree.advance(&flight, time.min(flight.end())).unwrap();
        for (node, vertices) in subtrees(&tree, mesh.faces()) {
            let bounds = tree.bounds(&flight, node).unwrap().inflated(1e-9);
            for v in vertices {
                assert!(bounds.contains(turned(v as usize, time)));
            }
        }
    }
}

#[test]
fn a_check_on_the_kinetic_tree_finds_the_boxes_that_meet() {
    let mut rng = Rng::new(3);
    let faces: Vec<[u32; 3]> = (0..40).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let frames = frames(&mut rng, 120, 3, 4);
    let flight = Flight::keyframes(&times(3), &frames).unwrap();
    let (first, second) = faces.split_at(20);
    let mut trees = [first, second].map(|f| KineticAabbTree::new(&flight, f).unwrap());
    let mut places = Vec::new();
    for frame in 0..=20 {
        let time = 0.1 * frame as f64;
        for tree in &mut trees {
            tree.advance(&flight, time).unwrap();
        }
        flight.positions(time, &mut places);
        let bounds = |f: &[u32; 3]| Aabb::enclosing(f.map(|v| places[v as usize]));
        let mut found = Vec::new();
        trees[0]
            .meeting(&trees[1], &flight, |a, b| {
                found.push((a.index(), b.index()))
            })
            .unwrap();
        for (i, f) in first.iter().enumerate() {
            for (j, g) in second.iter().enumerate() {
                if bounds(f).overlaps(&bounds(g)) {
                    assert!(found.contains(&(i, j)));
                } else if !bounds(f).inflated(1e-9).overlaps(&bounds(g)) {
                    assert!(!found.contains(&(i, j)));
                }
            }
        }
    }
}

#[test]
fn an_empty_mesh_has_empty_trees() {
    let flight = Flight::linear(&[DVec3::ZERO], &[DVec3::X], 0.0, 1.0).unwrap();
    for mut tree in structures(&flight, &[], 0.5) {
        tree.advance(&flight, 1.0).unwrap();
        tree.validate(&flight).unwrap();
    }
    assert_eq!(
        flight.position(VertexId::new(0), 0.5),
        Some(DVec3::new(0.5, 0.0, 0.0))
    );
}

/// A sheet that waves more from key to key.
fn waving(keys: usize) -> (Flight, Vec<[u32; 3]>) {
    let cloth = generate::cloth(12, 12).unwrap();
    let mut rng = Rng::new(77);
    let frames: Vec<Vec<DVec3>> = (0..keys)
        .map(|key| {
            let shake = 0.02 * key as f64;
            let moved = cloth.positions().iter();
            moved.map(|&p| p + rng.cube() * shake).collect()
        })
        .collect();
    let times: Vec<f64> = (0..keys).map(|key| key as f64).collect();
    let flight = Flight::keyframes(&times, &frames).unwrap();
    (flight, cloth.faces().to_vec())
}

/// That a box is the exact one up to rounding; a refitted one is rounded outwards to `f32`.
fn assert_near(found: Aabb, exact: Aabb, upkeep: Upkeep) {
    let tolerance = 1e-12;
    let (inner, outer) = match upkeep {
        Upkeep::Events => (exact, exact),
        Upkeep::Refit => (exact, rounded(exact)),
    };
    assert!(
        found.inflated(tolerance).contains_box(&inner),
        "{found:?} {exact:?}"
    );
    // What was computed a rounding away may be rounded to the next number.
    let slack = match upkeep {
        Upkeep::Events => tolerance,
        Upkeep::Refit => 2e-7 * exact.min.abs().max(exact.max.abs()).max_element() + 1e-12,
    };
    assert!(
        outer.inflated(slack).contains_box(&found),
        "{found:?} {exact:?}"
    );
}

#[test]
fn a_tree_with_chosen_upkeep_has_the_boxes_of_both_and_takes_the_cheaper_way() {
    let (flight, faces) = waving(9);
    for (per_key, expected) in [(1, Upkeep::Refit), (400, Upkeep::Events)] {
        let mut auto = AutoTree::new(&flight, &faces).unwrap();
        let mut events = KineticAabbTree::new(&flight, &faces).unwrap();
        let mut ways = Vec::new();
        for frame in 1..=8 * per_key {
            let time = frame as f64 / per_key as f64;
            auto.advance(&flight, time).unwrap();
            events.advance(&flight, time).unwrap();
            ways.push(auto.upkeep());
            let mut open = vec![Node::ROOT];
            while let Some(node) = open.pop().filter(|_| frame % 50 < 2 || per_key == 1) {
                let (x, y) = (auto.bounds(&flight, node), events.bounds(&flight, node));
                assert_near(x.unwrap(), y.unwrap(), auto.upkeep());
                assert_eq!(auto.children(node), events.children(node));
                assert_eq!(auto.face(node), events.face(node));
                open.extend(auto.children(node).into_iter().flatten());
            }
        }
        assert_eq!(ways.last(), Some(&expected), "{}", auto.reason());
        assert!(auto.advance(&flight, 0.5).is_err());
        assert!(auto.advance(&flight, 100.0).is_err());
        assert!(auto.advance(&flight, f64::NAN).is_err());
        assert_eq!(auto.now(), 8.0);
    }
}

#[test]
fn chosen_upkeep_costs_at_most_a_quarter_more_than_the_better_way_by_counts() {
    let (sheet, frames) = ripple(24, 13);
    let rippling = Flight::keyframes(&times(13), &frames).unwrap();
    let (waving, cloth) = waving(9);
    for (flight, faces) in [(rippling, sheet.faces()), (waving, &cloth[..])] {
        let mut events = KineticAabbTree::new(&flight, faces).unwrap();
        events.advance(&flight, flight.end()).unwrap();
        for per_key in [1, 3, 10, 30, 100] {
            let mut auto = AutoTree::new(&flight, faces).unwrap();
            for frame in 1..=per_key * (flight.key_times().len() - 1) {
                auto.advance(&flight, frame as f64 / per_key as f64)
                    .unwrap();
            }
            let cost = auto.cost();
            let by_events = events.counts().events as f64 * cost.event;
            let better = by_events.min(cost.by_refit);
            assert!(
                cost.spent <= 1.25 * better,
                "{per_key} frames for each key: {cost:?}, {by_events} by events"
            );
        }
    }
}

#[test]
fn a_tree_that_changes_its_upkeep_catches_up() {
    let (flight, faces) = waving(9);
    let mut auto = AutoTree::new(&flight, &faces).unwrap();
    let mut ways = Vec::new();
    let times = (1..=4)
        .map(f64::from)
        .chain((1..=2000).map(|k| 4.0 + 0.002 * f64::from(k)));
    for time in times {
        auto.advance(&flight, time).unwrap();
        ways.push(auto.upkeep());
        let mut places = Vec::new();
        flight.positions(time, &mut places);
        let whole = auto.bounds(&flight, Node::ROOT).unwrap();
        for p in places {
            assert!((p - whole.min).min_element() > -1e-12);
            assert!((whole.max - p).min_element() > -1e-12);
        }
    }
    assert!(ways.contains(&Upkeep::Refit) && ways.ends_with(&[Upkeep::Events]));
}

#[test]
fn a_burst_of_events_is_refitted_and_events_are_taken_up_again_after_it() {
    let cloth = generate::cloth(12, 12).unwrap();
    let mut rng = Rng::new(78);
    let scattered: Vec<DVec3> = cloth.positions().iter().map(|_| rng.cube()).collect();
    // Both move as a whole, so that only the key between has events.
    let frames: Vec<Vec<DVec3>> = (0..24)
        .map(|key| {
            let shape = if key < 4 {
                cloth.positions()
            } else {
                &scattered
            };
            let by = DVec3::X * f64::from(key);
            shape.iter().map(|&p| p + by).collect()
        })
        .collect();
    let times: Vec<f64> = (0..24).map(f64::from).collect();
    let flight = Flight::keyframes(&times, &frames).unwrap();
    let mut auto = AutoTree::new(&flight, cloth.faces()).unwrap();
    for frame in 1..=23 * 20 {
        let time = f64::from(frame) / 20.0;
        auto.advance(&flight, time).unwrap();
        let is_burst = time > 3.0 && time <= 4.0;
        let expected = if is_burst {
            Upkeep::Refit
        } else {
            Upkeep::Events
        };
        assert_eq!(auto.upkeep(), expected, "{time}: {}", auto.reason());
        if frame % 20 > 1 {
            continue;
        }
        let mut exact = ScalarRefitTree::new(&flight, cloth.faces()).unwrap();
        let mut places = Vec::new();
        flight.positions(time, &mut places);
        exact.refit(&places).unwrap();
        let mut open = vec![Node::ROOT];
        while let Some(node) = open.pop() {
            let (x, y) = (auto.bounds(&flight, node), exact.bounds(node));
            assert_near(x.unwrap(), y.unwrap(), auto.upkeep());
            open.extend(auto.children(node).into_iter().flatten());
        }
    }
}
