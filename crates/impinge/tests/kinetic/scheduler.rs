//! Schedules: changing plans, bad input, many events at once.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::kinetic::{
    EventHeap, FeatureContact, IntervalTree, Keyframes, Kinetic, KineticAabbTree, KineticBoxTree,
    KineticDopTree, KineticError, KineticNode, Response, Scheduler, SeparationList,
};
use impinge::math::Rng;
use impinge::query::VertexId;
use impinge::{DVec3, TriMesh, generate};

#[test]
fn the_heap_gives_events_in_order_whatever_was_moved_or_taken_out() {
    let mut rng = Rng::new(1);
    let mut heap = EventHeap::new(200);
    let mut truth: Vec<Option<f64>> = vec![None; 200];
    for _ in 0..20_000 {
        let slot = rng.below(200) as u32;
        match rng.below(4) {
            0 => {
                heap.cancel(slot);
                truth[slot as usize] = None;
            }
            1 => {
                let pending = truth.iter().enumerate();
                let first = pending
                    .filter_map(|(slot, time)| time.map(|t| (t, slot as u32)))
                    .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                assert_eq!(heap.pop().map(|e| (e.time, e.slot)), first);
                if let Some((_, slot)) = first {
                    truth[slot as usize] = None;
                }
            }
            _ => {
                let time = rng.grid(0, 20);
                heap.schedule(slot, time);
                truth[slot as usize] = Some(time);
            }
        }
        assert_eq!(heap.len(), truth.iter().flatten().count());
        assert_eq!(heap.time_of(slot), truth[slot as usize]);
    }
}

struct Scene {
    flight: Keyframes,
    faces: [Vec<[u32; 3]>; 2],
}

/// Two balls that expand into each other.
fn balls(frequency: u32) -> Scene {
    let ball = generate::icosphere(1.0, frequency).unwrap();
    let count = ball.vertex_count() as u32;
    let offset = DVec3::new(2.5, 0.1, 0.05);
    let mut places = ball.positions().to_vec();
    places.extend(ball.positions().iter().map(|&p| p + offset));
    let speeds: Vec<DVec3> = [ball.positions(), ball.positions()].concat();
    let flight = Keyframes::linear(&places, &speeds, 0.0, 2.0).unwrap();
    let second = ball.faces().iter().map(|f| f.map(|v| v + count)).collect();
    Scene {
        flight,
        faces: [ball.faces().to_vec(), second],
    }
}

#[test]
fn plans_that_change_at_contacts_keep_every_structure_valid() {
    let Scene { flight, faces } = balls(3);
    let all = faces.concat();
    let mut list = SeparationList::between(&flight, &faces[0], &faces[1]).unwrap();
    let mut own = SeparationList::with_itself(&flight, &all).unwrap();
    let mut aabb = KineticAabbTree::new(&flight, &all).unwrap();
    let mut cut = KineticBoxTree::new(&flight, &all).unwrap();
    let mut dop = KineticDopTree::new(&flight, &all).unwrap();
    let mut interval = IntervalTree::new(&flight, &all, 0.125).unwrap();
    let half = flight.vertex_count() as u32 / 2;
    let mut schedule = Scheduler::new(flight);
    let mut contacts = 0;
    let mut last = 0.0;
    for frame in 1..=40 {
        let mut structures: [&mut dyn Kinetic; 6] = [
            &mut list,
            &mut own,
            &mut aabb,
            &mut cut,
            &mut dop,
            &mut interval,
        ];
        schedule
            .run_to(0.05 * frame as f64, &mut structures, |contact, response| {
                contacts += 1;
                assert!(response.now() >= last && contact.lower <= response.now());
                last = response.now();
                // The faces that touch go back towards their middles.
                for (side, face) in [contact.faces.a, contact.faces.b].into_iter().enumerate() {
                    let of = all
                        .get(face.index() + side * faces[0].len())
                        .or(all.get(face.index()));
                    for &v in of.unwrap() {
                        let middle = if v < half {
                            DVec3::ZERO
                        } else {
                            DVec3::new(2.5, 0.1, 0.05)
                        };
                        let here = response.flight().position(VertexId::new(v), last).unwrap();
                        response.redirect(VertexId::new(v), (middle - here) * 0.4)?;
                    }
                }
                Ok(())
            })
            .unwrap();
        for structure in &structures {
            structure.validate(schedule.flight()).unwrap();
            assert_eq!(structure.now(), schedule.now());
        }
    }
    assert!(contacts > 10 && contacts < 10_000, "{contacts}");
}

#[test]
fn random_changes_of_plan_keep_every_structure_valid() {
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let vertices = 60;
        let faces: Vec<[u32; 3]> = (0..80)
            .map(|_| {
                let first = rng.below(vertices) as u32;
                [0, 1, 2].map(|k| (first + k * (1 + rng.below(19) as u32)) % vertices as u32)
            })
            .collect();
        let is_grid = seed % 2 == 0;
        let mut point = || {
            if is_grid {
                DVec3::from_array([0; 3].map(|_| rng.grid(-3, 3)))
            } else {
                16.0 * rng.cube()
            }
        };
        let frames: Vec<Vec<DVec3>> = (0..5)
            .map(|_| (0..vertices).map(|_| point()).collect())
            .collect();
        let times: Vec<f64> = (0..5).map(f64::from).collect();
        let flight = Keyframes::new(&times, &frames).unwrap();
        let mut list = SeparationList::with_itself(&flight, &faces).unwrap();
        let mut aabb = KineticAabbTree::new(&flight, &faces).unwrap();
        let mut cut = KineticBoxTree::new(&flight, &faces).unwrap();
        let mut dop = KineticDopTree::new(&flight, &faces).unwrap();
        let mut interval = IntervalTree::new(&flight, &faces, 0.25).unwrap();
        let mut structures: [&mut dyn Kinetic; 5] =
            [&mut list, &mut aabb, &mut cut, &mut dop, &mut interval];
        let mut schedule = Scheduler::new(flight);
        let mut rng = Rng::new(100 + seed);
        for step in 1..=64 {
            let to = 4.0 * f64::from(step) / 64.0;
            schedule.run_to(to, &mut structures, |_, _| Ok(())).unwrap();
            for structure in &structures {
                structure.validate(schedule.flight()).unwrap();
            }
            schedule
                .respond(&mut structures, |response| {
                    for _ in 0..3 {
                        let v = VertexId::new(rng.below(vertices) as u32);
                        if is_grid {
                            let here = response.flight().position(v, to).unwrap();
                            let count = times.iter().filter(|&&t| t > to).count();
                            let later: Vec<DVec3> = (0..count)
                                .map(|_| DVec3::from_array([0; 3].map(|_| rng.grid(-3, 3))))
                                .collect();
                            response.reroute(v, here, &later)?;
                        } else {
                            response.redirect(v, rng.cube())?;
                        }
                    }
                    Ok(())
                })
                .unwrap();
            for structure in &structures {
                structure.validate(schedule.flight()).unwrap();
            }
        }
    }
}

#[test]
fn keys_that_arrive_one_by_one_give_what_a_whole_plan_gives() {
    let mut rng = Rng::new(9);
    let mesh = generate::icosphere(1.0, 2).unwrap();
    let frames: Vec<Vec<DVec3>> = (0..9)
        .map(|_| {
            mesh.positions()
                .iter()
                .map(|&p| p + 0.4 * rng.cube())
                .collect()
        })
        .collect();
    let times: Vec<f64> = (0..9).map(f64::from).collect();
    let whole = Keyframes::new(&times, &frames).unwrap();
    let mut expected = SeparationList::with_itself(&whole, mesh.faces()).unwrap();
    let mut tree = KineticAabbTree::new(&whole, mesh.faces()).unwrap();
    let mut schedule = Scheduler::new(whole);
    let mut count = 0;
    schedule
        .run_to(8.0, &mut [&mut expected, &mut tree], |_, _| {
            count += 1;
            Ok(())
        })
        .unwrap();
    let start = Keyframes::new(&times[..2], &frames[..2]).unwrap();
    let mut list = SeparationList::with_itself(&start, mesh.faces()).unwrap();
    let mut grown = KineticAabbTree::new(&start, mesh.faces()).unwrap();
    let mut dop = KineticDopTree::new(&start, mesh.faces()).unwrap();
    let mut cut = KineticBoxTree::new(&start, mesh.faces()).unwrap();
    let mut interval = IntervalTree::new(&start, mesh.faces(), 0.1).unwrap();
    let mut schedule = Scheduler::new(start);
    let mut found = 0;
    let mut structures: [&mut dyn Kinetic; 5] =
        [&mut list, &mut grown, &mut dop, &mut cut, &mut interval];
    for key in 1..9 {
        if key > 1 {
            schedule
                .extend(times[key], &frames[key], &mut structures)
                .unwrap();
        }
        schedule
            .run_to(times[key] - 0.5, &mut structures, |_, _| {
                found += 1;
                Ok(())
            })
            .unwrap();
        for structure in &structures {
            structure.validate(schedule.flight()).unwrap();
        }
    }
    schedule
        .run_to(8.0, &mut structures, |_, _| {
            found += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(found, count);
    assert_eq!(grown.counts().updates, tree.counts().updates);
    let (mut kept, mut fresh): (Vec<_>, Vec<_>) =
        (list.pairs().collect(), expected.pairs().collect());
    kept.sort_unstable();
    fresh.sort_unstable();
    assert_eq!(kept, fresh);
}

#[test]
fn both_loops_see_the_same_events() {
    let Scene { flight, faces } = balls(2);
    let build = || SeparationList::between(&flight, &faces[0], &faces[1]).unwrap();
    let (mut framed, mut free) = (build(), build());
    let mut seen = [Vec::new(), Vec::new()];
    let mut schedule = Scheduler::new(flight.clone());
    for frame in 1..=20 {
        schedule
            .run_to(0.1 * f64::from(frame), &mut [&mut framed], |c, _| {
                seen[0].push(*c);
                Ok(())
            })
            .unwrap();
    }
    let mut schedule = Scheduler::new(flight.clone());
    let mut before = 0.0;
    let mut steps = 0;
    while let Some(time) = schedule
        .run_next(&mut [&mut free], |c, _| {
            seen[1].push(*c);
            Ok(())
        })
        .unwrap()
    {
        assert!(time >= before);
        before = time;
        steps += 1;
        assert!(steps < 100_000);
    }
    assert_eq!(schedule.now(), 2.0);
    assert_eq!(seen[0], seen[1]);
    assert_eq!(framed.counts(), free.counts());
}

#[test]
fn bad_plans_are_refused_and_say_where() {
    let good = vec![DVec3::ZERO, DVec3::X];
    let keys = |times: &[f64], frames: &[Vec<DVec3>]| Keyframes::new(times, frames).map(|_| ());
    assert_eq!(
        keys(&[0.0], std::slice::from_ref(&good)),
        Err(KineticError::TooFewKeys { keys: 1 })
    );
    let two = [good.clone(), good.clone()];
    assert!(matches!(
        keys(&[1.0, 1.0], &two),
        Err(KineticError::KeyOrder { key: 1, .. })
    ));
    assert!(matches!(
        keys(&[0.0, f64::NAN], &two),
        Err(KineticError::NotATime { .. })
    ));
    assert_eq!(
        keys(&[0.0, 1.0, 2.0], &two),
        Err(KineticError::FrameCount {
            frames: 2,
            times: 3
        })
    );
    assert_eq!(
        keys(&[0.0, 1.0], &[good.clone(), vec![DVec3::ZERO]]),
        Err(KineticError::VertexCount {
            key: 1,
            found: 1,
            expected: 2
        })
    );
    let nan = vec![DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0)];
    assert!(matches!(
        keys(&[0.0, 1.0], &[good.clone(), nan]),
        Err(KineticError::Coordinate {
            key: 1,
            vertex: 1,
            value
        }) if value.is_nan()
    ));
    assert!(Keyframes::linear(&good, &[DVec3::INFINITY; 2], 0.0, 1.0).is_err());
    assert!(Keyframes::linear(&good, &[DVec3::X], 0.0, 1.0).is_err());
    assert!(Keyframes::sampled(&[0.0, 1.0], 1, -1.0, |_, _| DVec3::ZERO).is_err());
    assert!(Keyframes::joined(&[]).is_err());
    let flight = Keyframes::linear(&good, &[DVec3::X; 2], 0.0, 1.0).unwrap();
    assert!(matches!(
        KineticAabbTree::new(&flight, &[[0, 1, 2]]),
        Err(KineticError::NoSuchVertex { vertex: 2, .. })
    ));
    assert!(matches!(
        IntervalTree::new(&flight, &[[0, 1, 1]], 0.0),
        Err(KineticError::Radius { .. })
    ));
}

/// A response that changes nothing.
fn nothing(_: &FeatureContact, _: &mut Response<'_>) -> Result<(), KineticError> {
    Ok(())
}

#[test]
fn what_is_refused_leaves_the_state_as_it_was() {
    let Scene { flight, faces } = balls(2);
    let mut list = SeparationList::between(&flight, &faces[0], &faces[1]).unwrap();
    let mut tree = KineticAabbTree::new(&flight, &faces[0]).unwrap();
    let other = flight.clone();
    let mut schedule = Scheduler::new(flight);
    let mut structures: [&mut dyn Kinetic; 2] = [&mut list, &mut tree];
    schedule
        .run_to(0.2, &mut structures, |_, _| Ok(()))
        .unwrap();
    assert_eq!(
        schedule.run_to(0.1, &mut structures, nothing),
        Err(KineticError::Backwards { now: 0.2, to: 0.1 })
    );
    assert!(matches!(
        schedule.run_to(f64::NAN, &mut structures, nothing),
        Err(KineticError::NotATime { .. })
    ));
    assert!(matches!(
        schedule.run_to(9.0, &mut structures, nothing),
        Err(KineticError::BeyondPlan { .. })
    ));
    let places: Vec<DVec3> = (0..other.vertex_count() as u32)
        .map(|v| other.position(VertexId::new(v), 2.0).unwrap())
        .collect();
    let mut broken = places.clone();
    broken[3].z = f64::NAN;
    assert!(schedule.extend(3.0, &broken, &mut structures).is_err());
    assert!(schedule.extend(3.0, &places[1..], &mut structures).is_err());
    assert!(schedule.extend(1.0, &places, &mut structures).is_err());
    let jump = schedule.respond(&mut structures, |response| {
        response.reroute(VertexId::new(0), DVec3::splat(50.0), &[DVec3::ZERO])
    });
    assert!(matches!(
        jump,
        Err(KineticError::Teleport { vertex: 0, .. })
    ));
    let missing = schedule.respond(&mut structures, |response| {
        response.redirect(VertexId::new(1 << 20), DVec3::ZERO)
    });
    assert!(matches!(missing, Err(KineticError::NoSuchVertex { .. })));
    let endless = schedule.respond(&mut structures, |response| {
        response.redirect(VertexId::new(0), DVec3::splat(f64::INFINITY))
    });
    assert!(matches!(endless, Err(KineticError::Coordinate { .. })));
    // Nothing happened, and everything goes on.
    assert_eq!(schedule.now(), 0.2);
    for structure in &structures {
        structure.validate(schedule.flight()).unwrap();
    }
    schedule.run_to(2.0, &mut structures, nothing).unwrap();
    for structure in &structures {
        structure.validate(schedule.flight()).unwrap();
    }
}

#[test]
fn a_structure_that_was_not_told_of_a_change_is_refused() {
    let flight = Keyframes::linear(&[DVec3::ZERO; 3], &[DVec3::X; 3], 0.0, 1.0).unwrap();
    let mut told = KineticAabbTree::new(&flight, &[[0, 1, 2]]).unwrap();
    let mut left_out = told.clone();
    let mut schedule = Scheduler::new(flight);
    schedule
        .respond(&mut [&mut told], |response| {
            response.redirect(VertexId::new(0), DVec3::Y)
        })
        .unwrap();
    let refused = schedule.run_to(0.5, &mut [&mut told, &mut left_out], |_, _| Ok(()));
    assert_eq!(refused, Err(KineticError::ForeignPlan));
    assert_eq!(left_out.bounds(schedule.flight(), KineticNode::ROOT), None);
    schedule
        .run_to(0.5, &mut [&mut told], |_, _| Ok(()))
        .unwrap();
}

/// From a sheet to its mirror image: all its vertices pass the middle at one instant.
fn mirroring(sheet: &TriMesh) -> Keyframes {
    let mirrored: Vec<DVec3> = sheet
        .positions()
        .iter()
        .map(|p| DVec3::new(-p.x, p.y, p.z))
        .collect();
    Keyframes::new(&[0.0, 1.0], &[sheet.positions(), &mirrored]).unwrap()
}

#[test]
fn a_million_exchanges_at_one_instant_are_done_once_each() {
    let sheet = generate::cloth(500, 260).unwrap();
    let flight = mirroring(&sheet);
    let mut tree = KineticAabbTree::new(&flight, sheet.faces()).unwrap();
    tree.advance(&flight, 0.25).unwrap();
    assert_eq!(tree.counts().events, 0);
    tree.advance(&flight, 0.75).unwrap();
    let updates = tree.counts().updates;
    assert!(updates >= 1_000_000, "{updates}");
    // Ties let a node change more than once, but never more often than it has vertices, and hardly ever more than twice.
    assert!(updates <= 4 * 2 * tree.node_count() as u64, "{updates}");
    tree.advance(&flight, 1.0).unwrap();
    assert_eq!(tree.counts().updates, updates);
    tree.validate(&flight).unwrap();
}

#[test]
fn a_hundred_thousand_exchanges_at_one_instant_in_a_tree_of_cut_boxes() {
    let sheet = generate::cloth(400, 200).unwrap();
    let flight = mirroring(&sheet);
    let mut tree = KineticBoxTree::new(&flight, sheet.faces()).unwrap();
    tree.advance(&flight, 0.25).unwrap();
    assert_eq!(tree.counts().events, 0);
    tree.advance(&flight, 0.75).unwrap();
    let counts = tree.counts();
    assert!(counts.updates >= 100_000, "{counts:?}");
    // A face has a leaf, and there are about as many nodes above them; each has two sides of its own.
    let nodes = 2 * sheet.face_count() as u64;
    assert!(
        counts.updates <= 4 * 2 * nodes && counts.events <= counts.updates,
        "{counts:?}"
    );
    tree.advance(&flight, 1.0).unwrap();
    assert_eq!(tree.counts(), counts);
    tree.validate(&flight).unwrap();
}

#[test]
fn resting_contact_does_not_go_round() {
    // A triangle lies on another and both are pressed together by every response.
    let places = [
        [0., 0., 0.],
        [4., 0., 0.],
        [0., 4., 0.],
        [1., 1., 0.],
        [2., 1., 1.],
        [1., 2., 1.],
    ]
    .map(DVec3::from_array);
    let flight = Keyframes::linear(&places, &[DVec3::ZERO; 6], 0.0, 1.0).unwrap();
    let mut list = SeparationList::between(&flight, &[[0, 1, 2]], &[[3, 4, 5]]).unwrap();
    let mut schedule = Scheduler::new(flight);
    let mut contacts = 0;
    schedule
        .run_to(1.0, &mut [&mut list], |_, response| {
            contacts += 1;
            for v in 3..6 {
                response.redirect(VertexId::new(v), DVec3::new(0.0, 0.0, -0.001))?;
            }
            Ok(())
        })
        .unwrap();
    assert!((1..100).contains(&contacts), "{contacts}");
    assert_eq!(schedule.now(), 1.0);
}
