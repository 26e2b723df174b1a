//! Finds all impacts of a step of a deforming scene, self-collision included.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::answer::{
    ContactFeatures, MinSeparation, StepAnswer, StepCounters, StepImpact, StepOptions,
};
use super::feature_owners::owned;
use super::normal_cones::{ConvexRegions, StepSurface, faces_beyond};
use crate::ccd::linear::{
    FirstContact, LinearTests, MinSeparationTime, MovingPoint, edge_edge_min_separation,
    vertex_face_min_separation,
};
use crate::deform::face_boxes::origin_of;
use crate::deform::narrow_phase::{in_parts, is_unfolded, shared_bits};
use crate::deform::refit::{LaneBounds, Point, RefitBvh, each_candidate, leaf_parts, point};
use crate::deform::scene::{Topology, check_frame};
use crate::deform::separation_filters::{
    apart_at_corner_during, apart_at_edge_during, strictly_apart_during,
};
use crate::deform::{FrameError, PairKind, Scene};
use crate::geom::SharedCorners;
use crate::math::outward_rounding;
use crate::query::{FaceId, FacePair, VertexId};

/// All impacts of the step from the scene as it is to its vertices at `end`.
///
/// # Errors
/// The end does not fit the scene, or the distance to be kept is no number, infinite or negative.
///
/// ```
/// use impinge::deform::{step::step, Scene};
/// let scene = Scene::new(&[])?;
/// assert_eq!(step(&scene, &[], &Default::default())?.first, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn step(scene: &Scene, end: &[DVec3], options: &StepOptions) -> Result<StepAnswer, FrameError> {
    StepQuery::default().step(scene, end, options)
}

/// All impacts of the step, of these pairs of faces alone, in any order, each once: for callers
/// that find candidates in another way. The answer is that of [`step`] if the pairs include all
/// faces whose boxes over the step overlap, each grown by half the minimum separation.
///
/// # Errors
/// As [`step`]. Pairs of faces that the scene does not have are left out.
///
/// ```
/// use impinge::deform::{step::{step, step_of_pairs}, Scene};
/// use impinge::{query::FaceId, DVec3};
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::X + DVec3::Z, DVec3::Y + DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 1])?;
/// let end: Vec<DVec3> = points.iter().map(|p| if p.z > 0.5 { *p - DVec3::Z * 2.0 } else { *p }).collect();
/// let all = step(&scene, &end, &Default::default())?;
/// let pair = [0, 1].map(FaceId::new);
/// let same = step_of_pairs(&scene, &end, &Default::default(), &[pair])?;
/// assert_eq!((same.impacts, same.first), (all.impacts, all.first));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn step_of_pairs(
    scene: &Scene,
    end: &[DVec3],
    options: &StepOptions,
    pairs: &[[FaceId; 2]],
) -> Result<StepAnswer, FrameError> {
    check_step(scene, end, options)?;
    let moving = moving_points(scene, end)?;
    let owned = owned(scene.faces(), scene.positions().len());
    let is_culled = options.cull && options.separation.is_none();
    let faces = scene.faces().len();
    let part = |i: usize| {
        let mut asker = FeatureTester {
            scene,
            moving: &moving,
            owned: &owned,
            calm: &[],
            is_culled,
            options,
            tests: LinearTests::new(options.width),
            impacts: Vec::new(),
            counters: StepCounters::default(),
        };
        let to = ((i + 1) * PAIRS_PER_PART).min(pairs.len());
        for [a, b] in &pairs[i * PAIRS_PER_PART..to] {
            if a != b && a.index().max(b.index()) < faces {
                asker.faces(a.raw().min(b.raw()), a.raw().max(b.raw()));
            }
        }
        (asker.impacts, asker.counters)
    };
    let parts = pairs.len().div_ceil(PAIRS_PER_PART);
    let done = in_parts(options.parallel, parts, part);
    Ok(merged(StepCounters::default(), done))
}

/// Finds impacts step by step, keeping the owners of edges, and the order of faces until it has to
/// be sorted again.
///
/// ```
/// use impinge::deform::{step::StepQuery, Scene};
/// let scene = Scene::new(&[])?;
/// let mut stepper = StepQuery::default();
/// assert!(stepper.step(&scene, &[], &Default::default())?.impacts.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[doc(alias = "CCD")]
#[doc(alias = "time of impact")]
#[doc(alias = "self-collision")]
pub struct StepQuery {
    topology: Option<Arc<Topology>>,
    owned: Vec<u8>,
    /// The face beyond each edge of each face; empty until it is needed.
    beyond: Vec<[u32; 3]>,
    tree: RefitBvh,
    /// How loose the tree was when the faces were ordered.
    looseness: f64,
    /// How often faces that stayed the same were ordered again.
    rebuilt: u64,
}

/// Given pairs of faces that one part of the work takes.
const PAIRS_PER_PART: usize = 2048;
/// By which factor the tree may get looser before the faces are ordered again.
const REBUILD_AT: f64 = 1.6;

impl StepQuery {
    /// All impacts of the step from the scene as it is to its vertices at `end`.
    ///
    /// # Errors
    /// The end does not fit the scene, or the distance to be kept is no number, infinite or negative.
    pub fn step(
        &mut self,
        scene: &Scene,
        end: &[DVec3],
        options: &StepOptions,
    ) -> Result<StepAnswer, FrameError> {
        check_step(scene, end, options)?;
        let moving = moving_points(scene, end)?;
        self.prepare(scene, end, options);
        let is_culled = options.cull && options.separation.is_none();
        let calm = if is_culled && options.within {
            let frames = [scene.positions(), end];
            let stars = scene.topology().stars();
            stars.calm_during(scene.faces(), frames, options.parallel)
        } else {
            Vec::new()
        };
        let regions = if is_culled && options.cones {
            if self.beyond.is_empty() {
                self.beyond = faces_beyond(scene.faces());
            }
            let patchwork = StepSurface {
                tree: &self.tree,
                faces: scene.faces(),
                beyond: &self.beyond,
                frames: [scene.positions(), end],
            };
            patchwork.regions(options.parallel)
        } else {
            ConvexRegions::default()
        };
        let parts = leaf_parts(&self.tree);
        let part = |i: usize| {
            let mut asker = FeatureTester {
                scene,
                moving: &moving,
                owned: &self.owned,
                calm: &calm,
                is_culled,
                options,
                tests: LinearTests::new(options.width),
                impacts: Vec::new(),
                counters: StepCounters::default(),
            };
            let heights = &regions.heights;
            each_candidate(&self.tree, (i, parts), None, heights, |a, b| {
                asker.faces(a.min(b), a.max(b));
                ControlFlow::Continue(())
            });
            (asker.impacts, asker.counters)
        };
        let counters = StepCounters {
            regions: regions.count,
            faces_in_regions: regions.faces,
            ..StepCounters::default()
        };
        Ok(merged(counters, in_parts(options.parallel, parts, part)))
    }

    /// How often the faces were sorted again because neighbours had moved apart; otherwise the tree
    /// is kept from step to step.
    ///
    /// ```
    /// use impinge::deform::step::StepQuery;
    /// assert_eq!(StepQuery::default().rebuilt(), 0);
    /// ```
    #[must_use]
    pub fn rebuilt(&self) -> u64 {
        self.rebuilt
    }

    /// Computes the boxes of the faces over the step, and orders the faces again when these have become loose.
    fn prepare(&mut self, scene: &Scene, end: &[DVec3], options: &StepOptions) {
        let origin = origin_of(scene.positions());
        let reach = options
            .separation
            .map_or(0.0, |separation| separation.distance);
        let starts: Vec<Point> = scene
            .positions()
            .iter()
            .map(|&p| point(p, origin))
            .collect();
        let is_known = scene.has_same_topology(&mut self.topology);
        if !is_known {
            self.owned = owned(scene.faces(), scene.positions().len());
            self.beyond.clear();
            self.tree = RefitBvh::new(scene.faces(), &starts, options.parallel);
        }
        let swept: Vec<LaneBounds> = scene
            .positions()
            .iter()
            .zip(end)
            .map(|(&p, &q)| swept_bounds(p - origin, q - origin, reach))
            .collect();
        let faces = scene.faces();
        let bounds_of = |f: u32, _: usize, (): &mut ()| {
            let [p, q, r] = faces[f as usize].map(|v| &swept[v as usize]);
            p.union(q).union(r)
        };
        let mut notes = vec![(); self.tree.leaves()];
        self.tree.refit(&mut notes, bounds_of, options.parallel);
        let looseness = self.tree.looseness();
        if is_known && looseness > REBUILD_AT * self.looseness {
            self.tree = RefitBvh::new(faces, &starts, options.parallel);
            self.tree.refit(&mut notes, bounds_of, options.parallel);
            self.looseness = self.tree.looseness();
            self.rebuilt += 1;
        } else if !is_known {
            self.looseness = looseness;
        }
    }
}

fn check_step(scene: &Scene, end: &[DVec3], options: &StepOptions) -> Result<(), FrameError> {
    check_frame(scene.positions().len(), end)?;
    match options.separation {
        Some(MinSeparation { distance, .. }) if !(0.0..f64::INFINITY).contains(&distance) => {
            Err(FrameError::Separation { value: distance })
        }
        _ => Ok(()),
    }
}

/// The answer of all parts of the work.
fn merged(mut counters: StepCounters, done: Vec<(Vec<StepImpact>, StepCounters)>) -> StepAnswer {
    let mut impacts = Vec::new();
    for (found, counted) in done {
        impacts.extend(found);
        counters.face_pairs += counted.face_pairs;
        counters.culled += counted.culled;
        counters.vertex_face += counted.vertex_face;
        counters.edge_edge += counted.edge_edge;
    }
    impacts.sort_unstable_by_key(|impact: &StepImpact| impact.features);
    let first = impacts.iter().map(|i| i.when).reduce(|x, y| FirstContact {
        lower: x.lower.min(y.lower),
        upper: x.upper.min(y.upper),
    });
    StepAnswer {
        impacts,
        first,
        counters,
    }
}

/// The box of a vertex over the step; with a reach, half of it on every side, rounded outwards.
fn swept_bounds(p: DVec3, q: DVec3, reach: f64) -> LaneBounds {
    let (low, high) = (p.min(q), p.max(q));
    let place = |p: DVec3| point(p, DVec3::ZERO);
    if reach <= 0.0 {
        return LaneBounds {
            min: place(low),
            max: place(high),
        };
    }
    // The shift was rounded: one step outwards each for that and for the sum.
    let half = reach * 0.5;
    let outward = |x: f64| (x.next_up() + half).next_up();
    let axis = |k: usize, v: DVec3, is_low: bool| {
        if is_low {
            outward_rounding::down(-outward(-v[k]))
        } else {
            outward_rounding::up(outward(v[k]))
        }
    };
    LaneBounds {
        min: [
            axis(0, low, true),
            axis(1, low, true),
            axis(2, low, true),
            0.0,
        ],
        max: [
            axis(0, high, false),
            axis(1, high, false),
            axis(2, high, false),
            0.0,
        ],
    }
}

fn moving_points(scene: &Scene, end: &[DVec3]) -> Result<Vec<MovingPoint>, FrameError> {
    let ends = scene.positions().iter().zip(end).enumerate();
    ends.map(|(vertex, (&from, &to))| {
        // Both frames are checked; the error cannot occur.
        MovingPoint::new(from, to).map_err(|_| FrameError::Coordinate {
            vertex,
            axis: 'x',
            value: to.x,
        })
    })
    .collect()
}

struct FeatureTester<'s> {
    scene: &'s Scene,
    moving: &'s [MovingPoint],
    owned: &'s [u8],
    /// Vertices around which nothing folds during the step.
    calm: &'s [bool],
    /// Whether pairs may be excluded before features are tested.
    is_culled: bool,
    options: &'s StepOptions,
    tests: LinearTests,
    impacts: Vec<StepImpact>,
    counters: StepCounters,
}

impl FeatureTester<'_> {
    /// Finds all contacts of the features that two faces own.
    fn faces(&mut self, a: u32, b: u32) {
        let kind = self.scene.kind(a, b);
        let is_wanted = match kind {
            PairKind::Within => self.options.within,
            PairKind::Between => self.options.between,
        };
        if !is_wanted {
            return;
        }
        self.counters.face_pairs += 1;
        let faces = [a, b].map(|f| self.scene.faces()[f as usize]);
        if self.is_culled && self.stay_apart(faces) {
            self.counters.culled += 1;
            return;
        }
        let owned = [a, b].map(|f| self.owned[f as usize]);
        for (own, other) in [(0, 1), (1, 0)] {
            for k in 0..3 {
                let vertex = faces[own][k];
                if owned[own] >> k & 1 == 1 && !faces[other].contains(&vertex) {
                    let ids = [[a, b][own], [a, b][other]];
                    self.vertex_face(vertex, faces[other], ids, kind);
                }
            }
        }
        for i in (0..3).filter(|i| owned[0] >> (3 + i) & 1 == 1) {
            let edge = [faces[0][i], faces[0][(i + 1) % 3]];
            for j in (0..3).filter(|j| owned[1] >> (3 + j) & 1 == 1) {
                let other = [faces[1][j], faces[1][(j + 1) % 3]];
                if !edge.iter().any(|v| other.contains(v)) {
                    self.edge_edge(edge, other, [a, b], kind);
                }
            }
        }
    }

    fn vertex_face(&mut self, vertex: u32, face: [u32; 3], ids: [u32; 2], kind: PairKind) {
        self.counters.vertex_face += 1;
        let point = self.moving[vertex as usize];
        let corners = face.map(|v| self.moving[v as usize]);
        let met = match &self.options.separation {
            None => self.tests.vertex_face(point, corners).map(certain),
            Some(MinSeparation { distance, options }) => {
                vertex_face_min_separation(point, corners, *distance, options).map(approach)
            }
        };
        let features = ContactFeatures::VertexFace {
            vertex: VertexId::new(vertex),
            face: FaceId::new(ids[1]),
        };
        self.note(features, ids, kind, met);
    }

    fn edge_edge(&mut self, a: [u32; 2], b: [u32; 2], ids: [u32; 2], kind: PairKind) {
        self.counters.edge_edge += 1;
        let sorted = |[p, q]: [u32; 2]| [p.min(q), p.max(q)];
        let mut edges = [(sorted(a), ids[0]), (sorted(b), ids[1])];
        edges.sort_unstable();
        let [one, two] = edges.map(|(ends, _)| ends.map(|v| self.moving[v as usize]));
        let met = match &self.options.separation {
            None => self.tests.edge_edge(one, two).map(certain),
            Some(MinSeparation { distance, options }) => {
                edge_edge_min_separation(one, two, *distance, options).map(approach)
            }
        };
        let [a, b] = edges.map(|(ends, _)| ends.map(VertexId::new));
        let ids = edges.map(|(_, face)| face);
        self.note(ContactFeatures::EdgeEdge { a, b }, ids, kind, met);
    }

    fn note(
        &mut self,
        features: ContactFeatures,
        [a, b]: [u32; 2],
        kind: PairKind,
        met: Option<(FirstContact, bool)>,
    ) {
        if let Some((when, is_found)) = met {
            self.impacts.push(StepImpact {
                features,
                faces: FacePair {
                    a: FaceId::new(a),
                    b: FaceId::new(b),
                },
                kind,
                when,
                is_found,
            });
        }
    }

    /// Whether the faces do not meet beyond what they share during the whole step, by a proof that is cheap.
    fn stay_apart(&self, faces: [[u32; 3]; 2]) -> bool {
        if is_unfolded(self.calm, &faces[0], shared_bits(&faces[0], &faces[1])) {
            return true;
        }
        let corners = |face: [u32; 3]| {
            [
                face.map(|v| self.moving[v as usize].start()),
                face.map(|v| self.moving[v as usize].end()),
            ]
        };
        let (a, b) = (corners(faces[0]), corners(faces[1]));
        let shared = SharedCorners::by_index(faces[0], faces[1]);
        match *shared.pairs() {
            [] => strictly_apart_during([&a[0], &a[1]], [&b[0], &b[1]]),
            [(i, j)] => {
                let beside = |t: &[DVec3; 3], k: usize| [1, 2].map(|d| t[(k + d) % 3] - t[k]);
                apart_at_corner_during(
                    [beside(&a[0], i), beside(&a[1], i)],
                    [beside(&b[0], j), beside(&b[1], j)],
                )
            }
            [(i, j), (k, l)] => {
                let from = |t: &[DVec3; 3], p: usize, q: usize| t[p] - t[q];
                let third = (3 - i - k, 3 - j - l);
                apart_at_edge_during(
                    [from(&a[0], k, i), from(&a[1], k, i)],
                    [from(&a[0], third.0, i), from(&a[1], third.0, i)],
                    [from(&b[0], third.1, j), from(&b[1], third.1, j)],
                )
            }
            // Faces with the same corners have no features of their own.
            _ => false,
        }
    }
}

/// A contact, which is decided exactly.
fn certain(when: FirstContact) -> (FirstContact, bool) {
    (when, true)
}

/// An approach, and whether it was found.
fn approach(near: MinSeparationTime) -> (FirstContact, bool) {
    let when = FirstContact {
        lower: near.lower,
        upper: near.upper,
    };
    (when, near.is_found)
}
