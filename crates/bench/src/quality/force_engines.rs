//! The engines that answer with forces, and how a path is queried.

use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use impinge::bvh::wide::WideTree;
use impinge::query::{Limits, PoseGradient};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache, MeshSolid, Wrench};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
use impinge::{DVec3, TriMesh};

use super::call_times::CallTimes;
use super::resolution_ladder::ResolutionLadder;
use super::scene::{ForceModel, PathPlace, QualityScene};
use super::sphere_packings::{filled, index_of};
use crate::penalty::Penalty;
use crate::thread_cpu_time::thread_time;

/// Segments of round solids where the resolution is that of something else than the mesh.
pub(super) const SEGMENTS: u32 = 96;
/// Balls of a solid at most, in a quick run and in a full one.
const MOST_BALLS: [f64; 2] = [32_000.0, 1e6];
/// Voxels of the box around the fixed solid at most, likewise.
const MOST_VOXELS: [f64; 2] = [1.6e7, 2e8];

/// Force and torque on the moving solid, about the place where they are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ForceAnswer {
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
}

impl ForceAnswer {
    /// From a torque about the origin.
    fn about(point: DVec3, force: DVec3, torque: DVec3) -> Self {
        Self {
            force,
            torque: torque - point.cross(force),
        }
    }

    /// What drives apart solids whose shared volume has this derivative.
    pub(super) fn against(point: DVec3, gradient: &PoseGradient) -> Self {
        Self::about(point, -gradient.translation, -gradient.rotation)
    }

    /// The same as large as the volume; a torque counts as the force that makes it with the arm `length`.
    pub(super) fn sized(point: DVec3, gradient: &PoseGradient, volume: f64, length: f64) -> Self {
        let push = gradient.about(point).downhill(volume, length);
        Self {
            force: push.translation,
            torque: push.rotation,
        }
    }
}

impl From<Wrench> for ForceAnswer {
    fn from(wrench: Wrench) -> Self {
        Self {
            force: wrench.force,
            torque: wrench.torque,
        }
    }
}

/// A way to make a force, and the model by which it is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForceRule {
    pub(super) name: &'static str,
    pub(super) model: ForceModel,
}

/// Engines that share a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EngineFamily {
    /// Boundary integrals
    Exact,
    /// The deepest point
    Depth,
    /// Inner sphere trees
    Spheres,
    /// The same with gaps counted
    Gaps,
    /// Voxmap and pointshell
    Voxmap,
}

/// A solid as an engine wants it.
#[derive(Debug)]
pub(super) enum EngineSolid {
    Volume(Box<VolumeIndex>),
    /// The fixed and the moving solid.
    Faces(Box<[WideTree; 2]>),
    /// What one depth may cost.
    Tests(u64),
    /// Without and with gaps.
    Balls(Box<[InnerSphereTree; 2]>),
    Map(Box<Voxmap>),
    Shell(Box<Pointshell>),
}

/// The answers along a path: for each rule, for each place.
#[derive(Clone, Debug)]
pub(super) struct PathAnswers {
    pub(super) answers: Vec<Vec<ForceAnswer>>,
    /// Each place was queried twice.
    pub(super) times: CallTimes,
}

impl EngineFamily {
    pub(super) const ALL: [Self; 5] = [
        Self::Exact,
        Self::Depth,
        Self::Spheres,
        Self::Gaps,
        Self::Voxmap,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact volume",
            Self::Depth => "mesh depth",
            Self::Spheres => "inner spheres",
            Self::Gaps => "inner spheres with gaps",
            Self::Voxmap => "voxmap and pointshell",
        }
    }

    /// Whether it takes the solids of the family before it.
    pub(super) fn shares_parts(self) -> bool {
        self == Self::Gaps
    }

    pub(super) fn rules(self) -> &'static [ForceRule] {
        match self {
            Self::Exact => &[
                ForceRule {
                    name: "exact volume, along its slope",
                    model: ForceModel::Volume,
                },
                ForceRule {
                    name: "exact volume, its slope",
                    model: ForceModel::Slope,
                },
            ],
            Self::Depth => &[ForceRule {
                name: "penalty by mesh depth",
                model: ForceModel::Depth,
            }],
            Self::Spheres => &[
                ForceRule {
                    name: "inner spheres, symmetric cones",
                    model: ForceModel::Volume,
                },
                ForceRule {
                    name: "inner spheres, cones as published",
                    model: ForceModel::Volume,
                },
                ForceRule {
                    name: "inner spheres, lens gradient",
                    model: ForceModel::Slope,
                },
            ],
            Self::Gaps => &[
                ForceRule {
                    name: "inner spheres, gaps counted",
                    model: ForceModel::Volume,
                },
                ForceRule {
                    name: "inner spheres, slope with gaps",
                    model: ForceModel::Slope,
                },
            ],
            Self::Voxmap => &[
                ForceRule {
                    name: "voxmap and pointshell",
                    model: ForceModel::Depth,
                },
                ForceRule {
                    name: "voxmap and pointshell, by volume",
                    model: ForceModel::Volume,
                },
            ],
        }
    }

    /// What the resolutions of the moving and the fixed solid count.
    pub(super) fn units(self) -> [&'static str; 2] {
        match self {
            Self::Exact => ["segments", "segments"],
            Self::Depth => ["segments of both", "tests"],
            Self::Spheres | Self::Gaps => ["balls", "balls"],
            Self::Voxmap => ["points along it", "voxels along the moving solid"],
        }
    }

    /// How coarse and how fine the moving and the fixed solid are tried.
    pub(super) fn ladder(
        self,
        scene: QualityScene,
        is_full: bool,
    ) -> anyhow::Result<ResolutionLadder> {
        let either = |[quick, full]: [f64; 2]| if is_full { full } else { quick };
        Ok(match self {
            Self::Exact => ResolutionLadder {
                first: [12.0; 2],
                most: [either([1536.0, 3072.0]); 2],
                factor: 2.0,
            },
            Self::Depth => ResolutionLadder {
                first: [12.0, 1000.0],
                most: [96.0, 256_000.0],
                factor: 2.0,
            },
            Self::Spheres | Self::Gaps => ResolutionLadder {
                first: [2000.0; 2],
                most: [either(MOST_BALLS); 2],
                factor: 2.0,
            },
            Self::Voxmap => {
                let size = |mesh: &TriMesh| mesh.bounds().diagonal();
                let moving = size(&scene.moving(SEGMENTS)?).max_element();
                let fixed = size(&scene.fixed(SEGMENTS)?) / moving;
                let voxels = either(MOST_VOXELS);
                let along = (voxels / fixed.element_product()).cbrt().floor();
                ResolutionLadder {
                    first: [30.0, 20.0],
                    most: [either([600.0, 1200.0]), along.clamp(60.0, 640.0)],
                    factor: 1.5,
                }
            }
        })
    }

    /// The moving or the fixed solid of a scene at a resolution.
    pub(super) fn part(
        self,
        scene: QualityScene,
        is_fixed: bool,
        resolution: f64,
    ) -> anyhow::Result<EngineSolid> {
        let mesh = |segments: u32| -> anyhow::Result<TriMesh> {
            if is_fixed {
                scene.fixed(segments)
            } else {
                scene.moving(segments)
            }
        };
        let longest = |mesh: &TriMesh| mesh.bounds().diagonal().max_element();
        Ok(match self {
            Self::Exact => {
                let mesh = mesh(resolution.round() as u32)?;
                EngineSolid::Volume(Box::new(VolumeIndex::new(Arc::new(mesh))?))
            }
            Self::Depth if is_fixed => EngineSolid::Tests(resolution.round() as u64),
            Self::Depth => {
                let segments = resolution.round() as u32;
                let both = [scene.fixed(segments)?, scene.moving(segments)?];
                let both = both.map(|mesh| WideTree::new(Arc::new(mesh)));
                EngineSolid::Faces(Box::new(both))
            }
            Self::Spheres | Self::Gaps => {
                let index = index_of(scene, is_fixed)?;
                let solid = MeshSolid::new(&index)?;
                EngineSolid::Balls(Box::new(filled(&solid, resolution)?.trees))
            }
            Self::Voxmap if is_fixed => {
                let side = longest(&scene.moving(SEGMENTS)?) / resolution;
                let mesh = mesh(SEGMENTS)?;
                let along = (longest(&mesh) / side).round() as u32;
                EngineSolid::Map(Box::new(Voxmap::new(&mesh, along)?))
            }
            Self::Voxmap => {
                let shell = Pointshell::new(&mesh(SEGMENTS)?, resolution.round() as u32)?;
                EngineSolid::Shell(Box::new(shell))
            }
        })
    }
}

/// Asks all places of a path. `length` makes torques comparable with forces.
pub(super) fn ask(
    family: EngineFamily,
    fixed: &EngineSolid,
    moving: &EngineSolid,
    path: &[PathPlace],
    length: f64,
) -> anyhow::Result<PathAnswers> {
    let none = Limits::default();
    match (fixed, moving) {
        (EngineSolid::Volume(fixed), EngineSolid::Volume(moving)) => {
            let mut cache = OverlapCache::default();
            walk(path, |stamp| {
                let found = fixed.overlap(moving, &stamp.pose, none, &mut cache)?.value;
                let slope = ForceAnswer::against(stamp.about, &found.gradient);
                let sized = ForceAnswer::sized(stamp.about, &found.gradient, found.volume, length);
                Ok(vec![sized, slope])
            })
        }
        (EngineSolid::Tests(most), EngineSolid::Faces(both)) => {
            let [fixed, moving] = both.as_ref();
            let mut penalty = Penalty::new(fixed, moving, *most)?;
            walk(path, |stamp| {
                let answer = penalty.at(&stamp.pose).value.and_then(|deep| {
                    let force = deep.normal()? * deep.depth;
                    let torque = (deep.point_b - stamp.about).cross(force);
                    Some(ForceAnswer { force, torque })
                });
                Ok(vec![answer.unwrap_or_default()])
            })
        }
        (EngineSolid::Balls(fixed), EngineSolid::Balls(moving)) if family == EngineFamily::Gaps => {
            let ([_, fixed], [_, moving]) = (fixed.as_ref(), moving.as_ref());
            let mut cache = InnerSphereTreeCache::default();
            walk(path, |stamp| {
                let found = fixed.overlap(moving, &stamp.pose, none, &mut cache);
                let slope = ForceAnswer::against(stamp.about, &found.value_gradient);
                let sized =
                    ForceAnswer::sized(stamp.about, &found.value_gradient, found.value, length);
                Ok(vec![sized, slope])
            })
        }
        (EngineSolid::Balls(fixed), EngineSolid::Balls(moving)) => {
            let ([fixed, _], [moving, _]) = (fixed.as_ref(), moving.as_ref());
            let mut cache = InnerSphereTreeCache::default();
            walk(path, |stamp| {
                let found = fixed.overlap(moving, &stamp.pose, none, &mut cache);
                Ok(vec![
                    found.cones.push.about(stamp.about).into(),
                    found.cones.published_on_b.about(stamp.about).into(),
                    ForceAnswer::against(stamp.about, &found.gradient),
                ])
            })
        }
        (EngineSolid::Map(fixed), EngineSolid::Shell(moving)) => {
            let query = VoxmapQuery::new(fixed, moving);
            let limits = Limits {
                max_distance: Some(0.0),
                ..none
            };
            walk(path, |stamp| {
                let found = query.at(&stamp.pose, limits);
                let answer = ForceAnswer {
                    force: -found.force_on_a,
                    torque: found.torque_on_b_about(stamp.about),
                };
                // One force, judged twice.
                Ok(vec![answer, answer])
            })
        }
        _ => bail!("two solids of different engines"),
    }
}

fn walk(
    path: &[PathPlace],
    mut ask: impl FnMut(&PathPlace) -> anyhow::Result<Vec<ForceAnswer>>,
) -> anyhow::Result<PathAnswers> {
    let mut answers: Vec<Vec<ForceAnswer>> = Vec::new();
    let mut times = CallTimes::default();
    for stamp in path {
        let mut calls = [0.0; 2];
        let mut found = Vec::new();
        for call in &mut calls {
            let before = thread_time();
            let start = Instant::now();
            found = ask(stamp)?;
            *call = start.elapsed().as_secs_f64() * 1e3;
            let spent = before.zip(thread_time());
            let spent = spent.map(|(before, after)| after.saturating_sub(before));
            times.push_processor(spent.map(|time| time.as_secs_f64() * 1e3));
        }
        times.push(&calls);
        answers.resize(found.len(), Vec::with_capacity(path.len()));
        for (all, one) in answers.iter_mut().zip(found) {
            all.push(one);
        }
    }
    Ok(PathAnswers { answers, times })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where no voxel lies in the middle of the sheet, each of its largest balls lies nearer to one side.
    #[test]
    fn balls_between_two_sides_push_neither_way_on_any_grid() {
        for count in [1000.0, 2000.0, 4000.0, 8000.0] {
            let EngineSolid::Balls(trees) = EngineFamily::Spheres
                .part(QualityScene::Sheet, true, count)
                .unwrap()
            else {
                panic!("no balls");
            };
            let balls = trees[0].balls();
            let largest = balls.iter().fold(0.0_f64, |r, ball| r.max(ball.radius));
            let sides = trees[0].surfaces().iter().zip(balls);
            let mut count = 0;
            for (surface, ball) in sides.filter(|(_, ball)| ball.radius > 0.99 * largest) {
                let cone = &surface.cone;
                // At the rim the side faces take part, and with them all around.
                assert!(
                    cone.half_angle >= std::f64::consts::FRAC_PI_2,
                    "{ball:?}: {cone:?}"
                );
                count += 1;
            }
            assert!(count > 0);
        }
    }
}
