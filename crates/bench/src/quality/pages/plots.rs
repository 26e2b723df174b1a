//! Curves along the path of a scene, and the error of every pair of resolutions over its time.

use impinge::DVec3;

use super::axis;
use crate::quality::metrics::{longest, normalised};
use crate::quality::scene::{ForceModel, PathPlace};
use crate::quality::scene_results::{FamilyResult, SceneResults};
use crate::quality::spectrum::{SpectrumCell, WINDOW, diagram, energies, mean};
use crate::result_sheet::{Axis, Plot, Series};

/// Points of a curve in the sheet.
const CURVE: usize = 256;
/// Deviations below this are drawn as if they were as large: rounding would stretch the axis.
const LEAST_DRAWN: f64 = 1e-6;
/// Decibels of an energy that is nothing but rounding, or none at all.
const SILENCE: f64 = -150.0;

/// Every picture of a scene.
pub(super) fn all(chapter: &SceneResults, tau: f64) -> Vec<Plot> {
    let mut plots = vec![errors(chapter, tau), sizes(chapter)];
    if chapter.scene.knows_torque() {
        plots.push(odd_ones(chapter));
    }
    if chapter.scene.is_closed() {
        plots.push(components(chapter));
        plots.push(spectrum(chapter));
        plots.push(by_time_and_frequency(chapter));
    }
    plots
}

/// A curve over the path, thinned.
fn curve(name: &str, chapter: &SceneResults, values: &[f64]) -> Series {
    let step = chapter.path.len().div_ceil(CURVE).max(1);
    let points = chapter.path.iter().zip(values).step_by(step);
    Series {
        name: name.to_owned(),
        points: points.map(|(stamp, value)| [stamp.at, *value]).collect(),
        ..Series::default()
    }
}

/// Force and torque by a model.
fn ideal(chapter: &SceneResults, model: ForceModel) -> Vec<DVec3> {
    let scene = chapter.scene;
    let main = |stamp: &PathPlace| {
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
fn measured(chapter: &SceneResults, found: &FamilyResult, rule: usize) -> Vec<DVec3> {
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
fn each(
    chapter: &SceneResults,
    make: impl Fn(&FamilyResult, usize, &str) -> Series,
) -> Vec<Series> {
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
fn errors(chapter: &SceneResults, tau: f64) -> Plot {
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
    for guest in &chapter.guests {
        // Sizes without directions are no deviation.
        let scored = guest.scored.as_ref().ok();
        if let Some((score, times)) = scored.filter(|(score, _)| score.gamma_f.is_some()) {
            let model = guest.model.map_or("none", ForceModel::name);
            series.push(Series {
                name: format!("{}, by {model}", guest.force),
                points: vec![[times.mean(), score.eta().max(LEAST_DRAWN)]],
                is_scatter: true,
                ..Series::default()
            });
        }
    }
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

fn sizes(chapter: &SceneResults) -> Plot {
    let scene = chapter.scene;
    let what = if scene.is_torque() { "torque" } else { "force" };
    let mut series: Vec<Series> = [ForceModel::Volume, ForceModel::Depth, ForceModel::Slope]
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
fn odd_ones(chapter: &SceneResults) -> Plot {
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
fn components(chapter: &SceneResults) -> Plot {
    let along = |vectors: &[DVec3]| -> Vec<f64> {
        let vectors = normalised(vectors).unwrap_or_default();
        vectors.iter().map(|v| v.x).collect()
    };
    let mut series = vec![curve(
        "ideal by volume",
        chapter,
        &along(&ideal(chapter, ForceModel::Volume)),
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
fn spectrum(chapter: &SceneResults) -> Plot {
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
    let mut series = vec![of("ideal by volume", &ideal(chapter, ForceModel::Volume))];
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

/// Energies of the force along x by time and frequency: the ideal, and the first force of each family.
fn by_time_and_frequency(chapter: &SceneResults) -> Plot {
    let spots = |vectors: &[DVec3]| {
        let vectors = normalised(vectors).unwrap_or_default();
        let x: Vec<f64> = vectors.iter().map(|v| v.x).collect();
        diagram(&x)
    };
    let ideal = spots(&ideal(chapter, ForceModel::Volume));
    let most = ideal
        .iter()
        .fold(0.0_f64, |most, spot| most.max(spot.energy));
    let per_round = chapter.path.len() as f64 / WINDOW as f64;
    // Places and strengths as exactly as anybody can see.
    let rounded = |x: f64| (x * 100.0).round() / 100.0;
    let panel = |name: &str, spots: &[SpectrumCell]| Series {
        name: name.to_owned(),
        points: spots
            .iter()
            .map(|spot| [360.0 * spot.at, per_round * spot.frequency].map(rounded))
            .collect(),
        decibels: spots
            .iter()
            .map(|spot| {
                // Beside an ideal that is silent everything is.
                let part = if most > 0.0 { spot.energy / most } else { 0.0 };
                let strength = 10.0 * part.log10();
                (strength.max(SILENCE) * 10.0).round() / 10.0
            })
            .collect(),
        is_scatter: true,
        ..Series::default()
    };
    let mut series = vec![panel("ideal by volume", &ideal)];
    for found in &chapter.found {
        if let Some(rule) = found.family.rules().first() {
            series.push(panel(rule.name, &spots(&measured(chapter, found, 0))));
        }
    }
    let (label, unit) = chapter.scene.axis();
    Plot {
        title: format!(
            "Scene {}, {}: force along x by time and frequency; 0 dB is the ideal's strongest",
            chapter.scene.name(),
            chapter.scene.title()
        ),
        x: axis(label, unit),
        y: axis("oscillations per round", ""),
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::equivalent_resolution::ResolutionTrial;
    use crate::quality::force_engines::{EngineFamily, ForceAnswer};
    use crate::quality::scene_results::tests::chapters;

    #[test]
    fn diagrams_show_the_ideal_beside_every_family() {
        let mut chapters = chapters(EngineFamily::Exact, 0.8, 0, 0.6);
        let chapter = &mut chapters[2];
        chapter.path = chapter.scene.path(256).unwrap();
        let ideal = ideal(chapter, ForceModel::Volume);
        // Every second place is half as strong: what is missing is at the highest frequency, 256 / 2 in a round.
        let answer = |(k, force): (usize, &DVec3)| ForceAnswer {
            force: *force * if k % 2 == 0 { 1.0 } else { 0.5 },
            torque: DVec3::ZERO,
        };
        let answers: Vec<ForceAnswer> = ideal.iter().enumerate().map(answer).collect();
        chapter.found[0].run.answers = vec![answers.clone(), answers];
        let plot = by_time_and_frequency(chapter);
        assert!(plot.is_heat_map() && plot.rows().is_empty());
        let names: Vec<&str> = plot.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(
            names,
            ["ideal by volume", EngineFamily::Exact.rules()[0].name]
        );
        let strongest = |series: &Series, frequencies: std::ops::Range<f64>| {
            let cells = series.points.iter().zip(&series.decibels);
            let within = cells.filter(|(point, _)| frequencies.contains(&point[1]));
            within.fold(f64::NEG_INFINITY, |most, (_, decibels)| most.max(*decibels))
        };
        for series in &plot.series {
            assert_eq!(series.points.len(), series.decibels.len());
            assert_eq!(series.points.len(), 8 * 32);
        }
        assert_eq!(strongest(&plot.series[0], 0.0..128.0), 0.0);
        assert!(strongest(&plot.series[0], 100.0..128.0) < -80.0);
        // Three quarters of the length stay, and one quarter goes up there: a third of it.
        let [low, high] = [0.0..20.0, 120.0..128.0].map(|band| strongest(&plot.series[1], band));
        assert!(
            (low - high - 20.0 * 3.0_f64.log10()).abs() < 1.0,
            "{low} {high}"
        );
        // Who answers nothing has a panel without cells.
        chapter.found[0].run.answers.clear();
        let silent = by_time_and_frequency(chapter);
        assert!(silent.series.len() == 2 && silent.series[1].decibels.is_empty());
    }

    #[test]
    fn every_pair_tried_is_a_point_of_error_and_time() {
        let mut chapters = chapters(EngineFamily::Depth, 0.8, 0, 0.6);
        let trial = |ms: f64, eta: f64| ([12.0; 2], ResolutionTrial { ms, eta });
        chapters[0].found[0].trials = vec![trial(1.5, 0.01), trial(0.5, 0.1), trial(0.7, 1e-16)];
        let plot = errors(&chapters[0], 0.9);
        assert!(plot.x.is_logarithmic && plot.y.is_logarithmic);
        assert_eq!(
            plot.series[0].points,
            [[0.5, 0.1], [0.7, LEAST_DRAWN], [1.5, 0.01]]
        );
        assert!(plot.series[0].is_scatter && plot.series[0].name == EngineFamily::Depth.name());
        // The time allowed, from the lowest point to the highest.
        assert_eq!(plot.series[1].points, [[0.9, LEAST_DRAWN], [0.9, 0.1]]);
        // Without trials there is nothing to draw.
        assert_eq!(errors(&chapters[1], 0.9).series.len(), 1);
    }
}
