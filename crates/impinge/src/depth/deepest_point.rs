//! The deepest point of one solid's surface inside the other.
//!
//! **Question.** Which point of the surface of one solid lies deepest inside the other, and how deep?
//! **Idea.** Branch and bound over the surface. The depth of a point (its distance from the other
//! surface, negative outside) changes by no more than the point moves, so a piece of surface is
//! nowhere deeper than its middle plus its radius. It is also nowhere deeper than its corners'
//! largest distance from any one face of the other surface, because that distance is convex: a
//! bound that improves with the square of the piece's size. Pieces are the boxes of the tree, then
//! faces, then quarters of faces; the most promising is opened first.
//! **Cost.** For smooth contacts some hundred to some thousand point queries; more for a smaller tolerance.
//! **Promise.** `lower` is the depth of a point of the surface, `upper` bounds that of every point.
//! **Limits.** A plateau, where many points are equally deep, costs a piece for each face of the
//! other solid that is nearest to some of it: pieces are split where the nearest face changes.
//! Non-convex solids that touch along a line use up the pieces; the bracket then stays some ten
//! thousandths of the size wide, or as wide as the solids are thick if both are finely meshed.
//! Solids thinner than a billionth of their size get a bracket of about their thickness.

use glam::DVec3;

use super::depth_scratch::with_scratch;
use super::solid_queries::{NearestSurface, SolidPair};
use crate::bvh::wide::{DepthScratch, KnownDepth, NodeView, OtherSolid, SurfacePiece, WideCache};
use crate::bvh::{MeshIndex, Solid};
use crate::geom::closest_point_on_triangle;
use crate::math::Pose;
use crate::mesh::point_in_mesh::Location;
use crate::query::{Bounded, FaceId, Limits, Outcome, Penetration, Work};

/// The most pieces of surface examined for one answer.
const MAX_PIECES: u64 = 1 << 18;

/// The most pieces examined to narrow a bracket that is this fraction of the size wide: where a solid is as good as flat, the bounds of its pieces
/// stay at its thickness, however small they are.
const MAX_PIECES_OF_NOTHING: u64 = 1 << 12;
const NOTHING: f64 = 1e-9;

/// Cuts of a piece of surface along planes, between two quarterings.
const MAX_CUTS: u8 = 4;

/// Cosine of the angle from which on the planes of two faces that do not meet are worth a cut.
const STEEP: f64 = 0.5;

/// The accuracy of a depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthOptions {
    /// The bracket may be this wide.
    pub absolute: f64,
    /// The bracket may be this fraction of the depth wide.
    pub relative: f64,
}

impl Default for DepthOptions {
    fn default() -> Self {
        Self {
            absolute: 0.0,
            relative: 1e-3,
        }
    }
}

/// The deepest point of either surface inside the other solid; none when neither has one.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::depth::{deepest_point, Solid};
/// use impinge::generate::cuboid;
/// use impinge::query::Limits;
/// use impinge::{DVec3, Pose};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
/// let cube = Solid::closed(&tree)?;
/// let aside = Pose::from_translation([1.5, 0.0, 0.0])?;
/// let deep = deepest_point(&cube, &cube, &aside, &Default::default(), Limits::default(), &mut Default::default());
/// assert!(deep.lower <= 0.5 && 0.5 <= deep.upper && deep.upper - deep.lower < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deepest_point(
    a: &Solid<'_>,
    b: &Solid<'_>,
    a_from_b: &Pose,
    options: &DepthOptions,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<Penetration>> {
    let solids = SolidPair::new(a, b, a_from_b);
    with_scratch(cache, |_, scratch| {
        deepest(solids, options, limits, scratch)
    })
}

/// The same with the memory at hand.
pub(super) fn deepest(
    solids: SolidPair<'_>,
    options: &DepthOptions,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
) -> Bounded<Option<Penetration>> {
    search(solids, options, limits, scratch, true)
}

/// The deepest point of the surface of `a` inside `b`; none when it has none.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::depth::{deepest_point_of_a, Solid};
/// use impinge::generate::cuboid;
/// use impinge::query::Limits;
/// use impinge::{DVec3, Pose};
/// use std::sync::Arc;
/// let (large, small) = (cuboid(DVec3::splat(4.0), [1; 3])?, cuboid(DVec3::ONE, [1; 3])?);
/// let (large, small) = (WideTree::new(Arc::new(large)), WideTree::new(Arc::new(small)));
/// let (large, small) = (Solid::closed(&large)?, Solid::closed(&small)?);
/// let (options, limits) = (Default::default(), Limits::default());
/// assert!(deepest_point_of_a(&small, &large, &Pose::IDENTITY, &options, limits, &mut Default::default()).value.is_some());
/// assert!(deepest_point_of_a(&large, &small, &Pose::IDENTITY, &options, limits, &mut Default::default()).value.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deepest_point_of_a(
    a: &Solid<'_>,
    b: &Solid<'_>,
    a_from_b: &Pose,
    options: &DepthOptions,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<Penetration>> {
    let solids = SolidPair::new(a, b, a_from_b);
    with_scratch(cache, |_, scratch| {
        search(solids, options, limits, scratch, false)
    })
}

fn search(
    solids: SolidPair<'_>,
    options: &DepthOptions,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
    both: bool,
) -> Bounded<Option<Penetration>> {
    let SolidPair { a, b, a_from_b } = solids;
    scratch.pieces.clear();
    let mut search = DeepestSearch {
        sides: [
            SearchedSurface {
                inner: a,
                outer: b,
                outer_from_inner: a_from_b.inverse(),
            },
            SearchedSurface {
                inner: b,
                outer: a,
                outer_from_inner: *a_from_b,
            },
        ],
        options: *options,
        floor: 2.0 * solids.slack(),
        nothing: NOTHING * (a.reach() + b.reach()),
        scratch,
        best: None,
        depth: 0.0,
        left_aside: 0.0,
        order: 0,
        work: Work::default(),
    };
    for side in 0..if both { 2 } else { 1 } {
        if let Some(whole) = search.sides[side].inner.tree().whole() {
            search.offer_part(side, whole, None);
        }
    }
    let (upper, outcome) = search.run(limits);
    let off = solids.slack();
    let value = search.best.map(|best| {
        let [deepest, nearest] = if best.side == 0 {
            [best.point, best.foot].map(|p| a_from_b.transform_point(p))
        } else {
            [best.point, best.foot]
        };
        let is_point_of_a = best.side == 0;
        Penetration {
            depth: search.depth,
            point_a: if is_point_of_a { deepest } else { nearest },
            point_b: if is_point_of_a { nearest } else { deepest },
            is_point_of_a,
        }
    });
    Bounded {
        value,
        lower: (search.depth - off).max(0.0),
        upper: if upper > 0.0 { upper + off } else { 0.0 },
        outcome,
    }
}

/// One solid's surface searched for its deepest point in the other.
struct SearchedSurface<'s, 't> {
    inner: &'s Solid<'t>,
    outer: &'s Solid<'t>,
    outer_from_inner: Pose,
}

/// The deepest point so far and the surface point nearest to it, in the outer solid's frame.
#[derive(Clone, Copy, Debug)]
struct DeepestSoFar {
    side: usize,
    point: DVec3,
    foot: DVec3,
}

struct DeepestSearch<'s, 't> {
    sides: [SearchedSurface<'s, 't>; 2],
    options: DepthOptions,
    /// A width below which no bracket can be made.
    floor: f64,
    /// A negligible width.
    nothing: f64,
    scratch: &'s mut DepthScratch,
    best: Option<DeepestSoFar>,
    depth: f64,
    /// The most that any piece skipped can be deep.
    left_aside: f64,
    order: u64,
    work: Work,
}

impl DeepestSearch<'_, '_> {
    /// A piece that is nowhere deeper than this need not be examined.
    fn enough(&self) -> f64 {
        let options = &self.options;
        self.depth
            + (options.relative * self.depth)
                .max(options.absolute)
                .max(self.floor)
    }

    fn run(&mut self, limits: Limits<'_>) -> (f64, Outcome) {
        while let Some(piece) = self.scratch.pieces.pop() {
            if self.leaves(piece.upper) {
                break;
            }
            let most = if piece.upper - self.depth <= self.nothing {
                MAX_PIECES_OF_NOTHING
            } else {
                MAX_PIECES
            };
            if self.order >= most
                || !limits.allows(self.work.tests())
                || (self.order.is_multiple_of(64) && limits.is_stopped())
            {
                return (piece.upper.max(self.left_aside), Outcome::OutOfBudget);
            }
            match piece.shape {
                OtherSolid::Part(part) => {
                    let side = &self.sides[piece.side];
                    let (tree, pose) = (side.inner.tree(), side.outer_from_inner);
                    for child in tree.parts(&part) {
                        self.offer_part(piece.side, child, Some(piece.sounding));
                    }
                    for &face in tree.faces_of(&part) {
                        let corners = tree.mesh().triangle(FaceId::new(face));
                        let corners = corners.map(|p| pose.transform_point(p));
                        self.offer_face(piece.side, corners, MAX_CUTS, Some(piece.sounding));
                    }
                }
                OtherSolid::Face(corners, cuts) => {
                    if cuts > 0
                        && let Some(cut) = self.cut_between_faces(&piece, &corners)
                    {
                        for part in cut.iter() {
                            self.offer_face(piece.side, *part, cuts - 1, Some(piece.sounding));
                        }
                        continue;
                    }
                    let [p, q, r] = corners;
                    let (pq, qr, rp) = (0.5 * (p + q), 0.5 * (q + r), 0.5 * (r + p));
                    for quarter in [[p, pq, rp], [pq, q, qr], [rp, qr, r], [pq, qr, rp]] {
                        self.offer_face(piece.side, quarter, MAX_CUTS, Some(piece.sounding));
                    }
                }
            }
        }
        (self.left_aside.max(self.depth), Outcome::Complete)
    }

    /// Whether a piece that is nowhere deeper than this can be skipped.
    fn leaves(&mut self, upper: f64) -> bool {
        let leaves = upper <= self.enough();
        if leaves {
            self.left_aside = self.left_aside.max(upper);
        }
        leaves
    }

    fn offer_part(&mut self, side: usize, part: NodeView, parent: Option<KnownDepth>) {
        let bounds = part.bounds.placed(&self.sides[side].outer_from_inner);
        let Some(sounding) = self.sound(side, bounds.center, parent) else {
            return;
        };
        let upper = sounding.depth + bounds.outer_radius();
        if self.leaves(upper) {
            return;
        }
        let by_face = self.farthest_from_face(side, sounding.face, &bounds.corners());
        self.push(side, upper.min(by_face.0), OtherSolid::Part(part), sounding);
    }

    fn offer_face(
        &mut self,
        side: usize,
        corners: [DVec3; 3],
        cuts: u8,
        parent: Option<KnownDepth>,
    ) {
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let Some(sounding) = self.sound(side, middle, parent) else {
            return;
        };
        self.take(side, &sounding);
        let radius = corners
            .iter()
            .fold(0.0_f64, |m, p| m.max((*p - middle).length()));
        let upper = sounding.depth + radius * (1.0 + 1e-12);
        if self.leaves(upper) {
            return;
        }
        let (by_face, corner) = self.farthest_from_face(side, sounding.face, &corners);
        let upper = upper.min(by_face);
        if upper > self.enough() {
            // The corner that sets the bound often attains it.
            if let Some(corner) = self.sound(side, corner, Some(sounding)) {
                self.take(side, &corner);
            }
        }
        self.push(side, upper, OtherSolid::Face(corners, cuts), sounding);
    }

    fn push(&mut self, side: usize, upper: f64, shape: OtherSolid, sounding: KnownDepth) {
        if !self.leaves(upper) {
            self.order += 1;
            self.scratch.pieces.push(SurfacePiece {
                upper,
                order: self.order,
                side,
                shape,
                sounding,
            });
        }
    }

    /// The depth of a point in the outer solid.
    fn sound(&mut self, side: usize, point: DVec3, near: Option<KnownDepth>) -> Option<KnownDepth> {
        let outer = self.sides[side].outer;
        let hint = near.map(|n| n.face);
        let parts = &mut self.scratch.parts;
        let NearestSurface { distance, face, .. } =
            outer.nearest(point, hint, &mut self.work, parts)?;
        // Between two points nearer to each other than one is to the surface, nothing changes sides.
        let is_inside = match near.filter(|n| (n.point - point).length() < 0.999 * n.depth.abs()) {
            Some(near) => near.depth > 0.0,
            None => outer.location(point, &mut self.scratch.probe) == Location::Inside,
        };
        Some(KnownDepth {
            point,
            depth: if is_inside { distance } else { -distance },
            face,
        })
    }

    /// The piece cut by the plane between the face nearest to its middle and the one nearest to its farthest corner: neighbours, or faces in
    /// different planes.
    ///
    /// On each side of that plane one face is the nearer, so that its bound is exact there; halving alone would
    /// close in on the plane for ever.
    fn cut_between_faces(
        &mut self,
        piece: &SurfacePiece,
        corners: &[DVec3; 3],
    ) -> Option<TriangleSplit> {
        let outer = self.sides[piece.side].outer;
        let mesh = outer.tree().mesh();
        let first = piece.sounding.face;
        let (_, corner) = self.farthest_from_face(piece.side, first, corners);
        let parts = &mut self.scratch.parts;
        let second = outer
            .nearest(corner, Some(first), &mut self.work, parts)?
            .face;
        if second == first {
            return None;
        }
        let normal = |face: FaceId| {
            let [p, q, r] = mesh.triangle(face);
            (q - p).cross(r - p).try_normalize()
        };
        let (n0, n1) = (normal(first)?, normal(second)?);
        let (faces, positions) = (mesh.faces(), mesh.positions());
        let [x, y] = [faces[first.index()], faces[second.index()]];
        let mut shared = x.iter().filter(|v| y.contains(v));
        let edge = shared.next().zip(shared.next());
        let bisector = n0 - n1;
        if bisector.length() > 1e-6 && (edge.is_some() || n0.dot(n1) < STEEP) {
            // As deep below the plane of one face as below that of the other; also for two that do not meet, as
            // the sides of a wall.
            let [v0, v1] = [first, second].map(|face| mesh.triangle(face)[0]);
            let middle = 0.5 * (v0 + v1);
            let level = (v0 - middle).dot(n0) - (v1 - middle).dot(n1);
            let origin = middle + bisector * (level / bisector.length_squared());
            return TriangleSplit::new(corners, origin, bisector.try_normalize()?);
        }
        let (&v0, &v1) = edge?;
        let on_edge = positions[v0 as usize];
        let across = (positions[v1 as usize] - on_edge).cross(n0);
        TriangleSplit::new(corners, on_edge, across.try_normalize()?)
    }

    fn take(&mut self, side: usize, sounding: &KnownDepth) {
        if sounding.depth > self.depth {
            self.depth = sounding.depth;
            let mesh = self.sides[side].outer.tree().mesh();
            let closest = closest_point_on_triangle(sounding.point, &mesh.triangle(sounding.face));
            self.best = Some(DeepestSoFar {
                side,
                point: sounding.point,
                foot: closest.point,
            });
        }
    }

    /// The largest distance of the points from one face of the outer solid, and the point that has it.
    ///
    /// A convex solid lies behind the plane of each of its faces, so that there the distance from the plane, negative before it,
    /// serves as well: a flat contact is settled at once.
    fn farthest_from_face(&self, side: usize, face: FaceId, points: &[DVec3]) -> (f64, DVec3) {
        let outer = self.sides[side].outer;
        let triangle = outer.tree().mesh().triangle(face);
        let [v0, v1, v2] = triangle;
        let normal = (v1 - v0).cross(v2 - v0).try_normalize();
        let plane = normal.filter(|_| outer.is_convex());
        let mut farthest = (f64::NEG_INFINITY, DVec3::ZERO);
        for &p in points {
            let distance = match plane {
                Some(n) => (v0 - p).dot(n),
                None => closest_point_on_triangle(p, &triangle).distance,
            };
            if distance > farthest.0 {
                farthest = (distance, p);
            }
        }
        farthest
    }
}

/// A triangle in three, none of which crosses a plane.
struct TriangleSplit {
    triangles: [[DVec3; 3]; 3],
}

impl TriangleSplit {
    /// The triangle cut by the plane through `origin` across the unit vector `n`; none when it lies on one side.
    fn new(corners: &[DVec3; 3], origin: DVec3, n: DVec3) -> Option<Self> {
        let height = corners.map(|p| (p - origin).dot(n));
        let size = height.iter().fold(0.0_f64, |m, h| m.max(h.abs()));
        let near = 1e-9 * size;
        let above = height.map(|h| h > near);
        let below = height.map(|h| h < -near);
        if !above.contains(&true) || !below.contains(&true) {
            return None;
        }
        // The corner alone on its side; a corner on the plane goes with the others.
        let lone = (0..3).find(|&i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            (above[i] && !above[j] && !above[k]) || (below[i] && !below[j] && !below[k])
        })?;
        let (j, k) = ((lone + 1) % 3, (lone + 2) % 3);
        let crossing = |end: usize| {
            let t = height[lone] / (height[lone] - height[end]);
            corners[lone] + (corners[end] - corners[lone]) * t.clamp(0.0, 1.0)
        };
        let (p, q) = (crossing(j), crossing(k));
        Some(Self {
            triangles: [
                [corners[lone], p, q],
                [p, corners[j], corners[k]],
                [p, corners[k], q],
            ],
        })
    }

    fn iter(&self) -> impl Iterator<Item = &[DVec3; 3]> {
        self.triangles.iter()
    }
}
