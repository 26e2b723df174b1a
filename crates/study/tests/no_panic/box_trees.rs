//! Trees of cut boxes with any configuration, and boxes with any cut.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::math::Rng;
use impinge::query::Count;
use impinge_study::box_tree::{
    BoxFrames, BoxTree, BoxTreeConfig, ClippedPair, CutTree, CutTreeConfig, InnerConfig, PairSide,
    PlaneCut, RestrictedTree, RestrictedTreeConfig,
};

use crate::odd::{INDICES, odd, odd_limits, odd_mesh, odd_pose, valid_point};

#[test]
fn trees_of_cut_boxes_take_any_configuration() {
    let mut rng = Rng::new(6);
    for _ in 0..150 {
        let (a, b) = (odd_mesh(&mut rng, 30), odd_mesh(&mut rng, 30));
        let mut count = || INDICES[rng.below(INDICES.len() as u64) as usize];
        let (n, m, k, l) = (count(), count(), count(), count());
        let x: [f64; 5] = std::array::from_fn(|_| odd(&mut rng));
        let cut = CutTreeConfig {
            gamma: x[0],
            thickness: x[1],
            max_depth: n,
            min_faces: m,
            lambda: x[2],
            similar: x[3],
            max_iterations: k.min(1000),
            max_duplication: l,
            ..CutTreeConfig::default()
        };
        ask::<CutTree>(&a, &b, &cut, &mut rng);
        let inner = InnerConfig {
            min_faces: n,
            min_part: x[4],
            max_hollows: m.min(100),
            max_cores: k.min(100),
        };
        let boxes = BoxTreeConfig {
            max_leaf_faces: l,
            inner: Some(inner),
            ..BoxTreeConfig::default()
        };
        ask::<BoxTree>(&a, &b, &boxes, &mut rng);
        let restricted = RestrictedTreeConfig {
            max_leaf_faces: l,
            max_sides: n,
            min_gain: x[0],
            ..RestrictedTreeConfig::default()
        };
        ask::<RestrictedTree>(&a, &b, &restricted, &mut rng);
    }
}

fn ask<I: MeshIndex>(
    a: &Arc<impinge::TriMesh>,
    b: &Arc<impinge::TriMesh>,
    config: &I::Config,
    rng: &mut Rng,
) {
    let (a, b) = (I::build(a.clone(), config), I::build(b.clone(), config));
    a.validate().unwrap();
    let pose = odd_pose(rng).unwrap_or_default();
    let mut cache = I::Cache::default();
    let _ = a.intersections(
        &b,
        &pose,
        odd_limits(rng),
        &mut cache,
        &mut Count::default(),
    );
    let _ = I::work(&cache);
}

#[test]
fn a_pair_of_boxes_takes_any_cut() {
    let mut rng = Rng::new(7);
    for _ in 0..5000 {
        let mut any = || Aabb::enclosing([valid_point(&mut rng), valid_point(&mut rng)]);
        let (a, b) = (any(), any());
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let frames = BoxFrames::new(&pose, &a, &b, odd(&mut rng));
        let mut pair = ClippedPair::<true>::new(&frames, &a, &b);
        for axis in [0, 1, 2, 3, usize::MAX] {
            let cut = PlaneCut {
                axis,
                keeps_low: rng.below(2) == 0,
                at: odd(&mut rng),
            };
            let _ = pair.cut(&frames, PairSide::B, cut);
        }
        let _ = (
            pair.is_disjoint(),
            pair.boxes(),
            pair.live_edges(),
            pair.intervals(),
        );
    }
}
