//! Writes the native answers of the gallery's self-checks: `expected OUT_FOLDER`.
//!
//! A page of the gallery computes the same numbers with the package and compares them to the last bit.

mod broad;
mod buttons;
mod camera;
mod clash;
mod cloth;
mod clouds;
mod clusters;
mod contains;
mod distance;
mod feel;
mod hand;
mod impact;
mod kinetic;
mod mushroom;
mod peg;
mod potter;
mod pyramid;
mod rays;
mod scalpel;
mod spheres;
mod touch;
mod trees;
mod voxmap;
mod workspace;

use std::error::Error;
use std::path::PathBuf;

use impinge::{DVec3, Mesh, Pose};

/// The numbers of an answer, in the order of the page's check.
#[derive(Debug, Default)]
struct Numbers(Vec<f64>);

impl Numbers {
    fn add(&mut self, x: f64) -> &mut Self {
        self.0.push(x);
        self
    }

    fn count(&mut self, n: usize) -> &mut Self {
        self.add(n as f64)
    }

    fn truth(&mut self, is_so: bool) -> &mut Self {
        self.add(f64::from(u8::from(is_so)))
    }

    fn point(&mut self, p: DVec3) -> &mut Self {
        self.0.extend(p.to_array());
        self
    }

    /// A placement column by column.
    fn matrix(&mut self, pose: &Pose) -> &mut Self {
        let rows = pose.to_row_major();
        let columns = (0..16).filter_map(|k| rows.get(k % 4 * 4 + k / 4));
        self.0.extend(columns);
        self
    }

    /// JSON, with text where JSON has no number. The shortest digits that are read back as the same number.
    fn json(&self) -> String {
        let each = self.0.iter().map(|x| {
            if x.is_finite() {
                format!("{x:?}")
            } else {
                format!("\"{x}\"")
            }
        });
        format!("[{}]\n", each.collect::<Vec<_>>().join(","))
    }
}

/// A built-in model, as `Mesh.generate` makes it.
fn model(name: &str, faces: usize) -> Result<Mesh, Box<dyn Error>> {
    let kind = impinge::generate::model(name).ok_or("there is no such model")?;
    Ok(kind.make(Some(faces), 0)?.into())
}

/// A placement of seven numbers, as the package reads it.
fn placement([x, y, z, i, j, k, w]: [f64; 7]) -> Result<Pose, Box<dyn Error>> {
    let turn = impinge::glam::DQuat::from_xyzw(i, j, k, w).normalize();
    Ok(Pose::from_quaternion(turn, [x, y, z])?)
}

type Answer = fn() -> Result<Numbers, Box<dyn Error>>;

/// A line per page, in the order of `web/pages.json`.
const CHECKS: &[(&str, Answer)] = &[
    ("touch", touch::answer),
    ("distance", distance::answer),
    ("impact", impact::answer),
    ("trees", trees::answer),
    ("spheres", spheres::answer),
    ("broad", broad::answer),
    ("cloth", cloth::answer),
    ("rays", rays::answer),
    ("potter", potter::answer),
    ("feel", feel::answer),
    ("peg", peg::answer),
    ("buttons", buttons::answer),
    ("pyramid", pyramid::answer),
    ("hand", hand::answer),
    ("workspace", workspace::answer),
    ("clouds", clouds::answer),
    ("voxmap", voxmap::answer),
    ("kinetic", kinetic::answer),
    ("camera", camera::answer),
    ("clash", clash::answer),
    ("clusters", clusters::answer),
    ("mushroom", mushroom::answer),
    ("contains", contains::answer),
    ("scalpel", scalpel::answer),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("usage: expected OUT_FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    for (name, answer) in CHECKS {
        let numbers = answer().map_err(|why| format!("{name}: {why}"))?;
        std::fs::write(folder.join(format!("{name}.json")), numbers.json())?;
    }
    println!("{} answers in {}", CHECKS.len(), folder.display());
    Ok(())
}
