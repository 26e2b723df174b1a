//! Worlds: many moving objects and their collision events.
//!
//! A [`World`] holds objects: shapes with a pose. [`World::step`] finds near pairs with a broad
//! phase, tests those that the [`InterestMatrix`] or a listener requests, and returns
//! [`EventKind`]s sorted by pair, the same for any number of threads. Filtering, listeners and
//! masks: `docs/guide/world.md`.
//!
//! Contacts of a box, yes or no for two balls that share a shape, and overlaps of all:
//!
//! ```
//! use std::sync::{Arc, atomic::{AtomicU32, Ordering::Relaxed}};
//! use impinge::broad::SweepAndPrune;
//! use impinge::convex::{Ball, Cuboid};
//! use impinge::pair::{Shape, ShapeKind};
//! use impinge::world::{Body, Event, ObjectFilter, PairFilter, ListenerReply, EventMask, World};
//! use impinge::Pose;
//!
//! let mut world = World::default();
//! world.set_broad_phase(Box::new(SweepAndPrune::default()))?;
//! let ball = Shape::from(Ball::new(0.5)?);
//! let cuboid = world.insert(Body::new(Shape::from(Cuboid::new([1.0, 3.0, 2.0])?)))?;
//! let _first = world.insert(Body::new(ball.clone()))?;
//! let second = world.insert(Body::new(ball))?;
//!
//! let [contacts, touching, hellos] = [(); 3].map(|()| Arc::new(AtomicU32::new(0)));
//! let counter = |count: &Arc<AtomicU32>| { let count = Arc::clone(count); move |_: &Event, _: &mut ListenerReply<'_>| { count.fetch_add(1, Relaxed); } };
//! world.listen(PairFilter(ObjectFilter::Id(cuboid), ObjectFilter::Any), EventMask::CONTACTS, counter(&contacts));
//! let balls = ObjectFilter::Kind(ShapeKind::Ball);
//! world.listen(PairFilter(balls.clone(), balls), EventMask::TOUCHING, counter(&touching));
//! world.listen(PairFilter::any(), EventMask::OVERLAP_BEGIN, counter(&hellos));
//!
//! let mut step = || { world.step(); [&contacts, &touching, &hellos].map(|count| count.swap(0, Relaxed)) };
//! assert_eq!(step(), [2, 1, 3]);
//! assert_eq!(step(), [2, 1, 0]);
//! world.set_pose(second, Pose::from_translation([10.0, 0.0, 0.0])?)?;
//! let mut step = || { world.step(); [&contacts, &touching, &hellos].map(|count| count.swap(0, Relaxed)) };
//! assert_eq!(step(), [1, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accuracy;
mod body;
mod broad_control;
mod class_configs;
mod edit_buffer;
mod edits;
mod enclosure;
mod event_mask;
mod events;
mod filter;
mod host;
mod interest_matrix;
#[cfg(test)]
mod interleavings;
mod listener;
mod narrow_phase;
mod objects;
mod pair_pass;
mod pair_table;
mod particle_neighbours;
mod probe;
mod race;
mod replay;
mod scene_graph;
mod shape_obb;
mod shape_text;
mod slots;
mod step;
mod step_clock;
mod sync;
mod threads;
pub mod trace;
#[expect(clippy::module_inception, reason = "the type that the module is about")]
mod world;

pub use crate::pair::{RaceStats, SplitPair};
pub use accuracy::{AccuracyControl, AccuracyRecovery, ContactAccuracy, StepBudget};
pub use body::{Body, BodyBoxes, Class, Enclosure};
pub use broad_control::BroadPhaseControl;
pub use class_configs::ClassConfigs;
pub use edits::Edits;
pub use event_mask::{EventMask, EventMaskError};
pub use events::{Event, EventKind, StepStats, WorldFrame};
pub use filter::{ObjectFilter, PairFilter, Predicate};
pub use host::{HostConfig, HostError, Ticket, WorldHost};
pub use interest_matrix::InterestMatrix;
pub use listener::{ListenerId, ListenerReply};
pub use narrow_phase::PairHandle;
pub use particle_neighbours::{NeighbourError, ParticleNeighbours};
pub use probe::ObjectHit;
pub use race::{IsOver, MeshRace, Winner, race};
pub use replay::{Replay, ReplayDifference, ReplayedStep, TraceError};
pub use scene_graph::{SceneGraph, SceneGraphError, SceneGraphWork, SceneNodeId};
pub use step_clock::{StepClock, StepTimes};
pub use world::{World, WorldConfig, WorldError};
