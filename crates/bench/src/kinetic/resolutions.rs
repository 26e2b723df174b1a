//! The published animations by number of faces: updates beside refits, and lists beside sweeps.

use super::expanding_spheres;
use super::scenes::Animation;
use super::{Args, BETWEEN, by_list, separation_lists, sized, trees};
use crate::{Bar, Bars};

/// The exponent by which events may grow with the faces; "almost linearly" was published.
const MOST_GROWTH: f64 = 1.2;
/// Faces of a small run are so many times fewer.
const SMALLER: usize = 16;
/// Of an animation that is only looked at for one number, as many rounds are enough.
const MOST_ROUNDS: usize = 3;

/// An animation and the sizes of which something was published.
pub(super) struct Sweep {
    pub(super) sizes: &'static [usize],
    /// How many times faster the update was.
    pub(super) published: f64,
    pub(super) make: fn(usize, usize) -> anyhow::Result<Animation>,
}

fn sizes(all: &[usize], is_small: bool) -> Vec<usize> {
    let by = if is_small { SMALLER } else { 1 };
    all.iter().map(|&faces| faces / by).collect()
}

/// Says that what was published does not hold here.
fn refuted(bar: Bar, published: &str) {
    if bar == Bar::Missed {
        println!("  refuted here: {published} was published");
    }
}

/// The exponent of a power law from the first to the last.
fn growth(measured: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (measured.first()?, measured.last()?);
    let exponent = (last.1 / first.1).ln() / (last.0 / first.0).ln();
    (first.0 < last.0 && exponent.is_finite()).then_some(exponent)
}

/// Trees that are kept by events beside refits, by size.
pub(super) fn of_trees(args: &Args, sweep: &Sweep, bars: &mut Bars) -> anyhow::Result<()> {
    let mut events = Vec::new();
    let mut name = String::new();
    for faces in sizes(sweep.sizes, args.small) {
        let animation = (sweep.make)(faces, args.keys)?;
        let count = animation.faces.len();
        if name.is_empty() {
            println!(
                "\n{} by size, {} keys",
                animation.name,
                animation.frames.len()
            );
        }
        let found = trees::measure(&animation, BETWEEN, args.rounds.min(MOST_ROUNDS))?;
        found.print_by_size(&animation, BETWEEN, args.json);
        name.clone_from(&animation.name);
        events.push((count as f64, found.events));
        let faster = found.refit_by_kinetic();
        let bar = sized(!args.small, Bar::at_least(faster, sweep.published));
        bars.say(
            bar,
            format!(
                "{name}, {count} faces: update {faster:.2} times faster than refitting, at least {}",
                sweep.published
            ),
        );
        refuted(bar, &format!("{} times", sweep.published));
    }
    let exponent = growth(&events);
    bars.say(
        sized(!args.small, Bar::at_most(exponent, MOST_GROWTH)),
        format!(
            "{name}: events grow with exponent {:.2} of the faces, at most {MOST_GROWTH}",
            exponent.unwrap_or(f64::NAN)
        ),
    );
    Ok(())
}

/// Separation lists beside swept boxes and steps, by size; so many times faster than swept boxes was published.
pub(super) fn of_lists(
    args: &Args,
    sweep: &Sweep,
    published: f64,
    bars: &mut Bars,
) -> anyhow::Result<()> {
    for faces in sizes(sweep.sizes, args.small) {
        let animation = (sweep.make)(faces, args.keys)?;
        let name = format!("{} of {} faces", animation.name, animation.faces.len());
        println!(
            "\n{name}: {} faces, {} keys",
            animation.faces.len(),
            animation.frames.len()
        );
        let found = separation_lists::measure(&animation, BETWEEN, args.swept_frames)?;
        found.print(&animation, &published.to_string(), args.json);
        let faster = found.beside_swept();
        let bar = sized(!args.small, Bar::at_least(faster, published));
        bars.say(
            bar,
            format!("{name}: the separation list is {faster:.2} times as fast as swept boxes at every frame, at least {published}"),
        );
        refuted(bar, &format!("{published} times"));
        by_list(&name, &found, !args.small, bars);
    }
    Ok(())
}

/// Faces of the spheres that expand, and how many times faster update and check were.
const SPHERES: &[usize] = &[2000, 5000, 10_000, 20_000, 40_000];
const PUBLISHED_SPHERES: f64 = 5.0;

/// Spheres that expand and turn back, by size.
pub(super) fn of_spheres(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    println!("\nexpanding spheres, vertices of faces that meet turn back");
    for faces in sizes(SPHERES, args.small) {
        let found = expanding_spheres::measure(faces)?;
        found.print(args.json);
        let count = found.faces;
        bars.say(
            Bar::of(found.agree),
            format!("expanding spheres, {count} faces: all trees find the same pairs"),
        );
        let names = ["refitting", "scalar refitting"];
        for (faster, beside) in found.faster().into_iter().zip(names) {
            let bar = sized(!args.small, Bar::at_least(faster, PUBLISHED_SPHERES));
            bars.say(
                bar,
                format!("expanding spheres, {count} faces: update and check {faster:.2} times faster than by {beside}, at least {PUBLISHED_SPHERES}"),
            );
            refuted(bar, &format!("over {PUBLISHED_SPHERES} times"));
        }
        println!(
            "  the update alone is {:.2} times faster than refitting",
            found.faster_update()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::growth;

    #[test]
    fn growth_is_an_exponent() {
        assert_eq!(
            growth(&[(10.0, 3.0), (20.0, 9.0), (1000.0, 300.0)]),
            Some(1.0)
        );
        assert_eq!(growth(&[(10.0, 1.0), (100.0, 100.0)]), Some(2.0));
        assert_eq!(growth(&[(10.0, 1.0)]), None);
        assert_eq!(growth(&[]), None);
    }
}
