//! The god-object: crossings by exact tests, and the time of a tick.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache};
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::proxy::{GodObject, ProxyScene};
use impinge_dynamics::rate::{DurationHistogram, DurationSummary};

use super::{micros, thread_ns};
use crate::{Bar, Bars};

struct Walked {
    crossings: u64,
    touched: u64,
    cost: DurationSummary,
}

/// A device that wanders and leaps, and a body that rests or swings at up to `speed` m/s.
fn walk(
    mesh: &Arc<TriMesh>,
    ticks: u64,
    speed: f64,
    radius: f64,
    seed: u64,
) -> anyhow::Result<Walked> {
    let tree = Arc::new(WideTree::new(Arc::clone(mesh)));
    let mut scene = ProxyScene::new();
    let body = scene.add(Arc::clone(&tree), Pose::IDENTITY)?;
    let bounds = mesh.bounds();
    let size = bounds.half_extent().max_element();
    let mut rng = Rng::new(seed);
    let outside = bounds.center() + DVec3::new(0.9, 1.0, 1.1) * (1.5 * size);
    let mut proxy = GodObject::new(&mut scene, 1000.0, outside)?;
    if radius > 0.0 {
        proxy = proxy.with_radius(&mut scene, radius * size)?;
    }
    let mut cache = SingleTreeCache::default();
    let mut cost = DurationHistogram::new();
    let (mut crossings, mut touched, mut device) = (0, 0, outside);
    // Metres: the model is taken as 0.2 m large.
    let metre = size / 0.1;
    let mut own_before = outside;
    for tick in 0..ticks {
        device = match rng.below(50) {
            0 => bounds.center() + rng.cube() * (1.3 * size),
            _ => device + rng.cube() * (1e-3 * metre),
        };
        let mut pose = Pose::IDENTITY;
        if speed > 0.0 {
            let phase = tick as f64 * 1e-3 * 20.0;
            let shift = DVec3::new(phase.sin(), (1.3 * phase).sin(), 0.0) * (speed / 30.0 * metre);
            pose = Pose::from_translation(shift)?;
            scene.set_pose(body, pose)?;
        }
        let before = thread_ns();
        let step = proxy.update(&mut scene, device, 1e-3);
        cost.add(thread_ns() - before);
        touched += u64::from(!step.contacts().is_empty());
        // Exact: does the way in the body's own frame meet a face?
        let own = pose.inverse() * step.proxy;
        let way = RayOrSegment::segment(own_before, own)?;
        crossings += u64::from(tree.is_hit(&way, &mut cache));
        own_before = own;
    }
    Ok(Walked {
        crossings,
        touched,
        cost: cost.summary(),
    })
}

/// Two slopes that meet at 30°.
fn groove() -> anyhow::Result<TriMesh> {
    let (x, z) = (15_f64.to_radians().tan() * 0.2, 0.2);
    let points = [
        [-x, -0.2, z],
        [0.0, -0.2, 0.0],
        [x, -0.2, z],
        [-x, 0.2, z],
        [0.0, 0.2, 0.0],
        [x, 0.2, z],
    ];
    Ok(TriMesh::from_points(
        points,
        [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
    )?)
}

fn model(name: &str, faces: usize) -> anyhow::Result<TriMesh> {
    let kind = generate::model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"))?;
    Ok(kind.make(Some(faces), 1)?)
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    println!(
        "god-object: faces passed, by the exact segment test in the body's frame; time of a tick on the thread"
    );
    let mut scenes: Vec<(&str, TriMesh)> = vec![
        ("room", generate::cuboid(DVec3::splat(0.2), [1; 3])?),
        ("groove", groove()?),
        ("terrain", model("terrain", 20_000)?),
        ("teeth", model("gear", 20_000)?),
    ];
    match crate::rigid::fetched("dragon")? {
        Some(mesh) => scenes.push(("dragon", mesh)),
        None => {
            println!("  dragon: not installed, a blob in its place");
            let faces = if is_full { 871_414 } else { 100_000 };
            scenes.push(("blob", model("blob", faces)?));
        }
    }
    // Ticks of all scenes together, then of each.
    let all_ticks = if is_full { 10_000_000 } else { 200_000 };
    let ticks = all_ticks / (3 * scenes.len() as u64);
    let (mut crossings, mut all) = (0, 0);
    for (name, mesh) in scenes {
        let mesh = Arc::new(mesh);
        for (kind, speed, radius) in [
            ("resting", 0.0, 0.0),
            ("at 1 m/s", 1.0, 0.0),
            ("ball", 0.0, 0.02),
        ] {
            let walked = walk(&mesh, ticks, speed, radius, 7)?;
            println!(
                "  {name} {kind}, {} faces: {} ticks, {} in contact, {} passed; {}",
                mesh.face_count(),
                ticks,
                walked.touched,
                walked.crossings,
                micros(&walked.cost)
            );
            crossings += walked.crossings;
            all += ticks;
        }
    }
    bars.say(
        Bar::none_wrong(crossings, all),
        format_args!(
            "no face passed in {all} ticks, resting, moving and as a ball ({crossings} passed)"
        ),
    );
    for faces in [480_076, 5_000_000] {
        if faces > 1_000_000 && !is_full {
            println!("  5 M faces: with --preset full");
            continue;
        }
        let mesh = Arc::new(model("blob", faces)?);
        let walked = walk(&mesh, if is_full { 1_000_000 } else { 20_000 }, 0.0, 0.0, 8)?;
        let p999 = walked.cost.p999_ns as f64 * 1e-3;
        println!("  {} faces: {}", mesh.face_count(), micros(&walked.cost));
        bars.say(
            Bar::at_most(p999, 50.0),
            format_args!(
                "tick p99.9 at {} faces at most 50 µs ({p999:.1} µs); published: 480 076 faces \"stable and responsive\"",
                mesh.face_count()
            ),
        );
    }
    Ok(())
}
