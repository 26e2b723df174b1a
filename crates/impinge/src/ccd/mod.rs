//! Continuous collision detection (CCD): when do moving meshes first touch?
//!
//! **Question.** Two meshes move rigidly, turning any number of times. When is their first contact?
//! **Idea.** Conservative advancement on the trees. At time `t` every pair of faces gets a step during which it
//! certainly stays apart: along a fixed direction, the present gap is compared with what the present velocity and the
//! largest acceleration can close. The smallest step over all pairs is found by traversing both trees; subtrees are
//! pruned when their boxes stay apart for longer than the best step found. Then `t` advances by that step, and
//! the search is repeated. Because velocities enter with their value and only accelerations with a bound, the steps
//! converge quadratically to the contact.
//! **Source.** Mirtich, 1996 (conservative advancement); Tang, Kim and Manocha, 2009, doi:10.1109/ROBOT.2009.5152234
//! (on trees of boxes, each with its own motion bound).
//! **Cost.** About ten descents, each about as much as one distance.
//! **Promise.** The bracket `[lower, upper]` holds the first contact. Before `lower` the meshes are disjoint at every
//! instant, for the ideal motion and for the computed poses; at `upper` the exact test says that they
//! touch. A contact is never jumped over, however thin the parts and however fast they move.
//! **Limits.** Gaps below the rounding of the poses cannot be distinguished from contact: the bracket is then
//! wide, and the outcome says so. Two bodies that spin together are bounded as if only one did.

mod batch;
mod conservative_advancement;
pub mod linear;
mod motion_bounds;
mod time_of_impact;

pub use batch::impact_all;
pub use time_of_impact::{ImpactCache, ImpactOptions, contacts_at, impact, relative_pose};
