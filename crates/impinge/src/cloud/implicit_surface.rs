//! Moving least squares (MLS) surface of a point cloud.
//!
//! **Question.** Where is the surface from which the points were sampled?
//! **Idea.** Around a place x the points are weighted by their distance along the surface, taken
//! from a proximity graph. The weighted mean and the direction of least spread give a plane, and
//! f(x) is the distance from it. The surface is where f is zero. Weights by straight distance would
//! mix sheets that are close to each other but far along the surface, and give false surface
//! between them.
//! **Source.** Klein, 4.1 to 4.5, kernels and the covariance about the mean included.
//! **Cost.** One search for the nearest point and a few dozen weights.
//! **Promise.** A plane is reproduced exactly by every kernel; a sphere of radius R becomes h²/(2R)
//! too small with the Gaussian. Where the function is undefined, the result says why.
//! **Limits.** f jumps where the nearest edge changes, by the difference of path lengths; borders
//! are rounded off by about the bandwidth.

use std::sync::Arc;

use glam::DVec3;

use super::evaluation::{EvaluationScratch, ImplicitSurface as _};
use super::geodesic_paths::{PathHorizon, PathMap};
use super::orient_normals::oriented;
use super::parallel::map_shares;
use super::point_cloud::{CloudError, check_normal};
use super::proximity_graph::ProximityGraph;
use super::surface_options::{Bandwidth, SurfaceOptions, WeightDistance};

/// The border is no nearer than this share of the horizon: at the rim of a plane the mean of a Gaussian lags 0.21 of it behind.
const BORDER_SHARE: f64 = 0.38;

/// A local kernel under which too few points are is widened up to this much.
pub(super) const WIDEST: f64 = 1.5;
/// Paths are kept a little beyond the horizon of a local kernel; longer lists would cost every evaluation, and a widened kernel gets its points from these.
const LISTED: f64 = 1.15;

/// The surface of a cloud by weighted least squares.
///
/// ```
/// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, ImplicitSurface, PointCloud, ProximityGraph, EvaluationScratch, SurfaceOptions}};
/// let grid = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]);
/// let graph = ProximityGraph::new(&PointCloud::from_points(grid)?, &GraphOptions::default())?;
/// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
/// let mut scratch = EvaluationScratch::default();
/// let above = surface.evaluate(DVec3::new(7.3, 8.2, 0.5), &mut scratch).value().unwrap();
/// assert!((above.abs() - 0.5).abs() < 1e-12 && scratch.evaluations == 1);
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "moving least squares")]
#[doc(alias = "MLS")]
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

    /// The surface of a graph's points, each with the unit normal of the same number. Normals only
    /// define the sides: the surface computes its own directions and orients them accordingly.
    ///
    /// # Errors
    /// As [`CloudSurface::new`], [`CloudError::NormalCount`], and [`CloudError::NotUnit`] for a normal that has no direction.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, ImplicitSurface, PointCloud, ProximityGraph, EvaluationScratch, SurfaceOptions}};
    /// let grid = PointCloud::from_points((0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]))?;
    /// let graph = Arc::new(ProximityGraph::new(&grid, &GraphOptions::default())?);
    /// let value = |normal: DVec3| {
    ///     let surface = CloudSurface::with_normals(graph.clone(), SurfaceOptions::default(), vec![normal; 400])?;
    ///     Ok::<_, impinge::cloud::CloudError>(surface.evaluate(DVec3::new(7.3, 8.2, 0.5), &mut EvaluationScratch::default()).value().unwrap())
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
        surface.normals = Self::facing(surface.raw_normals(), &normals);
        Ok(surface)
    }

    /// Normals, each turned to the side of the given one, which stands in where there is none.
    pub(super) fn facing(own: Vec<DVec3>, given: &[DVec3]) -> Vec<DVec3> {
        let turned = own.into_iter().zip(given).map(|(own, &given)| {
            if own == DVec3::ZERO {
                given
            } else if own.dot(given) < 0.0 {
                -own
            } else {
                own
            }
        });
        turned.collect()
    }

    /// The surface of a graph's points without oriented normals: sufficient where only |f| matters,
    /// and cheaper to build.
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
        if let WeightDistance::Averaged(width) = options.distance {
            positive("the width of the average", width)?;
        }
        let horizon = options.kernel.horizon(options.negligible);
        let paths = match options.distance {
            WeightDistance::Euclidean => None,
            _ => {
                let wanted = match options.bandwidth {
                    Bandwidth::Fixed(h) => PathHorizon::Length(h * horizon),
                    Bandwidth::Local { eta } => {
                        PathHorizon::Edges(LISTED * eta / graph.edges_per_spacing())
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
            let mut scratch = EvaluationScratch::default();
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

    /// The proximity graph of the surface.
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

    /// The path lengths that weights use, unless the distance is the straight one.
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

    /// The normals that define the sides, by id; zero where there is none, empty when not oriented.
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
    pub(super) fn border(&self, spacing: f64, end: f64) -> f64 {
        (self.options.border * spacing).max(BORDER_SHARE * end)
    }

    /// The maximum distance of the surface from the convex hull of its points: anything farther
    /// away is proven not to be surface.
    ///
    /// The mean a(x) is in the hull, and a zero of f counts only where the mean lags behind by less
    /// than the border allows. After edits it is never too small.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::{CloudSurface, GraphOptions, ImplicitSurface, PointCloud, ProximityGraph, EvaluationScratch, SurfaceOptions}};
    /// let grid = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]);
    /// let graph = ProximityGraph::new(&PointCloud::from_points(grid)?, &GraphOptions::default())?;
    /// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// let mut is_surface = |x: f64| {
    ///     let here = surface.evaluate(DVec3::new(x, 9.5, 0.0), &mut EvaluationScratch::default());
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
}
