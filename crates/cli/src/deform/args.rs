//! The flags of `impinge deform`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::engines::names as engine_names;
use super::source::MovingSource;
use crate::args::{PictureArgs, ReadingArgs, png_path};

/// Below the flags.
pub(crate) const DEFORM_HELP: &str = "\
A sequence is one of
  a folder of numbered meshes, or a pattern of their names: cloth-*.obj, cloth-####.ply, cloth-%04d.ply
  a PC2 or MDD file, with its mesh beside it under the same name or given by --mesh
  NAME-anim.dmat, skinning matrices, with mesh and NAME-weights.dmat beside it or given
  a glTF or GLB file with animated nodes, morph targets or skins, sampled at --rate
  a built-in scene: scene:curtain, scene:expanding-balls, scene:vase, scene:half-torus, scene:chazelle-pair,
  scene:huge-and-tiny, scene:all-overlapping; settings as in 'scene:vase?faces=20000&frames=100'

Parts of the mesh are objects; --pieces makes objects of connected components instead. Neighbouring faces intersect only
if they do so beyond what they share; in a soup every face has its own vertices, and --weld merges those at the same
position. --continuous adds contacts on the way to the next frame, with vertices on straight lines.

--engine separation-list reads all frames first and takes them as keys of a kinetic separation list. It finds the contacts on the
way without --continuous, in order of time; a contact that goes on at a frame is not counted again. Vertices times frames may
be 67 million.

Faces stay the same, or a frame is refused. With --changing-faces, numbered meshes may have other faces in every frame, as
in fracture; nothing is known about the step to a frame with other faces.

Exit codes: 0 no contacts, 1 contacts, 2 error, or a frame was refused and skipped (the others are still
checked).";

/// What colours of faces tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColourBy {
    /// Their objects
    Objects,
    /// The clusters of faces that are swept together
    Clusters,
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

    /// With --engine gpu: `all` adapters, so many, one whose name contains this, or `twin` for the same on the processor; `impinge devices`
    /// lists them
    #[arg(long, value_name = "all|N|NAME", default_value = "1")]
    pub(crate) devices: String,

    /// With --engine gpu: clusters that the scene is cut into, 1 to 64
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) clusters: u32,

    /// With --engine gpu: print adapters, stages, kernels, bytes moved and the share of pairs that went to the exact test
    #[arg(long)]
    pub(crate) explain: bool,

    /// Also find contacts between frames
    #[arg(long)]
    pub(crate) continuous: bool,

    /// Use only every N-th frame
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) every: usize,

    /// The mesh that a PC2, MDD or DMAT file moves
    #[arg(long, value_name = "FILE")]
    pub(crate) mesh: Option<PathBuf>,

    /// The skinning weights of a DMAT animation
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,

    /// Frames in a second, where files count frames, and for sampling glTF
    #[arg(
        long,
        value_name = "HZ",
        allow_negative_numbers = true,
        default_value_t = 24.0
    )]
    pub(crate) rate: f64,

    /// Which animation of a glTF file, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) clip: usize,

    /// Treat every connected component as an object
    #[arg(long)]
    pub(crate) pieces: bool,

    /// Merge vertices at the same position, so that neighbours in a soup share them
    #[arg(long)]
    pub(crate) weld: bool,

    /// Accept numbered meshes whose faces change from frame to frame
    #[arg(long)]
    pub(crate) changing_faces: bool,

    /// Print times and counters of each stage
    #[arg(long)]
    pub(crate) stages: bool,

    /// Write a table of all frames: contacts, work, times
    #[arg(long, value_name = "OUT")]
    pub(crate) csv: Option<PathBuf>,

    /// Draw the frame with most contacts to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Meaning of colours in --png and --glb
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = ColourBy::Objects)]
    pub(crate) colour: ColourBy,

    /// List every frame with contacts instead of the first 12
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
