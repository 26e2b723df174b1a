//! Every mesh file of a neighbouring folder of real models is read, or refused with a reason to act on.

use impinge::io::{self, ReadOptions};
use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out)
        } else {
            out.push(path)
        }
    }
}

#[test]
fn probe() {
    let root = PathBuf::from("/work/shared/data");
    let mut all = Vec::new();
    files(&root, &mut all);
    for p in all {
        let e = p
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or("")
            .to_ascii_lowercase();
        if ["json", "csv", "md", ""].contains(&e.as_str()) {
            continue;
        }
        let t = std::time::Instant::now();
        match io::read(&p, &ReadOptions::default()) {
            Ok(m) => {
                let (mesh, _) = m.merged();
                println!(
                    "{} V{} T{} parts{} poly{} {:?} notes {:?}",
                    p.strip_prefix(&root).unwrap().display(),
                    mesh.vertex_count(),
                    mesh.face_count(),
                    m.parts.len(),
                    m.parts[0].polygons.is_some(),
                    t.elapsed(),
                    m.notes
                )
            }
            Err(e) => println!("REFUSED {e}"),
        }
    }
}
