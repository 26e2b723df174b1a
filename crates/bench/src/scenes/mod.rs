//! Deforming scenes, recorded once and kept: what engines for deforming scenes are measured on.
//!
//! Cloth is simulated by a small solver of our own (`solver`), solids move by rule, stress scenes by formula
//! ([`impinge::generate::MOVING_SCENES`]). Scenes with contacts come in two versions: one in which no two faces meet in any
//! frame, which is verified face by face with the exact test and not assumed, and one in which surfaces pass through each other.

mod avatar;
mod cloth_mesh;
mod cloth_recording;
mod cloth_scenes;
mod cloth_solver;
mod obstacle;
mod sequence;
mod solids;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use impinge::DVec3;
use impinge::generate::{MOVING_SCENES, moving_scene};
use impinge::io::{FileNumbers, Model, Part};

use crate::engines::target;
use crate::folders::create;
use crate::{Bar, Bars};
use sequence::{RecordingNotes, meeting, rounded};
pub(crate) use sequence::{Sequence, SequenceFaces};

/// Changed whenever a stress scene would come out otherwise.
const STRESS_VERSION: u32 = 2;
/// Every scene begins with this.
const SEED: u64 = 2015;

/// How a scene is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Making {
    /// Verified to be free of intersections in every frame.
    pub(crate) is_free: bool,
    /// A few hundred faces and few frames, for tests.
    pub(crate) is_small: bool,
    pub(crate) seed: u64,
}

impl Making {
    /// Columns and rows of coarse cloth.
    fn cells(&self, columns: usize, rows: usize) -> (usize, usize) {
        if self.is_small {
            (columns.div_ceil(6), rows.div_ceil(6))
        } else {
            (columns, rows)
        }
    }

    /// Seconds from frame to frame: few frames must get as far as many.
    fn seconds(&self, seconds: f64) -> f64 {
        if self.is_small {
            4.0 * seconds
        } else {
            seconds
        }
    }

    fn frames(&self, frames: usize) -> usize {
        if self.is_small {
            frames.min(20)
        } else {
            frames
        }
    }
}

type Make = fn(&Making, &mut dyn FnMut(usize, usize)) -> anyhow::Result<Sequence>;

/// A scene that can be made by name.
#[derive(Clone, Copy, Debug)]
struct Recipe {
    name: &'static str,
    about: &'static str,
    make: Make,
    /// Changed whenever the scene would come out otherwise.
    version: u32,
}

const RECIPES: [Recipe; 8] = [
    Recipe {
        name: "tablecloth",
        about: "a tablecloth falls on a table",
        make: cloth_scenes::tablecloth,
        version: 2,
    },
    Recipe {
        name: "cloth-on-ball",
        about: "cloth falls on a ball that turns",
        make: cloth_scenes::cloth_on_ball,
        version: 2,
    },
    Recipe {
        name: "funnel",
        about: "a growing ball pushes cloth into a funnel",
        make: cloth_scenes::funnel,
        version: 2,
    },
    Recipe {
        name: "dressed-avatar",
        about: "a mannequin in a long dress walks",
        make: avatar::dressed_avatar,
        version: 2,
    },
    Recipe {
        name: "swirling-cloth",
        about: "cloth hangs from a bar that turns and grows short",
        make: cloth_scenes::swirling_cloth,
        version: 3,
    },
    Recipe {
        name: "crumpling-sheet",
        about: "a sheet is crumpled into a ball",
        make: cloth_scenes::crumpling_sheet,
        version: 2,
    },
    Recipe {
        name: "expanding-balls",
        about: "eight balls grow, and turn back where they meet",
        make: solids::expanding_balls,
        version: 2,
    },
    Recipe {
        name: "breaking-solid",
        about: "a block breaks into 8 pieces and then into 64",
        make: solids::breaking_solid,
        version: 2,
    },
];

/// A scene by name and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SceneName {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// None for stress scenes, of which there is one version.
    pub(crate) is_free: Option<bool>,
}

impl SceneName {
    fn recipe(&self) -> Option<&'static Recipe> {
        let is_wanted = |recipe: &&Recipe| self.is_free.is_some() && recipe.name == self.name;
        RECIPES.iter().find(is_wanted)
    }

    fn version(&self) -> u32 {
        self.recipe()
            .map_or(STRESS_VERSION, |recipe| recipe.version)
    }

    /// As people write it.
    pub(crate) fn text(&self) -> String {
        match self.is_free {
            Some(true) => format!("{}/free", self.name),
            Some(false) => format!("{}/crossing", self.name),
            None => format!("stress/{}", self.name),
        }
    }
}

/// All scenes: recorded ones in both versions, then those for stress.
pub(crate) fn all() -> Vec<SceneName> {
    let recorded = RECIPES.iter().flat_map(|recipe| {
        [true, false].map(|is_free| SceneName {
            name: recipe.name,
            about: recipe.about,
            is_free: Some(is_free),
        })
    });
    let stress = MOVING_SCENES.iter().map(|kind| SceneName {
        name: kind.name,
        about: kind.about,
        is_free: None,
    });
    recorded.chain(stress).collect()
}

/// The scene, from its file or made anew; progress on standard error.
pub(crate) fn load(scene: &SceneName, is_small: bool) -> anyhow::Result<Sequence> {
    let folder = target().join("scenes");
    // Scenes that are there are only read.
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let size = if is_small { "-small" } else { "" };
    let path = folder.join(format!("{}{size}.seq", scene.text().replace('/', "-")));
    let version = scene.version();
    let key = format!("{} version {version} seed {SEED}{size}", scene.text());
    match Sequence::load(&path, &key) {
        Ok(sequence) => return Ok(sequence),
        Err(error) if path.exists() => eprintln!("{}: {error}; made anew", path.display()),
        Err(_) => {}
    }
    let clock = Instant::now();
    let sequence = make(scene, is_small, &mut |done, of| {
        eprint!(
            "\r{}: frame {done} of {of}, {:.0} s ",
            scene.text(),
            clock.elapsed().as_secs_f64()
        );
        let _ = std::io::stderr().flush();
    })?;
    eprintln!();
    sequence.save(&path, &key)?;
    Ok(sequence)
}

/// The scene, made.
fn make(
    scene: &SceneName,
    is_small: bool,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let Some(is_free) = scene.is_free else {
        return stress(scene.name, is_small, told);
    };
    let Some(recipe) = scene.recipe() else {
        bail!("no scene is called {}", scene.name);
    };
    let making = Making {
        is_free,
        is_small,
        seed: SEED,
    };
    (recipe.make)(&making, told).with_context(|| scene.text())
}

/// A scene that moves by formula, recorded.
fn stress(
    name: &str,
    is_small: bool,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let kind = moving_scene(name).context("no such scene")?;
    let faces = if is_small {
        kind.default_faces / 10
    } else if name == "all-overlapping" || name == "chazelle-pair" {
        // Contacts grow with the square.
        kind.default_faces
    } else {
        4 * kind.default_faces
    };
    let clock = Instant::now();
    let scene = kind.make(Some(faces), SEED)?;
    let mut topology = SequenceFaces::default();
    let mut vertices = 0;
    for (object, part) in (0..).zip(scene.parts()) {
        topology
            .faces
            .extend(part.mesh.faces().iter().map(|f| f.map(|v| v + vertices)));
        topology.object_of_face.resize(topology.faces.len(), object);
        vertices += part.mesh.vertex_count() as u32;
    }
    let count = if is_small { 20 } else { kind.default_frames };
    let mut frames = Vec::new();
    let mut notes = RecordingNotes::default();
    for k in 0..count {
        let time = k as f64 / (count - 1) as f64;
        let positions: Vec<_> = scene.positions(time).into_iter().map(rounded).collect();
        if k % 10 == 0 {
            notes.most_pairs = notes
                .most_pairs
                .max(meeting(&positions, &topology.faces)?.len());
        }
        frames.push(positions);
        told(frames.len(), count);
    }
    Ok(Sequence::unbroken(topology, frames, notes, clock))
}

/// List the deforming scenes, and make those that are wanted
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scenes to make: names, parts of names, or `all`; none lists them
    names: Vec<String>,
    /// A few hundred faces and few frames
    #[arg(long)]
    small: bool,
    /// Write the frames as numbered OBJ files, objects as parts, for `impinge deform`: a folder for each scene, and within it one for each stretch of frames with the same faces
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
}

/// `impinge-bench scenes`
pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    if args.names.is_empty() {
        for scene in all() {
            println!("{:<32} {}", scene.text(), scene.about);
        }
        println!(
            "\n`impinge-bench scenes all` makes them; they are kept in {}.",
            target().join("scenes").display()
        );
        return Ok(Bar::Met);
    }
    let is_wanted = |scene: &SceneName| {
        let text = scene.text();
        args.names
            .iter()
            .any(|name| name == "all" || text.contains(name.as_str()))
    };
    let chosen: Vec<SceneName> = all().into_iter().filter(is_wanted).collect();
    if chosen.is_empty() {
        bail!("no scene is called like that; without names they are listed");
    }
    println!(
        "{:<32} {:>8} {:>8} {:>7} {:>8} {:>10} {:>8} {:>8}",
        "scene", "faces", "vertices", "frames", "objects", "most pairs", "stalled", "seconds"
    );
    let mut is_moving = true;
    let mut crossing = Vec::new();
    for scene in chosen {
        let sequence = load(&scene, args.small)?;
        let (_, faces) = sequence.face_counts();
        let objects = sequence
            .topologies
            .iter()
            .map(|t| t.object_of_face.iter().max().map_or(0, |m| m + 1))
            .max()
            .unwrap_or(0);
        let notes = &sequence.notes;
        println!(
            "{:<32} {faces:>8} {:>8} {:>7} {objects:>8} {:>10} {:>8} {:>8.1}",
            scene.text(),
            sequence.frames.last().map_or(0, Vec::len),
            sequence.frames.len(),
            if notes.is_free {
                "verified 0".to_owned()
            } else {
                notes.most_pairs.to_string()
            },
            notes.stalled,
            notes.seconds
        );
        // A scene that mostly stands still measures nothing.
        is_moving &= 10 * notes.stalled <= sequence.frames.len();
        if scene.is_free == Some(false) {
            crossing.push(notes.most_pairs > 0);
        }
        if let Some(folder) = &args.export {
            export(&sequence, &folder.join(scene.text().replace('/', "-")))?;
        }
    }
    let mut bars = Bars::default();
    bars.say(
        Bar::every([is_moving]),
        "at most a tenth of the frames of any scene stand still",
    );
    if !crossing.is_empty() {
        bars.say(
            Bar::every(crossing),
            "faces meet in every scene that is to have crossings",
        );
    }
    Ok(bars.end())
}

/// Numbered OBJ files whose parts are the objects, so that pairs are labelled when they are played. Faces that change make several sequences, each in a
/// folder called after its first frame.
fn export(sequence: &Sequence, folder: &Path) -> anyhow::Result<()> {
    use impinge::io::{WriteOptions, write};
    for (k, topology) in sequence.topologies.iter().enumerate() {
        let end = sequence
            .topologies
            .get(k + 1)
            .map_or(sequence.frames.len(), |next| next.first_frame);
        let folder = if sequence.topologies.len() == 1 {
            folder.to_owned()
        } else {
            folder.join(format!("from-{:04}", topology.first_frame))
        };
        create(&folder)?;
        let frames = sequence.frames.iter().enumerate().take(end);
        for (frame, positions) in frames.skip(topology.first_frame) {
            write(
                folder.join(format!("frame{frame:04}.obj")),
                &parted(positions, topology)?,
                &WriteOptions::default(),
            )?;
        }
        println!("  `impinge deform {}` plays it", folder.display());
    }
    Ok(())
}

/// A frame with its objects as parts. Faces and vertices keep their numbers.
fn parted(positions: &[DVec3], topology: &SequenceFaces) -> anyhow::Result<Model> {
    let mut objects = topology.object_of_face.clone();
    objects.sort_unstable();
    objects.dedup();
    if objects.len() <= 1 {
        let mesh = impinge::TriMesh::new(positions.to_vec(), topology.faces.clone())?;
        return Ok(Model::from(mesh));
    }
    let mut parts = Vec::new();
    let mut is_used = vec![false; positions.len()];
    for object in objects {
        let own = |(_, of): &(u32, &u32)| **of == object;
        let faces: Vec<u32> = (0..)
            .zip(&topology.object_of_face)
            .filter(own)
            .map(|(face, _)| face)
            .collect();
        let corners = |&face: &u32| topology.faces[face as usize];
        let mut vertices: Vec<u32> = faces.iter().flat_map(corners).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |v: u32| vertices.partition_point(|&other| other < v) as u32;
        let mesh = impinge::TriMesh::new(
            vertices.iter().map(|&v| positions[v as usize]).collect(),
            faces.iter().map(|face| corners(face).map(place)).collect(),
        )?;
        for &v in &vertices {
            is_used[v as usize] = true;
        }
        parts.push(Part {
            numbers: Some(FileNumbers { faces, vertices }),
            ..Part::new(format!("object {object}"), mesh)
        });
    }
    let loose = (0..).zip(positions).zip(is_used);
    Ok(Model {
        loose_vertices: loose
            .filter(|(_, is_used)| !is_used)
            .map(|((number, &p), _)| (number, p))
            .collect(),
        ..Model::from(parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scenes_keep_their_promises() {
        for scene in all() {
            let sequence = make(&scene, true, &mut |_, _| {}).unwrap();
            let text = scene.text();
            assert!(sequence.frames.len() >= 20, "{text}");
            for (k, frame) in sequence.frames.iter().enumerate() {
                let topology = sequence.topology(k);
                assert_eq!(
                    topology.faces.len(),
                    topology.object_of_face.len(),
                    "{text}"
                );
                assert!(frame.iter().all(|p| p.is_finite()), "{text} frame {k}");
                let used = topology.faces.iter().flatten().max().copied().unwrap_or(0);
                assert_eq!(used as usize + 1, frame.len(), "{text} frame {k}");
                if scene.is_free == Some(true) {
                    assert!(
                        meeting(frame, &topology.faces).unwrap().is_empty(),
                        "{text} frame {k}"
                    );
                }
            }
            if scene.is_free == Some(false) {
                assert!(sequence.notes.most_pairs > 0, "{text}");
                let last = sequence.frames.len() - 1;
                let is_crossed = |k: usize| {
                    let faces = &sequence.topology(k).faces;
                    !meeting(&sequence.frames[k], faces).unwrap().is_empty()
                };
                assert!((0..=last).any(is_crossed), "{text}");
            }
        }
    }

    #[test]
    fn a_scene_is_the_same_every_time_and_survives_its_file() {
        let scene = all()[0];
        let first = make(&scene, true, &mut |_, _| {}).unwrap();
        let second = make(&scene, true, &mut |_, _| {}).unwrap();
        assert_eq!(first.frames, second.frames);
        let path = std::env::temp_dir().join(format!("impinge-scene-{}.seq", std::process::id()));
        first.save(&path, "key").unwrap();
        assert_eq!(Sequence::load(&path, "key").unwrap(), first);
        assert!(Sequence::load(&path, "other key").is_err());
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(Sequence::load(&path, "key").is_err());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn exported_scenes_are_played_with_their_objects() {
        use impinge::io::{AnimationOptions, open_animation};
        let folder = std::env::temp_dir().join(format!("impinge-export-{}", std::process::id()));
        for name in [
            "expanding-balls/free",
            "breaking-solid/crossing",
            "swirling-cloth/crossing",
        ] {
            let scene = all().into_iter().find(|scene| scene.text() == name);
            let sequence = make(&scene.unwrap(), true, &mut |_, _| {}).unwrap();
            export(&sequence, &folder).unwrap();
            for (k, topology) in sequence.topologies.iter().enumerate() {
                let part = if sequence.topologies.len() == 1 {
                    folder.clone()
                } else {
                    folder.join(format!("from-{:04}", topology.first_frame))
                };
                let mut played = open_animation(&part, &AnimationOptions::default()).unwrap();
                assert_eq!(played.faces(), topology.faces, "{name}");
                // Numbers of objects may differ; which faces belong together may not.
                let mut number = std::collections::BTreeMap::new();
                for (&one, &two) in played.object_of_face().iter().zip(&topology.object_of_face) {
                    assert_eq!(*number.entry(two).or_insert(one), one, "{name}");
                }
                let names: std::collections::BTreeSet<&u32> = number.values().collect();
                assert_eq!(names.len(), number.len(), "{name}");
                let end = sequence
                    .topologies
                    .get(k + 1)
                    .map_or(sequence.frames.len(), |next| next.first_frame);
                assert_eq!(played.frame_count(), end - topology.first_frame, "{name}");
                for frame in [0, played.frame_count() - 1] {
                    let read = played.read_frame(frame).unwrap();
                    assert_eq!(
                        read,
                        sequence.frames[topology.first_frame + frame],
                        "{name}"
                    );
                }
            }
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }
}
