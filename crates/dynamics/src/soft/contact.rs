//! Contacts of a soft body, from the impacts of a step.

use impinge::DVec3;
use impinge::deform::step::{ContactFeatures, StepImpact};
use impinge::geom::{closest_point_on_triangle, segment_parameters};

/// Four particles that come too close: a vertex and a face, or two edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoftContact {
    particles: [u32; 4],
    /// How each moves the distance: positive on one side, negative on the other, adding up to 0.
    weights: [f64; 4],
    normal: DVec3,
    distance: f64,
    impulse: f64,
}

/// The variables of the solver.
pub(super) struct Moving<'a> {
    pub(super) velocities: &'a mut [DVec3],
    pub(super) inverse_masses: &'a [f64],
}

impl SoftContact {
    /// The contact where the features are nearest before the step.
    pub(super) fn new(
        impact: &StepImpact,
        faces: &[[u32; 3]],
        positions: &[DVec3],
    ) -> Option<Self> {
        let at = |i: u32| positions.get(i as usize).copied();
        match impact.features {
            ContactFeatures::VertexFace { vertex, face } => {
                let [a, b, c] = *faces.get(face.index())?;
                let triangle = [at(a)?, at(b)?, at(c)?];
                let p = at(vertex.raw())?;
                let near = closest_point_on_triangle(p, &triangle);
                let [u, v, w] = near.barycentric;
                let across = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
                Some(Self {
                    particles: [vertex.raw(), a, b, c],
                    weights: [1.0, -u, -v, -w],
                    normal: direction(p - near.point, across)?,
                    distance: near.distance,
                    impulse: 0.0,
                })
            }
            ContactFeatures::EdgeEdge { a, b } => {
                let [p, q] = [at(a[0].raw())?, at(a[1].raw())?];
                let [r, s] = [at(b[0].raw())?, at(b[1].raw())?];
                let near = segment_parameters(p, q, r, s);
                let on_a = p * (1.0 - near.s) + q * near.s;
                let on_b = r * (1.0 - near.t) + s * near.t;
                Some(Self {
                    particles: [a[0].raw(), a[1].raw(), b[0].raw(), b[1].raw()],
                    weights: [1.0 - near.s, near.s, near.t - 1.0, -near.t],
                    normal: direction(on_a - on_b, (q - p).cross(s - r))?,
                    distance: near.distance,
                    impulse: 0.0,
                })
            }
        }
    }

    fn relative(&self, moving: &Moving<'_>) -> DVec3 {
        let each = self.particles.into_iter().zip(self.weights);
        each.filter_map(|(i, weight)| Some(*moving.velocities.get(i as usize)? * weight))
            .sum()
    }

    fn push(&self, moving: &mut Moving<'_>, impulse: DVec3) {
        for (i, weight) in self.particles.into_iter().zip(self.weights) {
            let inverse = moving
                .inverse_masses
                .get(i as usize)
                .copied()
                .unwrap_or(0.0);
            if let Some(velocity) = moving.velocities.get_mut(i as usize) {
                *velocity += impulse * (weight * inverse);
            }
        }
    }

    /// Slows the approach so that the distance left after `h` is the thickness; pushes out slowly what is
    /// closer already.
    pub(super) fn solve(&mut self, moving: &mut Moving<'_>, h: f64, thickness: f64, friction: f64) {
        let each = self.particles.into_iter().zip(self.weights);
        let response: f64 = each
            .filter_map(|(i, weight)| {
                let inverse = moving.inverse_masses.get(i as usize)?;
                Some(weight * weight * inverse)
            })
            .sum();
        if response <= 0.0 {
            return;
        }
        let lacking = thickness - self.distance;
        // A tenth of what is lacking at a time, so that nothing is thrown.
        let wanted = if lacking > 0.0 {
            0.1 * lacking / h
        } else {
            lacking / h
        };
        let speed = self.relative(moving);
        let along = speed.dot(self.normal);
        let total = (self.impulse + (wanted - along) / response).max(0.0);
        let change = total - self.impulse;
        self.impulse = total;
        self.push(moving, self.normal * change);
        let slip = speed - self.normal * along;
        let size = slip.length();
        if size > 0.0 && change > 0.0 {
            let most = (friction * change).min(size / response);
            self.push(moving, slip * (-most / size));
        }
    }
}

/// The unit direction of a vector, or of another where it has none.
fn direction(v: DVec3, other: DVec3) -> Option<DVec3> {
    v.try_normalize().or_else(|| other.try_normalize())
}
