//! A whole session: energy over a bad servo loop, faults, stiffness against the device, meshes that change, bodies that move.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::coupling::{CouplingStiffness, QuasiStaticCoupling};
use impinge_dynamics::device::{DeviceSpecification, DeviceState};
use impinge_dynamics::guard::ToolGuard;
use impinge_dynamics::law::ConeLaw;
use impinge_dynamics::penalty::PenaltyField;
use impinge_dynamics::proxy::{GodObject, ProxyScene, SceneError};
use impinge_dynamics::record::{
    Entry, RecordedTick, Recorder, Recording, Session as _, WorldEdit, replay,
};
use impinge_dynamics::session::{
    ControllerKind, CustomRenderer, CustomStep, HapticSession, Renderer, SessionConfig,
    SessionError, SessionTick,
};
use impinge_dynamics::stability::{DEFAULT_MAX_ACCELERATION, DEFAULT_RESERVE, FADE_NS, FaultCause};
use impinge_dynamics::{MILLISECOND_NS, Wrench};
use impinge_testkit::hands::{BadTick, RandomHand};

const MS: u64 = MILLISECOND_NS;

/// Renders what it is told from outside, as a force along y or as a torque at a lever of a tenth of a metre.
struct Told {
    newtons: Arc<AtomicU64>,
    turns: bool,
}

const LEVER: f64 = 0.1;

impl CustomRenderer for Told {
    fn render(&mut self, pose: &Pose, _: u64) -> CustomStep {
        let push = DVec3::Y * f64::from_bits(self.newtons.load(Ordering::Relaxed));
        let wanted = if self.turns {
            Wrench {
                force: DVec3::ZERO,
                torque: push * LEVER,
            }
        } else {
            Wrench::from_force(push)
        };
        CustomStep {
            wanted,
            proxy: *pose,
            contacts: 0,
            crossed: false,
        }
    }
}

/// A session that renders what it is told, with a device at rest until the force has faded in.
struct ToldSession {
    session: HapticSession<'static>,
    newtons: Arc<AtomicU64>,
    turns: bool,
}

/// After the soft start.
const BEGUN_NS: u64 = 3000 * MS;

impl ToldSession {
    fn new(config: &SessionConfig, turns: bool) -> Self {
        let newtons = Arc::new(AtomicU64::new(0));
        let told = Told {
            newtons: newtons.clone(),
            turns,
        };
        let renderer = Renderer::Custom(Box::new(told));
        let mut session = HapticSession::new(renderer, config).unwrap();
        for time_ns in [0, BEGUN_NS - MS] {
            session.tick(
                &DeviceState::at_rest(time_ns, pose(turns, 0.01)),
                time_ns,
                time_ns,
            );
        }
        Self {
            session,
            newtons,
            turns,
        }
    }

    fn tick(&mut self, tick: &BadTick) -> f64 {
        self.newtons.store(tick.wall.to_bits(), Ordering::Relaxed);
        let now_ns = BEGUN_NS + tick.time_ns;
        let due_ns = now_ns - tick.late_ns;
        let measured_ns = BEGUN_NS + tick.measured_ns;
        let mut state = DeviceState::at_rest(measured_ns, pose(self.turns, tick.position));
        if !tick.is_finite {
            state.linear_velocity.x = f64::NAN;
        }
        let done = if tick.is_answered {
            self.session.tick(&state, now_ns, due_ns)
        } else {
            self.session.tick_without_state(now_ns, due_ns)
        };
        assert!(done.wrench.is_finite());
        if self.turns {
            done.wrench.torque.y / LEVER
        } else {
            done.wrench.force.y
        }
    }
}

fn pose(turns: bool, y: f64) -> Pose {
    if turns {
        Pose::from_axis_angle([0.0, 1.0, 0.0], y / LEVER, [0.0; 3]).unwrap()
    } else {
        Pose::from_translation([0.0, y, 0.0]).unwrap()
    }
}

#[test]
fn skipped_ticks_late_poses_and_faults_do_not_break_the_energy_bound_of_a_session() {
    let most_skipped = 2;
    let mut config = SessionConfig::new(DeviceSpecification::virtuose()).unwrap();
    config.longest_hold = 1e-3 * f64::from(1 + most_skipped);
    let (mut calm, mut felt, mut uncontrolled) = (0, 0, 0);
    for seed in 0..600 {
        for turns in [false, true] {
            for controller in [
                ControllerKind::Off,
                ControllerKind::Damper,
                ControllerKind::Tank,
            ] {
                config.controller = controller;
                config.allow_active = controller == ControllerKind::Off;
                let mut rng = Rng::new(seed);
                let mut hand = RandomHand::on_a_line(&mut rng);
                let mut told = ToldSession::new(&config, turns);
                let mut most = 0.0_f64;
                let lowest = hand.hold_badly(1000, 10, most_skipped, &mut rng, |tick| {
                    let force = told.tick(tick);
                    most = most.max(force);
                    force
                });
                if controller == ControllerKind::Off {
                    uncontrolled += u32::from(lowest < -DEFAULT_RESERVE);
                    continue;
                }
                if hand.top_acceleration() > DEFAULT_MAX_ACCELERATION {
                    continue;
                }
                calm += 1;
                felt += u32::from(most > 0.5);
                assert!(
                    lowest >= -DEFAULT_RESERVE - 1e-9,
                    "case {seed}, {controller:?}, turning {turns}: {lowest}"
                );
            }
        }
    }
    assert!(calm > 1500, "{calm} cases within the stated acceleration");
    assert!(felt > calm / 5, "{felt} of {calm} felt a force");
    assert!(
        uncontrolled > 40,
        "{uncontrolled} would have given energy away"
    );
}

/// A floor of two faces at a height.
fn floor(height: f64) -> Arc<WideTree> {
    let points = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)];
    let points = points.map(|(x, y)| [x, y, height]);
    let mesh = TriMesh::from_points(points, [[0, 1, 2], [0, 2, 3]]).unwrap();
    Arc::new(WideTree::new(Arc::new(mesh)))
}

fn god_object(tree: Arc<WideTree>, stiffness: f64) -> Renderer<'static> {
    let mut scene = ProxyScene::new();
    scene.add(tree, Pose::IDENTITY).unwrap();
    let proxy = GodObject::new(&mut scene, stiffness, [0.0, 0.0, 0.02]).unwrap();
    Renderer::GodObject { scene, proxy }
}

fn at(z: f64) -> Pose {
    Pose::from_translation([0.0, 0.0, z]).unwrap()
}

fn run(session: &mut HapticSession<'_>, now_ns: u64, z: f64) -> SessionTick {
    session.tick(&DeviceState::at_rest(now_ns, at(z)), now_ns, now_ns)
}

/// A session that presses 3 mm into a floor, begun at 0; the time of the last tick.
fn pressed() -> (HapticSession<'static>, u64, SessionTick) {
    let config = SessionConfig::new(DeviceSpecification::falcon()).unwrap();
    let mut session = HapticSession::new(god_object(floor(0.0), 1000.0), &config).unwrap();
    let (now_ns, done) = press(&mut session, 0);
    (session, now_ns, done)
}

/// Two seconds above the floor, then slowly down into it.
fn press(session: &mut HapticSession<'_>, start_ns: u64) -> (u64, SessionTick) {
    let mut last = None;
    for tick in 0..2500_u64 {
        let z = if tick < 2200 {
            0.01
        } else {
            (0.01 - (tick - 2200) as f64 * 1e-4).max(-0.003)
        };
        let now_ns = start_ns + tick * MS;
        last = Some((now_ns, run(session, now_ns, z)));
    }
    let (now_ns, done) = last.unwrap();
    assert!(done.fault.is_none());
    assert!((done.wrench.force.z - 3.0).abs() < 0.05, "{done:?}");
    (now_ns, done)
}

/// Checks that a fault that was found fades the force within its time and stays, and that the session starts softly after a reset.
fn fades(
    mut session: HapticSession<'_>,
    found: SessionTick,
    [began_ns, now_ns]: [u64; 2],
    before: f64,
    expected: impl Fn(FaultCause) -> bool,
    mut next: impl FnMut(&mut HapticSession<'_>, u64) -> SessionTick,
) {
    let fault = found.fault.unwrap();
    assert!(expected(fault.cause), "{fault:?}");
    assert_eq!(fault.time_ns, now_ns);
    assert!(now_ns - began_ns <= 6 * MS);
    let mut last = before;
    for tick in 0..60 {
        let time_ns = now_ns + tick * MS;
        let done = if tick == 0 {
            found
        } else {
            next(&mut session, time_ns)
        };
        let share = (1.0 - (tick * MS) as f64 / FADE_NS as f64).max(0.0);
        let force = done.wrench.force;
        assert!(
            force.z >= 0.0 && force.length() <= before * share + 1e-9,
            "{tick}: {force}"
        );
        assert!(force.length() <= last + 1e-12);
        assert_eq!(done.fault, Some(fault));
        last = force.length();
    }
    // Still in the wall: nothing until the hand has left it.
    session.reset();
    let mut time_ns = now_ns + 100 * MS;
    for _ in 0..50 {
        let done = run(&mut session, time_ns, -0.003);
        assert_eq!((done.wrench, done.fault), (Wrench::ZERO, None));
        time_ns += MS;
    }
    let (_, again) = press(&mut session, time_ns);
    assert!(again.fault.is_none());
}

#[test]
fn a_silent_device_ends_the_force() {
    let (mut session, began_ns, done) = pressed();
    let state = DeviceState::at_rest(began_ns, at(-0.003));
    let mut now_ns = began_ns;
    let found = loop {
        now_ns += MS;
        let done = session.tick(&state, now_ns, now_ns);
        if done.fault.is_some() {
            break done;
        }
    };
    let expected = |cause| matches!(cause, FaultCause::NoPose { .. });
    fades(
        session,
        found,
        [began_ns, now_ns],
        done.wrench.force.z,
        expected,
        |session, now_ns| session.tick(&state, now_ns, now_ns),
    );
}

#[test]
fn a_late_tick_ends_the_force() {
    let (mut session, began_ns, done) = pressed();
    let now_ns = began_ns + 5 * MS;
    let state = DeviceState::at_rest(now_ns, at(-0.003));
    let found = session.tick(&state, now_ns, began_ns + MS);
    let expected = |cause| cause == FaultCause::LateTick { late_ns: 4 * MS };
    fades(
        session,
        found,
        [began_ns, now_ns],
        done.wrench.force.z,
        expected,
        |session, now_ns| run(session, now_ns, -0.003),
    );
}

#[test]
fn velocities_that_are_no_numbers_end_the_force() {
    for part in 0..3 {
        let (mut session, began_ns, done) = pressed();
        let now_ns = began_ns + MS;
        let mut state = DeviceState::at_rest(now_ns, at(-0.003));
        match part {
            0 => state.linear_velocity.y = f64::NAN,
            1 => state.angular_velocity.x = f64::INFINITY,
            _ => state.gripper = f64::NAN,
        }
        let found = session.tick(&state, now_ns, now_ns);
        let expected = |cause| cause == FaultCause::NotFinite;
        fades(
            session,
            found,
            [began_ns, now_ns],
            done.wrench.force.z,
            expected,
            |session, now_ns| run(session, now_ns, -0.003),
        );
    }
}

#[test]
fn a_device_that_does_not_answer_ends_the_force() {
    let (mut session, began_ns, done) = pressed();
    let now_ns = began_ns + MS;
    let found = session.tick_without_state(now_ns, now_ns);
    let expected = |cause| cause == FaultCause::Disconnected;
    fades(
        session,
        found,
        [began_ns, now_ns],
        done.wrench.force.z,
        expected,
        |session, now_ns| session.tick_without_state(now_ns, now_ns),
    );
    // A device that was never there is no fault.
    let config = SessionConfig::new(DeviceSpecification::falcon()).unwrap();
    let mut session = HapticSession::new(god_object(floor(0.0), 1000.0), &config).unwrap();
    let done = session.tick_without_state(5, 5);
    assert_eq!((done.wrench, done.fault), (Wrench::ZERO, None));
    assert!(run(&mut session, MS, 0.01).fault.is_none());
}

#[test]
fn a_wrench_that_is_no_number_ends_the_force_and_is_forgotten_by_a_reset() {
    let config = SessionConfig::new(DeviceSpecification::falcon()).unwrap();
    let mut told = ToldSession::new(&config, false);
    let tick = |time_ns: u64, wall: f64| BadTick {
        time_ns,
        late_ns: 0,
        position: 0.0,
        measured_ns: time_ns,
        wall,
        is_finite: true,
        is_answered: true,
    };
    for n in 0..20 {
        told.tick(&tick(n * MS, 1.0));
    }
    let before = told.tick(&tick(20 * MS, 1.0));
    assert!((before - 1.0).abs() < 1e-9, "{before}");
    assert_eq!(told.tick(&tick(21 * MS, f64::NAN)), before);
    assert!((told.tick(&tick(31 * MS, 1.0)) - 0.5 * before).abs() < 1e-9);
    assert_eq!(told.tick(&tick(61 * MS, 1.0)), 0.0);
    told.session.reset();
    told.tick(&tick(62 * MS, 0.0));
    for n in 63..3000 {
        told.tick(&tick(n * MS, 1.0));
    }
    let after = told.tick(&tick(3000 * MS, 1.0));
    assert!((after - 1.0).abs() < 1e-9, "{after}");
}

#[test]
fn a_renderer_too_stiff_for_the_device_needs_a_controller() {
    let device = DeviceSpecification {
        damping: 0.6,
        ..DeviceSpecification::falcon()
    };
    let mut config = SessionConfig::new(device).unwrap();
    config.controller = ControllerKind::Off;
    let coupling = |k: f64| CouplingStiffness::new(k, 1.0).unwrap();
    let ball = SolidBall {
        center: DVec3::ZERO,
        radius: 0.01,
    };
    let ball = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default());
    let ball = Arc::new(ball.unwrap());
    let renderers = |k: f64| -> Vec<Renderer<'static>> {
        let law = ConeLaw::new(ball.clone(), Pose::IDENTITY, ball.clone(), 1.0).unwrap();
        let tool = Arc::new(WideTree::new(Arc::new(
            generate::tetrahedron(0.01).unwrap(),
        )));
        let guard = ToolGuard::new(tool, Vec::new(), coupling(k), Pose::IDENTITY).unwrap();
        vec![
            god_object(floor(0.0), k),
            Renderer::Penalty(PenaltyField::new(k, Vec::new()).unwrap()),
            Renderer::Guard(Box::new(guard)),
            Renderer::Tool {
                law: Box::new(law),
                coupling: Box::new(QuasiStaticCoupling::new(coupling(k), Pose::IDENTITY)),
            },
        ]
    };
    for renderer in renderers(1199.0) {
        assert!(HapticSession::new(renderer, &config).is_ok());
    }
    for renderer in renderers(1201.0) {
        let refused = HapticSession::new(renderer, &config).unwrap_err();
        assert!(matches!(refused, SessionError::NotPassive(_)));
        assert!(
            refused
                .to_string()
                .contains("lower the stiffness below 1200 N/m")
        );
    }
    let told = || {
        Renderer::Custom(Box::new(Told {
            newtons: Arc::default(),
            turns: false,
        }))
    };
    let refused = HapticSession::new(told(), &config).unwrap_err();
    assert_eq!(refused, SessionError::UnknownStiffness);
    // The profiles have no damping: nothing is passive.
    let mut bare = SessionConfig::new(DeviceSpecification::falcon()).unwrap();
    bare.controller = ControllerKind::Off;
    let refused = HapticSession::new(god_object(floor(0.0), 1.0), &bare).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("switch a passivity controller on")
    );
    config.allow_active = true;
    for renderer in renderers(9000.0) {
        assert!(HapticSession::new(renderer, &config).is_ok());
    }
    assert!(HapticSession::new(told(), &config).is_ok());
    config.longest_hold = 1e-4;
    config.controller = ControllerKind::Tank;
    assert!(HapticSession::new(told(), &config).is_err());
}

#[test]
fn a_live_recording_with_loss_gaps_and_a_lost_device_replays_byte_for_byte() {
    let mut rng = Rng::new(8);
    let config = SessionConfig::new(DeviceSpecification::falcon()).unwrap();
    for gap in [0_u64, 20] {
        let make = || HapticSession::new(god_object(floor(0.0), 1000.0), &config).unwrap();
        let (mut session, mut recorder) = (make(), Recorder::with_capacity(20_000));
        let mut newest = None;
        for tick in 0..4000_u64 {
            // A clock that does not tick evenly, packets that get lost or stay away.
            let due_ns = tick * MS;
            let now_ns = due_ns + rng.below(60_000) + if rng.below(50) == 0 { 700_000 } else { 0 };
            let is_gap = (3000..3000 + gap).contains(&tick);
            if rng.below(100) > 0 && !is_gap {
                let z = 0.004 - 0.008 * (tick as f64 * 2e-3).sin();
                newest = Some(DeviceState::at_rest(now_ns, at(z)));
            }
            let state = if tick == 3990 { None } else { newest };
            if tick.is_multiple_of(7) {
                let edit = WorldEdit {
                    body: 0,
                    world_from_body: at(1e-3 * (tick as f64 * 1e-2).sin()),
                };
                session.edit(&edit);
                recorder.edit(&edit);
            }
            let done = session.run_tick(state.as_ref(), now_ns, due_ns);
            recorder.tick(&RecordedTick {
                now_ns,
                due_ns,
                state,
            });
            recorder.wrench(done);
        }
        assert_eq!(recorder.dropped(), 0);
        let recording = recorder.finish();
        let bytes = recording.to_bytes();
        let read = Recording::from_bytes(&bytes).unwrap();
        assert_eq!(read, recording);
        assert_eq!(replay(&read, &mut make()).to_bytes(), bytes);
        let felt = recording.entries().iter();
        let felt = felt.filter(|e| matches!(e, Entry::Wrench(w) if w.force.z > 0.5));
        assert!(felt.count() > 200);
        if gap > 0 {
            // The gap ended the force for good. Without the times of the ticks it is not seen.
            assert_eq!(
                recording.entries().last(),
                Some(&Entry::Wrench(Wrench::ZERO))
            );
            let states = recording.states().into_iter();
            let mut timeless = make();
            let last = states.fold(Wrench::ZERO, |_, state| timeless.input(&state));
            assert!(last.force.z > 1.0, "{last:?}");
        }
    }
}

#[test]
fn a_mesh_swapped_in_contact_keeps_the_proxy_on_its_side_and_limits_the_force_change() {
    // The new floor is higher than the proxy, or lower, or between proxy and device.
    for height in [0.0, 5e-4, -5e-4, 4e-3, -2e-3] {
        let (mut session, mut now_ns, before) = pressed();
        session.replace_mesh(0, floor(height)).unwrap();
        let config = SessionConfig::new(DeviceSpecification::falcon()).unwrap();
        let mut last = before;
        for _ in 0..100 {
            now_ns += MS;
            let done = run(&mut session, now_ns, -0.003);
            assert!(!done.crossed);
            let z = done.proxy.translation().z;
            assert!(z > height, "floor at {height}: proxy at {z}");
            let step = (done.wrench.force - last.wrench.force).length();
            assert!(step <= config.force_rate * 1e-3 + 1e-9, "{step}");
            last = done;
        }
        assert!((last.proxy.translation().z - height).abs() < 1e-4);
        assert!(last.fault.is_none());
    }
    // No room: a ceiling above the proxy, and a floor that rises beyond it.
    let mut scene = ProxyScene::new();
    let body = scene.add(floor(0.0), Pose::IDENTITY).unwrap();
    scene.add(floor(0.01), Pose::IDENTITY).unwrap();
    let mut proxy = GodObject::new(&mut scene, 1000.0, [0.0, 0.0, 0.005]).unwrap();
    let refused = proxy.replace_mesh(&mut scene, body, floor(0.02));
    assert_eq!(refused, Err(SceneError::NoRoom { index: 0 }));
    let step = proxy.update(&mut scene, DVec3::NEG_Z * 0.01, 1e-3);
    assert!(step.proxy.z > 0.0 && step.proxy.z < 1e-4);
}

#[test]
fn edits_that_cannot_be_made_are_errors() {
    let config = SessionConfig::new(DeviceSpecification::falcon()).unwrap();
    let edit = |body| WorldEdit {
        body,
        world_from_body: Pose::IDENTITY,
    };
    let mut session = HapticSession::new(god_object(floor(0.0), 500.0), &config).unwrap();
    assert!(session.place(&edit(0)).is_ok());
    let refused = session.place(&edit(1)).unwrap_err();
    assert!(refused.to_string().contains("body 1"));
    let field = Renderer::Penalty(PenaltyField::new(500.0, Vec::new()).unwrap());
    let mut session = HapticSession::new(field, &config).unwrap();
    assert!(session.place(&edit(0)).is_err());
}
