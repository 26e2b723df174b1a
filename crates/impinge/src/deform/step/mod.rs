//! CCD of a deforming scene: all impacts of a step in which every vertex moves linearly.
//!
//! **Question.** Which vertices meet which faces, which edges meet which edges, when, and when is the first of all?
//! **Idea.** Boxes around faces over the whole step find pairs of faces. A pair asks for its six vertex–face and nine edge–edge contacts, but each
//! vertex and each edge is requested by one of its faces only. [`ccd::linear`](crate::ccd::linear) decides exactly. Most
//! pairs are neighbours; a separating direction or projection that holds during the whole step settles them before (see `apart.rs`).
//! A region whose normals stay within a cone and whose border, seen along it, never meets itself is not searched at all (see `regions.rs`).
//! **Source.** Provot 1997; the rule of one owner as in Curtis et al. 2008.
//! **Promise.** No impact of features that share no vertex is missed and none invented. The bracket of the first holds the first contact of the step.
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
