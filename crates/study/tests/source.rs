//! Every public function of this crate is shown in an example too.

#[path = "../../impinge/tests/source/documented.rs"]
mod documented;
