//! Dihedral angles kept in a range: the published repair of faces that turn over.

use impinge::DVec3;

use super::SculptError;
use super::clay::Clay;
use crate::quantity;

/// The fraction of the deviation of an edge that one correction removes.
const GAIN: f64 = 0.25;

/// Keeps the dihedral angles of changed edges in a range.
///
/// Changed edges are checked one after the other. The two vertices of an edge out of range move a
/// little inwards when it is convex, outwards when it is concave; edges that change by that are looked
/// at again, in at most so many passes.
///
/// ```
/// use impinge_dynamics::sculpt::Repair;
/// assert_eq!(Repair::default(), Repair { least_degrees: 160.0, most_degrees: 200.0, passes: 10 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repair {
    /// Smallest angle through the clay.
    pub least_degrees: f64,
    /// Largest angle through the clay.
    pub most_degrees: f64,
    /// Maximum number of passes over the list of edges.
    pub passes: u32,
}

impl Default for Repair {
    /// The published range of 160° to 200°, ten passes.
    fn default() -> Self {
        Self {
            least_degrees: 160.0,
            most_degrees: 200.0,
            passes: 10,
        }
    }
}

impl Repair {
    pub(super) fn check(&self) -> Result<(), SculptError> {
        quantity::between("smallest dihedral angle", self.least_degrees, 0.0, 180.0)?;
        quantity::between("largest dihedral angle", self.most_degrees, 180.0, 360.0)?;
        Ok(())
    }

    /// How far an angle is out of range, in radians: positive beyond the largest, negative below the
    /// smallest.
    fn excess(&self, angle: f64) -> f64 {
        let (least, most) = (
            self.least_degrees.to_radians(),
            self.most_degrees.to_radians(),
        );
        (angle - most).max(0.0) + (angle - least).min(0.0)
    }

    /// Repairs the edges of faces; returns how often an edge was corrected, and how many edges of the
    /// last pass were still out of range.
    pub(super) fn run(&self, clay: &mut Clay, faces: &[u32]) -> RepairReport {
        let mut report = RepairReport::default();
        let mut edges = edges_of(clay, faces);
        for _ in 0..self.passes {
            let mut moved = Vec::new();
            report.left = 0;
            for &(face, k) in &edges {
                let Some(angle) = dihedral(clay, face, k) else {
                    continue;
                };
                let excess = self.excess(angle);
                if excess == 0.0 {
                    continue;
                }
                report.left += 1;
                report.corrected += 1;
                moved.extend(correct(clay, face, k, excess));
            }
            if moved.is_empty() {
                break;
            }
            moved.sort_unstable();
            moved.dedup();
            let changed = clay.faces_around_all(&moved);
            let mut more = edges_of(clay, &changed);
            more.append(&mut edges);
            more.sort_unstable();
            more.dedup();
            edges = more;
        }
        let still = edges.iter().filter(|&&(face, k)| {
            dihedral(clay, face, k).is_some_and(|angle| self.excess(angle) != 0.0)
        });
        report.left = still.count();
        report
    }
}

/// What a repair did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// How often an edge was corrected.
    pub corrected: usize,
    /// Edges of the list that are out of range in the end.
    pub left: usize,
}

/// The edges of faces, each once, named by the smaller face at it and its corner there.
fn edges_of(clay: &Clay, faces: &[u32]) -> Vec<(u32, usize)> {
    let mut edges = Vec::with_capacity(3 * faces.len());
    for &face in faces {
        for k in 0..3 {
            let Some(other) = clay.neighbour(face, k) else {
                continue;
            };
            if face < other {
                edges.push((face, k));
            } else {
                let end = clay.faces()[face as usize][(k + 1) % 3];
                let place = clay.faces()[other as usize].iter().position(|&v| v == end);
                edges.extend(place.map(|k| (other, k)));
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The angle through the clay between the faces at an edge, in 0..2π: below π where it is convex.
/// None when a face has no normal.
pub(super) fn dihedral(clay: &Clay, face: u32, k: usize) -> Option<f64> {
    let other = clay.neighbour(face, k)?;
    let corners = clay.faces()[face as usize];
    let along =
        clay.positions()[corners[(k + 1) % 3] as usize] - clay.positions()[corners[k] as usize];
    let (n, m) = (
        clay.face_normals()[face as usize],
        clay.face_normals()[other as usize],
    );
    if n == DVec3::ZERO || m == DVec3::ZERO {
        return None;
    }
    // Positive where the surface bends away from the normals.
    let bend = libm::atan2(n.cross(m).dot(along.normalize_or_zero()), n.dot(m));
    Some(std::f64::consts::PI - bend)
}

/// Moves the vertices of an edge against its excess; returns them.
fn correct(clay: &mut Clay, face: u32, k: usize, excess: f64) -> [u32; 2] {
    let corners = clay.faces()[face as usize];
    let ends = [corners[k], corners[(k + 1) % 3]];
    let other = clay.neighbour(face, k).unwrap_or(face);
    let normals = clay.face_normals();
    let outwards = (normals[face as usize] + normals[other as usize]).normalize_or_zero();
    let [p, q] = ends.map(|v| clay.positions()[v as usize]);
    let height = |face: u32| {
        let corners = clay.faces()[face as usize].map(|v| clay.positions()[v as usize]);
        super::clay::area_vector(&corners).length() / p.distance(q).max(f64::MIN_POSITIVE)
    };
    // A shift of x changes the angle by about x/h at each face of height h.
    let (h, g) = (height(face), height(other));
    let shift = outwards * (GAIN * excess * h * g / (h + g).max(f64::MIN_POSITIVE));
    clay.place(&[(ends[0], p + shift), (ends[1], q + shift)]);
    ends
}
