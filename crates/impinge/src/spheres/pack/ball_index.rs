//! Nearest sphere to a point, exactly, among all spheres inserted so far.
//!
//! Spheres are stored in grids by size class, each with cells about twice as wide as its largest
//! sphere, all in one hash table with chaining. Two cells that share a chain cost a test and
//! nothing else.

use glam::DVec3;

use super::super::solid_ball::SolidBall;
use super::pack_cell::NONE;

/// Classes with fewer balls are scanned.
const FEW: usize = 16;

/// All balls so far.
#[derive(Debug)]
pub(in crate::spheres) struct BallIndex {
    heads: Vec<u32>,
    next: Vec<u32>,
    classes: Vec<SizeClass>,
}

#[derive(Debug)]
struct SizeClass {
    /// Binary exponent of the radii.
    exponent: i32,
    /// Above every radius of the class.
    radius: f64,
    members: Vec<u32>,
}

impl Default for BallIndex {
    fn default() -> Self {
        Self {
            heads: vec![NONE; 1024],
            next: Vec::new(),
            classes: Vec::new(),
        }
    }
}

fn exponent(radius: f64) -> i32 {
    libm::ilogb(radius)
}

fn bucket(exponent: i32, cell: [i64; 3], mask: usize) -> usize {
    let mut hash = (exponent as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    for (part, factor) in cell.into_iter().zip([
        0x9E37_79B9_7F4A_7C15_u64,
        0xC2B2_AE3D_27D4_EB4F,
        0x1656_67B1_9E37_79F9,
    ]) {
        hash ^= (part as u64).wrapping_mul(factor);
        hash = hash.rotate_left(23);
    }
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize & mask
}

fn cell_of(p: DVec3, side: f64) -> [i64; 3] {
    [p.x, p.y, p.z].map(|x| (x / side).floor() as i64)
}

impl BallIndex {
    /// Adds the ball with number `balls.len() − 1`, the last one.
    pub(in crate::spheres) fn add_last(&mut self, balls: &[SolidBall]) {
        let Some(ball) = balls.last() else {
            return;
        };
        let id = (balls.len() - 1) as u32;
        self.next.push(NONE);
        let exponent = exponent(ball.radius);
        let place = match self.classes.iter().position(|c| c.exponent == exponent) {
            Some(place) => place,
            None => {
                self.classes.push(SizeClass {
                    exponent,
                    radius: libm::scalbn(2.0, exponent),
                    members: Vec::new(),
                });
                self.classes.len() - 1
            }
        };
        self.classes[place].members.push(id);
        if balls.len() > 2 * self.heads.len() {
            self.grow(balls);
        } else {
            self.link(id, ball, exponent);
        }
    }

    fn link(&mut self, id: u32, ball: &SolidBall, exponent: i32) {
        let side = libm::scalbn(4.0, exponent);
        let bucket = bucket(exponent, cell_of(ball.center, side), self.heads.len() - 1);
        self.next[id as usize] = self.heads[bucket];
        self.heads[bucket] = id;
    }

    fn grow(&mut self, balls: &[SolidBall]) {
        self.heads = vec![NONE; 4 * self.heads.len()];
        for (id, ball) in balls.iter().enumerate() {
            self.link(id as u32, ball, exponent(ball.radius));
        }
    }

    /// The largest radius that a ball about `p` can have without overlapping one of the others, at most `within`, and the ball that
    /// bounds it. A sum of this radius and that of any ball is, without rounding, at most the distance of the centres.
    pub(in crate::spheres) fn clearance_at_least(
        &self,
        balls: &[SolidBall],
        p: DVec3,
        within: f64,
    ) -> (f64, Option<u32>) {
        let mut best = (within, None);
        let mut try_ball = |id: u32| {
            let ball = &balls[id as usize];
            let clear = ball.distance_at_least(p);
            if clear < best.0 {
                best = (clear, Some(id));
            }
        };
        for class in &self.classes {
            if class.members.len() < FEW {
                class.members.iter().for_each(|&id| try_ball(id));
                continue;
            }
            let side = 2.0 * class.radius;
            let reach = (within + class.radius) * 1.000_001;
            let low = cell_of(p - reach, side);
            let high = cell_of(p + reach, side);
            let cells = (0..3).fold(1.0, |n, k| n * (high[k] as f64 - low[k] as f64 + 1.0));
            if cells > class.members.len() as f64 {
                class.members.iter().for_each(|&id| try_ball(id));
                continue;
            }
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    for z in low[2]..=high[2] {
                        let bucket = bucket(class.exponent, [x, y, z], self.heads.len() - 1);
                        let mut id = self.heads[bucket];
                        while id != NONE {
                            try_ball(id);
                            id = self.next[id as usize];
                        }
                    }
                }
            }
        }
        best
    }
}
