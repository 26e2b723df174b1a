//! The questions, as methods of the tree.

use super::distance::{Found, Nearest, Wanted};
use super::intersect::{self, WideCache};
use super::relative::Relative;
use super::tree::WideTree;
use crate::math::Pose;
use crate::math::simd::Level;
use crate::math::simd::lanes::dispatch;
use crate::query::{FacePair, First, Limits, Outcome, Separation, Sink};

impl WideTree {
    /// Reports every pair of intersecting faces.
    pub fn intersections(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut WideCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        intersect::intersections(
            self,
            other,
            self_from_other,
            Level::detect(),
            limits,
            cache,
            sink,
        )
    }

    /// The distance.
    pub fn distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        cache: &mut WideCache,
        warm: Option<FacePair>,
    ) -> Option<(Separation, FacePair)> {
        if warm.is_none() {
            let mut first = First::default();
            let _ =
                self.intersections(other, self_from_other, Limits::default(), cache, &mut first);
            if let Some(p) = first.0 {
                return Some((
                    Separation {
                        distance: 0.0,
                        point_a: glam::DVec3::ZERO,
                        point_b: glam::DVec3::ZERO,
                    },
                    p,
                ));
            }
        }
        let [forth, back] = Relative::both(&self.frame, &other.frame, self_from_other)?;
        let found: Found = dispatch(
            Level::detect(),
            Nearest {
                a: self,
                b: other,
                a_from_b: self_from_other,
                forth: &forth,
                back: &back,
                limits: Limits::default(),
                wanted: Wanted::default(),
                guess: warm,
                cache,
            },
        );
        found.nearest
    }
}
