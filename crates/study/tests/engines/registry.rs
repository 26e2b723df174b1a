//! The list of engines: every name once, the library's first, and traces may name them all.

use std::collections::BTreeSet;

use impinge::bvh::engines::MeshEngine;
use impinge::world::{Replay, World};
use impinge_study::engines::{MESH_ENGINES, STUDY_ENGINES, mesh_engine};

#[test]
fn every_engine_has_a_name_of_its_own_and_is_found_by_it() {
    let names: BTreeSet<&str> = MESH_ENGINES.iter().map(|engine| engine.name()).collect();
    assert_eq!(names.len(), MESH_ENGINES.len());
    assert_eq!(
        MESH_ENGINES.len(),
        MeshEngine::ALL.len() + STUDY_ENGINES.len()
    );
    for &engine in MESH_ENGINES {
        assert_eq!(mesh_engine(engine.name()), Some(engine));
        let of_library = MeshEngine::from_name(engine.name());
        assert_eq!(
            of_library.is_none(),
            STUDY_ENGINES.contains(&engine),
            "{engine}"
        );
    }
    assert_eq!(mesh_engine(""), None);
}

#[test]
fn a_trace_may_name_an_engine_that_is_handed_to_its_replay() {
    for engine in STUDY_ENGINES {
        let text = format!("impinge-trace 1\nconfig engine={engine}\n");
        let mut alone = Replay::new(&text, World::default()).unwrap();
        assert!(alone.step().is_err());
        let replay = Replay::new(&text, World::default()).unwrap();
        let mut replay = replay.with_engines(MESH_ENGINES);
        assert!(replay.step().unwrap().is_none());
        let mut world = replay.into_world();
        world.start_recording().unwrap();
        let setting = format!("engine={engine}");
        assert!(
            world
                .take_recording()
                .split_whitespace()
                .any(|word| word == setting)
        );
    }
}
