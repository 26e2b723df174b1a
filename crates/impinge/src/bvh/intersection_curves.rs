//! Intersection curves of two meshes.
//!
//! **Question.** Along which polylines do two surfaces intersect?
//!
//! **Idea.** Two faces in different planes share at most a segment. Each of its ends lies where an
//! edge of one face intersects the other face, where two edges cross, or at a vertex; exact signs
//! decide which. This combinatorial *place* is the same for all faces around it, so segments are
//! joined by the places of their ends and not by coordinates, and coordinates are computed once per
//! place.
//!
//! **Cost.** That of finding the pairs, and a hash table over the ends.
//!
//! **Promise.** Which segments there are and which ends they share is exact. Two closed meshes in
//! general position have closed curves only. The answer does not depend on the index that found the
//! pairs.
//!
//! **Limits.** Faces that overlap in one plane add no curve; they are listed instead. The border of
//! such an area is still made of curves wherever other faces end there. Faces without area are left
//! out: their neighbours cover them.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::MeshIndex;
use super::intersection_vertices::{IntersectionVertices, SegmentEnds, VertexKey, segment_ends};
use crate::math::Pose;
use crate::query::{FaceId, FacePair, Limits, Outcome, VertexId};

/// Where a point of a curve comes from. An edge is given by its ends, the smaller number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurvePointOrigin {
    /// An edge of `a` passes through the inside of a face of `b`.
    EdgeOfA {
        /// The edge.
        edge: [VertexId; 2],
        /// The face of `b`.
        face: FaceId,
    },
    /// An edge of `b` passes through the inside of a face of `a`.
    EdgeOfB {
        /// The edge.
        edge: [VertexId; 2],
        /// The face of `a`.
        face: FaceId,
    },
    /// Two edges cross.
    Edges {
        /// The edge of `a`.
        a: [VertexId; 2],
        /// The edge of `b`.
        b: [VertexId; 2],
    },
    /// A vertex of `a` lies on `b`.
    VertexOfA(VertexId),
    /// A vertex of `b` lies on `a`.
    VertexOfB(VertexId),
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The point in the frame of `a`, rounded.
    pub point: DVec3,
    /// Where it comes from. A vertex of both meshes is given as one of `a`.
    pub place: CurvePointOrigin,
}

/// A polyline in which two meshes meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The corners, at least two; a closed curve does not repeat its first.
    pub points: Vec<CurvePoint>,
    /// The faces that meet between each corner and the next: as many as corners if closed, else one less.
    pub pairs: Vec<FacePair>,
    /// Whether the last corner is followed by the first.
    pub is_closed: bool,
}

impl Curve {
    /// The length of the polyline.
    ///
    /// ```
    /// use impinge::bvh::Curve;
    /// let nothing = Curve { points: Vec::new(), pairs: Vec::new(), is_closed: false };
    /// assert_eq!(nothing.length(), 0.0);
    /// ```
    #[must_use]
    pub fn length(&self) -> f64 {
        let points = &self.points;
        (0..self.pairs.len())
            .map(|i| (points[(i + 1) % points.len()].point - points[i].point).length())
            .sum()
    }
}

/// Everything in which two meshes meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The curves, in an order that depends on the meshes and the pose alone.
    pub curves: Vec<Curve>,
    /// Points of contact that lie on no curve, each with a pair of faces that share it.
    pub touches: Vec<(CurvePoint, FacePair)>,
    /// Pairs of faces that overlap in a common plane, or touch there, sorted.
    pub coplanar: Vec<FacePair>,
    /// Whether every pair of faces was found. If not, curves may be missing or cut.
    pub outcome: Outcome,
}

/// The intersection curves of two placed meshes, found with any index.
///
/// ```
/// use impinge::bvh::{MeshIndex, intersection_curves, wide::WideTree};
/// use impinge::{Pose, generate, query::Limits};
/// use std::sync::Arc;
/// let ball = WideTree::new(Arc::new(generate::icosphere(1.0, 6)?));
/// let beside = Pose::from_translation([1.01, 0.02, 0.03])?;
/// let met = intersection_curves(&ball, &ball, &beside, Limits::default(), &mut Default::default());
/// assert!(met.curves.len() == 1 && met.curves[0].is_closed);
/// let circle = 2.0 * std::f64::consts::PI * (1.0_f64 - 0.505 * 0.505).sqrt();
/// assert!((met.curves[0].length() - circle).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "boolean")]
#[doc(alias = "CSG")]
pub fn intersection_curves<I: MeshIndex>(
    a: &I,
    b: &I,
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut I::Cache,
) -> Curves {
    let mut pairs: Vec<FacePair> = Vec::new();
    let outcome = a.intersections(b, a_from_b, limits, cache, &mut pairs);
    pairs.sort_unstable();
    let places = IntersectionVertices::new(a.mesh(), b.mesh(), a_from_b, &pairs);
    let mut graph = SegmentGraph::default();
    let mut coplanar = Vec::new();
    let mut touching = Vec::new();
    for &pair in &pairs {
        match segment_ends(&places, pair) {
            SegmentEnds::None => {}
            SegmentEnds::Coplanar => coplanar.push(pair),
            SegmentEnds::Point(key) => touching.push((key, pair)),
            SegmentEnds::Segment(keys) => graph.add(keys, pair),
        }
    }
    let mut touches = Vec::new();
    let mut listed = HashSet::new();
    for (key, pair) in touching {
        if !graph.nodes.contains_key(&key) && listed.insert(key) {
            touches.push((places.point(key), pair));
        }
    }
    Curves {
        curves: graph.trace(&places),
        touches,
        coplanar,
        outcome,
    }
}

/// Segments between named ends.
#[derive(Debug, Default)]
struct SegmentGraph {
    /// For each end its number; only ever looked up, so that its order does not matter.
    nodes: HashMap<VertexKey, u32>,
    keys: Vec<VertexKey>,
    /// Both ends of each segment, as node numbers.
    segments: Vec<[u32; 2]>,
    pairs: Vec<FacePair>,
    /// Segments by their ends, the smaller first: several pairs of faces may share one.
    known: HashSet<[u32; 2]>,
}

impl SegmentGraph {
    fn add(&mut self, ends: [VertexKey; 2], pair: FacePair) {
        let [p, q] = ends.map(|key| self.node(key));
        if self.known.insert([p.min(q), p.max(q)]) {
            self.segments.push([p, q]);
            self.pairs.push(pair);
        }
    }

    fn node(&mut self, key: VertexKey) -> u32 {
        let next = self.keys.len() as u32;
        let node = *self.nodes.entry(key).or_insert(next);
        if node == next {
            self.keys.push(key);
        }
        node
    }

    /// Polylines between ends that do not have two segments, then the closed ones.
    fn trace(&self, places: &IntersectionVertices<'_>) -> Vec<Curve> {
        // The segments at node n are at[first[n]..first[n + 1]], ascending.
        let mut first = vec![0_u32; self.keys.len() + 1];
        for node in self.segments.iter().flatten() {
            first[*node as usize + 1] += 1;
        }
        for n in 0..self.keys.len() {
            first[n + 1] += first[n];
        }
        let mut fill = first.clone();
        let mut at = vec![0_u32; 2 * self.segments.len()];
        for (segment, ends) in self.segments.iter().enumerate() {
            for &node in ends {
                at[fill[node as usize] as usize] = segment as u32;
                fill[node as usize] += 1;
            }
        }
        let around =
            |node: u32| &at[first[node as usize] as usize..first[node as usize + 1] as usize];
        let mut used = vec![false; self.segments.len()];
        let mut curves = Vec::new();
        let mut begin = |start: u32, segment: u32, used: &mut Vec<bool>| {
            let mut curve = Curve {
                points: vec![places.point(self.keys[start as usize])],
                pairs: Vec::new(),
                is_closed: false,
            };
            let (mut node, mut segment) = (start, segment);
            // Each step uses a segment up, so there are no more steps than segments.
            loop {
                used[segment as usize] = true;
                curve.pairs.push(self.pairs[segment as usize]);
                let [p, q] = self.segments[segment as usize];
                node = if p == node { q } else { p };
                if node == start {
                    curve.is_closed = true;
                    break;
                }
                curve.points.push(places.point(self.keys[node as usize]));
                match *around(node) {
                    [s, t] if !used[s as usize] || !used[t as usize] => {
                        segment = if used[s as usize] { t } else { s };
                    }
                    _ => break,
                }
            }
            curves.push(curve);
        };
        for node in 0..self.keys.len() as u32 {
            if around(node).len() != 2 {
                for &segment in around(node) {
                    if !used[segment as usize] {
                        begin(node, segment, &mut used);
                    }
                }
            }
        }
        for segment in 0..self.segments.len() as u32 {
            if !used[segment as usize] {
                begin(self.segments[segment as usize][0], segment, &mut used);
            }
        }
        curves
    }
}
