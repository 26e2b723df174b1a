//! Second, inner boxes of nodes.
//!
//! **Question.** Which part of a node's box is certainly empty, and which certainly solid?
//!
//! **Idea.** A *hollow* is a box inside a node's box that no face of the node enters: another node
//! inside it intersects none of them. A *core* is a box that no face of the mesh enters and that
//! lies inside the closed mesh: two overlapping cores prove that the solids intersect. Boxes of the
//! outer box's shape shrink around a few places until they are free, then each side grows as far as
//! possible.
//!
//! **Source.** Klein and Zachmann, *ADB-trees: controlling the error of time-critical collision detection*, 2003
//! (volumes with two boundaries, described there). Our changes: nine places instead of one, sides that
//! grow one by one, exact emptiness, cores.
//!
//! **Cost.** At most 360 passes over a node's faces, down to a depth; all faces twice per core.
//!
//! **Promise.** Freedom from faces and insideness are decided exactly.

use glam::DVec3;

use crate::own_faces::OwnFaces;
use impinge::bound::Aabb;
use impinge::geom::triangle_meets_box;
use impinge::mesh::TriMesh;
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use impinge::query::FaceId;

/// Which nodes get inner boxes. Every value is valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerConfig {
    /// Nodes with fewer faces get none.
    pub min_faces: u32,
    /// Hollows with a smaller part of their node's volume are not kept.
    pub min_part: f64,
    /// The most nodes that get a hollow, the largest nodes first.
    pub max_hollows: u32,
    /// The most nodes that are searched for a core, the largest first; only closed meshes have any.
    pub max_cores: u32,
}

impl Default for InnerConfig {
    fn default() -> Self {
        Self {
            min_faces: 32,
            min_part: 0.125,
            max_hollows: 256,
            max_cores: 31,
        }
    }
}

/// The inner boxes of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerBox {
    /// A box that no face of the node enters or touches.
    pub hollow: Option<Aabb>,
    /// A box that no face of the mesh enters or touches and that lies inside the solid.
    pub core: Option<Aabb>,
}

/// The inner boxes of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct InnerBoxes {
    /// The number of a node's inner box, or [`NONE`]; empty when no node has one.
    of_node: Vec<u32>,
    boxes: Vec<InnerBox>,
    /// The faces of the nodes that have a box, for checking.
    faces: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;
/// How often a box shrinks to half before a place is given up.
const SHRINKS: u32 = 5;
/// How often the way to the outer box is halved for a growing side.
const GROWTHS: u32 = 5;

impl InnerBoxes {
    /// Finds the inner boxes of nodes with these spans of `faces` and outer boxes.
    pub(super) fn find(
        mesh: &TriMesh,
        boxes: &[Aabb],
        faces: &[u32],
        spans: &[(usize, usize, Aabb)],
        config: &InnerConfig,
    ) -> Self {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        let count = |id: usize| spans[id].1 - spans[id].0;
        order.retain(|&id| count(id) >= config.min_faces.max(1) as usize);
        order.sort_by(|&i, &j| count(j).cmp(&count(i)).then(i.cmp(&j)));
        let solid = InsideTest::new(mesh).ok();
        let mut found = Self {
            of_node: vec![NONE; spans.len()],
            ..Self::default()
        };
        for (rank, &id) in order.iter().enumerate() {
            let (from, to, outer) = spans[id];
            let search = FreeBoxSearch { mesh, boxes, outer };
            let hollow = (rank < config.max_hollows as usize)
                .then(|| search.largest_first(&faces[from..to]).into_iter().next())
                .flatten()
                .filter(|hollow| hollow.volume() >= config.min_part * outer.volume());
            let core = solid
                .filter(|_| rank < config.max_cores as usize)
                .and_then(|solid| {
                    let near: Vec<u32> = (0..boxes.len() as u32)
                        .filter(|&f| boxes[f as usize].overlaps(&outer))
                        .collect();
                    search
                        .largest_first(&near)
                        .into_iter()
                        .find(|free| matches!(solid.locate(free.center()), Ok(Location::Inside)))
                });
            if hollow.is_some() || core.is_some() {
                found.of_node[id] = found.boxes.len() as u32;
                found.boxes.push(InnerBox { hollow, core });
                found.faces.push(faces[from..to].to_vec());
            }
        }
        if found.boxes.is_empty() {
            found.of_node.clear();
        }
        found
    }

    /// The inner boxes of a node.
    #[inline]
    pub(super) fn of(&self, node: u32) -> Option<&InnerBox> {
        let number = *self.of_node.get(node as usize)?;
        self.boxes.get(number as usize)
    }

    #[inline]
    pub(super) fn hollow(&self, node: u32) -> Option<Aabb> {
        self.of(node)?.hollow
    }

    #[inline]
    pub(super) fn core(&self, node: u32) -> Option<Aabb> {
        self.of(node)?.core
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.of_node.as_slice()) + size_of_val(self.boxes.as_slice())
    }

    /// The first promise that does not hold.
    pub(super) fn check(&self, mesh: &TriMesh) -> Result<(), String> {
        let enters = |face: u32, of: &Aabb| {
            triangle_meets_box(&mesh.triangle(FaceId::new(face)), of.min, of.max)
        };
        for (inner, faces) in self.boxes.iter().zip(&self.faces) {
            if let Some(hollow) = &inner.hollow
                && let Some(face) = faces.iter().find(|&&face| enters(face, hollow))
            {
                return Err(format!("face {face} enters a hollow of its node"));
            }
            if let Some(core) = &inner.core {
                if let Some(face) = mesh.face_ids().find(|f| enters(f.index() as u32, core)) {
                    return Err(format!("{face} enters a core"));
                }
                let place = InsideTest::new(mesh).and_then(|solid| solid.locate(core.center()));
                if place != Ok(Location::Inside) {
                    return Err("a core is not inside the solid".to_owned());
                }
            }
        }
        Ok(())
    }
}

/// Looks for free boxes in an outer box.
struct FreeBoxSearch<'s> {
    mesh: &'s TriMesh,
    boxes: &'s [Aabb],
    outer: Aabb,
}

impl FreeBoxSearch<'_> {
    /// Boxes that none of the faces touches, the largest first.
    fn largest_first(&self, faces: &[u32]) -> Vec<Aabb> {
        let (center, half) = (self.outer.center(), self.outer.half_extent());
        let mut found: Vec<Aabb> = (0..9_u32)
            .filter_map(|i| {
                let sign = |bit: u32| if i >> bit & 1 == 0 { -0.5 } else { 0.5 };
                let place = if i == 8 {
                    center
                } else {
                    center + half * DVec3::new(sign(0), sign(1), sign(2))
                };
                self.around(place, half, faces)
            })
            .filter(|free| free.volume() > 0.0)
            .collect();
        found.sort_by(|p, q| q.volume().total_cmp(&p.volume()));
        found
    }

    fn around(&self, place: DVec3, half: DVec3, faces: &[u32]) -> Option<Aabb> {
        let mut size = 1.0;
        let mut free = None;
        for _ in 0..=SHRINKS {
            let part = Aabb {
                min: place - half * size,
                max: place + half * size,
            }
            .intersection(&self.outer);
            if !part.is_empty() && self.is_free(&part, faces) {
                free = Some(part);
                break;
            }
            size *= 0.5;
        }
        let mut free = free?;
        for axis in 0..3 {
            for is_max in [false, true] {
                self.grow(&mut free, axis, is_max, faces);
            }
        }
        Some(free)
    }

    /// Moves one side as far out as halving finds.
    fn grow(&self, free: &mut Aabb, axis: usize, is_max: bool, faces: &[u32]) {
        let mut limit = if is_max {
            self.outer.max[axis]
        } else {
            self.outer.min[axis]
        };
        for step in 0..GROWTHS {
            let mut grown = *free;
            let side = if is_max {
                &mut grown.max[axis]
            } else {
                &mut grown.min[axis]
            };
            // The whole way first: often nothing is in it.
            let target = if step == 0 {
                limit
            } else {
                0.5 * *side + 0.5 * limit
            };
            *side = target;
            if self.is_free(&grown, faces) {
                *free = grown;
                if step == 0 {
                    return;
                }
            } else {
                limit = target;
            }
        }
    }

    fn is_free(&self, part: &Aabb, faces: &[u32]) -> bool {
        !faces.iter().any(|&face| {
            self.boxes[face as usize].overlaps(part)
                && triangle_meets_box(&self.mesh.triangle(FaceId::new(face)), part.min, part.max)
        })
    }
}
