//! Kinetic trees beside refitted ones, and separation lists beside swept boxes and beside steps
//! from key to key; also spheres with response, a figure that walks, and both by number of faces.
//!
//! Counts come first: they are the same on every machine. Times are medians of rounds in which all take turns.

mod catwalk;
mod expanding_spheres;
mod resolutions;
mod scenes;
mod separation_lists;
mod trees;
mod vector_refit;

pub(crate) use scenes::Animation;

use resolutions::Sweep;

use crate::{Bar, Bars};

/// In-between frames for which bars are held.
const BETWEEN: usize = 10;
/// In-between frames that are measured, to see from where on events win.
const BETWEENS: [usize; 6] = [1, 3, 6, 8, BETWEEN, 100];
/// What the chosen way may take, in what the best does.
const MOST_CHOSEN: f64 = 1.25;
/// How many times fewer boxes a separation list must compare.
const FEWER_BOXES: f64 = 20.0;
/// Sizes that the bars are about: faces of the tablecloth and of the avatar, and keys.
const FULL: [usize; 3] = [16_000, 100_000, 31];
/// Recorded scenes whose lists are measured, with what was published of each.
const RECORDED: [(&str, &str); 5] = [
    ("tablecloth/free", "50"),
    ("tablecloth/crossing", "50"),
    ("dressed-avatar/free", "20 to 50"),
    ("swirling-cloth/free", "2"),
    ("swirling-cloth/crossing", "2"),
];

/// What can be measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Tablecloth and avatar: all trees, in-between frames, lists
    Animations,
    /// Lists of the recorded scenes
    Recorded,
    /// Spheres that expand, with response, by size
    Spheres,
    /// A walking figure in a dress, by size
    Catwalk,
    /// Tablecloth and avatar by size: trees, and lists of the tablecloth
    Resolutions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Measure these parts only; about the others nothing is said
    #[arg(long, value_enum, value_name = "PART")]
    only: Vec<Part>,
    /// Faces of the tablecloth; the bars are about 16 000
    #[arg(long, default_value_t = 16_000)]
    cloth_faces: usize,
    /// Faces of the avatar; the bars are about 100 000
    #[arg(long, default_value_t = 105_000)]
    avatar_faces: usize,
    /// Keys of each animation, thirty a second; at least 2
    #[arg(long, default_value_t = 31)]
    keys: usize,
    /// Rounds; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Frames of which swept boxes are measured, spread over the animation
    #[arg(long, default_value_t = 20)]
    swept_frames: usize,
    /// Leave the separation lists out; their bars stay open
    #[arg(long)]
    trees_only: bool,
    /// Of the recorded scenes (swirling cloth, tablecloth, avatar), only those whose name contains this
    #[arg(long, value_name = "NAME")]
    scene: Option<String>,
    /// Small versions of the recorded scenes and of what is measured by size: a look, nothing to quote
    #[arg(long)]
    small: bool,
    /// Print a JSON object for each measurement, between the lines of the bars
    #[arg(long)]
    json: bool,
}

/// The bar of a figure that counts only at full size.
fn sized(is_full: bool, bar: Bar) -> Bar {
    if is_full { bar } else { Bar::Open }
}

/// From which of the measured numbers of in-between frames on events are never slower; none if they are at the last.
fn wins_from(measured: &[(usize, f64)]) -> Option<usize> {
    let winning = measured.iter().rev().take_while(|(_, ratio)| *ratio >= 1.0);
    winning.last().map(|(between, _)| *between)
}

/// Everything about one animation: how many times fewer values and how many times faster trees must be, in lists how many times
/// fewer boxes must be compared.
fn measure(
    args: &Args,
    animation: &Animation,
    least: &Least,
    bars: &mut Bars,
) -> anyhow::Result<()> {
    println!(
        "\n{}: {} faces, {} keys",
        animation.name,
        animation.faces.len(),
        animation.frames.len()
    );
    let is_full = animation.faces.len() >= least.faces && args.keys >= FULL[2];
    let name = &animation.name;
    let (mut beside_refit, mut beside_best) = (Vec::new(), Vec::new());
    for between in BETWEENS {
        let found = trees::measure(animation, between, args.rounds)?;
        found.print(animation, between, args.json);
        beside_refit.push((between, found.refit_by_kinetic()));
        beside_best.push((between, found.best_refit_by_kinetic()));
        let slower = found.auto_by_best();
        bars.say(
            sized(is_full, Bar::at_most(slower, MOST_CHOSEN)),
            format!("{name}, {between} in-between: the chosen way takes {slower:.2} times what the best of events, refit and vector refit does, at most {MOST_CHOSEN}"),
        );
        bars.say(
            sized(is_full, Bar::at_most(found.auto_counted, MOST_CHOSEN)),
            format!("{name}, {between} in-between: the chosen way costs {:.2} times what the better does, by counts, at most {MOST_CHOSEN}", found.auto_counted),
        );
        if between == BETWEEN {
            let fewer = found.fewer_values();
            if let Some(least) = least.values {
                bars.say(
                    sized(is_full, Bar::at_least(fewer, least)),
                    format!("{name}: {fewer:.0} times fewer values written than by refitting, at least {least}"),
                );
            }
            let faster = found.refit_by_kinetic();
            bars.say(
                sized(is_full, Bar::at_least(faster, least.time)),
                format!(
                    "{name}: update {faster:.1} times faster than refitting, at least {}",
                    least.time
                ),
            );
        }
    }
    for (beside, measured) in [
        ("the refit", &beside_refit),
        ("the faster of refit and vector refit", &beside_best),
    ] {
        tell_crossover(name, beside, measured, args.json);
    }
    trees::others(animation, BETWEEN, args.json)?;
    if args.trees_only {
        bars.say(
            Bar::Open,
            format!("{name}: boxes compared by a separation list, not measured"),
        );
        return Ok(());
    }
    list_of(args, animation, least.published, is_full, bars)
}

/// Ratios by in-between frames, and from where on events win.
fn tell_crossover(name: &str, beside: &str, measured: &[(usize, f64)], json: bool) {
    let from = wins_from(measured);
    if json {
        println!(
            "{}",
            serde_json::json!({
                "scene": name, "beside": beside, "times_longer_than_events": measured, "events_win_from": from,
            })
        );
        return;
    }
    let ratios: Vec<String> = measured
        .iter()
        .map(|(between, ratio)| format!("{ratio:.2} at {between}"))
        .collect();
    println!(
        "  {beside} takes, in what events take: {}; events win {}",
        ratios.join(", "),
        match from {
            Some(between) => format!("from {between} in-between frames on"),
            None => "at none of these".to_owned(),
        }
    );
}

/// The separation list of an animation beside swept boxes.
fn list_of(
    args: &Args,
    animation: &Animation,
    published: &str,
    is_full: bool,
    bars: &mut Bars,
) -> anyhow::Result<()> {
    let found = separation_lists::measure(animation, BETWEEN, args.swept_frames)?;
    found.print(animation, published, args.json);
    let fewer = found.fewer_tests();
    bars.say(
        sized(is_full, Bar::at_least(fewer, FEWER_BOXES)),
        format!(
            "{}: {fewer:.0} times fewer boxes compared for each frame than by swept boxes, at least {FEWER_BOXES}",
            animation.name
        ),
    );
    by_list(&animation.name, &found, is_full, bars);
    Ok(())
}

/// A list beside what finds the same contacts from key to key.
fn by_list(name: &str, found: &separation_lists::ListResult, is_full: bool, bars: &mut Bars) {
    for (beside, faster) in [
        ("step", found.beside_step()),
        ("sweep", found.beside_key_sweep()),
    ] {
        bars.say(
            sized(is_full, Bar::at_least(faster, 1.0)),
            format!("{name}: the separation list is {faster:.2} times as fast as one {beside} over the same key, at least 1"),
        );
    }
}

struct Least {
    faces: usize,
    values: Option<f64>,
    time: f64,
    /// How many times faster lists were.
    published: &'static str,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    anyhow::ensure!(
        args.keys >= 2,
        "--keys must be at least 2: between one key and none there is no motion"
    );
    let mut bars = Bars::default();
    let is_wanted = |part: Part| args.only.is_empty() || args.only.contains(&part);
    if is_wanted(Part::Animations) {
        animations(args, &mut bars)?;
    }
    if is_wanted(Part::Recorded) {
        recorded(args, &mut bars)?;
    }
    if is_wanted(Part::Spheres) {
        resolutions::of_spheres(args, &mut bars)?;
    }
    if is_wanted(Part::Catwalk) {
        resolutions::of_trees(args, &CATWALK, &mut bars)?;
    }
    if is_wanted(Part::Resolutions) {
        for sweep in [&TABLECLOTH, &AVATAR] {
            resolutions::of_trees(args, sweep, &mut bars)?;
        }
        resolutions::of_lists(args, &TABLECLOTH, PUBLISHED_LIST, &mut bars)?;
    }
    Ok(bars.end())
}

/// The figure walks as this seed has it.
const CATWALK_SEED: u64 = 1;
/// How many times faster lists of the tablecloth were.
const PUBLISHED_LIST: f64 = 50.0;
const CATWALK: Sweep = Sweep {
    sizes: &[65_000, 145_000, 290_000, 580_000],
    published: 10.0,
    make: |faces, keys| catwalk::catwalk(faces, keys, CATWALK_SEED),
};
const TABLECLOTH: Sweep = Sweep {
    sizes: &[2000, 4000, 8000, 16_000],
    published: 5.0,
    make: scenes::tablecloth,
};
const AVATAR: Sweep = Sweep {
    sizes: &[32_000, 82_000, 163_000, 326_000],
    published: 10.0,
    make: scenes::avatar,
};

/// Tablecloth and avatar, with everything that is measured of an animation.
fn animations(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    let cloth = scenes::tablecloth(args.cloth_faces, args.keys)?;
    let least = Least {
        faces: FULL[0],
        values: Some(20.0),
        time: 5.0,
        published: "50",
    };
    measure(args, &cloth, &least, bars)?;
    let avatar = scenes::avatar(args.avatar_faces, args.keys)?;
    let least = Least {
        faces: FULL[1],
        values: None,
        time: 10.0,
        published: "20 to 50",
    };
    measure(args, &avatar, &least, bars)
}

/// Lists of the recorded scenes.
fn recorded(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    for (name, published) in RECORDED {
        let is_wanted = args
            .scene
            .as_ref()
            .is_none_or(|part| name.contains(part.as_str()));
        if args.trees_only || !is_wanted {
            bars.say(
                Bar::Open,
                format!("{name}, recorded: a separation list beside swept boxes, not measured"),
            );
            continue;
        }
        let animation = scenes::recorded(name, args.small)?;
        println!(
            "\n{name}, recorded: {} faces, {} keys",
            animation.faces.len(),
            animation.frames.len()
        );
        if name.starts_with("swirling") {
            // The published worst case: its ratio is told, no bar is about it.
            let found = separation_lists::measure(&animation, BETWEEN, args.swept_frames)?;
            found.print(&animation, published, args.json);
        } else {
            list_of(args, &animation, published, !args.small, bars)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_win_from_the_last_time_they_lost_on() {
        assert_eq!(
            wins_from(&[(1, 0.2), (6, 0.9), (8, 1.1), (10, 1.4)]),
            Some(8)
        );
        assert_eq!(wins_from(&[(1, 1.2), (6, 0.9), (8, 1.0)]), Some(8));
        assert_eq!(wins_from(&[(1, 2.0), (6, 9.0)]), Some(1));
        assert_eq!(wins_from(&[(1, 2.0), (6, 0.5)]), None);
    }

    #[test]
    fn every_recorded_scene_exists() {
        for (name, _) in RECORDED {
            assert!(
                crate::scenes::all()
                    .iter()
                    .any(|scene| scene.text() == name)
            );
        }
    }

    #[test]
    fn a_single_key_is_refused() {
        use clap::Parser;
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        for keys in ["0", "1"] {
            let line = Line::parse_from(["kinetic", "--keys", keys]);
            assert!(run(&line.args).is_err());
        }
    }
}
