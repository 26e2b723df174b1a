//! `cargo xtask test`: every step in order, each with a heading and its time.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::Options;
use crate::browser;
use crate::gallery;
use crate::steps::{STEPS, Step};

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    options.refuse_unknown(&names)?;
    if options.list {
        for step in STEPS {
            println!("{:<13} {}", step.name, step.claim);
        }
        return Ok(());
    }

    run_steps(STEPS.iter().filter(|step| options.wants(step.name)), "")
}

/// Runs steps in order and prints what each took; `option` repeats a failed step.
pub(crate) fn run_steps<'s>(
    steps: impl Iterator<Item = &'s Step>,
    option: &str,
) -> anyhow::Result<()> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for step in steps {
        println!("\n━━━ {}: {}", step.name, step.claim);
        let start = Instant::now();
        let result = (step.run)();
        let time = start.elapsed();
        times.push((step.name, time));
        if let Err(error) = result {
            bail!(
                "step `{0}` failed after {1:.1} s: {error:#}\n  hint: {2}\n  again: cargo xtask test{3} --only {0}",
                step.name,
                time.as_secs_f64(),
                step.hint,
                option,
            );
        }
        println!("━━━ {}: ok, {:.1} s", step.name, time.as_secs_f64());
    }

    println!("\nEvery step passed.");
    if browser::was_skipped() {
        eprintln!("{}", browser::SKIPPED);
    }
    if gallery::was_skipped() {
        eprintln!("{}", gallery::SKIPPED);
    }
    for (name, time) in &times {
        println!("{name:<13} {:>7.1} s", time.as_secs_f64());
    }
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    println!("{:<13} {:>7.1} s", "total", total.as_secs_f64());
    Ok(())
}
