//! Distance transform of a grid: the distance of each cell to the nearest marked one, centre to centre.
//!
//! **Idea.** Squared distances are sums over axes. Along a line the squared distance is the lower
//! envelope of parabolas, one for each cell, and the points where the envelope changes from one to
//! the next are found from left to right. Integers throughout.
//!
//! **Source.** Meijster, Roerdink and Hesselink, 2000, doi:10.1007/0-306-47025-X_36.

/// Beyond what is counted.
pub(super) const FAR: u16 = u16::MAX;

/// Distances up to this are counted; their squares fit.
pub(super) const MOST: u32 = 255;

/// Memory for one line.
#[derive(Debug, Default)]
pub(super) struct TransformLine {
    /// Squares so far, along the line.
    pub(super) values: Vec<u16>,
    /// Whose parabola is lowest, and from where on.
    owners: Vec<(u32, u32)>,
    lowest: Vec<u16>,
}

impl TransformLine {
    /// Replaces the squares along the line by the smallest sum of a square and the square of the way to it, [`FAR`] where that is more
    /// than the square of `most`.
    pub(super) fn lower(&mut self, most: u32) {
        let most = most.min(MOST);
        let limit = most * most;
        let count = self.values.len();
        self.owners.clear();
        self.lowest.clear();
        self.lowest.resize(count, FAR);
        let height = |values: &[u16], i: u32| u64::from(values[i as usize]);
        for i in 0..count as u32 {
            if self.values[i as usize] == FAR {
                continue;
            }
            // From where on the parabola of `i` is lower than that of `j < i`.
            let takes_over = |values: &[u16], j: u32| {
                let (i, j) = (u64::from(i), u64::from(j));
                let rise = i * i + height(values, i as u32);
                let fall = j * j + height(values, j as u32);
                if rise < fall {
                    // Lower everywhere from the start.
                    return 0;
                }
                (rise - fall) / (2 * (i - j)) + 1
            };
            let mut from = 0;
            while let Some(&(j, since)) = self.owners.last() {
                from = takes_over(&self.values, j);
                if from > u64::from(since) {
                    break;
                }
                self.owners.pop();
                from = 0;
            }
            if from < count as u64 {
                self.owners.push((i, from as u32));
            }
        }
        for (k, &(owner, from)) in self.owners.iter().enumerate() {
            let to = self.owners.get(k + 1).map_or(count as u32, |next| next.1);
            let base = u32::from(self.values[owner as usize]);
            for at in from..to {
                let way = at.abs_diff(owner);
                if way <= most && way * way + base <= limit {
                    self.lowest[at as usize] = (way * way + base) as u16;
                }
            }
        }
        std::mem::swap(&mut self.values, &mut self.lowest);
    }
}

/// The root of a square, rounded to the nearest whole number.
pub(super) fn rounded_root(square: u16) -> u32 {
    let square = u32::from(square);
    let mut root = f64::from(square).sqrt() as u32;
    // (root + 1/2)² = root² + root + 1/4
    while root * root + root < square {
        root += 1;
    }
    root
}
