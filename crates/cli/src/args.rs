//! The command line: the one table that help, manual pages and completions are made from.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use impinge::io::Unit;

use crate::clash::{CLASH_HELP, ClashArgs};
use crate::cloud::{CLOUD_HELP, CloudArgs};
use crate::deform::{DEFORM_HELP, DeformArgs};
use crate::haptics::{HAPTICS_HELP, HapticsArgs};
use crate::model_source::ModelSource;
use crate::pyramid_run::PyramidArgs;
use crate::query::{QUERY_HELP, QueryArgs};
use crate::random_scene::{RandomArgs, RunMethodArgs};
use crate::relative_length::RelativeLength;
use crate::render::Up;
use crate::scene_file::detector_names;
use crate::sculpt::{SCULPT_HELP, SculptArgs};
use crate::study_run::StudyArgs;
use crate::workspace_run::{WORKSPACE_HELP, WorkspaceArgs};

const EXIT_CODES: &str = "\
Exit codes: 0 no (nothing found), 1 yes (found), 2 error.

A and B, and every mesh, are files (OBJ, STL, PLY, OFF, 3MF, glTF, GLB; each also .gz)
or built-in models such as model:torus-knot or 'model:blob?faces=20000&seed=7'.";

const PACK_HELP: &str = "\
The list is written as JSON, as the collision geometry of one URDF link when the name ends in .urdf or .xml, or as
cuRobo's collision_spheres when it ends in .yaml or .yml.
The spheres are inside the mesh and disjoint; each is about the largest that fits beside those before it.
With --cover the spheres overlap and their union contains the mesh; this is proven. More spheres never hold more volume.
A mesh that does not close is covered too: inside is where it winds more than half a time, or the hull with --hull.
Of a folder every mesh is covered, and all links are written to one file.

To be packed, the mesh must be closed and face outwards: `impinge info` lists what is wrong, `impinge convert --repair` closes small
holes, `impinge convert --wrap 1%` puts a closed surface around any mesh.
Exit codes: 0 done, 2 error.";

/// Exact collision detection for meshes, shapes, point clouds and scenes.
///
/// Without a command, impinge runs a short tour: it makes two models, checks them, intersects them
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
    /// Describe meshes: size, volume, class, and every finding with its location
    #[command(
        after_help = "Exit codes: 0 no errors or warnings, 1 some found, 2 a file could not be read (the others are still \
                      looked at)."
    )]
    Info(InfoArgs),
    /// Describe point clouds: size, density, noise, and every finding
    #[command(
        after_help = "Reads PLY, XYZ, CSV, PCD, LAS, LAZ and the vertices of OBJ.\n\nExit codes: 0 no warnings, 1 some found or points dropped, 2 a file could not be \
                      read (the others are still looked at)."
    )]
    CloudInfo(CloudInfoArgs),
    /// Query two placed point clouds, or a cloud and a mesh: intersection and distance; with --surface the surfaces behind them
    #[command(after_help = CLOUD_HELP)]
    Cloud(Box<CloudArgs>),
    /// Convert a mesh to another format, scaled or repaired
    Convert(ConvertArgs),
    /// Write a built-in model to a file
    Generate(GenerateArgs),
    /// Pack a closed mesh with disjoint spheres, largest first, or cover it with few
    #[command(after_help = PACK_HELP)]
    Pack(PackArgs),
    /// Query two placed meshes: intersection, curves, distance, depth, volume, time of impact; touching counts
    #[command(after_help = QUERY_HELP)]
    Query(Box<QueryArgs>),
    /// Run a moving scene and report overlap and contact events
    #[command(after_help = "Exit codes: 0 nothing touches, 1 something does, 2 error.")]
    Run(RunArgs),
    /// Replay a recorded scene and compare its answers
    #[command(after_help = "Exit codes: 0 all answers as recorded, 1 some are not, 2 error.")]
    Replay(ReplayArgs),
    /// Find the intersecting faces in every frame of a deforming scene, within objects and between them
    #[command(after_help = DEFORM_HELP)]
    Deform(Box<DeformArgs>),
    /// List the graphics adapters that `--engine gpu` and `--gpu` may use
    #[command(after_help = "Exit codes: 0 there is none, 1 there are some, 2 error.")]
    Devices,
    /// Find the parts of assemblies that collide or come too close; touching counts
    #[command(after_help = CLASH_HELP)]
    Clash(Box<ClashArgs>),
    /// Feel a scene: forces at 1 kHz, with a simulated hand or a device
    #[command(after_help = HAPTICS_HELP)]
    Haptics(Box<HapticsArgs>),
    /// Shape clay by a script of strokes: press, drag or push it with parts of a hand
    #[command(after_help = SCULPT_HELP)]
    Sculpt(SculptArgs),
    /// Simulated users and hands among bodies that push each other
    #[command(after_help = WORKSPACE_HELP)]
    Workspace(WorkspaceArgs),
    /// Run a simulated user study, or the statistics of one
    Study(StudyArgs),
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands into a folder
    Man(ManArgs),
}

/// What goes with a picture.
#[derive(Clone, Debug, Args)]
pub(crate) struct PictureArgs {
    /// Write the same as a coloured GLB model
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,
}

/// How files are read.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ReadingArgs {
    /// Multiply every coordinate by this positive number
    #[arg(
        long,
        value_name = "S",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
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
    pub(crate) sources: Vec<ModelSource>,

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

    /// Draw the surface behind the points and the proximity graph to a .png file; for one cloud
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// `impinge convert`
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Mesh file or built-in model
    #[arg(value_name = "IN")]
    pub(crate) input: ModelSource,

    /// File to write: .obj, .stl, .ply, .off or .glb, each also .gz
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Merge vertices at the same position, or at most TOL apart, and drop faces that collapse
    #[arg(long, value_name = "TOL", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) weld: Option<f64>,

    /// Orient faces consistently, closed surfaces outward
    #[arg(long)]
    pub(crate) reorient: bool,

    /// Close holes of at most this many edges
    #[arg(long, value_name = "N")]
    pub(crate) fill_holes: Option<usize>,

    /// Weld, drop duplicate and collapsed faces, close holes of at most 64 edges, orient outward; says what could not
    /// be repaired and why (--weld and --fill-holes set the limits)
    #[arg(long)]
    pub(crate) repair: bool,

    /// Write a closed surface around all faces, whatever they are, nowhere farther from them than E: a length, or 1%
    /// of the diagonal
    #[arg(long, value_name = "E")]
    pub(crate) wrap: Option<RelativeLength>,

    /// With --wrap, close gaps up to this width too: a length, or 5% of the diagonal
    #[arg(long, value_name = "WIDTH", requires = "wrap")]
    pub(crate) gap: Option<RelativeLength>,

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

    /// Approximate number of faces
    #[arg(long, value_name = "N")]
    pub(crate) faces: Option<usize>,

    /// Seed of random models
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
    pub(crate) source: ModelSource,

    /// Stop at this many spheres [default: 1000, unless another bound is given]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) count: Option<usize>,

    /// Stop when this fraction of the volume is filled, between 0 and 1
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub(crate) fill: Option<f64>,

    /// Stop when only smaller spheres fit
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) min_radius: Option<f64>,

    /// Stop after this many minutes with the spheres found so far
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) minutes: Option<f64>,

    #[command(flatten)]
    pub(crate) covering: CoverArgs,

    /// File to write the spheres to: .json, .urdf, .xml, or .yaml for cuRobo
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Write the medial axis: centres and radii of the largest empty spheres, nodes of the Voronoi diagram of the surface, and the edges between those that overlap: .json or .ply
    #[arg(long, value_name = "OUT")]
    pub(crate) nodes: Option<PathBuf>,

    /// Cells along the longest side that separate nodes
    #[arg(long, value_name = "N", default_value_t = 32, requires = "nodes", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) node_cells: u32,

    /// Write which spheres touch: .json
    #[arg(long, value_name = "OUT")]
    pub(crate) graph: Option<PathBuf>,

    /// Write the spheres as a coloured GLB model
    #[arg(long, value_name = "OUT")]
    pub(crate) glb: Option<PathBuf>,

    /// Draw the spheres to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// Each seed gives one packing
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Let a graphics card look for the places; the balls pass the same checks
    #[arg(long, conflicts_with_all = ["cover", "minutes", "seed"])]
    pub(crate) gpu: bool,

    /// With --gpu: part of an adapter's name, or `twin` for the same on the processor [default: the first adapter]
    #[arg(long, value_name = "NAME", requires = "gpu")]
    pub(crate) device: Option<String>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// What `impinge pack` covers a mesh with.
#[derive(Debug, Args)]
pub(crate) struct CoverArgs {
    /// Cover the mesh with at most this many spheres instead of packing it; of a folder, each part
    #[arg(long, value_name = "N", conflicts_with_all = ["count", "fill", "min_radius", "minutes"])]
    pub(crate) cover: Option<usize>,

    /// Cover with the fewest spheres, up to --cover N or 256, whose volume beyond the mesh is at most this part of the mesh's
    #[arg(long, value_name = "F", allow_negative_numbers = true, conflicts_with_all = ["count", "fill", "min_radius", "minutes"])]
    pub(crate) max_excess: Option<f64>,

    /// Cover with the fewest spheres, up to --cover N or 256, that reach at most this far beyond the mesh
    #[arg(long, value_name = "D", allow_negative_numbers = true, conflicts_with_all = ["count", "fill", "min_radius", "minutes"])]
    pub(crate) max_overshoot: Option<f64>,

    /// Share this many spheres among the parts of a folder: more where they save more volume
    #[arg(long, value_name = "N", conflicts_with_all = ["cover", "max_excess", "max_overshoot", "count", "fill", "min_radius", "minutes"])]
    pub(crate) cover_total: Option<usize>,

    /// Spheres around the mesh, inside of it, or as near to its surface as they can be
    #[arg(long, value_name = "MODE", value_enum, default_value_t = CoverSide::Outer)]
    pub(crate) cover_mode: CoverSide,

    /// Cover the convex hull of the mesh
    #[arg(long)]
    pub(crate) hull: bool,
}

/// On which side of the surface the spheres of a cover are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CoverSide {
    /// Their union contains the mesh
    Outer,
    /// They lie inside and overlap
    Inner,
    /// The surface of their union is near to that of the mesh
    Fit,
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

/// `impinge run`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// JSON file with shapes, objects and their motion
    #[arg(
        value_name = "SCENE",
        required_unless_present_any = ["random", "pyramid"],
        conflicts_with_all = ["random", "pyramid"]
    )]
    pub(crate) scene: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) population: RandomArgs,

    #[command(flatten)]
    pub(crate) method: RunMethodArgs,

    #[command(flatten)]
    pub(crate) pyramid: PyramidArgs,

    /// Number of steps, instead of that in the file; 100 with --random
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<usize>,

    /// The broad phase instead of that in the file; all give the same answers
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(detector_names()))]
    pub(crate) broad_phase: Option<String>,

    /// Report contact points, at every step with --json
    #[arg(long)]
    pub(crate) contacts: bool,

    /// Record the scene and its answers to a file for `impinge replay`
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
    #[arg(long, value_name = "NAME", default_value = "tree", value_parser = PossibleValuesParser::new(detector_names()))]
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
