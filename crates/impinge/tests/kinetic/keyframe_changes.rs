//! Plans that change: far, late, by keys that are too far apart, and under a tree that chooses its maintenance.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::DVec3;
use impinge::generate;
use impinge::kinetic::{
    AutoMaintainedTree, IntervalTree, Keyframes, Kinetic, KineticAabbTree, KineticDopTree,
    KineticError, KineticNode, Maintenance, Scheduler, SeparationList,
};
use impinge::math::Rng;
use impinge::query::VertexId;

/// A ball at rest until time 1.
fn resting() -> (Keyframes, Vec<[u32; 3]>) {
    let ball = generate::icosphere(1.0, 2).unwrap();
    let still = vec![DVec3::ZERO; ball.vertex_count()];
    let flight = Keyframes::linear(ball.positions(), &still, 0.0, 1.0).unwrap();
    (flight, ball.faces().to_vec())
}

#[test]
fn a_key_far_away_widens_the_boxes_around_vertices_and_events_come_to_an_end() {
    for far in [1e15, 1e30, 1e44] {
        let (flight, faces) = resting();
        let mut tree = IntervalTree::new(&flight, &faces, 0.125).unwrap();
        let places: Vec<DVec3> = (0..flight.vertex_count() as u32)
            .map(|v| flight.position(VertexId::new(v), 0.0).unwrap() * far)
            .collect();
        let slots = 3 * places.len() as u64;
        let mut schedule = Scheduler::new(flight);
        schedule.extend(2.0, &places, &mut [&mut tree]).unwrap();
        // With the radius asked for, a vertex would be in its box for no time at all.
        assert!(tree.radius() > 0.01 * far);
        for step in 1..=16 {
            schedule
                .run_to(f64::from(step) / 8.0, &mut [&mut tree], |_, _| Ok(()))
                .unwrap();
            tree.validate(schedule.flight()).unwrap();
        }
        let events = tree.counts().events;
        assert!(events > 0 && events <= 32 * slots, "{far}: {events}");
    }
}

#[test]
fn a_vertex_sent_far_away_widens_the_boxes_around_vertices_and_events_come_to_an_end() {
    let (flight, faces) = resting();
    let mut tree = IntervalTree::new(&flight, &faces, 0.125).unwrap();
    let slots = 3 * flight.vertex_count() as u64;
    let mut schedule = Scheduler::new(flight);
    schedule
        .run_to(0.5, &mut [&mut tree], |_, _| Ok(()))
        .unwrap();
    schedule
        .respond(&mut [&mut tree], |response| {
            response.redirect(VertexId::new(3), DVec3::new(1e30, -1e30, 1e30))
        })
        .unwrap();
    assert!(tree.radius() > 1e20);
    tree.validate(schedule.flight()).unwrap();
    for step in 5..=10 {
        schedule
            .run_to(f64::from(step) / 10.0, &mut [&mut tree], |_, _| Ok(()))
            .unwrap();
        tree.validate(schedule.flight()).unwrap();
    }
    let events = tree.counts().events;
    assert!(events > 0 && events <= 32 * slots, "{events}");
}

#[test]
fn a_vertex_that_leaves_many_boxes_between_two_times_has_an_event_for_each_time() {
    let (flight, faces) = resting();
    let mut tree = IntervalTree::new(&flight, &faces, 0.125).unwrap();
    let mut schedule = Scheduler::new(flight);
    let late = 1.0_f64.next_down().next_down().next_down();
    schedule
        .run_to(late, &mut [&mut tree], |_, _| Ok(()))
        .unwrap();
    let vertex = VertexId::new(3);
    schedule
        .respond(&mut [&mut tree], |response| {
            let here = response.flight().position(vertex, late).unwrap();
            response.reroute(vertex, here, &[here + DVec3::splat(1000.0)])
        })
        .unwrap();
    assert_eq!(tree.radius(), 0.125);
    for time in [late.next_up(), late.next_up().next_up(), 1.0] {
        schedule
            .run_to(time, &mut [&mut tree], |_, _| Ok(()))
            .unwrap();
        tree.validate(schedule.flight()).unwrap();
    }
    // Three coordinates, three times, and at each time no more than two events.
    let events = tree.counts().events;
    assert!((3..=18).contains(&events), "{events}");
}

/// A ball that turns, sampled ten times a second.
struct Turning {
    faces: Vec<[u32; 3]>,
    places: Vec<DVec3>,
}

impl Turning {
    const RATE: f64 = 2.0;

    fn new() -> Self {
        let ball = generate::icosphere(1.0, 3).unwrap();
        Self {
            faces: ball.faces().to_vec(),
            places: ball.positions().to_vec(),
        }
    }

    fn at(&self, time: f64) -> Vec<DVec3> {
        (0..self.places.len())
            .map(|v| self.place(v, time))
            .collect()
    }

    fn place(&self, vertex: usize, time: f64) -> DVec3 {
        let (p, (sin, cos)) = (self.places[vertex], libm::sincos(Self::RATE * time));
        DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z)
    }

    fn time(key: u32) -> f64 {
        0.1 * f64::from(key)
    }

    fn flight(&self) -> Keyframes {
        let times: Vec<f64> = (0..=3).map(Self::time).collect();
        // Acceleration is radius times rate squared.
        let bound = Self::RATE * Self::RATE;
        Keyframes::sampled(&times, self.places.len(), bound, |v, t| self.place(v, t)).unwrap()
    }
}

/// Every node with the vertices below it.
fn subtrees(tree: &KineticAabbTree, faces: &[[u32; 3]]) -> Vec<(KineticNode, Vec<u32>)> {
    let mut found = Vec::new();
    let mut open = vec![KineticNode::ROOT];
    while let Some(node) = open.pop() {
        let mut vertices = Vec::new();
        let mut below = vec![node];
        while let Some(node) = below.pop() {
            match tree.children(node) {
                Some(children) => below.extend(children),
                None => vertices.extend(faces[tree.face(node).unwrap().index()]),
            }
        }
        found.push((node, vertices));
        open.extend(tree.children(node).into_iter().flatten());
    }
    found
}

#[test]
fn a_sampled_motion_stays_within_all_volumes_also_when_keys_are_appended() {
    let turning = Turning::new();
    let flight = turning.flight();
    let deviation = flight.deviation();
    let mut aabb = KineticAabbTree::new(&flight, &turning.faces).unwrap();
    let mut dop = KineticDopTree::new(&flight, &turning.faces).unwrap();
    // The slack of the small boxes must not hide what the plan leaves out.
    let mut interval = IntervalTree::new(&flight, &turning.faces, 0.1 * deviation).unwrap();
    let nodes = subtrees(&aabb, &turning.faces);
    let mut schedule = Scheduler::new(flight);
    let mut strayed = 0.0_f64;
    for frame in 0..=60 {
        let time = 0.01 * f64::from(frame) + 0.005;
        while schedule.flight().end() < time {
            let next = Turning::time(schedule.flight().key_times().len() as u32);
            schedule
                .extend(
                    next,
                    &turning.at(next),
                    &mut [&mut aabb, &mut dop, &mut interval],
                )
                .unwrap();
        }
        schedule
            .run_to(time, &mut [&mut aabb, &mut dop, &mut interval], |_, _| {
                Ok(())
            })
            .unwrap();
        let (places, flight) = (turning.at(time), schedule.flight());
        for (v, &p) in (0..).zip(&places) {
            let planned = flight.position(VertexId::new(v), time).unwrap();
            strayed = strayed.max(planned.distance(p));
        }
        for (node, vertices) in &nodes {
            let sharp = aabb.bounds(flight, *node).unwrap();
            let loose = interval.bounds(*node).unwrap();
            let extents = dop.extents(*node).unwrap();
            for &v in vertices {
                let p = places[v as usize];
                assert!(sharp.contains(p) && loose.contains(p), "{time} {node:?}");
                let [x, y, z] = p.to_array();
                let along = [x, y, z, x + y, x + z, y + z, x - y, x - z, y - z];
                for (value, [low, high]) in along.into_iter().zip(extents) {
                    assert!(low <= value && value <= high, "{time} {node:?}");
                }
            }
        }
    }
    // Without the margin, boxes would have lost points.
    assert!(
        strayed > 0.5 * deviation && strayed <= deviation,
        "{strayed}"
    );
}

#[test]
fn keys_appended_to_a_sampled_plan_may_not_be_farther_apart_than_its_own() {
    let turning = Turning::new();
    let flight = turning.flight();
    let mut list = SeparationList::with_itself(&flight, &turning.faces).unwrap();
    let deviation = flight.deviation();
    let mut schedule = Scheduler::new(flight);
    let end = schedule.flight().end();
    for gap in [0.1001, 0.2, 1e9] {
        let refused = schedule.extend(end + gap, &turning.at(end + gap), &mut [&mut list]);
        assert!(
            matches!(refused, Err(KineticError::LongGap { key: 4, .. })),
            "{refused:?}"
        );
        assert!(refused.unwrap_err().to_string().contains("sampled"));
    }
    assert_eq!(schedule.flight().end(), end);
    // Shorter ones are welcome, and do not become the measure.
    for time in [end + 0.05, end + 0.15, end + 0.25] {
        schedule
            .extend(time, &turning.at(time), &mut [&mut list])
            .unwrap();
    }
    assert_eq!(schedule.flight().deviation(), deviation);
    schedule
        .run_to(end + 0.2, &mut [&mut list], |_, _| Ok(()))
        .unwrap();
    list.validate(schedule.flight()).unwrap();
    // Two plans in one keep to it, too.
    let joined = Keyframes::joined(&[&turning.flight(), &turning.flight()]).unwrap();
    let both = [turning.at(end + 0.3), turning.at(end + 0.3)].concat();
    let refused = Scheduler::new(joined).extend(end + 0.3, &both, &mut []);
    assert!(matches!(refused, Err(KineticError::LongGap { .. })));
    // A plan that is what it says has no such limit.
    let (flight, _) = resting();
    let places = vec![DVec3::ZERO; flight.vertex_count()];
    Scheduler::new(flight)
        .extend(1e6, &places, &mut [])
        .unwrap();
}

#[test]
fn all_places_at_once_are_those_one_by_one_whatever_changed() {
    let mut rng = Rng::new(31);
    let frames: Vec<Vec<DVec3>> = (0..3)
        .map(|_| (0..40).map(|_| rng.cube()).collect())
        .collect();
    let flight = Keyframes::new(&[-1.0, 0.5, 2.0], &frames).unwrap();
    let mut schedule = Scheduler::new(flight);
    let mut places = Vec::new();
    for change in 0..3 {
        let flight = schedule.flight();
        for step in -5..=35 {
            let time = f64::from(step) / 10.0;
            flight.positions(time, &mut places);
            for (v, &p) in (0..).zip(&places) {
                assert_eq!(flight.position(VertexId::new(v), time), Some(p));
            }
        }
        let now = schedule.now();
        match change {
            0 => {
                let more: Vec<DVec3> = (0..40).map(|_| rng.cube()).collect();
                schedule.extend(3.0, &more, &mut []).unwrap();
                schedule.run_to(now + 1.75, &mut [], |_, _| Ok(())).unwrap();
            }
            _ => schedule
                .respond(&mut [], |response| {
                    response.redirect(VertexId::new(7), DVec3::X)
                })
                .unwrap(),
        }
    }
}

#[test]
fn a_tree_with_chosen_upkeep_follows_plans_that_change() {
    let cloth = generate::cloth(12, 12).unwrap();
    let mut rng = Rng::new(79);
    let mut shaken = |key: u32| -> Vec<DVec3> {
        let shake = 0.02 * f64::from(key);
        let places = cloth.positions().iter();
        places.map(|&p| p + rng.cube() * shake).collect()
    };
    let flight = Keyframes::new(&[0.0, 1.0], &[shaken(0), shaken(1)]).unwrap();
    let mut auto = AutoMaintainedTree::new(&flight, cloth.faces()).unwrap();
    let mut events = KineticAabbTree::new(&flight, cloth.faces()).unwrap();
    let untold = auto.clone();
    let mut schedule = Scheduler::new(flight);
    let mut ways = Vec::new();
    let mut turns = Rng::new(80);
    for key in 1..=12 {
        if key > 1 {
            let frame = shaken(key);
            schedule
                .extend(f64::from(key), &frame, &mut [&mut auto, &mut events])
                .unwrap();
        }
        // Few frames for each key, then many, then few.
        let steps = if (5..9).contains(&key) { 400 } else { 2 };
        for step in 1..=steps {
            let time = f64::from(key - 1) + f64::from(step) / f64::from(steps);
            schedule
                .run_to(time, &mut [&mut auto, &mut events], |_, _| Ok(()))
                .unwrap();
            assert_eq!(auto.now(), time);
            ways.push(auto.maintenance());
            if step % 50 > 1 && steps > 2 {
                continue;
            }
            auto.validate(schedule.flight()).unwrap();
            let vertex = VertexId::new(turns.below(cloth.vertex_count() as u64) as u32);
            schedule
                .respond(&mut [&mut auto, &mut events], |response| {
                    response.redirect(vertex, 0.1 * turns.cube())
                })
                .unwrap();
            auto.validate(schedule.flight()).unwrap();
            let [x, y] = [
                auto.bounds(schedule.flight(), KineticNode::ROOT).unwrap(),
                events.bounds(schedule.flight(), KineticNode::ROOT).unwrap(),
            ];
            assert!(x.inflated(1e-9).contains_box(&y) && y.inflated(1e-6).contains_box(&x));
        }
    }
    let is_way = |way: Maintenance| ways.iter().filter(|w| **w == way).count();
    assert!(is_way(Maintenance::Refit) > 5 && is_way(Maintenance::Events) > 500);
    assert!(auto.counts().updates > 0 && auto.counts().events > 0);
    // One that was not told is refused.
    assert!(!untold.belongs_to(schedule.flight()));
    assert!(untold.validate(schedule.flight()).is_err());
}
