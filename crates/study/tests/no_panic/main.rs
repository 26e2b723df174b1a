//! No number makes an engine panic: the rules are those of the library's tests of the same name.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod box_trees;
#[path = "../../../impinge/tests/no_panic/engines.rs"]
mod engines;
#[path = "../../../impinge/tests/no_panic/odd.rs"]
#[expect(dead_code, reason = "the library's tests need more odd things")]
mod odd;

use impinge_study::engines::STUDY_ENGINES as ENGINES;
