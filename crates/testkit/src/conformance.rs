//! One suite for every mesh index: the same pairs as the oracle, whatever the cache, the limits
//! or the sink.

pub mod broad_phase;

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::query::{FacePair, First, Limits, Outcome};
use impinge::{Pose, TriMesh};

use crate::oracle;

/// The pairs that an index reports, without limits, sorted.
///
/// # Errors
/// That an index breaks its own promises or did not finish.
pub fn pairs_of<I: MeshIndex>(
    a: &TriMesh,
    b: &TriMesh,
    a_from_b: &Pose,
    config: &I::Config,
    cache: &mut I::Cache,
) -> Result<Vec<FacePair>, String> {
    let indexes = built::<I>([a, b], config)?;
    let mut pairs = pairs_in_order(&indexes, a_from_b, cache)?;
    pairs.sort_unstable();
    Ok(pairs)
}

/// The indexes of two meshes, which keep their own promises.
fn built<I: MeshIndex>(meshes: [&TriMesh; 2], config: &I::Config) -> Result<[I; 2], String> {
    let indexes = meshes.map(|mesh| I::build(Arc::new(mesh.clone()), config));
    for index in &indexes {
        index.validate().map_err(|e| e.to_string())?;
    }
    Ok(indexes)
}

/// The pairs that an index reports, without limits, in its own order.
fn pairs_in_order<I: MeshIndex>(
    [index_a, index_b]: &[I; 2],
    a_from_b: &Pose,
    cache: &mut I::Cache,
) -> Result<Vec<FacePair>, String> {
    let mut pairs = Vec::new();
    let outcome = index_a.intersections(index_b, a_from_b, Limits::default(), cache, &mut pairs);
    if outcome != Outcome::Complete {
        return Err(format!("{}: without limits, {outcome:?}", I::NAME));
    }
    Ok(pairs)
}

/// Checks that an index reports exactly the oracle's pairs, in the same order with a cold and a warm
/// cache; that every limit yields a beginning of that list and stays within its budget; and that
/// the sink can stop anywhere.
///
/// # Errors
/// The first promise broken.
pub fn mesh_index<I: MeshIndex>(
    a: &TriMesh,
    b: &TriMesh,
    a_from_b: &Pose,
    config: &I::Config,
    warm: &mut I::Cache,
) -> Result<(), String> {
    let truth = oracle::face_pairs(a, b, a_from_b);
    let mut cold = I::Cache::default();
    let says = |what: &str, ok: bool| {
        if ok {
            Ok(())
        } else {
            Err(format!("{}: {what}", I::NAME))
        }
    };
    // The engine's own order: sorted it is the oracle's, and nothing changes it.
    let indexes = built::<I>([a, b], config)?;
    let expected = pairs_in_order(&indexes, a_from_b, &mut cold)?;
    let mut found = expected.clone();
    found.sort_unstable();
    says(
        &format!("reports {} pairs, the oracle {}", found.len(), truth.len()),
        found == truth,
    )?;
    let cold_work = I::work(&cold);
    let again = pairs_in_order(&indexes, a_from_b, warm)?;
    says("a warm cache changes the answer", again == expected)?;

    let [index_a, index_b] = &indexes;
    let tests = cold_work.tests();
    for max_tests in [0, 1, tests / 3, tests.saturating_sub(1), tests, tests + 1] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let mut pairs = Vec::new();
        let outcome = index_a.intersections(
            index_b,
            a_from_b,
            limits,
            &mut I::Cache::default(),
            &mut pairs,
        );
        says(
            "a limited answer is not a beginning of the full one",
            expected.starts_with(&pairs),
        )?;
        says(
            "a budget that suffices is called too small",
            max_tests < tests || outcome == Outcome::Complete,
        )?;
        says(
            "a complete answer lacks pairs",
            outcome != Outcome::Complete || pairs == expected,
        )?;
        let mut cache = I::Cache::default();
        let _ = index_a.intersections(index_b, a_from_b, limits, &mut cache, &mut Vec::new());
        says(
            "spends more than its budget",
            I::work(&cache).tests() <= max_tests,
        )?;
    }

    let stop = || true;
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let mut pairs = Vec::new();
    let outcome = index_a.intersections(index_b, a_from_b, limits, warm, &mut pairs);
    says(
        "does not heed stop",
        outcome == Outcome::OutOfBudget || tests <= 1,
    )?;
    says(
        "a stopped answer is not a beginning",
        expected.starts_with(&pairs),
    )?;

    let mut first = First::default();
    let outcome = index_a.intersections(index_b, a_from_b, Limits::default(), warm, &mut first);
    says(
        "the first pair is another",
        first.0 == expected.first().copied(),
    )?;
    says(
        "a sink that has enough is not reported",
        (outcome == Outcome::StoppedBySink) != expected.is_empty(),
    )?;
    let half = expected.len() / 2;
    if half > 0 {
        let mut taken = Vec::new();
        let outcome = index_a.intersections(
            index_b,
            a_from_b,
            Limits::default(),
            warm,
            &mut |pair: FacePair| {
                taken.push(pair);
                if taken.len() == half {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        says(
            "goes on after the sink has enough",
            outcome == Outcome::StoppedBySink && taken == expected[..half],
        )?;
    }
    Ok(())
}
