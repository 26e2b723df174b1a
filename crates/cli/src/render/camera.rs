//! The camera that frames a scene by itself.

use impinge::DVec3;

/// Tangent of half the vertical opening angle: a long lens, so that shapes are not distorted.
const HALF_OPENING: f64 = 0.24;

/// A perspective camera.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    eye: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    width: f64,
    height: f64,
    /// Pixels per unit of tangent.
    focal: f64,
}

/// A point as the picture sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projected {
    /// Across, in samples from the left.
    pub(crate) x: f64,
    /// Down, in samples from the top.
    pub(crate) y: f64,
    /// One over the distance along the view: linear across a face, larger is nearer.
    pub(crate) nearness: f64,
}

impl Camera {
    /// The camera that looks against `towards_viewer` and stands as near as it can while all points
    /// stay inside the margins of a picture of `width` × `height` samples.
    pub(crate) fn framing(
        points: impl Iterator<Item = DVec3> + Clone,
        towards_viewer: DVec3,
        width: usize,
        height: usize,
    ) -> Self {
        let forward = -towards_viewer.normalize_or(DVec3::NEG_Y);
        let right = forward.cross(DVec3::Z).normalize_or(DVec3::X);
        let up = right.cross(forward);
        let (width, height) = (width as f64, height as f64);
        // A part of the picture's height and width is left free, on both sides together.
        let free = 0.18;
        let tangent_y = HALF_OPENING * (1.0 - free);
        let tangent_x = HALF_OPENING * (width / height - free).max(0.2);
        // Each side plane of the frustum bounds one linear expression of the eye position.
        let mut extent = [f64::NEG_INFINITY; 4];
        let mut nearest = f64::INFINITY;
        for p in points.clone() {
            let (x, y, z) = (p.dot(right), p.dot(up), p.dot(forward));
            let sides = [
                x - tangent_x * z,
                -x - tangent_x * z,
                y - tangent_y * z,
                -y - tangent_y * z,
            ];
            for (bound, side) in extent.iter_mut().zip(sides) {
                *bound = bound.max(side);
            }
            nearest = nearest.min(z);
        }
        if !nearest.is_finite() {
            extent = [1.0; 4];
            nearest = -1.0;
        }
        let [east, west, north, south] = extent;
        let back = (-(east + west) / (2.0 * tangent_x))
            .min(-(north + south) / (2.0 * tangent_y))
            .min(nearest - 0.05);
        let eye = right * ((east - west) * 0.5) + up * ((north - south) * 0.5) + forward * back;
        Self {
            eye,
            right,
            up,
            forward,
            width,
            height,
            focal: height * 0.5 / HALF_OPENING,
        }
    }

    /// Where a point appears, if it is in front of the camera.
    pub(crate) fn project(&self, p: DVec3) -> Option<Projected> {
        let relative = p - self.eye;
        let depth = relative.dot(self.forward);
        if depth <= 1e-6 || depth.is_nan() {
            return None;
        }
        let nearness = 1.0 / depth;
        Some(Projected {
            x: self.width * 0.5 + relative.dot(self.right) * nearness * self.focal,
            y: self.height * 0.5 - relative.dot(self.up) * nearness * self.focal,
            nearness,
        })
    }

    /// The direction of view through a sample; its component along the view is 1.
    pub(crate) fn ray(&self, x: f64, y: f64) -> DVec3 {
        self.forward
            + self.right * ((x - self.width * 0.5) / self.focal)
            + self.up * ((self.height * 0.5 - y) / self.focal)
    }

    /// Where the viewer stands.
    pub(crate) fn eye(&self) -> DVec3 {
        self.eye
    }

    /// The width of a sample seen at this nearness.
    pub(crate) fn sample_width(&self, nearness: f64) -> f64 {
        1.0 / (nearness * self.focal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framed_points_appear_inside_the_picture() {
        let corners = (0..8).map(|i| {
            DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0
        });
        for viewer in [
            DVec3::new(1.0, -2.0, 1.0),
            DVec3::X,
            DVec3::new(0.0, 0.1, 3.0),
        ] {
            let camera = Camera::framing(corners.clone(), viewer, 400, 300);
            for p in corners.clone() {
                let seen = camera.project(p).unwrap();
                assert!((0.0..400.0).contains(&seen.x) && (0.0..300.0).contains(&seen.y));
            }
        }
    }
}
