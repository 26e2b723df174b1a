//! Recordings: bit for bit, refused when damaged, replayed the same on any number of threads.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::{Pose, generate};
use impinge_dynamics::Wrench;
use impinge_dynamics::device::{
    DeviceSpecification, DeviceState, Hand, HandDevice, HapticDevice, Keyframe, RecordedDevice,
    Script,
};
use impinge_dynamics::friction::Friction;
use impinge_dynamics::proxy::{BodyId, GodObject, ProxyScene};
use impinge_dynamics::record::{
    Entry, RecordError, RecordedTick, Recorder, Recording, Session, WorldEdit, replay,
};
use impinge_dynamics::shading::VertexNormals;
use impinge_dynamics::stability::{
    DamperController, OutputLimiter, PassivityController, PassivityObserver, Watchdog,
    WrenchController,
};

/// A proxy on a moving ball, with friction, shading, a controller, limits and a watchdog.
struct Rendering {
    scene: ProxyScene,
    body: BodyId,
    god_object: GodObject,
    controller: WrenchController,
    limiter: OutputLimiter,
    watchdog: Watchdog,
}

impl Rendering {
    fn new() -> Self {
        let mesh = Arc::new(generate::icosphere(0.03, 4).unwrap());
        let mut scene = ProxyScene::new();
        let tree = Arc::new(WideTree::new(mesh.clone()));
        let body = scene.add(tree, Pose::IDENTITY).unwrap();
        let friction = Friction::viscous(0.4, 0.2, 3.0, 1000.0, 1e-3).unwrap();
        scene.set_friction(body, friction).unwrap();
        let normals = Some(Arc::new(VertexNormals::new(&mesh)));
        scene.set_shading(body, normals).unwrap();
        let god_object = GodObject::new(&mut scene, 1000.0, [0.05, 0.0, 0.0]).unwrap();
        let damper = DamperController::new(1e-3, 30.0, 1e-3).unwrap();
        let damper = PassivityController::Damper(damper);
        let off = PassivityController::Off(PassivityObserver::default());
        Self {
            scene,
            body,
            god_object,
            controller: WrenchController::new(damper, off, 1e-3).unwrap(),
            limiter: OutputLimiter::new(&DeviceSpecification::falcon(), 2000.0, 1.0).unwrap(),
            watchdog: Watchdog::default(),
        }
    }
}

impl Session for Rendering {
    fn input(&mut self, state: &DeviceState) -> Wrench {
        let target = state.pose.translation();
        let step = self.god_object.update(&mut self.scene, target, 1e-3);
        let wrench = Wrench::from_force(step.force);
        let wrench = self.controller.control(&state.pose, wrench);
        let (wrench, _) = self.limiter.limit(wrench, 1e-3);
        let time_ns = state.time_ns;
        let wrench = self.watchdog.guard(time_ns, time_ns, time_ns, wrench);
        self.controller.hold(wrench);
        wrench
    }

    fn edit(&mut self, edit: &WorldEdit) {
        assert_eq!(edit.body as usize, self.body.index());
        self.scene
            .set_pose(self.body, edit.world_from_body)
            .unwrap();
    }
}

/// Three seconds of a hand that strokes a turning ball.
fn record() -> Recording {
    let mut rng = Rng::new(77);
    let frames = (0..30).map(|i| Keyframe {
        time_ns: i * 100_000_000,
        pose: Pose::from_translation(if i == 0 {
            [0.05, 0.0, 0.0].into()
        } else {
            rng.direction() * rng.range(0.02, 0.04)
        })
        .unwrap(),
    });
    let script = Script::new(frames.collect()).unwrap();
    let hand = Hand::new(0.2, 6.0, 300.0).unwrap();
    let mut device = HandDevice::new(DeviceSpecification::falcon(), hand, script);
    let mut rendering = Rendering::new();
    let mut recorder = Recorder::with_capacity(10_000);
    for tick in 0..3000_u64 {
        if tick % 10 == 0 {
            let angle = tick as f64 * 1e-3;
            let edit = WorldEdit {
                body: 0,
                world_from_body: Pose::from_axis_angle([1.0, 1.0, 0.0], angle, [0.0; 3]).unwrap(),
            };
            rendering.edit(&edit);
            assert!(recorder.edit(&edit));
        }
        let state = device.read(tick * 1_000_000).unwrap();
        let wrench = rendering.input(&state);
        assert!(recorder.input(&state) && recorder.wrench(wrench));
        device.write(wrench).unwrap();
    }
    assert_eq!(recorder.dropped(), 0);
    recorder.finish()
}

#[test]
fn a_replay_is_the_same_bytes_on_any_number_of_threads() {
    let recording = record();
    let bytes = recording.to_bytes();
    let felt = recording
        .entries()
        .iter()
        .filter(|entry| matches!(entry, Entry::Wrench(wrench) if wrench.force.length() > 0.1));
    assert!(felt.count() > 300);
    let read = Recording::from_bytes(&bytes).unwrap();
    assert_eq!(read, recording);
    for threads in [1, 2, 5] {
        std::thread::scope(|scope| {
            let replays: Vec<_> = (0..threads)
                .map(|_| scope.spawn(|| replay(&read, &mut Rendering::new()).to_bytes()))
                .collect();
            for replayed in replays {
                assert_eq!(replayed.join().unwrap(), bytes);
            }
        });
    }
}

#[test]
fn another_session_is_found_at_its_first_difference() {
    struct Silent;
    impl Session for Silent {
        fn input(&mut self, _: &DeviceState) -> Wrench {
            Wrench::ZERO
        }
    }
    let recording = record();
    let other = replay(&recording, &mut Silent);
    let first = recording.first_difference(&other).unwrap();
    let entries = recording.entries();
    assert!(matches!(entries[first], Entry::Wrench(w) if w != Wrench::ZERO));
    let silent = Entry::Wrench(Wrench::ZERO);
    let earlier = entries[..first].iter();
    assert!(
        earlier
            .filter(|e| matches!(e, Entry::Wrench(_)))
            .all(|e| *e == silent)
    );
}

#[test]
fn a_recording_plays_as_a_device() {
    let recording = record();
    let states = recording.states();
    let falcon = DeviceSpecification::falcon();
    let mut device = RecordedDevice::new(falcon, states.clone()).unwrap();
    for state in states {
        assert_eq!(device.read(state.time_ns + 10), Ok(state));
    }
}

#[test]
fn recordings_of_version_1_are_read() {
    let mut recorder = Recorder::with_capacity(2);
    recorder.input(&DeviceState::at_rest(5, Pose::IDENTITY));
    recorder.wrench(Wrench::ZERO);
    let recording = recorder.finish();
    // An input and a wrench have the same bytes in both versions.
    let old = as_version_1(recording.to_bytes());
    assert_eq!(Recording::from_bytes(&old).unwrap(), recording);
    // Ticks are of version 2.
    let mut recorder = Recorder::with_capacity(1);
    recorder.tick(&RecordedTick {
        now_ns: 3,
        due_ns: 2,
        state: None,
    });
    let ticks = recorder.finish().to_bytes();
    assert!(Recording::from_bytes(&ticks).is_ok());
    let refused = Recording::from_bytes(&as_version_1(ticks)).unwrap_err();
    assert!(matches!(refused, RecordError::Kind { kind: 5, .. }));
}

/// The bytes with version 1 and their checksum, by the polynomial itself.
fn as_version_1(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[8] = 1;
    bytes.truncate(bytes.len() - 4);
    let mut crc = u32::MAX;
    for byte in &bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    bytes.extend((!crc).to_le_bytes());
    bytes
}

#[test]
fn every_damage_is_refused() {
    let mut recorder = Recorder::with_capacity(3);
    let state = DeviceState::at_rest(5, Pose::IDENTITY);
    let edit = WorldEdit {
        body: 3,
        world_from_body: Pose::from_translation([1.0, 2.0, 3.0]).unwrap(),
    };
    recorder.input(&state);
    recorder.edit(&edit);
    recorder.wrench(Wrench::ZERO);
    assert!(!recorder.wrench(Wrench::ZERO));
    assert_eq!(recorder.dropped(), 1);
    let bytes = recorder.finish().to_bytes();
    assert!(Recording::from_bytes(&bytes).is_ok());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            assert!(
                Recording::from_bytes(&changed).is_err(),
                "bit {bit} of {at}"
            );
        }
        assert!(Recording::from_bytes(&bytes[..at]).is_err());
    }
    let refused = Recording::from_bytes(b"IMPHREC\0").unwrap_err();
    assert!(matches!(refused, RecordError::Truncated { .. }));
    let refused = Recording::from_bytes(b"something").unwrap_err();
    assert_eq!(refused, RecordError::NotARecording);
    let mut newer = bytes.clone();
    newer[8] = 3;
    let refused = Recording::from_bytes(&newer).unwrap_err();
    assert_eq!(refused, RecordError::Version { found: 3 });
    let mut rng = Rng::new(1);
    for _ in 0..20_000 {
        // Noise behind a valid beginning.
        let length = rng.below(200) as usize;
        let mut noise = bytes[..20].to_vec();
        noise.extend((0..length).map(|_| rng.below(256) as u8));
        assert!(Recording::from_bytes(&noise).is_err());
    }
}
