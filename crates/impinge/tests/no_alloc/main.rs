//! Whatever has been asked before is asked again without allocating.

mod broad;
mod cloud;
mod front;
mod interpolation_search;
mod queries;
mod scan;
mod volumes;

use impinge_testkit::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
