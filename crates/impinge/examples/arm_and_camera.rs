//! A scripted arm of seven joints beside a moving ball, watched by a depth camera.
//!
//! Each frame is taken, cleared of what was not measured and of the arm itself, indexed, and asked how near anything is to each of the
//! eight parts. Nothing is shown but numbers.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::scan::depth_camera::{DepthCamera, DepthImage, DepthNoise};
use impinge::scan::{
    Joint, KinematicChain, Link, LinkCache, LinkSet, PointTree, ScanFrame, drop_invalid, merge,
};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::{DVec3, Pose, TriMesh, generate};

/// Where the joints are, from the base on, and what they turn about.
const JOINTS: [(f64, DVec3); 7] = [
    (0.16, DVec3::Z),
    (0.18, DVec3::Y),
    (0.20, DVec3::Z),
    (0.20, DVec3::NEG_Y),
    (0.20, DVec3::Z),
    (0.19, DVec3::Y),
    (0.10, DVec3::Z),
];
/// Nearer to the arm than this, a point is taken for the arm itself: balls do not reach the surface, and depths are noisy.
const OWN: f64 = 0.04;
const FRAMES: u32 = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let joint = |&(height, axis)| Joint {
        offset: DVec3::Z * height,
        axis,
    };
    let arm = KinematicChain::new(JOINTS.iter().map(joint).collect())?;
    let parts = parts()?;
    let mut balls = Vec::new();
    for part in &parts {
        let solid = MeshSolid::new(part)?;
        let options = PackOptions {
            count: Some(300),
            ..PackOptions::default()
        };
        balls.push(InnerSphereTree::new(
            &pack(&solid, &options)?.balls,
            &InnerSphereTreeOptions::default(),
        )?);
    }
    let links: Result<Vec<Link<'_>>, _> = balls.iter().map(Link::spheres).collect();
    let links = LinkSet::new(links?);
    let own: Vec<usize> = (0..parts.len()).collect();

    let slab = WideTree::new(Arc::new(generate::cuboid(
        DVec3::new(6.0, 6.0, 0.1),
        [4, 4, 1],
    )?));
    let floor = Pose::from_translation([0.0, 0.0, -0.05])?;
    let wall = Pose::from_axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2, [0.0, 1.5, 1.0])?;
    let foot = Pose::from_translation([0.0, 0.0, 0.3])?;
    let ball = WideTree::new(Arc::new(generate::icosphere(0.15, 12)?));
    // To the side of the arm, looking at it, the picture's down to the floor.
    let world_from_camera =
        Pose::from_axis_angle(DVec3::X, -std::f64::consts::FRAC_PI_2, [0.0, -2.0, 0.7])?;
    let camera = DepthCamera::new(160, 120, 1.0, 4.0)?;
    let noise = DepthNoise {
        deviation: 0.001,
        dropout: 0.02,
        seed: 1,
    };

    let (mut image, mut seen, mut points) = (DepthImage::default(), Vec::new(), Vec::new());
    let (mut poses, mut tree) = (Vec::new(), PointTree::default());
    let (mut cache, mut nearest) = (LinkCache::default(), Vec::new());
    let mut least = f64::INFINITY;
    for frame in 0..FRAMES {
        let t = f64::from(frame) / f64::from(FRAMES);
        let angles =
            [0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8].map(|phase: f64| 0.5 * (6.0 * t + phase).sin());
        arm.poses(&foot, &angles, &mut poses)?;
        let ball_at = Pose::from_translation([1.3 - t, -0.1, 1.1])?;
        let mut scene = vec![(&slab, floor), (&slab, wall), (&ball, ball_at)];
        scene.extend(parts.iter().zip(poses.iter().copied()));
        camera.capture(
            &world_from_camera,
            &scene,
            &noise,
            u64::from(frame),
            &mut image,
        );
        camera.points(&image, &mut seen);

        merge(&[(world_from_camera, &seen)], &mut points);
        let unmeasured = drop_invalid(&mut points);
        tree.rebuild(&ScanFrame::new(&points)?);
        let removed = links.remove_own(&mut tree, &own, &poses, OWN, &mut cache)?;
        links.nearest(&tree, &poses, &mut cache, &mut nearest)?;

        let first = nearest
            .iter()
            .flatten()
            .min_by(|a, b| a.distance.total_cmp(&b.distance));
        let Some(first) = first else {
            println!("frame {frame}: nothing seen");
            continue;
        };
        let centimetres = nearest
            .iter()
            .flatten()
            .map(|n| format!("{:5.1}", 100.0 * n.distance));
        println!(
            "frame {frame:2}: {} points, {unmeasured} not measured, {removed} of the arm; from base to hand {} cm",
            tree.len(),
            centimetres.collect::<String>()
        );
        assert_eq!(links.overall(&tree, &poses, &mut cache)?, Some(*first));
        least = least.min(first.distance);
    }
    println!("nearest of all: {:.1} cm", 100.0 * least);
    assert!(least > OWN && least < 0.3);
    Ok(())
}

/// The eight parts, each from its joint to the next.
fn parts() -> Result<Vec<WideTree>, Box<dyn std::error::Error>> {
    let mut parts = Vec::new();
    for k in 0..=JOINTS.len() {
        let length = JOINTS.get(k).map_or(0.08, |joint| joint.0);
        let mesh = generate::capsule(0.055, length, 24, 8)?;
        let part: TriMesh = mesh.placed(&Pose::from_translation([0.0, 0.0, 0.5 * length])?)?;
        parts.push(WideTree::new(Arc::new(part)));
    }
    Ok(parts)
}
