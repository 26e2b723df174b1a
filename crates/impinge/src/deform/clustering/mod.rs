//! Clustering instead of a hierarchy: the structure-free method of Mainzer's thesis.
//!
//! Fuzzy c-means divides the faces, and each cluster is swept along its principal axis. With
//! [`FaceAssignment::Safe`], the default, no pair is missed; with the thesis's threshold pairs are,
//! and it is kept to count them. `docs/algorithms/clustering.md`.

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
