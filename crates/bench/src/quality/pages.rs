//! What is printed, and what goes into the sheet.

use impinge::DVec3;

use super::metrics::{longest, normalised};
use super::scene::{Model, Scene, Stamp};
use super::score::Score;
use super::spectrum::{WINDOW, energies, mean};
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
/// Points of a curve in the sheet.
const CURVE: usize = 256;

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
        format!("Each path has {count} places. Each engine has the resolutions that are best within {tau} ms by the published search: nine pairs, a plane through their times, a cubic along the line of equal time. Where one of the nine pairs is fast enough and better, it was taken."),
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
        "Mean times of the faster of two askings of each place.".to_owned(),
    ]
    .to_vec();
    sheet
}

fn text(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |x| format!("{x:.digits$}"))
}

/// A line for each force in the scene.
pub(super) fn print(chapter: &Chapter) {
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
        for (rule, score) in found.family.rules().iter().zip(&found.scores) {
            println!(
                "  {:<34} {:<7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>9} {:>8} {:>8.4}  {:.0} {}, {:.0} {}",
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
                found.run.mean_ms,
                found.resolution[0],
                found.family.units()[0],
                found.resolution[1],
                found.family.units()[1],
            );
        }
    }
}

/// Everything measured.
pub(super) fn fill(sheet: &mut Sheet, chapters: &[Chapter]) {
    sheet.tables.push(beside_published(chapters));
    for chapter in chapters {
        sheet.tables.push(table(chapter));
    }
    sheet.tables.push(resolutions(chapters));
    sheet.notes.extend(predictions(chapters));
    for chapter in chapters {
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

/// The figures of the theses and ours.
fn beside_published(chapters: &[Chapter]) -> Table {
    let rules: Vec<&'static str> = chapters
        .first()
        .map(|chapter| chapter.found.iter())
        .into_iter()
        .flatten()
        .flat_map(|found| found.family.rules())
        .map(|rule| rule.name)
        .collect();
    let mut columns = vec![
        "figure".to_owned(),
        "published: voxmap and pointshell".to_owned(),
        "published: inner sphere trees".to_owned(),
    ];
    columns.extend(rules.iter().map(|rule| (*rule).to_owned()));
    let row = |&(what, scene, pick, vps, ist): &Published| {
        let what = if what.starts_with("nu") {
            format!("{what}: published in III, ours in {}", scene.name())
        } else {
            what.to_owned()
        };
        let mut cells = vec![Cell::Text(what), Cell::Number(vps), Cell::Number(ist)];
        for rule in &rules {
            let value = score_of(chapters, scene, rule).and_then(|(score, _)| pick(score));
            cells.push(cell(value, "nothing measured"));
        }
        cells
    };
    Table {
        title: "Published figures beside ours".to_owned(),
        columns,
        rows: PUBLISHED.iter().map(row).collect(),
    }
}

fn table(chapter: &Chapter) -> Table {
    let columns = [
        "force",
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
    let rows = chapter.found.iter().flat_map(|found| {
        found
            .family
            .rules()
            .iter()
            .zip(&found.scores)
            .map(|(rule, score)| {
                vec![
                    words(rule.name),
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
                    Cell::Number(found.run.mean_ms),
                ]
            })
    });
    Table {
        title: format!("Scene {}: {}", chapter.scene.name(), chapter.scene.title()),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// What the search for equivalent resolutions found.
fn resolutions(chapters: &[Chapter]) -> Table {
    let columns = [
        "scene",
        "engine",
        "moving",
        "fixed",
        "unit",
        "eta predicted",
        "eta measured",
        "what was taken",
        "ms",
    ];
    let rows = chapters.iter().flat_map(|chapter| {
        chapter.found.iter().map(|found: &Found| {
            vec![
                words(chapter.scene.name()),
                words(found.family.name()),
                Cell::Number(found.resolution[0].round()),
                Cell::Number(found.resolution[1].round()),
                words(&found.family.units().join(", ")),
                Cell::Number(found.choice.predicted_eta),
                cell(found.scores.first().map(Score::eta), "nothing measured"),
                words(match (found.is_tried, found.choice.is_reached) {
                    (true, _) => "one of the nine pairs, which was better than the minimum",
                    (false, true) => "the minimum on the line of equal time",
                    (false, false) => "the best of nine pairs, all on one side of the time",
                }),
                Cell::Number(found.run.mean_ms),
            ]
        })
    });
    Table {
        title: "Equivalent resolutions".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// How far the search was off about the deviation, for each family.
fn predictions(chapters: &[Chapter]) -> Option<String> {
    let families = chapters.first()?.found.iter().map(|found| found.family);
    let off: Vec<String> = families
        .map(|family| {
            let all = chapters.iter().flat_map(|chapter| &chapter.found);
            let errors: Vec<f64> = all
                .filter(|found| found.family == family)
                .filter_map(|found| {
                    let measured = found.scores.first()?.eta();
                    Some((found.choice.predicted_eta - measured).abs())
                })
                .collect();
            let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
            format!("{} {mean:.4}", family.name())
        })
        .collect();
    Some(format!(
        "Mean difference of the deviation eta that the search predicted and that measured: {}. Published, in per cent of eta: 1.2 for voxmap and pointshell, 2.1 for inner sphere trees.",
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
