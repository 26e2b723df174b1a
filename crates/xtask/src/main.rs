//! Set-up and test commands of the workspace, run as `cargo xtask COMMAND`.

#[path = "../../bench/src/broken_pipe.rs"]
mod broken_pipe;
mod browser;
mod catalogue;
mod check;
mod documents;
mod fetch;
mod figures;
mod gallery;
mod gpu_driver;
mod licences;
mod models;
mod packages;
mod peers;
mod python;
mod quick;
mod shell;
mod sources;
mod splice;
mod steps;
mod terms;
mod theses;
mod wheel_models;

use std::process::ExitCode;

const HELP: &str = "\
Set-up and test commands of the workspace

Usage: cargo xtask COMMAND [OPTIONS]

Commands:
  test      Install what is missing, then run every check; stops at the first failure
              --list         name the steps and stop
              --only STEP    run only this step (may be repeated)
              --quick        the inner loop: format, documents, licences, then clippy and the fast
                             tests of the packages with uncommitted changes
  models    Fetch the standard meshes into target/models and verify their checksums
              --list         name the models with faces, licence and origin, and stop
              --only NAME    fetch only this model (may be repeated)
              --strict       fail when a model could not be fetched
  peers     Install other collision engines and build their runners into target/peers
              --list         name the peers, present or absent, and stop
              --only NAME    build only this one (may be repeated)
              --strict       fail when one is absent
  python    Build the Python package, install it into target/python and run its tests
  report    Make the report of the newest records and look at it in a browser
              --update       keep its picture for the front page
  gallery   Build the npm package and the gallery into target/gallery and serve it on loopback
              --no-serve     only build
  figures   Draw the figures of docs/algorithms again, into docs/algorithms/figures
  splice    Copy the newest benchmark record into README.md, between its markers
  theses    Write docs/theses.md from docs/theses.toml
  help      Print this text
";

fn main() -> ExitCode {
    broken_pipe::end_quietly();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        None => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some((command, rest)) => match command.as_str() {
            "test" => Options::parse(rest, &["--list", "--only", "--quick"]).and_then(|o| {
                if o.quick {
                    quick::run_quick(&o)
                } else {
                    check::run(&o)
                }
            }),
            "models" => Options::parse(rest, &["--list", "--only", "--strict"])
                .and_then(|o| models::run(&o)),
            "peers" => Options::parse(rest, &["--list", "--only", "--strict"])
                .and_then(|o| peers::run_peers(&o)),
            "python" => {
                Options::parse(rest, &[]).and_then(|_| python::check(python::Build::Release))
            }
            "report" => Options::parse(rest, &["--update"]).and_then(|o| steps::report(o.update)),
            "gallery" => {
                Options::parse(rest, &["--no-serve"]).and_then(|o| gallery::open(!o.no_serve))
            }
            "figures" => Options::parse(rest, &[]).and_then(|_| figures::draw()),
            "splice" => Options::parse(rest, &[]).and_then(|_| splice::run()),
            "theses" => Options::parse(rest, &[]).and_then(|_| theses::run()),
            "help" | "--help" | "-h" => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            other => Err(anyhow::anyhow!(
                "unknown command `{other}`; `cargo xtask help` lists them"
            )),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The options that the commands share.
#[derive(Debug, Default)]
struct Options {
    list: bool,
    strict: bool,
    update: bool,
    quick: bool,
    no_serve: bool,
    only: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String], known: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                name if !known.contains(&name) => {
                    anyhow::bail!("unknown option `{name}`; `cargo xtask help` lists them")
                }
                "--list" => options.list = true,
                "--strict" => options.strict = true,
                "--update" => options.update = true,
                "--quick" => options.quick = true,
                "--no-serve" => options.no_serve = true,
                name => match rest.next() {
                    Some(value) => options.only.extend(value.split(',').map(str::to_owned)),
                    None => anyhow::bail!("`{name}` needs a name; `--list` shows them"),
                },
            }
        }
        Ok(options)
    }

    /// Whether `name` was requested: with no `--only`, everything is.
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    /// Refuses a name after `--only` that is not among `known`.
    fn refuse_unknown(&self, known: &[&str]) -> anyhow::Result<()> {
        match self
            .only
            .iter()
            .find(|only| !known.contains(&only.as_str()))
        {
            None => Ok(()),
            Some(only) => {
                anyhow::bail!(
                    "nothing is called `{only}`; choose from: {}",
                    known.join(", ")
                )
            }
        }
    }
}
