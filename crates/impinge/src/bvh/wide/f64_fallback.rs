//! Fallback for pairs whose scales `f32` cannot represent: one mesh a billion times larger, or farther away, than the other.
//!
//! One mesh is so much smaller or farther away that culling by boxes in `f64` leaves almost
//! nothing, so no tree is needed.

use std::ops::ControlFlow;

use glam::{DMat3, DVec3};

use super::intersect::WideCache;
use super::layout::{LEAF, NO_CHILD, WIDTH, WideNode};
use super::relative_pose::exp2;
use super::tree::{TreeFrame, WideTree};
use crate::bvh::{FaceSweep, FaceSweepCache, MeshIndex};
use crate::geom::triangle_distance;
use crate::math::Pose;
use crate::math::sort::sort_few;
use crate::query::{Bounded, FaceId, FacePair, Limits, NearPair, Outcome, Separation, Sink, Work};

pub(super) fn intersections(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut WideCache,
    sink: &mut dyn Sink<FacePair>,
) -> Outcome {
    cache.work = Work::default();
    if !limits.allows(0) || limits.is_stopped() {
        return Outcome::OutOfBudget;
    }
    // Meshes that are merely far apart need no look at their faces.
    let [root_a, root_b] = roots(a, b, a_from_b);
    cache.work.volume_tests = 1;
    if root_a.distance_at_least(&root_b) > 2.0 * a.rounding(b, a_from_b) {
        return Outcome::Complete;
    }
    let config = Default::default();
    let (index_a, index_b) = (
        FaceSweep::build(a.mesh.clone(), &config),
        FaceSweep::build(b.mesh.clone(), &config),
    );
    let mut scratch = FaceSweepCache::default();
    let limits = Limits {
        max_tests: limits.max_tests.map(|max| max.saturating_sub(1)),
        ..limits
    };
    let outcome = index_a.intersections(&index_b, a_from_b, limits, &mut scratch, sink);
    cache.work += FaceSweep::work(&scratch);
    outcome
}

/// An oriented box in `f64`.
#[derive(Clone, Copy, Debug)]
struct ObbF64 {
    center: DVec3,
    half: DVec3,
    axes: DMat3,
}

impl ObbF64 {
    fn of(node: &WideNode, k: usize) -> Self {
        let at = |x: &[[f32; WIDTH]; 3]| DVec3::from([x[0][k], x[1][k], x[2][k]].map(f64::from));
        Self {
            center: at(&node.center),
            half: at(&node.half),
            axes: DMat3::from_cols(at(&node.axis[0]), at(&node.axis[1]), at(&node.axis[2])),
        }
    }

    /// The box in world units, placed.
    fn placed(&self, frame: &TreeFrame, pose: &Pose) -> Self {
        let unit = exp2(frame.exponent);
        Self {
            center: pose.transform_point(frame.center + self.center * unit),
            half: self.half * unit,
            axes: *pose.rotation() * self.axes,
        }
    }

    /// A distance that no two points of the boxes fall below, by the axes of both and the line
    /// between the centres. Stored extents exceed the true ones by far more than `f64` rounds.
    fn distance_at_least(&self, other: &Self) -> f64 {
        let t = other.center - self.center;
        let radius = |b: &Self, n: DVec3| (b.axes.transpose() * n).abs().dot(b.half);
        let gap = |n: DVec3| (n.dot(t).abs() - radius(self, n) - radius(other, n)).max(0.0);
        let length = t.length();
        let by_centers = if length > 0.0 { gap(t / length) } else { 0.0 };
        let by_axes = |axes: &DMat3| {
            DVec3::new(gap(axes.x_axis), gap(axes.y_axis), gap(axes.z_axis)).length()
        };
        let best = by_centers
            .max(by_axes(&self.axes))
            .max(by_axes(&other.axes));
        best * (1.0 - 1e-6)
    }
}

/// The boxes around everything, in a's frame.
fn roots(a: &WideTree, b: &WideTree, a_from_b: &Pose) -> [ObbF64; 2] {
    [
        ObbF64::of(&a.root, 0).placed(&a.frame, &Pose::IDENTITY),
        ObbF64::of(&b.root, 0).placed(&b.frame, a_from_b),
    ]
}

/// A pair of subtrees and the least distance between their boxes.
struct OpenPair {
    a: (u32, ObbF64),
    b: (u32, ObbF64),
    at_least: f64,
}

/// Pushes the pairs that a pair opens into, those nearer than `best`.
fn open(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    pair: &OpenPair,
    best: f64,
    work: &mut Work,
    stack: &mut Vec<OpenPair>,
) {
    let opens_a = pair.b.0 & LEAF != 0
        || (pair.a.0 & LEAF == 0 && pair.a.1.half.element_sum() >= pair.b.1.half.element_sum());
    let (node, other) = if opens_a {
        (&a.nodes[pair.a.0 as usize], &pair.b.1)
    } else {
        (&b.nodes[pair.b.0 as usize], &pair.a.1)
    };
    for k in 0..WIDTH {
        if node.child[k] == NO_CHILD {
            continue;
        }
        work.volume_tests += 1;
        let child = ObbF64::of(node, k);
        let child = if opens_a {
            child.placed(&a.frame, &Pose::IDENTITY)
        } else {
            child.placed(&b.frame, a_from_b)
        };
        let at_least = child.distance_at_least(other);
        if at_least <= best {
            let child = (node.child[k], child);
            stack.push(OpenPair {
                a: if opens_a { child } else { pair.a },
                b: if opens_a { pair.b } else { child },
                at_least,
            });
        }
    }
}

/// Shows every pair of faces of two leaves with its distance, until enough was seen.
fn separations(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    pair: &OpenPair,
    work: &mut Work,
    mut visit: impl FnMut(NearPair) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let leaf_a = &a.leaves[(pair.a.0 & !LEAF) as usize];
    let leaf_b = &b.leaves[(pair.b.0 & !LEAF) as usize];
    for &face_a in &leaf_a.face[..leaf_a.count as usize] {
        for &face_b in &leaf_b.face[..leaf_b.count as usize] {
            work.face_tests += 1;
            let faces = FacePair {
                a: FaceId::new(face_a),
                b: FaceId::new(face_b),
            };
            let corners_b = b.mesh.triangle(faces.b);
            let placed = corners_b.map(|p| a_from_b.transform_point(p));
            let separation = triangle_distance(&a.mesh.triangle(faces.a), &placed);
            visit(NearPair { faces, separation })?;
        }
    }
    ControlFlow::Continue(())
}

/// Reports every pair of faces at most `distance` apart.
pub(super) fn near_pairs(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    distance: f64,
    limits: Limits<'_>,
    cache: &mut WideCache,
    sink: &mut dyn Sink<NearPair>,
) -> Outcome {
    let [root_a, root_b] = roots(a, b, a_from_b);
    let reach = distance + 2.0 * a.rounding(b, a_from_b);
    cache.work.volume_tests += 1;
    let mut stack = vec![OpenPair {
        a: (0, root_a),
        b: (0, root_b),
        at_least: root_a.distance_at_least(&root_b),
    }];
    while let Some(pair) = stack.pop() {
        if pair.at_least > reach {
            continue;
        }
        if !limits.allows(cache.work.tests()) || limits.is_stopped() {
            return Outcome::OutOfBudget;
        }
        if pair.a.0 & pair.b.0 & LEAF == 0 {
            let bottom = stack.len();
            open(a, b, a_from_b, &pair, reach, &mut cache.work, &mut stack);
            sort_few(&mut stack[bottom..], |x, y| {
                y.at_least.total_cmp(&x.at_least)
            });
            continue;
        }
        let stopped = separations(a, b, a_from_b, &pair, &mut cache.work, |near| {
            if near.separation.distance <= distance {
                sink.accept(near)
            } else {
                ControlFlow::Continue(())
            }
        });
        if stopped.is_break() {
            return Outcome::StoppedBySink;
        }
    }
    Outcome::Complete
}

/// The distance by the same trees in `f64`, nearest boxes first.
///
/// Pairs are skipped only when their boxes are farther apart than the best distance and what rounding may hide. Let `R` be the
/// largest coordinate involved, the translation's included. A placed centre, and each placed vertex, is off by at most 4 units of rounding of `R` in each
/// coordinate, 7 in all; the difference of centres and its projection add 5, and the measured distance another 8, so that box and faces disagree by less than
/// 32. [`WideTree::rounding`] is 32 units of a sum that exceeds `R`.
pub(super) fn distance(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<Separation>> {
    cache.work = Work::default();
    let [root_a, root_b] = roots(a, b, a_from_b);
    let slack = a.rounding(b, a_from_b);
    let mut stack = vec![OpenPair {
        a: (0, root_a),
        b: (0, root_b),
        at_least: root_a.distance_at_least(&root_b),
    }];
    let mut best = limits.within();
    let mut found: Option<(Separation, FacePair)> = None;
    while let Some(pair) = stack.pop() {
        if pair.at_least > best + slack {
            continue;
        }
        if !limits.allows(cache.work.tests()) || limits.is_stopped() {
            let lower = stack.iter().fold(pair.at_least, |m, p| m.min(p.at_least));
            return Bounded {
                value: found.map(|(s, _)| s),
                lower: (lower.min(best) - slack).max(0.0),
                upper: found.map_or(f64::INFINITY, |(s, _)| s.distance + slack),
                outcome: Outcome::OutOfBudget,
            };
        }
        if pair.a.0 & pair.b.0 & LEAF != 0 {
            let _ = separations(a, b, a_from_b, &pair, &mut cache.work, |near| {
                let (s, faces) = (near.separation, near.faces);
                let key = (s.distance, faces);
                if s.distance <= best && found.is_none_or(|(f, p)| key < (f.distance, p)) {
                    best = s.distance;
                    found = Some((s, faces));
                }
                ControlFlow::Continue(())
            });
            continue;
        }
        let bottom = stack.len();
        let reach = best + slack;
        open(a, b, a_from_b, &pair, reach, &mut cache.work, &mut stack);
        sort_few(&mut stack[bottom..], |x, y| {
            y.at_least.total_cmp(&x.at_least)
        });
    }
    Bounded {
        value: found.map(|(s, _)| s),
        lower: (found.map_or(best, |(s, _)| s.distance) - slack).max(0.0),
        upper: found.map_or(f64::INFINITY, |(s, _)| s.distance + slack),
        outcome: Outcome::Complete,
    }
}
