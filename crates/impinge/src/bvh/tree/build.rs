//! Builds a BVH of a mesh: first the topology, then the bounding volumes.

use std::sync::Arc;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use glam::DVec3;

use super::build_item::{BuildItem, UnitFrame, items};
use super::config::{Builder, BvhConfig, TopDown};
use super::node::{Bvh, BvhNode};
use super::polygon_clip::ClippedPolygon;
use super::topology::{BinaryTopology, WideNode, corners_of};
use super::{bottom_up, insertion_build, sah, top_down};
use crate::bound::BoundingVolume;
use crate::mesh::TriMesh;
use crate::query::FaceId;

/// Builds the BVH of a mesh.
pub(super) fn build<V: BoundingVolume>(mesh: Arc<TriMesh>, config: &BvhConfig) -> Bvh<V> {
    let leaf_faces = usize::from(config.leaf_faces.max(1));
    let frame = UnitFrame::of(&mesh);
    let shape = best_shape(&mesh, &frame, &config.builder, leaf_faces);
    let slots = shape.widened(config.arity.children(), leaf_faces as u32);
    let nodes = if shape.has_parts {
        fit_parts(&mesh, &frame, &shape.order, &slots)
    } else {
        fit(&mesh, &shape.order, &slots)
    };
    let order = shape.order.iter().map(|i| FaceId::new(i.face())).collect();
    Bvh {
        mesh,
        config: config.clone(),
        nodes,
        order,
        has_parts: shape.has_parts,
    }
}

fn best_shape(
    mesh: &TriMesh,
    frame: &UnitFrame,
    builder: &Builder,
    leaf_faces: usize,
) -> BinaryTopology {
    let mut open = vec![builder];
    let mut best: Option<(f64, BinaryTopology)> = None;
    while let Some(builder) = open.pop() {
        let rule = match builder {
            Builder::BestOf(several) => {
                open.extend(several.iter().rev());
                continue;
            }
            Builder::BinnedSah | Builder::BottomUp { .. } | Builder::Insertion => None,
            Builder::Median => Some(TopDown::MEDIAN),
            Builder::LongestSide => Some(TopDown::LONGEST_SIDE),
            Builder::TopDown(rule) => Some(*rule),
        };
        let items = items(mesh, frame);
        let shape = match (builder, rule) {
            (_, Some(rule)) => top_down::build(mesh, frame, items, leaf_faces, rule),
            (Builder::BottomUp { search }, _) => bottom_up::build(items, *search),
            (Builder::Insertion, _) => insertion_build::build(items),
            _ => by_area(items, leaf_faces),
        };
        // One builder alone need not be compared.
        if open.is_empty() && best.is_none() {
            return shape;
        }
        let cost = shape.cost();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, shape));
        }
    }
    match best {
        Some((_, shape)) => shape,
        None => by_area(items(mesh, frame), leaf_faces),
    }
}

fn by_area(mut order: Vec<BuildItem>, leaf_faces: usize) -> BinaryTopology {
    let branches = sah::build(&mut order, leaf_faces);
    BinaryTopology {
        order,
        branches,
        has_parts: false,
    }
}

/// The nodes with their volumes, every face whole.
fn fit<V: BoundingVolume>(
    mesh: &TriMesh,
    order: &[BuildItem],
    slots: &[WideNode],
) -> Vec<BvhNode<V>> {
    let corners = |item: &BuildItem| mesh.triangle(FaceId::new(item.face()));
    let leaf_volume = |slot: &WideNode| {
        let items = &order[slot.start as usize..slot.end as usize];
        around_few(items.iter().map(corners))
    };
    if V::UNION_IS_TIGHT {
        // Leaves side by side, then parents from the last to the first: children come after them.
        let placeholder = V::enclosing(&[]);
        let node = |slot: &WideNode| {
            if slot.children == 0 {
                node(slot, leaf_volume(slot))
            } else {
                node(slot, placeholder)
            }
        };
        #[cfg(feature = "parallel")]
        let mut nodes: Vec<BvhNode<V>> = slots.par_iter().map(node).collect();
        #[cfg(not(feature = "parallel"))]
        let mut nodes: Vec<BvhNode<V>> = slots.iter().map(node).collect();
        for i in (0..nodes.len()).rev() {
            if !nodes[i].is_leaf() {
                nodes[i].volume = union_of_children(&nodes, i);
            }
        }
        return nodes;
    }
    #[cfg(feature = "parallel")]
    let faces: Vec<[DVec3; 3]> = order.par_iter().map(corners).collect();
    #[cfg(not(feature = "parallel"))]
    let faces: Vec<[DVec3; 3]> = order.iter().map(corners).collect();
    let node = |slot: &WideNode| {
        let faces = &faces[slot.start as usize..slot.end as usize];
        node(slot, V::around_faces(faces))
    };
    #[cfg(feature = "parallel")]
    return slots.par_iter().map(node).collect();
    #[cfg(not(feature = "parallel"))]
    return slots.iter().map(node).collect();
}

fn node<V: BoundingVolume>(slot: &WideNode, volume: V) -> BvhNode<V> {
    if slot.children == 0 {
        BvhNode::leaf(volume, slot.start, slot.end - slot.start)
    } else {
        BvhNode::inner(volume, slot.first, slot.children)
    }
}

/// The volume around the children of an inner node.
pub(super) fn union_of_children<V: BoundingVolume>(nodes: &[BvhNode<V>], at: usize) -> V {
    let children = &nodes[nodes[at].range()];
    let first = children[0].volume;
    children[1..]
        .iter()
        .fold(first, |all, child| all.union(&child.volume))
}

/// The volume around the faces of a leaf, without a list on the heap for small ones.
pub(super) fn around_few<V: BoundingVolume>(faces: impl ExactSizeIterator<Item = [DVec3; 3]>) -> V {
    const FEW: usize = 8;
    let count = faces.len();
    if count > FEW {
        return V::around_faces(&faces.collect::<Vec<_>>());
    }
    let mut few = [[DVec3::ZERO; 3]; FEW];
    for (place, face) in few.iter_mut().zip(faces) {
        *place = face;
    }
    V::around_faces(&few[..count])
}

/// The nodes with their volumes, of each face the part that the reference stands for.
fn fit_parts<V: BoundingVolume>(
    mesh: &TriMesh,
    frame: &UnitFrame,
    order: &[BuildItem],
    slots: &[WideNode],
) -> Vec<BvhNode<V>> {
    // Parts are cut a little larger than their boxes, so that neighbours overlap by more than rounding.
    let part = |item: &BuildItem| {
        let (min, max) = corners_of(&item.extent());
        let (min, max) = (frame.world(min), frame.world(max));
        let spare = (max - min) * 1e-9 + min.abs().max(max.abs()) * 1e-14;
        let whole = ClippedPolygon::new(mesh.triangle(FaceId::new(item.face())));
        let part = whole.inside(min - spare, max + spare);
        if part.corners().is_empty() {
            whole
        } else {
            part
        }
    };
    let parts: Vec<ClippedPolygon> = order.iter().map(part).collect();
    let mut points = Vec::new();
    let mut nodes = Vec::with_capacity(slots.len());
    for slot in slots {
        points.clear();
        for part in &parts[slot.start as usize..slot.end as usize] {
            points.extend_from_slice(part.corners());
        }
        nodes.push(node(slot, V::enclosing(&points)));
    }
    nodes
}
