//! Broad phases allocate nothing once a motion has repeated.

mod allocations;

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::broad::{
    BroadPhase, Exhaustive, Grid, GridConfig, HashGrid, HierarchicalGrid, ObjectId, Octree,
    OctreeConfig, SlabOctree, SweepConfig, SweepCounters, SweepPrune, Tree, TreeConfig,
};
use impinge::math::Rng;

/// The frames of a motion that returns to where it began.
fn motion(bodies: usize, frames: usize) -> Vec<Vec<Aabb>> {
    let mut rng = Rng::new(11);
    let homes: Vec<_> = (0..bodies)
        .map(|_| (rng.cube() * 8.0, rng.cube() * 2.0, rng.range(0.3, 0.8)))
        .collect();
    let frame = |k: usize| {
        let swing = (k as f64 / frames as f64 * std::f64::consts::TAU).sin();
        let place = |&(home, way, half): &(DVec3, DVec3, f64)| {
            let center = home + way * swing;
            Aabb {
                min: center - DVec3::splat(half),
                max: center + DVec3::splat(half),
            }
        };
        homes.iter().map(place).collect()
    };
    (0..frames).map(frame).collect()
}

#[test]
fn a_repeated_motion_allocates_nothing() {
    let universe = Some(Aabb {
        min: DVec3::splat(-12.0),
        max: DVec3::splat(12.0),
    });
    let sweep = |counters| {
        SweepPrune::new(SweepConfig {
            counters,
            ..SweepConfig::default()
        })
    };
    let kinds: [Box<dyn BroadPhase>; 10] = [
        Box::new(Tree::new(TreeConfig { parallel: false })),
        Box::new(Exhaustive::default()),
        Box::new(sweep(SweepCounters::None)),
        Box::new(sweep(SweepCounters::Hash)),
        Box::new(sweep(SweepCounters::Matrix)),
        Box::new(Grid::new(GridConfig {
            universe,
            ..GridConfig::default()
        })),
        Box::new(HashGrid::default()),
        Box::new(HierarchicalGrid::default()),
        Box::new(Octree::new(OctreeConfig {
            universe,
            ..OctreeConfig::default()
        })),
        Box::new(SlabOctree::default()),
    ];
    let frames = motion(400, 40);
    let ids: Vec<_> = (0..400).map(|slot| ObjectId::new(slot, 0)).collect();
    for mut broad in kinds {
        for (id, b) in ids.iter().zip(&frames[0]) {
            broad.insert(*id, &(*b).into()).unwrap();
        }
        let mut told = 0;
        let mut round = |broad: &mut dyn BroadPhase| {
            for boxes in &frames {
                broad.update_boxes(&ids, boxes).unwrap();
                told += broad.changes().len();
            }
        };
        // The tree's margins depend on the frames before, so its lists settle after a few rounds.
        for _ in 0..6 {
            round(&mut *broad);
        }
        let before = allocations::count();
        for _ in 0..2 {
            round(&mut *broad);
        }
        assert_eq!(allocations::count() - before, 0, "{}", broad.name());
        assert!(told > 100);
    }
}
