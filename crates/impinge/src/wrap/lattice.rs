//! The body-centred cubic lattice and its tetrahedra.
//!
//! Nodes are the corners and the centres of cubes. In units of half the spacing, corners have three
//! even coordinates and centres three odd ones. Each tetrahedron has one edge between two corners,
//! one between two centres, both as long as the spacing, and four from a corner to a centre; all
//! are congruent.

use glam::DVec3;

/// The parts into which an edge is divided. A vertex of the wrap lies on one of the marks in
/// between, so that its coordinates are few bits times a power of two, and exact.
pub(super) const EDGE_PARTS: i64 = 64;
/// The circumradius of the tetrahedra, √5/4 of the spacing, rounded up.
const CIRCUMRADIUS: f64 = 0.559_016_995;
/// How far rounding to a mark moves a vertex at most, per spacing.
const MARK: f64 = 1.0 / EDGE_PARTS as f64;
/// Room for the rounding of distances, per spacing: theirs is below 2⁻²⁰ of it.
const SLACK: f64 = 1.0 / 1024.0;

/// A node, in units of half the spacing: three even numbers or three odd ones.
pub(super) type Node = [i64; 3];

/// The ways from a node to half of its neighbours; the others are opposite.
pub(super) const WAYS: [Node; 7] = [
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [1, 1, 1],
    [-1, 1, 1],
    [1, -1, 1],
    [1, 1, -1],
];

/// The lattice of a wrap and the distances that belong to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    /// The side of a cube.
    pub(super) spacing: f64,
    /// Nodes nearer to the mesh than this are inside.
    pub(super) level: f64,
    /// The flood passes nodes that are at least this far from the mesh.
    pub(super) reach: f64,
    /// No point of the wrap is farther from the mesh, closed gaps aside.
    pub(super) farthest: f64,
    /// No point of the wrap is nearer to the mesh.
    pub(super) nearest: f64,
}

impl Lattice {
    /// The coarsest lattice whose surface stays within `offset`, for gaps up to `gap`.
    pub(super) fn new(offset: f64, gap: f64) -> Self {
        // Four bits, rounded down: coordinates of the wrap then also fit into `f32` unless it is
        // far from the origin.
        let (fraction, exponent) = libm::frexp(offset / (2.0 * (CIRCUMRADIUS + MARK + SLACK)));
        let spacing = libm::ldexp((fraction * 16.0).floor(), exponent - 4);
        let level = (CIRCUMRADIUS + MARK + SLACK) * spacing;
        let reach = if gap > 0.0 {
            // An edge of the lattice that passes a gap has a node within half an edge of it.
            (0.5 * gap + 0.5 * spacing).max(level)
        } else {
            level
        };
        Self {
            spacing,
            level,
            reach,
            farthest: level + (CIRCUMRADIUS + MARK + 0.5 * SLACK) * spacing,
            nearest: 0.5 * SLACK * spacing,
        }
    }

    /// The largest distance at which rounding does not count.
    pub(super) fn slack(&self) -> f64 {
        0.5 * SLACK * self.spacing
    }

    /// Twice the circumradius.
    pub(super) fn cell_diameter(&self) -> f64 {
        2.0 * CIRCUMRADIUS * self.spacing
    }

    /// Where a node is; exact.
    pub(super) fn position(&self, node: Node) -> DVec3 {
        DVec3::from_array(node.map(|n| n as f64)) * (0.5 * self.spacing)
    }

    /// Where a point is whose coordinates are given in [`EDGE_PARTS`] of half the spacing; exact.
    pub(super) fn mark_position(&self, mark: Node) -> DVec3 {
        DVec3::from_array(mark.map(|n| n as f64)) * (0.5 * self.spacing * MARK)
    }

    /// The mark on the edge from an inner to an outer node at which their distances put the
    /// surface, 1 to 63 counted from the inner one.
    pub(super) fn mark_between(&self, inner: f64, outer: f64) -> i64 {
        if inner >= self.level {
            // Both are away from the mesh: the edge passes a gap that is to be closed.
            return EDGE_PARTS / 2;
        }
        let share = (self.level - inner) / (outer - inner);
        let mark = (share * EDGE_PARTS as f64).round() as i64;
        mark.clamp(1, EDGE_PARTS - 1)
    }
}

/// The node that an offset leads to.
pub(super) fn moved(node: Node, by: Node) -> Node {
    [node[0] + by[0], node[1] + by[1], node[2] + by[2]]
}

/// The tetrahedra at the edge from the corner to its neighbour along `axis`: the ends of the edge
/// and two centres, positively oriented, as offsets from the corner.
pub(super) fn tetrahedra(axis: usize) -> [[Node; 4]; 4] {
    const RING: [[i64; 2]; 4] = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
    let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
    let centre = |[u, v]: [i64; 2]| {
        let mut node = [1; 3];
        node[next] = u;
        node[last] = v;
        node
    };
    let mut end = [0; 3];
    end[axis] = 2;
    std::array::from_fn(|i| [[0; 3], end, centre(RING[i]), centre(RING[(i + 1) % 4])])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn determinant(t: &[Node; 4]) -> i64 {
        let [a, b, c] = [1, 2, 3].map(|i| moved(t[i], t[0].map(|n: i64| -n)));
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    #[test]
    fn tetrahedra_are_positive_and_fill_the_cube() {
        let all: Vec<_> = (0..3).flat_map(tetrahedra).collect();
        // A cube has volume 8 in these units, a tetrahedron a sixth of its determinant.
        assert_eq!(all.iter().map(determinant).sum::<i64>(), 6 * 8);
        assert!(all.iter().all(|t| determinant(t) == 4));
    }

    #[test]
    fn edges_of_tetrahedra_are_the_ways() {
        for t in (0..3).flat_map(tetrahedra) {
            for i in 0..4 {
                for j in 0..i {
                    let way = moved(t[i], t[j].map(|n| -n));
                    let back = way.map(|n| -n);
                    assert!(WAYS.contains(&way) != WAYS.contains(&back), "{way:?}");
                }
            }
        }
    }

    #[test]
    fn the_circumradius_bounds_the_tetrahedron() {
        // The centre of gravity is the circumcentre, because opposite edges are equal.
        for t in (0..3).flat_map(tetrahedra) {
            let p = t.map(|n| DVec3::from_array(n.map(|n| 0.5 * n as f64)));
            let centre = (p[0] + p[1] + p[2] + p[3]) / 4.0;
            for corner in p {
                let radius = corner.distance(centre);
                assert!((radius - CIRCUMRADIUS).abs() < 1e-8 && radius <= CIRCUMRADIUS);
            }
        }
    }

    #[test]
    fn the_lattice_stays_within_the_offset_and_has_few_bits() {
        for i in 0..200 {
            let offset = 0.013 * 1.07_f64.powi(i);
            let lattice = Lattice::new(offset, 0.0);
            assert!(lattice.farthest <= offset && lattice.nearest > 0.0);
            assert!(lattice.farthest > 0.88 * offset);
            let (fraction, _) = libm::frexp(lattice.spacing);
            assert_eq!((fraction * 16.0).fract(), 0.0);
        }
    }
}
