//! Tools of six degrees of freedom: cost and steps of the default law, with and without a budget; the guard.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::{DVec3, Pose, generate};
use impinge_dynamics::coupling::{CouplingStiffness, QuasiStaticCoupling};
use impinge_dynamics::guard::ToolGuard;
use impinge_dynamics::law::{BudgetedSphereLaw, ConeLaw, ContactLaw};
use impinge_dynamics::rate::{DurationHistogram, DurationSummary};

use super::{micros, thread_ns};
use crate::{Bar, Bars};

fn filled(name: &str, faces: usize, balls: usize) -> anyhow::Result<Arc<InnerSphereTree>> {
    let kind = generate::model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"))?;
    let mesh = kind.make(Some(faces), 1)?.resized(0.2)?;
    let tree = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&tree)?;
    let options = PackOptions {
        count: Some(balls),
        ..PackOptions::default()
    };
    let packing = pack(&solid, &options)?;
    let spheres = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?;
    Ok(Arc::new(spheres.with_surface(&solid)))
}

/// How high the tool is where it first touches the solid from above.
fn touching_height(
    solid: &Arc<InnerSphereTree>,
    tool: &Arc<InnerSphereTree>,
) -> anyhow::Result<f64> {
    let (solid, tool) = (Arc::clone(solid), Arc::clone(tool));
    let mut law = ConeLaw::new(solid, Pose::IDENTITY, tool, 1.0)?;
    let (mut apart, mut inside) = (0.5, 0.0);
    for _ in 0..40 {
        let middle = 0.5 * (apart + inside);
        let pose = Pose::from_translation([0.0, 0.0, middle])?;
        let is_touching = law.at(&pose, Limits::default()).wrench.force != DVec3::ZERO;
        if is_touching {
            inside = middle;
        } else {
            apart = middle;
        }
    }
    anyhow::ensure!(inside > 0.0, "the tool does not touch the solid from above");
    Ok(inside)
}

/// A device that presses the tool up to 2 cm into the solid and strokes it, at about 0.1 m/s.
fn device(height: f64, tick: u64) -> anyhow::Result<Pose> {
    let t = tick as f64 * 1e-3;
    let depth = 0.01 * (1.0 - (2.0 * t).cos());
    let place = DVec3::new(
        0.03 * (0.7 * t).sin(),
        0.03 * (0.9 * t).sin(),
        height + 0.002 - depth,
    );
    Ok(Pose::from_axis_angle(
        [0.2, 1.0, 0.1],
        0.3 * (0.5 * t).sin(),
        place,
    )?)
}

struct Felt {
    cost: DurationSummary,
    forces: Vec<DVec3>,
}

fn feel(law: &mut impl ContactLaw, height: f64, ticks: u64) -> anyhow::Result<Felt> {
    let coupling = CouplingStiffness::new(1000.0, 2.0)?;
    let mut tool = QuasiStaticCoupling::new(coupling, device(height, 0)?);
    let mut cost = DurationHistogram::new();
    let mut forces = Vec::new();
    for tick in 0..ticks {
        let pose = device(height, tick)?;
        let before = thread_ns();
        let step = tool.update(law, &pose, Limits::default());
        cost.add(thread_ns() - before);
        forces.push(step.wrench.force);
    }
    Ok(Felt {
        cost: cost.summary(),
        forces,
    })
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    println!("a tool of six degrees of freedom: two solids of 80 000 faces, filled with balls");
    let (faces, balls, ticks) = if is_full {
        (80_000, 20_000, 60_000)
    } else {
        (20_000, 1500, 4000)
    };
    let (solid, tool) = (filled("blob", faces, balls)?, filled("gear", faces, balls)?);
    let mut cones = ConeLaw::new(Arc::clone(&solid), Pose::IDENTITY, Arc::clone(&tool), 2e8)?;
    let height = touching_height(&solid, &tool)?;
    let felt = feel(&mut cones, height, ticks)?;
    let touched = felt.forces.iter().filter(|f| **f != DVec3::ZERO).count();
    println!("  {touched} of {ticks} ticks in contact");
    println!("  cones of normals: {}", micros(&felt.cost));
    let p999 = felt.cost.p999_ns as f64 * 1e-6;
    // Ticks without contact cost nothing.
    let is_felt = 2 * touched as u64 > ticks;
    bars.say(
        Bar::at_most(is_felt.then_some(p999), 0.5),
        format_args!("tick p99.9 of the default law at most 0.5 ms ({p999:.3} ms)"),
    );
    budgets(&solid, &tool, height, ticks, bars)?;
    let steps = felt.forces.windows(2).map(|w| (w[1] - w[0]).length());
    println!(
        "  largest step felt: {:.3} N in a tick",
        steps.fold(0.0, f64::max)
    );
    guard(is_full, bars)
}

/// The least share of ticks in contact that a budget must cut short to be judged.
const LEAST_CUT: f64 = 0.1;

/// Budgets in tests a tick.
const BUDGETS: [u64; 5] = [1000, 3000, 6000, 12_000, 24_000];

/// The law alone along the same way: what budgets do to the steps of its force, and what they cost.
fn budgets(
    solid: &Arc<InnerSphereTree>,
    tool: &Arc<InnerSphereTree>,
    height: f64,
    ticks: u64,
    bars: &mut Bars,
) -> anyhow::Result<()> {
    let law = |tests: u64| {
        let (solid, tool) = (Arc::clone(solid), Arc::clone(tool));
        BudgetedSphereLaw::new(solid, Pose::IDENTITY, tool, 2e5, tests)
    };
    let mut whole = law(u64::MAX)?;
    let mut truth = Vec::new();
    for tick in 0..ticks {
        truth.push(
            whole
                .at(&device(height, tick)?, Limits::default())
                .wrench
                .force,
        );
    }
    let largest = truth.iter().fold(0.0_f64, |most, f| most.max(f.length()));
    // The largest budget that a tick of 0.5 ms can pay for, and that is still felt, is the one that is judged.
    let mut judged = None;
    for tests in BUDGETS {
        let mut cut = law(tests)?;
        let (mut worst, mut cost) = (0.0_f64, DurationHistogram::new());
        let (mut before, mut touched, mut shortened) = (None::<DVec3>, 0_u64, 0_u64);
        for tick in 0..ticks {
            let pose = device(height, tick)?;
            let start = thread_ns();
            let found = cut.at(&pose, Limits::default());
            cost.add(thread_ns() - start);
            let force = found.wrench.force;
            if truth.get(tick as usize).is_some_and(|f| *f != DVec3::ZERO) {
                touched += 1;
                shortened += u64::from(found.outcome != Outcome::Complete);
            }
            let step = (tick as usize)
                .checked_sub(1)
                .and_then(|last| Some(*truth.get(tick as usize)? - *truth.get(last)?));
            if let (Some(last), Some(step)) = (before, step) {
                worst = worst.max(((force - last) - step).length());
            }
            before = Some(force);
        }
        let share = worst / largest.max(f64::MIN_POSITIVE);
        let cost = cost.summary();
        let cut_share = shortened as f64 / touched.max(1) as f64;
        println!(
            "  budget of {tests} tests: steps differ by {:.2} % of the largest force; {:.1} % of {touched} ticks in contact were cut short; {}",
            share * 100.0,
            cut_share * 100.0,
            micros(&cost)
        );
        // A budget that hardly ever cuts shows nothing about cutting.
        if cost.p999_ns <= 500_000 && cut_share >= LEAST_CUT {
            judged = Some((tests, share));
        }
    }
    let (tests, share) = judged.unzip();
    bars.say(
        Bar::at_most(share.filter(|_| largest > 0.0), 0.01),
        format_args!(
            "steps of the budgeted and the whole force differ by at most 1 % of the largest, with the largest budget of p99.9 at most 0.5 ms that cuts at least 10 % of the ticks in contact ({} tests, {:.2} %)",
            tests.unwrap_or(0),
            share.unwrap_or(f64::NAN) * 100.0
        ),
    );
    Ok(())
}

/// A cube against a sheet of 0.1 mm, at any speed.
fn guard(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    let centred = |sides: DVec3| -> anyhow::Result<Arc<WideTree>> {
        let mesh = generate::cuboid(sides, [1; 3])?;
        let center = mesh.bounds().center();
        let mesh = mesh.placed(&Pose::from_translation(-center)?)?;
        Ok(Arc::new(WideTree::new(Arc::new(mesh))))
    };
    let (sheet, cube) = (
        centred(DVec3::new(0.4, 0.4, 1e-4))?,
        centred(DVec3::splat(0.02))?,
    );
    let mut rng = Rng::new(9);
    let (runs, mut passed, mut all) = (if is_full { 2000 } else { 40 }, 0, 0);
    let mut cost = DurationHistogram::new();
    let mut cache = WideCache::default();
    for _ in 0..runs {
        let speed = 10_f64.powf(rng.range(-2.0, 5.0));
        let mut guard = ToolGuard::new(
            Arc::clone(&cube),
            vec![(Arc::clone(&sheet), Pose::IDENTITY)],
            CouplingStiffness::new(500.0, 1.0)?,
            Pose::from_translation([0.0, 0.0, 0.05])?,
        )?;
        for tick in 0..30 {
            let z = (0.05 - speed * 1e-3 * f64::from(tick)).max(-100.0);
            let at = DVec3::new(rng.range(-0.1, 0.1), rng.range(-0.1, 0.1), z);
            let pose = Pose::from_axis_angle(rng.cube(), rng.range(0.0, 0.5), at)?;
            let before = thread_ns();
            let step = guard.update(&pose);
            cost.add(thread_ns() - before);
            let is_through = step.world_from_tool.translation().z <= 0.0
                || sheet.intersects(&cube, &step.world_from_tool, &mut cache);
            passed += u64::from(is_through);
            all += 1;
        }
    }
    println!(
        "  guard at 0.01 to 100 000 m/s: {}",
        micros(&cost.summary())
    );
    debug_assert!(!sheet.mesh().is_empty());
    bars.say(
        Bar::none_wrong(passed, all),
        format_args!("no passage through a sheet of 0.1 mm in {all} ticks at any speed ({passed})"),
    );
    Ok(())
}
