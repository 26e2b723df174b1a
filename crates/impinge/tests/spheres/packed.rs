//! Packed solids and where they are put.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, SolidBall, pack,
};
use impinge::{DVec3, Pose, TriMesh};

pub(crate) struct Packed {
    pub(crate) index: WideTree,
    pub(crate) tree: InnerSphereTree,
}

/// So many balls in the solid, with its surface.
pub(crate) fn packed(mesh: TriMesh, count: usize) -> Packed {
    let index = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&index).unwrap();
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    let balls = pack(&solid, &options).unwrap().balls;
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid);
    Packed { index, tree }
}

impl Packed {
    /// The tree with gaps measured.
    pub(crate) fn with_gaps(self, resolution: u32) -> InnerSphereTree {
        let solid = MeshSolid::new(&self.index).unwrap();
        self.tree.with_gaps(&solid, resolution)
    }
}

/// A tree of one ball about the origin.
pub(crate) fn one_ball(radius: f64) -> InnerSphereTree {
    let center = DVec3::ZERO;
    let ball = SolidBall { center, radius };
    InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default()).unwrap()
}

/// Turned anyhow and moved by the distance.
pub(crate) fn pose(rng: &mut Rng, distance: f64) -> Pose {
    let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), DVec3::ZERO).unwrap();
    Pose::from_translation(rng.direction() * distance).unwrap() * turn
}
