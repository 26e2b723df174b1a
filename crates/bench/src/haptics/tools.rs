//! Tools of six degrees of freedom: cost and steps of the default law, with and without a budget; the guard.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::Rng;
use impinge::query::Limits;
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
    let mesh = kind.make(Some(faces), 1)?;
    let bounds = mesh.bounds();
    let scale = 0.1 / bounds.half_extent().max_element();
    let points = mesh
        .positions()
        .iter()
        .map(|&p| (p - bounds.center()) * scale);
    let mesh = impinge::TriMesh::new(points.collect(), mesh.faces().to_vec())?;
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

/// A device that presses one solid into the other and strokes it, at about 0.1 m/s.
fn device(tick: u64) -> anyhow::Result<Pose> {
    let t = tick as f64 * 1e-3;
    let depth = 0.01 * (1.0 - (2.0 * t).cos());
    let place = DVec3::new(
        0.03 * (0.7 * t).sin(),
        0.03 * (0.9 * t).cos(),
        0.175 - depth,
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

fn feel(law: &mut impl ContactLaw, ticks: u64) -> anyhow::Result<Felt> {
    let coupling = CouplingStiffness::new(1000.0, 2.0)?;
    let mut tool = QuasiStaticCoupling::new(coupling, device(0)?);
    let mut cost = DurationHistogram::new();
    let mut forces = Vec::new();
    for tick in 0..ticks {
        let pose = device(tick)?;
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
    let felt = feel(&mut cones, ticks)?;
    println!("  cones of normals: {}", micros(&felt.cost));
    let p999 = felt.cost.p999_ns as f64 * 1e-6;
    bars.say(
        Bar::at_most(p999, 0.5),
        format_args!("tick p99.9 of the default law at most 0.5 ms ({p999:.3} ms)"),
    );
    // The law alone along the same way: what a budget does to the steps of its force.
    let mut whole = BudgetedSphereLaw::new(
        Arc::clone(&solid),
        Pose::IDENTITY,
        Arc::clone(&tool),
        2e5,
        u64::MAX,
    )?;
    let mut cut = BudgetedSphereLaw::new(solid, Pose::IDENTITY, tool, 2e5, 3000)?;
    let (mut largest, mut worst, mut cost) = (0.0_f64, 0.0_f64, DurationHistogram::new());
    let mut before: Option<[DVec3; 2]> = None;
    for tick in 0..ticks {
        let pose = device(tick)?;
        let start = thread_ns();
        let budgeted = cut.at(&pose, Limits::default()).wrench.force;
        cost.add(thread_ns() - start);
        let truth = whole.at(&pose, Limits::default()).wrench.force;
        if let Some([b, t]) = before {
            worst = worst.max(((budgeted - b) - (truth - t)).length());
        }
        largest = largest.max(truth.length());
        before = Some([budgeted, truth]);
    }
    let share = worst / largest.max(f64::MIN_POSITIVE);
    println!("  budget of 3000 tests: {}", micros(&cost.summary()));
    bars.say(
        Bar::at_most(share, 0.01),
        format_args!("steps of the budgeted and the whole force differ by at most 1 % of the largest ({:.2} %)", share * 100.0),
    );
    let steps = felt.forces.windows(2).map(|w| (w[1] - w[0]).length());
    println!(
        "  largest step felt: {:.3} N in a tick",
        steps.fold(0.0, f64::max)
    );
    guard(is_full, bars)
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
