//! Clash detection: which parts of an assembly collide, and which come too close?
//!
//! **Question.** Among thousands of placed parts, which pairs cross, touch, lie inside each other, are there twice, or
//! keep less than a wanted clearance; and how deep?
//!
//! **Idea.** Boxes widened by half the clearance go through the default [broad phase](crate::broad::DynamicAabbTree). Each pair that is left is
//! decided by the trees of its two meshes: first whether faces cross, then how deep the deepest surface point of one lies in the other, in closed form for
//! convex parts with few faces and by branch and bound for others; where
//! surfaces do not meet, one point of each piece tells containment, and the distance tells the rest. Parts that share a mesh share
//! its tree. Trees are made when they are first needed and dropped, the longest unused first, when they exceed an
//! allowance of memory.
//!
//! **Cost.** That of the pairs whose boxes meet. Pairs are shared among threads.
//!
//! **Promise.** Whether surfaces meet, whether faces cross and whether one closed part lies inside another is exact for the
//! coordinates of `b` placed in the frame of `a`. Depths have bounds. Neither threads nor the allowance of memory change an answer or the order
//! in which clashes are told.
//!
//! **Limits.** Where surfaces meet but no two faces cross each other's planes, parts that overlap by less than a ten-thousandth of their size
//! may be called touching. A part that is not closed has no inside: it contains nothing, and two such parts cross without a known depth.
//!
//! ```
//! use impinge::clash::{ClashKind, ClashOptions, Part, find_clashes};
//! use impinge::{DVec3, Pose, generate::cuboid};
//! use std::sync::Arc;
//! let cube = Arc::new(cuboid(DVec3::ONE, [1; 3])?);
//! let at = |name: &str, x: f64| -> Result<Part, Box<dyn std::error::Error>> {
//!     Ok(Part { name: name.to_owned(), mesh: Arc::clone(&cube), world_from_part: Pose::from_translation([x, 0.0, 0.0])? })
//! };
//! let parts = [at("left", 0.0)?, at("middle", 0.75)?, at("right", 2.0)?];
//! let mut found = Vec::new();
//! let options = ClashOptions { clearance: Some(0.25), ..ClashOptions::default() };
//! let _ = find_clashes(&parts, &|_, _| true, &options, &mut |_| std::ops::ControlFlow::Continue(()), &mut found)?;
//! assert_eq!(found.iter().map(|c| (c.a, c.b, c.kind)).collect::<Vec<_>>(),
//!     [(0, 1, ClashKind::Crossing), (1, 2, ClashKind::Clearance)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod baseline;
mod candidates;
mod content_hash;
mod convex_part;
mod duplicate;
mod find_clashes;
mod glob;
mod groups;
mod index_pool;
mod mesh_facts;
mod narrow_phase;
mod part;
mod rules;

pub use crate::mesh::PlacedPart as Part;
pub use baseline::{BaselineComparison, ClashStatus, KnownClash, compare};
pub use content_hash::{clash_id, content_hash, unique_names};
pub use find_clashes::{ClashError, ClashOptions, ClashProgress, find_clashes, refine_depths};
pub use glob::{Glob, GlobError};
pub use groups::{ClashGroup, group_by_part, group_by_place};
pub use part::{Clash, ClashKind, InnerPart, Span, rank};
pub use rules::{ClashFilter, ClashRules, RuleError};
