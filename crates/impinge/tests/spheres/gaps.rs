//! Gaps of packings: brackets that hold the truth, values that come near it.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::math::Rng;
use impinge::query::{Bounded, Limits, Outcome};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache};
use impinge::volume::{OverlapCache, OverlapVolume, VolumeIndex};
use impinge::{DVec3, Pose, TriMesh, generate};

use crate::packed::{self, pose};

struct Packed {
    exact: VolumeIndex,
    tree: InnerSphereTree,
}

fn packed(mesh: TriMesh, count: usize, resolution: u32) -> Packed {
    let packed = packed::packed(mesh, count);
    let exact = VolumeIndex::new(Arc::clone(packed.index.mesh())).unwrap();
    let tree = packed.with_gaps(resolution);
    Packed { exact, tree }
}

impl Packed {
    fn exact_overlap(&self, other: &Self, a_from_b: &Pose) -> Bounded<OverlapVolume> {
        let mut cache = OverlapCache::default();
        self.exact
            .overlap(&other.exact, a_from_b, Limits::default(), &mut cache)
            .unwrap()
    }
}

#[test]
fn brackets_hold_the_truth_and_are_narrower_than_all_gaps() {
    let a = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 2000, 24);
    let b = packed(generate::blob(6).unwrap(), 2000, 20);
    let mut rng = Rng::new(2);
    let mut cache = InnerSphereTreeCache::default();
    let (mut narrower, mut shared) = (0, 0);
    for case in 0..80 {
        let a_from_b = pose(&mut rng, f64::from(case) * 0.03);
        let exact = a.exact_overlap(&b, &a_from_b);
        for budget in [None, Some(100), Some(1500)] {
            let limits = Limits {
                max_tests: budget,
                ..Limits::default()
            };
            let found = a.tree.overlap(&b.tree, &a_from_b, limits, &mut cache);
            assert!(found.lower <= exact.upper, "case {case}");
            assert!(
                found.upper >= exact.lower,
                "case {case} {budget:?} {found:?}"
            );
            assert!(found.lower <= found.value && found.value <= found.upper);
            if budget.is_none() && exact.value.volume > 0.0 {
                assert_eq!(found.outcome, Outcome::Complete);
                shared += 1;
                narrower += usize::from(found.upper < 3.0 * exact.value.volume);
            }
        }
    }
    assert!(
        shared > 40 && 2 * narrower > shared,
        "{narrower} of {shared}"
    );
}

#[test]
fn counting_gaps_brings_the_value_near_the_truth() {
    let a = packed(generate::blob(10).unwrap(), 8_000, 24);
    let b = packed(generate::torus(1.0, 0.4, 32, 16).unwrap(), 8_000, 24);
    let mut rng = Rng::new(5);
    let mut cache = InnerSphereTreeCache::default();
    let (mut raw, mut counted, mut cases) = (0.0, 0.0, 0);
    let least = a.exact.volume().min(b.exact.volume());
    while cases < 40 {
        let distance = rng.range(0.8, 2.0);
        let a_from_b = pose(&mut rng, distance);
        let exact = a.exact_overlap(&b, &a_from_b);
        let truth = exact.value.volume;
        if !(0.01 * least..0.1 * least).contains(&truth) {
            continue;
        }
        cases += 1;
        let found = a
            .tree
            .overlap(&b.tree, &a_from_b, Limits::default(), &mut cache);
        raw += (found.lower / truth - 1.0).abs() / 40.0;
        counted += (found.value / truth - 1.0).abs() / 40.0;
    }
    assert!(raw > 0.1, "{raw}");
    assert!(counted < 0.06, "{counted}, without gaps {raw}");
}

#[test]
fn values_of_boxes_are_near_the_product_of_their_sides() {
    let cube = packed(generate::cuboid(DVec3::ONE, [1; 3]).unwrap(), 5000, 20);
    let mut rng = Rng::new(8);
    let mut cache = InnerSphereTreeCache::default();
    for _ in 0..30 {
        let offset = DVec3::new(
            rng.range(0.3, 0.7),
            rng.range(-0.4, 0.4),
            rng.range(-0.4, 0.4),
        );
        let side = DVec3::ONE - offset.abs();
        let truth = side.x * side.y * side.z;
        let pose = Pose::from_translation(offset).unwrap();
        let found = cube
            .tree
            .overlap(&cube.tree, &pose, Limits::default(), &mut cache);
        assert!(found.lower < truth && truth < found.upper);
        assert!(
            (found.value / truth - 1.0).abs() < 0.1,
            "{} {truth}",
            found.value
        );
    }
}

#[test]
fn no_more_is_shared_than_either_solid_has_within_reach() {
    // Few balls: nearly all of a cube is gap, and gaps of both cubes together are more than a layer of cells holds.
    let cube = packed(generate::cuboid(DVec3::ONE, [1; 3]).unwrap(), 8, 16);
    let mut cache = InnerSphereTreeCache::default();
    let layer = 1.0 / 16.0;
    for overlap in [0.01, 0.03, 0.06] {
        let pose = Pose::from_translation([1.0 - overlap, 0.0, 0.0]).unwrap();
        let found = cube
            .tree
            .overlap(&cube.tree, &pose, Limits::default(), &mut cache);
        assert!(found.lower <= overlap && overlap <= found.upper);
        assert!(found.upper <= layer * (1.0 + 1e-3), "{overlap}: {found:?}");
    }
}
