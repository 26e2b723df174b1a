//! Topology of the tree, before its volumes are computed.

use super::neural_gas::{GasSegment, MOST_PIECES, MOST_PROTOTYPES};
use super::split::{SphereSplit, split};
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

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
pub(super) struct TreeTopology {
    /// Which of the given balls is the first leaf, the second, …
    pub(super) order: Vec<u32>,
    /// Children of each node; nodes come after their parents.
    pub(super) children: Vec<[u32; WIDTH]>,
    /// The leaves below each node: side by side.
    pub(super) ranges: Vec<(u32, u32)>,
}

impl TreeTopology {
    /// Shares out the balls level by level, `width` ways at most.
    pub(super) fn new(balls: &[SolidBall], rule: &SphereSplit, width: usize) -> Self {
        let by_rule = |order: &[u32], segments: &[GasSegment]| {
            Ok::<_, std::convert::Infallible>(split(rule, balls, order, segments))
        };
        match Self::divided(balls, width, rule.is_sequential(), by_rule) {
            Ok(plan) => plan,
            Err(never) => match never {},
        }
    }

    /// The same by any way of sharing out a level.
    ///
    /// # Errors
    /// Those of the sharing out.
    pub(super) fn divided<E>(
        balls: &[SolidBall],
        width: usize,
        is_sequential: bool,
        mut share_out: impl FnMut(&[u32], &[GasSegment]) -> Result<Vec<u8>, E>,
    ) -> Result<Self, E> {
        let width = width.clamp(2, WIDTH);
        let mut plan = Self {
            order: (0..balls.len() as u32).collect(),
            children: Vec::new(),
            ranges: Vec::new(),
        };
        if balls.is_empty() {
            return Ok(plan);
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
            let segments: Vec<GasSegment> = many
                .iter()
                .map(|&node| {
                    let (first, last) = plan.ranges[node as usize];
                    GasSegment {
                        first: first as usize,
                        last: last as usize,
                        parts: width,
                    }
                })
                .collect();
            let parts = if depth < MOST_LEVELS {
                share_out(&plan.order, &segments)?
            } else {
                split(&SphereSplit::Median, balls, &plan.order, &segments)
            };
            level = plan.descend(balls, &many, &segments, &parts, is_sequential);
        }
        Ok(plan)
    }

    /// Sorts each segment by its parts and makes a child of each part; the new nodes.
    fn descend(
        &mut self,
        balls: &[SolidBall],
        nodes: &[u32],
        segments: &[GasSegment],
        parts: &[u8],
        is_sequential: bool,
    ) -> Vec<u32> {
        let mut at = 0;
        let own: Vec<&[u8]> = segments
            .iter()
            .map(|segment| {
                let first = at;
                at += segment.last - segment.first;
                &parts[first..at]
            })
            .collect();
        let sort = |(): &mut (), s: usize| self.sorted(balls, &segments[s], own[s]);
        let sorted: Vec<SortedBalls> = if is_sequential {
            (0..segments.len()).map(|s| sort(&mut (), s)).collect()
        } else {
            map_indexed(segments.len(), 1 + segments.len() / MOST_PIECES, sort)
        };
        let mut made = Vec::new();
        for ((&node, segment), sorted) in nodes.iter().zip(segments).zip(sorted) {
            self.order[segment.first..segment.last].copy_from_slice(&sorted.order);
            let mut first = segment.first as u32;
            let sizes = sorted.sizes.into_iter().filter(|&size| size > 0);
            for (lane, size) in sizes.enumerate() {
                let last = first + size;
                self.children[node as usize][lane] = if size == 1 {
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

    /// The balls of a segment by their parts; equal parts keep their order.
    fn sorted(&self, balls: &[SolidBall], segment: &GasSegment, parts: &[u8]) -> SortedBalls {
        let halves;
        let mut parts = parts;
        if parts.windows(2).all(|w| w[0] == w[1]) {
            // All in one part: equal centres, perhaps. Halves always divide.
            let one = std::slice::from_ref(segment);
            halves = split(&SphereSplit::Median, balls, &self.order, one);
            parts = &halves;
        }
        let mut sizes = [0; WIDTH];
        for &part in parts {
            sizes[usize::from(part) % WIDTH] += 1;
        }
        let mut next = [0; WIDTH];
        for lane in 1..WIDTH {
            next[lane] = next[lane - 1] + sizes[lane - 1];
        }
        let own = &self.order[segment.first..segment.last];
        let mut order = vec![0; own.len()];
        for (&part, &ball) in parts.iter().zip(own) {
            let place = &mut next[usize::from(part) % WIDTH];
            order[*place as usize] = ball;
            *place += 1;
        }
        SortedBalls { order, sizes }
    }
}

/// Balls part by part, and how many each part has.
struct SortedBalls {
    order: Vec<u32>,
    sizes: [u32; WIDTH],
}
