//! The flags of `impinge query`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::engine::EngineArg;
use super::probabilistic::OpenOrder;
use super::query_kind::{QueryKind, ShownDetail, SolidRule, VolumeMethod};
use crate::args::{ReadingArgs, png_path};
use crate::model_source::ModelSource;
use crate::render::Up;

/// Below the flags.
pub(crate) const QUERY_HELP: &str = "\
Queries for --ask, separated by commas:
  intersects  do the surfaces share a point? with --solid: or is one inside the other?
  pairs       all pairs of intersecting faces          (--pairs CSV)
  curves      intersection curves
  distance    distance and nearest points              (--max-distance, --abs-error, --rel-error)
  tolerance   are they at most D apart?                (--tolerance D)
  depth       minimum translation that separates b from a; closed meshes only
  volume      overlap volume and centroid; closed meshes only                (--method, --overlap OUT)
  force       force and torque that separate them; closed meshes only        (--method)
  impact      time of impact on the way from --pose to --to
Default: intersects, pairs and, when they are apart, the distance.

Exit codes: 0 no, 1 yes, 2 error or undecided (--limit-tests).
They answer the first query, distance aside; distance alone says whether it is 0.
With --poses: 1 if the answer is yes for any of them.

A file of points (PCD, XYZ, CSV, LAS, LAZ, PLY and OBJ without faces) is a cloud: it supports intersects, distance, tolerance,
depth and impact for its points. `impinge cloud --surface` queries the surfaces behind them.";

/// `impinge query`
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// First mesh or cloud: a file or a built-in model
    pub(crate) a: ModelSource,

    /// Second mesh or cloud
    pub(crate) b: ModelSource,

    /// Queries, separated by commas [default: intersects,pairs and, when apart, distance]
    #[arg(
        long,
        value_name = "LIST",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub(crate) ask: Vec<QueryKind>,

    /// JSON file with B's placement in A's frame: 16 numbers, a 4×4 matrix row by row; its translation is in
    /// the coordinates that result from --scale and --units (metres with --units)
    #[arg(long, value_name = "FILE")]
    pub(crate) pose: Option<PathBuf>,

    /// JSON file with an array of poses: answers for each, as a table or as lines of JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pose", "pairs", "png", "glb", "overlap", "show", "explain"])]
    pub(crate) poses: Option<PathBuf>,

    /// JSON file with B's placement at the end of its motion, for impact: it moves straight and turns at
    /// a constant rate about a constant axis
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,

    /// Full turns that B makes on the way beyond the shortest rotation
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "to",
        hide_default_value = true
    )]
    pub(crate) turns: u32,

    /// Replace a pose matrix that is not quite a rotation by the nearest one
    #[arg(long)]
    pub(crate) repair_pose: bool,

    /// Treat meshes as solids: a mesh inside another intersects it
    #[arg(
        long,
        value_name = "RULE",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "closed"
    )]
    pub(crate) solid: Option<SolidRule>,

    /// The distance of the query tolerance
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,

    /// Do not search for distances beyond this
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) max_distance: Option<f64>,

    /// A distance or depth may be too large by this much
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(crate) abs_error: Option<f64>,

    /// A distance or depth may be too large by this fraction of itself [default: 0, for depth 0.001]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(crate) rel_error: Option<f64>,

    /// Write the pairs of intersecting faces, counted from 0 in file order: columns face_a,face_b, and
    /// polygon_a,polygon_b behind them when a file has polygons
    #[arg(long, value_name = "CSV")]
    pub(crate) pairs: Option<PathBuf>,

    /// Draw both meshes, what touches, and the nearest or deepest points to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// Write the same as a coloured GLB model
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// Write the overlap of the solids as a coloured GLB model: pieces of both surfaces, each inside the other
    #[arg(long, value_name = "OUT")]
    pub(crate) overlap: Option<PathBuf>,

    /// How volume and force are computed [default: exact]
    #[arg(long, value_name = "METHOD", value_enum)]
    pub(crate) method: Option<VolumeMethod>,

    /// Spheres in each solid, for --method spheres or by-cost [default: 10000]
    #[arg(long, value_name = "N")]
    pub(crate) balls: Option<usize>,

    /// Voxels along the longest side of each solid, for --method voxmap [default: 100]
    #[arg(long, value_name = "N")]
    pub(crate) voxels: Option<u32>,

    /// Show the traversal in --png and --glb: boxes that overlap, and the faces in them
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) show: Option<ShownDetail>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// Stop after this many tests of boxes and faces; the answer may stay undecided
    #[arg(long, value_name = "N")]
    pub(crate) limit_tests: Option<u64>,

    /// The engine that answers; all give the same answers, except that edge-polygon-relaxed finds fewer pairs,
    /// edge-polygon-pre-checks and z-buffer more, and average estimates whether the surfaces intersect, with a confidence
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = engine_parser())]
    pub(crate) engine: EngineArg,

    /// Pixels along the longer side of the z-buffer's window: the more, the fewer false pairs [default: 128]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2048))]
    pub(crate) pixels: Option<u32>,

    /// The probability at which a pair of boxes counts as a collision, for --engine average [default: 0.99]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) p_min: Option<f64>,

    /// How many such pairs are enough for a yes, for --engine average: fewer are faster and err more [default: 10]
    #[arg(long, value_name = "K")]
    pub(crate) k_min: Option<u32>,

    /// Which pair of boxes --engine average opens next [default: probable]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(crate) order: Option<OpenOrder>,

    /// Show up to N regions in which --engine average expects an intersection: a box of each mesh, in its own frame, and a probability
    #[arg(long, value_name = "N")]
    pub(crate) regions: Option<u32>,

    /// Milliseconds after which --engine average answers with what it has
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,

    /// Skip points of clouds that are not finite, as depth cameras mark missing measurements
    #[arg(long)]
    pub(crate) drop_invalid: bool,

    /// Print which engine answered and why, the cost of each query, and the size of the index
    #[arg(long)]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Engines by name, listed in the help.
fn engine_parser() -> impl TypedValueParser<Value = EngineArg> {
    PossibleValuesParser::new(EngineArg::names())
        .map(|name| name.parse().unwrap_or(EngineArg::Auto))
}
