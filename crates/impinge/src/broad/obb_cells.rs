//! Which cells of a grid an oriented box covers.
//!
//! **Idea.** Published: parallel rays through the grid's vertices stab the box along the axis across its smallest face; between
//! four neighbouring rays the cells from the first entry to the last exit are covered, and those of the box's corners. From one ray to the next, where it enters and
//! leaves a pair of sides changes by a constant: two additions.
//! Conservative: each cell of the box along the axes is tried against the three directions of the oriented box.
//! **Source.** Zachmann 1994, section 5.5.1.
//! **Promise.** The conservative cells contain every point of the box. The stabbed ones do not: an edge may pass between rays, and
//! 1.5 to 8 in a hundred covered cells are missed, so pairs may be missed as well.

use super::cell_box::{CellBox, Lattice};
use crate::bound::Obb;

/// Relative rounding of projections, generously.
const SLACK: f64 = 64.0 * f64::EPSILON;

/// Writes the cells of the box that the oriented box may cover.
pub(super) fn conservative_obb_cells(
    lattice: &Lattice,
    obb: &Obb,
    within: &CellBox,
    out: &mut Vec<[i64; 3]>,
) {
    let axes = obb.axes();
    let half = obb.half_extent();
    let size = lattice.scale.recip();
    for cell in within.iter() {
        let index = glam::DVec3::new(cell[0] as f64, cell[1] as f64, cell[2] as f64);
        let middle = lattice.origin + (index + 0.5) * size;
        let offset = middle - obb.center();
        let reach =
            middle.abs().element_sum() + obb.center().abs().element_sum() + size.element_sum();
        let apart = (0..3).any(|k| {
            let radius = half[k] + 0.5 * axes[k].abs().dot(size);
            axes[k].dot(offset).abs() > radius + SLACK * (reach + half[k])
        });
        if !apart {
            out.push(cell);
        }
    }
}

/// Writes the cells of the box that rays and corners find, sorted.
pub(super) fn exact_obb_cells(
    lattice: &Lattice,
    obb: &Obb,
    within: &CellBox,
    rays: &mut Vec<Option<[f64; 2]>>,
    out: &mut Vec<[i64; 3]>,
) {
    let start = out.len();
    let inside =
        |cell: [i64; 3]| (0..3).all(|k| within.lo[k] <= cell[k] && cell[k] <= within.hi[k]);
    out.extend(
        obb.corners()
            .map(|c| lattice.cell(c))
            .into_iter()
            .filter(|&c| inside(c)),
    );
    let lines = |k: usize| within.hi[k] - within.lo[k];
    // The fewest rays go along the axis whose two other sides cross the fewest lines.
    let along = [(1, 2), (0, 2), (0, 1)]
        .into_iter()
        .enumerate()
        .min_by_key(|(_, (e, f))| lines(*e) * lines(*f))
        .map_or(0, |(k, _)| k);
    let (e, f) = ((along + 1) % 3, (along + 2) % 3);
    let width = lines(f) as usize;
    stab(lattice, obb, within, along, rays);
    // The ray through lines of the grid; those on the border of the box along the axes are left out.
    let ray = |line_e: i64, line_f: i64| {
        let (at_e, at_f) = (line_e - within.lo[e] - 1, line_f - within.lo[f] - 1);
        if at_e < 0 || at_e >= lines(e) || at_f < 0 || at_f >= lines(f) {
            return None;
        }
        rays.get(at_e as usize * width + at_f as usize).copied()?
    };
    for i in within.lo[e]..=within.hi[e] {
        for j in within.lo[f]..=within.hi[f] {
            let around = (0..4).filter_map(|corner| ray(i + (corner & 1), j + (corner >> 1)));
            let range = around.reduce(|[s0, s1], [t0, t1]| [s0.min(t0), s1.max(t1)]);
            let Some([t0, t1]) = range else { continue };
            let cell_of = |t: f64| {
                let at = (t - lattice.origin[along]) * lattice.scale[along];
                (at.floor() as i64).clamp(within.lo[along], within.hi[along])
            };
            for k in cell_of(t0)..=cell_of(t1) {
                let mut cell = [0; 3];
                cell[along] = k;
                cell[e] = i;
                cell[f] = j;
                out.push(cell);
            }
        }
    }
    out[start..].sort_unstable();
    out.dedup();
}

/// Where a ray enters and leaves the slab between two opposite sides, and how that changes from one ray to the next.
#[derive(Clone, Copy, Debug)]
struct StabbedSlab {
    enters: f64,
    leaves: f64,
    /// What the next line along either direction adds to both.
    steps: [f64; 2],
    /// Whether rays run along the sides: then zero lies between both where a ray is in the slab.
    is_parallel: bool,
}

impl StabbedSlab {
    fn moved(self, direction: usize) -> Self {
        Self {
            enters: self.enters + self.steps[direction],
            leaves: self.leaves + self.steps[direction],
            ..self
        }
    }
}

/// Where the rays through the inner vertices of the grid enter and leave the box, row by row: two additions for each pair of sides
/// take a ray to the next.
fn stab(
    lattice: &Lattice,
    obb: &Obb,
    within: &CellBox,
    along: usize,
    rays: &mut Vec<Option<[f64; 2]>>,
) {
    rays.clear();
    let (e, f) = ((along + 1) % 3, (along + 2) % 3);
    let mut first = obb.center();
    first[e] = lattice.origin[e] + (within.lo[e] + 1) as f64 / lattice.scale[e];
    first[f] = lattice.origin[f] + (within.lo[f] + 1) as f64 / lattice.scale[f];
    let (axes, half) = (obb.axes(), obb.half_extent().to_array());
    let slabs = [0, 1, 2].map(|side: usize| {
        let (axis, half) = (axes[side], half[side]);
        let at = axis.dot(first - obb.center());
        let slope = axis[along];
        let steps = [axis[e] / lattice.scale[e], axis[f] / lattice.scale[f]];
        if slope.abs() < 1e-12 {
            return StabbedSlab {
                enters: at - half,
                leaves: at + half,
                steps,
                is_parallel: true,
            };
        }
        let (s0, s1) = ((-half - at) / slope, (half - at) / slope);
        StabbedSlab {
            enters: s0.min(s1),
            leaves: s0.max(s1),
            steps: steps.map(|step| -step / slope),
            is_parallel: false,
        }
    });
    let mut row = slabs;
    for _ in within.lo[e]..within.hi[e] {
        let mut ray = row;
        for _ in within.lo[f]..within.hi[f] {
            let (mut t0, mut t1) = (f64::NEG_INFINITY, f64::INFINITY);
            let mut is_in = true;
            for slab in &ray {
                if slab.is_parallel {
                    is_in &= slab.enters <= 0.0 && slab.leaves >= 0.0;
                } else {
                    (t0, t1) = (t0.max(slab.enters), t1.min(slab.leaves));
                }
            }
            let is_hit = is_in && t0 <= t1;
            rays.push(is_hit.then(|| [first[along] + t0, first[along] + t1]));
            ray = ray.map(|slab| slab.moved(1));
        }
        row = row.map(|slab| slab.moved(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Aabb;
    use crate::bound::BoundingVolume;
    use crate::math::{Pose, Rng};
    use glam::DVec3;

    /// Where the ray through a vertex of the grid enters and leaves the box, from nothing.
    fn ray(lattice: &Lattice, obb: &Obb, along: usize, lines: [i64; 3]) -> Option<[f64; 2]> {
        let mut p = obb.center();
        for k in (0..3).filter(|k| *k != along) {
            p[k] = lattice.origin[k] + lines[k] as f64 / lattice.scale[k];
        }
        let (mut t0, mut t1) = (f64::NEG_INFINITY, f64::INFINITY);
        for (axis, half) in obb.axes().into_iter().zip(obb.half_extent().to_array()) {
            let at = axis.dot(p - obb.center());
            let slope = axis[along];
            if slope.abs() < 1e-12 {
                if at.abs() > half {
                    return None;
                }
                continue;
            }
            let (s0, s1) = ((-half - at) / slope, (half - at) / slope);
            t0 = t0.max(s0.min(s1));
            t1 = t1.min(s0.max(s1));
        }
        (t0 <= t1).then_some([p[along] + t0, p[along] + t1])
    }

    #[test]
    fn rays_that_follow_by_additions_are_those_from_nothing() {
        let universe = Aabb {
            min: DVec3::splat(-4.0),
            max: DVec3::splat(4.0),
        };
        let lattice = Lattice::dividing(&universe, 32);
        let mut rng = Rng::new(31);
        let (mut rays, mut hits) = (Vec::new(), 0);
        for round in 0..300 {
            // Some stand along the axes, where rays are parallel to sides.
            let angle = if round % 3 == 0 {
                0.0
            } else {
                rng.range(0.0, 6.0)
            };
            let pose = Pose::from_axis_angle(rng.direction(), angle, rng.cube()).unwrap();
            let half = DVec3::new(1.0, 0.7, 0.4) * rng.range(0.5, 1.5);
            let own = Obb::from(Aabb {
                min: -half,
                max: half,
            });
            let obb = own.placed(&pose, 0.0);
            let within = lattice.covered(&obb.bounds());
            for along in 0..3 {
                let (e, f) = ((along + 1) % 3, (along + 2) % 3);
                stab(&lattice, &obb, &within, along, &mut rays);
                let mut next = rays.iter();
                for i in within.lo[e] + 1..=within.hi[e] {
                    for j in within.lo[f] + 1..=within.hi[f] {
                        let mut lines = [0; 3];
                        (lines[e], lines[f]) = (i, j);
                        let found = *next.next().unwrap();
                        match (found, ray(&lattice, &obb, along, lines)) {
                            (Some([t0, t1]), Some([s0, s1])) => {
                                assert!((t0 - s0).abs() < 1e-9 && (t1 - s1).abs() < 1e-9);
                                hits += 1;
                            }
                            (None, None) => {}
                            // A ray that touches may go either way by rounding.
                            (Some([t0, t1]), None) | (None, Some([t0, t1])) => {
                                assert!(t1 - t0 < 1e-6, "{t0} {t1}");
                            }
                        }
                    }
                }
                assert!(next.next().is_none());
            }
        }
        assert!(hits > 10_000, "{hits}");
    }
}
