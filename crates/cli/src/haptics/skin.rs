//! A body whose skin breathes and waves.
//!
//! The index of an update takes longer than a tick, so a thread of its own builds it one update ahead.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use impinge::{DVec3, Pose, TriMesh};
use impinge_dynamics::Wrench;
use impinge_dynamics::proxy::{DeformingProxy, DeformingSurface};
use impinge_dynamics::session::{CustomRenderer, CustomStep};

use super::scene::FeltBody;

/// Nanoseconds of an update at 60 Hz.
const UPDATE_NS: u64 = 16_666_667;

/// The proxy on a skin that is updated sixty times a second.
#[derive(Debug)]
pub(super) struct Skin {
    /// The surfaces of the updates to come, in order.
    coming: Receiver<DeformingSurface>,
    surface: DeformingSurface,
    proxy: DeformingProxy,
    stiffness: f64,
    update: u64,
}

impl Skin {
    pub(super) fn new(body: &FeltBody, stiffness: f64, start: DVec3) -> anyhow::Result<Self> {
        let surface = surface(body, 0)?;
        let (send, coming) = sync_channel(2);
        let body = body.clone();
        std::thread::Builder::new()
            .name("skin".to_owned())
            .spawn(move || {
                // Ends when nobody feels the skin any more, or when a shape leaves the range: the formulas below give none.
                for update in 1.. {
                    let Ok(next) = self::surface(&body, update) else {
                        break;
                    };
                    if send.send(next).is_err() {
                        break;
                    }
                }
            })?;
        Ok(Self {
            proxy: DeformingProxy::new(&surface, stiffness, start)?,
            stiffness,
            coming,
            surface,
            update: 0,
        })
    }
}

/// Where the vertices are at an update.
fn shape(body: &FeltBody, update: u64) -> Vec<DVec3> {
    let t = update as f64 * UPDATE_NS as f64 * 1e-9;
    let size = body.mesh.bounds().half_extent().max_element().max(1e-9);
    let tau = std::f64::consts::TAU;
    let move_vertex = |p: &DVec3| {
        let wave = (3.0 * p.x / size + tau * t).sin() * (2.0 * p.y / size).cos();
        body.pose * (*p * (1.0 + body.breath * (0.6 * (tau * t).sin() + 0.4 * wave)))
    };
    body.mesh.positions().iter().map(move_vertex).collect()
}

fn surface(body: &FeltBody, update: u64) -> anyhow::Result<DeformingSurface> {
    let start = TriMesh::new(shape(body, update), body.mesh.faces().to_vec())?;
    Ok(DeformingSurface::new(
        Arc::new(start),
        shape(body, update + 1),
    )?)
}

impl CustomRenderer for Skin {
    fn stiffness(&self) -> Option<f64> {
        Some(self.stiffness)
    }

    fn render(&mut self, pose: &Pose, now_ns: u64) -> CustomStep {
        while now_ns > (self.update + 1) * UPDATE_NS {
            // To the end of this way first, so that the next one joins it.
            let _ = self.proxy.update(&self.surface, 1.0, pose.translation());
            self.update += 1;
            // Waits only where the thread is behind, so that a run is the same on every machine.
            if let Ok(next) = self.coming.recv() {
                self.surface = next;
                self.proxy.begin();
            }
        }
        let into = now_ns - self.update * UPDATE_NS;
        let part = into as f64 / UPDATE_NS as f64;
        let step = self.proxy.update(&self.surface, part, pose.translation());
        CustomStep {
            wanted: Wrench::from_force(step.force),
            proxy: Pose::new(*pose.rotation(), step.proxy).unwrap_or(*pose),
            contacts: step.contacts,
            crossed: step.crossed,
        }
    }
}
