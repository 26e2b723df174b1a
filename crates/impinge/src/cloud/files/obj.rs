//! The vertices of OBJ files.

use super::columns::{PointColumns, RawPoints};
use super::error::CloudReadError;
use super::text::{Lines, float, words, write_float};
use crate::cloud::PointCloud;
use glam::DVec3;

pub(super) fn read(bytes: &[u8]) -> Result<RawPoints, CloudReadError> {
    let columns = PointColumns {
        place: [0, 1, 2],
        normal: None,
    };
    let mut lines = Lines::new(bytes);
    let mut raw = RawPoints::with_lines(&columns);
    let mut normals = Vec::new();
    while let Some(line) = lines.next_filled() {
        let at = lines.number();
        let mut words = words(line);
        let keyword = words.next().unwrap_or_default();
        if keyword != b"v" && keyword != b"vn" {
            continue;
        }
        let mut next = |_| match words.next() {
            Some(word) => float(word, at),
            None => Err(CloudReadError::line(
                at,
                "the line ends where a coordinate is expected",
            )),
        };
        if keyword == b"v" {
            raw.add(&columns, at, next)?;
        } else {
            normals.push(DVec3::new(next(0)?, next(1)?, next(2)?));
        }
    }
    // Normals of faces are numbered apart; only as many as vertices can belong to them.
    if !normals.is_empty() && normals.len() == raw.points.len() {
        raw.normals = Some(normals);
    }
    Ok(raw)
}

pub(super) fn write(cloud: &PointCloud) -> Vec<u8> {
    let mut out = Vec::with_capacity(cloud.len() * 60);
    let mut put = |keyword: &[u8], vectors: &[DVec3]| {
        for v in vectors {
            out.extend_from_slice(keyword);
            for x in v.to_array() {
                out.push(b' ');
                write_float(&mut out, x);
            }
            out.push(b'\n');
        }
    };
    put(b"v", cloud.points());
    put(b"vn", cloud.normals().unwrap_or_default());
    out
}
