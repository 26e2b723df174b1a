//! parry in single precision.

use parry3d as parry;

#[path = "../../../serve.rs"]
mod serve;

const NAME: &str = "parry";
const PRECISION: &str = "f32";

include!("../parry.rs");
