//! Defects of a point cloud.

use std::fmt;

use super::kd_tree::KdTree;
use super::parallel::map_shares;
use super::point_cloud::{PointCloud, PointId, place_order};
use crate::math::eigen::symmetric_eigen;
use glam::{DMat3, DVec3};

/// The neighbour whose distance decides whether a point is an outlier.
const COMPANY: usize = 8;
/// A point is an outlier when that neighbour is this many times farther than usual.
const ALONE: f64 = 8.0;
/// With fewer points no surface is to be expected.
const FEW: usize = 10;
/// A side that is smaller by this is taken as none.
const FLAT: f64 = 1e-9;
/// A cloud whose extent is below this share of its largest coordinate is far from the origin.
const FAR: f64 = 1e-6;
/// Maximum number of points listed with each finding.
const LISTED: usize = 100;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CloudFindingKind {
    /// There is no point.
    Empty,
    /// There are too few points for a surface.
    Few,
    /// All points are in one place.
    OnePlace,
    /// All points are on one line.
    Collinear,
    /// All points are in one plane: fine, but only one sheet.
    Planar,
    /// Points in the same place as an earlier one.
    Duplicates,
    /// Points far away from all others.
    Outliers,
    /// The cloud is tiny compared with its distance from the origin.
    FarFromOrigin,
}

impl CloudFindingKind {
    /// A short name of the kind, for tables and files.
    ///
    /// ```
    /// use impinge::cloud::CloudFindingKind;
    /// assert_eq!(CloudFindingKind::OnePlace.name(), "one-place");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Few => "few",
            Self::OnePlace => "one-place",
            Self::Collinear => "collinear",
            Self::Planar => "planar",
            Self::Duplicates => "duplicates",
            Self::Outliers => "outliers",
            Self::FarFromOrigin => "far-from-origin",
        }
    }

    /// Whether answers about a surface are in doubt.
    ///
    /// ```
    /// use impinge::cloud::CloudFindingKind;
    /// assert!(CloudFindingKind::Collinear.is_warning() && !CloudFindingKind::Planar.is_warning());
    /// ```
    #[must_use]
    pub fn is_warning(self) -> bool {
        self != Self::Planar
    }
}

/// Something imperfect about a cloud. Its `Display` is a sentence.
///
/// ```
/// use impinge::cloud::{PointCloud, cloud_findings};
/// let pair = PointCloud::from_points([[0.0; 3], [0.0; 3]])?;
/// let found = cloud_findings(&pair);
/// assert_eq!(found[0].to_string(), "warning: there are too few points for a surface: 2");
/// assert_eq!(found[2].to_string(), "warning: 1 point is in the place of an earlier one (first: point 1)");
/// # Ok::<(), impinge::cloud::CloudError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudFinding {
    /// What was found.
    pub kind: CloudFindingKind,
    /// How many points it is about.
    pub count: usize,
    /// The first hundred of them, ascending; none when it is about all.
    pub points: Vec<PointId>,
}

impl fmt::Display for CloudFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.kind.is_warning() {
            "warning"
        } else {
            "note"
        };
        let count = self.count;
        let points = if count == 1 { "point is" } else { "points are" };
        write!(f, "{severity}: ")?;
        match self.kind {
            CloudFindingKind::Empty => write!(f, "the cloud is empty"),
            CloudFindingKind::Few => write!(f, "there are too few points for a surface: {count}"),
            CloudFindingKind::OnePlace => write!(f, "all points are in one place"),
            CloudFindingKind::Collinear => write!(f, "all points are on one line"),
            CloudFindingKind::Planar => write!(f, "all points are in one plane"),
            CloudFindingKind::Duplicates => {
                write!(f, "{count} {points} in the place of an earlier one")
            }
            CloudFindingKind::Outliers => write!(f, "{count} {points} far away from all others"),
            CloudFindingKind::FarFromOrigin => write!(
                f,
                "the cloud is tiny compared with its distance from the origin: digits are lost"
            ),
        }?;
        match self.points.first() {
            Some(first) => write!(f, " (first: {first})"),
            None => Ok(()),
        }
    }
}

/// What is imperfect about a cloud, in the order of the kinds.
///
/// ```
/// use impinge::cloud::{PointCloud, cloud_findings};
/// assert_eq!(cloud_findings(&PointCloud::default()).len(), 1);
/// ```
#[must_use]
pub fn cloud_findings(cloud: &PointCloud) -> Vec<CloudFinding> {
    let mut found = Vec::new();
    let mut tell = |kind, count: usize, points: Vec<PointId>| {
        found.push(CloudFinding {
            kind,
            count,
            points,
        });
    };
    let points = cloud.points();
    if points.is_empty() {
        tell(CloudFindingKind::Empty, 0, Vec::new());
        return found;
    }
    if points.len() < FEW {
        tell(CloudFindingKind::Few, points.len(), Vec::new());
    }
    if let Some(kind) = extent_kind(points) {
        tell(kind, points.len(), Vec::new());
    }
    let listed = |all: &[usize]| {
        let first = all.iter().take(LISTED);
        first.map(|&i| PointId::new(i as u32)).collect::<Vec<_>>()
    };
    let doubles = duplicates(points);
    if !doubles.is_empty() {
        tell(
            CloudFindingKind::Duplicates,
            doubles.len(),
            listed(&doubles),
        );
    }
    let alone = outliers(points);
    if !alone.is_empty() {
        tell(CloudFindingKind::Outliers, alone.len(), listed(&alone));
    }
    let bounds = cloud.bounds();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let size = bounds.diagonal().max_element();
    if size > 0.0 && size < FAR * largest {
        tell(CloudFindingKind::FarFromOrigin, points.len(), Vec::new());
    }
    found
}

fn duplicates(points: &[DVec3]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_unstable_by(|&i, &j| place_order(points[i], points[j]).then(i.cmp(&j)));
    let mut doubles: Vec<usize> = order
        .windows(2)
        .filter(|pair| points[pair[0]] == points[pair[1]])
        .map(|pair| pair[1])
        .collect();
    doubles.sort_unstable();
    doubles
}

fn outliers(points: &[DVec3]) -> Vec<usize> {
    if points.len() < 4 * COMPANY {
        return Vec::new();
    }
    let tree = KdTree::new(points);
    let order = tree.order();
    let found = map_shares(&order, |ids| {
        let mut best = Vec::new();
        let one = |&id: &u32| tree.distance_to_kth(points[id as usize], id, COMPANY, &mut best);
        ids.iter().map(one).collect::<Vec<f64>>()
    });
    let distances: Vec<(u32, f64)> = order.into_iter().zip(found.into_iter().flatten()).collect();
    let mut sorted: Vec<f64> = distances.iter().map(|&(_, d)| d).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    // The upper quartile, so that scans that thin out with distance are no outliers by that alone.
    let usual = sorted[sorted.len() * 3 / 4];
    let far = distances.into_iter().filter(|&(_, d)| d > ALONE * usual);
    let mut alone: Vec<usize> = far.map(|(id, _)| id as usize).collect();
    alone.sort_unstable();
    alone
}

/// Whether the points fill fewer than three dimensions.
fn extent_kind(points: &[DVec3]) -> Option<CloudFindingKind> {
    let first = points[0];
    let size = points
        .iter()
        .fold(0.0_f64, |m, p| m.max((*p - first).abs().max_element()));
    if size <= 0.0 {
        return Some(CloudFindingKind::OnePlace);
    }
    let offset = |p: &DVec3| (*p - first) / size;
    let mean = points.iter().map(offset).sum::<DVec3>() / points.len() as f64;
    let mut sums = DMat3::ZERO;
    for d in points.iter().map(|p| offset(p) - mean) {
        sums += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let axes = symmetric_eigen(&sums).vectors;
    let extent = |axis: DVec3| {
        let along = points.iter().map(|p| (offset(p) - mean).dot(axis).abs());
        along.fold(0.0_f64, f64::max)
    };
    if extent(axes.y_axis) < FLAT {
        Some(CloudFindingKind::Collinear)
    } else if extent(axes.z_axis) < FLAT {
        Some(CloudFindingKind::Planar)
    } else {
        None
    }
}
