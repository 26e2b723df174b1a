//! Loads clouds and meshes, distinguished by file content.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use impinge::Pose;
use impinge::bound::Aabb;
use impinge::cloud::{
    CloudFormat, CloudReadFault, CloudReadOptions, CloudShape, PointCloud, read_cloud,
};
use impinge::io::Unit;
use impinge::math::is_valid_point;
use impinge::pair::{MeshShape, Shape};

use crate::args::ReadingArgs;
use crate::model_source::{Loaded, ModelSource};
use crate::output::Output;
use crate::{number, progress};

/// Lines of a PLY header that are looked at for faces.
const HEADER_LINES: usize = 1000;

/// A cloud or a mesh that someone named.
#[derive(Debug)]
pub(crate) enum CloudOrMesh {
    /// Points.
    Cloud(Arc<CloudShape>),
    /// Faces, and the shape of them.
    Mesh(Loaded, Arc<MeshShape>),
}

/// Whether the source is a file of points without faces.
pub(crate) fn is_cloud(source: &ModelSource) -> bool {
    let ModelSource::File(path) = source else {
        return false;
    };
    match CloudFormat::from_path(path) {
        Some(CloudFormat::Ply) => has_points_only(path, ply_line),
        Some(CloudFormat::Obj) => has_points_only(path, obj_line),
        format => format.is_some(),
    }
}

/// What a line says about the file.
#[derive(Clone, Copy, PartialEq)]
enum LineMeaning {
    Nothing,
    Points,
    Faces,
    End,
}

/// Whether there are points in the file and no faces; a file that cannot be read is left to those who tell why.
fn has_points_only(path: &Path, look: fn(&[u8], usize) -> LineMeaning) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut line, mut number, mut has_points) = (Vec::new(), 0, false);
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return has_points,
            Ok(_) => {}
            Err(_) => return false,
        }
        match look(line.trim_ascii(), number) {
            LineMeaning::Faces => return false,
            LineMeaning::End => return has_points,
            says => has_points |= says == LineMeaning::Points,
        }
        number += 1;
    }
}

fn obj_line(line: &[u8], _: usize) -> LineMeaning {
    match line {
        [b'f', b' ' | b'\t', ..] => LineMeaning::Faces,
        [b'v', b' ' | b'\t', ..] => LineMeaning::Points,
        _ => LineMeaning::Nothing,
    }
}

fn ply_line(line: &[u8], number: usize) -> LineMeaning {
    if line == b"end_header" || number > HEADER_LINES {
        return LineMeaning::End;
    }
    let words: Vec<&[u8]> = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    match words[..] {
        [b"element", b"vertex", count] if count != b"0" => LineMeaning::Points,
        [b"element", b"face" | b"tristrips", count] if count != b"0" => LineMeaning::Faces,
        _ => LineMeaning::Nothing,
    }
}

impl CloudOrMesh {
    /// What the source holds.
    pub(crate) fn load(
        source: &ModelSource,
        reading: &ReadingArgs,
        drop_invalid: bool,
        out: &Output,
    ) -> anyhow::Result<Self> {
        if let (ModelSource::File(path), true) = (source, is_cloud(source)) {
            let cloud = progress::during("reading", || load_cloud(path, drop_invalid, out))?;
            let cloud = scaled(cloud, reading).with_context(|| source.to_string())?;
            if cloud.is_empty() {
                bail!("{source}: there is no point in the file");
            }
            return Ok(Self::Cloud(Arc::new(CloudShape::new(Arc::new(cloud)))));
        }
        let loaded = source.load(reading)?;
        for note in &loaded.model.notes {
            out.remark(format_args!("{source}: {note}"));
        }
        let shape = Arc::new(MeshShape::new(loaded.connected().0));
        Ok(Self::Mesh(loaded, shape))
    }

    /// The subject as a shape.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::Cloud(cloud) => Arc::clone(cloud).into(),
            Self::Mesh(_, mesh) => Arc::clone(mesh).into(),
        }
    }

    /// The cloud, if it is one.
    pub(crate) fn cloud(&self) -> Option<&Arc<CloudShape>> {
        match self {
            Self::Cloud(cloud) => Some(cloud),
            Self::Mesh(..) => None,
        }
    }

    /// Whether it is a mesh that encloses something.
    pub(crate) fn is_solid(&self) -> bool {
        matches!(self, Self::Mesh(_, mesh) if mesh.is_closed())
    }

    pub(crate) fn bounds(&self) -> Aabb {
        match self {
            Self::Cloud(cloud) => cloud.bounds(),
            Self::Mesh(_, mesh) => mesh.bounds(),
        }
    }

    /// How much there is of it: `1,234 points`, `12 faces`.
    pub(crate) fn extent(&self) -> String {
        match self {
            Self::Cloud(cloud) => number::count_of(cloud.cloud().len(), "point", "points"),
            Self::Mesh(loaded, mesh) => {
                let faces = number::count_of(loaded.mesh.face_count(), "face", "faces");
                let rule = if mesh.is_closed() { "solid" } else { "open" };
                format!("{faces}, {rule}")
            }
        }
    }

    /// The unit that the file says its lengths are in.
    pub(crate) fn unit(&self) -> Option<Unit> {
        match self {
            Self::Cloud(_) => None,
            Self::Mesh(loaded, _) => loaded.model.unit,
        }
    }

    /// Refuses a placement that takes it beyond the largest coordinate.
    pub(crate) fn check_range(&self, pose: &Pose) -> anyhow::Result<()> {
        let placed = self.bounds().transformed(pose);
        let is_in_range = is_valid_point(placed.min) && is_valid_point(placed.max);
        if !placed.is_empty() && !is_in_range {
            let largest = impinge::math::MAX_COORDINATE;
            bail!("a coordinate exceeds the largest allowed, {largest:e}");
        }
        Ok(())
    }
}

fn load_cloud(path: &Path, drop_invalid: bool, out: &Output) -> anyhow::Result<PointCloud> {
    let read = read_cloud(path, &CloudReadOptions { drop_invalid });
    let file = read.map_err(|error| {
        let is_about_points = matches!(error.fault, CloudReadFault::Cloud(_));
        let error = anyhow::Error::from(error);
        if is_about_points && !drop_invalid {
            anyhow::anyhow!("{error}; `--drop-invalid` leaves such points out")
        } else {
            error
        }
    })?;
    if !file.dropped.is_empty() {
        let dropped = number::count_of(file.dropped.len(), "point was", "points were");
        out.remark(format_args!(
            "{}: {dropped} not finite and dropped",
            path.display()
        ));
    }
    if file.has_unread_columns {
        out.remark(format_args!("{}: {UNREAD_COLUMNS}", path.display()));
    }
    Ok(file.cloud)
}

/// What is reported about columns that might have been normals.
pub(crate) const UNREAD_COLUMNS: &str =
    "the last three of six columns are no unit normals and were not read";

fn scaled(cloud: PointCloud, reading: &ReadingArgs) -> anyhow::Result<PointCloud> {
    let factor = reading.scale * reading.units.map_or(1.0, Unit::metres);
    if !(factor > 0.0 && factor.is_finite()) {
        bail!("the scale must be a positive finite number, not {factor}");
    }
    if factor == 1.0 {
        return Ok(cloud);
    }
    let points = cloud.points().iter().map(|&p| p * factor).collect();
    Ok(PointCloud::new(points, cloud.normals().map(<[_]>::to_vec))?)
}
