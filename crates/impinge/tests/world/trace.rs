//! Traces: what is recorded is what happens again.

use std::sync::Arc;

use impinge::broad::{DynamicAabbTree, ObjectId};
use impinge::cloud::{CloudShape, PointCloud};
use impinge::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Polyhedron, Segment, Triangle,
};
use impinge::math::Rng;
use impinge::pair::{Compound, HeightField, MeshShape, Particles, Shape};
use impinge::world::{
    Body, BodyBoxes, Class, ContactAccuracy, Enclosure, EventMask, PairFilter, Replay, TraceError,
    World, WorldConfig,
};
use impinge::{DVec3, Pose, generate};

use super::scene::{any, broad, ground, pose};

/// One of every kind.
fn every_kind() -> Vec<Shape> {
    let mut rng = Rng::new(1);
    let points: Vec<DVec3> = (0..12).map(|_| rng.cube()).collect();
    let dots = points.clone();
    let heights = (0..20).map(|_| rng.unit()).collect();
    let ball = Shape::from(Ball::new(1.0 / 3.0).unwrap());
    let rod = Capsule::new([-1.0, 0.1, 0.0], [1.0, 0.0, 0.3], 0.25).unwrap();
    let rod = Shape::from(rod);
    let parts = [
        (Pose::IDENTITY, ball.clone()),
        (pose(&mut rng, 1.0), rod.clone()),
    ];
    let mesh = MeshShape::new(Arc::new(generate::icosphere(0.9, 2).unwrap()));
    vec![
        ball,
        Shape::from(Cuboid::new([0.1, 0.7, 1.0]).unwrap()),
        rod,
        Shape::from(Cylinder::new(0.3, 0.7).unwrap()),
        Shape::from(Cone::new(0.7, 0.3).unwrap()),
        Shape::from(Ellipsoid::new([0.3, 0.6, 0.9]).unwrap()),
        Shape::from(Segment::new([-1.0, 0.0, 0.0], [1.0, 0.5, 0.1]).unwrap()),
        Shape::from(Triangle::new([points[0], points[1], points[2]]).unwrap()),
        ground(),
        Shape::from(Polyhedron::new(&points).unwrap()),
        Shape::from(HeightField::new(5, 4, [0.3, 0.7], heights).unwrap()),
        Shape::from(Particles::new(points, 0.1).unwrap()),
        Shape::from(mesh),
        Shape::from(CloudShape::new(
            PointCloud::from_points(dots).unwrap().into(),
        )),
        Shape::from(Compound::new(parts).unwrap()),
    ]
}

/// A random scene, recorded.
fn recorded(seed: u64, steps: usize) -> String {
    let mut rng = Rng::new(seed);
    let config = WorldConfig {
        news_only: seed.is_multiple_of(2),
        oriented_boxes: seed % 4 == 3,
        boxes: [
            BodyBoxes::PerPose,
            BodyBoxes::Incremental,
            BodyBoxes::Maximal,
        ][(seed % 3) as usize],
        contact_margin: if seed.is_multiple_of(3) { 0.1 } else { 0.0 },
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    let near = EventMask::closer_than(0.25).unwrap();
    let all = EventMask::OVERLAP | EventMask::CONTACT | EventMask::CONTACTS;
    world
        .interest_mut()
        .set_classes(Class(0), Class(1), all | near);
    world.interest_mut().set_classes(Class(0), Class(0), all);
    world.listen(PairFilter::any(), EventMask::TOUCHING, |event, reply| {
        if reply.step() % 3 == 0 {
            reply.set_pose(
                event.pair.b,
                Pose::from_translation([0.5, 0.5, 0.5]).unwrap(),
            );
        }
    });
    let kinds = every_kind();
    let mut ids: Vec<ObjectId> = Vec::new();
    let insert = |world: &mut World, rng: &mut Rng| {
        let shape = kinds[rng.below(kinds.len() as u64) as usize].clone();
        let body = Body::new(shape)
            .at(pose(rng, 1.5))
            .in_class(Class(rng.below(2) as u8))
            .named(["", "a part", "b\\"][rng.below(3) as usize]);
        let body = if rng.below(5) == 0 {
            body.fixed()
        } else {
            body
        };
        world.insert(body).unwrap()
    };
    for _ in 0..14 {
        ids.push(insert(&mut world, &mut rng));
    }
    world.start_recording().unwrap();
    let mut text = String::new();
    for _ in 0..steps {
        for _ in 0..4 {
            let id = any(&mut rng, &ids).unwrap();
            match rng.below(16) {
                0 => ids.push(insert(&mut world, &mut rng)),
                1 if ids.len() > 5 => {
                    world.remove(id).unwrap();
                    ids.retain(|other| *other != id);
                }
                2 => world.set_static(id, rng.below(2) == 0).unwrap(),
                3 => world.set_accuracy(ContactAccuracy::ALL[rng.below(3) as usize]),
                4 => {
                    let parent = any(&mut rng, &ids).unwrap();
                    // Enclosures do not nest; a refusal is not recorded.
                    let _ = world.enclose(id, parent, Enclosure::InheritPairs);
                }
                5 => world.release(id).unwrap(),
                6 => world.set_broad_phase(broad(rng.below(9))).unwrap(),
                7 => {
                    let shape = kinds[rng.below(kinds.len() as u64) as usize].clone();
                    world.set_shape(id, shape).unwrap();
                }
                8 => world.set_class(id, Class(rng.below(2) as u8)).unwrap(),
                9 => world.set_tag(id, rng.below(9)).unwrap(),
                10 => world
                    .set_name(id, ["x y", ""][rng.below(2) as usize])
                    .unwrap(),
                _ => world.set_pose(id, pose(&mut rng, 1.5)).unwrap(),
            }
        }
        world.step();
        // In pieces, as one who writes a file does.
        text += &world.take_recording();
    }
    text
}

/// Replays to the end; gives steps, events and the first difference.
fn replayed(text: &str, world: World) -> Result<(u64, usize, Option<String>), TraceError> {
    let mut replay = Replay::new(text, world)?;
    let (mut steps, mut events, mut first) = (0, 0, None);
    while let Some(step) = replay.step()? {
        steps = step.number;
        events += step.events;
        let difference = step.difference.map(|difference| difference.to_string());
        first = first.or(difference);
    }
    Ok((steps, events, first))
}

#[test]
fn a_replay_in_any_detector_gives_the_recorded_answers() {
    for seed in 0..9 {
        let text = recorded(seed, 25);
        assert!(
            text.contains("\ncontacts ") && text.contains("\ncloser "),
            "{seed}"
        );
        for serial in [false, true] {
            let config = WorldConfig {
                serial,
                ..WorldConfig::default()
            };
            let mut world = World::new(DynamicAabbTree::default(), config);
            world.set_broad_phase(broad(seed)).unwrap();
            let (steps, events, difference) = replayed(&text, world).unwrap();
            assert_eq!(difference, None, "seed {seed}");
            assert!(steps == 25 && events > 50, "{steps} {events}");
        }
    }
}

#[test]
fn a_recording_of_a_replay_is_the_same_text() {
    // Seeds without oriented boxes: with them, which pairs are near, and so are asked for, is the detector's matter.
    for seed in [1, 5] {
        let text = recorded(seed, 15);
        let mut world = World::default();
        world.start_recording().unwrap();
        let mut replay = Replay::new(&text, world).unwrap();
        while replay.step().unwrap().is_some() {}
        let again = replay.into_world().take_recording();
        let differing = again
            .lines()
            .zip(text.lines())
            .enumerate()
            .find(|(_, (own, first))| own != first);
        assert_eq!(differing, None, "seed {seed}");
        assert!(again == text, "seed {seed}");
    }
}

#[test]
fn a_changed_answer_is_found_with_its_line() {
    let text = recorded(1, 12);
    let lines: Vec<&str> = text.lines().collect();
    let place = lines
        .iter()
        .position(|line| line.starts_with("touching "))
        .unwrap();
    let mut without = lines.clone();
    without.remove(place);
    let (_, _, difference) = replayed(&without.join("\n"), World::default()).unwrap();
    assert!(
        difference
            .unwrap()
            .contains(&format!("found '{}'", lines[place]))
    );
    let mut doubled = lines.clone();
    doubled.insert(place, lines[place]);
    let (_, _, difference) = replayed(&doubled.join("\n"), World::default()).unwrap();
    assert!(
        difference
            .unwrap()
            .starts_with(&format!("line {}: ", place + 2))
    );
}

#[test]
fn damage_is_an_error_with_its_line_and_never_a_panic() {
    let text = recorded(2, 4);
    let mut rng = Rng::new(8);
    let lines: Vec<&str> = text.lines().collect();
    for _ in 0..400 {
        let place = rng.below(lines.len() as u64) as usize;
        let words: Vec<&str> = lines[place].split(' ').collect();
        let word = rng.below(words.len() as u64) as usize;
        let mut damaged: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        match rng.below(5) {
            0 => damaged[word] = "nan".to_owned(),
            1 => damaged[word] = "4294967295".to_owned(),
            2 => damaged[word] = "-1e300".to_owned(),
            3 => {
                damaged.remove(word);
            }
            _ => damaged.truncate(word),
        }
        let damaged = damaged.join(" ");
        let mut all = lines.clone();
        all[place] = &damaged;
        if let Err(error) = replayed(&all.join("\n"), World::default()) {
            assert!(
                error.line > place,
                "{error}: the damage is in line {}",
                place + 1
            );
        }
    }
    // Half a file ends within a step, or between two.
    for cut in (0..lines.len()).step_by(7) {
        match replayed(&lines[..cut].join("\n"), World::default()) {
            Ok((steps, ..)) => assert!(cut > 0 && steps <= 4),
            Err(error) => assert!(error.line >= cut.max(1), "{error}"),
        }
    }
}

#[test]
fn a_trace_of_the_first_version_replays_and_knows_no_names() {
    let ball = "shape 0 ball 1\n";
    let insert = |id: &str, x: u32| {
        format!("insert {id} shape 0 class 0 tag 0 static 0 1 0 0 0 1 0 0 0 1 {x} 0 0\n")
    };
    let step = "step 1 exact\nwish 0.0 1.0 17 0\nhello 0.0 1.0\ntouching 0.0 1.0\nend 1\n";
    let config = "config solid=0 boxes_only=0 news_only=0 max_contacts=4 engine=auto\n";
    let scene = [config, ball, &insert("0.0", 0), &insert("1.0", 1)].concat();
    let old = format!("impinge-trace 1\n{scene}{step}");
    assert_eq!(replayed(&old, World::default()), Ok((1, 2, None)));
    let named = format!("{scene}name 1.0 left\\u{{20}}wheel\n{step}");
    let refused = replayed(&format!("impinge-trace 1\n{named}"), World::default());
    assert_eq!(refused.unwrap_err().line, 6);
    let text = format!("impinge-trace 2\n{named}");
    let mut replay = Replay::new(&text, World::default()).unwrap();
    assert_eq!(replay.step().unwrap().unwrap().difference, None);
    let names: Vec<_> = replay
        .world()
        .bodies()
        .map(|(_, body)| body.name.as_deref())
        .collect();
    assert_eq!(names, [None, Some("left wheel")]);
}

#[test]
fn errors_say_what_is_wrong() {
    let message = |text: &str| replayed(text, World::default()).unwrap_err().to_string();
    assert_eq!(
        message(""),
        "line 1: a trace begins with 'impinge-trace 2' or 'impinge-trace 1'"
    );
    assert!(message("impinge-trace 3\n").contains("cannot read"));
    let after = |line: &str| message(&format!("impinge-trace 1\n\n# remark\n{line}\n"));
    assert_eq!(after("jump"), "line 4: 'jump' is not a change or a step");
    assert_eq!(
        after("shape 0 ball -1"),
        "line 4: radius must be above 0 and at most 1.42724769270596e45, found -1"
    );
    assert_eq!(
        after("shape 0 ball"),
        "line 4: the line ends where a number should be"
    );
    assert_eq!(
        after("shape 0 ball 1 2"),
        "line 4: '2' is one word too many"
    );
    assert_eq!(
        after("shape 0 cube 1"),
        "line 4: 'cube' is not a kind of shape"
    );
    assert_eq!(
        after("pose 0.0 1 0 0 0 1 0 0 0 1 0 0 0"),
        "line 4: object 0.0 is not here"
    );
    assert_eq!(
        after("remove x"),
        "line 4: 'x' is not an object: 'slot.generation' is"
    );
    assert!(after("insert 9999999.0 shape 0").contains("far beyond"));
    assert!(after("step 1 exact\nhello 0.0 1.0").contains("the trace ends within step 1"));
    assert!(after("step 1 exact\nend 2").contains("step 2 ends, but step 1 began"));
}
