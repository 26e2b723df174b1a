//! Medial axis of a solid: the centres of its largest empty spheres, joined where the spheres overlap.

use super::interior::MeshSolid;
use super::pack::{PackError, voronoi_nodes};
use super::solid_ball::SolidBall;
use super::sphere_graph::SphereGraph;

/// Nodes of the medial axis of a solid and the edges between them.
///
/// A node is the centre of an empty sphere that cannot grow by moving, with that sphere's radius. The spheres of an edge
/// overlap, so that every edge runs inside the solid. Of the pairs that overlap, those remain that no third node lies
/// between: an edge is left out when a node is joined to both of its ends and nearer to each than they are to one another.
/// Such edges connect whatever all overlapping pairs connect.
///
/// Branches thinner than a cell have no nodes, and a ridge of equal clearance has only some of its points.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{MeshSolid, medial_axis}};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::new(4.0, 1.0, 1.0), [4, 1, 1])?));
/// let axis = medial_axis(&MeshSolid::new(&tree)?, 32)?;
/// assert!(axis.nodes().iter().all(|node| node.center.y.abs() < 1e-3 && node.center.z.abs() < 1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "skeleton")]
#[derive(Clone, Debug, PartialEq)]
pub struct MedialAxis {
    nodes: Vec<SolidBall>,
    edges: Vec<[u32; 2]>,
}

/// The medial axis of a solid, found with `resolution` cells along its longest side.
///
/// # Errors
/// Those of [`voronoi_nodes`].
pub fn medial_axis(solid: &MeshSolid<'_>, resolution: u32) -> Result<MedialAxis, PackError> {
    Ok(MedialAxis::of_nodes(voronoi_nodes(solid, resolution)?))
}

impl MedialAxis {
    /// Joins nodes that are known already.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{MedialAxis, SolidBall}};
    /// let node = |x| SolidBall { center: DVec3::X * x, radius: 1.0 };
    /// let axis = MedialAxis::of_nodes(vec![node(0.0), node(0.8), node(1.6), node(9.0)]);
    /// assert_eq!(axis.edges(), [[0, 1], [1, 2]]);
    /// ```
    #[must_use]
    pub fn of_nodes(nodes: Vec<SolidBall>) -> Self {
        let overlaps = SphereGraph::new(&nodes, 0.0);
        let apart = |a: u32, b: u32| {
            nodes[a as usize]
                .center
                .distance_squared(nodes[b as usize].center)
        };
        let is_short_cut = |a: u32, b: u32| {
            let length = apart(a, b);
            let others = overlaps.neighbours(a as usize).iter();
            others
                .filter(|&&other| {
                    overlaps
                        .neighbours(b as usize)
                        .binary_search(&other)
                        .is_ok()
                })
                .any(|&other| apart(a, other).max(apart(other, b)) < length)
        };
        let mut edges = Vec::new();
        for a in 0..overlaps.len() as u32 {
            let later = overlaps.neighbours(a as usize).iter().filter(|&&b| b > a);
            edges.extend(later.filter(|&&b| !is_short_cut(a, b)).map(|&b| [a, b]));
        }
        Self { nodes, edges }
    }

    /// The nodes, the one with the largest sphere first.
    #[must_use]
    pub fn nodes(&self) -> &[SolidBall] {
        &self.nodes
    }

    /// The edges as pairs of nodes, the smaller number first, ascending.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }
}
