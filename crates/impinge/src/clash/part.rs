//! Parts and clashes.

use crate::math::sort::sort_many;
use std::cmp::Ordering;
use std::fmt;

use glam::DVec3;

/// How two parts clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClashKind {
    /// The same surface in the same place: every corner of each lies on the other, and their areas are equal.
    Duplicate,
    /// Their surfaces meet, and they overlap deeper than the tolerance.
    Crossing,
    /// Their surfaces do not meet, and one is inside the other, or a piece of it is, farther from being out of it than the tolerance.
    Contained,
    /// They overlap no deeper than the tolerance: their surfaces meet, or one is inside the other and nearly out of it. Or they are apart by no
    /// more than files round coordinates.
    Touching,
    /// They are apart, by no more than the clearance.
    Clearance,
}

impl ClashKind {
    /// All kinds, the most severe first.
    pub const ALL: [Self; 5] = [
        Self::Duplicate,
        Self::Crossing,
        Self::Contained,
        Self::Touching,
        Self::Clearance,
    ];

    /// The word for it.
    ///
    /// ```
    /// use impinge::clash::ClashKind;
    /// assert_eq!(ClashKind::Crossing.name(), "crossing");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Crossing => "crossing",
            Self::Contained => "contained",
            Self::Touching => "touching",
            Self::Clearance => "clearance",
        }
    }
}

impl fmt::Display for ClashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which part lies inside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InnerPart {
    /// `a` lies inside `b`.
    A,
    /// `b` lies inside `a`.
    B,
    /// Only some connected pieces of a part lie inside the other part.
    Pieces,
}

/// A number known between bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
}

impl Span {
    /// The middle of the bounds, which is shown and used for ranking.
    ///
    /// ```
    /// assert_eq!(impinge::clash::Span { lower: 1.0, upper: 2.0 }.middle(), 1.5);
    /// ```
    #[must_use]
    pub fn middle(&self) -> f64 {
        0.5 * self.lower + 0.5 * self.upper
    }

    /// The maximum error of the middle.
    ///
    /// ```
    /// assert_eq!(impinge::clash::Span { lower: 1.0, upper: 2.0 }.half_width(), 0.5);
    /// ```
    #[must_use]
    pub fn half_width(&self) -> f64 {
        0.5 * (self.upper - self.lower)
    }
}

/// Two parts that collide or come too close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// The part with the smaller number, counted from 0.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// How they clash.
    pub kind: ClashKind,
    /// How deep the deepest surface point of one lies inside the other. None for parts that are apart, for duplicates, and where no part
    /// is closed.
    pub depth: Option<Span>,
    /// The distance of the surfaces: 0 where they meet.
    pub distance: f64,
    /// A point of `a` and one of `b` that show it, in world coordinates: deepest points, nearest points, or twice a common point.
    pub points: [DVec3; 2],
    /// For [`ClashKind::Contained`], what lies inside.
    pub inner: Option<InnerPart>,
    /// For [`ClashKind::Touching`], whether the parts as given overlap or are apart, by no more than the
    /// [precision](super::ClashOptions::precision) of their coordinates.
    pub is_within_precision: bool,
}

impl Clash {
    /// The point between [`Clash::points`].
    ///
    /// ```
    /// use impinge::clash::{Clash, ClashKind};
    /// use impinge::DVec3;
    /// let points = [DVec3::ZERO, DVec3::X];
    /// let gap = Clash { a: 0, b: 1, kind: ClashKind::Clearance, depth: None, distance: 1.0, points, inner: None,
    ///     is_within_precision: false };
    /// assert_eq!(gap.middle(), DVec3::new(0.5, 0.0, 0.0));
    /// ```
    #[must_use]
    pub fn middle(&self) -> DVec3 {
        self.points[0] * 0.5 + self.points[1] * 0.5
    }
}

/// Sorts clashes, the most severe first: duplicates; then what crosses or is contained, the deepest first by the middle of its bounds and
/// unknown depths last; then
/// what touches; then the smallest gaps. Equal ones stay in the order of their parts.
///
/// ```
/// use impinge::clash::{Clash, ClashKind, Span, rank};
/// use impinge::DVec3;
/// let clash = |b, depth: f64| Clash { a: 0, b, kind: ClashKind::Crossing, depth: Some(Span { lower: depth, upper: depth }),
///     distance: 0.0, points: [DVec3::ZERO; 2], inner: None, is_within_precision: false };
/// let mut clashes = [clash(1, 0.5), clash(2, 2.0)];
/// rank(&mut clashes);
/// assert_eq!(clashes[0].b, 2);
/// ```
pub fn rank(clashes: &mut [Clash]) {
    sort_many(clashes, graver);
}

fn graver(x: &Clash, y: &Clash) -> Ordering {
    let class = |c: &Clash| match c.kind {
        ClashKind::Duplicate => 0,
        ClashKind::Crossing | ClashKind::Contained => 1,
        ClashKind::Touching => 2,
        ClashKind::Clearance => 3,
    };
    let depth = |c: &Clash| match (c.kind, c.depth) {
        (ClashKind::Crossing | ClashKind::Contained, Some(depth)) => depth.middle(),
        (ClashKind::Crossing | ClashKind::Contained, None) => -1.0,
        _ => 0.0,
    };
    class(x)
        .cmp(&class(y))
        .then(depth(y).total_cmp(&depth(x)))
        .then(x.distance.total_cmp(&y.distance))
        .then((x.a, x.b).cmp(&(y.a, y.b)))
}
