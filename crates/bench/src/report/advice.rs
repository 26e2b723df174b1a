//! What to take for what one has and wants, each with the figure that says so.
//!
//! Figures are found in the records by part and by the words of a row or a bar, so that a new record changes the page. What no record
//! holds names the command that measures it.

use super::gather::{Collection, Part};
use super::words::{quantity, significant};
use crate::engines::OURS;
use crate::ours::DEFAULT;
use crate::sheet::{Cell, Claim, Table};

/// One line of the table of decisions.
struct Question {
    have: &'static str,
    want: &'static str,
    /// What measures it, where it is not in the records.
    command: &'static str,
    answer: fn(&Collection) -> Option<Answer<'_>>,
}

/// What the records say.
pub(super) struct Answer<'c> {
    pub(super) take: String,
    pub(super) because: String,
    pub(super) part: &'c Part,
}

const QUESTIONS: &[Question] = &[
    Question {
        have: "two rigid meshes",
        want: "yes or no",
        command: "run rigid",
        answer: yes_or_no,
    },
    Question {
        have: "two rigid meshes",
        want: "their distance",
        command: "run rigid",
        answer: distance,
    },
    Question {
        have: "two rigid meshes",
        want: "all pairs of faces that meet",
        command: "run scenario-1",
        answer: all_pairs,
    },
    Question {
        have: "two rigid meshes that move and turn",
        want: "the time of impact",
        command: "run rigid",
        answer: impact,
    },
    Question {
        have: "two meshes, and a wrong verdict now and then may be borne",
        want: "probably yes or no, in as little time as can be",
        command: "run average",
        answer: likely,
    },
    Question {
        have: "two convex shapes",
        want: "yes or no, or their distance",
        command: "convex-speed",
        answer: convex,
    },
    Question {
        have: "two closed meshes",
        want: "the volume they share, exactly",
        command: "exact-volume",
        answer: exact_volume,
    },
    Question {
        have: "two closed meshes, packed with balls once",
        want: "the volume they share, an error allowed",
        command: "run volume",
        answer: ball_volume,
    },
    Question {
        have: "two closed meshes, packed with balls once",
        want: "their distance, an error allowed",
        command: "run volume --only distance",
        answer: ball_distance,
    },
    Question {
        have: "two closed meshes",
        want: "forces a thousand times a second",
        command: "run quality",
        answer: forces,
    },
    Question {
        have: "two closed meshes, packed with balls once",
        want: "forces whose cost is known beforehand",
        command: "run volume --only critical",
        answer: bounded_forces,
    },
    Question {
        have: "many boxes that move",
        want: "all pairs that overlap",
        command: "run bodies",
        answer: boxes,
    },
    Question {
        have: "a cloth, or faces that deform in any way",
        want: "all pairs that meet in each frame",
        command: "run deform",
        answer: cloth,
    },
    Question {
        have: "faces between keys that are known ahead",
        want: "a tree that stays right",
        command: "kinetic",
        answer: moving_faces,
    },
    Question {
        have: "a cloud, and its points are what counts",
        want: "its distance to a mesh, a cloud or a shape",
        command: "cloud-pairs",
        answer: points,
    },
    Question {
        have: "two clouds, and the surfaces behind them count",
        want: "whether those meet",
        command: "run clouds",
        answer: surfaces,
    },
    Question {
        have: "frames of a depth camera",
        want: "distances of a robot's parts in each",
        command: "scan",
        answer: camera,
    },
    Question {
        have: "a mesh that is asked about seldom",
        want: "an index soon",
        command: "run rigid",
        answer: building,
    },
    Question {
        have: "little memory",
        want: "a small index",
        command: "run scenario-1",
        answer: memory,
    },
];

/// The lines of the table of decisions, and what is missing.
pub(super) fn table(collection: &Collection) -> String {
    let mut text =
        "| you have | you want | take | because | measured on |\n|---|---|---|---|---|\n"
            .to_owned();
    for question in QUESTIONS {
        let Question {
            have,
            want,
            command,
            answer,
        } = question;
        let rest = match answer(collection) {
            Some(found) => {
                let preset = match found.part.sheet.preset.as_str() {
                    "" | "full" => String::new(),
                    preset => format!(", preset {preset}"),
                };
                format!(
                    "{} | {} | {}{preset}",
                    found.take,
                    // A stroke would end the cell.
                    found.because.replace('|', "\\|"),
                    found.part.origin.words()
                )
            }
            None => format!("– | not in these records: `impinge-bench {command}` measures it | –"),
        };
        text += &format!("| {have} | {want} | {rest} |\n");
    }
    text
}

fn holds(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// A row of a table, in the part that it is in.
#[derive(Clone, Copy)]
struct Row<'c> {
    part: &'c Part,
    table: &'c Table,
    cells: &'c [Cell],
}

impl<'c> Row<'c> {
    /// The number in the first column of that name.
    fn number(self, column: &str) -> Option<f64> {
        let at = self.table.columns.iter().position(|c| c == column)?;
        match self.cells.get(at)? {
            Cell::Number(x) => Some(*x),
            _ => None,
        }
    }

    fn text(self, column: &str) -> Option<&'c str> {
        let at = self.table.columns.iter().position(|c| c == column)?;
        match self.cells.get(at)? {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its numbers with the names of their columns.
    fn numbers(self) -> impl Iterator<Item = (&'c str, f64)> {
        let columns = self.table.columns.iter();
        columns
            .zip(self.cells)
            .filter_map(|(column, cell)| match cell {
                Cell::Number(x) => Some((column.as_str(), *x)),
                _ => None,
            })
    }
}

/// All rows of the newest part of a name that has some with these words in their cells or their table's title.
fn rows<'c>(collection: &'c Collection, name: &str, words: &[&str]) -> Vec<Row<'c>> {
    for part in collection.parts_of(name) {
        let all = part.sheet.tables.iter().flat_map(|table| {
            table.rows.iter().map(move |cells| Row {
                part,
                table,
                cells: cells.as_slice(),
            })
        });
        let found: Vec<Row> = all
            .filter(|row| {
                let mut line = row.table.title.clone();
                for cell in row.cells {
                    if let Cell::Text(text) = cell {
                        line += " ";
                        line += text;
                    }
                }
                holds(&(line + " "), words)
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn row<'c>(collection: &'c Collection, name: &str, words: &[&str]) -> Option<Row<'c>> {
    rows(collection, name, words).first().copied()
}

fn bar<'c>(
    collection: &'c Collection,
    name: &str,
    words: &[&str],
) -> Option<(&'c Part, &'c Claim)> {
    collection.parts_of(name).into_iter().find_map(|part| {
        let claims = &part.sheet.bars;
        let claim = claims
            .iter()
            .find(|bar| holds(&format!("{} {}", bar.claim, bar.reached), words))?;
        Some((part, claim))
    })
}

/// What a bar found, without what was asked.
fn reached(claim: &Claim) -> String {
    let said = claim.claim.split(", asked").next().unwrap_or_default();
    match claim.reached.as_str() {
        "" => said.to_owned(),
        reached => format!("{said}: {reached}"),
    }
}

fn ms(x: f64) -> String {
    quantity(x, "ms")
}

fn us(x: f64) -> String {
    quantity(x, "µs")
}

fn three(x: f64) -> String {
    significant(x, 3)
}

/// How ours does beside whoever comes nearest to it in a row of ratios.
fn beside(row: Row) -> Option<String> {
    let (peer, least) = row.numbers().min_by(|p, q| p.1.total_cmp(&q.1))?;
    Some(if least >= 1.0 {
        format!(
            "{} times as fast as {peer}, the fastest of {} others",
            three(least),
            row.numbers().count()
        )
    } else {
        format!("{peer} is {} times as fast", three(1.0 / least))
    })
}

const RATIOS: &str = "how many times faster ours answers";

/// How ours does over prescribed gaps or volumes, beside the exact engine that comes nearest.
fn prescribed(collection: &Collection, question: &str) -> Option<String> {
    let all = rows(
        collection,
        "performance",
        &[question, "engines over all pairs"],
    );
    let mean = |row: &Row| row.number("mean (µs, geometric)");
    let exact = |row: &&Row| row.text("engine").is_some_and(|name| !is_approximate(name));
    let ours = all.first().filter(exact)?;
    let next = all.iter().skip(1).filter(exact);
    let next = next.min_by(|p, q| {
        let of = |row: &Row| mean(row).unwrap_or(f64::INFINITY);
        of(p).total_cmp(&of(q))
    })?;
    Some(format!(
        "over prescribed placements {} on the mean, `{}` as the next exact one {}",
        us(mean(ours)?),
        next.text("engine")?,
        us(mean(next)?)
    ))
}

/// Whether an engine may be wrong, by its name in plots and tables.
pub(super) fn is_approximate(name: &str) -> bool {
    name.contains("(approximate)") || name.starts_with("average")
}

fn with(mut words: String, more: Option<String>) -> String {
    if let Some(more) = more {
        words += "; ";
        words += &more;
    }
    words
}

fn yes_or_no(collection: &Collection) -> Option<Answer<'_>> {
    let hit = row(collection, "rigid", &[RATIOS, "any intersection "])?;
    let none = row(
        collection,
        "rigid",
        &[RATIOS, "any intersection, without a hit"],
    );
    let apart = none
        .and_then(beside)
        .map(|words| format!("where nothing meets {words}"));
    Some(Answer {
        take: "`WideTree`, the default of `IntersectionQuery`".to_owned(),
        because: with(
            with(beside(hit)?, apart),
            prescribed(collection, "do they intersect?"),
        ),
        part: hit.part,
    })
}

fn distance(collection: &Collection) -> Option<Answer<'_>> {
    let near = row(collection, "rigid", &[RATIOS, "distance, gap up to 1 %"])?;
    let far = row(collection, "rigid", &[RATIOS, "distance, larger gaps"]);
    let far = far
        .and_then(beside)
        .map(|words| format!("at larger ones {words}"));
    Some(Answer {
        take: "`WideTree`, the default of `DistanceQuery`".to_owned(),
        because: with(
            with(
                format!("at gaps up to 1 % of the diagonal {}", beside(near)?),
                far,
            ),
            prescribed(collection, "how far apart are they?"),
        ),
        part: near.part,
    })
}

/// Times the fastest plain tree that the default takes, by class of models, and which that is.
fn by_class(table: &Table) -> Vec<(&str, f64, &str)> {
    let columns = table.columns.iter().enumerate().skip(1);
    columns
        .filter_map(|(k, class)| {
            let of_row = |row: &'_ Vec<Cell>| match (row.first()?, row.get(k)?) {
                (Cell::Text(_), Cell::Number(x)) => Some(*x),
                _ => None,
            };
            let named = |row: &&Vec<Cell>, name: &str| matches!(row.first(), Some(Cell::Text(t)) if t == name);
            let own = table.rows.iter().find(|row| named(row, DEFAULT));
            let plain = table.rows.iter().filter(|row| !named(row, DEFAULT));
            let best = plain
                .filter(|row| of_row(row).is_some())
                .min_by(|p, q| of_row(p).unwrap_or(0.0).total_cmp(&of_row(q).unwrap_or(0.0)))?;
            match best.first()? {
                Cell::Text(name) => Some((class.as_str(), of_row(own?)?, name.as_str())),
                _ => None,
            }
        })
        .collect()
}

fn all_pairs(collection: &Collection) -> Option<Answer<'_>> {
    let part = collection.part("scenario-1")?;
    let classes = by_class(part.sheet.tables.first()?);
    let lost: Vec<_> = classes
        .iter()
        .filter(|(_, times, _)| *times > 1.0)
        .collect();
    let mut take = "`WideTree`".to_owned();
    for (class, _, tree) in &lost {
        take += &format!("; on {class} models `{tree}`");
    }
    let worst: Vec<String> = lost
        .iter()
        .map(|(class, times, tree)| {
            format!(
                "on {class} models `{tree}` is {} times as fast",
                three(*times)
            )
        })
        .collect();
    let won = format!(
        "faster than every plain tree on {} of {} classes of models",
        classes.len() - lost.len(),
        classes.len()
    );
    let others = row(collection, "rigid", &[RATIOS, "all face pairs"]).and_then(beside);
    Some(Answer {
        take,
        because: with(
            with(won, (!worst.is_empty()).then(|| worst.join(", "))),
            others,
        ),
        part,
    })
}

fn impact(collection: &Collection) -> Option<Answer<'_>> {
    let found = row(collection, "rigid", &[RATIOS, "time of impact"])?;
    let truth = bar(collection, "rigid", &["no first contact passed"]);
    Some(Answer {
        take: "`ImpactQuery`, over `WideTree`".to_owned(),
        because: with(beside(found)?, truth.map(|(_, claim)| reached(claim))),
        part: found.part,
    })
}

fn likely(collection: &Collection) -> Option<Answer<'_>> {
    let all = rows(collection, "average", &["errors and times", "average k"]);
    let first = all.first()?;
    let mut wins = Vec::new();
    for row in &all {
        let (times, error) = (row.number("times default")?, row.number("error %")?);
        if times > 1.0 {
            wins.push((times, error, row.text("model")?, row.text("engine")?));
        }
    }
    wins.sort_by(|p, q| q.0.total_cmp(&p.0));
    let best: Vec<String> = wins
        .iter()
        .take(3)
        .map(|(times, error, model, engine)| {
            format!(
                "{model}, {engine}: {} times as fast, {} % wrong",
                three(*times),
                three(*error)
            )
        })
        .collect();
    let (take, because) = if best.is_empty() {
        (
            "`WideTree`: exact, and faster".to_owned(),
            format!(
                "the exact default is faster in all {} rows of models and settings",
                all.len()
            ),
        )
    } else {
        (
            "`LikelyQuery` where it was measured to win, else `WideTree`".to_owned(),
            format!(
                "it beats the exact default in {} of {} rows of models and settings: {}",
                wins.len(),
                all.len(),
                best.join("; ")
            ),
        )
    };
    Some(Answer {
        take,
        because,
        part: first.part,
    })
}

fn convex(collection: &Collection) -> Option<Answer<'_>> {
    let part = collection.part("convex-speed")?;
    let means: Vec<&str> = part
        .sheet
        .bars
        .iter()
        .filter_map(|bar| Some(bar.claim.split_once(", geometric mean")?.0))
        .collect();
    let mut lost = Vec::new();
    for row in rows(collection, "convex-speed", &["nanoseconds a question"]) {
        let columns = row.table.columns.iter().zip(row.cells);
        let mut peer = "";
        for (column, cell) in columns {
            match cell {
                Cell::Number(x) if column == "times ours" && *x < 1.0 => lost.push(format!(
                    "{} of {}: {} takes {} of our time",
                    row.text("question")?,
                    row.text("shapes")?,
                    peer.trim_end_matches(", ns"),
                    three(*x)
                )),
                _ => peer = column,
            }
        }
    }
    let lost = (!lost.is_empty()).then(|| format!("but {}", lost.join(", ")));
    (!means.is_empty()).then(|| Answer {
        take: "the shapes of `convex`, in any query of `pair`".to_owned(),
        because: with(format!("geometric means: {}", means.join(", ")), lost),
        part,
    })
}

fn exact_volume(collection: &Collection) -> Option<Answer<'_>> {
    const MANIFOLD: &str = "beside manifold";
    let shallow = row(collection, "exact-volume", &[MANIFOLD, "80 k shallow"])
        .or_else(|| row(collection, "exact-volume", &[MANIFOLD]))?;
    let deep = row(collection, "exact-volume", &[MANIFOLD, "80 k deep"]);
    let told = |row: Row| {
        Some(format!(
            "{}: {}, {} times as fast as Manifold",
            row.text("case")?,
            ms(row.number("ours, ms")?),
            three(row.number("times as fast")?)
        ))
    };
    Some(Answer {
        take: "`volume::VolumeIndex::overlap`".to_owned(),
        because: with(
            with(told(shallow)?, deep.and_then(told)),
            prescribed(collection, "how much do they share?"),
        ),
        part: shallow.part,
    })
}

fn ball_volume(collection: &Collection) -> Option<Answer<'_>> {
    let time = row(collection, "volume", &["pushed in", "gaps counted by"]);
    let error = row(collection, "volume", &["mean error of the shared volume"]);
    let shared = [
        "how much do they share?",
        "engines over all pairs",
        "balls-",
    ];
    let compared = row(collection, "performance", &shared);
    let printed = time.zip(error).and_then(|(time, error)| {
        Some(format!(
            "{} with forces where they are pushed in by {} %, off by {} % on average with gaps counted and by {} % without",
            us(time.number("µs")?),
            three(time.number("pushed in, %")?),
            three(100.0 * error.number("gaps counted")?),
            three(100.0 * error.number("lens sum")?)
        ))
    });
    let compared_words = compared.and_then(|row| {
        Some(format!(
            "over prescribed placements `{}` {} on the mean, off by {} % of the volume of A",
            row.text("engine")?,
            us(row.number("mean (µs, geometric)")?),
            three(100.0 * row.number("mean error (parts of A's volume)")?)
        ))
    });
    let part = time.or(compared)?.part;
    let words: Vec<String> = printed.into_iter().chain(compared_words).collect();
    (!words.is_empty()).then(|| Answer {
        take: "`spheres::SphereTree`, gaps counted".to_owned(),
        because: words.join("; "),
        part,
    })
}

fn ball_distance(collection: &Collection) -> Option<Answer<'_>> {
    let of = |name: &str| {
        let all = rows(collection, "volume", &["distance of", "balls in"]);
        all.into_iter()
            .find(|row| matches!(row.cells.first(), Some(Cell::Text(t)) if t.starts_with(name)))
    };
    let (balls, exact) = (of("balls")?, of("exact")?);
    let error = row(collection, "volume", &["error of the distance by balls"])?;
    let [mean, exactly] = [balls.number("mean ms")?, exact.number("mean ms")?];
    Some(Answer {
        take: if mean < exactly {
            "`spheres::SphereTree`; `WideTree` where it must be exact".to_owned()
        } else {
            "`WideTree`: exact, and faster".to_owned()
        },
        because: format!(
            "{} on the mean, off by {} %; exactly {}",
            ms(mean),
            three(100.0 * error.number("mean")?),
            ms(exactly)
        ),
        part: balls.part,
    })
}

fn forces(collection: &Collection) -> Option<Answer<'_>> {
    let bars = collection.part("quality")?;
    let told: Vec<String> = bars
        .sheet
        .bars
        .iter()
        .filter_map(|bar| {
            let (_, figure) = bar.claim.split_once("our best engine (")?;
            let (_, figure) = figure.split_once("): ")?;
            let figure = figure.split(" below ").next()?;
            let scene = bar.claim.split(" in scene ").nth(1)?;
            let scene = scene.split(' ').next()?;
            let state = if bar.is_met { "" } else { ", MISSED" };
            Some(format!("{figure} in scene {scene} {}{state}", bar.reached))
        })
        .collect();
    let best = bars.sheet.bars.iter().find_map(|bar| {
        let (_, name) = bar.claim.split_once("our best engine (")?;
        Some(name.split_once("): ")?.0)
    })?;
    let path = row(
        collection,
        "exact-volume",
        &["along a path", "processor time of the thread"],
    );
    let path = path.and_then(|row| {
        Some(format!(
            "99.9 % of the steps of a path within {}",
            ms(row.number("99.9th percentile, ms")?)
        ))
    });
    Some(Answer {
        take: format!("`volume::VolumeIndex::overlap` ({best})"),
        because: with(told.join(", "), path),
        part: bars,
    })
}

fn bounded_forces(collection: &Collection) -> Option<Answer<'_>> {
    const BUDGET: &str = "within a budget of tests";
    let counted = rows(
        collection,
        "volume",
        &[BUDGET, "gaps counted ", "processor time of the thread"],
    );
    let time = counted.first()?;
    let truth = row(collection, "volume", &["costs in truth", "gaps counted"]);
    let truth = truth.and_then(|row| {
        Some(format!(
            "{} of {} questions were cut off by their budget, and the value is off by {} % on average",
            row.number("questions cut off by their budget")?,
            row.number("of")?,
            three(row.number("off on average, %")?)
        ))
    });
    let bracket = bar(collection, "volume", &["gaps counted:", "bracket holds"]);
    let bracket = bracket.map(|(_, claim)| {
        let state = if claim.is_met { "met" } else { "missed" };
        format!("{} ({state})", reached(claim))
    });
    Some(Answer {
        take: "`spheres::SphereTree` under `Limits`".to_owned(),
        because: with(
            format!(
                "median {}, 99.9 % within {}",
                ms(time.number("median, ms")?),
                ms(time.number("99.9th percentile, ms")?)
            ),
            match (truth, bracket) {
                (Some(truth), bracket) => Some(with(truth, bracket)),
                (None, bracket) => bracket,
            },
        ),
        part: time.part,
    })
}

/// Of each number of boxes the fastest broad phase and the next.
fn boxes(collection: &Collection) -> Option<Answer<'_>> {
    let all = rows(collection, "bodies", &["a fifth overlapping"]);
    let own: Vec<Row> = all
        .into_iter()
        .filter(|row| row.number("bodies").is_some())
        .collect();
    let mut sizes: Vec<f64> = own.iter().filter_map(|row| row.number("bodies")).collect();
    sizes.dedup();
    let mut lines = Vec::new();
    let mut winners: Vec<&str> = Vec::new();
    for size in &sizes {
        let mut here: Vec<(&str, f64)> = own
            .iter()
            .filter(|row| row.number("bodies") == Some(*size))
            .filter_map(|row| Some((row.text("")?, row.number("frame ms")?)))
            .collect();
        here.sort_by(|p, q| p.1.total_cmp(&q.1));
        let (first, next) = (here.first()?, here.get(1)?);
        winners.push(first.0);
        lines.push(format!(
            "{} boxes: {} {}, then {} {}",
            size,
            first.0,
            ms(first.1),
            next.0,
            ms(next.1)
        ));
    }
    let name = |winner: &str| match winner {
        "tree" => "`broad::Tree`, the default of `World`".to_owned(),
        other => format!("{other} of `broad`"),
    };
    let part = own.first()?.part;
    let mut kinds = winners.clone();
    kinds.dedup();
    let take = match kinds.as_slice() {
        [winner] => name(winner),
        _ => winners
            .iter()
            .zip(&sizes)
            .map(|(winner, size)| format!("{} at {size}", name(winner)))
            .collect::<Vec<_>>()
            .join(", "),
    };
    let others = bar(collection, "bodies", &["frame", "the fastest other"]);
    // The largest sizes tell most.
    let last = lines.split_off(lines.len().saturating_sub(2));
    Some(Answer {
        take,
        because: with(
            format!("a frame of {}", last.join("; ")),
            others.map(|(_, claim)| reached(claim)),
        ),
        part,
    })
}

fn cloth(collection: &Collection) -> Option<Answer<'_>> {
    let ours = rows(collection, "deform", &["ours, for each frame"]);
    let first = ours.first()?;
    let told: Vec<String> = ours
        .iter()
        .filter_map(|row| {
            let scene = row.text("scene")?;
            let peers = rows(collection, "deform", &["other libraries", scene]);
            let peer = peers
                .iter()
                .filter(|row| row.text("scene") == Some(scene))
                .filter_map(|row| Some((row.text("engine")?, row.number("times ours")?)))
                .min_by(|p, q| p.1.total_cmp(&q.1));
            let peer = peer.map_or(String::new(), |(name, times)| {
                format!(", on one thread {} times as fast as {name}", three(times))
            });
            Some(format!(
                "{scene} {}{peer}",
                ms(row.number("all threads, ms")?)
            ))
        })
        .collect();
    Some(Answer {
        take: "`deform::Auto`".to_owned(),
        because: format!("a frame of {}", told.join("; ")),
        part: first.part,
    })
}

fn moving_faces(collection: &Collection) -> Option<Answer<'_>> {
    let all = rows(collection, "kinetic", &["events beside updates"]);
    let first = all.first()?;
    let (mut from, mut worst) = (f64::INFINITY, 0.0_f64);
    let mut below: f64 = 0.0;
    for row in &all {
        let between = row.number("in-between frames")?;
        let events = row.number("events, µs")?;
        let refit = row
            .number("refit, µs")?
            .min(row.number("vector refit, µs")?);
        worst = worst.max(row.number("chosen, µs")? / events.min(refit));
        if events < refit {
            from = from.min(between);
        } else {
            below = below.max(between);
        }
    }
    let crossing = if from.is_finite() {
        format!(
            "events beat refitting from {from} frames between two keys on and lost up to {below}"
        )
    } else {
        format!("events never beat refitting, up to {below} frames between two keys")
    };
    Some(Answer {
        take: "`kinetic::AutoTree`".to_owned(),
        because: format!(
            "{crossing}; what it chose took at most {} times the better of both",
            three(worst)
        ),
        part: first.part,
    })
}

fn points(collection: &Collection) -> Option<Answer<'_>> {
    let told = |words: &[&str]| {
        let row = row(collection, "cloud-pairs", words)?;
        row.number("distance, ms")
    };
    let title = row(collection, "cloud-pairs", &["a cloud of", "mesh"])?;
    let mesh = told(&["a cloud of", " mesh apart "])?;
    let cloud = told(&["a cloud of", " cloud apart "])?;
    let nearest = bar(collection, "cloud-pairs", &["a nearest point takes"]);
    Some(Answer {
        take: "`cloud::CloudShape`".to_owned(),
        because: with(
            format!(
                "{} from a mesh and {} from another cloud, apart ({})",
                ms(mesh),
                ms(cloud),
                title.table.title
            ),
            nearest.map(|(_, claim)| reached(claim)),
        ),
        part: title.part,
    })
}

/// From the least to the largest.
fn range(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let most = values.iter().copied().max_by(f64::total_cmp)?;
    Some((least, most))
}

fn surfaces(collection: &Collection) -> Option<Answer<'_>> {
    let all = rows(collection, "clouds", &["tumbling pairs"]);
    let first = all.first()?;
    let of = |column: &str| {
        let values: Vec<f64> = all.iter().filter_map(|row| row.number(column)).collect();
        range(&values)
    };
    let (cloud, wrong) = (of("mean in µs")?, of("wrong in %")?);
    let mesh = of("exact mesh in µs").map(|(_, most)| {
        format!(
            "with the mesh itself at most {}, never wrong: ask that where there is one",
            us(most)
        )
    });
    Some(Answer {
        take: "`LikelyQuery` with two `CloudShape`s `with_surface`".to_owned(),
        because: with(
            format!(
                "{} to {} on the mean of {} models, at most {} % wrong",
                us(cloud.0),
                us(cloud.1),
                all.len(),
                three(wrong.1)
            ),
            mesh,
        ),
        part: first.part,
    })
}

fn camera(collection: &Collection) -> Option<Answer<'_>> {
    let (part, frame) = bar(collection, "scan", &["index and eight parts"])?;
    let sustained = bar(collection, "scan", &["frames a second sustained"]);
    Some(Answer {
        take: "`scan::ScanFrame`, the parts packed with balls".to_owned(),
        because: with(reached(frame), sustained.map(|(_, claim)| reached(claim))),
        part,
    })
}

fn building(collection: &Collection) -> Option<Answer<'_>> {
    let all = rows(collection, "rigid", &["building an index"]);
    let most = all
        .iter()
        .filter(|row| row.text("engine") == Some(OURS))
        .filter_map(|row| row.number("faces"))
        .max_by(f64::total_cmp)?;
    let mut here: Vec<(&str, f64)> = all
        .iter()
        .filter(|row| row.number("faces") == Some(most))
        .filter_map(|row| Some((row.text("engine")?, row.number("time, ms")?)))
        .filter(|(name, _)| !name.contains("(one thread)"))
        .collect();
    here.sort_by(|p, q| p.1.total_cmp(&q.1));
    let own = here.iter().position(|(name, _)| *name == OURS)?;
    let listed = |range: &[(&str, f64)]| {
        let words: Vec<String> = range
            .iter()
            .map(|(name, time)| format!("{name} {}", ms(*time)))
            .collect();
        words.join(", ")
    };
    let faster = match listed(&here[..own]) {
        none if none.is_empty() => "none is faster".to_owned(),
        some => format!("faster to build: {some}"),
    };
    Some(Answer {
        take: "`WideTree`; a plain box tree built fast where few questions follow".to_owned(),
        because: format!(
            "{} for {most} faces; {faster}; slower: {}",
            ms(here[own].1),
            listed(&here[own + 1..])
        ),
        part: all.first()?.part,
    })
}

fn memory(collection: &Collection) -> Option<Answer<'_>> {
    let all = rows(collection, "scenario-1", &["memory, building"]);
    let mut bytes: Vec<(&str, f64)> = all
        .iter()
        .filter_map(|row| Some((row.text("tree")?, row.number("bytes per face")?)))
        .collect();
    bytes.sort_by(|p, q| p.1.total_cmp(&q.1));
    let own = bytes.iter().find(|(name, _)| *name == DEFAULT)?;
    let least: Vec<String> = bytes
        .iter()
        .filter(|(name, _)| *name != DEFAULT)
        .take(3)
        .map(|(name, bytes)| format!("`{name}` {}", three(*bytes)))
        .collect();
    let smallest = bytes.first()?.0;
    Some(Answer {
        take: if smallest == DEFAULT {
            "`WideTree`".to_owned()
        } else {
            format!("`WideTree`, or `{smallest}` where every byte counts and time does not")
        },
        because: format!(
            "{} bytes for each face; the smallest others: {}",
            three(own.1),
            least.join(", ")
        ),
        part: all.first()?.part,
    })
}
