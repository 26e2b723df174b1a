//! Read a mesh file, list what is imperfect about it, weld it and look again.
//!
//! `cargo run --example findings FILE` looks at a file; without one, at a small STL text.

use impinge::io::{self, Format, ReadOptions};
use impinge::mesh::{self, FindingKind, point_in_mesh::InsideTest, repair::weld};
use impinge::{DVec3, TriMesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = ReadOptions::default();
    let model = match std::env::args_os().nth(1) {
        Some(path) => io::read(path, &options)?,
        None => io::read_bytes(corner_as_stl().as_bytes(), Format::Stl, &options)?,
    };
    for part in &model.parts {
        println!("{}: {} faces", part.name, part.mesh.face_count());
        list(&part.mesh);

        // STL stores loose triangles: equal vertices have to be joined before faces are neighbours.
        let welded = weld(&part.mesh, 0.0)?.mesh;
        println!("welded: {} vertices", welded.vertex_count());
        list(&welded);

        // Only a closed surface has an inside; the test says so where it is not.
        match InsideTest::new(&welded) {
            Ok(test) => println!("the origin is {:?}", test.locate(DVec3::ZERO)?),
            Err(error) => println!("no inside: {error}"),
        }
        match mesh::mass(&welded) {
            Ok(mass) => println!("volume {}", mass.volume),
            Err(error) => println!("no volume: {error}"),
        }
    }
    Ok(())
}

/// Prints the first findings; notes, warnings and errors alike.
fn list(mesh: &TriMesh) {
    let found = mesh::findings(mesh);
    for finding in found.iter().take(5) {
        println!("  {finding}");
    }
    let holes = found.iter().filter(|f| f.kind == FindingKind::Hole).count();
    println!("  {} findings, {holes} of them holes", found.len());
}

/// A tetrahedron, face by face.
fn corner_as_stl() -> String {
    let [o, x, y, z] = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
    let mut text = String::from("solid corner\n");
    for corners in [[o, y, x], [o, x, z], [o, z, y], [x, y, z]] {
        let vertices = corners.map(|c| format!("vertex {c}\n")).concat();
        text += &format!("facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n");
    }
    text + "endsolid corner\n"
}
