//! Sphere packing of a solid: the public functions.

use std::ops::ControlFlow;

use super::options::{PackError, PackOptions, PackProgress};
use super::packing::Packing;
use super::packing_loop::{LEAST_RADIUS, PackEngine};
use super::surface_walls::{MeshWalls, PointWalls, Walls};
use super::unit_frame::UnitFrame;
use crate::math::sort::sort_many;
use crate::spheres::interior::{Interior, MeshSolid};
use crate::spheres::solid_ball::SolidBall;

/// The packing of a mesh.
///
/// # Errors
/// [`PackError`] when no bound is set or a bound is invalid, and when no ball fits.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{MeshSolid, PackOptions, pack}};
/// use std::sync::Arc;
/// let cube = generate::cuboid(DVec3::ONE, [1; 3])?;
/// let tree = WideTree::new(Arc::new(cube));
/// let packing = pack(&MeshSolid::new(&tree)?, &PackOptions { count: Some(9), ..Default::default() })?;
/// assert!((packing.balls[0].radius - 0.5).abs() < 1e-5);
/// assert!((packing.balls[8].radius - 0.133975).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "sphere packing")]
#[doc(alias = "ProtoSphere")]
pub fn pack(solid: &MeshSolid<'_>, options: &PackOptions) -> Result<Packing, PackError> {
    pack_with(solid, options, &mut |_| ControlFlow::Continue(()))
}

/// The same, with a call after every batch that gets the spheres so far; [`ControlFlow::Break`]
/// stops the packing with these.
///
/// # Errors
/// As [`pack`].
///
/// ```
/// use impinge::{bvh::wide::WideTree, generate, spheres::{MeshSolid, PackEnd, PackOptions, pack_with}};
/// use std::{ops::ControlFlow, sync::Arc};
/// let tree = WideTree::new(Arc::new(generate::tetrahedron(1.0)?));
/// let options = PackOptions { count: Some(1000), ..Default::default() };
/// let packing = pack_with(&MeshSolid::new(&tree)?, &options, &mut |now| {
///     if now.count > 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// })?;
/// assert!(packing.end == PackEnd::Cancelled && packing.balls.len() < 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_with(
    solid: &MeshSolid<'_>,
    options: &PackOptions,
    progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
) -> Result<Packing, PackError> {
    options.check()?;
    let frame = UnitFrame::around(&solid.bounds()).ok_or(PackError::NoSize)?;
    packed(&MeshWalls::new(solid, frame), options, progress)
}

/// The packing of any solid with a closest-point query. Slower than that of a mesh: every step queries the solid.
///
/// # Errors
/// As [`pack`].
///
/// ```
/// use impinge::{DVec3, bound::Aabb, spheres::{Interior, PackOptions, pack_interior}};
/// struct UnitBall;
/// impl Interior for UnitBall {
///     fn bounds(&self) -> Aabb {
///         Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE }
///     }
///     fn volume(&self) -> f64 {
///         4.0 / 3.0 * std::f64::consts::PI
///     }
///     fn closest_point(&self, p: DVec3) -> DVec3 {
///         p.try_normalize().unwrap_or(DVec3::X)
///     }
///     fn contains(&self, p: DVec3) -> bool {
///         p.length() < 1.0
///     }
/// }
/// let packing = pack_interior(&UnitBall, &PackOptions { count: Some(1), ..Default::default() })?;
/// assert!((packing.balls[0].radius - 1.0).abs() < 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_interior(
    solid: &(impl Interior + ?Sized),
    options: &PackOptions,
) -> Result<Packing, PackError> {
    pack_interior_with(solid, options, &mut |_| ControlFlow::Continue(()))
}

/// The same with progress, as [`pack_with`].
///
/// # Errors
/// As [`pack`].
///
/// ```
/// use impinge::{bvh::wide::WideTree, generate, spheres::{MeshSolid, PackOptions, pack_interior_with}};
/// use std::{ops::ControlFlow, sync::Arc};
/// let tree = WideTree::new(Arc::new(generate::tetrahedron(1.0)?));
/// let solid = MeshSolid::new(&tree)?;
/// let options = PackOptions { count: Some(20), ..Default::default() };
/// let packing = pack_interior_with(&solid, &options, &mut |_| ControlFlow::Continue(()))?;
/// assert!(packing.check(&solid).is_feasible());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_interior_with(
    solid: &(impl Interior + ?Sized),
    options: &PackOptions,
    progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
) -> Result<Packing, PackError> {
    options.check()?;
    let frame = UnitFrame::around(&solid.bounds()).ok_or(PackError::NoSize)?;
    packed(&PointWalls::new(solid, frame), options, progress)
}

fn packed<W: Walls>(
    walls: &W,
    options: &PackOptions,
    progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
) -> Result<Packing, PackError> {
    if options.count == Some(0) {
        return Ok(Packing {
            balls: Vec::new(),
            solid_volume: walls.volume(),
            end: super::PackEnd::Count,
            work: super::PackWork::default(),
        });
    }
    let mut engine = PackEngine::new(walls, options);
    let end = engine.run(progress);
    if engine.balls.is_empty() {
        let wanted = options.min_radius.unwrap_or(0.0);
        let looked = f64::from(LEAST_RADIUS) * walls.frame().scale;
        return Err(PackError::NoInterior {
            thinner_than: 2.0 * wanted.max(looked),
        });
    }
    let (mut balls, work) = (engine.balls, engine.work);
    sort_many(&mut balls, |x, y| y.radius.total_cmp(&x.radius));
    Ok(Packing {
        balls,
        solid_volume: walls.volume(),
        end,
        work,
    })
}

/// The largest empty spheres of a mesh before any sphere is inserted, one per local maximum of the
/// clearance: the nodes of the Voronoi diagram of the surface that are maxima.
///
/// They overlap; the largest comes first. `resolution` cells along the longest side bound how close
/// two nodes may be and how small they may get.
///
/// # Errors
/// [`PackError::NoSize`] and [`PackError::NoInterior`].
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::{MeshSolid, voronoi_nodes}};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
/// let nodes = voronoi_nodes(&MeshSolid::new(&tree)?, 8)?;
/// assert!((nodes[0].radius - 0.5).abs() < 1e-4 && nodes[0].center.length() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn voronoi_nodes(solid: &MeshSolid<'_>, resolution: u32) -> Result<Vec<SolidBall>, PackError> {
    let frame = UnitFrame::around(&solid.bounds()).ok_or(PackError::NoSize)?;
    let walls = MeshWalls::new(solid, frame);
    let options = PackOptions::default();
    let mut nodes = PackEngine::new(&walls, &options).voronoi_peaks(resolution);
    if nodes.is_empty() {
        return Err(PackError::NoInterior {
            thinner_than: 2.0 * f64::from(LEAST_RADIUS) * frame.scale,
        });
    }
    sort_many(&mut nodes, |x, y| y.radius.total_cmp(&x.radius));
    Ok(nodes)
}
