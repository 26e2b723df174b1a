//! Programs of ten thousand operations on two thousand bodies, run by every broad phase side by side and by two that
//! are exchanged again and again. After each burst of operations states, pairs and changes are compared with a table of which boxes meet.
//!
//! The table compares the body that changed with all others, so that it is right by looking and still quick. Programs that look after every
//! single operation, on fewer bodies, are in `phases.rs`.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::DVec3;
use impinge::bound::{Aabb, BoundingVolume, Obb};
use impinge::broad::{
    Bounds, BroadPhase, Change, Exhaustive, Grid, GridConfig, HashGrid, HierarchicalGrid, ObjectId,
    Octree, OctreeConfig, OrientedCells, Pair, Regions, SlabDirections, SlabOctree, SweepAxes,
    SweepConfig, SweepCounters, SweepPrune, Tree, TreeConfig, exchange,
};
use impinge::math::Rng;

const SLOTS: usize = 2048;
const WORDS: usize = SLOTS / 64;
const OPERATIONS: usize = 10_000;
/// The longest burst of operations before everything is compared.
const BURST: u64 = 500;
/// Unbounded bodies meet thousands of others each.
const MOST_UNBOUNDED: usize = 3;

/// Where the bodies of a program lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crowd {
    Uniform,
    Clustered,
    HugeAndTiny,
    AllOverlapping,
}

impl Crowd {
    fn bodies(self) -> usize {
        match self {
            Self::AllOverlapping => 80,
            _ => 2000,
        }
    }

    /// A random centre and half the sides.
    fn random(self, rng: &mut Rng) -> (DVec3, DVec3) {
        match self {
            Self::Uniform => (rng.cube() * 12.0, DVec3::splat(0.5) + rng.cube() * 0.4),
            Self::Clustered => {
                let place = DVec3::new(rng.below(6) as f64 * 40.0, rng.below(2) as f64 * 50.0, 0.0);
                let half = DVec3::splat(0.25) + rng.cube() * 0.2;
                (place + rng.cube() * 3.0, half)
            }
            Self::HugeAndTiny => {
                let exponent = if rng.below(150) == 0 {
                    [9.0, 20.0][rng.below(2) as usize]
                } else {
                    [-20.0, -9.0, -2.0, 3.0_f64][rng.below(4) as usize]
                };
                let half = DVec3::ONE + rng.cube() * 0.2;
                (rng.cube() * 500.0, half * exponent.exp2())
            }
            Self::AllOverlapping => (rng.cube(), DVec3::splat(1.5) + rng.cube() * 0.4),
        }
    }

    fn bounds(self, rng: &mut Rng, is_turned: bool) -> Bounds {
        let (center, half) = self.random(rng);
        if is_turned {
            // Rods, so that the box along the axes is much larger.
            let rod = half * DVec3::new(1.6, 0.4, 0.5);
            let x = rng.direction();
            return turned(center, x, x.any_orthonormal_vector(), rod);
        }
        Bounds::from(Aabb {
            min: center - half,
            max: center + half,
        })
    }

    /// The bounds after a small step, a large one, or a leap.
    fn moved(self, old: &Bounds, rng: &mut Rng, is_turned: bool) -> Bounds {
        let b = &old.aabb;
        let size = (b.max - b.min).max_element();
        if rng.below(8) == 0 || size > 1e100 {
            return self.bounds(rng, is_turned);
        }
        let step = rng.cube() * size * if rng.below(2) == 0 { 0.01 } else { 0.5 };
        if let Some(obb) = &old.oriented {
            let [x, y, _] = obb.axes();
            // One in three only shifts, the others also turn.
            let turn = rng.cube() * [0.0, 0.02, 0.7][rng.below(3) as usize];
            let (x, y) = (x + turn.cross(x), y + turn.cross(y));
            return turned(obb.center() + step, x, y, obb.half_extent());
        }
        Bounds::from(Aabb {
            min: b.min + step,
            max: b.max + step * if rng.below(4) == 0 { 1.01 } else { 1.0 },
        })
    }
}

/// Bounds around the box with these half sides, along axes near to `x` and `y`.
fn turned(center: DVec3, x: DVec3, y: DVec3, half: DVec3) -> Bounds {
    let x = x.normalize();
    let y = (y - x * x.dot(y)).normalize();
    let z = x.cross(y);
    let corners: [DVec3; 8] = std::array::from_fn(|i| {
        let side = |k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
        center + x * (side(0) * half.x) + y * (side(1) * half.y) + z * (side(2) * half.z)
    });
    Bounds::around(&Obb::enclosing(&corners))
}

/// The corners and axes of the tightest box that is known of a body.
fn tightest(bounds: &Bounds) -> ([DVec3; 8], [DVec3; 3]) {
    let Bounds { aabb, oriented } = bounds;
    oriented.as_ref().map_or_else(
        || {
            let side = |i: usize, k: usize| {
                if i >> k & 1 == 0 {
                    aabb.min[k]
                } else {
                    aabb.max[k]
                }
            };
            let corner = |i: usize| DVec3::new(side(i, 0), side(i, 1), side(i, 2));
            (std::array::from_fn(corner), DVec3::AXES)
        },
        |obb| (obb.corners(), obb.axes()),
    )
}

/// Whether the corners' projections part the tightest boxes along one of the 15 directions, by a clear gap.
fn clearly_apart(a: &Bounds, b: &Bounds) -> bool {
    if a.oriented.is_none() && b.oriented.is_none() {
        return false;
    }
    let ((corners_a, axes_a), (corners_b, axes_b)) = (tightest(a), tightest(b));
    let range = |corners: &[DVec3; 8], d: DVec3| {
        let along = corners.map(|c| c.dot(d));
        let low = along.into_iter().fold(f64::INFINITY, f64::min);
        (low, along.into_iter().fold(f64::NEG_INFINITY, f64::max))
    };
    let apart = |d: DVec3| {
        let ((p, q), (r, s)) = (range(&corners_a, d), range(&corners_b, d));
        q < r - 1e-9 || s < p - 1e-9
    };
    let crossed = |u: DVec3| axes_b.into_iter().any(|v| apart(u.cross(v)));
    axes_a.into_iter().any(apart)
        || axes_b.into_iter().any(apart)
        || axes_a.into_iter().any(crossed)
}

/// A set of slots for each slot.
#[derive(Debug)]
struct Relation(Vec<[u64; WORDS]>);

impl Relation {
    fn new() -> Self {
        Self(vec![[0; WORDS]; SLOTS])
    }

    fn set(&mut self, x: usize, y: usize) {
        self.0[x][y / 64] |= 1 << (y % 64);
        self.0[y][x / 64] |= 1 << (x % 64);
    }

    fn clear(&mut self, x: usize) {
        let row = std::mem::replace(&mut self.0[x], [0; WORDS]);
        for y in members(&row) {
            self.0[y][x / 64] &= !(1 << (x % 64));
        }
    }
}

fn members(row: &[u64; WORDS]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(word * 64 + bit)
        })
    })
}

/// The bodies, and which of them meet.
#[derive(Debug)]
struct Table {
    bodies: Vec<Option<(ObjectId, Bounds)>>,
    boxes: Relation,
    /// Of those, the ones whose tightest boxes are not clearly apart.
    oriented: Relation,
    count: usize,
}

impl Table {
    fn new() -> Self {
        Self {
            bodies: vec![None; SLOTS],
            boxes: Relation::new(),
            oriented: Relation::new(),
            count: 0,
        }
    }

    fn remove(&mut self, slot: usize) {
        self.count -= usize::from(self.bodies[slot].take().is_some());
        self.boxes.clear(slot);
        self.oriented.clear(slot);
    }

    fn set(&mut self, id: ObjectId, new: &Bounds) {
        let slot = id.slot() as usize;
        self.remove(slot);
        let a = &new.aabb;
        for (other, body) in self.bodies.iter().enumerate() {
            let Some((_, bounds)) = body else { continue };
            let b = &bounds.aabb;
            if (0..3).any(|k| a.max[k] < b.min[k] || b.max[k] < a.min[k]) {
                continue;
            }
            self.boxes.set(slot, other);
            if !clearly_apart(new, bounds) {
                self.oriented.set(slot, other);
            }
        }
        self.bodies[slot] = Some((id, *new));
        self.count += 1;
    }

    fn present(&self) -> impl Iterator<Item = &(ObjectId, Bounds)> {
        self.bodies.iter().flatten()
    }

    fn pairs(&self, relation: &Relation) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (slot, body) in self.bodies.iter().enumerate() {
            let Some((a, _)) = body else { continue };
            let later = members(&relation.0[slot]).filter(|&other| other > slot);
            pairs.extend(later.map(|other| Pair::new(*a, self.bodies[other].unwrap().0)));
        }
        pairs
    }
}

/// What is asked of a broad phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    /// Exactly the pairs whose boxes along the axes overlap.
    Exact,
    /// Of those, at least all whose oriented boxes meet.
    Safe,
    /// Of those, any.
    Some,
}

type Make = fn() -> Box<dyn BroadPhase>;

fn sweep(counters: SweepCounters, axes: SweepAxes) -> Box<dyn BroadPhase> {
    Box::new(SweepPrune::new(SweepConfig { counters, axes }))
}

fn cube(half: f64) -> Aabb {
    Aabb {
        min: DVec3::splat(-half),
        max: DVec3::splat(half),
    }
}

/// Cells as large as an ordinary body, in a room a little larger than that of the uniform crowd.
fn oriented_grid(oriented: OrientedCells, is_doubly_indexed: bool) -> Box<dyn BroadPhase> {
    Box::new(Grid::new(GridConfig {
        cells: 26,
        universe: Some(cube(13.0)),
        oriented,
        is_doubly_indexed,
        uses_difference: true,
    }))
}

fn regions() -> Box<dyn BroadPhase> {
    let half = |lo: f64, hi: f64| Aabb {
        min: DVec3::splat(lo),
        max: DVec3::new(hi, 9.0, 9.0),
    };
    let rest = Box::new(HashGrid::default());
    let west = (half(-11.0, 0.0), KINDS[0].0());
    let east = (
        half(-2.0, 9.0),
        sweep(SweepCounters::None, SweepAxes::Three),
    );
    Box::new(Regions::new(vec![west, east], rest))
}

/// Every kind, and what it promises when bodies have oriented boxes.
const KINDS: [(Make, Promise); 20] = [
    (
        || Box::new(Tree::new(TreeConfig { parallel: false })),
        Promise::Exact,
    ),
    (|| Box::new(Tree::default()), Promise::Exact),
    (|| Box::new(Exhaustive::default()), Promise::Exact),
    (
        || sweep(SweepCounters::None, SweepAxes::Three),
        Promise::Exact,
    ),
    (
        || sweep(SweepCounters::Hash, SweepAxes::Three),
        Promise::Exact,
    ),
    (
        || sweep(SweepCounters::Matrix, SweepAxes::Three),
        Promise::Exact,
    ),
    (
        || sweep(SweepCounters::None, SweepAxes::Two(2)),
        Promise::Exact,
    ),
    (|| Box::new(Grid::default()), Promise::Exact),
    (
        || {
            Box::new(Grid::new(GridConfig {
                cells: 20,
                universe: Some(cube(10.0)),
                is_doubly_indexed: true,
                uses_difference: false,
                ..GridConfig::default()
            }))
        },
        Promise::Exact,
    ),
    (|| Box::new(HashGrid::default()), Promise::Exact),
    (|| Box::new(HierarchicalGrid::default()), Promise::Exact),
    (|| Box::new(Octree::default()), Promise::Exact),
    (
        || {
            Box::new(Octree::new(OctreeConfig {
                depth: 4,
                universe: Some(cube(10.0)),
            }))
        },
        Promise::Exact,
    ),
    (regions, Promise::Exact),
    (
        || Box::new(SlabOctree::new(SlabDirections::Three)),
        Promise::Safe,
    ),
    (
        || Box::new(SlabOctree::new(SlabDirections::Seven)),
        Promise::Safe,
    ),
    (
        || Box::new(SlabOctree::new(SlabDirections::Thirteen)),
        Promise::Safe,
    ),
    (
        || oriented_grid(OrientedCells::Conservative, false),
        Promise::Safe,
    ),
    (
        || oriented_grid(OrientedCells::Conservative, true),
        Promise::Safe,
    ),
    (|| oriented_grid(OrientedCells::Stab, false), Promise::Some),
];

/// A broad phase, what it has told so far, and whether it is exchanged.
#[derive(Debug)]
struct Lane {
    kind: usize,
    broad: Box<dyn BroadPhase>,
    told: Vec<Pair>,
    is_exchanged: bool,
}

impl Lane {
    fn new(kind: usize, is_exchanged: bool) -> Self {
        Self {
            kind,
            broad: KINDS[kind].0(),
            told: Vec::new(),
            is_exchanged,
        }
    }

    fn exchange(&mut self, kind: usize) {
        let mut next = KINDS[kind].0();
        exchange(&*self.broad, &mut *next).unwrap();
        (self.kind, self.broad) = (kind, next);
    }

    fn set(&mut self, id: ObjectId, bounds: &Bounds, is_new: bool) {
        let done = if is_new {
            self.broad.insert(id, bounds)
        } else {
            self.broad.update(id, bounds)
        };
        done.unwrap();
    }

    /// Takes the changes in; they alternate for every pair.
    fn listen(&mut self, context: &str) {
        let mut now = Vec::with_capacity(self.told.len());
        let mut old = self.told.iter().copied().peekable();
        let mut last = None;
        for change in self.broad.changes() {
            let pair = change.pair();
            assert!(last < Some(pair), "changes are sorted; {context}");
            last = Some(pair);
            while let Some(before) = old.next_if(|&p| p < pair) {
                now.push(before);
            }
            let was_told = old.next_if_eq(&pair).is_some();
            match change {
                Change::Began(_) => now.push(pair),
                Change::Ended(_) => {}
            }
            assert_eq!(
                was_told,
                matches!(change, Change::Ended(_)),
                "{change:?} does not alternate; {context}"
            );
        }
        now.extend(old);
        self.told = now;
    }

    fn check(&mut self, table: &Table, plain: &[Pair], needed: &[Pair], context: &str) {
        let context = format!("{} (kind {}), {context}", self.broad.name(), self.kind);
        let state = self.broad.validate();
        assert!(state.is_ok(), "{state:?}; {context}");
        self.listen(&context);
        assert!(self.broad.changes().is_empty(), "{context}");
        assert_eq!(self.broad.bodies().len(), table.count, "{context}");
        let told = &self.told[..];
        let pairs = self.broad.pairs();
        assert!(pairs == told, "changes make up the pairs; {context}");
        let is_right = match KINDS[self.kind].1 {
            Promise::Exact => pairs == plain,
            Promise::Safe => is_part(pairs, plain) && is_part(needed, pairs),
            Promise::Some => is_part(pairs, plain),
        };
        assert!(
            is_right,
            "{} pairs, {} boxes overlap, {} oriented ones; {context}",
            pairs.len(),
            plain.len(),
            needed.len()
        );
        assert!(self.broad.reported() == told, "{context}");
    }
}

/// Whether all of one sorted list is in the other.
fn is_part(some: &[Pair], all: &[Pair]) -> bool {
    let mut all = all.iter();
    some.iter().all(|pair| all.any(|other| other == pair))
}

fn unbounded(rng: &mut Rng) -> Bounds {
    let mut b = Aabb {
        min: rng.cube() * 5.0 - DVec3::splat(1.0),
        max: rng.cube() * 5.0 + DVec3::splat(10.0),
    };
    match rng.below(3) {
        0 => b.max.x = f64::INFINITY,
        1 => b.min.y = -1e200,
        _ => (b.min, b.max) = (DVec3::NEG_INFINITY, DVec3::INFINITY),
    }
    b.into()
}

/// A program: what happens to which body, told to the table and to every lane.
struct Program {
    crowd: Crowd,
    are_turned: bool,
    rng: Rng,
    table: Table,
    generations: Vec<u32>,
    lanes: Vec<Lane>,
}

impl Program {
    fn new(crowd: Crowd, are_turned: bool, seed: u64) -> Self {
        let mut lanes: Vec<_> = (0..KINDS.len())
            .map(|kind| Lane::new(kind, false))
            .collect();
        lanes.extend([0, KINDS.len() / 2].map(|kind| Lane::new(kind, true)));
        Self {
            crowd,
            are_turned,
            rng: Rng::new(seed),
            table: Table::new(),
            generations: vec![0; SLOTS],
            lanes,
        }
    }

    /// Half of the bodies come at once.
    fn fill(&mut self) {
        let wanted = self.crowd.bodies() / 2;
        let all: Vec<_> = (0..wanted)
            .map(|i| {
                let bounds = self.crowd.bounds(&mut self.rng, self.are_turned);
                (ObjectId::new(2 * i as u32, 0), bounds)
            })
            .collect();
        let ids: Vec<_> = all.iter().map(|(id, _)| *id).collect();
        let boxes: Vec<_> = all.iter().map(|(_, bounds)| bounds.aabb).collect();
        for (id, bounds) in &all {
            self.table.set(*id, bounds);
        }
        for lane in &mut self.lanes {
            if self.are_turned {
                all.iter()
                    .for_each(|(id, bounds)| lane.set(*id, bounds, true));
            } else {
                lane.broad.insert_boxes(&ids, &boxes).unwrap();
            }
        }
    }

    fn set(&mut self, id: ObjectId, new: &Bounds, is_new: bool) {
        self.table.set(id, new);
        for lane in &mut self.lanes {
            lane.set(id, new, is_new);
        }
    }

    fn operate(&mut self) {
        let slots = (self.crowd.bodies() * SLOTS / 2000).max(SLOTS / 8);
        let slot = self.rng.below(slots as u64) as usize;
        let id = ObjectId::new(slot as u32, self.generations[slot]);
        let Some((_, old)) = self.table.bodies[slot] else {
            if self.table.count < self.crowd.bodies() {
                let new = self.crowd.bounds(&mut self.rng, self.are_turned);
                self.set(id, &new, true);
            }
            return;
        };
        match self.rng.below(100) {
            0..=5 => {
                self.table.remove(slot);
                for lane in &mut self.lanes {
                    lane.broad.remove(id).unwrap();
                }
                self.generations[slot] += 1;
            }
            6 => {
                let unbounded_now =
                    |(_, b): &&(ObjectId, Bounds)| !(b.aabb.min.y > -1e100 && b.aabb.max.x < 1e100);
                if self.table.present().filter(unbounded_now).count() < MOST_UNBOUNDED {
                    let wide = unbounded(&mut self.rng);
                    self.set(id, &wide, false);
                }
            }
            // A body may lose its oriented box and get one later.
            7..=8 => {
                let new = self.crowd.bounds(&mut self.rng, false);
                self.set(id, &new, false);
            }
            _ => {
                let new = self.crowd.moved(&old, &mut self.rng, self.are_turned);
                self.set(id, &new, false);
            }
        }
    }

    /// All bodies move a little, or some by a lot.
    fn whole_frame(&mut self) {
        let bodies: Vec<_> = self.table.present().copied().collect();
        let new: Vec<_> = bodies
            .iter()
            .map(|(id, old)| {
                let step = self.rng.cube() * 0.01;
                let Some(obb) = old.oriented else {
                    let aabb = Aabb {
                        min: old.aabb.min + step,
                        max: old.aabb.max + step,
                    };
                    return (*id, aabb.into());
                };
                let [x, y, _] = obb.axes();
                let (x, y) = (x + step.cross(x), y + step.cross(y));
                (*id, turned(obb.center() + step, x, y, obb.half_extent()))
            })
            .collect();
        let ids: Vec<_> = new.iter().map(|(id, _)| *id).collect();
        let boxes: Vec<_> = new.iter().map(|(_, b): &(_, Bounds)| b.aabb).collect();
        for (id, bounds) in &new {
            self.table.set(*id, bounds);
        }
        for lane in &mut self.lanes {
            if self.are_turned {
                new.iter()
                    .for_each(|(id, bounds)| lane.set(*id, bounds, false));
            } else {
                lane.broad.update_boxes(&ids, &boxes).unwrap();
            }
        }
    }

    fn run(mut self, frames: usize) {
        self.fill();
        let (mut operations, mut bursts, mut left_out) = (0, 0, 0);
        while operations < OPERATIONS {
            let burst = 1 + self.rng.below(BURST);
            for _ in 0..burst {
                self.operate();
            }
            operations += burst as usize;
            bursts += 1;
            if frames > 0 && bursts % (OPERATIONS / BURST as usize * 2 / frames) == 0 {
                self.whole_frame();
            }
            let context = format!(
                "{:?}, oriented {}, after {operations} operations",
                self.crowd, self.are_turned
            );
            let plain = self.table.pairs(&self.table.boxes);
            let needed = self.table.pairs(&self.table.oriented);
            left_out += plain.len() - needed.len();
            for lane in &mut self.lanes {
                if lane.is_exchanged {
                    lane.exchange((lane.kind + 1) % KINDS.len());
                }
                lane.check(&self.table, &plain, &needed, &context);
            }
        }
        assert!(bursts >= 30 && self.table.count * 10 >= self.crowd.bodies() * 8);
        assert_eq!(left_out > 0, self.are_turned);
        // What came about step by step is what is found from nothing.
        for lane in self.lanes {
            let mut fresh = KINDS[lane.kind].0();
            exchange(&*lane.broad, &mut *fresh).unwrap();
            assert!(
                fresh.pairs() == lane.told,
                "{} remembers the way",
                fresh.name()
            );
        }
    }
}

#[test]
fn two_thousand_even_bodies() {
    Program::new(Crowd::Uniform, false, 1).run(6);
}

#[test]
fn two_thousand_clustered_bodies() {
    Program::new(Crowd::Clustered, false, 2).run(6);
}

#[test]
fn two_thousand_huge_and_tiny_bodies() {
    Program::new(Crowd::HugeAndTiny, false, 3).run(4);
}

#[test]
fn bodies_that_all_overlap() {
    Program::new(Crowd::AllOverlapping, false, 4).run(6);
}

#[test]
fn two_thousand_oriented_boxes_that_come_move_and_go() {
    Program::new(Crowd::Uniform, true, 5).run(6);
}

#[test]
fn oriented_boxes_in_clusters() {
    Program::new(Crowd::Clustered, true, 6).run(4);
}
