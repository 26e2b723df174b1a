//! The axes along which a cluster is swept, and its boxes there.

use glam::{DMat3, DVec3};

use super::super::refit::LaneBounds;
use super::SweepAxis;
use super::cluster_items::ClusterItems;
use crate::math::eigen::symmetric_eigen;

/// How the faces of one cluster are seen.
#[derive(Clone, Debug)]
pub(super) struct ClusterFrame {
    /// Rows: the sweep axis, the second, the third.
    axes: [DVec3; 3],
    /// What a coordinate along an axis may be off.
    error: f64,
}

impl ClusterFrame {
    /// The axes for these items; `last` are those of the last frame, whose directions are kept.
    pub(super) fn new(
        items: &ClusterItems,
        list: &[u32],
        axis: SweepAxis,
        last: Option<&Self>,
    ) -> Self {
        let axes = match axis {
            SweepAxis::Fixed(k) => [0, 1, 2].map(|i| DVec3::AXES[(k % 3 + i) % 3]),
            SweepAxis::Principal | SweepAxis::Curve { .. } => {
                let mut axes = principal(items, list);
                if let Some(last) = last {
                    // An axis that turned around would turn the sorted list around.
                    for (axis, old) in axes.iter_mut().zip(last.axes) {
                        if axis.dot(old) < 0.0 {
                            *axis = -*axis;
                        }
                    }
                }
                axes
            }
        };
        Self::with_axes(items, axes)
    }

    /// These axes: the sweep axis first.
    pub(super) fn with_axes(items: &ClusterItems, axes: [DVec3; 3]) -> Self {
        Self {
            axes,
            // Three products and two sums of coordinates, and an error of the corner along each axis.
            error: 16.0 * f64::EPSILON * items.size + 3.0 * items.error,
        }
    }

    /// One direction and two across it, the larger spread first.
    pub(super) fn beside(items: &ClusterItems, list: &[u32], direction: DVec3) -> Self {
        let (e, f) = direction.any_orthonormal_pair();
        let count = list.len().max(1) as f64;
        let center = |&i: &u32| items.center[i as usize];
        let mean = list.iter().map(center).sum::<DVec3>() / count;
        let [mut ee, mut ef, mut ff] = [0.0; 3];
        for i in list {
            let d = center(i) - mean;
            let (x, y) = (d.dot(e), d.dot(f));
            ee += x * x;
            ef += x * y;
            ff += y * y;
        }
        let (sin, cos) = libm::sincos(0.5 * libm::atan2(2.0 * ef, ee - ff));
        Self::with_axes(items, [direction, e * cos + f * sin, f * cos - e * sin])
    }

    /// The same axes, another of them swept along.
    pub(super) fn turned(&self, first: usize) -> Self {
        let mut turned = self.clone();
        turned.axes.rotate_left(first % 3);
        turned
    }

    /// The first of the axes.
    pub(super) fn sweep_axis(&self) -> DVec3 {
        self.axes[0]
    }

    /// The box of an item along the axes.
    #[inline]
    pub(super) fn bounds(&self, items: &ClusterItems, item: usize) -> LaneBounds {
        let corners = &items.corners[item];
        let mut bounds = LaneBounds {
            min: [0.0; 4],
            max: [0.0; 4],
        };
        for k in 0..3 {
            let [x, y, z] = corners.map(|p| p.dot(self.axes[k]));
            bounds.min[k] = (x.min(y).min(z) - self.error) as f32;
            bounds.max[k] = (x.max(y).max(z) + self.error) as f32;
        }
        bounds
    }
}

/// The principal axes of the centres, largest spread first, each with its largest coordinate positive.
fn principal(items: &ClusterItems, list: &[u32]) -> [DVec3; 3] {
    let count = list.len().max(1) as f64;
    let center = |&i: &u32| items.center[i as usize];
    let mean = list.iter().map(center).sum::<DVec3>() / count;
    let mut spread = DMat3::ZERO;
    for i in list {
        let d = center(i) - mean;
        spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let vectors = symmetric_eigen(&(spread * (1.0 / count))).vectors;
    [vectors.x_axis, vectors.y_axis, vectors.z_axis].map(|axis| {
        let a = axis.abs();
        let largest = if a.x >= a.y && a.x >= a.z {
            axis.x
        } else if a.y >= a.z {
            axis.y
        } else {
            axis.z
        };
        if largest < 0.0 { -axis } else { axis }
    })
}
