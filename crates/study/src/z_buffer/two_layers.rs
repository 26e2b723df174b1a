//! The first and the last depth of each pixel.

use super::depth_intervals::{DepthInterval, PixelIntervals};
use super::fragment::Fragment;

/// A solid's pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct DepthPixel {
    /// The end of all faces that lead in, and the beginning of all that lead out.
    entered: f64,
    left: f64,
    /// The first and last depth of any face in the pixel.
    low: f64,
    high: f64,
    /// The first and last depth at the centre.
    first: f64,
    last: f64,
    /// Whether a face that leads in is at the centre.
    is_entered: bool,
}

impl DepthPixel {
    pub(super) const EMPTY: Self = Self {
        entered: f64::NEG_INFINITY,
        left: f64::INFINITY,
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        first: f64::INFINITY,
        last: f64::NEG_INFINITY,
        is_entered: false,
    };

    pub(super) fn add(&mut self, fragment: &Fragment) {
        self.low = self.low.min(fragment.low);
        self.high = self.high.max(fragment.high);
        // A face seen edge-on is both.
        if fragment.facing >= 0 {
            self.entered = self.entered.max(fragment.high);
        }
        if fragment.facing <= 0 {
            self.left = self.left.min(fragment.low);
        }
        if let Some(depth) = fragment.center {
            self.first = self.first.min(depth);
            self.last = self.last.max(depth);
            self.is_entered |= fragment.facing > 0;
        }
    }

    /// Fills in the column; `false` when the solid is not in the pixel.
    pub(super) fn column(&self, is_closed: bool, column: &mut PixelIntervals) -> bool {
        column.clear();
        if self.low > self.high {
            return false;
        }
        column.outer.push(DepthInterval {
            low: self.low,
            high: self.high,
        });
        // Behind all faces that lead in and before all that lead out no face is left, and the centre is inside.
        if is_closed && self.is_entered && self.entered < self.left {
            column.inner.push(DepthInterval {
                low: self.entered,
                high: self.left,
            });
        }
        if self.first <= self.last {
            column.middle.push(DepthInterval {
                low: self.first,
                high: self.last,
            });
        }
        true
    }
}
