//! Clustering instead of a hierarchy: the structure-free method of Mainzer's thesis.
//!
//! **Question.** Can collisions of a deforming scene be found without maintaining a hierarchy?
//! **Idea.** The faces' centres are divided into a few clusters by fuzzy c-means, which starts from the centres of the last frame. A face joins all
//! clusters that may contain a point of it. The boxes of each cluster are sorted along its principal axis, and the
//! pairs that overlap along this axis are counted before they are tested, so that the work can be divided evenly.
//! **Source.** David Mainzer, dissertation on collision detection of dynamically deforming objects, chapters 4 and 5.
//! **Cost.** See `docs/algorithms/clustering.md`.
//! **Promise.** With [`FaceAssignment::Safe`], the default, no pair is missed, for any number of clusters and any sizes of faces. With the
//! thesis's threshold pairs are missed; it is kept to count them.
//! **Limits.** Only one axis is swept: surfaces that overlap along it are all compared.

mod assign;
mod c_means;
mod cell_sort;
mod centre_seeding;
mod cluster_count;
mod cluster_frame;
mod cluster_items;
mod engine;
mod options;
mod principal_curve;
mod sweep;

pub use c_means::{CMeansReport, FuzzyRules, fuzzy_c_means, hard_c_means, memberships, nearest};
pub use centre_seeding::seed_centers;
pub use engine::Clustering;
pub use options::{
    CentreSeeding, ClusterCount, ClusterMetric, ClusterPartition, ClusteringOptions,
    ClusteringStage, FaceAssignment, MAX_CLUSTERS, MAX_SEGMENTS, StopRule, SweepAxis,
};
pub use principal_curve::PrincipalCurve;
pub use sweep::overlap_counts;
