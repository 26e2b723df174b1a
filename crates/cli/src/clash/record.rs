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
    /// How far coordinates may be from where they were meant.
    pub(super) precision: f64,
    /// Lines of rules without remarks.
    pub(super) rules: &'r [String],
    pub(super) parts: usize,
    pub(super) meshes: usize,
    pub(super) faces: usize,
    pub(super) pairs: usize,
    pub(super) complete: bool,
    pub(super) skipped: Vec<SkippedRecord<'r>>,
    pub(super) counts: serde_json::Map<String, serde_json::Value>,
    /// With a baseline: clashes found that were there, also when only new ones are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) persisting: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) groups: Vec<GroupRecord<'r>>,
    /// Lines of rules with a pattern that no part fits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) idle_rules: Vec<usize>,
    /// What the baseline was made with otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) other_settings: Vec<String>,
    /// The worst first.
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

#[derive(Debug, Serialize)]
pub(super) struct GroupRecord<'r> {
    pub(super) name: &'r str,
    pub(super) clashes: usize,
    /// The kind and depth of the worst.
    pub(super) kind: &'r str,
    pub(super) depth: Option<DepthRecord>,
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
    /// For what is touching: whether only the rounding of files makes it overlap or parts it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) within_precision: bool,
    /// The number of its group, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<usize>,
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

impl DepthRecord {
    /// The number between the bounds, by which clashes are ranked.
    pub(super) fn middle(&self) -> f64 {
        0.5 * self.lower + 0.5 * self.upper
    }
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
            within_precision: clash.is_within_precision,
            group: None,
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

/// What decides which clashes there are.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Settings {
    #[serde(default)]
    pub(super) clearance: Option<f64>,
    #[serde(default)]
    pub(super) tolerance: f64,
    /// Lines of rules without remarks; none where an earlier version did not write them.
    #[serde(default)]
    pub(super) rules: Option<Vec<String>>,
}

impl Settings {
    /// What differs from the settings of an earlier run, in words.
    pub(super) fn differences(&self, before: &Self) -> Vec<String> {
        let length = |x: Option<f64>| x.map_or_else(|| "none".to_owned(), |x| x.to_string());
        let mut found = Vec::new();
        if self.clearance != before.clearance {
            found.push(format!(
                "clearance {}, now {}",
                length(before.clearance),
                length(self.clearance)
            ));
        }
        if self.tolerance != before.tolerance {
            found.push(format!(
                "tolerance {}, now {}",
                before.tolerance, self.tolerance
            ));
        }
        if before.rules.is_some() && self.rules != before.rules {
            found.push("other rules".to_owned());
        }
        found
    }
}

/// An earlier run.
#[derive(Debug, Deserialize)]
pub(super) struct Baseline {
    format: String,
    #[serde(flatten)]
    pub(super) settings: Settings,
    pub(super) clashes: Vec<ClashRecord>,
}

/// The clashes of an earlier run and its settings.
pub(super) fn read_baseline(path: &Path) -> anyhow::Result<Baseline> {
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
    Ok(baseline)
}
