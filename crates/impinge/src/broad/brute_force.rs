//! Brute force: every box against every other.
//!
//! **Question.** Which boxes overlap?
//! **Idea.** All pairs are compared. Boxes are stored in single precision, rounded outward, so that
//! one instruction compares eight; overlaps are then decided in double precision.
//! **Source.** Sjöberg and Ylinenpää 2009, section 2.4.1.
//! **Cost.** `n(n − 1)/2` comparisons, eight at a time, and the pairs.
//! **Promise.** No state to go wrong: this is what the other methods are compared with.

use super::body_table::BodyTable;
use super::broad_phase::{Detector, DetectorPhase, key};
use super::object::BroadWork;
use crate::math::outward_rounding;
use crate::math::simd::{Boxes8, Level};

/// Compares all boxes with all.
pub type BruteForce = DetectorPhase<BruteForceDetector>;

/// The detector of [`BruteForce`].
#[derive(Debug)]
pub struct BruteForceDetector {
    level: Level,
    groups: Vec<Boxes8>,
    masks: Vec<u8>,
    slots: Vec<u32>,
    tests: u64,
}

impl Default for BruteForceDetector {
    fn default() -> Self {
        Self {
            level: Level::detect(),
            groups: Vec::new(),
            masks: Vec::new(),
            slots: Vec::new(),
            tests: 0,
        }
    }
}

impl Detector for BruteForceDetector {
    const NAME: &'static str = "exhaustive";

    fn entered(&mut self, _: &BodyTable, _: u32) {}
    fn left(&mut self, _: &BodyTable, _: u32) {}

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        self.slots.clear();
        self.slots.extend(bodies.bounded());
        self.groups.clear();
        for (i, &slot) in self.slots.iter().enumerate() {
            if i % 8 == 0 {
                self.groups.push(Boxes8::EMPTY);
            }
            let b = &bodies.boxes()[slot as usize];
            let (min, max) = outward_rounding::outward(b.min, b.max);
            if let Some(group) = self.groups.last_mut() {
                group.set(i % 8, min, max);
            }
        }
        self.masks.resize(self.groups.len(), 0);
        for (i, &slot) in self.slots.iter().enumerate() {
            let b = &bodies.boxes()[slot as usize];
            let (min, max) = outward_rounding::outward(b.min, b.max);
            let first = i / 8;
            let masks = &mut self.masks[first..];
            self.level
                .overlaps_each(min, max, &self.groups[first..], masks);
            self.tests += masks.len() as u64;
            masks[0] &= !(0xFF >> (7 - i % 8));
            for (g, &mask) in masks.iter().enumerate() {
                let mut rest = mask;
                while rest != 0 {
                    let other = self.slots[(first + g) * 8 + rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                    if b.overlaps(&bodies.boxes()[other as usize]) {
                        keys.push(key(slot, other));
                    }
                }
            }
        }
        true
    }

    fn check(&self, _: &BodyTable) -> Result<(), String> {
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Boxes8>()
            + self.masks.capacity()
            + self.slots.capacity() * 4
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            ..BroadWork::default()
        }
    }
}
