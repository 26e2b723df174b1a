//! parry in double precision.

use parry3d_f64 as parry;

#[path = "../../../serve.rs"]
mod serve;

const NAME: &str = "parry-f64";
const PRECISION: &str = "f64";

include!("../parry.rs");
