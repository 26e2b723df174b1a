//! Times of queries of large clouds as shapes, and whether the answers equal brute force.

use std::sync::Arc;

use anyhow::Context;
use impinge::bvh::wide::{SingleTreeCache, WideTree};
use impinge::cloud::{CloudShape, KdTree, PointCloud};
use impinge::convex::Cylinder;
use impinge::math::Rng;
use impinge::pair::{DistanceQuery, IntersectionQuery, MeshShape, PairConfig, Shape};
use impinge::query::Limits;
use impinge::{DVec3, Pose, TriMesh, generate};

use super::peers::beside_peers;
use super::timing::{at_full_size, own_seconds, repeated_seconds, right_at_full_size};
use crate::sample_statistics::median;
use crate::{Bar, Bars};

/// What a distance may take for shapes of a hundred thousand points and faces, in seconds.
const MAX_SECONDS: f64 = 0.01;

/// Points and faces that the bars ask for.
const FULL: usize = 100_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Points of each cloud
    #[arg(long, default_value_t = 100_000)]
    pub(crate) points: usize,
    /// Rounds; the median counts
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
}

/// The smallest distance by asking for the nearest point or face of every point.
enum BruteForceJudge {
    Points(KdTree),
    Faces(Box<WideTree>),
    None,
}

impl BruteForceJudge {
    fn distance(&self, points: &[DVec3], pose: &Pose) -> Option<f64> {
        let mut cache = SingleTreeCache::default();
        let mut nearest = |p: DVec3| match self {
            Self::Points(tree) => tree.nearest(p).map(|near| near.distance()),
            Self::Faces(tree) => {
                let found = tree.closest_face(p, Limits::default(), &mut cache);
                found.ok()?.value.map(|face| face.distance)
            }
            Self::None => None,
        };
        points
            .iter()
            .filter_map(|&p| nearest(*pose * p))
            .reduce(f64::min)
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut rng = Rng::new(1);
    let ball: Vec<DVec3> = (0..args.points).map(|_| rng.direction()).collect();
    let other: Vec<DVec3> = (0..args.points).map(|_| rng.direction()).collect();
    let frequency = ((args.points as f64 / 20.0).sqrt() as u32).max(1);
    let mesh: Arc<TriMesh> = Arc::new(generate::icosphere(1.0, frequency)?);
    let cloud = shape(&ball)?;
    let subjects = [
        (
            "mesh",
            Shape::from(MeshShape::new(Arc::clone(&mesh))),
            BruteForceJudge::Faces(Box::new(WideTree::new(Arc::clone(&mesh)))),
        ),
        (
            "cloud",
            shape(&other)?,
            BruteForceJudge::Points(KdTree::new(&other)),
        ),
        (
            "cylinder",
            Cylinder::new(1.0, 0.5)?.into(),
            BruteForceJudge::None,
        ),
    ];
    let places = [("apart", [2.5, 0.5, 0.25]), ("crossing", [0.75, 0.5, 0.25])];
    println!(
        "a cloud of {} points on a ball; the mesh has {} faces; median of {} rounds",
        args.points,
        mesh.face_count(),
        args.rounds
    );
    println!(
        "{:>9} {:>9} {:>12} {:>12} {:>12} {:>8}",
        "against", "placed", "distance", "intersects", "one by one", "times"
    );
    let is_full = args.points >= FULL;
    let mut bars = Bars::default();
    for (name, subject, judge) in &subjects {
        for (place, at) in places {
            let pose = Pose::from_translation(at)?;
            let config = PairConfig::default();
            let mut gap = DistanceQuery::new(subject, &cloud, &config)?;
            let mut meet = IntersectionQuery::new(subject, &cloud, &config)?;
            let found = gap.at(&pose, Limits::default()).value;
            let found = found.context("no distance")?.distance;
            let (mut gaps, mut meets, mut slow) = (Vec::new(), Vec::new(), Vec::new());
            let truth = judge.distance(&ball, &pose);
            for _ in 0..args.rounds.max(1) {
                gaps.push(repeated_seconds(|| gap.at(&pose, Limits::default())));
                meets.push(repeated_seconds(|| meet.any(&pose)));
            }
            if truth.is_some() {
                slow.push(own_seconds(|| judge.distance(&ball, &pose)));
            }
            let (gap, meet, slow) = (median(gaps), median(meets), median(slow));
            // Nobody asks every point about a cylinder.
            let beside = match truth {
                Some(_) => format!("{:>9.1} ms {:>8.0}", slow * 1e3, slow / gap),
                None => format!("{:>12} {:>8}", "–", "–"),
            };
            println!(
                "{name:>9} {place:>9} {:>9.4} ms {:>9.4} ms {beside}",
                gap * 1e3,
                meet * 1e3,
            );
            if let Some(truth) = truth {
                let is_right = (found - truth).abs() <= 1e-12;
                bars.say(
                    right_at_full_size(is_full, Bar::of(is_right)),
                    format!("{name} {place}: the distance of asking every point"),
                );
            }
            bars.say(
                at_full_size(is_full, Bar::at_most(gap, MAX_SECONDS)),
                format!("{name} {place}: distance within {} ms", MAX_SECONDS * 1e3),
            );
        }
    }
    beside_peers(&ball, args.rounds, is_full, &mut bars)?;
    Ok(bars.end())
}

fn shape(points: &[DVec3]) -> anyhow::Result<Shape> {
    let cloud = PointCloud::from_points(points.iter().copied())?;
    Ok(CloudShape::new(Arc::new(cloud)).into())
}
