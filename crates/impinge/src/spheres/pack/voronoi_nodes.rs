//! Voronoi nodes: where prototypes converge before any ball is inserted.

use glam::DVec3;

use super::packing_loop::{BallCandidate, LEAST_RADIUS, PackEngine};
use super::prototype_ascent::AscentResult;
use super::refine_f64::refine;
use super::surface_walls::Walls;
use crate::bvh::wide::SingleTreeCache;
use crate::spheres::solid_ball::SolidBall;

/// More cells to a side are not made.
const MOST_RESOLUTION: u32 = 512;
/// Peaks nearer to each other than this fraction of their radius are one.
const SAME_PEAK: f64 = 0.02;

impl<W: Walls> PackEngine<'_, W> {
    /// The last digits of a peak, and how far its walls are.
    fn refined(&self, candidate: &BallCandidate) -> (DVec3, f64) {
        let (center, radius) = (candidate.center, candidate.walls_at_least);
        let mut probe = SingleTreeCache::default();
        let Some(found) = refine(self.walls, &[], center, radius, &mut probe) else {
            return (center, radius);
        };
        let within = 1.1 * radius;
        let clear = self.walls.clearance_at_least(found, within, &mut probe);
        if clear > radius {
            (found, clear)
        } else {
            (center, radius)
        }
    }

    /// The spheres around all maxima of the clearance that cells of this resolution distinguish.
    pub(super) fn voronoi_peaks(&mut self, resolution: u32) -> Vec<SolidBall> {
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
                (cell.found == AscentResult::Maximum && cell.value > LEAST_RADIUS)
                    .then_some((cell.value, i))
            })
            .collect();
        ready.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let mut peaks: Vec<SolidBall> = Vec::new();
        let mut seen: Vec<SolidBall> = Vec::new();
        for candidate in self.polish(&ready, want) {
            // Most cells lead to a peak that another led to before.
            let ball = SolidBall {
                center: candidate.center,
                radius: candidate.walls_at_least,
            };
            let is_near = |known: &SolidBall| {
                (known.center - ball.center).length() <= 0.1 * SAME_PEAK * known.radius
            };
            if seen.iter().any(is_near) {
                continue;
            }
            seen.push(ball);
            let (center, radius) = self.refined(&candidate);
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
