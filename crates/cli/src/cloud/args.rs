//! The flags of `impinge cloud`.

use std::path::PathBuf;

use clap::Args;

use crate::args::{ReadingArgs, png_path};
use crate::model_source::ModelSource;
use crate::render::Up;

/// Below the flags.
pub(crate) const CLOUD_HELP: &str = "\
A cloud is a file of points: PCD, XYZ, CSV, LAS, LAZ, or PLY and OBJ without faces. One of the two may be a mesh or a built-in
model; a closed mesh counts as a solid, so a point inside it intersects it.

Without --surface a cloud is its points, and every answer is certain. With --surface the surfaces behind two clouds are tested for crossing:
that answer has a confidence, and the reported points are a sample of the intersection curve. Otherwise their distance is estimated.

Exit codes: 0 they are apart, 1 they intersect, 2 error or undecided (--budget).";

/// `impinge cloud`
#[derive(Debug, Args)]
pub(crate) struct CloudArgs {
    /// First cloud, or a mesh: a file or a built-in model
    pub(crate) a: ModelSource,

    /// Second cloud, or a mesh
    pub(crate) b: ModelSource,

    /// JSON file with B's placement in A's frame: 16 numbers, a 4×4 matrix row by row
    #[arg(long, value_name = "FILE")]
    pub(crate) pose: Option<PathBuf>,

    /// Replace a pose matrix that is not quite a rotation by the nearest one
    #[arg(long, requires = "pose")]
    pub(crate) repair_pose: bool,

    /// Query the surfaces behind the points of two clouds: whether they cross, the confidence, and where
    #[arg(long)]
    pub(crate) surface: bool,

    /// Spend at most about this many milliseconds on each query
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,

    /// Do not search for distances beyond this
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) max_distance: Option<f64>,

    /// Skip points that are not finite, as depth cameras mark missing measurements
    #[arg(long)]
    pub(crate) drop_invalid: bool,

    /// Draw points or surfaces, nearest points and the curve to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// Write the same, and the edges of the proximity graphs, as a coloured GLB model
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// Draw the edges of the proximity graphs too
    #[arg(long, requires_all = ["surface", "png"])]
    pub(crate) graph: bool,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
