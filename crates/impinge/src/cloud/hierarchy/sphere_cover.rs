//! Samples of a node, and the radius with which spheres around them cover its part of the surface.
//!
//! The part of the surface of a point is its Voronoi cell: what is nearer to it than to any other
//! point. A place in a cell is drawn from a triangle of the point and two of its neighbours, and
//! kept if no neighbour is nearer. The radius starts with what the points themselves need and grows
//! with every drawn place that is not covered, until enough places in a row are covered.

use glam::DVec3;

use super::super::kd_tree::distance_sq;
use super::super::parallel::map_shares;
use super::super::point_cloud::PointId;
use super::super::proximity_graph::ProximityGraph;
use super::leaf_hulls::LeafHulls;
use super::node::vector;
use super::options::CoverDraw;
use crate::math::Rng;

/// Points that samples are chosen from, for each sample.
const CANDIDATES: usize = 5;
/// Draws until a place is in the cell.
const TRIES: usize = 6;
/// Every point of a triangle is in the part of it that is shrunk by this to one of its corners.
const CORNER: f64 = 2.0 / 3.0;
/// Draws for one covering at most, for each that must be covered in a row.
pub(super) const MAX_ROUNDS: u32 = 20;
/// Places that were not drawn may stick out a little.
const ROOM: f64 = 1.1;

/// Writes samples of some points, spread evenly: each is the farthest from those before among points drawn at random.
pub(super) fn choose_samples(
    points: &[DVec3],
    items: &[u32],
    count: usize,
    rng: &mut Rng,
    samples: &mut Vec<u32>,
) {
    samples.clear();
    if items.len() <= count {
        samples.extend_from_slice(items);
        return;
    }
    // Strata of the tree's order, which follows space.
    let drawn = (CANDIDATES * count).min(items.len());
    let mut open: Vec<(u32, f64)> = (0..drawn)
        .map(|k| {
            let (from, to) = (k * items.len() / drawn, (k + 1) * items.len() / drawn);
            let at = from + rng.below((to - from) as u64) as usize;
            (items[at.min(items.len() - 1)], f64::INFINITY)
        })
        .collect();
    let mut next = rng.below(drawn as u64) as usize;
    while samples.len() < count {
        let (chosen, _) = open[next];
        samples.push(chosen);
        let place = points[chosen as usize];
        let mut farthest = (-1.0, 0);
        for (at, (id, distance)) in open.iter_mut().enumerate() {
            *distance = distance.min(distance_sq(points[*id as usize], place));
            if *distance > farthest.0 {
                farthest = (*distance, at);
            }
        }
        // Only copies of samples are left.
        if farthest.0 <= 0.0 {
            break;
        }
        next = farthest.1;
    }
}

/// A radius with which balls about the samples cover the cells of the points, and a box of what was drawn of these.
pub(super) struct SphereCover {
    pub(super) radius: f64,
    pub(super) min: DVec3,
    pub(super) max: DVec3,
}

/// A few places of the cell of every point, as offsets from it. Large nodes draw from these.
pub(super) struct CellSamples {
    offsets: Vec<[[f32; 3]; PLACES]>,
}

/// Places that are kept for a point.
const PLACES: usize = 8;

impl CellSamples {
    pub(super) fn new(graph: &ProximityGraph, seed: u64) -> Self {
        let all: Vec<usize> = (0..graph.points.len()).collect();
        let parts = map_shares(&all, |ids| {
            let one = |&id: &usize| {
                let mut rng = Rng::new(seed ^ (id as u64).wrapping_mul(0xA076_1D64_78BD_642F));
                let point = PointId::new(id as u32);
                let mut offsets = [[0.0; 3]; PLACES];
                // Removed points have no neighbours, and nobody asks for them.
                for offset in &mut offsets {
                    let off = place_in_cell(graph, point, &mut rng) - graph.points[id];
                    *offset = off.to_array().map(|x| x as f32);
                }
                offsets
            };
            ids.iter().map(one).collect::<Vec<_>>()
        });
        Self {
            offsets: parts.into_iter().flatten().collect(),
        }
    }

    fn draw(&self, graph: &ProximityGraph, id: u32, rng: &mut Rng) -> DVec3 {
        let offset = self.offsets[id as usize][rng.below(PLACES as u64) as usize];
        graph.points[id as usize] + vector(offset)
    }

    /// The kept places of a point's cell, from the point.
    pub(super) fn offsets(&self, id: u32) -> impl Iterator<Item = DVec3> + '_ {
        self.offsets[id as usize].iter().map(|&off| vector(off))
    }
}

/// The covering of the cells of some points by balls about the samples.
pub(super) fn covering(
    graph: &ProximityGraph,
    cells: &CellSamples,
    items: &[u32],
    samples: &[u32],
    hulls: &LeafHulls<'_>,
    (covered, draw): (u32, CoverDraw),
    rng: &mut Rng,
) -> SphereCover {
    let centres: Vec<DVec3> = samples.iter().map(|&s| graph.points[s as usize]).collect();
    let nearest_sq = |q: DVec3| {
        let distances = centres.iter().map(|&k| distance_sq(q, k));
        distances.fold(f64::INFINITY, f64::min)
    };
    let mut radius_sq = 0.0;
    if samples.len() < items.len() {
        for &id in items {
            radius_sq = nearest_sq(graph.points[id as usize]).max(radius_sq);
        }
    }
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut row = 0;
    if let CoverDraw::Stratified { around } = draw {
        if samples.len() == items.len() {
            // Cells stick out of the hulls, and the box has to hold the surface.
            for &id in items {
                for off in cells.offsets(id) {
                    let place = graph.points[id as usize] + off;
                    (min, max) = (min.min(place), max.max(place));
                }
            }
        }
        radius_sq = hulls.uncovered(&graph.points, radius_sq, (covered, around), nearest_sq, rng);
        return SphereCover {
            radius: radius_sq.sqrt() * ROOM,
            min,
            max,
        };
    }
    for _ in 0..covered.saturating_mul(MAX_ROUNDS) {
        let id = items[rng.below(items.len() as u64) as usize];
        let place = if samples.len() < items.len() {
            cells.draw(graph, id, rng)
        } else {
            place_in_cell(graph, PointId::new(id), rng)
        };
        (min, max) = (min.min(place), max.max(place));
        let distance_sq = nearest_sq(place);
        if distance_sq > radius_sq {
            radius_sq = distance_sq;
            row = 0;
        } else {
            row += 1;
            if row >= covered {
                break;
            }
        }
    }
    SphereCover {
        radius: radius_sq.sqrt() * ROOM,
        min,
        max,
    }
}

/// A random place that is nearer to a point than to its neighbours, in a plane with two of them.
pub(super) fn place_in_cell(graph: &ProximityGraph, id: PointId, rng: &mut Rng) -> DVec3 {
    let place = graph.points[id.index()];
    let near = graph.neighbours(id);
    let (Some(&any), true) = (near.first(), near.len() >= 2) else {
        // Half of the only edge, or the point alone.
        return match near.first() {
            Some(&q) => place + (graph.points[q.index()] - place) * (0.5 * rng.unit()),
            None => place,
        };
    };
    let mut draw = || near[rng.below(near.len() as u64) as usize];
    let mut pairs = [(any, any); TRIES];
    for pair in &mut pairs {
        *pair = (draw(), draw());
    }
    for (p, q) in pairs {
        let (mut u, mut v) = (rng.unit(), rng.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let (to_p, to_q) = (
            graph.points[p.index()] - place,
            graph.points[q.index()] - place,
        );
        let off = (to_p * u + to_q * v) * CORNER;
        let x = place + off;
        let own = off.length_squared();
        if near
            .iter()
            .all(|n| distance_sq(graph.points[n.index()], x) >= own)
        {
            return x;
        }
    }
    place + (graph.points[any.index()] - place) * (0.5 * rng.unit())
}
