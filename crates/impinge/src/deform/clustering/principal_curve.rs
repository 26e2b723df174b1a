//! A polygonal line through the middle of a cluster, to sweep along.
//!
//! **Question.** A straight axis sees front and back of a bent surface at once. Can faces be sorted along a bent one without losing pairs?
//! **Idea.** Fit a polygonal line: start on the principal axis; in turn, give every point to its nearest segment or vertex and move each vertex to the
//! mean of what is near it, pulled towards the line between its neighbours; then halve the segment with most points. A face gets the span of arc lengths
//! to which a point of it may project: over all segments within `2r` of being nearest, `±r` around the projection of its centre.
//! **Source.** Kégl et al. 2000, with a plain mean in place of their line search; Mainzer's thesis 5.2.2, which found no way to
//! sweep along the curve without losing collisions. The spans are ours.
//! **Promise.** A common point of two faces has one nearest point on the line; its arc length lies in both spans. *Proof.* Let `q` be in a ball of
//! radius `r` around `C`, and its nearest point on segment `s`. Then `d(C, s) ≤ d(q, s) + r ≤ d(q, s') + r ≤ d(C, s') + 2r` for every `s'`, so `s` is
//! looked at; and the projection to a segment does not lengthen distances, so that that of `q` is within `r` of that of `C`. ∎ Where several
//! segments are nearest to `q`, all are looked at, so any choice will do.
//! **Limits.** Slower than the principal axis; for comparison.

use glam::DVec3;

use super::cluster_items::ClusterItems;

/// Rounds of moving vertices for each number of segments.
const ROUNDS: usize = 6;
/// How much a vertex is pulled towards the middle of its neighbours.
const STIFFNESS: f64 = 0.3;
/// The most points that the line is fitted to.
const MOST_POINTS: usize = 4096;

/// The line, with the arc length at the start of each segment.
#[derive(Clone, Debug)]
pub(super) struct PrincipalCurve {
    vertices: Vec<DVec3>,
    starts: Vec<f64>,
}

impl PrincipalCurve {
    pub(super) fn fit(items: &ClusterItems, list: &[u32], axis: DVec3, segments: usize) -> Self {
        let stride = list.len().div_ceil(MOST_POINTS).max(1);
        let points: Vec<DVec3> = list
            .iter()
            .step_by(stride)
            .map(|&i| items.center[i as usize])
            .collect();
        let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let along = points.iter().map(|&p| (p - mean).dot(axis));
        let (low, high) = along.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
        let mut vertices = vec![mean + axis * low, mean + axis * high];
        while vertices.len() <= segments {
            for _ in 0..ROUNDS {
                settle(&mut vertices, &points);
            }
            // Halve the segment with most points, the longest of several.
            let mut counts = vec![0_usize; vertices.len() - 1];
            for &p in &points {
                counts[nearest_segment(&vertices, p)] += 1;
            }
            let length = |s: usize| vertices[s].distance(vertices[s + 1]);
            let most = (0..counts.len()).max_by(|&s, &t| {
                let lengths = length(s).total_cmp(&length(t));
                counts[s].cmp(&counts[t]).then(lengths).then(t.cmp(&s))
            });
            let Some(most) = most else {
                break;
            };
            let middle = vertices[most] * 0.5 + vertices[most + 1] * 0.5;
            vertices.insert(most + 1, middle);
        }
        for _ in 0..ROUNDS {
            settle(&mut vertices, &points);
        }
        let mut starts = vec![0.0];
        for pair in vertices.windows(2) {
            let last = starts.last().copied().unwrap_or(0.0);
            starts.push(last + pair[0].distance(pair[1]));
        }
        Self { vertices, starts }
    }

    /// The arc lengths to which points of an item may project.
    pub(super) fn span(&self, items: &ClusterItems, item: usize, error: f64) -> [f64; 2] {
        let center = items.center[item];
        // The largest Euclidean distance of a corner, whatever the metric of the clusters.
        let radius = items.corners[item]
            .iter()
            .fold(0.0_f64, |r, p| r.max(p.distance(center)))
            + error;
        let segment = |s: usize| CurveFoot::new(self.vertices[s], self.vertices[s + 1], center);
        let count = self.vertices.len() - 1;
        let least = (0..count).fold(f64::INFINITY, |d, s| d.min(segment(s).distance));
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        for s in 0..count {
            let foot = segment(s);
            if foot.distance > least + 2.0 * radius + error {
                continue;
            }
            let length = self.starts[s + 1] - self.starts[s];
            let from = (foot.along - radius).clamp(0.0, length) + self.starts[s];
            let to = (foot.along + radius).clamp(0.0, length) + self.starts[s];
            span = [span[0].min(from), span[1].max(to)];
        }
        // Arc lengths are sums over all segments.
        let slack = error * self.starts.len() as f64;
        [span[0] - slack, span[1] + slack]
    }
}

/// The point of a segment that is nearest to a point.
struct CurveFoot {
    /// Its distance from the start of the segment.
    along: f64,
    distance: f64,
    /// The same as a part of the length.
    part: f64,
}

impl CurveFoot {
    fn new(from: DVec3, to: DVec3, p: DVec3) -> Self {
        let d = to - from;
        let length_sq = d.length_squared();
        let part = if length_sq > 0.0 {
            ((p - from).dot(d) / length_sq).clamp(0.0, 1.0)
        } else {
            0.0
        };
        Self {
            along: part * length_sq.sqrt(),
            distance: p.distance(from + d * part),
            part,
        }
    }
}

fn nearest_segment(vertices: &[DVec3], p: DVec3) -> usize {
    let mut best = (0, f64::INFINITY);
    for (s, pair) in vertices.windows(2).enumerate() {
        let distance = CurveFoot::new(pair[0], pair[1], p).distance;
        if distance < best.1 {
            best = (s, distance);
        }
    }
    best.0
}

/// Moves each vertex towards the mean of the points near it and the middle of its neighbours.
fn settle(vertices: &mut [DVec3], points: &[DVec3]) {
    let mut sums = vec![(DVec3::ZERO, 0.0); vertices.len()];
    for &p in points {
        let s = nearest_segment(vertices, p);
        let part = CurveFoot::new(vertices[s], vertices[s + 1], p).part;
        for (v, weight) in [(s, 1.0 - part), (s + 1, part)] {
            // The point, less what the other vertex contributes to the line there.
            let other = if v == s { vertices[s + 1] } else { vertices[s] };
            let off = p - (vertices[v] * weight + other * (1.0 - weight));
            sums[v].0 += off * weight;
            sums[v].1 += weight;
        }
    }
    let old = vertices.to_vec();
    for (i, vertex) in vertices.iter_mut().enumerate() {
        if sums[i].1 > 0.0 {
            *vertex += sums[i].0 / sums[i].1;
        }
        if i > 0 && i + 1 < old.len() {
            let middle = old[i - 1] * 0.5 + old[i + 1] * 0.5;
            *vertex = *vertex * (1.0 - STIFFNESS) + middle * STIFFNESS;
        }
    }
}
