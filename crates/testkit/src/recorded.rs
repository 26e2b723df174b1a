//! Recorded queries of continuous collision: coordinates as rationals, with truths and times found symbolically by others.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

use impinge::io::{ReadOptions, read};
use impinge::{DVec3, TriMesh};

use crate::oracle::Moving;

/// One recorded question.
#[derive(Clone, Debug)]
pub struct Query {
    /// A vertex and a face, or two edges.
    pub points: Moving,
    /// Whether it is about two edges.
    pub is_edges: bool,
    /// Whether they meet.
    pub is_hit: bool,
    /// The published time of the first contact.
    pub time: Option<f64>,
}

/// Two frames of a simulation and the queries between them.
#[derive(Clone, Debug)]
pub struct Frames {
    /// Places of all vertices in the first frame and in the second.
    pub places: [Vec<DVec3>; 2],
    /// Vertices of each face.
    pub faces: Vec<[usize; 3]>,
    /// Vertices of each edge, in the order of the recorded ids.
    pub edges: Vec<[usize; 2]>,
    /// Recorded queries with vertices and faces.
    pub vertex_face: Vec<Query>,
    /// Recorded queries with edges.
    pub edge_edge: Vec<Query>,
}

/// The folder of recorded data: named by `IMPINGE_SHARED`, or beside one of the folders that hold `start`.
#[must_use]
pub fn folder(start: &Path) -> Option<PathBuf> {
    std::env::var_os("IMPINGE_SHARED")
        .map(PathBuf::from)
        .into_iter()
        .chain(start.ancestors().take(5).map(|f| f.join("shared")))
        .map(|shared| shared.join("data"))
        .find(|f| f.is_dir())
}

/// Every file below a folder with this ending, sorted.
///
/// # Errors
///
/// A folder cannot be read.
pub fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn wrong(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidData, what.into())
}

/// Queries of a file in the NYU format: eight rows each, a row being three rationals and a bit.
///
/// Whether they are about edges follows from the folder's name, `edge-edge` or `vertex-face`.
///
/// # Errors
///
/// The file cannot be read or is in another format.
pub fn queries(path: &Path) -> Result<Vec<Query>> {
    let name = path.to_string_lossy();
    let is_edges = name.contains("edge-edge") || name.ends_with("ee.csv");
    let text = std::fs::read_to_string(path)?;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.is_empty()) {
        let fields: Vec<f64> = line
            .split(',')
            .map(|field| field.trim().parse())
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| wrong(format!("{name}:{}: {line}", number + 1)))?;
        let [a, b, c, d, e, f, ref rest @ ..] = fields[..] else {
            return Err(wrong(format!("{name}:{}: {line}", number + 1)));
        };
        rows.push((DVec3::new(a / b, c / d, e / f), rest.first() == Some(&1.0)));
    }
    let (queries, rest) = rows.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(wrong(format!("{name}: rows are not in eights")));
    }
    Ok(queries
        .iter()
        .map(|&[a, b, c, d, e, f, g, h]| Query {
            points: [[a.0, b.0, c.0, d.0], [e.0, f.0, g.0, h.0]],
            is_edges,
            is_hit: a.1,
            time: None,
        })
        .collect())
}

fn mesh(path: &Path) -> Result<TriMesh> {
    let model = read(path, &ReadOptions::default()).map_err(|e| wrong(e.to_string()))?;
    Ok(model.merged().0)
}

fn json(path: &Path) -> Result<serde_json::Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

/// Both frames of a scene of the scalable sample, with its queries.
///
/// # Errors
///
/// A file is absent or in another format.
pub fn frames(scene: &Path) -> Result<Frames> {
    let paths = files(&scene.join("frames"), ".ply")?;
    let [first, second] = paths.as_slice() else {
        return Err(wrong("a scene has two frames"));
    };
    let (start, end) = (mesh(first)?, mesh(second)?);
    let faces: Vec<[usize; 3]> = start
        .faces()
        .iter()
        .map(|face| face.map(|v| v as usize))
        .collect();
    let mut edges: Vec<[usize; 2]> = faces
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_by_key(|&[low, high]| (high, low));
    edges.dedup();
    let mut frames = Frames {
        places: [start.positions().to_vec(), end.positions().to_vec()],
        faces,
        edges,
        vertex_face: Vec::new(),
        edge_edge: Vec::new(),
    };
    let stem = first
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    frames.vertex_face = frames.recorded(scene, &stem, false)?;
    frames.edge_edge = frames.recorded(scene, &stem, true)?;
    Ok(frames)
}

impl Frames {
    /// Four vertices at both times.
    #[must_use]
    pub fn points(&self, ids: [usize; 4]) -> Moving {
        [0, 1].map(|moment: usize| ids.map(|id| self.places[moment][id]))
    }

    fn recorded(&self, scene: &Path, stem: &str, is_edges: bool) -> Result<Vec<Query>> {
        let kind = if is_edges { "ee" } else { "vf" };
        let pairs: Vec<[usize; 2]> =
            serde_json::from_value(json(&scene.join(format!("boxes/{stem}{kind}.json")))?)?;
        let truths: Vec<bool> = serde_json::from_value(json(
            &scene.join(format!("mma_bool/{stem}{kind}_mma_bool.json")),
        )?)?;
        let times: BTreeMap<String, Vec<String>> = serde_json::from_value(
            json(&scene.join(format!("toi_decimal/{stem}{kind}_toi.json")))?["toi"].clone(),
        )?;
        let vertices = self.places[0].len();
        let mut queries = Vec::new();
        for (index, (&[a, b], &is_hit)) in pairs.iter().zip(&truths).enumerate() {
            let ids = if is_edges {
                let [a, b] = [a, b].map(|id| self.edges.get(id.wrapping_sub(vertices)));
                a.zip(b).map(|(a, b)| [a[0], a[1], b[0], b[1]])
            } else {
                let (vertex, face) = (a.min(b), a.max(b));
                self.faces
                    .get(face.wrapping_sub(vertices + self.edges.len()))
                    .map(|f| [vertex, f[0], f[1], f[2]])
            };
            let ids = ids.ok_or_else(|| wrong(format!("{kind} {index}: ids {a} {b}")))?;
            queries.push(Query {
                points: self.points(ids),
                is_edges,
                is_hit,
                time: times
                    .get(&index.to_string())
                    .and_then(|list| list.first())
                    .and_then(|text| text.parse().ok()),
            });
        }
        Ok(queries)
    }
}
