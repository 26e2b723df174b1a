//! Models made by formula: exact face counts by parameter, seeded where random.
//!
//! Every function says how many faces it makes. Solids are closed manifolds that face outward, with
//! one vertex per place; equal parameters and seeds give equal bytes on every machine.
//! [`MODELS`] lists all of them by name, and makes each with about as many faces as wanted; [`MOVING_SCENES`] lists scenes that deform.

mod assembly;
mod blocks;
mod chazelle;
mod error;
mod fit_face_count;
mod fractal;
mod gear;
mod geodesic;
mod lathe;
mod moving_scenes;
mod random;
mod registry;
mod round;
mod screw;
mod sheets;
mod stand_ins;
mod surface_builder;
mod tubes;

pub use assembly::{castle, hand, lock};
pub use blocks::{cage, cube_array, cuboid, lattice};
pub use chazelle::chazelle;
pub use error::{GenerateError, MAX_FACES};
pub use fractal::{menger_sponge, tetra_flake, tetrahedron};
pub use gear::gear;
pub use geodesic::{blob, icosphere};
pub use lathe::{mushroom, vase};
pub use moving_scenes::{MOVING_SCENES, MovingScene, SceneKind, moving_scene};
pub use random::{pipes, soup};
pub use registry::{MODELS, ModelKind, NamedPart, merged, model};
pub use round::{ball, capsule, cone, cylinder, half_torus, hyperboloid, torus};
pub use screw::{Thread, nut, screw};
pub use sheets::{car_shell, cloth, netting, terrain};
pub use stand_ins::{animals, brain, glove, scalpel};
pub use tubes::{net, spring, torus_knot};
