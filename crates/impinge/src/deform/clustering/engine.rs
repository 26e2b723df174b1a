//! The engine: cluster, assign, sort, sweep, decide.

use std::sync::Arc;

use glam::DVec3;

use super::super::narrow_phase::{NarrowPhaseResult, PairGoal, answer, collect_pairs, in_parts};
use super::super::refit::LaneBounds;
use super::super::scene::Topology;
use super::super::sweep_and_prune::insertion_sort;
use super::super::{Scene, SceneAnswer, SceneCounters, SceneEngine, SceneRequest};
use super::assign::assigned;
use super::c_means::{FuzzyRules, fuzzy_c_means, hard_c_means};
use super::centre_seeding::seed_centers;
use super::cluster_frame::ClusterFrame;
use super::cluster_items::ClusterItems;
use super::sweep::SortedBoxes;
use super::{
    ClusterCount, ClusterPartition, ClusteringOptions, ClusteringStage, FaceAssignment,
    MAX_CLUSTERS,
};

/// Exchanges per entry after which sorting anew is cheaper.
const EXCHANGES_PER_ENTRY: usize = 8;
/// Pairs along the axis that one part of the work takes at least.
const PAIRS_PER_PART: u64 = 1 << 15;
/// The most parts of the work per cluster.
const PARTS_PER_CLUSTER: u64 = 64;
/// Frames between two trials of another number of clusters.
const TRIAL_FRAMES: u32 = 6;
/// A trial is kept when it costs at most this part.
const WORTH: f64 = 0.95;

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
/// assert_eq!((answer.pairs.len(), engine.clusters()), (1, 2));
/// let published = ClusteringOptions { assignment: FaceAssignment::Threshold, ..Default::default() };
/// assert!(engine.is_complete() && !Clustering::new(published).is_complete());
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clustering {
    options: ClusteringOptions,
    topology: Option<Arc<Topology>>,
    centers: Vec<DVec3>,
    last: Vec<LastCluster>,
    trial: ClusterCountTrial,
}

/// What is kept of a cluster.
#[derive(Clone, Debug)]
struct LastCluster {
    frame: ClusterFrame,
    order: Vec<u32>,
}

/// The search for the number of clusters.
#[derive(Clone, Copy, Debug)]
struct ClusterCountTrial {
    count: usize,
    /// The number before the trial, and what it cost.
    before: Option<(usize, f64)>,
    is_growing: bool,
    frames: u32,
}

struct Cluster {
    sorted: SortedBoxes,
    last: LastCluster,
    moves: u64,
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
            ClusterCount::Adaptive { .. } => 2,
        };
        Self {
            options,
            topology: None,
            centers: Vec::new(),
            last: Vec::new(),
            trial: ClusterCountTrial {
                count: count.clamp(1, MAX_CLUSTERS),
                before: None,
                is_growing: true,
                frames: 0,
            },
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

    /// Where the centres are, relative to the middle of the scene's box.
    ///
    /// ```
    /// assert!(impinge::deform::clustering::Clustering::default().centers().is_empty());
    /// ```
    #[must_use]
    pub fn centers(&self) -> &[DVec3] {
        &self.centers
    }

    /// All pairs that meet, telling `watch` whenever a stage is done, so that a caller with a clock can time them.
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
        }
        let options = self.options;
        let items = ClusterItems::new(scene, options.metric, options.subdivide_above);
        watch(ClusteringStage::Points);
        let rounds = self.cluster(&items);
        watch(ClusteringStage::Clusters);
        let masks = assigned(&items, &self.centers, &options, request.parallel);
        watch(ClusteringStage::Assignment);
        let clusters = self.sort(&items, &masks, request.parallel);
        let parts = divide(&clusters);
        watch(ClusteringStage::Sort);
        let mut done = collect_pairs(scene, request, goal, parts.len(), |part, judge| {
            let (cluster, from, to) = parts[part];
            let sorted = &clusters[cluster].sorted;
            let second = sorted.each_overlap(from, to, options.third_axis, |i, j| {
                let (one, two) = (sorted.order[i] as usize, sorted.order[j] as usize);
                // Every cluster that holds both sees the pair; the first decides it.
                let first = (masks[one] & masks[two]).trailing_zeros();
                let faces = (items.face[one], items.face[two]);
                let is_own = first as usize == cluster && faces.0 != faces.1;
                !is_own || judge.candidate(faces.0, faces.1).is_continue()
            });
            judge.counters.axis_pairs += to - from;
            judge.counters.second_axis_pairs += second;
        });
        watch(ClusteringStage::Decision);
        self.note(&mut done.counters, &masks, clusters, rounds);
        // What was counted until threads saw that one pair is enough says nothing, and depends on them.
        if goal == PairGoal::All {
            self.adapt(&done.counters);
        }
        done
    }

    /// Moves the centres; tells in how many rounds.
    fn cluster(&mut self, items: &ClusterItems) -> u64 {
        let options = &self.options;
        let stride = items
            .center
            .len()
            .div_ceil(options.most_points.max(1))
            .max(1);
        let points: Vec<DVec3> = items.center.iter().copied().step_by(stride).collect();
        let is_warm = self.centers.len() == self.trial.count && !self.centers.is_empty();
        if !is_warm {
            self.centers = seed_centers(&points, self.trial.count, options.start);
            self.last.clear();
        }
        let max_rounds = if is_warm {
            options.warm_rounds
        } else {
            options.first_rounds
        };
        let report = match options.partition {
            ClusterPartition::Hard => {
                hard_c_means(&points, &mut self.centers, options.metric, max_rounds)
            }
            ClusterPartition::Fuzzy => {
                let rules = FuzzyRules {
                    metric: options.metric,
                    fuzzifier: options.fuzzifier,
                    stop: options.stop,
                    max_rounds,
                };
                fuzzy_c_means(&points, &mut self.centers, &rules)
            }
        };
        report.rounds as u64
    }

    /// Sorts the items of each cluster along its axis.
    fn sort(&self, items: &ClusterItems, masks: &[u64], parallel: bool) -> Vec<Cluster> {
        let one = |cluster: usize| {
            let is_in = |i: u32| masks[i as usize] >> cluster & 1 == 1;
            let last = self.last.get(cluster);
            let list: Vec<u32> = (0..masks.len() as u32).filter(|&i| is_in(i)).collect();
            let frame = ClusterFrame::new(items, &list, self.options.axis, last.map(|l| &l.frame));
            let mut own = vec![
                LaneBounds {
                    min: [0.0; 4],
                    max: [0.0; 4]
                };
                masks.len()
            ];
            for &i in &list {
                own[i as usize] = frame.bounds(items, i as usize);
            }
            let key = |i: u32| f64::from(own[i as usize].min[0]);
            let mut order = match last {
                Some(last) => continued(&last.order, &list, masks.len(), is_in),
                None => list,
            };
            let repaired = last
                .is_some()
                .then(|| insertion_sort(&mut order, key, EXCHANGES_PER_ENTRY));
            let moves = repaired.flatten().unwrap_or_else(|| {
                order.sort_unstable_by(|&i, &j| key(i).total_cmp(&key(j)).then(i.cmp(&j)));
                order.len() as u64
            });
            let bounds = order.iter().map(|&i| own[i as usize]).collect();
            Cluster {
                sorted: SortedBoxes::new(order.clone(), bounds),
                last: LastCluster { frame, order },
                moves,
            }
        };
        in_parts(parallel, self.centers.len(), one)
    }

    fn note(
        &mut self,
        counters: &mut SceneCounters,
        masks: &[u64],
        clusters: Vec<Cluster>,
        rounds: u64,
    ) {
        counters.entries = masks.iter().map(|mask| u64::from(mask.count_ones())).sum();
        counters.boxes = counters.entries;
        counters.box_tests = counters.axis_pairs;
        counters.clusters = clusters.len() as u64;
        counters.rounds = rounds;
        counters.sort_moves = clusters.iter().map(|cluster| cluster.moves).sum();
        self.last = clusters.into_iter().map(|cluster| cluster.last).collect();
    }

    /// Tries another number of clusters now and then, and keeps it when it costs less.
    fn adapt(&mut self, counters: &SceneCounters) {
        let ClusterCount::Adaptive { most } = self.options.clusters else {
            return;
        };
        let trial = &mut self.trial;
        trial.frames += 1;
        if trial.frames < TRIAL_FRAMES {
            return;
        }
        trial.frames = 0;
        let cost = cost(counters);
        if let Some((count, before)) = trial.before.take()
            && cost > WORTH * before
        {
            trial.count = count;
            trial.is_growing = !trial.is_growing;
            return;
        }
        let next = if trial.is_growing {
            (trial.count * 2).min(most.clamp(1, MAX_CLUSTERS))
        } else {
            (trial.count / 2).max(1)
        };
        if next == trial.count {
            trial.is_growing = !trial.is_growing;
        } else {
            trial.before = Some((trial.count, cost));
            trial.count = next;
        }
    }
}

/// The counted work of a frame, in about nanoseconds of one core.
fn cost(counters: &SceneCounters) -> f64 {
    1.5 * counters.axis_pairs as f64
        + 15.0 * counters.candidates as f64
        + 60.0 * counters.entries as f64
        + 5.0 * (counters.rounds * counters.clusters) as f64 * 8192.0
}

/// The items that stay in the order they had, then those that are new.
fn continued(last: &[u32], list: &[u32], items: usize, is_in: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut is_old = vec![false; items];
    let mut order: Vec<u32> = Vec::with_capacity(list.len());
    for &i in last {
        // Subdivision may have made other items.
        if (i as usize) < items && is_in(i) {
            is_old[i as usize] = true;
            order.push(i);
        }
    }
    order.extend(list.iter().filter(|&&i| !is_old[i as usize]));
    order
}

/// Cuts the pairs of all clusters into parts: cluster, first and one past the last pair.
fn divide(clusters: &[Cluster]) -> Vec<(usize, u64, u64)> {
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
