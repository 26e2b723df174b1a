//! Result of a comparison.

use glam::DVec3;

use impinge::query::{Bounded, Verdict};

/// Result of comparing the depth images of two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZBufferAnswer {
    /// Whether the solids share a point.
    pub overlap: Verdict,
    /// The volume they share; with two layers, that of the filled solids.
    pub volume: Bounded<f64>,
    /// The longest common interval of a line along the direction.
    pub span: Bounded<f64>,
    /// How far `b` must move along the direction, forwards or backwards, until it is clear of `a` on every line: the shorter of the two ways.
    ///
    /// For convex solids this is the depth of penetration along the direction. For others, and interlocked ones, hollows count as filled.
    pub depth: Bounded<f64>,
    /// The middle of the longest shared piece, in the frame of `a`; inside both when the verdict is certain.
    pub witness: Option<DVec3>,
    /// The side of a pixel.
    pub pixel: f64,
    /// Pixels covered by both.
    pub common_pixels: u64,
    /// Pixels whose centres show an overlap.
    pub hits: u64,
    /// Faces met in pixels, of both.
    pub fragments: u64,
}
