//! What the right answers are, and when a peer is excused for another.
//!
//! Pairs are judged by CGAL on the vertices that our pose places and rounds; without CGAL by our
//! engine. Distances are judged by a vote of the engines in double precision. A peer that places
//! vertices by its own arithmetic may see touching faces differently: it is excused when every face
//! pair in question would change its answer if it were moved by no more than rounding.

use impinge::geom::{triangle_distance, triangles_intersect};
use impinge::query::FaceId;
use impinge::{DVec3, TriMesh};

use crate::runner::Precision;

/// Roundings that may add up in a peer's placement and test, in units of the last place.
const ROUNDINGS: f64 = 64.0;
/// More missed pairs than this are no matter of rounding.
const MOST_EXCUSED: usize = 200;

/// What the judges say about one pose.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    /// Intersecting pairs, sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// By vote; `None` when nobody was asked.
    pub(crate) distance: Option<f64>,
    /// The largest coordinate of A or the placed B.
    pub(crate) size: f64,
}

/// How an answer compares with the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    /// Differs, by no more than rounding can.
    Excused,
    Wrong,
    /// Stopped after ten seconds, and counted as such.
    TimedOut,
    Unsupported,
    /// The runner crashed.
    Died,
    /// Not asked, because the engine had used up its time on this pair.
    Skipped,
    /// Nothing to compare with.
    Unjudged,
}

impl Verdict {
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
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    pub(crate) excused_pairs: usize,
}

impl From<Verdict> for Judged {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            excused_pairs: 0,
        }
    }
}

impl Judged {
    /// Of an answer that is not the truth.
    fn differing(is_excused: bool, pairs: usize, precision: Precision) -> Self {
        match (is_excused, precision) {
            (true, _) => Self {
                verdict: Verdict::Excused,
                excused_pairs: pairs,
            },
            (false, Precision::Approximate) => Verdict::Unjudged.into(),
            (false, _) => Verdict::Wrong.into(),
        }
    }
}

impl Truth {
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
        scene: &Scene<'_>,
        answer: bool,
        precision: Precision,
    ) -> Judged {
        if answer == self.intersects() {
            return Verdict::Right.into();
        }
        let rounding = self.rounding(precision);
        let excused = if answer {
            self.distance.is_some_and(|d| d <= rounding)
        } else {
            self.pairs.len() <= MOST_EXCUSED
                && self.pairs.iter().all(|p| scene.is_grazing(*p, rounding))
        };
        // A hit that is none has one pair at least, that of the distance.
        Judged::differing(excused, self.pairs.len().max(1), precision)
    }

    /// Judges a list of pairs, sorted.
    pub(crate) fn judge_pairs(
        &self,
        scene: &Scene<'_>,
        answer: &[(u32, u32)],
        precision: Precision,
    ) -> Judged {
        if answer == self.pairs {
            return Verdict::Right.into();
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
        Judged::differing(excused, differing.len(), precision)
    }

    /// Judges a distance.
    pub(crate) fn judge_distance(&self, answer: f64, precision: Precision) -> Verdict {
        match self.distance {
            None => Verdict::Unjudged,
            _ if precision == Precision::Approximate => Verdict::Unjudged,
            Some(truth) if (answer - truth).abs() <= self.distance_rounding(precision) => {
                Verdict::Right
            }
            Some(_) => Verdict::Wrong,
        }
    }

    /// Judges whether the meshes are at most `tolerance` apart.
    pub(crate) fn judge_tolerance(
        &self,
        answer: bool,
        tolerance: f64,
        precision: Precision,
    ) -> Verdict {
        match self.distance {
            None => Verdict::Unjudged,
            _ if precision == Precision::Approximate => Verdict::Unjudged,
            Some(truth) if (truth <= tolerance) == answer => Verdict::Right,
            Some(truth) if (truth - tolerance).abs() <= self.distance_rounding(precision) => {
                Verdict::Excused
            }
            Some(_) => Verdict::Wrong,
        }
    }

    fn distance_rounding(&self, precision: Precision) -> f64 {
        precision.distance_rounding() * self.size
    }

    /// Sets the distance that most of these answers in double precision agree on; of two that
    /// have as many votes the smaller, since an engine rather misses the nearest pair than
    /// invents one.
    pub(crate) fn vote(&mut self, answers: &[f64]) {
        let near = self.distance_rounding(Precision::Double);
        let votes = |x: f64| answers.iter().filter(|y| (x - **y).abs() <= near).count();
        self.distance = answers
            .iter()
            .copied()
            .max_by(|x, y| votes(*x).cmp(&votes(*y)).then(y.total_cmp(x)));
        if self.intersects() {
            self.distance = Some(0.0);
        }
    }
}

/// Two meshes in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) a: &'a TriMesh,
    /// B as our pose places and rounds it.
    pub(crate) placed: &'a TriMesh,
}

impl Scene<'_> {
    /// The largest coordinate.
    pub(crate) fn size(&self) -> f64 {
        let largest = |mesh: &TriMesh| {
            let bounds = mesh.bounds();
            bounds.min.abs().max(bounds.max.abs()).max_element()
        };
        largest(self.a).max(largest(self.placed))
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
