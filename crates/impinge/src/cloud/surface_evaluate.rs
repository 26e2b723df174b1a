//! Evaluates the implicit function of a cloud at a point: which points count, and with which weight.

use glam::DVec3;

use super::evaluation::{
    Evaluation, EvaluationEnd, EvaluationScratch, ImplicitSurface, Undefined, WeightedMoments,
};
use super::gauss_quadrature::offsets;
use super::geodesic_paths::PathMap;
use super::implicit_surface::{CloudSurface, WIDEST};
use super::point_cloud::PointId;
use super::surface_options::{Bandwidth, CovarianceCentre, WeightDistance};
use crate::math::is_valid_point;

/// A local kernel is widened in steps of this, up to [`WIDEST`].
const WIDER: f64 = 1.145;

/// Where a place is anchored to the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphAnchor {
    /// The nearest point, and the other end of the nearest edge at it.
    pub(super) ends: [PointId; 2],
    /// Where on the edge the place projects to, from 0 to 1.
    pub(super) t: f64,
    /// The edge's length.
    pub(super) edge: f64,
    /// The local spacing.
    pub(super) spacing: f64,
}

impl CloudSurface {
    /// Where a place is anchored: the nearest edge at the nearest point; none when that point has no edge.
    #[inline]
    pub(super) fn anchor(&self, x: DVec3, nearest: PointId) -> Option<GraphAnchor> {
        let graph = &*self.graph;
        let from = graph.points[nearest.index()];
        let to_x = x - from;
        let mut best = (f64::INFINITY, nearest, 0.0, 0.0);
        for &q in graph.neighbours(nearest) {
            let along = graph.points[q.index()] - from;
            let length_sq = along.length_squared();
            let t = if length_sq > 0.0 {
                (to_x.dot(along) / length_sq).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let off = (to_x - along * t).length_squared();
            if off < best.0 {
                best = (off, q, t, length_sq);
            }
        }
        let (off, other, t, length_sq) = best;
        off.is_finite().then(|| GraphAnchor {
            ends: [nearest, other],
            t,
            edge: length_sq.sqrt(),
            spacing: (1.0 - t) * graph.spacing(nearest) + t * graph.spacing(other),
        })
    }

    fn finish(
        &self,
        x: DVec3,
        moments: &WeightedMoments,
        nearest: PointId,
        h: f64,
        end: f64,
        spacing: f64,
    ) -> Evaluation {
        let finish = EvaluationEnd {
            reference: self.graph.points[nearest.index()],
            bandwidth: h,
            min_support: self.options.min_support,
            about_place: self.options.centre == CovarianceCentre::Place,
            border: self.border(spacing, end),
            facing: self
                .normals
                .get(nearest.index())
                .copied()
                .unwrap_or(DVec3::ZERO),
        };
        finish.finish(x, moments)
    }

    fn euclidean(&self, x: DVec3, nearest: PointId) -> Evaluation {
        let graph = &*self.graph;
        let spacing = match (self.options.bandwidth, self.anchor(x, nearest)) {
            (_, Some(anchor)) => anchor.spacing,
            (Bandwidth::Fixed(_), None) => 0.0,
            (Bandwidth::Local { .. }, None) => {
                return Evaluation::undefined(Undefined::Isolated);
            }
        };
        let reference = graph.points[nearest.index()];
        self.widened(x, nearest, spacing, |h, end, moments| {
            let inverse = 1.0 / h;
            graph.tree.visit_within(x, end, |slot, distance_sq| {
                let weight = self.options.kernel.weight(distance_sq.sqrt() * inverse);
                if weight > 0.0 {
                    moments.add(slot.place - reference, weight);
                }
            });
        })
    }

    fn geodesic(&self, x: DVec3, nearest: PointId, scratch: &mut EvaluationScratch) -> Evaluation {
        let (Some(anchor), Some(paths)) = (self.anchor(x, nearest), &self.paths) else {
            return Evaluation::undefined(Undefined::Isolated);
        };
        let places = &self.graph.points;
        let reference = places[nearest.index()];
        let kernel = self.options.kernel;
        self.widened(x, nearest, anchor.spacing, |h, end, moments| {
            let inverse = 1.0 / h;
            let mut add = |point: PointId, distance: f64| {
                if distance <= end {
                    let weight = kernel.weight(distance * inverse);
                    if weight > 0.0 {
                        moments.add(places[point.index()] - reference, weight);
                    }
                }
            };
            if let WeightDistance::Averaged(width) = self.options.distance {
                self.averaged(x, width * anchor.spacing, paths, end, scratch);
                for (point, &(sum, weight)) in scratch.sums.iter() {
                    // From where the point is not seen, it is at the horizon at least.
                    add(point, sum + (1.0 - weight) * end);
                }
            } else {
                self.blended(paths, &anchor, end, scratch, add);
            }
        })
    }

    /// The evaluation with the points that `gather` finds for a bandwidth and horizon; a local bandwidth is widened until enough count.
    #[inline]
    fn widened(
        &self,
        x: DVec3,
        nearest: PointId,
        spacing: f64,
        mut gather: impl FnMut(f64, f64, &mut WeightedMoments),
    ) -> Evaluation {
        let (h, end) = self.width(spacing);
        let most = match self.options.bandwidth {
            Bandwidth::Fixed(_) => 1.0,
            Bandwidth::Local { .. } => WIDEST,
        };
        let mut factor = 1.0;
        loop {
            let mut moments = WeightedMoments::default();
            gather(h * factor, end * factor, &mut moments);
            let is_enough = moments.support >= self.options.min_support;
            if is_enough || factor * WIDER > most {
                return self.finish(x, &moments, nearest, h * factor, end * factor, spacing);
            }
            factor *= WIDER;
        }
    }

    /// Visits the points that may count with their distance from an anchored place.
    #[inline]
    fn blended(
        &self,
        paths: &PathMap,
        anchor: &GraphAnchor,
        end: f64,
        scratch: &mut EvaluationScratch,
        mut visit: impl FnMut(PointId, f64),
    ) {
        let lengths = &mut scratch.lengths;
        lengths.clear();
        let by_hops = self.options.distance == WeightDistance::Hops;
        for (side, &from) in anchor.ends.iter().enumerate() {
            for reached in paths.from(from) {
                // From the other end it is nearer by the edge at most.
                if reached.length > end + anchor.edge {
                    break;
                }
                let factor = if by_hops {
                    f64::from(reached.hops.max(1))
                } else {
                    1.0
                };
                lengths.entry(reached.point, [f64::INFINITY; 2])[side] = reached.length * factor;
            }
        }
        let (t, edge) = (anchor.t, anchor.edge);
        let shortest = self.options.distance == WeightDistance::Shortest;
        for (point, &[l1, l2]) in lengths.iter() {
            // What only one list holds is at most an edge farther from the other end.
            let (l1, l2) = (l1.min(l2 + edge), l2.min(l1 + edge));
            let (d1, d2) = (l1 + t * edge, l2 + (1.0 - t) * edge);
            let distance = if shortest {
                d1.min(d2)
            } else {
                (1.0 - t) * d1 + t * d2
            };
            visit(point, distance);
        }
    }

    /// The function at a place that is known to be valid and nearest to this point; not counted.
    #[inline]
    pub(super) fn evaluate_from(
        &self,
        x: DVec3,
        nearest: PointId,
        scratch: &mut EvaluationScratch,
    ) -> Evaluation {
        match self.options.distance {
            WeightDistance::Euclidean => self.euclidean(x, nearest),
            _ => self.geodesic(x, nearest, scratch),
        }
    }

    /// Sums distances over a place and those around it, by the weights of a Gaussian.
    fn averaged(
        &self,
        x: DVec3,
        deviation: f64,
        paths: &PathMap,
        end: f64,
        scratch: &mut EvaluationScratch,
    ) {
        let mut sums = std::mem::take(&mut scratch.sums);
        sums.clear();
        for (offset, weight) in offsets(deviation) {
            let place = x + offset;
            let Some(nearest) = self.graph.tree.nearest(place) else {
                continue;
            };
            if let Some(anchor) = self.anchor(place, nearest.point) {
                self.blended(paths, &anchor, end, scratch, |point, distance| {
                    let sum = sums.entry(point, (0.0, 0.0));
                    sum.0 += weight * distance.min(end);
                    sum.1 += weight;
                });
            }
        }
        scratch.sums = sums;
    }
}

impl ImplicitSurface for CloudSurface {
    fn evaluate(&self, x: DVec3, scratch: &mut EvaluationScratch) -> Evaluation {
        scratch.evaluations += 1;
        if !is_valid_point(x) {
            return Evaluation::undefined(Undefined::NotFinite);
        }
        let Some(nearest) = self.graph.tree.nearest(x) else {
            return Evaluation::undefined(Undefined::Empty);
        };
        self.evaluate_from(x, nearest.point, scratch)
    }
}
