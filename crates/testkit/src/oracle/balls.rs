//! Do balls lie inside a closed mesh, and apart from each other?
//!
//! **Idea.** A ball lies inside when its centre does and no face is nearer than its radius. Whether a corner, the foot on an edge or the foot
//! on a face is nearer are signs of polynomials of degree two, four and six. Intervals decide most; integers decide the rest.
//!
//! **Promise.** Exact. Columns of cells find the faces and balls that come into question: the number of a cell does not fall as the coordinate
//! grows, whatever rounding does, so that two boxes that share a point share a cell.

use std::cmp::Ordering;

use dashu_int::IBig;
use impinge::math::{Interval, Sign, orient2d, orient3d};
use impinge::mesh::point_in_mesh::{Location, locate_by_parity};
use impinge::{DVec3, TriMesh};

use super::integer::{by_operators, scaled_wide};

/// A centre and a radius.
pub type Ball = (DVec3, f64);

/// What is wrong with balls in a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BallFaults {
    /// Balls whose centre is not inside, that a face reaches into, or whose radius is not positive.
    pub escapes: usize,
    /// Pairs that share more than a point.
    pub overlaps: usize,
    /// Questions that were decided in integers, because rounding hid the answer.
    pub in_integers: usize,
}

/// Counts balls that are not inside a closed mesh, and pairs that overlap, without any rounding.
///
/// ```
/// use impinge::DVec3;
/// use impinge_testkit::{generate, oracle::ball_faults};
/// let cube = generate::meshes::cuboid(DVec3::ZERO, DVec3::ONE);
/// assert_eq!(ball_faults(&cube, &[(DVec3::splat(0.5), 0.5)]).escapes, 0);
/// assert_eq!(ball_faults(&cube, &[(DVec3::splat(0.5), 0.5_f64.next_up())]).escapes, 1);
/// ```
#[must_use]
pub fn ball_faults(mesh: &TriMesh, balls: &[Ball]) -> BallFaults {
    let faces: Vec<[DVec3; 3]> = mesh.triangles().collect();
    let boxes: Vec<Bounds> = faces.iter().map(Bounds::of).collect();
    let columns = Columns::new(&boxes);
    let mut faults = BallFaults::default();
    let is_ball = |ball: &Ball| ball.1 > 0.0 && ball.1.is_finite() && ball.0.is_finite();
    let real: Vec<Ball> = balls.iter().copied().filter(is_ball).collect();
    faults.escapes = balls.len() - real.len();
    for ball in &real {
        let is_inside = columns.holds(mesh, &faces, ball.0);
        if !is_inside || columns.reaches_into(&faces, &boxes, ball, &mut faults.in_integers) {
            faults.escapes += 1;
        }
    }
    overlaps(&real, &mut faults);
    faults
}

/// The pairs that share more than a point.
fn overlaps(balls: &[Ball], faults: &mut BallFaults) {
    let boxes: Vec<Bounds> = balls.iter().map(Bounds::around).collect();
    let columns = Columns::new(&boxes);
    for (i, ball) in balls.iter().enumerate() {
        let [first, last] = columns.range(&boxes[i]);
        columns.visit([first, last], |cell, members| {
            for &j in members.iter().take_while(|&&j| (j as usize) < i) {
                // A pair is met in every cell that both have: it counts in the first.
                let other = columns.range(&boxes[j as usize])[0];
                if cell != [first[0].max(other[0]), first[1].max(other[1])] {
                    continue;
                }
                let known = balls_overlap(ball, &balls[j as usize]);
                faults.in_integers += usize::from(known.is_none());
                let is_overlap =
                    known.unwrap_or_else(|| balls_overlap_in_integers(ball, &balls[j as usize]));
                faults.overlaps += usize::from(is_overlap);
            }
        });
    }
}

/// Whether two balls overlap, where rounding does not hide it: five roundings on either side make less than 10⁻¹⁵.
fn balls_overlap((p, r): &Ball, (q, s): &Ball) -> Option<bool> {
    let (apart_sq, reach) = ((*p - *q).length_squared(), r + s);
    let reach_sq = reach * reach;
    // Squares that underflow say nothing.
    if reach_sq <= f64::MIN_POSITIVE {
        None
    } else if apart_sq > reach_sq * (1.0 + 1e-14) {
        Some(false)
    } else if apart_sq < reach_sq * (1.0 - 1e-14) {
        Some(true)
    } else {
        None
    }
}

fn balls_overlap_in_integers((p, r): &Ball, (q, s): &Ball) -> bool {
    let ([p, q, radii], _) = scaled_wide(&[*p, *q, DVec3::new(*r, *s, 0.0)]);
    let mut gap = -square(&(&radii[0] + &radii[1]));
    for (x, y) in p.iter().zip(&q) {
        gap += square(&(x - y));
    }
    gap < IBig::ZERO
}

fn square(x: &IBig) -> IBig {
    x * x
}

/// A box.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: DVec3,
    max: DVec3,
}

impl Bounds {
    fn of(points: &[DVec3; 3]) -> Self {
        let [a, b, c] = *points;
        Self {
            min: a.min(b).min(c),
            max: a.max(b).max(c),
        }
    }

    /// Rounded outwards.
    fn around(&(center, radius): &Ball) -> Self {
        let down = |x: f64| (x - radius).next_down();
        let up = |x: f64| (x + radius).next_up();
        Self {
            min: DVec3::new(down(center.x), down(center.y), down(center.z)),
            max: DVec3::new(up(center.x), up(center.y), up(center.z)),
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether every point is surely farther from `p` than `r`: three subtractions, three squares and two sums round by less than 10⁻¹⁵.
    fn is_beyond(&self, p: DVec3, r: f64) -> bool {
        let away = (self.min - p).max(p - self.max).max(DVec3::ZERO);
        let (away_sq, r_sq) = (away.length_squared(), r * r);
        r_sq > f64::MIN_POSITIVE && away_sq > r_sq * (1.0 + 1e-14)
    }
}

/// Things by the cells of a grid over x and y that their boxes meet.
struct Columns {
    origin: [f64; 2],
    per_length: [f64; 2],
    side: usize,
    /// Ascending numbers.
    cells: Vec<Vec<u32>>,
}

impl Columns {
    fn new(boxes: &[Bounds]) -> Self {
        let low = boxes.iter().fold(DVec3::INFINITY, |m, b| m.min(b.min));
        let high = boxes.iter().fold(DVec3::NEG_INFINITY, |m, b| m.max(b.max));
        let side = ((boxes.len() as f64 / 2.0).sqrt() as usize).clamp(1, 1024);
        let per_length = |axis: usize| {
            let length = high[axis] - low[axis];
            if length > 0.0 {
                side as f64 / length
            } else {
                0.0
            }
        };
        let mut columns = Self {
            origin: [low.x, low.y],
            per_length: [per_length(0), per_length(1)],
            side,
            cells: vec![Vec::new(); side * side],
        };
        for (i, bounds) in boxes.iter().enumerate() {
            let [first, last] = columns.range(bounds);
            for x in first[0]..=last[0] {
                for y in first[1]..=last[1] {
                    columns.cells[x * side + y].push(i as u32);
                }
            }
        }
        columns
    }

    /// Monotone in the coordinate: so are a difference, a product with a positive number, and cutting off.
    fn cell(&self, axis: usize, x: f64) -> usize {
        let place = (x - self.origin[axis]) * self.per_length[axis];
        (place.max(0.0) as usize).min(self.side - 1)
    }

    fn range(&self, bounds: &Bounds) -> [[usize; 2]; 2] {
        [bounds.min, bounds.max].map(|p| [self.cell(0, p.x), self.cell(1, p.y)])
    }

    fn visit(&self, [first, last]: [[usize; 2]; 2], mut see: impl FnMut([usize; 2], &[u32])) {
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                see([x, y], &self.cells[x * self.side + y]);
            }
        }
    }

    /// Whether the point has an odd number of faces above it; where an edge is above, rays in other directions decide.
    fn holds(&self, mesh: &TriMesh, faces: &[[DVec3; 3]], p: DVec3) -> bool {
        let cell = self.cells[self.cell(0, p.x) * self.side + self.cell(1, p.y)].iter();
        let mut above = 0;
        for &face in cell {
            match is_above(&faces[face as usize], p) {
                Some(is_above) => above += usize::from(is_above),
                None => return locate_by_parity(mesh, p) == Ok(Location::Inside),
            }
        }
        above % 2 == 1
    }

    /// Whether a face has a point nearer to the centre than the radius.
    fn reaches_into(
        &self,
        faces: &[[DVec3; 3]],
        boxes: &[Bounds],
        ball: &Ball,
        in_integers: &mut usize,
    ) -> bool {
        let around = Bounds::around(ball);
        let mut is_met = false;
        self.visit(self.range(&around), |_, members| {
            for &face in members {
                let bounds = &boxes[face as usize];
                if is_met || !bounds.overlaps(&around) || bounds.is_beyond(ball.0, ball.1) {
                    continue;
                }
                let corners = &faces[face as usize];
                is_met = in_intervals(corners, ball).unwrap_or_else(|| {
                    *in_integers += 1;
                    in_wide_integers(corners, ball)
                });
            }
        });
        is_met
    }
}

/// Whether the face lies straight above the point; none when its outline or the face itself passes through it.
fn is_above(face: &[DVec3; 3], p: DVec3) -> Option<bool> {
    let [a, b, c] = face.map(DVec3::truncate);
    let flat = p.truncate();
    let sides = [(a, b), (b, c), (c, a)].map(|(u, v)| orient2d(u, v, flat));
    let has = |sign| sides.contains(&sign);
    if has(Sign::Positive) && has(Sign::Negative) {
        return Some(false);
    }
    if has(Sign::Zero) {
        // On the line of an edge, perhaps beyond its ends: a box tells.
        let is_off = flat.cmplt(a.min(b).min(c)).any() || flat.cmpgt(a.max(b).max(c)).any();
        return if is_off { Some(false) } else { None };
    }
    // Seen from above, a counter-clockwise face has what lies below it behind it.
    match (orient3d(face[0], face[1], face[2], p), sides[0]) {
        (Sign::Zero, _) => None,
        (side, turn) => Some(side == turn),
    }
}

/// The arithmetic of the test, with a sign that may be unknown.
trait Number: Clone {
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn sign(&self) -> Option<Ordering>;
}

impl Number for Interval {
    fn plus(&self, other: &Self) -> Self {
        *self + *other
    }
    fn minus(&self, other: &Self) -> Self {
        *self - *other
    }
    fn times(&self, other: &Self) -> Self {
        *self * *other
    }
    fn sign(&self) -> Option<Ordering> {
        match (self.lo() > 0.0, self.hi() < 0.0) {
            (true, _) => Some(Ordering::Greater),
            (_, true) => Some(Ordering::Less),
            _ if self.lo() == 0.0 && self.hi() == 0.0 => Some(Ordering::Equal),
            _ => None,
        }
    }
}

impl Number for IBig {
    by_operators!(plus + minus - times *);
    fn sign(&self) -> Option<Ordering> {
        Some(self.cmp(&IBig::ZERO))
    }
}

fn in_intervals(face: &[DVec3; 3], &(p, r): &Ball) -> Option<bool> {
    let point = |v: DVec3| v.to_array().map(Interval::point);
    is_nearer(&face.map(point), &point(p), &Interval::point(r))
}

fn in_wide_integers(face: &[DVec3; 3], &(p, r): &Ball) -> bool {
    let ([a, b, c, p, radius], _) =
        scaled_wide(&[face[0], face[1], face[2], p, DVec3::new(r, 0.0, 0.0)]);
    // Integers always have a sign.
    is_nearer(&[a, b, c], &p, &radius[0]).unwrap_or(true)
}

type Vector<N> = [N; 3];

fn minus<N: Number>(u: &Vector<N>, v: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|k| u[k].minus(&v[k]))
}

fn dot<N: Number>(u: &Vector<N>, v: &Vector<N>) -> N {
    let [x, y, z]: [N; 3] = std::array::from_fn(|k| u[k].times(&v[k]));
    x.plus(&y).plus(&z)
}

fn cross<N: Number>(u: &Vector<N>, v: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        u[i].times(&v[j]).minus(&u[j].times(&v[i]))
    })
}

fn is_negative<N: Number>(x: &N) -> Option<bool> {
    x.sign().map(Ordering::is_lt)
}

fn is_positive<N: Number>(x: &N) -> Option<bool> {
    x.sign().map(Ordering::is_gt)
}

/// Whether all hold; false as soon as one surely does not.
fn all(parts: &[Option<bool>]) -> Option<bool> {
    if parts.contains(&Some(false)) {
        Some(false)
    } else if parts.contains(&None) {
        None
    } else {
        Some(true)
    }
}

/// Whether a point of the face is nearer to `p` than `r`: a corner, the foot on an edge, or the foot on the face.
fn is_nearer<N: Number>(face: &[Vector<N>; 3], p: &Vector<N>, r: &N) -> Option<bool> {
    let corners: [Vector<N>; 3] = std::array::from_fn(|k| minus(&face[k], p));
    let r_sq = r.times(r);
    let mut is_unknown = false;
    let mut is_any = |found: Option<bool>| {
        is_unknown |= found.is_none();
        found == Some(true)
    };
    let normal = cross(
        &minus(&corners[1], &corners[0]),
        &minus(&corners[2], &corners[0]),
    );
    let mut is_over_face = [None; 3];
    for (k, is_over) in is_over_face.iter_mut().enumerate() {
        let (u, v) = (&corners[k], &corners[(k + 1) % 3]);
        let length_sq = dot(u, u);
        if is_any(is_negative(&length_sq.minus(&r_sq))) {
            return Some(true);
        }
        let edge = minus(v, u);
        let (edge_sq, back) = (dot(&edge, &edge), dot(u, &edge));
        // |u|² − (u·e)²/|e|² is the square of the distance from the line.
        let beside = length_sq
            .minus(&r_sq)
            .times(&edge_sq)
            .minus(&back.times(&back));
        let foot_on_edge = [
            is_negative(&back),
            is_positive(&back.plus(&edge_sq)),
            is_negative(&beside),
        ];
        if is_any(all(&foot_on_edge)) {
            return Some(true);
        }
        *is_over = is_positive(&dot(&cross(u, v), &normal));
    }
    let height = dot(&corners[0], &normal);
    let above = height
        .times(&height)
        .minus(&r_sq.times(&dot(&normal, &normal)));
    let [one, two, three] = is_over_face;
    if is_any(all(&[one, two, three, is_negative(&above)])) {
        return Some(true);
    }
    (!is_unknown).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::super::{Place, locate, triangle_distance};
    use super::*;
    use crate::generate::meshes::{cuboid, tetrahedron};
    use impinge::math::Rng;

    #[test]
    fn one_step_of_the_radius_is_told_apart() {
        let cube = cuboid(DVec3::ZERO, DVec3::splat(2.0));
        let faults = |balls: &[Ball]| ball_faults(&cube, balls);
        let (p, q) = (DVec3::new(0.5, 0.5, 0.5), DVec3::new(1.5, 0.5, 0.5));
        let fine = faults(&[(p, 0.5), (q, 0.5)]);
        assert_eq!((fine.escapes, fine.overlaps), (0, 0));
        assert!(fine.in_integers > 0);
        let large = faults(&[(p, 0.5), (q, 0.5_f64.next_up())]);
        assert_eq!((large.escapes, large.overlaps), (1, 1));
        let outside = faults(&[(DVec3::splat(3.0), 0.1), (DVec3::splat(-1.0), 0.1)]);
        assert_eq!(outside.escapes, 2);
        assert_eq!(faults(&[(p, 0.0), (q, f64::NAN)]).escapes, 2);
    }

    #[test]
    fn distances_are_those_of_the_other_oracle() {
        let mut rng = Rng::new(5);
        let mut near = 0;
        for round in 0..2000 {
            let mut point = || {
                if round % 2 == 0 {
                    rng.cube()
                } else {
                    DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2))
                }
            };
            let (face, p) = ([point(), point(), point()], point());
            let distance = triangle_distance(&[p; 3], &face);
            for r in [distance.lower.next_down(), distance.upper.next_up()] {
                if r > 0.0 {
                    let is_near = r > distance.upper;
                    assert_eq!(in_wide_integers(&face, &(p, r)), is_near, "{round}");
                    assert_ne!(in_intervals(&face, &(p, r)), Some(!is_near), "{round}");
                    near += u32::from(is_near);
                }
            }
        }
        assert!(near > 1000);
    }

    #[test]
    fn inside_is_what_the_other_oracle_says() {
        let mut rng = Rng::new(8);
        let shape = tetrahedron([DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0, DVec3::Z * 4.0]);
        for round in 0..400 {
            let p = if round % 2 == 0 {
                rng.cube() * 3.0
            } else {
                DVec3::new(rng.grid(-1, 4), rng.grid(-1, 4), rng.grid(-1, 4))
            };
            let expected = locate(&shape, p) == Some(Place::Inside);
            let is_in = ball_faults(&shape, &[(p, 1e-9)]).escapes == 0;
            assert_eq!(is_in, expected, "{p}");
        }
    }
}
