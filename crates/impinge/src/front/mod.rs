//! The front door: meshes and shapes with their queries.
//!
//! The same verbs everywhere: `intersects`, `distance`, `penetration`, `volume`, `contacts`, `impact` about two, `cast_ray`,
//! `closest_point`, `contains` about one. [`Mesh`] and [`Shape`](crate::pair::Shape) have them in a form that needs nothing else;
//! [`Pair`] keeps caches, so that asking again costs less. A [`World`](crate::world::World) is asked by rays, balls,
//! points and shapes; an `Assembly` for its clashes (features `scene` and `formats`).
//!
//! `a_from_b` places `b` in the frame of `a`; answers are in the frame of `a`. What is below ([`bvh`](crate::bvh),
//! [`pair`](crate::pair), [`depth`](crate::depth) and so on) gives the same answers with sinks, limits and caches of your own.
//!
//! ```
//! use impinge::prelude::*;
//!
//! let tip = Mesh::new([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let a_from_b = Pose::from_translation([0.25, 0.25, 0.25])?;
//! assert!(tip.intersects(&tip, &a_from_b));
//! assert!(tip.penetration(&tip, &a_from_b)?.lower > 0.1);
//! assert!(tip.volume(&tip, &a_from_b)?.value.volume > 0.002);
//!
//! let mut pair = Pair::new(&tip, Ball::new(0.5)?)?;
//! let gap = pair.distance(&Pose::from_translation([0.0, 0.0, 3.0])?);
//! assert!(gap.value.is_some_and(|gap| (gap.distance - 1.5).abs() < 1e-12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(all(feature = "formats", feature = "scene"))]
mod assembly;
mod mesh;
mod pair;
pub mod prelude;
mod shape;
#[cfg(feature = "scene")]
mod world;

pub use mesh::{Mesh, SolidError};
pub use pair::{LimitedPair, Pair};
