//! Options of a depth buffer.

use glam::DVec3;

/// How many depths a pixel keeps of each solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layers {
    /// One depth for both: five passes that leave a mark where the solids overlap. No depth, no bounds, convex solids only.
    One,
    /// The first and the last: exact for convex solids, others lose their hollows.
    Two,
    /// All.
    #[default]
    Every,
}

/// How two solids are projected.
///
/// ```
/// use impinge_study::z_buffer::{Layers, ZBufferConfig};
/// let config = ZBufferConfig { resolution: 256, ..ZBufferConfig::default() };
/// assert_eq!(config.layers, Layers::Every);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZBufferConfig {
    /// Pixels along the longer side of the window that contains both solids; from 1 to
    /// [`ZBufferConfig::MAX_RESOLUTION`].
    pub resolution: u32,
    /// What a pixel keeps.
    pub layers: Layers,
    /// The direction of projection, in the frame of `a`; z when it has no length. Along a
    /// coordinate axis nothing is rounded.
    pub direction: DVec3,
}

impl ZBufferConfig {
    /// The finest resolution: some hundred megabytes.
    pub const MAX_RESOLUTION: u32 = 2048;
}

impl Default for ZBufferConfig {
    fn default() -> Self {
        Self {
            resolution: 128,
            layers: Layers::Every,
            direction: DVec3::Z,
        }
    }
}
