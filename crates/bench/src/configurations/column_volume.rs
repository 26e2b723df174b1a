//! A second opinion on shared volumes, by a method that has nothing in common with the library's.
//!
//! Along any axis a closed mesh is a sum of columns: each face stands for everything below it, counted with the sign of its
//! side. Two meshes share the sum, over all pairs of faces whose shadows overlap, of the columns below both. Each such column has a
//! convex base, cut by the line where the two planes cross; its volume is that of prisms. There is no case to decide
//! and no tolerance: rounding is all that is lost.

use std::f64::consts::TAU;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::{DVec3, Pose, TriMesh};

/// Part of a cell by which shadows are thought larger.
const ROOM: f64 = 1e-6;
/// Cells along an axis at most.
const MOST_CELLS: f64 = 128.0;

/// Two meshes whose shared volume is queried again and again.
#[derive(Debug)]
pub(crate) struct ColumnVolume {
    a: Arc<TriMesh>,
    b: Arc<TriMesh>,
    placed: Vec<DVec3>,
    shadows: [Vec<Shadow>; 2],
    /// B's shadows by the cells of a grid that they touch.
    cells: Vec<Vec<u32>>,
    /// The last shadow of A that each of B's was compared with, counted from 1.
    compared: Vec<u32>,
    clip: BaseClip,
}

/// All shadows of a mesh along an axis.
#[derive(Clone, Copy, Debug, Default)]
struct AxisShadows {
    count: f64,
    area: f64,
    perimeter: f64,
}

/// A face seen along an axis: two coordinates and a height.
#[derive(Clone, Copy, Debug)]
struct Shadow {
    /// Counter-clockwise.
    corners: [DVec3; 3],
    min: DVec3,
    max: DVec3,
    /// 1 if the solid is below it.
    sign: f64,
    /// How the height grows along the two coordinates.
    slope: [f64; 2],
}

/// A corner of a base with the heights of both faces.
#[derive(Clone, Copy, Debug)]
struct PrismCorner {
    u: f64,
    v: f64,
    heights: [f64; 2],
}

#[derive(Debug, Default)]
struct BaseClip {
    base: Vec<PrismCorner>,
    part: Vec<PrismCorner>,
    spare: Vec<PrismCorner>,
}

impl ColumnVolume {
    pub(crate) fn new(a: Arc<TriMesh>, b: Arc<TriMesh>) -> Self {
        Self {
            a,
            b,
            placed: Vec::new(),
            shadows: Default::default(),
            cells: Vec::new(),
            compared: Vec::new(),
            clip: BaseClip::default(),
        }
    }

    /// The volume that both share with B placed so.
    pub(crate) fn shared(&mut self, pose: &Pose) -> f64 {
        self.placed.clear();
        let place = |p: &DVec3| pose.transform_point(*p);
        self.placed.extend(self.b.positions().iter().map(place));
        let common = self
            .a
            .bounds()
            .intersection(&Aabb::enclosing(self.placed.iter().copied()));
        if common.is_empty() {
            return 0.0;
        }
        let axis = self.axis(&common);
        let turned = |p: DVec3| match axis {
            0 => DVec3::new(p.y, p.z, p.x),
            1 => DVec3::new(p.z, p.x, p.y),
            _ => p,
        };
        let (min, max) = (turned(common.min), turned(common.max));
        let sides = [
            (&self.a, self.a.positions()),
            (&self.b, self.placed.as_slice()),
        ];
        for ((mesh, positions), shadows) in sides.into_iter().zip(&mut self.shadows) {
            shadows.clear();
            for face in mesh.faces() {
                let corners = face.map(|i| turned(positions[i as usize]));
                shadows.extend(Shadow::new(corners, min, max));
            }
        }
        self.columns(min, max)
    }

    /// The axis along which the fewest shadows should overlap: convex shapes thrown at random onto an area meet as often as their areas and
    /// perimeters say.
    fn axis(&self, common: &Aabb) -> usize {
        let mut seen = [[AxisShadows::default(); 3]; 2];
        let sides = [
            (&self.a, self.a.positions()),
            (&self.b, self.placed.as_slice()),
        ];
        for ((mesh, positions), seen) in sides.into_iter().zip(&mut seen) {
            for face in mesh.faces() {
                let [p, q, r] = face.map(|i| positions[i as usize]);
                let size = p.max(q).max(r).min(common.max) - p.min(q).min(r).max(common.min);
                let normal = (q - p).cross(r - p).abs();
                let squares = [q - p, r - q, p - r].map(|edge| edge * edge);
                for (axis, seen) in seen.iter_mut().enumerate() {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    if size[u] >= 0.0 && size[v] >= 0.0 && normal[axis] > 0.0 {
                        seen.count += 1.0;
                        seen.area += 0.5 * normal[axis];
                        seen.perimeter += squares.iter().map(|s| (s[u] + s[v]).sqrt()).sum::<f64>();
                    }
                }
            }
        }
        let size = common.diagonal();
        let overlaps = |axis: &usize| {
            let [a, b] = [&seen[0][*axis], &seen[1][*axis]];
            let area = size[(axis + 1) % 3] * size[(axis + 2) % 3];
            let meeting = a.area * b.count + b.area * a.count + a.perimeter * b.perimeter / TAU;
            meeting / area.max(f64::MIN_POSITIVE)
        };
        let by_overlaps = |i: &usize, j: &usize| overlaps(i).total_cmp(&overlaps(j));
        (0..3).min_by(by_overlaps).unwrap_or(2)
    }

    /// Adds up the columns of all pairs whose shadows overlap.
    fn columns(&mut self, min: DVec3, max: DVec3) -> f64 {
        let [first, second] = &self.shadows;
        let grid = ColumnGrid::new(min, max, second.len());
        self.cells.iter_mut().for_each(Vec::clear);
        self.cells.resize_with(grid.along * grid.along, Vec::new);
        for (k, shadow) in second.iter().enumerate() {
            grid.visit(shadow, |cell| self.cells[cell].push(k as u32));
        }
        self.compared.clear();
        self.compared.resize(second.len(), 0);
        let mut sum = 0.0;
        for (number, shadow) in (1..).zip(first) {
            grid.visit(shadow, |cell| {
                for k in &self.cells[cell] {
                    let other = &second[*k as usize];
                    // Two that meet may do so in several cells.
                    if std::mem::replace(&mut self.compared[*k as usize], number) != number {
                        sum += self.clip.column(shadow, other, min.z);
                    }
                }
            });
        }
        sum
    }
}

/// Equal cells over the common box, as seen along the axis; those at the border reach on without end.
struct ColumnGrid {
    min: DVec3,
    cells_per_length: DVec3,
    along: usize,
}

impl ColumnGrid {
    /// About as many cells as there are shadows.
    fn new(min: DVec3, max: DVec3, shadows: usize) -> Self {
        let along = (shadows as f64).sqrt().ceil().clamp(1.0, MOST_CELLS);
        let size = (max - min).max(DVec3::splat(f64::MIN_POSITIVE));
        Self {
            min,
            cells_per_length: DVec3::splat(along) / size,
            along: along as usize,
        }
    }

    /// The numbers of the column and row of a point; below 0 is 0, beyond the last is the last.
    fn place(&self, [x, y]: [f64; 2]) -> [usize; 2] {
        let q = [
            (x - self.min.x) * self.cells_per_length.x,
            (y - self.min.y) * self.cells_per_length.y,
        ];
        q.map(|x| (x as usize).min(self.along - 1))
    }

    /// Every cell that a shadow touches, and some beside it: row by row, from the least to the greatest of what is in the row.
    fn visit(&self, shadow: &Shadow, mut show: impl FnMut(usize)) {
        let corners = shadow.corners.map(|p| [p.x, p.y]);
        let [_, first] = self.place([0.0, shadow.min.y]);
        let [_, last] = self.place([0.0, shadow.max.y]);
        for row in first..=last {
            // Rows at the border reach on; a little more on both sides, lest rounding loses a cell.
            let height = 1.0 / self.cells_per_length.y;
            let edge = |k: f64| self.min.y + k * height;
            let low = if row == 0 {
                f64::NEG_INFINITY
            } else {
                edge(row as f64 - ROOM)
            };
            let high = if row + 1 == self.along {
                f64::INFINITY
            } else {
                edge(row as f64 + 1.0 + ROOM)
            };
            let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
            let mut reach = |x: f64| (from, to) = (from.min(x), to.max(x));
            for k in 0..3 {
                let ([px, py], [qx, qy]) = (corners[k], corners[(k + 1) % 3]);
                if low <= py && py <= high {
                    reach(px);
                }
                for y in [low, high] {
                    if (py < y && y < qy) || (qy < y && y < py) {
                        reach(px + (y - py) / (qy - py) * (qx - px));
                    }
                }
            }
            if from > to {
                continue;
            }
            let room = ROOM / self.cells_per_length.x;
            let [first, _] = self.place([from - room, 0.0]);
            let [last, _] = self.place([to + room, 0.0]);
            for column in first..=last {
                show(row * self.along + column);
            }
        }
    }
}

impl Shadow {
    /// None if nothing of the common box is below the face, or if it has no shadow.
    fn new(mut corners: [DVec3; 3], common_min: DVec3, common_max: DVec3) -> Option<Self> {
        let [p, q, r] = corners;
        let (min, max) = (p.min(q).min(r), p.max(q).max(r));
        let is_beside = max.x < common_min.x
            || max.y < common_min.y
            || max.z < common_min.z
            || min.x > common_max.x
            || min.y > common_max.y;
        if is_beside {
            return None;
        }
        let normal = (q - p).cross(r - p);
        if normal.z == 0.0 {
            return None;
        }
        if normal.z < 0.0 {
            corners.swap(1, 2);
        }
        Some(Self {
            corners,
            min,
            max,
            sign: normal.z.signum(),
            slope: [-normal.x / normal.z, -normal.y / normal.z],
        })
    }

    /// Whether all of the other is beyond one side of this.
    fn is_beside(&self, other: &Self) -> bool {
        (0..3).any(|k| {
            let (p, q) = (self.corners[k], self.corners[(k + 1) % 3]);
            let is_beyond = |c: &DVec3| (q.x - p.x) * (c.y - p.y) - (q.y - p.y) * (c.x - p.x) < 0.0;
            other.corners.iter().all(is_beyond)
        })
    }

    /// The height of the face's plane; never beyond the face's own, whatever rounding does to a steep one.
    fn height(&self, u: f64, v: f64) -> f64 {
        let p = self.corners[0];
        let height = p.z + self.slope[0] * (u - p.x) + self.slope[1] * (v - p.y);
        // Not `clamp`, which panics where a steep slope is infinite and gives no number.
        height.max(self.min.z).min(self.max.z)
    }
}

impl BaseClip {
    /// The signed volume below both faces and above the floor.
    fn column(&mut self, a: &Shadow, b: &Shadow, floor: f64) -> f64 {
        if a.is_beside(b) || b.is_beside(a) {
            return 0.0;
        }
        self.base.clear();
        self.base.extend(a.corners.iter().map(|p| PrismCorner {
            u: p.x,
            v: p.y,
            heights: [0.0; 2],
        }));
        for k in 0..3 {
            let (p, q) = (b.corners[k], b.corners[(k + 1) % 3]);
            let inside = |c: &PrismCorner| (q.x - p.x) * (c.v - p.y) - (q.y - p.y) * (c.u - p.x);
            cut(&mut self.base, &mut self.spare, inside);
            if self.base.len() < 3 {
                return 0.0;
            }
        }
        for corner in &mut self.base {
            corner.heights = [a.height(corner.u, corner.v), b.height(corner.u, corner.v)];
        }
        let mut sum = 0.0;
        for lower in 0..2 {
            self.part.clear();
            self.part.extend(&self.base);
            let is_lower = |c: &PrismCorner| c.heights[1 - lower] - c.heights[lower];
            let is_above = |c: &PrismCorner| c.heights[lower] - floor;
            // Where both are equally high, either half may have what has no area.
            cut(&mut self.part, &mut self.spare, is_lower);
            cut(&mut self.part, &mut self.spare, is_above);
            // Two equal heights everywhere would count twice.
            let is_equal = |c: &PrismCorner| c.heights[0] == c.heights[1];
            if lower == 1 && self.base.iter().all(is_equal) {
                continue;
            }
            sum += prisms(&self.part, lower, floor);
        }
        a.sign * b.sign * sum
    }
}

/// Keeps what is not negative of a convex polygon.
fn cut(
    polygon: &mut Vec<PrismCorner>,
    spare: &mut Vec<PrismCorner>,
    side: impl Fn(&PrismCorner) -> f64,
) {
    spare.clear();
    for k in 0..polygon.len() {
        let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (at_p, at_q) = (side(&p), side(&q));
        if at_p >= 0.0 {
            spare.push(p);
        }
        if (at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0) {
            let s = at_p / (at_p - at_q);
            let mix = |x: f64, y: f64| x + s * (y - x);
            spare.push(PrismCorner {
                u: mix(p.u, q.u),
                v: mix(p.v, q.v),
                heights: [0, 1].map(|i| mix(p.heights[i], q.heights[i])),
            });
        }
    }
    std::mem::swap(polygon, spare);
}

/// The volume between a polygon on the floor and the heights above its corners.
fn prisms(polygon: &[PrismCorner], lower: usize, floor: f64) -> f64 {
    let Some((p, rest)) = polygon.split_first() else {
        return 0.0;
    };
    let height = |c: &PrismCorner| c.heights[lower] - floor;
    let prism = |pair: &[PrismCorner]| {
        let (q, r) = (&pair[0], &pair[1]);
        let twice = (q.u - p.u) * (r.v - p.v) - (q.v - p.v) * (r.u - p.u);
        twice * (height(p) + height(q) + height(r)) / 6.0
    };
    rest.windows(2).map(prism).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::{blob, cuboid};
    use impinge::query::Limits;
    use impinge::volume::{OverlapCache, VolumeIndex};

    #[test]
    fn boxes_share_what_they_share() {
        let cube = Arc::new(cuboid(DVec3::splat(2.0), [2; 3]).unwrap());
        let mut columns = ColumnVolume::new(cube.clone(), cube);
        for shift in [
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [0.5, -1.25, 0.75],
            [1.9, 1.9, 1.9],
            [2.0, 0.0, 0.0],
        ] {
            let pose = Pose::from_translation(shift).unwrap();
            let truth: f64 = shift.iter().map(|x| 2.0 - f64::abs(*x)).product();
            assert!((columns.shared(&pose) - truth).abs() < 1e-12, "{shift:?}");
        }
    }

    #[test]
    fn turned_bodies_share_what_the_boundary_integral_says() {
        let mesh = Arc::new(blob(8).unwrap());
        let index = VolumeIndex::new(mesh.clone()).unwrap();
        let mut columns = ColumnVolume::new(mesh.clone(), mesh);
        let mut cache = OverlapCache::default();
        for k in 0..20 {
            let t = f64::from(k);
            let axis = DVec3::new(t.sin(), t.cos(), 0.3).normalize();
            let pose = Pose::from_axis_angle(axis, t, axis * (0.1 * t)).unwrap();
            let found = index
                .overlap(&index, &pose, Limits::default(), &mut cache)
                .unwrap();
            let difference = columns.shared(&pose) - found.value.volume;
            assert!(difference.abs() < 1e-11, "{k}: {difference:e}");
        }
    }
}
