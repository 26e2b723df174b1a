//! Soft bodies: cloth on a mushroom, bunnies and gloves into a soft netting; every frame is checked for crossings.

use impinge::deform::{RefitBvhEngine, SceneEngine, SceneRequest};
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::soft::{ClothDesc, MembraneDesc, SoftBody, SoftConfig, StuffedDesc};

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

/// What falls into a netting.
#[derive(Clone, Copy, PartialEq)]
enum Fallen {
    Bunnies,
    Gloves,
}

impl Fallen {
    fn name(self) -> &'static str {
        match self {
            Self::Bunnies => "bunnies",
            Self::Gloves => "gloves",
        }
    }

    /// The mesh of each seed, 20·frequency² faces.
    fn mesh(self, frequency: u32, seed: u64) -> anyhow::Result<TriMesh> {
        match self {
            Self::Gloves => Ok(generate::glove(frequency, seed)?),
            Self::Bunnies => {
                let animals = generate::animals(6 * frequency, seed)?;
                let rabbit = animals.into_iter().find(|animal| animal.name == "rabbit");
                let rabbit =
                    rabbit.ok_or_else(|| anyhow::anyhow!("no rabbit among the animals"))?;
                Ok(rabbit.mesh)
            }
        }
    }
}

/// A netting of 0.9 m at z = 0; the numbers of the particles at its border come with it.
fn netting() -> anyhow::Result<(SoftBody, Vec<usize>)> {
    let knots = 16;
    let mesh = generate::netting(knots, knots, 0.4, 1)?;
    let scale = 0.9 / f64::from(knots - 1);
    let points = mesh.positions().iter().map(|p| *p * scale);
    let mesh = TriMesh::new(points.collect(), mesh.faces().to_vec())?;
    let outer = 0.9 * mesh.bounds().half_extent().max_element();
    let is_outer = |p: &DVec3| p.x.abs().max(p.y.abs()) > outer;
    let border =
        (0..mesh.vertex_count()).filter(|i| mesh.positions().get(*i).is_some_and(is_outer));
    let body = SoftBody::membrane(&mesh, &MembraneDesc::default(), config())?;
    Ok((body, border.collect()))
}

/// So many stuffed bodies, each of another seed and 0.1 m large, above a soft netting that is pinned at its border.
fn into_netting(kind: Fallen, count: usize, frequency: u32, frames: u32) -> anyhow::Result<Fall> {
    let (mut net, border) = netting()?;
    for particle in border {
        net.pin(particle)?;
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
        bodies.push(stuffed(
            &kind.mesh(frequency, k as u64 + 1)?,
            &turn,
            config(),
        )?);
    }
    Ok(Fall {
        name: format!("{count} {} into a netting", kind.name()),
        body: SoftBody::joined(&bodies, config())?,
        frames,
    })
}

/// A stuffed body of a mesh, 0.1 m large, at a pose.
fn stuffed(mesh: &TriMesh, pose: &Pose, config: SoftConfig) -> anyhow::Result<SoftBody> {
    let (center, scale) = (
        mesh.bounds().center(),
        0.05 / mesh.bounds().half_extent().max_element(),
    );
    let points = mesh.positions().iter();
    let placed = points.map(|&p| *pose * ((p - center) * scale));
    let mesh = TriMesh::new(placed.collect(), mesh.faces().to_vec())?;
    Ok(SoftBody::stuffed(&mesh, &StuffedDesc::default(), config)?)
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
            falls.push(into_netting(Fallen::Bunnies, count, 5, 90)?);
        }
        falls.push(into_netting(Fallen::Gloves, 50, 5, 90)?);
    } else {
        falls.push(into_netting(Fallen::Bunnies, 5, 3, 30)?);
        falls.push(into_netting(Fallen::Gloves, 5, 4, 30)?);
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

/// A bunny and a glove thrown at a netting that nothing holds: the momentum of all.
fn momentum(bars: &mut Bars) -> anyhow::Result<()> {
    let config = SoftConfig {
        gravity: DVec3::ZERO,
        drag: 0.0,
        ..config()
    };
    let (net, _) = netting()?;
    let mut bodies = vec![net];
    for (kind, x, seed) in [(Fallen::Bunnies, -0.1, 1), (Fallen::Gloves, 0.1, 2)] {
        let place = Pose::from_translation([x, 0.0, 0.12])?;
        let mut body = stuffed(&kind.mesh(4, seed)?, &place, config)?;
        let count = body.positions().len();
        body.set_velocities(&vec![DVec3::new(-2.0 * x, 0.0, -1.0); count])?;
        bodies.push(body);
    }
    let mut all = SoftBody::joined(&bodies, config)?;
    let before = all.momentum();
    let (mut contacts, mut held) = (0, 0);
    for _ in 0..30 {
        let report = all.step(1.0 / 120.0)?;
        contacts += report.contacts;
        held += report.held;
    }
    // What the last resort holds loses its momentum; then nothing is measured.
    let lost = (all.momentum() - before).length() / before.length();
    let measured = (contacts > 0 && held == 0).then_some(lost);
    bars.say(
        Bar::at_most(measured, 1e-10),
        format_args!(
            "momentum kept by a bunny, a glove and a netting over {contacts} contacts, to 1e-10 ({lost:.1e}, {held} particles held)"
        ),
    );
    Ok(())
}
