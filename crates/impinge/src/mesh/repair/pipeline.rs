//! All repairs in a row.

use super::super::TriMesh;
use super::drop::{
    OppositeFaces, drop_degenerate, drop_duplicate_faces, drop_unreferenced, flip_flat,
};
use super::fill::{FillOptions, fill_holes};
use super::reorient::{Nesting, reorient};
use super::repaired::Repaired;
use super::split::split_pinched;
use super::weld::{WeldError, weld};

/// What [`repair_all`] does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairOptions {
    /// Vertices at most this far apart are joined; 0 joins equal positions, `None` none.
    pub weld: Option<f64>,
    /// What becomes of faces with the same vertices in opposite directions; `None` keeps all duplicates.
    pub opposite: Option<OppositeFaces>,
    /// Whether faces with their vertices on one line exchange an edge with a neighbour.
    pub flip_flat: bool,
    /// Whether surfaces that touch in one vertex are separated.
    pub split_pinched: bool,
    /// Which holes are closed; `None` closes none.
    pub fill: Option<FillOptions>,
    /// Which way closed pieces shall face; `None` leaves all directions as they are.
    pub reorient: Option<Nesting>,
    /// Whether vertices without a face are removed.
    pub drop_unreferenced: bool,
}

impl Default for RepairOptions {
    /// Everything but parting vertices, which would leave vertices in the same place.
    fn default() -> Self {
        Self {
            weld: Some(0.0),
            opposite: Some(OppositeFaces::KeepOne),
            flip_flat: true,
            split_pinched: false,
            fill: Some(FillOptions::default()),
            reorient: Some(Nesting::AllOutward),
            drop_unreferenced: true,
        }
    }
}

/// The mesh after all repairs that were requested: weld, drop faces that name a vertex twice, drop
/// duplicates, flip flat faces, agree on directions, part vertices, close holes (and flip what was
/// filled flat), face outwards, drop unused vertices.
///
/// # Errors
/// [`WeldError::BadTolerance`].
///
/// ```
/// use impinge::{TriMesh, mesh::{findings, repair::{RepairOptions, repair_all}}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [7.0, 7.0, 7.0]];
/// let damaged = TriMesh::from_points(points, [[0, 1, 2], [0, 1, 3], [0, 3, 2], [0, 0, 1]])?;
/// let repaired = repair_all(&damaged, &RepairOptions::default())?;
/// assert!(findings(&repaired.mesh).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn repair_all(mesh: &TriMesh, options: &RepairOptions) -> Result<Repaired, WeldError> {
    let mut result = match options.weld {
        Some(tolerance) => weld(mesh, tolerance)?,
        None => Repaired::unchanged(mesh.clone()),
    };
    result = result.then(drop_degenerate);
    if let Some(opposite) = options.opposite {
        result = result.then(|mesh| drop_duplicate_faces(mesh, opposite));
    }
    if options.flip_flat {
        result = result.then(flip_flat);
    }
    // Directions first, so that fills know theirs; then again, because only closed pieces have an outside.
    if let Some(nesting) = options.reorient {
        result = result.then(|mesh| reorient(mesh, nesting));
    }
    if options.split_pinched {
        result = result.then(split_pinched);
    }
    if let Some(fill) = options.fill {
        result = result.then(|mesh| fill_holes(mesh, &fill));
        if options.flip_flat {
            // A crack between vertices on one line is filled by a flat face.
            let left_alone = result.changes.left_alone;
            result = result.then(flip_flat);
            result.changes.left_alone = left_alone;
        }
        if let Some(nesting) = options.reorient {
            let left_alone = result.changes.left_alone;
            result = result.then(|mesh| reorient(mesh, nesting));
            result.changes.left_alone = left_alone;
        }
    }
    if options.drop_unreferenced {
        result = result.then(drop_unreferenced);
    }
    Ok(result)
}
