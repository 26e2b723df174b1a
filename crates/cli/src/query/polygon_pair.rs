//! The edge-polygon engine on polygons as they were read.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::engines::{MeshEngine, PreparedPair};
use impinge::bvh::wide::LeafBox;
use impinge::geom::triangles_intersect;
use impinge::query::{Bounded, FaceId, FacePair, Limits, Outcome, Separation, Sink, Work};
use impinge::{Pose, TriMesh};
use impinge_study::edge_polygon::{
    EdgePolygonAccuracy, EdgePolygonCache, EdgePolygonConfig, PolygonIndex,
};
use impinge_study::engines::{EDGE_POLYGON, EDGE_POLYGON_PRE_CHECKS, EDGE_POLYGON_RELAXED};

/// Two meshes whose faces are the polygons of their files. Answers are in triangles, as those of every engine: of polygons that meet, the
/// triangles that do.
pub(crate) struct PolygonPair {
    a: PolygonIndex,
    b: PolygonIndex,
    cache: EdgePolygonCache,
    config: EdgePolygonConfig,
    /// Pairs of triangles looked at in the polygons that were found.
    triangle_tests: u64,
}

impl PolygonPair {
    /// The pair, when the engine works on polygons and one of the files has any.
    pub(crate) fn new(
        engine: MeshEngine,
        [a, b]: [&Arc<TriMesh>; 2],
        polygons: [Option<&[u32]>; 2],
    ) -> Option<Self> {
        if polygons == [None; 2] {
            return None;
        }
        let config = if engine == EDGE_POLYGON {
            EdgePolygonConfig::default()
        } else if engine == EDGE_POLYGON_RELAXED {
            EdgePolygonConfig::relaxed()
        } else if engine == EDGE_POLYGON_PRE_CHECKS {
            EdgePolygonConfig::pre_checks_only()
        } else {
            return None;
        };
        let index = |mesh: &Arc<TriMesh>, polygons: Option<&[u32]>| {
            PolygonIndex::from_triangles(Arc::clone(mesh), polygons.unwrap_or_default(), &config)
        };
        Some(Self {
            a: index(a, polygons[0]),
            b: index(b, polygons[1]),
            cache: EdgePolygonCache::default(),
            config,
            triangle_tests: 0,
        })
    }

    /// How many polygons each mesh has.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.a.polygon_count(), self.b.polygon_count()]
    }
}

impl PreparedPair for PolygonPair {
    fn intersections(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        let (a, b) = (&self.a, &self.b);
        // Pre-checks alone say nothing about triangles: all of them are candidates.
        let decides = self.config.accuracy != EdgePolygonAccuracy::PreChecksOnly;
        let mut tests = 0;
        let mut expand = |found: FacePair| {
            for face_b in b.faces_of(found.b).map(FaceId::new) {
                let Some(corners_b) = b.triangles().face(face_b) else {
                    continue;
                };
                let corners_b = corners_b.map(|p| a_from_b.transform_point(p));
                for face_a in a.faces_of(found.a).map(FaceId::new) {
                    tests += 1;
                    let meets = a.triangles().face(face_a).is_some_and(|corners_a| {
                        !decides || triangles_intersect(&corners_a, &corners_b)
                    });
                    if meets {
                        sink.accept(FacePair {
                            a: face_a,
                            b: face_b,
                        })?;
                    }
                }
            }
            ControlFlow::Continue(())
        };
        let outcome = a.intersections(b, a_from_b, limits, &mut self.cache, &mut expand);
        self.triangle_tests = tests;
        outcome
    }

    fn distance(&mut self, _: &Pose, _: Limits<'_>) -> Option<Bounded<Option<Separation>>> {
        None
    }

    fn within(&mut self, _: &Pose, _: f64, _: Limits<'_>) -> Option<Bounded<Option<Separation>>> {
        None
    }

    fn leaf_boxes(&self) -> Option<[Vec<LeafBox>; 2]> {
        None
    }

    fn forget(&mut self) {
        self.cache = EdgePolygonCache::default();
    }

    fn work(&self) -> Work {
        let mut work = self.cache.counts().work();
        work.face_tests += self.triangle_tests;
        work
    }

    fn bytes(&self) -> usize {
        self.a.bytes() + self.b.bytes()
    }
}
