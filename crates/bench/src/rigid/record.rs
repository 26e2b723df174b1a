//! Records of a run: one CSV file, from which tables and charts are made again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{bail, ensure};

use super::summary::Report;
use crate::Bar;
use crate::csv_rows;
use crate::folders::{create, home};
use crate::pair_measurement::EngineRow;

pub(super) const HEADER: &str = "pair,class,faces_a,faces_b,level,pose,intersects,gap,question,engine,version,answer,verdict,excused_pairs,hot_ns,spread_ns,cold_ns,build_ns,first_ns,set";
/// The header of records from before pairs were in sets.
const EARLIER_HEADER: &str = "pair,class,faces_a,faces_b,level,pose,intersects,gap,question,engine,version,answer,verdict,excused_pairs,hot_ns,spread_ns,cold_ns";

/// One engine's answer to one question at one pose of one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    pub(crate) pair: String,
    pub(crate) class: String,
    pub(crate) faces: [usize; 2],
    /// The gap that was aimed at, as a part of A's diagonal; below 0 a length pushed past touching.
    pub(crate) level: f64,
    pub(crate) pose: usize,
    pub(crate) intersects: bool,
    /// The true distance as a part of A's diagonal.
    pub(crate) gap: f64,
    pub(crate) question: String,
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) answer: Option<f64>,
    pub(crate) verdict: String,
    /// Pairs of faces within rounding of touching for which the answer was excused.
    pub(crate) excused_pairs: usize,
    pub(crate) hot_ns: Option<f64>,
    pub(crate) spread_ns: Option<f64>,
    pub(crate) cold_ns: Option<f64>,
    /// Of building both indexes.
    pub(crate) build_ns: Option<f64>,
    /// Of the first asking at this pose.
    pub(crate) first_ns: Option<f64>,
    /// What the pair is for; empty where that is not known, as for motions and builds.
    pub(crate) set: String,
}

impl From<EngineRow> for Record {
    fn from(row: EngineRow) -> Self {
        Self {
            pose: row.pose,
            question: row.question.to_owned(),
            engine: row.engine,
            version: row.version,
            answer: row.answer,
            verdict: row.verdict.name().to_owned(),
            excused_pairs: row.excused_pairs,
            hot_ns: row.median_ns,
            spread_ns: row.spread_ns,
            cold_ns: row.cold_ns,
            build_ns: row.first_ns.map(|_| row.build_ns),
            first_ns: row.first_ns,
            ..Self::default()
        }
    }
}

impl Record {
    pub(super) fn line(&self) -> String {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            self.pair,
            self.class,
            self.faces[0],
            self.faces[1],
            self.level,
            self.pose,
            u8::from(self.intersects),
            // A billionth of the diagonal is finer than poses are aimed.
            (self.gap * 1e9).round() / 1e9,
            self.question,
            self.engine,
            self.version,
            number(self.answer),
            self.verdict,
            self.excused_pairs,
            number(self.hot_ns),
            number(self.spread_ns),
            number(self.cold_ns),
            number(self.build_ns),
            number(self.first_ns),
            self.set,
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            pair,
            class,
            faces_a,
            faces_b,
            level,
            pose,
            intersects,
            gap,
            rest @ ..,
        ] = fields.as_slice()
        else {
            bail!("too few fields in `{line}`");
        };
        let [
            question,
            engine,
            version,
            answer,
            verdict,
            excused_pairs,
            hot,
            spread,
            cold,
            later @ ..,
        ] = rest
        else {
            bail!("expected 20 fields in `{line}`");
        };
        let (build, first, set) = match later {
            [build, first, set] => (*build, *first, *set),
            // From before pairs were in sets.
            [] => ("", "", ""),
            _ => bail!("expected 20 fields in `{line}`"),
        };
        let number = |text: &str| {
            if text.is_empty() {
                Ok(None)
            } else {
                text.parse().map(Some)
            }
        };
        Ok(Self {
            pair: (*pair).to_owned(),
            class: (*class).to_owned(),
            faces: [faces_a.parse()?, faces_b.parse()?],
            level: level.parse()?,
            pose: pose.parse()?,
            intersects: *intersects == "1",
            gap: gap.parse()?,
            question: (*question).to_owned(),
            engine: (*engine).to_owned(),
            version: (*version).to_owned(),
            answer: number(answer)?,
            verdict: (*verdict).to_owned(),
            excused_pairs: excused_pairs.parse()?,
            hot_ns: number(hot)?,
            spread_ns: number(spread)?,
            cold_ns: number(cold)?,
            build_ns: number(build)?,
            first_ns: number(first)?,
            set: set.to_owned(),
        })
    }
}

/// Writes the records and what they say: `rigid.csv`, the bars as `rigid.json`, the table for the front page
/// as `rigid.md`, and a page about the run.
pub(super) fn write(folder: &Path, records: &[Record], report: &Report) -> anyhow::Result<()> {
    create(folder)?;
    let json = serde_json::json!({
        "date": date(),
        "machine": processor(),
        "cores": cores(),
        "bars": report.bars,
        "met": report.bar == Bar::Met,
    });
    std::fs::write(
        folder.join("rigid.json"),
        format!("{}\n", serde_json::to_string_pretty(&json)?),
    )?;
    std::fs::write(
        folder.join("rigid.md"),
        format!(
            "{}\nMeasured on {}, {}, one thread: [records](records/{}).\n",
            report.markdown,
            date(),
            processor(),
            folder
                .file_name()
                .map_or("".into(), |name| name.to_string_lossy()),
        ),
    )?;
    let mut csv = format!("{HEADER}\n");
    for record in records {
        csv.push_str(&record.line());
        csv.push('\n');
    }
    std::fs::write(folder.join("rigid.csv"), csv)?;
    let mut readme = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        readme,
        "# Rigid queries, {}\n\n\
         Machine: {}, {} cores, {}. Everything on one thread, except builds where said.\n\n\
         ```text\n{}\n```\n\n\
         To repeat it:\n\n\
         ```console\n\
         $ cargo xtask models     # real meshes\n\
         $ cargo xtask peers      # the other engines\n\
         $ cargo run --release -p impinge-bench -- run rigid\n\
         $ cargo run --release -p impinge-bench -- chart rigid\n\
         $ cargo xtask splice     # into the front page\n\
         ```\n\n\
         `rigid.json` holds the bars. `rigid.csv` has one line per pair, pose, question and engine; `level` is the gap that was aimed at and \
         `gap` the true one, both as parts of A's diagonal. Times are nanoseconds, hot ones medians of interleaved \
         repeats with the distance between the quartiles as spread. `build_ns` is of building both indexes, `first_ns` of the first asking. A wrong answer has no time. \
         `set` says what the pair is for: judging pairs alone enter the bars, and their list and placements are in `crates/bench`. What is unfair \
         about the comparison is in `crates/bench/BIAS.md`.\n\n\
         Other measurements on this machine may lie beside these: `scenario-1.csv` and `.json` are of `impinge-bench run scenario-1`, and `NAME.txt` \
         is what `impinge-bench NAME` printed, bars included (`run-NAME.txt`: `impinge-bench run NAME`), while nothing else ran unless its first line says so.\n",
        date(),
        processor(),
        cores(),
        std::env::consts::OS,
        report.text.trim_end(),
    );
    std::fs::write(folder.join("README.md"), readme)?;
    Ok(())
}

/// The newest records in the repository.
pub(crate) fn latest() -> anyhow::Result<(PathBuf, Vec<Record>)> {
    let file = csv_rows::newest("rigid.csv", "rigid")?;
    let records = read(&file)?;
    Ok((file, records))
}

pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<Record>> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let header = match text.lines().next() {
        Some(EARLIER_HEADER) => EARLIER_HEADER,
        _ => HEADER,
    };
    csv_rows::read(file, header, |line| {
        let fields = line.split(',').count();
        ensure!(
            fields == header.split(',').count(),
            "{fields} fields in `{line}`"
        );
        Record::parse(line)
    })
}

/// `records/DATE-MACHINE` in the repository; elsewhere below the current folder.
pub(crate) fn default_folder() -> PathBuf {
    home()
        .join("records")
        .join(format!("{}-{}", date(), slug(&processor())))
}

/// The newest `records/DATE-MACHINE` of this machine that holds such a run: where an earlier run can be gone on with.
pub(crate) fn earlier_folder(holds_run: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    newest_holding(&home().join("records"), &slug(&processor()), holds_run)
}

/// The folder called `DATE-MACHINE` with the latest date, among those that hold such a run.
fn newest_holding(
    records: &Path,
    machine: &str,
    holds_run: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let is_of_machine = |name: &str| {
        let date = name.strip_suffix(machine).and_then(|n| n.strip_suffix('-'));
        date.is_some_and(|date| {
            date.len() == DATE_LENGTH && date.chars().all(|c| c.is_ascii_digit() || c == '-')
        })
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(records)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| {
            let name = folder.file_name().and_then(|name| name.to_str());
            name.is_some_and(is_of_machine) && holds_run(folder)
        })
        .collect();
    // Dates sort as words.
    folders.sort();
    folders.pop()
}

/// Characters of a date.
const DATE_LENGTH: usize = "2026-01-31".len();

/// The words of a name, lower case, with hyphens.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_owned()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub(crate) fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned())
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Today, in UTC.
pub(crate) fn date() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    // Days since 1 March of year 0, when leap days come last in their year; eras of 400 years.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{of_month:02}", era * 400 + year + carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_an_earlier_day_is_found_again_on_its_own_machine_alone() {
        let records = std::env::temp_dir().join(format!("impinge-days-{}", std::process::id()));
        let put = |name: &str, file: &str| {
            std::fs::create_dir_all(records.join(name)).unwrap();
            std::fs::write(records.join(name).join(file), "").unwrap();
        };
        put("2026-01-30-fast-box", "state");
        put("2026-01-31-fast-box", "state");
        put("2026-02-01-fast-box", "other");
        put("2026-02-02-other-fast-box", "state");
        put("2026-02-03-slow-box", "state");
        let has = |name: &'static str| move |folder: &Path| folder.join(name).is_file();
        let found = newest_holding(&records, "fast-box", has("state"));
        assert_eq!(found, Some(records.join("2026-01-31-fast-box")));
        let either = newest_holding(&records, "fast-box", |folder| {
            has("state")(folder) || has("other")(folder)
        });
        assert_eq!(either, Some(records.join("2026-02-01-fast-box")));
        assert_eq!(newest_holding(&records, "fast-box", has("none")), None);
        assert_eq!(
            newest_holding(&records.join("x"), "fast-box", has("state")),
            None
        );
        std::fs::remove_dir_all(&records).unwrap();
    }
}
