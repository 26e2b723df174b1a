//! Which checks come before the exact decision, and how exact it is.

/// The cheap checks that come before an edge and a face are decided, each on or off.
///
/// None of them changes an exact answer; each saves work or costs it.
///
/// ```
/// use impinge_study::edge_polygon::PreChecks;
/// let without_planes = PreChecks { plane_side: false, ..PreChecks::ALL };
/// assert_ne!(without_planes, PreChecks::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreChecks {
    /// The boxes of the two bodies, once.
    pub bodies: bool,
    /// Faces against the other body's box, once each: the others take no part.
    pub face_collect: bool,
    /// Each edge against the other body's box.
    pub edge_body: bool,
    /// Each edge against the box of each face.
    pub edge_face: bool,
    /// Each edge against the plane of each face: both ends clearly on one side.
    pub plane_side: bool,
}

impl PreChecks {
    /// Every check.
    pub const ALL: Self = Self {
        bodies: true,
        face_collect: true,
        edge_body: true,
        edge_face: true,
        plane_side: true,
    };

    /// No check: every edge is decided against every face.
    pub const NONE: Self = Self {
        bodies: false,
        face_collect: false,
        edge_body: false,
        edge_face: false,
        plane_side: false,
    };
}

impl Default for PreChecks {
    /// All of them.
    fn default() -> Self {
        Self::ALL
    }
}

/// How close the reported pairs are to the true ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EdgePolygonAccuracy {
    /// The true pairs.
    #[default]
    Exact,
    /// A subset of them: only faces with a vertex in the other body's box take part.
    ///
    /// Collecting by vertices is cheaper than by faces when each vertex has many faces. What is reported is true.
    /// Useless for bodies with few, large faces.
    RelaxedCollect,
    /// A superset of them: what passes the pre-checks is reported. What is not reported is certain.
    PreChecksOnly,
}

/// How the edge–polygon algorithm works.
///
/// ```
/// use impinge_study::edge_polygon::EdgePolygonConfig;
/// assert!(EdgePolygonConfig::default().is_exact());
/// assert!(!EdgePolygonConfig::relaxed().is_exact());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgePolygonConfig {
    /// The checks before the exact decision.
    pub pre_checks: PreChecks,
    /// What is reported.
    pub accuracy: EdgePolygonAccuracy,
    /// Whether edges in the plane of a face are decided too.
    ///
    /// Without, as in 1994, such edges count as apart, and faces that only share points of their common plane are missed.
    pub coplanar: bool,
}

impl Default for EdgePolygonConfig {
    /// Exact, with every pre-check.
    fn default() -> Self {
        Self {
            pre_checks: PreChecks::ALL,
            accuracy: EdgePolygonAccuracy::Exact,
            coplanar: true,
        }
    }
}

impl EdgePolygonConfig {
    /// With [`EdgePolygonAccuracy::RelaxedCollect`].
    ///
    /// ```
    /// use impinge_study::edge_polygon::{EdgePolygonAccuracy, EdgePolygonConfig};
    /// assert_eq!(EdgePolygonConfig::relaxed().accuracy, EdgePolygonAccuracy::RelaxedCollect);
    /// ```
    #[must_use]
    pub fn relaxed() -> Self {
        Self {
            accuracy: EdgePolygonAccuracy::RelaxedCollect,
            ..Self::default()
        }
    }

    /// With [`EdgePolygonAccuracy::PreChecksOnly`].
    ///
    /// ```
    /// use impinge_study::edge_polygon::{EdgePolygonAccuracy, EdgePolygonConfig};
    /// assert_eq!(EdgePolygonConfig::pre_checks_only().accuracy, EdgePolygonAccuracy::PreChecksOnly);
    /// ```
    #[must_use]
    pub fn pre_checks_only() -> Self {
        Self {
            accuracy: EdgePolygonAccuracy::PreChecksOnly,
            ..Self::default()
        }
    }

    /// Whether the pairs are exactly the true ones.
    ///
    /// ```
    /// use impinge_study::edge_polygon::EdgePolygonConfig;
    /// assert!(EdgePolygonConfig::default().is_exact() && !EdgePolygonConfig::relaxed().is_exact());
    /// ```
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.accuracy == EdgePolygonAccuracy::Exact && self.coplanar
    }
}
