//! Tight boxes of a turning polyhedron, from the extreme vertices of the pose before.
//!
//! **Question.** Which box along the axes of the world does a polyhedron need in this pose?
//! **Idea.** The vertices farthest along six directions are found by climbing from those of the pose before. In small steps hardly any
//! changes, whatever their number.
//! **Source.** Zachmann 1994, future work.
//! **Cost.** Six climbs; in small steps a few products each.
//! **Promise.** The box contains every placed vertex. It is larger than the smallest one by rounding and by the bound on the error
//! of a climb at most.

use glam::DVec3;

use super::polyhedron::Polyhedron;
use super::support_map::SupportMap;
use crate::bound::Aabb;
use crate::math::Pose;

/// Rounding of a placed coordinate, relative to the largest one.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The extreme vertices of a polyhedron in its last pose.
///
/// ```
/// use impinge::{DVec3, Pose, convex::{Polyhedron, TightBox}};
/// let rod = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::X + 0.1 * DVec3::Y, DVec3::X + 0.1 * DVec3::Z])?;
/// let mut tight = TightBox::default();
/// for degrees in 0..90 {
///     let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], f64::from(degrees).to_radians(), [5.0, 0.0, 0.0])?;
///     let bounds = tight.placed(&rod, &pose);
///     assert!(rod.vertices().iter().all(|&v| bounds.contains(pose * v)));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TightBox {
    /// Along x, −x, y, −y, z and −z of the world.
    extreme: [u32; 6],
}

impl TightBox {
    /// The box in this pose; it remembers the extreme vertices.
    #[must_use]
    pub fn placed(&mut self, shape: &Polyhedron, world_from_shape: &Pose) -> Aabb {
        let turned = world_from_shape.rotation().transpose();
        let is_certain = shape.is_certain() || !shape.hill_climbing_error().is_finite();
        let mut bounds = Aabb::EMPTY;
        for (number, extreme) in self.extreme.iter_mut().enumerate() {
            let axis = DVec3::AXES[number / 2];
            let along = turned * if number % 2 == 0 { axis } else { -axis };
            let support = if is_certain {
                shape.support_certain(along)
            } else {
                shape.support(along, *extreme)
            };
            *extreme = support.vertex;
            bounds = bounds.union(&Aabb::enclosing([*world_from_shape * support.point]));
        }
        let error = if is_certain {
            0.0
        } else {
            // Directions are of unit length up to rounding.
            1.001 * shape.hill_climbing_error()
        };
        let far = bounds.min.abs().max(bounds.max.abs()).max_element();
        let size = shape.bounds().min.abs().max(shape.bounds().max.abs());
        bounds.inflated(error + ROUNDING * (far + size.max_element()))
    }
}
