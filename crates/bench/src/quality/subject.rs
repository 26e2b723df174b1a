//! The engines that answer with forces, and how a path is asked.

use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use impinge::bvh::wide::WideTree;
use impinge::query::{Limits, PoseGradient};
use impinge::spheres::{MeshSolid, SphereTree, TreeCache, Wrench};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
use impinge::{DVec3, TriMesh};

use super::balls::{filled, index_of};
use super::scene::{Model, Scene, Stamp};
use super::search::Ladder;
use super::times::Times;
use crate::penalty::Penalty;
use crate::thread_clock::thread_time;

/// Segments of round solids where the resolution is that of something else than the mesh.
pub(super) const SEGMENTS: u32 = 96;
/// Balls of a solid at most.
const MOST_BALLS: f64 = 1e6;
const MOST_BALLS_QUICK: f64 = 32_000.0;
/// Voxels of the box around the fixed solid at most.
const MOST_VOXELS: f64 = 2e8;
const MOST_VOXELS_QUICK: f64 = 1.6e7;

/// Force and torque on the moving solid, about the place where they are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
}

impl Answer {
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

impl From<Wrench> for Answer {
    fn from(wrench: Wrench) -> Self {
        Self {
            force: wrench.force,
            torque: wrench.torque,
        }
    }
}

/// A way to make a force, and the model by which it is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) model: Model,
}

/// Engines that share a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Family {
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
pub(super) enum Part {
    Volume(Box<VolumeIndex>),
    /// The fixed and the moving solid.
    Faces(Box<[WideTree; 2]>),
    /// What one depth may cost.
    Tests(u64),
    /// Without and with gaps.
    Balls(Box<[SphereTree; 2]>),
    Map(Box<Voxmap>),
    Shell(Box<Pointshell>),
}

/// The answers along a path: for each rule, for each place.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) answers: Vec<Vec<Answer>>,
    /// Each place was asked twice.
    pub(super) times: Times,
}

impl Family {
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

    pub(super) fn rules(self) -> &'static [Rule] {
        match self {
            Self::Exact => &[
                Rule {
                    name: "exact volume, along its slope",
                    model: Model::Volume,
                },
                Rule {
                    name: "exact volume, its slope",
                    model: Model::Slope,
                },
            ],
            Self::Depth => &[Rule {
                name: "penalty by mesh depth",
                model: Model::Depth,
            }],
            Self::Spheres => &[
                Rule {
                    name: "inner spheres, symmetric cones",
                    model: Model::Volume,
                },
                Rule {
                    name: "inner spheres, cones as published",
                    model: Model::Volume,
                },
                Rule {
                    name: "inner spheres, lens gradient",
                    model: Model::Slope,
                },
            ],
            Self::Gaps => &[
                Rule {
                    name: "inner spheres, gaps counted",
                    model: Model::Volume,
                },
                Rule {
                    name: "inner spheres, slope with gaps",
                    model: Model::Slope,
                },
            ],
            Self::Voxmap => &[
                Rule {
                    name: "voxmap and pointshell",
                    model: Model::Depth,
                },
                Rule {
                    name: "voxmap and pointshell, by volume",
                    model: Model::Volume,
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
    pub(super) fn ladder(self, scene: Scene, is_full: bool) -> anyhow::Result<Ladder> {
        let either = |quick: f64, full: f64| if is_full { full } else { quick };
        Ok(match self {
            Self::Exact => Ladder {
                first: [12.0; 2],
                most: [either(1536.0, 3072.0); 2],
                factor: 2.0,
            },
            Self::Depth => Ladder {
                first: [12.0, 1000.0],
                most: [96.0, 256_000.0],
                factor: 2.0,
            },
            Self::Spheres | Self::Gaps => Ladder {
                first: [2000.0; 2],
                most: [either(MOST_BALLS_QUICK, MOST_BALLS); 2],
                factor: 2.0,
            },
            Self::Voxmap => {
                let size = |mesh: &TriMesh| mesh.bounds().diagonal();
                let moving = size(&scene.moving(SEGMENTS)?).max_element();
                let fixed = size(&scene.fixed(SEGMENTS)?) / moving;
                let voxels = either(MOST_VOXELS_QUICK, MOST_VOXELS);
                let along = (voxels / fixed.element_product()).cbrt().floor();
                Ladder {
                    first: [30.0, 20.0],
                    most: [either(600.0, 1200.0), along.clamp(60.0, 640.0)],
                    factor: 1.5,
                }
            }
        })
    }

    /// The moving or the fixed solid of a scene at a resolution.
    pub(super) fn part(
        self,
        scene: Scene,
        is_fixed: bool,
        resolution: f64,
    ) -> anyhow::Result<Part> {
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
                Part::Volume(Box::new(VolumeIndex::new(Arc::new(mesh))?))
            }
            Self::Depth if is_fixed => Part::Tests(resolution.round() as u64),
            Self::Depth => {
                let segments = resolution.round() as u32;
                let both = [scene.fixed(segments)?, scene.moving(segments)?];
                let both = both.map(|mesh| WideTree::new(Arc::new(mesh)));
                Part::Faces(Box::new(both))
            }
            Self::Spheres | Self::Gaps => {
                let index = index_of(scene, is_fixed)?;
                let solid = MeshSolid::new(&index)?;
                Part::Balls(Box::new(filled(&solid, resolution)?.trees))
            }
            Self::Voxmap if is_fixed => {
                let side = longest(&scene.moving(SEGMENTS)?) / resolution;
                let mesh = mesh(SEGMENTS)?;
                let along = (longest(&mesh) / side).round() as u32;
                Part::Map(Box::new(Voxmap::new(&mesh, along)?))
            }
            Self::Voxmap => {
                let shell = Pointshell::new(&mesh(SEGMENTS)?, resolution.round() as u32)?;
                Part::Shell(Box::new(shell))
            }
        })
    }
}

/// Asks all places of a path. `length` makes torques comparable with forces.
pub(super) fn ask(
    family: Family,
    fixed: &Part,
    moving: &Part,
    path: &[Stamp],
    length: f64,
) -> anyhow::Result<Run> {
    let none = Limits::default();
    match (fixed, moving) {
        (Part::Volume(fixed), Part::Volume(moving)) => {
            let mut cache = OverlapCache::default();
            walk(path, |stamp| {
                let found = fixed.overlap(moving, &stamp.pose, none, &mut cache)?.value;
                let slope = Answer::against(stamp.about, &found.gradient);
                let sized = Answer::sized(stamp.about, &found.gradient, found.volume, length);
                Ok(vec![sized, slope])
            })
        }
        (Part::Tests(most), Part::Faces(both)) => {
            let [fixed, moving] = both.as_ref();
            let mut penalty = Penalty::new(fixed, moving, *most)?;
            walk(path, |stamp| {
                let answer = penalty.at(&stamp.pose).value.and_then(|deep| {
                    let force = deep.normal()? * deep.depth;
                    let torque = (deep.point_b - stamp.about).cross(force);
                    Some(Answer { force, torque })
                });
                Ok(vec![answer.unwrap_or_default()])
            })
        }
        (Part::Balls(fixed), Part::Balls(moving)) if family == Family::Gaps => {
            let ([_, fixed], [_, moving]) = (fixed.as_ref(), moving.as_ref());
            let mut cache = TreeCache::default();
            walk(path, |stamp| {
                let found = fixed.overlap(moving, &stamp.pose, none, &mut cache);
                let slope = Answer::against(stamp.about, &found.value_gradient);
                let sized = Answer::sized(stamp.about, &found.value_gradient, found.value, length);
                Ok(vec![sized, slope])
            })
        }
        (Part::Balls(fixed), Part::Balls(moving)) => {
            let ([fixed, _], [moving, _]) = (fixed.as_ref(), moving.as_ref());
            let mut cache = TreeCache::default();
            walk(path, |stamp| {
                let found = fixed.overlap(moving, &stamp.pose, none, &mut cache);
                Ok(vec![
                    found.cones.push.about(stamp.about).into(),
                    found.cones.published_on_b.about(stamp.about).into(),
                    Answer::against(stamp.about, &found.gradient),
                ])
            })
        }
        (Part::Map(fixed), Part::Shell(moving)) => {
            let query = VoxmapQuery::new(fixed, moving);
            let limits = Limits {
                max_distance: Some(0.0),
                ..none
            };
            walk(path, |stamp| {
                let found = query.at(&stamp.pose, limits);
                let answer = Answer {
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
    path: &[Stamp],
    mut ask: impl FnMut(&Stamp) -> anyhow::Result<Vec<Answer>>,
) -> anyhow::Result<Run> {
    let mut answers: Vec<Vec<Answer>> = Vec::new();
    let mut times = Times::default();
    for stamp in path {
        let mut askings = [0.0; 2];
        let mut found = Vec::new();
        for asking in &mut askings {
            let before = thread_time();
            let start = Instant::now();
            found = ask(stamp)?;
            *asking = start.elapsed().as_secs_f64() * 1e3;
            let spent = before.zip(thread_time());
            let spent = spent.map(|(before, after)| after.saturating_sub(before));
            times.push_processor(spent.map(|time| time.as_secs_f64() * 1e3));
        }
        times.push(&askings);
        answers.resize(found.len(), Vec::with_capacity(path.len()));
        for (all, one) in answers.iter_mut().zip(found) {
            all.push(one);
        }
    }
    Ok(Run { answers, times })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where no voxel lies in the middle of the sheet, each of its largest balls lies nearer to one side.
    #[test]
    fn balls_between_two_sides_push_neither_way_on_any_grid() {
        for count in [1000.0, 2000.0, 4000.0, 8000.0] {
            let Part::Balls(trees) = Family::Spheres.part(Scene::Sheet, true, count).unwrap()
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
