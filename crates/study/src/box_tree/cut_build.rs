//! Builds a tree of cuts and checks its invariants.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cut_tree::{CutTree, CutTreeConfig, CutTreeNode, LeafRule};
use super::leaf_test::EdgeTable;
use super::split_plane::{ElementSide, Elements, side};
use super::traverse::BoxHierarchy;
use crate::own_faces::OwnFaces;
use impinge::bound::Aabb;
use impinge::mesh::TriMesh;

/// A node to be cut.
struct OpenNode {
    node: u32,
    ids: Vec<u32>,
    bounds: Aabb,
    depth: u32,
}

pub(super) fn build(mesh: Arc<TriMesh>, config: &CutTreeConfig) -> CutTree {
    let boxes: Vec<Aabb> = mesh
        .face_ids()
        .map(|face| Aabb::enclosing(mesh.triangle(face)))
        .collect();
    let bounds = boxes.iter().fold(Aabb::EMPTY, |all, of| all.union(of));
    let thickness = config.thickness_in(&bounds);
    let mut tree = CutTree {
        mesh,
        config: *config,
        bounds,
        thickness,
        nodes: Vec::new(),
        faces: Vec::new(),
        edges: Vec::new(),
        edge_table: EdgeTable::default(),
        is_repeated: Vec::new(),
    };
    if boxes.is_empty() {
        return tree;
    }
    cut_faces(&mut tree, &boxes);
    if config.leaf == LeafRule::Edges {
        insert_edges(&mut tree);
    }
    tree
}

/// Cuts level by level, so that what duplication is allowed is spent evenly.
fn cut_faces(tree: &mut CutTree, boxes: &[Aabb]) {
    let config = tree.config;
    let mut room = boxes.len().saturating_mul(config.max_duplication as usize);
    room = room.saturating_sub(boxes.len()).min(u32::MAX as usize / 2);
    let empty = CutTreeNode::Leaf {
        faces: [0; 2],
        edges: [0; 2],
    };
    tree.nodes.push(empty);
    let mut open = VecDeque::from([OpenNode {
        node: 0,
        ids: (0..boxes.len() as u32).collect(),
        bounds: tree.bounds,
        depth: 0,
    }]);
    while let Some(OpenNode {
        node,
        ids,
        bounds,
        depth,
    }) = open.pop_front()
    {
        let is_small = ids.len() <= config.min_faces.max(1) as usize;
        let found = if is_small || depth >= config.max_depth() {
            None
        } else {
            let elements = Elements {
                ids: &ids,
                boxes,
                bounds,
                thickness: tree.thickness,
            };
            elements.best_cut(&config).filter(|cut| {
                let crossing = elements.count(cut.axis, cut.at).crossing;
                let fits = crossing <= room;
                room -= if fits { crossing } else { 0 };
                fits
            })
        };
        let Some(cut) = found else {
            let from = tree.faces.len() as u32;
            tree.faces.extend(ids);
            tree.nodes[node as usize] = CutTreeNode::Leaf {
                faces: [from, tree.faces.len() as u32],
                edges: [0; 2],
            };
            continue;
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for id in ids {
            let of = &boxes[id as usize];
            match side(of.min[cut.axis], of.max[cut.axis], cut.at, tree.thickness) {
                ElementSide::Left => left.push(id),
                ElementSide::Right => right.push(id),
                ElementSide::Both => {
                    left.push(id);
                    right.push(id);
                }
            }
        }
        let children = tree.nodes.len() as u32;
        tree.nodes[node as usize] = CutTreeNode::Inner {
            axis: cut.axis as u8,
            children,
            at: cut.at,
        };
        let (mut low, mut high) = (bounds, bounds);
        low.max[cut.axis] = cut.at;
        high.min[cut.axis] = cut.at;
        for (i, ids, bounds) in [(0, left, low), (1, right, high)] {
            tree.nodes.push(empty);
            open.push_back(OpenNode {
                node: children + i,
                ids,
                bounds,
                depth: depth + 1,
            });
        }
    }
    let mut times = vec![0_u32; boxes.len()];
    for &face in &tree.faces {
        times[face as usize] += 1;
    }
    tree.is_repeated = times.iter().map(|&n| n > 1).collect();
}

/// Lets every edge down the finished tree.
fn insert_edges(tree: &mut CutTree) {
    let table = EdgeTable::new(&tree.mesh);
    let mut entries: Vec<(u32, u32)> = Vec::new();
    let mut stack = Vec::new();
    for edge in 0..table.ends.len() as u32 {
        let bounds = table.bounds(edge, tree.mesh.positions());
        stack.push(0_u32);
        while let Some(node) = stack.pop() {
            match tree.nodes[node as usize] {
                CutTreeNode::Inner { axis, children, at } => {
                    let k = usize::from(axis);
                    let place = side(bounds.min[k], bounds.max[k], at, tree.thickness);
                    if place != ElementSide::Left {
                        stack.push(children + 1);
                    }
                    if place != ElementSide::Right {
                        stack.push(children);
                    }
                }
                CutTreeNode::Leaf { .. } => entries.push((node, edge)),
            }
        }
    }
    entries.sort_unstable();
    let mut from = 0;
    for (id, node) in tree.nodes.iter_mut().enumerate() {
        if let CutTreeNode::Leaf { edges, .. } = node {
            let to = from + entries[from..].partition_point(|&(leaf, _)| leaf as usize <= id);
            *edges = [from as u32, to as u32];
            from = to;
        }
    }
    tree.edges = entries.into_iter().map(|(_, edge)| edge).collect();
    tree.edge_table = table;
}

/// The first promise that does not hold.
pub(super) fn validate(tree: &CutTree) -> Result<(), String> {
    let mesh = &tree.mesh;
    if mesh.is_empty() {
        return if tree.nodes.is_empty() {
            Ok(())
        } else {
            Err("an empty mesh has nodes".to_owned())
        };
    }
    if tree.bounds
        != mesh.face_ids().fold(Aabb::EMPTY, |all, face| {
            all.union(&Aabb::enclosing(mesh.triangle(face)))
        })
    {
        return Err("the root's box is not that of the faces".to_owned());
    }
    let mut reached = vec![0_u32; tree.nodes.len()];
    let mut stack = vec![(0_u32, tree.bounds, 0)];
    while let Some((id, bounds, depth)) = stack.pop() {
        reached[id as usize] += 1;
        if reached[id as usize] > 1 {
            return Err(format!("node {id} has two parents"));
        }
        if let CutTreeNode::Inner { axis, children, at } = tree.nodes[id as usize] {
            let k = usize::from(axis);
            if !(bounds.min[k] < at && at < bounds.max[k]) {
                return Err(format!("node {id} is cut outside its box"));
            }
            if depth >= tree.config.max_depth() {
                return Err(format!("node {id} is cut below the greatest depth"));
            }
            let (mut low, mut high) = (bounds, bounds);
            low.max[k] = at;
            high.min[k] = at;
            stack.push((children, low, depth + 1));
            stack.push((children + 1, high, depth + 1));
        }
    }
    if reached.contains(&0) {
        return Err("a node has no parent".to_owned());
    }
    let mut times = vec![0; mesh.face_count()];
    for &face in &tree.faces {
        times[face as usize] += 1;
    }
    for face in mesh.face_ids() {
        let of = Aabb::enclosing(mesh.triangle(face));
        let times = times[face.index()];
        check_element(tree, &of, face.index() as u32, times, CutTree::leaf_faces)
            .map_err(|e| format!("{face} {e}"))?;
    }
    if tree.config.leaf == LeafRule::Edges {
        let mut times = vec![0; tree.edge_table.ends.len()];
        for &edge in &tree.edges {
            times[edge as usize] += 1;
        }
        for edge in 0..tree.edge_table.ends.len() as u32 {
            let of = tree.edge_table.bounds(edge, mesh.positions());
            check_element(tree, &of, edge, times[edge as usize], CutTree::leaf_edges)
                .map_err(|e| format!("edge {edge} {e}"))?;
        }
    }
    Ok(())
}

/// Checks that an element is in every leaf whose shrunk, open box meets the element's box, in no
/// leaf whose grown box does not, and in at least one.
fn check_element(
    tree: &CutTree,
    of: &Aabb,
    element: u32,
    times: u32,
    leaf: impl Fn(&CutTree, u32) -> &[u32],
) -> Result<(), String> {
    let mut stack = vec![(0_u32, tree.bounds)];
    let mut found = 0;
    while let Some((id, bounds)) = stack.pop() {
        let grown = bounds.inflated(tree.thickness);
        if !grown.overlaps(of) {
            continue;
        }
        if let CutTreeNode::Inner { axis, children, at } = tree.nodes[id as usize] {
            let (mut low, mut high) = (bounds, bounds);
            low.max[usize::from(axis)] = at;
            high.min[usize::from(axis)] = at;
            stack.push((children, low));
            stack.push((children + 1, high));
            continue;
        }
        let is_in = leaf(tree, id).contains(&element);
        found += u32::from(is_in);
        // An ulp less than open, for the rounding of the plane's two sides.
        let shrunk = bounds.inflated(-tree.thickness).inflated(
            -4.0 * f64::EPSILON
                * tree
                    .bounds
                    .max
                    .abs()
                    .max(tree.bounds.min.abs())
                    .max_element(),
        );
        let must = shrunk.min.cmplt(of.max).all() && of.min.cmplt(shrunk.max).all();
        if must && !shrunk.is_empty() && !is_in {
            return Err(format!("is not in leaf {id}, whose box it enters"));
        }
    }
    if found == 0 {
        return Err("is in no leaf".to_owned());
    }
    if found != times {
        return Err("is in a leaf that it does not enter".to_owned());
    }
    Ok(())
}
