//! A cloud with the indexes that queries about it need, each built once.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

#[cfg(feature = "clouds")]
use super::hierarchy::{CloudTree, CloudTreeOptions};
#[cfg(feature = "clouds")]
use super::implicit_surface::CloudSurface;
use super::kd_tree::KdTree;
use super::point_cloud::PointCloud;
use crate::bound::Aabb;

/// A cloud as a shape. Objects that share it share its indexes.
///
/// Queries treat it as the set of its points, with nothing between them; it intersects a shape that contains one of them. Answers are as
/// exact as for other shapes. With the surface behind its points, [`ProbabilisticQuery`](crate::pair::ProbabilisticQuery) decides whether two such surfaces intersect.
///
/// ```
/// use impinge::{Pose, cloud::{CloudShape, PointCloud}, convex::Ball, pair::{IntersectionQuery, PairConfig, Shape}};
/// let cloud = CloudShape::new(PointCloud::from_points([[0.0, 0.0, 3.0], [5.0, 0.0, 0.0]])?.into());
/// let (ball, cloud) = (Shape::from(Ball::new(1.0)?), Shape::from(cloud));
/// let mut query = IntersectionQuery::new(&ball, &cloud, &PairConfig::default())?;
/// assert!(!query.any(&Pose::IDENTITY) && query.any(&Pose::from_translation([0.0, 0.0, -2.0])?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CloudShape {
    cloud: Arc<PointCloud>,
    bounds: Aabb,
    tree: OnceLock<Arc<KdTree>>,
    #[cfg(feature = "clouds")]
    surface: Option<Arc<CloudSurface>>,
    #[cfg(feature = "clouds")]
    surface_tree: OnceLock<Option<Arc<CloudTree>>>,
}

impl CloudShape {
    /// The shape of a cloud. Nothing is built yet.
    ///
    /// ```
    /// use impinge::cloud::{CloudShape, PointCloud};
    /// let shape = CloudShape::new(PointCloud::from_points([[0.0; 3], [1.0; 3]])?.into());
    /// assert_eq!((shape.cloud().len(), shape.bounds().max.x, shape.tree().len()), (2, 1.0, 2));
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn new(cloud: Arc<PointCloud>) -> Self {
        Self {
            bounds: cloud.bounds(),
            cloud,
            tree: OnceLock::new(),
            #[cfg(feature = "clouds")]
            surface: None,
            #[cfg(feature = "clouds")]
            surface_tree: OnceLock::new(),
        }
    }

    /// The shape with the surface behind its points, for [`ProbabilisticQuery`](crate::pair::ProbabilisticQuery); all other queries still see points.
    ///
    /// ```
    /// use impinge::cloud::{CloudShape, CloudSurface, GraphOptions, PointCloud, ProximityGraph, SurfaceOptions};
    /// use impinge::{Pose, average_case::AverageOptions, pair::{ProbabilisticQuery, Shape}, query::Limits};
    /// let cloud = PointCloud::from_points((0..400).map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0]))?;
    /// let graph = ProximityGraph::new(&cloud, &GraphOptions::default())?;
    /// let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
    /// let sheet = CloudShape::new(cloud.into()).with_surface(surface.into());
    /// assert!(sheet.surface().is_some());
    /// let sheet = Shape::from(sheet);
    /// let mut query = ProbabilisticQuery::new(&sheet, &sheet, AverageOptions::default())?;
    /// // Upright through the first, without a common point.
    /// let upright = Pose::from_axis_angle([1.0, 0.0, 0.0], 1.57, [0.3, 9.4, -9.2])?;
    /// assert!(query.at(&upright, Limits::default()).verdict.answer);
    /// let away = Pose::from_translation([0.0, 0.0, 50.0])?;
    /// assert!(query.at(&away, Limits::default()).verdict.certain);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[cfg(feature = "clouds")]
    pub fn with_surface(mut self, surface: Arc<CloudSurface>) -> Self {
        self.surface = Some(surface);
        self.surface_tree = OnceLock::new();
        self
    }

    /// The hierarchy of the surface's points, if a surface is kept.
    #[cfg(feature = "clouds")]
    pub(crate) fn surface_tree(&self) -> Option<&Arc<CloudTree>> {
        let made = self.surface_tree.get_or_init(|| {
            let surface = Arc::clone(self.surface.as_ref()?);
            // The default is in range.
            let tree = CloudTree::new(surface, &CloudTreeOptions::default()).ok()?;
            Some(Arc::new(tree))
        });
        made.as_ref()
    }

    /// The points.
    #[must_use]
    pub fn cloud(&self) -> &Arc<PointCloud> {
        &self.cloud
    }

    /// The smallest box around the points; empty when there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The tree of the points.
    #[must_use]
    pub fn tree(&self) -> &Arc<KdTree> {
        self.tree
            .get_or_init(|| Arc::new(KdTree::new(self.cloud.points())))
    }

    /// The surface behind the points, if there is one.
    #[must_use]
    #[cfg(feature = "clouds")]
    pub fn surface(&self) -> Option<&Arc<CloudSurface>> {
        self.surface.as_ref()
    }

    /// The point with this number, known to be one of the cloud's.
    pub(crate) fn point(&self, number: u32) -> DVec3 {
        let point = self.cloud.points().get(number as usize);
        point.copied().unwrap_or(DVec3::ZERO)
    }
}
