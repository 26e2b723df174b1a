//! The npm package `impinge`: typed arrays in, exact collision answers out.
//!
//! Classes for JavaScript around the front door of [`impinge`] and parts of [`impinge_dynamics`]. The
//! README shows them in use; `types.ts` has the shapes of the answers. One thread, no clock, no network: answers are those of the native
//! library, byte for byte.

mod broad;
mod cloud;
mod deform;
mod js;
mod mesh;
mod pair;
mod proxy;
mod rigid;
mod shape;
mod soft;
mod spheres;
mod world;

mod buttons;
mod clay;
mod coupled;
mod feel;
mod hand;
mod workspace;

pub use broad::BroadPhase;
pub use cloud::Cloud;
pub use deform::{MovingScene, Scene};
pub use js::motion_at;
pub use mesh::Mesh;
pub use pair::Pair;
pub use proxy::{GodObject, ProxyScene};
pub use rigid::RigidWorld;
pub use shape::Shape;
pub use soft::SoftBody;
pub use spheres::{SphereTree, pack};
pub use world::World;

pub use buttons::{ButtonPanel, hand_parts};
pub use clay::Sculptor;
pub use coupled::{ToolGuard, VirtualCoupling};
pub use feel::{EnergyMeter, PenaltyField, Texture};
pub use hand::SoftHand;
pub use workspace::Workspace;

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
