//! Deforming scenes: all collisions and self-collisions of faces that move independently.
//!
//! **Question.** Which faces of a deforming scene meet, between objects and within one, frame after frame?
//! **Idea.** A [`Scene`] holds all faces of all objects; its vertices move with [`Scene::advance`]. A [`SceneEngine`] finds the
//! pairs of faces that meet. All engines decide a pair by the same exact test, so that they differ in
//! speed alone. [`Auto`] is the one to begin with.
//! **Promise.** Exact, sorted, the same for any engine, thread count and history of frames. Neighbours are reported only if they
//! meet beyond the corner or edge that they share. A frame that is refused leaves the scene as it was.
//! **Limits.** One frame at a time: what happens between two frames is the query of [`step`].
//!
//! ```
//! use impinge::deform::{BruteForce, PairKind, Scene, SceneEngine};
//! use impinge::{DVec3, TriMesh};
//! let sheet = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
//! let mut scene = Scene::new(&[sheet.clone(), sheet])?;
//! let mut frame = scene.positions().to_vec();
//! frame[3].z = -0.5;
//! frame[4].z = 0.5;
//! scene.advance(&frame)?;
//! let answer = BruteForce::default().pairs(&scene, &Default::default());
//! assert_eq!(answer.pairs[0].kind, PairKind::Between);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod auto_engine;
mod brute_force;
mod bsp;
pub mod clustering;
mod contact_details;
mod engine;
mod engines;
mod face_boxes;
mod hashed_grid;
mod kd_tree;
mod narrow_phase;
mod refit;
mod scene;
mod separation_filters;
pub mod step;
mod sweep_and_prune;
mod vertex_stars;

pub use answer::{PairKind, SceneAnswer, SceneCounters, SceneDetail, ScenePair};
pub use auto_engine::{Auto, AutoChoice, AutoReason};
pub use brute_force::BruteForce;
pub use bsp::Bsp;
pub use clustering::{Clustering, ClusteringOptions};
pub use engine::{SceneEngine, SceneRequest};
pub use engines::{SceneEngineKind, scene_engines};
pub use hashed_grid::{HashedGrid, MAX_CELLS};
pub use kd_tree::SceneKdTree;
pub use refit::{RefitBvhEngine, RefitMode, RefitOptions};
pub use scene::{FrameError, Scene, SceneError, Welded};
pub use sweep_and_prune::SweepAndPrune;
