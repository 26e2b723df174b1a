//! Undo, wheels and tools.

use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_dynamics::sculpt::{Mode, Operator, Pot, SculptOptions, Split, Stroke, Tool, ToolKind};

use crate::{random_stroke, sculptor};

#[test]
fn undo_takes_strokes_back_byte_for_byte() {
    let split = Split {
        edge: 0.6,
        max_faces: 5000,
    };
    let all = [
        SculptOptions::default(),
        SculptOptions::published(0.01),
        SculptOptions {
            split: Some(split),
            ..SculptOptions::default()
        },
        SculptOptions {
            mode: Mode::Concurrent,
            split: Some(split),
            operator: Operator::Drag { vicinity: 1.0 },
            ..SculptOptions::default()
        },
    ];
    for options in all {
        let mut sculptor = sculptor(Pot::Hyperboloid, 600, ToolKind::Forefinger, 0.8, options);
        let mut rng = Rng::new(6);
        let mut states = Vec::new();
        for _ in 0..6 {
            states.push(sculptor.clay().clone());
            let _ = random_stroke(&mut rng, 15, 0.6).run(&mut sculptor);
        }
        assert_ne!(sculptor.clay().mesh(), states[0].mesh());
        while let Some(state) = states.pop() {
            assert!(sculptor.undo());
            let clay = sculptor.clay();
            assert_eq!(clay.mesh(), state.mesh());
            assert_eq!(clay.face_normals(), state.face_normals());
            assert_eq!(clay.vertex_normals(), state.vertex_normals());
            assert_eq!(clay.face_boxes(), state.face_boxes());
        }
        assert!(!sculptor.undo());
        // What was undone can be done again, and is the same.
        let mut again = Rng::new(6);
        let report = random_stroke(&mut again, 15, 0.6).run(&mut sculptor);
        let mut fresh = crate::sculptor(Pot::Hyperboloid, 600, ToolKind::Forefinger, 0.8, options);
        assert_eq!(
            report,
            random_stroke(&mut Rng::new(6), 15, 0.6).run(&mut fresh)
        );
        assert_eq!(sculptor.clay().mesh(), fresh.clay().mesh());
    }
}

#[test]
fn only_the_latest_strokes_are_remembered() {
    let mut sculptor = sculptor(
        Pot::Ball,
        500,
        ToolKind::Fingertip,
        1.0,
        SculptOptions::default(),
    );
    sculptor.clay_mut().keep_strokes(2);
    let mut rng = Rng::new(1);
    let mut states = Vec::new();
    for _ in 0..5 {
        states.push(sculptor.clay().mesh());
        let _ = random_stroke(&mut rng, 12, 0.4).run(&mut sculptor);
    }
    assert!(sculptor.undo() && sculptor.undo());
    assert_eq!(sculptor.clay().mesh(), states[3]);
    assert!(!sculptor.undo());
}

#[test]
fn on_the_wheel_a_resting_finger_makes_a_groove_all_around() {
    let options = SculptOptions {
        repair: None,
        ..SculptOptions::published(0.004)
    };
    let mut sculptor = sculptor(Pot::Cylinder, 4000, ToolKind::Fingertip, 1.0, options);
    // The finger points along −x at half height.
    let turn = impinge::glam::DQuat::from_rotation_arc(DVec3::Z, DVec3::X);
    let pose = |x: f64| Pose::from_quaternion(turn, [x, 0.0, 0.0]).unwrap();
    let stroke = Stroke::new(&pose(0.76), &pose(0.75), 120, 2.0).unwrap();
    let before = sculptor.clay().clone();
    let report = stroke.run(&mut sculptor);
    assert!(report.hits > 0);
    // Every vertex of the ring nearest to the middle went in.
    let each = before.positions().iter().zip(sculptor.clay().positions());
    let mut ring = each
        .filter(|(p, _)| p.z.abs() < 0.03 && p.truncate().length() > 0.7)
        .peekable();
    assert!(ring.peek().is_some());
    assert!(ring.all(|(p, q)| q.truncate().length() < p.truncate().length() - 0.003));
    let (_, wheel) = stroke.at(119);
    assert!(
        wheel
            .rotation()
            .abs_diff_eq(impinge::DMat3::IDENTITY, 1e-12)
    );
    assert!(Stroke::new(&pose(1.0), &pose(0.5), 1, 0.0).is_err());
    assert!(Stroke::new(&pose(1.0), &pose(0.5), 10, f64::INFINITY).is_err());
}

#[test]
fn tools_have_the_parts_of_the_hand_with_the_tip_at_the_origin() {
    for (kind, parts) in ToolKind::ALL.into_iter().zip([1, 5, 3, 16]) {
        let tool = Tool::new(kind, 0.5).unwrap();
        assert_eq!(tool.parts().len(), parts, "{}", kind.name());
        assert_eq!(ToolKind::named(kind.name()), Some(kind));
        let low = tool.parts().iter().map(|part| part.mesh().bounds().min.z);
        assert_eq!(low.fold(f64::INFINITY, f64::min), 0.0);
        for part in tool.parts() {
            assert!(part.mesh().is_closed_manifold() && part.radius() >= tool.least_radius());
        }
        let double = Tool::new(kind, 1.0).unwrap();
        assert!((double.least_radius() / tool.least_radius() - 2.0).abs() < 1e-12);
    }
}
