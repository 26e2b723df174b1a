//! The clustering engine: cluster, assign, sort, sweep, decide.

use std::sync::Arc;

use glam::DVec3;

use super::super::narrow_phase::{NarrowPhaseResult, PairGoal, answer, collect_pairs, in_parts};
use super::super::scene::Topology;
use super::super::{Scene, SceneAnswer, SceneCounters, SceneEngine, SceneRequest};
use super::assign::assigned;
use super::c_means::{FuzzyRules, fuzzy_c_means, hard_c_means};
use super::cell_sort::{LastCluster, SweptCell, sort_cluster};
use super::centre_seeding::seed_centers;
use super::cluster_count::least_work;
use super::cluster_items::ClusterItems;
use super::{
    ClusterCount, ClusterPartition, ClusteringOptions, ClusteringStage, FaceAssignment,
    MAX_CLUSTERS,
};

/// Pairs along the axis that one part of the work takes at least.
const PAIRS_PER_PART: u64 = 1 << 15;
/// The most parts of the work per cluster.
const PARTS_PER_CLUSTER: u64 = 64;
/// Frames from one choice of the number of clusters to the next.
const CHOICE_FRAMES: u32 = 32;

/// Clusters of faces, each swept along its own axis.
///
/// ```
/// use impinge::deform::clustering::{FaceAssignment, Clustering, ClusteringOptions};
/// use impinge::deform::{Scene, SceneEngine};
/// use impinge::DVec3;
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 0])?;
/// let mut engine = Clustering::default();
/// let answer = engine.pairs(&scene, &Default::default());
/// assert_eq!((answer.pairs.len(), engine.clusters()), (1, 1));
/// let published = ClusteringOptions { assignment: FaceAssignment::Threshold, ..Default::default() };
/// assert!(engine.is_complete() && !Clustering::new(published).is_complete());
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clustering {
    options: ClusteringOptions,
    topology: Option<Arc<Topology>>,
    centers: Vec<DVec3>,
    /// By cluster; none where a cluster is swept in cells.
    last: Vec<Option<LastCluster>>,
    /// How many clusters there should be.
    count: usize,
    /// Frames until the number is chosen again.
    until_choice: u32,
}

impl Default for Clustering {
    fn default() -> Self {
        Self::new(ClusteringOptions::default())
    }
}

impl Clustering {
    /// An engine with these options.
    ///
    /// ```
    /// use impinge::deform::{clustering::Clustering, SceneEngine};
    /// assert_eq!(Clustering::new(Default::default()).name(), "clustering");
    /// ```
    #[must_use]
    pub fn new(options: ClusteringOptions) -> Self {
        let count = match options.clusters {
            ClusterCount::Fixed(count) => count,
            ClusterCount::Adaptive { .. } => 1,
        };
        Self {
            options,
            topology: None,
            centers: Vec::new(),
            last: Vec::new(),
            count: count.clamp(1, MAX_CLUSTERS),
            until_choice: 0,
        }
    }

    /// How many clusters the last frame had; 0 before the first.
    ///
    /// ```
    /// assert_eq!(impinge::deform::clustering::Clustering::default().clusters(), 0);
    /// ```
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.centers.len()
    }

    /// The direction along which each cluster of the last frame was swept; none where a cluster was swept in cells along its curve.
    ///
    /// ```
    /// use impinge::deform::{Scene, SceneEngine, clustering::Clustering};
    /// let strip = impinge::generate::cuboid(impinge::DVec3::new(9.0, 1.0, 0.5), [9, 1, 1])?;
    /// let mut engine = Clustering::default();
    /// let _ = engine.pairs(&Scene::new(&[strip])?, &Default::default());
    /// let axes: Vec<_> = engine.sweep_axes().collect();
    /// assert_eq!(axes.len(), engine.clusters());
    /// assert!(axes[0].unwrap().x.abs() > 0.99);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sweep_axes(&self) -> impl Iterator<Item = Option<DVec3>> + '_ {
        self.last
            .iter()
            .map(|last| last.as_ref().map(LastCluster::sweep_axis))
    }

    /// The centres, relative to the middle of the scene's box.
    ///
    /// ```
    /// assert!(impinge::deform::clustering::Clustering::default().centers().is_empty());
    /// ```
    #[must_use]
    pub fn centers(&self) -> &[DVec3] {
        &self.centers
    }

    /// All intersecting pairs; calls `watch` after each stage, so that a caller with a clock can
    /// time them.
    ///
    /// ```
    /// use impinge::deform::{clustering::{Clustering, ClusteringStage}, Scene};
    /// let mut stages = Vec::new();
    /// let _ = Clustering::default().pairs_watched(&Scene::new(&[])?, &Default::default(), &mut |s| stages.push(s));
    /// assert_eq!(stages, ClusteringStage::ALL);
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    pub fn pairs_watched(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        watch: &mut dyn FnMut(ClusteringStage),
    ) -> SceneAnswer {
        let done = self.search(scene, request, PairGoal::All, watch);
        answer(scene, request, done)
    }

    fn search(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        goal: PairGoal,
        watch: &mut dyn FnMut(ClusteringStage),
    ) -> NarrowPhaseResult {
        let is_known = scene.has_same_topology(&mut self.topology);
        if !is_known {
            self.centers.clear();
            self.last.clear();
            self.until_choice = 0;
        }
        let options = self.options;
        let items = ClusterItems::new(scene, options.metric, options.subdivide_above);
        watch(ClusteringStage::Points);
        self.choose_count(&items);
        let rounds = self.cluster(&items);
        watch(ClusteringStage::Clusters);
        let masks = assigned(&items, &self.centers, &options, request.parallel);
        watch(ClusteringStage::Assignment);
        let clusters = self.sort(&items, &masks, request.parallel);
        let parts = divide(&clusters);
        watch(ClusteringStage::Sort);
        let mut done = collect_pairs(scene, request, goal, parts.len(), |part, judge| {
            let (cell, from, to) = parts[part];
            let SweptCell {
                cluster, sorted, ..
            } = &clusters[cell];
            let second = sorted.each_overlap(from, to, options.third_axis, |i, j| {
                let (one, two) = (sorted.order[i] as usize, sorted.order[j] as usize);
                // Every cluster that holds both sees the pair; the first decides it.
                let first = (masks[one] & masks[two]).trailing_zeros();
                let faces = (items.face[one], items.face[two]);
                let is_own = first as usize == *cluster
                    && faces.0 != faces.1
                    && clusters[cell].decides(i, j);
                !is_own || judge.candidate(faces.0, faces.1).is_continue()
            });
            judge.counters.axis_pairs += to - from;
            judge.counters.second_axis_pairs += second;
        });
        watch(ClusteringStage::Decision);
        self.note(&mut done.counters, clusters, rounds);
        done
    }

    /// Chooses the number of clusters by counted work, in the first frame and at intervals.
    fn choose_count(&mut self, items: &ClusterItems) {
        let ClusterCount::Adaptive { most } = self.options.clusters else {
            return;
        };
        if self.until_choice == 0 {
            self.until_choice = CHOICE_FRAMES;
            self.count = least_work(items, &self.options, most, self.count);
        }
        self.until_choice -= 1;
    }

    /// Moves the centres; returns the number of rounds.
    fn cluster(&mut self, items: &ClusterItems) -> u64 {
        let options = &self.options;
        let points = points_of(&items.center, options);
        let is_warm = self.centers.len() == self.count && !self.centers.is_empty();
        if !is_warm {
            self.centers = seed_centers(&points, self.count, options.start);
            self.last.clear();
        }
        let max_rounds = if is_warm {
            options.warm_rounds
        } else {
            options.first_rounds
        };
        move_centers(&points, &mut self.centers, options, max_rounds)
    }

    /// Sorts the items of each cluster along its axis, or those of each of its cells.
    fn sort(&self, items: &ClusterItems, masks: &[u64], parallel: bool) -> Vec<SweptCell> {
        let axis = self.options.axis;
        let one = |cluster: usize| {
            let last = self.last.get(cluster).and_then(Option::as_ref);
            sort_cluster(items, masks, cluster, axis, last)
        };
        in_parts(parallel, self.centers.len(), one)
            .into_iter()
            .flatten()
            .collect()
    }

    fn note(&mut self, counters: &mut SceneCounters, cells: Vec<SweptCell>, rounds: u64) {
        counters.entries = cells
            .iter()
            .map(|cell| cell.sorted.order.len() as u64)
            .sum();
        counters.boxes = counters.entries;
        counters.box_tests = counters.axis_pairs;
        counters.clusters = self.centers.len() as u64;
        counters.rounds = rounds;
        counters.sort_moves = cells.iter().map(|cell| cell.moves).sum();
        self.last = cells.into_iter().map(|cell| cell.last).collect();
    }
}

/// The points that move the centres.
fn points_of(centers: &[DVec3], options: &ClusteringOptions) -> Vec<DVec3> {
    let stride = centers.len().div_ceil(options.most_points.max(1)).max(1);
    centers.iter().copied().step_by(stride).collect()
}

/// Moves centres by c-means; returns the number of rounds.
fn move_centers(
    points: &[DVec3],
    centers: &mut [DVec3],
    options: &ClusteringOptions,
    max_rounds: usize,
) -> u64 {
    let report = match options.partition {
        ClusterPartition::Hard => hard_c_means(points, centers, options.metric, max_rounds),
        ClusterPartition::Fuzzy => {
            let rules = FuzzyRules {
                metric: options.metric,
                fuzzifier: options.fuzzifier,
                stop: options.stop,
                max_rounds,
            };
            fuzzy_c_means(points, centers, &rules)
        }
    };
    report.rounds as u64
}

/// This many centres of these points, after some rounds.
pub(super) fn moved_centers(
    all: &[DVec3],
    options: &ClusteringOptions,
    count: usize,
    max_rounds: usize,
) -> Vec<DVec3> {
    let points = points_of(all, options);
    let mut centers = seed_centers(&points, count, options.start);
    move_centers(&points, &mut centers, options, max_rounds);
    centers
}

/// Cuts the pairs of all cells into parts: cell, first and one past the last pair.
fn divide(clusters: &[SweptCell]) -> Vec<(usize, u64, u64)> {
    let mut parts = Vec::new();
    for (i, cluster) in clusters.iter().enumerate() {
        let total = cluster.sorted.total();
        let count = total.div_ceil(PAIRS_PER_PART).clamp(1, PARTS_PER_CLUSTER);
        let border = |k: u64| (u128::from(total) * u128::from(k) / u128::from(count)) as u64;
        parts.extend((0..count).map(|k| (i, border(k), border(k + 1))));
    }
    parts
}

impl SceneEngine for Clustering {
    fn name(&self) -> &'static str {
        "clustering"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        self.pairs_watched(scene, request, &mut |_| {})
    }

    fn pairs_by_stage(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        watch: &mut dyn FnMut(&'static str),
    ) -> SceneAnswer {
        let answer = self.pairs_watched(scene, request, &mut |stage| watch(stage.name()));
        watch("answer");
        answer
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        let done = self.search(scene, request, PairGoal::Any, &mut |_| {});
        !done.found.is_empty()
    }

    fn is_complete(&self) -> bool {
        self.options.assignment == FaceAssignment::Safe
    }
}
