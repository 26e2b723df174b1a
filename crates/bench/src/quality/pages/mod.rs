//! Prints the results and writes the sheet.

mod plots;
mod published;
mod tables;

use super::call_times::CallTimes;
use super::scene::ForceModel;
use super::scene_results::{FamilyResult, SceneResults};
use super::score::Score;
use crate::result_sheet::{Axis, Cell, ResultSheet};

/// The sheet with its head.
pub(super) fn empty(name: &str, command: &str, preset: &str) -> ResultSheet {
    let mut sheet = ResultSheet::new(
        name,
        "Quality of forces",
        "How near are computed forces and torques to the right ones, when every engine may take the same time?",
        command,
    );
    preset.clone_into(&mut sheet.preset);
    sheet
}

/// What is to be said about the scenes and the search.
fn notes(tau: f64, count: usize) -> Vec<String> {
    [
        format!("Each path has {count} places. Resolutions are those of the published search: both solids get finer until a question takes more than {tau} ms; three resolutions of each make nine pairs; a plane through their times is cut with {tau} ms; along that line the deviation is interpolated, and a cubic through it has its minimum at the pair taken. Times are no plane, so that this pair is then made finer or coarser until it takes between 80 and 100 % of {tau} ms."),
        format!("An engine that is still faster at the finest resolution tried has no such line. The table of equivalent resolutions says so with its time there; it was measured at the best of its nine finest pairs. More time need not mean smaller deviations: where a pair that was tried within {tau} ms is better than the one taken by more than a twentieth, it was measured on the whole path too, and both are shown. Bars are judged at the pair taken."),
        "A force is judged by the model of its penalty: depth, shared volume, or the slope of the volume. Sizes are divided by their largest value, as published, so that no stiffness matters.".to_owned(),
        "Voxmap and pointshell is judged twice: by depth, as published, and by volume, because depths along normals, summed over the surface below a plane, add up to the volume below it.".to_owned(),
        "sigma is the root of the mean square. The theses print the number of places before the root; the figures they report would then need fewer than 33 places.".to_owned(),
        "gamma is in degrees, over places where a direction is expected: not while the cone passes the edge of the block, whose side pushes too.".to_owned(),
        "nu was published for the force along x in scene III, where the ideal force is zero and nu is not defined. It is given here for forces in scenes II and IV, and set beside the published figure for want of a better one; for torques (nu_T) it is defined in scene III alone, because no torque is expected, or told by a formula, in the others. Summed over all windows and frequencies, a spectrum has the energy of its signal: nu is the quotient of two energies, whatever the transform, and cannot see errors that leave the energy unchanged. The column noise has the energy of the difference, and the diagrams of time and frequency show where it is.".to_owned(),
        "The published times were taken on a processor of 2008, so that within 0.9 ms engines can be finer today; models and paths are rebuilt from text, because drawings and files are lost. Published resolutions of inner sphere trees are unknown.".to_owned(),
        "The exact volume has no resolution but that of the mesh. 'Along its slope' means: its size is the shared volume, its direction that in which the volume shrinks fastest; a torque counts as the force that makes it with an arm of half the diagonal of the moving solid.".to_owned(),
        "Scene III: the models say that the torque grows with the angle as volume or depth do. Arms shrink meanwhile, so that any engine that adds up forces at their places has a torque that grows, then falls; this is a part of every sigma_T but that of 'along its slope'.".to_owned(),
        "Plate and block of scenes III and IV lie on each other. Such contact has one derivative of the volume on each side; the exact engine takes that of moving apart, because ties are broken as if the moving solid were lifted. Voxels of the surface reach out of the solid by up to half a voxel, and so does their force.".to_owned(),
        "In scene IV the force back to the axis is the model of the theses. The volume of the square pin shrinks fastest along a diagonal, whatever the direction of the shift, so that forces made of volumes deviate from it.".to_owned(),
        "Solids are filled with balls on a grid of voxels, by the first of the published packers: our default packer leaves the tip of a cone empty, and takes long over a ball, which one large ball fills.".to_owned(),
        "Cones of normals hold all faces within the diagonal of a voxel of the nearest: a ball between two sides of a solid has no axis then, wherever the grid happens to lie, and pushes along the line of centres. In scene Ib that line leads through the sheet, where a ball of the tip has its centre below it; the published rule follows it, the symmetric one asks the axes of the cone's balls too.".to_owned(),
        "Inner spheres with gaps have the same balls, with secondary radii by the volume that no ball fills; their time is their own.".to_owned(),
        "Of sigma_F of voxmap and pointshell in scene Ia, 0.094 is the difference of the models: a force that is exactly the volume has so much when it is judged by depth.".to_owned(),
        format!("Columns named ms, and {tau} ms wherever resolutions are searched and bars are judged, are means of the faster of two calls of each place: the published procedure compares means. A loop of a thousand forces a second is late whenever a single call is, so that all of them are kept: the table of single calls has their median, their 99.9th percentile (the largest alone where there are fewer than 1000), their largest, and how many took longer than {tau} ms, by the clock on the wall, with whatever else the machine did; and the 99.9th percentile of the thread's processor time, which is what the questions themselves take. Each bar says the 99.9th percentile of its engine in its scene beside the mean."),
    ]
    .to_vec()
}

/// A figure as it is printed; a dash where there is none.
pub(super) fn text(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |x| format!("{x:.digits$}"))
}

/// What a family scored at one pair of resolutions.
struct FamilyScore<'f> {
    resolution: [f64; 2],
    times: &'f CallTimes,
    scores: &'f [Score],
    /// Whether this is not the pair of the published procedure, but a better one that was tried.
    is_better: bool,
}

impl FamilyResult {
    /// At the pair that the published procedure takes, and at a better one where one was tried.
    fn measured(&self) -> impl Iterator<Item = FamilyScore<'_>> {
        let taken = FamilyScore {
            resolution: self.resolution,
            times: &self.run.times,
            scores: &self.scores,
            is_better: false,
        };
        let better = self.better.as_ref().map(|better| FamilyScore {
            resolution: better.resolution,
            times: &better.times,
            scores: &better.scores,
            is_better: true,
        });
        std::iter::once(taken).chain(better)
    }
}

/// A line for each force in the scene.
pub(super) fn print(chapter: &SceneResults, tau: f64) {
    println!(
        "\nScene {}: {}",
        chapter.scene.name(),
        chapter.scene.title()
    );
    println!(
        "  {:<34} {:<7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7} {:>8} {:>9} {:>8} {:>8}  resolution",
        "force",
        "model",
        "sigma_F",
        "gamma_F",
        "sigma_T",
        "gamma_T",
        "nu",
        "nu_T",
        "noise",
        "spurious",
        "missing",
        "ms"
    );
    for found in &chapter.found {
        for measured in found.measured() {
            for (rule, score) in found.family.rules().iter().zip(measured.scores) {
                let [moving, fixed] = measured.resolution;
                let [of_moving, of_fixed] = found.family.units();
                let best = if measured.is_better {
                    " (best tried)"
                } else {
                    ""
                };
                let at = format!("{moving:.0} {of_moving}, {fixed:.0} {of_fixed}{best}");
                let mean = measured.times.mean();
                print_score((rule.name, rule.model.name()), score, mean, &at);
            }
        }
    }
    for guest in &chapter.guests {
        let model = guest.model.map_or("-", ForceModel::name);
        match &guest.scored {
            Ok((score, times)) => {
                let at = tables::one_resolution();
                print_score((&guest.force, model), score, times.mean(), &at);
            }
            Err(reason) => println!("  {:<34} void: {reason}", guest.force),
        }
    }
    for found in &chapter.found {
        let name = found.family.name();
        println!("  {name}: {}", tables::taken(found, tau));
        for measured in found.measured() {
            let best = if measured.is_better {
                ", best tried"
            } else {
                ""
            };
            println!(
                "  {name}{best}: single calls: median {} ms, {} ({} ms of the thread's processor time); {:.2} % take longer than {tau} ms",
                text(measured.times.median(), 4),
                measured.times.most_in_words(),
                text(measured.times.processor_99_9(), 3),
                100.0 * measured.times.longer_than(tau)
            );
        }
    }
}

fn print_score((name, model): (&str, &str), score: &Score, ms: f64, at: &str) {
    println!(
        "  {name:<34} {model:<7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7} {:>8} {:>9} {:>8} {ms:>8.4}  {at}",
        text(score.sigma_f, 4),
        text(score.gamma_f, 3),
        text(score.sigma_t, 4),
        text(score.gamma_t, 3),
        text(score.nu, 3),
        text(score.nu_t, 3),
        text(score.noise, 4),
        text(score.spurious.map(|s| s.mean), 4),
        score.missing,
    );
}

/// Everything measured in the scenes, at so many places each.
pub(super) fn fill(sheet: &mut ResultSheet, chapters: &[SceneResults], tau: f64, count: usize) {
    sheet.notes.extend(notes(tau, count));
    if chapters.iter().any(|chapter| !chapter.guests.is_empty()) {
        sheet.notes.push(format!(
            "Runners of others are asked at {}, the faster of two calls of each place counts, and no bar speaks of them. A force has any length by the protocol, so that it is judged by every model as it came; with volumes told too, once more with the volume as its length, and the time of both questions. Torques are not in the protocol: scene III judges sizes of volumes alone.",
            tables::one_resolution()
        ));
    }
    sheet.tables.push(published::beside(chapters));
    for chapter in chapters {
        sheet.tables.push(tables::scores(chapter));
    }
    sheet.tables.push(tables::resolutions(chapters, tau));
    sheet.tables.push(tables::times(chapters, tau));
    sheet.notes.extend(published::predictions(chapters));
    for chapter in chapters {
        sheet.plots.extend(plots::all(chapter, tau));
    }
}

pub(super) fn cell(value: Option<f64>, reason: &str) -> Cell {
    value.map_or(
        Cell::Void {
            reason: reason.to_owned(),
        },
        Cell::Number,
    )
}

pub(super) fn words(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// An axis that is linear.
pub(super) fn axis(label: &str, unit: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        is_logarithmic: false,
    }
}
