//! The command line: the one table that help, manual pages and completions are made from.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use impinge::io::Unit;

use crate::cloud::{CLOUD_HELP, CloudArgs};
use crate::deform::{MovingSource, engine_names};
use crate::model_source::Source;
use crate::query::{EngineWish, Question, Show, SolidRule};
use crate::render::Up;

const EXIT_CODES: &str = "\
Exit codes: 0 no (nothing found), 1 yes (found), 2 error.

A and B, wherever a mesh is wanted, are files (OBJ, STL, PLY, OFF, 3MF, glTF, GLB; each also .gz)
or built-in models such as model:torus-knot or 'model:blob?faces=20000&seed=7'.";

const QUERY_HELP: &str = "\
Questions for --ask, separated by commas:
  intersects  do the surfaces share a point? with --solid: or is one inside the other?
  pairs       which faces meet?                        (--pairs CSV)
  curves      in which polylines do they meet?
  distance    how far apart are they?                  (--max-distance, --abs-error, --rel-error)
  tolerance   are they at most D apart?                (--tolerance D)
  depth       how far must b move to be free of a? closed meshes only
  impact      when do they first touch on the way from --pose to --to?
Without --ask: intersects, pairs and, when they are apart, the distance.

Exit codes: 0 no, 1 yes, 2 error or undecided (--limit-tests).
They answer the first question asked, distance aside; distance alone says whether it is 0.
With --poses: 1 if the answer is yes for any of them.

A file of points (PCD, XYZ, CSV, LAS, LAZ, PLY and OBJ without faces) is a cloud: it answers intersects, distance, tolerance,
depth and impact for its points. `impinge cloud --surface` asks about the surfaces behind them.";

const CLASH_HELP: &str = "\
Kinds: duplicate (the same surface in the same place), crossing (overlapping), contained (one inside the
other), touching, clearance (apart by at most --clearance). The deepest come first.

Rules, one per line: 'ignore P' leaves out parts, 'ignore P Q' pairs of parts; 'select P' and 'select P Q'
leave out all others. P and Q are patterns such as bolt* or 'M[0-9]?'; those with spaces stand in double
quotes; # begins a remark.

A baseline is what --json printed before. Clashes are known again by the names of their parts, or by their content
when parts were renamed.

Exit codes: 0 no clashes, 1 clashes (with --new-only: new ones), 2 error, or a part was damaged and skipped (the others
are still looked at).";
const PACK_HELP: &str = "\
The list is written as JSON, or as the collision geometry of one URDF link when the name ends in .urdf or .xml.
Every ball lies inside the mesh and none overlaps another; each is about the largest that fits beside those before it.
With --cover the balls overlap and their union holds the mesh.

The mesh must be closed and face outwards: `impinge info` says what is wrong, `impinge convert --weld --reorient
--fill-holes N` may mend it.
Exit codes: 0 done, 2 error.";

const DEFORM_HELP: &str = "\
A sequence is one of
  a folder of numbered meshes, or a pattern of their names: cloth-*.obj, cloth-####.ply, cloth-%04d.ply
  a PC2 or MDD file, with its mesh beside it under the same name or given by --mesh
  NAME-anim.dmat, skinning matrices, with mesh and NAME-weights.dmat beside it or given
  a glTF or GLB file with animated nodes, morph targets or skins, sampled at --rate
  a built-in scene: scene:curtain, scene:expanding-balls, scene:vase, scene:half-torus, scene:chazelle-pair,
  scene:huge-and-tiny, scene:all-overlapping; settings as in 'scene:vase?faces=20000&frames=100'

Parts of the mesh are objects; --pieces makes objects of connected pieces instead. Neighbouring faces meet only
where they do so beyond what they share. With --continuous, faces that meet on the way to the next frame count, vertices
going straight.

Exit codes: 0 nothing meets, 1 something meets, 2 error, or a frame was refused and left out (the others are still
looked at).";

/// Exact collision questions about triangle meshes.
///
/// Without a command, impinge takes a short tour: it makes two models, checks them, intersects them
/// exactly and writes a picture.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Answer in JSON, one object per line, instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print results and errors only; without --json the exit code is the result
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make two models, check them, intersect them and draw the result (also without any command)
    Tour(TourArgs),
    /// Look at meshes: sizes, volume, class, and every finding with its place
    #[command(
        after_help = "Exit codes: 0 no errors or warnings, 1 some found, 2 a file could not be read (the others are still \
                      looked at)."
    )]
    Info(InfoArgs),
    /// Look at point clouds: sizes, density, noise, and every finding
    #[command(
        after_help = "Reads PLY, XYZ, CSV, PCD, LAS, LAZ and the vertices of OBJ.\n\nExit codes: 0 no warnings, 1 some found or points dropped, 2 a file could not be \
                      read (the others are still looked at)."
    )]
    CloudInfo(CloudInfoArgs),
    /// Ask about two placed point clouds, or a cloud and a mesh: how far apart, do they meet; with --surface the surfaces behind them
    #[command(after_help = CLOUD_HELP)]
    Cloud(Box<CloudArgs>),
    /// Write a mesh in another format, scaled or repaired on the way
    Convert(ConvertArgs),
    /// Write a built-in model to a file
    Generate(GenerateArgs),
    /// Fill a closed mesh with disjoint balls, largest first, or surround it by few
    #[command(after_help = PACK_HELP)]
    Pack(PackArgs),
    /// Ask about two placed meshes: do they meet, where, how far, how deep, when; touching counts
    #[command(after_help = QUERY_HELP)]
    Query(Box<QueryArgs>),
    /// Run a moving scene and tell what meets, touches and parts
    #[command(after_help = "Exit codes: 0 nothing touches, 1 something does, 2 error.")]
    Run(RunArgs),
    /// Run a recorded scene again and compare its answers
    #[command(after_help = "Exit codes: 0 all answers as recorded, 1 some are not, 2 error.")]
    Replay(ReplayArgs),
    /// Go through the frames of a deforming scene and tell which faces meet, within objects and between them
    #[command(after_help = DEFORM_HELP)]
    Deform(Box<DeformArgs>),
    /// Find the parts of assemblies that collide or come too close; touching counts
    #[command(after_help = CLASH_HELP)]
    Clash(Box<ClashArgs>),
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands into a folder
    Man(ManArgs),
}

/// How files are read.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ReadingArgs {
    /// Multiply every coordinate by this positive number
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub(crate) scale: f64,

    /// Unit of the coordinates (um, mm, cm, m, in, ft): they are converted to metres
    #[arg(long, value_name = "U")]
    pub(crate) units: Option<Unit>,
}

/// `impinge tour`
#[derive(Debug, Default, Args)]
pub(crate) struct TourArgs {
    /// The picture to write [default: impinge-tour.png]
    #[arg(short, long, value_name = "PNG", value_parser = png_path)]
    pub(crate) output: Option<PathBuf>,
}

/// `impinge info`
#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Mesh files or built-in models
    #[arg(required = true, value_name = "FILE")]
    pub(crate) sources: Vec<Source>,

    /// List every finding instead of the first few of each kind
    #[arg(long)]
    pub(crate) all: bool,

    /// Draw the mesh with its findings to a .png file; for several files the name gets a number
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// `impinge cloud-info`
#[derive(Debug, Args)]
pub(crate) struct CloudInfoArgs {
    /// Point cloud files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// `impinge convert`
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Mesh file or built-in model
    #[arg(value_name = "IN")]
    pub(crate) input: Source,

    /// File to write: .obj, .stl, .ply, .off or .glb, each also .gz
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Merge vertices at the same position, or at most TOL apart, and drop faces that collapse
    #[arg(long, value_name = "TOL", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) weld: Option<f64>,

    /// Turn faces so that neighbours agree and closed surfaces face outward
    #[arg(long)]
    pub(crate) reorient: bool,

    /// Close holes of at most this many edges
    #[arg(long, value_name = "N")]
    pub(crate) fill_holes: Option<usize>,

    /// Write text where the format has both (STL, PLY)
    #[arg(long)]
    pub(crate) ascii: bool,

    /// Keep only the part with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) part: Option<String>,
}

/// `impinge generate`
#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// The model's name, from --list
    #[arg(required_unless_present = "list")]
    pub(crate) name: Option<String>,

    /// About how many faces it should have
    #[arg(long, value_name = "N")]
    pub(crate) faces: Option<usize>,

    /// Seed of the models that are random
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// File to write: .obj, .stl, .ply, .off or .glb, each also .gz
    #[arg(short, long, value_name = "FILE", required_unless_present = "list")]
    pub(crate) output: Option<PathBuf>,

    /// List the models
    #[arg(long, conflicts_with_all = ["name", "output"])]
    pub(crate) list: bool,
}

/// `impinge pack`
#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// Mesh file or built-in model
    #[arg(value_name = "FILE")]
    pub(crate) source: Source,

    /// Stop at this many balls [default: 1000, unless another bound is given]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) count: Option<usize>,

    /// Stop when this part of the volume is filled, between 0 and 1
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub(crate) fill: Option<f64>,

    /// Stop when only smaller balls fit
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) min_radius: Option<f64>,

    /// Surround the mesh by at most this many balls instead of filling it
    #[arg(long, value_name = "N", conflicts_with_all = ["count", "fill", "min_radius"])]
    pub(crate) cover: Option<usize>,

    /// File to write the balls to: .json, .urdf or .xml
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Write the balls as a coloured GLB model
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// Draw the balls to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// Each seed gives one packing
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// `impinge query`
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// First mesh or cloud: a file or a built-in model
    pub(crate) a: Source,

    /// Second mesh or cloud
    pub(crate) b: Source,

    /// What to ask, separated by commas [default: intersects,pairs and, when apart, distance]
    #[arg(
        long,
        value_name = "LIST",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub(crate) ask: Vec<Question>,

    /// JSON file with B's placement in A's frame: 16 numbers, a 4×4 matrix row by row; its translation is in
    /// the coordinates that result from --scale and --units (metres with --units)
    #[arg(long, value_name = "FILE")]
    pub(crate) pose: Option<PathBuf>,

    /// JSON file with an array of placements: answers for each, as a table or as lines of JSON
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

    /// Count what the meshes enclose: a mesh inside another collides with it
    #[arg(
        long,
        value_name = "RULE",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "closed"
    )]
    pub(crate) solid: Option<SolidRule>,

    /// The distance that tolerance asks about
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,

    /// Do not look for distances beyond this
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) max_distance: Option<f64>,

    /// A distance or depth may be too large by this much
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(crate) abs_error: Option<f64>,

    /// A distance or depth may be too large by this part of itself [default: 0, for depth 0.001]
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

    /// Write the shape of what the solids share as a coloured GLB model: pieces of both surfaces, each inside the other
    #[arg(long, value_name = "OUT")]
    pub(crate) overlap: Option<PathBuf>,

    /// Show in --png and --glb what the search looked at: boxes that meet, and the faces in them
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) show: Option<Show>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// Give up after this many tests of boxes and faces; the answer may stay open
    #[arg(long, value_name = "N")]
    pub(crate) limit_tests: Option<u64>,

    /// The engine that answers; all give the same answers, except that edge-polygon-relaxed finds fewer pairs,
    /// edge-polygon-pre-checks and z-buffer more
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = engine_parser())]
    pub(crate) engine: EngineWish,

    /// Pixels along the longer side of the z-buffer's window: the more, the fewer pairs that do not meet [default: 128]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2048))]
    pub(crate) pixels: Option<u32>,

    /// Say which engine answered and why, what each question cost, and how large the index is
    #[arg(long)]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// `impinge deform`
#[derive(Debug, Args)]
pub(crate) struct DeformArgs {
    /// Folder, pattern, file or built-in scene, see below
    #[arg(value_name = "SEQUENCE", default_value = "scene:curtain")]
    pub(crate) sequence: MovingSource,

    /// The engine that answers; all give the same answers
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = PossibleValuesParser::new(engine_names()))]
    pub(crate) engine: String,

    /// Also find what meets between frames
    #[arg(long)]
    pub(crate) continuous: bool,

    /// Look only at every so many frames
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) every: usize,

    /// The mesh that a PC2, MDD or DMAT file moves
    #[arg(long, value_name = "FILE")]
    pub(crate) mesh: Option<PathBuf>,

    /// The skinning weights of a DMAT animation
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,

    /// Frames in a second, where files count frames, and for sampling glTF
    #[arg(long, value_name = "HZ", default_value_t = 24.0)]
    pub(crate) rate: f64,

    /// Which animation of a glTF file, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) clip: usize,

    /// Take every connected piece for an object
    #[arg(long)]
    pub(crate) pieces: bool,

    /// Write a table of all frames: contacts, work, times
    #[arg(long, value_name = "OUT")]
    pub(crate) csv: Option<PathBuf>,

    /// Draw the frame with most contacts to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// Write the same as a coloured GLB model
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// List every frame with contacts instead of the first 12
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// `impinge clash`
#[derive(Debug, Args)]
pub(crate) struct ClashArgs {
    /// Mesh files, folders of them, or built-in models; parts are OBJ groups, glTF nodes, 3MF items, whole STL, PLY and OFF files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) sources: Vec<Source>,

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

    /// Which pairs to ignore or to select, by the names of parts
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,

    /// What --json printed for an earlier run: clashes are marked new or persisting, and resolved ones listed
    #[arg(long, value_name = "OLD.json")]
    pub(crate) baseline: Option<PathBuf>,

    /// Report only what is not in the baseline
    #[arg(long)]
    pub(crate) new_only: bool,

    /// Write a table: rank, id, kind, status, names, depth, distance, place
    #[arg(long, value_name = "OUT")]
    pub(crate) csv: Option<PathBuf>,

    /// Write a page to look at, with a picture of each clash; it needs no network
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,

    /// Write the assembly as a GLB model, clashing parts coloured by kind
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// Write a BCF 2.1 file, which CAD and BIM programs open as a list of issues
    #[arg(long, value_name = "OUT")]
    pub(crate) bcf: Option<PathBuf>,

    /// Draw at most this many pictures for --html and --bcf
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub(crate) pictures: usize,

    /// The axis that points up in pictures
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// Mebibytes that indexes may take; what does not fit is built again when needed
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) memory: u64,

    /// List every clash instead of the first 40
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// The path of a picture, which must say that it is one.
pub(crate) fn png_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("png") => Ok(path),
        _ => Err(format!(
            "pictures are PNG files: name it '{}'",
            path.with_extension("png").display()
        )),
    }
}

/// Engines by name, listed in the help.
fn engine_parser() -> impl TypedValueParser<Value = EngineWish> {
    PossibleValuesParser::new(EngineWish::names())
        .map(|name| name.parse().unwrap_or(EngineWish::Auto))
}

/// `impinge run`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// JSON file with shapes, objects and their motion
    #[arg(value_name = "SCENE")]
    pub(crate) scene: PathBuf,

    /// Make this many steps instead of those in the file
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<usize>,

    /// Record everything and its answers to a file for `impinge replay`
    #[arg(long, value_name = "OUT")]
    pub(crate) trace: Option<PathBuf>,
}

/// `impinge replay`
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Trace that `impinge run --trace` or the library wrote
    #[arg(value_name = "FILE")]
    pub(crate) trace: PathBuf,

    /// The broad phase that answers; all give the same answers
    #[arg(long, value_name = "NAME", default_value = "tree")]
    pub(crate) broad_phase: String,
}

/// `impinge completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// `impinge man`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder to write all pages into
    pub(crate) dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_flag_table_is_consistent() {
        Cli::command().debug_assert();
    }
}
