//! The flags of `impinge clash`.

use std::path::PathBuf;

use clap::Args;

use crate::args::ReadingArgs;
use crate::model_source::ModelSource;
use crate::render::Up;

/// Below the flags.
pub(crate) const CLASH_HELP: &str = "\
Kinds: duplicate (the same surface at the same position), crossing (overlapping), contained (one inside the
other), touching, clearance (apart by at most --clearance). The deepest come first.

Rules, one per line: 'ignore P' excludes parts, 'ignore P Q' pairs of parts; 'select P' and 'select P Q'
exclude all others; 'ignore:touching P Q' excludes clashes of one kind, and 'ignore:contained P Q' those of a P inside
a Q. P and Q are patterns such as bolt* or 'M[0-9]?'; those with spaces stand in double
quotes; # begins a comment.

A baseline is the JSON output of an earlier run. Clashes are identified by the names of their parts, or by their content
when parts were renamed.

Exit codes: 0 no clashes, 1 clashes (with --new-only: new ones), 2 error, or a part was damaged and skipped (the others
are still checked).";

/// What clashes of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum GroupBy {
    /// A part: that with the most clashes first
    Part,
    /// Where they are
    Place,
}

/// `impinge clash`
#[derive(Debug, Args)]
pub(crate) struct ClashArgs {
    /// Mesh files, folders of them, or built-in models; parts are OBJ groups, glTF nodes, 3MF items, whole STL, PLY and OFF files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) sources: Vec<ModelSource>,

    /// Also report parts that are apart by at most this
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) clearance: Option<f64>,

    /// Ignore overlaps no deeper than this, and touching parts too unless --clearance is given
    #[arg(
        long,
        value_name = "D",
        allow_negative_numbers = true,
        default_value_t = 0.0
    )]
    pub(crate) tolerance: f64,

    /// How far coordinates may be off because files round them: overlaps and gaps up to twice this are called touching; 0 takes them as they
    /// are [default: read from the format]
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) precision: Option<f64>,

    /// Pairs to ignore or to select, by part names
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,

    /// JSON output of an earlier run: clashes are marked new or persisting, and resolved ones listed
    #[arg(long, value_name = "OLD.json")]
    pub(crate) baseline: Option<PathBuf>,

    /// Report only what is not in the baseline
    #[arg(long)]
    pub(crate) new_only: bool,

    /// Put clashes together that share a part or are near each other; a BCF file then has one topic per group
    #[arg(long, value_name = "BY", value_enum)]
    pub(crate) group: Option<GroupBy>,

    /// Clashes so near each other are one place [default: a twentieth of the assembly]
    #[arg(long, value_name = "D", requires = "group")]
    pub(crate) group_distance: Option<f64>,

    /// Write a table: rank, id, kind, status, names, depth, distance, location
    #[arg(long, value_name = "OUT")]
    pub(crate) csv: Option<PathBuf>,

    /// Write an HTML page with a picture of each clash; it needs no network
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,

    /// Write the assembly as a GLB model, clashing parts coloured by kind
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// Write a BCF 2.1 file, which CAD and BIM programs open as a list of issues
    #[arg(long, value_name = "OUT")]
    pub(crate) bcf: Option<PathBuf>,

    /// Draw at most this many pictures for --html and --bcf, some of each kind
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub(crate) pictures: usize,

    /// The axis that points up in pictures
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// Mebibytes that indexes may take; what does not fit is built again when needed
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) memory: u64,

    /// List every clash instead of the first 40, each depth as well as it can be known
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
