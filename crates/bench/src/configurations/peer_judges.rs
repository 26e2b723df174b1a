//! Other engines as a check of configurations: a peer's runner for distances, Manifold's boolean
//! for volumes.
//!
//! They share no line with what made the files, so that a mistake of ours cannot confirm itself. They round, too: each is granted the error that its
//! own precision explains, and no more.

use std::path::PathBuf;

use impinge::{Pose, TriMesh};

use super::pairs::Meshes;
use super::sampling::Kind;
use super::scene::ModelPairScene;
use crate::engines::Engine;
use crate::manifold::Manifold;
use crate::own_runners;
use crate::pair_measurement::scratch;
use crate::runner::{QUERY_LIMIT, Runner, RunnerReply};

/// Poses a runner gets before it is started anew, since it keeps all of them.
const MOST_POSES: usize = 20_000;
/// A peer that left so many questions unanswered is queried no more.
const MOST_UNANSWERED: usize = 10;
/// What a boolean in double precision may be off, as a part of A's volume.
const VOLUME_ROUNDING: f64 = 1e-9;

/// A peer on one pair of models, for one thread.
pub(super) struct PeerJudge {
    distances: Runner,
    volumes: Option<Manifold>,
    engine: Engine,
    folder: PathBuf,
    /// The largest coordinate, by which distances are rounded.
    size: f64,
    told: usize,
    unanswered: usize,
}

impl PeerJudge {
    /// Starts what a kind of file needs: volumes of nothing need distances, too.
    ///
    /// # Errors
    /// A peer that cannot be started.
    pub(super) fn start(engine: &Engine, meshes: &Meshes, kind: Kind) -> anyhow::Result<Self> {
        let folder = scratch()?;
        let volumes = (kind == Kind::Volume)
            .then(|| Manifold::start([&meshes.a, &meshes.b], &folder))
            .transpose()?;
        let distances = started(engine, meshes, &folder)?;
        Ok(Self {
            distances,
            volumes,
            engine: engine.clone(),
            folder,
            size: reach(&meshes.a) + 2.0 * reach(&meshes.b),
            told: 0,
            unanswered: 0,
        })
    }

    /// The distance; none when the peer does not answer.
    pub(super) fn distance(&mut self, scene: &ModelPairScene, pose: &Pose) -> Option<f64> {
        if self.is_given_up() {
            return None;
        }
        if self.told >= MOST_POSES {
            self.distances = started(&self.engine, &scene.meshes, &self.folder).ok()?;
            self.told = 0;
        }
        self.told += 1;
        let index = self.distances.pose(pose);
        match self.distances.ask("distance", 0.0, index, 1, false) {
            RunnerReply::Answer { value, .. } => Some(value),
            RunnerReply::Unsupported | RunnerReply::TimedOut | RunnerReply::Died => {
                self.unanswered += 1;
                None
            }
        }
    }

    /// The shared volume; none when the peer does not answer.
    pub(super) fn volume(&mut self, pose: &Pose) -> Option<f64> {
        if self.is_given_up() {
            return None;
        }
        let found = self.volumes.as_mut()?.volume(pose);
        if let Err(error) = &found {
            eprintln!("manifold: {error:#}");
            self.unanswered += 1;
        }
        Some(found.ok()?.0)
    }

    /// What its figures may be off, as parts of the unit: distances, volumes.
    pub(super) fn rooms(&self, scene: &ModelPairScene) -> [f64; 2] {
        let rounding = self.distances.precision.distance_rounding();
        [rounding * self.size / scene.diagonal, VOLUME_ROUNDING]
    }

    fn is_given_up(&self) -> bool {
        self.unanswered >= MOST_UNANSWERED
    }
}

impl Drop for PeerJudge {
    fn drop(&mut self) {
        // Only our own files are in it; what cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn started(engine: &Engine, meshes: &Meshes, folder: &std::path::Path) -> anyhow::Result<Runner> {
    let files = [folder.join("a.mesh"), folder.join("b.mesh")];
    own_runners::write(&files[0], &meshes.a)?;
    own_runners::write(&files[1], &meshes.b)?;
    Runner::start(engine, [&files[0], &files[1]], 1, QUERY_LIMIT)
}

/// The largest coordinate of a mesh.
fn reach(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    bounds.min.abs().max(bounds.max.abs()).max_element()
}
