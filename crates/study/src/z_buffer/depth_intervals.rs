//! What two solids share in a pixel, summed up over pixels.

use glam::DVec3;

use super::answer::ZBufferAnswer;
use super::viewport::{ViewFrame, Viewport};
use impinge::query::{Bounded, Outcome, Verdict};

/// A piece of a line along the look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DepthInterval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl DepthInterval {
    fn length(&self) -> f64 {
        self.high - self.low
    }

    fn common(&self, other: &Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Self { low, high })
    }
}

/// A solid in a pixel, each list ascending and without overlaps.
#[derive(Clone, Debug, Default)]
pub(super) struct PixelIntervals {
    /// No line through the pixel is in the solid elsewhere.
    pub(super) outer: Vec<DepthInterval>,
    /// Every line through the pixel is in the solid here.
    pub(super) inner: Vec<DepthInterval>,
    /// Where the line through the centre is in the solid.
    pub(super) middle: Vec<DepthInterval>,
}

impl PixelIntervals {
    pub(super) fn clear(&mut self) {
        self.outer.clear();
        self.inner.clear();
        self.middle.clear();
    }
}

/// The pieces that two ascending lists share.
fn common<'s>(
    a: &'s [DepthInterval],
    b: &'s [DepthInterval],
) -> impl Iterator<Item = DepthInterval> + 's {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
            if x.high < y.high {
                i += 1;
            } else {
                j += 1;
            }
            if let Some(shared) = x.common(y) {
                return Some(shared);
            }
        }
        None
    })
}

/// From the first to the last point of a list.
fn hull(spans: &[DepthInterval]) -> Option<DepthInterval> {
    Some(DepthInterval {
        low: spans.first()?.low,
        high: spans.last()?.high,
    })
}

/// A number that pixels can only raise, its lower bound, estimate and upper bound.
#[derive(Clone, Copy, Debug, Default)]
struct RunningMax {
    lower: f64,
    value: f64,
    upper: f64,
}

impl RunningMax {
    fn bounded(&self) -> Bounded<f64> {
        Bounded {
            value: self.value.clamp(self.lower, self.upper.max(self.lower)),
            lower: self.lower,
            upper: self.upper.max(self.lower),
            outcome: Outcome::Complete,
        }
    }
}

/// Sums over pixels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PixelSums {
    volume: [f64; 3],
    span: RunningMax,
    /// How far `b` is from leaving `a` along the look, and against it.
    ways: [RunningMax; 2],
    /// The pixel and place of the longest shared piece: proven, and seen at centres.
    proven: Option<(u32, DepthInterval)>,
    seen: Option<(u32, DepthInterval)>,
    /// The depth by which faces vary in the pixel of `seen`.
    seen_variation: f64,
    common_pixels: u64,
    undecided: u64,
    hits: u64,
}

impl PixelSums {
    /// Adds a pixel that sees both solids.
    pub(super) fn add(&mut self, pixel: u32, a: &PixelIntervals, b: &PixelIntervals) {
        self.common_pixels += 1;
        let mut length = [0.0; 3];
        for shared in common(&a.inner, &b.inner) {
            length[0] += shared.length();
            if shared.length() > self.span.lower {
                self.span.lower = shared.length();
                self.proven = Some((pixel, shared));
            }
        }
        let variation = |c: &PixelIntervals| {
            let total =
                |spans: &[DepthInterval]| spans.iter().map(DepthInterval::length).sum::<f64>();
            total(&c.outer) - total(&c.inner)
        };
        let mut is_hit = false;
        for shared in common(&a.middle, &b.middle) {
            is_hit = true;
            length[1] += shared.length();
            if self.seen.is_none() || shared.length() > self.span.value {
                self.span.value = shared.length();
                self.seen = Some((pixel, shared));
                self.seen_variation = variation(a) + variation(b);
            }
        }
        self.hits += u64::from(is_hit);
        let mut is_possible = false;
        for shared in common(&a.outer, &b.outer) {
            is_possible = true;
            length[2] += shared.length();
            self.span.upper = self.span.upper.max(shared.length());
        }
        self.undecided += u64::from(is_possible && length[0] <= 0.0);
        for (sum, length) in self.volume.iter_mut().zip(length) {
            *sum += length;
        }
        let lists = [
            (&a.inner, &b.inner),
            (&a.middle, &b.middle),
            (&a.outer, &b.outer),
        ];
        for (kind, (of_a, of_b)) in lists.into_iter().enumerate() {
            let (Some(a), Some(b)) = (hull(of_a), hull(of_b)) else {
                continue;
            };
            for (way, length) in self.ways.iter_mut().zip([a.high - b.low, b.high - a.low]) {
                let best = match kind {
                    0 => &mut way.lower,
                    1 => &mut way.value,
                    _ => &mut way.upper,
                };
                *best = best.max(length);
            }
        }
    }

    pub(super) fn answer(
        &self,
        window: &Viewport,
        frame: &ViewFrame,
        fragments: u64,
    ) -> ZBufferAnswer {
        let overlap = if self.proven.is_some() {
            Verdict::proven(true)
        } else if self.undecided == 0 {
            Verdict::proven(false)
        } else if let Some((_, shared)) = self.seen {
            let clear = shared.length() / (shared.length() + self.seen_variation);
            Verdict::likely(
                true,
                if clear.is_nan() {
                    0.5
                } else {
                    0.5 + 0.5 * clear
                },
            )
        } else {
            let decided = 1.0 - self.undecided as f64 / self.common_pixels.max(1) as f64;
            Verdict::likely(false, 0.5 + 0.5 * decided)
        };
        // Sums of as many terms as there are pixels: their rounding is far below this.
        let area = window.area();
        let volume = RunningMax {
            lower: self.volume[0] * area * (1.0 - 1e-9),
            value: self.volume[1] * area,
            upper: self.volume[2] * area * (1.0 + 1e-9),
        };
        let [along, against] = self.ways;
        let depth = RunningMax {
            lower: along.lower.min(against.lower),
            value: along.value.min(against.value),
            upper: along.upper.min(against.upper),
        };
        let witness = self.proven.or(self.seen).map(|(pixel, shared)| {
            let (column, row) = (pixel % window.columns, pixel / window.columns);
            let depth = 0.5 * (shared.low + shared.high);
            let center = window.center(column, row);
            frame.unsee(DVec3::new(center.x, center.y, depth))
        });
        ZBufferAnswer {
            overlap,
            volume: volume.bounded(),
            span: self.span.bounded(),
            depth: depth.bounded(),
            witness,
            pixel: window.pixel,
            common_pixels: self.common_pixels,
            hits: self.hits,
            fragments,
        }
    }
}
