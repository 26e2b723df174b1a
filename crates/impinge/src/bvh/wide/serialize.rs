//! Serialization of a tree.
//!
//! **Question.** How can a tree that took long to build be kept for the next run?
//!
//! **Idea.** Only what is expensive to recompute is written: which faces are in a leaf, which
//! subtrees are below which node, and the axes of each box. Extents of boxes and all coordinates in
//! leaves are computed from the mesh when the tree is loaded, by the code that also builds trees.
//!
//! **Cost.** Some 15 bytes a face; loading visits every face once per level.
//!
//! **Promise.** A loaded tree equals the tree that was saved. A file that is truncated, changed, of
//! a newer version or for another mesh is refused. Because extents come from the mesh, a file with
//! forged checksums can at worst make a slow tree, never a wrong answer.
//!
//! Numbers are little-endian. The layout:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `impwide` and a zero |
//! | 4, 4 | version; children per node |
//! | 8 | hash of the mesh: bits of all coordinates, then all faces |
//! | 4, 4, 4, 4 | faces, nodes, leaves, boxes |
//! | 8 | checksum of all the above |
//! | 36 | axes of the box around everything, `f32` |
//! | 32 per node | children: a node, a leaf with the highest bit set, or all bits set |
//! | 36 per box | axes, in the order of the children |
//! | 1 per leaf | how many faces it has |
//! | 4 per face | the faces, leaf by leaf |
//! | 8 | checksum of all the above |

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
#[cfg(feature = "parallel")]
use rayon::prelude::*;
use thiserror::Error;

use super::build::leaf;
use super::layout::{LEAF, NO_CHILD, WIDTH, WideLeaf, WideNode};
use super::obb_fit::{FittedObb, fit_along};
use super::ray_nodes::RayNodes;
use super::relative_pose::U;
use super::sah_split::SplitItem;
use super::tree::{TreeFrame, TreeId, WideTree};
use crate::math::checksum::{CHECKSUM, absorb, checksum, u32_at, u64_at};
use crate::mesh::TriMesh;
use crate::query::FaceId;

const MAGIC: [u8; 8] = *b"impwide\0";
const VERSION: u32 = 2;
const HEADER: usize = 48;
const AXES: usize = 36;
/// More levels than the builder makes of any mesh: 24, and then one per halving of 2^32 faces.
const MAX_LEVELS: u8 = 64;
/// How far axes may be from unit length and right angles: what rounding to `f32` allows.
const AXIS_TOLERANCE: f64 = 4.0 * U as f64;

/// Why saved bytes were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// They do not begin as a saved tree does.
    #[error("not a saved tree of this kind: the first bytes are not those of one")]
    NotATree,
    /// Another version of the library wrote them.
    #[error("saved in version {found} of the format, and only {known} is known")]
    OtherVersion {
        /// The version they name.
        found: u32,
        /// The version that is understood.
        known: u32,
    },
    /// There are fewer or more than there should be.
    #[error("{found} bytes instead of {expected}")]
    WrongLength {
        /// How many there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A checksum differs from what the bytes say.
    #[error("damaged: the checksum of the {part} differs")]
    Damaged {
        /// "header" or "content".
        part: &'static str,
    },
    /// The tree was built for a mesh with other coordinates or faces.
    #[error("saved for another mesh: its hash is {found:016x}, this mesh has {expected:016x}")]
    OtherMesh {
        /// The hash of the mesh given.
        expected: u64,
        /// The hash that was saved.
        found: u64,
    },
    /// The tree was built for a cloud with other points or edges.
    #[error("saved for another cloud: its hash is {found:016x}, this cloud has {expected:016x}")]
    OtherCloud {
        /// The hash of the cloud given.
        expected: u64,
        /// The hash that was saved.
        found: u64,
    },
    /// The checksums are right and the content is not that of a tree.
    #[error("not a tree: {what}")]
    Malformed {
        /// What does not hold, and where.
        what: String,
    },
}

impl WideTree {
    /// Writes the tree, without its mesh, so that [`WideTree::load`] gets it back.
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// ```
    /// use impinge::{TriMesh, bvh::wide::{LoadError, WideTree}};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let face = Arc::new(face);
    /// let mut bytes = Vec::new();
    /// WideTree::new(face.clone()).save(&mut bytes)?;
    /// assert_eq!(WideTree::load(face, &bytes)?.bytes(), 512 + 384);
    /// assert!(matches!(WideTree::load(Arc::default(), &bytes), Err(LoadError::OtherMesh { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, mut out: impl Write) -> io::Result<()> {
        let lanes = |node: &'_ WideNode| (0..WIDTH).filter(|&k| node.child[k] != NO_CHILD).count();
        let boxes: usize = self.nodes.iter().map(lanes).sum();
        let counts = SavedCounts {
            faces: self.mesh.face_count() as u32,
            nodes: self.nodes.len() as u32,
            leaves: self.leaves.len() as u32,
            boxes: boxes as u32,
        };
        let mut bytes = Vec::with_capacity(counts.length() as usize);
        bytes.extend(MAGIC);
        for word in [VERSION, WIDTH as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(mesh_hash(&self.mesh).to_le_bytes());
        for count in [counts.faces, counts.nodes, counts.leaves, counts.boxes] {
            bytes.extend(count.to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        if self.nodes.is_empty() {
            // There is no box; any axes do.
            let axes = [1.0_f32, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            bytes.extend(axes.iter().flat_map(|x| x.to_le_bytes()));
        } else {
            put_axes(&mut bytes, &self.root, 0);
        }
        for child in self.nodes.iter().flat_map(|node| node.child) {
            bytes.extend(child.to_le_bytes());
        }
        for node in &self.nodes {
            for k in (0..WIDTH).filter(|&k| node.child[k] != NO_CHILD) {
                put_axes(&mut bytes, node, k);
            }
        }
        bytes.extend(self.leaves.iter().map(|leaf| leaf.count as u8));
        for leaf in &self.leaves {
            for face in &leaf.face[..leaf.count as usize] {
                bytes.extend(face.to_le_bytes());
            }
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        out.write_all(&bytes)
    }

    /// The tree that was saved, for the mesh that it was built for.
    ///
    /// # Errors
    /// [`LoadError`] saying what is wrong with the bytes. None of it can make this panic or take more memory than
    /// the mesh's own tree does.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate::icosphere};
    /// use std::sync::Arc;
    /// let ball = Arc::new(icosphere(1.0, 4)?);
    /// let (tree, mut bytes) = (WideTree::new(ball.clone()), Vec::new());
    /// tree.save(&mut bytes)?;
    /// assert_eq!(WideTree::load(ball, &bytes)?.bytes(), tree.bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(mesh: Arc<TriMesh>, bytes: &[u8]) -> Result<Self, LoadError> {
        let counts = read_header(&mesh, bytes)?;
        let content = bytes.len() - CHECKSUM;
        if u64_at(bytes, content) != checksum(&bytes[..content]) {
            return Err(LoadError::Damaged { part: "content" });
        }
        let mut reader = ByteReader {
            bytes: &bytes[HEADER..content],
        };
        let plan = SavedTree::read(&mut reader, counts)?;
        let frame = TreeFrame::of(&mesh);
        if counts.faces == 0 {
            return Ok(Self {
                id: TreeId::fresh(),
                mesh,
                root: WideNode::EMPTY,
                nodes: Vec::new(),
                leaves: Vec::new(),
                frame,
                ray_nodes: RayNodes::default(),
            });
        }
        let layout = plan.arrange(counts)?;
        Ok(plan.fill(mesh, frame, &layout))
    }
}

/// How many there are of each thing.
#[derive(Clone, Copy, Debug)]
struct SavedCounts {
    faces: u32,
    nodes: u32,
    leaves: u32,
    boxes: u32,
}

impl SavedCounts {
    /// Bytes of the whole file.
    fn length(&self) -> u64 {
        let per = |count: u32, bytes: usize| u64::from(count) * bytes as u64;
        (HEADER + AXES + CHECKSUM) as u64
            + per(self.nodes, 4 * WIDTH)
            + per(self.boxes, AXES)
            + per(self.leaves, 1)
            + per(self.faces, 4)
    }
}

/// Refuses bytes that do not begin with a header of this many bytes: a name, a version, and at its end its checksum.
pub(crate) fn check_header(
    bytes: &[u8],
    magic: [u8; 8],
    known: u32,
    length: usize,
) -> Result<(), LoadError> {
    if !bytes.starts_with(&magic) {
        return Err(LoadError::NotATree);
    }
    if bytes.len() < length {
        return Err(LoadError::WrongLength {
            expected: length as u64,
            found: bytes.len() as u64,
        });
    }
    let found = u32_at(bytes, magic.len());
    if found != known {
        return Err(LoadError::OtherVersion { found, known });
    }
    let sum = length - CHECKSUM;
    if u64_at(bytes, sum) != checksum(&bytes[..sum]) {
        return Err(LoadError::Damaged { part: "header" });
    }
    Ok(())
}

/// Checks everything that can be checked before the content is read.
fn read_header(mesh: &TriMesh, bytes: &[u8]) -> Result<SavedCounts, LoadError> {
    check_header(bytes, MAGIC, VERSION, HEADER)?;
    if u32_at(bytes, 12) != WIDTH as u32 {
        return malformed(format!("nodes of {} children", u32_at(bytes, 12)));
    }
    let (expected, saved) = (mesh_hash(mesh), u64_at(bytes, 16));
    if saved != expected {
        return Err(LoadError::OtherMesh {
            expected,
            found: saved,
        });
    }
    let counts = SavedCounts {
        faces: u32_at(bytes, 24),
        nodes: u32_at(bytes, 28),
        leaves: u32_at(bytes, 32),
        boxes: u32_at(bytes, 36),
    };
    let SavedCounts {
        faces,
        nodes,
        leaves,
        boxes,
    } = counts;
    // Every node but the first and every leaf has one box. With this, memory is bounded by the mesh's size.
    let has_root = u64::from(nodes > 0);
    let is_possible = faces as usize == mesh.face_count()
        && leaves <= faces
        && nodes <= leaves
        && (nodes > 0) == (faces > 0)
        && u64::from(boxes) + has_root == u64::from(nodes) + u64::from(leaves);
    if !is_possible {
        return malformed(format!(
            "{nodes} nodes, {leaves} leaves and {boxes} boxes for {faces} faces"
        ));
    }
    let (expected, found) = (counts.length(), bytes.len() as u64);
    if expected != found {
        return Err(LoadError::WrongLength { expected, found });
    }
    Ok(counts)
}

/// A tree as it was saved: without a mesh.
struct SavedTree {
    root: [DVec3; 3],
    children: Vec<[u32; WIDTH]>,
    /// By node, the first of its boxes.
    axes: Vec<[DVec3; 3]>,
    leaf_sizes: Vec<u8>,
    faces: Vec<u32>,
}

/// Where things lie, once the plan is known to be a tree.
struct TreeLayout {
    /// Faces such that those of each subtree are side by side.
    items: Vec<SplitItem>,
    /// Per node and per leaf, its part of the items.
    nodes: Vec<Range<u32>>,
    leaves: Vec<Range<u32>>,
    /// Per node, its first box.
    first_box: Vec<u32>,
}

impl SavedTree {
    fn read(reader: &mut ByteReader<'_>, counts: SavedCounts) -> Result<Self, LoadError> {
        let root = reader.axes()?;
        let mut children = Vec::with_capacity(counts.nodes as usize);
        for _ in 0..counts.nodes {
            let mut child = [NO_CHILD; WIDTH];
            for c in &mut child {
                *c = u32::from_le_bytes(reader.take()?);
            }
            children.push(child);
        }
        let mut axes = Vec::with_capacity(counts.boxes as usize);
        for _ in 0..counts.boxes {
            axes.push(reader.axes()?);
        }
        let mut leaf_sizes = Vec::with_capacity(counts.leaves as usize);
        for _ in 0..counts.leaves {
            let [size] = reader.take()?;
            leaf_sizes.push(size);
        }
        let mut faces = Vec::with_capacity(counts.faces as usize);
        for _ in 0..counts.faces {
            faces.push(u32::from_le_bytes(reader.take()?));
        }
        if !reader.bytes.is_empty() {
            return malformed("bytes are left over".into());
        }
        Ok(Self {
            root,
            children,
            axes,
            leaf_sizes,
            faces,
        })
    }

    /// Checks that the plan is one tree with every face in it, and lays out its faces.
    fn arrange(&self, counts: SavedCounts) -> Result<TreeLayout, LoadError> {
        self.check_faces(counts)?;
        let nodes = self.children.len();
        let first_box = self.check_children(counts)?;
        // Children come after their parents: sizes add up from the end.
        let mut sizes = vec![0_u32; nodes];
        for i in (0..nodes).rev() {
            for child in present(&self.children[i]) {
                sizes[i] += match child & LEAF {
                    0 => sizes[child as usize],
                    _ => u32::from(self.leaf_sizes[(child & !LEAF) as usize]),
                };
            }
        }
        let mut node_ranges = vec![0..0; nodes];
        let mut leaf_ranges = vec![0..0; self.leaf_sizes.len()];
        node_ranges[0] = 0..sizes[0];
        for i in 0..nodes {
            let mut start = node_ranges[i].start;
            for child in present(&self.children[i]) {
                let (range, size) = if child & LEAF == 0 {
                    (&mut node_ranges[child as usize], sizes[child as usize])
                } else {
                    let leaf = (child & !LEAF) as usize;
                    (&mut leaf_ranges[leaf], u32::from(self.leaf_sizes[leaf]))
                };
                *range = start..start + size;
                start += size;
            }
        }
        let nowhere = SplitItem {
            min: glam::Vec3::ZERO,
            face: 0,
            max: glam::Vec3::ZERO,
        };
        let mut items = vec![nowhere; self.faces.len()];
        let mut faces = self.faces.iter();
        for range in &leaf_ranges {
            let part = &mut items[range.start as usize..range.end as usize];
            for (item, &face) in part.iter_mut().zip(&mut faces) {
                item.face = face;
            }
        }
        Ok(TreeLayout {
            items,
            nodes: node_ranges,
            leaves: leaf_ranges,
            first_box,
        })
    }

    /// Checks that leaves are neither empty nor too full and hold every face once.
    fn check_faces(&self, counts: SavedCounts) -> Result<(), LoadError> {
        let mut sum = 0_u64;
        for (leaf, &size) in self.leaf_sizes.iter().enumerate() {
            if !(1..=WIDTH).contains(&usize::from(size)) {
                return malformed(format!("leaf {leaf} has {size} faces"));
            }
            sum += u64::from(size);
        }
        if sum != u64::from(counts.faces) {
            return malformed(format!("{sum} faces in leaves"));
        }
        let mut seen = vec![false; counts.faces as usize];
        for &face in &self.faces {
            match seen.get_mut(face as usize) {
                None => return malformed(format!("face {face} does not exist")),
                Some(true) => return malformed(format!("face {face} occurs twice")),
                Some(seen) => *seen = true,
            }
        }
        Ok(())
    }

    /// Checks that children come after their parents, each once, and not too deep; the first box of each node.
    fn check_children(&self, counts: SavedCounts) -> Result<Vec<u32>, LoadError> {
        let nodes = self.children.len();
        let mut level = vec![0_u8; nodes];
        let mut leaf_seen = vec![false; self.leaf_sizes.len()];
        let mut first_box = Vec::with_capacity(nodes);
        let mut boxes = 0;
        for i in 0..nodes {
            first_box.push(boxes);
            let child = &self.children[i];
            let count = present(child).count();
            if child[count..].iter().any(|&c| c != NO_CHILD) || count < 2.min(nodes) {
                return malformed(format!("node {i} lacks children"));
            }
            // Levels begin at 1: a node that no parent named before has none.
            let own = if i == 0 { 1 } else { level[i] };
            if own == 0 || own > MAX_LEVELS {
                return malformed(format!("node {i} is at level {own}"));
            }
            for c in present(child) {
                let is_new = if c & LEAF == 0 {
                    let place = level.get_mut(c as usize);
                    place.is_some_and(|l| c as usize > i && std::mem::replace(l, own + 1) == 0)
                } else {
                    let place = leaf_seen.get_mut((c & !LEAF) as usize);
                    place.is_some_and(|seen| !std::mem::replace(seen, true))
                };
                if !is_new {
                    return malformed(format!("node {i} has child {c:#x}"));
                }
                boxes += 1;
            }
        }
        if boxes != counts.boxes {
            return malformed(format!("{boxes} boxes are used of {}", counts.boxes));
        }
        Ok(first_box)
    }

    /// The tree, its numbers taken from the mesh.
    fn fill(&self, mesh: Arc<TriMesh>, mut frame: TreeFrame, layout: &TreeLayout) -> WideTree {
        let faces_of = |range: &Range<u32>| {
            let items = &layout.items[range.start as usize..range.end as usize];
            let corners = |item: &SplitItem| mesh.triangle(FaceId::new(item.face));
            items
                .iter()
                .map(move |item| corners(item).map(|p| frame.local(p)))
        };
        let fill_node = |i: usize| {
            let (mut node, mut reach) = (WideNode::EMPTY, 0.0_f64);
            for (k, child) in present(&self.children[i]).enumerate() {
                let range = match child & LEAF {
                    0 => &layout.nodes[child as usize],
                    _ => &layout.leaves[(child & !LEAF) as usize],
                };
                let axes = &self.axes[layout.first_box[i] as usize + k];
                let fitted: FittedObb = fit_along(axes, &faces_of(range), frame.slack);
                fitted.store(&mut node, k, child);
                reach = reach.max(fitted.reach());
            }
            (node, reach)
        };
        let fill_leaf = |range: &Range<u32>| {
            let items = &layout.items[range.start as usize..range.end as usize];
            leaf(items, faces_of(range), frame.slack)
        };
        let count = self.children.len();
        #[cfg(feature = "parallel")]
        let (nodes, leaves): (Vec<(WideNode, f64)>, Vec<WideLeaf>) = rayon::join(
            || (0..count).into_par_iter().map(fill_node).collect(),
            || layout.leaves.par_iter().map(fill_leaf).collect(),
        );
        #[cfg(not(feature = "parallel"))]
        let (nodes, leaves): (Vec<(WideNode, f64)>, Vec<WideLeaf>) = (
            (0..count).map(fill_node).collect(),
            layout.leaves.iter().map(fill_leaf).collect(),
        );
        let mut root = WideNode::EMPTY;
        let whole = fit_along(&self.root, &faces_of(&layout.nodes[0]), frame.slack);
        whole.store(&mut root, 0, 0);
        let radius = nodes.iter().fold(whole.reach(), |r, n| r.max(n.1));
        frame.radius = radius;
        WideTree {
            id: TreeId::fresh(),
            root,
            nodes: nodes.into_iter().map(|(node, _)| node).collect(),
            leaves,
            frame,
            mesh,
            ray_nodes: RayNodes::default(),
        }
    }
}

/// The children in the first lanes.
fn present(child: &[u32; WIDTH]) -> impl Iterator<Item = u32> + '_ {
    child.iter().copied().take_while(|&c| c != NO_CHILD)
}

fn malformed<T>(what: String) -> Result<T, LoadError> {
    Err(LoadError::Malformed { what })
}

fn put_axes(bytes: &mut Vec<u8>, node: &WideNode, k: usize) {
    for axis in &node.axis {
        for component in axis {
            bytes.extend(component[k].to_le_bytes());
        }
    }
}

/// Takes numbers from the front of the bytes.
struct ByteReader<'b> {
    bytes: &'b [u8],
}

impl ByteReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let Some((first, rest)) = self.bytes.split_first_chunk::<N>() else {
            return malformed("the content ends early".into());
        };
        self.bytes = rest;
        Ok(*first)
    }

    /// Three axes, checked to be what a box may have.
    fn axes(&mut self) -> Result<[DVec3; 3], LoadError> {
        let mut axes = [DVec3::ZERO; 3];
        for axis in &mut axes {
            for c in 0..3 {
                axis[c] = f64::from(f32::from_le_bytes(self.take()?));
            }
        }
        for i in 0..3 {
            for j in 0..=i {
                let expected = if i == j { 1.0 } else { 0.0 };
                let off = (axes[i].dot(axes[j]) - expected).abs();
                if off.is_nan() || off > AXIS_TOLERANCE {
                    return malformed(format!("axes {axes:?} are not those of a box"));
                }
            }
        }
        Ok(axes)
    }
}

/// A hash of the bits of all coordinates and of all faces.
fn mesh_hash(mesh: &TriMesh) -> u64 {
    let mut state = absorb(mesh.vertex_count() as u64, mesh.face_count() as u64);
    for p in mesh.positions() {
        for x in p.to_array() {
            state = absorb(state, x.to_bits());
        }
    }
    for &[v0, v1, v2] in mesh.faces() {
        state = absorb(state, u64::from(v0) | (u64::from(v1) << 32));
        state = absorb(state, u64::from(v2));
    }
    absorb(state, 0)
}
