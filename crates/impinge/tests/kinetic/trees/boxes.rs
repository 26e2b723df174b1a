//! Where the boxes are at any time.

use impinge::bound::Aabb;
use impinge::kinetic::{Keyframes, Kinetic, KineticAabbTree, KineticBoxTree, KineticNode};
use impinge::math::Rng;
use impinge::query::VertexId;
use impinge::{DVec3, generate};

use super::{faces, frames, ripple, structures, subtrees, times};

#[test]
fn boxes_at_keys_equal_brute_force_bit_for_bit() {
    let mut rng = Rng::new(7);
    let faces = faces(&mut rng, 200, 400);
    let frames: Vec<Vec<DVec3>> = (0..6)
        .map(|_| (0..200).map(|_| rng.cube()).collect())
        .collect();
    let flight = Keyframes::new(&[0.0, 0.3, 1.7, 1.8, 5.0, 9.0], &frames).unwrap();
    let mut tree = KineticAabbTree::new(&flight, &faces).unwrap();
    for (key, frame) in frames.iter().enumerate() {
        tree.advance(&flight, flight.key_times()[key]).unwrap();
        for (node, vertices) in subtrees(&tree, &faces) {
            let expected = Aabb::enclosing(vertices.iter().map(|&v| frame[v as usize]));
            assert_eq!(tree.bounds(&flight, node), Some(expected));
        }
    }
}

#[test]
fn every_tree_equals_a_rebuild_at_random_times() {
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let faces = faces(&mut rng, 120, 150);
        let range = if seed % 2 == 0 { 3 } else { 1 << 20 };
        let frames = frames(&mut rng, 120, 5, range);
        let flight = Keyframes::new(&times(5), &frames).unwrap();
        for mut tree in structures(&flight, &faces, range as f64 / 8.0) {
            let mut now = 0.0;
            for _ in 0..40 {
                tree.validate(&flight).unwrap();
                now += rng.range(0.0, 0.2);
                tree.advance(&flight, f64::min(now, 4.0)).unwrap();
            }
        }
    }
}

#[test]
fn cut_boxes_hold_their_faces() {
    let (sheet, frames) = ripple(9, 4);
    let flight = Keyframes::new(&times(4), &frames).unwrap();
    let aabb = KineticAabbTree::new(&flight, sheet.faces()).unwrap();
    let mut tree = KineticBoxTree::new(&flight, sheet.faces()).unwrap();
    let mut places = Vec::new();
    for frame in 0..=30 {
        let time = frame as f64 / 10.0;
        tree.advance(&flight, time).unwrap();
        flight.positions(time, &mut places);
        let all = Aabb::enclosing(places.iter().copied());
        let root = tree.bounds(&flight, KineticNode::ROOT).unwrap();
        assert!(root.inflated(1e-12).contains_box(&all));
        let mut open = vec![KineticNode::ROOT];
        while let Some(node) = open.pop() {
            let bounds = tree.bounds(&flight, node).unwrap();
            assert!(root.contains_box(&bounds));
            open.extend(tree.children(node).into_iter().flatten());
        }
    }
    assert_eq!(aabb.node_count(), 2 * sheet.face_count() - 1);
}

#[test]
fn a_sampled_motion_stays_within_its_widened_boxes() {
    let mesh = generate::icosphere(1.0, 3).unwrap();
    // A turn about z: acceleration is radius times rate squared.
    let rate = 2.0;
    let turned = |v: usize, t: f64| {
        let (p, (sin, cos)) = (mesh.positions()[v], libm::sincos(rate * t));
        DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z)
    };
    let times: Vec<f64> = (0..=20).map(|k| 0.1 * k as f64).collect();
    let flight = Keyframes::sampled(&times, mesh.vertex_count(), rate * rate, turned).unwrap();
    let mut tree = KineticAabbTree::new(&flight, mesh.faces()).unwrap();
    for frame in 0..=100 {
        let time = 0.02 * frame as f64;
        tree.advance(&flight, time.min(flight.end())).unwrap();
        for (node, vertices) in subtrees(&tree, mesh.faces()) {
            let bounds = tree.bounds(&flight, node).unwrap().inflated(1e-9);
            for v in vertices {
                assert!(bounds.contains(turned(v as usize, time)));
            }
        }
    }
}

#[test]
fn a_check_on_the_kinetic_tree_finds_the_boxes_that_meet() {
    let mut rng = Rng::new(3);
    let faces: Vec<[u32; 3]> = (0..40).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let frames = frames(&mut rng, 120, 3, 4);
    let flight = Keyframes::new(&times(3), &frames).unwrap();
    let (first, second) = faces.split_at(20);
    let mut trees = [first, second].map(|f| KineticAabbTree::new(&flight, f).unwrap());
    let mut places = Vec::new();
    for frame in 0..=20 {
        let time = 0.1 * frame as f64;
        for tree in &mut trees {
            tree.advance(&flight, time).unwrap();
        }
        flight.positions(time, &mut places);
        let bounds = |f: &[u32; 3]| Aabb::enclosing(f.map(|v| places[v as usize]));
        let mut found = Vec::new();
        trees[0]
            .meeting(&trees[1], &flight, |a, b| {
                found.push((a.index(), b.index()))
            })
            .unwrap();
        for (i, f) in first.iter().enumerate() {
            for (j, g) in second.iter().enumerate() {
                if bounds(f).overlaps(&bounds(g)) {
                    assert!(found.contains(&(i, j)));
                } else if !bounds(f).inflated(1e-9).overlaps(&bounds(g)) {
                    assert!(!found.contains(&(i, j)));
                }
            }
        }
    }
}

#[test]
fn an_empty_mesh_has_empty_trees() {
    let flight = Keyframes::linear(&[DVec3::ZERO], &[DVec3::X], 0.0, 1.0).unwrap();
    for mut tree in structures(&flight, &[], 0.5) {
        tree.advance(&flight, 1.0).unwrap();
        tree.validate(&flight).unwrap();
    }
    assert_eq!(
        flight.position(VertexId::new(0), 0.5),
        Some(DVec3::new(0.5, 0.0, 0.0))
    );
}
