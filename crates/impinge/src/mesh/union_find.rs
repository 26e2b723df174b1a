//! Union-find; the smallest member represents each set.

/// A partition of `0..n` that only becomes coarser.
#[derive(Clone, Debug)]
pub(crate) struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// Every number on its own.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            parent: (0..n as u32).collect(),
        }
    }

    /// The smallest member of the set that holds `x`.
    pub(crate) fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let grandparent = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = grandparent;
            x = grandparent;
        }
        x
    }

    /// Makes one set of two; whether they were different.
    pub(crate) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller root stays root, so a set's name does not depend on the order of joins.
        self.parent[a.max(b) as usize] = a.min(b);
        a != b
    }
}
