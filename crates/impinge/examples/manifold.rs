//! Where do two meshes touch?
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = Mesh::open("corpus/models/block.obj")?;
    let b = Mesh::open("corpus/models/octahedron.ply")?;
    let manifold = a.contacts(&b, &Pose::from_translation([0.0, 0.0, 1.9])?, 0.01);
    println!("{:?}", manifold.points());
    Ok(())
}
