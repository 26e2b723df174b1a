//! What ends a packing, and bounds that make no sense.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::generate;
use impinge::spheres::{MeshSolid, PackEnd, PackError, PackOptions, pack, pack_with};

use super::{count, cube, judge, packed};

#[test]
fn a_full_ball_ends_by_itself() {
    let mesh = generate::icosphere(1.0, 40).unwrap();
    let packing = packed(mesh, &count(1_000_000));
    assert_eq!(packing.end, PackEnd::Full);
}

#[test]
fn packing_stops_at_the_first_bound() {
    let mesh = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let by_fill = packed(
        mesh.clone(),
        &PackOptions {
            fill: Some(0.7),
            count: None,
            ..PackOptions::default()
        },
    );
    assert_eq!(by_fill.end, PackEnd::Fill);
    assert!(
        by_fill.fill() >= 0.7 && by_fill.fill() < 0.71,
        "{}",
        by_fill.fill()
    );
    let by_radius = packed(
        mesh,
        &PackOptions {
            min_radius: Some(0.05),
            count: None,
            ..PackOptions::default()
        },
    );
    assert_eq!(by_radius.end, PackEnd::MinRadius);
    let least = by_radius.balls.last().unwrap().radius;
    assert!((0.0499..0.06).contains(&least), "{least}");
}

#[test]
fn cancelling_leaves_a_valid_packing() {
    let mesh = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let mut calls = 0;
    let packing = pack_with(&solid, &count(100_000), &mut |_| {
        calls += 1;
        if calls == 20 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    assert_eq!(packing.end, PackEnd::Cancelled);
    assert!(!packing.balls.is_empty());
    judge(&mesh, &packing);
}

#[test]
fn bounds_that_make_no_sense_are_refused() {
    let tree = WideTree::new(Arc::new(cube()));
    let solid = MeshSolid::new(&tree).unwrap();
    let none = PackOptions {
        count: None,
        ..PackOptions::default()
    };
    assert_eq!(pack(&solid, &none), Err(PackError::Endless));
    for value in [0.0, 1.0, -3.0, f64::NAN] {
        let options = PackOptions {
            fill: Some(value),
            ..none
        };
        assert!(matches!(
            pack(&solid, &options),
            Err(PackError::BadFill { .. })
        ));
        let options = PackOptions {
            min_radius: Some(if value == 1.0 { f64::INFINITY } else { value }),
            ..none
        };
        assert!(matches!(
            pack(&solid, &options),
            Err(PackError::BadRadius { .. })
        ));
    }
    assert!(pack(&solid, &count(0)).unwrap().balls.is_empty());
}
