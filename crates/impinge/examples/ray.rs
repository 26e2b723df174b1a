//! What does a ray hit?
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = Mesh::open("corpus/models/octahedron.ply")?;
    let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0])?;
    println!("{:?}", mesh.cast_ray(&ray));
    Ok(())
}
