//! Clips a face to a box.

use glam::DVec3;

/// A triangle cut by the six planes of a box and one more has at most this many corners.
const MAX_CORNERS: usize = 10;

/// A convex polygon of few corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClippedPolygon {
    corners: [DVec3; MAX_CORNERS],
    count: usize,
}

impl ClippedPolygon {
    pub(super) fn new(face: [DVec3; 3]) -> Self {
        let mut corners = [DVec3::ZERO; MAX_CORNERS];
        corners[..3].copy_from_slice(&face);
        Self { corners, count: 3 }
    }

    pub(super) fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn push(&mut self, p: DVec3) {
        if self.count < MAX_CORNERS {
            self.corners[self.count] = p;
            self.count += 1;
        }
    }

    /// The part where `height` is at most 0; empty if there is none. Heights are affine: they vary evenly along an edge.
    pub(super) fn below(&self, height: impl Fn(DVec3) -> f64) -> Self {
        let mut found = Self { count: 0, ..*self };
        for (i, &p) in self.corners().iter().enumerate() {
            let q = self.corners[(i + 1) % self.count];
            let (hp, hq) = (height(p), height(q));
            if hp <= 0.0 {
                found.push(p);
            }
            if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
                let t = hp / (hp - hq);
                found.push(p * (1.0 - t) + q * t);
            }
        }
        found
    }

    /// The part inside a box.
    pub(super) fn inside(&self, min: DVec3, max: DVec3) -> Self {
        let mut found = *self;
        for axis in 0..3 {
            found = found.below(|p| min[axis] - p[axis]);
            found = found.below(|p| p[axis] - max[axis]);
        }
        found
    }
}
