//! Every scenario of the corpus, on every index.

use impinge::bound::{Aabb, Ball, Kdop, Lss, Obb, ObbRss, Rss};
use impinge::bvh::tree::Bvh;
use impinge::bvh::wide::WideTree;
use impinge::bvh::{FaceSweep, MeshIndex};
use impinge_testkit::conformance::mesh_index;
use impinge_testkit::{corpus, oracle};

#[test]
fn the_oracle_agrees_with_every_recorded_answer() {
    let scenarios = corpus::scenarios().unwrap();
    assert!(scenarios.len() >= 25, "only {} scenarios", scenarios.len());
    let wrong: Vec<String> = scenarios
        .iter()
        .filter_map(|scenario| {
            let (a, b, a_from_b) = scenario.build().unwrap();
            scenario.check(&oracle::face_pairs(&a, &b, &a_from_b)).err()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_index_conforms_on_every_scenario() {
    answers_all::<WideTree>();
    answers_all::<FaceSweep>();
    answers_all::<Bvh<Aabb>>();
    answers_all::<Bvh<Obb>>();
    answers_all::<Bvh<Kdop<6>>>();
    answers_all::<Bvh<Kdop<8>>>();
    answers_all::<Bvh<Kdop<14>>>();
    answers_all::<Bvh<Kdop<16>>>();
    answers_all::<Bvh<Kdop<18>>>();
    answers_all::<Bvh<Kdop<24>>>();
    answers_all::<Bvh<Kdop<26>>>();
    answers_all::<Bvh<Ball>>();
    answers_all::<Bvh<Lss>>();
    answers_all::<Bvh<Rss>>();
    answers_all::<Bvh<ObbRss>>();
}

#[expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what it expects by panicking"
)]
fn answers_all<I: MeshIndex>() {
    let mut warm = Default::default();
    for scenario in corpus::scenarios().unwrap() {
        let (a, b, a_from_b) = scenario.build().unwrap();
        mesh_index::<I>(&a, &b, &a_from_b, &Default::default(), &mut warm)
            .unwrap_or_else(|e| panic!("scenario {}: {e}", scenario.name));
    }
}

#[test]
fn every_scenario_says_where_it_comes_from() {
    for scenario in corpus::scenarios().unwrap() {
        assert!(
            scenario.origin.ends_with('.') && scenario.origin.len() > 20,
            "scenario {} needs a sentence",
            scenario.name
        );
    }
}
