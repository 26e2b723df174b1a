//! Every mesh index reports exactly the pairs of the all-pairs oracle.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::bound::{Aabb, Ball, Kdop, Lss, Obb, ObbRss, Rss};
use impinge::bvh::tree::{Bvh, BvhCache, BvhConfig};
use impinge::bvh::wide::{WideCache, WideConfig, WideTree};
use impinge::bvh::{FaceSweep, FaceSweepCache, FaceSweepConfig};
use impinge::math::Rng;
use impinge::math::simd::Level;
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::conformance::{mesh_index, pairs_of};
use impinge_testkit::generate::{grid, meshes, poses};

/// Asks every engine, in every configuration worth telling apart.
fn conforms(a: &TriMesh, b: &TriMesh, pose: &Pose, warm: &mut Caches) {
    for max_candidates in [0, 50, FaceSweepConfig::default().max_candidates] {
        let config = FaceSweepConfig { max_candidates };
        mesh_index::<FaceSweep>(a, b, pose, &config, &mut warm.face_sweep).unwrap();
    }
    mesh_index::<WideTree>(a, b, pose, &WideConfig::default(), &mut warm.wide).unwrap();
    mesh_index::<WideTree>(a, b, pose, &WideConfig::default(), &mut warm.wide_portable).unwrap();
    mesh_index::<WideTree>(a, b, pose, &WideConfig::fast(), &mut warm.wide).unwrap();
    let (config, cache) = (BvhConfig::default(), &mut warm.tree);
    mesh_index::<Bvh<Aabb>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Obb>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Kdop<6>>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Kdop<8>>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Kdop<14>>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Kdop<16>>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Kdop<18>>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Kdop<24>>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Kdop<26>>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Ball>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Lss>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<Rss>>(a, b, pose, &config, cache).unwrap();
    mesh_index::<Bvh<ObbRss>>(a, b, pose, &config, cache).unwrap();
}

/// One cache of each engine, kept over all questions of a test.
struct Caches {
    face_sweep: FaceSweepCache,
    wide: WideCache,
    wide_portable: WideCache,
    /// Trees of all kinds share one: a cache may have served any other before.
    tree: BvhCache,
}

impl Default for Caches {
    fn default() -> Self {
        Self {
            face_sweep: FaceSweepCache::default(),
            wide: WideCache::default(),
            wide_portable: WideCache::with_level(Level::Portable),
            tree: BvhCache::default(),
        }
    }
}

#[test]
fn grid_soups_under_exact_poses_have_the_oracles_pairs() {
    let mut rng = Rng::new(1);
    let mut warm = Caches::default();
    for i in 0..150 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let (n, m) = (rng.below(40) as usize, rng.below(40) as usize);
        let a = meshes::grid_soup(&mut rng, n, range);
        let b = meshes::grid_soup(&mut rng, m, range);
        let pose = poses::exact(&mut rng, (i % 4) as i64);
        conforms(&a, &b, &pose, &mut warm);
    }
}

#[test]
fn random_soups_under_random_poses_have_the_oracles_pairs() {
    let mut rng = Rng::new(2);
    let mut warm = Caches::default();
    for _ in 0..40 {
        let size = rng.range(0.05, 1.0);
        let a = meshes::random_soup(&mut rng, 60, size);
        let b = meshes::random_soup(&mut rng, 50, size);
        let pose = poses::random(&mut rng, 0.5);
        conforms(&a, &b, &pose, &mut warm);
    }
}

#[test]
fn solids_on_the_grid_have_the_oracles_pairs() {
    let mut rng = Rng::new(3);
    let mut warm = Caches::default();
    for _ in 0..150 {
        let a = meshes::grid_solid(&mut rng, 3);
        let b = meshes::grid_solid(&mut rng, 3);
        let pose = poses::exact(&mut rng, 3);
        conforms(&a, &b, &pose, &mut warm);
    }
}

#[test]
fn faces_of_very_different_sizes_have_the_oracles_pairs() {
    let mut rng = Rng::new(4);
    let mut warm = Caches::default();
    for _ in 0..10 {
        let mixed = |rng: &mut Rng| {
            let small = meshes::random_soup(rng, 80, 0.01);
            let large = meshes::random_soup(rng, 5, 2.0);
            meshes::merged(&small, &large)
        };
        let (a, b) = (mixed(&mut rng), mixed(&mut rng));
        conforms(&a, &b, &poses::random(&mut rng, 0.1), &mut warm);
    }
}

#[test]
fn empty_single_equal_and_distant_meshes_have_the_oracles_pairs() {
    let mut warm = Caches::default();
    let empty = TriMesh::default();
    let unused = TriMesh::from_points([[0.0; 3]; 4], []).unwrap();
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let flat = meshes::sheet(4, |_, _| 0.0);
    let point = TriMesh::from_points([[1.0; 3]], [[0, 0, 0]]).unwrap();
    let far = Pose::from_translation([1e40, -1e40, 1e44]).unwrap();
    let all = [empty, unused, cube, flat, point];
    for a in &all {
        for b in &all {
            conforms(a, b, &Pose::IDENTITY, &mut warm);
            conforms(a, b, &far, &mut warm);
        }
    }
}

#[test]
fn one_cache_serves_questions_of_any_size_in_any_order() {
    let mut cache = Default::default();
    let config = Default::default();
    let mut rng = Rng::new(5);
    let many: Vec<TriMesh> = (0..12)
        .map(|i| meshes::grid_soup(&mut rng, (i * 7) % 50, (0, 3)))
        .collect();
    for a in &many {
        for b in &many {
            let cold =
                pairs_of::<FaceSweep>(a, b, &Pose::IDENTITY, &config, &mut Default::default());
            let warm = pairs_of::<FaceSweep>(a, b, &Pose::IDENTITY, &config, &mut cache);
            assert_eq!(cold.unwrap(), warm.unwrap());
        }
    }
}
