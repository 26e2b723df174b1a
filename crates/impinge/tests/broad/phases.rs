//! Every broad phase gives the pairs that looking at all of them gives.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::DVec3;
use impinge::bound::{Aabb, BoundingVolume, Obb};
use impinge::broad::{
    Bounds, BroadPhase, BruteForce, DynamicAabbTree, DynamicAabbTreeConfig, HashGrid,
    HashGridConfig, HierarchicalGrid, ObjectId, ObjectPair, Octree, OctreeConfig, OctreeMoves,
    OrientedCells, RegionPartition, SlabDirections, SlabOctree, SweepAndPrune, SweepAxes,
    SweepConfig, SweepCounters, UniformGrid, UniformGridConfig,
};
use impinge::math::Rng;
use impinge_testkit::conformance::broad_phase::{Make, Scene, run_program};

fn exhaustive() -> Box<dyn BroadPhase> {
    Box::new(BruteForce::default())
}

fn tree() -> Box<dyn BroadPhase> {
    Box::new(DynamicAabbTree::new(DynamicAabbTreeConfig {
        parallel: false,
    }))
}

fn parallel_tree() -> Box<dyn BroadPhase> {
    Box::new(DynamicAabbTree::default())
}

fn sweep(counters: SweepCounters, axes: SweepAxes) -> Box<dyn BroadPhase> {
    Box::new(SweepAndPrune::new(SweepConfig { counters, axes }))
}

fn grid(config: UniformGridConfig) -> Box<dyn BroadPhase> {
    Box::new(UniformGrid::new(config))
}

fn universe() -> Aabb {
    Aabb {
        min: DVec3::splat(-8.0),
        max: DVec3::splat(9.0),
    }
}

fn regions() -> Box<dyn BroadPhase> {
    let half = |lo: f64, hi: f64| Aabb {
        min: DVec3::splat(lo),
        max: DVec3::new(hi, 7.0, 7.0),
    };
    let west = (half(-8.0, 0.0), tree());
    let east = (
        half(-2.0, 7.0),
        sweep(SweepCounters::None, SweepAxes::Three),
    );
    Box::new(RegionPartition::new(vec![west, east], exhaustive()))
}

fn check(make: Make<'_>) {
    for (seed, scene) in Scene::ALL.into_iter().enumerate() {
        run_program(&[make], scene, 10_000, seed as u64);
    }
}

#[test]
fn exhaustive_search_finds_the_plain_pairs() {
    check(&exhaustive);
}

#[test]
fn the_tree_finds_the_plain_pairs() {
    check(&tree);
    check(&parallel_tree);
}

#[test]
fn sweep_and_prune_finds_the_plain_pairs_with_any_counters() {
    for counters in [
        SweepCounters::None,
        SweepCounters::Hash,
        SweepCounters::Matrix,
    ] {
        check(&|| sweep(counters, SweepAxes::Three));
        check(&|| sweep(counters, SweepAxes::Two(2)));
    }
    check(&|| sweep(SweepCounters::None, SweepAxes::Two(0)));
}

#[test]
fn the_grid_finds_the_plain_pairs_however_it_keeps_its_lists() {
    check(&|| grid(UniformGridConfig::default()));
    for (is_doubly_indexed, uses_difference) in [(false, false), (true, true), (false, true)] {
        check(&|| {
            grid(UniformGridConfig {
                cells: 6,
                universe: Some(universe()),
                is_doubly_indexed,
                uses_difference,
                ..UniformGridConfig::default()
            })
        });
    }
}

#[test]
fn hashed_grids_find_the_plain_pairs() {
    check(&|| Box::new(HashGrid::default()));
    check(&|| Box::new(HashGrid::new(HashGridConfig { cell: Some(1.5) })));
    check(&|| Box::new(HierarchicalGrid::default()));
}

#[test]
fn octrees_find_the_plain_pairs() {
    check(&|| Box::new(Octree::default()));
    check(&|| {
        Box::new(Octree::new(OctreeConfig {
            depth: 3,
            universe: Some(universe()),
            ..OctreeConfig::default()
        }))
    });
}

fn check_octrees(scans_changes: bool) {
    for moves in [
        OctreeMoves::Rebuild,
        OctreeMoves::OctantLists,
        OctreeMoves::BoxDifference,
    ] {
        check(&|| {
            Box::new(Octree::new(OctreeConfig {
                moves,
                scans_changes,
                ..OctreeConfig::default()
            }))
        });
    }
}

#[test]
fn octrees_with_every_way_to_move_find_the_plain_pairs() {
    check_octrees(false);
}

#[test]
fn octrees_that_scan_changes_find_the_plain_pairs() {
    check_octrees(true);
}

#[test]
fn slab_octrees_find_the_plain_pairs() {
    for directions in [
        SlabDirections::Three,
        SlabDirections::Seven,
        SlabDirections::Thirteen,
    ] {
        check(&|| Box::new(SlabOctree::new(directions)));
    }
}

#[test]
fn regions_find_the_plain_pairs() {
    check(&regions);
}

#[test]
fn exchanging_one_for_another_loses_and_doubles_no_change() {
    let kinds: [Make<'_>; 10] = [
        &tree,
        &|| sweep(SweepCounters::None, SweepAxes::Three),
        &exhaustive,
        &|| sweep(SweepCounters::Hash, SweepAxes::Three),
        &|| grid(UniformGridConfig::default()),
        &|| Box::new(HashGrid::default()),
        &|| Box::new(HierarchicalGrid::default()),
        &|| Box::new(Octree::default()),
        &|| Box::new(SlabOctree::default()),
        &regions,
    ];
    for (seed, scene) in Scene::ALL.into_iter().enumerate() {
        run_program(&kinds, scene, 10_000, 100 + seed as u64);
    }
}

/// Oriented boxes of all sizes and turns inside the universe.
fn oriented_scene(seed: u64, count: u32) -> Vec<Bounds> {
    let mut rng = Rng::new(seed);
    let mut random = || {
        let x = rng.direction();
        let y = x.any_orthonormal_vector();
        let z = x.cross(y);
        let half = DVec3::new(
            rng.range(0.05, 2.0),
            rng.range(0.05, 0.5),
            rng.range(0.05, 0.5),
        );
        let center = rng.cube() * 5.0;
        let corner = |i: usize| {
            let side = |k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
            center + x * (side(0) * half.x) + y * (side(1) * half.y) + z * (side(2) * half.z)
        };
        let corners: Vec<_> = (0..8).map(corner).collect();
        Bounds::around(&Obb::enclosing(&corners))
    };
    (0..count).map(|_| random()).collect()
}

fn pairs_of(mut broad: Box<dyn BroadPhase>, scene: &[Bounds]) -> Vec<ObjectPair> {
    for (slot, bounds) in scene.iter().enumerate() {
        broad.insert(ObjectId::new(slot as u32, 0), bounds).unwrap();
    }
    broad.validate().unwrap();
    broad.pairs().to_vec()
}

/// Whether the corners' projections part the boxes along one of the 15 directions, by a clear gap.
fn clearly_apart(a: &Obb, b: &Obb) -> bool {
    let mut directions = [a.axes(), b.axes()].concat();
    for u in a.axes() {
        directions.extend(b.axes().map(|v| u.cross(v)));
    }
    directions.into_iter().any(|d| {
        let range = |o: &Obb| {
            let along = o.corners().map(|c| c.dot(d));
            let low = along.iter().copied().fold(f64::INFINITY, f64::min);
            (low, along.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((p, q), (r, s)) = (range(a), range(b));
        q < r - 1e-9 || s < p - 1e-9
    })
}

#[test]
fn oriented_boxes_leave_out_no_pair_that_meets_and_some_that_do_not() {
    for seed in 0..4 {
        let scene = oriented_scene(seed, 150);
        let plain = pairs_of(exhaustive(), &scene);
        let meets = |pair: &&ObjectPair| {
            let of = |id: ObjectId| scene[id.slot() as usize].oriented.unwrap();
            !clearly_apart(&of(pair.a), &of(pair.b))
        };
        let needed: Vec<_> = plain.iter().filter(meets).collect();
        let fine = UniformGridConfig {
            cells: 16,
            universe: Some(universe()),
            oriented: OrientedCells::Conservative,
            ..UniformGridConfig::default()
        };
        let safe: [(&str, Box<dyn BroadPhase>); 4] = [
            ("grid", grid(fine)),
            (
                "doubly indexed grid",
                grid(UniformGridConfig {
                    is_doubly_indexed: true,
                    ..fine
                }),
            ),
            (
                "seven slabs",
                Box::new(SlabOctree::new(SlabDirections::Seven)),
            ),
            (
                "thirteen slabs",
                Box::new(SlabOctree::new(SlabDirections::Thirteen)),
            ),
        ];
        for (name, broad) in safe {
            let found = pairs_of(broad, &scene);
            assert!(
                found.iter().all(|p| plain.binary_search(p).is_ok()),
                "{name}"
            );
            assert!(
                needed.iter().all(|p| found.binary_search(p).is_ok()),
                "{name}"
            );
            assert!(found.len() < plain.len(), "{name} leaves something out");
        }
    }
}

#[test]
fn stabbing_as_published_misses_pairs_that_meet() {
    let mut missed = 0;
    for seed in 0..12 {
        let scene = oriented_scene(50 + seed, 150);
        let stabbed = pairs_of(
            grid(UniformGridConfig {
                cells: 16,
                universe: Some(universe()),
                oriented: OrientedCells::Stab,
                ..UniformGridConfig::default()
            }),
            &scene,
        );
        let plain = pairs_of(exhaustive(), &scene);
        assert!(stabbed.iter().all(|p| plain.binary_search(p).is_ok()));
        let thirteen = pairs_of(Box::new(SlabOctree::new(SlabDirections::Thirteen)), &scene);
        missed += thirteen
            .iter()
            .filter(|p| stabbed.binary_search(p).is_err())
            .count();
    }
    assert!(missed > 0);
}

/// Cubes of one size at the density at which a fifth of them overlap another.
fn even_scene(seed: u64, count: usize) -> Vec<Aabb> {
    let mut rng = Rng::new(seed);
    let edge = 3.3 * (count as f64).cbrt();
    let mut random = || {
        let min = (rng.cube() + DVec3::ONE) * 0.5 * (edge - 1.0);
        Aabb {
            min,
            max: min + DVec3::ONE,
        }
    };
    (0..count).map(|_| random()).collect()
}

#[test]
fn bodies_that_come_together_are_as_those_that_come_one_by_one() {
    let id = |slot: u32| ObjectId::new(slot, 0);
    let boxes = even_scene(5, 400);
    let everything = Aabb {
        min: DVec3::splat(f64::MIN),
        max: DVec3::splat(f64::MAX),
    };
    // In order, out of order, with gaps, with an unbounded box, into a phase that has bodies already.
    let ascending: Vec<_> = (0..400).map(id).collect();
    let descending: Vec<_> = (0..400).rev().map(id).collect();
    let gaps: Vec<_> = (0..400).map(|i| id(3 * i + 7)).collect();
    let mut with_unbounded = boxes.clone();
    with_unbounded[17] = everything;
    for (ids, boxes) in [
        (&ascending, &boxes),
        (&descending, &boxes),
        (&gaps, &boxes),
        (&ascending, &with_unbounded),
    ] {
        let phases: [fn() -> Box<dyn BroadPhase>; 4] = [exhaustive, tree, parallel_tree, || {
            Box::new(HashGrid::default())
        }];
        for make in phases {
            let (mut one, mut many) = (make(), make());
            for (id, b) in ids.iter().zip(boxes) {
                one.insert(*id, &(*b).into()).unwrap();
            }
            many.insert_boxes(&ids[..10], &boxes[..10]).unwrap();
            assert!(many.pairs().len() <= one.pairs().len());
            many.insert_boxes(&ids[10..], &boxes[10..]).unwrap();
            let name = one.name();
            assert_eq!(one.pairs(), many.pairs(), "{name}");
            many.validate().unwrap();
        }
    }
    let mut broad = tree();
    assert!(broad.insert_boxes(&ascending[..2], &boxes[..1]).is_err());
    assert!(broad.insert_boxes(&[id(1), id(1)], &boxes[..2]).is_err());
    assert_eq!(
        broad.bodies().len(),
        1,
        "the first of two with one slot is in"
    );
    let wrong = Aabb {
        min: DVec3::NAN,
        max: DVec3::ONE,
    };
    assert!(
        broad
            .insert_boxes(&[id(5), id(6)], &[boxes[0], wrong])
            .is_err()
    );
    broad.validate().unwrap();
}

#[test]
fn threads_change_no_byte_of_many_pairs() {
    let ids: Vec<_> = (0..30_000).map(|slot| ObjectId::new(slot, 0)).collect();
    let mut boxes = even_scene(3, ids.len());
    for b in &mut boxes {
        // Three times the size: many pairs.
        b.max += DVec3::splat(2.0);
    }
    let (mut serial, mut parallel) = (tree(), parallel_tree());
    for (id, b) in ids.iter().zip(&boxes) {
        serial.insert(*id, &(*b).into()).unwrap();
    }
    parallel.insert_boxes(&ids, &boxes).unwrap();
    let mut rng = Rng::new(4);
    for frame in 0..12 {
        assert_eq!(serial.changes(), parallel.changes(), "frame {frame}");
        assert_eq!(serial.pairs(), parallel.pairs(), "frame {frame}");
        assert_eq!(serial.work(), parallel.work());
        serial.validate().unwrap();
        for b in &mut boxes {
            let step = rng.cube() * 0.03;
            b.min += step;
            b.max += step;
        }
        serial.update_boxes(&ids, &boxes).unwrap();
        parallel.update_boxes(&ids, &boxes).unwrap();
    }
    let mut plain = HashGrid::default();
    for (id, b) in ids.iter().zip(&boxes) {
        plain.insert(*id, &(*b).into()).unwrap();
    }
    assert_eq!(serial.pairs(), plain.pairs());
    assert!(serial.pairs().len() > 30_000);
}

/// A list of new boxes in which some ids are unknown, twice there or out of order, and some boxes are refused or unbounded.
fn damaged_update(seed: u64, count: usize) -> (Vec<ObjectId>, Vec<Aabb>) {
    let mut rng = Rng::new(seed);
    let mut ids: Vec<_> = (0..count as u32)
        .map(|slot| ObjectId::new(slot, 0))
        .collect();
    let mut boxes = even_scene(seed, count);
    for _ in 0..6 {
        let (i, k) = (
            rng.below(count as u64) as usize,
            rng.below(count as u64) as usize,
        );
        match rng.below(5) {
            0 => ids.swap(i, k),
            1 => ids[i] = ids[k],
            2 => ids[i] = ObjectId::new(i as u32, 7),
            3 => boxes[i].min.x = f64::NAN,
            _ => boxes[i].max.x = f64::INFINITY,
        }
    }
    (ids, boxes)
}

#[test]
fn many_boxes_are_taken_as_one_by_one_whatever_is_wrong_with_some() {
    const COUNT: usize = 10_000;
    let ids: Vec<_> = (0..COUNT as u32)
        .map(|slot| ObjectId::new(slot, 0))
        .collect();
    for seed in 0..8 {
        let boxes = even_scene(99, COUNT);
        let (mut one, mut serial, mut parallel) = (tree(), tree(), parallel_tree());
        for broad in [&mut one, &mut serial, &mut parallel] {
            broad.insert_boxes(&ids, &boxes).unwrap();
            assert!(!broad.pairs().is_empty());
        }
        let (new_ids, new_boxes) = damaged_update(seed, COUNT);
        let mut first = Ok(());
        for (id, b) in new_ids.iter().zip(&new_boxes) {
            first = first.and(one.update(*id, &(*b).into()));
        }
        for many in [&mut serial, &mut parallel] {
            let told = many.update_boxes(&new_ids, &new_boxes);
            assert_eq!(format!("{told:?}"), format!("{first:?}"), "seed {seed}");
            assert_eq!(many.pairs(), one.pairs(), "seed {seed}");
            assert_eq!(many.bodies().boxes(), one.bodies().boxes(), "seed {seed}");
            many.validate().unwrap();
        }
    }
}

#[test]
fn a_fifth_of_the_bodies_overlap_at_the_published_density() {
    let boxes = even_scene(7, 4000);
    let scene: Vec<Bounds> = boxes.into_iter().map(Bounds::from).collect();
    let pairs = pairs_of(tree(), &scene);
    let mut hit = vec![false; scene.len()];
    for pair in &pairs {
        hit[pair.a.slot() as usize] = true;
        hit[pair.b.slot() as usize] = true;
    }
    let part = hit.iter().filter(|&&h| h).count() as f64 / scene.len() as f64;
    assert!((0.17..0.23).contains(&part), "{part}");
}

#[test]
fn counters_hold_hundreds_of_times_the_entries_of_pairs_alone() {
    let scene: Vec<Bounds> = even_scene(8, 4000).into_iter().map(Bounds::from).collect();
    let entries = |counters| {
        let mut broad = sweep(counters, SweepAxes::Three);
        for (slot, bounds) in scene.iter().enumerate() {
            broad.insert(ObjectId::new(slot as u32, 0), bounds).unwrap();
        }
        let pairs = broad.pairs().len();
        (broad.work().entries, pairs)
    };
    let (plain, pairs) = entries(SweepCounters::None);
    let (counted, same) = entries(SweepCounters::Hash);
    assert_eq!(pairs, same);
    assert!(
        plain as usize == pairs && counted >= 100 * plain,
        "{plain} {counted}"
    );
}

#[test]
fn a_grid_leaves_at_most_a_quarter_of_the_pairs_of_the_cage() {
    // Thirty bodies and six walls, as published. Pairs that share a cell and whose boxes overlap; the benchmark counts those that share a cell.
    let mut rng = Rng::new(5);
    let mut pairs = 0;
    for _ in 0..20 {
        let mut broad = grid(UniformGridConfig {
            cells: 8,
            universe: Some(Aabb {
                min: DVec3::ZERO,
                max: DVec3::splat(5.0),
            }),
            ..UniformGridConfig::default()
        });
        for slot in 0..30 {
            let min = (rng.cube() + DVec3::ONE) * 2.1;
            let body = Aabb {
                min,
                max: min + DVec3::splat(0.8),
            };
            broad.insert(ObjectId::new(slot, 0), &body.into()).unwrap();
        }
        for wall in 0..6_usize {
            let mut b = Aabb {
                min: DVec3::ZERO,
                max: DVec3::splat(5.0),
            };
            if wall % 2 == 0 {
                b.max[wall / 2] = 0.1;
            } else {
                b.min[wall / 2] = 4.9;
            }
            broad
                .insert(ObjectId::new(30 + wall as u32, 0), &b.into())
                .unwrap();
        }
        pairs += broad.pairs().len();
    }
    assert!(pairs * 4 <= 20 * 36 * 35 / 2, "{pairs}");
}

#[test]
fn nearly_all_references_of_small_bodies_sit_at_the_deepest_level() {
    let mut rng = Rng::new(6);
    let mut tree = Octree::new(OctreeConfig {
        depth: 5,
        universe: Some(Aabb {
            min: DVec3::ZERO,
            max: DVec3::splat(10.0),
        }),
        ..OctreeConfig::default()
    });
    for slot in 0..100 {
        let min = (rng.cube() + DVec3::ONE) * 4.5;
        let body = Aabb {
            min,
            max: min + DVec3::ONE,
        };
        tree.insert(ObjectId::new(slot, 0), &body.into()).unwrap();
    }
    let references = tree.detector().references();
    let all: usize = references.iter().sum();
    assert!(references[5] * 100 >= all * 85, "{references:?}");
    assert_eq!(references[..3], [0, 0, 0]);
}

#[test]
fn an_octree_that_scans_changes_compares_no_bodies_at_rest() {
    let scene = |slot: u32| {
        let mut rng = Rng::new(u64::from(slot));
        let min = (rng.cube() + DVec3::ONE) * 4.5;
        Aabb {
            min,
            max: min + DVec3::ONE,
        }
    };
    let work = [false, true].map(|scans_changes| {
        let mut tree = Octree::new(OctreeConfig {
            depth: 4,
            universe: Some(Aabb {
                min: DVec3::ZERO,
                max: DVec3::splat(10.0),
            }),
            scans_changes,
            ..OctreeConfig::default()
        });
        for slot in 0..200 {
            tree.insert(ObjectId::new(slot, 0), &scene(slot).into())
                .unwrap();
        }
        let mut pairs = vec![tree.pairs().to_vec()];
        let before = tree.work().tests;
        for step in 0..10 {
            let moved = scene(1000 + step);
            tree.update(ObjectId::new(7, 0), &moved.into()).unwrap();
            pairs.push(tree.pairs().to_vec());
        }
        (pairs, tree.work().tests - before)
    });
    let [(all, every), (changed, few)] = work;
    assert_eq!(all, changed);
    assert!(few * 20 < every, "{few} of {every}");
}
