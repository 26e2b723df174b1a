//! The tables of 1994 about octrees and grids: levels of references, memory, and the number of
//! allocations.

use impinge::broad::{
    BroadPhase, ObjectId, Octree, OctreeConfig, OctreeMoves, UniformGrid, UniformGridConfig,
};

use super::TargetVerdict;
use super::published::{one_mover, simulate};
use super::scene::BoxScene;
use crate::Bar;

/// Depth, share of references at the deepest level in %, kB held and allocations a frame, as published.
const OCTREES: [(u32, f64, f64, f64); 4] = [
    (2, 100.0, 8.0, 9.4),
    (3, 100.0, 16.0, 113.7),
    (4, 99.4, 264.0, 839.0),
    (5, 96.4, 2264.0, 4821.0),
];

/// Cells along an axis, kB of the simple and of the doubly indexed grid, as published.
const GRIDS: [(u32, f64, Option<f64>); 5] = [
    (4, 16.0, Some(24.0)),
    (8, 16.0, Some(40.0)),
    (16, 168.0, Some(744.0)),
    (32, 1808.0, Some(6232.0)),
    (64, 14752.0, None),
];

/// What counts as nearly all references, in %. Ours keeps a body at an octant all of whose cells it reaches into, the published one at an
/// octant that it covers, so that ours has more above.
const NEARLY_ALL: f64 = 90.0;

/// The size at which the doubly indexed grid was found to take 1.5 times as long.
const DOUBLY_JUDGED: u32 = 32;

/// Prints the tables; whether deep octrees keep their references as published, and memory stays below.
pub(super) fn tables(frames: usize) -> anyhow::Result<Vec<TargetVerdict>> {
    let scene = BoxScene::of_1994();
    let mut verdicts = Vec::new();
    println!("\noctree, {}", scene.name);
    for row in OCTREES {
        verdicts.extend(octree(&scene, frames, row)?);
    }
    for moves in [
        OctreeMoves::Rebuild,
        OctreeMoves::OctantLists,
        OctreeMoves::BoxDifference,
    ] {
        for scans_changes in [false, true] {
            octree_moves(&scene, frames, moves, scans_changes)?;
        }
    }
    println!("grid, {}", scene.name);
    for row in GRIDS {
        grid(&scene, frames, row)?;
    }
    Ok(verdicts)
}

/// What an octree did over some frames.
struct OctreeTable {
    /// References by level, from the root.
    references: Vec<usize>,
    kilobytes: f64,
    /// Requests for memory a frame, and kB of them.
    requests: [f64; 2],
}

impl OctreeTable {
    /// Follows the scene for some frames.
    fn new(scene: &BoxScene, depth: u32, frames: usize) -> anyhow::Result<Self> {
        let mut scene = scene.clone();
        let mut octree = Octree::new(OctreeConfig {
            depth,
            universe: Some(scene.room()),
            ..OctreeConfig::default()
        });
        let boxes = scene.boxes();
        let ids: Vec<_> = (0..boxes.len())
            .map(|i| ObjectId::new(i as u32, 0))
            .collect();
        for (id, b) in ids.iter().zip(&boxes) {
            octree.insert(*id, &(*b).into())?;
        }
        octree.changes();
        let mut sums = [0; 2];
        for _ in 0..frames {
            scene.step();
            let boxes = scene.boxes();
            let mut updated = Ok(());
            let asked = crate::counting_alloc::allocations_of(|| {
                updated = octree.update_boxes(&ids, &boxes);
                octree.changes();
            });
            updated?;
            for (sum, asked) in sums.iter_mut().zip(asked) {
                *sum += asked;
            }
        }
        let [count, bytes] = sums.map(|sum| sum as f64 / frames.max(1) as f64);
        Ok(Self {
            references: octree.detector().references().to_vec(),
            kilobytes: octree.bytes() as f64 / 1e3,
            requests: [count, bytes / 1e3],
        })
    }

    /// The share of references at each level, in %.
    fn shares(&self) -> Vec<f64> {
        let all: usize = self.references.iter().sum();
        let share = |n: &usize| 100.0 * *n as f64 / all.max(1) as f64;
        self.references.iter().map(share).collect()
    }
}

/// One row of the octree tables.
fn octree(
    scene: &BoxScene,
    frames: usize,
    (depth, deepest, held, asked): (u32, f64, f64, f64),
) -> anyhow::Result<Vec<TargetVerdict>> {
    let table = OctreeTable::new(scene, depth, frames)?;
    let shares = table.shares();
    let levels: Vec<String> = shares.iter().map(|share| format!("{share:.2}")).collect();
    let [count, kilobytes] = table.requests;
    println!(
        "octree of depth {depth}, {} bodies: {count:.1} allocations a frame, {kilobytes:.1} kB of them; it holds {:.0} kB (published: {asked}, and {held} kB held); references by level {} % (published: {deepest} % at the deepest)",
        scene.len(),
        table.kilobytes,
        levels.join(", "),
    );
    let ours = shares.last().copied().unwrap_or_default();
    Ok(vec![
        (
            Bar::at_least(ours, NEARLY_ALL),
            format!(
                "octree of depth {depth}: {ours:.1} % of the references at the deepest level, published {deepest} %, asked {NEARLY_ALL} %"
            ),
        ),
        (
            Bar::at_most(count, asked),
            format!(
                "octree of depth {depth}: {count:.1} allocations a frame, published {asked}, asked at most that"
            ),
        ),
    ])
}

/// One way to move bodies and to find their pairs; published: naive moves are slower than octant arrays, these slower than the difference of boxes.
fn octree_moves(
    scene: &BoxScene,
    frames: usize,
    moves: OctreeMoves,
    scans_changes: bool,
) -> anyhow::Result<()> {
    let config = OctreeConfig {
        depth: 5,
        universe: Some(scene.room()),
        moves,
        scans_changes,
    };
    let all = simulate(&mut Octree::new(config), scene, frames)?;
    let one = one_mover(&mut Octree::new(config), scene, frames)?;
    println!(
        "octree of depth 5, {moves:?}{}: {:.3} ms a frame, {:.0} changes of lists; with one mover {one:.4} ms",
        if scans_changes {
            ", only changed octants scanned"
        } else {
            ""
        },
        all.frame_ms,
        all.upkeep
    );
    Ok(())
}

/// One row of the grid table.
fn grid(
    scene: &BoxScene,
    frames: usize,
    (cells, simple, doubly): (u32, f64, Option<f64>),
) -> anyhow::Result<()> {
    let run = |is_doubly_indexed: bool| {
        let mut grid = UniformGrid::new(UniformGridConfig {
            cells,
            universe: Some(scene.room()),
            is_doubly_indexed,
            ..UniformGridConfig::default()
        });
        simulate(&mut grid, scene, frames)
    };
    let (plain, indexed) = (run(false)?, run(true)?);
    let [a, b] = [plain.bytes, indexed.bytes].map(|bytes| bytes as f64 / 1e3);
    let published = doubly.map_or_else(|| "-".to_owned(), |kb| kb.to_string());
    let slower = if cells == DOUBLY_JUDGED {
        ", published 1.5 times"
    } else {
        ""
    };
    println!(
        "grid of {cells} cells along an axis: {a:.0} kB simple, {b:.0} kB doubly indexed (published: {simple} and {published} kB); the latter takes {:.2} times as long a frame{slower}",
        indexed.frame_ms / plain.frame_ms
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BoxScene, OctreeTable};

    #[test]
    fn nearly_all_references_are_at_the_last_level() {
        let scene = BoxScene::of_1994();
        assert_eq!(scene.len(), 100);
        assert!((scene.room().diagonal().x - 10.0).abs() < 1e-9);
        let shallow = OctreeTable::new(&scene, 2, 2).unwrap();
        assert_eq!(shallow.references.len(), 3);
        // Now and then a body reaches into all eight cells of an octant above.
        assert!(shallow.shares()[2] > 99.0, "{:?}", shallow.references);
        let deep = OctreeTable::new(&scene, 5, 2).unwrap();
        // Some cells of level 4 lie wholly in a body of 3.2 cells.
        assert!(deep.references[4] > 0 && deep.references[..3] == [0, 0, 0]);
        assert!((deep.shares().iter().sum::<f64>() - 100.0).abs() < 1e-9);
    }
}
