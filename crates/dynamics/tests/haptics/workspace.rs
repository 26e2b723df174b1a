//! Several hands among bodies.

use std::sync::Arc;

use impinge::math::Rng;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::{DVec3, Pose};
use impinge_dynamics::device::{
    DeviceSpecification, HapticDevice, Keyframe, Script, ScriptedDevice,
};
use impinge_dynamics::workspace::{
    PoseCell, Workspace, WorkspaceBody, WorkspaceConfig, WorkspaceError, run_threads, split_budget,
};

/// A cube of side 0.08 m of small balls.
fn tree() -> Arc<InnerSphereTree> {
    let n = 6;
    let cell = 0.08 / f64::from(n);
    let mut balls = Vec::new();
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) + 0.5;
                balls.push(SolidBall {
                    center: p * cell - 0.04,
                    radius: cell / 2.0,
                });
            }
        }
    }
    Arc::new(InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap())
}

fn bodies(count: usize) -> Vec<WorkspaceBody> {
    let tree = tree();
    (0..count)
        .map(|index| WorkspaceBody {
            tree: tree.clone(),
            mass: 0.2,
            inertia: 2e-4,
            world_from_body: Pose::from_translation([
                0.1 * (index % 3) as f64,
                0.1 * (index / 3) as f64,
                0.0,
            ])
            .unwrap(),
        })
        .collect()
}

fn config() -> WorkspaceConfig {
    WorkspaceConfig {
        gravity: DVec3::ZERO,
        ..WorkspaceConfig::table().unwrap()
    }
}

fn scripts(hands: usize, seconds: f64, speed: f64) -> Vec<Script> {
    let mut rng = Rng::new(71);
    let starts = bodies(hands);
    let script = |start: &WorkspaceBody| {
        let mut frames = vec![Keyframe {
            time_ns: 0,
            pose: start.world_from_body,
        }];
        let (mut place, mut time) = (start.world_from_body.translation(), 0.0);
        while time < seconds {
            let goal = DVec3::new(rng.range(0.0, 0.2), rng.range(0.0, 0.1), 0.0);
            time += (goal - place).length() / speed + 0.02;
            let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], rng.range(-0.3, 0.3), goal);
            frames.push(Keyframe {
                time_ns: (time * 1e9) as u64,
                pose: pose.unwrap(),
            });
            place = goal;
        }
        Script::new(frames).unwrap()
    };
    starts.iter().map(script).collect()
}

/// Forces of the hands, tick by tick.
fn played(config: WorkspaceConfig, ticks: u64) -> Vec<Vec<DVec3>> {
    let mut workspace = Workspace::new(bodies(6), 4, config).unwrap();
    let scripts = scripts(4, ticks as f64 * 1e-3, 0.15);
    for hand in 0..4 {
        let start = workspace.pose(hand).unwrap();
        workspace.grab(hand, hand, &start).unwrap();
    }
    let mut forces = Vec::new();
    for tick in 0..ticks {
        let poses: Vec<Pose> = scripts
            .iter()
            .map(|s| s.state(tick * 1_000_000).pose)
            .collect();
        let places: Vec<DVec3> = (0..6)
            .map(|body| workspace.pose(body).unwrap().translation())
            .collect();
        let steps = workspace.tick(&poses).to_vec();
        assert!(steps.iter().all(|step| step.list_age <= config.list_period));
        forces.push(steps.iter().map(|step| step.wrench.force).collect());
        // Forces between bodies are opposite: none comes from nowhere.
        let (mut force, mut size) = (DVec3::ZERO, 0.0);
        let mut torque = DVec3::ZERO;
        // Where bodies were when the contact was found.
        for (body, arm) in places.into_iter().enumerate() {
            let contact = workspace.contact(body).unwrap();
            force += contact.force;
            torque += contact.torque + arm.cross(contact.force);
            size += contact.force.length();
        }
        assert!(force.length() <= 1e-12 * (1.0 + size), "{force} of {size}");
        assert!(torque.length() <= 1e-11 * (1.0 + size), "{torque}");
    }
    forces
}

#[test]
fn old_lists_give_the_forces_of_lists_made_every_tick() {
    // Longer runs part by themselves: bodies that push each other amplify roundings.
    let ticks = 400;
    let fresh = played(
        WorkspaceConfig {
            list_period: 1,
            ..config()
        },
        ticks,
    );
    let old = played(
        WorkspaceConfig {
            list_period: 5,
            ..config()
        },
        ticks,
    );
    let largest = fresh
        .iter()
        .flatten()
        .fold(0.0_f64, |m, f| m.max(f.length()));
    assert!(largest > 1.0, "the hands felt {largest} N");
    for (tick, (a, b)) in fresh.iter().zip(&old).enumerate() {
        for (f, g) in a.iter().zip(b) {
            // Only the order of sums differs, and what that does to the motion.
            assert!((*f - *g).length() < 1e-5 * largest, "tick {tick}: {f} {g}");
        }
    }
}

#[test]
fn a_budget_changes_forces_a_little_and_never_by_a_step() {
    let ticks = 1000;
    let whole = played(config(), ticks);
    let cut = played(
        WorkspaceConfig {
            budget: 6000,
            ..config()
        },
        ticks,
    );
    let largest = whole
        .iter()
        .flatten()
        .fold(0.0_f64, |m, f| m.max(f.length()));
    let step = |forces: &[Vec<DVec3>]| {
        let mut most = 0.0_f64;
        for pair in forces.windows(2) {
            for (f, g) in pair[0].iter().zip(&pair[1]) {
                most = most.max((*f - *g).length());
            }
        }
        most
    };
    assert!(
        step(&cut) <= step(&whole) + 0.05 * largest,
        "{} {}",
        step(&cut),
        step(&whole)
    );
}

#[test]
fn two_hands_on_one_body_share_its_weight() {
    let config = WorkspaceConfig::table().unwrap();
    let mut workspace = Workspace::new(bodies(1), 2, config).unwrap();
    let place = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    workspace.grab(0, 0, &place(-0.04)).unwrap();
    workspace.grab(1, 0, &place(0.04)).unwrap();
    let mut weights = [0.0; 2];
    for _ in 0..3000 {
        let steps = workspace.tick(&[place(-0.04), place(0.04)]);
        weights = [steps[0].wrench.force.z, steps[1].wrench.force.z];
    }
    for weight in weights {
        assert!((weight + 0.1 * 9.81).abs() < 1e-6, "{weight}");
    }
    workspace.release(0).unwrap();
    workspace.release(1).unwrap();
    for _ in 0..100 {
        workspace.tick(&[]);
    }
    assert!(workspace.pose(0).unwrap().translation().z < -0.03);
    assert_eq!(
        workspace.grab(9, 0, &place(0.0)),
        Err(WorkspaceError::NoHand { hand: 9 })
    );
    assert_eq!(
        workspace.grab(0, 9, &place(0.0)),
        Err(WorkspaceError::NoBody { body: 9 })
    );
}

#[test]
fn budgets_are_shared_by_need_and_never_more_than_there_is() {
    let mut rng = Rng::new(72);
    for _ in 0..300 {
        let count = 1 + rng.below(8) as usize;
        let weights: Vec<f64> = (0..count).map(|_| rng.range(-1.0, 5.0)).collect();
        let (total, least) = (rng.below(100_000), rng.below(5000));
        let mut shares = vec![0; count];
        split_budget(total, least, &weights, &mut shares);
        assert!(shares.iter().sum::<u64>() <= total);
        let least = least.min(total / count as u64);
        assert!(shares.iter().all(|&share| share >= least));
        for (i, a) in weights.iter().enumerate() {
            for (j, b) in weights.iter().enumerate() {
                assert!(a.max(0.0) > b.max(0.0) || shares[i] <= shares[j] || a == b);
            }
        }
    }
}

#[test]
fn a_pose_cell_never_shows_half_a_pose() {
    let cell = Arc::new(PoseCell::new(&Pose::IDENTITY));
    let poses: Vec<Pose> = (0..50)
        .map(|k| {
            let angle = f64::from(k) * 0.1;
            Pose::from_axis_angle([0.0, 0.0, 1.0], angle, [angle, -angle, 0.0]).unwrap()
        })
        .collect();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..2000 {
                poses.iter().for_each(|pose| cell.write(pose));
            }
        });
        let mut seen = 0;
        while !writer.is_finished() {
            if let Some(pose) = cell.read() {
                assert!(pose == Pose::IDENTITY || poses.contains(&pose));
                seen += 1;
            }
        }
        assert!(seen > 0);
    });
}

/// A clock that stands still: thread times are for benchmarks.
fn no_clock() -> u64 {
    0
}

#[test]
fn threads_of_hands_run_their_ticks_and_feel_forces() {
    let mut workspace = Workspace::new(bodies(6), 2, config()).unwrap();
    for hand in 0..2 {
        let start = workspace.pose(hand).unwrap();
        workspace.grab(hand, hand, &start).unwrap();
    }
    let devices = scripts(2, 1.0, 0.2).into_iter().map(|script| {
        let device = ScriptedDevice::new(DeviceSpecification::virtuose(), script);
        Box::new(device) as Box<dyn HapticDevice + Send>
    });
    let report = run_threads(workspace, devices.collect(), 1_000_000, 400, no_clock).unwrap();
    assert_eq!(report.hands.len(), 2);
    assert!(report.refreshes > 0);
    for hand in &report.hands {
        assert!(hand.servo.ticks > 0 && hand.servo.ticks + hand.servo.missed >= 400);
        assert!(hand.largest_force.is_finite() && hand.list_age.count > 0);
    }
}
