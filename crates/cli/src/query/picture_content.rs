//! What a picture or a model of the answers shows.

use anyhow::Context;
use impinge::bvh::overlapping_boxes;
use impinge::bvh::wide::{LeafBox, WideTree};
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Mesh, Pose, TriMesh};
use std::sync::Arc;

use super::answers::Answers;
use super::indexes::Built;
use super::query_kind::ShownDetail;
use super::query_runner::QueryRunner;

/// Where B starts is shown when it is at most this many of the scene's sizes away.
const NEARBY: f64 = 2.0;

/// Everything to be seen, in A's frame.
#[derive(Debug)]
pub(crate) struct PictureContent {
    /// The first mesh.
    pub(crate) a: Arc<TriMesh>,
    /// The second as placed: where it first touches, when that was queried and found.
    pub(crate) b: TriMesh,
    /// Where the second began, when it moved.
    pub(crate) start: Option<TriMesh>,
    /// Faces that meet.
    pub(crate) pairs: Vec<FacePair>,
    /// Polylines in which the meshes meet, and whether each is closed.
    pub(crate) curves: Vec<(Vec<DVec3>, bool)>,
    /// Segments between nearest or deepest points.
    pub(crate) segments: Vec<[DVec3; 2]>,
    /// Where they first touch, and the normal there, when B moved.
    pub(crate) touch: Option<(DVec3, DVec3)>,
    /// The search, looked at.
    pub(crate) trees: Option<[ShownLeaves; 2]>,
    /// Trees of both meshes, each in its own frame, for lines of sight.
    pub(crate) rays: [Arc<WideTree>; 2],
    /// Where the second is.
    pub(crate) a_from_b: Pose,
}

/// The leaves of a tree, in A's frame.
#[derive(Debug)]
pub(crate) struct ShownLeaves {
    /// The boxes.
    pub(crate) boxes: Vec<LeafBox>,
    /// Whether each meets one of the other tree.
    pub(crate) meets: Vec<bool>,
}

impl ShownLeaves {
    /// The edges of the boxes that meet another, or of those that do not.
    pub(crate) fn edges(&self, meeting: bool) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        self.boxes
            .iter()
            .zip(&self.meets)
            .filter(move |(_, meets)| **meets == meeting)
            .flat_map(|(leaf, _)| LeafBox::EDGES.map(|[p, q]| [leaf.corners[p], leaf.corners[q]]))
    }

    /// The faces that no box kept apart.
    pub(crate) fn tested_faces(&self) -> impl Iterator<Item = usize> + '_ {
        self.boxes
            .iter()
            .zip(&self.meets)
            .filter(|(_, meets)| **meets)
            .flat_map(|(leaf, _)| leaf.faces.iter().map(|face| face.index()))
    }
}

impl PictureContent {
    /// What the answers show.
    pub(crate) fn new(
        inquiry: &mut QueryRunner<'_>,
        answers: &Answers,
        show: Option<ShownDetail>,
    ) -> anyhow::Result<Self> {
        let [a, b] = inquiry.meshes();
        let contact_pose = answers.impact.as_ref().and_then(|impact| impact.a_from_b);
        let pose = contact_pose.unwrap_or(answers.a_from_b);
        let placed = |pose: &Pose| b.placed(pose).context("B as placed by the pose");
        let moved = (pose.translation() - answers.a_from_b.translation()).length();
        let size = a.bounds().diagonal().length() + b.bounds().diagonal().length();
        let has_moved = contact_pose.is_some() && pose != answers.a_from_b;
        let start = if has_moved && moved <= NEARBY * size {
            Some(placed(&answers.a_from_b)?)
        } else {
            None
        };
        let pairs = match (contact_pose, answers.kept_pairs()) {
            (None, Some(pairs)) => pairs.to_vec(),
            _ => inquiry.pairs(&pose, Limits::default(), true).0.kept,
        };
        let mut segments = Vec::new();
        if !has_moved {
            let nearest = [
                answers.distance.as_ref(),
                answers.tolerance.as_ref().map(|found| &found.nearest),
            ];
            segments.extend(
                nearest
                    .into_iter()
                    .flatten()
                    .filter_map(|found| found.points),
            );
            let deepest = answers.depth.as_ref().and_then(|found| found.deepest.value);
            segments.extend(deepest.map(|deep| [deep.point_a, deep.point_b]));
            segments.retain(|[p, q]| p != q);
            segments.dedup();
        }
        let curves = match &answers.curves {
            Some(met) if !has_moved => met
                .curves
                .iter()
                .map(|c| (c.points.iter().map(|at| at.point).collect(), c.is_closed))
                .collect(),
            _ => Vec::new(),
        };
        let impact = answers
            .impact
            .as_ref()
            .and_then(|impact| impact.found.value);
        let touch = impact
            .filter(|_| has_moved)
            .map(|hit| (hit.point, hit.normal));
        let rays = trees_of(inquiry);
        let trees = show.and_then(|ShownDetail::Tree| leaves(inquiry, &pose));
        Ok(Self {
            b: placed(&pose)?,
            a,
            start,
            pairs,
            curves,
            segments,
            touch,
            trees,
            rays,
            a_from_b: pose,
        })
    }

    /// The length of the diagonal of the box around both meshes.
    pub(crate) fn size(&self) -> f64 {
        let (a, b) = (self.a.bounds(), self.b.bounds());
        (a.max.max(b.max) - a.min.min(b.min)).length()
    }
}

fn trees_of(inquiry: &QueryRunner<'_>) -> [Arc<WideTree>; 2] {
    let meshes = inquiry.indexes().meshes.each_ref();
    meshes.map(|mesh| Arc::clone(mesh.index()))
}

/// The leaves of the trees that answered; none of an engine without boxes.
fn leaves(inquiry: &QueryRunner<'_>, pose: &Pose) -> Option<[ShownLeaves; 2]> {
    let indexes = inquiry.indexes();
    let ([boxes_a, mut boxes_b], [meets_a, meets_b]) = match &indexes.built {
        Built::Named(pair, _) => {
            let boxes = pair.leaf_boxes()?;
            let meets = overlapping_boxes(&boxes[0], &boxes[1], pose);
            (boxes, meets)
        }
        Built::Wide => {
            let [a, b] = indexes.meshes.each_ref().map(Mesh::index);
            let meets = a.meeting_leaves(b, pose);
            ([a.leaf_boxes(), b.leaf_boxes()], meets)
        }
    };
    for leaf in &mut boxes_b {
        leaf.corners = leaf.corners.map(|p| pose.transform_point(p));
    }
    Some([
        ShownLeaves {
            boxes: boxes_a,
            meets: meets_a,
        },
        ShownLeaves {
            boxes: boxes_b,
            meets: meets_b,
        },
    ])
}
