//! Where the points of an index come from: one list, or the lists of several cameras that are placed on the way.

use glam::DVec3;

use super::frame::MAX_POINTS;
use super::order::ID_BITS;
use crate::math::Pose;

/// Lists of points. An *id* names a point below 2^31; ids ascend from point to point and from list to list.
pub(super) trait Source: Sync {
    /// How many lists there are.
    fn lists(&self) -> usize;
    /// How many points a list has.
    fn count(&self, list: usize) -> usize;
    /// The id of the first point of a list.
    fn first_id(&self, list: usize) -> usize;
    /// Calls `take` with each point of a range of a list.
    fn each(&self, list: usize, range: std::ops::Range<usize>, take: impl FnMut(DVec3));
    /// A point by id.
    fn point(&self, id: usize) -> DVec3;
    /// Its place when all lists are written one after the other.
    fn number(&self, id: usize) -> u32;
}

/// One list.
impl Source for &[DVec3] {
    fn lists(&self) -> usize {
        1
    }

    fn count(&self, _: usize) -> usize {
        self.len()
    }

    fn first_id(&self, _: usize) -> usize {
        0
    }

    #[inline(always)]
    fn each(&self, _: usize, range: std::ops::Range<usize>, take: impl FnMut(DVec3)) {
        self[range].iter().copied().for_each(take);
    }

    #[inline(always)]
    fn point(&self, id: usize) -> DVec3 {
        self[id]
    }

    #[inline(always)]
    fn number(&self, id: usize) -> u32 {
        id as u32
    }
}

/// Lists of several cameras and where these are.
#[derive(Clone, Debug)]
pub(super) struct Cameras<'p> {
    frames: &'p [(Pose, &'p [DVec3])],
    /// Bits of an id that count within a list.
    shift: u32,
    /// The number of the first point of each list.
    starts: Vec<u32>,
}

impl<'p> Cameras<'p> {
    /// None when lists and points are too many for ids.
    pub(super) fn new(frames: &'p [(Pose, &'p [DVec3])]) -> Option<Self> {
        let longest = frames.iter().fold(0, |m, (_, points)| m.max(points.len()));
        let shift = usize::BITS - longest.leading_zeros();
        let mut starts = Vec::with_capacity(frames.len());
        let mut total = 0;
        for (_, points) in frames {
            starts.push(total as u32);
            total += points.len();
        }
        let fits = total <= MAX_POINTS && (frames.len() as u64) << shift <= 1 << ID_BITS;
        fits.then_some(Self {
            frames,
            shift,
            starts,
        })
    }
}

impl Source for Cameras<'_> {
    fn lists(&self) -> usize {
        self.frames.len()
    }

    fn count(&self, list: usize) -> usize {
        self.frames[list].1.len()
    }

    fn first_id(&self, list: usize) -> usize {
        list << self.shift
    }

    #[inline(always)]
    fn each(&self, list: usize, range: std::ops::Range<usize>, mut take: impl FnMut(DVec3)) {
        let (pose, points) = &self.frames[list];
        for &p in &points[range] {
            take(pose.transform_point(p));
        }
    }

    #[inline(always)]
    fn point(&self, id: usize) -> DVec3 {
        let (pose, points) = &self.frames[id >> self.shift];
        pose.transform_point(points[id & ((1 << self.shift) - 1)])
    }

    #[inline(always)]
    fn number(&self, id: usize) -> u32 {
        self.starts[id >> self.shift] + (id & ((1 << self.shift) - 1)) as u32
    }
}
