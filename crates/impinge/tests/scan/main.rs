//! Frames of a depth camera against links, each answer against all points.

mod camera;
mod links;
mod merged;
mod points;
