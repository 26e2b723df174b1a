//! Fast generalised winding number of a mesh at a point.
//!
//! **Question.** The generalised winding number of a mesh, open or damaged, at a point, faster than by summing
//! over all faces ([`winding_number`](crate::mesh::point_in_mesh::winding_number)).
//!
//! **Idea.** The winding number is `1/4π ∫ n·f(x) dS` with `f(x) = (x − p)/|x − p|³`. For faces far from `p`, `f` is
//! replaced by its expansion of first order about their centroid `c`, so that the integral needs only two
//! moments of the faces: `N = ∫ n` and `G = ∫ (x − c) nᵀ`.
//!
//! **Source.** Barill, Dickson, Schmidt, Levin, Jacobson 2018, *Fast winding numbers for soups and clouds*,
//! doi:10.1145/3197517.3201337; our changes: an error bound decides where the expansion serves, and the bound comes with
//! the answer.
//!
//! **Promise.** The truth lies within the bounds of the answer, which differ from the value by little more than the
//! tolerance requested, unless `p` is so near an edge that rounding decides. The same bytes on every machine.
//!
//! ## The bound
//!
//! `f = −∇(1/|x − p|)`, and the `k`-th derivative of `1/|x − p|` along a unit vector is `k!·P_k/|x − p|^(k+1)` with a
//! Legendre polynomial, at most 1; for symmetric forms that bounds all arguments. So the remainder of the expansion of
//! `n·f` is at most `½·|x − c|²·6/r⁴`, where `r` is the least distance between `p` and the segment from `c` to `x`. Both
//! lie in the convex box of the faces, so the box's distance serves for `r`, and the error is at most
//! `3·∫|x − c|² dS/(4π·r⁴)`. The tolerance is shared out by area; what one part does not use passes on to the next.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use glam::{DMat3, DVec3};

use super::closest_point::PointError;
use super::layout::{LEAF, NO_CHILD, WIDTH, WideLeaf};
use super::point_box_bound::LocalPoint;
use super::single_tree::{SingleTreeCache, Subtree, WorkMeter};
use super::tree::WideTree;
use crate::math::is_valid_point;
use crate::mesh::{CompensatedSum, solid_angle};
use crate::query::{Bounded, FaceId, Limits, Outcome};

/// What the faces below one box look like from afar, in the tree's frame.
#[derive(Clone, Copy, Debug)]
struct WindingMoments {
    /// The centroid of the faces.
    center: DVec3,
    /// `∫ n dS`.
    normal: DVec3,
    /// `∫ (x − c) nᵀ dS`.
    first: DMat3,
    /// `∫ |x − c|² dS`.
    second: f64,
    area: f64,
    /// What rounding may have done to `normal`, and to `first` relative to the radius.
    noise: f64,
    faces: u32,
}

impl WindingMoments {
    const NONE: Self = Self {
        center: DVec3::ZERO,
        normal: DVec3::ZERO,
        first: DMat3::ZERO,
        second: 0.0,
        area: 0.0,
        noise: 0.0,
        faces: 0,
    };

    /// The moments of one face.
    fn of_face([p, q, r]: [DVec3; 3], radius: f64) -> Self {
        let normal = (q - p).cross(r - p) * 0.5;
        let area = normal.length();
        let center = (p + q + r) / 3.0;
        let [dp, dq, dr] = [p, q, r].map(|v| (v - center).length_squared());
        let perimeter = (q - p).length() + (r - q).length() + (p - r).length();
        Self {
            center,
            normal,
            first: DMat3::ZERO,
            second: area * (dp + dq + dr) / 12.0,
            area,
            // A corner is rounded by half an ε of the radius, which tilts the face by that times its edges; sums
            // over a node and over the levels add some tens of roundings.
            noise: 64.0 * f64::EPSILON * (perimeter * radius + area),
            faces: 1,
        }
    }

    /// The moments of several sets of faces together.
    fn together(parts: &[Self]) -> Self {
        let mut sum = Self::NONE;
        let mut weighted = DVec3::ZERO;
        let mut plain = DVec3::ZERO;
        for part in parts {
            weighted += part.center * part.area;
            plain += part.center;
            sum.area += part.area;
            sum.normal += part.normal;
            sum.noise += part.noise;
            sum.faces += part.faces;
        }
        sum.center = if sum.area > 0.0 {
            weighted / sum.area
        } else {
            plain / parts.len().max(1) as f64
        };
        for part in parts {
            // About a centroid the first moment of area vanishes, so second moments add up as if by Steiner.
            let d = part.center - sum.center;
            sum.second += part.second + d.length_squared() * part.area;
            let n = part.normal;
            sum.first += part.first + DMat3::from_cols(d * n.x, d * n.y, d * n.z);
        }
        sum
    }

    /// The expansion's value, times 4π.
    fn value(&self, p: DVec3) -> f64 {
        let d = self.center - p;
        let r_sq = d.length_squared();
        let r = r_sq.sqrt();
        let cubed = r_sq * r;
        let trace = self.first.x_axis.x + self.first.y_axis.y + self.first.z_axis.z;
        let bent = 3.0 * d.dot(self.first * d) / r_sq;
        (self.normal.dot(d) + trace - bent) / cubed
    }

    /// What that value may be off by when no face is nearer than `r`.
    fn error(&self, r: f64) -> f64 {
        let r_sq = r * r;
        let remainder = 3.0 * (1.0 + 1e-9) * self.second / (r_sq * r_sq);
        // The first moment is at most twice the radius times as noisy and counts at most five times; the radius of a
        // tree in its own frame is below 3.
        let rounding = self.noise * (1.0 + 32.0 / r) / r_sq;
        let error = remainder + rounding;
        let most = 2.0 * PI * f64::from(self.faces);
        // Any value is wrong by at most what it and the truth can be; a bound above that says nothing.
        if error < most { error } else { f64::INFINITY }
    }
}

/// The moments that fast winding numbers need, beside a tree.
///
/// ```
/// use impinge::bvh::wide::{SingleTreeCache, WideTree, WindingIndex};
/// use impinge::{DVec3, generate, query::Limits};
/// use std::sync::Arc;
/// let ball = WideTree::new(Arc::new(generate::icosphere(1.0, 8)?));
/// let index = WindingIndex::new(&ball);
/// let mut cache = SingleTreeCache::default();
/// let inside = index.winding_number(DVec3::new(0.3, 0.2, 0.1), 1e-2, Limits::default(), &mut cache)?;
/// assert!(inside.lower <= 1.0 && 1.0 <= inside.upper && inside.upper - inside.lower < 0.021);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "winding number")]
#[doc(alias = "generalized winding number")]
pub struct WindingIndex<'t> {
    tree: &'t WideTree,
    /// One per lane of each node.
    moments: Vec<[WindingMoments; WIDTH]>,
    area: f64,
}

impl<'t> WindingIndex<'t> {
    /// The index of a tree: one pass over its faces, about 190 bytes per box.
    ///
    /// ```
    /// use impinge::bvh::wide::WindingIndex;
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(WindingIndex::new(&tree).bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(tree: &'t WideTree) -> Self {
        let mut moments = vec![[WindingMoments::NONE; WIDTH]; tree.nodes.len()];
        // Parents before children; then taken backwards.
        let mut order: Vec<u32> = (!tree.nodes.is_empty()).then_some(0).into_iter().collect();
        let mut next = 0;
        while let Some(&index) = order.get(next) {
            next += 1;
            let children = tree.nodes[index as usize].child.iter().copied();
            order.extend(children.filter(|child| child & LEAF == 0));
        }
        for &index in order.iter().rev() {
            for k in 0..WIDTH {
                let child = tree.nodes[index as usize].child[k];
                moments[index as usize][k] = if child == NO_CHILD {
                    WindingMoments::NONE
                } else if child & LEAF == 0 {
                    WindingMoments::together(present(&moments[child as usize]))
                } else {
                    of_leaf(tree, &tree.leaves[(child & !LEAF) as usize])
                };
            }
        }
        let area = moments
            .first()
            .map_or(0.0, |root| root.iter().map(|m| m.area).sum());
        Self {
            tree,
            moments,
            area,
        }
    }

    /// Bytes that the moments take.
    ///
    /// ```
    /// use impinge::bvh::wide::WindingIndex;
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// assert!(WindingIndex::new(&tree).bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.moments.as_slice())
    }

    /// The winding number at `p`, from an outside of 0 to an inside of 1 for an outward solid, off by little more
    /// than `tolerance` (0 sums over all faces).
    ///
    /// When a limit is met first the bounds are wider.
    ///
    /// # Errors
    /// [`PointError`] for a point that is not finite or out of range.
    ///
    /// ```
    /// use impinge::bvh::wide::{SingleTreeCache, WindingIndex};
    /// use impinge::{DVec3, query::Limits};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// let index = WindingIndex::new(&tree);
    /// let far = DVec3::splat(9.0);
    /// let turns = index.winding_number(far, 1e-6, Limits::default(), &mut SingleTreeCache::default())?;
    /// assert!(turns.lower <= 0.0 && 0.0 <= turns.upper);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn winding_number(
        &self,
        p: DVec3,
        tolerance: f64,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Result<Bounded<f64>, PointError> {
        if !is_valid_point(p) {
            return Err(PointError { value: p });
        }
        let mut walk = WindingSum {
            index: self,
            p,
            center: self.tree.frame.local(p),
            local: LocalPoint::new(&self.tree.frame, p),
            allowance: 4.0 * PI * tolerance.max(0.0) / self.area,
            sum: CompensatedSum::default(),
            spent: 0.0,
            error: 0.0,
            settled_area: 0.0,
        };
        let mut meter = WorkMeter::new(limits);
        cache.stack.clear();
        if !self.moments.is_empty() {
            cache.stack.push(Subtree::ROOT);
        }
        let mut outcome = Outcome::Complete;
        while let Some(next) = cache.stack.pop() {
            if outcome == Outcome::Complete
                && let ControlFlow::Break(stop) = walk.spend(next, &mut meter)
            {
                outcome = stop;
            }
            if outcome != Outcome::Complete {
                walk.give_up(next);
            } else if next.child & LEAF == 0 {
                walk.open(next.child, &mut cache.stack);
            } else {
                walk.add_leaf((next.child & !LEAF) as usize);
            }
        }
        cache.work = meter.work;
        let value = walk.sum.value() / (4.0 * PI);
        let error =
            (walk.spent + walk.error) / (4.0 * PI) + 8.0 * f64::EPSILON * (1.0 + value.abs());
        Ok(Bounded {
            value,
            lower: value - error,
            upper: value + error,
            outcome,
        })
    }
}

/// The lanes that hold something: the first ones.
fn present(lanes: &[WindingMoments; WIDTH]) -> &[WindingMoments] {
    let count = lanes.iter().take_while(|m| m.faces > 0).count();
    &lanes[..count]
}

fn of_leaf(tree: &WideTree, leaf: &WideLeaf) -> WindingMoments {
    let mut faces = [WindingMoments::NONE; WIDTH];
    for (k, &face) in leaf.face[..leaf.count as usize].iter().enumerate() {
        let corners = tree.mesh.triangle(FaceId::new(face));
        faces[k] = WindingMoments::of_face(corners.map(|v| tree.frame.local(v)), tree.frame.radius);
    }
    WindingMoments::together(&faces[..leaf.count as usize])
}

/// A sum under way, times 4π.
struct WindingSum<'w> {
    index: &'w WindingIndex<'w>,
    p: DVec3,
    /// The point in the tree's frame.
    center: DVec3,
    local: LocalPoint,
    /// Error that may be spent per area.
    allowance: f64,
    sum: CompensatedSum,
    /// What expansions may be off by.
    spent: f64,
    /// What everything else may be off by.
    error: f64,
    settled_area: f64,
}

impl WindingSum<'_> {
    /// Counts what a subtree costs; breaks off when the limits forbid it.
    fn spend(&self, next: Subtree, meter: &mut WorkMeter<'_>) -> ControlFlow<Outcome> {
        meter.look()?;
        if next.child & LEAF == 0 {
            meter.spend_volumes(WIDTH as u32)
        } else {
            let leaf = &self.index.tree.leaves[(next.child & !LEAF) as usize];
            meter.spend_faces(leaf.count)
        }
    }

    /// Takes the boxes of a node that are far enough by their moments and leaves the others for later.
    fn open(&mut self, node: u32, stack: &mut Vec<Subtree>) {
        let tree = self.index.tree;
        let boxes = &tree.nodes[node as usize];
        for k in 0..WIDTH {
            if boxes.child[k] == NO_CHILD {
                continue;
            }
            let moments = &self.index.moments[node as usize][k];
            let r = self.local.box_at_least(boxes, k);
            let error = moments.error(r);
            let room = self.allowance * (self.settled_area + moments.area);
            if r > 0.0 && self.spent + error <= room {
                self.sum.add(moments.value(self.center));
                self.spent += error;
                self.settled_area += moments.area;
            } else {
                stack.push(Subtree {
                    child: boxes.child[k],
                    at_least: 0.0,
                    order: 0.0,
                });
            }
        }
    }

    fn add_leaf(&mut self, leaf: usize) {
        let tree = self.index.tree;
        let leaf = &tree.leaves[leaf];
        for &face in &leaf.face[..leaf.count as usize] {
            let corners = tree.mesh.triangle(FaceId::new(face));
            let angle = solid_angle(&corners, self.p);
            self.sum.add(angle.value);
            self.error += angle.error;
            let [p, q, r] = corners.map(|v| tree.frame.local(v));
            self.settled_area += 0.5 * (q - p).cross(r - p).length();
        }
    }

    /// Counts a subtree as unknown: each face fills at most half the view.
    fn give_up(&mut self, next: Subtree) {
        let faces = if next.child & LEAF == 0 {
            let lanes = present(&self.index.moments[next.child as usize]);
            lanes.iter().map(|m| m.faces).sum()
        } else {
            self.index.tree.leaves[(next.child & !LEAF) as usize].count
        };
        self.error += 2.0 * PI * f64::from(faces);
    }
}
