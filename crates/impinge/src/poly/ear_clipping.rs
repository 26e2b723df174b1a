//! Ear clipping on exact signs.
//!
//! **Question.** Which triangles make up a polygon?
//! **Idea.** Cut off a corner whose triangle holds no other part of the outline; repeat.
//! **Source.** G. Meisters, "Polygons have ears", 1975. Ours: reflex corners alone are tested
//! against a candidate, corners in the same place as its tip by their direction, so that
//! outlines joined to their holes are cut correctly.
//! **Cost.** O(k·r) for k corners of which r are reflex, O(k²) at worst.
//! **Promise.** k − 2 triangles, whatever the outline; of the right area when it is simple.
//! **Limits.** No attempt at well-shaped triangles.

use glam::DVec2;

use super::orientation::turn;
use crate::math::Sign;

/// A corner of an outline: where it is in the plane and which vertex it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutlineCorner {
    pub(super) at: DVec2,
    pub(super) vertex: u32,
}

/// How often all corners are visited again before an outline without ears is cut by force.
const MAX_RECLASSIFICATIONS: usize = 4;

/// Scratch space for cutting many outlines.
#[derive(Default)]
pub(super) struct EarClipper {
    nodes: Vec<EarNode>,
    // Numbers of the corners that may block an ear; those since cut or straightened are skipped.
    reflex: Vec<u32>,
    left: usize,
    // Whether a triangle was left out because it would name a vertex twice.
    dropped: bool,
}

struct EarNode {
    corner: OutlineCorner,
    previous: u32,
    next: u32,
    alive: bool,
    convex: bool,
    listed: bool,
    ear: bool,
}

impl EarClipper {
    /// Cuts a counter-clockwise outline into triangles; false when it had to be forced, because
    /// the outline crosses or touches itself.
    pub(super) fn clip(
        &mut self,
        outline: &[OutlineCorner],
        mut emit: impl FnMut([u32; 3]),
    ) -> bool {
        let k = outline.len();
        if k < 3 {
            return true;
        }
        self.link(outline);
        self.cut_repeated(&mut emit);
        for i in 0..k {
            if self.nodes[i].alive {
                self.classify(i);
            }
        }
        self.find_ears();

        let mut simple = true;
        let mut at = self.nodes.iter().position(|n| n.alive).unwrap_or(0);
        let mut idle = 0;
        let mut reclassifications = 0;
        let mut fresh = true;
        while self.left > 3 {
            if self.nodes[at].ear {
                at = self.cut(at, &mut emit);
                (idle, fresh) = (0, false);
            } else if idle < self.left {
                at = self.nodes[at].next as usize;
                idle += 1;
            } else if !fresh && reclassifications < MAX_RECLASSIFICATIONS {
                self.find_ears();
                reclassifications += 1;
                (idle, fresh) = (0, true);
            } else {
                let (victim, straight) = self.victim(at);
                simple &= straight;
                at = self.cut(victim, &mut emit);
                (idle, fresh) = (0, false);
            }
        }
        self.emit(at, &mut emit);
        simple && !self.dropped
    }

    fn link(&mut self, outline: &[OutlineCorner]) {
        let k = outline.len();
        self.nodes.clear();
        self.reflex.clear();
        self.left = k;
        self.dropped = false;
        self.nodes
            .extend(outline.iter().enumerate().map(|(i, &corner)| EarNode {
                corner,
                previous: if i == 0 { k - 1 } else { i - 1 } as u32,
                next: if i + 1 == k { 0 } else { i + 1 } as u32,
                alive: true,
                convex: false,
                listed: false,
                ear: false,
            }));
    }

    /// Cuts corners that are in the same place as the next one: no strict ear touches them.
    fn cut_repeated(&mut self, emit: &mut impl FnMut([u32; 3])) {
        for i in 0..self.nodes.len() {
            let next = self.nodes[i].next as usize;
            if self.left > 3 && self.nodes[i].corner.at == self.nodes[next].corner.at {
                self.emit(i, emit);
                self.unlink(i);
            }
        }
    }

    fn emit(&mut self, tip: usize, emit: &mut impl FnMut([u32; 3])) {
        let node = &self.nodes[tip];
        let [a, b, c] =
            [node.previous as usize, tip, node.next as usize].map(|i| self.nodes[i].corner.vertex);
        if a != b && b != c && c != a {
            emit([a, b, c]);
        } else {
            self.dropped = true;
        }
    }

    fn unlink(&mut self, i: usize) {
        let (previous, next) = (self.nodes[i].previous, self.nodes[i].next);
        self.nodes[previous as usize].next = next;
        self.nodes[next as usize].previous = previous;
        self.nodes[i].alive = false;
        self.left -= 1;
    }

    /// Cuts a corner and returns the one to look at next: not its neighbour, which would make fans of slivers.
    fn cut(&mut self, i: usize, emit: &mut impl FnMut([u32; 3])) -> usize {
        self.emit(i, emit);
        let (previous, next) = (self.nodes[i].previous as usize, self.nodes[i].next as usize);
        self.unlink(i);
        self.classify(previous);
        self.classify(next);
        self.nodes[previous].ear = self.is_ear(previous);
        self.nodes[next].ear = self.is_ear(next);
        self.nodes[next].next as usize
    }

    fn turn_at(&self, i: usize) -> Sign {
        let node = &self.nodes[i];
        turn(
            self.nodes[node.previous as usize].corner.at,
            node.corner.at,
            self.nodes[node.next as usize].corner.at,
        )
    }

    fn classify(&mut self, i: usize) {
        let convex = self.turn_at(i).is_positive();
        self.nodes[i].convex = convex;
        if !convex && !self.nodes[i].listed {
            self.nodes[i].listed = true;
            self.reflex.push(i as u32);
        }
    }

    fn find_ears(&mut self) {
        let mut reflex = std::mem::take(&mut self.reflex);
        reflex.retain(|&i| {
            let node = &mut self.nodes[i as usize];
            node.listed = node.alive && !node.convex;
            node.listed
        });
        self.reflex = reflex;
        for i in 0..self.nodes.len() {
            if self.nodes[i].alive {
                self.nodes[i].ear = self.is_ear(i);
            }
        }
    }

    fn is_ear(&self, tip: usize) -> bool {
        let node = &self.nodes[tip];
        if !node.convex {
            return false;
        }
        let (first, last) = (node.previous as usize, node.next as usize);
        let [a, b, c] = [first, tip, last].map(|i| self.nodes[i].corner.at);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        !self.reflex.iter().any(|&i| {
            let i = i as usize;
            let other = &self.nodes[i];
            let p = other.corner.at;
            p.x >= low.x
                && p.x <= high.x
                && p.y >= low.y
                && p.y <= high.y
                && other.alive
                && !other.convex
                && i != first
                && i != last
                && self.blocks(i, [a, b, c])
        })
    }

    /// Whether a reflex corner keeps the triangle with tip `b` from being an ear.
    fn blocks(&self, i: usize, [a, b, c]: [DVec2; 3]) -> bool {
        let p = self.nodes[i].corner.at;
        if p == a || p == c {
            // A chain that enters through these corners has a corner of its own in the triangle.
            return false;
        }
        if p == b {
            // A chain through the tip may leave by the diagonal without a corner inside.
            let enters = |j: u32| {
                let q = self.nodes[j as usize].corner.at;
                turn(a, b, q).is_positive() && turn(b, c, q).is_positive()
            };
            return enters(self.nodes[i].previous) || enters(self.nodes[i].next);
        }
        [(a, b), (b, c), (c, a)]
            .into_iter()
            .all(|(from, to)| !turn(from, to, p).is_negative())
    }

    /// The corner to cut when there is no ear, and whether it is straight, which costs no area.
    fn victim(&self, start: usize) -> (usize, bool) {
        let mut convex = None;
        let mut at = start;
        for _ in 0..self.left {
            if self.turn_at(at).is_zero() {
                return (at, true);
            }
            if convex.is_none() && self.nodes[at].convex {
                convex = Some(at);
            }
            at = self.nodes[at].next as usize;
        }
        (convex.unwrap_or(start), false)
    }
}
