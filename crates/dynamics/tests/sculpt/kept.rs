//! What strokes keep: volume, and a surface that does not intersect itself.

use impinge::TriMesh;
use impinge::math::Rng;
use impinge::mesh::mass;
use impinge::prelude::Mesh;
use impinge_dynamics::sculpt::{
    Clay, Operator, Pot, SculptError, SculptOptions, Sculptor, Split, Tool, ToolKind,
};

use crate::{random_stroke, sculptor};

/// Pairs of faces that meet beyond what they share, by the wide tree, which the guard does not use.
fn self_intersections(mesh: TriMesh) -> usize {
    Mesh::from(mesh).self_intersections().len()
}

#[test]
fn the_volume_is_kept_to_a_billionth() {
    let press = SculptOptions::default();
    let all = [
        press,
        SculptOptions {
            operator: Operator::Drag { vicinity: 1.5 },
            ..press
        },
        SculptOptions {
            operator: Operator::Plain { step: 0.01 },
            ..press
        },
        SculptOptions {
            split: Some(Split::default()),
            ..press
        },
    ];
    for pot in Pot::ALL {
        for (i, options) in all.into_iter().enumerate() {
            let mut sculptor = sculptor(pot, 800, ToolKind::FiveFingertips, 0.8, options);
            let wanted = mass(&sculptor.clay().mesh()).unwrap().volume;
            let mut rng = Rng::new(i as u64);
            let mut moved = 0;
            for _ in 0..5 {
                moved += random_stroke(&mut rng, 20, 0.5).run(&mut sculptor).moved;
                let volume = mass(&sculptor.clay().mesh()).unwrap().volume;
                let miss = (volume / wanted - 1.0).abs();
                assert!(miss < 1e-9, "{} with options {i}: {miss}", pot.name());
            }
            assert!(moved > 0, "{} with options {i}", pot.name());
        }
    }
}

#[test]
fn guarded_clay_never_intersects_itself_and_unguarded_clay_does() {
    let wild = SculptOptions {
        operator: Operator::Drag { vicinity: 0.8 },
        keep_volume: false,
        no_crumpling: false,
        guard: false,
        ..SculptOptions::default()
    };
    for (is_guarded, strokes) in [(true, 60), (false, 20)] {
        let mut crossed = 0;
        for pot in [Pot::Ball, Pot::Torus, Pot::TetraFlake] {
            let options = SculptOptions {
                guard: is_guarded,
                ..wild
            };
            let mut sculptor = sculptor(pot, 400, ToolKind::Forefinger, 0.8, options);
            let mut rng = Rng::new(9);
            for _ in 0..strokes {
                let _ = random_stroke(&mut rng, 12, 0.9).run(&mut sculptor);
            }
            let pairs = self_intersections(sculptor.clay().mesh());
            // Both engines agree about the whole.
            assert_eq!(sculptor.intersects_itself(), pairs > 0);
            crossed += pairs;
        }
        assert_eq!(
            crossed == 0,
            is_guarded,
            "{crossed} pairs, guarded: {is_guarded}"
        );
    }
}

#[test]
fn many_strokes_with_everything_on_keep_everything() {
    for pot in Pot::ALL {
        let options = SculptOptions::default();
        let mut sculptor = sculptor(pot, 500, ToolKind::Fingertip, 1.0, options);
        let wanted = sculptor.clay().volume();
        let euler = sculptor.clay().euler_number();
        let mut rng = Rng::new(4);
        let (mut moved, mut refused) = (0, 0);
        for _ in 0..100 {
            let report = random_stroke(&mut rng, 10, 0.5).run(&mut sculptor);
            moved += report.moved;
            refused += report.refused;
        }
        let mesh = sculptor.clay().mesh();
        assert!(
            moved > 300,
            "{}: {moved} moved, {refused} refused",
            pot.name()
        );
        assert!(
            (mass(&mesh).unwrap().volume / wanted - 1.0).abs() < 1e-9,
            "{}",
            pot.name()
        );
        assert_eq!(sculptor.clay().euler_number(), euler);
        assert_eq!(self_intersections(mesh), 0, "{}", pot.name());
    }
}

#[test]
fn ten_thousand_strokes_with_the_guard_leave_no_self_intersection() {
    for (i, pot) in Pot::ALL.into_iter().enumerate() {
        let options = SculptOptions {
            operator: Operator::Drag { vicinity: 0.8 },
            no_crumpling: false,
            ..SculptOptions::default()
        };
        let mut sculptor = sculptor(pot, 200, ToolKind::Forefinger, 0.8, options);
        let wanted = mass(&sculptor.clay().mesh()).unwrap().volume;
        let euler = sculptor.clay().euler_number();
        let mut rng = Rng::new(i as u64);
        let mut moved = 0;
        for stroke in 1..=10_000 / Pot::ALL.len() {
            moved += random_stroke(&mut rng, 4, 0.9).run(&mut sculptor).moved;
            if stroke % 250 == 0 {
                let mesh = sculptor.clay().mesh();
                let miss = (mass(&mesh).unwrap().volume / wanted - 1.0).abs();
                assert!(miss < 1e-9, "{} after {stroke}: {miss}", pot.name());
                assert_eq!(self_intersections(mesh), 0, "{} after {stroke}", pot.name());
            }
        }
        assert_eq!(sculptor.clay().euler_number(), euler);
        assert!(moved > 500, "{}: {moved} moved", pot.name());
    }
}

#[test]
fn without_crumpling_no_face_is_thin_or_turned_over() {
    let options = SculptOptions {
        operator: Operator::Drag { vicinity: 1.0 },
        ..SculptOptions::default()
    };
    let mut sculptor = sculptor(Pot::Ball, 2000, ToolKind::Forefinger, 0.8, options);
    let mut rng = Rng::new(8);
    for _ in 0..40 {
        let _ = random_stroke(&mut rng, 15, 0.7).run(&mut sculptor);
    }
    for corners in sculptor.clay().mesh().triangles() {
        let [a, b, c] = corners;
        let area = (b - a).cross(c - a).length();
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        assert!(area / (longest * longest) >= 0.0199);
    }
}

#[test]
fn clay_that_intersects_itself_is_refused_by_the_guard_alone() {
    // A ball whose top was pushed out of its bottom.
    let ball = Pot::Ball.mesh(500).unwrap();
    let pushed = ball
        .positions()
        .iter()
        .map(|&p| if p.z > 0.7 { p * -1.5 } else { p });
    let mesh = TriMesh::new(pushed.collect(), ball.faces().to_vec()).unwrap();
    let make = |guard: bool| {
        let options = SculptOptions {
            guard,
            ..SculptOptions::default()
        };
        let tool = Tool::new(ToolKind::Fingertip, 1.0).unwrap();
        Sculptor::new(Clay::new(&mesh).unwrap(), tool, options).map(|_| ())
    };
    assert_eq!(make(true), Err(SculptError::SelfIntersecting));
    assert_eq!(make(false), Ok(()));
}
