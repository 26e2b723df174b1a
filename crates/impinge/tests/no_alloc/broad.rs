//! Broad phases allocate nothing once a motion has repeated.

use impinge::DVec3;
use impinge::bound::{Aabb, BoundingVolume, Obb};
use impinge::broad::{
    Bounds, BroadPhase, BruteForce, DynamicAabbTree, DynamicAabbTreeConfig, HashGrid,
    HierarchicalGrid, ObjectId, Octree, OctreeConfig, OrientedCells, RegionPartition,
    SlabDirections, SlabOctree, SweepAndPrune, SweepAxes, SweepConfig, SweepCounters, UniformGrid,
    UniformGridConfig,
};
use impinge::math::Rng;
use impinge_testkit::allocations::count;

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

/// The same motion of boxes that also turn about their centres and back.
fn turning(bodies: usize, frames: usize) -> Vec<Vec<Bounds>> {
    let mut rng = Rng::new(12);
    let axes: Vec<_> = (0..bodies).map(|_| rng.direction()).collect();
    let turn = |(k, boxes): (usize, Vec<Aabb>)| {
        let swing = (k as f64 / frames as f64 * std::f64::consts::TAU).sin();
        let place = |(b, axis): (Aabb, &DVec3)| {
            let x = (*axis + axis.any_orthonormal_vector() * swing).normalize();
            let y = x.any_orthonormal_vector();
            let half = b.max - b.min;
            let (x, y, z) = (x * half.x, y * half.y * 0.3, x.cross(y) * half.z * 0.3);
            let center = (b.min + b.max) * 0.5;
            let signs = [-1.0, 1.0];
            let mut corners = [center; 8];
            for (i, corner) in corners.iter_mut().enumerate() {
                *corner += x * signs[i & 1] + y * signs[i >> 1 & 1] + z * signs[i >> 2];
            }
            Bounds::around(&Obb::enclosing(&corners))
        };
        boxes.into_iter().zip(&axes).map(place).collect()
    };
    motion(bodies, frames)
        .into_iter()
        .enumerate()
        .map(turn)
        .collect()
}

/// Six rounds of the motion for lists to grow, then two in which nothing may be allocated.
fn assert_settles(broad: &mut dyn BroadPhase, mut round: impl FnMut(&mut dyn BroadPhase) -> usize) {
    let mut told = 0;
    // The tree's margins depend on the frames before, so its lists settle after a few rounds.
    for _ in 0..6 {
        told += round(broad);
    }
    let before = count();
    for _ in 0..2 {
        told += round(broad);
    }
    assert_eq!(count() - before, 0, "{}", broad.name());
    assert!(told > 100, "{} tells something", broad.name());
}

fn universe() -> Aabb {
    Aabb {
        min: DVec3::splat(-12.0),
        max: DVec3::splat(12.0),
    }
}

fn regions() -> RegionPartition {
    let lower = Aabb {
        max: DVec3::new(0.0, 12.0, 12.0),
        ..universe()
    };
    let upper = Aabb {
        min: DVec3::new(-1.0, -9.0, -9.0),
        ..universe()
    };
    let tree = Box::new(DynamicAabbTree::new(DynamicAabbTreeConfig {
        parallel: false,
    }));
    let regions: Vec<(Aabb, Box<dyn BroadPhase>)> =
        vec![(lower, tree), (upper, Box::new(SweepAndPrune::default()))];
    RegionPartition::new(regions, Box::new(BruteForce::default()))
}

#[test]
fn a_repeated_motion_allocates_nothing() {
    let universe = Some(universe());
    let sweep = |counters, axes| SweepAndPrune::new(SweepConfig { counters, axes });
    let kinds: [Box<dyn BroadPhase>; 14] = [
        Box::new(DynamicAabbTree::new(DynamicAabbTreeConfig {
            parallel: false,
        })),
        Box::new(BruteForce::default()),
        Box::new(sweep(SweepCounters::None, SweepAxes::Three)),
        Box::new(sweep(SweepCounters::Hash, SweepAxes::Three)),
        Box::new(sweep(SweepCounters::Matrix, SweepAxes::Three)),
        Box::new(sweep(SweepCounters::None, SweepAxes::Two(2))),
        Box::new(sweep(SweepCounters::Hash, SweepAxes::Two(0))),
        Box::new(UniformGrid::new(UniformGridConfig {
            universe,
            ..UniformGridConfig::default()
        })),
        Box::new(UniformGrid::new(UniformGridConfig {
            universe,
            is_doubly_indexed: true,
            ..UniformGridConfig::default()
        })),
        Box::new(HashGrid::default()),
        Box::new(HierarchicalGrid::default()),
        Box::new(Octree::new(OctreeConfig {
            universe,
            ..OctreeConfig::default()
        })),
        Box::new(SlabOctree::default()),
        Box::new(regions()),
    ];
    let frames = motion(400, 40);
    let ids: Vec<_> = (0..400).map(|slot| ObjectId::new(slot, 0)).collect();
    for mut broad in kinds {
        for (id, b) in ids.iter().zip(&frames[0]) {
            broad.insert(*id, &(*b).into()).unwrap();
        }
        assert_settles(&mut *broad, |broad| {
            let mut told = 0;
            for boxes in &frames {
                broad.update_boxes(&ids, boxes).unwrap();
                told += broad.changes().len();
            }
            told
        });
    }
}

#[test]
fn a_repeated_turning_motion_of_oriented_boxes_allocates_nothing() {
    let grid = |oriented, is_doubly_indexed| {
        UniformGrid::new(UniformGridConfig {
            cells: 24,
            universe: Some(universe()),
            oriented,
            is_doubly_indexed,
            ..UniformGridConfig::default()
        })
    };
    let kinds: [Box<dyn BroadPhase>; 7] = [
        Box::new(grid(OrientedCells::Conservative, false)),
        Box::new(grid(OrientedCells::Conservative, true)),
        Box::new(grid(OrientedCells::Stab, false)),
        Box::new(SlabOctree::new(SlabDirections::Seven)),
        Box::new(SlabOctree::new(SlabDirections::Thirteen)),
        Box::new(DynamicAabbTree::new(DynamicAabbTreeConfig {
            parallel: false,
        })),
        Box::new(regions()),
    ];
    let frames = turning(300, 30);
    let ids: Vec<_> = (0..300).map(|slot| ObjectId::new(slot, 0)).collect();
    for mut broad in kinds {
        for (id, bounds) in ids.iter().zip(&frames[0]) {
            broad.insert(*id, bounds).unwrap();
        }
        assert_settles(&mut *broad, |broad| {
            let mut told = 0;
            for all in &frames {
                for (id, bounds) in ids.iter().zip(all) {
                    broad.update(*id, bounds).unwrap();
                }
                told += broad.changes().len();
            }
            told
        });
    }
}

/// Enough bodies that all parallel paths are taken, in a pool of the calling thread alone: other workers are counted apart, and
/// handing them work is the pool's own affair, which allocates now and then.
#[cfg(feature = "parallel")]
#[test]
fn the_parallel_tree_allocates_nothing_of_its_own() {
    const BODIES: usize = 20_000;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let mut rng = Rng::new(13);
    let homes: Vec<_> = (0..BODIES)
        .map(|_| (rng.cube() * 25.0, rng.cube() * 0.6))
        .collect();
    let frame = |k: usize| -> Vec<Aabb> {
        let swing = (k as f64 / 12.0 * std::f64::consts::TAU).sin();
        let place = |&(home, way): &(DVec3, DVec3)| Aabb {
            min: home + way * swing,
            max: home + way * swing + DVec3::ONE,
        };
        homes.iter().map(place).collect()
    };
    let frames: Vec<_> = (0..12).map(frame).collect();
    let ids: Vec<_> = (0..BODIES as u32)
        .map(|slot| ObjectId::new(slot, 0))
        .collect();
    // Inside the pool the counter is that of its one thread.
    pool.install(|| {
        let mut broad = DynamicAabbTree::default();
        broad.insert_boxes(&ids, &frames[0]).unwrap();
        assert_settles(&mut broad, |broad| {
            let mut told = 0;
            for boxes in &frames {
                broad.update_boxes(&ids, boxes).unwrap();
                told += broad.changes().len();
            }
            told
        });
        assert!(broad.pairs().len() > 8192, "threads share the naming");
    });
}
