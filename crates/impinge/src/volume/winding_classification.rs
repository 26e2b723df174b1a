//! The winding number of the other body at each patch and each cut face of one body, and the
//! resulting sums.
//!
//! A connected patch without cut faces lies entirely inside or outside: its stored sums are added
//! as a whole. Everything else is opened down to faces. Neighbours share a vertex and its winding
//! number, so that one ray determines all connected faces.

use glam::DVec3;

use super::face_crossing::{FaceCorners, SegmentEnd};
use super::moments::SurfaceMoments;
use super::symbolic_perturbation::{FaceOwner, crossing_of_ray};
use super::volume_index::{NONE, VolumeIndex};
use crate::bvh::wide::SingleTreeCache;
use crate::math::Pose;

/// A segment in which two faces cross; places are in tree order, of `a` and of `b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossingSegment {
    pub(super) places: [u32; 2],
    pub(super) start: SegmentEnd,
    pub(super) end: SegmentEnd,
}

/// One of the two bodies, in the frame of `a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedSolid<'p> {
    pub(super) index: &'p VolumeIndex,
    /// How the body is placed; none for `a`.
    pub(super) pose: Option<&'p Pose>,
}

impl PlacedSolid<'_> {
    /// 0 for `a`, 1 for `b`.
    fn number(&self) -> usize {
        usize::from(self.pose.is_some())
    }

    fn owner(&self) -> FaceOwner {
        if self.pose.is_some() {
            FaceOwner::B
        } else {
            FaceOwner::A
        }
    }

    #[inline]
    pub(super) fn place(&self, p: DVec3) -> DVec3 {
        self.pose.map_or(p, |pose| pose.transform_point(p))
    }

    #[inline]
    pub(super) fn corners(&self, place: u32) -> FaceCorners {
        let vertices = self.index.corners[place as usize];
        let positions = self.index.mesh().positions();
        FaceCorners {
            vertices,
            points: vertices.map(|v| self.place(positions[v as usize])),
        }
    }

    /// How often this body winds around a point of the other, ties broken.
    fn winding(&self, p: DVec3, cache: &mut SingleTreeCache) -> i32 {
        let (mut winding, owner) = (0, self.owner());
        let mut visit = |face: &[DVec3; 3]| winding += crossing_of_ray(face, owner, p);
        let tree = self.index.tree();
        tree.faces_on_ray(self.pose, p, cache, &mut visit);
        winding
    }

    /// Whether a ball in the frame of `a` surely misses the box around this body.
    fn misses(&self, center: DVec3, radius: f64) -> bool {
        let own = self.pose.map_or(center, |pose| pose.inverse() * center);
        let bounds = &self.index.bounds;
        let gap = (bounds.min - own).max(own - bounds.max).max_element();
        let reach = own.abs().max_element() + center.abs().max_element() + self.index.diameter();
        gap > radius * (1.0 + 1e-8) + 1e-8 * reach
    }
}

/// Scratch memory of the sums of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassifyScratch {
    /// Place and number of segment, sorted.
    keys: Vec<(u32, u32)>,
    cuts: Vec<CutFace>,
    elements: Vec<SurfaceElement>,
    links: Vec<FaceLink>,
    heads: Vec<u32>,
    arcs: Vec<ElementArc>,
    queue: Vec<u32>,
    stack: Vec<(u32, u32, u32)>,
    probe: SingleTreeCache,
}

/// A face that the other surface crosses.
#[derive(Clone, Copy, Debug)]
struct CutFace {
    place: u32,
    /// Its segments, as a range of keys.
    first: u32,
    last: u32,
    /// By how much the other's winding number grows along each edge.
    jumps: [i32; 3],
}

/// A patch without cuts, or a single face.
#[derive(Clone, Copy, Debug)]
struct SurfaceElement {
    /// Its first face.
    first: u32,
    patch: u32,
    cut: u32,
    /// The winding number at the first corner of its first face.
    winding: Option<i32>,
}

/// Two faces that share a vertex.
#[derive(Clone, Copy, Debug)]
struct FaceLink {
    places: [u32; 2],
    vertex: u32,
    /// The element of the first face, where that is known.
    element: u32,
}

/// To another element, whose winding number is larger by `step`.
#[derive(Clone, Copy, Debug)]
struct ElementArc {
    to: u32,
    step: i32,
    next: u32,
}

/// Signs that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contradiction;

impl ClassifyScratch {
    /// The sums over the part of the body's surface inside the other, about `origin` in the frame of `a`.
    pub(super) fn inside(
        &mut self,
        body: PlacedSolid<'_>,
        other: PlacedSolid<'_>,
        segments: &[CrossingSegment],
        origin: DVec3,
    ) -> Result<SurfaceMoments, Contradiction> {
        if body.index.corners.is_empty() {
            return Ok(SurfaceMoments::default());
        }
        self.find_cuts(body.number(), segments)?;
        self.take_apart(body, other);
        self.connect(body)?;
        self.flood(body, other)?;
        Ok(self.sum(body, segments, origin))
    }

    fn find_cuts(
        &mut self,
        body: usize,
        segments: &[CrossingSegment],
    ) -> Result<(), Contradiction> {
        self.keys.clear();
        let keys = segments.iter().enumerate();
        self.keys
            .extend(keys.map(|(i, s)| (s.places[body], i as u32)));
        self.keys.sort_unstable();
        self.cuts.clear();
        let mut first = 0;
        for keys in self.keys.chunk_by(|x, y| x.0 == y.0) {
            let mut jumps = [0; 3];
            for &(_, segment) in keys {
                let segment = &segments[segment as usize];
                for end in [&segment.start, &segment.end] {
                    if let Some(edge) = end.edge_of(body) {
                        jumps[edge] += i32::from(end.jump);
                    }
                }
            }
            if jumps.iter().sum::<i32>() != 0 {
                return Err(Contradiction);
            }
            let last = first + keys.len() as u32;
            self.cuts.push(CutFace {
                place: keys[0].0,
                first,
                last,
                jumps,
            });
            first = last;
        }
        Ok(())
    }

    /// Elements in tree order, and the links between them.
    fn take_apart(&mut self, body: PlacedSolid<'_>, other: PlacedSolid<'_>) {
        self.elements.clear();
        self.links.clear();
        self.stack.clear();
        self.stack.push((0, 0, self.cuts.len() as u32));
        let index = body.index;
        while let Some((id, first, last)) = self.stack.pop() {
            let patch = &index.patches[id as usize];
            let is_uncut = first == last;
            if is_uncut && (patch.pieces == 1 || patch.second != NONE) {
                let is_away =
                    patch.pieces > 1 && other.misses(body.place(patch.center), patch.radius);
                if patch.pieces == 1 || is_away {
                    self.elements.push(SurfaceElement {
                        first: patch.first,
                        patch: id,
                        cut: NONE,
                        winding: is_away.then_some(0),
                    });
                    continue;
                }
            }
            if patch.second != NONE {
                let middle = index.patches[patch.second as usize].first;
                let cuts = &self.cuts[first as usize..last as usize];
                let split = first + cuts.partition_point(|cut| cut.place < middle) as u32;
                if let Some([f, g, vertex]) = patch.portal {
                    self.links.push(FaceLink {
                        places: [f, g],
                        vertex,
                        element: NONE,
                    });
                }
                self.stack.push((patch.second, split, last));
                self.stack.push((id + 1, first, split));
                continue;
            }
            let mut next = first;
            for place in patch.first..patch.last {
                let is_cut = next < last && self.cuts[next as usize].place == place;
                self.elements.push(SurfaceElement {
                    first: place,
                    patch: NONE,
                    cut: if is_cut { next } else { NONE },
                    winding: None,
                });
                next += u32::from(is_cut);
                let element = self.elements.len() as u32 - 1;
                for (k, &across) in index.neighbours[place as usize].iter().enumerate() {
                    if across != NONE {
                        self.links.push(FaceLink {
                            places: [place, across],
                            vertex: index.corners[place as usize][k],
                            element,
                        });
                    }
                }
            }
        }
    }

    /// Turns links into arcs between elements.
    fn connect(&mut self, body: PlacedSolid<'_>) -> Result<(), Contradiction> {
        self.heads.clear();
        self.heads.resize(self.elements.len(), NONE);
        self.arcs.clear();
        for i in 0..self.links.len() {
            let FaceLink {
                places,
                vertex,
                element,
            } = self.links[i];
            let from = if element == NONE {
                self.element_of(places[0])
            } else {
                element
            };
            // Among single faces elements are as far apart as their faces.
            let guess = from.wrapping_add(places[1]).wrapping_sub(places[0]);
            let to = match self.elements.get(guess as usize) {
                Some(e) if e.first == places[1] => guess,
                _ => self.element_of(places[1]),
            };
            if from == to {
                continue;
            }
            let step = self.offset(body, from, places[0], vertex)?
                - self.offset(body, to, places[1], vertex)?;
            for (from, to, step) in [(from, to, step), (to, from, -step)] {
                let next = self.heads[from as usize];
                self.heads[from as usize] = self.arcs.len() as u32;
                self.arcs.push(ElementArc { to, step, next });
            }
        }
        Ok(())
    }

    fn element_of(&self, place: u32) -> u32 {
        (self.elements.partition_point(|e| e.first <= place) as u32).saturating_sub(1)
    }

    /// The winding number at a vertex of a face less that of its element.
    fn offset(
        &self,
        body: PlacedSolid<'_>,
        element: u32,
        place: u32,
        vertex: u32,
    ) -> Result<i32, Contradiction> {
        let element = &self.elements[element as usize];
        if element.cut == NONE {
            return Ok(0);
        }
        let jumps = self.cuts[element.cut as usize].jumps;
        match body.index.corners[place as usize].map(|v| v == vertex) {
            [true, ..] => Ok(0),
            [_, true, _] => Ok(jumps[0]),
            [_, _, true] => Ok(jumps[0] + jumps[1]),
            _ => Err(Contradiction),
        }
    }

    fn flood(
        &mut self,
        body: PlacedSolid<'_>,
        other: PlacedSolid<'_>,
    ) -> Result<(), Contradiction> {
        self.queue.clear();
        // What is known to lie away tells about its neighbours first.
        for i in 0..self.elements.len() {
            if self.elements[i].winding.is_some() {
                self.queue.push(i as u32);
            }
        }
        self.spread()?;
        for i in 0..self.elements.len() {
            if self.elements[i].winding.is_none() {
                let vertex = body.index.corners[self.elements[i].first as usize][0];
                let p = body.place(body.index.mesh().positions()[vertex as usize]);
                let winding = if other.misses(p, 0.0) {
                    0
                } else {
                    other.winding(p, &mut self.probe)
                };
                self.elements[i].winding = Some(winding);
                self.queue.push(i as u32);
                self.spread()?;
            }
        }
        Ok(())
    }

    fn spread(&mut self) -> Result<(), Contradiction> {
        while let Some(from) = self.queue.pop() {
            let Some(winding) = self.elements[from as usize].winding else {
                continue;
            };
            let mut at = self.heads[from as usize];
            while at != NONE {
                let arc = self.arcs[at as usize];
                at = arc.next;
                let (found, expected) = (
                    &mut self.elements[arc.to as usize].winding,
                    winding + arc.step,
                );
                match *found {
                    None => {
                        *found = Some(expected);
                        self.queue.push(arc.to);
                    }
                    Some(known) if known != expected => return Err(Contradiction),
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    fn sum(
        &self,
        body: PlacedSolid<'_>,
        segments: &[CrossingSegment],
        origin: DVec3,
    ) -> SurfaceMoments {
        // Patches are summed in the body's own frame and moved once.
        let (mut patches, mut faces) = (SurfaceMoments::default(), SurfaceMoments::default());
        for element in &self.elements {
            let winding = element.winding.unwrap_or(0);
            if element.patch != NONE {
                if winding != 0 {
                    patches.add(f64::from(winding), &body.index.sums[element.patch as usize]);
                }
            } else if element.cut != NONE {
                self.add_cut(&mut faces, body, element.cut, winding, segments, origin);
            } else if winding != 0 {
                let [p, q, r] = body.corners(element.first).points.map(|p| p - origin);
                faces.add_triangle(f64::from(winding), p, q, r);
            }
        }
        let mut sum = match body.pose {
            None => patches,
            Some(pose) => patches.turned(pose),
        }
        .shifted(body.place(body.index.center) - origin);
        sum.add(1.0, &faces);
        sum
    }

    /// Adds the part of a cut face that lies inside the other body: what its segments and its weighted edges bound, as triangles from one pivot.
    /// Crossings of an edge come in any order, because only their jumps count.
    fn add_cut(
        &self,
        sum: &mut SurfaceMoments,
        body: PlacedSolid<'_>,
        cut: u32,
        winding: i32,
        segments: &[CrossingSegment],
        origin: DVec3,
    ) {
        let cut = &self.cuts[cut as usize];
        let keys = &self.keys[cut.first as usize..cut.last as usize];
        let Some(&(_, first)) = keys.first() else {
            return;
        };
        let pivot = segments[first as usize].start.point - origin;
        let corners = body.corners(cut.place).points.map(|p| p - origin);
        let mut base = [None; 3];
        for &(_, segment) in keys {
            let segment = &segments[segment as usize];
            let (start, end) = (segment.start.point - origin, segment.end.point - origin);
            if body.pose.is_none() {
                sum.add_triangle(1.0, pivot, start, end);
            } else {
                sum.add_triangle(1.0, pivot, end, start);
            }
            for (at, point) in [(&segment.start, start), (&segment.end, end)] {
                let Some(edge) = at.edge_of(body.number()) else {
                    continue;
                };
                match base[edge] {
                    None => base[edge] = Some(point),
                    Some(base) => sum.add_triangle(-f64::from(at.jump), pivot, base, point),
                }
            }
        }
        let windings = [
            winding,
            winding + cut.jumps[0],
            winding + cut.jumps[0] + cut.jumps[1],
        ];
        for i in 0..3 {
            let k = (i + 1) % 3;
            let (at_i, at_k) = (f64::from(windings[i]), f64::from(windings[k]));
            match base[i] {
                None if windings[i] != 0 => {
                    sum.add_triangle(at_i, pivot, corners[i], corners[k]);
                }
                None => {}
                Some(base) => {
                    if windings[i] != 0 {
                        sum.add_triangle(at_i, pivot, corners[i], base);
                    }
                    if windings[k] != 0 {
                        sum.add_triangle(at_k, pivot, base, corners[k]);
                    }
                }
            }
        }
    }
}
