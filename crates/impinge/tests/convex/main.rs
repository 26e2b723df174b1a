//! Convex shapes against separating axes in integers, brute force and closed forms.

mod advance;
mod depth;
mod gjk;
mod hull;
mod planes;
mod round;
