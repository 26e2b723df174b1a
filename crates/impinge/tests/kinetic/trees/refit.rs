//! Trees that are refitted, box by box and with vector instructions.

use impinge::DVec3;
use impinge::kinetic::{
    Keyframes, Kinetic, KineticAabbTree, KineticNode, RefitTree, ScalarRefitTree,
};
use impinge::math::Rng;

use super::{faces, frames, ripple, rounded, subtrees, times};

#[test]
fn the_refitted_tree_has_the_boxes_of_the_kinetic_one() {
    let (sheet, frames) = ripple(9, 4);
    let flight = Keyframes::new(&times(4), &frames).unwrap();
    let mut kinetic = KineticAabbTree::new(&flight, sheet.faces()).unwrap();
    let mut refit = ScalarRefitTree::new(&flight, sheet.faces()).unwrap();
    for (key, frame) in frames.iter().enumerate() {
        kinetic.advance(&flight, key as f64).unwrap();
        refit.refit(frame).unwrap();
        for (node, _) in subtrees(&kinetic, sheet.faces()) {
            assert_eq!(kinetic.bounds(&flight, node), refit.bounds(node));
        }
    }
}

#[test]
fn the_vector_refit_is_the_scalar_one_rounded_outwards() {
    let mut rng = Rng::new(91);
    for count in [0, 1, 2, 3, 7, 8, 9, 31, 100, 257] {
        let faces = faces(&mut rng, 120, count);
        for range in [2, 1 << 40] {
            let frames = frames(&mut rng, 120, 2, range);
            let flight = Keyframes::new(&times(2), &frames).unwrap();
            let mut vector = RefitTree::new(&flight, &faces).unwrap();
            let mut scalar = ScalarRefitTree::new(&flight, &faces).unwrap();
            for scale in [1.0, 0.1, 1e-9, 1e20] {
                let shift = rng.cube();
                let places: Vec<DVec3> = frames[1].iter().map(|&p| p * scale + shift).collect();
                vector.refit(&places).unwrap();
                scalar.refit(&places).unwrap();
                let mut open = vec![KineticNode::ROOT];
                while let Some(node) = open.pop() {
                    let (x, y) = (vector.bounds(node), scalar.bounds(node));
                    assert_eq!(x, y.map(rounded), "{count} faces, {range}, {scale}");
                    assert_eq!(vector.children(node), scalar.children(node));
                    assert_eq!(vector.face(node), scalar.face(node));
                    open.extend(vector.children(node).into_iter().flatten());
                }
            }
            assert_eq!(vector.counts(), scalar.counts());
        }
    }
}

#[test]
fn boxes_beyond_the_range_of_vectors_and_of_no_numbers_still_hold_everything() {
    let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let flight = Keyframes::linear(&start, &[DVec3::Z; 3], 0.0, 1.0).unwrap();
    let mut tree = RefitTree::new(&flight, &[[0, 1, 2]]).unwrap();
    let far = 2.0_f64.powi(140);
    let places = [DVec3::splat(far), DVec3::splat(-far), DVec3::ZERO];
    tree.refit(&places).unwrap();
    let bounds = tree.bounds(KineticNode::ROOT).unwrap();
    assert!(places.iter().all(|&p| bounds.contains(p)) && bounds.max.is_finite());
    tree.refit(&[DVec3::NAN, DVec3::ONE, DVec3::ZERO]).unwrap();
    let bounds = tree.bounds(KineticNode::ROOT).unwrap();
    assert!(places.iter().all(|&p| bounds.contains(p)));
}
