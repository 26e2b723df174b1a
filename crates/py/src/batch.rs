//! Batch queries of shapes: many poses, rays or points on all cores.

use impinge::bvh::InsideGrid;
use impinge::bvh::wide::{FaceHit, RayOrSegment, SingleTreeCache, WideCache, WideTree};
use impinge::glam::DVec3;
use impinge::math::Motion;
use impinge::mesh::face_normal;
use impinge::mesh::point_in_mesh::Location;
use impinge::pair::{
    DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery, RayHit, VolumeQuery,
};
use impinge::query::{Limits, Separation};
use impinge::{Mesh, Pose};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::answers::{self, out_penetration, out_volume};
use crate::arrays::{self, rays};
use crate::blocks::{self, ClosestSearch, PointColumns, RayColumns, block_size, each_in_blocks};
use crate::error::fail;
use crate::run::{self, BatchHow, each, each_reusing};
use crate::shape::{PyShape, checked_distance, config};

/// Rays or points that one thread answers one after the other.
pub(crate) const LINE_RUN: usize = 256;

pub(crate) fn intersects<'py>(
    a: &PyShape,
    b: &PyShape,
    poses: &Bound<'py, PyAny>,
    solid: bool,
    how: &BatchHow<'py>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let py = poses.py();
    let placed = arrays::poses(poses, "poses")?;
    let found = run::batch(py, how, placed.len(), |state| {
        if let (false, Some(a), Some(b)) = (solid, a.tree(), b.tree()) {
            let (make, forget) = (WideCache::default, WideCache::forget);
            let ask =
                |cache: &mut WideCache, pose: &Pose, _: Limits<'_>| a.intersects(b, pose, cache);
            return Ok(each_reusing(state, &placed, make, forget, ask));
        }
        let make = || IntersectionQuery::new(&a.shape, &b.shape, &config(solid));
        each(state, &placed, make, |query, pose, _| Ok(query.any(pose)))
    })?;
    Ok(PyArray1::from_vec(py, found.map_err(fail)?))
}

pub(crate) fn distance<'py>(
    a: &PyShape,
    b: &PyShape,
    poses: &Bound<'py, PyAny>,
    max_distance: Option<f64>,
    how: &BatchHow<'py>,
) -> PyResult<answers::Distances> {
    let py = poses.py();
    let placed = arrays::poses(poses, "poses")?;
    let max_distance = checked_distance(max_distance)?;
    let found = run::batch(py, how, placed.len(), |state| {
        if let (Some(a), Some(b)) = (a.tree(), b.tree()) {
            let ask = |cache: &mut WideCache, pose: &Pose, limits: Limits<'_>| {
                let limits = Limits {
                    max_distance,
                    ..limits
                };
                // The answer of a pose must not depend on the one before it.
                cache.forget();
                a.distance(b, pose, limits, cache)
            };
            let (make, forget) = (WideCache::default, WideCache::forget);
            return Ok(each_reusing(state, &placed, make, forget, ask));
        }
        let make = || DistanceQuery::new(&a.shape, &b.shape, &config(false));
        each(state, &placed, make, |query, pose, limits| {
            Ok(query.at(
                pose,
                Limits {
                    max_distance,
                    ..limits
                },
            ))
        })
    })?;
    let found = found.map_err(fail)?;
    let none = Separation {
        distance: f64::INFINITY,
        point_a: DVec3::NAN,
        point_b: DVec3::NAN,
    };
    let gaps = || found.iter().map(|gap| gap.value.unwrap_or(none));
    Ok(answers::Distances {
        distance: answers::out_list(py, gaps().map(|gap| gap.distance)),
        lower: answers::out_list(py, found.iter().map(|gap| gap.lower)),
        upper: answers::out_list(py, found.iter().map(|gap| gap.upper)),
        point_a: answers::out_list3(py, gaps().map(|gap| gap.point_a))?,
        point_b: answers::out_list3(py, gaps().map(|gap| gap.point_b))?,
    })
}

pub(crate) fn penetration<'py>(
    a: &PyShape,
    b: &PyShape,
    poses: &Bound<'py, PyAny>,
    how: &BatchHow<'py>,
) -> PyResult<answers::Penetrations> {
    let py = poses.py();
    let placed = arrays::poses(poses, "poses")?;
    a.require_closed("first")?;
    b.require_closed("second")?;
    let found = run::batch(py, how, placed.len(), |state| {
        let make = || DepthQuery::new(&a.shape, &b.shape, &config(false));
        each(state, &placed, make, |query, pose, limits| {
            Ok(query.at(pose, limits))
        })
    })?;
    let found: Vec<_> = found.map_err(fail)?;
    let apart = answers::Penetration {
        depth: 0.0,
        lower: 0.0,
        upper: 0.0,
        normal: DVec3::NAN,
        point_a: DVec3::NAN,
        point_b: DVec3::NAN,
    };
    let deep: Vec<answers::Penetration> = found
        .into_iter()
        .map(|deep| out_penetration(deep).unwrap_or_else(|| apart.clone()))
        .collect();
    Ok(answers::Penetrations {
        depth: answers::out_list(py, deep.iter().map(|deep| deep.depth)),
        lower: answers::out_list(py, deep.iter().map(|deep| deep.lower)),
        upper: answers::out_list(py, deep.iter().map(|deep| deep.upper)),
        normal: answers::out_list3(py, deep.iter().map(|deep| deep.normal))?,
        point_a: answers::out_list3(py, deep.iter().map(|deep| deep.point_a))?,
        point_b: answers::out_list3(py, deep.iter().map(|deep| deep.point_b))?,
    })
}

pub(crate) fn volume<'py>(
    a: &PyShape,
    b: &PyShape,
    poses: &Bound<'py, PyAny>,
    how: &BatchHow<'py>,
) -> PyResult<answers::Volumes> {
    let py = poses.py();
    let placed = arrays::poses(poses, "poses")?;
    let found = run::batch(py, how, placed.len(), |state| {
        let make = || VolumeQuery::new(&a.shape, &b.shape);
        each(state, &placed, make, |query, pose, limits| {
            query.at(pose, limits)
        })
    })?;
    let found: Vec<answers::Volume> = found.map_err(fail)?.into_iter().map(out_volume).collect();
    Ok(answers::Volumes {
        volume: answers::out_list(py, found.iter().map(|v| v.volume)),
        lower: answers::out_list(py, found.iter().map(|v| v.lower)),
        upper: answers::out_list(py, found.iter().map(|v| v.upper)),
        centroid: answers::out_list3(py, found.iter().map(|v| v.centroid))?,
        gradient: answers::out_list3(py, found.iter().map(|v| v.gradient))?,
        gradient_rotation: answers::out_list3(py, found.iter().map(|v| v.gradient_rotation))?,
    })
}

pub(crate) fn impact<'py>(
    a: &PyShape,
    b: &PyShape,
    [starts, ends]: [&Bound<'py, PyAny>; 2],
    motion: &str,
    how: &BatchHow<'py>,
) -> PyResult<answers::Impacts> {
    let py = starts.py();
    let (starts, ends) = (
        arrays::poses(starts, "starts")?,
        arrays::poses(ends, "ends")?,
    );
    if starts.len() != ends.len() {
        let (from, to) = (starts.len(), ends.len());
        return Err(fail(format!("{from} starts but {to} ends")));
    }
    let moving: Vec<Motion> = starts
        .iter()
        .zip(&ends)
        .map(|(start, end)| arrays::motion(start, end, motion))
        .collect::<PyResult<_>>()?;
    let found = run::batch(py, how, moving.len(), |state| {
        let make = || ImpactQuery::new(&a.shape, &b.shape, &config(false));
        let still = Motion::still(&Pose::IDENTITY);
        each(state, &moving, make, |query, motion, limits| {
            Ok(query.during(&still, motion, limits))
        })
    })?;
    let found = found.map_err(fail)?;
    let point = |of: fn(&impinge::query::Impact) -> DVec3| {
        let each = found.iter();
        each.map(move |hit| hit.value.as_ref().map_or(DVec3::NAN, of))
    };
    let times = found
        .iter()
        .map(|hit| hit.value.map_or(f64::INFINITY, |hit| hit.time));
    Ok(answers::Impacts {
        time: answers::out_list(py, times),
        lower: answers::out_list(py, found.iter().map(|hit| hit.lower)),
        upper: answers::out_list(py, found.iter().map(|hit| hit.upper)),
        point: answers::out_list3(py, point(|hit| hit.point))?,
        normal: answers::out_list3(py, point(|hit| hit.normal))?,
    })
}

pub(crate) fn cast_rays<'py>(
    a: &PyShape,
    [origins, directions]: [&Bound<'py, PyAny>; 2],
    max_distance: Option<f64>,
    how: &BatchHow<'py>,
) -> PyResult<answers::RayHits> {
    let py = origins.py();
    let rays = rays(origins, directions)?;
    let max_distance = checked_distance(max_distance)?;
    let mut columns = RayColumns::new(rays.len());
    let found = run::batch(py, how, rays.len(), |state| {
        let tree = a.tree();
        let order = |number| Some(tree?.coherent_order(blocks::block(&rays, number)));
        let rows = columns.blocks();
        each_in_blocks(
            state,
            rays.len(),
            rows,
            order,
            SingleTreeCache::default,
            |cache, block, row, item| {
                let Some(ray) = rays.get(item) else {
                    return Ok(());
                };
                let Some(tree) = tree else {
                    let hit = a.shape.cast_ray(ray)?;
                    let is_near = |hit: &RayHit| max_distance.is_none_or(|max| hit.t <= max);
                    block.set(row, hit.filter(is_near));
                    return Ok(());
                };
                let line = RayOrSegment::from(*ray);
                let hit = tree.cast_ray(&line, max_distance, cache);
                block.set(row, hit.map(|hit| mesh_hit(tree, &hit, ray.direction())));
                Ok(())
            },
        )
    })?;
    found.map_err(|why: impinge::pair::CastError| fail(why))?;
    Ok(answers::RayHits {
        hit: answers::out_column(py, columns.hit),
        t: answers::out_column(py, columns.t),
        face: answers::out_column(py, columns.face),
        point: answers::out_table(py, columns.point)?,
        normal: answers::out_table(py, columns.normal)?,
    })
}

pub(crate) fn closest_points<'py>(
    a: &PyShape,
    points: &Bound<'py, PyAny>,
    max_distance: Option<f64>,
    how: &BatchHow<'py>,
) -> PyResult<answers::ClosestPoints> {
    let py = points.py();
    let asked = arrays::points(points, "points")?;
    let max_distance = checked_distance(max_distance)?;
    let mut columns = PointColumns::new(asked.len());
    let found = run::batch(py, how, asked.len(), |state| {
        let order = |number| blocks::order_of_points(&asked, number);
        let tree = a.tree();
        let rows = columns.blocks();
        each_in_blocks(
            state,
            asked.len(),
            rows,
            order,
            ClosestSearch::default,
            |search, block, row, item| {
                let Some(&p) = asked.get(item) else {
                    return Ok(());
                };
                let Some(tree) = tree else {
                    let near = a.shape.closest_point(p).map_err(|why| why.to_string())?;
                    let near = near
                        .value
                        .map(|near| (near.distance, -1, near.point_a, DVec3::NAN));
                    let is_near = |near: &(f64, i64, DVec3, DVec3)| {
                        max_distance.is_none_or(|max| near.0 <= max)
                    };
                    block.set(row, near.filter(is_near));
                    return Ok(());
                };
                let near = search.ask(tree, p, max_distance);
                let near = near.map_err(|why| why.to_string())?.map(|near| {
                    let face = i64::from(near.face.raw());
                    (near.distance, face, near.point, near.barycentric.into())
                });
                block.set(row, near);
                Ok(())
            },
        )
    })?;
    found.map_err(|why: String| fail(why))?;
    Ok(answers::ClosestPoints {
        distance: answers::out_column(py, columns.distance),
        face: answers::out_column(py, columns.face),
        point: answers::out_table(py, columns.point)?,
        barycentric: answers::out_table(py, columns.barycentric)?,
    })
}

pub(crate) fn contains<'py>(
    a: &PyShape,
    points: &Bound<'py, PyAny>,
    how: &BatchHow<'py>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let py = points.py();
    let asked = arrays::points(points, "points")?;
    let mesh = a.mesh();
    let solid = mesh.as_ref().map(Mesh::solid).transpose().map_err(fail)?;
    let mut inside = vec![false; asked.len()];
    let found = run::batch(py, how, asked.len(), |state| {
        let grid = (solid.as_ref()).and_then(|solid| InsideGrid::new(solid, asked.len()));
        let rows: Vec<&mut [bool]> = inside.chunks_mut(block_size(asked.len())).collect();
        let (order, make) = (|_| None, SingleTreeCache::default);
        each_in_blocks(
            state,
            asked.len(),
            rows,
            order,
            make,
            |cache, block, row, item| {
                let Some(&p) = asked.get(item) else {
                    return Ok(());
                };
                let place = match (&solid, &grid) {
                    (_, Some(grid)) => grid.locate_with(p, cache),
                    (Some(solid), None) => solid.locate_with(p, cache),
                    (None, None) => {
                        let is_inside = a.shape.contains(p).map_err(|why| why.to_string())?;
                        blocks::put(block, row, is_inside);
                        return Ok(());
                    }
                };
                let is_inside = place.map_err(|why| why.to_string())? != Location::Outside;
                blocks::put(block, row, is_inside);
                Ok(())
            },
        )
    })?;
    found.map_err(|why: String| fail(why))?;
    Ok(PyArray1::from_vec(py, inside))
}

pub(crate) fn mesh_hit(tree: &WideTree, hit: &FaceHit, direction: DVec3) -> RayHit {
    RayHit {
        t: hit.t,
        point: hit.point,
        normal: normal_at(tree, hit, direction),
        face: hit.face,
    }
}

/// The unit normal of a face on the side that a ray comes from.
fn normal_at(tree: &WideTree, hit: &FaceHit, direction: DVec3) -> DVec3 {
    use impinge::bvh::MeshIndex;
    match face_normal(tree.mesh(), hit.face) {
        Some(normal) if normal.dot(direction) > 0.0 => -normal,
        Some(normal) => normal,
        None => -direction.normalize_or_zero(),
    }
}
