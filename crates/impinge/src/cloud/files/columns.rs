//! Rows of numbers of declared types, from which points and normals are picked.

use glam::DVec3;

use super::error::CloudReadError;
use crate::io::FilePlace;

/// A number in a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    Signed(u8),
    Unsigned(u8),
    F32,
    F64,
}

impl NumberType {
    pub(super) fn size(self) -> usize {
        match self {
            Self::Signed(size) | Self::Unsigned(size) => size as usize,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number in the first bytes; sizes are checked by the caller, missing bytes are zeros.
    pub(super) fn get(self, bytes: &[u8], big: bool) -> f64 {
        let mut eight = [0; 8];
        let size = self.size().min(bytes.len()).min(8);
        for (to, from) in eight.iter_mut().zip(&bytes[..size]) {
            *to = *from;
        }
        if big {
            eight[..size].reverse();
        }
        let bits = u64::from_le_bytes(eight);
        match self {
            Self::Unsigned(_) => bits as f64,
            Self::Signed(size) => {
                let unused = 64 - 8 * u32::from(size.clamp(1, 8));
                (((bits << unused) as i64) >> unused) as f64
            }
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F64 => f64::from_bits(bits),
        }
    }
}

/// Which columns are coordinates, and which the normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointColumns {
    pub(super) place: [usize; 3],
    pub(super) normal: Option<[usize; 3]>,
}

impl PointColumns {
    /// The columns by name; none when a coordinate is missing.
    pub(super) fn find(position: impl Fn(&[&str]) -> Option<usize>) -> Option<Self> {
        let place = [position(&["x"])?, position(&["y"])?, position(&["z"])?];
        let normal = (|| {
            Some([
                position(&["nx", "normal_x"])?,
                position(&["ny", "normal_y"])?,
                position(&["nz", "normal_z"])?,
            ])
        })();
        Some(Self { place, normal })
    }
}

/// Points as they come from a file, not yet checked.
#[derive(Clone, Debug, Default)]
pub(super) struct RawPoints {
    pub(super) points: Vec<DVec3>,
    /// As many as points, or none at all.
    pub(super) normals: Option<Vec<DVec3>>,
    /// Whether there were columns that might have been normals, and are not.
    pub(super) has_unread_columns: bool,
    /// Where each point stands.
    pub(super) places: PointPlaces,
}

/// Where the points of a file stand.
#[derive(Clone, Debug)]
pub(super) enum PointPlaces {
    /// By line.
    Lines(Vec<u64>),
    /// At a start and a step.
    Bytes { start: usize, step: usize },
}

impl Default for PointPlaces {
    fn default() -> Self {
        Self::Lines(Vec::new())
    }
}

impl PointPlaces {
    pub(super) fn of(&self, point: usize) -> FilePlace {
        match self {
            Self::Lines(lines) => lines
                .get(point)
                .map_or(FilePlace::Whole, |&line| FilePlace::Line(line)),
            Self::Bytes { start, step } => FilePlace::Byte((start + point * step) as u64),
        }
    }
}

impl RawPoints {
    pub(super) fn with_lines(columns: &PointColumns) -> Self {
        Self {
            normals: columns.normal.map(|_| Vec::new()),
            ..Self::default()
        }
    }

    pub(super) fn with_bytes(columns: &PointColumns, start: usize, step: usize) -> Self {
        Self {
            normals: columns.normal.map(|_| Vec::new()),
            places: PointPlaces::Bytes { start, step },
            ..Self::default()
        }
    }

    /// Takes a row whose column `c` has the value `value(c)`.
    pub(super) fn add(
        &mut self,
        columns: &PointColumns,
        line: u64,
        mut value: impl FnMut(usize) -> Result<f64, CloudReadError>,
    ) -> Result<(), CloudReadError> {
        let [x, y, z] = columns.place;
        let point = DVec3::new(value(x)?, value(y)?, value(z)?);
        if let (Some(normals), Some([x, y, z])) = (&mut self.normals, columns.normal) {
            normals.push(DVec3::new(value(x)?, value(y)?, value(z)?));
        }
        self.points.push(point);
        if let PointPlaces::Lines(lines) = &mut self.places {
            lines.push(line);
        }
        Ok(())
    }
}
