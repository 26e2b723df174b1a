//! Faces that intersect, found from spheres that overlap.
//!
//! **Idea.** Each sphere knows its nearest face. From the faces of two spheres that overlap, the walk
//! of [refined distances](super::face_refinement) goes to nearer pairs. Where it ends at two faces that
//! intersect, their neighbours are tested, then the neighbours of those that intersect: this follows a
//! curve of intersection to its end.
//! **Source.** Weller 2012 names a partial list of intersecting polygons as a by-product of the volume query.
//! **Promise.** Every pair that is listed intersects, by the exact test on placed faces. A curve that is
//! found is listed as far as faces share vertices. A curve that no walk reaches is missed: for a list
//! that is complete, use a tree of faces ([`MeshIndex::intersections`](crate::bvh::MeshIndex::intersections)).

use std::collections::BTreeSet;

use super::face_refinement::{FaceWalk, MEASURE, PLACE};
use super::inner_sphere_tree::InnerSphereTree;
use super::topology::WIDTH;
use super::tree_pair::{InnerSphereTreeCache, TreePair};
use crate::geom::triangles_intersect;
use crate::math::Pose;
use crate::query::{FaceId, FacePair, Limits, Outcome, Sink};

/// Which pairs of faces were examined, and those that intersect.
#[derive(Debug, Default)]
struct FoundFaces {
    seen: BTreeSet<(u32, u32)>,
    meeting: BTreeSet<(u32, u32)>,
    front: Vec<(u32, u32)>,
}

impl InnerSphereTree {
    /// Pairs of faces that intersect, each once, in the order of their numbers: those on every curve of
    /// intersection that is found from two spheres that overlap. Nothing if a tree has no surface.
    ///
    /// Every pair intersects; some may be missing, so an empty list does not say that the solids are apart.
    /// When a limit ends the search, the pairs found so far are listed.
    ///
    /// ```
    /// use impinge::{Pose, bvh::wide::WideTree, generate, query::{FacePair, Limits}, spheres::*};
    /// use std::sync::Arc;
    /// let index = WideTree::new(Arc::new(generate::tetrahedron(1.0)?));
    /// let solid = MeshSolid::new(&index)?;
    /// let packing = pack(&solid, &PackOptions { count: Some(30), ..Default::default() })?;
    /// let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default())?.with_surface(&solid);
    /// let pose = Pose::from_translation([0.1, 0.2, 0.05])?;
    /// let mut pairs: Vec<FacePair> = Vec::new();
    /// let _ = tree.meeting_faces(&tree, &pose, Limits::default(), &mut InnerSphereTreeCache::default(), &mut pairs);
    /// assert!(!pairs.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn meeting_faces(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        cache.tests = 0;
        let (Some(a), Some(b)) = (&self.faces, &other.faces) else {
            return Outcome::Complete;
        };
        let mut seeds = BTreeSet::new();
        let mut outcome = self.nearest_faces(other, self_from_other, limits, cache, &mut seeds);
        let mut walk = FaceWalk {
            a,
            b,
            a_from_b: self_from_other,
            limits,
            tests: cache.tests,
        };
        let mut found = FoundFaces::default();
        for seed in seeds {
            if walk.is_over() {
                outcome = Outcome::OutOfBudget;
                break;
            }
            if found.seen.contains(&seed) {
                continue;
            }
            if let Some(((_, faces), _)) = walk.from(seed, &mut cache.rings) {
                found.seen.insert(seed);
                found.test(&mut walk, (faces.a.raw(), faces.b.raw()));
                found.follow(&mut walk, cache);
            }
        }
        if walk.is_over() {
            outcome = Outcome::OutOfBudget;
        }
        cache.tests = walk.tests;
        for (a, b) in found.meeting {
            let faces = FacePair {
                a: FaceId::new(a),
                b: FaceId::new(b),
            };
            if sink.accept(faces).is_break() {
                return Outcome::StoppedBySink;
            }
        }
        outcome
    }

    /// The nearest faces of spheres that overlap.
    fn nearest_faces(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
        seeds: &mut BTreeSet<(u32, u32)>,
    ) -> Outcome {
        let scene = TreePair::new(self, other, self_from_other, cache.level);
        cache.stack.clear();
        let root = scene.root().filter(|root| root.bound <= 0.0);
        cache.stack.extend(root);
        while let Some(pair) = cache.stack.pop() {
            if let Some((a, b)) = pair.leaves() {
                let face =
                    |tree: &Self, leaf: u32| tree.surfaces.get(leaf as usize).map(|s| s.face.raw());
                if let (Some(a), Some(b)) = (face(self, a), face(other, b)) {
                    seeds.insert((a, b));
                }
                continue;
            }
            if !limits.allows(cache.tests) || limits.is_stopped() {
                cache.stack.clear();
                return Outcome::OutOfBudget;
            }
            cache.tests += WIDTH as u64;
            let stack = &mut cache.stack;
            scene.open(&pair, 0.0, |child| stack.push(child));
        }
        Outcome::Complete
    }
}

impl FoundFaces {
    /// Examines a pair, unless it was before.
    fn test(&mut self, walk: &mut FaceWalk<'_>, pair: (u32, u32)) {
        if self.meeting.contains(&pair) {
            return;
        }
        let placed = (
            walk.a.place(pair.0, None),
            walk.b.place(pair.1, Some(walk.a_from_b)),
        );
        let (Some(a), Some(b)) = placed else {
            return;
        };
        walk.tests += 2 * PLACE + MEASURE;
        if triangles_intersect(&a.corners, &b.corners) {
            self.meeting.insert(pair);
            self.front.push(pair);
        }
    }

    /// Goes from pairs that intersect to neighbours that do.
    fn follow(&mut self, walk: &mut FaceWalk<'_>, cache: &mut InnerSphereTreeCache) {
        let rings = &mut cache.rings;
        while let Some(at) = self.front.pop() {
            if walk.is_over() {
                self.front.clear();
                return;
            }
            walk.a.ring(at.0, None, usize::MAX, &mut rings.a);
            walk.b
                .ring(at.1, Some(walk.a_from_b), usize::MAX, &mut rings.b);
            walk.tests += PLACE * (rings.a.len() + rings.b.len()) as u64;
            for x in &rings.a {
                walk.tests += rings.b.len() as u64;
                for y in &rings.b {
                    let pair = (x.face, y.face);
                    if x.gap_sq(y) > 0.0 || !self.seen.insert(pair) {
                        continue;
                    }
                    walk.tests += MEASURE;
                    if triangles_intersect(&x.corners, &y.corners) && self.meeting.insert(pair) {
                        self.front.push(pair);
                    }
                }
            }
        }
    }
}
