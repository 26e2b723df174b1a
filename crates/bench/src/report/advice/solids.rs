//! What to take for solids: shared volumes, and forces.

use super::RecordAnswer;
use super::look_up::{PartRow, bar, ms, prescribed, reached, row, rows, three, us, with};
use crate::report::collect_records::{Collection, ReportPart};
use crate::report::replaced_bars::is_replaced;
use crate::result_sheet::Cell;

pub(super) fn exact_volume(collection: &Collection) -> Option<RecordAnswer<'_>> {
    const MANIFOLD: &str = "beside manifold";
    let shallow = row(collection, "exact-volume", &[MANIFOLD, "80 k shallow"])
        .or_else(|| row(collection, "exact-volume", &[MANIFOLD]))?;
    let deep = row(collection, "exact-volume", &[MANIFOLD, "80 k deep"]);
    let told = |row: PartRow| {
        Some(format!(
            "{}: {}, {} times as fast as Manifold",
            row.text("case")?,
            ms(row.number("ours, ms")?),
            three(row.number("times as fast")?)
        ))
    };
    Some(RecordAnswer {
        take: "`volume::VolumeIndex::overlap`".to_owned(),
        because: with(
            with(told(shallow)?, deep.and_then(told)),
            prescribed(collection, "how much do they share?"),
        ),
        part: shallow.part,
    })
}

/// Whether the times of a record are of one pose that is queried again and again, which finds
/// everything in the processor's caches. Such records have a bar that was replaced on the same day.
fn is_one_pose(part: &ReportPart) -> bool {
    part.sheet.open.iter().any(|open| is_replaced(open))
}

pub(super) fn ball_volume(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let time = row(collection, "volume", &["pushed in", "gaps counted by"]);
    let error = row(collection, "volume", &["mean error of the shared volume"]);
    let shared = [
        "how much do they share?",
        "engines over all pairs",
        "balls-",
    ];
    let compared = row(collection, "performance", &shared);
    let shallow = row(collection, "volume", &["mean error of shallow contacts"]);
    let shallow = shallow.and_then(|row| row.number("gaps counted"));
    let printed = time.zip(error).and_then(|(time, error)| {
        Some(format!(
            "{} with forces where they are pushed in by {} %{}; where at least 1 % of a solid is shared, off by {} % on average with gaps counted and by {} % without; {}",
            us(time.number("µs")?),
            three(time.number("pushed in, %")?),
            if is_one_pose(time.part) { ", the same pose again and again" } else { "" },
            three(100.0 * error.number("gaps counted")?),
            three(100.0 * error.number("lens sum")?),
            match shallow {
                Some(error) => format!("where less is, by {} % with gaps counted", three(100.0 * error)),
                None => "shallower contacts are off by far more, and not in these records".to_owned(),
            }
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
    (!words.is_empty()).then(|| RecordAnswer {
        take: "`spheres::InnerSphereTree`, gaps counted".to_owned(),
        because: words.join("; "),
        part,
    })
}

/// Words of the titles of the table of errors and of that of times.
const DISTANCE_ERROR: &str = "error of the distance by inner sphere trees";
const DISTANCE_TIMES: [&str; 2] = ["distance of", "balls in"];

pub(super) fn ball_distance(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let of = |name: &str| {
        let all = rows(collection, "volume", &DISTANCE_TIMES);
        all.into_iter()
            .find(|row| matches!(row.cells.first(), Some(Cell::Text(t)) if t.starts_with(name)))
    };
    let (balls, exact) = (of("balls")?, of("exact")?);
    let error = row(collection, "volume", &[DISTANCE_ERROR])?;
    let [mean, exactly] = [balls.number("mean ms")?, exact.number("mean ms")?];
    let title = balls.table.title.as_str();
    let scene = title.strip_prefix("Distance of ").unwrap_or(title);
    Some(RecordAnswer {
        take: if mean < exactly {
            "`spheres::InnerSphereTree`; `WideTree` where it must be exact".to_owned()
        } else {
            "`WideTree`: exact, and faster".to_owned()
        },
        because: format!(
            "{}: {} on the mean, off by {} %; exactly {}",
            scene.replace("balls", "spheres"),
            ms(mean),
            three(100.0 * error.number("mean")?),
            ms(exactly)
        ),
        part: balls.part,
    })
}

/// What a bar of the best engine about forces is about, and its scene.
fn of_the_best(claim: &str) -> Option<(&str, &str)> {
    let (_, figure) = claim.split_once("our best engine (")?;
    let (_, figure) = figure.split_once("): ")?;
    let (_, scene) = claim.split_once(" in scene ")?;
    Some((figure.split(" below ").next()?, scene.split(' ').next()?))
}

pub(super) fn forces(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let bars = collection.part("quality")?;
    let mut told: Vec<String> = Vec::new();
    let mut single: Vec<String> = Vec::new();
    for bar in &bars.sheet.bars {
        let Some((figure, scene)) = of_the_best(&bar.claim) else {
            continue;
        };
        let state = if bar.is_met { "" } else { ", MISSED" };
        // The mean, then what single calls in that scene took.
        let (mean, calls) = match bar.reached.strip_suffix(')') {
            Some(reached) => reached.split_once(" (").unwrap_or((reached, "")),
            None => (bar.reached.as_str(), ""),
        };
        told.push(format!("{figure} in scene {scene} {mean}{state}"));
        // Older records say askings.
        let calls = format!("{calls} in scene {scene}").replace(" askings ", " calls ");
        if calls.contains(" calls ") && !single.contains(&calls) {
            single.push(calls);
        }
    }
    let best = bars.sheet.bars.iter().find_map(|bar| {
        let (_, name) = bar.claim.split_once("our best engine (")?;
        Some(name.split_once("): ")?.0)
    })?;
    let path = row(
        collection,
        "exact-volume",
        &["along a path", "processor time of the thread"],
    );
    // Records that have not kept single calls know those of another path only.
    let slowest = if single.is_empty() {
        path.and_then(|row| {
            Some(format!(
                "99.9 % of the steps of a path within {}",
                ms(row.number("99.9th percentile, ms")?)
            ))
        })
    } else {
        Some(single.join(", "))
    };
    // The rule is of the library too: a push along the gradient that comes back, as large as the volume.
    let rule = if best.ends_with("along its slope") {
        ", then `PoseGradient::downhill`"
    } else {
        ""
    };
    Some(RecordAnswer {
        take: format!("`volume::VolumeIndex::overlap`{rule} ({best})"),
        because: with(told.join(", "), slowest),
        part: bars,
    })
}

pub(super) fn bounded_forces(collection: &Collection) -> Option<RecordAnswer<'_>> {
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
    Some(RecordAnswer {
        take: "`spheres::InnerSphereTree` under `Limits`".to_owned(),
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
