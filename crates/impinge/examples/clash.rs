//! Which parts of an assembly collide?
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parts = Assembly::open("corpus/models/gearbox.obj")?;
    let found = parts.clashes(&ClashOptions::default())?;
    found.iter().for_each(|c| println!("{:?}", parts.names(c)));
    Ok(())
}
