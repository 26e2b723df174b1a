//! Detection: which faces of the clay each part of the tool meets, and where.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideCache};
use impinge::geom::triangle_overlap;
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Pose};

use super::clay::area_vector;
use super::patch::Patch;
use super::tool::{Tool, ToolPart};

/// Maximum number of dents of a part.
const MAX_DENTS: usize = 32;

/// What one part of a tool hit.
#[derive(Clone, Debug, PartialEq)]
pub struct PartHits {
    /// The part, by number.
    pub part: usize,
    /// Faces of the clay that the part meets, ascending.
    pub faces: Vec<u32>,
    /// The contact point: the middle of where the two surfaces meet, in the clay's frame.
    pub contact: DVec3,
    /// The mean outward normal of the hit faces, by area; zero when they cancel.
    pub normal: DVec3,
    /// Where vertices of the part are inside of the clay: the point of its surface above each, along
    /// the normal, and how deep it is. The deepest first; only detected for pressing.
    pub dents: Vec<(DVec3, f64)>,
    /// How far the tool's point there has moved since the last frame, in the clay's frame.
    pub travel: DVec3,
    /// The part's radius.
    pub radius: f64,
}

/// Hits in two buffers: detection fills one while the response reads the other.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::sculpt::{HitList, PartHits};
/// let hits = |faces: &[u32]| PartHits {
///     part: 0, faces: faces.to_vec(), contact: DVec3::X, normal: DVec3::X, dents: vec![],
///     travel: DVec3::ZERO, radius: 1.0,
/// };
/// let mut list = HitList::default();
/// list.add(hits(&[1, 5]));
/// list.add(hits(&[2, 5]));
/// assert!(list.reading().is_empty());
/// list.swap();
/// // Each face once, however often it was reported.
/// assert_eq!(list.reading()[0].faces, [1, 2, 5]);
/// list.swap();
/// assert!(list.reading().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct HitList {
    filling: Vec<PartHits>,
    reading: Vec<PartHits>,
}

impl HitList {
    /// Adds hits to the buffer that is filled. Faces that are there already are not added again; the
    /// newest contact of a part counts, and what it has travelled adds up.
    pub fn add(&mut self, hits: PartHits) {
        let known = self
            .filling
            .iter_mut()
            .find(|known| known.part == hits.part);
        let Some(known) = known else {
            self.filling.push(hits);
            self.filling.sort_by_key(|hits| hits.part);
            return;
        };
        known.faces.extend(hits.faces);
        known.faces.sort_unstable();
        known.faces.dedup();
        known.contact = hits.contact;
        known.normal = hits.normal;
        known.dents = hits.dents;
        known.travel += hits.travel;
        known.radius = hits.radius;
    }

    /// Exchanges the buffers; the one to be filled is empty then.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.filling, &mut self.reading);
        self.filling.clear();
    }

    /// The hits to respond to, by part.
    #[must_use]
    pub fn reading(&self) -> &[PartHits] {
        &self.reading
    }
}

/// Where the tool is and was, in the clay's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolMotion {
    pub(super) now: Pose,
    pub(super) before: Pose,
    /// Where hits are looked for: dragging takes what the tool held before it moved.
    pub(super) at: Pose,
    /// Whether dents are detected.
    pub(super) finds_dents: bool,
}

/// All hits of a tool, by part.
pub(super) fn detect(
    patches: &[Arc<Patch>],
    tool: &Tool,
    motion: &ToolMotion,
    is_parallel: bool,
) -> Vec<PartHits> {
    let one = |index: usize| {
        let part = tool.parts().get(index)?;
        detect_part(patches, index, part, motion)
    };
    in_order(tool.parts().len(), is_parallel, one)
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(feature = "parallel")]
fn in_order<T: Send>(
    count: usize,
    is_parallel: bool,
    one: impl Fn(usize) -> T + Sync + Send,
) -> Vec<T> {
    use rayon::prelude::*;
    if is_parallel {
        (0..count).into_par_iter().map(one).collect()
    } else {
        (0..count).map(one).collect()
    }
}

#[cfg(not(feature = "parallel"))]
fn in_order<T>(count: usize, _: bool, one: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(one).collect()
}

fn detect_part(
    patches: &[Arc<Patch>],
    index: usize,
    part: &ToolPart,
    motion: &ToolMotion,
) -> Option<PartHits> {
    let bounds = part.bounds().transformed(&motion.at);
    let mut cache = WideCache::default();
    let mut pairs: Vec<FacePair> = Vec::new();
    let mut faces: Vec<u32> = Vec::new();
    let mut normal = DVec3::ZERO;
    let mut contact = DVec3::ZERO;
    let mut contacts = 0_u32;
    for patch in patches
        .iter()
        .filter(|patch| patch.bounds.overlaps(&bounds))
    {
        pairs.clear();
        // Without limits the outcome is always complete.
        let _ = patch.tree.intersections(
            part.tree(),
            &motion.at,
            Limits::default(),
            &mut cache,
            &mut pairs,
        );
        pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        for pair in &pairs {
            let Some(&face) = patch.faces.get(pair.a.index()) else {
                continue;
            };
            let (Some(clay), Some(tool)) =
                (patch.tree.mesh().face(pair.a), part.mesh().face(pair.b))
            else {
                continue;
            };
            // Pairs are sorted, so a face that was counted is the last one.
            if faces.last() != Some(&face) {
                faces.push(face);
                normal += area_vector(&clay);
            }
            let tool = tool.map(|p| motion.at.transform_point(p));
            let corners = triangle_overlap(&clay, &tool);
            for &p in corners.corners() {
                contact += p;
                contacts += 1;
            }
        }
    }
    if faces.is_empty() {
        return None;
    }
    faces.sort_unstable();
    let contact = contact / f64::from(contacts.max(1));
    let normal = normal.normalize_or_zero();
    let dents = if motion.finds_dents {
        dents(patches, part, &motion.at, normal)
    } else {
        Vec::new()
    };
    let on_tool = motion.at.inverse().transform_point(contact);
    Some(PartHits {
        part: index,
        faces,
        contact,
        normal,
        dents,
        travel: motion.now.transform_point(on_tool) - motion.before.transform_point(on_tool),
        radius: part.radius(),
    })
}

/// The vertices of a part that are inside of the clay, each with its exit along the normal: the first
/// face ahead looks the same way.
fn dents(
    patches: &[Arc<Patch>],
    part: &ToolPart,
    clay_from_tool: &Pose,
    normal: DVec3,
) -> Vec<(DVec3, f64)> {
    let mut found: Vec<(DVec3, f64)> = Vec::new();
    let mut cache = SingleTreeCache::default();
    let length = 2.0 * part.radius();
    for &p in part.mesh().positions() {
        let start = clay_from_tool.transform_point(p);
        let end = start + normal * length;
        let Ok(line) = RayOrSegment::segment(start, end) else {
            continue;
        };
        let along = Aabb::enclosing([start, end]);
        let mut first: Option<(f64, DVec3, bool)> = None;
        for patch in patches.iter().filter(|patch| patch.bounds.overlaps(&along)) {
            let hit = patch
                .tree
                .first_hit(&line, Limits::default(), &mut cache)
                .value;
            let Some(hit) = hit.filter(|hit| first.is_none_or(|(t, ..)| hit.t < t)) else {
                continue;
            };
            let corners = patch.tree.mesh().face(hit.face);
            let is_exit = corners.is_some_and(|corners| area_vector(&corners).dot(normal) > 0.0);
            first = Some((hit.t, hit.point, is_exit));
        }
        if let Some((t, point, true)) = first
            && t > 0.0
        {
            found.push((point, t * length));
        }
    }
    // Stable, so that equal depths keep the order of the part's vertices.
    found.sort_by(|(_, one), (_, two)| two.total_cmp(one));
    found.truncate(MAX_DENTS);
    found
}
