//! Worlds: events, interest, listeners, margins, accuracy, oriented boxes, threads, hosts, races, traces, scene graphs, particles.

#![expect(
    clippy::unwrap_used,
    reason = "what tests share fails the test when something is wrong"
)]

mod accuracy;
mod broad_control;
mod containment;
mod events;
mod host;
mod interest;
mod listeners;
mod margin;
mod oriented_boxes;
mod pair_handle;
mod particle_neighbours;
mod race;
mod scene;
mod scene_graph;
mod threads;
mod trace;
mod volumes;
