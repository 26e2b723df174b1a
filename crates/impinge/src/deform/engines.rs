//! All engines for deforming scenes by name.

use super::{
    Auto, BruteForce, Bsp, Clustering, HashedGrid, RefitBvhEngine, RefitMode, RefitOptions,
    SceneEngine, SceneKdTree, SweepAndPrune,
};

/// A name of an engine, what it is, and how to make one.
#[derive(Clone, Copy, Debug)]
pub struct SceneEngineKind {
    /// The name that [`SceneEngine::name`] gives.
    pub name: &'static str,
    /// A line about it.
    pub about: &'static str,
    /// Makes one with default options.
    pub make: fn() -> Box<dyn SceneEngine>,
}

/// All engines, the default first; all of them complete.
///
/// ```
/// use impinge::deform::scene_engines;
/// let kinds = scene_engines();
/// assert_eq!((kinds[0].name, (kinds[0].make)().name()), ("auto", "auto"));
/// assert!(kinds.iter().all(|kind| (kind.make)().name() == kind.name && (kind.make)().is_complete()));
/// ```
#[must_use]
pub fn scene_engines() -> &'static [SceneEngineKind] {
    &KINDS
}

fn refit(mode: RefitMode) -> Box<dyn SceneEngine> {
    let options = RefitOptions {
        mode,
        ..RefitOptions::default()
    };
    Box::new(RefitBvhEngine::new(options))
}

static KINDS: [SceneEngineKind; 10] = [
    SceneEngineKind {
        name: "auto",
        about: "chooses by counted work",
        make: || Box::new(Auto::default()),
    },
    SceneEngineKind {
        name: "refit",
        about: "a tree of boxes that follows the faces",
        make: || refit(RefitMode::BottomUp),
    },
    SceneEngineKind {
        name: "refit-top-down",
        about: "the same, computing only boxes that are looked at",
        make: || refit(RefitMode::TopDown),
    },
    SceneEngineKind {
        name: "refit-hybrid",
        about: "the same, the upper half always, the lower half when looked at",
        make: || refit(RefitMode::Hybrid),
    },
    SceneEngineKind {
        name: "clustering",
        about: "clusters of faces, each swept along its own axis",
        make: || Box::new(Clustering::default()),
    },
    SceneEngineKind {
        name: "active-sweep",
        about: "one sorted axis and a list of open faces",
        make: || Box::new(SweepAndPrune::default()),
    },
    SceneEngineKind {
        name: "hashed-grid",
        about: "cells of equal size, hashed",
        make: || Box::new(HashedGrid::default()),
    },
    SceneEngineKind {
        name: "kd-tree",
        about: "space halved at medians",
        make: || Box::new(SceneKdTree::default()),
    },
    SceneEngineKind {
        name: "bsp",
        about: "space divided by the planes of faces",
        make: || Box::new(Bsp::default()),
    },
    SceneEngineKind {
        name: "brute-force",
        about: "every pair of faces",
        make: || Box::new(BruteForce::default()),
    },
];
