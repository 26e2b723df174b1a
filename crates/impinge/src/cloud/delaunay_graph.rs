//! Neighbours by Delaunay tetrahedra.
//!
//! **Idea.** Two points are neighbours if some sphere through both contains no point. Edges that
//! bridge gaps are long, and are set apart as in any graph.
//! **Source.** Klein, 4.2.1, as the graph to compare with.
//! **Limits.** Through the inside of a solid there are edges between far parts of its surface;
//! pruning sets most of them apart, not all. Points that are cospherical up to rounding need exact
//! arithmetic for nearly every decision and take many times as long.

use glam::DVec3;

use super::delaunay_tetrahedra::DelaunayTetrahedra;
use super::point_cloud::{CloudError, PointId, place_order};
use super::proximity_graph::MAX_COINCIDENT;

/// The neighbours of every point, ascending: how many each has, and who, in this order of points.
///
/// Points in one place share their neighbours, and are neighbours of each other.
pub(super) fn delaunay_lists(
    points: &[DVec3],
    order: &[u32],
) -> Result<(Vec<u32>, Vec<PointId>), CloudError> {
    let groups = CoincidentPoints::of(points, order)?;
    let distinct = groups.first.iter().map(|&id| points[id as usize]).collect();
    let by_place: Vec<u32> = (0..groups.first.len() as u32).collect();
    let tetrahedra = DelaunayTetrahedra::new(distinct, &by_place);
    let mut shared = vec![(0, 0); groups.first.len()];
    let mut around: Vec<u32> = Vec::new();
    tetrahedra.neighbours(|place, found| {
        shared[place as usize] = (around.len(), found.len());
        around.extend_from_slice(found);
    });
    let (mut lengths, mut items) = (Vec::with_capacity(order.len()), Vec::new());
    for &id in order {
        let start = items.len();
        let place = groups.place_of[id as usize];
        let (from, count) = shared[place as usize];
        let others = around[from..from + count].iter();
        for &other in others.chain([&place]) {
            let members = groups.members(other).iter();
            items.extend(members.filter(|&&q| q != id).map(|&q| PointId::new(q)));
        }
        items[start..].sort_unstable();
        lengths.push((items.len() - start) as u32);
    }
    Ok((lengths, items))
}

/// Points by place.
struct CoincidentPoints {
    /// The first point of each place, in the order of points.
    first: Vec<u32>,
    /// The place of each point.
    place_of: Vec<u32>,
    /// The points, those of a place together.
    sorted: Vec<u32>,
    /// Where those of each place begin, and how many there are.
    spans: Vec<(usize, usize)>,
}

impl CoincidentPoints {
    fn of(points: &[DVec3], order: &[u32]) -> Result<Self, CloudError> {
        let mut sorted = order.to_vec();
        let at = |id: u32| points[id as usize];
        sorted.sort_unstable_by(|&i, &j| place_order(at(i), at(j)).then(i.cmp(&j)));
        let mut leader = vec![0; points.len()];
        let mut span_of = vec![(0, 0); points.len()];
        let mut start = 0;
        for run in sorted.chunk_by(|&i, &j| at(i) == at(j)) {
            if run.len() > MAX_COINCIDENT {
                return Err(CloudError::Coincident {
                    point: run[0] as usize,
                    others: run.len() - 1,
                });
            }
            for &id in run {
                leader[id as usize] = run[0];
            }
            span_of[run[0] as usize] = (start, run.len());
            start += run.len();
        }
        let is_first = |&id: &u32| leader[id as usize] == id;
        let first: Vec<u32> = order.iter().copied().filter(is_first).collect();
        let mut number_of = vec![0; points.len()];
        for (&id, number) in first.iter().zip(0..) {
            number_of[id as usize] = number;
        }
        let place_of = leader.iter().map(|&id| number_of[id as usize]).collect();
        let spans = first.iter().map(|&id| span_of[id as usize]).collect();
        Ok(Self {
            first,
            place_of,
            sorted,
            spans,
        })
    }

    fn members(&self, place: u32) -> &[u32] {
        let (start, count) = self.spans[place as usize];
        &self.sorted[start..start + count]
    }
}
