//! How far apart are two meshes, and where do they come nearest?
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = Mesh::open("corpus/models/block.obj")?;
    let b = Mesh::open("corpus/models/octahedron.ply")?;
    let a_from_b = Pose::from_translation([3.0, 0.0, 0.0])?;
    println!("{:?}", a.distance(&b, &a_from_b));
    Ok(())
}
