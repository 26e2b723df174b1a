//! What the source itself keeps: its layers, and an example of every public function.

mod documented;
mod layers;
