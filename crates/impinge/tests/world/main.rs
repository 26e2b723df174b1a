//! Worlds: events, interest, listeners, margins, accuracy, oriented boxes, threads, hosts, races, traces, scene graphs, particles.

#![expect(
    clippy::unwrap_used,
    reason = "what tests share fails the test when something is wrong"
)]

mod accuracy;
mod events;
mod handle;
mod host;
mod inside;
mod interest;
mod listeners;
mod margin;
mod neighbours;
mod oriented;
mod race;
mod scene;
mod scene_graph;
mod threads;
mod trace;
