//! Saved average-case trees and tables, and trees divided by volume.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::average_case::*;
use impinge::bound::Aabb;
use impinge::generate;
use impinge::query::Limits;
use impinge::{DVec3, Pose, TriMesh};

fn bytes_of(tree: &AverageTree<Aabb>) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.save(&mut bytes).unwrap();
    bytes
}

#[test]
fn saved_trees_and_tables_come_back_and_damaged_ones_do_not() {
    let ring = generate::torus(1.0, 0.4, 30, 16).unwrap();
    let keeping = AverageConfig {
        keep_factors: true,
        split: Arity::Octants,
        ..AverageConfig::default()
    };
    let nothing = TriMesh::new(Vec::new(), Vec::new()).ok();
    let empty = nothing.map(|mesh| AverageTree::<Aabb>::new(&mesh, &keeping));
    for tree in [
        AverageTree::<Aabb>::new(&ring, &AverageConfig::default()),
        AverageTree::new(&ring, &keeping),
        AverageTree::new(
            &ring,
            &AverageConfig {
                cells_per_side: 16,
                ..keeping
            },
        ),
        AverageTree::new(
            &generate::tetrahedron(1.0).unwrap(),
            &AverageConfig::thesis(),
        ),
    ]
    .into_iter()
    .chain(empty)
    {
        let bytes = bytes_of(&tree);
        let loaded = AverageTree::load(&bytes).unwrap();
        assert_eq!(loaded, tree);
        assert_eq!(bytes_of(&loaded), bytes);
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 300) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(AverageTree::load(&damaged).is_err(), "{at}");
        }
        for end in [0, 7, 30, bytes.len() - 1] {
            assert!(AverageTree::load(&bytes[..end]).is_err());
        }
    }
    let tables = BinTables::new(40, 5);
    let mut bytes = Vec::new();
    tables.save(&mut bytes).unwrap();
    let loaded = BinTables::load(&bytes).unwrap();
    assert!(loaded == tables);
    assert_eq!(
        loaded.estimate(40, 12, 9, 0.4),
        tables.estimate(40, 12, 9, 0.4)
    );
    for at in (0..bytes.len()).step_by(101) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        assert!(BinTables::load(&damaged).is_err(), "{at}");
    }
}

/// Two sheets that meet in shallow leaves beside a deep part: certain as leaves, uncertain by depth.
#[test]
fn shallow_leaves_are_less_certain_by_depth_as_published() {
    let small = generate::icosphere(0.05, 16).unwrap();
    let wall = [[-2.0, -2.0], [2.0, -2.0], [0.0, 2.0]].map(|[x, y]| DVec3::new(x, y, 1.5 * x));
    let mut positions = small.positions().to_vec();
    let first = positions.len() as u32;
    positions.extend(wall);
    let mut faces = small.faces().to_vec();
    faces.push([first, first + 1, first + 2]);
    let mesh = TriMesh::new(positions, faces).unwrap();
    // A single sheet is full by this threshold.
    let config = AverageConfig {
        kappa: 0.5,
        ..AverageConfig::thesis()
    };
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &config));
    let pose = Pose::from_axis_angle(DVec3::X, 1.2, DVec3::new(0.4, 0.9, 0.1)).unwrap();
    let meetings = |certainty| {
        let options = AverageOptions {
            certainty,
            // So many that all pairs are examined.
            k_min: 1_000_000,
            ..AverageOptions::thesis()
        };
        let mut query = AverageQuery::new(tree.clone(), tree.clone(), options).unwrap();
        query.at(&pose, Limits::default()).meetings
    };
    let (by_leaves, by_depth) = (
        meetings(Certainty::Depth),
        meetings(Certainty::DepthAtLeaves),
    );
    assert!(
        by_depth > 0.0 && by_leaves > by_depth,
        "{by_leaves} {by_depth}"
    );
    // Trees of one node each are as deep as they get.
    let one = Arc::new(AverageTree::<Aabb>::new(
        &TriMesh::new(wall.to_vec(), vec![[0, 1, 2]]).unwrap(),
        &AverageConfig::thesis(),
    ));
    assert_eq!(one.len(), 1);
    let answers = [Certainty::Depth, Certainty::DepthAtLeaves].map(|certainty| {
        let options = AverageOptions {
            certainty,
            ..AverageOptions::thesis()
        };
        let mut query = AverageQuery::new(one.clone(), one.clone(), options).unwrap();
        query.at(&Pose::IDENTITY, Limits::default()).verdict
    });
    assert_eq!(answers[0], answers[1]);
}

/// The sum of the volumes of both children of the root, by either cost: the published one finds the least of the same cuts.
#[test]
fn division_by_volume_leaves_less_volume_below() {
    let ring = generate::torus(1.0, 0.25, 40, 16).unwrap();
    let wedge = generate::torus_knot(2, 3, 0.4, 60, 6).unwrap();
    for mesh in [ring, wedge] {
        let below_root = |cost| {
            let config = AverageConfig {
                cost,
                ..AverageConfig::thesis()
            };
            let below = AverageTree::<Aabb>::new(&mesh, &config).measures();
            let of_root = below.iter().filter(|m| m.parent == Some(0));
            of_root.map(|m| m.volume).sum::<f64>()
        };
        let by_volume = below_root(SplitCost::ChildVolume);
        let by_area = below_root(SplitCost::SurfaceArea);
        assert!(by_volume > 0.0 && by_volume <= by_area * (1.0 + 1e-5));
    }
}

/// Expected meetings grow with what two boxes are said to share, also of nodes below larger ones.
#[test]
fn nodes_below_larger_ones_are_measured_by_the_chosen_volume() {
    let ring = generate::torus(1.0, 0.3, 16, 8).unwrap();
    let config = AverageConfig {
        kappa: 0.5,
        ..AverageConfig::thesis()
    };
    let tree = Arc::new(AverageTree::<Aabb>::new(&ring, &config));
    let pose = Pose::from_axis_angle(DVec3::ONE, 0.7, DVec3::new(0.3, 0.2, 0.1)).unwrap();
    let meetings = |shared| {
        let options = AverageOptions {
            shared,
            estimate: Estimate::Floor,
            k_min: 1_000_000,
            ignore_below: 0.0,
            ..AverageOptions::thesis()
        };
        let mut query = AverageQuery::new(tree.clone(), tree.clone(), options).unwrap();
        query.at(&pose, Limits::default()).meetings
    };
    let exact = meetings(SharedVolume::Exact);
    let slabs = meetings(SharedVolume::Slabs);
    let thesis = meetings(SharedVolume::Thesis);
    // Boxes of turned trees share less than their slabs say: without the volume in the descent both were the same.
    assert!(exact > 0.0 && exact < 0.98 * slabs, "{exact} {slabs}");
    assert!(
        thesis > 0.0 && (thesis / slabs - 1.0).abs() > 0.01,
        "{thesis} {slabs}"
    );
}
