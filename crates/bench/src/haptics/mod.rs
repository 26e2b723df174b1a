//! `impinge-bench run haptics`: tick times, crossings, energy, steps of force and the age of lists, each with its bar.
//!
//! Times are of the thread's processor: what a tick costs, whoever else uses the machine. Wall times of a servo loop stand beside those
//! of an empty one.

mod bodies;
mod energy;
mod impacts;
mod proxies;
mod servo;
mod sessions;
mod skin;
mod soft;
mod tools;

use crate::{Bar, Bars};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Preset {
    Quick,
    Full,
}

/// Haptic rendering at 1 kHz: tick times, crossings, energy, force steps, pair lists, soft bodies, impacts of sphere trees
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How much: quick takes about a minute, full some hours
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',')]
    parts: Vec<Part>,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Proxies,
    Skin,
    Tools,
    Energy,
    Servo,
    Workspace,
    SphereSpring,
    Soft,
    Impacts,
}

const PARTS: [Part; 9] = [
    Part::Proxies,
    Part::Skin,
    Part::Tools,
    Part::Energy,
    Part::Servo,
    Part::Workspace,
    Part::SphereSpring,
    Part::Soft,
    Part::Impacts,
];

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let is_full = args.preset == Preset::Full;
    let mut bars = Bars::default();
    for part in PARTS {
        if !args.parts.is_empty() && !args.parts.contains(&part) {
            continue;
        }
        match part {
            Part::Proxies => proxies::run(is_full, &mut bars)?,
            Part::Skin => skin::run(is_full, &mut bars)?,
            Part::Tools => tools::run(is_full, &mut bars)?,
            Part::Energy => energy::run(is_full, &mut bars)?,
            Part::Servo => servo::run(is_full, &mut bars)?,
            Part::Workspace => bodies::workspace(is_full, &mut bars)?,
            Part::SphereSpring => bodies::sphere_spring(is_full, &mut bars)?,
            Part::Soft => soft::run(is_full, &mut bars)?,
            Part::Impacts => impacts::run(is_full, &mut bars)?,
        }
        println!();
    }
    Ok(bars.end())
}

/// Nanoseconds that this thread has worked; of the wall clock where the system does not say.
fn thread_ns() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    let spent = crate::thread_cpu_time::thread_time()
        .unwrap_or_else(|| START.get_or_init(Instant::now).elapsed());
    u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX)
}

/// A summary of durations as it is printed.
fn micros(summary: &impinge_dynamics::rate::DurationSummary) -> String {
    let us = |ns: u64| ns as f64 * 1e-3;
    format!(
        "median {:.1} µs, p99.9 {:.1} µs, largest {:.1} µs",
        us(summary.median_ns),
        us(summary.p999_ns),
        us(summary.largest_ns)
    )
}
