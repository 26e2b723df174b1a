//! The faces of each cluster, or of each cell along its curve, sorted for the sweep.

use glam::DVec3;

use super::super::refit::LaneBounds;
use super::super::sweep_and_prune::insertion_sort;
use super::assign::cells_joined;
use super::cluster_frame::ClusterFrame;
use super::cluster_items::ClusterItems;
use super::principal_curve::PrincipalCurve;
use super::sweep::SortedBoxes;
use super::{MAX_SEGMENTS, SweepAxis};

/// Exchanges per entry after which sorting again is cheaper.
const EXCHANGES_PER_ENTRY: usize = 8;
/// The most points that a curve is fitted to.
const CURVE_POINTS: usize = 4096;

/// What is kept of a cluster.
#[derive(Clone, Debug)]
pub(super) struct LastCluster {
    frame: ClusterFrame,
    order: Vec<u32>,
}

impl LastCluster {
    pub(super) fn sweep_axis(&self) -> DVec3 {
        self.frame.sweep_axis()
    }
}

/// What is swept at once: a cluster, or a cell of one.
#[derive(Debug)]
pub(super) struct SweptCell {
    pub(super) cluster: usize,
    pub(super) cell: usize,
    pub(super) sorted: SortedBoxes,
    /// The cells that each item of the order joins; empty where the cluster is one cell.
    cells: Vec<u64>,
    /// None for a cell: those of the next frame are others.
    pub(super) last: Option<LastCluster>,
    pub(super) moves: u64,
}

impl SweptCell {
    /// Whether this cell decides a pair of places of its order: of all cells that hold both, the first does.
    #[inline]
    pub(super) fn decides(&self, i: usize, j: usize) -> bool {
        match (self.cells.get(i), self.cells.get(j)) {
            (Some(one), Some(two)) => (one & two).trailing_zeros() as usize == self.cell,
            _ => true,
        }
    }
}

/// Sorts the items of a cluster along its axis, or cell by cell along its curve.
pub(super) fn sort_cluster(
    items: &ClusterItems,
    masks: &[u64],
    cluster: usize,
    axis: SweepAxis,
    last: Option<&LastCluster>,
) -> Vec<SweptCell> {
    let is_in = |i: &u32| masks[*i as usize] >> cluster & 1 == 1;
    let list: Vec<u32> = (0..masks.len() as u32).filter(is_in).collect();
    let frame = ClusterFrame::new(items, &list, axis, last.map(|l| &l.frame));
    let SweepAxis::Curve { segments } = axis else {
        let (sorted, moves) = sort(items, &list, &frame, last.map(|l| l.order.as_slice()));
        let order = sorted.order.clone();
        return vec![SweptCell {
            cluster,
            cell: 0,
            sorted,
            cells: Vec::new(),
            last: Some(LastCluster { frame, order }),
            moves,
        }];
    };
    let segments = segments.clamp(1, MAX_SEGMENTS);
    curve_cells(items, &list, &frame, segments)
        .into_iter()
        .map(|cell| SweptCell { cluster, ..cell })
        .collect()
}

fn curve_cells(
    items: &ClusterItems,
    list: &[u32],
    frame: &ClusterFrame,
    segments: usize,
) -> Vec<SweptCell> {
    let stride = list.len().div_ceil(CURVE_POINTS).max(1);
    let centers = list.iter().step_by(stride);
    let points: Vec<DVec3> = centers.map(|&i| items.center[i as usize]).collect();
    let curve = PrincipalCurve::fit(&points, frame.sweep_axis(), segments);
    let joined = cells_joined(items, list, &curve.middles());
    let one = |(cell, direction): (usize, DVec3)| {
        let is_in = |k: &usize| joined[*k] >> cell & 1 == 1;
        let places: Vec<usize> = (0..list.len()).filter(is_in).collect();
        let own: Vec<u32> = places.iter().map(|&k| list[k]).collect();
        let beside = ClusterFrame::beside(items, &own, direction);
        let sweeps = (0..3).map(|first| sort(items, &own, &beside.turned(first), None));
        let (sorted, moves) = sweeps.min_by_key(|(sorted, _)| sorted.total())?;
        let cells = (sorted.order.iter())
            .map(|item| own.binary_search(item).map_or(0, |k| joined[places[k]]))
            .collect();
        Some(SweptCell {
            cluster: 0,
            cell,
            sorted,
            cells,
            last: None,
            moves,
        })
    };
    curve
        .directions()
        .into_iter()
        .enumerate()
        .filter_map(one)
        .collect()
}

/// The boxes of these items in order, and what the order took: exchanges where that of the last frame was repaired, else one for each item.
fn sort(
    items: &ClusterItems,
    list: &[u32],
    frame: &ClusterFrame,
    last: Option<&[u32]>,
) -> (SortedBoxes, u64) {
    // By place in the list, so that memory grows with the cluster and not with the scene.
    let own: Vec<LaneBounds> = list
        .iter()
        .map(|&i| frame.bounds(items, i as usize))
        .collect();
    let key = |place: u32| f64::from(own[place as usize].min[0]);
    let mut order = match last {
        Some(last) => continued(last, list),
        None => (0..list.len() as u32).collect(),
    };
    let repaired = last.and_then(|_| insertion_sort(&mut order, key, EXCHANGES_PER_ENTRY));
    let moves = repaired.unwrap_or_else(|| {
        order.sort_unstable_by(|&i, &j| key(i).total_cmp(&key(j)).then(i.cmp(&j)));
        order.len() as u64
    });
    let bounds = order.iter().map(|&place| own[place as usize]).collect();
    let order = order.iter().map(|&place| list[place as usize]).collect();
    (SortedBoxes::new(order, bounds), moves)
}

/// The places of the items that stay, in the order they had, then of those that are new. The list is ascending.
fn continued(last: &[u32], list: &[u32]) -> Vec<u32> {
    let mut is_old = vec![false; list.len()];
    let mut order: Vec<u32> = Vec::with_capacity(list.len());
    for item in last {
        // Subdivision may have made other items.
        if let Ok(place) = list.binary_search(item) {
            is_old[place] = true;
            order.push(place as u32);
        }
    }
    order.extend((0..list.len() as u32).filter(|&place| !is_old[place as usize]));
    order
}
