//! What is printed, and what goes into the sheet.

use impinge::DVec3;

use super::equivalent::Reach;
use super::metrics::{longest, normalised};
use super::scene::{Model, Scene, Stamp};
use super::score::Score;
use super::search::NEAR;
use super::spectrum::{WINDOW, energies, mean};
use super::subject::Family;
use super::{Chapter, Found, score_of};
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};

/// What, in which of our scenes, where in a score, of voxmap and pointshell, of inner sphere trees.
type Published = (&'static str, Scene, fn(&Score) -> Option<f64>, f64, f64);

/// The published figures.
const PUBLISHED: [Published; 4] = [
    ("sigma_F, scene I", Scene::Cone, |s| s.sigma_f, 0.043, 0.176),
    (
        "sigma_T, scene III",
        Scene::Turn,
        |s| s.sigma_t,
        0.169,
        0.112,
    ),
    (
        "gamma_F in degrees, scene II",
        Scene::Orbit,
        |s| s.gamma_f,
        2.40,
        7.64,
    ),
    (
        "nu of the force along x",
        Scene::Orbit,
        |s| s.nu,
        0.620,
        1.12,
    ),
];
/// Milliseconds at which they were taken.
const PUBLISHED_TAU: f64 = 0.9;
/// Points of a curve in the sheet.
const CURVE: usize = 256;
/// Deviations below this are drawn as if they were as large: rounding would stretch the axis.
const LEAST_DRAWN: f64 = 1e-6;

/// By how much a prediction was off, if it was one.
type Off = fn(&Found) -> Option<f64>;

/// The sheet with its head and notes.
pub(super) fn empty(preset: &str, tau: f64, count: usize) -> Sheet {
    let mut sheet = Sheet::new(
        "quality",
        "Quality of forces",
        "How near are computed forces and torques to the right ones, when every engine may take the same time?",
        &format!("impinge-bench run quality --preset {preset}"),
    );
    sheet.preset = preset.to_owned();
    sheet.notes = [
        format!("Each path has {count} places. Resolutions are those of the published search: both solids get finer until a question takes more than {tau} ms; three resolutions of each make nine pairs; a plane through their times is cut with {tau} ms; along that line the deviation is interpolated, and a cubic through it has its minimum at the pair taken. Times are no plane, so that this pair is then made finer or coarser until it takes between 80 and 100 % of {tau} ms."),
        format!("An engine that is still faster at the finest resolution tried has no such line. The table of equivalent resolutions says so with its time there; it was measured at the best of its nine finest pairs. More time need not mean smaller deviations: where a pair that was tried within {tau} ms is better than the one taken by more than a twentieth, it was measured on the whole path too, and both are shown. Bars are judged at the pair taken."),
        "A force is judged by the model of its penalty: depth, shared volume, or the slope of the volume. Sizes are divided by their largest value, as published, so that no stiffness matters.".to_owned(),
        "Voxmap and pointshell is judged twice: by depth, as published, and by volume, because depths along normals, summed over the surface below a plane, add up to the volume below it.".to_owned(),
        "sigma is the root of the mean square. The theses print the number of places before the root; the figures they report would then need fewer than 33 places.".to_owned(),
        "gamma is in degrees, over places where a direction is expected: not while the cone passes the edge of the block, whose side pushes too.".to_owned(),
        "nu was published for the force along x in scene III, where the ideal force is zero and nu is not defined. It is given here for scenes II and IV, and set beside the published figure for want of a better one. It compares energies and so cannot see errors that leave the energy unchanged; the column noise has the energy of the difference.".to_owned(),
        "The published times were taken on a processor of 2008, so that within 0.9 ms engines can be finer today; models and paths are rebuilt from text, because drawings and files are lost. Published resolutions of inner sphere trees are unknown.".to_owned(),
        "The exact volume has no resolution but that of the mesh. 'Along its slope' means: its size is the shared volume, its direction that in which the volume shrinks fastest; a torque counts as the force that makes it with an arm of half the diagonal of the moving solid.".to_owned(),
        "Scene III: the models say that the torque grows with the angle as volume or depth do. Arms shrink meanwhile, so that any engine that adds up forces at their places has a torque that grows, then falls; this is a part of every sigma_T but that of 'along its slope'.".to_owned(),
        "Plate and block of scenes III and IV lie on each other. Such contact has one derivative of the volume on each side; the exact engine takes that of moving apart, because ties are broken as if the moving solid were lifted. Voxels of the surface reach out of the solid by up to half a voxel, and so does their force.".to_owned(),
        "In scene IV the force back to the axis is the model of the theses. The volume of the square pin shrinks fastest along a diagonal, whatever the direction of the shift, so that forces made of volumes deviate from it.".to_owned(),
        "Solids are filled with balls on a grid of voxels, by the first of the published packers: our default packer leaves the tip of a cone empty, and takes long over a ball, which one large ball fills.".to_owned(),
        "Cones of normals hold all faces within the diagonal of a voxel of the nearest: a ball between two sides of a solid has no axis then, wherever the grid happens to lie, and pushes along the line of centres. In scene Ib that line leads through the sheet, where a ball of the tip has its centre below it; the published rule follows it, the symmetric one asks the axes of the cone's balls too.".to_owned(),
        "Inner spheres with gaps have the same balls, with secondary radii by the volume that no ball fills; their time is their own.".to_owned(),
        "Of sigma_F of voxmap and pointshell in scene Ia, 0.094 is the difference of the models: a force that is exactly the volume has so much when it is judged by depth.".to_owned(),
        "Mean times of the faster of two askings of each place.".to_owned(),
    ]
    .to_vec();
    sheet
}

fn text(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |x| format!("{x:.digits$}"))
}

/// What a family scored at one pair of resolutions.
struct Measured<'f> {
    resolution: [f64; 2],
    mean_ms: f64,
    scores: &'f [Score],
    /// Whether this is not the pair of the published procedure, but a better one that was tried.
    is_better: bool,
}

impl Found {
    /// At the pair that the published procedure takes, and at a better one where one was tried.
    fn measured(&self) -> impl Iterator<Item = Measured<'_>> {
        let taken = Measured {
            resolution: self.resolution,
            mean_ms: self.run.mean_ms,
            scores: &self.scores,
            is_better: false,
        };
        let better = self.better.as_ref().map(|better| Measured {
            resolution: better.resolution,
            mean_ms: better.mean_ms,
            scores: &better.scores,
            is_better: true,
        });
        std::iter::once(taken).chain(better)
    }
}

/// A line for each force in the scene.
pub(super) fn print(chapter: &Chapter, tau: f64) {
    println!(
        "\nScene {}: {}",
        chapter.scene.name(),
        chapter.scene.title()
    );
    println!(
        "  {:<34} {:<7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>9} {:>8} {:>8}  resolution",
        "force",
        "model",
        "sigma_F",
        "gamma_F",
        "sigma_T",
        "gamma_T",
        "nu",
        "noise",
        "spurious",
        "missing",
        "ms"
    );
    for found in &chapter.found {
        for measured in found.measured() {
            for (rule, score) in found.family.rules().iter().zip(measured.scores) {
                println!(
                    "  {:<34} {:<7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>9} {:>8} {:>8.4}  {:.0} {}, {:.0} {}{}",
                    rule.name,
                    rule.model.name(),
                    text(score.sigma_f, 4),
                    text(score.gamma_f, 3),
                    text(score.sigma_t, 4),
                    text(score.gamma_t, 3),
                    text(score.nu, 3),
                    text(score.noise, 4),
                    text(score.spurious.map(|s| s.mean), 4),
                    score.missing,
                    measured.mean_ms,
                    measured.resolution[0],
                    found.family.units()[0],
                    measured.resolution[1],
                    found.family.units()[1],
                    if measured.is_better {
                        " (best tried)"
                    } else {
                        ""
                    },
                );
            }
        }
    }
    for found in &chapter.found {
        println!("  {}: {}", found.family.name(), taken(found, tau));
    }
}

/// Everything measured.
pub(super) fn fill(sheet: &mut Sheet, chapters: &[Chapter], tau: f64) {
    sheet.tables.push(beside_published(chapters));
    for chapter in chapters {
        sheet.tables.push(table(chapter));
    }
    sheet.tables.push(resolutions(chapters, tau));
    sheet.notes.extend(predictions(chapters));
    for chapter in chapters {
        sheet.plots.push(errors(chapter, tau));
        sheet.plots.push(sizes(chapter));
        if chapter.scene.knows_torque() {
            sheet.plots.push(odd_ones(chapter));
        }
        if chapter.scene.is_closed() {
            sheet.plots.push(components(chapter));
            sheet.plots.push(spectrum(chapter));
        }
    }
}

fn cell(value: Option<f64>, reason: &str) -> Cell {
    value.map_or(
        Cell::Void {
            reason: reason.to_owned(),
        },
        Cell::Number,
    )
}

fn words(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// The figures of the theses and ours, with the times at which ours were measured.
fn beside_published(chapters: &[Chapter]) -> Table {
    let rules: Vec<(Family, &'static str)> = chapters
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
    for scene in [Scene::Cone, Scene::Orbit, Scene::Turn] {
        let what = format!("mean ms, scene {}", scene.name());
        let mut cells = vec![Cell::Text(what)];
        cells.extend([Cell::Number(PUBLISHED_TAU), Cell::Number(PUBLISHED_TAU)]);
        for (_, rule) in &rules {
            let ms = score_of(chapters, scene, rule).map(|found| found.1);
            cells.push(cell(ms, "nothing measured"));
        }
        rows.push(cells);
    }
    let offs: [(&str, Off); 2] = [
        (
            "eta predicted beside measured, off by per cent",
            Found::misprediction,
        ),
        (
            "the same at the places that were searched",
            Found::misprediction_searched,
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
fn better_of<'a>(chapters: &'a [Chapter], scene: Scene, rule: &str) -> Option<(&'a Score, f64)> {
    let chapter = chapters.iter().find(|c| c.scene == scene)?;
    chapter.found.iter().find_map(|found| {
        let index = found.family.rules().iter().position(|r| r.name == rule)?;
        let better = found.better.as_ref()?;
        Some((better.scores.get(index)?, better.mean_ms))
    })
}

fn table(chapter: &Chapter) -> Table {
    let columns = [
        "force",
        "at",
        "model",
        "sigma_F",
        "gamma_F (°)",
        "sigma_T",
        "gamma_T (°)",
        "nu, x",
        "nu, size",
        "noise",
        "spurious, mean",
        "spurious, most",
        "spurious, largest step",
        "sigma as printed",
        "missing",
        "ms",
    ];
    let none = "not defined in this scene";
    let mut rows = Vec::new();
    for found in &chapter.found {
        for measured in found.measured() {
            let at = if measured.is_better {
                "the best pair tried in time"
            } else {
                "the pair taken"
            };
            for (rule, score) in found.family.rules().iter().zip(measured.scores) {
                rows.push(vec![
                    words(rule.name),
                    words(at),
                    words(rule.model.name()),
                    cell(score.sigma_f, none),
                    cell(score.gamma_f, none),
                    cell(score.sigma_t, none),
                    cell(score.gamma_t, none),
                    cell(score.nu, none),
                    cell(score.nu_size, none),
                    cell(score.noise, "nothing measured"),
                    cell(score.spurious.map(|s| s.mean), "nothing measured"),
                    cell(score.spurious.map(|s| s.most), "nothing measured"),
                    cell(score.spurious.map(|s| s.step), "nothing measured"),
                    cell(score.printed, none),
                    Cell::Number(score.missing as f64),
                    Cell::Number(measured.mean_ms),
                ]);
            }
        }
    }
    Table {
        title: format!("Scene {}: {}", chapter.scene.name(), chapter.scene.title()),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    }
}

/// What the search for equivalent resolutions found.
fn resolutions(chapters: &[Chapter], tau: f64) -> Table {
    let columns = [
        "scene",
        "engine",
        "moving",
        "fixed",
        "unit",
        "eta predicted",
        "eta at the places searched",
        "eta measured",
        "off (%)",
        "what was taken",
        "ms",
        "finest tried",
        "ms of the finest",
        "eta of the finest",
        "best of nine in time",
        "ms of the best",
        "eta of the best",
    ];
    let pair = |r: [f64; 2]| Cell::Text(format!("{:.0}, {:.0}", r[0], r[1]));
    let rows = chapters.iter().flat_map(|chapter| {
        chapter.found.iter().map(move |found: &Found| {
            let settled = &found.settled;
            let none = "all nine are too slow";
            let best = settled.best;
            vec![
                words(chapter.scene.name()),
                words(found.family.name()),
                Cell::Number(found.resolution[0]),
                Cell::Number(found.resolution[1]),
                words(&found.family.units().join(", ")),
                Cell::Number(settled.predicted_eta),
                Cell::Number(settled.trial.eta),
                cell(found.scores.first().map(Score::eta), "nothing measured"),
                cell(
                    found.misprediction().map(|off| 100.0 * off),
                    if settled.choice.reach == Reach::Line {
                        "nothing but rounding was measured"
                    } else {
                        "no line of equal time"
                    },
                ),
                words(&taken(found, tau)),
                Cell::Number(found.run.mean_ms),
                pair(settled.finest.0),
                Cell::Number(settled.finest.1.ms),
                Cell::Number(settled.finest.1.eta),
                best.map_or(words("none"), |(r, _)| pair(r)),
                cell(best.map(|(_, trial)| trial.ms), none),
                cell(best.map(|(_, trial)| trial.eta), none),
            ]
        })
    });
    Table {
        title: "Equivalent resolutions".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// What was taken, in words.
fn taken(found: &Found, tau: f64) -> String {
    let settled = &found.settled;
    let ms = settled.finest.1.ms;
    match settled.choice.reach {
        Reach::Line if found.run.mean_ms < NEAR * tau => {
            format!("the minimum on the line of equal time; no finer pair near it takes {tau} ms")
        }
        Reach::Line => "the minimum on the line of equal time".to_owned(),
        Reach::Faster if settled.is_long => format!(
            "the best of nine: {ms:.3} ms at the finest, and finer ones take too long to build"
        ),
        Reach::Faster => format!(
            "the best of nine: it never needs {tau} ms, but {ms:.3} ms at the finest of this preset"
        ),
        Reach::Slower => format!("the coarsest, made coarser still: all nine exceed {tau} ms"),
    }
}

/// By how much the search was off about the deviation of a family, as a mean of parts over so many scenes.
fn mean_misprediction(chapters: &[Chapter], family: Family, off: Off) -> Option<(f64, usize)> {
    let all = chapters.iter().flat_map(|chapter| &chapter.found);
    let parts: Vec<f64> = all
        .filter(|found| found.family == family)
        .filter_map(off)
        .collect();
    let mean = parts.iter().sum::<f64>() / parts.len() as f64;
    (!parts.is_empty()).then_some((mean, parts.len()))
}

/// How far the search was off about the deviation, for each family.
fn predictions(chapters: &[Chapter]) -> Option<String> {
    let families = chapters.first()?.found.iter().map(|found| found.family);
    let off: Vec<String> = families
        .map(|family| {
            let name = family.name();
            let of = |off| mean_misprediction(chapters, family, off);
            match (of(Found::misprediction), of(Found::misprediction_searched)) {
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

fn axis(label: &str, unit: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        is_logarithmic: false,
    }
}

/// A curve over the path, thinned.
fn curve(name: &str, chapter: &Chapter, values: &[f64]) -> Series {
    let step = chapter.path.len().div_ceil(CURVE).max(1);
    let points = chapter.path.iter().zip(values).step_by(step);
    Series {
        name: name.to_owned(),
        points: points.map(|(stamp, value)| [stamp.at, *value]).collect(),
        ..Series::default()
    }
}

/// Force and torque by a model.
fn ideal(chapter: &Chapter, model: Model) -> Vec<DVec3> {
    let scene = chapter.scene;
    let main = |stamp: &Stamp| {
        let expected = scene.expected(model, stamp);
        if scene.is_torque() {
            expected.torque
        } else {
            expected.force
        }
    };
    chapter.path.iter().map(main).collect()
}

/// What was measured of what is expected: forces, or torques in the scene of torque.
fn measured(chapter: &Chapter, found: &Found, rule: usize) -> Vec<DVec3> {
    let answers = found.run.answers.get(rule).into_iter().flatten();
    answers
        .map(|answer| {
            if chapter.scene.is_torque() {
                answer.torque
            } else {
                answer.force
            }
        })
        .collect()
}

/// Series of every force, by what is made of its vectors.
fn each(chapter: &Chapter, make: impl Fn(&Found, usize, &str) -> Series) -> Vec<Series> {
    let mut series = Vec::new();
    for found in &chapter.found {
        for (i, rule) in found.family.rules().iter().enumerate() {
            series.push(make(found, i, rule.name));
        }
    }
    series
}

fn lengths(vectors: &[DVec3]) -> Vec<f64> {
    let most = longest(vectors).max(f64::MIN_POSITIVE);
    vectors.iter().map(|v| v.length() / most).collect()
}

/// The deviation of every pair tried over its time, with the time allowed as an upright line.
fn errors(chapter: &Chapter, tau: f64) -> Plot {
    let mut series: Vec<Series> = chapter
        .found
        .iter()
        .map(|found| {
            let mut points: Vec<[f64; 2]> = found
                .trials
                .iter()
                .map(|(_, trial)| [trial.ms, trial.eta.max(LEAST_DRAWN)])
                .collect();
            points.sort_by(|p, q| p[0].total_cmp(&q[0]));
            Series {
                name: found.family.name().to_owned(),
                points,
                is_scatter: true,
                ..Series::default()
            }
        })
        .collect();
    let etas = series.iter().flat_map(|s| &s.points).map(|point| point[1]);
    let (low, high) = etas.fold((f64::INFINITY, 0.0_f64), |(low, high), eta| {
        (low.min(eta), high.max(eta))
    });
    if low <= high {
        series.push(Series {
            name: format!("{tau} ms"),
            points: vec![[tau, low], [tau, high]],
            ..Series::default()
        });
    }
    let logarithmic = |axis: Axis| Axis {
        is_logarithmic: true,
        ..axis
    };
    Plot {
        title: format!(
            "Scene {}, {}: error and time of every pair of resolutions tried",
            chapter.scene.name(),
            chapter.scene.title()
        ),
        x: logarithmic(axis("mean time of a question", "ms")),
        y: logarithmic(axis("deviation eta; what is below 1e-6 is drawn there", "")),
        series,
    }
}

fn sizes(chapter: &Chapter) -> Plot {
    let scene = chapter.scene;
    let what = if scene.is_torque() { "torque" } else { "force" };
    let mut series: Vec<Series> = [Model::Volume, Model::Depth, Model::Slope]
        .iter()
        .map(|model| {
            let name = format!("ideal by {}", model.name());
            curve(&name, chapter, &lengths(&ideal(chapter, *model)))
        })
        .collect();
    series.extend(each(chapter, |found, i, name| {
        curve(name, chapter, &lengths(&measured(chapter, found, i)))
    }));
    let (label, unit) = scene.axis();
    Plot {
        title: format!(
            "Scene {}, {}: size of the {what}",
            scene.name(),
            scene.title()
        ),
        x: axis(label, unit),
        y: axis(&format!("{what} by its largest value"), ""),
        series,
    }
}

/// What should be zero, by what should not.
fn odd_ones(chapter: &Chapter) -> Plot {
    let scene = chapter.scene;
    let series = each(chapter, |found, i, name| {
        let answers = found.run.answers.get(i).into_iter().flatten();
        let quotients: Vec<f64> = answers
            .map(|answer| {
                let (zero, other) = if scene.is_torque() {
                    (answer.force, answer.torque)
                } else {
                    (answer.torque, answer.force)
                };
                let other = other.length();
                if other > 0.0 {
                    zero.length() / other
                } else {
                    0.0
                }
            })
            .collect();
        curve(name, chapter, &quotients)
    });
    let (label, unit) = scene.axis();
    let what = if scene.is_torque() {
        "force by torque"
    } else {
        "torque by force"
    };
    Plot {
        title: format!(
            "Scene {}, {}: {what}, which should be zero",
            scene.name(),
            scene.title()
        ),
        x: axis(label, unit),
        y: axis(what, ""),
        series,
    }
}

/// The force along x.
fn components(chapter: &Chapter) -> Plot {
    let along = |vectors: &[DVec3]| -> Vec<f64> {
        let vectors = normalised(vectors).unwrap_or_default();
        vectors.iter().map(|v| v.x).collect()
    };
    let mut series = vec![curve(
        "ideal by volume",
        chapter,
        &along(&ideal(chapter, Model::Volume)),
    )];
    series.extend(each(chapter, |found, i, name| {
        curve(name, chapter, &along(&measured(chapter, found, i)))
    }));
    let (label, unit) = chapter.scene.axis();
    Plot {
        title: format!(
            "Scene {}, {}: force along x",
            chapter.scene.name(),
            chapter.scene.title()
        ),
        x: axis(label, unit),
        y: axis("force along x by the largest force", ""),
        series,
    }
}

/// Energies of the force along x, mean over all windows.
fn spectrum(chapter: &Chapter) -> Plot {
    let of = |name: &str, vectors: &[DVec3]| {
        let vectors = normalised(vectors).unwrap_or_default();
        let x: Vec<f64> = vectors.iter().map(|v| v.x).collect();
        let spectrum = mean(&energies(&x));
        // Energies that rounding left would stretch the axis.
        let most = spectrum.iter().fold(0.0_f64, |m, e| m.max(*e));
        let points = spectrum.iter().enumerate();
        Series {
            name: name.to_owned(),
            points: points
                .map(|(k, energy)| {
                    let frequency = k as f64 * chapter.path.len() as f64 / WINDOW as f64;
                    [frequency, energy.max(1e-12 * most)]
                })
                .filter(|point| point[1] > 0.0)
                .collect(),
            ..Series::default()
        }
    };
    let mut series = vec![of("ideal by volume", &ideal(chapter, Model::Volume))];
    series.extend(each(chapter, |found, i, name| {
        of(name, &measured(chapter, found, i))
    }));
    Plot {
        title: format!(
            "Scene {}, {}: spectrum of the force along x",
            chapter.scene.name(),
            chapter.scene.title()
        ),
        x: axis("oscillations per round", ""),
        y: Axis {
            is_logarithmic: true,
            ..axis("energy", "")
        },
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Better;
    use super::super::equivalent::Trial;
    use super::super::tests::chapters;
    use super::*;

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
        let mut chapters = chapters(Family::Depth, 0.8, 0, 0.6);
        let name = Family::Depth.rules()[0].name;
        let at_better = "sigma_F, scene I: where a better pair";
        let before = beside_published(&chapters);
        assert_eq!(number(&before, "sigma_F, scene I", name), Some(0.6));
        assert_eq!(number(&before, at_better, name), None);
        let score = Score {
            sigma_f: Some(0.06),
            ..Score::default()
        };
        chapters[0].found[0].better = Some(Better {
            resolution: [24.0, 32_000.0],
            mean_ms: 0.2,
            scores: vec![score],
        });
        let after = beside_published(&chapters);
        assert_eq!(number(&after, "sigma_F, scene I", name), Some(0.6));
        assert_eq!(number(&after, at_better, name), Some(0.06));
        let rows = table(&chapters[0]).rows;
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1][1], words("the best pair tried in time"));
    }

    #[test]
    fn every_pair_tried_is_a_point_of_error_and_time() {
        let mut chapters = chapters(Family::Depth, 0.8, 0, 0.6);
        let trial = |ms: f64, eta: f64| ([12.0; 2], Trial { ms, eta });
        chapters[0].found[0].trials = vec![trial(1.5, 0.01), trial(0.5, 0.1), trial(0.7, 1e-16)];
        let plot = errors(&chapters[0], 0.9);
        assert!(plot.x.is_logarithmic && plot.y.is_logarithmic);
        assert_eq!(
            plot.series[0].points,
            [[0.5, 0.1], [0.7, LEAST_DRAWN], [1.5, 0.01]]
        );
        assert!(plot.series[0].is_scatter && plot.series[0].name == Family::Depth.name());
        // The time allowed, from the lowest point to the highest.
        assert_eq!(plot.series[1].points, [[0.9, LEAST_DRAWN], [0.9, 0.1]]);
        // Without trials there is nothing to draw.
        assert_eq!(errors(&chapters[1], 0.9).series.len(), 1);
    }
}
