//! The figures of the theses beside ours.

use super::{cell, words};
use crate::quality::force_engines::EngineFamily;
use crate::quality::scene::QualityScene;
use crate::quality::scene_results::{FamilyResult, SceneResults, score_of};
use crate::quality::score::Score;
use crate::result_sheet::{Cell, Table};

/// What, in which of our scenes, where in a score, of voxmap and pointshell, of inner sphere trees.
type Published = (
    &'static str,
    QualityScene,
    fn(&Score) -> Option<f64>,
    f64,
    f64,
);

/// The published figures.
const PUBLISHED: [Published; 4] = [
    (
        "sigma_F, scene I",
        QualityScene::Cone,
        |s| s.sigma_f,
        0.043,
        0.176,
    ),
    (
        "sigma_T, scene III",
        QualityScene::Turn,
        |s| s.sigma_t,
        0.169,
        0.112,
    ),
    (
        "gamma_F in degrees, scene II",
        QualityScene::Orbit,
        |s| s.gamma_f,
        2.40,
        7.64,
    ),
    (
        "nu of the force along x",
        QualityScene::Orbit,
        |s| s.nu,
        0.620,
        1.12,
    ),
];
/// Milliseconds at which they were taken.
const PUBLISHED_TAU: f64 = 0.9;

/// By how much a prediction was off, if it was one.
type Off = fn(&FamilyResult) -> Option<f64>;

/// The figures of the theses and ours, with the times at which ours were measured.
pub(super) fn beside(chapters: &[SceneResults]) -> Table {
    let rules: Vec<(EngineFamily, &'static str)> = chapters
        .first()
        .map(|chapter| chapter.found.iter())
        .into_iter()
        .flatten()
        .flat_map(|found| {
            let rules = found.family.rules().iter();
            rules.map(|rule| (found.family, rule.name))
        })
        .collect();
    let mut columns = vec![
        "figure".to_owned(),
        "published: voxmap and pointshell".to_owned(),
        "published: inner sphere trees".to_owned(),
    ];
    columns.extend(rules.iter().map(|rule| rule.1.to_owned()));
    let mut rows = Vec::new();
    for &(what, scene, pick, vps, ist) in &PUBLISHED {
        let what = if what.starts_with("nu") {
            format!("{what}: published in III, ours in {}", scene.name())
        } else {
            what.to_owned()
        };
        let mut cells = vec![Cell::Text(what), Cell::Number(vps), Cell::Number(ist)];
        for (_, rule) in &rules {
            let value = score_of(chapters, scene, rule).and_then(|(score, _)| pick(score));
            cells.push(cell(value, "nothing measured"));
        }
        rows.push(cells);
    }
    let same = "no better pair was tried in time";
    for &(what, scene, pick, vps, ist) in &PUBLISHED {
        let what = format!("{what}: where a better pair was tried in time, at that pair");
        let mut cells = vec![Cell::Text(what), Cell::Number(vps), Cell::Number(ist)];
        for (_, rule) in &rules {
            let value = better_of(chapters, scene, rule).and_then(|(score, _)| pick(score));
            cells.push(cell(value, same));
        }
        if cells
            .iter()
            .skip(3)
            .any(|cell| matches!(cell, Cell::Number(_)))
        {
            rows.push(cells);
        }
    }
    for scene in [QualityScene::Cone, QualityScene::Orbit, QualityScene::Turn] {
        let what = format!("mean ms, scene {}", scene.name());
        let mut cells = vec![Cell::Text(what)];
        cells.extend([Cell::Number(PUBLISHED_TAU), Cell::Number(PUBLISHED_TAU)]);
        for (_, rule) in &rules {
            let ms = score_of(chapters, scene, rule).map(|found| found.1.mean());
            cells.push(cell(ms, "nothing measured"));
        }
        rows.push(cells);
    }
    let offs: [(&str, Off); 2] = [
        (
            "eta predicted beside measured, off by per cent",
            FamilyResult::misprediction,
        ),
        (
            "the same at the places that were searched",
            FamilyResult::misprediction_searched,
        ),
    ];
    for (what, off) in offs {
        let mut cells = vec![words(what), Cell::Number(1.2), Cell::Number(2.1)];
        for (family, _) in &rules {
            let off = mean_misprediction(chapters, *family, off).map(|(off, _)| 100.0 * off);
            cells.push(cell(
                off,
                "no line of equal time with a deviation in any scene",
            ));
        }
        rows.push(cells);
    }
    Table {
        title: "Published figures beside ours".to_owned(),
        columns,
        rows,
    }
}

/// The score of a rule in a scene at the better pair, with its time.
fn better_of<'a>(
    chapters: &'a [SceneResults],
    scene: QualityScene,
    rule: &str,
) -> Option<(&'a Score, f64)> {
    let chapter = chapters.iter().find(|c| c.scene == scene)?;
    chapter.found.iter().find_map(|found| {
        let index = found.family.rules().iter().position(|r| r.name == rule)?;
        let better = found.better.as_ref()?;
        Some((better.scores.get(index)?, better.times.mean()))
    })
}

/// By how much the search was off about the deviation of a family, as a mean of parts over so many scenes.
fn mean_misprediction(
    chapters: &[SceneResults],
    family: EngineFamily,
    off: Off,
) -> Option<(f64, usize)> {
    let all = chapters.iter().flat_map(|chapter| &chapter.found);
    let parts: Vec<f64> = all
        .filter(|found| found.family == family)
        .filter_map(off)
        .collect();
    let mean = parts.iter().sum::<f64>() / parts.len() as f64;
    (!parts.is_empty()).then_some((mean, parts.len()))
}

/// How far the search was off about the deviation, for each family.
pub(super) fn predictions(chapters: &[SceneResults]) -> Option<String> {
    let families = chapters.first()?.found.iter().map(|found| found.family);
    let off: Vec<String> = families
        .map(|family| {
            let name = family.name();
            let of = |off| mean_misprediction(chapters, family, off);
            match (
                of(FamilyResult::misprediction),
                of(FamilyResult::misprediction_searched),
            ) {
                (Some((all, scenes)), Some((same, _))) => format!(
                    "{name} {:.1} in {scenes} scenes ({:.1} at the places that were searched)",
                    100.0 * all,
                    100.0 * same
                ),
                (Some((all, scenes)), None) => {
                    format!("{name} {:.1} in {scenes} scenes", 100.0 * all)
                }
                _ => format!("{name} in none"),
            }
        })
        .collect();
    Some(format!(
        "Mean difference of the deviation eta that the search predicted and that measured, in per cent of the latter, over the scenes with a line of equal time and a deviation above rounding: {}. Published: 1.2 for voxmap and pointshell, 2.1 for inner sphere trees. The search asks a few places of the path only, and interpolates between resolutions a factor apart; where deviations are small, as those of the exact volume, both are large parts of them: the table of equivalent resolutions has the deviations themselves.",
        off.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::call_times::tests::lasting;
    use crate::quality::pages::tables::scores;
    use crate::quality::scene_results::BetterResolution;
    use crate::quality::scene_results::tests::chapters;

    fn number(table: &Table, row: &str, column: &str) -> Option<f64> {
        let row = table
            .rows
            .iter()
            .find(|cells| matches!(&cells[0], Cell::Text(text) if text.starts_with(row)))?;
        let column = table.columns.iter().position(|name| name == column)?;
        match row[column] {
            Cell::Number(value) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn a_better_pair_stands_beside_the_one_taken() {
        let mut chapters = chapters(EngineFamily::Depth, 0.8, 0, 0.6);
        let name = EngineFamily::Depth.rules()[0].name;
        let at_better = "sigma_F, scene I: where a better pair";
        let before = beside(&chapters);
        assert_eq!(number(&before, "sigma_F, scene I", name), Some(0.6));
        assert_eq!(number(&before, at_better, name), None);
        let score = Score {
            sigma_f: Some(0.06),
            ..Score::default()
        };
        chapters[0].found[0].better = Some(BetterResolution {
            resolution: [24.0, 32_000.0],
            times: lasting(0.2),
            scores: vec![score],
        });
        let after = beside(&chapters);
        assert_eq!(number(&after, "sigma_F, scene I", name), Some(0.6));
        assert_eq!(number(&after, at_better, name), Some(0.06));
        let rows = scores(&chapters[0]).rows;
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1][1], words("the best pair tried in time"));
    }
}
