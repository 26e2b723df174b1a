//! Both directions of a query, one after the other or in parallel.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::config::EdgePolygonConfig;
use super::counts::EdgePolygonCounts;
use super::edge_face_pass::{PassEnd, PlacedMesh, TestBudget, edge_face_pass};
use super::prepared_mesh::EdgeFaceMesh;
use super::scratch::{EdgePolygonCache, PassScratch};
use impinge::bound::Aabb;
use impinge::math::Pose;
use impinge::query::{FaceId, FacePair, Limits, Outcome, Sink};

/// The method `intersections` of an index that has a `body` and a `config`.
macro_rules! intersections_of_bodies {
    ($(#[$doc:meta])* $visibility:vis fn) => {
        $(#[$doc])*
        $visibility fn intersections(
            &self,
            other: &Self,
            self_from_other: &Pose,
            limits: Limits<'_>,
            cache: &mut EdgePolygonCache,
            sink: &mut dyn Sink<FacePair>,
        ) -> Outcome {
            let (bodies, config) = ([&self.body, &other.body], &self.config);
            query::intersections(bodies, self_from_other, config, limits, cache, sink)
        }
    };
}
pub(super) use intersections_of_bodies;

/// Reports every pair of faces of which an edge of one meets the other, each once.
pub(super) fn intersections(
    [a, b]: [&EdgeFaceMesh; 2],
    a_from_b: &Pose,
    config: &EdgePolygonConfig,
    limits: Limits<'_>,
    cache: &mut EdgePolygonCache,
    sink: &mut dyn Sink<FacePair>,
) -> Outcome {
    cache.start();
    if a.face_count() == 0 || b.face_count() == 0 {
        return Outcome::Complete;
    }
    if limits.is_stopped() {
        return Outcome::OutOfBudget;
    }
    let mut budget = TestBudget::new(limits);
    let bounds_b = cache.place(b, a_from_b);
    let ended = apart(a, &bounds_b, config, &mut budget, &mut cache.counts);
    match ended {
        ControlFlow::Break(outcome) => return outcome,
        ControlFlow::Continue(true) => return Outcome::Complete,
        ControlFlow::Continue(false) => {}
    }
    let EdgePolygonCache {
        placed,
        boxes,
        shapes,
        reported,
        passes,
        counts,
    } = cache;
    let placed_a = at_home(a);
    let placed_b = PlacedMesh {
        body: b,
        positions: placed,
        boxes,
        shapes,
        bounds: bounds_b,
    };
    let mut outcome = Outcome::Complete;
    for (direction, scratch) in passes.iter_mut().enumerate() {
        let [edges_of, faces_of] = if direction == 0 {
            [&placed_a, &placed_b]
        } else {
            [&placed_b, &placed_a]
        };
        let mut found = |of_edge: u32, met: u32| {
            let (a, b) = if direction == 0 {
                (of_edge, met)
            } else {
                (met, of_edge)
            };
            if !reported.insert(a, b) {
                return ControlFlow::Continue(());
            }
            let pair = FacePair {
                a: FaceId::new(a),
                b: FaceId::new(b),
            };
            match sink.accept(pair) {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(()) => ControlFlow::Break(Outcome::StoppedBySink),
            }
        };
        let ended = edge_face_pass(
            edges_of,
            faces_of,
            config,
            scratch,
            &mut budget,
            None,
            &mut found,
        );
        *counts += scratch.counts;
        match ended {
            ControlFlow::Continue(PassEnd::Through) => {}
            ControlFlow::Continue(PassEnd::NothingNear | PassEnd::CalledOff) => break,
            ControlFlow::Break(ended) => {
                outcome = ended;
                break;
            }
        }
    }
    outcome
}

/// Whether any pair would be reported, both directions at once when the feature `parallel` is on.
pub(super) fn meets_by_two(
    a: &EdgeFaceMesh,
    b: &EdgeFaceMesh,
    a_from_b: &Pose,
    config: &EdgePolygonConfig,
    cache: &mut EdgePolygonCache,
) -> bool {
    cache.start();
    if a.face_count() == 0 || b.face_count() == 0 {
        return false;
    }
    let bounds_b = cache.place(b, a_from_b);
    let mut budget = TestBudget::new(Limits::default());
    if apart(a, &bounds_b, config, &mut budget, &mut cache.counts) == ControlFlow::Continue(true) {
        return false;
    }
    let placed_a = at_home(a);
    let placed_b = PlacedMesh {
        body: b,
        positions: &cache.placed,
        boxes: &cache.boxes,
        shapes: &cache.shapes,
        bounds: bounds_b,
    };
    let over = AtomicBool::new(false);
    let [first, second] = &mut cache.passes;
    let one_way =
        |edges_of: &PlacedMesh<'_>, faces_of: &PlacedMesh<'_>, scratch: &mut PassScratch| {
            let ended = edge_face_pass(
                edges_of,
                faces_of,
                config,
                scratch,
                &mut TestBudget::new(Limits::default()),
                Some(&over),
                &mut |_, _| ControlFlow::Break(Outcome::StoppedBySink),
            );
            // Relaxed order: a late look costs the other pass one edge more and changes no answer.
            let is_hit = ended == ControlFlow::Break(Outcome::StoppedBySink);
            let is_far = ended == ControlFlow::Continue(PassEnd::NothingNear);
            // As one after the other: only the first direction may find that there is nothing near. With relaxed accuracy
            // the second may find nothing where the first has a hit.
            if is_hit || (is_far && std::ptr::eq(edges_of, &placed_a)) {
                over.store(true, Ordering::Relaxed);
            }
            (is_hit, is_far)
        };
    #[cfg(feature = "parallel")]
    let ((forth, is_far), (back, _)) = rayon::join(
        || one_way(&placed_a, &placed_b, first),
        || one_way(&placed_b, &placed_a, second),
    );
    #[cfg(not(feature = "parallel"))]
    let ((forth, is_far), (back, _)) = (
        one_way(&placed_a, &placed_b, first),
        one_way(&placed_b, &placed_a, second),
    );
    for scratch in &cache.passes {
        cache.counts += scratch.counts;
    }
    forth || (back && !is_far)
}

fn at_home(body: &EdgeFaceMesh) -> PlacedMesh<'_> {
    PlacedMesh {
        body,
        positions: body.mesh().positions(),
        boxes: &body.boxes,
        shapes: &body.shapes,
        bounds: body.bounds,
    }
}

/// Whether the boxes of the bodies are checked and apart.
fn apart(
    a: &EdgeFaceMesh,
    bounds_b: &Aabb,
    config: &EdgePolygonConfig,
    budget: &mut TestBudget<'_>,
    counts: &mut EdgePolygonCounts,
) -> ControlFlow<Outcome, bool> {
    if !config.pre_checks.bodies {
        return ControlFlow::Continue(false);
    }
    budget.spend()?;
    counts.body_tests += 1;
    ControlFlow::Continue(!a.bounds.overlaps(bounds_b))
}

impl EdgePolygonCache {
    /// Forgets the last query.
    fn start(&mut self) {
        self.counts = EdgePolygonCounts::default();
        self.reported.clear();
        for scratch in &mut self.passes {
            scratch.counts = EdgePolygonCounts::default();
        }
    }

    /// Places a body's vertices and measures its faces there; returns its box.
    fn place(&mut self, body: &EdgeFaceMesh, pose: &Pose) -> Aabb {
        self.placed.clear();
        let positions = body.mesh().positions();
        self.placed
            .extend(positions.iter().map(|&p| pose.transform_point(p)));
        body.measure(&self.placed, &mut self.boxes, &mut self.shapes)
    }
}
