//! CCD of a deforming scene: all impacts of a step in which every vertex moves linearly.
//!
//! Vertex–face and edge–edge contacts, decided exactly by [`ccd::linear`](crate::ccd::linear), and
//! a bracket of the first. Provot 1997; each feature is tested by one of its faces, as in Curtis et
//! al. 2008. Features that share a vertex are not tested. `docs/algorithms/deforming-scenes.md`.
//!
//! ```
//! use impinge::deform::{Scene, step::step};
//! use impinge::{DVec3, TriMesh};
//! let plate = TriMesh::from_points([[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]], [[0, 1, 2]])?;
//! let above = plate.positions().iter().map(|&p| p * 0.1 + DVec3::Z);
//! let falling = TriMesh::new(above.collect(), vec![[0, 1, 2]])?;
//! let scene = Scene::new(&[plate, falling])?;
//! let mut end = scene.positions().to_vec();
//! for p in &mut end[3..] {
//!     p.z = -3.0;
//! }
//! let answer = step(&scene, &end, &Default::default())?;
//! let first = answer.first.ok_or("no impact")?;
//! assert!(first.lower <= 0.25 && 0.25 <= first.upper && answer.impacts.len() == 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod feature_owners;
mod normal_cones;
mod pseudo_continuous;
mod step_query;

pub use answer::{
    ContactFeatures, MinSeparation, StepAnswer, StepCounters, StepImpact, StepOptions,
};
pub use pseudo_continuous::pseudo_continuous;
pub use step_query::{StepQuery, step, step_of_pairs};
