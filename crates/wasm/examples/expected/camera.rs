use std::error::Error;

use impinge::scan::depth_camera::{DepthCamera, DepthImage, DepthNoise};
use impinge::scan::{
    Joint, KinematicChain, Link, LinkCache, LinkSet, PointTree, ScanFrame, drop_invalid, merge,
};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::{DMat3, DVec3, Pose};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    // It looks along y, with z up.
    let turn = DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y);
    let eye = Pose::new(turn, [0.0, -8.0, 1.0])?;
    let chain = KinematicChain::new(vec![Joint {
        offset: DVec3::Z * 2.0,
        axis: DVec3::Y,
    }])?;
    let mut places = Vec::new();
    chain.poses(&Pose::IDENTITY, &[0.5], &mut places)?;
    let (ball, capsule) = (model("icosphere", 320)?, model("capsule", 400)?);
    let mut scene = vec![(
        ball.index().as_ref(),
        Pose::from_translation([2.5, 0.0, 1.0])?,
    )];
    scene.extend(
        places
            .iter()
            .map(|&place| (capsule.index().as_ref(), place)),
    );
    let noise = DepthNoise {
        deviation: 0.001,
        ..DepthNoise::NONE
    };
    let camera = DepthCamera::new(40, 30, 1.0, 20.0)?;
    let (mut image, mut local, mut seen) = (DepthImage::default(), Vec::new(), Vec::new());
    camera.capture(&eye, &scene, &noise, 3, &mut image);
    camera.points(&image, &mut local);
    merge(&[(eye, &local)], &mut seen);
    drop_invalid(&mut seen);

    let options = PackOptions {
        count: Some(40),
        ..PackOptions::default()
    };
    let balls = pack(&MeshSolid::new(capsule.index())?, &options)?.balls;
    let packed = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())?;
    let links = LinkSet::new(vec![Link::spheres(&packed)?, Link::spheres(&packed)?]);
    let (mut tree, mut cache) = (PointTree::default(), LinkCache::default());
    tree.rebuild(&ScanFrame::new(&seen)?);
    let removed = links.remove_own(&mut tree, &[0, 1], &places, 0.25, &mut cache)?;
    let near = links.overall(&tree, &places, &mut cache)?;
    let near = near.ok_or("nothing is seen")?;
    let mut each = Vec::new();
    links.nearest(&tree, &places, &mut cache, &mut each)?;

    let mut numbers = Numbers::default();
    numbers.count(seen.len());
    for &point in &seen {
        numbers.point(point);
    }
    for place in &places {
        numbers.matrix(place);
    }
    numbers.count(removed).count(tree.len());
    for near in each {
        numbers.add(near.map_or(f64::INFINITY, |near| near.distance));
    }
    numbers.count(near.link).add(near.distance);
    numbers.point(near.position);
    Ok(numbers)
}
