//! `configurations check`: what other engines say about every file that is there, as a sheet.
//!
//! What is there and was not checked is named, and counts: a sheet says of how many configurations its figures are, and a bar over files of which some were left out is open.

use std::path::Path;

use anyhow::{bail, ensure};

use super::check::{Checked, JUDGE, JudgeKind, check};
use super::check_cache::CachedCheck;
use super::generate_files::contents;
use super::pairs::{ModelPair, PAIRS, chosen};
use super::sampling::{Kind, Preset};
use super::scene::ModelPairScene;
use super::{CheckArgs, file_name};
use crate::Bar;
use crate::engines::{Engine, FoundEngine, find};
use crate::folders::{create, target};
use crate::manifold::{MANIFOLD, Manifold};
use crate::result_sheet::{Cell, Failure, ResultSheet, Table, name_after};

/// Pairs for which the everyday preset has to be whole.
const LEAST_PAIRS: usize = 8;

impl CheckArgs {
    /// Every so many-th configuration of a kind is checked.
    fn part(&self, kind: Kind) -> usize {
        match kind {
            Kind::Distance => self.distances,
            Kind::Volume => self.volumes,
        }
    }

    /// The name of the peer, without its program.
    fn peer_name(&self) -> Option<&str> {
        let peer = self.peer.as_deref()?;
        Some(peer.split('=').next().unwrap_or(peer))
    }

    /// The name of the sheet: a check of less than everything has its own, so that it hides nothing that was found before.
    fn sheet_name(&self) -> String {
        let files = &self.files;
        let mut words: Vec<String> = self.peer_name().map(str::to_owned).into_iter().collect();
        if files.preset != Preset::Everyday {
            words.push(files.preset.name().to_owned());
        }
        words.extend(files.pairs.iter().cloned());
        words.extend(files.kind.map(|kind| kind.name().to_owned()));
        if let Some(folder) = &files.folder {
            let last = folder.file_name().map(|name| name.to_string_lossy());
            words.push(format!("in-{}", last.unwrap_or_default()));
        }
        for (option, part) in self.parts() {
            if part > 1 {
                words.push(format!("{option}-{part}"));
            }
        }
        name_after("configurations", words.iter().map(String::as_str))
    }

    /// What to type for the same sheet.
    fn command(&self) -> String {
        let files = &self.files;
        let mut command = "impinge-bench configurations check".to_owned();
        if files.preset != Preset::Everyday {
            command += &format!(" --preset {}", files.preset.name());
        }
        if !files.pairs.is_empty() {
            command += &format!(" --pairs {}", files.pairs.join(","));
        }
        if let Some(kind) = files.kind {
            command += &format!(" --kind {}", kind.name());
        }
        if let Some(folder) = &files.folder {
            command += &format!(" --folder {}", folder.display());
        }
        if let Some(peer) = &self.peer {
            command += &format!(" --peer {peer}");
        }
        for (option, part) in self.parts() {
            if part > 1 {
                command += &format!(" --{option} {part}");
            }
        }
        if self.kept {
            command += " --kept";
        }
        command
    }

    fn parts(&self) -> [(&'static str, usize); 2] {
        [("distances", self.distances), ("volumes", self.volumes)]
    }
}

/// The requested peer, if there is one; the second is whether it is missing.
fn peer(args: &CheckArgs, sheet: &mut ResultSheet) -> anyhow::Result<(Option<Engine>, bool)> {
    let Some(name) = &args.peer else {
        return Ok((None, false));
    };
    match find(name)? {
        FoundEngine::Present(engine) => {
            ensure!(!engine.is_ours(), "{name} is no peer but one of ours");
            Ok((Some(engine), false))
        }
        FoundEngine::Absent => {
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

pub(super) fn check_all(args: &CheckArgs) -> anyhow::Result<Bar> {
    let files = &args.files;
    let pairs = chosen(&files.pairs)?;
    let mut sheet = ResultSheet::new(
        &args.sheet_name(),
        "Configurations, checked by other engines",
        "Is every stored placement as far from its partner, or as deep in it, as it should be?",
        &args.command(),
    );
    sheet.preset = files.preset.name().to_owned();
    let records = match &args.records {
        Some(folder) => folder.clone(),
        None => target().join("records"),
    };
    // At once, and not after hours.
    create(&records)?;
    let (peer, is_missing) = peer(args, &mut sheet)?;
    if let Some(name) = args.peer_name() {
        sheet.title = format!("Configurations, checked by {name} and Manifold");
    }
    let judges = match &peer {
        Some(peer) => [peer.name.as_str(), MANIFOLD],
        None => [JUDGE.name(), "columns below pairs of faces"],
    };
    if !is_missing {
        sheet.notes.push(format!(
            "Distances are checked by {}, volumes by {}; files were made with other engines.",
            judges[0], judges[1]
        ));
    }
    let found = if is_missing {
        CheckTotal::default()
    } else {
        check_files(args, &pairs, peer.as_ref(), judges, &mut sheet)?
    };
    if found.files == 0 && !is_missing {
        bail!(
            "no file of configurations is there in {}; `configurations generate` makes them",
            files.folder().display()
        );
    }
    claim_presence(args, &found, peer.is_some() || is_missing, &mut sheet);
    let is_solid = pairs.iter().any(|pair| pair.is_solid);
    for (k, kind) in Kind::ALL.into_iter().enumerate() {
        let is_asked_for = files.kinds().contains(&kind) && (kind == Kind::Distance || is_solid);
        if is_asked_for && !is_missing {
            claim_tolerance(args, kind, &found, judges[k], peer.is_some(), &mut sheet);
        }
    }
    println!("wrote {}", sheet.write(&records)?.display());
    Ok(sheet.bar())
}

/// That the everyday preset is whole, where a check of it can tell.
fn claim_presence(args: &CheckArgs, found: &CheckTotal, is_by_peer: bool, sheet: &mut ResultSheet) {
    let files = &args.files;
    let is_whole = files.preset == Preset::Everyday && files.pairs.is_empty() && !found.is_thinned;
    if !is_whole || is_by_peer {
        return;
    }
    let claim = "the everyday preset is there in full, distances and volumes, for at least 8 pairs";
    if files.kind.is_some() {
        // Half of it says nothing about the whole.
        sheet.leave_open(claim);
    } else {
        let is_met = found.is_complete && found.pairs >= LEAST_PAIRS;
        sheet.claim(claim, &format!("{} pairs", found.pairs), is_met);
    }
}

/// That every configuration of a kind is where it should be: open where nothing was checked, and where files that are there were left out.
fn claim_tolerance(
    args: &CheckArgs,
    kind: Kind,
    found: &CheckTotal,
    judge: &str,
    is_by_peer: bool,
    sheet: &mut ResultSheet,
) {
    let k = usize::from(kind == Kind::Volume);
    let KindTotal { all, left } = &found.kinds[k];
    if all.unanswered > 0 {
        sheet.failures.push(Failure {
            subject: judge.to_owned(),
            reason: format!("{} of {} were not answered", all.unanswered, all.asked),
            is_ours: false,
        });
    }
    let room = if is_by_peer {
        " and the peer's rounding"
    } else {
        ""
    };
    let mut which = match args.part(kind) {
        1 => format!("every {}", kind.name()),
        part => format!("every {part}th {}", kind.name()),
    };
    if !args.files.pairs.is_empty() {
        which += &format!(" of {}", args.files.pairs.join(", "));
    }
    let claim = format!("{which} is within its tolerance{room} of its target, by {judge}");
    let answered = all.asked - all.unanswered;
    let reached = format!(
        "{answered} of {} asked about, {} wrong, {} unanswered, largest error {:.2} tolerances",
        all.records + left.records,
        all.wrong,
        all.unanswered,
        all.largest
    );
    // Nobody's silence confirms or refutes anything; nor does what was left out.
    if all.wrong == 0 && (answered == 0 || left.files > 0) {
        let left = match left.files {
            0 => String::new(),
            files => format!(", {files} files not checked"),
        };
        sheet.leave_open(&format!("{claim} ({reached}{left})"));
    } else {
        sheet.claim(&claim, &reached, all.wrong == 0);
    }
}

/// What was found about all files.
#[derive(Debug, Default)]
struct CheckTotal {
    /// By kind, as in [`Kind::ALL`].
    kinds: [KindTotal; 2],
    /// Requested files that are there.
    files: usize,
    /// Pairs of which every kind is there in full: volumes too, if both are solid.
    pairs: usize,
    is_complete: bool,
    is_thinned: bool,
}

/// What was found about the files of a kind.
#[derive(Debug, Default)]
struct KindTotal {
    all: Checked,
    /// Requested files that are there and were not checked.
    left: Left,
}

#[derive(Clone, Copy, Debug, Default)]
struct Left {
    files: usize,
    /// In those of them that can be read.
    records: u64,
}

/// What became of a file.
enum FileFate {
    Checked { checked: Checked, is_kept: bool },
    Left(String),
}

fn check_files(
    args: &CheckArgs,
    pairs: &[ModelPair],
    peer: Option<&Engine>,
    judges: [&str; 2],
    sheet: &mut ResultSheet,
) -> anyhow::Result<CheckTotal> {
    let files = &args.files;
    let folder = files.folder();
    let mut table = checked_table();
    let mut total = CheckTotal {
        is_complete: true,
        ..CheckTotal::default()
    };
    let mut missing = Vec::new();
    for pair in pairs {
        // Bodies that are not solid share no volume.
        let mut is_there = [false, !pair.is_solid];
        for kind in files.kinds() {
            let k = usize::from(kind == Kind::Volume);
            let name = file_name(pair.name, kind);
            let path = folder.join(&name);
            if !path.is_file() {
                missing.extend((kind == Kind::Distance || pair.is_solid).then_some(name));
                continue;
            }
            total.files += 1;
            match check_file(args, pair, kind, &path, peer, judges[k], sheet)? {
                FileFate::Checked { checked, is_kept } => {
                    tell(pair, kind, &checked, is_kept);
                    table.rows.push(checked_row(pair, kind, &checked));
                    total.is_complete &= checked.is_complete;
                    total.is_thinned |= checked.is_thinned;
                    is_there[k] = checked.is_complete;
                    total.kinds[k].all.add(&checked);
                }
                FileFate::Left(reason) => {
                    let records = contents(&path).ok().map(|found| found.records);
                    println!("{:<14} {:<9} not checked: {reason}", pair.name, kind.name());
                    table.rows.push(left_row(pair, kind, records, &reason));
                    let left = &mut total.kinds[k].left;
                    left.files += 1;
                    left.records += records.unwrap_or(0);
                }
            }
        }
        total.pairs += usize::from(is_there == [true; 2]);
    }
    sheet.tables.push(table);
    if total.files > 0 {
        let others = others(&folder, pairs, &files.kinds());
        for (words, names) in [
            ("Not there", missing),
            ("There, and not asked for", others.not_asked_for),
            ("There, and of no pair of this program", others.unknown),
        ] {
            if !names.is_empty() {
                sheet.notes.push(format!("{words}: {}.", names.join(", ")));
            }
        }
    }
    Ok(total)
}

/// Asks about one file, or takes what an earlier check found.
fn check_file(
    args: &CheckArgs,
    pair: &ModelPair,
    kind: Kind,
    path: &Path,
    peer: Option<&Engine>,
    judge: &str,
    sheet: &mut ResultSheet,
) -> anyhow::Result<FileFate> {
    let part = args.part(kind);
    let takes_earlier = args.resume || args.kept;
    if let Some(checked) = CachedCheck::read(path, judge, part).filter(|_| takes_earlier) {
        return Ok(FileFate::Checked {
            checked,
            is_kept: true,
        });
    }
    if args.kept {
        return Ok(FileFate::Left("no earlier check of it is kept".to_owned()));
    }
    if peer.is_some() && kind == Kind::Volume && !Manifold::is_there() {
        if !sheet.failures.iter().any(|f| f.subject == MANIFOLD) {
            sheet.failures.push(absent(MANIFOLD));
        }
        return Ok(FileFate::Left(format!("{MANIFOLD} is not there")));
    }
    let Some(meshes) = pair.load()? else {
        return Ok(FileFate::Left("a model of it is not there".to_owned()));
    };
    let scene = ModelPairScene::new(meshes, kind)?;
    let court = peer.map_or(JudgeKind::Ours, JudgeKind::Peer);
    let ask = || {
        let checked = check(path, &scene, args.files.threads(), part, court)?;
        CachedCheck::write(path, judge, part, checked)?;
        anyhow::Ok(checked)
    };
    Ok(match ask() {
        Ok(checked) => FileFate::Checked {
            checked,
            is_kept: false,
        },
        Err(error) => {
            eprintln!("{error:#}");
            sheet.failures.push(Failure {
                subject: path.display().to_string(),
                reason: format!("{error:#}"),
                is_ours: true,
            });
            FileFate::Left(format!("{error:#}"))
        }
    })
}

fn tell(pair: &ModelPair, kind: Kind, checked: &Checked, is_kept: bool) {
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
}

/// Files of a folder that were not requested.
#[derive(Debug, Default)]
struct UnaskedFiles {
    not_asked_for: Vec<String>,
    /// Of pairs that this program does not know.
    unknown: Vec<String>,
}

fn others(folder: &Path, pairs: &[ModelPair], kinds: &[Kind]) -> UnaskedFiles {
    let names = |pairs: &[ModelPair], kinds: &[Kind]| -> Vec<String> {
        let of = |pair: &ModelPair| {
            kinds
                .iter()
                .map(|kind| file_name(pair.name, *kind))
                .collect()
        };
        pairs
            .iter()
            .flat_map(|pair| -> Vec<String> { of(pair) })
            .collect()
    };
    let (asked_for, known) = (names(pairs, kinds), names(&PAIRS, &Kind::ALL));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut there: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".conf") && !asked_for.contains(name))
        .collect();
    there.sort();
    let (not_asked_for, unknown) = there.into_iter().partition(|name| known.contains(name));
    UnaskedFiles {
        not_asked_for,
        unknown,
    }
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
pub(crate) fn checked_row(pair: &ModelPair, kind: Kind, checked: &Checked) -> Vec<Cell> {
    let number = |x: u64| Cell::Number(x as f64);
    let mut row = named(pair, kind);
    row.extend([
        number(checked.records),
        number(checked.asked),
        number(checked.ways[1] + checked.ways[2]),
        number(checked.ways[3]),
        number(checked.unanswered),
        number(checked.wrong),
        Cell::Number(checked.largest),
        Cell::Number(checked.seconds),
    ]);
    row
}

/// Its row about a file that was not checked.
fn left_row(pair: &ModelPair, kind: Kind, records: Option<u64>, reason: &str) -> Vec<Cell> {
    let void = || Cell::Void {
        reason: reason.to_owned(),
    };
    let mut row = named(pair, kind);
    row.push(records.map_or_else(void, |records| Cell::Number(records as f64)));
    row.push(Cell::Number(0.0));
    row.resize_with(checked_table().columns.len(), void);
    row
}

fn named(pair: &ModelPair, kind: Kind) -> Vec<Cell> {
    [pair.name, pair.class, kind.name()]
        .map(|text| Cell::Text(text.to_owned()))
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configurations::{Action, Args};

    /// The arguments of a check, as they are typed.
    fn check_args(more: &[&str]) -> CheckArgs {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        let words = [&["configurations", "check"][..], more].concat();
        let line = <Line as clap::Parser>::try_parse_from(words).unwrap();
        match line.args.action {
            Action::Check(args) => args,
            _ => panic!("another action"),
        }
    }

    #[test]
    fn a_check_of_less_has_a_sheet_of_its_own_and_says_how_to_repeat_it() {
        let whole = check_args(&["--resume"]);
        assert_eq!(whole.sheet_name(), "configurations");
        assert_eq!(whole.command(), "impinge-bench configurations check");
        for (more, name) in [
            (&["--pairs", "blob,gear"][..], "configurations-blob-gear"),
            (&["--kind", "volume"], "configurations-volume"),
            (&["--folder", "/tmp/a b/c1"], "configurations-in-c1"),
            (&["--preset", "sphere"], "configurations-sphere"),
            (&["--distances", "10"], "configurations-distances-10"),
            (&["--peer", "x=/bin/x"], "configurations-x"),
            (
                &["--pairs", "blob", "--peer", "fcl", "--volumes", "50"],
                "configurations-fcl-blob-volumes-50",
            ),
        ] {
            let args = check_args(more);
            assert_eq!(args.sheet_name(), name);
            let command = format!("impinge-bench configurations check {}", more.join(" "));
            assert_eq!(args.command(), command);
        }
    }

    #[test]
    fn a_bar_over_nothing_or_over_a_part_of_what_is_there_is_open() {
        let args = check_args(&[]);
        let bar = |checked: Checked, left: Left| {
            let mut sheet = ResultSheet::new("x", "", "", "");
            let found = CheckTotal {
                kinds: [KindTotal { all: checked, left }, KindTotal::default()],
                ..CheckTotal::default()
            };
            claim_tolerance(&args, Kind::Distance, &found, "rss", false, &mut sheet);
            let words = sheet.bars.first().map(|bar| bar.reached.clone());
            (sheet.bar(), words.or(sheet.open.first().cloned()).unwrap())
        };
        let checked = |asked: u64, wrong: u64| Checked {
            records: asked,
            asked,
            wrong,
            ..Checked::default()
        };
        let left = Left {
            files: 1,
            records: 30,
        };
        let none = Left::default();
        assert_eq!(bar(checked(0, 0), none).0, Bar::Open);
        assert_eq!(bar(checked(10, 0), none).0, Bar::Met);
        let (open, words) = bar(checked(10, 0), left);
        assert_eq!(open, Bar::Open);
        assert!(words.contains("10 of 40 asked about"), "{words}");
        assert!(words.contains("1 files not checked"), "{words}");
        // One that is wrong is wrong, whatever was left out.
        assert_eq!(bar(checked(10, 1), left).0, Bar::Missed);
        assert_eq!(bar(checked(10, 10), none).0, Bar::Missed);
    }
}
