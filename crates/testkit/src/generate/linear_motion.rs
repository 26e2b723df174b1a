//! Four points that move on straight lines: random, on grids, in a plane, in exact contact, one unit beside it, and worse.

use impinge::DVec3;
use impinge::math::Rng;

use crate::oracle::Moving;

/// How the motion of four points is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Integers from -2 to 2.
    Grid,
    /// Integers from -1 to 1.
    SmallGrid,
    /// Anywhere in a cube.
    Random,
    /// In an axis-parallel plane, small and tiny numbers too.
    Planar,
    /// In contact at a time and place with few digits.
    Contact,
    /// The same with one coordinate moved to the next number.
    NearContact,
    /// Numbers of very different size.
    Spread,
    /// On or near one line, some points at rest.
    Collinear,
}

impl MotionKind {
    /// All.
    pub const ALL: [Self; 8] = [
        Self::Grid,
        Self::SmallGrid,
        Self::Random,
        Self::Planar,
        Self::Contact,
        Self::NearContact,
        Self::Spread,
        Self::Collinear,
    ];
}

fn grid(rng: &mut Rng, reach: i64) -> Moving {
    std::array::from_fn(|_| {
        std::array::from_fn(|_| {
            DVec3::new(
                rng.grid(-reach, reach),
                rng.grid(-reach, reach),
                rng.grid(-reach, reach),
            )
        })
    })
}

fn pick<T: Copy, const N: usize>(rng: &mut Rng, choices: [T; N]) -> T {
    choices[rng.below(N as u64) as usize]
}

fn planar(rng: &mut Rng) -> Moving {
    let axis = rng.below(3) as usize;
    let scale = pick(rng, [1.0, 1.0, 1e-162, 1e-200]);
    let is_rough = rng.below(4) == 0;
    grid(rng, 2).map(|four| {
        four.map(|p| {
            let mut p = p * scale;
            if is_rough {
                p *= 1.0 + rng.unit() * 1e-15;
            }
            p[axis] = 0.0;
            p
        })
    })
}

fn contact(rng: &mut Rng, is_edges: bool) -> Moving {
    let weights = pick(
        rng,
        [
            [1.0, 0.0, 0.0],
            [0.5, 0.5, 0.0],
            [0.25, 0.5, 0.25],
            [0.75, 0.25, 0.0],
        ],
    );
    let s = pick(rng, [0.0, 0.25, 0.5, 1.0]);
    let time = pick(rng, [0.0, 0.25, 0.5, 0.75, 1.0]);
    let mut points = grid(rng, 1000).map(|four| four.map(|p| p / 128.0));
    let [start, end] = points;
    let [a, b, c, d]: [DVec3; 4] = std::array::from_fn(|i| start[i] * (1.0 - time) + end[i] * time);
    let gap = if is_edges {
        c * weights[0] + d * (1.0 - weights[0]) - a * (1.0 - s) - b * s
    } else {
        b * weights[0] + c * weights[1] + d * weights[2] - a
    };
    for four in &mut points {
        four[0] += gap;
        if is_edges {
            four[1] += gap;
        }
    }
    points
}

fn spread(rng: &mut Rng) -> Moving {
    let coordinate = |rng: &mut Rng| {
        let size = match rng.below(10) {
            0..3 => 1.0,
            3 => 0.0,
            4..8 => 2.0_f64.powi(rng.below(60) as i32 - 30),
            _ => 2.0_f64.powi(rng.below(700) as i32 - 560),
        };
        rng.range(-0.5, 0.5) * size
    };
    std::array::from_fn(|_| {
        std::array::from_fn(|_| DVec3::new(coordinate(rng), coordinate(rng), coordinate(rng)))
    })
}

fn collinear(rng: &mut Rng) -> Moving {
    let direction = DVec3::new(
        rng.range(-0.5, 0.5),
        rng.range(-0.5, 0.5),
        rng.range(-0.5, 0.5),
    );
    let four = |rng: &mut Rng| -> [DVec3; 4] {
        std::array::from_fn(|_| {
            let mut p = direction * (rng.grid(-2, 2) + 0.5);
            if rng.below(10) < 3 {
                p += rng.cube() * 1e-3;
            }
            p
        })
    };
    let start = four(rng);
    let mut end = four(rng);
    for (from, to) in start.iter().zip(&mut end) {
        if rng.below(5) < 2 {
            *to = *from;
        }
    }
    [start, end]
}

/// Four moving points of a kind: a vertex and a face, or two edges.
#[must_use]
pub fn moving(kind: MotionKind, is_edges: bool, rng: &mut Rng) -> Moving {
    match kind {
        MotionKind::Grid => grid(rng, 2),
        MotionKind::SmallGrid => grid(rng, 1),
        MotionKind::Random => std::array::from_fn(|_| std::array::from_fn(|_| rng.cube())),
        MotionKind::Planar => planar(rng),
        MotionKind::Contact => contact(rng, is_edges),
        MotionKind::NearContact => {
            let mut points = contact(rng, is_edges);
            let (moment, point) = (rng.below(2) as usize, rng.below(4) as usize);
            let axis = rng.below(3) as usize;
            let x = points[moment][point][axis];
            points[moment][point][axis] = if rng.below(2) == 0 {
                x.next_up()
            } else {
                x.next_down()
            };
            points
        }
        MotionKind::Spread => spread(rng),
        MotionKind::Collinear => collinear(rng),
    }
}
