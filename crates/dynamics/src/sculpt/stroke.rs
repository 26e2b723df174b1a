//! Strokes: a tool that moves from pose to pose while the pot may turn on its wheel.

use impinge::math::Motion;
use impinge::{DVec3, Pose};

use super::SculptError;
use super::sculptor::{FrameReport, Sculptor};
use crate::quantity;

/// Maximum number of frames of a stroke.
const MAX_FRAMES: usize = 100_000;

/// A path of a tool, from frame to frame.
///
/// ```
/// use impinge::Pose;
/// use impinge_dynamics::sculpt::{Clay, Pot, SculptOptions, Sculptor, Stroke, Tool, ToolKind};
/// let at = |z: f64| Pose::from_translation([0.0, 0.0, z]);
/// let stroke = Stroke::new(&at(1.2)?, &at(0.8)?, 20, 0.0)?;
/// let clay = Clay::new(&Pot::Ball.mesh(500)?)?;
/// let tool = Tool::new(ToolKind::Fingertip, 1.5)?;
/// let mut sculptor = Sculptor::new(clay, tool, SculptOptions::default())?;
/// let report = stroke.run(&mut sculptor);
/// assert_eq!(report.frames, 20);
/// assert!(report.hits > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stroke {
    motion: Motion,
    frames: usize,
    turns: f64,
}

/// What a stroke did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StrokeReport {
    /// Frames.
    pub frames: usize,
    /// Faces hit, added up.
    pub hits: usize,
    /// Vertices moved, added up.
    pub moved: usize,
    /// Edges split.
    pub splits: usize,
    /// Frames whose displacement was made smaller.
    pub reduced: usize,
    /// Frames whose displacement was refused.
    pub refused: usize,
}

impl StrokeReport {
    /// Adds a frame.
    pub fn add(&mut self, frame: &FrameReport) {
        self.frames += 1;
        self.hits += frame.hit_faces;
        self.moved += frame.moved;
        self.splits += frame.splits;
        self.reduced += usize::from(frame.allowed > 0.0 && frame.allowed < 1.0);
        self.refused += usize::from(frame.is_refused);
    }
}

impl Stroke {
    /// From pose to pose in the world, while the pot turns about its z axis so many times.
    ///
    /// # Errors
    /// [`SculptError`] for fewer than 2 or more than 100 000 frames, or turns that are not finite.
    pub fn new(start: &Pose, end: &Pose, frames: usize, turns: f64) -> Result<Self, SculptError> {
        quantity::between("frames of a stroke", frames as f64, 2.0, MAX_FRAMES as f64)?;
        quantity::between("turns of the wheel", turns, -1e6, 1e6)?;
        Ok(Self {
            motion: Motion::between(start, end),
            frames,
            turns,
        })
    }

    /// How many frames it has.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The tool and the pot in the world at a frame.
    #[must_use]
    pub fn at(&self, frame: usize) -> (Pose, Pose) {
        let t = frame.min(self.frames - 1) as f64 / (self.frames - 1) as f64;
        // Whole turns are taken off first, so that the pot ends where it began.
        let turns = self.turns * t;
        let angle = (turns - turns.floor()) * std::f64::consts::TAU;
        let wheel = Pose::from_axis_angle(DVec3::Z, angle, DVec3::ZERO);
        (self.motion.at(t), wheel.unwrap_or(Pose::IDENTITY))
    }

    /// Runs it as one stroke that can be undone. In concurrent mode one more frame answers the last
    /// hits.
    pub fn run(&self, sculptor: &mut Sculptor) -> StrokeReport {
        let mut report = StrokeReport::default();
        sculptor.begin_stroke();
        for frame in 0..self.frames {
            let (tool, pot) = self.at(frame);
            sculptor.set_pose(&pot);
            report.add(&sculptor.frame(&tool));
        }
        report
    }
}
