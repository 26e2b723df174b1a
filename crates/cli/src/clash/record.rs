//! What a run found, as JSON: for other programs, and as the baseline of a later run.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use impinge::clash::{Clash, InnerPart, KnownClash, Part, clash_id};
use serde::{Deserialize, Serialize};

/// What a file of this kind says it is.
pub(super) const FORMAT: &str = "impinge clash 1";

#[derive(Debug, Serialize)]
pub(super) struct Record<'r> {
    pub(super) format: &'static str,
    pub(super) clearance: Option<f64>,
    pub(super) tolerance: f64,
    pub(super) parts: usize,
    pub(super) meshes: usize,
    pub(super) faces: usize,
    pub(super) pairs: usize,
    pub(super) complete: bool,
    pub(super) skipped: Vec<SkippedRecord<'r>>,
    pub(super) counts: serde_json::Map<String, serde_json::Value>,
    /// The gravest first.
    pub(super) clashes: &'r [ClashRecord],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resolved: Option<&'r [ClashRecord]>,
    /// Clashes of the baseline with a part that could not be read now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unchecked: Option<&'r [ClashRecord]>,
}

#[derive(Debug, Serialize)]
pub(super) struct SkippedRecord<'r> {
    pub(super) name: &'r str,
    pub(super) error: &'r str,
}

/// One clash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ClashRecord {
    /// Made of the names.
    pub(super) id: String,
    pub(super) kind: String,
    /// With a baseline: `new` or `persisting`, in lists of their own `resolved` or `unchecked`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<String>,
    /// With a baseline: whether a part has changed or moved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) changed: Option<bool>,
    pub(super) a: PartRecord,
    pub(super) b: PartRecord,
    pub(super) depth: Option<DepthRecord>,
    pub(super) distance: f64,
    /// For what is contained: `a`, `b` or `pieces`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) inner: Option<String>,
    pub(super) point_a: [f64; 3],
    pub(super) point_b: [f64; 3],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PartRecord {
    pub(super) name: String,
    /// Of the placed mesh, hexadecimal.
    pub(super) content: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DepthRecord {
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl ClashRecord {
    /// The record of a clash between parts with these contents.
    pub(super) fn new(clash: &Clash, parts: [&Part; 2], contents: [u128; 2]) -> Self {
        let part = |i: usize| PartRecord {
            name: parts[i].name.clone(),
            content: format!("{:032x}", contents[i]),
        };
        Self {
            id: clash_id(&parts[0].name, &parts[1].name),
            kind: clash.kind.name().to_owned(),
            status: None,
            changed: None,
            a: part(0),
            b: part(1),
            depth: clash.depth.map(|depth| DepthRecord {
                lower: depth.lower,
                upper: depth.upper,
            }),
            distance: clash.distance,
            inner: clash.inner.map(|inner| {
                match inner {
                    InnerPart::A => "a",
                    InnerPart::B => "b",
                    InnerPart::Pieces => "pieces",
                }
                .to_owned()
            }),
            point_a: clash.points[0].to_array(),
            point_b: clash.points[1].to_array(),
        }
    }

    /// What another run needs to know it again.
    pub(super) fn known(&self) -> KnownClash {
        let content = |part: &PartRecord| u128::from_str_radix(&part.content, 16).unwrap_or(0);
        KnownClash {
            id: self.id.clone(),
            content: [content(&self.a), content(&self.b)],
        }
    }
}

/// The clashes of an earlier run.
pub(super) fn read_baseline(path: &Path) -> anyhow::Result<Vec<ClashRecord>> {
    #[derive(Deserialize)]
    struct Baseline {
        format: String,
        clashes: Vec<ClashRecord>,
    }
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read the baseline {}", path.display()))?;
    let what = || {
        format!(
            "{} is no baseline: it should be what `impinge clash --json` printed",
            path.display()
        )
    };
    let baseline: Baseline = serde_json::from_str(&text).with_context(what)?;
    if baseline.format != FORMAT {
        bail!("{}; it says '{}'", what(), baseline.format);
    }
    Ok(baseline.clashes)
}
