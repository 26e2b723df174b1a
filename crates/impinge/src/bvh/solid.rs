//! Solids: closed meshes with their interior.
//!
//! **Question.** Do two solids share a point, even when one lies deep inside the other and their
//! surfaces do not meet?
//!
//! **Idea.** Where surfaces do not intersect, each connected component of one surface lies entirely
//! inside or entirely outside the other solid, so that one point of it decides. If no component of
//! either lies inside the other, the solids are disjoint: a common region would have a boundary
//! made of such components.
//!
//! **Cost.** That of finding the first pair of faces, and one ray per connected piece.
//!
//! **Promise.** Exact for closed meshes, on placed coordinates, by the parity rule of
//! [`mesh::point_in_mesh`](crate::mesh::point_in_mesh): of nested shells every second one bounds a
//! cavity. For other meshes the winding number decides, on request.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::MeshIndex;
use super::inside_grid::InsideGrid;
use super::near_convex::NearConvex;
use super::wide::batch::BatchOptions;
use super::wide::{SingleTreeCache, WideCache, WideTree, WindingIndex};
use crate::math::{Pose, is_valid_point};
use crate::mesh::components::Components;
use crate::mesh::point_in_mesh::{CrossingCount, InsideError, InsideTest, Location};
use crate::mesh::{TriMesh, is_convex};
use crate::query::{First, Limits, Outcome};

/// How well the winding number is computed before it is compared with ½.
const WINDING_TOLERANCE: f64 = 0.01;

/// How two solids are related: disjoint, intersecting, or one inside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Relation {
    /// They share no point.
    Disjoint,
    /// Their surfaces share a point.
    SurfacesMeet,
    /// All of `a` lies in the interior of `b`.
    AInsideB,
    /// All of `b` lies in the interior of `a`.
    BInsideA,
    /// Their surfaces do not meet and they share points, but neither contains the other: each has several pieces.
    Overlapping,
}

/// A mesh with an inside.
///
/// ```
/// use impinge::bvh::{Relation, Solid, wide::{WideCache, WideTree}};
/// use impinge::{DVec3, Pose, generate, mesh::point_in_mesh::Location};
/// use std::sync::Arc;
/// let small = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
/// let large = WideTree::new(Arc::new(generate::icosphere(5.0, 4)?));
/// let (small, large) = (Solid::closed(&small)?, Solid::closed(&large)?);
/// assert_eq!(small.locate(DVec3::ZERO)?, Location::Inside);
/// let mut cache = WideCache::default();
/// assert!(small.intersects(&large, &Pose::IDENTITY, &mut cache));
/// assert_eq!(small.relation(&large, &Pose::IDENTITY, &mut cache), Relation::AInsideB);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "point in polyhedron")]
#[doc(alias = "winding number")]
pub struct Solid<'t> {
    tree: &'t WideTree,
    rule: InsideRule<'t>,
    facts: Arc<SolidFacts>,
}

#[derive(Clone, Debug)]
enum InsideRule<'t> {
    Parity,
    Winding(WindingIndex<'t>),
}

/// What is found out about a mesh once, so that its solid costs nothing to make again.
#[derive(Debug)]
pub(crate) struct SolidFacts {
    /// A vertex of each connected piece of the surface.
    pub(crate) samples: Vec<DVec3>,
    /// Computed when first needed.
    is_convex: OnceLock<bool>,
    kernel: OnceLock<Option<NearConvex>>,
}

impl SolidFacts {
    /// The facts about a mesh; none when it is not closed.
    #[cfg(feature = "scene")]
    pub(crate) fn of(mesh: &TriMesh) -> Option<Arc<Self>> {
        InsideTest::new(mesh).ok()?;
        let facts = Self::of_any(mesh);
        let _ = facts.is_convex.set(is_convex(mesh, &mesh.half_edges()));
        Some(facts)
    }

    /// The facts about a mesh that is known to be closed, or that is queried by its winding.
    pub(crate) fn of_any(mesh: &TriMesh) -> Arc<Self> {
        Arc::new(Self {
            samples: mesh_samples(mesh),
            is_convex: OnceLock::new(),
            kernel: OnceLock::new(),
        })
    }
}

impl<'t> Solid<'t> {
    /// The solid of a closed mesh whose facts are known.
    pub(crate) fn with_facts(tree: &'t WideTree, facts: &Arc<SolidFacts>) -> Self {
        Self {
            tree,
            rule: InsideRule::Parity,
            facts: Arc::clone(facts),
        }
    }

    /// The surface of any mesh, to be searched from outside: nothing is inside it.
    #[cfg(feature = "scene")]
    pub(crate) fn surface(tree: &'t WideTree) -> Self {
        Self {
            tree,
            rule: InsideRule::Parity,
            facts: Arc::new(SolidFacts {
                samples: Vec::new(),
                is_convex: OnceLock::from(false),
                kernel: OnceLock::new(),
            }),
        }
    }

    /// The solid that a closed mesh bounds: every edge has an even number of faces.
    ///
    /// # Errors
    /// [`InsideError::NotClosed`] naming the first edge that has not.
    ///
    /// ```
    /// use impinge::bvh::Solid;
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(Solid::closed(&tree).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closed(tree: &'t WideTree) -> Result<Self, InsideError> {
        InsideTest::new(tree.mesh())?;
        Ok(Self {
            tree,
            rule: InsideRule::Parity,
            facts: SolidFacts::of_any(tree.mesh()),
        })
    }

    /// The points around which any mesh, open or damaged, winds more than half a time. Not exact near holes, where no answer is.
    ///
    /// ```
    /// use impinge::bvh::{Solid, wide::WideTree};
    /// use impinge::{DVec3, TriMesh, mesh::point_in_mesh::Location};
    /// use std::sync::Arc;
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let open = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// let tree = WideTree::new(Arc::new(open));
    /// assert!(Solid::closed(&tree).is_err());
    /// assert_eq!(Solid::by_winding(&tree).locate(DVec3::splat(0.1))?, Location::Inside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn by_winding(tree: &'t WideTree) -> Self {
        Self {
            tree,
            rule: InsideRule::Winding(WindingIndex::new(tree)),
            facts: SolidFacts::of_any(tree.mesh()),
        }
    }

    /// The tree of the surface.
    ///
    /// ```
    /// use impinge::bvh::Solid;
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(std::ptr::eq(Solid::by_winding(&tree).tree(), &tree));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tree(&self) -> &'t WideTree {
        self.tree
    }

    /// Where the point lies; exact for closed meshes.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::{DVec3, bvh::Solid, mesh::point_in_mesh::Location};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert_eq!(Solid::closed(&tree)?.locate(DVec3::splat(9.0))?, Location::Outside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate(&self, p: DVec3) -> Result<Location, InsideError> {
        self.locate_with(p, &mut SingleTreeCache::default())
    }

    /// The same with scratch memory kept between points.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::{DVec3, bvh::Solid, mesh::point_in_mesh::Location};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// let solid = Solid::closed(&tree)?;
    /// assert_eq!(solid.locate_with(DVec3::splat(9.0), &mut Default::default())?, Location::Outside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate_with(
        &self,
        p: DVec3,
        cache: &mut SingleTreeCache,
    ) -> Result<Location, InsideError> {
        if !is_valid_point(p) {
            return Err(InsideError::InvalidPoint);
        }
        Ok(self.place(self.tree.crossings(p, cache), p, cache))
    }

    /// The same, or none when a limit was met first.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::{DVec3, bvh::{Solid, wide::WideTree}, mesh::point_in_mesh::Location, query::Limits};
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(icosphere(1.0, 8)?));
    /// let (ball, mut cache) = (Solid::closed(&tree)?, Default::default());
    /// let found = ball.bounded_locate(DVec3::ZERO, Limits::default(), &mut cache)?;
    /// assert_eq!(found, Some(Location::Inside));
    /// let few = Limits { max_tests: Some(1), ..Limits::default() };
    /// assert_eq!(ball.bounded_locate(DVec3::ZERO, few, &mut cache)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounded_locate(
        &self,
        p: DVec3,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Result<Option<Location>, InsideError> {
        if !is_valid_point(p) {
            return Err(InsideError::InvalidPoint);
        }
        let Some(found) = self.tree.bounded_crossings(p, limits, cache) else {
            return Ok(None);
        };
        let index = match (&self.rule, found) {
            (_, None) => return Ok(Some(Location::OnBoundary)),
            (InsideRule::Parity, Some(crossings)) => return Ok(Some(crossings.location())),
            (InsideRule::Winding(index), Some(_)) => index,
        };
        let spent = cache.work().tests();
        let rest = Limits {
            max_tests: limits.max_tests.map(|max| max.saturating_sub(spent)),
            ..limits
        };
        let Ok(winding) = index.winding_number(p, WINDING_TOLERANCE, rest, cache) else {
            return Err(InsideError::InvalidPoint);
        };
        Ok(match winding.outcome {
            Outcome::Complete if winding.value > 0.5 => Some(Location::Inside),
            Outcome::Complete => Some(Location::Outside),
            _ if winding.lower > 0.5 => Some(Location::Inside),
            _ if winding.upper < 0.5 => Some(Location::Outside),
            _ => None,
        })
    }

    /// Whether crossings are counted, so that nothing changes away from the surface.
    pub(super) fn is_by_parity(&self) -> bool {
        matches!(self.rule, InsideRule::Parity)
    }

    /// Where a valid point lies.
    pub(crate) fn location(&self, p: DVec3, cache: &mut SingleTreeCache) -> Location {
        self.place(self.tree.crossings(p, cache), p, cache)
    }

    /// Whether the solid is known to be convex, with all faces outward.
    pub(crate) fn is_convex(&self) -> bool {
        let mesh = self.tree.mesh();
        self.is_by_parity()
            && *self
                .facts
                .is_convex
                .get_or_init(|| is_convex(mesh, &mesh.half_edges()))
    }

    /// The part of the hull that certainly lies inside; none when the solid is not nearly convex.
    pub(crate) fn kernel(&self) -> Option<&NearConvex> {
        let find = || {
            if self.is_convex() {
                return Some(NearConvex::of_convex());
            }
            let kernel = match self.rule {
                InsideRule::Parity => NearConvex::of_nearly_convex(self.tree),
                InsideRule::Winding(_) => None,
            };
            kernel.filter(|kernel| {
                self.location(kernel.center, &mut SingleTreeCache::default()) == Location::Inside
            })
        };
        self.facts.kernel.get_or_init(find).as_ref()
    }

    /// Where each point lies, in their order. With the feature `parallel` the points are shared among threads.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::bvh::{Solid, wide::WideTree};
    /// use impinge::{DVec3, generate, mesh::point_in_mesh::Location};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
    /// let places = Solid::closed(&ball)?.locate_all(&[DVec3::ZERO, DVec3::X * 2.0])?;
    /// assert_eq!(places, [Location::Inside, Location::Outside]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate_all(&self, points: &[DVec3]) -> Result<Vec<Location>, InsideError> {
        match InsideGrid::new(self, points.len()) {
            Some(grid) => each_point(points, |cache, p| grid.locate_with(p, cache)),
            None => each_point(points, |cache, p| self.locate_with(p, cache)),
        }
    }

    /// Where each point lies, in their order, each under the limits of the options; none where one was met first.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::bvh::{Solid, wide::{WideTree, batch::BatchOptions}};
    /// use impinge::{DVec3, generate, mesh::point_in_mesh::Location};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
    /// let options = BatchOptions::default();
    /// let places = Solid::closed(&ball)?.bounded_locate_all(&[DVec3::ZERO], &options)?;
    /// assert_eq!(places, [Some(Location::Inside)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounded_locate_all(
        &self,
        points: &[DVec3],
        options: &BatchOptions<'_>,
    ) -> Result<Vec<Option<Location>>, InsideError> {
        each_point(points, |cache, p| {
            options.limited(|limits| self.bounded_locate(p, limits, cache))
        })
    }

    /// Whether the solids share a point, or none when a limit was met first.
    ///
    /// ```
    /// use impinge::{Pose, bvh::{Solid, wide::WideTree}, generate::icosphere, query::Limits};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(icosphere(1.0, 4)?));
    /// let (ball, mut cache) = (Solid::closed(&ball)?, Default::default());
    /// let few = Limits { max_tests: Some(1), ..Limits::default() };
    /// assert_eq!(ball.bounded_intersects(&ball, &Pose::IDENTITY, few, &mut cache), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounded_intersects(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Option<bool> {
        let relation = self.bounded_relation(other, self_from_other, limits, cache)?;
        Some(relation != Relation::Disjoint)
    }

    /// Whether the solids share a point, surfaces included.
    ///
    /// ```
    /// use impinge::{Pose, bvh::Solid};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// let solid = Solid::closed(&tree)?;
    /// assert!(solid.intersects(&solid, &Pose::IDENTITY, &mut Default::default()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn intersects(&self, other: &Self, self_from_other: &Pose, cache: &mut WideCache) -> bool {
        self.tree.intersects(other.tree, self_from_other, cache)
            || self.holds_piece_of(other, self_from_other, &mut cache.probe)
            || other.holds_placed_piece_of(self, self_from_other, &mut cache.probe)
    }

    /// How the solids lie to each other; `self` is `a`.
    ///
    /// ```
    /// use impinge::{Pose, bvh::{Relation, Solid}};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// let (solid, apart) = (Solid::closed(&tree)?, Pose::from_translation([9.0, 0.0, 0.0])?);
    /// assert_eq!(solid.relation(&solid, &apart, &mut Default::default()), Relation::Disjoint);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn relation(
        &self,
        other: &Self,
        self_from_other: &Pose,
        cache: &mut WideCache,
    ) -> Relation {
        let found = self.bounded_relation(other, self_from_other, Limits::default(), cache);
        // Without limits there always is an answer.
        found.unwrap_or(Relation::SurfacesMeet)
    }

    /// The same, or nothing when a limit was met first.
    ///
    /// ```
    /// use impinge::bvh::{Relation, Solid, wide::{WideCache, WideTree}};
    /// use impinge::{Pose, generate, query::Limits};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
    /// let (ball, mut cache) = (Solid::closed(&ball)?, WideCache::default());
    /// let few = Limits { max_tests: Some(1), ..Limits::default() };
    /// assert_eq!(ball.bounded_relation(&ball, &Pose::IDENTITY, few, &mut cache), None);
    /// let all = ball.bounded_relation(&ball, &Pose::IDENTITY, Limits::default(), &mut cache);
    /// assert_eq!(all, Some(Relation::SurfacesMeet));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounded_relation(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Option<Relation> {
        let tree = other.tree;
        if limits.is_unlimited() {
            if self.tree.intersects(tree, self_from_other, cache) {
                return Some(Relation::SurfacesMeet);
            }
        } else {
            let mut first = First::default();
            match self
                .tree
                .intersections(tree, self_from_other, limits, cache, &mut first)
            {
                Outcome::StoppedBySink => return Some(Relation::SurfacesMeet),
                Outcome::OutOfBudget => return None,
                Outcome::Complete => {}
            }
        }
        let mut spent = WideTree::work(cache);
        let probe = &mut cache.probe;
        let mut may_go_on = |probe: &SingleTreeCache| {
            spent += probe.work();
            limits.allows(spent.tests()) && !limits.is_stopped()
        };
        let (mut a_inside, mut b_inside) = (0, 0);
        for &p in &other.facts.samples {
            let placed = self_from_other.transform_point(p);
            b_inside += usize::from(self.contains(placed, probe));
            if !may_go_on(probe) {
                return None;
            }
        }
        for &p in &self.facts.samples {
            a_inside += usize::from(other.contains_placed(self_from_other, p, probe));
            if !may_go_on(probe) {
                return None;
            }
        }
        let (all_a, all_b) = (self.facts.samples.len(), other.facts.samples.len());
        Some(match (a_inside, b_inside) {
            (0, 0) => Relation::Disjoint,
            (a, 0) if a == all_a => Relation::AInsideB,
            (0, b) if b == all_b => Relation::BInsideA,
            _ => Relation::Overlapping,
        })
    }

    /// Whether a piece of the other's surface lies inside, where surfaces do not meet.
    fn holds_piece_of(
        &self,
        other: &Self,
        self_from_other: &Pose,
        probe: &mut SingleTreeCache,
    ) -> bool {
        let mut placed = other
            .facts
            .samples
            .iter()
            .map(|&p| self_from_other.transform_point(p));
        placed.any(|p| self.contains(p, probe))
    }

    /// The same for this solid placed.
    fn holds_placed_piece_of(
        &self,
        other: &Self,
        other_from_self: &Pose,
        probe: &mut SingleTreeCache,
    ) -> bool {
        let mut samples = other.facts.samples.iter();
        samples.any(|&p| self.contains_placed(other_from_self, p, probe))
    }

    pub(crate) fn contains(&self, p: DVec3, cache: &mut SingleTreeCache) -> bool {
        let crossings = self.tree.crossings(p, cache);
        self.place(crossings, p, cache) != Location::Outside
    }

    /// Whether this solid, placed, contains the point; decided on placed coordinates.
    pub(crate) fn contains_placed(
        &self,
        pose: &Pose,
        p: DVec3,
        cache: &mut SingleTreeCache,
    ) -> bool {
        let crossings = self.tree.placed_crossings(pose, p, cache);
        self.place(crossings, pose.inverse() * p, cache) != Location::Outside
    }

    /// The location of a point, given its crossings and its place in the tree's own frame.
    fn place(
        &self,
        crossings: Option<CrossingCount>,
        own: DVec3,
        cache: &mut SingleTreeCache,
    ) -> Location {
        let Some(crossings) = crossings else {
            return Location::OnBoundary;
        };
        let InsideRule::Winding(index) = &self.rule else {
            return crossings.location();
        };
        match index.winding_number(own, WINDING_TOLERANCE, Limits::default(), cache) {
            Ok(winding) if winding.value > 0.5 => Location::Inside,
            _ => Location::Outside,
        }
    }
}

/// The first vertex of the first face of each connected piece.
pub(crate) fn mesh_samples(mesh: &TriMesh) -> Vec<DVec3> {
    let pieces = Components::by_vertex(mesh);
    (0..pieces.count())
        .map(|piece| mesh.triangle(pieces.first(piece))[0])
        .collect()
}

/// The answers about points, in their order.
fn each_point<R: Send>(
    points: &[DVec3],
    locate: impl Fn(&mut SingleTreeCache, DVec3) -> Result<R, InsideError> + Sync + Send,
) -> Result<Vec<R>, InsideError> {
    #[cfg(feature = "parallel")]
    return points
        .par_iter()
        .map_init(SingleTreeCache::default, |cache, p| locate(cache, *p))
        .collect();
    #[cfg(not(feature = "parallel"))]
    {
        let mut cache = SingleTreeCache::default();
        points.iter().map(|p| locate(&mut cache, *p)).collect()
    }
}
