//! Several regions, each with a broad phase of its own.
//!
//! **Idea.** A body is in each region that its box overlaps, and in the rest of space unless one
//! region contains it entirely. A common point of two boxes lies in some region, which then has
//! both bodies, or outside all regions, so that both are in the rest. So the regions together find
//! all pairs; a pair found in several regions is reported once.
//! **Source.** Named as future work by Sjöberg and Ylinenpää 2009.
//! **Cost.** That of the regions; bodies across borders count several times.

use super::body_table::BodyTable;
use super::broad_phase::{BroadPhase, Detector, DetectorPhase, key};
use super::object::{Bounds, BroadWork, ObjectId};
use crate::bound::Aabb;

/// Regions of space with a broad phase each, and one for the rest.
pub type RegionPartition = DetectorPhase<RegionDetector>;

impl RegionPartition {
    /// Regions, each with an empty broad phase, and one for the rest of space.
    ///
    /// ```
    /// use impinge::bound::Aabb;
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId, RegionPartition, DynamicAabbTree};
    /// use impinge::DVec3;
    /// let hall = Aabb { min: DVec3::ZERO, max: DVec3::splat(10.0) };
    /// let mut broad = RegionPartition::new(vec![(hall, Box::new(DynamicAabbTree::default()))], Box::new(BruteForce::default()));
    /// for slot in 0..2 {
    ///     let min = DVec3::splat(f64::from(slot) + 8.5);
    ///     broad.insert(ObjectId::new(slot, 0), &Aabb { min, max: min + 1.0 }.into())?;
    /// }
    /// assert_eq!(broad.pairs().len(), 1);
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[must_use]
    pub fn new(regions: Vec<(Aabb, Box<dyn BroadPhase>)>, rest: Box<dyn BroadPhase>) -> Self {
        Self::with(RegionDetector { regions, rest })
    }
}

/// The detector of [`RegionPartition`].
#[derive(Debug)]
pub struct RegionDetector {
    regions: Vec<(Aabb, Box<dyn BroadPhase>)>,
    rest: Box<dyn BroadPhase>,
}

impl RegionDetector {
    /// The broad phases of the regions, then that of the rest.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, BruteForce, RegionPartition};
    /// let broad = RegionPartition::new(Vec::new(), Box::new(BruteForce::default()));
    /// assert_eq!(broad.detector().phases().count(), 1);
    /// ```
    pub fn phases(&self) -> impl Iterator<Item = &dyn BroadPhase> {
        let regions = self.regions.iter().map(|(_, phase)| &**phase);
        regions.chain(std::iter::once(&*self.rest))
    }

    fn place(&mut self, bodies: &BodyTable, slot: u32) {
        let id = ObjectId::new(slot, 0);
        let b = &bodies.boxes()[slot as usize];
        let bounds = Bounds {
            aabb: *b,
            oriented: bodies.oriented(slot).copied(),
        };
        let mut is_held = false;
        for (region, phase) in &mut self.regions {
            is_held |= region.contains_box(b);
            set(&mut **phase, id, &bounds, region.overlaps(b));
        }
        set(&mut *self.rest, id, &bounds, !is_held);
    }
}

/// Brings one region's knowledge of a body up to date.
fn set(phase: &mut dyn BroadPhase, id: ObjectId, bounds: &Bounds, is_there: bool) {
    let was_there = phase.bodies().bounds(id).is_some();
    let done = match (was_there, is_there) {
        (false, true) => phase.insert(id, bounds),
        (true, true) => phase.update(id, bounds),
        (true, false) => phase.remove(id),
        (false, false) => Ok(()),
    };
    // The outer table has checked the id and the bounds already.
    debug_assert!(done.is_ok(), "{done:?}");
}

impl Detector for RegionDetector {
    const NAME: &'static str = "regions";

    fn entered(&mut self, bodies: &BodyTable, slot: u32) {
        self.place(bodies, slot);
    }

    fn left(&mut self, _: &BodyTable, slot: u32) {
        let id = ObjectId::new(slot, 0);
        let phases = self.regions.iter_mut().map(|(_, phase)| phase);
        for phase in phases.chain(std::iter::once(&mut self.rest)) {
            if phase.bodies().bounds(id).is_some() {
                let done = phase.remove(id);
                debug_assert!(done.is_ok(), "{done:?}");
            }
        }
    }

    fn find(&mut self, _: &BodyTable, keys: &mut Vec<u64>) -> bool {
        let phases = self.regions.iter_mut().map(|(_, phase)| phase);
        for phase in phases.chain(std::iter::once(&mut self.rest)) {
            keys.extend(phase.pairs().iter().map(|p| key(p.a.slot(), p.b.slot())));
        }
        keys.sort_unstable();
        keys.dedup();
        true
    }

    fn check(&self, bodies: &BodyTable) -> Result<(), String> {
        for phase in self.phases() {
            phase.validate().map_err(|v| v.to_string())?;
        }
        let is_somewhere = |slot: u32| {
            let id = ObjectId::new(slot, 0);
            self.phases().any(|phase| {
                let bounds = phase.bodies().bounds(id);
                bounds.is_some_and(|b| b.aabb == bodies.boxes()[slot as usize])
            })
        };
        match bodies.bounded().find(|&slot| !is_somewhere(slot)) {
            Some(slot) => Err(format!("slot {slot} is in no region with its box")),
            None => Ok(()),
        }
    }

    fn bytes(&self) -> usize {
        self.phases().map(BroadPhase::bytes).sum::<usize>()
            + self.regions.capacity() * size_of::<(Aabb, Box<dyn BroadPhase>)>()
    }

    fn work(&self) -> BroadWork {
        self.phases().fold(BroadWork::default(), |sum, phase| {
            let own = phase.work();
            BroadWork {
                tests: sum.tests + own.tests,
                upkeep: sum.upkeep + own.upkeep,
                entries: sum.entries + own.entries,
            }
        })
    }
}
