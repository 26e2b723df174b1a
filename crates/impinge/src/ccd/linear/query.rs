//! Vertex-face and edge-edge queries, their answers, and which stage decided.

use super::certified_filter::CertifiedFilter;
use super::exact;
use super::moving_point::{FourMovingPoints, MovingPoint, places};
use super::separating_axis::stay_apart;
use super::subdivide::{SubdivisionResult, search};

/// How wide a bracket of the first contact may be when nothing else is requested: 2^-20.
pub const DEFAULT_WIDTH: f64 = 1.0 / (1_u32 << 20) as f64;
/// The narrowest bracket that can be requested: 2^-46.
pub const MIN_WIDTH: f64 = 1.0 / (1_u64 << 46) as f64;

/// When two moving elements first meet: `lower ≤ t ≤ upper`.
///
/// Before `lower` they certainly have not met.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "TOI")]
#[doc(alias = "time of impact")]
pub struct FirstContact {
    /// The first contact is not before this time.
    pub lower: f64,
    /// The first contact is not after this time.
    pub upper: f64,
}

/// What decided a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// One element stays ahead of the other along an axis.
    Axis,
    /// The four points are never coplanar.
    Cubic,
    /// One look at the whole step.
    Whole,
    /// The step was halved.
    Subdivision,
    /// A root was bracketed, in `f64`.
    Root,
    /// Integers.
    Exact,
}

impl Stage {
    /// All stages, the cheapest first.
    pub const ALL: [Self; 6] = [
        Self::Axis,
        Self::Cubic,
        Self::Whole,
        Self::Subdivision,
        Self::Root,
        Self::Exact,
    ];
}

/// How many queries each stage decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    counts: [u64; Stage::ALL.len()],
}

impl StageCounts {
    /// How many queries this stage decided.
    ///
    /// ```
    /// use impinge::ccd::linear::{Stage, StageCounts};
    /// assert_eq!(StageCounts::default().of(Stage::Exact), 0);
    /// ```
    #[must_use]
    pub fn of(&self, stage: Stage) -> u64 {
        self.counts[stage as usize]
    }

    /// How many queries were decided.
    ///
    /// ```
    /// use impinge::ccd::linear::StageCounts;
    /// assert_eq!(StageCounts::default().total(), 0);
    /// ```
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The tests with a width of brackets, counting what they do.
///
/// ```
/// use impinge::ccd::linear::{LinearTests, MovingPoint, Stage};
/// let mut tests = LinearTests::new(1e-12);
/// let face = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(MovingPoint::still);
/// let [Ok(a), Ok(b), Ok(c)] = face else { unreachable!() };
/// let falling = MovingPoint::new([0.25, 0.25, 2.0], [0.25, 0.25, -1.0])?;
/// let hit = tests.vertex_face(falling, [a, b, c]).unwrap();
/// assert!(hit.lower <= 2.0 / 3.0 && 2.0 / 3.0 <= hit.upper && hit.upper - hit.lower <= 1e-12);
/// assert_eq!(tests.tally().of(Stage::Root), 1);
/// # Ok::<(), impinge::ccd::linear::LinearError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearTests {
    width: f64,
    tally: StageCounts,
}

impl Default for LinearTests {
    fn default() -> Self {
        Self::new(DEFAULT_WIDTH)
    }
}

impl LinearTests {
    /// Tests whose brackets are at most `width` wide; taken as [`MIN_WIDTH`] when below it, and as 1 when not a number or above.
    ///
    /// ```
    /// use impinge::ccd::linear::LinearTests;
    /// assert_eq!(LinearTests::new(0.25).width(), 0.25);
    /// ```
    #[must_use]
    pub fn new(width: f64) -> Self {
        Self {
            width: if width < 1.0 {
                width.max(MIN_WIDTH)
            } else {
                1.0
            },
            tally: StageCounts::default(),
        }
    }

    /// How wide a bracket may be.
    ///
    /// ```
    /// use impinge::ccd::linear::{LinearTests, DEFAULT_WIDTH};
    /// assert_eq!(LinearTests::default().width(), DEFAULT_WIDTH);
    /// ```
    #[must_use]
    pub fn width(&self) -> f64 {
        self.width
    }

    /// The number of queries decided by each stage since these tests were made.
    ///
    /// ```
    /// use impinge::ccd::linear::LinearTests;
    /// assert_eq!(LinearTests::default().tally().total(), 0);
    /// ```
    #[must_use]
    pub fn tally(&self) -> StageCounts {
        self.tally
    }

    /// When a vertex first meets a face, none if never.
    ///
    /// ```
    /// use impinge::ccd::linear::{LinearTests, MovingPoint};
    /// let still = MovingPoint::still([0.0; 3])?;
    /// let hit = LinearTests::default().vertex_face(still, [still; 3]).unwrap();
    /// assert_eq!((hit.lower, hit.upper), (0.0, 0.0));
    /// # Ok::<(), impinge::ccd::linear::LinearError>(())
    /// ```
    #[inline]
    #[doc(alias = "CCD")]
    #[doc(alias = "point-triangle")]
    pub fn vertex_face(
        &mut self,
        vertex: MovingPoint,
        face: [MovingPoint; 3],
    ) -> Option<FirstContact> {
        let [a, b, c] = face;
        self.ask::<false>(&places([vertex, a, b, c]))
    }

    /// When two edges first meet, none if never.
    ///
    /// ```
    /// use impinge::ccd::linear::{LinearTests, MovingPoint};
    /// let (p, q) = (MovingPoint::still([0.0; 3])?, MovingPoint::still([1.0, 0.0, 0.0])?);
    /// assert!(LinearTests::default().edge_edge([p, p], [q, q]).is_none());
    /// # Ok::<(), impinge::ccd::linear::LinearError>(())
    /// ```
    #[inline]
    #[doc(alias = "CCD")]
    pub fn edge_edge(
        &mut self,
        edge_a: [MovingPoint; 2],
        edge_b: [MovingPoint; 2],
    ) -> Option<FirstContact> {
        let ([a, b], [c, d]) = (edge_a, edge_b);
        self.ask::<true>(&places([a, b, c, d]))
    }

    #[inline]
    fn ask<const EDGES: bool>(&mut self, p: &FourMovingPoints) -> Option<FirstContact> {
        let (bracket, stage) = decide::<EDGES>(p, self.width);
        self.tally.counts[stage as usize] += 1;
        bracket.map(|[lower, upper]| FirstContact { lower, upper })
    }
}

#[inline]
fn decide<const EDGES: bool>(p: &FourMovingPoints, width: f64) -> (Option<[f64; 2]>, Stage) {
    if stay_apart::<EDGES>(p) {
        return (None, Stage::Axis);
    }
    let certified = CertifiedFilter::<EDGES>::new(p);
    if certified.is_in_range() {
        match search(&certified, width) {
            SubdivisionResult::NoCubicRoot => return (None, Stage::Cubic),
            SubdivisionResult::NoContactInWhole(false) => return (None, Stage::Whole),
            SubdivisionResult::NoContactInWhole(true) => return (None, Stage::Root),
            SubdivisionResult::NoContact => return (None, Stage::Subdivision),
            SubdivisionResult::Contact(bracket) => return (Some(bracket), Stage::Root),
            SubdivisionResult::Unknown => {}
        }
    }
    (exact::decide(p, &certified, level_of(width)), Stage::Exact)
}

/// The least level whose cells are at most this wide; the width is in `(0, 1]` and normal.
fn level_of(width: f64) -> u32 {
    1023_u32.saturating_sub((width.to_bits() >> 52) as u32)
}

/// When a vertex first meets a face, within [`DEFAULT_WIDTH`]; none if never.
///
/// Exact: touching counts, at both ends of the step too; a degenerate face counts as its convex hull.
///
/// ```
/// use impinge::ccd::linear::{vertex_face, MovingPoint};
/// let [a, b, c] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|p| MovingPoint::still(p));
/// let face = [a?, b?, c?];
/// let falling = MovingPoint::new([0.25, 0.25, 3.0], [0.25, 0.25, -1.0])?;
/// let hit = vertex_face(falling, face).unwrap();
/// assert!(hit.lower <= 0.75 && 0.75 <= hit.upper);
/// let beside = MovingPoint::new([0.75, 0.75, 3.0], [0.75, 0.75, -1.0])?;
/// assert_eq!(vertex_face(beside, face), None);
/// # Ok::<(), impinge::ccd::linear::LinearError>(())
/// ```
#[must_use]
#[doc(alias = "CCD")]
#[doc(alias = "continuous collision detection")]
pub fn vertex_face(vertex: MovingPoint, face: [MovingPoint; 3]) -> Option<FirstContact> {
    LinearTests::default().vertex_face(vertex, face)
}

/// When two edges first meet, within [`DEFAULT_WIDTH`]; none if never.
///
/// Exact: touching counts, at both ends of the step too; an edge of no length counts as a point.
///
/// ```
/// use impinge::ccd::linear::{edge_edge, MovingPoint};
/// let still = [MovingPoint::still([-1.0, 0.0, 0.0])?, MovingPoint::still([1.0, 0.0, 0.0])?];
/// let falling = [
///     MovingPoint::new([0.0, -1.0, 1.0], [0.0, -1.0, -1.0])?,
///     MovingPoint::new([0.0, 1.0, 1.0], [0.0, 1.0, -1.0])?,
/// ];
/// let hit = edge_edge(still, falling).unwrap();
/// assert!(hit.lower <= 0.5 && 0.5 <= hit.upper);
/// # Ok::<(), impinge::ccd::linear::LinearError>(())
/// ```
#[must_use]
pub fn edge_edge(edge_a: [MovingPoint; 2], edge_b: [MovingPoint; 2]) -> Option<FirstContact> {
    LinearTests::default().edge_edge(edge_a, edge_b)
}

/// Whether a vertex meets a face. Exact, as [`vertex_face`].
///
/// ```
/// use impinge::ccd::linear::{vertex_face_meet, MovingPoint};
/// let still = MovingPoint::still([0.0; 3])?;
/// assert!(vertex_face_meet(MovingPoint::new([0.0; 3], [1.0; 3])?, [still; 3]));
/// # Ok::<(), impinge::ccd::linear::LinearError>(())
/// ```
#[must_use]
pub fn vertex_face_meet(vertex: MovingPoint, face: [MovingPoint; 3]) -> bool {
    LinearTests::new(1.0).vertex_face(vertex, face).is_some()
}

/// Whether two edges meet. Exact, as [`edge_edge`].
///
/// ```
/// use impinge::ccd::linear::{edge_edge_meet, MovingPoint};
/// let (p, q) = (MovingPoint::still([0.0; 3])?, MovingPoint::still([1.0, 0.0, 0.0])?);
/// assert!(edge_edge_meet([p, q], [q, q]));
/// # Ok::<(), impinge::ccd::linear::LinearError>(())
/// ```
#[must_use]
pub fn edge_edge_meet(edge_a: [MovingPoint; 2], edge_b: [MovingPoint; 2]) -> bool {
    LinearTests::new(1.0).edge_edge(edge_a, edge_b).is_some()
}
