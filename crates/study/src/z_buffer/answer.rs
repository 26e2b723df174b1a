//! Result of a comparison.

use glam::DVec3;

use impinge::query::{Bounded, Verdict};

/// What two depth images say about two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZBufferAnswer {
    /// Whether the solids share a point.
    pub overlap: Verdict,
    /// The volume they share; with two layers, that of the filled solids.
    pub volume: Bounded<f64>,
    /// The longest piece of a line along the direction that both share.
    pub span: Bounded<f64>,
    /// How far `b` must move along the direction, forwards or backwards, until it is clear of `a` on every line: the shorter of the two ways.
    ///
    /// For convex solids this is the depth of penetration along the direction. For others, and interlocked ones, hollows count as filled.
    pub depth: Bounded<f64>,
    /// The middle of the longest shared piece, in the frame of `a`; inside both when the verdict is certain.
    pub witness: Option<DVec3>,
    /// The side of a pixel.
    pub pixel: f64,
    /// Pixels that see both.
    pub common_pixels: u64,
    /// Pixels whose centres see an overlap.
    pub hits: u64,
    /// Faces met in pixels, of both.
    pub fragments: u64,
}
