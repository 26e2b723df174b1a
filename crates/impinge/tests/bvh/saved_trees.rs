//! A saved tree comes back as it was, and nothing else comes back at all.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{LoadError, WideCache, WideTree};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DVec3, TriMesh};
use impinge_testkit::generate::{meshes, poses};

fn saved(tree: &WideTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.save(&mut bytes).unwrap();
    bytes
}

/// The hash that files end with, written again from its description.
fn checksum(bytes: &[u8]) -> u64 {
    let absorb = |state: u64, word: u64| {
        let x = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).wrapping_add(0x2545_f491_4f6c_dd1d)
    };
    let mut state = absorb(0, bytes.len() as u64);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        state = absorb(state, u64::from_le_bytes(word.try_into().unwrap()));
    }
    for &byte in words.remainder() {
        state = absorb(state, u64::from(byte));
    }
    absorb(state, 0)
}

/// Makes both checksums right again.
fn forge(bytes: &mut [u8]) {
    let header = checksum(&bytes[..40]);
    bytes[40..48].copy_from_slice(&header.to_le_bytes());
    let end = bytes.len() - 8;
    let content = checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&content.to_le_bytes());
}

fn models() -> Vec<TriMesh> {
    let mut rng = Rng::new(11);
    let scale = |mesh: TriMesh, by: f64, to: f64| {
        let positions = mesh.positions().iter().map(|p| *p * by + DVec3::splat(to));
        TriMesh::new(positions.collect(), mesh.faces().to_vec()).unwrap()
    };
    vec![
        TriMesh::default(),
        meshes::random_soup(&mut rng, 1, 1.0),
        meshes::random_soup(&mut rng, 8, 1.0),
        meshes::random_soup(&mut rng, 9, 1.0),
        meshes::grid_soup(&mut rng, 300, (-3, 3)),
        meshes::random_soup(&mut rng, 3000, 0.1),
        scale(meshes::ball(4, 1.0), 1e-6, 0.0),
        scale(meshes::ball(4, 1.0), 1.0, 1e6),
        // All faces in one place.
        TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]; 1000]).unwrap(),
    ]
}

#[test]
fn a_loaded_tree_is_the_saved_one() {
    let mut rng = Rng::new(1);
    for mesh in models() {
        let mesh = Arc::new(mesh);
        let tree = WideTree::new(mesh.clone());
        let bytes = saved(&tree);
        let loaded = WideTree::load(mesh.clone(), &bytes).unwrap();
        assert_eq!(saved(&loaded), bytes);
        // Debug tells every number of nodes, leaves and frame.
        assert_eq!(format!("{loaded:?}"), format!("{tree:?}"));
        loaded.validate().unwrap();
        let (mut cache, mut pairs, mut again) = (WideCache::default(), Vec::new(), Vec::new());
        let pose = poses::random(&mut rng, 0.3);
        let limits = Limits::default();
        let _ = tree.intersections(&tree, &pose, limits, &mut cache, &mut pairs);
        let work = WideTree::work(&cache);
        let _ = loaded.intersections(&loaded, &pose, limits, &mut cache, &mut again);
        assert_eq!((&pairs, work), (&again, WideTree::work(&cache)));
        let distance = tree.distance(&tree, &pose, limits, &mut WideCache::default());
        let again = loaded.distance(&loaded, &pose, limits, &mut WideCache::default());
        assert_eq!(distance, again);
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    let mesh = Arc::new(meshes::random_soup(&mut Rng::new(2), 60, 0.5));
    let bytes = saved(&WideTree::new(mesh.clone()));
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let loaded = WideTree::load(mesh.clone(), &changed);
        assert!(loaded.is_err(), "bit {bit}");
    }
}

#[test]
fn every_other_length_is_refused() {
    let mesh = Arc::new(meshes::random_soup(&mut Rng::new(3), 60, 0.5));
    let bytes = saved(&WideTree::new(mesh.clone()));
    for length in 0..bytes.len() {
        assert!(WideTree::load(mesh.clone(), &bytes[..length]).is_err());
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(
        WideTree::load(mesh, &longer),
        Err(LoadError::WrongLength { .. })
    ));
}

#[test]
fn each_reason_has_its_own_error() {
    let mesh = Arc::new(meshes::ball(2, 1.0));
    let bytes = saved(&WideTree::new(mesh.clone()));
    let mut positions = mesh.positions().to_vec();
    positions[3].x = f64::from_bits(positions[3].x.to_bits() ^ 1);
    let moved = TriMesh::new(positions, mesh.faces().to_vec()).unwrap();
    let mut faces = mesh.faces().to_vec();
    faces[7].rotate_left(1);
    let turned = TriMesh::new(mesh.positions().to_vec(), faces).unwrap();
    for other in [moved, turned, TriMesh::default(), meshes::ball(3, 1.0)] {
        let refused = WideTree::load(Arc::new(other), &bytes).unwrap_err();
        assert!(matches!(refused, LoadError::OtherMesh { .. }), "{refused}");
    }
    let refused = WideTree::load(mesh.clone(), b"solid cube").unwrap_err();
    assert_eq!(refused, LoadError::NotATree);
    let mut newer = bytes.clone();
    newer[8] = 3;
    forge(&mut newer);
    let refused = WideTree::load(mesh.clone(), &newer).unwrap_err();
    assert_eq!(refused, LoadError::OtherVersion { found: 3, known: 2 });
    assert!(refused.to_string().contains("version 3"));
    let refused = WideTree::load(mesh.clone(), &bytes[..100]).unwrap_err();
    assert!(matches!(refused, LoadError::WrongLength { found: 100, .. }));
    let mut damaged = bytes;
    damaged[60] ^= 1;
    let refused = WideTree::load(mesh, &damaged).unwrap_err();
    assert_eq!(refused, LoadError::Damaged { part: "content" });
}

/// What changes a file may see from someone who knows how to compute checksums: words replaced by plausible ones.
#[test]
fn forged_files_are_refused_or_give_the_right_answers() {
    let mut rng = Rng::new(4);
    let mesh = Arc::new(meshes::random_soup(&mut rng, 400, 0.3));
    let tree = WideTree::new(mesh.clone());
    let bytes = saved(&tree);
    let pose = poses::random(&mut rng, 0.2);
    let sorted = |tree: &WideTree| {
        let (mut pairs, mut cache) = (Vec::new(), WideCache::default());
        let _ = tree.intersections(tree, &pose, Limits::default(), &mut cache, &mut pairs);
        pairs.sort_unstable();
        pairs
    };
    let expected = sorted(&tree);
    let far = poses::random(&mut rng, 5.0);
    let nearest = |tree: &WideTree| {
        let answer = tree.distance(tree, &far, Limits::default(), &mut WideCache::default());
        answer.value
    };
    let distance = nearest(&tree);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..3000 {
        let mut forged = bytes.clone();
        for _ in 0..=rng.below(2) {
            // Mesh hash, checksums and padding aside: counts, axes, children, leaves, faces.
            let at = 24 + rng.below(forged.len() as u64 - 36) as usize;
            match rng.below(5) {
                0 => forged[at] = rng.below(256) as u8,
                1 => forged[at] ^= 1 << rng.below(8),
                2 => {
                    let small = rng.below(80) as u32 | (rng.below(2) as u32) << 31;
                    let at = 84 + (at / 4 * 4).min(forged.len() - 100);
                    forged[at..at + 4].copy_from_slice(&small.to_le_bytes());
                }
                3 => {
                    let (from, to) = (at, 24 + rng.below(forged.len() as u64 - 36) as usize);
                    forged.swap(from, to);
                }
                _ => {
                    let word = [f32::NAN, f32::INFINITY, 1e30, 0.5][rng.below(4) as usize];
                    let at = 48 + (at / 4 * 4).min(forged.len() - 64);
                    forged[at..at + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
        }
        forge(&mut forged);
        match WideTree::load(mesh.clone(), &forged) {
            Err(_) => refused += 1,
            Ok(loaded) => {
                accepted += 1;
                loaded.validate().unwrap();
                assert_eq!(sorted(&loaded), expected);
                assert_eq!(nearest(&loaded), distance);
            }
        }
    }
    // Swapped faces and slightly turned axes make another tree, and a valid one.
    assert!(refused > 1000 && accepted > 10, "{refused} {accepted}");
}

/// A chain of nodes would be as deep as the mesh has faces.
#[test]
fn sizes_that_the_mesh_does_not_allow_are_refused() {
    let mesh = Arc::new(meshes::random_soup(&mut Rng::new(5), 100, 0.3));
    let bytes = saved(&WideTree::new(mesh.clone()));
    for at in [24, 28, 32, 36] {
        for count in [0, 1, 2, 1000, u32::MAX, u32::MAX / 2] {
            let mut forged = bytes.clone();
            forged[at..at + 4].copy_from_slice(&count.to_le_bytes());
            if forged != bytes {
                forge(&mut forged);
                assert!(
                    WideTree::load(mesh.clone(), &forged).is_err(),
                    "{at} {count}"
                );
            }
        }
    }
}
