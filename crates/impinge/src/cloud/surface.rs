//! The surface behind the points of a cloud.
//!
//! **Question.** Where is the surface that the points were taken from?
//! **Idea.** Around a place x the points are weighted by their distance along the surface, read from a proximity graph; the weighted mean and the direction in which the weighted points
//! spread least give a plane, and f(x) is the distance from it. The surface is where f is zero. Weights by straight distance would mix sheets that are
//! close to each other but far along the surface, and show surface between them.
//! **Source.** Klein, 4.1 to 4.5; kernels and the covariance about the mean as there.
//! **Cost.** One search for the nearest point and a few dozen weights. **Promise.** A plane is reproduced exactly by every kernel; a ball of radius R, by the Gaussian, h²/(2R) too small.
//! Where the function is not defined the answer says so and why.
//! **Limits.** f jumps where the nearest edge changes, by what path lengths differ; borders are rounded off by about the bandwidth.

use std::sync::Arc;

use glam::DVec3;

use super::evaluation::{Evaluation, Finish, ImplicitSurface, Moments, Scratch, Undefined};
use super::gaussian::offsets;
use super::graph::ProximityGraph;
use super::kernel::Kernel;
use super::orient::oriented;
use super::paths::{Horizon, PathLength, PathMap};
use super::points::{CloudError, PointId, check_normal};
use super::spread::map_shares;
use crate::math::is_valid_point;

/// The border is no nearer than this share of the horizon: at the rim of a plane the mean of a Gaussian lags 0.21 of it behind.
const BORDER_SHARE: f64 = 0.38;

/// A local kernel under which too few points are is widened up to this much.
const WIDEST: f64 = 1.5;
/// In steps of this.
const WIDER: f64 = 1.145;
/// Paths are kept a little beyond the horizon of a local kernel; longer lists would cost every evaluation, and a widened kernel gets its points from these.
const LISTED: f64 = 1.15;

/// Which distance weights the points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Distance {
    /// The straight one.
    Euclidean,
    /// Along the graph from both ends of the nearest edge, blended by where on it the place projects to.
    #[default]
    Geodesic,
    /// Along the graph from the end that gives the smaller length: more exact, with more jumps.
    Shortest,
    /// As [`Distance::Geodesic`], path lengths multiplied by their number of edges: for very irregular samples.
    Hops,
    /// As [`Distance::Geodesic`], averaged over places around by a Gaussian whose standard deviation is this many local spacings: fewer jumps, thirteen times the searches.
    Averaged(f64),
}

/// How wide the kernel is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Bandwidth {
    /// The same everywhere.
    Fixed(f64),
    /// The kernel ends at `eta` local spacings, so it follows the density.
    Local {
        /// 4 to 6 for clean samples, more for noisy ones: see [`Calibration`](super::Calibration).
        eta: f64,
    },
}

/// What the covariance is taken about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Centre {
    /// The weighted mean.
    #[default]
    Mean,
    /// The place itself, as in older definitions: for comparison.
    Place,
}

/// How a surface is defined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceOptions {
    /// The shape of the weight.
    pub kernel: Kernel,
    /// Which distance it is taken of.
    pub distance: Distance,
    /// How paths are measured.
    pub paths: PathLength,
    /// How wide it is.
    pub bandwidth: Bandwidth,
    /// What the covariance is taken about.
    pub centre: Centre,
    /// The weight at which the Gaussian is cut off.
    pub negligible: f64,
    /// With fewer points the function is undefined.
    pub min_support: u32,
    /// How many local spacings the mean may lag behind before the place is beyond the border.
    pub border: f64,
}

impl Default for SurfaceOptions {
    fn default() -> Self {
        Self {
            kernel: Kernel::Gaussian,
            distance: Distance::Geodesic,
            paths: PathLength::Polyline,
            bandwidth: Bandwidth::Local { eta: 5.0 },
            centre: Centre::Mean,
            negligible: 1e-3,
            min_support: 5,
            border: 2.0,
        }
    }
}

/// The surface of a cloud by weighted least squares.
///
/// ```
/// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, ImplicitSurface, PointCloud, ProximityGraph, Scratch, SurfaceOptions}};
/// let grid = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]);
/// let graph = ProximityGraph::new(&PointCloud::from_points(grid)?, &GraphOptions::default())?;
/// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
/// let mut scratch = Scratch::default();
/// let above = surface.evaluate(DVec3::new(7.3, 8.2, 0.5), &mut scratch).value().unwrap();
/// assert!((above.abs() - 0.5).abs() < 1e-12 && scratch.evaluations == 1);
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CloudSurface {
    pub(super) graph: Arc<ProximityGraph>,
    pub(super) paths: Option<Arc<PathMap>>,
    pub(super) options: SurfaceOptions,
    /// By id; zero where none is known.
    pub(super) normals: Vec<DVec3>,
    /// Bandwidths to the horizon.
    horizon: f64,
    /// No point has a larger spacing.
    pub(super) widest: f64,
}

/// Where a place is anchored to the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    /// The nearest point, and the other end of the nearest edge at it.
    pub(super) ends: [PointId; 2],
    /// Where on the edge the place projects to, from 0 to 1.
    pub(super) t: f64,
    /// The edge's length.
    pub(super) edge: f64,
    /// The local spacing.
    pub(super) spacing: f64,
}

impl CloudSurface {
    /// The surface of a graph's points, its normals oriented by propagation along the graph.
    ///
    /// # Errors
    /// [`CloudError::Setting`] when a number in the options is not positive.
    ///
    /// ```
    /// use impinge::cloud::{Bandwidth, CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// let options = SurfaceOptions { bandwidth: Bandwidth::Fixed(0.0), ..SurfaceOptions::default() };
    /// assert!(CloudSurface::new(graph.into(), options).is_err());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn new(graph: Arc<ProximityGraph>, options: SurfaceOptions) -> Result<Self, CloudError> {
        let mut surface = Self::unoriented(graph, options)?;
        surface.normals = oriented(&surface.graph, surface.raw_normals());
        Ok(surface)
    }

    /// The surface of a graph's points, each with the unit normal of the same number. Normals only say which side is which: the surface finds its own directions and turns them to agree.
    ///
    /// # Errors
    /// As [`CloudSurface::new`], [`CloudError::NormalCount`], and [`CloudError::NotUnit`] for a normal that has no direction.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, ImplicitSurface, PointCloud, ProximityGraph, Scratch, SurfaceOptions}};
    /// let grid = PointCloud::from_points((0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]))?;
    /// let graph = Arc::new(ProximityGraph::new(&grid, &GraphOptions::default())?);
    /// let value = |normal: DVec3| {
    ///     let surface = CloudSurface::with_normals(graph.clone(), SurfaceOptions::default(), vec![normal; 400])?;
    ///     Ok::<_, impinge::cloud::CloudError>(surface.evaluate(DVec3::new(7.3, 8.2, 0.5), &mut Scratch::default()).value().unwrap())
    /// };
    /// assert!((value(DVec3::Z)? + value(DVec3::NEG_Z)?).abs() < 1e-12 && value(DVec3::Z)? < 0.0);
    /// assert!(value(DVec3::ZERO).is_err());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn with_normals(
        graph: Arc<ProximityGraph>,
        options: SurfaceOptions,
        normals: Vec<DVec3>,
    ) -> Result<Self, CloudError> {
        if normals.len() != graph.points.len() {
            return Err(CloudError::NormalCount {
                points: graph.points.len(),
                normals: normals.len(),
            });
        }
        for (point, &normal) in normals.iter().enumerate() {
            check_normal(point, normal)?;
        }
        let mut surface = Self::unoriented(graph, options)?;
        let own = surface.raw_normals();
        let turned = own.into_iter().zip(normals).map(|(own, given)| {
            if own == DVec3::ZERO {
                given
            } else if own.dot(given) < 0.0 {
                -own
            } else {
                own
            }
        });
        surface.normals = turned.collect();
        Ok(surface)
    }

    /// The surface of a graph's points whose normals are left as they come: enough where only |f| matters, and cheaper to make.
    ///
    /// # Errors
    /// As [`CloudSurface::new`].
    ///
    /// ```
    /// use impinge::cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert!(CloudSurface::unoriented(graph.into(), SurfaceOptions::default())?.normals().is_empty());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    pub fn unoriented(
        graph: Arc<ProximityGraph>,
        options: SurfaceOptions,
    ) -> Result<Self, CloudError> {
        let positive = |what, value: f64| {
            let is_fine = value > 0.0 && value.is_finite();
            is_fine
                .then_some(())
                .ok_or(CloudError::Setting { what, value })
        };
        match options.bandwidth {
            Bandwidth::Fixed(h) => positive("the bandwidth", h)?,
            Bandwidth::Local { eta } => positive("eta", eta)?,
        }
        if !(options.negligible > 0.0 && options.negligible < 1.0) {
            return Err(CloudError::Setting {
                what: "the negligible weight",
                value: options.negligible,
            });
        }
        if let Distance::Averaged(width) = options.distance {
            positive("the width of the average", width)?;
        }
        let horizon = options.kernel.horizon(options.negligible);
        let paths = match options.distance {
            Distance::Euclidean => None,
            _ => {
                let wanted = match options.bandwidth {
                    Bandwidth::Fixed(h) => Horizon::Length(h * horizon),
                    Bandwidth::Local { eta } => {
                        Horizon::Edges(LISTED * eta / graph.edges_per_spacing())
                    }
                };
                Some(Arc::new(PathMap::new(&graph, wanted, options.paths)?))
            }
        };
        let spacings = graph.ids().map(|id| graph.spacing(id));
        Ok(Self {
            widest: spacings.fold(0.0, f64::max),
            graph,
            paths,
            options,
            normals: Vec::new(),
            horizon,
        })
    }

    /// The normal of each point by the surface itself, of any sign; zero where it is undefined.
    fn raw_normals(&self) -> Vec<DVec3> {
        let places: Vec<usize> = (0..self.graph.points.len()).collect();
        let found = map_shares(&places, |ids| {
            let mut scratch = Scratch::default();
            let one = |&id: &usize| {
                if !self.graph.is_live[id] {
                    return DVec3::ZERO;
                }
                let here = self.evaluate(self.graph.points[id], &mut scratch);
                here.sample().map_or(DVec3::ZERO, |sample| sample.normal)
            };
            ids.iter().map(one).collect::<Vec<_>>()
        });
        found.into_iter().flatten().collect()
    }

    /// The graph below.
    ///
    /// ```
    /// use impinge::cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert!(CloudSurface::new(graph.into(), SurfaceOptions::default())?.graph().is_empty());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn graph(&self) -> &ProximityGraph {
        &self.graph
    }

    /// The path lengths below, unless the distance is the straight one.
    ///
    /// ```
    /// use impinge::cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert!(CloudSurface::new(graph.into(), SurfaceOptions::default())?.paths().is_some());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn paths(&self) -> Option<&PathMap> {
        self.paths.as_deref()
    }

    /// How the surface is defined.
    ///
    /// ```
    /// use impinge::cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert_eq!(CloudSurface::new(graph.into(), SurfaceOptions::default())?.options().min_support, 5);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn options(&self) -> &SurfaceOptions {
        &self.options
    }

    /// The normals that say which side is which, by id; zero where there is none, empty when not oriented.
    ///
    /// ```
    /// use impinge::cloud::{CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions};
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// assert!(CloudSurface::new(graph.into(), SurfaceOptions::default())?.normals().is_empty());
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// Bandwidth and horizon where the spacing is this.
    #[inline]
    pub(super) fn width(&self, spacing: f64) -> (f64, f64) {
        match self.options.bandwidth {
            Bandwidth::Fixed(h) => (h, h * self.horizon),
            Bandwidth::Local { eta } => {
                let end = eta * spacing;
                (end / self.horizon, end)
            }
        }
    }

    /// How far the mean lags behind at the border, where the kernel ends at `end`.
    #[inline]
    fn border(&self, spacing: f64, end: f64) -> f64 {
        (self.options.border * spacing).max(BORDER_SHARE * end)
    }

    /// How far the surface may reach beyond the convex hull of its points: what is farther from it is proven to be no part of the surface.
    ///
    /// The mean a(x) is in the hull, and a zero of f counts only where the mean lags behind by less than the border allows. After edits this is never too small.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, ImplicitSurface, PointCloud, ProximityGraph, Scratch, SurfaceOptions}};
    /// let grid = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]);
    /// let graph = ProximityGraph::new(&PointCloud::from_points(grid)?, &GraphOptions::default())?;
    /// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// let mut is_surface = |x: f64| {
    ///     let here = surface.evaluate(DVec3::new(x, 9.5, 0.0), &mut Scratch::default());
    ///     here.sample().is_some_and(|s| !s.is_beyond_border)
    /// };
    /// assert!(is_surface(19.1) && !is_surface(19.0 + surface.overhang()));
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn overhang(&self) -> f64 {
        let (_, end) = self.width(self.widest);
        let widened = match self.options.bandwidth {
            Bandwidth::Fixed(_) => 1.0,
            Bandwidth::Local { .. } => WIDEST,
        };
        self.border(self.widest, end * widened)
    }

    /// Where a place is anchored: the nearest edge at the nearest point; none when that point has no edge.
    #[inline]
    pub(super) fn anchor(&self, x: DVec3, nearest: PointId) -> Option<Anchor> {
        let graph = &*self.graph;
        let from = graph.points[nearest.index()];
        let to_x = x - from;
        let mut best = (f64::INFINITY, nearest, 0.0, 0.0);
        for &q in graph.neighbours(nearest) {
            let along = graph.points[q.index()] - from;
            let length_sq = along.length_squared();
            let t = if length_sq > 0.0 {
                (to_x.dot(along) / length_sq).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let off = (to_x - along * t).length_squared();
            if off < best.0 {
                best = (off, q, t, length_sq);
            }
        }
        let (off, other, t, length_sq) = best;
        off.is_finite().then(|| Anchor {
            ends: [nearest, other],
            t,
            edge: length_sq.sqrt(),
            spacing: (1.0 - t) * graph.spacing(nearest) + t * graph.spacing(other),
        })
    }

    fn finish(
        &self,
        x: DVec3,
        moments: &Moments,
        nearest: PointId,
        h: f64,
        end: f64,
        spacing: f64,
    ) -> Evaluation {
        let finish = Finish {
            reference: self.graph.points[nearest.index()],
            bandwidth: h,
            min_support: self.options.min_support,
            about_place: self.options.centre == Centre::Place,
            border: self.border(spacing, end),
            facing: self
                .normals
                .get(nearest.index())
                .copied()
                .unwrap_or(DVec3::ZERO),
        };
        finish.finish(x, moments)
    }

    fn euclidean(&self, x: DVec3, nearest: PointId) -> Evaluation {
        let graph = &*self.graph;
        let spacing = match (self.options.bandwidth, self.anchor(x, nearest)) {
            (_, Some(anchor)) => anchor.spacing,
            (Bandwidth::Fixed(_), None) => 0.0,
            (Bandwidth::Local { .. }, None) => {
                return Evaluation::undefined(Undefined::Isolated);
            }
        };
        let reference = graph.points[nearest.index()];
        self.widened(x, nearest, spacing, |h, end, moments| {
            let inverse = 1.0 / h;
            graph.tree.visit_within(x, end, |slot, distance_sq| {
                let weight = self.options.kernel.weight(distance_sq.sqrt() * inverse);
                if weight > 0.0 {
                    moments.add(slot.place - reference, weight);
                }
            });
        })
    }

    fn geodesic(&self, x: DVec3, nearest: PointId, scratch: &mut Scratch) -> Evaluation {
        let (Some(anchor), Some(paths)) = (self.anchor(x, nearest), &self.paths) else {
            return Evaluation::undefined(Undefined::Isolated);
        };
        let places = &self.graph.points;
        let reference = places[nearest.index()];
        let kernel = self.options.kernel;
        self.widened(x, nearest, anchor.spacing, |h, end, moments| {
            let inverse = 1.0 / h;
            let mut add = |point: PointId, distance: f64| {
                if distance <= end {
                    let weight = kernel.weight(distance * inverse);
                    if weight > 0.0 {
                        moments.add(places[point.index()] - reference, weight);
                    }
                }
            };
            if let Distance::Averaged(width) = self.options.distance {
                self.averaged(x, width * anchor.spacing, paths, end, scratch);
                for (point, &(sum, weight)) in scratch.sums.iter() {
                    // From where the point is not seen, it is at the horizon at least.
                    add(point, sum + (1.0 - weight) * end);
                }
            } else {
                self.blended(paths, &anchor, end, scratch, add);
            }
        })
    }

    /// The evaluation with the points that `gather` finds for a bandwidth and horizon; a local bandwidth is widened until enough count.
    #[inline]
    fn widened(
        &self,
        x: DVec3,
        nearest: PointId,
        spacing: f64,
        mut gather: impl FnMut(f64, f64, &mut Moments),
    ) -> Evaluation {
        let (h, end) = self.width(spacing);
        let most = match self.options.bandwidth {
            Bandwidth::Fixed(_) => 1.0,
            Bandwidth::Local { .. } => WIDEST,
        };
        let mut factor = 1.0;
        loop {
            let mut moments = Moments::default();
            gather(h * factor, end * factor, &mut moments);
            let is_enough = moments.support >= self.options.min_support;
            if is_enough || factor * WIDER > most {
                return self.finish(x, &moments, nearest, h * factor, end * factor, spacing);
            }
            factor *= WIDER;
        }
    }

    /// Visits the points that may count with their distance from an anchored place.
    #[inline]
    fn blended(
        &self,
        paths: &PathMap,
        anchor: &Anchor,
        end: f64,
        scratch: &mut Scratch,
        mut visit: impl FnMut(PointId, f64),
    ) {
        let lengths = &mut scratch.lengths;
        lengths.clear();
        let by_hops = self.options.distance == Distance::Hops;
        for (side, &from) in anchor.ends.iter().enumerate() {
            for reached in paths.from(from) {
                // From the other end it is nearer by the edge at most.
                if reached.length > end + anchor.edge {
                    break;
                }
                let factor = if by_hops {
                    f64::from(reached.hops.max(1))
                } else {
                    1.0
                };
                lengths.entry(reached.point, [f64::INFINITY; 2])[side] = reached.length * factor;
            }
        }
        let (t, edge) = (anchor.t, anchor.edge);
        let shortest = self.options.distance == Distance::Shortest;
        for (point, &[l1, l2]) in lengths.iter() {
            // What only one list holds is at most an edge farther from the other end.
            let (l1, l2) = (l1.min(l2 + edge), l2.min(l1 + edge));
            let (d1, d2) = (l1 + t * edge, l2 + (1.0 - t) * edge);
            let distance = if shortest {
                d1.min(d2)
            } else {
                (1.0 - t) * d1 + t * d2
            };
            visit(point, distance);
        }
    }

    /// The function at a place that is known to be valid and nearest to this point; not counted.
    #[inline]
    pub(super) fn evaluate_from(
        &self,
        x: DVec3,
        nearest: PointId,
        scratch: &mut Scratch,
    ) -> Evaluation {
        match self.options.distance {
            Distance::Euclidean => self.euclidean(x, nearest),
            _ => self.geodesic(x, nearest, scratch),
        }
    }

    /// Sums distances over a place and those around it, by the weights of a Gaussian.
    fn averaged(&self, x: DVec3, deviation: f64, paths: &PathMap, end: f64, scratch: &mut Scratch) {
        let mut sums = std::mem::take(&mut scratch.sums);
        sums.clear();
        for (offset, weight) in offsets(deviation) {
            let place = x + offset;
            let Some(nearest) = self.graph.tree.nearest(place) else {
                continue;
            };
            if let Some(anchor) = self.anchor(place, nearest.point) {
                self.blended(paths, &anchor, end, scratch, |point, distance| {
                    let sum = sums.entry(point, (0.0, 0.0));
                    sum.0 += weight * distance.min(end);
                    sum.1 += weight;
                });
            }
        }
        scratch.sums = sums;
    }
}

impl ImplicitSurface for CloudSurface {
    fn evaluate(&self, x: DVec3, scratch: &mut Scratch) -> Evaluation {
        scratch.evaluations += 1;
        if !is_valid_point(x) {
            return Evaluation::undefined(Undefined::NotFinite);
        }
        let Some(nearest) = self.graph.tree.nearest(x) else {
            return Evaluation::undefined(Undefined::Empty);
        };
        self.evaluate_from(x, nearest.point, scratch)
    }
}
