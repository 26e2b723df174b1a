//! Soft bodies from meshes, and several bodies as one.
//!
//! **Idea.** A stuffed body has a particle in its middle. Edges of the mesh resist stretching, pairs of vertices across an edge resist
//! bending, and each face keeps the signed volume of its tetrahedron with the middle: these sum to the volume of the mesh, star-shaped
//! or not. A membrane has the edges and what is across them alone, and no middle. Joined bodies are solved together, so contacts between them push both.

use impinge::{DVec3, TriMesh};

use super::body::{Constraint, SoftBody, SoftConfig};
use super::error::{SoftError, at_least};

/// Material of a stuffed body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffedDesc {
    /// Mass of the body, in kg.
    pub mass: f64,
    /// Compliance of the edges, in m/N.
    pub stretch: f64,
    /// Compliance against bending, in m/N.
    pub bend: f64,
    /// Compliance of the distances to the middle, in m/N.
    pub stuffing: f64,
    /// Compliance of the volumes.
    pub volume: f64,
}

impl Default for StuffedDesc {
    fn default() -> Self {
        Self {
            mass: 0.1,
            stretch: 1e-4,
            bend: 1e-2,
            stuffing: 0.2,
            volume: 0.0,
        }
    }
}

/// Material of a membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneDesc {
    /// Mass of the body, in kg.
    pub mass: f64,
    /// Compliance of the edges, in m/N.
    pub stretch: f64,
    /// Compliance against bending, in m/N.
    pub bend: f64,
}

impl Default for MembraneDesc {
    fn default() -> Self {
        Self {
            mass: 0.1,
            stretch: 1e-4,
            bend: 1e-2,
        }
    }
}

impl SoftBody {
    /// A mesh, open or closed, as a soft sheet without volume: its vertices are the particles.
    ///
    /// # Errors
    /// [`SoftError`] for numbers out of range, or a mesh that crosses itself while `config.self_contact` is on.
    ///
    /// ```
    /// use impinge::generate;
    /// use impinge_dynamics::soft::{MembraneDesc, SoftBody, SoftConfig};
    /// let netting = generate::netting(5, 5, 0.25, 1)?;
    /// let body = SoftBody::membrane(&netting, &MembraneDesc::default(), SoftConfig::default())?;
    /// assert_eq!(body.positions().len(), netting.vertex_count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn membrane(
        mesh: &TriMesh,
        desc: &MembraneDesc,
        config: SoftConfig,
    ) -> Result<Self, SoftError> {
        let points = mesh.positions();
        let mass = at_least("mass", desc.mass, f64::MIN_POSITIVE)? / points.len().max(1) as f64;
        let constraints = surface_constraints(points, mesh.faces(), [desc.stretch, desc.bend]);
        let masses = vec![mass; points.len()];
        Self::new(points, &masses, constraints, mesh.faces().to_vec(), config)
    }

    /// A closed mesh as a soft body: its vertices are the first particles, the last one is its middle.
    ///
    /// # Errors
    /// [`SoftError`] for numbers out of range, or a mesh that crosses itself while `config.self_contact` is on.
    ///
    /// ```
    /// use impinge::generate;
    /// use impinge_dynamics::soft::{SoftBody, SoftConfig, StuffedDesc};
    /// let ball = generate::icosphere(0.1, 4)?;
    /// let body = SoftBody::stuffed(&ball, &StuffedDesc::default(), SoftConfig::default())?;
    /// assert_eq!(body.positions().len(), ball.vertex_count() + 1);
    /// let [now, rest] = body.volumes();
    /// assert!(now == rest && now > 0.003);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stuffed(
        mesh: &TriMesh,
        desc: &StuffedDesc,
        config: SoftConfig,
    ) -> Result<Self, SoftError> {
        let mut points = mesh.positions().to_vec();
        let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let center = points.len() as u32;
        points.push(middle);
        let mass = at_least("mass", desc.mass, f64::MIN_POSITIVE)? / points.len() as f64;
        let at = |i: u32| points.get(i as usize).copied().unwrap_or_default();
        let mut constraints = Vec::new();
        for &[a, b, c] in mesh.faces() {
            let [u, v, w] = [a, b, c].map(|i| at(i) - middle);
            constraints.push(Constraint::Volume {
                corners: [center, a, b, c],
                rest: u.dot(v.cross(w)) / 6.0,
                compliance: desc.volume,
            });
        }
        let material = [desc.stretch, desc.bend];
        constraints.extend(surface_constraints(&points, mesh.faces(), material));
        constraints.extend((0..center).map(|i| distance(&points, [center, i], desc.stuffing)));
        let masses = vec![mass; points.len()];
        Self::new(&points, &masses, constraints, mesh.faces().to_vec(), config)
    }

    /// Several bodies as one, in order, with their velocities and pins. Obstacles are left out.
    ///
    /// # Errors
    /// [`SoftError::Crossing`] when bodies cross each other; [`SoftError`] for settings out of range.
    ///
    /// ```
    /// use impinge::{Pose, generate};
    /// use impinge_dynamics::soft::{SoftBody, SoftConfig, SoftError, StuffedDesc};
    /// let ball = generate::icosphere(0.1, 4)?;
    /// let one = SoftBody::stuffed(&ball, &StuffedDesc::default(), SoftConfig::default())?;
    /// let apart = ball.placed(&Pose::from_translation([0.3, 0.0, 0.0])?)?;
    /// let two = SoftBody::stuffed(&apart, &StuffedDesc::default(), SoftConfig::default())?;
    /// let both = SoftBody::joined(&[one.clone(), two], SoftConfig::default())?;
    /// assert_eq!(both.faces().len(), 2 * ball.face_count());
    /// let twice = SoftBody::joined(&[one.clone(), one], SoftConfig::default());
    /// assert!(matches!(twice, Err(SoftError::Crossing { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn joined(bodies: &[Self], config: SoftConfig) -> Result<Self, SoftError> {
        let (mut points, mut masses) = (Vec::new(), Vec::new());
        let (mut constraints, mut faces) = (Vec::new(), Vec::new());
        let (mut velocities, mut pinned) = (Vec::new(), Vec::new());
        for body in bodies {
            let first = points.len() as u32;
            let own = body.positions().len();
            let inverse = body.inverse_masses.iter().take(own).enumerate();
            let held = inverse.filter(|(_, inverse)| **inverse <= 0.0);
            pinned.extend(held.map(|(i, _)| i + points.len()));
            points.extend_from_slice(body.positions());
            masses.extend(body.masses.iter().take(own));
            velocities.extend_from_slice(body.velocities());
            constraints.extend(body.constraints().iter().map(|c| c.shifted(first)));
            faces.extend(body.faces().iter().map(|face| face.map(|i| i + first)));
        }
        let mut all = Self::new(&points, &masses, constraints, faces, config)?;
        all.set_velocities(&velocities)?;
        for particle in pinned {
            all.pin(particle)?;
        }
        Ok(all)
    }
}

/// Two particles keep the distance that they have.
fn distance(points: &[DVec3], ends: [u32; 2], compliance: f64) -> Constraint {
    let at = |i: u32| points.get(i as usize).copied().unwrap_or_default();
    Constraint::Distance {
        ends,
        rest: at(ends[0]).distance(at(ends[1])),
        compliance,
    }
}

/// The edges of faces, and the pairs of vertices across an edge that two faces share.
fn surface_constraints(
    points: &[DVec3],
    faces: &[[u32; 3]],
    [stretch, bend]: [f64; 2],
) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    // Each edge with the vertex opposite to it, by face.
    let mut sides = Vec::with_capacity(3 * faces.len());
    for &[a, b, c] in faces {
        for (p, q, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
            sides.push(([p.min(q), p.max(q)], opposite));
        }
    }
    sides.sort_unstable();
    for edge in sides.chunk_by(|s, t| s.0 == t.0) {
        if let Some((ends, _)) = edge.first() {
            constraints.push(distance(points, *ends, stretch));
        }
        if let [(_, a), (_, b)] = *edge
            && a != b
        {
            constraints.push(distance(points, [a, b], bend));
        }
    }
    constraints
}
