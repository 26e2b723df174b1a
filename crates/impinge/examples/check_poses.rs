//! A robot's link at 10 000 poses beside its surroundings: yes or no, distance, time of impact; then as spheres, and beside a scan.

use std::sync::Arc;

use impinge::cloud::{CloudShape, PointCloud};
use impinge::math::Rng;
use impinge::prelude::*;
use impinge::spheres::{CoverOptions, MeshSolid, cover};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Your own: Mesh::open("link.stl")? and Mesh::open("cell.obj")?.
    let link = Mesh::from(
        impinge::generate::model("capsule")
            .ok_or("model")?
            .make(Some(2000), 1)?,
    );
    let cell = Mesh::from(
        impinge::generate::model("pipes")
            .ok_or("model")?
            .make(Some(20_000), 1)?,
    );
    let mut pair = Pair::new(&cell, &link)?;
    let (mut rng, bounds) = (Rng::new(7), cell.bounds());
    let mut random = || {
        let place = bounds.center() + rng.cube() * bounds.half_extent();
        Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), place)
    };

    let (mut hits, mut nearest, mut stopped) = (0, f64::INFINITY, 0);
    let mut last = random()?;
    for _ in 0..10_000 {
        let pose = random()?;
        if pair.intersects(&pose) {
            hits += 1;
        } else {
            nearest = nearest.min(pair.distance(&pose).lower);
            // From the last free pose to this one: `upper` is when it surely has hit, 1 or more if never.
            let way = pair.impact(&Motion::between(&last, &pose))?;
            stopped += u32::from(way.value.is_some());
            last = pose;
        }
    }
    println!(
        "{hits} of 10000 poses collide; the closest free one has {nearest:.4}; {stopped} ways are blocked"
    );

    // The link as 16 balls that contain it: never a false "free".
    let solid = MeshSolid::new(link.index())?;
    let found = cover(
        &solid,
        &CoverOptions {
            count: 16,
            ..CoverOptions::default()
        },
    )?;
    let balls = found.balls.iter().map(|ball| (ball.center, ball.radius));
    println!(
        "{} balls contain the link, {:.1} % larger than it",
        balls.len(),
        100.0 * found.excess
    );
    let mut false_free = 0;
    for _ in 0..1000 {
        let pose = random()?;
        let is_near = balls.clone().any(|(center, radius)| {
            let center = pose.transform_point(center);
            cell.closest_point(center)
                .is_ok_and(|near| near.lower <= radius)
        });
        false_free += u32::from(!is_near && pair.intersects(&pose));
    }
    assert_eq!(false_free, 0, "a pose is never called free wrongly");

    // A scan of the surroundings: how near does the link come to its points?
    let scan = CloudShape::new(Arc::new(PointCloud::from_points(
        cell.tri_mesh().positions().iter().map(|p| p.to_array()),
    )?));
    let mut to_scan = Pair::new(scan, &link)?;
    let gap = to_scan.distance(&last);
    println!(
        "the scan is between {:.4} and {:.4} away",
        gap.lower, gap.upper
    );
    assert!(
        gap.upper >= pair.distance(&last).lower,
        "points lie on the surface"
    );

    assert!(hits > 0 && stopped > 0 && nearest >= 0.0);
    Ok(())
}
