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

/// What happened in a fall.
struct Played {
    /// Milliseconds of the frames, ascending.
    times: Vec<f64>,
    contacts: u64,
    held: u64,
    /// Frames with a crossing.
    crossed: u64,
}

impl Played {
    /// The time that this part of the frames does not exceed.
    fn at(&self, part: f64) -> f64 {
        let last = self.times.len().saturating_sub(1);
        let index = (part * last as f64).round() as usize;
        self.times.get(index).copied().unwrap_or(f64::NAN)
    }
}

impl Fall {
    /// Plays all frames, each checked for crossings.
    fn play(&mut self) -> anyhow::Result<Played> {
        let mut played = Played {
            times: Vec::new(),
            contacts: 0,
            held: 0,
            crossed: 0,
        };
        for _ in 0..self.frames {
            let start = std::time::Instant::now();
            let report = self.body.step(1.0 / 60.0)?;
            played.times.push(start.elapsed().as_secs_f64() * 1e3);
            played.contacts += report.contacts;
            played.held += report.held;
            played.crossed += u64::from(crossings(&self.body) > 0);
        }
        played.times.sort_by(f64::total_cmp);
        Ok(played)
    }
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

/// Cloths of three sizes on a ball, with self-contact, on one thread: how a frame of two substeps grows with the faces.
fn scaling(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    println!(
        "cloth on a ball with self-contact, one thread, 2 substeps of 8 iterations a frame of 1/60 s"
    );
    let frames = if is_full { 240 } else { 60 };
    let mut wrong = 0;
    let mut largest = None;
    for cells in [32, 70, 100] {
        let desc = ClothDesc {
            cells: [cells; 2],
            size: [1.3; 2],
            height: 0.6,
            ..ClothDesc::default()
        };
        let config = SoftConfig {
            thickness: 8e-3,
            substeps: 2,
            parallel: false,
            ..SoftConfig::default()
        };
        let mut body = SoftBody::cloth(&desc, config)?;
        let place = Pose::from_translation([0.0, 0.0, 0.1])?;
        body.add_obstacle(&generate::icosphere(0.4, 10)?.placed(&place)?)?;
        let mut fall = Fall {
            name: String::new(),
            body,
            frames,
        };
        let played = fall.play()?;
        wrong += played.crossed;
        println!(
            "  {} faces: frame median {:.2} ms, 99 % {:.2} ms, largest {:.2} ms; {} contacts, {} held",
            fall.body.faces().len(),
            played.at(0.5),
            played.at(0.99),
            played.at(1.0),
            played.contacts,
            played.held
        );
        largest = Some(played.at(0.99));
    }
    bars.say(
        Bar::at_most(largest, 16.0),
        format_args!(
            "cloth of 20 000 faces with self-contact within 16 ms a frame, 99 % ({:.1} ms)",
            largest.unwrap_or(f64::NAN)
        ),
    );
    let all = 3 * u64::from(frames);
    bars.say(
        Bar::none_wrong(wrong, all),
        format_args!("no crossing in any of {all} frames of cloth on a ball ({wrong} with one)"),
    );
    Ok(())
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    scaling(is_full, bars)?;
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
        let played = fall.play()?;
        println!(
            "  {}, {} faces: {} frames, {} contacts, {} particles held, {} frames with a crossing; frame median {:.1} ms, largest {:.1} ms",
            fall.name,
            fall.body.faces().len(),
            fall.frames,
            played.contacts,
            played.held,
            played.crossed,
            played.at(0.5),
            played.at(1.0)
        );
        wrong += played.crossed;
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
