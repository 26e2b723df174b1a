//! Packings of balls, their trees and their forces.

mod covers;
mod exact_volume;
mod forces;
mod gaps;
mod odd_solids;
mod pack;
mod packed;
mod penetration;
mod queries;
mod shared_volume;
mod sheets;
mod tree;
