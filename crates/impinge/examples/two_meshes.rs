//! Do two meshes meet?
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = Mesh::open("corpus/models/block.obj")?;
    let b = Mesh::open("corpus/models/octahedron.ply")?;
    let a_from_b = Pose::from_translation([1.5, 0.0, 0.0])?;
    println!("they meet: {}", a.intersects(&b, &a_from_b));
    Ok(())
}
