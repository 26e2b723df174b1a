//! The binary buffers of a glTF document.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::super::error::{ReadError, ReadFault};
use super::document::Document;

/// The buffers of a document, each loaded when first requested.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    binary: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    loaded: Vec<Option<Cow<'a, [u8]>>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        document: &Document,
        binary: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        Self {
            binary,
            folder,
            loaded: vec![None; document.buffers.len()],
        }
    }

    /// The bytes of a buffer view.
    pub(super) fn view(&mut self, document: &Document, view: u32) -> Result<&[u8], ReadError> {
        let Some(v) = document.buffer_views.get(view as usize) else {
            return Err(ReadError::malformed(format!(
                "buffer view {view} does not exist: there are {}",
                document.buffer_views.len()
            )));
        };
        let extension = if v.extensions.ext_meshopt.is_some() {
            Some("EXT_meshopt_compression")
        } else {
            v.extensions
                .khr_meshopt
                .as_ref()
                .map(|_| "KHR_meshopt_compression")
        };
        let compressed = |name: &str| {
            ReadError::unsupported(format!(
                "buffer view {view} is compressed with {name}, which is not read; export the file without compression"
            ))
        };
        let bytes = match (self.load(document, v.buffer), extension) {
            (Ok(bytes), _) => bytes,
            (Err(_), Some(name)) => return Err(compressed(name)),
            (Err(e), None) => return Err(e),
        };
        let range = usize::try_from(v.byte_offset)
            .ok()
            .zip(usize::try_from(v.byte_length).ok())
            .and_then(|(start, length)| bytes.get(start..start.checked_add(length)?));
        range.ok_or_else(|| {
            ReadError::malformed(format!(
                "buffer view {view} reaches from byte {} for {} bytes, but buffer {} has {} (is the file cut off?)",
                v.byte_offset,
                v.byte_length,
                v.buffer,
                bytes.len()
            ))
        })
    }

    fn load(&mut self, document: &Document, buffer: u32) -> Result<&[u8], ReadError> {
        let (Some(slot), Some(b)) = (
            self.loaded.get_mut(buffer as usize),
            document.buffers.get(buffer as usize),
        ) else {
            return Err(ReadError::malformed(format!(
                "buffer {buffer} does not exist: there are {}",
                document.buffers.len()
            )));
        };
        if slot.is_none() {
            let bytes = match b.uri.as_deref() {
                None if buffer == 0 => match self.binary {
                    Some(binary) => Cow::Borrowed(binary),
                    None => {
                        return Err(ReadError::malformed(
                            "buffer 0 names no file and there is no binary chunk",
                        ));
                    }
                },
                None => {
                    return Err(ReadError::malformed(format!(
                        "buffer {buffer} names no file"
                    )));
                }
                Some(uri) => match uri.strip_prefix("data:") {
                    Some(inline) => Cow::Owned(decode_inline(inline, buffer)?),
                    None => Cow::Owned(read_beside(self.folder, uri, b.byte_length)?),
                },
            };
            *slot = Some(bytes);
        }
        let bytes = slot.as_deref().unwrap_or_default();
        // Padding after the declared length is common; less than that is not.
        usize::try_from(b.byte_length)
            .ok()
            .and_then(|n| bytes.get(..n))
            .ok_or_else(|| {
                ReadError::malformed(format!(
                    "buffer {buffer} declares {} bytes, but only {} are there (is the file cut off?)",
                    b.byte_length,
                    bytes.len()
                ))
            })
    }
}

fn decode_inline(inline: &str, buffer: u32) -> Result<Vec<u8>, ReadError> {
    let damaged = || {
        ReadError::malformed(format!(
            "the data: address of buffer {buffer} is not base64"
        ))
    };
    let (kind, text) = inline.split_once(',').ok_or_else(damaged)?;
    if !kind.ends_with(";base64") {
        return Err(damaged());
    }
    decode_base64(text.as_bytes()).ok_or_else(damaged)
}

/// The bytes of base64 text (RFC 4648, padding optional), or `None`.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_suffix(b"=").unwrap_or(text);
    let text = text.strip_suffix(b"=").unwrap_or(text);
    if text.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let mut bits = 0u32;
        for &c in group {
            let value = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * (4 - group.len());
        let [_, a, b, c] = bits.to_be_bytes();
        out.extend([a, b, c].iter().take(group.len() - 1));
    }
    Some(out)
}

/// The bytes of a file in the folder of the document or below it.
fn read_beside(folder: Option<&Path>, uri: &str, length: u64) -> Result<Vec<u8>, ReadError> {
    let shown = super::super::text::shown(uri.as_bytes());
    let Some(folder) = folder else {
        return Err(ReadError::unsupported(format!(
            "the buffer is in a separate file '{shown}'; read the document by its path, so that the file can be found"
        )));
    };
    let Some(relative) = safe_path(uri) else {
        return Err(ReadError::unsupported(format!(
            "the buffer is at '{shown}', which is not a plain path inside the document's folder; move the file there and change the address"
        )));
    };
    let path = folder.join(relative);
    let failed = |e: std::io::Error| ReadError::from(ReadFault::Io(e)).in_file(&path);
    let file = std::fs::File::open(&path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("not a regular file")));
    }
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// The path that a relative address names, if it can only be at or below the folder.
fn safe_path(uri: &str) -> Option<PathBuf> {
    let text = percent_decoded(uri)?;
    if text.contains([':', '\\', '\0']) {
        return None;
    }
    let path = PathBuf::from(text);
    let plain = path
        .components()
        .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    (plain && path.file_name().is_some()).then_some(path)
}

fn percent_decoded(uri: &str) -> Option<String> {
    let mut out = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        if b == b'%' {
            let (hex, tail) = rest.split_at_checked(2)?;
            rest = tail;
            out.push(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?);
        } else {
            out.push(b);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_decodes_the_vectors_of_rfc_4648() {
        for (text, plain) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(decode_base64(text.as_bytes()).unwrap(), plain.as_bytes());
        }
        assert_eq!(decode_base64(b"Z"), None);
        assert_eq!(decode_base64(b"Zm9*"), None);
    }

    #[test]
    fn addresses_outside_the_folder_are_refused() {
        for bad in [
            "../a.bin",
            "/etc/passwd",
            "a/../../b",
            "http://x/y",
            "c:\\x",
            "%2e%2e/a",
            "",
            ".",
        ] {
            assert_eq!(safe_path(bad), None, "{bad}");
        }
        assert_eq!(
            safe_path("sub/a%20b.bin"),
            Some(PathBuf::from("sub/a b.bin"))
        );
    }
}
