//! Clipping the edges of convex bodies, compared with the test for arbitrary ones.

use std::hint::black_box;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::convex::{GjkCache, Polyhedron, intersects};
use impinge::generate::model;
use impinge::math::Rng;
use impinge::{Pose, TriMesh};
use impinge_study::convex::clipped_edge;
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
            // Faces are compared with the box of the other body, once or in both directions.
            let is_first = found.is_some_and(|edge| edge.is_of_a);
            let directions = if is_first { 1 } else { 2 };
            clips += work.half_spaces + directions * hull.face_count() as u64;
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
                "{:.1} µs by the arbitrary test, {:.1} µs by clipping, published {arbitrary} and {convex} in a unit that is unclear; {hits} of {} pairs meet. The convex test that is the default takes {:.2} µs, {:.0} times less than the arbitrary one. Collecting faces is a part of our clipping, so that its pre-checks have no ratio of their own",
                micros(0),
                micros(1),
                scene.tests.len(),
                micros(2),
                times[0] / times[2]
            ),
            is_open: false,
        });
    }
    Ok(())
}
