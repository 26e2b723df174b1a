//! Top-down construction by a split rule.
//!
//! **Question.** Which tree results from a given choice of split axis and split point?
//! **Idea.** One routine with three choices (see [`TopDown`]); the named builders are combinations of them. If a split leaves a
//! side empty, the median is used, and if even the centres coincide, the list is halved.
//! **Source.** The choices as listed by Sjöberg and Ylinenpää, *Collision detection for haptic rendering*, 2009.
//! **Promise.** Deterministic: equal keys are ordered by face. The depth is bounded: see [`MEDIAN_FROM_LEVEL`].

use glam::{DMat3, DVec3};

use super::build_item::{BuildItem, LaneBox, UnitFrame};
use super::config::{SplitAxis, SplitPoint, Straddle, TopDown};
use super::polygon_clip::ClippedPolygon;
use super::topology::{BinaryNode, BinaryTopology, corners_of, grow};
use crate::math::eigen::symmetric_eigen;
use crate::math::outward_rounding;
use crate::mesh::TriMesh;

/// From this depth on every cut is at the median, so that no rule makes a deep tree.
const MEDIAN_FROM_LEVEL: usize = 64;
/// Places that [`SplitPoint::Cheapest`] compares.
const PLACES: usize = 15;

impl TopDown {
    /// The rule of [`Builder::Median`](super::Builder::Median).
    pub const MEDIAN: Self = Self {
        axis: SplitAxis::LongestSpread,
        point: SplitPoint::Median,
        straddle: Straddle::Midpoint,
    };
    /// The rule of [`Builder::LongestSide`](super::Builder::LongestSide).
    pub const LONGEST_SIDE: Self = Self {
        axis: SplitAxis::LongestSide,
        point: SplitPoint::Middle,
        straddle: Straddle::Centroid,
    };
}

/// The tree that the rule makes.
pub(super) fn build(
    mesh: &TriMesh,
    frame: &UnitFrame,
    mut order: Vec<BuildItem>,
    leaf_faces: usize,
    mut rule: TopDown,
) -> BinaryTopology {
    if rule.straddle == Straddle::Both && !frame.has_extent() {
        // Parts are told by places in the frame.
        rule.straddle = Straddle::Midpoint;
    }
    let mut cutter = TopDownSplitter {
        mesh,
        frame,
        rule,
        keyed: Vec::with_capacity(order.len()),
        axis: DVec3::X,
    };
    if rule.straddle == Straddle::Both {
        return cutter.build_with_parts(&order, leaf_faces);
    }
    let branches = grow(&mut order, leaf_faces, |items, level| {
        cutter.cut(items, level)
    });
    BinaryTopology {
        order,
        branches,
        has_parts: false,
    }
}

/// A reference and its place along the axis.
#[derive(Clone, Copy, Debug)]
struct KeyedItem {
    key: f64,
    /// The extent of the reference's part of its face.
    low: f64,
    high: f64,
    item: BuildItem,
}

struct TopDownSplitter<'m> {
    mesh: &'m TriMesh,
    frame: &'m UnitFrame,
    rule: TopDown,
    keyed: Vec<KeyedItem>,
    /// The axis of the last cut.
    axis: DVec3,
}

impl TopDownSplitter<'_> {
    /// Reorders the items and says where to part them.
    fn cut(&mut self, items: &mut [BuildItem], level: usize) -> usize {
        let axis = self.axis(items, level);
        self.axis = axis;
        self.take_keys(items, axis);
        let middle = match self.place(level) {
            Some(place) => {
                // Stable, so that the order of faces survives where it can.
                self.keyed.sort_by_key(|k| k.key > place);
                self.keyed.iter().take_while(|k| k.key <= place).count()
            }
            None => 0,
        };
        let middle = if middle == 0 || middle == items.len() {
            self.halve()
        } else {
            middle
        };
        for (item, keyed) in items.iter_mut().zip(&self.keyed) {
            *item = keyed.item;
        }
        middle
    }

    /// Orders the keys about their median.
    fn halve(&mut self) -> usize {
        let middle = self.keyed.len() / 2;
        if middle > 0 {
            self.keyed.select_nth_unstable_by(middle, |a, b| {
                let by_face = || a.item.face().cmp(&b.item.face());
                a.key.total_cmp(&b.key).then_with(by_face)
            });
        }
        middle
    }

    /// Each item's place along the axis.
    fn take_keys(&mut self, items: &[BuildItem], axis: DVec3) {
        self.keyed.clear();
        for item in items {
            let (low, high) = self.interval(item, axis);
            let key = match self.rule.straddle {
                Straddle::Centroid => {
                    let [p, q, r] = self.frame.face(self.mesh, item.face());
                    (p + q + r).dot(axis) / 3.0
                }
                Straddle::Midpoint | Straddle::Both => 0.5 * (low + high),
            };
            self.keyed.push(KeyedItem {
                key,
                low,
                high,
                item: *item,
            });
        }
    }

    /// The extent of an item's part of its face along the axis.
    fn interval(&self, item: &BuildItem, axis: DVec3) -> (f64, f64) {
        let face = self.frame.face(self.mesh, item.face());
        let fold = |corners: &[DVec3]| {
            corners
                .iter()
                .map(|p| p.dot(axis))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                    (low.min(x), high.max(x))
                })
        };
        if self.rule.straddle == Straddle::Both {
            let part = self.part(item);
            if !part.corners().is_empty() {
                return fold(part.corners());
            }
        }
        fold(&face)
    }

    fn part(&self, item: &BuildItem) -> ClippedPolygon {
        let (min, max) = corners_of(&item.extent());
        ClippedPolygon::new(self.frame.face(self.mesh, item.face())).inside(min, max)
    }

    fn axis(&self, items: &[BuildItem], level: usize) -> DVec3 {
        let middles = || items.iter().map(|i| 0.5 * i.key().truncate().as_dvec3());
        let longest = |d: DVec3| DVec3::AXES[largest(d)];
        match self.rule.axis {
            SplitAxis::LongestSide => {
                let (min, max) = corners_of(&LaneBox::of(items));
                longest(max - min)
            }
            SplitAxis::LongestSpread => {
                let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                for p in middles() {
                    min = min.min(p);
                    max = max.max(p);
                }
                longest(max - min)
            }
            SplitAxis::Variance => {
                let covariance = covariance(middles());
                longest(covariance.diagonal())
            }
            SplitAxis::Principal => symmetric_eigen(&covariance(middles())).vectors.x_axis,
            SplitAxis::Furthest => {
                let origin = middles().next().unwrap_or_default();
                let furthest = |from: DVec3| {
                    let distance_sq = |p: DVec3| (p - from).length_squared();
                    middles().fold(from, |far, p| {
                        if distance_sq(p) > distance_sq(far) {
                            p
                        } else {
                            far
                        }
                    })
                };
                let one = furthest(origin);
                (furthest(one) - one).normalize_or(DVec3::X)
            }
            SplitAxis::InTurn => DVec3::AXES[level % 3],
        }
    }

    /// Where to cut along the axis; `None` at the median.
    fn place(&self, level: usize) -> Option<f64> {
        if level >= MEDIAN_FROM_LEVEL {
            return None;
        }
        let extent = || {
            let nothing = (f64::INFINITY, f64::NEG_INFINITY);
            let fold = |(low, high): (f64, f64), k: &KeyedItem| (low.min(k.low), high.max(k.high));
            self.keyed.iter().fold(nothing, fold)
        };
        match self.rule.point {
            SplitPoint::Mean => {
                let sum: f64 = self.keyed.iter().map(|k| k.key).sum();
                Some(sum / self.keyed.len() as f64)
            }
            SplitPoint::Median => None,
            SplitPoint::Middle => {
                let (low, high) = extent();
                Some(0.5 * (low + high))
            }
            SplitPoint::Cheapest => {
                let (low, high) = extent();
                self.cheapest(low, high)
            }
        }
    }

    fn cheapest(&self, low: f64, high: f64) -> Option<f64> {
        let mut best: (f64, Option<f64>) = (f64::INFINITY, None);
        for i in 1..=PLACES {
            let place = low + (high - low) * (i as f64 / (PLACES + 1) as f64);
            let mut sides = [(LaneBox::EMPTY, 0_u32); 2];
            for keyed in &self.keyed {
                let (extent, faces) = &mut sides[usize::from(keyed.key > place)];
                extent.grow(keyed.item.low, keyed.item.high);
                *faces += 1;
            }
            let cost: f64 = sides
                .iter()
                .map(|(extent, faces)| f64::from(extent.area()) * f64::from(*faces))
                .sum();
            if sides.iter().all(|(_, faces)| *faces > 0) && cost < best.0 {
                best = (cost, Some(place));
            }
        }
        best.1
    }

    /// A tree with spatial splits: a face cut by a splitting plane belongs to both sides.
    fn build_with_parts(&mut self, items: &[BuildItem], leaf_faces: usize) -> BinaryTopology {
        let mut shape = BinaryTopology {
            has_parts: true,
            ..BinaryTopology::default()
        };
        if items.is_empty() {
            return shape;
        }
        // As many parts may be added as there are faces; each side of a cut has its share of those left.
        let spare = items.len();
        // Boxes of parts must not be too small by rounding.
        let outward = |item: &BuildItem| {
            let face = item.face();
            let whole = ClippedPolygon::new(self.frame.face(self.mesh, face));
            boxed(face, &whole).unwrap_or(*item)
        };
        let items: Vec<BuildItem> = items.iter().map(outward).collect();
        shape.branches.push(BinaryNode::leaf(0, 0));
        // Depth first, left before right: the references below a node are a range once both sides are done.
        let mut open = vec![SplitStep::Cut(0, items, 0, spare)];
        while let Some(step) = open.pop() {
            match step {
                SplitStep::Close(at) => shape.branches[at].end = shape.order.len() as u32,
                SplitStep::Cut(at, mut items, level, mut spare) => {
                    shape.branches[at].start = shape.order.len() as u32;
                    if items.len() <= leaf_faces {
                        shape.order.extend_from_slice(&items);
                        shape.branches[at].end = shape.order.len() as u32;
                        continue;
                    }
                    let (left, right) = self.part_in_two(&mut items, level, &mut spare);
                    let first = shape.branches.len();
                    shape.branches[at].first = first as u32;
                    shape.branches.extend([BinaryNode::leaf(0, 0); 2]);
                    open.push(SplitStep::Close(at));
                    let all = (left.len() + right.len()) as u64;
                    let share = (spare as u64 * left.len() as u64 / all) as usize;
                    open.push(SplitStep::Cut(first + 1, right, level + 1, spare - share));
                    open.push(SplitStep::Cut(first, left, level + 1, share));
                }
            }
        }
        shape
    }

    /// Both sides of a cut, each smaller than the whole; parts that are added are taken from `spare`.
    fn part_in_two(
        &mut self,
        items: &mut [BuildItem],
        level: usize,
        spare: &mut usize,
    ) -> (Vec<BuildItem>, Vec<BuildItem>) {
        let middle = self.cut(items, level);
        let axis = self.axis;
        // The plane lies between the last on the left and the first on the right.
        let (left, right) = self.keyed.split_at(middle);
        let left_end = left.iter().map(|k| k.key).fold(f64::MIN, f64::max);
        let right_end = right.iter().map(|k| k.key).fold(f64::MAX, f64::min);
        let plane = 0.5 * (left_end + right_end);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (i, keyed) in self.keyed.iter().enumerate() {
            let item = &keyed.item;
            let is_cut = keyed.low < plane && plane < keyed.high && level < MEDIAN_FROM_LEVEL;
            if is_cut && *spare > 0 {
                let part = self.part(item);
                let below = boxed(item.face(), &part.below(|p| p.dot(axis) - plane));
                let above = boxed(item.face(), &part.below(|p| plane - p.dot(axis)));
                if let (Some(below), Some(above)) = (below, above) {
                    *spare -= 1;
                    left.push(below);
                    right.push(above);
                    continue;
                }
            }
            if i < middle {
                left.push(*item);
            } else {
                right.push(*item);
            }
        }
        // Where the cut goes through most faces, or leaves a side almost as large as the whole, nothing is gained: part by middles alone.
        let added = left.len() + right.len() - items.len();
        if 8 * left.len().max(right.len()) > 7 * items.len() || added > items.len() / 2 {
            *spare += added;
            return (items[..middle].to_vec(), items[middle..].to_vec());
        }
        (left, right)
    }
}

enum SplitStep {
    /// The node is finished: everything below it is in the order.
    Close(usize),
    /// The node is to be cut: its place, its references, its level, and the parts that may be added.
    Cut(usize, Vec<BuildItem>, usize, usize),
}

/// The part's box, rounded outward, as an item.
fn boxed(face: u32, part: &ClippedPolygon) -> Option<BuildItem> {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &p in part.corners() {
        min = min.min(p);
        max = max.max(p);
    }
    if part.corners().is_empty() {
        return None;
    }
    let (low, high) = outward_rounding::outward(min, max);
    Some(BuildItem::new(face, low.into(), high.into()))
}

fn largest(d: DVec3) -> usize {
    if d.x >= d.y && d.x >= d.z {
        0
    } else if d.y >= d.z {
        1
    } else {
        2
    }
}

fn covariance(points: impl Iterator<Item = DVec3>) -> DMat3 {
    let (mut count, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    for p in points {
        count += 1.0;
        first += p;
        second += outer(p);
    }
    let weight = 1.0 / f64::max(count, 1.0);
    second * weight - outer(first * weight)
}
