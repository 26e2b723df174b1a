//! Linear blend skinning from matrices: weights of each bone for each vertex, transforms of each bone for each frame.
//!
//! A column of the animation is a frame. It holds three rows of four numbers for every bone, all first rows, then all second, then
//! all third: the affine map of the bone, from rest to frame.

use std::path::Path;

use glam::DVec3;

use super::super::error::ReadError;
use super::dmat::{self, Matrix};
use super::error::AnimationError;

/// Numbers of an affine map.
const MAP: usize = 12;

/// A mesh at rest, and the bones that move it.
#[derive(Debug)]
pub(super) struct Skinned {
    rest: Vec<DVec3>,
    weights: Matrix,
    bones: Matrix,
}

impl Skinned {
    pub(super) fn open(
        path: &Path,
        weights_path: &Path,
        rest: Vec<DVec3>,
    ) -> Result<Self, AnimationError> {
        let bones = dmat::read(path)?;
        let weights = dmat::read(weights_path)?;
        if weights.rows != rest.len() {
            return Err(AnimationError::VertexCount {
                frame: 0,
                path: Some(weights_path.to_owned()),
                expected: rest.len(),
                found: weights.rows,
            });
        }
        if bones.rows != weights.columns.saturating_mul(MAP) {
            let message = format!(
                "{} numbers a frame are not {MAP} for each of the {} bones that have weights",
                bones.rows, weights.columns
            );
            return Err(ReadError::malformed(message).in_file(path).into());
        }
        Ok(Self {
            rest,
            weights,
            bones,
        })
    }

    pub(super) fn frames(&self) -> usize {
        self.bones.columns
    }

    /// The vertices of a frame; the rest shape was multiplied by `factor`, the bones' translations were not.
    pub(super) fn pose(&self, frame: usize, factor: f64) -> Vec<DVec3> {
        let Some(maps) = self.bones.column(frame) else {
            return Vec::new();
        };
        let bones = self.weights.columns;
        let mut moved = vec![DVec3::ZERO; self.rest.len()];
        for bone in 0..bones {
            let Some(weights) = self.weights.column(bone) else {
                continue;
            };
            let entry = |row: usize, column: usize| {
                maps.get((row * bones + bone) * 4 + column)
                    .copied()
                    .unwrap_or(0.0)
            };
            let rows = [0, 1, 2].map(|row| DVec3::new(entry(row, 0), entry(row, 1), entry(row, 2)));
            let offset = DVec3::new(entry(0, 3), entry(1, 3), entry(2, 3)) * factor;
            for ((to, &from), &weight) in moved.iter_mut().zip(&self.rest).zip(weights) {
                if weight != 0.0 {
                    let turned =
                        DVec3::new(rows[0].dot(from), rows[1].dot(from), rows[2].dot(from));
                    *to += (turned + offset) * weight;
                }
            }
        }
        moved
    }
}
