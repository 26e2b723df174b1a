//! Separating planes by the perceptron rule.
//!
//! **Question.** Is there a plane with all points of `a` on one side and all of `b` on the other?
//! **Idea.** A plane `(n, d)` separates when `w·z > 0` for every `z` of `{(−p, 1)} ∪ {(q, −1)}` with `w = (n, d)`. Go through the
//! points; add `eta·z` for each that is on the wrong side; stop after a clean pass.
//! **Source.** Zachmann 1994, section 3.4: the three first planes, `eta`, its relaxation, the adaptive step. Its printed
//! sum over updates lacks a factor 2, which does not matter. The source's restriction to points in the common box is unsound
//! and left out.
//! **Cost.** A product per point and pass. From `w = 0` with a fixed step there are fewer than `R²/D²` updates, where `R` is the
//! largest `|z|` and `D` the margin of the best plane: independent of the number of points, without bound as the gap
//! closes.
//! **Stop.** The source would estimate the largest margin after each pass and stop at the bound, but says not how; what a pass yields is a
//! margin from below, which is positive only at the end. The updates themselves bound it from above: each of step `s` adds at least
//! `s·D` to the product of `w` with the best plane, so that `D ≤ (|w| + |w⁰|)/Σs`. With the points in the unit box a gap of `g` leaves a
//! margin of at least `g/4`, so that the search may end as soon as `4D` is below the gap that matters.
//! **Promise.** A plane that is returned separates, rounding included; so do the hulls. No plane within the allowed updates
//! says nothing for certain.

use glam::DVec3;
use impinge::convex::SeparatingPlane;

use impinge::bound::Aabb;
use impinge::query::Verdict;

/// Which plane a search begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum InitialPlane {
    /// Across the x axis, through the origin of the search.
    Axis,
    /// Half-way between the means of the points.
    Means,
    /// Half-way between the centres of the boxes.
    #[default]
    Boxes,
    /// A plane that is likely to separate, from an earlier search.
    Given(SeparatingPlane),
}

/// How much of a point on the wrong side is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PerceptronStep {
    /// This much, times the relaxation factor after each update.
    Relaxed {
        /// The first step.
        eta: f64,
        /// The factor, 1 for none.
        factor: f64,
    },
    /// As much as the point is wrong: `|w·z| / (|w||z|)`.
    Adaptive,
}

/// How a plane is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerceptronConfig {
    /// The first plane.
    pub initial: InitialPlane,
    /// The step.
    pub step: PerceptronStep,
    /// Updates that may be made.
    pub max_updates: u32,
    /// The search ends once the gap is proven to be narrower than this; 0 for never.
    pub min_gap: f64,
}

impl Default for PerceptronConfig {
    fn default() -> Self {
        Self {
            initial: InitialPlane::Boxes,
            step: PerceptronStep::Relaxed {
                eta: 0.007,
                factor: 1.0,
            },
            max_updates: 1000,
            min_gap: 0.0,
        }
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerceptronResult {
    /// A plane that separates, when one was found.
    pub plane: Option<SeparatingPlane>,
    /// The last plane, separating or not.
    pub last: SeparatingPlane,
    /// Updates made.
    pub updates: u32,
    /// Passes begun over the points.
    pub passes: u32,
    /// Products of a plane with a point.
    pub products: u64,
    /// `R²/D²` for the margin `D` of the found plane: an upper bound of the updates that a search from nothing needs.
    pub update_bound: Option<f64>,
    /// The hulls are no farther apart than this, or meet; infinite before the first update.
    pub gap_bound: f64,
}

impl PerceptronResult {
    /// Certainly disjoint when a plane was found; otherwise possibly intersecting.
    ///
    /// The confidence is one minus the largest margin, relative to the size, that this number of
    /// updates does not exclude.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_study::convex::{PerceptronConfig, separating_plane};
    /// let found = separating_plane(&[DVec3::ZERO], &[DVec3::X], &PerceptronConfig::default());
    /// assert!(found.verdict().certain && !found.verdict().answer);
    /// ```
    pub fn verdict(&self) -> Verdict {
        match self.plane {
            Some(_) => Verdict::proven(false),
            None => Verdict::likely(true, 1.0 - 1.0 / f64::from(self.updates.max(1)).sqrt()),
        }
    }
}

/// Passes over the points, whatever the number of updates.
const MAX_PASSES: u32 = 1_000_000;

/// Searches a plane with all points of `a` below and all points of `b` above it.
///
/// ```
/// use impinge::DVec3;
/// use impinge_study::convex::{PerceptronConfig, separating_plane};
/// let (a, b) = ([DVec3::ZERO, DVec3::Y], [DVec3::X, DVec3::X + DVec3::Z]);
/// let found = separating_plane(&a, &b, &PerceptronConfig::default());
/// let plane = found.plane.ok_or("none found")?;
/// assert!(a.iter().all(|p| p.dot(plane.normal) < plane.offset));
/// assert!(b.iter().all(|q| q.dot(plane.normal) > plane.offset));
/// assert!(found.verdict().certain && !found.verdict().answer);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
#[doc(alias = "perceptron")]
#[doc(alias = "linear separability")]
pub fn separating_plane(a: &[DVec3], b: &[DVec3], config: &PerceptronConfig) -> PerceptronResult {
    let frame = UnitFrame::around(a, b);
    let mut w = frame.first_plane(a, b, config.initial);
    let mut eta = match config.step {
        PerceptronStep::Relaxed { eta, .. } => eta,
        PerceptronStep::Adaptive => 1.0,
    };
    let (mut updates, mut passes, mut products) = (0, 0, 0);
    let (first_size, mut steps) = (w.size(), 0.0);
    let mut margin;
    loop {
        passes += 1;
        margin = f64::INFINITY;
        let mut is_clean = true;
        let of_a = a.iter().map(|&p| frame.row(p, true));
        let of_b = b.iter().map(|&q| frame.row(q, false));
        for z in of_a.chain(of_b) {
            products += 1;
            let side = w.dot(z);
            margin = margin.min(side);
            if side > frame.slack * w.size() {
                continue;
            }
            is_clean = false;
            if updates >= config.max_updates {
                break;
            }
            updates += 1;
            let step = match config.step {
                PerceptronStep::Relaxed { factor, .. } => {
                    let step = eta;
                    eta *= factor;
                    step
                }
                // A point on the plane itself is wrong by nothing and must still move it.
                PerceptronStep::Adaptive => {
                    (side.abs() / (w.size() * z.size()).max(f64::MIN_POSITIVE)).max(1e-3)
                }
            };
            w = w.plus(z, step);
            steps += step;
        }
        // 4 for a plane of the unit box; rounding of as many additions as there were updates.
        let rounding = 1.0 + f64::EPSILON * (8.0 + 4.0 * f64::from(updates));
        let gap_bound = if steps > 0.0 {
            4.0 * rounding * (w.size() + first_size) / (steps * frame.scale)
        } else {
            f64::INFINITY
        };
        let is_narrow = gap_bound < config.min_gap;
        if is_clean || is_narrow || updates >= config.max_updates || passes >= MAX_PASSES {
            let plane = frame.plane(w);
            let found = is_clean && w.size() > 0.0;
            let relative = margin / w.size();
            return PerceptronResult {
                plane: found.then_some(plane),
                last: plane,
                updates,
                passes,
                products,
                update_bound: found.then(|| frame.reach_sq(a, b) / (relative * relative)),
                gap_bound,
            };
        }
    }
}

/// A point or plane of four coordinates.
#[derive(Clone, Copy, Debug)]
struct HomogeneousPoint {
    xyz: DVec3,
    last: f64,
}

impl HomogeneousPoint {
    fn dot(self, other: Self) -> f64 {
        self.xyz.dot(other.xyz) + self.last * other.last
    }
    fn size(self) -> f64 {
        self.dot(self).sqrt()
    }
    fn plus(self, other: Self, factor: f64) -> Self {
        Self {
            xyz: self.xyz + other.xyz * factor,
            last: self.last + other.last * factor,
        }
    }
}

/// Coordinates in which all points lie in the unit box: the step means the same for every pair.
struct UnitFrame {
    origin: DVec3,
    scale: f64,
    /// Rounding of a product of unit vectors in these coordinates.
    slack: f64,
}

impl UnitFrame {
    fn around(a: &[DVec3], b: &[DVec3]) -> Self {
        let bounds = Aabb::enclosing(a.iter().chain(b).copied());
        if bounds.is_empty() {
            return Self {
                origin: DVec3::ZERO,
                scale: 1.0,
                slack: 0.0,
            };
        }
        let scale = 1.0 / bounds.half_extent().max_element().max(f64::MIN_POSITIVE);
        let far = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self {
            origin: bounds.center(),
            scale: scale.min(f64::MAX),
            slack: 32.0 * f64::EPSILON * (1.0 + far * scale.min(f64::MAX)),
        }
    }

    fn row(&self, p: DVec3, is_of_a: bool) -> HomogeneousPoint {
        let xyz = (p - self.origin) * self.scale;
        if is_of_a {
            HomogeneousPoint {
                xyz: -xyz,
                last: 1.0,
            }
        } else {
            HomogeneousPoint { xyz, last: -1.0 }
        }
    }

    fn first_plane(&self, a: &[DVec3], b: &[DVec3], initial: InitialPlane) -> HomogeneousPoint {
        let between = |p: DVec3, q: DVec3| {
            let normal = (q - p).try_normalize().unwrap_or(DVec3::X);
            let middle = ((p - self.origin) + (q - self.origin)) * (0.5 * self.scale);
            HomogeneousPoint {
                xyz: normal,
                last: normal.dot(middle),
            }
        };
        let mean = |points: &[DVec3]| {
            let share = 1.0 / points.len().max(1) as f64;
            points.iter().map(|&p| p * share).sum()
        };
        let middle = |points: &[DVec3]| Aabb::enclosing(points.iter().copied()).center();
        match initial {
            InitialPlane::Axis => HomogeneousPoint {
                xyz: DVec3::X,
                last: 0.0,
            },
            InitialPlane::Means => between(mean(a), mean(b)),
            InitialPlane::Boxes if a.is_empty() || b.is_empty() => HomogeneousPoint {
                xyz: DVec3::X,
                last: 0.0,
            },
            InitialPlane::Boxes => between(middle(a), middle(b)),
            InitialPlane::Given(plane) => {
                let length = plane.normal.length();
                if length > 0.0 && length.is_finite() && plane.offset.is_finite() {
                    let normal = plane.normal / length;
                    HomogeneousPoint {
                        xyz: normal,
                        last: (plane.offset / length - normal.dot(self.origin)) * self.scale,
                    }
                } else {
                    HomogeneousPoint {
                        xyz: DVec3::X,
                        last: 0.0,
                    }
                }
            }
        }
    }

    fn plane(&self, w: HomogeneousPoint) -> SeparatingPlane {
        SeparatingPlane {
            normal: w.xyz,
            offset: w.last / self.scale + w.xyz.dot(self.origin),
        }
    }

    fn reach_sq(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        a.iter()
            .chain(b)
            .map(|&p| self.row(p, true).dot(self.row(p, true)))
            .fold(0.0, f64::max)
    }
}
