//! A convex shape against the surface of a mesh or height field, by its wide tree.
//!
//! **Idea.** The shape [descends](crate::bvh::wide) the tree: boxes and faces are bounded in SIMD
//! lanes, and the remaining faces are decided or measured like any two convex parts.
//! **Promise.** The reported faces are those that an exact test of every face finds. A distance is
//! that of the nearest face, the first of several equally near ones; each is measured from a cold
//! start, so that the answer does not depend on the order of the search.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::composite::Composite;
use super::convex_piece::{ConvexPiece, PieceCache, gap, meet};
use super::intersection::pair_of;
use super::placed_box::ROUNDING;
use crate::bvh::wide::{
    ConvexCore, ConvexProbe, ConvexVisitor, CoreKind, MAX_HULL_POINTS, SingleTreeCache, WideTree,
};
use crate::convex::{Convex, SupportMap};
use crate::math::Pose;
use crate::query::{Bounded, FaceId, FacePair, Limits, Outcome, Separation, Sink};

/// A convex shape and a surface, in the order of the query.
#[derive(Debug)]
pub(super) struct ConvexSurface {
    pub(super) sides: (Composite, Composite),
    part: ConvexPiece,
    tree: Arc<WideTree>,
    probe: ConvexProbe,
    is_mesh_a: bool,
    /// The largest coordinates of both.
    far: [f64; 2],
    cache: PieceCache,
    walk: SingleTreeCache,
}

impl ConvexSurface {
    /// None unless one is a convex part and the other a surface.
    pub(super) fn new(a: &Composite, b: &Composite) -> Option<Self> {
        let (part, surface, is_mesh_a) = match (a, b) {
            (Composite::One(part), surface) => (part, surface.surface()?, false),
            (surface, Composite::One(part)) => (part, surface.surface()?, true),
            _ => return None,
        };
        let tree = surface.wide().clone();
        let far = [a, b].map(|parts| {
            let bounds = parts.whole();
            bounds.min.abs().max(bounds.max.abs()).max_element()
        });
        Some(Self {
            // Without a face there is no box, and no distance either.
            far: far.map(|far| if far.is_finite() { far } else { 0.0 }),
            probe: ConvexProbe::new(&tree, core_of(part)),
            part: part.clone(),
            tree,
            is_mesh_a,
            cache: PieceCache::default(),
            walk: SingleTreeCache::default(),
            sides: (a.clone(), b.clone()),
        })
    }

    fn mesh_from_shape(&self, a_from_b: &Pose) -> Pose {
        if self.is_mesh_a {
            *a_from_b
        } else {
            a_from_b.inverse()
        }
    }

    /// Whether the shape meets a face.
    pub(super) fn any(&mut self, a_from_b: &Pose) -> bool {
        let mut is_met = false;
        let _ = self.search(a_from_b, Limits::default(), true, &mut |_| {
            is_met = true;
            ControlFlow::Break(())
        });
        is_met
    }

    /// Reports the faces that the shape meets, each once, in the order of the tree's lanes.
    pub(super) fn all(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        let is_mesh_a = self.is_mesh_a;
        self.search(a_from_b, limits, false, &mut |face| {
            let face = face.raw();
            let pair = if is_mesh_a {
                pair_of(face, 0)
            } else {
                pair_of(0, face)
            };
            sink.accept(pair)
        })
    }

    fn search(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        nearest_first: bool,
        found: &mut dyn FnMut(FaceId) -> ControlFlow<()>,
    ) -> Outcome {
        let placed = self.mesh_from_shape(a_from_b);
        let rounding = self.rounding(a_from_b);
        let mut visitor = MeetingFaces {
            part: &self.part,
            tree: &self.tree,
            a_from_b,
            is_mesh_a: self.is_mesh_a,
            cache: &mut self.cache,
            found,
            nearest_first,
        };
        let walk = &mut self.walk;
        self.tree
            .near_convex(&self.probe, &placed, rounding, limits, walk, &mut visitor)
            .outcome
    }

    /// The distance from the nearest face.
    pub(super) fn distance(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Bounded<Option<Separation>> {
        let within = limits.within();
        let placed = self.mesh_from_shape(a_from_b);
        let rounding = self.rounding(a_from_b);
        let mut nearest = NearestFace {
            part: &self.part,
            tree: &self.tree,
            a_from_b,
            mesh_from_shape: &placed,
            center: self.probe.center(),
            is_mesh_a: self.is_mesh_a,
            cache: &mut self.cache,
            within,
            best: None,
            lower: f64::INFINITY,
            is_new: false,
        };
        let walk = &mut self.walk;
        let searched =
            self.tree
                .near_convex(&self.probe, &placed, rounding, limits, walk, &mut nearest);
        let (mut best, lower) = (nearest.best, nearest.lower);
        if searched.outcome == Outcome::StoppedBySink
            && let Some(touching) = self.first_touching(a_from_b)
        {
            best = Some(touching);
        }
        let seen = best.map_or(within, |(best, _)| best.value.distance);
        // Others that were measured may be nearer by rounding. That much is taken off whether or not any were, so that the answer is the same for
        // every instruction set.
        let off = if seen.is_finite() {
            self.rounding(a_from_b) + ROUNDING * seen
        } else {
            0.0
        };
        let lower = if lower >= seen - off {
            seen - off
        } else {
            lower
        };
        Bounded {
            value: best.map(|(best, _)| best.value),
            lower: match best {
                Some((best, _)) if best.value.distance > 0.0 => {
                    lower.min(best.lower).min(searched.unexplored).max(0.0)
                }
                Some(_) => 0.0,
                None => seen.min(searched.unexplored).max(0.0),
            },
            upper: best.map_or(f64::INFINITY, |(best, _)| best.upper),
            outcome: match searched.outcome {
                // What touches ends the search.
                Outcome::StoppedBySink => Outcome::Complete,
                outcome => outcome,
            },
        }
    }

    /// The first face that touches, in the order of the lanes: which of several the nearest search came to depends on the instruction set.
    fn first_touching(&mut self, a_from_b: &Pose) -> Option<(Bounded<Separation>, FaceId)> {
        let mut first = None;
        let _ = self.search(a_from_b, Limits::default(), false, &mut |face| {
            first = Some(face);
            ControlFlow::Break(())
        });
        let face = first?;
        let corners = ConvexPiece::Triangle(self.tree.triangle(face));
        let [a, b] = ordered(self.is_mesh_a, &corners, &self.part);
        self.cache.gjk.forget();
        let own = gap(a, b, a_from_b, &mut self.cache);
        (own.value.distance == 0.0).then_some((own, face))
    }

    /// What distances in `f64` may be off by.
    fn rounding(&self, a_from_b: &Pose) -> f64 {
        let [far_a, far_b] = self.far;
        let moved = a_from_b.translation().abs().max_element();
        4.0 * ROUNDING * (far_a + 2.0 * far_b + moved)
    }
}

/// The parts of a face and the shape, in the order of the query.
fn ordered<'p>(
    is_mesh_a: bool,
    face: &'p ConvexPiece,
    part: &'p ConvexPiece,
) -> [&'p ConvexPiece; 2] {
    if is_mesh_a {
        [face, part]
    } else {
        [part, face]
    }
}

struct MeetingFaces<'q> {
    part: &'q ConvexPiece,
    tree: &'q WideTree,
    a_from_b: &'q Pose,
    is_mesh_a: bool,
    cache: &'q mut PieceCache,
    found: &'q mut dyn FnMut(FaceId) -> ControlFlow<()>,
    nearest_first: bool,
}

impl ConvexVisitor for MeetingFaces<'_> {
    fn bound(&self) -> f64 {
        0.0
    }

    fn is_nearest_first(&self) -> bool {
        self.nearest_first
    }

    fn visit(&mut self, face: FaceId, is_met: bool) -> ControlFlow<()> {
        if !is_met {
            let corners = ConvexPiece::Triangle(self.tree.triangle(face));
            let [a, b] = ordered(self.is_mesh_a, &corners, self.part);
            if !meet(a, b, self.a_from_b, self.cache) {
                return ControlFlow::Continue(());
            }
        }
        (self.found)(face)
    }
}

struct NearestFace<'q> {
    part: &'q ConvexPiece,
    tree: &'q WideTree,
    a_from_b: &'q Pose,
    mesh_from_shape: &'q Pose,
    center: DVec3,
    is_mesh_a: bool,
    cache: &'q mut PieceCache,
    within: f64,
    best: Option<(Bounded<Separation>, FaceId)>,
    lower: f64,
    is_new: bool,
}

impl ConvexVisitor for NearestFace<'_> {
    fn bound(&self) -> f64 {
        self.best
            .map_or(self.within, |(best, _)| best.value.distance)
    }

    fn visit(&mut self, face: FaceId, _: bool) -> ControlFlow<()> {
        let corners = ConvexPiece::Triangle(self.tree.triangle(face));
        let [a, b] = ordered(self.is_mesh_a, &corners, self.part);
        self.cache.gjk.forget();
        let own = gap(a, b, self.a_from_b, self.cache);
        self.lower = self.lower.min(own.lower);
        let distance = own.value.distance;
        let is_nearer = self
            .best
            .is_none_or(|(best, first)| (distance, face) < (best.value.distance, first));
        if distance <= self.within && is_nearer {
            self.best = Some((own, face));
            self.is_new = true;
        }
        if distance == 0.0 {
            // Nothing is nearer than what touches.
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn witness(&mut self) -> Option<(DVec3, f64)> {
        if !std::mem::take(&mut self.is_new) {
            return None;
        }
        let Separation {
            point_a, point_b, ..
        } = self.best?.0.value;
        let apart = (point_b - point_a).try_normalize()?;
        // From the shape to the face, in the frame of the shape.
        let own = if self.is_mesh_a {
            -(self.a_from_b.rotation().transpose() * apart)
        } else {
            apart
        };
        let farthest = self.part.support_certain(own).point - self.center;
        let reach = farthest.dot(own) + self.part.radius();
        Some((self.mesh_from_shape.transform_vector(own), reach))
    }
}

/// The core of a convex part, as trees see it.
fn core_of(part: &ConvexPiece) -> ConvexCore {
    let extent = part.extent();
    let point = |center: DVec3, radius: f64| ConvexCore {
        kind: CoreKind::Point,
        axes: DMat3::IDENTITY,
        center,
        half: DVec3::ZERO,
        radius,
        inner: 0.0,
        outer: 0.0,
        points: Vec::new(),
    };
    match part {
        ConvexPiece::Ball { center, radius } => point(*center, *radius),
        ConvexPiece::Convex(Convex::Ball(_)) => point(DVec3::ZERO, part.radius()),
        ConvexPiece::Convex(Convex::Capsule(_) | Convex::Segment(_)) => {
            segment(part.vertex(0), part.vertex(1), part.radius())
        }
        ConvexPiece::Convex(Convex::Cuboid(cuboid)) => {
            let half = cuboid.half_extent();
            ConvexCore {
                kind: CoreKind::Cuboid,
                half,
                inner: half.min_element(),
                outer: half.length() * (1.0 + ROUNDING),
                ..point(DVec3::ZERO, 0.0)
            }
        }
        _ => match part.vertex_count() {
            Some(count) if count as usize <= MAX_HULL_POINTS => {
                let center = extent.center;
                let points: Vec<DVec3> = (0..count).map(|i| part.vertex(i) - center).collect();
                let half = points.iter().fold(DVec3::ZERO, |half, p| half.max(p.abs()));
                let outer = points.iter().map(|p| p.length()).fold(0.0, f64::max);
                ConvexCore {
                    kind: CoreKind::Hull,
                    half,
                    inner: extent.inner,
                    outer: outer * (1.0 + ROUNDING),
                    points,
                    ..point(center, part.radius())
                }
            }
            _ => {
                let bounds = part.bounds();
                let center = bounds.center();
                let off = (extent.center - center).length() * (1.0 + ROUNDING);
                let half = bounds.half_extent() * (1.0 + ROUNDING)
                    + DVec3::splat(ROUNDING * center.abs().max_element());
                let outer = (extent.outer + part.radius() + off).min(half.length());
                ConvexCore {
                    kind: CoreKind::Solid,
                    half,
                    inner: (extent.inner - off).max(0.0),
                    outer: outer * (1.0 + ROUNDING),
                    ..point(center, 0.0)
                }
            }
        },
    }
}

fn segment(p: DVec3, q: DVec3, radius: f64) -> ConvexCore {
    let center = 0.5 * p + 0.5 * q;
    let half = (q - p).length() * 0.5 * (1.0 + ROUNDING);
    let along = (q - p).try_normalize().unwrap_or(DVec3::X);
    let (u, w) = along.any_orthonormal_pair();
    ConvexCore {
        kind: CoreKind::Segment,
        axes: DMat3::from_cols(along, u, w),
        center,
        half: DVec3::new(half, 0.0, 0.0),
        radius,
        inner: 0.0,
        outer: half,
        points: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh_shape::MeshShape;
    use super::super::shape::Shape;
    use super::*;
    use crate::convex::{Ball, Capsule, Cuboid, Cylinder, Polyhedron};
    use crate::math::Rng;
    use crate::math::simd::Level;
    use crate::mesh::TriMesh;

    /// A sheet with waves.
    fn waves() -> TriMesh {
        const SIDE: u32 = 16;
        let point = |i: u32, j: u32| {
            let (x, y) = (f64::from(i) * 0.2 - 1.5, f64::from(j) * 0.2 - 1.5);
            DVec3::new(x, y, 0.3 * libm::sin(3.0 * x) * libm::cos(2.0 * y))
        };
        let rows = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (i, j)));
        let points = rows.clone().map(|(i, j)| point(i, j)).collect();
        let cells = rows.filter(|&(i, j)| i + 1 < SIDE && j + 1 < SIDE);
        let faces = cells.flat_map(|(i, j)| {
            let v = j * SIDE + i;
            [[v, v + 1, v + SIDE + 1], [v, v + SIDE + 1, v + SIDE]]
        });
        TriMesh::new(points, faces.collect()).unwrap()
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let mut rng = Rng::new(3);
        let points: Vec<DVec3> = (0..20).map(|_| rng.direction() * 0.3).collect();
        let shapes: [Shape; 5] = [
            Ball::new(0.3).unwrap().into(),
            Capsule::new(DVec3::ZERO, DVec3::ONE * 0.2, 0.1)
                .unwrap()
                .into(),
            Cuboid::new([0.3, 0.2, 0.1]).unwrap().into(),
            Cylinder::new(0.2, 0.2).unwrap().into(),
            Polyhedron::new(&points).unwrap().into(),
        ];
        let mesh = Composite::Mesh(Arc::new(MeshShape::new(Arc::new(waves()))));
        for shape in shapes {
            let shape = Composite::of(&shape).unwrap();
            for _ in 0..200 {
                let way = rng.direction() * rng.range(0.5, 2.5);
                let turn = (rng.direction(), rng.range(-3.0, 3.0));
                let pose = Pose::from_axis_angle(turn.0, turn.1, way).unwrap();
                let answers: Vec<_> = Level::available()
                    .map(|level| {
                        let mut pair = ConvexSurface::new(&mesh, &shape).unwrap();
                        pair.walk = SingleTreeCache::with_level(level);
                        let found = pair.distance(&pose, Limits::default());
                        let mut faces: Vec<FacePair> = Vec::new();
                        let _ = pair.all(&pose, Limits::default(), &mut faces);
                        assert_eq!(pair.any(&pose), !faces.is_empty());
                        assert_eq!(
                            found.value.is_some_and(|s| s.distance == 0.0),
                            !faces.is_empty()
                        );
                        let bits = found.value.map(|s| {
                            let numbers = [
                                s.point_a.to_array(),
                                s.point_b.to_array(),
                                [s.distance, found.lower, found.upper],
                            ];
                            numbers.map(|n| n.map(f64::to_bits))
                        });
                        (bits, faces)
                    })
                    .collect();
                assert!(answers.iter().all(|answer| *answer == answers[0]));
            }
        }
    }
}
