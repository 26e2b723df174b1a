//! Quick deciders that run beside the exact engine of two meshes.
//!
//! **Question.** Do two placed meshes touch, if it is unknown whether finding a contact or a gap is
//! faster?
//! **Idea.** Each of three deciders can give one answer. A plane between the convex hulls says
//! *no*. Two faces that met in the last query, and for solids a random point that lay in both, say
//! *yes*. The last answer selects which to try: the plane after a *no*, faces and point after a
//! *yes*. What they leave undecided goes to the exact engine. A decider that fails is not tried
//! again for a while, longer each time; one that succeeds is tried more often, a new plane only if
//! it can be kept. So two meshes for which no decider helps cost what the exact engine costs.
//! **Source.** Zachmann 1994, section 6.5, which runs an exact algorithm, separating planes and
//! Monte-Carlo points on separate processors. It found that waiting for each other cost more than
//! it gained, so here they run in turn.
//! **Cost.** Some tens of nanoseconds where a decider answers.
//! **Promise.** The answer of the exact engine; only the reported pair of faces may differ.
//! **Limits.** Hulls that overlap have no plane between them.

use std::sync::Arc;

use glam::DVec3;

use super::hull_planes::HullPlanes;
use super::mesh_shape::MeshShape;
use crate::bvh::wide::SingleTreeCache;
use crate::geom::triangles_intersect;
use crate::math::{Pose, Rng};
use crate::mesh::point_in_mesh::Location;
use crate::query::FacePair;

/// Who answered how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RaceStats {
    /// The plane kept from before separated the hulls.
    pub kept_plane: u64,
    /// A new plane did.
    pub new_plane: u64,
    /// Two faces that had met still did.
    pub kept_faces: u64,
    /// A point that had lain in both solids still did.
    pub kept_point: u64,
    /// The exact engine answered.
    pub exact: u64,
    /// Queries for which two engines ran concurrently.
    pub raced: u64,
}

/// A decision without the exact engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuickDecision {
    Apart,
    /// They meet, in these faces if they are known.
    Meet(Option<FacePair>),
}

/// Says when to try something again that may fail.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trust {
    /// Questions to leave out.
    pause: u32,
    /// How long the last pause was.
    length: u32,
}

/// The longest pause, in questions.
const MAX_PAUSE: u32 = 1023;

impl Trust {
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        is_due
    }

    /// Two successes make up for a failure less: what succeeds in fewer than two of three tries is hardly tried at all.
    pub(crate) fn succeeded(&mut self) {
        self.length /= 2;
    }

    pub(crate) fn failed(&mut self) {
        self.length = (4 * self.length + 3).min(MAX_PAUSE);
        self.pause = self.length;
    }
}

/// The quick deciders of two meshes.
#[derive(Debug)]
pub(crate) struct PairRace {
    a: Arc<MeshShape>,
    b: Arc<MeshShape>,
    /// Made when first tried; none inside when there are no hulls.
    planes: Option<Option<HullPlanes>>,
    /// Two faces that met.
    faces: Option<FacePair>,
    /// Whether the meshes are solids.
    is_solid: bool,
    /// A point of both solids, in the frame of `b`.
    point: Option<DVec3>,
    rng: Rng,
    cache: SingleTreeCache,
    /// The last answer.
    met: Option<bool>,
    /// How often the present plane was kept.
    uses: u32,
    of_planes: Trust,
    of_contact: Trust,
    stats: RaceStats,
}

impl PairRace {
    pub(crate) fn new(a: &Arc<MeshShape>, b: &Arc<MeshShape>, is_solid: bool) -> Self {
        Self {
            a: Arc::clone(a),
            b: Arc::clone(b),
            planes: None,
            faces: None,
            is_solid,
            point: None,
            rng: Rng::new(1994),
            cache: SingleTreeCache::default(),
            met: None,
            uses: 0,
            of_planes: Trust::default(),
            of_contact: Trust::default(),
            stats: RaceStats::default(),
        }
    }

    pub(crate) fn stats(&self) -> RaceStats {
        self.stats
    }

    /// The decision of the decider whose turn it is, if it has one.
    pub(crate) fn decide(&mut self, a_from_b: &Pose) -> Option<QuickDecision> {
        self.decide_kept(a_from_b).or_else(|| {
            let is_apart = self.looks_for_plane(a_from_b) && self.search(a_from_b);
            is_apart.then_some(QuickDecision::Apart)
        })
    }

    /// The same by what was found before, without a search for a new plane.
    pub(crate) fn decide_kept(&mut self, a_from_b: &Pose) -> Option<QuickDecision> {
        if self.met == Some(true) {
            if !self.of_contact.is_due() {
                return None;
            }
            if let Some(faces) = self.faces.filter(|faces| self.faces_meet(faces, a_from_b)) {
                self.of_contact.succeeded();
                self.stats.kept_faces += 1;
                return Some(QuickDecision::Meet(Some(faces)));
            }
            if self.keeps_point(a_from_b) {
                self.of_contact.succeeded();
                self.stats.kept_point += 1;
                return Some(QuickDecision::Meet(None));
            }
            self.of_contact.failed();
            return None;
        }
        let planes = self.planes.as_mut()?.as_mut()?;
        if !planes.has_plane() {
            return None;
        }
        if planes.kept(a_from_b) {
            self.uses += 1;
            self.of_planes.succeeded();
            self.stats.kept_plane += 1;
            return Some(QuickDecision::Apart);
        }
        // A search may cost more than the exact engine; it pays when its plane is kept a few times.
        if self.uses < 4 {
            self.of_planes.failed();
        }
        None
    }

    /// Whether it is the turn of a search for a new plane, and worthwhile. Asked once per question.
    pub(crate) fn looks_for_plane(&mut self, a_from_b: &Pose) -> bool {
        if self.met == Some(true) || !self.of_planes.is_due() {
            return false;
        }
        let (a, b) = (&self.a, &self.b);
        let planes = self.planes.get_or_insert_with(|| HullPlanes::new(a, b));
        let may_exist = planes.as_ref().is_some_and(|p| p.may_exist(a_from_b));
        if !may_exist {
            self.of_planes.failed();
        }
        may_exist
    }

    /// The planes, for a search on another thread; [`searched`](Self::searched) takes its outcome.
    #[cfg(feature = "scene")]
    pub(crate) fn planes_mut(&mut self) -> Option<&mut HullPlanes> {
        self.planes.as_mut()?.as_mut()
    }

    fn search(&mut self, a_from_b: &Pose) -> bool {
        let planes = self.planes.as_mut().and_then(Option::as_mut);
        let is_apart = planes.is_some_and(|planes| planes.search(a_from_b, &|| false));
        self.searched(is_apart);
        is_apart
    }

    /// Learns how a search for a plane ended.
    pub(crate) fn searched(&mut self, is_apart: bool) {
        self.uses = 0;
        if is_apart {
            self.stats.new_plane += 1;
            self.met = Some(false);
        } else {
            self.of_planes.failed();
        }
    }

    /// Learns what the exact engine decided: none when they are apart, and the faces that meet if any are known.
    pub(crate) fn learn(&mut self, found: Option<Option<FacePair>>, a_from_b: &Pose) {
        self.stats.exact += 1;
        self.met = Some(found.is_some());
        self.faces = found.flatten();
        self.point = None;
        // Where surfaces meet their faces are the quicker witness.
        if found == Some(None) && self.is_solid {
            self.point = self.common_point(a_from_b);
        }
    }

    fn faces_meet(&self, faces: &FacePair, a_from_b: &Pose) -> bool {
        let placed = self.b.mesh().triangle(faces.b);
        let placed = placed.map(|p| a_from_b.transform_point(p));
        triangles_intersect(&self.a.mesh().triangle(faces.a), &placed)
    }

    /// Whether the point of both solids still is one. It moves with `b`, so only `a` is tested.
    fn keeps_point(&mut self, a_from_b: &Pose) -> bool {
        let Some(point) = self.point else {
            return false;
        };
        is_inside(&self.a, a_from_b.transform_point(point), &mut self.cache)
    }

    /// A random point of both solids, in the frame of `b`, if one of eight is.
    fn common_point(&mut self, a_from_b: &Pose) -> Option<DVec3> {
        let b_from_a = a_from_b.inverse();
        let theirs = self.a.bounds().transformed(&b_from_a);
        let own = self.b.bounds();
        let (min, max) = (own.min.max(theirs.min), own.max.min(theirs.max));
        if !min.cmple(max).all() {
            return None;
        }
        (0..8).find_map(|_| {
            let part = 0.5 * (self.rng.cube() + DVec3::ONE);
            let point = min + part * (max - min);
            let placed = a_from_b.transform_point(point);
            let is_common = is_inside(&self.b, point, &mut self.cache)
                && is_inside(&self.a, placed, &mut self.cache);
            is_common.then_some(point)
        })
    }
}

fn is_inside(mesh: &MeshShape, point: DVec3, cache: &mut SingleTreeCache) -> bool {
    let place = mesh.solid().locate_with(point, cache);
    place.is_ok_and(|place| place == Location::Inside)
}

#[cfg(test)]
mod tests {
    use super::{MAX_PAUSE, Trust};

    /// In how many of a thousand questions something is tried that succeeds in these.
    fn tries(succeeds: impl Fn(u32) -> bool) -> u32 {
        let (mut trust, mut tries) = (Trust::default(), 0);
        for question in 0..1000 {
            if trust.is_due() {
                tries += 1;
                if succeeds(question) {
                    trust.succeeded();
                } else {
                    trust.failed();
                }
            }
        }
        tries
    }

    #[test]
    fn what_fails_is_tried_seldom_and_what_succeeds_always() {
        assert_eq!(tries(|_| true), 1000);
        assert!(tries(|_| false) < 8);
        assert!(tries(|k| k.is_multiple_of(2)) < 100);
        assert!(tries(|k| k % 50 != 7) > 700);
        let mut trust = Trust::default();
        for _ in 0..20 {
            trust.failed();
        }
        assert_eq!(trust.pause, MAX_PAUSE);
    }
}
