//! Packings of balls, their trees and their forces.

mod forces;
mod gaps;
mod pack;
mod queries;
mod tree;
