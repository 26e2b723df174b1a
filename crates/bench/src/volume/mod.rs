//! `impinge-bench run volume`: balls in solids, with their bars.

mod feasible;
mod growth;
mod trees;
mod truths;

use std::sync::Arc;
use std::time::Duration;

use impinge::TriMesh;
use impinge::bvh::wide::WideTree;

use crate::Bar;
use crate::rigid::fetched;

/// Which part to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Few balls and few models: a look in a minute, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only models whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Balls per real model [default: 100000, with --quick 5000]
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Only these parts: truths, feasible, growth, trees
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    parts: Vec<String>,
}

impl Args {
    fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }

    fn wants_model(&self, name: &str) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| name.contains(only.as_str()))
    }

    fn balls(&self) -> usize {
        self.count
            .unwrap_or(if self.quick { 5_000 } else { 100_000 })
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bar = Bar::Met;
    let mut note = |met: Bar| {
        if met == Bar::Missed {
            bar = Bar::Missed;
        }
    };
    if args.wants("truths") {
        note(truths::run()?);
    }
    if args.wants("feasible") {
        note(feasible::run(args)?);
    }
    if args.wants("growth") {
        note(growth::run(args)?);
    }
    if args.wants("trees") {
        note(trees::run(args)?);
    }
    Ok(bar)
}

/// Prints a bar and says whether it was met.
fn bar(what: &str, met: bool) -> Bar {
    println!("bar: {what} {}", if met { "met" } else { "missed" });
    if met { Bar::Met } else { Bar::Missed }
}

/// A fetched model, cut finer until it has at least so many faces.
fn model(name: &'static str, least_faces: usize) -> anyhow::Result<Option<WideTree>> {
    let Some(mut mesh) = fetched(name)? else {
        eprintln!("absent: model {name} (`cargo xtask models` fetches it)");
        return Ok(None);
    };
    while mesh.face_count() < least_faces {
        mesh = subdivided(&mesh)?;
    }
    Ok(Some(WideTree::new(Arc::new(mesh))))
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

/// Processor time of this process so far, all threads together; none where the system does not say.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold spaces; user and system time are fields 14 and 15.
    let rest = text.rsplit_once(')')?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}
