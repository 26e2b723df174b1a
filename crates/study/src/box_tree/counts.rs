//! Statistics of a tree, and the cost of a query.

use impinge::query::Work;

/// The work of one query, in more detail than [`Work`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxTreeCounts {
    /// Box tests, exact tests of two faces or of an edge and a face, and, as updates, the edge
    /// intervals that were clipped or made anew.
    pub work: Work,
    /// Pairs of leaves that were tested.
    pub leaf_pairs: u64,
    /// Pairs of elements in such leaves, before any test.
    pub candidates: u64,
    /// Pairs found again and not tested again.
    pub repeats: u64,
    /// Pairs of nodes left out because one lies in the hollow of the other.
    pub exclusions: u64,
}

/// The size and shape of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeShape {
    /// Nodes, leaves among them.
    pub nodes: usize,
    /// Leaves, empty ones among them.
    pub leaves: usize,
    /// Leaves without a face.
    pub empty_leaves: usize,
    /// Cuts above the deepest leaf.
    pub depth: u32,
    /// Faces in leaves, each as often as it occurs.
    pub face_entries: usize,
    /// Edges in leaves, each as often as it occurs.
    pub edge_entries: usize,
    /// Face entries per face; 1 for an empty mesh.
    pub duplication: f64,
    /// Bytes that the tree takes, the mesh not counted.
    pub bytes: usize,
}
