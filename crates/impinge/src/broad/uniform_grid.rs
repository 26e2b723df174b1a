//! Uniform grid: each cell has the list of bodies in it.
//!
//! **Question.** Which boxes share a cell, and which of those overlap?
//! **Idea.** A universe is cut into `n³` cells. A body is listed in each cell that its box covers. When it moves and covers the same
//! cells, nothing is done; otherwise only the cells that it entered or left are touched. Two boxes are
//! compared in one cell only: the one at the larger of their lower corners, which both cover.
//! **Source.** Zachmann 1994, section 5.5.
//! **Cost.** A visit of all cells, and the pairs within cells. Memory grows with `n³`.
//! **Promise.** Exactly the overlapping pairs. With [`OrientedCells::Conservative`] pairs of bodies with oriented boxes may be left
//! out when those boxes do not meet; with [`OrientedCells::Stab`], as published, also some that do.
//! **Limits.** Bodies outside the universe are in its outermost cells. A body larger than [`UniformGridDetector::MOST_CELLS`] cells is
//! compared with all others instead.

use super::body_table::{BodyTable, make_room};
use super::broad_phase::{Detector, DetectorPhase, key};
use super::cell_box::{CellBox, Lattice, universe_of};
use super::large_bodies::LargeBodies;
use super::obb_cells;
use super::object::BroadWork;
use crate::bound::Aabb;

/// A regular grid.
#[doc(alias = "uniform grid")]
pub type UniformGrid = DetectorPhase<UniformGridDetector>;

/// Which cells a body with an oriented box covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrientedCells {
    /// Those of its box along the axes.
    #[default]
    Ignore,
    /// Those that rays through the grid's vertices find: as published, and not safe.
    Stab,
    /// All that the oriented box meets, and few more.
    Conservative,
}

/// How an [`UniformGrid`] works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformGridConfig {
    /// Cells along each axis, 1 to 128.
    pub cells: u32,
    /// The box that is cut into cells; `None` takes the one around all bodies at the first query.
    pub universe: Option<Aabb>,
    /// How oriented boxes are handled.
    pub oriented: OrientedCells,
    /// Whether lists have back references, for removal without search: as published; it is slower.
    pub is_doubly_indexed: bool,
    /// Whether a move touches only the cells that differ, instead of all.
    pub uses_difference: bool,
}

impl Default for UniformGridConfig {
    fn default() -> Self {
        Self {
            cells: 16,
            universe: None,
            oriented: OrientedCells::Ignore,
            is_doubly_indexed: false,
            uses_difference: true,
        }
    }
}

impl UniformGrid {
    /// A grid with these options.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, UniformGrid, UniformGridConfig};
    /// let mut grid = UniformGrid::new(UniformGridConfig { cells: 8, ..Default::default() });
    /// assert!(grid.pairs().is_empty() && grid.detector().entries() == 0);
    /// ```
    #[must_use]
    pub fn new(config: UniformGridConfig) -> Self {
        Self::with(UniformGridDetector::new(config))
    }
}

/// A body in a cell.
#[derive(Clone, Copy, Debug)]
struct CellEntry {
    slot: u32,
    /// Where the body's own list names this cell, if lists know each other.
    back: u32,
}

/// A cell in a body's own list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CellSlot {
    cell: u32,
    at: u32,
}

/// What is known of a body.
#[derive(Clone, Debug)]
struct CoveredCells {
    is_listed: bool,
    is_large: bool,
    cells: CellBox,
    /// The cells one by one, when they are not a box or lists know each other.
    places: Vec<CellSlot>,
}

const NOTHING: CoveredCells = CoveredCells {
    is_listed: false,
    is_large: false,
    cells: CellBox::EMPTY,
    places: Vec::new(),
};

/// The detector of [`UniformGrid`].
#[derive(Debug)]
pub struct UniformGridDetector {
    config: UniformGridConfig,
    lattice: Option<Lattice>,
    universe: Aabb,
    cells: Vec<Vec<CellEntry>>,
    bodies: Vec<CoveredCells>,
    large: LargeBodies,
    scratch: Vec<[i64; 3]>,
    /// Of the oriented box that is stabbed.
    rays: Vec<Option<[f64; 2]>>,
    tests: u64,
    upkeep: u64,
}

impl Default for UniformGridDetector {
    fn default() -> Self {
        Self::new(UniformGridConfig::default())
    }
}

impl UniformGridDetector {
    /// A body in more cells than this is kept in a list of its own.
    pub const MOST_CELLS: u64 = 4096;

    fn new(config: UniformGridConfig) -> Self {
        let config = UniformGridConfig {
            cells: config.cells.clamp(1, 128),
            ..config
        };
        let mut lists = Self {
            config,
            lattice: None,
            universe: Aabb::EMPTY,
            cells: Vec::new(),
            bodies: Vec::new(),
            large: LargeBodies::default(),
            scratch: Vec::new(),
            rays: Vec::new(),
            tests: 0,
            upkeep: 0,
        };
        if let Some(universe) = config.universe {
            lists.cut(&universe);
        }
        lists
    }

    /// How many entries all cells have together.
    ///
    /// ```
    /// use impinge::broad::{UniformGrid, UniformGridConfig};
    /// assert_eq!(UniformGrid::new(UniformGridConfig::default()).detector().entries(), 0);
    /// ```
    #[must_use]
    pub fn entries(&self) -> usize {
        self.cells.iter().map(Vec::len).sum()
    }

    fn cut(&mut self, universe: &Aabb) {
        let n = self.config.cells as usize;
        self.universe = *universe;
        self.lattice = Some(Lattice::dividing(universe, self.config.cells));
        self.cells.resize_with(n * n * n, Vec::new);
    }

    fn index(&self, [x, y, z]: [i64; 3]) -> usize {
        let n = self.config.cells as usize;
        (x as usize * n + y as usize) * n + z as usize
    }

    /// Whether bodies keep lists of their cells one by one.
    fn keeps_places(&self) -> bool {
        self.config.is_doubly_indexed || self.config.oriented != OrientedCells::Ignore
    }

    fn place(&mut self, bodies: &BodyTable, slot: u32) {
        let Some(lattice) = self.lattice else { return };
        let b = &bodies.boxes()[slot as usize];
        let new = lattice.covered(b);
        let at = slot as usize;
        let is_large = new.count() > Self::MOST_CELLS;
        let was_listed = self.bodies[at].is_listed;
        let oriented = match bodies.oriented(slot) {
            // Outermost cells reach farther than their size, so only boxes inside the universe are looked at closer.
            Some(obb) if self.universe.contains_box(b) && !is_large => Some(obb),
            _ => None,
        };
        if was_listed && self.bodies[at].is_large == is_large {
            let same = self.bodies[at].cells == new;
            if is_large
                || (same
                    && (oriented.is_none() || self.config.oriented == OrientedCells::Ignore)
                    && !self.keeps_places())
            {
                self.bodies[at].cells = new;
                return;
            }
        }
        if self.keeps_places() || is_large || (was_listed && self.bodies[at].is_large) {
            self.place_one_by_one(&lattice, slot, &new, is_large, oriented);
            return;
        }
        let old = self.bodies[at].cells;
        let (entered, leaving) = if was_listed && self.config.uses_difference {
            (new.without(&old), old.without(&new))
        } else {
            let mut all = [CellBox::EMPTY; 6];
            let mut before = all;
            all[0] = new;
            if was_listed {
                before[0] = old;
            }
            (all, before)
        };
        for cell in leaving.into_iter().flat_map(CellBox::iter) {
            let cell = self.index(cell);
            self.drop_from(cell, slot);
        }
        for cell in entered.into_iter().flat_map(CellBox::iter) {
            let cell = self.index(cell);
            self.cells[cell].push(CellEntry { slot, back: 0 });
            self.upkeep += 1;
        }
        let body = &mut self.bodies[at];
        body.is_listed = true;
        body.cells = new;
    }

    fn drop_from(&mut self, cell: usize, slot: u32) {
        self.upkeep += 1;
        if let Some(at) = self.cells[cell].iter().position(|l| l.slot == slot) {
            self.cells[cell].swap_remove(at);
        }
    }

    fn place_one_by_one(
        &mut self,
        lattice: &Lattice,
        slot: u32,
        new: &CellBox,
        is_large: bool,
        oriented: Option<&crate::bound::Obb>,
    ) {
        let at = slot as usize;
        let mut list = std::mem::take(&mut self.scratch);
        list.clear();
        match (oriented, self.config.oriented) {
            _ if is_large => {}
            (Some(obb), OrientedCells::Conservative) => {
                obb_cells::conservative_obb_cells(lattice, obb, new, &mut list)
            }
            (Some(obb), OrientedCells::Stab) => {
                obb_cells::exact_obb_cells(lattice, obb, new, &mut self.rays, &mut list)
            }
            _ => list.extend(new.iter()),
        }
        let same = {
            let places = &self.bodies[at].places;
            let old = places.iter().map(|p| p.cell as usize);
            self.bodies[at].is_listed
                && !is_large
                && !self.bodies[at].is_large
                && old.eq(list.iter().map(|&c| self.index(c)))
        };
        if !same {
            self.unlist(slot);
            if is_large {
                self.large.set(slot, true);
            } else if self.keeps_places() {
                for &cell in &list {
                    let cell = self.index(cell);
                    let place = CellSlot {
                        cell: cell as u32,
                        at: self.cells[cell].len() as u32,
                    };
                    let back = self.bodies[at].places.len() as u32;
                    self.cells[cell].push(CellEntry { slot, back });
                    self.bodies[at].places.push(place);
                    self.upkeep += 1;
                }
            } else {
                for &cell in &list {
                    let cell = self.index(cell);
                    self.cells[cell].push(CellEntry { slot, back: 0 });
                    self.upkeep += 1;
                }
            }
        }
        self.scratch = list;
        let body = &mut self.bodies[at];
        body.is_listed = true;
        body.is_large = is_large;
        body.cells = *new;
    }

    /// Takes a body out of all its cells.
    fn unlist(&mut self, slot: u32) {
        let at = slot as usize;
        if !self.bodies[at].is_listed {
            return;
        }
        if self.bodies[at].is_large {
            self.large.set(slot, false);
        } else if self.keeps_places() {
            let mut places = std::mem::take(&mut self.bodies[at].places);
            for place in places.drain(..) {
                self.upkeep += 1;
                let cell = place.cell as usize;
                if !self.config.is_doubly_indexed {
                    if let Some(k) = self.cells[cell].iter().position(|l| l.slot == slot) {
                        self.cells[cell].swap_remove(k);
                    }
                    continue;
                }
                // The last entry moves into the hole, and its body is told.
                let hole = place.at as usize;
                self.cells[cell].swap_remove(hole);
                if let Some(moved) = self.cells[cell].get(hole).copied()
                    && let Some(place) = self.bodies[moved.slot as usize]
                        .places
                        .get_mut(moved.back as usize)
                {
                    place.at = hole as u32;
                }
            }
            self.bodies[at].places = places;
        } else {
            for cell in self.bodies[at].cells.iter() {
                let cell = self.index(cell);
                self.drop_from(cell, slot);
            }
        }
        self.bodies[at].is_listed = false;
        self.bodies[at].is_large = false;
    }
}

impl Detector for UniformGridDetector {
    const NAME: &'static str = "grid";

    fn entered(&mut self, bodies: &BodyTable, slot: u32) {
        make_room(&mut self.bodies, slot, NOTHING);
        self.place(bodies, slot);
    }

    fn left(&mut self, _: &BodyTable, slot: u32) {
        self.unlist(slot);
    }

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        if self.lattice.is_none() && bodies.bounded().next().is_some() {
            self.cut(&universe_of(bodies));
            for slot in bodies.bounded() {
                self.place(bodies, slot);
            }
        }
        let boxes = bodies.boxes();
        let n = self.config.cells as usize;
        let is_box = self.config.oriented == OrientedCells::Ignore;
        for (index, cell) in self.cells.iter().enumerate() {
            if cell.len() < 2 {
                continue;
            }
            let own = [index / n / n, index / n % n, index % n].map(|x| x as i64);
            for (i, x) in cell.iter().enumerate() {
                for y in &cell[i + 1..] {
                    let (p, q) = (
                        &self.bodies[x.slot as usize].cells,
                        &self.bodies[y.slot as usize].cells,
                    );
                    let owner = (0..3).all(|k| p.lo[k].max(q.lo[k]) == own[k]);
                    if is_box && !owner {
                        continue;
                    }
                    self.tests += 1;
                    if boxes[x.slot as usize].overlaps(&boxes[y.slot as usize]) {
                        keys.push(key(x.slot, y.slot));
                    }
                }
            }
        }
        self.large.find(bodies, keys, &mut self.tests);
        if !is_box {
            // Bodies may share several cells, none of which is known to be the first.
            keys.sort_unstable();
            keys.dedup();
        }
        !is_box
    }

    fn check(&self, bodies: &BodyTable) -> Result<(), String> {
        let Some(lattice) = &self.lattice else {
            return Ok(());
        };
        let mut entries = 0;
        lattice.check_listed(bodies, |slot| {
            let body = &self.bodies[slot];
            body.is_listed.then_some(body.cells)
        })?;
        for slot in bodies.bounded() {
            let body = &self.bodies[slot as usize];
            if body.is_large {
                continue;
            }
            if self.keeps_places() {
                entries += body.places.len();
                for (back, place) in body.places.iter().enumerate() {
                    let listed = self.cells[place.cell as usize].get(place.at as usize);
                    let doubly = self.config.is_doubly_indexed;
                    if doubly && listed.is_none_or(|l| l.slot != slot || l.back as usize != back) {
                        return Err(format!("slot {slot} and cell {} disagree", place.cell));
                    }
                }
            } else {
                entries += body.cells.count() as usize;
                let missing =
                    |&c: &[i64; 3]| !self.cells[self.index(c)].iter().any(|l| l.slot == slot);
                if let Some(cell) = body.cells.iter().find(missing) {
                    return Err(format!("slot {slot} is not in cell {cell:?}"));
                }
            }
        }
        if entries != self.entries() {
            return Err(format!("{} entries instead of {entries}", self.entries()));
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        let listed: usize = self.cells.iter().map(Vec::capacity).sum();
        let places: usize = self.bodies.iter().map(|b| b.places.capacity()).sum();
        self.cells.capacity() * size_of::<Vec<CellEntry>>()
            + listed * size_of::<CellEntry>()
            + self.bodies.capacity() * size_of::<CoveredCells>()
            + places * size_of::<CellSlot>()
            + self.large.bytes()
            + self.scratch.capacity() * size_of::<[i64; 3]>()
            + self.rays.capacity() * size_of::<Option<[f64; 2]>>()
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.upkeep,
            entries: self.entries() as u64,
        }
    }
}
