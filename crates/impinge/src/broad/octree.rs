//! A complete octree over a fixed universe; each body is listed in the octants it covers.
//!
//! **Question.** Which boxes share a voxel, and which of those overlap?
//! **Idea.** Coordinates are rounded to voxels. A body is listed in the largest octants that lie in its box of voxels; these octants
//! tile the box. Two bodies share a voxel exactly when one is listed in an octant that is equal to or an ancestor of an octant of the
//! other; so each octant is compared with all its ancestors. A pair is compared at one voxel only, that of the larger lower corners.
//! **Source.** Zachmann 1994, section 5.4. The published search starts at a body's own octants and omits their ancestors: a
//! large body at rest, listed higher up, is then never paired with a small moving one.
//! **Cost.** A move that stays in its voxels costs nothing; for others there are three ways, [`OctreeMoves`]. A query visits
//! all octants, or those of bodies that changed.
//! **Promise.** Exactly the overlapping pairs. The octants are those of a newly built tree, except after [`OctreeMoves::BoxDifference`].
//! **Limits.** Nearly all references sit at the deepest level, as published: for small bodies a [`Grid`](super::UniformGrid) does the
//! same with less. A body in more than [`OctreeDetector::MOST_VOXELS`] voxels is compared with all others instead.

use super::body_table::{BodyTable, make_room};
use super::broad_phase::{Detector, DetectorPhase, key};
use super::cell_box::{CellBox, Lattice, universe_of};
use super::large_bodies::LargeBodies;
use super::object::BroadWork;
use super::octree_changes::OctreeChanges;
use crate::bound::Aabb;

/// A dynamic octree.
pub type Octree = DetectorPhase<OctreeDetector>;

/// What happens to the octants of a body that moves to other voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OctreeMoves {
    /// It is taken out of all and comes in anew.
    Rebuild,
    /// Its octants are found anew, and lists change only where these differ.
    #[default]
    OctantLists,
    /// Octants that lie in the new voxels stay; the rest of the new voxels, up to six boxes and what is left of octants that lie in them partly,
    /// is parted into octants. A tree that is built anew may have fewer and larger ones.
    BoxDifference,
}

/// How an [`Octree`] works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OctreeConfig {
    /// Levels below the root, at most 7: `2^depth` voxels along each axis.
    pub depth: u32,
    /// The cube that is divided; `None` takes the box around all bodies at the first query.
    pub universe: Option<Aabb>,
    /// How bodies move.
    pub moves: OctreeMoves,
    /// Whether a query visits only octants of bodies that came or moved since the last one, and keeps the other pairs.
    pub scans_changes: bool,
}

impl Default for OctreeConfig {
    fn default() -> Self {
        Self {
            depth: 4,
            universe: None,
            moves: OctreeMoves::default(),
            scans_changes: false,
        }
    }
}

impl Octree {
    /// An octree with these options.
    ///
    /// ```
    /// use impinge::broad::{Octree, OctreeConfig};
    /// let tree = Octree::new(OctreeConfig { depth: 2, ..Default::default() });
    /// assert_eq!(tree.detector().references(), [0, 0, 0]);
    /// ```
    #[must_use]
    pub fn new(config: OctreeConfig) -> Self {
        Self::with(OctreeDetector::new(config))
    }
}

/// An octant: its level and its place along each axis.
pub(super) type Octant = (u32, [i64; 3]);

#[derive(Clone, Debug)]
pub(super) struct OctantEntry {
    is_hung: bool,
    voxels: CellBox,
    /// The octants, by number, ascending; none for a body that is compared with all.
    pub(super) octants: Vec<u32>,
}

const NOTHING: OctantEntry = OctantEntry {
    is_hung: false,
    voxels: CellBox::EMPTY,
    octants: Vec::new(),
};

/// The detector of [`Octree`].
#[derive(Debug)]
pub struct OctreeDetector {
    depth: u32,
    moves: OctreeMoves,
    lattice: Option<Lattice>,
    /// Bodies by octant.
    pub(super) lists: Vec<Vec<u32>>,
    pub(super) bodies: Vec<OctantEntry>,
    /// For queries that visit what changed; none for those that visit all.
    pub(super) changes: Option<OctreeChanges>,
    large: LargeBodies,
    stack: Vec<Octant>,
    scratch: Vec<u32>,
    references: Vec<usize>,
    pub(super) tests: u64,
    upkeep: u64,
}

impl Default for OctreeDetector {
    fn default() -> Self {
        Self::new(OctreeConfig::default())
    }
}

/// The number of an octant: levels one after the other, each in rows.
pub(super) fn number((level, [x, y, z]): Octant) -> u32 {
    let before = ((1_u64 << (3 * level)) - 1) / 7;
    (before as i64 + (((x << level) + y) << level) + z) as u32
}

/// The octant of a number within its level.
pub(super) fn octant(level: u32, within: u32) -> Octant {
    let mask = (1 << level) - 1;
    let place = [within >> (2 * level), within >> level & mask, within & mask];
    (level, place.map(i64::from))
}

impl OctreeDetector {
    /// A body in more voxels than this is kept in a list of its own.
    pub const MOST_VOXELS: u64 = 1 << 15;

    fn new(config: OctreeConfig) -> Self {
        let depth = config.depth.min(7);
        let mut tree = Self {
            depth,
            moves: config.moves,
            lattice: None,
            lists: Vec::new(),
            bodies: Vec::new(),
            changes: config.scans_changes.then(OctreeChanges::default),
            large: LargeBodies::default(),
            stack: Vec::new(),
            scratch: Vec::new(),
            references: vec![0; depth as usize + 1],
            tests: 0,
            upkeep: 0,
        };
        if let Some(universe) = config.universe {
            tree.divide(&universe);
        }
        tree
    }

    /// The number of bodies stored at the octants of each level, the root first.
    ///
    /// ```
    /// use impinge::broad::{Octree, OctreeConfig};
    /// let tree = Octree::new(OctreeConfig { depth: 2, ..Default::default() });
    /// assert_eq!(tree.detector().references(), [0, 0, 0]);
    /// ```
    #[must_use]
    pub fn references(&self) -> &[usize] {
        &self.references
    }

    fn divide(&mut self, universe: &Aabb) {
        self.lattice = Some(Lattice::dividing(universe, 1 << self.depth));
        let count = number((self.depth + 1, [0; 3])) as usize;
        self.lists.resize_with(count, Vec::new);
        if let Some(changes) = &mut self.changes {
            changes.divide(count);
        }
    }

    /// The voxels of an octant.
    pub(super) fn voxels(&self, (level, at): Octant) -> CellBox {
        let shift = self.depth - level;
        CellBox {
            lo: at.map(|c| c << shift),
            hi: at.map(|c| ((c + 1) << shift) - 1),
        }
    }

    /// Adds the largest octants that part the box.
    fn parts(&mut self, b: &CellBox, out: &mut Vec<u32>) {
        self.stack.clear();
        self.stack.push((0, [0; 3]));
        while let Some(octant) = self.stack.pop() {
            let own = self.voxels(octant);
            let both = own.overlap(b);
            if both.is_empty() {
                continue;
            }
            let (level, at) = octant;
            if both == own || level == self.depth {
                out.push(number(octant));
                continue;
            }
            for child in 0..8 {
                let side = [child >> 2, child >> 1 & 1, child & 1];
                let place = [0, 1, 2].map(|k: usize| 2 * at[k] + side[k]);
                self.stack.push((level + 1, place));
            }
        }
    }

    /// Adds the octants of a box, given those of another box that it overlaps.
    fn parts_beyond(
        &mut self,
        (old, octants): (&CellBox, &[u32]),
        new: &CellBox,
        out: &mut Vec<u32>,
    ) {
        for &at in octants {
            let own = self.voxels(self.octant_of(at));
            let both = own.overlap(new);
            if both == own {
                out.push(at);
            } else if !both.is_empty() {
                self.parts(&both, out);
            }
        }
        for entered in new.without(old) {
            if !entered.is_empty() {
                self.parts(&entered, out);
            }
        }
    }

    /// The octant with this number.
    pub(super) fn octant_of(&self, at: u32) -> Octant {
        let level = self.level(at);
        octant(level, at - number((level, [0; 3])))
    }

    /// Whether the voxel in which two bodies are compared is one of these.
    pub(super) fn is_owner(&self, x: u32, y: u32, voxels: &CellBox) -> bool {
        let (p, q) = (
            &self.bodies[x as usize].voxels,
            &self.bodies[y as usize].voxels,
        );
        (0..3).all(|k| {
            let corner = p.lo[k].max(q.lo[k]);
            voxels.lo[k] <= corner && corner <= voxels.hi[k]
        })
    }

    pub(super) fn level(&self, number_of: u32) -> u32 {
        (0..self.depth)
            .find(|&level| number_of < number((level + 1, [0; 3])))
            .unwrap_or(self.depth)
    }

    fn place(&mut self, bodies: &BodyTable, slot: u32) {
        let Some(lattice) = self.lattice else { return };
        let at = slot as usize;
        let new = lattice.covered(&bodies.boxes()[at]);
        if self.bodies[at].is_hung && self.bodies[at].voxels == new {
            return;
        }
        let is_large = new.count() > Self::MOST_VOXELS;
        let mut now = std::mem::take(&mut self.scratch);
        now.clear();
        let old = self.bodies[at].voxels;
        let mut before = std::mem::take(&mut self.bodies[at].octants);
        let overlaps = !before.is_empty() && !old.overlap(&new).is_empty();
        if self.moves == OctreeMoves::BoxDifference && overlaps && !is_large {
            self.parts_beyond((&old, &before), &new, &mut now);
        } else if !is_large {
            self.parts(&new, &mut now);
        }
        now.sort_unstable();
        self.large.set(slot, is_large);
        if self.moves == OctreeMoves::Rebuild {
            self.change(slot, &before, &[]);
            before.clear();
        }
        self.change(slot, &before, &now);
        // Copied, so that each body keeps a list of its own size.
        let body = &mut self.bodies[at];
        body.octants = before;
        body.octants.clear();
        body.octants.extend_from_slice(&now);
        body.voxels = new;
        body.is_hung = true;
        self.scratch = now;
    }

    /// Takes the body from octants that are only in the first list and hangs it on those only in the second.
    fn change(&mut self, slot: u32, before: &[u32], now: &[u32]) {
        let (mut i, mut k) = (0, 0);
        while i < before.len() || k < now.len() {
            let (old, new) = (before.get(i), now.get(k));
            if old == new {
                i += 1;
                k += 1;
                continue;
            }
            self.upkeep += 1;
            match (old, new) {
                (Some(&old), new) if new.is_none_or(|&new| old < new) => {
                    i += 1;
                    let list = &mut self.lists[old as usize];
                    if let Some(at) = list.iter().position(|&s| s == slot) {
                        list.swap_remove(at);
                    }
                    self.count(old, false);
                }
                (_, Some(&new)) => {
                    k += 1;
                    self.lists[new as usize].push(slot);
                    self.count(new, true);
                }
                _ => {}
            }
        }
    }
}

impl OctreeDetector {
    /// A body came, moved or goes.
    fn mark(&mut self, slot: u32) {
        if let Some(changes) = &mut self.changes {
            changes.mark(slot);
        }
    }

    /// A reference came to an octant, or left it.
    fn count(&mut self, at: u32, comes: bool) {
        let octant = self.octant_of(at);
        let references = &mut self.references[octant.0 as usize];
        if comes {
            *references += 1;
        } else {
            *references -= 1;
        }
        if let Some(changes) = &mut self.changes {
            changes.count(octant, comes);
        }
    }

    /// Writes all overlapping pairs that no large body is part of, by a visit of all octants.
    fn find_all(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) {
        let boxes = bodies.boxes();
        for level in 0..=self.depth {
            if self.references[level as usize] == 0 {
                continue;
            }
            let start = number((level, [0; 3]));
            for within in 0..1_u32 << (3 * level) {
                let list = &self.lists[(start + within) as usize];
                if list.is_empty() {
                    continue;
                }
                let own = octant(level, within);
                let voxels = self.voxels(own);
                // The octant itself, then its ancestors.
                for up in 0..=level {
                    let above = number((level - up, own.1.map(|c| c >> up)));
                    for (i, &x) in list.iter().enumerate() {
                        let others = if up == 0 {
                            &list[i + 1..]
                        } else {
                            &self.lists[above as usize][..]
                        };
                        for &y in others {
                            if !self.is_owner(x, y, &voxels) {
                                continue;
                            }
                            self.tests += 1;
                            if boxes[x as usize].overlaps(&boxes[y as usize]) {
                                keys.push(key(x, y));
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Detector for OctreeDetector {
    const NAME: &'static str = "octree";

    fn entered(&mut self, bodies: &BodyTable, slot: u32) {
        make_room(&mut self.bodies, slot, NOTHING);
        self.mark(slot);
        self.place(bodies, slot);
    }

    fn left(&mut self, _: &BodyTable, slot: u32) {
        self.mark(slot);
        let before = std::mem::take(&mut self.bodies[slot as usize].octants);
        self.change(slot, &before, &[]);
        self.large.set(slot, false);
        let body = &mut self.bodies[slot as usize];
        body.octants = before;
        body.octants.clear();
        body.is_hung = false;
    }

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        if self.lattice.is_none() && bodies.bounded().next().is_some() {
            self.divide(&universe_of(bodies));
            for slot in bodies.bounded() {
                self.place(bodies, slot);
            }
        }
        if self.changes.is_some() {
            self.find_changed(bodies, keys);
        } else {
            self.find_all(bodies, keys);
        }
        self.large.find(bodies, keys, &mut self.tests);
        false
    }

    fn check(&self, bodies: &BodyTable) -> Result<(), String> {
        let Some(lattice) = &self.lattice else {
            return Ok(());
        };
        let hung = |slot: usize| &self.bodies[slot];
        lattice.check_listed(bodies, |slot| {
            hung(slot).is_hung.then_some(hung(slot).voxels)
        })?;
        let mut total = 0;
        for slot in bodies.bounded() {
            let body = hung(slot as usize);
            total += body.octants.len();
            let mut covered = 0;
            for &at in &body.octants {
                covered += self.voxels(self.octant_of(at)).count();
                if !self.lists[at as usize].contains(&slot) {
                    return Err(format!("slot {slot} is not on octant {at}"));
                }
            }
            let is_large = self.large.contains(slot);
            if !is_large && covered != body.voxels.count() {
                return Err(format!("slot {slot} hangs on {covered} voxels"));
            }
        }
        self.check_changes()?;
        let lists: usize = self.lists.iter().map(Vec::len).sum();
        if lists != total || self.references.iter().sum::<usize>() != total {
            return Err(format!("{lists} references instead of {total}"));
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        let listed: usize = self.lists.iter().map(Vec::capacity).sum();
        let hung: usize = self.bodies.iter().map(|b| b.octants.capacity()).sum();
        self.lists.capacity() * size_of::<Vec<u32>>()
            + self.bodies.capacity() * size_of::<OctantEntry>()
            + (listed + hung) * 4
            + self.large.bytes()
            + self.stack.capacity() * size_of::<Octant>()
            + self.changes.as_ref().map_or(0, OctreeChanges::bytes)
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.upkeep,
            entries: self.references.iter().sum::<usize>() as u64,
        }
    }
}
