//! A servo tick does not allocate.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::{DVec3, Pose, generate};
use impinge_dynamics::Wrench;
use impinge_dynamics::device::{
    AdaptiveVelocity, DeviceSpecification, Hand, HandDevice, HapticDevice, Keyframe, Script,
    WindowVelocity,
};
use impinge_dynamics::effect::{Effect, EffectInput, HeightMap, StickSlip, Texture, Viscosity};
use impinge_dynamics::friction::Friction;
use impinge_dynamics::proxy::{GodObject, ProxyScene};
use impinge_dynamics::rate::{ServoLoop, SimulatedClock};
use impinge_dynamics::record::{Recorder, WorldEdit};
use impinge_dynamics::shading::VertexNormals;
use impinge_dynamics::stability::{
    DamperController, OutputLimiter, PassivityController, TankController, Watchdog,
    WrenchController,
};
use impinge_testkit::allocations::{self, Counting};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A device held by a hand that wanders about in the model.
fn device() -> HandDevice {
    let mut rng = Rng::new(5);
    let frames = (0..50).map(|i| Keyframe {
        time_ns: i * 40_000_000,
        pose: Pose::from_translation(if i == 0 {
            DVec3::Z * 0.2
        } else {
            rng.cube() * 0.03
        })
        .unwrap(),
    });
    let script = Script::new(frames.collect()).unwrap();
    let hand = Hand::new(0.2, 6.0, 300.0).unwrap();
    HandDevice::new(DeviceSpecification::falcon(), hand, script)
}

#[test]
fn a_servo_loop_with_everything_on_does_not_allocate() {
    let ball = Arc::new(generate::icosphere(0.03, 30).unwrap());
    let mut scene = ProxyScene::new();
    let tree = Arc::new(WideTree::new(ball.clone()));
    let body = scene.add(tree, Pose::IDENTITY).unwrap();
    scene
        .set_friction(body, Friction::coulomb(0.4, 0.3).unwrap())
        .unwrap();
    let normals = Some(Arc::new(VertexNormals::new(&ball)));
    scene.set_shading(body, normals).unwrap();
    let mut god_object = GodObject::new(&mut scene, 800.0, [0.0, 0.0, 0.2]).unwrap();

    let mut device = device();
    let (mut window, mut adaptive) = (
        WindowVelocity::default(),
        AdaptiveVelocity::new(1e-5).unwrap(),
    );
    let mut viscosity = Viscosity::new(0.5).unwrap();
    let mut stick_slip = StickSlip::new(100.0, 0.5).unwrap();
    let map = HeightMap::from_heights(2, 2, 0.001, &[0.0, 1e-4, 0.0, 1e-4]).unwrap();
    let texture = Texture::new(map, [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).unwrap();
    let damper = DamperController::new(1e-3, 30.0, 1e-3).unwrap();
    let tank = TankController::new(1e-3, 0.01, 400.0).unwrap();
    let mut controller = WrenchController::new(
        PassivityController::Damper(damper),
        PassivityController::Tank(tank),
        1e-3,
    )
    .unwrap();
    let mut limiter = OutputLimiter::new(&DeviceSpecification::falcon(), 2000.0, 1.0).unwrap();
    let mut watchdog = Watchdog::default();
    let mut recorder = Recorder::with_capacity(6000);
    let clock = SimulatedClock::new();
    let mut servo = ServoLoop::new(1_000_000).unwrap();
    let (mut contacts, mut felt) = (0, 0);

    let before = allocations::count();
    servo.run(&clock, |tick| {
        let angle = tick.index as f64 * 1e-3;
        let turned = Pose::from_axis_angle([0.0, 0.0, 1.0], angle, [0.0; 3]);
        if let Ok(world_from_body) = turned {
            let _ = scene.set_pose(body, world_from_body);
            recorder.edit(&WorldEdit {
                body: 0,
                world_from_body,
            });
        }
        let Ok(state) = device.read(tick.now_ns) else {
            return ControlFlow::Break(());
        };
        recorder.input(&state);
        let position = state.pose.translation();
        window.update(state.time_ns, position);
        let velocity = adaptive.update(state.time_ns, position);
        let step = god_object.update(&mut scene, position, 1e-3);
        contacts += step.contacts().len();
        let input = EffectInput {
            position,
            velocity,
            time: angle,
        };
        let mut force = texture.apply(step.proxy, step.force);
        force += viscosity.force(&input) + stick_slip.force(&input);
        let wrench = controller.control(&state.pose, Wrench::from_force(force));
        let (wrench, _) = limiter.limit(wrench, 1e-3);
        let wrench = watchdog.guard(tick.now_ns, tick.due_ns, state.time_ns, wrench);
        controller.hold(wrench);
        felt += usize::from(wrench.force.length() > 0.0);
        recorder.wrench(wrench);
        if device.write(wrench).is_err() || tick.index == 1999 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let count = allocations::count() - before;
    assert_eq!(count, 0, "the servo loop allocated");
    assert_eq!(servo.report().ticks, 2000);
    assert!(
        contacts > 300 && felt > 300,
        "{contacts} contacts, {felt} forces"
    );
    assert_eq!(recorder.dropped(), 0);
    assert!(watchdog.fault().is_none());
}
