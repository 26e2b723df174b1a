//! The loop: detect hits, move the clay, keep what must be kept.

use std::sync::Arc;

use impinge::{DVec3, Pose};

use super::SculptError;
use super::check::{SelfCollision, is_crumpled, relax};
use super::clay::Clay;
use super::hits::{HitList, PartHits, ToolMotion, detect};
use super::operator::{Operator, field, hit_faces, swelling};
use super::patch::Patch;
use super::repair::{Repair, RepairReport};
use super::split::Split;
use super::tool::Tool;
use super::volume::restore_volume;

/// How often a displacement that was refused is halved and tried again.
const HALVINGS: u32 = 4;
/// The vicinity of the plain operator, in radii of the part: where displaced clay goes.
const PLAIN_VICINITY: f64 = 1.0;

/// When hits are detected.
///
/// ```
/// use impinge_dynamics::sculpt::Mode;
/// assert_eq!(Mode::default().name(), "serial");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Detection, then response, on one thread.
    #[default]
    Serial,
    /// As [`Mode::Serial`], each part of the tool on a thread of its own. The answers are the same.
    Parallel,
    /// Detection of this frame while the response to the last one runs: the clay follows one frame
    /// later. The answers are the same for any number of threads.
    Concurrent,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Serial, Self::Parallel, Self::Concurrent];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Parallel => "parallel",
            Self::Concurrent => "concurrent",
        }
    }
}

/// How clay is sculpted.
///
/// ```
/// use impinge_dynamics::sculpt::{Operator, SculptOptions};
/// let plain = SculptOptions::published(0.01);
/// assert_eq!(plain.operator, Operator::Plain { step: 0.01 });
/// assert!(plain.repair.is_some() && !plain.keep_volume);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SculptOptions {
    /// When hits are detected.
    pub mode: Mode,
    /// How clay moves.
    pub operator: Operator,
    /// Keeps dihedral angles in a range.
    pub repair: Option<Repair>,
    /// Whether the volume stays the same: clay that is pressed in swells beside the tool.
    pub keep_volume: bool,
    /// Whether faces are relaxed, and displacements refused that make them thin or fold them.
    pub no_crumpling: bool,
    /// Splits large faces where they are hit.
    pub split: Option<Split>,
    /// Whether displacements are refused that let the clay intersect itself.
    pub guard: bool,
}

impl Default for SculptOptions {
    /// Pressing, with everything that is kept, without repair and splitting.
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            operator: Operator::default(),
            repair: None,
            keep_volume: true,
            no_crumpling: true,
            split: None,
            guard: true,
        }
    }
}

impl SculptOptions {
    /// The operator of the thesis with its repair, and nothing else.
    #[must_use]
    pub fn published(step: f64) -> Self {
        Self {
            mode: Mode::Serial,
            operator: Operator::Plain { step },
            repair: Some(Repair::default()),
            keep_volume: false,
            no_crumpling: false,
            split: None,
            guard: false,
        }
    }

    fn check(&self) -> Result<(), SculptError> {
        self.operator.check()?;
        self.repair.as_ref().map_or(Ok(()), Repair::check)?;
        self.split.as_ref().map_or(Ok(()), Split::check)
    }
}

/// What a frame did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Parts of the tool that hit the clay.
    pub parts: usize,
    /// Faces that were hit.
    pub hit_faces: usize,
    /// Vertices that moved.
    pub moved: usize,
    /// Edges that were split.
    pub splits: usize,
    /// What the repair did.
    pub repair: RepairReport,
    /// The part of the displacement that was allowed: 1 for all of it, 0 when it was refused or there
    /// was none.
    pub allowed: f64,
    /// Whether a displacement was refused altogether.
    pub is_refused: bool,
}

/// Clay, a tool, and the response of one to the other.
///
/// ```
/// use impinge::Pose;
/// use impinge_dynamics::sculpt::{Clay, Pot, SculptOptions, Sculptor, Tool, ToolKind};
/// let clay = Clay::new(&Pot::Ball.mesh(2000)?)?;
/// let volume = clay.volume();
/// let tool = Tool::new(ToolKind::Fingertip, 1.0)?;
/// let mut sculptor = Sculptor::new(clay, tool, SculptOptions::default())?;
/// sculptor.begin_stroke();
/// let mut moved = 0;
/// for frame in 0..20 {
///     let tip = Pose::from_translation([0.0, 0.0, 1.1 - 0.02 * f64::from(frame)])?;
///     moved += sculptor.frame(&tip).moved;
/// }
/// assert!(moved > 0);
/// assert!((sculptor.clay().volume() / volume - 1.0).abs() < 1e-9);
/// sculptor.undo();
/// assert_eq!(sculptor.clay().mesh(), Pot::Ball.mesh(2000)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[doc(alias = "sculpting")]
pub struct Sculptor {
    clay: Clay,
    tool: Tool,
    options: SculptOptions,
    world_from_clay: Pose,
    /// The tool in the clay's frame at the last frame.
    before: Option<Pose>,
    hits: HitList,
    volume: f64,
    self_collision: SelfCollision,
}

impl Sculptor {
    /// Clay and a tool.
    ///
    /// # Errors
    /// [`SculptError`] when an option is out of range, or the guard is on and the clay intersects
    /// itself already.
    pub fn new(clay: Clay, tool: Tool, options: SculptOptions) -> Result<Self, SculptError> {
        let mut sculptor = Self {
            volume: clay.volume(),
            clay,
            tool,
            options,
            world_from_clay: Pose::IDENTITY,
            before: None,
            hits: HitList::default(),
            self_collision: SelfCollision::default(),
        };
        sculptor.set_options(options)?;
        Ok(sculptor)
    }

    /// Sets other options. The volume to be kept is the current one.
    ///
    /// # Errors
    /// As [`Sculptor::new`]; the options stay as they were.
    pub fn set_options(&mut self, options: SculptOptions) -> Result<(), SculptError> {
        options.check()?;
        if options.guard && self.intersects_itself() {
            return Err(SculptError::SelfIntersecting);
        }
        self.options = options;
        self.volume = self.clay.volume();
        Ok(())
    }

    /// Sets another tool. Its travel counts from its next frame.
    pub fn set_tool(&mut self, tool: Tool) {
        self.tool = tool;
        self.lift();
    }

    /// Discards the last pose of the tool, as when it is lifted and put down elsewhere.
    pub fn lift(&mut self) {
        self.before = None;
        self.hits = HitList::default();
    }

    /// Moves the pot, as a potter's wheel does.
    pub fn set_pose(&mut self, world_from_clay: &Pose) {
        self.world_from_clay = *world_from_clay;
    }

    /// The pose of the pot.
    #[must_use]
    pub fn pose(&self) -> &Pose {
        &self.world_from_clay
    }

    /// The clay.
    #[must_use]
    pub fn clay(&self) -> &Clay {
        &self.clay
    }

    /// The clay, to be changed by other means. The volume to be kept is that of the next
    /// [`Sculptor::set_options`].
    pub fn clay_mut(&mut self) -> &mut Clay {
        &mut self.clay
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &SculptOptions {
        &self.options
    }

    /// Trees of patches that were built so far.
    #[must_use]
    pub fn trees_built(&self) -> u64 {
        self.clay.patches.built()
    }

    /// Begins a stroke, which [`Sculptor::undo`] takes back as a whole, and lifts the tool.
    pub fn begin_stroke(&mut self) {
        self.clay.begin_stroke();
        self.lift();
    }

    /// Takes back the latest stroke. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        self.lift();
        let is_undone = self.clay.undo();
        if !self.options.keep_volume {
            self.volume = self.clay.volume();
        }
        is_undone
    }

    /// Whether any two faces of the clay meet beyond what they share, exactly.
    #[must_use]
    pub fn intersects_itself(&mut self) -> bool {
        let all: Vec<u32> = (0..self.clay.faces().len() as u32).collect();
        self.self_collision.any(&self.clay, &all)
    }

    /// Moves the tool and lets the clay respond. In [`Mode::Concurrent`] it responds to the hits of
    /// the frame before.
    pub fn frame(&mut self, world_from_tool: &Pose) -> FrameReport {
        let now = self.world_from_clay.inverse() * *world_from_tool;
        let before = self.before.replace(now).unwrap_or(now);
        let operator = self.options.operator;
        let motion = ToolMotion {
            now,
            before,
            at: if matches!(operator, Operator::Drag { .. }) {
                before
            } else {
                now
            },
            finds_dents: matches!(operator, Operator::Press { .. }),
        };
        self.clay
            .patches
            .refresh(&self.clay.positions, &self.clay.faces);
        let patches = self.clay.patches.snapshot();
        match self.options.mode {
            Mode::Serial | Mode::Parallel => {
                let is_parallel = self.options.mode == Mode::Parallel;
                let found = detect(&patches, &self.tool, &motion, is_parallel);
                found.into_iter().for_each(|hits| self.hits.add(hits));
                self.hits.swap();
                let hits = self.hits.reading().to_vec();
                self.respond(hits)
            }
            Mode::Concurrent => self.overlapped(&patches, &motion),
        }
    }

    /// Detection beside the response to what was detected before.
    fn overlapped(&mut self, patches: &[Arc<Patch>], motion: &ToolMotion) -> FrameReport {
        self.hits.swap();
        let hits = self.hits.reading().to_vec();
        let tool = self.tool.clone();
        let (found, report) = both(
            || detect(patches, &tool, motion, false),
            || self.respond(hits),
        );
        found.into_iter().for_each(|hits| self.hits.add(hits));
        report
    }

    fn respond(&mut self, mut hits: Vec<PartHits>) -> FrameReport {
        // Faces may be gone since a concurrent detection.
        let count = self.clay.faces().len();
        hits.iter_mut()
            .for_each(|hit| hit.faces.retain(|&face| (face as usize) < count));
        let mut report = FrameReport {
            parts: hits.len(),
            ..FrameReport::default()
        };
        if let Some(split) = &self.options.split {
            report.splits = split.run(&mut self.clay, &mut hits);
        }
        report.hit_faces = hit_faces(&hits).len();
        let offsets = field(&self.clay, &self.options.operator, &hits);
        if !offsets.is_empty() {
            self.displace(&hits, &offsets, &mut report);
        }
        if !self.options.keep_volume && report.moved > 0 {
            self.volume = self.clay.volume();
        }
        if self.clay.strokes() == 0 {
            self.clay.forget();
        }
        report
    }

    /// Applies as much of a displacement as is allowed.
    fn displace(&mut self, hits: &[PartHits], offsets: &[(u32, DVec3)], report: &mut FrameReport) {
        let mark = self.clay.mark();
        let start = self.clay.positions().to_vec();
        let mut scale = 1.0;
        for _ in 0..=HALVINGS {
            let moves: Vec<(u32, DVec3)> = offsets
                .iter()
                .map(|&(v, offset)| (v, start[v as usize] + offset * scale))
                .collect();
            self.clay.place(&moves);
            if self.is_finished(hits, &moves, mark, &start, report) {
                report.allowed = scale;
                report.moved = self.clay.moved_since(mark).len();
                return;
            }
            self.clay.roll_back(mark);
            scale *= 0.5;
        }
        report.is_refused = true;
    }

    /// Relaxes, repairs and swells displaced clay; returns whether the result is allowed.
    fn is_finished(
        &mut self,
        hits: &[PartHits],
        moves: &[(u32, DVec3)],
        mark: u64,
        start: &[DVec3],
        report: &mut FrameReport,
    ) -> bool {
        let options = self.options;
        if options.no_crumpling {
            let vertices: Vec<u32> = moves.iter().map(|&(v, _)| v).collect();
            relax(&mut self.clay, &vertices);
        }
        if let Some(repair) = &options.repair {
            let moved = self.clay.moved_since(mark);
            let changed = self.clay.faces_around_all(&moved);
            report.repair = repair.run(&mut self.clay, &changed);
        }
        if options.keep_volume {
            let vicinity = match options.operator {
                Operator::Plain { .. } => PLAIN_VICINITY,
                Operator::Press { vicinity } | Operator::Drag { vicinity } => vicinity,
            };
            let moved: Vec<u32> = moves.iter().map(|&(v, _)| v).collect();
            let field = swelling(&self.clay, vicinity, hits, &moved);
            let radius = hits.iter().fold(0.0_f64, |most, hit| most.max(hit.radius));
            if !restore_volume(&mut self.clay, &field, self.volume, radius) {
                return false;
            }
        }
        if !options.no_crumpling && !options.guard {
            return true;
        }
        let moved = self.clay.moved_since(mark);
        let changed = self.clay.faces_around_all(&moved);
        !(options.no_crumpling && is_crumpled(&self.clay, &changed, start)
            || options.guard && self.self_collision.any(&self.clay, &changed))
    }
}

#[cfg(feature = "parallel")]
fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(a, b)
}

#[cfg(not(feature = "parallel"))]
fn both<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}
