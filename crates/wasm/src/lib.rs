//! The npm package `impinge`: typed arrays in, exact collision answers out.
//!
//! Classes for JavaScript around the front door of [`impinge`] and parts of [`impinge_dynamics`]. The
//! README shows them in use; `types.ts` has the shapes of the answers. One thread, no clock, no network: answers are those of the native
//! library, byte for byte.

mod assembly;
mod broad;
mod buttons;
mod camera;
mod clay;
mod cloud;
mod clusters;
mod coupled;
mod deform;
mod feel;
mod hand;
mod js;
mod kinetic;
mod mesh;
mod pair;
mod proxy;
mod rigid;
mod shape;
mod soft;
mod spheres;
mod voxmap;
mod workspace;
mod world;
mod wrap;

pub use assembly::Assembly;
pub use broad::BroadPhase;
pub use buttons::{ButtonPanel, hand_parts};
pub use camera::{Chain, DepthCamera, Links};
pub use clay::Sculptor;
pub use cloud::Cloud;
pub use clusters::ClusterScene;
pub use coupled::{ToolGuard, VirtualCoupling};
pub use deform::{MovingScene, Scene};
pub use feel::{EnergyMeter, PenaltyField, Texture};
pub use hand::SoftHand;
pub use js::motion_at;
pub use kinetic::KineticPair;
pub use mesh::Mesh;
pub use pair::Pair;
pub use proxy::{GodObject, ProxyScene};
pub use rigid::RigidWorld;
pub use shape::Shape;
pub use soft::SoftBody;
pub use spheres::{SphereTree, pack};
pub use voxmap::{Pointshell, Voxmap};
pub use workspace::Workspace;
pub use world::World;

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

/// The version of the package.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The built-in models: a few words about each by name.
#[wasm_bindgen(unchecked_return_type = "Record<string, string>")]
#[must_use]
pub fn models() -> JsValue {
    let about = js_sys::Object::new();
    for kind in impinge::generate::MODELS {
        // A new object refuses nothing.
        let _ = js_sys::Reflect::set(&about, &kind.name.into(), &kind.about.into());
    }
    about.into()
}
