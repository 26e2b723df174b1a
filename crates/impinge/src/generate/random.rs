//! Seeded random models: triangle soup and a network of pipes.

use glam::{DVec2, DVec3};

use super::error::{GenerateError, affordable, agree, all_at_least, positive, times};
use super::fit_face_count::nearest;
use super::surface_builder::{ProfileRow, SurfaceBuilder, TubeEnds, stack, turn};
use crate::math::Rng;
use crate::mesh::TriMesh;

/// Unconnected triangles, their centres in the cube [−1, 1]³ and their corners at most `size` away
/// along each axis: `faces` faces.
///
/// # Errors
/// Needs a positive size.
///
/// ```
/// use impinge::generate::soup;
/// assert_eq!(soup(100, 0.1, 7)?.face_count(), 100);
/// assert_eq!(soup(100, 0.1, 7)?, soup(100, 0.1, 7)?);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn soup(faces: u32, size: f64, seed: u64) -> Result<TriMesh, GenerateError> {
    positive("size", size)?;
    affordable(faces.into())?;
    let mut rng = Rng::new(seed);
    let mut surface = SurfaceBuilder::with_capacity(faces.into());
    for _ in 0..faces {
        let centre = rng.cube();
        let [a, b, c] = [(); 3].map(|()| centre + rng.cube() * size);
        let [a, b, c] = [a, b, c].map(|p| surface.point(p));
        surface.triangle(a, b, c);
    }
    surface.finish()
}

pub(super) fn fit_soup(target: u64, seed: u64) -> Result<TriMesh, GenerateError> {
    // Smaller triangles when there are more: each then meets about as many others.
    let size = 1.0 / libm::cbrt(target.max(1) as f64);
    soup(target as u32, size, seed)
}

/// Half the width of a pipe on a lattice of edge 1.
const PIPE_RADIUS: f64 = 0.3;

/// Random starts tried for a pipe before the lattice is searched in order.
const MAX_STARTS: usize = 64;

fn pipe_faces(pipes: u64, rows: u64, sides: u64) -> u64 {
    let one = times([2, sides, rows]) + 2 * (sides - 2);
    times([pipes, one])
}

/// Pipes that wander along the lines of a cubic lattice of `grid`³ nodes without touching each
/// other: pipes·(2·sides·rows + 2·(sides − 2)) faces.
///
/// Each pipe has `rows` rows of quads and takes at most as many steps on the lattice.
///
/// # Errors
/// Needs 1 pipe, 1 row, 3 sides, and at least 4 lattice nodes for every row of every pipe.
///
/// ```
/// assert_eq!(impinge::generate::pipes(8, 5, 16, 6, 1)?.face_count(), 5 * (2 * 6 * 16 + 8));
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn pipes(
    grid: u32,
    pipes: u32,
    rows: u32,
    sides: u32,
    seed: u64,
) -> Result<TriMesh, GenerateError> {
    all_at_least([
        ("pipes", pipes, 1),
        ("rows", rows, 1),
        ("sides", sides, 3),
        ("grid", grid, 2),
    ])?;
    let faces = pipe_faces(pipes.into(), rows.into(), sides.into());
    affordable(faces)?;
    let nodes = times([u64::from(grid); 3]);
    affordable(nodes)?;
    agree(
        nodes >= times([4, pipes.into(), rows.into()]),
        "the lattice is too small for that many pipes",
    )?;
    let mut rng = Rng::new(seed);
    let mut lattice = PipeLattice {
        size: grid,
        taken: vec![false; nodes as usize],
    };
    let around = turn(sides);
    let mut surface = SurfaceBuilder::with_capacity(faces);
    for _ in 0..pipes {
        let path = lattice.wander(rows, &mut rng)?;
        lay_pipe(&mut surface, &path, rows, &around);
    }
    surface.finish()
}

struct PipeLattice {
    size: u32,
    taken: Vec<bool>,
}

impl PipeLattice {
    fn index(&self, at: [i64; 3]) -> Option<usize> {
        let n = i64::from(self.size);
        at.iter()
            .all(|c| (0..n).contains(c))
            .then(|| ((at[2] * n + at[1]) * n + at[0]) as usize)
    }

    fn is_free(&self, at: [i64; 3]) -> bool {
        self.index(at).is_some_and(|i| !self.taken[i])
    }

    fn free_ways(&self, at: [i64; 3]) -> Vec<[i64; 3]> {
        WAYS.into_iter()
            .filter(|&way| self.is_free(stepped(at, way)))
            .collect()
    }

    fn take(&mut self, at: [i64; 3]) {
        if let Some(i) = self.index(at) {
            self.taken[i] = true;
        }
    }

    fn is_start(&self, at: [i64; 3]) -> bool {
        self.is_free(at) && !self.free_ways(at).is_empty()
    }

    fn start(&self, rng: &mut Rng) -> Option<[i64; 3]> {
        let n = u64::from(self.size);
        for _ in 0..MAX_STARTS {
            let at = [(); 3].map(|()| rng.below(n) as i64);
            if self.is_start(at) {
                return Some(at);
            }
        }
        let n = i64::from(self.size);
        (0..n * n * n)
            .map(|i| [i % n, i / n % n, i / (n * n)])
            .find(|&at| self.is_start(at))
    }

    /// A path of one to `most` steps that visits free nodes only.
    fn wander(&mut self, most: u32, rng: &mut Rng) -> Result<Vec<[i64; 3]>, GenerateError> {
        let Some(mut at) = self.start(rng) else {
            return Err(GenerateError::Contradiction {
                why: "the lattice has no room for another pipe",
            });
        };
        let steps = most - rng.below(u64::from(most / 2 + 1)) as u32;
        let mut path = vec![at];
        let mut way = [0; 3];
        self.take(at);
        for _ in 0..steps {
            let ways = self.free_ways(at);
            if ways.is_empty() {
                break;
            }
            // Pipes prefer to go straight on.
            if !ways.contains(&way) || rng.below(10) < 3 {
                way = ways[rng.below(ways.len() as u64) as usize];
            }
            at = stepped(at, way);
            self.take(at);
            path.push(at);
        }
        Ok(path)
    }
}

const WAYS: [[i64; 3]; 6] = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
];

fn stepped(at: [i64; 3], way: [i64; 3]) -> [i64; 3] {
    [at[0] + way[0], at[1] + way[1], at[2] + way[2]]
}

/// A tube along the path with mitred elbows and exactly `rows` rows.
fn lay_pipe(surface: &mut SurfaceBuilder, path: &[[i64; 3]], rows: u32, around: &[DVec2]) {
    let nodes: Vec<DVec3> = path
        .iter()
        .map(|p| DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64))
        .collect();
    let steps = nodes.len() - 1;
    let way = |k: usize| nodes[k + 1] - nodes[k];
    let (mut n, mut b) = way(0).any_orthonormal_pair();
    // Centre, axes, and the shear along the pipe that tilts an elbow's section into its mitre.
    let mut sections = vec![(nodes[0], n, b)];
    for k in 0..steps {
        let along = way(k);
        // Each step gets its share of the rows; those inside it keep clear of the elbows.
        let share = rows as usize * (k + 1) / steps - rows as usize * k / steps;
        for i in 1..share {
            let t = if share == 2 {
                0.5
            } else {
                0.35 + 0.3 * (i - 1) as f64 / (share - 2) as f64
            };
            sections.push((nodes[k] + along * t, n, b));
        }
        if k + 1 == steps {
            sections.push((nodes[k + 1], n, b));
        } else {
            let next = way(k + 1);
            let mitred = |v: DVec3| v - along * v.dot(next);
            sections.push((nodes[k + 1], mitred(n), mitred(b)));
            if next != along {
                let turned = |v: DVec3| v - (next + along) * v.dot(next);
                (n, b) = (turned(n), turned(b));
            }
        }
    }
    let row = |surface: &mut SurfaceBuilder, (centre, n, b): (DVec3, DVec3, DVec3)| {
        ProfileRow::Circle(surface.circle(around.len() as u32, |i| {
            let at = around[i as usize] * PIPE_RADIUS;
            centre + n * at.x + b * at.y
        }))
    };
    stack(surface, sections, row, TubeEnds::Lids);
}

const PIPE_SIDES: u32 = 8;

pub(super) fn fit_pipes(target: u64, seed: u64) -> Result<TriMesh, GenerateError> {
    let count = nearest(target, 1, |p| pipe_faces(p, 24, PIPE_SIDES.into()));
    let rows = nearest(target, 1, |r| {
        pipe_faces(count.into(), r, PIPE_SIDES.into())
    });
    let nodes = times([4, count.into(), rows.into()]);
    let grid = nearest(nodes, 2, |g| times([g; 3])) + 1;
    pipes(grid, count, rows, PIPE_SIDES, seed)
}
