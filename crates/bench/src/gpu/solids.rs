//! Packings and inner sphere trees made on graphics cards, beside those of the library.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::generate::{cuboid, icosphere, torus, torus_knot};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, NeuralGasOptions,
    PackOptions, SphereSplit, pack,
};
use impinge::{DVec3, Pose, TriMesh};
use impinge_gpu::Backend;
use impinge_gpu::spheres::{GpuGas, GpuPacker};

/// Children of a node, as in the thesis.
const WIDTH: usize = 4;
/// Poses of a solid against a copy of itself, from apart to nearly concentric.
const POSES: usize = 400;

/// What became of one solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    pub(super) name: &'static str,
    /// Whether the packing passes the checks that the library's own packings pass.
    pub(super) is_feasible: bool,
    pub(super) fill: f64,
    pub(super) library_fill: f64,
}

/// What queries of a tree cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queried {
    pub(super) name: &'static str,
    /// Sphere tests of the card's tree by those of the library's.
    pub(super) cost: f64,
    /// The largest relative difference of the sums of lens volumes; the spheres are the same.
    pub(super) difference: f64,
}

fn solids() -> anyhow::Result<[(&'static str, TriMesh); 4]> {
    Ok([
        ("ball", icosphere(1.0, 4)?),
        ("block", cuboid(DVec3::new(1.0, 0.6, 0.3), [1; 3])?),
        ("torus", torus(1.0, 0.4, 96, 48)?),
        ("knot", torus_knot(2, 3, 0.25, 256, 24)?),
    ])
}

fn options(count: usize) -> PackOptions {
    PackOptions {
        count: Some(count),
        ..PackOptions::default()
    }
}

/// As many spheres by the card as by the library.
pub(super) fn packings(
    count: usize,
    mut backend: impl FnMut() -> anyhow::Result<Backend>,
) -> anyhow::Result<Vec<Packed>> {
    let mut found = Vec::new();
    for (name, mesh) in solids()? {
        let tree = WideTree::new(Arc::new(mesh));
        let solid = MeshSolid::new(&tree)?;
        let library = pack(&solid, &options(count))?;
        let packing = GpuPacker::new(backend()?).pack(&solid, &options(count))?;
        let is_whole = packing.balls.len() == library.balls.len();
        found.push(Packed {
            name,
            is_feasible: is_whole && packing.check(&solid).is_feasible(),
            fill: packing.fill(),
            library_fill: library.fill(),
        });
    }
    Ok(found)
}

/// One packing in a tree built by each, and the same queries of both.
pub(super) fn queries(
    count: usize,
    mut backend: impl FnMut() -> anyhow::Result<Backend>,
) -> anyhow::Result<Vec<Queried>> {
    let library = InnerSphereTreeOptions {
        split: SphereSplit::NeuralGas(NeuralGasOptions::default()),
        width: WIDTH,
    };
    let mut found = Vec::new();
    for (name, mesh) in solids()? {
        let tree = WideTree::new(Arc::new(mesh));
        let balls = pack(&MeshSolid::new(&tree)?, &options(count))?.balls;
        let theirs = InnerSphereTree::new(&balls, &library)?;
        let own = GpuGas::new(backend()?).tree(&balls, WIDTH)?;
        let mut rng = Rng::new(5);
        let (mut costs, mut difference) = ([0_u64; 2], 0.0_f64);
        for _ in 0..POSES {
            let shift = rng.direction() * rng.range(0.0, 2.2);
            let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), shift)?;
            let mut shared = [0.0; 2];
            for (k, tree) in [&theirs, &own].into_iter().enumerate() {
                let mut cache = InnerSphereTreeCache::default();
                let overlap = tree.overlap(tree, &pose, Limits::default(), &mut cache);
                shared[k] = overlap.lower;
                costs[k] += cache.tests();
            }
            let scale = shared[0].max(f64::MIN_POSITIVE);
            difference = difference.max((shared[0] - shared[1]).abs() / scale);
        }
        found.push(Queried {
            name,
            cost: costs[1] as f64 / costs[0].max(1) as f64,
            difference,
        });
    }
    Ok(found)
}
