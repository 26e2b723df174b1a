//! Frames of the same size are indexed and asked about without allocating.

use std::sync::Arc;

use impinge::bvh::Solid;
use impinge::bvh::wide::WideTree;
use impinge::convex::{Cuboid, HalfSpace};
use impinge::math::Rng;
use impinge::query::Count;
use impinge::scan::{
    Link, LinkCache, LinkSet, PointGrid, PointIndex, PointTree, ScanFrame, Thinner, drop_invalid,
    merge,
};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::{DVec3, Pose, generate};
use impinge_testkit::allocations::count;

/// A wall that moves to and fro, and now and then a point far away.
fn wall(step: usize) -> Vec<DVec3> {
    let mut rng = Rng::new(9);
    let depth = 0.6 + 0.1 * (step % 5) as f64;
    let mut points: Vec<DVec3> = (0..30_000)
        .map(|_| DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), depth))
        .collect();
    if step % 5 == 2 {
        points[7] = DVec3::splat(4000.0);
    }
    points
}

#[test]
fn a_repeated_motion_allocates_nothing() {
    let mut rng = Rng::new(3);
    let balls: Vec<SolidBall> = (0..500)
        .map(|_| SolidBall {
            center: rng.cube() * 0.2,
            radius: 0.02,
        })
        .collect();
    let spheres = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap();
    let index = WideTree::new(Arc::new(generate::icosphere(0.2, 6).unwrap()));
    let solid = Solid::closed(&index).unwrap();
    let links = LinkSet::new(vec![
        Link::spheres(&spheres).unwrap(),
        Link::solid(&solid),
        Link::convex(Cuboid::new([0.1, 0.2, 0.1]).unwrap()),
        Link::half_space(HalfSpace::new([0.0, 0.0, 1.0], [0.0, 0.0, -2.0]).unwrap()),
    ]);
    let poses: Vec<Pose> = (0..4)
        .map(|k| Pose::from_translation([0.4 * f64::from(k) - 0.6, 0.0, 0.0]).unwrap())
        .collect();
    let frames: Vec<Vec<DVec3>> = (0..5).map(wall).collect();
    let (mut tree, mut grid, mut thinner) = (
        PointTree::default(),
        PointGrid::default(),
        Thinner::default(),
    );
    let (mut cache, mut answers, mut few) = (LinkCache::default(), Vec::new(), Vec::new());
    let mut all = Vec::new();
    let mut round = |frame: &Vec<DVec3>| {
        merge(
            &[(Pose::IDENTITY, frame), (poses[0], &frame[..100])],
            &mut all,
        );
        drop_invalid(&mut all);
        let frame = ScanFrame::new(&all).unwrap();
        grid.rebuild(&frame, 0.08).unwrap();
        thinner.thin(&frame, 0.01, &mut few).unwrap();
        tree.rebuild_thinned(&frame, 0.01).unwrap();
        tree.rebuild(&frame);
        links
            .nearest(&tree, &poses, &mut cache, &mut answers)
            .unwrap();
        links.overall(&tree, &poses, &mut cache).unwrap();
        links.is_within(&tree, &poses, 0.3, &mut cache).unwrap();
        let mut count = Count::default();
        let _ = links
            .points_within(&tree, 0, &poses[0], 0.6, &mut cache, &mut count)
            .unwrap();
        let _ = grid.within(DVec3::ZERO, 0.7, &mut count);
        grid.nearest(DVec3::ONE);
        links
            .remove_own(&mut tree, &[0, 1], &poses, 0.5, &mut cache)
            .unwrap();
    };
    // One thread, so that its counter sees everything.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let allocations = pool.install(|| {
        for _ in 0..3 {
            frames.iter().for_each(&mut round);
        }
        let before = count();
        frames.iter().for_each(&mut round);
        count() - before
    });
    assert_eq!(allocations, 0);
}
