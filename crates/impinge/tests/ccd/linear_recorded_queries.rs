//! Recorded continuous-collision queries: no contact is missed, none is invented, published times are in the bracket.
//!
//! The folder of recorded data is optional: without it there is nothing to check, which is said.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::{Path, PathBuf};

use impinge::ccd::linear::{DEFAULT_WIDTH, FirstContact, LinearTests, MovingPoint};
use impinge_testkit::recorded::{Query, files, folder, frames, queries};

/// Published times have 25 digits, of which reading keeps 16.
const DECIMAL: f64 = 1e-15;

/// A folder of the recorded data; says that it is skipped when it is not there.
fn data(name: &str) -> Option<PathBuf> {
    let found = folder(Path::new(env!("CARGO_MANIFEST_DIR")))
        .map(|data| data.join(name))
        .filter(|found| found.is_dir());
    if found.is_none() {
        eprintln!(
            "skipped: {name} is not there; IMPINGE_SHARED may name the folder that holds data/{name}"
        );
    }
    found
}

fn asked(tests: &mut LinearTests, query: &Query) -> Option<FirstContact> {
    let [start, end] = &query.points;
    let [a, b, c, d]: [MovingPoint; 4] =
        std::array::from_fn(|i| MovingPoint::new(start[i], end[i]).unwrap());
    if query.is_edges {
        tests.edge_edge([a, b], [c, d])
    } else {
        tests.vertex_face(a, [b, c, d])
    }
}

fn judge(queries: &[Query], name: &str) {
    let mut tests = LinearTests::default();
    for (index, query) in queries.iter().enumerate() {
        let found = asked(&mut tests, query);
        assert_eq!(found.is_some(), query.is_hit, "{name} {index}: {query:?}");
        let Some(found) = found else { continue };
        assert!(found.upper - found.lower <= DEFAULT_WIDTH);
        if let Some(time) = query.time {
            assert!(
                found.lower - DECIMAL <= time && time <= found.upper + DECIMAL,
                "{name} {index}: {found:?} {time}"
            );
        }
    }
}

#[test]
fn the_nyu_sample_is_decided_without_error() {
    let Some(folder) = data("ccd-nyu-sample-queries") else {
        return;
    };
    for file in files(&folder, ".csv").unwrap() {
        judge(&queries(&file).unwrap(), &file.display().to_string());
    }
}

#[test]
fn the_scalable_sample_is_decided_without_error() {
    for scene in ["cloth-funnel", "rod-twist"] {
        let Some(folder) = data(&format!("ccd-scalable-sample/{scene}")) else {
            continue;
        };
        let frames = frames(&folder).unwrap();
        judge(&frames.vertex_face, scene);
        judge(&frames.edge_edge, scene);
    }
}
