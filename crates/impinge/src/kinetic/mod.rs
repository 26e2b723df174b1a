//! Kinetic data structures for deforming meshes: trees and separation lists that are valid at all
//! times.
//!
//! Vertices move along known [`Keyframes`]; boxes name vertices instead of coordinates and change
//! only at events. Weller 2012, chapter 3. What happens between two keys is decided exactly; with
//! few frames between keys refitting is faster, and [`AutoMaintainedTree`] chooses.
//! `docs/algorithms/kinetic.md`.
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
//! // Candidates for a collision check: faces whose boxes overlap now, of the cloth with itself and with a copy in the same place.
//! let (mut own, mut others) = (0, 0);
//! tree.meeting_itself(&flight, |_, _| own += 1);
//! tree.meeting(&tree, &flight, |_, _| others += 1);
//! assert_eq!(others, 2 * own + cloth.face_count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod auto_maintained_tree;
mod box_gap;
mod bvtt_front;
mod error;
mod event_estimate;
mod event_heap;
mod event_loop;
mod event_queue;
mod feature_contact;
mod keyframes;
mod kinetic_aabb_tree;
mod kinetic_box_tree;
mod kinetic_dop_tree;
mod kinetic_interval_tree;
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
mod tree_traversal;

pub use auto_maintained_tree::AutoMaintainedTree;
pub use error::KineticError;
pub use event_heap::{Event, EventHeap};
pub use feature_contact::{ContactFeatures, FeatureContact};
pub use keyframes::Keyframes;
pub use kinetic_aabb_tree::KineticAabbTree;
pub use kinetic_box_tree::KineticBoxTree;
pub use kinetic_dop_tree::KineticDopTree;
pub use kinetic_interval_tree::IntervalTree;
pub use kinetic_node::KineticNode;
pub use kinetic_structure::{Kinetic, KineticCounts, Progress};
pub use maintenance::{Maintenance, MaintenanceCost, MaintenanceReason};
pub use refit::RefitTree;
pub use scalar_refit::ScalarRefitTree;
pub use scheduler::{Response, Scheduler};
pub use separation_list::{ListCounts, SeparationList};
pub use swept_boxes::{SweepCounts, SweptBoxes};
