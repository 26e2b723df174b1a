//! The shadow on the ground.

use impinge::DVec3;
use rayon::prelude::*;

use super::light::Lights;

/// Grid points along each side of the ground.
const SIDE: usize = 448;
/// Half the side of the ground; beyond it there is no shadow.
const REACH: f64 = 2.4;
/// Distance from the centre at which shadows begin to fade.
const FADE_FROM: f64 = 1.5;
/// Grid points on either side over which shadows are averaged: the lights are few, the sky is not.
const BLUR: usize = 3;

/// How dark a horizontal plane is.
#[derive(Debug)]
pub(crate) struct Ground {
    level: f64,
    darkness: Vec<f32>,
}

impl Ground {
    /// The ground at this height under the scene that the lights were made for.
    pub(crate) fn new(level: f64, lights: &Lights, key_height: f64) -> Self {
        let mut darkness: Vec<f32> = (0..SIDE * SIDE)
            .into_par_iter()
            .with_min_len(SIDE)
            .map(|i| {
                let at = |index: usize| (index as f64 / (SIDE - 1) as f64 * 2.0 - 1.0) * REACH;
                let p = DVec3::new(at(i % SIDE), at(i / SIDE), level);
                let (mut key, mut sky) = (0.0, 0.0);
                for subset in 0..lights.subsets() {
                    let received = lights.at(p, DVec3::Z, subset);
                    key += received.key;
                    sky += received.sky;
                }
                let count = lights.subsets() as f64;
                let lit = 0.55 * (key / count / key_height).min(1.0)
                    + 0.45 * (sky / count / lights.open_sky()).min(1.0);
                let flat = (p.x * p.x + p.y * p.y).sqrt();
                let fade = ((REACH - flat) / (REACH - FADE_FROM)).clamp(0.0, 1.0);
                ((1.0 - lit) * fade * fade * (3.0 - 2.0 * fade)) as f32
            })
            .collect();
        // Two box averages per direction are nearly a bell.
        for _ in 0..2 {
            darkness = blurred_and_turned(&blurred_and_turned(&darkness));
        }
        Self { level, darkness }
    }

    /// The height of the ground.
    pub(crate) fn level(&self) -> f64 {
        self.level
    }

    /// From 0 for full light to 1 for none, at a point of the ground.
    pub(crate) fn darkness(&self, p: DVec3) -> f64 {
        let to_grid = |c: f64| (c / REACH + 1.0) * 0.5 * (SIDE - 1) as f64;
        let (x, y) = (to_grid(p.x), to_grid(p.y));
        let end = (SIDE - 1) as f64;
        if !(x >= 0.0 && x < end && y >= 0.0 && y < end) {
            return 0.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (u, v) = (x - column as f64, y - row as f64);
        let at = |dx: usize, dy: usize| f64::from(self.darkness[(row + dy) * SIDE + column + dx]);
        (at(0, 0) * (1.0 - u) + at(1, 0) * u) * (1.0 - v)
            + (at(0, 1) * (1.0 - u) + at(1, 1) * u) * v
    }
}

/// The grid averaged along its rows, rows and columns exchanged.
fn blurred_and_turned(grid: &[f32]) -> Vec<f32> {
    let mut turned = vec![0.0; SIDE * SIDE];
    turned
        .par_chunks_mut(SIDE)
        .enumerate()
        .for_each(|(column, out)| {
            let window = column.saturating_sub(BLUR)..(column + BLUR + 1).min(SIDE);
            for (row, value) in out.iter_mut().enumerate() {
                let cells = &grid[row * SIDE + window.start..row * SIDE + window.end];
                *value = cells.iter().sum::<f32>() / cells.len() as f32;
            }
        });
    turned
}
