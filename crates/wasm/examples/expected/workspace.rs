use std::error::Error;
use std::sync::Arc;

use impinge::math::Motion;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::{DMat3, DVec3, Pose};
use impinge_dynamics::workspace::{Workspace, WorkspaceBody, WorkspaceConfig};

use crate::Numbers;

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let balls: Vec<SolidBall> = (-2..=2)
        .map(|k| SolidBall {
            center: DVec3::new(0.015625 * f64::from(k), 0.0, 0.0),
            radius: 0.0078125,
        })
        .collect();
    let tree = Arc::new(InnerSphereTree::new(
        &balls,
        &InnerSphereTreeOptions::default(),
    )?);
    let config = WorkspaceConfig {
        floor: Some((0.0, 2000.0)),
        budget: 500,
        ..WorkspaceConfig::table()?
    };
    let mut bodies = Vec::new();
    for x in [0.0, 0.0875, 0.175] {
        bodies.push(WorkspaceBody {
            tree: Arc::clone(&tree),
            mass: 0.25,
            inertia: 0.00025,
            world_from_body: Pose::from_translation([x, 0.0, 0.0625])?,
        });
    }
    let mut workspace = Workspace::new(bodies, 2, config)?;
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0625]);
    let from = [at(0.0)?, at(0.175)?];
    let turn = DMat3::from_cols_array(&[0.96, 0.28, 0.0, -0.28, 0.96, 0.0, 0.0, 0.0, 1.0]);
    let to = [
        Pose::new(turn, [0.0625, 0.0, 0.0625])?,
        Pose::from_translation([0.125, 0.015625, 0.0625])?,
    ];
    workspace.grab(0, 0, &from[0])?;
    workspace.grab(1, 2, &from[1])?;
    let ways = [0, 1].map(|hand| Motion::between(&from[hand], &to[hand]));
    let mut numbers = Numbers::default();
    for tick in 1..=160 {
        let t = f64::from(tick) / 160.0;
        let devices = [ways[0].at(t), ways[1].at(t)];
        let steps = workspace.tick(&devices);
        if tick == 160 {
            for step in steps {
                numbers.point(step.wrench.force);
            }
        }
    }
    for body in 0..workspace.body_count() {
        numbers.matrix(&workspace.pose(body).ok_or("a body is gone")?);
    }
    for body in 0..workspace.body_count() {
        numbers.point(workspace.contact(body).ok_or("a body is gone")?.force);
    }
    Ok(numbers)
}
