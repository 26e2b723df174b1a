//! Why a plug-in, or a shape of it, is refused.

use std::path::PathBuf;

use thiserror::Error;

/// Why a plug-in is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The system could not load the file.
    #[error("cannot load {path:?}: {message}")]
    Open {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// The library exports no function of the agreed name.
    #[error("no function `{}` is exported: not a plug-in of impinge", crate::ENTRY)]
    NoEntry,
    /// The plug-in gave no table.
    #[error("the plug-in gives no table")]
    NullTable,
    /// The table, or its list of kinds, is not where such a table can be.
    #[error("the plug-in's {what} is not aligned")]
    Misaligned {
        /// What.
        what: &'static str,
    },
    /// The plug-in was written for another version of the interface.
    #[error(
        "the plug-in was written for version {found} of the interface, this is version {expected}"
    )]
    Version {
        /// The plug-in's.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// A table has another size than this version's.
    #[error(
        "the plug-in's {what} has {found} bytes, version {} has {expected}",
        crate::ABI_VERSION
    )]
    Size {
        /// Which table.
        what: &'static str,
        /// The plug-in's.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// There are no kinds, or too many.
    #[error("the plug-in has {found} kinds, allowed are 1 to {}", crate::MAX_KINDS)]
    KindCount {
        /// How many it says.
        found: u32,
    },
    /// A kind has no required function or name.
    #[error("kind {kind} of the plug-in lacks {what}")]
    Missing {
        /// The kind's number, from 0.
        kind: u32,
        /// What is missing.
        what: &'static str,
    },
    /// The name of a kind is empty, too long or no text.
    #[error("kind {kind} of the plug-in has no usable name")]
    BadName {
        /// The kind's number, from 0.
        kind: u32,
    },
    /// Two kinds have the same name.
    #[error("two kinds of the plug-in are called {name:?}")]
    SameName {
        /// The name.
        name: String,
    },
}

/// Why a shape is refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CreateError {
    /// A parameter is not finite.
    #[error("parameter {index} of a {kind} is {value}")]
    BadParameter {
        /// The kind's name.
        kind: String,
        /// Its place, from 0.
        index: usize,
        /// What it is.
        value: f64,
    },
    /// The plug-in refuses the parameters.
    #[error("the plug-in makes no {kind} of {parameters:?}")]
    Refused {
        /// The kind's name.
        kind: String,
        /// The requested one.
        parameters: Vec<f64>,
    },
    /// The shape's bounds are no box.
    #[error("a {kind} says that its bounds are {bounds:?}")]
    BadBounds {
        /// The kind's name.
        kind: String,
        /// What they are.
        bounds: [f64; 6],
    },
}
