//! Where a mesh passes through itself.
//!
//! **Idea.** Sweep the mesh against itself. Neighbours always meet in what they share, so a pair
//! counts only when it meets beyond that; the exact kind of the overlap tells: a shared corner
//! explains a point, a shared edge a segment, and nothing explains an area.
//!
//! **Promise.** Exact for faces with area; faces without are findings of their own and left out.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::geom::{Overlap, triangle_overlap};
use impinge::glam::Vec3Swizzles;
use impinge::math::orient2d;
use impinge::query::{FacePair, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};

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
    let index = FaceSweep::build(Arc::clone(mesh), &Default::default());
    let still_alive = || {
        progress.tick();
        false
    };
    let limits = Limits {
        max_tests: Some(MAX_TESTS),
        stop: Some(&still_alive),
        ..Limits::default()
    };
    let mut pairs = Vec::new();
    let mut sink = |pair: FacePair| {
        if pair.a < pair.b && meet_beyond_shared(&mesh.triangle(pair.a), &mesh.triangle(pair.b)) {
            pairs.push(pair);
        }
        if pairs.len() < MAX_PAIRS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let mut cache = Default::default();
    let outcome = index.intersections(&index, &Pose::IDENTITY, limits, &mut cache, &mut sink);
    SelfIntersections {
        pairs,
        complete: outcome == Outcome::Complete,
    }
}

fn meet_beyond_shared(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    if is_degenerate(a) || is_degenerate(b) {
        return false;
    }
    let shared = a.iter().filter(|corner| b.contains(corner)).count();
    match triangle_overlap(a, b) {
        Overlap::None => false,
        Overlap::Point(_) => shared < 1,
        Overlap::Segment(_) => shared < 2,
        // Three shared corners are a duplicate face, which is a finding of its own.
        Overlap::Polygon(_) => shared < 3,
    }
}

/// Whether the corners lie on one line: they do exactly when they do in all three projections.
fn is_degenerate([a, b, c]: &[DVec3; 3]) -> bool {
    orient2d(a.xy(), b.xy(), c.xy()).is_zero()
        && orient2d(a.yz(), b.yz(), c.yz()).is_zero()
        && orient2d(a.zx(), b.zx(), c.zx()).is_zero()
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
