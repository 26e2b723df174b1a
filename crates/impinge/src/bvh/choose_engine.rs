//! Chooses a mesh-mesh engine and says why.
//!
//! **Idea.** Only the sizes of the two meshes and the queries to come count. An index without a
//! tree is ready sooner and tests every face each time. A tree costs more to build, and then a
//! query hardly grows with the mesh. `impinge-bench auto-choice` measures both sides up to some
//! thousand faces per mesh, where the better engine was chosen in every case. Beyond, the rule
//! extrapolates: for one query of meshes of similar size it chooses trees from some 200 thousand
//! faces each, for many queries at any size.
//!
//! **Limits.** The microseconds are those of one machine. Only their ratio matters.
//!
//! ```
//! use impinge::bvh::choose_engine::{QueryMix, choose_mesh_engine};
//! use impinge::bvh::engines::MeshEngine;
//! use impinge::generate;
//! let ball = generate::icosphere(1.0, 4)?;
//! assert_eq!(choose_mesh_engine(&ball, &ball, QueryMix::default()).engine, MeshEngine::FaceSweep);
//! let choice = choose_mesh_engine(&ball, &ball, QueryMix { many: true, ..QueryMix::default() });
//! assert_eq!(choice.engine, MeshEngine::WideTree);
//! println!("{choice}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use super::engines::MeshEngine;
use crate::mesh::TriMesh;

/// The queries to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryMix {
    /// Whether distances are among the queries, or anything that needs them.
    pub distances: bool,
    /// Whether many queries will be run on the same meshes, so that building counts for little.
    pub many: bool,
}

/// An engine and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// The engine.
    pub engine: MeshEngine,
    /// Why, in a sentence without a full stop.
    pub reason: String,
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.engine, self.reason)
    }
}

/// Microseconds to build a tree, per face, and for any mesh.
const BUILD_PER_FACE: f64 = 1.5;
const BUILD: f64 = 50.0;
/// Microseconds for one sweep over all faces, per face, as long as the smaller mesh has few.
const SWEEP_PER_FACE: f64 = 0.06;
/// Faces of the smaller mesh from which on a sweep costs more per face, as their root.
const SWEEP_GROWS_FROM: f64 = 350.0;

/// The engine that is likely to answer the queries about these meshes first. All candidates are
/// exact.
///
/// ```
/// use impinge::bvh::choose_engine::{QueryMix, choose_mesh_engine};
/// use impinge::bvh::engines::MeshEngine;
/// use impinge::generate::icosphere;
/// let ball = icosphere(1.0, 4)?;
/// let mix = QueryMix { distances: true, ..QueryMix::default() };
/// assert_eq!(choose_mesh_engine(&ball, &ball, mix).engine, MeshEngine::WideTree);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn choose_mesh_engine(a: &TriMesh, b: &TriMesh, questions: QueryMix) -> EngineChoice {
    let (faces_a, faces_b) = (a.face_count(), b.face_count());
    let faces = faces_a + faces_b;
    let smaller = faces_a.min(faces_b) as f64;
    let growth = (smaller / SWEEP_GROWS_FROM).max(1.0).sqrt();
    let sweep = SWEEP_PER_FACE * faces as f64 * growth;
    let build = BUILD + BUILD_PER_FACE * faces as f64;
    let (engine, reason) = if questions.distances {
        let reason = "distances are asked, and it is the fastest engine that tells them";
        (MeshEngine::WideTree, reason.to_owned())
    } else if faces_a == 0 || faces_b == 0 {
        let reason = "a mesh is empty, so that no index is worth building";
        (MeshEngine::FaceSweep, reason.to_owned())
    } else if questions.many {
        let reason = format!("many questions about {faces} faces pay for building trees");
        (MeshEngine::WideTree, reason)
    } else if sweep <= build {
        let reason = format!(
            "for one question about {faces} faces a sweep over all of them, some {sweep:.0} microseconds, is quicker than \
             building trees, some {build:.0}"
        );
        (MeshEngine::FaceSweep, reason)
    } else {
        let reason = format!(
            "for {faces} faces building trees, some {build:.0} microseconds, is quicker than one sweep over all of them, some \
             {sweep:.0}"
        );
        (MeshEngine::WideTree, reason)
    };
    EngineChoice { engine, reason }
}
