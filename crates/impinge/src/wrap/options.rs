//! Options of a wrap, and why one may be refused.

use thiserror::Error;

/// How a mesh is wrapped.
///
/// ```
/// use impinge::wrap::WrapOptions;
/// let options = WrapOptions { gap: 0.5, ..WrapOptions::new(0.1) };
/// assert_eq!(options.offset, 0.1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrapOptions {
    /// No point of the wrap is farther from the mesh than this.
    pub offset: f64,
    /// Gaps up to this width are closed; 0 closes only those below about half of the offset. Across
    /// a closed gap the wrap is farther from the mesh than the offset.
    pub gap: f64,
    /// The most lattice cells that are held near the mesh, which bounds memory: about 300 bytes
    /// each.
    pub max_cells: usize,
}

impl WrapOptions {
    /// A wrap within `offset` that closes no wide gaps and takes about a gigabyte at most.
    #[must_use]
    pub fn new(offset: f64) -> Self {
        Self {
            offset,
            gap: 0.0,
            max_cells: 1 << 22,
        }
    }
}

/// Why a mesh was not wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WrapError {
    /// There is nothing to wrap.
    #[error("the mesh has no face to wrap")]
    Empty,
    /// The offset is not finite or not positive.
    #[error("the offset must be finite and positive, found {value}")]
    BadOffset {
        /// The offset given.
        value: f64,
    },
    /// The width of gaps is negative or not finite.
    #[error("the width of gaps must be finite and not negative, found {value}")]
    BadGap {
        /// The width given.
        value: f64,
    },
    /// The offset is so small that more cells are needed than allowed.
    #[error(
        "an offset of {offset} needs more than {max_cells} lattice cells; an offset of {fits} fits"
    )]
    TooFine {
        /// The offset given.
        offset: f64,
        /// The cells allowed.
        max_cells: usize,
        /// An offset that was tried and needs no more cells than allowed.
        fits: f64,
    },
    /// The mesh is so far from the origin that its coordinates cannot hold the wrap.
    #[error(
        "an offset of {offset} is too small beside coordinates up to {largest}; the smallest offset there is {fits}"
    )]
    Unresolved {
        /// The offset given.
        offset: f64,
        /// The largest coordinate of the mesh.
        largest: f64,
        /// The smallest offset for such coordinates.
        fits: f64,
    },
    /// The wrap would leave the range of coordinates.
    #[error("a wrap with offset {offset} exceeds the largest allowed coordinate")]
    TooFar {
        /// The offset given.
        offset: f64,
    },
}
