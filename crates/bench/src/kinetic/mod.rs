//! Kinetic trees beside refitted ones, and separation lists beside swept boxes.
//!
//! Counts come first: they are the same on every machine. Times are medians of rounds in which all take turns.

mod lists;
mod scenes;
mod trees;
mod vector_refit;

pub(crate) use scenes::Animation;

use crate::Bar;

/// In-between frames for which bars are held.
const BETWEEN: usize = 10;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Faces of the tablecloth
    #[arg(long, default_value_t = 16_000)]
    cloth_faces: usize,
    /// Faces of the avatar
    #[arg(long, default_value_t = 105_000)]
    avatar_faces: usize,
    /// Keys of each animation, thirty a second
    #[arg(long, default_value_t = 31)]
    keys: usize,
    /// Rounds; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Frames of which swept boxes are measured, spread over the animation
    #[arg(long, default_value_t = 20)]
    swept_frames: usize,
    /// Leave the separation lists out
    #[arg(long)]
    trees_only: bool,
    /// Print a JSON object for each measurement, between the lines of the bars
    #[arg(long)]
    json: bool,
}

fn bar(is_met: bool, sentence: &str) -> bool {
    println!("bar: {sentence}: {}", if is_met { "met" } else { "missed" });
    is_met
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Everything about one animation: how many times fewer values and how many times faster trees must be, in lists how many times
/// fewer boxes must be compared.
fn measure(args: &Args, animation: &Animation, least: Least) -> anyhow::Result<bool> {
    println!(
        "\n{}: {} faces, {} keys",
        animation.name,
        animation.faces.len(),
        animation.frames.len()
    );
    let mut is_met = true;
    for between in [1, BETWEEN, 100] {
        let found = trees::measure(animation, between, args.rounds)?;
        found.print(animation, between, args.json);
        let slower = found.auto_us / found.better_us();
        let sentence = format!(
            "{}, {between} in-between: the chosen way takes {slower:.2} times what the better does, at most 1.25",
            animation.name
        );
        is_met &= bar(slower <= 1.25, &sentence);
        let sentence = format!(
            "{}, {between} in-between: the chosen way costs {:.2} times what the better does, by counts, at most 1.25",
            animation.name, found.auto_counted
        );
        is_met &= bar(found.auto_counted <= 1.25, &sentence);
        if between == BETWEEN {
            let fewer = found.fewer_values();
            if let Some(least) = least.values {
                let sentence = format!(
                    "{}: {fewer:.0} times fewer values written than by refitting, at least {least}",
                    animation.name
                );
                is_met &= bar(fewer >= least, &sentence);
            }
            let faster = found.refit_us / found.kinetic_us;
            let sentence = format!(
                "{}: update {faster:.1} times faster than refitting, at least {}",
                animation.name, least.time
            );
            is_met &= bar(faster >= least.time, &sentence);
            let vector = found.vector_us / found.kinetic_us;
            println!(
                "{}: the vector refit takes {vector:.1} times as long as the events{}",
                animation.name,
                if vector < 1.0 { ": it is faster" } else { "" }
            );
        }
    }
    trees::others(animation, BETWEEN, args.json)?;
    if args.trees_only {
        return Ok(is_met);
    }
    let found = lists::measure(animation, BETWEEN, args.swept_frames)?;
    found.print(animation, args.json);
    let fewer = found.fewer_tests();
    let sentence = format!(
        "{}: {fewer:.0} times fewer boxes compared for each frame than by swept boxes, at least {}",
        animation.name, least.boxes
    );
    is_met &= bar(fewer >= least.boxes, &sentence);
    Ok(is_met)
}

struct Least {
    values: Option<f64>,
    time: f64,
    boxes: f64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let cloth = scenes::tablecloth(args.cloth_faces, args.keys)?;
    let least = Least {
        values: Some(20.0),
        time: 5.0,
        boxes: 20.0,
    };
    let mut is_met = measure(args, &cloth, least)?;
    let avatar = scenes::avatar(args.avatar_faces, args.keys)?;
    let least = Least {
        values: None,
        time: 10.0,
        boxes: 20.0,
    };
    is_met &= measure(args, &avatar, least)?;
    Ok(if is_met { Bar::Met } else { Bar::Missed })
}
