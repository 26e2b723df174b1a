//! A scene made into something that renders.

use std::sync::Arc;

use anyhow::{Context, bail};
use impinge::bvh::Solid;
use impinge::bvh::wide::WideTree;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::volume::VolumeIndex;
use impinge::voxmap::{Pointshell, Voxmap};
use impinge::{DVec3, Pose, TriMesh};
use impinge_dynamics::coupling::{CouplingStiffness, QuasiStaticCoupling};
use impinge_dynamics::friction::Friction;
use impinge_dynamics::guard::ToolGuard;
use impinge_dynamics::law::{ConeLaw, ContactLaw, DepthLaw, ExactVolumeLaw, VoxmapLaw};
use impinge_dynamics::penalty::{PenaltyField, PenaltyVolume};
use impinge_dynamics::proxy::{GodObject, ProxyScene};
use impinge_dynamics::session::Renderer;
use impinge_dynamics::shading::VertexNormals;

use super::scene::{HapticScene, Law};
use super::skin::Skin;
use crate::progress;

/// Balls that fill a solid for the law of spheres.
const BALLS: usize = 1500;
/// Voxels along the longest side.
const VOXELS: u32 = 60;

/// Indexes of the bodies and of the tool, which laws borrow.
pub(super) struct Indexes {
    pub(super) bodies: Vec<Arc<WideTree>>,
    pub(super) tool: Arc<WideTree>,
}

impl Indexes {
    pub(super) fn new(scene: &HapticScene) -> Self {
        progress::during("indexing", || Self {
            bodies: scene
                .bodies
                .iter()
                .map(|body| Arc::new(WideTree::new(Arc::clone(&body.mesh))))
                .collect(),
            tool: Arc::new(WideTree::new(Arc::clone(&scene.tool))),
        })
    }
}

/// What renders a scene by a law.
pub(super) fn renderer<'i>(
    scene: &HapticScene,
    law: Law,
    indexes: &'i Indexes,
) -> anyhow::Result<Renderer<'i>> {
    let start = Pose::from_translation(scene.start)?;
    let is_fixed = law == Law::Penalty || (law == Law::GodObject && scene.bodies[0].breath > 0.0);
    if let Some(index) = scene
        .bodies
        .iter()
        .position(|body| is_fixed && body.is_moving())
    {
        bail!(
            "bodies[{index}] moves, and neither the penalty law nor a skin that breathes can: leave out velocity and spin, or choose another law"
        );
    }
    match law {
        Law::Penalty => {
            let volumes = scene.bodies.iter().map(|body| {
                let bounds = body.mesh.bounds();
                let center = body.pose * bounds.center();
                let half = bounds.half_extent().max(DVec3::splat(1e-6));
                PenaltyVolume::cuboid(center - half, center + half)
            });
            let volumes = volumes.collect::<Result<Vec<_>, _>>()?;
            Ok(Renderer::Penalty(PenaltyField::new(
                scene.stiffness,
                volumes,
            )?))
        }
        Law::GodObject if scene.bodies[0].breath > 0.0 => {
            let skin = Skin::new(&scene.bodies[0], scene.stiffness, scene.start)?;
            Ok(Renderer::Custom(Box::new(skin)))
        }
        Law::GodObject => {
            let mut felt = ProxyScene::new();
            for (body, tree) in scene.bodies.iter().zip(&indexes.bodies) {
                let id = felt.add(Arc::clone(tree), body.at(0.0))?;
                if let Some([resting, sliding]) = body.friction {
                    felt.set_friction(id, Friction::coulomb(resting, sliding)?)?;
                }
                if body.shaded {
                    let normals = VertexNormals::new(&body.mesh);
                    felt.set_shading(id, Some(Arc::new(normals)))?;
                }
            }
            let mut proxy = GodObject::new(&mut felt, scene.stiffness, scene.start)?;
            if scene.radius > 0.0 {
                proxy = proxy.with_radius(&mut felt, scene.radius)?;
            }
            Ok(Renderer::GodObject { scene: felt, proxy })
        }
        Law::Guard => {
            let bodies = scene.bodies.iter().zip(&indexes.bodies);
            let bodies = bodies.map(|(body, tree)| (Arc::clone(tree), body.pose));
            let guard = ToolGuard::new(
                Arc::clone(&indexes.tool),
                bodies.collect(),
                coupling(scene)?,
                start,
            )?;
            Ok(Renderer::Guard(Box::new(guard)))
        }
        Law::Exact | Law::Spheres | Law::Voxmap | Law::Depth => {
            let mut laws: Vec<Box<dyn ContactLaw + Send + 'i>> = Vec::new();
            for (index, (body, tree)) in scene.bodies.iter().zip(&indexes.bodies).enumerate() {
                let law = progress::during("preparing the law", || {
                    law_of(scene, law, tree, &indexes.tool, body.pose)
                });
                laws.push(law.with_context(|| format!("bodies[{index}]"))?);
            }
            Ok(Renderer::Tool {
                law: Box::new(Sum(laws)),
                coupling: Box::new(QuasiStaticCoupling::new(coupling(scene)?, start)),
            })
        }
    }
}

fn coupling(scene: &HapticScene) -> anyhow::Result<CouplingStiffness> {
    // A lever of five centimetres.
    Ok(CouplingStiffness::new(
        scene.stiffness,
        scene.stiffness * 0.0025,
    )?)
}

/// A law for a contact about as stiff as ten times the coupling.
fn law_of<'i>(
    scene: &HapticScene,
    law: Law,
    body: &'i Arc<WideTree>,
    tool: &'i Arc<WideTree>,
    pose: Pose,
) -> anyhow::Result<Box<dyn ContactLaw + Send + 'i>> {
    use impinge::bvh::MeshIndex as _;
    let stiffness = 10.0 * scene.stiffness;
    let size = tool.mesh().bounds().half_extent().min_element().max(1e-6);
    Ok(match law {
        Law::Exact => {
            let index = |tree: &Arc<WideTree>| -> anyhow::Result<Arc<VolumeIndex>> {
                Ok(Arc::new(VolumeIndex::from_tree(Arc::clone(tree))?))
            };
            let pressure = stiffness / size;
            Box::new(ExactVolumeLaw::new(
                index(body)?,
                pose,
                index(tool)?,
                pressure,
            )?)
        }
        Law::Spheres => {
            let trees = [spheres(body)?, spheres(tool)?];
            let [body, tool] = trees;
            Box::new(ConeLaw::new(body, pose, tool, stiffness / (size * size))?)
        }
        Law::Voxmap => {
            let map = Voxmap::new(body.mesh(), VOXELS)?;
            let shell = Pointshell::new(tool.mesh(), VOXELS)?;
            let each = stiffness / (1.0 + shell.points().len() as f64 / 20.0);
            Box::new(VoxmapLaw::new(Arc::new(map), pose, Arc::new(shell), each)?)
        }
        _ => Box::new(DepthLaw::new(
            Solid::closed(body)?,
            pose,
            Solid::closed(tool)?,
            stiffness,
        )?),
    })
}

fn spheres(tree: &Arc<WideTree>) -> anyhow::Result<Arc<InnerSphereTree>> {
    let solid = MeshSolid::new(tree)?;
    let packing = pack(
        &solid,
        &PackOptions {
            count: Some(BALLS),
            ..PackOptions::default()
        },
    )?;
    let spheres = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?;
    Ok(Arc::new(spheres.with_surface(&solid)))
}

/// Several bodies push together.
struct Sum<'i>(Vec<Box<dyn ContactLaw + Send + 'i>>);

impl ContactLaw for Sum<'_> {
    fn at(
        &mut self,
        world_from_tool: &Pose,
        limits: impinge::query::Limits<'_>,
    ) -> impinge_dynamics::law::ContactResponse {
        let mut sum = impinge_dynamics::law::ContactResponse::NONE;
        for law in &mut self.0 {
            let found = law.at(world_from_tool, limits);
            sum.wrench = sum.wrench + found.wrench;
            sum.stiffness = sum.stiffness.max(found.stiffness);
            if found.outcome != impinge::query::Outcome::Complete {
                sum.outcome = found.outcome;
            }
        }
        sum
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        let law = self.0.get_mut(solid);
        law.is_some_and(|law| law.set_pose(0, world_from_solid))
    }
}

/// All bodies of a scene at a time, placed.
pub(super) fn placed(scene: &HapticScene, seconds: f64) -> anyhow::Result<Vec<TriMesh>> {
    let placed = scene
        .bodies
        .iter()
        .map(|body| body.mesh.placed(&body.at(seconds)));
    Ok(placed.collect::<Result<Vec<_>, _>>()?)
}
