//! Engine selection.

use std::fmt;
use std::str::FromStr;

use impinge::TriMesh;
use impinge::bvh::choose_engine::choose_mesh_engine;
pub(crate) use impinge::bvh::choose_engine::{EngineChoice, QueryMix};
use impinge::bvh::engines::MeshEngine;
use impinge_study::engines::{MESH_ENGINES, mesh_engine};

/// The word that leaves the choice to us.
const AUTO: &str = "auto";
/// The engine of probabilistic queries.
pub(crate) const AVERAGE: &str = "average";

/// An engine by name, or whichever is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineArg {
    /// Whichever is best.
    Auto,
    /// This one.
    Named(MeshEngine),
    /// The one that may be wrong, and says how sure it is.
    Average,
}

impl EngineArg {
    /// Every word that is understood.
    pub(crate) fn names() -> Vec<&'static str> {
        let engines = MESH_ENGINES.iter().map(|engine| engine.name());
        std::iter::once(AUTO)
            .chain(engines.filter(|&name| name != AUTO))
            .chain([AVERAGE])
            .collect()
    }

    /// The engine, when an exact one or one of their kin was named.
    pub(crate) fn named(self) -> Option<MeshEngine> {
        match self {
            Self::Auto | Self::Average => None,
            Self::Named(engine) => Some(engine),
        }
    }
}

impl fmt::Display for EngineArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => AUTO,
            Self::Named(engine) => engine.name(),
            Self::Average => AVERAGE,
        })
    }
}

impl FromStr for EngineArg {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == AUTO {
            return Ok(Self::Auto);
        }
        if name == AVERAGE {
            return Ok(Self::Average);
        }
        mesh_engine(name)
            .map(Self::Named)
            .ok_or_else(|| format!("there is no engine '{name}'"))
    }
}

/// The engine that answers about two meshes, and why it.
pub(crate) fn choose_engine(
    requested: EngineArg,
    [a, b]: [&TriMesh; 2],
    questions: QueryMix,
) -> EngineChoice {
    match requested {
        EngineArg::Named(engine) => EngineChoice {
            engine,
            reason: "asked for by name".to_owned(),
        },
        // What is likely is asked elsewhere.
        EngineArg::Auto | EngineArg::Average => choose_mesh_engine(a, b, questions),
    }
}
