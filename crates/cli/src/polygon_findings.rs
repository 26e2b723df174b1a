//! What is imperfect about a file's polygons, counted and worded.

use impinge::TriMesh;
use impinge::mesh::Severity;
use impinge::poly::{PolyFinding, PolyFindingKind};
use impinge::query::VertexId;

use crate::info::{CountRecord, FindingRecord, SHOWN};
use crate::number;
use crate::output::Output;

/// Findings about polygons with more than three corners, by kind.
#[derive(Debug)]
pub(crate) struct PolygonFindings<'a> {
    /// Each kind that occurs, in order of first occurrence, with all its findings.
    kinds: Vec<(PolyFindingKind, Vec<&'a PolyFinding>)>,
    /// How many of each kind are recorded.
    recorded: usize,
}

impl<'a> PolygonFindings<'a> {
    pub(crate) fn new(findings: &'a [PolyFinding], recorded: usize) -> Self {
        let mut kinds: Vec<(PolyFindingKind, Vec<&PolyFinding>)> = Vec::new();
        for finding in findings {
            match kinds
                .iter_mut()
                .find(|(kind, _)| kind.name() == finding.kind.name())
            {
                Some((_, list)) => list.push(finding),
                None => kinds.push((finding.kind, vec![finding])),
            }
        }
        Self { kinds, recorded }
    }

    /// How many are of this severity.
    pub(crate) fn total(&self, severity: Severity) -> usize {
        self.kinds
            .iter()
            .filter(|(kind, _)| kind.severity() == severity)
            .map(|(_, list)| list.len())
            .sum()
    }

    pub(crate) fn counts(&self) -> impl Iterator<Item = CountRecord> + '_ {
        self.kinds.iter().map(|(kind, list)| CountRecord {
            kind: kind.name(),
            severity: kind.severity().to_string(),
            count: list.len(),
        })
    }

    /// The first of each kind, with the place in `mesh`, whose vertices are the file's.
    pub(crate) fn records(&self, mesh: &TriMesh) -> impl Iterator<Item = FindingRecord> {
        let recorded = self.kinds.iter().flat_map(|(_, list)| {
            let records = list.iter().take(self.recorded);
            records.map(|finding| FindingRecord {
                kind: finding.kind.name(),
                severity: finding.kind.severity().to_string(),
                text: sentence(finding),
                polygon: Some(finding.face.raw()),
                faces: Vec::new(),
                vertices: vertex(finding).iter().map(|v| v.raw()).collect(),
                point: vertex(finding)
                    .and_then(|v| mesh.vertex(v))
                    .map(|p| p.to_array()),
            })
        });
        recorded.collect::<Vec<_>>().into_iter()
    }

    /// The first of each kind as lines of text, and how many more there are.
    pub(crate) fn print(
        &self,
        mesh: &TriMesh,
        shown: usize,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        for (kind, list) in &self.kinds {
            let severity = kind.severity();
            let shown = match severity {
                Severity::Note if shown == SHOWN => 1,
                _ => shown,
            };
            for finding in list.iter().take(shown) {
                let text = sentence(finding);
                match vertex(finding).and_then(|v| mesh.vertex(v)) {
                    Some(p) => out.line(format_args!("    {text} near {}", number::point(p)))?,
                    None => out.line(format_args!("    {text}"))?,
                }
            }
            if list.len() > shown {
                out.line(format_args!(
                    "    {severity}: {} more of kind {} (--all lists them)",
                    number::count(list.len() - shown),
                    kind.name()
                ))?;
            }
        }
        Ok(())
    }
}

fn sentence(finding: &PolyFinding) -> String {
    let severity = finding.kind.severity();
    format!(
        "{severity}: polygon {}: {}",
        finding.face.raw(),
        finding.kind
    )
}

fn vertex(finding: &PolyFinding) -> Option<VertexId> {
    match finding.kind {
        PolyFindingKind::NotFlat { vertex, .. } | PolyFindingKind::RepeatedVertex { vertex } => {
            Some(vertex)
        }
        _ => None,
    }
}
