//! The frame of the projection and the pixels in it.

use glam::{DMat3, DVec2, DVec3};

use super::config::ZBufferConfig;
use impinge::bound::Aabb;

/// The part of a coordinate's magnitude that all rounding on the way to a depth stays below, generously.
const ROUNDING: f64 = 1e-12;

/// Below this, rounding is no part of a magnitude any more.
const TINY: f64 = 1e-290;

/// A right-handed frame whose third axis is the direction of the look.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewFrame {
    view_from_a: DMat3,
}

impl ViewFrame {
    pub(super) fn along(direction: DVec3) -> Self {
        let z = direction.try_normalize().unwrap_or(DVec3::Z);
        let view_from_a = if z == DVec3::Z {
            DMat3::IDENTITY
        } else {
            // The axis furthest from the direction keeps the cross product long.
            let size = z.abs();
            let side = if size.x <= size.y && size.x <= size.z {
                DVec3::X
            } else if size.y <= size.z {
                DVec3::Y
            } else {
                DVec3::Z
            };
            let x = side.cross(z).normalize_or(DVec3::X);
            DMat3::from_cols(x, z.cross(x), z).transpose()
        };
        Self { view_from_a }
    }

    pub(super) fn see(&self, p: DVec3) -> DVec3 {
        self.view_from_a * p
    }

    pub(super) fn unsee(&self, p: DVec3) -> DVec3 {
        self.view_from_a.transpose() * p
    }
}

/// Square pixels over the part of the picture where both solids may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewport {
    pub(super) origin: DVec2,
    pub(super) pixel: f64,
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// By how much depths and borders may be off.
    pub(super) pad: f64,
}

impl Viewport {
    /// The window for two boxes in the frame of the look; none when they are surely apart.
    pub(super) fn new(a: &Aabb, b: &Aabb, config: &ZBufferConfig) -> Option<Self> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let size = [a.min, a.max, b.min, b.max]
            .iter()
            .fold(0.0f64, |size, p| size.max(p.abs().max_element()));
        let pad = (ROUNDING * size).max(TINY);
        let (min, max) = (a.min.max(b.min), a.max.min(b.max));
        if (min - max).max_element() > 2.0 * pad {
            return None;
        }
        let extent = (max - min).truncate().max(DVec2::ZERO);
        let resolution = config.resolution.clamp(1, ZBufferConfig::MAX_RESOLUTION);
        // Pixels far above rounding: without area there is one small pixel.
        let pixel = (extent.max_element() / f64::from(resolution)).max(1000.0 * pad);
        let count = |length: f64| ((length / pixel).ceil() as u32).clamp(1, resolution);
        Some(Self {
            origin: min.truncate() - DVec2::splat(pad),
            pixel: pixel + 2.0 * pad,
            columns: count(extent.x),
            rows: count(extent.y),
            pad,
        })
    }

    pub(super) fn pixels(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    pub(super) fn area(&self) -> f64 {
        self.pixel * self.pixel
    }

    /// Where the column or row with this number begins, along axis 0 or 1.
    pub(super) fn border(&self, axis: usize, number: u32) -> f64 {
        self.origin[axis] + f64::from(number) * self.pixel
    }

    /// The numbers of the columns or rows that a range of coordinates may touch.
    pub(super) fn touched(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<u32> {
        let count = if axis == 0 { self.columns } else { self.rows };
        // A part of a pixel more on both sides: who does not touch is found out later.
        let number = |x: f64, more: f64| (x - self.origin[axis]) / self.pixel + more;
        let first = number(low, -0.01).floor().max(0.0);
        let end = number(high, 0.01).floor() + 1.0;
        if end <= 0.0 || first >= f64::from(count) {
            return 0..0;
        }
        first as u32..(end.min(f64::from(count)) as u32)
    }

    pub(super) fn center(&self, column: u32, row: u32) -> DVec2 {
        self.origin + self.pixel * (DVec2::new(f64::from(column), f64::from(row)) + 0.5)
    }
}
