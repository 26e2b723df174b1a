//! Scenarios with known answers, in `corpus/scenarios/*.json`.
//!
//! A scenario holds two meshes, a placement, how many face pairs meet, a fingerprint of those
//! pairs and one sentence on where it comes from. A bug report becomes a scenario before it
//! becomes a fix.

use std::fs;
use std::path::{Path, PathBuf};

use impinge::math::Rng;
use impinge::query::FacePair;
use impinge::{DVec3, Pose, TriMesh};
use serde::Deserialize;

use crate::generate::meshes;

/// Two placed meshes and the face pairs that meet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// Where the scenario comes from and why its answer is what it is.
    pub origin: String,
    /// The first mesh.
    pub a: Source,
    /// The second mesh.
    pub b: Source,
    /// The placement as 16 numbers, row by row; the identity when absent.
    pub a_from_b: Option<[f64; 16]>,
    /// How many face pairs share a point.
    pub pairs: usize,
    /// The [`fingerprint`] of those pairs.
    pub fingerprint: String,
}

/// Where a mesh comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Source {
    /// Written out.
    Inline {
        /// The vertex positions.
        vertices: Vec<[f64; 3]>,
        /// The vertex numbers of each face.
        faces: Vec<[u32; 3]>,
    },
    /// A box along the axes.
    Cuboid {
        /// Smallest and largest corner.
        cuboid: [[f64; 3]; 2],
    },
    /// An octahedron split `levels` times, on a sphere of radius `radius` about the origin.
    Ball {
        /// Levels of splitting.
        ball: u32,
        /// The radius.
        radius: f64,
    },
    /// A flat sheet of `2 · sheet²` faces over `[0, sheet]²`, at z = 0.
    Sheet {
        /// Cells per side.
        sheet: u32,
    },
    /// Faces over common vertices on the integer grid.
    GridSoup {
        /// How many faces.
        grid_soup: usize,
        /// The smallest and the largest coordinate.
        range: [i64; 2],
        /// The seed.
        seed: u64,
    },
    /// Unconnected random faces in the cube `[-1, 1)³`.
    RandomSoup {
        /// How many faces.
        random_soup: usize,
        /// About how large each is.
        size: f64,
        /// The seed.
        seed: u64,
    },
}

impl Source {
    /// The mesh described.
    ///
    /// # Errors
    /// Why an inline mesh is refused.
    pub fn mesh(&self) -> Result<TriMesh, String> {
        Ok(match self {
            Self::Inline { vertices, faces } => {
                TriMesh::from_points(vertices.iter().copied(), faces.iter().copied())
                    .map_err(|e| e.to_string())?
            }
            Self::Cuboid { cuboid: [min, max] } => {
                meshes::cuboid(DVec3::from_array(*min), DVec3::from_array(*max))
            }
            Self::Ball { ball, radius } => meshes::ball(*ball, *radius),
            Self::Sheet { sheet } => meshes::sheet(*sheet, |_, _| 0.0),
            Self::GridSoup {
                grid_soup,
                range: [lo, hi],
                seed,
            } => meshes::grid_soup(&mut Rng::new(*seed), *grid_soup, (*lo, *hi)),
            Self::RandomSoup {
                random_soup,
                size,
                seed,
            } => meshes::random_soup(&mut Rng::new(*seed), *random_soup, *size),
        })
    }
}

impl Scenario {
    /// The two meshes and the placement.
    ///
    /// # Errors
    /// Why a mesh or the placement is refused, with the scenario's name.
    pub fn build(&self) -> Result<(TriMesh, TriMesh, Pose), String> {
        let named = |e: String| format!("scenario {}: {e}", self.name);
        let pose = match &self.a_from_b {
            Some(rows) => Pose::from_row_major(rows).map_err(|e| named(e.to_string()))?,
            None => Pose::IDENTITY,
        };
        Ok((
            self.a.mesh().map_err(named)?,
            self.b.mesh().map_err(named)?,
            pose,
        ))
    }

    /// Whether sorted pairs are the expected ones.
    ///
    /// # Errors
    /// A sentence with the counts and fingerprints when they are not.
    pub fn check(&self, pairs: &[FacePair]) -> Result<(), String> {
        let found = fingerprint(pairs);
        if pairs.len() == self.pairs && found == self.fingerprint {
            return Ok(());
        }
        Err(format!(
            "scenario {}: expected {} pairs with fingerprint {}, found {} with {found}",
            self.name,
            self.pairs,
            self.fingerprint,
            pairs.len(),
        ))
    }
}

/// All scenarios, sorted by name.
///
/// # Errors
/// The file that could not be read or understood.
pub fn scenarios() -> Result<Vec<Scenario>, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/scenarios");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let mut scenario: Scenario =
                serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
            scenario.name = path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            Ok(scenario)
        })
        .collect()
}

/// All files in a folder and the folders in it, each folder's by name.
///
/// # Errors
/// A folder that cannot be read.
pub fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// A short name for a list of pairs: the 64-bit FNV-1a hash of their numbers, in hexadecimal.
///
/// ```
/// assert_eq!(impinge_testkit::corpus::fingerprint(&[]), "cbf29ce484222325");
/// ```
#[must_use]
pub fn fingerprint(pairs: &[FacePair]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for pair in pairs {
        for byte in [pair.a.raw(), pair.b.raw()]
            .iter()
            .flat_map(|n| n.to_le_bytes())
        {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
