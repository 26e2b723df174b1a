//! One scene on several devices.
//!
//! **Question.** How do devices share a frame without talking to each other?
//! **Idea.** Every device sorts and counts for itself, which is cheap and gives the same numbers
//! everywhere, since they are integers. The pairs along the axis, which are the work, are numbered: each
//! device takes an equal range of the numbers.
//! **Promise.** The answer of one device, for any number. Devices that count differently are an error.
//! **Limits.** One cluster: where several lie depends on how a device rounds. Shares are equal, so that
//! the slowest device decides.

use impinge::deform::{Auto, Scene, SceneAnswer, SceneEngine, SceneRequest};

use super::answer::{Found, answer};
use super::engine::{GpuOptions, GpuScene};
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
    failure: Option<GpuError>,
    cpu: Auto,
}

impl GpuFleet {
    /// On these backends.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] when there is none, [`GpuError::Option`], also for several clusters.
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
        if options.clusters != 1 {
            return Err(GpuError::Option {
                name: "clusters",
                value: u64::from(options.clusters),
                range: "1 on several devices",
            });
        }
        let count = backends.len();
        let mut engines = Vec::with_capacity(count);
        for (part, backend) in backends.into_iter().enumerate() {
            let mut engine = GpuScene::on(backend, options)?;
            engine.set_share(part, count);
            engines.push(engine);
        }
        Ok(Self {
            engines,
            failure: None,
            cpu: Auto::default(),
        })
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

    fn search(&mut self, scene: &Scene, request: &SceneRequest) -> Result<Found, GpuError> {
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
            if found.counters.axis_pairs != all.counters.axis_pairs {
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
                .map(|engine| scope.spawn(move || engine.search(scene, request)))
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
        .map(|engine| engine.search(scene, request))
        .collect()
}

impl SceneEngine for GpuFleet {
    fn name(&self) -> &'static str {
        "gpu-fleet"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        self.failure = None;
        match self.search(scene, request) {
            Ok(found) => answer(scene, request, found),
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

    /// That the CPU answered, and why; none if the devices did.
    fn reason(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        Some(format!("{failure}; the CPU answered"))
    }
}
