//! CCD candidates between two frames.
//!
//! **Question.** Which vertices and faces, and which edges, meet while all vertices move on straight lines?
//! **Idea.** The card sweeps the boxes of faces over the step, with half of a distance to be kept on every side. The library decides vertex against face and
//! edge against edge for the pairs that are left, exactly.
//! **Promise.** The impacts of [`impinge::deform::step::step`]: the candidates hold all pairs of faces whose boxes over the step overlap.
//! **Limits.** One cluster.

use glam::DVec3;
use impinge::deform::step::{StepAnswer, StepOptions, StepQuery, step_of_pairs};
use impinge::deform::{FrameError, Scene, SceneRequest};

use super::engine::{FrameReport, GpuOptions, GpuScene};
use super::frame::Ends;
use crate::{Backend, GpuError};

/// Finds impacts step by step on a card.
///
/// ```
/// use impinge::deform::{step::step, Scene};
/// use impinge::DVec3;
/// use impinge_gpu::{scene::GpuStep, Backend};
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::X + DVec3::Z, DVec3::Y + DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 1])?;
/// let end: Vec<DVec3> = points.iter().map(|p| if p.z > 0.5 { *p - DVec3::Z * 2.0 } else { *p }).collect();
/// let answer = GpuStep::on(Backend::twin())?.step(&scene, &end, &Default::default())?;
/// assert_eq!(answer.impacts, step(&scene, &end, &Default::default())?.impacts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuStep {
    scene: GpuScene,
    cpu: StepQuery,
}

impl GpuStep {
    /// On this backend.
    ///
    /// # Errors
    /// None as yet; those of [`GpuScene::on`].
    pub fn on(backend: Backend) -> Result<Self, GpuError> {
        let mut scene = GpuScene::on(backend, GpuOptions::default())?;
        scene.is_step = true;
        Ok(Self {
            scene,
            cpu: StepQuery::default(),
        })
    }

    /// All impacts of the step from the scene as it is to its vertices at `end`. A device that fails is replaced by the CPU, and
    /// [`GpuStep::reason`] says so.
    ///
    /// # Errors
    /// As [`impinge::deform::step::step`].
    pub fn step(
        &mut self,
        scene: &Scene,
        end: &[DVec3],
        options: &StepOptions,
    ) -> Result<StepAnswer, FrameError> {
        // What is wrong with the step is said before anything is uploaded.
        step_of_pairs(scene, end, options, &[])?;
        let request = SceneRequest {
            within: options.within,
            between: options.between,
            ..SceneRequest::default()
        };
        let ends = Ends {
            positions: end,
            reach: options.separation.map_or(0.0, |kept| kept.distance),
        };
        match self.scene.search(scene, &request, Some(ends)) {
            Ok(found) => step_of_pairs(scene, end, options, &found.pairs),
            Err(_) => self.cpu.step(scene, end, options),
        }
    }

    /// That the CPU answered, and why; `None` while the card answers.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        self.scene.said()
    }

    /// What the last step took.
    #[must_use]
    pub fn last_frame(&self) -> FrameReport {
        self.scene.last_frame()
    }

    /// Loses the device after this many kernels more.
    pub fn lose_device_after(&mut self, kernels: u64) {
        self.scene.lose_device_after(kernels);
    }
}
