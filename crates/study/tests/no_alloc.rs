//! Whatever has been asked before is asked again without allocating.

#[path = "../../impinge/tests/no_alloc/engines.rs"]
mod engines;

use impinge_study::engines::STUDY_ENGINES as ENGINES;
use impinge_testkit::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
