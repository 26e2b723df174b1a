//! Scenes of boxes that move, in single precision, so that every engine sees the same.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::math::Rng;

/// A body and how it moves.
#[derive(Clone, Copy, Debug)]
struct MovingBox {
    center: DVec3,
    half: DVec3,
    velocity: DVec3,
}

/// Bodies in a room whose walls throw them back.
#[derive(Clone, Debug)]
pub(super) struct BoxScene {
    pub(super) name: String,
    bodies: Vec<MovingBox>,
    room: Aabb,
}

/// Edge of the room, in box sizes and cube roots of the count, at which a fifth of equal cubes overlap another.
const FIFTH: f64 = 3.3;

/// How far bodies that tremble on a floor leave it, in their size.
const TREMBLE: f64 = 0.02;

impl BoxScene {
    /// Cubes at constant density, a fifth overlapping, each moving a hundredth of its size per frame.
    pub(super) fn fifth(count: usize) -> Self {
        Self::even("a fifth overlapping", count, FIFTH, |_| DVec3::splat(0.5))
    }

    /// The scene of the octree and grid tables of 1994: a hundred cubes of size 1 in a room of size 10.
    pub(super) fn of_1994() -> Self {
        let count = 100_usize;
        let spacing = 10.0 / (count as f64).cbrt();
        Self::even("size 1 in a room of size 10", count, spacing, |_| {
            DVec3::splat(0.5)
        })
    }

    /// The room that bodies stay in.
    pub(super) fn room(&self) -> Aabb {
        self.room
    }

    /// Boxes of mixed sides, denser: about two thirds of a pair per box.
    pub(super) fn dense(count: usize) -> Self {
        Self::even("dense", count, 1.8, |rng| {
            DVec3::splat(0.5) + rng.cube() * 0.25
        })
    }

    fn even(name: &str, count: usize, spacing: f64, half: impl Fn(&mut Rng) -> DVec3) -> Self {
        let mut rng = Rng::new(1994);
        let edge = spacing * (count as f64).cbrt();
        let room = Aabb {
            min: DVec3::ZERO,
            max: DVec3::splat(edge),
        };
        let mut body = || {
            let half = half(&mut rng);
            let inner = DVec3::splat(edge) - 2.0 * half;
            MovingBox {
                center: half + (rng.cube() + DVec3::ONE) * 0.5 * inner.max(DVec3::ZERO),
                half,
                velocity: rng.direction() * 0.02 * half.max_element(),
            }
        };
        Self {
            name: format!("{name}, {count}"),
            bodies: (0..count).map(|_| body()).collect(),
            room,
        }
    }

    /// Cubes that glide over a floor and tremble vertically, so that their vertical ends cluster: the worst case of sorted ends. Otherwise the same
    /// cubes float. Horizontally both move alike, body by body.
    pub(super) fn floor(count: usize, is_stacked: bool) -> Self {
        let mut rng = Rng::new(2009);
        let mut scene = Self::fifth(count);
        let edge = (count as f64).sqrt() * 2.1;
        if is_stacked {
            // What trembles stays within two hundredths of its size above the floor, however long the scene runs.
            scene.room.max = DVec3::new(edge, edge, 1.0 + TREMBLE);
            for body in &mut scene.bodies {
                let at = (rng.cube() + DVec3::ONE) * 0.5 * (edge - 1.0);
                body.center = DVec3::new(at.x + 0.5, at.y + 0.5, 0.5 + TREMBLE * rng.unit());
                body.velocity.z = 0.5 * TREMBLE * (rng.unit() - 0.5);
            }
        }
        scene.name = format!("{}, {count}", if is_stacked { "floor" } else { "floating" });
        scene
    }

    /// Cubes in a room five times as wide as each, and behind them its six walls, in the given number.
    pub(super) fn cage(count: usize) -> (Self, usize) {
        let mut scene = Self::even("cage", count, 1.0, |_| DVec3::splat(0.5));
        let edge = 5.0;
        scene.room.max = DVec3::splat(edge);
        let mut rng = Rng::new(1997);
        for body in &mut scene.bodies {
            body.center = DVec3::splat(0.5) + (rng.cube() + DVec3::ONE) * 0.5 * (edge - 1.0);
            body.velocity = rng.direction() * 0.05;
        }
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for side in [0.0, edge] {
                let middle = DVec3::splat(0.5 * edge);
                scene.bodies.push(MovingBox {
                    center: middle + axis * (side - 0.5 * edge),
                    half: DVec3::splat(0.5 * edge) - axis * (0.5 * edge - 0.05),
                    velocity: DVec3::ZERO,
                });
            }
        }
        (scene, 6)
    }

    /// One body that crosses a room of bodies at rest.
    pub(super) fn one_mover(count: usize) -> Self {
        let mut scene = Self::fifth(count);
        for body in &mut scene.bodies[1..] {
            body.velocity = DVec3::ZERO;
        }
        scene.bodies[0].velocity *= 20.0;
        scene.name = format!("one mover, {count}");
        scene
    }

    pub(super) fn len(&self) -> usize {
        self.bodies.len()
    }

    /// The boxes now.
    pub(super) fn boxes(&self) -> Vec<Aabb> {
        self.bodies
            .iter()
            .map(|b| Aabb {
                min: single(b.center - b.half),
                max: single(b.center + b.half),
            })
            .collect()
    }

    /// How many pairs overlap in each of the next frames: boxes sorted along one axis, all that overlap there compared.
    pub(super) fn pairs(&self, frames: usize) -> Vec<u64> {
        let mut scene = self.clone();
        let mut counts = Vec::new();
        for frame in 0..frames {
            if frame > 0 {
                scene.step();
            }
            let mut boxes = scene.boxes();
            boxes.sort_by(|p, q| p.min.x.total_cmp(&q.min.x));
            let mut count = 0;
            for (i, p) in boxes.iter().enumerate() {
                let beside = boxes[i + 1..].iter().take_while(|q| q.min.x <= p.max.x);
                count += beside.filter(|q| p.overlaps(q)).count() as u64;
            }
            counts.push(count);
        }
        counts
    }

    /// The scene so many frames later.
    pub(super) fn after(&self, frames: usize) -> Self {
        let mut scene = self.clone();
        for _ in 0..frames {
            scene.step();
        }
        scene
    }

    /// Moves everything by one frame.
    pub(super) fn step(&mut self) {
        for body in &mut self.bodies {
            body.center += body.velocity;
            for k in 0..3 {
                let (low, high) = (
                    self.room.min[k] + body.half[k],
                    self.room.max[k] - body.half[k],
                );
                let outward = (body.center[k] < low && body.velocity[k] < 0.0)
                    || (body.center[k] > high && body.velocity[k] > 0.0);
                if outward {
                    body.velocity[k] = -body.velocity[k];
                }
            }
        }
    }

    /// Writes the scene for runners: see `engines/PROTOCOL-BOXES.md`.
    pub(super) fn write(&self, path: &Path, frames: usize) -> anyhow::Result<()> {
        let file = std::fs::File::create(path).with_context(|| format!("cannot write {path:?}"))?;
        let mut out = std::io::BufWriter::new(file);
        out.write_all(&(self.len() as u64).to_le_bytes())?;
        out.write_all(&(frames as u64).to_le_bytes())?;
        let mut scene = self.clone();
        for _ in 0..frames {
            for b in scene.boxes() {
                for x in b.min.to_array().into_iter().chain(b.max.to_array()) {
                    out.write_all(&(x as f32).to_le_bytes())?;
                }
            }
            scene.step();
        }
        out.flush().context("cannot finish the scene")
    }
}

/// The nearest numbers of single precision.
fn single(p: DVec3) -> DVec3 {
    p.map(|x| f64::from(x as f32))
}

#[cfg(test)]
mod tests {
    use super::{BoxScene, TREMBLE};

    #[test]
    fn bodies_on_the_floor_glide_as_those_that_float_and_stay_near_it() {
        let (mut floor, floating) = (BoxScene::floor(300, true), BoxScene::floor(300, false));
        let before = floor.boxes();
        for (p, q) in floor.bodies.iter().zip(&floating.bodies) {
            assert_eq!(p.velocity.truncate(), q.velocity.truncate());
            assert!(p.velocity.truncate().length() > 0.0 && p.velocity.z != 0.0);
        }
        for _ in 0..100 {
            floor.step();
        }
        let slack = 0.25 * TREMBLE + 1e-6;
        for (old, new) in before.iter().zip(floor.boxes()) {
            assert!(new.min.z >= -slack && new.min.z <= TREMBLE + slack);
            assert_ne!((old.min.x, old.min.y), (new.min.x, new.min.y));
        }
    }
}
