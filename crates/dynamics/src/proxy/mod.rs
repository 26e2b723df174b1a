//! The god-object: a proxy point that never passes through a mesh.
//!
//! **Question.** Where would the device's point be if the surfaces were rigid, and which force renders this?
//! **Idea.** The proxy moves straight towards the device's point until a face stops it. The face's plane
//! becomes a constraint, the goal is the point nearest to the device's under all constraints so
//! far, and the path to it is cast again: at most four casts, at most three planes, within one tick.
//! Planes that would pull are left out of the goal. The force is a spring from the device to the proxy.
//! **Source.** Zilles and Salisbury 1995; Algorithm 4 of Sjöberg and Ylinenpää 2009, *Collision Detection for
//! Haptic Rendering*, with its missing exit. Ours: inequality constraints, all planes in one tick,
//! the exact check of each path, bodies that move.
//! **Cost.** At most four segment casts per body and one exact check of the path that is taken.
//! **Promise.** In the frame of each body, the path of the proxy from tick to tick is a chain of closed
//! segments none of which meets a face, decided exactly. So nothing is passed at any thickness or
//! speed. If bodies squeeze the proxy so that no such step exists, [`ProxyStep::crossed`] says so.
//! **Limits.** The constraint planes are infinite: at a convex edge the proxy may float beside the
//! surface for one tick. A fourth plane holds the proxy where it is.
//!
//! ```
//! use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
//! use impinge_dynamics::proxy::{GodObject, ProxyScene};
//! use std::sync::Arc;
//! let floor = WideTree::new(Arc::new(generate::cuboid(DVec3::new(2.0, 1.0, 2.0), [1; 3])?));
//! let mut scene = ProxyScene::new();
//! let body = scene.add(Arc::new(floor), Pose::from_translation([0.0, -0.5, 0.0])?)?;
//! let mut god_object = GodObject::new(&mut scene, 1000.0, [0.1, 0.5, 0.2])?;
//! let step = god_object.update(&mut scene, DVec3::new(0.1, -0.01, 0.2), 1e-3);
//! let above = god_object.offset();
//! assert!((step.proxy - DVec3::new(0.1, above, 0.2)).length() < 1e-12);
//! assert!((step.force.y - 1000.0 * (0.01 + above)).abs() < 1e-9);
//! assert_eq!(step.contacts().len(), 1);
//! assert_eq!(step.contacts()[0].body, body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod constraint;
mod deforming;
mod god_object;
mod mesh_swap;
mod scene;

pub use constraint::{ConstraintPlane, NearestUnderPlanes, nearest_under_planes};
pub use deforming::{DeformingProxy, DeformingStep, DeformingSurface};
pub use god_object::{GodObject, MAX_SWEEPS, OFFSET_FRACTION, ProxyContact, ProxyStep};
pub use scene::{BodyId, ProxyScene, SceneError};
