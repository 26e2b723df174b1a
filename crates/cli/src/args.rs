//! The command line: the one table that help, manual pages and completions are made from.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use impinge::bvh::engines::MeshEngine;
use impinge::io::Unit;

use crate::model_source::Source;
use crate::render::Up;

const EXIT_CODES: &str = "\
Exit codes: 0 no (nothing found), 1 yes (found), 2 error.

A and B, wherever a mesh is wanted, are files (OBJ, STL, PLY, OFF, 3MF, glTF, GLB; each also .gz)
or built-in models such as model:torus-knot or 'model:blob?faces=20000&seed=7'.";

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
    /// Write a mesh in another format, scaled or repaired on the way
    Convert(ConvertArgs),
    /// Write a built-in model to a file
    Generate(GenerateArgs),
    /// Find the faces of two meshes that intersect, exactly; touching counts
    #[command(
        after_help = "Exit codes: 0 the surfaces share no point, 1 they do, 2 error or undecided (--limit-tests)."
    )]
    Query(QueryArgs),
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

/// `impinge query`
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// First mesh: a file or a built-in model
    pub(crate) a: Source,

    /// Second mesh
    pub(crate) b: Source,

    /// JSON file with B's placement in A's frame: 16 numbers, a 4×4 matrix row by row; its translation is in
    /// the coordinates that result from --scale and --units (metres with --units)
    #[arg(long, value_name = "FILE")]
    pub(crate) pose: Option<PathBuf>,

    /// Replace a pose matrix that is not quite a rotation by the nearest one
    #[arg(long, requires = "pose")]
    pub(crate) repair_pose: bool,

    /// Write the pairs of intersecting faces, counted from 0 in file order: columns face_a,face_b, and
    /// polygon_a,polygon_b behind them when a file has polygons
    #[arg(long, value_name = "CSV")]
    pub(crate) pairs: Option<PathBuf>,

    /// Draw both meshes, the intersecting faces and the curve in which they meet to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// The axis that points up in the picture
    #[arg(long, value_name = "AXIS", value_enum, default_value_t = Up::Z)]
    pub(crate) up: Up,

    /// Give up after this many tests of boxes and faces; the answer may stay open
    #[arg(long, value_name = "N")]
    pub(crate) limit_tests: Option<u64>,

    /// The engine that answers; all give the same pairs
    #[arg(long, value_name = "NAME", default_value = "wide", value_parser = engine_parser())]
    pub(crate) engine: MeshEngine,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// The path of a picture, which must say that it is one.
fn png_path(text: &str) -> Result<PathBuf, String> {
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
fn engine_parser() -> impl TypedValueParser<Value = MeshEngine> {
    PossibleValuesParser::new(MeshEngine::ALL.map(MeshEngine::name))
        .map(|name| MeshEngine::from_name(&name).unwrap_or(MeshEngine::WideTree))
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
