//! The grid method: B's centre in every cell of a grid around A, then moved towards A within the cell.
//!
//! A cell counts for a target only if the target is met within it: no configuration is found from two cells. One distance query decides
//! whether that is so, and in which direction A is nearest: most cells cost one query. Unlike the lines of the sphere method, cells
//! lie in cavities and behind A too; how many configurations come out is not known before.

use impinge::DVec3;

use super::file::{Configuration, FoundBy};
use super::scene::{OrientationQuery, TOLERANCE};
use super::sphere_method::between;

/// Corrections of a place that was rounded.
const CORRECTIONS: usize = 3;

/// The grid around A for one orientation of B.
pub(super) struct Cells {
    corner: DVec3,
    size: DVec3,
    along: usize,
}

impl Cells {
    /// So many cells along each axis, around all places of B's centre at which B may be within `farthest` of A.
    pub(super) fn new(probe: &OrientationQuery<'_>, along: usize, farthest: f64) -> Self {
        let corner = probe.scene.grid_corner(farthest);
        Self {
            corner: -corner,
            size: 2.0 * corner / along as f64,
            along,
        }
    }

    fn center(&self, number: usize) -> DVec3 {
        let n = self.along;
        let place = [number % n, number / n % n, number / (n * n)];
        let place = DVec3::from_array(place.map(|k| k as f64 + 0.5));
        self.corner + place * self.size
    }

    fn holds(&self, number: usize, place: DVec3) -> bool {
        let from_center = (place - self.center(number)).abs();
        from_center.cmple(0.5 * self.size).all()
    }

    /// How far a line through the centre stays in its cell, in a direction of length 1.
    fn length(&self, direction: DVec3) -> f64 {
        let along = 0.5 * self.size / direction.abs();
        along.min_element()
    }

    /// From the centre to a corner.
    fn radius(&self) -> f64 {
        0.5 * self.size.length()
    }
}

/// Configurations at all distances that are met within a cell.
pub(super) fn distances(
    probe: &mut OrientationQuery<'_>,
    cells: &Cells,
    number: usize,
    levels: &[f64],
) -> anyhow::Result<Vec<Configuration>> {
    let diagonal = probe.scene.diagonal;
    let center = probe.gap(cells.center(number))?;
    let mut found = Vec::new();
    if center.distance == 0.0 {
        return Ok(found);
    }
    for (k, level) in levels.iter().enumerate() {
        // Touching is to be nearly so, as on lines.
        let (wanted, room) = if *level == 0.0 {
            (0.5 * TOLERANCE * diagonal, 0.45 * TOLERANCE * diagonal)
        } else {
            (level * diagonal, 0.9 * TOLERANCE * diagonal)
        };
        let lack = center.distance - wanted;
        if lack < -room || lack > cells.radius() {
            continue;
        }
        // The nearest points come nearer by the whole movement, and nothing comes nearer by more.
        let mut at = center;
        for _ in 0..CORRECTIONS {
            if (at.distance - wanted).abs() <= room {
                break;
            }
            at = probe.gap(at.offset - at.gradient * (at.distance - wanted))?;
        }
        if (at.distance - wanted).abs() <= room && cells.holds(number, at.offset) {
            found.push(Configuration::new(
                k,
                FoundBy::Line,
                at.offset,
                at.distance / diagonal,
            ));
        }
    }
    Ok(found)
}

/// Configurations at all volumes that are met on the way from a cell's centre towards A's, within the cell. At the target of 0 they touch.
pub(super) fn volumes(
    probe: &mut OrientationQuery<'_>,
    cells: &Cells,
    number: usize,
    levels: &[f64],
    unit: f64,
) -> anyhow::Result<Vec<Configuration>> {
    let mut found = Vec::new();
    for (k, _) in levels
        .iter()
        .enumerate()
        .filter(|(_, level)| **level == 0.0)
    {
        let touching = distances(probe, cells, number, &[0.0])?;
        found.extend(
            touching
                .iter()
                .map(|at| Configuration::new(k, FoundBy::Line, at.offset(), 0.0)),
        );
    }
    let center = cells.center(number);
    let inwards = -center.normalize_or_zero();
    if inwards == DVec3::ZERO {
        return Ok(found);
    }
    let way = cells.length(inwards).min(center.length());
    if probe.gap(center)?.distance > way {
        return Ok(found);
    }
    let outer = probe.shared(center)?;
    let inner = probe.shared(center + inwards * way)?;
    for (k, level) in levels.iter().enumerate() {
        let wanted = level * unit;
        if *level == 0.0 || outer.volume >= wanted || inner.volume < wanted {
            continue;
        }
        if let Some(at) = between(probe, outer, inner, wanted, unit)?
            && cells.holds(number, at.offset)
        {
            found.push(Configuration::new(
                k,
                FoundBy::Line,
                at.offset,
                at.volume / unit,
            ));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use impinge::DMat3;
    use impinge::generate::torus;

    use super::super::pairs::Meshes;
    use super::super::sampling::Kind;
    use super::super::scene::ModelPairScene;
    use super::*;

    #[test]
    fn volumes_are_met_within_their_cell_and_touching_is_among_them() {
        let mesh = Arc::new(torus(1.0, 0.4, 24, 12).unwrap());
        let b = Arc::clone(&mesh);
        let scene = ModelPairScene::new(Meshes { a: mesh, b }, Kind::Volume).unwrap();
        let mut probe = OrientationQuery::new(&scene, DMat3::from_rotation_x(0.7));
        let unit = scene.unit(Kind::Volume);
        let cells = Cells::new(&probe, 8, 0.0);
        let levels = [0.0, 0.01, 0.05];
        let mut seen = [0; 3];
        for number in 0..8 * 8 * 8 {
            for c in volumes(&mut probe, &cells, number, &levels, unit).unwrap() {
                assert!(cells.holds(number, c.offset()), "{number}: {c:?}");
                let level = usize::from(c.level);
                seen[level] += 1;
                let shared = probe.shared(c.offset()).unwrap().volume / unit;
                assert!((shared - levels[level]).abs() <= TOLERANCE, "{c:?}");
                if level == 0 {
                    let gap = probe.gap(c.offset()).unwrap().distance / scene.diagonal;
                    assert!(gap > 0.0 && gap <= TOLERANCE, "{c:?}");
                }
            }
        }
        assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    }
}
