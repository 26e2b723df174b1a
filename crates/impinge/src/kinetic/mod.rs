//! Kinetic data structures for deforming meshes: trees and separation lists that are valid at all times.
//!
//! **Question.** A mesh deforms by known flight plans. What are the boxes of its tree at any time, which pairs of boxes would a search look
//! at, and which features touch, in order of time?
//! **Idea.** A side of a box is stored as the number of a vertex, not as a coordinate. It stays valid until another vertex overtakes it: an event,
//! whose time follows from the plans. Between events nothing has to be done, however many frames are drawn. One level up, the front of a
//! simultaneous traversal is maintained the same way: pairs change when boxes begin or cease to overlap.
//! **Source.** Weller, 2012, chapter 3 (kinetic AABB tree, BoxTree, separation list; DOP and interval tree as dead ends). Departures and
//! errors are in `docs/algorithms/kinetic.md` and `docs/errata.md`.
//! **Cost.** An event costs O(log² n) for trees. Their number does not depend on frames: for linear motion at most n − 1 for a node
//! with n vertices and direction. None under translation and scaling.
//! **Promise.** Whether something happens between two keys is decided exactly, by comparing key values; only its time is rounded. At
//! keys, boxes are exact; between keys they are right up to rounding. Contacts of linear pieces are decided exactly by
//! [`ccd::linear`](crate::ccd::linear); none is missed and none invented. No plan makes events go round within an instant.
//! **Limits.** Plans must be known ahead, at least to the next key ([`Scheduler::extend`]). A pair of features is reported once between two
//! keys. With few frames between two keys a [`RefitTree`] with vector instructions is faster; [`AutoMaintainedTree`] takes the cheaper of the two.
//!
//! ```
//! use impinge::DVec3;
//! use impinge::kinetic::{Keyframes, Kinetic, KineticAabbTree, KineticNode};
//! let cloth = impinge::generate::cloth(8, 8)?;
//! // Two keys: flat, and sagging in the middle.
//! let sag = |p: &DVec3| DVec3::new(p.x, p.y, p.x * p.x + p.y * p.y);
//! let sagging: Vec<DVec3> = cloth.positions().iter().map(sag).collect();
//! let flight = Keyframes::new(&[0.0, 1.0], &[cloth.positions(), &sagging])?;
//! let mut tree = KineticAabbTree::new(&flight, cloth.faces())?;
//! for frame in 1..=10 {
//!     tree.advance(&flight, 0.1 * frame as f64)?;
//! }
//! assert_eq!(tree.bounds(&flight, KineticNode::ROOT).unwrap().max.z, 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aabb_tree;
mod auto_maintained_tree;
mod box_gap;
mod box_tree;
mod bvtt_front;
mod dop_tree;
mod error;
mod event_estimate;
mod event_heap;
mod event_loop;
mod event_queue;
mod feature_contact;
mod interval_tree;
mod keyframes;
mod kinetic_node;
mod kinetic_structure;
mod kinetic_tournament;
mod list_events;
mod list_update;
mod list_validate;
mod maintenance;
mod refit;
mod scalar_refit;
mod scheduler;
mod separation_list;
mod swept_boxes;
mod topology;
mod trajectories;

pub use aabb_tree::KineticAabbTree;
pub use auto_maintained_tree::AutoMaintainedTree;
pub use box_tree::KineticBoxTree;
pub use dop_tree::KineticDopTree;
pub use error::KineticError;
pub use event_heap::{Event, EventHeap};
pub use feature_contact::{ContactFeatures, FeatureContact};
pub use interval_tree::IntervalTree;
pub use keyframes::Keyframes;
pub use kinetic_node::KineticNode;
pub use kinetic_structure::{Kinetic, KineticCounts, Progress};
pub use maintenance::{Maintenance, MaintenanceCost, MaintenanceReason};
pub use refit::RefitTree;
pub use scalar_refit::ScalarRefitTree;
pub use scheduler::{Response, Scheduler};
pub use separation_list::{ListCounts, SeparationList};
pub use swept_boxes::{SweepCounts, SweptBoxes};
