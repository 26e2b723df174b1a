//! Every broad phase gives the pairs that looking at all of them gives.

use impinge::broad::{BroadPhase, Exhaustive, Tree, TreeConfig};
use impinge_testkit::conformance::broad_phase::{Make, Scene, run_program};

fn check(make: Make<'_>) {
    for (seed, scene) in Scene::ALL.into_iter().enumerate() {
        run_program(&[make], scene, 10_000, seed as u64);
    }
}

#[test]
fn exhaustive_search_finds_the_plain_pairs() {
    check(&|| Box::new(Exhaustive::default()));
}

#[test]
fn the_tree_finds_the_plain_pairs() {
    check(&|| Box::new(Tree::new(TreeConfig { parallel: false })));
    check(&|| Box::new(Tree::default()));
}
