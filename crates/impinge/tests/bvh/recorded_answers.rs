//! Every scenario of the corpus, on every engine, cold and warm.

use std::sync::Arc;

use impinge::query::Limits;
use impinge_testkit::corpus;

use crate::ENGINES;

#[test]
fn every_engine_gives_every_recorded_answer() {
    for scenario in corpus::scenarios().unwrap() {
        let (a, b, a_from_b) = scenario.build().unwrap();
        let (a, b) = (Arc::new(a), Arc::new(b));
        for engine in ENGINES.iter().filter(|e| e.is_exact()) {
            let mut pair = engine.prepare(a.clone(), b.clone());
            // Cold, then with what the first question left behind.
            for _ in 0..2 {
                let mut found = Vec::new();
                let _ = pair.intersections(&a_from_b, Limits::default(), &mut found);
                found.sort_unstable();
                let verdict = scenario.check(&found);
                assert!(verdict.is_ok(), "{engine}: {}", verdict.unwrap_err());
            }
        }
    }
}
