//! The contact manifold of two shapes: contact points in patches.
//!
//! **Idea.** Solvers need a few contact points with a common normal. [`ContactQuery`](super::ContactQuery) returns points; those of
//! the same children with the same normal form a patch. The points of two convex parts are computed in `manifold_clipping.rs`.

use std::ops::{ControlFlow, Range};

use glam::DVec3;

use super::contacts::ContactPoint;
use crate::query::Sink;

/// Cosine above which two normals count as one.
const SAME_NORMAL: f64 = 1.0 - 1e-6;

/// A point is compared with this many patches before it, so that thousands of them take no quadratic time.
const COMPARED: usize = 256;

/// Where two shapes touch, or come within a margin: contact points, in patches of one normal.
///
/// A manifold is a [`Sink`] of contact points. Filling it again after [`clear`](Self::clear) does not allocate once it has grown.
///
/// ```
/// use impinge::{DVec3, Pose, convex::Cuboid, pair::{ContactQuery, Manifold, PairConfig, Shape}};
/// let cube = Shape::from(Cuboid::new([1.0, 1.0, 1.0])?);
/// let mut query = ContactQuery::new(&cube, &cube, &PairConfig::default())?;
/// let mut manifold = Manifold::default();
/// query.at(&Pose::from_translation([0.5, 0.0, 1.75])?, 0.0, &mut manifold);
/// manifold.group();
/// let patch = manifold.patches().next().ok_or("a contact")?;
/// assert_eq!((manifold.len(), manifold.patches().len(), patch.points.len()), (4, 1, 4));
/// assert!((patch.normal - DVec3::Z).length() < 1e-9 && (patch.depth - 0.25).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Manifold {
    points: Vec<ContactPoint>,
    patches: Vec<Patch>,
    /// Scratch of [`group`](Self::group).
    ungrouped: Vec<ContactPoint>,
    patch_of: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Patch {
    /// The first point that was put into it.
    seed: ContactPoint,
    range: Range<usize>,
}

/// Contact points of two shapes with a common normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPatch<'m> {
    /// The normal of the deepest point, from `a` to `b`; those of the other points deviate by at
    /// most 10⁻³ radians.
    pub normal: DVec3,
    /// The largest depth; negative for a gap.
    pub depth: f64,
    /// The points, at least one.
    pub points: &'m [ContactPoint],
}

impl Manifold {
    /// The points, patch by patch.
    ///
    /// ```
    /// assert!(impinge::pair::Manifold::default().points().is_empty());
    /// ```
    #[must_use]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// The patches, in the order of their first points.
    ///
    /// ```
    /// assert_eq!(impinge::pair::Manifold::default().patches().len(), 0);
    /// ```
    pub fn patches(&self) -> impl ExactSizeIterator<Item = ContactPatch<'_>> {
        self.patches.iter().map(|patch| {
            let points = &self.points[patch.range.clone()];
            let deepest = deepest(points).unwrap_or(&patch.seed);
            ContactPatch {
                normal: deepest.normal,
                depth: deepest.depth,
                points,
            }
        })
    }

    /// How many points there are.
    ///
    /// ```
    /// assert_eq!(impinge::pair::Manifold::default().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether nothing touches.
    ///
    /// ```
    /// assert!(impinge::pair::Manifold::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The deepest point, of several the first; none when nothing touches.
    ///
    /// ```
    /// assert!(impinge::pair::Manifold::default().deepest().is_none());
    /// ```
    #[must_use]
    pub fn deepest(&self) -> Option<&ContactPoint> {
        deepest(&self.points)
    }

    /// Removes all points, and keeps the memory.
    ///
    /// ```
    /// let mut manifold = impinge::pair::Manifold::default();
    /// manifold.clear();
    /// assert!(manifold.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.points.clear();
        self.patches.clear();
    }

    /// Groups the points into patches, after all have been added.
    ///
    /// ```
    /// let mut manifold = impinge::pair::Manifold::default();
    /// manifold.group();
    /// assert_eq!(manifold.patches().len(), 0);
    /// ```
    pub fn group(&mut self) {
        self.patches.clear();
        self.patch_of.clear();
        std::mem::swap(&mut self.points, &mut self.ungrouped);
        self.points.clear();
        for point in &self.ungrouped {
            let first = self.patches.len().saturating_sub(COMPARED);
            let known = self.patches[first..]
                .iter()
                .position(|patch| belongs(point, &patch.seed));
            let number = known.map_or(self.patches.len(), |number| first + number);
            if known.is_none() {
                self.patches.push(Patch {
                    seed: *point,
                    range: 0..0,
                });
            }
            self.patches[number].range.end += 1;
            self.patch_of.push(number);
        }
        let mut next = 0;
        for patch in &mut self.patches {
            patch.range = next..next + patch.range.end;
            next = patch.range.end;
        }
        // Places are handed out in order, from the start of each patch on.
        self.points.extend_from_slice(&self.ungrouped);
        for patch in &mut self.patches {
            patch.range.end = patch.range.start;
        }
        for (point, &number) in self.ungrouped.iter().zip(&self.patch_of) {
            let range = &mut self.patches[number].range;
            self.points[range.end] = *point;
            range.end += 1;
        }
        self.ungrouped.clear();
    }
}

fn belongs(point: &ContactPoint, seed: &ContactPoint) -> bool {
    point.child_a == seed.child_a
        && point.child_b == seed.child_b
        && point.normal.dot(seed.normal) >= SAME_NORMAL
}

fn deepest(points: &[ContactPoint]) -> Option<&ContactPoint> {
    points.iter().reduce(|best, point| {
        if point.depth > best.depth {
            point
        } else {
            best
        }
    })
}

/// Equal when the points are, in their order.
impl PartialEq for Manifold {
    fn eq(&self, other: &Self) -> bool {
        self.points == other.points
    }
}

impl Sink<ContactPoint> for Manifold {
    fn accept(&mut self, point: ContactPoint) -> ControlFlow<()> {
        self.points.push(point);
        ControlFlow::Continue(())
    }
}
