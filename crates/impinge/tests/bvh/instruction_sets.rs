//! Answers are the same bytes for every instruction set the processor has, and for any number of threads.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::fmt::Debug;
use std::sync::Arc;

use impinge::bvh::wide::batch::{BatchOptions, curves_all};
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideCache, WideTree, WindingIndex};
use impinge::ccd::{ImpactCache, ImpactOptions, impact, impact_all};
use impinge::depth::{
    DepthOptions, Solid, deepest_point_all, penetration_depth, penetration_depth_all,
    separating_translation, signed_distance, signed_distance_all,
};
use impinge::generate::torus;
use impinge::math::simd::Level;
use impinge::math::{Motion, Rng};
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::{meshes, poses};

/// Asks at every level; the printed answers must be the same.
fn same_at_every_level<R: Debug>(what: &str, ask: impl Fn(Level) -> R) {
    let mut seen: Option<String> = None;
    for level in Level::available() {
        let answer = format!("{:?}", ask(level));
        assert_eq!(
            *seen.get_or_insert_with(|| answer.clone()),
            answer,
            "{what} {level:?}"
        );
    }
}

/// Asks with 1, 2 and 8 threads; the printed answers must be the same.
fn same_for_any_threads<R: Debug + Send>(what: &str, ask: impl Fn() -> R + Sync + Send) {
    let mut seen: Option<String> = None;
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let answer = format!("{:?}", pool.unwrap().install(&ask));
        assert_eq!(
            *seen.get_or_insert_with(|| answer.clone()),
            answer,
            "{what} {threads}"
        );
    }
}

fn trees() -> [WideTree; 2] {
    [meshes::ball(3, 1.0), torus(1.0, 0.4, 20, 10).unwrap()]
        .map(|mesh| WideTree::new(Arc::new(mesh)))
}

fn places(count: usize) -> Vec<Pose> {
    let mut rng = Rng::new(31);
    (0..count).map(|_| poses::random(&mut rng, 1.2)).collect()
}

fn motions(count: usize) -> Vec<[Motion; 2]> {
    let still = Motion::still(&Pose::IDENTITY);
    let places = places(2 * count);
    let ends = places.chunks_exact(2);
    ends.map(|ends| {
        let start = Pose::new(*ends[0].rotation(), ends[0].translation() * 3.0).unwrap();
        [still, Motion::between(&start, &ends[1])]
    })
    .collect()
}

#[test]
fn impacts_are_the_same_on_every_instruction_set() {
    let [a, b] = trees();
    let options = ImpactOptions::default();
    for [still, motion] in motions(20) {
        same_at_every_level("impact", |level| {
            let mut cache = ImpactCache::with_level(level);
            impact(
                &a,
                &b,
                &still,
                &motion,
                &options,
                Limits::default(),
                &mut cache,
            )
        });
    }
}

#[test]
fn depths_are_the_same_on_every_instruction_set() {
    let [a, b] = trees();
    let [a, b] = [&a, &b].map(|tree| Solid::closed(tree).unwrap());
    let (options, limits) = (DepthOptions::default(), Limits::default());
    for pose in places(12) {
        same_at_every_level("depth", |level| {
            let mut cache = WideCache::with_level(level);
            (
                penetration_depth(&a, &b, &pose, &options, limits, &mut cache),
                signed_distance(&a, &b, &pose, &options, limits, &mut cache),
                separating_translation(&a, &b, &pose, DVec3::X, limits, &mut cache),
            )
        });
    }
}

#[test]
fn questions_about_one_tree_are_the_same_on_every_instruction_set() {
    let mut rng = Rng::new(33);
    let soup = meshes::random_soup(&mut rng, 600, 0.3);
    let soup = WideTree::new(Arc::new(soup));
    let [ball, _] = trees();
    let winding = WindingIndex::new(&ball);
    let limits = Limits::default();
    for _ in 0..100 {
        let p = rng.cube() * 1.5;
        let line = RayOrSegment::ray(p, rng.direction()).unwrap();
        same_at_every_level("rays, winding and nearest faces", |level| {
            let mut cache = SingleTreeCache::with_level(level);
            let mut hits = Vec::new();
            let _ = soup.hits(&line, limits, &mut cache, &mut hits);
            (
                hits,
                soup.first_hit(&line, limits, &mut cache),
                soup.cast_ray(&line, None, &mut cache),
                winding.winding_number(p, 0.01, limits, &mut cache).unwrap(),
                soup.closest_face(p, limits, &mut cache).unwrap(),
            )
        });
    }
    same_at_every_level("own pairs", |level| {
        let (mut cache, mut pairs) = (WideCache::with_level(level), Vec::<FacePair>::new());
        let _ = soup.self_intersections(&Default::default(), limits, &mut cache, &mut pairs);
        pairs
    });
}

#[test]
fn batches_are_those_of_one_question_after_the_other_for_any_number_of_threads() {
    let [tree_a, tree_b] = trees();
    let [a, b] = [&tree_a, &tree_b].map(|tree| Solid::closed(tree).unwrap());
    let (places, motions) = (places(34), motions(34));
    let (depth, options) = (DepthOptions::default(), BatchOptions::default());
    let few = BatchOptions {
        max_tests: Some(1000),
        ..BatchOptions::default()
    };
    same_for_any_threads("depth", || {
        penetration_depth_all(&a, &b, &places, &depth, &few)
    });
    same_for_any_threads("deepest", || {
        deepest_point_all(&a, &b, &places, &depth, &few)
    });
    same_for_any_threads("signed", || {
        signed_distance_all(&a, &b, &places, &depth, &few)
    });
    same_for_any_threads("curves", || curves_all(&tree_a, &tree_b, &places, &options));
    let impacts = ImpactOptions::default();
    same_for_any_threads("impact", || {
        impact_all(&tree_a, &tree_b, &motions, &impacts, &options)
    });
    let all = impact_all(&tree_a, &tree_b, &motions, &impacts, &options);
    for ([still, motion], found) in motions.iter().zip(all) {
        let mut cache = ImpactCache::default();
        let limits = Limits::default();
        let alone = impact(
            &tree_a, &tree_b, still, motion, &impacts, limits, &mut cache,
        );
        assert_eq!(alone, found);
    }
    let all = penetration_depth_all(&a, &b, &places[..6], &depth, &options);
    for (pose, found) in places.iter().zip(all) {
        let (limits, mut cache) = (Limits::default(), WideCache::default());
        assert_eq!(
            penetration_depth(&a, &b, pose, &depth, limits, &mut cache),
            found
        );
    }
}
