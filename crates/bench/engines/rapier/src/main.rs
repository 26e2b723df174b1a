//! `rapier ENGINE SCENE`: rapier's collision pipeline frame by frame, over boxes (`rapier`) or triangle meshes (`cage`).
//! The protocol is described in `../PROTOCOL-BOXES.md`.
//!
//! All colliders are sensors: rapier then only asks whether two shapes meet and makes no contacts, which is the
//! cheapest it can do.

#[path = "../../frames.rs"]
mod frames;
#[path = "../../heap.rs"]
mod heap;

use rapier3d::parry::math::{Matrix, Pose, Rotation, Vector};
use rapier3d::parry::shape::SharedShape;
use rapier3d::prelude::*;

/// What a scene holds.
enum Frames {
    /// Six numbers per box and frame: least x, y, z, then largest.
    Boxes(Vec<Vec<[f32; 6]>>),
    /// The shape of each body, and its pose in each frame.
    Meshes(Vec<SharedShape>, Vec<Vec<Pose>>),
}

struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_at(N);
        self.0 = rest;
        head.try_into().unwrap()
    }
    fn count(&mut self) -> usize {
        u64::from_le_bytes(self.take()) as usize
    }
    fn single(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }
    fn double(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }
    fn index(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
}

fn boxes(mut bytes: Bytes<'_>) -> Frames {
    let (count, frames) = (bytes.count(), bytes.count());
    let mut frame = || {
        let mut one = || std::array::from_fn(|_| bytes.single());
        (0..count).map(|_| one()).collect()
    };
    Frames::Boxes((0..frames).map(|_| frame()).collect())
}

fn meshes(mut bytes: Bytes<'_>) -> Frames {
    let (kinds, bodies, frames) = (bytes.count(), bytes.count(), bytes.count());
    let mut shapes = Vec::new();
    for _ in 0..kinds {
        let (vertices, faces) = (bytes.count(), bytes.count());
        let mut point = || {
            let [x, y, z] = std::array::from_fn(|_| bytes.single());
            Vector::new(x, y, z)
        };
        let points: Vec<Vector> = (0..vertices).map(|_| point()).collect();
        let mut face = || std::array::from_fn(|_| bytes.index());
        let faces: Vec<[u32; 3]> = (0..faces).map(|_| face()).collect();
        shapes.push(SharedShape::trimesh(points, faces).unwrap());
    }
    let mut pose = || {
        let m: [f32; 12] = std::array::from_fn(|_| bytes.double() as f32);
        let column = |k: usize| Vector::new(m[k], m[4 + k], m[8 + k]);
        let turn = Matrix::from_cols(column(0), column(1), column(2));
        Pose::from_parts(column(3), Rotation::from_mat3(&turn))
    };
    let poses = (0..frames)
        .map(|_| (0..bodies).map(|_| pose()).collect())
        .collect();
    let shapes = (0..bodies).map(|i| shapes[i % kinds].clone()).collect();
    Frames::Meshes(shapes, poses)
}

struct Rapier {
    pipeline: CollisionPipeline,
    islands: IslandManager,
    broad: BroadPhaseBvh,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
}

fn middle_and_half(b: &[f32; 6]) -> (Vector, Vector) {
    let (min, max) = (Vector::new(b[0], b[1], b[2]), Vector::new(b[3], b[4], b[5]));
    ((min + max) * 0.5, (max - min) * 0.5)
}

impl Rapier {
    fn new() -> Self {
        Self {
            pipeline: CollisionPipeline::new(),
            islands: IslandManager::new(),
            broad: BroadPhaseBvh::new(),
            narrow: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            handles: Vec::new(),
        }
    }

    fn insert(&mut self, shape: SharedShape, pose: Pose) {
        let collider = ColliderBuilder::new(shape)
            .position(pose)
            .sensor(true)
            .active_collision_types(ActiveCollisionTypes::all());
        self.handles.push(self.colliders.insert(collider));
    }

    fn step(&mut self) {
        self.pipeline.step(
            0.0,
            &mut self.islands,
            &mut self.broad,
            &mut self.narrow,
            &mut self.bodies,
            &mut self.colliders,
            &(),
            &(),
        );
    }

    fn build(&mut self, frames: &Frames) {
        match frames {
            Frames::Boxes(all) => {
                for b in &all[0] {
                    let (middle, half) = middle_and_half(b);
                    let shape = SharedShape::cuboid(half.x, half.y, half.z);
                    self.insert(shape, Pose::from_parts(middle, Rotation::IDENTITY));
                }
            }
            Frames::Meshes(shapes, poses) => {
                for (shape, pose) in shapes.iter().zip(&poses[0]) {
                    self.insert(shape.clone(), *pose);
                }
            }
        }
        self.step();
    }

    fn frame(&mut self, frames: &Frames, k: usize) {
        for (i, handle) in self.handles.iter().enumerate() {
            let pose = match frames {
                Frames::Boxes(all) => {
                    Pose::from_parts(middle_and_half(&all[k][i]).0, Rotation::IDENTITY)
                }
                Frames::Meshes(_, poses) => poses[k][i],
            };
            if let Some(collider) = self.colliders.get_mut(*handle) {
                collider.set_position(pose);
            }
        }
        self.step();
    }

    /// The pairs: of meshes those that meet; of boxes those of its broad phase whose boxes, as given, overlap.
    fn pairs(&self, frames: &Frames, k: usize) -> usize {
        let number = |handle: ColliderHandle| handle.into_raw_parts().0 as usize;
        self.narrow
            .intersection_pairs()
            .filter(|&(a, b, meet)| match frames {
                Frames::Meshes(..) => meet,
                Frames::Boxes(all) => {
                    let (p, q) = (&all[k][number(a)], &all[k][number(b)]);
                    (0..3).all(|x| p[x] <= q[x + 3] && q[x] <= p[x + 3])
                }
            })
            .count()
    }

    fn count(&self, frames: &Frames) -> usize {
        match frames {
            Frames::Boxes(all) => all.len(),
            Frames::Meshes(_, poses) => poses.len(),
        }
    }
}

/// The pipeline and what it is asked about.
struct Scene {
    rapier: Rapier,
    frames: Frames,
}

impl frames::FrameRunner for Scene {
    fn build(&mut self) -> usize {
        self.rapier = Rapier::new();
        self.rapier.build(&self.frames);
        self.rapier.pairs(&self.frames, 0)
    }
    fn frame(&mut self, k: usize) -> Option<usize> {
        if k >= self.rapier.count(&self.frames) {
            return None;
        }
        self.rapier.frame(&self.frames, k);
        Some(self.rapier.pairs(&self.frames, k))
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (Some(name), Some(path)) = (args.get(1), args.get(2)) else {
        eprintln!("rapier ENGINE SCENE");
        std::process::exit(2);
    };
    let bytes = std::fs::read(path).unwrap();
    let frames = match name.as_str() {
        "rapier" => boxes(Bytes(&bytes)),
        "cage" => meshes(Bytes(&bytes)),
        _ => {
            eprintln!("no engine {name}");
            std::process::exit(2);
        }
    };
    let before = heap::held();
    let rapier = Rapier::new();
    frames::serve(name, &mut Scene { rapier, frames }, before);
}
