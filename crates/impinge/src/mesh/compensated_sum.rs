//! Compensated summation.

/// A running sum that carries what rounding drops (Neumaier, 1974).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    pub(crate) fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() {
            (self.sum - sum) + x
        } else {
            (x - sum) + self.sum
        };
        self.sum = sum;
    }

    pub(crate) fn value(self) -> f64 {
        self.sum + self.lost
    }
}
