//! What the right answers are, and when a peer is excused for another.
//!
//! Pairs are judged by CGAL on the vertices that our pose places and rounds; without CGAL by our
//! engine. Distances are what all engines in double precision agree on. Where they do not, brute force judges, however many say
//! something else; where one answers alone, or the meshes are too large, another engine of ours. A peer that places
//! vertices by its own arithmetic may see touching faces differently: it is excused when every face
//! pair in question would change its answer if it were moved by no more than rounding.

use impinge::geom::{triangle_distance, triangles_intersect};
use impinge::query::FaceId;
use impinge::{DVec3, TriMesh};
use impinge_testkit::oracle;

use crate::runner::Precision;

/// Roundings that may add up in a peer's placement and test, in units of the last place.
const ROUNDINGS: f64 = 64.0;
/// More missed pairs than this are no matter of rounding.
const MOST_EXCUSED: usize = 200;
/// Pairs of faces that brute force looks at, at most: less than a second.
const MOST_PAIRS: usize = 100_000_000;
/// Pairs of faces whose distance it computes, at most.
const MOST_CANDIDATES: usize = 100_000;

/// What the judges say about one pose.
#[derive(Clone, Debug)]
pub(crate) struct GroundTruth {
    /// Intersecting pairs, sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// `None` when no judge was run, or none can judge.
    pub(crate) distance: Option<f64>,
    /// The largest coordinate of A or the placed B.
    pub(crate) size: f64,
}

/// How an answer compares with the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerVerdict {
    Right,
    /// Differs, by no more than rounding can.
    Excused,
    Wrong,
    /// Stopped after ten seconds, and counted as such.
    TimedOut,
    Unsupported,
    /// The runner crashed.
    Died,
    /// Not run, because the engine had used up its time on this pair.
    Skipped,
    /// Nothing to compare with.
    Unjudged,
}

impl AnswerVerdict {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Excused => "excused",
            Self::Wrong => "wrong",
            Self::TimedOut => "timed-out",
            Self::Unsupported => "unsupported",
            Self::Died => "died",
            Self::Skipped => "skipped",
            Self::Unjudged => "unjudged",
        }
    }

    /// Whether a time stands for an answer of this kind.
    pub(crate) fn is_timed(self) -> bool {
        matches!(
            self,
            Self::Right | Self::Excused | Self::TimedOut | Self::Unjudged
        )
    }
}

/// A verdict, and how many pairs of faces it overlooks because they are within rounding of touching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JudgedAnswer {
    pub(crate) verdict: AnswerVerdict,
    pub(crate) excused_pairs: usize,
}

impl From<AnswerVerdict> for JudgedAnswer {
    fn from(verdict: AnswerVerdict) -> Self {
        Self {
            verdict,
            excused_pairs: 0,
        }
    }
}

impl JudgedAnswer {
    /// Of an answer that is not the truth.
    fn differing(is_excused: bool, pairs: usize, precision: Precision) -> Self {
        match (is_excused, precision) {
            (true, _) => Self {
                verdict: AnswerVerdict::Excused,
                excused_pairs: pairs,
            },
            (false, Precision::Approximate) => AnswerVerdict::Unjudged.into(),
            (false, _) => AnswerVerdict::Wrong.into(),
        }
    }
}

impl GroundTruth {
    pub(crate) fn intersects(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// How far arithmetic of this precision may move a vertex.
    fn rounding(&self, precision: Precision) -> f64 {
        match precision {
            Precision::Exact => 0.0,
            Precision::Double | Precision::Approximate => ROUNDINGS * f64::EPSILON * self.size,
            Precision::Single => ROUNDINGS * f64::from(f32::EPSILON) * self.size,
        }
    }

    /// Judges yes or no.
    pub(crate) fn judge_intersects(
        &self,
        scene: &PlacedMeshes<'_>,
        answer: bool,
        precision: Precision,
    ) -> JudgedAnswer {
        if answer == self.intersects() {
            return AnswerVerdict::Right.into();
        }
        let rounding = self.rounding(precision);
        let excused = if answer {
            self.distance.is_some_and(|d| d <= rounding)
        } else {
            self.pairs.len() <= MOST_EXCUSED
                && self.pairs.iter().all(|p| scene.is_grazing(*p, rounding))
        };
        // A hit that is none has one pair at least, that of the distance.
        JudgedAnswer::differing(excused, self.pairs.len().max(1), precision)
    }

    /// Judges a list of pairs, sorted.
    pub(crate) fn judge_pairs(
        &self,
        scene: &PlacedMeshes<'_>,
        answer: &[(u32, u32)],
        precision: Precision,
    ) -> JudgedAnswer {
        if answer == self.pairs {
            return AnswerVerdict::Right.into();
        }
        let rounding = self.rounding(precision);
        let lacks = |list: &[(u32, u32)], pair: &(u32, u32)| list.binary_search(pair).is_err();
        let differing: Vec<(u32, u32)> = self
            .pairs
            .iter()
            .filter(|pair| lacks(answer, pair))
            .chain(answer.iter().filter(|pair| lacks(&self.pairs, pair)))
            .copied()
            .collect();
        let excused = differing.len() <= MOST_EXCUSED
            && differing.iter().all(|p| scene.is_grazing(*p, rounding));
        JudgedAnswer::differing(excused, differing.len(), precision)
    }

    /// Judges a distance.
    pub(crate) fn judge_distance(&self, answer: f64, precision: Precision) -> AnswerVerdict {
        match self.distance {
            None => AnswerVerdict::Unjudged,
            _ if precision == Precision::Approximate => AnswerVerdict::Unjudged,
            Some(truth) if (answer - truth).abs() <= self.distance_rounding(precision) => {
                AnswerVerdict::Right
            }
            Some(_) => AnswerVerdict::Wrong,
        }
    }

    /// Judges whether the meshes are at most `tolerance` apart.
    pub(crate) fn judge_tolerance(
        &self,
        answer: bool,
        tolerance: f64,
        precision: Precision,
    ) -> AnswerVerdict {
        match self.distance {
            None => AnswerVerdict::Unjudged,
            _ if precision == Precision::Approximate => AnswerVerdict::Unjudged,
            Some(truth) if (truth <= tolerance) == answer => AnswerVerdict::Right,
            Some(truth) if (truth - tolerance).abs() <= self.distance_rounding(precision) => {
                AnswerVerdict::Excused
            }
            Some(_) => AnswerVerdict::Wrong,
        }
    }

    fn distance_rounding(&self, precision: Precision) -> f64 {
        precision.distance_rounding() * self.size
    }

    /// Sets the distance: nothing where faces intersect, else what these answers in double precision agree on. Where they do not, or where there is but one, what
    /// the `judge` finds.
    pub(crate) fn settle(&mut self, answers: &[f64], judge: impl FnOnce() -> Option<f64>) {
        if self.intersects() {
            self.distance = Some(0.0);
            return;
        }
        let near = self.distance_rounding(Precision::Double);
        self.distance = match answers {
            [] => None,
            [first, others @ ..]
                if !others.is_empty() && others.iter().all(|x| (x - first).abs() <= near) =>
            {
                Some(*first)
            }
            _ => judge(),
        };
    }
}

/// Two meshes in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedMeshes<'a> {
    pub(crate) a: &'a TriMesh,
    /// B as our pose places and rounds it.
    pub(crate) placed: &'a TriMesh,
}

impl PlacedMeshes<'_> {
    /// The largest coordinate.
    pub(crate) fn size(&self) -> f64 {
        let largest = |mesh: &TriMesh| {
            let bounds = mesh.bounds();
            bounds.min.abs().max(bounds.max.abs()).max_element()
        };
        largest(self.a).max(largest(self.placed))
    }

    /// The distance by exact arithmetic over all pairs of faces, but for those whose boxes are farther apart than two corners; none where that would take too long.
    pub(crate) fn brute_force_distance(&self) -> Option<f64> {
        let faces = |mesh: &TriMesh| -> Vec<[DVec3; 3]> {
            let face = |k: usize| mesh.face(FaceId::new(u32::try_from(k).ok()?));
            (0..mesh.face_count()).filter_map(face).collect()
        };
        let (a, b) = (faces(self.a), faces(self.placed));
        if a.len().saturating_mul(b.len()) > MOST_PAIRS {
            return None;
        }
        let mut nearest = f64::INFINITY;
        for p in &a {
            let nearest_of = b.iter().map(|q| p[0].distance_squared(q[0]));
            nearest = nearest_of.fold(nearest, f64::min);
        }
        // Boxes are farther apart than this only if their faces are, whatever was rounded.
        let mut room = nearest.sqrt() * (1.0 + 1e-9) + 1e-9 * self.size();
        let boxed = |t: &[DVec3; 3]| [t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2])];
        let boxes: Vec<[DVec3; 2]> = b.iter().map(boxed).collect();
        let mut candidates = Vec::new();
        for p in &a {
            let [low, high] = boxed(p);
            for (q, [least, most]) in b.iter().zip(&boxes) {
                let gap = (*least - high).max(low - *most).max(DVec3::ZERO).length();
                if gap <= room {
                    candidates.push((gap, p, q));
                }
            }
            if candidates.len() > MOST_CANDIDATES {
                return None;
            }
        }
        candidates.sort_by(|p, q| p.0.total_cmp(&q.0));
        let mut distance = None;
        for (gap, p, q) in candidates {
            if gap > room {
                break;
            }
            let found = oracle::triangle_distance(p, q);
            if distance.is_none_or(|least| found.lower < least) {
                distance = Some(found.lower);
                room = room.min(found.upper * (1.0 + 1e-9));
            }
        }
        distance
    }

    /// Whether moving one of the faces by no more than `rounding` can change whether they meet.
    fn is_grazing(&self, (i, j): (u32, u32), rounding: f64) -> bool {
        let (a, b) = (
            self.a.face(FaceId::new(i)),
            self.placed.face(FaceId::new(j)),
        );
        let (Some(a), Some(b)) = (a, b) else {
            return false;
        };
        if !triangles_intersect(&a, &b) {
            return triangle_distance(&a, &b).distance <= rounding;
        }
        // Convex bodies are parted fastest across a face or across two edges.
        let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let (e, f) = (edges(&a), edges(&b));
        let (m, n) = (e[0].cross(e[1]), f[0].cross(f[1]));
        let mut directions = vec![m, n];
        for x in e {
            directions.extend(f.iter().map(|y| x.cross(*y)));
        }
        directions.extend(e.iter().map(|x| x.cross(m)));
        directions.extend(f.iter().map(|x| x.cross(n)));
        directions
            .into_iter()
            .filter_map(DVec3::try_normalize)
            .flat_map(|d| [d, -d])
            .any(|d| !triangles_intersect(&a, &b.map(|p| p + d * rounding)))
    }
}

#[cfg(test)]
mod tests {
    use impinge::math::Rng;
    use impinge::{DVec3, Pose, generate};

    use super::{AnswerVerdict, GroundTruth, PlacedMeshes, Precision};
    use crate::pose_sampling::random_turn;

    fn apart() -> GroundTruth {
        GroundTruth {
            pairs: Vec::new(),
            distance: None,
            size: 2.0,
        }
    }

    #[test]
    fn however_many_say_something_else_the_judge_decides() {
        let settled = |answers: &[f64]| {
            let mut truth = apart();
            truth.settle(answers, || Some(0.7));
            truth
        };
        // A tie, two liars beside one of ours, and one alone.
        for answers in [&[0.7, 0.0][..], &[0.7, 0.0, 0.0], &[0.7], &[0.0]] {
            let truth = settled(answers);
            let judge = |x: f64| truth.judge_distance(x, Precision::Double);
            assert_eq!(
                (judge(0.7), judge(0.0)),
                (AnswerVerdict::Right, AnswerVerdict::Wrong),
                "{answers:?}"
            );
        }
        // Who agree are believed, and nobody is computed for.
        let mut truth = apart();
        truth.settle(&[0.5, 0.5 + 1e-10], || None);
        assert_eq!(truth.distance, Some(0.5));
        truth.settle(&[], || Some(0.7));
        assert_eq!(truth.distance, None);
        // Where nobody can judge nobody is wrong.
        truth.settle(&[0.7, 0.0], || None);
        for answer in [0.0, 0.7] {
            let verdict = truth.judge_distance(answer, Precision::Double);
            assert_eq!(verdict, AnswerVerdict::Unjudged);
        }
        let mut meeting = GroundTruth {
            pairs: vec![(0, 0)],
            ..apart()
        };
        meeting.settle(&[0.7, 0.7], || None);
        assert_eq!(meeting.distance, Some(0.0));
    }

    #[test]
    fn brute_force_finds_the_distance_of_every_pair_of_faces() {
        let mut rng = Rng::new(5);
        let a = generate::model("blob").unwrap().make(Some(80), 1).unwrap();
        let b = generate::model("gear").unwrap().make(Some(80), 1).unwrap();
        for k in 0..6 {
            let way = rng.direction() * (0.6 * f64::from(k));
            let pose = Pose::new(random_turn(&mut rng), way).unwrap();
            let placed = b.placed(&pose).unwrap();
            let scene = PlacedMeshes {
                a: &a,
                placed: &placed,
            };
            let mut least = f64::INFINITY;
            let faces = |mesh: &impinge::TriMesh| -> Vec<[DVec3; 3]> {
                (0..mesh.face_count() as u32)
                    .filter_map(|k| mesh.face(impinge::query::FaceId::new(k)))
                    .collect()
            };
            for p in faces(&a) {
                for q in faces(&placed) {
                    least = least.min(impinge::geom::triangle_distance(&p, &q).distance);
                }
            }
            let found = scene.brute_force_distance().unwrap();
            assert!((found - least).abs() <= 1e-12, "{found} {least}");
        }
    }
}
