//! The wrap of a mesh: a closed surface around it, for the purpose of an alpha wrap.

use super::cell_tree::{CellTree, TooManyCells};
use super::lattice::Lattice;
use super::marching::Surface;
use super::options::{WrapError, WrapOptions};
use super::outside::Outside;
use crate::bound::Aabb;
use crate::bvh::MeshIndex;
use crate::bvh::wide::WideTree;
use crate::math::MAX_COORDINATE;
use crate::mesh::{MeshError, TriMesh};

/// The largest coordinate that an offset of 1 can follow: 2³⁰. Nodes, marks and the slack for
/// rounding are then exact.
const RESOLUTION: f64 = 1_073_741_824.0;
/// More cells than this have no numbers.
const MOST_CELLS: usize = 1 << 27;
/// The smallest offset: distances of nodes must not underflow.
const SMALLEST_OFFSET: f64 = 1e-100;

/// A wrap and what is proven about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrapped {
    /// The surface: closed, manifold, facing outward, without self-intersection.
    pub mesh: TriMesh,
    /// No point of the surface is nearer to the input than this, which is positive.
    pub nearest: f64,
    /// No point of the surface is farther from the input than this, closed gaps aside.
    pub farthest: f64,
    /// The spacing of the lattice: about the size of the details that remain.
    pub spacing: f64,
}

/// A closed surface around the faces of a mesh, whatever they are: open, doubled, crossing each
/// other, without orientation, without area.
///
/// Every face is strictly inside the surface, and no point of the surface is farther from the faces
/// than [`WrapOptions::offset`]. What the surface encloses has no cavities. Vertices that no face
/// uses do not count. The result depends on the mesh and the options alone; its coordinates are
/// multiples of a power of two, so that they survive formats of 32 bits unless the mesh is farther
/// than some thousand offsets from the origin.
///
/// # Errors
/// [`WrapError`] for a mesh without faces, and for an offset that is not positive, or too small for
/// the limit of cells; that error names an offset that fits.
///
/// ```
/// use impinge::bvh::wide::WideTree;
/// use impinge::wrap::{WrapOptions, wrap};
/// use impinge::{TriMesh, mesh::{classify, mass}};
/// use std::sync::Arc;
/// // A single triangle becomes a thin solid around it.
/// let triangle = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let wrapped = wrap(&WideTree::new(Arc::new(triangle)), &WrapOptions::new(0.1))?;
/// let class = classify(&wrapped.mesh);
/// assert!(class.closed && class.is_manifold() && class.outward);
/// assert!(wrapped.farthest <= 0.1 && mass(&wrapped.mesh)?.volume < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "alpha wrap")]
#[doc(alias = "shrink wrap")]
#[doc(alias = "watertight")]
#[doc(alias = "marching tetrahedra")]
pub fn wrap(tree: &WideTree, options: &WrapOptions) -> Result<Wrapped, WrapError> {
    let bounds = tree.mesh().bounds();
    check(&bounds, options)?;
    let max_cells = options.max_cells.min(MOST_CELLS);
    let lattice = Lattice::new(options.offset, options.gap);
    let cells = match CellTree::new(tree, &bounds, &lattice, max_cells) {
        Ok(cells) => cells,
        Err(found) => return Err(too_fine(tree, &bounds, options, found)),
    };
    let outside = Outside::new(&cells, &lattice);
    let (positions, faces) = Surface::extract(&cells, &outside, &lattice);
    // The limit of cells keeps the numbers in range, and the checks keep the coordinates there.
    let mesh = TriMesh::new(positions, faces).map_err(|error| match error {
        MeshError::TooMany { .. } => too_fine(tree, &bounds, options, TooManyCells { level: 0 }),
        _ => WrapError::TooFar {
            offset: options.offset,
        },
    })?;
    Ok(Wrapped {
        mesh,
        nearest: lattice.nearest,
        farthest: lattice.farthest,
        spacing: lattice.spacing,
    })
}

fn check(bounds: &Aabb, options: &WrapOptions) -> Result<(), WrapError> {
    let WrapOptions { offset, gap, .. } = *options;
    if !(offset > 0.0 && offset.is_finite()) {
        return Err(WrapError::BadOffset { value: offset });
    }
    if !(gap >= 0.0 && gap.is_finite()) {
        return Err(WrapError::BadGap { value: gap });
    }
    if bounds.is_empty() {
        return Err(WrapError::Empty);
    }
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let fits = (largest / RESOLUTION).max(SMALLEST_OFFSET);
    if offset < fits {
        return Err(WrapError::Unresolved {
            offset,
            largest,
            fits,
        });
    }
    // The root of the octree is at most twice as wide as what it must hold, a few offsets and gaps
    // more than the mesh.
    if 8.0 * (largest + 8.0 * (offset + gap)) > MAX_COORDINATE {
        return Err(WrapError::TooFar { offset });
    }
    Ok(())
}

/// The error for an offset that needs too many cells, with one that does not.
fn too_fine(
    tree: &WideTree,
    bounds: &Aabb,
    options: &WrapOptions,
    found: TooManyCells,
) -> WrapError {
    let max_cells = options.max_cells.min(MOST_CELLS);
    // Cells of the level above are too many too, as cells of a lattice. Each further doubling
    // quarters their number, and a cell as large as the mesh is the end of it.
    let mut fits = options.offset * f64::from(2_u32).powi(found.level as i32 + 1);
    let enough = 16.0 * (bounds.max - bounds.min).max_element().max(options.gap);
    while fits < enough {
        let lattice = Lattice::new(fits, options.gap);
        if CellTree::new(tree, bounds, &lattice, max_cells).is_ok() {
            break;
        }
        fits *= 2.0;
    }
    WrapError::TooFine {
        offset: options.offset,
        max_cells,
        fits,
    }
}
