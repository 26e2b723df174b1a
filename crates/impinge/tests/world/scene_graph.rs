//! Scene graphs: lazy, serial and parallel refreshing give the same bytes.

use impinge::bound::Aabb;
use impinge::math::Rng;
use impinge::world::{SceneGraph, SceneNodeId};
use impinge::{DVec3, Pose};
use rayon::ThreadPoolBuilder;

use super::scene::pose;

/// The plain description of a node.
#[derive(Clone)]
struct Plain {
    parent: Option<usize>,
    local: Pose,
    own: Aabb,
}

fn box_at(rng: &mut Rng) -> Aabb {
    Aabb::enclosing([rng.cube(), rng.cube()])
}

/// What every node must have, from scratch.
fn expected(nodes: &[Plain]) -> Vec<(Pose, Aabb)> {
    let mut poses: Vec<Pose> = Vec::new();
    for node in nodes {
        poses.push(match node.parent {
            Some(parent) => poses[parent] * node.local,
            None => node.local,
        });
    }
    let mut boxes: Vec<Aabb> = nodes
        .iter()
        .zip(&poses)
        .map(|(node, pose)| {
            if node.own.is_empty() {
                node.own
            } else {
                node.own.transformed(pose)
            }
        })
        .collect();
    for i in (0..nodes.len()).rev() {
        if let Some(parent) = nodes[i].parent {
            boxes[parent] = boxes[parent].union(&boxes[i]);
        }
    }
    poses.into_iter().zip(boxes).collect()
}

fn check_all(graph: &mut SceneGraph, ids: &[SceneNodeId], nodes: &[Plain]) {
    for (id, (pose, bounds)) in ids.iter().zip(expected(nodes)) {
        assert_eq!(graph.world_from_node(*id).unwrap(), pose);
        assert_eq!(graph.bounds_below(*id).unwrap(), bounds);
    }
}

#[test]
fn lazy_answers_equal_answers_from_scratch_under_random_edits() {
    let mut rng = Rng::new(1);
    for round in 0..20 {
        let mut graph = SceneGraph::default();
        let (mut ids, mut nodes): (Vec<SceneNodeId>, Vec<Plain>) = Default::default();
        for _ in 0..150 {
            let local = pose(&mut rng, 2.0);
            match rng.below(6) {
                0 | 1 => {
                    let parent = (!ids.is_empty() && rng.below(8) > 0)
                        .then(|| rng.below(ids.len() as u64) as usize);
                    ids.push(match parent {
                        Some(parent) => graph.child(ids[parent], local).unwrap(),
                        None => graph.root(local).unwrap(),
                    });
                    nodes.push(Plain {
                        parent,
                        local,
                        own: Aabb::EMPTY,
                    });
                }
                2 if !ids.is_empty() => {
                    let i = rng.below(ids.len() as u64) as usize;
                    nodes[i].own = box_at(&mut rng);
                    graph.set_bounds(ids[i], nodes[i].own).unwrap();
                }
                3 if !ids.is_empty() => {
                    let i = rng.below(ids.len() as u64) as usize;
                    nodes[i].local = local;
                    graph.set_local(ids[i], local).unwrap();
                }
                4 if !ids.is_empty() => {
                    let i = rng.below(ids.len() as u64) as usize;
                    let (pose, bounds) = expected(&nodes)[i];
                    if round % 2 == 0 {
                        assert_eq!(graph.bounds_below(ids[i]).unwrap(), bounds);
                    }
                    assert_eq!(graph.world_from_node(ids[i]).unwrap(), pose);
                }
                _ if round % 3 == 0 => graph.update(),
                _ => {}
            }
        }
        check_all(&mut graph, &ids, &nodes);
    }
}

/// A tree with levels large enough for threads.
fn wide(rng: &mut Rng) -> (SceneGraph, Vec<SceneNodeId>, Vec<Plain>) {
    let mut graph = SceneGraph::default();
    let (mut ids, mut nodes): (Vec<SceneNodeId>, Vec<Plain>) = Default::default();
    for i in 0..3000_usize {
        let (parent, local, own) = (
            i.checked_sub(1).map(|i| i / 20),
            pose(rng, 1.0),
            box_at(rng),
        );
        let id = match parent {
            Some(parent) => graph.child(ids[parent], local).unwrap(),
            None => graph.root(local).unwrap(),
        };
        graph.set_bounds(id, own).unwrap();
        ids.push(id);
        nodes.push(Plain { parent, local, own });
    }
    (graph, ids, nodes)
}

#[test]
fn levels_on_threads_give_the_bytes_of_lazy_answers() {
    for threads in [1, 2, 4] {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let (mut graph, ids, mut nodes) = wide(&mut Rng::new(9));
        pool.install(|| graph.update());
        let work = graph.work();
        assert_eq!((work.poses, work.boxes), (3000, 3000));
        check_all(&mut graph, &ids, &nodes);
        assert_eq!(graph.work(), work, "nothing was stale");
        nodes[1].local = Pose::IDENTITY;
        graph.set_local(ids[1], Pose::IDENTITY).unwrap();
        pool.install(|| graph.update());
        // Node 1 has 20 children and their 20 each; only their boxes and the root's change.
        assert_eq!(graph.work().poses, 3000 + 421);
        assert_eq!(graph.work().boxes, 3000 + 422);
        check_all(&mut graph, &ids, &nodes);
    }
}

#[test]
fn a_chain_of_any_length_is_no_recursion() {
    let mut graph = SceneGraph::default();
    let step = Pose::from_translation([1.0, 0.0, 0.0]).unwrap();
    let mut last = graph.root(step).unwrap();
    let first = last;
    for _ in 1..100_000 {
        last = graph.child(last, step).unwrap();
    }
    let unit = Aabb::enclosing([DVec3::ZERO, DVec3::ONE]);
    graph.set_bounds(last, unit).unwrap();
    assert_eq!(graph.bounds_below(first).unwrap().max.x, 100_001.0);
    assert_eq!(
        graph.world_from_node(last).unwrap().translation().x,
        100_000.0
    );
    assert!(graph.set_local(first, Pose::IDENTITY).is_ok());
    assert_eq!(
        graph.world_from_node(last).unwrap().translation().x,
        99_999.0
    );
}

#[test]
fn ids_of_another_graph_are_refused() {
    let mut graph = SceneGraph::default();
    let mut other = SceneGraph::default();
    other.root(Pose::IDENTITY).unwrap();
    let foreign = other.root(Pose::IDENTITY).unwrap();
    assert!(graph.child(foreign, Pose::IDENTITY).is_err());
    assert!(graph.set_local(foreign, Pose::IDENTITY).is_err());
    assert!(graph.world_from_node(foreign).is_err() && graph.bounds_below(foreign).is_err());
}
