//! What is computed again where something changed equals what is computed from the whole.

use impinge::Pose;
use impinge::math::Rng;
use impinge::mesh::mass;
use impinge_dynamics::sculpt::{
    Clay, Mode, Operator, Pot, Repair, SculptError, SculptOptions, Split, ToolKind, WorldCopy,
};

use crate::{random_stroke, sculptor};

/// All that clay keeps, as bits.
fn bits(clay: &Clay) -> Vec<[u64; 3]> {
    let points = [clay.positions(), clay.face_normals(), clay.vertex_normals()].concat();
    let boxes = clay.face_boxes().iter().flat_map(|b| [b.min, b.max]);
    points
        .into_iter()
        .chain(boxes)
        .map(|p| p.to_array().map(f64::to_bits))
        .collect()
}

fn options() -> Vec<SculptOptions> {
    let press = SculptOptions::default();
    vec![
        SculptOptions::published(0.01),
        press,
        SculptOptions {
            operator: Operator::Drag { vicinity: 1.0 },
            keep_volume: false,
            no_crumpling: false,
            guard: false,
            repair: Some(Repair::default()),
            ..press
        },
        SculptOptions {
            split: Some(Split::default()),
            mode: Mode::Concurrent,
            ..press
        },
    ]
}

#[test]
fn incremental_normals_and_boxes_equal_those_of_the_whole_bit_by_bit() {
    for pot in Pot::ALL {
        for (i, options) in options().into_iter().enumerate() {
            let mut sculptor = sculptor(pot, 400, ToolKind::Forefinger, 0.8, options);
            let mut rng = Rng::new(7);
            let mut moved = 0;
            for _ in 0..4 {
                moved += random_stroke(&mut rng, 25, 0.6).run(&mut sculptor).moved;
                let clay = sculptor.clay();
                let whole = Clay::new(&clay.mesh()).unwrap();
                assert_eq!(bits(clay), bits(&whole), "{} with options {i}", pot.name());
            }
            assert!(moved > 0, "{} with options {i}", pot.name());
        }
    }
}

#[test]
fn the_world_copy_of_a_still_pot_is_patched_and_of_a_moving_pot_made_again() {
    let mut sculptor = sculptor(
        Pot::Torus,
        2000,
        ToolKind::Fingertip,
        1.0,
        SculptOptions::default(),
    );
    let still = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.3, [1.0, 2.0, 3.0]).unwrap();
    let mut copy = WorldCopy::new(sculptor.clay(), &still);
    sculptor.clay_mut().take_changes();
    let mut rng = Rng::new(3);
    let all = sculptor.clay().positions().len() + sculptor.clay().faces().len();
    for round in 0..6 {
        let _ = random_stroke(&mut rng, 20, 0.4).run(&mut sculptor);
        let changes = sculptor.clay_mut().take_changes();
        let pose = if round < 4 { still } else { Pose::IDENTITY };
        let updates = copy.update(sculptor.clay(), &changes, &pose);
        // The pose changes once, with round 4.
        assert_eq!(updates == all, round == 4, "{updates} of {all}");
        let whole = WorldCopy::new(sculptor.clay(), &pose);
        assert_eq!(copy.positions(), whole.positions());
        assert_eq!(copy.vertex_normals(), whole.vertex_normals());
        assert_eq!(copy.face_normals(), whole.face_normals());
        assert_eq!(copy.face_boxes(), whole.face_boxes());
    }
}

#[test]
fn only_trees_of_patches_that_changed_are_built_again() {
    let mut sculptor = sculptor(
        Pot::Ball,
        10_000,
        ToolKind::Fingertip,
        0.5,
        SculptOptions::default(),
    );
    let all = sculptor.trees_built();
    let report = random_stroke(&mut Rng::new(1), 20, 0.2).run(&mut sculptor);
    assert!(report.moved > 0);
    let built = sculptor.trees_built() - all;
    assert!(
        built > 0 && built < 20 * all / 3,
        "{built} of 20 times {all}"
    );
}

#[test]
fn the_euler_number_stays() {
    for pot in Pot::ALL {
        for options in options() {
            let mut sculptor = sculptor(pot, 300, ToolKind::WholeHand, 0.6, options);
            let euler = sculptor.clay().euler_number();
            assert_eq!(euler, if pot == Pot::Torus { 0 } else { 2 });
            let mut rng = Rng::new(11);
            for _ in 0..4 {
                let _ = random_stroke(&mut rng, 15, 0.6).run(&mut sculptor);
                assert_eq!(sculptor.clay().euler_number(), euler);
                assert!(sculptor.clay().mesh().is_closed_manifold());
            }
        }
    }
}

#[test]
fn pots_have_the_requested_size_and_do_not_intersect_themselves() {
    for pot in Pot::ALL {
        for polygons in [10, 100, 1000, 10_000] {
            let mesh = pot.mesh(polygons).unwrap();
            let made = mesh.face_count();
            if pot != Pot::TetraFlake {
                let miss = made.abs_diff(polygons) as f64 / polygons as f64;
                let most = if polygons < 100 { 1.1 } else { 0.3 };
                assert!(miss <= most, "{}: {made} instead of {polygons}", pot.name());
            }
            let volume = mass(&mesh).unwrap().volume;
            let clay = Clay::new(&mesh).unwrap();
            assert!((clay.volume() / volume - 1.0).abs() < 1e-12);
            let mut sculptor = sculptor(
                pot,
                polygons,
                ToolKind::Fingertip,
                1.0,
                SculptOptions::default(),
            );
            assert!(!sculptor.intersects_itself());
        }
    }
    let miss = |polygons| Pot::Ball.mesh(polygons).unwrap_err();
    assert_eq!(miss(9), SculptError::Polygons { polygons: 9 });
    assert_eq!(miss(10_001), SculptError::Polygons { polygons: 10_001 });
}

#[test]
fn clay_that_is_open_or_inside_out_is_refused() {
    let ball = Pot::Ball.mesh(80).unwrap();
    let inside_out: Vec<[u32; 3]> = ball.faces().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inside_out = impinge::TriMesh::new(ball.positions().to_vec(), inside_out).unwrap();
    assert!(
        matches!(Clay::new(&inside_out), Err(SculptError::InsideOut { volume }) if volume < 0.0)
    );
    let open = ball.faces()[1..].to_vec();
    let open = impinge::TriMesh::new(ball.positions().to_vec(), open).unwrap();
    assert_eq!(Clay::new(&open).unwrap_err(), SculptError::NotSolid);
}
