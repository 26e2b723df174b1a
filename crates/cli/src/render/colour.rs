//! Colours in linear light.

use impinge::DVec3;

/// Red, green and blue, proportional to light.
///
/// The display curve is the square, not the sRGB polynomial: it is close, and exact on every machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Colour(pub(crate) DVec3);

impl Colour {
    /// The colour written `0xRRGGBB` as on the web.
    pub(crate) const fn hex(rgb: u32) -> Self {
        const fn channel(rgb: u32, shift: u32) -> f64 {
            let display = ((rgb >> shift) & 0xff) as f64 / 255.0;
            display * display
        }
        Self(DVec3::new(
            channel(rgb, 16),
            channel(rgb, 8),
            channel(rgb, 0),
        ))
    }

    /// The colour `t` of the way to `other`.
    pub(crate) fn towards(self, other: Self, t: f64) -> Self {
        Self(self.0 + (other.0 - self.0) * t)
    }

    /// The three bytes of a picture.
    pub(crate) fn display(self) -> [u8; 3] {
        self.0.to_array().map(|linear| {
            let level = linear.clamp(0.0, 1.0).sqrt() * 255.0;
            (level + 0.5) as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn web_colours_survive_the_round_trip() {
        for rgb in [0x000000, 0xffffff, 0x123456, 0xfedcba] {
            let [_, r, g, b] = u32::to_be_bytes(rgb);
            assert_eq!(Colour::hex(rgb).display(), [r, g, b]);
        }
    }
}
