//! All intersecting face pairs of two meshes by sweep and prune, without a tree.
//!
//! **Question.** Which faces of two placed meshes share a point?
//!
//! **Idea.** Place the second mesh's vertices once, drop the faces outside the other mesh's box,
//! sort the rest along the axis on which the meshes' common box is longest, sweep over both
//! lists for pairs of overlapping face boxes, and decide each with the exact triangle test.
//!
//! **Cost.** Sorting n faces, and comparing those that overlap on the sweep axis: about n^1.5
//! comparisons for n evenly sized faces, n² for faces that all span the axis. Memory stays
//! bounded: see [`FaceSweepConfig::max_candidates`].
//!
//! **Promise.** Exact: boxes are those of the placed vertices, so none is missed.
//!
//! **Limits.** The pairs of boxes are found before the first pair of faces is decided, so a
//! small `max_tests` or a sink that stops at the first pair saves little.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::mesh_index::index_of_kept_mesh;
use super::{MeshIndex, Violation};
use crate::bound::Aabb;
use crate::geom::triangles_intersect;
use crate::math::Pose;
use crate::math::sort::sort_few;
use crate::mesh::TriMesh;
use crate::query::{FaceId, FacePair, Limits, Outcome, Sink, Work};

/// Tests between two checks of [`Limits::stop`].
const TESTS_PER_LOOK: usize = 1024;

/// How much memory a sweep may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceSweepConfig {
    /// Most pairs of overlapping boxes kept at a time, 8 bytes each, besides those of one face.
    ///
    /// When there are more, the first mesh's faces are taken in several runs, which changes the
    /// work but not the answer.
    pub max_candidates: usize,
}

impl Default for FaceSweepConfig {
    /// 2^24 candidates, 128 MiB.
    fn default() -> Self {
        Self {
            max_candidates: 1 << 24,
        }
    }
}

/// A mesh and the boxes of its faces.
///
/// ```
/// use impinge::bvh::{FaceSweep, MeshIndex};
/// use std::sync::Arc;
/// let index = FaceSweep::build(Arc::default(), &Default::default());
/// assert!(index.validate().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct FaceSweep {
    config: FaceSweepConfig,
    mesh: Arc<TriMesh>,
    boxes: Vec<Aabb>,
    bounds: Aabb,
}

/// Scratch memory of [`FaceSweep`], and the work done for the last query.
#[derive(Clone, Debug, Default)]
pub struct FaceSweepCache {
    placed: Vec<DVec3>,
    boxes: Vec<Aabb>,
    run_a: Vec<SweepItem>,
    run_b: Vec<SweepItem>,
    candidates: Vec<u64>,
    work: Work,
}

/// A face and its box, the sweep axis first.
#[derive(Clone, Copy, Debug)]
struct SweepItem {
    min: [f64; 3],
    max: [f64; 3],
    face: u32,
}

impl MeshIndex for FaceSweep {
    index_of_kept_mesh!(FaceSweepConfig, FaceSweepCache, "face-sweep");

    fn build(mesh: Arc<TriMesh>, config: &FaceSweepConfig) -> Self {
        let mut boxes = Vec::new();
        let bounds = face_boxes(mesh.positions(), mesh.faces(), &mut boxes);
        Self {
            config: *config,
            mesh,
            boxes,
            bounds,
        }
    }

    fn intersections(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut FaceSweepCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        cache.work = Work::default();
        if self.mesh.is_empty() || other.mesh.is_empty() {
            return Outcome::Complete;
        }
        cache.placed.clear();
        cache.placed.extend(
            other
                .mesh
                .positions()
                .iter()
                .map(|&p| self_from_other.transform_point(p)),
        );
        let bounds_b = face_boxes(&cache.placed, other.mesh.faces(), &mut cache.boxes);
        if !limits.allows(0) || limits.is_stopped() {
            return Outcome::OutOfBudget;
        }
        cache.work.volume_tests = 1;
        if !self.bounds.overlaps(&bounds_b) {
            return Outcome::Complete;
        }
        let culling = (self.boxes.len() + cache.boxes.len()) as u64;
        if limits.max_tests.is_some_and(|max| max <= culling) {
            return Outcome::OutOfBudget;
        }
        cache.work.volume_tests += culling;
        let axes =
            axes_by_length(self.bounds.max.min(bounds_b.max) - self.bounds.min.max(bounds_b.min));
        let faces_b = 0..cache.boxes.len();
        collect(&cache.boxes, faces_b, &self.bounds, axes, &mut cache.run_b);

        let end = self.boxes.len();
        let mut run = 0..end;
        while run.start < end {
            collect(&self.boxes, run.clone(), &bounds_b, axes, &mut cache.run_a);
            let room = if run.len() == 1 {
                usize::MAX
            } else {
                self.config.max_candidates
            };
            match sweep(cache, &limits, room) {
                SweepEnd::All => {}
                SweepEnd::TooMany => {
                    run.end = run.start + run.len().div_ceil(2);
                    continue;
                }
                SweepEnd::OutOfBudget => return Outcome::OutOfBudget,
            }
            let outcome = decide(&self.mesh, &other.mesh, cache, &limits, sink);
            if outcome != Outcome::Complete {
                return outcome;
            }
            run = run.end..end.min(run.end + run.len());
        }
        Outcome::Complete
    }

    fn validate(&self) -> Result<(), Violation> {
        let broken = |promise: String| {
            Err(Violation {
                index: Self::NAME,
                promise,
            })
        };
        if self.boxes.len() != self.mesh.face_count() {
            return broken(format!(
                "{} boxes for {} faces",
                self.boxes.len(),
                self.mesh.face_count()
            ));
        }
        for (face, found) in self.mesh.face_ids().zip(&self.boxes) {
            if *found != Aabb::enclosing(self.mesh.triangle(face)) {
                return broken(format!("box of {face} is not the box of its corners"));
            }
        }
        if self.bounds != self.mesh.bounds() {
            return broken("bounds are not those of the mesh".to_owned());
        }
        Ok(())
    }
}

/// Writes the box of every face and returns the box of all.
fn face_boxes(positions: &[DVec3], faces: &[[u32; 3]], boxes: &mut Vec<Aabb>) -> Aabb {
    boxes.clear();
    let mut bounds = Aabb::EMPTY;
    boxes.extend(faces.iter().map(|corners| {
        let found = Aabb::enclosing(corners.map(|v| positions[v as usize]));
        bounds.min = bounds.min.min(found.min);
        bounds.max = bounds.max.max(found.max);
        found
    }));
    bounds
}

/// The axes, the longest extent first.
fn axes_by_length(extent: DVec3) -> [usize; 3] {
    let mut axes = [0, 1, 2];
    // Stable, so that equal extents keep the order x, y, z.
    sort_few(&mut axes, |&i, &j| extent[j].total_cmp(&extent[i]));
    axes
}

/// The faces of a run whose boxes meet `region`, sorted along the first axis.
fn collect(
    boxes: &[Aabb],
    run: Range<usize>,
    region: &Aabb,
    axes: [usize; 3],
    items: &mut Vec<SweepItem>,
) {
    items.clear();
    let first = run.start as u32;
    items.extend(
        boxes[run]
            .iter()
            .zip(first..)
            .filter(|(found, _)| found.overlaps(region))
            .map(|(found, face)| SweepItem {
                min: axes.map(|i| found.min[i]),
                max: axes.map(|i| found.max[i]),
                face,
            }),
    );
    items.sort_unstable_by(|s, t| {
        s.min[0]
            .partial_cmp(&t.min[0])
            .unwrap_or(Ordering::Equal)
            .then(s.face.cmp(&t.face))
    });
}

enum SweepEnd {
    All,
    /// More candidates than there is room for.
    TooMany,
    OutOfBudget,
}

/// Fills `candidates` with the pairs of overlapping boxes of both runs, sorted.
fn sweep(cache: &mut FaceSweepCache, limits: &Limits<'_>, room: usize) -> SweepEnd {
    let FaceSweepCache {
        run_a,
        run_b,
        candidates,
        work,
        ..
    } = cache;
    candidates.clear();
    let (mut a, mut b) = (run_a.as_slice(), run_b.as_slice());
    let mut looked = work.volume_tests;
    // Each step takes the face that begins first and compares it with those of the other mesh
    // that begin before it ends; those that began earlier have had their turn.
    while let (Some((first_a, rest_a)), Some((first_b, rest_b))) =
        (a.split_first(), b.split_first())
    {
        let a_is_first = first_a.min[0] <= first_b.min[0];
        let (item, others) = if a_is_first {
            a = rest_a;
            (first_a, b)
        } else {
            b = rest_b;
            (first_b, a)
        };
        let mut tested = 0;
        for other in others {
            if other.min[0] > item.max[0] {
                break;
            }
            tested += 1;
            if other.min[1] <= item.max[1]
                && item.min[1] <= other.max[1]
                && other.min[2] <= item.max[2]
                && item.min[2] <= other.max[2]
            {
                candidates.push(if a_is_first {
                    key(item.face, other.face)
                } else {
                    key(other.face, item.face)
                });
            }
        }
        work.volume_tests += tested;
        if let Some(max) = limits.max_tests
            && work.tests() > max
        {
            // The last step's tests that exceed the budget do not count: nothing of them is used.
            work.volume_tests = max - work.face_tests;
            return SweepEnd::OutOfBudget;
        }
        if work.volume_tests - looked >= TESTS_PER_LOOK as u64 {
            looked = work.volume_tests;
            if limits.is_stopped() {
                return SweepEnd::OutOfBudget;
            }
        }
        if candidates.len() > room {
            return SweepEnd::TooMany;
        }
    }
    candidates.sort_unstable();
    SweepEnd::All
}

/// Both faces in one number that sorts by `a`, then `b`.
fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Decides every candidate and reports those that meet.
fn decide(
    mesh_a: &TriMesh,
    mesh_b: &TriMesh,
    cache: &mut FaceSweepCache,
    limits: &Limits<'_>,
    sink: &mut dyn Sink<FacePair>,
) -> Outcome {
    let FaceSweepCache {
        placed,
        candidates,
        work,
        ..
    } = cache;
    for (i, &candidate) in candidates.iter().enumerate() {
        if !limits.allows(work.tests()) {
            return Outcome::OutOfBudget;
        }
        if i % TESTS_PER_LOOK == 0 && limits.is_stopped() {
            return Outcome::OutOfBudget;
        }
        let pair = FacePair {
            a: FaceId::new((candidate >> 32) as u32),
            b: FaceId::new(candidate as u32),
        };
        work.face_tests += 1;
        let face_b = mesh_b.faces()[pair.b.index()].map(|v| placed[v as usize]);
        if triangles_intersect(&mesh_a.triangle(pair.a), &face_b) && sink.accept(pair).is_break() {
            return Outcome::StoppedBySink;
        }
    }
    Outcome::Complete
}
