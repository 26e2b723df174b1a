//! Sphere graph: which balls of a packing touch.

use super::pack::{by_low_end, map_indexed};
use super::solid_ball::SolidBall;

/// The spheres of a packing, with an edge between any two that nearly touch.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, SphereGraph}};
/// let ball = |x| SolidBall { center: DVec3::X * x, radius: 1.0 };
/// let graph = SphereGraph::new(&[ball(0.0), ball(2.0), ball(5.0)], 1e-9);
/// assert_eq!(graph.neighbours(0), [1]);
/// assert_eq!(graph.edge_count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SphereGraph {
    /// Where the neighbours of each ball begin, and an end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl SphereGraph {
    /// The graph of balls at most `tolerance` apart.
    ///
    /// ```
    /// use impinge::spheres::SphereGraph;
    /// assert_eq!(SphereGraph::new(&[], 0.0).len(), 0);
    /// ```
    #[must_use]
    pub fn new(balls: &[SolidBall], tolerance: f64) -> Self {
        let order = by_low_end(balls);
        let found = map_indexed(order.len(), 256, |(): &mut (), i| {
            let a = &balls[order[i] as usize];
            let end = a.center.x + a.radius + tolerance;
            let rest = order[i + 1..].iter();
            rest.take_while(|&&j| balls[j as usize].center.x - balls[j as usize].radius <= end)
                .filter(|&&j| a.gap(&balls[j as usize]) <= tolerance)
                .copied()
                .collect::<Vec<u32>>()
        });
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (&a, found) in order.iter().zip(&found) {
            edges.extend(found.iter().flat_map(|&b| [(a, b), (b, a)]));
        }
        edges.sort_unstable();
        let mut starts = Vec::with_capacity(balls.len() + 1);
        for ball in 0..=balls.len() as u32 {
            starts.push(edges.partition_point(|edge| edge.0 < ball) as u32);
        }
        Self {
            starts,
            neighbours: edges.into_iter().map(|edge| edge.1).collect(),
        }
    }

    /// How many balls there are.
    ///
    /// ```
    /// use impinge::spheres::SphereGraph;
    /// assert_eq!(SphereGraph::new(&[], 0.0).len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no ball.
    ///
    /// ```
    /// use impinge::spheres::SphereGraph;
    /// assert!(SphereGraph::new(&[], 0.0).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pairs touch.
    ///
    /// ```
    /// use impinge::spheres::SphereGraph;
    /// assert_eq!(SphereGraph::new(&[], 0.0).edge_count(), 0);
    /// ```
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// The balls that touch this one, ascending; none for a ball that does not exist.
    ///
    /// ```
    /// use impinge::spheres::SphereGraph;
    /// assert!(SphereGraph::new(&[], 0.0).neighbours(7).is_empty());
    /// ```
    #[must_use]
    pub fn neighbours(&self, ball: usize) -> &[u32] {
        match (self.starts.get(ball), self.starts.get(ball + 1)) {
            (Some(&from), Some(&to)) => &self.neighbours[from as usize..to as usize],
            _ => &[],
        }
    }

    /// For each sphere the number of its connected component, numbered as they first occur.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{SolidBall, SphereGraph}};
    /// let ball = |x| SolidBall { center: DVec3::X * x, radius: 1.0 };
    /// let graph = SphereGraph::new(&[ball(0.0), ball(5.0), ball(2.0)], 0.0);
    /// assert_eq!(graph.pieces(), [0, 1, 0]);
    /// ```
    #[must_use]
    pub fn pieces(&self) -> Vec<u32> {
        let mut piece = vec![u32::MAX; self.len()];
        let mut count = 0;
        let mut stack = Vec::new();
        for start in 0..self.len() {
            if piece[start] != u32::MAX {
                continue;
            }
            stack.push(start);
            while let Some(ball) = stack.pop() {
                if piece[ball] == u32::MAX {
                    piece[ball] = count;
                    stack.extend(self.neighbours(ball).iter().map(|&other| other as usize));
                }
            }
            count += 1;
        }
        piece
    }
}
