//! The parts of the suite.

use std::time::Duration;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Preset {
    Quick,
    Full,
}

impl Preset {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// One benchmark.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuitePart {
    /// Of its record too.
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) command: &'static [&'static str],
    /// What makes it small; `--quick`, `--preset`, `--records`, `--sheet` and `--minutes` are given to whoever knows them.
    pub(super) quick: &'static [&'static str],
    pub(super) full: &'static [&'static str],
    pub(super) quick_seconds: u64,
    pub(super) full_minutes: u64,
}

impl SuitePart {
    pub(super) fn time(&self, preset: Preset) -> Duration {
        Duration::from_secs(match preset {
            Preset::Quick => self.quick_seconds,
            Preset::Full => 60 * self.full_minutes,
        })
    }
}

/// Of the time of a part, how much it may use, where its arguments limit that: the rest is for starting and ending.
pub(super) const TOLD: f64 = 0.8;

pub(super) const PARTS: &[SuitePart] = &[
    SuitePart {
        name: "rigid",
        what: "two rigid meshes beside every peer",
        command: &["run", "rigid"],
        quick: &[],
        full: &[],
        quick_seconds: 80,
        full_minutes: 60,
    },
    SuitePart {
        name: "scenario-1",
        what: "which tree wins on which class of models",
        command: &["run", "scenario-1"],
        quick: &[],
        full: &[],
        quick_seconds: 10,
        full_minutes: 60,
    },
    SuitePart {
        name: "quality",
        what: "forces and torques beside their closed forms",
        command: &["run", "quality"],
        quick: &[],
        full: &[],
        quick_seconds: 184,
        full_minutes: 45,
    },
    SuitePart {
        name: "haptics",
        what: "haptic rendering: tick times, crossings, energy, lists",
        command: &["run", "haptics"],
        quick: &[],
        full: &[],
        quick_seconds: 60,
        full_minutes: 240,
    },
    SuitePart {
        name: "average",
        what: "verdicts with a confidence: time against error",
        command: &["run", "average-case"],
        quick: &[],
        full: &[],
        quick_seconds: 35,
        full_minutes: 240,
    },
    SuitePart {
        name: "model",
        what: "predicted and counted work of trees",
        command: &["run", "cost-model"],
        quick: &[],
        full: &[],
        quick_seconds: 15,
        full_minutes: 120,
    },
    SuitePart {
        name: "volume",
        what: "balls in solids: volume, distance, forces",
        command: &["run", "volume"],
        quick: &[],
        full: &[],
        quick_seconds: 60,
        full_minutes: 120,
    },
    SuitePart {
        name: "clouds",
        what: "point clouds against each other",
        command: &["run", "clouds"],
        quick: &[],
        full: &[],
        quick_seconds: 65,
        full_minutes: 120,
    },
    SuitePart {
        name: "bodies",
        what: "many boxes: pairs found by broad phases",
        command: &["run", "broad-phase"],
        quick: &[],
        full: &[],
        quick_seconds: 20,
        full_minutes: 45,
    },
    SuitePart {
        name: "deform",
        what: "deforming scenes",
        command: &["run", "deform"],
        quick: &[],
        full: &[],
        quick_seconds: 45,
        full_minutes: 60,
    },
    SuitePart {
        name: "gpu",
        what: "deforming scenes on graphics cards",
        command: &["run", "gpu"],
        quick: &["--only", "half-torus"],
        full: &[],
        quick_seconds: 40,
        full_minutes: 240,
    },
    SuitePart {
        name: "kinetic",
        what: "kinetic trees and separation lists",
        command: &["kinetic"],
        quick: &[
            "--cloth-faces",
            "2000",
            "--avatar-faces",
            "8000",
            "--keys",
            "11",
            "--rounds",
            "1",
            "--swept-frames",
            "2",
            "--small",
        ],
        full: &[],
        quick_seconds: 15,
        full_minutes: 60,
    },
    SuitePart {
        name: "ccd",
        what: "exact continuous tests on recorded and generated queries",
        command: &["ccd"],
        quick: &["--rounds", "1", "--truth", "4000", "--peer-stride", "0"],
        full: &["--truth", "1000000"],
        quick_seconds: 10,
        full_minutes: 30,
    },
    SuitePart {
        name: "exact-volume",
        what: "the exact volume two solids share",
        command: &["exact-volume"],
        quick: &["--rounds", "2", "--path", "2000"],
        full: &[],
        quick_seconds: 15,
        full_minutes: 30,
    },
    SuitePart {
        name: "cloud-graphs",
        what: "proximity graphs of clouds",
        command: &["cloud-graphs"],
        quick: &["--max-points", "30000", "--rounds", "1", "--edits", "200"],
        full: &[],
        quick_seconds: 12,
        full_minutes: 30,
    },
    SuitePart {
        name: "cloud-surface",
        what: "the surface behind clouds",
        command: &["cloud-surface"],
        quick: &["--points", "2000", "--rounds", "3"],
        full: &["--curves"],
        quick_seconds: 35,
        full_minutes: 30,
    },
    SuitePart {
        name: "cloud-brackets",
        what: "crossings of the surfaces of two clouds without a hierarchy",
        command: &["cloud-interpolation-search"],
        quick: &[
            "--points",
            "6000",
            "--poses",
            "40",
            "--rounds",
            "1",
            "--max-points",
            "30000",
        ],
        full: &[],
        quick_seconds: 15,
        full_minutes: 60,
    },
    SuitePart {
        name: "ablation-1994",
        what: "the results of 1994 as ratios",
        command: &["ablation-1994"],
        quick: &["--frames", "8", "--rounds", "2", "--faces", "500"],
        full: &[],
        quick_seconds: 20,
        full_minutes: 30,
    },
    SuitePart {
        name: "planes",
        what: "separating planes beside the published error table",
        command: &["separating-planes"],
        quick: &["--frames", "2000"],
        full: &[],
        quick_seconds: 5,
        full_minutes: 10,
    },
    SuitePart {
        name: "half-edges",
        what: "growth of the half-edge builder",
        command: &["half-edges"],
        quick: &["--max-edges", "100000", "--rounds", "2"],
        full: &[],
        quick_seconds: 6,
        full_minutes: 20,
    },
    SuitePart {
        name: "convex-speed",
        what: "convex pairs beside other libraries",
        command: &["convex-speed"],
        quick: &["--questions", "1000", "--rounds", "2"],
        full: &[],
        quick_seconds: 6,
        full_minutes: 20,
    },
    SuitePart {
        name: "mixed-pairs",
        what: "primitives and hulls against meshes beside other libraries",
        command: &["mixed-pairs"],
        quick: &["--questions", "200", "--judged", "20", "--rounds", "2"],
        full: &[],
        quick_seconds: 15,
        full_minutes: 10,
    },
    SuitePart {
        name: "convex-truth",
        what: "convex hulls against exact separating axes",
        command: &["convex-truth"],
        quick: &["--small", "20000", "--large", "200"],
        full: &[],
        quick_seconds: 5,
        full_minutes: 10,
    },
    SuitePart {
        name: "clash-truth",
        what: "clashes of assemblies against brute force",
        command: &["clash-truth"],
        quick: &[],
        full: &[],
        quick_seconds: 5,
        full_minutes: 20,
    },
    SuitePart {
        name: "world",
        what: "a world on its own thread, and two engines racing",
        command: &["world"],
        quick: &["--frames", "2000", "--rounds", "5"],
        full: &[],
        quick_seconds: 20,
        full_minutes: 20,
    },
    SuitePart {
        name: "cloud-pairs",
        what: "clouds as shapes against a mesh, a cloud and a cylinder",
        command: &["cloud-pairs"],
        quick: &["--points", "5000", "--rounds", "2"],
        full: &[],
        quick_seconds: 12,
        full_minutes: 20,
    },
    SuitePart {
        name: "scan",
        what: "a robot of packed parts against depth-camera frames",
        command: &["scan"],
        quick: &[
            "--balls",
            "500",
            "--frames",
            "5",
            "--seconds",
            "0",
            "--rounds",
            "2",
        ],
        full: &[],
        quick_seconds: 15,
        full_minutes: 20,
    },
    // The last, because it has a use for whatever time the others left.
    SuitePart {
        name: "performance",
        what: "prescribed gaps and shared volumes, every engine",
        command: &["run", "performance"],
        quick: &[],
        full: &[],
        quick_seconds: 55,
        full_minutes: 2880,
    },
];

/// Benchmarks outside of the suite whose records have their name.
const ALONE: [&str; 4] = ["configurations", "box-tree", "convex-methods", "tree-arity"];

/// The command that makes a part of the records, as `impinge-bench run volume` makes `volume`.
pub(crate) fn part_command(part: &str) -> Option<String> {
    let words = match PARTS.iter().find(|known| known.name == part) {
        Some(known) => known.command.join(" "),
        None => (*ALONE.iter().find(|name| **name == part)?).to_owned(),
    };
    Some(format!("impinge-bench {words}"))
}

#[cfg(test)]
mod tests {
    use super::{PARTS, Preset, TOLD, part_command};

    #[test]
    fn a_part_of_the_records_names_its_command() {
        let command = |part| part_command(part).unwrap_or_default();
        assert_eq!(command("average"), "impinge-bench run average-case");
        assert_eq!(command("planes"), "impinge-bench separating-planes");
        assert_eq!(command("box-tree"), "impinge-bench box-tree");
        assert_eq!(part_command("averages"), None);
    }

    #[test]
    fn the_quick_preset_fits_into_fifteen_minutes() {
        let seconds: u64 = PARTS.iter().map(|p| p.time(Preset::Quick).as_secs()).sum();
        assert!(seconds <= 880, "{seconds} s");
        let mut names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PARTS.len());
        // Forces need their minutes, whoever ran before and whatever they left.
        let quality = PARTS.iter().find(|part| part.name == "quality").unwrap();
        let told = TOLD * quality.time(Preset::Quick).as_secs_f64();
        assert!(told >= 60.0 * crate::quality::MINUTES_QUICK, "{told} s");
        let told = TOLD * quality.time(Preset::Full).as_secs_f64();
        assert!(told >= 60.0 * crate::quality::MINUTES, "{told} s");
        // Whoever can always use more time comes last.
        assert_eq!(PARTS.last().map(|part| part.name), Some("performance"));
    }
}
