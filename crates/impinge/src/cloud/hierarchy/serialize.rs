//! Serialization of a cloud tree.
//!
//! Boxes, planes, coverings and samples are written: what random places took long to find. The
//! points are not, so a tree is loaded for a surface of the same cloud; borders are listed anew
//! from it. Everything that [`CloudTree::validate`] checks is checked when a tree is loaded. The
//! checksum is no signature: who forges it can forge a covering.
//!
//! Numbers are little-endian. The layout:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `impcloud` |
//! | 4, 4, 4 | version, nodes, listed samples |
//! | 8 | hash of points and edges |
//! | 4, 4, 8 | points per leaf; rule of the number of samples; its number |
//! | 4, 4, 4, 4 | covered places; choice of samples; of places; places around one |
//! | 8 | seed |
//! | 8 | checksum of all the above |
//! | 32 | middle of the units and their length |
//! | 56 per node | box, radius, plane, thickness, first child, number of samples |
//! | 4 per sample | id |
//! | 8 | checksum of all the above |

use std::io::{self, Write};
use std::sync::Arc;

use glam::DVec3;

use super::super::implicit_surface::CloudSurface;
use super::build::{find_border, middle_radius, without_nodes};
use super::node::{CloudTree, HierarchyNode, NO_CHILD};
use super::options::{CloudTreeOptions, CoverDraw, NodeSampling, SampleSize};
use crate::bvh::wide::{LoadError, check_header};
use crate::math::checksum::{CHECKSUM, absorb, checksum, u32_at, u64_at};

const MAGIC: [u8; 8] = *b"impcloud";
const VERSION: u32 = 1;
const HEADER: usize = 76;
const FRAME: usize = 32;
const NODE: usize = 56;

impl CloudTree {
    /// Writes the tree, without its cloud, so that [`CloudTree::load`] gets it back.
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use impinge::cloud::*;
    /// let row = PointCloud::from_points((0..30).map(|i| [f64::from(i), 0.0, 0.0]))?;
    /// let graph = ProximityGraph::new(&row, &GraphOptions::default())?;
    /// let surface = Arc::new(CloudSurface::new(graph.into(), SurfaceOptions::default())?);
    /// let mut bytes = Vec::new();
    /// CloudTree::new(surface.clone(), &CloudTreeOptions::default())?.save(&mut bytes)?;
    /// assert!(CloudTree::load(surface.clone(), &bytes)?.validate().is_ok());
    /// bytes[90] ^= 1;
    /// assert!(CloudTree::load(surface, &bytes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, mut out: impl Write) -> io::Result<()> {
        let listed: usize = self.nodes.iter().map(|n| usize::from(n.samples)).sum();
        let mut bytes =
            Vec::with_capacity(HEADER + FRAME + NODE * self.nodes.len() + 4 * listed + CHECKSUM);
        bytes.extend(MAGIC);
        for word in [VERSION, self.nodes.len() as u32, listed as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(cloud_hash(&self.surface).to_le_bytes());
        put_options(&self.options, &mut bytes);
        bytes.extend(checksum(&bytes).to_le_bytes());
        let [x, y, z] = self.centre.to_array();
        for number in [x, y, z, self.unit] {
            bytes.extend(number.to_le_bytes());
        }
        for node in &self.nodes {
            let plane = [node.offset, node.thickness];
            let numbers = node.min.iter().chain(&node.max).chain([&node.radius]);
            for number in numbers.chain(&node.normal).chain(&plane) {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(node.low.to_le_bytes());
            bytes.extend(u32::from(node.samples).to_le_bytes());
        }
        for id in self.nodes.iter().flat_map(|node| self.samples(node)) {
            bytes.extend(id.to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        out.write_all(&bytes)
    }

    /// The tree that was saved, for a surface of the same cloud.
    ///
    /// # Errors
    /// [`LoadError`] saying what is wrong with the bytes, or that they are of another cloud. None of it can make this panic.
    pub fn load(surface: Arc<CloudSurface>, bytes: &[u8]) -> Result<Self, LoadError> {
        check_header(bytes, MAGIC, VERSION, HEADER)?;
        let (nodes, listed) = (u64::from(u32_at(bytes, 12)), u64::from(u32_at(bytes, 16)));
        let expected = (HEADER + FRAME + CHECKSUM) as u64 + nodes * NODE as u64 + listed * 4;
        if bytes.len() as u64 != expected {
            return Err(LoadError::WrongLength {
                expected,
                found: bytes.len() as u64,
            });
        }
        let content = bytes.len() - CHECKSUM;
        if u64_at(bytes, content) != checksum(&bytes[..content]) {
            return Err(LoadError::Damaged { part: "content" });
        }
        let (hash, saved) = (cloud_hash(&surface), u64_at(bytes, 20));
        if hash != saved {
            return Err(LoadError::OtherCloud {
                expected: hash,
                found: saved,
            });
        }
        let options = options_at(bytes)?;
        let number = |at: usize| f64::from_bits(u64_at(bytes, HEADER + 8 * at));
        let (centre, unit) = (DVec3::new(number(0), number(1), number(2)), number(3));
        if !(centre.is_finite() && unit.is_normal() && unit > 0.0 && (1.0 / unit).is_normal()) {
            return malformed("units that are not finite".into());
        }
        let mut tree = without_nodes(surface, &options, (centre, unit));
        tree.nodes.reserve_exact(nodes as usize);
        tree.ids.reserve_exact(listed as usize);
        let saved: Vec<HierarchyNode> = (0..nodes as usize)
            .map(|number| node_at(bytes, HEADER + FRAME + number * NODE))
            .collect();
        check_nodes(&saved, listed)?;
        let points = tree.surface.graph.points.len();
        let mut at = HEADER + FRAME + saved.len() * NODE;
        let mut border = Vec::new();
        for mut node in saved {
            let own: Vec<u32> = (0..usize::from(node.samples))
                .map(|k| u32_at(bytes, at + 4 * k))
                .collect();
            at += 4 * own.len();
            if let Some(id) = own.iter().find(|&&id| id as usize >= points) {
                return malformed(format!("point {id} of {points}"));
            }
            border.clear();
            if node.is_leaf() {
                find_border(&tree, &own, &mut node, &mut border);
            }
            node.first = tree.ids.len() as u32;
            tree.ids.extend(own);
            tree.ids.extend_from_slice(&border);
            tree.nodes.push(node);
        }
        tree.sampling_radius = middle_radius(&tree.nodes) * unit;
        match tree.validate() {
            Ok(()) => Ok(tree),
            Err(violation) => malformed(violation.to_string()),
        }
    }
}

fn malformed<T>(what: String) -> Result<T, LoadError> {
    Err(LoadError::Malformed { what })
}

/// Changes with every place and every edge that is not too long.
fn cloud_hash(surface: &CloudSurface) -> u64 {
    let graph = &*surface.graph;
    let mut state = absorb(0, graph.points.len() as u64);
    for id in graph.ids() {
        state = absorb(state, u64::from(id.raw()));
        for number in graph.points[id.index()].to_array() {
            state = absorb(state, number.to_bits());
        }
        for q in graph.neighbours(id) {
            state = absorb(state, u64::from(q.raw()));
        }
    }
    state
}

fn put_options(options: &CloudTreeOptions, bytes: &mut Vec<u8>) {
    let (rule, number) = match options.samples {
        SampleSize::Constant(count) => (0, f64::from(count)),
        SampleSize::Growth(tau) => (1, tau),
    };
    let (draw, around) = match options.cover {
        CoverDraw::Cells => (0, 0),
        CoverDraw::Stratified { around } => (1, around),
    };
    let choice = match options.sampling {
        NodeSampling::Farthest => 0,
        NodeSampling::RandomWeights => 1,
    };
    bytes.extend(options.leaf.to_le_bytes());
    bytes.extend(u32::to_le_bytes(rule));
    bytes.extend(number.to_le_bytes());
    for word in [options.covered, choice, draw, around] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(options.seed.to_le_bytes());
}

fn options_at(bytes: &[u8]) -> Result<CloudTreeOptions, LoadError> {
    let number = f64::from_bits(u64_at(bytes, 36));
    let samples = match u32_at(bytes, 32) {
        0 => SampleSize::Constant(number as u32),
        1 => SampleSize::Growth(number),
        rule => return malformed(format!("rule {rule} of the number of samples")),
    };
    let sampling = match u32_at(bytes, 48) {
        0 => NodeSampling::Farthest,
        1 => NodeSampling::RandomWeights,
        choice => return malformed(format!("choice {choice} of samples")),
    };
    let cover = match u32_at(bytes, 52) {
        0 => CoverDraw::Cells,
        1 => CoverDraw::Stratified {
            around: u32_at(bytes, 56),
        },
        draw => return malformed(format!("choice {draw} of places")),
    };
    let options = CloudTreeOptions {
        leaf: u32_at(bytes, 28),
        samples,
        covered: u32_at(bytes, 44),
        sampling,
        cover,
        seed: u64_at(bytes, 60),
    };
    match options.check() {
        Ok(()) => Ok(options),
        Err(error) => malformed(error.to_string()),
    }
}

fn node_at(bytes: &[u8], at: usize) -> HierarchyNode {
    let word = |k: usize| u32_at(bytes, at + 4 * k);
    let number = |k: usize| f32::from_bits(word(k));
    let three = |k: usize| [number(k), number(k + 1), number(k + 2)];
    HierarchyNode {
        min: three(0),
        max: three(3),
        radius: number(6),
        normal: three(7),
        offset: number(10),
        thickness: number(11),
        low: word(12),
        first: 0,
        // More are refused.
        samples: word(13).min(u32::from(u16::MAX)) as u16,
        border: 0,
    }
}

/// Checks what the rest relies on: a tree of bounded depth, finite numbers, samples as many as listed.
fn check_nodes(nodes: &[HierarchyNode], listed: u64) -> Result<(), LoadError> {
    let mut depths: Vec<Option<u8>> = vec![None; nodes.len()];
    if let Some(root) = depths.first_mut() {
        *root = Some(0);
    }
    let mut samples = 0;
    for (number, node) in nodes.iter().enumerate() {
        let Some(depth) = depths[number] else {
            return malformed(format!("node {number} is nobody's child"));
        };
        let all = node.min.iter().chain(&node.max).chain(&node.normal);
        let is_finite = all
            .chain([&node.radius, &node.offset])
            .all(|x| x.is_finite());
        if !is_finite || node.thickness.is_nan() || node.radius < 0.0 || node.samples == 0 {
            return malformed(format!("node {number} is {node:?}"));
        }
        samples += u64::from(node.samples);
        if node.low == NO_CHILD {
            continue;
        }
        let low = node.low as usize;
        // Halving leaves no tree deeper than 40.
        if low <= number || depth >= 40 {
            return malformed(format!("the children of node {number}"));
        }
        for child in [low, low + 1] {
            match depths.get_mut(child) {
                Some(of_child) if of_child.is_none() => *of_child = Some(depth + 1),
                _ => return malformed(format!("the children of node {number}")),
            }
        }
    }
    if samples != listed {
        return malformed(format!("{samples} samples, {listed} listed"));
    }
    Ok(())
}
