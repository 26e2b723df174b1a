//! One suite for every broad phase: random programs of insertions, moves, removals and exchanges, compared with a plain list of
//! boxes after each step.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a suite stops at the first broken promise"
)]

use std::collections::BTreeSet;

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::broad::{BroadError, BroadPhase, ObjectId, ObjectPair, PairChange, swap_broad_phase};
use impinge::math::Rng;

/// Where the boxes of a program lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Boxes of similar size, spread evenly.
    Uniform,
    /// Nearly all in a few places.
    Clustered,
    /// Each overlaps each.
    AllOverlapping,
    /// Sizes from a millionth to a million.
    HugeAndTiny,
    /// Small integer coordinates: sides coincide and boxes touch.
    Integer,
    /// On a floor, all at one height.
    Flat,
}

impl Scene {
    /// Every scene.
    pub const ALL: [Self; 6] = [
        Self::Uniform,
        Self::Clustered,
        Self::AllOverlapping,
        Self::HugeAndTiny,
        Self::Integer,
        Self::Flat,
    ];

    /// A random box of the scene.
    #[must_use]
    pub fn random_box(self, rng: &mut Rng) -> Aabb {
        let (center, half) = match self {
            Self::Uniform => (rng.cube() * 10.0, DVec3::splat(0.5) + rng.cube() * 0.4),
            Self::Clustered => {
                let place = DVec3::splat(rng.below(3) as f64 * 100.0);
                (
                    place + rng.cube() * 2.0,
                    DVec3::splat(0.3) + rng.cube() * 0.2,
                )
            }
            Self::AllOverlapping => (rng.cube(), DVec3::splat(1.5) + rng.cube() * 0.4),
            Self::HugeAndTiny => {
                let size = f64::from(rng.range(-20.0, 20.0) as i32).exp2() * rng.range(0.5, 1.0);
                (rng.cube() * 1000.0, DVec3::splat(size))
            }
            Self::Integer => {
                let corner = DVec3::new(rng.grid(-3, 3), rng.grid(-3, 3), rng.grid(-3, 3));
                let size = DVec3::new(rng.grid(0, 2), rng.grid(0, 2), rng.grid(0, 1));
                return Aabb {
                    min: corner,
                    max: corner + size,
                };
            }
            Self::Flat => {
                let at = rng.cube() * 12.0;
                let center = DVec3::new(at.x, at.y, 0.01 * rng.unit());
                (center, DVec3::new(0.6, 0.6, 0.5))
            }
        };
        Aabb {
            min: center - half,
            max: center + half,
        }
    }

    /// The box after a small or a large step.
    fn moved(self, old: &Aabb, rng: &mut Rng) -> Aabb {
        if self == Self::Integer || rng.below(8) == 0 {
            return self.random_box(rng);
        }
        let size = (old.max - old.min).max_element();
        let step = rng.cube() * size * if rng.below(2) == 0 { 0.01 } else { 0.5 };
        if !step.is_finite() {
            return self.random_box(rng);
        }
        let grow = 1.0 + 0.1 * rng.unit();
        let half = (old.max - old.min) * 0.5 * if rng.below(4) == 0 { grow } else { 1.0 };
        let center = (old.max + old.min) * 0.5 + step;
        Aabb {
            min: center - half,
            max: center + half,
        }
    }
}

/// As many slots as a set of them has bits.
const SLOTS: usize = u64::BITS as usize;

/// A list of boxes by slot and, for each, the slots of those that it meets, found by looking.
#[derive(Debug)]
struct Plain {
    boxes: [Option<(ObjectId, Aabb)>; SLOTS],
    meets: [u64; SLOTS],
}

impl Plain {
    fn new() -> Self {
        Self {
            boxes: [None; SLOTS],
            meets: [0; SLOTS],
        }
    }

    fn len(&self) -> usize {
        self.boxes.iter().flatten().count()
    }

    fn get(&self, id: ObjectId) -> Option<&Aabb> {
        let found = self.boxes[id.slot() as usize].as_ref();
        found.filter(|(here, _)| *here == id).map(|(_, b)| b)
    }

    fn remove(&mut self, id: ObjectId) {
        let slot = id.slot() as usize;
        self.boxes[slot] = None;
        self.meets[slot] = 0;
        for others in &mut self.meets {
            *others &= !(1 << slot);
        }
    }

    fn set(&mut self, id: ObjectId, new: Aabb) {
        self.remove(id);
        let slot = id.slot() as usize;
        for (other, b) in self.boxes.iter().enumerate() {
            let Some((_, b)) = b else { continue };
            let apart = (0..3).any(|k| new.max[k] < b.min[k] || b.max[k] < new.min[k]);
            if !apart {
                self.meets[slot] |= 1 << other;
                self.meets[other] |= 1 << slot;
            }
        }
        self.boxes[slot] = Some((id, new));
    }

    /// The pairs that meet, in order.
    fn pairs(&self) -> Vec<ObjectPair> {
        let mut pairs = Vec::new();
        for (slot, a) in self.boxes.iter().enumerate() {
            let Some((a, _)) = a else { continue };
            let later = self.boxes.iter().enumerate().skip(slot + 1);
            let met = later.filter(|(other, _)| self.meets[slot] >> other & 1 == 1);
            pairs.extend(met.filter_map(|(_, b)| Some(ObjectPair::new(*a, b.as_ref()?.0))));
        }
        pairs
    }
}

/// Makes a broad phase of one kind.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn BroadPhase>;

/// Runs a random program on the kinds, starting with the first and exchanging them in turn.
///
/// # Panics
/// When an answer differs from that of the plain list, a change is lost, doubled or out of order, a bad
/// box is taken, or the state is unsound.
pub fn run_program(kinds: &[Make<'_>], scene: Scene, operations: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut broad = kinds[0]();
    let mut kind = 0;
    let mut plain = Plain::new();
    let mut told = BTreeSet::new();
    let mut generations = [0_u32; SLOTS];
    let wanted = if scene == Scene::AllOverlapping {
        24
    } else {
        56
    };
    for operation in 0..operations {
        let slot = rng.below(SLOTS as u64) as u32;
        let id = ObjectId::new(slot, generations[slot as usize]);
        let context = || {
            format!(
                "{} {scene:?} seed {seed} operation {operation}",
                kinds.len()
            )
        };
        let is_here = plain.get(id).is_some();
        match rng.below(100) {
            0 if kinds.len() > 1 => {
                kind = (kind + 1) % kinds.len();
                let mut next = kinds[kind]();
                swap_broad_phase(&*broad, &mut *next).unwrap();
                broad = next;
            }
            1 => refuse_bad_input(&mut *broad, id, is_here),
            2..=9 if is_here && plain.len() > 4 => {
                broad.remove(id).unwrap();
                plain.remove(id);
                generations[slot as usize] += 1;
            }
            10..=11 if is_here => {
                let wide = unbounded(&mut rng);
                broad.update(id, &wide.into()).unwrap();
                plain.set(id, wide);
            }
            12..=15 if plain.len() > 0 => {
                // A whole frame at once.
                let (ids, boxes): (Vec<_>, Vec<_>) = plain
                    .boxes
                    .iter()
                    .flatten()
                    .map(|(id, b)| (*id, scene.moved(b, &mut rng)))
                    .unzip();
                broad.update_boxes(&ids, &boxes).unwrap();
                for (&id, &b) in ids.iter().zip(&boxes) {
                    plain.set(id, b);
                }
            }
            _ if is_here => {
                let new = scene.moved(plain.get(id).unwrap(), &mut rng);
                broad.update(id, &new.into()).unwrap();
                plain.set(id, new);
            }
            _ if plain.len() < wanted => {
                let new = scene.random_box(&mut rng);
                broad.insert(id, &new.into()).unwrap();
                plain.set(id, new);
            }
            _ => {}
        }
        broad
            .validate()
            .unwrap_or_else(|v| panic!("{v}; {}", context()));
        if rng.below(3) == 0 {
            let name = broad.name();
            let pairs = broad.pairs();
            assert!(
                pairs == plain.pairs(),
                "{name}: {}: pairs {:?}",
                context(),
                symmetric(pairs, &plain.pairs())
            );
        }
        if rng.below(3) == 0 {
            let mut last = None;
            for change in broad.changes() {
                assert!(
                    last < Some(change.pair()),
                    "changes are sorted; {}",
                    context()
                );
                last = Some(change.pair());
                let fresh = match change {
                    PairChange::Began(pair) => told.insert(*pair),
                    PairChange::Ended(pair) => told.remove(pair),
                };
                assert!(fresh, "{change:?} was told before; {}", context());
            }
            let now = plain.pairs();
            assert!(
                told.iter().eq(&now),
                "{}: {}: changes {:?}",
                broad.name(),
                context(),
                symmetric(&Vec::from_iter(told.iter().copied()), &now)
            );
            assert!(broad.changes().is_empty() && broad.reported().iter().eq(&told));
        }
    }
    assert!(broad.bytes() > 0 && broad.bodies().len() == plain.len());
}

/// What is in one and not in the other.
fn symmetric(found: &[ObjectPair], expected: &[ObjectPair]) -> Vec<ObjectPair> {
    let [found, expected] = [found, expected].map(BTreeSet::from_iter);
    found
        .symmetric_difference(&expected)
        .map(|pair| **pair)
        .collect()
}

fn unbounded(rng: &mut Rng) -> Aabb {
    let mut b = Aabb {
        min: rng.cube() * 5.0 - DVec3::splat(1.0),
        max: rng.cube() * 5.0 + DVec3::splat(10.0),
    };
    match rng.below(4) {
        0 => b.max.x = f64::INFINITY,
        1 => b.min.y = -1e200,
        2 => (b.min, b.max) = (DVec3::NEG_INFINITY, DVec3::INFINITY),
        _ => b.min.z = f64::NEG_INFINITY,
    }
    b
}

fn refuse_bad_input(broad: &mut dyn BroadPhase, id: ObjectId, is_here: bool) {
    let good = Aabb {
        min: DVec3::ZERO,
        max: DVec3::ONE,
    };
    let nan = Aabb {
        max: DVec3::new(1.0, f64::NAN, 1.0),
        ..good
    };
    let inverted = Aabb {
        min: DVec3::new(0.0, 0.0, 2.0),
        ..good
    };
    let nowhere = Aabb {
        min: DVec3::splat(f64::INFINITY),
        max: DVec3::splat(f64::INFINITY),
    };
    let other = ObjectId::new(id.slot(), id.generation() + 1);
    let far = ObjectId::new(ObjectId::MAX_SLOT + 1, 0);
    for bad in [nan, inverted, nowhere] {
        let refused = if is_here {
            broad.update(id, &bad.into())
        } else {
            broad.insert(id, &bad.into())
        };
        assert!(matches!(
            refused,
            Err(BroadError::NotANumber { .. } | BroadError::Inverted { .. })
        ));
    }
    if is_here {
        let taken = broad.insert(other, &good.into());
        assert!(matches!(taken, Err(BroadError::Occupied { .. })));
    } else {
        assert!(matches!(broad.remove(id), Err(BroadError::Unknown { .. })));
    }
    let unknown = broad.update(other, &good.into());
    assert!(matches!(unknown, Err(BroadError::Unknown { .. })));
    let large = broad.insert(far, &good.into());
    assert!(matches!(large, Err(BroadError::SlotTooLarge { .. })));
}
