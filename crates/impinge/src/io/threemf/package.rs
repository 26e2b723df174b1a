//! The zip archive around a 3MF model.

use std::io::Cursor;

use zip::ZipArchive;

use super::super::decompress::read_capped;
use super::super::error::ReadError;
use super::super::text;

/// An open archive and how many more bytes it may inflate to.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    limit: u64,
    left: u64,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8], limit: u64) -> Result<Self, ReadError> {
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|e| ReadError::malformed(format!("the zip archive is damaged: {e}")))?;
        Ok(Self {
            archive,
            limit,
            left: limit,
        })
    }

    /// The name of the main model file.
    pub(super) fn main_model(&mut self) -> Result<String, ReadError> {
        if self.has("_rels/.rels") {
            let relations = self.text("_rels/.rels")?;
            if let Some(target) = super::xml::model_relation(&relations) {
                let target = target.trim_start_matches('/').to_owned();
                if self.has(&target) {
                    return Ok(target);
                }
            }
        }
        let usual = "3D/3dmodel.model";
        if self.has(usual) {
            return Ok(usual.to_owned());
        }
        let mut inside = String::new();
        for name in self.archive.file_names().flatten().take(5) {
            if !inside.is_empty() {
                inside.push_str(", ");
            }
            inside.push_str(&text::shown(name.as_bytes()));
        }
        Err(ReadError::unsupported(format!(
            "the zip archive has no 3MF model ({inside}); if it holds another mesh file, unpack that first"
        )))
    }

    fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// A file of the archive as text.
    pub(super) fn text(&mut self, name: &str) -> Result<String, ReadError> {
        let shown = text::shown(name.as_bytes());
        let damaged = |e: &dyn std::fmt::Display| {
            ReadError::malformed(format!("'{shown}' in the archive: {e}"))
        };
        let file = self.archive.by_name(name).map_err(|e| damaged(&e))?;
        let what = format!("'{shown}' in the archive");
        let bytes = read_capped(file, self.left, &what).map_err(|e| match e.fault {
            super::super::ReadFault::TooLarge { what, .. } => {
                ReadError::too_large(what, self.limit)
            }
            _ => e,
        })?;
        self.left -= bytes.len() as u64;
        String::from_utf8(bytes).map_err(|_| damaged(&"not UTF-8 text"))
    }
}
