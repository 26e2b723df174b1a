//! Whether two meshes probably meet: trees that know how full their boxes are, and keep no faces.
//!
//! **Question.** Do the surfaces of two placed meshes meet, if a wrong answer now and then is acceptable, and the time is not?
//!
//! **Idea.** Divide the box of each node into 512 cells and count those in which there is as much surface as a plane could have. Where two boxes overlap,
//! cells of both that are full are likely to be collisions. How many there are by chance is a matter of urns. Open the most probable pair of nodes first, and stop
//! when enough pairs are likely. Nodes end at a size: how many faces the mesh has hardly matters.
//!
//! **Source.** Klein, *Efficient Collision Detection for Point and Polygon Based Models*, 2005, chapter 3; Weller, *New Geometric Data Structures for
//! Collision Detection and Haptics*, 2012, 6.2. What is ours is said in each part; [`AverageConfig::thesis`] and [`AverageOptions::thesis`] are as published.
//!
//! **Promise.** A *no* that is [`certain`](crate::query::Verdict) is proven: no volumes of leaves overlap, with rounding allowed for. Nothing else is; no error
//! can be ruled out. The same input gives the same answer.
//!
//! **Limits.** Surfaces, not solids: a body inside another one does not meet it. Cells are taken for independent and evenly filled, which they
//! are not. Trees whose sizes differ by more than a million, or that are so far from the origin that rounding there is a thirtieth of their size, are not compared:
//! the verdict is then no better than a coin, and says so.
//!
//! | part | what it does |
//! |---|---|
//! | [`AverageTree`], [`AverageQuery`] | build, ask |
//! | [`CellGrid`], [`CellCounter`], [`cell_histogram`] | possible collision cells |
//! | [`filled_bins`], [`BinTables`], … | probabilities of filled bins |
//! | [`BoxPair`] | the common volume of two boxes |
//! | [`Growth`], [`Diminishing`] | how the work grows with the meshes |

mod bins;
mod build;
mod cells;
mod config;
mod counter;
mod counting;
mod gaps;
mod growth;
mod node;
mod overlap;
mod patches;
mod pieces;
mod query;
mod queue;
mod relative;
mod search;
mod tables;
mod tree;

pub use bins::{capped_probability, expected_probability, filled_bins, least_probability};
pub use cells::CellGrid;
pub use config::{
    AtEnd, AverageConfig, AverageError, AverageOptions, Certainty, Correction, Counting, Estimate,
    Leaves, NodePair, Order, SharedVolume, Split,
};
pub use counter::{CellCounter, cell_histogram};
pub use growth::{Diminishing, Growth};
pub use overlap::{BoxPair, largest_section};
pub use query::{AverageAnswer, AverageQuery, ContactRegion};
pub use tables::BinTables;
pub use tree::{AverageTree, AverageVolume};
