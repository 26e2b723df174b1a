//! Clash detection: which parts of an assembly cross, touch, contain or duplicate each other, or
//! come too close.
//!
//! A broad phase finds near pairs, and the trees of their meshes decide exactly; depths have
//! bounds. Trees are built on demand within a limit of memory. Kinds, tolerances, rules:
//! `docs/guide/clash.md`.
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
