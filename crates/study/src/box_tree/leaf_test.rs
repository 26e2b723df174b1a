//! The test of two leaves: each candidate pair is decided exactly, once.

use std::ops::ControlFlow;

use glam::DVec3;

use super::counts::BoxTreeCounts;
use super::scratch::{BoxTreeCache, CollectedFace, PlacedVertices};
use super::seen_pairs::SeenPairs;
use super::traverse::{PairStacks, look};
use crate::own_faces::OwnFaces;
use impinge::bound::Aabb;
use impinge::geom::{segment_meets_triangle, triangles_intersect};
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{FaceId, FacePair, Limits, Outcome, Sink};

/// Exact tests between two checks of [`Limits::stop`].
const TESTS_PER_LOOK: u64 = 1024;

/// Two meshes, a placement, and where results go.
pub(super) struct LeafPairTest<'d> {
    mesh_a: &'d TriMesh,
    mesh_b: &'d TriMesh,
    a_from_b: &'d Pose,
    pub(super) limits: &'d Limits<'d>,
    sink: &'d mut dyn Sink<FacePair>,
    placed: &'d mut PlacedVertices,
    tested: &'d mut SeenPairs,
    reported: &'d mut SeenPairs,
    collected: &'d mut Vec<CollectedFace>,
    /// The leaf of `b` that was collected last, and the box around what was.
    last: Option<(u32, Aabb)>,
    /// Faces of `b` outside this are left out before they are paired: the box of all of `a`.
    region: Option<Aabb>,
}

/// A decider, and the counters and stacks of the cache whose memory it uses.
pub(super) type LeafSearch<'d> = (LeafPairTest<'d>, &'d mut BoxTreeCounts, &'d mut PairStacks);

/// The part of a [`MeshIndex`](impinge::bvh::MeshIndex) that is the same for all trees of boxes: `search` descends two of them, `check`
/// returns the first promise that does not hold.
macro_rules! box_tree_index {
    ($config:ty, $name:literal) => {
        type Config = $config;
        type Cache = BoxTreeCache;
        const NAME: &'static str = $name;

        fn mesh(&self) -> &Arc<TriMesh> {
            &self.mesh
        }

        fn intersections(
            &self,
            other: &Self,
            self_from_other: &Pose,
            limits: Limits<'_>,
            cache: &mut BoxTreeCache,
            sink: &mut dyn Sink<FacePair>,
        ) -> Outcome {
            cache.begin(other.mesh.vertex_count());
            let region = self.config.collect.then_some(self.bounds);
            let meshes = [self.mesh.as_ref(), &other.mesh];
            let search = LeafPairTest::new(meshes, self_from_other, &limits, region, cache, sink);
            self.search(other, self_from_other, search)
        }

        fn work(cache: &BoxTreeCache) -> Work {
            cache.counts.work
        }

        fn validate(&self) -> Result<(), Violation> {
            self.check().map_err(|promise| Violation {
                index: Self::NAME,
                promise,
            })
        }
    };
}
pub(super) use box_tree_index;

/// Edges of a mesh with their faces.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeTable {
    /// The vertices of each edge; equal for a face that has collapsed.
    pub(super) ends: Vec<[u32; 2]>,
    /// Where the faces of each edge begin in `faces`, and one number more.
    first_face: Vec<u32>,
    faces: Vec<u32>,
}

impl EdgeTable {
    /// The edges of all faces, each once.
    pub(super) fn new(mesh: &TriMesh) -> Self {
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * mesh.face_count());
        for (&[p, q, r], face) in mesh.faces().iter().zip(0..) {
            for (s, t) in [(p, q), (q, r), (r, p)] {
                sides.push(([s.min(t), s.max(t)], face));
            }
        }
        sides.sort_unstable();
        sides.dedup();
        let mut table = Self::default();
        for (ends, face) in sides {
            if table.ends.last() != Some(&ends) {
                table.ends.push(ends);
                table.first_face.push(table.faces.len() as u32);
            }
            table.faces.push(face);
        }
        table.first_face.push(table.faces.len() as u32);
        table
    }

    /// The faces that have the edge.
    pub(super) fn faces(&self, edge: u32) -> &[u32] {
        let first = self.first_face[edge as usize] as usize;
        &self.faces[first..self.first_face[edge as usize + 1] as usize]
    }

    /// The edge's box.
    pub(super) fn bounds(&self, edge: u32, positions: &[DVec3]) -> Aabb {
        Aabb::enclosing(self.ends[edge as usize].map(|v| positions[v as usize]))
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.ends.as_slice())
            + size_of_val(self.first_face.as_slice())
            + size_of_val(self.faces.as_slice())
    }
}

impl<'d> LeafPairTest<'d> {
    /// A decider for two meshes, and the counters and stacks of the cache whose memory it uses. `region` is the box of all of `a` when
    /// faces of `b` outside it are to be left out.
    pub(super) fn new(
        [mesh_a, mesh_b]: [&'d TriMesh; 2],
        a_from_b: &'d Pose,
        limits: &'d Limits<'d>,
        region: Option<Aabb>,
        cache: &'d mut BoxTreeCache,
        sink: &'d mut dyn Sink<FacePair>,
    ) -> LeafSearch<'d> {
        let decider = Self {
            mesh_a,
            mesh_b,
            a_from_b,
            limits,
            sink,
            placed: &mut cache.placed,
            tested: &mut cache.tested,
            reported: &mut cache.reported,
            collected: &mut cache.collected,
            last: None,
            region,
        };
        (decider, &mut cache.counts, &mut cache.stacks)
    }

    /// The first look at the boxes of all of both meshes: see [`look`].
    pub(super) fn look(
        &self,
        bounds_a: &Aabb,
        bounds_b: &Aabb,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        look(bounds_a, bounds_b, self.a_from_b, self.limits, counts)
    }

    /// Reports the pairs of faces of two leaves that meet. `may_repeat` says for a pair whether it can come again.
    pub(super) fn faces(
        &mut self,
        faces_a: &[u32],
        leaf_b: u32,
        faces_b: &[u32],
        may_repeat: impl Fn(u32, u32) -> bool,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        let bounds_b = self.collect_b(leaf_b, faces_b);
        for &a in faces_a {
            let corners_a = self.mesh_a.triangle(FaceId::new(a));
            let bounds_a = Aabb::enclosing(corners_a);
            counts.candidates += self.collected.len() as u64;
            if !bounds_a.overlaps(&bounds_b) {
                continue;
            }
            for face_b in self.collected.iter() {
                if !bounds_a.overlaps(&face_b.bounds) {
                    continue;
                }
                let b = face_b.element;
                if may_repeat(a, b) && !self.tested.insert(a, b) {
                    counts.repeats += 1;
                    continue;
                }
                self.limits.spend_face_test(counts)?;
                if triangles_intersect(&corners_a, &face_b.corners) {
                    let pair = FacePair {
                        a: FaceId::new(a),
                        b: FaceId::new(b),
                    };
                    if self.sink.accept(pair).is_break() {
                        return ControlFlow::Break(Outcome::StoppedBySink);
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Tests the edges of each leaf against the faces of the other and reports the pairs of faces that intersect.
    pub(super) fn edges(
        &mut self,
        [edges_a, faces_a]: [&[u32]; 2],
        leaf_b: u32,
        [edges_b, faces_b]: [&[u32]; 2],
        [table_a, table_b]: [&EdgeTable; 2],
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        let bounds_b = self.collect_b(leaf_b, faces_b);
        for &edge in edges_a {
            let [p, q] = table_a.ends[edge as usize].map(|v| self.mesh_a.positions()[v as usize]);
            let bounds = Aabb::enclosing([p, q]);
            counts.candidates += self.collected.len() as u64;
            if !bounds.overlaps(&bounds_b) {
                continue;
            }
            for i in 0..self.collected.len() {
                let face = self.collected[i];
                if !bounds.overlaps(&face.bounds) {
                    continue;
                }
                if !self.tested.insert(edge, face.element) {
                    counts.repeats += 1;
                    continue;
                }
                self.limits.spend_face_test(counts)?;
                if segment_meets_triangle(p, q, &face.corners) {
                    for &a in table_a.faces(edge) {
                        self.report(a, face.element)?;
                    }
                }
            }
        }
        for &edge in edges_b {
            let [p, q] =
                table_b.ends[edge as usize].map(|v| self.placed.get(self.mesh_b, self.a_from_b, v));
            let bounds = Aabb::enclosing([p, q]);
            if self.region.is_some_and(|region| !region.overlaps(&bounds)) {
                continue;
            }
            counts.candidates += faces_a.len() as u64;
            for &face in faces_a {
                let corners = self.mesh_a.triangle(FaceId::new(face));
                if !bounds.overlaps(&Aabb::enclosing(corners)) {
                    continue;
                }
                // Face ids stay below 2^31, so the highest bit tells the two directions apart.
                if !self.tested.insert(edge, face | 1 << 31) {
                    counts.repeats += 1;
                    continue;
                }
                self.limits.spend_face_test(counts)?;
                if segment_meets_triangle(p, q, &corners) {
                    for &b in table_b.faces(edge) {
                        self.report(face, b)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Fills `collected` with the placed faces of `b` that are in the region; returns the box around them.
    fn collect_b(&mut self, leaf_b: u32, faces_b: &[u32]) -> Aabb {
        // The descent often shows several leaves of `a` in a row for one of `b`.
        if let Some((last, bounds)) = self.last
            && last == leaf_b
        {
            return bounds;
        }
        let mut all = Aabb::EMPTY;
        self.collected.clear();
        for &face in faces_b {
            let corners = self.mesh_b.faces()[face as usize]
                .map(|v| self.placed.get(self.mesh_b, self.a_from_b, v));
            let bounds = Aabb::enclosing(corners);
            if self.region.is_none_or(|region| region.overlaps(&bounds)) {
                all = all.union(&bounds);
                self.collected.push(CollectedFace {
                    element: face,
                    corners,
                    bounds,
                });
            }
        }
        self.last = Some((leaf_b, all));
        all
    }

    fn report(&mut self, a: u32, b: u32) -> ControlFlow<Outcome> {
        if !self.reported.insert(a, b) {
            return ControlFlow::Continue(());
        }
        let pair = FacePair {
            a: FaceId::new(a),
            b: FaceId::new(b),
        };
        match self.sink.accept(pair) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(Outcome::StoppedBySink),
        }
    }
}

/// Spending tests one by one.
trait SpendTests {
    fn spend_face_test(&self, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome>;
}

impl SpendTests for Limits<'_> {
    #[inline]
    fn spend_face_test(&self, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome> {
        if !self.allows(counts.work.tests()) {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        if counts.work.face_tests.is_multiple_of(TESTS_PER_LOOK) && self.is_stopped() {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        counts.work.face_tests += 1;
        ControlFlow::Continue(())
    }
}
