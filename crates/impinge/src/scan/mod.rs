//! Solids against the points of depth cameras.
//!
//! **Question.** A camera gives some hundred thousand points, thirty times a second. How near is the nearest of them to each part of a robot, which ones
//! come too close, and is one inside?
//!
//! **Idea.** A [`ScanFrame`] is a list of points that was checked. A [`PointTree`] sorts it in Morton order, anew for every frame, into memory that is
//! kept. Parts are asked about in a [`LinkSet`]: trees of inner balls by descending both trees at once, other solids by what they
//! say about the middle of a box of points: no point of the box is nearer by more than half its diagonal. Several cameras are merged, thinned and indexed by
//! [`PointTree::rebuild_merged`].
//!
//! **Source.** The robot with one tree of inner balls per part: Weller, *New Geometric Data Structures for Collision Detection*, 2012, section 7.3. Its range of
//! search is too short; [`nearest_by_range`] has one that is enough.
//!
//! **Cost.** Sorting costs most: it is shared among threads and takes the same time whatever the parts do.
//!
//! **Promise.** Answers are those of measuring every point, to the last bit, whatever was known from the last frame, which index is used, and how many
//! threads there are. Of equally near points the first is named, and of balls the first.
//!
//! **Limits.** Points have no size and are not a surface: what lies between them is not seen. A point that no camera could measure (NaN) is
//! refused; [`drop_invalid`] takes such points out and says how many there were.
//!
//! ```
//! use impinge::convex::Cuboid;
//! use impinge::scan::{Link, LinkCache, LinkSet, PointTree, ScanFrame};
//! use impinge::spheres::{SolidBall, SphereTree, TreeOptions};
//! use impinge::{DVec3, Pose};
//! let points = [DVec3::new(0.0, 0.0, 3.0), DVec3::new(5.0, 0.0, 0.0)];
//! let mut tree = PointTree::default();
//! tree.rebuild(&ScanFrame::new(&points)?);
//!
//! let hand = SphereTree::new(&[SolidBall { center: DVec3::ZERO, radius: 1.0 }], &TreeOptions::default())?;
//! let links = LinkSet::new(vec![Link::spheres(&hand)?, Link::convex(Cuboid::new([1.0; 3])?)]);
//! let poses = [Pose::IDENTITY, Pose::from_translation([3.0, 0.0, 0.0])?];
//! let (mut cache, mut nearest) = (LinkCache::default(), Vec::new());
//! links.nearest(&tree, &poses, &mut cache, &mut nearest)?;
//! assert_eq!(nearest[0].map(|n| (n.point, n.distance)), Some((0, 2.0)));
//! assert_eq!(nearest[1].map(|n| (n.point, n.distance)), Some((1, 1.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod balls;
pub mod camera;
mod chain;
mod dual;
mod frame;
mod gauge;
mod grid;
mod index;
mod keep;
mod lattice;
mod link;
mod links;
mod merged;
mod order;
mod ranged;
mod search;
mod thin;
mod threads;
mod tree;
mod walk;

pub use chain::{Chain, ChainError, Joint};
pub use frame::{FrameError, MAX_POINTS, ScanFrame, drop_invalid, merge};
pub use grid::PointGrid;
pub use index::{PointHit, PointIndex};
pub use link::{Link, LinkError, NearestPoint};
pub use links::{LinkCache, LinkSet};
pub use merged::{MergeError, Thin};
pub use ranged::nearest_by_range;
pub use thin::{CellError, Thinner, Thinning};
pub use tree::PointTree;
