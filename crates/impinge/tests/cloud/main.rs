//! Clouds of points: neighbours, surfaces, crossings, collisions.

mod bandwidth;
mod certain_answers;
mod covariance_centres;
mod delaunay;
mod edits;
mod hierarchy;
mod interpolation_search;
mod neighbours;
mod shared_clouds;
mod surface;
