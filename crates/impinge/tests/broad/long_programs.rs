//! Programs of ten thousand operations on two thousand bodies, run by every broad phase side by side and by two that
//! are exchanged again and again. After each burst of operations states, pairs and changes are compared with a table of which boxes meet.
//!
//! The table compares the body that changed with all others, so that it is right by looking and still quick. Programs that look after every
//! single operation, on fewer bodies, are in `phases.rs`.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::broad::{
    Bounds, BroadPhase, BruteForce, DynamicAabbTree, DynamicAabbTreeConfig, HashGrid,
    HierarchicalGrid, ObjectId, ObjectPair, Octree, OctreeConfig, OctreeMoves, OrientedCells,
    PairChange, RegionPartition, SlabDirections, SlabOctree, SweepAndPrune, SweepAxes, SweepConfig,
    SweepCounters, UniformGrid, UniformGridConfig, swap_broad_phase,
};
use impinge::math::Rng;

use super::brute_force_table::{SLOTS, Table};
use super::large_programs::{Crowd, turned};

const OPERATIONS: usize = 10_000;
/// The longest burst of operations before everything is compared.
const BURST: u64 = 500;
/// Unbounded bodies meet thousands of others each.
const MOST_UNBOUNDED: usize = 3;

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
    Box::new(SweepAndPrune::new(SweepConfig { counters, axes }))
}

fn cube(half: f64) -> Aabb {
    Aabb {
        min: DVec3::splat(-half),
        max: DVec3::splat(half),
    }
}

/// Cells as large as an ordinary body, in a room a little larger than that of the uniform crowd.
fn oriented_grid(oriented: OrientedCells, is_doubly_indexed: bool) -> Box<dyn BroadPhase> {
    Box::new(UniformGrid::new(UniformGridConfig {
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
    Box::new(RegionPartition::new(vec![west, east], rest))
}

/// Every kind, and what it promises when bodies have oriented boxes.
const KINDS: [(Make, Promise); 20] = [
    (
        || {
            Box::new(DynamicAabbTree::new(DynamicAabbTreeConfig {
                parallel: false,
            }))
        },
        Promise::Exact,
    ),
    (|| Box::new(DynamicAabbTree::default()), Promise::Exact),
    (|| Box::new(BruteForce::default()), Promise::Exact),
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
    (|| Box::new(UniformGrid::default()), Promise::Exact),
    (
        || {
            Box::new(UniformGrid::new(UniformGridConfig {
                cells: 20,
                universe: Some(cube(10.0)),
                is_doubly_indexed: true,
                uses_difference: false,
                ..UniformGridConfig::default()
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
                moves: OctreeMoves::BoxDifference,
                scans_changes: true,
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
    told: Vec<ObjectPair>,
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
        swap_broad_phase(&*self.broad, &mut *next).unwrap();
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
                PairChange::Began(_) => now.push(pair),
                PairChange::Ended(_) => {}
            }
            assert_eq!(
                was_told,
                matches!(change, PairChange::Ended(_)),
                "{change:?} does not alternate; {context}"
            );
        }
        now.extend(old);
        self.told = now;
    }

    fn check(&mut self, table: &Table, plain: &[ObjectPair], needed: &[ObjectPair], context: &str) {
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
fn is_part(some: &[ObjectPair], all: &[ObjectPair]) -> bool {
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
            swap_broad_phase(&*lane.broad, &mut *fresh).unwrap();
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
