//! Random points of the first cloud that lie in both boxes.
//!
//! **Idea.** Random ids are drawn until enough lie in both boxes. If few do, the tree lists all of
//! them, and the draw is from that list. No point is drawn twice.

use glam::DVec3;

use crate::bound::Aabb;
use crate::cloud::adjacency_lists::IdMap;
use crate::cloud::kd_tree::KdTree;
use crate::cloud::proximity_graph::ProximityGraph;
use crate::cloud::{CloudSurface, PointId};
use crate::math::{Pose, Rng};

/// Ids that are tried first, per candidate.
const PILOT: usize = 4;
/// A tried id costs this many listed points: it is a jump in memory.
const TRIAL_COST: f64 = 3.0;
/// Points whose spacing is examined for the usual one.
const SPACINGS: usize = 15;

/// What rounding may add to a coordinate of a mean or of a placed box, as a part of the coordinates.
const ROUNDING: f64 = 1e-12;

/// What both clouds may share: points in both boxes, each a little widened.
pub(super) struct SharedBox {
    box_a: Aabb,
    in_a: Aabb,
    in_b: Aabb,
    b_from_a: Pose,
}

impl SharedBox {
    /// None when it is proven that the surfaces are apart: their boxes are, each widened by what the surface may reach beyond it.
    pub(super) fn of(
        a: &CloudSurface,
        b: &CloudSurface,
        a_from_b: &Pose,
        margin: f64,
    ) -> Option<Self> {
        let (box_a, box_b) = (box_of(&a.graph.tree), box_of(&b.graph.tree));
        let b_from_a = a_from_b.inverse();
        let b_in_a = box_b.transformed(a_from_b);
        let a_in_b = box_a.transformed(&b_from_a);
        if box_a.is_empty() || box_b.is_empty() {
            return None;
        }
        let sizes = [box_a, b_in_a, box_b, a_in_b].map(|x| x.min.abs().max(x.max.abs()));
        let size = sizes.iter().fold(0.0, |m: f64, s| m.max(s.max_element()));
        let reach = a.overhang() + b.overhang() + ROUNDING * size;
        // A surface without borders is everywhere.
        let may_meet =
            |own: &Aabb, other: &Aabb| !reach.is_finite() || own.inflated(reach).overlaps(other);
        if !may_meet(&box_a, &b_in_a) || !may_meet(&box_b, &a_in_b) {
            return None;
        }
        let wide = |x: &Aabb| x.inflated(margin);
        Some(Self {
            box_a: wide(&box_a),
            in_a: wide(&box_a).intersection(&wide(&b_in_a)),
            in_b: wide(&box_b).intersection(&wide(&a_in_b)),
            b_from_a,
        })
    }

    /// How much of the first box is shared, of 1.
    pub(super) fn part(&self) -> f64 {
        if self.in_a.is_empty() {
            return 0.0;
        }
        self.in_a.volume() / self.box_a.volume()
    }

    #[inline]
    fn contains(&self, p: DVec3) -> bool {
        self.in_a.contains(p) && self.in_b.contains(self.b_from_a * p)
    }
}

fn box_of(tree: &KdTree) -> Aabb {
    let root = &tree.nodes[0];
    Aabb {
        min: root.min,
        max: root.max,
    }
}

/// The median spacing of a few points, 0 without any.
pub(super) fn usual_spacing(graph: &ProximityGraph) -> f64 {
    let mut found = [0.0; SPACINGS];
    let mut count = 0;
    let ids = graph.points.len();
    let tries = ids.min(4 * SPACINGS);
    for k in 0..tries {
        // Spread over all ids.
        let id = PointId::new((k as u64 * ids as u64 / tries as u64) as u32);
        let spacing = graph.spacing(id);
        if graph.is_live[id.index()] && spacing > 0.0 && count < SPACINGS {
            found[count] = spacing;
            count += 1;
        }
    }
    let found = &mut found[..count];
    found.sort_unstable_by(f64::total_cmp);
    found.get(count / 2).copied().unwrap_or(0.0)
}

/// What was drawn from.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplePopulation {
    /// How many points there are in the overlap; an estimate unless all were listed.
    pub(super) points: f64,
    /// Whether all of them were drawn.
    pub(super) is_all: bool,
}

/// A draw that can go on, and its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct CandidateDraw {
    /// What was drawn, in random order.
    pub(super) drawn: Vec<PointId>,
    /// What is left, once all points of the overlap were listed.
    pool: Vec<PointId>,
    is_listed: bool,
    nodes: Vec<u32>,
    taken: IdMap<()>,
    tries: u64,
    hits: u64,
}

impl CandidateDraw {
    /// Forgets the last draw.
    pub(super) fn begin(&mut self) {
        self.drawn.clear();
        self.pool.clear();
        self.taken.clear();
        self.is_listed = false;
        (self.tries, self.hits) = (0, 0);
    }

    /// Draws points of the overlap, of `among` if that is given, until there are `wanted` in all; fewer when there are no more.
    pub(super) fn draw(
        &mut self,
        graph: &ProximityGraph,
        overlap: &SharedBox,
        among: Option<&[PointId]>,
        wanted: usize,
        rng: &mut Rng,
    ) -> SamplePopulation {
        if !self.is_listed {
            if among.is_none()
                && graph.len() > wanted.saturating_mul(2 * PILOT)
                && let Some(population) = self.try_ids(graph, overlap, wanted, rng)
            {
                return population;
            }
            self.is_listed = true;
            match among {
                Some(among) => {
                    for &id in among {
                        if graph.place(id).is_some_and(|p| overlap.contains(p)) {
                            self.put_aside(id);
                        }
                    }
                }
                None => self.list(graph, overlap),
            }
        }
        while self.drawn.len() < wanted && !self.pool.is_empty() {
            let at = rng.below(self.pool.len() as u64) as usize;
            self.drawn.push(self.pool.swap_remove(at));
        }
        SamplePopulation {
            points: (self.drawn.len() + self.pool.len()) as f64,
            is_all: self.pool.is_empty(),
        }
    }

    fn put_aside(&mut self, id: PointId) {
        if self.taken.get(id).is_none() {
            self.pool.push(id);
        }
    }

    /// Tries random ids; none when listing all is cheaper.
    fn try_ids(
        &mut self,
        graph: &ProximityGraph,
        overlap: &SharedBox,
        wanted: usize,
        rng: &mut Rng,
    ) -> Option<SamplePopulation> {
        let ids = graph.points.len() as u64;
        let mut allowed = self.tries + (PILOT * wanted) as u64;
        while self.drawn.len() < wanted {
            if self.tries >= allowed {
                // Each candidate takes 1/p tries; a list takes p n points. Going on means that there are three times as many as wanted.
                let p = self.hits as f64 / self.tries as f64;
                let to_try = wanted as f64 / p;
                if self.hits == 0 || TRIAL_COST * to_try > p * ids as f64 {
                    return None;
                }
                allowed = self.tries + to_try as u64 + 16;
            }
            self.tries += 1;
            let id = PointId::new(rng.below(ids) as u32);
            if graph.is_live[id.index()] && overlap.contains(graph.points[id.index()]) {
                self.hits += 1;
                if self.taken.get(id).is_none() {
                    self.taken.entry(id, ());
                    self.drawn.push(id);
                }
            }
        }
        Some(SamplePopulation {
            points: ids as f64 * self.hits as f64 / self.tries.max(1) as f64,
            is_all: false,
        })
    }

    /// Lists all points of the overlap that were not drawn.
    fn list(&mut self, graph: &ProximityGraph, overlap: &SharedBox) {
        let tree = &graph.tree;
        self.nodes.clear();
        self.nodes.push(0);
        while let Some(number) = self.nodes.pop() {
            let node = &tree.nodes[number as usize];
            let bounds = Aabb {
                min: node.min,
                max: node.max,
            };
            if !bounds.overlaps(&overlap.in_a) {
                continue;
            }
            if node.is_leaf() {
                for slot in tree.bucket(node) {
                    if overlap.contains(slot.place) {
                        self.put_aside(PointId::new(slot.id));
                    }
                }
            } else {
                self.nodes.push(node.high);
                self.nodes.push(node.low);
            }
        }
    }
}
