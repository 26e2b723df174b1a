//! Engines that [`impinge`] is compared with: those of the theses it is based on, and those that
//! were slower in a measurement.
//!
//! They are complete and correct, and pass the tests of every engine. They are not in the library
//! because no default path needs them. Each implements the library's own traits, so that tools,
//! tests and benchmarks treat them alike.
//!
//! | module | what it holds |
//! |---|---|
//! | [`engines`] | every engine for two meshes by name: the library's and those of this crate |
//! | [`box_tree`] | trees whose boxes are the root's box, cut again and again (1994) |
//! | [`edge_polygon`] | edges against polygons, without a tree (1994) |
//! | [`convex`] | separating planes by the perceptron rule, Monte-Carlo, edges clipped by half-spaces |
//! | [`spheres`] | packings of balls as first published |
//! | [`volume`] | the volume that two solids share, by clipping tetrahedra |
//! | [`z_buffer`] | two solids compared pixel by pixel along one direction |
//!
//! ```
//! use impinge::pair::PairConfig;
//! use impinge_study::engines::{BOX_TREE, mesh_engine};
//! assert_eq!(mesh_engine("box-tree"), Some(BOX_TREE));
//! // Wherever the library takes an engine.
//! let config = PairConfig { engine: Some(BOX_TREE), ..PairConfig::default() };
//! # assert!(config.engine.is_some());
//! ```

pub mod box_tree;
pub mod convex;
pub mod edge_polygon;
pub mod engines;
mod own_faces;
pub mod spheres;
pub mod volume;
pub mod z_buffer;
