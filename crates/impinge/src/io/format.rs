//! The formats, recognised by name and by content.

use std::fmt;
use std::path::Path;

use super::{stl, text};

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// Stereolithography, ASCII or binary.
    Stl,
    /// Polygon file format, ASCII or binary.
    Ply,
    /// Object file format of Geomview.
    Off,
    /// 3D manufacturing format, a zip archive.
    ThreeMf,
    /// glTF 2.0 as JSON.
    Gltf,
    /// glTF 2.0 in one binary file.
    Glb,
}

impl Format {
    /// Every format that is read.
    pub const ALL: [Self; 7] = [
        Self::Obj,
        Self::Stl,
        Self::Ply,
        Self::Off,
        Self::ThreeMf,
        Self::Gltf,
        Self::Glb,
    ];

    /// The format given by the file name; a trailing `.gz` is ignored.
    ///
    /// ```
    /// use impinge::io::Format;
    /// assert_eq!(Format::from_path("dragon.PLY.gz"), Some(Format::Ply));
    /// assert_eq!(Format::from_path("notes.txt"), None);
    /// ```
    #[must_use]
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = extension(path.as_ref())?;
        Self::ALL.into_iter().find(|f| f.extension() == extension)
    }

    /// The format that the content shows; `hint` decides if several are possible.
    ///
    /// Formats with a signature (PLY, OFF, GLB, 3MF, STL) win over a name that says otherwise;
    /// OBJ has none and is taken when the first statements are OBJ's.
    ///
    /// ```
    /// use impinge::io::Format;
    /// assert_eq!(Format::from_content(b"ply\nformat ascii 1.0\n", Some(Format::Stl)), Some(Format::Ply));
    /// assert_eq!(Format::from_content(b"# cube\nv 0 0 0\n", None), Some(Format::Obj));
    /// assert_eq!(Format::from_content(b"%PDF", None), None);
    /// ```
    #[must_use]
    pub fn from_content(bytes: &[u8], hint: Option<Self>) -> Option<Self> {
        if bytes.starts_with(b"glTF") {
            return Some(Self::Glb);
        }
        if bytes.starts_with(b"PK\x03\x04") {
            return Some(Self::ThreeMf);
        }
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        if stl::looks_like_stl(bytes) {
            return Some(Self::Stl);
        }
        let first = text::first_word(bytes);
        if first.ends_with(b"OFF") && first.len() <= 7 {
            return Some(Self::Off);
        }
        if first.first() == Some(&b'{') {
            return Some(Self::Gltf);
        }
        if hint.is_some() {
            return hint;
        }
        let obj_words: [&[u8]; 6] = [b"v", b"o", b"g", b"mtllib", b"vn", b"vt"];
        obj_words.contains(&first).then_some(Self::Obj)
    }

    /// The usual file name extension, without the dot.
    ///
    /// ```
    /// use impinge::io::Format;
    /// assert_eq!(Format::ThreeMf.extension(), "3mf");
    /// ```
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Stl => "stl",
            Self::Ply => "ply",
            Self::Off => "off",
            Self::ThreeMf => "3mf",
            Self::Gltf => "gltf",
            Self::Glb => "glb",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::ThreeMf => "3MF",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
        })
    }
}

/// The lower-case extension in front of any `.gz`.
pub(super) fn extension(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map(|(_, e)| e.to_owned())
}

/// Whether the name ends in `.gz`.
pub(super) fn is_gzip_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}
