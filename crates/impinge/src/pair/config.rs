//! Options of pair queries.

use std::sync::Arc;

use super::pair_registry::PairRegistry;
use super::solid_overlap::VolumeMethod;
use crate::bvh::engines::MeshEngine;

/// How pairs are queried. By default meshes are surfaces, and the library chooses the index.
///
/// ```
/// use impinge::pair::PairConfig;
/// let config = PairConfig { solid: true, ..PairConfig::default() };
/// assert!(config.engine.is_none() && config.registry.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct PairConfig {
    /// The engine for two meshes; none leaves the choice to the library, and shares the indexes of
    /// a mesh between all its pairs.
    pub engine: Option<MeshEngine>,
    /// Whether closed meshes are solids: then a shape inside one collides with it, at distance 0, and has a contact with the minimum translation. Convex shapes and particles always are
    /// solid, height fields never. Open meshes are refused.
    pub solid: bool,
    /// Maximum number of contact points of a patch: of two convex shapes, or of the parts of
    /// surfaces that face each other in one direction. `usize::MAX` reports every contact of every
    /// two faces.
    pub max_contacts: usize,
    /// A gap below this fraction of the size of the shapes counts as contact in times of impact.
    pub impact_tolerance: f64,
    /// Whether quick deciders race the exact engine of two meshes: a plane that separated them
    /// before says no, two faces that met before, or a point of both solids, say yes. Applies only
    /// to intersection queries, with the library's default index. Answers are the same; the
    /// reported pair of faces may differ.
    ///
    /// ```
    /// use impinge::{generate::icosphere, pair::PairConfig, prelude::*};
    /// let (config, ball) = (PairConfig { race: true, ..PairConfig::default() }, Mesh::from(icosphere(1.0, 4)?));
    /// let mut pair = Pair::with_config(&ball, &ball, &config)?;
    /// assert!(!pair.intersects(&Pose::from_translation([2.5, 0.0, 0.0])?));
    /// assert!(pair.intersects(&Pose::from_translation([1.5, 0.0, 0.0])?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub race: bool,
    /// The number of pieces into which the second of two large meshes is split, so that threads
    /// share one pair; up to 1 keeps it whole. Applies only to intersection queries, with the
    /// library's default index. A piece has at least 256 faces. Answers are the same for any number
    /// of threads; the order of pairs, and the reported pair of faces, depend on the number of
    /// pieces.
    ///
    /// ```
    /// use impinge::{generate::icosphere, pair::PairConfig, prelude::*};
    /// let (config, ball) = (PairConfig { pieces: 4, ..PairConfig::default() }, Mesh::from(icosphere(1.0, 12)?));
    /// let mut pair = Pair::with_config(&ball, &ball, &config)?;
    /// assert!(!pair.intersects(&Pose::from_translation([2.5, 0.0, 0.0])?));
    /// assert!(pair.intersects(&Pose::from_translation([1.5, 0.0, 0.0])?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub pieces: usize,
    /// How the overlap of solids is found by [`OverlapQuery`](super::OverlapQuery), and for events of volume in worlds.
    pub volume_method: VolumeMethod,
    /// Tests that one overlap may spend in a world; bounds hold where they are spent. None for no limit.
    pub volume_tests: Option<u64>,
    /// Functions for user-defined kinds.
    pub registry: Option<Arc<PairRegistry>>,
}

impl Default for PairConfig {
    fn default() -> Self {
        Self {
            engine: None,
            solid: false,
            max_contacts: 4,
            impact_tolerance: 1e-9,
            race: false,
            pieces: 1,
            volume_method: VolumeMethod::Auto,
            volume_tests: None,
            registry: None,
        }
    }
}
