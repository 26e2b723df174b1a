//! The Delaunay tetrahedra of points.
//!
//! **Question.** Which four points have a circumscribed sphere with no point inside?
//! **Idea.** Points are inserted one by one. The tetrahedra whose circumscribed sphere contains the
//! new point form a cavity around it, which is filled again from its facets. Outside every facet of
//! the hull is a ghost, a tetrahedron with a corner at infinity, so that points outside are no
//! special case.
//! **Source.** Bowyer and Watson, 1981; ghosts and the order of insertion as is usual today.
//! **Cost.** Expected O(n log n) for most clouds. Points are inserted in rounds, each in the order
//! of a tree, so that the walk to the next point is short.
//! **Promise.** No point is inside any circumscribed sphere: signs are exact. Points *on* a sphere
//! do not count as inside, so several results are possible for cospherical points. A cavity never
//! gives a flat tetrahedron: if the new point is in the plane of a facet, the spheres on both sides
//! intersect that plane in the same circle, and the facet is inside the cavity or outside of it,
//! not on its border.

use glam::{DVec2, DVec3};

use crate::math::{Rng, Sign, insphere, orient2d, orient3d};

/// The corner at infinity.
const FAR: u32 = u32::MAX;
/// No tetrahedron.
const NONE: u32 = u32::MAX;
/// Rounds of insertion; the last has half of the points.
const ROUNDS: u32 = 16;
/// Maximum number of points added to a cloud without volume.
const MOST_ADDED: usize = 3;

/// A tetrahedron: positively oriented corners, and who is opposite to each.
#[derive(Clone, Copy, Debug)]
struct Tetrahedron {
    corners: [u32; 4],
    /// The first is `NONE` when the place is vacant.
    across: [u32; 4],
}

/// The tetrahedra of distinct points.
#[derive(Clone, Debug)]
pub(super) struct DelaunayTetrahedra {
    points: Vec<DVec3>,
    /// How many points are not ones that were added.
    own: usize,
    cells: Vec<Tetrahedron>,
    vacant: Vec<u32>,
    /// Where the last search ended.
    last: u32,
    /// Per cell: the last point that had it in its cavity, and the last that did not.
    marks: Vec<[u32; 2]>,
    cavity: Vec<u32>,
    /// Facets of the cavity: a cell inside and the corner that the facet is opposite to.
    border: Vec<(u32, usize)>,
    /// Facets that wait for their other side, by the two corners that tell them.
    open: Vec<(u64, u32, u32)>,
}

impl DelaunayTetrahedra {
    /// The tetrahedra of these points, which must be distinct; `order` lists them so that those near each other in space are near each other in the list.
    ///
    /// Points in one plane get a point outside of it, points on a line two, so that triangles and segments with empty circles and balls result.
    pub(super) fn new(points: Vec<DVec3>, order: &[u32]) -> Self {
        let own = points.len();
        let mut all = Self {
            points,
            own,
            cells: Vec::new(),
            vacant: Vec::new(),
            last: 0,
            marks: Vec::new(),
            cavity: Vec::new(),
            border: Vec::new(),
            open: Vec::new(),
        };
        let Some(first) = all.first_corners(order) else {
            return all;
        };
        all.begin(first);
        for round in (0..ROUNDS).rev() {
            for &id in order {
                let coin = Rng::new(u64::from(id)).next_u64().trailing_zeros();
                if coin.min(ROUNDS - 1) == round && !first.contains(&id) {
                    all.insert(id);
                }
            }
        }
        all
    }

    fn place(&self, id: u32) -> DVec3 {
        self.points[id as usize]
    }

    /// Four points that span space, adding some where the cloud does not; none without points.
    fn first_corners(&mut self, order: &[u32]) -> Option<[u32; 4]> {
        let mut corners = vec![*order.first()?];
        for &id in order {
            if corners.len() < 4 && self.is_independent(&corners, self.place(id)) {
                corners.push(id);
            }
        }
        let centre = self.place(corners[0]);
        let farthest = |m: f64, p: &DVec3| m.max((*p - centre).abs().max_element());
        let extent = self.points.iter().fold(0.0, farthest);
        let size = extent
            .max(centre.abs().max_element())
            .max(f64::MIN_POSITIVE * 1e20);
        let directions = [
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            DVec3::new(1.0, 1.0, 0.0),
            DVec3::new(0.0, 1.0, 1.0),
            DVec3::new(1.0, 0.0, 1.0),
            DVec3::ONE,
        ];
        let missing = (4 - corners.len()).min(MOST_ADDED);
        for direction in directions
            .into_iter()
            .cycle()
            .take(directions.len() * missing)
        {
            let place = centre + direction * size;
            if corners.len() < 4 && self.is_independent(&corners, place) {
                corners.push(self.points.len() as u32);
                self.points.push(place);
            }
        }
        let mut corners: [u32; 4] = corners.try_into().ok()?;
        let [a, b, c, d] = corners.map(|id| self.place(id));
        if orient3d(a, b, c, d) == Sign::Negative {
            corners.swap(0, 1);
        }
        Some(corners)
    }

    /// Whether a place is not in the point, line or plane of others.
    fn is_independent(&self, corners: &[u32], place: DVec3) -> bool {
        match *corners {
            [a] => self.place(a) != place,
            [a, b] => !is_collinear(self.place(a), self.place(b), place),
            [a, b, c] => !orient3d(self.place(a), self.place(b), self.place(c), place).is_zero(),
            _ => false,
        }
    }

    /// The first tetrahedron and its four ghosts.
    fn begin(&mut self, corners: [u32; 4]) {
        let first = self.add(corners);
        self.open.clear();
        for at in 0..4 {
            // Seen from outside a facet turns the other way.
            let mut ghost = corners;
            ghost[at] = FAR;
            ghost.swap((at + 1) % 4, (at + 2) % 4);
            let number = self.add(ghost);
            self.cells[number as usize].across[at] = first;
            self.cells[first as usize].across[at] = number;
            self.open_facets(number, at);
        }
        self.close_facets();
        self.last = first;
    }

    fn add(&mut self, corners: [u32; 4]) -> u32 {
        let cell = Tetrahedron {
            corners,
            across: [NONE; 4],
        };
        if let Some(number) = self.vacant.pop() {
            self.cells[number as usize] = cell;
            self.marks[number as usize] = [NONE; 2];
            return number;
        }
        self.cells.push(cell);
        self.marks.push([NONE; 2]);
        (self.cells.len() - 1) as u32
    }

    /// Notes the three facets at corner `apex` of a cell, which share it with another new cell each.
    fn open_facets(&mut self, number: u32, apex: usize) {
        let corners = self.cells[number as usize].corners;
        for at in (0..4).filter(|&at| at != apex) {
            let mut rest = (0..4).filter(|&k| k != apex && k != at).map(|k| corners[k]);
            if let (Some(p), Some(q)) = (rest.next(), rest.next()) {
                let key = (u64::from(p.min(q)) << 32) | u64::from(p.max(q));
                self.open.push((key, number, at as u32));
            }
        }
    }

    /// Joins the noted facets.
    fn close_facets(&mut self) {
        self.open.sort_unstable();
        for pair in self.open.chunks_exact(2) {
            let [(key, one, at_one), (other_key, other, at_other)] = [pair[0], pair[1]];
            debug_assert_eq!(key, other_key, "a facet has two sides");
            self.cells[one as usize].across[at_one as usize] = other;
            self.cells[other as usize].across[at_other as usize] = one;
        }
        self.open.clear();
    }

    /// The sign of a cell with one corner replaced: positive when the point is on the same side of the opposite facet.
    fn side(&self, corners: [u32; 4], at: usize, p: DVec3) -> Sign {
        let place = |k: usize| {
            if k == at { p } else { self.place(corners[k]) }
        };
        orient3d(place(0), place(1), place(2), place(3))
    }

    fn is_inside(&self, cell: &Tetrahedron, p: DVec3) -> bool {
        let [a, b, c, d] = cell.corners.map(|id| self.place(id));
        insphere(a, b, c, d, p) == Sign::Positive
    }

    /// Whether the ball of a cell holds a point; that of a ghost is the half-space outside, with the inside of the facet's circle.
    fn conflicts(&self, number: u32, p: DVec3) -> bool {
        let cell = &self.cells[number as usize];
        let Some(far) = cell.corners.iter().position(|&id| id == FAR) else {
            return self.is_inside(cell, p);
        };
        match self.side(cell.corners, far, p) {
            Sign::Positive => true,
            Sign::Negative => false,
            // In the plane of the facet, the ball inside shows the circle.
            Sign::Zero => self.is_inside(&self.cells[cell.across[far] as usize], p),
        }
    }

    /// A cell whose ball holds the point.
    fn locate(&self, p: DVec3) -> Option<u32> {
        let mut at = self.last;
        let cell = &self.cells[at as usize];
        if let Some(far) = cell.corners.iter().position(|&id| id == FAR) {
            at = cell.across[far];
        }
        // The walk cannot go in circles among Delaunay tetrahedra; the cap is for what should not be.
        for step in 0..self.cells.len() + 16 {
            let cell = &self.cells[at as usize];
            if cell.corners.contains(&FAR) {
                return Some(at);
            }
            let turned = (0..4).map(|k| (k + step) % 4);
            let mut sides = turned.map(|k| (k, self.side(cell.corners, k, p)));
            match sides.find(|&(_, sign)| sign == Sign::Negative) {
                Some((k, _)) => at = cell.across[k],
                None => return Some(at),
            }
        }
        (0..self.cells.len() as u32).find(|&n| self.is_live(n) && self.conflicts(n, p))
    }

    fn is_live(&self, number: u32) -> bool {
        self.cells[number as usize].across[0] != NONE
    }

    fn insert(&mut self, id: u32) {
        let p = self.place(id);
        let Some(start) = self.locate(p).filter(|&number| self.conflicts(number, p)) else {
            return;
        };
        self.cavity.clear();
        self.border.clear();
        self.cavity.push(start);
        self.marks[start as usize][0] = id;
        let mut next = 0;
        while let Some(&number) = self.cavity.get(next) {
            next += 1;
            for at in 0..4 {
                let beyond = self.cells[number as usize].across[at];
                let [inside, outside] = self.marks[beyond as usize];
                if inside == id {
                    continue;
                }
                if outside != id && self.conflicts(beyond, p) {
                    self.marks[beyond as usize][0] = id;
                    self.cavity.push(beyond);
                } else {
                    self.marks[beyond as usize][1] = id;
                    self.border.push((number, at));
                }
            }
        }
        self.open.clear();
        for k in 0..self.border.len() {
            let (inside, at) = self.border[k];
            let old = self.cells[inside as usize];
            let beyond = old.across[at];
            let mut corners = old.corners;
            corners[at] = id;
            // Vacant places are not those of this cavity: they are still read.
            let number = self.add(corners);
            self.cells[number as usize].across[at] = beyond;
            let back = self.cells[beyond as usize].across;
            // Two cells may share more than one facet while there are few.
            if let Some(side) =
                (0..4).find(|&s| back[s] == inside && self.shares_facet(beyond, s, inside, at))
            {
                self.cells[beyond as usize].across[side] = number;
            }
            self.open_facets(number, at);
            self.last = number;
        }
        self.close_facets();
        for k in 0..self.cavity.len() {
            let number = self.cavity[k];
            self.cells[number as usize].across = [NONE; 4];
            self.vacant.push(number);
        }
    }

    /// Whether the facet of one cell opposite to a corner is that of another.
    fn shares_facet(&self, one: u32, at_one: usize, other: u32, at_other: usize) -> bool {
        let (p, q) = (&self.cells[one as usize], &self.cells[other as usize]);
        (0..4)
            .filter(|&k| k != at_one)
            .all(|k| q.corners[at_other] != p.corners[k] && q.corners.contains(&p.corners[k]))
    }

    /// For every point a cell that has it as a corner; `NONE` for points without any.
    fn cell_of_each(&self) -> Vec<u32> {
        let mut found = vec![NONE; self.points.len()];
        for (cell, number) in self.cells.iter().zip(0..) {
            if cell.across[0] != NONE {
                for &id in cell.corners.iter().filter(|&&id| id != FAR) {
                    found[id as usize] = number;
                }
            }
        }
        found
    }

    /// Calls `visit` for every point with those that share a tetrahedron with it, ascending.
    pub(super) fn neighbours(&self, mut visit: impl FnMut(u32, &[u32])) {
        let cell_of = self.cell_of_each();
        let mut seen = vec![NONE; self.cells.len()];
        let (mut open, mut found) = (Vec::new(), Vec::new());
        for id in 0..self.own as u32 {
            found.clear();
            open.clear();
            if cell_of[id as usize] != NONE {
                open.push(cell_of[id as usize]);
                seen[cell_of[id as usize] as usize] = id;
            }
            while let Some(number) = open.pop() {
                let cell = &self.cells[number as usize];
                let is_ghost = cell.corners.contains(&FAR);
                for (&corner, &beyond) in cell.corners.iter().zip(&cell.across) {
                    if corner == id {
                        continue;
                    }
                    if !is_ghost && (corner as usize) < self.own {
                        found.push(corner);
                    }
                    // Opposite to another corner the point is still one.
                    if std::mem::replace(&mut seen[beyond as usize], id) != id {
                        open.push(beyond);
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
            visit(id, &found);
        }
    }
}

/// Whether three points are on a line, exactly: then their projections are.
fn is_collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    let flat = |f: fn(DVec3) -> DVec2| orient2d(f(a), f(b), f(c)).is_zero();
    flat(|p| DVec2::new(p.x, p.y))
        && flat(|p| DVec2::new(p.y, p.z))
        && flat(|p| DVec2::new(p.z, p.x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(points: Vec<DVec3>) {
        let order: Vec<u32> = (0..points.len() as u32).collect();
        let all = DelaunayTetrahedra::new(points, &order);
        for (number, cell) in all.cells.iter().enumerate() {
            if cell.across[0] == NONE {
                continue;
            }
            for at in 0..4 {
                let beyond = &all.cells[cell.across[at] as usize];
                let back = beyond.across.iter().position(|&n| n as usize == number);
                assert!(back.is_some(), "who is across is across again");
            }
            if !cell.corners.contains(&FAR) {
                let [a, b, c, d] = cell.corners.map(|id| all.place(id));
                assert_eq!(orient3d(a, b, c, d), Sign::Positive);
                for &p in &all.points[..all.own] {
                    assert_ne!(insphere(a, b, c, d, p), Sign::Positive);
                }
            }
        }
    }

    #[test]
    fn no_point_is_inside_a_ball() {
        let mut rng = Rng::new(1);
        check((0..300).map(|_| rng.cube()).collect());
        check((0..100).map(|_| rng.direction()).collect());
        for size in 1..5 {
            let grid = (0..size * size * size).map(|i| {
                DVec3::new(
                    f64::from(i % size),
                    f64::from(i / size % size),
                    f64::from(i / size / size),
                )
            });
            check(grid.collect());
        }
        check(
            (0..64)
                .map(|i| DVec3::new(f64::from(i % 8), f64::from(i / 8), 0.5))
                .collect(),
        );
        check((0..20).map(|i| DVec3::splat(f64::from(i))).collect());
    }
}
