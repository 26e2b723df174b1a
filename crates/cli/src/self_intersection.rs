//! Where a mesh passes through itself: the library's search, within the patience of a command.
//!
//! Duplicates and faces without area are findings of their own and left out. Corners at the same position count as shared,
//! so that files that repeat every corner do not seem to fall apart.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::TriMesh;
use impinge::bvh::wide::{SelfIntersectOptions, SharedCornerRule, WideCache, WideTree};
use impinge::mesh::repair::{OppositeFaces, drop_duplicate_faces};
use impinge::query::{FaceId, FacePair, Limits, Outcome};

use crate::progress::Progress;

/// Tests after which the search is given up, most of them of eight at once: some seconds of work.
const MAX_TESTS: u64 = 3_000_000_000;
/// Pairs of faces looked at one by one after which the search is given up, some seconds of work as well: where many
/// faces share a corner or an edge, their pairs are as many as the square of that.
const MAX_PAIR_TESTS: u64 = 30_000_000;
/// Pairs after which there is no point in finding more.
const MAX_PAIRS: usize = 1_000_000;

/// What is said when the search was given up.
pub(crate) const NOT_FULLY_CHECKED: &str = "self-intersections were not fully checked, because too many faces lie \
     close together: there may be more";

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
    // Of faces that coincide the first stands for all: otherwise their pairs would be as many as the square of them.
    let single = drop_duplicate_faces(mesh, OppositeFaces::KeepOne);
    let (mesh, kept) = if single.changes.is_none() {
        (Arc::clone(mesh), None)
    } else {
        let mut kept = vec![FaceId::new(0); single.mesh.face_count()];
        // Backwards, so that the first of several wins.
        for (old, new) in single.face_map.iter().enumerate().rev() {
            if let Some(kept) = new.and_then(|new| kept.get_mut(new.index())) {
                *kept = FaceId::new(old as u32);
            }
        }
        (Arc::new(single.mesh), Some(kept))
    };
    let tree = WideTree::new(mesh);
    let still_alive = || {
        progress.tick();
        false
    };
    let limits = Limits {
        max_tests: Some(MAX_TESTS),
        stop: Some(&still_alive),
        ..Limits::default()
    };
    let options = SelfIntersectOptions {
        sharing: SharedCornerRule::ByPosition,
        duplicates: false,
        flat_faces: false,
        max_pair_tests: Some(MAX_PAIR_TESTS),
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
    if let Some(kept) = kept {
        let old = |face: FaceId| kept.get(face.index()).copied().unwrap_or(face);
        for pair in &mut pairs {
            *pair = FacePair {
                a: old(pair.a),
                b: old(pair.b),
            };
        }
    }
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
