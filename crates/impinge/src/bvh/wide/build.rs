//! Builds a wide BVH of a mesh.
//!
//! **Idea.** Faces become cells, a cell holding one face or two that share an edge. Cells are cut top down by
//! the binned surface-area heuristic into nodes of eight and leaves of eight faces (`sah_split`); then
//! leaves are filled (`leaf_fill`) and boxes fitted from below (`obb_fit`).
//!
//! **Cost.** A million faces on one thread: cuts take a third of the fast preset's time, leaves a fifth, fresh
//! memory another fifth. Oriented boxes take as much again as all that.
//!
//! **Promise.** The same bytes for any number of threads and on every instruction set: minima, maxima and counts
//! do not depend on the order, sums are taken in the order of the tree, and nothing is fused.
//!
//! **Containment.** Cells are rounded to `f32` and only decide where to cut. What a box has to hold is measured
//! in `f64` in the tree's frame: extents along the axes as stored, plus `slack` for the rounding of the frame
//! (`obb_fit`), so no cut can lose a face.

use std::ops::Range;

use glam::{DVec3, Vec4};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::layout::{LEAF, NO_CHILD, WIDTH, WideLeaf, WideNode};
pub(super) use super::leaf_fill::leaf;
use super::leaf_fill::{LeafAndMoments, LeafFaceIds, LeafFill, larger, smaller};
use super::obb_fit::{AreaMoments, FitScratch, FittedObb, fit, fit_upright};
use super::queries::BoxKind;
use super::relative_pose::exp2;
use super::sah_split::{SplitCell, SplitSet, halves, split};
use super::tree::TreeFrame;
use crate::math::simd::Level;
use crate::math::simd::lanes::dispatch;
use crate::mesh::TriMesh;

/// Deeper than any tree the heuristic makes of real meshes (1 M faces: 7 wide levels); beyond it
/// every cut is at the median, so that no input makes a deep tree.
const MEDIAN_FROM_LEVEL: usize = 24;

/// Nodes, leaves and the frame they are stored in.
pub(super) struct BuiltTree {
    pub(super) root: WideNode,
    pub(super) nodes: Vec<WideNode>,
    pub(super) leaves: Vec<WideLeaf>,
    pub(super) frame: TreeFrame,
}

/// A wide node before its boxes are fitted.
struct NodePlan {
    /// Cells below each child, in the builder's order.
    ranges: [Range<u32>; WIDTH],
    child: [u32; WIDTH],
}

pub(super) fn build(mesh: &TriMesh, boxes: BoxKind) -> BuiltTree {
    build_at(mesh, boxes, Level::detect())
}

/// The tree is the same at every level.
pub(super) fn build_at(mesh: &TriMesh, boxes: BoxKind, level: Level) -> BuiltTree {
    let mut frame = TreeFrame::of(mesh);
    if mesh.is_empty() {
        return BuiltTree {
            root: WideNode::EMPTY,
            nodes: Vec::new(),
            leaves: Vec::new(),
            frame,
        };
    }
    let mut cells = cells(mesh, &frame);
    let (plans, leaf_ranges) = plan(&mut cells);
    let mut nodes = vec![WideNode::EMPTY; plans.len()];
    let filling = TreeFilling {
        mesh,
        frame: &frame,
        cells: &cells,
        level,
    };
    let (whole, reach, leaves) = match boxes {
        BoxKind::Oriented => filling.oriented(&plans, &leaf_ranges, &mut nodes),
        BoxKind::AxisAligned => {
            let fill = |range: &Range<u32>| {
                dispatch(
                    level,
                    LeafFill {
                        mesh,
                        frame: &frame,
                        faces: &filling.faces(range),
                    },
                )
            };
            #[cfg(feature = "parallel")]
            let leaves: Vec<WideLeaf> = {
                let ranges = leaf_ranges.par_iter().with_min_len(GRAIN);
                ranges.map(fill).collect()
            };
            #[cfg(not(feature = "parallel"))]
            let leaves: Vec<WideLeaf> = leaf_ranges.iter().map(fill).collect();
            let (whole, reach) = upright(&plans, &leaves, &mut nodes, frame.slack);
            (whole, reach, leaves)
        }
    };
    let mut root = WideNode::EMPTY;
    whole.store(&mut root, 0, 0);
    frame.radius = whole.reach().max(reach);
    BuiltTree {
        root,
        nodes,
        leaves,
        frame,
    }
}

/// Leaves or nodes that are worth a task of their own.
#[cfg(feature = "parallel")]
const GRAIN: usize = 256;

/// What filling nodes and leaves needs to know.
struct TreeFilling<'m> {
    mesh: &'m TriMesh,
    frame: &'m TreeFrame,
    /// The faces in the order of the tree.
    cells: &'m [SplitCell],
    level: Level,
}

/// What a leaf reports to the nodes above it.
struct LeafSummary {
    fitted: FittedObb,
    moments: AreaMoments,
    /// The vertices of its faces, each once.
    vertices: [u32; 3 * WIDTH],
    count: usize,
}

impl TreeFilling<'_> {
    /// The faces of a leaf.
    #[inline(always)]
    fn faces(&self, range: &Range<u32>) -> LeafFaceIds {
        LeafFaceIds::of(&self.cells[range.start as usize..range.end as usize])
    }

    /// Where a vertex lies in the frame.
    #[inline(always)]
    fn local(&self, vertex: u32) -> DVec3 {
        self.frame.local(self.mesh.positions()[vertex as usize])
    }

    fn leaf_and_summary(
        &self,
        scratch: &mut FitScratch,
        range: &Range<u32>,
    ) -> (WideLeaf, LeafSummary) {
        let faces = self.faces(range);
        let (mut vertices, mut count) = ([u32::MAX; 3 * WIDTH], 0);
        for &face in faces.present() {
            for vertex in self.mesh.faces()[face as usize] {
                if !vertices[..count].contains(&vertex) {
                    vertices[count] = vertex;
                    count += 1;
                }
            }
        }
        let (leaf, moments) = dispatch(
            self.level,
            LeafAndMoments(LeafFill {
                mesh: self.mesh,
                frame: self.frame,
                faces: &faces,
            }),
        );
        let fitted = fit(
            count,
            &|i| self.local(vertices[i]),
            &moments,
            self.frame.slack,
            self.level,
            scratch,
        );
        let summary = LeafSummary {
            fitted,
            moments,
            vertices,
            count,
        };
        (leaf, summary)
    }

    /// Fills nodes with oriented boxes; the box of everything, how far the boxes reach, the leaves.
    fn oriented(
        &self,
        plans: &[NodePlan],
        leaf_ranges: &[Range<u32>],
        nodes: &mut [WideNode],
    ) -> (FittedObb, f64, Vec<WideLeaf>) {
        let fill = |scratch: &mut FitScratch, range| self.leaf_and_summary(scratch, range);
        #[cfg(feature = "parallel")]
        let (leaves, summaries): (Vec<WideLeaf>, Vec<LeafSummary>) = leaf_ranges
            .par_iter()
            .with_min_len(GRAIN)
            .map_init(FitScratch::default, fill)
            .unzip();
        #[cfg(not(feature = "parallel"))]
        let (leaves, summaries): (Vec<WideLeaf>, Vec<LeafSummary>) = {
            let mut scratch = FitScratch::default();
            leaf_ranges
                .iter()
                .map(|range| fill(&mut scratch, range))
                .unzip()
        };
        // The vertices of all leaves in the order of the cells: each node has a part of it.
        let mut leaf_at = vec![u32::MAX; self.cells.len()];
        for (i, range) in leaf_ranges.iter().enumerate() {
            leaf_at[range.start as usize] = i as u32;
        }
        let mut vertices = Vec::with_capacity(2 * self.mesh.face_count());
        // From a cell at which a leaf begins to its first vertex.
        let mut first = vec![0_u32; self.cells.len() + 1];
        for (cell, &i) in leaf_at.iter().enumerate() {
            if let Some(summary) = summaries.get(i as usize) {
                first[cell] = vertices.len() as u32;
                vertices.extend_from_slice(&summary.vertices[..summary.count]);
            }
        }
        first[self.cells.len()] = vertices.len() as u32;
        let mut moments = vec![AreaMoments::NONE; plans.len()];
        for (i, plan) in plans.iter().enumerate().rev() {
            let mut sum = AreaMoments::NONE;
            for &child in plan.child.iter().filter(|&&child| child != NO_CHILD) {
                sum = sum.merged(match child & LEAF {
                    0 => &moments[child as usize],
                    _ => &summaries[(child & !LEAF) as usize].moments,
                });
            }
            moments[i] = sum;
        }
        let fit_range = |range: &Range<u32>, moments: &AreaMoments, scratch: &mut FitScratch| {
            let (start, end) = (first[range.start as usize], first[range.end as usize]);
            let vertices = &vertices[start as usize..end as usize];
            fit(
                vertices.len(),
                &|i| self.local(vertices[i]),
                moments,
                self.frame.slack,
                self.level,
                scratch,
            )
        };
        let fill = |scratch: &mut FitScratch, (node, plan): (&mut WideNode, &NodePlan)| {
            let mut reach = 0.0_f64;
            for k in 0..WIDTH {
                let child = plan.child[k];
                if child != NO_CHILD {
                    let fitted = match child & LEAF {
                        0 => fit_range(&plan.ranges[k], &moments[child as usize], scratch),
                        _ => summaries[(child & !LEAF) as usize].fitted,
                    };
                    fitted.store(node, k, child);
                    reach = reach.max(fitted.reach());
                }
            }
            reach
        };
        let all = 0..self.cells.len() as u32;
        let fit_whole = || fit_range(&all, &moments[0], &mut FitScratch::default());
        #[cfg(feature = "parallel")]
        let (reach, whole) = rayon::join(
            || {
                let filled = nodes.par_iter_mut().zip(plans);
                filled
                    .map_init(FitScratch::default, fill)
                    .reduce(|| 0.0, f64::max)
            },
            fit_whole,
        );
        #[cfg(not(feature = "parallel"))]
        let (reach, whole) = {
            let mut scratch = FitScratch::default();
            let filled = nodes.iter_mut().zip(plans);
            let reach = filled.fold(0.0, |reach: f64, both| reach.max(fill(&mut scratch, both)));
            (reach, fit_whole())
        };
        (whole, reach, leaves)
    }
}

/// Least and greatest coordinates of what each node holds, in the tree's frame. Nodes come before those below them.
pub(super) fn extents<'c>(
    children: impl ExactSizeIterator<Item = &'c [u32; WIDTH]> + DoubleEndedIterator,
    leaves: &[WideLeaf],
) -> Vec<[DVec3; 2]> {
    let mut extents = vec![[DVec3::ZERO; 2]; children.len()];
    for (i, child) in children.enumerate().rev() {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &child in child.iter().filter(|&&child| child != NO_CHILD) {
            let [min, max] = child_extent(child, &extents, leaves);
            low = smaller(low, min);
            high = larger(high, max);
        }
        extents[i] = [low, high];
    }
    extents
}

/// The same of a leaf or of a node whose extents are known.
pub(super) fn child_extent(child: u32, extents: &[[DVec3; 2]], leaves: &[WideLeaf]) -> [DVec3; 2] {
    if child & LEAF == 0 {
        return extents[child as usize];
    }
    let leaf = &leaves[(child & !LEAF) as usize];
    let half = DVec3::from(leaf.half.map(f64::from));
    [leaf.origin - half, leaf.origin + half]
}

/// Boxes along the coordinate axes, each the union of those below it; the box of everything, and how
/// far the boxes reach.
fn upright(
    plans: &[NodePlan],
    leaves: &[WideLeaf],
    nodes: &mut [WideNode],
    slack: f64,
) -> (FittedObb, f64) {
    let extents = extents(plans.iter().map(|plan| &plan.child), leaves);
    let fill = |(node, plan): (&mut WideNode, &NodePlan)| {
        let mut reach = 0.0_f64;
        for k in 0..WIDTH {
            let child = plan.child[k];
            if child != NO_CHILD {
                let [min, max] = child_extent(child, &extents, leaves);
                let fitted = fit_upright(min, max, slack);
                fitted.store(node, k, child);
                reach = reach.max(fitted.reach());
            }
        }
        reach
    };
    #[cfg(feature = "parallel")]
    let reach = nodes
        .par_iter_mut()
        .zip(plans)
        .with_min_len(GRAIN)
        .map(fill)
        .reduce(|| 0.0, f64::max);
    #[cfg(not(feature = "parallel"))]
    let reach = nodes.iter_mut().zip(plans).map(fill).fold(0.0, f64::max);
    let [low, high] = extents.first().copied().unwrap_or_default();
    (fit_upright(low, high, slack), reach)
}

/// The faces' boxes, in `f32`: they decide where to cut, so they need not contain the faces.
///
/// Most meshes list neighbours one after the other. Two faces that share an edge then make one
/// cell, which halves the work of all cuts.
fn cells(mesh: &TriMesh, frame: &TreeFrame) -> Vec<SplitCell> {
    let (positions, faces) = (mesh.positions(), mesh.faces());
    let single = |&p: &DVec3| frame.local(p).as_vec3().extend(0.0);
    #[cfg(feature = "parallel")]
    let local: Vec<Vec4> = positions.par_iter().map(single).collect();
    #[cfg(not(feature = "parallel"))]
    let local: Vec<Vec4> = positions.iter().map(single).collect();
    let chunk_cells = |chunk: usize| {
        let end = faces.len().min((chunk + 1) * CHUNK);
        let mut i = chunk * CHUNK;
        let mut cells = Vec::with_capacity(end - i);
        let cell = |i: usize| SplitCell::new(faces[i].map(|v| local[v as usize]), i as u32);
        while i < end {
            let this = cell(i);
            let neighbour = i + 1 < end && share_edge(&faces[i], &faces[i + 1]);
            let pair = if neighbour {
                this.paired(&cell(i + 1))
            } else {
                None
            };
            cells.push(pair.unwrap_or(this));
            i += if pair.is_some() { 2 } else { 1 };
        }
        cells
    };
    let chunks = faces.len().div_ceil(CHUNK);
    #[cfg(feature = "parallel")]
    let cells: Vec<Vec<SplitCell>> = (0..chunks).into_par_iter().map(chunk_cells).collect();
    #[cfg(not(feature = "parallel"))]
    let cells: Vec<Vec<SplitCell>> = (0..chunks).map(chunk_cells).collect();
    cells.concat()
}

/// Faces that are paired among themselves: a fixed number, so that threads change nothing.
const CHUNK: usize = 1 << 14;

fn share_edge(a: &[u32; 3], b: &[u32; 3]) -> bool {
    let shared = a.iter().map(|v| u32::from(b.contains(v)));
    shared.sum::<u32>() >= 2
}

/// One node's worth of cutting: up to eight ranges, the largest by area cut first.
fn cut(
    cells: &mut [SplitCell],
    set: &SplitSet,
    level: usize,
) -> ([Range<usize>; WIDTH], [SplitSet; WIDTH], usize) {
    let mut ranges: [Range<usize>; WIDTH] = std::array::from_fn(|_| 0..0);
    let mut sets = [*set; WIDTH];
    let mut areas = [0.0; WIDTH];
    ranges[0] = 0..cells.len();
    let mut count = 1;
    while count < WIDTH {
        // The largest that is not a leaf yet; an area of zero must still be cut.
        let mut chosen = None;
        for k in 0..count {
            let is_larger = |c: usize| areas[k] > areas[c];
            if sets[k].faces as usize > WIDTH && chosen.is_none_or(is_larger) {
                chosen = Some(k);
            }
        }
        let Some(k) = chosen else { break };
        let Range { start, end } = ranges[k];
        let part = &mut cells[start..end];
        let (middle, [left, right]) = if level < MEDIAN_FROM_LEVEL {
            split(part, &sets[k])
        } else {
            halves(part)
        };
        ranges[k] = start..start + middle;
        ranges[count] = start + middle..end;
        (sets[k], areas[k]) = (left, left.area());
        (sets[count], areas[count]) = (right, right.area());
        count += 1;
    }
    (ranges, sets, count)
}

/// The shape of the tree, level by level; the items of one level are cut side by side.
fn plan(cells: &mut [SplitCell]) -> (Vec<NodePlan>, Vec<Range<u32>>) {
    let mut plans: Vec<NodePlan> = Vec::new();
    let mut leaves = Vec::new();
    // Ranges that become nodes, in order of position, so that they can be borrowed apart.
    let mut level_ranges = vec![(0..cells.len(), SplitSet::of(cells))];
    let mut level = 0;
    while !level_ranges.is_empty() {
        let mut rest = &mut *cells;
        let mut offset = 0;
        let mut parts = Vec::with_capacity(level_ranges.len());
        for (range, set) in &level_ranges {
            let (_, tail) = rest.split_at_mut(range.start - offset);
            let (part, tail) = tail.split_at_mut(range.len());
            parts.push((range.start, part, set));
            rest = tail;
            offset = range.end;
        }
        #[cfg(feature = "parallel")]
        let cuts: Vec<_> = parts
            .into_par_iter()
            .map(|(start, part, set)| (start, cut(part, set, level)))
            .collect();
        #[cfg(not(feature = "parallel"))]
        let cuts: Vec<_> = parts
            .into_iter()
            .map(|(start, part, set)| (start, cut(part, set, level)))
            .collect();
        let mut next = Vec::new();
        let first_below = plans.len() as u32 + cuts.len() as u32;
        for (start, (ranges, sets, count)) in cuts {
            let mut order: [usize; WIDTH] = std::array::from_fn(|k| k);
            order[..count].sort_unstable_by_key(|&k| ranges[k].start);
            let mut plan = NodePlan {
                ranges: std::array::from_fn(|_| 0..0),
                child: [NO_CHILD; WIDTH],
            };
            for (k, &at) in order[..count].iter().enumerate() {
                let range = &ranges[at];
                let range = start + range.start..start + range.end;
                plan.ranges[k] = range.start as u32..range.end as u32;
                if sets[at].faces as usize <= WIDTH {
                    plan.child[k] = leaves.len() as u32 | LEAF;
                    leaves.push(plan.ranges[k].clone());
                } else {
                    plan.child[k] = first_below + next.len() as u32;
                    next.push((range, sets[at]));
                }
            }
            plans.push(plan);
        }
        level_ranges = next;
        level += 1;
    }
    (plans, leaves)
}

impl TreeFrame {
    /// The frame of a mesh: its box's centre, and the power of two that brings it to unit size.
    pub(super) fn of(mesh: &TriMesh) -> Self {
        let bounds = mesh.bounds();
        if mesh.is_empty() {
            return Self {
                center: DVec3::ZERO,
                exponent: 0,
                radius: 0.0,
                slack: 0.0,
            };
        }
        let center = bounds.min * 0.5 + bounds.max * 0.5;
        let reach = (bounds.max - center).max(center - bounds.min).max_element();
        let exponent = if reach > 0.0 {
            // The exponent field, corrected for subnormal numbers by the clamp.
            ((reach.to_bits() >> 52) as i32 - 1022).clamp(-900, 900)
        } else {
            0
        };
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self {
            center,
            exponent,
            radius: 0.0,
            slack: 2.0 * f64::EPSILON * (largest * exp2(-exponent) + 1.0),
        }
    }

    /// A point in the frame.
    #[inline(always)]
    pub(super) fn local(&self, p: DVec3) -> DVec3 {
        (p - self.center) * exp2(-self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn bytes(tree: &BuiltTree) -> String {
        // Debug tells every number.
        let BuiltTree {
            root,
            nodes,
            leaves,
            frame,
        } = tree;
        format!("{root:?} {nodes:?} {leaves:?} {frame:?}")
    }

    /// A lattice of quadrilaterals on the surface `place`, cut in two; upper layers have the generators.
    fn surface(rows: u32, columns: u32, place: fn(f64, f64) -> DVec3) -> Option<TriMesh> {
        let at = |i: u32, j: u32| {
            place(
                f64::from(i) / f64::from(rows),
                f64::from(j) / f64::from(columns),
            )
        };
        let points = (0..=rows).flat_map(|i| (0..=columns).map(move |j| at(i, j)));
        let faces = (0..rows).flat_map(|i| {
            (0..columns).flat_map(move |j| {
                let (p, q) = (i * (columns + 1) + j, (i + 1) * (columns + 1) + j);
                [[p, q, p + 1], [p + 1, q, q + 1]]
            })
        });
        TriMesh::new(points.collect(), faces.collect()).ok()
    }

    fn models() -> Vec<Arc<TriMesh>> {
        let knot = surface(200, 15, |s, t| {
            let (along, around) = (s * std::f64::consts::TAU, t * std::f64::consts::TAU);
            let reach = 2.0 + (3.0 * along).cos() + 0.3 * around.cos();
            let height = (3.0 * along).sin() + 0.3 * around.sin();
            DVec3::new(
                reach * (2.0 * along).cos(),
                reach * (2.0 * along).sin(),
                height,
            )
        });
        let ball = surface(40, 40, |s, t| {
            let (turn, rise) = (s * std::f64::consts::TAU, t * std::f64::consts::PI);
            DVec3::new(turn.cos() * rise.sin(), turn.sin() * rise.sin(), rise.cos())
        });
        let meshes: Vec<TriMesh> = [knot, ball].into_iter().flatten().collect();
        assert_eq!(meshes.len(), 2);
        // Scaled and moved: far from the origin few digits are left.
        let placed = [
            (1.0, 0.0),
            (1e-6, 0.0),
            (1e6, 0.0),
            (1.0, 1e6),
            (1e-3, -1e6),
        ];
        let moved = meshes.iter().flat_map(|mesh| {
            placed.map(|(scale, offset)| {
                let positions = mesh.positions().iter();
                let positions = positions.map(|p| *p * scale + DVec3::new(offset, -offset, offset));
                TriMesh::new(positions.collect(), mesh.faces().to_vec())
            })
        });
        moved.flatten().map(Arc::new).collect()
    }

    #[test]
    fn trees_are_the_same_at_every_level() {
        let models = models();
        assert_eq!(models.len(), 10);
        for mesh in models {
            for boxes in [BoxKind::Oriented, BoxKind::AxisAligned] {
                let plain = bytes(&build_at(&mesh, boxes, Level::Portable));
                for level in Level::available() {
                    assert!(bytes(&build_at(&mesh, boxes, level)) == plain, "{level:?}");
                }
            }
        }
    }

    #[test]
    fn every_scale_gives_the_same_cuts() {
        // A power of two changes no digit, so it may change no face's place.
        let faces = |mesh: &TriMesh, boxes| -> Vec<[u32; WIDTH]> {
            build(mesh, boxes)
                .leaves
                .iter()
                .map(|leaf| leaf.face)
                .collect()
        };
        for mesh in models().iter().take(1) {
            for exponent in [-40, 40] {
                let positions = mesh.positions().iter().map(|p| *p * exp2(exponent));
                let scaled = TriMesh::new(positions.collect(), mesh.faces().to_vec());
                for boxes in [BoxKind::Oriented, BoxKind::AxisAligned] {
                    let scaled = scaled.as_ref().map(|scaled| faces(scaled, boxes));
                    assert_eq!(scaled.ok(), Some(faces(mesh, boxes)));
                }
            }
        }
    }

    #[test]
    fn neighbours_in_the_list_are_paired_where_they_share_an_edge() {
        assert!(share_edge(&[0, 1, 2], &[2, 1, 3]));
        assert!(!share_edge(&[0, 1, 2], &[2, 3, 4]));
        for mesh in models() {
            let cells = cells(&mesh, &TreeFrame::of(&mesh));
            let count: u32 = cells.iter().map(SplitCell::count).sum();
            assert_eq!(count as usize, mesh.face_count());
            assert!(cells.len() < mesh.face_count());
            let ids = cells.iter().flat_map(|c| c.face()..c.face() + c.count());
            let mut order: Vec<u32> = ids.collect();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count));
        }
    }
}
