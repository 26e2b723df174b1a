//! Simulated depth camera that views meshes: frames for tests, examples and benchmarks.
//!
//! The camera looks along +z, x to the right and y down, as depth cameras do. Depth is the z
//! coordinate of the visible point, not the length of the ray. Noise and dropouts are drawn for
//! each pixel from the seed, the frame number and the pixel number, so that a frame has the same
//! bytes for any number of threads.
//!
//! ```
//! use impinge::scan::depth_camera::{DepthCamera, DepthImage, DepthNoise};
//! use impinge::scan::drop_invalid;
//! use impinge::{Pose, bvh::wide::WideTree, generate::icosphere};
//! use std::sync::Arc;
//! let ball = WideTree::new(Arc::new(icosphere(1.0, 8)?));
//! let camera = DepthCamera::new(64, 48, 1.0, 10.0)?;
//! let scene = [(&ball, Pose::from_translation([0.0, 0.0, 4.0])?)];
//! let mut image = DepthImage::default();
//! camera.capture(&Pose::IDENTITY, &scene, &DepthNoise::NONE, 0, &mut image);
//! assert!((image.depth(32, 24).unwrap_or(0.0) - 3.0).abs() < 0.02);
//! assert_eq!(image.depth(0, 0), None);
//! let mut points = Vec::new();
//! camera.points(&image, &mut points);
//! let seen = points.len() - drop_invalid(&mut points);
//! assert!(seen > 100 && points.iter().all(|p| p.z < 4.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use thiserror::Error;

use super::threads::join;
use crate::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
use crate::math::{Pose, Rng};

/// Pixels along one side at most.
const MAX_SIDE: u32 = 1 << 14;
/// Pixels that one thread takes at a time.
const SHARE: usize = 1 << 12;

/// Why a camera was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CameraError {
    /// A picture of no pixels, or of too many.
    #[error("a picture of {width} × {height} pixels: each side needs 1 to {MAX_SIDE}")]
    BadSize {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// An angle of view that no pinhole has.
    #[error("the angle of view must lie above 0 and below π, not {angle}")]
    BadAngle {
        /// What was given.
        angle: f64,
    },
    /// A farthest depth that is not a positive number.
    #[error("the farthest depth must be a positive number, not {far}")]
    BadRange {
        /// What was given.
        far: f64,
    },
}

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "depth camera")]
pub struct DepthCamera {
    width: u32,
    height: u32,
    /// Distance of the picture from the pinhole, in pixels.
    focal: f64,
    far: f64,
}

/// Measurement errors of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthNoise {
    /// The standard deviation of a depth of 1; it grows with the square of the depth.
    pub deviation: f64,
    /// The part of the pixels that measure nothing.
    pub dropout: f64,
    /// The seed of the errors.
    pub seed: u64,
}

impl DepthNoise {
    /// No errors at all.
    pub const NONE: Self = Self {
        deviation: 0.0,
        dropout: 0.0,
        seed: 0,
    };

    /// The depth as it is measured; NaN where it is not.
    fn measured(&self, depth: f64, frame: u64, pixel: usize) -> f64 {
        if self.deviation == 0.0 && self.dropout == 0.0 {
            return depth;
        }
        let mut rng =
            Rng::new(Rng::new(self.seed ^ frame.rotate_left(32)).next_u64() ^ pixel as u64);
        if rng.unit() < self.dropout {
            return f64::NAN;
        }
        let [u, v] = [1.0 - rng.unit(), rng.unit()];
        let normal = (-2.0 * libm::log(u)).sqrt() * libm::cos(TAU * v);
        depth + self.deviation * depth * depth * normal
    }
}

/// A depth per pixel, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthImage {
    width: u32,
    height: u32,
    /// NaN where nothing was measured.
    depths: Vec<f64>,
}

impl DepthImage {
    /// The depth at a pixel; none outside the picture and where nothing was measured.
    #[must_use]
    pub fn depth(&self, x: u32, y: u32) -> Option<f64> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = y as usize * self.width as usize + x as usize;
        self.depths.get(at).copied().filter(|depth| !depth.is_nan())
    }
}

impl DepthCamera {
    /// A camera with a picture of this size, an angle of view from left to right in radians, and a depth beyond which it sees nothing.
    ///
    /// # Errors
    /// [`CameraError`] naming the number that makes no camera.
    pub fn new(width: u32, height: u32, angle: f64, far: f64) -> Result<Self, CameraError> {
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(CameraError::BadSize { width, height });
        }
        if !(angle > 0.0 && angle < PI) {
            return Err(CameraError::BadAngle { angle });
        }
        if !(far > 0.0 && far.is_finite()) {
            return Err(CameraError::BadRange { far });
        }
        Ok(Self {
            width,
            height,
            focal: 0.5 * f64::from(width) / libm::tan(0.5 * angle),
            far,
        })
    }

    /// The direction of a pixel's middle, its z 1.
    fn direction(&self, pixel: usize) -> DVec3 {
        let (x, y) = (pixel % self.width as usize, pixel / self.width as usize);
        let side = |at: usize, size: u32| (at as f64 + 0.5 - 0.5 * f64::from(size)) / self.focal;
        DVec3::new(side(x, self.width), side(y, self.height), 1.0)
    }

    /// Renders placed meshes (`world_from_mesh`) into `image`. `frame` is the number of the frame; it seeds the noise.
    pub fn capture(
        &self,
        world_from_camera: &Pose,
        scene: &[(&WideTree, Pose)],
        noise: &DepthNoise,
        frame: u64,
        image: &mut DepthImage,
    ) {
        (image.width, image.height) = (self.width, self.height);
        let count = self.width as usize * self.height as usize;
        image.depths.clear();
        image.depths.resize(count, f64::NAN);
        let scene: Vec<(&WideTree, Pose)> = scene
            .iter()
            .map(|(tree, pose)| (*tree, pose.inverse() * *world_from_camera))
            .collect();
        let depth = |pixel: usize, cache: &mut SingleTreeCache| {
            let depth = self.seen(pixel, &scene, cache);
            noise.measured(depth, frame, pixel)
        };
        expose(0, &mut image.depths, &depth);
    }

    /// The least depth along the ray of a pixel; NaN when it meets nothing.
    fn seen(&self, pixel: usize, scene: &[(&WideTree, Pose)], cache: &mut SingleTreeCache) -> f64 {
        let direction = self.direction(pixel);
        let length = direction.length();
        let mut nearest = self.far;
        let mut depth = f64::NAN;
        for (tree, mesh_from_camera) in scene {
            let along = mesh_from_camera.transform_vector(direction);
            let Ok(line) = RayOrSegment::ray(mesh_from_camera.translation(), along) else {
                continue;
            };
            if let Some(hit) = tree.cast_ray(&line, Some(nearest * length), cache)
                && hit.t <= nearest
            {
                (nearest, depth) = (hit.t, hit.t);
            }
        }
        depth
    }

    /// Writes one point per pixel to `points`, in the frame of the camera and row by row; NaN where nothing was measured.
    pub fn points(&self, image: &DepthImage, points: &mut Vec<DVec3>) {
        points.clear();
        let each = image.depths.iter().enumerate();
        points.extend(each.map(|(pixel, &depth)| self.direction(pixel) * depth));
    }
}

fn expose(
    first: usize,
    depths: &mut [f64],
    depth: &(impl Fn(usize, &mut SingleTreeCache) -> f64 + Sync),
) {
    if depths.len() > SHARE {
        let half = depths.len() / 2;
        let (a, b) = depths.split_at_mut(half);
        join(
            || expose(first, a, depth),
            || expose(first + half, b, depth),
        );
        return;
    }
    let mut cache = SingleTreeCache::default();
    for (k, out) in depths.iter_mut().enumerate() {
        *out = depth(first + k, &mut cache);
    }
}
