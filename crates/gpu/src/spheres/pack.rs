//! Sphere packing on the card.
//!
//! **Question.** Which balls fill a closed mesh, largest first?
//! **Idea.** A grid of cells covers the interior. Each cell has a prototype that moves away from the nearest obstacle, 50 steps, all cells in
//! parallel on the card; the walls and balls that may be nearest are listed for each cell. Of the positions found, those with nearly the
//! largest clearance that do not touch each other become balls. Only cells that a new ball changes are processed again. When the
//! clearances get small compared with the cells, each cell is split into eight.
//! **Source.** Weller's Protosphere on the graphics card; the batches are ours.
//! **Promise.** The card only proposes positions. The host refines each position in `f64` and computes the radius from the exact surface and all
//! other balls, rounded down: balls are disjoint and inside.

use std::f64::consts::PI;

use glam::DVec3;
use impinge::bvh::MeshIndex;
use impinge::spheres::{
    Interior, MeshSolid, PackEnd, PackError, PackOptions, PackWork, Packing, SolidBall,
};

use super::ascend::{PACK_ASCEND, STEPS};
use super::cell::{Cell, Room};
use crate::kernel::Dispatch;
use crate::{Backend, Buffer, GpuError};

/// How often the room is cut in eight before the first ascent.
const FIRST_CUTS: usize = 3;
/// Cells at most; they are not cut further then.
const MAX_CELLS: usize = 1 << 20;
/// Cells are cut when the largest clearance is below this fraction of their side.
const CUT_BELOW: f64 = 0.7;
/// Balls of a batch have at least this fraction of the largest clearance.
const BATCH: f64 = 0.93;
/// A position is accepted when its exact radius is at least this fraction of the estimate.
const KEPT: f64 = 0.98;
/// Smaller clearances are not looked for, in half sides of the solid.
const LEAST: f64 = 1e-4;

/// Packs balls on a card.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{MeshSolid, PackOptions}};
/// use impinge_gpu::{spheres::GpuPacker, Backend};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
/// let solid = MeshSolid::new(&tree)?;
/// let options = PackOptions { count: Some(1), ..Default::default() };
/// let packing = GpuPacker::new(Backend::twin()).pack(&solid, &options)?;
/// assert!((packing.balls[0].radius - 0.5).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuPacker {
    backend: Backend,
}

impl GpuPacker {
    /// On this backend.
    #[must_use]
    pub fn new(backend: Backend) -> Self {
        Self { backend }
    }

    /// Where it runs.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// The packing of a mesh.
    ///
    /// # Errors
    /// [`GpuError::Refused`] for what [`impinge::spheres::pack`] refuses, and what the device says.
    pub fn pack(
        &mut self,
        solid: &MeshSolid<'_>,
        options: &PackOptions,
    ) -> Result<Packing, GpuError> {
        check(options).map_err(refused)?;
        let mut search = Search::new(solid).map_err(refused)?;
        let end = search.run(&mut self.backend, options)?;
        if search.balls.is_empty() && options.count != Some(0) {
            let thinner_than = 2.0 * LEAST * search.scale;
            return Err(refused(PackError::NoInterior { thinner_than }));
        }
        search.balls.sort_by(|x, y| y.radius.total_cmp(&x.radius));
        Ok(Packing {
            balls: search.balls,
            solid_volume: solid.volume(),
            end,
            work: search.work,
        })
    }
}

fn refused(error: PackError) -> GpuError {
    GpuError::Refused(error.to_string())
}

fn check(options: &PackOptions) -> Result<(), PackError> {
    match (options.fill, options.min_radius, options.count) {
        (Some(value), ..) if !(value > 0.0 && value < 1.0) => Err(PackError::BadFill { value }),
        (_, Some(value), _) if !(value > 0.0 && value.is_finite()) => {
            Err(PackError::BadRadius { value })
        }
        (None, None, None) => Err(PackError::Endless),
        _ => Ok(()),
    }
}

struct Search<'s, 't> {
    solid: &'s MeshSolid<'t>,
    /// Where the middle of the cube is, and how long its half side.
    origin: DVec3,
    scale: f64,
    room: Room,
    cells: Vec<Cell>,
    balls: Vec<SolidBall>,
    filled: f64,
    work: PackWork,
}

impl<'s, 't> Search<'s, 't> {
    fn new(solid: &'s MeshSolid<'t>) -> Result<Self, PackError> {
        let bounds = solid.bounds();
        let origin = 0.5 * (bounds.min + bounds.max);
        let scale = 0.5 * (bounds.max - bounds.min).max_element();
        if !(scale > 0.0 && scale.is_finite() && origin.is_finite()) {
            return Err(PackError::NoSize);
        }
        let mesh = solid.tree().mesh();
        let place = |v: u32| {
            let p = mesh.positions().get(v as usize).copied();
            (p.unwrap_or_default() - origin) / scale
        };
        let walls: Vec<[DVec3; 3]> = mesh.faces().iter().map(|face| face.map(place)).collect();
        let all = (0..walls.len() as u32).collect();
        let root = Cell {
            middle: DVec3::ZERO,
            half: 1.0,
            walls: all,
            balls: Vec::new(),
            reach: f64::INFINITY,
            is_inner: false,
            best: None,
            is_stale: true,
        };
        Ok(Self {
            solid,
            origin,
            scale,
            room: Room {
                walls,
                balls: Vec::new(),
            },
            cells: vec![root],
            balls: Vec::new(),
            filled: 0.0,
            work: PackWork::default(),
        })
    }

    fn run(&mut self, backend: &mut Backend, options: &PackOptions) -> Result<PackEnd, GpuError> {
        for _ in 0..FIRST_CUTS {
            self.cut();
        }
        loop {
            if options.count.is_some_and(|count| self.balls.len() >= count) {
                return Ok(PackEnd::Count);
            }
            self.ascend(backend)?;
            let clearance = |cell: &Cell| cell.best.map_or(0.0, |best| best.1);
            let largest = self.cells.iter().map(clearance).fold(0.0, f64::max);
            let side = 2.0 * self.cells.first().map_or(0.0, |cell| cell.half);
            if largest < CUT_BELOW * side && 8 * self.cells.len() <= MAX_CELLS && side > LEAST {
                self.cut();
                continue;
            }
            if largest <= LEAST {
                return Ok(PackEnd::Full);
            }
            if options
                .min_radius
                .is_some_and(|least| largest * self.scale < least)
            {
                return Ok(PackEnd::MinRadius);
            }
            if let Some(end) = self.insert(largest, options) {
                return Ok(end);
            }
        }
    }

    fn world(&self, p: DVec3) -> DVec3 {
        self.origin + p * self.scale
    }

    /// Cuts all cells in eight and drops those that lie outside.
    fn cut(&mut self) {
        let solid = self.solid;
        let parts = self.cells.iter().flat_map(|cell| {
            (0..8).filter_map(|corner| {
                let was_inner = cell.is_inner;
                let part = cell.part(&self.room, corner)?;
                // A cell that no wall comes near lies on one side.
                let is_new = part.is_inner && !was_inner;
                (!is_new || solid.contains(self.world(part.middle))).then_some(part)
            })
        });
        self.cells = parts.collect();
        self.work.levels += 1;
        self.work.cells += self.cells.len();
    }

    /// A place in the cell that is free and inside.
    fn start(&self, cell: &Cell) -> Option<DVec3> {
        let free = cell.starts().filter(|&p| {
            let is_inside = cell.is_inner || self.solid.contains(self.world(p));
            is_inside && cell.clearance(&self.room, p) > 0.0
        });
        free.max_by(|&p, &q| {
            let [p, q] = [p, q].map(|p| cell.clearance(&self.room, p));
            p.total_cmp(&q)
        })
    }

    /// Moves the prototypes of all cells that changed.
    fn ascend(&mut self, backend: &mut Backend) -> Result<(), GpuError> {
        let stale = |(i, cell): (usize, &Cell)| {
            let start = if cell.is_stale {
                self.start(cell)
            } else {
                None
            };
            Some((i, start?))
        };
        let moving: Vec<(usize, DVec3)> = self.cells.iter().enumerate().filter_map(stale).collect();
        for cell in &mut self.cells {
            cell.is_stale = false;
        }
        if moving.is_empty() {
            return Ok(());
        }
        self.work.ascents += moving.len();
        let mut words = Words::default();
        for &(i, start) in &moving {
            if let Some(cell) = self.cells.get(i) {
                words.push(cell, start);
            }
        }
        let mut held = Vec::new();
        let found = ascended(backend, &self.room, &words, &mut held);
        for buffer in held {
            backend.free(buffer);
        }
        for ((i, _), best) in moving.iter().zip(found?.chunks_exact(4)) {
            let &[x, y, z, far] = best else { continue };
            let [x, y, z, far] = [x, y, z, far].map(|word| f64::from(f32::from_bits(word)));
            if let Some(cell) = self.cells.get_mut(*i)
                && far > 0.0
            {
                cell.best = Some((DVec3::new(x, y, z), far));
            }
        }
        Ok(())
    }

    /// The largest radius at a place that is certain, in the frame of the solid.
    fn certified(&self, center: DVec3) -> f64 {
        let down = 1.0 - 8.0 * f64::EPSILON;
        if !self.solid.contains(center) {
            return 0.0;
        }
        let wall = (self.solid.closest_point(center) - center).length();
        let mut radius = wall * down - self.solid.error();
        for ball in &self.balls {
            radius = radius.min((center.distance(ball.center) * down - ball.radius) * down);
        }
        radius * down
    }

    /// Balls of nearly the largest clearance that do not touch each other; the end, if that is reached.
    fn insert(&mut self, largest: f64, options: &PackOptions) -> Option<PackEnd> {
        let mut ready: Vec<(f64, usize)> = (self.cells.iter().enumerate())
            .filter_map(|(i, cell)| Some((cell.best?.1, i)))
            .filter(|&(far, _)| far >= BATCH * largest)
            .collect();
        ready.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let before = self.room.balls.len();
        let mut end = None;
        for (far, i) in ready {
            let Some(cell) = self.cells.get(i) else {
                continue;
            };
            let Some((p, _)) = cell.best else { continue };
            let is_taken = (self.room.balls.iter().skip(before))
                .any(|&(center, radius)| p.distance(center) < (far + radius) * (1.0 - 1e-6));
            if is_taken {
                continue;
            }
            let p = cell.polished(&self.room, p);
            let center = self.world(p);
            let radius = self.certified(center);
            if radius < KEPT * far * self.scale {
                // Less than it seemed: it waits for its turn.
                if let Some(cell) = self.cells.get_mut(i) {
                    let far = radius / self.scale;
                    cell.best = (far > LEAST).then_some((p, far));
                }
                continue;
            }
            let ball = SolidBall { center, radius };
            self.filled += 4.0 / 3.0 * PI * radius * radius * radius;
            self.balls.push(ball);
            self.room.balls.push((p, radius / self.scale));
            if options.count.is_some_and(|count| self.balls.len() >= count) {
                end = Some(PackEnd::Count);
            } else if options
                .fill
                .is_some_and(|fill| self.filled >= fill * self.solid.volume())
            {
                end = Some(PackEnd::Fill);
            }
            if end.is_some() {
                return end;
            }
        }
        let new: Vec<(u32, DVec3, f64)> = (self.room.balls.iter().enumerate().skip(before))
            .map(|(id, &(center, radius))| (id as u32, center, radius))
            .collect();
        self.cells.retain_mut(|cell| {
            !new.iter()
                .any(|&(id, center, radius)| cell.add(id, center, radius))
        });
        None
    }
}

/// Cells and their lists as words.
#[derive(Debug, Default)]
struct Words {
    cells: Vec<u32>,
    walls: Vec<u32>,
    balls: Vec<u32>,
    prototypes: Vec<u32>,
}

impl Words {
    fn push(&mut self, cell: &Cell, start: DVec3) {
        let real = |x: f64| (x as f32).to_bits();
        self.cells.extend(cell.middle.to_array().map(real));
        let from = [self.walls.len(), self.balls.len()];
        self.walls.extend(&cell.walls);
        self.balls.extend(&cell.balls);
        let to = [self.walls.len(), self.balls.len()];
        self.cells.push(real(cell.half));
        let [walls, balls] = from.map(|at| at as u32);
        let [walls_end, balls_end] = to.map(|at| at as u32);
        self.cells.extend([walls, walls_end, balls, balls_end]);
        self.prototypes.extend(start.to_array().map(real));
        self.prototypes.push(0);
    }
}

/// The best places of all prototypes, with their clearances.
fn ascended(
    backend: &mut Backend,
    room: &Room,
    words: &Words,
    held: &mut Vec<Buffer>,
) -> Result<Vec<u32>, GpuError> {
    let real = |x: f64| (x as f32).to_bits();
    let walls: Vec<u32> = (room.walls.iter().flatten())
        .flat_map(|p| p.to_array().map(real))
        .collect();
    let balls: Vec<u32> = (room.balls.iter())
        .flat_map(|&(c, r)| [c.x, c.y, c.z, r].map(real))
        .collect();
    let lists = [
        &walls,
        &words.walls,
        &balls,
        &words.balls,
        &words.cells,
        &words.prototypes,
    ];
    let mut bound = Vec::new();
    for list in lists {
        let buffer = backend.upload(list)?;
        held.push(buffer);
        bound.push(buffer);
    }
    let count = (words.cells.len() / 8) as u32;
    let dispatch = Dispatch::new(PACK_ASCEND.groups(count), &[count, STEPS]);
    backend.run(&PACK_ASCEND, &dispatch, &bound)?;
    let prototypes = bound.last().copied().ok_or(crate::backend::UNKNOWN)?;
    backend.read(prototypes, 0..words.prototypes.len())
}
