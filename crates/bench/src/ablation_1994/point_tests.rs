//! The tables of 1994 about single points: which check decides a ray and an edge, and who finds a common point of two solids.

use std::hint::black_box;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::generate::model;
use impinge::math::Rng;
use impinge::poly::{PolyMesh, Polygon, PrecheckHits};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::convex::{MonteCarlo, monte_carlo};

use super::cage::{CageScene, in_a_cage};
use super::{Args, interleaved};
use crate::Bar;

/// Pairs of a ray and an edge at most, as many as published.
const RAYS: u64 = 3_000_000;
/// Frames of the cage, for each that is asked for, that have about so many at the default.
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

/// What each pair of a frame comes to.
fn ask(scene: &CageScene, k: usize, vertices: bool, points: u64) -> anyhow::Result<MonteCarlo> {
    let (a, b, pose) = &scene.tests[k];
    let seed = k as u64;
    let (a, b) = (&scene.meshes[*a], &scene.meshes[*b]);
    Ok(monte_carlo(a, b, pose, vertices, points, seed)?)
}

/// Prints frames a second by the order of points; whether the order is the published one, and random points alone find as little.
pub(super) fn random_points(args: &Args) -> anyhow::Result<Bar> {
    let frames = 2 * args.frames;
    let scene = three_solids(frames)?;
    let (mut by_vertex, mut alone) = (0_u64, 0_u64);
    for k in 0..scene.tests.len() {
        let found = ask(&scene, k, true, 1000)?;
        by_vertex += u64::from(found.is_vertex);
        alone += u64::from(found.witness.is_some() && !found.is_vertex);
    }
    let mut runs = ORDERS.map(|(vertices, points, _)| {
        let scene = &scene;
        move |frame: usize| {
            for k in 3 * frame..3 * frame + 3 {
                black_box(ask(scene, k, vertices, points)).ok();
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
    use super::{ask, edges, in_a_cage, rays, shares, three_solids};

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
        let found = |k, vertices| ask(&scene, k, vertices, 50).unwrap().witness.is_some();
        let count = |vertices| (0..12).filter(|k| found(*k, vertices)).count();
        assert!(count(true) >= count(false));
    }
}
