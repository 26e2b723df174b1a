//! Files of point clouds: reading and writing.
//!
//! **Question.** Which points, and which normals, does this file hold?
//! **Idea.** As for meshes: the file is one byte slice, and every declared size is checked against the bytes that are left before anything is allocated.
//! **Promise.** A cloud or an error that names the line or byte; never a panic. Points that are not finite are an error, or on request dropped and told.
//! Text formats and binary ones with doubles read back bit for bit.
//!
//! | format | read | written |
//! |---|---|---|
//! | PLY | text, binary of both byte orders | binary or text, doubles |
//! | XYZ, CSV | blanks, commas or semicolons; `x y z`, or six columns with the normal behind where all are of unit length; a heading names them otherwise | with commas for CSV |
//! | PCD | text, binary, compressed | the three, doubles |
//! | OBJ | `v` and, when there is one for each, `vn` | the same |
//! | LAS | points of all formats | no |
//! | LAZ | the same, packed; with feature `laz` | no |
//!
//! LAZ is unpacked by the crate `laz`, after everything that it would believe has been checked. A panic of its decoder on damaged bits is caught and told as an
//! error, after the program's panic hook has run; with `panic = "abort"` it cannot be.
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
