//! Closed outlines in the plane, read in place.

use glam::{DVec2, DVec3};

/// A closed outline in the plane: corners in order, the last joined to the first.
///
/// ```
/// use impinge::{DVec2, poly::{Ring, contains}};
/// let square = [DVec2::ZERO, DVec2::new(2.0, 0.0), DVec2::new(2.0, 2.0), DVec2::new(0.0, 2.0)];
/// assert_eq!(square.len(), 4);
/// assert!(contains(&[square], DVec2::ONE));
/// ```
pub trait Ring {
    /// How many corners there are.
    fn len(&self) -> usize;

    /// The corner with this number. The functions of this crate ask for numbers below [`Ring::len`] only; the
    /// rings of this crate go round: the number after the last corner is the first again.
    fn corner(&self, index: usize) -> DVec2;

    /// Whether there is no corner.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The element with this number, counted on from the first after the last; none in an empty slice.
#[inline]
fn around<T: Copy>(items: &[T], index: usize) -> Option<T> {
    match items.get(index) {
        Some(&item) => Some(item),
        None => items.get(index.checked_rem(items.len())?).copied(),
    }
}

impl Ring for [DVec2] {
    fn len(&self) -> usize {
        <[DVec2]>::len(self)
    }
    #[inline]
    fn corner(&self, index: usize) -> DVec2 {
        around(self, index).unwrap_or_default()
    }
}

impl<const N: usize> Ring for [DVec2; N] {
    fn len(&self) -> usize {
        N
    }
    #[inline]
    fn corner(&self, index: usize) -> DVec2 {
        around(self, index).unwrap_or_default()
    }
}

impl Ring for Vec<DVec2> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }
    #[inline]
    fn corner(&self, index: usize) -> DVec2 {
        around(self, index).unwrap_or_default()
    }
}

impl<R: Ring + ?Sized> Ring for &R {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn corner(&self, index: usize) -> DVec2 {
        (**self).corner(index)
    }
}

/// The map from space to a coordinate plane that drops one coordinate and keeps orientation.
///
/// Seen against the normal it was chosen for, a counter-clockwise face stays counter-clockwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    dropped: Dropped,
    flipped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dropped {
    X,
    Y,
    Z,
}

impl Projection {
    /// The projection that drops the coordinate in which `normal` is longest.
    ///
    /// ```
    /// use impinge::{DVec2, DVec3, poly::Projection};
    /// let down = Projection::along(DVec3::new(0.1, 0.0, -1.0));
    /// assert_eq!(down.project(DVec3::new(1.0, 2.0, 3.0)), DVec2::new(2.0, 1.0));
    /// ```
    #[must_use]
    pub fn along(normal: DVec3) -> Self {
        let size = normal.abs();
        let (dropped, component) = if size.x > size.y && size.x > size.z {
            (Dropped::X, normal.x)
        } else if size.y > size.z {
            (Dropped::Y, normal.y)
        } else {
            (Dropped::Z, normal.z)
        };
        Self {
            dropped,
            flipped: component < 0.0,
        }
    }

    /// The point without the dropped coordinate.
    ///
    /// ```
    /// use impinge::{DVec2, DVec3, poly::Projection};
    /// assert_eq!(Projection::along(DVec3::Z).project(DVec3::new(1.0, 2.0, 3.0)), DVec2::new(1.0, 2.0));
    /// ```
    #[inline]
    #[must_use]
    pub fn project(self, p: DVec3) -> DVec2 {
        let (u, v) = match self.dropped {
            Dropped::X => (p.y, p.z),
            Dropped::Y => (p.z, p.x),
            Dropped::Z => (p.x, p.y),
        };
        if self.flipped {
            DVec2::new(v, u)
        } else {
            DVec2::new(u, v)
        }
    }
}

/// A loop of vertices seen through a projection, without copying a coordinate.
#[derive(Clone, Copy, Debug)]
pub struct RingView<'a> {
    positions: &'a [DVec3],
    corners: &'a [u32],
    projection: Projection,
}

impl<'a> RingView<'a> {
    // Only made by faces of a validated mesh, so every index is in range.
    pub(super) fn new(positions: &'a [DVec3], corners: &'a [u32], projection: Projection) -> Self {
        Self {
            positions,
            corners,
            projection,
        }
    }
}

impl Ring for RingView<'_> {
    fn len(&self) -> usize {
        self.corners.len()
    }
    #[inline]
    fn corner(&self, index: usize) -> DVec2 {
        let vertex = around(self.corners, index).unwrap_or_default();
        let corner = self.positions.get(vertex as usize).copied();
        self.projection.project(corner.unwrap_or_default())
    }
}
