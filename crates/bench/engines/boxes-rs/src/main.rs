//! `boxes-rs ENGINE SCENE [THREADS]`: finds overlapping boxes frame by frame and times itself.
//! The protocol is described in `../PROTOCOL-BOXES.md`.

#[path = "../../frames.rs"]
mod frames;
#[path = "../../heap.rs"]
mod heap;

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::broad::{self, BroadPhase, ObjectId};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rayon::prelude::*;

/// Six numbers per box: least x, y, z, then largest.
type Frame = Vec<[f32; 6]>;

trait Engine {
    /// From nothing to all pairs; tells how many.
    fn build(&mut self, boxes: &Frame) -> usize;
    /// From the last frame to all pairs of this one.
    fn frame(&mut self, boxes: &Frame) -> usize;
}

struct Impinge {
    make: fn(bool) -> Box<dyn BroadPhase>,
    parallel: bool,
    broad: Box<dyn BroadPhase>,
    ids: Vec<ObjectId>,
    boxes: Vec<Aabb>,
}

fn aabb(b: &[f32; 6]) -> Aabb {
    let [x, y, z, u, v, w] = b.map(f64::from);
    Aabb {
        min: DVec3::new(x, y, z),
        max: DVec3::new(u, v, w),
    }
}

impl Impinge {
    /// Ours takes numbers of double precision, and the conversion counts.
    fn convert(&mut self, boxes: &Frame) {
        if self.parallel {
            let all = boxes.par_iter().with_min_len(4096);
            all.map(aabb).collect_into_vec(&mut self.boxes);
        } else {
            self.boxes.clear();
            self.boxes.extend(boxes.iter().map(aabb));
        }
    }
}

impl Engine for Impinge {
    fn build(&mut self, boxes: &Frame) -> usize {
        self.broad = (self.make)(self.parallel);
        self.ids.clear();
        self.ids
            .extend((0..boxes.len()).map(|i| ObjectId::new(i as u32, 0)));
        self.convert(boxes);
        self.broad.insert_boxes(&self.ids, &self.boxes).unwrap();
        self.broad.pairs().len()
    }

    fn frame(&mut self, boxes: &Frame) -> usize {
        self.convert(boxes);
        self.broad.update_boxes(&self.ids, &self.boxes).unwrap();
        self.broad.pairs().len()
    }
}

#[derive(Default)]
struct Parry {
    bvh: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<(u32, u32)>,
    /// Whether the tree is optimised between frames, as its broad phase does.
    optimize: bool,
}

fn parry_box(b: &[f32; 6]) -> parry3d::bounding_volume::Aabb {
    parry3d::bounding_volume::Aabb::new(
        parry3d::math::Vector::new(b[0], b[1], b[2]),
        parry3d::math::Vector::new(b[3], b[4], b[5]),
    )
}

impl Parry {
    fn find(&mut self) -> usize {
        self.pairs.clear();
        let Self {
            bvh,
            workspace,
            pairs,
            ..
        } = self;
        bvh.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push((a, b)));
        pairs.len()
    }
}

impl Engine for Parry {
    fn build(&mut self, boxes: &Frame) -> usize {
        let leaves = boxes.iter().map(parry_box).enumerate();
        self.bvh = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
        self.find()
    }

    fn frame(&mut self, boxes: &Frame) -> usize {
        for (i, b) in boxes.iter().enumerate() {
            self.bvh
                .insert_or_update_partially(parry_box(b), i as u32, 0.0);
        }
        self.bvh.refit(&mut self.workspace);
        if self.optimize {
            self.bvh.optimize_incremental(&mut self.workspace);
        }
        self.find()
    }
}

/// parry's tree built anew in each frame.
#[derive(Default)]
struct ParryRebuilt(Parry);

impl Engine for ParryRebuilt {
    fn build(&mut self, boxes: &Frame) -> usize {
        self.0.build(boxes)
    }
    fn frame(&mut self, boxes: &Frame) -> usize {
        self.0.build(boxes)
    }
}

struct Leaf {
    b: [f32; 6],
    number: u32,
}

impl rstar::RTreeObject for Leaf {
    type Envelope = rstar::AABB<[f32; 3]>;
    fn envelope(&self) -> Self::Envelope {
        let [x, y, z, u, v, w] = self.b;
        rstar::AABB::from_corners([x, y, z], [u, v, w])
    }
}

/// rstar's tree, loaded in bulk in each frame: it has no cheaper way to move everything.
#[derive(Default)]
struct RStar {
    tree: rstar::RTree<Leaf>,
    pairs: Vec<(u32, u32)>,
}

impl Engine for RStar {
    fn build(&mut self, boxes: &Frame) -> usize {
        let leaf = |(i, &b): (usize, &[f32; 6])| Leaf {
            b,
            number: i as u32,
        };
        let leaves: Vec<_> = boxes.iter().enumerate().map(leaf).collect();
        self.tree = rstar::RTree::bulk_load(leaves);
        self.pairs.clear();
        for (a, b) in self
            .tree
            .intersection_candidates_with_other_tree(&self.tree)
        {
            if a.number < b.number {
                self.pairs.push((a.number, b.number));
            }
        }
        self.pairs.len()
    }
    fn frame(&mut self, boxes: &Frame) -> usize {
        self.build(boxes)
    }
}

fn tree(parallel: bool) -> Box<dyn BroadPhase> {
    Box::new(broad::Tree::new(broad::TreeConfig { parallel }))
}

fn engine(name: &str, threads: usize) -> Option<Box<dyn Engine>> {
    let ours = |make: fn(bool) -> Box<dyn BroadPhase>| -> Option<Box<dyn Engine>> {
        Some(Box::new(Impinge {
            make,
            parallel: threads > 1,
            broad: make(false),
            ids: Vec::new(),
            boxes: Vec::new(),
        }))
    };
    match name {
        "impinge" => ours(tree),
        "parry" => Some(Box::new(Parry::default())),
        "parry-optimized" => Some(Box::new(Parry {
            optimize: true,
            ..Parry::default()
        })),
        "parry-rebuilt" => Some(Box::new(ParryRebuilt::default())),
        "rstar" => Some(Box::new(RStar::default())),
        _ => None,
    }
}

fn read(path: &str) -> std::io::Result<Vec<Frame>> {
    let bytes = std::fs::read(path)?;
    let word = |i: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[8 * i..8 * i + 8]);
        u64::from_le_bytes(eight) as usize
    };
    let (count, frames) = (word(0), word(1));
    let numbers: Vec<f32> = bytes[16..]
        .chunks_exact(4)
        .map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    let boxes = numbers
        .chunks_exact(6)
        .map(|c| [c[0], c[1], c[2], c[3], c[4], c[5]]);
    let all: Vec<[f32; 6]> = boxes.collect();
    Ok((0..frames)
        .map(|k| all[k * count..(k + 1) * count].to_vec())
        .collect())
}

/// An engine and what it is asked about.
struct Scene {
    engine: Box<dyn Engine>,
    frames: Vec<Frame>,
}

impl frames::FrameRunner for Scene {
    fn build(&mut self) -> usize {
        self.engine.build(&self.frames[0])
    }
    fn frame(&mut self, k: usize) -> Option<usize> {
        let boxes = self.frames.get(k)?;
        Some(self.engine.frame(boxes))
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (Some(name), Some(path)) = (args.get(1), args.get(2)) else {
        eprintln!("boxes-rs ENGINE SCENE [THREADS]");
        std::process::exit(2);
    };
    let threads = args.get(3).and_then(|t| t.parse().ok()).unwrap_or(1);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        // The thread that asks works too, as a caller within a pool does.
        .use_current_thread()
        .build_global()
        .unwrap();
    let frames = read(path).unwrap();
    let Some(engine) = engine(name, threads) else {
        eprintln!("no engine {name}");
        std::process::exit(2);
    };
    let before = heap::held();
    frames::serve(name, &mut Scene { engine, frames }, before);
}
