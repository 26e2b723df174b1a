//! Average-case trees (ADB-trees): probabilistic collision detection without testing faces.
//!
//! An [`AverageQuery`] opens the pairs of nodes that most probably collide and stops when enough
//! are likely. Klein 2005, chapter 3. A *no* that is [`certain`](crate::query::Verdict) is proven;
//! any other answer may be wrong, with a stated confidence. `docs/algorithms/average-case.md`.

mod average_case_tree;
mod bin_probability;
mod box_overlap;
mod build;
mod calibration;
mod calibration_files;
mod cell_counter;
mod cell_grid;
mod config;
mod cost_model;
mod count_cells;
mod distinct_contacts;
mod face_pieces;
mod fitted_curve;
mod gaps;
mod leaf_patches;
mod node;
mod pair_lanes;
mod pair_queue;
mod probability_tables;
mod query;
mod relative_pose;
mod serialize;
mod traverse;
mod two_boundary;

pub use average_case_tree::{AverageTree, AverageVolume};
pub use bin_probability::{
    capped_probability, expected_probability, filled_bins, least_probability,
};
pub use box_overlap::{BoxPair, largest_section};
pub use calibration::{
    CalibratedAnswer, CalibratedQuery, Calibration, CalibrationError, calibration_poses,
};
pub use cell_counter::{CellCounter, cell_histogram};
pub use cell_grid::CellGrid;
pub use config::{
    Arity, AverageConfig, AverageError, AverageOptions, CellCorrection, CellCounting, Certainty,
    Estimate, LeafRule, NodePair, OpeningOrder, SharedVolume, SplitCost, UndecidedAnswer,
};
pub use cost_model::{ShrinkFactors, TraversalCost};
pub use distinct_contacts::distinct_contacts;
pub use probability_tables::BinTables;
pub use query::{AverageAnswer, AverageQuery, ContactRegion};
pub use two_boundary::{SlabList, SlabVolume, TwoBoundary};
