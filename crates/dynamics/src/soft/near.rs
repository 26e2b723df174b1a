//! A vertex near a face, or an edge near an edge: where they are nearest, and whether they meet.

use impinge::DVec3;
use impinge::ccd::linear::{MovingPoint, edge_edge_meet, vertex_face_meet};
use impinge::geom::{closest_point_on_triangle, segment_parameters};

use super::springs::Particle;

/// Two features without a common particle: a vertex and the corners of a face, or the ends of two edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) particles: [u32; 4],
    pub(super) is_edges: bool,
}

/// Where two features are nearest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// How each particle moves the gap: adding up to 0.
    pub(super) weights: [f64; 4],
    /// The unit direction in which the first feature lies.
    pub(super) normal: DVec3,
    /// Their distance is at least this.
    pub(super) distance: f64,
}

/// Relative error of differences along a direction, with room to spare.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Features {
    pub(super) fn starts(&self, particles: &[Particle]) -> [DVec3; 4] {
        self.particles.map(|i| particles[i as usize].start)
    }

    fn ends(&self, particles: &[Particle]) -> [DVec3; 4] {
        self.particles.map(|i| particles[i as usize].end())
    }

    /// Where the features are nearest; none where they touch without a direction between them.
    pub(super) fn nearest(&self, points: [DVec3; 4]) -> Option<Nearest> {
        let [p, q, r, s] = points;
        let (weights, across) = if self.is_edges {
            let near = segment_parameters(p, q, r, s);
            let weights = [1.0 - near.s, near.s, near.t - 1.0, -near.t];
            (weights, (q - p).cross(s - r))
        } else {
            let [u, v, w] = closest_point_on_triangle(p, &[q, r, s]).barycentric;
            ([1.0, -u, -v, -w], (r - q).cross(s - q))
        };
        // Differences first: sums of places would lose digits.
        let gap = (q - p) * weights[1] + (r - p) * weights[2] + (s - p) * weights[3];
        let normal = gap.try_normalize().or_else(|| across.try_normalize())?;
        Some(Nearest {
            weights,
            normal,
            distance: self.lead(points, normal),
        })
    }

    /// How far the whole first feature lies ahead of the second along a unit direction, rounding subtracted: a lower bound of their distance,
    /// whatever the direction.
    fn lead(&self, points: [DVec3; 4], normal: DVec3) -> f64 {
        let from = |k: usize| points[0] - points[k];
        let [b, c, d] = [from(1), from(2), from(3)];
        let size = b.abs().max(c.abs()).max(d.abs()).element_sum();
        let [b, c, d] = [b, c, d].map(|v| normal.dot(v));
        let lead = if self.is_edges {
            c.min(d) + 0.0_f64.min(-b)
        } else {
            b.min(c).min(d)
        };
        lead - ROUNDING * size - f64::MIN_POSITIVE
    }

    /// How far the first feature leads along a direction at the end of the substep.
    pub(super) fn lead_at_end(&self, particles: &[Particle], normal: DVec3) -> f64 {
        self.lead(self.ends(particles), normal)
    }

    /// Whether the features meet while every particle moves on a line to its end. Exact; a plane that parts them at both ends does all the while.
    pub(super) fn meet(&self, particles: &[Particle]) -> bool {
        let (start, end) = (self.starts(particles), self.ends(particles));
        if let Some(near) = self.nearest(start)
            && near.distance > 0.0
            && self.lead_at_end(particles, near.normal) > 0.0
        {
            return false;
        }
        let [a, b, c, d] = std::array::from_fn(|k| MovingPoint::new(start[k], end[k]));
        match (a, b, c, d) {
            (Ok(a), Ok(b), Ok(c), Ok(d)) if self.is_edges => edge_edge_meet([a, b], [c, d]),
            (Ok(a), Ok(b), Ok(c), Ok(d)) => vertex_face_meet(a, [b, c, d]),
            // Out of range: the step is refused by the scene.
            _ => true,
        }
    }
}
