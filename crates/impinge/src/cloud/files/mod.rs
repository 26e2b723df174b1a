//! Files of point clouds: reading and writing PLY, XYZ, CSV, PCD and OBJ, reading LAS and LAZ.
//!
//! A cloud, or an error that names the line or byte. Points that are not finite are an error, or on
//! request dropped and listed. A panic of the LAZ decoder on damaged bits is caught, unless the
//! program aborts on panic. Formats and limits: `docs/algorithms/point-clouds.md`.
//!
//! ```
//! use impinge::cloud::{CloudFormat, CloudReadOptions, CloudWriteOptions, read_cloud_bytes, write_cloud_bytes};
//! let options = CloudReadOptions { drop_invalid: true };
//! let file = read_cloud_bytes(b"0 0 0\nnan 0 0\n1 2 3\n", CloudFormat::Xyz, &options)?;
//! assert_eq!((file.cloud.len(), &file.dropped[..]), (2, &[1][..]));
//! let bytes = write_cloud_bytes(&file.cloud, CloudFormat::Pcd, &CloudWriteOptions::default())?;
//! assert_eq!(read_cloud_bytes(&bytes, CloudFormat::Pcd, &options)?.cloud, file.cloud);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cloud_file;
mod columns;
mod error;
mod las;
#[cfg(feature = "laz")]
mod laz;
mod lzf;
mod obj;
mod pcd;
mod ply;
mod text;
mod xyz;

pub use cloud_file::{
    CloudFile, CloudFormat, CloudReadOptions, CloudWriteOptions, read_cloud, read_cloud_bytes,
    write_cloud, write_cloud_bytes,
};
pub use error::{CloudReadError, CloudReadFault, CloudWriteError};
