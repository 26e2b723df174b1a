//! Splitting of large faces, so that a small tool has vertices to move.

use super::SculptError;
use super::clay::Clay;
use super::hits::PartHits;
use crate::quantity;

/// Maximum number of steps along ever longer edges.
const MAX_STEPS: usize = 64;

/// When hit faces are split.
///
/// ```
/// use impinge_dynamics::sculpt::Split;
/// assert_eq!(Split::default(), Split { edge: 0.5, max_faces: 40_000 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Edges longer than this many radii of the tool's part are split.
    pub edge: f64,
    /// No more faces than this.
    pub max_faces: usize,
}

impl Default for Split {
    fn default() -> Self {
        Self {
            edge: 0.5,
            max_faces: 40_000,
        }
    }
}

impl Split {
    pub(super) fn check(&self) -> Result<(), SculptError> {
        quantity::positive("length of edges to be split", self.edge)?;
        Ok(())
    }

    /// Splits hit faces at their longest edge until they are small enough; new halves are hit too.
    /// Returns the number of splits.
    ///
    /// Longest-edge bisection (Rivara 1984): before a face is split, its neighbour beyond the longest
    /// edge is, until both have the same longest edge. Angles stay above half of the smallest before.
    pub(super) fn run(&self, clay: &mut Clay, hits: &mut [PartHits]) -> usize {
        let mut splits = 0;
        for hit in hits {
            let most = self.edge * hit.radius;
            let mut pending = std::mem::take(&mut hit.faces);
            let mut done = Vec::with_capacity(pending.len());
            while let Some(face) = pending.pop() {
                let (_, length) = longest_edge(clay, face);
                if length <= most || clay.faces().len() + 2 > self.max_faces {
                    done.push(face);
                    continue;
                }
                let before = clay.faces().len() as u32;
                if bisect_towards(clay, face).is_none() {
                    done.push(face);
                    continue;
                }
                splits += 1;
                // The face is still large, or was halved: it is looked at again, with its new half.
                pending.push(face);
                let newest = clay.positions().len() as u32 - 1;
                if clay.faces()[face as usize].contains(&newest) {
                    // Of the two new faces one is the other half of this one: it shares two corners.
                    let own = clay.faces()[face as usize];
                    let halves = (before..before + 2).filter(|&new| {
                        let corners = clay.faces()[new as usize];
                        corners.iter().filter(|v| own.contains(v)).count() == 2
                    });
                    pending.extend(halves);
                }
            }
            done.sort_unstable();
            done.dedup();
            hit.faces = done;
        }
        splits
    }
}

/// The corner at which the longest edge of a face begins, and its length; of equal ones the edge with
/// the smaller vertices, so that both faces at it agree.
fn longest_edge(clay: &Clay, face: u32) -> (usize, f64) {
    let corners = clay.faces()[face as usize];
    let key = |k: usize| {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let (a, b) = (a.min(b), a.max(b));
        let length = clay.positions()[a as usize].distance(clay.positions()[b as usize]);
        (length, a, b)
    };
    let mut best = 0;
    for k in 1..3 {
        let (length, a, b) = key(k);
        let (longest, c, d) = key(best);
        if length > longest || (length == longest && (a, b) < (c, d)) {
            best = k;
        }
    }
    (best, key(best).0)
}

/// Splits the edge at which the walk along ever longer edges ends.
fn bisect_towards(clay: &mut Clay, face: u32) -> Option<u32> {
    let mut at = face;
    for _ in 0..MAX_STEPS {
        let (k, _) = longest_edge(clay, at);
        let other = clay.neighbour(at, k)?;
        let (j, _) = longest_edge(clay, other);
        if clay.neighbour(other, j) == Some(at) {
            return clay.split_edge(at, k);
        }
        at = other;
    }
    None
}
