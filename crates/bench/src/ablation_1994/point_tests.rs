//! The tables of 1994 about single points: which check decides a ray and an edge, and who finds a common point of two solids.

use std::hint::black_box;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::Solid;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate::model;
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::InsideTest;
use impinge::poly::{EdgeTree, EdgeTreeWork, PolyMesh, Polygon, PrecheckHits, contains_counted};
use impinge::{DVec2, DVec3, Pose, TriMesh};
use impinge_study::convex::{MonteCarlo, MonteCarloConfig, MonteCarloPair};

use super::cage::{CageScene, in_a_cage};
use super::{Args, interleaved};
use crate::Bar;

/// Pairs of a ray and an edge at most, as many as published.
const RAYS: u64 = 3_000_000;
/// Frames of the cage, for each frame of the arguments, which have about so many at the default.
const FRAMES_OF_RAYS: usize = 3;
/// What 1 % may stand for in a table of whole per cents.
const MOST_LEFT: f64 = 1.5;
/// Published: the share of those pairs that each check decides, and that are left, in %.
const PUBLISHED: [f64; 7] = [50.0, 22.0, 26.0, 1.0, 3e-5, 2e-5, 1.0];
/// Faces of the three solids, 250 in all as published.
const SOLIDS: [(&str, usize); 3] = [("ball", 80), ("torus", 90), ("cone", 80)];
/// Whether vertices come first, how many random points, and the frames a second published.
const ORDERS: [(bool, u64, f64); 3] = [(false, 100, 17.0), (true, 100, 12.0), (false, 1000, 7.0)];

/// Which check decided each pair of a ray and an edge: where edges of one body of the cage cross the planes of faces of another, after the
/// published checks of edges against the body's box, and with `face_boxes` against that of the face.
fn rays(scene: &CageScene, face_boxes: bool, most: u64) -> anyhow::Result<PrecheckHits> {
    let mut hits = PrecheckHits::default();
    for (a, b, pose) in &scene.tests {
        let (mesh, other) = (&scene.meshes[*a], &scene.meshes[*b]);
        let poly = PolyMesh::from_outlines(mesh.positions().to_vec(), mesh.faces())?;
        let mut polygons = Vec::new();
        for face in poly.faces() {
            let bounds = Aabb::enclosing(face.points(face.outline()));
            polygons.extend(Polygon::new(face).map(|polygon| (polygon, bounds)));
        }
        let body = mesh.bounds();
        let placed: Vec<DVec3> = other.positions().iter().map(|&p| *pose * p).collect();
        for [u, v] in edges(other).map(|edge| edge.map(|i| placed[i as usize])) {
            let edge = Aabb::enclosing([u, v]);
            if !edge.overlaps(&body) {
                continue;
            }
            for (polygon, bounds) in &polygons {
                let [from, to] = [u, v].map(|p| polygon.plane().signed_distance(p));
                if (face_boxes && !edge.overlaps(bounds)) || (from > 0.0) == (to > 0.0) {
                    continue;
                }
                black_box(polygon.contains_counted(u.lerp(v, from / (from - to)), &mut hits));
                if hits.total() >= most {
                    return Ok(hits);
                }
            }
        }
    }
    Ok(hits)
}

/// The edges of a closed mesh, each once.
fn edges(mesh: &TriMesh) -> impl Iterator<Item = [u32; 2]> {
    let corners = mesh.faces().iter();
    corners
        .flat_map(|&[i, j, k]| [[i, j], [j, k], [k, i]])
        .filter(|[i, j]| i < j)
}

/// The share of each check, in %.
fn shares(hits: &PrecheckHits) -> [f64; 7] {
    let counts = [
        hits.left,
        hits.above,
        hits.below,
        hits.right,
        hits.over_diagonal,
        hits.under_diagonal,
        hits.computed,
    ];
    counts.map(|n| 100.0 * n as f64 / hits.total().max(1) as f64)
}

/// Prints which check decides; whether as few pairs as published are left.
pub(super) fn ray_checks(args: &Args) -> anyhow::Result<Bar> {
    let scene = in_a_cage(FRAMES_OF_RAYS * args.frames)?;
    let words = |shares: [f64; 7]| shares.map(|x| format!("{x:.3}")).join(", ");
    let mut left = 0.0;
    for (name, face_boxes) in [
        ("edges that reach the body's box", false),
        ("edges that reach the face's box", true),
    ] {
        let hits = rays(&scene, face_boxes, RAYS)?;
        let shares = shares(&hits);
        println!(
            "point in polygon, {name}: checks 1 to 6 and the rest decide {} % of {} rays and edges",
            words(shares),
            hits.total()
        );
        if !face_boxes {
            left = shares[6];
        }
    }
    println!(
        "point in polygon, published: checks 1 to 6 and the rest decide {} % of 3 million",
        words(PUBLISHED)
    );
    let bar = Bar::at_most(left, MOST_LEFT);
    println!(
        "bar: point in polygon: {left:.2} % of the rays and edges are left by the six checks, published 1 %, asked at most {MOST_LEFT} %: {}",
        bar.word()
    );
    Ok(bar)
}

/// Corners of the outlines with and without a tree.
const OUTLINES: [u32; 5] = [8, 32, 128, 1024, 4096];
/// Points located in each of them.
const LOCATED: usize = 200;

/// A gear, which turns back and forth all the way round.
fn gear(corners: u32) -> Vec<DVec2> {
    let corner = |i: u32| {
        let size = if (i / 2).is_multiple_of(2) { 1.0 } else { 0.9 };
        size * DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / f64::from(corners))
    };
    (0..corners).map(corner).collect()
}

/// What all points take without the tree and with it.
fn outline_work(
    outline: &[DVec2],
    tree: &EdgeTree,
    points: &[DVec2],
) -> anyhow::Result<(PrecheckHits, EdgeTreeWork)> {
    let (mut hits, mut work) = (PrecheckHits::default(), EdgeTreeWork::default());
    for &q in points {
        let plain = contains_counted(&[outline], q, &mut hits);
        anyhow::ensure!(
            tree.contains_counted(q, &mut work) == plain,
            "the tree answers otherwise"
        );
    }
    Ok((hits, work))
}

/// Prints what a box-tree over the edges of an outline spares.
pub(super) fn outlines(args: &Args) -> anyhow::Result<()> {
    let words = |shares: [f64; 7]| shares.map(|x| format!("{x:.1}")).join(", ");
    let mut rng = Rng::new(1994);
    let points: Vec<DVec2> = (0..LOCATED)
        .map(|_| DVec2::new(rng.range(-1.1, 1.1), rng.range(-1.1, 1.1)))
        .collect();
    for corners in OUTLINES {
        let outline = gear(corners);
        let tree = EdgeTree::new(&[&outline]);
        let (hits, work) = outline_work(&outline, &tree, &points)?;
        let each = |n: u64| n as f64 / points.len() as f64;
        let times = interleaved(
            args.rounds,
            1,
            &mut [
                &mut |_| {
                    for &q in &points {
                        black_box(contains_counted(
                            &[&outline],
                            q,
                            &mut PrecheckHits::default(),
                        ));
                    }
                },
                &mut |_| {
                    for &q in &points {
                        black_box(tree.contains(q));
                    }
                },
            ],
        );
        println!(
            "point in outline of {corners} edges: {:.0} edges, with a tree {:.1} boxes and {:.1} edges, {:.1} times as fast; checks 1 to 6 and the rest decide {} %, in leaves of the tree {} %",
            each(hits.total()),
            each(work.boxes),
            each(work.edges.total()),
            times[0] / times[1],
            words(shares(&hits)),
            words(shares(&work.edges))
        );
    }
    Ok(())
}

/// Three solids at random places of a room in which they often meet, all pairs in each frame.
fn three_solids(frames: usize) -> anyhow::Result<CageScene> {
    let mut meshes = Vec::new();
    for (name, faces) in SOLIDS {
        let kind = model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"))?;
        let (points, faces) = kind.make(Some(faces), 1)?.into_parts();
        let bounds = Aabb::enclosing(points.iter().copied());
        let scale = 1.0 / bounds.diagonal().max_element();
        let points = points.into_iter().map(|p| (p - bounds.center()) * scale);
        meshes.push(Arc::new(TriMesh::new(points.collect(), faces)?));
    }
    let mut rng = Rng::new(1994);
    let mut tests = Vec::new();
    for _ in 0..frames {
        let mut place = || Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), rng.cube());
        let poses = [place()?, place()?, place()?];
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            tests.push((a, b, poses[a].inverse() * poses[b]));
        }
    }
    Ok(CageScene { meshes, tests })
}

/// The pairs of a frame, whose meshes are checked once.
fn pairs(scene: &CageScene) -> anyhow::Result<Vec<MonteCarloPair<'_>>> {
    let inside: Result<Vec<_>, _> = scene
        .meshes
        .iter()
        .map(|mesh| InsideTest::new(mesh))
        .collect();
    let inside = inside?;
    let pair = |(a, b, _): &(usize, usize, Pose)| MonteCarloPair::new(inside[*a], inside[*b]);
    Ok(scene.tests.iter().take(3).map(pair).collect())
}

/// What a pair of a frame comes to.
fn ask(
    scene: &CageScene,
    pairs: &mut [MonteCarloPair<'_>],
    k: usize,
    vertices_first: bool,
    samples: u64,
) -> anyhow::Result<MonteCarlo> {
    let config = MonteCarloConfig {
        vertices_first,
        samples,
        seed: k as u64,
        prior: None,
    };
    Ok(pairs[k % 3].search(&scene.tests[k].2, &config)?)
}

/// Prints how often solids are apart in which nothing was found, beside the confidence that the search gives.
fn calibration(scene: &CageScene) -> anyhow::Result<()> {
    let trees: Vec<WideTree> = scene.meshes.iter().cloned().map(WideTree::new).collect();
    let solids: Result<Vec<_>, _> = trees.iter().map(Solid::closed).collect();
    let (solids, mut pairs, mut cache) = (solids?, pairs(scene)?, WideCache::default());
    for (vertices_first, samples) in [(false, 10), (false, 100), (true, 10), (true, 100)] {
        let (mut missed, mut apart, mut said) = (0_u32, 0_u32, 0.0);
        for (k, (a, b, pose)) in scene.tests.iter().enumerate() {
            let found = ask(scene, &mut pairs, k, vertices_first, samples)?;
            if !found.verdict.certain {
                missed += 1;
                apart += u32::from(!solids[*a].intersects(&solids[*b], pose, &mut cache));
                said += found.verdict.confidence;
            }
        }
        let percent = |x: f64| 100.0 * x / f64::from(missed.max(1));
        println!(
            "random points: of {missed} pairs in which {}{samples} points found nothing {:.1} % are apart, the confidence is {:.1} % on average",
            if vertices_first { "vertices and " } else { "" },
            percent(f64::from(apart)),
            percent(said)
        );
    }
    Ok(())
}

/// Prints frames a second by the order of points; whether the order is the published one, and random points alone find as little.
pub(super) fn random_points(args: &Args) -> anyhow::Result<Bar> {
    let frames = 2 * args.frames;
    let scene = three_solids(frames)?;
    let (mut by_vertex, mut alone) = (0_u64, 0_u64);
    let mut kept = pairs(&scene)?;
    for k in 0..scene.tests.len() {
        let found = ask(&scene, &mut kept, k, true, 1000)?;
        by_vertex += u64::from(found.is_vertex);
        alone += u64::from(found.witness.is_some() && !found.is_vertex);
    }
    let mut runs = ORDERS.map(|(vertices, points, _)| {
        let (scene, mut kept) = (&scene, kept.clone());
        move |frame: usize| {
            for k in 3 * frame..3 * frame + 3 {
                black_box(ask(scene, &mut kept, k, vertices, points)).ok();
            }
        }
    });
    let mut turns: Vec<&mut dyn FnMut(usize)> = Vec::new();
    for run in &mut runs {
        turns.push(run);
    }
    let times = interleaved(args.rounds, frames, &mut turns);
    let rates: Vec<f64> = times.iter().map(|time| frames as f64 / time).collect();
    for ((vertices, points, published), rate) in ORDERS.iter().zip(&rates) {
        println!(
            "random points, {}{points} of them: {rate:.0} frames a second, published {published}",
            if *vertices {
                "vertices first, then "
            } else {
                ""
            }
        );
    }
    calibration(&scene)?;
    let share = 100.0 * alone as f64 / scene.tests.len().max(1) as f64;
    println!(
        "random points: of {} pairs {by_vertex} have a vertex of one in the other, {alone} ({share:.2} %) are found by one of 1000 random points alone, published under 1 %",
        scene.tests.len()
    );
    let order = Bar::of(rates.windows(2).all(|pair| pair[0] > pair[1]));
    println!(
        "bar: random points: 100 points are faster than vertices and 100, and these than 1000: {}",
        order.word()
    );
    let few = Bar::at_most(share, 1.0);
    println!(
        "bar: random points: {share:.2} % of the pairs are found by them alone, published under 1 %: {}",
        few.word()
    );
    Ok(order.and(few))
}

#[cfg(test)]
mod tests {
    use super::{
        EdgeTree, LOCATED, ask, edges, gear, in_a_cage, outline_work, pairs, rays, shares,
        three_solids,
    };
    use impinge::DVec2;
    use impinge::math::Rng;

    #[test]
    fn a_tree_over_an_outline_looks_at_few_edges() {
        let mut rng = Rng::new(1);
        let points: Vec<DVec2> = (0..LOCATED)
            .map(|_| DVec2::new(rng.range(-1.1, 1.1), rng.range(-1.1, 1.1)))
            .collect();
        let outline = gear(1024);
        let (hits, work) = outline_work(&outline, &EdgeTree::new(&[&outline]), &points).unwrap();
        assert_eq!(hits.total(), 1024 * LOCATED as u64);
        assert!(
            work.boxes + work.edges.total() < 100 * LOCATED as u64,
            "{work:?}"
        );
    }

    #[test]
    fn every_ray_is_decided_by_one_check_and_few_are_left() {
        let scene = in_a_cage(2).unwrap();
        let hits = rays(&scene, false, 20_000).unwrap();
        assert!(hits.total() >= 20_000);
        let shares = shares(&hits);
        assert!((shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        assert!(shares[6] < super::MOST_LEFT, "{shares:?}");
        // Whoever is near a face needs more: the checks are for those that are far.
        let near = super::shares(&rays(&scene, true, 20_000).unwrap());
        assert!(near[6] > shares[6], "{near:?}");
    }

    #[test]
    fn three_closed_solids_have_250_faces_and_their_edges_once() {
        let scene = three_solids(4).unwrap();
        let faces: usize = scene.meshes.iter().map(|mesh| mesh.face_count()).sum();
        assert!((245..=255).contains(&faces), "{faces}");
        for mesh in &scene.meshes {
            assert_eq!(2 * edges(mesh).count(), 3 * mesh.face_count());
        }
        assert_eq!(scene.tests.len(), 12);
        // Whoever starts with vertices finds at least as many.
        let mut kept = pairs(&scene).unwrap();
        let mut count = |vertices| {
            let mut found = 0;
            for k in 0..12 {
                let answer = ask(&scene, &mut kept, k, vertices, 50).unwrap();
                found += u32::from(answer.witness.is_some());
            }
            found
        };
        assert!(count(true) >= count(false));
    }
}
