//! The cost of a query, check by check.

use std::ops::AddAssign;

use impinge::query::Work;

/// How often each check was made for one query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgePolygonCounts {
    /// Pairs of bodies whose boxes were compared.
    pub body_tests: u64,
    /// Faces, or vertices, compared with the other body's box.
    pub collect_tests: u64,
    /// Faces that took part, in both directions together.
    pub collected: u64,
    /// Edges compared with the other body's box.
    pub edge_body_tests: u64,
    /// Edges compared with the box of a face.
    pub edge_face_tests: u64,
    /// Edges compared with the plane of a face.
    pub plane_tests: u64,
    /// Edges and faces decided.
    pub exact_tests: u64,
    /// Edges and triangles decided because a polygon could not be decided as a whole.
    pub triangle_tests: u64,
    /// Edges and faces that meet, or passed as if they did.
    pub hits: u64,
}

impl EdgePolygonCounts {
    /// The same in the counters that all engines share: comparisons with boxes and planes as volume tests, decisions as
    /// face tests.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::edge_polygon::{EdgePolygon, EdgePolygonCache};
    /// use impinge::{Pose, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let index = EdgePolygon::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// let mut cache = EdgePolygonCache::default();
    /// assert!(index.meets_by_two(&index, &Pose::IDENTITY, &mut cache));
    /// assert!(cache.counts().work().tests() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn work(&self) -> Work {
        Work {
            volume_tests: self.body_tests
                + self.collect_tests
                + self.edge_body_tests
                + self.edge_face_tests
                + self.plane_tests,
            face_tests: self.exact_tests,
            updates: 0,
        }
    }
}

impl AddAssign for EdgePolygonCounts {
    fn add_assign(&mut self, other: Self) {
        self.body_tests += other.body_tests;
        self.collect_tests += other.collect_tests;
        self.collected += other.collected;
        self.edge_body_tests += other.edge_body_tests;
        self.edge_face_tests += other.edge_face_tests;
        self.plane_tests += other.plane_tests;
        self.exact_tests += other.exact_tests;
        self.triangle_tests += other.triangle_tests;
        self.hits += other.hits;
    }
}
