//! Depth-camera queries: solids against the points of depth cameras, for robots.
//!
//! **Question.** A camera gives some hundred thousand points, thirty times a second. How near is the nearest of them to each link of a robot, which ones
//! come too close, and is one inside?
//!
//! **Idea.** A [`ScanFrame`] is a validated list of points. A [`PointTree`] sorts it in Morton order for every frame, reusing its memory. A [`LinkSet`]
//! queries all links: inner sphere trees by dual-tree traversal, other solids by their signed distance to the centre of a box of points: no point
//! of the box is nearer by more than half its diagonal. Several cameras are merged, thinned and indexed by [`PointTree::rebuild_merged`].
//!
//! **Source.** The robot with one tree of inner balls per part: Weller, *New Geometric Data Structures for Collision Detection*, 2012, section 7.3. Its range of
//! search is too short; [`nearest_by_range`] has one that is enough.
//!
//! **Cost.** Sorting costs most: it is shared among threads and takes the same time whatever the parts do.
//!
//! **Promise.** Answers equal those of brute force, to the last bit, whatever the initial bound from the last frame, the index and the number of
//! threads. Of equally near points the first is returned, and of balls the first.
//!
//! **Limits.** Points have no size and are not a surface: obstacles between them are not detected. A missing point (NaN) is
//! refused; [`drop_invalid`] removes such points and returns their number.
//!
//! ```
//! use impinge::convex::Cuboid;
//! use impinge::scan::{Link, LinkCache, LinkSet, PointTree, ScanFrame};
//! use impinge::spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions};
//! use impinge::{DVec3, Pose};
//! let points = [DVec3::new(0.0, 0.0, 3.0), DVec3::new(5.0, 0.0, 0.0)];
//! let mut tree = PointTree::default();
//! tree.rebuild(&ScanFrame::new(&points)?);
//!
//! let hand = InnerSphereTree::new(&[SolidBall { center: DVec3::ZERO, radius: 1.0 }], &InnerSphereTreeOptions::default())?;
//! let links = LinkSet::new(vec![Link::spheres(&hand)?, Link::convex(Cuboid::new([1.0; 3])?)]);
//! let poses = [Pose::IDENTITY, Pose::from_translation([3.0, 0.0, 0.0])?];
//! let (mut cache, mut nearest) = (LinkCache::default(), Vec::new());
//! links.nearest(&tree, &poses, &mut cache, &mut nearest)?;
//! assert_eq!(nearest[0].map(|n| (n.point, n.distance)), Some((0, 2.0)));
//! assert_eq!(nearest[1].map(|n| (n.point, n.distance)), Some((1, 1.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod depth_camera;
mod downsample;
mod dual_tree;
mod kinematic_chain;
mod link;
mod merge_frames;
mod morton_grid;
mod morton_sort;
mod nearest_point;
mod point_grid;
mod point_index;
mod point_tree;
mod range_search;
mod robot_links;
mod scan_frame;
mod signed_distance;
mod sphere_tree;
mod thinning;
mod threads;
mod tree_descent;

pub use kinematic_chain::{ChainError, Joint, KinematicChain};
pub use link::{Link, LinkError, NearestPoint};
pub use merge_frames::{MergeError, Thin};
pub use point_grid::PointGrid;
pub use point_index::{PointHit, PointIndex};
pub use point_tree::PointTree;
pub use range_search::nearest_by_range;
pub use robot_links::{LinkCache, LinkSet};
pub use scan_frame::{MAX_POINTS, ScanFrame, ScanFrameError, drop_invalid, merge};
pub use thinning::{CubeSizeError, Thinner, Thinning};
