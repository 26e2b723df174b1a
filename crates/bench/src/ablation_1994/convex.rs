//! Clipping the edges of convex bodies, compared with the test for arbitrary ones.

use std::hint::black_box;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::convex::{GjkCache, Polyhedron, intersects};
use impinge::generate::model;
use impinge::math::Rng;
use impinge::{Pose, TriMesh};
use impinge_study::convex::{
    ClippedEdge, CyrusBeckConfig, CyrusBeckWork, clipped_edge, clipped_edge_with, clipped_edges,
};
use impinge_study::edge_polygon::{EdgePolygonCache, EdgePolygonConfig};

use super::cage::CageScene;
use super::{Args, RatioRow, interleaved};

/// Published: kind, our model, faces of one body, and the figures of the arbitrary and of the convex test.
const PUBLISHED: [(&str, &str, usize, [f64; 2]); 6] = [
    ("balls", "ball", 250, [6.7, 7.4]),
    ("balls", "ball", 120, [2.4, 2.1]),
    ("balls", "ball", 60, [1.1, 2.5]),
    ("cones", "cone", 250, [7.4, 6.2]),
    ("cones", "cone", 120, [2.1, 2.3]),
    ("cones", "cone", 60, [0.8, 1.1]),
];
/// Placements for each frame of the cage.
const POSES_PER_FRAME: usize = 5;

/// Two bodies in a cage half as large as they are: they meet nearly always.
pub(super) fn clipping(args: &Args, rows: &mut Vec<RatioRow>) -> anyhow::Result<()> {
    let mut pre_checks = PreCheckSums::default();
    for (kind, name, faces, [arbitrary, convex]) in PUBLISHED {
        let made = model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"))?;
        let (points, faces) = made.make(Some(faces), 1)?.into_parts();
        let bounds = Aabb::enclosing(points.iter().copied());
        let scale = 1.0 / bounds.diagonal().max_element();
        let points = points.into_iter().map(|p| (p - bounds.center()) * scale);
        let mesh = Arc::new(TriMesh::new(points.collect(), faces)?);
        let hull = Polyhedron::new(mesh.positions())?;
        let mut rng = Rng::new(1994);
        let mut tests = Vec::new();
        for _ in 0..POSES_PER_FRAME * args.frames {
            let at = 0.5 * rng.cube();
            let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), at)?;
            tests.push((0, 0, pose));
        }
        let scene = CageScene {
            meshes: vec![mesh],
            tests,
        };
        let indexes = scene.indexes(&EdgePolygonConfig::default());
        let mut cache = EdgePolygonCache::default();
        let asked = scene.ask(&indexes, &mut cache);
        let (mut hits, mut clips) = (0, 0);
        for (_, _, pose) in &scene.tests {
            let (found, work) = clipped_edge(&hull, &hull, pose);
            hits += usize::from(found.is_some());
            clips += comparisons(&work);
        }
        // Bodies of one size are never inside each other, so that surfaces meet where solids do.
        anyhow::ensure!(hits == asked.hits, "clipping answers otherwise");
        let mut gjk = GjkCache::new();
        let times = interleaved(
            args.rounds,
            scene.tests.len(),
            &mut [
                &mut |step| {
                    black_box(scene.ask_few(step..step + 1, &indexes, &mut cache));
                },
                &mut |step| {
                    black_box(clipped_edge(&hull, &hull, &scene.tests[step].2));
                },
                &mut |step| {
                    black_box(intersects(&hull, &hull, &scene.tests[step].2, &mut gjk));
                },
            ],
        );
        let micros = |k: usize| 1e6 * times[k] / scene.tests.len().max(1) as f64;
        rows.push(RatioRow {
            experiment: "Cyrus–Beck",
            scene: format!("2 {kind} of {} faces", scene.meshes[0].face_count()),
            // In which unit it does not say: the ratio is one or its inverse.
            published: None,
            by_work: asked.counts.work().tests() as f64 / clips.max(1) as f64,
            work: "all tests",
            by_time: times[0] / times[1],
            why: format!(
                "{:.1} µs by the arbitrary test, {:.1} µs by clipping, published {arbitrary} and {convex} in a unit that is unclear; {hits} of {} pairs meet. The convex test that is the default takes {:.2} µs, {:.0} times less than the arbitrary one",
                micros(0),
                micros(1),
                scene.tests.len(),
                micros(2),
                times[0] / times[2]
            ),
            is_open: false,
        });
        pre_checks.add(args, &hull, &scene)?;
    }
    pre_checks.rows(rows);
    Ok(())
}

/// Everything that clipping compares or computes once per face or edge.
fn comparisons(work: &CyrusBeckWork) -> u64 {
    work.half_spaces + work.face_boxes + work.edge_boxes
}

/// The variants of 1994, each with one pre-check more.
const VARIANTS: [CyrusBeckConfig; 3] = [
    CyrusBeckConfig::WITHOUT_PRE_CHECKS,
    CyrusBeckConfig {
        checks_edge_boxes: true,
        collects_faces: false,
    },
    CyrusBeckConfig {
        checks_edge_boxes: true,
        collects_faces: true,
    },
];

/// What the variants cost over all scenes.
#[derive(Default)]
struct PreCheckSums {
    seconds: [f64; 3],
    /// The same for all edges that meet instead of the first.
    all_seconds: [f64; 3],
    comparisons: [u64; 3],
    pairs: usize,
}

impl PreCheckSums {
    fn add(&mut self, args: &Args, hull: &Polyhedron, scene: &CageScene) -> anyhow::Result<()> {
        let poses: Vec<&Pose> = scene.tests.iter().map(|(_, _, pose)| pose).collect();
        for pose in &poses {
            let found = VARIANTS.map(|config| clipped_edge_with(hull, hull, pose, &config));
            for (sum, (_, work)) in self.comparisons.iter_mut().zip(&found) {
                *sum += comparisons(work);
            }
            let [first, ..] = &found;
            let same = |(edge, _): &(Option<ClippedEdge>, _)| edge.is_some() == first.0.is_some();
            anyhow::ensure!(found.iter().all(same), "a pre-check changes an answer");
        }
        self.pairs += poses.len();
        let [mut none, mut edges, mut both] = VARIANTS.map(|config| {
            let poses = &poses;
            move |step: usize| {
                black_box(clipped_edge_with(hull, hull, poses[step], &config));
            }
        });
        let [mut none_all, mut edges_all, mut both_all] = VARIANTS.map(|config| {
            let poses = &poses;
            move |step: usize| {
                black_box(clipped_edges(hull, hull, poses[step], &config));
            }
        });
        let times = interleaved(
            args.rounds,
            poses.len(),
            &mut [
                &mut none,
                &mut edges,
                &mut both,
                &mut none_all,
                &mut edges_all,
                &mut both_all,
            ],
        );
        let sums = self.seconds.iter_mut().chain(&mut self.all_seconds);
        for (sum, time) in sums.zip(&times) {
            *sum += time;
        }
        Ok(())
    }

    /// Each pre-check beside the variant before it.
    fn rows(&self, rows: &mut Vec<RatioRow>) {
        for (k, experiment, published) in [
            (1, "Cyrus–Beck edge box", 1.3),
            (2, "Cyrus–Beck collect", 1.8),
        ] {
            let micros = |seconds: f64| 1e6 * seconds / self.pairs.max(1) as f64;
            let before = self.comparisons[k - 1] as f64;
            rows.push(RatioRow {
                experiment,
                scene: "2 balls or cones of 60 to 250".to_owned(),
                published: Some(published),
                by_work: before / self.comparisons[k].max(1) as f64,
                work: "half-spaces and comparisons of boxes",
                by_time: self.seconds[k - 1] / self.seconds[k],
                why: format!(
                    "{:.1} and {:.1} µs per pair, {:.0} and {:.0} half-spaces and comparisons; for all edges that meet instead of the first {:.1} and {:.1} µs, a ratio of {:.2}",
                    micros(self.seconds[k - 1]),
                    micros(self.seconds[k]),
                    before / self.pairs.max(1) as f64,
                    self.comparisons[k] as f64 / self.pairs.max(1) as f64,
                    micros(self.all_seconds[k - 1]),
                    micros(self.all_seconds[k]),
                    self.all_seconds[k - 1] / self.all_seconds[k]
                ),
                is_open: false,
            });
        }
    }
}
