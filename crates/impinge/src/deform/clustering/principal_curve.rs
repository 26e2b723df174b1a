//! Principal curve: a polyline through the middle of a cluster, whose segments are clusters of their own.
//!
//! **Question.** Along a straight axis, front and back of a bent surface overlap. Can faces be
//! swept along a bent one without losing pairs?
//! **Idea.** Fit a polygonal line. It starts on the principal axis. In turn, every point is
//! assigned to its nearest segment or vertex, and each vertex moves to the mean of the points near
//! it, pulled towards the line between its neighbours; then the segment with most points is halved.
//! The midpoints of the segments divide the cluster into cells. A face joins every cell that may
//! contain a point of it, and each cell is swept separately along a straight axis: along its
//! segment or across it, whichever has the fewest pairs when they are counted.
//! **Source.** Kégl et al. 2000, with a plain mean in place of their line search; Mainzer's thesis 5.2.2, which found no way to
//! sweep along the curve without losing collisions. The cells are ours.
//! **Promise.** A common point of two faces is nearest to some middle; both faces join its cell by the rule of [`FaceAssignment::Safe`](super::FaceAssignment::Safe), which
//! holds for any centres.
//! **Limits.** A fit takes time with the square of the number of segments.

use glam::DVec3;

/// Rounds of moving vertices for each number of segments.
const ROUNDS: usize = 6;
/// How much a vertex is pulled towards the middle of its neighbours.
const STIFFNESS: f64 = 0.3;

/// A polygonal line through the middle of points.
///
/// ```
/// use impinge::{deform::clustering::PrincipalCurve, DVec3};
/// let points: Vec<DVec3> = (0..50).map(|i| DVec3::new(f64::from(i), 2.0, 0.0)).collect();
/// let line = PrincipalCurve::fit(&points, DVec3::X, 2);
/// assert_eq!((line.vertices().len(), line.middles().len()), (3, 2));
/// assert!(line.vertices().iter().all(|v| (v.y - 2.0).abs() < 1e-9));
/// assert!(line.directions().iter().all(|d| (*d - DVec3::X).length() < 1e-9));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalCurve {
    vertices: Vec<DVec3>,
}

impl PrincipalCurve {
    /// The line of this many segments, at least one, that starts along `axis`.
    #[must_use]
    pub fn fit(points: &[DVec3], axis: DVec3, segments: usize) -> Self {
        let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let along = points.iter().map(|&p| (p - mean).dot(axis));
        let (low, high) = along.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
        let mut line = Self {
            vertices: vec![mean + axis * low, mean + axis * high],
        };
        while line.vertices.len() <= segments {
            line.settle(points);
            line.halve(points);
        }
        line.settle(points);
        line
    }

    /// Moves the vertices further, to follow points that have moved.
    ///
    /// ```
    /// use impinge::{deform::clustering::PrincipalCurve, DVec3};
    /// let mut points: Vec<DVec3> = (0..50).map(|i| DVec3::X * f64::from(i)).collect();
    /// let mut line = PrincipalCurve::fit(&points, DVec3::X, 1);
    /// points.iter_mut().for_each(|p| p.z = 1.0);
    /// line.settle(&points);
    /// assert!(line.vertices().iter().all(|v| (v.z - 1.0).abs() < 0.1));
    /// ```
    pub fn settle(&mut self, points: &[DVec3]) {
        for _ in 0..ROUNDS {
            move_vertices(&mut self.vertices, points);
        }
    }

    /// The vertices, one more than segments.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The middle of each segment.
    #[must_use]
    pub fn middles(&self) -> Vec<DVec3> {
        let middle = |pair: &[DVec3]| pair.iter().map(|&v| v * 0.5).sum();
        self.vertices.windows(2).map(middle).collect()
    }

    /// The unit direction of each segment; x for one without length.
    #[must_use]
    pub fn directions(&self) -> Vec<DVec3> {
        let direction = |pair: &[DVec3]| match pair {
            [from, to] => (*to - *from).normalize_or(DVec3::X),
            _ => DVec3::X,
        };
        self.vertices.windows(2).map(direction).collect()
    }

    /// Halves the segment with most points, the longest of several.
    fn halve(&mut self, points: &[DVec3]) {
        let vertices = &mut self.vertices;
        let mut counts = vec![0_usize; vertices.len() - 1];
        for &p in points {
            counts[nearest_segment(vertices, p)] += 1;
        }
        let length = |s: usize| vertices[s].distance(vertices[s + 1]);
        let most = (0..counts.len()).max_by(|&s, &t| {
            let lengths = length(s).total_cmp(&length(t));
            counts[s].cmp(&counts[t]).then(lengths).then(t.cmp(&s))
        });
        if let Some(most) = most {
            let middle = vertices[most] * 0.5 + vertices[most + 1] * 0.5;
            vertices.insert(most + 1, middle);
        }
    }
}

/// The point of a segment that is nearest to a point.
struct CurveFoot {
    distance: f64,
    /// Where it is, as a part of the length.
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
fn move_vertices(vertices: &mut [DVec3], points: &[DVec3]) {
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
