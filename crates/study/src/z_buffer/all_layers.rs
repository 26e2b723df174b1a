//! All depths of each pixel.

use super::depth_intervals::{DepthInterval, PixelIntervals};
use super::fragment::Fragment;

/// Fragments ordered by pixel.
#[derive(Clone, Debug, Default)]
pub(super) struct LayeredFragments {
    drawn: Vec<Fragment>,
    sorted: Vec<Fragment>,
    /// Where the fragments of each pixel begin, and one number more.
    first: Vec<u32>,
}

impl LayeredFragments {
    pub(super) fn clear(&mut self) {
        self.drawn.clear();
    }

    pub(super) fn push(&mut self, fragment: Fragment) {
        self.drawn.push(fragment);
    }

    /// Orders what was pushed by pixel and depth.
    pub(super) fn sort(&mut self, pixels: usize) {
        self.first.clear();
        self.first.resize(pixels + 1, 0);
        for fragment in &self.drawn {
            self.first[fragment.pixel as usize + 1] += 1;
        }
        for i in 0..pixels {
            self.first[i + 1] += self.first[i];
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.drawn);
        self.sorted.sort_unstable_by(|x, y| {
            let by_depth = || x.low.total_cmp(&y.low).then(x.high.total_cmp(&y.high));
            x.pixel.cmp(&y.pixel).then_with(by_depth)
        });
    }

    pub(super) fn pixel(&self, pixel: usize) -> &[Fragment] {
        &self.sorted[self.first[pixel] as usize..self.first[pixel + 1] as usize]
    }
}

/// Fills in the column of a pixel's fragments, which ascend; `false` when there are none. `hits` is scratch.
pub(super) fn column(
    fragments: &[Fragment],
    is_closed: bool,
    hits: &mut Vec<(f64, i8)>,
    column: &mut PixelIntervals,
) -> bool {
    column.clear();
    let Some(first) = fragments.first() else {
        return false;
    };
    hits.clear();
    hits.extend(
        fragments
            .iter()
            .filter_map(|f| f.center.map(|depth| (depth, f.facing))),
    );
    hits.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
    if !is_closed {
        let high = fragments
            .iter()
            .fold(first.high, |high, f| high.max(f.high));
        column.outer.push(DepthInterval {
            low: first.low,
            high,
        });
        if let (Some(&(low, _)), Some(&(high, _))) = (hits.first(), hits.last()) {
            column.middle.push(DepthInterval { low, high });
        }
        return true;
    }
    // Faces whose depths overlap form a shell; between shells the pixel is inside or outside as a block.
    let mut winding = 0;
    let mut shell_end = first.high;
    let mut solid_start = first.low;
    let mut inside_since = None;
    for fragment in fragments {
        if fragment.low > shell_end {
            // A gap begins at the end of the shell.
            if winding != 0 {
                column.inner.push(DepthInterval {
                    low: shell_end,
                    high: fragment.low,
                });
            } else {
                column.outer.push(DepthInterval {
                    low: solid_start,
                    high: shell_end,
                });
                solid_start = fragment.low;
            }
        }
        shell_end = shell_end.max(fragment.high);
        if fragment.center.is_some() {
            winding += i32::from(fragment.facing);
        }
    }
    column.outer.push(DepthInterval {
        low: solid_start,
        high: shell_end,
    });
    let mut winding = 0;
    for &(depth, facing) in hits.iter() {
        let was_inside = winding != 0;
        winding += i32::from(facing);
        match (was_inside, winding != 0) {
            (false, true) => inside_since = Some(depth),
            (true, false) => {
                if let Some(low) = inside_since.take() {
                    column.middle.push(DepthInterval { low, high: depth });
                }
            }
            _ => {}
        }
    }
    true
}
