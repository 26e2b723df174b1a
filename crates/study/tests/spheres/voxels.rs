//! Greedy packings of voxels: order, secondary radii, stops.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::generate;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackEnd};
use impinge_study::spheres::{VoxelOptions, pack_voxels, pack_voxels_with};

use crate::feasibility::{cube, judge};

#[test]
fn voxels_are_packed_greedily_and_their_secondary_volume_is_theirs() {
    let mesh = cube();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let voxels = pack_voxels(
        &solid,
        &VoxelOptions {
            resolution: 15,
            ..VoxelOptions::default()
        },
    )
    .unwrap();
    judge(&mesh, &voxels.packing);
    let balls = &voxels.packing.balls;
    assert!((balls[0].radius - 0.5).abs() < 1e-9);
    assert!(balls.windows(2).all(|w| w[1].radius <= w[0].radius));
    let secondary: f64 = voxels.secondary_radii.iter().map(|r| r.powi(3)).sum();
    let secondary = secondary * 4.0 / 3.0 * std::f64::consts::PI;
    assert!((secondary - 1.0).abs() < 1e-9, "{secondary}");
    assert!(
        pack_voxels(
            &solid,
            &VoxelOptions {
                resolution: 0,
                ..VoxelOptions::default()
            }
        )
        .is_err()
    );
}

#[test]
fn voxel_packings_stop_where_asked_and_what_there_is_is_valid() {
    let mesh = generate::torus(1.0, 0.4, 24, 12).unwrap();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let base = VoxelOptions {
        resolution: 40,
        ..VoxelOptions::default()
    };
    let whole = pack_voxels(&solid, &base).unwrap();
    assert_eq!(whole.packing.end, PackEnd::Full);
    let all = &whole.packing.balls;
    // Each bound gives the first balls of the whole packing.
    let stopped = |options: VoxelOptions, end: PackEnd| {
        let part = pack_voxels(&solid, &options).unwrap();
        assert_eq!(part.packing.end, end);
        assert_eq!(part.packing.balls, all[..part.packing.balls.len()]);
        assert_eq!(part.secondary_radii.len(), part.packing.balls.len());
        judge(&mesh, &part.packing);
        part.packing
    };
    let count = Some(25);
    assert_eq!(
        stopped(VoxelOptions { count, ..base }, PackEnd::Count)
            .balls
            .len(),
        25
    );
    let none = stopped(
        VoxelOptions {
            count: Some(0),
            ..base
        },
        PackEnd::Count,
    );
    assert!(none.balls.is_empty());
    let fill = Some(0.4);
    let part = stopped(VoxelOptions { fill, ..base }, PackEnd::Fill);
    assert!(
        part.fill() >= 0.4
            && part.fill() - part.balls[part.balls.len() - 1].volume() / part.solid_volume < 0.4
    );
    let least = all[60].radius;
    let min_radius = Some(least);
    let part = stopped(VoxelOptions { min_radius, ..base }, PackEnd::MinRadius);
    assert!(part.balls.iter().all(|ball| ball.radius >= least) && part.balls.len() > 60);
    // Progress is told after every ball, and a break ends it.
    let mut told = Vec::new();
    let part = pack_voxels_with(&solid, &base, &mut |now| {
        told.push((now.count, now.fill));
        if now.count < 30 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })
    .unwrap();
    assert_eq!(part.packing.end, PackEnd::Cancelled);
    assert_eq!(part.packing.balls, all[..30]);
    judge(&mesh, &part.packing);
    assert!(told.iter().enumerate().all(|(i, entry)| entry.0 == i + 1));
    assert!(told.windows(2).all(|w| w[0].1 < w[1].1));
    assert!((told[29].1 - part.packing.fill()).abs() < 1e-12);
    for bad in [
        VoxelOptions {
            fill: Some(1.0),
            ..base
        },
        VoxelOptions {
            fill: Some(f64::NAN),
            ..base
        },
        VoxelOptions {
            min_radius: Some(0.0),
            ..base
        },
        VoxelOptions {
            min_radius: Some(f64::INFINITY),
            ..base
        },
        VoxelOptions {
            min_radius: Some(10.0),
            ..base
        },
    ] {
        assert!(pack_voxels(&solid, &bad).is_err(), "{bad:?}");
    }
}

#[test]
fn voxel_packings_have_secondary_radii_that_make_up_the_voxels() {
    let index = WideTree::new(Arc::new(generate::blob(8).unwrap()));
    let solid = MeshSolid::new(&index).unwrap();
    let packing = pack_voxels(&solid, &VoxelOptions::default()).unwrap();
    let tree = InnerSphereTree::new(&packing.packing.balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_secondary(&packing.secondary_radii)
        .unwrap();
    assert_eq!(tree.secondary().len(), tree.balls().len());
}
