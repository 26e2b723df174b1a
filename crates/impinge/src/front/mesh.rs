//! `Mesh`: a mesh with its queries.

#[cfg(feature = "formats")]
use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use crate::bound::Aabb;
use crate::bvh::wide::{ClosestFace, PointError, SingleTreeCache, WideCache, WideConfig, WideTree};
use crate::bvh::{MeshIndex, Solid};
use crate::ccd::{ImpactCache, ImpactOptions, impact};
use crate::convex::ConvexPenetration;
use crate::geom::{Ray, RayError};
#[cfg(feature = "formats")]
use crate::io::{ReadError, ReadOptions, read};
use crate::math::{Motion, Pose};
use crate::mesh::point_in_mesh::{InsideError, InsideTest, Location};
use crate::mesh::repair::{WeldError, weld};
use crate::mesh::{MeshError, TriMesh};
use crate::pair::{
    BallHit, CastError, ContactPoint, ContactQuery, DepthQuery, Manifold, MeshShape, PairConfig,
    Probe, RayHit, Shape, SharedVolumeError, Unsupported, VolumeQuery, at_mesh,
};
#[cfg(feature = "spheres")]
use crate::penetration::{BodyError, BodyOptions, PenetrationBody};
use crate::query::{Bounded, FacePair, Impact, Limits, Separation, VertexId};
use crate::volume::OverlapVolume;

/// A triangle mesh with its indexes. Checked once, when it is made; indexes are built when first needed and shared by clones.
///
/// A mesh is its surface: one inside another does not meet it. Solids are queried by [`Pair::solids`](super::Pair::solids);
/// [`penetration`](Self::penetration), [`volume`](Self::volume) and [`contains`](Self::contains) are about solids and need closed
/// meshes. Nothing is repaired implicitly: a file that repeats vertices, as STL does, gives an open mesh until it is
/// [welded](Self::welded).
///
/// ```
/// use impinge::{generate::icosphere, prelude::*};
/// let ball = Mesh::from(icosphere(1.0, 4)?);
/// let aside = Pose::from_translation([3.0, 0.0, 0.0])?;
/// assert!(!ball.intersects(&ball, &aside) && ball.is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "PQP")]
#[doc(alias = "FCL")]
pub struct Mesh {
    shape: Arc<MeshShape>,
}

/// Why a mesh cannot be queried as a solid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SolidError {
    /// It has a border, so that it has no inside.
    #[error(
        "the {which} mesh is open: the edge between {a} and {b} has an odd number of faces, {faces}; weld it or fill its holes first"
    )]
    Open {
        /// "first" or "second".
        which: &'static str,
        /// One end of the first open edge.
        a: VertexId,
        /// The other end.
        b: VertexId,
        /// How many faces the edge has.
        faces: usize,
    },
    /// The query is not supported.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl Mesh {
    /// The mesh in a file: OBJ, STL, PLY, OFF, 3MF, glTF or GLB, each also gzipped. All parts of the file are one mesh, whose faces are
    /// numbered as in the file.
    ///
    /// # Errors
    /// [`ReadError`] with the path and the line or byte.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let refused = Mesh::open("no such file.obj").unwrap_err();
    /// assert!(refused.to_string().starts_with("no such file.obj: "));
    /// ```
    #[cfg(feature = "formats")]
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::open_with(path, &ReadOptions::default())
    }

    /// The same with units, a scale or limits.
    ///
    /// # Errors
    /// As [`open`](Self::open), and for bad options.
    ///
    /// ```
    /// use impinge::{io::ReadOptions, prelude::*};
    /// let options = ReadOptions { scale: -1.0, ..ReadOptions::default() };
    /// assert!(Mesh::open_with("no such file.obj", &options).is_err());
    /// ```
    #[cfg(feature = "formats")]
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, ReadError> {
        let (mesh, _) = read(path, options)?.merged();
        Ok(mesh.into())
    }

    /// The mesh of these points and faces.
    ///
    /// # Errors
    /// [`MeshError`] for coordinates that are not finite or too large, and for numbers of points that are not there.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// assert!(Mesh::new(points, [[0, 1, 2]]).is_ok());
    /// assert!(Mesh::new(points, [[0, 1, 3]]).is_err());
    /// ```
    pub fn new<P: Into<DVec3>>(
        points: impl IntoIterator<Item = P>,
        faces: impl IntoIterator<Item = [u32; 3]>,
    ) -> Result<Self, MeshError> {
        Ok(TriMesh::from_points(points, faces)?.into())
    }

    /// The mesh with vertices joined that have the same position; faces keep their numbers.
    /// [`weld`] also returns which vertices became which.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];
    /// let seam = Mesh::new(points, [[0, 1, 2], [3, 4, 5]])?;
    /// assert_eq!(seam.welded().tri_mesh().vertex_count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn welded(&self) -> Self {
        // A tolerance of 0 is never refused.
        self.welded_within(0.0).unwrap_or_else(|_| self.clone())
    }

    /// The mesh with vertices joined that are no farther apart than this, and so on along chains of such vertices.
    ///
    /// # Errors
    /// [`WeldError`] for a distance that is negative or not finite.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, prelude::*};
    /// let mesh = Mesh::from(tetrahedron(1.0)?);
    /// assert!(mesh.welded_within(1e-6).is_ok() && mesh.welded_within(-1.0).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn welded_within(&self, distance: f64) -> Result<Self, WeldError> {
        Ok(weld(self.tri_mesh(), distance)?.mesh.into())
    }

    /// The vertices and faces.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, prelude::*};
    /// assert_eq!(Mesh::from(tetrahedron(1.0)?).tri_mesh().face_count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tri_mesh(&self) -> &Arc<TriMesh> {
        self.shape.mesh()
    }

    /// The mesh with its indexes, as shapes hold it.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, prelude::*};
    /// assert!(Mesh::from(tetrahedron(1.0)?).mesh_shape().is_closed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mesh_shape(&self) -> &Arc<MeshShape> {
        &self.shape
    }

    /// The index that answers about two meshes, built now if it was not.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, prelude::*};
    /// assert!(Mesh::from(tetrahedron(1.0)?).index().bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index(&self) -> &Arc<WideTree> {
        self.shape.wide()
    }

    /// The same, built with this configuration if it was not built yet: answers are the same, building takes less and queries take longer.
    ///
    /// ```
    /// use impinge::{bvh::{MeshIndex, wide::WideConfig}, generate::tetrahedron, prelude::*};
    /// let mesh = Mesh::from(tetrahedron(1.0)?);
    /// assert!(mesh.index_with(&WideConfig::fast()).validate().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn index_with(&self, config: &WideConfig) -> &Arc<WideTree> {
        self.shape.wide_with(config)
    }

    /// The solid that the mesh bounds.
    ///
    /// # Errors
    /// [`InsideError::NotClosed`] naming the first open edge.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, mesh::point_in_mesh::Location, prelude::*};
    /// let mesh = Mesh::from(tetrahedron(1.0)?);
    /// assert_eq!(mesh.solid()?.locate(DVec3::splat(9.0))?, Location::Outside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solid(&self) -> Result<Solid<'_>, InsideError> {
        if !self.is_closed() {
            InsideTest::new(self.tri_mesh())?;
        }
        Ok(self.shape.solid())
    }

    /// Whether it has an inside: every edge has an even number of faces.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let face = Mesh::new([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert!(!face.is_closed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shape.is_closed()
    }

    /// The box around its faces; empty when there are none.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let face = Mesh::new([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert_eq!(face.bounds().max, DVec3::new(1.0, 1.0, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.shape.bounds()
    }

    /// Whether the surfaces share a point, touching included; exact.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// assert!(cube.intersects(&cube, &Pose::from_translation([1.0, 0.0, 0.0])?));
    /// assert!(!cube.intersects(&cube, &Pose::from_translation([1.0_f64.next_up(), 0.0, 0.0])?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn intersects(&self, b: &Self, a_from_b: &Pose) -> bool {
        self.index()
            .intersects(b.index(), a_from_b, &mut WideCache::default())
    }

    /// Every two faces that share a point, each pair once; exact.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// assert!(!cube.intersections(&cube, &Pose::from_translation([0.5, 0.5, 0.5])?).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn intersections(&self, b: &Self, a_from_b: &Pose) -> Vec<FacePair> {
        let (mut cache, mut pairs) = (WideCache::default(), Vec::new());
        let limits = Limits::default();
        let _ = self
            .index()
            .intersections(b.index(), a_from_b, limits, &mut cache, &mut pairs);
        pairs
    }

    /// The distance of the surfaces and two nearest points, with bounds; 0 exactly when they meet. No value when a mesh is empty.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// let gap = cube.distance(&cube, &Pose::from_translation([3.0, 0.0, 0.0])?);
    /// assert!(gap.value.is_some_and(|gap| gap.distance == 2.0) && gap.lower <= 2.0 && gap.upper >= 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn distance(&self, b: &Self, a_from_b: &Pose) -> Bounded<Option<Separation>> {
        let (limits, mut cache) = (Limits::default(), WideCache::default());
        self.index()
            .distance(b.index(), a_from_b, limits, &mut cache)
    }

    /// The shortest translation that separates the solids, with bounds on its length: depth, direction in which `b` leaves, and the
    /// points that touch last. No value when they are apart.
    ///
    /// # Errors
    /// [`SolidError::Open`] naming the mesh and its first open edge.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// let deep = cube.penetration(&cube, &Pose::from_translation([0.75, 0.0, 0.0])?)?.value.ok_or("they overlap")?;
    /// assert!((deep.depth - 0.25).abs() < 1e-9 && (deep.normal - DVec3::X).length() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn penetration(
        &self,
        b: &Self,
        a_from_b: &Pose,
    ) -> Result<Bounded<Option<ConvexPenetration>>, SolidError> {
        self.require_closed("first")?;
        b.require_closed("second")?;
        let mut query = DepthQuery::new(&self.into(), &b.into(), &PairConfig::default())?;
        Ok(query.at(a_from_b, Limits::default()))
    }

    fn require_closed(&self, which: &'static str) -> Result<(), SolidError> {
        if self.is_closed() {
            return Ok(());
        }
        match InsideTest::new(self.tri_mesh()) {
            Err(InsideError::NotClosed { a, b, faces }) => {
                Err(SolidError::Open { which, a, b, faces })
            }
            _ => Ok(()),
        }
    }

    /// The volume that the solids share, with bounds, its centroid and its derivative.
    ///
    /// # Errors
    /// [`SharedVolumeError`] for a mesh that is open, inconsistently oriented or inside out.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// assert_eq!(cube.volume(&cube, &Pose::from_translation([0.5, 0.5, 0.5])?)?.value.volume, 0.125);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn volume(
        &self,
        b: &Self,
        a_from_b: &Pose,
    ) -> Result<Bounded<OverlapVolume>, SharedVolumeError> {
        VolumeQuery::new(&self.into(), &b.into())?.at(a_from_b, Limits::default())
    }

    /// The mesh with a body filled with so many inner spheres: worlds then tell its shared volumes and forces by spheres, and
    /// by the boundary integral where that is cheap. [`with_body`](Self::with_body) takes any other body.
    ///
    /// # Errors
    /// [`BodyError`] for a mesh that is no solid, or too thin for spheres.
    ///
    /// ```
    /// use impinge::{generate::icosphere, prelude::*};
    /// let ball = Mesh::from(icosphere(1.0, 8)?).packed(1000)?;
    /// let mut world = World::watching(EventMask::VOLUME);
    /// world.add(&ball, Pose::IDENTITY)?;
    /// world.add(&ball, Pose::from_translation([1.75, 0.0, 0.0])?)?;
    /// let frame = world.step();
    /// let shared = frame.overlap(&frame.events[0]).ok_or("they overlap")?;
    /// assert!(shared.lower <= shared.value.volume && shared.value.volume <= shared.upper);
    /// assert!(shared.value.force_on_b.x > 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "spheres")]
    pub fn packed(&self, balls: usize) -> Result<Self, BodyError> {
        let options = BodyOptions {
            balls,
            ..BodyOptions::default()
        };
        let body = PenetrationBody::prepared(self.shape.wide(), &options)?;
        Ok(self.with_body(body))
    }

    /// The mesh with a body for queries of volume and force, which has to be its own. Indexes that were built are shared.
    ///
    /// ```
    /// use impinge::{generate::icosphere, prelude::*};
    /// use impinge::penetration::{PenetrationBody, PenetrationMethod, SolidVoxels};
    /// let ball = icosphere(1.0, 4)?;
    /// let voxels = SolidVoxels::new(&ball, 20)?;
    /// let body = PenetrationBody::default().with_voxels(voxels);
    /// let ball = Mesh::from(ball).with_body(body);
    /// assert!(ball.is_closed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "spheres")]
    #[must_use]
    pub fn with_body(&self, body: PenetrationBody) -> Self {
        Self {
            shape: Arc::new((*self.shape).clone().with_body(body)),
        }
    }

    /// Where the surfaces touch, or come within `margin` of each other: the contact manifold, a few points of each normal.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// let manifold = cube.contacts(&cube, &Pose::from_translation([0.25, 0.0, 0.875])?, 0.0);
    /// assert!(manifold.points().iter().any(|point| (point.depth - 0.125).abs() < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contacts(&self, b: &Self, a_from_b: &Pose, margin: f64) -> Manifold {
        let mut manifold = Manifold::default();
        let query = ContactQuery::new(&self.into(), &b.into(), &PairConfig::default());
        debug_assert!(query.is_ok(), "two meshes always have contacts to ask for");
        if let Ok(mut query) = query {
            query.at(a_from_b, margin, &mut manifold);
        }
        manifold.group();
        manifold
    }

    /// Every contact point, not only a few of each normal.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [4; 3])?);
    /// let on_top = Pose::from_translation([0.1, 0.1, 0.9375])?;
    /// assert!(cube.all_contacts(&cube, &on_top, 0.0).len() > cube.contacts(&cube, &on_top, 0.0).len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn all_contacts(&self, b: &Self, a_from_b: &Pose, margin: f64) -> Vec<ContactPoint> {
        let mut points = Vec::new();
        let query = ContactQuery::new(&self.into(), &b.into(), &every_contact());
        debug_assert!(query.is_ok(), "two meshes always have contacts to ask for");
        if let Ok(mut query) = query {
            query.at(a_from_b, margin, &mut points);
        }
        points
    }

    /// The first contact of the surfaces while `b` moves in the frame of `a`; no value when they do not touch. They are apart
    /// before `lower` and meet at `upper`, if that is finite.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::ONE, [1; 3])?);
    /// let motion = Motion::between(&Pose::from_translation([5.0, 0.0, 0.0])?, &Pose::from_translation([-3.0, 0.0, 0.0])?);
    /// let hit = cube.impact(&cube, &motion);
    /// assert!(hit.lower <= 0.5 && hit.upper >= 0.5 && hit.upper - hit.lower < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn impact(&self, b: &Self, a_from_b: &Motion) -> Bounded<Option<Impact>> {
        let (options, limits) = (ImpactOptions::default(), Limits::default());
        let still = Motion::still(&Pose::IDENTITY);
        let cache = &mut ImpactCache::default();
        impact(
            self.index(),
            b.index(),
            &still,
            a_from_b,
            &options,
            limits,
            cache,
        )
    }

    /// The first face that a ray hits, from either side; whether it hits is exact, so that no ray slips between two faces.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// let hit = cube.cast_ray(&Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0])?).ok_or("a hit")?;
    /// assert_eq!((hit.t, hit.normal), (4.0, DVec3::Z));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cast_ray(&self, ray: &Ray) -> Option<RayHit> {
        let hit = at_mesh(
            &self.shape,
            &Probe::ray(ray),
            &mut SingleTreeCache::default(),
        );
        // Only the ends of a segment can be wrong.
        hit.unwrap_or(None)
    }

    /// The first face that a segment hits, ends included, with `t` from 0 to 1.
    ///
    /// # Errors
    /// [`RayError`] for an end that is not finite or too large.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// assert_eq!(cube.cast_segment([0.0, 0.0, 3.0], [0.0, 0.0, 0.5])?.map(|hit| hit.t), Some(0.8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_segment(
        &self,
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
    ) -> Result<Option<RayHit>, RayError> {
        let segment = Probe::segment(from.into(), to.into())?;
        at_mesh(&self.shape, &segment, &mut SingleTreeCache::default())
    }

    /// The first contact of a ball whose centre moves straight from `from` to `to`. The ball is certainly apart before `lower` and
    /// meets the mesh at `upper`, if that is finite.
    ///
    /// # Errors
    /// [`CastError`] for a bad radius or point.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// let hit = cube.cast_ball(0.5, [5.5, 0.0, 0.0], [-2.5, 0.0, 0.0])?.value.ok_or("a hit")?;
    /// assert!((hit.t - 0.5).abs() < 1e-6 && (hit.center.x - 1.5).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "sphere cast")]
    #[doc(alias = "swept sphere")]
    pub fn cast_ball(
        &self,
        radius: f64,
        from: impl Into<DVec3>,
        to: impl Into<DVec3>,
    ) -> Result<Bounded<Option<BallHit>>, CastError> {
        Shape::from(self).cast_ball(radius, from, to)
    }

    /// The point of the surface nearest to `point`, and its face; no value when the mesh is empty.
    ///
    /// # Errors
    /// [`PointError`] for a point that is not finite or too large.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// let nearest = cube.closest_point([0.25, 0.5, 3.0])?.value.ok_or("a face")?;
    /// assert_eq!((nearest.distance, nearest.point), (2.0, DVec3::new(0.25, 0.5, 1.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_point(
        &self,
        point: impl Into<DVec3>,
    ) -> Result<Bounded<Option<ClosestFace>>, PointError> {
        let (limits, mut cache) = (Limits::default(), SingleTreeCache::default());
        self.index().closest_face(point.into(), limits, &mut cache)
    }

    /// Whether the point lies inside or on the surface; exact.
    ///
    /// # Errors
    /// [`InsideError`] for an open mesh, and for a point that is not finite or too large.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// let cube = Mesh::from(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// assert!(cube.contains([1.0, 0.0, 0.0])? && !cube.contains([1.0_f64.next_up(), 0.0, 0.0])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(&self, point: impl Into<DVec3>) -> Result<bool, InsideError> {
        Ok(self.solid()?.locate(point.into())? != Location::Outside)
    }

    /// Pairs of faces of this mesh that meet beyond the corners and edges they share.
    ///
    /// ```
    /// use impinge::{generate::cuboid, prelude::*};
    /// assert!(Mesh::from(cuboid(DVec3::ONE, [2; 3])?).self_intersections().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn self_intersections(&self) -> Vec<FacePair> {
        let (mut cache, mut pairs) = (WideCache::default(), Vec::new());
        // Without limits the search is always complete.
        let _ = self.index().self_intersections(
            &Default::default(),
            Limits::default(),
            &mut cache,
            &mut pairs,
        );
        pairs
    }
}

/// How every contact point is requested.
pub(super) fn every_contact() -> PairConfig {
    PairConfig {
        max_contacts: usize::MAX,
        ..PairConfig::default()
    }
}

impl From<TriMesh> for Mesh {
    fn from(mesh: TriMesh) -> Self {
        Arc::new(mesh).into()
    }
}

impl From<Arc<TriMesh>> for Mesh {
    fn from(mesh: Arc<TriMesh>) -> Self {
        Self {
            shape: Arc::new(MeshShape::new(mesh)),
        }
    }
}

impl From<Arc<MeshShape>> for Mesh {
    fn from(shape: Arc<MeshShape>) -> Self {
        Self { shape }
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        mesh.shape.into()
    }
}

/// Shares the indexes.
impl From<&Mesh> for Shape {
    fn from(mesh: &Mesh) -> Self {
        mesh.shape.clone().into()
    }
}
