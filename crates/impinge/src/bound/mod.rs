//! Bounding volumes: AABB, OBB, k-DOP, RSS, LSS and sphere.
//!
//! | volume | numbers | comparing two costs | fits |
//! |---|---|---|---|
//! | [`Ball`] | 4 | one placed point | round bodies, any orientation |
//! | [`Aabb`] | 6 | one placed box, six intervals | boxes along the axes |
//! | [`Kdop`] | k | k intervals of three terms | convex bodies, the better the larger k |
//! | [`Lss`] | 8 | nearest points of two segments | rods |
//! | [`Rss`] | 13 | nearest points of two rectangles | surfaces; the best bound on distance |
//! | [`Obb`] | 15 | up to 15 directions | surfaces; the best test of overlap |
//! | [`ObbRss`] | 28 | that of the one used | both queries |

mod aabb;
mod aabb_volume;
mod ball;
mod bounding_volume;
mod fit_axes;
mod kdop;
mod kdop_rotation;
mod lss;
mod obb;
mod obb_rss;
mod rectangle_distance;
mod rotation_invariant_box;
mod rss;

pub use aabb::Aabb;
pub use aabb_volume::AabbRelative;
pub use ball::Ball;
pub use bounding_volume::{BoundingVolume, PaddedPose};
pub use kdop::{Kdop, KdopRelative, Slabs};
pub use lss::Lss;
pub use obb::Obb;
pub use obb_rss::ObbRss;
pub use rotation_invariant_box::RotationInvariantBox;
pub use rss::Rss;
