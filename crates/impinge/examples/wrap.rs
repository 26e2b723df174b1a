//! Wraps mesh files and checks every promise: `cargo run --release --example wrap -- 1 part.stl
//! scan.ply` (the offset in per cent of the diagonal, then files; without arguments a built-in
//! sheet).

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::wide::WideTree;
use impinge::io::{ReadOptions, read};
use impinge::mesh::mass;
use impinge::wrap::{WrapOptions, wrap};
use impinge::{TriMesh, generate};
use impinge_testkit::wraps;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let per_cent: f64 = words.next().map_or(Ok(2.0), |word| word.parse())?;
    let files: Vec<String> = words.collect();
    println!("faces, offset, faces of the wrap, seconds, farthest / offset, volume, file");
    if files.is_empty() {
        show("a sheet", generate::terrain(20, 20, 1)?, per_cent)?;
    }
    let (mut passed, mut failed) = (0, 0);
    for file in &files {
        let shown = read(file, &ReadOptions::default())
            .map_err(Into::into)
            .and_then(|model| show(file, model.merged().0, per_cent));
        match shown {
            Ok(()) => passed += 1,
            Err(error) => {
                println!("failed: {error}, {file}");
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(())
}

fn show(name: &str, mesh: TriMesh, per_cent: f64) -> Result<(), Box<dyn Error>> {
    let mesh = Arc::new(mesh);
    let bounds = mesh.bounds();
    let offset = per_cent / 100.0 * (bounds.max - bounds.min).length();
    let start = Instant::now();
    let wrapped = wrap(&WideTree::new(Arc::clone(&mesh)), &WrapOptions::new(offset))?;
    let seconds = start.elapsed().as_secs_f64();
    let surface = Arc::new(wrapped.mesh);
    let facts = wraps::check(&mesh, &surface, Some(offset))?;
    println!(
        "{}, {offset:.4e}, {}, {seconds:.2}, {:.3}, {:.4e}, {name}",
        mesh.face_count(),
        surface.face_count(),
        facts.farthest_seen / offset,
        mass(&surface)?.volume,
    );
    Ok(())
}
