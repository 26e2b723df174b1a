//! Two animations with simple motion of our own, a cloth that falls over a round table and a body that walks; and recorded scenes as animations.

use std::f64::consts::{PI, TAU};

use anyhow::Context;
use impinge::{DVec3, TriMesh, generate};

/// Key frames of one mesh. Whoever has better ones can have them measured too.
#[derive(Clone, Debug)]
pub(crate) struct Animation {
    pub(crate) name: String,
    pub(crate) faces: Vec<[u32; 3]>,
    /// Places of all vertices, one second for each `keys_per_second`.
    pub(crate) frames: Vec<Vec<DVec3>>,
}

impl Animation {
    pub(super) fn new(name: &str, parts: &[TriMesh], frames: Vec<Vec<DVec3>>) -> Self {
        let mut faces = Vec::new();
        let mut first = 0;
        for part in parts {
            faces.extend(part.faces().iter().map(|f| f.map(|v| v + first)));
            first += part.vertex_count() as u32;
        }
        Self {
            name: name.to_owned(),
            faces,
            frames,
        }
    }
}

/// Frames of a recorded scene from key to key: thirty keys a second of sixty frames.
const FRAMES_PER_KEY: usize = 2;

/// A scene that the solver of [`crate::scenes`] recorded, every second frame a key.
pub(super) fn recorded(name: &str, is_small: bool) -> anyhow::Result<Animation> {
    let all = crate::scenes::all();
    let scene = all
        .iter()
        .find(|scene| scene.text() == name)
        .with_context(|| format!("no scene is called {name}"))?;
    let sequence = crate::scenes::load(scene, is_small)?;
    anyhow::ensure!(
        sequence.topologies.len() == 1,
        "{name}: its faces change, so it has no plan"
    );
    let frames: Vec<Vec<DVec3>> = sequence
        .frames
        .iter()
        .step_by(FRAMES_PER_KEY)
        .cloned()
        .collect();
    anyhow::ensure!(frames.len() >= 2, "{name}: too few frames");
    Ok(Animation {
        name: format!("{name}, recorded"),
        faces: sequence.topology(0).faces.clone(),
        frames,
    })
}

/// Goes from 0 to 1, slowly at both ends.
pub(super) fn ease(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A square cloth of two metres, falling over a round table of 1.2 metres. Thirty keys a second.
pub(crate) fn tablecloth(faces: usize, keys: usize) -> anyhow::Result<Animation> {
    let columns = ((faces as f64 / 2.0).sqrt().round() as u32).max(2);
    let cloth = generate::cloth(columns, columns)?;
    let table = generate::cylinder(0.6, 0.04, 48, 1)?;
    let radius = 0.6;
    let frames = (0..keys)
        .map(|key| {
            let time = key as f64 / 30.0;
            let landing = 0.2;
            let height = (4.905 * (landing * landing - time.min(landing).powi(2))).max(0.0);
            let hang = ease((time - landing) / 0.9);
            let swing = (time - landing).max(0.0);
            let draped = cloth.positions().iter().map(|&p| {
                let p = 2.0 * p;
                let away = p.truncate().length();
                if away <= radius {
                    return DVec3::new(p.x, p.y, height + 0.03);
                }
                let (over, along) = (away - radius, p.truncate() / away);
                let round = p.y.atan2(p.x);
                let lean = 0.5 * PI * 0.92 * hang + 0.05 * (6.0 * swing).sin() * hang;
                let fold = 0.22 * hang * over * (8.0 * round + 0.5 * (3.0 * swing).sin()).sin();
                let reach = radius + over * lean.cos() + fold;
                let down = over * lean.sin();
                DVec3::new(along.x * reach, along.y * reach, height + 0.03 - down)
            });
            draped.chain(table.positions().iter().copied()).collect()
        })
        .collect();
    Ok(Animation::new("tablecloth", &[cloth, table], frames))
}

/// A part of the body: an ellipsoid with a joint in its middle, hung at a point.
pub(super) struct Limb {
    pub(super) mesh: TriMesh,
    pub(super) half: DVec3,
    pub(super) hung_at: DVec3,
    /// Largest swing about the point it hangs from, phase of it, largest bend of the joint.
    pub(super) swing: f64,
    pub(super) phase: f64,
    pub(super) bend: f64,
}

/// A turn about the y axis.
pub(super) fn pitched(p: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    DVec3::new(cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x)
}

impl Limb {
    fn place(&self, p: DVec3, time: f64) -> DVec3 {
        let turn = TAU * time + self.phase;
        let mut p = p * self.half;
        // The lower half bends about the middle, softly.
        let share = ease(0.5 - 2.0 * p.z / self.half.z);
        p = pitched(p, self.bend * share * 0.5 * (1.0 + turn.sin()));
        p.z -= self.half.z;
        let stride = DVec3::new(1.4 * time, 0.0, 0.02 * (2.0 * TAU * time).sin());
        self.hung_at + stride + pitched(p, self.swing * turn.sin())
    }
}

/// A walking body of seven ellipsoids with joints, in a shirt; one second, thirty keys. No part touches another when it begins.
pub(crate) fn avatar(faces: usize, keys: usize) -> anyhow::Result<Animation> {
    let unit = |share: f64| {
        let count = faces as f64 * share;
        // 2 · segments · (bands - 1) faces, with half as many bands as segments.
        let segments = (count.sqrt().ceil() as u32 + 1).max(8);
        generate::ball(1.0, segments, segments / 2 + 1)
    };
    let limb = |share, half: [f64; 3], at: [f64; 3], swing, phase, bend| -> anyhow::Result<Limb> {
        Ok(Limb {
            mesh: unit(share)?,
            half: DVec3::from_array(half),
            hung_at: DVec3::from_array(at),
            swing,
            phase,
            bend,
        })
    };
    let limbs = [
        limb(0.24, [0.11, 0.17, 0.32], [0.0, 0.0, 1.5], 0.04, 0.0, 0.06)?,
        limb(0.08, [0.10, 0.08, 0.12], [0.0, 0.0, 1.78], 0.05, 1.0, 0.0)?,
        limb(0.12, [0.05, 0.05, 0.33], [0.0, 0.30, 1.5], 0.4, 0.0, 0.5)?,
        limb(0.12, [0.05, 0.05, 0.33], [0.0, -0.30, 1.5], 0.4, PI, 0.5)?,
        limb(0.14, [0.08, 0.08, 0.42], [0.0, 0.10, 0.83], 0.35, PI, -0.6)?,
        limb(
            0.14,
            [0.08, 0.08, 0.42],
            [0.0, -0.10, 0.83],
            0.35,
            0.0,
            -0.6,
        )?,
    ];
    let sides = ((faces as f64 * 0.16 / 2.0).sqrt().ceil() as u32).max(8);
    let shirt = generate::cloth(sides, sides)?;
    let torso = &limbs[0];
    let mut parts: Vec<TriMesh> = limbs.iter().map(|l| l.mesh.clone()).collect();
    parts.push(shirt);
    let shirt = parts.last().context("a shirt")?;
    let frames = (0..keys)
        .map(|key| {
            let time = key as f64 / 30.0;
            let body = limbs
                .iter()
                .flat_map(|l| l.mesh.positions().iter().map(move |&p| l.place(p, time)));
            let worn = shirt.positions().iter().map(|p| {
                // Open at one side, a little wider than the torso, and it ripples.
                let (angle, height) = ((p.x + 0.5) * 0.97 * TAU, 1.2 * p.y);
                let ripple = 0.02 * (6.0 * angle + 5.0 * time).sin() * (0.6 - height);
                let wide = 1.15 + ripple;
                torso.place(
                    DVec3::new(wide * angle.cos(), wide * angle.sin(), height),
                    time,
                )
            });
            body.chain(worn).collect()
        })
        .collect();
    Ok(Animation::new("avatar", &parts, frames))
}
