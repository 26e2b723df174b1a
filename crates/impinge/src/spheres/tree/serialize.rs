//! Serialization of a tree.
//!
//! Spheres, their attached data and the topology of the tree are written; gap cells and the mesh
//! are not, so that gap cells must be computed again if needed. Bounding spheres are recomputed
//! when the tree is loaded, by the code that also builds trees. So a file with a forged checksum
//! can at worst give a slow tree of other spheres, never one whose nodes do not contain their
//! leaves.
//!
//! Numbers are little-endian. The layout:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `impball` and a zero |
//! | 4, 4 | version; which of the parts below there are: 1 surface, 2 secondary radii, 4 volume of the solid |
//! | 4, 4 | balls, nodes |
//! | 8 | checksum of all the above |
//! | 32 per ball | centre and radius |
//! | 32 per ball, 16 | with a surface: axis and half angle of the cone; how far the surface and the solid reach beyond the balls |
//! | 8 | with the volume of the solid: that |
//! | 8 per ball | with secondary radii: the radius |
//! | 4 per ball | number in the list it was built from |
//! | 4 per ball | with a surface: nearest face |
//! | 32 per node | children |
//! | 8 | checksum of all the above |

use std::io::{self, Write};

use glam::DVec3;

use super::coverage::CoverageRadius;
use super::inner_sphere_tree::{InnerSphereTree, is_valid_ball, is_valid_radius};
use super::leaf_surface::{LeafSurface, NormalCone};
use super::topology::{LEAF, NO_CHILD, TreeTopology, WIDTH};
use crate::bvh::wide::{LoadError, check_header};
use crate::math::checksum::{CHECKSUM, checksum, u32_at, u64_at};
use crate::query::FaceId;
use crate::spheres::solid_ball::SolidBall;

const MAGIC: [u8; 8] = *b"impball\0";
/// The first did not say how far a solid reaches beyond its balls, and had its volume only with a surface.
const VERSION: u32 = 2;
const HEADER: usize = 32;

impl InnerSphereTree {
    /// Writes the tree so that [`InnerSphereTree::load`] gets it back.
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeOptions}};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let mut bytes = Vec::new();
    /// InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?.save(&mut bytes)?;
    /// assert_eq!(InnerSphereTree::load(&bytes)?.balls(), [ball]);
    /// bytes[40] ^= 1;
    /// assert!(InnerSphereTree::load(&bytes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, mut out: impl Write) -> io::Result<()> {
        let reach = self.reach.filter(|_| !self.surfaces.is_empty());
        let parts = SavedParts {
            surface: reach.is_some(),
            secondary: !self.secondary.is_empty(),
            volume: self.solid_volume.is_some(),
        };
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        for word in [
            VERSION,
            parts.bits(),
            self.balls.len() as u32,
            self.plan.children.len() as u32,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        let mut put = |x: f64| bytes.extend(x.to_le_bytes());
        for ball in &self.balls {
            ball.center.to_array().into_iter().for_each(&mut put);
            put(ball.radius);
        }
        if let Some(reach) = reach {
            for leaf in &self.surfaces {
                leaf.cone.axis.to_array().into_iter().for_each(&mut put);
                put(leaf.cone.half_angle);
            }
            put(reach.surface);
            put(reach.inner);
        }
        self.solid_volume.into_iter().for_each(&mut put);
        if parts.secondary {
            self.secondary.iter().copied().for_each(&mut put);
        }
        let mut put = |x: u32| bytes.extend(x.to_le_bytes());
        self.plan.order.iter().copied().for_each(&mut put);
        if parts.surface {
            self.surfaces.iter().for_each(|leaf| put(leaf.face.raw()));
        }
        self.plan
            .children
            .iter()
            .flatten()
            .copied()
            .for_each(&mut put);
        bytes.extend(checksum(&bytes).to_le_bytes());
        out.write_all(&bytes)
    }

    /// The tree that was saved.
    ///
    /// # Errors
    /// [`LoadError`] saying what is wrong with the bytes. None of it can make this panic.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        let header = SavedHeader::read(bytes)?;
        let content = bytes.len() - CHECKSUM;
        if u64_at(bytes, content) != checksum(&bytes[..content]) {
            return Err(LoadError::Damaged { part: "content" });
        }
        let mut reader = ByteReader {
            bytes: &bytes[HEADER..content],
        };
        let balls: Vec<SolidBall> = (0..header.balls)
            .map(|_| SolidBall {
                center: reader.point(),
                radius: reader.number(),
            })
            .collect();
        for (i, ball) in balls.iter().enumerate() {
            if !is_valid_ball(ball) {
                return malformed(format!("ball {i} is {ball:?}"));
            }
        }
        let mut cones = Vec::new();
        let (mut reach, mut solid_volume) = (None, None);
        if header.parts.surface {
            cones = (0..header.balls)
                .map(|_| NormalCone {
                    axis: reader.point(),
                    half_angle: reader.number(),
                })
                .collect();
            reach = Some(CoverageRadius {
                surface: reader.number(),
                inner: reader.number(),
            });
        }
        if header.parts.volume {
            solid_volume = Some(reader.number());
        }
        let mut secondary = Vec::new();
        if header.parts.secondary {
            secondary = (0..header.balls).map(|_| reader.number()).collect();
        }
        let attached = cones.iter().map(|c: &NormalCone| c.half_angle);
        let numbers = attached
            .chain(secondary.iter().copied())
            .chain(reach.iter().flat_map(|r| [r.surface, r.inner]))
            .chain(solid_volume);
        if !numbers.into_iter().all(|x| x >= 0.0 && x.is_finite())
            || !secondary.iter().copied().all(is_valid_radius)
            || !cones.iter().all(|c| c.axis.is_finite())
        {
            return malformed("a number attached to the balls is negative or not finite".into());
        }
        let order: Vec<u32> = (0..header.balls).map(|_| reader.word()).collect();
        let surfaces = cones
            .into_iter()
            .map(|cone| LeafSurface {
                face: FaceId::new(reader.word()),
                cone,
            })
            .collect();
        let children: Vec<[u32; WIDTH]> = (0..header.nodes)
            .map(|_| {
                let mut children = [NO_CHILD; WIDTH];
                children.iter_mut().for_each(|child| *child = reader.word());
                children
            })
            .collect();
        let ranges = arrange(&children, balls.len())?;
        check_order(&order)?;
        // The balls were saved in the order of the tree.
        let plan = TreeTopology {
            order: (0..header.balls).collect(),
            children,
            ranges,
        };
        let mut tree = Self::fitted(&balls, plan, false);
        tree.plan.order = order;
        tree.surfaces = surfaces;
        if !secondary.is_empty() {
            tree.set_secondary(secondary);
        }
        tree.reach = reach;
        tree.solid_volume = solid_volume;
        Ok(tree)
    }
}

/// The leaves below each node, once it is known that all leaves come once and in order, and nodes after their parents.
fn arrange(children: &[[u32; WIDTH]], balls: usize) -> Result<Vec<(u32, u32)>, LoadError> {
    let mut ranges = vec![(u32::MAX, 0_u32); children.len()];
    let mut has_parent = vec![false; children.len()];
    let mut seen = vec![false; balls];
    for (i, node) in children.iter().enumerate() {
        for &child in node.iter().filter(|&&child| child != NO_CHILD) {
            let slot = if child & LEAF == 0 {
                if child as usize <= i {
                    return malformed(format!("node {i} is not above its child {child}"));
                }
                has_parent.get_mut(child as usize)
            } else {
                seen.get_mut((child & !LEAF) as usize)
            };
            match slot {
                None => return malformed(format!("node {i} has a child that does not exist")),
                Some(true) => return malformed(format!("a child of node {i} occurs twice")),
                Some(slot) => *slot = true,
            }
        }
    }
    if !seen.iter().all(|&seen| seen) || !has_parent.iter().skip(1).all(|&has| has) {
        return malformed("not everything hangs below the first node".into());
    }
    for i in (0..children.len()).rev() {
        let mut count = 0;
        for &child in children[i].iter().filter(|&&child| child != NO_CHILD) {
            let (first, last) = if child & LEAF == 0 {
                ranges[child as usize]
            } else {
                let leaf = child & !LEAF;
                (leaf, leaf + 1)
            };
            ranges[i] = (ranges[i].0.min(first), ranges[i].1.max(last));
            count += last - first;
        }
        let (first, last) = ranges[i];
        if count == 0 || last - first != count {
            return malformed(format!("the leaves of node {i} do not lie side by side"));
        }
    }
    Ok(ranges)
}

fn check_order(order: &[u32]) -> Result<(), LoadError> {
    let mut seen = vec![false; order.len()];
    for &i in order {
        match seen.get_mut(i as usize) {
            Some(slot @ false) => *slot = true,
            _ => return malformed(format!("number {i} of a ball occurs twice or is too large")),
        }
    }
    Ok(())
}

/// What is saved beside the balls and the nodes.
#[derive(Clone, Copy)]
struct SavedParts {
    surface: bool,
    secondary: bool,
    volume: bool,
}

impl SavedParts {
    fn bits(self) -> u32 {
        u32::from(self.surface) | u32::from(self.secondary) << 1 | u32::from(self.volume) << 2
    }

    fn of_bits(bits: u32) -> Self {
        Self {
            surface: bits & 1 != 0,
            secondary: bits & 2 != 0,
            volume: bits & 4 != 0,
        }
    }
}

struct SavedHeader {
    parts: SavedParts,
    balls: u32,
    nodes: u32,
}

impl SavedHeader {
    fn read(bytes: &[u8]) -> Result<Self, LoadError> {
        check_header(bytes, MAGIC, VERSION, HEADER)?;
        let parts = u32_at(bytes, 12);
        let header = Self {
            parts: SavedParts::of_bits(parts),
            balls: u32_at(bytes, 16),
            nodes: u32_at(bytes, 20),
        };
        if header.parts.bits() != parts
            || header.balls & LEAF != 0
            || header.nodes > header.balls
            || (header.nodes == 0) != (header.balls == 0)
        {
            return malformed(format!(
                "{} nodes over {} balls, parts {parts}",
                header.nodes, header.balls
            ));
        }
        let (expected, found) = (header.length(), bytes.len() as u64);
        if expected != found {
            return Err(LoadError::WrongLength { expected, found });
        }
        Ok(header)
    }

    fn length(&self) -> u64 {
        let (balls, nodes) = (u64::from(self.balls), u64::from(self.nodes));
        let mut length = (HEADER + CHECKSUM) as u64 + 36 * balls + 4 * WIDTH as u64 * nodes;
        if self.parts.surface {
            length += 36 * balls + 16;
        }
        if self.parts.secondary {
            length += 8 * balls;
        }
        if self.parts.volume {
            length += 8;
        }
        length
    }
}

/// Reads on; zeros beyond the end, which the length check has excluded.
struct ByteReader<'b> {
    bytes: &'b [u8],
}

impl ByteReader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.bytes.split_first_chunk::<N>() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => [0; N],
        }
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn number(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

fn malformed<T>(what: String) -> Result<T, LoadError> {
    Err(LoadError::Malformed { what })
}
