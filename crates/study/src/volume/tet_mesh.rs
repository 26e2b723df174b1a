//! Solids as tetrahedra, and the volume that two of them share, pair by pair.
//!
//! **Question.** That of the module, answered by an independent method, for checking.
//!
//! **Idea.** For each pair of tetrahedra whose boxes overlap, one is clipped by the four planes of
//! the other, and the volumes of the results are added. A closed surface needs no tetrahedra
//! inside: the cones from one point to its faces, counted with the sign of their orientation, cover
//! every point as often as its winding number.
//!
//! **Source.** Weller's thesis, where it served as ground truth; signed cones are classical.
//!
//! **Cost.** Cones of one point all meet there, so that the work grows with the product of the face counts. Meant for hundreds of faces.
//!
//! **Promise.** Rounding only: each clipped solid is closed, and the error of its volume is some 10⁻¹⁵ of the larger tetrahedron.

use glam::DVec3;
use thiserror::Error;

use impinge::bound::Aabb;
use impinge::math::{Pose, is_valid_point};
use impinge::mesh::{MassError, TriMesh, mass};
use impinge::query::{Bounded, Limits, Outcome, VertexId};

/// Tetrahedra to a leaf of the tree of boxes.
const LEAF: usize = 4;
/// What rounding may do to a clipped volume, in units of what it was clipped from.
const ROUNDING: f64 = 1e-14;
/// Points nearer to a plane than this fraction of the size lie in it.
const IN_PLANE: f64 = 4e-15;
/// The corners of a cube around the diagonal from 0 to 7, by numbers with bits x, y, z: any two in a row make a tetrahedron with it, the
/// last and the first too.
const AROUND_DIAGONAL: [usize; 6] = [1, 3, 2, 6, 4, 5];

/// Why there are no tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TetError {
    /// A coordinate is not finite or too large.
    #[error("position {index} is {value}, which is not finite or too large")]
    BadPosition {
        /// Which position.
        index: usize,
        /// Its value.
        value: DVec3,
    },
    /// A corner that does not exist.
    #[error("tetrahedron {index} names corner {corner}, but there are {count} positions")]
    BadCorner {
        /// Which tetrahedron.
        index: usize,
        /// The corner.
        corner: u32,
        /// How many positions there are.
        count: usize,
    },
    /// A surface that does not enclose anything.
    #[error(
        "the surface is not closed: the edge between {a} and {b} is not used equally often in both directions"
    )]
    NotClosed {
        /// One end of the first such edge.
        a: VertexId,
        /// The other end.
        b: VertexId,
    },
    /// The list of a file cannot be read.
    #[error("line {line} of the {file} file: {what}")]
    Unreadable {
        /// Which of the files.
        file: &'static str,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Tetrahedra with signs: each adds or subtracts its volume.
///
/// ```
/// use impinge::{DVec3, Pose, query::Limits};
/// use impinge_study::volume::TetMesh;
/// let cube = TetMesh::blocks(DVec3::ZERO, DVec3::ONE, [2, 2, 2]);
/// assert_eq!(cube.len(), 48);
/// let pose = Pose::from_translation([0.5, 0.5, 0.0])?;
/// let shared = cube.shared_volume(&cube, &pose, Limits::default());
/// assert!((shared.value - 0.25).abs() < 1e-14);
/// # Ok::<(), impinge::PoseError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "tetrahedral mesh")]
pub struct TetMesh {
    /// Corners, positively oriented.
    corners: Vec<[DVec3; 4]>,
    /// How often each counts.
    signs: Vec<f64>,
    boxes: Vec<Aabb>,
    nodes: Vec<TetNode>,
}

/// A part of the tetrahedra, side by side.
#[derive(Clone, Copy, Debug)]
struct TetNode {
    bounds: Aabb,
    first: u32,
    last: u32,
    /// The second half; the first follows the node. 0 for a leaf.
    second: u32,
}

impl TetMesh {
    /// Tetrahedra over common positions, in either orientation; each counts once.
    ///
    /// # Errors
    /// [`TetError`] naming the first position or corner that is wrong.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_study::volume::TetMesh;
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// assert!((TetMesh::new(&corners, &[[0, 2, 1, 3]])?.volume() - 1.0 / 6.0).abs() < 1e-15);
    /// assert!(TetMesh::new(&corners, &[[0, 1, 2, 4]]).is_err());
    /// # Ok::<(), impinge_study::volume::TetError>(())
    /// ```
    pub fn new(positions: &[DVec3], tetrahedra: &[[u32; 4]]) -> Result<Self, TetError> {
        if let Some((index, &value)) = positions
            .iter()
            .enumerate()
            .find(|(_, p)| !is_valid_point(**p))
        {
            return Err(TetError::BadPosition { index, value });
        }
        let count = positions.len();
        let mut corners = Vec::with_capacity(tetrahedra.len());
        for (index, tetrahedron) in tetrahedra.iter().enumerate() {
            if let Some(&corner) = tetrahedron.iter().find(|&&c| c as usize >= count) {
                return Err(TetError::BadCorner {
                    index,
                    corner,
                    count,
                });
            }
            corners.push(tetrahedron.map(|c| positions[c as usize]));
        }
        Ok(Self::from_corners(corners, |_| 1.0))
    }

    /// The cones from the middle of a closed surface's box to its faces, with their signs.
    ///
    /// # Errors
    /// [`TetError::NotClosed`].
    ///
    /// ```
    /// use impinge::generate;
    /// use impinge_study::volume::TetMesh;
    /// let torus = generate::torus(1.0, 0.4, 8, 6)?;
    /// let volume = impinge::mesh::mass(&torus)?.volume;
    /// assert!((TetMesh::cones(&torus)?.volume() - volume).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cones(mesh: &TriMesh) -> Result<Self, TetError> {
        if let Err(MassError::NotClosed { a, b }) = mass(mesh) {
            return Err(TetError::NotClosed { a, b });
        }
        if mesh.is_empty() {
            return Ok(Self::from_corners(Vec::new(), |_| 1.0));
        }
        let apex = mesh.bounds().center();
        let corners = mesh.triangles().map(|[p, q, r]| [apex, p, q, r]);
        Ok(Self::from_corners(corners.collect(), f64::signum))
    }

    /// A box cut into cells, and each cell into six tetrahedra.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_study::volume::TetMesh;
    /// let size = DVec3::new(2.0, 1.0, 3.0);
    /// assert!((TetMesh::blocks(DVec3::ZERO, size, [1, 2, 3]).volume() - 6.0).abs() < 1e-14);
    /// ```
    #[must_use]
    pub fn blocks(min: DVec3, max: DVec3, counts: [u32; 3]) -> Self {
        let counts = counts.map(|n| n.max(1));
        let step = (max - min) / DVec3::from_array(counts.map(f64::from));
        let mut corners = Vec::new();
        for x in 0..counts[0] {
            for y in 0..counts[1] {
                for z in 0..counts[2] {
                    let corner = |k: usize| {
                        let bit = |b: usize| ((k >> b) & 1) as f64;
                        let cell = DVec3::new(
                            f64::from(x) + bit(0),
                            f64::from(y) + bit(1),
                            f64::from(z) + bit(2),
                        );
                        min + cell * step
                    };
                    let next = |k: usize| AROUND_DIAGONAL[k % AROUND_DIAGONAL.len()];
                    corners.extend((0..6).map(|k| [0, next(k), next(k + 1), 7].map(corner)));
                }
            }
        }
        Self::from_corners(corners, |_| 1.0)
    }

    /// The tetrahedra of a pair of TetGen files: positions (`.node`) and corners (`.ele`), numbered from 0 or from 1.
    ///
    /// # Errors
    /// [`TetError::Unreadable`] naming the line; those of [`TetMesh::new`].
    ///
    /// ```
    /// use impinge_study::volume::TetMesh;
    /// let nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1 # the top\n";
    /// let mesh = TetMesh::from_tetgen(nodes, "1 4 0\n1 1 2 3 4\n")?;
    /// assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    /// assert!(TetMesh::from_tetgen(nodes, "1 4 0\n1 1 2 3\n").is_err());
    /// # Ok::<(), impinge_study::volume::TetError>(())
    /// ```
    pub fn from_tetgen(node: &str, ele: &str) -> Result<Self, TetError> {
        let (first, nodes) = table::<f64, 3>(node, "node", |word| word.parse().ok())?;
        let positions: Vec<DVec3> = nodes.into_iter().map(DVec3::from_array).collect();
        let (_, corners) = table::<u64, 4>(ele, "ele", |word| word.parse().ok())?;
        let corners: Vec<[u32; 4]> = corners
            .into_iter()
            .map(|t| {
                t.map(|c| {
                    c.checked_sub(first)
                        .map_or(u32::MAX, |c| c.min(u64::from(u32::MAX)) as u32)
                })
            })
            .collect();
        Self::new(&positions, &corners)
    }

    fn from_corners(mut corners: Vec<[DVec3; 4]>, sign: impl Fn(f64) -> f64) -> Self {
        let mut signs: Vec<f64> = Vec::with_capacity(corners.len());
        for tetrahedron in &mut corners {
            let volume = signed_volume(tetrahedron);
            signs.push(sign(volume));
            if volume < 0.0 {
                tetrahedron.swap(2, 3);
            }
        }
        let (order, nodes) = partition(&corners);
        let corners: Vec<[DVec3; 4]> = order.iter().map(|&i| corners[i as usize]).collect();
        Self {
            signs: order.iter().map(|&i| signs[i as usize]).collect(),
            boxes: corners.iter().map(|t| Aabb::enclosing(*t)).collect(),
            corners,
            nodes,
        }
    }

    /// How many there are.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_study::volume::TetMesh;
    /// assert_eq!(TetMesh::blocks(DVec3::ZERO, DVec3::ONE, [1; 3]).len(), 6);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there is none.
    ///
    /// ```
    /// use impinge_study::volume::TetMesh;
    /// assert!(TetMesh::new(&[], &[]).is_ok_and(|mesh| mesh.is_empty()));
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// The volume of all, with signs.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_study::volume::TetMesh;
    /// assert!((TetMesh::blocks(DVec3::ZERO, DVec3::ONE, [1; 3]).volume() - 1.0).abs() < 1e-15);
    /// ```
    #[must_use]
    pub fn volume(&self) -> f64 {
        let each = self.corners.iter().zip(&self.signs);
        each.map(|(corners, sign)| sign * signed_volume(corners))
            .sum()
    }

    /// The intersection volume of two meshes; `self` is `a`. The budget counts clipped pairs of tetrahedra.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits};
    /// use impinge_study::volume::TetMesh;
    /// let tetrahedron = TetMesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], &[[0, 1, 2, 3]])?;
    /// let shared = tetrahedron.shared_volume(&tetrahedron, &Pose::IDENTITY, Limits::default());
    /// assert!((shared.value - 1.0 / 6.0).abs() < 1e-15);
    /// # Ok::<(), impinge_study::volume::TetError>(())
    /// ```
    pub fn shared_volume(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
    ) -> Bounded<f64> {
        let (mut sum, mut error, mut tests) = (0.0, 0.0, 0_u64);
        let mut outcome = Outcome::Complete;
        let mut clipper = TetClipper::default();
        let mut stack = Vec::new();
        'all: for (corners, sign) in other.corners.iter().zip(&other.signs) {
            let placed = corners.map(|p| self_from_other.transform_point(p));
            let bounds = Aabb::enclosing(placed);
            stack.extend((!self.nodes.is_empty()).then_some(0_u32));
            while let Some(id) = stack.pop() {
                let node = &self.nodes[id as usize];
                if !node.bounds.overlaps(&bounds) {
                    continue;
                }
                if node.second != 0 {
                    stack.extend([node.second, id + 1]);
                    continue;
                }
                for i in node.first as usize..node.last as usize {
                    if !self.boxes[i].overlaps(&bounds) {
                        continue;
                    }
                    if !limits.allows(tests) || limits.is_stopped() {
                        outcome = Outcome::OutOfBudget;
                        break 'all;
                    }
                    tests += 1;
                    sum += sign * self.signs[i] * clipper.shared(&self.corners[i], &placed);
                    error += ROUNDING * signed_volume(&self.corners[i]).max(signed_volume(&placed));
                }
            }
        }
        if outcome != Outcome::Complete {
            return Bounded {
                value: sum,
                lower: 0.0,
                upper: self.volume().min(other.volume()).max(0.0),
                outcome,
            };
        }
        Bounded {
            value: sum,
            lower: (sum - error).max(0.0_f64.min(sum)),
            upper: sum + error,
            outcome,
        }
    }
}

/// Six times smaller than the determinant of three edges.
fn signed_volume([p, q, r, s]: &[DVec3; 4]) -> f64 {
    (*q - *p).dot((*r - *p).cross(*s - *p)) / 6.0
}

/// Rows of `N` numbers behind a header and a first column of numbers; the first number of the first row.
fn table<T: Copy + Default, const N: usize>(
    text: &str,
    file: &'static str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<(u64, Vec<[T; N]>), TetError> {
    let fault = |line: usize, what: &'static str| TetError::Unreadable {
        file,
        line: line + 1,
        what,
    };
    let mut lines = text.lines().enumerate().filter_map(|(i, line)| {
        let content = line.split('#').next().unwrap_or("").trim();
        (!content.is_empty()).then_some((i, content))
    });
    let (at, header) = lines.next().ok_or(fault(0, "there is no header"))?;
    let count = header.split_whitespace().next();
    let count: usize = count
        .and_then(|word| word.parse().ok())
        .ok_or(fault(at, "the header does not begin with a count"))?;
    let mut rows = Vec::new();
    let mut first = 0;
    let mut last = at;
    for (at, line) in lines.take(count) {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|word| word.parse::<u64>().ok());
        let number = number.ok_or(fault(at, "the row has no number"))?;
        if rows.is_empty() {
            first = number;
        }
        let mut row = [T::default(); N];
        for slot in &mut row {
            *slot = words
                .next()
                .and_then(&read)
                .ok_or(fault(at, "a number is missing or unreadable"))?;
        }
        rows.push(row);
        last = at;
    }
    if rows.len() < count {
        return Err(fault(last, "rows are missing behind it"));
    }
    Ok((first, rows))
}

/// An order of the tetrahedra, and a tree of boxes over it.
fn partition(corners: &[[DVec3; 4]]) -> (Vec<u32>, Vec<TetNode>) {
    let mut order: Vec<u32> = (0..corners.len() as u32).collect();
    let mut nodes: Vec<TetNode> = Vec::new();
    let mut open = vec![(0, corners.len(), None::<usize>)];
    while let Some((first, last, parent)) = open.pop() {
        if first == last {
            continue;
        }
        let id = nodes.len();
        if let Some(parent) = parent {
            nodes[parent].second = id as u32;
        }
        let part = &mut order[first..last];
        let all = part.iter().flat_map(|&i| corners[i as usize]);
        let bounds = Aabb::enclosing(all);
        nodes.push(TetNode {
            bounds,
            first: first as u32,
            last: last as u32,
            second: 0,
        });
        if part.len() <= LEAF {
            continue;
        }
        let middle = |i: u32| corners[i as usize].iter().sum::<DVec3>();
        let size = Aabb::enclosing(part.iter().map(|&i| middle(i))).diagonal();
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |&i, &j| {
            middle(i)[axis].total_cmp(&middle(j)[axis]).then(i.cmp(&j))
        });
        open.push((first + half, last, Some(id)));
        open.push((first, first + half, None));
    }
    (order, nodes)
}

/// Memory for clipping.
#[derive(Default)]
struct TetClipper {
    faces: Vec<Vec<DVec3>>,
    spare: Vec<Vec<DVec3>>,
    cap: Vec<DVec3>,
}

impl TetClipper {
    /// The volume that two positively oriented tetrahedra share.
    fn shared(&mut self, a: &[DVec3; 4], b: &[DVec3; 4]) -> f64 {
        let origin = a[0];
        let [p, q, r, s] = a.map(|v| v - origin);
        self.faces.clear();
        for face in [[p, r, q], [p, q, s], [q, r, s], [r, p, s]] {
            self.faces.push(face.to_vec());
        }
        let [p, q, r, s] = b.map(|v| v - origin);
        for [x, y, z] in [[p, r, q], [p, q, s], [q, r, s], [r, p, s]] {
            let normal = (y - x).cross(z - x);
            if normal == DVec3::ZERO {
                return 0.0;
            }
            self.keep_below(x, normal);
            if self.faces.is_empty() {
                return 0.0;
            }
        }
        let mut sum = 0.0;
        for face in &self.faces {
            for k in 2..face.len() {
                sum += face[0].dot(face[k - 1].cross(face[k]));
            }
        }
        (sum / 6.0).max(0.0)
    }

    /// Cuts off what lies beyond a plane and closes the hole.
    fn keep_below(&mut self, on: DVec3, normal: DVec3) {
        self.spare.clear();
        self.cap.clear();
        let all = self.faces.iter().flatten().chain([&on]);
        let size = all.fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
        // Points within rounding of the plane count as on it, so that a face in the plane is so as a whole.
        let room = IN_PLANE * size * normal.length();
        let height = |p: DVec3| {
            let height = normal.dot(p - on);
            if height.abs() <= room { 0.0 } else { height }
        };
        let mut lies_in_plane = false;
        let (mut is_cut, mut is_below) = (false, false);
        for face in &self.faces {
            let mut kept = Vec::with_capacity(face.len() + 1);
            let mut on_plane = 0;
            for (i, &p) in face.iter().enumerate() {
                let q = face[(i + 1) % face.len()];
                let (up, uq) = (height(p), height(q));
                is_below |= up < 0.0;
                if up <= 0.0 {
                    kept.push(p);
                } else {
                    is_cut = true;
                }
                if up == 0.0 {
                    on_plane += 1;
                    self.cap.push(p);
                }
                if (up < 0.0 && uq > 0.0) || (up > 0.0 && uq < 0.0) {
                    // The same point from both sides of the edge: bit by bit.
                    let ((x, ux), (y, uy)) = if up < 0.0 {
                        ((p, up), (q, uq))
                    } else {
                        ((q, uq), (p, up))
                    };
                    let cut = x + (y - x) * (ux / (ux - uy));
                    kept.push(cut);
                    self.cap.push(cut);
                }
            }
            lies_in_plane |= on_plane == face.len();
            if kept.len() >= 3 {
                self.spare.push(kept);
            }
        }
        std::mem::swap(&mut self.faces, &mut self.spare);
        if !is_below {
            // What is left lies in the plane.
            self.faces.clear();
            return;
        }
        if is_cut && !lies_in_plane {
            self.close(normal);
        }
    }

    /// Adds the convex polygon of the points in the plane as a face.
    fn close(&mut self, normal: DVec3) {
        let cap = &mut self.cap;
        let Some(axis) = normal.try_normalize() else {
            return;
        };
        let middle = cap.iter().sum::<DVec3>() / cap.len().max(1) as f64;
        let u = axis.any_orthonormal_vector();
        let v = axis.cross(u);
        cap.sort_by(|p, q| {
            let angle = |p: &DVec3| libm::atan2((*p - middle).dot(v), (*p - middle).dot(u));
            angle(p).total_cmp(&angle(q))
        });
        cap.dedup();
        if cap.len() >= 3 {
            self.faces.push(cap.clone());
        }
    }
}
