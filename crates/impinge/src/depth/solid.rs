//! A closed mesh with its tree: what is inside, how deep, what a ray meets first.

use glam::DVec3;

use crate::bvh::MeshIndex;
use crate::bvh::wide::{Part, WideCache, WideTree};
use crate::geom::{Ray, closest_point_on_triangle, ray_triangle};
use crate::math::Pose;
use crate::mesh::components::Components;
use crate::mesh::inside::{InsideError, InsideTest, Location, count};
use crate::mesh::is_convex;
use crate::query::{FaceId, Work};

/// A closed mesh, checked once, with its tree: the shape that depth is about.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::depth::Solid;
/// use impinge::generate::cuboid;
/// use impinge::mesh::inside::Location;
/// use impinge::DVec3;
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
/// let solid = Solid::new(&tree)?;
/// assert_eq!(solid.locate(DVec3::splat(0.5)), Location::Inside);
/// assert_eq!(solid.depth_at(DVec3::new(0.75, 0.0, 0.0)), 0.25);
/// assert_eq!(solid.depth_at(DVec3::new(3.0, 0.0, 0.0)), -2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solid<'t> {
    tree: &'t WideTree,
    /// One face of each connected piece of the surface.
    shells: Vec<FaceId>,
    is_convex: bool,
}

/// How far the nearest point of a surface is, and its face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) distance: f64,
    pub(super) face: FaceId,
}

impl<'t> Solid<'t> {
    /// The solid of a tree whose mesh is closed: every edge has an even number of faces.
    ///
    /// # Errors
    /// [`InsideError::NotClosed`] naming the first edge that has not.
    ///
    /// ```
    /// use impinge::depth::Solid;
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(Solid::new(&tree).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(tree: &'t WideTree) -> Result<Self, InsideError> {
        InsideTest::new(tree.mesh())?;
        let pieces = Components::by_vertex(tree.mesh());
        Ok(Self {
            tree,
            shells: (0..pieces.count()).map(|k| pieces.first(k)).collect(),
            is_convex: is_convex(tree.mesh(), &tree.mesh().half_edges()),
        })
    }

    /// The tree.
    ///
    /// ```
    /// use impinge::depth::Solid;
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(std::ptr::eq(Solid::new(&tree)?.tree(), &tree));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tree(&self) -> &'t WideTree {
        self.tree
    }

    /// Where a point, finite and in range, lies; exactly.
    ///
    /// ```
    /// use impinge::{DVec3, depth::Solid, mesh::inside::Location};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert_eq!(Solid::new(&tree)?.locate(DVec3::splat(9.0)), Location::Outside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn locate(&self, p: DVec3) -> Location {
        let mut faces = Vec::new();
        let mut stack: Vec<Part> = self.tree.whole().into_iter().collect();
        while let Some(part) = stack.pop() {
            let b = &part.bounds;
            // Half extents along the axes of the frame: the ray along +x misses the box or not.
            let reach = DVec3::new(b.radius(DVec3::X), b.radius(DVec3::Y), b.radius(DVec3::Z))
                * (1.0 + 1e-9);
            let away = p - b.center;
            if away.x > reach.x || away.y.abs() > reach.y || away.z.abs() > reach.z {
                continue;
            }
            faces.extend_from_slice(self.tree.faces_of(&part));
            stack.extend(self.tree.parts(&part));
        }
        let mesh = self.tree.mesh();
        let triangles = faces.iter().map(|&f| mesh.triangle(FaceId::new(f)));
        match count(triangles, p) {
            None => Location::OnBoundary,
            Some(crossings) if crossings.all % 2 == 1 => Location::Inside,
            Some(_) => Location::Outside,
        }
    }

    /// How deep a point lies inside: its distance from the surface, negative outside.
    ///
    /// Minus infinity for an empty mesh.
    ///
    /// ```
    /// use impinge::{DVec3, depth::Solid};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(Solid::new(&tree)?.depth_at(DVec3::splat(9.0)) < -8.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn depth_at(&self, p: DVec3) -> f64 {
        let Some(nearest) = self.nearest(p, None, &mut Work::default()) else {
            return f64::NEG_INFINITY;
        };
        match self.locate(p) {
            Location::Inside => nearest.distance,
            Location::Outside => -nearest.distance,
            Location::OnBoundary => 0.0,
        }
    }

    /// The nearest point of the surface; a face that is likely to hold it makes the search faster.
    pub(super) fn nearest(
        &self,
        p: DVec3,
        hint: Option<FaceId>,
        work: &mut Work,
    ) -> Option<Nearest> {
        let mesh = self.tree.mesh();
        let mut best: Option<Nearest> = None;
        let offer = |face: FaceId, best: &mut Option<Nearest>| {
            let closest = closest_point_on_triangle(p, &mesh.triangle(face));
            let better = match best {
                None => true,
                Some(b) => (closest.distance, face) < (b.distance, b.face),
            };
            if better {
                *best = Some(Nearest {
                    distance: closest.distance,
                    face,
                });
            }
        };
        if let Some(face) = hint {
            offer(face, &mut best);
        }
        let whole = self.tree.whole()?;
        let mut stack = vec![(0.0, whole)];
        while let Some((at_least, part)) = stack.pop() {
            if best.is_some_and(|b| at_least > b.distance) {
                continue;
            }
            for &face in self.tree.faces_of(&part) {
                work.face_tests += 1;
                offer(FaceId::new(face), &mut best);
            }
            let bottom = stack.len();
            for child in self.tree.parts(&part) {
                work.volume_tests += 1;
                let at_least = child.bounds.distance_at_least(p);
                if best.is_none_or(|b| at_least <= b.distance) {
                    stack.push((at_least, child));
                }
            }
            stack[bottom..].sort_by(|x, y| y.0.total_cmp(&x.0));
        }
        best
    }

    /// How far a ray from `p` along the unit vector `direction` goes before it meets the surface, hits nearer than
    /// `from` not counted.
    pub(super) fn first_hit(&self, p: DVec3, direction: DVec3, from: f64) -> Option<f64> {
        let ray = Ray::new(p, direction).ok()?;
        let mesh = self.tree.mesh();
        let mut nearest: Option<f64> = None;
        let mut stack: Vec<Part> = self.tree.whole().into_iter().collect();
        while let Some(part) = stack.pop() {
            let b = &part.bounds;
            let away = b.center - p;
            // The ball around the box: simple, and rays are few.
            let radius = b.outer_radius();
            let along = away.dot(direction);
            let aside = (away - direction * along).length();
            if aside > radius * (1.0 + 1e-9) || along < -radius {
                continue;
            }
            if nearest.is_some_and(|n| along - radius > n) {
                continue;
            }
            for &face in self.tree.faces_of(&part) {
                if let Some(hit) = ray_triangle(&ray, &mesh.triangle(FaceId::new(face)))
                    && hit.t >= from
                {
                    nearest = Some(nearest.map_or(hit.t, |n| n.min(hit.t)));
                }
            }
            stack.extend(self.tree.parts(&part));
        }
        nearest
    }

    /// Whether a piece of this surface lies inside the other solid; meant for surfaces that do not meet.
    fn has_shell_inside(&self, other: &Self, other_from_self: &Pose) -> bool {
        let mesh = self.tree.mesh();
        self.shells.iter().any(|&face| {
            let p = other_from_self.transform_point(mesh.triangle(face)[0]);
            other.locate(p) == Location::Inside
        })
    }

    /// Whether the solids share a point: their surfaces do, or one holds a piece of the other.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::depth::Solid;
    /// use impinge::generate::cuboid;
    /// use impinge::{DVec3, Pose};
    /// use std::sync::Arc;
    /// let large = WideTree::new(Arc::new(cuboid(DVec3::splat(4.0), [1; 3])?));
    /// let small = WideTree::new(Arc::new(cuboid(DVec3::splat(1.0), [1; 3])?));
    /// let (large, small) = (Solid::new(&large)?, Solid::new(&small)?);
    /// let mut cache = WideCache::default();
    /// assert!(large.overlaps(&small, &Pose::IDENTITY, &mut cache));
    /// assert!(!large.overlaps(&small, &Pose::from_translation([9.0, 0.0, 0.0])?, &mut cache));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlaps(&self, other: &Self, self_from_other: &Pose, cache: &mut WideCache) -> bool {
        self.tree.intersects(other.tree, self_from_other, cache)
            || other.has_shell_inside(self, self_from_other)
            || self.has_shell_inside(other, &self_from_other.inverse())
    }

    /// Whether the solid is convex, with all faces outward.
    pub(super) fn is_convex(&self) -> bool {
        self.is_convex
    }

    /// No vertex is farther than this from the frame's origin.
    pub(super) fn reach(&self) -> f64 {
        let whole = self.tree.whole();
        whole.map_or(0.0, |w| w.bounds.center.length() + w.bounds.outer_radius())
    }
}

/// What positions computed for two solids at a pose may be off by.
pub(super) fn slack(a: &Solid<'_>, b: &Solid<'_>, a_from_b: &Pose) -> f64 {
    let reach = a.reach() + b.reach() + a_from_b.translation().length();
    (64.0 * f64::EPSILON + 4.0 * a_from_b.deviation()) * reach
}
