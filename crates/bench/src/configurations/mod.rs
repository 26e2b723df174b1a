//! `impinge-bench configurations`: placements of two models at given distances and at given shared volumes.
//!
//! **Question.** Where is B to be placed, so that every engine is asked the same, equally hard questions?
//!
//! **Idea.** The difficulty is fixed and the placement sampled: for every orientation of B and every direction from A (or every
//! cell of a grid around it), B is moved until its distance, or the volume it shares with A, is the wanted one.
//!
//! **Source.** Weller's and Mainzer's theses, with their numbers of directions and orientations.
//!
//! **Promise.** Every configuration meets its target within the tolerance that its file states, which `check` confirms by
//! other engines, `check --peer` by those of other makers. Files are the same bytes for any number of threads, and after any interruption.
//!
//! **Limits.** The sphere method finds one place per line, not those in cavities behind it; the grid method does.

mod check;
mod columns;
mod file;
mod foreign;
mod generate;
mod grid;
mod kept;
mod line;
mod pairs;
mod sampling;
mod scene;

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

pub(crate) use check::{Checked, Court, JUDGE, check};
pub(crate) use columns::Columns;
pub(crate) use file::{Reader, Way};
pub(crate) use generate::{Job, Made};
use kept::Kept;
pub(crate) use pairs::{Meshes, Pair, chosen};
pub(crate) use sampling::{Kind, Preset};
pub(crate) use scene::{Scene, TOLERANCE};

use crate::Bar;
use crate::engines::{Engine, Found, find, target};
use crate::manifold::{MANIFOLD, Manifold};
use crate::sheet::{Cell, Failure, Sheet, Table};

/// Pairs for which the everyday preset has to be whole.
const LEAST_PAIRS: usize = 8;

/// Place two models at given distances and shared volumes, as files that every engine is asked with
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make the files
    Generate(GenerateArgs),
    /// Read the files and ask other engines about every configuration
    Check(CheckArgs),
    /// Say how many configurations each preset has, without any query
    Count,
}

/// Which files.
#[derive(Clone, Debug, clap::Args)]
struct Files {
    #[arg(long, value_enum, default_value = "everyday")]
    preset: Preset,
    /// Only these pairs of models
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pairs: Vec<String>,
    /// Only distances, or only volumes
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Where the files are [default: target/configurations/PRESET]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// [default: as many as there are cores]
    #[arg(long)]
    threads: Option<usize>,
}

#[derive(Debug, clap::Args)]
struct GenerateArgs {
    #[command(flatten)]
    files: Files,
    /// Go on with files that were interrupted, and leave whole ones alone
    #[arg(long)]
    resume: bool,
    /// Take only every so many-th configuration
    #[arg(long, default_value_t = 1)]
    stride: usize,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    #[command(flatten)]
    files: Files,
    /// Ask about every so many-th distance only
    #[arg(long, default_value_t = 1)]
    distances: usize,
    /// Ask about every so many-th volume only
    #[arg(long, default_value_t = 1)]
    volumes: usize,
    /// Ask a peer instead of our own engines: this one about distances, and Manifold about volumes
    #[arg(long, value_name = "ENGINE")]
    peer: Option<String>,
    /// Take what an earlier check found about files that are still the same, and ask about the others only
    #[arg(long)]
    resume: bool,
    /// Folder for configurations.sheet.json, or with a peer configurations-PEER.sheet.json [default: target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    match &args.action {
        Action::Generate(args) => generate_all(args),
        Action::Check(args) => check_all(args),
        Action::Count => Ok(count()),
    }
}

impl Files {
    fn folder(&self) -> PathBuf {
        let default = || folder_of(self.preset.name());
        self.folder.clone().unwrap_or_else(default)
    }

    fn kinds(&self) -> Vec<Kind> {
        self.kind.map_or(Kind::ALL.to_vec(), |kind| vec![kind])
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(cores)
    }
}

/// The default folder of a preset's files.
pub(crate) fn folder_of(preset: &str) -> PathBuf {
    target().join("configurations").join(preset)
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes a file, unless a whole one is there and `job.resume` says to keep it. None when it was kept.
pub(crate) fn make(job: &Job, scene: &Scene, folder: &Path) -> anyhow::Result<Option<Made>> {
    std::fs::create_dir_all(folder)?;
    let path = job.path(folder);
    if job.resume && path.is_file() {
        match Reader::open(&path) {
            Ok(reader) if reader.header == job.header(scene) => return Ok(None),
            Ok(_) => eprintln!("{} has other settings and is made anew", path.display()),
            Err(error) => eprintln!("{error:#}; it is made anew"),
        }
    }
    job.run(scene, &path).map(Some)
}

fn generate_all(args: &GenerateArgs) -> anyhow::Result<Bar> {
    let files = &args.files;
    if args.stride == 0 {
        bail!("--stride must be at least 1");
    }
    let folder = files.folder();
    let (mut complete, mut all) = (0, 0);
    let mut unreached = 0;
    println!(
        "{:<14} {:<9} {:>12} {:>10} {:>10} {:>10} {:>9} {:>8} {:>9}",
        "pair", "kind", "configs", "off line", "unreached", "queries", "per conf.", "s", "bytes"
    );
    for pair in chosen(&files.pairs)? {
        let Some(meshes) = pair.load()? else { continue };
        let mut is_complete = true;
        for kind in files.kinds() {
            if kind == Kind::Volume && !pair.is_solid {
                continue;
            }
            let scene = match Scene::new(meshes.clone(), kind) {
                Ok(scene) => scene,
                Err(error) => {
                    eprintln!("{}, {}: {error:#}", pair.name, kind.name());
                    is_complete = false;
                    continue;
                }
            };
            let job = Job {
                pair: pair.name.to_owned(),
                class: pair.class.to_owned(),
                preset: files.preset.name().to_owned(),
                kind,
                sampling: files.preset.sampling(kind).thinned(args.stride),
                levels: kind.levels(),
                threads: files.threads(),
                resume: args.resume,
            };
            let made = make(&job, &scene, &folder)?;
            // Of the whole file, whenever its blocks were made.
            let (records, missing) = contents(&job.path(&folder))?;
            unreached += missing;
            is_complete &= files.preset == Preset::Grid
                || records == job.sampling.per_level() * job.levels.len() as u64;
            let Some(made) = made else {
                println!(
                    "{:<14} {:<9} {records:>12} {:>10} {missing:>10}  is there",
                    pair.name,
                    kind.name(),
                    ""
                );
                continue;
            };
            let queries = made.queries[0] + made.queries[1];
            let new: u64 = made.ways.iter().sum();
            println!(
                "{:<14} {:<9} {:>12} {:>10} {:>10} {:>10} {:>9.2} {:>8.1} {:>9}{}",
                pair.name,
                kind.name(),
                made.records,
                made.ways[1] + made.ways[2],
                missing,
                queries,
                queries as f64 / new.max(1) as f64,
                made.seconds,
                made.bytes,
                if made.resumed > 0 {
                    format!("  (from block {})", made.resumed)
                } else {
                    String::new()
                }
            );
        }
        complete += usize::from(is_complete);
        all += 1;
    }
    println!("Files are in {}.", folder.display());
    let is_met = unreached == 0 && complete == all && all > 0;
    println!(
        "bar: every configuration of {complete} of {all} pairs was found ({unreached} were not): {}",
        said(is_met)
    );
    Ok(if is_met { Bar::Met } else { Bar::Missed })
}

/// How many configurations a file has, and how many of them were not reached.
fn contents(path: &Path) -> anyhow::Result<(u64, u64)> {
    let mut reader = Reader::open(path)?;
    let (mut records, mut unreached) = (0, 0);
    while let Some(block) = reader.next_block()? {
        records += block.len() as u64;
        unreached += block.iter().filter(|c| c.way == Way::Unreached).count() as u64;
    }
    Ok((records, unreached))
}

/// The peer that was asked for, if there is one; the second is whether it is missing.
fn peer(args: &CheckArgs, sheet: &mut Sheet) -> anyhow::Result<(Option<Engine>, bool)> {
    let Some(name) = &args.peer else {
        return Ok((None, false));
    };
    match find(name)? {
        Found::Present(engine) => {
            ensure!(!engine.is_ours(), "{name} is no peer but one of ours");
            Ok((Some(engine), false))
        }
        Found::Absent => {
            sheet.failures.push(absent(name));
            Ok((None, true))
        }
    }
}

/// Says that a peer is missing.
fn absent(name: &str) -> Failure {
    eprintln!("absent: {name} (`cargo xtask peers` installs and builds it)");
    Failure {
        subject: name.to_owned(),
        reason: "its runner is not there (`cargo xtask peers` installs and builds it)".to_owned(),
        is_ours: false,
    }
}

fn check_all(args: &CheckArgs) -> anyhow::Result<Bar> {
    let files = &args.files;
    let mut sheet = Sheet::new(
        "configurations",
        "Configurations, checked by other engines",
        "Is every stored placement as far from its partner, or as deep in it, as it should be?",
        "impinge-bench configurations check",
    );
    sheet.preset = files.preset.name().to_owned();
    let (peer, is_missing) = peer(args, &mut sheet)?;
    if let Some(name) = &args.peer {
        let name = name.split('=').next().unwrap_or(name);
        sheet.name = format!("configurations-{name}");
        sheet.title = format!("Configurations, checked by {name} and Manifold");
        sheet.command += &format!(" --peer {name}");
    }
    for (option, part) in [("distances", args.distances), ("volumes", args.volumes)] {
        if part > 1 {
            sheet.command += &format!(" --{option} {part}");
        }
    }
    let judges = match &peer {
        Some(peer) => [peer.name.as_str(), MANIFOLD],
        None => [JUDGE.name(), "columns below pairs of faces"],
    };
    sheet.notes.push(format!(
        "Distances are checked by {}, volumes by {}; files were made with other engines.",
        judges[0], judges[1]
    ));
    let found = if is_missing {
        Total::default()
    } else {
        check_files(args, peer.as_ref(), judges, &mut sheet)?
    };
    let is_whole = files.preset == Preset::Everyday && files.pairs.is_empty() && !found.is_thinned;
    if is_whole && peer.is_none() && !is_missing {
        let claim =
            "the everyday preset is there in full, distances and volumes, for at least 8 pairs";
        if files.kind.is_some() {
            // Half of it says nothing about the whole.
            sheet.leave_open(claim);
        } else {
            sheet.claim(
                claim,
                &format!("{} pairs", found.pairs),
                found.is_complete && found.pairs >= LEAST_PAIRS,
            );
        }
    }
    for (all, (kind, judge)) in found.all.iter().zip(Kind::ALL.into_iter().zip(judges)) {
        let answered = all.asked - all.unanswered;
        if all.unanswered > 0 {
            sheet.failures.push(Failure {
                subject: judge.to_owned(),
                reason: format!("{} of {} were not answered", all.unanswered, all.asked),
                is_ours: false,
            });
        }
        // Files that are not there, and a peer that says nothing, confirm nothing and refute nothing.
        if answered == 0 && (peer.is_some() || all.asked == 0) {
            continue;
        }
        let room = if peer.is_some() {
            " and the peer's rounding"
        } else {
            ""
        };
        let part = match kind {
            Kind::Distance => args.distances,
            Kind::Volume => args.volumes,
        };
        let which = if part > 1 {
            format!("every {part}th {}", kind.name())
        } else {
            format!("every {}", kind.name())
        };
        sheet.claim(
            &format!("{which} is within its tolerance{room} of its target, by {judge}"),
            &format!(
                "{answered} of {} asked about, {} wrong, {} unanswered, largest error {:.2} tolerances",
                all.records, all.wrong, all.unanswered, all.largest
            ),
            all.wrong == 0,
        );
    }
    if sheet.bars.is_empty() && !is_missing && sheet.failures.is_empty() {
        bail!("no file of configurations is there; `configurations generate` makes them");
    }
    let records = args
        .records
        .clone()
        .unwrap_or_else(|| target().join("records"));
    println!("wrote {}", sheet.write(&records)?.display());
    Ok(sheet.bar())
}

/// What was found about all files.
#[derive(Debug, Default)]
struct Total {
    /// By kind, as in [`Kind::ALL`].
    all: [Checked; 2],
    /// Pairs of which every kind is there in full: volumes too, if both are solid.
    pairs: usize,
    is_complete: bool,
    is_thinned: bool,
}

fn check_files(
    args: &CheckArgs,
    peer: Option<&Engine>,
    judges: [&str; 2],
    sheet: &mut Sheet,
) -> anyhow::Result<Total> {
    let files = &args.files;
    let folder = files.folder();
    let mut table = checked_table();
    let mut total = Total {
        is_complete: true,
        ..Total::default()
    };
    for pair in chosen(&files.pairs)? {
        // Bodies that are not solid share no volume.
        let mut is_there = [false, !pair.is_solid];
        for kind in files.kinds() {
            let path = folder.join(format!("{}.{}.conf", pair.name, kind.name()));
            if !path.is_file() {
                continue;
            }
            if peer.is_some() && kind == Kind::Volume && !Manifold::is_there() {
                if !sheet.failures.iter().any(|f| f.subject == MANIFOLD) {
                    sheet.failures.push(absent(MANIFOLD));
                }
                continue;
            }
            let Some(meshes) = pair.load()? else { continue };
            let part = match kind {
                Kind::Distance => args.distances,
                Kind::Volume => args.volumes,
            };
            let scene = Scene::new(meshes, kind)?;
            let court = peer.map_or(Court::Ours, Court::Peer);
            let judge = judges[usize::from(kind == Kind::Volume)];
            let kept = Kept::read(&path, judge, part).filter(|_| args.resume);
            let is_kept = kept.is_some();
            let ask = || {
                let checked = check(&path, &scene, files.threads(), part, court)?;
                Kept::write(&path, judge, part, checked)?;
                anyhow::Ok(checked)
            };
            let checked = match kept.map_or_else(ask, Ok) {
                Ok(checked) => checked,
                Err(error) => {
                    eprintln!("{error:#}");
                    sheet.failures.push(Failure {
                        subject: path.display().to_string(),
                        reason: format!("{error:#}"),
                        is_ours: true,
                    });
                    continue;
                }
            };
            println!(
                "{:<14} {:<9} {:>9} configurations, {:>9} asked about, {} wrong, {} unanswered, largest error {:.3} tolerances, {:.1} s{}",
                pair.name,
                kind.name(),
                checked.records,
                checked.asked,
                checked.wrong,
                checked.unanswered,
                checked.largest,
                checked.seconds,
                if is_kept {
                    ", from an earlier check"
                } else {
                    ""
                }
            );
            table.rows.push(checked_row(&pair, kind, &checked));
            total.is_complete &= checked.is_complete;
            total.is_thinned |= checked.is_thinned;
            is_there[usize::from(kind == Kind::Volume)] = checked.is_complete;
            total.all[usize::from(kind == Kind::Volume)].add(&checked);
        }
        total.pairs += usize::from(is_there == [true; 2]);
    }
    sheet.tables.push(table);
    Ok(total)
}

/// A table of what `check` found, without rows.
pub(crate) fn checked_table() -> Table {
    let columns = [
        "pair",
        "class",
        "kind",
        "configurations",
        "asked about",
        "off their line",
        "unreached",
        "unanswered",
        "wrong",
        "largest error (tolerances)",
        "seconds",
    ];
    Table {
        title: "Configurations, checked by engines that did not make them".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: Vec::new(),
    }
}

/// Its row about one file.
pub(crate) fn checked_row(pair: &Pair, kind: Kind, checked: &Checked) -> Vec<Cell> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let number = |x: u64| Cell::Number(x as f64);
    vec![
        text(pair.name),
        text(pair.class),
        text(kind.name()),
        number(checked.records),
        number(checked.asked),
        number(checked.ways[1] + checked.ways[2]),
        number(checked.ways[3]),
        number(checked.unanswered),
        number(checked.wrong),
        Cell::Number(checked.largest),
        Cell::Number(checked.seconds),
    ]
}

fn count() -> Bar {
    let mut all_met = true;
    for preset in Preset::ALL {
        for kind in Kind::ALL {
            let sampling = preset.sampling(kind);
            let levels = kind.levels().len() as u64;
            let (what, note) = match preset {
                Preset::Grid => ("cells", " tried"),
                _ => ("directions", ""),
            };
            println!(
                "{:<9} {:<9} {:>5} {what} × {:>5} orientations = {:>9} per target{note}, {levels} targets: {}",
                preset.name(),
                kind.name(),
                sampling.places(),
                sampling.orientations(),
                sampling.per_level(),
                sampling.per_level() * levels
            );
            let published = match (preset, kind) {
                (Preset::Sphere, Kind::Distance) => 1_991_808,
                (Preset::Sphere, Kind::Volume) => 268_128,
                (Preset::Everyday, _) => 8_320,
                (Preset::Grid, _) => continue,
            };
            let is_met = sampling.per_level() == published;
            all_met &= is_met;
            println!(
                "bar: {} of preset {} has {published} configurations per target: {}",
                kind.name(),
                preset.name(),
                said(is_met)
            );
        }
    }
    if all_met { Bar::Met } else { Bar::Missed }
}

fn said(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}
