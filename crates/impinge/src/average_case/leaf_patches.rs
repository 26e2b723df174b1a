//! Leaf test: do the thin surface slabs in two leaves intersect?
//!
//! **Idea.** A leaf's surface lies in a slab. If the slab of one leaf misses the box of the other,
//! they are certainly disjoint. Otherwise both surfaces are approximated by planes. The planes
//! intersect in a line, and the cells that contain both surfaces lie along it: as many as fit on
//! the part of the line inside both boxes, each filled in proportion to the leaves. Leaves that are
//! not thin, and parallel ones, use the cells of their boxes.
//! **Source.** Ours: the cells of Klein 2005, restricted to the places where the surfaces can
//! intersect.

use glam::Vec3;

use super::node::AverageNode;
use super::relative_pose::RelativePose;

/// Slabs thicker than this fraction of their box say little.
const THIN: f32 = 0.6;
/// Squared sine of the angle below which planes count as parallel.
const PARALLEL: f32 = 4e-3;
/// How sure a cell on the line of both planes is.
const CROSSING: f32 = 0.7;
/// Expected meetings of leaves whose planes do not meet within their boxes: surfaces are not quite plane.
const MISSING: f32 = 0.15;
/// How sure a cell is that two thick leaves may share.
const THICK: f32 = 0.18;

/// Two leaves whose boxes overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafPair<'t> {
    pub(super) a: &'t AverageNode,
    pub(super) b: &'t AverageNode,
    /// From the centre of the first to that of the second, in the frame of the first tree.
    pub(super) between: Vec3,
    /// Cells along each side of a node.
    pub(super) side: f32,
}

/// The expected number of places where the surfaces of two leaves meet; none when they are apart for certain. `boxes` is what the boxes alone say.
pub(super) fn meetings(
    relative: &RelativePose,
    pair: &LeafPair<'_>,
    boxes: f32,
    refinement: f32,
) -> Option<f32> {
    let LeafPair {
        a,
        b,
        between,
        side,
    } = *pair;
    let (half_a, half_b) = (a.half(), b.half());
    let (slab_a, slab_b) = (a.patch().slab(half_a), b.patch().slab(half_b));
    let margin = 4.0 * relative.margin;
    // The second box along the normal of the first slab, from the first centre.
    let normal_a_in_b = relative.back(slab_a.normal);
    let (at, reach) = (
        slab_a.normal.dot(between),
        normal_a_in_b.abs().dot(half_b) * relative.ratio,
    );
    if at - reach > slab_a.high + margin || at + reach < slab_a.low - margin {
        return None;
    }
    let normal_b = relative.forth(slab_b.normal);
    let (low_b, high_b) = (slab_b.low * relative.ratio, slab_b.high * relative.ratio);
    let (at, reach) = (-normal_b.dot(between), normal_b.abs().dot(half_a));
    if at - reach > high_b + margin || at + reach < low_b - margin {
        return None;
    }
    let line = slab_a.normal.cross(normal_b);
    let sine_sq = line.length_squared();
    let is_thin_a = slab_a.high - slab_a.low <= THIN * 2.0 * slab_a.reach;
    let is_thin_b = slab_b.high - slab_b.low <= THIN * 2.0 * slab_b.reach;
    if !is_thin_a || !is_thin_b || sine_sq < PARALLEL {
        return Some(THICK * boxes);
    }
    // A point of both planes, from the first centre.
    let place_a = 0.5 * (slab_a.low + slab_a.high);
    let place_b = 0.5 * (low_b + high_b) + normal_b.dot(between);
    let point = (normal_b.cross(line) * place_a + line.cross(slab_a.normal) * place_b) / sine_sq;
    let along = line / sine_sq.sqrt();
    let (from, to) = clipped(point, along, half_a, (f32::NEG_INFINITY, f32::INFINITY));
    let (point_b, along_b) = (relative.back(point - between), relative.back(along));
    let (from, to) = clipped(point_b, along_b, half_b * relative.ratio, (from, to));
    if from >= to {
        return Some(MISSING);
    }
    let per_edge = a
        .inverse_edge()
        .max(b.inverse_edge() * relative.inverse_ratio);
    let cells = (to - from) * refinement * side * per_edge;
    // A leaf that is one sheet has this many cells.
    let sheet = side * side;
    let fill = |node: &AverageNode| (node.cells() as f32).min(sheet) / sheet;
    let fill = fill(a) * fill(b);
    Some(MISSING + CROSSING * cells * fill)
}

/// The part of a line within a box about the origin.
fn clipped(point: Vec3, along: Vec3, half: Vec3, (mut from, mut to): (f32, f32)) -> (f32, f32) {
    for axis in 0..3 {
        let (p, d, h) = (point[axis], along[axis], half[axis]);
        if d.abs() < 1e-12 {
            if p.abs() > h {
                return (0.0, 0.0);
            }
            continue;
        }
        let (s, t) = ((-h - p) / d, (h - p) / d);
        from = from.max(s.min(t));
        to = to.min(s.max(t));
    }
    (from, to)
}
