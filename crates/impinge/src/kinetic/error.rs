//! Why keyframes or times are refused.

use thiserror::Error;

/// Why a plan, a time or a change was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum KineticError {
    /// A plan needs a start and an end.
    #[error("a plan needs at least 2 keys, and {keys} were given")]
    TooFewKeys {
        /// How many were given.
        keys: usize,
    },
    /// A time is not a finite number of moderate size.
    #[error("{time} is not a time: it must be finite and of magnitude at most 2^150")]
    NotATime {
        /// What was given.
        time: f64,
    },
    /// Keys must follow each other.
    #[error(
        "key {key} is at time {time}, which is not after the time {before} of the key before it"
    )]
    KeyOrder {
        /// The key, counted from 0.
        key: usize,
        /// Its time.
        time: f64,
        /// The time before it.
        before: f64,
    },
    /// The bound of a sampled plan holds for the keys that it was made with, and none farther apart.
    #[error(
        "key {key} is {gap} after the key before it, but a sampled plan whose keys were at most {longest} apart is not known to stay near it for so long"
    )]
    LongGap {
        /// The key, counted from 0.
        key: usize,
        /// The time since the key before it.
        gap: f64,
        /// The longest that is known.
        longest: f64,
    },
    /// As many frames as times are needed.
    #[error("{frames} frames were given for {times} times")]
    FrameCount {
        /// How many frames there are.
        frames: usize,
        /// How many times there are.
        times: usize,
    },
    /// Every frame must hold every vertex.
    #[error("key {key} has {found} vertices, but the plan has {expected}")]
    VertexCount {
        /// The key, counted from 0.
        key: usize,
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A coordinate is not finite or too large.
    #[error(
        "vertex {vertex} at key {key} has coordinate {value}, which is not a number of magnitude at most 2^150"
    )]
    Coordinate {
        /// The key, counted from 0.
        key: usize,
        /// The vertex, counted from 0.
        vertex: usize,
        /// What was given.
        value: f64,
    },
    /// A bound must be a number that is not negative.
    #[error("{value} is no bound on an acceleration: it must be finite and not negative")]
    NotABound {
        /// What was given.
        value: f64,
    },
    /// A box around a vertex must have room for it to move in.
    #[error("{value} is no radius of a box around a vertex: it must be above {least}")]
    Radius {
        /// What was given.
        value: f64,
        /// What it must exceed.
        least: f64,
    },
    /// A vertex that the plan does not have.
    #[error("vertex {vertex} does not exist: the plan has {vertices} vertices")]
    NoSuchVertex {
        /// The vertex.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// A new plan must begin where the vertex is.
    #[error("the new plan of vertex {vertex} begins {distance} away from where the vertex is")]
    Teleport {
        /// The vertex.
        vertex: usize,
        /// How far it would jump.
        distance: f64,
    },
    /// A new plan names the places at all keys to come.
    #[error(
        "the new plan of vertex {vertex} names {found} places, but {expected} keys are to come"
    )]
    PlaceCount {
        /// The vertex.
        vertex: usize,
        /// How many places were given.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// Time does not run backwards.
    #[error("cannot go back from time {now} to {to}")]
    Backwards {
        /// The time now.
        now: f64,
        /// The time requested.
        to: f64,
    },
    /// Nothing is known about the time after the last key.
    #[error("the plan ends at {end}, before the time {to} asked for")]
    BeyondPlan {
        /// When the plan ends.
        end: f64,
        /// The time requested.
        to: f64,
    },
    /// The plan is not the one that the structure was built for, or it changed without the structure being notified.
    #[error("the structure does not belong to this plan, or the plan changed without it")]
    ForeignPlan,
    /// More structures or keys than 32-bit numbers can name.
    #[error("{count} {what} are more than 32-bit numbers can name")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: usize,
    },
}
