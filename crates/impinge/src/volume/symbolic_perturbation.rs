//! Exact signs without ties, by symbolic perturbation.
//!
//! Every sign is that of the exact determinant of the placed coordinates. A zero is broken as if
//! the body `b` were translated by `(ε₁, ε₂, ε₃)` with `ε₁ ≫ ε₂ ≫ ε₃ > 0`, all infinitesimal: the
//! determinants are linear in this translation, so that the first nonzero component of their
//! derivative decides. An edge whose ends have different sides is not parallel to the plane, hence
//! no requested sign stays zero, except for the sides of a face without area, which has none.

use glam::{DVec3, Vec3Swizzles};

use crate::math::{Sign, cross_sign, orient2d, orient3d, orient3d_signed};

/// Whose face or edge it is that a point of the other body is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaceOwner {
    A,
    B,
}

impl FaceOwner {
    /// The sign of a derivative, given that for faces of `b`.
    fn turn(self, sign: Sign) -> Sign {
        match self {
            Self::A => sign.reversed(),
            Self::B => sign,
        }
    }
}

/// On which side of a face a point is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerturbedSide {
    /// Positive behind the face, where the inside is; zero only for a face without area.
    pub(super) sign: Sign,
    /// The determinant, before ties were broken.
    pub(super) value: f64,
}

impl PerturbedSide {
    /// -1, 0 or 1.
    #[inline]
    pub(super) fn unit(&self) -> i32 {
        i32::from(self.sign as i8)
    }
}

/// The side of a point of the other body.
#[inline]
pub(super) fn side(face: &[DVec3; 3], owner: FaceOwner, p: DVec3) -> PerturbedSide {
    let (sign, value) = orient3d_signed(face[0], face[1], face[2], p);
    if sign == Sign::Zero {
        let sign = owner.turn(first_sign_of_normal(face));
        return PerturbedSide { sign, value };
    }
    PerturbedSide { sign, value }
}

#[cold]
fn first_sign_of_normal(face: &[DVec3; 3]) -> Sign {
    for drop in [DVec3::yz, DVec3::zx, DVec3::xy] {
        let [p, q, r] = face.map(drop);
        let sign = orient2d(p, q, r);
        if sign != Sign::Zero {
            return sign;
        }
    }
    Sign::Zero
}

/// The sign of `orient3d` of an edge of `a` and an edge of `b`.
#[inline]
pub(super) fn edges(of_a: [DVec3; 2], of_b: [DVec3; 2]) -> Sign {
    let sign = orient3d(of_a[0], of_a[1], of_b[0], of_b[1]);
    if sign == Sign::Zero {
        first_sign_of_cross(of_a, of_b)
    } else {
        sign
    }
}

/// The first component of `(u - v) × (p - q)` that is not zero; reversing both edges changes nothing.
#[cold]
fn first_sign_of_cross([u, v]: [DVec3; 2], [p, q]: [DVec3; 2]) -> Sign {
    for drop in [DVec3::yz, DVec3::zx, DVec3::xy] {
        let sign = cross_sign(drop(v), drop(u), drop(q), drop(p));
        if sign != Sign::Zero {
            return sign;
        }
    }
    Sign::Zero
}

/// By how much the winding number of a face's body at `p` counts this face, on a ray along +x.
pub(super) fn crossing_of_ray(face: &[DVec3; 3], owner: FaceOwner, p: DVec3) -> i32 {
    let flat = face.map(DVec3::yz);
    let facing = orient2d(flat[0], flat[1], flat[2]);
    if facing == Sign::Zero {
        return 0;
    }
    for k in 0..3 {
        let (from, to) = (flat[k], flat[(k + 1) % 3]);
        let mut sign = orient2d(from, to, p.yz());
        if sign == Sign::Zero {
            let tie = match Sign::of(to.y - from.y) {
                Sign::Zero => Sign::of(from.x - to.x),
                sign => sign,
            };
            sign = owner.turn(tie);
        }
        if sign != facing {
            return 0;
        }
    }
    if side(face, owner, p).sign == facing {
        i32::from(facing as i8)
    } else {
        0
    }
}
