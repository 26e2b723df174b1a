//! Worlds: many moving objects and their collision events.
//!
//! A [`World`] holds objects: shapes with a place. Who wants to know something of them says what of which pairs, with an [`InterestMatrix`]
//! matrix or by listening. [`World::step`] looks at what moved, finds near pairs with a broad phase, tests those that
//! someone is interested in, and tells:
//!
//! | event | when | |
//! |---|---|---|
//! | [`EventKind::OverlapBegin`], [`EventKind::OverlapEnd`] | boxes begin and cease to meet | once, in turn |
//! | [`EventKind::ContactBegin`], [`EventKind::ContactEnd`] | shapes begin and cease to touch | once, in turn |
//! | [`EventKind::Touching`], [`EventKind::Contacts`] | shapes touch, and where, or [nearly](WorldConfig::contact_margin) touch; what is inside a solid touches it | at every step |
//! | [`EventKind::Closer`] | shapes are at most so far apart | at every step |
//!
//! Overlap begin and end alternate, and so do contact begin and end, from the moment on that someone is interested in them.
//! Events come after the narrow phase, by pair, the same for any number of threads. Listeners are called then, one after the other; what
//! they move is examined in the next step.
//!
//! A box and two balls that share a shape; contacts of the box, yes or no for the balls, and a greeting for all:
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
mod pair_table;
mod particle_neighbours;
mod probe;
mod race;
mod replay;
mod scene_graph;
mod shape_obb;
mod shape_text;
mod slots;
mod split_pair;
mod step;
mod sync;
pub mod trace;
#[expect(clippy::module_inception, reason = "the type that the module is about")]
mod world;

pub use accuracy::{AccuracyControl, AccuracyRecovery, ContactAccuracy, StepBudget};
pub use body::{Body, Class, Enclosure};
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
pub use race::{IsOver, MeshRace, RaceStats, Winner, race};
pub use replay::{Replay, ReplayDifference, ReplayedStep, TraceError};
pub use scene_graph::{SceneGraph, SceneGraphError, SceneGraphWork, SceneNodeId};
pub use split_pair::SplitPair;
pub use world::{World, WorldConfig, WorldError};
