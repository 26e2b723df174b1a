//! What repairs of a mesh did, what they could not do and why, and which command helps.

use std::sync::Arc;

use impinge::TriMesh;
use impinge::mesh::repair::{RepairCounts, RepairOptions, repair_all};
use impinge::mesh::{FindingKind, FindingOptions, Findings, HalfEdges, classify, findings_with};

use crate::model_source::ModelSource;
use crate::number::count_of;
use crate::progress::Progress;
use crate::self_intersection;

/// What was done and what was not, each in words.
#[derive(Debug, Default)]
pub(crate) struct RepairReport {
    pub(crate) done: Vec<String>,
    pub(crate) left: Vec<String>,
}

impl RepairReport {
    /// The report about a mesh that repairs changed so much, holes of more than `max_edges` edges
    /// being left.
    pub(crate) fn new(
        repaired: &Arc<TriMesh>,
        changes: &RepairCounts,
        max_edges: usize,
        is_quiet: bool,
    ) -> Self {
        Self {
            done: done(changes),
            left: left(repaired, max_edges, is_quiet),
        }
    }

    /// The report in one line.
    pub(crate) fn sentence(&self) -> String {
        let done = match self.done.join(", ") {
            text if text.is_empty() => "nothing to change".to_owned(),
            text => text,
        };
        if self.left.is_empty() {
            return format!("repaired: {done}; nothing left to repair");
        }
        format!(
            "repaired: {done}; not repaired: {}; --wrap 1% closes any mesh",
            self.left.join(", ")
        )
    }
}

fn done(changes: &RepairCounts) -> Vec<String> {
    [
        (changes.vertices_merged, "vertex merged", "vertices merged"),
        (
            changes.vertices_dropped,
            "unused vertex dropped",
            "unused vertices dropped",
        ),
        (
            changes.faces_dropped,
            "duplicate or collapsed face dropped",
            "duplicate or collapsed faces dropped",
        ),
        (changes.faces_turned, "face turned", "faces turned"),
        (
            changes.faces_flipped,
            "flat face flipped",
            "flat faces flipped",
        ),
        (changes.holes_filled, "hole closed", "holes closed"),
        (changes.faces_added, "face added", "faces added"),
        (changes.vertices_added, "vertex added", "vertices added"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| count_of(count, one, many))
    .collect()
}

fn left(mesh: &Arc<TriMesh>, max_edges: usize, is_quiet: bool) -> Vec<String> {
    let progress = Progress::new("looking for self-intersections", is_quiet);
    let search = |_: &TriMesh| self_intersection::find(mesh, &progress).pairs;
    let found = findings_with(
        mesh,
        &FindingOptions {
            listed_per_kind: 0,
            self_intersections: Some(&search),
            ..FindingOptions::default()
        },
    );
    let borders = HalfEdges::new(mesh).boundary_loops();
    let long = borders
        .iter()
        .filter(|border| border.half_edges.len() > max_edges);
    let long = long.count();
    let because = |n: usize, one: &str, many: &str, why: &str| {
        (n > 0).then(|| format!("{} ({why})", count_of(n, one, many)))
    };
    let of_holes = [
        because(
            long,
            "hole",
            "holes",
            &format!("more than {max_edges} edges; --fill-holes N sets the limit"),
        ),
        because(
            borders.len() - long,
            "border",
            "borders",
            "touches itself, ends at an edge of three faces, or bounds a lone triangle",
        ),
    ];
    let of_kinds =
        LEFT_BY_KIND.map(|(kind, [one, many], why)| because(found.count(kind), one, many, why));
    of_holes.into_iter().chain(of_kinds).flatten().collect()
}

/// Findings that no repair takes away, one and many of them, and why.
const LEFT_BY_KIND: [(FindingKind, [&str; 2], &str); 4] = [
    (
        FindingKind::NonManifoldEdge,
        [
            "edge of three or more faces",
            "edges of three or more faces",
        ],
        "which face to drop is not known",
    ),
    (
        FindingKind::NonManifoldVertex,
        [
            "vertex that only joins surfaces",
            "vertices that only join surfaces",
        ],
        "parting them would leave equal positions",
    ),
    (
        FindingKind::NotOrientable,
        ["one-sided piece", "one-sided pieces"],
        "no orientation fits",
    ),
    (
        FindingKind::SelfIntersection,
        ["self-intersection", "self-intersections"],
        "repairs cut no faces",
    ),
];

/// The command that makes a solid of a mesh with these findings; none when it has no errors that
/// matter.
pub(crate) fn advice(mesh: &TriMesh, found: &Findings, name: &str) -> Option<String> {
    let repaired = repair_all(mesh, &RepairOptions::default()).ok()?;
    let class = classify(&repaired.mesh);
    let becomes_solid = class.closed && class.is_manifold() && class.outward;
    let command = command(name);
    let crosses_itself = found.count(FindingKind::SelfIntersection) > 0;
    Some(if becomes_solid && !crosses_itself {
        format!("`{command} --repair` makes it a closed surface facing outward")
    } else {
        let reason = if becomes_solid {
            "--repair closes it but keeps self-intersections"
        } else {
            "--repair alone does not close it"
        };
        format!(
            "`{command} --wrap 1%` puts a closed surface around it, at most 1 % of its diagonal away; {reason}"
        )
    })
}

/// What to do about a mesh that is no solid, for error messages.
pub(crate) fn hint(name: &str) -> String {
    format!(
        "`{} --repair` closes small holes, `--wrap 1%` in its place puts a closed surface around any mesh",
        command(name)
    )
}

fn command(name: &str) -> String {
    let file = if name.starts_with(ModelSource::PREFIX) {
        "IN"
    } else {
        name
    };
    format!("impinge convert {file} OUT")
}
