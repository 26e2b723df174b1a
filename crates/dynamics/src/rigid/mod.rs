//! Rigid body dynamics: free motion, contact, friction.
//!
//! **Question.** Where do bodies go when they fall, hit and lie on each other?
//! **Idea.** The state of a body is its linear and angular momentum, not its velocities: a free body
//! keeps both. Orientation is integrated by the implicit midpoint rule, so energy does not drift. Contact
//! manifolds come from [`ContactQuery`](impinge::pair::ContactQuery); each step is cut into substeps, in
//! which soft constraints are solved by sequential impulses, positions move, and a second solve without
//! bias takes the correction's velocity out again. Both ends of an impulse share one point, so angular
//! momentum is kept too.
//! **Source.** Catto, *Solver2D* (2024), for soft contact with substeps; Guendelman, Bridson and Fedkiw
//! 2003, doi:10.1145/882262.882358, for the order of collision and contact.
//! **Cost.** Linear in bodies and contact points, apart from the pair queries.
//! **Promise.** Free bodies fly the exact parabola. Momentum and angular momentum are kept to rounding. The
//! same calls give the same bytes.
//! **Limits.** First order in time at impacts. Fast bodies are held by speculative contacts, which see
//! convex shapes ahead; a thin concave shape may be passed at extreme speed.
//!
//! ```
//! use impinge::convex::{Ball, HalfSpace};
//! use impinge::{DVec3, Pose};
//! use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
//! let mut world = RigidWorld::new(WorldConfig::default())?;
//! world.add(BodyDesc::fixed(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?, Pose::IDENTITY))?;
//! let start = Pose::from_translation([0.0, 0.0, 0.3])?;
//! let ball = world.add(BodyDesc::solid(Ball::new(0.1)?, 1000.0, start)?)?;
//! for _ in 0..240 {
//!     world.step(1.0 / 120.0)?;
//! }
//! let height = world.body(ball).ok_or("gone")?.center().z;
//! assert!((height - 0.1).abs() < 2e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod config;
mod error;
mod island;
mod mass_properties;
mod orientation;
mod solver;
mod world;

pub use body::{Body, BodyDesc, BodyId};
pub use config::{Sleep, WorldConfig};
pub use error::RigidError;
pub use mass_properties::MassProperties;
pub use world::{RigidWorld, WorldContact};
