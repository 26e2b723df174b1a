//! Where deforming scenes come from: sequences in files, and built-in scenes.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use impinge::DVec3;
use impinge::generate::{MOVING_SCENES, MovingScene, moving_scene};
use impinge::io::{AnimationOptions, AnimationReader, ReadOptions, open_animation};

use super::args::DeformArgs;
use crate::did_you_mean::did_you_mean;

/// A deforming scene that someone named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MovingSource {
    /// A file, a folder or a pattern.
    Path(PathBuf),
    /// A built-in scene.
    Builtin {
        /// Its name, known to exist.
        name: &'static str,
        /// About how many faces it should have.
        faces: Option<usize>,
        /// How many frames it should have.
        frames: Option<usize>,
        /// For the random ones.
        seed: u64,
    },
}

impl MovingSource {
    /// What built-in scenes are written with.
    const PREFIX: &'static str = "scene:";
}

impl FromStr for MovingSource {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(spec) = text.strip_prefix(Self::PREFIX) else {
            return Ok(Self::Path(text.into()));
        };
        let (name, settings) = spec.split_once('?').unwrap_or((spec, ""));
        let (mut faces, mut frames, mut seed) = (None, None, 1);
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (what, number) = setting.split_once('=').unwrap_or((setting, ""));
            let whole = || {
                number
                    .parse::<u64>()
                    .map_err(|_| anyhow!("{what} must be a whole number, not '{number}'"))
            };
            match what {
                "faces" => faces = Some(whole()? as usize),
                "frames" => frames = Some((whole()? as usize).max(1)),
                "seed" => seed = whole()?,
                _ => bail!("unknown setting '{setting}': a scene has faces=N, frames=N and seed=S"),
            }
        }
        let Some(kind) = moving_scene(name) else {
            let names = MOVING_SCENES.iter().map(|kind| kind.name);
            match did_you_mean(name, names.clone()) {
                Some(near) => bail!("no scene is called '{name}'; did you mean scene:{near}?"),
                None => {
                    let list: Vec<&str> = names.collect();
                    bail!("no scene is called '{name}'; there are {}", list.join(", "))
                }
            }
        };
        Ok(Self::Builtin {
            name: kind.name,
            faces,
            frames,
            seed,
        })
    }
}

impl fmt::Display for MovingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Builtin {
                name,
                faces,
                frames,
                seed,
            } => {
                write!(f, "{}{name}", Self::PREFIX)?;
                let settings = [
                    ("faces", faces.map(|n| n as u64)),
                    ("frames", frames.map(|n| n as u64)),
                    ("seed", (*seed != 1).then_some(*seed)),
                ];
                let mut mark = '?';
                for (what, number) in settings {
                    if let Some(number) = number {
                        write!(f, "{mark}{what}={number}")?;
                        mark = '&';
                    }
                }
                Ok(())
            }
        }
    }
}

/// Faces, and whose each is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FaceObjects {
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) object_of_face: Vec<u32>,
    pub(super) object_names: Vec<String>,
}

/// Faces and frames of a scene, opened.
#[derive(Debug)]
pub(super) struct SceneFrames {
    /// As they were last [accepted](SceneFrames::accept).
    pub(super) faces: FaceObjects,
    pub(super) notes: Vec<String>,
    pub(super) count: usize,
    /// Whether frames may have faces of their own.
    may_change: bool,
    from: FrameSupply,
}

/// A frame, and its faces if these are not those of the last.
#[derive(Debug)]
pub(super) struct ReadFrame {
    pub(super) positions: Vec<DVec3>,
    pub(super) changed: Option<FaceObjects>,
}

#[derive(Debug)]
enum FrameSupply {
    Reader(Box<AnimationReader>),
    Formula(MovingScene),
}

impl SceneFrames {
    pub(super) fn open(args: &DeformArgs) -> anyhow::Result<Self> {
        Ok(match &args.sequence {
            MovingSource::Path(path) => {
                let options = AnimationOptions {
                    read: ReadOptions {
                        scale: args.reading.scale,
                        units: args.reading.units,
                        ..ReadOptions::default()
                    },
                    mesh: args.mesh.clone(),
                    weights: args.weights.clone(),
                    rate_hz: args.rate,
                    clip: args.clip,
                };
                let reader = open_animation(path, &options)?;
                Self {
                    faces: FaceObjects {
                        faces: reader.faces().to_vec(),
                        object_of_face: reader.object_of_face().to_vec(),
                        object_names: reader.object_names().to_vec(),
                    },
                    notes: reader.notes().to_vec(),
                    count: reader.frame_count(),
                    may_change: args.changing_faces,
                    from: FrameSupply::Reader(Box::new(reader)),
                }
            }
            MovingSource::Builtin {
                name,
                faces,
                frames,
                seed,
            } => {
                let kind = moving_scene(name).context("no such scene")?;
                let scene = kind.make(*faces, *seed)?;
                let mut made = FaceObjects::default();
                let mut vertices = 0;
                for (object, part) in (0..).zip(scene.parts()) {
                    let faces = part.mesh.faces().iter();
                    made.faces.extend(faces.map(|f| f.map(|v| v + vertices)));
                    made.object_of_face.resize(made.faces.len(), object);
                    made.object_names.push(part.name.clone());
                    vertices += part.mesh.vertex_count() as u32;
                }
                Self {
                    faces: made,
                    notes: Vec::new(),
                    count: frames.unwrap_or(kind.default_frames),
                    may_change: false,
                    from: FrameSupply::Formula(scene),
                }
            }
        })
    }

    /// The time of a frame, in seconds; for built-in scenes from 0 to 1.
    pub(super) fn time(&self, frame: usize) -> f64 {
        match &self.from {
            FrameSupply::Reader(reader) => reader.time(frame),
            FrameSupply::Formula(_) if self.count < 2 => 0.0,
            FrameSupply::Formula(_) => frame as f64 / (self.count - 1) as f64,
        }
    }

    /// A frame. Faces that changed are to be [accepted](SceneFrames::accept) when the frame is.
    pub(super) fn read(&mut self, frame: usize) -> anyhow::Result<ReadFrame> {
        let time = self.time(frame);
        match &mut self.from {
            FrameSupply::Reader(reader) if self.may_change => {
                let read = reader.read_whole_frame(frame)?;
                let faces = FaceObjects {
                    faces: read.faces,
                    object_of_face: read.object_of_face,
                    object_names: read.object_names,
                };
                Ok(ReadFrame {
                    positions: read.positions,
                    changed: (faces != self.faces).then_some(faces),
                })
            }
            FrameSupply::Reader(reader) => Ok(ReadFrame::still(reader.read_frame(frame)?)),
            FrameSupply::Formula(scene) => Ok(ReadFrame::still(scene.positions(time))),
        }
    }

    /// Takes the faces of a frame for those from now on.
    pub(super) fn accept(&mut self, faces: FaceObjects) {
        self.faces = faces;
    }
}

impl ReadFrame {
    /// With the faces of the last.
    fn still(positions: Vec<DVec3>) -> Self {
        Self {
            positions,
            changed: None,
        }
    }
}

/// The connected piece of each face, numbered as they come.
pub(super) fn pieces(faces: &[[u32; 3]]) -> Vec<u32> {
    let vertices = faces.iter().flatten().max().map_or(0, |&v| v as usize + 1);
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for &[a, b, c] in faces {
        for other in [b, c] {
            let (one, two) = (root(&mut parent, a), root(&mut parent, other));
            // The smaller number stays.
            parent[one.max(two) as usize] = one.min(two);
        }
    }
    let mut numbers: Vec<Option<u32>> = vec![None; vertices];
    let mut count = 0;
    let number_of = |face: &[u32; 3]| {
        let number = &mut numbers[root(&mut parent, face[0]) as usize];
        *number.get_or_insert_with(|| {
            count += 1;
            count - 1
        })
    };
    faces.iter().map(number_of).collect()
}
