//! Swept boxes, frame by frame: the baseline of separation lists.

use glam::DVec3;

use super::feature_contact::{FeatureContact, MovingFacePair, WIDTH, owners};
use super::topology::NodeContent;
use super::{Keyframes, KineticError, ScalarRefitTree};
use crate::bound::Aabb;
use crate::ccd::linear::LinearTests;
use crate::query::{FaceId, FacePair};

/// Counters of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweepCounts {
    /// Pairs of boxes compared.
    pub box_tests: u64,
    /// Pairs of faces whose features were tested.
    pub face_tests: u64,
}

/// Contacts of one object with itself or of two, between two frames: trees are refitted, each box is the union of its boxes at both frames, and
/// both trees are searched from their roots.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, SweptBoxes};
/// let start = [[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [1., 1., 2.], [2., 1., 3.], [1., 2., 3.]].map(DVec3::from_array);
/// let mut end = start;
/// end[3..].iter_mut().for_each(|p| p.z -= 4.0);
/// let flight = Keyframes::new(&[0.0, 1.0], &[start, end])?;
/// let mut swept = SweptBoxes::between(&flight, &[[0, 1, 2]], &[[3, 4, 5]])?;
/// let mut found = Vec::new();
/// swept.contacts([0.0, 1.0], [&start, &end], |c| found.push(c))?;
/// assert!(found.iter().any(|c| c.lower <= 0.5 && 0.5 <= c.upper));
/// assert_eq!(swept.counts().box_tests, 1);
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SweptBoxes {
    trees: Vec<ScalarRefitTree>,
    owned: Vec<Vec<u8>>,
    /// Boxes at the start of a frame, then of the whole frame.
    swept: Vec<Vec<Aabb>>,
    tests: LinearTests,
    counts: SweepCounts,
    open: Vec<(u32, u32)>,
}

impl SweptBoxes {
    /// Of two objects.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn between(
        flight: &Keyframes,
        faces_a: &[[u32; 3]],
        faces_b: &[[u32; 3]],
    ) -> Result<Self, KineticError> {
        Self::build(flight, &[faces_a, faces_b])
    }

    /// Of one object with itself.
    ///
    /// # Errors
    /// As [`SweptBoxes::between`].
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, SweptBoxes};
    /// let places = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let flight = Keyframes::new(&[0.0, 1.0], &[places, places])?;
    /// let mut swept = SweptBoxes::with_itself(&flight, &[[0, 1, 2], [0, 1, 3]])?;
    /// swept.contacts([0.0, 1.0], [&places, &places], |_| unreachable!())?;
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn with_itself(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        Self::build(flight, &[faces])
    }

    fn build(flight: &Keyframes, objects: &[&[[u32; 3]]]) -> Result<Self, KineticError> {
        let mut trees = Vec::new();
        for faces in objects {
            trees.push(ScalarRefitTree::new(flight, faces)?);
        }
        Ok(Self {
            swept: trees.iter().map(|t| t.boxes.clone()).collect(),
            owned: objects.iter().map(|faces| owners(faces)).collect(),
            trees,
            tests: LinearTests::new(WIDTH),
            counts: SweepCounts::default(),
            open: Vec::new(),
        })
    }

    /// All contacts between two frames: the first of each pair of features, in no order of time.
    ///
    /// # Errors
    /// A frame has another number of vertices than the plan.
    pub fn contacts(
        &mut self,
        times: [f64; 2],
        frames: [&[DVec3]; 2],
        mut found: impl FnMut(FeatureContact),
    ) -> Result<(), KineticError> {
        self.prepare(frames[0])?;
        self.next_contacts(times, frames, &mut found)
    }

    /// Refits the trees to a frame, so that the next one can begin there.
    ///
    /// # Errors
    /// The frame has another number of vertices than the plan.
    pub fn prepare(&mut self, frame: &[DVec3]) -> Result<(), KineticError> {
        for tree in &mut self.trees {
            tree.refit(frame)?;
        }
        Ok(())
    }

    /// As [`SweptBoxes::contacts`], for a frame that begins where the last one ended or where the trees were
    /// [prepared](SweptBoxes::prepare) for: one refit instead of two.
    ///
    /// # Errors
    /// A frame has another number of vertices than the plan.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, SweptBoxes};
    /// let places = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let flight = Keyframes::new(&[0.0, 1.0], &[places, places])?;
    /// let mut swept = SweptBoxes::with_itself(&flight, &[[0, 1, 2], [0, 1, 3]])?;
    /// swept.prepare(&places)?;
    /// swept.next_contacts([0.5, 1.0], [&places, &places], |_| unreachable!())?;
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn next_contacts(
        &mut self,
        times: [f64; 2],
        frames: [&[DVec3]; 2],
        mut found: impl FnMut(FeatureContact),
    ) -> Result<(), KineticError> {
        for frame in frames {
            self.trees[0].check(frame)?;
        }
        for (tree, swept) in self.trees.iter_mut().zip(&mut self.swept) {
            swept.copy_from_slice(&tree.boxes);
            tree.refit(frames[1])?;
            for (whole, end) in swept.iter_mut().zip(&tree.boxes) {
                *whole = whole.union(end);
            }
        }
        self.search(times, frames, &mut found);
        Ok(())
    }

    fn search(
        &mut self,
        times: [f64; 2],
        frames: [&[DVec3]; 2],
        found: &mut impl FnMut(FeatureContact),
    ) {
        let is_own = self.trees.len() == 1;
        let second = self.trees.len() - 1;
        if self.trees.iter().any(|t| t.topology.is_empty()) {
            return;
        }
        self.open.push((0, 0));
        while let Some((a, b)) = self.open.pop() {
            let topologies = [&self.trees[0].topology, &self.trees[second].topology];
            let below = [topologies[0].below(a), topologies[1].below(b)];
            if is_own && a == b {
                if let NodeContent::Children(c) = below[0] {
                    self.open.extend([(c, c + 1), (c + 1, c + 1), (c, c)]);
                }
                continue;
            }
            self.counts.box_tests += 1;
            if !self.swept[0][a as usize].overlaps(&self.swept[second][b as usize]) {
                continue;
            }
            match below {
                [NodeContent::Face(f), NodeContent::Face(g)] => {
                    self.counts.face_tests += 1;
                    let corners = [topologies[0].corners(f), topologies[1].corners(g)];
                    let owned = [self.owned[0][f as usize], self.owned[second][g as usize]];
                    let places =
                        frames.map(|frame| corners.map(|face| face.map(|v| frame[v as usize])));
                    let Some(meeting) = MovingFacePair::of(corners, owned, places, times, 0.0)
                    else {
                        continue;
                    };
                    let faces = FacePair {
                        a: FaceId::new(f),
                        b: FaceId::new(g),
                    };
                    meeting.touches(&mut self.tests, |t| found(meeting.named(faces, &t)));
                }
                [NodeContent::Children(c), NodeContent::Face(_)] => {
                    self.open.extend([(c, b), (c + 1, b)])
                }
                [NodeContent::Face(_), NodeContent::Children(d)] => {
                    self.open.extend([(a, d), (a, d + 1)])
                }
                [NodeContent::Children(c), NodeContent::Children(d)] => {
                    self.open
                        .extend([(c, d), (c, d + 1), (c + 1, d), (c + 1, d + 1)]);
                }
            }
        }
    }

    /// What was done since it was built.
    #[must_use]
    pub fn counts(&self) -> SweepCounts {
        self.counts
    }
}
