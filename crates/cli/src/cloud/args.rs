//! The flags of `impinge cloud`.

use std::path::PathBuf;

use clap::Args;

use crate::args::{ReadingArgs, png_path};
use crate::model_source::ModelSource;
use crate::render::Up;

/// Below the flags.
pub(crate) const CLOUD_HELP: &str = "\
A cloud is a file of points: PCD, XYZ, CSV, LAS, LAZ, or PLY and OBJ without faces. One of the two may be a mesh or a built-in
model; a closed mesh counts as a solid, so that a point inside it meets it.

Without --surface a cloud is its points, and every answer is certain. With --surface the surfaces behind two clouds are asked whether they cross:
that answer is as certain as it says, and the points where they were found to cross are a sample of the curve. Where they do not, the distance between them is told, an estimate.

Exit codes: 0 they are apart, 1 they meet, 2 error or undecided (--budget).";

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

    /// Ask about the surfaces behind the points of two clouds: whether they cross, how sure that is, and where
    #[arg(long)]
    pub(crate) surface: bool,

    /// Spend at most about this many milliseconds on each answer
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,

    /// Do not look for distances beyond this
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) max_distance: Option<f64>,

    /// Leave out points that are not finite, as depth cameras mark what they did not see
    #[arg(long)]
    pub(crate) drop_invalid: bool,

    /// Draw points or surfaces, nearest points and the curve to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// Write the same, and the edges of the graphs of neighbours, as a coloured GLB model
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// Draw the edges of the graphs of neighbours in the picture too
    #[arg(long, requires_all = ["surface", "png"])]
    pub(crate) graph: bool,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
