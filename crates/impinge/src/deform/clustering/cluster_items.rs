//! What is clustered: one item per face, or several for a face much larger than the others.

use glam::DVec3;

use super::super::Scene;
use super::super::face_boxes::origin_of;
use super::ClusterMetric;

/// Halvings of one face.
const MAX_HALVINGS: u32 = 8;
/// Rounding of a corner: one for the shift, two per halving, twice that for good measure; in units of the largest coordinate.
const CORNER_ERROR: f64 = (2 * MAX_HALVINGS + 2) as f64 * f64::EPSILON;

/// The items of a frame, relative to the middle of the scene.
#[derive(Clone, Debug, Default)]
pub(super) struct ClusterItems {
    /// The face of each item, ascending.
    pub(super) face: Vec<u32>,
    pub(super) corners: Vec<[DVec3; 3]>,
    pub(super) center: Vec<DVec3>,
    /// The largest distance of a corner from the centre.
    pub(super) radius: Vec<f64>,
    /// The largest coordinate.
    pub(super) size: f64,
    /// By how much a computed corner may be off, per axis.
    pub(super) error: f64,
}

impl ClusterItems {
    pub(super) fn new(scene: &Scene, metric: ClusterMetric, subdivide_above: f64) -> Self {
        let origin = origin_of(scene.positions());
        let points: Vec<DVec3> = scene.positions().iter().map(|&p| p - origin).collect();
        let size = points
            .iter()
            .fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
        let mut items = Self {
            size,
            error: CORNER_ERROR * size,
            ..Self::default()
        };
        let faces = scene.faces().iter();
        let triangles = faces.map(|face| face.map(|v| points[v as usize]));
        for (face, corners) in triangles.enumerate() {
            items.push(face as u32, corners, metric);
        }
        if subdivide_above.is_finite() && !items.face.is_empty() {
            items.subdivide(metric, subdivide_above.max(1.0));
        }
        items
    }

    fn push(&mut self, face: u32, corners: [DVec3; 3], metric: ClusterMetric) {
        let center = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners
            .iter()
            .fold(0.0_f64, |r, &p| r.max(metric.distance(p, center)));
        self.face.push(face);
        self.corners.push(corners);
        self.center.push(center);
        self.radius.push(radius);
    }

    /// Halves faces at their longest edge until no piece is larger than this many times the median.
    fn subdivide(&mut self, metric: ClusterMetric, above: f64) {
        let mut radii = self.radius.clone();
        let at = radii.len() / 2;
        let limit = *radii.select_nth_unstable_by(at, f64::total_cmp).1 * above;
        let whole = std::mem::take(self);
        self.size = whole.size;
        self.error = whole.error;
        for (i, &face) in whole.face.iter().enumerate() {
            let mut open = vec![(whole.corners[i], 0)];
            while let Some((corners, halvings)) = open.pop() {
                let before = self.face.len();
                self.push(face, corners, metric);
                if self.radius[before] <= limit || halvings >= MAX_HALVINGS {
                    continue;
                }
                self.face.truncate(before);
                self.corners.truncate(before);
                self.center.truncate(before);
                self.radius.truncate(before);
                for half in halves(corners) {
                    open.push((half, halvings + 1));
                }
            }
        }
    }
}

/// The two halves of a triangle at the middle of its longest edge.
fn halves(corners: [DVec3; 3]) -> [[DVec3; 3]; 2] {
    let length_sq = |i: usize| corners[i].distance_squared(corners[(i + 1) % 3]);
    let first = usize::from(length_sq(1) > length_sq(0));
    let longest = if length_sq(2) > length_sq(first) {
        2
    } else {
        first
    };
    let [p, q, r] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
    let middle = p * 0.5 + q * 0.5;
    [[p, middle, r], [middle, q, r]]
}
