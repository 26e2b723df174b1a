//! The packer with one prototype.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::spheres::{Cooling, MeshSolid};
use impinge_study::spheres::pack_single;

use crate::feasibility::{count, cube, judge};

#[test]
fn one_prototype_packs_balls_that_keep_the_rules() {
    let mesh = cube();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let single = pack_single(&solid, &count(40), &Cooling::default(), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    judge(&mesh, &single);
    assert_eq!(single.balls.len(), 40);
}
