//! Queries the library: the meshes of the front door, and below it the calls that count work, name engines or take a budget.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use impinge::bvh::wide::{DistanceError, WideCache, WideTree};
use impinge::bvh::{MeshIndex, Relation, intersection_curves};
use impinge::ccd::{ImpactCache, ImpactOptions, contacts_at, impact, relative_pose};
use impinge::depth::{deepest_point, penetration_depth};
use impinge::geom::{closest_point_on_triangle, triangle_overlap};
use impinge::math::Motion;
use impinge::penetration::PenetrationVolume;
use impinge::query::{Bounded, FaceId, FacePair, First, Limits, Outcome, Sink, Work};
use impinge::{DVec3, Mesh, Pose, TriMesh};

use super::answers::{
    Answers, Contact, Cost, DepthAnswer, DistanceAnswer, ImpactAnswer, MinTranslationAnswer, Pairs,
    ToleranceAnswer,
};
use super::indexes::{Built, Indexes, SolidIndexes, milliseconds_since};
use super::query_kind::QueryKind;
use super::settings::Settings;
use crate::progress::Progress;

/// Two meshes, ready for the same questions about any placement.
pub(crate) struct QueryRunner<'t> {
    settings: &'t Settings,
    indexes: Indexes,
    solids: Option<SolidIndexes<'t>>,
    cache: WideCache,
    impacts: ImpactCache,
    /// Whether no sign of life is wanted.
    is_silent: bool,
}

impl<'t> QueryRunner<'t> {
    /// The inquiry; `solids` must be there when the settings need them.
    pub(crate) fn new(
        settings: &'t Settings,
        indexes: Indexes,
        solids: Option<SolidIndexes<'t>>,
        is_silent: bool,
    ) -> Self {
        Self {
            settings,
            indexes,
            solids,
            cache: WideCache::default(),
            impacts: ImpactCache::default(),
            is_silent,
        }
    }

    /// The indexes behind it.
    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// Both meshes, each in its own frame.
    pub(crate) fn meshes(&self) -> [Arc<TriMesh>; 2] {
        self.indexes
            .meshes
            .each_ref()
            .map(|mesh| Arc::clone(mesh.tri_mesh()))
    }

    /// The questions, and the numbers that belong to them.
    pub(crate) fn settings(&self) -> &'t Settings {
        self.settings
    }

    /// Every answer about one placement.
    pub(crate) fn ask(&mut self, a_from_b: &Pose) -> anyhow::Result<Answers> {
        let mut answers = Answers::new(*a_from_b);
        let started = Instant::now();
        answers.relation = self.relation(a_from_b);
        let relation_ms = milliseconds_since(started);
        for &question in &self.settings.asked {
            let is_asked_twice = question == QueryKind::Pairs && answers.contact.is_some()
                || question == QueryKind::Intersects && answers.contact.is_some();
            // Where nothing was asked in particular, the distance is told where it is one.
            let is_idle = question == QueryKind::Distance
                && self.settings.is_default
                && (answers.verdict(QueryKind::Intersects) != Some(false)
                    || !self.indexes.choice.engine.answers_distance());
            if !is_asked_twice && !is_idle {
                self.answer(question, &mut answers)?;
            }
        }
        if let Some(first) = answers.costs.first_mut() {
            first.milliseconds += relation_ms;
        }
        Ok(answers)
    }

    fn answer(&mut self, question: QueryKind, answers: &mut Answers) -> anyhow::Result<()> {
        let pose = answers.a_from_b;
        let progress = Progress::new(question.name(), self.is_silent);
        let stop = || {
            progress.tick();
            false
        };
        let limits = Limits {
            max_tests: self.settings.limit_tests,
            stop: Some(&stop),
            ..Limits::default()
        };
        let started = Instant::now();
        let wide = Some(WideTree::NAME);
        let (engine, work) = match question {
            QueryKind::Intersects | QueryKind::Pairs => {
                let work = self.contact(&pose, limits, answers);
                (None, Some(work))
            }
            QueryKind::Curves => {
                let [a, b] = self.indexes.wide_for(question)?.map(Arc::as_ref);
                let met = intersection_curves(a, b, &pose, limits, &mut self.cache);
                answers.curves = Some(met);
                (wide, Some(WideTree::work(&self.cache)))
            }
            QueryKind::Distance => {
                let limits = Limits {
                    max_distance: self.settings.max_distance,
                    ..limits
                };
                let (found, work) = self.distance(&pose, limits, answers.relation)?;
                answers.distance = Some(found);
                (None, work)
            }
            QueryKind::Tolerance => {
                let tolerance = self.settings.tolerance.unwrap_or(0.0);
                let limits = Limits {
                    max_distance: Some(tolerance),
                    ..limits
                };
                let (nearest, work) = self.distance(&pose, limits, answers.relation)?;
                let within = match nearest.distance {
                    Some(distance) if distance <= tolerance => Some(true),
                    _ if nearest.outcome == Outcome::Complete => Some(false),
                    _ => None,
                };
                answers.tolerance = Some(ToleranceAnswer {
                    within,
                    tolerance,
                    nearest,
                });
                (None, work)
            }
            QueryKind::Depth => {
                answers.depth = self.depth(&pose, limits);
                (wide, None)
            }
            QueryKind::Volume => {
                answers.volume = match answers.force {
                    Some(known) => Some(known),
                    None => self.volume(&pose, limits)?,
                };
                (wide, None)
            }
            QueryKind::Force => {
                answers.force = match answers.volume {
                    Some(known) => Some(known),
                    None => self.volume(&pose, limits)?,
                };
                (wide, None)
            }
            QueryKind::Impact => {
                if let Some(motion) = self.settings.motion_from(&pose)? {
                    answers.impact = Some(self.impact(&motion, limits, answers.relation)?);
                }
                (wide, Some(self.impacts.work()))
            }
        };
        answers.costs.push(Cost {
            question,
            engine: engine.unwrap_or(self.indexes.choice.engine.name()),
            work,
            milliseconds: milliseconds_since(started),
        });
        Ok(())
    }

    /// How the solids lie to each other, when they count as such.
    fn relation(&mut self, a_from_b: &Pose) -> Option<Relation> {
        let [a, b] = self.solids.as_ref()?.relation.as_ref()?;
        Some(a.relation(b, a_from_b, &mut self.cache))
    }

    fn contact(&mut self, pose: &Pose, limits: Limits<'_>, answers: &mut Answers) -> Work {
        let wants_all = self.settings.asks(QueryKind::Pairs);
        let (meets, pairs, work) = if wants_all {
            let (pairs, work) = self.pairs(pose, limits, self.settings.keeps_pairs);
            (known(pairs.count > 0, pairs.outcome), Some(pairs), work)
        } else {
            let mut first = First::default();
            let (outcome, work) = self.search(pose, limits, &mut first);
            (known(first.0.is_some(), outcome), None, work)
        };
        let is_solid_overlap = answers.relation.is_some_and(|r| r != Relation::Disjoint);
        answers.contact = Some(Contact {
            intersects: if is_solid_overlap { Some(true) } else { meets },
            pairs,
            contained: None,
        });
        work
    }

    /// Every pair of faces that meet.
    pub(crate) fn pairs(
        &mut self,
        pose: &Pose,
        limits: Limits<'_>,
        keeps_pairs: bool,
    ) -> (Pairs, Work) {
        let (mut kept, mut count) = (Vec::new(), 0);
        let mut hit = self.meshes().map(|mesh| vec![false; mesh.face_count()]);
        let (outcome, work) = self.search(pose, limits, &mut |found: FacePair| {
            count += 1;
            hit[0][found.a.index()] = true;
            hit[1][found.b.index()] = true;
            // Coincident meshes have as many pairs as the product of their faces: kept only on demand.
            if keeps_pairs {
                kept.push(found);
            }
            ControlFlow::Continue(())
        });
        kept.sort_unstable();
        let pairs = Pairs {
            kept,
            count,
            faces_hit: hit.map(|faces| faces.iter().filter(|&&is_hit| is_hit).count()),
            outcome,
        };
        (pairs, work)
    }

    fn search(
        &mut self,
        pose: &Pose,
        limits: Limits<'_>,
        sink: &mut dyn Sink<FacePair>,
    ) -> (Outcome, Work) {
        match &mut self.indexes.built {
            Built::Named(pair, _) => {
                let outcome = pair.intersections(pose, limits, sink);
                (outcome, pair.work())
            }
            Built::Wide => {
                let [a, b] = self.indexes.meshes.each_ref().map(Mesh::index);
                let outcome = a.intersections(b, pose, limits, &mut self.cache, sink);
                (outcome, WideTree::work(&self.cache))
            }
        }
    }

    fn distance(
        &mut self,
        pose: &Pose,
        limits: Limits<'_>,
        relation: Option<Relation>,
    ) -> anyhow::Result<(DistanceAnswer, Option<Work>)> {
        match relation {
            None | Some(Relation::Disjoint | Relation::SurfacesMeet) => {}
            Some(_) => return Ok((DistanceAnswer::of_overlapping_solids(), None)),
        }
        let error = DistanceError {
            absolute: self.settings.absolute_error,
            relative: self.settings.relative_error.unwrap_or(0.0),
        };
        let engine = self.indexes.choice.engine;
        let (found, work) = match &mut self.indexes.built {
            Built::Named(pair, _) => {
                let found = pair.distance(pose, limits);
                let found =
                    found.with_context(|| format!("the engine {engine} tells no distance"))?;
                (found, pair.work())
            }
            Built::Wide => {
                let [a, b] = self.indexes.meshes.each_ref().map(Mesh::index);
                let found = a.distance_within(b, pose, error, limits, &mut self.cache);
                (found, WideTree::work(&self.cache))
            }
        };
        let faces = found.value.and_then(|s| {
            let own = pose.inverse() * s.point_b;
            Some([self.face_at(0, s.point_a)?, self.face_at(1, own)?])
        });
        let answer = DistanceAnswer {
            distance: found.value.map(|s| s.distance),
            points: found.value.map(|s| [s.point_a, s.point_b]),
            faces,
            lower: found.lower,
            upper: found.upper,
            outcome: found.outcome,
        };
        Ok((answer, Some(work)))
    }

    /// The face of a mesh on which a point of its surface lies.
    fn face_at(&self, side: usize, p: DVec3) -> Option<FaceId> {
        let mesh = &self.indexes.meshes[side];
        if self.indexes.wide().is_some() {
            return Some(mesh.closest_point(p).ok()?.value?.face);
        }
        let mesh = mesh.tri_mesh();
        let distance_sq = |corners: &[DVec3; 3]| {
            (closest_point_on_triangle(p, corners).point - p).length_squared()
        };
        mesh.face_ids()
            .zip(mesh.triangles())
            .min_by(|(_, one), (_, other)| distance_sq(one).total_cmp(&distance_sq(other)))
            .map(|(face, _)| face)
    }

    fn depth(&mut self, pose: &Pose, limits: Limits<'_>) -> Option<DepthAnswer> {
        let solids = self.solids.as_ref()?;
        let [a, b] = solids.depth.as_ref()?;
        let options = self.settings.depth_options();
        let overlaps = a.intersects(b, pose, &mut self.cache);
        let found = penetration_depth(a, b, pose, &options, limits, &mut self.cache);
        let deepest = deepest_point(a, b, pose, &options, limits, &mut self.cache);
        let numbers_fit = solids.same_faces == [true; 2];
        Some(DepthAnswer {
            overlaps,
            escape: Bounded {
                value: found.value.map(|escape| MinTranslationAnswer {
                    translation: escape.translation,
                    faces: escape.exit.faces.filter(|_| numbers_fit),
                }),
                lower: found.lower,
                upper: found.upper,
                outcome: found.outcome,
            },
            deepest,
        })
    }

    fn volume(
        &mut self,
        pose: &Pose,
        limits: Limits<'_>,
    ) -> anyhow::Result<Option<Bounded<PenetrationVolume>>> {
        let Some(query) = self.solids.as_mut().and_then(|s| s.volume.as_mut()) else {
            return Ok(None);
        };
        Ok(Some(query.ask(pose, limits)?))
    }

    fn impact(
        &mut self,
        motion: &Motion,
        limits: Limits<'_>,
        relation: Option<Relation>,
    ) -> anyhow::Result<ImpactAnswer> {
        let [a, b] = self.indexes.wide_for(QueryKind::Impact)?;
        let starts_inside =
            relation.is_some_and(|r| !matches!(r, Relation::Disjoint | Relation::SurfacesMeet));
        if starts_inside {
            return Ok(ImpactAnswer::at_the_start());
        }
        let still = Motion::still(&Pose::IDENTITY);
        let options = ImpactOptions::default();
        let found = impact(a, b, &still, motion, &options, limits, &mut self.impacts);
        let steps = self.impacts.steps();
        let mut contacts = Vec::new();
        let mut a_from_b = None;
        if let Some(hit) = &found.value {
            let pose = relative_pose(&still, motion, hit.time);
            let mut pairs: Vec<FacePair> = Vec::new();
            let cache = &mut ImpactCache::default();
            let _ = contacts_at(a, b, &still, motion, hit.time, limits, cache, &mut pairs);
            pairs.sort_unstable();
            contacts.extend(pairs.into_iter().filter_map(|pair| {
                let of_a = a.mesh().face(pair.a)?;
                let of_b = b.mesh().face(pair.b)?.map(|p| pose.transform_point(p));
                let shared = triangle_overlap(&of_a, &of_b);
                let corners = shared.corners();
                let middle = corners.iter().sum::<DVec3>() / corners.len().max(1) as f64;
                let point = if corners.is_empty() {
                    hit.point
                } else {
                    middle
                };
                Some((pair, point))
            }));
            a_from_b = Some(pose);
        }
        Ok(ImpactAnswer {
            found,
            starts_inside: false,
            a_from_b,
            contacts,
            steps,
        })
    }
}

/// Whether something was found; none when the search ended too early to tell.
fn known(found: bool, outcome: Outcome) -> Option<bool> {
    (found || outcome != Outcome::OutOfBudget).then_some(found)
}
