//! Boolean GJK: a short search for a proof that two cores intersect or do not.
//!
//! **Idea.** Yes or no needs no nearest point. The search goes towards the origin from the newest
//! point of the Minkowski difference, past the feature of the simplex that faces it, until a
//! support plane separates the origin or a tetrahedron contains it. A step needs no root and no
//! division. The first vertex is free: the Minkowski difference contains a sphere, whose centre is
//! one. The hull of that sphere and one or two support points contains the origin long before a
//! tetrahedron does.
//! **Source.** Gilbert, Johnson and Keerthi 1988 in the form of van den Bergen 1999; the regions
//! after common practice; the sphere is ours.
//! **Promise.** Only proofs, rounding included; what is not proven in [`MAX_QUICK_STEPS`] is left
//! to the distance search.

use glam::DVec3;

use super::simplex::surely_hold_origin;

/// Support points of the short search.
const MAX_QUICK_STEPS: u32 = 12;

/// Room for the rounding of a few sums, at unit size.
const ROOM: f64 = 1e-12;

/// A difference and the two vertices it is of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinkowskiPoint {
    pub(super) y: DVec3,
    pub(super) vertices: [u32; 2],
}

/// The vertices of the centre of the ball, which has none.
const CENTER: [u32; 2] = [u32::MAX; 2];

impl MinkowskiPoint {
    #[inline]
    fn is_center(&self) -> bool {
        self.vertices == CENTER
    }
}

/// A ball inside the body of differences of the cores; its radius is 0 or less when there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct InnerBall {
    pub(super) center: DVec3,
    pub(super) radius: f64,
    /// The radius of the ball that is swept over the body.
    pub(super) swept: f64,
}

impl InnerBall {
    /// Whether the hull of the ball and a difference surely comes as near to the origin as what is swept over it.
    #[inline]
    pub(super) fn holds_with_one(&self, w: DVec3) -> bool {
        let (c, r, whole) = (self.center, self.radius, self.radius + self.swept);
        // At `c + t·u` a ball of radius `whole − t·r` fits; where is the origin deepest in one?
        let u = w - c;
        let (square, along) = (u.length_squared() - r * r, -c.dot(u) - whole * r);
        if !(along > 0.0 && along < square)
            || along * along <= (c.length_squared() - whole * whole) * square
        {
            return false;
        }
        let t = along / square;
        let room = whole - t * r - ROOM;
        room > 0.0 && (c + u * t).length_squared() < room * room
    }

    /// The same with two differences.
    #[inline]
    pub(super) fn holds_with_two(&self, v: DVec3, w: DVec3) -> bool {
        let (c, r) = (self.center, self.radius);
        let (cv, cw) = (v - c, w - c);
        let normal = cv.cross(cw);
        let height = c.dot(normal);
        let own = normal.dot(v.cross(w));
        let normal_sq = normal.length_squared();
        let reach = r * own + self.swept * normal_sq;
        if own <= 0.0 || height * height * normal_sq >= reach * reach {
            return false;
        }
        let (of_v, of_w) = (normal.dot(cw.cross(c)), normal.dot(c.cross(cv)));
        if !(of_v > 0.0 && of_w > 0.0) {
            return false;
        }
        let share = 1.0 / (own + of_v + of_w);
        let at = (c * own + v * of_v + w * of_w) * share;
        let room = r * (own * share) + self.swept - ROOM;
        room > 0.0 && at.length_squared() < room * room
    }
}

/// What was proven.
#[derive(Clone, Copy, Debug)]
pub(super) enum GjkProof {
    /// All differences lie beyond this direction from the origin.
    Apart(DVec3),
    /// This many of these corners hold the origin; fewer than four together with the ball.
    Meeting([MinkowskiPoint; 4], usize),
}

/// Up to three corners, the newest last, and where to look next.
struct BooleanGjk {
    corners: [MinkowskiPoint; 3],
    count: usize,
    toward: DVec3,
}

/// Searches with support points given by `corner`, the difference farthest along a direction; a plane counts when it lies more than `slack` and
/// `near` behind the origin.
#[inline]
pub(super) fn boolean_gjk(
    inner: &InnerBall,
    start: DVec3,
    slack: f64,
    near: f64,
    mut corner: impl FnMut(DVec3) -> MinkowskiPoint,
) -> Option<GjkProof> {
    let has_ball = inner.radius > 0.0;
    // A plane behind the origin must leave room for what is swept.
    let behind = slack + near + inner.swept;
    let center = MinkowskiPoint {
        y: inner.center,
        vertices: CENTER,
    };
    let mut walk = BooleanGjk {
        corners: [center; 3],
        count: usize::from(has_ball),
        toward: start,
    };
    for _ in 0..MAX_QUICK_STEPS {
        let length_sq = walk.toward.length_squared();
        if length_sq.is_nan() || length_sq <= f64::MIN_POSITIVE {
            return None;
        }
        let next = corner(walk.toward);
        let along = walk.toward.dot(next.y);
        let room = if along < 0.0 { behind } else { slack };
        if along * along <= room * room * length_sq {
            return None;
        }
        if along < 0.0 {
            return Some(GjkProof::Apart(-walk.toward));
        }
        let [c, b, a] = walk.corners;
        match walk.count {
            0 => walk.take(next, -next.y),
            1 => walk.beyond_segment(next, c),
            2 => walk.beyond_triangle(next, b, c),
            _ => {
                if walk.beyond_tetrahedron(next) {
                    let corners = [c, b, a, next];
                    return surely_hold_origin(&corners.map(|corner| corner.y))
                        .then(|| without_center(corners));
                }
            }
        }
        if has_ball && walk.is_held(inner) {
            let [c, b, a] = walk.corners;
            let fourth = if walk.count == 3 { a } else { center };
            return Some(without_center([c, b, fourth, center]));
        }
    }
    None
}

/// The corners that are not the centre, which comes last where it is.
fn without_center(corners: [MinkowskiPoint; 4]) -> GjkProof {
    let mut kept = [MinkowskiPoint::default(); 4];
    let mut count = 0;
    for corner in corners {
        if !corner.is_center() {
            kept[count] = corner;
            count += 1;
        }
    }
    GjkProof::Meeting(kept, count)
}

impl BooleanGjk {
    /// Whether the corners, the centre among them, surely hold the origin with the ball.
    #[inline]
    fn is_held(&self, inner: &InnerBall) -> bool {
        let [c, b, a] = &self.corners;
        match self.count {
            2 => c.is_center() && inner.holds_with_one(b.y),
            3 if c.is_center() => inner.holds_with_two(b.y, a.y),
            3 if b.is_center() => inner.holds_with_two(c.y, a.y),
            _ => false,
        }
    }

    #[inline]
    fn take(&mut self, a: MinkowskiPoint, toward: DVec3) {
        self.corners[0] = a;
        self.count = 1;
        self.toward = toward;
    }

    /// Past a segment whose newest end is `a`.
    #[inline]
    fn beyond_segment(&mut self, a: MinkowskiPoint, b: MinkowskiPoint) {
        let (ab, to_origin) = (b.y - a.y, -a.y);
        if ab.dot(to_origin) > 0.0 {
            self.toward = ab.cross(to_origin).cross(ab);
            self.corners[0] = b;
            self.corners[1] = a;
            self.count = 2;
        } else {
            self.take(a, to_origin);
        }
    }

    /// Past a triangle whose newest corner is `a`.
    #[inline]
    fn beyond_triangle(&mut self, a: MinkowskiPoint, b: MinkowskiPoint, c: MinkowskiPoint) {
        let (ab, ac) = (b.y - a.y, c.y - a.y);
        let to_origin = -a.y;
        let normal = ab.cross(ac);
        if normal.cross(ac).dot(to_origin) > 0.0 {
            let next = if ac.dot(to_origin) > 0.0 { c } else { b };
            return self.beyond_segment(a, next);
        }
        if ab.cross(normal).dot(to_origin) > 0.0 {
            return self.beyond_segment(a, b);
        }
        // The order of the corners makes the side of the origin the front, seen from the newest.
        let is_front = normal.dot(to_origin) > 0.0;
        self.toward = if is_front { normal } else { -normal };
        self.corners = if is_front { [c, b, a] } else { [b, c, a] };
        self.count = 3;
    }

    /// Past a tetrahedron whose first three corners have the newest on the front; true when the origin is behind all new sides.
    #[inline]
    fn beyond_tetrahedron(&mut self, top: MinkowskiPoint) -> bool {
        let [c, b, a] = self.corners;
        let to_origin = -top.y;
        // Each new side has an edge of the old one and the newest corner; outward by the order of the old corners.
        for (p, q) in [(a, b), (b, c), (c, a)] {
            let normal = (p.y - top.y).cross(q.y - top.y);
            if normal.dot(to_origin) > 0.0 {
                self.beyond_triangle(top, p, q);
                return false;
            }
        }
        true
    }
}
