//! Whether forces of inner spheres get better with more balls.
//!
//! **Question.** With both solids filled finer and finer, do the deviations of each rule fall, and what makes those of cones jump?
//!
//! **Idea.** No time is allowed for and nothing is searched: solids are filled with given numbers of balls, and every rule is judged on the same path. Cones are there twice, of
//! the nearest face alone and of all faces within the diagonal of a voxel, beside how much of the fixed solid lies in balls without an axis.

use std::f64::consts::FRAC_PI_2;
use std::time::{Duration, Instant};

use impinge::bvh::MeshIndex as _;
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache, MeshSolid};

use super::force_engines::ForceAnswer;
use super::pages::{axis, cell, text, words};
use super::scene::{ForceModel, PathPlace, QualityScene};
use super::score::Score;
use super::sphere_packings::{PackedSolid, filled, index_of};
use super::time_limit;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};

/// Places of each path.
const PLACES: usize = 128;

/// How forces are made, in a word for the terminal, and what judges them.
const RULES: [(&str, &str, ForceModel); 7] = [
    (
        "symmetric cones of the nearest face",
        "nearest",
        ForceModel::Volume,
    ),
    ("symmetric cones", "cones", ForceModel::Volume),
    ("cones as published", "publ.", ForceModel::Volume),
    ("lens gradient", "gradient", ForceModel::Slope),
    ("lens sum along its gradient", "lenses", ForceModel::Volume),
    ("gaps counted", "gaps", ForceModel::Volume),
    ("slope with gaps", "slope", ForceModel::Slope),
];

/// A scene with the balls of the moving and of the fixed solid.
type ConvergenceCase = (QualityScene, [u32; 2]);

/// What is measured at each preset: first a block of so many balls with any number in the cone, then both as many.
const QUICK: [ConvergenceCase; 8] = [
    (QualityScene::Cone, [2_000, 8_000]),
    (QualityScene::Cone, [8_000, 8_000]),
    (QualityScene::Sheet, [2_000, 2_000]),
    (QualityScene::Sheet, [4_000, 4_000]),
    (QualityScene::Sheet, [8_000, 8_000]),
    (QualityScene::Orbit, [2_000, 2_000]),
    (QualityScene::Orbit, [4_000, 4_000]),
    (QualityScene::Orbit, [8_000, 8_000]),
];
const FULL: [ConvergenceCase; 14] = [
    (QualityScene::Cone, [2_000, 8_000]),
    (QualityScene::Cone, [8_000, 8_000]),
    (QualityScene::Cone, [32_000, 8_000]),
    (QualityScene::Cone, [32_000, 32_000]),
    (QualityScene::Cone, [64_000, 64_000]),
    (QualityScene::Sheet, [4_000, 4_000]),
    (QualityScene::Sheet, [8_000, 8_000]),
    (QualityScene::Sheet, [16_000, 16_000]),
    (QualityScene::Sheet, [32_000, 32_000]),
    (QualityScene::Sheet, [64_000, 64_000]),
    (QualityScene::Orbit, [1_000, 1_000]),
    (QualityScene::Orbit, [2_000, 2_000]),
    (QualityScene::Orbit, [4_000, 4_000]),
    (QualityScene::Orbit, [8_000, 8_000]),
];

/// One solid, filled.
struct PackedModel {
    /// With cones of the nearest face alone.
    nearest: InnerSphereTree,
    bare: InnerSphereTree,
    counted: InnerSphereTree,
    /// Voxels across where it is thinnest.
    across: f64,
}

impl PackedModel {
    fn new(scene: QualityScene, is_fixed: bool, count: u32) -> anyhow::Result<Self> {
        let index = index_of(scene, is_fixed)?;
        let solid = MeshSolid::new(&index)?;
        let PackedSolid {
            trees: [bare, counted],
            side,
        } = filled(&solid, f64::from(count))?;
        Ok(Self {
            nearest: bare.clone().with_surface(&solid),
            bare,
            counted,
            across: index.mesh().bounds().diagonal().min_element() / side,
        })
    }
}

/// The part of what balls fill that lies in balls without an axis.
fn without_axis(tree: &InnerSphereTree) -> f64 {
    let (mut without, mut all) = (0.0, 0.0);
    for (ball, surface) in tree.balls().iter().zip(tree.surfaces()) {
        all += ball.volume();
        if surface.cone.half_angle >= FRAC_PI_2 {
            without += ball.volume();
        }
    }
    without / all
}

/// What one case gave.
struct ConvergenceRow {
    scene: QualityScene,
    /// Balls that came out, of the moving and of the fixed solid.
    balls: [usize; 2],
    /// Whether both were to have as many.
    is_even: bool,
    across: f64,
    /// Of the fixed solid: with the nearest face alone, and with all within a voxel.
    without_axis: [f64; 2],
    /// One for each rule.
    scores: Vec<Score>,
}

/// The answers of every rule, place by place.
fn ask(
    fixed: &PackedModel,
    moving: &PackedModel,
    path: &[PathPlace],
    length: f64,
) -> Vec<Vec<ForceAnswer>> {
    let mut answers: Vec<Vec<ForceAnswer>> = vec![Vec::with_capacity(path.len()); RULES.len()];
    let mut cache = InnerSphereTreeCache::default();
    for stamp in path {
        let mut of = |fixed: &InnerSphereTree, moving: &InnerSphereTree| {
            fixed.overlap(moving, &stamp.pose, Limits::default(), &mut cache)
        };
        let nearest = of(&fixed.nearest, &moving.nearest);
        let bare = of(&fixed.bare, &moving.bare);
        let counted = of(&fixed.counted, &moving.counted);
        let gradient = ForceAnswer::against(stamp.about, &bare.gradient);
        let slope = ForceAnswer::against(stamp.about, &counted.value_gradient);
        let here: [ForceAnswer; RULES.len()] = [
            nearest.cones.push.about(stamp.about).into(),
            bare.cones.push.about(stamp.about).into(),
            bare.cones.published_on_b.about(stamp.about).into(),
            gradient,
            ForceAnswer::sized(stamp.about, &bare.gradient, bare.expected, length),
            ForceAnswer::sized(stamp.about, &counted.value_gradient, counted.value, length),
            slope,
        ];
        for (all, one) in answers.iter_mut().zip(here) {
            all.push(one);
        }
    }
    answers
}

/// The rows of all cases that are begun in time; the others.
fn measured(
    cases: &[ConvergenceCase],
    places: usize,
    allowed: Duration,
) -> anyhow::Result<(Vec<ConvergenceRow>, Vec<ConvergenceCase>)> {
    let start = Instant::now();
    let mut rows = Vec::new();
    // The last solids of each kind: neighbours in the list share them.
    let mut kept: [Option<(QualityScene, u32, PackedModel)>; 2] = [None, None];
    let left_out = time_limit::measure(cases, (start, allowed), |(scene, counts)| {
        for (axis, kept) in kept.iter_mut().enumerate() {
            let is_there =
                |one: &(QualityScene, u32, PackedModel)| one.0 == scene && one.1 == counts[axis];
            if !kept.as_ref().is_some_and(is_there) {
                let solid = PackedModel::new(scene, axis == 1, counts[axis])?;
                *kept = Some((scene, counts[axis], solid));
            }
        }
        let [Some((_, _, moving)), Some((_, _, fixed))] = &kept else {
            anyhow::bail!("a solid that was filled is gone");
        };
        let path = scene.path(places)?;
        let length = 0.5 * scene.moving(24)?.bounds().diagonal().length();
        let answers = ask(fixed, moving, &path, length);
        let scores = RULES.iter().zip(&answers);
        rows.push(ConvergenceRow {
            scene,
            balls: [moving.bare.balls().len(), fixed.bare.balls().len()],
            is_even: counts[0] == counts[1],
            across: fixed.across,
            without_axis: [without_axis(&fixed.nearest), without_axis(&fixed.bare)],
            scores: scores
                .map(|((_, _, model), answers)| Score::new(scene, *model, &path, answers))
                .collect(),
        });
        eprintln!(
            "converge, scene {}: {} and {} balls, {:.1} s so far",
            scene.name(),
            counts[0],
            counts[1],
            start.elapsed().as_secs_f64()
        );
        Ok(())
    })?;
    Ok((rows, left_out))
}

/// A figure of a score.
type Pick = fn(&Score) -> Option<f64>;

/// What tables show, with the digits for the terminal.
const PICKS: [(&str, usize, Pick); 3] = [
    ("deviation eta", 3, |score| Some(score.eta())),
    ("sigma of sizes", 3, |score| score.sigma_f.or(score.sigma_t)),
    ("gamma in degrees", 2, |score| {
        score.gamma_f.or(score.gamma_t)
    }),
];

fn table(rows: &[ConvergenceRow], what: &str, pick: Pick) -> Table {
    let head = [
        "scene",
        "balls of the moving solid",
        "balls of the fixed solid",
        "voxels across it",
        "of its filled volume without an axis, nearest face alone (%)",
        "with all faces within a voxel (%)",
    ];
    let columns = head.into_iter().chain(RULES.map(|rule| rule.0));
    let rows = rows.iter().map(|row| {
        let mut cells = vec![
            words(row.scene.name()),
            Cell::Number(row.balls[0] as f64),
            Cell::Number(row.balls[1] as f64),
            Cell::Number(row.across),
        ];
        cells.extend(row.without_axis.map(|part| Cell::Number(100.0 * part)));
        let scores = row.scores.iter();
        cells.extend(scores.map(|score| cell(pick(score), "nothing measured")));
        cells
    });
    Table {
        title: format!("Do inner spheres converge? {what}"),
        columns: columns.map(str::to_owned).collect(),
        rows: rows.collect(),
    }
}

fn print(rows: &[ConvergenceRow]) {
    for (what, digits, pick) in PICKS {
        println!("\nDo inner spheres converge? {what}");
        let heads: Vec<String> = RULES.iter().map(|rule| format!("{:>9}", rule.1)).collect();
        println!(
            "  {:<5} {:>7} {:>7} {:>7} {:>15} {}",
            "scene",
            "moving",
            "fixed",
            "voxels",
            "no axis (%)",
            heads.join(" ")
        );
        for row in rows {
            let scores = row.scores.iter();
            let scores: Vec<String> = scores
                .map(|score| format!("{:>9}", text(pick(score), digits)))
                .collect();
            println!(
                "  {:<5} {:>7} {:>7} {:>7.1} {:>7.1} {:>7.1} {}",
                row.scene.name(),
                row.balls[0],
                row.balls[1],
                row.across,
                100.0 * row.without_axis[0],
                100.0 * row.without_axis[1],
                scores.join(" ")
            );
        }
    }
}

/// Deviations over balls, where both solids were to have as many; none with fewer than two of them.
fn plot(rows: &[ConvergenceRow], scene: QualityScene) -> Option<Plot> {
    let rows: Vec<&ConvergenceRow> = rows
        .iter()
        .filter(|row| row.scene == scene && row.is_even)
        .collect();
    let series = RULES.iter().enumerate().map(|(rule, (name, _, _))| Series {
        name: (*name).to_owned(),
        points: rows
            .iter()
            .filter_map(|row| Some([row.balls[1] as f64, row.scores.get(rule)?.eta()]))
            .collect(),
        ..Series::default()
    });
    let logarithmic = |axis: Axis| Axis {
        is_logarithmic: true,
        ..axis
    };
    (rows.len() > 1).then(|| Plot {
        title: format!(
            "Scene {}, {}: deviation of inner spheres over balls",
            scene.name(),
            scene.title()
        ),
        x: logarithmic(axis("balls of the fixed solid", "")),
        y: logarithmic(axis("deviation eta", "")),
        series: series.collect(),
    })
}

/// Measures, prints and keeps, for about so long at most: what is begun is ended.
pub(super) fn add(sheet: &mut ResultSheet, is_full: bool, allowed: Duration) -> anyhow::Result<()> {
    let cases: &[ConvergenceCase] = if is_full { &FULL } else { &QUICK };
    let (rows, left_out) = measured(cases, PLACES, allowed)?;
    print(&rows);
    for (what, _, pick) in PICKS {
        sheet.tables.push(table(&rows, what, pick));
    }
    let scenes = [QualityScene::Cone, QualityScene::Sheet, QualityScene::Orbit];
    sheet
        .plots
        .extend(scenes.into_iter().filter_map(|scene| plot(&rows, scene)));
    sheet.notes.push(format!(
        "Do inner spheres converge? Solids are filled with given numbers of balls, whatever that costs; the ball of scene II with what it takes. Each path has {PLACES} places. Cones of the nearest face alone are what a large ball between two walls must not have: on a grid it lies nearer to one of them by chance, and pushes there."
    ));
    let names: Vec<String> = left_out
        .iter()
        .map(|(scene, [moving, fixed])| format!("{} with {moving} and {fixed} balls", scene.name()))
        .collect();
    let head = "Do inner spheres converge? For want of time left out";
    time_limit::tell(sheet, head, &names);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::force_engines::{EngineFamily, ask as ask_family};

    #[test]
    fn rules_answer_as_the_families_that_are_searched() {
        let scene = QualityScene::Sheet;
        let path = scene.path(8).unwrap();
        let [fixed, moving] = [true, false].map(|is| PackedModel::new(scene, is, 500).unwrap());
        let answers = ask(&fixed, &moving, &path, 2.0);
        let parts = [true, false].map(|is| EngineFamily::Spheres.part(scene, is, 500.0).unwrap());
        let of = |family| ask_family(family, &parts[0], &parts[1], &path, 2.0).unwrap();
        assert_eq!(answers[1..4], of(EngineFamily::Spheres).answers);
        assert_eq!(answers[5..7], of(EngineFamily::Gaps).answers);
        // With the nearest face alone, balls between both sides have an axis that they should not have.
        assert_ne!(answers[0], answers[1]);
        assert!(without_axis(&fixed.nearest) < without_axis(&fixed.bare));
    }

    #[test]
    fn what_is_not_begun_in_time_is_told() {
        let cases = [
            (QualityScene::Orbit, [100, 100]),
            (QualityScene::Orbit, [100, 200]),
            (QualityScene::Orbit, [200, 200]),
        ];
        let (rows, left_out) = measured(&cases, 4, Duration::ZERO).unwrap();
        assert!(rows.is_empty() && left_out == cases);
        let (rows, left_out) = measured(&cases, 4, Duration::MAX).unwrap();
        assert!(rows.len() == 3 && left_out.is_empty());
        assert_eq!(table(&rows, "", PICKS[0].2).rows[0].len(), 6 + RULES.len());
        // Only pairs that were to have as many balls are drawn over their number.
        let drawn = plot(&rows, QualityScene::Orbit).unwrap();
        assert!(drawn.series.iter().all(|series| series.points.len() == 2));
        assert!(plot(&rows, QualityScene::Cone).is_none());
        let mut sheet = ResultSheet::new("quality-converge", "", "", "");
        add(&mut sheet, false, Duration::ZERO).unwrap();
        assert!(sheet.notes.iter().any(|note| note.contains("left out")));
    }
}
