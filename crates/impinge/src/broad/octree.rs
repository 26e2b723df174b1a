//! A complete octree over a fixed universe; each body is listed in the octants it covers.
//!
//! **Question.** Which boxes share a voxel, and which of those overlap?
//! **Idea.** Coordinates are rounded to voxels. A body is listed in the largest octants that lie in its box of voxels; these octants
//! tile the box. Two bodies share a voxel exactly when one is listed in an octant that is equal to or an ancestor of an octant of the
//! other; so each octant is compared with all its ancestors. A pair is compared at one voxel only, that of the larger lower corners.
//! **Source.** Zachmann 1994, section 5.4. The published search starts at a body's own octants and omits their ancestors: a
//! large body at rest, listed higher up, is then never paired with a small moving one.
//! **Cost.** A move that stays in its voxels costs nothing; others recompute the octants and change those that differ. A query visits
//! all octants.
//! **Promise.** Exactly the overlapping pairs, and always the same octants as a newly built tree.
//! **Limits.** Nearly all references sit at the deepest level, as published: for small bodies a [`Grid`](super::UniformGrid) does the
//! same with less. A body in more than [`OctreeDetector::MOST_VOXELS`] voxels is compared with all others instead.

use super::body_table::{BodyTable, make_room};
use super::broad_phase::{Detector, DetectorPhase, key};
use super::cell_box::{CellBox, Lattice, universe_of};
use super::large_bodies::LargeBodies;
use super::object::BroadWork;
use crate::bound::Aabb;

/// A dynamic octree.
pub type Octree = DetectorPhase<OctreeDetector>;

/// How an [`Octree`] works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OctreeConfig {
    /// Levels below the root, at most 7: `2^depth` voxels along each axis.
    pub depth: u32,
    /// The cube that is divided; `None` takes the box around all bodies at the first query.
    pub universe: Option<Aabb>,
}

impl Default for OctreeConfig {
    fn default() -> Self {
        Self {
            depth: 4,
            universe: None,
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
type Octant = (u32, [i64; 3]);

#[derive(Clone, Debug)]
struct OctantEntry {
    is_hung: bool,
    voxels: CellBox,
    /// The octants, by number, ascending; none for a body that is compared with all.
    octants: Vec<u32>,
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
    lattice: Option<Lattice>,
    /// Bodies by octant.
    lists: Vec<Vec<u32>>,
    bodies: Vec<OctantEntry>,
    large: LargeBodies,
    stack: Vec<Octant>,
    scratch: Vec<u32>,
    references: Vec<usize>,
    tests: u64,
    upkeep: u64,
}

impl Default for OctreeDetector {
    fn default() -> Self {
        Self::new(OctreeConfig::default())
    }
}

/// The number of an octant: levels one after the other, each in rows.
fn number((level, [x, y, z]): Octant) -> u32 {
    let before = ((1_u64 << (3 * level)) - 1) / 7;
    (before as i64 + (((x << level) + y) << level) + z) as u32
}

/// The octant of a number within its level.
fn octant(level: u32, within: u32) -> Octant {
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
            lattice: None,
            lists: Vec::new(),
            bodies: Vec::new(),
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
    }

    /// The voxels of an octant.
    fn voxels(&self, (level, at): Octant) -> CellBox {
        let shift = self.depth - level;
        CellBox {
            lo: at.map(|c| c << shift),
            hi: at.map(|c| ((c + 1) << shift) - 1),
        }
    }

    /// Writes the largest octants that part the box, ascending.
    fn parts(&mut self, b: &CellBox, out: &mut Vec<u32>) {
        out.clear();
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
        out.sort_unstable();
    }

    fn level(&self, number_of: u32) -> u32 {
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
        if !is_large {
            self.parts(&new, &mut now);
        }
        self.large.set(slot, is_large);
        let before = std::mem::take(&mut self.bodies[at].octants);
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
                    let level = self.level(old);
                    self.references[level as usize] -= 1;
                }
                (_, Some(&new)) => {
                    k += 1;
                    self.lists[new as usize].push(slot);
                    let level = self.level(new);
                    self.references[level as usize] += 1;
                }
                _ => {}
            }
        }
    }
}

impl Detector for OctreeDetector {
    const NAME: &'static str = "octree";

    fn entered(&mut self, bodies: &BodyTable, slot: u32) {
        make_room(&mut self.bodies, slot, NOTHING);
        self.place(bodies, slot);
    }

    fn left(&mut self, _: &BodyTable, slot: u32) {
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
                            let (p, q) = (
                                &self.bodies[x as usize].voxels,
                                &self.bodies[y as usize].voxels,
                            );
                            let is_owner = (0..3).all(|k| {
                                let corner = p.lo[k].max(q.lo[k]);
                                voxels.lo[k] <= corner && corner <= voxels.hi[k]
                            });
                            if !is_owner {
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
                let level = self.level(at);
                covered += self
                    .voxels(octant(level, at - number((level, [0; 3]))))
                    .count();
                if !self.lists[at as usize].contains(&slot) {
                    return Err(format!("slot {slot} is not on octant {at}"));
                }
            }
            let is_large = self.large.contains(slot);
            if !is_large && covered != body.voxels.count() {
                return Err(format!("slot {slot} hangs on {covered} voxels"));
            }
        }
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
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.upkeep,
            entries: self.references.iter().sum::<usize>() as u64,
        }
    }
}
