//! Regions without self-collision during a step: normal cones, and borders that stay simple.
//!
//! **Question.** Most pairs of a cloth lie in one smooth patch. Can a whole patch be excluded at
//! once?
//! **Idea.** Project along a direction `c`. If all faces of a patch have the same orientation
//! during the whole step, and the projected border of the patch never intersects itself, no two
//! points of the patch ever lie behind one another. Then the patch does not intersect itself, and
//! none of its pairs is tested. Patches are the nodes of the tree, tried from the root down.
//! **Source.** Volino and Magnenat-Thalmann 1994; Provot 1997 for motion. The test of the border, usually left out, is what makes it right.
//! **Cost.** A few products per face and level, and some comparisons for each pair of edges of a
//! border; borders beyond [`MOST_EDGES`] are not tried.
//! **Promise.** Excluded regions are proven, rounding included. Nothing follows for the others.
//!
//! ## The proof
//!
//! Glue the faces of the region along common edges alone. Each edge has one or two faces, two run through it in opposite ways; so this is an oriented surface `S` with
//! border. Let `π` be the projection `p ↦ (e1·p, e2·p)`; twice the signed area of a projected face is `n·c`, `n` its normal and `c = e1 × e2`. At a time of the step let all
//! these be positive. For a point `y` off the projected edges, the faces over `y` are counted by how often the projected border winds around `y`. (So a part of `S` without border
//! cannot be: over some `y` it has faces, and nothing winds.) The border is one closed line that does not meet itself, so that it winds 0, 1 or −1 times: at most one face lies over `y`.
//! Now let two points of `S` have one image. Around a point inside `S`, `π` covers a neighbourhood: within a face, across an edge (the two faces lie on either side of it), and around a
//! vertex (its sectors turn one way and close). Around a border point, it covers at least a triangle that ends there. So if one of the two is inside, some `y` nearby has two faces, which is impossible; and if both are on
//! the border, it meets itself, which was excluded. Hence points of `S` that are different have different images, and different places. A vertex and a face
//! that does not have it, or two edges without common vertex, never meet. ∎
//!
//! ## Why it holds during the whole step
//!
//! `n` is quadratic in time; where its three Bernstein coefficients have positive products with `c`, so has `n`. Two edges of the border that share no vertex stay apart when a
//! direction `g` has one ahead of the other at both ends of the step: gaps along `g` are linear in time. Two that share `v` have only that in common when
//! `g` has the other ends strictly on either side of `v`, at both ends of the step.
//!
//! ## The bounds
//!
//! `u = 2^-53`. Components of `e1`, `e2` are at most 1, so that those of `c` err by less than `8u`; a component of a coefficient of `n` errs by less than `16u m m'` and is at most `2 m m'` (see `separation_filters.rs`); the
//! product with `c` errs by less than `Σ m m' (24u |c| + 16u)`: `32u (|c| + 1)` is used. A projected coordinate is a difference, three products and two sums of numbers
//! whose magnitudes sum to at most `R`: it errs by less than `ε = 8u R`. The difference of two products with `g` errs by less than `3 ε (|g_x| + |g_y|)`: `4 ε` is used. 2^-900 covers underflow.

use glam::{DVec2, DVec3};

use crate::deform::narrow_phase::in_parts;
use crate::deform::refit::{MOST_LEVELS, RefitBvh};

/// Regions with longer borders are not tried: all pairs of border edges are compared.
const MOST_EDGES: usize = 256;
/// Nodes, or faces, that one part of the work takes.
const PER_PART: usize = 64;
/// `32u`.
const BOUND: f64 = 16.0 * f64::EPSILON;
/// `8u`.
const PLACE_ERROR: f64 = 4.0 * f64::EPSILON;
/// 2^-900.
const TINY: f64 = f64::from_bits((1023 - 900) << 52);

/// No face is beyond this edge.
const NONE: u32 = u32::MAX;
/// More than one is, or one that runs through it the same way.
const MANY: u32 = u32::MAX - 1;

/// The face beyond each edge of each face; edge `k` goes from corner `k` to the next.
pub(super) fn faces_beyond(faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut edges: Vec<(u64, u32, u8, bool)> = Vec::with_capacity(3 * faces.len());
    let mut beyond = vec![[NONE; 3]; faces.len()];
    for (f, face) in faces.iter().enumerate() {
        for k in 0..3 {
            let (p, q) = (face[k], face[(k + 1) % 3]);
            let edge = u64::from(p.min(q)) << 32 | u64::from(p.max(q));
            edges.push((edge, f as u32, k as u8, p < q));
        }
    }
    edges.sort_unstable();
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        match *group {
            [_] => {}
            [(_, f, i, is_up), (_, g, j, is_other_up)] if is_up != is_other_up => {
                beyond[f as usize][i as usize] = g;
                beyond[g as usize][j as usize] = f;
            }
            _ => {
                for &(_, f, k, _) in group {
                    beyond[f as usize][k as usize] = MANY;
                }
            }
        }
    }
    beyond
}

/// What was proven of the nodes of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct ConvexRegions {
    /// By leaf: one more than the level of the highest node above it that is a region; 0 when there is none.
    pub(super) heights: Vec<u8>,
    /// How many regions there are.
    pub(super) count: u64,
    /// Faces in them.
    pub(super) faces: u64,
}

/// The normal of a face during the step: three coefficients, and what their rounding is relative to.
#[derive(Clone, Copy, Debug)]
struct MovingNormal {
    coefficients: [DVec3; 3],
    sizes: DVec3,
}

impl MovingNormal {
    fn new(start: [DVec3; 3], end: [DVec3; 3]) -> Self {
        let [x, y] = [1, 2].map(|k| [start[k] - start[0], end[k] - end[0]]);
        let m = x[0].abs().max(x[1].abs()).max(y[0].abs()).max(y[1].abs());
        let middle = (x[0].cross(y[1]) + x[1].cross(y[0])) * 0.5;
        Self {
            coefficients: [x[0].cross(y[0]), middle, x[1].cross(y[1])],
            sizes: DVec3::new(m.y * m.z, m.z * m.x, m.x * m.y),
        }
    }

    /// Whether the face certainly shows the side from which `c` comes out, during the whole step.
    fn is_along(&self, c: DVec3) -> bool {
        let bound = BOUND * (c.abs() + DVec3::ONE).dot(self.sizes) + 8.0 * TINY;
        self.coefficients.iter().all(|n| n.dot(c) > bound)
    }
}

/// A direction to look along: two vectors whose product it is.
#[derive(Clone, Copy, Debug)]
struct ViewDirection {
    right: DVec3,
    up: DVec3,
    along: DVec3,
}

impl ViewDirection {
    fn new(along: DVec3) -> Option<Self> {
        let largest = along.abs().max_element();
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let along = (along / largest).normalize();
        let m = along.abs();
        let aside = if m.x <= m.y && m.x <= m.z {
            DVec3::X
        } else if m.y <= m.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        // A rounding above 1 would not be covered.
        let within = |v: DVec3| v.clamp(-DVec3::ONE, DVec3::ONE);
        let right = within(along.cross(aside).try_normalize()?);
        let up = within(along.cross(right));
        Some(Self {
            right,
            up,
            along: right.cross(up),
        })
    }
}

/// The input of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepSurface<'s> {
    pub(super) tree: &'s RefitBvh,
    pub(super) faces: &'s [[u32; 3]],
    /// See [`faces_beyond`].
    pub(super) beyond: &'s [[u32; 3]],
    pub(super) frames: [&'s [DVec3]; 2],
}

impl StepSurface<'_> {
    /// The highest nodes of the tree that are proven not to meet themselves.
    pub(super) fn regions(&self, parallel: bool) -> ConvexRegions {
        let mut regions = ConvexRegions {
            heights: vec![0; self.tree.leaves()],
            ..ConvexRegions::default()
        };
        let levels = self.tree.level_count();
        if levels == 0 || levels > MOST_LEVELS {
            return regions;
        }
        let count = self.faces.len();
        let turns = in_parts(parallel, count.div_ceil(PER_PART), |i| {
            let to = ((i + 1) * PER_PART).min(count);
            let turn = |f: usize| {
                let [start, end] = self
                    .frames
                    .map(|frame| self.faces[f].map(|v| frame[v as usize]));
                MovingNormal::new(start, end)
            };
            (i * PER_PART..to).map(turn).collect::<Vec<MovingNormal>>()
        })
        .concat();
        let mut place = vec![0_u32; count];
        for (at, &face) in self.tree.run(levels - 1, 0).1.iter().enumerate() {
            place[face as usize] = at as u32;
        }
        let mut open = vec![0_usize];
        for level in (0..levels).rev() {
            let proven = in_parts(parallel, open.len().div_ceil(PER_PART), |i| {
                let mut border = RegionBorder::default();
                let to = ((i + 1) * PER_PART).min(open.len());
                let nodes = open[i * PER_PART..to].iter();
                nodes
                    .map(|&node| self.is_region(level, node, &turns, &place, &mut border))
                    .collect::<Vec<bool>>()
            })
            .concat();
            let mut next = Vec::new();
            for (&node, is_region) in open.iter().zip(proven) {
                if is_region {
                    let leaves = self.tree.leaves_below(level, node);
                    regions.heights[leaves].fill(level as u8 + 1);
                    regions.count += 1;
                    regions.faces += self.tree.run(level, node).1.len() as u64;
                } else {
                    next.extend(self.tree.children(level, node));
                }
            }
            open = next;
        }
        regions
    }

    fn is_region(
        &self,
        level: usize,
        node: usize,
        turns: &[MovingNormal],
        place: &[u32],
        border: &mut RegionBorder,
    ) -> bool {
        let (from, run) = self.tree.run(level, node);
        let normal = run.iter().fold(DVec3::ZERO, |sum, &f| {
            let [n0, n1, n2] = turns[f as usize].coefficients;
            sum + (n0 + n1 + n2)
        });
        let Some(view) = ViewDirection::new(normal) else {
            return false;
        };
        let is_cone = run.iter().all(|&f| turns[f as usize].is_along(view.along));
        if !is_cone {
            return false;
        }
        border.edges.clear();
        for &f in run {
            for (k, &other) in self.beyond[f as usize].iter().enumerate() {
                if other == MANY {
                    return false;
                }
                let is_inside = other != NONE
                    && (place[other as usize] as usize).wrapping_sub(from) < run.len();
                if is_inside {
                    continue;
                }
                if border.edges.len() == MOST_EDGES {
                    return false;
                }
                let face = self.faces[f as usize];
                border.edges.push((face[k], face[(k + 1) % 3]));
            }
        }
        border.close() && border.stays_simple(self.frames, &view)
    }
}

/// The border of a region.
#[derive(Clone, Debug, Default)]
struct RegionBorder {
    /// From vertex to vertex.
    edges: Vec<(u32, u32)>,
    /// The vertices, one after the other.
    round: Vec<u32>,
    /// Their projections at both ends of the step.
    places: Vec<[DVec2; 2]>,
    /// The box of each edge over the step.
    boxes: Vec<[DVec2; 2]>,
}

impl RegionBorder {
    /// Puts the edges one after the other; false unless they are one line that visits each vertex once.
    fn close(&mut self) -> bool {
        self.edges.sort_unstable();
        let is_each_once = self.edges.windows(2).all(|w| w[0].0 < w[1].0);
        let Some(&(first, _)) = self.edges.first().filter(|_| is_each_once) else {
            return false;
        };
        self.round.clear();
        let mut vertex = first;
        for _ in 0..self.edges.len() {
            self.round.push(vertex);
            let Ok(at) = self.edges.binary_search_by_key(&vertex, |e| e.0) else {
                return false;
            };
            vertex = self.edges[at].1;
            if vertex == first {
                break;
            }
        }
        vertex == first && self.round.len() == self.edges.len() && self.round.len() > 2
    }

    /// Whether the projected border certainly never meets itself during the step.
    fn stays_simple(&mut self, frames: [&[DVec3]; 2], view: &ViewDirection) -> bool {
        let count = self.round.len();
        let origin = frames[0][self.round[0] as usize];
        let mut reach = 0.0_f64;
        self.places.clear();
        for &v in &self.round {
            self.places.push(frames.map(|frame| {
                let p = frame[v as usize] - origin;
                reach = reach.max(p.abs().element_sum());
                DVec2::new(view.right.dot(p), view.up.dot(p))
            }));
        }
        let slack = 4.0 * PLACE_ERROR * reach + 4.0 * TINY;
        let next = |i: usize| if i + 1 == count { 0 } else { i + 1 };
        self.boxes.clear();
        for i in 0..count {
            let ([p, q], [r, s]) = (self.places[i], self.places[next(i)]);
            let (low, high) = (p.min(q).min(r).min(s), p.max(q).max(r).max(s));
            self.boxes.push([low, high]);
            // The edge and the one after it.
            if !self.bends(i, next(i), next(next(i)), slack) {
                return false;
            }
        }
        for i in 0..count {
            let [low, high] = self.boxes[i];
            for j in i + 2..count {
                if next(j) == i {
                    continue;
                }
                let [other_low, other_high] = self.boxes[j];
                let gap = (other_low - high).max(low - other_high);
                if gap.max_element() > slack {
                    continue;
                }
                let one = [self.places[i], self.places[next(i)]];
                let two = [self.places[j], self.places[next(j)]];
                if !stay_apart(one, two, slack) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the edges from `v` to its neighbours certainly have only `v` in common during the step.
    fn bends(&self, before: usize, v: usize, after: usize, slack: f64) -> bool {
        let [a, v, b] = [before, v, after].map(|k| self.places[k]);
        let middle = |p: [DVec2; 2]| (p[0] - v[0]) + (p[1] - v[1]);
        let g = middle(a).normalize_or_zero() - middle(b).normalize_or_zero();
        let bound = slack * g.abs().element_sum() + TINY;
        [0, 1]
            .iter()
            .all(|&t| g.dot(a[t] - v[t]) > bound && g.dot(b[t] - v[t]) < -bound)
    }
}

/// Whether two edges certainly have no common point during the step, by the direction between them or across one of them.
fn stay_apart(one: [[DVec2; 2]; 2], two: [[DVec2; 2]; 2], slack: f64) -> bool {
    let sum = |e: [[DVec2; 2]; 2]| (e[0][0] + e[0][1]) + (e[1][0] + e[1][1]);
    let along = |e: [[DVec2; 2]; 2]| (e[1][0] - e[0][0]) + (e[1][1] - e[0][1]);
    let directions = [sum(one) - sum(two), along(one).perp(), along(two).perp()];
    directions.into_iter().any(|g| {
        let bound = slack * g.abs().element_sum() + TINY;
        let gaps = [0, 1].map(|t| {
            let [a, b] = [g.dot(one[0][t]), g.dot(one[1][t])];
            let [c, d] = [g.dot(two[0][t]), g.dot(two[1][t])];
            [a.min(b) - c.max(d), c.min(d) - a.max(b)]
        });
        gaps.iter().all(|gap| gap[0] > bound) || gaps.iter().all(|gap| gap[1] > bound)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(places: [[f64; 2]; 4], ends: [[f64; 2]; 4]) -> bool {
        let points = |p: [[f64; 2]; 4]| p.map(|[x, y]| DVec3::new(x, y, 0.0));
        let mut border = RegionBorder {
            edges: vec![(2, 3), (0, 1), (3, 0), (1, 2)],
            ..RegionBorder::default()
        };
        let view = ViewDirection::new(DVec3::Z).unwrap();
        border.close() && border.stays_simple([&points(places), &points(ends)], &view)
    }

    #[test]
    fn a_border_must_stay_simple_during_the_step() {
        let plain = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let crossed = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let turned = plain.map(|[x, y]| [1.0 - x, 1.0 - y]);
        assert!(square(plain, plain));
        assert!(!square(plain, crossed) && !square(crossed, crossed));
        // Half a turn in one step goes through a point.
        assert!(!square(plain, turned));
        // Touching itself is not simple.
        assert!(!square(
            plain,
            [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.0, 1.0]]
        ));
    }

    #[test]
    fn a_border_of_two_loops_or_with_a_vertex_twice_is_none() {
        let closes = |edges: &[(u32, u32)]| {
            let mut border = RegionBorder {
                edges: edges.to_vec(),
                ..RegionBorder::default()
            };
            border.close()
        };
        assert!(closes(&[(0, 1), (1, 2), (2, 0)]));
        assert!(!closes(&[]));
        assert!(!closes(&[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]));
        assert!(!closes(&[(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)]));
    }

    #[test]
    fn edges_with_one_face_two_or_more() {
        // Two faces that go through their edge in opposite ways, a third beside the second that goes the same way.
        let beyond = faces_beyond(&[[0, 1, 2], [2, 1, 3], [1, 3, 4]]);
        assert_eq!(beyond[0], [NONE, 1, NONE]);
        assert_eq!(beyond[1], [0, MANY, NONE]);
        assert_eq!(beyond[2], [MANY, NONE, NONE]);
    }
}
