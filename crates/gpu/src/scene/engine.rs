//! The GPU engine: options, buffers that stay on the device, and the fallback to the CPU.

use impinge::deform::clustering::PrincipalCurve;
use impinge::deform::{Auto, Scene, SceneAnswer, SceneEngine, SceneRequest};

use super::answer::Found;
use super::c_means::MAX_CLUSTERS;
use super::frame::{Ends, Prepared, first_centers};
use super::principal_axes::{FIXED, direction_words};
use super::range::{MAX_KEPT, MAX_RANGE, whole_groups};
use crate::{Backend, Buffer, Devices, GpuError, Grid, Traffic};

/// Options of a [`GpuScene`].
///
/// ```
/// use impinge_gpu::scene::GpuOptions;
/// assert_eq!(GpuOptions::default().clusters, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    /// Clusters, each with a sweep of its own: 1 to 64. Fewer when there are fewer different centroids.
    pub clusters: u32,
    /// Whether clusters are the segments of a principal curve, and not those of fuzzy c-means.
    pub curve: bool,
    /// Faces so many times larger than the median are cut into pieces for clusters and sweep; none for never.
    pub subdivide_above: Option<u32>,
    /// Pairs along the axis for which there is room at first.
    pub pair_capacity: u32,
    /// Candidates for which there is room at first.
    pub candidate_capacity: u32,
    /// Pairs that meet or are unsure for which there is room at first.
    pub result_capacity: u32,
    /// Pairs along the axis that are culled at once, at most 2^27; rounded up to whole workgroups.
    pub range: u32,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self {
            clusters: 1,
            curve: false,
            subdivide_above: None,
            pair_capacity: 1 << 16,
            candidate_capacity: 1 << 13,
            result_capacity: 1 << 10,
            range: MAX_RANGE as u32,
        }
    }
}

/// Statistics of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameReport {
    /// Kernels, readbacks and bytes, repetitions included.
    pub traffic: Traffic,
    /// How often a list was too small and the work was repeated.
    pub growths: u32,
    /// Ranges of pairs that were culled one after the other.
    pub ranges: u32,
    /// Candidates that the filter left to the exact test.
    pub unsure: u64,
    /// Pieces that were swept in place of the faces; 0 where no face was cut.
    pub pieces: u64,
}

/// Data that stays on the device while the faces do not change.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) objects: Vec<u32>,
    pub(super) vertices: usize,
    pub(super) positions: Buffer,
    pub(super) face_words: Buffer,
    pub(super) entries: Buffer,
    pub(super) entry_sums: Buffer,
    pub(super) directions: Buffer,
    /// Three coordinates and the objective of each cluster.
    pub(super) centers: Buffer,
    pub(super) clusters: u32,
    /// Whether there is room for the positions at the end of a step.
    pub(super) has_ends: bool,
    pub(super) curve: Option<PrincipalCurve>,
    /// Whether the centres have moved at least once.
    pub(super) is_warm: bool,
    /// The axes of the last frame; none before the first.
    pub(super) axes: Vec<[[i32; 3]; 3]>,
    /// Frames until the sweep axis is chosen again.
    pub(super) until_choice: u32,
}

/// Finds the pairs of a deforming scene on a card.
///
/// ```
/// use impinge::deform::{BruteForce, Scene, SceneEngine};
/// use impinge::TriMesh;
/// use impinge_gpu::{Backend, GpuScene};
/// let sheet = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let wall = TriMesh::from_points([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [9.0, 9.0, 0.0]], [[0, 1, 2]])?;
/// let scene = Scene::new(&[sheet, wall])?;
/// let mut engine = GpuScene::on(Backend::twin(), Default::default())?;
/// let answer = engine.pairs(&scene, &Default::default());
/// assert_eq!(answer.pairs, BruteForce::default().pairs(&scene, &Default::default()).pairs);
/// assert_eq!(answer.pairs.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuScene {
    pub(super) backend: Backend,
    pub(super) resident: Option<Resident>,
    /// Freed when the frame ends, however it ends.
    pub(super) scratch: Vec<Buffer>,
    pub(super) clusters: u32,
    pub(super) has_curve: bool,
    pub(super) subdivide_above: Option<u32>,
    /// Whether boxes over a step are swept, and candidates are the answer.
    pub(super) is_step: bool,
    /// The clusters that this engine sweeps, as bits.
    pub(super) own_clusters: u64,
    /// Whether another engine moves the centres.
    pub(super) centers_given: bool,
    /// What a frame that was begun by [`GpuScene::begin`] goes on with.
    pub(super) prepared: Option<Prepared>,
    /// Per cluster, in the last frame: pairs that overlap along the sweep axis, and faces.
    pub(super) cluster_pairs: Vec<u64>,
    pub(super) cluster_faces: Vec<u64>,
    /// Which part of the pairs is this engine's, of how many.
    pub(super) share: [u64; 2],
    pub(super) entry_capacity: u64,
    pub(super) max_range: u64,
    pub(super) pair_capacity: u64,
    pub(super) candidate_capacity: u64,
    pub(super) result_capacity: u64,
    pub(super) report: FrameReport,
    /// The traffic before a frame that was begun.
    before_frame: Traffic,
    /// The error that ended the use of the device.
    pub(super) failure: Option<GpuError>,
    pub(super) cpu: Auto,
}

impl GpuScene {
    /// On the first device.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] where there is none; a CPU never answers in its place unasked.
    ///
    /// ```
    /// use impinge_gpu::{GpuError, GpuScene};
    /// match GpuScene::new(Default::default()) {
    ///     Ok(engine) => assert!(engine.backend().is_device()),
    ///     Err(error) => assert_eq!(error, GpuError::NoAdapter),
    /// }
    /// ```
    pub fn new(options: GpuOptions) -> Result<Self, GpuError> {
        Self::on(Backend::on(Devices::all()?.open(0)?), options)
    }

    /// On this backend.
    ///
    /// # Errors
    /// [`GpuError::Option`].
    ///
    /// ```
    /// use impinge_gpu::{scene::GpuOptions, Backend, GpuScene};
    /// let none = GpuOptions { clusters: 0, ..GpuOptions::default() };
    /// assert!(GpuScene::on(Backend::twin(), none).is_err());
    /// ```
    pub fn on(backend: Backend, options: GpuOptions) -> Result<Self, GpuError> {
        let refused = |name, value: u32, range| GpuError::Option {
            name,
            value: u64::from(value),
            range,
        };
        if !(1..=MAX_CLUSTERS).contains(&options.clusters) {
            return Err(refused("clusters", options.clusters, "1 to 64"));
        }
        for (name, value) in [
            ("pair_capacity", options.pair_capacity),
            ("candidate_capacity", options.candidate_capacity),
            ("result_capacity", options.result_capacity),
            ("range", options.range),
        ] {
            if value == 0 {
                return Err(refused(name, value, "at least 1"));
            }
        }
        Ok(Self {
            backend,
            resident: None,
            scratch: Vec::new(),
            clusters: options.clusters,
            has_curve: options.curve,
            subdivide_above: options.subdivide_above,
            is_step: false,
            own_clusters: u64::MAX,
            centers_given: false,
            prepared: None,
            cluster_pairs: Vec::new(),
            cluster_faces: Vec::new(),
            share: [0, 1],
            entry_capacity: 0,
            max_range: whole_groups(u64::from(options.range)),
            pair_capacity: whole_groups(u64::from(options.pair_capacity.min(options.range))),
            candidate_capacity: u64::from(options.candidate_capacity).min(MAX_KEPT),
            result_capacity: u64::from(options.result_capacity).min(MAX_KEPT),
            report: FrameReport::default(),
            before_frame: Traffic::default(),
            failure: None,
            cpu: Auto::default(),
        })
    }

    /// Answers for one part of the pairs of this many.
    pub(super) fn set_share(&mut self, part: usize, of: usize) {
        self.share = [part as u64, of as u64];
    }

    /// Begins a frame whose clusters are shared: moves the centres and gives them.
    pub(super) fn begin(&mut self, scene: &Scene) -> Result<Vec<u32>, GpuError> {
        self.is_usable()?;
        self.centers_given = false;
        self.before_frame = self.backend.traffic();
        self.prepared = self.prepare(scene, None)?;
        let Some(held) = &self.resident else {
            return Ok(Vec::new());
        };
        let (centers, words) = (held.centers, 4 * held.clusters as usize);
        if held.clusters == 1 {
            return Ok(Vec::new());
        }
        self.backend.read(centers, 0..words)
    }

    /// Goes on with these centres and sweeps these clusters.
    pub(super) fn take_clusters(
        &mut self,
        scene: &Scene,
        centers: &[u32],
        own: u64,
    ) -> Result<(), GpuError> {
        self.is_usable()?;
        self.own_clusters = own;
        if self.prepared.is_none() {
            self.centers_given = true;
            self.before_frame = self.backend.traffic();
            self.prepared = self.prepare(scene, None)?;
            if let Some(held) = &self.resident
                && !centers.is_empty()
            {
                let buffer = held.centers;
                self.backend.write(buffer, centers)?;
            }
        }
        Ok(())
    }

    /// A lost device stays lost; a scene that was too large may be followed by a smaller one.
    fn is_usable(&self) -> Result<(), GpuError> {
        match &self.failure {
            Some(GpuError::DeviceLost(what)) => Err(GpuError::DeviceLost(what.clone())),
            _ => Ok(()),
        }
    }

    /// Notes that the CPU answered, and why.
    pub(super) fn said(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        Some(format!("{failure}; the CPU answered"))
    }

    /// Where it runs.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Makes the device unusable, as a driver may at any time. For tests of the fallback.
    pub fn lose_device(&mut self) {
        self.backend.lose();
    }

    /// Loses the device after this many kernels more: in the middle of a frame.
    pub fn lose_device_after(&mut self, kernels: u64) {
        self.backend.lose_after(kernels);
    }

    /// Refuses to hold more than this many words on the device; none for no limit.
    pub fn limit_memory(&mut self, words: Option<u64>) {
        self.backend.limit_memory(words);
    }

    /// Pairs along the axis of each cluster in the last frame; empty with one cluster.
    #[must_use]
    pub fn cluster_pairs(&self) -> &[u64] {
        &self.cluster_pairs
    }

    /// Statistics of the last frame; all 0 if the CPU answered.
    #[must_use]
    pub fn last_frame(&self) -> FrameReport {
        self.report
    }

    pub(super) fn buffer(&mut self, words: usize) -> Result<Buffer, GpuError> {
        let buffer = self.backend.alloc(words)?;
        self.scratch.push(buffer);
        Ok(buffer)
    }

    /// Uploads the data that does not change from frame to frame.
    pub(super) fn settle(
        &mut self,
        scene: &Scene,
        grid: &Grid,
        has_ends: bool,
    ) -> Result<(), GpuError> {
        let vertices = scene.positions().len();
        if let Some(held) = &self.resident
            && held.vertices == vertices
            && held.has_ends == has_ends
            && held.faces == scene.faces()
            && held.objects == scene.objects_of_faces()
        {
            return Ok(());
        }
        if let Some(old) = self.resident.take() {
            for buffer in old.buffers() {
                self.backend.free(buffer);
            }
        }
        let objects = scene.objects_of_faces();
        let faces = scene.faces().iter().zip(objects);
        let words: Vec<u32> = faces
            .flat_map(|(&[a, b, c], &object)| [a, b, c, object])
            .collect();
        let count = objects.len() as u32;
        let centers = if self.clusters > 1 {
            first_centers(scene, grid, self.clusters as usize)
        } else {
            Vec::new()
        };
        let clusters = (centers.len() / 4).max(1);
        let backend = &mut self.backend;
        let entries: Vec<u32> = if clusters == 1 {
            (0..count).flat_map(|face| [face, 0]).collect()
        } else {
            Vec::new()
        };
        let axes = direction_words(&vec![FIXED; clusters], 0);
        self.entry_capacity = u64::from(count) + u64::from(count) / 16;
        self.resident = Some(Resident {
            positions: backend.alloc(if has_ends { 6 } else { 3 } * vertices)?,
            face_words: backend.upload(&words)?,
            entries: backend.upload(&entries)?,
            entry_sums: backend.upload(&[count, 0])?,
            directions: backend.upload(&axes)?,
            centers: backend.upload(if centers.is_empty() {
                &[0; 4]
            } else {
                &centers
            })?,
            clusters: clusters as u32,
            has_ends,
            curve: None,
            is_warm: false,
            axes: Vec::new(),
            until_choice: 0,
            faces: scene.faces().to_vec(),
            objects: objects.to_vec(),
            vertices,
        });
        Ok(())
    }

    pub(super) fn search(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        ends: Option<Ends<'_>>,
    ) -> Result<Found, GpuError> {
        self.is_usable()?;
        self.failure = None;
        let before = if self.prepared.is_some() {
            self.before_frame
        } else {
            self.backend.traffic()
        };
        self.report = FrameReport::default();
        let found = self.frame(scene, request, ends);
        self.end_frame();
        self.report.traffic = self.backend.traffic().since(&before);
        if let Err(error) = &found {
            self.give_up(error.clone());
        }
        found
    }

    /// Frees the buffers of a frame, however it ended.
    pub(super) fn end_frame(&mut self) {
        self.prepared = None;
        for buffer in std::mem::take(&mut self.scratch) {
            self.backend.free(buffer);
        }
    }

    /// Notes an error. What is on the device is given back: it may be in any state, and memory may be what is missing.
    pub(super) fn give_up(&mut self, error: GpuError) {
        self.end_frame();
        self.report = FrameReport::default();
        if let Some(old) = self.resident.take() {
            for buffer in old.buffers() {
                self.backend.free(buffer);
            }
        }
        self.failure = Some(error);
    }
}

impl Resident {
    fn buffers(&self) -> [Buffer; 6] {
        [
            self.positions,
            self.face_words,
            self.entries,
            self.entry_sums,
            self.directions,
            self.centers,
        ]
    }
}

impl SceneEngine for GpuScene {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        match self.search(scene, request, None) {
            Ok(found) => found.answer(scene, request),
            Err(_) => self.cpu.pairs(scene, request),
        }
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        match self.search(scene, request, None) {
            Ok(found) => !found.pairs.is_empty(),
            Err(_) => self.cpu.any(scene, request),
        }
    }

    /// That the CPU answered, and why; `None` while the card answers.
    fn reason(&self) -> Option<String> {
        self.said()
    }
}
