//! Joining holes to their outline by bridges, so that one loop remains.
//!
//! Holes are processed from right to left: then the outline, with the holes joined so far, has a
//! corner visible from the hole's rightmost corner. Candidates are tried from near to far, each by
//! exact signs. A first round accepts only bridges that touch nothing; a second accepts touching,
//! for holes that share points with the outline; a hole without a bridge is left out.

use glam::DVec2;

use super::ear_clipping::OutlineCorner;
use super::orientation::{is_same_way, segments_cross, segments_meet, turn};
use crate::math::sort::sort_many;

/// How many edges may be tested for one face: far more than any sane face needs, few enough to end soon.
const MAX_EDGE_TESTS: usize = 1 << 28;

/// Joins clockwise holes to a counter-clockwise outline and returns the numbers of those left out.
pub(super) fn join_holes(
    outline: &mut Vec<OutlineCorner>,
    holes: &[Vec<OutlineCorner>],
) -> Vec<u32> {
    let mut order: Vec<(usize, usize)> = holes
        .iter()
        .enumerate()
        .map(|(hole, corners)| (hole, rightmost(corners)))
        .collect();
    sort_many(&mut order, |&(h, i), &(g, j)| {
        let (p, q) = (holes[h][i].at, holes[g][j].at);
        q.x.total_cmp(&p.x)
            .then(q.y.total_cmp(&p.y))
            .then(h.cmp(&g))
    });
    let mut ignored = Vec::new();
    let mut budget = MAX_EDGE_TESTS;
    for (step, &(hole, start)) in order.iter().enumerate() {
        let waiting: Vec<&[OutlineCorner]> = order[step..]
            .iter()
            .map(|&(h, _)| holes[h].as_slice())
            .collect();
        match find_bridge(outline, &holes[hole], start, &waiting, &mut budget) {
            Some(end) => splice(outline, end, &holes[hole], start),
            None => ignored.push(hole as u32),
        }
    }
    ignored.sort_unstable();
    ignored
}

fn rightmost(corners: &[OutlineCorner]) -> usize {
    let mut best = 0;
    for (i, corner) in corners.iter().enumerate() {
        let (p, q) = (corner.at, corners[best].at);
        if p.x > q.x || (p.x == q.x && p.y > q.y) {
            best = i;
        }
    }
    best
}

/// The outline with the hole in it, entered and left through the same bridge.
fn splice(outline: &mut Vec<OutlineCorner>, end: usize, hole: &[OutlineCorner], start: usize) {
    let mut detour = Vec::with_capacity(hole.len() + 2);
    detour.extend_from_slice(&hole[start..]);
    detour.extend_from_slice(&hole[..=start]);
    detour.push(outline[end]);
    outline.splice(end + 1..end + 1, detour);
}

/// The outline's corner to which the hole's corner `start` can be joined.
fn find_bridge(
    outline: &[OutlineCorner],
    hole: &[OutlineCorner],
    start: usize,
    waiting: &[&[OutlineCorner]],
    budget: &mut usize,
) -> Option<usize> {
    let from = hole[start].at;
    let mut candidates: Vec<(f64, usize)> = outline
        .iter()
        .enumerate()
        .map(|(i, corner)| ((corner.at - from).length_squared(), i))
        .collect();
    sort_many(&mut candidates, |p, q| {
        p.0.total_cmp(&q.0).then(p.1.cmp(&q.1))
    });
    let edges: usize = outline.len() + waiting.iter().map(|h| h.len()).sum::<usize>();
    for touching in [false, true] {
        for &(_, end) in &candidates {
            if !opens_towards(outline, end, from, touching)
                || !opens_towards(hole, start, outline[end].at, touching)
            {
                continue;
            }
            if *budget < edges {
                return None;
            }
            *budget -= edges;
            let to = outline[end].at;
            let mut loops = std::iter::once(outline).chain(waiting.iter().copied());
            if !loops.any(|corners| is_obstructed(corners, from, to, touching)) {
                return Some(end);
            }
        }
    }
    None
}

/// Whether the inside, left of the loop, is in the direction of `target` at a corner.
fn opens_towards(corners: &[OutlineCorner], at: usize, target: DVec2, touching: bool) -> bool {
    let k = corners.len();
    let previous = corners[(at + k - 1) % k].at;
    let next = corners[(at + 1) % k].at;
    let p = corners[at].at;
    if p == target {
        return touching;
    }
    let (into, out) = (turn(previous, p, target), turn(p, next, target));
    match (turn(previous, p, next).is_positive(), touching) {
        (true, false) => into.is_positive() && out.is_positive(),
        (true, true) => !into.is_negative() && !out.is_negative(),
        (false, false) => into.is_positive() || out.is_positive(),
        (false, true) => !into.is_negative() || !out.is_negative(),
    }
}

fn is_obstructed(corners: &[OutlineCorner], from: DVec2, to: DVec2, touching: bool) -> bool {
    let Some(last) = corners.last() else {
        return false;
    };
    let mut a = last.at;
    for corner in corners {
        let b = corner.at;
        let hit = if touching {
            segments_cross(from, to, a, b)
        } else {
            overlaps(from, to, a, b)
        };
        if hit {
            return true;
        }
        a = b;
    }
    false
}

/// Whether an edge has a point of the bridge other than a common end.
fn overlaps(from: DVec2, to: DVec2, a: DVec2, b: DVec2) -> bool {
    let shared = |p: DVec2| p == from || p == to;
    let (end, other) = match (shared(a), shared(b)) {
        (false, false) => return segments_meet(from, to, a, b),
        (true, true) => return a != b,
        (true, false) => (a, b),
        (false, true) => (b, a),
    };
    let far = if end == from { to } else { from };
    turn(from, to, other).is_zero() && is_same_way(end, far, other)
}
