//! Which nodes have gaps: surfaces that leave a part of their box's largest side uncovered.
//!
//! **Why.** A node without gaps is a wall: whatever passes through its box intersects it. For a
//! node with gaps this is a matter of chance, and for two such nodes along the same axes the
//! chances are not independent, because the gaps repeat.
//! **Idea.** Seen along its shortest side, a box has 8·8 columns. Leaves, and descendants at most
//! as large as a cell, cover the columns that their boxes cover.
//! **Cost.** m log m steps for m nodes.

use super::build::{DraftNode, TreePlan};

/// Columns along each of the two longer sides.
const SIDE: usize = 8;
/// Descendants as large as this part of the node are as small as a column is wide.
const SMALL: f64 = 1.0 / (SIDE * SIDE * SIDE) as f64;
/// Nodes that cover less of their largest side have gaps.
const CLOSED: f32 = 0.7;

/// Whether each node has gaps.
pub(super) fn gaps(plan: &TreePlan) -> Vec<bool> {
    let mut open = Vec::new();
    let nodes = plan.nodes.iter().enumerate();
    nodes
        .map(|(at, node)| !node.is_leaf() && covered(plan, at, node, &mut open) < CLOSED)
        .collect()
}

/// The part of a node's largest side that its surface covers, estimated by the boxes of small descendants.
fn covered(plan: &TreePlan, at: usize, node: &DraftNode, open: &mut Vec<usize>) -> f32 {
    let half = node.half();
    let thin = half.min_position();
    let (u, v) = ((thin + 1) % 3, (thin + 2) % 3);
    let (low, per_column) = (node.center() - half, SIDE as f32 / (2.0 * half));
    let cell_volume = node.volume() * SMALL;
    let mut columns = [0.0_f32; SIDE * SIDE];
    open.clear();
    open.push(at);
    while let Some(below) = open.pop() {
        let part = &plan.nodes[below];
        if !part.is_leaf() && part.volume() > cell_volume {
            open.extend(part.child_range());
            continue;
        }
        let (from, to) = (
            (part.low - low) * per_column,
            (part.high - low) * per_column,
        );
        let column = |x: f32| (x.max(0.0) as usize).min(SIDE - 1);
        let share = |axis: usize, i: usize| {
            (to[axis].min(i as f32 + 1.0) - from[axis].max(i as f32)).max(0.0)
        };
        for i in column(from[u])..=column(to[u]) {
            for j in column(from[v])..=column(to[v]) {
                columns[SIDE * i + j] += share(u, i) * share(v, j);
            }
        }
    }
    // Sheets behind each other cover a column once; where they cover a part of it they add up, so that this is too much rather than too little.
    columns.iter().map(|c| c.min(1.0)).sum::<f32>() / columns.len() as f32
}

#[cfg(test)]
mod tests {
    use super::super::build::plan;
    use super::super::config::AverageConfig;
    use super::*;
    use crate::mesh::blocks;
    use glam::DVec3;

    #[test]
    fn a_wall_has_no_gaps_and_blocks_apart_have() {
        let config = AverageConfig::default();
        let wall = plan(
            &blocks(&[(DVec3::ZERO, DVec3::new(10.0, 0.4, 8.0))]),
            &config,
        );
        let mut open = Vec::new();
        assert!(covered(&wall, 0, &wall.nodes[0], &mut open) > 0.99);
        assert!(gaps(&wall).iter().all(|has_gaps| !has_gaps));
        // Nine of 25 squares; their tops and bottoms are both counted where columns are covered in part.
        let place = |k: i32| DVec3::new(f64::from(k % 3), f64::from(k / 3), 0.0) * 2.0;
        let cubes: Vec<_> = (0..9).map(|k| (place(k), DVec3::ONE)).collect();
        let blocks = plan(&blocks(&cubes), &config);
        let part = covered(&blocks, 0, &blocks.nodes[0], &mut open);
        assert!((0.36..0.6).contains(&part), "{part}");
        assert!(gaps(&blocks)[0]);
    }
}
