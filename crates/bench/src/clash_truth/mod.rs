//! `impinge-bench clash-truth`: clashes of real assemblies against brute force over all pairs of parts and faces, what ten
//! million triangles in instanced parts take, and what crossing walls of twelve faces cost.

mod assemblies;
mod instanced;
mod walls;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use impinge::clash::{Clash, ClashKind, ClashOptions, Part, find_clashes};
use impinge_testkit::oracle::{PartRelation, part_relation, surface_reaches_inside};

use crate::{Bar, Bars};

/// The most faces of an assembly of the quick run.
const QUICK_FACES: usize = 6000;
/// In metres.
const CLEARANCE_OF_WALLS: f64 = 0.01;

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
    /// Leave the large assembly and the times of walls out
    #[arg(long)]
    only_truth: bool,
    /// Only 60 and 2000 walls that cross
    #[arg(long, conflicts_with = "only_truth")]
    only_walls: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    // First, because the peak of memory is that of the whole run.
    if !args.only_truth && !args.only_walls {
        let instances = if args.quick {
            args.instances.min(100)
        } else {
            args.instances
        };
        let (bar, text) = instanced::measure(instances)?;
        bars.say(bar, text);
    }
    let few = walls::walls(walls::FEW)?;
    let (bar, text) = compare("walls", &few, CLEARANCE_OF_WALLS, args)?;
    bars.say(bar, text);
    if !args.only_truth {
        walls::measure(&mut bars)?;
    }
    if args.only_walls {
        return Ok(bars.end());
    }
    let (assemblies, absent) = assemblies::assemblies()?;
    for name in &absent {
        bars.say(
            Bar::Open,
            format_args!("{name}: not there, nothing compared with brute force"),
        );
    }
    for assembly in &assemblies {
        let faces = assembly.parts.iter().map(|part| part.mesh.face_count());
        if args.quick && faces.sum::<usize>() > QUICK_FACES {
            let told = format!("{}: left out of the quick run", assembly.name);
            bars.say(Bar::Open, told);
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
    let (mut wrong, mut unjudged) = (0, 0);
    let mut clashing = 0;
    for &(a, b, truth) in &truths {
        let clash = found.iter().find(|c| (c.a, c.b) == (a, b));
        clashing += usize::from(is_clash(&truth, clearance) == Some(true));
        let (p, q) = (&parts[a as usize], &parts[b as usize]);
        let judgement = agrees(&truth, clash, clearance, [p, q]);
        unjudged += usize::from(judgement.is_none());
        wrong += usize::from(judgement == Some(false));
        if judgement != Some(true) {
            println!(
                "  {} and {}: {truth:?} {} {clash:?}",
                p.name,
                q.name,
                judgement.map_or("does not judge", |_| "but")
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
        "{name}: {} of {} pairs as brute force says ({clashing} clash, {unjudged} not judged)",
        truths.len() - wrong - unjudged,
        truths.len()
    );
    let bar = Bar::none_wrong(wrong as u64, truths.len() as u64);
    Ok((
        if unjudged > 0 {
            bar.and(Bar::Open)
        } else {
            bar
        },
        text,
    ))
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

/// Whether a clash is what brute force says; none where brute force cannot tell.
fn agrees(
    truth: &PartRelation,
    clash: Option<&Clash>,
    clearance: f64,
    parts: [&Part; 2],
) -> Option<bool> {
    let Some(clash) = clash else {
        return Some(is_clash(truth, clearance) != Some(true));
    };
    let is_inside = truth.a_inside || truth.b_inside;
    Some(match clash.kind {
        ClashKind::Duplicate => truth.meets || is_inside || truth.distance.is_some(),
        ClashKind::Crossing if truth.passes_through => true,
        // Solids can overlap though no two faces pass through one another. What the library says of the depth is no judge of that.
        ClashKind::Crossing if truth.meets => return overlap(parts),
        ClashKind::Crossing => false,
        ClashKind::Touching => truth.meets && !truth.passes_through,
        ClashKind::Contained => !truth.meets && is_inside,
        ClashKind::Clearance => {
            let size = clash.points[0].length() + clash.distance;
            let near = |d: impinge_testkit::oracle::Distance| {
                clash.distance >= d.lower - 1e-12 * size && clash.distance <= d.upper + 1e-12 * size
            };
            !truth.meets && !is_inside && truth.distance.is_some_and(near)
        }
    })
}

/// Whether two solids overlap, by a point of the surface of one that lies inside the other; none where no such point was found, which proves nothing.
fn overlap([a, b]: [&Part; 2]) -> Option<bool> {
    let a_from_b = a.world_from_part.inverse() * b.world_from_part;
    surface_reaches_inside(&a.mesh, &b.mesh, &a_from_b).then_some(true)
}
