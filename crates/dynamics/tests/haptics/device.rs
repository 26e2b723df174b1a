//! Devices and velocity estimators.

use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_dynamics::device::{
    AdaptiveVelocity, DeviceError, DeviceSpecification, DeviceState, Hand, HandDevice,
    HapticDevice, Keyframe, RecordedDevice, RecordingError, Script, ScriptError, ScriptedDevice,
    WindowVelocity,
};
use impinge_dynamics::{MILLISECOND_NS, SECOND_NS, Wrench};

fn rest_at(position: DVec3) -> Script {
    let pose = Pose::from_translation(position).unwrap();
    Script::new(vec![Keyframe { time_ns: 0, pose }]).unwrap()
}

#[test]
fn a_script_moves_and_turns_at_constant_speed() {
    let angle = 1.2;
    let end = Pose::from_axis_angle([0.0, 0.0, 3.0], angle, [4.0, 0.0, 2.0]).unwrap();
    let frames = [(SECOND_NS, Pose::IDENTITY), (3 * SECOND_NS, end)];
    let frames = frames.map(|(time_ns, pose)| Keyframe { time_ns, pose });
    let script = Script::new(frames.to_vec()).unwrap();
    assert_eq!(script.state(0), DeviceState::at_rest(0, Pose::IDENTITY));
    let state = script.state(2 * SECOND_NS);
    assert_eq!(state.linear_velocity, DVec3::new(2.0, 0.0, 1.0));
    assert!((state.angular_velocity - DVec3::Z * (angle / 2.0)).length() < 1e-12);
    let half = Pose::from_axis_angle([0.0, 0.0, 1.0], angle / 2.0, [2.0, 0.0, 1.0]).unwrap();
    assert!((state.pose * DVec3::X - half * DVec3::X).length() < 1e-12);
    assert_eq!(script.state(9 * SECOND_NS).pose, end);
    assert_eq!(script.state(9 * SECOND_NS).linear_velocity, DVec3::ZERO);
}

#[test]
fn a_half_turn_has_an_angular_velocity_of_pi() {
    for axis in [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::new(1.0, 2.0, -2.0) / 3.0,
    ] {
        let end = Pose::from_axis_angle(axis, std::f64::consts::PI, [0.0; 3]).unwrap();
        let frames = [(0, Pose::IDENTITY), (SECOND_NS, end)];
        let frames = frames.map(|(time_ns, pose)| Keyframe { time_ns, pose });
        let velocity = Script::new(frames.to_vec())
            .unwrap()
            .state(5)
            .angular_velocity;
        assert!((velocity.length() - std::f64::consts::PI).abs() < 1e-9);
        assert!(
            velocity.cross(axis).length() < 1e-6,
            "{velocity} about {axis}"
        );
    }
}

#[test]
fn a_script_out_of_order_is_refused() {
    let frame = Keyframe {
        time_ns: 7,
        pose: Pose::IDENTITY,
    };
    let refused = Script::new(vec![frame, frame]);
    assert_eq!(refused, Err(ScriptError::NotInOrder { index: 1 }));
}

#[test]
fn a_recording_reports_the_newest_state_with_its_own_time() {
    let state = |ms: u64| DeviceState::at_rest(ms * MILLISECOND_NS, Pose::IDENTITY);
    let falcon = DeviceSpecification::falcon;
    let states = vec![state(1), state(2), state(30)];
    let mut device = RecordedDevice::new(falcon(), states.clone()).unwrap();
    // A gap looks like a device that stopped sending.
    assert_eq!(device.read(29 * MILLISECOND_NS), Ok(states[1]));
    assert_eq!(device.read(30 * MILLISECOND_NS), Ok(states[2]));
    let backwards = RecordedDevice::new(falcon(), vec![state(2), state(1)]);
    assert_eq!(
        backwards.unwrap_err(),
        RecordingError::NotInOrder { index: 1 }
    );
    let mut broken = state(1);
    broken.linear_velocity.x = f64::NAN;
    let broken = RecordedDevice::new(falcon(), vec![broken]);
    assert_eq!(broken.unwrap_err(), RecordingError::NotFinite { index: 0 });
}

#[test]
fn saturation_keeps_the_direction() {
    let mut rng = Rng::new(1);
    let virtuose = DeviceSpecification::virtuose();
    for _ in 0..1000 {
        let wrench = Wrench {
            force: rng.cube() * 40.0,
            torque: rng.cube(),
        };
        let (held, saturation) = virtuose.saturated(wrench);
        assert!(held.force.length() <= 15.0 * (1.0 + 1e-15));
        assert!(held.torque.length() <= 0.5 * (1.0 + 1e-15));
        assert_eq!(saturation.force, wrench.force.length() > 15.0);
        assert_eq!(saturation.torque, wrench.torque.length() > 0.5);
        let apart = held.force.normalize() - wrench.force.normalize();
        assert!(apart.length() < 1e-14);
    }
}

#[test]
fn a_stopped_device_takes_no_force() {
    let mut device = ScriptedDevice::new(DeviceSpecification::falcon(), rest_at(DVec3::ZERO));
    let push = Wrench::from_force(DVec3::X);
    assert!(device.write(push).is_ok());
    let broken = Wrench::from_force(DVec3::X * f64::NAN);
    assert_eq!(device.write(broken), Err(DeviceError::WrenchNotFinite));
    assert_eq!(device.last_wrench(), Wrench::ZERO);
    assert!(device.write(push).is_ok());
    device.stop();
    assert_eq!(device.last_wrench(), Wrench::ZERO);
    assert_eq!(device.write(push), Err(DeviceError::Stopped));
}

#[test]
fn a_hand_swings_as_the_closed_form_says() {
    let (mass, damping, stiffness) = (0.3, 2.0, 150.0);
    let hand = Hand::new(mass, damping, stiffness).unwrap();
    let falcon = DeviceSpecification::falcon();
    let mut device = HandDevice::new(falcon, hand, rest_at(DVec3::ZERO));
    let force = DVec3::new(3.0, 0.0, -4.0);
    device.write(Wrench::from_force(force)).unwrap();
    let rate = damping / (2.0 * mass);
    let omega = (stiffness / mass - rate * rate).sqrt();
    for ms in 1..800 {
        let t = ms as f64 * 1e-3;
        let state = device.read(ms * MILLISECOND_NS).unwrap();
        let (sine, cosine) = (omega * t).sin_cos();
        let decay = (-rate * t).exp();
        let place = 1.0 - decay * (cosine + rate / omega * sine);
        let expected = force / stiffness * place;
        let error = (state.pose.translation() - expected).length();
        assert!(error < 1e-9, "{error} at {t}");
        let speed = decay * sine * (omega + rate * rate / omega);
        assert!((state.linear_velocity - force / stiffness * speed).length() < 1e-7);
    }
}

#[test]
fn a_hand_follows_its_target() {
    let frames = [(0, [0.0; 3]), (SECOND_NS, [0.1, 0.0, 0.0])];
    let frames = frames.map(|(time_ns, position)| Keyframe {
        time_ns,
        pose: Pose::from_translation(position).unwrap(),
    });
    let script = Script::new(frames.to_vec()).unwrap();
    let hand = Hand::new(0.1, 8.0, 400.0).unwrap();
    let mut device = HandDevice::new(DeviceSpecification::falcon(), hand, script);
    // Damping acts on the velocity relative to the target, so a steady motion has no lag.
    let state = device.read(900 * MILLISECOND_NS).unwrap();
    assert!((state.pose.translation() - DVec3::X * 0.09).length() < 1e-6);
    // A hand that was not asked for long rests at its target.
    let later = device.read(100 * SECOND_NS).unwrap();
    assert_eq!(later.pose.translation(), DVec3::X * 0.1);
}

#[test]
fn the_window_is_exact_on_a_straight_path_and_lags_ten_milliseconds() {
    let mut window = WindowVelocity::default();
    assert_eq!(window.update(0, DVec3::X), DVec3::ZERO);
    // x = t²/2: the velocity is t, the window's that of its middle.
    for ms in 0..200_u64 {
        let t = ms as f64 * 1e-3;
        window.update(ms * MILLISECOND_NS, DVec3::X * (t * t / 2.0));
    }
    assert!((window.get().x - (0.199 - 0.010)).abs() < 1e-12);
}

#[test]
fn the_adaptive_window_beats_the_fixed_one_after_a_stop() {
    let resolution = 1e-5;
    let mut adaptive = AdaptiveVelocity::new(resolution).unwrap();
    let mut window = WindowVelocity::default();
    let measured = |x: f64| DVec3::X * ((x / resolution).round() * resolution);
    let speed = 0.2_f64;
    for ms in 0..100_u64 {
        let position = measured(speed * ms as f64 * 1e-3);
        adaptive.update(ms * MILLISECOND_NS, position);
        window.update(ms * MILLISECOND_NS, position);
    }
    // The promise of the page: twice the noise over the window.
    let bound = 2.0 * resolution / (adaptive.window() as f64 * 1e-3);
    assert!((adaptive.get().x - speed).abs() <= bound);
    assert!(adaptive.window() > 20);
    // The hand stops dead. Three milliseconds later the adaptive estimate is at rest.
    let rest = measured(speed * 0.1);
    for ms in 100..104_u64 {
        adaptive.update(ms * MILLISECOND_NS, rest);
        window.update(ms * MILLISECOND_NS, rest);
    }
    assert!(adaptive.get().x.abs() < 0.01, "{}", adaptive.get().x);
    assert!(window.get().x > 0.1);
    assert!(AdaptiveVelocity::new(0.0).is_err());
}

#[test]
fn quantised_rest_is_rest() {
    // A sensor that flickers by one count: the adaptive window sees through it.
    let mut rng = Rng::new(5);
    let mut adaptive = AdaptiveVelocity::new(1e-5).unwrap();
    let (mut worst, mut worst_difference) = (0.0_f64, 0.0_f64);
    let mut before = DVec3::ZERO;
    for ms in 0..500_u64 {
        let position = DVec3::X * (rng.below(2) as f64 * 1e-5);
        let velocity = adaptive.update(ms * MILLISECOND_NS, position);
        if ms > 40 {
            worst = worst.max(velocity.length());
            worst_difference = worst_difference.max((position - before).length() / 1e-3);
        }
        before = position;
    }
    assert!(
        worst < 0.05 * worst_difference,
        "{worst} of {worst_difference}"
    );
}
