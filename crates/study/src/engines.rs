//! Every engine for two meshes by name: the library's and those of this crate.
//!
//! ```
//! use impinge::generate::icosphere;
//! use impinge::query::{Count, Limits};
//! use impinge::Pose;
//! use impinge_study::engines::{MESH_ENGINES, mesh_engine};
//! use std::sync::Arc;
//! let ball = Arc::new(icosphere(1.0, 2)?);
//! for &engine in MESH_ENGINES {
//!     assert_eq!(mesh_engine(engine.name()), Some(engine));
//!     let mut pair = engine.prepare(ball.clone(), ball.clone());
//!     let mut count = Count::default();
//!     let _ = pair.intersections(&Pose::from_translation([1.5, 0.0, 0.0])?, Limits::default(), &mut count);
//!     assert!(count.0 > 0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use impinge::TriMesh;
use impinge::bvh::MeshIndex;
use impinge::bvh::engines::{ExternalEngine, MeshEngine, Prepared, PreparedPair};

use crate::box_tree::{BoxTree, CutTree, RestrictedTree};
use crate::edge_polygon::{EdgePolygon, EdgePolygonConfig};
use crate::z_buffer::ZBufferFaces;

/// One cut plane per node, children that tile their parent, as published in 1994.
pub const CUT_TREE: MeshEngine = MeshEngine::External(&ExternalEngine {
    name: CutTree::NAME,
    is_exact: true,
    answers_distance: false,
    prepare: |a, b| {
        let pair = Prepared::<CutTree>::new(a, b, |t| t.shape().bytes);
        Box::new(pair.with_leaf_boxes(CutTree::leaf_boxes))
    },
});

/// Two cut planes per node.
pub const BOX_TREE: MeshEngine = MeshEngine::External(&ExternalEngine {
    name: BoxTree::NAME,
    is_exact: true,
    answers_distance: false,
    prepare: |a, b| {
        let pair = Prepared::<BoxTree>::new(a, b, |t| t.shape().bytes);
        Box::new(pair.with_leaf_boxes(BoxTree::leaf_boxes))
    },
});

/// Boxes that differ from their parent's in few sides.
pub const RESTRICTED_TREE: MeshEngine = MeshEngine::External(&ExternalEngine {
    name: RestrictedTree::NAME,
    is_exact: true,
    answers_distance: false,
    prepare: |a, b| {
        let pair = Prepared::<RestrictedTree>::new(a, b, |t| t.shape().bytes);
        Box::new(pair.with_leaf_boxes(RestrictedTree::leaf_boxes))
    },
});

/// Edges against faces without a tree, as published in 1994 and made exact.
pub const EDGE_POLYGON: MeshEngine = MeshEngine::External(&ExternalEngine {
    name: EdgePolygon::NAME,
    is_exact: true,
    answers_distance: false,
    prepare: |a, b| edges(a, b, &EdgePolygonConfig::default()),
});

/// The same with faces collected by their vertices: reports a subset of the pairs.
pub const EDGE_POLYGON_RELAXED: MeshEngine = MeshEngine::External(&ExternalEngine {
    name: "edge-polygon-relaxed",
    is_exact: false,
    answers_distance: false,
    prepare: |a, b| edges(a, b, &EdgePolygonConfig::relaxed()),
});

/// The same without the exact decision: reports a superset of the pairs.
pub const EDGE_POLYGON_PRE_CHECKS: MeshEngine = MeshEngine::External(&ExternalEngine {
    name: "edge-polygon-pre-checks",
    is_exact: false,
    answers_distance: false,
    prepare: |a, b| edges(a, b, &EdgePolygonConfig::pre_checks_only()),
});

/// Depth images of both meshes: reports a superset of the pairs, the others no farther apart than the diagonal of a pixel.
pub const Z_BUFFER: MeshEngine = MeshEngine::External(&ExternalEngine {
    name: ZBufferFaces::NAME,
    is_exact: false,
    answers_distance: false,
    prepare: |a, b| Box::new(Prepared::<ZBufferFaces>::new(a, b, ZBufferFaces::bytes)),
});

/// The engines of this crate.
pub const STUDY_ENGINES: &[MeshEngine] = &[
    CUT_TREE,
    BOX_TREE,
    RESTRICTED_TREE,
    EDGE_POLYGON,
    EDGE_POLYGON_RELAXED,
    EDGE_POLYGON_PRE_CHECKS,
    Z_BUFFER,
];

/// Every engine: those of the library, then those of this crate.
pub const MESH_ENGINES: &[MeshEngine] = &{
    let mut all = [MeshEngine::FaceSweep; MeshEngine::ALL.len() + STUDY_ENGINES.len()];
    let (library, _) = all.split_at_mut(MeshEngine::ALL.len());
    library.copy_from_slice(&MeshEngine::ALL);
    let (_, study) = all.split_at_mut(MeshEngine::ALL.len());
    study.copy_from_slice(STUDY_ENGINES);
    all
};

/// The engine with this name.
///
/// ```
/// use impinge::bvh::engines::MeshEngine;
/// use impinge_study::engines::{Z_BUFFER, mesh_engine};
/// assert_eq!(mesh_engine("wide"), Some(MeshEngine::WideTree));
/// assert_eq!(mesh_engine("z-buffer"), Some(Z_BUFFER));
/// assert_eq!(mesh_engine("zbuffer"), None);
/// ```
#[must_use]
pub fn mesh_engine(name: &str) -> Option<MeshEngine> {
    let mut engines = MESH_ENGINES.iter().copied();
    engines.find(|engine| engine.name() == name)
}

fn edges(a: Arc<TriMesh>, b: Arc<TriMesh>, config: &EdgePolygonConfig) -> Box<dyn PreparedPair> {
    let bytes = EdgePolygon::bytes;
    Box::new(Prepared::<EdgePolygon>::with_config(a, b, config, bytes))
}
