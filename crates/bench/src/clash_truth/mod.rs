//! `impinge-bench clash-truth`: clashes of real assemblies against brute force over all pairs of parts and faces, and what ten
//! million triangles in instanced parts take.

mod instanced;
mod sources;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use impinge::clash::{Clash, ClashKind, ClashOptions, Part, find_clashes};
use impinge_testkit::oracle::{PartRelation, part_relation};

use crate::{Bar, Bars};

/// The most faces of an assembly of the quick run.
const QUICK_FACES: usize = 6000;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Instances of the large assembly; each has about ten thousand triangles
    #[arg(long, default_value_t = 1000)]
    instances: usize,
    /// Threads of brute force
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Only assemblies that brute force is done with in a second, and a tenth of the instances: a look, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Leave the large assembly out
    #[arg(long)]
    only_truth: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    // First, because the peak of memory is that of the whole run.
    if !args.only_truth {
        let instances = if args.quick {
            args.instances.min(100)
        } else {
            args.instances
        };
        let (is_met, text) = instanced::measure(instances)?;
        bars.say(Bar::of(is_met), text);
    }
    let (assemblies, absent) = sources::assemblies()?;
    for name in &absent {
        bars.say(
            Bar::Open,
            format_args!("{name}: not there, nothing compared with brute force"),
        );
    }
    for assembly in &assemblies {
        let faces = assembly.parts.iter().map(|part| part.mesh.face_count());
        if args.quick && faces.sum::<usize>() > QUICK_FACES {
            println!("{}: left out of the quick run", assembly.name);
            continue;
        }
        let (bar, text) = compare(&assembly.name, &assembly.parts, assembly.clearance, args)?;
        bars.say(bar, text);
    }
    Ok(bars.end())
}

/// All clashes beside what brute force says of each pair.
fn compare(
    name: &str,
    parts: &[Part],
    clearance: f64,
    args: &Args,
) -> anyhow::Result<(Bar, String)> {
    let options = ClashOptions {
        clearance: Some(clearance),
        ..ClashOptions::default()
    };
    let start = Instant::now();
    let mut found: Vec<Clash> = Vec::new();
    let mut go_on = |_: &_| ControlFlow::Continue(());
    let _ = find_clashes(parts, &|_, _| true, &options, &mut go_on, &mut found)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let truths = brute_force(parts, clearance, args.threads);
    let brute = start.elapsed().as_secs_f64();
    anyhow::ensure!(
        truths.len() == parts.len() * parts.len().saturating_sub(1) / 2,
        "{name}: a thread of brute force panicked"
    );
    let mut wrong = 0;
    let mut clashing = 0;
    for &(a, b, truth) in &truths {
        let clash = found.iter().find(|c| (c.a, c.b) == (a, b));
        clashing += usize::from(is_clash(&truth, clearance) == Some(true));
        if !agrees(&truth, clash, clearance) {
            wrong += 1;
            println!(
                "  {} and {}: {truth:?} but {clash:?}",
                parts[a as usize].name, parts[b as usize].name
            );
        }
    }
    let faces: usize = parts.iter().map(|part| part.mesh.face_count()).sum();
    let kinds: Vec<String> = ClashKind::ALL
        .iter()
        .map(|kind| (kind, found.iter().filter(|c| c.kind == *kind).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    println!(
        "{name}: {} parts, {faces} faces, clearance {clearance}: {} in {milliseconds:.0} ms; brute force {brute:.1} s",
        parts.len(),
        if kinds.is_empty() {
            "no clash".to_owned()
        } else {
            kinds.join(", ")
        },
    );
    let text = format!(
        "{name}: {} of {} pairs as brute force says ({clashing} clash)",
        truths.len() - wrong,
        truths.len()
    );
    Ok((Bar::none_wrong(wrong as u64, truths.len() as u64), text))
}

fn brute_force(parts: &[Part], clearance: f64, threads: usize) -> Vec<(u32, u32, PartRelation)> {
    let pairs: Vec<(u32, u32)> = (0..parts.len() as u32)
        .flat_map(|a| (a + 1..parts.len() as u32).map(move |b| (a, b)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(&(a, b)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (p, q) = (&parts[a as usize], &parts[b as usize]);
            let a_from_b = p.world_from_part.inverse() * q.world_from_part;
            done.push((
                a,
                b,
                part_relation(&p.mesh, &q.mesh, &a_from_b, Some(clearance)),
            ));
        }
        done
    };
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    });
    all.sort_by_key(|&(a, b, _)| (a, b));
    all
}

/// Whether the parts clash; unknown where the distance is the clearance within rounding.
fn is_clash(truth: &PartRelation, clearance: f64) -> Option<bool> {
    if truth.meets || truth.a_inside || truth.b_inside {
        return Some(true);
    }
    match truth.distance {
        Some(d) if d.upper < clearance * (1.0 - 1e-12) => Some(true),
        Some(_) => None,
        None => Some(false),
    }
}

fn agrees(truth: &PartRelation, clash: Option<&Clash>, clearance: f64) -> bool {
    let Some(clash) = clash else {
        return is_clash(truth, clearance) != Some(true);
    };
    let is_inside = truth.a_inside || truth.b_inside;
    match clash.kind {
        ClashKind::Duplicate => truth.meets || is_inside || truth.distance.is_some(),
        ClashKind::Crossing => {
            let is_deep = clash.depth.is_some_and(|depth| depth.lower > 0.0);
            truth.meets && (truth.passes_through || is_deep)
        }
        ClashKind::Touching => truth.meets && !truth.passes_through,
        ClashKind::Contained => !truth.meets && is_inside,
        ClashKind::Clearance => {
            let size = clash.points[0].length() + clash.distance;
            let near = |d: impinge_testkit::oracle::Distance| {
                clash.distance >= d.lower - 1e-12 * size && clash.distance <= d.upper + 1e-12 * size
            };
            !truth.meets && !is_inside && truth.distance.is_some_and(near)
        }
    }
}
