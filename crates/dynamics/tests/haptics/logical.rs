//! Logical devices and virtual buttons.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::glam::DQuat;
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::device::logical::{
    ButtonError, ButtonPlace, ControlPanel, LogicalClass, LogicalDevices, LogicalError, LogicalId,
    LogicalValue, PanelError, VirtualButton,
};

#[test]
fn every_class_takes_its_values_and_no_other() {
    let mut devices = LogicalDevices::new(100);
    let good = [
        (LogicalClass::Button, LogicalValue::Button(true)),
        (LogicalClass::Choice(3), LogicalValue::Choice(2)),
        (LogicalClass::Value, LogicalValue::Value(0.5)),
        (LogicalClass::Location, LogicalValue::Location(DVec3::X)),
        (
            LogicalClass::Orientation,
            LogicalValue::Orientation(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
        ),
        (
            LogicalClass::Space,
            LogicalValue::Space(Pose::from_translation([1.0; 3]).unwrap()),
        ),
        (LogicalClass::Hand, LogicalValue::Hand([0.1; 20])),
    ];
    let ids = good.map(|(class, _)| devices.add(class).unwrap());
    for (i, &id) in ids.iter().enumerate() {
        for (j, (_, value)) in good.iter().enumerate() {
            assert_eq!(devices.feed(id, 0, *value, 1).is_ok(), i == j);
        }
        assert_eq!(devices.poll(id), Some(good[i].1));
    }
    assert_eq!(devices.events().count(), 7);
    let out_of_range = devices.feed(ids[1], 0, LogicalValue::Choice(3), 1);
    let class = LogicalClass::Choice(3);
    assert_eq!(out_of_range, Err(LogicalError::OtherClass { class }));
    assert!(
        devices
            .feed(ids[2], 0, LogicalValue::Value(f64::NAN), 1)
            .is_err()
    );
    assert_eq!(
        devices.add(LogicalClass::Choice(0)),
        Err(LogicalError::NoChoice)
    );
}

#[test]
fn a_button_is_pressed_while_any_source_presses_it() {
    let mut devices = LogicalDevices::new(2);
    let id = devices.add(LogicalClass::Button).unwrap();
    let mut feed = |source, pressed| {
        devices
            .feed(id, source, LogicalValue::Button(pressed), 0)
            .unwrap();
        devices.poll(id) == Some(LogicalValue::Button(true))
    };
    assert!(feed(1, true));
    assert!(feed(2, true));
    assert!(feed(1, false));
    assert!(!feed(2, false));
    assert!(feed(2, true));
    // Down, up, down: the third found no room.
    assert_eq!((devices.events().count(), devices.lost()), (2, 1));
}

#[test]
fn virtual_devices_follow_chains_and_cannot_be_fed() {
    let mut devices = LogicalDevices::new(10);
    let value = devices.add(LogicalClass::Value).unwrap();
    let doubled = devices
        .add_virtual(LogicalClass::Value, &[value], |inputs| match inputs {
            [LogicalValue::Value(x)] => LogicalValue::Value(2.0 * x),
            _ => LogicalValue::Value(f64::NAN),
        })
        .unwrap();
    let high = devices
        .add_virtual(LogicalClass::Button, &[doubled], |inputs| {
            LogicalValue::Button(matches!(inputs, [LogicalValue::Value(x)] if *x > 1.0))
        })
        .unwrap();
    devices.feed(value, 0, LogicalValue::Value(0.6), 5).unwrap();
    assert_eq!(devices.poll(high), Some(LogicalValue::Button(true)));
    let events: Vec<_> = devices.events().map(|event| event.device).collect();
    assert_eq!(events, [value, doubled, high]);
    assert!(matches!(
        devices.feed(high, 0, LogicalValue::Button(false), 6),
        Err(LogicalError::Virtual { .. })
    ));
    let wrong = devices.add_virtual(LogicalClass::Value, &[high], |inputs| inputs[0]);
    assert!(wrong.is_err());
    assert_eq!(LogicalDevices::new(1).poll(high), None);
}

/// A plate of 40 × 40 × 2 mm whose top is at z = 0, and a finger of 5 mm radius.
fn button(press_depth: f64, release_gap: f64) -> VirtualButton {
    let plate = generate::cuboid(DVec3::new(0.04, 0.04, 0.002), [1; 3]).unwrap();
    let middle = plate.bounds();
    let down = Pose::from_translation(-middle.center() - DVec3::Z * middle.half_extent().z);
    let plate = plate.placed(&down.unwrap()).unwrap();
    let finger = generate::icosphere(0.005, 4).unwrap();
    let [plate, finger] = [plate, finger].map(|mesh| Arc::new(WideTree::new(Arc::new(mesh))));
    VirtualButton::new(plate, finger, [0.0, 0.0, 1.0], press_depth, release_gap).unwrap()
}

/// The finger's lowest point at a height above the plate.
fn at(x: f64, y: f64, height: f64) -> Pose {
    let finger = generate::icosphere(0.005, 4).unwrap();
    let lowest = finger.bounds().min.z;
    Pose::from_translation([x, y, height - lowest]).unwrap()
}

#[test]
fn depth_is_measured_from_the_touch_and_hysteresis_ignores_trembling() {
    let mut button = button(0.001, 0.0005);
    assert!(!button.update(&at(0.0, 0.0, 0.01)).pressed);
    let touch = button.update(&at(0.0, 0.0, -0.0005));
    assert!(!touch.pressed && (touch.depth - 0.0005).abs() < 1e-6);
    let press = button.update(&at(0.0, 0.0, -0.0012));
    assert!(press.down && press.pressed && (press.depth - 0.0012).abs() < 1e-6);
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        // Between half of the depth and beyond it.
        let rest = button.update(&at(0.0, 0.0, -rng.range(0.0006, 0.0018)));
        assert!(rest.pressed && !rest.down && !rest.up);
    }
    let release = button.update(&at(0.0, 0.0, -0.0003));
    assert!(release.up && !release.pressed);
    // Not yet away: it may be pressed again, from the same touch.
    assert!(button.update(&at(0.0, 0.0, -0.0011)).down);
    assert!(button.update(&at(0.0, 0.0, 0.01)).up);
    assert!(!button.update(&at(0.0, 0.0, 0.01)).up);
}

#[test]
fn without_a_depth_the_gap_alone_ignores_trembling() {
    let mut button = button(0.0, 0.0005);
    button.update(&at(0.0, 0.0, 0.01));
    let mut presses = 0;
    for i in 0..100 {
        let height = if i % 2 == 0 { -0.0001 } else { 0.0003 };
        presses += u32::from(button.update(&at(0.0, 0.0, height)).down);
        assert!(button.is_pressed());
    }
    assert_eq!(presses, 1);
    assert!(button.update(&at(0.0, 0.0, 0.0007)).up);
}

#[test]
fn no_tap_is_too_fast() {
    let mut button = button(0.001, 0.0005);
    let mut rng = Rng::new(2);
    button.update(&at(0.0, 0.0, 0.5));
    for _ in 0..150 {
        let (x, y) = (rng.range(-0.015, 0.015), rng.range(-0.015, 0.015));
        button.update(&at(x, y, rng.range(0.05, 0.5)));
        assert!(!button.is_pressed());
        // Wholly through the plate in one update.
        let tap = button.update(&at(x, y, -rng.range(0.05, 0.5)));
        assert!(tap.down && tap.up && !tap.pressed);
        // Back around it, not through it.
        button.update(&at(0.2, y, -0.3));
        button.update(&at(0.2, y, 0.3));
        assert!(!button.is_pressed());
    }
}

#[test]
fn a_finger_inside_the_button_keeps_it_pressed() {
    let ball = |radius| {
        Arc::new(WideTree::new(Arc::new(
            generate::icosphere(radius, 4).unwrap(),
        )))
    };
    let (large, small) = (ball(0.02), ball(0.002));
    let mut button = VirtualButton::new(large, small, [0.0, 0.0, 1.0], 0.001, 0.0).unwrap();
    let place = |z| Pose::from_translation([0.0, 0.0, z]).unwrap();
    button.update(&place(0.05));
    assert!(button.update(&place(0.019)).down);
    // Deep inside, where no surfaces meet.
    for _ in 0..3 {
        assert!(button.update(&place(0.0)).pressed);
    }
    assert!(button.update(&place(0.05)).up);
}

#[test]
fn open_meshes_are_refused() {
    let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]);
    let face = Arc::new(WideTree::new(Arc::new(face.unwrap())));
    let ball = Arc::new(WideTree::new(Arc::new(
        generate::icosphere(1.0, 2).unwrap(),
    )));
    let refused = VirtualButton::new(ball.clone(), face, [0.0, 0.0, 1.0], 0.0, 0.0);
    assert_eq!(
        refused.unwrap_err(),
        ButtonError::NotClosed { which: "finger" }
    );
    let refused = VirtualButton::new(ball.clone(), ball, [0.0; 3], 0.0, 0.0);
    assert_eq!(refused.unwrap_err(), ButtonError::NoAxis);
}

#[test]
fn virtual_devices_of_every_class_follow_a_finger() {
    let mut devices = LogicalDevices::new(100);
    let space = devices.add(LogicalClass::Space).unwrap();
    let height = |inputs: &[LogicalValue]| match inputs {
        [LogicalValue::Space(pose)] => pose.translation().z,
        _ => f64::NAN,
    };
    let classes = [
        LogicalClass::Button,
        LogicalClass::Choice(4),
        LogicalClass::Value,
        LogicalClass::Location,
        LogicalClass::Orientation,
        LogicalClass::Space,
        LogicalClass::Hand,
    ];
    let value_at = move |class: LogicalClass, z: f64| match class {
        LogicalClass::Button => LogicalValue::Button(z > 0.5),
        LogicalClass::Choice(count) => LogicalValue::Choice((z * f64::from(count - 1)) as u32),
        LogicalClass::Value => LogicalValue::Value(z),
        LogicalClass::Location => LogicalValue::Location(DVec3::splat(z)),
        LogicalClass::Orientation => LogicalValue::Orientation(DQuat::from_rotation_z(z)),
        LogicalClass::Space => {
            LogicalValue::Space(Pose::from_translation([0.0, 0.0, 2.0 * z]).unwrap())
        }
        _ => LogicalValue::Hand([z; 20]),
    };
    let ids = classes.map(|class| {
        let map = move |inputs: &[LogicalValue]| value_at(class, height(inputs));
        devices.add_virtual(class, &[space], map).unwrap()
    });
    for (step, z) in [0.25, 0.75, 1.0].into_iter().enumerate() {
        let pose = Pose::from_translation([0.0, 0.0, z]).unwrap();
        devices
            .feed(space, 0, LogicalValue::Space(pose), step as u64)
            .unwrap();
        for (id, class) in ids.into_iter().zip(classes) {
            assert_eq!(devices.poll(id), Some(value_at(class, z)));
        }
    }
}

/// Two plates side by side, 100 mm apart, and fingers of 5 mm radius.
fn panel(fingers: usize) -> (ControlPanel, LogicalDevices, [LogicalId; 2]) {
    let plate = generate::cuboid(DVec3::new(0.04, 0.04, 0.002), [1; 3]).unwrap();
    let middle = plate.bounds();
    let down = Pose::from_translation(-middle.center() - DVec3::Z * middle.half_extent().z);
    let plate = plate.placed(&down.unwrap()).unwrap();
    let plate = Arc::new(WideTree::new(Arc::new(plate)));
    let finger = generate::icosphere(0.005, 4).unwrap();
    let finger = Arc::new(WideTree::new(Arc::new(finger)));
    let mut devices = LogicalDevices::new(100_000);
    let mut panel = ControlPanel::new(vec![finger; fingers]);
    let ids = [0.0, 0.1].map(|x| {
        let place = ButtonPlace {
            mesh: plate.clone(),
            world_from_button: Pose::from_translation([x, 0.0, 0.0]).unwrap(),
            axis: DVec3::Z,
            press_depth: 0.001,
            release_gap: 0.0005,
        };
        panel.add(&mut devices, &place).unwrap()
    });
    (panel, devices, ids)
}

fn is_pressed(devices: &LogicalDevices, id: LogicalId) -> bool {
    devices.poll(id) == Some(LogicalValue::Button(true))
}

#[test]
fn two_fingers_press_two_buttons_and_each_other_s() {
    let (mut panel, mut devices, [left, right]) = panel(2);
    let up = 0.02;
    let press = -0.0012;
    let steps = [
        // Place and height of each finger, and which buttons are pressed.
        ([(0.0, up), (0.1, up)], [false, false]),
        ([(0.0, press), (0.1, up)], [true, false]),
        ([(0.0, press), (0.1, press)], [true, true]),
        ([(0.0, up), (0.1, press)], [false, true]),
        ([(0.1, up), (0.1, press)], [false, true]),
        // Both on the right one; it stays pressed until both are away.
        ([(0.1, press), (0.1, press)], [false, true]),
        ([(0.1, press), (0.1, up)], [false, true]),
        ([(0.1, up), (0.1, up)], [false, false]),
    ];
    for (time, (fingers, pressed)) in steps.into_iter().enumerate() {
        // Beside each other on the plate.
        let poses = [0, 1].map(|i| at(fingers[i].0, 0.012 * i as f64 - 0.006, fingers[i].1));
        panel.update(&mut devices, &poses, time as u64).unwrap();
        let now = [left, right].map(|id| is_pressed(&devices, id));
        assert_eq!(now, pressed, "step {time}");
    }
    let events: Vec<_> = devices
        .events()
        .map(|e| (e.device, e.value, e.time_ns))
        .collect();
    let button = LogicalValue::Button;
    let wanted = [
        (left, button(true), 1),
        (right, button(true), 2),
        (left, button(false), 3),
        (right, button(false), 7),
    ];
    assert_eq!(events, wanted);
    let one = panel.update(&mut devices, &[at(0.0, 0.0, up)], 9);
    let (expected, found) = (2, 1);
    assert_eq!(one, Err(PanelError::Fingers { expected, found }));
}

#[test]
fn a_finger_that_rests_stays_pressed() {
    let (mut panel, mut devices, [left, _]) = panel(1);
    panel
        .update(&mut devices, &[at(0.0, 0.0, 0.02)], 0)
        .unwrap();
    for time in 1..=2000 {
        panel
            .update(&mut devices, &[at(0.0, 0.0, -0.0015)], time)
            .unwrap();
        assert!(is_pressed(&devices, left));
    }
    assert_eq!(devices.events().count(), 1);
}

#[test]
fn a_tap_at_ten_metres_per_second_is_never_missed() {
    let mut rng = Rng::new(10);
    for rate_hz in [60.0, 100.0, 1000.0] {
        let (mut panel, mut devices, [left, right]) = panel(1);
        let (mut taps, mut time) = (0, 0);
        let mut update = |panel: &mut ControlPanel, devices: &mut LogicalDevices, pose: Pose| {
            time += 1;
            panel.update(devices, &[pose], time).unwrap();
        };
        for _ in 0..40 {
            let (x, y) = (rng.range(-0.015, 0.015), rng.range(-0.015, 0.015));
            let step = 10.0 / rate_hz;
            // The samples of a straight path begin anywhere.
            let mut height = 0.05 + step * rng.unit();
            while height > -0.05 - step {
                update(&mut panel, &mut devices, at(x, y, height));
                height -= step;
            }
            taps += 1;
            // Around the plate, back to the top.
            update(&mut panel, &mut devices, at(-0.3, y, -0.3));
            update(&mut panel, &mut devices, at(-0.3, y, 0.3));
            assert!(!is_pressed(&devices, left));
        }
        let down = |e: &LogicalValue| *e == LogicalValue::Button(true);
        let events: Vec<_> = devices.events().collect();
        assert!(events.iter().all(|e| e.device != right));
        let downs = events.iter().filter(|e| down(&e.value)).count();
        assert_eq!((downs, events.len()), (taps, 2 * taps), "at {rate_hz} Hz");
    }
}

#[test]
fn polling_and_events_agree() {
    let (mut panel, mut devices, ids) = panel(3);
    let mut rng = Rng::new(4);
    let mut by_events = [false; 2];
    let mut changes = 0;
    for time in 0..800 {
        let mut poses = Vec::new();
        for _ in 0..3 {
            let x = if rng.below(2) == 0 { 0.0 } else { 0.1 };
            poses.push(at(x, rng.range(-0.01, 0.01), rng.range(-0.003, 0.003)));
        }
        panel.update(&mut devices, &poses, time).unwrap();
        for event in devices.events() {
            assert_eq!(event.time_ns, time);
            let button = ids.iter().position(|&id| id == event.device).unwrap();
            let pressed = event.value == LogicalValue::Button(true);
            // Every event is a change.
            assert_ne!(by_events[button], pressed);
            by_events[button] = pressed;
            changes += 1;
        }
        assert_eq!(ids.map(|id| is_pressed(&devices, id)), by_events);
    }
    assert!(changes > 100 && devices.lost() == 0);
}
