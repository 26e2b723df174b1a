//! Serialization of average-case trees of boxes, and of probability tables.
//!
//! Both are complete: a tree keeps no faces, so no mesh is needed to load it. Shape and numbers are
//! checked; the checksum is no signature, so who forges it can forge counts of cells.
//!
//! Numbers are little-endian. The layout of a tree:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `impavrge` |
//! | 4, 4, 4, 4 | version, nodes, deepest level, cells along each side and, 256 higher, whether shrinking factors are kept |
//! | 8 | checksum of all the above |
//! | 80 | centre and scale of the units; box of the mesh |
//! | 20 per node | ends of the box, children or slab, and cells with the sign of gaps |
//! | 8 | checksum of all the above |
//!
//! Of tables:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `imptails` |
//! | 4, 4, 4, 4 | version, bins, tables, nothing |
//! | 8 | checksum of all the above |
//! | 4 per table | values |
//! | 4 per row and per value | per table: where rows begin and the last ends, then values |
//! | 8 | checksum of all the above |

use std::io::{self, Write};
use std::sync::Arc;

use glam::DVec3;

use super::average_case_tree::{AverageTree, factors};
use super::bin_probability::MAX_TAILS;
use super::face_pieces::UnitFrame;
use super::node::{AverageNode, MAX_DEPTH, MAX_SIDE};
use super::probability_tables::{BinTable, BinTables};
use crate::bound::Aabb;
use crate::bvh::wide::{LoadError, check_header};
use crate::math::checksum::{CHECKSUM, checksum, u32_at, u64_at};

const TREE: [u8; 8] = *b"impavrge";
const TABLES: [u8; 8] = *b"imptails";
const VERSION: u32 = 2;
const TABLES_VERSION: u32 = 1;
pub(super) const HEADER: usize = 32;
const FRAME: usize = 80;
const NODE: usize = 20;
/// The sign of shrinking factors beside the number of cells.
const FACTORS: u32 = 1 << 8;
/// Bins of the largest tables.
const MAX_BINS: u32 = 512;
/// The sign of gaps beside the cells.
const GAPS: u32 = 1 << 31;

pub(super) fn malformed<T>(what: String) -> Result<T, LoadError> {
    Err(LoadError::Malformed { what })
}

pub(super) fn header(magic: [u8; 8], version: u32, words: [u32; 3]) -> Vec<u8> {
    let mut bytes = Vec::from(magic);
    for word in [version].into_iter().chain(words) {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// Checks the header, the length and the checksum of the content, which ends where this says.
pub(super) fn content_end(bytes: &[u8], expected: u64) -> Result<usize, LoadError> {
    let found = bytes.len() as u64;
    if found != expected {
        return Err(LoadError::WrongLength { expected, found });
    }
    let end = bytes.len() - CHECKSUM;
    if u64_at(bytes, end) != checksum(&bytes[..end]) {
        return Err(LoadError::Damaged { part: "content" });
    }
    Ok(end)
}

impl AverageTree<Aabb> {
    /// Writes the tree so that [`AverageTree::load`] gets it back.
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// ```
    /// use impinge::average_case::AverageTree;
    /// use impinge::{bound::Aabb, generate::icosphere};
    /// let tree = AverageTree::<Aabb>::new(&icosphere(1.0, 4)?, &Default::default());
    /// let mut bytes = Vec::new();
    /// tree.save(&mut bytes)?;
    /// assert_eq!(AverageTree::load(&bytes)?, tree);
    /// bytes[40] ^= 1;
    /// assert!(AverageTree::load(&bytes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, mut out: impl Write) -> io::Result<()> {
        let factors = if self.factors.is_empty() { 0 } else { FACTORS };
        let words = [self.nodes.len() as u32, self.max_depth, self.side | factors];
        let mut bytes = header(TREE, VERSION, words);
        let [x, y, z] = self.frame.center.to_array();
        let bounds = self.bounds.min.to_array().into_iter();
        let bounds = bounds.chain(self.bounds.max.to_array());
        for number in [x, y, z, self.frame.scale].into_iter().chain(bounds) {
            bytes.extend(number.to_le_bytes());
        }
        for node in &self.nodes {
            for number in node.low.iter().chain(&node.high) {
                bytes.extend(number.to_le_bytes());
            }
            let gaps = if node.has_gaps() { GAPS } else { 0 };
            bytes.extend(node.link.to_le_bytes());
            bytes.extend((node.cells() | gaps).to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        out.write_all(&bytes)
    }

    /// The tree that was saved.
    ///
    /// # Errors
    /// [`LoadError`] saying what is wrong with the bytes. None of it can make this panic.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        check_header(bytes, TREE, VERSION, HEADER)?;
        let [count, max_depth, extra] = [12, 16, 20].map(|at| u32_at(bytes, at));
        content_end(bytes, saved_length(count))?;
        let number = |at: usize| f64::from_bits(u64_at(bytes, HEADER + 8 * at));
        let three = |at: usize| DVec3::new(number(at), number(at + 1), number(at + 2));
        let frame = UnitFrame {
            center: three(0),
            scale: number(3),
        };
        let bounds = Aabb {
            min: three(4),
            max: three(7),
        };
        if !(frame.center.is_finite() && frame.scale > 0.0 && frame.scale.is_finite()) {
            return malformed("units that are not finite".into());
        }
        let is_box =
            bounds.min.cmple(bounds.max).all() && bounds.min.is_finite() && bounds.max.is_finite();
        if count > 0 && !is_box || count == 0 && max_depth > 0 || max_depth > MAX_DEPTH {
            return malformed(format!("the box {bounds:?} or the depth {max_depth}"));
        }
        let (side, has_factors) = (extra & !FACTORS, extra & FACTORS != 0);
        if !(1..=MAX_SIDE).contains(&side) {
            return malformed(format!("{side} cells along a side"));
        }
        let nodes = read_nodes(bytes, count as usize, max_depth, side)?;
        Ok(Self {
            frame,
            kept: vec![(); nodes.len()],
            max_depth,
            side,
            factors: if has_factors {
                factors(&nodes)
            } else {
                Arc::default()
            },
            nodes,
            bounds: if count > 0 { bounds } else { Aabb::EMPTY },
        })
    }

    /// The tree at the beginning of these bytes, and the bytes after it: what was saved to the same file behind the tree, as its
    /// [`Calibration`](super::Calibration).
    ///
    /// # Errors
    /// As of [`load`](Self::load).
    ///
    /// ```
    /// use impinge::average_case::AverageTree;
    /// use impinge::{bound::Aabb, generate::tetrahedron};
    /// let tree = AverageTree::<Aabb>::new(&tetrahedron(1.0)?, &Default::default());
    /// let mut bytes = Vec::new();
    /// tree.save(&mut bytes)?;
    /// bytes.extend(b"more");
    /// let (loaded, rest) = AverageTree::load_prefix(&bytes)?;
    /// assert!(loaded == tree && rest == b"more");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), LoadError> {
        check_header(bytes, TREE, VERSION, HEADER)?;
        let end = saved_length(u32_at(bytes, 12)).min(bytes.len() as u64) as usize;
        let (of_tree, rest) = bytes.split_at(end);
        Ok((Self::load(of_tree)?, rest))
    }
}

/// The bytes of a tree of so many nodes.
fn saved_length(nodes: u32) -> u64 {
    (HEADER + FRAME + CHECKSUM) as u64 + u64::from(nodes) * NODE as u64
}

/// The nodes, each but the root the child of one node before it, none deeper than the tree.
fn read_nodes(
    bytes: &[u8],
    count: usize,
    max_depth: u32,
    side: u32,
) -> Result<Vec<AverageNode>, LoadError> {
    let mut depths: Vec<Option<u32>> = vec![None; count];
    if let Some(root) = depths.first_mut() {
        *root = Some(0);
    }
    let mut deepest = 0;
    let mut nodes = Vec::with_capacity(count);
    for number in 0..count {
        let at = HEADER + FRAME + number * NODE;
        let end = |k: usize| (u32_at(bytes, at + 4 * (k / 2)) >> (16 * (k % 2))) as u16;
        let (low, high) = ([0, 1, 2].map(end), [3, 4, 5].map(end));
        let (link, facts) = (u32_at(bytes, at + 12), u32_at(bytes, at + 16));
        let cells = facts & !GAPS;
        let is_sound =
            low.iter().zip(&high).all(|(low, high)| low < high) && cells <= side * side * side;
        let depth = depths[number].filter(|&depth| is_sound && depth <= max_depth);
        let Some(depth) = depth else {
            return malformed(format!("node {number}"));
        };
        deepest = deepest.max(depth);
        let blank = AverageNode::linked(low, high, link);
        if !blank.is_leaf() {
            let (first, children) = blank.children();
            for child in first as usize..(first + children) as usize {
                match depths.get_mut(child) {
                    Some(of_child) if of_child.is_none() && child > number => {
                        *of_child = Some(depth + 1);
                    }
                    _ => return malformed(format!("the children of node {number}")),
                }
            }
        }
        nodes.push(blank.with_facts(cells, depth, facts & GAPS != 0));
    }
    if deepest != max_depth {
        return malformed(format!("a depth of {deepest} instead of {max_depth}"));
    }
    Ok(nodes)
}

impl BinTables {
    /// Writes the tables so that [`BinTables::load`] gets them back.
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// ```
    /// use impinge::average_case::BinTables;
    /// let tables = BinTables::new(24, 3);
    /// let mut bytes = Vec::new();
    /// tables.save(&mut bytes)?;
    /// assert!(BinTables::load(&bytes)? == tables);
    /// bytes[50] ^= 1;
    /// assert!(BinTables::load(&bytes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, mut out: impl Write) -> io::Result<()> {
        let mut bytes = header(
            TABLES,
            TABLES_VERSION,
            [self.bins, self.tables.len() as u32, 0],
        );
        for table in &self.tables {
            bytes.extend((table.values.len() as u32).to_le_bytes());
        }
        for table in &self.tables {
            table
                .rows
                .iter()
                .for_each(|x| bytes.extend(x.to_le_bytes()));
            table
                .values
                .iter()
                .for_each(|x| bytes.extend(x.to_le_bytes()));
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        out.write_all(&bytes)
    }

    /// The tables that were saved.
    ///
    /// # Errors
    /// [`LoadError`] saying what is wrong with the bytes. None of it can make this panic.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        check_header(bytes, TABLES, TABLES_VERSION, HEADER)?;
        let (bins, count) = (u32_at(bytes, 12), u32_at(bytes, 16) as usize);
        if bins > MAX_BINS || count > MAX_TAILS {
            return malformed(format!("{count} tables of {bins} bins"));
        }
        // One row for each number of bins and of rarer balls, and the end of the last.
        let rows = (bins * (bins + 1) / 2) as usize + 1;
        let sizes: Vec<usize> = (0..count)
            .map(|k| u32_at(bytes, HEADER + 4 * k) as usize)
            .collect();
        let words: u64 = sizes.iter().map(|&size| (1 + rows + size) as u64).sum();
        content_end(bytes, (HEADER + CHECKSUM) as u64 + 4 * words)?;
        let mut at = HEADER + 4 * count;
        let mut word = || {
            at += 4;
            u32_at(bytes, at - 4)
        };
        let mut tables = Vec::with_capacity(count);
        for (number, &size) in sizes.iter().enumerate() {
            let rows: Vec<u32> = (0..rows).map(|_| word()).collect();
            let values: Vec<f32> = (0..size).map(|_| f32::from_bits(word())).collect();
            let is_sound = rows.is_sorted()
                && rows.first() == Some(&0)
                && rows.last().is_some_and(|&end| end as usize == size)
                && values.iter().all(|p| (0.0..=1.0).contains(p));
            if !is_sound {
                return malformed(format!("table {number}"));
            }
            tables.push(BinTable { rows, values });
        }
        Ok(Self { bins, tables })
    }
}
