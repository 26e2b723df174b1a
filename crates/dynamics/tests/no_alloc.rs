//! A servo tick does not allocate.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::bvh::{MeshIndex, Solid};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::volume::VolumeIndex;
use impinge::voxmap::{Pointshell, Voxmap};
use impinge::{DVec3, Pose, generate};
use impinge_dynamics::Wrench;
use impinge_dynamics::coupling::{CouplingStiffness, DynamicCoupling, QuasiStaticCoupling};
use impinge_dynamics::device::{
    AdaptiveVelocity, DeviceSpecification, DeviceState, Hand, HandDevice, HapticDevice, Keyframe,
    Script, WindowVelocity,
};
use impinge_dynamics::effect::{Effect, EffectInput, HeightMap, StickSlip, Texture, Viscosity};
use impinge_dynamics::friction::Friction;
use impinge_dynamics::guard::ToolGuard;
use impinge_dynamics::law::{
    BudgetedSphereLaw, ConeLaw, ContactLaw, DepthLaw, ExactVolumeLaw, FrictionDesc, FrictionLaw,
    VoxmapLaw,
};
use impinge_dynamics::proxy::{DeformingProxy, DeformingSurface, GodObject, ProxyScene};
use impinge_dynamics::rate::{ServoLoop, SimulatedClock};
use impinge_dynamics::record::{Recorder, WorldEdit};
use impinge_dynamics::session::{HapticSession, Renderer, SessionConfig};
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

/// Runs ticks that are not counted, so that memory grows to what contacts need, then as many that must not allocate.
fn counted(what: &str, mut tick: impl FnMut(u64) -> bool) {
    let mut felt = 0;
    for n in 0..PASS {
        felt += u64::from(tick(n));
    }
    let before = allocations::count();
    for n in PASS..2 * PASS {
        felt += u64::from(tick(n));
    }
    let count = allocations::count() - before;
    assert_eq!(count, 0, "{what} allocated");
    assert!(felt > PASS / 4, "{what} felt {felt} contacts");
}

/// Ticks of a pass; the way of [`press`] repeats after it.
const PASS: u64 = 400;

/// From above into a body whose top is at `top`, down by `depth`, and back, turning a little.
fn press(tick: u64, top: f64, depth: f64) -> Pose {
    let phase = (tick % PASS) as f64 / PASS as f64 * std::f64::consts::TAU;
    let down = 0.5 * depth * (1.0 - phase.cos()) - 0.1 * depth;
    let place = DVec3::new(0.003 * phase.sin(), 0.002 * phase.sin(), top - down);
    Pose::from_axis_angle([1.0, 0.2, 0.1], 0.1 * phase.sin(), place).unwrap_or_default()
}

/// Solid and tool of the laws: balls of 4 and 2 cm.
fn solids() -> [Arc<WideTree>; 2] {
    [(0.04, 10), (0.02, 8)].map(|(radius, n)| {
        let mesh = generate::icosphere(radius, n).unwrap();
        Arc::new(WideTree::new(Arc::new(mesh)))
    })
}

fn spheres(tree: &WideTree) -> Arc<InnerSphereTree> {
    let solid = MeshSolid::new(tree).unwrap();
    let options = PackOptions {
        count: Some(200),
        ..PackOptions::default()
    };
    let packing = pack(&solid, &options).unwrap();
    let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default()).unwrap();
    Arc::new(tree.with_surface(&solid))
}

fn laws<'t>(
    [solid, tool]: &'t [Arc<WideTree>; 2],
) -> Vec<(&'static str, Box<dyn ContactLaw + Send + 't>)> {
    let at = Pose::IDENTITY;
    let (a, b) = (spheres(solid), spheres(tool));
    let index = |tree: &Arc<WideTree>| Arc::new(VolumeIndex::from_tree(tree.clone()).unwrap());
    let map = Arc::new(Voxmap::new(solid.mesh(), 40).unwrap());
    let shell = Arc::new(Pointshell::new(tool.mesh(), 20).unwrap());
    let [closed, moving] = [solid, tool].map(|tree| Solid::closed(tree).unwrap());
    let friction = FrictionDesc {
        pressure: 1e5,
        coefficient: 0.3,
        slack: 1e-4,
    };
    vec![
        (
            "exact volume",
            Box::new(ExactVolumeLaw::new(index(solid), at, index(tool), 1e5).unwrap()),
        ),
        (
            "cones",
            Box::new(ConeLaw::new(a.clone(), at, b.clone(), 1e8).unwrap()),
        ),
        (
            "budget",
            Box::new(BudgetedSphereLaw::new(a.clone(), at, b.clone(), 1e5, 300).unwrap()),
        ),
        (
            "friction",
            Box::new(FrictionLaw::new(a, at, b, &friction).unwrap()),
        ),
        (
            "voxmap",
            Box::new(VoxmapLaw::new(map, at, shell, 100.0).unwrap()),
        ),
        (
            "depth",
            Box::new(DepthLaw::new(closed, at, moving, 1000.0).unwrap()),
        ),
    ]
}

#[test]
fn sessions_of_all_laws_and_couplings_do_not_allocate() {
    let solids = solids();
    let stiffness = CouplingStiffness::new(800.0, 1.0).unwrap();
    let start = press(0, 0.061, 0.02);
    for (name, law) in laws(&solids) {
        let coupling = Box::new(QuasiStaticCoupling::new(stiffness, start));
        let config = SessionConfig::new(DeviceSpecification::virtuose()).unwrap();
        let mut session = HapticSession::new(Renderer::Tool { law, coupling }, &config).unwrap();
        counted(name, |tick| {
            let time_ns = tick * 1_000_000;
            let state = DeviceState::at_rest(time_ns, press(tick, 0.061, 0.02));
            session.tick(&state, time_ns, time_ns).wanted != Wrench::ZERO
        });
    }
    for (name, mut law) in laws(&solids) {
        let mut coupling = DynamicCoupling::new(stiffness, 0.1, 1e-4, 1.0, start).unwrap();
        counted(name, |tick| {
            let pose = press(tick, 0.061, 0.02);
            let step = coupling.update(&mut law, &pose, 1e-3, Limits::default());
            step.contact != Wrench::ZERO
        });
    }
}

#[test]
fn the_guard_does_not_allocate() {
    let [solid, tool] = solids();
    let stiffness = CouplingStiffness::new(800.0, 1.0).unwrap();
    let bodies = vec![(solid, Pose::IDENTITY)];
    let mut guard = ToolGuard::new(tool, bodies, stiffness, press(0, 0.061, 0.02)).unwrap();
    counted("the guard", |tick| {
        guard.set_pose(
            0,
            &Pose::from_translation([0.0, 0.0, 1e-4 * (tick % 7) as f64]).unwrap_or_default(),
        );
        guard.update(&press(tick, 0.061, 0.02)).constraints > 0
    });
}

#[test]
fn a_proxy_on_a_deforming_surface_does_not_allocate() {
    let mesh = Arc::new(generate::icosphere(0.04, 10).unwrap());
    let grown = mesh.positions().iter().map(|p| *p * 1.05).collect();
    let surface = DeformingSurface::new(mesh, grown).unwrap();
    let mut proxy =
        DeformingProxy::new(&surface, 800.0, press(0, 0.045, 0.02).translation()).unwrap();
    counted("the deforming proxy", |tick| {
        let part = (tick % PASS) as f64 / PASS as f64;
        if tick % PASS == 0 {
            proxy.begin();
        }
        let place = press(tick, 0.045, 0.02).translation();
        proxy.update(&surface, part, place).contacts > 0
    });
}
