//! Soft bodies of spheres and springs that exchange volume.
//!
//! **Question.** How does tissue give way under pressure without losing volume?
//! **Idea.** Spheres fill the body and springs join neighbours. Where neighbours overlap, a penalty
//! proportional to the volume of the lens pushes them apart, and part of that volume flows from each to
//! the neighbour that lies in the direction of the force on it: tissue is displaced. Volume also flows back
//! towards the rest volumes. The total volume is constant.
//! **Source.** Weller 2012, section 7.1, with the signs of damping and of the volume force corrected
//! and the lens volume squared where the print lost it (the project's errata, 19).
//! **Cost.** Linear in springs per iteration. About 50 iterations a frame settle a hand.
//! **Promise.** The sum of volumes and the momentum are kept to rounding. Threads change no bit.
//! **Limits.** Only spheres that a spring joins press on each other. Masses stay with the spheres when
//! volume flows.
//!
//! ```
//! use impinge::DVec3;
//! use impinge_dynamics::sphere_spring::{Sphere, SphereSpring, SphereSpringConfig, Spring};
//! let at = |x: f64| Sphere::new(DVec3::new(x, 0.0, 0.0), 0.5, 1000.0);
//! let spring = Spring { ends: [0, 1], rest: 1.0, stiffness: 100.0, damping: 1.0 };
//! let config = SphereSpringConfig::default();
//! let mut body = SphereSpring::new(vec![at(0.0), at(1.0)], vec![spring], config)?;
//! let before = body.volume();
//! body.step(1e-3)?;
//! assert!((body.volume() - before).abs() < 1e-12 * before);
//! # Ok::<(), impinge_dynamics::sphere_spring::SphereSpringError>(())
//! ```

mod body;
mod error;
mod hand;
mod hand_shape;
mod kernel;
mod ordering;
mod skin;
mod step;

pub use body::{Anchor, Plate, Sphere, SphereSpring, SphereSpringConfig, Spring, Threads};
pub use error::SphereSpringError;
pub use hand::{BONES, Bone, Hand, HandConfig, HandPose};
