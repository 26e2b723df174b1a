//! The rules as they were published, and the nodes of Voronoi diagrams that they look for.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideTree;
use impinge::spheres::{Ascent, Cooling, MeshSolid, PackOptions, pack, voronoi_nodes};
use impinge::{DVec3, Pose, generate};

use super::{count, cube, judge};

#[test]
fn the_published_step_packs_too() {
    let mesh = cube();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let repulsion = PackOptions {
        ascent: Ascent::Repulsion(Cooling {
            progress_exponent: None,
            ..Cooling::default()
        }),
        ..count(40)
    };
    let parallel = pack(&solid, &repulsion).unwrap();
    judge(&mesh, &parallel);
    assert!((parallel.balls[0].radius - 0.5).abs() < 5e-3);
}

#[test]
fn cooling_has_the_published_values() {
    let cooling = Cooling::default();
    for (t, value) in [
        (0, 1.0),
        (10, 0.995),
        (20, 0.712),
        (25, 0.393),
        (30, 0.151),
        (50, 0.0),
    ] {
        assert!((cooling.in_time(t) - value).abs() < 1e-3, "{t}");
    }
    for (ratio, value) in [
        (0.0, 0.865),
        (0.5, 0.393),
        (1.0, 0.0),
        (1.5, 0.393),
        (2.0, 0.865),
    ] {
        assert!((cooling.by_progress(ratio) - value).abs() < 1e-3, "{ratio}");
    }
}

#[test]
fn voronoi_nodes_of_a_cube_and_a_ball_are_their_centres() {
    let place = DVec3::new(3.0, -1.0, 7.0);
    let pose = Pose::from_translation(place).unwrap();
    for (mesh, tolerance) in [
        (cube(), 1e-4),
        (generate::icosphere(0.5, 24).unwrap(), 1e-4),
    ] {
        let tree = WideTree::new(Arc::new(mesh.placed(&pose).unwrap()));
        let nodes = voronoi_nodes(&MeshSolid::new(&tree).unwrap(), 8).unwrap();
        assert!(
            (nodes[0].center - place).length() < tolerance,
            "{:?}",
            nodes[0]
        );
        assert!((nodes[0].radius - 0.5).abs() < 2e-3);
        let _ = tree.mesh();
    }
}
