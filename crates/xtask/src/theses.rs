//! `cargo xtask theses`: which contribution of which thesis is where.
//!
//! `docs/theses.toml` is written by hand; `docs/theses.md` is generated from it. The documents step
//! fails when a row names something that does not exist, or when the page is stale.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::shell::root;
use crate::sources::Sources;

const DATA: &str = "docs/theses.toml";
const PAGE: &str = "docs/theses.md";
const RECORDS: &str = "records/";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Theses {
    thesis: Vec<Thesis>,
    row: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Thesis {
    /// Before the hyphen of its rows.
    id: String,
    source: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Status {
    #[serde(rename = "works")]
    Works,
    #[serde(rename = "partly")]
    Partly,
    #[serde(rename = "planned")]
    Planned,
    #[serde(rename = "out of scope")]
    OutOfScope,
}

impl Status {
    const ALL: [Self; 4] = [Self::Works, Self::Partly, Self::Planned, Self::OutOfScope];

    fn words(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Partly => "partly",
            Self::Planned => "planned",
            Self::OutOfScope => "out of scope",
        }
    }
}

/// A contribution; with `published` a figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    what: String,
    /// Chapter or section of the thesis.
    #[serde(rename = "where")]
    place: String,
    #[serde(default)]
    items: Vec<String>,
    #[serde(default)]
    commands: Vec<String>,
    #[serde(default)]
    tests: Vec<String>,
    #[serde(default)]
    pages: Vec<String>,
    published: Option<String>,
    ours: Option<String>,
    record: Option<String>,
    /// Why the record is not the newest of its name.
    keep: Option<String>,
    status: Status,
    why: Option<String>,
}

/// Writes the page.
pub(crate) fn run() -> anyhow::Result<()> {
    let theses = read()?;
    std::fs::write(root().join(PAGE), page(&theses)?)?;
    println!("wrote {PAGE}: {} rows", theses.row.len());
    Ok(())
}

/// Fails unless every row names what is there, and the page is that of the rows.
pub(crate) fn is_current(sources: &Sources) -> anyhow::Result<()> {
    let theses = read()?;
    check(&theses, sources, &root())?;
    let shown = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    if shown != page(&theses)? {
        bail!("{PAGE} is not that of {DATA}: `cargo xtask theses` mends it");
    }
    println!(
        "{} contributions of theses lead somewhere",
        theses.row.len()
    );
    Ok(())
}

fn read() -> anyhow::Result<Theses> {
    let text = std::fs::read_to_string(root().join(DATA))
        .with_context(|| format!("cannot read {DATA}"))?;
    toml::from_str(&text).with_context(|| format!("{DATA} is not as it should be"))
}

fn check(theses: &Theses, sources: &Sources, root: &Path) -> anyhow::Result<()> {
    let mut ids = BTreeSet::new();
    for row in &theses.row {
        check_row(row, sources, root).with_context(|| format!("row {} of {DATA}", row.id))?;
        let thesis = row.id.split('-').next();
        if !theses
            .thesis
            .iter()
            .any(|known| Some(known.id.as_str()) == thesis)
        {
            bail!("row {} of {DATA} is of no thesis", row.id);
        }
        if !ids.insert(&row.id) {
            bail!("{DATA} has two rows {}", row.id);
        }
    }
    Ok(())
}

fn check_row(row: &Row, sources: &Sources, root: &Path) -> anyhow::Result<()> {
    row.items
        .iter()
        .try_for_each(|item| sources.item(item).map(drop))?;
    row.commands
        .iter()
        .try_for_each(|line| sources.command(line))?;
    row.tests.iter().try_for_each(|test| sources.test(test))?;
    for file in row.pages.iter().chain(&row.record) {
        if !root.join(file).is_file() {
            bail!("{file} is not there");
        }
    }
    let needs_reason = row.status != Status::Works;
    if needs_reason != row.why.as_ref().is_some_and(|why| !why.trim().is_empty()) {
        bail!("a reason belongs to everything that does not work in full, and to nothing else");
    }
    let is_here = matches!(row.status, Status::Works | Status::Partly);
    let is_found = !row.items.is_empty() || !row.commands.is_empty();
    if is_here && !is_found {
        bail!("it is said to be here, and neither an item nor a command leads to it");
    }
    if row.published.is_none() {
        if is_here && (row.tests.is_empty() || row.pages.is_empty()) {
            bail!("it is said to be here, and has no test or no page");
        }
        if row.ours.is_some() {
            bail!("a figure of ours is beside none");
        }
    }
    if row.ours.is_some() != row.record.is_some() {
        bail!("a figure of ours and its record belong together");
    }
    let newer = match &row.record {
        Some(record) => newer_record(record, root)?,
        None => None,
    };
    match (newer, &row.keep) {
        (Some(newer), None) => {
            bail!("its figure is stale: {newer} is newer; `keep` says why an older record stays")
        }
        (None, Some(_)) => bail!("`keep` gives a reason for an older record, and none is newer"),
        (Some(_), Some(reason)) if reason.trim().is_empty() => bail!("`keep` gives no reason"),
        _ => {}
    }
    if row.published.is_some() && is_here && row.ours.is_none() && row.tests.is_empty() {
        bail!("the figure is said to be measured, and there is none of ours");
    }
    Ok(())
}

/// The newest record of the same name in a folder of a later day.
fn newer_record(record: &str, root: &Path) -> anyhow::Result<Option<String>> {
    let Some((folder, name)) = record
        .strip_prefix(RECORDS)
        .and_then(|inner| inner.split_once('/'))
    else {
        return Ok(None);
    };
    // Names of folders begin with the day, "2026-11-19-".
    let day = |folder: &str| folder.get(..10).map(str::to_owned);
    let mut newest = None;
    let records = root.join(RECORDS);
    for entry in
        std::fs::read_dir(&records).with_context(|| format!("cannot list {}", records.display()))?
    {
        let other = entry?.file_name().to_string_lossy().into_owned();
        if day(&other) > day(folder) && records.join(&other).join(name).is_file() {
            newest = newest.max(Some(format!("{RECORDS}{other}/{name}")));
        }
    }
    Ok(newest)
}

fn page(theses: &Theses) -> anyhow::Result<String> {
    let mut page = format!(
        "# The theses, item by item\n\n\
         impinge builds on five theses. This page lists every contribution of each with what implements it: the public item, the command, a test, \
         a page, and the published figure beside ours. A figure *works* when it is measured and reached; *partly* when it is not reached or was measured under other \
         conditions; *planned* when it is not measured yet. What is wrong in the theses themselves is in the [errata](errata.md).\n\n\
         <!-- Made from `{DATA}` by `cargo xtask theses`. -->\n\n\
         | thesis |"
    );
    for status in Status::ALL {
        write!(page, " {} |", status.words())?;
    }
    page += "\n|---|---|---|---|---|\n";
    for thesis in &theses.thesis {
        write!(page, "| {} |", thesis.source)?;
        for status in Status::ALL {
            let rows = rows_of(theses, thesis).filter(|row| row.status == status);
            write!(page, " {} |", rows.count())?;
        }
        page.push('\n');
    }
    for thesis in &theses.thesis {
        write!(page, "\n## {}\n", thesis.source)?;
        page += "\n| | contribution | in the thesis | item | command | test | page | status |\n|---|---|---|---|---|---|---|---|\n";
        for row in rows_of(theses, thesis).filter(|row| row.published.is_none()) {
            writeln!(
                page,
                "| {} | {} | {} | {} | {} | {} | {} | {} |",
                row.id,
                cell(&row.what),
                cell(&row.place),
                spans(&row.items),
                spans(&row.commands),
                links(&row.tests),
                links(&row.pages),
                status(row)
            )?;
        }
        page += "\n| | figure | in the thesis | published | ours | record | command | status |\n|---|---|---|---|---|---|---|---|\n";
        for row in rows_of(theses, thesis).filter(|row| row.published.is_some()) {
            let mut beside = if row.record.is_some() {
                links(row.record.as_slice())
            } else {
                links(&row.tests)
            };
            if let Some(reason) = &row.keep {
                write!(beside, ": {}", cell(reason))?;
            }
            writeln!(
                page,
                "| {} | {} | {} | {} | {} | {} | {} | {} |",
                row.id,
                cell(row.what.trim_start_matches("Figure: ")),
                cell(&row.place),
                cell(row.published.as_deref().unwrap_or_default()),
                cell(row.ours.as_deref().unwrap_or("–")),
                beside,
                spans(&row.commands),
                status(row)
            )?;
        }
    }
    Ok(page)
}

fn rows_of<'t>(theses: &'t Theses, thesis: &'t Thesis) -> impl Iterator<Item = &'t Row> {
    let is_of = |row: &&Row| row.id.split('-').next() == Some(thesis.id.as_str());
    theses.row.iter().filter(is_of)
}

fn status(row: &Row) -> String {
    match &row.why {
        None => row.status.words().to_owned(),
        Some(why) => format!("{}: {}", row.status.words(), cell(why)),
    }
}

/// Words that may stand in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn spans(names: &[String]) -> String {
    let spans: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    spans.join(", ")
}

/// Links from the page to files, by the name of the test or the file.
fn links(files: &[String]) -> String {
    let link = |file: &String| {
        let (path, name) = match file.split_once("::") {
            Some((path, "doc_example")) => (path, "example"),
            Some((path, name)) => (path, name),
            None => (file.as_str(), file.rsplit('/').next().unwrap_or(file)),
        };
        let path = match path.strip_prefix("docs/") {
            Some(inner) => inner.to_owned(),
            None => format!("../{path}"),
        };
        format!("[{}]({path})", name.trim_end_matches(".md"))
    };
    let links: Vec<String> = files.iter().map(link).collect();
    links.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{DATA, Row, Theses, check, check_row, page};
    use crate::shell::root;
    use crate::sources::Sources;

    fn row(text: &str) -> Row {
        let whole = format!("id = \"a-1\"\nwhat = \"it\"\nwhere = \"1\"\n{text}");
        toml::from_str(&whole).unwrap()
    }

    #[test]
    fn rows_that_lead_nowhere_are_refused() {
        let root = root();
        let sources = Sources::read(&root).unwrap();
        let passes = |text: &str| check_row(&row(text), &sources, &root).is_ok();
        assert!(passes("status = \"planned\"\nwhy = \"needs a driver\""));
        assert!(!passes("status = \"planned\""), "without a reason");
        assert!(
            !passes("status = \"planned\"\nwhy = \" \""),
            "without words"
        );
        assert!(!passes("status = \"works\""), "leads nowhere");
        let found = format!(
            "pages = [\"{DATA}\"]\ntests = [\"crates/xtask/src/theses.rs::rows_that_lead_nowhere_are_refused\"]\n"
        );
        let item = "items = [\"impinge::bound::Aabb\"]\n";
        assert!(passes(&format!("{found}{item}status = \"works\"")));
        assert!(!passes(&format!(
            "{found}items = [\"impinge::bound::Aab\"]\nstatus = \"works\""
        )));
        assert!(!passes(&format!(
            "{item}pages = [\"{DATA}\"]\nstatus = \"works\""
        )));
        let figure = "published = \"2\"\nours = \"3\"\ncommands = [\"impinge-bench report\"]\nstatus = \"works\"\n";
        assert!(passes(&format!("{figure}record = \"{DATA}\"")));
        assert!(!passes(figure), "without a record");
        assert!(!passes(&format!("{figure}record = \"records/none.txt\"")));
    }

    #[test]
    fn a_figure_of_an_older_record_is_refused_unless_it_says_why_it_stays() {
        let sources = Sources::read(&root()).unwrap();
        let folder = std::env::temp_dir().join(format!("xtask-theses-{}", std::process::id()));
        for (day, name) in [
            ("2026-01-02-slow", "planes.txt"),
            ("2026-03-04-fast", "planes.txt"),
            ("2026-03-04-slow", "trees.txt"),
            ("2026-03-04-fast", "trees.txt"),
        ] {
            let at = folder.join("records").join(day);
            std::fs::create_dir_all(&at).unwrap();
            std::fs::write(at.join(name), "").unwrap();
        }
        let passes = |record: &str, keep: &str| {
            let text = format!(
                "published = \"2\"\nours = \"3\"\ncommands = [\"impinge-bench report\"]\nstatus = \"works\"\nrecord = \"records/{record}\"\n{keep}"
            );
            check_row(&row(&text), &sources, &folder).is_ok()
        };
        let reason = "keep = \"the newer one is of another model\"";
        let [old, new] = ["2026-01-02-slow/planes.txt", "2026-03-04-fast/planes.txt"];
        let answers = [
            passes(old, ""),
            passes(old, reason),
            passes(old, "keep = \" \""),
            passes(new, ""),
            passes(new, reason),
            // Of the same day neither is older.
            passes("2026-03-04-fast/trees.txt", "") && passes("2026-03-04-slow/trees.txt", ""),
        ];
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(answers, [false, true, false, true, false, true]);
    }

    #[test]
    fn a_row_twice_or_of_no_thesis_is_refused() {
        let root = root();
        let sources = Sources::read(&root).unwrap();
        let theses = |ids: &[&str]| {
            let mut text = "[[thesis]]\nid = \"a\"\nsource = \"A, *One*\"\n".to_owned();
            for id in ids {
                text += &format!(
                    "[[row]]\nid = \"{id}\"\nwhat = \"it | that\"\nwhere = \"1\"\nstatus = \"planned\"\nwhy = \"it waits\"\n"
                );
            }
            toml::from_str::<Theses>(&text).unwrap()
        };
        assert!(check(&theses(&["a-1", "a-2"]), &sources, &root).is_ok());
        assert!(check(&theses(&["a-1", "a-1"]), &sources, &root).is_err());
        assert!(check(&theses(&["b-1"]), &sources, &root).is_err());
        let page = page(&theses(&["a-1"])).unwrap();
        assert!(page.contains("| a-1 | it \\| that | 1 |"), "{page}");
        assert!(page.contains("| A, *One* | 0 | 0 | 1 | 0 |"), "{page}");
    }
}
