//! An open animation; frames are read on demand.

use std::path::{Path, PathBuf};

use glam::DVec3;

use super::super::error::{FilePlace, ReadError};
use super::super::format::{Format, extension};
use super::super::gltf::{AnimatedScene, open_animated};
use super::super::model::Model;
use super::super::read::{ReadOptions, factor_of, open, read};
use super::super::text;
use super::error::AnimationError;
use super::numbered::{self, NumberedFiles};
use super::point_cache::PointCache;
use super::sequence::AnimationFrame;
use super::skinned::Skinned;

/// How to read an animation.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationOptions {
    /// How meshes are read; scale and units hold for the moved vertices too.
    pub read: ReadOptions,
    /// The mesh that a PC2, MDD or DMAT file moves; found beside it when not given.
    pub mesh: Option<PathBuf>,
    /// The skinning weights of a DMAT animation; found beside it when not given.
    pub weights: Option<PathBuf>,
    /// Frames per second, for files that count frames instead of storing times, and for sampling
    /// glTF.
    pub rate_hz: f64,
    /// Which animation of a glTF file, counted from 0.
    pub clip: usize,
}

impl Default for AnimationOptions {
    /// Twenty-four frames in a second, the first clip, files found beside the animation.
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            mesh: None,
            weights: None,
            rate_hz: 24.0,
            clip: 0,
        }
    }
}

/// An opened animation: faces now, frames when requested.
#[derive(Debug)]
pub struct AnimationReader {
    faces: Vec<[u32; 3]>,
    object_of_face: Vec<u32>,
    object_names: Vec<String>,
    vertex_count: usize,
    factor: f64,
    rate_hz: f64,
    notes: Vec<String>,
    source: AnimationSource,
}

/// What knows where vertices are.
#[derive(Debug)]
enum AnimationSource {
    Still(Vec<DVec3>),
    Numbered(Box<NumberedFiles>),
    PointCache(PointCache),
    Skinned(Box<Skinned>),
    Scene(Box<AnimatedScene>),
}

/// The animation at a path, opened: a folder of numbered meshes, a pattern of their names, or a file.
///
/// # Errors
/// [`AnimationError`] when nothing there is a sequence, or when what holds for all frames is damaged.
///
/// ```
/// use impinge::io::{AnimationOptions, open_animation};
/// assert!(open_animation("nowhere.pc2", &AnimationOptions::default()).is_err());
/// ```
pub fn open_animation(
    path: impl AsRef<Path>,
    options: &AnimationOptions,
) -> Result<AnimationReader, AnimationError> {
    let path = path.as_ref();
    if !(options.rate_hz > 0.0 && options.rate_hz.is_finite()) {
        let why = format!(
            "the rate must be a positive number, not {}",
            options.rate_hz
        );
        return Err(AnimationError::no_sequence(path, why));
    }
    if path.is_dir() {
        let inner = path.join("frames");
        let folder = if inner.is_dir() { &inner } else { path };
        return numbered_in(numbered::in_folder(folder)?, options);
    }
    if let (false, Some(pattern)) = (path.exists(), numbered::pattern(path)) {
        return numbered_in(pattern.files()?, options);
    }
    match extension(path).as_deref() {
        Some(kind @ ("pc2" | "mdd")) => {
            let (model, notes) = mesh_beside(path, options, &[""])?;
            let cache = PointCache::open(path, kind == "mdd", options.rate_hz)
                .map_err(|e| e.in_file(path))?;
            cache.check_times()?;
            let reader =
                AnimationReader::of(model, AnimationSource::PointCache(cache), options, notes)?;
            reader.agrees(path)
        }
        Some("dmat") => {
            let (model, notes) = mesh_beside(path, options, &["-anim", "_anim", ""])?;
            let weights = weights_beside(path, options)?;
            let rest = model.merged().0.positions().to_vec();
            let skinned = Skinned::open(path, &weights, rest)?;
            AnimationReader::of(
                model,
                AnimationSource::Skinned(Box::new(skinned)),
                options,
                notes,
            )
        }
        _ => one_file(path, options),
    }
}

/// glTF with what moves in it, or any mesh as a single frame.
fn one_file(path: &Path, options: &AnimationOptions) -> Result<AnimationReader, AnimationError> {
    let opened = open(path, &options.read).map_err(|e| e.in_file(path))?;
    if matches!(opened.format, Format::Gltf | Format::Glb) {
        let scene = open_animated(
            opened.bytes,
            opened.format == Format::Glb,
            path.parent(),
            options.read.max_expanded_bytes,
            options.clip,
        )
        .map_err(|e| e.in_format(opened.format).in_file(path))?;
        if scene.is_moving() {
            return Ok(AnimationReader {
                faces: scene.faces().to_vec(),
                object_of_face: scene.object_of_face().to_vec(),
                object_names: scene.object_names().to_vec(),
                vertex_count: scene.vertex_count(),
                factor: factor_of(&options.read)?,
                rate_hz: options.rate_hz,
                notes: scene.notes().to_vec(),
                source: AnimationSource::Scene(Box::new(scene)),
            });
        }
    }
    let model = read(path, &options.read)?;
    let note = "nothing moves in this file: it is a sequence of one frame; a sequence is a folder of numbered meshes, a pattern such as cloth-*.obj, a PC2 or MDD file, or an animated glTF";
    let mut notes = model.notes.clone();
    notes.push(note.to_owned());
    let still = model.merged().0.positions().to_vec();
    AnimationReader::of(model, AnimationSource::Still(still), options, notes)
}

fn numbered_in(
    files: Vec<PathBuf>,
    options: &AnimationOptions,
) -> Result<AnimationReader, AnimationError> {
    let first = files.first().cloned().unwrap_or_default();
    let model = read(&first, &options.read).map_err(|e| AnimationError::frame(0, e))?;
    let notes = model.notes.clone();
    let (mesh, _) = model.merged();
    let numbered = NumberedFiles::new(files, &mesh, options.read);
    AnimationReader::of(
        model,
        AnimationSource::Numbered(Box::new(numbered)),
        options,
        notes,
    )
}

/// The mesh that was given, or the first that lies beside the file with its name but for one of these endings.
fn mesh_beside(
    path: &Path,
    options: &AnimationOptions,
    endings: &[&str],
) -> Result<(Model, Vec<String>), AnimationError> {
    let found = match &options.mesh {
        Some(mesh) => mesh.clone(),
        None => beside(path, endings, &["obj", "ply", "off", "glb", "gltf"]).ok_or_else(|| {
            AnimationError::no_sequence(
                path,
                "this file holds positions but no faces; say which mesh it moves (--mesh FILE), or put it beside the file under the same name",
            )
        })?,
    };
    let model = read(&found, &options.read)?;
    let mut notes = model.notes.clone();
    if options.mesh.is_none() {
        notes.push(format!("the mesh is {}", found.display()));
    }
    Ok((model, notes))
}

fn weights_beside(path: &Path, options: &AnimationOptions) -> Result<PathBuf, AnimationError> {
    if let Some(weights) = &options.weights {
        return Ok(weights.clone());
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let base = stem.trim_end_matches("-anim").trim_end_matches("_anim");
    ["-weights", "_weights"]
        .iter()
        .map(|ending| path.with_file_name(format!("{base}{ending}.dmat")))
        .find(|found| found.is_file())
        .ok_or_else(|| {
            AnimationError::no_sequence(
                path,
                format!("there are no skinning weights: {base}-weights.dmat is not beside it, and none were given"),
            )
        })
}

fn beside(path: &Path, endings: &[&str], extensions: &[&str]) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let stems = endings
        .iter()
        .filter_map(|ending| stem.strip_suffix(ending));
    stems
        .flat_map(|stem| {
            extensions
                .iter()
                .map(move |extension| path.with_file_name(format!("{stem}.{extension}")))
        })
        .find(|found| found.is_file())
}

impl AnimationReader {
    fn of(
        model: Model,
        source: AnimationSource,
        options: &AnimationOptions,
        notes: Vec<String>,
    ) -> Result<Self, AnimationError> {
        let (mesh, object_of_face) = model.merged();
        Ok(Self {
            faces: mesh.faces().to_vec(),
            object_of_face,
            object_names: model.parts.into_iter().map(|part| part.name).collect(),
            vertex_count: mesh.vertex_count(),
            factor: factor_of(&options.read)?,
            rate_hz: options.rate_hz,
            notes,
            source,
        })
    }

    /// Itself, if the cache moves as many vertices as the mesh has.
    fn agrees(self, path: &Path) -> Result<Self, AnimationError> {
        match &self.source {
            AnimationSource::PointCache(cache) if cache.points() != self.vertex_count => {
                Err(AnimationError::VertexCount {
                    frame: 0,
                    path: Some(path.to_owned()),
                    expected: self.vertex_count,
                    found: cache.points(),
                })
            }
            _ => Ok(self),
        }
    }

    /// Vertex numbers of each face.
    ///
    /// ```
    /// use impinge::io::{AnimationOptions, open_animation};
    /// let file = std::env::temp_dir().join(format!("impinge-doc-still-{}.obj", std::process::id()));
    /// std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
    /// let mut still = open_animation(&file, &AnimationOptions::default())?;
    /// assert_eq!((still.faces(), still.object_of_face()), ([[0, 1, 2]].as_slice(), [0].as_slice()));
    /// assert_eq!((still.frame_count(), still.vertex_count(), still.time(0)), (1, 3, 0.0));
    /// assert_eq!(still.object_names(), [""]);
    /// assert!(still.notes()[0].contains("one frame"));
    /// assert_eq!(still.read_frame(0)?[1].x, 1.0);
    /// assert!(still.read_frame(1).is_err());
    /// std::fs::remove_file(&file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// For each face, the number of the object it belongs to.
    #[must_use]
    pub fn object_of_face(&self) -> &[u32] {
        &self.object_of_face
    }

    /// What the objects are called; empty where the file gives no name.
    #[must_use]
    pub fn object_names(&self) -> &[String] {
        &self.object_names
    }

    /// How many vertices each frame has.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// How many frames there are; of a file that was cut off, the first that is not whole is counted and refused, and those after it are not counted.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        match &self.source {
            AnimationSource::Still(_) => 1,
            AnimationSource::Numbered(numbered) => numbered.len(),
            AnimationSource::PointCache(cache) => cache.frames(),
            AnimationSource::Skinned(skinned) => skinned.frames(),
            AnimationSource::Scene(scene) => scene.frames(self.rate_hz),
        }
    }

    /// The time of a frame, in seconds; files that count frames are played at the rate of the options.
    #[must_use]
    pub fn time(&self, frame: usize) -> f64 {
        match &self.source {
            AnimationSource::PointCache(cache) => cache.time(frame),
            AnimationSource::Scene(scene) => scene.time(frame, self.rate_hz),
            _ => frame as f64 / self.rate_hz,
        }
    }

    /// What was skipped or guessed, one sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A frame with its faces, which of numbered meshes may be others than in the first frame; all other animations have one set of faces.
    ///
    /// # Errors
    /// [`AnimationError`] with the frame and what is wrong with it; other frames can still be read.
    ///
    /// ```
    /// use impinge::io::{AnimationOptions, open_animation};
    /// let folder = std::env::temp_dir().join(format!("impinge-doc-breaking-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("part0.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 3 2 4\n")?;
    /// std::fs::write(folder.join("part1.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
    /// let mut breaking = open_animation(&folder, &AnimationOptions::default())?;
    /// assert!(breaking.read_frame(1).is_err());
    /// assert_eq!(breaking.read_whole_frame(1)?.faces, [[0, 1, 2]]);
    /// assert_eq!(breaking.read_whole_frame(0)?.faces, breaking.faces());
    /// std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_whole_frame(&mut self, frame: usize) -> Result<AnimationFrame, AnimationError> {
        if let AnimationSource::Numbered(numbered) = &self.source {
            return numbered.read_whole(frame);
        }
        Ok(AnimationFrame {
            positions: self.read_frame(frame)?,
            faces: self.faces.clone(),
            object_of_face: self.object_of_face.clone(),
            object_names: self.object_names.clone(),
        })
    }

    /// The vertices of a frame; frames may be requested in any order.
    ///
    /// # Errors
    /// [`AnimationError`] with the frame and what is wrong with it; other frames can still be read.
    pub fn read_frame(&mut self, frame: usize) -> Result<Vec<DVec3>, AnimationError> {
        let frames = self.frame_count();
        if frame >= frames {
            return Err(AnimationError::NoFrame { frame, frames });
        }
        let mut points = match &mut self.source {
            AnimationSource::Still(points) => return Ok(points.clone()),
            // Files are scaled as they are read.
            AnimationSource::Numbered(numbered) => return numbered.read(frame),
            AnimationSource::PointCache(cache) => cache
                .read(frame)
                .map_err(|e| AnimationError::frame(frame, e))?,
            // The rest shape is scaled; the bones are not.
            AnimationSource::Skinned(skinned) => skinned.pose(frame, self.factor),
            AnimationSource::Scene(scene) => {
                let time = scene.time(frame, self.rate_hz);
                scene
                    .pose(time)
                    .map_err(|e| AnimationError::frame(frame, e))?
            }
        };
        let is_scaled = !matches!(self.source, AnimationSource::Skinned(_));
        if is_scaled && self.factor != 1.0 {
            for p in &mut points {
                *p *= self.factor;
            }
        }
        for (vertex, &p) in points.iter().enumerate() {
            let place = match &self.source {
                AnimationSource::PointCache(cache) => FilePlace::Byte(cache.place(frame, vertex)),
                _ => FilePlace::Whole,
            };
            text::checked(p, vertex, place).map_err(|e| {
                let error: ReadError = match &self.source {
                    AnimationSource::PointCache(cache) => e.in_file(cache.path()),
                    _ => e,
                };
                AnimationError::frame(frame, error)
            })?;
        }
        Ok(points)
    }
}
