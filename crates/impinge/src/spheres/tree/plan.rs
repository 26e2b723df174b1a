//! Which balls hang below which node, before anything is measured.

use super::gas::{MOST_PROTOTYPES, Segment};
use super::split::{Split, split};
use crate::spheres::ball::SolidBall;

/// Marks a child that is a ball.
pub(super) const LEAF: u32 = 1 << 31;
/// No child.
pub(super) const NO_CHILD: u32 = u32::MAX;
/// Children of a node.
pub(super) const WIDTH: usize = 8;
/// More levels than any sensible tree; beyond it balls are shared out by halves.
const MOST_LEVELS: usize = 40;

const _: () = assert!(MOST_PROTOTYPES == WIDTH);

/// A tree without geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Which of the given balls is the first leaf, the second, …
    pub(super) order: Vec<u32>,
    /// Children of each node; nodes come after their parents.
    pub(super) children: Vec<[u32; WIDTH]>,
    /// The leaves below each node: side by side.
    pub(super) ranges: Vec<(u32, u32)>,
}

impl Plan {
    /// Shares out the balls level by level, `width` ways at most.
    pub(super) fn new(balls: &[SolidBall], rule: &Split, width: usize) -> Self {
        let width = width.clamp(2, WIDTH);
        let mut plan = Self {
            order: (0..balls.len() as u32).collect(),
            children: Vec::new(),
            ranges: Vec::new(),
        };
        if balls.is_empty() {
            return plan;
        }
        plan.children.push([NO_CHILD; WIDTH]);
        plan.ranges.push((0, balls.len() as u32));
        let mut level: Vec<u32> = vec![0];
        for depth in 0.. {
            // Nodes with few balls have them as children at once.
            let (few, many): (Vec<u32>, Vec<u32>) = level.iter().partition(|&&node| {
                let (first, last) = plan.ranges[node as usize];
                (last - first) as usize <= width
            });
            for node in few {
                let (first, last) = plan.ranges[node as usize];
                for (lane, leaf) in (first..last).enumerate() {
                    plan.children[node as usize][lane] = leaf | LEAF;
                }
            }
            if many.is_empty() {
                break;
            }
            let segments: Vec<Segment> = many
                .iter()
                .map(|&node| {
                    let (first, last) = plan.ranges[node as usize];
                    Segment {
                        first: first as usize,
                        last: last as usize,
                        parts: width,
                    }
                })
                .collect();
            let rule = if depth < MOST_LEVELS {
                rule
            } else {
                &Split::Median
            };
            let parts = split(rule, balls, &plan.order, &segments);
            level = plan.descend(balls, &many, &segments, &parts);
        }
        plan
    }

    /// Sorts each segment by its parts and makes a child of each part; the new nodes.
    fn descend(
        &mut self,
        balls: &[SolidBall],
        nodes: &[u32],
        segments: &[Segment],
        parts: &[u8],
    ) -> Vec<u32> {
        let mut made = Vec::new();
        let mut at = 0;
        for (&node, segment) in nodes.iter().zip(segments) {
            let size = segment.last - segment.first;
            let mut own = parts[at..at + size].to_vec();
            at += size;
            if own.windows(2).all(|w| w[0] == w[1]) {
                // All in one part: equal centres, perhaps. Halves always divide.
                let one = std::slice::from_ref(segment);
                own = split(&Split::Median, balls, &self.order, one);
            }
            let part_of = &own;
            let mut sorted: Vec<(u8, u32)> = part_of
                .iter()
                .copied()
                .zip(self.order[segment.first..segment.last].iter().copied())
                .collect();
            // Stable, so that equal parts keep their order.
            sorted.sort_by_key(|entry| entry.0);
            for (place, entry) in self.order[segment.first..segment.last]
                .iter_mut()
                .zip(&sorted)
            {
                *place = entry.1;
            }
            let mut first = segment.first as u32;
            for (lane, part) in sorted.chunk_by(|x, y| x.0 == y.0).enumerate() {
                let last = first + part.len() as u32;
                self.children[node as usize][lane] = if part.len() == 1 {
                    first | LEAF
                } else {
                    let child = self.children.len() as u32;
                    self.children.push([NO_CHILD; WIDTH]);
                    self.ranges.push((first, last));
                    made.push(child);
                    child
                };
                first = last;
            }
        }
        made
    }
}
