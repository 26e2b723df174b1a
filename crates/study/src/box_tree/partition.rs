//! Dividing faces into two groups, each in one child.

use glam::DVec3;

use crate::own_faces::OwnFaces;
use impinge::bound::Aabb;

const BINS: usize = 16;
/// A group has at least this fraction of the faces, so that trees are never deeper than 15.5·ln n.
const LEAST_PART: usize = 16;

/// Faces to be divided.
#[derive(Debug)]
pub(super) struct FaceGroup<'g> {
    pub(super) ids: &'g mut [u32],
    pub(super) boxes: &'g [Aabb],
}

/// How a group was divided: the first `middle` ids are the low child's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub(super) axis: usize,
    pub(super) middle: usize,
}

#[derive(Clone, Copy)]
struct SplitBin {
    count: usize,
    bounds: Aabb,
}

impl FaceGroup<'_> {
    /// Divides the group across an axis so that the children's boxes, as `child` makes them from the
    /// box around a group, the axis and whether it is the low one, have little area for their faces.
    ///
    /// There must be two faces or more.
    pub(super) fn divide(&mut self, child: impl Fn(&Aabb, usize, bool) -> Aabb) -> Division {
        let centers = self.ids.iter().fold(Aabb::EMPTY, |all, &id| {
            let c = twice_center(&self.boxes[id as usize]);
            all.union(&Aabb { min: c, max: c })
        });
        let least = self.ids.len() / LEAST_PART;
        let mut best: Option<(f64, usize, usize)> = None;
        for axis in 0..3 {
            let scale = BINS as f64 / (centers.max[axis] - centers.min[axis]);
            if !scale.is_finite() {
                continue;
            }
            let mut bins = [SplitBin {
                count: 0,
                bounds: Aabb::EMPTY,
            }; BINS];
            for &id in self.ids.iter() {
                let of = &self.boxes[id as usize];
                let bin = &mut bins[bin_of(of, axis, centers.min[axis], scale)];
                bin.count += 1;
                bin.bounds = bin.bounds.union(of);
            }
            let mut above = [(0, Aabb::EMPTY); BINS + 1];
            for i in (0..BINS).rev() {
                let (count, bounds) = above[i + 1];
                above[i] = (count + bins[i].count, bounds.union(&bins[i].bounds));
            }
            let (mut count, mut bounds) = (0, Aabb::EMPTY);
            for i in 1..BINS {
                count += bins[i - 1].count;
                bounds = bounds.union(&bins[i - 1].bounds);
                let (count_above, bounds_above) = above[i];
                if count.min(count_above) <= least.saturating_sub(1) {
                    continue;
                }
                let cost = count as f64 * child(&bounds, axis, true).surface_area()
                    + count_above as f64 * child(&bounds_above, axis, false).surface_area();
                if best.is_none_or(|(least, _, _)| cost < least) {
                    best = Some((cost, axis, i));
                }
            }
        }
        let Some((_, axis, edge)) = best else {
            return self.halve(&centers);
        };
        let scale = BINS as f64 / (centers.max[axis] - centers.min[axis]);
        let is_low =
            |id: u32| bin_of(&self.boxes[id as usize], axis, centers.min[axis], scale) < edge;
        let (low, high): (Vec<u32>, Vec<u32>) = self.ids.iter().partition(|&&id| is_low(id));
        let middle = low.len();
        for (slot, id) in self.ids.iter_mut().zip(low.into_iter().chain(high)) {
            *slot = id;
        }
        Division { axis, middle }
    }

    /// Divides the group in the middle of its order along the longest extent.
    fn halve(&mut self, centers: &Aabb) -> Division {
        let extent = centers.diagonal();
        let axis = (0..3).fold(0, |k, j| if extent[j] > extent[k] { j } else { k });
        let boxes = self.boxes;
        let place = |id: u32| twice_center(&boxes[id as usize])[axis];
        self.ids
            .sort_unstable_by(|&i, &j| place(i).total_cmp(&place(j)).then(i.cmp(&j)));
        Division {
            axis,
            middle: self.ids.len() / 2,
        }
    }
}

fn twice_center(of: &Aabb) -> DVec3 {
    of.min + of.max
}

fn bin_of(of: &Aabb, axis: usize, from: f64, scale: f64) -> usize {
    (((of.min[axis] + of.max[axis]) - from) * scale).clamp(0.0, (BINS - 1) as f64) as usize
}

/// The boxes of all faces of a mesh, the faces, and the box around all.
pub(super) fn boxed_faces(mesh: &impinge::mesh::TriMesh) -> (Vec<Aabb>, Vec<u32>, Aabb) {
    let boxes: Vec<Aabb> = mesh
        .face_ids()
        .map(|face| Aabb::enclosing(mesh.triangle(face)))
        .collect();
    let faces: Vec<u32> = (0..boxes.len() as u32).collect();
    let bounds = bounds_of(&faces, &boxes);
    (boxes, faces, bounds)
}

/// The box around some faces.
pub(super) fn bounds_of(ids: &[u32], boxes: &[Aabb]) -> Aabb {
    ids.iter()
        .fold(Aabb::EMPTY, |all, &id| all.union(&boxes[id as usize]))
}
