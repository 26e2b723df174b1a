//! `impinge haptics`: feel a scene, simulated or with a device.

pub(crate) mod fields;
mod plots;
mod renderer;
mod run;
mod scene;
mod skin;

pub(crate) use run::run;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use scene::Law;

/// What `impinge haptics --help` ends with.
pub(crate) const HAPTICS_HELP: &str = "\
SCENE is a JSON file or a built-in scene: plane, edge, corner, groove, room, terrain, dragon, teeth, moving-ball, skinned,
peg-in-hole, two-solids. `impinge haptics list` tells what they show.

  impinge haptics plane --html plane.html          # press and stroke a floor; forces, path, energy, tick times
  impinge haptics explore part.stl --png part.png  # feel any mesh, no scene file
  impinge haptics room --device hand --record r.rec && impinge haptics replay r.rec
  impinge haptics plane --device udp:4500          # wait for a device at the bridge on this machine

A script is a JSON file with a list of keyframes: [{\"t\": 0, \"position\": [0, 0, 0.1], \"turn\": [0, 0, 0]}, ...]; a turn is an axis as long as
its angle in degrees.
Exit codes: 0 no contact, 1 contact was felt, 2 error.";

/// `impinge haptics`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct HapticsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<HapticsAction>,

    #[command(flatten)]
    pub(crate) run: HapticsRunArgs,
}

/// Other things than running a scene.
#[derive(Debug, Subcommand)]
pub(crate) enum HapticsAction {
    /// Run a recording again and compare its wrenches, bit by bit
    Replay {
        /// A file that --record wrote
        file: PathBuf,
    },
    /// Feel any mesh without a scene file
    Explore {
        /// A mesh file, or a built-in model such as model:blob
        mesh: String,

        #[command(flatten)]
        options: FeelArgs,
    },
    /// List the built-in scenes
    List,
}

/// A scene and how it is felt.
#[derive(Debug, Args)]
pub(crate) struct HapticsRunArgs {
    /// A scene file or the name of a built-in scene
    pub(crate) scene: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) options: FeelArgs,
}

/// How a scene is felt.
#[derive(Clone, Debug, Args)]
pub(crate) struct FeelArgs {
    /// Where poses come from: script:FILE, hand (one that gives way, led by the scene's script), or udp:PORT on this machine [default: the
    /// scene's script]
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<String>,

    /// How wrenches are made [default: as the scene says]
    #[arg(long, value_enum)]
    pub(crate) law: Option<Law>,

    /// How long [default: as the scene says]
    #[arg(long, value_name = "N")]
    pub(crate) seconds: Option<f64>,

    /// Run a scene whose controller is off even where it is not passive: walls may vibrate
    #[arg(long)]
    pub(crate) allow_active: bool,

    /// Write inputs, edits and wrenches to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Draw the scene with proxy, path and force to a .png file
    #[arg(long, value_name = "OUT")]
    pub(crate) png: Option<PathBuf>,

    /// Plot forces, path, energy and tick times to a .svg file
    #[arg(long, value_name = "OUT")]
    pub(crate) svg: Option<PathBuf>,

    /// Write picture, plots and figures to a page
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
}
