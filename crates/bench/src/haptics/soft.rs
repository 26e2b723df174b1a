//! Soft bodies: cloth on a mushroom, bunnies and gloves into a soft net; every frame is checked for crossings.

use impinge::deform::{RefitBvhEngine, SceneEngine, SceneRequest};
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig, StuffedDesc};

use crate::{Bar, Bars};

struct Fall {
    name: String,
    body: SoftBody,
    frames: u32,
}

fn config() -> SoftConfig {
    SoftConfig {
        thickness: 4e-3,
        drag: 1.0,
        ..SoftConfig::default()
    }
}

/// A cloth over a mushroom.
fn mushroom(is_full: bool) -> anyhow::Result<Fall> {
    let cells = if is_full { 60 } else { 16 };
    let desc = ClothDesc {
        cells: [cells; 2],
        size: [2.2; 2],
        height: 1.56,
        ..ClothDesc::default()
    };
    let thickness = 0.25 * 2.2 / f64::from(cells);
    let mut body = SoftBody::cloth(
        &desc,
        SoftConfig {
            thickness: thickness.min(0.02),
            ..config()
        },
    )?;
    body.add_obstacle(&generate::mushroom(32, 8)?)?;
    Ok(Fall {
        name: "cloth on mushroom".to_owned(),
        body,
        frames: if is_full { 180 } else { 45 },
    })
}

/// So many stuffed copies of a model, 0.1 m large, above a soft net that is pinned at its border.
fn into_net(
    model: &str,
    what: &str,
    count: usize,
    faces: usize,
    frames: u32,
) -> anyhow::Result<Fall> {
    let kind = generate::model(model).ok_or_else(|| anyhow::anyhow!("no model {model}"))?;
    let mesh = kind.make(Some(faces), 1)?;
    let (center, scale) = (
        mesh.bounds().center(),
        0.05 / mesh.bounds().half_extent().max_element(),
    );
    let cells = 24;
    let desc = ClothDesc {
        cells: [cells; 2],
        size: [0.9; 2],
        stretch: 1e-4,
        ..ClothDesc::default()
    };
    let mut net = SoftBody::cloth(&desc, config())?;
    for i in 0..=cells {
        for j in 0..=cells {
            if i % cells == 0 || j % cells == 0 {
                net.pin((j * (cells + 1) + i) as usize)?;
            }
        }
    }
    let mut bodies = vec![net];
    let mut rng = Rng::new(31);
    for k in 0..count {
        let (layer, cell) = (k / 9, k % 9);
        let place = DVec3::new(
            (cell % 3) as f64 * 0.19 - 0.19,
            (cell / 3) as f64 * 0.19 - 0.19,
            0.12 + 0.19 * layer as f64,
        );
        let turn = Pose::from_axis_angle(rng.cube(), rng.range(0.0, 3.0), place)?;
        let points = mesh.positions().iter();
        let placed = points.map(|&p| turn * ((p - center) * scale));
        let mesh = TriMesh::new(placed.collect(), mesh.faces().to_vec())?;
        bodies.push(SoftBody::stuffed(&mesh, &StuffedDesc::default(), config())?);
    }
    Ok(Fall {
        name: format!("{count} {what} into a net"),
        body: SoftBody::joined(&bodies, config())?,
        frames,
    })
}

/// Pairs of faces that cross, obstacles among themselves left out.
fn crossings(body: &SoftBody) -> u64 {
    let request = SceneRequest {
        duplicates: false,
        ..SceneRequest::default()
    };
    let Some(scene) = body.scene() else {
        return 0;
    };
    let answer = RefitBvhEngine::default().pairs(scene, &request);
    let own = body.faces().len();
    answer.pairs.iter().filter(|p| p.a.index() < own).count() as u64
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    println!("soft bodies: each frame of 1/60 s is checked exactly for crossings");
    let mut falls = vec![mushroom(is_full)?];
    if is_full {
        for count in [5, 10, 20] {
            falls.push(into_net("blob", "bunnies", count, 500, 90)?);
        }
        falls.push(into_net("glove", "gloves", 50, 400, 90)?);
    } else {
        falls.push(into_net("blob", "bunnies", 5, 120, 30)?);
    }
    let (mut wrong, mut all) = (0, 0);
    for mut fall in falls {
        let (mut times, mut contacts, mut held, mut crossed) = (Vec::new(), 0, 0, 0);
        for _ in 0..fall.frames {
            let start = std::time::Instant::now();
            let report = fall.body.step(1.0 / 60.0)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            contacts += report.contacts;
            held += report.held;
            crossed += u64::from(crossings(&fall.body) > 0);
        }
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
        println!(
            "  {}, {} faces: {} frames, {contacts} contacts, {held} particles held, {crossed} frames with a crossing; frame median {median:.1} ms, largest {:.1} ms",
            fall.name,
            fall.body.faces().len(),
            fall.frames,
            times.last().copied().unwrap_or(f64::NAN)
        );
        wrong += crossed;
        all += u64::from(fall.frames);
    }
    bars.say(
        Bar::none_wrong(wrong, all),
        format_args!("no crossing in any of {all} frames of soft bodies ({wrong} with one)"),
    );
    momentum(bars)
}

/// Two balls that bounce off each other: the momentum of both.
fn momentum(bars: &mut Bars) -> anyhow::Result<()> {
    let config = SoftConfig {
        gravity: DVec3::ZERO,
        drag: 0.0,
        ..config()
    };
    let ball = generate::icosphere(0.05, 6)?;
    let mut bodies = Vec::new();
    for (x, v) in [(-0.08, 1.0), (0.08, -0.5)] {
        let mesh = ball.placed(&Pose::from_translation([x, 0.0, 0.0])?)?;
        let mut body = SoftBody::stuffed(&mesh, &StuffedDesc::default(), config)?;
        let count = body.positions().len();
        body.set_velocities(&vec![DVec3::X * v; count])?;
        bodies.push(body);
    }
    let mut both = SoftBody::joined(&bodies, config)?;
    let before = both.momentum();
    let mut contacts = 0;
    for _ in 0..40 {
        contacts += both.step(1.0 / 120.0)?.contacts;
    }
    let lost = (both.momentum() - before).length() / before.length();
    bars.say(
        Bar::at_most(if contacts > 0 { lost } else { f64::NAN }, 1e-10),
        format_args!(
            "momentum kept by two soft balls over {contacts} contacts, to 1e-10 ({lost:.1e})"
        ),
    );
    Ok(())
}
