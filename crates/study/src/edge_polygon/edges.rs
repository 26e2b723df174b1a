//! The edges of a mesh with the faces that have them, and the faces of each vertex.

/// A face's use of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeUse {
    pub(super) face: u32,
    /// Whether the edge runs through the face, between two of its triangles.
    pub(super) is_inner: bool,
}

/// Every edge once, whichever way and however often faces run along it.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeFaces {
    /// The vertices of each edge; equal for a face that has collapsed.
    ends: Vec<[u32; 2]>,
    /// Where the uses of each edge begin, and one number more.
    first_use: Vec<u32>,
    uses: Vec<EdgeUse>,
}

impl EdgeFaces {
    /// The edges of these sides, each given with its ends in any order.
    pub(super) fn new(sides: impl Iterator<Item = ([u32; 2], EdgeUse)>) -> Self {
        let mut sides: Vec<([u32; 2], u32, bool)> = sides
            .map(|([p, q], side)| ([p.min(q), p.max(q)], side.face, side.is_inner))
            .collect();
        // Of two uses by one face the one on its rim comes first and stays.
        sides.sort_unstable();
        sides.dedup_by_key(|side| (side.0, side.1));
        let mut edges = Self::default();
        for (ends, face, is_inner) in sides {
            if edges.ends.last() != Some(&ends) {
                edges.ends.push(ends);
                edges.first_use.push(edges.uses.len() as u32);
            }
            edges.uses.push(EdgeUse { face, is_inner });
        }
        edges.first_use.push(edges.uses.len() as u32);
        edges
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = ([u32; 2], &[EdgeUse])> {
        let uses = self
            .first_use
            .windows(2)
            .map(|w| &self.uses[w[0] as usize..w[1] as usize]);
        self.ends.iter().copied().zip(uses)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.ends.as_slice())
            + size_of_val(self.first_use.as_slice())
            + size_of_val(self.uses.as_slice())
    }
}

/// The faces of each vertex, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct VertexFaces {
    first: Vec<u32>,
    faces: Vec<u32>,
}

impl VertexFaces {
    /// The incidence of these corners, each a vertex below `vertices` and its face.
    pub(super) fn new(vertices: usize, corners: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut corners: Vec<(u32, u32)> = corners.collect();
        corners.sort_unstable();
        corners.dedup();
        let mut first = vec![0; vertices + 1];
        for &(vertex, _) in &corners {
            first[vertex as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        Self {
            first,
            faces: corners.into_iter().map(|(_, face)| face).collect(),
        }
    }

    /// The faces of each vertex, in the order of the vertices.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.first
            .windows(2)
            .map(|w| &self.faces[w[0] as usize..w[1] as usize])
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.first.as_slice()) + size_of_val(self.faces.as_slice())
    }
}
