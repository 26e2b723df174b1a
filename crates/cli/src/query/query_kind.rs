//! The kinds of queries.

use clap::ValueEnum;
use impinge::penetration::PenetrationMethod;
use impinge_study::volume::TETRAHEDRA;

/// A question about two placed meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryKind {
    /// Do they share a point?
    Intersects,
    /// Which faces meet?
    Pairs,
    /// In which curves do they meet?
    Curves,
    /// How far apart are they?
    Distance,
    /// Are they closer than --tolerance?
    Tolerance,
    /// How deep do the solids overlap?
    Depth,
    /// How much volume do the solids share?
    Volume,
    /// With which force and torque do the solids drive each other apart?
    Force,
    /// When do they first touch on the way to --to?
    Impact,
}

impl QueryKind {
    /// The name in lists and records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intersects => "intersects",
            Self::Pairs => "pairs",
            Self::Curves => "curves",
            Self::Distance => "distance",
            Self::Tolerance => "tolerance",
            Self::Depth => "depth",
            Self::Volume => "volume",
            Self::Force => "force",
            Self::Impact => "impact",
        }
    }

    /// Whether the answer is yes or no, perhaps among other things.
    pub(crate) fn is_yes_or_no(self) -> bool {
        self != Self::Distance
    }

    /// Whether only the default engine answers it.
    pub(crate) fn needs_wide_tree(self) -> bool {
        matches!(
            self,
            Self::Curves | Self::Depth | Self::Volume | Self::Force | Self::Impact
        )
    }

    /// Whether the engine has to tell distances.
    pub(crate) fn needs_distance(self) -> bool {
        matches!(self, Self::Distance | Self::Tolerance)
    }
}

/// What is inside a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolidRule {
    /// What a closed surface encloses, exactly; open meshes are refused.
    Closed,
    /// Where the winding number exceeds one half; also for open meshes, and not exact near their holes.
    Winding,
}

impl SolidRule {
    /// The name in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Winding => "winding",
        }
    }
}

/// How a shared volume and its force are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VolumeMethod {
    /// Boundary integral of the overlap: exact up to rounding
    Exact,
    /// Inner sphere trees: with bounds, and forces by normal cones
    Spheres,
    /// Spheres first, then the boundary integral where its predicted time is short: says which answered
    ByCost,
    /// Voxels of one solid in those of the other: with bounds, and the penalty force of a Voxmap-PointShell
    Voxmap,
    /// Clipping cones over the faces pair by pair: exact up to rounding, without force, for small meshes
    Tetrahedra,
}

impl VolumeMethod {
    /// The library's name for it.
    pub(crate) fn method(self) -> PenetrationMethod {
        match self {
            Self::Exact => PenetrationMethod::Exact,
            Self::Spheres => PenetrationMethod::Spheres,
            Self::ByCost => PenetrationMethod::ByCost,
            Self::Voxmap => PenetrationMethod::Voxmap,
            Self::Tetrahedra => PenetrationMethod::External(TETRAHEDRA),
        }
    }
}

/// What the search looked at, to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShownDetail {
    /// The boxes of the tree's leaves, those that meet, and the faces in them
    Tree,
}
