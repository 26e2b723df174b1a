//! Converts polygons in file order to triangulated parts.

use glam::DVec3;

use super::error::ReadError;
use super::model::{FileNumbers, Model, Part};
use crate::mesh::{MeshError, TriMesh};
use crate::poly::{PolyFinding, PolyFindingKind, PolyMesh, Triangulated, findings, triangulate};
use crate::query::FaceId;

/// Polygons over shared vertices, each belonging to a part, in file order.
///
/// The readers see to it that every corner is below the number of positions.
#[derive(Debug, Default)]
pub(super) struct PolygonSoup {
    pub(super) positions: Vec<DVec3>,
    corners: Vec<u32>,
    polygon_count: usize,
    /// Corners per polygon; empty as long as all are triangles.
    sizes: Vec<u32>,
    part_names: Vec<String>,
    /// From this polygon on, polygons belong to this part.
    runs: Vec<(usize, u32)>,
}

impl PolygonSoup {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Makes room for polygons that the file is known to hold.
    pub(super) fn reserve_corners(&mut self, corners: usize) {
        self.corners.reserve(corners);
    }

    pub(super) fn polygon_count(&self) -> usize {
        self.polygon_count
    }

    /// Opens a new part; polygons go to it until another is selected.
    pub(super) fn add_part(&mut self, name: String) -> u32 {
        let part = self.part_names.len() as u32;
        self.part_names.push(name);
        self.select_part(part);
        part
    }

    pub(super) fn select_part(&mut self, part: u32) {
        match self.runs.last_mut() {
            Some(run) if run.0 == self.polygon_count => run.1 = part,
            Some(run) if run.1 == part => {}
            _ => self.runs.push((self.polygon_count, part)),
        }
    }

    /// Adds a corner to the polygon that [`PolygonSoup::close_polygon`] will end.
    pub(super) fn add_corner(&mut self, vertex: u32) {
        self.corners.push(vertex);
    }

    /// Ends a polygon of the `size` corners added last.
    pub(super) fn close_polygon(&mut self, size: usize) {
        if size != 3 && self.sizes.is_empty() {
            self.sizes.resize(self.polygon_count, 3);
        }
        self.polygon_count += 1;
        if size != 3 || !self.sizes.is_empty() {
            self.sizes.push(u32::try_from(size).unwrap_or(u32::MAX));
        }
    }

    pub(super) fn add_triangle(&mut self, corners: [u32; 3]) {
        self.corners.extend_from_slice(&corners);
        self.close_polygon(3);
    }

    /// The triangles of a strip of vertices; every second one is turned, so that all face the same
    /// side. Triangles with a repeated vertex only stitch strips together and are left out.
    pub(super) fn add_strip(&mut self, strip: &[u32]) {
        for (i, window) in strip.windows(3).enumerate() {
            if let &[a, b, c] = window
                && a != b
                && b != c
                && c != a
            {
                self.add_triangle(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
            }
        }
    }

    /// The model: polygons cut into triangles, coordinates multiplied by `factor`, parts split.
    pub(super) fn into_model(mut self, factor: f64) -> Result<Model, ReadError> {
        if factor != 1.0 {
            for p in &mut self.positions {
                *p *= factor;
            }
        }
        let part_count = {
            let mut seen = vec![false; self.part_names.len()];
            for &(_, part) in &self.runs {
                if let Some(seen) = seen.get_mut(part as usize) {
                    *seen = true;
                }
            }
            seen.iter().filter(|s| **s).count()
        };
        let Self {
            positions,
            corners,
            polygon_count,
            sizes,
            mut part_names,
            runs,
        } = self;
        let Triangulation {
            faces,
            polygons,
            notes,
            findings,
        } = cut(&positions, &corners, polygon_count, &sizes)?;
        if part_count <= 1 {
            let name = runs
                .first()
                .and_then(|run| part_names.get_mut(run.1 as usize))
                .map(std::mem::take)
                .unwrap_or_default();
            let part = Part {
                name,
                mesh: TriMesh::new(positions, faces)?,
                polygons,
                numbers: None,
            };
            let mut model = Model::from(vec![part]);
            model.notes = notes;
            model.polygon_findings = findings;
            return Ok(model);
        }
        let mut faces_of_part: Vec<Vec<u32>> = vec![Vec::new(); part_names.len()];
        let mut run = 0;
        for face in 0..faces.len() {
            let polygon = polygons.as_ref().map_or(face, |p| p[face] as usize);
            while runs.get(run + 1).is_some_and(|next| next.0 <= polygon) {
                run += 1;
            }
            let part = runs.get(run).map_or(0, |r| r.1 as usize);
            if let Some(list) = faces_of_part.get_mut(part) {
                list.push(face as u32);
            }
        }
        let mut model = split(
            &positions,
            &faces,
            polygons.as_deref(),
            part_names,
            faces_of_part,
        )?;
        model.notes = notes;
        model.polygon_findings = findings;
        Ok(model)
    }
}

/// The triangles of all polygons.
struct Triangulation {
    faces: Vec<[u32; 3]>,
    /// The polygon each face came from; `None` when all polygons are triangles.
    polygons: Option<Vec<u32>>,
    notes: Vec<String>,
    /// What is imperfect about polygons, named by their number in the file.
    findings: Vec<PolyFinding>,
}

/// The most corners of one polygon: cutting takes quadratic time when a polygon crosses itself, and
/// at this size about a second.
const MAX_POLYGON_CORNERS: u32 = 1 << 14;

/// A corner this far from its polygon's plane, in largest coordinates of the file, is away from it: files keep six or
/// seven digits, so anything nearer may be rounding.
const FLAT_WITHIN: f64 = 1e-6;

/// Cuts every polygon into triangles; those that are triangles stay as they are.
fn cut(
    positions: &[DVec3],
    corners: &[u32],
    polygon_count: usize,
    sizes: &[u32],
) -> Result<Triangulation, ReadError> {
    let face_count = corners.len().saturating_sub(2 * polygon_count);
    if face_count > TriMesh::MAX_FACES {
        return Err(MeshError::TooMany {
            what: "faces",
            count: face_count,
            limit: TriMesh::MAX_FACES,
        }
        .into());
    }
    if sizes.is_empty() {
        let (triangles, _) = corners.as_chunks::<3>();
        return Ok(Triangulation {
            faces: triangles.to_vec(),
            polygons: None,
            notes: Vec::new(),
            findings: Vec::new(),
        });
    }
    let LargePolygons {
        numbers,
        cut: larger,
        findings,
    } = cut_larger(positions, corners, sizes)?;
    let mut pieces = larger
        .polygon_of_face
        .iter()
        .zip(larger.mesh.faces())
        .peekable();
    let mut faces = Vec::with_capacity(face_count);
    let mut polygons = Vec::with_capacity(face_count);
    let mut outline = 0u32;
    for (polygon, ring) in (0u32..).zip(rings(corners, sizes)) {
        if let &[a, b, c] = ring {
            faces.push([a, b, c]);
        } else {
            while let Some((_, &face)) = pieces.next_if(|(of, _)| **of == outline) {
                faces.push(face);
            }
            outline += 1;
        }
        polygons.resize(faces.len(), polygon);
    }
    Ok(Triangulation {
        faces,
        polygons: Some(polygons),
        notes: notes(&larger.findings, &numbers),
        findings,
    })
}

/// The polygons one after the other.
fn rings<'a>(corners: &'a [u32], sizes: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
    let mut rest = corners;
    sizes.iter().map_while(move |&size| {
        let (ring, tail) = rest.split_at_checked(size as usize)?;
        rest = tail;
        Some(ring)
    })
}

/// The polygons with more than three corners.
struct LargePolygons {
    /// Their numbers in the file.
    numbers: Vec<u32>,
    cut: Triangulated,
    /// Named by their numbers in the file.
    findings: Vec<PolyFinding>,
}

/// Cuts the polygons with more than three corners and looks for what is imperfect about them.
fn cut_larger(
    positions: &[DVec3],
    corners: &[u32],
    sizes: &[u32],
) -> Result<LargePolygons, ReadError> {
    let mut numbers = Vec::new();
    for (polygon, &size) in (0u32..).zip(sizes) {
        if size > MAX_POLYGON_CORNERS {
            return Err(ReadError::unsupported(format!(
                "polygon {polygon} (counted from 0) has {size} corners, more than the {MAX_POLYGON_CORNERS} that are cut into triangles; split it"
            )));
        }
        if size != 3 {
            numbers.push(polygon);
        }
    }
    let larger = rings(corners, sizes).filter(|ring| ring.len() != 3);
    let mesh = PolyMesh::from_outlines(positions.to_vec(), larger)
        .map_err(|e| ReadError::malformed(e.to_string()))?;
    let largest = corners
        .iter()
        .filter_map(|&v| positions.get(v as usize))
        .fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
    let mut findings = findings(&mesh, FLAT_WITHIN * largest);
    for finding in &mut findings {
        let number = numbers.get(finding.face.index()).copied();
        finding.face = FaceId::new(number.unwrap_or_default());
    }
    Ok(LargePolygons {
        cut: triangulate(&mesh),
        numbers,
        findings,
    })
}

/// One sentence per kind of finding, naming the first polygon that has it.
fn notes(findings: &[PolyFinding], numbers: &[u32]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |what: &str, is_kind: fn(&PolyFindingKind) -> bool| {
        let mut of_kind = findings.iter().filter(|f| is_kind(&f.kind));
        if let Some(first) = of_kind.next() {
            let polygon = numbers.get(first.face.index()).copied().unwrap_or(0);
            let more = match of_kind.count() {
                0 => String::new(),
                n => format!(" (and {n} more like it)"),
            };
            notes.push(format!("polygon {polygon} {what}{more}"));
        }
    };
    note(
        "crosses or touches itself; its triangles may overlap",
        |k| matches!(k, PolyFindingKind::NotSimple),
    );
    note("encloses no area", |k| matches!(k, PolyFindingKind::NoArea));
    note("names a vertex twice in a row; one was skipped", |k| {
        matches!(k, PolyFindingKind::RepeatedVertex { .. })
    });
    notes
}

/// Gives each part its faces and the vertices they use, in file order.
fn split(
    positions: &[DVec3],
    faces: &[[u32; 3]],
    polygons: Option<&[u32]>,
    part_names: Vec<String>,
    faces_of_part: Vec<Vec<u32>>,
) -> Result<Model, ReadError> {
    // For each vertex the last part that used it (counted from 1) and its number in that part.
    let mut owner = vec![0u32; positions.len()];
    let mut local = vec![0u32; positions.len()];
    let mut parts = Vec::new();
    let used_parts = part_names
        .into_iter()
        .zip(faces_of_part)
        .filter(|(_, list)| !list.is_empty());
    for (stamp, (name, face_numbers)) in (1u32..).zip(used_parts) {
        let mut vertices = Vec::new();
        for &face in &face_numbers {
            for v in faces[face as usize] {
                if owner[v as usize] != stamp {
                    owner[v as usize] = stamp;
                    vertices.push(v);
                }
            }
        }
        vertices.sort_unstable();
        for (number, &v) in (0..).zip(&vertices) {
            local[v as usize] = number;
        }
        let mesh = TriMesh::new(
            vertices.iter().map(|&v| positions[v as usize]).collect(),
            face_numbers
                .iter()
                .map(|&f| faces[f as usize].map(|v| local[v as usize]))
                .collect(),
        )?;
        parts.push(Part {
            name,
            mesh,
            polygons: polygons.map(|p| face_numbers.iter().map(|&f| p[f as usize]).collect()),
            numbers: Some(FileNumbers {
                faces: face_numbers,
                vertices,
            }),
        });
    }
    let mut model = Model::from(parts);
    model.loose_vertices = (0..)
        .zip(positions)
        .zip(&owner)
        .filter(|(_, owner)| **owner == 0)
        .map(|((number, &p), _)| (number, p))
        .collect();
    forget_plain_numbers(&mut model);
    Ok(model)
}

/// Drops the numbers when the parts follow one another anyway.
fn forget_plain_numbers(model: &mut Model) {
    let (mut face, mut vertex) = (0u32, 0u32);
    let plain = model.loose_vertices.is_empty()
        && model.parts.iter().all(|part| {
            part.numbers.as_ref().is_none_or(|numbers| {
                let counts_up = |list: &[u32], next: &mut u32| {
                    list.iter().all(|&n| {
                        let fits = n == *next;
                        *next += 1;
                        fits
                    })
                };
                counts_up(&numbers.faces, &mut face) && counts_up(&numbers.vertices, &mut vertex)
            })
        });
    if plain {
        for part in &mut model.parts {
            part.numbers = None;
        }
    }
}
