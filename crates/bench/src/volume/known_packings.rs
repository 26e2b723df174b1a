//! Packings whose balls are known.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::spheres::{MeshSolid, PackOptions, pack, voronoi_nodes};
use impinge::{DVec3, TriMesh, generate};

use super::told;
use crate::Bar;

const CORNER: f64 = 0.133_974_596_215_561_35;
/// One in the middle and one in each corner.
const BALLS: usize = 9;

pub(super) fn run() -> anyhow::Result<Bar> {
    println!("## Known packings");
    let (mut worst, mut missing) = ([0.0_f64; 3], 0);
    for seed in 0..5 {
        let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
        let options = PackOptions {
            count: Some(BALLS),
            seed,
            ..PackOptions::default()
        };
        let balls = pack(&MeshSolid::new(&tree)?, &options)?.balls;
        let [first, corners @ ..] = &balls[..] else {
            anyhow::bail!("seed {seed} has no ball");
        };
        worst[0] = worst[0].max((first.radius - 0.5).abs());
        for ball in corners {
            worst[1] = worst[1].max((ball.radius - CORNER).abs());
        }
        missing += BALLS - balls.len();
    }
    let (cube, ball) = (
        node_error(generate::cuboid(DVec3::ONE, [1; 3])?)?,
        node_error(generate::icosphere(0.5, 32)?)?,
    );
    worst[2] = cube.max(ball);
    println!(
        "cube: first radius off by {:.1e}, next eight by {:.1e}; Voronoi nodes off by {:.1e} (cube), {:.1e} (ball)",
        worst[0], worst[1], cube, ball
    );
    let met = [
        told(
            &format!(
                "unit cube 0.5 and eight 0.133975 within 1e-4 ({missing} of {} balls are missing)",
                5 * BALLS
            ),
            Bar::of(worst[0] < 1e-4 && worst[1] < 1e-4 && missing == 0),
        ),
        told(
            "Voronoi nodes of cube and ball within 1e-4 of the edge",
            Bar::of(worst[2] < 1e-4),
        ),
    ];
    Ok(super::all(&met))
}

/// How far the largest node is from the centre of a shape with side 1 about the origin.
fn node_error(mesh: TriMesh) -> anyhow::Result<f64> {
    let tree = WideTree::new(Arc::new(mesh));
    let nodes = voronoi_nodes(&MeshSolid::new(&tree)?, 8)?;
    Ok(nodes.first().map_or(1.0, |node| node.center.length()))
}
