//! Which engine to take, and why.
//!
//! **Idea.** Only the sizes of the two meshes and the questions to come count. An index without a tree is ready sooner and looks at every
//! face each time; a tree costs more to build and then hardly grows with the mesh. Where the lines cross was measured:
//! `impinge-bench auto-choice` prints both sides.
//!
//! ```
//! use impinge::bvh::auto::{Questions, choose};
//! use impinge::bvh::engines::MeshEngine;
//! use impinge::generate;
//! let (small, large) = (generate::icosphere(1.0, 1)?, generate::icosphere(1.0, 16)?);
//! assert_eq!(choose(&small, &small, Questions::default()).engine, MeshEngine::FaceSweep);
//! let choice = choose(&large, &large, Questions::default());
//! assert_eq!(choice.engine, MeshEngine::WideTree);
//! println!("{choice}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use super::engines::MeshEngine;
use crate::mesh::TriMesh;

/// Faces of both meshes together up to which one question is answered sooner without a tree.
const FEW_FACES_ONCE: usize = 128;
/// The same when the index is kept for many questions.
const FEW_FACES: usize = 32;

/// What will be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// Whether distances are among the questions, or anything that needs them.
    pub distances: bool,
    /// Whether many questions will be asked of the same meshes, so that building counts for little.
    pub many: bool,
}

/// An engine and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The engine.
    pub engine: MeshEngine,
    /// Why, in a sentence without a full stop.
    pub reason: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.engine, self.reason)
    }
}

/// The engine that is likely to answer the questions about these meshes soonest. All that it chooses from are exact.
#[must_use]
pub fn choose(a: &TriMesh, b: &TriMesh, questions: Questions) -> Choice {
    let faces = a.face_count() + b.face_count();
    let few = if questions.many {
        FEW_FACES
    } else {
        FEW_FACES_ONCE
    };
    let (engine, reason) = if questions.distances {
        let reason = "distances are asked, and it is the fastest engine that tells them";
        (MeshEngine::WideTree, reason.to_owned())
    } else if a.is_empty() || b.is_empty() {
        let reason = "a mesh is empty, so that no index is worth building";
        (MeshEngine::FaceSweep, reason.to_owned())
    } else if faces <= few {
        let reason = format!(
            "{faces} faces are at most {few}, so few that comparing them all is quicker than building trees"
        );
        (MeshEngine::FaceSweep, reason)
    } else {
        let often = if questions.many {
            "many questions"
        } else {
            "a question"
        };
        let reason = format!(
            "{faces} faces are more than {few}, where trees pay for themselves with {often}"
        );
        (MeshEngine::WideTree, reason)
    };
    Choice { engine, reason }
}
