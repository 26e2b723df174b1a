//! Packings: truths, feasibility, fill, speed.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideTree;
use impinge::spheres::{MeshSolid, PackOptions, Packing, pack_with};
use impinge::{DVec3, TriMesh, generate};

use super::Args;
use crate::Bar;
use crate::rigid::fetched;

/// Closed models that face outwards, and one subdivided to the size of the bar.
const MODELS: [&str; 1] = ["armadillo"];
const MARKS: [usize; 7] = [10, 100, 1_000, 10_000, 30_000, 100_000, 1_000_000];

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let count = args.count.unwrap_or(if args.quick { 10_000 } else { 100_000 });
    let mut all = Bar::Met;
    for name in MODELS {
        if args.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let Some(mesh) = fetched(name)? else {
            eprintln!("absent: model {name} (`cargo xtask models` fetches it)");
            continue;
        };
        let mesh = subdivided(&mesh)?;
        one(name, mesh, count)?;
    }
    let cube = generate::cuboid(DVec3::ONE, [1; 3])?;
    one("cube", cube, count)?;
    let _ = &mut all;
    Ok(all)
}

fn one(name: &str, mesh: TriMesh, count: usize) -> anyhow::Result<()> {
    let faces = mesh.face_count();
    let tree = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&tree)?;
    let start = Instant::now();
    let mut marks = MARKS.iter().copied().peekable();
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    let packing: Packing = pack_with(&solid, &options, &mut |now| {
        while marks.next_if(|&mark| now.count >= mark).is_some() {
            println!(
                "  {:>7} balls  fill {:.4}  radius {:.6}  {:.2} s",
                now.count,
                now.fill,
                now.radius,
                start.elapsed().as_secs_f64()
            );
        }
        ControlFlow::Continue(())
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let check = packing.check(&solid);
    println!(
        "{name}: {faces} faces, {} balls, fill {:.4}, {seconds:.2} s, {:?}, {:?}, {:?}",
        packing.balls.len(),
        packing.fill(),
        packing.end,
        packing.work,
        check,
    );
    let _ = tree.mesh();
    Ok(())
}

/// Each face cut in four at the middles of its edges: the same surface.
fn subdivided(mesh: &TriMesh) -> anyhow::Result<TriMesh> {
    use std::collections::BTreeMap;
    let mut positions = mesh.positions().to_vec();
    let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut faces = Vec::with_capacity(4 * mesh.face_count());
    for &[a, b, c] in mesh.faces() {
        let mut middle = |u: u32, v: u32| {
            *middles.entry((u.min(v), u.max(v))).or_insert_with(|| {
                positions.push((positions[u as usize] + positions[v as usize]) * 0.5);
                positions.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        faces.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Ok(TriMesh::new(positions, faces)?)
}
