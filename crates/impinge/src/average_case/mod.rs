//! Average-case trees (ADB-trees): probabilistic collision detection without testing faces.
//!
//! **Question.** Do the surfaces of two placed meshes intersect, if occasional wrong answers are acceptable and speed matters more?
//!
//! **Idea.** Divide the box of each node into 512 cells and count those that hold as much surface as a plane could have in them. Where two boxes
//! overlap, cells that are full in both are likely collisions; their expected number follows from a hypergeometric distribution. Open the most probable
//! pair of nodes first, and stop when enough pairs are likely. Subdivision stops at a size, so the number of faces of the mesh hardly matters.
//!
//! **Source.** Klein, *Efficient Collision Detection for Point and Polygon Based Models*, 2005, chapter 3; Weller, *New Geometric Data Structures for
//! Collision Detection and Haptics*, 2012, 6.2. Each part names its departures; [`AverageConfig::thesis`] and [`AverageOptions::thesis`] are as published.
//!
//! **Promise.** A *no* that is [`certain`](crate::query::Verdict) is proven: no volumes of leaves overlap, with rounding allowed for. Nothing else is; no error
//! can be ruled out. The same input gives the same answer.
//!
//! **Limits.** Surfaces, not solids: a body inside another one does not meet it. Cells are taken for independent and evenly filled, which they
//! are not. Trees whose sizes differ by more than a million, or that are so far from the origin that rounding there is a thirtieth of their size, are not compared:
//! the verdict then has confidence 0.5.
//!
//! | part | what it does |
//! |---|---|
//! | [`AverageTree`], [`AverageQuery`] | build, ask |
//! | [`CellGrid`], [`CellCounter`], [`cell_histogram`] | possible collision cells |
//! | [`filled_bins`], [`BinTables`], … | probabilities of filled bins |
//! | [`BoxPair`] | the overlap volume of two boxes |
//! | [`TraversalCost`], [`ShrinkFactors`] | how the work grows with the meshes |

mod bin_probability;
mod box_overlap;
mod build;
mod cell_counter;
mod cell_grid;
mod config;
mod cost_model;
mod count_cells;
mod face_pieces;
mod gaps;
mod leaf_patches;
mod node;
mod pair_queue;
mod probability_tables;
mod query;
mod relative_pose;
mod traverse;
mod tree;

pub use bin_probability::{
    capped_probability, expected_probability, filled_bins, least_probability,
};
pub use box_overlap::{BoxPair, largest_section};
pub use cell_counter::{CellCounter, cell_histogram};
pub use cell_grid::CellGrid;
pub use config::{
    Arity, AverageConfig, AverageError, AverageOptions, CellCorrection, CellCounting, Certainty,
    Estimate, LeafRule, NodePair, OpeningOrder, SharedVolume, UndecidedAnswer,
};
pub use cost_model::{ShrinkFactors, TraversalCost};
pub use probability_tables::BinTables;
pub use query::{AverageAnswer, AverageQuery, ContactRegion};
pub use tree::{AverageTree, AverageVolume};
