//! Which differences matter, and how their signs tell contact at a time when the four points are coplanar.
//!
//! A vertex `p` and a face `a b c`: with `A = a - p` and so on, the turns are `A×B`, `B×C`, `C×A`; their sum is the
//! face's normal. Along each axis: two turns of strictly opposite sign put `p` outside of the projected face (or off its line).
//! Otherwise, if one is not zero, their sum is not zero, so the projection is injective on the plane, and `p` is inside.
//!
//! Edges `ab` and `cd`: the turns are `c` and `d` against the line of `ab`, `a` and `b` against that of `cd`. Two of the
//! same strict sign: apart. Otherwise, if one is not zero, the edges meet. An edge of no length has both turns zero and
//! makes the others equal, so it needs no case of its own.
//!
//! All zero along all axes: the points are on one line, and meet unless a coordinate separates them.
//! «Apart» does not need coplanarity.

/// Which points each difference is between: the first less the second.
pub(super) const fn differences<const EDGES: bool>() -> &'static [(usize, usize)] {
    if EDGES {
        &[(1, 0), (3, 2), (2, 0), (3, 0), (0, 2), (1, 2)]
    } else {
        &[(1, 0), (2, 0), (3, 0)]
    }
}

/// Which differences each turn is the cross product of.
pub(super) const fn turns<const EDGES: bool>() -> &'static [(usize, usize)] {
    if EDGES {
        &[(0, 2), (0, 3), (1, 4), (1, 5)]
    } else {
        &[(0, 1), (1, 2), (2, 0)]
    }
}

/// Which points are compared when all are on one line: the first less the second.
pub(super) const fn gaps<const EDGES: bool>() -> &'static [(usize, usize)] {
    if EDGES {
        &[(2, 0), (3, 0), (2, 1), (3, 1)]
    } else {
        &[(1, 0), (2, 0), (3, 0)]
    }
}

/// Most differences, and most turns.
pub(super) const MAX_DIFFERENCES: usize = 6;
pub(super) const MAX_TURNS: usize = 4;

/// What the signs of the turns along one axis say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactSign {
    /// No contact.
    Apart,
    /// Contact, given that the points are coplanar.
    Meet,
    /// All zero: this axis says nothing.
    Silent,
}

/// Unknown signs may be given as 0 if only `SeparatingDirections` is then believed.
#[inline]
pub(super) fn contact_sign<const EDGES: bool>(signs: &[i32; MAX_TURNS]) -> ContactSign {
    let [a, b, c, d] = *signs;
    let is_apart = if EDGES {
        a * b > 0 || c * d > 0
    } else {
        a * b < 0 || b * c < 0 || c * a < 0
    };
    if is_apart {
        ContactSign::Apart
    } else if signs.iter().any(|&s| s != 0) {
        ContactSign::Meet
    } else {
        ContactSign::Silent
    }
}
