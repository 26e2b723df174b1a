//! Wide trees of both presets hold their faces wherever and however large these are, and do not
//! depend on who builds them.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideConfig, WideTree};
use impinge::generate::torus;
use impinge::math::Rng;
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::meshes;
use rayon::ThreadPoolBuilder;

fn presets() -> [(&'static str, WideConfig); 2] {
    [
        ("default", WideConfig::default()),
        ("fast", WideConfig::fast()),
    ]
}

fn placed(mesh: &TriMesh, scale: f64, offset: DVec3) -> Arc<TriMesh> {
    let positions = mesh.positions().iter().map(|p| *p * scale + offset);
    Arc::new(TriMesh::new(positions.collect(), mesh.faces().to_vec()).unwrap())
}

fn models() -> Vec<(&'static str, TriMesh)> {
    let mut rng = Rng::new(17);
    // Slivers, and faces of very different size.
    let needles = meshes::random_soup(&mut rng, 500, 0.3);
    let stretched = needles.positions().iter();
    let stretched = stretched.map(|p| *p * DVec3::new(1e3, 1.0, 1e-3));
    let stretched = TriMesh::new(stretched.collect(), needles.faces().to_vec()).unwrap();
    vec![
        ("ball", meshes::ball(4, 1.0)),
        ("torus", torus(1.0, 0.4, 40, 30).unwrap()),
        ("soup", meshes::random_soup(&mut rng, 3000, 0.1)),
        ("grid", meshes::grid_soup(&mut rng, 300, (-3, 3))),
        ("needles", stretched),
    ]
}

#[test]
fn trees_of_any_size_and_far_away_hold_their_faces() {
    let far = DVec3::new(1e6, -1e6, 1e6);
    let places = [
        (1.0, DVec3::ZERO),
        (1e-6, DVec3::ZERO),
        (1e6, DVec3::ZERO),
        (1.0, far),
        (1e-3, far),
        (1e6, far * 1e6),
    ];
    for (name, mesh) in models() {
        for (scale, offset) in places {
            let mesh = placed(&mesh, scale, offset);
            for (preset, config) in presets() {
                let tree = WideTree::build(mesh.clone(), &config);
                let found = tree.validate();
                assert!(found.is_ok(), "{name} {scale} {offset} {preset}: {found:?}");
            }
        }
    }
}

#[test]
fn both_presets_find_the_same_pairs_far_away() {
    let far = DVec3::new(1e6, 0.0, -1e6);
    for (name, mesh) in models() {
        for (scale, offset) in [(1.0, DVec3::ZERO), (1e-6, DVec3::ZERO), (1.0, far)] {
            let mesh = placed(&mesh, scale, offset);
            let pose = Pose::from_translation(DVec3::new(0.31, 0.17, 0.05) * scale).unwrap();
            let [one, other] = presets().map(|(_, config)| {
                let tree = WideTree::build(mesh.clone(), &config);
                let (mut cache, mut pairs) = (WideCache::default(), Vec::<FacePair>::new());
                let limits = Limits::default();
                let _ = tree.intersections(&tree, &pose, limits, &mut cache, &mut pairs);
                let mut pairs: Vec<String> = pairs.iter().map(|p| format!("{p:?}")).collect();
                pairs.sort_unstable();
                pairs
            });
            assert_eq!(one, other, "{name} {scale} {offset}");
        }
    }
}

#[test]
fn large_trees_are_the_same_for_any_number_of_threads() {
    // Enough faces that single cuts are shared among threads.
    let mesh = Arc::new(torus(1.0, 0.4, 400, 200).unwrap());
    assert!(mesh.face_count() > 140_000);
    for (preset, config) in presets() {
        let [one, two, eight] = [1, 2, 8].map(|threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            let tree = pool
                .unwrap()
                .install(|| WideTree::build(mesh.clone(), &config));
            let mut file = Vec::new();
            tree.save(&mut file).unwrap();
            (file, format!("{:?}", tree.quality()))
        });
        assert!(one == two && two == eight, "{preset}");
    }
}

#[test]
fn shuffled_faces_cost_little() {
    // Faces that follow each other are cut together where they are neighbours; the tree may not
    // depend on that much.
    let mesh = torus(1.0, 0.4, 60, 50).unwrap();
    let mut faces = mesh.faces().to_vec();
    let mut rng = Rng::new(3);
    for i in (1..faces.len()).rev() {
        faces.swap(i, rng.below(i as u64 + 1) as usize);
    }
    let shuffled = TriMesh::new(mesh.positions().to_vec(), faces).unwrap();
    let [mesh, shuffled] = [mesh, shuffled].map(Arc::new);
    for (preset, config) in presets() {
        let cost = |mesh: &Arc<TriMesh>| WideTree::build(mesh.clone(), &config).quality().sah_cost;
        let ratio = cost(&mesh) / cost(&shuffled);
        assert!((0.9..1.1).contains(&ratio), "{preset}: {ratio}");
    }
}
