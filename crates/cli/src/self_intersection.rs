//! Where a mesh passes through itself: the library's search, within the patience of a command.
//!
//! Duplicates and faces without area are findings of their own and left out. Corners at the same position count as shared,
//! so that files that repeat every corner do not seem to fall apart.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::TriMesh;
use impinge::bvh::wide::{OwnOptions, Sharing, WideCache, WideTree};
use impinge::query::{FacePair, Limits, Outcome};

use crate::progress::Progress;

/// Tests after which the search is given up, some seconds of work.
const MAX_TESTS: u64 = 3_000_000_000;
/// Pairs after which there is no point in finding more.
const MAX_PAIRS: usize = 1_000_000;

/// The pairs of faces that meet beyond what they share.
#[derive(Debug)]
pub(crate) struct SelfIntersections {
    /// Each pair once, the smaller id first, in order.
    pub(crate) pairs: Vec<FacePair>,
    /// Whether these are all.
    pub(crate) complete: bool,
}

/// Where the mesh passes through itself.
pub(crate) fn find(mesh: &Arc<TriMesh>, progress: &Progress) -> SelfIntersections {
    let tree = WideTree::new(Arc::clone(mesh));
    let still_alive = || {
        progress.tick();
        false
    };
    let limits = Limits {
        max_tests: Some(MAX_TESTS),
        stop: Some(&still_alive),
        ..Limits::default()
    };
    let options = OwnOptions {
        sharing: Sharing::ByPosition,
        duplicates: false,
        flat_faces: false,
    };
    let mut pairs = Vec::new();
    let mut sink = |pair: FacePair| {
        pairs.push(pair);
        if pairs.len() < MAX_PAIRS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let outcome = tree.self_intersections(&options, limits, &mut WideCache::default(), &mut sink);
    pairs.sort_unstable();
    SelfIntersections {
        pairs,
        complete: outcome == Outcome::Complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(points: &[[f64; 3]], faces: &[[u32; 3]]) -> usize {
        let mesh = TriMesh::from_points(points.iter().copied(), faces.iter().copied()).unwrap();
        let found = find(&Arc::new(mesh), &Progress::new("", true));
        assert!(found.complete);
        found.pairs.len()
    }

    #[test]
    fn neighbours_meet_only_in_what_they_share() {
        let tetrahedron = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        assert_eq!(
            pairs(&tetrahedron, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
            0
        );
    }

    #[test]
    fn folds_and_piercings_are_found() {
        // Two faces at one edge, folded onto each other.
        let fold = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0.3, 0.5, 0.]];
        assert_eq!(pairs(&fold, &[[0, 1, 2], [1, 0, 3]]), 1);
        // Two faces at one corner, one of them through the other.
        let fan = [
            [0., 0., 0.],
            [2., 0., 0.],
            [0., 2., 0.],
            [2., 2., 1.],
            [2., 2., -1.],
        ];
        assert_eq!(pairs(&fan, &[[0, 1, 2], [0, 3, 4]]), 1);
        // Neither a duplicate nor a face without area counts.
        assert_eq!(pairs(&fan, &[[0, 1, 2], [0, 1, 2], [0, 0, 1]]), 0);
    }
}
