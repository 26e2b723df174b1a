//! How much of everything a run measures.

use crate::configurations::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Preset {
    /// Eight pairs, few targets, few configurations: minutes
    Quick,
    /// All pairs and targets, 200 configurations each
    Everyday,
    /// All configurations of the everyday files: days, in as many pieces as you like
    Full,
}

impl Preset {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Everyday => "everyday",
            Self::Full => "full",
        }
    }

    /// The targets that are measured, as parts of the unit.
    pub(super) fn levels(self, kind: Kind) -> Vec<f64> {
        match (self, kind) {
            (Self::Quick, Kind::Distance) => vec![0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3],
            (Self::Quick, Kind::Volume) => vec![0.01, 0.02, 0.05, 0.1],
            _ => kind.levels(),
        }
    }

    /// Configurations of a target that are measured at, where a file has so many.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Quick => 17,
            Self::Everyday => 200,
            Self::Full => usize::MAX,
        }
    }

    /// Every so many-th configuration of a file is checked before it is measured at.
    pub(super) fn checked_part(self, kind: Kind) -> usize {
        match (self, kind) {
            (Self::Quick, Kind::Distance) => 1,
            (Self::Quick, Kind::Volume) => 4,
            (_, Kind::Distance) => 10,
            (_, Kind::Volume) => 100,
        }
    }

    pub(super) fn sizes(self) -> Sizes {
        let (balls, voxels): (&[usize], &[u32]) = match self {
            Self::Quick => (&[1_000], &[50]),
            Self::Everyday => (&[1_000, 10_000, 100_000], &[50, 100]),
            Self::Full => (&[1_000, 10_000, 100_000, 800_000], &[50, 100, 200]),
        };
        Sizes { balls, voxels }
    }
}

/// How finely engines that approximate solids do so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Balls of a packing.
    pub(super) balls: &'static [usize],
    /// Voxels and points along the longest side.
    pub(super) voxels: &'static [u32],
}
