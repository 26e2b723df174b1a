//! Marching tetrahedra: the surface between the nodes outside and the others.
//!
//! In each tetrahedron the surface is a triangle or two, with their corners strictly inside its
//! edges. Whatever marks the corners are at, the pieces of two tetrahedra meet only in the face
//! they share and fit there, so the surface is closed, manifold and free of self-intersections.

use glam::DVec3;

use super::cell_tree::{CellTree, Leaf};
use super::lattice::{EDGE_PARTS, Lattice, Node, WAYS, moved, tetrahedra};
use super::outside::Outside;

const NONE: u32 = u32::MAX;

/// Even permutations that begin with each corner.
const FROM_CORNER: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]];
/// Even permutations that begin with each pair of corners.
const FROM_PAIR: [[usize; 4]; 6] = [
    [0, 1, 2, 3],
    [0, 2, 3, 1],
    [0, 3, 1, 2],
    [1, 2, 0, 3],
    [1, 3, 2, 0],
    [2, 3, 0, 1],
];

/// A corner of a tetrahedron.
#[derive(Clone, Copy, Debug)]
struct Corner {
    node: Node,
    leaf: Leaf,
    which: usize,
    is_outside: bool,
}

/// The surface in the making.
#[derive(Debug)]
pub(super) struct Surface<'a> {
    cells: &'a CellTree,
    outside: &'a Outside,
    lattice: &'a Lattice,
    /// The vertex on the edge from each node of a near cell along each way.
    vertex_on: Vec<u32>,
    /// The vertices, in marks.
    marks: Vec<Node>,
    faces: Vec<[u32; 3]>,
}

impl<'a> Surface<'a> {
    /// The vertices and faces of the surface, facing outward.
    pub(super) fn extract(
        cells: &'a CellTree,
        outside: &'a Outside,
        lattice: &'a Lattice,
    ) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let mut surface = Self {
            cells,
            outside,
            lattice,
            vertex_on: vec![NONE; 2 * WAYS.len() * cells.near.len()],
            marks: Vec::new(),
            faces: Vec::new(),
        };
        let around = Neighbourhood::new();
        // Each tetrahedron has one edge between two corners of cells; the cell of the lower one
        // finds it. A node that is in no near cell is an edge or more away from all that are not
        // outside.
        for &cell in &cells.near {
            let corner = cells.corner(cell);
            let nodes = around.nodes.map(|by| surface.corner(moved(corner, by)));
            let first = nodes[0].is_outside;
            if nodes.iter().all(|node| node.is_outside == first) {
                continue;
            }
            for tetrahedron in &around.tetrahedra {
                surface.cut(&tetrahedron.map(|i| nodes[i]));
            }
        }
        let positions = surface.marks.iter();
        let positions = positions.map(|&mark| lattice.mark_position(mark)).collect();
        (positions, surface.faces)
    }

    fn corner(&self, node: Node) -> Corner {
        let (leaf, which) = self.cells.leaf_of_node(node);
        Corner {
            node,
            leaf,
            which,
            is_outside: self.outside.holds(leaf, which),
        }
    }

    /// Adds the piece of the surface in a positively oriented tetrahedron.
    fn cut(&mut self, corners: &[Corner; 4]) {
        let count = corners.iter().filter(|corner| corner.is_outside).count();
        match count {
            1 | 3 => {
                // One corner is cut off from the others.
                let is_lone = |i: &usize| corners[*i].is_outside == (count == 1);
                let Some(lone) = (0..4).find(is_lone) else {
                    return;
                };
                let [a, b, c, d] = FROM_CORNER[lone].map(|i| corners[i]);
                let [ab, ac, ad] = [b, c, d].map(|other| self.vertex(&a, &other));
                // Away from an inner corner, towards an outer one.
                self.faces.push(if a.is_outside {
                    [ab, ad, ac]
                } else {
                    [ab, ac, ad]
                });
            }
            2 => {
                let is_inner_pair = |order: &&[usize; 4]| {
                    !corners[order[0]].is_outside && !corners[order[1]].is_outside
                };
                let Some(order) = FROM_PAIR.iter().find(is_inner_pair) else {
                    return;
                };
                let [a, b, c, d] = order.map(|i| corners[i]);
                let ac = self.vertex(&a, &c);
                let ad = self.vertex(&a, &d);
                let bd = self.vertex(&b, &d);
                let bc = self.vertex(&b, &c);
                if self.length_sq(ac, bd) <= self.length_sq(ad, bc) {
                    self.faces.extend([[ac, ad, bd], [ac, bd, bc]]);
                } else {
                    self.faces.extend([[ac, ad, bc], [ad, bd, bc]]);
                }
            }
            _ => {}
        }
    }

    /// The vertex on the edge between an inner and an outer corner, in any order.
    fn vertex(&mut self, a: &Corner, b: &Corner) -> u32 {
        let way = moved(b.node, a.node.map(|n| -n));
        let (lower, way) = match WAYS.iter().position(|w| *w == way) {
            Some(way) => (a, way),
            None => {
                let back = way.map(|n| -n);
                (b, WAYS.iter().position(|w| *w == back).unwrap_or_default())
            }
        };
        let (inner, outer) = if a.is_outside { (b, a) } else { (a, b) };
        // Both nodes of a cut edge are in near cells.
        debug_assert!(matches!(
            (inner.leaf, outer.leaf),
            (Leaf::Near(_), Leaf::Near(_))
        ));
        let Leaf::Near(cell) = lower.leaf else {
            return 0;
        };
        let slot = (2 * cell + lower.which) * WAYS.len() + way;
        if self.vertex_on[slot] == NONE {
            let mark = self
                .lattice
                .mark_between(self.distance(inner), self.distance(outer));
            let position = std::array::from_fn(|k| {
                EDGE_PARTS * inner.node[k] + mark * (outer.node[k] - inner.node[k])
            });
            self.vertex_on[slot] = self.marks.len() as u32;
            self.marks.push(position);
        }
        self.vertex_on[slot]
    }

    fn distance(&self, corner: &Corner) -> f64 {
        match corner.leaf {
            Leaf::Near(cell) => self.cells.distances[cell][corner.which],
            _ => f64::INFINITY,
        }
    }

    fn length_sq(&self, a: u32, b: u32) -> i64 {
        let (a, b) = (self.marks[a as usize], self.marks[b as usize]);
        (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
    }
}

/// The nodes of the tetrahedra that a cell finds, as offsets from its corner.
#[derive(Debug)]
struct Neighbourhood {
    nodes: [Node; 11],
    tetrahedra: Vec<[usize; 4]>,
}

impl Neighbourhood {
    fn new() -> Self {
        // The corner itself, its three higher neighbours, and the centres around them.
        let nodes = [
            [0, 0, 0],
            [2, 0, 0],
            [0, 2, 0],
            [0, 0, 2],
            [1, 1, 1],
            [1, 1, -1],
            [1, -1, 1],
            [-1, 1, 1],
            [1, -1, -1],
            [-1, 1, -1],
            [-1, -1, 1],
        ];
        let number = |node: Node| nodes.iter().position(|n| *n == node).unwrap_or_default();
        let tetrahedra = (0..3)
            .flat_map(tetrahedra)
            .map(|tetrahedron| tetrahedron.map(number))
            .collect();
        Self { nodes, tetrahedra }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tetrahedron_has_four_nodes_of_the_neighbourhood() {
        let around = Neighbourhood::new();
        let all: Vec<[Node; 4]> = (0..3).flat_map(tetrahedra).collect();
        for (numbers, nodes) in around.tetrahedra.iter().zip(all) {
            assert_eq!(numbers.map(|i| around.nodes[i]), nodes);
        }
    }

    #[test]
    fn permutations_are_even() {
        for order in FROM_CORNER.iter().chain(&FROM_PAIR) {
            let inversions = (0..4)
                .flat_map(|i| (0..i).map(move |j| (j, i)))
                .filter(|&(j, i)| order[j] > order[i])
                .count();
            assert_eq!(inversions % 2, 0, "{order:?}");
        }
    }
}
