//! Convex shapes against separating axes in integers, brute force and closed forms.

mod conservative_advancement;
mod depth;
mod gjk;
mod hull;
mod round;
mod separating_planes;
