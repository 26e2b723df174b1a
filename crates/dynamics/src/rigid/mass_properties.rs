//! Mass, centre of mass and inertia of solids.

use std::f64::consts::PI;

use impinge::convex::{Polyhedron, SupportMap};
use impinge::pair::Shape;
use impinge::{DMat3, DVec3, Pose, mesh};

use super::error::{RigidError, at_least};

/// Mass, centre of mass and inertia of a body, in the frame of its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// The mass in kg.
    pub mass: f64,
    /// The centre of mass.
    pub center: DVec3,
    /// The inertia tensor about the centre of mass, along the axes of the shape.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Those of a solid of uniform density, in kg/m³. A compound counts parts that overlap twice.
    ///
    /// # Errors
    /// [`RigidError`] for a density that is not positive, a shape that bounds no solid, or a mesh without
    /// volume.
    ///
    /// ```
    /// use impinge::convex::Cuboid;
    /// use impinge_dynamics::rigid::MassProperties;
    /// let cube = MassProperties::of(&Cuboid::new([0.5, 0.5, 0.5])?.into(), 6.0)?;
    /// assert!((cube.mass - 6.0).abs() < 1e-12 && (cube.inertia.x_axis.x - 1.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(shape: &Shape, density: f64) -> Result<Self, RigidError> {
        at_least("density", density, f64::MIN_POSITIVE)?;
        let unit = unit_density(shape)?;
        Self {
            mass: unit.mass * density,
            center: unit.center,
            inertia: unit.inertia * density,
        }
        .checked()
    }

    /// The same body, with its mass changed and its inertia in proportion.
    ///
    /// # Errors
    /// [`RigidError::OutOfRange`] for a mass that is not positive.
    ///
    /// ```
    /// use impinge::convex::Ball;
    /// use impinge_dynamics::rigid::MassProperties;
    /// let ball = MassProperties::of(&Ball::new(1.0)?.into(), 1.0)?.with_mass(5.0)?;
    /// assert!((ball.inertia.z_axis.z - 2.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_mass(self, mass: f64) -> Result<Self, RigidError> {
        at_least("mass", mass, f64::MIN_POSITIVE)?;
        Self {
            mass,
            center: self.center,
            inertia: self.inertia * (mass / self.mass),
        }
        .checked()
    }

    /// The properties, if a body can have them.
    pub(super) fn checked(self) -> Result<Self, RigidError> {
        at_least("mass", self.mass, f64::MIN_POSITIVE)?;
        if !self.center.is_finite() || !self.inertia.is_finite() {
            return Err(RigidError::Inertia);
        }
        let [a, b, c] = [
            self.inertia.x_axis,
            self.inertia.y_axis,
            self.inertia.z_axis,
        ];
        let size = a.x.abs() + b.y.abs() + c.z.abs();
        let skew = (a.y - b.x).abs() + (b.z - c.y).abs() + (c.x - a.z).abs();
        // Sylvester's criterion.
        let minor = a.x * b.y - a.y * b.x;
        let definite = a.x > 0.0 && minor > 0.0 && self.inertia.determinant() > 0.0;
        if !definite || skew > 1e-9 * size || !self.inertia.inverse().is_finite() {
            return Err(RigidError::Inertia);
        }
        Ok(self)
    }

    /// The properties in another frame.
    fn placed(self, pose: &Pose) -> Self {
        let r = *pose.rotation();
        Self {
            mass: self.mass,
            center: *pose * self.center,
            inertia: r * self.inertia * r.transpose(),
        }
    }
}

/// `m (d·d 1 − d dᵀ)`: what moving the reference point by `d` adds (Steiner).
fn steiner(mass: f64, d: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    (DMat3::from_diagonal(DVec3::splat(d.dot(d))) - outer) * mass
}

fn diagonal(mass: f64, inertia: DVec3) -> MassProperties {
    MassProperties {
        mass,
        center: DVec3::ZERO,
        inertia: DMat3::from_diagonal(inertia * mass),
    }
}

/// How far a shape reaches along the axes.
fn reach(shape: &impl SupportMap) -> DVec3 {
    DVec3::new(
        shape.support(DVec3::X, 0).point.x,
        shape.support(DVec3::Y, 0).point.y,
        shape.support(DVec3::Z, 0).point.z,
    )
}

fn unit_density(shape: &Shape) -> Result<MassProperties, RigidError> {
    Ok(match shape {
        Shape::Ball(ball) => {
            let r = ball.radius();
            diagonal(4.0 / 3.0 * PI * r * r * r, DVec3::splat(0.4 * r * r))
        }
        Shape::Cuboid(cuboid) => {
            let h = cuboid.half_extent();
            let s = h * h / 3.0;
            let inertia = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y);
            diagonal(8.0 * h.x * h.y * h.z, inertia)
        }
        Shape::Ellipsoid(ellipsoid) => {
            let h = reach(ellipsoid);
            let s = h * h / 5.0;
            let inertia = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y);
            diagonal(4.0 / 3.0 * PI * h.x * h.y * h.z, inertia)
        }
        Shape::Cylinder(cylinder) => {
            let far = reach(cylinder);
            let (r, h) = (far.x, far.z);
            let across = r * r / 4.0 + h * h / 3.0;
            diagonal(
                2.0 * PI * r * r * h,
                DVec3::new(across, across, 0.5 * r * r),
            )
        }
        Shape::Cone(cone) => {
            let far = reach(cone);
            let (r, height) = (far.x, 2.0 * far.z);
            let across = 3.0 / 20.0 * r * r + 3.0 / 80.0 * height * height;
            let inertia = DVec3::new(across, across, 0.3 * r * r);
            MassProperties {
                center: DVec3::new(0.0, 0.0, -0.25 * height),
                ..diagonal(PI * r * r * height / 3.0, inertia)
            }
        }
        Shape::Capsule(capsule) => capsule_mass(capsule),
        Shape::Polyhedron(polyhedron) if polyhedron.dimension() == 3 => polyhedron_mass(polyhedron),
        Shape::Mesh(of) => {
            let found = mesh::mass(of.mesh())?;
            // A mesh that is inside out has everything negative.
            let sign = found.volume.signum();
            MassProperties {
                mass: found.volume * sign,
                center: found.centroid,
                inertia: found.inertia * sign,
            }
        }
        Shape::Compound(compound) => {
            let mut parts = Vec::with_capacity(compound.children().len());
            for child in compound.children() {
                parts.push(unit_density(&child.shape)?.placed(&child.compound_from_child));
            }
            let mass: f64 = parts.iter().map(|part| part.mass).sum();
            if parts.is_empty() {
                return Err(RigidError::NoSolid { kind: shape.kind() });
            }
            let center = parts.iter().map(|p| p.center * p.mass).sum::<DVec3>() / mass;
            let inertia = parts.iter().fold(DMat3::ZERO, |sum, part| {
                sum + part.inertia + steiner(part.mass, part.center - center)
            });
            MassProperties {
                mass,
                center,
                inertia,
            }
        }
        _ => return Err(RigidError::NoSolid { kind: shape.kind() }),
    })
}

/// A cylinder and two half-balls.
fn capsule_mass(capsule: &impl SupportMap) -> MassProperties {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let ends = axes.map(|axis| {
        (
            capsule.support(axis, 0).point,
            capsule.support(-axis, 0).point,
        )
    });
    // An axis that the capsule is perpendicular to may give one end twice.
    let (mut from, mut to) = ends[0];
    for (p, q) in ends {
        if p.distance_squared(q) > from.distance_squared(to) {
            (from, to) = (p, q);
        }
    }
    let (r, length) = (capsule.radius(), from.distance(to));
    let tube = PI * r * r * length;
    let caps = 4.0 / 3.0 * PI * r * r * r;
    let along = tube * 0.5 * r * r + caps * 0.4 * r * r;
    let across = tube * (length * length / 12.0 + r * r / 4.0)
        + caps * (0.4 * r * r + 0.375 * r * length + 0.25 * length * length);
    let axis = (to - from).try_normalize().unwrap_or(DVec3::Z);
    let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
    MassProperties {
        mass: tube + caps,
        center: (from + to) * 0.5,
        inertia: DMat3::from_diagonal(DVec3::splat(across)) + outer * (along - across),
    }
}

/// The sum of tetrahedra between the first vertex and the faces.
fn polyhedron_mass(polyhedron: &Polyhedron) -> MassProperties {
    let vertices = polyhedron.vertices();
    let at = |v: u32| vertices.get(v as usize).copied().unwrap_or_default();
    let origin = at(0);
    let (mut volume, mut first) = (0.0, DVec3::ZERO);
    let mut second = DMat3::ZERO;
    for face in 0..polyhedron.face_count() as u32 {
        let corners = polyhedron.face(face);
        let Some((&apex, rest)) = corners.split_first() else {
            continue;
        };
        for edge in rest.windows(2) {
            let [a, b, c] = [
                at(apex) - origin,
                at(edge[0]) - origin,
                at(edge[1]) - origin,
            ];
            let six = a.dot(b.cross(c));
            let sum = a + b + c;
            volume += six / 6.0;
            first += sum * (six / 24.0);
            // ∫ x xᵀ over the tetrahedron 0 a b c is six/120 (Σ v vᵀ + s sᵀ).
            for v in [a, b, c, sum] {
                second += DMat3::from_cols(v * v.x, v * v.y, v * v.z) * (six / 120.0);
            }
        }
    }
    let center = first / volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let about_origin = DMat3::from_diagonal(DVec3::splat(trace)) - second;
    MassProperties {
        mass: volume,
        center: origin + center,
        inertia: about_origin - steiner(volume, center),
    }
}
