//! How deep and how much: depths, derivatives and shared volumes.

mod brackets;
mod deep_overlap;
mod derivatives;
mod penetration;
mod volume;
