//! One scene on several devices, in parallel.
//!
//! **Question.** How do devices share a frame without communicating?
//! **Idea.** With one cluster, every device sorts and counts for itself, which is cheap and gives the same numbers
//! everywhere, since they are integers. The pairs along the axis, which are the work, are numbered: each
//! device takes an equal range of the numbers. With several clusters one device moves the centres and sends them to all; which clusters
//! a face joins is decided in integers, identically on all devices. Each device sweeps its own clusters, which are assigned by their
//! work in the last frame.
//! **Promise.** The same answer as one device, for any number of devices. A device that is lost during a frame is left out from then on,
//! and the others repeat the frame; when none is left, the CPU answers and says so.
//! **Limits.** More devices than clusters, of which there are at least two, leave some idle.

use impinge::deform::{Auto, Scene, SceneAnswer, SceneEngine, SceneRequest};

use super::answer::Found;
use super::engine::{GpuOptions, GpuScene};
use super::schedule::{ClusterWork, shared_out};
use crate::{Backend, GpuError};

/// Finds the pairs of a deforming scene on several devices at once.
///
/// ```
/// use impinge::deform::{BruteForce, Scene, SceneEngine};
/// use impinge::TriMesh;
/// use impinge_gpu::{Backend, GpuFleet};
/// let sheet = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let scene = Scene::new(&[sheet.clone(), sheet])?;
/// let mut fleet = GpuFleet::on(vec![Backend::twin(), Backend::twin()], Default::default())?;
/// let answer = fleet.pairs(&scene, &Default::default());
/// assert_eq!(answer.pairs, BruteForce::default().pairs(&scene, &Default::default()).pairs);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuFleet {
    engines: Vec<GpuScene>,
    /// Of each engine.
    speeds: Vec<f64>,
    clusters: u32,
    /// What the clusters took in the last frame.
    work: Vec<ClusterWork>,
    /// Which clusters each device swept.
    shares: Vec<Vec<usize>>,
    /// Devices that were lost, and why.
    lost: Vec<String>,
    failure: Option<GpuError>,
    cpu: Auto,
}

impl GpuFleet {
    /// On these backends.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] when there is none, [`GpuError::Option`].
    ///
    /// ```
    /// use impinge_gpu::{GpuError, GpuFleet};
    /// let none = GpuFleet::on(Vec::new(), Default::default());
    /// assert_eq!(none.err(), Some(GpuError::NoAdapter));
    /// ```
    pub fn on(backends: Vec<Backend>, options: GpuOptions) -> Result<Self, GpuError> {
        if backends.is_empty() {
            return Err(GpuError::NoAdapter);
        }
        let count = backends.len();
        let mut engines = Vec::with_capacity(count);
        for backend in backends {
            engines.push(GpuScene::on(backend, options)?);
        }
        Ok(Self {
            speeds: vec![1.0; count],
            engines,
            clusters: options.clusters,
            work: Vec::new(),
            shares: Vec::new(),
            lost: Vec::new(),
            failure: None,
            cpu: Auto::default(),
        })
    }

    /// How fast the devices are, beside each other; those that are missing or invalid count as 1. The answer is the same.
    ///
    /// ```
    /// use impinge_gpu::{Backend, GpuFleet};
    /// let mut fleet = GpuFleet::on(vec![Backend::twin(), Backend::twin()], Default::default())?;
    /// fleet.set_speeds(&[3.0, 1.0]);
    /// assert_eq!(fleet.speeds(), [3.0, 1.0]);
    /// # Ok::<(), impinge_gpu::GpuError>(())
    /// ```
    pub fn set_speeds(&mut self, speeds: &[f64]) {
        for (i, speed) in self.speeds.iter_mut().enumerate() {
            *speed = speeds.get(i).copied().unwrap_or(1.0);
        }
    }

    /// The assumed speeds of the devices.
    #[must_use]
    pub fn speeds(&self) -> &[f64] {
        &self.speeds
    }

    /// Measures how fast the devices are, each with the whole of a scene: the first frame warms up, the second counts.
    ///
    /// # Errors
    /// Those of a device.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn measure_speeds(&mut self, scene: &Scene) -> Result<(), GpuError> {
        let request = SceneRequest::default();
        for (engine, speed) in self.engines.iter_mut().zip(&mut self.speeds) {
            engine.set_share(0, 1);
            engine.own_clusters = u64::MAX;
            engine.centers_given = false;
            engine.search(scene, &request, None)?;
            let start = std::time::Instant::now();
            engine.search(scene, &request, None)?;
            *speed = 1.0 / start.elapsed().as_secs_f64().max(1e-9);
        }
        Ok(())
    }

    /// Which clusters each device swept in the last frame; empty with one cluster.
    #[must_use]
    pub fn shares(&self) -> &[Vec<usize>] {
        &self.shares
    }

    /// What each cluster took in the last frame; empty with one cluster.
    #[must_use]
    pub fn cluster_work(&self) -> &[ClusterWork] {
        &self.work
    }

    /// The devices that were lost, and why.
    #[must_use]
    pub fn lost(&self) -> &[String] {
        &self.lost
    }

    /// The engine of each device.
    #[must_use]
    pub fn engines(&self) -> &[GpuScene] {
        &self.engines
    }

    /// Makes a device unusable, as a driver may at any time. For tests of the fallback.
    pub fn lose_device(&mut self, number: usize) {
        if let Some(engine) = self.engines.get_mut(number) {
            engine.lose_device();
        }
    }

    /// Loses a device after this many kernels more: in the middle of a frame.
    pub fn lose_device_after(&mut self, number: usize, kernels: u64) {
        if let Some(engine) = self.engines.get_mut(number) {
            engine.lose_device_after(kernels);
        }
    }

    /// What all devices find; a frame is done again without those that are lost in it.
    fn search(&mut self, scene: &Scene, request: &SceneRequest) -> Result<Found, GpuError> {
        loop {
            let attempt = self.attempt(scene, request);
            let before = self.engines.len();
            let mut speeds = self.speeds.iter().copied();
            let mut kept = Vec::new();
            let lost = &mut self.lost;
            self.engines.retain(|engine| {
                let speed = speeds.next().unwrap_or(1.0);
                let is_lost = matches!(engine.failure, Some(GpuError::DeviceLost(_)));
                if is_lost && let Some(failure) = &engine.failure {
                    lost.push(format!("{}: {failure}", engine.backend().name()));
                } else {
                    kept.push(speed);
                }
                !is_lost
            });
            self.speeds = kept;
            match attempt {
                Err(_) if !self.engines.is_empty() && self.engines.len() < before => {}
                done => return done,
            }
        }
    }

    fn attempt(&mut self, scene: &Scene, request: &SceneRequest) -> Result<Found, GpuError> {
        let count = self.engines.len();
        if count == 0 {
            let what = self.lost.join(", ");
            return Err(GpuError::DeviceLost(what));
        }
        if self.clusters == 1 {
            for (part, engine) in self.engines.iter_mut().enumerate() {
                engine.set_share(part, count);
            }
            return self.merged(scene, request, true);
        }
        let ended = self.share_clusters(scene);
        if let Err(error) = ended {
            for engine in &mut self.engines {
                engine.end_frame();
            }
            return Err(error);
        }
        let found = self.merged(scene, request, false)?;
        let clusters = (self.engines.iter())
            .map(|engine| engine.cluster_faces.len())
            .max();
        self.work = (0..clusters.unwrap_or(0))
            .map(|cluster| ClusterWork {
                faces: most(&self.engines, |engine| engine.cluster_faces.get(cluster)),
                pairs: most(&self.engines, |engine| engine.cluster_pairs.get(cluster)),
            })
            .collect();
        Ok(found)
    }

    /// Moves the centres on the first device, and gives each its clusters.
    fn share_clusters(&mut self, scene: &Scene) -> Result<(), GpuError> {
        let mut centers = Vec::new();
        if let Some(first) = self.engines.first_mut() {
            centers = first.begin(scene).inspect_err(|error| {
                first.give_up(error.clone());
            })?;
        }
        let clusters = (centers.len() / 4).max(1);
        let mut amounts: Vec<f64> = self.work.iter().map(ClusterWork::amount).collect();
        amounts.resize(clusters, 1.0);
        self.shares = shared_out(&amounts, &self.speeds);
        for (engine, own) in self.engines.iter_mut().zip(&self.shares) {
            let own = own.iter().fold(0, |mask, &cluster| mask | 1_u64 << cluster);
            let taken = engine.take_clusters(scene, &centers, own);
            taken.inspect_err(|error| engine.give_up(error.clone()))?;
        }
        Ok(())
    }

    /// What all devices find; with `is_same`, all must count the same pairs along the axis.
    fn merged(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        is_same: bool,
    ) -> Result<Found, GpuError> {
        let mut all = Found::default();
        for (i, found) in on_each(&mut self.engines, scene, request)
            .into_iter()
            .enumerate()
        {
            let found = found?;
            if i == 0 {
                all = found;
                continue;
            }
            if !is_same {
                all.counters.axis_pairs += found.counters.axis_pairs;
                all.counters.entries += found.counters.entries;
                all.counters.boxes += found.counters.boxes;
                all.counters.sort_moves += found.counters.sort_moves;
            } else if found.counters.axis_pairs != all.counters.axis_pairs {
                return Err(GpuError::DeviceLost(format!(
                    "devices count {} and {} pairs",
                    all.counters.axis_pairs, found.counters.axis_pairs
                )));
            }
            all.pairs.extend(found.pairs);
            all.counters.candidates += found.counters.candidates;
            all.counters.separated += found.counters.separated;
            all.counters.exact_tests += found.counters.exact_tests;
            all.counters.hits += found.counters.hits;
        }
        Ok(all)
    }
}

/// The largest of what engines noted: only one of them swept a cluster.
fn most<'e>(engines: &'e [GpuScene], of: impl Fn(&'e GpuScene) -> Option<&'e u64>) -> u64 {
    engines.iter().filter_map(of).copied().max().unwrap_or(0)
}

/// What each engine finds, by number; with a thread for each where there are threads.
fn on_each(
    engines: &mut [GpuScene],
    scene: &Scene,
    request: &SceneRequest,
) -> Vec<Result<Found, GpuError>> {
    #[cfg(not(target_arch = "wasm32"))]
    if engines.len() > 1 {
        return std::thread::scope(|scope| {
            let threads: Vec<_> = engines
                .iter_mut()
                .map(|engine| scope.spawn(move || engine.search(scene, request, None)))
                .collect();
            let ended = || Err(GpuError::DeviceLost("its thread ended".into()));
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|_| ended())
            };
            threads.into_iter().map(join).collect()
        });
    }
    engines
        .iter_mut()
        .map(|engine| engine.search(scene, request, None))
        .collect()
}

impl SceneEngine for GpuFleet {
    fn name(&self) -> &'static str {
        "gpu-fleet"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        self.failure = None;
        match self.search(scene, request) {
            Ok(found) => found.answer(scene, request),
            Err(error) => {
                self.failure = Some(error);
                self.cpu.pairs(scene, request)
            }
        }
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        self.failure = None;
        match self.search(scene, request) {
            Ok(found) => !found.pairs.is_empty(),
            Err(error) => {
                self.failure = Some(error);
                self.cpu.any(scene, request)
            }
        }
    }

    /// That devices were lost, and that the CPU answered, and why; none if all devices did.
    fn reason(&self) -> Option<String> {
        match &self.failure {
            Some(failure) => Some(format!("{failure}; the CPU answered")),
            None if !self.lost.is_empty() => Some(format!(
                "{}; the other devices answered",
                self.lost.join(", ")
            )),
            None => None,
        }
    }
}
