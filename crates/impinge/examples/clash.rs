//! Which parts of an assembly collide?
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gearbox = Assembly::open("corpus/models/gearbox.obj")?;
    let clashes = gearbox.clashes(&ClashOptions::default())?;
    let told = clashes
        .iter()
        .map(|clash| (clash.kind, gearbox.names(clash)));
    Ok(told.for_each(|clash| println!("{clash:?}")))
}
