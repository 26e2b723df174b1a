//! Which nodes are outside: a flood from infinity.

use std::collections::HashMap;

use super::cell_tree::{CellTree, Leaf};
use super::lattice::{Lattice, Node, WAYS, moved};
use crate::mesh::UnionFind;

/// What the flood says about the nodes.
#[derive(Debug)]
pub(super) struct Outside {
    /// For the corner and the centre of each near cell.
    near: Vec<[bool; 2]>,
    /// For all nodes of each free leaf.
    free: Vec<bool>,
}

impl Outside {
    /// Whether a node is outside.
    pub(super) fn holds(&self, leaf: Leaf, which: usize) -> bool {
        match leaf {
            Leaf::Near(number) => self.near[number][which],
            Leaf::Free(number) => self.free[number],
            Leaf::Beyond => true,
        }
    }

    /// The nodes that a ball of radius [`Lattice::reach`] coming from infinity covers, up to the
    /// lattice.
    pub(super) fn new(cells: &CellTree, lattice: &Lattice) -> Self {
        let near_nodes = 2 * cells.near.len();
        let mut sets = UnionFind::new(near_nodes + cells.free.len());
        let set_of = |leaf: Leaf, which: usize| match leaf {
            Leaf::Near(number) => {
                let is_passable = cells.distances[number][which] >= lattice.reach;
                is_passable.then_some((2 * number + which) as u32)
            }
            Leaf::Free(number) => Some((near_nodes + number) as u32),
            Leaf::Beyond => None,
        };
        for (number, &cell) in cells.near.iter().enumerate() {
            let corner = cells.corner(cell);
            for which in 0..2 {
                let Some(here) = set_of(Leaf::Near(number), which) else {
                    continue;
                };
                let node = moved(corner, [which as i64; 3]);
                for way in WAYS {
                    // Both ways: a free leaf does not look for near cells.
                    for way in [way, way.map(|n| -n)] {
                        let (leaf, other) = cells.leaf_of_node(moved(node, way));
                        if let Some(there) = set_of(leaf, other) {
                            sets.join(here, there);
                        }
                    }
                }
            }
        }
        for (number, leaf) in cells.free.iter().enumerate() {
            let side = 1_i64 << leaf.level;
            for way in LEAF_WAYS {
                // Of two leaves that touch, the smaller one finds the larger one.
                let cell = std::array::from_fn(|k| {
                    let low = i64::from(leaf.cell[k]);
                    match way[k] {
                        1 => low + side,
                        step => low + step,
                    }
                });
                if let Leaf::Free(other) = cells.leaf(cell) {
                    sets.join((near_nodes + number) as u32, (near_nodes + other) as u32);
                }
            }
        }
        // The lowest corner of the root is farther from the mesh than the reach.
        let outside = set_of(cells.leaf([0; 3]), 0).map(|set| sets.find(set));
        let mut is_outside = |leaf: Leaf, which: usize| {
            outside.is_some() && set_of(leaf, which).map(|set| sets.find(set)) == outside
        };
        let near = (0..cells.near.len())
            .map(|number| [0, 1].map(|which| is_outside(Leaf::Near(number), which)))
            .collect();
        let free = (0..cells.free.len())
            .map(|number| is_outside(Leaf::Free(number), 0))
            .collect();
        let mut this = Self { near, free };
        if lattice.reach > lattice.level {
            this.roll(cells, lattice);
        }
        this
    }

    /// Adds what the ball covers around the nodes that its centre reaches.
    fn roll(&mut self, cells: &CellTree, lattice: &Lattice) {
        // Twice the circumradius more than the ball has, because its centre may lie between nodes.
        // A node that is behind a face as seen from the centre is still too near to that face to
        // count.
        let radius = lattice.reach - lattice.level + lattice.cell_diameter();
        let mut centres = Centres::new(2.0 * radius / lattice.spacing);
        let farthest = lattice.reach + lattice.cell_diameter() + lattice.slack();
        let node_of = |cell, which: usize| moved(cells.corner(cell), [which as i64; 3]);
        for (number, &cell) in cells.near.iter().enumerate() {
            for which in 0..2 {
                if self.near[number][which] && cells.distances[number][which] <= farthest {
                    centres.add(node_of(cell, which));
                }
            }
        }
        for (number, &cell) in cells.near.iter().enumerate() {
            for which in 0..2 {
                let distance = cells.distances[number][which];
                if distance >= lattice.level && distance < lattice.reach {
                    self.near[number][which] = centres.cover(node_of(cell, which));
                }
            }
        }
    }
}

/// Centres of balls of one radius, in a hashed grid.
#[derive(Debug)]
struct Centres {
    /// In units of half the spacing, squared.
    radius_sq: f64,
    /// The side of a bucket: at least the radius.
    side: i64,
    buckets: HashMap<Node, Vec<Node>>,
    /// The ways from a bucket to itself and those around it, nearest first.
    around: Vec<Node>,
}

impl Centres {
    fn new(radius: f64) -> Self {
        let steps = [0, -1, 1];
        let mut around = Vec::with_capacity(27);
        for x in steps {
            for y in steps {
                around.extend(steps.map(|z| [x, y, z]));
            }
        }
        around.sort_by_key(|way: &Node| way.iter().map(|n| n.abs()).sum::<i64>());
        Self {
            radius_sq: radius * radius,
            side: (radius.ceil() as i64).max(1),
            buckets: HashMap::new(),
            around,
        }
    }

    fn bucket(&self, node: Node) -> Node {
        node.map(|n| n.div_euclid(self.side))
    }

    fn add(&mut self, node: Node) {
        let bucket = self.bucket(node);
        self.buckets.entry(bucket).or_default().push(node);
    }

    /// Whether a ball covers the node.
    fn cover(&self, node: Node) -> bool {
        let home = self.bucket(node);
        let is_near = |centre: &Node| {
            let square: i64 = (0..3).map(|k| (centre[k] - node[k]).pow(2)).sum();
            square as f64 <= self.radius_sq
        };
        self.around.iter().any(|&way| {
            let bucket = self.buckets.get(&moved(home, way));
            bucket.is_some_and(|centres| centres.iter().any(is_near))
        })
    }
}

/// The ways from a cell to the cells that have a neighbour of one of its nodes.
const LEAF_WAYS: [Node; 14] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
    [1, 1, 1],
    [-1, 0, 0],
    [0, -1, 0],
    [0, 0, -1],
    [-1, -1, 0],
    [-1, 0, -1],
    [0, -1, -1],
    [-1, -1, -1],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaf_ways_are_those_of_the_neighbours_of_nodes() {
        let mut ways: Vec<Node> = Vec::new();
        for which in 0..2 {
            for way in WAYS.into_iter().flat_map(|way| [way, way.map(|n| -n)]) {
                let cell = moved([which; 3], way).map(|n| n >> 1);
                if cell != [0; 3] && !ways.contains(&cell) {
                    ways.push(cell);
                }
            }
        }
        ways.sort_unstable();
        let mut listed = LEAF_WAYS;
        listed.sort_unstable();
        assert_eq!(ways, listed);
    }

    #[test]
    fn centres_cover_what_is_within_their_radius() {
        for radius in [0.5_f64, 1.75, 3.2, 7.0] {
            let mut centres = Centres::new(radius);
            let all = [[0, 0, 0], [-9, 5, 1], [4, -2, 6]];
            for centre in all {
                centres.add(centre);
            }
            for x in -18..12 {
                for y in -12..14 {
                    for z in -8..14 {
                        let is_near = |c: &Node| {
                            let [dx, dy, dz] = [c[0] - x, c[1] - y, c[2] - z];
                            ((dx * dx + dy * dy + dz * dz) as f64) <= radius * radius
                        };
                        assert_eq!(centres.cover([x, y, z]), all.iter().any(is_near));
                    }
                }
            }
        }
    }
}
