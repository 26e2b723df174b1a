//! Where prototypes end before any ball is there.

use super::ascent::Found;
use super::engine::{Engine, LEAST_RADIUS};
use super::walls::Walls;
use crate::spheres::ball::SolidBall;

/// More cells to a side are not made.
const MOST_RESOLUTION: u32 = 512;
/// Peaks nearer to each other than this part of their radius are one.
const SAME_PEAK: f64 = 0.02;

impl<W: Walls> Engine<'_, W> {
    /// The balls about all peaks of the clearance that cells of this resolution tell apart.
    pub(super) fn peaks(&mut self, resolution: u32) -> Vec<SolidBall> {
        let halvings = resolution.clamp(2, MOST_RESOLUTION).ilog2();
        for _ in 0..halvings {
            let side = 0.5 * self.side();
            self.split(side, LEAST_RADIUS);
        }
        let all: Vec<u32> = (0..self.cells.len() as u32).collect();
        let want = 0.25 * self.side();
        self.converge(&all, want);
        let mut ready: Vec<(f32, u32)> = all
            .into_iter()
            .filter_map(|i| {
                let cell = &self.cells[i as usize];
                (cell.found == Found::Maximum && cell.value > LEAST_RADIUS)
                    .then_some((cell.value, i))
            })
            .collect();
        ready.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let mut peaks: Vec<SolidBall> = Vec::new();
        for candidate in self.polish(&ready, want) {
            let (center, radius) = (candidate.center, candidate.walls_at_least);
            let is_known = peaks
                .iter()
                .any(|peak| (peak.center - center).length() <= SAME_PEAK * peak.radius.max(radius));
            if radius > 0.0 && !is_known {
                peaks.push(SolidBall { center, radius });
            }
        }
        peaks
    }
}
