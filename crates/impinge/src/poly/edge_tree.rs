//! A box-tree over the edges of a polygon, for points in outlines with many corners.
//!
//! **Question.** Is a point inside a region whose outlines have thousands of edges?
//! **Idea.** A node has the box of a chain of consecutive edges. What the one-shot test checks of an edge is checked of the chain: all left
//! of the point, above or below the ray: no crossing. All right of the point: an odd number of crossings exactly if the ends of the chain
//! lie on different sides of the ray, however it winds between them. Other chains are halved.
//! **Source.** Zachmann 1994, section 3.2.2, proposes a box-tree over edges; chains with boxes are the strip trees of Ballard, 1981,
//! doi:10.1145/358645.358661, with boxes along the axes.
//! **Cost.** O(log k) boxes for outlines that do not wind about the ray, O(k) at worst.
//! **Promise.** The answers of [`contains`](super::contains) and [`locate`](super::locate), exact.
//! **Limits.** Corners are copied: for faces of a mesh, which have few, the test without a tree is faster.

use glam::DVec2;

use super::orientation::is_on_segment;
use super::point_in_polygon::{CheckTally, PolygonLocation, PrecheckHits, is_crossed};
use super::ring::Ring;

/// Edges that are examined one by one.
const EDGES_PER_LEAF: usize = 4;

/// A chain of edges.
#[derive(Clone, Copy, Debug)]
struct ChainBox {
    min: DVec2,
    max: DVec2,
    /// Its first and last corner.
    ends: [u32; 2],
    /// The next chain that is no part of this one.
    skip: u32,
    is_leaf: bool,
}

/// A box-tree over the edges of outlines.
///
/// ```
/// use impinge::{DVec2, poly::{EdgeTree, PolygonLocation, contains}};
/// let circle: Vec<DVec2> = (0..1000).map(|i| DVec2::from_angle(f64::from(i) * 0.002 * std::f64::consts::PI)).collect();
/// let tree = EdgeTree::new(&[&circle]);
/// for q in [DVec2::new(0.3, 0.4), DVec2::new(0.8, 0.7)] {
///     assert_eq!(tree.contains(q), contains(&[&circle], q));
/// }
/// assert_eq!(tree.locate(DVec2::X), PolygonLocation::OnBoundary);
/// ```
#[derive(Clone, Debug, Default)]
#[doc(alias = "strip tree")]
pub struct EdgeTree {
    /// The corners of all outlines, the first of each again after its last.
    corners: Vec<DVec2>,
    /// Each chain before its halves.
    chains: Vec<ChainBox>,
}

/// What a query looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeTreeWork {
    /// Boxes of chains.
    pub boxes: u64,
    /// Single edges, by the check that decided them.
    pub edges: PrecheckHits,
}

/// What is known of a chain without looking into it.
enum ChainParity {
    Even,
    Odd,
    Unknown,
}

impl EdgeTree {
    /// The tree over the edges of outlines, holes included among them.
    ///
    /// ```
    /// use impinge::{DVec2, poly::EdgeTree};
    /// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from);
    /// let hole = square.map(|p| p * 0.5 + 0.5);
    /// assert!(EdgeTree::new(&[square]).contains(DVec2::ONE));
    /// assert!(!EdgeTree::new(&[square, hole]).contains(DVec2::ONE));
    /// ```
    #[must_use]
    pub fn new<R: Ring>(rings: &[R]) -> Self {
        let mut tree = Self::default();
        for ring in rings {
            let (first, count) = (tree.corners.len(), ring.len());
            if count == 0 {
                continue;
            }
            tree.corners.extend((0..count).map(|i| ring.corner(i)));
            tree.corners.push(ring.corner(0));
            tree.add(first, first + count);
        }
        tree
    }

    /// Adds the chain between two corners and its halves.
    fn add(&mut self, first: usize, last: usize) {
        let (mut min, mut max) = (self.corners[first], self.corners[first]);
        for &p in &self.corners[first..=last] {
            (min, max) = (min.min(p), max.max(p));
        }
        let at = self.chains.len();
        let is_leaf = last - first <= EDGES_PER_LEAF;
        self.chains.push(ChainBox {
            min,
            max,
            ends: [first as u32, last as u32],
            skip: 0,
            is_leaf,
        });
        if !is_leaf {
            let middle = first.midpoint(last);
            self.add(first, middle);
            self.add(middle, last);
        }
        self.chains[at].skip = self.chains.len() as u32;
    }

    /// How many edges there are.
    ///
    /// ```
    /// use impinge::{DVec2, poly::EdgeTree};
    /// assert_eq!(EdgeTree::new(&[[DVec2::ZERO, DVec2::X, DVec2::Y]]).edge_count(), 3);
    /// ```
    #[must_use]
    pub fn edge_count(&self) -> usize {
        let leaves = self.chains.iter().filter(|chain| chain.is_leaf);
        leaves
            .map(|chain| (chain.ends[1] - chain.ends[0]) as usize)
            .sum()
    }

    /// Whether the point is in the region; boundary points belong as in [`contains`](super::contains).
    #[must_use]
    pub fn contains(&self, q: DVec2) -> bool {
        self.is_odd(q, &mut 0, &mut ())
    }

    /// The same, adding to `work` what was looked at.
    ///
    /// ```
    /// use impinge::{DVec2, poly::{EdgeTree, EdgeTreeWork}};
    /// let circle: Vec<DVec2> = (0..1000).map(|i| DVec2::from_angle(f64::from(i) * 0.002 * std::f64::consts::PI)).collect();
    /// let mut work = EdgeTreeWork::default();
    /// assert!(EdgeTree::new(&[circle]).contains_counted(DVec2::ZERO, &mut work));
    /// assert!(work.boxes + work.edges.total() < 50);
    /// ```
    #[must_use]
    pub fn contains_counted(&self, q: DVec2, work: &mut EdgeTreeWork) -> bool {
        self.is_odd(q, &mut work.boxes, &mut work.edges)
    }

    fn is_odd(&self, q: DVec2, boxes: &mut u64, tally: &mut impl CheckTally) -> bool {
        let mut odd = false;
        let mut at = 0;
        while let Some(chain) = self.chains.get(at) {
            *boxes += 1;
            at = match self.parity(chain, q) {
                ChainParity::Even => chain.skip as usize,
                ChainParity::Odd => {
                    odd = !odd;
                    chain.skip as usize
                }
                ChainParity::Unknown => {
                    if chain.is_leaf {
                        for edge in self.edges(chain) {
                            odd ^= is_crossed(edge[0], edge[1], q, tally);
                        }
                    }
                    at + 1
                }
            };
        }
        odd
    }

    /// Whether the point is inside, outside, or on the boundary of the region.
    #[must_use]
    pub fn locate(&self, q: DVec2) -> PolygonLocation {
        let mut odd = false;
        let mut at = 0;
        while let Some(chain) = self.chains.get(at) {
            let may_hold = chain.min.cmple(q).all() && q.cmple(chain.max).all();
            at = match self.parity(chain, q) {
                ChainParity::Even if !may_hold => chain.skip as usize,
                ChainParity::Odd if !may_hold => {
                    odd = !odd;
                    chain.skip as usize
                }
                _ => {
                    if chain.is_leaf {
                        for edge in self.edges(chain) {
                            if is_on_segment(edge[0], edge[1], q) {
                                return PolygonLocation::OnBoundary;
                            }
                            odd ^= is_crossed(edge[0], edge[1], q, &mut ());
                        }
                    }
                    at + 1
                }
            };
        }
        if odd {
            PolygonLocation::Inside
        } else {
            PolygonLocation::Outside
        }
    }

    /// The first four checks of the one-shot test, applied to a chain.
    fn parity(&self, chain: &ChainBox, q: DVec2) -> ChainParity {
        if chain.max.x <= q.x || chain.min.y > q.y || chain.max.y <= q.y {
            return ChainParity::Even;
        }
        if chain.min.x > q.x {
            let [above, ends_above] = chain.ends.map(|i| self.corners[i as usize].y > q.y);
            return if above == ends_above {
                ChainParity::Even
            } else {
                ChainParity::Odd
            };
        }
        ChainParity::Unknown
    }

    fn edges(&self, chain: &ChainBox) -> impl Iterator<Item = &[DVec2]> {
        let [first, last] = chain.ends.map(|i| i as usize);
        self.corners[first..=last].windows(2)
    }
}
