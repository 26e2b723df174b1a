//! A file as a whole: its format, the checks on its points.

use std::fmt;
use std::path::Path;

use super::columns::RawPoints;
use super::error::{CloudReadError, CloudReadFault, CloudWriteError};
use super::pcd::PcdStorage;
use super::{las, obj, pcd, ply, xyz};
use crate::cloud::{CloudError, PointCloud};
use crate::io::FilePlace;

/// A format of point clouds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CloudFormat {
    /// Polygon file format; faces are ignored.
    Ply,
    /// A point per line, blanks between numbers.
    Xyz,
    /// A point per line, commas between numbers.
    Csv,
    /// Point Cloud Data of the Point Cloud Library.
    Pcd,
    /// The vertices of Wavefront OBJ.
    Obj,
    /// Laser scans; packed ones (LAZ) with feature `laz`.
    Las,
}

impl CloudFormat {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::Ply,
        Self::Xyz,
        Self::Csv,
        Self::Pcd,
        Self::Obj,
        Self::Las,
    ];

    /// The format given by the file name.
    ///
    /// ```
    /// use impinge::cloud::CloudFormat;
    /// assert_eq!(CloudFormat::from_path("scan.PCD"), Some(CloudFormat::Pcd));
    /// assert_eq!(CloudFormat::from_path("scan.png"), None);
    /// ```
    #[must_use]
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "ply" => Self::Ply,
            "xyz" | "txt" | "asc" | "pts" => Self::Xyz,
            "csv" => Self::Csv,
            "pcd" => Self::Pcd,
            "obj" => Self::Obj,
            "las" | "laz" => Self::Las,
            _ => return None,
        })
    }
}

impl fmt::Display for CloudFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ply => "PLY",
            Self::Xyz => "XYZ",
            Self::Csv => "CSV",
            Self::Pcd => "PCD",
            Self::Obj => "OBJ",
            Self::Las => "LAS",
        })
    }
}

/// How a cloud is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloudReadOptions {
    /// Drop points that are not finite, or whose normal has no direction, instead of refusing the file; they are reported.
    pub drop_invalid: bool,
}

/// How a cloud is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloudWriteOptions {
    /// Text where the format has both (PLY, PCD).
    pub text: bool,
    /// Compressed where the format can (PCD).
    pub compressed: bool,
}

/// A cloud that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudFile {
    /// The points.
    pub cloud: PointCloud,
    /// The numbers, in the file, of points that were dropped on request.
    pub dropped: Vec<usize>,
    /// The format it was read as.
    pub format: CloudFormat,
    /// Whether the last three of six columns without a heading were ignored because their lengths
    /// are not those of unit normals: usually colours.
    pub has_unread_columns: bool,
}

/// The cloud in a file.
///
/// # Errors
/// [`CloudReadError`] with file, format and place.
///
/// ```
/// use impinge::cloud::{CloudReadOptions, read_cloud};
/// let error = read_cloud("no-such-file.pcd", &CloudReadOptions::default()).unwrap_err();
/// assert!(error.to_string().starts_with("no-such-file.pcd: "));
/// ```
pub fn read_cloud(
    path: impl AsRef<Path>,
    options: &CloudReadOptions,
) -> Result<CloudFile, CloudReadError> {
    let path = path.as_ref();
    let whole = |fault| CloudReadError::new(FilePlace::Whole, fault).in_file(path);
    let format =
        CloudFormat::from_path(path).ok_or_else(|| whole(CloudReadFault::UnknownFormat))?;
    let bytes = std::fs::read(path).map_err(|cause| whole(CloudReadFault::Io(cause)))?;
    read_cloud_bytes(&bytes, format, options).map_err(|error| error.in_file(path))
}

/// The cloud in these bytes.
///
/// # Errors
/// [`CloudReadError`] with format and place.
///
/// ```
/// use impinge::cloud::{CloudFormat, CloudReadOptions, read_cloud_bytes};
/// let file = read_cloud_bytes(b"v 1 2 3\n", CloudFormat::Obj, &CloudReadOptions::default())?;
/// assert_eq!(file.cloud.points()[0].z, 3.0);
/// # Ok::<(), impinge::cloud::CloudReadError>(())
/// ```
pub fn read_cloud_bytes(
    bytes: &[u8],
    format: CloudFormat,
    options: &CloudReadOptions,
) -> Result<CloudFile, CloudReadError> {
    let raw = match format {
        CloudFormat::Ply => ply::read(bytes),
        CloudFormat::Xyz | CloudFormat::Csv => xyz::read(bytes),
        CloudFormat::Pcd => pcd::read(bytes),
        CloudFormat::Obj => obj::read(bytes),
        CloudFormat::Las => las::read(bytes),
    };
    let file = raw.and_then(|raw| checked(raw, format, options));
    file.map_err(|error| error.in_format(format))
}

fn checked(
    raw: RawPoints,
    format: CloudFormat,
    options: &CloudReadOptions,
) -> Result<CloudFile, CloudReadError> {
    let RawPoints {
        points,
        normals,
        has_unread_columns,
        places,
    } = raw;
    let refuse = |error: CloudError| {
        let place = match error {
            CloudError::NotFinite { point, .. }
            | CloudError::TooFar { point, .. }
            | CloudError::NotUnit { point, .. } => places.of(point),
            _ => FilePlace::Whole,
        };
        CloudReadError::new(place, CloudReadFault::Cloud(error))
    };
    let count = points.len();
    if let Some(normals) = &normals {
        // Lengths in files are rounded, but a normal without direction is none.
        for (point, normal) in normals.iter().enumerate() {
            if !options.drop_invalid && normal.try_normalize().is_none() {
                let length = normal.length();
                return Err(refuse(CloudError::NotUnit { point, length }));
            }
        }
    }
    if !options.drop_invalid {
        for (point, &p) in points.iter().enumerate() {
            crate::cloud::point_cloud::check_point(point, p).map_err(refuse)?;
        }
    }
    let is_unit = normals
        .iter()
        .flatten()
        .all(|n| (n.length() - 1.0).abs() <= 1e-9);
    if !options.drop_invalid && is_unit {
        // As written by us: bit for bit.
        let cloud = PointCloud::new(points, normals).map_err(refuse)?;
        return Ok(CloudFile {
            cloud,
            dropped: Vec::new(),
            format,
            has_unread_columns,
        });
    }
    let screened = PointCloud::screened(points, normals).map_err(refuse)?;
    debug_assert_eq!(screened.kept.len() + screened.dropped.len(), count);
    Ok(CloudFile {
        cloud: screened.cloud,
        dropped: screened.dropped,
        format,
        has_unread_columns,
    })
}

/// The bytes of a file with this cloud.
///
/// # Errors
/// [`CloudWriteError::NotWritten`] for formats that are only read.
///
/// ```
/// use impinge::cloud::{CloudFormat, CloudWriteOptions, PointCloud, write_cloud_bytes};
/// let cloud = PointCloud::from_points([[1.0, 2.0, 3.0]])?;
/// assert_eq!(write_cloud_bytes(&cloud, CloudFormat::Xyz, &CloudWriteOptions::default())?, b"1 2 3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_cloud_bytes(
    cloud: &PointCloud,
    format: CloudFormat,
    options: &CloudWriteOptions,
) -> Result<Vec<u8>, CloudWriteError> {
    Ok(match format {
        CloudFormat::Ply => ply::write(cloud, options.text),
        CloudFormat::Xyz => xyz::write(cloud, b' '),
        CloudFormat::Csv => xyz::write(cloud, b','),
        CloudFormat::Obj => obj::write(cloud),
        CloudFormat::Pcd => {
            let storage = match (options.text, options.compressed) {
                (true, _) => PcdStorage::Text,
                (false, true) => PcdStorage::Compressed,
                (false, false) => PcdStorage::Binary,
            };
            pcd::write(cloud, storage)?
        }
        CloudFormat::Las => return Err(CloudWriteError::NotWritten { format }),
    })
}

/// Writes a cloud to a file, in the format that its name says.
///
/// # Errors
/// [`CloudWriteError`] when the name says none, or the file cannot be written.
///
/// ```
/// use impinge::cloud::{CloudWriteOptions, PointCloud, write_cloud};
/// assert!(write_cloud("cloud.png", &PointCloud::default(), &CloudWriteOptions::default()).is_err());
/// ```
pub fn write_cloud(
    path: impl AsRef<Path>,
    cloud: &PointCloud,
    options: &CloudWriteOptions,
) -> Result<(), CloudWriteError> {
    let path = path.as_ref();
    let Some(format) = CloudFormat::from_path(path) else {
        return Err(CloudWriteError::UnknownFormat {
            path: path.to_owned(),
        });
    };
    let bytes = write_cloud_bytes(cloud, format, options)?;
    std::fs::write(path, bytes).map_err(|cause| CloudWriteError::Io {
        path: path.to_owned(),
        cause,
    })
}
