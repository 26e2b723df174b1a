//! Worlds: events, interest, listeners, accuracy, threads, hosts, races, traces, scene graphs, particles.

#![expect(
    clippy::unwrap_used,
    reason = "what tests share fails the test when something is wrong"
)]

mod accuracy;
mod events;
mod host;
mod interest;
mod listeners;
mod neighbours;
mod race;
mod scene;
mod scene_graph;
mod threads;
mod trace;
