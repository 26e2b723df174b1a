//! Meshes in numbered files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::DVec3;

use super::super::error::{ReadError, ReadFault};
use super::super::format::Format;
use super::super::model::Model;
use super::super::read::{ReadOptions, read};
use super::error::AnimationError;
use super::sequence::AnimationFrame;
use crate::mesh::TriMesh;

/// The files of a sequence, and the faces that all of them must have.
#[derive(Debug)]
pub(super) struct NumberedFiles {
    files: Vec<PathBuf>,
    faces: Vec<[u32; 3]>,
    vertices: usize,
    options: ReadOptions,
}

/// A file name with a number in it.
#[derive(Debug, PartialEq)]
pub(super) struct Pattern {
    folder: PathBuf,
    before: String,
    after: String,
    /// How many digits the number has, when that is said.
    digits: Option<usize>,
    given: PathBuf,
}

impl NumberedFiles {
    /// The files, of which the first holds this mesh.
    pub(super) fn new(files: Vec<PathBuf>, first: &TriMesh, options: ReadOptions) -> Self {
        Self {
            files,
            faces: first.faces().to_vec(),
            vertices: first.vertex_count(),
            options,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    fn model(&self, frame: usize) -> Result<(&PathBuf, Model), AnimationError> {
        let Some(path) = self.files.get(frame) else {
            let frames = self.files.len();
            return Err(AnimationError::NoFrame { frame, frames });
        };
        let model = read(path, &self.options).map_err(|e| AnimationError::frame(frame, e))?;
        Ok((path, model))
    }

    /// A frame with the faces that its file has.
    pub(super) fn read_whole(&self, frame: usize) -> Result<AnimationFrame, AnimationError> {
        let (_, model) = self.model(frame)?;
        let (mesh, object_of_face) = model.merged();
        Ok(AnimationFrame {
            positions: mesh.positions().to_vec(),
            faces: mesh.faces().to_vec(),
            object_of_face,
            object_names: model.parts.into_iter().map(|part| part.name).collect(),
        })
    }

    pub(super) fn read(&self, frame: usize) -> Result<Vec<DVec3>, AnimationError> {
        let (path, model) = self.model(frame)?;
        let (mesh, _) = model.merged();
        if mesh.vertex_count() != self.vertices {
            return Err(AnimationError::VertexCount {
                frame,
                path: Some(path.clone()),
                expected: self.vertices,
                found: mesh.vertex_count(),
            });
        }
        if mesh.faces() != self.faces {
            let same = mesh.faces().iter().zip(&self.faces);
            return Err(AnimationError::FacesChanged {
                frame,
                path: Some(path.clone()),
                face: same.take_while(|(a, b)| a == b).count(),
            });
        }
        Ok(mesh.positions().to_vec())
    }
}

/// The pattern that a path is, when its name holds `*`, `#` or `%d`.
pub(super) fn pattern(path: &Path) -> Option<Pattern> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let of = |before: &str, after: &str, digits: Option<usize>| {
        Some(Pattern {
            folder: folder.clone(),
            before: before.to_owned(),
            after: after.to_owned(),
            digits,
            given: path.to_owned(),
        })
    };
    if let Some((before, after)) = name.split_once('*') {
        return of(before, after, None);
    }
    if let Some(start) = name.find('#') {
        let count = name[start..].bytes().take_while(|&b| b == b'#').count();
        let digits = (count > 1).then_some(count);
        return of(&name[..start], &name[start + count..], digits);
    }
    let (before, rest) = name.split_once('%')?;
    let (width, after) = rest.split_once('d')?;
    let digits = match width {
        "" => None,
        _ => Some(width.parse().ok()?),
    };
    of(before, after, digits)
}

impl Pattern {
    /// The number in a file's name, when the name fits.
    fn number(&self, name: &str) -> Option<u64> {
        let middle = name
            .strip_prefix(self.before.as_str())?
            .strip_suffix(self.after.as_str())?;
        let is_number = !middle.is_empty() && middle.bytes().all(|b| b.is_ascii_digit());
        let fits = self.digits.is_none_or(|digits| middle.len() >= digits);
        if is_number && fits {
            middle.parse().ok()
        } else {
            None
        }
    }

    /// The files, in the order of their numbers.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, AnimationError> {
        let folder = if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.folder
        };
        let mut found: BTreeMap<u64, PathBuf> = BTreeMap::new();
        for name in names(folder)? {
            let Some(number) = self.number(&name) else {
                continue;
            };
            if let Some(other) = found.insert(number, self.folder.join(&name)) {
                let why = format!(
                    "two files have the number {number}: {name} and {}",
                    other.display()
                );
                return Err(AnimationError::no_sequence(&self.given, why));
            }
        }
        if found.is_empty() {
            let why = format!(
                "no file in {} is called like this, with a number in the place of the sign",
                folder.display()
            );
            return Err(AnimationError::no_sequence(&self.given, why));
        }
        Ok(found.into_values().collect())
    }
}

fn names(folder: &Path) -> Result<Vec<String>, AnimationError> {
    let failed =
        |e: std::io::Error| AnimationError::from(ReadError::from(ReadFault::Io(e)).in_file(folder));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        if let Ok(name) = entry.map_err(failed)?.file_name().into_string() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The sequence in a folder, if there is exactly one.
pub(super) fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, AnimationError> {
    let mut groups: BTreeMap<(String, String), usize> = BTreeMap::new();
    for name in names(folder)? {
        if Format::from_path(&name).is_none() {
            continue;
        }
        let Some(end) = name.rfind(|c: char| c.is_ascii_digit()) else {
            continue;
        };
        // The last number in front of the extension counts: `cloth2-0001.obj` is frame 1 of `cloth2-`.
        let stem_end = name.find('.').filter(|&dot| dot > 0).unwrap_or(name.len());
        let last = if end < stem_end {
            end
        } else {
            match name[..stem_end].rfind(|c: char| c.is_ascii_digit()) {
                Some(last) => last,
                None => continue,
            }
        };
        let start = name[..=last]
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |before| before + 1);
        let group = (name[..start].to_owned(), name[last + 1..].to_owned());
        *groups.entry(group).or_default() += 1;
    }
    let most = groups.values().copied().max().unwrap_or(0);
    let mut longest = groups.iter().filter(|&(_, &count)| count == most);
    match (longest.next(), longest.next()) {
        (None, _) => Err(AnimationError::no_sequence(
            folder,
            "the folder holds no numbered meshes such as cloth-0001.obj",
        )),
        (Some(_), Some(_)) if most > 1 || groups.len() > 1 => {
            let list: Vec<String> = groups
                .keys()
                .take(4)
                .map(|(before, after)| format!("{before}*{after}"))
                .collect();
            let why = format!(
                "the folder holds several sequences; say which: {}",
                list.join(", ")
            );
            Err(AnimationError::no_sequence(folder, why))
        }
        (Some(((before, after), _)), _) => Pattern {
            folder: folder.to_owned(),
            before: before.clone(),
            after: after.clone(),
            digits: None,
            given: folder.to_owned(),
        }
        .files(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_say_where_the_number_is() {
        let star = pattern(Path::new("a/cloth-*.obj")).unwrap();
        assert_eq!(star.number("cloth-0012.obj"), Some(12));
        assert_eq!(star.number("cloth-.obj"), None);
        assert_eq!(star.number("cloth-1b.obj"), None);
        let hashes = pattern(Path::new("c####.ply")).unwrap();
        assert_eq!(hashes.number("c0007.ply"), Some(7));
        assert_eq!(hashes.number("c07.ply"), None);
        assert_eq!(
            pattern(Path::new("c%04d.ply"))
                .unwrap()
                .number("c10007.ply"),
            Some(10007)
        );
        assert_eq!(
            pattern(Path::new("c%d.ply")).unwrap().number("c7.ply"),
            Some(7)
        );
        assert_eq!(pattern(Path::new("cloth.obj")), None);
    }
}
