//! Quasi-static virtual coupling: the tool in equilibrium between the spring and the contact.

use impinge::query::Limits;
use impinge::{DVec3, Pose};

use super::matrix6::{Matrix6, solve};
use super::{CouplingStiffness, ToolStep, moved};
use crate::Wrench;
use crate::law::ContactLaw;

/// Maximum number of evaluations of the law in one tick.
pub const MAX_NEWTON_STEPS: usize = 8;

/// Equilibrium is reached when the residual is below this fraction of the acting wrench.
const BALANCED: f64 = 1e-9;

/// A tool without mass.
///
/// Each step is a Newton step; the derivative of the law is updated by Broyden's method from
/// evaluation to evaluation and from tick to tick, so that the law is not evaluated for
/// derivatives.
///
/// ```
/// use impinge::{DVec3, Pose, query::Limits};
/// use impinge_dynamics::{Wrench, coupling::{CouplingStiffness, QuasiStaticCoupling}};
/// use impinge_dynamics::law::{ContactLaw, ContactResponse};
/// struct Floor;
/// impl ContactLaw for Floor {
///     fn at(&mut self, pose: &Pose, _: Limits<'_>) -> ContactResponse {
///         let depth = (-pose.translation().y).max(0.0);
///         let wrench = Wrench::from_force(DVec3::Y * (4000.0 * depth));
///         ContactResponse { wrench, stiffness: 4000.0, ..ContactResponse::NONE }
///     }
/// }
/// let above = Pose::from_translation([0.0, 0.1, 0.0])?;
/// let mut tool = QuasiStaticCoupling::new(CouplingStiffness::new(1000.0, 1.0)?, above);
/// let step = tool.update(&mut Floor, &Pose::from_translation([0.0, -0.01, 0.0])?, Limits::default());
/// // Two springs in a row: 1000 · 4000 / 5000 N/m.
/// assert!((step.wrench.force - DVec3::Y * 8.0).length() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "virtual coupling")]
#[derive(Clone, Debug)]
pub struct QuasiStaticCoupling {
    stiffness: CouplingStiffness,
    world_from_tool: Pose,
    /// The derivative of the law's wrench by movement and turn, as known so far.
    law: Matrix6,
    /// A length that makes rotations comparable with translations.
    arm: f64,
}

impl QuasiStaticCoupling {
    /// A tool at a pose.
    #[must_use]
    pub fn new(stiffness: CouplingStiffness, world_from_tool: Pose) -> Self {
        Self {
            stiffness,
            world_from_tool,
            law: [[0.0; 6]; 6],
            arm: libm::sqrt(stiffness.rotation / stiffness.translation),
        }
    }

    /// The springs.
    #[must_use]
    pub fn stiffness(&self) -> CouplingStiffness {
        self.stiffness
    }

    /// The pose of the tool.
    #[must_use]
    pub fn world_from_tool(&self) -> Pose {
        self.world_from_tool
    }

    /// Brings the tool into equilibrium with the device and the law.
    pub fn update(
        &mut self,
        law: &mut impl ContactLaw,
        world_from_device: &Pose,
        limits: Limits<'_>,
    ) -> ToolStep {
        let mut pose = self.world_from_tool;
        let mut response = law.at(&pose, limits);
        let mut evaluations = 1;
        let left = |pose: &Pose, contact: &Wrench| {
            let pull = self.stiffness.pull(world_from_device, pose);
            (pull + *contact, self.size(&pull).max(self.size(contact)))
        };
        let (mut rest, mut acting) = left(&pose, &response.wrench);
        let mut best = (pose, response.wrench, self.size(&rest), acting);
        let mut matrix = self.law;
        if response.wrench == Wrench::ZERO {
            matrix = [[0.0; 6]; 6];
        } else if matrix == [[0.0; 6]; 6] {
            seed(&mut matrix, response.wrench.force, response.stiffness);
        }
        let mut share = 1.0;
        while evaluations < MAX_NEWTON_STEPS && self.size(&rest) > BALANCED * acting {
            let Some(step) = self.newton_step(&matrix, &rest) else {
                break;
            };
            let step = step.map(|x| x * share);
            let (movement, turn) = parts(&step);
            let next = moved(&pose, movement, turn);
            let found = law.at(&next, limits);
            evaluations += 1;
            let before = response.wrench;
            if before == Wrench::ZERO && found.wrench != Wrench::ZERO {
                // First touch: what the law tells about itself is better than no derivative.
                seed(&mut matrix, found.wrench.force, found.stiffness);
            } else {
                self.learn(&mut matrix, &step, before, found.wrench);
            }
            let (next_rest, next_acting) = left(&next, &found.wrench);
            (pose, response, rest, acting) = (next, found, next_rest, next_acting);
            let size = self.size(&rest);
            if size < best.2 {
                best = (pose, response.wrench, size, acting);
                share = 1.0;
            } else {
                // A law that bends: go on from the best pose by less.
                share *= 0.5;
                pose = best.0;
                response.wrench = best.1;
                (rest, acting) = left(&pose, &response.wrench);
            }
        }
        self.law = matrix;
        self.world_from_tool = best.0;
        ToolStep {
            world_from_tool: best.0,
            wrench: -self.stiffness.pull(world_from_device, &best.0),
            contact: best.1,
            evaluations,
            residual: if best.3 > 0.0 { best.2 / best.3 } else { 0.0 },
        }
    }

    /// The size of a wrench, torques in newtons at the arm.
    fn size(&self, wrench: &Wrench) -> f64 {
        let torque = wrench.torque / self.arm;
        (wrench.force.length_squared() + torque.length_squared()).sqrt()
    }

    fn newton_step(&self, law: &Matrix6, rest: &Wrench) -> Option<[f64; 6]> {
        let CouplingStiffness {
            translation,
            rotation,
        } = self.stiffness;
        let mut matrix = *law;
        for (i, row) in matrix.iter_mut().enumerate() {
            for entry in row.iter_mut() {
                *entry = -*entry;
            }
            row[i] += if i < 3 { translation } else { rotation };
        }
        solve(&matrix, &entries(rest))
    }

    /// Broyden's rule: the least change of the derivative that explains the last step.
    fn learn(&self, matrix: &mut Matrix6, step: &[f64; 6], before: Wrench, after: Wrench) {
        let change = entries(&(after - before));
        let mut weighted = *step;
        for turn in weighted.iter_mut().skip(3) {
            *turn *= self.arm * self.arm;
        }
        let length_sq: f64 = step.iter().zip(weighted).map(|(a, b)| a * b).sum();
        if length_sq <= 0.0 {
            return;
        }
        for (row, change) in matrix.iter_mut().zip(change) {
            let told: f64 = row.iter().zip(step).map(|(a, b)| a * b).sum();
            let error = (change - told) / length_sq;
            for (entry, w) in row.iter_mut().zip(weighted) {
                *entry += error * w;
            }
        }
    }
}

/// A derivative that falls along the force.
fn seed(matrix: &mut Matrix6, force: DVec3, stiffness: f64) {
    *matrix = [[0.0; 6]; 6];
    let along = force.normalize_or_zero().to_array();
    for (row, x) in matrix.iter_mut().zip(along) {
        for (entry, y) in row.iter_mut().zip(along) {
            *entry = -stiffness * x * y;
        }
    }
}

fn entries(wrench: &Wrench) -> [f64; 6] {
    let (f, t) = (wrench.force, wrench.torque);
    [f.x, f.y, f.z, t.x, t.y, t.z]
}

fn parts(step: &[f64; 6]) -> (DVec3, DVec3) {
    let [a, b, c, d, e, f] = *step;
    (DVec3::new(a, b, c), DVec3::new(d, e, f))
}
