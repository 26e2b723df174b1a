//! Crossing number: how often does a ray along +x cross the surface?
//!
//! The rule for each face is that of [`mesh::point_in_mesh`](crate::mesh::point_in_mesh); the tree
//! only excludes faces that the ray certainly misses.

use std::ops::ControlFlow;

use glam::{DMat3, DVec3};

use super::local_ray::LocalRay;
use super::ray_cast::RayVisitor;
use super::relative_pose::exp2;
use super::single_tree::SingleTreeCache;
use super::tree::WideTree;
use crate::math::Pose;
use crate::mesh::point_in_mesh::CrossingCount;
use crate::query::{FaceId, Limits, Outcome};

impl WideTree {
    /// The crossings of the ray from `p` along +x with the mesh; `None` if `p` lies on a face.
    pub(in crate::bvh) fn crossings(
        &self,
        p: DVec3,
        cache: &mut SingleTreeCache,
    ) -> Option<CrossingCount> {
        let line = LocalRay::new(&self.frame, p, DVec3::X, f64::INFINITY, 0.0);
        self.count(line, None, p, cache)
    }

    /// The same for the placed mesh, decided on its placed coordinates.
    pub(in crate::bvh) fn placed_crossings(
        &self,
        pose: &Pose,
        p: DVec3,
        cache: &mut SingleTreeCache,
    ) -> Option<CrossingCount> {
        self.count(self.placed_line(pose, p), Some(pose), p, cache)
    }

    /// The ray along +x from `p`, in the frame of the tree before it was placed.
    fn placed_line(&self, pose: &Pose, p: DVec3) -> Option<LocalRay> {
        let back = pose.rotation().transpose();
        let deviation = (back * *pose.rotation() - DMat3::IDENTITY)
            .to_cols_array()
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        let unit = exp2(-self.frame.exponent);
        let (t, center) = (pose.translation(), self.frame.center);
        let largest = p.abs().max(t.abs()).max(center.abs()).max_element() * unit;
        // Where the ray is taken back to, against where the mesh was placed from: rounding, and a matrix whose
        // transpose is not quite its inverse.
        let extra = (8.0 * deviation + 32.0 * f64::EPSILON) * (largest + self.frame.radius);
        let start = back * (p - t);
        LocalRay::new(&self.frame, start, back * DVec3::X, f64::INFINITY, extra)
    }

    /// Shows every face, with its placed corners, that the ray from `p` along +x may meet.
    pub(crate) fn faces_on_ray(
        &self,
        pose: Option<&Pose>,
        p: DVec3,
        cache: &mut SingleTreeCache,
        visit: &mut dyn FnMut(&[DVec3; 3]),
    ) {
        let line = match pose {
            None => LocalRay::new(&self.frame, p, DVec3::X, f64::INFINITY, 0.0),
            Some(pose) => self.placed_line(pose, p),
        };
        let mut each = CrossingLister {
            tree: self,
            pose,
            visit,
        };
        let _ = self.update_front(line, Limits::default(), cache, &mut each);
    }

    /// The same as [`WideTree::crossings`], or nothing when a limit was met first.
    pub(in crate::bvh) fn bounded_crossings(
        &self,
        p: DVec3,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Option<Option<CrossingCount>> {
        let line = LocalRay::new(&self.frame, p, DVec3::X, f64::INFINITY, 0.0);
        self.bounded_count(line, None, p, limits, cache)
    }

    fn count(
        &self,
        line: Option<LocalRay>,
        pose: Option<&Pose>,
        p: DVec3,
        cache: &mut SingleTreeCache,
    ) -> Option<CrossingCount> {
        let limits = Limits::default();
        self.bounded_count(line, pose, p, limits, cache).flatten()
    }

    fn bounded_count(
        &self,
        line: Option<LocalRay>,
        pose: Option<&Pose>,
        p: DVec3,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Option<Option<CrossingCount>> {
        let mut counter = CrossingCounter {
            tree: self,
            pose,
            p,
            crossings: CrossingCount::default(),
            is_on_face: false,
        };
        let (outcome, _) = self.update_front(line, limits, cache, &mut counter);
        if counter.is_on_face {
            return Some(None);
        }
        (outcome == Outcome::Complete).then_some(Some(counter.crossings))
    }
}

/// The corners of a face, where the mesh is placed.
#[inline]
fn placed_corners(tree: &WideTree, pose: Option<&Pose>, face: FaceId) -> [DVec3; 3] {
    let corners = tree.mesh.triangle(face);
    match pose {
        Some(pose) => corners.map(|v| pose.transform_point(v)),
        None => corners,
    }
}

struct CrossingCounter<'s> {
    tree: &'s WideTree,
    pose: Option<&'s Pose>,
    p: DVec3,
    crossings: CrossingCount,
    is_on_face: bool,
}

impl RayVisitor for CrossingCounter<'_> {
    fn limit(&self) -> f64 {
        f64::INFINITY
    }

    fn visit(&mut self, face: FaceId) -> ControlFlow<()> {
        let corners = placed_corners(self.tree, self.pose, face);
        let passed = self.crossings.pass(&corners, self.p);
        self.is_on_face = passed.is_break();
        passed
    }
}

struct CrossingLister<'s> {
    tree: &'s WideTree,
    pose: Option<&'s Pose>,
    visit: &'s mut dyn FnMut(&[DVec3; 3]),
}

impl RayVisitor for CrossingLister<'_> {
    fn limit(&self) -> f64 {
        f64::INFINITY
    }

    fn visit(&mut self, face: FaceId) -> ControlFlow<()> {
        let corners = placed_corners(self.tree, self.pose, face);
        (self.visit)(&corners);
        ControlFlow::Continue(())
    }
}
