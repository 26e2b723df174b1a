//! Cloths, nets and blocks.

use impinge::DVec3;

use super::body::{Constraint, SoftBody, SoftConfig};
use super::error::{SoftError, at_least};

/// The most particles of a made body.
const MOST: u64 = 10_000_000;

/// A rectangle of cloth, or a net, around the origin of the plane z = height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothDesc {
    /// Cells along x and y.
    pub cells: [u32; 2],
    /// Size along x and y, in m.
    pub size: [f64; 2],
    /// Where it begins along z, in m.
    pub height: f64,
    /// Mass per area, in kg/m².
    pub density: f64,
    /// Compliance of threads along the edges, in m/N.
    pub stretch: f64,
    /// Compliance of the diagonals, in m/N; a net has none.
    pub shear: f64,
    /// Compliance against bending, in m/N; a net has none.
    pub bend: f64,
}

impl Default for ClothDesc {
    fn default() -> Self {
        Self {
            cells: [20, 20],
            size: [1.0, 1.0],
            height: 0.0,
            density: 0.2,
            stretch: 1e-5,
            shear: 1e-4,
            bend: 1e-2,
        }
    }
}

/// A block of soft material around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidDesc {
    /// Cells along the axes.
    pub cells: [u32; 3],
    /// Size along the axes, in m.
    pub size: [f64; 3],
    /// Where its middle is.
    pub center: DVec3,
    /// Density in kg/m³.
    pub density: f64,
    /// Compliance of the edges, in m/N.
    pub edge: f64,
    /// Compliance of the volumes.
    pub volume: f64,
}

impl Default for SolidDesc {
    fn default() -> Self {
        Self {
            cells: [3, 3, 3],
            size: [0.2, 0.2, 0.2],
            center: DVec3::ZERO,
            density: 500.0,
            edge: 1e-4,
            volume: 0.0,
        }
    }
}

impl SoftBody {
    /// A cloth: threads along the edges, diagonals against shear, and springs over two cells against bending.
    ///
    /// # Errors
    /// [`SoftError::OutOfRange`].
    pub fn cloth(desc: &ClothDesc, config: SoftConfig) -> Result<Self, SoftError> {
        sheet(desc, config, true)
    }

    /// A net: threads along the edges alone, without faces, so that nothing touches it.
    ///
    /// # Errors
    /// [`SoftError::OutOfRange`].
    ///
    /// ```
    /// use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig};
    /// let net = SoftBody::net(&ClothDesc::default(), SoftConfig::default())?;
    /// assert_eq!((net.constraints().len(), net.faces().len()), (840, 0));
    /// # Ok::<(), impinge_dynamics::soft::SoftError>(())
    /// ```
    pub fn net(desc: &ClothDesc, config: SoftConfig) -> Result<Self, SoftError> {
        sheet(desc, config, false)
    }

    /// A solid block of tetrahedra, six a cell, that keep their edges and volumes.
    ///
    /// # Errors
    /// [`SoftError::OutOfRange`].
    pub fn solid(desc: &SolidDesc, config: SoftConfig) -> Result<Self, SoftError> {
        block(desc, config)
    }
}

fn sheet(desc: &ClothDesc, config: SoftConfig, is_cloth: bool) -> Result<SoftBody, SoftError> {
    let [nx, ny] = desc.cells;
    count_of(&[nx, ny])?;
    for size in desc.size {
        at_least("size", size, 1e-6)?;
    }
    let mass = at_least("density", desc.density, f64::MIN_POSITIVE)? * desc.size[0] * desc.size[1];
    let mut points = Vec::new();
    for y in 0..=ny {
        for x in 0..=nx {
            points.push(DVec3::new(
                (f64::from(x) / f64::from(nx) - 0.5) * desc.size[0],
                (f64::from(y) / f64::from(ny) - 0.5) * desc.size[1],
                desc.height,
            ));
        }
    }
    let number = |x: u32, y: u32| y * (nx + 1) + x;
    let mut constraints = Vec::new();
    let mut faces = Vec::new();
    let mut join = |i: u32, j: u32, compliance: f64| {
        let [a, b] = [i, j].map(|k| points.get(k as usize).copied().unwrap_or_default());
        constraints.push(Constraint::Distance {
            ends: [i, j],
            rest: a.distance(b),
            compliance,
        });
    };
    for y in 0..=ny {
        for x in 0..=nx {
            let here = number(x, y);
            if x < nx {
                join(here, number(x + 1, y), desc.stretch);
            }
            if y < ny {
                join(here, number(x, y + 1), desc.stretch);
            }
            if !is_cloth {
                continue;
            }
            if x < nx && y < ny {
                let [right, up, both] = [number(x + 1, y), number(x, y + 1), number(x + 1, y + 1)];
                join(here, both, desc.shear);
                join(right, up, desc.shear);
                // Diagonals alternate, so that no direction is preferred.
                if (x + y) % 2 == 0 {
                    faces.extend([[here, right, both], [here, both, up]]);
                } else {
                    faces.extend([[here, right, up], [right, both, up]]);
                }
            }
            if x + 2 <= nx {
                join(here, number(x + 2, y), desc.bend);
            }
            if y + 2 <= ny {
                join(here, number(x, y + 2), desc.bend);
            }
        }
    }
    let masses = vec![mass / points.len() as f64; points.len()];
    SoftBody::new(&points, &masses, constraints, faces, config)
}

/// The corners of a cube around the diagonal from 0 to 7, by numbers with bits x, y, z: any two in a row make a tetrahedron with it, the
/// last and the first too.
const AROUND_DIAGONAL: [u32; 6] = [1, 3, 2, 6, 4, 5];

fn block(desc: &SolidDesc, config: SoftConfig) -> Result<SoftBody, SoftError> {
    let [nx, ny, nz] = desc.cells;
    count_of(&desc.cells)?;
    for size in desc.size {
        at_least("size", size, 1e-6)?;
    }
    let volume = desc.size[0] * desc.size[1] * desc.size[2];
    let mass = at_least("density", desc.density, f64::MIN_POSITIVE)? * volume;
    let size = DVec3::from(desc.size);
    let cells = DVec3::new(f64::from(nx), f64::from(ny), f64::from(nz));
    let mut points = Vec::new();
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                let at = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) / cells - 0.5;
                points.push(desc.center + at * size);
            }
        }
    }
    let number = |x: u32, y: u32, z: u32| (z * (ny + 1) + y) * (nx + 1) + x;
    let mut tetrahedra = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                for (k, &p) in AROUND_DIAGONAL.iter().enumerate() {
                    let corners = [0, p, AROUND_DIAGONAL[(k + 1) % 6], 7];
                    let placed =
                        corners.map(|c| number(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)));
                    tetrahedra.push(placed);
                }
            }
        }
    }
    let at = |i: u32| points.get(i as usize).copied().unwrap_or_default();
    let mut constraints = Vec::new();
    let mut edges = Vec::new();
    let mut sides: Vec<([u32; 3], [u32; 3])> = Vec::new();
    for corners in &tetrahedra {
        let [a, b, c, d] = corners.map(at);
        constraints.push(Constraint::Volume {
            corners: *corners,
            rest: (b - a).dot((c - a).cross(d - a)) / 6.0,
            compliance: desc.volume,
        });
        let [p, q, r, s] = *corners;
        for edge in [[p, q], [p, r], [p, s], [q, r], [q, s], [r, s]] {
            edges.push([edge[0].min(edge[1]), edge[0].max(edge[1])]);
        }
        for side in [[p, r, q], [p, q, s], [q, r, s], [p, s, r]] {
            let mut key = side;
            key.sort_unstable();
            sides.push((key, side));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    constraints.extend(edges.into_iter().map(|ends| Constraint::Distance {
        ends,
        rest: at(ends[0]).distance(at(ends[1])),
        compliance: desc.edge,
    }));
    // A side of one tetrahedron alone is on the surface.
    sides.sort_unstable();
    let mut faces = Vec::new();
    for run in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, side)] = run {
            faces.push(*side);
        }
    }
    let masses = vec![mass / points.len() as f64; points.len()];
    SoftBody::new(&points, &masses, constraints, faces, config)
}

fn count_of(cells: &[u32]) -> Result<(), SoftError> {
    let mut count = 1_u64;
    for &n in cells {
        at_least("number of cells", n.into(), 1.0)?;
        count = count.saturating_mul(u64::from(n) + 1);
    }
    if count > MOST {
        return Err(SoftError::OutOfRange {
            what: "number of particles",
            value: count as f64,
        });
    }
    Ok(())
}
