//! Which engines there are, and whether their runners are present.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::bail;

use crate::folders::installed;
pub(crate) use crate::folders::{root, target};
use crate::manifold::MANIFOLD;

/// The engine that every other is compared with.
pub(crate) const OURS: &str = "impinge";
/// The peer that every bar names.
pub(crate) const FCL: &str = "fcl";
/// The peer that judges pairs.
pub(crate) const JUDGE: &str = "cgal";

/// The peers, with what they are good for.
pub(crate) const PEERS: &[(&str, &str)] = &[
    (FCL, "FCL, OBBRSS trees: intersects, pairs, distance"),
    (
        "coal",
        "Coal, OBBRSS trees: intersects, pairs, distance, tolerance",
    ),
    ("parry", "parry3d in f32: everything, impact too"),
    ("parry-f64", "parry3d-f64: everything, impact too"),
    ("bullet", "Bullet GImpact in f32: intersects"),
    ("ode", "ODE with OPCODE trees: intersects"),
    (JUDGE, "CGAL, exact and without a tree: the judge of pairs"),
    ("obvhs", "obvhs, a builder of box trees: build only"),
];

/// Peers that answer questions about solids and no others, so that `all` leaves them out.
const SOLID_PEERS: &[&str] = &[MANIFOLD];

/// An engine and how its runner is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Engine {
    pub(crate) name: String,
    program: PathBuf,
    /// Set for ours: the runner is this program.
    serves: Option<String>,
}

impl Engine {
    /// Whether it is one of ours.
    pub(crate) fn is_ours(&self) -> bool {
        self.serves.is_some()
    }

    /// The command that starts the runner.
    pub(crate) fn command(&self, a: &Path, b: &Path) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(name) = &self.serves {
            command.args(["serve", name]);
        }
        command.arg(a).arg(b);
        command
    }
}

/// What looking for an engine gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundEngine {
    Present(Engine),
    /// Known, but its runner was not built.
    Absent,
}

/// The engine with this name.
///
/// # Errors
/// A name that no engine has.
pub(crate) fn find(name: &str) -> anyhow::Result<FoundEngine> {
    // Anybody's runner, by the name it shall have.
    if let Some((name, program)) = name.split_once('=') {
        let program = PathBuf::from(program);
        if !program.is_file() {
            bail!("there is no program {} for {name}", program.display());
        }
        return Ok(FoundEngine::Present(Engine {
            name: name.to_owned(),
            program: std::path::absolute(program)?,
            serves: None,
        }));
    }
    // Either way of saying it: kdop18 is 18-dop.
    let spelled = name.strip_prefix("kdop").map(|k| format!("{k}-dop"));
    let name = spelled.as_deref().unwrap_or(name);
    let serves = match name.split_once(':') {
        Some((OURS, engine)) => Some(engine),
        None if name == OURS => Some(crate::own_runners::DEFAULT),
        _ => crate::own_runners::is_engine(name).then_some(name),
    };
    if let Some(engine) = serves {
        if !crate::own_runners::is_engine(engine) {
            bail!(
                "impinge has no engine `{engine}`; it has: {}",
                crate::own_runners::names().join(", ")
            );
        }
        return Ok(FoundEngine::Present(Engine {
            name: name.to_owned(),
            program: std::env::current_exe()?,
            serves: Some(engine.to_owned()),
        }));
    }
    let peers = PEERS.iter().map(|(peer, _)| *peer);
    let peers: Vec<&str> = peers.chain(SOLID_PEERS.iter().copied()).collect();
    if !peers.contains(&name) {
        bail!(
            "no engine is called `{name}`; ours are {OURS}, {}; peers are {}",
            crate::own_runners::names().join(", "),
            peers.join(", ")
        );
    }
    let program = installed().join("peers").join(name);
    Ok(if program.is_file() {
        FoundEngine::Present(Engine {
            name: name.to_owned(),
            program,
            serves: None,
        })
    } else {
        FoundEngine::Absent
    })
}

/// The engines among `names` whose runners are present; says on standard error which are not.
pub(crate) fn present(names: &[String]) -> anyhow::Result<Vec<Engine>> {
    present_or(names, |name| {
        eprintln!("absent: {name} (`cargo xtask peers` installs and builds it)");
    })
}

/// The same, each once; reports each name whose runner is absent.
pub(crate) fn present_or(
    names: &[String],
    mut absent: impl FnMut(&str),
) -> anyhow::Result<Vec<Engine>> {
    let mut engines: Vec<Engine> = Vec::new();
    for name in names {
        match find(name)? {
            FoundEngine::Present(engine) if engines.contains(&engine) => {}
            FoundEngine::Present(engine) => engines.push(engine),
            FoundEngine::Absent => absent(name),
        }
    }
    Ok(engines)
}

/// The command that starts the script around a Python package: with `IMPINGE_PYTHON`, if that names an interpreter, else as `cargo xtask peers` has
/// installed it. None when neither is there.
pub(crate) fn script_runner(name: &str) -> Option<Command> {
    if let Some(python) = std::env::var_os("IMPINGE_PYTHON") {
        let mut command = Command::new(python);
        command.arg(
            root()
                .join("crates/bench/engines")
                .join(name)
                .join("runner.py"),
        );
        return Some(command);
    }
    let program = installed().join("peers").join(name);
    program.is_file().then(|| Command::new(program))
}
