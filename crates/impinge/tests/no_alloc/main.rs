//! Whatever has been asked before is asked again without allocating.

mod brackets;
mod broad;
mod cloud;
mod front;
mod questions;
mod scan;
mod volumes;

use impinge_testkit::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
