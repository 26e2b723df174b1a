//! A cell of the packer: its nearby terms and its prototype.

use glam::DVec3;
use impinge::geom::closest_point_on_triangle;

/// Away from a wall or a ball, and how far it is.
#[derive(Clone, Copy, Debug)]
struct Off {
    way: DVec3,
    far: f64,
}

/// Walls and balls of a packing, in the frame in which the solid fills the cube from -1 to 1.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) walls: Vec<[DVec3; 3]>,
    /// Centres and radii.
    pub(super) balls: Vec<(DVec3, f64)>,
}

/// A cube, with all walls and balls that may be nearest to a point of it.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) middle: DVec3,
    pub(super) half: f64,
    pub(super) walls: Vec<u32>,
    pub(super) balls: Vec<u32>,
    /// How far the nearest of them is from the middle; below 0 in a ball.
    pub(super) reach: f64,
    /// Whether no wall comes near: all of it lies inside.
    pub(super) is_inner: bool,
    /// The best place for a ball, and its clearance.
    pub(super) best: Option<(DVec3, f64)>,
    /// Whether the best place must be sought again.
    pub(super) is_stale: bool,
}

/// Iterations of a polish, and of its search for a direction.
const POLISH: usize = 60;
const DIRECTION_STEPS: usize = 32;

impl Cell {
    pub(super) fn half_diagonal(&self) -> f64 {
        self.half * 3.0_f64.sqrt()
    }

    pub(super) fn holds(&self, p: DVec3) -> DVec3 {
        p.clamp(self.middle - self.half, self.middle + self.half)
    }

    fn offs<'r>(&'r self, room: &'r Room, p: DVec3) -> impl Iterator<Item = Off> + 'r {
        let walls = self.walls.iter().filter_map(move |&wall| {
            let near = closest_point_on_triangle(p, room.walls.get(wall as usize)?).point;
            let off = p - near;
            Some(Off {
                way: off.normalize_or_zero(),
                far: off.length(),
            })
        });
        let balls = self.balls.iter().filter_map(move |&ball| {
            let &(center, radius) = room.balls.get(ball as usize)?;
            let off = p - center;
            Some(Off {
                way: off.normalize_or_zero(),
                far: off.length() - radius,
            })
        });
        walls.chain(balls)
    }

    /// The distance of a point of the cell from what is nearest; below 0 in a ball.
    pub(super) fn clearance(&self, room: &Room, p: DVec3) -> f64 {
        self.offs(room, p)
            .fold(f64::INFINITY, |m, off| m.min(off.far))
    }

    /// A place near `p` with more clearance, if there is one within the cell: along the direction that leads off all that is nearest.
    pub(super) fn polished(&self, room: &Room, p: DVec3) -> DVec3 {
        let mut p = self.holds(p);
        let mut far = self.clearance(room, p);
        let mut reach = 0.05 * far.abs();
        for _ in 0..POLISH {
            let near: Vec<DVec3> = (self.offs(room, p))
                .filter(|off| off.far <= far + reach)
                .map(|off| off.way)
                .collect();
            let way = shortest(&near);
            if way.length() < 1e-3 {
                reach *= 0.5;
                continue;
            }
            let next = self.holds(p + way.normalize_or_zero() * reach);
            let next_far = self.clearance(room, next);
            if next_far > far {
                (p, far) = (next, next_far);
            } else {
                reach *= 0.5;
            }
        }
        p
    }

    /// One of eight parts, with what may be nearest to it; none when a ball holds all of it.
    pub(super) fn part(&self, room: &Room, corner: usize) -> Option<Self> {
        let side = |bit: usize| {
            if corner >> bit & 1 == 1 {
                0.5 * self.half
            } else {
                -0.5 * self.half
            }
        };
        let mut part = Self {
            middle: self.middle + DVec3::new(side(0), side(1), side(2)),
            half: 0.5 * self.half,
            walls: Vec::new(),
            balls: Vec::new(),
            reach: f64::INFINITY,
            is_inner: self.is_inner,
            best: None,
            is_stale: true,
        };
        let middle = part.middle;
        let wall_far = |&wall: &u32| {
            let corners = room.walls.get(wall as usize)?;
            Some((wall, closest_point_on_triangle(middle, corners).distance))
        };
        let walls: Vec<(u32, f64)> = self.walls.iter().filter_map(wall_far).collect();
        let ball_far = |&ball: &u32| {
            let &(center, radius) = room.balls.get(ball as usize)?;
            Some((ball, middle.distance(center) - radius))
        };
        let balls: Vec<(u32, f64)> = self.balls.iter().filter_map(ball_far).collect();
        let nearest = |list: &[(u32, f64)]| list.iter().fold(f64::INFINITY, |m, f| m.min(f.1));
        part.reach = nearest(&walls).min(nearest(&balls));
        let diagonal = part.half_diagonal();
        if nearest(&balls) <= -diagonal {
            return None;
        }
        part.is_inner = part.is_inner || nearest(&walls) > diagonal;
        let most = part.reach + 2.0 * diagonal;
        let close = |list: Vec<(u32, f64)>| {
            let near = list.into_iter().filter(|&(_, far)| far <= most);
            near.map(|(id, _)| id).collect()
        };
        part.walls = close(walls);
        part.balls = close(balls);
        Some(part)
    }

    /// Takes note of a new ball; whether the ball holds all of the cell.
    pub(super) fn add(&mut self, ball: u32, center: DVec3, radius: f64) -> bool {
        let far = self.middle.distance(center) - radius;
        let diagonal = self.half_diagonal();
        if far <= -diagonal {
            return true;
        }
        if far <= self.reach + 2.0 * diagonal {
            self.balls.push(ball);
            self.reach = self.reach.min(far);
        }
        if let Some((p, clearance)) = self.best
            && p.distance(center) - radius < clearance
        {
            self.best = None;
            self.is_stale = true;
        }
        false
    }

    /// Places to begin at.
    pub(super) fn starts(&self) -> impl Iterator<Item = DVec3> + '_ {
        let offset = |k: usize| {
            let side = |bit: usize| if k >> bit & 1 == 1 { 0.6 } else { -0.6 };
            self.middle + self.half * DVec3::new(side(0), side(1), side(2))
        };
        std::iter::once(self.middle).chain((0..8).map(offset))
    }
}

/// The shortest vector of the convex hull of these, about: Frank and Wolfe's method.
fn shortest(vectors: &[DVec3]) -> DVec3 {
    let mut x = vectors.first().copied().unwrap_or_default();
    for _ in 0..DIRECTION_STEPS {
        let least = vectors
            .iter()
            .copied()
            .min_by(|v, w| x.dot(*v).total_cmp(&x.dot(*w)));
        let Some(v) = least else { break };
        let d = x - v;
        if x.dot(d) <= 1e-12 {
            break;
        }
        x -= d * (x.dot(d) / d.length_squared()).clamp(0.0, 1.0);
    }
    x
}
