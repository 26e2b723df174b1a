//! Poses: read from a file, or found by the sphere method.

use std::path::Path;

use anyhow::{Context, bail};
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DMat3, DVec3, Pose};

/// Part of A's diagonal within which a prescribed distance is met.
const ACCURACY: f64 = 1e-5;
/// Steps along one line; more only when B glides past A, and then the line is given up.
const MAX_STEPS: usize = 300;
/// Lines tried per pose that is wanted.
const MAX_LINES: usize = 20;

/// A pose and how difficult it was meant to be: the gap as a part of A's diagonal, below 0 for the
/// length by which B was pushed past touching.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelPose {
    pub(crate) level: f64,
    pub(crate) pose: Pose,
}

/// The placements in a JSON file: an array of row-major 4×4 matrices, each 16 numbers or 4 rows.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Pose>> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Matrix {
        Flat([f64; 16]),
        Rows([[f64; 4]; 4]),
    }
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let matrices: Vec<Matrix> = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is not an array of 4×4 row-major matrices (16 numbers or 4 rows of 4 each)",
            path.display()
        )
    })?;
    let pose = |(k, matrix): (usize, &Matrix)| {
        let mut flat = [0.0; 16];
        match matrix {
            Matrix::Flat(numbers) => flat = *numbers,
            Matrix::Rows(rows) => flat.copy_from_slice(rows.as_flattened()),
        }
        Pose::from_row_major(&flat)
            .with_context(|| format!("matrix {k} of {} is no placement", path.display()))
    };
    matrices.iter().enumerate().map(pose).collect()
}

/// A random rotation, all equally likely.
pub(crate) fn random_turn(rng: &mut Rng) -> DMat3 {
    // Two random directions span a frame without a preferred axis.
    let x = rng.direction();
    let mut y = rng.direction();
    while x.cross(y).length_squared() < 1e-4 {
        y = rng.direction();
    }
    let z = x.cross(y).normalize();
    DMat3::from_cols(x, z.cross(x), z)
}

/// Finds poses at prescribed gaps along random lines.
pub(crate) struct SphereMethod<'a> {
    a: &'a WideTree,
    b: &'a WideTree,
    cache: WideCache,
    /// A's diagonal, the unit of levels.
    pub(crate) diagonal: f64,
    reach: f64,
}

impl<'a> SphereMethod<'a> {
    pub(crate) fn new(a: &'a WideTree, b: &'a WideTree) -> Self {
        let diagonal = |tree: &WideTree| tree.mesh().bounds().diagonal().length();
        Self {
            a,
            b,
            cache: WideCache::default(),
            diagonal: diagonal(a),
            reach: 0.5 * (diagonal(a) + diagonal(b)),
        }
    }

    /// For each of `lines` random directions and orientations, one pose per level.
    ///
    /// B starts on a sphere around A and moves towards its centre; what is found is the first place
    /// on the line with the wanted gap, so nothing behind A or within a cavity is.
    pub(crate) fn poses(
        &mut self,
        levels: &[f64],
        lines: usize,
        seed: u64,
    ) -> anyhow::Result<Vec<LevelPose>> {
        let mut rng = Rng::new(seed);
        let mut found = Vec::new();
        for _ in 0..lines {
            let mut line = None;
            for _ in 0..MAX_LINES {
                let turn = random_turn(&mut rng);
                line = self.along(&turn, rng.direction(), levels)?;
                if line.is_some() {
                    break;
                }
            }
            let Some(line) = line else {
                bail!("B glides past A on {MAX_LINES} lines out of {MAX_LINES}");
            };
            found.extend(line);
        }
        Ok(found)
    }

    /// B turned, and its centre at distance `t` from A's.
    fn at(&self, turn: &DMat3, direction: DVec3, t: f64) -> anyhow::Result<Pose> {
        let centers = [self.a, self.b].map(|tree| tree.mesh().bounds().center());
        let translation = centers[0] + direction * t - *turn * centers[1];
        // Orthonormal to rounding only, which `nearest` repairs.
        Ok(Pose::nearest(*turn, translation)?)
    }

    fn gap(&mut self, pose: &Pose) -> f64 {
        self.a
            .distance(self.b, pose, Limits::default(), &mut self.cache)
            .value
            .map_or(f64::INFINITY, |s| s.distance)
    }

    fn along(
        &mut self,
        turn: &DMat3,
        direction: DVec3,
        levels: &[f64],
    ) -> anyhow::Result<Option<Vec<LevelPose>>> {
        let mut poses = Vec::new();
        let largest = levels.iter().fold(0.0, |x: f64, y| x.max(*y)) * self.diagonal;
        let mut t = self.reach + largest + self.diagonal * ACCURACY;
        let mut gaps: Vec<f64> = levels
            .iter()
            .copied()
            .filter(|level| *level >= 0.0)
            .collect();
        gaps.sort_by(|x, y| y.total_cmp(x));
        for level in gaps {
            let Some(near) = self.advance(turn, direction, t, level * self.diagonal)? else {
                return Ok(None);
            };
            t = near;
            let pose = if level == 0.0 {
                t = self.touch(turn, direction, t)?;
                self.at(turn, direction, t)?
            } else {
                self.at(turn, direction, t)?
            };
            poses.push(LevelPose { level, pose });
        }
        for &level in levels.iter().filter(|level| **level < 0.0) {
            let pose = self.at(turn, direction, t + level * self.diagonal)?;
            poses.push(LevelPose { level, pose });
        }
        Ok(Some(poses))
    }

    /// Moves B towards A until the gap is `wanted`; a step of the gap's excess cannot pass the place.
    fn advance(
        &mut self,
        turn: &DMat3,
        direction: DVec3,
        from: f64,
        wanted: f64,
    ) -> anyhow::Result<Option<f64>> {
        let mut t = from;
        for _ in 0..MAX_STEPS {
            let pose = self.at(turn, direction, t)?;
            let excess = self.gap(&pose) - wanted;
            if excess <= ACCURACY * self.diagonal {
                return Ok(Some(t));
            }
            t -= excess;
            if t < -self.reach {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The place just before touching, by bisection. Nearer than the accuracy would be unfair:
    /// engines that iterate take a gap of 1e-9 for a contact, and would have no time there.
    fn touch(&mut self, turn: &DMat3, direction: DVec3, from: f64) -> anyhow::Result<f64> {
        let mut apart = from;
        let mut step = ACCURACY * self.diagonal;
        loop {
            let pose = self.at(turn, direction, apart - step)?;
            if self.a.intersects(self.b, &pose, &mut self.cache) {
                break;
            }
            apart -= step;
            step *= 2.0;
            if apart < -self.reach {
                return Ok(from);
            }
        }
        let mut touching = apart - step;
        while apart - touching > ACCURACY * self.diagonal {
            let middle = 0.5 * (apart + touching);
            let pose = self.at(turn, direction, middle)?;
            if self.a.intersects(self.b, &pose, &mut self.cache) {
                touching = middle;
            } else {
                apart = middle;
            }
        }
        Ok(apart)
    }
}
